"""Code points of two texts side by side, around one of their differences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from auditor.compare.code_points import CodePoint, code_points, look_alikes
from auditor.compare.text_diff import Piece, TextDiff, differences

CONTEXT = 12
"""Characters before and behind a difference that are shown with it."""
MOST_PAIRS = 2_000
"""Characters of one difference that are shown; nobody reads more of them one by one."""


class PointPair(NamedTuple):
    """A character of each text; None where a text has none here."""

    oracle: CodePoint | None
    prediction: CodePoint | None
    differs: bool
    alike: bool
    """Whether it is a part of a difference that a reader could take for none."""


class AlignedPoints(NamedTuple):
    """One difference and what stands around it."""

    pairs: tuple[PointPair, ...]
    first: int
    """The pair at which the difference begins."""
    left_out: int
    """Characters of the difference that are not shown."""
    sentence: str
    """What differs, in words, where it cannot be seen; empty where it can."""


def aligned_points(oracle: str, prediction: str, diff: TextDiff, nth: int) -> AlignedPoints:
    """Return the code points around a changed piece of a difference, counted from 0; its pieces decide what is aligned.

    Raises IndexError when there are not so many changed pieces.
    """
    at, piece = [(at, piece) for at, piece in enumerate(diff.pieces) if piece.counts][nth]
    alike = _alike_pieces(oracle, prediction, [*diff.pieces[max(0, at - CONTEXT) : at + CONTEXT + 1]])
    before = list(_around(oracle, prediction, diff.pieces[:at][::-1], alike, backwards=True))[::-1]
    after = list(_around(oracle, prediction, diff.pieces[at + 1 :], alike, backwards=False))
    length = _length(piece)
    inner = list(_pairs(oracle, prediction, piece, 0, min(length, MOST_PAIRS), alike))
    return AlignedPoints(
        (*before, *inner, *after), len(before), max(0, length - MOST_PAIRS), alike.get(piece.oracle.start, "")
    )


def count_differences(diff: TextDiff) -> int:
    """Return how many changed pieces a difference has."""
    return len(differences(diff))


def _alike_pieces(oracle: str, prediction: str, pieces: Sequence[Piece]) -> dict[int, str]:
    """Return what is said of those pieces whose sides look alike, by where they begin in the oracle."""
    near = TextDiff(tuple(pieces), True, None, 0)
    return {one.oracle.start: one.sentence for one in look_alikes(oracle, prediction, near)}


def _around(
    oracle: str, prediction: str, pieces: Sequence[Piece], alike: dict[int, str], *, backwards: bool
) -> Iterator[PointPair]:
    """Yield up to CONTEXT pairs of the pieces next to the difference, from it outwards."""
    left = CONTEXT
    for piece in pieces:
        length = _length(piece)
        taken = min(length, left)
        start = length - taken if backwards else 0
        pairs = list(_pairs(oracle, prediction, piece, start, start + taken, alike))
        yield from reversed(pairs) if backwards else pairs
        left -= taken
        if not left:
            return


def _length(piece: Piece) -> int:
    return max(piece.oracle.end - piece.oracle.start, piece.prediction.end - piece.prediction.start)


def _pairs(
    oracle: str, prediction: str, piece: Piece, start: int, stop: int, alike: dict[int, str]
) -> Iterator[PointPair]:
    """Pair characters `start:stop` of a piece, one by one from its start."""
    changed = piece.kind != "equal"
    for step in range(start, stop):
        sides = [
            code_points(text, span.start + step, span.start + step + 1)[0] if span.start + step < span.end else None
            for text, span in ((oracle, piece.oracle), (prediction, piece.prediction))
        ]
        yield PointPair(sides[0], sides[1], changed, changed and piece.oracle.start in alike)
