"""Implementations and probes as items that experts judge: the audit works on them, and no count of answers does."""

from __future__ import annotations

import json
import re
import shlex
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import pytest

from auditor.audit.adjudicate import AdjudicationWish, read_overview
from auditor.audit.grade import grade_file
from auditor.audit.inspect import info, verify
from auditor.audit.load import LoadOptions, load
from auditor.audit.merge import MergeOptions, merge
from auditor.audit.progress import review_progress
from auditor.audit.review import MarkReviewed, QueueWish, ToggleTag, Undo, open_session
from auditor.audit.review_queue import check_review
from auditor.audit.subject_card import subject_card
from auditor.audit.subjects import SubjectsReport, add_subjects
from auditor.audit.tabulate import accuracy
from auditor.audit.transitions import transitions
from auditor.cli.main import main
from auditor.codebook import find_codebook
from auditor.errors import InputError
from auditor.model import SUBJECT
from auditor.store.file import open_for_reading
from auditor.store.selection import matching_responses
from auditor.store.tasks import Outcome, load_task
from tests.runs import task, write_run
from tests.studies.core.toy import STUDY, output_task, probe_task, write_toy

PROBES = "target:subject study:core-probes"
IMPLEMENTATIONS = "target:subject study:core-implementations"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.db"
    load(
        path,
        [write_toy(tmp_path / "run", {("a", 0): {("p", "1"): "8", ("q", "loops", "1"): "9", ("q", "2"): "absent"}})],
        LoadOptions(),
    )
    grade_file(path)
    return path


def read(path: Path) -> closing[sqlite3.Connection]:
    return closing(open_for_reading(path))


def judge(path: Path, who: str, where: str, tags: list[str | None]) -> None:
    """Give the items of a filter a tag each, None for no judgement."""
    with closing(open_session(path, who, QueueWish(where, "import"))) as session:
        session.wait_for_rows(len(tags))
        assert len(session) == len(tags)
        for at, tag in enumerate(tags):
            if tag is not None:
                session.submit(session.queue.ids()[at], ToggleTag(tag))
                session.submit(session.queue.ids()[at], MarkReviewed())


