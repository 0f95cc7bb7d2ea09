"""Read C* programs: a tree, or one sentence that says where the text stops being a program and what was expected."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice

from lark import Token
from lark.exceptions import UnexpectedCharacters, UnexpectedToken

from auditor.errors import InputError
from auditor.studies.prex.cstar.grammar import (
    FIXED_TERMINALS,
    LITERAL_DIGITS,
    NAME_LENGTH,
    SYMBOL_TERMINALS,
    grammar_parser,
)
from auditor.studies.prex.cstar.notation import ARITHMETIC, LOGICAL, RELATIONAL, RESERVED, STANDARD, Notation
from auditor.studies.prex.cstar.syntax_kind import Syntax
from auditor.studies.prex.cstar.syntax_tree import Program
from auditor.text import visible_line

SOURCE_LIMIT = 20_000_000
"""Characters of the longest text that is read."""
TOKEN_LIMIT = 400_000
"""Words, numbers and signs of the longest program that is read; so many take a few seconds."""
_TOKEN = re.compile(r"\w+|[^\w\s]")
_STARTERS = {"INT", "NAME", "IF", "WHILE", "HALT", "BREAK", "CONTINUE"}
_OPERATIONS = {name for name, symbol in SYMBOL_TERMINALS.items() if symbol in (*ARITHMETIC, *RELATIONAL, *LOGICAL)}


class CStarSyntaxError(InputError):
    """A text is no C* program; says where (line and column, from 1), what stands there and what was expected."""

    def __init__(
        self,
        line: int,
        column: int,
        sentence: str,
        *,
        found: str = "",
        expected: tuple[str, ...] = (),
        hint: str | None = None,
    ) -> None:
        super().__init__(sentence, where=f"line {line}, column {column}", hint=hint)
        self.line = line
        self.column = column
        self.found = found
        self.expected = expected


def parse(source: str, notation: Notation = STANDARD, syntax: Syntax = Syntax.LIBERAL) -> Program:
    """Read a program; raises CStarSyntaxError where the text is none."""
    _refuse_huge(source)
    check = _check_strict_word if syntax is Syntax.STRICT else _check_word
    try:
        program = grammar_parser(notation.key, syntax, check).parse(source)
    except UnexpectedCharacters as error:
        raise _strange_character(source, error) from None
    except UnexpectedToken as error:
        raise _misplaced(source, error, notation, syntax) from None
    assert isinstance(program, Program)
    return program


def _refuse_huge(source: str) -> None:
    if len(source) > SOURCE_LIMIT:
        raise InputError(f"the text has {len(source):,} characters; a program may have {SOURCE_LIMIT:,}.")
    if len(source) > TOKEN_LIMIT and next(islice(_TOKEN.finditer(source), TOKEN_LIMIT, None), None):
        raise InputError(
            f"the text has more than {TOKEN_LIMIT:,} words and signs, which is more than a program may have."
        )


def _check_word(token: Token, also_reserved: tuple[str, ...] = ()) -> Token:
    """Refuse a reserved word used as a name, and names and numbers beyond all bounds."""
    if len(token) <= NAME_LENGTH and token not in RESERVED and token not in also_reserved:
        return token
    line, column, shown = token.line or 1, token.column or 1, visible_line(token, 30)
    if token.type == "NUMBER":
        if len(token) > LITERAL_DIGITS:
            sentence = f"the number {shown} has {len(token):,} digits; a literal may have {LITERAL_DIGITS}."
            raise CStarSyntaxError(line, column, sentence, found=token)
        return token
    if len(token) > NAME_LENGTH:
        sentence = f"the name {shown} has {len(token):,} characters; a name may have {NAME_LENGTH}."
        raise CStarSyntaxError(line, column, sentence, found=token)
    if token in ("LOOP", "LE") or token in also_reserved:
        sentence = f"{shown} is written by the semantics while a program runs; programs cannot hold it."
        raise CStarSyntaxError(line, column, sentence, found=token)
    if token in RESERVED:
        sentence = f"{shown} is a reserved word and cannot be a name."
        raise CStarSyntaxError(line, column, sentence, found=token)
    return token


def _check_strict_word(token: Token) -> Token:
    return _check_word(token, ("loop",))


def _strange_character(source: str, error: UnexpectedCharacters) -> CStarSyntaxError:
    char = source[error.pos_in_stream or 0]
    shown = visible_line(char)
    if char == "_":
        sentence = "a name cannot hold '_': it is a letter, then letters or digits."
    elif char.isdecimal() and char.isascii():
        sentence = "a number and a name run into each other here."
    else:
        sentence = f"the character {shown} is no part of C* in this notation."
    return CStarSyntaxError(error.line, error.column, sentence, found=char)


def _misplaced(source: str, error: UnexpectedToken, notation: Notation, syntax: Syntax) -> CStarSyntaxError:
    token = error.token
    accepts = set(error.accepts or error.expected)
    expected = tuple(_words(accepts, notation))
    at_end = token.type == "$END"
    line, column = _end_of(source) if at_end else (token.line or 1, token.column or 1)
    found = "" if at_end else str(token)
    there = "the program ends" if at_end else f"{visible_line(found, 30)!r} stands there"
    hint = None
    if syntax is Syntax.STRICT and token.type in _OPERATIONS and accepts & {"SEMICOLON", "CLOSE", "OPEN"}:
        hint = "The strict syntax wants parentheses around every operation."
    elif syntax is Syntax.STRICT and "a condition" in expected and token.type in ("NAME", "NUMBER", "NOT"):
        hint = "The strict syntax wants parentheses around every condition, inside those of if and while."
    elif syntax is Syntax.STRICT and accepts == {"ELSE"}:
        hint = "The strict syntax wants an else for every if."
    elif token.type == "SLASH" and source[token.end_pos or 0 :][:1] in ("/", "*"):
        hint = "C* has no comments."
    sentence = f"expected {_either(expected)}, but {there}."
    if token.type == "END" and expected == ("the end of the program",):
        sentence = "this '}' closes no block."
    return CStarSyntaxError(line, column, sentence, found=found, expected=expected, hint=hint)


def _end_of(source: str) -> tuple[int, int]:
    """Return line and column behind the last character that is no white space."""
    text = source.rstrip()
    return text.count("\n") + 1, len(text) - (text.rfind("\n") + 1) + 1


def _words(accepts: set[str], notation: Notation) -> Iterable[str]:
    """Name what may stand somewhere: kinds of things where all of a kind may, else the symbols themselves."""
    left = set(accepts)
    if left >= _STARTERS:
        left -= _STARTERS
        yield "a statement"
    elif left >= {"NAME", "NUMBER", "OPEN"}:
        left -= {"NAME", "NUMBER", "OPEN", "PLUS", "MINUS", "STAR", "SLASH", "PERCENT"}
        yield "a condition" if left & {"TRUE", "NOT"} else "a value"
        left -= {"TRUE", "FALSE", "NOT"}
    elif left >= {"OPEN", "TRUE", "FALSE"}:
        left -= {"OPEN", "TRUE", "FALSE"}
        yield "a condition"
    for terminal, kind in (("NAME", "a name"), ("NUMBER", "a number")):
        if terminal in left:
            left.remove(terminal)
            yield kind
    for kind, symbols in (("arithmetic", ARITHMETIC), ("relational", RELATIONAL), ("logical", LOGICAL)):
        operators = {name for name, symbol in SYMBOL_TERMINALS.items() if symbol in symbols} & left
        if len(operators) > 1:
            left -= operators
            yield f"{'an' if kind == 'arithmetic' else 'a'} {kind} operator"
    spelled = {name: notation.spell(symbol) for name, symbol in SYMBOL_TERMINALS.items()} | FIXED_TERMINALS
    yield from (repr(text) for name, text in spelled.items() if name in left)
    if "$END" in left:
        yield "the end of the program"


def _either(words: tuple[str, ...]) -> str:
    if not words:
        return "nothing more"
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
