"""What a sitting brought is counted as it stands at its end, and only what this annotator did in it."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from auditor.audit.review import (
    Defer,
    MarkAll,
    MarkReviewed,
    NothingToTag,
    QueueWish,
    Redo,
    SetNote,
    ToggleTag,
    Undo,
    open_session,
)
from auditor.audit.session_summary import (
    begin_summary,
    command_of_queue,
    describe_begun,
    describe_work,
    summarise_session,
)
from auditor.audit.tags import put_tags
from auditor.store.recent_work import RecentWork
from tests.builders import make_audit


@pytest.fixture
def audit(tmp_path: Path) -> Path:
    return make_audit(tmp_path / "a.db", cases=6)


def summary(path: Path, since: int) -> str:
    return summarise_session(path, "ana", "execution", since)


def test_a_sitting_without_marks_has_no_summary(audit: Path) -> None:
    put_tags(audit, "ana", "demo/case-0/output/model-a/0", ["copying"])
    assert summary(audit, begin_summary(audit)) == ""
    assert summarise_session(audit, "nobody", "execution", 0) == ""


def test_items_count_once_as_they_stand_at_the_end(audit: Path) -> None:
    put_tags(audit, "ben", "demo/case-0/output/model-a/0", ["arithmetic"])
    with closing(open_session(audit, "ana", QueueWish(order="import"))) as session:
        began = begin_summary(audit)
        ids = [session.item(index).response_id for index in range(6)]
        for intent in (ToggleTag("copying"), ToggleTag("arithmetic"), ToggleTag("arithmetic"), MarkReviewed()):
            session.submit(ids[0], intent)
        session.submit(ids[1], NothingToTag())
        session.submit(ids[2], Defer())
        session.submit(ids[3], SetNote("why?"))
        session.submit(ids[4], ToggleTag("copying"))
        session.submit(ids[5], ToggleTag("other"))
        session.submit(ids[5], Undo())
    told = summary(audit, began)
    assert told == "In this sitting: 2 items reviewed, 1 deferred, 2 begun (copying 2, no tag 1); 1 note."


def test_an_act_that_was_undone_is_none(audit: Path) -> None:
    with closing(open_session(audit, "ana", QueueWish(order="import"))) as session:
        ids = [session.item(index).response_id for index in range(6)]
        for response_id in ids[:3]:
            session.submit(response_id, ToggleTag("copying"))
            session.submit(response_id, MarkReviewed())
        session.submit(ids[3], MarkReviewed())
        began = begin_summary(audit)
        session.submit(ids[3], Undo())
        session.submit(ids[3], Redo())
        assert summary(audit, began) == ""
        session.submit(ids[0], MarkAll(tuple(ids[:3]), True))
        assert summary(audit, began) == "In this sitting: 3 items deferred (copying 3)."
        session.submit(ids[0], Undo())
        session.submit(ids[1], SetNote("why?"))
        session.submit(ids[1], Undo())
        assert summary(audit, began) == ""
        session.submit(ids[3], Undo())
        assert summary(audit, began) == ""
        session.submit(ids[2], Undo())
    assert summary(audit, began) == "In this sitting: 1 item begun (copying 1)."


def test_a_queue_that_was_chosen_in_the_review_is_opened_again() -> None:
    command = ["auditor", "review", "a.db", "--annotator", "ana", "--where", "loc<9", "--take", "5", "--blind"]
    kept = ["auditor", "review", "a.db", "--annotator", "ana", "--blind"]
    assert command_of_queue(command, "sample:0", "computed") == [*kept, "--where", "sample:0", "--order", "computed"]
    assert command_of_queue(command, "", "") == [*kept, "--where", ""]
    assert command_of_queue(command, "status:wrong", "") == kept


def test_what_is_begun_says_how_to_come_back_to_it() -> None:
    command = ["auditor", "review", "my runs.db", "--annotator", "ana", "--where", "status:wrong", "--stale", "--timer"]
    assert describe_begun(0, command, blind=False) == ""
    assert describe_begun(2, [*command, "--take", "5"], blind=False) == (
        "2 items are begun: they are marked and not done."
        " They alone: auditor review 'my runs.db' --annotator ana --timer --where state:in-progress"
    )
    assert describe_begun(1, command, blind=True) == (
        "1 item is begun: it is marked and not done, and comes again as open when you go on."
    )


def test_words_for_one_and_for_many() -> None:
    work = RecentWork(Counter({"in-progress": 1}), Counter(), 0, 0)
    assert describe_work(work, {}) == "In this sitting: 1 item begun."
    work = RecentWork(Counter({"reviewed": 1_200}), Counter({"x": 1_000, "y": 1}), 200, 2)
    assert describe_work(work, {"x": "the x"}) == (
        "In this sitting: 1,200 items reviewed (the x 1,000, y 1, no tag 200); 2 notes."
    )
