"""Accuracy tables and transitions on small files whose numbers are worked out by hand, and against slow counting."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from auditor.analysis import wilson_interval
from auditor.audit.accuracy_layout import accuracy_laid_out
from auditor.audit.grade import grade_file
from auditor.audit.load import LoadOptions, load
from auditor.audit.outcomes import Question
from auditor.audit.regress import RegressOptions, regress
from auditor.audit.tabulate import AccuracyCell, accuracy
from auditor.audit.transition_layout import transitions_laid_out
from auditor.audit.transitions import transitions
from auditor.cli.main import main
from auditor.errors import InputError
from auditor.store.file import open_file, open_for_reading
from tests.builders import ARMS, SETTINGS, make_audit
from tests.runs import response, task, write_run
from tests.tui.agreement_audit import Said, agreed_audit

Answers = dict[tuple[str, str, str], str | None]
"""Replies by case, arm and setting: `right`, `wrong`, or None for a recorded non-response."""


def audit(folder: Path, tasks: list[dict[str, Any]], answers: Answers, settings: Any = (), samples: int = 1) -> Path:
    """Make a graded audit file."""
    lines = [
        response(case, arm, setting, response=None if given is None else "1\n" if given == "right" else "2\n")
        for (case, arm, setting), given in answers.items()
    ]
    run = write_run(folder / "run", tasks, lines, settings, studies={"s": f"samples = {samples}"})
    load(folder / "a.db", [run], LoadOptions())
    grade_file(folder / "a.db")
    return folder / "a.db"


def own(case: str, arm: str = "a", **more: Any) -> dict[str, Any]:
    """Return a task whose source is its case's own, so that the case is a cluster; the right answer is 1."""
    return task(case, arm, source=f"# {case}\nprint(1)\n", oracle="1\n", **more)


def open_audit(folder: Path, *given: Any, **more: Any) -> sqlite3.Connection:
    return open_file(audit(folder, *given, **more))


def only(cells: list[AccuracyCell]) -> AccuracyCell:
    (cell,) = cells
    return cell


def test_a_non_response_is_left_out_of_completed_and_wrong_in_planned(tmp_path: Path) -> None:
    given: Answers = {("c1", "a", "m"): "right", ("c2", "a", "m"): "wrong", ("c3", "a", "m"): None}
    with closing(open_audit(tmp_path, [own("c1"), own("c2"), own("c3")], given)) as connection:
        cell = only(accuracy(connection).cells)
    assert (cell.correct, cell.completed, cell.planned, cell.clusters) == (1, 2, 3, 3)
    assert (cell.completed_accuracy.value, cell.planned_accuracy.value) == (1 / 2, 1 / 3)


def test_a_planned_cell_without_a_row_counts_like_a_non_response(tmp_path: Path) -> None:
    given: Answers = {("c1", "a", "m"): "right"}
    with closing(open_audit(tmp_path, [own("c1"), own("c2")], given, [{"setting": "silent"}])) as connection:
        cells = {cell.row[0]: cell for cell in accuracy(connection).cells}
        assert (cells["m"].correct, cells["m"].completed, cells["m"].planned) == (1, 1, 2)
        silent = cells["silent"]
        assert (silent.completed, silent.planned, silent.planned_accuracy.value) == (0, 2, 0.0)
        assert silent.completed_accuracy.value is None
        assert silent.completed_accuracy.reason == "It is undefined: no response was completed."
        assert [cell.planned for cell in accuracy(connection, where="sample:0").cells] == [2, 2]
        # Whatever speaks of responses leaves out the cells that have none.
        assert only(accuracy(connection, where="finish:stop OR case:c1 OR status:correct").cells).planned == 1


