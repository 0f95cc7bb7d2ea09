"""What a reader hands out: the records of a file, and the protocols that every format and its open source follow."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from itertools import repeat
from pathlib import Path
from typing import Literal, NamedTuple, Protocol, TypeAlias

from auditor.model import JsonValue, Setting, Study, Task

Kind = Literal["cases", "responses", "run"]
"""What a source holds: studies and tasks; responses to tasks that came earlier; or a run directory with both."""


@dataclass(frozen=True, slots=True)
class RunInfo:
    """What a run says about itself."""

    name: str
    description: str = ""
    provenance: str = ""
    """Free text: how the responses came about."""
    extra: Mapping[str, JsonValue] = field(default_factory=dict)
    """Unknown keys of `[run]`, or what else a results file says about the whole run."""
    outside: Mapping[str, JsonValue] = field(default_factory=dict)
    """Unknown keys and tables of `run.toml` beside `[run]` and `[[study]]`."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A record that cannot be used, or a part of one that was left out; the other records go on."""

    where: str
    """File and place in it, e.g. `responses.jsonl:17`."""
    reason: str
    """One sentence; text from the data in it is already made visible."""

    def __str__(self) -> str:
        return f"{self.where}: {self.reason}"


class Note(NamedTuple):
    """What a reader made of the records, for whoever imports them: nothing was left out."""

    text: str
    """One sentence; text from the data in it is already made visible."""


class Planned(NamedTuple):
    """Cells that were planned: every task of this study and arm under this setting."""

    study: str
    arm: str
    setting: str
    samples: int | None
    """Declared samples per cell; None = not declared, which counts as what was seen, at least 1."""


class ResponseRow(NamedTuple):
    """One response as it goes into the store; made once per line of the largest files, so it stays a plain tuple."""

    study: str
    case: str
    arm: str
    setting: str
    sample: int
    text: str | None
    reasoning: str | None
    finish: str | None
    error: str | None
    extra: str | None
    """JSON text made by `extra_text`; None when there is nothing more."""
    line: int
    """Where it stands in its file, counted from 1; `Source.where` says it in words."""


class Columns(NamedTuple):
    """A batch as another process hands it over: a list a column, which is sent and stored faster than rows are."""

    refusals: list[Refusal]
    places: Sequence[tuple[str, ...]]
    """Every study, case, arm and setting met so far in the file; grows from batch to batch."""
    numbers: Sequence[int]
    """The place of each row, as an index into `places`."""
    samples: Sequence[int]
    lines: Sequence[int]
    texts: Sequence[str | None] | None
    """None, here and below: no row has one."""
    reasonings: Sequence[str | None] | None
    finishes: Sequence[str | None] | None
    errors: Sequence[str | None] | None
    extras: Sequence[str | None] | None

    def optional(self) -> Iterable[tuple[str | None, ...]]:
        """Yield text, reasoning, finish, error and extra of each row."""
        columns = (self.texts, self.reasonings, self.finishes, self.errors, self.extras)
        return zip(*(repeat(None, len(self.lines)) if c is None else c for c in columns), strict=True)

    def rows(self) -> list[ResponseRow]:
        """Return the same as rows; the refusals are not among them."""
        parts = zip(self.numbers, self.samples, self.optional(), self.lines, strict=True)
        return [ResponseRow._make((*self.places[number], sample, *rest, line)) for number, sample, rest, line in parts]


Record: TypeAlias = RunInfo | Study | Task | Setting | Refusal | Note
Batch: TypeAlias = list[ResponseRow | Refusal]


class Source(Protocol):
    """An open file or folder. Inside `reading`, read `records` to its end, then `responses`, then `planned`."""

    @property
    def name(self) -> str:
        """Return the last part of the path, for messages."""

    @property
    def path(self) -> Path:
        """Return the file or folder."""

    @property
    def kind(self) -> Kind:
        """Return what the source holds."""

    @property
    def study(self) -> str | None:
        """Return the one study that everything belongs to; None for a run directory, which names several."""

    @property
    def default_study(self) -> Study | None:
        """Return how to declare the study of a file of responses where nothing declares it; None for other kinds."""

    @property
    def bytes_done(self) -> int:
        """Return how many bytes of the responses were read so far."""

    @property
    def bytes_total(self) -> int:
        """Return how many bytes the responses take in all; 0 when the source holds none."""

    @property
    def ids(self) -> Collection[str]:
        """Return the cases that a file of kind `responses` answers, without repeats; empty for other kinds."""

    def reading(self) -> AbstractContextManager[object]:
        """Return what surrounds the reading of everything: a source may begin ahead, and ends what it began."""

    def records(self) -> Iterator[Record]:
        """Yield run, studies, tasks and settings, a refusal for each record that cannot be used, and notes.

        Raises InputError when the whole is unusable.
        """

    def responses(self) -> Iterator[Batch | Columns]:
        """Yield responses and refusals in the order of the file, in batches of about two megabytes of input."""

    def where(self, row: ResponseRow) -> str:
        """Return the file and the place in it that a row came from, as in `Refusal.where`."""

    def planned(self) -> Iterator[Planned]:
        """Yield what was planned; complete only after `records` and `responses` were read to their end."""


class Format(Protocol):
    """A file format; `auditor.formats` entry points name instances of this."""

    @property
    def name(self) -> str:
        """Return the name that `--format` takes."""

    @property
    def description(self) -> str:
        """Return a few words that complete "`name` is …"."""

    def recognises(self, path: Path, head: bytes) -> bool:
        """Say by content whether this is such a file; `head` is its first bytes, empty for a folder."""

    def open(self, path: Path, *, study: str | None = None, setting: str | None = None) -> Source:
        """Open a source; `study` and `setting` override what the file or its name says.

        Raises InputError when the path is unusable or a needed name is neither given nor found.
        """
