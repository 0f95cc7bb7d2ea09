"""What the agreement screen shows, as values: kept and read numbers are the same, and every number has its items."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest

from auditor.audit.agreement_overview import (
    Ground,
    PairReport,
    confused_items,
    differing_items,
    measure_pair,
    measure_tags,
    read_ground,
    read_kept,
)
from tests.builders import make_audit
from tests.tui.agreement_audit import agreed_audit


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return agreed_audit(tmp_path_factory.mktemp("agreed") / "agreed.db", cases=12)


@pytest.fixture(scope="module")
def ground(path: Path) -> Ground:
    found = read_ground(path, "execution")
    assert found is not None
    return found


def test_kept_numbers_are_those_of_the_reviews(path: Path, ground: Ground) -> None:
    kept = read_kept(path, "execution")
    assert kept is not None and kept.kept is not None
    assert (kept.names, kept.tags) == (ground.names, ground.tags)
    for pair in combinations(ground.names, 2):
        read, at_once = measure_pair(ground, *pair), kept.kept[frozenset(pair)]
        assert kept.have_both(*pair) == ground.have_both(*pair)
        for tag in ground.tags:
            assert at_once[tag].value == pytest.approx(read[tag].value) and at_once[tag].n_items == read[tag].n_items
            assert at_once[tag].ci_low is at_once[tag].shown_low is read[tag].ci_low is None
        assert at_once[None].value is None and "when all reviews are read" in (at_once[None].reason or "")


def test_people_come_before_models(ground: Ground) -> None:
    assert ground.names == ("ana", "ben", "judge")


def test_every_cell_of_the_confusion_has_as_many_items_as_it_counts(ground: Ground) -> None:
    report = measure_tags(ground, "ana", "ben", lambda so_far: None)
    for cell, items in report.confusion.items.items():
        assert len(confused_items(ground, "ana", "ben", cell)) == items
    assert confused_items(ground, "ana", "ben", ("wrong-checkpoint", "no-attempt")) == []


def test_the_items_on_which_two_differ_are_those_that_observed_agreement_leaves(ground: Ground) -> None:
    kappas = measure_pair(ground, "ana", "ben")
    for tag, kappa in kappas.items():
        differ = differing_items(ground, "ana", "ben", tag)
        assert kappa.observed == pytest.approx(1 - len(differ) / kappa.n_items)
        assert differ == sorted(differ) == differing_items(ground, "ben", "ana", tag)


def test_measuring_reports_on_its_way_and_can_be_stopped(ground: Ground) -> None:
    class Enough(Exception):
        pass

    seen: list[int] = []

    def report(so_far: PairReport) -> None:
        seen.append(len(so_far.rows))
        if len(seen) == 2:
            raise Enough

    with pytest.raises(Enough):
        measure_tags(ground, "ana", "ben", report)
    assert seen == [1, 5]


def test_a_file_that_nobody_reviewed_has_no_ground(tmp_path: Path) -> None:
    path = make_audit(tmp_path / "audit.db")
    assert read_ground(path, "execution") is None and read_kept(path, "execution") is None
