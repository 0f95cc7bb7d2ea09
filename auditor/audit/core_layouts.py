"""The tables of CoRE: its measures by setting and by problem, and the probes of each dimension."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from auditor.analysis import Resampling
from auditor.audit.core_figures import exposure_layout, heat_map_layout
from auditor.audit.core_replies import ProblemAnswers, Problems, read_problems
from auditor.audit.core_superficial import superficial_layout
from auditor.audit.core_words import (
    Progress,
    doubts_told,
    estimate_fields,
    interval,
    number,
    percent,
    repetitions_told,
    resampling_told,
    untold,
)
from auditor.audit.layouts import LaidOut, Layout, LayoutTable
from auditor.errors import InputError
from auditor.model import Scalar
from auditor.studies.core.measures import MEASURES, ProblemMeasures, average, dimension_score, measure, summarise
from auditor.text import counted, visible_line

_DIMENSIONS = ("Arithmetic", "Logic", "State", "Boundary")
"""The paper's, in its order; probes may carry others, and spell these otherwise."""
_PARTS = {
    "implementation invariance and process transparency": ("I", "I_s", "W", "W_s"),
    "overall": ("RCS", "Cons(I, W_s)", "Cons(I, W)"),
}
"""The measures as their intervals are told: so many beside each other as a narrow terminal has room for."""
_NAMED_SETTINGS = 3
"""Settings that a note names; more are counted."""


def measures_layout(
    connection: sqlite3.Connection,
    where: str,
    policy: str | None,
    resampling: Resampling,
    *,
    problems: Problems | None = None,
    progress: Progress = untold,
) -> LaidOut:
    """Lay out the measures by setting, as Table 1 has them, with both readings of Cons and all intervals."""
    problems = problems or read_problems(connection, where, policy)
    values: list[list[str]] = []
    intervals: dict[str, list[list[str]]] = {part: [] for part in _PARTS}
    records: list[dict[str, Scalar]] = []
    left_out: dict[tuple[int, str], dict[str, list[str]]] = {}
    for setting, answers in problems.answers.items():
        progress(len(values), len(problems.answers))
        found = summarise([_measured(runs) for _, runs in sorted(answers.items())], resampling)
        values.append([setting, *(number(name, one.estimate.value) for name, one in found.items())])
        for part, names in _PARTS.items():
            intervals[part].append([setting, *(interval(name, found[name].estimate) for name in names)])
        repetitions = max(map(len, answers.values()))
        for name, one in found.items():
            about: dict[str, Scalar] = {"setting": setting, "measure": name, "undefined_problems": one.undefined}
            records.append({**about, "repetitions": repetitions, **estimate_fields(one.estimate)})
            for reason in one.reasons:
                left_out.setdefault((one.undefined, reason), {}).setdefault(setting, []).append(name)
    title = f"{100 * resampling.confidence:.4g} % intervals"
    tables = [
        LayoutTable("Measures of CoRE, means over problems", ["setting", *MEASURES], values),
        *(
            LayoutTable(f"{title}: {part}", ["setting", *_PARTS[part]], lines)
            for part, lines in intervals.items()
            if any(cell != "-" for _, *cells in lines for cell in cells)
        ),
    ]
    reasons = dict.fromkeys(str(one["reason"]) for one in records if one["value"] is not None and one["reason"])
    told = [
        repetitions_told(problems),
        "I, I_s, W, W_s and RCS in percent. Both readings of Cons are shown: 1 - MSE(I, W_s) is the paper's text,"
        " 1 - MSE(I, W) is what its printed table agrees with.",
        resampling_told(resampling),
    ]
    if len(tables) == 1:
        told += reasons
    return LaidOut(tables, records, [*told, *_left_out_told(left_out), *doubts_told(connection, where, policy)])


def _left_out_told(left_out: Mapping[tuple[int, str], Mapping[str, Sequence[str]]]) -> list[str]:
    """Say which measures of which settings leave problems out, a sentence for those that leave out as many and why."""
    told = []
    for (count, reason), settings in left_out.items():
        alike: dict[tuple[str, ...], list[str]] = {}
        for setting, names in settings.items():
            alike.setdefault(tuple(names), []).append(setting)
        for names, ones in alike.items():
            few = len(ones) <= _NAMED_SETTINGS
            whose = ", ".join(visible_line(one, 60) for one in ones) if few else counted(len(ones), "setting")
            leave = "leaves" if len(names) == 1 else "leave"
            told.append(f"{', '.join(names)} of {whose} {leave} out {counted(count, 'problem')}: {reason}")
    return told


