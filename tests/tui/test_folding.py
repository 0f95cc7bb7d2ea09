"""What folds of a long program: every line is shown or in one fold, and what the reviewer looks for never is."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.tui.folding import AROUND, Fold, fold_lines
from tests.hostile import HOSTILE

PROGRAM = '''import sys


@cache
def digits(n: int) -> list[int]:
    """Return them.

no indentation in a text
    """
    out = []
    while n:
        out.append(n % 10)
        n //= 10
    return out


TABLE = [
    1,
    2,
]
total = 0
# the main loop
for i in range(10):
    total += sum(digits(i))
    if total > 5:
        print(total)
        total = 0
    else:
        total += 1
print(total)'''
BRACES = """#include <cstdio>
int first(int a)
{
    // { is no brace here
    printf("{");
    return a;
}
int main() {
    int total = 0;
    for (int i = 0; i < 9; i++) {
        total += first(i);
        if (total > 3) {
            total = 0;
            i++;
        } else {
            total += 2;
            i += 2;
        }
    }
    printf("%d", total);
}"""
PYTHON, CPP = PROGRAM.split("\n"), BRACES.split("\n")
LANGUAGES = ("python", "cpp", "cstar", "prolog")
LINES = st.lists(
    st.sampled_from(
        [
            *(
                "",
                "  ",
                "x = 1",
                "def f():",
                "    y",
                "        z",
                "for i in x:",
                "{",
                "}",
                "} else {",
                "f(",
                ")",
                '"""',
            ),
            *("while (1) {", "  }", "@d", "  @d", "# c", "// {", "/*", "*/", "'", "\\", "}}", "\ufeff漢 {"),
        ]
    ),
    max_size=60,
)


def rows(lines: Sequence[str], folds: Sequence[Fold]) -> list[str]:
    """Return what a view would show: the number of each line that stays, the words of each fold."""
    shown, at = [], 0
    for fold in folds:
        assert at <= fold.start < fold.end <= len(lines)
        shown += [*map(str, range(at, fold.start)), fold.words]
        at = fold.end
    return [*shown, *map(str, range(at, len(lines)))]


@given(LINES, st.sampled_from(LANGUAGES), st.none() | st.integers(-2, 62), st.none() | st.integers(0, 70))
def test_every_line_is_shown_or_in_exactly_one_fold(
    lines: list[str], language: str, checkpoint: int | None, room: int | None
) -> None:
    folds = fold_lines(lines, language, checkpoint, room)
    shown = rows(lines, folds)
    assert sum(not row.startswith("⋯") for row in shown) + sum(fold.end - fold.start for fold in folds) == len(lines)
    assert all(fold.end - fold.start >= 3 for fold in folds)
    assert folds == fold_lines(lines, language, checkpoint, room)
    if any(line.strip() for line in lines):
        assert any(lines[int(row)].strip() for row in shown if row.isdigit()) or len(folds) > 1


@given(LINES, st.sampled_from(LANGUAGES), st.integers(0, 59), st.none() | st.integers(0, 70))
def test_the_checkpoint_and_the_lines_around_it_always_stay(
    lines: list[str], language: str, checkpoint: int, room: int | None
) -> None:
    for fold in fold_lines(lines, language, checkpoint, room):
        assert not (fold.start < checkpoint + AROUND + 1 and checkpoint - AROUND < fold.end) or checkpoint >= len(lines)


@given(LINES, st.sampled_from(LANGUAGES), st.integers(0, 59), st.integers(0, 70))
def test_no_more_folds_than_the_room_asks_for(lines: list[str], language: str, checkpoint: int, room: int) -> None:
    folds, every = fold_lines(lines, language, checkpoint, room), fold_lines(lines, language, checkpoint)
    assert set(folds) <= set(every) or checkpoint >= len(lines)
    if len(rows(lines, folds)) > room and checkpoint < len(lines):
        assert folds == every
    elif folds:
        nearest = min(
            folds, key=lambda fold: fold.start - checkpoint if fold.start > checkpoint else checkpoint - fold.end
        )
        assert len(rows(lines, [fold for fold in folds if fold is not nearest])) > room


