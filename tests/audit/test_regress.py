"""Regression and association of an audit file: the rows, designs and readings they are made of, and what is refused."""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from math import log2
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from auditor.analysis import cluster_logit, rank_association
from auditor.audit.adjudicate import decide_item
from auditor.audit.associate import AssociateOptions, associate
from auditor.audit.association_layout import associations_laid_out
from auditor.audit.grade import grade_file
from auditor.audit.layout_writing import written
from auditor.audit.load import LoadOptions, load
from auditor.audit.outcomes import Question
from auditor.audit.regress import RegressOptions, regress
from auditor.audit.regression_layout import regression_laid_out
from auditor.cli.main import main
from auditor.errors import AuditorError, InputError
from auditor.store.file import open_for_reading
from tests.hostile import HOSTILE
from tests.runs import response, task, write_run
from tests.tui.agreement_audit import agreed_audit, of_ana, of_ben

CASES, ARMS, SETTINGS = 24, ("short", "long"), ("m-high", "m-off")
STUDIES = {"one": "", "two": ""}


def measures_of(case: int, arm: str) -> dict[str, int]:
    steps = (case * 37) % 90 + 3 + 400 * (arm == "long")
    return {"trace_length": steps, "peak_state": case % 7 + 2, "state_load": steps * (case % 5 + 1)}


def is_right(case: int, arm: str, setting: str) -> bool:
    return random.Random(f"{case} {arm} {setting}").random() < (0.75 if arm == "short" else 0.45)


def study_of(case: int) -> str:
    return "one" if case < 14 else "two"


def source_of(case: int) -> str:
    return f"# {case // 2}\nprint(1)\n"


def made(folder: Path, tasks: list[dict[str, Any]] | None = None, **more: Any) -> Path:
    keys = [(case, arm) for case in range(CASES) for arm in ARMS]
    usual = [
        task(
            f"c{case}",
            arm,
            study=study_of(case),
            source=source_of(case),
            oracle="1\n",
            measures=measures_of(case, arm),
            facets={"note": "text"},
        )
        for case, arm in keys
    ]
    replies = [
        response(f"c{case}", arm, setting, study=study_of(case), response=_reply(case, arm, setting))
        for setting in SETTINGS
        for case, arm in keys
    ]
    run = write_run(folder / "run", tasks or usual, replies, studies=STUDIES, **more)
    load(folder / "a.db", [run], LoadOptions())
    grade_file(folder / "a.db")
    return folder / "a.db"


def _reply(case: int, arm: str, setting: str) -> str | None:
    return None if case == 5 and arm == "long" else "1\n" if is_right(case, arm, setting) else "2\n"


@pytest.fixture(scope="module")
def audit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("regress"))


@pytest.fixture
def connection(audit: Path) -> Iterator[sqlite3.Connection]:
    with closing(open_for_reading(audit)) as found:
        yield found


ROWS = [
    (setting, case, arm)
    for setting in SETTINGS
    for case in range(CASES)
    for arm in ARMS
    if not (case == 5 and arm == "long")
]
"""The completed responses, as they were brought in."""


# --- regression ----------------------------------------------------------------------------------------------------


def test_the_fit_is_that_of_the_design_made_by_hand(connection: sqlite3.Connection, audit: Path) -> None:
    found = regress(connection, audit, RegressOptions(references={"arm": "long"}))
    (one,) = found.fits
    columns = [
        [1.0] * len(ROWS),
        [study_of(case) == "two" for _, case, _ in ROWS],
        [arm == "short" for *_, arm in ROWS],
        [setting == "m-off" for setting, *_ in ROWS],
    ]
    for name in ("trace_length", "peak_state", "state_load"):
        logs = [log2(measures_of(case, arm)[name]) for _, case, arm in ROWS]
        columns.append([value - sum(logs) / len(logs) for value in logs])
    names = ["(constant)", "study two", "arm short", "setting m-off", "log2 trace_length", "log2 peak_state"]
    wrong = [not is_right(case, arm, setting) for setting, case, arm in ROWS]
    clusters = [source_of(case) for _, case, _ in ROWS]
    expected = cluster_logit(wrong, [*names, "log2 state_load"], np.array(columns, dtype=float).T, clusters)
    assert (one.reader, one.fit.n, one.fit.n_clusters, one.fit.positive) == (None, 94, 12, sum(wrong))
    for mine, theirs in zip(one.fit.terms, expected.terms, strict=True):
        assert mine.name == theirs.name
        for value in ("coefficient", "se", "p", "low", "high"):
            assert getattr(mine, value) == pytest.approx(getattr(theirs, value))
    assert [factor.levels for factor in one.design.factors][1] == ("long", "short")
    assert found.ranges == [] and found.left_out == {} and found.notes == []


