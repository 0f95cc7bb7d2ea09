"""CoRE's records of probes as a format: JSON lines, or one list, with their answer types made consistent."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from auditor.formats.cruxeval import case_keys
from auditor.formats.fields import (
    Fields,
    take_object,
    take_optional_text,
    take_optional_whole,
    take_required,
    take_text,
)
from auditor.formats.json_text import BOM, UnusableError, kind_of, parse_json, parse_object
from auditor.formats.lines import numbered_lines, open_binary, read_bytes
from auditor.formats.records import Batch, Kind, Note, Planned, Record, Refusal, ResponseRow, Source
from auditor.model import JsonValue, Scalar, Study, Task
from auditor.studies.core.answer_types import Normalised, dimensions_named, normalised
from auditor.studies.core.tasks import case_of, study_named
from auditor.text import counted, visible_line

_KEYS = frozenset({"question", "ground_truth", "answer_type", "source_code"})
_KEY = re.compile(rb'[{,]\s*"([a-z_]+)"\s*:')
_ID = re.compile(r"(?:.*/)?(?P<problem>[^/_]+)_(?P<probe>[^/]+)", re.DOTALL)
_CONTRADICTIONS = 10
"""Answers that are told one by one."""


@dataclass(slots=True)
class _Told:
    """What was made of answers and types, to be told at the end."""

    respelled: Counter[tuple[str, str]] = field(default_factory=Counter)
    texts: int = 0
    contradictions: list[str] = field(default_factory=list)
    no_dimension: int = 0

    def take(self, where: str, declared: str | None, found: Normalised) -> None:
        if found.contradiction is not None:
            self.contradictions.append(f"{where}: {found.contradiction}")
        elif found.respelled:
            self.respelled[declared if declared is not None else "", found.kind] += 1
        self.texts += found.was_text

    def notes(self) -> Iterator[Note]:
        for (declared, kind), count in sorted(self.respelled.items()):
            what = f"answer_type {visible_line(declared, 60)!r}" if declared else "no answer_type"
            yield Note(f"{what} is taken as {kind}: {counted(count, 'probe')}.")
        if self.texts:
            yield Note(
                f"ground_truth was a text and is taken as the value that it writes: {counted(self.texts, 'probe')}."
            )
        for one in self.contradictions[:_CONTRADICTIONS]:
            yield Note(f"{one}; the answer's own type is taken.")
        if (more := len(self.contradictions) - _CONTRADICTIONS) > 0:
            yield Note(f"… and {counted(more, 'further answer')} whose declared type is another.")
        if self.no_dimension:
            yield Note(f"complexity_type names no dimension: {counted(self.no_dimension, 'probe')}.")


class ProbeRecords:
    """An open file of records; see `records.Source`."""

    kind: Kind = "cases"
    ids: Collection[str] = ()
    default_study: Study | None = None
    bytes_done = bytes_total = 0

    def __init__(self, path: Path, study: str) -> None:
        self.path = path
        self.name = path.name
        self.study: str | None = study
        self._study = study_named(study)
        self._sources: dict[tuple[str, str], list[str]] = {}
        self._inputs: dict[str, list[str]] = {}

    def reading(self) -> AbstractContextManager[object]:
        """Return what surrounds the reading, which nothing has to here."""
        return nullcontext()

    def records(self) -> Iterator[Record]:
        """Yield the study, a task for each probe, a refusal for each that cannot be used, and notes on answers."""
        yield self._study
        told = _Told()
        places: dict[tuple[str, str], str] = {}
        for where, fields in self._objects():
            if isinstance(fields, UnusableError):
                yield Refusal(where, str(fields))
                continue
            try:
                task = self._task(fields, where, told)
            except UnusableError as error:
                yield Refusal(where, str(error))
                continue
            earlier = places.setdefault((task.case, task.arm), where)
            if earlier != where:
                yield Refusal(where, f"its id repeats that of {earlier}.")
                continue
            yield task
        yield from told.notes()

    def _objects(self) -> Iterator[tuple[str, Fields | UnusableError]]:
        """Yield the records with their places, whether they are lines or members of one list."""
        with open_binary(self.path) as file:
            is_list = file.read(4096).removeprefix(BOM).lstrip()[:1] == b"["
        if not is_list:
            for number, line in numbered_lines(self.path):
                try:
                    yield f"{self.name}:{number}", parse_object(line)
                except UnusableError as error:
                    yield f"{self.name}:{number}", error
            return
        try:
            members = parse_json(read_bytes(self.path))
        except UnusableError as error:
            yield self.name, error
            return
        for number, member in enumerate(members if isinstance(members, list) else [], 1):
            where = f"{self.name}: record {number}"
            yield where, member if isinstance(member, dict) else UnusableError(f"it is {kind_of(member)}.")

    def _task(self, fields: Fields, where: str, told: _Told) -> Task:
        name = _ID.fullmatch(take_text(fields, "id"))
        if name is None:
            raise UnusableError("its id names no problem and probe, as in Fine/36_11.")
        about = take_object(fields, "meta_data") or {}
        model = take_optional_text(fields, "model_used") or _text(about, "model_name") or "unknown"
        source, shown = take_text(fields, "source_code"), _input(take_required(fields, "input"))
        declared, truth = take_optional_text(fields, "answer_type"), take_required(fields, "ground_truth")
        question = take_text(fields, "question")
        answer = normalised(declared, truth)
        dimensions = dimensions_named(fields.get("complexity_type"))
        line = take_optional_whole(fields, "target_line_number")
        step = take_optional_whole(fields, "target_step_index")
        told.take(where, declared, answer)
        told.no_dimension += not dimensions
        problem = name["problem"]
        implementation = _numbered(model, source, self._sources.setdefault((problem, model), []))
        test = _numbered("t", shown, self._inputs.setdefault(problem, []))
        facets: dict[str, Scalar] = {"style": model}
        complexity = about.get("cyc_comlexity", about.get("cyc_complexity"))  # the first is how CoRE spells it
        function = _text(about, "func_name")
        probe: dict[str, JsonValue] = {"line": line, "step": step}
        return Task(
            self._study.name,
            case_of(problem, implementation, test),
            f"probe/{name['probe']}",
            "python",
            source,
            shown,
            "probe",
            answer.value,
            problem=problem,
            implementation=implementation,
            test=test,
            question=question,
            answer_type=answer.kind,
            dimensions=dimensions,
            measures=_measures(complexity),
            facets=facets,
            extra={
                **fields,
                **({"entry_point": function} if function else {}),
                "probe": probe,
                "declared_answer_type": declared,
                "declared_ground_truth": truth,
            },
        )

    def responses(self) -> Iterator[Batch]:
        """Yield nothing: a file of probes holds no responses."""
        yield from ()

    def where(self, row: ResponseRow) -> str:
        """Return the file and line of a row, of which there are none."""
        return f"{self.name}:{row.line}"

    def planned(self) -> Iterator[Planned]:
        """Yield nothing."""
        yield from ()


def _numbered(name: str, text: str, known: list[str]) -> str:
    """Return the name of a text among those that share it: further ones are numbered from 2, as the file has them."""
    if text not in known:
        known.append(text)
    place = known.index(text) + 1
    return name if place == 1 else f"{name}-{place}"


def _text(about: Fields, key: str) -> str | None:
    value = about.get(key)
    return value if isinstance(value, str) and value else None


def _measures(complexity: JsonValue) -> dict[str, float]:
    if isinstance(complexity, int | float) and not isinstance(complexity, bool):
        return {"cyclomatic": complexity}
    return {}


def _input(value: JsonValue) -> str:
    """Return an input as text: itself, or the arguments that a list holds."""
    if isinstance(value, str):
        return value
    return ", ".join(map(repr, value)) if isinstance(value, list) else repr(value)


@dataclass(frozen=True, slots=True)
class CoreProbesFormat:
    """Records of CoRE's probes."""

    name: str = "core-probes"
    description: str = (
        "probes as CoRE has them (question, ground_truth, answer_type, source_code): JSON lines or a list"
    )

    def recognises(self, path: Path, head: bytes) -> bool:
        """Say by the keys at the beginning whether these are such records."""
        if path.is_dir():
            return False
        found = {key.decode() for key in _KEY.findall(head)} if head.lstrip()[:1] == b"[" else set(case_keys(head))
        return found >= _KEYS

    def open(self, path: Path, *, study: str | None = None, setting: str | None = None) -> Source:
        """Open the records; raises InputError when the file cannot be read."""
        open_binary(path).close()
        return ProbeRecords(path, study or "core")


FORMAT = CoreProbesFormat()
