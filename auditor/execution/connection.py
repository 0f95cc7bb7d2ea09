"""The outer end of the channel to the process behind the wall."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from auditor.errors import AuditorError
from auditor.execution.inside.framing import FramingError, Message, pack, unpack
from auditor.execution.wall import Wall, command

_START_SECONDS = 30.0
_ANSWER_LIMIT = 1 << 30
"""Bytes of one answer: far beyond what the limits of a run let through."""


class SandboxError(AuditorError):
    """The process behind the wall did not start or is gone."""

    exit_code = 1


class Connection:
    """One process behind a wall; it ends when this end is closed, however that comes about."""

    def __init__(self, wall: Wall, *, hash_seed: int | None, readable: Sequence[str] = ()) -> None:
        """Start it; raises SandboxError when the wall cannot be built, with the reason."""
        self.wall: Wall = wall
        self.folder: str | None = None
        ours, theirs = socket.socketpair()
        self._socket = ours
        words = command(wall, theirs.fileno(), readable)
        if words is None:
            ours.close()
            theirs.close()
            raise SandboxError(f"{wall} is not installed.")
        # The hash seed is the one thing that an interpreter takes from its environment alone.
        seed = "random" if hash_seed is None else str(hash_seed)
        environment = {"PYTHONHASHSEED": seed, "PATH": os.environ.get("PATH", os.defpath)}
        try:
            self._process = subprocess.Popen(
                words,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                env=environment,
                cwd="/",
                pass_fds=(theirs.fileno(),),
                start_new_session=True,  # ctrl+c is for the person's program, which then closes this
            )
        except OSError as error:
            ours.close()
            raise SandboxError(f"the sandbox could not be started: {error.strerror}.") from error
        finally:
            theirs.close()
        _OPEN.add(self)
        try:
            self._greet()
        except BaseException:
            self.close()
            raise

    def _greet(self) -> None:
        answer = self.receive(_START_SECONDS)
        if "refused" in answer.header:
            raise SandboxError(f"the system refuses what the wall needs: {str(answer.header['refused'])[:300]}.")
        folder = answer.header.get("folder")
        self.folder = folder if isinstance(folder, str) else None

    def send(self, header: dict[str, Any], *blobs: bytes) -> None:
        """Ask for a job; raises SandboxError when the other side is gone."""
        header = {**header, "walled": self.wall != "none", "folder": self.folder}
        self._socket.settimeout(None)
        try:
            self._socket.sendall(pack(header, *blobs))
        except OSError as error:
            raise SandboxError("the sandbox is gone.") from error

    def receive(self, seconds: float, progress: Callable[[int], None] | None = None) -> Message:
        """Wait for an answer; raises SandboxError when none comes in time or what comes is none.

        `progress` is called with how far the job says it is.
        """
        self._socket.settimeout(seconds)
        try:
            message = unpack(self._take, _ANSWER_LIMIT)
            while message is not None and "progress" in message.header:
                if progress is not None and type(message.header["progress"]) is int:
                    progress(message.header["progress"])
                message = unpack(self._take, _ANSWER_LIMIT)
        except (OSError, FramingError) as error:
            raise SandboxError(f"the sandbox does not answer: {error}.") from error
        if message is None:
            raise SandboxError(f"the sandbox ended.{self._last_words()}")
        return message

    def _take(self, count: int) -> bytes:
        pieces, left = [], count
        while left:
            piece = self._socket.recv(min(left, 1 << 20))
            if not piece:
                break
            pieces.append(piece)
            left -= len(piece)
        return b"".join(pieces)

    def _last_words(self) -> str:
        try:
            _, errors = self._process.communicate(timeout=2)
        except subprocess.TimeoutExpired:
            return ""
        line = errors.decode(errors="replace").strip().rpartition("\n")[2][:300]
        return f" It said: {line}" if line else ""

    def forget(self) -> None:
        """Let go of a connection that belongs to the process this one was forked from."""
        self._socket.close()

    def abandon(self) -> None:
        """Have the process behind the wall end, and whoever waits for its answer know; any thread may call it."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """End the process behind the wall with all that it runs."""
        _OPEN.discard(self)
        self._socket.close()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        finally:
            if self._process.stderr is not None:
                self._process.stderr.close()


_OPEN: weakref.WeakSet[Connection] = weakref.WeakSet()


def _forget_all() -> None:
    for connection in list(_OPEN):
        connection.forget()


# A forked copy of this process must not keep the channels of a process that was killed open.
os.register_at_fork(after_in_child=_forget_all)
