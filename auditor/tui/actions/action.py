"""What an action is: one thing that a person can do on a screen, and what decides whether it can be done now."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from auditor.tui.actions.key_names import shown_key

_NOTHING: Mapping[str, str] = MappingProxyType({})


class Situation(NamedTuple):
    """What decides whether an action can be done now."""

    items: int = 1
    """Items in the queue."""
    writing_note: bool = False
    completes: bool = True
    """Whether what is written can be completed."""
    has_input: bool = True
    is_asked: bool = True
    """Whether a model was asked; else people judge the item itself, and there is no reply."""
    has_reasoning: bool = True
    has_prompt: bool = True
    differences: int = 1
    """Places where oracle and prediction differ in the comparison shown."""
    can_pin: bool = True
    """Whether the pane with the focus has a place for a memo."""
    on_tag: bool = True
    """Whether the row with the cursor is a tag."""
    has_tag: bool = True
    """Whether that row or one above it is a tag."""
    voices: int = 2
    """How many annotators reviewed the item."""
    blind: bool = False
    again: bool = False
    """Whether own items come back as fresh ones."""
    lacks: Mapping[str, str] = _NOTHING
    """What a recorded run does not have to go to, with the sentence that says so; see the replay's actions."""
    has_rules: bool = True
    """Whether the item asks which rule of C* is violated."""
    has_problem: bool = True
    """Whether the item is an output or a probe of a problem that has implementations."""
    has_implementations: bool = True
    """Whether it is about such a problem at all: an output, a probe, or a program or probe that people judge."""
    has_run: bool = True
    """Whether there is a run about which probes can be asked."""
    has_other_symbols: bool = True
    """Whether the item's program is written in other symbols than the standard ones."""
    hidden: frozenset[str] = frozenset()
    """Names of the dimensions that the blind review hides of the item; empty = all of it is shown."""


WhyNot = Callable[[Situation], "str | None"]
"""Returns the sentence that says why an action cannot be done now, or None when it can."""


def _always(situation: Situation) -> str | None:
    return None


@dataclass(frozen=True)
class Action:
    """One thing a person can do."""

    id: str
    """`area.verb`; key maps name actions by it."""
    keys: tuple[str, ...]
    """Textual's names of the keys; empty where the codebook gives the keys."""
    shown_key: str
    method: str
    """The screen's method is `action_<method>`."""
    label: str
    """One or two words for the footer; empty = not in the footer."""
    description: str
    """What it does, for help, palette and key table; keys are not named in it, since a key map may change them."""
    group: str
    arguments: tuple[str, ...] = ()
    why_not: WhyNot = _always
    while_writing: bool = False
    """Whether the keys act while a note is written; all others are only text then."""
    outside_writing: bool = True
    """Whether the keys act while no note is written."""
    rank: int = 5
    """Lower stays longer in a narrow footer."""
    name: str = ""
    """What the palette calls it where the footer has no label."""
    short_label: str = ""
    """What stands in the footer where not all labels have room; empty = the label."""
    of_some_items: bool = False
    """Whether the footer names it only where it can be done: it is for one kind of items."""
    needed: bool = False
    """Whether a key map may not leave it without a key."""

    @property
    def short_name(self) -> str:
        """Return what it is called in a list of actions."""
        return self.name or self.label

    @property
    def sentence(self) -> str:
        """Return the description with the other keys: `Show keys and tags. Also F1.`"""
        others = [shown_key(key) for key in self.keys[1:]]
        return f"{self.description} Also {' and '.join(others)}." if others else self.description
