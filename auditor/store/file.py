"""The audit file itself: opening, creating, migrating, and the one way to write."""

from __future__ import annotations

import os
import re
import shlex
import sqlite3
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from functools import cache, wraps
from pathlib import Path
from typing import NamedTuple, ParamSpec
from urllib.parse import quote
from uuid import uuid4

from auditor import __version__
from auditor.errors import AuditFileError, FileBusyError
from auditor.resources import data_folder
from auditor.text import visible_line

APPLICATION_ID = 0x41554454
"""`AUDT`: marks a SQLite file as an audit file."""
BUSY_SECONDS = 15.0
"""How long a command waits for another process's write to end."""
FRESH_PAGE_SIZE = 16384
"""Bytes; larger than SQLite's default since sources and replies are longer than a row of numbers."""


Parameters = ParamSpec("Parameters")

_TRIES, _PAUSE_SECONDS = 4, 0.05
"""How often a file whose disk seems to fail is opened, and the time between."""
_SMALLEST_DATABASE = 512
"""Bytes of SQLite's smallest page: it takes a shorter file for a database that is still empty."""


class Migration(NamedTuple):
    """One numbered SQL file."""

    number: int
    path: Path


@cache
def migrations() -> tuple[Migration, ...]:
    """List the numbered SQL files, in order; they are looked for once."""
    files = sorted((data_folder("db") / "migrations").glob("*.sql"))
    found = [Migration(int(match[1]), path) for path in files if (match := re.match(r"(\d{4})_", path.name))]
    if [m.number for m in found] != list(range(1, len(found) + 1)):
        raise AuditFileError("the migrations of this installation are incomplete.", "Install auditor again.")
    return tuple(found)


def now() -> str:
    """Return the time as stored: UTC, ISO 8601, milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _tried_again(opening: Callable[Parameters, sqlite3.Connection]) -> Callable[Parameters, sqlite3.Connection]:
    """Try some times to open a file: SQLite can report a failed disk where another process has just let go of it.

    The last connection that is closed takes the -wal file away, and one that opens at that moment may miss it.
    """

    @wraps(opening)
    def patiently(*args: Parameters.args, **kwargs: Parameters.kwargs) -> sqlite3.Connection:
        for _ in range(_TRIES - 1):
            try:
                return opening(*args, **kwargs)
            except AuditFileError as error:
                if not (getattr(error.__cause__, "sqlite_errorname", None) or "").startswith("SQLITE_IOERR"):
                    raise
                time.sleep(_PAUSE_SECONDS)
        return opening(*args, **kwargs)

    return patiently


@_tried_again
def open_file(path: Path, *, create: bool = False, busy_seconds: float = BUSY_SECONDS) -> sqlite3.Connection:
    """Open an audit file for reading and writing; create it when asked, migrate an older one after a copy.

    Raises AuditFileError when there is none, it is no audit file, is newer than this program, or cannot be written.
    """
    fresh = _is_absent(path, create)
    connection = _connect(path, "rwc" if create else "rw", busy_seconds)
    try:
        if fresh or (create and _is_blank(connection)):
            _create(connection)
        else:
            _check_and_migrate(connection, path)
        _configure(connection)
    except sqlite3.Error as error:
        connection.close()
        raise translate(error, path) from error
    except BaseException:
        connection.close()
        raise
    return connection


@_tried_again
def open_for_reading(path: Path, *, untouched: bool = False) -> sqlite3.Connection:
    """Open an existing audit file for reading only, at the version of this program.

    `untouched` leaves changes that wait beside the file where they are, which a reader who is the last to leave
    otherwise moves into it. Raises AuditFileError as `open_file` does, also for an older file, which a writing command
    migrates first.
    """
    _is_absent(path, False)
    connection = _connect(path, _reading_mode(path) if untouched else "rw", BUSY_SECONDS)
    try:
        try:
            version = _version(connection, path)
        except sqlite3.OperationalError as error:
            if not error.sqlite_errorname.startswith(("SQLITE_CANTOPEN", "SQLITE_READONLY")):
                raise
            _refuse_unread_changes(path)
            # A folder that we may not write into: nobody writes here, so the file can be read without those two.
            connection.close()
            connection = _connect(path, "ro&immutable=1", BUSY_SECONDS)
            version = _version(connection, path)
        if version < len(migrations()):
            connection.close()
            return open_file(path)
        connection.execute("PRAGMA query_only = ON")
        connection.execute("PRAGMA cache_size = -65536")
    except sqlite3.Error as error:
        connection.close()
        raise translate(error, path) from error
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def one_state(connection: sqlite3.Connection) -> Iterator[None]:
    """Read one state of the file in the block, whoever writes meanwhile."""
    if connection.in_transaction:
        yield
        return
    connection.execute("BEGIN")
    try:
        yield
    finally:
        connection.rollback()


def is_older(path: Path) -> bool:
    """Say whether an audit file is of an older version, which opening it would migrate; it stays as it is.

    Raises AuditFileError as `open_file` does.
    """
    _is_absent(path, False)
    with closing(_connect(path, _reading_mode(path), BUSY_SECONDS)) as connection:
        try:
            return _version(connection, path) < len(migrations())
        except sqlite3.OperationalError as error:
            if error.sqlite_errorname.startswith(("SQLITE_CANTOPEN", "SQLITE_READONLY")):
                return False  # `open_for_reading` knows how to read a file in a folder that cannot be written
            raise translate(error, path) from error
        except sqlite3.Error as error:
            raise translate(error, path) from error


def _reading_mode(path: Path) -> str:
    """Return how to open a file so that closing it changes nothing of it.

    A connection that may write moves what waits beside the file into it when it is the last one; one that only reads
    cannot, but leaves behind the -wal and -shm files that it makes where there are none.
    """
    return "ro" if _has_unread_changes(path) else "rw"


def limit_cache(connection: sqlite3.Connection) -> None:
    """Let a connection that many of a process's live beside keep little of the file in memory."""
    connection.execute("PRAGMA cache_size = -8192")


