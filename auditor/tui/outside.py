"""Other programs with a text of the review: a pager, an editor. The screen stands aside until they end.

No shell is asked: a setting is split into words as a shell would split them, and of an item there is at most a name of
plain letters among them. A text from data reaches neither program with anything that a terminal would act on: exact
bytes are what files are for.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

from auditor.errors import AuditorError
from auditor.text import visible, visible_line

if TYPE_CHECKING:
    from textual.app import App

_STAYS = "less"
_STAY = ("-+F", "-+E", "-+e")
"""The pager that is told to stay even when all of the text fits, and how."""
_AT_ONCE_SECONDS = 1.0
"""A program that ends sooner has been read by nobody: what it wrote stays until a key is pressed."""


class Program(NamedTuple):
    """A program and its first arguments."""

    words: tuple[str, ...]
    origin: str
    """What chose it: a setting, a variable of the environment, or `default`."""

    @property
    def name(self) -> str:
        """Return how a sentence calls it."""
        return visible_line(Path(self.words[0]).name, 40)


def find_pager(setting: str, environ: Mapping[str, str]) -> Program:
    """Return the program that shows a text. Raises AuditorError when it is not there."""
    chosen = (("the setting `pager`", setting), ("PAGER", environ.get("PAGER", "")), ("default", "less"))
    return _find(chosen, environ, "Set another one: auditor config set pager less")


def find_editor(setting: str, environ: Mapping[str, str]) -> Program:
    """Return the program that edits a text. Raises AuditorError when it is not there."""
    variables = [(name, environ.get(name, "")) for name in ("VISUAL", "EDITOR")]
    chosen = (("the setting `editor`", setting), *variables, ("default", "vi"))
    return _find(chosen, environ, "Set another one: auditor config set editor nano")


def _find(chosen: Sequence[tuple[str, str]], environ: Mapping[str, str], hint: str) -> Program:
    """Return the first program that is named. Raises AuditorError when it cannot be run."""
    origin, text = next((origin, text) for origin, text in chosen if text.strip())
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        shown = visible_line(text, 60)
        raise AuditorError(f"{origin} is no command that can be read ({error}): {shown}.", hint) from error
    if not words or shutil.which(words[0], path=environ.get("PATH")) is None:
        named = visible_line(words[0] if words else text, 60)
        raise AuditorError(f"there is no program {named!r}, which {origin} names.", hint)
    return Program(words, origin)


def show_in_pager(app: App[int], program: Program, text: str) -> str:
    """Hand a text to a pager, on its standard input, and come back; return what is to be said.

    Raises AuditorError when the program cannot be run or fails.
    """
    with _copy(text, "text") as path, path.open("rb") as file:
        return _run(app, program, (), file.fileno())


def show_in_editor(app: App[int], program: Program, text: str, name: str) -> str:
    """Hand a copy of a text, under a name and not to be written to, to an editor, and come back; as `show_in_pager`."""
    with _copy(text, name) as path:
        return _run(app, program, (str(path),), None)


@contextmanager
def _copy(text: str, name: str) -> Iterator[Path]:
    """Keep a text, made visible, in a file of a folder that nobody else can read. Raises AuditorError."""
    with ExitStack() as stack:
        try:
            folder = stack.enter_context(TemporaryDirectory(prefix="auditor-"))
            path = Path(folder) / name
            path.write_bytes(visible(text).encode())
            path.chmod(0o400)
        except OSError as error:
            raise AuditorError(f"there is no place for a copy of the text ({error.strerror}).") from error
        yield path


def _run(app: App[int], program: Program, arguments: Sequence[str], stdin: int | None) -> str:
    """Run a program in the terminal and wait for its end. Raises AuditorError when it cannot be run or fails."""
    from textual.app import SuspendNotSupported

    staying = _STAY if program.name == _STAYS else ()
    ended = Ended()
    try:
        with heeding_signals() as other, app.suspend():
            # Nothing may be raised in here: Textual would not take the terminal back (8.2.8).
            started = time.monotonic()
            ended = other.run_to_end([*program.words, *staying, *arguments], stdin)
            if not (staying or ended.by_request) and time.monotonic() - started < _AT_ONCE_SECONDS:
                _wait_for_enter(program)
    except SuspendNotSupported as error:
        raise AuditorError("this terminal cannot be lent to another program.", "Write the text to a file.") from error
    if ended.failure:
        raise AuditorError(f"{program.name} cannot be run ({ended.failure}).")
    if code := ended.code:
        raise AuditorError(f"{program.name} ended with {f'exit code {code}' if code > 0 else f'signal {-code}'}.")
    return f"Back from {program.name}."


class Ended(NamedTuple):
    """How a program ended."""

    code: int = 0
    """Its exit code, or minus the signal."""
    failure: str = ""
    """Why it could not be run; empty when it was."""
    by_request: bool = False
    """Whether the review itself is asked to end."""


class OtherProgram:
    """Another program that has the terminal: ctrl+c is left to it, and what asks the review to end ends it first."""

    def __init__(self) -> None:
        self._child: subprocess.Popen[bytes] | None = None
        self._asked: list[int] = []

    def end(self, number: int, frame: object) -> None:
        """End the other program, or do not begin it."""
        self._asked.append(number)
        if self._child is not None:
            self._child.terminate()

    def run_to_end(self, words: Sequence[str], stdin: int | None) -> Ended:
        """Run a program to its end."""
        if self._asked:
            return Ended(by_request=True)
        try:
            self._child = subprocess.Popen(words, stdin=stdin)
        except OSError as error:
            return Ended(failure=error.strerror or str(error))
        if self._asked:
            self._child.terminate()
        return Ended(self._child.wait(), by_request=bool(self._asked))


@contextmanager
def heeding_signals() -> Iterator[OtherProgram]:
    """Heed signals from before the other program begins, since it may be told to end as soon as it is there."""
    other = OtherProgram()
    # Handlers, not SIG_IGN, which the other program would inherit. The event loop hears of each signal all the same.
    handlers = {signal.SIGINT: lambda number, frame: None, signal.SIGTERM: other.end, signal.SIGHUP: other.end}
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield other
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _wait_for_enter(program: Program) -> None:
    """Leave what a program wrote on the terminal until somebody has read it, or the terminal is gone."""
    with suppress(OSError):
        sys.stdout.write(f"\n{program.name} has ended. Press Enter to go back to the review.")
        sys.stdout.flush()
        while (typed := os.read(0, 1024)) and b"\n" not in typed:
            pass
