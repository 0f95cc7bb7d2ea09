"""Decisions in the history: what holds, what is stale, what follows from the reviews alone, and what a filter finds."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from auditor.errors import InputError
from auditor.model import AnnotatorKind, ReviewState
from auditor.store.annotators import ensure_annotator
from auditor.store.decisions import (
    ADJUDICATED,
    OPEN,
    SINGLE,
    STALE,
    UNANIMOUS,
    UNRESOLVED,
    Standing,
    item_states,
    load_standings,
)
from auditor.store.file import transaction
from auditor.store.history import Actor, Recorded, act, uuid7
from auditor.store.replay import replay_differences
from auditor.store.reviews import Decide, MarkReviewed, PutTags, Redo, Ruling, ToggleTag, Undo
from auditor.store.selection import matching_responses
from auditor.text import from_storage
from tests.builders import make_audit
from tests.hostile import HOSTILE
from tests.store.test_history import Desk


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return make_audit(tmp_path / "audit.db")


class Table:
    """Ana and ben who reviewed, and lm who decides, at one audit file."""

    def __init__(self, path: Path) -> None:
        self.ana, self.ben, self.lm = (Desk(path, name) for name in ("ana", "ben", "lm"))
        self.connection = self.lm.connection

    def standing(self, response_id: int) -> Standing:
        return load_standings(self.connection, self.lm.actor.book.id, (response_id,))[response_id]

    def state(self, response_id: int) -> str | None:
        alone = self.standing(response_id).state
        assert item_states(self.connection, self.lm.actor.book.id).get(response_id, (None, 0))[0] == alone
        return alone

    def decide(self, response_id: int, tag: str, verdict: str, note: str = "") -> Recorded | None:
        marks = self.standing(response_id).marks(tag)
        return self.lm.do(response_id, Decide((Ruling(tag, verdict, note, marks),)))


@pytest.fixture
def table(path: Path) -> Table:
    return Table(path)


def put(*tags: str) -> PutTags:
    return PutTags(tags, replace=True)


def test_the_same_tags_in_another_order_agree_and_a_changed_review_opens_the_item_again(table: Table) -> None:
    for tag in ("arithmetic", "copying"):
        table.ana.do(1, ToggleTag(tag))
    table.ana.do(1, MarkReviewed())
    assert table.state(1) == SINGLE
    for tag in ("copying", "arithmetic"):
        table.ben.do(1, ToggleTag(tag))
    assert table.state(1) == SINGLE, "begun is not reviewed"
    table.ben.do(1, MarkReviewed())
    assert table.state(1) == UNANIMOUS
    table.ben.do(1, ToggleTag("copying"))
    assert table.state(1) == OPEN
    assert {tag for tag in table.standing(1).tags() if table.standing(1).source(tag) == OPEN} == {"copying"}


def test_two_who_found_nothing_agree_and_an_annotator_without_a_review_says_nothing(table: Table) -> None:
    table.ana.do(2, put())
    assert (table.state(2), table.state(3)) == (SINGLE, None)
    table.ben.do(2, put())
    assert table.state(2) == UNANIMOUS and table.standing(2).tags() == set()
    assert table.standing(2).marks("copying") == (("ana", False), ("ben", False))


def test_a_decision_holds_until_a_mark_that_it_was_made_on_changes(table: Table) -> None:
    table.ana.do(1, put("arithmetic", "copying"))
    table.ben.do(1, put("arithmetic"))
    table.decide(1, "copying", "present", "it is there")
    assert table.state(1) == ADJUDICATED
    table.ben.do(1, put("arithmetic", "other"))
    assert table.state(1) == OPEN, "another tag is open; the decision is as it was"
    assert not table.standing(1).is_stale("copying")
    table.ben.do(1, put("arithmetic", "copying"))
    assert table.state(1) == STALE and table.standing(1).is_stale("copying")
    table.decide(1, "copying", "present", "still")
    assert table.state(1) == ADJUDICATED
    table.ben.do(1, ToggleTag("copying"))
    table.ben.do(1, Undo())
    assert table.state(1) == ADJUDICATED, "the marks are again those that it was made on"
    third = Desk(Path(table.connection.execute("PRAGMA database_list").fetchone()[2]), "cyd")
    third.do(1, put("arithmetic", "copying"))
    assert table.state(1) == STALE, "cyd had not been heard"
    assert replay_differences(table.connection) == []


def test_unresolved_is_a_decision_and_undo_takes_decisions_back_one_by_one(table: Table) -> None:
    table.ana.do(1, put("copying"))
    table.ben.do(1, put())
    table.decide(1, "copying", "unresolved", "nobody can tell")
    assert table.state(1) == UNRESOLVED
    assert table.decide(1, "copying", "unresolved", "nobody can tell") is None
    table.decide(1, "copying", "absent")
    assert table.state(1) == ADJUDICATED
    undone = table.lm.do(1, Undo())
    assert undone is not None and undone.of == "decide" and table.state(1) == UNRESOLVED
    table.lm.do(1, Undo())
    assert table.state(1) == OPEN and table.lm.view(1).rulings == ()
    table.lm.do(1, Redo())
    table.lm.do(1, Redo())
    assert table.standing(1).decisions["copying"].ruling.verdict == "absent"
    table.lm.do(1, Decide((), ("copying",)))
    assert table.state(1) == OPEN
    assert replay_differences(table.connection) == []
    assert table.lm.view(1).state is ReviewState.NOT_REVIEWED, "who decides does not become a reviewer"
    assert table.connection.execute("SELECT count(*) FROM reviews").fetchone() == (2,)


def test_the_later_of_two_decisions_holds_whatever_the_clocks_say(table: Table, path: Path) -> None:
    table.ana.do(1, put("copying"))
    table.ben.do(1, put())
    other, marks = Desk(path, "cyd"), table.standing(1).marks("copying")

    def at(desk: Desk, verdict: str, time: str) -> None:
        intent = Decide((Ruling("copying", verdict, "", marks),))
        with transaction(desk.connection):
            act(desk.connection, desk.actor, 1, intent, uuid=uuid7(), at=time)

    at(other, "present", "2030-01-01T00:00:00.000Z")
    at(table.lm, "absent", "2026-01-01T00:00:00.000Z")
    decision = table.standing(1).decisions["copying"]
    assert (decision.adjudicator, decision.ruling.verdict) == ("lm", "absent"), "the clock of cyd is ahead"
    table.lm.do(1, Undo())
    assert table.standing(1).decisions["copying"].adjudicator == "cyd"
    holding = "SELECT adjudicator, verdict, marks FROM decision_overview WHERE holds"
    assert table.connection.execute(holding).fetchall() == [("cyd", "present", '{"ana": true, "ben": false}')]


def test_people_count_and_models_and_second_passes_only_by_name(table: Table) -> None:
    table.ana.do(1, put("copying"))
    for name, kind in (("judge", AnnotatorKind.MODEL), ("ana#2", AnnotatorKind.PERSON)):
        with transaction(table.connection):
            annotator_id = ensure_annotator(table.connection, name, kind)
            actor = Actor(annotator_id, table.lm.actor.book)
            act(table.connection, actor, 1, put(), uuid=uuid7(), at="2026-01-01T00:00:00.000Z")
    assert table.state(1) == SINGLE
    book = table.lm.actor.book.id
    assert item_states(table.connection, book, ("ana", "judge"))[1] == (OPEN, 1)
    standing = load_standings(table.connection, book, (1,), ("ana", "judge"))[1]
    assert [voice.annotator for voice in standing.voices] == ["ana", "judge"]
    table.lm.do(1, Decide((Ruling("copying", "absent", "", standing.marks("copying")),)))
    assert table.state(1) == ADJUDICATED, "whom it was decided between counts from then on"


def test_a_decision_names_everything_so_that_its_event_means_the_same_elsewhere(table: Table) -> None:
    table.ana.do(1, put("copying"))
    table.ben.do(1, put())
    table.decide(1, "copying", "present", "seen")
    (change,) = table.connection.execute("SELECT change FROM events WHERE action = 'decide'").fetchone()
    marks = [["ana", True], ["ben", False]]
    assert json.loads(change) == {"decided": [["copying", None, ["copying", "present", "seen", marks]]]}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_any_note_and_name_survives_the_history(path: Path, text: str) -> None:
    table = Table(path)
    name = text if text.strip() else "somebody"
    Desk(path, f"x{name}").do(1, put("copying"))
    table.ana.do(1, put())
    table.decide(1, "copying", "present", text)
    assert table.standing(1).decisions["copying"].ruling == Ruling(
        "copying", "present", text, tuple(sorted([("ana", False), (f"x{name}", True)]))
    )
    assert table.state(1) == ADJUDICATED and replay_differences(table.connection) == []


def test_a_replay_finds_a_decision_that_was_changed_past_the_history(table: Table) -> None:
    table.ana.do(1, put("copying"))
    table.ben.do(1, put())
    table.decide(1, "copying", "present")
    table.connection.execute("UPDATE decisions SET verdict = 'absent'")
    assert "copying decided absent" in replay_differences(table.connection)[0]
    table.connection.execute("DELETE FROM decisions")
    assert "the file holds nothing" in replay_differences(table.connection)[0]


def found_by(connection: sqlite3.Connection, where: str) -> list[int]:
    return matching_responses(connection, where)


def test_a_filter_finds_items_by_how_they_stand(table: Table) -> None:
    for item in range(1, 7):
        table.ana.do(item, put("copying"))
        table.ben.do(item, put("copying") if item == 1 else put())
    for item, verdict in ((2, "present"), (3, "unresolved"), (4, "absent")):
        table.decide(item, "copying", verdict)
    table.ben.do(4, put("other", "copying"))
    table.lm.do(4, Decide((Ruling("other", "absent", "", table.standing(4).marks("other")),)))
    table.ana.do(7, put())
    expected = {"unanimous": [1], "adjudicated": [2], "unresolved": [3], "stale": [4], "open": [5, 6], "single": [7]}
    for state, items in expected.items():
        assert found_by(table.connection, f"decision:{state}") == items
    assert found_by(table.connection, "decision:open,stale") == [4, 5, 6]
    assert found_by(table.connection, "decision:adjudicated OR decision:unresolved") == [2, 3]
    assert found_by(table.connection, "decision:open NOT decision:unresolved arm:output") == [5, 6]
    assert found_by(table.connection, "NOT decision:open,stale,unresolved,adjudicated,unanimous,single")[0] == 8
    with pytest.raises(InputError, match=r"no decision 'opn'.*Did you mean decision:open"):
        found_by(table.connection, "decision:opn")


def test_what_a_tag_counts_as_after_a_merge_is_what_is_decided(table: Table) -> None:
    table.ana.do(1, put("copying"))
    table.ben.do(1, put("other"))
    table.decide(1, "copying", "present")
    table.decide(1, "other", "absent")
    ids = table.lm.actor.book.tag_ids
    with transaction(table.connection):
        table.connection.execute("UPDATE tags SET counts_as = ? WHERE id = ?", (ids["other"], ids["copying"]))
    standing = table.standing(1)
    assert from_storage("other") in standing.decisions and set(standing.decisions) == {"other"}
    assert standing.is_stale("other") and table.state(1) == STALE, "both put what is one tag by now"
