"""A terminal driver that survives what real terminals send: bytes that are not UTF-8, and a terminal that goes away."""

from __future__ import annotations

import os
import selectors
import shutil
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import IO, Any

from textual import constants, events
from textual._parser import ParseError, Read1
from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver
from textual.message import Message

from auditor.tui.terminal import is_far

_STRAY = "\N{REPLACEMENT CHARACTER}"
_PASTE_BEGINS, _PASTE_ENDS = "\x1b[200~", "\x1b[201~"
_READ_BYTES = 4096
_POLL_SECONDS = 0.1
_ESCAPE_SECONDS = 0.025
_SIZE = 80, 25
"""Columns and rows of a terminal that does not say how large it is; Rich, which the app asks, takes the same."""
_AFTER_SECONDS = 0.002
"""By so much a look comes after the end of a delay, and not just before it."""


class _Output:
    """Standard error as the driver writes it; what a terminal that went away cannot take is dropped.

    The driver's writing thread would die of the error, and then the app would wait forever for room in its queue.
    """

    def __init__(self, file: IO[str]) -> None:
        self._file = file

    def write(self, text: str) -> None:
        with suppress(OSError):
            self._file.write(text)

    def flush(self) -> None:
        with suppress(OSError):
            self._file.flush()

    def fileno(self) -> int:
        return self._file.fileno()


class EscapeParser(XTermParser):
    """The stock parser with a delay of its own after an escape."""

    def __init__(self, delay: float, debug: bool) -> None:
        self._delay = delay
        super().__init__(debug)

    def read1(self, timeout: float | None = None) -> Read1:  # type: ignore[override]  # a class there, called alike
        return Read1(None if timeout is None else self._delay)


def escape_delay(environ: Mapping[str, str]) -> float:
    """Return the seconds after which an escape that nothing follows is the key of that name.

    A terminal on this machine writes the bytes of any other key all at once; on the way from another they may be torn
    apart. ESCDELAY says it in any case.
    """
    waits = "ESCDELAY" in environ or is_far(environ)
    return constants.ESCAPE_DELAY if waits else _ESCAPE_SECONDS


class PasteReader:
    """Takes what is pasted out of the input as it is; the parser would look for keys behind an escape in it."""

    def __init__(self, parse: Callable[[str], Iterable[Message]]) -> None:
        self._parse = parse
        self._pasted: list[str] | None = None
        """What came of a paste so far; None = there is none."""

    def feed(self, text: str) -> Iterator[Message]:
        """Yield the messages of a piece of input."""
        while text:
            if self._pasted is None:
                typed, begins, text = text.partition(_PASTE_BEGINS)
                if typed:
                    yield from self._parse(typed)
                if begins:
                    self._pasted = []
                continue
            # The end may come in two pieces: the last characters are looked at again with those that follow.
            text = "".join(self._pasted[-1:]) + text
            pasted, ends, rest = text.partition(_PASTE_ENDS)
            if not ends:
                split = max(0, len(text) - len(_PASTE_ENDS))
                self._pasted[-1:] = [text[:split], text[split:]]
                return
            yield events.Paste("".join([*self._pasted[:-1], pasted]))
            self._pasted, text = None, rest


class ToughLinuxDriver(LinuxDriver):
    """The stock driver, but stray bytes on stdin are dropped and a hang-up leaves the app (Textual #6668).

    A stray byte is replaced, not removed, before the parser sees it: an old mouse report has a fixed number of
    bytes, and without its stray one the parser would take the next key for a part of the report.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._resuming = False
        self._file = _Output(self._file)  # type: ignore[arg-type,assignment]  # what its thread uses

    def _get_terminal_size(self) -> tuple[int, int]:
        """Return columns and rows. Were they others than the app takes, both would resize for ever."""
        return shutil.get_terminal_size(_SIZE)

    def _sigcont_application(self, *_: object) -> None:
        """Take the terminal up again, unless it is gone: a hang-up sends SIGCONT too.

        A process that was stopped without being asked (SIGSTOP) still has its reader; a second one would take keys
        away from it, and one of both would wait for a further key when the app ends.
        """
        if self._resuming or (self.input_tty and not os.isatty(self.fileno)):
            return
        self._resuming = True
        try:
            if self._auto_restart and self._key_thread is not None and self._key_thread.is_alive():
                self.suspend_application_mode()
            super()._sigcont_application()
        finally:
            self._resuming = False

    def run_input_thread(self) -> None:
        """Read stdin until the app is done or the terminal is gone."""
        delay = escape_delay(os.environ)
        parser = EscapeParser(delay, self._debug)
        wait = _POLL_SECONDS
        reader = PasteReader(parser.feed)
        decode = getincrementaldecoder("utf-8")(errors="replace").decode
        with selectors.SelectSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                if not selector.select(wait):
                    wait = _POLL_SECONDS
                else:
                    wait = delay + _AFTER_SECONDS
                    data = self._read()
                    if not data:
                        self._leave()
                        break
                    # An incomplete character decodes to nothing, and feeding nothing is how the parser is ended.
                    if text := decode(data):
                        for message in reader.feed(text):
                            self.process_message(message)
                for message in parser.tick():
                    self.process_message(message)
        with suppress(EOFError, ParseError):
            for _ in parser.feed(""):
                pass

    def _read(self) -> bytes:
        """Return what stdin holds; nothing when the terminal was closed."""
        try:
            return os.read(self.fileno, _READ_BYTES)
        except OSError:
            return b""

    def _leave(self) -> None:
        if self.input_tty:
            self._app.call_later(self._app.exit)

    def process_message(self, message: Message) -> None:
        """Pass a message on, unless it is the key press that a stray byte would be."""
        if isinstance(message, events.Key) and message.character == _STRAY:
            return
        super().process_message(message)
