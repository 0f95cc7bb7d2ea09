"""CoRE's figures as lines of text and figures; each says what it counts and what it opens. No widget, no file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from rich.cells import cell_len

from auditor.audit.core_figures import HEAT_LEGEND, shade_of, trend_bar
from auditor.audit.core_overview import RESAMPLING, CoreFigures, CoreItems, Missing
from auditor.audit.core_superficial import BEHIND_RIGHT_OUTPUTS, SUPERFICIAL_PROBES
from auditor.audit.core_words import TO, number, percent, resampling_told
from auditor.audit.layouts import LaidOut
from auditor.audit.tabulate import AccuracyTable
from auditor.model import Scalar
from auditor.studies.core.measures import MEASURES
from auditor.text import counted
from auditor.tui.overview_lines import Closed, Figure, Filtered, Line, Row, Section, Span, matching, said, shown, table
from auditor.tui.wrapping import WrappedText

Piece = TypeVar("Piece", LaidOut, AccuracyTable)
_COUNTING, _STOPPED = "counting …", "not counted: it was stopped"
_NONE = "\N{EN DASH}"
_WIDEST_BAR = 60
_MOST_SETTINGS = 8
"""Settings whose problems the screen shows; the command has all of them."""
_HEADS = ("I", "I_s", "W", "W_s", "RCS", "Cons W_s", "Cons W")
"""The measures in a few cells; what is said of a figure has the whole name."""
_OUTPUTS, _PROBES = ("I", "I_s"), ("W", "W_s")
_BLOCKS = {"░": "muted", "·": "off"}
"""Roles of the parts of a bar; the mean is plain text."""


def core_sections(found: CoreFigures, width: int, *, stopped: bool = False) -> tuple[list[Section], list[Section]]:
    """Return the two figures of the paper with superficial execution, and its measures by setting and problem."""
    if found.nothing:
        return [Section("Nothing to show", _wrapped([found.nothing], width))], []
    waiting: list[Line] = [said(_STOPPED if stopped else _COUNTING)]
    first = [
        _section("Heat map: I_s by family of settings and code", found.heat_map, _heat_map, width, waiting),
        _section("Exposure: who fails, on the first k tests already", found.exposure, _exposure, width, waiting),
        _section("Superficial: right output, wrong probes", found.superficial, _superficial, width, waiting),
    ]
    second = [_section("Measures: means over problems", found.measures, _measures, width, waiting)]
    if isinstance(found.problems, LaidOut):
        second += _problems(found.problems, width)
    else:
        second.append(Section("Problems", waiting))
    return first, second


def _section(
    title: str,
    piece: Piece | Missing | None,
    make: Callable[[str, Piece, int], Section],
    width: int,
    waiting: list[Line],
) -> Section:
    if piece is None:
        return Section(title, waiting)
    return Section(title, _wrapped([piece.why], width)) if isinstance(piece, Missing) else make(title, piece, width)


def _wrapped(words: Sequence[str], width: int) -> list[Line]:
    wrapped = WrappedText(list(words), width - 2)
    rows = (wrapped.row(y) for y in range(wrapped.rows))
    return [said(words[row.line][row.start : row.end].rstrip()) for row in rows]


def _records(laid_out: LaidOut, *names: str) -> dict[tuple[Scalar, ...], Mapping[str, Any]]:
    """Return the records of a layout by the values of some fields."""
    return {tuple(one[name] for name in names): one for one in laid_out.records}


def _interval(record: Mapping[str, Any], measure: str, unit: str) -> str:
    """Return a value with its interval, or why that has none."""
    value = number(measure, record["value"])
    if record["ci_low"] is None:
        return f"{value}{unit}. {record['reason'] or ''}".rstrip()
    return f"{value}{unit} [{number(measure, record['ci_low'])}{TO}{number(measure, record['ci_high'])}]"


# --- heat map --------------------------------------------------------------------------------------------------------


def _heat_map(title: str, found: LaidOut, width: int) -> Section:
    shape, records = found.tables[0], _records(found, "kind", "setting_family", "implementation_family")
    styles = list(shape.columns[1:])
    rows = []
    for family, *_ in shape.rows:
        cells = [_heat_cell(family, style, records.get(("cell", family, style))) for style in styles]
        rows.append(Row(family, cells))
    advantage = records["advantage", None, None]
    both = frozenset(str(row[0]) for row in shape.rows) & frozenset(styles)
    square = CoreItems(families=both, styles=both, target="output")
    words = found.notes[0]
    ahead = Figure("advantage", _ahead(advantage), Closed(words) if advantage["value"] is None else square, words)
    lines = table(styles, rows, width, "auditor accuracy FILE --layout core-heatmap has all.")
    legend = "Percent; rows are settings, columns implementations; = is own code, a fuller block is more."
    known = (HEAT_LEGEND, resampling_told(RESAMPLING))  # what the screen says above in fewer words, or further below
    notes = [legend, *(note for note in found.notes[1:] if note not in known)]
    above: Line = (Span("  own code is ahead by ", "muted"), Span(ahead.text, "", ahead))
    return Section(title, [above, *lines, *_wrapped(notes, width)])


def _ahead(record: Mapping[str, Any]) -> str:
    value, low, high = (record[name] for name in ("value", "ci_low", "ci_high"))
    if value is None:
        return _NONE
    points = f"{100 * value:+z.2f} points"
    return points if low is None else f"{points} [{100 * low:+z.2f} to {100 * high:+z.2f}]"


def _heat_cell(family: str, style: str, record: Mapping[str, Any] | None) -> Figure:
    key, names = f"heat {family} {style}", f"{shown(family, 30)} on code of {shown(style, 30)}"
    if record is None or record["value"] is None:
        why = f"{names}: undefined. These settings were asked for no output of such an implementation that counts."
        return Figure(key, f"{_NONE} ", Closed(why), why)
    own = "=" if family == style else " "
    text = f"{shade_of(record['value'])} {percent(record['value'])}{own}"
    told = f"{'Own code: ' if family == style else ''}{names}: I_s {_interval(record, 'I_s', ' %')}"
    words = f"{told.rstrip('.')}; {counted(record['problems'], 'problem')}. The outputs are the items."
    items = CoreItems(families=frozenset({family}), styles=frozenset({style}), target="output")
    return Figure(key, text, items, words)


# --- exposure --------------------------------------------------------------------------------------------------------


def _exposure(title: str, found: LaidOut, width: int) -> Section:
    records: Sequence[Mapping[str, Any]] = found.records
    pairs = found.notes[0].removeprefix("Percent of ").partition(":")[0]
    texts = [f"{percent(one['mean']):>6} [{percent(one['p10'])}{TO}{percent(one['p90'])}]" for one in records]
    digits = len(str(len(texts)))
    room = width - digits - 6 - max(map(cell_len, texts))
    bar_width = max(8, min(_WIDEST_BAR, room))
    lines: list[Line] = [
        (Span(f"  {'k':>{digits}}  0 %{'100 %':>{bar_width - 2}}  {'mean':>6} [10 %{TO}90 %]", "muted"),)
    ]
    for one, text in zip(records, texts, strict=True):
        tests = one["tests"]
        band = f"in most orders {percent(one['p10'])} to {percent(one['p90'])} %"
        words = (
            f"{percent(one['mean'])} % ({band}) of {pairs} fail on the first {counted(tests, 'test')} already."
            " The outputs that are not right are the items, whatever the number of tests."
        )
        figure = Figure(f"exposure {tests}", text, CoreItems(target="output", not_right=True), words)
        bar = trend_bar(one["mean"], one["p10"], one["p90"], bar_width)
        lines.append((Span(f"  {tests:>{digits}}  "), *_parts(bar), Span("  "), Span(text, "", figure)))
    return Section(title, [*lines, *_wrapped(found.notes, width)])


def _parts(bar: str) -> list[Span]:
    """Return a bar in spans of one role each."""
    spans: list[Span] = []
    for mark in bar:
        role = _BLOCKS.get(mark, "")
        if spans and spans[-1].role == role:
            spans[-1] = Span(spans[-1].text + mark, role)
        else:
            spans.append(Span(mark, role))
    return spans


# --- superficial execution -------------------------------------------------------------------------------------------


def _superficial(title: str, found: AccuracyTable, width: int) -> Section:
    rows = []
    for cell in found.cells:
        setting, answered = str(cell.row[0]), cell.completed
        wrong, of = answered - cell.correct, matching(("setting", setting)).where
        name = shown(setting, 40)
        words = (
            f"{name}: {wrong:,} of {counted(answered, 'probe')} whose output it predicted rightly are answered wrongly."
        )
        figure = Figure(f"superficial {setting}", f"{wrong:,}", Filtered(f"{SUPERFICIAL_PROBES} {of}"), words, wrong)
        all_words = f"{name} answered {counted(answered, 'probe')} of runs with a right output."
        where = f"{BEHIND_RIGHT_OUTPUTS} NOT status:no-response {of}"
        every = Figure(f"behind {setting}", f"{answered:,}", Filtered(where), all_words, answered)
        rows.append(Row(setting, [figure, every, f"{100 * wrong / answered:.2f} %" if answered else _NONE]))
    lines = table(
        ("wrong", "answered", "share"), rows, width, "auditor accuracy FILE --layout core-superficial has all."
    )
    return Section(title, lines)


# --- measures --------------------------------------------------------------------------------------------------------


def _measures(title: str, found: LaidOut, width: int) -> Section:
    records = _records(found, "setting", "measure")
    rows = []
    for setting, *_ in found.tables[0].rows:
        cells: list[Figure | str] = []
        for name in MEASURES:
            record = records[setting, name]
            told = f"{name} of {shown(setting, 40)}: {_interval(record, name, _unit(name))}"
            if record["value"] is None:
                told = f"{name} of {shown(setting, 40)} is undefined. {record['reason'] or ''}"
            left = counted(record["undefined_problems"], "problem")
            told += f"; {left} left out, where it is undefined" if record["undefined_problems"] else ""
            cells.append(_measure(f"measure {setting} {name}", name, record["value"], told, CoreItems(setting=setting)))
        rows.append(Row(setting, cells))
    lines = table(_HEADS, rows, width, "auditor accuracy FILE --layout core-table1 has all.")
    return Section(title, [*lines, *_wrapped(found.notes, width)])


def _problems(found: LaidOut, width: int) -> list[Section]:
    records = _records(found, "setting", "problem", "measure")
    sections = []
    for one in found.tables[:_MOST_SETTINGS]:
        setting, rows = one.title, []
        for problem, *_ in one.rows:
            cells: list[Figure | str] = []
            for name in MEASURES:
                record = records[setting, problem, name]
                told = f"{name} of {shown(setting, 30)} on {shown(problem, 30)}"
                value = f": {number(name, record['value'])}{_unit(name)}"
                told += f" is undefined. {record['reason']}" if record["value"] is None else value
                key, items = f"problem {setting} {problem} {name}", CoreItems(setting=setting, problem=problem)
                cells.append(_measure(key, name, record["value"], told, items))
            rows.append(Row(problem, cells))
        lines = table(_HEADS, rows, width, "auditor accuracy FILE --layout core-problems has all.")
        sections.append(Section(f"Problems under {shown(setting, 40)}", lines))
    if len(found.tables) > _MOST_SETTINGS:
        rest = counted(len(found.tables) - _MOST_SETTINGS, "more setting")
        more = f"{rest}: auditor accuracy FILE --layout core-problems has all."
        sections.append(Section("Problems under others", _wrapped([more], width)))
    return sections


def _unit(name: str) -> str:
    return "" if name.startswith("Cons") else " %"


def _measure(key: str, name: str, value: Any, told: str, items: CoreItems) -> Figure:
    """Return a measure that opens what it is made of: outputs, probes or both."""
    target = "output" if name in _OUTPUTS else "probe" if name in _PROBES else None
    what = {"output": "outputs", "probe": "probes", None: "outputs and probes"}[target]
    words = f"{told.rstrip('.')}. The {what} are the items."
    return Figure(key, number(name, value).replace("-", _NONE), items._replace(target=target), words)
