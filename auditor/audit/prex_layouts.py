"""The tables of PrEx: accuracy by semantics and shift with the drop, by type of error, and how answers fail."""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import NamedTuple

from auditor.audit.judging import judge_by
from auditor.audit.layouts import LaidOut, Layout, LayoutTable
from auditor.errors import InputError
from auditor.grading.prex_script import MODES, script_mode
from auditor.grading.verdicts import read_verdict
from auditor.model import Scalar
from auditor.store.cells import ClusterCounts, Group, cluster_counts, in_order
from auditor.store.doubtful import count_disputed, count_left_out
from auditor.store.suggestions import hint_for_nothing, nothing_counted
from auditor.store.verdict_rows import distinct_oracles, graded_verdicts
from auditor.text import visible_line

RANDOM = "Random"
SHIFTS = ("Standard", "KeywordSwap", "KeywordObf")
_SEMANTICS = ("K", "S")
_ERRORS = (
    *("valid", "break_outside_loop", "continue_outside_loop", "divide_by_zero", "modulo_zero"),
    "var_use_before_declare",
)
_OURS = ("false_success", "false_error", "wrong_rule", "unparsed_rule", "malformed", "empty")
_NEAR = ("same family", "adjacent number", "other formalism", "no such rule")


class Rate(NamedTuple):
    """Accuracy of one cell of a table: the mean of its runs, each a sample of every task."""

    correct: int
    completed: int
    planned: int
    runs: int
    of_completed: Fraction | None
    """None where no reply was completed, or one is not graded."""
    of_planned: Fraction | None


def rate_of(runs: Mapping[Scalar, Sequence[ClusterCounts]]) -> Rate:
    """Return the mean of the runs' accuracies; a run without a completed reply is left out of the first."""
    totals = [
        [sum(values) for values in zip(*((c.correct, c.completed, c.planned, c.ungraded) for c in part), strict=True)]
        for part in runs.values()
    ]
    correct, completed, planned, ungraded = (sum(values) for values in zip(*totals, strict=True))
    if ungraded:
        return Rate(correct, completed, planned, len(totals), None, None)
    of_completed = [Fraction(one[0], one[1]) for one in totals if one[1]]
    of_planned = [Fraction(one[0], one[2]) for one in totals if one[2]]
    return Rate(correct, completed, planned, len(totals), _mean(of_completed), _mean(of_planned))


def _mean(values: Sequence[Fraction]) -> Fraction | None:
    return sum(values, Fraction()) / len(values) if values else None


class _Cells:
    """Rates by (study, split), row and column."""

    def __init__(
        self, connection: sqlite3.Connection, where: str, dimensions: Sequence[str], policy: str | None
    ) -> None:
        with judge_by(connection, policy):
            counts = cluster_counts(connection, [*dimensions, "sample"], where, judged=policy is not None)
        if not counts:
            raise nothing_counted(connection, where)
        runs: dict[Group, dict[Scalar, list[ClusterCounts]]] = defaultdict(lambda: defaultdict(list))
        for count in counts:
            runs[count.group[:-1]][count.group[-1]].append(count)
        self.rates = {group: rate_of(parts) for group, parts in runs.items()}
        self.settings = [one for (one,) in in_order(connection, ["setting"], {(group[2],) for group in self.rates})]
        self.parts = in_order(connection, ["study", "split"], {group[:2] for group in self.rates})


def accuracy_layout(connection: sqlite3.Connection, where: str, policy: str | None) -> LaidOut:
    """Lay out accuracy by setting, semantics and shift, a table a split, with the change against Standard."""
    cells = _Cells(connection, where, ["study", "split", "setting", "semantics", "shift"], policy)
    chance = distinct_oracles(connection, ["study", "split", "semantics", "shift"], where)
    tables, records = [], []
    for part in cells.parts:
        columns = _columns({group[3:] for group in cells.rates if group[:2] == part})
        shown: list[list[str]] = []
        guesses = {column: _guess(chance.get((*part, *column), frozenset()), policy) for column in columns}
        if any(guesses.values()):
            shown.append([RANDOM])
        for column, guess in guesses.items():
            base = guesses.get((column[0], "Standard"))
            if guess is not None:
                records.append(_record(part, RANDOM, column, None, guess, None, base))
            if shown:
                shown[0].append("-" if guess is None else _shown(guess, None, base, column[1]))
        for setting in cells.settings:
            found = {column: cells.rates.get((*part, setting, *column)) for column in columns}
            if not any(found.values()):
                continue
            line = [_name(setting, "setting")]
            for column, rate in found.items():
                standard = found.get((column[0], "Standard"))
                base = standard.of_completed if standard else None
                line.append("-" if rate is None else _shown(rate.of_completed, rate.of_planned, base, column[1]))
                if rate is not None:
                    records.append(_record(part, setting, column, rate, rate.of_completed, rate.of_planned, base))
            shown.append(line)
        heads = ["setting", *(f"{_name(one, 'semantics')} {_name(shift, 'shift')}" for one, shift in columns)]
        tables.append(LayoutTable(_title(part), heads, shown))
    notes = [*_notes(connection, where, policy, cells.rates.values())]
    notes.append("In parentheses: the change against Standard, in points.")
    if chance:
        notes.append(f"{RANDOM}: what guessing evenly among the answers that occur in the column would come to.")
    return LaidOut(tables, records, notes)


