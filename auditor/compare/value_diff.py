"""The difference of two answers that are compared as values: what counts as one, and what is only spelled differently.

The values are given as trees; which of them are equal is for those who made the trees to say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from time import monotonic
from typing import NamedTuple

from auditor.compare.alignment import Block, align, common_prefix
from auditor.compare.text_diff import (
    LITTLE_IN_COMMON,
    Kind,
    Piece,
    TextDiff,
    changed_piece,
    diff_text,
    differences,
    readable_diff,
)
from auditor.model import Span, StringContent, ValueNode

_NUMBERS = frozenset({"integer", "decimal"})
_ROWS = frozenset({"list", "tuple"})


class _Pair(NamedTuple):
    """Places of two children that belong together; None where one of them has no partner."""

    left: int | None
    right: int | None


def spelled_diff(oracle: str, prediction: str, *, seconds: float = 0.15) -> TextDiff:
    """Return the difference of two texts that are equal as values: none of its pieces counts."""
    diff = diff_text(oracle, prediction, seconds=seconds)
    return TextDiff(tuple(_uncounted(diff, 0, 0)), True, None, diff.common)


def diff_values(
    oracle: str,
    prediction: str,
    left: ValueNode,
    right: ValueNode,
    content: Callable[[str], StringContent | None],
    *,
    seconds: float = 0.15,
) -> TextDiff:
    """Compare two texts by the values in them, for about so many seconds; `content` reads a string literal.

    Pieces that count are where values differ, in strings and numbers down to the character; all others are equal or
    `spelled` differently. There is one that counts unless both trees are equal.
    """
    differ = _Differ(oracle, prediction, content, monotonic() + seconds)
    pieces: list[Piece] = []
    left_at = right_at = 0
    end = Span(len(oracle), len(oracle)), Span(len(prediction), len(prediction))
    for old, new in (*differ.walk(left, right), end):
        stretches = oracle[left_at : old.start], prediction[right_at : new.start]
        pieces += _uncounted(diff_text(*stretches, seconds=differ.seconds_left()), left_at, right_at)
        if old.start < old.end or new.start < new.end:
            pieces.append(changed_piece(old, new))
        left_at, right_at = old.end, new.end
    return TextDiff(tuple(_joined(pieces)), not differ.reason, differ.reason, common_prefix(oracle, prediction))


def _uncounted(diff: TextDiff, left: int, right: int) -> Iterator[Piece]:
    """Yield the pieces of a difference, moved, as such that do not count."""
    for piece in diff.pieces:
        kind: Kind = "equal" if piece.kind == "equal" else "spelled"
        yield Piece(kind, _moved(piece.oracle, left), _moved(piece.prediction, right))


def _moved(span: Span, by: int) -> Span:
    return Span(span.start + by, span.end + by)


def _joined(pieces: Sequence[Piece]) -> Iterator[Piece]:
    """Join neighbours that are both equal, or both count."""
    last: Piece | None = None
    for piece in pieces:
        if last is not None and ((last.counts and piece.counts) or last.kind == piece.kind):
            old, new = Span(last.oracle.start, piece.oracle.end), Span(last.prediction.start, piece.prediction.end)
            last = changed_piece(old, new) if piece.counts else Piece(piece.kind, old, new)
            continue
        if last is not None:
            yield last
        last = piece
    if last is not None:
        yield last


class _Differ:
    """Walks two trees and finds the stretches that count, in order."""

    def __init__(
        self, oracle: str, prediction: str, content: Callable[[str], StringContent | None], deadline: float
    ) -> None:
        self._oracle = oracle
        self._prediction = prediction
        self._content = content
        self._deadline = deadline
        self.reason: str | None = None

    def seconds_left(self) -> float:
        return max(0.0, self._deadline - monotonic())

    def walk(self, left: ValueNode, right: ValueNode) -> Iterator[tuple[Span, Span]]:
        """Yield the stretches of both texts that count."""
        whole = Span(left.start, left.end), Span(right.start, right.end)
        if left.identity == right.identity:
            return
        if left.kind == right.kind and (left.kind == "string" or left.kind in _NUMBERS):
            yield from self._inside_leaf(left, right)
        elif left.kind == right.kind and (left.children or right.children):
            yield from self._inside(left, right)
        elif {left.kind, right.kind} == _ROWS:
            yield Span(left.start, left.start + 1), Span(right.start, right.start + 1)
            yield from self._inside(left, right)
            yield Span(left.end - 1, left.end), Span(right.end - 1, right.end)
        else:
            yield whole

    def _inside_leaf(self, left: ValueNode, right: ValueNode) -> Iterator[tuple[Span, Span]]:
        """Yield what differs in two strings, quotes and escapes aside, or in two numbers."""
        old, new = self._oracle[left.start : left.end], self._prediction[right.start : right.end]
        if left.kind == "string":
            sides = self._content(old), self._content(new)
            if sides[0] is None or sides[1] is None:
                yield Span(left.start, left.end), Span(right.start, right.end)
                return
            diff = readable_diff(sides[0].text, sides[1].text, seconds=self.seconds_left())
            starts = sides[0].at, sides[1].at
        else:
            diff = diff_text(old, new, seconds=self.seconds_left())
            starts = tuple(range(len(old) + 1)), tuple(range(len(new) + 1))
        # A string that is left whole is a value that differs: nothing is missing from that.
        self.reason = self.reason or (None if diff.reason == LITTLE_IN_COMMON else diff.reason)
        for piece in differences(diff):
            yield (
                Span(*(left.start + starts[0][at] for at in piece.oracle)),
                Span(*(right.start + starts[1][at] for at in piece.prediction)),
            )

    def _inside(self, left: ValueNode, right: ValueNode) -> Iterator[tuple[Span, Span]]:
        """Yield what differs inside two containers."""
        lone: list[_Pair] = []
        before: _Pair | None = None
        for pair in (*_pairs(left, right, self._deadline), None):
            if pair is not None and None in pair:
                lone.append(pair)
                continue
            if lone:
                yield self._lone(left, right, before, lone, pair)
                lone = []
            if pair is not None and pair.left is not None and pair.right is not None:
                if left.keys and right.keys:
                    yield from self.walk(left.keys[pair.left], right.keys[pair.right])
                yield from self.walk(left.children[pair.left], right.children[pair.right])
            before = pair

    def _lone(
        self, left: ValueNode, right: ValueNode, before: _Pair | None, lone: Sequence[_Pair], after: _Pair | None
    ) -> tuple[Span, Span]:
        """Return where children without partners stand, with what separates them from those beside them."""
        sides = []
        both = all(any(pair[side] is not None for pair in lone) for side in (0, 1))
        for side, node in enumerate((left, right)):
            members = [_member(node, pair[side]) for pair in lone if pair[side] is not None]
            earlier = None if before is None else _member(node, before[side])
            later = None if after is None else _member(node, after[side])
            if both:
                sides.append(Span(members[0].start, members[-1].end))
            elif earlier is not None:
                sides.append(Span(earlier.end, members[-1].end if members else earlier.end))
            elif later is not None:
                sides.append(Span(members[0].start if members else later.start, later.start))
            else:
                inner = Span(node.start + 1, node.start + 1)
                sides.append(Span(members[0].start, members[-1].end) if members else inner)
        return sides[0], sides[1]


def _member(node: ValueNode, at: int | None) -> Span:
    assert at is not None
    return Span((node.keys or node.children)[at].start, node.children[at].end)


def _pairs(left: ValueNode, right: ValueNode, deadline: float) -> list[_Pair]:
    """Pair the children of two containers in order: equal ones, and between them by place; fields by their keys."""
    old, new = ([child.identity for child in (node.keys or node.children)] for node in (left, right))
    by_place = left.kind != "object"
    pairs: list[_Pair] = []
    i = j = 0
    for block in (*align(old, new, deadline).blocks, Block(len(old), len(new), 0)):
        gap = block.left - i, block.right - j
        # A field that is alone on both sides may have got another name.
        paired = min(gap) if by_place or gap == (1, 1) else 0
        pairs += [_Pair(i + step, j + step) for step in range(paired)]
        pairs += [_Pair(at, None) for at in range(i + paired, block.left)]
        pairs += [_Pair(None, at) for at in range(j + paired, block.right)]
        pairs += [_Pair(block.left + step, block.right + step) for step in range(block.length)]
        i, j = block.left + block.length, block.right + block.length
    return pairs


# --- the order of fields -------------------------------------------------------------------------------------------


def in_order_of(left: ValueNode, right: ValueNode, prediction: str, *, seconds: float = 0.15) -> str:
    """Return the prediction with its fields and members of sets in the oracle's order; each goes to another's place."""
    return _arranged(left, right, prediction, monotonic() + seconds)


def _arranged(left: ValueNode, right: ValueNode, text: str, deadline: float) -> str:
    if left.kind != right.kind or not right.children or right.kind not in ("object", "set", *_ROWS):
        return text[right.start : right.end]
    if left.kind in _ROWS:
        partners = {j: i for i, j in _pairs(left, right, deadline) if i is not None and j is not None}
        order = list(range(len(right.children)))
    else:
        places = {child.identity: at for at, child in enumerate(left.keys or left.children)}
        names = [child.identity for child in right.keys or right.children]
        partners = {at: places[name] for at, name in enumerate(names) if name in places}
        order = _order(partners, len(names), is_set=left.kind == "set")
    pieces, at = [], right.start
    for slot, taken in enumerate(order):
        own, place, child = _member(right, taken), _member(right, slot), right.children[taken]
        shown = text[child.start : child.end]
        if taken in partners:
            shown = _arranged(left.children[partners[taken]], child, text, deadline)
        pieces += [text[at : place.start], text[own.start : child.start], shown]
        at = place.end
    return "".join([*pieces, text[at : right.end]])


def _order(partners: Mapping[int, int], count: int, *, is_set: bool) -> list[int]:
    """Return which child goes to each place: those with a partner in the partners' order.

    Others stay where they are, but a member of a set stands for one of the oracle's that is missing.
    """
    others = [at for at in range(count) if at not in partners]
    moved = sorted(partners, key=lambda at: partners[at])
    if not is_set:
        common = iter(moved)
        return [next(common) if at in partners else at for at in range(count)]
    order = list[int]()
    for at in moved:
        while others and len(order) < partners[at]:
            order.append(others.pop(0))
        order.append(at)
    return [*order, *others]
