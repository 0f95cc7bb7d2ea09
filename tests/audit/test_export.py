"""Exports: exact, complete or not there, and round trips byte for byte."""

from __future__ import annotations

import io
import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from auditor.audit.codebooks import named_codebook
from auditor.audit.export import ExportOptions, write_export
from auditor.audit.grade import grade_file
from auditor.audit.load import LoadOptions, load
from auditor.audit.tags import TagImportOptions, import_tags, put_tags
from auditor.codebook import find_codebook, load_codebook
from auditor.errors import AuditorError, InputError
from auditor.formats.csv_table import read_csv
from auditor.formats.records import Planned, RunInfo
from auditor.formats.run_writer import write_run_directory
from auditor.model import AnnotatorKind, Response, ResponseKey, Setting, Study, Task
from auditor.store.annotators import ensure_annotator, find_annotator, find_codebook_in_file
from auditor.store.cells import count_absent_cells
from auditor.store.codebook_revisions import ensure_codebook
from auditor.store.file import open_file, open_for_reading, transaction
from auditor.store.history import Actor, act, uuid7
from auditor.store.responses import find_response
from auditor.store.reviews import Defer, Intent, SetNote, ToggleTag, Undo
from auditor.store.runs import planned_cells
from auditor.text import from_json_line
from tests.audit.hostile_run import SETTINGS, STUDY, TEXTS, hostile_audit
from tests.builders import make_audit


@pytest.fixture
def audit(tmp_path: Path) -> Path:
    return make_audit(tmp_path / "a.db")


def key(case: int, arm: str = "output", setting: str = "model-a") -> str:
    return f"demo/case-{case}/{arm}/{setting}/0"


def left(folder: Path) -> list[str]:
    """List what stands beside the audit file."""
    return sorted(path.name for path in folder.iterdir() if not path.name.startswith("a.db"))


def lines(path: Path) -> list[Any]:
    return [from_json_line(line) for line in path.read_bytes().split(b"\n")[:-1]]


