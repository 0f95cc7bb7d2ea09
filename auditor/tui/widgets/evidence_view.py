"""The verdict and what the computer can say about it: in italic, after a `~`, never to be taken for a person's tag."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from auditor.audit.review import Invalid
from auditor.model import Finding, Grade
from auditor.text import visible_line
from auditor.tui.marked_lines import Comparison, RoleSpan
from auditor.tui.widgets.line_view import LineView

_LONGEST = 600
_ROLES = {"~": "computed", "!": "warning"}
"""Roles of the lines by their marks."""


class EvidenceView(LineView):
    """A few rows below the comparison, as many whatever the item, so that nothing moves; what has no room scrolls."""

    DEFAULT_CSS = """
    EvidenceView { height: 4; }
    """

    def show_grade(
        self, grade: Grade | None, comparison: Comparison, invalid: Invalid | None = None, told: Sequence[str] = ()
    ) -> None:
        """Show the computed modes of a grade, what is told besides, and what a reader of the comparison must know.

        First of all, where it is so, why the prediction is invalid.
        """
        lines = [f"! invalid: {invalid.reason} ({invalid.annotator}, {invalid.at[:10]})"] if invalid else []
        self.show_lines([visible_line(line, _LONGEST) for line in [*lines, *_evidence(grade, comparison, told)]])

    def show_blind(
        self, comparison: Comparison, reveal_key: str, *, invalid: bool = False, told: Sequence[str] = ()
    ) -> None:
        """Show what a reader of the comparison must know, and that the rest is hidden; the reason may tell it too."""
        lines = ["! invalid: the prediction counts nowhere"] if invalid else []
        lines += [f"! {comparison.note}"] if comparison.note else []
        how = f"; {reveal_key} shows them" if reveal_key else ""
        lines.append(f"blind: setting, arm, verdict and computed mode are hidden{how}")
        lines += told
        lines += [f"= {comparison.remark}"] if comparison.remark else []
        lines += [f"! {note}" for note in comparison.look_alikes]
        self.show_lines([visible_line(line, _LONGEST) for line in lines])

    def spans_of(self, line: int) -> Sequence[RoleSpan]:
        text = self.lines[line]
        return (RoleSpan(0, len(text), _ROLES.get(text[:1], "muted")),)


def _evidence(grade: Grade | None, comparison: Comparison, told: Sequence[str]) -> Iterator[str]:
    if comparison.standing:
        yield from told
        yield f"~ {comparison.standing}"
        return
    yield "~ not graded yet" if grade is None else f"{_mark(grade.finding)} {_words(grade.finding)}"
    yield from told
    if comparison.note:
        yield f"! {comparison.note}"
    if grade is None:
        return
    if comparison.remark:
        yield f"= {comparison.remark}"
    yield from (f"! {note}" for note in comparison.look_alikes)
    if grade.note and grade.prediction is not None:
        yield f"~ answer found by {grade.extraction}: {grade.note}"
    yield from (f"~ also {_words(finding)}" for finding in grade.others)


def _mark(finding: Finding) -> str:
    """Return what a line about a finding begins with: a disputed oracle is a warning about the verdict."""
    return "!" if finding.mode == "oracle_disputed" else "~"


def _words(finding: Finding) -> str:
    detail = f" ({finding.detail})" if finding.detail else ""
    return f"{finding.mode.replace('_', ' ')}{detail}: {finding.evidence}"
