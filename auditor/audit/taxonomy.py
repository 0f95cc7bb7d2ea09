"""The taxonomy: what went wrong, how often each annotator says so, and an example of each tag."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from auditor.audit.decided import DecidedCounts, decided_counts
from auditor.codebook import Tag
from auditor.errors import InputError
from auditor.formats.markdown import code_block, escaped, table_head, table_line
from auditor.model import Scalar, join_key
from auditor.store.annotators import StoredCodebook, find_codebook_in_file
from auditor.store.decisions import OPEN, STALE, UNANIMOUS, UNRESOLVED
from auditor.store.responses import load_response
from auditor.store.tag_counts import Chosen, Exemplar, Reviewer, TagUse
from auditor.store.tasks import load_task, oracle_text
from auditor.text import counted

TAXONOMY_COLUMNS = (
    "codebook",
    "revision",
    "tag",
    "name",
    "group",
    "definition",
    "decision_rule",
    "annotator",
    "kind",
    "items",
    "reviewed",
    "share",
    "clusters",
    "agreed",
    "reviewed_by_several",
    "exemplar",
    "filter",
    "blind",
    "first_cause",
)
DECISION = "decision"
"""The kind of what is decided, which stands beside that of the annotators; its name is that of the adjudicators."""
_EXAMPLE_CHARACTERS = 2_000


@dataclass(frozen=True, slots=True)
class TagSummary:
    """One tag and everybody's use of it."""

    tag: Tag
    uses: tuple[tuple[Reviewer, TagUse], ...]
    agreed: dict[str, int]
    """Items that at least two annotators of a kind reviewed and all of them tagged so, by kind."""
    exemplar: Exemplar | None
    merged: tuple[str, ...] = ()
    """Ids of other tags that are counted as this one."""


@dataclass(frozen=True, slots=True)
class Taxonomy:
    """One codebook's tags in order, those that nobody used too; retired ones come last."""

    name: str
    title: str
    revision: int
    reviewers: tuple[Reviewer, ...]
    several: dict[str, int]
    """Items that at least two annotators of a kind reviewed, by kind."""
    tags: tuple[TagSummary, ...]
    filter: str | None
    """What left only the items that are counted; None = nothing."""
    decided: DecidedCounts | None = None
    """What is decided in the end, which comes first among the uses of each tag; None = nothing is decided."""


def taxonomies(connection: sqlite3.Connection, where: str = "", annotators: Sequence[str] = ()) -> list[Taxonomy]:
    """Count every tag of every codebook that something was reviewed under.

    Where something is decided, and no annotators are chosen, what holds in the end is counted first.

    Raises InputError when nothing was reviewed, rather than giving an empty table.
    """
    chosen = Chosen(connection, where, annotators)
    reviewers = chosen.reviewers()
    if not reviewers:
        begun = chosen.begun()
        left = " that the filter and the annotators leave" if where or annotators else ""
        more = f" ({begun:,} reviews are begun or deferred)" if begun else ""
        raise InputError(f"nobody has reviewed anything{left}, so there is no taxonomy to write{more}.")
    uses, agreed, several, exemplars = chosen.uses(), chosen.agreed(), chosen.several(), chosen.exemplars()
    decisions = {} if annotators else decided_counts(connection, where)
    found = []
    for name in dict.fromkeys(reviewer.codebook for reviewer in reviewers):
        stored = find_codebook_in_file(connection, name)
        assert stored is not None
        mine = tuple(reviewer for reviewer in reviewers if reviewer.codebook == name)
        kinds = list(dict.fromkeys(reviewer.kind for reviewer in mine))
        decided = decisions.get(name)
        tags = tuple(
            TagSummary(
                tag,
                (
                    *_decided_use(decided, name, tag.id),
                    *((one, uses.get((name, tag.id, one.annotator), TagUse(0, 0))) for one in mine),
                ),
                {kind: agreed.get((name, tag.id, kind), 0) for kind in kinds},
                exemplars.get((name, tag.id)) if decided is None else _decided_exemplar(decided, tag.id),
                tuple(id_ for id_, counted in stored.codebook.counts_as.items() if counted == tag.id != id_),
            )
            for tag in _all_tags(
                stored, {tag for book, tag, _ in uses if book == name}.union(decided.tags if decided else ())
            )
        )
        counts = {kind: several.get((name, kind), 0) for kind in kinds}
        filter_ = where.strip() or None
        found.append(Taxonomy(name, stored.codebook.title, stored.revision, mine, counts, tags, filter_, decided))
    return found


