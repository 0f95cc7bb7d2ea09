"""The difference of an oracle and a prediction under the policy that grades them: one for every view of it."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from auditor.compare.text_diff import TextDiff, readable_diff
from auditor.compare.value_diff import diff_values, in_order_of, spelled_diff
from auditor.grading.graded_values import GradedValues, graded_values, string_content


class AnswerDiff(NamedTuple):
    """What two answers share, and the texts that its pieces are places of."""

    oracle: str
    prediction: str
    """As it is, or as a value with its fields and members of sets in the oracle's order."""
    diff: TextDiff
    equal: bool = False
    """Whether the policy says of texts that are not the same that they are equal values."""
    remark: str = ""
    """What does not count in them, in words."""
    note: str = ""
    """Why they are not compared as values though they may be some."""
    moved: bool = False
    """Whether the prediction stands in the oracle's order instead of its own."""


def diff_answers(policy: str, oracle: str, prediction: str, *, seconds: float = 0.15) -> AnswerDiff:
    """Compare two answers as values where the policy does so and both are values, else as texts.

    As values nothing counts but what the policy counts: no piece does exactly where it calls them equal. Where they are
    too long or the values cannot be taken apart, the texts are compared and the note says so. What is left after about
    `seconds` is lumped together.
    """
    values = None if oracle == prediction else graded_values(policy, oracle, prediction)
    if values is None:
        return AnswerDiff(oracle, prediction, readable_diff(oracle, prediction, seconds=seconds))
    shown, values, moved = _arranged(policy, oracle, prediction, values)
    order = "the prediction is shown in the oracle's order" if moved else ""
    if values.equal:
        words = "spelled differently, equal as values"
        diff = spelled_diff(oracle, shown, seconds=seconds)
        return AnswerDiff(oracle, shown, diff, True, "; ".join(filter(None, (words, order))), moved=moved)
    if values.oracle is None or values.prediction is None:
        return AnswerDiff(oracle, prediction, readable_diff(oracle, prediction, seconds=seconds), note=values.reason)
    diff = diff_values(
        oracle, shown, values.oracle, values.prediction, partial(string_content, policy), seconds=seconds
    )
    spelled = any(piece.kind == "spelled" for piece in diff.pieces)
    words = "what is dim is spelled differently, equal as values" if spelled else ""
    return AnswerDiff(oracle, shown, diff, remark="; ".join(filter(None, (words, order))), moved=moved)


def _arranged(policy: str, oracle: str, prediction: str, values: GradedValues) -> tuple[str, GradedValues, bool]:
    """Put the prediction's fields in the oracle's order, if that leaves it the value that it is."""
    left, right = values.oracle, values.prediction
    if left is None or right is None:
        return prediction, values, False
    inner = in_order_of(left, right, prediction)
    shown = f"{prediction[: right.start]}{inner}{prediction[right.end :]}"
    if shown == prediction:
        return prediction, values, False
    same = graded_values(policy, prediction, shown)
    arranged = graded_values(policy, oracle, shown)
    if same is None or not same.equal or arranged is None or arranged.oracle is None:
        return prediction, values, False
    return shown, arranged, True
