"""Counts of the responses by task, setting and grade, kept for a while: many tables of one file are sums of them.

    with kept_counts(connection):            in one read transaction: what is read in it is of one state of the file
        cluster_counts(…), count_unsettled(…)  read the counts where their filter and dimensions allow it

A table beside the file, which only this connection sees, holds them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress

from auditor.model import SUBJECT
from auditor.store.expr import And, Expr, Not, Or, Word
from auditor.store.filter import Vocabulary, of_one_response
from auditor.store.invalidations import IS_INVALID, any_invalid

COUNTED = (
    f"temp.response_counts d JOIN tasks t ON t.id = d.task_id AND NOT d.invalid AND t.target <> '{SUBJECT}'"
    " JOIN cases c ON c.id = t.case_id JOIN studies s ON s.id = c.study_id JOIN settings g ON g.id = d.setting_id"
)
"""The counts with the tables behind the dimensions that they have, aliased as in ITEMS; there is no `r`.

Invalid responses, which are counted apart, and subjects are left out."""
_OF_A_GRADE = frozenset({"status", "mode.computed"})
"""What the counts tell of responses."""


@contextmanager
def kept_counts(connection: sqlite3.Connection) -> Iterator[None]:
    """Count all live responses, and keep that until the end; the caller is in a transaction.

    Where the counts are kept already, they stay.
    """
    assert connection.in_transaction, "counts are of one state of the file"
    if are_kept(connection):
        yield
        return
    invalid = IS_INVALID if any_invalid(connection) else "0"
    # Read in the order in which rows lie in the file, not in that of an index, which would jump through all of it.
    _write(
        connection,
        "CREATE TEMP TABLE response_counts AS SELECT r.task_id, r.setting_id, d.status, d.mode,"
        f" d.non_literal, {invalid} AS invalid, count(*) AS responses, count(r.reply) AS replies,"
        " sum(r.reply IS NOT NULL AND d.extraction = 'none') AS unfound"
        " FROM responses r NOT INDEXED LEFT JOIN grades d ON d.response_id = r.id"
        " WHERE r.superseded_at IS NULL GROUP BY 1, 2, 3, 4, 5, 6",
    )
    try:
        yield
    except BaseException:
        # What stops a reader may stop this too; nobody goes on with the connection.
        with suppress(sqlite3.Error):
            _write(connection, "DROP TABLE temp.response_counts")
        raise
    _write(connection, "DROP TABLE temp.response_counts")


def _write(connection: sqlite3.Connection, sql: str) -> None:
    """Change what only this connection sees, be it one for reading."""
    (reads_only,) = connection.execute("PRAGMA query_only").fetchone()
    connection.execute("PRAGMA query_only = OFF")
    try:
        connection.execute(sql)
    finally:
        connection.execute(f"PRAGMA query_only = {reads_only}")


def are_kept(connection: sqlite3.Connection) -> bool:
    """Say whether counts are kept now."""
    sql = "SELECT 1 FROM temp.sqlite_master WHERE name = 'response_counts'"
    return connection.execute(sql).fetchone() is not None


def can_be_summed(connection: sqlite3.Connection, vocabulary: Vocabulary, expr: Expr, names: Collection[str]) -> bool:
    """Say whether counts are kept and tell all that a filter and dimensions of these names speak of."""
    spoken = vocabulary.mentioned(expr) | set(names)
    return are_kept(connection) and not _has_word(expr) and not any(map(of_one_response, spoken - _OF_A_GRADE))


def _has_word(expr: Expr) -> bool:
    match expr:
        case Word():
            return True
        case Not(part):
            return _has_word(part)
        case And(parts) | Or(parts):
            return any(map(_has_word, parts))
    return False
