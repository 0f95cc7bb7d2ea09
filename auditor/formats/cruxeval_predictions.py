"""Predictions of the CRUXEval harness: `{id: [text]}`, alone or inside its scored results."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from auditor.errors import InputError
from auditor.formats.case_lines import literal_study
from auditor.formats.json_text import BOM, UnusableError, kind_of, parse_json
from auditor.formats.lines import read_bytes
from auditor.formats.records import Batch, Kind, Planned, Record, Refusal, ResponseRow, RunInfo
from auditor.model import JsonValue, Setting, Study
from auditor.text import extra_text, visible_line

RAW, SCORED = "raw_generations", "raw_scored_generations"
BATCH_ROWS = 5_000
_FIRST_KEY = re.compile(rb'\s*\{\s*"((?:[^"\\]|\\.)*)"\s*:\s*(\[\s*["\]])?')
_RUN_NAME = re.compile(
    r"(?P<setting>(?P<model>.+?)(?P<cot>\+cot)?_temp(?P<temperature>\d+(?:\.\d+)?))(?:_(?:input|output))?", re.DOTALL
)
_ARM = re.compile("_(input|output)$")
_CALL = re.compile(r"\s*f\s*\(")


def looks_like_predictions(head: bytes) -> bool:
    """Say whether a file begins like scored results, or like an object whose values are lists of texts."""
    match = _FIRST_KEY.match(head.removeprefix(BOM))
    if match is None:
        return False
    return match[1].decode("utf-8", "replace") in (RAW, SCORED, "pass_at_1", "pass_at_5") or match[2] is not None


def run_name(name: str) -> Setting | None:
    """Return the setting that a run's name `<model>[+cot]_temp<t>[_<arm>]` says; None when it is not of that form."""
    match = _RUN_NAME.fullmatch(name)
    if match is None:
        return None
    prompting = "cot" if match["cot"] else "direct"
    facets = {"temperature": float(match["temperature"])}
    return Setting(match["setting"], match["model"], prompting=prompting, facets=facets)


class _Content(NamedTuple):
    generations: dict[str, JsonValue]
    verdicts: dict[str, JsonValue]
    run: dict[str, JsonValue]
    """What a results file says about the whole run."""
    repeated: frozenset[str]


