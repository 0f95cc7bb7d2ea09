"""Flags of what people said: who reviewed too little, what agreement cannot rest on, what waits to be decided."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path

from auditor.agreement.coefficient import Coefficient
from auditor.audit.codebooks import named_codebook
from auditor.audit.flags.flag import Flag, FlagItems
from auditor.audit.kept_agreement import agreement_of
from auditor.audit.late_tags import late_tags
from auditor.audit.progress import AnnotatorProgress
from auditor.model import AnnotatorKind
from auditor.store.adjudicable import chosen_items
from auditor.store.decisions import OPEN, STALE, UNRESOLVED, item_states, judged_codebooks
from auditor.store.expr import Match, unparse
from auditor.store.flagged_reviews import changed_since, count_revealed, count_wrong_unseen, replaced_since
from auditor.store.tag_counts import Chosen, Reviewer
from auditor.text import counted

RARE = 0.05
"""Share of the common items below which a tag, or its absence, is rare."""
FEW_ITEMS = 30
"""Common items below which hardly anything can be said of agreement."""
_FAR_FEWER = 2
"""How many times as many items another person reviewed, where one reviewed far fewer."""
_MOST_PAIRS = 6
KAPPA = "cohen_kappa"


def of_waiting(files: Sequence[str]) -> list[Flag]:
    """Flag marks that are kept in files beside the audit file, by the names of these."""
    if not files:
        return []
    line = f"marks wait in {counted(len(files), 'file')} beside this one: {{}}"
    why = "They are not in the file yet, and count nowhere."
    do = "Their annotator's next review brings them in, or ending the one that runs."
    return [Flag("waiting", len(files), line, (", ".join(files),), why, do)]


def of_progress(found: Sequence[AnnotatorProgress]) -> list[Flag]:
    """Flag items to look at again, and assigned ones that are open."""
    return [flag for one in found for flag in _of_one(one) if flag.count]


def _of_one(one: AnnotatorProgress) -> Iterator[Flag]:
    key = f"{one.codebook}/{one.annotator}"
    yield Flag(
        f"again {key}",
        one.again,
        f"{counted(one.again, 'item')} of {{}} to look at again",
        (one.annotator,),
        "The codebook changed since they were judged.",
        "Review them once more: a tag that is put or confirmed counts as judged now.",
        where=unparse(Match("stale", (one.annotator,))),
    )
    left, assigned = one.left or 0, one.assigned or 0
    yield Flag(
        f"assigned {key}",
        left,
        f"{left:,} of {counted(assigned, 'item')} assigned to {{}} neither reviewed nor deferred",
        (one.annotator,),
        "What is reviewed so far need not be like the rest; these are all that are assigned.",
        "auditor review FILE --assigned goes through them.",
        where=unparse(Match("assigned", (key,))),
    )


def of_reviews(connection: sqlite3.Connection, path: Path, where: str = "") -> list[Flag]:
    """Flag what is doubtful of the reviews that a filter leaves, by codebook; raises InputError for a wrong filter."""
    chosen = Chosen(connection, where)
    by_book: dict[str, list[Reviewer]] = {}
    for one in chosen.reviewers():
        by_book.setdefault(one.codebook, []).append(one)
    if not by_book:
        return [_nobody()]
    shared, uses = chosen.several(), list(chosen.uses())
    found: list[Flag] = []
    for book, reviewers in by_book.items():
        people = [one for one in reviewers if one.kind == AnnotatorKind.PERSON]
        found += _of_people(book, people, shared.get((book, AnnotatorKind.PERSON), 0))
        if not where:
            names = {one.annotator for one in people}
            theirs = {tag for of, tag, who in uses if of == book and who in names}
            found += _of_agreement(connection, path, book, people, theirs)
        found += _of_tags(connection, book, {tag for of, tag, _ in uses if of == book})
    found += _unseen(connection, where)
    if not where:
        found += _outdated(connection)
    return [*found, *_undecided(connection, where), *_revealed(connection, where)]


def _nobody() -> Flag:
    words = "there are no audited tags, only computed modes, which do not say why a model erred."
    return Flag("nobody", 0, "nobody has reviewed anything", (), f"So {words}", "auditor review FILE begins.")


# --- people and their overlap ----------------------------------------------------------------------------------------


def _of_people(book: str, people: Sequence[Reviewer], shared: int) -> Iterator[Flag]:
    do = "auditor assign FILE --overlap 2 shares items out to several; two have to review some of them."
    if not people:
        yield Flag(
            f"no person {book}",
            0,
            "{}: no person has reviewed anything",
            (book,),
            "What models and programs say is not checked by anybody.",
            do,
        )
    elif len(people) == 1:
        one = people[0]
        yield Flag(
            f"one person {book}",
            one.reviewed,
            f"{{}}: {{}} alone reviewed anything, {counted(one.reviewed, 'item')}",
            (book, one.annotator),
            "Fewer than two people reviewed anything, so how far people agree is not known.",
            do,
            behind=FlagItems("reviewed", (book, one.annotator)),
            exact=True,
        )
    elif not shared:
        yield Flag(
            f"no overlap {book}",
            0,
            f"{{}}: no item was reviewed by two of its {len(people)} people",
            (book,),
            "How far they agree is not known.",
            do,
            about="agreement",
            book=book,
        )
    most = max((one.reviewed for one in people), default=0)
    for one in people:
        if len(people) > 1 and one.reviewed * _FAR_FEWER < most:
            yield Flag(
                f"fewer {book}/{one.annotator}",
                one.reviewed,
                f"{{}}: {{}} reviewed {counted(one.reviewed, 'item')}, another person {most:,}",
                (book, one.annotator),
                "Rates of tags then are mostly those of one person.",
                "Compare people on common items only, as the agreement does.",
                behind=FlagItems("reviewed", (book, one.annotator)),
                exact=True,
            )


def _of_agreement(
    connection: sqlite3.Connection, path: Path, book: str, people: Sequence[Reviewer], used: set[str]
) -> Iterator[Flag]:
    names = [one.annotator for one in people]
    if len(names) < 2:
        return
    kappas = agreement_of(connection, path, names, book, statistics=(KAPPA,)).coefficients
    by_pair: dict[tuple[str, ...], list[Coefficient]] = {pair: [] for pair in combinations(names, 2)}
    for one in kappas:
        if one.n_items and one.tag in used:
            by_pair[one.annotators].append(one)
    for pair, of in list(by_pair.items())[:_MOST_PAIRS]:
        if of:
            yield from _of_pair(book, pair, of)


def _of_pair(book: str, pair: tuple[str, ...], kappas: Sequence[Coefficient]) -> Iterator[Flag]:
    key, items = f"{book}/{'/'.join(pair)}", kappas[0].n_items
    if items < FEW_ITEMS:
        yield Flag(
            f"common {key}",
            items,
            f"{{}}: {{}} and {{}} both reviewed only {counted(items, 'item')}",
            (book, *pair),
            f"From fewer than {FEW_ITEMS} common items agreement is hardly known: its intervals are wide.",
            "Let both review more of the same items.",
            behind=FlagItems("common", (book, *pair)),
            exact=True,
        )
    undefined = sum(one.value is None for one in kappas)
    if undefined:
        yield Flag(
            f"undefined {key}",
            undefined,
            f"{{}}: kappa of {{}} and {{}} undefined for {counted(undefined, 'tag')}",
            (book, *pair),
            "Neither put it on a common item, or both on every one: chance alone makes them agree.",
            "Quote for these the counts, not a coefficient.",
            about="agreement",
            book=book,
        )
    rare = sum(one.value is not None and not RARE <= (one.prevalence or 0.0) <= 1 - RARE for one in kappas)
    if rare:
        yield Flag(
            f"rare {key}",
            rare,
            f"{{}}: for {{}} and {{}} {counted(rare, 'tag')} on under {100 * RARE:g} % or over"
            f" {100 - 100 * RARE:g} % of common items",
            (book, *pair),
            "Kappa is low and unsteady there, however often they agree.",
            "Quote AC1 and the agreement specific to the tag beside it.",
            about="agreement",
            book=book,
        )


def _of_tags(connection: sqlite3.Connection, book: str, used: set[str]) -> Iterator[Flag]:
    unused = [tag.id for tag in named_codebook(connection, book).active if tag.id not in used]
    if unused:
        yield Flag(
            f"unused {book}",
            len(unused),
            f"{{}}: {counted(len(unused), 'tag')} on no reviewed item",
            (book,),
            "Either that failure does not occur, or nobody looks for it.",
            "Say so, or merge or retire them in the codebook.",
            about="codebook",
            book=book,
        )
    late = late_tags(connection, book)
    if late:
        reviews = sum(sum(by.values()) for by in late.values())
        yield Flag(
            f"late {book}",
            len(late),
            f"{{}}: {counted(len(late), 'tag')} newer than {counted(reviews, 'review')}",
            (book,),
            "These could not have the tag, and count as without it.",
            "Look at these items again, or leave the tag out of the numbers.",
            about="codebook",
            book=book,
        )


# --- what is not reviewed, changed since, or open --------------------------------------------------------------------


def _unseen(connection: sqlite3.Connection, where: str) -> Iterator[Flag]:
    unseen, wrong = count_wrong_unseen(connection, where)
    if unseen:
        yield Flag(
            "unseen",
            unseen,
            f"{unseen:,} of {counted(wrong, 'wrong response')} not begun to be reviewed by anybody",
            (),
            "Shares of tags are of the reviewed ones, which speak for the others only where they were drawn at random.",
            where="status:wrong state:not-reviewed",
            exact=True,
        )


def _outdated(connection: sqlite3.Connection) -> Iterator[Flag]:
    for book, who, items in changed_since(connection):
        yield Flag(
            f"changed {book}/{who}",
            items,
            f"{{}}: {counted(items, 'item')} that {{}} reviewed with another oracle or description since",
            (book, who),
            "What was said of them was said of something else.",
            "Look at them again: each mark is then on what is shown now.",
            behind=FlagItems("changed", (book, who)),
            exact=True,
        )
    for book, who, items in replaced_since(connection):
        yield Flag(
            f"replaced {book}/{who}",
            items,
            f"{{}}: {counted(items, 'response')} in the place of ones that {{}} had reviewed",
            (book, who),
            "What was said of the old ones is kept in the history and counts nowhere.",
            "Review the new ones, which these are.",
            behind=FlagItems("replaced", (book, who)),
            exact=True,
        )


_STANDINGS = {
    OPEN: ("{} on which people differ, undecided", "They have no final tag yet, so no export has one."),
    STALE: ("{} decided before a mark changed", "What was decided was decided on other marks than there are now."),
    UNRESOLVED: ("{} left unresolved", "They have no final tag."),
}


def _undecided(connection: sqlite3.Connection, where: str) -> Iterator[Flag]:
    for codebook_id, book in judged_codebooks(connection):
        states = item_states(connection, codebook_id)
        for state, (line, why) in _STANDINGS.items():
            items = len(chosen_items(connection, [row for row, (of, _) in states.items() if of == state], where))
            if items:
                yield Flag(
                    f"{state} {book}",
                    items,
                    f"{{}}: {line.format(counted(items, 'item'))}",
                    (book,),
                    why,
                    "auditor adjudicate FILE goes through them.",
                    behind=FlagItems("standing", (book, state)),
                    exact=True,
                )


def _revealed(connection: sqlite3.Connection, where: str) -> Iterator[Flag]:
    items = count_revealed(connection, where)
    if items:
        yield Flag(
            "revealed",
            items,
            f"{counted(items, 'item')} shown in full in a blind review before the last mark",
            (),
            "These marks are not blind.",
            "Measure agreement without them too: --where 'NOT revealed:before'.",
            where="revealed:before",
            exact=True,
        )
