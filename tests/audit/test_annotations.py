"""The annotations bundle: exact both ways, the same bytes again, and merged by git as `merge` merges files."""

from __future__ import annotations

import json
import shutil
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from auditor.audit.annotations import read_bundle
from auditor.audit.export import ExportOptions, write_export
from auditor.audit.merge import MergeOptions, merge
from auditor.cli.main import main
from auditor.codebook_changes import add_tag
from auditor.errors import AuditorError
from auditor.formats.annotation_bundle import safe_name
from auditor.store.file import open_for_reading
from auditor.store.reviews import (
    Bookmark,
    MarkReviewed,
    NothingToTag,
    OwnProbe,
    PinMemo,
    PutTags,
    Redo,
    SetNote,
    ToggleTag,
    Undo,
    WriteProbe,
)
from auditor.text import UndecodedText
from tests.audit.test_merge import bundled, copied, do, events, play, problems, revise_all, view
from tests.builders import make_audit
from tests.hostile import HOSTILE

OWN = "SELECT name, variable, question, dimensions, answer, withdrawn FROM own_probes ORDER BY 1, 2, 3"


@pytest.fixture
def audit(tmp_path: Path) -> Path:
    return make_audit(tmp_path / "a.db")


def export(path: Path, target: Path, *annotators: str, force: bool = False) -> Path:
    write_export(path, "annotations", target, ExportOptions(annotators=annotators, force=force))
    return target


def test_a_bundle_in_a_fresh_file_with_the_same_cases_gives_the_same_bundle(audit: Path, tmp_path: Path) -> None:
    do(audit, "ana", (1, ToggleTag("copying")), (1, Undo()), (1, Redo()), (2, NothingToTag()), (2, Undo()))
    do(audit, "Ana", (1, PutTags(("copying",), "a note", first_cause="copying")), blind=True)
    revise_all(audit, lambda book: add_tag(book, "Units", "A wrong unit."))
    do(audit, "ana", (3, PinMemo("line", 1, "print(x)", "why?")))
    probe = OwnProbe("branch", 1, None, None, "Does it?", ("Logic", "State"), "true", "boolean", 9, 3)
    do(audit, "ana", (3, WriteProbe(probe)), (3, WriteProbe(probe._replace(withdrawn=True))), (3, Undo()))
    fresh = make_audit(tmp_path / "fresh.db")
    merge(fresh, [export(audit, tmp_path / "bundle")])
    assert bundled(fresh) == bundled(audit)
    assert view(fresh, "Ana", 1) == view(audit, "Ana", 1)
    assert view(fresh, "ana", 3) == view(audit, "ana", 3) and view(fresh, "ana", 3).probes == (probe,)
    assert not merge(fresh, [tmp_path / "bundle"]).changed
    assert problems(fresh) == []


def test_every_text_comes_back_as_it_was(audit: Path, tmp_path: Path) -> None:
    texts = [*HOSTILE.values(), UndecodedText("raw \udcff byte"), "high \ud83d", "<<<<<<< HEAD"]
    play(audit, [(f"{text}{number}", 1, SetNote(text), 0) for number, text in enumerate(texts)])
    play(audit, [(f"{text}{number}", 1, PinMemo("line", 1, text, text or "-"), 1) for number, text in enumerate(texts)])
    probes = [OwnProbe("value-at-visit", 1, 1, text, text, (text,), "null", "null", 9, 3) for text in texts]
    play(audit, [(f"{text}{number}", 1, WriteProbe(probes[number]), 2) for number, text in enumerate(texts)])
    fresh = make_audit(tmp_path / "fresh.db")
    merge(fresh, [export(audit, tmp_path / "bundle")])
    assert bundled(fresh) == bundled(audit)
    with closing(open_for_reading(audit)) as one, closing(open_for_reading(fresh)) as other:
        for sql in ("SELECT note FROM reviews ORDER BY 1", "SELECT quote, text FROM memos ORDER BY 1, 2", OWN):
            assert one.execute(sql).fetchall() == other.execute(sql).fetchall()
    assert problems(fresh) == []


