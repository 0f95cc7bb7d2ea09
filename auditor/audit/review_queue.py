"""Which items a review goes through, and under which codebook; why there are none."""

from __future__ import annotations

import shlex
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from auditor.audit.blindness import order_and_seed, why_not_begun
from auditor.audit.codebooks import codebook_for_queue, codebook_of_studies, declared_codebooks, named_codebook
from auditor.audit.queue_ids import STARTING_SECONDS, STARTING_STEPS, ReviewQueue, Waiting, find_queue
from auditor.audit.review_answers import describe_queue, queue_kind
from auditor.codebook import Codebook
from auditor.errors import InputError
from auditor.model import person_of_pass
from auditor.store.annotators import find_annotator, find_codebook_in_file
from auditor.store.expr import parse
from auditor.store.file import open_for_reading, shell_path, translate
from auditor.store.filter import Vocabulary
from auditor.store.selection import Search, Selection
from auditor.text import visible_line

if TYPE_CHECKING:
    from auditor.audit.again import Again


class QueueWish(NamedTuple):
    """What somebody wants to review, as asked for: it is held against the file when the queue is drawn."""

    where: str = "status:wrong"
    order: str | None = None
    """None = the smallest program first; in a blind review and a second pass random."""
    seed: int = 0
    """Of the random order."""
    take: int | None = None
    """Only the first so many of each group."""
    per: tuple[str, ...] = ()
    """The dimensions that make the groups."""
    blind: bool = False
    """Whether setting, arm, computed mode and others' work are hidden."""
    again: Again | None = None
    """How many own reviewed items come back, as a second pass; None = none of them."""
    stale: bool = False
    """Whether only what the annotator has to look at again is left."""
    codebook: str | None = None
    """None = the one that the studies declare."""
    assigned: bool = False
    """Whether only what is assigned to the annotator is left, of which `where` leaves a part."""
    overlap: int | None = None
    """The most people who review an item: items are taken then. None = nobody counts."""


FAILURES = QueueWish()
"""What is wrong, the smallest program first."""


class DrawnQueue(NamedTuple):
    """What a review goes through."""

    queue: ReviewQueue
    """Has an item at least; more may be on their way."""
    codebook: Codebook
    annotator: str
    """Under which the marks are kept: of a second pass not the person's name."""
    outdated: Sequence[int] = ()
    """Items that count as open, although they are reviewed, until they are marked again."""


def check_review(path: Path, annotator: str, wish: QueueWish = FAILURES) -> int:
    """Return how many items a review would have, and change nothing; raises AuditorError as opening it would."""
    try:
        with closing(open_for_reading(path)) as connection:
            drawn = draw_queue(connection, path, annotator, wish)
            drawn.queue.wait_telling(lambda: False, None)
            return len(drawn.queue)
    except sqlite3.Error as error:
        raise translate(error, path) from error


def draw_queue(
    connection: sqlite3.Connection, path: Path, person: str, wish: QueueWish, waiting: Waiting | None = None
) -> DrawnQueue:
    """Return what a person's review goes through: the items of a filter, or some of the own reviewed ones again.

    Raises InputError as `review_queue` and `again_queue` do, for the name of a second pass, and when filter or order
    would tell in a blind review what that hides.
    """
    if (first := person_of_pass(person)) is not None:
        raise InputError(
            f"{visible_line(person, 60)!r} is the name of a later pass of {visible_line(first, 60)!r}.",
            hint="Give the person's own name; --again 5% brings reviewed items back.",
        )
    if wish.overlap is not None and (wish.again is not None or wish.stale):
        own = "--again" if wish.again is not None else "--stale"
        raise InputError(
            f"--overlap shares out what you have not reviewed yet, and {own} brings back what you have.",
            hint="Leave one of them out.",
        )
    drawn = _draw_fresh if wish.again is None else _draw_again
    queue = drawn(connection, path, person, wish, waiting)
    return _only_outdated(connection, queue, waiting) if wish.stale else queue


def _draw_fresh(
    connection: sqlite3.Connection, path: Path, person: str, wish: QueueWish, waiting: Waiting | None
) -> DrawnQueue:
    """Return the items of the wish's filter."""
    blind, take, per = wish.blind, wish.take, wish.per
    where, shown = _filter_of(connection, person, wish)
    order, own = order_and_seed(wish.order, wish.seed, person, blind=blind)
    if per and take is None:
        raise InputError("--per makes groups for --take, which is not given.", hint="Add e.g. --take 2.")
    if blind:
        refuse_telling(connection, wish.where, order)
    kind = queue_kind(assigned=wish.assigned, blind=blind, overlap=wish.overlap)
    words = describe_queue(shown, order, wish.seed, take, per, kind=kind, own_seed=own if blind else None)
    selection = Selection(where, order, own, take, per, notes=not blind)
    queue, book = review_queue(connection, path, wish.codebook, selection, words, waiting)
    return DrawnQueue(queue, book, person)


