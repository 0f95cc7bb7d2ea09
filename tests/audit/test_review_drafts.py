"""A note that was begun is there for the annotator's next session, for nobody else, and never in the way."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from contextlib import closing
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


def test_a_draft_that_cannot_be_written_beside_the_file_is_kept_elsewhere_or_in_memory(
    path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    session = open_session(path, "ana")
    item = _first(session)
    beside, *elsewhere = session._draft_files.paths
    beside.mkdir()
    assert session.save_draft(item, "elsewhere") and elsewhere[0].is_file()
    session.close()
    session = open_session(path, "ana")
    assert (draft := session.draft_for(item)) is not None and draft.text == "elsewhere"
    session.drop_draft(item)
    assert not elsewhere[0].exists()
    for one in elsewhere:
        one.mkdir(parents=True)
    assert not session.save_draft(item, "text")
    draft = session.draft_for(item)
    assert draft is not None and draft.text == "text"
    session.drop_draft(item)
    session.close()


@pytest.fixture
def ended() -> int:
    """Return the number of a process that is gone."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_what_a_kill_left_in_the_middle_of_keeping_a_draft_is_taken_up(path: Path, ended: int) -> None:
    with closing(open_session(path, "ana")) as session:
        item = _first(session)
        assert session.save_draft(item, "half a no")
        kept = session._draft_files.paths[0]
    left = kept.with_name(f"{kept.name}.{ended}.new")
    left.write_bytes(kept.read_bytes().replace(b"half a no", b"half a note"))
    with closing(open_session(path, "ana")) as session:
        draft = session.draft_for(item)
        assert draft is not None and draft.text == "half a note"
    assert not list(path.parent.glob("*.new"))


def test_what_is_not_whole_or_older_is_cleared_away_and_what_is_being_written_is_not(path: Path, ended: int) -> None:
    with closing(open_session(path, "ana")) as session:
        item = _first(session)
        assert session.save_draft(item, "half a note")
        kept = session._draft_files.paths[0]
    broken, of_us = (kept.with_name(f"{kept.name}.{process}.new") for process in (ended, os.getppid()))
    older = kept.with_name(f"{kept.name}.0{ended}.new")
    older.write_bytes(kept.read_bytes().replace(b"half a note", b"half"))
    os.utime(older, ns=(0, 0))
    broken.write_bytes(b'[{"response_id": 1, "at": ')
    of_us.write_bytes(b"")
    with closing(open_session(path, "ana")) as session:
        draft = session.draft_for(item)
        assert draft is not None and draft.text == "half a note"
    assert list(path.parent.glob("*.new")) == [of_us]
