"""A person's key map on the registry: which keys act then, and a sentence for each entry that cannot be used."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

from auditor.configuration.keymap_file import KeymapEntry
from auditor.errors import AuditorError
from auditor.text import visible_line
from auditor.tui.actions.action import Action
from auditor.tui.actions.key_names import parse_key, shown_key, writes

Screens = Mapping[str, tuple[Action, ...]]
"""The actions of each screen, by the screen's name."""


class MappedKeys(NamedTuple):
    """The registry under a key map."""

    screens: Screens
    problems: tuple[str, ...]
    """A sentence for each entry that is left out; its action has its default keys."""


class _Change(NamedTuple):
    entry: KeymapEntry
    keys: tuple[str, ...]
    """By Textual's names."""


def map_keys(entries: Sequence[KeymapEntry], screens: Screens, tag_keys: Mapping[str, str]) -> MappedKeys:
    """Give actions the keys of a key map. `tag_keys` are the codebook's: key as written, and name of the tag.

    An entry is refused, and named, when its action or a key does not exist, when it takes a key from a tag, from
    another action of a screen, or from the text that is being written, and when its action cannot be without a key.
    """
    actions = {action.id: action for screen in screens.values() for action in screen}
    changes: dict[str, _Change] = {}
    problems = []
    for entry in entries:
        try:
            changes[entry.action] = _Change(entry, _keys_of(entry, actions, tag_keys))
        except AuditorError as error:
            problems.append(f"{entry.where}: {visible_line(entry.action, 80)}: {error}")
    # Without changes nothing clashes, and to look for it is a part of the time of a start.
    while changes and (clash := _find_clash(screens, changes)) is not None:
        refused, key, other = clash
        where = changes[other].entry.where if other in changes else "its default"
        problems.append(
            f"{changes.pop(refused).entry.where}: {refused}: {shown_key(key)} is the key of {other} too ({where})."
            " Give one of them another key."
        )
    return MappedKeys({name: _changed(screen, changes) for name, screen in screens.items()}, tuple(problems))


def _keys_of(entry: KeymapEntry, actions: Mapping[str, Action], tag_keys: Mapping[str, str]) -> tuple[str, ...]:
    """Check an entry by itself. Raises AuditorError."""
    action = actions.get(entry.action)
    if action is None:
        from difflib import get_close_matches

        near = get_close_matches(entry.action, list(actions), n=1)
        raise AuditorError("there is no such action.", f"Did you mean {near[0]}?" if near else None)
    if not action.keys:
        raise AuditorError("its keys are not in the key map: the codebook gives them.")
    keys = tuple(dict.fromkeys(map(parse_key, entry.keys)))
    if not keys and action.needed:
        raise AuditorError("this cannot be without a key.", f"Its default is {action.shown_key}.")
    of_tags = {parse_key(key): name for key, name in tag_keys.items()}
    for key in keys:
        if key in of_tags:
            tag = visible_line(of_tags[key], 60)
            raise AuditorError(f"{shown_key(key)} is the key of the tag {tag!r}.", "Choose another key.")
        if action.while_writing and writes(key):
            hint = "Choose Enter, Esc, a function key, or ctrl and a letter."
            raise AuditorError(f"{shown_key(key)} is needed for the text that is being written.", hint)
    return keys


def _find_clash(screens: Screens, changes: Mapping[str, _Change]) -> tuple[str, str, str] | None:
    """Return the change to refuse, the key, and the action that keeps it: the other one, or the first in the file."""
    order = {action: place for place, action in enumerate(changes)}
    for screen in screens.values():
        for one, other in combinations(_changed(screen, changes), 2):
            shared = [key for key in one.keys if key in other.keys]
            if shared and _act_together(one, other) and (one.id in changes or other.id in changes):
                keeps, refused = sorted((one.id, other.id), key=lambda id_: order.get(id_, -1))
                return refused, shared[0], keeps
    return None


def _act_together(one: Action, other: Action) -> bool:
    """Say whether there is a moment in which the keys of both act."""
    return (one.while_writing and other.while_writing) or (one.outside_writing and other.outside_writing)


def _changed(screen: Iterable[Action], changes: Mapping[str, _Change]) -> tuple[Action, ...]:
    return tuple(_rekeyed(action, changes[action.id].keys) if action.id in changes else action for action in screen)


def _rekeyed(action: Action, keys: tuple[str, ...]) -> Action:
    return replace(action, keys=keys, shown_key=shown_key(keys[0]) if keys else "")
