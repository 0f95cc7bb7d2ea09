"""Sharing a review: whole clusters, the same number of people an item, and nobody's work is touched."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from auditor.audit.assignment import assign, draw_shares, own_items
from auditor.audit.codebook_revising import revise_codebook
from auditor.audit.inspect import verify
from auditor.audit.load import LoadOptions, load
from auditor.audit.progress import review_progress
from auditor.audit.review import MarkReviewed, QueueWish, ToggleTag, open_session
from auditor.audit.tags import put_tags
from auditor.codebook_changes import merge_tags
from auditor.errors import InputError
from auditor.formats.annotation_records import SampleDraw
from auditor.model import ResponseKey
from auditor.store.file import open_for_reading
from auditor.store.responses import load_response
from auditor.store.selection import matching_responses
from tests.builders import ARMS, SETTINGS, make_audit
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


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_audit(tmp_path_factory.mktemp("sample") / "a.db", cases=8)


groupings = st.sampled_from([(), ("arm",), ("setting",), ("setting", "arm"), ("size",), ("case", "arm")])
draws = st.builds(SampleDraw, st.integers(1, 40), groupings, st.sampled_from(["random", "smallest", "computed"]))


def group_of(item: ResponseKey, per: tuple[str, ...]) -> tuple[str, ...]:
    names = {"arm": item.arm, "setting": item.setting, "case": item.case, "size": item.case}
    return tuple(names[name] for name in per)


def keys_of(path: Path, annotator: str) -> set[ResponseKey]:
    with closing(open_for_reading(path)) as connection:
        return {load_response(connection, row).key for row in items_of(path, annotator)}


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(draws, st.integers(0, 2**63 - 1))
def test_all_have_the_same_sample_the_seed_fixes_it_and_no_group_has_more(
    shared: Path, draw: SampleDraw, seed: int
) -> None:
    done = assign(shared, PEOPLE, where="", draw=draw, seed=seed, when="replace")
    mine = {name: keys_of(shared, name) for name in PEOPLE}
    assert mine["ana"] == mine["ben"] == mine["cem"]
    assert len(mine["ana"]) == done.items == done.shares[0].items
    sizes = Counter(group_of(item, draw.per) for item in mine["ana"])
    everything = Counter(
        group_of(ResponseKey("demo", f"case-{case}", arm, setting, 0), draw.per)
        for case in range(8)
        for arm in ARMS
        for setting in SETTINGS
    )
    assert sizes == {group: min(draw.take, size) for group, size in everything.items()}
    assert assign(shared, PEOPLE, where="", draw=draw, seed=seed, when="replace") == done
    assert keys_of(shared, "ana") == mine["ana"]
    grown = assign(shared, PEOPLE, draw=draw._replace(take=draw.take + 3), when="add")
    assert grown == assign(shared, PEOPLE, draw=draw._replace(take=draw.take + 3), when="add")._replace(
        added=grown.added
    )
    assert keys_of(shared, "ben") >= mine["ben"]
    assert grown.items == sum(min(draw.take + 3, size) for size in everything.values())


def test_a_narrower_filter_takes_the_same_items_in_the_same_order(audit: Path) -> None:
    assign(audit, PEOPLE, where="", draw=SampleDraw(12, ("arm",), "random"), seed=5)
    both = keys_of(audit, "ana")
    assign(audit, PEOPLE, where="arm:output", draw=SampleDraw(12, (), "random"), seed=5, when="replace")
    assert keys_of(audit, "ana") == {item for item in both if item.arm == "output"}


def test_a_sample_is_shared_out_by_cluster_where_fewer_are_to_review_each(audit: Path) -> None:
    done = assign(audit, PEOPLE, overlap=2, where="", draw=SampleDraw(20, (), "random"))
    counts = Counter(item for name in PEOPLE for item in items_of(audit, name))
    assert (len(counts), set(counts.values()), done.items) == (20, {2}, 20)
    assert [share.items for share in done.shares] == [len(items_of(audit, name)) for name in PEOPLE]


def test_progress_counts_the_items_of_a_sample(audit: Path) -> None:
    assign(audit, ["ana", "ben"], where="", draw=SampleDraw(7, (), "random"))
    with closing(open_session(audit, "ana", QueueWish(where=own_items(audit, "ana", None), blind=True))) as session:
        assert len(session) == 7
        session.submit(session.item(0).response_id, MarkReviewed())
    ana, ben = sorted(review_progress(audit, "").annotators, key=lambda one: one.annotator)
    assert (ana.assigned, ana.left, ben.assigned, ben.left) == (7, 6, 7, 7)


def test_a_review_of_what_is_assigned_says_so_and_not_how_that_was_drawn(audit: Path) -> None:
    assign(audit, ["ana", "ben"], draw=SampleDraw(7, (), "random"))
    for wish, words in (
        (QueueWish("", assigned=True), "assigned to you · smallest"),
        (QueueWish("arm:output", "random", assigned=True), "assigned to you · arm:output · random, seed 0"),
        (QueueWish("", "random", 3, blind=True, assigned=True), "assigned to you · blind · random, seed 3 of your own"),
    ):
        with closing(open_session(audit, "ana", wish)) as session:
            assert session.description.startswith(words)
            filtered = {session.item(index).response_id for index in range(len(session))}
            assert filtered == items_of(audit, "ana", wish.where)


def test_only_what_needs_another_look_in_this_queue_is_counted(audit: Path) -> None:
    for case in (0, 1, 2):
        put_tags(audit, "ana", f"demo/case-{case}/output/model-a/0", ["arithmetic"])
    revise_codebook(audit, lambda book: merge_tags(book, "arithmetic", "state-transition"))
    with closing(open_session(audit, "ana", QueueWish("case:case-0,case-1", "import"))) as session:
        assert session.to_look_at_again == 2
        session.submit(session.item(0).response_id, MarkReviewed())
        assert session.to_look_at_again == 1
        session.use_queue(session.find_items("case:case-2", "import"))
        session.wait_for_rows(2)
        assert session.to_look_at_again == 1
        session.use_queue(session.find_items("case:case-5", "import"))
        session.wait_for_rows(2)
        assert session.to_look_at_again == 0


def test_a_reply_that_is_imported_anew_stays_in_the_sample(tmp_path: Path) -> None:
    def run(word: str) -> Path:
        cases = [f"c{n}" for n in range(6)]
        answers = [response(case, response=word) for case in cases]
        return write_run(tmp_path / word, [task(case) for case in cases], answers)

    path = tmp_path / "a.db"
    load(path, [run("wrong")], LoadOptions())
    assign(path, ["ana", "ben"], where="", draw=SampleDraw(3, (), "random"))
    before = keys_of(path, "ana")
    load(path, [run("other")], LoadOptions(replace=True))
    assert (keys_of(path, "ana"), keys_of(path, "ben")) == (before, before)


@pytest.mark.parametrize(
    ("draw", "options", "sentence"),
    [
        (SampleDraw(3, ("nonesuch",), "random"), {}, "there is no dimension 'nonesuch'"),
        (SampleDraw(3, ("tag",), "random"), {}, "tag"),
        (SampleDraw(3, (), "disagreement"), {}, "cannot depend on the order disagreement"),
        (SampleDraw(2, (), "random"), {"when": "add"}, "was drawn with --take 3"),
    ],
)
def test_a_sample_that_cannot_be_drawn_says_why_and_changes_nothing(
    audit: Path, draw: SampleDraw, options: dict[str, str], sentence: str
) -> None:
    assign(audit, ["ana", "ben"], draw=SampleDraw(3, (), "random"))
    before = items_of(audit, "ana")
    with pytest.raises(InputError, match=sentence):
        assign(audit, ["ana", "ben"], draw=draw, **{"when": "replace", **options})  # type: ignore[arg-type]  # as given
    assert items_of(audit, "ana") == before


def test_what_is_no_sample_is_not_made_one(audit: Path) -> None:
    assign(audit, ["ana", "ben"])
    with pytest.raises(InputError, match="is no sample"):
        assign(audit, ["ana", "ben"], draw=SampleDraw(3, (), "random"), when="add")


@pytest.mark.parametrize("draw", [None, SampleDraw(4, (), "random")])
def test_assignments_under_two_codebooks_are_kept_apart(audit: Path, draw: SampleDraw | None) -> None:
    assign(audit, ["ana", "ben"], where="arm:output", codebook="execution", draw=draw)
    assign(audit, ["ana", "ben"], where="", codebook="prex", seed=4, draw=draw)
    with closing(open_for_reading(audit)) as connection:
        own = {book: own_items(audit, "ana", book) for book in ("execution", "prex")}
        mine = {book: set(matching_responses(connection, where)) for book, where in own.items()}
        both = set(matching_responses(connection, "assigned:ana"))
    assert mine["execution"] | mine["prex"] <= both and mine["execution"] != mine["prex"]
    found = {one.codebook: one for one in review_progress(audit, "").annotators if one.annotator == "ana"}
    assert {book: len(items) for book, items in mine.items()} == {book: found[book].assigned for book in mine}
    for book, items in mine.items():
        with closing(open_session(audit, "ana", QueueWish("", codebook=book, assigned=True))) as session:
            assert len(session) == len(items)
            session.submit(session.item(0).response_id, MarkReviewed())
    found = {one.codebook: one for one in review_progress(audit, "").annotators if one.annotator == "ana"}
    assert {book: found[book].left for book in mine} == {book: len(items) - 1 for book, items in mine.items()}
