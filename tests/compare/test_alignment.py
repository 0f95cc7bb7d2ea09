"""What auditor.compare.alignment promises: a longest common subsequence, or an honest part of one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from time import monotonic, process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.compare import alignment
from auditor.compare.alignment import Alignment, Block, align, common_prefix, common_suffix

SEQUENCES = st.lists(st.integers(min_value=0, max_value=4), max_size=24)


def longest(left: Sequence[object], right: Sequence[object]) -> int:
    """Compute the length of a longest common subsequence by the textbook recursion."""

    @cache
    def tail(i: int, j: int) -> int:
        if i == len(left) or j == len(right):
            return 0
        if left[i] == right[j]:
            return 1 + tail(i + 1, j + 1)
        return max(tail(i + 1, j), tail(i, j + 1))

    return tail(0, 0)


def assert_holds(found: Alignment, left: Sequence[object], right: Sequence[object]) -> None:
    i = j = 0
    for block in found.blocks:
        assert block.length > 0 and block.left >= i and block.right >= j
        i, j = block.left + block.length, block.right + block.length
        assert left[block.left : i] == right[block.right : j]
    assert i <= len(left) and j <= len(right)


@pytest.mark.parametrize("cells", [alignment.CELLS, 0])
@given(left=SEQUENCES, right=SEQUENCES)
def test_both_engines_find_a_longest_common_subsequence(cells: int, left: list[int], right: list[int]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(alignment, "CELLS", cells)
        found = align(left, right, math.inf)
    assert_holds(found, left, right)
    assert found.reached is None
    assert sum(block.length for block in found.blocks) == longest(left, right)


def test_a_passed_deadline_ends_the_search_with_the_part_that_it_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alignment, "CELLS", 0)
    left, right = "same " + "ab" * 5_000, "same " + "cd" * 5_000
    found = align(left, right, monotonic() - 1)
    assert found == ([Block(0, 0, 5)], (5, 5))
    started = process_time()
    found = align("same " + "ab" * 50_000, "same " + "cdb" * 50_000, monotonic() + 0.05)
    assert process_time() - started < 0.5
    assert found.reached is not None
    assert found.blocks[0] == (0, 0, 5)


def test_a_passed_deadline_ends_the_bit_vectors_with_nothing() -> None:
    left, right = "ab" * 1_000, "bc" * 1_000
    assert align(left, right, monotonic() - 1) == ([], (0, 0))


def test_a_long_text_with_few_changes_is_aligned_to_the_end() -> None:
    left = "0123456789" * 100_000
    right = left[:300_000] + "x" + left[300_000:700_000] + left[700_003:]
    found = align(left, right, monotonic() + 5)
    assert found.reached is None
    assert sum(block.length for block in found.blocks) == len(left) - 3


@given(SEQUENCES, SEQUENCES, st.integers(min_value=0, max_value=9), st.integers(min_value=0, max_value=9))
def test_common_ends_are_as_long_as_they_can_be(left: list[int], right: list[int], i: int, j: int) -> None:
    i, j = min(i, len(left)), min(j, len(right))
    prefix = common_prefix(left, right, i, j)
    pairs = list(zip(left[i:], right[j:], strict=False))
    assert all(one == two for one, two in pairs[:prefix])
    assert prefix == len(pairs) or pairs[prefix][0] != pairs[prefix][1]
    suffix = common_suffix(left, right, min(len(left), len(right)))
    backward = list(zip(reversed(left), reversed(right), strict=False))
    assert all(one == two for one, two in backward[:suffix])
    assert suffix == len(backward) or backward[suffix][0] != backward[suffix][1]