@pytest.mark.parametrize("names", [["ana", "Ana", "ANA"], ["con", "CON"], ["a/b", "a\\b", "a b"], ["ä", "ö", "漢", ""]])
def test_names_of_files_are_safe_and_differ_on_every_disk(names: list[str]) -> None:
    made = [safe_name(name) for name in names]
    assert len({name.lower() for name in made}) == len(names)
    assert all(name.isascii() and not set(name) & set('/\\:*?"<>|. ') for name in made)
    assert "con" not in made


def test_what_is_new_stands_at_the_end_of_a_file_whose_lines_stay(audit: Path, tmp_path: Path) -> None:
    do(audit, "ana", (1, ToggleTag("copying")))
    do(audit, "ben", (1, ToggleTag("copying")))
    bundle = export(audit, tmp_path / "bundle")
    before = {file: (file.read_bytes(), file.stat().st_mtime_ns) for file in bundle.rglob("*") if file.is_file()}
    do(audit, "ana", (2, ToggleTag("copying")))
    export(audit, bundle)
    for file, (content, changed_at) in before.items():
        if file.name == "ana.jsonl":
            assert file.read_bytes().startswith(content)
            assert len(file.read_bytes()) > len(content)
        else:
            assert file.stat().st_mtime_ns == changed_at


def test_a_bundle_that_holds_more_is_not_written_over(audit: Path, tmp_path: Path) -> None:
    other = copied(audit, "b.db")
    do(audit, "ana", (1, ToggleTag("copying")))
    do(other, "ben", (1, ToggleTag("copying")), (2, NothingToTag()))
    bundle = export(other, tmp_path / "bundle")
    with pytest.raises(AuditorError, match=r"holds 2 events that .*a\.db does not have.*auditor import"):
        export(audit, bundle)
    merge(audit, [bundle])
    export(audit, bundle)
    assert sorted(file.name for file in (bundle / "annotators").iterdir()) == ["ana.jsonl", "ben.jsonl"]
    assert events(audit) == 3


def test_one_annotator_s_file_can_be_written_alone(audit: Path, tmp_path: Path) -> None:
    do(audit, "ana", (1, ToggleTag("copying")))
    do(audit, "ben", (1, ToggleTag("copying")))
    bundle = export(audit, tmp_path / "bundle", "ben")
    assert [file.name for file in (bundle / "annotators").iterdir()] == ["ben.jsonl"]


@pytest.mark.parametrize("place", ["file", "folder"])
def test_nothing_else_is_written_over(audit: Path, tmp_path: Path, place: str) -> None:
    do(audit, "ana", (1, ToggleTag("copying")))
    target = tmp_path / "target"
    if place == "file":
        target.write_text("mine")
    else:
        target.mkdir()
        (target / "mine").touch()
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(AuditorError, match="is a file" if place == "file" else "not empty"):
        export(audit, target)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_fresh_repository_can_be_the_folder_and_keeps_what_it_says_to_git(audit: Path, tmp_path: Path) -> None:
    do(audit, "ana", (1, ToggleTag("copying")))
    folder = tmp_path / "repository"
    (folder / ".git").mkdir(parents=True)
    (folder / ".gitattributes").write_text("*.jsonl merge=union\n*.png binary\n")
    assert read_bundle(export(audit, folder)).total == 1
    assert "*.png binary" in (folder / ".gitattributes").read_text()


def test_nothing_said_is_nothing_written(audit: Path, tmp_path: Path) -> None:
    with pytest.raises(AuditorError, match="nobody has said anything yet"):
        export(audit, tmp_path / "bundle")
    assert not (tmp_path / "bundle").exists()


