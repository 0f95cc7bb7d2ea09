"""Responses whose numbers a reader has to doubt: invalid ones, which are left out, and ones with a disputed oracle."""

from __future__ import annotations

import sqlite3

from auditor.store.expr import parse
from auditor.store.filter import LIVE, Vocabulary, compile_filter
from auditor.store.invalidations import IS_INVALID, any_invalid
from auditor.text import to_storage

_DISPUTED = "t.id IN (SELECT task_id FROM task_executions WHERE verdict = 'disputed')"


def count_left_out(connection: sqlite3.Connection, where: str = "", *, codebook: str | None = None) -> int:
    """Count the responses that a filter leaves out only because they are invalid; none where it speaks of that.

    With a codebook only those that somebody has reviewed under it.
    """
    if not any_invalid(connection) or "invalid" in Vocabulary(connection).mentioned(parse(where)):
        return 0
    return _count(connection, where, IS_INVALID, codebook, invalid_too=True)


def count_disputed(
    connection: sqlite3.Connection, where: str = "", *, codebook: str | None = None, invalid_too: bool = False
) -> int:
    """Count the responses that a filter leaves whose oracle is disputed: running the task gives another output.

    With a codebook only those that somebody has reviewed under it.
    """
    if connection.execute("SELECT 1 FROM task_executions WHERE verdict = 'disputed' LIMIT 1").fetchone() is None:
        return 0
    return _count(connection, where, _DISPUTED, codebook, invalid_too=invalid_too)


def _count(connection: sqlite3.Connection, where: str, which: str, codebook: str | None, *, invalid_too: bool) -> int:
    condition = compile_filter(connection, where, invalid_too=invalid_too)
    sql = f"SELECT count(*) FROM {LIVE} WHERE r.superseded_at IS NULL AND {which} AND {condition.text}"
    params = condition.params
    if codebook is not None:
        sql += (
            " AND EXISTS (SELECT 1 FROM reviews w JOIN codebooks b ON b.id = w.codebook_id WHERE w.response_id = r.id"
            " AND w.state = 'reviewed' AND b.name = ?)"
        )
        params = (*params, to_storage(codebook))
    return int(connection.execute(sql, params).fetchone()[0])
