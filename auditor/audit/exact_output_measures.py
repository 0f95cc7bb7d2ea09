"""The tables of exact output and checkpoint state that relate errors to measures of the execution."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from auditor.analysis import Resampling
from auditor.audit.associate import AssociateOptions, Summary, associate
from auditor.audit.association_layout import association_notes, series_record
from auditor.audit.layouts import LaidOut, LayoutTable, all_of, refuse_policy
from auditor.audit.regress import RegressOptions, regress
from auditor.audit.regression_layout import regression_notes, shown_p
from auditor.errors import InputError
from auditor.model import Scalar
from auditor.store.composition import study_facts
from auditor.store.expr import Match, unparse
from auditor.store.file import path_of

_NAMES = {"trace_length": "Trace", "peak_state": "Peak state", "state_load": "State load"}
_MODELS = {
    "Trace + peak": ("trace_length", "peak_state"),
    "Trace + peak + load": ("trace_length", "peak_state", "state_load"),
}
_TO = "\u2013"


def odds_layout(connection: sqlite3.Connection, where: str, policy: str | None) -> LaidOut:
    """Lay out odds ratios of errors for each doubling, with and without state load (Table 6).

    Of Python programs where there are some, without studies whose cases share one source.
    """
    refuse_policy(policy)
    facts = study_facts(connection, where)
    python = [one for one in facts if "python" in one.languages]
    kept = [one.study for one in (python or facts) if one.cases == 1 or one.sources > 1]
    if not kept:
        raise InputError("every study here has a single source.", hint="Use auditor regress for a fit of your own.")
    narrowed = all_of(where, "language:python" if python else "", unparse(Match("study", tuple(kept))))
    rows, records, notes = [], [], []
    for model, measures in _MODELS.items():
        options = RegressOptions(measures=measures, where=narrowed)
        found = regress(connection, path_of(connection), options)
        fit = found.fits[0].fit
        terms = {term.name: term for term in fit.terms}
        for name in measures:
            term = terms.get(f"log2 {name}")
            ratio, interval = (None, None) if term is None else (term.odds_ratio, term.odds_interval)
            shown = "-" if interval is None else f"[{interval[0]:.3f}, {interval[1]:.3f}]"
            p = None if term is None else term.p
            rows.append([model, _NAMES[name], "undefined" if ratio is None else f"{ratio:.3f}", shown, shown_p(p)])
            low, high = interval or (None, None)
            numbers = {"odds_ratio": ratio, "odds_low": low, "odds_high": high, "p": p}
            records.append({"model": model, "predictor": name, **numbers, "n": fit.n, "clusters": fit.n_clusters})
        notes = regression_notes(found)
    columns = ("Model", "Predictor (per doubling)", "Odds ratio", "95% interval", "p")
    title = "Logistic models for prediction error"
    return LaidOut([LayoutTable(title, columns, rows, 2)], records, [f"Of {narrowed}.", *notes])


def support_layout(connection: sqlite3.Connection, where: str, policy: str | None, resampling: Resampling) -> LaidOut:
    """Lay out how many pooled series of each measure are associated with error, by language (Table 8)."""
    refuse_policy(policy)
    languages = list(dict.fromkeys(one for facts in study_facts(connection, where) for one in facts.languages))
    order = ("peak_state", "state_load", "trace_length")
    cells: dict[tuple[str, str], Summary] = {}
    records: list[dict[str, Scalar]] = []
    notes: list[str] = []
    for language in languages:
        narrowed = all_of(where, unparse(Match("language", (language,))))
        options = AssociateOptions(
            measures=order,
            by=("setting", "study"),
            where=narrowed,
            replicates=resampling.replicates,
            seed=resampling.seed,
        )
        found = associate(connection, path_of(connection), options)
        cells |= {(one.measure, language): one for one in found.summaries}
        records += [{"language": language, **series_record(one, options.by)} for one in found.series]
        notes = notes or association_notes(found)[:1]
    columns = ["Metric", *(f"{one} {what}" for one in languages for what in ("supported", "θ range"))]
    rows = [[_NAMES[name], *_supports([cells[name, one] for one in languages])] for name in order]
    title = "Pooled support for dynamic metrics by language"
    told = "Supported: θ above 0.5 and unadjusted p below 0.05, of the estimable settings of each study, arms pooled."
    return LaidOut([LayoutTable(title, columns, rows)], records, [told, *notes])


def _supports(found: Sequence[Summary]) -> list[str]:
    cells = []
    for one in found:
        spread = "-" if one.least is None else f"{one.least:.2f}{_TO}{one.most:.2f}"
        cells += [f"{one.supported} / {one.estimable}", spread]
    return cells
