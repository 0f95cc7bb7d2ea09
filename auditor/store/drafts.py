"""Notes and memos that are being written: kept beside the audit file, so that nothing that ends the program loses them.

All drafts of one annotator under one codebook are one small JSON file, replaced as a whole and synced to disk.
"""

from __future__ import annotations

import glob
import json
import os
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from auditor.store.pending import SidePlace


class DraftKey(NamedTuple):
    """What is being written: the note of an item, or the memo at a place of it."""

    response_id: int
    place: str = ""
    """Of a memo `line` or `difference`; empty = the note."""
    number: int = 0


class Draft(NamedTuple):
    """A note or a memo that was neither saved nor left."""

    response_id: int
    at: str
    """When it was kept, UTC in ISO 8601."""
    text: str
    place: str = ""
    number: int = 0

    @property
    def key(self) -> DraftKey:
        """Return what it is a draft of."""
        return DraftKey(self.response_id, self.place, self.number)


def draft_file(place: SidePlace) -> Path:
    """Return where an annotator's drafts are: beside the audit file, under that file's own id."""
    return _files(place)[0]


def _files(place: SidePlace) -> list[Path]:
    """Return where drafts can be, the best place first: where unsaved marks can be too."""
    return [folder / f"{begin.replace('.unsaved-', '.draft-')}.json" for folder, begin in place.folders()]


class DraftFiles:
    """One annotator's drafts on the disk: beside the audit file, or elsewhere where nothing can be written there."""

    def __init__(self, place: SidePlace) -> None:
        self.paths = _files(place)

    def take_up(self) -> dict[DraftKey, Draft]:
        """Read the drafts when a review begins; of two of the same the later one."""
        found: dict[DraftKey, Draft] = {}
        for path in self.paths:
            for key, draft in take_up_drafts(path).items():
                if key not in found or found[key].at < draft.at:
                    found[key] = draft
        return found

    def keep(self, draft: Draft) -> bool:
        """Put a draft in the place of the last one of the same; say whether it is on the disk."""
        for path in self.paths:
            with suppress(OSError):
                if path is not self.paths[0]:
                    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                keep_draft(path, draft)
                return True
        return False

    def drop(self, key: DraftKey) -> None:
        """Forget a draft. What cannot be deleted is offered once more: that loses nothing."""
        for path in self.paths:
            with suppress(OSError):
                drop_draft(path, key)


def read_drafts(path: Path) -> dict[DraftKey, Draft]:
    """Read the drafts; none when there is no file, or none that can be read."""
    try:
        drafts = [_from_json(value) for value in json.loads(path.read_bytes())]
    except (OSError, ValueError, TypeError, KeyError):
        return {}
    return {draft.key: draft for draft in drafts}


def take_up_drafts(path: Path) -> dict[DraftKey, Draft]:
    """Read the drafts when a review begins, and clear away what a process left that was killed while it wrote them.

    What it had written whole is what it kept last.
    """
    with suppress(OSError):
        for left in path.parent.glob(f"{glob.escape(path.name)}.*.new"):
            process = left.name.split(".")[-2]
            if process.isdigit() and not _is_running(int(process)):
                _take_up(left, path)
    return read_drafts(path)


def _take_up(left: Path, path: Path) -> None:
    if read_drafts(left) and not (path.exists() and path.stat().st_mtime_ns > left.stat().st_mtime_ns):
        left.replace(path)
    else:
        left.unlink(missing_ok=True)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def keep_draft(path: Path, draft: Draft) -> None:
    """Put a draft in the place of the last one of the same; when this returns it is on the disk. Raises OSError."""
    _write(path, read_drafts(path) | {draft.key: draft})


def drop_draft(path: Path, key: DraftKey) -> None:
    """Forget a draft; the file goes with the last one. Raises OSError."""
    drafts = read_drafts(path)
    if drafts.pop(key, None) is None:
        return
    if drafts:
        _write(path, drafts)
    else:
        path.unlink(missing_ok=True)


def _write(path: Path, drafts: dict[DraftKey, Draft]) -> None:
    new = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        with new.open("wb") as file:
            os.fchmod(file.fileno(), 0o600)
            file.write(json.dumps([draft._asdict() for draft in drafts.values()]).encode("ascii"))
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    except OSError:
        with suppress(OSError):
            new.unlink(missing_ok=True)
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _from_json(value: dict[str, object]) -> Draft:
    response_id, at, text = value["response_id"], value["at"], value["text"]
    place, number = value.get("place", ""), value.get("number", 0)
    if not (isinstance(response_id, int) and isinstance(at, str) and isinstance(text, str)):
        raise TypeError(f"no draft: {value}")
    if not (isinstance(place, str) and isinstance(number, int)):
        raise TypeError(f"no draft: {value}")
    datetime.fromisoformat(at)
    return Draft(response_id, at, text, place, number)