def _decided_use(decided: DecidedCounts | None, codebook: str, tag: str) -> tuple[tuple[Reviewer, TagUse], ...]:
    """Return what is decided of a tag, as if it were an annotator's use of it; empty where nothing is final."""
    if decided is None or not decided.items:
        return ()
    final = Reviewer(codebook, join_key(decided.adjudicators), DECISION, decided.items)
    return ((final, TagUse(decided.tags[tag], len(decided.clusters.get(tag, ())))),)


def _decided_exemplar(decided: DecidedCounts, tag: str) -> Exemplar | None:
    found = decided.exemplars.get(tag)
    return None if found is None else Exemplar(str(found[1].key), found[1].lines, found[1].task_id, found[0])


def _all_tags(stored: StoredCodebook, used: set[str]) -> list[Tag]:
    known = {tag.id for tag in stored.codebook.tags}
    gone = [Tag(tag, tag, "", definition="No longer in the codebook.") for tag in sorted(used - known)]
    # A merged tag is counted under another one; a retired one that nobody used says nothing.
    retired = [tag for tag in stored.codebook.tags if tag.retired and tag.id in used]
    return [*stored.codebook.active, *retired, *gone]


def taxonomy_records(found: Sequence[Taxonomy]) -> Iterator[dict[str, Scalar]]:
    """Return one flat record a tag and annotator, with the fields of TAXONOMY_COLUMNS."""
    for taxonomy in found:
        for summary in taxonomy.tags:
            for reviewer, use in summary.uses:
                yield {
                    "codebook": taxonomy.name,
                    "revision": taxonomy.revision,
                    "tag": summary.tag.id,
                    "name": summary.tag.name,
                    "group": summary.tag.group,
                    "definition": summary.tag.definition,
                    "decision_rule": summary.tag.decision_rule,
                    "annotator": reviewer.annotator,
                    "kind": reviewer.kind,
                    "items": use.items,
                    "reviewed": reviewer.reviewed,
                    "share": use.items / reviewer.reviewed,
                    "clusters": use.clusters,
                    "agreed": _agreed(taxonomy, summary, reviewer),
                    "reviewed_by_several": taxonomy.several.get(reviewer.kind, reviewer.reviewed),
                    "exemplar": summary.exemplar.item if summary.exemplar else None,
                    "filter": taxonomy.filter,
                    "blind": use.blind,
                    "first_cause": use.first,
                }


def _agreed(taxonomy: Taxonomy, summary: TagSummary, reviewer: Reviewer) -> int:
    """Return on how many items several of a kind agree on a tag; of what is decided, how many needed no decision."""
    if reviewer.kind == DECISION and taxonomy.decided is not None:
        return taxonomy.decided.agreed[summary.tag.id]
    return summary.agreed[reviewer.kind]


# --- as a document -------------------------------------------------------------------------------------------------

_PLURALS = {"person": "people", "model": "models", "computed": "computed modes"}


def taxonomy_document(connection: sqlite3.Connection, found: Sequence[Taxonomy]) -> Iterator[str]:
    """Return the taxonomies as the lines of a Markdown document, with an example of each tag."""
    for number, taxonomy in enumerate(found):
        yield ("\n" if number else "") + f"# {escaped(taxonomy.title)}\n"
        reviews = "; ".join(
            f"{escaped(r.annotator)} ({r.kind}) reviewed {counted(r.reviewed, 'item')}" for r in taxonomy.reviewers
        )
        yield f"Codebook {escaped(taxonomy.name)}, revision {taxonomy.revision}. {reviews}."
        if taxonomy.decided is not None:
            yield _decided_words(taxonomy.decided)
        if taxonomy.filter is not None:
            yield f"Only items that this filter leaves: {escaped(taxonomy.filter)}"
        for kind, count in taxonomy.several.items():
            if count:
                yield f"{counted(count, 'item')} {_was(count)} reviewed by at least two {_PLURALS[kind]}."
        first = (
            " First cause: items on which the tag came first and led to the others." if _is_ordered(taxonomy) else ""
        )
        yield f"A share is of the items that the annotator reviewed. An item can have several tags.{first}\n"
        for summary in taxonomy.tags:
            yield from _section(connection, taxonomy, summary)