def test_replies_from_a_single_cluster_make_no_interval(tmp_path: Path) -> None:
    given: Answers = {("c1", "a", "m"): "right", ("c2", "a", "m"): None, ("c3", "a", "m"): None}
    with closing(open_audit(tmp_path, [own("c1"), own("c2"), own("c3")], given, samples=2)) as connection:
        cell = only(accuracy(connection).cells)
        assert cell.completed_accuracy.ci is None and "one cluster" in (cell.completed_accuracy.reason or "")
        assert cell.planned_accuracy.ci is not None
        connection.execute("UPDATE responses SET reply = 'x' WHERE id = 2")
        connection.execute("UPDATE grades SET status = 'wrong-valid' WHERE response_id = 2")
        rate = only(accuracy(connection).cells).completed_accuracy
        assert rate.ci == pytest.approx((0, 1))
        undefined = rate.replicates_undefined
        assert undefined is not None and undefined / 10_000 == pytest.approx(1 / 27, abs=0.01)


def test_samples_that_were_declared_but_never_came_are_planned(tmp_path: Path) -> None:
    with closing(open_audit(tmp_path, [own("c1")], {("c1", "a", "m"): "right"}, samples=3)) as connection:
        cell = only(accuracy(connection).cells)
    assert (cell.completed, cell.planned) == (1, 3)
    assert cell.planned_accuracy.ci is None and "one cluster" in (cell.planned_accuracy.reason or "")


def test_single_rows_a_cluster_have_wilsons_interval(tmp_path: Path) -> None:
    given: Answers = {(f"c{n}", "a", "m"): "right" if n < 7 else "wrong" for n in range(10)}
    with closing(open_audit(tmp_path, [own(f"c{n}") for n in range(10)], given)) as connection:
        cell = only(accuracy(connection).cells)
    assert cell.ci_method == "wilson"
    expected = wilson_interval(7, 10)
    assert cell.completed_accuracy.ci == (expected.low, expected.high)


def test_rows_that_share_a_program_are_resampled_together(tmp_path: Path) -> None:
    tasks = [own(f"c{n}", arm) for n in range(10) for arm in "ab"]
    given: Answers = {(f"c{n}", arm, "m"): "right" if n < 5 else "wrong" for n in range(10) for arm in "ab"}
    with closing(open_audit(tmp_path, tasks, given)) as connection:
        together = only(accuracy(connection, cols=()).cells)
        again = only(accuracy(connection, cols=()).cells)
        other_seed = only(accuracy(connection, cols=(), seed=1).cells)
        apart = only(accuracy(connection, cols=(), where="arm:a").cells)
    assert together.ci_method == "cluster-bootstrap-percentile" and together.clusters == 10
    assert together == again and together.completed_accuracy.value == other_seed.completed_accuracy.value
    # Twice the rows tell no more than the ten programs do.
    assert together.completed_accuracy.ci is not None and apart.completed_accuracy.ci is not None
    low, high = together.completed_accuracy.ci
    assert high - low > 0.9 * (apart.completed_accuracy.ci[1] - apart.completed_accuracy.ci[0])


def test_replies_without_a_grade_make_the_rate_undefined(tmp_path: Path) -> None:
    given: Answers = {("c1", "a", "m"): "right", ("c2", "a", "m"): "right"}
    with closing(open_audit(tmp_path, [own("c1"), own("c2")], given)) as connection:
        connection.execute("DELETE FROM grades WHERE response_id = 1")
        cell = only(accuracy(connection).cells)
    assert cell.completed_accuracy.value is None and cell.planned_accuracy.value is None and cell.ci_method is None
    assert cell.completed_accuracy.reason == "It is undefined: 1 of 2 replies is not graded."


def test_tables_have_any_dimensions_in_the_order_of_import(tmp_path: Path) -> None:
    tasks = [own("c2", facets={"split": "z"}), own("c1", facets={"split": "b"}), own("c3")]
    given: Answers = {(case, "a", setting): "right" for case in ("c1", "c2", "c3") for setting in ("n", "m")}
    with closing(open_audit(tmp_path, tasks, given)) as connection:
        table = accuracy(connection, rows=("split", "setting"), cols=("status",))
        assert table.rows[:2] == [("z", "n"), ("z", "m")] and (None, "m") in table.rows
        assert table.cols == [("correct-valid",)]
        with pytest.raises(InputError, match="several values"):
            accuracy(connection, rows=("tag",))
        with pytest.raises(InputError, match="no dimension"):
            accuracy(connection, cols=("nonsense",))


