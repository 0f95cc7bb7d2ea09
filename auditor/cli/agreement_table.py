"""Agreement as tables for people: the usual coefficients side by side, or a row a coefficient."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len

from auditor.agreement.coefficient import PAIR, Coefficient, Options
from auditor.agreement.notes import Marks, between, categories_of, how_lines, notes, shown_interval
from auditor.agreement.summing_up import summary
from auditor.cli.output import print_text, terminal_width
from auditor.cli.table import GAP, Number, table_lines
from auditor.text import visible_line

if TYPE_CHECKING:
    from auditor.agreement.ratings import Ratings

_MAX_NAME = 40
_SIDE_BY_SIDE = {
    "percent": "agree",
    "cohen_kappa": "kappa",
    "gwet_ac1": "AC1",
    "positive_agreement": "positive",
    "negative_agreement": "negative",
    "prevalence_index": "prev. index",
    "bias_index": "bias index",
}
"""The coefficients of the compact table and their headings."""
_DISPENSABLE = (
    *("bias index", "prev. index", "chance", "clusters", "negative", "positive", "prevalence", "agree"),
    *("SE", "observed"),
)
"""Columns in the order in which they are left out where there is no room for them."""
_BLANK = Number("")
_KAPPA = "cohen_kappa"


class Column(NamedTuple):
    """A heading and its cells."""

    head: str
    cells: list[str]


def print_agreement(found: Sequence[Coefficient], ratings: Ratings, options: Options, where: str = "") -> None:
    """Print coefficients on stdout, then what is undefined or doubtful, then how the numbers were computed.

    The usual coefficients of a pair and tag stand beside its kappa, the only one of them shown with an interval;
    coefficients asked for by name have a row each.
    """
    print_text("\n".join(agreement_lines(found, ratings, options, where, terminal_width())))


def agreement_lines(
    found: Sequence[Coefficient], ratings: Ratings, options: Options, where: str, width: int | None
) -> list[str]:
    """Lay agreement out; tables take at most `width` cells, None for any, and what is left out is named."""
    nothing = {one.reason for one in found if one.value is None}
    by_one = len({one.annotators for one in found}) == 1 and len(found[0].annotators) == 1
    if (len(nothing) == 1 or by_one) and all(one.value is None and one.n_items == 0 for one in found):
        return [visible_line(found[0].reason or "")]
    shown = shown_tables(found, ratings, options)
    lines = summary(found, options, sets=ratings.multi)
    for columns in shown.tables:
        lines += [*([""] if lines else []), *laid_out(columns, width)]
    for sentence in shown.without_row:
        lines += ["", sentence]
    return [*lines, "", *shown.notes, *how_lines(found, shown.told, ratings, options, where)]


class Shown(NamedTuple):
    """What is shown of coefficients."""

    tables: list[list[Column]]
    without_row: list[str]
    """What has no row, a sentence each."""
    told: list[Coefficient]
    """Those of which it is said how they were computed, and what is undefined or doubtful."""
    notes: list[str]


def shown_tables(found: Sequence[Coefficient], ratings: Ratings, options: Options) -> Shown:
    """Choose what is shown: the usual coefficients of pairs side by side, or a row for each that was asked for."""
    whole = "(whole set)" if ratings.multi else "(all categories)"
    if options.statistics:
        told = list(found)
        marks = Marks(told)
        return Shown([_rows(found, whole, marks)], [], told, notes(told, ratings, marks))
    pairs = [one for one in found if one.scope == PAIR]
    groups = [one for one in found if one.scope != PAIR]
    apart = _pairs_without_items(pairs)
    pairs = [one for one in pairs if one.annotators not in apart]
    never = [] if options.tags else _never_put(pairs)
    pairs = [one for one in pairs if one.tag not in never]
    told = [one for one in (*pairs, *groups) if one.value is None or one.scope != PAIR or one.statistic == _KAPPA]
    marks = Marks(told)
    tables = [_side_by_side(pairs, whole, marks)] if pairs else []
    tables += [_rows(groups, whole, marks)] if groups else []
    without = []
    if apart:
        names = "; ".join(" and ".join(visible_line(name, 60) for name in pair) for pair in apart)
        without.append(f"No item was rated by both, so there is no row: {names}.")
    if never:
        names = ", ".join(visible_line(str(name), 40) for name in never)
        without.append(f"Nobody put these tags, so there is nothing to agree on, and no row: {names}.")
    return Shown(tables, without, told, notes(told, ratings, marks))


def _pairs_without_items(pairs: Sequence[Coefficient]) -> list[tuple[str, ...]]:
    """Return the pairs of annotators with no item in common, where others have some: a row a tag would say nothing."""
    having = {one.annotators for one in pairs if one.n_items}
    return list(dict.fromkeys(one.annotators for one in pairs if one.annotators not in having)) if having else []


def _never_put(pairs: Sequence[Coefficient]) -> list[str | None]:
    """Return the tags that no pair put on any item, where some pair put others: rows of dashes say nothing."""
    tags = dict.fromkeys(one.tag for one in pairs if one.tag is not None)
    put = {one.tag for one in pairs if one.prevalence}
    return [tag for tag in tags if tag not in put] if put else []


def side_by_side(found: Sequence[Coefficient], width: int | None) -> list[str]:
    """Lay the usual coefficients of pairs out, a row a pair and tag."""
    return laid_out(_side_by_side(found, ""), width)


def statistic_rows(found: Sequence[Coefficient], width: int | None) -> list[str]:
    """Lay coefficients out, each in a row of its own."""
    return laid_out(_rows(found, ""), width)


def laid_out(columns: list[Column], width: int | None) -> list[str]:
    """Return a table of the columns that have room; a single pair of annotators stands above it, not in a column."""
    above = []
    people = next((column for column in columns if column.head == "between"), None)
    if people is not None and len(set(people.cells)) == 1:
        columns = [column for column in columns if column is not people]
        above = [f"{'Between' if ', ' in people.cells[0] else 'Over'} {people.cells[0]}:", ""]
    left_out = []
    for head in _DISPENSABLE:
        if width is None or _needs(columns) <= width:
            break
        if any(column.head == head for column in columns):
            columns = [column for column in columns if column.head != head]
            left_out.append(head)
    lines = table_lines(
        [column.head for column in columns], list(zip(*(column.cells for column in columns), strict=True)), width
    )
    if left_out:
        lines += [f"No room here for {', '.join(reversed(left_out))}: see --json, or make the terminal wider."]
    return [*above, *lines]


def _needs(columns: Sequence[Column]) -> int:
    widths = [max(map(cell_len, (column.head, *map(visible_line, column.cells)))) for column in columns]
    return sum(widths) + len(GAP) * (len(widths) - 1)


def _side_by_side(found: Sequence[Coefficient], whole: str, marks: Marks | None = None) -> list[Column]:
    groups: dict[tuple[tuple[str, ...], str | None, str | None], dict[str, Coefficient]] = {}
    for one in found:
        groups.setdefault((one.annotators, one.tag, one.group), {})[one.statistic] = one
    rows = list(groups.values())
    first = [next(iter(row.values())) for row in rows]
    kappas = [row.get(_KAPPA) for row in rows]
    columns = _common(first, whole)
    columns.append(Column("chance", [_number(kappa.expected, _BLANK) if kappa else _BLANK for kappa in kappas]))
    for name, head in _SIDE_BY_SIDE.items():
        if any(name in row for row in rows):
            columns.append(Column(head, [_cell(row.get(name)) for row in rows]))
    return [*columns, *_marked([list(row.values()) for row in rows], marks)]


def _marked(rows: Sequence[Sequence[Coefficient]], marks: Marks | None) -> list[Column]:
    """Return the column with the numbers of the notes on each row; none where no row has one."""
    cells = [marks.of(row) for row in rows] if marks is not None else []
    return [Column("notes", cells)] if any(cells) else []


def _rows(found: Sequence[Coefficient], whole: str, marks: Marks | None = None) -> list[Column]:
    """One row for each coefficient."""
    columns = [Column("statistic", [one.statistic for one in found]), *_common(found, whole)]
    columns.append(Column("value", [_number(one.value) for one in found]))
    columns.append(Column("interval", [_interval(one) for one in found]))
    for head, numbers in (
        ("SE", [one.se for one in found]),
        ("observed", [one.observed for one in found]),
        ("chance", [one.expected for one in found]),
    ):
        columns.append(Column(head, [_number(number, _BLANK) for number in numbers]))
    return [*columns, *_marked([[one] for one in found], marks)]


def _common(found: Sequence[Coefficient], whole: str) -> list[Column]:
    """Return the columns that say what a row is about."""
    columns = [Column("between", [between(one) for one in found])]
    tagged = any(one.tag is not None for one in found)
    if tagged or any(one.group is not None for one in found):
        columns.append(Column("tag", [categories_of(one) or whole for one in found]))
    columns.append(Column("items", [_count(one.n_items) for one in found]))
    if any(one.n_clusters is not None for one in found):
        columns.append(Column("clusters", [_count(one.n_clusters) for one in found]))
    if tagged:
        columns.append(Column("prevalence", [_number(one.prevalence, _BLANK) for one in found]))
    return columns


def _count(number: int | None) -> str:
    return _BLANK if number is None else Number(f"{number:,}")


def _number(number: float | None, absent: str = "-") -> Number:
    return Number(absent) if number is None else Number(f"{number:z.3f}")


def _interval(one: Coefficient) -> Number:
    """Show the t interval where there is one, which is where clusters are too few for percentiles."""
    low, high = shown_interval(one)
    return _BLANK if low is None else Number(f"[{_number(low)}, {_number(high)}]")


def _cell(one: Coefficient | None) -> Number:
    if one is None:
        return _BLANK
    return (
        Number(f"{_number(one.value)} {_interval(one)}".rstrip())
        if one.statistic == "cohen_kappa"
        else _number(one.value)
    )
