"""Read cases: a folder of programs with a TOML file each, a TOML file with tables `[[case]]`, or JSON lines.

A line is a case, a contest problem or a function with a call; its keys tell.
"""

from __future__ import annotations

import gzip
import stat
import tomllib
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from auditor.errors import InputError
from auditor.formats.json_text import UnusableError, kind_of, parse_object
from auditor.formats.records import Refusal
from auditor.studies.exact_output.case import Case
from auditor.studies.exact_output.function_lines import function_case, is_function
from auditor.studies.exact_output.problem_lines import is_problem, problem_cases
from auditor.studies.exact_output.source_options import SourceOptions
from auditor.text import visible_line

LANGUAGES = {".py": "python", ".cpp": "cpp", ".cc": "cpp", ".cxx": "cpp"}
"""By the suffix of a program's file."""
_KNOWN = ("name", "program", "file", "language", "study", "short", "long", "loop", "iteration", "fields")
_PROGRAM_LIMIT = 16 << 20
"""Bytes of a program's file."""


_LINES = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")


def read_cases(path: Path, options: SourceOptions | None = None) -> tuple[list[Case], list[Refusal]]:
    """Read all cases of a folder or file; a case that cannot be used is among the refusals, with its place.

    Raises InputError when the whole is unusable: nothing there, not TOML, no such kind of file.
    """
    where = visible_line(str(path))
    if path.is_dir():
        entries = list(_of_folder(path))
        if not entries:
            raise InputError("this folder holds no program (NAME.py or NAME.cpp with its NAME.toml).", where=where)
    elif path.suffix == ".toml":
        entries = list(_of_toml(path))
    elif path.name.endswith(_LINES):
        entries = list(_of_lines(path, options or SourceOptions()))
        if not entries:
            raise InputError("this file holds no case.", where=where)
    else:
        hint = "Give a folder of programs, a .toml file, a .jsonl file or a .jsonl.gz file."
        raise InputError("cases are not read from this kind of file.", where=where, hint=hint)
    cases, refusals = [], []
    for place, entry in entries:
        if isinstance(entry, Case):
            cases.append(entry)
        else:
            refusals.append(Refusal(place, entry))
    return cases, refusals


Entry = tuple[str, "Case | str"]
"""Where it stands, and a case or the sentence that says why it is none."""


def _entry(place: str, values: dict[str, Any], folder: Path, name: str | None = None) -> Entry:
    try:
        return place, _case(values, folder, name)
    except UnusableError as error:
        return place, str(error)
    except OSError as error:
        return place, f"its program cannot be read: {error.strerror}."
    except UnicodeDecodeError:
        return place, "its program is not UTF-8."


def _of_folder(folder: Path) -> Iterator[Entry]:
    """Read each program of a folder, with what the file of the same name in TOML says of it."""
    for program in sorted(path for path in folder.iterdir() if path.suffix in LANGUAGES):
        about = program.with_suffix(".toml")
        place = visible_line(str(program))
        if not about.exists():
            yield place, f"there is no {visible_line(about.name)} beside it, which says its inputs."
            continue
        try:
            values = _toml(about)
        except InputError as error:
            yield visible_line(str(about)), error.message.removeprefix(f"{error.where}: ")
            continue
        given = {"file": program.name, **values}
        yield _entry(place, given, folder, program.stem.replace("_", "-"))


def _toml(path: Path) -> dict[str, Any]:
    where = visible_line(str(path))
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"this cannot be read: {error.strerror}.", where=where) from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"this is not TOML: {visible_line(str(error), 200)}.", where=where) from error


def _of_toml(path: Path) -> Iterator[Entry]:
    tables = _toml(path).get("case")
    if not isinstance(tables, list) or not tables or not all(isinstance(table, dict) for table in tables):
        raise InputError("this declares no case: each needs a table [[case]].", where=visible_line(str(path)))
    for number, table in enumerate(tables, 1):
        yield _entry(f"{visible_line(str(path))}: [[case]] number {number}", table, path.parent)


