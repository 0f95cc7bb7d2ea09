"""Responses: bulk rows in, in order and losslessly; conflicts, replacement, look-ups by name."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.errors import AuditFileError
from auditor.model import ResponseKey, Setting, Study, Task
from auditor.store.catalog import Catalog
from auditor.store.file import open_file, transaction
from auditor.store.responses import (
    NewRow,
    find_response,
    has_response,
    insert_new_responses,
    insert_responses,
    iterate_responses,
    load_response,
    new_row,
    require_responses,
    response_hash,
)
from auditor.store.tasks import Outcome
from auditor.text import UndecodedText, from_storage
from tests.hostile import HOSTILE

OPTIONAL = st.none() | st.text(st.characters(), max_size=8) | st.text(st.characters(), max_size=8).map(UndecodedText)


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """One task and two settings, nothing answered yet."""
    with closing(open_file(tmp_path / "a.db", create=True)) as found, transaction(found):
        catalog = Catalog(found)
        catalog.add_study(Study("s"), replace=False)
        catalog.add_task(Task("s", "c", "a", "python", "", "", "output", "x"), "program", replace=False)
        for name in ("m", "\ud83d"):
            catalog.add_setting(Setting(name))
        yield found


def row(sample: int, reply: str | None = "x", setting: int = 1, error: str | None = None) -> NewRow:
    return new_row(1, setting, sample, reply, None, "stop", error, None)


def insert(connection: sqlite3.Connection, rows: Sequence[NewRow], replace: bool = False) -> list[Outcome]:
    return insert_responses(connection, rows, replace=replace)


def texts(connection: sqlite3.Connection) -> list[tuple[int, str | None]]:
    return [(found.key.sample, found.text) for found in iterate_responses(connection)]


@pytest.mark.parametrize("count", [0, 1, 199, 200, 201, 650])
def test_many_rows_go_in_at_once_and_in_order(connection: sqlite3.Connection, count: int) -> None:
    rows = [row(n, str(n), error="e" if n % 7 == 0 or 300 < n < 320 else None) for n in range(count)]
    assert insert_new_responses(connection, rows)
    assert texts(connection) == [(n, str(n)) for n in range(count)]


def test_one_known_key_among_new_ones_is_told(connection: sqlite3.Connection) -> None:
    insert(connection, [row(5)])
    connection.execute("SAVEPOINT batch")
    assert not insert_new_responses(connection, [row(n) for n in range(10)])
    connection.execute("ROLLBACK TO batch")
    assert (
        insert(connection, [row(n) for n in range(10)]) == [Outcome.NEW] * 5 + [Outcome.UNCHANGED] + [Outcome.NEW] * 4
    )


def test_outcomes_come_in_the_order_of_the_rows(connection: sqlite3.Connection) -> None:
    insert(connection, [row(0), row(1)])
    given_rows = [row(0), row(1, "y"), row(2), row(2), row(2, "z"), row(0, setting=2)]
    new, same, conflict = Outcome.NEW, Outcome.UNCHANGED, Outcome.CONFLICT
    assert insert(connection, given_rows) == [same, conflict, new, same, conflict, new]
    assert texts(connection) == [(0, "x"), (1, "x"), (2, "x"), (0, "x")]


def test_a_replaced_row_stays_superseded_and_loses_its_grade(connection: sqlite3.Connection) -> None:
    insert(connection, [row(0)])
    connection.execute("INSERT INTO grades VALUES (1, 'wrong-valid', 'm', 'e', 'bytes', 0, 'now', NULL, '{}')")
    assert insert(connection, [row(0, "y"), row(1)], replace=True) == [Outcome.REPLACED, Outcome.NEW]
    assert sorted(texts(connection)) == [(0, "y"), (1, "x")]
    assert connection.execute("SELECT count(*) FROM grades").fetchone() == (0,)
    assert has_response(connection, 1) and load_response(connection, 1).text == "x"
    assert find_response(connection, ResponseKey("s", "c", "a", "m", 0)) != 1


@pytest.mark.parametrize("name", HOSTILE)
def test_text_of_any_kind_comes_back(connection: sqlite3.Connection, name: str) -> None:
    text = HOSTILE[name]
    rows = [new_row(1, 1, 0, text, None, text, None, None), new_row(1, 1, 1, "r", text, text, text, None)]
    insert(connection, rows)
    one, two = iterate_responses(connection)
    assert (one.text, one.finish, two.reasoning, two.finish, two.error) == (text,) * 5


def test_responses_are_found_by_names_of_any_kind(connection: sqlite3.Connection) -> None:
    insert(connection, [row(0, setting=2)])
    assert find_response(connection, ResponseKey("s", "c", "a", "\ud83d", 0)) == 1
    assert find_response(connection, ResponseKey("s", "c", "a", "m", 0)) is None
    assert not has_response(connection, 2)


def test_an_empty_file_is_told_from_a_filled_one(connection: sqlite3.Connection) -> None:
    with pytest.raises(AuditFileError, match=r"x\.db holds no responses yet"):
        require_responses(connection, Path("x.db"))
    insert(connection, [row(0)])
    require_responses(connection, Path("x.db"))


@given(OPTIONAL, OPTIONAL, OPTIONAL, OPTIONAL)
def test_a_row_holds_what_the_hash_and_the_texts_say(
    reply: str | None, reasoning: str | None, finish: str | None, error: str | None
) -> None:
    made = new_row(1, 2, 3, reply, reasoning, finish, error, None)
    assert made[:4] == (1, 2, 3, response_hash(reply, reasoning, finish, error))
    stored = (*made[4:], *([None] * 5))
    assert from_storage(stored[0]) == finish and from_storage(stored[1]) == reply
    if len(made) > 6:
        assert (from_storage(stored[2]), from_storage(stored[3])) == (reasoning, error)
    else:
        assert reasoning is None and error is None


@given(st.lists(st.tuples(OPTIONAL, OPTIONAL, OPTIONAL, OPTIONAL), min_size=2, max_size=2, unique_by=repr))
def test_different_contents_have_different_hashes(pair: list[tuple[str | None, ...]]) -> None:
    one, two = pair
    if [(p, type(p)) for p in one] != [(p, type(p)) for p in two] and one != two:
        assert response_hash(*one) != response_hash(*two)


def test_what_stands_in_one_field_is_not_taken_for_another() -> None:
    hashes = [
        response_hash("a", None, "b", None),
        response_hash("a\0b", None, None, None),
        response_hash("a", "b", None, None),
        response_hash("a", None, None, "b"),
        response_hash("", None, "ab", None),
        response_hash(None, None, "ab", None),
        response_hash("a", None, None, None),
        response_hash("a", None, "None", None),
        response_hash("\udcff", None, None, None),
        response_hash(UndecodedText("\udcff"), None, None, None),
    ]
    assert len(set(hashes)) == len(hashes)
