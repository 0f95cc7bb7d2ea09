"""The reference cases of agreement coefficients, turned into ratings and options."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from auditor.agreement.coefficient import ALL, PAIR, Coefficient, Options
from auditor.agreement.measure import measure_agreement
from auditor.agreement.ratings import Ratings, ratings_from_columns

Case = dict[str, Any]

REFERENCES = Path(__file__).parent.parent / "refs" / "agreement.json"

_STATISTIC = {
    "pabak": "brennan_prediger",
    "per_tag_binary_kappa": "cohen_kappa",
    "per_tag_alpha": "krippendorff_alpha",
    "fleiss_kappa_category": "fleiss_kappa",
    "bootstrap_cohen_kappa": "cohen_kappa",
}
"""Cases that go by another name in the references."""


@cache
def cases() -> tuple[Case, ...]:
    """Return all reference cases."""
    return tuple(json.loads(REFERENCES.read_text(encoding="utf-8"))["cases"])


def statistic_of(case: Case) -> str:
    name: str = case["statistic"]
    return _STATISTIC.get(name, name)


def ratings_of(case: Case) -> Ratings:
    """Build the ratings of a case, sets of tags where it has `labels`."""
    categories = case["params"].get("categories")
    declared = None if categories is None else [str(category) for category in categories]
    if "ratings_compact" in case:
        rows = [
            (f"i{number}", annotator, str(label), pattern["count"])
            for number, pattern in enumerate(case["ratings_compact"])
            for annotator, label in pattern["labels"].items()
        ]
        items, annotators, labels, counts = zip(*rows, strict=True)
        return ratings_from_columns(items, annotators, labels, counts=counts, categories=declared)
    given = case["ratings"]
    multi = "labels" in given[0]
    return ratings_from_columns(
        [row["item"] for row in given],
        [row["annotator"] for row in given],
        [frozenset(row["labels"]) if multi else str(row["label"]) for row in given],
        clusters=[row["cluster"] for row in given] if "cluster" in given[0] else None,
        categories=declared,
        multi=multi,
    )


def options_of(case: Case) -> Options:
    params = case["params"]
    scores = params.get("scores")
    tag = params.get("tag") or params.get("positive")
    resample = params.get("resample")
    return Options(
        statistics=(statistic_of(case),),
        annotators=tuple(params["annotators"]) if "annotators" in params else None,
        tags=(tag,) if tag else (),
        weights=params.get("weights"),
        scores=tuple(scores) if isinstance(scores, list) else None,
        metric=params.get("metric"),
        bootstrap=None if resample is None else resample.split()[0],
    )


def measured(case: Case) -> Coefficient:
    """Measure the one coefficient that a case asks for."""
    scope = PAIR if "annotators" in case["params"] else ALL
    (found,) = (one for one in measure_agreement(ratings_of(case), options_of(case)) if one.scope == scope)
    return found
