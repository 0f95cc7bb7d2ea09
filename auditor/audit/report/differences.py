"""On what annotators differ: which tags they put instead of each other, and the items, smallest program first."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from auditor.agreement.confusion import confusion
from auditor.audit.rated import RatedAudit
from auditor.audit.report.subject import Subject
from auditor.documents.document import Block, Code, Column, Paragraph, Table, Words
from auditor.store.adjudicable import item_facts
from auditor.store.annotators import find_codebook_in_file
from auditor.store.decisions import item_states
from auditor.text import counted

_MOST_ITEMS, _MOST_SWAPS, _MOST_PAIRS = 25, 10, 6


def difference_blocks(subject: Subject, audit: RatedAudit, ident: str) -> Iterator[Block]:
    """Return what two people put instead of each other, and the items that people differ on."""
    names = {tag.id: tag.name for tag in audit.codebook.tags}
    ratings = audit.ratings()
    rows = []
    for first, second in list(combinations(audit.people, 2))[:_MOST_PAIRS]:
        for (one, other), count in confusion(ratings, first, second).swaps[:_MOST_SWAPS]:
            rows.append([first, _tag(one, names), second, _tag(other, names), f"{count:,}"])
    if not rows:
        yield Paragraph("On no item that two people reviewed do they differ.")
        return
    columns = [Column(name, False) for name in ("one", "puts", "the other", "instead")]
    yield Table(f"What people put instead of each other ({audit.name})", [*columns, Column("items")], rows)
    yield from _items(subject, audit, names)


def _tag(tag: str | None, names: dict[str, str]) -> str:
    return "nothing" if tag is None else names.get(tag, tag)


def _items(subject: Subject, audit: RatedAudit, names: dict[str, str]) -> Iterator[Block]:
    said: dict[int, dict[str, frozenset[str]]] = {}
    rated = audit.rated
    for item, who, tags in zip(rated.items, rated.annotators, rated.tags, strict=True):
        if who in audit.people:
            said.setdefault(item, {})[who] = tags
    differing = [item for item, by in said.items() if len(set(by.values())) > 1]
    facts = item_facts(subject.connection, differing)
    chosen = sorted(differing, key=lambda item: (facts[item].lines, facts[item].key))[:_MOST_ITEMS]
    book = find_codebook_in_file(subject.connection, audit.name)
    states = item_states(subject.connection, book.id) if book is not None else {}
    rows = [
        [
            str(facts[item].key),
            str(facts[item].lines),
            *(_set(said[item].get(who), names) for who in audit.people),
            states[item][0] if item in states else "",
        ]
        for item in chosen
    ]
    columns = [Column("item", False), Column("lines"), *(Column(who, False) for who in audit.people)]
    several = sum(len(by) > 1 for by in said.values())
    notes: list[Words] = [
        f"{len(differing):,} of {counted(several, 'item')} that several people reviewed; the smallest programs first."
    ]
    if len(differing) > len(chosen):
        command = Code("auditor adjudicate FILE --list")
        notes.append((f"{len(differing) - len(chosen):,} more are in the file; ", command, " lists them."))
    yield Table(f"Items that people differ on ({audit.name})", [*columns, Column("stands", False)], rows, notes)


def _set(tags: frozenset[str] | None, names: dict[str, str]) -> str:
    if tags is None:
        return "not reviewed"
    return ", ".join(names.get(tag, tag) for tag in sorted(tags)) or "no tag"
