"""A Pygments lexer of C*: a symbol has the colour of what it means in its notation, not of what it looks like."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from pygments.lexer import Lexer
from pygments.token import Error, Keyword, Name, Number, Operator, Punctuation, Whitespace

from auditor.studies.prex.cstar.notation import (
    FIXED_WORDS,
    INTERNAL,
    KEYWORDS,
    NOTATIONS,
    SINGLE_TOKEN,
    STANDARD,
    SWAPPED,
    UNSEEN,
    Notation,
)

if TYPE_CHECKING:
    from pygments.token import _TokenType

_WORD = r"[A-Za-z][A-Za-z0-9]*"


class CStarLexer(Lexer):
    """C* in some notations; where it is not known which one a program has, a symbol of any of them is one."""

    name = "C*"
    aliases = ("cstar",)

    def __init__(self, *notations: Notation) -> None:
        """Take the notations that a program may be written in; none stands for all of them."""
        super().__init__()
        self._kinds = dict[str, "_TokenType"]()
        for notation in notations or NOTATIONS.values():
            self._kinds |= {spelled: _kind(symbol) for symbol, spelled in notation.spellings.items()}
        self._kinds |= {word: Keyword.Type if word == "int" else Keyword.Constant for word in FIXED_WORDS}
        words = re.compile(_WORD)
        signs = sorted((sign for sign in self._kinds if not words.fullmatch(sign)), key=len, reverse=True)
        # Every alternative takes a bounded look at the text, so that no text is slow.
        self._token = re.compile(
            rf"(?P<space>\s+)|(?P<word>{_WORD})|(?P<number>[0-9]+)|(?P<mark>[(){{}};,])"
            rf"|(?P<sign>{'|'.join(map(re.escape, signs))})|(?P<other>.)",
            re.DOTALL,
        )

    def get_tokens_unprocessed(self, text: str) -> Iterator[tuple[int, _TokenType, str]]:
        """Yield place, kind and text of every token; all of the text is in one."""
        fixed = {"space": Whitespace, "number": Number.Integer, "mark": Punctuation, "other": Error}
        for found in self._token.finditer(text):
            group = found.lastgroup or "other"
            kind = fixed.get(group) or self._kinds.get(found.group(), Name)
            yield found.start(), kind, found.group()


def _kind(symbol: str) -> _TokenType:
    """Return what kind of token a canonical symbol is."""
    if symbol in KEYWORDS:
        return Keyword
    return Keyword.Pseudo if symbol in INTERNAL else Operator


StandardLexer = partial(CStarLexer, STANDARD)
SwappedLexer = partial(CStarLexer, SWAPPED)
UnseenLexer = partial(CStarLexer, UNSEEN)
SingleTokenLexer = partial(CStarLexer, SINGLE_TOKEN)
