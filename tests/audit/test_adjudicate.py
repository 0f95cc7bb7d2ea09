"""What adjudication asks about, what a decision makes of an item, and what it all comes to."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest

from auditor.audit.adjudicate import AdjudicationWish, decide_item, open_adjudication, read_overview, why_nothing
from auditor.audit.adjudication import Adjudication
from auditor.audit.decided import FinalRecord, final_records, finals
from auditor.audit.inspect import verify
from auditor.audit.review import Decide, Pending, Redo, ReviewSession, Saved, Undo
from auditor.audit.rulings import Case, NoteNeededError, decide_tags, describe_stale, take_set
from auditor.errors import InputError
from auditor.store.changes import Ruling
from auditor.store.file import open_file, open_for_reading
from auditor.store.reviews import PutTags
from tests.builders import make_audit
from tests.store.test_history import Desk


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return make_audit(tmp_path / "audit.db", cases=6)


def put(
    path: Path, annotator: str, response_id: int, *tags: str, note: str | None = None, book: str = "execution"
) -> None:
    desk = Desk(path, annotator, book)
    desk.do(response_id, PutTags(tags, note, replace=True))
    desk.connection.close()


def case_of(path: Path, index: int = 0, where: str = "") -> Case:
    _, cases = read_overview(path, AdjudicationWish(where))
    return cases[index][1]


def key_of(path: Path, response_id: int) -> str:
    _, cases = read_overview(path, AdjudicationWish())
    return next(key for key, case in cases if case.response_id == response_id)


def needing(case: Case) -> list[str]:
    return [row.tag.id for row in case.needing]


def final(path: Path, where: str = "") -> list[FinalRecord]:
    with closing(open_for_reading(path)) as connection:
        return list(final_records(connection, finals(connection, where, unresolved=True)))


# --- what is asked -------------------------------------------------------------------------------------------------


def test_only_what_differs_is_asked_and_identical_sets_are_not(path: Path) -> None:
    put(path, "ana", 1, "arithmetic", "copying")
    put(path, "ben", 1, "copying", "arithmetic")
    put(path, "ana", 2, "arithmetic", "copying")
    put(path, "ben", 2, "arithmetic")
    put(path, "ana", 3, "copying")
    found, cases = read_overview(path, AdjudicationWish())
    assert dict(found.counts) == {"unanimous": 1, "open": 1, "single": 1}
    assert [case.response_id for _, case in cases] == [2]
    assert needing(cases[0][1]) == ["copying"]


@pytest.mark.parametrize(
    ("reviews", "words"),
    [
        ([], "nobody has reviewed anything"),
        ([("ana", ())], "1 item was reviewed, each by one annotator only"),
        ([("ana", ("copying",)), ("ben", ("copying",))], "all agree on the 1 item that was reviewed by several"),
    ],
)
def test_nothing_to_adjudicate_says_why(path: Path, reviews: list[tuple[str, tuple[str, ...]]], words: str) -> None:
    for annotator, tags in reviews:
        put(path, annotator, 1, *tags)
    found, _ = read_overview(path, AdjudicationWish())
    assert words in why_nothing(found)
    before = path.read_bytes()
    with pytest.raises(InputError, match=words.replace("(", r"\(")):
        open_adjudication(path, "lm", AdjudicationWish())
    with closing(open_for_reading(path)) as connection:
        assert connection.execute("SELECT count(*) FROM annotators WHERE name = 'lm'").fetchone() == (0,)
    assert len(path.read_bytes()) == len(before)


def test_orders_put_what_differs_most_first_or_the_smallest(path: Path) -> None:
    for item, tags in ((9, ("copying", "arithmetic")), (1, ("copying",)), (5, ("copying",))):
        put(path, "ana", item, *tags)
        put(path, "ben", item)

    def order(name: str) -> list[int]:
        found, _ = read_overview(path, AdjudicationWish(order=name))
        return found.ids

    assert order("disagreement") == [9, 1, 5]
    assert order("smallest") == order("import") == [1, 5, 9]
    assert sorted(order("random")) == [1, 5, 9]
    with pytest.raises(InputError, match="no order 'odd'"):
        order("odd")
    with pytest.raises(InputError, match="no annotator 'judge'"):
        read_overview(path, AdjudicationWish(among=("ana", "judge")))


# --- deciding ------------------------------------------------------------------------------------------------------


def test_what_overrides_everyone_needs_a_note(path: Path) -> None:
    put(path, "ana", 1, "arithmetic", "copying")
    put(path, "ben", 1, "arithmetic")
    item = key_of(path, 1)
    for tag, verdict in (("arithmetic", "absent"), ("other", "present"), ("arithmetic", "unresolved")):
        with pytest.raises(NoteNeededError, match=f"overrides everyone.*{tag}"):
            decide_item(path, "lm", item, [(tag, verdict)])
        with pytest.raises(NoteNeededError):
            decide_item(path, "lm", item, [(tag, verdict)], note="  ")
    decide_item(path, "lm", item, [("other", "present")], note="see line 2")
    decide_item(path, "lm", item, [("copying", "absent")])
    case = case_of(path)
    assert [(row.tag.id, row.present, row.source) for row in case.rows if not row.is_agreed] == [
        ("copying", False, "adjudicated"),
        ("other", True, "adjudicated"),
    ]
    assert case.state == "adjudicated" and not any(check.problems for check in verify(path))


def test_a_tag_that_stands_alone_is_one_choice_with_the_others(path: Path) -> None:
    put(path, "ana", 1, "copying", "arithmetic")
    put(path, "ben", 1, "no-attempt")
    decide_item(path, "lm", key_of(path, 1), [("no-attempt", "present")])
    assert {row.tag.id: row.present for row in case_of(path).rows if not row.is_agreed} == {
        "copying": False,
        "arithmetic": False,
        "no-attempt": True,
    }
    decide_item(path, "lm", key_of(path, 1), [("copying", "present")])
    assert {row.tag.id: row.present for row in case_of(path).rows if not row.is_agreed} == {
        "copying": True,
        "arithmetic": False,
        "no-attempt": False,
    }
    with pytest.raises(InputError, match="cannot be both"):
        decide_item(path, "lm", key_of(path, 1), [("copying", "present"), ("no-attempt", "present")])


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    """Return an audit under a codebook whose tags are one exclusive group, on which ana and ben differ."""
    path = make_audit(tmp_path / "rules.db", codebook="prex")
    put(path, "ana", 1, "false-success", book="prex")
    put(path, "ben", 1, "wrong-rule", book="prex")
    return path


def values(path: Path) -> dict[str, str]:
    return {row.tag.id: row.decision.ruling.verdict for row in case_of(path).rows if row.decision}


def test_an_exclusive_group_is_decided_as_one_choice(rules: Path) -> None:
    item = key_of(rules, 1)
    decide_item(rules, "lm", item, [("wrong-rule", "present")])
    assert values(rules) == {"false-success": "absent", "wrong-rule": "present"}
    decide_item(rules, "lm", item, [("wrong-rule", "unresolved")])
    assert values(rules) == {"false-success": "unresolved", "wrong-rule": "unresolved"}
    decide_item(rules, "lm", item, take="ana")
    assert values(rules) == {"false-success": "present", "wrong-rule": "absent"}
    with pytest.raises(NoteNeededError):
        decide_item(rules, "lm", item, [("false-error", "present")])
    decide_item(rules, "lm", item, [("false-error", "present")], note="the oracle is success")
    assert values(rules) == {"false-success": "absent", "wrong-rule": "absent", "false-error": "present"}


def test_none_of_a_group_is_a_choice_that_nobody_made(rules: Path) -> None:
    item = key_of(rules, 1)
    decide_item(rules, "lm", item, [("wrong-rule", "absent")])
    with pytest.raises(NoteNeededError, match="Outcome"):
        decide_item(rules, "lm", item, [("false-success", "absent")])
    decide_item(rules, "lm", item, [("false-success", "absent")], note="the answer is right after all")
    assert case_of(rules).state == "adjudicated"


def test_one_reviewer_leaves_nothing_to_decide(path: Path) -> None:
    put(path, "ana", 1, "copying")
    with pytest.raises(InputError, match="only one annotator has reviewed this item"):
        decide_item(path, "lm", "demo/case-0/output/model-a/0", [("copying", "present")])
    with pytest.raises(InputError, match="nobody has reviewed this item"):
        decide_item(path, "lm", "demo/case-0/output/model-b/0", [("copying", "present")])


def test_calls_that_cannot_be_meant_are_refused(path: Path) -> None:
    put(path, "ana", 1, "copying")
    put(path, "ben", 1)
    item = key_of(path, 1)
    for arguments, words in (
        ({}, "nothing says what is decided"),
        ({"verdicts": [("copying", "present")], "take": "ana"}, "nothing says what is decided"),
        ({"take": "cyd"}, "none of those who reviewed"),
        ({"verdicts": [("copyng", "present")]}, "no tag 'copyng'"),
        ({"verdicts": [("copying", "present")], "codebook": "prex"}, "no codebook 'prex'"),
    ):
        with pytest.raises(InputError, match=words):
            decide_item(path, "lm", item, **arguments)
    with pytest.raises(InputError, match="there is no"):
        decide_item(path, "lm", "demo/case-9/output/model-a/0", [("copying", "present")])
    with pytest.raises(InputError, match="needs a name"):
        decide_item(path, " ", item, [("copying", "present")])


def test_a_stale_decision_says_who_changed_a_mark(path: Path) -> None:
    put(path, "ana", 1, "copying")
    put(path, "ben", 1)
    decide_item(path, "lm", key_of(path, 1), [("copying", "present")])
    put(path, "ben", 1, "copying")
    put(path, "cyd", 1)
    case = case_of(path)
    row = case.row_of("copying")
    assert case.state == "stale" and needing(case) == ["copying"]
    assert describe_stale(case, row, ["ana", "ben", "cyd"]) == "ben changed the mark since; cyd reviewed it since"
    _, changed = decide_item(path, "lm", key_of(path, 1), [("copying", "present")])
    assert changed and case_of(path).state == "adjudicated"


def test_an_open_again_is_open(path: Path) -> None:
    put(path, "ana", 1, "copying")
    put(path, "ben", 1)
    item = key_of(path, 1)
    assert decide_item(path, "lm", item, [("copying", "present")])[1]
    assert not decide_item(path, "lm", item, [("copying", "present")])[1]
    assert decide_item(path, "lm", item, [("copying", "open")])[0].state == "open"
    assert not decide_item(path, "lm", item, [("copying", "open")])[1]


# --- a session -----------------------------------------------------------------------------------------------------


class Opened(NamedTuple):
    session: ReviewSession
    adjudication: Adjudication


@pytest.fixture
def opened(path: Path) -> Iterator[Opened]:
    for item in (1, 2, 3):
        put(path, "ana", item, "copying")
        put(path, "ben", item)
    session, adjudication = open_adjudication(path, "lm", AdjudicationWish())
    with closing(session), closing(adjudication):
        yield Opened(session, adjudication)


def test_a_locked_file_keeps_decisions_beside_it_and_the_screen_sees_them(opened: Opened, path: Path) -> None:
    session, cases = opened
    book = cases.book
    assert isinstance(session.submit(1, decide_tags(book, cases.case(1), [("copying", "absent")])), Saved)
    lock = open_file(path)
    lock.execute("BEGIN IMMEDIATE")
    outcome = session.submit(1, decide_tags(book, cases.case(1), [("copying", "present")]))
    assert isinstance(outcome, Pending) and "NOT SAVED" in outcome.message
    assert cases.case(1).row_of("copying").present is True
    assert isinstance(session.submit(2, take_set(book, cases.case(2), 0)), Pending)
    assert isinstance(session.submit(2, Undo()), Pending)
    assert cases.case(2).state == "open" and cases.counts() == {"open": 2, "adjudicated": 1}
    lock.rollback()
    lock.close()
    assert session.retry_pending() == 0
    assert cases.case(1).row_of("copying").present is True and cases.case(2).state == "open"
    session.submit(2, Redo())
    assert cases.case(2).state == "adjudicated" and cases.counts()["open"] == 1
    assert not any(check.problems for check in verify(path))


def test_what_needs_a_decision_is_found_in_both_directions(opened: Opened) -> None:
    session, cases = opened
    assert (cases.next_needing(-1), cases.next_needing(0), cases.next_needing(2)) == (0, 1, 0)
    assert (cases.previous_needing(0), cases.previous_needing(2)) == (2, 1)
    for item in (1, 2, 3):
        session.submit(item, decide_tags(cases.book, cases.case(item), [("copying", "absent")]))
        cases.case(item)
    assert cases.next_needing(0) is None is cases.previous_needing(0)


def test_an_item_s_annotators_stand_in_an_order_of_its_own(opened: Opened) -> None:
    cases = opened.adjudication
    cases.is_shuffled = True
    orders = {tuple(voice.annotator for voice in cases.case(item).voices) for item in (1, 2, 3)}
    assert orders == {("ana", "ben"), ("ben", "ana")}
    case = cases.case(2)
    marks = {voice.annotator: put for voice, put in zip(case.voices, case.row_of("copying").marks, strict=True)}
    assert marks == {"ana": True, "ben": False}


def test_a_side_file_with_a_decision_is_taken_up_by_the_next_review(opened: Opened, path: Path) -> None:
    session = opened.session
    lock = open_file(path)
    lock.execute("BEGIN IMMEDIATE")
    session.submit(3, Decide((Ruling("copying", "present", "why\ud83d", (("ana", True), ("ben", False))),)))
    session._marks.abandon()
    lock.rollback()
    lock.close()
    other, adjudication = open_adjudication(path, "lm", AdjudicationWish())
    with closing(other), closing(adjudication):
        assert adjudication.case(3).row_of("copying").decision is not None
        assert other.pending == 0


# --- what it comes to ----------------------------------------------------------------------------------------------


def test_final_tags_have_their_source_who_and_when_and_open_items_none(path: Path) -> None:
    put(path, "ana", 1, "arithmetic", "copying")
    put(path, "ben", 1, "arithmetic")
    put(path, "ana", 2)
    put(path, "ben", 2)
    put(path, "ana", 3, "copying")
    put(path, "ben", 3)
    put(path, "ana", 4, "copying")
    put(path, "ana", 5, "copying")
    put(path, "ben", 5)
    decide_item(path, "lm", key_of(path, 1), [("copying", "absent")])
    decide_item(path, "lm", key_of(path, 5), [("copying", "unresolved")], note="?")
    records = final(path)
    assert [(r.item, r.tag, r.decision, r.source, r.decided_by, r.put_by) for r in records] == [
        ("demo/case-0/output/model-a/0", "arithmetic", "present", "unanimous", "ana/ben", "ana/ben"),
        ("demo/case-0/output/model-a/0", "copying", "absent", "adjudicated", "lm", "ana"),
        ("demo/case-0/output/model-b/0", None, "none", "unanimous", "ana/ben", ""),
        ("demo/case-1/output/model-a/0", "copying", "unresolved", "unresolved", "lm", "ana"),
    ]
    assert all(record.at.endswith("Z") and record.annotators == "ana/ben" for record in records)
    assert len(final(path, "case:case-1")) == 1


def test_decisions_outlive_a_change_of_a_review_and_say_so(path: Path) -> None:
    put(path, "ana", 1, "copying")
    put(path, "ben", 1)
    decide_item(path, "lm", key_of(path, 1), [("copying", "present")])
    put(path, "ben", 1, "copying")
    (record,) = final(path)
    assert (record.decision, record.source, record.stale) == ("present", "adjudicated", True)


def test_a_killed_act_leaves_the_file_as_it_was(path: Path) -> None:
    put(path, "ana", 1, "copying")
    put(path, "ben", 1)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TRIGGER no BEFORE INSERT ON decisions BEGIN SELECT RAISE(ABORT, 'full'); END")
        connection.commit()
    with pytest.raises(Exception, match="full"):
        decide_item(path, "lm", key_of(path, 1), [("copying", "present")])
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM events WHERE action = 'decide'").fetchone() == (0,)
