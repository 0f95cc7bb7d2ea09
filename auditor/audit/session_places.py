"""Where an annotator of a running review left something: bookmarks to go to, memos and notes that are being written."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from auditor.audit.marks import MarkWriter
from auditor.audit.queue_ids import ReviewQueue
from auditor.store.drafts import Draft, DraftFiles, DraftKey
from auditor.store.file import now
from auditor.store.history import Actor
from auditor.store.own_probes import ProbeRecord, names_in_study, own_place, probes_of_run
from auditor.store.places import bookmarked_responses
from auditor.store.queue import ReviewItem

if TYPE_CHECKING:
    from auditor.audit.rulings import Case

DECISION = "decision"
"""Place of the note of a decision while it is written; its number is the tag's in the file, 0 = several tags."""
TO_COME = "decision to come"
"""Place of the note of a decision that is not made yet; its number is the tag's."""
PROBE = "probe"
"""Place of a probe while it is written; its number is 0."""
_PATIENCE = 0.2
"""Seconds that a bookmarked item behind this one is waited for while items are being found."""


class SessionPlaces:
    """What a session knows of places; the session that builds on it sets the attributes."""

    queue: ReviewQueue
    annotator: str
    blind: bool
    _again: bool
    _actor: Actor
    _reader: sqlite3.Connection
    _lock: threading.RLock
    _marks: MarkWriter
    _draft_files: DraftFiles
    _drafts: dict[DraftKey, Draft]

    # --- bookmarks -------------------------------------------------------------------------------------------------

    def next_bookmarked(self, index: int) -> int | None:
        """Return the next item after an index that the annotator has a bookmark on, wrapping around; None = none has.

        While more items are being found it waits a moment for one that comes after the index.
        """
        bookmarked = self.bookmarked()
        queue = self.queue

        def places() -> list[int]:
            return [place for one in bookmarked if (place := queue.index_of(one)) is not None]

        if bookmarked:
            queue.wait_until(lambda: any(place > index for place in places()), _PATIENCE)
        found = places()
        return min((place for place in found if place > index), default=min(found, default=None))

    def bookmarked(self) -> set[int]:
        """Return the row ids of what the annotator has a bookmark on, in the queue or not."""
        with self._lock:
            changed = self._marks.views()
            kept = bookmarked_responses(self._reader, self._actor) - changed.keys()
            return kept | {response_id for response_id, view in changed.items() if view.bookmarked}

    # --- probes ----------------------------------------------------------------------------------------------------

    def probes_of_run(self, item: ReviewItem) -> list[ProbeRecord]:
        """Return the probes that are written about the run of an item, those that wait beside the file too.

        A review that shows nobody's work has only the annotator's own.
        """
        own = (self._actor.annotator_id, self._actor.book.id)
        with self._lock:
            found = probes_of_run(self._reader, item.response_id)
            if self.blind or self._again:
                found = [one for one in found if one.key[1:] == own]
            for response_id, view in self._marks.views().items():
                if response_id != item.response_id and all(one.response_id != response_id for one in found):
                    continue
                found = [one for one in found if one.key != (response_id, *own)]
                run = (item.task.problem or "", item.task.implementation or "", item.task.test or "")
                who = (self.annotator, "person", self._actor.book.codebook.name, now())
                key = (response_id, *own)
                found += [ProbeRecord(*run, probe.name, probe, "", *who, key) for probe in view.probes]
        return sorted(found, key=lambda one: (-one.probe.depth, one.probe.line, one.name))

    def probes_in_study(self, item: ReviewItem) -> set[str]:
        """Return the names of what studies ask about the run of an item."""
        with self._lock:
            return names_in_study(self._reader, item.response_id)

    def place_of_probe(self, response_id: int, name: str) -> int:
        """Return the item at which the annotator wrote a probe about the run of an item; else that item."""
        with self._lock:
            return own_place(self._reader, self._actor, response_id, name)

    # --- memos and what is being written ---------------------------------------------------------------------------

    def quote_at(self, item: ReviewItem, place: str, number: int) -> str:
        """Return the beginning of what stands at a place of an item; raises InputError when there is none."""
        if (there := item.review.memo_at(place, number)) is not None:
            return there.quote
        from auditor.audit.places import quote_at

        return quote_at(item, place, number)

    def draft_for(self, response_id: int, place: str = "", number: int = 0) -> Draft | None:
        """Return the note on an item, or the memo at a place of it, that was begun and neither saved nor left."""
        return self._drafts.get(DraftKey(response_id, place, number))

    def drafts_on(self, response_id: int) -> list[Draft]:
        """Return all that was begun on an item and neither saved nor left, in the order of the places."""
        return sorted((draft for draft in list(self._drafts.values()) if draft.response_id == response_id), key=_key)

    def save_draft(self, response_id: int, text: str, place: str = "", number: int = 0) -> bool:
        """Keep what is being written; say whether it is on the disk, which must not disturb the writing."""
        with self._lock:
            draft = Draft(response_id, now(), text, place, number)
            self._drafts[draft.key] = draft
            return self._draft_files.keep(draft)

    def drop_draft(self, response_id: int, place: str = "", number: int = 0) -> None:
        """Forget what was begun: it is saved or left."""
        with self._lock:
            key = DraftKey(response_id, place, number)
            self._drafts.pop(key, None)
            self._draft_files.drop(key)

    # --- notes of decisions to come --------------------------------------------------------------------------------

    def notes_waiting(self, response_id: int) -> dict[str, str]:
        """Return the notes that were written before anything is decided, by the tag that theirs counts as."""
        tags = {number: tag for tag, number in self._actor.book.tag_ids.items()}
        found: dict[str, str] = {}
        for draft in self.drafts_on(response_id):
            if draft.place == TO_COME and draft.number in tags:
                tag = self._actor.rules.counted(tags[draft.number])
                found[tag] = "\n".join(filter(None, (found.get(tag), draft.text)))
        return found

    def notes_begun(self, response_id: int) -> list[str]:
        """Return the tags on whose decisions a note was begun and neither saved nor left; an empty one = several."""
        tags = {number: self._actor.rules.counted(tag) for tag, number in self._actor.book.tag_ids.items()}
        return [tags.get(draft.number, "") for draft in self.drafts_on(response_id) if draft.place == DECISION]

    def keep_waiting(self, response_id: int, tag: str, note: str) -> bool:
        """Keep the note of a decision to come, in the place of any before; say whether it is on the disk."""
        number = self._actor.book.tag_ids[tag] if note.strip() else 0
        kept = not number or self.save_draft(response_id, note, TO_COME, number)
        self.drop_waiting(response_id, {tag}, but=number)
        return kept

    def drop_waiting(self, response_id: int, tags: Collection[str], *, but: int = 0) -> None:
        """Forget the notes of decisions to come on some tags and on what counts as them, but for that of a number."""
        numbers = {
            number for name, number in self._actor.book.tag_ids.items() if self._actor.rules.counted(name) in tags
        }
        for draft in self.drafts_on(response_id):
            if draft.place == TO_COME and draft.number in numbers - {but}:
                self.drop_draft(*draft.key)

    def drop_settled(self, case_of: Callable[[int], Case]) -> None:
        """Forget the notes of decisions that have come; `case_of` returns how an item stands."""
        for response_id in {draft.response_id for draft in list(self._drafts.values()) if draft.place == TO_COME}:
            decided = {row.tag.id for row in case_of(response_id).rows if row.decision is not None}
            self.drop_waiting(response_id, decided)


def _key(draft: Draft) -> DraftKey:
    return draft.key
