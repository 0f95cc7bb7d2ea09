"""What a later pass over own items draws from: what a person reviewed, and what the pass has begun."""

from __future__ import annotations

import sqlite3


def reviewed_times(connection: sqlite3.Connection, annotator_id: int, codebook_id: int) -> dict[int, str]:
    """Return what an annotator has reviewed under a codebook: when it was last touched, by response id."""
    sql = (
        "SELECT response_id, updated_at FROM reviews WHERE annotator_id = ? AND codebook_id = ? AND state = 'reviewed'"
    )
    return dict(connection.execute(sql, (annotator_id, codebook_id)))


def touched_responses(connection: sqlite3.Connection, annotator_id: int, codebook_id: int) -> set[int]:
    """Return what an annotator has anything on, or had, under a codebook."""
    sql = "SELECT response_id FROM reviews WHERE annotator_id = ? AND codebook_id = ?"
    return {row for (row,) in connection.execute(sql, (annotator_id, codebook_id))}
