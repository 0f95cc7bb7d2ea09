"""How alike two implementations are: the Jaccard similarity of their tokens."""

from __future__ import annotations

import io
import tokenize
from itertools import combinations

from auditor.studies.core.problem import Implementation, Pair

_LAYOUT = frozenset(
    (
        tokenize.COMMENT,
        tokenize.NL,
        tokenize.NEWLINE,
        tokenize.INDENT,
        tokenize.DEDENT,
        tokenize.ENCODING,
        tokenize.ENDMARKER,
    )
)


def unique_tokens(source: str) -> frozenset[str]:
    """Return the tokens of a Python program, each once: names, keywords, operators and literals as they are spelled.

    They are those of Python's own tokenizer; comments, line ends and indentation are no tokens. Raises SyntaxError.
    """
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    except tokenize.TokenError as error:
        raise SyntaxError(str(error)) from error
    return frozenset(token.string for token in tokens if token.type not in _LAYOUT)


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """Return J(s, t) = |G1(s) & G1(t)| / |G1(s) | G1(t)| (CoRE, equation 2); 1 where both are empty."""
    either = one | other
    return len(one & other) / len(either) if either else 1.0


def similarities(implementations: tuple[Implementation, ...]) -> list[Pair]:
    """Return the similarity of every two implementations, in their order."""
    tokens = {one.name: unique_tokens(one.source) for one in implementations}
    return [
        Pair(one.name, other.name, jaccard(tokens[one.name], tokens[other.name]))
        for one, other in combinations(implementations, 2)
    ]
