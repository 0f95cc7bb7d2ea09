"""What of agreement is undefined or uncertain, and why: a reason once, whatever number of coefficients it concerns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from auditor.agreement.coefficient import Coefficient
from auditor.agreement.notes import Reason, between, reasons_of
from auditor.documents.document import Block, Bullets, Column, Folded, Table
from auditor.text import counted

NAMES = {
    **{"percent": "observed", "cohen_kappa": "kappa", "gwet_ac1": "AC1", "fleiss_kappa": "Fleiss' kappa"},
    **{"positive_agreement": "positive", "negative_agreement": "negative", "krippendorff_alpha": "alpha"},
    **{"prevalence_index": "prevalence index", "bias_index": "bias index"},
}
"""What a report calls the coefficients that it does not call by their own names."""
_COUNTED = re.compile(r"(Only |In )([\d,]+)(?= )")
_MOST_TAGS = 12


def doubt_blocks(found: Sequence[Coefficient], names: Mapping[str, str]) -> Iterator[Block]:
    """Return why values are undefined, and behind a summary what makes others uncertain; `names` are those of tags."""
    undefined = told_once([one for one in found if one.value is None])
    if undefined:
        yield Bullets([f"Undefined: {_lower(one.sentence)} ({_tags(one.concerned, names)})" for one in undefined])
    doubts = told_once([one for one in found if one.value is not None])
    if doubts:
        columns = [Column(name, False) for name in ("what", "between", "coefficients", "tags")]
        rows = [row for one in doubts for row in _rows(one, names)]
        table = Table("Values that are uncertain, or have no interval", columns, rows)
        yield Folded(f"What makes values uncertain: {counted(len(doubts), 'reason')}", (table,))


def told_once(found: Sequence[Coefficient]) -> list[Reason]:
    """Return the reasons; those that differ in a count only are one, with the least and the most of it."""
    alike: dict[str, list[Reason]] = {}
    for reason in reasons_of(found):
        alike.setdefault(_COUNTED.sub(r"\1#", reason.sentence, count=1), []).append(reason)
    return [_together(group) for group in alike.values()]


def _together(group: list[Reason]) -> Reason:
    # In a document nobody can give the option that a terminal is told of.
    sentence = group[0].sentence.replace(" (in --json)", "")
    numbers = [int(match[2].replace(",", "")) for one in group if (match := _COUNTED.match(one.sentence))]
    if len(set(numbers)) > 1:
        sentence = _COUNTED.sub(rf"\g<1>{min(numbers):,} to {max(numbers):,}", sentence, count=1)
    concerned = [one for reason in group for one in reason.concerned]
    return Reason(sentence, concerned, any(reason.of_some for reason in group))


def _rows(reason: Reason, names: Mapping[str, str]) -> Iterator[list[str]]:
    by_pair: dict[str, list[Coefficient]] = {}
    for one in reason.concerned:
        by_pair.setdefault(between(one), []).append(one)
    for at, (who, concerned) in enumerate(by_pair.items()):
        coefficients = dict.fromkeys(NAMES.get(one.statistic, one.statistic) for one in concerned)
        yield ["as above" if at else reason.sentence, who, ", ".join(coefficients), _tags(concerned, names)]


def _tags(concerned: Sequence[Coefficient], names: Mapping[str, str]) -> str:
    tags = list(dict.fromkeys(tag_name(one, names) for one in concerned))
    more = len(tags) - _MOST_TAGS
    return ", ".join(tags[:_MOST_TAGS]) + (f" and {more} more" if more > 0 else "")


def tag_name(one: Coefficient, names: Mapping[str, str]) -> str:
    """Name what a coefficient is about."""
    if one.tag is not None:
        return names.get(one.tag, one.tag)
    return "whole sets" if one.group is None else f"one of {one.group}"


def _lower(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:].removesuffix(".")
