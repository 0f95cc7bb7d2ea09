"""The run directory: `run.toml`, `tasks.jsonl`, `settings.jsonl`, `responses.jsonl`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from auditor.errors import InputError
from auditor.formats.fields import Fields
from auditor.formats.json_text import UnusableError, parse_object
from auditor.formats.lines import numbered_lines, open_binary
from auditor.formats.lines_ahead import read_ahead
from auditor.formats.plan import read_plan
from auditor.formats.records import Batch, Columns, Kind, Planned, Record, Refusal, ResponseRow, Source
from auditor.formats.response_lines import ResponseLines
from auditor.formats.run_toml import NAME, read_run_toml
from auditor.formats.setting_record import read_setting
from auditor.formats.task_record import read_task
from auditor.model import Setting, Study, Task, TaskKey, join_key
from auditor.text import visible_line

TASKS, SETTINGS, RESPONSES = "tasks.jsonl", "settings.jsonl", "responses.jsonl"
T = TypeVar("T", Task, Setting)


class RunDirectory:
    """An open run directory; see `records.Source`."""

    kind: Kind = "run"
    study: str | None = None
    ids: Collection[str] = ()
    default_study: Study | None = None

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = path.resolve().name
        self._run, self._studies = read_run_toml(path)
        try:
            self._plan = read_plan(self._run.outside)
        except UnusableError as err:
            raise InputError(str(err), where=str(path / NAME)) from err
        if not any((path / name).exists() for name in (TASKS, RESPONSES)):
            raise InputError(f"it holds neither {TASKS} nor {RESPONSES}.", where=str(path))
        for name in (TASKS, SETTINGS, RESPONSES):
            if (path / name).exists():
                open_binary(path / name).close()
        responses = path / RESPONSES
        self.bytes_total = responses.stat().st_size if responses.exists() else 0
        self._lines = ResponseLines(responses, frozenset(study.name for study in self._studies))
        self._ahead: Iterable[Batch | Columns] | None = None
        self._arms: dict[tuple[str, str], None] = {}
        self._settings: dict[str, None] = {}

    @property
    def bytes_done(self) -> int:
        return self._lines.done

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Begin with the responses while the tasks are read, when they are many."""
        if not self.bytes_total:
            yield
            return
        with read_ahead(self._lines) as self._ahead:
            yield

    def records(self) -> Iterator[Record]:
        """Yield the run, its studies, tasks and settings, and a refusal for each line that cannot be used."""
        yield self._run
        yield from self._studies
        declared = {study.name for study in self._studies}
        for task in _read(self.path / TASKS, read_task, lambda task: task.key):
            if isinstance(task, Refusal):
                yield task
                continue
            number, value = task
            if value.study not in declared:
                shown = visible_line(value.study, 60)
                yield Refusal(f"{TASKS}:{number}", f'its study "{shown}" is not declared in {NAME}.')
                continue
            self._arms[value.study, value.arm] = None
            yield value
        for setting in _read(self.path / SETTINGS, read_setting, lambda setting: (setting.name,)):
            if isinstance(setting, Refusal):
                yield setting
            else:
                self._settings[setting[1].name] = None
                yield setting[1]

    def responses(self) -> Iterator[Batch | Columns]:
        """Yield the responses in batches, in the order of the file."""
        if self.bytes_total:
            yield from self._lines.batches() if self._ahead is None else self._ahead

    def where(self, row: ResponseRow) -> str:
        """Return the line of `responses.jsonl` that a row came from."""
        return f"{RESPONSES}:{row.line}"

    def planned(self) -> Iterator[Planned]:
        """Yield what the run declares, or else every arm of its studies under every setting, declared or seen."""
        samples = {study.name: study.samples for study in self._studies}
        if self._plan is not None:
            yield from (cell._replace(samples=cell.samples or samples.get(cell.study)) for cell in self._plan)
            return
        settings = sorted(self._settings | self._lines.settings)
        for study, arm in self._arms:
            for setting in settings:
                yield Planned(study, arm, setting, samples[study])


def _read(
    path: Path, read: Callable[[Fields], T], key: Callable[[T], TaskKey | tuple[str]]
) -> Iterator[tuple[int, T] | Refusal]:
    """Yield (line number, record) or a refusal for each line of a file; nothing when the file is absent."""
    if not path.exists():
        return
    lines: dict[Hashable, int] = {}
    for number, line in numbered_lines(path):
        where = f"{path.name}:{number}"
        try:
            record = read(parse_object(line))
        except UnusableError as err:
            yield Refusal(where, str(err))
            continue
        names = key(record)
        if (earlier := lines.setdefault(names, number)) != number:
            yield Refusal(where, f"it repeats {visible_line(join_key(names), 200)}, which line {earlier} gave.")
            continue
        yield number, record


@dataclass(frozen=True, slots=True)
class RunDirectoryFormat:
    """The native interchange format."""

    name: str = "run-directory"
    description: str = f"a folder with {NAME}, {TASKS}, {RESPONSES} and optionally {SETTINGS}"

    def recognises(self, path: Path, head: bytes) -> bool:
        """Say whether the path is a folder that holds `run.toml`."""
        return path.is_dir() and (path / NAME).is_file()

    def open(self, path: Path, *, study: str | None = None, setting: str | None = None) -> Source:
        """Open a run directory, which names its own studies and settings; raises InputError when it is unusable."""
        for option, value in (("--study", study), ("--setting", setting)):
            if value is not None:
                raise InputError(
                    f"{option} does not go with a run directory, which names its own.",
                    where=str(path),
                    hint="Import it without that option.",
                )
        if not (path / NAME).is_file():
            raise InputError(f"it is no folder with a {NAME}, so it is no run directory.", where=str(path))
        return RunDirectory(path)


FORMAT = RunDirectoryFormat()
