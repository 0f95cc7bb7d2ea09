"""How C* symbols are spelled: the standard way, with meanings swapped, or in an alphabet nobody has seen.

A syntax tree holds canonical symbols, those of the standard spelling; a notation says how each is written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from auditor.errors import InputError

ARITHMETIC = ("+", "-", "*", "/", "%")
RELATIONAL = ("<", "<=", ">", ">=", "==", "!=")
LOGICAL = ("&&", "||")
KEYWORDS = ("if", "else", "while", "halt", "break", "continue")
INTERNAL = ("LOOP", "LE", "ERROR")
"""What the semantics write and programs may not."""
SYMBOL_KINDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "assignment": ("=",),
        "arithmetic": ARITHMETIC,
        "relational": RELATIONAL,
        "logical": (*LOGICAL, "!"),
        "keyword": KEYWORDS,
        "internal": INTERNAL,
    }
)
SYMBOLS = (*ARITHMETIC, "=", *RELATIONAL, *LOGICAL, "!", *KEYWORDS, *INTERNAL)
"""Every symbol that a notation may spell in its own way."""
FIXED_WORDS = ("int", "true", "false")
"""Words that every notation leaves as they are."""
RESERVED = frozenset((*KEYWORDS, "LOOP", "LE", *FIXED_WORDS))
"""Words that are no names, in any notation: so that any notation can be turned into any other."""


@dataclass(frozen=True, slots=True, eq=False)
class Notation:
    """One spelling of the symbols."""

    key: str
    """The word for it on the command line and in files."""
    name: str
    """What the benchmark calls it."""
    description: str
    spellings: Mapping[str, str]
    """The spelling of every canonical symbol."""

    def spell(self, symbol: str) -> str:
        """Return how a canonical symbol is written; what is no symbol stays."""
        return self.spellings.get(symbol, symbol)

    def meaning(self, spelled: str) -> str | None:
        """Return the canonical symbol that is written so; None when it is no symbol of this notation."""
        return next((symbol for symbol, spelling in self.spellings.items() if spelling == spelled), None)


def _notation(key: str, name: str, description: str, changed: Mapping[str, str]) -> Notation:
    return Notation(
        key, name, description, MappingProxyType({symbol: changed.get(symbol, symbol) for symbol in SYMBOLS})
    )


def _pairs(text: str) -> dict[str, str]:
    words = text.split()
    return dict(zip(words[::2], words[1::2], strict=True))


_SWAPPED = "+ -  * /  < >  <= >=  == !=  && ||"
_UNSEEN_LETTERS = """
    + 𐕐  - 𐕙  * 𐕊  / 𐕏  % 𐕖  = 𐕂  < 𐔳  > 𐕃  <= 𐔷  >= 𐕛  == 𐕟  != 𐕀  && 𐕜  || 𐔻  ! 𐔰
    break 𐔾  if 𐔸  else 𐕎  while 𐕕  halt 𐔱  continue 𐔲  LOOP 𐕣  LE 𐕠  ERROR 𐕞
"""
_SINGLE_TOKENS = """
    + ★  - ▲  * $  / ■  % ▼  = €  < ●  > ◎  <= ▽  >= ❤  == ◆  != ►  && ◇  || △  ! ○
    break ✓  if ▷  else ¥  while ₪  halt ₹  continue ✔  LOOP £  LE ▶  ERROR □
"""

STANDARD = _notation("standard", "Standard", "the symbols of C", {})
SWAPPED = _notation(
    "swap",
    "KeywordSwap",
    "+ and -, * and /, < and >, <= and >=, == and !=, && and || have changed places",
    _pairs(_SWAPPED) | {new: old for old, new in _pairs(_SWAPPED).items()},
)
UNSEEN = _notation("obf", "KeywordObf", "letters of the Caucasian Albanian script", _pairs(_UNSEEN_LETTERS))
SINGLE_TOKEN = _notation(
    "obf-token", "KeywordObf", "signs that are one token each to most models", _pairs(_SINGLE_TOKENS)
)
NOTATIONS: Mapping[str, Notation] = MappingProxyType(
    {notation.key: notation for notation in (STANDARD, SWAPPED, UNSEEN, SINGLE_TOKEN)}
)


def notation_called(key: str) -> Notation:
    """Return the notation of this key; raises InputError where there is none."""
    if key not in NOTATIONS:
        raise InputError(f"there is no notation {key!r}.", hint=f"There are: {', '.join(NOTATIONS)}.")
    return NOTATIONS[key]
