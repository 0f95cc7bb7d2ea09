"""Datasets and results of PrEx and PLSemanticsBench as a format: a file, plain or gzipped, or a folder of results."""

from __future__ import annotations

import re
import zlib
from collections.abc import Collection, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, cast

import msgspec

from auditor.errors import InputError
from auditor.formats.json_text import BOM, UnusableError, kind_of, parse_json, parse_object
from auditor.formats.lines import HEAD, open_binary
from auditor.formats.records import Batch, Format, Kind, Planned, Record, Refusal, ResponseRow, Source
from auditor.model import JsonValue, Setting, Study
from auditor.studies.prex.result_paths import (
    ResultsPlace,
    missing_shards,
    results_below,
    results_place,
    seeds_beside,
    sees_single_tokens,
    setting_called,
    some_results_below,
)
from auditor.studies.prex.result_records import REPLIES, ReadRecord, read_record, split_of, study_called, study_name
from auditor.studies.prex.unpacking import GZIP, packed_or_plain_lines
from auditor.text import extra_text, visible_line

BATCH_BYTES = 1 << 21
_LOOKED_AT = 20
"""Files of a folder by which it is recognised: the first may be empty or broken."""
_KEY = re.compile(rb'[{,]\s*"([a-z-]+)"\s*:')
_VERDICT_KEYS = frozenset({"program", "semantics-type", "semantic-error-type", "ans"})
_STATE_KEYS = frozenset({"program", "mutated-program", "ground-truth"})


class _Glance(msgspec.Struct, rename="kebab"):
    """What is looked at in every line before anything is read."""

    dataset_source: Any = None
    src_filename: Any = None
    ans: Any = None
    ground_truth: Any = None
    model_prediction: Any = msgspec.UNSET


_LOOK = msgspec.json.Decoder(_Glance)


class _Line(NamedTuple):
    place: ResultsPlace
    number: int
    text: bytes


class _Met(NamedTuple):
    """The first record of a name: what is asked, what else is said of it, as hashes, and where it stands."""

    asked: int
    described: int
    where: str


def record_keys(head: bytes) -> frozenset[str]:
    """Return the keys of the first line that is a JSON object, or of one that the head cuts off."""
    plain = _unpacked(head) if head.startswith(GZIP) else head
    lines = plain.removeprefix(BOM).split(b"\n")
    for line in lines[:20]:
        try:
            value = parse_json(line.strip())
        except UnusableError:
            continue
        return frozenset(value) if isinstance(value, dict) else frozenset()
    cut = lines[-1]
    return frozenset(key.decode() for key in _KEY.findall(cut)) if cut.lstrip().startswith(b"{") else frozenset()


def _unpacked(head: bytes) -> bytes:
    try:
        return zlib.decompressobj(31).decompress(head, HEAD)
    except zlib.error:
        return b""


@dataclass(frozen=True, slots=True)
class PrexFormat:
    """Records of the two benchmarks."""

    name: str = "prex"
    description: str = "records of PrEx, or of PLSemanticsBench's final states: JSON lines, gzipped or not, or a folder"

    def recognises(self, path: Path, head: bytes) -> bool:
        """Say by the keys of the first record whether it is such a file, or a folder that holds one."""
        if not path.is_dir():
            keys = record_keys(head)
            return keys >= _VERDICT_KEYS or keys >= _STATE_KEYS
        if (path / "run.toml").exists():
            return False
        for found in islice(some_results_below(path), _LOOKED_AT):
            with open_binary(found) as file:
                if self.recognises(found, file.read(HEAD)):
                    return True
        return False

    def open(self, path: Path, *, study: str | None = None, setting: str | None = None) -> Source:
        """Open a file or folder; raises InputError when its setting is not known, or there is nothing in it."""
        paths = results_below(path) if path.is_dir() else [path]
        if not paths:
            hint = "They are named results-SEED.jsonl or results-SEED.jsonl.gz."
            raise InputError("there are no results files in it.", where=str(path), hint=hint)
        return Records(path, [results_place(one) for one in paths], study, setting)


