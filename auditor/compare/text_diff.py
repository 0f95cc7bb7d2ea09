"""The difference of two texts as pieces of characters: exact, or flagged with the reason why it is not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import accumulate
from time import monotonic
from typing import Literal, NamedTuple

from auditor.compare.alignment import Block, align, common_prefix, common_suffix
from auditor.model import Span

Kind = Literal["equal", "replace", "delete", "insert", "spelled"]

_TOKEN = re.compile(r"[^\W\d_]+|\d+|[^\S\n]+|.", re.DOTALL)
"""Words, numbers, white space within a line; any other character is a token of its own, the newline too."""
_TOKENS_UP_TO = 300_000
"""Characters on both sides together that are cut into tokens; longer texts are aligned by character."""
_WINDOW = 8_192
"""Characters a side that are still compared, from the first difference on, where all is too much."""
_REFINED_CELLS = 1 << 20
"""Pieces up to this product of lengths are looked into by character …"""
_REFINED_CELLS_IN_ALL = 1 << 24
"""… until this many cells were spent on them."""
_CELLS_PER_PIECE = 256
"""What looking into a piece costs however short it is."""
_ALIKE = 0.75
"""Share of characters that two replaced pieces must have in common to be taken apart further."""


class Piece(NamedTuple):
    """A stretch of both texts; a deleted one is empty in the prediction, an inserted one in the oracle."""

    kind: Kind
    """`spelled` = written otherwise, but the same value: only where texts are compared as values."""
    oracle: Span
    prediction: Span

    @property
    def counts(self) -> bool:
        """Say whether it is a difference."""
        return self.kind not in ("equal", "spelled")


class TextDiff(NamedTuple):
    """Pieces that cover both texts completely and in order."""

    pieces: tuple[Piece, ...]
    exact: bool
    """Whether both texts were aligned to their ends, so that no other alignment matches more tokens (white space within
    lines aside; more characters where a text is too long for tokens). If not, what was left is lumped together."""
    reason: str | None
    """Why the difference is not exact; None when it is."""
    common: int
    """Characters that both texts have in common at their beginning: exact in any case."""


def diff_text(oracle: str, prediction: str, *, seconds: float = 0.15) -> TextDiff:
    """Compare two texts by token, and by character inside what was replaced, for about so many seconds."""
    deadline = monotonic() + seconds
    if oracle == prediction:
        whole = Span(0, len(oracle))
        return TextDiff((Piece("equal", whole, whole),) if oracle else (), True, None, len(oracle))
    common = common_prefix(oracle, prediction)
    start = _token_start(oracle, prediction, common)
    tail = common_suffix(oracle, prediction, min(len(oracle), len(prediction)) - start)
    tail = _token_tail(oracle, prediction, tail)
    left, right = oracle[start : len(oracle) - tail], prediction[start : len(prediction) - tail]
    blocks, reason = _align_texts(left, right, deadline, seconds)
    shared = [Block(0, 0, start)]
    shared += [Block(block.left + start, block.right + start, block.length) for block in blocks]
    shared.append(Block(len(oracle) - tail, len(prediction) - tail, tail))
    return TextDiff(tuple(_pieces(oracle, prediction, shared)), reason is None, reason, common)


_LITTLE = 0.3
"""Share of the characters, white space aside, below which what two texts share is taken for an accident. Of 946 wrong
CRUXEval replies that are no literals, those in prose share less with their oracle, and broken literals 0.4 or more."""
_READ_AT_ONCE = 80
"""Characters of both texts up to which even accidental matches can be read: each fits about a row."""
_NO_ACCIDENT = 40
"""Characters in one stretch that are shared by no accident, where they are half of the shorter text."""
LITTLE_IN_COMMON = "little in common, so each is whole"
"""The reason why such a difference is not exact."""


def readable_diff(oracle: str, prediction: str, *, seconds: float = 0.15) -> TextDiff:
    """Compare two texts as `diff_text` does, but leave both whole where they have so little in common that what they
    share would only tear them apart; the difference is then not exact and its reason says so.

    A beginning or an end in common is kept where it is half of the shorter text: one may stop early.
    """
    diff = diff_text(oracle, prediction, seconds=seconds)
    if len(oracle) + len(prediction) <= _READ_AT_ONCE or not _is_torn(oracle, prediction, diff):
        return diff
    whole = changed_piece(Span(0, len(oracle)), Span(0, len(prediction)))
    return TextDiff((whole,), False, LITTLE_IN_COMMON, diff.common)


def _is_torn(oracle: str, prediction: str, diff: TextDiff) -> bool:
    """Say whether a difference consists of accidental matches."""
    shared = [(piece, _marks(oracle[slice(*piece.oracle)])) for piece in diff.pieces if piece.kind == "equal"]
    lengths = _marks(oracle), _marks(prediction)
    if not shared or 2 * sum(marks for _, marks in shared) >= _LITTLE * sum(lengths):
        return False
    ends = sum(marks for piece, marks in shared if piece in (diff.pieces[0], diff.pieces[-1]))
    longest = max(marks for _, marks in shared)
    half = min(lengths) / 2
    return ends < half and not (longest >= half and longest >= _NO_ACCIDENT)


def _marks(text: str) -> int:
    """Count the characters that are no white space."""
    return sum(map(len, text.split()))


def differences(diff: TextDiff) -> tuple[Piece, ...]:
    """Return the changed pieces that count, in order."""
    return tuple(piece for piece in diff.pieces if piece.counts)


def first_difference(diff: TextDiff) -> Piece | None:
    """Return the first changed piece; None for equal texts. The first differing character is at `diff.common`."""
    return next((piece for piece in diff.pieces if piece.counts), None)


# --- where tokens begin --------------------------------------------------------------------------------------------

_LONGEST_TOKEN = 256
"""How far a boundary is moved to the edge of its token; a longer token is cut there."""


def _inside_token(text: str, at: int) -> bool:
    return 0 < at < len(text) and len(_TOKEN.findall(text[at - 1 : at + 1])) == 1


def _token_start(oracle: str, prediction: str, common: int) -> int:
    """Move the end of what both texts begin with back to where its last token begins, if one of them goes on."""
    if not _inside_token(prediction, common) and not _inside_token(oracle, common):
        return common
    start, low = common - 1, max(0, common - _LONGEST_TOKEN)
    while start > low and _inside_token(oracle, start):
        start -= 1
    return start


def _token_tail(oracle: str, prediction: str, tail: int) -> int:
    """Shorten what both texts end with until it begins with a whole token in both."""
    if not any(_inside_token(text, len(text) - tail) for text in (oracle, prediction)):
        return tail
    low = max(0, tail - _LONGEST_TOKEN)
    tail -= 1
    while tail > low and _inside_token(oracle, len(oracle) - tail):
        tail -= 1
    return tail


# --- alignment -----------------------------------------------------------------------------------------------------


class _Shared(NamedTuple):
    blocks: list[Block]
    reason: str | None


def _align_texts(left: str, right: str, deadline: float, seconds: float) -> _Shared:
    """Align two texts; the reason says why the alignment is not the best, if so."""
    if len(left) + len(right) <= _TOKENS_UP_TO:
        blocks, reached = _align_tokens(left, right, deadline)
        if reached is None:
            return _Shared(blocks, None)
    else:
        blocks, reached = align(left, right, deadline - seconds / 3)
        if reached is None:
            return _Shared(blocks, None)
    window, _ = _align_tokens(left[:_WINDOW], right[:_WINDOW], monotonic() + seconds)
    if sum(block.length for block in window) > sum(block.length for block in blocks):
        compared = (
            f"compared {min(_WINDOW, len(left)):,} of {len(left):,} and {min(_WINDOW, len(right)):,} of {len(right):,}"
        )
        return _Shared(window, f"{compared} characters from the first difference on")
    aligned = f"aligned {reached[0]:,} of {len(left):,} and {reached[1]:,} of {len(right):,} characters"
    return _Shared(blocks, f"stopped after {seconds:g} s: {aligned} from the first difference on")


def _align_tokens(left: str, right: str, deadline: float) -> tuple[list[Block], tuple[int, int] | None]:
    """Align two texts by token; blocks and reach are counted in characters.

    White space within lines is left out at first: matching it like words would tear words apart to save a space.
    """
    numbers: dict[str, int] = {}
    sides = []
    for text in (left, right):
        tokens = _TOKEN.findall(text)
        places = [place for place, token in enumerate(tokens) if token == "\n" or not token.isspace()]
        sides.append(_Tokens(tokens, places, [numbers.setdefault(tokens[p], len(numbers)) for p in places]))
    one, two = sides
    blocks, reached = align(one.numbers, two.numbers, deadline)
    pairs = [
        (one.places[block.left + step], two.places[block.right + step])
        for block in blocks
        for step in range(block.length)
    ]
    left_at, right_at = _offsets(one.tokens), _offsets(two.tokens)
    shared = [
        Block(left_at[i], right_at[j], len(one.tokens[i])) for i, j in _with_white_space(pairs, one.tokens, two.tokens)
    ]
    if reached is None:
        return shared, None
    ends = [
        at[places[end]] if end < len(places) else at[-1]
        for at, places, end in zip((left_at, right_at), (one.places, two.places), reached, strict=True)
    ]
    return shared, (ends[0], ends[1])


class _Tokens(NamedTuple):
    tokens: list[str]
    places: list[int]
    """Which of them are not white space."""
    numbers: list[int]
    """One for each of these, the same for the same token."""


def _with_white_space(pairs: list[tuple[int, int]], left: list[str], right: list[str]) -> Iterator[tuple[int, int]]:
    """Add pairs of white space between matched tokens, where equally many tokens stand there on both sides."""
    i = j = 0
    for end, other_end in (*pairs, (len(left), len(right))):
        if end - i == other_end - j:
            yield from ((i + step, j + step) for step in range(end - i) if left[i + step] == right[j + step])
        if end < len(left):
            yield end, other_end
        i, j = end + 1, other_end + 1


def _offsets(tokens: list[str]) -> list[int]:
    return list(accumulate(map(len, tokens), initial=0))


# --- pieces --------------------------------------------------------------------------------------------------------


def _pieces(oracle: str, prediction: str, shared: Iterable[Block]) -> Iterator[Piece]:
    """Turn shared blocks into pieces that cover both texts; blocks that touch become one piece."""
    left = right = 0  # where the piece that is being gathered begins
    equal = 0  # its length while it is an equal one
    end = Block(len(oracle), len(prediction), 0)
    for block in (*_refined(oracle, prediction, shared), end):
        touching = (block.left, block.right) == (left + equal, right + equal)
        if not touching and (block.length or block == end):
            if equal:
                yield Piece("equal", Span(left, left + equal), Span(right, right + equal))
            yield changed_piece(Span(left + equal, block.left), Span(right + equal, block.right))
            left, right, equal = block.left, block.right, block.length
        elif touching:
            equal += block.length
    if equal:
        yield Piece("equal", Span(left, left + equal), Span(right, right + equal))


def changed_piece(oracle: Span, prediction: Span) -> Piece:
    """Return a stretch that differs, by which of its sides are empty."""
    if oracle.start == oracle.end:
        return Piece("insert", oracle, prediction)
    return Piece("delete" if prediction.start == prediction.end else "replace", oracle, prediction)


def _refined(oracle: str, prediction: str, shared: Iterable[Block]) -> Iterator[Block]:
    """Add what replaced stretches share by character: their ends, and all where they are much alike."""
    left = right = 0
    cells = _REFINED_CELLS_IN_ALL
    for block in shared:
        old, new = oracle[left : block.left], prediction[right : block.right]
        if old and new:
            head = common_prefix(old, new)
            tail = common_suffix(old, new, min(len(old), len(new)) - head)
            yield Block(left, right, head)
            area = (len(old) - head - tail) * (len(new) - head - tail)
            if area <= min(cells, _REFINED_CELLS):
                cells -= area + _CELLS_PER_PIECE
                for inner in _alike(old, new, head, tail):
                    yield Block(left + inner.left, right + inner.right, inner.length)
            yield Block(block.left - tail, block.right - tail, tail)
        elif (old + new).startswith("\n") and block.length and oracle[block.left] == "\n":
            # Lines are added or removed with the newline at their end, not with the one before them.
            yield Block(left, right, 1)
            block = Block(block.left + 1, block.right + 1, block.length - 1)
        yield block
        left, right = block.left + block.length, block.right + block.length


def _alike(old: str, new: str, head: int, tail: int) -> list[Block]:
    """Align what is between the common ends of two pieces; nothing when they share too little for that to be readable.

    A piece whose inner parts differ much in length shares too little, whatever is in them.
    """
    enough = _ALIKE * (len(old) + len(new)) / 2 - head - tail
    inner_old, inner_new = old[head : len(old) - tail], new[head : len(new) - tail]
    if not 0 < min(len(inner_old), len(inner_new)) >= enough:
        return []
    blocks, _ = align(inner_old, inner_new, float("inf"))
    if sum(block.length for block in blocks) < enough:
        return []
    return [Block(block.left + head, block.right + head, block.length) for block in blocks]
