"""Two programs side by side: every line once and in order, equal rows equal, renamed names told, bounded in time."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.compare.program_sides import Kind, Part, SideRow, Sides, align_programs, one_below_another, program_lines
from auditor.compare.program_tokens import ProgramTokens
from tests.hostile import HOSTILE

LOOPS = """def total(values):
    result = 0
    for one in values:
        if one > 0:
            result += one
    return result
"""


def places(rows: tuple[SideRow, ...], side: int) -> list[int]:
    found = [row.right if side else row.left for row in rows]
    return [line for line in found if line is not None]


def check(left: str, right: str, language: str = "python") -> Sides:
    """Check what holds of any two texts."""
    found = align_programs(left, right, language)
    for source, side in ((left, 0), (right, 1)):
        assert places(found.rows, side) == [*range(len(program_lines(source)))]
        assert "\n".join(program_lines(source)) == source.removesuffix("\n")
    lines = program_lines(left), program_lines(right)
    for row in found.rows:
        check_row(row, *lines, found)
    below = tuple(one_below_another(found.rows))
    assert [places(below, side) for side in (0, 1)] == [places(found.rows, side) for side in (0, 1)]
    assert all((row.left is None) != (row.right is None) or row.kind == "equal" for row in below)
    return found


def check_row(row: SideRow, left: list[str], right: list[str], found: Sides) -> None:
    if row.kind in ("left", "right"):
        assert (row.left is None) == (row.kind == "right") and (row.right is None) == (row.kind == "left")
        return
    assert row.left is not None and row.right is not None
    one, other = left[row.left], right[row.right]
    assert (row.kind == "equal") == (one == other and row.kind != "apart") and (row.kind != "apart" or one != other)
    for line, parts in ((one, row.left_parts), (other, row.right_parts)):
        ends = [end for part in parts for end in part[:2]]
        assert ends == sorted(ends) and all(part.start < part.end <= len(line) for part in parts)
    if row.kind == "alike":
        assert all(part.renamed for part in (*row.left_parts, *row.right_parts))
        assert len(row.left_parts) == len(row.right_parts)
        for here, there in zip(row.left_parts, row.right_parts, strict=True):
            assert found.renamed[one[here.start : here.end]] == other[there.start : there.end]
    if row.kind in ("alike", "changed"):
        assert same(one, row.left_parts) == same(other, row.right_parts)


def same(line: str, parts: tuple[Part, ...]) -> str:
    """Return what of a line is not marked, white space aside."""
    kept, at = "", 0
    for part in parts:
        kept += line[at : part.start]
        at = part.end
    return "".join((kept + line[at:]).split())


def kinds(found: Sides) -> list[Kind]:
    return [row.kind for row in found.rows]


PIECE = st.sampled_from(
    [
        "x",
        "y",
        "total",
        " = ",
        "0",
        "1",
        "(",
        ")",
        "\n",
        "\n    ",
        "for ",
        "in ",
        "'",
        '"""',
        "#",
        "//",
        "/*",
        "*/",
        "\\",
    ]
)
PROGRAM = st.lists(PIECE, max_size=40).map("".join)
LANGUAGE = st.sampled_from(["python", "cpp", "cstar", "text"])


@given(PROGRAM, PROGRAM, LANGUAGE)
def test_any_two_texts_are_put_into_rows_that_give_both_back(left: str, right: str, language: str) -> None:
    check(left, right, language)


@given(st.text(max_size=30), st.text(max_size=30), LANGUAGE)
def test_so_are_texts_of_any_characters(left: str, right: str, language: str) -> None:
    check(left, right, language)


@given(PROGRAM, LANGUAGE)
def test_a_program_beside_itself_is_equal(source: str, language: str) -> None:
    assert set(kinds(check(source, source, language))) == {"equal"}


@given(PROGRAM, PROGRAM, LANGUAGE)
def test_tokens_of_a_line_are_all_of_it_but_white_space(left: str, right: str, language: str) -> None:
    lines = program_lines(left + right)
    tokens = ProgramTokens(lines, language)
    for number, line in enumerate(lines):
        found = tokens.of(number)
        assert all(line[token.start : token.end] == token.text for token in found)
        assert "".join("".join(token.text for token in found).split()) == "".join(line.split())


def test_renamed_names_do_not_tear_lines_apart() -> None:
    right = re.sub(r"\bone\b", "item", re.sub(r"\bresult\b", "answer", LOOPS))
    found = check(LOOPS, right)
    assert kinds(found) == ["equal", *["alike"] * 5] and found.renamed == {"result": "answer", "one": "item"}
    assert found.rows[4].left_parts == (Part(12, 18, True), Part(22, 25, True))
    assert found.rows[4].right_parts == (Part(12, 18, True), Part(22, 26, True))


