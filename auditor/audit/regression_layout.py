"""A regression laid out as tables, with exact records and the sentences that belong under it."""

from __future__ import annotations

from auditor.analysis import Term
from auditor.audit.doubts import doubts
from auditor.audit.layouts import LaidOut, LayoutTable
from auditor.audit.outcomes import as_read_by
from auditor.audit.predictors import level_column
from auditor.audit.regress import FittedReading, Regression, left_out_words
from auditor.model import Scalar
from auditor.store.expr import Match, Not, unparse
from auditor.text import counted

_LARGE = 1e6
"""From where on an odds ratio is written as a power of ten."""
_NUMBERS = ("Coefficient", "SE", "t", "p")


def shown_p(p: float | None) -> str:
    """Return a p value with three digits; what rounds to 0 is said to be less."""
    if p is None:
        return "undefined"
    return "<0.001" if p < 0.0005 else f"{p:.3f}"


def regression_laid_out(found: Regression) -> LaidOut:
    """Lay out the fits of a regression, a table a reading, and one of what hangs on who read the tags."""
    share = f"{100 * found.options.confidence:.4g}%"
    outcome = found.options.question.outcome
    tables, records = [], []
    for one in found.fits:
        if not one.fit.terms:
            continue
        title = f"Logistic regression of {outcome}{as_read_by(one.reader)}"
        columns = ("Predictor", "Odds ratio", f"{share} interval", *_NUMBERS)
        tables.append(LayoutTable(title, columns, [_term_row(term) for term in one.fit.terms]))
        records += [_term_record(one, term) for term in one.fit.terms]
    if found.ranges:
        rows = [
            [
                one.name,
                f"{one.least:+z.3f} to {one.most:+z.3f}",
                "-" if one.low is None else f"[{one.low:z.3f}, {one.high:z.3f}]",
            ]
            for one in found.ranges
        ]
        heads = ("Predictor", "Coefficient", f"All {share} intervals within")
        tables.append(LayoutTable("Over annotators", heads, rows))
    return LaidOut(tables, records, regression_notes(found))


def _term_row(term: Term) -> list[str]:
    ratio, interval = term.odds_ratio, term.odds_interval
    return [
        term.name,
        "beyond any number" if ratio is None else _ratio(ratio),
        "-" if interval is None else f"[{_ratio(interval[0])}, {_ratio(interval[1])}]",
        f"{term.coefficient:z.4f}",
        "-" if term.se is None else f"{term.se:.4f}",
        "-" if term.t is None else f"{term.t:z.2f}",
        shown_p(term.p),
    ]


def _ratio(value: float) -> str:
    """Return an odds ratio as it is read: digits by the dozen say nothing."""
    return f"{value:z.3f}" if value < _LARGE else f"{value:.2g}"


def _term_record(one: FittedReading, term: Term) -> dict[str, Scalar]:
    low, high = term.odds_interval or (None, None)
    return {
        "reader": one.reader,
        "predictor": term.name,
        "coefficient": term.coefficient,
        "se": term.se,
        "t": term.t,
        "p": term.p,
        "ci_low": term.low,
        "ci_high": term.high,
        "odds_ratio": term.odds_ratio,
        "odds_low": low,
        "odds_high": high,
    }


def regression_notes(found: Regression) -> list[str]:
    """Return what a reader must know of a regression, a sentence each."""
    told = [_fit_words(one, several=len(found.fits) > 1) for one in found.fits]
    first = found.fits[0].design
    for factor in first.factors:
        told.append(f"Reference of {factor.name}: {factor.levels[0]}.")
    for factor in first.single:
        told.append(
            f"Left out: {factor.name}, which is {' or '.join(map(str, factor.levels)) or 'empty'} in every row."
        )
    if first.centres and any(one.fit.terms for one in found.fits):
        told.append("A log2 predictor is mean-centred: its odds ratio is for each doubling, the others held.")
    if first.correlations:
        pairs = [f"{one} and {other} {value:z.3f}" for one, other, value in first.correlations]
        told.append(f"Correlations of the logarithms: {'; '.join(pairs)}.")
    if found.ranges:
        told.append(
            "Over annotators: the least and the most of their estimates, and the ends of all of their intervals; that"
            " is how far the result hangs on who read the tags."
        )
    return [*told, *found.notes, *left_out_words(found.left_out), *doubts(found.invalid, found.disputed)]


def _fit_words(one: FittedReading, several: bool) -> str:
    fit = one.fit
    who = f"{one.reader}: " if several and one.reader else ""
    told = [
        f"{who}N = {fit.n:,} responses, {fit.positive:,} of them with the outcome, G = {fit.n_clusters:,} clusters."
    ]
    if fit.df is not None and fit.factor is not None:
        told.append(f"Sandwich covariance by cluster, factor {fit.factor:.6f}, t with {fit.df:,} degrees of freedom.")
    if fit.converged is not None:
        told.append(
            f"{'Converged' if fit.converged else 'Did not converge'} in {counted(fit.iterations or 0, 'iteration')};"
            f" rank {fit.rank}, condition number {_rounded(fit.condition)}, largest score {fit.max_score:.1e}."
        )
    return " ".join([*told, *([fit.reason] if fit.reason else []), *_way_out(one), *fit.warnings])


def _way_out(one: FittedReading) -> list[str]:
    """Say which filter leaves out what separates the outcomes, where that is levels of one factor."""
    separated = set(one.fit.separated)
    for factor in one.design.factors:
        levels = [level for level in factor.levels[1:] if level_column(factor.name, level) in separated]
        if levels and None not in levels and len(levels) == len(separated):
            what = unparse(Not(Match(factor.name, tuple(map(str, levels)))))
            return [f"To leave their rows out, add to --where: {what}"]
    return []


def _rounded(condition: float | None) -> str:
    return "beyond any number" if condition is None else f"{condition:,.0f}" if condition < 1e9 else f"{condition:.1e}"


def regression_json(found: Regression) -> dict[str, object]:
    """Return a regression as one JSON document."""
    return {
        "outcome": found.options.question.outcome,
        "factors": list(found.options.factors),
        "measures": list(found.options.measures),
        "where": found.options.where,
        "confidence": found.options.confidence,
        "models": [_model_json(one) for one in found.fits],
        "over_annotators": [one._asdict() for one in found.ranges],
        "left_out": found.left_out,
        "notes": found.notes,
        "invalid": found.invalid,
        "disputed": found.disputed,
    }


def _model_json(one: FittedReading) -> dict[str, object]:
    fit, design = one.fit, one.design
    return {
        "reader": one.reader,
        "n": fit.n,
        "n_positive": fit.positive,
        "n_clusters": fit.n_clusters,
        "df": fit.df,
        "factor": fit.factor,
        "rank": fit.rank,
        "columns": len(design.columns),
        "converged": fit.converged,
        "iterations": fit.iterations,
        "condition": fit.condition,
        "max_score": fit.max_score,
        "positive_definite": fit.positive_definite,
        "log_likelihood": fit.log_likelihood,
        "separated": list(fit.separated),
        "reason": fit.reason,
        "warnings": list(fit.warnings),
        "references": {factor.name: factor.levels[0] for factor in design.factors},
        "centres": design.centres,
        "correlations": [list(one) for one in design.correlations],
        "terms": [{name: value for name, value in _term_record(one, t).items() if name != "reader"} for t in fit.terms],
    }