def test_a_filter_that_leaves_nothing_is_refused_with_the_nearest_value(tmp_path: Path) -> None:
    tasks = [own(f"c{n}", facets={"hard": n > 1, "kind": ("graph", "text")[n % 2]}) for n in (1, 2)]
    with closing(open_audit(tmp_path, tasks, {("c1", "a", "m"): "right"})) as connection:
        for where, hint in (
            ("kind:grpah", "Did you mean kind:graph?"),
            ("hard:tru", "Did you mean hard:true?"),
            ("setting:zz", "There is no setting 'zz'; there are: m."),
            ("tag:nope", "There is no tag 'nope'; there are: none."),
            ("NOT kind:graph kind=xyz", "There is no kind 'xyz'"),
            ("kind:graph case:c1", ""),
        ):
            with pytest.raises(InputError, match=r"no response and no planned cell matches") as caught:
                accuracy(connection, where=where)
            assert hint in str(caught.value) and (hint or caught.value.hint is None)
        assert accuracy(connection, where="hard:True").rows == accuracy(connection, where="hard:true").rows != []


def test_numbers_are_sorted_and_names_stay_in_the_order_of_import_whatever_is_left(tmp_path: Path) -> None:
    sizes = {"c1": 10, "c2": 9, "c3": 100}
    tasks = [
        task(case, arm, source="x = 1\n" * size, oracle="1\n", facets={"size": size, "word": f"w{size}"})
        for case, size in sizes.items()
        for arm in ("z", "a")
    ]
    given: Answers = {("c3", "a", "m"): "right", ("c1", "z", "n"): "wrong", ("c2", "z", "m"): "right"}
    settings = [{"setting": "n"}, {"setting": "m"}]
    with closing(open_audit(tmp_path, tasks, given, settings)) as connection:
        assert accuracy(connection, rows=("loc",)).rows == [(9,), (10,), (100,)]
        assert accuracy(connection, rows=("size",)).rows == [(9,), (10,), (100,)]
        assert accuracy(connection, rows=("word",)).rows == [("w10",), ("w9",), ("w100",)]
        table = accuracy(connection, where="status:correct")
        assert (table.rows, table.cols) == ([("m",)], [("z",), ("a",)])
        table = accuracy(connection, where="case:c3 OR arm:z")
        assert (table.rows, table.cols) == ([("n",), ("m",)], [("z",), ("a",)])


def test_cells_are_in_the_order_of_rows_and_columns(tmp_path: Path) -> None:
    tasks = [own(f"c{n}", "ba"[n % 2], measures={"steps": (7 * n) % 12}) for n in range(12)]
    with closing(open_audit(tmp_path, tasks, {(f"c{n}", "ba"[n % 2], "m"): "right" for n in range(12)})) as connection:
        table = accuracy(connection, rows=("steps",), bins=4, replicates=100)
    assert [row[0] for row in table.rows] == ["0..2", "3..5", "6..8", "9..11"]
    wanted = [(row, col) for row in table.rows for col in table.cols]
    assert [(cell.row, cell.col) for cell in table.cells] == wanted


def test_filtering_by_outcome_is_noted(tmp_path: Path) -> None:
    with closing(open_audit(tmp_path, [own("c1")], {("c1", "a", "m"): "wrong"})) as connection:
        assert "(status)" in (accuracy(connection, where="status:wrong").note or "")
        assert accuracy(connection, where="arm:a").note is None


# --- other outcomes, sessions, differences -------------------------------------------------------------------------


def test_another_outcome_has_the_same_denominators(tmp_path: Path) -> None:
    given: Answers = {("c1", "a", "m"): "right", ("c2", "a", "m"): "wrong", ("c3", "a", "m"): None}
    with closing(open_audit(tmp_path, [own("c1"), own("c2"), own("c3"), own("c4")], given)) as connection:
        table = accuracy(connection, question=Question("mode.computed:off_by_one"))
        cell = only(table.cells)
        assert (cell.correct, cell.completed, cell.planned, table.outcome) == (1, 2, 4, "mode.computed:off_by_one")
        assert (cell.completed_accuracy.value, cell.planned_accuracy.value) == (1 / 2, 1 / 4)
        for more in ({"policy": "bytes"}, {"pass_at": 2}):
            with pytest.raises(InputError, match="--outcome goes with neither"):
                accuracy(connection, question=Question("status:wrong"), **more)
        connection.execute("DELETE FROM grades")
        with pytest.raises(InputError, match="not graded"):
            accuracy(connection, question=Question("mode.computed:off_by_one"))
        assert only(accuracy(connection, question=Question("finish:stop")).cells).correct == 0


