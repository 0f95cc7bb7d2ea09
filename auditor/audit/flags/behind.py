"""The items that a flag counts, where no filter describes them."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from types import MappingProxyType

from auditor.audit.flags.flag import FlagItems
from auditor.store.adjudicable import chosen_items
from auditor.store.annotators import find_codebook_in_file
from auditor.store.decisions import item_states
from auditor.store.flagged_reviews import changed_items, common_items, replacing_responses
from auditor.store.tag_counts import Chosen
from auditor.store.unmatched import largest_cluster_responses, unmatched_replies


def flagged_items(connection: sqlite3.Connection, behind: FlagItems) -> list[int]:
    """Return the row ids of the items."""
    return _FOUND[behind.how](connection, *behind.of)


def _reviewed(connection: sqlite3.Connection, codebook: str, annotator: str) -> list[int]:
    return Chosen(connection, annotators=[annotator]).items_under(codebook)


def _standing(connection: sqlite3.Connection, codebook: str, state: str) -> list[int]:
    book = find_codebook_in_file(connection, codebook)
    states = {} if book is None else item_states(connection, book.id)
    return chosen_items(connection, [row for row, (of, _) in states.items() if of == state])


_FOUND: Mapping[str, Callable[..., list[int]]] = MappingProxyType(
    {
        "changed": changed_items,
        "common": common_items,
        "largest cluster": largest_cluster_responses,
        "replaced": replacing_responses,
        "reviewed": _reviewed,
        "standing": _standing,
        "unmatched": unmatched_replies,
    }
)
