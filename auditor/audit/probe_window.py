"""The trace around a moment of a run: some steps before it and behind it, with line, source and what changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from auditor.audit import replay_moves as moves
from auditor.audit.replay import Replay
from auditor.execution.trace import Change, Kind, Step
from auditor.text import visible_line

_SHOWN = 60


class WindowRow(NamedTuple):
    """One step; all texts may be any."""

    step: int
    line: int
    source: str
    """The line, without the white space around it; of a return or an exception what is returned or raised."""
    changes: tuple[Change, ...]
    """What has another value than at the step before."""
    mark: str
    """`◆` the moment, `▸` another visit of the probe's line, nothing for others."""

    @property
    def changed(self) -> str:
        """Say what changed: `total = 9, at = 4`."""
        told = [
            f"{visible_line(one.name, _SHOWN)} {'gone' if one.text is None else '= ' + visible_line(one.text, _SHOWN)}"
            for one in self.changes
        ]
        return ", ".join(told)


def window(replay: Replay, at: int, *, before: int, after: int) -> list[WindowRow]:
    """Return the kept steps around one, without a gap: at most so many before it and behind it."""
    part = next(part for part in replay.trace.kept if at in part)
    lines = replay.version.run.split("\n")
    steps = replay.trace.steps(max(part.start, at - before), min(part.stop, at + after + 1))
    return [
        WindowRow(step.number, step.line, _source(step, lines), step.changes, _mark(replay, step)) for step in steps
    ]


def window_rows(rows: Sequence[WindowRow]) -> Iterator[tuple[str, str, str, str, str]]:
    """Yield mark, step, line, source and changes of each row as texts that can be shown."""
    for row in rows:
        yield row.mark, f"{row.step:,}", f"{row.line:,}", visible_line(row.source, _SHOWN), row.changed


def _source(step: Step, lines: Sequence[str]) -> str:
    if step.kind is not Kind.LINE:
        return f"{'returns' if step.kind is Kind.RETURN else 'raises'} {step.text or ''}".rstrip()
    return lines[step.line - 1].strip() if 0 < step.line <= len(lines) else ""


def _mark(replay: Replay, step: Step) -> str:
    if step.number == replay.checkpoint:
        return "◆"
    line = moves.visited_line(replay, step.number) if replay.probe is not None else 0
    return "▸" if step.kind is Kind.LINE and step.line == line else ""
