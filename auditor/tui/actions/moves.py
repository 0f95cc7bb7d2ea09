"""Actions that go somewhere: along the queue, along the differences, through a pane."""

from __future__ import annotations

from auditor.tui.actions.action import Action, Situation

_IN = "Move"


def _needs_others(situation: Situation) -> str | None:
    return None if situation.items > 1 else "This is the only item in the queue."


def needs_difference(situation: Situation) -> str | None:
    """Say that there is no difference to go to, or to look into."""
    return None if situation.differences else "The comparison shows no difference."


NEXT_BOOKMARK = Action(
    "queue.next_bookmark",
    ("G",),
    "G",
    "next_bookmark",
    "",
    "Go to the next item of the queue with a bookmark.",
    _IN,
    name="next bookmark",
)

_OPEN_ITEMS = tuple(
    Action(
        f"queue.{which}_open",
        (key,),
        shown,
        f"{which}_open",
        "",
        f"Go to the {which} open item without marking: one that is neither reviewed nor deferred.",
        _IN,
        name=f"{which} open item",
    )
    for which, key, shown in (("next", "plus", "+"), ("previous", "minus", "-"), ("first", "asterisk", "*"))
)

MOVES: tuple[Action, ...] = (
    Action(
        "queue.next",
        ("j", "down", "right"),
        "j",
        "next_item",
        "next",
        "Go to the next item without marking.",
        _IN,
        why_not=_needs_others,
        rank=3,
        name="next item",
    ),
    Action(
        "queue.previous",
        ("k", "up", "left"),
        "k",
        "previous_item",
        "back",
        "Go to the previous item without marking.",
        _IN,
        why_not=_needs_others,
        rank=3,
        name="previous item",
    ),
    *_OPEN_ITEMS,
    NEXT_BOOKMARK,
    Action(
        "difference.next",
        ("right_square_bracket",),
        "]",
        "step_difference",
        "",
        "Go to the next difference between oracle and prediction.",
        _IN,
        ("next",),
        needs_difference,
        name="next difference",
    ),
    Action(
        "difference.previous",
        ("left_square_bracket",),
        "[",
        "step_difference",
        "",
        "Go to the previous difference between oracle and prediction.",
        _IN,
        ("previous",),
        needs_difference,
        name="previous difference",
    ),
    Action(
        "pane.cycle",
        ("tab",),
        "tab",
        "cycle_pane",
        "pane",
        "Move to the next pane; the page keys scroll it.",
        _IN,
        rank=5,
        name="next pane",
    ),
    Action(
        "pane.page_down",
        ("pagedown",),
        "PgDn",
        "scroll_pane",
        "",
        "Scroll the pane down by a page.",
        _IN,
        ("page down",),
        name="page down",
    ),
    Action(
        "pane.page_up",
        ("pageup",),
        "PgUp",
        "scroll_pane",
        "",
        "Scroll the pane up by a page.",
        _IN,
        ("page up",),
        name="page up",
    ),
    Action(
        "pane.down",
        ("J",),
        "J",
        "scroll_pane",
        "",
        "Scroll the pane down by a row; in the source, choose the next line.",
        _IN,
        ("down",),
        name="row down",
    ),
    Action(
        "pane.up",
        ("K",),
        "K",
        "scroll_pane",
        "",
        "Scroll the pane up by a row; in the source, choose the line before.",
        _IN,
        ("up",),
        name="row up",
    ),
    Action(
        "pane.start",
        ("home",),
        "Home",
        "scroll_pane",
        "",
        "Scroll the pane to its start.",
        _IN,
        ("start",),
        name="start of the pane",
    ),
    Action(
        "pane.end",
        ("end",),
        "End",
        "scroll_pane",
        "",
        "Scroll the pane to its end.",
        _IN,
        ("end",),
        name="end of the pane",
    ),
)
