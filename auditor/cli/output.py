"""How commands print: tables and JSON on stdout, progress and messages on stderr; text from data is made visible."""

from __future__ import annotations

import json
import shutil
import sys
import time
from collections.abc import Sequence
from typing import Any

from auditor.text import visible, visible_line


def print_json(value: Any) -> None:
    """Write one JSON document to stdout; text from data stays exact, as escapes."""
    # JSON leaves DEL as it is, which only a string can hold.
    sys.stdout.write(json.dumps(value, indent=2).replace("\x7f", "\\u007f") + "\n")


def print_text(text: str = "") -> None:
    """Write lines to stdout, with what a terminal would act on made visible."""
    _write(sys.stdout, visible(text) + "\n")


def say(text: str) -> None:
    """Write a line to stderr, with what a terminal would act on made visible."""
    _write(sys.stderr, visible(text) + "\n")


def _write(stream: Any, text: str) -> None:
    encoding = stream.encoding or "utf-8"
    stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
    stream.flush()


def print_table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Print a table to stdout, at most as wide as the terminal where it is one; see `table_lines`."""
    from auditor.cli.table import table_lines

    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    _write(sys.stdout, "\n".join(table_lines(columns, rows, width)) + "\n")


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
