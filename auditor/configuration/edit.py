"""Change one setting in the file of a person's; every other character of it stays."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile

from auditor.configuration.configuration import file_settings
from auditor.configuration.settings import parsed
from auditor.configuration.toml_file import TomlFile, read_toml
from auditor.errors import InputError
from auditor.formats.toml_text import toml_pair
from auditor.text import visible_line


def set_setting(path: Path, name: str, text: str) -> str:
    """Write a setting, given as text, into a file that may not be there yet; return its line.

    Raises AuditorError for an unknown setting, a wrong value, and a file that is not right already.
    """
    value = parsed(name, text)
    file = read_toml(path) or TomlFile(path, "")
    _, problems = file_settings(file)
    if problems:
        raise InputError(problems[0], hint="Mend the file first; nothing was changed.")
    line = toml_pair(name, list(value) if isinstance(value, tuple) else value)
    changed = _with_line(file, name, line)
    # What cannot be edited as text is left to the person: nothing but this setting may change.
    if TomlFile(path, changed).values != {**file.values, name: TomlFile(path, line).values[name]}:
        where = visible_line(str(path))
        raise InputError(f"{name} cannot be changed by itself.", where=where, hint=f"Write into it: {line}")
    _replace(path, changed)
    return line


def _with_line(file: TomlFile, name: str, line: str) -> str:
    lines = file.text.split("\n")
    if name in file.values and (place := file.statement_of(name)) is not None:
        first, last = place
        end = "\r" if lines[last - 1].endswith("\r") else ""
        return "\n".join([*lines[: first - 1], line + end, *lines[last:]])
    text = file.text if not file.text or file.text.endswith("\n") else f"{file.text}\n"
    return f"{text}{line}\n"


def _replace(path: Path, text: str) -> None:
    """Write a file at once; a link, as many keep their settings behind one, stays a link."""
    target = path.resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=target.parent, prefix=".config-", delete=False) as file:
        try:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
            with suppress(FileNotFoundError):
                os.chmod(file.name, target.stat().st_mode & 0o7777)
            os.replace(file.name, target)
        except BaseException:
            os.unlink(file.name)
            raise
