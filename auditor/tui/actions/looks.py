"""Actions that show something else of the item."""

from __future__ import annotations

from auditor.audit.blindness import why_not_shown
from auditor.tui.actions.action import Action, Situation

_IN = "Look"


def _needs_input(situation: Situation) -> str | None:
    return None if situation.has_input else "This task has no input."


def _needs_reply(situation: Situation) -> str | None:
    return None if situation.is_asked else "There is no reply: nobody was asked, the item itself is judged."


def _needs_reasoning(situation: Situation) -> str | None:
    return None if situation.has_reasoning else "No reasoning was recorded with this reply."


def _needs_prompt(situation: Situation) -> str | None:
    hidden = why_not_shown(situation.hidden, "The prompt")
    return hidden or (None if situation.has_prompt else "No prompt was recorded with this task.")


def _needs_hidden(situation: Situation) -> str | None:
    if situation.hidden:
        return None
    return "Everything about this item is shown." if situation.blind else "Nothing is hidden: this is no blind review."


def _needs_rules(situation: Situation) -> str | None:
    hidden = why_not_shown(situation.hidden, "The rules")
    return hidden or (None if situation.has_rules else "This task asks for no rule of C*.")


def _needs_other_symbols(situation: Situation) -> str | None:
    hidden = why_not_shown(situation.hidden, "The standard symbols")
    if hidden or situation.has_other_symbols:
        return hidden
    return "This is no C* program in other symbols than the standard ones."


STANDARD_SYMBOLS = Action(
    "look.standard",
    ("exclamation_mark",),
    "!",
    "show_standard",
    "standard",
    "Show program, prompt and rules in standard symbols, which the model was never shown, or go back.",
    _IN,
    why_not=_needs_other_symbols,
    rank=3,
    name="standard symbols",
    of_some_items=True,
)
"""Of the screens that show C* programs."""

LOOKS: tuple[Action, ...] = (
    Action(
        "look.reply",
        ("r",),
        "r",
        "show_reply",
        "reply",
        "Show the raw reply on the whole screen, or go back.",
        _IN,
        why_not=_needs_reply,
        rank=2,
        of_some_items=True,
    ),
    Action(
        "look.reasoning",
        ("R",),
        "R",
        "show_reasoning",
        "",
        "Show the recorded reasoning in place of the reply, or go back.",
        _IN,
        why_not=_needs_reasoning,
        name="reasoning",
    ),
    Action(
        "look.input",
        ("i",),
        "i",
        "show_input",
        "input",
        "Show the input on the whole screen, or go back.",
        _IN,
        why_not=_needs_input,
        rank=2,
        of_some_items=True,
    ),
    Action(
        "look.prompt",
        ("p",),
        "p",
        "show_prompt",
        "",
        "Show the prompt as the model was shown it on the whole screen, or go back.",
        _IN,
        why_not=_needs_prompt,
        name="prompt",
    ),
    Action(
        "look.rules",
        ("ampersand",),
        "&",
        "show_rules",
        "rules",
        "Show the rule that a C* program violates beside the rule that is cited, or go back.",
        _IN,
        why_not=_needs_rules,
        rank=3,
        of_some_items=True,
    ),
    STANDARD_SYMBOLS,
    Action(
        "item.reveal",
        ("v",),
        "v",
        "reveal",
        "",
        "Show what a blind review hides of the item; the history keeps that, and undo does not take it back.",
        _IN,
        why_not=_needs_hidden,
        name="reveal",
    ),
)