class Records:
    """Open files of records; see `records.Source`."""

    kind: Kind = "run"
    study: str | None = None
    default_study: Study | None = None
    ids: Collection[str] = ()

    def __init__(self, path: Path, places: list[ResultsPlace], study: str | None, setting: str | None) -> None:
        self.path = path
        self.name = path.name
        self._study = study
        self._given = None if setting is None else setting_called(setting) or Setting(setting)
        self._places = places
        self.bytes_done = 0
        self.bytes_total = sum(place.path.stat().st_size for place in places)
        self._studies: dict[str, bool] = {}
        """By name, whether it is one of final states."""
        self._settings: dict[str, Setting] = {}
        self._most: dict[str, int] = {}
        """By setting, the most replies that one record has."""
        self._seeds: dict[str, list[int]] = {}
        self._planned: dict[Planned, None] = {}
        self._refused: set[tuple[Path, int]] = set()
        """Lines whose records were refused for what is told of their tasks."""
        for place in places:
            self._glance(place)

    def _setting(self, place: ResultsPlace) -> Setting | None:
        return self._given or place.setting

    def _glance(self, place: ResultsPlace) -> None:
        """Look through a file for what must be known before anything is read: studies, settings, how many replies."""
        most = 0
        for line in self._lines([place]):
            seen = None if isinstance(line, Refusal) else _glance_at(line.text)
            if seen is None:
                continue
            states = seen.ground_truth is not None and seen.ans is None
            split = split_of(seen.dataset_source, seen.src_filename)
            self._studies.setdefault(self._study or study_name(split, states=states), states)
            if seen.model_prediction is not msgspec.UNSET:
                replies = seen.model_prediction
                most = max(most, len(replies) or 1 if isinstance(replies, list) else 1)
        if not most:
            return
        setting = self._setting(place)
        if setting is None:
            raise InputError(
                "its place does not say which setting the replies are of.",
                where=str(place.path),
                hint="Give --setting NAME, or keep it in a folder named like model-da or model-cot.",
            )
        self._settings.setdefault(setting.name, setting)
        self._most[setting.name] = max(self._most.get(setting.name, 0), most)
        seeds = {*self._seeds.get(setting.name, ()), *seeds_beside(place)}
        self._seeds[setting.name] = sorted(seeds)

    def reading(self) -> AbstractContextManager[object]:
        """Return what surrounds the reading, which nothing has to here."""
        return nullcontext()

    def records(self) -> Iterator[Record]:
        """Yield studies, settings and tasks, a refusal for each line that cannot be used, and for absent shards."""
        for name, states in self._studies.items():
            yield study_called(name, states=states)
        yield from self._settings.values()
        for told in missing_shards(self._places):
            yield Refusal(self.name, told)
        met: dict[tuple[str, str, str], _Met] = {}
        for line in self._lines(self._places):
            if isinstance(line, Refusal):
                yield line
                continue
            where = self._where(line.place, line.number)
            try:
                task = self._read(line).task
            except UnusableError as error:
                yield Refusal(where, str(error))
                continue
            found = _Met(hash((task.source, str(task.oracle))), hash((str(task.facets), str(task.extra))), where)
            first = met.setdefault(task.key, found)
            if first.asked != found.asked:
                self._refused.add((line.place.path, line.number))
                yield Refusal(
                    where, f"another program or answer has its name {visible_line(task.case, 60)} ({first.where})."
                )
            elif first is found or first.described != found.described:
                yield task

    def responses(self) -> Iterator[Batch]:
        """Yield the replies of each file; seeds and the replies of a list become samples, in the order of the seeds."""
        done = size = 0
        batch: Batch = []
        for place in self._places:
            setting = self._setting(place)
            seen: set[tuple[str, str, str]] = set()
            for line in self._lines([place]):
                if isinstance(line, Refusal) or setting is None:
                    continue
                batch += self._rows(line, setting, seen)
                size += len(line.text)
                if size >= BATCH_BYTES:
                    yield batch
                    batch, size = [], 0
            done += place.path.stat().st_size
            self.bytes_done = done
        if batch:
            yield batch

    def _rows(self, line: _Line, setting: Setting, seen: set[tuple[str, str, str]]) -> Batch:
        if (line.place.path, line.number) in self._refused:
            return []  # told with the tasks
        try:
            record = self._read(line)
        except UnusableError:
            return []  # told with the tasks
        if not record.has_replies:
            return []
        where = self._where(line.place, line.number)
        if record.task.key in seen:
            return [Refusal(where, "the file holds a reply to this task already.")]
        seen.add(record.task.key)
        replies = record.replies if isinstance(record.replies, list) else [record.replies]
        if not replies:
            return [Refusal(where, f"{REPLIES} is an empty list.")]
        odd = [reply for reply in replies if not (reply is None or isinstance(reply, str))]
        if odd:
            return [Refusal(where, f"{REPLIES} holds {kind_of(odd[0])}, but must be text or a list of texts.")]
        first = self._first_sample(line.place, setting.name)
        extra = extra_text(self._beside(record, line.place))
        self._plan(record, setting.name)
        study, case, arm = record.task.key
        return [
            ResponseRow(
                study, case, arm, setting.name, sample, cast("str | None", reply), None, None, None, extra, line.number
            )
            for sample, reply in enumerate(replies, first)
        ]

    @staticmethod
    def _beside(record: ReadRecord, place: ResultsPlace) -> dict[str, JsonValue]:
        """Return what belongs to replies: keys that are not known, and the seed."""
        return record.rest | ({"seed": place.seed} if place.seed is not None else {})

    def _first_sample(self, place: ResultsPlace, setting: str) -> int:
        seeds = self._seeds[setting]
        rank = seeds.index(place.seed) if place.seed in seeds else 0
        return rank * self._most[setting]

    def _plan(self, record: ReadRecord, setting: str) -> None:
        seeds = max(1, len({place.seed for place in self._places if self._is_of(place, setting)}))
        samples = None if self._alone else seeds * self._most[setting]
        self._planned[Planned(record.task.study, record.task.arm, setting, samples)] = None

    @property
    def _alone(self) -> bool:
        """Whether one file is read, beside which others may come in later."""
        return not self.path.is_dir()

    def _is_of(self, place: ResultsPlace, setting: str) -> bool:
        found = self._setting(place)
        return found is not None and found.name == setting

    def where(self, row: ResponseRow) -> str:
        """Return the line; of a folder the names of the row too, which tell the file."""
        if self._alone:
            return f"{self.name}:{row.line}"
        return f"{self.name}: {row.setting}, {row.arm}, line {row.line}, sample {row.sample}"

    def planned(self) -> Iterator[Planned]:
        """Yield the arms that were answered under each setting."""
        yield from self._planned

    def _read(self, line: _Line) -> ReadRecord:
        fields = parse_object(line.text)
        one_token = REPLIES in fields and sees_single_tokens(self._setting(line.place))
        return read_record(fields, line.place, study=self._study, one_token=one_token)

    def _where(self, place: ResultsPlace, number: int | None = None) -> str:
        name = self.name if self._alone else str(place.path.relative_to(self.path))
        return name if number is None else f"{name}:{number}"

    def _lines(self, places: Iterable[ResultsPlace]) -> Iterator[_Line | Refusal]:
        """Yield the lines of files; a file whose compressed data is broken ends with a refusal."""
        for place in places:
            number = 0
            try:
                for number, text in packed_or_plain_lines(place.path):
                    yield _Line(place, number, text)
                if not number:
                    yield Refusal(self._where(place), "there is no record in it.")
            except (EOFError, zlib.error) as error:
                how = "ends early" if isinstance(error, EOFError) else "is broken"
                words = f"its compressed data {how}: nothing {'after this line' if number else 'in it'} can be read."
                yield Refusal(self._where(place, number or None), words)


def _glance_at(text: bytes) -> _Glance | None:
    """Look at a line as far as it is a JSON object; what msgspec does not take may still be one."""
    try:
        return _LOOK.decode(text)
    except (msgspec.DecodeError, ValueError, RecursionError):
        pass
    try:
        fields = parse_object(text)
    except UnusableError:
        return None
    return _Glance(
        **{
            name: fields[name.replace("_", "-")]
            for name in _Glance.__struct_fields__
            if name.replace("_", "-") in fields
        }
    )


FORMAT: Format = PrexFormat()
