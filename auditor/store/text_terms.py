"""Terms of a filter that look into texts, as SQL: words anywhere, and texts in one column."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from auditor.store.sql import Sql
from auditor.text import UNDECODABLE, UndecodedText, from_storage, to_storage


def allow_text_terms(connection: sqlite3.Connection) -> None:
    """Make a connection ready to look into texts."""
    connection.create_function("contains_text", 2, _contains_text, deterministic=True)


def search(text: str, *, notes: bool) -> Sql:
    """Search source, input, reply and, unless they are not to be looked at, notes and memos, in whatever case."""
    places = (
        "contains_text((SELECT p.source FROM programs p WHERE p.id = t.program_id), ?)",
        "contains_text(t.input, ?)",
        "contains_text(r.reply, ?)",
        *(
            (
                "EXISTS (SELECT 1 FROM reviews w WHERE w.response_id = r.id AND contains_text(w.note, ?))",
                "EXISTS (SELECT 1 FROM memos m WHERE m.response_id = r.id AND contains_text(m.text, ?))",
            )
            if notes
            else ()
        ),
    )
    return Sql(f"({' OR '.join(places)})", (to_storage(text.lower()),) * len(places))


def contains(column: str, texts: Sequence[str]) -> Sql:
    """Look for any of some texts in a column, in whatever case."""
    looks = " OR ".join([f"contains_text({column}, ?)"] * len(texts))
    return Sql(f"({looks})", tuple(to_storage(text.lower()) for text in texts))


def equals(column: str, text: str) -> Sql:
    """Compare a column with a text, character by character."""
    forms = stored_forms(text)
    return Sql(f"{column} IN ({', '.join('?' * len(forms))})", tuple(forms))


def stored_forms(text: str) -> list[str | bytes | None]:
    """Return how a text can stand in a column: U+DC80-U+DCFF are surrogates, or the raw bytes they stand for."""
    forms = [to_storage(text)]
    if UNDECODABLE.search(text):
        forms.append(to_storage(UndecodedText(text)))
    return forms


def _contains_text(value: str | bytes | None, needle: str | bytes) -> bool:
    """Say whether a stored text holds a word, which is in small letters already."""
    return value is not None and (from_storage(needle) or "") in (from_storage(value) or "").lower()