class Predictions:
    """An open file of generations or scored results; see `records.Source`."""

    kind: Kind = "responses"

    def __init__(self, path: Path, study: str, setting: str | None) -> None:
        self.path = path
        self.name = path.name
        self.study: str | None = study
        self.default_study: Study | None = literal_study(study)
        self._study = study
        stem = self.name.removesuffix(".json").removesuffix(".generations")
        named, given = run_name(stem), run_name(setting or "")
        if named is None and (named := run_name(path.parent.name)) is not None:
            # The harness writes a folder `<run>/generations.json` for each run.
            self.name, stem = f"{path.parent.name}/{self.name}", path.parent.name
        suffix = _ARM.search(stem) or _ARM.search(setting or "")
        if setting is not None:
            self.setting = replace(given, name=setting) if given else Setting(setting)
        elif named is not None:
            self.setting = named
        else:
            raise InputError(
                "its name does not say which setting it is of.",
                where=str(path),
                hint="Give --setting NAME, or name it, or its folder, like gpt-4+cot_temp0.2_output.json.",
            )
        self.bytes_done = 0
        self.bytes_total = path.stat().st_size
        # Read once now, so that an unusable file is known before anything is imported, and again when its turn comes:
        # many open files would not fit into memory together.
        self.arm = self._arm(suffix[1] if suffix else None, _read(path))

    @cached_property
    def _content(self) -> _Content:
        return _read(self.path)

    @property
    def ids(self) -> Collection[str]:
        """Return the cases that the file answers."""
        return self._content.generations.keys()

    @staticmethod
    def _arm(named: str | None, content: _Content) -> str:
        """Return the arm: as a name says, else `input` when most generations are calls of `f`."""
        if named is not None:
            return named
        texts = [text for texts in content.generations.values() if isinstance(texts, list) for text in texts]
        calls = sum(isinstance(text, str) and _CALL.match(text) is not None for text in texts)
        return "input" if 2 * calls > len(texts) else "output"

    def reading(self) -> AbstractContextManager[object]:
        """Return what surrounds the reading, which nothing has to here."""
        return nullcontext()

    def records(self) -> Iterator[Record]:
        """Yield what the file says about the run, and the setting."""
        if self._content.run:
            yield RunInfo(self.name, extra=self._content.run)
        yield self.setting

    def responses(self) -> Iterator[Batch]:
        """Yield a row a generation, in the order of the file."""
        batch: Batch = []
        content = self._content
        for number, (case, texts) in enumerate(content.generations.items(), 1):
            batch += self._case(case, texts, content.verdicts.get(case), number)
            if len(batch) >= BATCH_ROWS:
                self.bytes_done = self.bytes_total * number // len(content.generations)
                yield batch
                batch = []
        batch += [
            self._refusal(case, "it has verdicts, but no generations.")
            for case in content.verdicts
            if case not in content.generations
        ]
        self.bytes_done = self.bytes_total
        del self._content
        if batch:
            yield batch

    def where(self, row: ResponseRow) -> str:
        """Return the file, the case and the sample."""
        return f"{self._place(row.case)}, sample {row.sample}"

    def planned(self) -> Iterator[Planned]:
        """Yield the one arm under the one setting; how many samples is not declared."""
        yield Planned(self._study, self.arm, self.setting.name, None)

    def _case(self, case: str, texts: JsonValue, verdicts: JsonValue, line: int) -> Batch:
        if case in self._content.repeated:
            return [self._refusal(case, "the file holds this case more than once.")]
        if not isinstance(texts, list):
            return [self._refusal(case, f"its generations are {kind_of(texts)}, but must be a list of texts.")]
        kept = [text for text in texts if isinstance(text, str)]
        if len(kept) < len(texts):
            sample, odd = next((n, text) for n, text in enumerate(texts) if not isinstance(text, str))
            return [self._refusal(case, f"its generation {sample} is {kind_of(odd)}, but must be text.")]
        problem = _verdict_problem(verdicts, len(texts))
        logged: list[str | None] = [None] * len(texts)
        if problem is None and isinstance(verdicts, list):
            logged = [extra_text({"logged_correct": verdict}) for verdict in verdicts]
        rows: Batch = [
            ResponseRow(
                self._study, case, self.arm, self.setting.name, sample, text, None, None, None, logged[sample], line
            )
            for sample, text in enumerate(kept)
        ]
        if problem:
            rows.append(self._refusal(case, f"{problem}, so its logged verdicts were left out."))
        return rows

    def _refusal(self, case: str, reason: str) -> Refusal:
        return Refusal(self._place(case), reason)

    def _place(self, case: str) -> str:
        return f"{self.name}: {visible_line(case, 60)}"


def _read(path: Path) -> _Content:
    """Read the whole file, a few megabytes; raises InputError when it is no such file."""
    try:
        return _parse(read_bytes(path))
    except UnusableError as err:
        raise InputError(str(err), where=str(path)) from err


def _parse(data: bytes) -> _Content:
    repeated: set[str] = set()
    value = parse_json(data, repeated)
    if not isinstance(value, dict):
        raise UnusableError(f"it is {kind_of(value)}, but must be an object.")
    if RAW not in value and SCORED not in value:
        return _Content(value, {}, {}, frozenset(repeated))
    for name in (RAW, SCORED):
        if name in repeated:
            raise UnusableError(f"it holds {name} more than once.")
    generations, verdicts = value.pop(RAW, None), value.pop(SCORED, {})
    if not isinstance(generations, dict):
        raise UnusableError(f"{RAW} is {kind_of(generations)}, but must be an object of lists of texts.")
    if not isinstance(verdicts, dict):
        raise UnusableError(f"{SCORED} is {kind_of(verdicts)}, but must be an object of lists of verdicts.")
    return _Content(generations, verdicts, value, frozenset(repeated))


def _verdict_problem(verdicts: JsonValue, count: int) -> str | None:
    """Say why logged verdicts cannot be tied to `count` generations; None when they can or when there are none."""
    if verdicts is None:
        return None
    if not isinstance(verdicts, list) or not all(isinstance(verdict, bool) for verdict in verdicts):
        return "its verdicts are no list of true and false"
    if len(verdicts) != count:
        return f"it has {count} generations, but another number of verdicts ({len(verdicts)})"
    return None
