"""How far agreement differs between two sides, as `auditor agreement --minus-…` measures and shows it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from auditor.agreement.coefficient import ALL, GENERATOR, Coefficient, Options, T
from auditor.agreement.notes import categories_of, clusters_told, general, undefined_told
from auditor.cli.agreement_table import Column, laid_out
from auditor.cli.output import print_text, terminal_width
from auditor.cli.table import Number
from auditor.errors import InputError
from auditor.text import visible_line

if TYPE_CHECKING:
    from auditor.agreement.difference import Difference
    from auditor.agreement.ratings import Bools, Ratings

_MAX_NAME = 40
_IN_JSON = ("percent", "gwet_ac1")
"""Coefficients that are measured unasked but left out of the table."""


class Minus(NamedTuple):
    """In what the second side is another than the first; what is empty is the same."""

    where: str = ""
    tags: tuple[str, ...] = ()
    annotators: tuple[str, ...] = ()


def check_sides(minus: Minus, options: Options, where: str) -> None:
    """Raise InputError where the first side does not name what the second has other."""
    if minus.where and not where:
        raise InputError("--minus-where needs --where: the items of the first side.")
    if minus.tags and not options.tags:
        raise InputError("--minus-tag needs --tag: the tag of the first side.")
    if minus.annotators and options.annotators is None:
        raise InputError("--minus-annotators needs --annotators: those of the first side.")


def differences_as_json(found: Sequence[Difference], minus: Minus) -> dict[str, Any]:
    """Return both sides and their differences as a JSON object, with what the second side has other."""
    return {
        "coefficients": [one.first.as_json() for one in found],
        "minus": {name: value for name, value in minus._asdict().items() if value},
        "minus_coefficients": [one.second.as_json() for one in found],
        "differences": [one.as_json() for one in found],
    }


def measured(ratings: Ratings, options: Options, minus: Minus, items: tuple[Bools, Bools] | None) -> list[Difference]:
    """Measure the first side minus the second; `items` are those that each side's filter leaves, None = all."""
    from auditor.agreement.difference import Side, measure_difference

    first, second = items or (None, None)
    here = Side(options.annotators, options.tags, first)
    there = Side(minus.annotators or options.annotators, minus.tags or options.tags, second)
    return measure_difference(ratings, here, there, options)


def difference_lines(
    found: Sequence[Difference], options: Options, minus: Minus, where: str, width: int | None
) -> list[str]:
    """Lay differences out as a table with what is undefined or doubtful below it."""
    told = [one for one in found if options.statistics or one.first.statistic not in _IN_JSON]
    others = dict.fromkeys(one.first.statistic for one in found if one not in told)
    more = [f"{', '.join(others)}: in --json, or when named with --statistic."] if others else []
    table = laid_out(_columns(told, minus), width)
    return [*_sides(options, minus, where), "", *table, "", *_notes(told), *more, _how(found)]


def _columns(found: Sequence[Difference], minus: Minus) -> list[Column]:
    columns = [
        Column("statistic", [one.first.statistic for one in found]),
        Column("between", [_either(_who(one.first), _who(one.second)) for one in found]),
    ]
    if len(minus.tags) != 1:  # else both are named above
        columns.append(
            Column(
                "tag",
                [_either(categories_of(one.first) or "(all)", categories_of(one.second) or "(all)") for one in found],
            )
        )
    columns.append(Column("items", [_either(f"{one.first.n_items:,}", f"{one.second.n_items:,}") for one in found]))
    if any(one.n_clusters is not None for one in found):
        columns.append(Column("clusters", [Number(f"{one.n_clusters or 0:,}") for one in found]))
    columns += [
        Column("first", [_number(one.first.value) for one in found]),
        Column("second", [_number(one.second.value) for one in found]),
        Column("difference", [_difference(one) for one in found]),
    ]
    return columns


def _difference(one: Difference) -> Number:
    if one.shown_low is None or one.shown_high is None:
        return _number(one.value)
    return Number(f"{_number(one.value)} [{_number(one.shown_low)}, {_number(one.shown_high)}]")


def print_differences(found: Sequence[Difference], options: Options, minus: Minus, where: str) -> None:
    """Print differences on stdout, then what is undefined or doubtful, then how the numbers were computed."""
    print_text("\n".join(difference_lines(found, options, minus, where, terminal_width())))


def _either(first: str, second: str) -> str:
    return first if first == second else f"{first} / {second}"


def _who(one: Coefficient) -> str:
    if one.scope == ALL and len(one.annotators) > 2:
        return f"all {len(one.annotators)}"
    return ", ".join(visible_line(name, _MAX_NAME) for name in one.annotators)


def _number(number: float | None) -> Number:
    return Number("-" if number is None else f"{number:z.3f}")


def _sides(options: Options, minus: Minus, where: str) -> list[str]:
    """Name both sides by what they differ in."""
    sides = []
    people = options.annotators or ()
    for name, filtered, tags, names in (
        ("First", where, options.tags, people),
        ("Second", minus.where or where, minus.tags or options.tags, minus.annotators or people),
    ):
        parts = [f"items of {visible_line(filtered)}"] if minus.where else []
        parts += [f"tag {_listed(tags)}"] if minus.tags else []
        parts += [f"annotators {_listed(names)}"] if minus.annotators else []
        sides.append(f"{name}: {'; '.join(parts)}.")
    both = [f"Both: only items that this filter leaves: {visible_line(where)}"] if where and not minus.where else []
    return [*sides, *both]


def _listed(names: Sequence[str]) -> str:
    return ", ".join(visible_line(name, _MAX_NAME) for name in names)


def _notes(found: Sequence[Difference]) -> list[str]:
    """Return each reason and warning once, with what it concerns."""
    concerned: dict[str, dict[str, list[str]]] = {}
    for one in found:
        for sentence in [*([one.reason] if one.reason else []), *one.warnings]:
            by_t = one.interval == T and not (one.ci_method or "").endswith("t(G - 1)")
            for tag in (one.first.tag, one.second.tag):
                sentence = general(sentence, tag, by_t)
            about = concerned.setdefault(sentence, {}).setdefault(one.first.statistic, [])
            about += [name for name in [categories_of(one.first)] if name is not None and name not in about]
    return [
        f"{sentence} ({'; '.join(name + (': ' + ', '.join(tags) if tags else '') for name, tags in about.items())})"
        for sentence, about in concerned.items()
    ]


def _how(found: Sequence[Difference]) -> str:
    drawn = next((one for one in found if one.ci_method is not None), None)
    if drawn is None or drawn.confidence is None or drawn.replicates is None:
        return "No interval could be given."
    by_t = " Where there are few clusters a t interval is shown." if any(one.interval == T for one in found) else ""
    methods = "; ".join(dict.fromkeys(one.ci_method for one in found if one.ci_method))
    more = [
        *undefined_told([one.replicates_undefined for one in found]),
        *clusters_told([side for one in found for side in (one.first, one.second)]),
    ]
    return (
        f"First minus second; both sides are measured on the same draws.{by_t} Intervals"
        f" ({100 * drawn.confidence:g} %): {methods}, {drawn.replicates:,} replicates, {GENERATOR}, seed {drawn.seed}."
        + "".join(f" {sentence}" for sentence in more)
    )
