"""What the review screen says of marks, drafts and leaving, where the screen itself does not show it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from auditor.audit.queue_words import describe_start
from auditor.audit.review import (
    DIFFERENCE,
    LINE,
    Bookmark,
    Defer,
    MarkFirst,
    NothingToTag,
    PinMemo,
    Redo,
    ReviewState,
    ToggleTag,
    Undo,
)
from auditor.audit.session_places import PROBE
from auditor.text import counted, visible_name

if TYPE_CHECKING:
    from auditor.audit.review import Intent, ResponseKey, ReviewItem, ReviewSession, ReviewView, Saved
    from auditor.audit.rulings import Case

_CHANGES_SHOWN = 3


class Told(NamedTuple):
    """What is said of a mark."""

    words: str = ""
    """Empty where the screen shows it."""
    brief: bool = False
    """Whether it may be cut where its row ends, since it says nothing that is to be done."""


def tell_mark(
    session: ReviewSession,
    item: ReviewItem,
    intent: Intent,
    outcome: Saved,
    before: ReviewItem,
    keys: Mapping[str, str],
) -> Told:
    """Return what a saved mark did.

    `item` is the one on the screen after it, `before` the one that was marked, as it was then.
    """
    undo_key, note_key = keys["work.undo"], keys["item.note"]
    if isinstance(intent, Undo | Redo):
        return Told(f"{outcome.message} on {short_key(item.key)}")
    if isinstance(intent, Bookmark | PinMemo | MarkFirst) or (isinstance(intent, NothingToTag) and before.review.tags):
        return Told(outcome.message)
    if isinstance(intent, Defer) and before.review.state is ReviewState.REVIEWED:
        undo = f", {undo_key} undoes it" if undo_key else ""
        return Told(f"{short_key(before.key)} was reviewed; put off now{undo}.")
    if isinstance(intent, ToggleTag) and intent.tag in outcome.review.tags:
        choice = next((one for one in session.choices if one.id == intent.tag), None)
        if choice is None:
            return Told(f"{outcome.message}.")
        if not outcome.review.note and (asked := _note_wanted(choice.decision_rule)):
            return Told(f"{outcome.message}{f', {note_key} writes a note' if note_key else ''}: {asked}")
        return Told(f"{outcome.message}: {' '.join(choice.definition.split())}", brief=True)
    return Told()


def tell_alike(before: ReviewItem | None, item: ReviewItem, keys: Mapping[str, str]) -> str:
    """Say how to see one item of each task, where another sample of the task before comes; else nothing.

    A blind review does not tell which item has the setting of another.
    """
    if before is None or before.hidden or item.hidden or before.key.sample == item.key.sample:
        return ""
    if before.key._replace(sample=0) != item.key._replace(sample=0):
        return ""
    key = keys["queue.search"]
    by_key = f" ({key})" if key else ""
    return (
        f"Sample {item.key.sample} of the same task; one of each: filter sample:0{by_key},"
        " or review --take 1 --per study,case,arm,setting"
    )


def _note_wanted(rule: str) -> str:
    """Return the sentence of a decision rule that says what to write in the note; empty where none does."""
    sentences = re.split(r"(?<=[.!?])\s+", " ".join(rule.split()))
    return next((one for one in sentences if re.search(r"\bin (the|a) note\b", one, re.IGNORECASE)), "")


def tell_done(outcome: Saved, items: int) -> str:
    """Return what became of items that were to be reviewed: `2 items reviewed, 1 was reviewed already`."""
    changed = outcome.items if outcome.recorded else 0
    already = items - changed
    if not changed:
        return "It was reviewed already" if items == 1 else f"All {items:,} items were reviewed already"
    words = "1 item reviewed" if items > 1 and changed == 1 else outcome.message
    return f"{words}, {already:,} {_was(already)} reviewed already" if already else words


def tell_put_off(reviews: Sequence[ReviewView]) -> str:
    """Return how many of the items that are put off were reviewed, to follow what says that they are deferred."""
    reviewed = sum(view.state is ReviewState.REVIEWED for view in reviews)
    if not reviewed:
        return ""
    return (
        ": it was reviewed, and is put off now"
        if len(reviews) == 1
        else f", {reviewed:,} of the range {_was(reviewed)} reviewed"
    )


def tell_tags_in_range(items: int, tagged: int, tags: int, keys: Mapping[str, str]) -> str:
    """Return that a range has tags, and how to take them off or to keep them."""
    space, nothing = keys["range.reviewed"], keys["range.nothing"]
    keep = f"; {space} keeps them: reviewed as tagged now" if space else ""
    have = "has" if tagged == 1 else "have"
    return (
        f"{tagged:,} of the {items:,} items {have} tags ({tags:,} in all). "
        f"{nothing} once more takes them off and makes all reviewed{keep}."
    )


def tell_opening(session: ReviewSession, index: int, keys: Mapping[str, str]) -> str:
    """Return what to know of a review that opens at an item; empty where there is nothing."""
    told = []
    if session.pending:
        told.append("Work of an earlier session waits in the side file; it is tried again.")
    if before := session.open_before(index):
        told.append(describe_start(before, keys["queue.first_open"]))
    return " ".join(told)


def tell_revision(session: ReviewSession, changes: Sequence[str], keys: Mapping[str, str]) -> str:
    """Return that the codebook has another revision, and what it changed."""
    more = len(changes) - _CHANGES_SHOWN
    words = "; ".join(changes[:_CHANGES_SHOWN]) + (f"; and {counted(more, 'more change')}" if more > 0 else "")
    shows = f"; {keys['codebook.show']} shows it" if keys["codebook.show"] else ""
    return f"The codebook is at revision {session.codebook_revision} now{f': {words}' if words else ''}{shows}."


def tell_draft(session: ReviewSession, item: ReviewItem, keys: Mapping[str, str]) -> str:
    """Return that an item has a note that was begun and not saved; empty where it has none."""
    draft = session.draft_for(item.response_id)
    if draft is None or draft.text == item.review.note:
        return ""
    begun = datetime.fromisoformat(draft.at).astimezone()
    how = f": {keys['item.note']} continues it" if keys["item.note"] else ""
    return f"Unfinished note from {begun:%Y-%m-%d %H:%M}{how}."


def tell_memo_drafts(session: ReviewSession, item: ReviewItem, keys: Mapping[str, str]) -> str:
    """Return where an item has memos that were begun and not saved; empty where it has none."""
    places = []
    for draft in session.drafts_on(item.response_id):
        memo = item.review.memo_at(draft.place, draft.number)
        if draft.place in (LINE, DIFFERENCE) and draft.text != (memo.text if memo else ""):
            places.append(f"{draft.place} {draft.number}")
    if not places:
        return ""
    how = f": {keys['item.memo']} there continues it" if keys["item.memo"] else ""
    return f"Unfinished memo on {' and '.join(places)}{how}."


def tell_probe_draft(session: ReviewSession, item: ReviewItem, keys: Mapping[str, str]) -> str:
    """Return that a probe of the item's run was begun and not saved; empty where none was."""
    if session.draft_for(item.response_id, PROBE) is None:
        return ""
    how = f": {keys['probes.show']} goes on with it" if keys.get("probes.show") else ""
    return f"Unfinished probe{how}."


