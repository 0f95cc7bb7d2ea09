"""Name code points in words, and find where two texts first differ, in time that long equal parts do not slow."""

from __future__ import annotations

import re
import unicodedata

_CONTROLS = (
    "NULL|START OF HEADING|START OF TEXT|END OF TEXT|END OF TRANSMISSION|ENQUIRY|ACKNOWLEDGE|BELL|BACKSPACE|"
    "CHARACTER TABULATION|LINE FEED|LINE TABULATION|FORM FEED|CARRIAGE RETURN|SHIFT OUT|SHIFT IN|DATA LINK ESCAPE|"
    "DEVICE CONTROL ONE|DEVICE CONTROL TWO|DEVICE CONTROL THREE|DEVICE CONTROL FOUR|NEGATIVE ACKNOWLEDGE|"
    "SYNCHRONOUS IDLE|END OF TRANSMISSION BLOCK|CANCEL|END OF MEDIUM|SUBSTITUTE|ESCAPE|INFORMATION SEPARATOR FOUR|"
    "INFORMATION SEPARATOR THREE|INFORMATION SEPARATOR TWO|INFORMATION SEPARATOR ONE"
)
"""Names of U+0000 to U+001F, for which `unicodedata` has none."""

UNMARKED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]+"
)
"""Characters that leave no mark of their own: controls but tab and newline, zero-width and direction characters."""


def code_point(char: str) -> str:
    """Return e.g. `U+000D CARRIAGE RETURN`."""
    code = ord(char)
    if code < 0x20:
        name = _CONTROLS.split("|")[code]
    elif code == 0x7F:
        name = "DELETE"
    elif code == 0x85:
        name = "NEXT LINE"
    elif 0xD800 <= code <= 0xDFFF:
        name = "LONE SURROGATE"
    else:
        name = unicodedata.name(char, "CONTROL" if code < 0xA0 else "UNNAMED")
    return f"U+{code:04X} {name}"


def common_prefix(left: str, right: str) -> int:
    """Return how many first characters agree."""
    low, high = 0, min(len(left), len(right))
    if left[:high] == right[:high]:
        return high
    while high - low > 1:
        middle = (low + high) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle
    return low


def common_suffix(left: str, right: str, limit: int) -> int:
    """Return how many last characters agree, at most `limit`."""
    if limit <= 0:
        return 0
    return common_prefix(left[-limit:][::-1], right[-limit:][::-1])
