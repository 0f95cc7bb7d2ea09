"""The side file of unsaved work: nothing that an annotator did is lost, whatever happens to the disk."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.audit.review import open_session
from auditor.errors import AuditFileError
from auditor.store.file import file_id, open_for_reading
from auditor.store.history import uuid7
from auditor.store.pending import PendingAction, PendingActions, SidePlace, side_place
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


ID = "0123456789ab"


def place(folder: Path, name: str = "ana") -> SidePlace:
    return side_place(folder / "a.db", ID, name, "execution")


def only_file(folder: Path) -> Path:
    (path,) = folder.glob("*.jsonl")
    return path


def recovered(folder: Path, name: str = "ana") -> list[PendingAction]:
    again = PendingActions(place(folder, name))
    again.recover()
    again.close()
    return again.actions


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "state"))
    monkeypatch.setattr("auditor.store.pending.gettempdir", lambda: str(folder / "tmp"))
    return folder


def test_every_action_comes_back_in_order(tmp_path: Path) -> None:
    actions = [action(intent) for intent in INTENTS]
    pending = PendingActions(place(tmp_path))
    for one in actions:
        pending.append(one)
    pending.close()
    assert recovered(tmp_path) == actions


@given(st.text(), st.integers(1))
def test_any_note_survives_its_json(text: str, response_id: int) -> None:
    assert intent_from_json(intent_to_json(SetNote(text))) == SetNote(text)


def test_a_half_written_last_line_is_dropped(tmp_path: Path) -> None:
    one, two = action(Undo()), action(Redo())
    pending = PendingActions(place(tmp_path))
    pending.append(one)
    pending.close()
    path = only_file(tmp_path)
    path.write_bytes(path.read_bytes() + b'{"uuid": "01')
    pending = PendingActions(place(tmp_path))
    pending.recover()
    pending.append(two)
    pending.close()
    assert recovered(tmp_path) == [one, two]


@pytest.mark.parametrize("line", [b"nonsense", b"{}", b"[1]", b'{"uuid": 1, "at": 2, "response_id": 3, "evidence": 4}'])
def test_a_line_that_cannot_be_read_is_named_and_the_file_is_kept(tmp_path: Path, line: bytes) -> None:
    pending = PendingActions(place(tmp_path))
    pending.append(action(Undo()))
    pending.close()
    path = only_file(tmp_path)
    before = path.read_bytes() + line + b"\n"
    path.write_bytes(before)
    with pytest.raises(AuditFileError, match=r"line 2 of .*cannot be read"):
        PendingActions(place(tmp_path)).recover()
    assert path.read_bytes() == before


def test_a_side_file_that_is_gone_when_it_is_opened_costs_nothing(tmp_path: Path) -> None:
    pending = PendingActions(place(tmp_path))
    pending.append(action(Undo()))
    pending.close()
    # Listed, and no longer there: as one that a running session takes away at this moment.
    path = only_file(tmp_path)
    path.with_name(path.name.replace(".jsonl", "-2.jsonl")).symlink_to(tmp_path / "gone")
    assert len(recovered(tmp_path)) == 1


def test_a_side_file_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    pending = PendingActions(place(tmp_path))
    pending.append(action(Undo()))
    pending.close()
    path = only_file(tmp_path)
    path.unlink()
    path.mkdir()
    with pytest.raises(AuditFileError, match=r"holds unsaved work under your name and cannot be opened \(Is a dir"):
        PendingActions(place(tmp_path)).recover()


def full_disk(monkeypatch: pytest.MonkeyPatch, until: int | None = None) -> None:
    """Make the system call write less, as on a full disk, which cannot be had here; `until` counts such calls."""
    write, calls = os.write, [0]

    def short(file: int, data: bytes) -> int:
        calls[0] += 1
        return write(file, data[:10] if until is None or calls[0] <= until else data)

    monkeypatch.setattr(os, "write", short)


def test_a_disk_that_is_full_everywhere_keeps_actions_in_memory_and_in_order(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    actions = [action(SetNote(str(n))) for n in range(3)]
    pending = PendingActions(place(tmp_path))
    pending.append(actions[0])
    with monkeypatch.context() as full:
        full_disk(full)
        with pytest.raises(OSError, match="No space left"):
            pending.append(actions[1])
    assert (len(pending), pending.in_memory_only) == (2, 1)
    pending.append(actions[2])
    assert pending.in_memory_only == 0
    pending.close()
    assert recovered(tmp_path) == actions


def test_where_the_folder_takes_no_file_the_state_folder_does(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    actions = [action(SetNote(str(n))) for n in range(2)]
    pending = PendingActions(place(tmp_path))
    with monkeypatch.context() as full:
        full_disk(full, until=1)
        pending.append(actions[0])
    pending.append(actions[1])
    assert pending.path is not None and pending.path.is_relative_to(home / "state")
    pending.close()
    assert recovered(tmp_path) == actions
    assert recovered(tmp_path / "elsewhere") == []


def test_clearing_takes_every_file_away(tmp_path: Path) -> None:
    first = PendingActions(place(tmp_path))
    first.append(action(Undo()))
    first.close()
    pending = PendingActions(place(tmp_path))
    pending.recover()
    pending.append(action(Redo()))
    assert len(list(tmp_path.iterdir())) == 2
    pending.clear()
    assert not list(tmp_path.iterdir()) and len(pending) == 0
    pending.append(action(Redo()))
    pending.close()
    assert len(recovered(tmp_path)) == 1


def test_a_running_session_s_side_file_is_left_to_it_and_taken_up_after_its_end(tmp_path: Path) -> None:
    first, second = PendingActions(place(tmp_path)), PendingActions(place(tmp_path))
    one, two = action(Undo()), action(Redo())
    first.append(one)
    second.recover()
    assert len(second) == 0
    second.append(two)
    assert len(list(tmp_path.iterdir())) == 2
    first.close()
    second.close()
    assert recovered(tmp_path) == [one, two]


def test_side_files_of_several_sessions_are_taken_up_in_the_order_of_time(tmp_path: Path) -> None:
    times = [f"2026-01-01T00:00:0{n}.000Z" for n in range(4)]
    for mine in (times[::2], times[1::2]):
        pending = PendingActions(place(tmp_path))
        for at in mine:
            pending.append(action(Undo())._replace(at=at))
        pending.close()
    assert [one.at for one in recovered(tmp_path)] == times


@pytest.mark.parametrize("name", ["ana", "a/b", "..", "[/]", "x\ny", "\x1b]0;t", "漢字", "hello \ud83d", "long" * 80])
def test_every_annotator_has_a_side_file_of_their_own_beside_the_audit_file(tmp_path: Path, name: str) -> None:
    pending = PendingActions(place(tmp_path, name))
    pending.append(action(Undo()))
    pending.close()
    assert only_file(tmp_path).parent == tmp_path
    assert recovered(tmp_path, name + "x") == []
    assert len(recovered(tmp_path, name)) == 1


def test_another_audit_at_the_same_path_does_not_take_it_up(tmp_path: Path) -> None:
    pending = PendingActions(place(tmp_path))
    pending.append(action(Undo()))
    pending.close()
    other = PendingActions(side_place(tmp_path / "a.db", "ffffffffffff", "ana", "execution"))
    other.recover()
    assert len(other) == 0


@pytest.mark.parametrize(("intent", "response_id"), [(ToggleTag("no-such-tag"), 1), (ToggleTag("copying"), 999)])
def test_unsaved_work_that_does_not_fit_stops_the_session_and_is_kept(
    tmp_path: Path, intent: Intent, response_id: int
) -> None:
    path = make_audit(tmp_path / "a.db")
    with closing(open_for_reading(path)) as connection:
        where = side_place(path, file_id(connection), "ana", "execution")
    pending = PendingActions(where)
    pending.append(action(intent, response_id))
    pending.close()
    side = only_file(tmp_path)
    before = side.read_bytes()
    for _ in range(2):
        with pytest.raises(AuditFileError, match="names an item or a tag"):
            open_session(path, "ana")
    assert side.read_bytes() == before
    side.rename(tmp_path / "away")
    open_session(path, "ana").close()
