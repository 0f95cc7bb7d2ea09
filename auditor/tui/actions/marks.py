"""Actions that put something on an item, and take it back."""

from __future__ import annotations

from auditor.tui.actions.action import Action, Situation

_IN = "Mark"


def _needs_place(situation: Situation) -> str | None:
    if situation.can_pin:
        return None
    return "A memo is pinned to a line of the source or to a difference: go to one of these panes."


TAG = Action(
    "item.tag",
    (),
    "tag keys",
    "toggle_tag",
    "tag",
    "Put the tag with this key on the item, or take it off again.",
    _IN,
    rank=4,
)
"""Bound once for every tag of the codebook."""

MARKS: tuple[Action, ...] = (
    TAG,
    Action(
        "item.reviewed",
        ("space",),
        "space",
        "mark_reviewed",
        "done",
        "Reviewed as it is tagged now, then the next open item.",
        _IN,
        rank=0,
        name="reviewed",
    ),
    Action(
        "item.nothing",
        ("0",),
        "0",
        "nothing_to_tag",
        "none",
        "Nothing to tag: reviewed without any tag, then the next open item.",
        _IN,
        rank=1,
        name="nothing to tag",
    ),
    Action(
        "item.defer",
        ("s",),
        "s",
        "defer",
        "defer",
        "Put the item off and go to the next open one; on a deferred item, take that back.",
        _IN,
        rank=1,
    ),
    Action("item.note", ("n",), "n", "write_note", "note", "Write a note on the item.", _IN, rank=1),
    Action(
        "item.memo",
        ("N",),
        "N",
        "write_memo",
        "memo",
        "Write a memo on the line of the source, or on the difference, that is looked at; an empty one is taken away.",
        _IN,
        why_not=_needs_place,
        rank=5,
    ),
    Action(
        "item.first",
        ("f",),
        "f",
        "mark_first",
        "first",
        "Mark the tag whose key comes next as the one that came first; twice, take the mark off.",
        _IN,
        rank=5,
        name="first cause",
    ),
    Action(
        "item.bookmark",
        ("l",),
        "l",
        "toggle_bookmark",
        "bookmark",
        "Put a bookmark on the item, or take it off.",
        _IN,
        rank=5,
    ),
    Action(
        "work.undo",
        ("u",),
        "u",
        "undo",
        "undo",
        "Undo your last mark, on whichever item and in whichever session it was, and go there.",
        _IN,
        rank=1,
    ),
    Action("work.redo", ("U",), "U", "redo", "redo", "Redo what was undone last, and go there.", _IN, rank=7),
)

WRITING: tuple[Action, ...] = (
    Action(
        "note.save",
        ("enter",),
        "Enter",
        "save_note",
        "save the note",
        "In a note or memo: save it.",
        _IN,
        while_writing=True,
        outside_writing=False,
        needed=True,
    ),
    Action(
        "note.leave",
        ("escape",),
        "Esc",
        "leave",
        "leave it as it was",
        "In a note or memo: leave it as it was. Elsewhere: back to the panes.",
        _IN,
        while_writing=True,
        needed=True,
    ),
)
"""Of a note that is being written."""
