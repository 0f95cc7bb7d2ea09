"""Read problems from folders: `problem.toml`, `implementations/NAME.py` and `tests.jsonl`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Any

from auditor.errors import InputError
from auditor.formats.fields import Fields, take_optional_text, take_optional_whole, take_text, take_texts, take_whole
from auditor.formats.json_text import UnusableError, kind_of, parse_object
from auditor.formats.records import Refusal as Unreadable
from auditor.grading.literals import NotLiteralError, read_literal
from auditor.model import Scalar
from auditor.studies.core.probe_moments import KINDS, Wanted
from auditor.studies.core.problem import Implementation, Problem, Test, WrittenProbe, style_of
from auditor.studies.core.reasoning_way import DIMENSIONS
from auditor.studies.exact_output.function_lines import arguments_of
from auditor.text import visible_line

ABOUT, IMPLEMENTATIONS, TESTS, PROBES = "problem.toml", "implementations", "tests.jsonl", "probes.jsonl"
_LARGEST = 4 << 20
"""Bytes of one file."""
_KNOWN = ("entry_point", "statement", "styles")


def read_problems(paths: Sequence[Path]) -> tuple[list[Problem], list[Unreadable]]:
    """Read the problems of folders: each is a problem itself, or holds a folder for each; and what cannot be read.

    Raises InputError where there is no problem at all, or two have the same name.
    """
    folders = [folder for path in paths for folder in _folders(path)]
    problems: list[Problem] = []
    refused: list[Unreadable] = []
    for folder in folders:
        try:
            problems.append(read_problem(folder, refused))
        except UnusableError as error:
            refused.append(Unreadable(visible_line(folder.name, 60), str(error)))
    names = [problem.name for problem in problems]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"two problems are called {visible_line(name, 60)}.", hint="Rename one of their folders.")
    return problems, refused


def _folders(path: Path) -> list[Path]:
    where = visible_line(str(path))
    if not path.exists():
        raise InputError(f"there is no folder {where}.")
    if (path / ABOUT).is_file():
        return [path]
    found = sorted(inner.parent for inner in path.glob(f"*/{ABOUT}")) if path.is_dir() else []
    if not found:
        hint = f"A problem is a folder with {ABOUT}, {TESTS} and {IMPLEMENTATIONS}/NAME.py."
        raise InputError("there are no problems here.", where=where, hint=hint)
    return found


def read_problem(folder: Path, refused: list[Unreadable]) -> Problem:
    """Read one problem; what is unusable of its tests and implementations is put among `refused`.

    Raises UnusableError where the problem as a whole cannot be used.
    """
    name = _name(folder)
    about = _about(folder / ABOUT)
    entry_point = about.get("entry_point")
    if not isinstance(entry_point, str) or not entry_point.isidentifier():
        raise UnusableError(f"{ABOUT} names no entry_point, the function that every implementation defines.")
    statement, styles = about.get("statement", ""), about.get("styles", {})
    if not isinstance(statement, str) or not isinstance(styles, dict):
        raise UnusableError(f"in {ABOUT}, statement must be text and styles a table of implementations.")
    sources = sorted((folder / IMPLEMENTATIONS).glob("*.py"))
    implementations = _implementations(name, sources, styles, refused)
    tests = _tests(folder / TESTS, name, entry_point, refused)
    facets = _facets(about)
    probes = _probes(folder / PROBES, name, refused)
    return Problem(name, entry_point, implementations, tests, statement.strip(), facets, probes)


def _facets(about: Mapping[str, Any]) -> dict[str, Scalar]:
    """Return what `problem.toml` says besides; raises UnusableError for what no facet can be."""
    found = {key: value for key, value in about.items() if key not in _KNOWN}
    for key, value in found.items():
        if not isinstance(value, bool | int | float | str) or (isinstance(value, float) and not isfinite(value)):
            told = f"in {ABOUT}, {visible_line(key, 40)} is neither text nor a finite number nor true or false"
            raise UnusableError(f"{told}, so that it cannot be a facet.")
    return found


def _implementations(
    problem: str, paths: Sequence[Path], styles: Mapping[str, Any], refused: list[Unreadable]
) -> tuple[Implementation, ...]:
    found = []
    for path in paths:
        name = _name(path)
        style = styles.get(name, style_of(name))
        try:
            if not isinstance(style, str) or not style:
                raise UnusableError(f"in {ABOUT}, its style must be text.")
            found.append(Implementation(name, _text(path), style))
        except UnusableError as error:
            refused.append(Unreadable(f"{visible_line(problem, 60)}/{visible_line(name, 60)}", str(error)))
    return tuple(found)


def _name(path: Path) -> str:
    return path.stem.replace("_", "-") if path.suffix == ".py" else path.resolve().name.replace("_", "-")


def _text(path: Path) -> str:
    name = visible_line(path.name, 60)
    try:
        if path.stat().st_size > _LARGEST:
            raise UnusableError(f"{name} is larger than 4 MB.")
        return path.read_bytes().decode()
    except UnicodeDecodeError as error:
        raise UnusableError(f"byte {error.start + 1} of {name} is not UTF-8.") from error
    except OSError as error:
        raise UnusableError(f"{name} cannot be read ({error.strerror}).") from error


def _about(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(_text(path))
    except (ValueError, RecursionError) as error:
        raise UnusableError(f"{path.name} cannot be read: {visible_line(str(error), 200)}") from error


def _tests(path: Path, problem: str, entry_point: str, refused: list[Unreadable]) -> tuple[Test, ...]:
    found: dict[str, Test] = {}
    for number, line in enumerate(_text(path).split("\n"), 1):
        if not line.strip():
            continue
        try:
            test = _test(parse_object(line.encode()), number, entry_point)
            if test.name in found:
                raise UnusableError(f"a test called {visible_line(test.name, 40)} came before.")
            found[test.name] = test
        except UnusableError as error:
            refused.append(Unreadable(f"{visible_line(problem, 60)}/{path.name}:{number}", str(error)))
    return tuple(found.values())


def _test(values: Mapping[str, Any], number: int, entry_point: str) -> Test:
    """Return the test of a line: `input` are the arguments of the call, `test` and `output` may be left out."""
    for key in ("test", "input", "output"):
        if key in values and not isinstance(values[key], str):
            raise UnusableError(f"{key} is {kind_of(values[key])}, but must be text.")
    if "input" not in values:
        raise UnusableError("it has no input, the arguments of the call.")
    arguments = arguments_of(values["input"], entry_point).strip()
    if (output := values.get("output")) is not None:
        try:
            read_literal(output)
        except NotLiteralError as error:
            raise UnusableError(f"its output is no Python literal: {error}.") from error
    return Test(values.get("test", f"t{number:02}"), arguments, values.get("output"))


def _probes(path: Path, problem: str, refused: list[Unreadable]) -> tuple[WrittenProbe, ...]:
    """Return the probes that somebody wrote; where there is no such file, none."""
    found: list[WrittenProbe] = []
    for number, line in enumerate(_text(path).split("\n") if path.exists() else (), 1):
        if line.strip():
            try:
                found.append(probe_of(parse_object(line.encode())))
            except UnusableError as error:
                refused.append(Unreadable(f"{visible_line(problem, 60)}/{path.name}:{number}", str(error)))
    return tuple(found)


def probe_of(fields: Fields) -> WrittenProbe:
    """Return the probe of a line of `probes.jsonl`; raises UnusableError."""
    implementation, test, kind = (take_text(fields, name) for name in ("implementation", "test", "kind"))
    line, n = take_whole(fields, "line", least=1), take_optional_whole(fields, "n", least=1)
    variable, question = take_optional_text(fields, "variable"), take_optional_text(fields, "question")
    dimensions = take_texts(fields, "dimensions")
    if kind not in KINDS:
        raise UnusableError(f"kind is {visible_line(kind, 40)!r}, but must be one of {', '.join(KINDS)}.")
    if kind.startswith("value-") is (variable is None):
        raise UnusableError(f"a probe of the kind {kind} names {'a' if variable is None else 'no'} variable.")
    if strange := [name for name in dimensions if name not in DIMENSIONS]:
        known = ", ".join(DIMENSIONS)
        raise UnusableError(f"dimensions holds {visible_line(strange[0], 40)!r}, but may hold {known}.")
    if fields:
        raise UnusableError(f"there is no {visible_line(next(iter(fields)), 40)} of a probe.")
    return WrittenProbe(implementation, test, Wanted(kind, line, n, variable), question, dimensions)
