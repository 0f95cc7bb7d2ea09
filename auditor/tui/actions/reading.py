"""Actions for reading closely: wrapped or not, folded or not, code points, a copy elsewhere."""

from __future__ import annotations

from auditor.tui.actions.action import Action
from auditor.tui.actions.moves import needs_difference

READING: tuple[Action, ...] = (
    Action(
        "look.wrap",
        ("w",),
        "w",
        "toggle_wrap",
        "wrap",
        "Show each line as one row that scrolls sideways, or wrap long lines again.",
        "Look",
        rank=8,
    ),
    Action(
        "look.fold",
        ("h",),
        "h",
        "toggle_folds",
        "fold",
        "Fold the blocks of the program that are away from the checkpoint, or show all lines.",
        "Look",
        rank=8,
    ),
    Action(
        "look.code_points",
        ("number_sign",),
        "#",
        "show_code_points",
        "",
        "Show the characters of the difference by code point and name, or go back.",
        "Look",
        why_not=needs_difference,
        name="code points",
    ),
    Action(
        "item.copy",
        ("y",),
        "y",
        "copy_part",
        "copy",
        "Copy a text of the item to a file, the pager, the editor or the clipboard.",
        "Look",
        rank=7,
    ),
)
"""Of the review screen."""

ACROSS: tuple[Action, ...] = tuple(
    Action(
        f"pane.{how.replace(' ', '_')}",
        (key,),
        key,
        "scroll_across",
        "",
        f"Scroll lines that are not wrapped to the {side}{amount}.",
        "Move",
        (how,),
        name=f"{how}{'' if amount else ' in the line'}",
    )
    for how, key, side, amount in (
        ("right", "shift+right", "right", ""),
        ("left", "shift+left", "left", ""),
        ("page right", "ctrl+right", "right", " by a page"),
        ("page left", "ctrl+left", "left", " by a page"),
    )
)
"""Of the review screen: sideways in a pane."""
