"""The filter language: what each spelling means, what each mistake is told, and that nothing breaks it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from auditor.errors import InputError
from auditor.store.expr import (
    MAX_DEPTH,
    MAX_LENGTH,
    MAX_TERMS,
    OPERATORS,
    And,
    Compare,
    Everything,
    Expr,
    Match,
    Not,
    Or,
    Word,
    parse,
    unparse,
)
from auditor.store.filter import NAMES
from auditor.text import has_invisible
from tests.hostile import HOSTILE

MEANINGS: list[tuple[str, Expr]] = [
    ("", Everything()),
    (" \t\n\u00a0 ", Everything()),
    ("abc", Word("abc")),
    ('"two words"', Word("two words")),
    ("'two words'", Word("two words")),
    ("don't", Word("don't")),
    ("a,b", Word("a,b")),
    ("-1", Word("-1")),
    ("a!", Word("a!")),
    (r"C:\x", Match("C", (r"\x",))),
    ("status:wrong", Match("status", ("wrong",))),
    ("mode.computed:off_by_one", Match("mode.computed", ("off_by_one",))),
    ("arm:a,b,c", Match("arm", ("a", "b", "c"))),
    ('arm:"a,b",c', Match("arm", ("a,b", "c"))),
    ('tag:""', Match("tag", ("",))),
    ("case:human-042:x", Match("case", ("human-042:x",))),
    ("arm:S/KeywordSwap", Match("arm", ("S/KeywordSwap",))),
    ("case:a<b=c", Match("case", ("a<b=c",))),
    ("loc<20", Compare("loc", "<", "20")),
    ("loc<=20", Compare("loc", "<=", "20")),
    ("loc>20", Compare("loc", ">", "20")),
    ("loc>=2.5e3", Compare("loc", ">=", "2.5e3")),
    ("loc=-20", Compare("loc", "=", "-20")),
    ("loc!=20", Compare("loc", "!=", "20")),
    ('"trace length">"1 000"', Compare("trace length", ">", "1 000")),
    ("facet:split:test", Match("facet:split", ("test",))),
    ("facet:split:a,b", Match("facet:split", ("a", "b"))),
    ("facet:loc<5", Compare("facet:loc", "<", "5")),
    ('facet:"odd name":x', Match("facet:odd name", ("x",))),
    ('"facet":x', Match("facet", ("x",))),
    ("facet<3", Compare("facet", "<", "3")),
    ('"a:b":c', Match("a:b", ("c",))),
    ("a b", And((Word("a"), Word("b")))),
    ("a AND b", And((Word("a"), Word("b")))),
    ("a OR b", Or((Word("a"), Word("b")))),
    ("a b OR c d", Or((And((Word("a"), Word("b"))), And((Word("c"), Word("d")))))),
    ("a (b OR c)", And((Word("a"), Or((Word("b"), Word("c")))))),
    ("NOT a b", And((Not(Word("a")), Word("b")))),
    ("NOT (a b)", Not(And((Word("a"), Word("b"))))),
    ("NOT NOT a", Not(Not(Word("a")))),
    ("NOT(a)OR(b)", Or((Not(Word("a")), Word("b")))),
    ("((a))", Word("a")),
    ("(a)(b)c", And((Word("a"), Word("b"), Word("c")))),
    ("(a b) c", And((And((Word("a"), Word("b"))), Word("c")))),
    ('"OR" "not"', And((Word("OR"), Word("not")))),
    ("NOT:x", Match("NOT", ("x",))),
    (r'"say \"hi\" \\ \n\t\r"', Word('say "hi" \\ \n\t\r')),
    (r'"\u202e\U0001F600\ud83d"', Word("\u202e\U0001f600\ud83d")),
    ('"\u202e raw"', Word("\u202e raw")),
    (
        "status:wrong arm:post-loop-state loc<20",
        And((Match("status", ("wrong",)), Match("arm", ("post-loop-state",)), Compare("loc", "<", "20"))),
    ),
]


@pytest.mark.parametrize(("text", "meaning"), MEANINGS)
def test_each_spelling_means_what_the_documentation_says(text: str, meaning: Expr) -> None:
    assert parse(text) == meaning
    assert parse(unparse(meaning)) == meaning


MISTAKES: list[tuple[str, str, str]] = [
    (":x", "at character 1, a name is expected before :", "without a space"),
    ("a :x", "at character 3, a name is expected before :", "name:value"),
    ("loc < 20", "at character 5, a name is expected before <", "name<value"),
    ("loc<", "at its end, a value is missing after <", 'loc:""'),
    ("loc< 20", "at character 5, a value is missing after <", "without a space"),
    ("status:", "at its end, a value is missing after :", "without a space"),
    ("arm:a,,b", "at character 7, a value is missing after ,", 'arm:""'),
    ("arm:a,", "at its end, a value is missing after ,", 'arm:""'),
    ("loc:<5", "at character 5, < after : is not read as a comparison", "Write loc<value"),
    ("loc==5", "at character 5, = and = do not go together", "<=, >=, !="),
    ("loc<>5", "at character 5, < and > do not go together", "!="),
    ("loc<5,6", "at character 6, < takes one value", "loc:a,b"),
    ("(a", "at its end, a ) is missing for the ( at character 1", "Add it"),
    ("a (b OR (c)", "at its end, a ) is missing for the ( at character 3", "Add it"),
    ("(", "at its end, a ) is missing for the ( at character 1", "Add it"),
    ("((( ", "at its end, a ) is missing for the ( at character 3", "Add it"),
    ("a)", "at character 2, there is a ) without a ( before it", "Remove it"),
    (")", "at character 1, there is a ) without a ( before it", "Remove it"),
    ("a ( )", "at character 5, there is nothing between ( and )", "Write a term"),
    ("f(x)", "at character 2, a ( follows a word directly", "space before it"),
    ("OR a", "at character 1, OR needs a term before it", '"OR"'),
    ("a OR", "at its end, OR needs a term after it", '"OR"'),
    ("a OR OR b", "at character 6, OR needs a term after it", '"OR"'),
    ("(a AND)", "at character 7, AND needs a term after it", '"AND"'),
    ("NOT", "at its end, NOT needs a term after it", '"NOT"'),
    ("NOT OR a", "at character 5, NOT needs a term after it", '"NOT"'),
    ("a or b", "at character 3, or is not read as an operator in small letters", "Write OR"),
    ("Not a", "at character 1, Not is not read as an operator in small letters", "Write NOT"),
    ('case:"a b', 'at character 6, the quote " is never closed', 'Add "'),
    ("'tis", "at character 1, the quote ' is never closed", "Add '"),
    ('"a"b', "at character 4, a space is missing after a closing quote", "Put one here"),
    ('case:"a"b', "at character 9, a space is missing after a closing quote", "Put one here"),
    ('a"b"', "at character 2, a quote stands inside a word", "space before it"),
    ("case:“a b”", "at character 6, “ is not a quote that filters know", "straight quotes"),
    (r'"\d"', "at character 2, this \\ begins no escape", r"Write \\ for a backslash"),
    ('"a\\', "at character 3, this \\ begins no escape", "backslash"),
    (r'"\u12"', "at character 2, this \\ begins no escape", r"\uXXXX"),
    (r'"\U00110000"', "at character 2, this \\ begins no escape", r"\uXXXX"),
    ("case:a\u200bb", "at character 7, there is an invisible character, U+200B", "quotes"),
    ("facet:split", "at character 1, facet: needs a name and a value", "facet:split:test"),
    ("facet: x", "at character 7, the name of a facet is expected", "facet:split:test"),
    ("facet:\tx", "at character 7, the name of a facet is expected", "facet:split:test"),
    ("facet:", "at its end, the name of a facet is expected", "facet:split:test"),
    ("facet::x", "at character 7, the name of a facet is expected", "facet:split:test"),
]


@pytest.mark.parametrize(("text", "place_and_problem", "advice"), MISTAKES)
def test_a_mistake_is_told_with_its_place_and_the_cure(text: str, place_and_problem: str, advice: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(text)
    assert caught.value.message.startswith(f"in the filter, {place_and_problem}")
    assert caught.value.message.endswith(".") and caught.value.message.count(". ") == 0
    assert caught.value.hint is not None and advice in caught.value.hint
    assert "\n" not in str(caught.value) and not has_invisible(str(caught.value))


def test_nesting_is_bounded_on_both_sides_of_the_limit() -> None:
    assert parse("(" * MAX_DEPTH + "a" + ")" * MAX_DEPTH) == Word("a")
    assert parse("NOT " * MAX_DEPTH + "a") != Word("a")
    for text in ("(" * (MAX_DEPTH + 1) + "a" + ")" * (MAX_DEPTH + 1), "NOT " * (MAX_DEPTH + 1) + "a", "(" * 40_000):
        with pytest.raises(InputError, match="nested more than"):
            parse(text)


def test_the_number_of_terms_and_characters_is_bounded() -> None:
    assert len(unparse(parse("a " * MAX_TERMS))) == 2 * MAX_TERMS - 1
    with pytest.raises(InputError, match="more than 500 terms"):
        parse("a " * (MAX_TERMS + 1))
    with pytest.raises(InputError, match="50,001 characters"):
        parse("a" * (MAX_LENGTH + 1))


@pytest.mark.parametrize(
    "text",
    [
        "x:" + ",".join(['"a"'] * 12_000),
        '"' + r"\n" * 24_000 + '"',
        "a" * MAX_LENGTH,
        "(a) " * 450,
        '"' + "'" * 49_000,
        " " * MAX_LENGTH,
    ],
)
@pytest.mark.timeout(60)
def test_long_filters_are_read_in_bounded_time(text: str) -> None:
    try:
        parse(text)
    except InputError as error:
        assert "never closed" in error.message


# --- properties ----------------------------------------------------------------------------------------------------

TEXTS = st.one_of(
    st.text(max_size=12),
    st.text(alphabet="ab \"'\\:,<>=!()“\u200b\n\ud83d", max_size=8),
    st.sampled_from(["OR", "not", "AND", "facet", "facet:x", "facet:", "", "!=", "a!", "mode.computed", "\U000e0001"]),
    st.sampled_from(sorted(HOSTILE.values())),
)
LEAVES: st.SearchStrategy[Expr] = st.one_of(
    st.builds(Word, TEXTS),
    st.builds(Match, TEXTS, st.lists(TEXTS, min_size=1, max_size=3).map(tuple)),
    st.builds(Compare, TEXTS, st.sampled_from(OPERATORS), TEXTS),
)


def grown(parts: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
    several = st.lists(parts, min_size=2, max_size=4).map(tuple)
    return st.one_of(st.builds(And, several), st.builds(Or, several), st.builds(Not, parts))


@given(st.one_of(st.just(Everything()), st.recursive(LEAVES, grown, max_leaves=8)))
@example(And((Or((Word("a"), Word("b"))), And((Word("c"), Word("d"))))))
@example(Or((Or((Word("a"), Word("b"))), And((Word("c"), Not(Or((Word("d"), Word("e")))))))))
@example(Match("facet:", ("",)))
def test_what_is_written_reads_back_as_the_same_tree(expr: Expr) -> None:
    text = unparse(expr)
    assert parse(text) == expr
    assert not has_invisible(text) and "\n" not in text and "\t" not in text


@given(st.one_of(st.text(), st.text(alphabet="ab \"'\\:,<>=!()ORNTAD\u200b“f\t", max_size=40)))
def test_any_text_is_read_or_refused_in_a_sentence(text: str) -> None:
    try:
        expr = parse(text)
    except InputError as error:
        assert error.message.startswith("in the filter, at ")
        assert error.hint
        assert not has_invisible(str(error)) and "\n" not in str(error)
    else:
        assert parse(unparse(expr)) == expr


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_a_hostile_text_can_be_searched_for(name: str) -> None:
    text = HOSTILE[name]
    both = And((Word(text), Match("case", (text,))))
    assert parse(unparse(both)) == both


DOCUMENT = (Path(__file__).parents[2] / "docs" / "expressions.md").read_text()


def test_the_examples_of_the_documentation_are_right() -> None:
    assert "NOT status:correct lines<20 OR tag:copying\n" in DOCUMENT
    assert "`((NOT status:correct) lines<20) OR tag:copying`" in DOCUMENT
    assert parse("NOT status:correct lines<20 OR tag:copying") == parse(
        "((NOT status:correct) lines<20) OR tag:copying"
    )
    assert '"case:\'two sum/naive/3\' OR case:\\"f(x)\\""' in DOCUMENT
    assert parse("case:'two sum/naive/3' OR case:\"f(x)\"") == Or(
        (Match("case", ("two sum/naive/3",)), Match("case", ("f(x)",)))
    )
    for row in re.findall(r"^\| (`.*?) \|", DOCUMENT, re.MULTILINE):
        for term in re.findall(r"`([^`…]+)`", row):
            parse(term)


def test_the_mistakes_shown_in_the_documentation_are_told_so() -> None:
    shown = re.findall(r"^    (in the filter, .*)$", DOCUMENT, re.MULTILINE)
    told = []
    for text in ("lines:<5", "a (b"):
        with pytest.raises(InputError) as caught:
            parse(text)
        told.append(str(caught.value))
    assert told == shown


def test_the_documentation_names_every_dimension() -> None:
    for name in NAMES:
        assert f"`{name}`" in DOCUMENT