def tell_begun(session: ReviewSession, case: Case | None, keys: Mapping[str, str]) -> str:
    """Return on which decisions of an item a note was begun and not saved; empty where there is none."""
    if case is None or not (begun := session.notes_begun(case.response_id)):
        return ""
    names = {row.tag.id: row.tag.name for row in case.rows}
    on = " and ".join(dict.fromkeys(names.get(tag, "several tags") for tag in begun))
    how = f": {keys['decide.note']} there continues it" if keys["decide.note"] and set(begun) <= names.keys() else ""
    return f"Unfinished note on {on}{how}."


def tell_no_bookmark(bookmarks: int, keys: Mapping[str, str]) -> str:
    """Return why there is no bookmark to go to."""
    if bookmarks:
        return f"No item of this queue has a bookmark; {counted(bookmarks, 'item')} elsewhere {_has(bookmarks)} one."
    how = f" {keys['item.bookmark']} puts one on an item." if keys.get("item.bookmark") else ""
    return f"You have no bookmarks.{how}"


def _was(number: int) -> str:
    return "was" if number == 1 else "were"


def _has(number: int) -> str:
    return "has" if number == 1 else "have"


def tell_note_keys(keys: Mapping[str, str], what: str = "note") -> str:
    """Return how to leave a note or a memo that is being written."""
    return f"This is a {what}: {keys['note.save']} saves it, {keys['note.leave']} leaves it as it was."


def tell_leaving(session: ReviewSession, keys: Mapping[str, str]) -> str:
    """Return what becomes of the marks when the person leaves now, and how to leave."""
    saved = "Every mark is saved."
    if session.pending:
        saved = "Some marks are not in the audit file yet; they are kept, and your next review takes them up."
    if lost := session.in_memory_only:
        saved = f"{lost:,} marks could not be kept anywhere and are LOST if you leave now."
    how = f"Press {keys['program.quit']} or {keys['program.interrupt']} once more to leave"
    return f"{how}. {saved}"


def short_key(key: ResponseKey) -> str:
    """Name an item so that it can be told from the others of its case."""
    shown = [visible_name(part) for part in (key.case, key.arm, key.setting) if part]
    return " · ".join([*shown, *([f"sample {key.sample}"] if key.sample else [])])
