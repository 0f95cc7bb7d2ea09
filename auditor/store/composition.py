"""What the studies of an audit file are made of: cases, sources, languages, complexity."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

from auditor.errors import InputError
from auditor.store.cells import cluster_counts
from auditor.store.filter import LIVE, Vocabulary, compile_filter
from auditor.store.sql import Sql
from auditor.store.suggestions import hint_for_nothing
from auditor.text import from_storage, visible_line

COMPLEXITY = "cyclomatic"


class StudyFacts(NamedTuple):
    """One study, of which a filter leaves something."""

    study: str
    languages: Sequence[str]
    cases: int
    sources: int
    """Clusters: clean sources, or problems."""
    completed: int
    """Responses with a reply."""
    planned: int
    complexities: Sequence[float]
    """Of each case that has one: in the wanted arm, or in its first arm where it has none."""


def study_facts(connection: sqlite3.Connection, where: str = "", arm: str = "short-trace-final") -> list[StudyFacts]:
    """Count what a filter leaves by study, in the order of import; raises InputError when it leaves nothing."""
    vocabulary = Vocabulary(connection)
    complexity = vocabulary.dimension(COMPLEXITY) if COMPLEXITY in vocabulary.facets else Sql("NULL")
    condition = compile_filter(connection, where)
    sql = (
        f"SELECT DISTINCT s.id, s.name, t.language, c.id, t.cluster_id, t.arm, {complexity.text}, t.id FROM {LIVE}"
        f" WHERE r.superseded_at IS NULL AND {condition.text} ORDER BY s.id, c.id, t.arm <> ?, t.id"
    )
    rows = connection.execute(sql, (*complexity.params, *condition.params, arm)).fetchall()
    if not rows:
        raise InputError(f"no response matches {visible_line(where)!r}.", hint=hint_for_nothing(connection, where))
    counts: dict[str, list[int]] = {}
    for count in cluster_counts(connection, ["study"], where):
        sums = counts.setdefault(count.group[0], [0, 0])
        sums[0], sums[1] = sums[0] + count.completed, sums[1] + count.planned
    found = []
    for study in dict.fromkeys(row[0] for row in rows):
        own = [row for row in rows if row[0] == study]
        name = from_storage(own[0][1]) or ""
        # The rows of a case begin with that of the wanted arm.
        first = {row[3]: row[6] for row in reversed(own)}
        numbers = [value for value in first.values() if isinstance(value, int | float)]
        languages = list(dict.fromkeys(from_storage(row[2]) or "" for row in own))
        completed, planned = counts[name]
        found.append(StudyFacts(name, languages, len(first), len({r[4] for r in own}), completed, planned, numbers))
    return found
