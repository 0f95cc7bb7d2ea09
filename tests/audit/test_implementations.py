"""The implementations of an item's problem: order, figures, answers, the item behind each, blind; the command."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from auditor.audit.asked_probe import NEAREST
from auditor.audit.grade import grade_file
from auditor.audit.implementation_words import answer_words, fact_words, renamed_words, row_words
from auditor.audit.implementations import Implementations, compare, find_implementations, similarity
from auditor.audit.load import LoadOptions, load
from auditor.audit.related_items import RelatedItems
from auditor.audit.subjects import add_subjects
from auditor.cli.main import main
from auditor.errors import InputError
from auditor.store.file import open_for_reading
from auditor.store.problem_rows import problem_tasks
from auditor.store.problem_strip import Repetition
from auditor.store.related import response_key
from auditor.store.tasks import load_task
from auditor.text import has_invisible
from tests.runs import response, task, write_run
from tests.tui.core_audit import SOURCES, core_audit, hostile_core_audit


@pytest.fixture(scope="module")
def audit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = core_audit(tmp_path_factory.mktemp("core"))
    add_subjects(path)
    return path


@pytest.fixture
def related(audit: Path) -> Iterator[RelatedItems]:
    with closing(RelatedItems(audit)) as opened:
        yield opened


def item(audit: Path, case: str, arm: str = "output", setting: str = "hasty", sample: int = 0) -> int:
    with closing(open_for_reading(audit)) as connection:
        for (row,) in connection.execute("SELECT id FROM responses WHERE superseded_at IS NULL ORDER BY id"):
            key = response_key(connection, row)
            if (key.case, key.arm, key.setting, key.sample) == (case, arm, setting, sample):
                return int(row)
    raise LookupError(f"there is no {case}/{arm}/{setting}/{sample}")


def key_of(audit: Path, response_id: int | None) -> str:
    assert response_id is not None
    with closing(open_for_reading(audit)) as connection:
        key = response_key(connection, response_id)
        return f"{key.study} {key.case} {key.arm} {key.setting} {key.sample}"


def answers(found: Implementations) -> dict[str, str]:
    return {one.name: answer_words(one, found.test) for one in (found.own, *found.others)}


def test_the_nearest_comes_first_with_the_builders_figure(audit: Path, related: RelatedItems) -> None:
    found = related.implementations(item(audit, "longest-run/loops/t03"))
    assert (found.problem, found.test, found.own.name, found.own.source) == (
        "longest-run",
        "t03",
        "loops",
        SOURCES["loops"],
    )
    assert (found.order, [one.name for one in found.others]) == ("nearest first", ["while-index", "functional"])
    figures = [similarity(found.own, one) for one in found.others]
    assert figures == sorted(figures, key=lambda one: -(one or 0))
    with closing(open_for_reading(audit)) as connection:
        tasks = [load_task(connection, row) for (row,) in connection.execute("SELECT id FROM tasks")]
        assert len(problem_tasks(connection)) == 14
    (loops,) = (one for one in tasks if one.arm == "implementation" and one.implementation == "loops")
    nearest = loops.extra[NEAREST]
    assert isinstance(nearest, dict) and nearest["implementation"] == "while-index"
    assert nearest["jaccard"] == figures[0] == compare(found.own, found.others[0]).similarity


def test_answers_are_those_of_the_items_setting_and_sample(audit: Path, related: RelatedItems) -> None:
    found = related.implementations(item(audit, "longest-run/loops/t03"))
    assert (found.setting, found.sample, found.why_no_answers) == ("hasty", 0, "")
    assert answers(found) == {
        "loops": "outputs: 4 right · t03: ✓ right",
        "while-index": "outputs: 3 right, 1 wrong · t03: ✗ wrong",
        "functional": "outputs: 3 right, 1 wrong · t03: ✓ right",
    }
    assert key_of(audit, found.others[0].response_id) == "core longest-run/while-index/t03 output hasty 0"
    found = related.implementations(item(audit, "longest-run/loops/t03", "probe/p1", sample=1))
    assert answers(found)["functional"] == "outputs: 3 right, 1 no reply · t03: ✓ right"
    assert key_of(audit, found.others[1].response_id) == "core longest-run/functional/t03 output hasty 1"
    other = Repetition(next(one.setting for one in _repetitions(related, audit) if one.name == "careful"), "careful", 0)
    found = related.implementations(item(audit, "longest-run/loops/t03"), other)
    assert (found.setting, answers(found)["while-index"]) == ("careful", "outputs: 4 right · t03: ✓ right")
    assert key_of(audit, found.others[0].response_id) == "core longest-run/while-index/t03 output careful 0"


def _repetitions(related: RelatedItems, audit: Path) -> list[Repetition]:
    return [*related.consistency(item(audit, "longest-run/loops/t03")).repetitions]


def test_subjects_have_no_answers_and_lead_to_subjects(audit: Path, related: RelatedItems) -> None:
    found = related.implementations(item(audit, "longest-run/loops", "implementation", "subject"))
    assert [one.name for one in found.others] == ["while-index", "functional"] and set(answers(found).values()) == {""}
    assert found.why_no_answers.startswith("Nobody was asked") and found.setting == ""
    assert key_of(audit, found.others[0].response_id) == (
        "core-implementations longest-run/while-index implementation subject 0"
    )
    probe = related.implementations(item(audit, "longest-run/loops/t03", "probe/p1", "subject"))
    assert probe.own.name == "loops" and [one.response_id for one in probe.others] == [None, None]


def test_a_blind_review_is_told_programs_only(audit: Path) -> None:
    with closing(open_for_reading(audit)) as connection:
        found = find_implementations(connection, item(audit, "longest-run/loops/t03"), blind=True)
        assert set(answers(found).values()) == {""} and found.setting == "" and "blind" in found.why_no_answers
        assert {(one.style, one.cyclomatic, one.response_id) for one in (found.own, *found.others)} == {(None,) * 3}
        subject = item(audit, "longest-run/loops", "implementation", "subject")
        assert find_implementations(connection, subject, blind=True).others[0].response_id is not None


def test_tasks_are_found_by_indexes(audit: Path) -> None:
    with closing(open_for_reading(audit)) as connection:
        said: list[str] = []
        connection.set_trace_callback(said.append)
        find_implementations(connection, item(audit, "longest-run/loops/t03"))
        connection.set_trace_callback(None)
        plans = [row[3] for sql in said for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}")]
    assert {plan.split()[1] for plan in plans if plan.startswith("SCAN")} <= {"studies", "settings", "CONSTANT"}


def made(folder: Path, tasks: list[dict[str, Any]]) -> Path:
    study = 'cluster = "problem"\npolicy = "python-literal"\nenvelope = "none"'
    replies = [response(str(one["case"]), str(one["arm"]), response="1") for one in tasks]
    load(folder / "a.db", [write_run(folder / "run", tasks, replies, studies={"s": study})], LoadOptions())
    grade_file(folder / "a.db")
    return folder / "a.db"


def test_facts_other_languages_and_long_problems(tmp_path: Path) -> None:
    about: dict[str, Any] = {"problem": "p", "test": "t", "oracle": "1"}
    tasks = [
        task("a", **about, implementation="a", source="x = 1\n", measures={"cyclomatic": 3}, facets={"style": "plain"}),
        task("b", **about, implementation="b", source="int x = 1;\n", language="cpp"),
        task("c", **about, implementation="c", source="y = 1\n"),
        task("d", **about, source='"""'),
        task("e", **about, implementation="e", source="z = 1\n" * 60_000) | {"problem": "q"},
        task("f", **about, implementation="f", source="z = 2\n") | {"problem": "q"},
    ]
    audit = made(tmp_path, tasks)
    with closing(open_for_reading(audit)) as connection:
        found = find_implementations(connection, item(audit, "a", setting="m"))
        assert fact_words(found.own) == "style plain · cyclomatic 3 · 1 line · 3 tokens"
        assert [fact_words(one) for one in found.others] == ["1 line · 3 tokens", "1 line", "1 line"]
        assert [one.name for one in found.others][:2] == ["c", "b"] and found.others[2].name.isdigit()
        assert similarity(found.own, found.others[1]) is None
        sides = compare(found.own, found.others[0]).sides
        assert (row_words(sides), renamed_words(sides)) == ("1 ≈", "renamed: x → y")
        found = find_implementations(connection, item(audit, "e", setting="m"))
        assert found.order == "in the order of the file" and found.own.lines == 60_000


