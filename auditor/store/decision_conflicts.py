"""Decisions of two adjudicators that contradict each other, on items that a merge touched."""

from __future__ import annotations

import sqlite3
from itertools import groupby

from auditor.store.join_report import DecisionConflict
from auditor.store.responses import key_from_row
from auditor.text import from_storage


def decision_conflicts(connection: sqlite3.Connection) -> list[DecisionConflict]:
    """List the tags, on items of the list `touched`, of which two people decided differently."""
    sql = (
        "SELECT s.name, c.name, t.arm, g.name, r.sample, b.name, k.name, a.name, d.verdict, e.at FROM decisions d"
        " JOIN tags p ON p.id = d.tag_id JOIN tags k ON k.id = coalesce(p.counts_as, p.id)"
        " JOIN annotators a ON a.id = d.annotator_id JOIN codebooks b ON b.id = d.codebook_id"
        " JOIN events e ON e.id = d.event_id JOIN responses r ON r.id = d.response_id JOIN tasks t ON t.id = r.task_id"
        " JOIN cases c ON c.id = t.case_id JOIN studies s ON s.id = c.study_id JOIN settings g ON g.id = r.setting_id"
        " WHERE d.response_id IN (SELECT response_id FROM touched)"
        " AND EXISTS (SELECT 1 FROM decisions o JOIN touched h ON h.annotator_id = o.annotator_id"
        " AND h.response_id = o.response_id WHERE o.response_id = d.response_id AND o.codebook_id = d.codebook_id)"
        " ORDER BY s.name, c.name, t.arm, g.name, r.sample, b.name, k.name, e.at, e.uuid"
    )
    found = []
    for key, rows in groupby(connection.execute(sql), lambda row: row[:7]):
        said = tuple((from_storage(who) or "", verdict, at) for *_, who, verdict, at in rows)
        if len({verdict for _, verdict, _ in said}) > 1:
            names = (from_storage(key[5]) or "", from_storage(key[6]) or "")
            found.append(DecisionConflict(str(key_from_row(key)), *names, said))
    return found