def test_a_tag_is_tabulated_for_each_reader_out_of_what_they_reviewed(tmp_path: Path) -> None:
    said: Said = {"ana": lambda item: ("copying",) if item % 2 else None, "ben": lambda item: ("other",)}
    path = agreed_audit(tmp_path / "a.db", said, cases=6)
    with closing(open_for_reading(path)) as connection:
        table = accuracy(connection, cols=(), question=Question("tag:copying"))
        found = {cell.row: (cell.correct, cell.completed, cell.planned) for cell in table.cells}
        assert found == {("ana", "model-a"): (6, 6, 12), ("ben", "model-a"): (0, 12, 12)}
        assert table.readers == ("ana", "ben") and "Tags of ana: on 6 of 12" in (table.note or "")
        laid_out = accuracy_laid_out(table, ("setting",), ())
        assert laid_out.tables[0].columns == ["annotator", "setting", "tag:copying"]
        assert laid_out.tables[0].rows == [["ana", "model-a", "100.0 n=6"], ["ben", "model-a", "0.0 n=12"]]
        assert "Percent with the outcome tag:copying of reviewed responses" in laid_out.notes[-1]
        assert laid_out.records[0]["annotator"] == "ana"


def test_pairs_are_compared_by_another_outcome_of_one_reader(tmp_path: Path) -> None:
    # Items alternate between the arms of a case: ana says copying of each second long one, ben of all, once of both.
    said: Said = {
        "ana": lambda item: ("copying",) if item % 4 == 1 else None if item == 2 else (),
        "ben": lambda item: ("copying",) if item % 2 or item == 0 else (),
    }
    path = agreed_audit(tmp_path / "a.db", said, cases=8)
    sides = ("arm:output", "arm:state")
    with closing(open_for_reading(path)) as connection:
        found = transitions(connection, *sides, question=Question("tag:copying", annotators=("ana",)))
        assert (found.pairs, found.unpaired, found.outcome) == (7, 1, "tag:copying")
        assert (found.correct_to_wrong, found.wrong_to_correct, found.both_wrong) == (0, 4, 3)
        assert found.difference == pytest.approx(-400 / 7)
        assert found.notes[0] == "--from: Tags of ana: on 7 of 8 completed responses."
        laid_out = transitions_laid_out(found, *sides)
        assert laid_out.tables[0].rows == [["from: with", "0", "0"], ["from: without", "4", "3"]]
        by_ben = transitions(connection, *sides, question=Question("tag:copying", annotators=("ben",)))
        assert (by_ben.pairs, by_ben.both_correct, by_ben.wrong_to_correct) == (8, 1, 7)
        with pytest.raises(InputError, match=r"several read the tags \(ana, ben, final\)"):
            transitions(connection, *sides, question=Question("tag:copying"))
        errors = transitions(connection, *sides, question=Question("status:wrong"))
        assert (errors.both_correct, errors.notes) == (transitions(connection, *sides).both_wrong, ())


def sessions(folder: Path, replies: dict[tuple[str, str], str]) -> Path:
    """Make a file of three sessions a task: 1 right, 0 wrong, - without a reply, a blank not there at all."""
    lines = [
        response(case, "a", setting, sample=sample, response={"1": "1\n", "0": "2\n", "-": None}[one])
        for (case, setting), marks in replies.items()
        for sample, one in enumerate(marks)
        if one != " "
    ]
    tasks = [own(case) for case in dict.fromkeys(case for case, _ in replies)]
    run = write_run(folder / "run", tasks, lines, studies={"s": "samples = 3"})
    load(folder / "a.db", [run], LoadOptions())
    grade_file(folder / "a.db")
    return folder / "a.db"


