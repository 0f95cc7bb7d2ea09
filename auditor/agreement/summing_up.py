"""What stands above agreement's tables: one sentence on what was measured, with the figures to quote."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from auditor.agreement.coefficient import ALL, PAIR, Coefficient, Options
from auditor.agreement.notes import categories_of, general, shown_interval
from auditor.text import counted, visible_line

_MAX_NAME = 40
_PAIRS_SUMMED_UP = 3


def summary(found: Sequence[Coefficient], options: Options, *, sets: bool) -> list[str]:
    """Say what was measured on how many items by whom, and the figures to quote; last what stands below.

    Of up to three pairs each has a sentence; of more all have one together. What is undefined says why. `sets` says
    that an item carries a set of labels, which is the same or not.
    """
    about = _summed_up_about(found)
    if about is None:
        return _several_tags(found, options)
    chosen = [one for one in found if (one.tag, one.group) == about]
    told = f"{categories_of(chosen[0])}: " if any(about) else ""
    pairs: dict[tuple[str, ...], dict[str, Coefficient]] = {}
    for one in chosen:
        if one.scope == PAIR:
            pairs.setdefault(one.annotators, {})[one.statistic] = one
    groups = {one.statistic: one for one in chosen if one.scope == ALL}
    if not pairs or len(pairs) > _PAIRS_SUMMED_UP:
        lines = [_over_all(groups, pairs, options)]
    else:
        same = sets and not any(about)
        lines = [_summed_up(row, options, same=same) for row in pairs.values()]
    lines = [f"{told}{line}" for line in lines if line]
    tags = len({(one.tag, one.group) for one in found} - {about})
    below = "the same for each tag, then what" if tags else "what"
    return [*lines, f"Below: {below} limits these numbers, and how they were computed."] if lines else []


def _summed_up_about(found: Sequence[Coefficient]) -> tuple[str | None, str | None] | None:
    """Return the tag and the group to sum up: none of them where all categories were measured; None = no single one."""
    all_of_them = dict.fromkeys((one.tag, one.group) for one in found)
    if (None, None) in all_of_them:
        return None, None
    return next(iter(all_of_them)) if len(all_of_them) == 1 else None


def _several_tags(found: Sequence[Coefficient], options: Options) -> list[str]:
    """Say between what a pair's kappas of the tags lie that were asked for; nothing of several pairs."""
    kappas = [one for one in found if one.statistic == "cohen_kappa" and one.value is not None]
    if len({one.annotators for one in kappas}) != 1:
        return []
    low, high = (choose(kappas, key=lambda one: one.value or 0.0) for choose in (min, max))
    ends = [f"{one.value:z.3f} ({categories_of(one)})" for one in (low, high)]
    people = " and ".join(visible_line(name, _MAX_NAME) for name in low.annotators)
    weighted = f" with {options.weights} weights" if options.weights else ""
    return [f"{people}: kappa{weighted} of {counted(len(kappas), 'tag')} from {ends[0]} to {ends[1]}."]


def _over_all(
    groups: Mapping[str, Coefficient], pairs: Mapping[tuple[str, ...], Mapping[str, Coefficient]], options: Options
) -> str:
    """Sum many annotators up: a coefficient over all of them, and between what the kappas of the pairs lie."""
    named = [name for name in (*options.statistics, "krippendorff_alpha") if name in groups] or list(groups)
    if not named:
        return ""
    one = groups[named[0]]
    said = f"{counted(len(one.annotators), 'annotator')}, {counted(one.n_items, 'item')} that at least two rated"
    kappas = [kappa.value for row in pairs.values() if (kappa := row.get("cohen_kappa")) and kappa.value is not None]
    ends = (
        f" Kappa of {counted(len(kappas), 'pair')}: {min(kappas):z.3f} to {max(kappas):z.3f}."
        if len(kappas) > 1
        else ""
    )
    return f"{said}: {_figure(one, options)}{ends}"


def _summed_up(row: Mapping[str, Coefficient], options: Options, *, same: bool) -> str:
    """Sum a pair up: on how many items it agrees, and kappa or else what was asked for; empty without common items."""
    percent = row.get("percent")
    named = [name for name in (*options.statistics, "cohen_kappa") if name in row and name != "percent"] or list(row)
    one = row[named[0]]
    if not one.n_items:
        return ""
    people = " and ".join(visible_line(name, _MAX_NAME) for name in one.annotators)
    alike = _alike(percent) if not options.weights else None
    if alike is None:
        return f"{people}, {counted(one.n_items, 'item')} that both rated: {_figure(one, options)}"
    do = "have the same tags on" if same else "agree on"
    said = f"{people} {do} {alike:,} of {counted(one.n_items, 'item')}"
    return f"{said}. {_upper(_figure(one, options))}" if one.value is None else f"{said}; {_figure(one, options)}"


def _alike(percent: Coefficient | None) -> int | None:
    """Return on how many items a pair agrees; None where that is not known or a weighted share, which counts none."""
    if percent is None or percent.value is None:
        return None
    alike = round(percent.value * percent.n_items)
    return alike if abs(alike - percent.value * percent.n_items) <= 1e-6 * percent.n_items else None


_SPOKEN = {"cohen_kappa": "kappa", "krippendorff_alpha": "Krippendorff's alpha", "percent": "percent agreement"}


def _figure(one: Coefficient, options: Options) -> str:
    """Say a coefficient with its interval, or why there is none."""
    name = _SPOKEN.get(one.statistic, one.statistic)
    if one.statistic == "cohen_kappa" and options.weights:
        name = f"kappa with {options.weights} weights"
    if one.value is None:
        return f"{name} is undefined: {general(one.reason or 'no reason is known.', None, False)}"
    low, high = shown_interval(one)
    if low is None or high is None or one.confidence is None:
        return f"{name} {one.value:z.3f}, without an interval."
    over = f" over {counted(one.n_clusters, 'cluster')}" if one.n_clusters is not None else ""
    return f"{name} {one.value:z.3f}, {100 * one.confidence:g} % interval {low:z.3f} to {high:z.3f}{over}."


def _upper(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
