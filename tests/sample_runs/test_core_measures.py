"""The measures of the sample run core, against values that are counted from what its specification plants."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from functools import cache
from pathlib import Path
from statistics import fmean

import pytest

from auditor.analysis import Resampling
from auditor.audit.grade import grade_file
from auditor.audit.layouts import LaidOut, lay_out
from auditor.audit.load import LoadOptions, load
from auditor.store.file import open_for_reading
from tests.sample_runs.test_core import RIGHT, RUN, lines, planted, spec

SETTINGS = [setting["name"] for setting in spec()["setting"]]
TASKS = lines("tasks.jsonl")
PROBLEMS = sorted({task["problem"] for task in TASKS})


def planted_right(setting: str, sample: int, problem: str, arm: str, **facts: object) -> list[bool]:
    """Return for the tasks of a problem whose arm begins so whether the specification has them right."""
    return [
        planted()[setting, task["case"], task["arm"], sample] in RIGHT
        for task in TASKS
        if task["problem"] == problem
        and task["arm"].startswith(arm)
        and all(task[name] == value for name, value in facts.items())
    ]


def implementations(problem: str, style: str | None = None) -> list[str]:
    found = [
        task["implementation"]
        for task in TASKS
        if task["problem"] == problem and style in (None, task["facets"]["style"])
    ]
    return sorted(set(found))


@cache
def samples(setting: str) -> int:
    return 1 + max(sample for name, _, _, sample in planted() if name == setting)


def right_implementations(setting: str, sample: int, problem: str, style: str | None = None) -> list[bool]:
    return [
        all(planted_right(setting, sample, problem, "output", implementation=one))
        for one in implementations(problem, style)
    ]


def expected(setting: str) -> dict[str, float]:
    """Count each measure as its definition reads."""
    rows: dict[str, list[float]] = {name: [] for name in ("I", "I_s", "W", "W_s", "RCS", "text", "table")}
    for problem in PROBLEMS:
        for sample in range(samples(setting)):
            outputs = right_implementations(setting, sample, problem)
            probes = planted_right(setting, sample, problem, "probe/")
            strict, soft = float(all(outputs)), fmean(probes)
            whole = float(all(probes))
            values = (strict, fmean(outputs), whole, soft, strict * soft, 1 - (strict - soft) ** 2)
            for name, value in zip(rows, (*values, 1 - (strict - whole) ** 2), strict=True):
                rows[name].append(value)
    return {name: fmean(values) for name, values in rows.items()}


@pytest.fixture(scope="module")
def audit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("measured") / "a.db"
    load(path, [RUN], LoadOptions())
    grade_file(path)
    return path


def laid(audit: Path, name: str) -> LaidOut:
    with closing(open_for_reading(audit)) as connection:
        return lay_out(connection, name, resampling=Resampling(replicates=100))


def test_the_measures_are_what_the_specification_plants(audit: Path) -> None:
    found = {(one["setting"], one["measure"]): one["value"] for one in laid(audit, "core-table1").records}
    names = ("I", "I_s", "W", "W_s", "RCS", "Cons(I, W_s)", "Cons(I, W)")
    for setting in SETTINGS:
        shown = [found[setting, name] for name in names]
        assert shown == pytest.approx(list(expected(setting).values())), setting
    superficial = "simulated/superficial"
    # Right outputs, and of five probes none is right but the last in two of three samples.
    assert found[superficial, "I"] == 1 and found[superficial, "RCS"] == pytest.approx(2 / 15)


def test_a_style_bias_comes_out_as_planted(audit: Path) -> None:
    records = laid(audit, "core-heatmap").records
    found = {(one["setting_family"], one["implementation_family"]): one["value"] for one in records}
    biased = {setting["family"]: setting["name"] for setting in spec()["setting"] if "family" in setting}
    assert len(biased) >= 2
    cells: dict[tuple[str, str], float] = {}
    for family, setting in biased.items():
        for style in {task["facets"]["style"] for task in TASKS}:
            with_style = [problem for problem in PROBLEMS if implementations(problem, style)]
            cells[family, style] = fmean(mean_share(setting, problem, style) for problem in with_style)
    assert {pair: found[pair] for pair in cells} == pytest.approx(cells)
    # The others stand under the model's name; each counts as much, whether it answered once or three times.
    unbiased = sorted(set(SETTINGS) - set(biased.values()))
    assert {samples(setting) for setting in unbiased} == {1, 3}
    shown = [found["simulated-interpreter", "functional"]]
    with_style = [problem for problem in PROBLEMS if implementations(problem, "functional")]
    shares = [mean_share(setting, problem, "functional") for setting in unbiased for problem in with_style]
    assert shown == pytest.approx([fmean(shares)])
    own = [cells[family, family] for family in biased]
    others = [cells[one, other] for one in biased for other in biased if one != other]
    advantage = records[-1]
    assert advantage["value"] == pytest.approx(fmean(own) - fmean(others))
    assert isinstance(advantage["ci_low"], float) and advantage["ci_low"] > 0.5


def mean_share(setting: str, problem: str, style: str) -> float:
    shares: Sequence[float] = [
        fmean(right_implementations(setting, sample, problem, style)) for sample in range(samples(setting))
    ]
    return fmean(shares)
