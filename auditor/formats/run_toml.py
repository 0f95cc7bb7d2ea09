"""`run.toml`, the head of a run directory, both ways. Anything wrong in it makes the whole directory unusable."""

from __future__ import annotations

import datetime
import math
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from auditor.errors import InputError
from auditor.formats.fields import Fields, take_optional_text, take_optional_whole, take_text
from auditor.formats.json_text import DEPTH, TOO_DEEP, UnusableError, is_deeper
from auditor.formats.lines import read_bytes
from auditor.formats.records import RunInfo
from auditor.formats.toml_text import toml_pair
from auditor.model import JsonValue, Study
from auditor.text import visible_line

NAME = "run.toml"
CLUSTERS = ("program", "problem")


def read_run_toml(folder: Path) -> tuple[RunInfo, list[Study]]:
    """Read `run.toml`; raises InputError with file and place for anything wrong in it."""
    path = folder / NAME
    document = _parse(path)
    try:
        run, tables = document.pop("run", {}), document.pop("study", None)
        if not isinstance(run, dict):
            raise UnusableError("run must be a table, written [run].")
        if tables is None or tables == []:
            raise UnusableError("it declares no study: each needs a table [[study]] with a name.")
        if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
            raise UnusableError("study must be a list of tables, each written [[study]].")
        info = _run_info(run, folder, document)
        studies = [_study(table, number) for number, table in enumerate(tables, 1)]
        _refuse_repeats(studies)
    except UnusableError as err:
        raise InputError(str(err), where=str(path)) from err
    return info, studies


def _parse(path: Path) -> dict[str, Any]:
    try:
        document = tomllib.loads(read_bytes(path).decode())
    except UnicodeDecodeError as err:
        raise InputError(f"byte {err.start + 1} is not UTF-8, which TOML must be.", where=str(path)) from err
    except tomllib.TOMLDecodeError as err:
        problem = visible_line(str(err), 200)
        raise InputError(f"it is not TOML: {problem[:1].lower()}{problem[1:]}.", where=str(path)) from err
    except ValueError as err:
        # CPython refuses to convert integers of more than 4300 digits.
        raise InputError("it holds a whole number with too many digits.", where=str(path)) from err
    except RecursionError as err:
        raise InputError(TOO_DEEP, where=str(path)) from err
    if is_deeper(document, DEPTH):
        raise InputError(TOO_DEEP, where=str(path))
    return document


def _run_info(run: dict[str, Any], folder: Path, outside: dict[str, Any]) -> RunInfo:
    fields = _json_table(run, "[run]")
    try:
        name = take_optional_text(fields, "name")
        description, provenance = take_optional_text(fields, "description"), take_optional_text(fields, "provenance")
    except UnusableError as err:
        raise UnusableError(f"in [run], {err}") from err
    name = folder.resolve().name if name is None else name
    return RunInfo(name, description or "", provenance or "", fields, _json_table(outside, "the file"))


def _study(table: dict[str, Any], number: int) -> Study:
    place = f"[[study]] number {number}"
    fields = _json_table(table, place)
    try:
        name = take_text(fields, "name")
        given = {key: take_optional_text(fields, key) for key in ("policy", "envelope", "cluster", "codebook")}
        samples = take_optional_whole(fields, "samples", least=1)
    except UnusableError as err:
        raise UnusableError(f"in {place}, {err}") from err
    cluster = given["cluster"]
    if cluster is not None and cluster not in CLUSTERS:
        raise UnusableError(f'in {place}, cluster is "{visible_line(cluster, 60)}", but must be program or problem.')
    known: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
    return Study(name, **known, samples=samples, extra=fields)


def _refuse_repeats(studies: Iterable[Study]) -> None:
    seen: set[str] = set()
    for study in studies:
        if study.name in seen:
            raise UnusableError(f'it declares the study "{visible_line(study.name, 60)}" twice.')
        seen.add(study.name)


def _json_table(table: Mapping[str, Any], place: str) -> Fields:
    """Return a table with dates and times as text, since nothing else in the house knows them."""

    def convert(value: Any) -> JsonValue:
        if isinstance(value, datetime.date | datetime.time):
            return value.isoformat()
        if isinstance(value, dict):
            return {key: convert(item) for key, item in value.items()}
        if isinstance(value, list):
            return [convert(item) for item in value]
        if isinstance(value, float) and not math.isfinite(value):
            raise UnusableError(f"{place} holds the number {value}, which cannot be kept.")
        kept: JsonValue = value
        return kept

    return {key: convert(value) for key, value in table.items()}


def run_toml(info: RunInfo, studies: Iterable[Study]) -> str:
    """Return the text of `run.toml`; raises InputError for values that TOML cannot hold."""
    lines = [toml_pair(key, value) for key, value in info.outside.items()]
    known = {"name": info.name, "description": info.description or None, "provenance": info.provenance or None}
    lines += [*([""] if lines else []), "[run]", *_pairs(known, info.extra)]
    for study in studies:
        declared: dict[str, JsonValue] = {
            "name": study.name,
            "policy": study.policy,
            "envelope": study.envelope,
            "cluster": study.cluster,
            "codebook": study.codebook,
            "samples": study.samples,
        }
        lines += ["", "[[study]]", *_pairs(declared, study.extra)]
    return "\n".join(lines) + "\n"


def _pairs(known: Mapping[str, JsonValue], extra: Mapping[str, JsonValue]) -> list[str]:
    given = {key: value for key, value in known.items() if value is not None}
    return [toml_pair(key, value) for key, value in {**given, **extra}.items()]
