"""Where an answer first leaves its oracle, as one visible line with what differs marked."""

from __future__ import annotations

import re

from auditor.compare.code_points import piece_drawn_alike
from auditor.compare.differences import FIELD_TARGETS
from auditor.compare.glance import Glance, glance
from auditor.model import Grade
from auditor.text import visible_line, visible_name, with_code_points
from auditor.tui.marked_lines import MarkedLine, RoleSpan

_SHOWN = 200
_NAME_CELLS = 40
_FIRST = re.compile(r" +|\w+|.", re.DOTALL)
"""What is marked of the text behind the first difference."""


def glance_line(grade: Grade | None, oracle: str | None, target: str) -> MarkedLine:
    """Return the prediction from shortly before its first difference on; of states and verdicts that of a field."""
    if grade is None or grade.prediction is None:
        return _muted("(no answer found)" if grade is not None and grade.status.is_wrong else "")
    if oracle is None:
        return _of([(visible_line(grade.prediction, _SHOWN), "")])
    return _line(glance(oracle, grade.prediction, fields=target in FIELD_TARGETS))


def _line(found: Glance) -> MarkedLine:
    if found.state == "equal":
        return _muted("as the oracle")
    pieces: list[tuple[str, str]] = []
    if found.field is not None:
        pieces.append((f"{visible_name(found.field, _NAME_CELLS)} ", "muted"))
    if found.state == "missing":
        return _of([*pieces, ("(missing)", "prediction-changed")])
    if found.state == "extra":
        return _of([*pieces, ("(not asked for) ", ""), (visible_line(found.prediction), "prediction-changed")])
    pieces.append((("…" if found.cut else "") + visible_line(found.prediction[: found.at]), ""))
    if (alike := piece_drawn_alike(found.oracle, found.prediction, found.at)) is not None:
        differs = with_code_points(found.prediction[found.at : alike.end])
        return _of([*pieces, (differs, "prediction-changed"), (visible_line(found.prediction[alike.end :]), "")])
    first = _FIRST.match(found.prediction, found.at)
    if first is None:
        return _of([*pieces, ("(ends here)", "prediction-changed")])
    differs = visible_line(first.group()).replace(" ", "␠")
    return _of([*pieces, (differs, "prediction-changed"), (visible_line(found.prediction[first.end() :]), "")])


def _of(pieces: list[tuple[str, str]]) -> MarkedLine:
    """Join texts, each with its role."""
    spans, at = [], 0
    for text, role in pieces:
        if text:
            spans.append(RoleSpan(at, at + len(text), role))
        at += len(text)
    return MarkedLine("".join(text for text, _ in pieces), spans=tuple(spans))


def _muted(text: str) -> MarkedLine:
    return _of([(text, "muted")])