def test_items_that_a_file_does_not_have_are_listed(
    audit: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    do(audit, "ana", (1, ToggleTag("copying")), (5, ToggleTag("copying")))
    bundle = export(audit, tmp_path / "bundle")
    small = make_audit(tmp_path / "small.db", cases=1)
    assert main(["import", str(small), str(bundle), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)["annotations"]
    assert found["events"] == 1
    assert [(one["item"], one["events"]) for one in found["refused"]] == [("demo/case-1/output/model-a/0", 1)]
    assert main(["import", str(small), str(bundle)]) == 1
    assert "demo/case-1/output/model-a/0: there is no such response" in capsys.readouterr().err


LINE = '{"uuid": "01a22c40-c808-7351-863a-6ed9a54fed8f", '


@pytest.mark.parametrize(
    ("file", "find", "put", "words"),
    [
        ("annotators/ana.jsonl", '{"uuid"', '<<<<<<< HEAD\n{"uuid"', r"ana\.jsonl:2: git left a conflict here"),
        ("annotations.toml", "format = 1", "=======\nformat = 1", r"annotations\.toml:3: git left a conflict here"),
        ("annotations.toml", "format = 1", "format = 2", "of format 2, and this version knows 1"),
        ("annotations.toml", "format = 1", "format", "not TOML"),
        ("annotators/ana.jsonl", '{"uuid"', '{"uuid', r"ana\.jsonl:2: it is not JSON"),
        ("annotators/ana.jsonl", '"action": "tag"', '"action": "shout"', r":2: \"action\" is 'shout', which"),
        ("annotators/ana.jsonl", '"copying"', '"flying"', r":2: the codebook execution never had a tag 'flying'"),
        ("annotators/ana.jsonl", '"add": ["copying"]', '"add": [3]', r":2: \"change\" holds 'add'"),
        ("annotators/ana.jsonl", "in-progress", "begun", r":2: \"change\" holds 'state'"),
        ("annotators/ana.jsonl", '"at": "2026', '"at": "soon', r":2: \"at\" must be a time"),
        ("annotators/ana.jsonl", '.000Z", "item"', '.000+02:00", "item"', r":2: \"at\" must be a time"),
        ("annotators/ana.jsonl", '"change"', f'"seconds": {10**400}, "change"', ':2: "seconds" must be a number'),
        ("annotators/ana.jsonl", '"change"', '"aside": true, "change"', ':2: "aside" is said of what changes'),
        ("annotators/ana.jsonl", '"execution"', '"mine"', ":2: the bundle has no codebook mine"),
        ("annotators/ana.jsonl", '"person"', '"robot"', r":1: \"annotator\" must be a name"),
        ("annotators/ana.jsonl", '"annotator": "ana"', '"who": "ana"', r"ana\.jsonl: it needs one line"),
        ("annotators/ana.jsonl", '"content": "', '"content": "x', r":2: \"content\" must be a hash"),
        ("codebooks/execution/revisions.jsonl", '"at"', '"when"', r"revisions\.jsonl:2: \"at\" must be text"),
        ("codebooks/execution/*.yaml", "Execution failures", "Flying", r"\.yaml: its contents are others"),
    ],
)
def test_a_damaged_bundle_gets_one_sentence_with_file_and_line(
    audit: Path, tmp_path: Path, file: str, find: str, put: str, words: str
) -> None:
    do(audit, "ana", (1, ToggleTag("copying")))
    bundle = export(audit, tmp_path / "bundle")
    (path,) = bundle.glob(file)
    text = path.read_text(encoding="utf-8")
    assert find in text
    path.write_text(text.replace(find, put, 1), encoding="utf-8")
    fresh = make_audit(tmp_path / "fresh.db")
    with pytest.raises(AuditorError, match=words):
        merge(fresh, [bundle])
    assert events(fresh) == 0


ANA, BEN = ["ana", True], ["ben", False]
ASKED = ["branch", 4, 2, None, "Does it?", ["Logic"], "true", "boolean", 9, 30, False]


@pytest.mark.parametrize(
    "change",
    [
        {"memo": ["line", 2**70, "", "", "memo"]},
        {"decided": [["copying", None, ["other", "present", "", [ANA, BEN]]]]},
        {"decided": [["copying", None, ["copying", "present", "", [BEN, ANA]]]]},
        {"decided": [["copying", None, ["copying", "present", "", [ANA, ["ana", False]]]]]},
        {"decided": [["copying", None, ["copying", "present", "", []]], ["copying", None, None]]},
        {"probe": [None, None]},
        {"probe": [None, ASKED[:-1]]},
        {"probe": [ASKED, ["branch", 4, 3, *ASKED[3:]]]},
        {"probe": [None, ["branch", 2**70, *ASKED[2:]]]},
        {"probe": [None, [*ASKED[:6], "tru", *ASKED[7:]]]},
        {"probe": [None, ["\x1b[2J", *ASKED[1:]]]},
    ],
)
def test_a_change_that_nobody_can_have_made_is_refused(audit: Path, tmp_path: Path, change: dict[str, object]) -> None:
    do(audit, "ana", (1, Bookmark()))
    bundle = export(audit, tmp_path / "bundle")
    path = bundle / "annotators" / "ana.jsonl"
    header, line = map(json.loads, path.read_text().splitlines())
    path.write_text("".join(json.dumps(one) + "\n" for one in (header, {**line, "change": change})))
    fresh = make_audit(tmp_path / "fresh.db")
    with pytest.raises(AuditorError, match=r'ana\.jsonl:2: "change" holds .*, which is not as it must be'):
        merge(fresh, [bundle])
    assert events(fresh) == 0


def test_what_lies_about_in_a_bundle_is_left_alone_and_what_cannot_be_read_is_named(
    audit: Path, tmp_path: Path
) -> None:
    do(audit, "ana", (1, MarkReviewed()))
    bundle = export(audit, tmp_path / "bundle")
    (bundle / "codebooks" / "README.md").write_text("our codebooks")
    assert read_bundle(bundle).total == 1
    (bundle / "annotators" / "ben.jsonl").symlink_to("nowhere")
    with pytest.raises(AuditorError, match=r"ben\.jsonl: it cannot be read"):
        read_bundle(bundle)
    shutil.rmtree(bundle / "annotators")
    (bundle / "annotators").write_text("no folder")
    with pytest.raises(AuditorError, match="annotators: it cannot be read"):
        read_bundle(bundle)


@pytest.mark.parametrize(
    "odd",
    [
        {"seed": 2**70},
        {"annotator": " "},
        {"made_at": "soon"},
        {"take": 0, "per": [], "order": "random"},
        {"take": 5, "per": [1], "order": "random"},
        {"take": 5, "per": [], "order": "random", "item": ["demo", "case-1"]},
    ],
)
def test_an_assignment_that_cannot_be_kept_is_refused(audit: Path, tmp_path: Path, odd: dict[str, object]) -> None:
    do(audit, "ana", (1, MarkReviewed()))
    bundle = export(audit, tmp_path / "bundle")
    share = {"codebook": "execution", "made_at": "2026-03-01T10:00:00.000Z", "where": "", "overlap": 1, "seed": 0}
    line = {**share, "cluster": "x", "annotator": "ana", **odd}
    (bundle / "assignments.jsonl").write_text(json.dumps(line) + "\n")
    with pytest.raises(AuditorError, match=r"assignments\.jsonl:1: "):
        read_bundle(bundle)


def test_one_event_with_two_contents_is_refused(audit: Path, tmp_path: Path) -> None:
    do(audit, "ana", (1, ToggleTag("copying")))
    bundle = export(audit, tmp_path / "bundle")
    path = bundle / "annotators" / "ana.jsonl"
    line = path.read_text().splitlines()[-1]
    path.write_text(f"{path.read_text()}{line}\n")
    assert read_bundle(bundle).total == 1
    path.write_text(path.read_text() + line.replace("copying", "arithmetic") + "\n")
    with pytest.raises(AuditorError, match=r"ana\.jsonl:4: the event .* is there twice, with different contents"):
        read_bundle(bundle)


def test_lines_from_before_and_after_cases_were_replaced_are_one_event(audit: Path, tmp_path: Path) -> None:
    do(audit, "ana", (1, ToggleTag("copying")))
    bundle = export(audit, tmp_path / "bundle")
    path = bundle / "annotators" / "ana.jsonl"
    line = json.loads(path.read_text().splitlines()[-1])
    other = json.dumps({**line, "content": 32 * "0", "evidence": line["content"]})
    path.write_text(path.read_text().replace(json.dumps(line), f"{other}\n{json.dumps(line)}"))
    fresh = make_audit(tmp_path / "fresh.db")
    report = merge(fresh, [bundle])
    assert (report.events, report.unjoined, events(fresh)) == (1, [], 1)
    assert problems(fresh) == []


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"follows": 0}, "comes after itself"),
        ({"follows": 2}, "of another item or annotator"),
        ({"undoes": 2}, "of another item or annotator"),
    ],
)
def test_events_that_name_each_other_as_none_can_are_refused(
    audit: Path, tmp_path: Path, changed: dict[str, int], words: str
) -> None:
    do(audit, "ana", (1, ToggleTag("copying")), (1, MarkReviewed()), (2, MarkReviewed()))
    bundle = export(audit, tmp_path / "bundle")
    path = bundle / "annotators" / "ana.jsonl"
    header, *lines = map(json.loads, path.read_text().splitlines())
    lines.sort(key=lambda line: line["at"])
    uuids = [line["uuid"] for line in lines]
    lines[0] |= {key: uuids[number] for key, number in changed.items()}
    path.write_text("".join(json.dumps(line) + "\n" for line in (header, *lines)))
    with pytest.raises(AuditorError, match=rf"ana\.jsonl: the event {uuids[0]} .*{words}"):
        read_bundle(bundle)


