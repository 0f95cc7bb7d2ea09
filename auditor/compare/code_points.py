"""Code points by name, and what differs between pieces of text that look alike."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from itertools import groupby, product
from typing import NamedTuple

from auditor.compare.text_diff import Piece, TextDiff, diff_text, differences
from auditor.model import Span
from auditor.text import has_invisible, visible_line, with_code_points

_CONTROLS = """
    00 NULL, 01 START OF HEADING, 02 START OF TEXT, 03 END OF TEXT, 04 END OF TRANSMISSION, 05 ENQUIRY,
    06 ACKNOWLEDGE, 07 BELL, 08 BACKSPACE, 09 TAB, 0A LINE FEED, 0B VERTICAL TAB, 0C FORM FEED, 0D CARRIAGE RETURN,
    0E SHIFT OUT, 0F SHIFT IN, 10 DATA LINK ESCAPE, 11 DEVICE CONTROL ONE, 12 DEVICE CONTROL TWO,
    13 DEVICE CONTROL THREE, 14 DEVICE CONTROL FOUR, 15 NEGATIVE ACKNOWLEDGE, 16 SYNCHRONOUS IDLE,
    17 END OF TRANSMISSION BLOCK, 18 CANCEL, 19 END OF MEDIUM, 1A SUBSTITUTE, 1B ESCAPE, 1C FILE SEPARATOR,
    1D GROUP SEPARATOR, 1E RECORD SEPARATOR, 1F UNIT SEPARATOR, 7F DELETE, 85 NEXT LINE,
    90 DEVICE CONTROL STRING, 9B CONTROL SEQUENCE INTRODUCER, 9C STRING TERMINATOR, 9D OPERATING SYSTEM COMMAND
"""
"""Unicode gives controls no names; these are its aliases for those that are met."""
_CONTROL_NAMES = {
    chr(int(code, 16)): name for code, name in (entry.split(maxsplit=1) for entry in _CONTROLS.split(","))
}


class CodePoint(NamedTuple):
    """One character of a text."""

    offset: int
    shown: str
    """The character as a screen may draw it."""
    code: str
    """`U+00A0`."""
    name: str
    """Its Unicode name in capitals, or what kind of code point it is."""


def code_points(text: str, start: int = 0, stop: int | None = None) -> list[CodePoint]:
    """List the characters of a stretch of text."""
    end = len(text) if stop is None else min(stop, len(text))
    return [
        CodePoint(place, _shown(text[place]), f"U+{ord(text[place]):04X}", character_name(text[place]))
        for place in range(max(0, start), end)
    ]


def character_name(char: str) -> str:
    """Name a character: its Unicode name, a control's alias, or what kind of code point it is."""
    if char in _CONTROL_NAMES:
        return _CONTROL_NAMES[char].rstrip()
    kinds = {"Cc": "CONTROL", "Cs": "LONE SURROGATE", "Co": "PRIVATE USE"}
    return unicodedata.name(char, kinds.get(unicodedata.category(char), "UNASSIGNED"))


def _shown(char: str) -> str:
    """Draw a combining mark on a dotted circle, so that it does not land on what stands before it."""
    shown = visible_line(char)
    return f"◌{char}" if shown == char and unicodedata.category(char).startswith("M") else shown


# --- look-alikes ---------------------------------------------------------------------------------------------------


class LookAlike(NamedTuple):
    """A changed piece whose two sides a reader could take for the same."""

    oracle: Span
    prediction: Span
    kind: str
    """`line ending`, `final newline`, `trailing white space`, `white space`, `invisible characters`, `composition`,
    `similar characters`, `several` of these, or `not looked at`."""
    sentence: str
    """What differs, in words and code points."""


def look_alikes(oracle: str, prediction: str, diff: TextDiff | None = None) -> list[LookAlike]:
    """Say of each changed piece whose sides look alike what differs.

    Only the first MOST_PIECES are looked at; where there are more, a last entry of the kind `not looked at` spans them.
    `diff` is the difference of the two texts where it is at hand already.
    """
    pieces = differences(diff or diff_text(oracle, prediction))
    found = [_look_alike(oracle, prediction, piece) for piece in pieces[:MOST_PIECES]]
    alike = [each for each in found if each is not None]
    if rest := pieces[MOST_PIECES:]:
        left = Span(rest[0].oracle.start, rest[-1].oracle.end)
        right = Span(rest[0].prediction.start, rest[-1].prediction.end)
        alike.append(LookAlike(left, right, "not looked at", f"{len(rest):,} further differences were not looked at"))
    return alike


_DRAWN_ALIKE = ("composition", "similar characters", "several")
"""Kinds of pieces whose sides look the same also where everything is shown that leaves no mark by itself."""
_MOST_OF_ONE = 7
"""Code points that what a reader takes for one character has fewer of."""


def piece_drawn_alike(oracle: str, prediction: str, at: int) -> Span | None:
    """Return what of the prediction looks like the oracle at a place and is another; None = it looks different.

    `at` is the place of the first difference. It is the shortest piece that is drawn as one of the oracle's is.
    """
    lengths = sorted(product(range(1, _MOST_OF_ONE), repeat=2), key=sum)
    for old_length, new_length in lengths:
        old, new = oracle[at : at + old_length], prediction[at : at + new_length]
        if (len(old), len(new)) == (old_length, new_length) and _similar(old) == _similar(new):
            return None if has_invisible(old + new) or new.isspace() else Span(at, at + new_length)
    return None


