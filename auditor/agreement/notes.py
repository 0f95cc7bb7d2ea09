"""What stands under agreement's tables: what is undefined or doubtful, which items count, how it was computed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from auditor.agreement.coefficient import ALL, GENERATOR, PAIR, Coefficient, Options, T
from auditor.model import person_of_pass
from auditor.text import visible_line

if TYPE_CHECKING:
    from auditor.agreement.ratings import Ratings

_MAX_NAME = 40
_NAMES_SHOWN = 12
_METRICS = {
    "nominal": "nominal distances",
    "ordinal": "ordinal distances from the marginals of the data",
    "interval": "squared interval distances of the scores",
    "ratio": "squared ratio distances of the scores",
    "masi": "the MASI distance, unsquared",
    "jaccard": "the Jaccard distance, unsquared",
}
_SHARES = ("percent", "positive_agreement", "negative_agreement", "sensitivity", "specificity")
_LEAST = dict.fromkeys((*_SHARES, "balanced_accuracy", "precision"), 0.0) | dict.fromkeys(
    ("cohen_kappa", "scott_pi", "gwet_ac1", "brennan_prediger", "prevalence_index", "bias_index"), -1.0
)
"""The lowest value of a coefficient, of those that have one whatever their weights; the highest of all is 1."""
_AS_IN_GWET = ("percent", "fleiss_kappa", "gwet_ac1", "gwet_ac2", "brennan_prediger")
"""Coefficients over any number of annotators of which several definitions are in use."""
_FEW = re.compile(r"^Only (\d+) clusters: .*")
_RARE = re.compile(r" in only [0-9]+ (cluster|item)s?: an interval from fewer than ([0-9]+) is too narrow")
_SAME = {
    "Neither annotator used the tag on the items that both rated.": (
        "Both annotators left out the tag on every item: chance alone makes them agree always."
    ),
    "Both annotators used the tag on every item that both rated.": (
        "Both annotators used the tag on every item: chance alone makes them agree always."
    ),
}
"""Reasons of one fact in two words: each is told once, of all coefficients that it concerns."""
_HOW_MANY = re.compile(r"(every one of )?the [0-9,]+ items?")


def between(one: Coefficient) -> str:
    """Name the annotators of a coefficient."""
    if one.scope == ALL:
        return f"all {len(one.annotators)} annotators"
    return ", ".join(visible_line(name, _MAX_NAME) for name in one.annotators)


def categories_of(one: Coefficient) -> str | None:
    """Name the tag or the exclusive group that a coefficient is about; None for all categories."""
    if one.tag is not None:
        return visible_line(one.tag, _MAX_NAME)
    return None if one.group is None else f"(one of {visible_line(one.group, _MAX_NAME)})"


def shown_interval(one: Coefficient) -> tuple[float | None, float | None]:
    """Return the interval that a table shows: of few clusters the t interval, cut where the coefficient ends."""
    low, high = _computed_interval(one)
    if low is None or high is None:
        return low, high
    return max(low, _LEAST.get(one.statistic, low)), min(high, 1.0)


def _computed_interval(one: Coefficient) -> tuple[float | None, float | None]:
    return one.shown_low, one.shown_high


def notes(found: Sequence[Coefficient], ratings: Ratings, marks: Marks | None = None) -> list[str]:
    """Return what is undefined or doubtful, numbered by `marks`, and which items of the ratings are left out."""
    return [*(reasons(found) if marks is None else marks.lines), *_passes(found), *_left_out(found, ratings)]


class Reason(NamedTuple):
    """Why coefficients are undefined or doubtful."""

    sentence: str
    concerned: list[Coefficient]
    of_some: bool
    """Whether it concerns some of the coefficients only."""


def reasons(found: Sequence[Coefficient]) -> list[str]:
    """Return each reason and warning once, with the coefficients, tags and annotators that it concerns."""
    several = _several(found)
    return [
        f"{reason.sentence} ({_about(reason.concerned, several)})" if reason.of_some else reason.sentence
        for reason in reasons_of(found)
    ]


def _several(found: Sequence[Coefficient]) -> bool:
    """Say whether there are several pairs of annotators."""
    return len({one.annotators for one in found if one.scope == PAIR}) > 1


def reasons_of(found: Sequence[Coefficient]) -> list[Reason]:
    """Return each reason and warning once, with the coefficients that it concerns."""
    concerned: dict[str, list[Coefficient]] = {}
    for one in found:
        for sentence in dict.fromkeys([*([one.reason] if one.reason else []), *one.warnings]):
            by_t = one.interval == T and not (one.ci_method or "").endswith("t(G - 1)")
            concerned.setdefault(general(sentence, one.tag, by_t), []).append(one)
    measured = sum(one.value is not None for one in found)
    return [Reason(sentence, about, not len(about) == measured > 1) for sentence, about in concerned.items()]


class Marks:
    """Numbers the reasons that concern some coefficients only, for a column of the table."""

    def __init__(self, found: Sequence[Coefficient]) -> None:
        self._numbers: dict[int, list[int]] = {}
        self.lines: list[str] = []
        """The reasons, each with its number where it has one."""
        several, number = _several(found), 0
        for reason in reasons_of(found):
            if not reason.of_some:
                self.lines.append(reason.sentence)
                continue
            number += 1
            self.lines.append(f"{number}) {reason.sentence} ({_about(reason.concerned, several)})")
            for one in reason.concerned:
                self._numbers.setdefault(id(one), []).append(number)

    def of(self, found: Iterable[Coefficient]) -> str:
        """Return the numbers of the reasons that concern any of some coefficients: `1 3`."""
        return " ".join(map(str, sorted({number for one in found for number in self._numbers.get(id(one), ())})))


def general(sentence: str, tag: str | None, by_t: bool) -> str:
    """Say a reason without what differs from tag to tag and from pair to pair; `by_t` = a t interval is shown."""
    if tag is not None:
        sentence = sentence.replace(f"he tag '{tag}'", "he tag")
        sentence = _RARE.sub(r" in fewer than \2 \1s: an interval from so few is too narrow", sentence)
    if by_t:
        sentence = _FEW.sub(
            r"Only \1 clusters: the intervals shown are t intervals, since percentile intervals (in --json) from fewer"
            r" than 20 are too narrow on average.",
            sentence,
        )
    sentence = visible_line(_HOW_MANY.sub(lambda found: "every item" if found[1] else "the items", sentence))
    return _SAME.get(sentence, sentence)


def _about(concerned: Sequence[Coefficient], several: bool) -> str:
    """Name coefficients with their tags; those with the same tags together."""
    tags: dict[str, list[str]] = {}
    for one in concerned:
        what = f"{one.statistic} between {between(one)}" if several or one.scope == ALL else one.statistic
        tags.setdefault(what, []).extend(filter(None, [categories_of(one)]))
    alike: dict[tuple[str, ...], list[str]] = {}
    for what, names in tags.items():
        alike.setdefault(tuple(names), []).append(what)
    return "; ".join(_some(whats, "; ") + (f": {_some(names)}" if names else "") for names, whats in alike.items())


def _some(names: Sequence[str], mark: str = ", ") -> str:
    more = len(names) - _NAMES_SHOWN
    return mark.join(names[:_NAMES_SHOWN]) + (f" and {more} more" if more > 0 else "")


def _passes(found: Sequence[Coefficient]) -> list[str]:
    """Say which annotators are one person's passes over the same items."""
    names = dict.fromkeys(name for one in found for name in one.annotators)
    told = []
    for name in names:
        person = person_of_pass(name)
        if person in names:
            both = f"{visible_line(person or '', _MAX_NAME)} and {visible_line(name, _MAX_NAME)}"
            told.append(
                f"{both} are two passes of one person: between them it is how far that person agrees with itself."
            )
    if told and any(one.scope == ALL for one in found):
        told.append("Over all annotators each pass counts as one.")
    return told


