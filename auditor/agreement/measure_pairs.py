"""Measures the coefficients of two annotators on one view of their labels."""

from __future__ import annotations

from collections.abc import Callable

from auditor.agreement.coefficient import PAIR, Coefficient, Options
from auditor.agreement.frame import Frame, interval_of
from auditor.agreement.intervals import SINGLE_ITEM, Interval, Resamples, logit_interval, normal_interval, wilson
from auditor.agreement.pairs import (
    BINARY_STATISTICS,
    INDICES,
    PAIR_STATISTICS,
    PairTable,
    index_values,
    mentions,
    pair_table,
    parts,
    standard_error,
    tag_share,
)
from auditor.agreement.patterns import Patterns
from auditor.agreement.plan import Part
from auditor.agreement.ratings import Bools, Floats
from auditor.agreement.resampling import Resampler
from auditor.agreement.views import View


def pair_coefficients(
    part: Part, patterns: Patterns, resampler: Resampler | None, names: tuple[str, ...], options: Options
) -> list[Coefficient]:
    """Measure the pair coefficients of a part; `patterns` holds co-rated items, columns in the order of names."""
    return prepared_pair(part, patterns, resampler, names, options)()


def prepared_pair(
    part: Part, patterns: Patterns, resampler: Resampler | None, names: tuple[str, ...], options: Options
) -> Callable[[], list[Coefficient]]:
    """Return what measures the coefficients: what is prepared before the first is measured is resampled together."""
    if not part.pair:
        return list
    table = pair_table(patterns, part.view)
    prevalence = tag_share(table) if part.view.tag is not None else None
    resamples = Resamples(options, resampler, lambda: table.features)
    frame = Frame(
        PAIR,
        names,
        part.tag,
        part.view.group,
        patterns.n_items,
        patterns.n_clusters,
        prevalence,
        _rare_tag(part, patterns, table),
        options.confidence,
        resamples,
    )
    return lambda: [_pair_coefficient(name, table, part, frame) for name in part.pair]


def pair_values(name: str, patterns: Patterns, view: View, sums: Callable[[Floats], Floats]) -> tuple[Floats, Bools]:
    """Return a coefficient by resample, and the patterns that it is measured on; `sums` sums features by resample."""
    table = pair_table(patterns, view)
    summed = sums(table.features)
    values = index_values(name, summed, table) if name in INDICES else parts(PAIR_STATISTICS[name], summed, table).value
    return values, mentions(name, table) > 0


def _rare_tag(part: Part, patterns: Patterns, table: PairTable) -> str | None:
    if part.view.tag is None:
        return None
    having, lacking = (mentions(name, table) > 0 for name in ("positive_agreement", "negative_agreement"))
    return patterns.rare_tag(part.view.tag, having, lacking)


def _pair_coefficient(name: str, table: PairTable, part: Part, frame: Frame) -> Coefficient:
    if name in INDICES:
        return _index(name, table, frame)
    statistic = PAIR_STATISTICS[name]
    found = parts(statistic, table.totals, table)
    observed = 1 - float(found.observed[0]) if frame.n_items else None
    expected = 1 - float(found.expected[0]) if frame.n_items and statistic.corrected else None
    value = float(found.value[0])
    if value != value:
        reason = _why_undefined(name, table, part, frame)
        return frame.coefficient(name, None, Interval(), observed, expected, reason)
    constant = _constant_annotator(table, frame.names) if name == "cohen_kappa" else None
    if constant is not None:
        interval = Interval(se=0.0, reason=f"There is no interval: {constant}", warnings=(constant,))
    else:
        interval = interval_of(
            frame.resamples,
            value,
            lambda sums: parts(statistic, sums, table).value,
            lambda: _asymptotic(name, value, table, frame),
            mentions(name, table) > 0,
        )
    return frame.coefficient(name, value, interval, observed, expected)


def _asymptotic(name: str, value: float, table: PairTable, frame: Frame) -> Interval:
    """Return the interval of independent items; that of a share stays within 0 and 1."""
    statistic = PAIR_STATISTICS[name]
    se = standard_error(statistic, table)
    if frame.n_items < 2 and name != "cohen_kappa":  # of kappa the published formula is kept, and warned of
        return Interval(se, reason=SINGLE_ITEM)
    if name == "percent":
        return wilson(frame.n_items - float(table.totals[0, 0]), frame.n_items, se, frame.confidence)
    kind = logit_interval if name in BINARY_STATISTICS else normal_interval
    return kind(value, se, statistic.method, frame.confidence)


def _index(name: str, table: PairTable, frame: Frame) -> Coefficient:
    if frame.n_items == 0:
        return frame.coefficient(name, None, Interval(), reason=_no_items(frame))
    value = float(index_values(name, table.totals, table)[0])
    interval = interval_of(
        frame.resamples, value, lambda sums: index_values(name, sums, table), Interval, mentions(name, table) > 0
    )
    return frame.coefficient(name, value, interval, observed=1 - float(table.totals[0, 0]) / frame.n_items)


def _constant_annotator(table: PairTable, names: tuple[str, ...]) -> str | None:
    """Say which one annotator never varies, so that kappa is 0 whatever the other does."""
    first, second = sorted(names)
    row_constant, column_constant = table.row.min() == table.row.max(), table.column.min() == table.column.max()
    if row_constant == column_constant:
        return None
    return f"annotator '{first if row_constant else second}' used one category only, so kappa is 0 by construction."


def _no_items(frame: Frame) -> str:
    first, second = frame.names
    return f"0 items were rated by both '{first}' and '{second}'."


def _items(frame: Frame) -> str:
    return f"{frame.n_items:,} item{'' if frame.n_items == 1 else 's'}"


def _why_undefined(name: str, table: PairTable, part: Part, frame: Frame) -> str:
    if frame.n_items == 0:
        return _no_items(frame)
    tag = part.view.tag
    if tag is not None and name in ("positive_agreement", "negative_agreement"):
        if name == "positive_agreement":
            return f"Neither annotator used the tag '{tag}' on the {_items(frame)} that both rated."
        return f"Both annotators used the tag '{tag}' on every one of the {_items(frame)} that both rated."
    if name in ("gwet_ac1", "brennan_prediger"):
        return "Only one category exists, so chance alone makes them agree always and the coefficient has no value."
    if len(table.used) > 1:
        return "The categories used all have the same score, so nothing can differ and the coefficient has no value."
    if tag is None:
        used = part.view.names[int(table.used[0])]
        return f"Both annotators used only the category '{used}': chance alone makes them agree always."
    which = "used" if table.used[0] == 0 else "left out"
    return (
        f"Both annotators {which} the tag '{tag}' on every one of the {_items(frame)}: "
        "chance alone makes them agree always."
    )
