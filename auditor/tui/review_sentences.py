"""What the review screen says of marks, drafts and leaving, where the screen itself does not show it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from auditor.audit.review import Bookmark, MarkFirst, NothingToTag, PinMemo, Redo, ToggleTag, Undo
from auditor.text import counted

if TYPE_CHECKING:
    from auditor.audit.review import Intent, ResponseKey, ReviewItem, ReviewSession, Saved


def tell_mark(session: ReviewSession, item: ReviewItem, intent: Intent, outcome: Saved, *, had_tags: bool) -> str:
    """Return what a saved mark did; empty where the screen shows it. `item` is the one on the screen after it."""
    if isinstance(intent, Undo | Redo):
        return f"{outcome.message} on {_short_key(item.key)}"
    if isinstance(intent, Bookmark | PinMemo | MarkFirst) or (isinstance(intent, NothingToTag) and had_tags):
        return outcome.message
    if isinstance(intent, ToggleTag) and intent.tag in outcome.review.tags:
        definitions = {choice.id: choice.definition for choice in session.choices}
        return f"{outcome.message}: {' '.join(definitions[intent.tag].split())}"
    return ""


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
        if draft.place and draft.text != (memo.text if memo else ""):
            places.append(f"{draft.place} {draft.number}")
    if not places:
        return ""
    how = f": {keys['item.memo']} there continues it" if keys["item.memo"] else ""
    return f"Unfinished memo on {' and '.join(places)}{how}."


def tell_no_bookmark(bookmarks: int, keys: Mapping[str, str]) -> str:
    """Return why there is no bookmark to go to."""
    if bookmarks:
        return f"No item of this queue has a bookmark; {counted(bookmarks, 'item')} elsewhere {_has(bookmarks)} one."
    how = f" {keys['item.bookmark']} puts one on an item." if keys.get("item.bookmark") else ""
    return f"You have no bookmarks.{how}"


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
    return f"{saved} Press {keys['program.quit']} or {keys['program.interrupt']} once more to leave."


def _short_key(key: ResponseKey) -> str:
    """Name an item so that it can be told from the others of its case."""
    shown = [part for part in (key.case, key.arm, key.setting) if part]
    return " · ".join([*shown, *([f"sample {key.sample}"] if key.sample else [])])
