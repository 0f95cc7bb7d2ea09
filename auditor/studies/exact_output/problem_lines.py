"""Contest problems as JSON lines, as LiveCodeBench and CodeContests publish them: programs, and tests with inputs."""

from __future__ import annotations

import ast
import base64
import binascii
import io
import pickle
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from auditor.formats.json_text import UnusableError, kind_of, parse_json
from auditor.model import Scalar
from auditor.studies.exact_output.case import Case
from auditor.studies.exact_output.choosing import offer_of
from auditor.studies.exact_output.source_options import SourceOptions
from auditor.text import counted, visible_line

_LCB_TESTS = ("public_test_cases", "private_test_cases")
_CONTEST_TESTS = ("public_tests", "private_tests", "generated_tests")
_FACETS = ("platform", "difficulty", "contest_id", "contest_date", "cf_rating", "cf_index")
"""Keys of a problem that become facets, where they are numbers or texts."""
_ORIGINS = {1: "codechef", 2: "codeforces", 3: "hackerearth", 4: "codejam", 6: "atcoder", 7: "aizu"}
"""The numbers of CodeContests' `source`."""
_NUMBERED = {1: "python2", 2: "cpp", 3: "python", 4: "java"}
"""The numbers of CodeContests' `language`."""
_NAMED = {
    "PYTHON": "python2",  # in capitals it is CodeContests' name of Python 2
    **dict.fromkeys(("python", "python3", "PYTHON3", "py", "py3", "pypy3"), "python"),
    **dict.fromkeys(("cpp", "CPP", "c++", "C++", "cpp17", "c++17", "cpp20", "c++20"), "cpp"),
}
_TITLES = {"python": "Python 3", "cpp": "C++"}
_UNPACKED_LIMIT = 1 << 30
"""Bytes of compressed tests, once they are unpacked."""


def is_problem(values: Mapping[str, Any]) -> bool:
    """Say by its keys whether a record is a contest problem."""
    return any(key in values for key in (*_LCB_TESTS, *_CONTEST_TESTS))


def problem_cases(values: Mapping[str, Any], options: SourceOptions) -> Iterator[Case | str]:
    """Yield the cases of a problem, and a sentence for each part of it that is left out.

    Raises UnusableError when no case comes of it.
    """
    name = _name(values)
    if values.get("input_file"):
        raise UnusableError("its programs read a file, not standard input.")
    texts, complaints = list[str](), list[str]()
    for key in (*_LCB_TESTS, *_CONTEST_TESTS):
        if values.get(key) not in (None, ""):
            try:
                found, odd = _inputs(values[key], key)
            except UnusableError as error:
                complaints.append(str(error))
                continue
            texts += found
            if odd:
                complaints.append(f"{counted(odd, 'test')} of {key} without a text as input.")
    if not texts:
        raise UnusableError(complaints[0] if complaints else "it has no tests.")
    yield from (f"a part of it is left out: {complaint}" for complaint in complaints)
    facets = _facets(values)
    offer = offer_of(texts, options.input_limit)
    for number, source in enumerate(_programs(values, options), 1):
        own = name if number == 1 else f"{name}-{number}"
        yield Case(own, source, "", "", language=options.language, offer=offer, facets=facets)


def _name(values: Mapping[str, Any]) -> str:
    for key in ("question_id", "name", "id"):
        value = values.get(key)
        if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
            return str(value)
    raise UnusableError("it has no question_id and no name.")


def _facets(values: Mapping[str, Any]) -> dict[str, Scalar]:
    facets: dict[str, Scalar] = {}
    for key in _FACETS:
        value = values.get(key)
        if isinstance(value, bool | int | float | str) and value != "":
            facets[key] = value
    if values.get("source") in _ORIGINS and isinstance(values["source"], int):
        facets["platform"] = _ORIGINS[values["source"]]
    return facets


