"""Actions of the queue screen, and those that open it."""

from __future__ import annotations

from auditor.tui.actions.action import Action, Situation
from auditor.tui.actions.agreement import OPEN_AGREEMENT
from auditor.tui.actions.consistency import OPEN_CONSISTENCY
from auditor.tui.actions.marks import MARKS
from auditor.tui.actions.moves import NEXT_BOOKMARK
from auditor.tui.actions.overview import OPEN_CORE, OPEN_OVERVIEW
from auditor.tui.actions.program import PROGRAM

_IN = "Queue"


def _needs_items(situation: Situation) -> str | None:
    return None if situation.items else "The filter leaves no item."


def _needs_suggestions(situation: Situation) -> str | None:
    return None if situation.completes else "A new name cannot be completed."


OPEN_QUEUE: tuple[Action, ...] = (
    Action(
        "queue.show",
        ("o",),
        "o",
        "show_queue",
        "queue",
        "Show all items as a table, to filter, sort and mark.",
        "Look",
        rank=3,
    ),
    Action(
        "queue.search",
        ("slash",),
        "/",
        "search_queue",
        "search",
        "Filter the queue, or search source, input, replies, notes and memos for a word.",
        "Look",
        rank=4,
        name="filter or search",
    ),
    Action("queue.go_to", ("g",), "g", "go_to_id", "", "Go to an item by its id or its place.", "Move", name="go to"),
)
"""Of the review screen."""

_OF_MARKS = ("item.tag", "item.defer", "item.bookmark", "work.undo", "work.redo")

QUEUE: tuple[Action, ...] = (
    Action(
        "table.review",
        ("enter",),
        "Enter",
        "review_from_here",
        "review",
        "Review these items, from this one on.",
        _IN,
        (),
        _needs_items,
        rank=0,
    ),
    Action(
        "table.filter",
        ("slash",),
        "/",
        "ask",
        "filter",
        "Filter by dimensions, or search for a word.",
        _IN,
        ("filter",),
        rank=1,
    ),
    Action("table.order", ("tab",), "tab", "next_order", "order", "Sort in the next order.", _IN, rank=2),
    Action(
        "table.columns",
        ("c",),
        "c",
        "ask",
        "columns",
        "Choose the columns, which the file keeps for you.",
        _IN,
        ("columns",),
        rank=4,
    ),
    Action(
        "table.arms",
        ("a",),
        "a",
        "narrow",
        "arms",
        "Show all arms of this case, or go back.",
        _IN,
        ("case",),
        _needs_items,
        rank=3,
    ),
    Action(
        "table.settings",
        ("m",),
        "m",
        "narrow",
        "settings",
        "Show this task under all settings, or go back.",
        _IN,
        ("task",),
        _needs_items,
        rank=4,
    ),
    Action(
        "table.same",
        ("ctrl+g",),
        "ctrl+g",
        "narrow_to_same",
        "same",
        "Show the answers to this task that are the same, all of them in the range, or go back.",
        _IN,
        why_not=_needs_items,
        rank=3,
        name="same answers",
    ),
    Action(
        "table.go_to",
        ("g",),
        "g",
        "ask",
        "go to",
        "Go to an item by its id or its place.",
        _IN,
        ("id",),
        _needs_items,
        rank=6,
    ),
    Action(
        "table.save",
        ("ctrl+s",),
        "ctrl+s",
        "ask",
        "",
        "Save filter and order in the file, for everyone, under a name; @name in the filter brings them back.",
        _IN,
        ("name",),
        name="save the filter",
    ),
    Action("table.next", ("j", "down"), "j", "step", "", "Go to the next item.", _IN, ("down",), name="next row"),
    Action(
        "table.previous", ("k", "up"), "k", "step", "", "Go to the previous item.", _IN, ("up",), name="previous row"
    ),
    Action(
        "range.down",
        ("J", "shift+down"),
        "J",
        "extend",
        "range",
        "Take the next item into the range that is marked at once.",
        _IN,
        ("down",),
        _needs_items,
        rank=4,
    ),
    Action(
        "range.up",
        ("K", "shift+up"),
        "K",
        "extend",
        "",
        "Take the item before into the range.",
        _IN,
        ("up",),
        _needs_items,
        name="range up",
    ),
    Action(
        "range.page_down",
        ("shift+pagedown",),
        "shift+PgDn",
        "extend",
        "",
        "Take a page of items into the range.",
        _IN,
        ("page down",),
        _needs_items,
        name="range by a page",
    ),
    # With ids of their own: a key map that has Enter for `item.reviewed` still reviews from here with Enter.
    Action(
        "range.reviewed",
        ("space",),
        "space",
        "mark_reviewed",
        "done",
        "In the queue: make the row or the whole range reviewed as it is tagged now.",
        _IN,
        why_not=_needs_items,
        rank=0,
        name="row or range reviewed",
    ),
    Action(
        "range.nothing",
        ("0",),
        "0",
        "nothing_to_tag",
        "none",
        "In the queue: make the row or the whole range reviewed without tags; a range that has tags asks first.",
        _IN,
        why_not=_needs_items,
        rank=1,
        name="nothing to tag in the range",
    ),
    Action(
        "table.page_down",
        ("pagedown",),
        "PgDn",
        "step",
        "",
        "Go down by a page.",
        _IN,
        ("page down",),
        name="page of rows down",
    ),
    Action(
        "table.page_up", ("pageup",), "PgUp", "step", "", "Go up by a page.", _IN, ("page up",), name="page of rows up"
    ),
    Action("table.start", ("home",), "Home", "step", "", "Go to the first item.", _IN, ("start",), name="first row"),
    Action("table.end", ("end",), "End", "step", "", "Go to the last item.", _IN, ("end",), name="last row"),
    *(action for action in MARKS if action.id in _OF_MARKS),
    NEXT_BOOKMARK,
    OPEN_CONSISTENCY,
    OPEN_AGREEMENT,
    OPEN_OVERVIEW,
    OPEN_CORE,
    Action(
        "table.close",
        ("escape", "o", "q"),
        "Esc",
        "close_queue",
        "back",
        "Leave the range, or go back to the review as it was.",
        _IN,
        rank=0,
        name="back",
    ),
    Action(
        "field.take",
        ("enter",),
        "Enter",
        "take_field",
        "take it",
        "In a field: take what is written.",
        _IN,
        while_writing=True,
        outside_writing=False,
        needed=True,
    ),
    Action(
        "field.complete",
        ("tab",),
        "tab",
        "complete",
        "complete",
        "In a field: write the first suggestion.",
        _IN,
        why_not=_needs_suggestions,
        while_writing=True,
        outside_writing=False,
    ),
    Action(
        "field.leave",
        ("escape",),
        "Esc",
        "leave_field",
        "leave it",
        "In a field: leave everything as it was.",
        _IN,
        while_writing=True,
        outside_writing=False,
        needed=True,
    ),
    *(action for action in PROGRAM if action.id in ("program.palette", "program.interrupt", "program.help")),
)
"""Of the queue screen."""
