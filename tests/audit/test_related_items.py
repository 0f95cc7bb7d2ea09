"""Arms and settings beside an item: whole in an open review, in a blind one only what was revealed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from auditor.audit.again import parse_again
from auditor.audit.review import NothingToTag, QueueWish, Reveal, ReviewSession, ToggleTag, open_session
from auditor.errors import InputError
from auditor.store.file import open_file, transaction
from auditor.store.related import equal_predictions
from tests.builders import make_audit

ARMS = ("output", "state", "long")
SETTINGS = ("model-a", "model-b")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return make_audit(tmp_path / "a.db", cases=2, arms=ARMS, settings=SETTINGS)


@contextmanager
def reviewing(path: Path, **wish: object) -> Iterator[ReviewSession]:
    with closing(open_session(path, "ana", QueueWish(where="", **wish))) as session:  # type: ignore[arg-type]
        yield session


def find(session: ReviewSession, case: str, arm: str, setting: str) -> int:
    with closing(session.table()) as table:
        (found,) = table.find(f"demo/{case}/{arm}/{setting}/0")
        return found


def test_an_open_review_has_all_arms_and_all_answers(path: Path) -> None:
    with reviewing(path) as session, closing(session.related()) as related:
        own = find(session, "case-1", "state", "model-b")
        case = related.case_arms(own)
        assert [arm.arm for arm in case.arms] == list(ARMS) and (case.at, case.hidden) == (1, 0)
        assert (case.key.case, case.key.setting) == ("case-1", "model-b")
        answers = related.task_answers(own)
        assert [one.setting for one in related.answers(answers.ids)] == list(SETTINGS)
        assert (answers.at, answers.hidden, answers.task.arm) == (1, 0, "state")
        item = session.item_by_id(own)
        assert [arm.arm for arm in item.arms] == list(ARMS)


def test_an_arm_without_a_response_says_what_is_asked(path: Path) -> None:
    with closing(open_file(path)) as connection, transaction(connection):
        connection.execute("DELETE FROM grades WHERE response_id = 5")
        connection.execute("DELETE FROM responses WHERE id = 5")
    with reviewing(path) as session, closing(session.related()) as related:
        absent = related.case_arms(1).arms[2]
        assert absent.response_id is None
        assert related.task_of_arm(absent).arm == "long"


def test_a_blind_review_refuses_both_before_the_item_is_revealed(path: Path) -> None:
    with reviewing(path, blind=True) as session, closing(session.related()) as related:
        item = session.item(0)
        assert item.hidden and item.arms == ()
        for ask in (related.case_arms, related.task_answers):
            with pytest.raises(InputError, match="review the item and reveal it first"):
                ask(item.response_id)


def test_a_blind_review_shows_only_answers_that_it_revealed(path: Path) -> None:
    with reviewing(path, blind=True) as session, closing(session.related()) as related:
        own, arm, setting = 3, 5, 4  # case-0 under model-a: state, long; state under model-b
        assert session.item_by_id(own).key.arm == ""
        session.submit(own, Reveal())
        case, answers = related.case_arms(own), related.task_answers(own)
        assert ([one.arm for one in case.arms], case.hidden) == (["state"], 2)
        assert (list(answers.ids), answers.hidden) == ([own], 1)
        assert [one.response_id for one in session.item_by_id(own).arms] == [own]
        session.submit(arm, Reveal())
        session.submit(setting, Reveal())
        case, answers = related.case_arms(own), related.task_answers(own)
        assert ([one.response_id for one in case.arms], case.hidden) == ([own, arm], 1)
        assert (list(answers.ids), answers.hidden) == ([own, setting], 0)


def test_what_another_annotator_revealed_stays_hidden(path: Path) -> None:
    with closing(open_session(path, "ben", QueueWish(where="", blind=True))) as other:
        other.submit(5, Reveal())
    with reviewing(path, blind=True) as session, closing(session.related()) as related:
        session.submit(3, Reveal())
        assert related.case_arms(3).hidden == 2


def test_a_reveal_that_waits_beside_the_file_counts(path: Path) -> None:
    with (
        reviewing(path, blind=True) as session,
        closing(session.related()) as related,
        closing(open_file(path)) as other,
    ):
        other.execute("BEGIN IMMEDIATE")
        for response_id in (3, 4, 5):
            session.submit(response_id, Reveal())
        assert session.pending == 3
        assert [one.response_id for one in related.case_arms(3).arms] == [3, 5]
        assert list(related.task_answers(3).ids) == [3, 4]
        assert len(session.item_by_id(3).arms) == 2
        other.execute("ROLLBACK")


def test_looking_at_other_answers_leaves_their_marks_blind(path: Path) -> None:
    with reviewing(path, blind=True) as session, closing(session.related()) as related:
        session.submit(3, Reveal())
        related.case_arms(3)
        session.submit(5, ToggleTag("copying"))
    with closing(open_file(path)) as connection:
        blind = dict(connection.execute("SELECT response_id, blind FROM events WHERE action = 'tag'"))
    assert blind == {5: 1}


def test_a_second_pass_that_is_not_blind_shows_them_all(path: Path) -> None:
    with reviewing(path) as session:
        session.submit(3, NothingToTag())
    with reviewing(path, again=parse_again("100%", at_once=True)) as session, closing(session.related()) as related:
        assert len(related.case_arms(3).arms) == 3


def test_equal_predictions_are_found_as_they_are_stored(path: Path) -> None:
    predictions = ["1", b"1", "01", "1", None, "x" * 300_000, "x" * 300_000, f"{'x' * 299_999}y"]
    with closing(open_file(path)) as connection, transaction(connection):
        for number, prediction in enumerate(predictions, 1):
            connection.execute("UPDATE grades SET prediction = ? WHERE response_id = ?", (prediction, number))
    with closing(open_file(path)) as connection:
        found = equal_predictions(connection, [4, 3, 2, 1, 5, 6, 7, 8, 1_000])
    assert found == {4: [4, 1], 3: [3], 2: [2], 1: [4, 1], 6: [6, 7], 7: [6, 7], 8: [8]}
