"""Strategies for pairs of texts: unrelated ones, and ones that differ by a few edits, since only these align."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.hostile import HOSTILE

ALPHABET = st.sampled_from("ab01 ,[]\n\t\r\u00a0\u200b\u0301é漢👩\ud83d\0")
TEXTS = st.text(ALPHABET, max_size=30) | st.text(max_size=20) | st.sampled_from(sorted(HOSTILE.values()))


@st.composite
def edited_pairs(draw: st.DrawFn) -> tuple[str, str]:
    """Draw a text and the same text after a few replacements, insertions and deletions."""
    text = draw(st.text(ALPHABET, max_size=60) | st.sampled_from(sorted(HOSTILE.values())))
    edited = text
    for _ in range(draw(st.integers(min_value=0, max_value=4))):
        at = draw(st.integers(min_value=0, max_value=len(edited)))
        gone = draw(st.integers(min_value=0, max_value=4))
        edited = edited[:at] + draw(st.text(ALPHABET, max_size=4)) + edited[at + gone :]
    return text, edited


PAIRS = edited_pairs() | st.tuples(TEXTS, TEXTS)
