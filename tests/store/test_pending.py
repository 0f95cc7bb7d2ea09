"""The side file of unsaved work: nothing that an annotator did is lost, whatever happens to the disk."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.audit.review import open_session
from auditor.errors import AuditFileError
from auditor.store.history import uuid7
from auditor.store.pending import PendingAction, PendingActions, side_file
from auditor.store.reviews import (
    Defer,
    Intent,
    MarkReviewed,
    NothingToTag,
    Redo,
    SetNote,
    ToggleTag,
    Undo,
    intent_from_json,
    intent_to_json,
)
from tests.builders import make_audit
from tests.hostile import HOSTILE


def action(intent: Intent, response_id: int = 1) -> PendingAction:
    return PendingAction(uuid7(), "2026-01-01T00:00:00.000Z", response_id, b"\x00\xff", intent)


INTENTS: list[Intent] = [
    ToggleTag("copying"),
    MarkReviewed(),
    NothingToTag(),
    Defer(),
    SetNote("a\nb"),
    Undo(),
    Redo(),
    *(SetNote(text) for text in HOSTILE.values()),
]


def recovered(path: Path) -> list[PendingAction]:
    again = PendingActions(path)
    again.recover()
    again.close()
    return again.actions


def test_every_action_comes_back_in_order(tmp_path: Path) -> None:
    path, actions = tmp_path / "side", [action(intent) for intent in INTENTS]
    pending = PendingActions(path)
    for one in actions:
        pending.append(one)
    pending.close()
    assert recovered(path) == actions


@given(st.text(), st.integers(1))
def test_any_note_survives_its_json(text: str, response_id: int) -> None:
    assert intent_from_json(intent_to_json(SetNote(text))) == SetNote(text)


def test_a_half_written_last_line_is_dropped_and_the_next_one_is_whole(tmp_path: Path) -> None:
    path, one, two = tmp_path / "side", action(Undo()), action(Redo())
    pending = PendingActions(path)
    pending.append(one)
    pending.close()
    path.write_bytes(path.read_bytes() + b'{"uuid": "01')
    pending = PendingActions(path)
    pending.recover()
    pending.append(two)
    pending.close()
    assert recovered(path) == [one, two]


@pytest.mark.parametrize("line", [b"nonsense", b"{}", b"[1]", b'{"uuid": 1, "at": 2, "response_id": 3, "evidence": 4}'])
def test_a_line_that_cannot_be_read_is_named_and_the_file_is_kept(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "side"
    pending = PendingActions(path)
    pending.append(action(Undo()))
    pending.close()
    before = path.read_bytes() + line + b"\n"
    path.write_bytes(before)
    with pytest.raises(AuditFileError, match=r"line 2 of .*cannot be read"):
        PendingActions(path).recover()
    assert path.read_bytes() == before


def test_a_disk_that_fills_up_leaves_no_half_line_and_loses_no_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, actions = tmp_path / "side", [action(SetNote(str(n))) for n in range(3)]
    pending = PendingActions(path)
    pending.append(actions[0])
    write = os.write
    # A full disk cannot be had here: the system call is made to write less, as it does then.
    monkeypatch.setattr(os, "write", lambda file, data: write(file, data[:10]))
    with pytest.raises(OSError, match="No space left"):
        pending.append(actions[1])
    assert len(pending) == 2 and recovered_copy(path, tmp_path) == actions[:1]
    monkeypatch.undo()
    pending.append(actions[2])
    pending.close()
    assert recovered(path) == actions


def recovered_copy(path: Path, folder: Path) -> list[PendingAction]:
    copy = folder / "copy"
    copy.write_bytes(path.read_bytes())
    return recovered(copy)


def test_clearing_takes_the_file_away(tmp_path: Path) -> None:
    pending = PendingActions(tmp_path / "side")
    pending.append(action(Undo()))
    pending.clear()
    assert not list(tmp_path.iterdir()) and len(pending) == 0
    pending.append(action(Redo()))
    pending.close()
    assert len(recovered(tmp_path / "side")) == 1


def test_only_one_session_uses_a_side_file(tmp_path: Path) -> None:
    first = PendingActions(tmp_path / "side")
    first.append(action(Undo()))
    with pytest.raises(AuditFileError, match="another session"):
        PendingActions(tmp_path / "side").recover()
    first.close()
    assert len(recovered(tmp_path / "side")) == 1


@pytest.mark.parametrize("name", ["ana", "a/b", "..", "[/]", "x\ny", "\x1b]0;t", "漢字", "hello \ud83d"])
def test_every_annotator_has_a_side_file_of_their_own_beside_the_audit_file(tmp_path: Path, name: str) -> None:
    path = side_file(tmp_path / "a.db", name, "execution")
    assert path.parent == tmp_path
    assert path != side_file(tmp_path / "a.db", name + "x", "execution")
    pending = PendingActions(path)
    pending.append(action(Undo()))
    pending.close()
    assert len(recovered(path)) == 1


@pytest.mark.parametrize(("intent", "response_id"), [(ToggleTag("no-such-tag"), 1), (ToggleTag("copying"), 999)])
def test_unsaved_work_that_fits_another_file_stops_the_session_and_is_kept(
    tmp_path: Path, intent: Intent, response_id: int
) -> None:
    path = make_audit(tmp_path / "a.db")
    side = side_file(path, "ana", "execution")
    pending = PendingActions(side)
    pending.append(action(intent, response_id))
    pending.close()
    before = side.read_bytes()
    for _ in range(2):
        with pytest.raises(AuditFileError, match="line 1 names an item or a tag"):
            open_session(path, "ana")
    assert side.read_bytes() == before
    side.rename(tmp_path / "away")
    open_session(path, "ana").close()