def test_more_sessions_than_there_are_is_a_sentence_and_no_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sessions(tmp_path, {("c1", "m"): "100"})
    assert main(["accuracy", str(tmp_path / "a.db"), "--pass-at", "4"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("It is undefined: no task has 4 sessions.") and "n=0" not in shown
    assert main(["accuracy", str(tmp_path / "a.db"), "--pass-at", "3"]) == 0
    assert "n=1" in capsys.readouterr().out


def test_pass_at_k_is_the_mean_over_tasks_without_bias(tmp_path: Path) -> None:
    path = sessions(tmp_path, {("c1", "m"): "100", ("c2", "m"): "11-", ("c3", "m"): "0- ", ("c4", "m"): "111"})
    with closing(open_for_reading(path)) as connection:
        cell = only(accuracy(connection, pass_at=2).cells)
        # Completed: 2/3, 1, too few, 1; planned, a missing one wrong: 2/3, 1, 0, 1.
        assert (cell.correct, cell.completed, cell.planned, cell.is_mean) == (6, 3, 4, True)
        assert cell.completed_accuracy.value == pytest.approx((2 / 3 + 2) / 3)
        assert cell.planned_accuracy.value == pytest.approx((2 / 3 + 2) / 4)
        assert cell.ci_method == "cluster-bootstrap-percentile"
        table = accuracy(connection, pass_at=2)
        assert accuracy_laid_out(table, ("setting",), ("arm",)).tables[0].rows[0][1].startswith("88.9/66.7 [")
        once, usual = accuracy(connection, pass_at=1, where="case:c1,c4"), accuracy(connection, where="case:c1,c4")
        assert only(once.cells).completed_accuracy.value == only(usual.cells).completed_accuracy.value
        never = only(accuracy(connection, pass_at=4).cells).completed_accuracy
        assert never.value is None and never.reason == "It is undefined: no task has 4 sessions."


def test_differences_are_resampled_together_and_adjusted_over_the_table(tmp_path: Path) -> None:
    draw = random.Random(5)
    tasks = [own(f"c{n}", arm) for n in range(25) for arm in "abc"]
    chance = {"a": 0.9, "b": 0.4, "c": 0.8}
    given: Answers = {
        (f"c{n}", arm, "m"): "right" if draw.random() < chance[arm] else "wrong"
        for n in range(25)
        for arm in "abc"
        if n > 1 or arm != "b"
    }
    with closing(open_audit(tmp_path, tasks, given)) as connection:
        table = accuracy(connection, against="a", replicates=400, seed=9)
        paired = transitions(connection, "arm:c", "arm:a", replicates=400, seed=9)
        with pytest.raises(InputError, match=r"there is no column 'd' to compare with. Columns: a, b, c"):
            accuracy(connection, against="d", replicates=100)
        with pytest.raises(InputError, match="there is one column"):
            accuracy(connection, cols=(), against="a", replicates=100)
        never = accuracy(connection, rows=("arm",), against="a", replicates=100)
        nothing = accuracy_laid_out(never, ("arm",), ("arm",))
        assert len(nothing.tables) == 1 and any("There is no difference: no row has both" in n for n in nothing.notes)
    assert table.against == ("a",) and [one.col for one in table.differences] == [("b",), ("c",)]
    few = accuracy_laid_out(table, ("setting",), ("arm",)).notes
    assert not any("fewer than 20 clusters" in note for note in few)
    b, c = table.differences
    # Where both sides are complete it is the paired difference.
    assert c.value is not None and 100 * c.value == pytest.approx(paired.difference)
    assert c.ci is not None and [100 * end for end in c.ci] == pytest.approx([paired.ci_low, paired.ci_high])
    by_hash = sorted(range(25), key=lambda n: sha256(own(f"c{n}")["source"].encode()).hexdigest())
    marks = {arm: [given.get((f"c{n}", arm, "m")) for n in by_hash] for arm in "ab"}
    drawn = []
    for chosen in np.random.default_rng(9).integers(0, 25, (400, 25)):
        rates = []
        for arm in "ba":
            own_marks = [marks[arm][n] for n in chosen if marks[arm][n] is not None]
            rates.append(own_marks.count("right") / len(own_marks))
        drawn.append(rates[0] - rates[1])
    assert b.ci == pytest.approx(tuple(np.quantile(drawn, [0.025, 0.975])))
    aside = min(sum(one <= 0 for one in drawn), sum(one >= 0 for one in drawn))
    assert b.p == pytest.approx(2 * (1 + aside) / 401)
    assert b.adjusted == pytest.approx(min(2 * (b.p or 0), max(b.p or 0, c.p or 0)))
    shown = accuracy_laid_out(table, ("setting",), ("arm",))
    assert shown.tables[1].title == "Differences to a, in points" and len(shown.tables[1].rows[0]) == 3


def test_differences_that_cannot_vary_have_no_p(tmp_path: Path) -> None:
    given: Answers = {(f"c{n}", arm, "m"): "right" for n in range(4) for arm in "ab"}
    with closing(open_audit(tmp_path, [own(f"c{n}", arm) for n in range(4) for arm in "ab"], given)) as connection:
        table = accuracy(connection, against="a", replicates=100)
        (found,) = table.differences
        assert found.reason in accuracy_laid_out(table, ("setting",), ("arm",)).notes
        assert (found.value, found.ci, found.p, found.adjusted) == (0, None, None, None)
        assert "every replicate gives the same" in (found.reason or "")


# --- transitions ---------------------------------------------------------------------------------------------------

PAIRS: Answers = {
    ("c1", "a", "m"): "right",
    ("c1", "b", "m"): "wrong",
    ("c2", "a", "m"): "wrong",
    ("c2", "b", "m"): "right",
    ("c3", "a", "m"): "right",
    ("c3", "b", "m"): "right",
    ("c4", "a", "m"): "right",
    ("c4", "b", "m"): "wrong",
    ("c5", "a", "m"): None,
    ("c5", "b", "m"): "right",
    ("c6", "a", "m"): "right",
}


@pytest.fixture
def pairs(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """Two arms of six cases under one setting, and one arm under another of the same model."""
    tasks = [own(f"c{n}", arm) for n in range(1, 7) for arm in "ab"]
    more: Answers = {(f"c{n}", "a", "m-off"): "wrong" for n in range(1, 7)}
    settings = [{"setting": name, "model": "M", "mode": mode} for name, mode in (("m", "high"), ("m-off", "off"))]
    with closing(open_audit(tmp_path, tasks, PAIRS | more, settings)) as connection:
        yield connection


def test_two_arms_are_paired_by_case_and_setting(pairs: sqlite3.Connection) -> None:
    found = transitions(pairs, "arm:a setting:m", "arm:b setting:m")
    assert (found.pairs, found.clusters, found.unpaired) == (4, 4, 2)
    assert (found.correct_to_wrong, found.wrong_to_correct, found.both_correct, found.both_wrong) == (2, 1, 1, 0)
    assert found.difference == 25.0
    assert found.ci_low is not None and found.ci_high is not None and found.ci_low <= 25 <= found.ci_high


def test_answers_that_only_running_could_judge_are_told_wherever_verdicts_count(tmp_path: Path) -> None:
    tasks = [own(f"c{n}", arm) | {"oracle": "1"} for n in range(3) for arm in "ab"]
    lines = [
        response(f"c{n}", arm, "m", response="1" if n else "2 - 1" if arm == "a" else "2")
        for n in range(3)
        for arm in "ab"
    ]
    run = write_run(tmp_path / "run", tasks, lines, studies={"s": 'policy = "python-literal"'})
    load(tmp_path / "a.db", [run], LoadOptions())
    grade_file(tmp_path / "a.db")
    told = "1 answer is no literal and counts as wrong until evaluated."
    with closing(open_file(tmp_path / "a.db")) as connection:
        notes = transitions(connection, "arm:a", "arm:b", replicates=100).notes
        assert [note.startswith(f"--from: {told}") for note in notes] == [True]
        tagged = Question("mode.computed:one_element")
        assert len(transitions(connection, "arm:a", "arm:b", question=tagged).notes) == 1
        plain = Question("arm:a")
        assert transitions(connection, "case:c0", "case:c1", question=plain).notes == ()
        fitted = regress(connection, tmp_path / "a.db", RegressOptions(factors=("arm",), measures=()))
        assert fitted.notes[0] == told


def test_a_difference_that_rounds_to_0_has_no_minus(pairs: sqlite3.Connection) -> None:
    found = replace(transitions(pairs, "arm:a", "arm:b", "setting:m", replicates=100), difference=-0.004, ci_low=-0.001)
    told = transitions_laid_out(found, "arm:a", "arm:b").notes
    assert any("Difference, from minus to: +0.00 points" in note and "[0.00, " in note for note in told)


@pytest.mark.parametrize(
    ("one", "other"),
    [("setting:m", "setting:m-off"), ("mode:high", "mode:off"), ("mode:high model:M", "mode:off model:M")],
)
def test_two_settings_are_paired_by_task(pairs: sqlite3.Connection, one: str, other: str) -> None:
    found = transitions(pairs, one, other, "arm:a")
    assert (found.pairs, found.correct_to_wrong, found.both_wrong) == (5, 4, 1)
    assert found.difference == 80.0


def test_what_stands_in_both_filters_fixes_nothing(pairs: sqlite3.Connection) -> None:
    found = transitions(pairs, "arm:a lines<9 setting:m", "arm:b lines<9 setting:m")
    assert (found.pairs, found.difference) == (4, 25.0)


def test_cases_can_be_the_sides_of_a_pair(pairs: sqlite3.Connection) -> None:
    found = transitions(pairs, "case:c1", "case:c2", "setting:m")
    assert (found.pairs, found.correct_to_wrong, found.wrong_to_correct) == (2, 1, 1)


@pytest.mark.parametrize(
    ("one", "other", "where", "sentence"),
    [
        ("arm:a", "mode:off", "", "several responses for one pair"),
        ("arm:a,b", "arm:a,b setting:m", "", "several responses for one pair"),
        ("arm:a", "arm:a", "", "same filter"),
        ("", "arm:a", "", "each need a filter"),
        ("arm:a", "arm:zzz", "", "--to arm:zzz matches no response"),
        ("arm:a", "arm:b", "nonsense:1", "no dimension"),
    ],
)
def test_sides_that_make_no_pairs_are_refused(
    pairs: sqlite3.Connection, one: str, other: str, where: str, sentence: str
) -> None:
    with pytest.raises(InputError, match=sentence):
        transitions(pairs, one, other, where)


def test_a_reply_without_a_grade_is_refused(pairs: sqlite3.Connection) -> None:
    pairs.execute("DELETE FROM grades WHERE response_id = 1")
    with pytest.raises(InputError, match="1 reply is not graded"):
        transitions(pairs, "arm:a", "arm:b")


def test_sides_without_a_common_pair_are_undefined_with_a_reason(pairs: sqlite3.Connection) -> None:
    found = transitions(pairs, "arm:a", "arm:b", "(case:c6 setting:m) OR (case:c1 arm:b)")
    assert (found.pairs, found.difference, found.ci_low) == (0, None, None)
    assert found.reason == (
        "Nothing was paired: the two replies of a pair agree in study, case, sample and setting,"
        " and the sides have no case in common."
    )


def test_sides_that_differ_in_more_than_is_named_are_told_in_what(tmp_path: Path) -> None:
    settings = [{"setting": "m", "model": "A", "mode": "x"}, {"setting": "n", "model": "B", "mode": "y"}]
    given: Answers = {("c1", "a", "m"): "right", ("c1", "a", "n"): "wrong"}
    with closing(open_audit(tmp_path, [own("c1")], given, settings)) as connection:
        found = transitions(connection, "mode:x", "mode:y")
        assert found.pairs == 0 and found.reason == (
            "Nothing was paired: the two replies of a pair agree in study, case, arm, sample, model and prompting, and"
            " the sides have no model in common. To compare across model, name it in both --from and --to with"
            " different values (such as model:A)."
        )
        assert transitions(connection, "mode:x model:A", "mode:y model:B").pairs == 1


def test_sessions_of_a_case_are_counted_by_how_many_are_right(tmp_path: Path) -> None:
    replies = {("c1", "m"): "000", ("c1", "n"): "100", ("c2", "m"): "110", ("c2", "n"): "11-", ("c3", "m"): "000"}
    sessions(tmp_path, replies)
    with closing(open_for_reading(tmp_path / "a.db")) as connection:
        found = transitions(connection, "setting:m", "setting:n")
        assert found.sessions == ((0, 3, 1, 3, 1), (2, 3, 2, 2, 1))
        assert (found.pairs, found.correct_to_wrong, found.wrong_to_correct) == (5, 0, 1)
        laid_out = transitions_laid_out(found, "setting:m", "setting:n")
        assert laid_out.tables[1].rows == [["0 of 3", "1 of 3", "1"], ["2 of 3", "2 of 2", "1"]]
        whole = transitions(connection, "setting:m case:c1", "setting:n case:c1")
        crossed = transitions_laid_out(whole, "setting:m case:c1", "setting:n case:c1").tables[1]
        assert crossed.columns == ("", "to: 0 of 3", "1", "2", "3")
        assert crossed.rows[0] == ["from: 0 of 3", "0", "1", "0", "0"] and crossed.rows[3][0] == "from: 3 of 3"
        assert transitions(connection, "setting:m sample:0", "setting:n sample:0").sessions == ()
        assert transitions(connection, "setting:m", "setting:n", "sample:0").sessions == ()


# --- against counting by hand --------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_tables_agree_with_counting_one_by_one(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    tasks = [task(f"c{n}", arm, source=f"# {n // 2}\n", oracle="1\n") for n in range(6) for arm in "ab"]
    given: Answers = {
        (f"c{n}", arm, setting): draw.choice(["right", "wrong", None])
        for n in range(6)
        for arm in "ab"
        for setting in "mn"
        if draw.random() < 0.8
    }
    with closing(open_audit(tmp_path, tasks, given, [{"setting": "m"}, {"setting": "n"}])) as connection:
        table = accuracy(connection, replicates=100)
        found = {(c.row[0], c.col[0]): (c.correct, c.completed, c.planned) for c in table.cells}
        change = transitions(connection, "arm:a", "arm:b", replicates=100)
    for setting in "mn":
        for arm in "ab":
            mine = [reply for (_, a, s), reply in given.items() if (a, s) == (arm, setting)]
            counts = (mine.count("right"), sum(reply is not None for reply in mine), 6)
            assert found[setting, arm] == counts
    both = [
        (given[f"c{n}", "a", s], given[f"c{n}", "b", s])
        for n in range(6)
        for s in "mn"
        if given.get((f"c{n}", "a", s)) and given.get((f"c{n}", "b", s))
    ]
    assert change.pairs == len(both)
    assert change.correct_to_wrong == both.count(("right", "wrong"))
    assert change.wrong_to_correct == both.count(("wrong", "right"))
    assert change.both_wrong == both.count(("wrong", "wrong"))


@pytest.mark.parametrize(("reply", "word"), [("wrong", "wrong"), ("right", "right")])
def test_where_all_are_right_or_all_wrong_a_bootstrap_gives_no_interval(tmp_path: Path, reply: str, word: str) -> None:
    replies = {(case, arm, setting): reply for case in range(4) for arm in ARMS for setting in SETTINGS}
    path = make_audit(tmp_path / "a.db", replies=replies)
    with closing(open_for_reading(path)) as connection:
        cell, *_ = accuracy(connection, rows=("setting",), cols=()).cells
    assert cell.completed_accuracy.value == (reply == "right")
    assert (cell.completed_accuracy.ci, cell.planned_accuracy.ci, cell.ci_method) == (None, None, None)
    assert f"all replies are {word}" in (cell.completed_accuracy.reason or "")


def test_intervals_from_few_clusters_are_said_to_be_too_narrow(pairs: sqlite3.Connection) -> None:
    found = transitions(pairs, "arm:a setting:m", "arm:b setting:m")
    notes = transitions_laid_out(found, "arm:a", "arm:b").notes
    assert "Only 4 clusters: a percentile interval from fewer than 20 is too narrow on average." in notes
    table = accuracy(pairs, cols=(), where="setting:m")
    notes = accuracy_laid_out(table, ("setting",), ()).notes
    assert any(note.startswith("1 interval of fewer than 20 clusters (the least: 6)") for note in notes)
