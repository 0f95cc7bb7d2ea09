"""The figures of CoRE as tables: I_s by families, and how soon a failing setting is seen to fail."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import fmean

from auditor.analysis import RatioInterval, Resampling
from auditor.audit.core_replies import ProblemAnswers, Problems, read_problems
from auditor.audit.core_words import TO, Progress, doubts_told, estimate_fields, percent, resampling_told, untold
from auditor.audit.layouts import LaidOut, LayoutTable
from auditor.errors import InputError
from auditor.model import Scalar
from auditor.store.problem_rows import setting_families
from auditor.studies.core.exposure import ORDERS, Exposed, exposure
from auditor.studies.core.heat_map import Pair, heat_map
from auditor.text import counted

SHADES = "·░▒▓█"
"""Blocks that are the fuller the more a share is."""
HEAT_LEGEND = (
    "I_s in percent, over the implementations of the column's family; rows are families of settings; = marks a"
    " family's own code. Fuller blocks are more."
)
"""The note that says how a terminal's table is read; others who show the map have their own."""
_SHADED_CELLS = 8
_BAR = 40


def heat_map_layout(
    connection: sqlite3.Connection,
    where: str,
    policy: str | None,
    resampling: Resampling,
    *,
    problems: Problems | None = None,
    progress: Progress = untold,
) -> LaidOut:
    """Lay out I_s by family of settings and family of implementations, and how far own families are ahead."""
    problems = problems or read_problems(connection, where, policy)
    families = setting_families(connection)
    cells = _family_cells(problems, families)
    if not cells:
        raise InputError("no output of an implementation is left, so that there is no I_s.", hint="See --where.")
    found = heat_map(cells, resampling, progress)
    both = found.advantage.families
    rows = [*both, *(one for one in dict.fromkeys(pair.setting for pair in cells) if one not in both)]
    columns = [*both, *sorted({pair.implementation for pair in cells} - set(both))]
    plain, shaded = [], []
    for row in rows:
        values = [found.cells[Pair(row, one)].value if Pair(row, one) in cells else None for one in columns]
        plain.append([row, *map(percent, values)])
        shaded.append([row, *(_shaded(value, row == one) for value, one in zip(values, columns, strict=True))])
    difference = found.advantage.difference
    records = [_record("cell", pair.setting, pair.implementation, estimate) for pair, estimate in found.cells.items()]
    records.append(_record("advantage", None, None, difference))
    told = [_advantage(difference, len(both))]
    undeclared = sum(not declared for name, (_, declared) in families.items() if name in problems.answers)
    if undeclared:
        told.append(f"{counted(undeclared, 'setting')} without a family: the model's name stands for it.")
    told.append(HEAT_LEGEND)
    title = "I_s by family of the setting and of the implementation"
    table = LayoutTable(title, ["settings", *columns], plain, shaded=shaded)
    return LaidOut([table], records, [*told, resampling_told(resampling), *doubts_told(connection, where, policy)])


def exposure_layout(
    connection: sqlite3.Connection,
    where: str,
    policy: str | None,
    resampling: Resampling,
    *,
    problems: Problems | None = None,
) -> LaidOut:
    """Lay out how many tests it takes until a setting that fails on an implementation is seen to fail."""
    pairs = (problems or read_problems(connection, where, policy)).failing_pairs()
    if not pairs:
        raise InputError("no setting fails on an implementation here, so that there is nothing to expose.")
    found = exposure(pairs, resampling.seed)
    lines = [[str(one.tests), *map(percent, one[1:])] for one in found]
    records = [{"tests": one.tests, "mean": one.mean, "p10": one.low, "p90": one.high} for one in found]
    title = "Failing settings and implementations that already fail on the first tests"
    told = [
        f"Percent of {counted(len(pairs), 'failing pair')}: a setting, in one repetition, and an implementation.",
        "The mean is over all orders of the tests, exactly; the band is the 10th to the 90th percentile of"
        f" {ORDERS:,} random orders, seed {resampling.seed}. The definition is ours: the paper gives none.",
    ]
    table = LayoutTable(title, ["first tests", "mean", "10 %", "90 %"], lines)
    return LaidOut([table], records, [*told, *doubts_told(connection, where, policy)], _trend(found))


