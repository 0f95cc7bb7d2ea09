"""A program in a real pseudo-terminal: type bytes into it, read its screen, check what it wrote."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
from collections.abc import Callable, Sequence
from typing import Self

import pyte

KEYS = {
    "space": b" ",
    "enter": b"\r",
    "escape": b"\x1b",
    "tab": b"\t",
    "up": b"\x1b[A",
    "down": b"\x1b[B",
    "right": b"\x1b[C",
    "left": b"\x1b[D",
    "pagedown": b"\x1b[6~",
    "ctrl+c": b"\x03",
}
ANSWERS = {b"\x1b[c": b"\x1b[?62;c", b"\x1b[?2026$p": b"\x1b[?2026;2$y"}
"""What a terminal says when it is asked."""

PATIENCE = 60.0
"""Seconds until something never comes, on a machine that has much else to do."""

FORBIDDEN = {
    "clipboard write": rb"\x1b\]52;",
    "window title": rb"\x1b\][012];",
    "reset": rb"\x1bc",
    "cursor query": rb"\x1b\[6n",
    "shift out": rb"\x0e",
    "8-bit control": rb"\xc2[\x80-\x9f]",
    "bidi control": rb"\xe2\x80[\xaa-\xae]|\xe2\x81[\xa6-\xa9]",
    "line separator": rb"\xe2\x80[\xa8\xa9]",
}
"""Sequences that no text from data may cause."""


class Terminal:
    """One program run. Use it as a context manager: the program is gone at the end."""

    def __init__(self, command: Sequence[str], *, columns: int = 120, rows: int = 40) -> None:
        self.written = bytearray()
        """Every byte that the program wrote."""
        self.exit_code: int | None = None
        """The exit code, or minus the signal; None while it runs."""
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        self._frame = bytearray()
        self._closed = False
        self.pid, self._fd = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM="xterm-256color", COLORTERM="truecolor", COLUMNS=str(columns), LINES=str(rows))
            os.execvp(command[0], [*command])
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self.exit_code is None:
            self.signal(signal.SIGKILL)
            self.wait_for_exit()
        self.hang_up()

    def type(self, *keys: str) -> None:
        """Type keys: names of KEYS, or characters."""
        self.send(b"".join(KEYS.get(key, key.encode()) for key in keys))

    def send(self, data: bytes) -> None:
        """Send bytes as they are."""
        os.write(self._fd, data)

    def signal(self, number: int) -> None:
        """Send a signal to the program."""
        os.kill(self.pid, number)

    def hang_up(self) -> None:
        """Close the terminal, as a window that is closed does."""
        if not self._closed:
            self._closed = True
            os.close(self._fd)

    @property
    def text(self) -> str:
        """Return what is on the screen, one line a row."""
        return "\n".join(line.rstrip() for line in self._screen.display)

    def forbidden(self) -> list[str]:
        """Name what the program wrote and must not have."""
        return [name for name, pattern in FORBIDDEN.items() if re.search(pattern, self.written)]

    def wait_for(self, what: str | Callable[[str], bool], seconds: float = PATIENCE) -> None:
        """Read until a text is on the screen or a condition on it holds; raises AssertionError when it never does."""
        holds = what if callable(what) else lambda screen: what in screen
        end = time.monotonic() + seconds
        while not holds(self.text):
            assert time.monotonic() < end, f"{what} never came; the screen is\n{self.text}"
            if not self.read(0.05) and self._poll():
                assert holds(self.text), f"the program ended with {self.exit_code}; the screen is\n{self.text}"
                return

    def type_until(self, key: str, what: str) -> None:
        """Type a key until a text is on the screen: for a program that throws away what was typed while it is busy.

        The key must do the same however often it is typed. Raises AssertionError when the text never comes.
        """
        end = time.monotonic() + PATIENCE
        while what not in self.text:
            assert time.monotonic() < end, f"{what} never came; the screen is\n{self.text}"
            self.type(key)
            again = time.monotonic() + 1
            while what not in self.text and time.monotonic() < again:
                self.read(0.05)

    def wait_for_quiet(self, seconds: float = PATIENCE) -> None:
        """Read until nothing was written for a quarter of a second; raises AssertionError when that never comes."""
        end = time.monotonic() + seconds
        while self.read(0.25):
            assert time.monotonic() < end, f"it writes without end; the screen is\n{self.text}"

    def read(self, seconds: float) -> bool:
        """Take in what the program writes within some seconds; say whether it wrote anything."""
        if self._closed or not select.select([self._fd], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self._fd, 65536)
        except OSError:
            return False
        self.written += data
        self._paint(data)
        for question, answer in ANSWERS.items():
            if question in data:
                os.write(self._fd, answer)
        return bool(data)

    def _paint(self, data: bytes) -> None:
        """Put what was written on the screen."""
        self._frame += data
        # A frame between these two marks is shown when it is complete, as a terminal that knows them does.
        begin, end = self._frame.rfind(b"\x1b[?2026h"), self._frame.rfind(b"\x1b[?2026l")
        complete = begin if begin > end else len(self._frame)
        self._take(bytes(self._frame[:complete]))
        del self._frame[:complete]

    def _take(self, data: bytes) -> None:
        """Put on the screen what a program wrote."""
        self._stream.feed(data)

    def wait_for_exit(self, seconds: float = PATIENCE) -> None:
        """Wait until the program has ended; raises AssertionError when it does not."""
        start = time.monotonic()
        while not self._poll():
            assert time.monotonic() - start < seconds, f"still running after {seconds} s; the screen is\n{self.text}"
            self.read(0.02)
        while self.read(0):
            pass

    def _poll(self) -> bool:
        if self.exit_code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.exit_code = os.waitstatus_to_exitcode(status)
        return self.exit_code is not None