def test_what_is_not_the_same_in_a_line_is_marked() -> None:
    found = check(LOOPS, LOOPS.replace("one > 0", "one >= 10").replace("    return result\n", "\n    return result"))
    assert kinds(found) == ["equal", "equal", "equal", "changed", "equal", "right", "equal"]
    assert [LOOPS.split("\n")[3][part.start : part.end] for part in found.rows[3].left_parts] == ["> 0"]
    right = "        if one >= 10:"
    assert [right[part.start : part.end] for part in found.rows[3].right_parts] == [">= 10"]


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("best = min(best, 1)\n", "best = max(best, 1)\n"),
        ("word = 'yes'\nprint(word)\n", "word = 'no'\nprint(word)\n"),
        ("a.width = 1\nprint(a.width)\n", "a[0].height = 1\nprint(height)\n"),
        ("# first\nx = 1\n", "# second\nx = 1\n"),
        ('"""One\nfirst = 1\n"""\n', '"""One\nsecond = 1\n"""\n'),
        ("while x:\n    x = f(x)\n", "if x:\n    x = f(x)\n"),
    ],
    ids=["functions", "texts", "fields", "comments", "long texts", "keywords"],
)
def test_only_names_of_the_program_s_own_are_renamed(left: str, right: str) -> None:
    found = check(left, right)
    assert found.renamed == {} and "alike" not in kinds(found)


def test_two_names_that_change_places_are_not_renamed() -> None:
    found = check("a = 1\nb = 2\nprint(a)\n", "b = 1\na = 2\nprint(b)\n")
    assert found.renamed == {} and "alike" not in kinds(found)


def test_names_are_found_in_other_languages_too() -> None:
    left = "unsigned long sum = 0;\nfor (int i = 0; i < n; i++) sum += i;\nreturn sum;\n"
    right = left.replace("sum", "total").replace("i", "k").replace("knt", "int").replace("unskgned", "unsigned")
    found = check(left, right, "cpp")
    assert found.renamed == {"sum": "total", "i": "k"} and set(kinds(found)) == {"alike"}
    found = check("unsigned long x = 0;\n", "unsigned int x = 0;\n", "cpp")
    assert kinds(found) == ["changed"] and found.renamed == {}


def test_lines_that_share_little_only_stand_at_the_same_place() -> None:
    found = check("x = 1\nreturn x\n", "import os\nprint('a')\nreturn x\n")
    assert kinds(found) == ["apart", "right", "equal"]
    assert found.rows[0].left_parts == found.rows[0].right_parts == ()


def test_statements_of_two_kinds_are_no_pair_for_a_few_tokens() -> None:
    found = check("return walk(values, None, 0)\n", "best_value, best_length = None, 0\n")
    assert kinds(found) == ["apart"]
    assert kinds(check("return walk(values, None, 0)\n", "return walk(values, [], 0)\n")) == ["changed"]


def test_one_below_another_keeps_what_has_no_counterpart_together() -> None:
    rows = check("x = 1\ny = 2\nreturn x + y\n", "import os\nprint('a')\nprint('b')\nreturn x - y\n").rows
    assert [row.kind for row in rows] == ["apart", "apart", "right", "changed"]
    assert [(row.kind, row.left, row.right) for row in one_below_another(rows)] == [
        *(("left", 0, None), ("left", 1, None), ("right", None, 0), ("right", None, 1), ("right", None, 2)),
        *(("changed", 2, None), ("changed", None, 3)),
    ]


def test_indentation_alone_makes_a_line_alike() -> None:
    assert kinds(check("if x:\n    y = f(x)\n", "if x:\n  y = f(x)\n")) == ["equal", "alike"]


@pytest.mark.parametrize("language", ["python", "cpp"])
def test_hostile_texts(language: str) -> None:
    whole = "\n".join(HOSTILE.values())
    for text in HOSTILE.values():
        check(text, whole, language)
        check(whole, text, language)


def test_long_programs_are_paired_by_their_equal_lines() -> None:
    lines = [f"value{number} = other({number})" for number in range(1_500)]
    changed = [*lines[:700], "call(here)", *lines[700:1_200], *lines[1_210:]]
    found = check("\n".join(lines), "\n".join(changed))
    assert found.count("equal") == 1_490 and found.count("left") == 10 and found.count("right") == 1
    assert found.reason is None
    found = check("\n".join(lines), "\n".join(lines).replace("value", "name"))
    assert found.count("alike") == 1_500 and len(found.renamed) == 1_500


ADVERSARIAL = {
    "nothing in common": ("a\n" * 4_000, "b\n" * 4_000),
    "empty lines": ("\n" * 8_000, "\n" * 4_000 + "x"),
    "one long line": ("a b " * 20_000, "b a " * 20_000),
    "one long word": ("a" * 200_000, "a" * 199_999),
    "blanks": ("a" + " " * 200_000 + "b", "a" + " " * 200_001 + "="),
    "brackets": ("(" * 60_000, "(" * 60_001),
    "quotes": ("'" * 60_001, '"' * 60_001),
    "long texts": ('"""\n' * 3_000, "'''\n" * 3_001),
    "comments": ("/*\n" * 3_000, "//*\n" * 3_000),
    "other order": (
        "\n".join(map(str, range(3_000))),
        "\n".join(map(str, random.Random(1).sample(range(3_000), 3_000))),
    ),
}


@pytest.mark.parametrize("name", ADVERSARIAL)
def test_adversarial_texts_are_no_more_work_than_others(name: str) -> None:
    left, right = ADVERSARIAL[name]
    check(left, right)
    check(right, left, "cpp")