def test_two_outputs_for_one_place_cost_only_the_answers(tmp_path: Path) -> None:
    about: dict[str, Any] = {"problem": "p", "test": "t", "oracle": "1"}
    tasks = [task(case, **about, implementation=name) for case, name in (("a", "a"), ("b", "a"), ("c", "c"))]
    audit = made(tmp_path, tasks)
    with closing(open_for_reading(audit)) as connection:
        found = find_implementations(connection, item(audit, "a", setting="m"))
    assert "It cannot be told what was answered: s / " in found.why_no_answers
    assert [one.name for one in found.others] == ["c"]


ITEM = "core/longest-run%2Floops%2Ft03/output/hasty/0"


def test_the_command(audit: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert main(["show", str(audit), ITEM, "--side-by-side"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("longest-run · hasty · sample 0\n< loops · 9 lines · ")
    assert "> while-index · 9 lines · 24 tokens · outputs: 3 right, 1 wrong · t03: ✗ wrong\n" in out
    assert "1 1 = def longest(values):\n" in out and "9 9 =     return best\n" in out
    assert out.endswith("Others with --with, nearest first: functional\n")
    monkeypatch.setattr("auditor.cli.side_by_side.terminal_width", lambda: 120)
    assert main(["show", str(audit), ITEM, "--side-by-side", "--with", "functional"]) == 0
    out = capsys.readouterr().out
    rows = out.split("\n\n")[1].splitlines()
    assert rows[1].split() == [">", "2"] and " =  4 def longest(values):" in rows[3]
    assert max(map(len, rows)) <= 120


def test_the_command_for_programs(audit: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(audit), ITEM, "--side-by-side", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["left"], found["right"], found["order"]) == ("loops", "while-index", "nearest first")
    own, nearest, _ = found["implementations"]
    assert own["similarity"] is None and nearest["similarity"] == found["similarity"]
    assert (nearest["outputs"], nearest["on_test"]) == ({"right": 3, "wrong": 1}, "wrong")
    assert found["rows"][0] == {"kind": "equal", "left": 1, "right": 1, "left_parts": [], "right_parts": []}
    lefts = [row["left"] for row in found["rows"] if row["left"]]
    assert lefts == [*range(1, 10)] and found["reason"] is None


def test_what_the_command_cannot_do(audit: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(audit), ITEM, "--side-by-side", "--with", "none"]) == 2
    assert "The others are: while-index, functional." in capsys.readouterr().err
    assert main(["show", str(audit), ITEM, "--with", "none"]) == 2
    assert "--side-by-side" in capsys.readouterr().err
    alone = made(tmp_path, [task("a", problem="p", implementation="i", test="t", oracle="1"), task("b", oracle="1")])
    assert main(["show", str(alone), "s/a/output/m/0", "--side-by-side"]) == 0
    assert "The problem p has only this implementation in the file." in capsys.readouterr().out
    assert main(["show", str(alone), "s/a/output/m/0", "--side-by-side", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["rows"] is None and found["right"] is None and "no other implementation" in found["reason"]
    assert main(["show", str(alone), "s/b/output/m/0", "--side-by-side"]) == 2
    assert "about no problem" in capsys.readouterr().err
    with closing(RelatedItems(alone)) as related, pytest.raises(InputError, match="about no problem"):
        related.implementations(item(alone, "b", setting="m"))


def test_hostile_texts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    audit = hostile_core_audit(tmp_path)
    add_subjects(audit)
    with closing(open_for_reading(audit)) as connection:
        ids = [row for (row,) in connection.execute("SELECT id FROM responses ORDER BY id")]
        found = find_implementations(connection, ids[0])
        assert len(found.others) == len({one.name for one in found.others}) > 40
        for one in found.others:
            compare(found.own, one)
            compare(one, found.own)
        keys = [str(response_key(connection, one)) for one in ids[:: len(ids) // 8]]
    for key in keys:
        assert main(["show", str(audit), key, "--side-by-side"]) == 0
        assert not has_invisible(capsys.readouterr().out.replace("\n", ""))
        assert main(["show", str(audit), key, "--side-by-side", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["rows"]
