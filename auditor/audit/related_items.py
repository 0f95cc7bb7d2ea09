"""The other arms of an item's case, and its task under the other settings: for screens and command line.

A blind review shows of these only what it has revealed: the answer to another arm, or under another setting, is an item
of its own, whose marks are blind only as long as its annotator has not seen whose it is.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from auditor.audit.blindness import why_no_strip, why_not_shown
from auditor.errors import InputError
from auditor.model import ResponseKey, Task
from auditor.store.file import limit_cache, open_for_reading
from auditor.store.related import (
    Answer,
    ArmResponse,
    answers_to_task,
    arms_of_case,
    equal_predictions,
    load_answers,
    response_key,
    revealed_answers,
)
from auditor.store.reveals import is_revealed
from auditor.store.reviews import ReviewView
from auditor.store.tasks import load_task

if TYPE_CHECKING:
    from auditor.audit.consistency import Consistency, Repetition
    from auditor.audit.implementations import Implementations

__all__ = ["Answer", "ArmResponse", "CaseArms", "RelatedItems", "TaskAnswers", "shown_arms"]

_TOLD = frozenset({"arm", "setting"})
"""What another answer tells of the one that it is shown beside."""

Unsaved = Callable[[int], "ReviewView | None"]
"""Returns the review of an item that is not in the file yet; None where the file's is right."""


class CaseArms(NamedTuple):
    """The arms of a case under one setting and sample."""

    key: ResponseKey
    """Of the item that they were asked for."""
    arms: tuple[ArmResponse, ...]
    at: int
    """Place of that item's arm."""
    hidden: int = 0
    """Arms left out: a blind review has not revealed their items."""


class TaskAnswers(NamedTuple):
    """The answers to one task, as row ids: by setting, those of a setting by sample."""

    key: ResponseKey
    """Of the item that they were asked for."""
    task: Task
    ids: Sequence[int]
    at: int
    """Place of that item."""
    hidden: int = 0
    """Answers left out: a blind review has not revealed them."""


class RelatedItems:
    """Reads what belongs to an item, with a connection of its own. Every method may be called from any thread."""

    def __init__(
        self, path: Path, *, blind_for: int | None = None, unsaved: Unsaved = lambda response_id: None
    ) -> None:
        """`blind_for` is the annotator of a blind review, by row id; None = nothing is hidden."""
        self._blind_for = blind_for
        self._unsaved = unsaved
        self._lock = threading.Lock()
        self._connection = open_for_reading(path)
        limit_cache(self._connection)

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._connection.close()

    def case_arms(self, response_id: int) -> CaseArms:
        """Return the arms of an item's case. Raises InputError when a blind review hides which arm the item is."""
        with self._lock:
            self._refuse_hidden(response_id, "The arms of this case")
            found = arms_of_case(self._connection, response_id)
            arms = shown_arms(self._connection, found, self._blind_for, self._unsaved)
            at = next(place for place, arm in enumerate(arms) if arm.response_id == response_id)
            return CaseArms(response_key(self._connection, response_id), arms, at, len(found) - len(arms))

    def task_of_arm(self, arm: ArmResponse) -> Task:
        """Read what is asked in an arm that has no response."""
        with self._lock:
            return load_task(self._connection, arm.task_id)

    def task_answers(self, response_id: int) -> TaskAnswers:
        """Return all answers to an item's task. Raises InputError when a blind review hides the item's setting."""
        with self._lock:
            self._refuse_hidden(response_id, "This task under the other settings")
            task_id, found = answers_to_task(self._connection, response_id)
            ids = found
            if self._blind_for is not None:
                shown = revealed_answers(self._connection, task_id, self._blind_for) | {response_id}
                ids = [row for row in found if row in shown or _is_unsaved_reveal(self._unsaved, row)]
            key, task = response_key(self._connection, response_id), load_task(self._connection, task_id)
            return TaskAnswers(key, task, ids, ids.index(response_id), len(found) - len(ids))

    def answers(self, response_ids: Sequence[int]) -> list[Answer]:
        """Read some of these answers, in their order."""
        with self._lock:
            return load_answers(self._connection, response_ids)

    def equal_answers(self, response_ids: Sequence[int]) -> dict[int, list[int]]:
        """Return for each of these answers those that predict the same, itself among them."""
        with self._lock:
            return equal_predictions(self._connection, response_ids)

    def consistency(self, response_id: int, repetition: Repetition | None = None) -> Consistency:
        """Return what an item's setting made of its problem, or what it was in another repetition.

        Raises InputError in a blind review, for what is no part of a problem, and where one mark cannot stand for all.
        """
        if (reason := why_no_strip(blind=self._blind_for is not None)) is not None:
            raise InputError(reason)
        # What measures is loaded only now: a review begins without it.
        from auditor.audit.consistency import consistency

        with self._lock:
            return consistency(self._connection, response_id, repetition)

    def implementations(self, response_id: int, repetition: Repetition | None = None) -> Implementations:
        """Return the implementations of an item's problem, with what its setting answered or another one did.

        A blind review is told neither styles nor measures nor answers. Raises InputError for what is no part of one.
        """
        from auditor.audit.implementations import find_implementations

        with self._lock:
            blind = self._blind_for is not None
            return find_implementations(self._connection, response_id, repetition, blind=blind)

    def task(self, task_id: int) -> Task:
        """Read what is asked in a task."""
        with self._lock:
            return load_task(self._connection, task_id)

    def _refuse_hidden(self, response_id: int, what: str) -> None:
        if self._blind_for is None or _is_shown(self._connection, response_id, self._blind_for, self._unsaved):
            return
        raise InputError(why_not_shown(_TOLD, what) or "")


def shown_arms(
    connection: sqlite3.Connection, arms: Sequence[ArmResponse], blind_for: int | None, unsaved: Unsaved
) -> tuple[ArmResponse, ...]:
    """Return the arms that may be shown: in a blind review those whose items it has revealed."""
    if blind_for is None:
        return tuple(arms)
    return tuple(
        arm
        for arm in arms
        if arm.response_id is not None and _is_shown(connection, arm.response_id, blind_for, unsaved)
    )


def _is_shown(connection: sqlite3.Connection, response_id: int, blind_for: int, unsaved: Unsaved) -> bool:
    return is_revealed(connection, response_id, blind_for) or _is_unsaved_reveal(unsaved, response_id)


def _is_unsaved_reveal(unsaved: Unsaved, response_id: int) -> bool:
    view = unsaved(response_id)
    return view is not None and view.revealed
