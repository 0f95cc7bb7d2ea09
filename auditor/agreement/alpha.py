"""Krippendorff's alpha from coincidences: items with at least two ratings, expected disagreement over n (n - 1)."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from auditor.agreement.pairs import Parts
from auditor.agreement.patterns import Patterns
from auditor.agreement.ratings import Floats
from auditor.agreement.resampling import refuse_too_large
from auditor.agreement.views import View, choices_by_pattern


class AlphaTable:
    """Coincidences of each pattern of labels.

    Distances enter as they are: interval and ratio distances come squared, MASI and Jaccard do not. Ordinal
    distances follow from the marginals of the data (or of the resample), so there the whole coincidence matrix of
    each pattern is kept; otherwise its summed distance is enough.
    """

    def __init__(self, patterns: Patterns, view: View) -> None:
        paired = (patterns.values >= 0).sum(axis=1, keepdims=True) >= 2
        self.count = patterns.count
        self.chosen, self.used = choices_by_pattern(np.where(paired, patterns.values, -1), view)
        self.paired = paired[:, 0]
        self.ordinal = view.ordinal
        k = len(self.used)
        if view.distances is None:
            self.distances = 1 - np.eye(k)
        else:
            self.distances = view.distances[np.ix_(self.used, self.used)]

    @property
    def n_items(self) -> int:
        return int(self.count @ self.paired)

    @property
    def one_deviates(self) -> bool:
        """Whether all labels that can be paired are of one category but for a single one."""
        labels = self.count @ self.chosen
        return bool(labels.sum() - labels.max(initial=0.0) == 1)

    @cached_property
    def features(self) -> Floats:
        """Labels by category, then coincidences (ordinal) or their summed distance; shape (m, k + k * k or k + 1)."""
        refuse_too_large(len(self.chosen), len(self.used) ** 2 if self.ordinal else 1)
        others = np.maximum(self.chosen.sum(axis=1) - 1, 1)
        if self.ordinal:
            pairs = self.chosen[:, :, None] * (self.chosen[:, None, :] - np.eye(len(self.used)))
            tail = (pairs / others[:, None, None]).reshape(len(self.chosen), -1)
        else:
            tail = (((self.chosen @ self.distances) * self.chosen).sum(axis=1) / others)[:, None]
        return np.concatenate([self.chosen, tail], axis=1)

    def parts(self, statistic: str, sums: Floats) -> Parts:
        """Return observed and expected disagreement for each row of sums."""
        k = len(self.used)
        labels, tail = sums[:, :k], sums[:, k:]
        n = labels.sum(axis=1)
        if self.ordinal:
            # Distance of two categories: labels between them, half of each end included.
            place = np.cumsum(labels, axis=1) - labels / 2
            apart = (place[:, :, None] - place[:, None, :]) ** 2
            apart /= np.maximum(apart.max(axis=(1, 2), initial=0.0), 1e-300)[:, None, None]
            observed = (apart.reshape(len(sums), -1) * tail).sum(axis=1)
            expected = np.einsum("bk,bkl,bl->b", labels, apart, labels)
        else:
            observed = tail[:, 0]
            expected = ((labels @ self.distances) * labels).sum(axis=1)
        return Parts(_quotient(observed, n), _quotient(expected, n * (n - 1)))

    def standard_error(self, statistic: str) -> float | None:
        """Return Gwet's 2014 linearised standard error; None where it is not defined (ordinal, a single item)."""
        n = float(self.n_items)
        if n < 2 or self.ordinal:
            return None
        chosen, count = self.chosen[self.paired], self.count[self.paired]
        ratings = chosen.sum(axis=1)
        mean = float(count @ ratings) / n
        apart = ((chosen @ self.distances) * chosen).sum(axis=1) / (ratings * (ratings - 1))
        agreed = ratings * (1 - apart) / mean
        observed = float(count @ agreed) / n
        marginals = count @ chosen / (n * mean)
        by_category = 1 - self.distances @ marginals
        chance = float(marginals @ by_category)
        uneven = (ratings - mean) / mean
        value = (observed - chance) / (1 - chance)
        # Gwet centres the number of ratings with the agreement after the small-sample correction 1 / labels.
        corrected = observed + (1 - observed) / (n * mean)
        own = (agreed - corrected * uneven - chance) / (1 - chance)
        own_chance = chosen @ by_category / mean - chance * uneven
        moved = own - 2 * (1 - value) * (own_chance - chance) / (1 - chance)
        return float(np.sqrt(count @ (moved - value) ** 2 / n / (n - 1)))


def _quotient(amount: Floats, by: Floats) -> Floats:
    out = np.full(by.shape, np.nan)
    np.divide(amount, by, out=out, where=by > 0)
    return out