def _family_cells(problems: Problems, families: Mapping[str, tuple[str, bool]]) -> dict[Pair, dict[str, float]]:
    """Return, by families and problem, the mean of I_s over a family's settings.

    Each setting is the mean of its repetitions, so that one with more of them counts no more than another.
    """
    shares: dict[Pair, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for setting, of_setting in problems.answers.items():
        family, _ = families[setting]
        for problem, repetitions in of_setting.items():
            for style, values in _style_shares(repetitions).items():
                shares[Pair(family, style)][problem].append(fmean(values))
    return {
        pair: {problem: fmean(values) for problem, values in by_problem.items()} for pair, by_problem in shares.items()
    }


def _style_shares(repetitions: Sequence[ProblemAnswers]) -> dict[str, list[float]]:
    """Return I_s over the implementations of each style, an entry a repetition that asked for any."""
    found: dict[str, list[float]] = defaultdict(list)
    for answers in repetitions:
        right: dict[str, list[bool]] = defaultdict(list)
        for one in answers.implementations.values():
            right[one.style].append(one.all_right)
        for style, values in right.items():
            found[style].append(fmean(values))
    return found


def _record(kind: str, setting: str | None, implementation: str | None, estimate: RatioInterval) -> dict[str, Scalar]:
    about = {"kind": kind, "setting_family": setting, "implementation_family": implementation}
    return {**about, **estimate_fields(estimate)}


def shade_of(value: float) -> str:
    """Return the block of a share."""
    return SHADES[min(len(SHADES) - 1, int(value * len(SHADES)))]


def _shaded(value: float | None, own: bool) -> str:
    """Return a share in percent behind blocks that are the fuller the more it is, marked where it is of own code.

    It holds no space, at which a narrow table would be folded.
    """
    if value is None:
        return "-"
    shade = shade_of(value)
    return f"{percent(value).rjust(_SHADED_CELLS, shade)}{'=' if own else shade}"


def _trend(found: Sequence[Exposed]) -> list[str]:
    """Draw a line of characters a number of tests: the band in light blocks, the mean as a dot."""
    width = len(str(found[-1].tests))
    lines = [f"{'k':>{width}}  0 %{'100 %':>{_BAR - 2}}"]
    for one in found:
        bar = trend_bar(one.mean, one.low, one.high, _BAR + 1)
        band = f"[{percent(one.low)}{TO}{percent(one.high)}]"
        lines.append(f"{one.tests:>{width}}  {bar}  {percent(one.mean):>6} {band}")
    return lines


def trend_bar(mean: float, low: float, high: float, width: int) -> str:
    """Return a bar of so many characters from 0 to 1: the band in light blocks, the mean as a dot."""
    first, middle, last = (round(share * (width - 1)) for share in (low, mean, high))
    return "".join("●" if at == middle else "░" if first <= at <= last else "·" for at in range(width))


def _advantage(difference: RatioInterval, families: int) -> str:
    if difference.value is None:
        return f"The diagonal's advantage is undefined. {difference.reason or ''}"
    others = "the other family" if families == 2 else f"the other {families - 1:,} families"
    told = f"The diagonal's advantage, own code minus the code of {others}: {100 * difference.value:+z.2f} points"
    if difference.low is None or difference.high is None:
        return f"{told}. {difference.reason or ''}"
    told += f" [{100 * difference.low:+z.2f} to {100 * difference.high:+z.2f}]"
    dropped = difference.replicates_undefined
    return told + (f"; {counted(dropped, 'replicate')} without a value for a cell dropped." if dropped else ".")
