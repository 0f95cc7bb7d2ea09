"""The order of a selection: pieces that come while the file is looked through are the plain sort, whatever the way."""

from __future__ import annotations

import random
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from auditor.audit.grade import grade_file
from auditor.audit.load import LoadOptions, load
from auditor.audit.review import MarkReviewed, QueueWish, ToggleTag, open_session
from auditor.store import matches, selection
from auditor.store.file import open_file
from auditor.store.filter import LIVE, ORDERS, compile_filter
from auditor.store.selection import Search, Selection, matching_responses
from auditor.store.shuffle import Shuffle
from tests.runs import response, task, write_run

CASES = [f"c{number:02}" for number in range(12)]
SETTINGS = ["z-first", "m", "a-last"]
FILTERS = ["", "status:wrong", "arm:state", "case:c03,c05", "setting:m OR status:ungraded", "sample>0", "case:nothing"]
PER: list[tuple[str, ...]] = [(), ("arm",), ("setting", "status"), ("case",)]

_SMALLEST = "t.lines, s.id, c.id, t.id, g.id, r.sample, r.id"
_SORTED = {
    "import": "r.id",
    "smallest": _SMALLEST,
    "computed": f"d.mode, {_SMALLEST}",
    "disagreement": _SMALLEST,
    "random": "s.name, c.name, t.arm, g.name, r.sample, r.id",
}


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two studies, names that are not in the order of import, samples, replaced and ungraded responses, disputes."""
    chance = random.Random(5)
    folder = tmp_path_factory.mktemp("selection")
    tasks, responses = [], []
    for study in ("t", "s"):
        for case in chance.sample(CASES, len(CASES)):
            source = "\n" * chance.randrange(4) + f"print({study + case!r})\n"
            for arm in ("state", "output"):
                tasks.append(task(case, arm, study=study, source=source, oracle=f"{case}\n"))
                for setting in SETTINGS:
                    for sample in range(chance.randrange(3)):
                        reply = chance.choice([f"{case}\n", "7", "", None])
                        responses.append(response(case, arm, setting, study=study, sample=sample, response=reply))
    tables = {"t": "", "s": ""}
    run = write_run(folder / "run", tasks, chance.sample(responses, len(responses)), studies=tables)
    file = folder / "a.db"
    load(file, [run], LoadOptions())
    grade_file(file)
    # Replaced ones have no grade yet.
    changed = [dict(one, response="9") for one in responses[::7]]
    load(file, [write_run(folder / "again", tasks, changed, studies=tables)], LoadOptions(replace=True))
    for who, tags in (("ana", ("arithmetic", "copying")), ("ben", ("copying",)), ("cem", ())):
        with closing(open_session(file, who, QueueWish(where="", order="import"))) as session:
            for index in range(0, len(session), 3 if tags else 4):
                here = session.item(index).response_id
                for tag in tags[: 1 + index % 2]:
                    session.submit(here, ToggleTag(tag))
                session.submit(here, MarkReviewed())
    return file


@pytest.fixture
def connection(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(open_file(path)) as found:
        yield found


def disputed_tags(connection: sqlite3.Connection, response_id: int) -> int:
    """Count the tags that some of those who reviewed an item put on it and some did not."""
    who = connection.execute("SELECT annotator_id FROM reviews WHERE response_id = ?", (response_id,)).fetchall()
    tags = Counter(connection.execute("SELECT tag_id FROM applied_tags WHERE response_id = ?", (response_id,)))
    return sum(count < len(who) for count in tags.values())


def plainly(connection: sqlite3.Connection, selected: Selection) -> list[int]:
    """Sort all live responses, filter them, and take the first of each group, in the plainest way."""
    found = compile_filter(connection, selected.where)
    everything = f"SELECT r.id FROM {LIVE} WHERE r.superseded_at IS NULL"
    left = {row for (row,) in connection.execute(f"{everything} AND {found.text}", found.params)}
    ids = [row for (row,) in connection.execute(f"{everything} ORDER BY {_SORTED[selected.order]}")]
    if selected.order == "disagreement":
        ids.sort(key=lambda row: -disputed_tags(connection, row))
    if selected.order == "random":
        draw = random.Random(selected.seed).random
        for at in range(len(ids)):
            other = at + int(draw() * (len(ids) - at))
            ids[at], ids[other] = ids[other], ids[at]
    ids = [row for row in ids if row in left]
    if selected.take is None:
        return ids
    names = {"arm": "t.arm", "setting": "g.name", "status": "coalesce(d.status, '')", "case": "c.name"}
    columns = ", ".join(["r.id", *(names[name] for name in selected.per)])
    group_of = {row: tuple(group) for row, *group in connection.execute(f"SELECT {columns} FROM {LIVE}")}
    taken = Counter[Any]()
    kept = []
    for row in ids:
        taken[group_of[row]] += 1
        if taken[group_of[row]] <= selected.take:
            kept.append(row)
    return kept


@given(
    st.builds(
        Selection,
        where=st.sampled_from(FILTERS),
        order=st.sampled_from(ORDERS),
        seed=st.integers(0, 50),
        take=st.one_of(st.none(), st.integers(1, 4)),
        per=st.sampled_from(PER),
    ),
    st.sampled_from([0.0, 60.0]),
    st.sampled_from([0, 3, 1000]),
)
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_pieces_are_the_plain_sort(
    connection: sqlite3.Connection, selected: Selection, first_seconds: float, few: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        # Nothing, or everything, is found before the whole file is looked through; no mode, some or all are rare.
        patch.setattr(matches, "_FIRST_SECONDS", first_seconds)
        patch.setattr(selection, "_FIRST_SECONDS", first_seconds)
        patch.setattr(selection, "_FIRST_ITEMS", 10 + few)
        patch.setattr(selection, "_DRAWN_AT_FIRST", 7)
        patch.setattr(selection, "_FEW", few)
        patch.setattr(selection, "_MOST_IN_A_PIECE", 1 + few)
        pieces = list(Search(connection, selected).pieces())
    assert [row for piece in pieces for row in piece.ids] == plainly(connection, selected)
    assert max(len(piece.ids) for piece in pieces) <= 1 + few


@pytest.mark.parametrize("order", ORDERS)
def test_how_far_the_search_is_never_goes_back(connection: sqlite3.Connection, order: str) -> None:
    shares = [piece.scanned / piece.total for piece in Search(connection, Selection("", order)).pieces() if piece.total]
    assert shares == sorted(shares)
    assert shares[-1] <= 1


def test_what_people_dispute_comes_first_and_what_has_no_mode_before_the_others(connection: sqlite3.Connection) -> None:
    disputed = [disputed_tags(connection, row) for row in matching_responses(connection, "", "disagreement")]
    assert disputed == sorted(disputed, reverse=True)
    assert {0, 1, 2} <= set(disputed)
    modes = dict(connection.execute("SELECT response_id, mode FROM grades"))
    ordered = [modes.get(row) or "" for row in matching_responses(connection, "", "computed")]
    assert ordered == sorted(ordered)
    assert len(set(ordered)) > 3


def test_a_narrower_filter_keeps_the_random_order_of_what_is_left(connection: sqlite3.Connection) -> None:
    everything = matching_responses(connection, "", "random", seed=3)
    narrow = matching_responses(connection, "arm:state", "random", seed=3)
    assert narrow == [row for row in everything if row in set(narrow)]
    assert narrow != sorted(narrow)


def test_what_was_drawn_does_not_depend_on_how_much_is_drawn_at_once() -> None:
    one_by_one, at_once = Shuffle(50, 8), Shuffle(50, 8)
    drawn = [number for _ in range(60) for number in one_by_one.draw(1)]
    assert drawn == list(at_once.draw(50))
    assert sorted(drawn) == list(range(50))
    assert len(one_by_one) == len(at_once) == 0


def test_what_is_drawn_first_does_not_depend_on_what_is_kept_of_the_order(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = list(Shuffle(50, 8).draw(50))
    for few in (0, 7, 49):
        monkeypatch.setattr("auditor.store.shuffle._FEW", few)
        monkeypatch.setattr("auditor.store.shuffle._AT_ONCE", 8)
        shuffle = Shuffle(50, 8)
        assert [number for _ in range(10) for number in shuffle.draw(5)] == drawn


def test_every_order_of_a_few_numbers_comes_about_as_often() -> None:
    found = Counter(tuple(Shuffle(3, seed).draw(3)) for seed in range(6000))
    assert len(found) == 6
    assert all(850 < times < 1150 for times in found.values())


def test_a_file_without_responses_has_none_in_any_order(tmp_path: Path) -> None:
    with closing(open_file(tmp_path / "empty.db", create=True)) as connection:
        assert [matching_responses(connection, "", order) for order in ORDERS] == [[]] * len(ORDERS)