def _inputs(value: Any, key: str) -> tuple[list[str], int]:
    """Return the inputs of one kind of tests, and how many tests have none; raises UnusableError."""
    if isinstance(value, str):
        value = _unpacked(value, key)
    if isinstance(value, Mapping) and "input" in value:
        rows: Sequence[Any] = value["input"] if isinstance(value["input"], list) else [value["input"]]
    elif isinstance(value, list):
        if any(isinstance(test, Mapping) and test.get("testtype") == "functional" for test in value):
            raise UnusableError(f"{key} call a function; only programs that read standard input are built.")
        rows = [test.get("input") if isinstance(test, Mapping) else None for test in value]
    else:
        raise UnusableError(f"{key} is {kind_of(value)}, but must be a list of tests.")
    texts = [row for row in rows if isinstance(row, str) and not any(0xD800 <= ord(char) < 0xE000 for char in row)]
    return texts, len(rows) - len(texts)


def _unpacked(text: str, key: str) -> Any:
    """Return tests that stand as JSON in a text, or packed as LiveCodeBench packs them; raises UnusableError."""
    try:
        data = text.encode()
    except UnicodeEncodeError:
        raise UnusableError(f"{key} holds a lone surrogate.") from None
    if data.lstrip()[:1] in (b"[", b"{"):
        try:
            return parse_json(data)
        except UnusableError as error:
            raise UnusableError(f"{key}: {error}") from error
    try:
        opened = zlib.decompressobj()
        inner = opened.decompress(base64.b64decode(data, validate=True), _UNPACKED_LIMIT)
        if not opened.eof:
            raise UnusableError(f"{key} is cut off, or larger than {_UNPACKED_LIMIT >> 20} MiB.")
        plain = _TextUnpickler(io.BytesIO(inner)).load()
        return parse_json(plain.encode() if isinstance(plain, str) else plain)
    except (binascii.Error, zlib.error, pickle.UnpicklingError, UnicodeEncodeError, EOFError) as error:
        raise UnusableError(f"{key} is neither JSON nor packed as LiveCodeBench packs its tests.") from error
    except (ValueError, TypeError, AttributeError, LookupError, OverflowError, MemoryError) as error:
        raise UnusableError(f"what is packed in {key} is no JSON text.") from error


class _TextUnpickler(pickle.Unpickler):
    """Unpickle texts and nothing that would run code."""

    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError("a pickle that asks for code")

    def persistent_load(self, pid: Any) -> Any:
        raise pickle.UnpicklingError("a pickle that asks for something outside")


def _programs(values: Mapping[str, Any], options: SourceOptions) -> list[str]:
    """Return the first different programs in the wanted language that can be parsed; raises UnusableError."""
    found = [source for language, source in _solutions(values) if language == options.language]
    if not found:
        raise UnusableError(f"it has no program in {_TITLES[options.language]}.")
    usable = [source for source in dict.fromkeys(found) if options.language != "python" or _parses(source)]
    if not usable:
        raise UnusableError(f"none of its {counted(len(found), 'program')} is Python 3.")
    return usable[: options.solutions]


def _solutions(values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield language and source of all programs of a problem that are not known to be wrong."""
    default = values.get("language", "python")
    passed = values.get("graded_list")
    for key in ("solutions", "code_list", "solution", "code"):
        value = values.get(key)
        if isinstance(value, Mapping):  # columns, as CodeContests has them
            languages, sources = value.get("language"), value.get("solution")
            if not isinstance(languages, list) or not isinstance(sources, list) or len(languages) != len(sources):
                raise UnusableError(f"{key} must hold as many languages as programs.")
            rows: list[Any] = [{"language": a, "solution": b} for a, b in zip(languages, sources, strict=True)]
        else:
            rows = value if isinstance(value, list) else [] if value is None else [value]
        if key == "code_list" and isinstance(passed, list) and len(passed) == len(rows):
            rows = [row for row, good in zip(rows, passed, strict=True) if good is True]
        for row in rows:
            given = row if isinstance(row, Mapping) else {"code": row}
            source = given.get("solution", given.get("code"))
            language = given.get("language", default)
            if isinstance(source, str) and source.strip() and _encodes(source):
                yield _language(language), source


def _language(value: Any) -> str:
    if isinstance(value, int):
        return _NUMBERED.get(value, "")
    return _NAMED.get(value, visible_line(value, 20).lower()) if isinstance(value, str) else ""


def _encodes(text: str) -> bool:
    return not any(0xD800 <= ord(char) < 0xE000 for char in text)


def _parses(source: str) -> bool:
    try:
        ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
