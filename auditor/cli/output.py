"""How commands print: tables and JSON on stdout, progress and messages on stderr; text from data is made visible."""

from __future__ import annotations

import json
import shutil
import sys
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from auditor.text import counted, visible, visible_line

if TYPE_CHECKING:
    from auditor.formats.records import Refusal

_SHOWN_REFUSALS = 20

_PATIENCE_SECONDS = 0.2
"""How long somebody waits without being told."""


def json_text(value: Any) -> str:
    """Return one JSON document in ASCII with its newline; text from data stays exact, as escapes."""
    # JSON leaves DEL as it is, which only a string can hold.
    return json.dumps(value, indent=2).replace("\x7f", "\\u007f") + "\n"


def print_json(value: Any) -> None:
    """Write one JSON document to stdout."""
    sys.stdout.write(json_text(value))


def print_text(text: str = "", *, wrap: bool = True) -> None:
    """Write lines to stdout, with what a terminal would act on made visible; a terminal gets them wrapped at words.

    A command that somebody may copy is better not wrapped: the terminal itself breaks it without a newline.
    """
    _write(sys.stdout, (_wrapped(visible(text), sys.stdout) if wrap else visible(text)) + "\n")


def say(text: str) -> None:
    """Write a line to stderr, with what a terminal would act on made visible; a terminal gets it wrapped at words."""
    _write(sys.stderr, _wrapped(visible(text), sys.stderr) + "\n")


def say_refused(refusals: Sequence[Refusal], what: str = "row") -> None:
    """List the first refused records of an import on the standard error, and say how many more there are."""
    if refusals:
        say(f"{counted(len(refusals), what)} refused:")
        for refusal in refusals[:_SHOWN_REFUSALS]:
            say(f"  {refusal}")
        if len(refusals) > _SHOWN_REFUSALS:
            say(f"  … and {len(refusals) - _SHOWN_REFUSALS:,} more; --json lists all.")


def terminal_width(stream: Any = None) -> int | None:
    """Return how many cells a line of a stream (stdout) may take; None where it is no terminal."""
    return shutil.get_terminal_size().columns if (stream or sys.stdout).isatty() else None


def _wrapped(text: str, stream: Any) -> str:
    width = terminal_width(stream)
    if width is None or all(len(line) <= width // 2 for line in text.split("\n")):
        return text
    from auditor.cli.table import wrapped

    return "\n".join(part for line in text.split("\n") for part in wrapped(line, width))


def _write(stream: Any, text: str) -> None:
    encoding = stream.encoding or "utf-8"
    stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
    stream.flush()


def print_table(columns: Sequence[str], rows: Sequence[Sequence[Any]], folds: Mapping[str, str] | None = None) -> None:
    """Print a table to stdout, at most as wide as the terminal where it is one; see `table_lines`."""
    from auditor.cli.table import table_lines

    _write(sys.stdout, "\n".join(table_lines(columns, rows, terminal_width(), folds)) + "\n")


class Progress:
    """A line on stderr that says how far long work is; silent when stderr is no terminal or `quiet`."""

    def __init__(self, quiet: bool = False) -> None:
        self._on = not quiet and sys.stderr.isatty()
        self._shown_at = 0.0
        self._width = 0

    def __call__(self, label: str, done: int, total: int) -> None:
        """Show a share of the work; at most ten times a second."""
        at = time.monotonic()
        if not self._on or (at - self._shown_at < 0.1 and done < total):
            return
        self._shown_at = at
        share = min(1.0, done / total) if total else 1.0
        bar = "█" * round(24 * share) + "░" * (24 - round(24 * share))
        line = f"{visible_line(label, 40)}  {bar}  {100 * share:3.0f} %"
        sys.stderr.write("\r" + line.ljust(self._width))
        sys.stderr.flush()
        self._width = len(line)

    def close(self) -> None:
        """Take the line away."""
        if self._width:
            sys.stderr.write("\r" + " " * self._width + "\r")
            sys.stderr.flush()
            self._width = 0

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class WaitingLine:
    """A progress line for what is mostly over at once: it is shown only when somebody has waited a moment."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._progress = Progress()
        self._began = time.monotonic()

    def __call__(self, done: int, total: int) -> None:
        """Show how far it is."""
        if time.monotonic() - self._began >= _PATIENCE_SECONDS:
            self._progress(self._label, done, total)

    def __enter__(self) -> WaitingLine:
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.close()
