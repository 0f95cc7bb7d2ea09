"""A table of rates becomes as narrow as the terminal without losing a cell."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from auditor.cli.table import GAP
from auditor.cli.wide_table import fitted

COLUMNS = ["setting", "short", "long"]
ROWS = [["model-a", "50.0/40.0 [10.1-80.2] n=5", "-"], ["model-b", "undefined n=0", "1.0/1.0 n=9"]]


def test_a_table_that_fits_stays_as_it_is() -> None:
    assert list(fitted(COLUMNS, ROWS, 1, None)) == [(COLUMNS, ROWS)]
    assert list(fitted(COLUMNS, ROWS, 1, 7 + 2 + 25 + 2 + 11)) == [(COLUMNS, ROWS)]


def test_what_belongs_to_values_goes_below_them_and_then_columns_into_blocks() -> None:
    lines = [
        ["model-a", "50.0/40.0", "-"],
        ["", "[10.1-80.2] n=5", ""],
        ["model-b", "undefined", "1.0/1.0"],
        ["", "n=0", "n=9"],
    ]
    assert list(fitted(COLUMNS, ROWS, 1, 46)) == [(COLUMNS, lines)]
    first, second = fitted(COLUMNS, ROWS, 1, 30)
    assert first == (["setting", "short"], [line[:2] for line in lines])
    assert second == (["setting", "long"], [[line[0], line[2]] for line in lines])


def test_a_column_that_is_too_wide_alone_has_a_block_of_its_own() -> None:
    assert [columns for columns, _ in fitted(COLUMNS, ROWS, 1, 3)] == [["setting", "short"], ["setting", "long"]]
    assert list(fitted(["setting"], [["a"]], 1, 3)) == [(["setting"], [["a"]])]


CELLS = st.sampled_from(["-", "1.0 n=1", "100.0/100.0 [0.0-100.0] n=1,000", "−3.0 [−4.0, +1.0] p<0.001", "5"])


@given(
    rows=st.integers(0, 3).flatmap(lambda wide: st.lists(st.lists(CELLS, min_size=wide, max_size=wide), min_size=1)),
    names=st.integers(0, 2),
    width=st.integers(1, 120),
)
def test_no_cell_is_lost_and_blocks_are_no_wider_than_they_must_be(
    rows: list[list[str]], names: int, width: int
) -> None:
    columns = [*(f"d{at}" for at in range(names)), *(f"column {at}" for at in range(len(rows[0])))]
    given_rows = [[*["name"] * names, *row] for row in rows]
    blocks = list(fitted(columns, given_rows, names, width))
    assert [name for shown, _ in blocks for name in shown[names:]] == columns[names:]
    for at in range(len(rows[0])):
        (found,) = [(shown.index(f"column {at}"), lines) for shown, lines in blocks if f"column {at}" in shown]
        words = " ".join(line[found[0]] for line in found[1])
        assert words.split() == " ".join(row[at] for row in rows).split()
    for shown, lines in blocks:
        sizes = [max(len(cell) for cell in column) for column in zip(shown, *lines, strict=True)]
        assert len(shown) <= names + 1 or sum(sizes) + len(GAP) * (len(sizes) - 1) <= width
