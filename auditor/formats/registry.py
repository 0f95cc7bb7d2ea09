"""Which formats there are, and which one a path is of: by content, never by name."""

from __future__ import annotations

import re
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, cast

from auditor.errors import AuditorError, InputError
from auditor.formats.json_text import BOM, UnusableError, kind_of, parse_json
from auditor.formats.lines import HEAD, open_binary
from auditor.formats.records import Format
from auditor.text import visible_line

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "auditor.formats"
_FIRST_KEY = re.compile(rb'\s*\{\s*"([^"]*)"\s*:')


def formats() -> Mapping[str, Format]:
    """Return every installed format by its name, in the order of the names.

    Raises AuditorError when one cannot be loaded or two have the same name.
    """
    # Late: a review, which imports no file, would pay for it at its start.
    from importlib.metadata import entry_points

    found: dict[str, Format] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        if point.name in found:
            raise AuditorError(f"two installed packages bring a format named {visible_line(point.name)}.")
        found[point.name] = _load(point)
    return found


def _load(point: EntryPoint) -> Format:
    try:
        return cast(Format, point.load())
    except (ImportError, AttributeError) as err:
        package = f" of {point.dist.name}" if point.dist else ""
        raise AuditorError(
            f"the format {visible_line(point.name)}{package} cannot be loaded: {visible_line(str(err), 200)}."
        ) from err


def recognise(path: Path) -> Format:
    """Return the format of a file or folder.

    Raises InputError when there is nothing at the path, and when no format or more than one fits.
    """
    head = _head(path)
    known = formats()
    fitting = [format_ for format_ in known.values() if format_.recognises(path, head)]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        names = " and ".join(format_.name for format_ in fitting)
        raise InputError(f"it could be of the formats {names}.", where=str(path), hint="Say which with --format.")
    raise InputError(f"it {_looks(path, head)}.", where=str(path), hint=f"The known formats are {', '.join(known)}.")


def _head(path: Path) -> bytes:
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        raise InputError("there is no such file or folder.", where=str(path)) from None
    except OSError as err:
        raise InputError(f"it cannot be read ({err.strerror}).", where=str(path)) from err
    if stat.S_ISDIR(mode):
        return b""
    if not stat.S_ISREG(mode):
        raise InputError(
            "it is neither a file nor a folder; what comes through a pipe has to be saved first.", where=str(path)
        )
    with open_binary(path) as file:
        return file.read(HEAD)


def _looks(path: Path, head: bytes) -> str:
    """Say in words what an unknown file looks like."""
    if path.is_dir():
        return "is a folder without a run.toml"
    head = head.removeprefix(BOM)
    if not head.strip():
        return "is empty"
    if head.startswith(b"PK\x03\x04"):
        return "looks like a ZIP archive"
    if b"\0" in head:
        return "looks like binary data"
    whole, line = _value(head), _value(head.split(b"\n", 1)[0])
    keys = [visible_line(key, 30) for key in list(line)[:6]] if isinstance(line, dict) else []
    if {"study", "case", "arm"} <= set(keys):
        return "looks like one file of a run directory, whose folder is to be given instead"
    if isinstance(line, dict) and {"implementation", "test", "kind", "line"} <= line.keys():
        return "looks like a problem's probes.jsonl, which `auditor probes import` reads"
    if whole is not None:
        return f"looks like JSON: {_object_with(list(whole))}" if isinstance(whole, dict) else _json_kind(whole)
    if isinstance(line, dict):
        return f"looks like JSON lines: {_object_with(list(line))} in the first"
    first = _FIRST_KEY.match(head)
    if first:
        return (
            f'looks like a long JSON object that begins with "{visible_line(first[1].decode("utf-8", "replace"), 30)}"'
        )
    return "looks like text that is not JSON"


def _json_kind(value: object) -> str:
    return f"looks like JSON, but is {kind_of(value)}"


def _object_with(keys: list[str]) -> str:
    if not keys:
        return "an empty object"
    shown = ", ".join(visible_line(key, 30) for key in keys[:6])
    return f"an object with the keys {shown}{', …' if len(keys) > 6 else ''}"


def _value(data: bytes) -> object:
    try:
        return parse_json(data)
    except UnusableError:
        return None
