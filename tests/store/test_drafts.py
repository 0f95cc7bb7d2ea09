"""Drafts of notes and memos: kept whole, one a place, and never in the way."""

from __future__ import annotations

from pathlib import Path

import pytest

from auditor.store.drafts import Draft, DraftKey, draft_file, drop_draft, keep_draft, read_drafts
from auditor.store.pending import side_place

AT = "2026-01-02T03:04:05.000Z"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return draft_file(side_place(tmp_path / "audit.db", "0198-abc", "ana/x", "execution"))


@pytest.mark.parametrize(
    "text", ["", "two\nlines\r", "\x1b]0;x\x07", "lone \ud800 and \udcff", "\u0645\u06cc\u200c\u062e \u2028"]
)
def test_a_draft_comes_back_as_it_was(path: Path, text: str) -> None:
    keep_draft(path, Draft(7, AT, "before"))
    keep_draft(path, Draft(7, AT, text))
    assert read_drafts(path) == {DraftKey(7): Draft(7, AT, text)}
    assert path.parent.joinpath("audit.db").name in path.name
    assert [found.name for found in path.parent.iterdir()] == [path.name]


def test_items_have_a_draft_each_and_the_file_goes_with_the_last(path: Path) -> None:
    keep_draft(path, Draft(1, AT, "one"))
    keep_draft(path, Draft(2, AT, "two"))
    keep_draft(path, Draft(2, AT, "three", "line", 3))
    drop_draft(path, DraftKey(1))
    assert list(read_drafts(path)) == [DraftKey(2), DraftKey(2, "line", 3)]
    drop_draft(path, DraftKey(1))
    drop_draft(path, DraftKey(2))
    assert read_drafts(path)[DraftKey(2, "line", 3)].text == "three"
    drop_draft(path, DraftKey(2, "line", 3))
    assert not path.exists()


def test_a_file_of_notes_alone_is_read(path: Path) -> None:
    path.write_text(f'[{{"response_id": 3, "at": "{AT}", "text": "old"}}]')
    assert read_drafts(path) == {DraftKey(3): Draft(3, AT, "old")}


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[1]",
        b'[{"response_id": 1}]',
        b'[{"response_id":1,"at":"?","text":""}]',
        b'[{"response_id":1,"at":"2026-01-02","text":"","place":1}]',
    ],
)
def test_a_damaged_file_is_as_none(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    assert read_drafts(path) == {}
    keep_draft(path, Draft(3, AT, "new"))
    assert read_drafts(path)[DraftKey(3)].text == "new"


def test_a_failed_write_leaves_the_last_draft(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep_draft(path, Draft(1, AT, "kept"))

    def full(file: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", full)
        with pytest.raises(OSError, match="space"):
            keep_draft(path, Draft(1, AT, "lost"))
    assert read_drafts(path)[DraftKey(1)].text == "kept"
    assert len(list(path.parent.iterdir())) == 1
