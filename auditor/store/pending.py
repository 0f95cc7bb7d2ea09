"""What an annotator did while the audit file could not be written: kept in a side file until it is in.

The side file stands beside the audit file and holds one JSON line an action. A line is synced to disk before the
action counts as kept, so that neither a locked file nor a killed process loses a key press.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
from pathlib import Path
from typing import NamedTuple

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


def side_file(audit_file: Path, annotator: str, codebook: str) -> Path:
    """Return where an annotator's unsaved actions under a codebook are kept."""
    name = join_key((annotator, codebook)).replace("/", "@")
    return audit_file.with_name(f"{audit_file.name}.unsaved-{name}.jsonl")


class PendingActions:
    """The queue of unsaved actions of one annotator, mirrored in the side file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.actions: list[PendingAction] = []
        self._file: int | None = None
        self._kept = 0
        """How many of the actions, from the first, are in the side file."""

    def __len__(self) -> int:
        return len(self.actions)

    def recover(self) -> None:
        """Read what an earlier session left; a half-written last line is what the killed process had in flight.

        Raises AuditFileError when another session of the annotator is using the side file, or it is damaged.
        """
        if not self.path.exists():
            return
        file = self._open()
        data = self.path.read_bytes()
        for number, line in enumerate(data.split(b"\n")[:-1], 1):
            try:
                self.actions.append(_from_line(line))
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                self.close()
                raise AuditFileError(
                    f"line {number} of {visible_line(str(self.path))}, which holds unsaved work, cannot be read.",
                    "Move that file away to go on without it, and keep it: its other lines are still good.",
                ) from error
        os.ftruncate(file, data.rfind(b"\n") + 1)
        self._kept = len(self.actions)

    def append(self, action: PendingAction) -> None:
        """Keep an action; raises OSError or AuditFileError when it could be kept in memory only.

        What could only be kept in memory before is written first, so that the order stays.
        """
        self.actions.append(action)
        file = self._open()
        lines = b"".join(map(_line, self.actions[self._kept :]))
        size = os.fstat(file).st_size
        try:
            written = os.write(file, lines)
            if written < len(lines):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(file)
        except OSError:
            # Half a line would swallow the next one.
            os.ftruncate(file, size)
            raise
        self._kept = len(self.actions)

    def clear(self) -> None:
        """Forget all actions: they are in the audit file."""
        self.actions.clear()
        self._kept = 0
        if self._file is not None:
            self.path.unlink(missing_ok=True)
            os.close(self._file)
            self._file = None

    def close(self) -> None:
        """Leave the side file for the next session."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _open(self) -> int:
        """Return the side file, opened and locked; made when there is none."""
        if self._file is not None:
            return self._file
        file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(file)
            raise AuditFileError(
                f"another session of this annotator keeps unsaved work in {visible_line(str(self.path))}.",
                "Close it first.",
            ) from error
        self._file = file
        return file


def _line(action: PendingAction) -> bytes:
    value = {
        "uuid": action.uuid,
        "at": action.at,
        "response_id": action.response_id,
        "evidence": action.evidence.hex(),
        **intent_to_json(action.intent),
    }
    return json.dumps(value).encode("ascii") + b"\n"


def _from_line(line: bytes) -> PendingAction:
    value = json.loads(line)
    uuid, at, response_id = value.pop("uuid"), value.pop("at"), value.pop("response_id")
    return PendingAction(uuid, at, response_id, bytes.fromhex(value.pop("evidence")), intent_from_json(value))