def test_any_filter_is_an_outcome_and_turning_it_around_turns_the_signs(
    connection: sqlite3.Connection, audit: Path
) -> None:
    def slopes(outcome: str) -> list[float]:
        options = RegressOptions(Question(outcome), ("arm",), ("trace_length",))
        return [term.coefficient for term in regress(connection, audit, options).fits[0].fit.terms]

    assert slopes("status:correct") == pytest.approx([-one for one in slopes("status:wrong")])
    assert slopes("mode.computed:off_by_one") == pytest.approx(slopes("status:wrong"))


def test_a_factor_with_one_value_is_left_out_and_said(connection: sqlite3.Connection, audit: Path) -> None:
    found = regress(connection, audit, RegressOptions(where="arm:long", measures=("peak_state",)))
    assert [term.name for term in found.fits[0].fit.terms][-3:] == ["study two", "setting m-off", "log2 peak_state"]
    assert "Left out: arm, which is long in every row." in regression_laid_out(found).notes


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"measures": ("depth",)}, "no task here has the measure depth. Run: auditor measure"),
        ({"measures": ("note",)}, "note is no measure: one of its values is 'text'"),
        ({"factors": (), "measures": ()}, "nothing to regress on"),
        ({"factors": ("nope",)}, "there is no dimension 'nope'"),
        ({"where": "setting:zz"}, "no completed response matches 'setting:zz'. There is no setting 'zz'"),
        ({"references": {"arm": "middle"}}, "no row has the arm 'middle'. There are: short, long."),
        ({"references": {"mode": "x"}}, "mode is none of the factors"),
        ({"factors": ("case", "arm"), "measures": ()}, "arm has 2 values, too many for an intercept each"),
        ({"question": Question("")}, "the outcome is empty"),
        ({"question": Question("tag:arithmetic")}, "nobody has reviewed anything"),
        ({"question": Question(adjudicated=True)}, "are for an outcome that asks for a tag"),
    ],
)
def test_what_cannot_be_fitted_is_refused(
    connection: sqlite3.Connection, audit: Path, options: dict[str, Any], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("auditor.audit.predictors._MOST_COLUMNS", CASES + 1)
    with pytest.raises(AuditorError) as caught:
        regress(connection, audit, RegressOptions(**options))
    assert words in str(caught.value)


def test_no_grades_no_measure_and_mixed_languages_are_said(tmp_path: Path) -> None:
    tasks = [
        task(f"c{case}", study="s", language=("python", "cpp")[case % 2], source=f"# {case}", oracle="1\n")
        | ({"measures": {"trace_length": max(0, case - 1)}} if case else {})
        for case in range(9)
    ]
    replies = [response(f"c{case}", response=f"{1 + case % 3}\n") for case in range(9)]
    load(tmp_path / "a.db", [write_run(tmp_path / "run", tasks, replies)], LoadOptions())
    options = RegressOptions(factors=(), measures=("trace_length",))
    not_graded = pytest.raises(InputError, match=r"9 replies are not graded. Run: auditor grade")
    with closing(open_for_reading(tmp_path / "a.db")) as connection, not_graded:
        regress(connection, tmp_path / "a.db", options)
    grade_file(tmp_path / "a.db")
    with closing(open_for_reading(tmp_path / "a.db")) as connection:
        found = regress(connection, tmp_path / "a.db", options)
        # One task has no such measure, and one has a trace of 0, which has no logarithm.
        assert (found.left_out, found.fits[0].fit.n) == ({"trace_length": 2}, 7)
        assert "mix cpp, python" in found.notes[0]
        with pytest.raises(InputError, match="value above 0"):
            regress(connection, tmp_path / "a.db", RegressOptions(options.question, (), ("trace_length",), "case:c0"))
        tested = associate(connection, tmp_path / "a.db", AssociateOptions(measures=("trace_length",), by=()))
        assert (tested.series[0].without_measure, tested.series[0].association.n_successes) == (1, 2)


# --- tags as outcomes ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tagged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = agreed_audit(tmp_path_factory.mktemp("tagged") / "a.db", {"ana": of_ana, "ben": of_ben}, cases=40)
    item = "demo/case-3/output/model-a/0"
    with closing(open_for_reading(path)) as connection:
        assert connection.execute("SELECT count(*) FROM responses").fetchone()[0] == 80
    decide_item(path, "lead", item, [("copying", "present"), ("other", "absent")], note="both")
    return path


def test_a_tag_is_read_by_each_annotator_and_from_what_is_final(tagged: Path) -> None:
    options = RegressOptions(Question("tag:copying"), ("arm",), ("size",))
    with closing(open_for_reading(tagged)) as connection:
        found = regress(connection, tagged, options)
    assert [one.reader for one in found.fits] == ["ana", "ben", "final"]
    of_each = [[of_ana(item) for item in range(80)], [of_ben(item) for item in range(80)]]
    for one, said in zip(found.fits, of_each, strict=False):
        # Case 0 has the size 0, which has no logarithm; deferred items are not read.
        counted = [tags for item, tags in enumerate(said) if tags is not None and item >= 2]
        assert (one.fit.n, one.fit.positive) == (len(counted), sum("copying" in tags for tags in counted))
    first, second = (one.fit.terms[2] for one in found.fits[:2])
    (spread,) = (one for one in found.ranges if one.name == "log2 size")
    assert (spread.least, spread.most) == tuple(sorted((first.coefficient, second.coefficient)))
    assert spread.low == min(first.low or 0, second.low or 0) and spread.high == max(first.high or 0, second.high or 0)
    assert any(note.startswith("Tags of ana: on 73 of 80 completed responses") for note in found.notes)


def test_final_tags_alone_and_with_right_answers(tagged: Path, audit: Path) -> None:
    with closing(open_for_reading(tagged)) as connection:
        final = regress(connection, tagged, RegressOptions(Question("tag:copying", adjudicated=True), (), ("size",)))
        only = regress(connection, tagged, RegressOptions(Question("tag:copying", annotators=("ben",)), (), ("size",)))
        (one,) = final.fits
        pairs = [(of_ana(item), of_ben(item)) for item in range(80)]
        agreed = [item for item, (a, b) in enumerate(pairs) if a is not None and set(a) == set(b or ())]
        assert one.reader == "final" and one.fit.n in (len(agreed) - 2, len(agreed) - 1)
        assert [fit.reader for fit in only.fits] == ["ben"] and only.ranges == []
        with pytest.raises(InputError, match=r"no tag 'copyin'. Did you mean tag:copying\?"):
            regress(connection, tagged, RegressOptions(Question("tag:copyin"), (), ("size",)))
        with pytest.raises(InputError, match="contradict"):
            regress(connection, tagged, RegressOptions(Question("tag:copying", None, ("ana",), True), (), ("size",)))
        with pytest.raises(InputError, match="cannot be compared with <"):
            regress(connection, tagged, RegressOptions(Question("tag<3"), (), ("size",)))


def test_tags_join_other_terms_and_right_answers_count_as_untagged_when_asked(tmp_path: Path) -> None:
    path = agreed_audit(tmp_path / "a.db", {"ana": lambda item: ("copying",) if item % 3 == 0 else None}, cases=12)
    with closing(open_for_reading(path)) as connection:
        both = AssociateOptions(Question("tag:copying NOT arm:state"), ("size",), ())
        (series,) = associate(connection, path, both).series
        assert (series.association.n_failures, series.association.n_successes) == (4, 4)
        either = AssociateOptions(Question("tag:other OR arm:state OR tag!=copying"), ("size",), ())
        (series,) = associate(connection, path, either).series
        assert (series.association.n_failures, series.association.n_successes) == (4, 4)
    connection = sqlite3.connect(path)
    connection.execute("UPDATE grades SET status = 'correct-valid' WHERE response_id % 3 <> 1")
    connection.commit()
    connection.close()
    with closing(open_for_reading(path)) as connection:
        wider = AssociateOptions(Question("tag:copying", with_correct=True), ("size",), ())
        found = associate(connection, path, wider)
        (series,) = found.series
        assert (series.association.n_failures, series.association.n_successes) == (8, 16)
        assert "16 right answers without a review count as untagged" in found.notes[0]


# --- association ---------------------------------------------------------------------------------------------------


def test_each_series_is_the_test_of_its_own_rows(connection: sqlite3.Connection, audit: Path) -> None:
    options = AssociateOptions(family="arm:long", replicates=500)
    told: list[tuple[str, int, int]] = []
    found = associate(connection, audit, options, lambda *step: told.append(step))
    assert len(found.series) == 3 * 2 * 2 * 2 and [step[1:] for step in told] == [(done, 24) for done in range(24)]
    for one in found.series:
        setting, _, arm = one.group
        rows = [(case, arm) for s, case, a in ROWS if (s, study_of(case), a) == one.group]
        values: dict[bool, list[float]] = {True: [], False: []}
        for case, _ in rows:
            values[is_right(case, arm, setting)].append(measures_of(case, arm)[one.measure])
        assert one.association == rank_association(sorted(values[False]), sorted(values[True]), 500, options.seed)
        assert one.in_family == (arm == "long") == (one.adjusted is not None)
        assert one.clusters == len({source_of(case) for case, _ in rows})
    inside = [one for one in found.series if one.in_family]
    assert min(one.adjusted or 0 for one in inside) >= min(one.association.p or 0 for one in inside)
    assert (found.summaries[0].measure, found.summaries[0].series, found.summaries[0].family) == ("trace_length", 8, 4)
    assert associate(connection, audit, options) == found


def test_inestimable_series_are_named_and_out_of_the_correction(connection: sqlite3.Connection, audit: Path) -> None:
    found = associate(connection, audit, AssociateOptions(Question("status:wrong arm:long"), replicates=100))
    lost = [one for one in found.series if one.association.theta is None]
    assert {one.group[2] for one in lost} == {"short"} and all(one.adjusted is None for one in lost)
    (told,) = (note for note in associations_laid_out(found).notes if note.startswith("Inestimable"))
    assert "the outcome holds of no response, in 12 of 24 tests, 4 series: m-high one short; m-high two short" in told
    assert "12 estimable tests" in associations_laid_out(found).notes[1]


def test_many_inestimable_series_are_counted_and_some_named(connection: sqlite3.Connection, audit: Path) -> None:
    options = AssociateOptions(by=("case", "setting", "arm"), replicates=100)
    found = associate(connection, audit, options)
    notes = [note for note in associations_laid_out(found).notes if note.startswith("Inestimable")]
    groups = {one.group for one in found.series if one.association.theta is None}
    assert sum(note.count(";") for note in notes) == 8 * len(notes)
    assert all("more, which --json lists." in note for note in notes)
    assert sum(int(note.split(" tests, ")[1].split(" ")[0]) for note in notes) == len(groups)


def test_what_separates_is_left_out_by_the_filter_that_is_told(connection: sqlite3.Connection, audit: Path) -> None:
    question = Question("status:wrong setting:m-high OR setting:m-off study:one status:wrong")
    found = regress(connection, audit, RegressOptions(question, factors=("setting", "study"), measures=()))
    told = regression_laid_out(found).notes[0]
    assert found.fits[0].fit.reason is None  # nothing is separated by one factor alone
    assert "add to --where" not in told
    split = RegressOptions(Question("status:wrong setting:m-high"), factors=("setting",), measures=("trace_length",))
    told = regression_laid_out(regress(connection, audit, split)).notes[0]
    assert "setting m-off tells the outcomes apart" in told
    what = told.split("add to --where: ")[1]
    assert what == "NOT setting:m-off"
    again = regress(connection, audit, RegressOptions(split.question, measures=("trace_length",), where=what))
    assert again.fits[0].fit.terms and again.fits[0].fit.separated == ()


def test_too_few_of_the_rarer_outcome_are_told(connection: sqlite3.Connection, audit: Path) -> None:
    fit = regress(connection, audit, RegressOptions()).fits[0].fit
    rarer, predictors = min(fit.positive, fit.n - fit.positive), len(fit.terms) - 1
    words = f"The rarer outcome occurs {rarer} times for {predictors} predictors"
    assert rarer < 10 * predictors and any(words in warning for warning in fit.warnings)
    fit = regress(connection, audit, RegressOptions(factors=("arm",), measures=())).fits[0].fit
    assert not any("rarer" in warning for warning in fit.warnings)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"by": ("setting",), "family": "arm:long"}, "takes only a part of the series m-high"),
        ({"family": "arm:lng"}, "takes no series. Did you mean arm:long?"),
        ({"measures": ()}, "no measure to test"),
        ({"measures": ("depth",)}, "auditor measure"),
        ({"by": ("tag",)}, "several values"),
    ],
)
def test_series_that_cannot_be_meant_are_refused(
    connection: sqlite3.Connection, audit: Path, options: dict[str, Any], words: str
) -> None:
    with pytest.raises(InputError) as caught:
        associate(connection, audit, AssociateOptions(**options))
    assert words in str(caught.value)


# --- commands ------------------------------------------------------------------------------------------------------


def test_regress_prints_writes_and_tells_programs(
    audit: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call = ["regress", str(audit), "--factors", "arm", "--measures", "trace_length"]
    assert main(call) == 0
    assert "log2 trace_length" in capsys.readouterr().out
    assert main([*call, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    (model,) = told["models"]
    assert (model["n"], model["n_clusters"], model["df"], model["rank"]) == (94, 12, 11, 3)
    assert model["references"] == {"arm": "short"} and model["converged"] is True
    assert [one["predictor"] for one in model["terms"]] == ["(constant)", "arm long", "log2 trace_length"]
    assert main([*call, "-o", str(tmp_path / "t.tex")]) == 0
    assert "log2 trace\\_length &" in (tmp_path / "t.tex").read_text(encoding="utf-8")
    for wrong in (["--reference", "arm"], ["--format", "csv", "--json"], ["-o", str(tmp_path / "t.xls")], ["--force"]):
        assert main([*call, *wrong]) == 2


def test_associate_prints_writes_and_tells_programs(
    audit: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call = ["associate", str(audit), "--measures", "peak_state", "--replicates", "100", "--family", "arm:long"]
    assert main(call) == 0
    assert "peak_state" in capsys.readouterr().out
    assert main([*call, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["family"], told["replicates"], len(told["series"])) == ("arm:long", 100, 8)
    assert told["series"][0]["group"] == ["m-high", "one", "short"] and told["series"][0]["p_adjusted"] is None
    for form in ("md", "tex", "csv"):
        assert main([*call, "-o", str(tmp_path / f"t.{form}")]) == 0
    assert len((tmp_path / "t.csv").read_text(encoding="utf-8").splitlines()) == 9


def test_hostile_names_reach_no_terminal_and_no_markup(tmp_path: Path) -> None:
    names = [text for text in HOSTILE.values() if 0 < len(text) < 200 and text.strip()][:8]
    tasks = [task(f"c{n}", source=f"# {n}", oracle="1\n", measures={"trace_length": n + 1}) for n in range(6)]
    replies = [
        response(f"c{n}", setting=name, response=f"{1 + (n + at) % 2}\n")
        for n in range(6)
        for at, name in enumerate(names)
    ]
    load(tmp_path / "a.db", [write_run(tmp_path / "run", tasks, replies)], LoadOptions())
    grade_file(tmp_path / "a.db")
    with closing(open_for_reading(tmp_path / "a.db")) as connection:
        fitted = regress(connection, tmp_path / "a.db", RegressOptions(measures=("trace_length",)))
        tested = associate(connection, tmp_path / "a.db", AssociateOptions(measures=("trace_length",), replicates=100))
    for laid_out in (regression_laid_out(fitted), associations_laid_out(tested)):
        for form in ("md", "tex"):
            text = written(laid_out, form).decode()
            assert "\x1b" not in text and "\u202e" not in text and "<script" not in text
