"""Reading and printing C*: both syntaxes, all notations, positions, and one sentence for whatever is no program."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.errors import InputError
from auditor.studies.prex.cstar.notation import NOTATIONS, STANDARD, SWAPPED, SYMBOLS, UNSEEN, Notation
from auditor.studies.prex.cstar.parsing import CStarSyntaxError, parse
from auditor.studies.prex.cstar.printing import print_expression, print_program, same_program
from auditor.studies.prex.cstar.syntax_kind import Syntax
from auditor.studies.prex.cstar.syntax_tree import Assign, Binary, If, Place, While, every_statement, names_in
from tests.hostile import HOSTILE

LIBERAL_PROGRAM = """\
int a, b; a = 3 / b - -2*4;
if (a<b && !(true)) { break }
while (a + 1 <= b) { a = (% a); continue; };;
halt"""
PRINTED = """\
int a;
int b;
a = ((3 / b) - ((-2) * 4));
if ((a < b) && (!true))
{
    break;
}
else
{
};
while ((a + 1) <= b)
{
    a = (%a);
    continue;
};
halt;
"""


def test_the_liberal_syntax_is_printed_in_one_layout() -> None:
    assert print_program(parse(LIBERAL_PROGRAM)) == PRINTED


def test_the_strict_syntax_has_two_pairs_of_parentheses_around_a_condition() -> None:
    text = print_program(parse(LIBERAL_PROGRAM), syntax=Syntax.STRICT)
    assert "while (((a + 1) <= b))" in text
    assert "(!(true))" in text


@pytest.mark.parametrize("syntax", Syntax, ids=lambda one: one.value)
@pytest.mark.parametrize("notation", NOTATIONS.values(), ids=lambda one: one.key)
def test_what_is_printed_reads_back_as_the_same_program(notation: Notation, syntax: Syntax) -> None:
    program = parse(LIBERAL_PROGRAM)
    text = print_program(program, notation, syntax)
    assert same_program(parse(text, notation, syntax), program)
    assert same_program(parse(text, notation), program)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("a + b * c", "(a + (b * c))"),
        ("a - b - c", "((a - b) - c)"),
        ("-a * b", "((-a) * b)"),
        ("- - a", "(-(-a))"),
        ("a * (b + c) % d", "((a * (b + c)) % d)"),
        ("((((7))))", "7"),
    ],
)
def test_precedence_of_arithmetic(text: str, read: str) -> None:
    (statement,) = parse(f"x = {text};").statements
    assert isinstance(statement, Assign)
    assert print_expression(statement.value) == read


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("a < b && b < c || true", "(((a < b) && (b < c)) || true)"),
        ("true || a < b && false", "((true || (a < b)) && false)"),
        ("!true && false", "((!true) && false)"),
        ("!(a < b)", "(!(a < b))"),
        ("(a + 1) < (b)", "((a + 1) < b)"),
    ],
)
def test_conjunction_and_disjunction_bind_alike_from_the_left(text: str, read: str) -> None:
    (statement,) = parse(f"while ({text}) {{ }}").statements
    assert isinstance(statement, While)
    assert print_expression(statement.condition) == read


def test_places_count_from_one_and_end_behind() -> None:
    declared, branch = parse("int abc;\nif (abc < 12) {\n  abc = (abc +\n 1);\n};").statements
    assert declared.place == Place(1, 1, 1, 8)
    assert isinstance(branch, If)
    assert branch.place == Place(2, 1, 5, 2)
    assert isinstance(branch.condition, Binary)
    assert branch.condition.place == Place(2, 5, 2, 13)
    assert isinstance(branch.then[0], Assign)
    assert branch.then[0].value.place == Place(3, 9, 4, 4)


REFUSED = [
    (Syntax.LIBERAL, "a = 3 / ;", 1, 9, "expected a value, but ';' stands there."),
    (Syntax.LIBERAL, "int a;\na = (3", 2, 7, "expected an arithmetic operator or ')', but the program ends."),
    (Syntax.LIBERAL, "int while;", 1, 5, "expected a name, but 'while' stands there."),
    (Syntax.LIBERAL, "LE;", 1, 1, "LE is written by the semantics while a program runs; programs cannot hold it."),
    (Syntax.STRICT, "int loop;", 1, 5, "loop is written by the semantics while a program runs"),
    (Syntax.LIBERAL, "a_b = 3;", 1, 2, "a name cannot hold '_'"),
    (Syntax.LIBERAL, "a = 3b;", 1, 5, "a number and a name run into each other here."),
    (Syntax.LIBERAL, "a = ★;", 1, 5, "the character ★ is no part of C* in this notation."),
    (Syntax.LIBERAL, "a = 1;\n}", 2, 1, "this '}' closes no block."),
    (Syntax.LIBERAL, "while (a) { }", 1, 9, "expected an arithmetic operator or a relational operator"),
    (Syntax.LIBERAL, "a = " + "9" * 601, 1, 5, "has 601 digits; a literal may have 600."),
    (Syntax.LIBERAL, "n" * 201 + " = 1", 1, 1, "has 201 characters; a name may have 200."),
    (Syntax.LIBERAL, "int a; // unused", 1, 8, "C* has no comments."),
    (Syntax.LIBERAL, "int a; a = /* none", 1, 12, "C* has no comments."),
    (Syntax.STRICT, "b = -a;", 1, 5, "The strict syntax wants parentheses around every operation."),
    (Syntax.STRICT, "a = 3 / b;", 1, 7, "The strict syntax wants parentheses around every operation."),
    (Syntax.STRICT, "if (a < b) { };", 1, 5, "parentheses around every condition"),
    (Syntax.STRICT, "if ((a < b)) { };", 1, 17, "an else for every if"),
    (Syntax.STRICT, "int a, b;", 1, 6, "the character , is no part of C* in this notation."),
    (Syntax.STRICT, "int a", 1, 6, "expected ';', but the program ends."),
]


@pytest.mark.parametrize(("syntax", "text", "line", "column", "part"), REFUSED)
def test_what_is_no_program_is_refused_with_its_place(
    syntax: Syntax, text: str, line: int, column: int, part: str
) -> None:
    with pytest.raises(CStarSyntaxError) as refused:
        parse(text, STANDARD, syntax)
    assert (refused.value.line, refused.value.column) == (line, column)
    assert part in str(refused.value)
    assert str(refused.value).startswith(f"line {line}, column {column}: ")


def test_words_of_other_notations_are_no_names_either() -> None:
    for word in ("while", "halt", "LE"):
        with pytest.raises(CStarSyntaxError, match="cannot"):
            parse(f"int {word};", UNSEEN)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=list(HOSTILE))
def test_hostile_text_is_refused_in_one_visible_sentence(text: str) -> None:
    for syntax in Syntax:
        try:
            parse(text, SWAPPED, syntax)
        except InputError as refused:
            assert str(refused).isprintable()
            assert len(str(refused)) < 400


WORDS = [*SYMBOLS, "int", "true", "false", "(", ")", "{", "}", ";", ",", "x", "y1", "0", "42", "\n", "#", "é"]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=25), st.sampled_from(list(Syntax)))
def test_any_words_are_a_program_or_refused_at_a_place_in_the_text(words: list[str], syntax: Syntax) -> None:
    text = " ".join(words)
    try:
        program = parse(text, STANDARD, syntax)
    except CStarSyntaxError as refused:
        lines = text.split("\n")
        assert 1 <= refused.line <= len(lines)
        assert 1 <= refused.column <= len(lines[refused.line - 1]) + 1
        if refused.found:
            assert lines[refused.line - 1][refused.column - 1 :].startswith(refused.found)
        return
    assert same_program(parse(print_program(program, syntax=syntax), syntax=syntax), program)


DEEP = 10_000


@pytest.mark.parametrize(
    "text",
    [
        "a = " + "(" * DEEP + "1" + ")" * DEEP + ";",
        "a = " + "(-" * 2000 + "1" + ")" * 2000 + ";",
        "a = " + "(1 + " * 2000 + "1" + ")" * 2000 + ";",
        "if (" + "!" * 2000 + "true) {}",
        "if (true) {" * 1000 + "}" * 1000,
        "int a;" + "a = 1;" * DEEP,
        "(" * DEEP,
    ],
    ids=["parentheses", "signs", "sums", "negations", "conditionals", "40,000 tokens", "never closed"],
)
def test_deep_and_long_programs_are_read_or_refused_without_the_python_stack(text: str) -> None:
    try:
        program = parse(text)
    except CStarSyntaxError as refused:
        assert text == "(" * DEEP
        assert "expected a statement" in str(refused)
        return
    printed = print_program(program)
    if len(text) < 4 * DEEP:
        assert print_program(parse(printed)) == printed
    assert sum(1 for _ in every_statement(program)) >= 1
    assert names_in(program) <= {"a"}


def test_a_text_beyond_all_bounds_is_refused_before_it_is_read() -> None:
    with pytest.raises(InputError, match="more than 400,000 words and signs"):
        parse("a" + ";" * 400_001)
    with pytest.raises(InputError, match="20,000,001 characters"):
        parse(" " * 20_000_001)
