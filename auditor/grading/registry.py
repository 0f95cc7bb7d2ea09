"""Find policies and envelopes through entry points: the built-in ones come through the same door as anyone's."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from auditor.errors import InputError
from auditor.grading.question import Envelope, Policy

POLICY_GROUP = "auditor.policies"
ENVELOPE_GROUP = "auditor.envelopes"


@cache
def _entries(group: str) -> Mapping[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=group)}


@cache
def _find(group: str, name: str) -> Any:
    kind = "policy" if group == POLICY_GROUP else "envelope"
    entry = _entries(group).get(name)
    if entry is None:
        known = sorted(_entries(group))
        near = difflib.get_close_matches(name[:100], known, n=1, cutoff=0.4)
        hint = f"Did you mean {near[0]!r}?" if near else f"Known: {', '.join(known)}."
        raise InputError(f"there is no grading {kind} {name[:100]!r}.", hint=hint)
    try:
        return entry.load()
    except Exception as error:
        package = entry.dist.name if entry.dist else "an unknown package"
        raise InputError(f"the {kind} {name!r} of {package} cannot be loaded: {error}") from error


def find_policy(name: str) -> Policy:
    """Return a policy by name; raises InputError that names the nearest known one."""
    policy: Policy = _find(POLICY_GROUP, name)
    return policy


def find_envelope(name: str) -> Envelope:
    """Return an envelope by name; raises InputError that names the nearest known one."""
    envelope: Envelope = _find(ENVELOPE_GROUP, name)
    return envelope


def policies() -> Mapping[str, Policy]:
    """Return every installed policy by name; raises InputError for one that cannot be loaded."""
    return {name: find_policy(name) for name in sorted(_entries(POLICY_GROUP))}


def envelopes() -> Mapping[str, Envelope]:
    """Return every installed envelope by name; raises InputError for one that cannot be loaded."""
    return {name: find_envelope(name) for name in sorted(_entries(ENVELOPE_GROUP))}
