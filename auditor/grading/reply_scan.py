"""Walk through a reply once: reasoning blocks, code fences and the places where an object may begin."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

_NAMES = "think|thinking|thought|thoughts|reason|reasoning|scratchpad"
_OPEN = rf"<(?P<open>{_NAMES})(?:\s[^<>]*)?>|\[(?P<sopen>thought)\]"
_CLOSE = rf"</(?P<close>{_NAMES})\s*>|\[/(?P<sclose>thought)\]"
_CLOSERS = {name: re.compile(rf"</{name}\s*>|\[/{name}\]", re.IGNORECASE) for name in _NAMES.split("|")}
_TAG = re.compile(rf"{_OPEN}|{_CLOSE}", re.IGNORECASE)
_BRACE = r"(?P<brace>\{(?=\s*[\"'\u2018\u2019\u201c\u201d]))"
_MARK = re.compile(rf"{_OPEN}|{_CLOSE}|(?P<fence>`{{3,}}|~{{3,}})|{_BRACE}", re.IGNORECASE)
_INFO = re.compile(r"[ \t]*([A-Za-z][A-Za-z0-9_+#.-]*)?")
_DATA_LANGUAGES = frozenset({"", "json", "json5", "jsonc", "text", "txt", "plaintext", "plain", "output"})


class Opening(NamedTuple):
    """A brace outside reasoning blocks that a quote follows."""

    at: int
    fenced: bool
    code: bool
    """The fence names a programming language: what it holds is code before it is an answer."""


class Restart(NamedTuple):
    """A closing reasoning tag without an opening one: everything before it was reasoning."""

    at: int


class ReplyScan:
    """Yield openings from left to right; the reader moves `position` past every object it has read.

    Strings inside an object that was read are thus never searched for fences, tags or further objects.
    """

    def __init__(self, text: str, marks: re.Pattern[str] = _MARK) -> None:
        self.text = text
        self._marks = marks
        self.position = 0
        self.reasoning: list[tuple[int, int]] = []
        """Ranges that are reasoning."""
        self._fence: str | None = None
        self._language = ""

    def __iter__(self) -> Iterator[Opening | Restart]:
        while match := self._marks.search(self.text, self.position):
            self.position = match.end()
            kind = match.lastgroup
            if kind == "brace":
                code = self._fence is not None and self._language not in _DATA_LANGUAGES
                yield Opening(match.start(), self._fence is not None, code)
            elif kind == "fence":
                self._see_fence(match)
            elif kind in ("open", "sopen"):
                self._skip_reasoning(match)
            else:
                self.reasoning = [(0, match.end())]
                self._fence = None
                yield Restart(match.end())

    def _skip_reasoning(self, match: re.Match[str]) -> None:
        name = (match.group("open") or match.group("sopen")).lower()
        close = _CLOSERS[name].search(self.text, match.end())
        self.position = close.end() if close else len(self.text)
        self.reasoning.append((match.start(), self.position))

    def _see_fence(self, match: re.Match[str]) -> None:
        run = match.group()
        info = _INFO.match(self.text, match.end())
        word = (info.group(1) or "") if info else ""
        if self._fence is None:
            self._fence, self._language = run, word.lower()
            self.position = match.end() + len(info.group()) if info else match.end()
        elif run[0] == self._fence[0] and len(run) >= len(self._fence) and self._closes(match.end(), word):
            self._fence = None

    def _closes(self, end: int, word: str) -> bool:
        """A closing fence carries no info word right behind its backticks."""
        return not (word and self.text[end : end + 1].isalpha())

    def rest(self) -> str:
        """Return the text outside reasoning; meant for after the walk."""
        pieces, at = [], 0
        for start, end in self.reasoning:
            pieces.append(self.text[at:start])
            at = end
        return "".join(pieces) + self.text[at:]


def outside_reasoning(text: str) -> str:
    """Return a reply without its reasoning blocks; an unclosed block reaches to the end."""
    scan = ReplyScan(text, _TAG)
    deque(scan, maxlen=0)
    return scan.rest()
