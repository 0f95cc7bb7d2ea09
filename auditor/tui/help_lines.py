"""What the help says, as lines for a width: keys, symbols, and the codebook with every definition, rule and example."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from auditor.text import counted, visible_line
from auditor.tui.actions import Action
from auditor.tui.marked_lines import RoleSpan
from auditor.tui.wrapping import WrappedText, shown_lines

if TYPE_CHECKING:
    from auditor.audit.review import TagChoice

NO_KEY = "-"
"""In place of the key that an action does not have."""
CODEBOOK_KEY = "codebook.show"
"""The action whose key goes to the codebook here too."""
_KEY_CELLS = 11
SYMBOLS = (
    ("·", "an item that is open: nothing on it yet"),
    ("◐", "begun: it has a tag or a note and is not done yet"),
    ("✓", "reviewed"),
    ("»", "deferred: put off for later"),
    ("[1 tag]", "a tag that is on the item"),
    ("▸", "where you are: the checkpoint's line, the item in the queue, the difference"),
    ("*", "among other answers, the item that the review is at"),
    ("✓ ✗", "of an answer: correct, wrong"),
    ("◂", "when the checkpoint's line is meant"),
    ("=", "the oracle's, and the prediction agrees; in fields the oracle's column"),
    ("-", "the oracle's, where the prediction differs"),
    ("+", "the prediction's"),
    ("≠", "a field that differs; how many differences there are"),
    ("~", "computed, by no person"),
    ("!", "what to know of the comparison"),
    ("␠ ␉ ␊", "a space, tab or line end that differs or would not be seen"),
    ("<U+200B>", "a character that would not be seen"),
    ("┊", "the line above goes on"),
    ("…", "a line or a text goes on where it has no room"),
    ("⋯", "lines of the program that are folded, and how many"),
    ("≈", "a character that differs and looks the same"),
)
"""Every symbol of the screen and what it stands for."""


class HelpLine(NamedTuple):
    """One line and its spans."""

    text: str
    spans: tuple[RoleSpan, ...] = ()


class HelpCodebook(NamedTuple):
    """What the help shows of a codebook."""

    name: str
    revision: int
    title: str
    description: str
    choices: Sequence[TagChoice]


class HelpText(NamedTuple):
    """All lines, and the lines at which each section and each tag begin."""

    lines: list[HelpLine]
    tags: list[int]
    sections: list[int]
    """The last one is the codebook."""


def help_text(codebook: HelpCodebook, actions: Sequence[Action], width: int) -> HelpText:
    """Lay the help out for lines of a number of cells."""
    groups = list(dict.fromkeys(action.group for action in actions))
    lines, sections = list(_index_lines(groups, len(codebook.choices), actions, width)), []
    for part in (*(_key_lines(group, actions, width) for group in groups), _symbol_lines(width)):
        sections.append(len(lines))
        lines += part
    sections.append(len(lines))
    lines += _codebook_lines(codebook, width)
    tags = []
    for choice in codebook.choices:
        tags.append(len(lines))
        lines += _tag_lines(choice, width)
    return HelpText(lines, tags, sections)


def _index_lines(groups: Sequence[str], tags: int, actions: Sequence[Action], width: int) -> Iterator[HelpLine]:
    """Say which sections there are, and how to get there."""
    yield from _block("", " · ".join([*groups, "Symbols", f"Codebook ({counted(tags, 'tag')})"]), width)
    shows = next((f" · {action.shown_key}: the codebook" for action in actions if action.id == CODEBOOK_KEY), "")
    yield from _block("", f"tab: the next of these · shift+tab: the one before{shows}", width)
    yield HelpLine("")


def _key_lines(group: str, actions: Sequence[Action], width: int) -> Iterator[HelpLine]:
    yield _heading(group)
    for action in actions:
        if action.group == group:
            yield from _entry(action.shown_key or NO_KEY, action.sentence, width)
    yield HelpLine("")


def _symbol_lines(width: int) -> Iterator[HelpLine]:
    yield _heading("Symbols")
    for symbol, meaning in SYMBOLS:
        yield from _entry(symbol, meaning, width)
    yield HelpLine("")


def _codebook_lines(codebook: HelpCodebook, width: int) -> Iterator[HelpLine]:
    name = f"{visible_line(codebook.name)}, revision {codebook.revision}"
    title = visible_line(codebook.title)
    yield _heading(f"Codebook {name}" + ("" if title == codebook.name else f": {title}"))
    yield from _block("  ", codebook.description, width)
    yield HelpLine("")


def _tag_lines(choice: TagChoice, width: int) -> Iterator[HelpLine]:
    key, name = visible_line(choice.key).rjust(_KEY_CELLS), visible_line(choice.name)
    about = []
    if choice.group:
        about.append(visible_line(choice.group) + (" (at most one of these)" if choice.one_of_group else ""))
    if choice.alone:
        about.append("stands alone: no other tag with it")
    name_end = len(key) + 2 + len(name)
    text = f"{key}  {name}" + (f"   {' · '.join(about)}" if about else "")
    spans = (
        RoleSpan(0, len(key), "key"),
        RoleSpan(len(key) + 2, name_end, "strong"),
        RoleSpan(name_end, len(text), "muted"),
    )
    yield HelpLine(text, spans)
    indent = " " * (_KEY_CELLS + 2)
    yield from _block(indent, choice.definition, width)
    for label, words in (("Rule", choice.decision_rule), ("Example", choice.example)):
        if words:
            yield from _block(f"{indent}{label}: ", words, width)
    yield HelpLine("")


def _heading(text: str) -> HelpLine:
    return HelpLine(text, (RoleSpan(0, len(text), "title"),))


def _entry(key: str, words: str, width: int) -> Iterator[HelpLine]:
    head = f"{key.rjust(_KEY_CELLS)}  "
    for number, line in enumerate(_wrapped(words, width - len(head))):
        spans = (RoleSpan(0, len(head), "key"),) if not number else ()
        yield HelpLine((" " * len(head) if number else head) + line, spans)


def _block(head: str, text: str, width: int) -> Iterator[HelpLine]:
    """Lay a text out behind its first words, which later lines leave room for."""
    lines = [part for line in shown_lines(text.rstrip("\n")) for part in _wrapped(line, width - len(head))]
    for number, line in enumerate(lines):
        spans = (RoleSpan(0, len(head), "muted"),) if not number else ()
        yield HelpLine((" " * len(head) if number else head) + line, spans)


def _wrapped(line: str, width: int) -> list[str]:
    """Cut a visible line into lines of at most `width` cells."""
    wrapped = WrappedText([line], width)
    return [line[row.start : row.end].rstrip() for row in map(wrapped.row, range(wrapped.rows))]
