"""A note that was begun is there for the annotator's next session, for nobody else, and never in the way."""

from __future__ import annotations

from pathlib import Path

import pytest

from auditor.audit.review import ReviewSession, open_session
from tests.builders import make_audit


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return make_audit(tmp_path / "audit.db")


def _first(session: ReviewSession) -> int:
    return session.item(0).response_id


def test_a_draft_is_there_in_the_next_session_of_the_annotator_only(path: Path) -> None:
    session = open_session(path, "ana")
    item = _first(session)
    assert session.draft_for(item) is None
    assert session.save_draft(item, "half a no")
    # Not closed: the program may have been killed.
    again = open_session(path, "ana")
    draft = again.draft_for(item)
    assert draft is not None and draft.text == "half a no"
    assert again.draft_for(again.item(1).response_id) is None
    other = open_session(path, "ben")
    assert other.draft_for(item) is None
    again.drop_draft(item)
    assert again.draft_for(item) is None
    third = open_session(path, "ana")
    assert third.draft_for(item) is None
    assert not list(path.parent.glob("*.draft-*"))
    for opened in (session, again, other, third):
        opened.close()


def test_a_draft_that_cannot_be_written_is_kept_in_memory_and_raises_nothing(path: Path) -> None:
    session = open_session(path, "ana")
    item = _first(session)
    session._draft_file.mkdir()
    assert not session.save_draft(item, "text")
    draft = session.draft_for(item)
    assert draft is not None and draft.text == "text"
    session.drop_draft(item)
    session.close()
