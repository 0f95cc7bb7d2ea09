"""The grammar of C* for Lark, in its two syntaxes and any notation, and the parser's answers as tree nodes.

The parser is LALR and builds the tree while it reads, so that no depth of nesting meets the Python stack.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from lark import Lark, Token, Transformer, v_args

from auditor.studies.prex.cstar.notation import NOTATIONS
from auditor.studies.prex.cstar.syntax_kind import Syntax
from auditor.studies.prex.cstar.syntax_tree import (
    Assign,
    Binary,
    Break,
    Continue,
    Declare,
    Expression,
    Halt,
    If,
    Number,
    Place,
    Program,
    Statement,
    Truth,
    Unary,
    Variable,
    While,
)

SYMBOL_TERMINALS = {
    "PLUS": "+",
    "MINUS": "-",
    "STAR": "*",
    "SLASH": "/",
    "PERCENT": "%",
    "ASSIGN": "=",
    "LESS": "<",
    "AT_MOST": "<=",
    "GREATER": ">",
    "AT_LEAST": ">=",
    "EQUAL": "==",
    "UNEQUAL": "!=",
    "AND": "&&",
    "OR": "||",
    "NOT": "!",
    "IF": "if",
    "ELSE": "else",
    "WHILE": "while",
    "HALT": "halt",
    "BREAK": "break",
    "CONTINUE": "continue",
}
"""The terminals that a notation spells."""
FIXED_TERMINALS = {
    "INT": "int",
    "TRUE": "true",
    "FALSE": "false",
    "OPEN": "(",
    "CLOSE": ")",
    "BEGIN": "{",
    "END": "}",
    "SEMICOLON": ";",
    "COMMA": ",",
}
NAME_LENGTH = 200
LITERAL_DIGITS = 600
"""Digits of the longest literal: below any limit that an interpreter may set on converting digits."""

_LEXICAL = r"""
NAME: /[A-Za-z][A-Za-z0-9]*/
NUMBER: /[0-9]+(?![A-Za-z0-9])/
%ignore /[ \t\r\n\f\v]+/
"""
_STRICT = """
start: block
block: (statement SEMICOLON)*
statement: INT NAME -> declare
    | NAME ASSIGN arithmetic -> assign
    | IF OPEN boolean CLOSE BEGIN block END ELSE BEGIN block END -> branch
    | WHILE OPEN boolean CLOSE BEGIN block END -> loop
    | HALT -> halt
    | CONTINUE -> go_on
    | BREAK -> leave
arithmetic: NAME -> variable
    | NUMBER -> number
    | OPEN _sign arithmetic CLOSE -> unary_in_parentheses
    | OPEN arithmetic _sign arithmetic CLOSE -> binary_in_parentheses
boolean: _truth -> truth
    | OPEN _truth CLOSE -> truth_in_parentheses
    | OPEN arithmetic _relation arithmetic CLOSE -> binary_in_parentheses
    | OPEN NOT boolean CLOSE -> unary_in_parentheses
    | OPEN boolean _connective boolean CLOSE -> binary_in_parentheses
_sign: PLUS | MINUS | STAR | SLASH | PERCENT
"""
_LIBERAL = """
start: block
block: (statement | SEMICOLON)*
statement: INT NAME (COMMA NAME)* -> declare
    | NAME ASSIGN sum -> assign
    | IF OPEN logic CLOSE BEGIN block END -> branch
    | IF OPEN logic CLOSE BEGIN block END ELSE BEGIN block END -> branch
    | WHILE OPEN logic CLOSE BEGIN block END -> loop
    | HALT -> halt
    | CONTINUE -> go_on
    | BREAK -> leave
?sum: term
    | sum _additive term -> binary
?term: factor
    | term _multiplicative factor -> binary
?factor: atom
    | _additive factor -> unary
?atom: NAME -> variable
    | NUMBER -> number
    | OPEN sum CLOSE -> in_parentheses
    | OPEN _multiplicative factor CLOSE -> unary_in_parentheses
?logic: negation
    | logic _connective negation -> binary
?negation: condition
    | NOT negation -> unary
?condition: _truth -> truth
    | OPEN logic CLOSE -> in_parentheses
    | sum _relation sum -> binary
