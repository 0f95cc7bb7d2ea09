"""Benchmark cases that come as JSON lines of a program with one input and one output: CRUXEval and LiveCodeBench."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from auditor.formats.fields import Fields, take_text
from auditor.formats.json_text import UnusableError, parse_object
from auditor.formats.lines import numbered_lines
from auditor.formats.records import Batch, Kind, Planned, Record, Refusal, ResponseRow
from auditor.model import JsonValue, Scalar, Study, Task
from auditor.text import visible_line


def literal_study(name: str) -> Study:
    """Return the declaration of a study whose answers are Python literals without an envelope."""
    return Study(name, policy="python-literal", envelope="none", cluster="program")


class CaseLines:
    """An open file of cases, a case a line; see `records.Source`."""

    kind: Kind = "cases"
    ids: Collection[str] = ()
    default_study: Study | None = None
    bytes_done = bytes_total = 0

    def __init__(self, path: Path, study: str, read: Callable[[Fields, str], list[Task]]) -> None:
        self.path = path
        self.name = path.name
        self.study: str | None = study
        self._study_name = study
        self._read = read

    def reading(self) -> AbstractContextManager[object]:
        """Return what surrounds the reading, which nothing has to here."""
        return nullcontext()

    def records(self) -> Iterator[Record]:
        """Yield the study, the tasks of each case, and a refusal for each line that cannot be used."""
        yield literal_study(self._study_name)
        lines: dict[str, int] = {}
        for number, line in numbered_lines(self.path):
            where = f"{self.name}:{number}"
            try:
                tasks = self._read(parse_object(line), self._study_name)
            except UnusableError as err:
                yield Refusal(where, str(err))
                continue
            case = tasks[0].case
            if (earlier := lines.setdefault(case, number)) != number:
                yield Refusal(where, f"it repeats the case {visible_line(case, 60)}, which line {earlier} gave.")
                continue
            yield from tasks

    def responses(self) -> Iterator[Batch]:
        """Yield nothing: a file of cases holds no responses."""
        return iter(())

    def where(self, row: ResponseRow) -> str:
        """Return the file; it holds no responses."""
        return self.name

    def planned(self) -> Iterator[Planned]:
        """Yield nothing: cases say nothing about settings."""
        return iter(())


@dataclass(frozen=True, slots=True)
class Case:
    """What both benchmarks have in common."""

    case: str
    code: str
    input: str
    output: str
    loc: int

    @classmethod
    def take(cls, fields: Fields) -> Case:
        """Take the common fields; raises UnusableError."""
        code = take_text(fields, "code")
        lines = code.count("\n") + (not code.endswith("\n"))
        return cls(take_text(fields, "id"), code, take_text(fields, "input"), take_text(fields, "output"), lines)


def cruxeval_tasks(fields: Fields, study: str) -> list[Task]:
    """Return the two tasks of a CRUXEval case: predict the output, and predict an input that gives the output.

    The oracle is the Python literal as the file writes it. In the arm `input` no input is shown; the file's own one is
    kept as `reference_input`, one of many right answers.
    """
    case = Case.take(fields)
    measures: dict[str, float] = {"loc": case.loc}
    forward = Task(
        study,
        case.case,
        "output",
        "python",
        case.code,
        case.input,
        "output",
        case.output,
        measures=measures,
        extra=fields,
    )
    backward = Task(
        study,
        case.case,
        "input",
        "python",
        case.code,
        "",
        "input",
        case.output,
        measures=measures,
        extra={"reference_input": case.input, **fields},
    )
    return [forward, backward]


def lcb_tasks(fields: Fields, study: str) -> list[Task]:
    """Return the one task of a LiveCodeBench execution item; its input is a whole call with keyword arguments."""
    case = Case.take(fields)
    facets: dict[str, Scalar] = {}
    for name in ("difficulty", "contest_date"):
        if name in fields:
            facets[name] = take_text(fields, name)
    measures: dict[str, float] = {"loc": case.loc}
    steps: JsonValue = fields.get("numsteps")
    if isinstance(steps, int) and not isinstance(steps, bool):
        measures["numsteps"] = steps
        del fields["numsteps"]
    return [
        Task(
            study,
            case.case,
            "output",
            "python",
            case.code,
            case.input,
            "output",
            case.output,
            measures=measures,
            facets=facets,
            extra=fields,
        )
    ]
