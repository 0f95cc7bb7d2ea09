"""Token roles of a program's shown lines, lexed lazily with a lexer fixed by the language, within a budget."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from auditor.tui.marked_lines import RoleSpan

if TYPE_CHECKING:
    from pygments.lexer import Lexer
    from pygments.token import _TokenType

_LEXERS = {
    "python": ("pygments.lexers.python", "PythonLexer"),
    "cpp": ("pygments.lexers.c_cpp", "CppLexer"),
    "c": ("pygments.lexers.c_cpp", "CLexer"),
    "cstar": ("auditor.studies.prex.cstar.lexing", "CStarLexer"),
    "cstar:standard": ("auditor.studies.prex.cstar.lexing", "StandardLexer"),
    "cstar:swap": ("auditor.studies.prex.cstar.lexing", "SwappedLexer"),
    "cstar:obf": ("auditor.studies.prex.cstar.lexing", "UnseenLexer"),
    "cstar:obf-token": ("auditor.studies.prex.cstar.lexing", "SingleTokenLexer"),
    "java": ("pygments.lexers.jvm", "JavaLexer"),
    "javascript": ("pygments.lexers.javascript", "JavascriptLexer"),
    "rust": ("pygments.lexers.rust", "RustLexer"),
    "go": ("pygments.lexers.go", "GoLexer"),
}
"""Only these: other lexers can take exponential time on hostile text (pygments #3247), and none is ever guessed."""

MAX_CHARACTERS = 200_000
MAX_LINE = 5_000
BUDGET_SECONDS = 1.0
"""Of the processor, for all the lexing of one program; what comes after stays plain."""
SLICE_SECONDS = 0.02
"""So long at a time, so that no key waits for colours."""


class Highlighter:
    """Spans of the lines of one program. Plain wherever the tokens do not rebuild the text or the budget is used up."""

    def __init__(self, lines: Sequence[str], lexer: Lexer | None) -> None:
        self._lines = lines
        self._spans: list[list[RoleSpan]] = []
        self._open: list[RoleSpan] = []
        self._tokens: Iterator[tuple[int, _TokenType, str]] | None = None
        self._left = BUDGET_SECONDS
        self._at = 0
        if lexer is not None and sum(map(len, lines)) <= MAX_CHARACTERS and max(map(len, lines), default=0) <= MAX_LINE:
            self._text = "\n".join(lines)
            self._tokens = lexer.get_tokens_unprocessed(self._text)

    def spans_of(self, line: int) -> Sequence[RoleSpan]:
        """Return the coloured spans of a line, as far as it is lexed."""
        return self._spans[line] if line < len(self._spans) else ()

    def lex_to(self, line: int) -> bool:
        """Lex up to a line, for SLICE_SECONDS at most; say whether nothing is left to do for it."""
        if line >= len(self._spans) and self._tokens is not None:
            self._lex(line, self._tokens)
        return line < len(self._spans) or self._tokens is None

    def _lex(self, line: int, tokens: Iterator[tuple[int, _TokenType, str]]) -> None:
        started = time.thread_time()
        spent = 0.0
        try:
            while len(self._spans) <= line:
                index, kind, value = next(tokens)
                if index != self._at or not self._text.startswith(value, index):
                    self._stop()
                    return
                self._at += len(value)
                self._add(_role(str(kind)), value)
                spent = time.thread_time() - started
                if spent > min(self._left, SLICE_SECONDS):
                    break
        except (StopIteration, RecursionError):
            self._spans.append(self._open)
            self._stop()
        self._left -= spent
        if self._left <= 0:
            self._stop()

    def _stop(self) -> None:
        self._tokens = None

    def _add(self, role: str, value: str) -> None:
        for nth, piece in enumerate(value.split("\n")):
            if nth:
                self._spans.append(self._open)
                self._open = []
            start = self._open[-1].end if self._open else 0
            if piece:
                self._open.append(RoleSpan(start, start + len(piece), role))


def load_lexer(language: str) -> Lexer | None:
    """Return the lexer of a task language, None for one that stays plain; the first call takes some 50 ms."""
    place = _LEXERS.get(language)
    if place is None:
        return None
    from importlib import import_module

    lexer: Lexer = getattr(import_module(place[0]), place[1])()
    return lexer


def _role(kind: str) -> str:
    """Map a token type such as `Token.Literal.Number.Integer` to a role; "" is plain."""
    if kind.startswith(("Token.Keyword", "Token.Operator.Word")):
        return "keyword"
    if "String" in kind:
        return "string"
    if "Number" in kind:
        return "number"
    if kind.startswith("Token.Comment"):
        return "comment"
    if kind.startswith(("Token.Name.Function", "Token.Name.Class")):
        return "definition"
    return ""
