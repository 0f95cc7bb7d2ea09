"""The tokens of a program's lines, and which of its names are its own: values in, values out; nothing is executed.

Tokens are found by one expression for all languages, so that text which is no program of its language has some, too.
"""

from __future__ import annotations

import ast
import keyword
import re
import warnings
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

_TEXTS = (
    r"\"{3}(?:[^\"\\]|\\.|\"(?!\"\"))*(?:\"{3}|\Z)|'{3}(?:[^'\\]|\\.|'(?!''))*(?:'{3}|\Z)"
    r"|\"(?:[^\"\\\n]|\\.)*\"?|'(?:[^'\\\n]|\\.)*'?"
)
_PYTHON_TEXTS = re.compile(_TEXTS + r"|\#[^\n]*", re.DOTALL)
_OTHER_TEXTS = re.compile(_TEXTS + r"|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_PYTHON_TOKENS, _OTHER_TOKENS = (
    re.compile(rf"(?P<text>{texts.pattern})|(?P<name>[^\W\d]\w*)|\d[\w.]*|:=|[-+*/%&|^<>=!~]+|\S", re.DOTALL)
    for texts in (_PYTHON_TEXTS, _OTHER_TEXTS)
)
_NAME = re.compile(r"[^\W\d]\w*")
_ASSIGNED = re.compile(r"\b([^\W\d]\w*+)\s*+(?::|[-+*/%|&^@]|//|\*\*|<<|>>)?=(?!=)")
_DECLARED = re.compile(r"\b([^\W\d]\w*+)(?=\s++[*&]*+([^\W\d]\w*+))")
"""Neither goes back into a word or into white space, so that long ones cost no more than others."""

_PARSED_CHARACTERS = 100_000
"""Longer programs are not parsed: their names are found as those of text that has no syntax tree."""
_SPLIT_CHARACTERS = 20_000
"""Longer lines are one token."""
_WORDS = """
    await break case catch const continue default defer delete do else enum export extends finally for func function
    goto if import in instanceof new not of or package return sizeof static struct switch throw throws try typedef
    typeof typename using var void while yield and let mut pub fn impl match class public private protected def elif
    except from global is lambda nonlocal pass raise with as None True False assert int long short char double float
    unsigned signed bool auto
"""
_DECLARING_WORDS = """
    const let mut var func function fn class struct enum static void def for as int long short char double float
    unsigned signed bool auto
"""
STATEMENTS = frozenset(_WORDS.split())
"""Words that are no names, and behind which a name is not declared unless they are _DECLARING."""
_DECLARING = frozenset(_DECLARING_WORDS.split())


class Token(NamedTuple):
    """Characters `start:end` of a line."""

    start: int
    end: int
    text: str
    is_name: bool = False
    """Whether it may be a name; never inside a text or a comment."""
    is_field: bool = False
    """Whether a dot stands before it."""


def renamed_texts(tokens: Iterable[Token], renamed: Mapping[str, str]) -> list[str]:
    """Return the texts of tokens, and of names that are renamed what the other program calls them."""
    return [renamed.get(token.text, token.text) if token.is_name else token.text for token in tokens]


class ProgramTokens:
    """A program's lines; the tokens of each are found when they are asked for."""

    def __init__(self, lines: Sequence[str], language: str) -> None:
        self.lines = lines
        self._is_python = language == "python"
        self._found: dict[int, tuple[Token, ...]] = {}

    def of(self, line: int) -> tuple[Token, ...]:
        """Return the tokens of a line; a text or comment over several lines is a token in each of them."""
        found = self._found.get(line)
        if found is None:
            found = self._found[line] = tuple(self._tokens(line))
        return found

    def _tokens(self, number: int) -> list[Token]:
        line = self.lines[number]
        if len(line) > _SPLIT_CHARACTERS:
            return [Token(0, len(line), line)]
        pattern = _PYTHON_TOKENS if self._is_python else _OTHER_TOKENS
        tokens: list[Token] = []
        at = 0
        for start, end in (*self._long_texts.get(number, ()), (len(line), len(line))):
            for match in pattern.finditer(line, at, start):
                first, last = match.span()
                is_name = match["name"] is not None
                tokens.append(Token(first, last, match.group(), is_name, is_name and line[first - 1 : first] == "."))
            if end > start:
                tokens.append(Token(start, end, line[start:end]))
            at = end
        return tokens

    @cached_property
    def _long_texts(self) -> dict[int, list[tuple[int, int]]]:
        """Return for each line what of it belongs to texts and comments that go over several lines."""
        found: dict[int, list[tuple[int, int]]] = defaultdict(list)
        source = "\n".join(self.lines)
        line, begins = 0, 0
        for match in (_PYTHON_TEXTS if self._is_python else _OTHER_TEXTS).finditer(source):
            if "\n" not in match.group():
                continue
            start = match.start()
            for piece in match.group().split("\n"):
                while start > begins + len(self.lines[line]):
                    begins += len(self.lines[line]) + 1
                    line += 1
                if piece:
                    found[line].append((start - begins, start - begins + len(piece)))
                start += len(piece) + 1
        return found

    @cached_property
    def names(self) -> dict[str, int]:
        """Return how often each word occurs, be it a name or not."""
        counts: dict[str, int] = defaultdict(int)
        for line in self.lines:
            for name in _NAME.findall(line):
                counts[name] += 1
        return dict(counts)

    @cached_property
    def own_names(self) -> frozenset[str]:
        """Return the names that the program gives to what is its own: variables, parameters, functions, fields.

        Those of Python are the names that its syntax tree binds; in other languages, and where there is no tree, those
        that are assigned to or stand behind a type or a word that declares them.
        """
        source = "\n".join(self.lines)
        bound = _bound_names(source) if self._is_python and len(source) <= _PARSED_CHARACTERS else None
        if bound is not None:
            return bound
        declared = {name for before, name in _DECLARED.findall(source) if before not in STATEMENTS - _DECLARING}
        return frozenset(declared.union(_ASSIGNED.findall(source)) - STATEMENTS)


def _bound_names(source: str) -> frozenset[str] | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # odd numbers and escapes are the program's own business
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    names = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name) | ast.Attribute(attr=name, ctx=ast.Store()):
                names.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
            case ast.alias(asname=str(name)) | ast.ExceptHandler(name=str(name)):
                names.add(name)
    return frozenset(name for name in names if not keyword.iskeyword(name))
