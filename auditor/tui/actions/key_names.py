"""Names of keys: as a key map spells them, as Textual calls them, as the screens show them."""

from __future__ import annotations

from auditor.errors import AuditorError
from auditor.text import visible_line

_SHOWN = {
    "space": "space",
    "enter": "Enter",
    "escape": "Esc",
    "tab": "tab",
    "backspace": "Backspace",
    "delete": "Del",
    "insert": "Ins",
    "home": "Home",
    "end": "End",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "up": "up",
    "down": "down",
    "left": "left",
    "right": "right",
} | {f"f{number}": f"F{number}" for number in range(1, 21)}
"""Keys with a name, by Textual's, and how they are shown."""

_SPELLINGS = {
    "esc": "escape",
    "return": "enter",
    "pgup": "pageup",
    "pgdn": "pagedown",
    "del": "delete",
    "ins": "insert",
}
_SAME_AS = {"ctrl+i": "tab", "ctrl+m": "enter", "ctrl+h": "backspace", "ctrl+j": "enter", "ctrl+[": "escape"}
"""What a terminal sends the same bytes for, or has sent since before there were others."""
_MOVES = ("up", "down", "left", "right", "home", "end", "pageup", "pagedown", "delete")
_WITH_MODIFIERS = frozenset(
    {f"ctrl+{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"} - set(_SAME_AS)
    | {f"{modifier}+{key}" for modifier in ("ctrl", "shift") for key in _MOVES}
    | {"shift+tab"}
)
"""Keys with a modifier that every terminal tells from the others."""


_SHORT_NAMED = {"slash": "/", "backslash": "\\", "minus": "-", "plus": "+", "underscore": "_", "at": "@"}
"""Characters for which Textual has a name of its own, which it does not read back (8.2.8)."""


def parse_key(text: str) -> str:
    """Return Textual's name of a key as a key map spells it: `x`, `]`, `space`, `ctrl+p`, `F2`.

    Raises AuditorError for what is no key, and for keys that terminals do not tell from others.
    """
    if len(text) == 1:
        if text.isprintable():
            return textual_key(text)
        raise AuditorError(f"{visible_line(text)!r} is no key.", "Write a name, such as tab or enter.")
    name = "+".join(_SPELLINGS.get(part, part) for part in text.lower().replace(" ", "").split("+"))
    if name in _SHOWN or name in _WITH_MODIFIERS:
        return name
    modifier, _, base = name.rpartition("+")
    shown = visible_line(text, 40)
    if name in _SAME_AS:
        raise AuditorError(f"a terminal cannot tell {shown!r} from {_SAME_AS[name]}.", "Choose another key.")
    if modifier == "shift" and len(base) == 1 and base.isalpha():
        raise AuditorError(f"{shown!r} is written {base.upper()}.")
    if modifier:
        raise AuditorError(f"not every terminal has {shown!r}.", "Choose a plain key, or ctrl and a letter.")
    if _character(name) is not None:  # Textual's own names, as in question_mark
        return name
    from difflib import get_close_matches

    near = get_close_matches(name, [*_SHOWN, *_SPELLINGS], n=1)
    raise AuditorError(f"no key is called {shown!r}.", f"Did you mean {near[0]}?" if near else None)


def shown_key(key: str) -> str:
    """Return how a key is shown, by Textual's name: `]` for right_square_bracket, `PgDn` for pagedown."""
    modifier, plus, base = key.rpartition("+")
    return modifier + plus + (_SHOWN.get(base) or (base if plus else _character(base) or base))


def textual_key(character: str) -> str:
    """Return Textual's name of the key that types a character."""
    from textual.keys import _character_to_key

    if character == " ":
        return "space"
    return _character_to_key(character) if len(character) == 1 else character


def is_pressed_by_hand(key: str, character: str | None) -> bool:
    """Say whether a key, by Textual's name, is one that a person presses, and not a modifier or a stray byte."""
    if character is not None and len(character) == 1 and character.isprintable():
        return character != "\N{REPLACEMENT CHARACTER}"
    return key in _SHOWN or key in _WITH_MODIFIERS


def writes(key: str) -> bool:
    """Say whether a key, by Textual's name, writes or moves in a text that is being written."""
    _, _, base = key.rpartition("+")
    return base in ("space", "tab", "backspace", *_MOVES) or (key == base and _character(key) is not None)


def _character(name: str) -> str | None:
    from textual.keys import key_to_character

    if name in _SHOWN:
        return None
    return _SHORT_NAMED.get(name) or key_to_character(name)
