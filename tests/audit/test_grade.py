"""Grading a file: the published grid to the digit, CRUXEval's own verdicts, comparison of policies, reasons."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from auditor.audit.accuracy_layout import percent
from auditor.audit.grade import grade_file
from auditor.audit.inspect import item_keys
from auditor.audit.load import LoadOptions, load
from auditor.audit.tabulate import AccuracyCell, AccuracyTable, accuracy
from auditor.audit.transitions import Transitions, transitions
from auditor.errors import AuditFileError, InputError
from auditor.model import Status
from auditor.store.file import open_for_reading
from auditor.store.selection import matching_responses
from tests.runs import response, task, write_paper_grid, write_run

ARMS = ("short-trace-final", "long-trace-final", "inside-loop-state", "post-loop-state")
BY_ARM = """
gpt-5.6-sol-high         93.0/93.0 77.0/77.0 65.5/65.5 63.5/63.5
gpt-5.6-sol-off          46.2/46.2 32.9/32.5 7.8/7.5   12.6/11.8
glm-5.3-high             87.2/87.2 64.5/64.5 36.2/36.2 33.2/33.2
deepseek-v4-pro-0813-high 91.5/91.5 71.0/71.0 52.8/52.8 39.8/39.8
deepseek-v4-pro-0813-off 19.2/19.2 14.5/14.5 0.2/0.2   0.5/0.5
qwen3.8-27b-high         82.0/82.0 44.2/44.2 16.5/16.5 14.5/14.5
qwen3.8-27b-off          12.2/12.2 13.0/13.0 0.0/0.0   0.0/0.0
"""
"""The paper's Table 3: completed / planned accuracy in percent, by arm."""
STUDIES = ("lcb_python", "lcb_cpp", "classic", "codecontests", "networkx")
BY_STUDY = """
gpt-5.6-sol-high         80.7/80.7 75.7/75.7 82.5/82.5 81.8/81.8 5.0/5.0
gpt-5.6-sol-off          29.8/28.6 22.5/22.1 20.0/20.0 15.1/14.8 0.0/0.0
glm-5.3-high             60.0/60.0 60.0/60.0 56.7/56.7 61.4/61.4 0.0/0.0
deepseek-v4-pro-0813-high 65.9/65.9 72.9/72.9 83.3/83.3 81.8/81.8 0.0/0.0
deepseek-v4-pro-0813-off 10.2/10.2 5.0/5.0   8.3/8.3   6.8/6.8   0.0/0.0
qwen3.8-27b-high         43.4/43.4 44.3/44.3 30.0/30.0 46.5/45.5 0.0/0.0
qwen3.8-27b-off          7.4/7.4   4.3/4.3   3.3/3.3   8.0/8.0   0.0/0.0
"""
"""Its Table 5, both halves: by study."""
BY_SETTING = """
deepseek-v4-pro-0813-high 1600 133 63.8 63.8
deepseek-v4-pro-0813-off 1600 154 8.6 8.6
glm-5.3-high             1600 396 55.3 55.3
gpt-5.6-sol-high         1600 18  74.8 74.8
gpt-5.6-sol-off          1553 55  25.2 24.5
qwen3.8-27b-high         1598 429 39.4 39.3
qwen3.8-27b-off          1600 46  6.3  6.3
"""
"""Its Table 4: completed, invalid envelopes, completed and planned accuracy."""
SHORT, LONG = "arm:short-trace-final", "arm:long-trace-final"