def problems_layout(
    connection: sqlite3.Connection, where: str, policy: str | None, *, problems: Problems | None = None
) -> LaidOut:
    """Lay out the measures of every problem, a table a setting, each the mean of its repetitions."""
    problems = problems or read_problems(connection, where, policy)
    tables: list[LayoutTable] = []
    records: list[dict[str, Scalar]] = []
    for setting, answers in problems.answers.items():
        lines = []
        for problem, runs in answers.items():
            found = _measured(runs)
            named = [(name, getattr(found, attribute)) for name, attribute in MEASURES.items()]
            lines.append([problem, *(number(name, value) for name, value in named)])
            about: dict[str, Scalar] = {"setting": setting, "problem": problem, "repetitions": len(runs)}
            records += [
                {
                    **about,
                    "measure": name,
                    "value": None if value is None else float(value),
                    "reason": found.why_undefined(name),
                }
                for name, value in named
            ]
        tables.append(LayoutTable(setting, ["problem", *MEASURES], lines))
    told = [
        repetitions_told(problems),
        "I to RCS in percent; - is undefined: a problem without outputs, or without probes.",
    ]
    return LaidOut(tables, records, [*told, *doubts_told(connection, where, policy)])


def dimensions_layout(
    connection: sqlite3.Connection, where: str, policy: str | None, resampling: Resampling
) -> LaidOut:
    """Lay out W_s over the probes of each dimension by setting, as Table 2 has it, and by problems as equation 8."""
    problems = read_problems(connection, where, policy)
    dimensions = _in_the_papers_order(problems.dimensions())
    if not dimensions:
        raise InputError("no probe here has a dimension.", hint="Probes carry them in their field dimensions.")
    values: dict[str, dict[str, list[float | None]]] = {kind: {} for kind in ("pooled", "by problem")}
    records: list[dict[str, Scalar]] = []
    for setting, answers in problems.answers.items():
        runs = [[one.run() for one in some] for _, some in sorted(answers.items())]
        for dimension in dimensions:
            found = dimension_score(runs, dimension, resampling)
            for kind, estimate in (("pooled", found.pooled), ("by problem", found.by_problem)):
                values[kind].setdefault(setting, []).append(estimate.value)
                about: dict[str, Scalar] = {"setting": setting, "dimension": dimension, "reading": kind}
                records.append({**about, "probes": found.probes, **estimate_fields(estimate)})
    told = [
        repetitions_told(problems),
        "Percent. The first reading is the one that the paper's Table 2 agrees with, the second is its equation 8;"
        " a probe of several dimensions counts in each.",
        resampling_told(resampling),
    ]
    tables = [
        _dimension_table("Probes answered rightly, of all that carry the dimension", dimensions, values["pooled"]),
        _dimension_table("W_s over the probes of the dimension, mean over problems", dimensions, values["by problem"]),
    ]
    return LaidOut(tables, records, [*told, *doubts_told(connection, where, policy)])


def _in_the_papers_order(dimensions: set[str]) -> list[str]:
    place = {name.lower(): at for at, name in enumerate(_DIMENSIONS)}
    return sorted(dimensions, key=lambda name: (place.get(name.lower(), len(place)), name))


def _dimension_table(
    title: str, dimensions: Sequence[str], values: Mapping[str, Sequence[float | None]]
) -> LayoutTable:
    """Lay out a row a setting and, of several, their mean."""
    lines = [[setting, *map(percent, row)] for setting, row in values.items()]
    if len(lines) > 1:
        columns = [[value for value in column if value is not None] for column in zip(*values.values(), strict=True)]
        lines.append(["Average", *(percent(sum(some) / len(some) if some else None) for some in columns)])
    return LayoutTable(title, ["setting", *dimensions], lines)


def _measured(runs: Iterable[ProblemAnswers]) -> ProblemMeasures:
    return average(measure(one.run()) for one in runs)


CORE_LAYOUTS: Mapping[str, Layout] = MappingProxyType(
    {
        "core-table1": Layout(
            "I, I_s, W, W_s, RCS and both readings of Cons by setting (Table 1 of CoRE)", (), measures_layout, True
        ),
        "core-table2": Layout(
            "probes answered rightly, by setting and dimension (Table 2 of CoRE)", (), dimensions_layout, True
        ),
        "core-problems": Layout("the measures of CoRE for every problem, a table a setting", (), problems_layout),
        "core-heatmap": Layout(
            "I_s by family of settings and of implementations, with the diagonal's advantage (Figure 5 of CoRE)",
            (),
            heat_map_layout,
            True,
        ),
        "core-exposure": Layout(
            "how many tests it takes until a failing setting is seen to fail (Figure 6 of CoRE)",
            (),
            exposure_layout,
            True,
        ),
        "core-superficial": Layout(
            "superficial execution: wrong probes behind right outputs, by setting (section 6.2 of CoRE)",
            (),
            superficial_layout,
            True,
        ),
    }
)
