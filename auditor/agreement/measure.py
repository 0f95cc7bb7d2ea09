"""Measures agreement: ratings and options in, coefficients with intervals and reasons out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

from auditor.agreement.coefficient import ALL, NONE, PAIR, Coefficient, Options
from auditor.agreement.groups import (
    GROUP_STATISTICS,
    GWET,
    GroupTable,
    group_parts,
    group_standard_error,
    group_table,
)
from auditor.agreement.intervals import (
    Interval,
    Resamples,
    bootstrap_interval,
    normal_interval,
    rare_tag_warning,
)
from auditor.agreement.pairs import (
    INDICES,
    PAIR_STATISTICS,
    PairTable,
    index_values,
    pair_table,
    parts,
    standard_error,
    tag_share,
)
from auditor.agreement.patterns import Patterns, count_patterns
from auditor.agreement.plan import Part, annotator_codes, checked, plan
from auditor.agreement.ratings import Floats, Ratings
from auditor.agreement.resampling import too_large
from auditor.errors import InputError


def measure_agreement(ratings: Ratings, options: Options | None = None) -> list[Coefficient]:
    """Measure the asked coefficients (by default the usual ones), overall before tag by tag, groups before pairs.

    Only items that both annotators of a pair rated count for it. What is undefined is a coefficient without a value
    and with a reason. Raises InputError when the options do not fit the ratings.
    """
    options = checked(options or Options(), ratings)
    chosen = annotator_codes(ratings, options.annotators)
    columns = {code: ratings.of_annotator(code) for code in chosen}
    found: list[Coefficient] = []
    todo = plan(ratings, options, len(chosen))
    everybody = None
    if any(part.group for part in todo):
        everybody = count_patterns(ratings, list(columns.values()), 1)
    pairs = {}
    if any(part.pair for part in todo):
        for pair in combinations(chosen, 2):
            # In the order of names, so that the order of rows cannot move a seeded bootstrap.
            ordered = sorted(pair, key=lambda code: ratings.annotators[code])
            pairs[pair] = count_patterns(ratings, [columns[code] for code in ordered], 2)
    for part in todo:
        if part.group and everybody is not None:
            names = tuple(ratings.annotators[code] for code in chosen)
            found += _group_coefficients(part, everybody, names, options)
        for pair, patterns in pairs.items():
            names = tuple(ratings.annotators[code] for code in pair)
            found += _pair_coefficients(part, patterns, names, options)
        if part.pair and not pairs:
            found += _without_a_pair(part, ratings, chosen)
    return found


def _without_a_pair(part: Part, ratings: Ratings, chosen: list[int]) -> list[Coefficient]:
    names = tuple(ratings.annotators[code] for code in chosen)
    reason = f"Agreement needs two annotators, and there is only '{names[0]}'." if names else "There are no ratings."
    clusters = None if ratings.cluster is None else 0
    return [Coefficient(name, PAIR, names, part.tag, 0, clusters, None, reason=reason) for name in part.pair]


@dataclass(frozen=True, slots=True)
class _Group:
    """What the coefficients of one table have in common."""

    scope: str
    names: tuple[str, ...]
    tag: str | None
    n_items: int
    n_clusters: int | None
    prevalence: float | None
    confidence: float
    resamples: Resamples

    def coefficient(
        self,
        statistic: str,
        value: float | None,
        interval: Interval,
        observed: float | None = None,
        expected: float | None = None,
        reason: str | None = None,
    ) -> Coefficient:
        warnings = list(interval.warnings)
        if interval.low is not None and self.tag is not None and self.prevalence is not None:
            rare = rare_tag_warning(self.tag, self.prevalence, self.n_items)
            warnings += [rare] if rare else []
        return Coefficient(
            statistic,
            self.scope,
            self.names,
            self.tag,
            self.n_items,
            self.n_clusters,
            value,
            interval.se,
            interval.low,
            interval.high,
            interval.method,
            None if interval.low is None else self.confidence,
            interval.replicates,
            interval.undefined,
            interval.seed,
            observed,
            expected,
            self.prevalence,
            reason or interval.reason,
            tuple(warnings),
        )


def _interval(
    resamples: Resamples, by_replicate: Callable[[Floats], Floats], asymptotic: Callable[[], Interval]
) -> Interval:
    if resamples.options.bootstrap == NONE:
        return asymptotic()
    obstacle = resamples.obstacle
    if obstacle:
        return Interval(reason=obstacle)
    return bootstrap_interval(resamples, by_replicate(resamples.sums))


# --- two annotators -------------------------------------------------------------------------------------------------


def _pair_coefficients(part: Part, patterns: Patterns, names: tuple[str, ...], options: Options) -> list[Coefficient]:
    if not part.pair:
        return []
    _refuse_too_large(len(patterns.count), 2 * part.view.q)
    table = pair_table(patterns, part.view)
    prevalence = tag_share(table) if part.view.tag is not None else None
    resamples = Resamples(table.features, patterns.count, patterns.cluster, patterns.n_clusters, options)
    group = _Group(
        PAIR,
        names,
        part.tag,
        patterns.n_items,
        patterns.n_clusters,
        prevalence,
        options.confidence,
        resamples,
    )
    return [_pair_coefficient(name, table, part, group) for name in part.pair]


def _pair_coefficient(name: str, table: PairTable, part: Part, group: _Group) -> Coefficient:
    if name in INDICES:
        return _index(name, table, group)
    statistic = PAIR_STATISTICS[name]
    found = parts(statistic, table.totals, table)
    observed = 1 - float(found.observed[0]) if group.n_items else None
    expected = 1 - float(found.expected[0]) if group.n_items and statistic.corrected else None
    value = float(found.value[0])
    if value != value:
        reason = _why_undefined(name, table, part, group)
        return group.coefficient(name, None, Interval(), observed, expected, reason)
    constant = _constant_annotator(table, group.names) if name == "cohen_kappa" else None
    if constant is not None:
        interval = Interval(se=0.0, reason=f"There is no interval: {constant}", warnings=(constant,))
    else:
        interval = _interval(
            group.resamples,
            lambda sums: parts(statistic, sums, table).value,
            lambda: normal_interval(value, standard_error(statistic, table), statistic.method, group.confidence),
        )
    return group.coefficient(name, value, interval, observed, expected)


def _index(name: str, table: PairTable, group: _Group) -> Coefficient:
    if group.n_items == 0:
        return group.coefficient(name, None, Interval(), reason=_no_items(group))
    value = float(index_values(name, table.totals, table)[0])
    interval = _interval(group.resamples, lambda sums: index_values(name, sums, table), Interval)
    return group.coefficient(name, value, interval, observed=1 - float(table.apart @ table.count) / group.n_items)


def _constant_annotator(table: PairTable, names: tuple[str, ...]) -> str | None:
    """Say which one annotator never varies, so that kappa is 0 whatever the other does."""
    first, second = sorted(names)
    row_constant, column_constant = table.row.min() == table.row.max(), table.column.min() == table.column.max()
    if row_constant == column_constant:
        return None
    return f"annotator '{first if row_constant else second}' used one category only, so kappa is 0 by construction."


def _no_items(group: _Group) -> str:
    first, second = group.names
    return f"0 items were rated by both '{first}' and '{second}'."


def _why_undefined(name: str, table: PairTable, part: Part, group: _Group) -> str:
    if group.n_items == 0:
        return _no_items(group)
    tag = part.view.tag
    if tag is not None and name in ("positive_agreement", "negative_agreement"):
        if name == "positive_agreement":
            return f"Neither annotator used the tag '{tag}' on the {group.n_items} items that both rated."
        return f"Both annotators used the tag '{tag}' on every one of the {group.n_items} items that both rated."
    if name in ("gwet_ac1", "brennan_prediger"):
        return "Only one category exists, so agreement by chance is certain and the coefficient is 0/0."
    if len(table.used) > 1:
        return "The categories used all have the same score, so the coefficient is 0/0."
    if tag is None:
        used = part.view.names[int(table.used[0])]
        return f"Both annotators used only the category '{used}': agreement by chance is certain and this is 0/0."
    which = "used" if table.used[0] == 0 else "left out"
    return (
        f"Both annotators {which} the tag '{tag}' on every one of the {group.n_items} items: "
        "agreement by chance is certain and this is 0/0."
    )


# --- any number of annotators ---------------------------------------------------------------------------------------


def _group_coefficients(part: Part, patterns: Patterns, names: tuple[str, ...], options: Options) -> list[Coefficient]:
    _refuse_too_large(len(patterns.count), part.view.q)
    table = group_table(patterns, part.view)
    totals = table.totals
    prevalence = None
    if part.view.tag is not None and totals[0, 0]:
        present = table.used == 0
        prevalence = float(totals[0, 3:][present].sum() / totals[0, 0])
    resamples = Resamples(table.features, patterns.count, patterns.cluster, patterns.n_clusters, options)
    group = _Group(
        ALL,
        names,
        part.tag,
        int(totals[0, 1]),
        patterns.n_clusters,
        prevalence,
        options.confidence,
        resamples,
    )
    return [_group_coefficient(name, table, part, group) for name in part.group]


def _group_coefficient(name: str, table: GroupTable, part: Part, group: _Group) -> Coefficient:
    statistic = GROUP_STATISTICS[name]
    found = group_parts(statistic, table.totals, table)
    observed = 1 - float(found.observed[0]) if group.n_items else None
    expected = 1 - float(found.expected[0]) if group.n_items and statistic.corrected else None
    value = float(found.value[0])
    if value != value:
        reason = _why_group_undefined(name, table, part, group)
        return group.coefficient(name, None, Interval(), observed, expected, reason)

    def asymptotic() -> Interval:
        se = group_standard_error(statistic, table)
        if se is None:
            return Interval(reason="There is no interval: a single item has no sampling variance.")
        return normal_interval(value, se, GWET, group.confidence)

    interval = _interval(group.resamples, lambda sums: group_parts(statistic, sums, table).value, asymptotic)
    return group.coefficient(name, value, interval, observed, expected)


def _why_group_undefined(name: str, table: GroupTable, part: Part, group: _Group) -> str:
    if group.n_items == 0:
        return "0 items were rated by at least two annotators."
    if name != "fleiss_kappa":
        return "Only one category exists, so agreement by chance is certain and the coefficient is 0/0."
    used = part.view.names[int(table.used[0])]
    return f"Every rating is '{used}': agreement by chance is certain and this is 0/0."


def _refuse_too_large(patterns: int, width: int) -> None:
    if too_large(patterns, width):
        raise InputError(
            f"{patterns} different label combinations of {width} categories are too many to count.",
            hint="Is the label column the right one?",
        )
