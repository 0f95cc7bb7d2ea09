"""Coefficients over a fixed panel of annotators, each with marginals of their own: Conger's and Light's kappa."""

from __future__ import annotations

from functools import cached_property
from itertools import combinations
from typing import NamedTuple

import numpy as np

from auditor.agreement.groups import group_table
from auditor.agreement.pairs import Parts
from auditor.agreement.patterns import Patterns
from auditor.agreement.ratings import Floats
from auditor.agreement.resampling import refuse_too_large
from auditor.agreement.views import View


class PairSpread(NamedTuple):
    """How far the kappas of single pairs lie apart."""

    low: float
    high: float
    sd: float | None


class PanelTable:
    """Per pattern: the category of each annotator as one-hot rows, on the categories that anybody used."""

    def __init__(self, patterns: Patterns, view: View) -> None:
        self.count = patterns.count
        group = group_table(patterns, view)
        self._paired, self._apart = group.paired, group.apart
        self.used = group.used
        k = len(self.used)
        self.distances = 1 - np.eye(k) if group.distances is None else group.distances
        rated = patterns.values >= 0
        codes = np.searchsorted(self.used, view.recode[np.maximum(patterns.values, 0)])
        refuse_too_large(len(codes), codes.shape[1] * k)
        self.one_hot = np.zeros((*patterns.values.shape, k))
        at, annotator = np.nonzero(rated)
        self.one_hot[at, annotator, codes[rated]] = 1

    @property
    def n_items(self) -> int:
        return int(self.count @ self._paired)

    def standard_error(self, statistic: str) -> float | None:
        """Return None: no formula for unequal raters is agreed on; the bootstrap serves."""
        return None


class CongerTable(PanelTable):
    """Observed agreement as in Gwet 2014, chance from the mean over pairs of annotators of their marginals."""

    @cached_property
    def features(self) -> Floats:
        """Whether paired, mean distance, labels by annotator and category; shape (m, 2 + annotators * k)."""
        head = np.stack([self._paired, self._apart], axis=1)
        return np.concatenate([head, self.one_hot.reshape(len(self.count), -1)], axis=1)

    def parts(self, statistic: str, sums: Floats) -> Parts:
        """Return observed and expected disagreement for each row of sums; NaN when an annotator has no item."""
        annotators, k = self.one_hot.shape[1:]
        labels = sums[:, 2:].reshape(len(sums), annotators, k)
        n = labels.sum(axis=2, keepdims=True)
        shares = np.full(labels.shape, np.nan)
        np.divide(labels, n, out=shares, where=n > 0)
        total = shares.sum(axis=1)
        crossed = ((total @ self.distances) * total).sum(axis=1)
        own = ((shares @ self.distances) * shares).sum(axis=(1, 2))
        observed = np.full(len(sums), np.nan)
        np.divide(sums[:, 1], sums[:, 0], out=observed, where=sums[:, 0] > 0)
        pairs = annotators * (annotators - 1)
        expected = (crossed - own) / pairs if pairs else np.full(len(sums), np.nan)
        # Rounding must not turn the exact 0 of a single category into a tiny chance to disagree.
        expected = np.where((total > 0).sum(axis=1) > 1, expected, np.where(np.isnan(expected), np.nan, 0.0))
        return Parts(observed, expected)


class LightTable(PanelTable):
    """The mean of Cohen's kappa over all pairs, each on the items that both rated."""

    @cached_property
    def features(self) -> Floats:
        """For each pair: distance, marginals of one and of the other on co-rated items; (m, pairs * (1 + 2 k))."""
        annotators, k = self.one_hot.shape[1:]
        refuse_too_large(len(self.count), annotators * (annotators - 1) // 2 * (1 + 2 * k))
        blocks = []
        for one, other in combinations(range(annotators), 2):
            first, second = self.one_hot[:, one], self.one_hot[:, other]
            both = (first.sum(axis=1) * second.sum(axis=1))[:, None]
            apart = ((first @ self.distances) * second).sum(axis=1, keepdims=True)
            blocks.append(np.concatenate([apart, first * both, second * both], axis=1))
        return np.concatenate(blocks, axis=1) if blocks else np.zeros((len(self.count), 0))

    def parts(self, statistic: str, sums: Floats) -> Parts:
        """Return 1 - mean kappa over an expected disagreement of 1; NaN when any pair's kappa is undefined."""
        if sums.shape[1] == 0:
            nothing = np.full(len(sums), np.nan)
            return Parts(nothing, nothing)
        observed = self._disagreements(sums).mean(axis=1)
        return Parts(observed, np.where(np.isnan(observed), np.nan, 1.0))

    def spread(self, sums: Floats) -> PairSpread:
        """Return the lowest and the highest kappa of a pair and their standard deviation, of one row of sums."""
        kappas = 1 - self._disagreements(sums)[0]
        sd = float(kappas.std(ddof=1)) if len(kappas) > 1 else None
        return PairSpread(float(kappas.min()), float(kappas.max()), sd)

    def _disagreements(self, sums: Floats) -> Floats:
        """Return 1 - kappa of each pair, NaN where it is undefined; shape (b, pairs)."""
        k = len(self.used)
        blocks = sums.reshape(len(sums), sums.shape[1] // (1 + 2 * k), 1 + 2 * k)
        apart, first, second = blocks[..., 0], blocks[..., 1 : 1 + k], blocks[..., 1 + k :]
        n = first.sum(axis=2)
        expected = ((first @ self.distances) * second).sum(axis=2)
        ratio = np.full(n.shape, np.nan)
        np.divide(apart * n, expected, out=ratio, where=expected > 0)
        return ratio