def _guess(oracles: Iterable[str], policy: str | None) -> Fraction | None:
    """Return the expected accuracy of an even guess among the answers that occur."""
    verdicts = {read_verdict(oracle) or oracle for oracle in oracles}
    if policy == "verdict-only":
        verdicts = {one if isinstance(one, str) else one.verdict for one in verdicts}
    return Fraction(1, len(verdicts)) if verdicts else None


def _record(
    part: Group,
    setting: Scalar,
    column: Group,
    rate: Rate | None,
    of_completed: Fraction | None,
    of_planned: Fraction | None,
    base: Fraction | None,
) -> dict[str, Scalar]:
    change = None if base is None or of_completed is None or column[1] == "Standard" else of_completed - base
    return {
        **{"study": part[0], "split": part[1], "setting": setting, "semantics": column[0], "shift": column[1]},
        **_counts(rate),
        **{
            "completed_accuracy": _exact(of_completed),
            "planned_accuracy": _exact(of_planned),
            "change": _exact(change),
        },
    }


def _exact(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


def _counts(rate: Rate | None) -> dict[str, Scalar]:
    names = ("correct", "completed", "planned", "runs")
    return dict(zip(names, rate[:4] if rate else (None,) * 4, strict=True))


def _shown(value: Fraction | None, planned: Fraction | None, base: Fraction | None, shift: Scalar) -> str:
    """Return a rate in percent, of planned cells too where that differs, and its change against Standard."""
    if value is None:
        return "undefined"
    text = f"{float(100 * value):.1f}"
    if planned is not None and planned != value:
        text += f"/{float(100 * planned):.1f}"
    if base is None or shift == "Standard":
        return text
    # A minus sign, since a narrow table may be folded at a hyphen.
    return f"{text} ({float(100 * (value - base)):+z.1f})".replace("-", "−")


def error_layout(connection: sqlite3.Connection, where: str, policy: str | None) -> LaidOut:
    """Lay out accuracy by setting and type of error, a table for each split, semantics and shift."""
    cells = _Cells(connection, where, ["study", "split", "setting", "semantics", "shift", "error_type"], policy)
    tables, records = [], []
    for part in cells.parts:
        for column in _columns({group[3:5] for group in cells.rates if group[:2] == part}):
            found = {(group[2], group[5]): rate for group, rate in cells.rates.items() if _is_at(group, part, column)}
            errors = _ordered({error for _, error in found}, _ERRORS)
            lines = []
            for setting in cells.settings:
                rates = [found.get((setting, error)) for error in errors]
                if any(rates):
                    numbers = ["-" if r is None else _shown(r.of_completed, r.of_planned, None, None) for r in rates]
                    lines.append([_name(setting, "setting"), *numbers])
                for error, rate in zip(errors, rates, strict=True):
                    if rate is not None:
                        of_error = _record(part, setting, column, rate, rate.of_completed, rate.of_planned, None)
                        records.append({**of_error, "error_type": error})
            title = f"{_title(part)}: {_name(column[1], 'shift')}, {_name(column[0], 'semantics')}-semantics"
            tables.append(LayoutTable(title, ["setting", *(_name(one, "error_type") for one in errors)], lines))
    for record in records:
        del record["change"]
    return LaidOut(tables, records, _notes(connection, where, policy, cells.rates.values()))


def _is_at(group: Group, part: Group, column: Group) -> bool:
    return group[:2] == part and group[3:5] == column


def mode_layout(connection: sqlite3.Connection, where: str, policy: str | None) -> LaidOut:
    """Count how verdicts fail, by split and setting: as graded here, and as PrEx's own script would name it."""
    if policy is not None:
        raise InputError("failure modes are counted as they were graded.", hint="Leave --policy out.")
    ours: dict[Group, Counter[str]] = defaultdict(Counter)
    script: dict[Group, Counter[str]] = defaultdict(Counter)
    near: dict[Group, Counter[str]] = defaultdict(Counter)
    for row in graded_verdicts(connection, ["study", "split", "setting"], where):
        findings = [finding for finding in row.findings if finding.mode != "oracle_disputed"]
        if not findings:
            ours[row.group]["ungraded"] += 1
            continue
        ours[row.group][findings[0].mode] += 1
        details = {finding.detail for finding in findings if finding.mode == "wrong_rule"} - {None}
        if findings[0].mode == "wrong_rule":
            near[row.group].update(str(detail) for detail in (details or {"none of these"}))
        expected = read_verdict(row.oracle)
        if expected is not None and row.reply is not None:
            script[row.group][script_mode(expected, row.reply)] += 1
    if not ours:
        told = (
            f"no reply to a verdict matches {visible_line(where)!r}." if where else "no task here asks for a verdict."
        )
        hint = hint_for_nothing(connection, where) or "The layout is for tasks of the target verdict."
        raise InputError(told, hint=hint)
    settings = [one for (one,) in in_order(connection, ["setting"], {(group[2],) for group in ours})]
    tables, records = [], []
    kinds = (
        ("as graded", ours, ("correct", *_OURS, "no_response", "ungraded")),
        ("as PrEx's script names them", script, MODES),
        ("how cited rules are near the violated ones", near, (*_NEAR, "none of these")),
    )
    for part in in_order(connection, ["study", "split"], {group[:2] for group in ours}):
        for kind, counts, names in kinds:
            lines = []
            for setting in settings:
                if (*part, setting) not in ours:
                    continue
                count = counts[*part, setting]
                lines.append([_name(setting, "setting"), *(f"{count[name]:,}" for name in names)])
                about = {"study": part[0], "split": part[1], "setting": setting, "kind": kind}
                records += [{**about, "mode": name, "count": count[name]} for name in names]
            tables.append(LayoutTable(f"{_title(part)}: {kind}", ["setting", *names], lines))
    told = "A wrong rule may be near in several ways."
    told += " The script reads the last tags of the whole reply, also in its reasoning."
    return LaidOut(tables, records, (*_doubts(connection, where), told))


def _columns(found: Iterable[Group]) -> list[Group]:
    """Put pairs of semantics and shift in the paper's order, others behind them."""
    pairs = list(found)
    semantics = _ordered({one for one, _ in pairs}, _SEMANTICS)
    shifts = _ordered({shift for _, shift in pairs}, SHIFTS)
    return [(one, shift) for one in semantics for shift in shifts if (one, shift) in pairs]


def _ordered(found: Iterable[Scalar], known: Sequence[str]) -> list[Scalar]:
    there = set(found)
    others = sorted(there - set(known), key=lambda one: (one is None, str(one)))
    return [*(one for one in known if one in there), *others]


def _name(value: Scalar, dimension: str) -> str:
    return f"(no {dimension})" if value is None else str(value)


def _title(part: Group) -> str:
    study, split = part
    return f"{split} programs ({study})" if split is not None else str(study)


def _notes(connection: sqlite3.Connection, where: str, policy: str | None, rates: Iterable[Rate]) -> list[str]:
    found = list(rates)
    runs = sorted({rate.runs for rate in found})
    of = "1 run" if runs == [1] else f"{runs[0]} runs" if len(runs) == 1 else f"{runs[0]} to {runs[-1]} runs"
    told = [f"Percent correct of completed replies, the mean of {of}; behind a slash of planned ones if it differs."]
    if policy is not None:
        told.append(f"Verdicts are judged by the policy {visible_line(policy, 60)}.")
    if any(rate.of_completed is None and rate.completed for rate in found):
        told.append("A rate is undefined while replies are not graded: auditor grade FILE.")
    return told + _doubts(connection, where)


def _doubts(connection: sqlite3.Connection, where: str) -> list[str]:
    disputed, invalid = count_disputed(connection, where, invalid_too=False), count_left_out(connection, where)
    told = [f"The oracle is disputed for {disputed:,} of the replies counted here."] if disputed else []
    return told + ([f"Left out as invalid: {invalid:,}."] if invalid else [])


PREX_LAYOUTS: Mapping[str, Layout] = MappingProxyType(
    {
        "prex-table6": Layout(
            "accuracy by semantics and shift, with the change against Standard (Tables 6 to 8 of PrEx)",
            ("split", "semantics", "shift"),
            accuracy_layout,
        ),
        "prex-errors": Layout(
            "accuracy by type of error, a table for each split, semantics and shift (Figure 5 of PrEx)",
            ("split", "semantics", "shift", "error_type"),
            error_layout,
        ),
        "prex-modes": Layout(
            "how verdicts fail, as graded and as the script of PrEx names it, and how near wrong rules are",
            ("split",),
            mode_layout,
        ),
    }
)
