"""A published audit holds everything, once and whole, and `verify` names what is missing, changed or extra."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from auditor.audit.decided import finals
from auditor.audit.load import LoadOptions, load
from auditor.audit.manifest import read_manifest, verify_published
from auditor.audit.publish import publish
from auditor.audit.report.subject import ReportOptions
from auditor.audit.schema_words import datasette_metadata, table_words
from auditor.cli.main import main
from auditor.errors import AuditFileError
from auditor.store.file import open_file, open_for_reading
from tests.audit.hostile_run import hostile_audit
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
        "files are as the manifest says": ["audit.db", "run/tasks.jsonl", "tags.csv"],
        "nothing else is in the folder": ["annotations/extra␛[2J"],
    }


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
    ],
)
def test_what_is_no_manifest_is_refused(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "manifest.json").write_text(text)
    assert main(["verify", str(tmp_path)]) == 2
    assert "no manifest of a published audit" in capsys.readouterr().err


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


def test_what_was_decided_is_published(audit: Path, tmp_path: Path) -> None:
    path = tmp_path / "decided.db"
    shutil.copyfile(audit, path)
    item = f"demo/case-0/{ARMS[1]}/model-a/0"
    decide = ["adjudicate", str(path), "--annotator", "cy", "--decide", item]
    assert main([*decide, "--tag", "copying=yes", "--tag", "arithmetic=no"]) == 0
    with closing(open_for_reading(path)) as connection:
        assert finals(connection, decided_only=True)[0].ids
    publish(path, tmp_path / "published", FAST)
    assert "copying" in (tmp_path / "published" / "final-tags.csv").read_text()


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