def _decided_words(decided: DecidedCounts) -> str:
    """Say what the counts of decisions are of, and what they leave out."""
    counts = decided.counts
    words = (
        f"Decided by {escaped(', '.join(decided.adjudicators))}: {counted(decided.items, 'item')} with final tags, of"
        f" which all annotators agree on {counts[UNANIMOUS]:,}. The first row of each table counts these items."
    )
    left = [(counts[OPEN], "something open"), (counts[UNRESOLVED], "something unresolved")]
    told = [f"{counted(count, 'item')} with {what}" for count, what in left if count]
    if told:
        words += f" Left out there: {' and '.join(told)}."
    if counts[STALE]:
        words += f" On {counted(counts[STALE], 'item')} a mark has changed since the decision."
    return words


def _is_ordered(taxonomy: Taxonomy) -> bool:
    """Say whether anybody marked which tag came first."""
    return any(use.first for summary in taxonomy.tags for _, use in summary.uses)


def _was(count: int) -> str:
    return "was" if count < 2 else "were"


def _section(connection: sqlite3.Connection, taxonomy: Taxonomy, summary: TagSummary) -> Iterator[str]:
    tag = summary.tag
    group = f", group {escaped(tag.group)}" if tag.group else ""
    yield f"## {escaped(tag.name)}\n"
    yield f"{escaped(tag.id)}{group}. {escaped(tag.definition)}\n"
    if tag.retired:
        yield f"Retired{', split into ' + escaped(', '.join(tag.split_into)) if tag.split_into else ''}.\n"
    if summary.merged:
        yield f"Counted with it: {escaped(', '.join(summary.merged))}.\n"
    if tag.decision_rule:
        yield f"When: {escaped(tag.decision_rule)}\n"
    ordered = _is_ordered(taxonomy)
    columns = ("annotator", "kind", "items", "reviewed", "share", "clusters", *(("first cause",) if ordered else ()))
    yield table_head(columns, columns[2:])
    for reviewer, use in summary.uses:
        share = f"{100 * use.items / reviewer.reviewed:.1f} %"
        counts = (use.items, reviewer.reviewed, share, use.clusters, *((use.first,) if ordered else ()))
        name = reviewer.annotator if reviewer.kind != DECISION else "decided"
        yield table_line((name, reviewer.kind, *counts))
    yield ""
    for kind, count in taxonomy.several.items():
        if count:
            agreed = summary.agreed[kind]
            several = f"{counted(count, 'item')} that several {_PLURALS[kind]} reviewed"
            share = f"{agreed:,} {_was(agreed)}" if agreed else "none was"
            yield f"Of the {several}, {share} given this tag by all of them.\n"
    if summary.exemplar:
        yield from _example(connection, summary.exemplar)


def _example(connection: sqlite3.Connection, exemplar: Exemplar) -> Iterator[str]:
    task, response = load_task(connection, exemplar.task_id), load_response(connection, exemplar.response_id)
    what = " on which people agree" if exemplar.agreed else " with a note" if exemplar.notes else " with it"
    also = ", with a note" if exemplar.agreed and exemplar.notes else ""
    yield f"Smallest program{what}{also} ({counted(exemplar.lines, 'line')}): {escaped(exemplar.item)}\n"
    yield f"{code_block(_start(task.source), task.language)}\n"
    oracle = oracle_text(task.target, task.oracle)
    for title, text in (("Input", task.input), ("Oracle", oracle), ("Reply", response.text)):
        if text:
            yield f"{title}:\n\n{code_block(_start(text))}\n"
    for annotator, note in exemplar.notes:
        yield f"Note of {escaped(annotator)}:\n\n{code_block(_start(note))}\n"


def _start(text: str) -> str:
    """Return the beginning of a long text, with a line that says how much is left out."""
    rest = len(text) - _EXAMPLE_CHARACTERS
    return text if rest <= 0 else f"{text[:_EXAMPLE_CHARACTERS]}\n… {counted(rest, 'more character')}"