@pytest.fixture(scope="module")
def grid(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the graded audit file of the published grid."""
    folder = tmp_path_factory.mktemp("grid")
    file = folder / "grid.db"
    load(file, [write_paper_grid(shared, folder / "run")], LoadOptions())
    grade_file(file)
    return file


@pytest.fixture
def connection(grid: Path) -> Iterator[sqlite3.Connection]:
    with closing(open_for_reading(grid)) as found:
        yield found


def printed(table: str) -> dict[str, list[str]]:
    return {line.split()[0]: line.split()[1:] for line in table.strip().splitlines()}


def shown(table: AccuracyTable, cols: tuple[str, ...]) -> dict[str, list[str]]:
    """Return both accuracies as the paper prints them."""
    cells = {(cell.row[0], cell.col[0]): cell for cell in table.cells}
    found = {}
    for (row,) in table.rows:
        found[row] = ["/".join(both_rates(cells[row, col])) for col in cols]
    return found


def both_rates(cell: AccuracyCell) -> list[str]:
    rates = (cell.completed_accuracy, cell.planned_accuracy)
    assert [r.value for r in rates] == [cell.correct / cell.completed, cell.correct / cell.planned]
    return [percent(cell.correct, total) for total in (cell.completed, cell.planned)]


def test_the_published_counts_come_out(grid: Path) -> None:
    report = grade_file(grid)
    assert (report.responses, report.graded, report.absent_cells) == (11_200, 11_200, 0)
    assert report.statuses == {
        "correct-valid": 4_085,
        "correct-invalid": 276,
        "wrong-valid": 5_835,
        "wrong-invalid": 955,
        "no-response": 49,
    }
    assert report.modes["correct"] == 4_361 and report.modes["no_response"] == 49
    assert report.modes["formatting_only"] == 5 and report.modes["empty"] == 5
    assert sum(report.modes.values()) == sum(report.extractions.values()) == 11_200


def test_accuracy_by_arm_is_the_published_one_to_the_digit(connection: sqlite3.Connection) -> None:
    table = accuracy(connection, rows=("setting",), cols=("arm",), replicates=200)
    assert {cell.planned for cell in table.cells} == {400}
    assert shown(table, ARMS) == printed(BY_ARM)


def test_accuracy_by_study_is_the_published_one_to_the_digit(connection: sqlite3.Connection) -> None:
    table = accuracy(connection, rows=("setting",), cols=("study",), replicates=200)
    planned = {cell.col[0]: cell.planned for cell in table.cells}
    assert planned == dict(zip(STUDIES, (1_132, 140, 120, 88, 120), strict=True))
    assert shown(table, STUDIES) == printed(BY_STUDY)
    networkx = [cell for cell in table.cells if cell.col == ("networkx",)]
    assert all(cell.clusters == 1 and cell.completed_accuracy.ci is None for cell in networkx)
    assert all("one cluster" in (cell.completed_accuracy.reason or "") for cell in networkx)


def test_envelopes_by_setting_are_the_published_ones(connection: sqlite3.Connection) -> None:
    table = accuracy(connection, rows=("setting",), cols=(), replicates=200)
    sql = (
        "SELECT g.name, count(*) FROM responses r JOIN settings g ON g.id = r.setting_id"
        " JOIN grades d ON d.response_id = r.id WHERE d.status LIKE '%-invalid' GROUP BY g.name"
    )
    invalid = dict(connection.execute(sql))
    found = {}
    for cell in table.cells:
        name = str(cell.row[0])
        found[name] = [str(cell.completed), str(invalid[name]), *both_rates(cell)]
    assert found == printed(BY_SETTING)
    assert sum(cell.completed for cell in table.cells) == 11_151


@pytest.mark.parametrize(
    ("where", "pairs", "clusters", "down", "up", "difference", "published"),
    [
        ("language:python", 2397, 314, 528, 147, "15.89", (12.12, 20.10)),
        ("language:python mode:high", 1372, 314, 339, 26, "22.81", (18.02, 27.92)),
        ("language:python NOT study:networkx", 2187, 313, None, None, "17.33", (13.95, 20.81)),
        ("language:python NOT study:networkx mode:high", 1252, 313, None, None, "24.84", (20.93, 28.83)),
    ],
)
def test_paired_transitions_are_the_published_ones(
    connection: sqlite3.Connection,
    where: str,
    pairs: int,
    clusters: int,
    down: int | None,
    up: int | None,
    difference: str,
    published: tuple[float, float],
) -> None:
    found = transitions(connection, SHORT, LONG, where)
    assert (found.pairs, found.clusters, f"{found.difference:.2f}") == (pairs, clusters, difference)
    assert down is None or (found.correct_to_wrong, found.wrong_to_correct) == (down, up)
    # Where the errors lie is made up in this grid, so the interval is only near the published one.
    assert found.ci_low is not None and found.ci_high is not None and found.difference is not None
    assert published[0] - 3 < found.ci_low < found.difference < found.ci_high < published[1] + 3
    assert found.replicates == 10_000


def test_transitions_back_and_forth_are_opposite(connection: sqlite3.Connection) -> None:
    def figures(found: Transitions) -> tuple[int, int, int, int, float]:
        assert found.difference is not None
        return found.pairs, found.correct_to_wrong, found.wrong_to_correct, found.unpaired, found.difference

    there = figures(transitions(connection, SHORT, LONG, "language:python", replicates=200))
    back = figures(transitions(connection, LONG, SHORT, "language:python", replicates=200))
    assert back == (there[0], there[2], there[1], there[3], -there[4])


def test_comparing_with_bytes_changes_nothing_and_names_every_flip(grid: Path) -> None:
    with closing(sqlite3.connect(grid)) as plain:
        before = plain.execute("SELECT * FROM grades ORDER BY response_id").fetchall()
    report = grade_file(grid, compare="bytes")
    with closing(sqlite3.connect(grid)) as plain:
        assert plain.execute("SELECT * FROM grades ORDER BY response_id").fetchall() == before
    assert report.compared == 11_151
    assert report.flips and all(flip.was_correct for flip in report.flips)
    assert "networkx" not in {flip.key.study for flip in report.flips}
    # Twelve answers in valid envelopes are equal only as JSON: token by token they are not.
    tokens = grade_file(grid, compare="int-alpha-tokens")
    assert {flip.key.study for flip in tokens.flips} <= {"lcb_python", "lcb_cpp", "classic", "networkx"}
    spaces = Counter(flip.was_correct for flip in tokens.flips if flip.key.study == "networkx")
    assert spaces == {False: 5}


# --- CRUXEval ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_cruxeval_verdicts_are_the_logged_ones_but_for_one(shared: Path, tmp_path: Path) -> None:
    file, folder = tmp_path / "c.db", shared / "data" / "cruxeval"
    load(file, [folder / "cruxeval.jsonl", *sorted((folder / "runs").glob("*_output.json"))], LoadOptions())
    report = grade_file(file)
    assert (report.responses, report.graded, len(report.non_literal)) == (32_000, 32_000, 1_123)
    assert len(item_keys(file, report.non_literal)) == 1_123
    with closing(sqlite3.connect(file)) as connection:
        sql = (
            "SELECT response_id, extra, status FROM responses r JOIN grades ON response_id = r.id WHERE NOT non_literal"
        )
        literal = connection.execute(sql).fetchall()
    assert len(literal) == 30_877
    other = [row for row, extra, status in literal if json.loads(extra)["logged_correct"] != Status(status).is_correct]
    assert item_keys(file, other) == ["cruxeval/sample_664/output/gpt-4-0613+cot_temp0.2/3"]
    assert (report.logged, report.logged_non_literal, report.logged_differs) == (30_877, 1_123, other)


def test_logged_verdicts_are_compared_where_there_are_any(tmp_path: Path) -> None:
    answers = [
        response(response="1", logged_correct=True),
        response(sample=1, response="2", logged_correct=True),
        response(sample=2, response="1", logged_correct=False),
        response(sample=3, response="[x]", logged_correct=True),
        response(sample=4, response=None, logged_correct=False),
        response(sample=5, response="1", logged_correct="yes"),
        response(sample=6, response="1", note="logged_correct"),
    ]
    file = tmp_path / "a.db"
    run = write_run(tmp_path / "run", [task(oracle="1")], answers, studies={"s": 'policy = "python-literal"'})
    load(file, [run], LoadOptions())
    report = grade_file(file)
    assert (report.logged, report.logged_non_literal) == (3, 1)
    with closing(open_for_reading(file)) as connection:
        assert matching_responses(connection, "non_literal:true") == report.non_literal
        assert len(matching_responses(connection, "non_literal:false")) == report.graded - 1
    assert item_keys(file, report.logged_differs) == ["s/c1/output/m/1", "s/c1/output/m/2"]


# --- what cannot be graded -----------------------------------------------------------------------------------------


def graded(tmp_path: Path, tasks: list[object], answers: list[object], lines: str = "") -> Path:
    file = tmp_path / "a.db"
    load(file, [write_run(tmp_path / "run", tasks, answers, studies={"s": lines})], LoadOptions())  # type: ignore[arg-type]  # lists of records
    return file


def test_a_reply_that_only_execution_can_judge_stays_ungraded_with_the_reason(tmp_path: Path) -> None:
    tasks: list[object] = [task(), task("c2", "input", target="input")]
    file = graded(tmp_path, tasks, [response(), response("c2", "input"), response("c2", "input", "n", response=None)])
    report = grade_file(file)
    assert (report.responses, report.graded) == (3, 2)
    assert report.ungraded == {"the policy call-equals needs execution (--execute)": 1}
    assert report.statuses == {"correct-valid": 1, "no-response": 1}


def test_a_reply_to_an_unknown_oracle_stays_ungraded_with_the_reason(tmp_path: Path) -> None:
    file = graded(tmp_path, [task(oracle=None)], [response(), response(setting="n", response=None)])
    report = grade_file(file)
    assert report.ungraded == {"the case text and its oracle are not in the file": 1}
    assert report.statuses == {"no-response": 1}


def test_a_probe_whose_answer_is_null_is_graded(tmp_path: Path) -> None:
    probes = [task("c1", target="probe", oracle=None), task("c2", target="probe", oracle=None), task("c3", oracle=None)]
    replies = [response("c1", response="null"), response("c2", response="0"), response("c3")]
    load(tmp_path / "a.db", [write_run(tmp_path / "run", probes, replies)], LoadOptions())
    report = grade_file(tmp_path / "a.db")
    assert report.statuses == {"correct-valid": 1, "wrong-valid": 1}
    assert report.ungraded == {"the case text and its oracle are not in the file": 1}


def test_a_grade_goes_when_the_response_can_no_longer_be_graded(tmp_path: Path) -> None:
    file = graded(tmp_path, [task()], [response()])
    grade_file(file)
    load(file, [write_run(tmp_path / "b", [task(oracle=None)])], LoadOptions(replace=True))
    assert grade_file(file).graded == 0
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("SELECT count(*) FROM grades").fetchone() == (0,)


def test_another_policy_can_be_taken_for_all(tmp_path: Path) -> None:
    file = graded(tmp_path, [task(oracle="1 2\n")], [response(response="1, 2")], 'policy = "bytes"')
    assert grade_file(file).statuses == {"wrong-valid": 1}
    assert grade_file(file, policy="int-alpha-tokens").statuses == {"correct-valid": 1}
    with pytest.raises(InputError, match="no policy 'nonsense'"):
        grade_file(file, policy="nonsense")
    with pytest.raises(InputError, match="needs execution"):
        grade_file(file, compare="call-equals")


def test_the_studys_policy_judges_no_verdicts(tmp_path: Path) -> None:
    oracle = {"verdict": "success"}
    verdict = task(target="verdict", oracle=oracle)
    reply = response(response="<ans>##success##</ans>")
    file = graded(tmp_path, [verdict], [reply], 'policy = "bytes"\nenvelope = "ans-tags"')
    assert grade_file(file).statuses == {"correct-valid": 1}


def test_a_file_without_responses_says_so(tmp_path: Path) -> None:
    with pytest.raises(AuditFileError, match="holds no responses yet"):
        grade_file(graded(tmp_path, [task()], []))
