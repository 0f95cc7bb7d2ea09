"""How verdicts change between arms of the same cases, between settings of one model, and where."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from auditor.audit.doubts import doubts
from auditor.audit.report.subject import Part, Subject, percent
from auditor.audit.transitions import Transitions, transitions
from auditor.documents.document import Block, Cell, Column, Figure, Paragraph, Section, Table, Words
from auditor.documents.plots import DASH, Axis, BarPlot, BarRow, IntervalGroup, IntervalPlot, IntervalRow, Point
from auditor.errors import InputError
from auditor.store.expr import Match, unparse
from auditor.store.report_counts import arms_of_same_cases
from auditor.store.tasks import load_settings
from auditor.text import counted

_ALL_PAIRS, _MOST_ARMS = 4, 9
"""Arms up to which every two are paired, and up to which the first is paired with each other."""
_MOST_SETTINGS = 24
_PARTS = ("right in both", "right, then wrong", "wrong, then right", "wrong in both")


class Pairing(NamedTuple):
    """Two sides and what changes from the one to the other."""

    label: str
    found: Transitions


def transitions_part(subject: Subject) -> Part:
    """Pair arms of the same cases, and settings that differ in mode; what cannot be paired is not shown."""
    arms = arms_of_same_cases(subject.connection)
    if len(arms) > _MOST_ARMS:
        arms = arms[:_MOST_ARMS]
    pairs = list(combinations(arms, 2)) if len(arms) <= _ALL_PAIRS else [(arms[0], arm) for arm in arms[1:]]
    modes_paired = _modes(subject)
    asked = [*(("arm", *pair) for pair in pairs), *(("mode", *pair) for pair in modes_paired)]
    by_name: dict[str, list[Pairing]] = {"arm": [], "mode": []}
    for done, (name, one, other) in enumerate(asked):
        label = f"{one} → {other}"
        # The settings one by one are as much again as a pair of arms.
        subject.steps(done, len(asked) + 1, label)
        by_name[name] += _paired(subject, label, name, one, other)
    between, modes = by_name["arm"], by_name["mode"]
    subject.steps(len(asked), len(asked) + 1, "by setting")
    blocks: list[Block | Section] = [
        Paragraph(
            "Responses are paired that agree in all but what changes, and only pairs in which both were completed"
            " count. The difference is the accuracy of the first side minus that of the second, in percentage points:"
            " where it is above 0, the second side is harder."
        )
    ]
    if between:
        blocks += _shown(subject, "arms", "Changes between arms of the same cases", between)
        first = pairs[0]
        by_setting = list(_by_setting(subject, *first))
        if len(by_setting) > 1:
            title = f"Difference by setting: {first[0]} minus {first[1]}"
            blocks.append(Figure("fig-transitions-settings", _difference_plot(title, by_setting), (_how(subject),)))
    if modes:
        blocks += _shown(subject, "modes", "Changes between modes of the same model", modes)
    if not between and not modes:
        return Part()
    return Part(Section("transitions", "Paired transitions", blocks), quotes=tuple(map(pairing_sentence, between[:1])))


def _modes(subject: Subject) -> list[tuple[str, str]]:
    """Return every two modes in which some model was asked, in the order in which modes were brought in."""
    settings = [one for one in load_settings(subject.connection) if one.mode is not None and one.model is not None]
    modes = list(dict.fromkeys(one.mode for one in settings if one.mode is not None))
    of_model = {(one.model, one.mode) for one in settings}
    models = {one.model for one in settings}
    pairs = combinations(modes, 2)
    return [(a, b) for a, b in pairs if any((model, a) in of_model and (model, b) in of_model for model in models)][:6]


def _paired(subject: Subject, label: str, name: str, one: str, other: str, where: str = "") -> Iterator[Pairing]:
    """Yield what changes from one value of a dimension to another, if any two responses can be paired."""
    options = subject.options
    from_side, to_side = (unparse(Match(name, (value,))) for value in (one, other))
    try:
        found = transitions(
            subject.connection,
            from_side,
            to_side,
            subject.within(where),
            replicates=options.replicates,
            seed=options.seed,
            confidence=options.confidence,
        )
    except InputError:  # the filter leaves nothing of a side, or there are several responses for one pair
        return
    if found.pairs:
        yield Pairing(label, found)


def _by_setting(subject: Subject, one: str, other: str) -> Iterator[Pairing]:
    settings = load_settings(subject.connection)
    if len(settings) > _MOST_SETTINGS:
        return
    for setting in settings:
        yield from _paired(subject, setting.name, "arm", one, other, unparse(Match("setting", (setting.name,))))


def _how(subject: Subject) -> Words:
    return f"{subject.bootstrap}; both sides of a pair are resampled together."


def _shown(subject: Subject, ident: str, title: str, found: list[Pairing]) -> list[Block]:
    counts = [BarRow(one.label, _counts(one.found)) for one in found]
    difference = _difference_plot(f"{title}: difference", found)
    bars = BarPlot(title, _PARTS, tuple(counts), "pair", disjoint=False)
    return [
        Figure(f"fig-transitions-{ident}", bars, below=True),
        _table(subject, title, found),
        Figure(f"fig-differences-{ident}", difference, (_how(subject),), below=True),
    ]


def _counts(found: Transitions) -> tuple[int, int, int, int]:
    return found.both_correct, found.correct_to_wrong, found.wrong_to_correct, found.both_wrong


def _table(subject: Subject, title: str, found: list[Pairing]) -> Table:
    names = ("pairs", "clusters", *_PARTS, "difference (points)")
    rows: list[list[Cell | str]] = []
    for label, one in found:
        numbers = [f"{number:,}" for number in (one.pairs, one.clusters)]
        shares = [Cell(f"{count:,}", f"{percent(count, one.pairs)} %") for count in _counts(one)]
        rows.append([label, *numbers, *shares, _difference(one)])
    notes: list[Words] = [f"{_how(subject)}"]
    notes += sorted({one.reason for _, one in found if one.reason})
    notes += doubts(max(one.invalid for _, one in found), max(one.disputed for _, one in found))
    return Table(title, [Column("", False), *(Column(name) for name in names)], rows, notes)


def _difference(found: Transitions) -> Cell:
    if found.difference is None:
        return Cell(DASH)
    interval = "" if found.ci_low is None else f"[{found.ci_low:z.2f}, {found.ci_high:z.2f}]"
    return Cell(_signed(found.difference), interval.replace("-", "−"))


def _difference_plot(title: str, found: list[Pairing]) -> IntervalPlot:
    rows = tuple(
        IntervalRow(label, Point(one.difference, one.ci_low, one.ci_high), beside=f"{one.pairs:,} pairs")
        for label, one in found
    )
    ends = [end for row in rows for end in row.point if end is not None]
    low, high = (10 * (min([0.0, *ends]) // 10), -10 * (-max([0.0, *ends]) // 10))
    axis = Axis("percentage points", low, high or 10.0, percent=False, zero=True)
    return IntervalPlot(title, axis, (IntervalGroup("", rows),))


def pairing_sentence(pairing: Pairing) -> Words:
    """Say which way accuracy goes, and where that may be chance."""
    one = pairing.found
    points = one.difference or 0.0
    ends: tuple[float, ...] = () if one.ci_low is None or one.ci_high is None else (one.ci_low, one.ci_high)
    if points < 0:
        ends = tuple(-end for end in reversed(ends))
    interval = f" [{ends[0]:z.2f}, {ends[1]:z.2f}]".replace("-", "−") if ends else ""
    moves = "falls" if points > 0 else "rises" if points < 0 else "changes"
    # What is quoted first must not say more than its interval does.
    doubt = " That may be chance: 0 lies within the interval." if ends and ends[0] <= 0 <= ends[1] else ""
    return (
        f"Accuracy {moves} by {abs(points):.2f} points{interval} from {pairing.label.replace(' → ', ' to ')}, over"
        f" {counted(one.pairs, 'pair')} from {counted(one.clusters, 'cluster')}: {one.correct_to_wrong:,} right answers"
        f" turn wrong and {one.wrong_to_correct:,} wrong ones right.{doubt}"
    )


def _signed(points: float) -> str:
    return f"{points:+z.2f}".replace("-", "−")
