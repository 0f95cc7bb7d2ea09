"""How commands print: tables and JSON on stdout, progress and messages on stderr; text from data is made visible."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from typing import Any

from auditor.text import visible, visible_line


def print_json(value: Any) -> None:
    """Write one JSON document to stdout; text from data stays exact, as escapes."""
    sys.stdout.write(json.dumps(value, indent=2) + "\n")


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


def print_table(columns: Sequence[str], rows: Sequence[Sequence[Any]], *, title: str | None = None) -> None:
    """Print a table to stdout; a column of numbers is aligned to the right, None is shown as a dash."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, title=Text(title) if title else None, title_justify="left", pad_edge=False)
    for index, column in enumerate(columns):
        numeric = all(row[index] is None or isinstance(row[index], int | float | Number) for row in rows)
        table.add_column(Text(visible_line(column)), justify="right" if numeric and rows else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(_cell(value)) for value in row))
    width = None if sys.stdout.isatty() else 200
    console = Console(file=sys.stdout, width=width, highlight=False, markup=False, emoji=False)
    console.print(table)


class Number(str):
    """A formatted number: text that a table aligns as a number."""

    __slots__ = ()


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.3f}"
    if isinstance(value, int):
        return f"{value:,}"
    return visible_line(str(value))


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
