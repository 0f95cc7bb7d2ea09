"""What an annotator did while the audit file could not be written: kept in a side file until it is in.

A session's side file stands beside the audit file, or where that is impossible in the user's state folder or the
system's temporary one. It holds one JSON line an action, and a line is synced to disk before the action counts as
kept, so that neither a locked file nor a killed process loses a key press.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import heapq
import json
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import gettempdir
from typing import NamedTuple
from uuid import uuid4

from auditor.errors import AuditFileError
from auditor.model import join_key
from auditor.store.reviews import Intent, intent_from_json, intent_to_json
from auditor.text import visible_line


class PendingAction(NamedTuple):
    """One action that is not in the audit file yet."""

    uuid: str
    at: str
    response_id: int
    evidence: bytes
    intent: Intent
    blind: bool = False
    """Whether a blind review hid what it hides."""
    seconds: float | None = None
    """How long the annotator was at the item, where a timer ran."""


class SidePlace(NamedTuple):
    """Where one annotator's side files for one audit file and codebook are."""

    audit_file: Path
    file_id: str
    """The audit file's own id: a side file is never taken up by another audit that was put at the same path."""
    who: str
    """Annotator and codebook, as a part of a file name."""

    def folders(self) -> Iterator[tuple[Path, str]]:
        """Yield the folders to try, the best first, each with the beginning of the side files' names there."""
        name = f"{self.audit_file.name}.unsaved-{self.who}-{self.file_id}"
        yield self.audit_file.parent, name
        elsewhere = hashlib.sha256(os.fsencode(self.audit_file.absolute())).hexdigest()[:12]
        state = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
        yield Path(state) / "auditor", f"{elsewhere}-{name}"
        yield Path(gettempdir()) / f"auditor-{os.getuid()}", f"{elsewhere}-{name}"

    def left(self) -> list[Path]:
        """List the side files that sessions left, the oldest first."""
        found: list[Path] = []
        for folder, begin in self.folders():
            with suppress(OSError):  # there is no such folder, or it is not ours
                names = os.listdir(folder)
                found += [folder / one for one in names if one.startswith(f"{begin}-") and one.endswith(".jsonl")]
        return sorted(found, key=_changed_at)


def side_place(audit_file: Path, file_id: str, annotator: str, codebook: str) -> SidePlace:
    """Return where an annotator's unsaved actions under a codebook are kept."""
    who = join_key((annotator, codebook)).replace("/", "@")
    if len(os.fsencode(who)) > 100:
        who = hashlib.sha256(who.encode()).hexdigest()[:32]
    return SidePlace(audit_file, file_id.replace("-", "")[-12:], who)


def waiting_beside(audit_file: Path) -> list[str]:
    """List the names of the files of unsaved marks, whosever they are, that stand beside an audit file."""
    begin = f"{audit_file.name}.unsaved-"
    with suppress(OSError):  # a folder that cannot be listed
        return sorted(one for one in os.listdir(audit_file.parent) if one.startswith(begin) and one.endswith(".jsonl"))
    return []


