"""Computed failure modes: what a program can say of how a prediction differs, never what people say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from auditor.audit.report.subject import Part, Subject, name_of, percent
from auditor.documents.document import Block, Cell, Code, Column, Figure, Paragraph, Section, Table, Words
from auditor.documents.plots import BarPlot, BarRow
from auditor.grading.modes import PRECEDENCE
from auditor.store.cells import ClusterCounts, cluster_counts, in_order
from auditor.text import counted

_NO_FAILURE = frozenset({"correct", "no_response"})
_MOST_PARTS = 9
"""Parts of a bar that can be told apart; the rarest modes are put together."""
_MOST_ROWS = 30
_MOST_QUOTED = 3


def modes_part(subject: Subject) -> Part:
    """Count the primary computed mode of wrong responses, by setting and by arm."""
    connection, where = subject.connection, subject.options.where
    blocks: list[Block | Section] = [
        Paragraph(
            "The primary computed mode of each wrong response: the most specific one that holds. A program computes it"
            " from the texts, and where programs were run from what they gave; no person has said so, and it counts"
            " nowhere as a person's tag.",
            "note",
        )
    ]
    quotes: list[Words] = []
    for dimension in ("setting", "arm"):
        counts = failures(cluster_counts(connection, ["mode.computed", dimension], where))
        if not counts:
            return Part()
        groups = in_order(connection, [dimension], [(group,) for _, group in counts])
        names = [group[0] for group in groups]
        if dimension == "setting":
            quotes = [tuple(_quote(counts))]
        plot = composition_plot(counts, names, dimension)
        table = _table(counts, names, dimension)
        blocks.append(table if plot is None else Figure(f"fig-modes-{dimension}", plot, folded=table))
    return Part(Section("modes", "Failure modes (computed)", blocks), quotes=quotes)


def failures(counts: Sequence[ClusterCounts]) -> Counter[tuple[str, object]]:
    """Sum the wrong responses by mode and group, of counts by computed mode and one more dimension."""
    found: Counter[tuple[str, object]] = Counter()
    for count in counts:
        mode, group = count.group
        if mode is not None and mode not in _NO_FAILURE:
            found[mode, group] += count.completed - count.correct
    return found


def _modes(counts: Counter[tuple[str, object]]) -> list[str]:
    """Return the modes that occur, the commonest first."""
    totals: Counter[str] = Counter()
    for (mode, _), count in counts.items():
        totals[mode] += count
    return sorted(totals, key=lambda mode: (-totals[mode], _rank(mode)))


def _rank(mode: str) -> int:
    return PRECEDENCE.index(mode) if mode in PRECEDENCE else len(PRECEDENCE)


def composition_plot(counts: Counter[tuple[str, object]], groups: Sequence[object], dimension: str) -> BarPlot | None:
    """Return a bar a group, divided by mode; None where there are too many groups to see."""
    if not groups or len(groups) > _MOST_ROWS:
        return None
    modes = _modes(counts)
    shown, rest = (modes, []) if len(modes) <= _MOST_PARTS else (modes[: _MOST_PARTS - 1], modes[_MOST_PARTS - 1 :])
    rows = []
    for group in groups:
        parts = [counts[mode, group] for mode in shown]
        more = [sum(counts[mode, group] for mode in rest)] if rest else []
        rows.append(BarRow(name_of(group, dimension), (*parts, *more)))
    parts_shown = (*shown, *([f"{len(rest)} other modes"] if rest else []))
    return BarPlot(f"Computed modes of wrong responses by {dimension}", parts_shown, tuple(rows))


def _table(counts: Counter[tuple[str, object]], groups: Sequence[object], dimension: str) -> Table:
    modes = _modes(counts)
    totals = {group: sum(counts[mode, group] for mode in modes) for group in groups}
    columns = [Column(dimension, False), *(Column(mode) for mode in modes), Column("wrong")]
    rows: list[list[Cell | str]] = []
    for group in groups:
        cells = [Cell(f"{counts[mode, group]:,}", f"{percent(counts[mode, group], totals[group])} %") for mode in modes]
        rows.append([name_of(group, dimension), *cells, f"{totals[group]:,}"])
    return Table(
        f"Wrong responses by {dimension} and computed mode", columns, rows, ("Shares are of the wrong responses.",)
    )


def _quote(counts: Counter[tuple[str, object]]) -> Iterator[str | Code]:
    """Say the commonest modes, and of how many wrong responses."""
    modes, total = _modes(counts)[:_MOST_QUOTED], counts.total()
    yield f"What a program computes of {counted(total, 'wrong response')}: most often "
    for at, name in enumerate(modes):
        most = sum(count for (mode, _), count in counts.items() if mode == name)
        yield ", " if at else ""
        yield Code(name)
        yield f" ({most:,}, {percent(most, total)} %)"
    yield "."