def _draw_again(
    connection: sqlite3.Connection, path: Path, person: str, wish: QueueWish, waiting: Waiting | None
) -> DrawnQueue:
    """Return as many own reviewed items as the wish brings back."""
    from auditor.audit.again import again_queue, second_pass

    again = wish.again
    assert again is not None
    where, shown = _filter_of(connection, person, wish)
    order, own = order_and_seed(wish.order, wish.seed, person, blind=True)
    if wish.take is not None or wish.per:
        raise InputError("--take does not go with --again, which draws the items itself.", hint="Leave it out.")
    refuse_telling(connection, wish.where, order)
    found = again_queue(connection, person, wish.codebook, where, own, again)
    kind = [f"again {again.words}: {len(found.ids):,} of {found.reviewed:,} reviewed"]
    kind += queue_kind(assigned=wish.assigned, blind=wish.blind)
    words = describe_queue(shown, order, wish.seed, None, (), kind=kind, own_seed=own)
    return DrawnQueue(ReviewQueue(found.ids, words), found.codebook, second_pass(person))


def _filter_of(connection: sqlite3.Connection, person: str, wish: QueueWish) -> tuple[str, str | None]:
    """Return the filter of a wish, and what of it is shown; raises InputError when nothing is assigned."""
    if not wish.assigned:
        return wish.where, wish.where
    from auditor.audit.assignment import assigned_filter, part_of

    mine = assigned_filter(connection, person, wish.codebook)
    return part_of(mine, wish.where), wish.where.strip() or None


def review_queue(
    connection: sqlite3.Connection,
    path: Path,
    codebook: str | None,
    selection: Selection,
    description: str,
    waiting: Waiting | None = None,
) -> tuple[ReviewQueue, Codebook]:
    """Return the items to review as soon as the first is known, and the codebook to review them under.

    Raises InputError when the filter, the order, the groups or the codebook are unusable, or nothing is left.
    """
    queue = find_queue(path, selection, description, STARTING_STEPS)
    queue.make_way(STARTING_SECONDS)
    try:
        queue.wait_telling(lambda: len(queue) > 0, waiting)
        if not len(queue):
            raise _nothing_to_review(connection, path, selection.where)
        return queue, _codebook(connection, queue, selection, codebook, waiting)
    except BaseException:
        queue.cancel()
        raise


def _codebook(
    connection: sqlite3.Connection,
    queue: ReviewQueue,
    selection: Selection,
    name: str | None,
    waiting: Waiting | None,
) -> Codebook:
    """Return the codebook to review a queue under, whose items may still be on their way."""
    if name is not None:
        return named_codebook(connection, name)
    declared = declared_codebooks(connection)
    if len(declared) == 1:
        return codebook_of_studies(connection, declared)
    if selection.take is None:
        search = Search(connection, selection)
        return codebook_of_studies(connection, {one for one in declared if search.reaches_codebook(one)})
    queue.wait_telling(lambda: False, waiting)
    return codebook_for_queue(connection, queue.ids(), None)


def refuse_telling(connection: sqlite3.Connection, where: str, order: str) -> None:
    """Raise InputError when a filter or an order would tell in a blind review what that hides."""
    reason = why_not_begun(Vocabulary(connection).mentioned(parse(where)), order)
    if reason is not None:
        raise InputError(reason[0], hint=reason[1])


def _only_outdated(connection: sqlite3.Connection, drawn: DrawnQueue, waiting: Waiting | None) -> DrawnQueue:
    """Leave what the annotator has to look at again since the codebook changed; raises InputError if nothing is."""
    try:
        drawn.queue.wait_telling(lambda: False, waiting)
    except BaseException:
        drawn.queue.cancel()
        raise
    from auditor.store.outdated import outdated_responses

    annotator, codebook = drawn.annotator, drawn.codebook.name
    stored, who = find_codebook_in_file(connection, codebook), find_annotator(connection, annotator)
    outdated = set() if stored is None or who is None else outdated_responses(connection, who, stored.id)
    left = [response_id for response_id in drawn.queue.ids() if response_id in outdated]
    if not left:
        raise InputError(
            f"nothing that {visible_line(annotator, 60)} reviewed under the codebook {visible_line(codebook)} needs"
            " another look.",
            hint="`auditor codebook stale` lists what does.",
        )
    queue = ReviewQueue(left, f"to look at again · {drawn.queue.description}")
    return drawn._replace(queue=queue, outdated=left)


def _nothing_to_review(connection: sqlite3.Connection, path: Path, where: str) -> InputError:
    """Say why a queue is empty, and what to do."""
    from auditor.store.problem_rows import problem_sizes
    from auditor.store.subject_rows import any_subject, studies_of_subjects, subject_filter
    from auditor.store.suggestions import hint_for_nothing

    file = shell_path(path)
    (responses,) = connection.execute("SELECT count(*) FROM responses WHERE superseded_at IS NULL").fetchone()
    (grades,) = connection.execute("SELECT count(*) FROM grades").fetchone()
    if not responses:
        hint = f"Bring some in with: auditor import {file} PATH…"
        if problem_sizes(connection)[0]:
            hint += f" Its programs and probes become items to judge with: auditor subjects {file}"
        return InputError("there are no responses in this file yet.", hint=hint)
    if not grades and not any_subject(connection, where):
        judged = studies_of_subjects(connection)
        if judged and sum(judged.values()) == responses:
            filters = ", or ".join(f"--where {shlex.quote(subject_filter(study))}" for study in judged)
            told = "this file holds no replies yet, only programs and probes that people judge."
            return InputError(told, hint=f"Review these with {filters}.")
        hint = f"Grade them with: auditor grade {file}"
        return InputError("no response in this file has been graded yet.", hint=hint)
    return InputError(
        f"no response matches {visible_line(where)!r}, so there is nothing to review.",
        hint=hint_for_nothing(connection, where),
    )
