"""The valid programs of the three splits: written by hand, translated from Python, and made by the fuzzer."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import NamedTuple

from auditor.errors import InputError
from auditor.studies.prex.cstar.fuzzing import LONGEST, Shape, fuzz
from auditor.studies.prex.cstar.parsing import parse
from auditor.studies.prex.cstar.printing import print_program
from auditor.studies.prex.from_python import translate
from auditor.text import visible_line

HAND_WRITTEN_FOLDER, PYTHON_FOLDER = "cstar_programs", "int_programs"
"""Where, among the sample runs, the programs of two splits stand."""
ALTOGETHER = 491
"""Valid programs of the benchmark: where nothing else is said, the fuzzer makes what the other splits lack of them."""
_SHORTEST, _MEDIAN = 485, 786
"""Lines of fuzzer-generated programs in the paper's Table 4; the longest has LONGEST."""
_DEPTH = 5


class Split(Enum):
    """Where a program comes from."""

    HAND_WRITTEN = "hand-written"
    TRANSLATED = "translated"
    FUZZER_GENERATED = "fuzzer-generated"


class ValidProgram(NamedTuple):
    """A program that violates no rule, in the standard notation and one layout."""

    split: Split
    name: str
    source: str


class Left(NamedTuple):
    """A Python program that C* cannot express."""

    name: str
    reason: str


def hand_written(folder: Path) -> list[ValidProgram]:
    """Read the programs `NAME.imp` of a folder; raises InputError, naming the file, for a text that is none."""
    found = []
    for path in _files(folder, "*.imp"):
        try:
            source = print_program(parse(_text(path)))
        except InputError as error:
            raise InputError(str(error), where=visible_line(path.name, 60)) from error
        found.append(ValidProgram(Split.HAND_WRITTEN, _name(path), source))
    return found


def translated(folder: Path) -> tuple[list[ValidProgram], list[Left]]:
    """Translate the Python programs `NAME.py` of a folder, whose `inputs.toml` says what each reads.

    Programs that C* cannot express come back with the reason. Raises InputError where the inputs cannot be read.
    """
    inputs_file = folder / "inputs.toml"
    try:
        inputs = tomllib.loads(inputs_file.read_text(encoding="utf-8")) if inputs_file.exists() else {}
    except (ValueError, OSError) as error:
        raise InputError(f"this cannot be read ({error}).", where=visible_line(inputs_file.name)) from error
    found: list[ValidProgram] = []
    left: list[Left] = []
    for path in _files(folder, "*.py"):
        try:
            program = translate(_text(path), str(inputs.get(path.stem, ""))).program
            found.append(ValidProgram(Split.TRANSLATED, _name(path), print_program(program)))
        except InputError as error:
            left.append(Left(_name(path), str(error)))
    return found, left


def fuzzed(count: int, seed: int | str) -> Iterator[ValidProgram]:
    """Make so many programs, as long as those of the paper's Table 4; each depends on the seed and its number only."""
    for number in range(count):
        yield fuzzed_program(number, seed)


def fuzzed_program(number: int, seed: int | str) -> ValidProgram:
    """Make the program of this number, from 0."""
    program = fuzz(f"{seed}/{number}", Shape(lines=lines_of(number), depth=_DEPTH))
    return ValidProgram(Split.FUZZER_GENERATED, f"fuzz-{number:03}", print_program(program))


def lines_of(number: int) -> int:
    """Return how long the fuzzer-generated program of this number is.

    The first three have the paper's median, largest and least length. The others are spread by van der Corput's
    sequence: half of them evenly below the median, the others above it, the fewer the longer.
    """
    if number < 3:
        return (_MEDIAN, LONGEST, _SHORTEST)[number]
    share, part, left = 0.0, 0.5, number - 2
    while left:
        share += part * (left % 2)
        part /= 2
        left //= 2
    if share < 0.5:
        return round(_SHORTEST + (_MEDIAN - _SHORTEST) * share * 2)
    return round(_MEDIAN + (LONGEST - _MEDIAN) * (share * 2 - 1) ** 3)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError("this is not UTF-8.") from error
    except OSError as error:
        raise InputError(f"this cannot be read ({error.strerror}).") from error


def _files(folder: Path, pattern: str) -> list[Path]:
    """List the files of a folder by name; raises InputError where two of them would be one program."""
    found: dict[str, Path] = {}
    for path in sorted(folder.glob(pattern)):
        other = found.setdefault(_name(path), path)
        if other is not path:
            both = f"{visible_line(other.name, 60)} and {visible_line(path.name, 60)}"
            raise InputError(
                f"{both} would be one program, {visible_line(_name(path), 60)}.", hint="Rename one of them."
            )
    return list(found.values())


def _name(path: Path) -> str:
    return path.stem.replace("_", "-")