def git(folder: Path, *arguments: str) -> str:
    who = ("-c", "user.name=n", "-c", "user.email=e@x", "-c", "init.defaultBranch=main", "-c", "commit.gpgsign=false")
    done = subprocess.run(["git", *who, *arguments], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_git_merges_two_branches_as_a_merge_of_the_files_does(audit: Path, tmp_path: Path) -> None:
    do(audit, "ana", (1, ToggleTag("copying")))
    other = copied(audit, "b.db")
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "-q")
    export(audit, folder / "annotations")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "begun")
    git(folder, "checkout", "-qb", "laptop")
    do(other, "ana", (1, MarkReviewed()), (2, NothingToTag()), (2, Undo()))
    do(other, "ben", (1, ToggleTag("arithmetic")))
    revise_all(other, lambda book: add_tag(book, "Units", "A wrong unit."))
    export(other, folder / "annotations")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "on the laptop")
    git(folder, "checkout", "-q", "main")
    do(audit, "ana", (1, ToggleTag("arithmetic")), (3, NothingToTag()))
    do(audit, "cem", (1, ToggleTag("arithmetic")))
    revise_all(audit, lambda book: add_tag(book, "Signs", "A wrong sign."))
    export(audit, folder / "annotations")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "at the desk")
    git(folder, "merge", "-q", "-m", "both", "laptop")

    through_git, fresh = copied(audit, "git.db"), make_audit(tmp_path / "fresh.db")
    merge(through_git, [folder / "annotations"])
    merge(fresh, [folder / "annotations"])
    merge(audit, [other])
    assert bundled(through_git) == bundled(fresh) == bundled(audit)
    assert problems(through_git) == problems(fresh) == []
    export(audit, folder / "annotations")


def test_people_who_began_apart_have_to_be_told_also_in_a_bundle(audit: Path, tmp_path: Path) -> None:
    other = make_audit(tmp_path / "b.db")
    do(audit, "ana", (1, ToggleTag("copying")))
    do(other, "ana", (2, ToggleTag("copying")))
    bundle = export(other, tmp_path / "bundle")
    with pytest.raises(AuditorError, match="give `auditor merge` --same ana if so"):
        merge(audit, [bundle])
    assert merge(audit, [bundle], MergeOptions(same=("ana",))).events == 1
