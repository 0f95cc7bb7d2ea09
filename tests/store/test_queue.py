"""What the review loop reads: windows of the queue and whole items, each by index whatever the size."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from auditor.codebook import find_codebook
from auditor.model import ReviewState, Status
from auditor.store.annotators import ensure_annotator
from auditor.store.codebook_revisions import ensure_codebook
from auditor.store.file import now, open_file, transaction
from auditor.store.history import Actor, act, evidence_hash, uuid7
from auditor.store.queue import annotator_states, last_reviewed_response, load_item, load_rows
from auditor.store.ratings import annotators_of_kind, rated_items, reviewed_codebooks
from auditor.store.reviews import Defer, Intent, MarkReviewed, NothingToTag, PutTags, ToggleTag
from tests.builders import make_audit


class Desk:
    """Two annotators at one file."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        with transaction(connection):
            book = ensure_codebook(connection, find_codebook("execution"))
            self.ana, self.ben = (Actor(ensure_annotator(connection, name), book) for name in ("ana", "ben"))

    def do(self, who: Actor, response_id: int, intent: Intent, origin: str = "review") -> None:
        with transaction(self.connection):
            act(self.connection, who, response_id, intent, uuid=uuid7(), at=now(), origin=origin)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    path = make_audit(tmp_path / "a.db", replies={(0, "output", "model-a"): "right"})
    with closing(open_file(path)) as connection:
        yield Desk(connection)


def test_a_window_shows_only_ones_own_work(desk: Desk) -> None:
    desk.do(desk.ana, 2, ToggleTag("copying"))
    desk.do(desk.ana, 2, ToggleTag("arithmetic"))
    desk.do(desk.ben, 3, Defer())
    rows = load_rows(desk.connection, desk.ana, [3, 2, 1])
    assert set(rows) == {1, 2, 3}
    assert (rows[2].review.state, rows[2].review.tags) == (ReviewState.IN_PROGRESS, ("arithmetic", "copying"))
    assert rows[3].review.state is ReviewState.NOT_REVIEWED
    assert (rows[1].status, rows[1].mode, rows[1].lines) == (Status.CORRECT_VALID, "correct", 1)
    assert str(rows[2].key) == "demo/case-0/output/model-b/0"
    assert load_rows(desk.connection, desk.ben, [3])[3].review.state is ReviewState.DEFERRED
    assert load_rows(desk.connection, desk.ana, []) == {}


def test_an_item_carries_the_hash_of_what_is_shown(desk: Desk) -> None:
    item = load_item(desk.connection, desk.ana, 2, 0, None)
    assert item.evidence == evidence_hash(desk.connection, 2)
    assert (item.oracle_text, item.response.text, item.task.key.case) == ("right", "wrong", "case-0")
    desk.connection.execute("DELETE FROM grades WHERE response_id = 2")
    assert load_item(desk.connection, desk.ana, 2, 0, None).grade is None


def test_the_last_item_is_the_one_acted_on_with_the_keyboard(desk: Desk) -> None:
    assert last_reviewed_response(desk.connection, desk.ana) is None
    desk.do(desk.ana, 2, MarkReviewed())
    desk.do(desk.ana, 5, PutTags(("copying",)), origin="import")
    desk.do(desk.ben, 7, MarkReviewed())
    assert last_reviewed_response(desk.connection, desk.ana) == 2
    assert annotator_states(desk.connection, desk.ana) == {2: ReviewState.REVIEWED, 5: ReviewState.REVIEWED}


def test_the_reads_of_the_review_loop_scan_no_table(desk: Desk) -> None:
    seen: list[str] = []
    desk.connection.set_trace_callback(seen.append)
    load_rows(desk.connection, desk.ana, [1, 2])
    load_item(desk.connection, desk.ana, 2, 0, None)
    last_reviewed_response(desk.connection, desk.ana)
    desk.connection.set_trace_callback(None)
    plans = [
        step
        for sql in seen
        for *_, step in desk.connection.execute(f"EXPLAIN QUERY PLAN {sql}")
        if step.startswith("SCAN") and step != "SCAN CONSTANT ROW"
    ]
    assert len(seen) >= 5 and plans == []


def test_only_what_was_reviewed_is_a_rating(desk: Desk) -> None:
    assert reviewed_codebooks(desk.connection) == []
    desk.do(desk.ana, 1, ToggleTag("copying"))
    desk.do(desk.ana, 2, ToggleTag("copying"))
    desk.do(desk.ana, 2, MarkReviewed())
    desk.do(desk.ben, 2, NothingToTag())
    desk.do(desk.ben, 3, Defer())
    assert reviewed_codebooks(desk.connection) == ["execution"]
    assert annotators_of_kind(desk.connection, "execution", None) == ["ana", "ben"]
    found = rated_items(desk.connection, "execution", ["ana", "ben"])
    assert (found.items, found.annotators) == ([2, 2], ["ana", "ben"])
    assert found.tags == [frozenset({"copying"}), frozenset()]
    assert rated_items(desk.connection, "execution", ["ben"]).items == [2]
    assert rated_items(desk.connection, "\ud83d", ["ben"]).items == []
    desk.connection.execute("UPDATE responses SET superseded_at = 'now' WHERE id = 2")
    assert rated_items(desk.connection, "execution", ["ana", "ben"]).items == []