def folder_bytes(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def tag_hostile_items(audit: Path) -> None:
    """Let annotators of odd names work on odd items: tags, notes, states of every kind, something undone."""
    connection = open_file(audit)
    with transaction(connection):
        book = ensure_codebook(connection, named_codebook(connection, "execution"))
        for number, text in enumerate(TEXTS):
            actor = Actor(ensure_annotator(connection, type(text)(f"a{text}")), book)
            item = find_response(connection, ResponseKey(STUDY.name, text, "output", SETTINGS[0].name, 0))
            assert item is not None
            intents: list[Intent] = [SetNote(text), ToggleTag("copying"), ToggleTag("arithmetic")]
            intents += [Defer()] if number % 3 == 0 else [Undo()] if number % 3 == 1 else []
            for step, intent in enumerate(intents):
                at = f"2026-03-0{1 + number % 9}T10:00:{step:02}.{number:03}Z"
                act(connection, actor, item, intent, uuid=uuid7(), at=at)
    connection.close()
    for text in TEXTS[:5]:
        key = str(ResponseKey(STUDY.name, text, "output", SETTINGS[1].name, 0))
        put_tags(audit, "judge", key, [], none=True, kind=AnnotatorKind.MODEL, note=text)


# --- round trips ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", ["csv", "jsonl"])
def test_tags_exported_and_imported_into_a_fresh_file_export_to_the_same_bytes(tmp_path: Path, layout: str) -> None:
    audit = hostile_audit(tmp_path)
    tag_hostile_items(audit)
    first, second = tmp_path / f"first.{layout}", tmp_path / f"second.{layout}"
    rows = write_export(audit, "tags", first).rows
    fresh = hostile_audit(tmp_path, "fresh")
    report = import_tags(fresh, first)
    assert report.refusals == [] and report.rows == rows > len(TEXTS)
    write_export(fresh, "tags", second)
    assert first.read_bytes() == second.read_bytes()


def test_csv_and_json_lines_of_tags_say_the_same(tmp_path: Path) -> None:
    audit = hostile_audit(tmp_path)
    tag_hostile_items(audit)
    write_export(audit, "tags", tmp_path / "t.csv")
    write_export(audit, "tags", tmp_path / "t.jsonl")
    words = {None: "", False: "false", True: "true"}
    texts = [
        {k: words[v] if v is None or isinstance(v, bool) else str(v) for k, v in record.items()}
        for record in lines(tmp_path / "t.jsonl")
    ]
    assert [row.fields for row in read_csv(tmp_path / "t.csv")] == texts


def test_a_run_exported_and_imported_exports_to_the_same_bytes(tmp_path: Path) -> None:
    audit = hostile_audit(tmp_path)
    report = write_export(audit, "run", tmp_path / "second")
    assert report.rows == 2 * len(TEXTS) and report.notes == ()
    assert folder_bytes(tmp_path / "run") == folder_bytes(tmp_path / "second")


def test_several_runs_become_one_that_stays_the_same(tmp_path: Path) -> None:
    first = RunInfo("one", "d", "p", {"pass_at_1": 0.5, "nothing": 1}, {"table": {"x": [1]}})
    for number, run in enumerate((first, RunInfo("two"))):
        task = Task(f"s{number}", "c", "output", "python", "print(1)\n", "", "output", "1\n")
        response = Response(ResponseKey(task.study, "c", "output", f"m{number}", 0), "1")
        folder = tmp_path / run.name
        write_run_directory(folder, run, [Study(task.study)], [task], [Setting(f"m{number}")], [response])
        load(tmp_path / "a.db", [folder], LoadOptions())
    write_export(tmp_path / "a.db", "run", tmp_path / "both")
    load(tmp_path / "b.db", [tmp_path / "both"], LoadOptions())
    write_export(tmp_path / "b.db", "run", tmp_path / "again")
    assert folder_bytes(tmp_path / "both") == folder_bytes(tmp_path / "again")
    text = (tmp_path / "both" / "run.toml").read_text()
    assert all(word in text for word in ('name = "one"', 'provenance = "p"', "pass_at_1 = 0.5", 'name = "two"'))


@pytest.mark.parametrize("samples", [None, 3])
def test_planned_cells_without_a_row_are_the_same_after_a_round_trip(tmp_path: Path, samples: int | None) -> None:
    tasks = [Task("s", "c", arm, "python", "print(1)\n", "", "output", "1\n") for arm in ("x", "y")]
    answers = [Response(ResponseKey("s", "c", "x", "m", sample), "1") for sample in range(2)]
    run = RunInfo("r", outside={"planned": [{"study": "s", "arm": "x", "setting": "m"}]})
    settings = [Setting("m"), Setting("n")]
    write_run_directory(tmp_path / "run", run, [Study("s", samples=samples)], tasks, settings, answers)
    load(tmp_path / "a.db", [tmp_path / "run"], LoadOptions())
    write_export(tmp_path / "a.db", "run", tmp_path / "again")
    load(tmp_path / "b.db", [tmp_path / "again"], LoadOptions())
    write_export(tmp_path / "b.db", "run", tmp_path / "third")
    assert folder_bytes(tmp_path / "again") == folder_bytes(tmp_path / "third")
    for name in ("a.db", "b.db"):
        with closing(open_for_reading(tmp_path / name)) as connection:
            assert planned_cells(connection) == [Planned("s", "x", "m", samples or 2)]
            assert count_absent_cells(connection) == (0 if samples is None else 1)


def test_only_live_rows_are_exported(tmp_path: Path, audit: Path) -> None:
    put_tags(audit, "ana", key(0), ["copying"])
    connection = open_file(audit)
    with transaction(connection):
        connection.execute("UPDATE responses SET superseded_at = 'then' WHERE id = (SELECT response_id FROM reviews)")
    connection.close()
    assert write_export(audit, "responses", tmp_path / "r.jsonl").rows == 15
    assert write_export(audit, "run", tmp_path / "run").rows == 15
    with pytest.raises(InputError, match="no tags"):
        write_export(audit, "tags", tmp_path / "t.csv")


def test_tags_of_a_codebook_of_ones_own_move_to_a_fresh_file(tmp_path: Path, audit: Path) -> None:
    book = tmp_path / "mine.yaml"
    book.write_text("name: loops\ntags:\n  - {id: short, name: 'one:  short', definition: Ends early.}\n")
    put_tags(audit, "ana", key(0), ["short"], codebook=str(book))
    report = write_export(audit, "tags", tmp_path / "t.csv")
    assert "export codebook" in report.notes[0] and "--codebook loops -o loops.yaml" in report.notes[0]
    stream = io.BytesIO()
    for target in (tmp_path / "loops.yaml", stream):
        assert write_export(audit, "codebook", target) == (1, ("this is the codebook loops.",))
    assert (tmp_path / "loops.yaml").read_bytes() == stream.getvalue()
    assert load_codebook(tmp_path / "loops.yaml") == load_codebook(book)
    fresh = make_audit(tmp_path / "fresh.db")
    options = TagImportOptions(codebook=str(tmp_path / "loops.yaml"))
    assert import_tags(fresh, tmp_path / "t.csv", options).refusals == []
    write_export(fresh, "tags", tmp_path / "u.csv")
    assert (tmp_path / "t.csv").read_bytes() == (tmp_path / "u.csv").read_bytes()


def test_one_of_several_codebooks_is_named_and_a_bundled_one_needs_no_word(tmp_path: Path, audit: Path) -> None:
    put_tags(audit, "ana", key(0), ["copying"])
    assert write_export(audit, "tags", tmp_path / "t.csv").notes == ()
    put_tags(audit, "ana", key(1), ["wrong-rule"], codebook="prex")
    with pytest.raises(InputError, match=r"2 codebooks \(execution, prex\)"):
        write_export(audit, "codebook", tmp_path / "c.yaml")
    write_export(audit, "codebook", tmp_path / "c.yaml", ExportOptions(codebook="prex"))
    assert load_codebook(tmp_path / "c.yaml") == find_codebook("prex")


# --- responses -----------------------------------------------------------------------------------------------------


def test_a_line_a_response_with_verdict_evidence_and_facets(tmp_path: Path) -> None:
    audit = make_audit(tmp_path / "a.db", replies={(0, "output", "model-a"): "right", (0, "output", "model-b"): None})
    write_export(audit, "responses", tmp_path / "r.jsonl")
    right, missing = lines(tmp_path / "r.jsonl")[:2]
    assert right == {
        "item": key(0),
        "study": "demo",
        "case": "case-0",
        "arm": "output",
        "setting": "model-a",
        "sample": 0,
        "prediction": "right",
        "status": "correct-valid",
        "correct": True,
        "envelope_valid": True,
        "extraction": "reply",
        "mode": "correct",
        "evidence": "The reply is the oracle.",
        "invalid": None,
        "size": 0,
    }
    assert (missing["status"], missing["correct"], missing["envelope_valid"]) == ("no-response", False, None)
    assert missing["prediction"] is None and missing["mode"] == "no_response"


def test_responses_and_tags_join_on_the_item(tmp_path: Path) -> None:
    audit = hostile_audit(tmp_path)
    tag_hostile_items(audit)
    write_export(audit, "tags", tmp_path / "t.csv")
    write_export(audit, "responses", tmp_path / "r.csv")
    items = [row.fields["item"] for row in read_csv(tmp_path / "r.csv")]
    tagged = {row.fields["item"] for row in read_csv(tmp_path / "t.csv")}
    assert len(set(items)) == 2 * len(TEXTS) and tagged <= set(items) and len(tagged) > len(TEXTS)


def test_facets_whose_names_are_taken_are_told_apart(tmp_path: Path) -> None:
    audit = hostile_audit(tmp_path)
    grade_file(audit)
    write_export(audit, "responses", tmp_path / "r.jsonl")
    write_export(audit, "responses", tmp_path / "r.csv")
    records = lines(tmp_path / "r.jsonl")
    assert len(records) == 2 * len(TEXTS)
    for number, record in enumerate(records):
        text = TEXTS[number % len(TEXTS)]
        setting = SETTINGS[number // len(TEXTS)]
        assert (record["case"], record["text"], record["setting"]) == (text, text, setting.name)
        assert record["facet:mode"] is (number % len(TEXTS) % 2 == 0) and record["measure:status"] == 0.5
        assert record["size"] == number % len(TEXTS) and record["none"] is None
        assert record["odd"] == setting.facets["odd"] and isinstance(record["status"], str)
    table = [row.fields for row in read_csv(tmp_path / "r.csv")]
    assert [row["prediction"] for row in table] == [record["prediction"] or "" for record in records]
    assert table[0]["facet:mode"] == "true" and table[0]["temperature"] == "0.2" and table[-1]["temperature"] == ""


def test_ungraded_responses_have_no_verdict_and_that_is_said(tmp_path: Path) -> None:
    audit = hostile_audit(tmp_path)
    report = write_export(audit, "responses", tmp_path / "r.jsonl")
    assert "not graded" in report.notes[0]
    assert {record["status"] for record in lines(tmp_path / "r.jsonl")} == {None}


def test_a_filter_leaves_out_responses_and_tags(tmp_path: Path, audit: Path) -> None:
    put_tags(audit, "ana", key(0), ["copying"])
    put_tags(audit, "ben", key(1), ["copying"])
    assert write_export(audit, "responses", tmp_path / "r.csv", ExportOptions("arm:output size>=2")).rows == 4
    assert write_export(audit, "tags", tmp_path / "t.csv", ExportOptions("case:case-1")).rows == 1
    assert write_export(audit, "tags", tmp_path / "u.csv", ExportOptions(annotators=("ana",))).rows == 1


# --- taxonomy ------------------------------------------------------------------------------------------------------


@pytest.fixture
def reviewed(audit: Path) -> Path:
    """Two people review cases 0 to 2 of `output`, a model reviews one, one item is begun and one deferred."""
    for case in range(3):
        put_tags(audit, "ana", key(case), ["copying"] if case else ["copying", "other"])
        put_tags(audit, "ben", key(case), ["copying"] if case == 1 else [], none=case != 1)
    put_tags(audit, "ana", key(1, "state"), ["copying"])
    put_tags(audit, "judge", key(0), ["copying"], kind=AnnotatorKind.MODEL)
    connection = open_file(audit)
    with transaction(connection):
        book, ana = find_codebook_in_file(connection, "execution"), find_annotator(connection, "ana")
        assert book is not None and ana is not None
        names = ResponseKey("demo", "case-3", "output", "model-a", 0)
        item = find_response(connection, names) or 0
        act(connection, Actor(ana, book), item, ToggleTag("copying"), uuid=uuid7(), at="2026-03-01T10:00:00.000Z")
    connection.close()
    return audit


def test_a_taxonomy_counts_reviewed_items_clusters_and_agreement(tmp_path: Path, reviewed: Path) -> None:
    write_export(reviewed, "taxonomy", tmp_path / "t.jsonl")
    records = lines(tmp_path / "t.jsonl")
    found = {(record["tag"], record["annotator"]): record for record in records}
    numbers = ("items", "reviewed", "share", "clusters", "agreed", "reviewed_by_several", "kind")

    def of(tag: str, annotator: str) -> tuple[Any, ...]:
        return tuple(found[tag, annotator][name] for name in numbers)

    assert of("copying", "ana") == (4, 4, 1.0, 3, 1, 3, "person")
    assert of("copying", "ben") == (1, 3, 1 / 3, 1, 1, 3, "person")
    assert of("copying", "judge") == (1, 1, 1.0, 1, 0, 0, "model")
    assert of("other", "ana") == (1, 4, 0.25, 1, 0, 3, "person")
    assert of("arithmetic", "ben") == (0, 3, 0.0, 0, 0, 3, "person")
    assert found["copying", "ana"]["exemplar"] == key(1) and found["arithmetic", "ana"]["exemplar"] is None
    assert len(records) == 11 * 3 and all(record["definition"] for record in records)


def test_an_example_is_agreed_on_has_a_note_and_is_small_in_this_order(tmp_path: Path, audit: Path) -> None:
    for name in ("ana", "ben"):
        put_tags(audit, name, key(3), ["other"])
    put_tags(audit, "ana", key(1), ["other"])
    put_tags(audit, "ben", key(1), ["arithmetic"])
    put_tags(audit, "ana", key(0), ["other"])
    put_tags(audit, "ana", key(2), ["arithmetic"], note="a [sum]")

    def examples() -> dict[str, str | None]:
        write_export(audit, "taxonomy", tmp_path / "t.jsonl", ExportOptions(force=True))
        return {record["tag"]: record["exemplar"] for record in lines(tmp_path / "t.jsonl")}

    found = examples()
    assert (found["other"], found["arithmetic"], found["copying"]) == (key(3), key(2), None)
    write_export(audit, "taxonomy", tmp_path / "t.md")
    text = (tmp_path / "t.md").read_text()
    assert "Smallest program on which people agree (4 lines): " in text
    assert "Smallest program with a note (3 lines): " in text and "Note of ana:\n\n```\na [sum]\n```" in text
    put_tags(audit, "ben", key(0), ["other"])
    assert examples()["other"] == key(0), "of those that are agreed on, the smallest"
    put_tags(audit, "ben", key(3), ["other"], note="why")
    assert examples()["other"] == key(3), "a note is worth more than a small program"


def test_a_taxonomy_of_some_annotators_counts_only_them(tmp_path: Path, reviewed: Path) -> None:
    write_export(reviewed, "taxonomy", tmp_path / "t.jsonl", ExportOptions("arm:state", ("ana",)))
    (used,) = [record for record in lines(tmp_path / "t.jsonl") if record["items"]]
    assert (used["tag"], used["reviewed"], used["exemplar"]) == ("copying", 1, key(1, "state"))


def test_a_taxonomy_as_a_document_can_be_read(tmp_path: Path, reviewed: Path) -> None:
    write_export(reviewed, "taxonomy", tmp_path / "t.md")
    text = (tmp_path / "t.md").read_text()
    for part in ("# ", "## copying", "| ana | person | 4 | 4 | 100.0 % | 3 |", f"(1 line): {key(0)}", "print(x)"):
        assert part in text
    for sentence in (
        "judge (model) reviewed 1 item.",
        "3 items were reviewed by at least two people.",
        "Of the 3 items that several people reviewed, 1 was given this tag by all of them.",
        "Of the 3 items that several people reviewed, none was given this tag by all of them.",
    ):
        assert sentence in text
    assert "filter" not in text


def test_a_taxonomy_says_which_items_a_filter_left(tmp_path: Path, reviewed: Path) -> None:
    options = ExportOptions("arm:state", ("ana",))
    for layout in ("md", "csv", "jsonl"):
        write_export(reviewed, "taxonomy", tmp_path / f"t.{layout}", options)
    assert "Only items that this filter leaves: arm:state\n" in (tmp_path / "t.md").read_text()
    assert {record["filter"] for record in lines(tmp_path / "t.jsonl")} == {"arm:state"}
    assert {row.fields["filter"] for row in read_csv(tmp_path / "t.csv")} == {"arm:state"}


def test_nothing_reviewed_is_said_instead_of_an_empty_taxonomy(tmp_path: Path, audit: Path) -> None:
    with pytest.raises(InputError, match="nobody has reviewed anything"):
        write_export(audit, "taxonomy", tmp_path / "t.md")
    assert left(tmp_path) == []


# --- files ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", ["csv", "jsonl", "md"])
@pytest.mark.parametrize("what", ["tags", "responses", "taxonomy"])
def test_hostile_texts_are_exported_in_every_layout_and_markdown_shows_them(
    tmp_path: Path, what: str, layout: str
) -> None:
    audit = hostile_audit(tmp_path)
    grade_file(audit)
    tag_hostile_items(audit)
    target = tmp_path / f"out.{layout}"
    report = write_export(audit, what, target)
    assert report.rows > 0
    if layout == "md":
        text = target.read_text(encoding="utf-8")
        assert not [char for char in text if char != "\n" and (ord(char) < 32 or 127 <= ord(char) < 160)]
        assert what == "taxonomy" or len(text.split("\n")) == report.rows + 3


@pytest.mark.parametrize(
    ("what", "name", "options", "words"),
    [
        ("bundle", "x.zip", ExportOptions(), "a bundle is a folder"),
        ("tag", "x.csv", ExportOptions(), "there is no export 'tag'"),
        ("tags", "x.xlsx", ExportOptions(), "names no format"),
        ("tags", "x", ExportOptions(), "has no extension"),
        ("tags", "none/x.csv", ExportOptions(), "there is no folder"),
        ("tags", "there.csv", ExportOptions(), "it exists already"),
        ("tags", "x.csv", ExportOptions("foo:1"), "no dimension 'foo'"),
        ("tags", "x.csv", ExportOptions(annotators=("cleo",)), "no annotator 'cleo'"),
        ("responses", "x.csv", ExportOptions(annotators=("ana",)), "--annotator does not go with responses"),
        ("responses", "x.csv", ExportOptions("case:none"), "nothing to write"),
        ("run", "x", ExportOptions("case:none"), "--where does not go with a run"),
        ("run", "there", ExportOptions(), "it exists already"),
        ("codebook", "x.csv", ExportOptions(), "a codebook is YAML"),
        ("codebook", "x.yaml", ExportOptions(codebook="/etc/passwd"), "holds no codebook '/etc/passwd'"),
        ("codebook", "x.yaml", ExportOptions("case:none"), "--where does not go with a codebook"),
        ("tags", "x.csv", ExportOptions(codebook="prex"), "--codebook does not go with tags"),
    ],
)
def test_an_export_that_cannot_be_made_leaves_nothing(
    tmp_path: Path, audit: Path, what: str, name: str, options: ExportOptions, words: str
) -> None:
    put_tags(audit, "ana", key(0), ["copying"])
    (tmp_path / "there.csv").write_text("mine")
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "file").write_text("mine")
    before = left(tmp_path)
    with pytest.raises(AuditorError) as caught:
        write_export(audit, what, tmp_path / name, options)
    assert words in str(caught.value)
    assert left(tmp_path) == before and (tmp_path / "there.csv").read_text() == "mine"


@pytest.mark.parametrize("what", ["responses", "run"])
def test_an_interrupted_export_leaves_nothing(tmp_path: Path, what: str) -> None:
    audit = make_audit(tmp_path / "a.db", cases=300)
    before = left(tmp_path)

    def interrupt(label: str, done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_export(audit, what, tmp_path / ("r.csv" if what == "responses" else "run"), None, interrupt)
    assert left(tmp_path) == before


def test_force_replaces_a_file(tmp_path: Path, audit: Path) -> None:
    target = tmp_path / "r.csv"
    target.write_text("old")
    write_export(audit, "responses", target, ExportOptions(force=True))
    assert target.read_bytes().startswith(b'"item","study"')


def test_a_stream_gets_json_lines(tmp_path: Path, audit: Path) -> None:
    stream = io.BytesIO()
    write_export(audit, "responses", stream)
    assert len([json.loads(line) for line in stream.getvalue().splitlines()]) == 16
    with pytest.raises(InputError, match="a run is a folder"):
        write_export(audit, "run", io.BytesIO())


def test_progress_ends_at_the_total(tmp_path: Path, audit: Path) -> None:
    seen: list[tuple[str, int, int]] = []
    write_export(audit, "responses", tmp_path / "r.csv", None, lambda *what: seen.append(what))
    assert seen[-1] == ("responses", 16, 16)
