"""Writing what an annotator does: durable before the next key, also while the audit file cannot be written."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from auditor.audit.unsaved import UnsavedLedger
from auditor.errors import AuditFileError, AuditorError, FileGoneError, InputError, UnsavedWorkError
from auditor.store.file import file_id, now, transaction, translate
from auditor.store.history import Actor, Recorded, act, is_recorded, uuid7
from auditor.store.own_probes import why_twice
from auditor.store.pending import PendingAction, PendingActions, side_place
from auditor.store.responses import has_response, is_superseded
from auditor.store.reviews import Intent, MarkAll, Redo, ReviewView, ToggleTag, Undo, WriteProbe
from auditor.text import visible_line

WRITE_SECONDS = 0.1
"""How long a key press waits for another process's write before it goes to the side file."""
RETRY_SECONDS = 0.4
"""How long unsaved work waits between two tries."""


class Mark(NamedTuple):
    """What became of an action."""

    done: Recorded | None
    """None when there was nothing to do."""
    unsaved: str | None = None
    """Why it is not in the audit file yet, and where it is kept."""


class MarkWriter:
    """Writes one annotator's actions to the audit file, or beside it until that is possible. Not thread-safe."""

    def __init__(
        self,
        path: Path,
        annotator: str,
        actor: Actor,
        writer: sqlite3.Connection,
        reader: sqlite3.Connection,
        *,
        blind: bool = False,
    ) -> None:
        writer.execute(f"PRAGMA busy_timeout = {int(WRITE_SECONDS * 1000)}")
        self.path = path
        self._blind = blind
        self._actor = actor
        self._writer = writer
        self._reader = reader
        self._ledger = UnsavedLedger(reader, actor)
        self.place = side_place(path, file_id(reader), annotator, actor.book.codebook.name)
        """Where what cannot be in the audit file yet is kept."""
        self._unsaved = PendingActions(self.place)
        self._identity = _identity(path)
        self._log = path.with_name(f"{path.name}-wal")
        self._log_identity = _identity(self._log)
        """Of the file in which SQLite keeps what was written last; it stays as long as a connection is open."""
        self._problem = ""
        """Why the audit file was not written; without a hint, which is for somebody whose step was not kept."""
        self._tried_at = 0.0

    @property
    def pending(self) -> int:
        """How many actions are not in the audit file yet."""
        return len(self._unsaved)

    @property
    def in_memory_only(self) -> int:
        """How many actions are neither in the audit file nor in a side file."""
        return self._unsaved.in_memory_only

    def follow(self, actor: Actor) -> None:
        """Go on under another revision of the codebook; what is unsaved is written under it too."""
        self._actor = actor
        self._ledger.follow(actor)

    def view(self, response_id: int) -> ReviewView | None:
        """Return the review of an item that unsaved work changed; None where the file's is right."""
        return self._ledger.views.get(response_id)

    def views(self) -> Mapping[int, ReviewView]:
        """Return the reviews that unsaved work changed, by response id."""
        return self._ledger.views

    def take_up(self) -> list[Recorded]:
        """Go on with what an earlier session could not write; return what it did.

        Raises AuditFileError when that work does not fit the audit file.
        """
        self._unsaved.recover(lambda uuid: is_recorded(self._reader, uuid))
        found: list[Recorded] = []
        for action in self._unsaved.actions:
            try:
                for response_id in _items_of(action.response_id, action.intent) or (action.response_id,):
                    if not has_response(self._reader, response_id):
                        raise KeyError(response_id)
                done = self._ledger.record(action.response_id, action.intent, action.at, waited=True)
            except KeyError as error:
                files = ", ".join(visible_line(str(path)) for path in self.place.left())
                raise AuditFileError(
                    f"unsaved work in {files} names an item or a tag that this audit file does not have.",
                    "Move it away to go on without it, and keep it.",
                ) from error
            found += [done] if done else []
        self.retry()
        return found

    def write(self, response_id: int, intent: Intent, evidence: bytes | None, seconds: float | None = None) -> Mark:
        """Do an action and keep it durably before returning.

        `evidence` is the hash of what was shown; None takes that of the item as it is now. `seconds` is how long the
        annotator was at the item, where a timer runs. Raises InputError for an unknown tag, for an item whose reply an
        import replaced meanwhile, and for a probe of which the run is asked already.
        """
        if self._unsaved and time.monotonic() - self._tried_at > RETRY_SECONDS:
            self.retry()
        action = PendingAction(uuid7(), now(), response_id, evidence or b"", intent, self._blind, seconds)
        if not self._unsaved:
            try:
                with self._writing():
                    if any(is_superseded(self._writer, row) for row in _items_of(response_id, intent)):
                        which = "one of these replies" if isinstance(intent, MarkAll) else "this reply"
                        raise InputError(
                            f"an import has replaced {which} since you opened the review.",
                            hint="Leave and open the review again to see the new one.",
                        )
                    if isinstance(intent, WriteProbe):
                        why = why_twice(self._writer, self._actor, response_id, intent.probe)
                        if why is not None:
                            raise InputError(why)
                    return Mark(self._act(action))
            except FileGoneError as error:
                self._problem = error.message
            except sqlite3.Error as error:
                self._problem = self._told(error)
                self._tried_at = time.monotonic()
        return self._set_aside(action)

    def retry(self) -> int:
        """Try to write what is unsaved; return how many actions are still unsaved."""
        if not self._unsaved:
            return 0
        self._tried_at = time.monotonic()
        try:
            with self._writing():
                for action in self._unsaved.actions:
                    self._act(action, waited=True)
        except (sqlite3.Error, AuditorError) as error:
            self._problem = self._told(error)
            return len(self._unsaved)
        self._unsaved.clear()
        self._ledger.clear()
        return 0

    def close(self) -> None:
        """Write what is unsaved if that is possible now, and let go of the file.

        Raises UnsavedWorkError when work is left unsaved: kept in a side file for the next session, or lost.
        """
        self.retry()
        lost, kept, side = self._unsaved.in_memory_only, len(self._unsaved), self._unsaved.path
        self._unsaved.close()
        # Closing the last connection tidies up by path, which is another file's when this one was replaced.
        if _identity(self.path) == self._identity:
            self._writer.close()
        if lost:
            raise UnsavedWorkError(
                f"{lost:,} of your last marks could not be kept anywhere and are lost. {self._problem}"
            )
        if kept:
            raise UnsavedWorkError(
                f"{kept:,} of your last marks are not in the audit file yet. {self._problem}",
                f"They are kept in {visible_line(str(side))}, and your next review of the file takes them up.",
            )

    def abandon(self) -> None:
        """Let go of the side files without writing anything more."""
        self._unsaved.close()

    def _act(self, action: PendingAction, *, waited: bool = False) -> Recorded | None:
        uuid, at, response_id, evidence, intent, blind, seconds = action
        how = (self._writer, self._actor, response_id, intent)
        return act(*how, uuid=uuid, at=at, evidence=evidence or None, blind=blind, seconds=seconds, waited=waited)

    def _told(self, error: sqlite3.Error | AuditorError) -> str:
        """Say why the file was not written."""
        if isinstance(error, AuditorError):
            return error.message
        may_write = os.access(self.path, os.W_OK) and os.access(self.path.parent, os.W_OK)
        if may_write and (getattr(error, "sqlite_errorname", "") or "").startswith("SQLITE_READONLY"):
            # What SQLite opened for reading only it never writes.
            shown = visible_line(str(self.path))
            return f"{shown} could not be written when the review opened it, and now it can: leave and begin again."
        return translate(error, self.path).message

    def _set_aside(self, action: PendingAction) -> Mark:
        try:
            done = self._ledger.record(action.response_id, action.intent, action.at)
        except KeyError as error:
            raise InputError(f"the codebook has no tag {visible_line(str(error.args[0]))!r}.") from error
        if done is None:
            return Mark(None)
        if isinstance(action.intent, ToggleTag):
            # What stands on the item may be something else when it is written.
            action = action._replace(intent=ToggleTag(action.intent.tag, on=done.action == "tag"))
        kept = "kept in a side file and tried again."
        try:
            self._unsaved.append(action)
        except OSError as error:
            reason = visible_line(error.strerror or str(error))
            kept = f"kept in memory only ({reason}), so do not leave before it is saved."
        return Mark(done, f"NOT SAVED: {self._problem} Your mark is {kept}")

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Write to the file that was opened; raises FileGoneError when its path names another one by now, or none."""
        if _identity(self.path) != self._identity:
            raise FileGoneError(f"{visible_line(str(self.path))} was moved, deleted or replaced during the review.")
        if self._log_identity is not None and _identity(self._log) != self._log_identity:
            # Whatever is written now goes into a file without a name, and is lost when the review is killed.
            raise FileGoneError(f"{visible_line(str(self._log))} was deleted during the review; leave and begin again.")
        with transaction(self._writer):
            yield
        self._log_identity = self._log_identity or _identity(self._log)


def _items_of(response_id: int, intent: Intent) -> tuple[int, ...]:
    """Return the items that an action names; an undo or redo goes wherever the act before it was."""
    if isinstance(intent, MarkAll):
        return intent.response_ids
    return () if isinstance(intent, Undo | Redo) else (response_id,)


def _identity(path: Path) -> tuple[int, int] | None:
    """Return what tells a file from another one at the same path; None when there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino
