"""The computed modes of responses, as what the program says of them beside what annotators say."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence

_IDS_A_QUERY = 5_000


def modes_of_responses(connection: sqlite3.Connection, response_ids: Sequence[int]) -> dict[int, frozenset[str]]:
    """Return all modes that hold of each of these responses, the primary and those beside it, by row id.

    A response without a grade has no entry: nothing was computed of it.
    """
    found: dict[int, frozenset[str]] = {}
    for at in range(0, len(response_ids), _IDS_A_QUERY):
        ids = response_ids[at : at + _IDS_A_QUERY]
        sql = f"SELECT response_id, findings FROM grades WHERE response_id IN ({', '.join('?' * len(ids))})"
        for response_id, findings in connection.execute(sql, ids):
            found[response_id] = frozenset(finding["mode"] for finding in json.loads(findings)["findings"])
    return found