class PendingActions:
    """The unsaved actions of one session, mirrored in a side file of its own, with those that dead sessions left."""

    def __init__(self, place: SidePlace) -> None:
        self.place = place
        self.actions: list[PendingAction] = []
        self.path: Path | None = None
        """The side file; None while nothing had to be kept, or nothing could be."""
        self._file: int | None = None
        self._kept = 0
        """How many of the actions, from the first, are in a side file."""
        self._taken_up: list[tuple[Path, int]] = []

    def __len__(self) -> int:
        return len(self.actions)

    @property
    def in_memory_only(self) -> int:
        """How many actions no side file holds, because none could be written."""
        return len(self.actions) - self._kept

    def recover(self, is_written: Callable[[str], bool] = lambda uuid: False) -> None:
        """Take up what dead sessions left; a running session's side file is left to it.

        `is_written` says of an action, by its uuid, whether it is in the audit file already. A half-written last line
        is what the killed process had in flight. Raises AuditFileError for a file that is damaged or somebody else's.
        """
        for path in self.place.left():
            try:
                file = os.open(path, os.O_RDWR)
            except FileNotFoundError:
                continue  # a running session is done with it
            except OSError as error:
                reason = visible_line(error.strerror or str(error))
                raise AuditFileError(
                    f"{visible_line(str(path))} holds unsaved work under your name and cannot be opened ({reason}).",
                    "Whoever it belongs to can review the file once; moved away it is kept, and you go on without it.",
                ) from error
            if _lock(file):
                self._taken_up.append((path, file))
            else:
                os.close(file)
        # In the order of time; within a file the order of its lines holds, whatever the clock did.
        merged = heapq.merge(*(list(_read(path)) for path, _ in self._taken_up), key=lambda action: action.at)
        self.actions = [one for one in {action.uuid: action for action in merged}.values() if not is_written(one.uuid)]
        self._kept = len(self.actions)
        if not self.actions:
            self.clear()

    def append(self, action: PendingAction) -> None:
        """Keep an action; raises OSError when it could be kept in memory only.

        What could only be kept in memory before is written first, so that the order stays.
        """
        self.actions.append(action)
        if self._file is None:
            self._begin()
        else:
            try:
                _append(self._file, self.actions[self._kept :])
            except OSError:
                self._begin()
        self._kept = len(self.actions)

    def _begin(self) -> None:
        """Write all actions to a side file in the first folder that takes it; raises OSError when none does."""
        problem: OSError | None = None
        for folder, name in self.place.folders():
            path = folder / f"{name}-{uuid4().hex[:8]}.jsonl"
            if self.path is not None and path.parent == self.path.parent:
                continue
            try:
                if folder != self.place.audit_file.parent:
                    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
            except OSError as error:
                problem = problem or error
                continue
            _lock(file)
            try:
                _append(file, self.actions)
            except OSError as error:
                problem = problem or error
                os.close(file)
                path.unlink(missing_ok=True)
                continue
            if self._file is not None and self.path is not None:
                self._taken_up.append((self.path, self._file))
            self.path, self._file = path, file
            return
        raise problem or OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def clear(self) -> None:
        """Forget all actions: they are in the audit file."""
        self.actions.clear()
        self._kept = 0
        for path, file in self._files():
            # A folder that may not be written any more keeps the file; nothing is in it then.
            with suppress(OSError):
                os.ftruncate(file, 0)
                path.unlink(missing_ok=True)
            os.close(file)
        self._forget_files()

    def close(self) -> None:
        """Leave the side files for the next session."""
        for _, file in self._files():
            os.close(file)
        self._forget_files()

    def _files(self) -> list[tuple[Path, int]]:
        own = [(self.path, self._file)] if self.path is not None and self._file is not None else []
        return [*self._taken_up, *own]

    def _forget_files(self) -> None:
        self._taken_up.clear()
        self._file = None


def _changed_at(path: Path) -> int:
    """Return when a file was written last; 0 where a running session has just taken it away."""
    try:
        return path.stat().st_mtime_ns
    except FileNotFoundError:
        return 0


def _lock(file: int) -> bool:
    """Take a side file for this process; False when another one has it."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _append(file: int, actions: list[PendingAction]) -> None:
    lines = b"".join(map(_line, actions))
    size = os.fstat(file).st_size
    try:
        if os.write(file, lines) < len(lines):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.fsync(file)
    except OSError:
        # Half a line would swallow the next one.
        os.ftruncate(file, size)
        raise


def _read(path: Path) -> Iterator[PendingAction]:
    for number, line in enumerate(path.read_bytes().split(b"\n")[:-1], 1):
        try:
            yield _from_line(line)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise AuditFileError(
                f"line {number} of {visible_line(str(path))}, which holds unsaved work, cannot be read.",
                "Move that file away to go on without it, and keep it: its other lines are still good.",
            ) from error


def _line(action: PendingAction) -> bytes:
    value = {
        "uuid": action.uuid,
        "at": action.at,
        "response_id": action.response_id,
        "evidence": action.evidence.hex(),
        "blind": action.blind,
        "seconds": action.seconds,
        **intent_to_json(action.intent),
    }
    return json.dumps(value).encode("ascii") + b"\n"


def _from_line(line: bytes) -> PendingAction:
    value = json.loads(line)
    uuid, at, response_id = value.pop("uuid"), value.pop("at"), value.pop("response_id")
    evidence, blind = bytes.fromhex(value.pop("evidence")), bool(value.pop("blind", False))
    seconds = value.pop("seconds", None)
    return PendingAction(uuid, at, response_id, evidence, intent_from_json(value), blind, seconds)
