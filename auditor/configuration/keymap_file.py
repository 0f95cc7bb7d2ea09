"""The key map as a file: actions and their keys as they are written. What they mean is for the screens to say."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from auditor.configuration.toml_file import TomlFile, read_toml
from auditor.errors import AuditorError
from auditor.text import visible_line

KEYMAP_NAME = "keymap.toml"


class KeymapEntry(NamedTuple):
    """The keys that a person gave to an action."""

    names: tuple[str, ...]
    """The action's id, `item.defer`, at its dots."""
    keys: tuple[str, ...]
    """As they are written; none takes the action's keys away."""
    file: TomlFile

    @property
    def action(self) -> str:
        """Return the action's id."""
        return ".".join(self.names)

    @property
    def where(self) -> str:
        """Return `file:line`. Finding the line takes longer than reading the file."""
        return self.file.place_of(*self.names)


class KeymapFile(NamedTuple):
    """What a key map file gave."""

    entries: tuple[KeymapEntry, ...] = ()
    problems: tuple[str, ...] = ()
    """A sentence for each entry that is no list of keys, or one for the whole file."""


def read_keymap(path: Path) -> KeymapFile:
    """Read `item.defer = "x"`, `queue.next = ["j", "down"]`; no file is no key map. What is wrong is in `problems`."""
    try:
        file = read_toml(path)
    except AuditorError as error:
        return KeymapFile(problems=(str(error),))
    return KeymapFile() if file is None else keymap_of(file)


def keymap_of(file: TomlFile) -> KeymapFile:
    """Return the entries of a file."""
    entries, problems = [], []
    for names, value in file.flat():
        keys = _keys(value)
        if keys is None:
            action, shown = visible_line(".".join(names), 80), visible_line(repr(value), 60)
            problems.append(f"{file.place_of(*names)}: {action}: this is a key or a list of keys, not {shown}.")
        else:
            entries.append(KeymapEntry(names, keys, file))
    return KeymapFile(tuple(entries), tuple(problems))


def _keys(value: Any) -> tuple[str, ...] | None:
    """Return the keys of an entry; None when it has another type."""
    if isinstance(value, str):
        return (value,) if value else ()
    if isinstance(value, list) and all(isinstance(key, str) and key for key in value):
        return tuple(value)
    return None
