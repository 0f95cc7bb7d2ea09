"""The audited taxonomy: what people say went wrong, how often, and the smallest program that shows each tag."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from auditor.audit.report.exemplar import exemplar_blocks
from auditor.audit.report.subject import Part, Subject
from auditor.audit.taxonomy import DECISION, TagSummary, Taxonomy, taxonomies
from auditor.documents.document import Block, Cell, Code, Column, Facts, Figure, Paragraph, Section, Table, Words
from auditor.documents.plots import BarPlot, BarRow
from auditor.errors import InputError
from auditor.store.tag_counts import Reviewer
from auditor.text import counted

_MOST_PARTS = 16
_MOST_NAMED, _MOST_QUOTED = 3, 3


def taxonomy_part(subject: Subject) -> Part:
    """Count every tag of every codebook that anything was reviewed under, and show an item of each."""
    try:
        found = taxonomies(subject.connection, subject.options.where)
    except InputError:
        return Part()
    quotes: list[Words] = []
    sections: list[Block | Section] = []
    for number, taxonomy in enumerate(found):
        ident = f"taxonomy-{number + 1}"
        sections.append(Section(ident, taxonomy.title, tuple(_blocks(subject, taxonomy, ident))))
        quotes += _quotes(taxonomy)
    limits = (
        "Shares of tags are of the items that were reviewed; they say as much of other wrong responses as these were"
        " chosen to say.",
    )
    return Part(Section("taxonomy", "Audited taxonomy", sections), quotes=quotes, limits=limits)


def _blocks(subject: Subject, taxonomy: Taxonomy, ident: str) -> Iterator[Block | Section]:
    reviewed = "; ".join(f"{one.annotator} ({one.kind}) {counted(one.reviewed, 'item')}" for one in taxonomy.reviewers)
    yield Paragraph(("Codebook ", Code(taxonomy.name), f", revision {taxonomy.revision}. Reviewed: {reviewed}."))
    yield Paragraph(
        "A share is of the items that the annotator reviewed; an item can have several tags. What a model or a program"
        " says stands apart from what people say.",
        "note",
    )
    plot = _plot(taxonomy)
    if plot is not None:
        yield Figure(
            f"fig-{ident}", plot, ("A bar is all tags that one put; an item with two tags is in it twice.",), below=True
        )
    yield _table(taxonomy)
    for at, summary in enumerate(taxonomy.tags):
        if any(use.items for _, use in summary.uses) or not summary.tag.retired:
            yield Section(f"{ident}-{at + 1}", summary.tag.name, tuple(_tag_blocks(subject, summary)))


def _plot(taxonomy: Taxonomy) -> BarPlot | None:
    used = [summary for summary in taxonomy.tags if any(use.items for _, use in summary.uses)]
    if not 1 < len(used) <= _MOST_PARTS:
        return None
    columns = zip(*([use for _, use in summary.uses] for summary in used), strict=True)
    names = [_who(reviewer.annotator, reviewer.kind) for reviewer, _ in used[0].uses]
    rows = [BarRow(name, tuple(use.items for use in column)) for name, column in zip(names, columns, strict=True)]
    parts = tuple(summary.tag.name for summary in used)
    return BarPlot(f"Composition of tags by annotator ({taxonomy.name})", parts, tuple(rows), "tag", disjoint=False)


def _who(annotator: str, kind: str) -> str:
    return "decided" if kind == DECISION else annotator if kind == "person" else f"{annotator} ({kind})"


def _table(taxonomy: Taxonomy) -> Table:
    uses = taxonomy.tags[0].uses if taxonomy.tags else ()
    columns = [Column("tag", False), *(Column(_who(reviewer.annotator, reviewer.kind)) for reviewer, _ in uses)]
    kinds = [kind for kind, count in taxonomy.several.items() if count]
    columns += [Column(f"agreed ({kind})") for kind in kinds]
    rows: list[Sequence[Cell | str]] = []
    for summary in taxonomy.tags:
        cells = [
            Cell(f"{use.items:,}", f"{100 * use.items / reviewer.reviewed:.1f} %, {counted(use.clusters, 'cluster')}")
            for reviewer, use in summary.uses
        ]
        rows.append([summary.tag.name, *cells, *(f"{summary.agreed[kind]:,}" for kind in kinds)])
    notes = [
        f"Agreed = of {counted(taxonomy.several[kind], 'item')} that at least two of this kind reviewed, those that all"
        " of them gave the tag."
        for kind in kinds
    ]
    if taxonomy.decided is not None:
        notes.append(f"Decided by {', '.join(taxonomy.decided.adjudicators)}: items that have final tags.")
    return Table(f"Items by tag and annotator ({taxonomy.name})", columns, rows, notes)


def _tag_blocks(subject: Subject, summary: TagSummary) -> Iterator[Block]:
    tag = summary.tag
    rows: list[tuple[str, Words]] = [("Id", (Code(tag.id), f", group {tag.group}" if tag.group else ""))]
    if tag.definition:
        rows.append(("Definition", tag.definition))
    if tag.decision_rule:
        rows.append(("When", tag.decision_rule))
    if summary.merged:
        rows.append(("Counted with it", ", ".join(summary.merged)))
    if tag.retired:
        rows.append(("Retired", f"split into {', '.join(tag.split_into)}" if tag.split_into else "yes"))
    yield Facts(rows)
    if summary.exemplar is None:
        yield Paragraph("Nobody put this tag on a reviewed item.", "note")
        return
    yield from exemplar_blocks(subject.connection, summary.exemplar)


def _quotes(taxonomy: Taxonomy) -> Iterator[Words]:
    """Say which tags are the commonest: of what is decided, else by some people, else by some models."""
    reviewers = [reviewer for reviewer, _ in taxonomy.tags[0].uses] if taxonomy.tags else []
    kinds = [kind for kind in (DECISION, "person", "model") if any(one.kind == kind for one in reviewers)]
    told = [
        words
        for at, reviewer in enumerate(reviewers)
        if kinds and reviewer.kind == kinds[0]
        for words in _commonest(taxonomy, at, reviewer)
    ]
    if told:
        more = f"; and {len(told) - _MOST_NAMED} more annotators" if len(told) > _MOST_NAMED else ""
        yield f"{taxonomy.title}, {'; '.join(told[:_MOST_NAMED])}{more}."


def _commonest(taxonomy: Taxonomy, at: int, reviewer: Reviewer) -> Iterator[str]:
    """Name the commonest tags of one annotator or of what is decided; nothing where there is none."""
    uses = sorted(((summary.uses[at][1].items, summary.tag.name) for summary in taxonomy.tags), key=lambda use: -use[0])
    named = [
        f"“{name}” ({items:,}, {100 * items / reviewer.reviewed:.1f} %)" for items, name in uses[:_MOST_QUOTED] if items
    ]
    if named:
        who = "as decided on" if reviewer.kind == DECISION else f"by {_who(reviewer.annotator, reviewer.kind)} on"
        yield f"{who} {counted(reviewer.reviewed, 'item')}: most often {', '.join(named)}"
