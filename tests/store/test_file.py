"""Opening, creating and migrating audit files, and what is said when that cannot be."""

from __future__ import annotations

import resource
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from auditor.errors import AuditFileError, FileBusyError
from auditor.store import file as store_file
from auditor.store.file import (
    APPLICATION_ID,
    migrations,
    open_file,
    open_for_reading,
    path_of,
    shell_path,
    transaction,
    translate,
)
from tests.builders import make_audit


def test_a_new_file_is_marked_and_in_wal_mode(tmp_path: Path) -> None:
    connection = open_file(tmp_path / "audit.db", create=True)
    pragmas = ("application_id", "user_version", "journal_mode", "foreign_keys", "synchronous")
    values = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in pragmas]
    assert values == [APPLICATION_ID, len(migrations()), "wal", 1, 2]


def test_every_table_is_strict(tmp_path: Path) -> None:
    connection = open_file(tmp_path / "audit.db", create=True)
    tables = connection.execute("SELECT name, strict FROM pragma_table_list WHERE type = 'table' AND schema = 'main'")
    loose = {name for name, strict in tables if not strict and not name.startswith("sqlite_")}
    assert loose == set()


def test_a_missing_file_is_not_made_by_reading_or_opening(tmp_path: Path) -> None:
    for opening in (open_file, open_for_reading):
        with pytest.raises(AuditFileError, match="there is no audit file"):
            opening(tmp_path / "none.db")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", [b"just text, no database", b"\0" * 5000, b"PK\x03\x04" * 400])
def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "notes.db"
    path.write_bytes(content)
    for opening in (open_file, open_for_reading):
        with pytest.raises(AuditFileError, match="not an audit file"):
            opening(path)
    assert path.read_bytes() == content


def test_another_program_s_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE t (x)")
        connection.commit()
    before = path.read_bytes()
    with pytest.raises(AuditFileError, match="but not an audit file"):
        open_file(path, create=True)
    assert path.read_bytes() == before


def test_a_folder_and_a_missing_folder_get_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(AuditFileError, match="is a folder"):
        open_file(tmp_path)
    with pytest.raises(AuditFileError, match="there is no folder"):
        open_file(tmp_path / "none" / "audit.db", create=True)


def test_a_newer_file_is_refused(tmp_path: Path) -> None:
    path = make_audit(tmp_path / "audit.db")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 99")
    for opening in (open_file, open_for_reading):
        with pytest.raises(AuditFileError, match=r"newer auditor \(file version 99.*Install the newer auditor"):
            opening(path)


def test_an_older_file_is_migrated_after_a_copy_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "audit.db"
    with monkeypatch.context() as older:
        older.setattr(store_file, "migrations", lambda: migrations()[:1])
        open_file(path, create=True).close()
    with closing(open_file(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone()[0] == len(migrations())
        assert connection.execute("SELECT count(*) FROM response_overview").fetchone() == (0,)
    copy = tmp_path / "audit.db.version-1"
    with closing(sqlite3.connect(copy)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)
        assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)


def test_a_copy_that_finds_no_room_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "audit.db"
    with monkeypatch.context() as older:
        older.setattr(store_file, "migrations", lambda: migrations()[:1])
        open_file(path, create=True).close()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    # A file that may not grow is to SQLite what a full disk is.
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size - 1, limits[1]))
    try:
        with pytest.raises(AuditFileError):
            open_file(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert not list(tmp_path.glob("*.version-1*"))
    open_file(path).close()
    assert [one.name for one in tmp_path.glob("*.version-1*")] == ["audit.db.version-1"]


def test_a_migration_that_fails_leaves_the_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "audit.db"
    with monkeypatch.context() as older:
        older.setattr(store_file, "migrations", lambda: migrations()[:1])
        open_file(path, create=True).close()
    broken = tmp_path / "0002_broken.sql"
    broken.write_text("CREATE TABLE fine (x) STRICT;\nCREATE TABLE broken (;\n")
    monkeypatch.setattr(store_file, "migrations", lambda: [*migrations()[:1], store_file.Migration(2, broken)])
    with pytest.raises(AuditFileError):
        open_file(path)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)
        assert connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'fine'").fetchone() == (0,)


def test_a_locked_file_is_waited_for_and_then_said_to_be_busy(tmp_path: Path) -> None:
    path = make_audit(tmp_path / "audit.db")
    with closing(open_file(path)) as holder, closing(open_file(path, busy_seconds=0.05)) as other:
        holder.execute("BEGIN IMMEDIATE")
        with pytest.raises(sqlite3.OperationalError) as caught, transaction(other):
            pass
        assert isinstance(translate(caught.value, path), FileBusyError)
        holder.execute("ROLLBACK")
        with transaction(other):
            other.execute("INSERT INTO facts VALUES ('tested', 'yes')")


def test_a_failing_transaction_leaves_nothing_and_the_connection_usable(tmp_path: Path) -> None:
    with closing(open_file(make_audit(tmp_path / "audit.db"))) as connection:
        with pytest.raises(ZeroDivisionError), transaction(connection):
            connection.execute("INSERT INTO facts VALUES ('tested', 'yes')")
            raise ZeroDivisionError
        assert not connection.in_transaction
        assert connection.execute("SELECT count(*) FROM facts WHERE name = 'tested'").fetchone() == (0,)