def _left_out(found: Sequence[Coefficient], ratings: Ratings) -> list[str]:
    """Say of how many items that one annotator of a pair reviewed the other has no review."""
    import numpy as np

    people = dict.fromkeys(name for one in found for name in one.annotators)
    columns = {name: ratings.of_annotator(ratings.annotators.index(name)) >= 0 for name in people}
    weight = np.ones(ratings.n_items, dtype=np.int64) if ratings.count is None else ratings.count
    told = []
    for one, other in combinations(people, 2):
        either = int(weight[columns[one] | columns[other]].sum())
        both = int(weight[columns[one] & columns[other]].sum())
        if both < either:
            names = f"{visible_line(one, _MAX_NAME)} and {visible_line(other, _MAX_NAME)}"
            told.append(f"between {names} {both:,} of {either:,} count")
    if not told:
        return []
    return [f"Items that one annotator of a pair deferred or did not review are left out: {_some(told, '; ')}."]


def how_lines(
    found: Sequence[Coefficient], shown: Sequence[Coefficient], ratings: Ratings, options: Options, where: str
) -> list[str]:
    """Say which items were measured and how the numbers were computed; `shown` have their intervals in a table."""
    size = len(ratings.categories)
    what = ("tag" if size == 1 else "tags") if ratings.multi else ("category" if size == 1 else "categories")
    kind = f"{size:,} {what}" + (", each against the rest and as whole sets" if ratings.multi else "")
    order = "as declared" if ratings.declared else "in order of appearance"
    told = [f"Pairs are compared on the items that both rated; {kind}, {order}."]
    of_gwet = dict.fromkeys(one.statistic for one in found if one.scope == ALL and one.statistic in _AS_IN_GWET)
    if of_gwet:
        names = _some([*of_gwet])
        told.append(f"Over all annotators, items with unequal numbers of ratings count as in Gwet 2014 ({names}).")
    told += [_light(one) for one in found if one.pair_low is not None]
    if any(one.statistic == "krippendorff_alpha" and one.tag is None for one in found):
        metric = options.metric or ("masi" if ratings.multi else "nominal")
        told.append(f"Alpha takes {_METRICS[metric]}.")
    if options.weights is not None:
        scale = "ranks in the declared order" if options.scores is None else "the scores"
        told.append(f"Weights are {options.weights} in {scale}.")
    told += clusters_told(found)
    told.append(_intervals(found, any(one.interval == T for one in shown)))
    told += undefined_told([one.replicates_undefined for one in found])
    if any(shown_interval(one) != _computed_interval(one) for one in shown):
        told.append("An end beyond what the coefficient can be is shown as the bound; --json has it as computed.")
    filtered = [f"Only items that this filter leaves: {visible_line(where)}"] if where else []
    return [*filtered, " ".join(told)]


