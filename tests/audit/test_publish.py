"""A published audit holds everything, once and whole, and `verify` names what is missing, changed or extra."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from auditor.audit.decided import finals
from auditor.audit.load import LoadOptions, load
from auditor.audit.manifest import read_manifest, verify_published, write_manifest
from auditor.audit.publish import publish
from auditor.audit.report.subject import ReportOptions
from auditor.audit.schema_words import datasette_metadata, table_words
from auditor.cli.main import main
from auditor.errors import AuditFileError
from auditor.store.file import open_file, open_for_reading
from auditor.store.reviews import OwnProbe, WriteProbe
from tests.audit.hostile_run import hostile_audit
from tests.audit.test_merge import do
from tests.builders import make_audit

FAST = ReportOptions(replicates=100)


ARMS = ("short-trace-final", "long-trace-final")


@pytest.fixture(scope="module")
def audit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small audit in which two people reviewed an item each, and one both."""
    path = make_audit(
        tmp_path_factory.mktemp("publish") / "small.db", arms=ARMS, replies={(0, ARMS[0], "model-a"): "right"}
    )
    for who, case, tag in (("ana", 0, "copying"), ("ben", 0, "arithmetic"), ("ana", 1, "copying")):
        item = f"demo/case-{case}/{ARMS[1]}/model-a/0"
        assert main(["tags", "put", str(path), "--annotator", who, "--item", item, "--tag", tag]) == 0
    return path


@pytest.fixture(scope="module")
def published(audit: Path) -> Path:
    folder = audit.parent / "published"
    publish(audit, folder, FAST)
    return folder


def problems(folder: Path) -> dict[str, list[str]]:
    return {check.name: check.problems for check in verify_published(folder) if check.problems}


def test_a_published_audit_holds_everything_and_verifies(published: Path) -> None:
    manifest, digest = read_manifest(published)
    names = {one.path for one in manifest.files}
    wanted = {"report.html", "report.md", "tables.tex", "audit.db", "metadata.json", "SCHEMA.md", "README.md"}
    wanted |= {"run/tasks.jsonl", "run/responses.jsonl", "responses.jsonl", "tags.jsonl", "tags.csv", "taxonomy.csv"}
    wanted |= {"codebook-1.yaml", "agreement.json", "tables/exact-output-table3.tex"}
    assert wanted <= names and any(name.startswith("annotations/") for name in names)
    assert not {"final-tags.csv", "places.jsonl"} & names and len(digest) == 64
    assert problems(published) == {}
    assert not [path for path in published.parent.iterdir() if path.name.startswith(".")]
    readme = (published / "README.md").read_text(encoding="utf-8")
    assert all(name.split("/")[0] in readme for name in names - {"README.md"})


def test_its_data_are_the_audit_s(audit: Path, published: Path, tmp_path: Path) -> None:
    load(tmp_path / "again.db", [published / "run"], LoadOptions())
    for database in (audit, published / "audit.db"):
        with closing(open_for_reading(database)) as connection:
            assert connection.execute("SELECT count(*) FROM events").fetchone() == (3,)
    agreement = json.loads((published / "agreement.json").read_text())["execution"]["coefficients"]
    assert {one["tag"] for one in agreement if one["statistic"] == "cohen_kappa"} >= {None, "arithmetic"}
    page = (published / "report.html").read_text(encoding="utf-8")
    assert "Audit of small" in page and "16 responses" in page


