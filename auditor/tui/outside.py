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
from contextlib import contextmanager, suppress
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
    with TemporaryDirectory(prefix="auditor-") as folder:
        path = _write(Path(folder) / "text", visible(text))
        with path.open("rb") as file:
            return _run(app, program, (), file.fileno())


def show_in_editor(app: App[int], program: Program, text: str, name: str) -> str:
    """Hand a copy of a text, under a name and not to be written to, to an editor, and come back; as `show_in_pager`."""
    with TemporaryDirectory(prefix="auditor-") as folder:
        path = _write(Path(folder) / name, visible(text))
        path.chmod(0o400)
        return _run(app, program, (str(path),), None)


def _write(path: Path, text: str) -> Path:
    try:
        path.write_bytes(text.encode())
    except OSError as error:
        raise AuditorError(f"there is no place for a copy of the text ({error.strerror}).") from error
    return path


def _run(app: App[int], program: Program, arguments: Sequence[str], stdin: int | None) -> str:
    """Run a program in the terminal and wait for its end. Raises AuditorError when it cannot be run or fails."""
    from textual.app import SuspendNotSupported

    staying = _STAY if program.name == _STAYS else ()
    code, failure = 0, ""
    try:
        with app.suspend(), _without_interrupts():
            # Nothing may be raised in here: Textual would not take the terminal back (8.2.8).
            started = time.monotonic()
            try:
                code = subprocess.run([*program.words, *staying, *arguments], stdin=stdin, check=False).returncode
            except OSError as error:
                failure = error.strerror or str(error)
            if not staying and time.monotonic() - started < _AT_ONCE_SECONDS:
                _wait_for_enter(program)
    except SuspendNotSupported as error:
        raise AuditorError("this terminal cannot be lent to another program.", "Write the text to a file.") from error
    if failure:
        raise AuditorError(f"{program.name} cannot be run ({failure}).")
    if code:
        raise AuditorError(f"{program.name} ended with {f'exit code {code}' if code > 0 else f'signal {-code}'}.")
    return f"Back from {program.name}."


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Leave ctrl+c to the other program, which has the terminal: it reaches both."""
    # A handler, not SIG_IGN, which the other program would inherit.
    before = signal.signal(signal.SIGINT, lambda number, frame: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _wait_for_enter(program: Program) -> None:
    """Leave what a program wrote on the terminal until somebody has read it, or the terminal is gone."""
    with suppress(OSError):
        sys.stdout.write(f"\n{program.name} has ended. Press Enter to go back to the review.")
        sys.stdout.flush()
        while (typed := os.read(0, 1024)) and b"\n" not in typed:
            pass
