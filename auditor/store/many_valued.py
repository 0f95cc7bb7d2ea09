"""Dimensions of which one response has several values or none: tags, people, states; as conditions in SQL."""

from __future__ import annotations

from collections.abc import Sequence

from auditor.model import ReviewState
from auditor.store.known_values import VALUES, check_values
from auditor.store.leases import HELD_NOW
from auditor.store.outdated import NEEDS_LOOK
from auditor.store.sql import Sql
from auditor.store.text_terms import stored_forms

MANY = frozenset({"tag", "annotator", "state", "revealed", "stale", "assigned", "held", "bookmarked", "decision"})
"""Dimensions of which one response has several values or none."""

_FIRST_PASS = "JOIN annotators z ON z.id = {}.annotator_id AND z.pass_of IS NULL"
"""Leaves out what a person said in a later pass over own items: it is counted only where that pass is named."""
_THEIRS = "(a.name IN ({0}) OR b.name || '/' || a.name IN ({0}))"
"""A name alone stands for the assignments under all codebooks, `prex/ana` for the one under that codebook."""
_HOLDS = {
    "tag": (
        "EXISTS (SELECT 1 FROM counted_tags p JOIN tags k ON k.id IN (p.tag_id, p.applied_tag_id)"
        f" {_FIRST_PASS.format('p')} WHERE p.response_id = r.id AND k.name IN ({{0}}))"
    ),
    "annotator": (
        "EXISTS (SELECT 1 FROM reviews w JOIN annotators a ON a.id = w.annotator_id"
        " WHERE w.response_id = r.id AND w.state <> 'not-reviewed' AND a.name IN ({0}))"
    ),
    "bookmarked": (
        "r.id IN (SELECT b.response_id FROM bookmarks b JOIN annotators a ON a.id = b.annotator_id"
        " WHERE a.name IN ({0}))"
    ),
    # Whole clusters, or of an assignment that is a sample the items of it that are in somebody's clusters.
    "assigned": (
        "(t.cluster_id IN (SELECT p.cluster_id FROM assigned_clusters p JOIN annotators a ON a.id = p.annotator_id"
        " JOIN assignments n ON n.id = p.assignment_id JOIN codebooks b ON b.id = n.codebook_id"
        f" WHERE n.take IS NULL AND {_THEIRS})"
        " OR r.id IN (SELECT x.id FROM sampled_items q"
        " JOIN tasks y ON y.case_id = q.case_id AND y.arm = q.arm AND y.superseded_at IS NULL"
        " JOIN responses x ON x.task_id = y.id AND x.setting_id = q.setting_id AND x.sample = q.sample"
        " AND x.superseded_at IS NULL"
        " JOIN assigned_clusters p ON p.assignment_id = q.assignment_id AND p.cluster_id = y.cluster_id"
        " JOIN annotators a ON a.id = p.annotator_id JOIN assignments n ON n.id = q.assignment_id"
        f" JOIN codebooks b ON b.id = n.codebook_id WHERE {_THEIRS}))"
    ),
    "held": (
        "r.id IN (SELECT l.response_id FROM leases l JOIN annotators a ON a.id = l.annotator_id"
        f" WHERE a.name IN ({{0}}) AND {HELD_NOW})"
    ),
    "stale": (
        "r.id IN (SELECT w.response_id FROM reviews w JOIN annotators a ON a.id = w.annotator_id"
        f" WHERE a.name IN ({{0}}) AND {NEEDS_LOOK})"
    ),
    "revealed": (
        "EXISTS (SELECT 1 FROM reveals e JOIN reviews w ON w.response_id = e.response_id"
        " AND w.annotator_id = e.annotator_id WHERE e.response_id = r.id"
        " AND CASE WHEN e.event_id < w.event_id THEN 'before' ELSE 'after' END IN ({0}))"
    ),
}
"""Conditions by dimension, to be completed with one mark a value, as often as `{0}` stands in it."""


def match_many(name: str, values: Sequence[str]) -> Sql:
    """Compile that one of several values of a response is among `values`: any of MANY but `decision`.

    Raises InputError for a value that the dimension cannot have.
    """
    if name in VALUES:
        check_values(name, values, VALUES[name])
    if name == "state":
        return _in_state(values)
    params = tuple(form for value in values for form in stored_forms(value))
    condition = _HOLDS[name]
    return Sql(condition.format(", ".join("?" * len(params))), params * condition.count("{0}"))


def _in_state(states: Sequence[str]) -> Sql:
    """Compile that a review stands so; without a review an item is not reviewed."""
    some = f"EXISTS (SELECT 1 FROM reviews w {_FIRST_PASS.format('w')} WHERE w.response_id = r.id AND w.state"
    begun = tuple(state for state in states if state != ReviewState.NOT_REVIEWED)
    parts = [f"{some} IN ({', '.join('?' * len(begun))}))"] if begun else []
    if len(begun) < len(states):
        parts.append(f"NOT {some} <> 'not-reviewed')")
    return Sql(f"({' OR '.join(parts)})", begun)