def _refuse_unread_changes(path: Path) -> None:
    """Raise when changes wait beside a file in a folder that cannot be written: reading would pass over them."""
    if _has_unread_changes(path):
        wal = _wal_of(path)
        raise AuditFileError(
            f"{visible_line(str(path))} cannot be read here: {visible_line(str(wal))} holds changes that are not in it"
            " yet, and its folder cannot be written.",
            "Copy both files to a folder that can be written, and name the copy.",
        )


def _wal_of(path: Path) -> Path:
    # Links are followed, as SQLite does.
    return Path(f"{path.resolve()}-wal")


def _has_unread_changes(path: Path) -> bool:
    """Say whether changes wait beside a file that are not in it yet."""
    wal = _wal_of(path)
    return wal.exists() and wal.stat().st_size > 0


def copy_file(path: Path, target: Path) -> None:
    """Copy an audit file of any known version without changing anything about it; do nothing when there is none.

    Raises AuditFileError as `open_file` does.
    """
    if _is_absent(path, True):
        return
    with closing(_connect(path, _reading_mode(path), BUSY_SECONDS)) as connection:
        try:
            if not _is_blank(connection):
                _version(connection, path)
            with closing(sqlite3.connect(target)) as copy:
                connection.backup(copy)
        except sqlite3.Error as error:
            raise translate(error, path) from error


def shell_path(path: Path) -> str:
    """Return a path as a shell takes it, for a command that somebody can copy from a message."""
    return visible_line(shlex.quote(str(path)))


def path_of(connection: sqlite3.Connection) -> Path:
    """Return the path of an open audit file, relative where it lies in the current folder."""
    sql = "SELECT CAST(file AS BLOB) FROM pragma_database_list WHERE name = 'main'"
    path = Path(os.fsdecode(connection.execute(sql).fetchone()[0]))
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def _is_absent(path: Path, may_be: bool) -> bool:
    """Say whether there is no file yet; raise when there must be one, none can be made, or it is no database."""
    shown = visible_line(str(path))
    if path.is_dir():
        raise AuditFileError(f"{shown} is a folder, not an audit file.")
    exists = path.exists()
    absent = not exists or path.stat().st_size == 0
    if absent and not may_be:
        what = f"{shown} is empty, so it is no audit file" if exists else f"there is no audit file {shown}"
        raise AuditFileError(f"{what}.", f"Make one with: auditor import {shell_path(path)} PATH…")
    if not absent and path.stat().st_size < _SMALLEST_DATABASE:
        raise AuditFileError(f"{shown} is not an audit file (no SQLite database).")
    if absent and not path.parent.is_dir():
        raise AuditFileError(f"there is no folder {visible_line(str(path.parent))} to put the audit file into.")
    return absent


def _is_blank(connection: sqlite3.Connection) -> bool:
    """Say whether a database holds nothing at all, as a process leaves it that was killed while making it."""
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    marks = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")]
    return tables == 0 and not any(marks)