def test_blocks_without_the_checkpoint_fold_and_its_loop_stays() -> None:
    line = PYTHON.index("        total = 0")
    assert fold_lines(PYTHON, "python", line) == (
        Fold(3, 16, "def digits(n: int) -> list[int]:"),
        Fold(16, 20, "TABLE = ["),
    )
    assert Fold(3, 16, "def digits(n: int) -> list[int]:").words == "⋯ 13 lines: def digits(n: int) -> list[int]:"


def test_a_checkpoint_behind_a_loop_keeps_the_loop() -> None:
    loop = range(PYTHON.index("for i in range(10):"), PYTHON.index("print(total)"))
    folds = fold_lines(PYTHON, "python", PYTHON.index("print(total)"))
    assert folds and not any(fold.start <= line < fold.end for fold in folds for line in loop)


def test_braces_make_blocks() -> None:
    assert fold_lines(CPP, "cpp", CPP.index("            total += 2;")) == (Fold(1, 7, "int first(int a)"),)
    assert fold_lines(CPP, "cpp", 3) == (Fold(7, 21, "int main() {"),)
    inner = fold_lines([*CPP[7:], *["f();"] * 9], "cpp", 1)
    assert [fold.heading for fold in inner] == ["} else {", 'printf("%d", total);']


def test_without_a_checkpoint_only_whole_blocks_fold_and_something_stays() -> None:
    assert [fold.heading for fold in fold_lines(PYTHON, "python")] == [
        "def digits(n: int) -> list[int]:",
        "TABLE = [",
        "for i in range(10):",
    ]
    one = [
        "def f(s):",
        "    out = []",
        "    for c in s:",
        "        out.append(c)",
        "        out.sort()",
        "    return out",
    ]
    assert fold_lines(one, "python") == (Fold(2, 5, "for c in s:"),)
    assert fold_lines(["x"] * 30, "python") == ()
    assert fold_lines([], "python") == ()


def test_room_folds_what_is_furthest_first_and_nothing_that_fits() -> None:
    lines = [*PYTHON[3:14], *PYTHON[3:14], *PYTHON[3:14], "x = 1", "print(x)"]
    assert fold_lines(lines, "python", 34, len(lines)) == ()
    assert [fold.start for fold in fold_lines(lines, "python", 34, 30)] == [0]
    assert [fold.start for fold in fold_lines(lines, "python", 34, 24)] == [0, 11]
    assert fold_lines(lines, "python", None, 5) == ()


def test_the_chosen_line_stays_as_the_checkpoint_does() -> None:
    chosen, checkpoint = PYTHON.index("    1,"), PYTHON.index("        total = 0")
    assert [fold.start for fold in fold_lines(PYTHON, "python", checkpoint, None, chosen)] == [3]
    assert [fold.start for fold in fold_lines(PYTHON, "python", None, None, PYTHON.index("        n //= 10"))] == [
        5,
        16,
        22,
    ]
    assert fold_lines(PYTHON, "python", None, None, 99) == fold_lines(PYTHON, "python")


def test_long_stretches_without_blocks_fold_too() -> None:
    folds = fold_lines([f"x{n} = {n}" for n in range(40)], "python", 20)
    assert [(fold.start, fold.end) for fold in folds] == [(0, 17), (24, 40)]


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("language", LANGUAGES)
def test_hostile_texts_fold_without_an_error(text: str, language: str) -> None:
    lines = ["def f(:", *text.split("\n") * 9, "{", *text.split("\n") * 9]
    rows(lines, fold_lines(lines, language, 3))
    rows(lines, fold_lines(lines, language))


@pytest.mark.parametrize(
    "lines",
    [
        ["x = 1"] * 50_000,
        [" " * (n % 3_000) + "x" for n in range(20_000)],
        ["{"] * 60_000,
        ["("] * 60_000,
        ["x" * 1_000_000],
        ['"' * 150_000],
    ],
    ids=["flat", "deep", "braces", "brackets", "one line", "quotes"],
)
@pytest.mark.timeout(20)
def test_large_and_hostile_programs_fold_in_time(lines: list[str]) -> None:
    for language in LANGUAGES:
        rows(lines, fold_lines(lines, language, len(lines) // 2, 40))
