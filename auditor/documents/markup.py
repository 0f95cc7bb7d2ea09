"""The one boundary between text from data and markup: what passes it shows as it is and can do nothing."""

from __future__ import annotations

import html

from auditor.text import visible, visible_line


def escaped(text: str) -> str:
    """Return text for the inside of an HTML or SVG element, or of an attribute in double quotes.

    Newlines and tabs stay; every other control, format and odd space character becomes a visible mark, so that no
    reader's program reorders, hides or acts on anything.
    """
    return html.escape(visible(text), quote=True)


def escaped_line(text: str, limit: int | None = None) -> str:
    """Return the same as one line of at most `limit` characters before escaping."""
    return html.escape(visible_line(text, limit), quote=True)
