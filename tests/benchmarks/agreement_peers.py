"""The same coefficients by other packages, for those of them that are installed; none of them is needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, NamedTuple

from auditor.agreement.ratings import Ints

SLOW_ITEMS = 5_000
"""Items that a package gets which needs seconds for more."""


class Peer(NamedTuple):
    """What another package computes of labels, an array of shape (items, annotators)."""

    package: str
    coefficient: str
    compute: Callable[[Ints], float]
    slow: bool = False


def _fleiss(package: Any) -> Callable[[Ints], float]:
    def compute(labels: Ints) -> float:
        table, _ = package.aggregate_raters(labels)
        return float(package.fleiss_kappa(table))

    return compute


def _kappa(package: Any) -> Callable[[Ints], float]:
    return lambda labels: float(package.cohen_kappa_score(labels[:, 0], labels[:, 1]))


def _alpha(package: Any) -> Callable[[Ints], float]:
    def compute(labels: Ints) -> float:
        rows = [(who, item, label) for item, given in enumerate(labels.tolist()) for who, label in enumerate(given)]
        return float(package.AnnotationTask(data=rows).alpha())

    return compute


_KNOWN: tuple[tuple[str, str, str, Callable[[Any], Callable[[Ints], float]], bool], ...] = (
    ("statsmodels", "statsmodels.stats.inter_rater", "fleiss_kappa", _fleiss, False),
    ("scikit-learn", "sklearn.metrics", "cohen_kappa", _kappa, False),
    ("nltk", "nltk.metrics.agreement", "krippendorff_alpha", _alpha, True),
)


def installed_peers() -> Iterator[Peer]:
    """Yield the coefficients of the packages that are installed."""
    for package, module, coefficient, made_of, slow in _KNOWN:
        try:
            found = import_module(module)
        except ImportError:
            continue
        yield Peer(package, coefficient, made_of(found), slow)
