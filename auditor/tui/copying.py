"""What can be copied of an item, and to where: the answers that the question offers, and the clipboard's limits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from auditor.audit.item_parts import PARTS, part_text, why_no_part
from auditor.audit.review import ReviewItem
from auditor.configuration.settings import Settings
from auditor.errors import AuditorError
from auditor.text import counted
from auditor.tui.outside import Program, find_editor, find_pager

CLIPBOARD_BYTES = 74_994
"""The most that terminals commonly take for the clipboard: 100,000 bytes of base64, its frame aside."""


class Choice(NamedTuple):
    """One answer to a question."""

    id: str
    key: str
    name: str
    about: str = ""
    """What stands behind the name."""
    why_not: str = ""
    """Why it cannot be chosen; empty when it can."""


def part_choices(item: ReviewItem) -> list[Choice]:
    """Return what there is of an item, with the reason for what there is not."""
    choices = []
    for part in PARTS:
        missing = why_no_part(item, part.id)
        text = part_text(item, part.id) or ""
        about = f"{counted(len(text), 'character')}" if missing is None else ""
        choices.append(Choice(part.id, part.key, part.name, about, missing or ""))
    return choices


def place_choices(text: str, settings: Settings, environ: Mapping[str, str]) -> list[Choice]:
    """Return where a text can go, with the reason for where it cannot."""
    return [
        Choice("file", "f", "file", "exactly as it is stored"),
        _program("pager", "p", settings.pager, environ, find_pager),
        _program("editor", "e", settings.editor, environ, find_editor),
        Choice("clipboard", "c", "terminal's clipboard", "exactly as it is stored", why_not_clipped(text) or ""),
    ]


def _program(
    id_: str, key: str, setting: str, environ: Mapping[str, str], find: Callable[[str, Mapping[str, str]], Program]
) -> Choice:
    try:
        return Choice(id_, key, id_, f"{find(setting, environ).name}; control characters made visible")
    except AuditorError as error:
        return Choice(id_, key, id_, why_not=error.message.removesuffix("."))


def why_not_clipped(text: str) -> str | None:
    """Say why a text cannot go to the terminal's clipboard; None when it can."""
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        return "it is no valid UTF-8, which only a file takes"
    if size > CLIPBOARD_BYTES:
        return f"{size:,} bytes: terminals take {CLIPBOARD_BYTES:,}"
    return None


def first_choice(choices: Sequence[Choice], wanted: str) -> int:
    """Return the place of the wanted answer, or else of the first one that can be chosen."""
    can = [place for place, choice in enumerate(choices) if not choice.why_not]
    return next((place for place in can if choices[place].id == wanted), can[0] if can else 0)
