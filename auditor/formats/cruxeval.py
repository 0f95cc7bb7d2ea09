"""CRUXEval: its cases, and the generations and scored results of its harness; LiveCodeBench execution items."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from auditor.errors import InputError
from auditor.formats.case_lines import CaseLines, cruxeval_tasks, lcb_tasks
from auditor.formats.cruxeval_predictions import Predictions, looks_like_predictions
from auditor.formats.json_text import BOM, UnusableError, parse_json
from auditor.formats.lines import HEAD, open_binary
from auditor.formats.records import Source

CRUXEVAL, CRUXEVAL_LCB = "cruxeval", "cruxeval-lcb"
_CASE_KEYS = frozenset({"code", "input", "output", "id"})
_LCB_KEYS = _CASE_KEYS | {"question_id", "function_name"}
_KEY = re.compile(rb'[{,]\s*"([a-z_]+)"\s*:')


def case_keys(head: bytes) -> frozenset[str]:
    """Return the keys of the first JSON object in the first lines, or of the object that the head cuts off."""
    lines = head.removeprefix(BOM).split(b"\n")
    for line in lines[:20]:
        try:
            value = parse_json(line.strip())
        except UnusableError:
            continue
        return frozenset(value) if isinstance(value, dict) else frozenset()
    if lines[0].startswith(b"{") and len(lines) == 1:
        return frozenset(key.decode() for key in _KEY.findall(lines[0]))
    return frozenset()


@dataclass(frozen=True, slots=True)
class CruxevalFormat:
    """CRUXEval's own files: cases, generations and scored results."""

    name: str = "cruxeval"
    description: str = 'CRUXEval cases as JSON lines, or {"sample_0": ["…"]} generations, or their scored results'

    def recognises(self, path: Path, head: bytes) -> bool:
        """Say by the keys and values at the beginning whether this is one of the three."""
        if looks_like_predictions(head):
            return True
        keys = case_keys(head)
        return keys >= _CASE_KEYS and not keys >= _LCB_KEYS

    def open(self, path: Path, *, study: str | None = None, setting: str | None = None) -> Source:
        """Open cases or predictions; raises InputError when the file is neither or its setting is not known."""
        with open_binary(path) as file:
            head = file.read(HEAD)
        if looks_like_predictions(head):
            return Predictions(path, study or CRUXEVAL, setting)
        if case_keys(head) >= _CASE_KEYS:
            return CaseLines(path, study or CRUXEVAL, cruxeval_tasks)
        raise InputError(
            f"it is none of the files of {self.name}.", where=str(path), hint=f"Those are: {self.description}."
        )


@dataclass(frozen=True, slots=True)
class LcbExecutionFormat:
    """LiveCodeBench execution items."""

    name: str = "lcb-execution"
    description: str = (
        "LiveCodeBench execution items as JSON lines (question_id, id, function_name, code, input, output)"
    )

    def recognises(self, path: Path, head: bytes) -> bool:
        """Say by the keys of the first line whether these are such items."""
        return case_keys(head) >= _LCB_KEYS

    def open(self, path: Path, *, study: str | None = None, setting: str | None = None) -> Source:
        """Open the items; raises InputError when the file cannot be read."""
        open_binary(path).close()
        return CaseLines(path, study or CRUXEVAL_LCB, lcb_tasks)


FORMAT = CruxevalFormat()
LCB_FORMAT = LcbExecutionFormat()
