"""Agreement as tables for people: pairs with the usual coefficients side by side, or a row a coefficient."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from auditor.agreement.coefficient import ALL, GENERATOR, PAIR, Coefficient, Options
from auditor.cli.output import print_text
from auditor.text import visible_line

if TYPE_CHECKING:
    from auditor.agreement.ratings import Ratings

_MAX_NAME = 40
_SIDE_BY_SIDE = {
    "percent": "agree",
    "cohen_kappa": "kappa",
    "gwet_ac1": "AC1",
    "positive_agreement": "positive",
    "negative_agreement": "negative",
    "prevalence_index": "prev. index",
    "bias_index": "bias index",
}
"""The coefficients of the compact table and their headings."""
_UNDEFINED = "-"
_METRICS = {
    "nominal": "nominal distances",
    "ordinal": "ordinal distances from the marginals of the data",
    "interval": "squared interval distances of the scores",
    "ratio": "squared ratio distances of the scores",
    "masi": "the MASI distance, unsquared",
    "jaccard": "the Jaccard distance, unsquared",
}


def print_agreement(found: Sequence[Coefficient], ratings: Ratings, options: Options) -> None:
    """Print coefficients on stdout, then what is undefined or doubtful, then how the numbers were computed.

    The usual coefficients of a pair and tag stand beside its kappa, the only one of them shown with an interval;
    coefficients asked for by name have a row each.
    """
    if not options.statistics:
        pairs = [one for one in found if one.scope == PAIR]
        groups = [one for one in found if one.scope != PAIR]
        _print_first_that_fits(_compact_table(pairs), _long_table(pairs), _short_table(pairs))
        if groups:
            _print_first_that_fits(_long_table(groups), _short_table(groups))
        told = [one for one in found if one.value is None or one.scope != PAIR or one.statistic == "cohen_kappa"]
    else:
        _print_first_that_fits(_long_table(found), _short_table(found))
        told = list(found)
    for note in _notes(told):
        print_text(note)
    print_text(_how(found, ratings, options))


def _print_first_that_fits(*tables: Table) -> None:
    """Print the first table that fits the terminal, else the last at the width it needs: no number is ever cut."""
    console = Console(file=sys.stdout, markup=False, highlight=False, emoji=False)
    room = console.width if console.is_terminal else sys.maxsize
    unlimited = console.options.update(max_width=100_000)
    for table in tables:
        needs = Measurement.get(console, unlimited, table).maximum
        if needs <= room:
            break
    console.width = needs
    console.print(table)
    if table is not tables[0]:
        print_text("Numbers that found no room here are in a wider terminal and in --json.")


def _compact_table(found: Sequence[Coefficient]) -> Table:
    groups: dict[tuple[tuple[str, ...], str | None], dict[str, Coefficient]] = {}
    for one in found:
        groups.setdefault((one.annotators, one.tag), {})[one.statistic] = one
    shown = [name for name in _SIDE_BY_SIDE if any(name in group for group in groups.values())]
    clustered = any(one.n_clusters is not None for one in found)
    tagged = any(one.tag is not None for one in found)
    names = ["between", *(["tag"] if tagged else [])]
    numbers = ["items", *(["clusters"] if clustered else []), *(["prevalence"] if tagged else []), "chance"]
    table = _table(names, [*numbers, *(_SIDE_BY_SIDE[name] for name in shown)])
    for group in groups.values():
        one = next(iter(group.values()))
        kappa = group.get("cohen_kappa")
        cells = [_between(one), *([_tag(one)] if tagged else []), str(one.n_items)]
        cells += [_whole(one.n_clusters)] if clustered else []
        cells += [_number(one.prevalence, "")] if tagged else []
        cells.append("" if kappa is None else _number(kappa.expected))
        cells += [_cell(group.get(name)) for name in shown]
        table.add_row(*map(Text, cells))
    return table


def _long_table(found: Sequence[Coefficient]) -> Table:
    """One row for each coefficient."""
    clustered = any(one.n_clusters is not None for one in found)
    tagged = any(one.tag is not None for one in found)
    names = ["statistic", "between", *(["tag"] if tagged else [])]
    numbers = ["items", *(["clusters"] if clustered else []), "value", "interval", "SE", "observed", "chance"]
    table = _table(names, [*numbers, *(["prevalence"] if tagged else [])])
    for one in found:
        cells = [one.statistic, _between(one), *([_tag(one)] if tagged else []), str(one.n_items)]
        cells += [_whole(one.n_clusters)] if clustered else []
        cells += [_number(one.value), _interval(one), *(_number(n, "") for n in (one.se, one.observed, one.expected))]
        cells += [_number(one.prevalence, "")] if tagged else []
        table.add_row(*map(Text, cells))
    return table


def _short_table(found: Sequence[Coefficient]) -> Table:
    """One row for each coefficient, only its value and interval."""
    tagged = any(one.tag is not None for one in found)
    table = _table(["statistic", "between", *(["tag"] if tagged else [])], ["items", "value", "interval"])
    for one in found:
        names = [one.statistic, _between(one), *([_tag(one)] if tagged else [])]
        table.add_row(*map(Text, [*names, str(one.n_items), _number(one.value), _interval(one)]))
    return table


def _table(names: Iterable[str], numbers: Iterable[str]) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for name in names:
        table.add_column(name, overflow="fold", min_width=len(name))
    for name in numbers:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def _between(one: Coefficient) -> str:
    if one.scope == ALL:
        return f"all {len(one.annotators)}"
    return ", ".join(visible_line(name, _MAX_NAME) for name in one.annotators)


def _tag(one: Coefficient) -> str:
    return "" if one.tag is None else visible_line(one.tag, _MAX_NAME)


def _whole(number: int | None) -> str:
    return "" if number is None else str(number)


def _number(number: float | None, absent: str = _UNDEFINED) -> str:
    return absent if number is None else f"{number:.3f}"


def _interval(one: Coefficient) -> str:
    return "" if one.ci_low is None else f"[{_number(one.ci_low)}, {_number(one.ci_high)}]"


def _cell(one: Coefficient | None) -> str:
    if one is None:
        return ""
    return f"{_number(one.value)} {_interval(one)}".rstrip() if one.statistic == "cohen_kappa" else _number(one.value)


def _notes(found: Sequence[Coefficient]) -> list[str]:
    """Return reasons and warnings, each sentence once, with the coefficients that it concerns."""
    concerned: dict[str, list[str]] = {}
    for one in found:
        for sentence in dict.fromkeys([*([one.reason] if one.reason else []), *one.warnings]):
            who = " ".join(part for part in (one.statistic, _between(one), _tag(one)) if part)
            concerned.setdefault(visible_line(sentence), []).append(who)
    return [f"{_some(who)}: {sentence}" for sentence, who in concerned.items()]


def _some(names: list[str]) -> str:
    return "; ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _how(found: Sequence[Coefficient], ratings: Ratings, options: Options) -> str:
    """Say how the numbers were computed."""
    kind = "tags, each against the rest and as whole sets" if ratings.multi else "categories"
    order = "as declared" if ratings.declared else "in order of appearance"
    told = [f"Pairs are compared on the items that both rated; {len(ratings.categories)} {kind}, {order}."]
    if any(one.scope == ALL for one in found):
        told.append("Over all annotators, items with unequal numbers of ratings count as in Gwet 2014.")
    if any(one.statistic == "krippendorff_alpha" and one.tag is None for one in found):
        metric = options.metric or ("masi" if ratings.multi else "nominal")
        told.append(f"Alpha takes {_METRICS[metric]}.")
    if options.weights is not None:
        scale = "ranks in the declared order" if options.scores is None else "the scores"
        told.append(f"Weights are {options.weights} in {scale}.")
    methods = dict.fromkeys(one.ci_method for one in found if one.ci_method)
    if methods:
        level = next(one.confidence for one in found if one.confidence is not None)
        drawn = next((one for one in found if one.replicates is not None and one.ci_method), None)
        how = "; ".join(methods)
        if drawn is not None:
            how += f", {drawn.replicates:,} replicates, {GENERATOR}, seed {drawn.seed}"
        told.append(f"Intervals ({100 * level:g} %): {how}.")
    else:
        told.append("No interval could be given.")
    return " ".join(told)