def _of_lines(path: Path, options: SourceOptions) -> Iterator[Entry]:
    where, seen = visible_line(str(path)), dict[str, int]()
    for number, row in _rows(path):
        place = f"{where}:{number}"
        try:
            values = parse_object(row)
            if is_problem(values):
                found = list(problem_cases(values, options))
            elif is_function(values):
                found = [function_case(values, options)]
            else:
                yield _entry(place, values, path.parent)
                continue
        except UnusableError as error:
            yield place, str(error)
            continue
        for one in found:
            # Public data sets repeat names, which is no reason to give the whole file up.
            if isinstance(one, Case) and seen.setdefault(one.name, number) != number:
                one = f"the name {visible_line(one.name, 60)} stands in line {seen[one.name]:,} already."
            yield place, one


def _rows(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a file that are not blank, with their numbers; raises InputError."""
    where = visible_line(str(path))
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            for number, row in enumerate(file, 1):
                if row.strip():
                    yield number, row
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError("this is not a whole gzip file.", where=where) from error
    except OSError as error:
        raise InputError(f"this cannot be read: {error.strerror}.", where=where) from error


def _case(values: Mapping[str, Any], folder: Path, name: str | None) -> Case:
    """Take a case out of its values; the keys that are not known are facets. Raises UnusableError."""
    file, program = _text(values, "file", None), _text(values, "program", None)
    if (file is None) == (program is None):
        raise UnusableError("it needs either program (the source) or file (the path of the source).")
    language = LANGUAGES.get(Path(file).suffix, "python") if file is not None else "python"
    source = _source(folder / file) if file is not None else program
    facets = {key: value for key, value in values.items() if key not in _KNOWN}
    for key, value in facets.items():
        if not isinstance(value, bool | int | float | str):
            raise UnusableError(f"{visible_line(key, 40)} is {kind_of(value)}, but a facet is a number or a text.")
    return Case(
        _required(values, "name") if name is None else _text(values, "name", name) or name,
        source or "",
        _required(values, "short"),
        _required(values, "long"),
        _text(values, "language", None) or language,
        _text(values, "study", None),
        _loop(values.get("loop")),
        _number(values.get("iteration"), "iteration"),
        _fields(values.get("fields")),
        facets,
    )


def _source(path: Path) -> str:
    """Read a program; raises UnusableError for what is no file of a program's size, and as reading does."""
    try:
        known = path.stat()
    except ValueError:  # a NUL
        raise UnusableError("its file has no name that a file can have.") from None
    if not stat.S_ISREG(known.st_mode):
        raise UnusableError("its file is no plain file.")
    if known.st_size > _PROGRAM_LIMIT:
        raise UnusableError(f"its file is larger than {_PROGRAM_LIMIT >> 20} MiB, which no program is.")
    return path.read_bytes().decode()  # as bytes: line ends are part of a program


def _text(values: Mapping[str, Any], key: str, default: str | None) -> str | None:
    value = values.get(key, default)
    if value is not None and not isinstance(value, str):
        raise UnusableError(f"{key} is {kind_of(value)}, but must be text.")
    try:
        (value or "").encode()
    except UnicodeEncodeError:
        raise UnusableError(
            f"{key} holds what cannot be given to a program: a lone surrogate or a stray byte."
        ) from None
    return value


def _required(values: Mapping[str, Any], key: str) -> str:
    value = _text(values, key, None)
    if value is None or (key == "name" and not value.strip()):
        raise UnusableError(f"it has no {key}.")
    return value


def _number(value: Any, key: str) -> int | None:
    if value is not None and (type(value) is not int or value < 1):
        raise UnusableError(f"{key} is {kind_of(value)}, but must be a whole number from 1.")
    return value


def _loop(value: Any) -> int | str | None:
    return value.strip() if isinstance(value, str) else _number(value, "loop")


def _fields(value: Any) -> tuple[str, ...] | None:
    if value is None:
        return None
    if not isinstance(value, list) or not value or not all(isinstance(name, str) for name in value):
        raise UnusableError("fields must be a list of one or more names of variables.")
    return check_fields(value)


def check_fields(names: list[str]) -> tuple[str, ...]:
    """Return the names of fields, which must be variables and differ; raises UnusableError."""
    for name in names:
        if not name.isidentifier():
            raise UnusableError(f"the field {visible_line(name, 40)!r} is not the name of a variable.")
    if len(set(names)) < len(names):
        raise UnusableError("fields names a variable twice.")
    return tuple(names)
