"""Graded verdicts with their replies, and which oracles occur: what the tables of a paper are made of."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from auditor.model import Finding
from auditor.store.cells import Group
from auditor.store.filter import LIVE, Vocabulary, compile_filter
from auditor.store.grades import finding_from
from auditor.text import from_storage


class GradedVerdict(NamedTuple):
    """One live reply to a task of the target verdict."""

    group: Group
    oracle: str
    reply: str | None
    findings: tuple[Finding, ...]
    """The primary one first; empty when it is not graded."""


def graded_verdicts(connection: sqlite3.Connection, dimensions: Sequence[str], where: str) -> Iterator[GradedVerdict]:
    """Read the live replies of a filter that answer a verdict; invalid ones are left out."""
    vocabulary = Vocabulary(connection)
    groups = [vocabulary.dimension(name) for name in dimensions]
    condition = compile_filter(connection, where)
    names = ", ".join(group.text for group in groups)
    sql = (
        f"SELECT {names}, t.oracle, r.reply, d.findings FROM {LIVE} WHERE r.superseded_at IS NULL"
        f" AND t.target = 'verdict' AND {condition.text} ORDER BY r.id"
    )
    params = [param for group in groups for param in group.params] + list(condition.params)
    for *group, oracle, reply, findings in connection.execute(sql, params):
        found = () if findings is None else tuple(map(finding_from, json.loads(findings)["findings"]))
        yield GradedVerdict(tuple(map(_value, group)), from_storage(oracle) or "", from_storage(reply), found)


def distinct_oracles(connection: sqlite3.Connection, dimensions: Sequence[str], where: str) -> dict[Group, set[str]]:
    """Return the oracles that occur among the answered tasks of a filter that ask for a verdict, by groups."""
    vocabulary = Vocabulary(connection)
    groups = [vocabulary.dimension(name) for name in dimensions]
    condition = compile_filter(connection, where)
    names = ", ".join(group.text for group in groups)
    sql = f"SELECT DISTINCT {names}, t.oracle FROM {LIVE} WHERE r.superseded_at IS NULL"
    sql += f" AND t.target = 'verdict' AND {condition.text}"
    params = [param for group in groups for param in group.params] + list(condition.params)
    found: dict[Group, set[str]] = defaultdict(set)
    for *group, oracle in connection.execute(sql, params):
        found[tuple(map(_value, group))].add(from_storage(oracle) or "")
    return found


def _value(value: Any) -> Any:
    return from_storage(value) if isinstance(value, bytes) else value
