"""One item as a reader sees it: program, input, oracle against prediction with the difference marked, reply, notes."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence

from auditor.audit.answer_diff import diff_answers
from auditor.audit.subject_card import subject_card
from auditor.documents.document import Block, Code, Folded, Listing, Paragraph
from auditor.model import SUBJECT, Span, Task
from auditor.store.grades import load_grade
from auditor.store.responses import load_response
from auditor.store.tag_counts import Exemplar
from auditor.store.tasks import load_task, oracle_text
from auditor.text import counted

_MOST = 4_000
"""Characters of a text that are shown."""
_PATIENCE_SECONDS = 20.0
"""How long answers of so many characters may be compared: longer than it takes, so that a page is always the same."""


def exemplar_blocks(connection: sqlite3.Connection, exemplar: Exemplar) -> Iterator[Block]:
    """Return what shows an item: nothing of it can act, and what is cut says so."""
    task, response = load_task(connection, exemplar.task_id), load_response(connection, exemplar.response_id)
    why = " that people agree on" if exemplar.agreed else " with a note" if exemplar.notes else ""
    yield Paragraph((f"Smallest program{why} ({counted(exemplar.lines, 'line')}): ", Code(exemplar.item)))
    line = task.checkpoint.line if task.checkpoint else None
    where = "with a checkpoint put in at" if task.target == "state" else "asked about is"
    label = f"Program ({task.language})" + (f", {where} line {line}" if line else "")
    yield cut(label, task.source, language=task.language, line=line)
    if task.input:
        yield cut("Input", task.input)
    if task.question and task.target != SUBJECT:
        yield cut("Question", task.question)
    if task.target == SUBJECT:
        yield cut("What is judged beside it", subject_card(task))
    else:
        yield from _answers(connection, task, exemplar.response_id)
    if response.text is not None:
        yield Folded(f"Raw reply ({counted(len(response.text), 'character')})", (cut("Reply", response.text),))
    for annotator, note in exemplar.notes:
        yield cut(f"Note of {annotator}", note)


def _answers(connection: sqlite3.Connection, task: Task, response_id: int) -> Iterator[Block]:
    """Return the oracle and the prediction, with what differs marked, and the computed mode's evidence."""
    oracle = oracle_text(task.target, task.oracle)
    graded = load_grade(connection, response_id)
    prediction = None if graded is None else graded[1].prediction
    if oracle is not None and prediction is not None and graded is not None:
        found = diff_answers(graded[0], oracle[:_MOST], prediction[:_MOST], seconds=_PATIENCE_SECONDS)
        wrong = [piece for piece in found.diff.pieces if piece.kind not in ("equal", "spelled")]
        spelled = [piece for piece in found.diff.pieces if piece.kind == "spelled"]
        yield cut(
            "Oracle",
            found.oracle,
            whole=len(oracle),
            marks=[piece.oracle for piece in wrong],
            spelled=[piece.oracle for piece in spelled],
            removed=True,
        )
        yield cut(
            "Prediction",
            found.prediction,
            whole=len(prediction),
            marks=[piece.prediction for piece in wrong],
            spelled=[piece.prediction for piece in spelled],
        )
        if spelled:
            yield Paragraph(
                "What has only a dotted line below it is spelled differently and is the same value.", "note"
            )
        if found.moved:
            yield Paragraph("The prediction is shown in the oracle's order.", "note")
    else:
        if oracle is not None:
            yield cut("Oracle", oracle)
        yield Paragraph("No prediction was found in the reply.", "note")
    if graded is not None:
        mode, evidence = graded[1].finding.mode, graded[1].finding.evidence
        yield Paragraph(("Computed mode: ", Code(mode), ". ", *quoted(evidence)), "note")


def quoted(sentence: str) -> list[str | Code]:
    """Return a sentence with what stands in it between backticks as code; one with an odd number as it is."""
    pieces = sentence.split("`")
    if len(pieces) % 2 == 0:
        return [sentence]
    return [Code(piece) if at % 2 else piece for at, piece in enumerate(pieces) if piece]


def cut(
    label: str,
    text: str,
    *,
    language: str = "",
    line: int | None = None,
    whole: int | None = None,
    marks: Sequence[Span] = (),
    spelled: Sequence[Span] = (),
    removed: bool = False,
) -> Listing:
    """Return a text as a listing, its beginning where it is long; `whole` is its length where it was cut already."""
    length = len(text) if whole is None else max(whole, len(text))
    shown = text[:_MOST]
    return Listing(
        label,
        shown,
        language,
        length if length > len(shown) else None,
        _kept(marks),
        removed,
        _kept(spelled),
        numbered=bool(language),
        line=line if line is not None and line <= shown.count("\n") + 1 else None,
    )


def _kept(marks: Sequence[Span]) -> list[Span]:
    return [Span(start, min(end, _MOST)) for start, end in marks if start < _MOST and start < end]