def told_apart(oracle: str, prediction: str) -> tuple[str, str]:
    """Return two texts in which what differs and looks alike is shown by its code points, for cells side by side."""
    pieces = [each for each in look_alikes(oracle, prediction) if each.kind in _DRAWN_ALIKE]
    for piece in reversed(pieces):
        (start, end), (first, last) = piece.oracle, piece.prediction
        oracle = oracle[:start] + with_code_points(oracle[start:end]) + oracle[end:]
        prediction = prediction[:first] + with_code_points(prediction[first:last]) + prediction[last:]
    return oracle, prediction


MOST_PIECES = 500
_MOST_CHARACTERS = 200
"""Characters of a changed piece beyond which nobody takes its sides for the same at a glance."""
_MOST_BLANKS = 64
"""Characters of white space around a piece that decide whether it stands at the end of a line."""


def _look_alike(oracle: str, prediction: str, piece: Piece) -> LookAlike | None:
    old, new = oracle[slice(*piece.oracle)], prediction[slice(*piece.prediction)]
    if max(len(old), len(new)) > _MOST_CHARACTERS:
        return None
    before = _BLANKS_BEFORE.search(oracle[max(0, piece.oracle.start - _MOST_BLANKS) : piece.oracle.start])
    after = _BLANKS_AFTER.match(oracle[piece.oracle.end : piece.oracle.end + _MOST_BLANKS])
    left = before.group() if before else ""
    right = after.group() if after else ""
    # Where the texts go on, a letter stands for what follows: only their real end counts as one.
    right += "" if piece.oracle.end + len(right) == len(oracle) else "x"
    kind = _kind(left + old + right, left + new + right)
    if kind is None:
        return None
    return LookAlike(piece.oracle, piece.prediction, kind, f"{kind}: {_in_words(old, new)}")


_BLANKS_BEFORE = re.compile(r"(?:^|\S|\n)[^\S\n]*\Z")
_BLANKS_AFTER = re.compile(r"[^\S\n]*(?:\S|\n|\Z)")


def _kind(old: str, new: str) -> str | None:
    """Name the first folding that makes both the same, or say that it takes several."""
    for kind, fold in _FOLDS:
        if fold(old) == fold(new):
            return kind
    for _, fold in _FOLDS:
        old, new = fold(old), fold(new)
    return "several" if old == new else None


def _in_words(old: str, new: str) -> str:
    if not new:
        return f"the oracle has {_listed(old)}, which the prediction lacks"
    if not old:
        return f"the prediction has {_listed(new)}, which the oracle lacks"
    return f"the oracle has {_listed(old)} where the prediction has {_listed(new)}"


_MOST_NAMED = 4


def _listed(text: str) -> str:
    """Name the code points of a piece, a run of the same one once."""
    runs = [(char, len(list(run))) for char, run in groupby(text)]
    named = [
        f"{f'{count} x ' if count > 1 else ''}U+{ord(char):04X} {character_name(char)}"
        for char, count in runs[:_MOST_NAMED]
    ]
    if len(runs) > _MOST_NAMED:
        more = sum(count for _, count in runs[_MOST_NAMED:])
        named.append(f"{more} more character{'s' if more > 1 else ''}")
    return named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"


# --- what makes two pieces the same to the eye ---------------------------------------------------------------------

_SIMILAR_TO_ASCII = """
    2010- 2011- 2012- 2013- 2014- 2015- 2212- 2018' 2019' 201A' 201B' 2032' 02BC' 201C" 201D" 201E" 201F" 2033"
    0410A 0412B 0415E 0405S 0406I 0408J 041AK 041CM 041DH 041EO 0420P 0421C 0422T 0423Y 0425X
    0430a 0435e 043Eo 0440p 0441c 0443y 0445x 0455s 0456i 0458j 0501d 04BBh 04CFl 051Bq 051Dw
    0391A 0392B 0395E 0396Z 0397H 0399I 039AK 039CM 039DN 039FO 03A1P 03A4T 03A5Y 03A7X 03BFo 03BDv
    0261g 0131i 0585o
"""
"""Dashes and quotes, Cyrillic, Greek and some other letters that most fonts draw like an ASCII character."""
_SIMILAR = {int(pair[:4], 16): pair[4] for pair in _SIMILAR_TO_ASCII.split()}


def _without_invisible(text: str) -> str:
    if not has_invisible(text):
        return text
    return "".join(char for char in text if not has_invisible(char) or unicodedata.category(char) == "Zs")


def _similar(text: str) -> str:
    return unicodedata.normalize("NFKC", text).translate(_SIMILAR)


_FOLDS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("line ending", lambda text: text.replace("\r\n", "\n").replace("\r", "\n")),
    ("final newline", lambda text: text.rstrip("\n")),
    ("trailing white space", lambda text: re.sub(r"[^\S\n]+(?=\n|\Z)", "", text)),
    ("white space", lambda text: re.sub(r"[^\S\n]+", " ", text)),
    ("invisible characters", _without_invisible),
    ("composition", lambda text: unicodedata.normalize("NFC", text)),
    ("similar characters", _similar),
)
