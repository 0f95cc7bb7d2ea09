"""The filter language: text such as `status:wrong arm:output loc<20` to a tree of frozen dataclasses, and back.

Only syntax lives here: which names exist and what they mean in SQL is not known to this module.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NoReturn, TypeAlias

from auditor.errors import InputError
from auditor.text import has_invisible, visible_line

MAX_LENGTH = 50_000
"""The most characters of a filter."""
MAX_DEPTH = 100
"""The deepest nesting of parentheses and NOT."""
MAX_TERMS = 500
"""The most terms of a filter; SQLite refuses expression trees deeper than 1,000."""

OPERATORS = ("<=", ">=", "!=", "<", ">", "=")
"""Comparisons, the longer spellings first."""
FACET_PREFIX = "facet:"
"""`facet:x` names the facet x where another dimension is called x too."""


@dataclass(frozen=True, slots=True)
class Everything:
    """The empty filter; it stands only for a whole filter, never inside one."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word or phrase to search for in source, input, response and notes."""

    text: str


@dataclass(frozen=True, slots=True)
class Match:
    """`name:a,b`: the dimension has one of the values."""

    name: str
    values: tuple[str, ...]
    """At least one."""


@dataclass(frozen=True, slots=True)
class Compare:
    """`name<5`: the dimension compares so with the value."""

    name: str
    op: str
    """One of OPERATORS."""
    value: str


@dataclass(frozen=True, slots=True)
class Not:
    """`NOT part`."""

    part: Expr


@dataclass(frozen=True, slots=True)
class And:
    """Terms side by side."""

    parts: tuple[Expr, ...]
    """At least two."""


@dataclass(frozen=True, slots=True)
class Or:
    """Terms with OR between them."""

    parts: tuple[Expr, ...]
    """At least two."""


Expr: TypeAlias = And | Or | Not | Match | Compare | Word | Everything


def parse(text: str) -> Expr:
    """Read a filter; empty text gives Everything.

    Raises InputError with one sentence that names the character, counted from 1, and what to write instead.
    """
    if len(text) > MAX_LENGTH:
        raise InputError(
            f"the filter has {len(text):,} characters, and {MAX_LENGTH:,} are the most that are read.",
            hint="Filter by a name that holds for all of these items.",
        )
    return _Parser(text).whole()


# --- reading -------------------------------------------------------------------------------------------------------

_KEYWORDS = frozenset({"AND", "OR", "NOT"})
_OPERATOR = re.compile("|".join(OPERATORS))
_BARE = re.compile(r"""(?:[^\s()":<>=!]|!(?!=))+""")
"""A name or a search word without quotes."""
_BARE_NAME = re.compile(rf"{_BARE.pattern}(?<!!)")
"""A name that can be written without quotes before any operator: `x!` before `=` would read as `x` before `!=`."""
_BARE_VALUE = re.compile(r"""[^\s(),"]+""")
"""A value without quotes; it may hold `:` and, but for its start, operators."""
_CURLY = frozenset("\u201c\u201d\u201e\u201f\u2018\u2019\u201a\u201b\xab\xbb")
"""Quotes that word processors and chat windows put where straight ones were typed."""
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "'": "'", "\\": "\\"}
_HEX_ESCAPE = re.compile(r"u([0-9A-Fa-f]{4})|U(00(?:0[0-9A-Fa-f]|10)[0-9A-Fa-f]{4})")