def test_a_missing_a_changed_and_an_extra_file_are_each_named(
    published: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(published, folder)
    assert main(["verify", str(folder), "--quiet"]) == 0
    assert "SHA-256 is" in capsys.readouterr().out
    (folder / "report.md").unlink()
    (folder / "run" / "tasks.jsonl").write_bytes(b"")
    (folder / "annotations" / "extra\x1b[2J").write_text("x")
    (folder / "tags.csv").unlink()
    (folder / "tags.csv").symlink_to(published / "tags.csv")
    with (folder / "audit.db").open("r+b") as file:
        file.seek(5_000)
        file.write(b"?")
    assert main(["verify", str(folder), "--quiet"]) == 1
    told = capsys.readouterr().out
    assert "\x1b" not in told and "annotations/extra␛[2J" in told
    assert problems(folder) == {
        "no file of the manifest is missing": ["report.md"],
        "files are as the manifest says": [
            "audit.db: other bytes, as many as before",
            f"run/tasks.jsonl: 0 bytes instead of {(published / 'run' / 'tasks.jsonl').stat().st_size:,}",
            "tags.csv: it is a link, and not the file itself",
        ],
        "nothing else is in the folder": ["annotations/extra␛[2J"],
    }


def test_what_happened_to_a_file_is_said(published: Path, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(published, folder)
    tasks, tags, readme = folder / "run" / "tasks.jsonl", folder / "tags.csv", folder / "README.md"
    tasks.write_bytes(tasks.read_bytes().replace(b"\n", b"\r\n"))
    tags.rename(folder / "Tags.csv")
    readme.write_bytes(readme.read_bytes()[:-1])
    shutil.move(folder / "annotations", tmp_path / "elsewhere")
    (folder / "annotations").symlink_to(tmp_path / "elsewhere")
    found = problems(folder)
    assert found["files are as the manifest says"] == [
        f"README.md: {readme.stat().st_size:,} bytes instead of {readme.stat().st_size + 1:,}",
        "run/tasks.jsonl: its lines end in CRLF instead of LF, all else is the same",
    ]
    assert found["nothing else is in the folder"] == ["Tags.csv", "annotations: a link"]
    lost = found["no file of the manifest is missing"]
    assert "tags.csv: Tags.csv has its content" in lost
    assert all(one.startswith("annotations/") for one in lost if not one.startswith("tags.csv"))


def test_a_manifest_that_was_made_anew_is_found_by_the_quoted_hash(
    published: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, (_, digest) = tmp_path / "copy", read_manifest(published)
    shutil.copytree(published, folder)
    assert main(["verify", str(folder), "--quiet", "--manifest", digest.upper()]) == 0
    assert "checks hold" in capsys.readouterr().out
    (folder / "tags.csv").write_bytes(b"forged")
    write_manifest(folder, "Audit of small")
    assert main(["verify", str(folder), "--quiet"]) == 0
    assert main(["verify", str(folder), "--quiet", "--manifest", digest]) == 1
    told = capsys.readouterr().out
    assert "NO  the manifest is the one that was quoted" in told and "1 of 13 checks failed." in told
    assert main(["verify", str(folder), "--manifest", digest[:12]]) == 2
    assert main(["verify", str(folder / "audit.db"), "--manifest", digest]) == 2
    assert "for a published folder" in capsys.readouterr().err


def test_a_bundle_has_the_title_that_it_is_given(
    audit: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "titled"
    assert main(["export", "bundle", str(audit), "-o", str(folder), "--title", "Why <loops> fail"]) == 0
    assert f"{sum(path.is_file() for path in folder.rglob('*'))} files written" in capsys.readouterr().err
    assert read_manifest(folder)[0].title == "Why <loops> fail"
    assert "Why &lt;loops&gt; fail" in (folder / "report.html").read_text(encoding="utf-8")
    assert main(["export", "run", str(audit), "-o", str(tmp_path / "run"), "--title", "x"]) == 2


@pytest.mark.parametrize("size", [0, 1, 2, 3])
def test_converted_line_ends_are_told_wherever_a_file_is_read_in_parts(
    size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("auditor.audit.manifest._CHUNK", size or 1 << 20)
    (tmp_path / "a.txt").write_bytes(b"a\r\rb\n\n\r\nc\r")
    write_manifest(tmp_path, "t")
    (tmp_path / "a.txt").write_bytes(b"a\r\rb\r\n\r\n\r\nc\r")
    assert "CRLF" not in str(problems(tmp_path))  # what had CRLF before is not what it was
    (tmp_path / "a.txt").write_bytes(b"a\r\rb\n\nc\r")
    write_manifest(tmp_path, "t")
    told = (tmp_path / "manifest.json").read_text()
    (tmp_path / "manifest.json").write_text(told.replace('"bytes": 8', '"bytes": 7'))
    assert problems(tmp_path)["files are as the manifest says"] == ["a.txt: 8 bytes instead of 7"]
    (tmp_path / "manifest.json").write_text(told)
    (tmp_path / "a.txt").write_bytes(b"a\r\rb\r\n\r\nc\r")
    assert problems(tmp_path)["files are as the manifest says"] == [
        "a.txt: its lines end in CRLF instead of LF, all else is the same"
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"format": "auditor-bundle"}',
        '{"format": "auditor-bundle", "version": 2, "made_with": "x", "title": "t", "files": []}',
        '{"format": "auditor-bundle", "version": 1, "made_with": "x", "title": "t",'
        ' "files": [{"path": "../x", "bytes": 1, "sha256": ""}]}',
        "[" * 100_000,
        *(
            f'{{"format": "auditor-bundle", "version": 1, "made_with": "x", "title": "t", "files": [{files}]}}'
            for files in (
                '{"path": "a", "bytes": Infinity, "sha256": ""}',
                '{"path": "a", "bytes": -1, "sha256": ""}',
                '{"path": "a/./b", "bytes": 1, "sha256": ""}',
                '{"path": "manifest.json", "bytes": 1, "sha256": ""}',
                ", ".join(['{"path": "a", "bytes": 1, "sha256": ""}'] * 2),
            )
        ),
    ],
)
def test_what_is_no_manifest_is_refused(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "manifest.json").write_text(text)
    assert main(["verify", str(tmp_path)]) == 2
    assert "no manifest of a published audit" in capsys.readouterr().err


def test_a_pipe_or_a_link_is_no_manifest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(tmp_path / "manifest.json")
    assert main(["verify", str(tmp_path)]) == 2
    (tmp_path / "manifest.json").unlink()
    (tmp_path / "manifest.json").symlink_to("elsewhere")
    assert main(["verify", str(tmp_path)]) == 2
    assert capsys.readouterr().err.count("it is not a file itself") == 2


def test_a_folder_without_a_manifest_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(tmp_path)]) == 2
    assert "manifest.json: it cannot be read" in capsys.readouterr().err


def test_nothing_is_replaced_and_nothing_is_left_behind(
    audit: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "mine").write_text("x")
    assert main(["export", "bundle", str(audit), "-o", str(tmp_path / "taken")]) == 2
    assert "nothing is ever replaced" in capsys.readouterr().err
    assert main(["export", "bundle", str(audit), "-o", str(tmp_path / "b"), "--where", "arm:x"]) == 2
    assert main(["export", "bundle", str(audit), "-o", "-"]) == 2
    assert main(["export", "bundle", str(tmp_path / "none.db"), "-o", str(tmp_path / "b")]) == 2

    def stop(label: str, done: int, total: int) -> None:
        if label == "report.md":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        publish(audit, tmp_path / "b", FAST, stop)
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


def test_hostile_texts_are_published_and_verify(tmp_path: Path) -> None:
    publish(hostile_audit(tmp_path), tmp_path / "published", FAST)
    assert problems(tmp_path / "published") == {}


def test_what_was_decided_and_asked_is_published(audit: Path, tmp_path: Path) -> None:
    path = tmp_path / "decided.db"
    shutil.copyfile(audit, path)
    item = f"demo/case-0/{ARMS[1]}/model-a/0"
    decide = ["adjudicate", str(path), "--annotator", "cy", "--decide", item]
    assert main([*decide, "--tag", "copying=yes", "--tag", "arithmetic=no"]) == 0
    with closing(open_for_reading(path)) as connection:
        assert finals(connection, decided_only=True)[0].ids
    do(path, "ana", (1, WriteProbe(OwnProbe("branch", 1, 1, None, "Does it?", ("Logic",), "true", "boolean", 9, 3))))
    publish(path, tmp_path / "published", FAST)
    assert "copying" in (tmp_path / "published" / "final-tags.csv").read_text()
    assert "Does it?" in (tmp_path / "published" / "probes.csv").read_text()


def test_every_column_of_an_audit_file_is_described(tmp_path: Path) -> None:
    words = table_words()
    with closing(open_file(tmp_path / "audit.db", create=True)) as connection:
        sql = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite%'"
        for (name,) in connection.execute(sql).fetchall():
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({name})")]
            assert [column for column in columns if column not in words[name].columns] == [], name
        found = datasette_metadata(connection, "audit", "A\x1b title")
    assert found["title"] == "A␛ title"
    tables = found["databases"]["audit"]["tables"]
    assert tables["grades"]["columns"]["mode"] == "the primary computed failure mode"
    assert tables["settings"]["columns"]["mode"] != tables["grades"]["columns"]["mode"]


def test_the_queries_of_the_metadata_run_on_the_published_file(published: Path) -> None:
    metadata = json.loads((published / "metadata.json").read_text())
    queries = metadata["databases"]["audit"]["queries"]
    with closing(sqlite3.connect(f"file:{published / 'audit.db'}?mode=ro", uri=True)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
        assert len(queries) == 3
        for query in queries.values():
            assert connection.execute(query["sql"]).fetchall()


def test_an_audit_without_responses_is_not_published(tmp_path: Path) -> None:
    open_file(tmp_path / "empty.db", create=True).close()
    with pytest.raises(AuditFileError):
        publish(tmp_path / "empty.db", tmp_path / "published", FAST)
    assert not (tmp_path / "published").exists()
