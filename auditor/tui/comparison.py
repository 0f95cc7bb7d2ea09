"""What the comparison pane shows for an item: marked lines made of the engines' results. No widget, no session."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from auditor.audit.answer_diff import diff_answers
from auditor.audit.subject_card import probe_card, subject_card
from auditor.compare.code_points import LookAlike, look_alikes
from auditor.compare.differences import compared_fields
from auditor.compare.fields import FieldRow
from auditor.compare.text_diff import LITTLE_IN_COMMON
from auditor.errors import AuditorError
from auditor.model import SUBJECT, Grade
from auditor.text import counted, visible_line
from auditor.tui.asked import asked_line, question_line
from auditor.tui.marked_lines import Comparison, MarkedLine, Place, RoleSpan
from auditor.tui.spelling import has_rules
from auditor.tui.text_comparison import lines_apart, text_lines, whole_text

if TYPE_CHECKING:
    from auditor.audit.review import ReviewItem

LARGE_CHARACTERS = 6_000
"""Oracle and prediction together; from here on the comparison is made beside the event loop."""
_UNLIMITED = 1 << 30
"""Cells, more than any line has."""
_MOST_NOTES = 3
_LABEL_CELLS = 18
_TEXTS_TITLE = "Oracle - and prediction +"
_SUBJECT_TITLE, _SUBJECT_WORDS = "To be judged", "no answer of a model: the item itself is judged"


def is_large(item: ReviewItem) -> bool:
    """Say whether comparing an item may take longer than a key press should."""
    prediction = item.grade.prediction if item.grade else None
    return len(item.oracle_text or "") + len(prediction or "") > LARGE_CHARACTERS


def compare_item(item: ReviewItem, width: int, *, wraps: bool = True) -> Comparison:
    """Compare an item's oracle with its prediction: by field for states and verdicts, by token for other texts.

    Above a state stands where it is asked for, and its fields in order; above the answer to a question the question.
    `width` is the number of cells that a line may take; long lines are cut into pairs that stand above each other,
    unless they are not to be wrapped.
    """
    if item.task.target == SUBJECT:
        # What dimensions mean stands below the run around the probe, which is looked at first.
        text = subject_card(item.task) if item.task.question is None else probe_card(item.task)
        card = tuple(whole_text(text, " ", ""))
        return Comparison(card, standing=_SUBJECT_WORDS, title=_SUBJECT_TITLE)
    oracle, grade = item.oracle_text, item.grade
    prediction = grade.prediction if grade else None
    if oracle is None:
        shown = whole_text(prediction, "+", "prediction") if prediction is not None else []
        return _below_asked(item, "", (), Comparison((MarkedLine("(no oracle is known)"), *shown)))
    if prediction is None:
        shown = [*whole_text(oracle, "-", "oracle"), _without_prediction(grade)]
        return _below_asked(item, oracle, (), Comparison(tuple(shown), title=_TEXTS_TITLE))
    rows = compared_fields(item.task.target, oracle, prediction)
    if rows:
        compared = _with_rules_named(_compare_fields(rows, width), item, width)
    else:
        compared = compare_texts(oracle, prediction, width if wraps else _UNLIMITED, item.policy)
        if compared.diff is not None and compared.diff.reason == LITTLE_IN_COMMON and _is_reply(item, prediction):
            compared = _with_reply_named(compared, prediction)
    return _below_asked(item, oracle, rows, compared)


def _with_rules_named(compared: Comparison, item: ReviewItem, width: int) -> Comparison:
    """Name the violated rule and the cited one below the numbers."""
    if not has_rules(item) or item.hidden:
        return compared
    from auditor.audit.cited_rules import cited_rules

    try:
        rules = cited_rules(item)
    except AuditorError:
        return compared
    sides = [(rules.oracle, "=", "oracle"), (rules.prediction, "+", "prediction")]
    named = []
    for side, mark, role in sides if rules.findings else sides[:1]:
        if side.verdict == "success":
            continue
        words = f"{side.rule.label}: {side.rule.name} ({side.rule.group})" if side.rule is not None else side.absent
        shown = visible_line(f"{mark} {words}", max(20, width))
        named.append(MarkedLine(shown, spans=(RoleSpan(0, 1, role), RoleSpan(1, len(shown), "muted"))))
    return compared._replace(lines=(*compared.lines, *named))


def _is_reply(item: ReviewItem, prediction: str) -> bool:
    return (item.response.text or "").strip() == prediction.strip()


def _with_reply_named(compared: Comparison, prediction: str) -> Comparison:
    """Say above a prediction that is the whole reply how long it is."""
    first = next(number for number, line in enumerate(compared.lines) if line.mark == "+")
    words = f"the prediction is the whole reply, {counted(prediction.strip().count(chr(10)) + 1, 'line')}:"
    named = MarkedLine(words, spans=(RoleSpan(0, len(words), "muted"),))
    return compared._replace(lines=(*compared.lines[:first], named, *compared.lines[first:]))


def _below_asked(item: ReviewItem, oracle: str, rows: Sequence[FieldRow], compared: Comparison) -> Comparison:
    """Put what is asked of a state, or by a question, above the comparison."""
    if item.task.target == "state":
        asked = asked_line(item.task, oracle, rows)
    elif item.task.question:
        asked = question_line(item.task.question)
    else:
        return compared
    lines = (asked, *compared.lines)
    places = tuple(place._replace(line=place.line + 1) for place in compared.differences)
    return compared._replace(lines=lines, differences=places)


def compare_texts(oracle: str, prediction: str, width: int, policy: str = "") -> Comparison:
    """Compare two texts by token, or as values under a policy that compares values.

    What differs and does not count is dim. It is said where the difference is not exact or cannot be seen.
    """
    answers = diff_answers(policy, oracle, prediction)
    shown, diff = answers.prediction, answers.diff
    apart = diff.reason == LITTLE_IN_COMMON
    lines, places, cut = lines_apart(oracle, shown) if apart else text_lines(oracle, shown, diff.pieces, width)
    notes = [answers.note] if answers.note else []
    if not diff.exact:
        notes.append(f"difference not exact: {diff.reason}")
    if cut:
        notes.append(f"only its first {len(lines):,} rows are shown; r shows the whole reply")
    headline = "equal as values" if answers.equal else "equal as texts"
    alike = _sentences(look_alikes(oracle, shown, diff))
    note = "; ".join(notes)
    return Comparison(
        tuple(lines), tuple(places), headline, note, answers.remark, _TEXTS_TITLE, alike, (oracle, shown), diff
    )


def _sentences(found: Sequence[LookAlike]) -> tuple[str, ...]:
    """Return the first sentences, how many more there are, and how much was not looked at."""
    unseen = tuple(one.sentence for one in found if one.kind == "not looked at")
    alike = [one.sentence for one in found if one.kind != "not looked at"]
    if (more := len(alike) - _MOST_NOTES) > 0:
        alike[_MOST_NOTES:] = [f"… and {more:,} more difference{'' if more == 1 else 's'} that cannot be seen"]
    return (*alike, *unseen)


def _without_prediction(grade: Grade | None) -> MarkedLine:
    if grade is None:
        return MarkedLine("(not graded yet)", "+", "prediction")
    why = f": {grade.note}" if grade.note else ""
    return MarkedLine(visible_line(f"(no answer found{why})"), "+", "prediction")


# --- fields --------------------------------------------------------------------------------------------------------


def _compare_fields(rows: Sequence[FieldRow], width: int) -> Comparison:
    label_cells = min(_LABEL_CELLS, max(len("field"), *(len(visible_line(row.field)) for row in rows)))
    value_cells = (width - label_cells - 7) // 2
    lines = [_column_names(label_cells, value_cells)]
    places: list[Place] = []
    for row in rows:
        oracle, prediction = (
            _side(row.oracle, row.oracle_changed, row),
            _side(row.prediction, row.prediction_changed, row),
        )
        fits = max(len(oracle.text), len(prediction.text)) <= value_cells
        if row.state != "equal":
            places.append(Place(len(lines)) if fits else _place_in_long(len(lines), (oracle, prediction), width))
        if fits and len(visible_line(row.field)) <= label_cells:
            shown = [_beside(row, oracle, prediction, label_cells, value_cells)]
        else:
            shown = _stacked(row, oracle, prediction)
        lines += [_of_difference(line, len(places) - 1) for line in shown]
    inexact = ", ".join(visible_line(row.field, 40) for row in rows if not row.exact)
    note = f"marks not exact, there was no time to compare all of: {inexact}" if inexact else ""
    return Comparison(tuple(lines), tuple(places), "all fields equal", note)


def _of_difference(line: MarkedLine, number: int) -> MarkedLine:
    """Let what is changed in a line be a part of a difference."""
    spans = (span._replace(difference=number) if span.role.endswith("-changed") else span for span in line.spans)
    return line._replace(spans=tuple(spans))


def _place_in_long(at: int, sides: Sequence[MarkedLine], width: int) -> Place:
    """Return where values that stand in the two lines below one differ, or that line where it is near enough."""
    for line, side in enumerate(sides, at + 1):
        if side.spans:
            return Place(line, side.spans[0].start) if side.spans[0].start >= width else Place(at)
    return Place(at)


def _column_names(label: int, value: int) -> MarkedLine:
    """Name the columns, and by that their marks."""
    left = f"{'field'.ljust(label)}  "
    oracle = f"= {'oracle'.ljust(value)}  "
    text = f"{left}{oracle}+ prediction"
    spans = (
        RoleSpan(0, len(left), "muted"),
        RoleSpan(len(left), len(left) + len(oracle), "oracle"),
        RoleSpan(len(left) + len(oracle), len(text), "prediction"),
    )
    return MarkedLine(text, spans=spans)


def _side(value: str | None, changed: Sequence[tuple[int, int]], row: FieldRow) -> MarkedLine:
    if value is None:
        return MarkedLine("(missing)" if row.state == "missing" else "(not asked for)")
    marks = [(0, len(value))] if row.state in ("missing", "extra") else changed
    pieces, spans, at, shown = [], [], 0, 0
    for start, end in marks:
        shared, own = visible_line(value[at:start]), visible_line(value[start:end])
        pieces += [shared, own]
        left = shown + len(shared)
        shown = left + len(own)
        spans.append(RoleSpan(left, shown, "changed"))
        at = end
    return MarkedLine("".join([*pieces, visible_line(value[at:])]), spans=tuple(spans))


def _beside(row: FieldRow, oracle: MarkedLine, prediction: MarkedLine, label: int, value: int) -> MarkedLine:
    """`total     = 63250        + 63240`."""
    name = visible_line(row.field).ljust(label)
    left_at = len(name) + 2
    right_at = left_at + 2 + value + 2
    text = f"{name}  = {oracle.text.ljust(value)}  + {prediction.text}"
    spans = (
        RoleSpan(0, len(name), "muted"),
        *_placed(oracle, left_at, left_at + 2, "oracle", row),
        *_placed(prediction, right_at, right_at + 2, "prediction", row),
    )
    return MarkedLine(text, "≠" if row.state != "equal" else " ", "warning", spans)


def _placed(side: MarkedLine, mark_at: int, text_at: int, role: str, row: FieldRow) -> list[RoleSpan]:
    """Return the spans of a mark and of the value behind it, with the changed characters marked."""
    spans, at = [RoleSpan(mark_at, mark_at + 1, role)], text_at
    for start, end, *_ in side.spans:
        spans.append(RoleSpan(at, text_at + start, role))
        spans.append(RoleSpan(text_at + start, text_at + end, f"{role}-changed"))
        at = text_at + end
    spans.append(RoleSpan(at, text_at + len(side.text), role if row.state != "equal" else ""))
    return spans


def _stacked(row: FieldRow, oracle: MarkedLine, prediction: MarkedLine) -> list[MarkedLine]:
    """Show a long field as a line with its name, then both values above each other."""
    name = visible_line(row.field)
    head = MarkedLine(name, "≠" if row.state != "equal" else " ", "warning", (RoleSpan(0, len(name), "muted"),))
    oracle_spans, prediction_spans = _placed(oracle, 0, 0, "oracle", row), _placed(prediction, 0, 0, "prediction", row)
    return [
        head,
        MarkedLine(oracle.text, "=" if row.state == "equal" else "-", "oracle", tuple(oracle_spans[1:])),
        MarkedLine(prediction.text, "+", "prediction", tuple(prediction_spans[1:])),
    ]