class _Parser:
    """A position in the text and recursive descent over it; one object a filter."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.terms = 0

    def whole(self) -> Expr:
        self.skip_space()
        if self.at == len(self.text):
            return Everything()
        expr = self.alternatives(0)
        if self.at < len(self.text):
            self.fail("there is a ) without a ( before it", "Remove it, or put the text in quotes.")
        return expr

    def alternatives(self, depth: int) -> Expr:
        parts = [self.sequence(depth)]
        while self.keyword("OR"):
            parts.append(self.sequence(depth, after="OR"))
        return parts[0] if len(parts) == 1 else Or(tuple(parts))

    def sequence(self, depth: int, after: str | None = None) -> Expr:
        parts = [self.factor(depth, after)]
        while True:
            if self.keyword("AND"):
                parts.append(self.factor(depth, "AND"))
            elif self.at == len(self.text) or self.peek() == ")" or self.keyword_here() == "OR":
                return parts[0] if len(parts) == 1 else And(tuple(parts))
            else:
                parts.append(self.factor(depth, None))

    def factor(self, depth: int, after: str | None) -> Expr:
        if depth > MAX_DEPTH:
            self.fail(f"parentheses and NOT are nested more than {MAX_DEPTH} deep", "Write the filter more simply.")
        start = self.at
        if self.keyword("NOT"):
            return Not(self.factor(depth + 1, "NOT"))
        if self.at == len(self.text) or self.peek() == ")" or self.keyword_here():
            self.missing_term(after)
        if self.peek() != "(":
            return self.term()
        self.at += 1
        self.skip_space()
        if self.at == len(self.text):
            self.fail(f"a ) is missing for the ( at character {start + 1}", "Add it, or put the text in quotes.")
        if self.peek() == ")":
            self.fail("there is nothing between ( and )", "Write a term there, or remove both.")
        expr = self.alternatives(depth + 1)
        if self.peek() != ")":
            self.fail(f"a ) is missing for the ( at character {start + 1}", "Add it, or put the text in quotes.")
        self.at += 1
        self.skip_space()
        return expr

    def missing_term(self, after: str | None) -> NoReturn:
        found = self.keyword_here()
        if after is not None:
            self.fail(f"{after} needs a term after it", f'Write one, or search for the word itself with "{after}".')
        if found is not None:
            self.fail(f"{found} needs a term before it", f'Write one, or search for the word itself with "{found}".')
        self.fail("there is a ) without a ( before it", "Remove it, or put the text in quotes.")

    def term(self) -> Expr:
        self.terms += 1
        if self.terms > MAX_TERMS:
            self.fail(f"the filter has more than {MAX_TERMS} terms", "Join values of one name with commas: name:a,b.")
        start = self.at
        if self.peek() == ":" or self.operator():
            found = self.operator() or ":"
            self.fail(f"a name is expected before {found}", f"Write it without a space, as in name{found}value.")
        name, quoted = self.name_or_word()
        if not quoted and name == FACET_PREFIX[:-1] and self.peek() == ":":
            return self.facet(start)
        if self.peek() == ":":
            return self.match(name)
        if self.operator():
            return self.compare(name)
        self.end_of_term()
        if not quoted and name.upper() in _KEYWORDS:
            self.at = start
            self.fail(
                f"{name} is not read as an operator in small letters",
                f'Write {name.upper()}, or "{name}" in quotes to search for the word.',
            )
        return Word(name)

    def facet(self, start: int) -> Expr:
        self.at += 1
        if self.peek() in ("", "(", ")", ":") or self.peek().isspace() or self.operator():
            self.fail("the name of a facet is expected after facet:", "Write it as in facet:split:test or facet:loc<5.")
        name, _ = self.name_or_word()
        if self.peek() == ":":
            return self.match(FACET_PREFIX + name)
        if self.operator():
            return self.compare(FACET_PREFIX + name)
        self.at = start
        self.fail("facet: needs a name and a value", "Write it as in facet:split:test or facet:loc<5.")

    def name_or_word(self) -> tuple[str, bool]:
        """Read quoted or bare text; the second value says whether it was quoted."""
        if self.peek() in "\"'":
            return self.quoted(), True
        return self.bare(_BARE), False

    def match(self, name: str) -> Expr:
        values = []
        after = ":"
        while True:
            self.at += 1
            values.append(self.value(name, after))
            if self.peek() != ",":
                break
            after = ","
        self.end_of_term()
        return Match(name, tuple(values))

    def compare(self, name: str) -> Expr:
        op = self.operator()
        assert op is not None
        self.at += len(op)
        value = self.value(name, op)
        if self.peek() == ",":
            shown = visible_line(name, 40)
            self.fail(f"{op} takes one value", f"Write {shown}:a,b for any of several, or put the value in quotes.")
        self.end_of_term()
        return Compare(name, op, value)

    def value(self, name: str, after: str) -> str:
        shown = visible_line(name, 40)
        char = self.peek()
        if char == "" or char.isspace() or char in "(),":
            self.fail(f"a value is missing after {after}", f'Write it without a space; {shown}:"" is the empty value.')
        operator = self.operator()
        if operator and after == ":":
            self.fail(
                f"{operator} after : is not read as a comparison",
                f"Write {shown}{operator}value, or put the value in quotes.",
            )
        if operator:
            known = ", ".join(OPERATORS)
            self.fail(f"{after} and {operator} do not go together", f"Write one of {known}, or quote the value.")
        return self.quoted() if char in "\"'" else self.bare(_BARE_VALUE)

    def bare(self, pattern: re.Pattern[str]) -> str:
        if self.peek() in _CURLY:
            self.fail(f"{self.peek()} is not a quote that filters know", 'Write straight quotes: "like this".')
        found = pattern.match(self.text, self.at)
        assert found is not None, "callers have looked at the first character"
        word = found.group()
        for offset, char in enumerate(word):
            if has_invisible(char):
                self.at += offset
                self.fail(
                    f"there is an invisible character, U+{ord(char):04X}", "Remove it, or put the text in quotes."
                )
        self.at = found.end()
        if self.peek() == '"':
            self.fail("a quote stands inside a word", "Put a space before it, or the whole text in quotes.")
        return word

    def quoted(self) -> str:
        start, mark, pieces = self.at, self.peek(), []
        self.at += 1
        while self.peek() != mark:
            if self.at == len(self.text):
                self.at = start
                self.fail(f"the quote {mark} is never closed", f"Add {mark} at the end of the text.")
            stop = min(
                i for i in (self.text.find(mark, self.at), self.text.find("\\", self.at), len(self.text)) if i >= 0
            )
            pieces.append(self.text[self.at : stop])
            self.at = stop
            if self.peek() == "\\":
                pieces.append(self.escape())
        self.at += 1
        return "".join(pieces)

    def escape(self) -> str:
        code = self.text[self.at + 1 : self.at + 2]
        if code in _ESCAPES:
            self.at += 2
            return _ESCAPES[code]
        found = _HEX_ESCAPE.match(self.text, self.at + 1)
        if found is None:
            self.fail(
                "this \\ begins no escape that filters know",
                r"Write \\ for a backslash; others are \" \n \t \r \uXXXX.",
            )
        self.at = found.end()
        return chr(int(found.group(1) or found.group(2), 16))

    def end_of_term(self) -> None:
        """Require white space, a closing parenthesis or the end, and skip white space."""
        char = self.peek()
        if char == "(":
            self.fail("a ( follows a word directly", "Put a space before it, or the whole text in quotes.")
        if char and char != ")" and not char.isspace():
            self.fail("a space is missing after a closing quote", "Put one here.")
        self.skip_space()

    def keyword_here(self) -> str | None:
        found = _BARE.match(self.text, self.at)
        if found is None or found.group() not in _KEYWORDS:
            return None
        follows = self.text[found.end() : found.end() + 1]
        return found.group() if not follows or follows.isspace() or follows in "()" else None

    def keyword(self, word: str) -> bool:
        if self.keyword_here() != word:
            return False
        self.at += len(word)
        self.skip_space()
        return True

    def operator(self) -> str | None:
        found = _OPERATOR.match(self.text, self.at)
        return found.group() if found else None

    def peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def skip_space(self) -> None:
        while self.peek().isspace():
            self.at += 1

    def fail(self, problem: str, advice: str) -> NoReturn:
        place = f"at character {self.at + 1}" if self.at < len(self.text) else "at its end"
        raise InputError(f"in the filter, {place}, {problem}.", hint=advice)


# --- writing -------------------------------------------------------------------------------------------------------


def unparse(expr: Expr) -> str:
    """Write a filter that `parse` reads back as the same tree."""
    match expr:
        case Everything():
            return ""
        case Word(text):
            return _quote_unless(text, _BARE) if text.upper() not in _KEYWORDS else f'"{text}"'
        case Match(name, values):
            return f"{write_name(name)}:{','.join(_quote_unless(value, _BARE_VALUE) for value in values)}"
        case Compare(name, op, value):
            return f"{write_name(name)}{op}{_quote_unless(value, _BARE_VALUE)}"
        case Not(part):
            return f"NOT {_write_part(part)}"
        case And(parts):
            return " ".join(_write_part(part) for part in parts)
        case Or(parts):
            return " OR ".join(_write_part(part, bare=And) for part in parts)


def _write_part(part: Expr, bare: type[And] | None = None) -> str:
    needs_parentheses = isinstance(part, And | Or) and not (bare and isinstance(part, bare))
    return f"({unparse(part)})" if needs_parentheses else unparse(part)


def write_name(name: str) -> str:
    """Write the name of a dimension as a filter has it."""
    if name.startswith(FACET_PREFIX):
        return FACET_PREFIX + _quote_unless(name.removeprefix(FACET_PREFIX), _BARE_NAME)
    return _quote_unless(name, _BARE_NAME) if name != FACET_PREFIX[:-1] else f'"{name}"'


def _quote_unless(text: str, bare: re.Pattern[str]) -> str:
    if (
        bare.fullmatch(text)
        and not has_invisible(text)
        and text[0] not in "'"
        and text[0] not in _CURLY
        and not _OPERATOR.match(text)
    ):
        return text
    return '"' + "".join(_escape(char) for char in text) + '"'


def _escape(char: str) -> str:
    if char in '"\\':
        return "\\" + char
    for code, meaning in _ESCAPES.items():
        if char == meaning and code.isalpha():
            return "\\" + code
    if has_invisible(char):
        return f"\\u{ord(char):04X}" if ord(char) < 0x10000 else f"\\U{ord(char):08X}"
    return char
