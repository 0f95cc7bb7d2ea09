"""Reviews as columns of numbers: the same as what is read one by one."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from auditor.store.rating_columns import RatingColumns, _distinct_rows, rating_columns
from auditor.store.ratings import rated_items
from auditor.store.reviews import Defer, Intent, MarkReviewed, PutTags, ToggleTag
from tests.builders import make_audit
from tests.store.test_kept_agreement import PEOPLE, TAGS, File


@pytest.fixture
def file(tmp_path: Path) -> Iterator[File]:
    """Return a file with many marks, in which a tag was merged and a response superseded."""
    opened = File(make_audit(tmp_path / "audit.db"))
    rng = random.Random(4)
    for _ in range(60):
        intents: list[Intent] = [
            PutTags(tuple(rng.sample(TAGS, rng.randrange(4)))),
            ToggleTag(rng.choice(TAGS)),
            Defer(),
        ]
        opened.do(rng.choice(PEOPLE), rng.randrange(1, 7), rng.choice(intents))
    opened.merge(TAGS[0], TAGS[1])
    opened.supersede(5, "2026-01-01T00:00:00Z")
    yield opened
    opened.connection.close()


def told(found: RatingColumns) -> dict[tuple[int, str], tuple[frozenset[str], int]]:
    return {
        (item, found.annotators[annotator]): (found.sets[value], cluster)
        for item, annotator, value, cluster in zip(
            found.item.tolist(), found.annotator.tolist(), found.value.tolist(), found.cluster.tolist(), strict=True
        )
    }


@pytest.mark.parametrize("people", [PEOPLE, ("cem", "ana"), ("ben",), ("nobody",), ()])
@pytest.mark.parametrize("among", [None, {1, 2, 99}, set()])
def test_columns_say_what_the_reviews_say(file: File, people: tuple[str, ...], among: set[int] | None) -> None:
    found = rating_columns(file.connection, "execution", people, among)
    one_by_one = rated_items(file.connection, "execution", people, among)
    assert told(found) == {
        (item, who): (tags, cluster)
        for item, who, tags, cluster in zip(
            one_by_one.items, one_by_one.annotators, one_by_one.tags, one_by_one.clusters, strict=True
        )
    }
    assert found.item.tolist() == one_by_one.items
    assert found.annotators == list(dict.fromkeys(one_by_one.annotators))
    assert len(set(found.sets)) == len(found.sets)


def test_reviews_without_any_tag_and_other_codebooks(tmp_path: Path) -> None:
    file = File(make_audit(tmp_path / "audit.db"))
    file.do("ana", 2, MarkReviewed())
    assert told(rating_columns(file.connection, "execution", ["ana"])) == {(2, "ana"): (frozenset(), 1)}
    assert rating_columns(file.connection, "other", ["ana"]).item.tolist() == []
    file.connection.close()


def test_rows_of_very_many_tags_are_told_apart() -> None:
    import numpy as np

    members = np.random.default_rng(1).integers(0, 1_000, (300, 12))
    members[200:] = members[:100]
    distinct, own = _distinct_rows(members, 1_000)
    assert len(distinct) == 200 and (distinct[own] == members).all()
