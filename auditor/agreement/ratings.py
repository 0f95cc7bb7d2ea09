"""Ratings as integer columns: who gave which label to which item. A missing rating is an absent row, never a "no"."""

from __future__ import annotations

from array import array
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from auditor.errors import InputError
from auditor.text import visible_line

Ints: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]
Bools: TypeAlias = npt.NDArray[np.bool_]
Label: TypeAlias = "str | frozenset[str]"

MAX_COUNT = 2**53
"""Sums of counts above this are no longer exact in a float64."""
MAX_CATEGORIES = 2_000
"""More different labels than this are no category system; q x q tables must stay small."""


class RatingError(InputError):
    """One rating row is unusable; `row` counts rows from 0."""

    def __init__(self, message: str, row: int, *, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.row = row


class TagGroup(NamedTuple):
    """Tags of which an item has at most one."""

    name: str
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """Ratings of items by annotators, as columns of equal length plus what their codes stand for."""

    item: Ints
    """Item of each rating, 0 .. n_items - 1."""
    annotator: Ints
    """Annotator of each rating, an index into `annotators`."""
    value: Ints
    """Label of each rating, an index into `values`."""
    annotators: tuple[str, ...]
    """Names in order of first appearance."""
    values: tuple[Label, ...]
    """Labels by code: strings, or sets of tags when `multi`."""
    categories: tuple[str, ...]
    """The ordered list of categories (of tags when `multi`): declared, else in order of first appearance."""
    n_items: int
    declared: bool = False
    """Whether the categories, and so their order, were declared."""
    multi: bool = False
    """Whether a label is a set of tags; an empty set means reviewed, none."""
    count: Ints | None = None
    """How many identical items each item stands for; None = one each."""
    cluster: Ints | None = None
    """Cluster of each item; None = not known."""
    groups: tuple[TagGroup, ...] = ()
    """Exclusive groups of the tags, when `multi`."""

    def of_annotator(self, annotator: int) -> Ints:
        """Return the label code that an annotator gave to each item, -1 where there is none; shape (n_items,)."""
        column = np.full(self.n_items, -1, dtype=np.int64)
        mine = np.flatnonzero(self.annotator == annotator)
        column[self.item.take(mine)] = self.value.take(mine)
        return column


def ratings_from_columns(
    items: Iterable[Hashable],
    annotators: Iterable[str],
    labels: Iterable[Label],
    *,
    clusters: Iterable[Hashable] | None = None,
    counts: Iterable[int] | None = None,
    categories: Sequence[str] | None = None,
    multi: bool = False,
    groups: Sequence[TagGroup] = (),
) -> Ratings:
    """Encode parallel columns, one entry a rating; clusters and counts belong to items and must not contradict.

    Raises RatingError when an (item, annotator) pair comes twice, an item has two clusters or counts, or a label
    is not among the declared `categories`.
    """
    builder = RatingsBuilder(multi=multi, clustered=clusters is not None, counted=counts is not None)
    builder.extend(items, annotators, labels, clusters, counts)
    return replace(builder.build(categories), groups=tuple(groups))


def ratings_from_codes(
    items: Ints,
    annotator: Ints,
    value: Ints,
    *,
    annotators: Sequence[str],
    values: Sequence[Label],
    clusters: Ints,
    categories: Sequence[str],
    groups: Sequence[TagGroup] = (),
) -> Ratings:
    """Encode columns of numbers, one entry a rating of a set of tags, that are known to be without contradictions.

    `items` and `clusters` are any numbers; items are numbered in their ascending order. `annotator` and `value` are
    indices into `annotators` and `values`; the declared categories hold every tag of the values.
    """
    _, first, item = np.unique(items, return_index=True, return_inverse=True)
    _, cluster = np.unique(clusters[first], return_inverse=True)
    return Ratings(
        item,
        annotator,
        value,
        tuple(annotators),
        tuple(values),
        tuple(categories),
        len(first),
        declared=True,
        multi=True,
        cluster=cluster,
        groups=tuple(groups),
    )


@dataclass(slots=True)
class RatingsBuilder:
    """Collects rating rows in blocks and encodes them; `build` checks what only shows in the whole."""

    multi: bool = False
    clustered: bool = False
    counted: bool = False
    _items: dict[Hashable, int] = field(default_factory=dict)
    _annotators: dict[str, int] = field(default_factory=dict)
    _values: dict[Label, int] = field(default_factory=dict)
    _clusters: dict[Hashable, int] = field(default_factory=dict)
    _codes: tuple[array[int], ...] = field(default_factory=lambda: tuple(array("q") for _ in range(5)))

    def extend(
        self,
        items: Iterable[Hashable],
        annotators: Iterable[str],
        labels: Iterable[Label],
        clusters: Iterable[Hashable] | None = None,
        counts: Iterable[int] | None = None,
    ) -> None:
        """Append a block of rows, given as parallel columns."""
        item, annotator, value, cluster, count = self._codes
        _encode(items, self._items, item)
        _encode(annotators, self._annotators, annotator)
        _encode(labels, self._values, value)
        if clusters is not None:
            _encode(clusters, self._clusters, cluster)
        if counts is not None:
            count.extend(counts)

    def build(self, categories: Sequence[str] | None = None) -> Ratings:
        """Return the ratings; raises RatingError (see `ratings_from_columns`)."""
        item, annotator, value, cluster, count = (np.array(codes, dtype=np.int64) for codes in self._codes)
        values = tuple(self._values)
        _refuse_repeated(item, annotator, len(self._annotators))
        n_items = len(self._items)
        return Ratings(
            item=item,
            annotator=annotator,
            value=value,
            annotators=tuple(self._annotators),
            values=values,
            categories=_ordered_categories(values, value, categories),
            n_items=n_items,
            declared=categories is not None,
            multi=self.multi,
            count=_per_item(item, count, n_items, "counts") if self.counted else None,
            cluster=_per_item(item, cluster, n_items, "clusters") if self.clustered else None,
        )


def _encode(
    column: Iterable[Hashable], index: dict[Hashable, int] | dict[str, int] | dict[Label, int], codes: array[int]
) -> None:
    """Append the code of every entry, giving new entries the next free code."""
    known: dict[Hashable, int] = index  # type: ignore[assignment]  # the keys are whatever the column holds
    entries = list(column)
    for entry in dict.fromkeys(entries):
        known.setdefault(entry, len(known))
    codes.extend(map(known.__getitem__, entries))


def _refuse_repeated(item: Ints, annotator: Ints, n_annotators: int) -> None:
    key = item * max(1, n_annotators) + annotator
    order = np.argsort(key, kind="stable")
    again = order[1:][key[order][1:] == key[order][:-1]]
    if again.size:
        raise RatingError("this annotator has rated this item before.", int(again.min()))


def _per_item(item: Ints, column: Ints, n_items: int, what: str) -> Ints:
    """Turn a column over ratings into one over items."""
    per_item = np.zeros(n_items, dtype=np.int64)
    per_item[item[::-1]] = column[::-1]
    differs = np.flatnonzero(per_item[item] != column)
    if differs.size:
        raise RatingError(f"earlier rows give this item other {what}.", int(differs[0]))
    if what == "counts":
        low = np.flatnonzero(column < 1)
        if low.size:
            raise RatingError("a count must be a whole number of at least 1.", int(low[0]))
        if sum(per_item.tolist()) > MAX_COUNT:
            raise InputError(f"the counts sum to more than {MAX_COUNT}, beyond which sums are no longer exact.")
    return per_item


def _ordered_categories(values: tuple[Label, ...], value: Ints, declared: Sequence[str] | None) -> tuple[str, ...]:
    seen: dict[str, int] = {}
    for code, label in enumerate(values):
        for tag in [label] if isinstance(label, str) else sorted(label):
            seen.setdefault(tag, code)
    if declared is None:
        if len(seen) > MAX_CATEGORIES:
            raise InputError(
                f"there are {len(seen)} different labels, but agreement is measured on at most {MAX_CATEGORIES}.",
                hint="Is the label column the right one?",
            )
        return tuple(seen)
    categories = tuple(dict.fromkeys(declared))
    if len(categories) != len(declared):
        raise InputError("a category is declared twice.")
    known = set(categories)
    for tag, code in seen.items():
        if tag not in known:
            row = int(np.flatnonzero(value == code)[0])
            raise RatingError(f"the label '{visible_line(tag, 60)}' is not among the declared categories.", row)
    return categories
