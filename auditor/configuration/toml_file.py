"""A small TOML file of a person's: its values, and the line of each for the sentences about mistakes."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from auditor.errors import InputError
from auditor.text import visible_line

MAX_BYTES = 64 * 1024


class TomlFile:
    """A file that was read, and where its keys stand."""

    def __init__(self, path: Path, text: str) -> None:
        """Raises InputError, with the line, for what is not TOML."""
        self.path = path
        self.text = text
        self.values: dict[str, Any] = _parse(path, text)

    def line_of(self, *key: str) -> int | None:
        """Return the line of a key, given as the names of its tables and its own; None where it cannot be told."""
        statement = self.statement_of(*key)
        return None if statement is None else statement[0]

    def statement_of(self, *key: str) -> tuple[int, int] | None:
        """Return the first and the last line of the statement that brings a key, counted from 1.

        A line brings a key when what is above it is TOML without the key, and with it and the lines that end its
        statement there is the key. A text that only looks like a statement is never taken for one.
        """
        lines = self.text.split("\n")
        last = re.compile(rf"\b{re.escape(key[-1])}\b") if key[-1].isidentifier() else re.compile(re.escape(key[-1]))
        for first in (number for number, line in enumerate(lines) if last.search(line)):
            above = _parsed(lines[:first])
            if above is None or _has(above, key):
                continue
            for end in range(first + 1, len(lines) + 1):
                values = _parsed(lines[:end])
                if values is not None:
                    if _has(values, key):
                        return first + 1, end
                    break
        return None

    def place_of(self, *key: str) -> str:
        """Return `file:line` of a key, for a sentence."""
        line = self.line_of(*key)
        return visible_line(str(self.path)) + ("" if line is None else f":{line}")

    def flat(self) -> Iterator[tuple[tuple[str, ...], Any]]:
        """Yield each value that is no table under the names that lead to it: `item.defer = …` is (`item`, `defer`)."""
        yield from _flat((), self.values)


def read_toml(path: Path) -> TomlFile | None:
    """Read a file; None when there is none. Raises InputError for one that cannot be read, with the line."""
    where = visible_line(str(path))
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"this cannot be read: {error.strerror}.", where=where) from error
    if len(data) > MAX_BYTES:
        raise InputError(f"this is larger than {MAX_BYTES // 1024} KiB.", where=where)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError("this is not UTF-8.", where=f"{where}:{line}", hint="Save the file as UTF-8.") from error
    return TomlFile(path, text)


def _parse(path: Path, text: str) -> dict[str, Any]:
    where = visible_line(str(path))
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise InputError("this is nested too deep.", where=where) from error
    except ValueError as error:
        told = str(error)
        line = re.search(r" \(at line (\d+), column \d+\)| \(at end of document\)", told)
        number = line[1] or str(text.rstrip("\n").count("\n") + 1) if line else None
        reason = visible_line(told[: line.start()] if line else told, 200)
        hint = "Texts stand in quotes." if reason.startswith("Invalid value") else None
        place = where if number is None else f"{where}:{number}"
        raise InputError(f"this is not TOML: {reason[:1].lower()}{reason[1:]}.", where=place, hint=hint) from error


def _parsed(lines: Sequence[str]) -> dict[str, Any] | None:
    try:
        return tomllib.loads("".join(f"{line}\n" for line in lines))
    except (ValueError, RecursionError):
        return None


def _has(values: Mapping[str, Any], key: tuple[str, ...]) -> bool:
    """Say whether a key is there, however its names are split over tables and dots."""
    if key in [path for path, _ in _flat((), values)]:
        return True
    found: Any = values
    for name in key:
        if not isinstance(found, Mapping) or name not in found:
            return False
        found = found[name]
    return True


def _flat(path: tuple[str, ...], table: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], Any]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flat((*path, key), value)
        else:
            yield (*path, key), value
