"""The short and the long input of a case that offers several: those with the shortest and the longest trace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from auditor.studies.exact_output.case import Case, NotAdmittedError, Offer, Reason
from auditor.studies.exact_output.checking import Bench, run_once
from auditor.studies.exact_output.subject import Subject
from auditor.text import counted

TRIED = 12
"""Inputs that are measured at most: half of them the shortest, half of them the longest."""


def offer_of(texts: Sequence[str], limit: int) -> Offer:
    """Return the inputs worth measuring: all that differ and have up to `limit` characters, or both ends of those."""
    different = list(dict.fromkeys(texts))
    fitting = [text for text in different if len(text) <= limit]
    if len(fitting) > TRIED:
        ordered = sorted(fitting, key=len)
        fitting = [*ordered[: TRIED // 2], *ordered[-(TRIED // 2) :]]
    return Offer(tuple(fitting), too_long=sum(len(text) > limit for text in different))


def choose_inputs(bench: Bench, subject: Subject, offer: Offer, longest_trace: int) -> Case:
    """Return a case with its two inputs; raises NotAdmittedError when fewer than two differ in their traces.

    Left out is an input with which the program does not end by itself, writes nothing, or makes a trace longer than
    `longest_trace`. Of equal traces the input that has fewer characters is taken, then the earlier one.
    """
    if not subject.has_loop():
        raise NotAdmittedError(Reason.NO_LOOP, "the program has no loop.")
    lengths: dict[str, int] = {}
    refused: list[NotAdmittedError] = []
    brief = replace(bench, seconds=min(bench.seconds, bench.limits.wall))
    for text in offer.inputs:
        try:
            found = subject.measured(brief, subject.case.source, text, "one of its inputs", state=False)
        except NotAdmittedError as error:
            refused.append(error)
            continue
        length = found.trace_length or 0
        if 0 < length <= longest_trace and found.run.outcome.finished and found.run.stdout.strip():
            lengths[text] = length
    if refused and len(refused) == len(offer.inputs):
        run_once(bench.sandbox, subject, subject.case.source, offer.inputs[0], bench, "one of its inputs")
        raise refused[0]  # it does run, but not under measurement
    ordered = sorted(lengths, key=lambda text: (lengths[text], len(text)))
    if offer.first_is_short:
        ordered = [text for text in ordered if text in offer.inputs[:1]] + [
            text for text in ordered if text not in offer.inputs[:1]
        ]
    if ordered and (not offer.first_is_short or ordered[0] == offer.inputs[0]):
        most = max(lengths.values())
        longest = min((text for text in ordered if lengths[text] == most), key=len)
        if lengths[ordered[0]] < most:
            return replace(subject.case, short=ordered[0], long=longest, offer=None)
    raise NotAdmittedError(Reason.INPUTS, _why_none(offer, len(lengths), f"{longest_trace:,} {subject.steps}"))


def _why_none(offer: Offer, usable: int, longest_trace: str) -> str:
    count = len(offer.inputs) + offer.too_long
    said = f"no two of its {counted(count, 'input')} differ in their traces" if count > 1 else "it has but one input"
    odd = len(offer.inputs) - usable
    parts = []
    if offer.too_long:
        parts.append(f"{offer.too_long:,} too long")
    if odd:
        parts.append(f"{odd:,} that fail, write nothing or make more than {longest_trace}")
    return f"{said}; left out: {', '.join(parts)}." if parts else f"{said}."