def clusters_told(found: Sequence[Coefficient]) -> list[str]:
    """Say over how many clusters items lie, wherever they are known, whatever columns there is room for."""
    known = {one.n_clusters for one in found if one.n_clusters is not None and one.n_items}
    if not known:
        return []
    least, most = min(known), max(known)
    number = f"{most:,}" if least == most else f"{least:,} to {most:,}"
    return [f"The items come from {number} {'cluster' if most == 1 else 'clusters'}."]


def undefined_told(counts: Sequence[int | None]) -> list[str]:
    """Say in how many of the replicates something was undefined."""
    most = max((count for count in counts if count is not None), default=0)
    return [f"In up to {most:,} of them a coefficient is undefined; these are left out."] if most else []


def _light(one: Coefficient) -> str:
    of = categories_of(one)
    spread = "" if one.pair_sd is None else f", standard deviation {one.pair_sd:.3f}"
    low, high = (f"{end:z.3f}" for end in (one.pair_low, one.pair_high) if end is not None)
    return f"Light's kappa{f' of {of}' if of else ''} is the mean of the pairs' kappas, {low} to {high}{spread}."


def _intervals(found: Sequence[Coefficient], by_t: bool) -> str:
    methods = dict.fromkeys(one.ci_method for one in found if one.ci_method)
    if not methods:
        return "No interval could be given."
    level = next(one.confidence for one in found if one.confidence is not None)
    drawn = next((one for one in found if one.replicates is not None and one.ci_method), None)
    how = "; ".join(methods)
    if by_t and not methods.keys() & {"cluster bootstrap, t(G - 1)", "item bootstrap, t(G - 1)"}:
        how += " (of few clusters a t interval from its standard error is shown)"
    if drawn is not None:
        how += f", {drawn.replicates:,} replicates, {GENERATOR}, seed {drawn.seed}"
    return f"Intervals ({100 * level:g} %): {how}."