_additive: PLUS | MINUS
_multiplicative: STAR | SLASH | PERCENT
"""
_BOTH = """
_truth: TRUE | FALSE
_relation: LESS | AT_MOST | GREATER | AT_LEAST | EQUAL | UNEQUAL
_connective: AND | OR
"""


def _span(first: Token | Place, last: Token | Place) -> Place:
    """Return the place from the start of one thing to the end of another."""
    start = first if isinstance(first, Place) else _of(first)
    end = last if isinstance(last, Place) else _of(last)
    return Place(start.line, start.column, end.end_line, end.end_column)


def _of(token: Token) -> Place:
    assert token.line and token.column and token.end_line and token.end_column
    return Place(token.line, token.column, token.end_line, token.end_column)


def _operator(token: Token) -> str:
    return SYMBOL_TERMINALS[token.type]


def _moved(node: Expression, place: Place) -> Expression:
    """Return the node with a wider place: an expression reaches from its parenthesis to the other."""
    match node:
        case Unary(operator, operand):
            return Unary(operator, operand, place)
        case Binary(operator, left, right):
            return Binary(operator, left, right, place)
        case Variable(name):
            return Variable(name, place)
        case Number(value):
            return Number(value, place)
        case Truth(value):
            return Truth(value, place)


@v_args(inline=True)
class _TreeBuilder(Transformer[Token, Any]):
    """Makes nodes while the parser reduces; each method is a rule's alternative and takes what that is made of."""

    def start(self, statements: tuple[Statement, ...]) -> Program:
        return Program(statements)

    def block(self, *parts: Any) -> tuple[Statement, ...]:
        found: list[Statement] = []
        for part in parts:
            if isinstance(part, tuple) and not isinstance(part, Place):
                found.extend(part)
            elif not isinstance(part, Token):
                found.append(part)
        return tuple(found)

    def declare(self, keyword: Token, *names: Token) -> tuple[Declare, ...]:
        names = tuple(name for name in names if name.type == "NAME")
        first = Declare(str(names[0]), _span(keyword, names[0]))
        return first, *(Declare(str(name), _of(name)) for name in names[1:])

    def assign(self, name: Token, _: Token, value: Expression) -> Assign:
        return Assign(str(name), value, _span(name, value.place))

    def branch(self, keyword: Token, *parts: Any) -> If:
        condition, blocks = parts[1], [part for part in parts[2:] if not isinstance(part, Token)]
        otherwise = blocks[1] if len(blocks) > 1 else ()
        return If(condition, blocks[0], otherwise, _span(keyword, parts[-1]), _span(keyword, parts[2]))

    def loop(self, keyword: Token, *parts: Any) -> While:
        return While(parts[1], parts[4], _span(keyword, parts[-1]), _span(keyword, parts[2]))

    def halt(self, keyword: Token) -> Halt:
        return Halt(_of(keyword))

    def go_on(self, keyword: Token) -> Continue:
        return Continue(_of(keyword))

    def leave(self, keyword: Token) -> Break:
        return Break(_of(keyword))

    def variable(self, name: Token) -> Variable:
        return Variable(str(name), _of(name))

    def number(self, digits: Token) -> Number:
        return Number(int(digits), _of(digits))

    def truth(self, word: Token) -> Truth:
        return Truth(word.type == "TRUE", _of(word))

    def truth_in_parentheses(self, opening: Token, word: Token, closing: Token) -> Truth:
        return Truth(word.type == "TRUE", _span(opening, closing))

    def unary(self, sign: Token, operand: Expression) -> Unary:
        return Unary(_operator(sign), operand, _span(sign, operand.place))

    def binary(self, left: Expression, sign: Token, right: Expression) -> Binary:
        return Binary(_operator(sign), left, right, _span(left.place, right.place))

    def in_parentheses(self, opening: Token, inner: Expression, closing: Token) -> Expression:
        return _moved(inner, _span(opening, closing))

    def unary_in_parentheses(self, opening: Token, sign: Token, operand: Expression, closing: Token) -> Unary:
        return Unary(_operator(sign), operand, _span(opening, closing))

    def binary_in_parentheses(
        self, opening: Token, left: Expression, sign: Token, right: Expression, closing: Token
    ) -> Binary:
        return Binary(_operator(sign), left, right, _span(opening, closing))


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


@functools.lru_cache(maxsize=16)
def grammar_parser(notation: str, syntax: Syntax, check_word: Callable[[Token], Token]) -> Lark:
    """Return the parser of a notation (its key) and a syntax; `check_word` sees every name and number first."""
    spellings = NOTATIONS[notation].spellings
    terminals = {name: spellings[symbol] for name, symbol in SYMBOL_TERMINALS.items()} | FIXED_TERMINALS
    if syntax is Syntax.STRICT:
        del terminals["COMMA"]
    lines = [f"{name}: {_quoted(spelled)}" for name, spelled in terminals.items()]
    rules = _STRICT if syntax is Syntax.STRICT else _LIBERAL
    return Lark(
        "\n".join((rules, _BOTH, *lines, _LEXICAL)),
        parser="lalr",
        lexer="basic",
        transformer=_TreeBuilder(),
        # NAME stands last: Lark asks for the type of the last callback before it calls that of a type with keywords.
        lexer_callbacks={"NUMBER": check_word, "NAME": check_word},
    )
