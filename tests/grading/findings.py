"""Check the spans of a grade's findings against the texts they speak of."""

from __future__ import annotations

from auditor.model import Grade


def check_spans(grade: Grade, oracle: str) -> None:
    """Fail when a span leaves its text, or shows characters that the sentence quotes otherwise."""
    for finding in (grade.finding, *grade.others):
        for span, text in ((finding.oracle_span, oracle), (finding.prediction_span, grade.prediction)):
            if span is not None:
                assert text is not None
                assert 0 <= span.start <= span.end <= len(text), finding
        if finding.mode in ("off_by_one", "sign", "one_digit", "transposed_digits"):
            assert finding.oracle_span and finding.prediction_span and grade.prediction is not None
            given = grade.prediction[slice(*finding.prediction_span)]
            wanted = oracle[slice(*finding.oracle_span)]
            if len(given) < 30 and len(wanted) < 30:
                assert f" is {given}, the oracle has {wanted}:" in finding.evidence, finding
        if finding.mode in ("missing_field", "extra_field"):
            span, text = finding.oracle_span or finding.prediction_span, oracle
            if finding.mode == "extra_field":
                text = grade.prediction or ""
            assert span is not None and finding.detail is not None
            if finding.detail.replace("_", "").replace(".", "").isalnum() and "\\" not in text:
                assert finding.detail.rpartition(".")[2] in text[slice(*span)]
