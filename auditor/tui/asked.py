"""What a task asks for, in words: the kind of answer, the checkpoint, and the fields of a state in their order."""

from __future__ import annotations

from collections.abc import Sequence

from auditor.compare.fields import FieldRow, field_rows
from auditor.model import Checkpoint, Task
from auditor.text import visible_line
from auditor.tui.marked_lines import MarkedLine, RoleSpan

_LONGEST = 400
_FIELD_CELLS = 40
_MOST_FIELDS = 40
_READ_CHARACTERS = 20_000
"""Of an oracle whose fields no checkpoint names."""
_KINDS = {
    "output": "the whole output",
    "state": "the state at a checkpoint",
    "verdict": "whether the program breaks a rule, and which",
    "input": "an input that gives this output",
}


def target_words(task: Task) -> str:
    """Say which kind of answer a task asks for; of a probe its question."""
    return task.question or _KINDS.get(task.target, f"a {task.target}")


def checkpoint_sentence(checkpoint: Checkpoint) -> str:
    """Say where a state is asked for: `before iteration 17 of the loop at line 14`."""
    line = f"line {checkpoint.line:,}"
    if checkpoint.clean_line is not None and checkpoint.clean_line != checkpoint.line:
        line += f" (line {checkpoint.clean_line:,} of the clean source)"
    nth = "" if checkpoint.iteration is None else f" {checkpoint.iteration:,}"
    match checkpoint.when:
        case "before-iteration":
            return f"before iteration{nth}, {line}"
        case "after-loop":
            return f"after the loop, {line}"
        case "after-line":
            return f"after {line}{f', time{nth}' if nth else ''}"
    return f"{visible_line(checkpoint.when.replace('-', ' '), _FIELD_CELLS)}{nth}, {line}"


def asked_line(task: Task, oracle: str, rows: Sequence[FieldRow]) -> MarkedLine:
    """Return the line that says of a state where it is asked for, its fields in order, and which the answer lacks.

    `rows` are those of the comparison; none when the answer is no object whose fields could be told.
    """
    words = checkpoint_sentence(task.checkpoint) if task.checkpoint else "asked for"
    text = f"{words}: {_listed(_asked_fields(task, oracle, rows))}"
    for state, name in (("missing", "missing"), ("extra", "not asked for")):
        if fields := [row.field for row in rows if row.state == state]:
            text += f"; {name}: {_listed(fields)}"
    text = visible_line(text, _LONGEST)
    return MarkedLine(text, spans=(RoleSpan(0, len(text), "muted"),))


def question_line(question: str) -> MarkedLine:
    """Return the question that a task asks in words, as those of a probe."""
    text = visible_line(question, _LONGEST)
    return MarkedLine(text, spans=(RoleSpan(0, len(text), "muted"),))


def _asked_fields(task: Task, oracle: str, rows: Sequence[FieldRow]) -> Sequence[str]:
    if task.checkpoint and task.checkpoint.fields:
        return task.checkpoint.fields
    if not rows and len(oracle) <= _READ_CHARACTERS:
        rows = field_rows(oracle, oracle, seconds=0).rows
    return [row.field for row in rows if row.state != "extra"]


def _listed(fields: Sequence[str]) -> str:
    more = len(fields) - _MOST_FIELDS
    shown = ", ".join(visible_line(field, _FIELD_CELLS) for field in fields[:_MOST_FIELDS])
    return f"{shown} and {more:,} more" if more > 0 else shown or "no field"