def file_id(connection: sqlite3.Connection) -> str:
    """Return what tells this audit from every other one, wherever its file is moved or copied to."""
    (value,) = connection.execute("SELECT value FROM facts WHERE name = 'file_id'").fetchone()
    return str(value)


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """Run a block as one write transaction: BEGIN IMMEDIATE, so that waiting for another writer works."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def translate(error: sqlite3.Error, path: Path) -> AuditFileError:
    """Turn SQLite's error into a sentence that names the file and what to do."""
    shown = visible_line(str(path))
    name = getattr(error, "sqlite_errorname", "") or ""
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return FileBusyError(f"{shown}: another process is writing.", "Try again when it is done.")
    if name.startswith("SQLITE_FULL"):
        return AuditFileError(f"{shown}: the disk is full.", "Nothing of this step was kept; make room and repeat.")
    if name.startswith("SQLITE_READONLY") or name.startswith("SQLITE_CANTOPEN") or name.startswith("SQLITE_PERM"):
        return AuditFileError(f"{shown} cannot be written.", "Check the permissions of the file and of its folder.")
    if name.startswith("SQLITE_IOERR"):
        return AuditFileError(
            f"{shown}: reading or writing it failed ({visible_line(str(error))}).", "Is the disk full, or gone?"
        )
    if name.startswith("SQLITE_NOTADB"):
        return AuditFileError(f"{shown} is not an audit file (no SQLite database).")
    if name.startswith("SQLITE_CORRUPT"):
        return AuditFileError(f"{shown} is damaged ({visible_line(str(error))}).", "Restore a copy of it.")
    return AuditFileError(f"{shown}: {visible_line(str(error))}.")


def _connect(path: Path, mode: str, busy_seconds: float) -> sqlite3.Connection:
    if mode == "rw":
        _let_be_written(path)
    try:
        return sqlite3.connect(
            f"file:{quote(os.fsencode(path.absolute()))}?mode={mode}",
            uri=True,
            timeout=busy_seconds,
            isolation_level=None,
            check_same_thread=False,
        )
    except sqlite3.Error as error:
        raise translate(error, path) from error


def _let_be_written(path: Path) -> None:
    """Give the two files that SQLite keeps beside a file its permissions to write, if they lack them.

    They are made with the file's own permissions, and stay as they are where it was read-only for a while.
    """
    for suffix in ("-wal", "-shm"):
        side = path.with_name(f"{path.name}{suffix}")
        with suppress(OSError):  # there is none, or it is somebody else's
            wanted, given = (stat.S_IMODE(one.stat().st_mode) for one in (path, side))
            if wanted & ~given & 0o222:
                side.chmod(given | wanted & 0o222)


def _configure(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA cache_size = -65536")


def _create(connection: sqlite3.Connection) -> None:
    connection.execute(f"PRAGMA page_size = {FRESH_PAGE_SIZE}")
    connection.execute("PRAGMA journal_mode = WAL")
    with transaction(connection):
        if connection.execute("PRAGMA user_version").fetchone()[0] == 0:
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            _apply(connection, 0)
            connection.execute(
                "INSERT INTO facts VALUES ('created_at', ?), ('created_with', ?), ('file_id', ?)",
                (now(), __version__, str(uuid4())),
            )


def _apply(connection: sqlite3.Connection, version: int) -> None:
    for migration in migrations()[version:]:
        for statement in _statements(migration.path.read_text(encoding="utf-8")):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {migration.number}")


def _statements(script: str) -> Iterator[str]:
    """Split a script into statements; `executescript` cannot be used, since it commits."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def _version(connection: sqlite3.Connection, path: Path) -> int:
    """Return the file's schema version; raise when it is no audit file or newer than this program."""
    shown = visible_line(str(path))
    if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        raise AuditFileError(f"{shown} is a SQLite database, but not an audit file.", "Name another file.")
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > len(migrations()):
        raise AuditFileError(
            f"{shown} was written by a newer auditor (file version {version}, this one knows {len(migrations())}).",
            "Install the newer auditor.",
        )
    return version


def _check_and_migrate(connection: sqlite3.Connection, path: Path) -> None:
    version = _version(connection, path)
    if version == len(migrations()):
        connection.execute("PRAGMA journal_mode = WAL")
        return
    copy = path.with_name(f"{path.name}.version-{version}")
    if not copy.exists():
        partial = copy.with_name(copy.name + ".partial")
        partial.unlink(missing_ok=True)
        try:
            with closing(sqlite3.connect(partial)) as target:
                connection.backup(target)
            partial.rename(copy)
        except BaseException:
            partial.unlink(missing_ok=True)
            raise
    with transaction(connection):
        _apply(connection, _version(connection, path))
