"""Which response of an audit file is the one that somebody else's annotations are about: by names and by contents."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from auditor.model import ResponseKey
from auditor.store.annotation_source import item_hash
from auditor.store.responses import RESPONSE_TABLES, key_from_row
from auditor.text import to_storage

ABSENT = "there is no such response in the audit file"
DIFFERENT = "the audit file holds other contents under this name"


class Found(NamedTuple):
    """A response, or why there is none."""

    response_id: int | None
    reason: str = ""
    replaced: bool = False
    """Whether other contents took its place since, so that nothing on it counts."""


class ItemFinder:
    """Finds responses, each once."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._found: dict[tuple[ResponseKey, bytes], Found] = {}
        self._replaced: dict[tuple[ResponseKey, bytes], int] | None = None

    def find(self, key: ResponseKey, content: bytes) -> Found:
        """Return the response with these names and contents; the live one where an older one was the same."""
        known = self._found.get((key, content))
        if known is None:
            known = self._found[key, content] = self._look(key, content)
        return known

    def _look(self, key: ResponseKey, content: bytes) -> Found:
        sql = (
            f"SELECT r.id, t.content_hash, r.content_hash FROM {RESPONSE_TABLES} WHERE s.name = ? AND c.name = ?"
            " AND t.arm = ? AND g.name = ? AND r.sample = ? AND r.superseded_at IS NULL AND t.superseded_at IS NULL"
        )
        row = self._connection.execute(sql, (*map(to_storage, key[:4]), key.sample)).fetchone()
        if row is not None and item_hash(row[1], row[2]) == content:
            return Found(row[0])
        older = self._all_replaced().get((key, content))
        if older is not None:
            return Found(older, replaced=True)
        return Found(None, ABSENT if row is None else DIFFERENT)

    def _all_replaced(self) -> dict[tuple[ResponseKey, bytes], int]:
        """Return the responses that were replaced; they are few, and no index leads to them."""
        if self._replaced is None:
            sql = (
                "SELECT s.name, c.name, t.arm, g.name, r.sample, t.content_hash, r.content_hash, r.id"
                f" FROM {RESPONSE_TABLES} WHERE r.superseded_at IS NOT NULL ORDER BY r.id"
            )
            self._replaced = {
                (key_from_row(names), item_hash(task, response)): row
                for *names, task, response, row in self._connection.execute(sql)
            }
        return self._replaced
