"""Markdown for reading, not for reading back: text from data shows as it is and is never taken for markup."""

from __future__ import annotations

import re
from collections.abc import Sequence

from auditor.model import JsonValue
from auditor.text import visible, visible_line

_MARKUP = re.compile(r"[\\`*_\[\]<>|&~$]")
_AT_START = re.compile(r"(?:[#+=-]|\d+[.)](?= |$))")


def escaped(text: str) -> str:
    """Return one line of text such that no part of it acts as markup; what does not show becomes visible."""
    shown = _MARKUP.sub(r"\\\g<0>", visible_line(text)).lstrip(" ")  # four spaces would make it code
    start = _AT_START.match(shown)
    return shown[: start.end() - 1] + "\\" + shown[start.end() - 1 :] if start else shown


def cell(value: JsonValue) -> str:
    """Return a value as the text of a table cell; None is empty."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return escaped(value) if isinstance(value, str) else repr(value)


def table_line(values: Sequence[JsonValue]) -> str:
    """Return one row of a table, without its newline."""
    return f"| {' | '.join(map(cell, values))} |"


def table_head(columns: Sequence[str], right: Sequence[str] = ()) -> str:
    """Return the header of a table and the line under it; the columns in `right` are aligned to the right."""
    rule = " | ".join("---:" if column in right else "---" for column in columns)
    return f"{table_line(columns)}\n| {rule} |"


def code_block(text: str, language: str = "") -> str:
    """Return text as a fenced block, with a fence longer than any run of backticks in it."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    word = language if re.fullmatch("[a-z0-9+-]*", language) else ""
    return f"{fence}{word}\n{visible(text.removesuffix(chr(10)))}\n{fence}"