def test_every_implementation_and_probe_becomes_an_item_once(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = add_subjects(file)
    assert (first.implementations, first.probes) == ({Outcome.NEW: 4}, {Outcome.NEW: 6})
    assert first.studies == ("core-implementations", "core-probes")
    again = add_subjects(file)
    assert again.implementations == {Outcome.UNCHANGED: 4} and again.probes == {Outcome.UNCHANGED: 6}
    with read(file) as connection:
        assert len(matching_responses(connection, IMPLEMENTATIONS)) == 4
        (row,) = matching_responses(connection, f"{PROBES} case:p/loops/1 arm:probe/2")
        (task_id,) = connection.execute("SELECT task_id FROM responses WHERE id = ?", (row,)).fetchone()
        probe = load_task(connection, task_id)
        assert (probe.target, probe.oracle, probe.dimensions) == (SUBJECT, 7, ("arithmetic", "logic"))
        rows = matching_responses(connection, f"{IMPLEMENTATIONS} problem:p")
        found = [connection.execute("SELECT task_id FROM responses WHERE id = ?", (one,)).fetchone() for one in rows]
        cards = [subject_card(load_task(connection, one)) for (one,) in found]
    assert subject_card(probe).split("\n")[:4] == [
        "Question: What is x?",
        "Answer:   7 (int)",
        "Dimensions: arithmetic, logic",
        "arithmetic: numbers are calculated, which takes precision",
    ]
    capsys.readouterr()
    assert main(["show", str(file), "core-probes/p%2Floops%2F1/probe%2F2/subject/0"]) == 0
    shown = capsys.readouterr().out
    assert "── to be judged ──\nQuestion: What is x?" in shown and "prediction: nobody was asked" in shown
    # Of the tokens print ( 1 ) both have all, since comments are none.
    told = "Implementation loops of p, style loops\nThe nearest other one is terse (1.00 of their tokens are shared):\n"
    assert cards[0] == f"{told}\nprint(1)  # p terse\n"


def counts(path: Path) -> Iterator[object]:
    """Yield whatever counts answers."""
    with read(path) as connection:
        for options in (
            {},
            {"where": "problem:p"},
            {"cols": ("problem",)},
            {"rows": ("study",)},
            {"cols": ("sample",)},
        ):
            table = accuracy(connection, replicates=100, **options)
            yield [(cell.row, cell.col, cell.correct, cell.completed, cell.planned) for cell in table.cells]
        yield transitions(connection, "arm:output", "arm:probe/1", replicates=100)
        yield connection.execute(
            "SELECT study, arm, setting, status FROM response_overview ORDER BY 1, 2, 3"
        ).fetchall()
    report = grade_file(path)
    yield report.responses, report.graded, report.statuses, report.modes, report.absent_cells
    found = info(path, 10)
    yield found.studies, found.settings, found.absent_cells, found.absent
    for layout in ("core-table1", "core-heatmap", "core-exposure", "core-table2"):
        target = path.with_name("table.csv")
        assert (
            main(["accuracy", str(path), "--layout", layout, "--replicates", "100", "-o", str(target), "--force"]) == 0
        )
        yield target.read_bytes()
    for name in ("responses.jsonl", "report.md"):
        written = path.with_name(name)
        what = ["report", str(path)] if name == "report.md" else ["export", "responses", str(path)]
        assert main([*what, "-o", str(written), "--force"]) == 0
        yield written.read_text(encoding="utf-8")


def test_subjects_count_in_nothing_that_counts_answers(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = list(counts(file))
    add_subjects(file)
    after = list(counts(file))
    assert len(before) == len(after) == 15
    for at, (one, other) in enumerate(zip(before, after, strict=True)):
        assert _without_codebooks(one) == _without_codebooks(other), at
    assert info(file, 0).subjects == 10
    for where in (PROBES, "target:subject"):
        with read(file) as connection, pytest.raises(InputError, match="matches"):
            accuracy(connection, where=where)
    capsys.readouterr()
    assert main(["export", "requests", str(file), "-o", str(file.with_name("requests"))]) == 0
    assert '"core-probes"' not in file.with_name("requests").joinpath("requests.jsonl").read_text(encoding="utf-8")


def test_grading_counts_as_many_as_it_grades(file: Path) -> None:
    add_subjects(file)
    told: list[tuple[str, int, int]] = []
    report = grade_file(file, progress=lambda what, done, total: told.append((what, done, total)))
    assert told[-1][1:] == (report.responses, report.responses)


def test_the_codebook_of_the_answers_is_taken_until_experts_judge(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    open_session(file, "ana", QueueWish("", "import")).close()
    add_subjects(file)
    written = file.with_name("book.yaml")
    capsys.readouterr()
    assert main(["adjudicate", str(file), "--annotator", "ana", "--list"]) == 0
    assert "Codebook execution: nothing reviewed." in capsys.readouterr().out
    assert main(["export", "codebook", str(file), "-o", str(written), "--force"]) == 0
    assert "Note: this is the codebook execution." in capsys.readouterr().err
    assert main(["codebook", "show", str(file)]) == 0
    assert "execution" in capsys.readouterr().out
    judge(file, "ana", PROBES, ["correct", *[None] * 5])
    assert main(["export", "codebook", str(file), "-o", str(written), "--force"]) == 0
    assert "Note: this is the codebook core-probes." in capsys.readouterr().err
    judge(file, "ana", "status:wrong", ["arithmetic", None])
    assert main(["export", "codebook", str(file), "-o", str(written), "--force"]) == 2
    assert "Choose one with --codebook." in capsys.readouterr().err


def _without_codebooks(value: object) -> object:
    """Leave out of a report which codebooks the file holds, and when it was made."""
    if not isinstance(value, str):
        return value
    return [line for line in value.split("\n") if "codebook" not in line.lower() and "made" not in line.lower()]


def test_queues_leave_subjects_out_unless_the_filter_speaks_of_them(file: Path) -> None:
    add_subjects(file)
    with read(file) as connection:
        assert len(matching_responses(connection, "")) == 13
        assert len(matching_responses(connection, "target:subject")) == 10
        assert len(matching_responses(connection, "NOT target:output")) == 10 + 5
        assert len(matching_responses(connection, "", subjects=True)) == 23
        assert not matching_responses(connection, "target:subject status:wrong")
    with pytest.raises(InputError, match="with target:subject it leaves them"):
        open_session(file, "ana", QueueWish("study:core-probes"))
    with closing(open_session(file, "ana", QueueWish(""))) as session:
        session.wait_for_rows(13)
        assert session.codebook.name == "execution" and len(session) == 13
    with closing(open_session(file, "ana", QueueWish(PROBES))) as session:
        assert session.codebook.name == "core-probes"


def test_judgements_are_marks_like_any_others(file: Path, tmp_path: Path) -> None:
    add_subjects(file)
    judge(file, "ana", PROBES, ["correct", "trivial", "correct", "correct", "correct", "trivial"])
    judge(file, "ben", PROBES, ["correct", "trivial", "correct", "correct", "trivial", "trivial"])
    with closing(open_session(file, "ana", QueueWish(PROBES, "import"))) as session:
        first = session.queue.ids()[0]
        session.submit(first, ToggleTag("other"))
        session.submit(first, Undo())
        assert list(session.item(0).review.tags) == ["correct"]
    assert all(not check.problems for check in verify(file))
    judge(file, "ana", IMPLEMENTATIONS, ["valid", "style-variant", "valid", "duplicate-logic"])
    other = tmp_path / "b.db"
    load(other, [tmp_path / "run"], LoadOptions())
    add_subjects(other)
    judge(other, "cem", PROBES, ["correct"] * 6)
    merge(file, [other], MergeOptions())
    assert all(not check.problems for check in verify(file))


def test_agreement_adjudication_and_taxonomy_work_on_subjects(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    add_subjects(file)
    # Of six probes, three a problem, five are judged alike: of `trivial` both have two, one has a third.
    judge(file, "ana", PROBES, ["correct", "trivial", "correct", "correct", "correct", "trivial"])
    judge(file, "ben", PROBES, ["correct", "trivial", "correct", "correct", "trivial", "trivial"])
    found = ["agreement", str(file), "--codebook", "core-probes", "--tag", "trivial", "--statistic", "cohen_kappa"]
    capsys.readouterr()
    assert main([*found, "--json"]) == 0
    (kappa,) = (one for one in json.loads(capsys.readouterr().out)["coefficients"] if one["scope"] == "pair")
    # Observed 5/6, expected (2/6)(3/6) + (4/6)(3/6) = 1/2, so that kappa is (5/6 - 1/2) / (1/2).
    assert kappa["value"] == pytest.approx(2 / 3) and (kappa["n_items"], kappa["n_clusters"]) == (6, 2)
    assert len(read_overview(file, AdjudicationWish(codebook="core-probes"))[1]) == 1
    for name in ("taxonomy.md", "tags.csv"):
        what = name.partition(".")[0]
        assert main(["export", what, str(file), "-o", str(tmp_path / name)]) == 0
        assert "trivial" in (tmp_path / name).read_text(encoding="utf-8")
    shared = ["--codebook", "core-implementations", "--where", IMPLEMENTATIONS, "--overlap", "2"]
    assert main(["assign", str(file), "--annotators", "ana,ben,cem", *shared]) == 0
    wish = QueueWish("", assigned=True, codebook="core-implementations")
    sizes = []
    for who in ("ana", "ben", "cem"):
        try:
            with closing(open_session(file, who, wish)) as session:
                sizes.append(len(session))
        except InputError:
            sizes.append(0)
    assert sum(sizes) == 8


def test_a_run_with_subjects_is_written_and_read_again(file: Path, tmp_path: Path) -> None:
    add_subjects(file)
    assert main(["export", "run", str(file), "-o", str(tmp_path / "out")]) == 0
    load(tmp_path / "b.db", [tmp_path / "out"], LoadOptions())
    assert info(tmp_path / "b.db", 0).subjects == 10
    grade_file(tmp_path / "b.db")
    assert info(tmp_path / "b.db", 0).absent_cells == info(file, 0).absent_cells == 1
    assert add_subjects(tmp_path / "b.db").probes == {Outcome.UNCHANGED: 6}


def test_what_changed_is_told_and_taken_only_when_asked(file: Path, tmp_path: Path) -> None:
    add_subjects(file)
    judge(file, "ana", PROBES, ["correct"] * 6)
    changed = probe_task("p", "1", ["state"]) | {"oracle": 7}
    load(file, [write_run(tmp_path / "new", [changed], studies={"core": STUDY})], LoadOptions(replace=True))
    report = add_subjects(file)
    assert report.conflicts == ("core-probes/p%2Floops%2F1/probe%2F1",) and report.probes[Outcome.CONFLICT] == 1
    assert main(["subjects", str(file)]) == 1
    assert add_subjects(file, replace_changed=True).probes[Outcome.REPLACED] == 1
    assert main(["subjects", str(file), "--json"]) == 0
    assert all(not check.problems for check in verify(file))


def test_what_cannot_be_judged_says_why(tmp_path: Path, file: Path) -> None:
    load(tmp_path / "plain.db", [write_run(tmp_path / "plain", [task()])], LoadOptions())
    with pytest.raises(InputError, match="no task here is an output or a probe of a problem"):
        add_subjects(tmp_path / "plain.db")
    taken = output_task("p", "loops", "1", "core-probes") | {"problem": None}
    load(file, [write_run(tmp_path / "taken", [taken], studies={"core-probes": STUDY})], LoadOptions())
    with pytest.raises(InputError, match="'core-probes' is declared already"):
        add_subjects(file)
    assert info(file, 0).subjects == 0


def test_outputs_alone_or_another_language_are_judged_too(tmp_path: Path) -> None:
    tasks = [output_task("p", one, "1") | {"language": "cpp", "source": f"int {one}() {{}}"} for one in ("x", "y")]
    load(tmp_path / "a.db", [write_run(tmp_path / "run", tasks, studies={"core": STUDY})], LoadOptions())
    report: SubjectsReport = add_subjects(tmp_path / "a.db")
    assert report.probes == {} and report.implementations.total() == 2
    with closing(open_session(tmp_path / "a.db", "ana", QueueWish("target:subject"))) as session:
        assert "no other implementation to compare" in subject_card(session.item(0).task)
    with pytest.raises(InputError, match="this file holds no replies yet, only programs and probes that people judge"):
        open_session(tmp_path / "a.db", "ana", QueueWish("status:wrong"))


def test_the_walk_through_runs_as_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "core-verification.md").read_text(encoding="utf-8")
    blocks = re.findall(r"<!-- walk -->\n\n((?:    .*\n)+)", page)
    monkeypatch.chdir(tmp_path)
    path = Path("audit.db")
    load(path, [write_toy(tmp_path / "run", {("a", 0): {}}, problems="pqrst")], LoadOptions())
    seen = 0
    for block in blocks:
        for line in block.splitlines():
            _, verb, *arguments = shlex.split(line)
            if verb == "review":
                named = dict(pairwise(arguments))
                wish = QueueWish("", "import", assigned=True, codebook=named["--codebook"])
                for who in ("ana", "ben", "cem", "dia", "eva"):
                    seen += check_review(path, who, wish)
                    with closing(open_session(path, who, wish)) as session:
                        for at in range(len(session)):
                            tag = find_codebook(named["--codebook"]).tags[at % (2 if who == "ana" else 3)].id
                            session.submit(session.item(at).response_id, ToggleTag(tag))
                            session.submit(session.item(at).response_id, MarkReviewed())
                assert main([verb, *arguments]) == 2 and "needs a terminal" in capsys.readouterr().err
            elif verb == "adjudicate":
                assert main([verb, *arguments]) == 2 and "terminal" in capsys.readouterr().err
            else:
                assert main([verb, *arguments]) == 0, line
    assert seen == 2 * (5 * 2 + 5 * 3) and path.with_name("verified.csv").stat().st_size
    # Neither codebook counts what is judged under the other one.
    told = review_progress(path, "target:subject")
    assert [(one.codebook, one.reviews, one.items) for one in told.items] == [
        ("core-implementations", 2, 10),
        ("core-probes", 2, 15),
    ]
    assert (told.left_out, review_progress(path).left_out, review_progress(path).items) == (0, 25, [])
    for book in ("core-implementations", "core-probes"):
        assert [tag.id for tag in find_codebook(book).tags if f"| `{tag.id}` |" not in page] == []
