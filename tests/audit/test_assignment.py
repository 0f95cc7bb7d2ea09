"""Sharing a review: whole clusters, the same number of people an item, and nobody's work is touched."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.audit.assignment import assign, draw_shares, own_items
from auditor.audit.inspect import verify
from auditor.audit.load import LoadOptions, load
from auditor.audit.progress import review_progress
from auditor.audit.review import MarkReviewed, QueueWish, ToggleTag, open_session
from auditor.audit.tags import put_tags
from auditor.errors import InputError
from auditor.store.file import open_for_reading
from auditor.store.selection import matching_responses
from tests.builders import make_audit
from tests.runs import response, task, write_run

PEOPLE = ("ana", "ben", "cem")


@pytest.fixture
def audit(tmp_path: Path) -> Path:
    return make_audit(tmp_path / "a.db", cases=12)


def items_of(path: Path, annotator: str, where: str = "") -> set[int]:
    with closing(open_for_reading(path)) as connection:
        return set(matching_responses(connection, own_items(path, annotator, None, where)))


clusters = st.dictionaries(st.integers(1, 60), st.integers(1, 40), min_size=1, max_size=40)


@given(clusters, st.integers(1, 5), st.integers(1, 5), st.integers(0, 9))
def test_each_cluster_has_so_many_different_people_and_loads_differ_by_one_cluster_at_most(
    items: dict[int, int], people: int, overlap: int, seed: int
) -> None:
    names = [f"p{number}" for number in range(max(people, overlap))]
    drawn = draw_shares(items, names, overlap, seed)
    assert drawn.keys() == items.keys()
    assert all(len(set(who)) == overlap for who in drawn.values())
    loads = Counter({name: sum(items[c] for c, who in drawn.items() if name in who) for name in names})
    assert max(loads.values()) - min(loads.values()) <= max(items.values())
    assert draw_shares(items, names, overlap, seed) == drawn


def test_another_seed_is_another_draw() -> None:
    items = dict.fromkeys(range(30), 5)
    assert draw_shares(items, PEOPLE, 1, seed=1) != draw_shares(items, PEOPLE, 1, seed=2)


@pytest.mark.parametrize("overlap", [1, 2, 3])
def test_each_item_is_assigned_to_exactly_so_many_people(audit: Path, overlap: int) -> None:
    done = assign(audit, PEOPLE, overlap=overlap, where="")
    mine = {name: items_of(audit, name) for name in PEOPLE}
    counts = Counter(item for items in mine.values() for item in items)
    assert set(counts.values()) == {overlap}
    assert len(counts) == done.items == sum(share.items for share in done.shares) // overlap
    assert [share.items for share in done.shares] == [len(mine[name]) for name in PEOPLE]
    assert [pair.items for pair in done.pairs] == [len(mine[a] & mine[b]) for a, b in combinations(PEOPLE, 2)]


def test_all_items_of_a_cluster_go_to_the_same_people(audit: Path) -> None:
    assign(audit, PEOPLE, where="")
    with closing(open_for_reading(audit)) as connection:
        sql = "SELECT t.cluster_id FROM responses r JOIN tasks t ON t.id = r.task_id WHERE r.id = ?"
        found = [{connection.execute(sql, (i,)).fetchone()[0] for i in items_of(audit, name)} for name in PEOPLE]
    assert not found[0] & found[1] and not found[1] & found[2] and not found[0] & found[2]


def test_a_filter_leaves_a_part_of_what_is_assigned(audit: Path) -> None:
    assign(audit, ["ana"], where="status:wrong")
    assert items_of(audit, "ana", "setting:model-a") < items_of(audit, "ana")


def test_an_assignment_is_not_drawn_over_unless_that_is_asked_for(audit: Path) -> None:
    first = assign(audit, PEOPLE, seed=1)
    with pytest.raises(InputError, match="there is an assignment under the codebook execution since"):
        assign(audit, PEOPLE, seed=2)
    assert assign(audit, PEOPLE, seed=1, when="replace").shares == first.shares
    assign(audit, ["dora"], when="replace")
    with pytest.raises(InputError, match="nothing is assigned to 'ana'"):
        items_of(audit, "ana")


def test_a_dry_run_draws_the_same_and_keeps_nothing(audit: Path) -> None:
    before = audit.read_bytes()
    told = assign(audit, PEOPLE, dry_run=True)
    assert audit.read_bytes() == before
    assert assign(audit, PEOPLE) == told


def test_new_clusters_are_added_to_those_who_have_least(tmp_path: Path) -> None:
    def run(count: int) -> Path:
        cases = [f"c{n}" for n in range(count)]
        answers = [response(case, response="wrong") for case in cases]
        return write_run(tmp_path / f"run-{count}", [task(case) for case in cases], answers)

    path = tmp_path / "a.db"
    load(path, [run(4)], LoadOptions())
    assign(path, ["ana", "ben"], where="")
    before = {name: items_of(path, name) for name in ("ana", "ben")}
    load(path, [run(10)], LoadOptions())
    done = assign(path, ["ana", "ben"], when="add")
    assert (done.added, done.items) == (6, 10)
    assert all(before[name] < items_of(path, name) for name in before)
    assert [share.items for share in done.shares] == [5, 5]
    with pytest.raises(InputError, match="--add needs the people"):
        assign(path, ["ana", "cem"], when="add")


@pytest.mark.parametrize(
    ("people", "options", "sentence"),
    [
        (["ana", " ana"], {}, "'ana' is named twice"),
        (["ana", ""], {}, "who shall review"),
        (["ana"], {"overlap": 2}, "cannot have 2 annotators"),
        (["ana"], {"where": "case:none"}, "nothing to assign"),
        (["ana"], {"where": "case:("}, "filter"),
        (["ana"], {"where": "NOT tag:copying"}, "cannot depend on tag"),
        (["ana"], {"when": "add"}, "there is no assignment yet"),
        (["ana"], {"codebook": "nonesuch"}, "nonesuch"),
    ],
)
def test_what_cannot_be_assigned_says_why_and_changes_nothing(
    audit: Path, people: list[str], options: dict[str, object], sentence: str
) -> None:
    before = audit.read_bytes()
    with pytest.raises(InputError, match=sentence):
        assign(audit, people, **options)  # type: ignore[arg-type]  # as the command line gives them
    assert audit.read_bytes() == before


def test_names_of_any_kind_are_found_again(audit: Path) -> None:
    names = ['a "b" c', "x:y", "[b]z[/]"]
    assign(audit, names, where="")
    assert all(items_of(audit, name) for name in names)


def test_progress_counts_what_is_left_of_an_assignment(audit: Path) -> None:
    assign(audit, ["ana", "ben"], overlap=2, where="")
    total = len(items_of(audit, "ana"))
    with closing(open_session(audit, "ana", QueueWish(where=own_items(audit, "ana", None), order="import"))) as session:
        for index in (0, 1):
            session.submit(session.item(index).response_id, ToggleTag("copying"))
        session.submit(session.item(0).response_id, MarkReviewed())
    ana, ben = review_progress(audit, "").annotators
    assert (ana.assigned, ana.left, ana.reviewed, ana.begun, ana.tags) == (total, total - 1, 1, 1, 2)
    assert (ben.assigned, ben.left, ben.reviewed) == (total, total, 0)
    assert verify(audit) == [check for check in verify(audit) if not check.problems]


def test_progress_counts_people_an_item(audit: Path) -> None:
    item = "demo/case-0/output/model-a/0"
    put_tags(audit, "ana", item, ["copying"])
    put_tags(audit, "ben", item, ["copying"])
    put_tags(audit, "ben", "demo/case-1/output/model-a/0", ["copying"])
    found = {one.reviews: one.items for one in review_progress(audit, "").items}
    assert (found[2], found[1]) == (1, 1)
    assert found[0] == sum(found.values()) - 2


def test_where_nobody_works_there_is_no_progress(audit: Path) -> None:
    found = review_progress(audit)
    assert (found.annotators, found.items) == ([], [])