def test_a_reader_cannot_write(tmp_path: Path) -> None:
    with (
        closing(open_for_reading(make_audit(tmp_path / "audit.db"))) as connection,
        pytest.raises(sqlite3.OperationalError),
    ):
        connection.execute("INSERT INTO facts VALUES ('tested', 'yes')")


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Callable[[], None]]:
    """Make `tmp_path / "ro"` a file system; calling makes it one that cannot be written."""
    folder = tmp_path / "ro"
    folder.mkdir()
    if (
        shutil.which("mount") is None
        or subprocess.run(["mount", "-t", "tmpfs", "none", folder], check=False).returncode
    ):
        pytest.skip("this user may not mount a file system")

    def remount() -> None:
        subprocess.run(["mount", "-o", "remount,ro", folder], check=True)

    try:
        yield remount
    finally:
        subprocess.run(["umount", folder], check=True)


def test_a_file_on_a_file_system_that_cannot_be_written_is_read(tmp_path: Path, read_only: Callable[[], None]) -> None:
    path = make_audit(tmp_path / "ro" / "a.db")
    for suffix in ("-wal", "-shm"):
        path.with_name(f"a.db{suffix}").write_bytes(b"")
    read_only()
    with closing(open_for_reading(path)) as connection:
        assert connection.execute("SELECT count(*) FROM responses").fetchone()[0] > 0


def test_changes_that_cannot_be_read_on_a_file_system_are_told_of(
    tmp_path: Path, read_only: Callable[[], None]
) -> None:
    path, copy = make_audit(tmp_path / "a.db"), tmp_path / "ro" / "a.db"
    with closing(open_file(path)) as connection:
        connection.execute("INSERT INTO facts VALUES ('tested', 'yes')")
        for suffix in ("", "-wal"):
            shutil.copy(f"{path}{suffix}", f"{copy}{suffix}")
    read_only()
    with pytest.raises(AuditFileError, match=r"a\.db-wal holds changes") as caught:
        open_for_reading(copy)
    assert "Copy both files" in (caught.value.hint or "")


def test_what_was_left_beside_a_read_only_file_can_be_written_when_the_file_can(tmp_path: Path) -> None:
    path = make_audit(tmp_path / "a.db")
    sides = [path.with_name(f"a.db{suffix}") for suffix in ("-wal", "-shm")]
    with closing(open_file(path)) as connection:
        connection.execute("INSERT INTO facts VALUES ('tested', 'yes')")
        for mode, found in ((0o444, 0o444), (0o640, 0o644)):
            path.chmod(mode)
            for side in sides:
                side.chmod(0o444)
            open_for_reading(path).close()
            assert [side.stat().st_mode & 0o777 for side in sides] == [found, found]


def test_a_path_with_special_characters_is_that_path(tmp_path: Path) -> None:
    path = tmp_path / "a?mode=memory#100%.db"
    open_file(path, create=True).close()
    assert path.exists()
    assert [p.name for p in tmp_path.glob("*.db")] == [path.name]


@pytest.mark.parametrize(
    "opening",
    [open_file, open_for_reading, partial(open_file, create=True)],
    ids=["writing", "reading", "creating"],
)
def test_a_file_too_short_to_be_a_database_is_left_alone(
    tmp_path: Path, opening: Callable[[Path], sqlite3.Connection]
) -> None:
    path = tmp_path / "notes.db"
    path.write_bytes(b"x")
    with pytest.raises(AuditFileError, match="is not an audit file"):
        opening(path)
    assert path.read_bytes() == b"x"


def test_an_empty_file_is_said_to_be_empty_and_can_become_an_audit_file(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    path.touch()
    for opening in (open_file, open_for_reading):
        with pytest.raises(AuditFileError, match=r"new\.db is empty, so it is no audit file\. Make one with: auditor"):
            opening(path)
    open_file(path, create=True).close()
    open_for_reading(path).close()


def test_commands_in_messages_can_be_pasted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert shell_path(Path("audit.db")) == "audit.db"
    assert shell_path(Path("my audit\x1b.db")) == "'my audit␛.db'"
    with closing(open_file(make_audit(tmp_path / "a b.db"))) as connection:
        assert path_of(connection) == tmp_path / "a b.db"
        monkeypatch.chdir(tmp_path)
        assert path_of(connection) == Path("a b.db")


@pytest.mark.parametrize("opening", [open_file, open_for_reading])
@pytest.mark.parametrize("failures", [1, 100], ids=["now-and-then", "always"])
def test_a_disk_that_seems_to_fail_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opening: Callable[[Path], sqlite3.Connection], failures: int
) -> None:
    """SQLite says so when another process lets go of the file at this moment, which cannot be had on purpose."""
    path = make_audit(tmp_path / "a.db")
    version, left = store_file._version, [failures]

    def failing(connection: sqlite3.Connection, path: Path) -> int:
        left[0] -= 1
        if left[0] >= 0:
            error = sqlite3.OperationalError("disk I/O error")
            error.sqlite_errorname = "SQLITE_IOERR_SHORT_READ"
            raise error
        return version(connection, path)

    monkeypatch.setattr(store_file, "_version", failing)
    if failures == 1:
        opening(path).close()
    else:
        with pytest.raises(AuditFileError, match="reading or writing it failed"):
            opening(path)
