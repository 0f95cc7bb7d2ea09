"""YAML as texts, lists and mappings that know their lines: no types, no anchors, bounded in size and depth."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from auditor.errors import InputError
from auditor.text import has_invisible, visible_line

MAX_BYTES = 256 * 1024
MAX_DEPTH = 8

LINE_END = re.compile("\r\n|\r|\n")
_REFUSED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
"""What YAML forbids, and what it would count as the end of a line though editors do not."""

Plain = str | bool | list["Plain"] | dict[str, "Plain"]
"""What `dump` writes."""


@dataclass(slots=True)
class Node:
    """A text, a list or a mapping: the field that is not None tells which."""

    line: int
    """Where it begins, counted from 1; for a value in a mapping, where its key stands."""
    text: str | None = None
    items: list[Node] | None = None
    pairs: dict[str, Node] | None = None


def error_at(where: str, line: int, message: str, hint: str | None = None) -> InputError:
    """Return an InputError that names the file and the line."""
    return InputError(message, where=f"{where}:{line}", hint=hint)


def decode(data: bytes, where: str) -> str:
    """Decode UTF-8 with or without a byte order mark. Raises InputError with the line of the first other byte."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # The position counts from after a byte order mark.
        at = error.start + (3 if data.startswith(b"\xef\xbb\xbf") else 0)
        line = len(LINE_END.findall(data[:at].decode("latin-1"))) + 1
        message = f"the byte 0x{data[at]:02X} is not UTF-8."
        raise error_at(where, line, message, "Save the file as UTF-8.") from error


def compose(text: str, where: str, *, is_checked: bool = False) -> Node | None:
    """Read YAML text; None when it holds nothing. Raises InputError with `where:line`.

    A text that was read before may be read by libyaml, where it is there: it is much faster, and takes tabs in places
    where PyYAML itself refuses them, so that it must not decide which texts are taken.
    """
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise error_at(where, 1, f"the file is larger than {MAX_BYTES // 1024} KiB.")
    refused = _REFUSED.search(text)
    if refused:
        line = len(LINE_END.findall(text[: refused.start()])) + 1
        message = f"the character U+{ord(refused.group()):04X} cannot stand here."
        raise error_at(where, line, message, "Remove it.")
    import yaml

    if is_checked and (fast := getattr(yaml, "CSafeLoader", None)) is not None:
        with suppress(yaml.MarkedYAMLError):
            return _Composer(where).compose(yaml.parse(text, Loader=fast))
    try:
        return _Composer(where).compose(yaml.parse(text, Loader=yaml.SafeLoader))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = visible_line(error.problem or error.context or "it cannot be read", 200)
        hint = "A text that begins with a sign, or holds ': ' or ' #', needs quotes."
        raise error_at(where, mark.line + 1 if mark else 1, f"this is not YAML: {problem}.", hint) from error


class _Composer:
    """Nodes from PyYAML's events, without recursion: no anchor, cycle or depth can do harm."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.root: Node | None = None
        self.open: list[Node] = []
        self.keys: list[tuple[str, int] | None] = []
        """For each open node the key, with its line, whose value is still to come."""

    def compose(self, events: Iterable[object]) -> Node | None:
        for event in events:
            self.take(event)
        return self.root

    def take(self, event: object) -> None:
        import yaml

        if isinstance(event, yaml.CollectionEndEvent):
            self.open.pop()
            self.keys.pop()
        elif isinstance(event, yaml.NodeEvent):
            assert event.start_mark is not None, "events of a parser carry marks"
            line = event.start_mark.line + 1
            self.refuse_marks(event, line)
            if isinstance(event, yaml.ScalarEvent):
                self.attach(Node(line, text=event.value))
            else:
                node = Node(line, items=[]) if isinstance(event, yaml.SequenceStartEvent) else Node(line, pairs={})
                self.attach(node)
                self.open.append(node)
                self.keys.append(None)
                if len(self.open) > MAX_DEPTH:
                    raise error_at(self.where, line, f"lists and mappings are nested more than {MAX_DEPTH} deep.")

    def refuse_marks(self, event: object, line: int) -> None:
        if getattr(event, "anchor", None) is not None:
            message = "anchors and aliases (& and *) are not used here."
            raise error_at(self.where, line, message, "Repeat the text, or quote it if it begins with such a sign.")
        tag = getattr(event, "tag", None)
        if tag is not None:
            message = f"the YAML type {visible_line(tag, 40)!r} is not used here."
            raise error_at(self.where, line, message, "Every value is text; quote it if it begins with '!'.")

    def attach(self, node: Node) -> None:
        if not self.open:
            if self.root is not None:
                raise error_at(self.where, node.line, "a second document begins here.", "Keep one in a file.")
            self.root = node
            return
        parent, key = self.open[-1], self.keys[-1]
        if parent.items is not None:
            parent.items.append(node)
            return
        assert parent.pairs is not None
        if key is not None:
            node.line = key[1]
            parent.pairs[key[0]] = node
            self.keys[-1] = None
        elif node.text is None:
            message = "a list or a mapping cannot be a key."
            raise error_at(self.where, node.line, message, "A text in brackets or braces needs quotes.")
        elif node.text in parent.pairs:
            raise error_at(self.where, node.line, f"{visible_line(node.text, 60)!r} is given twice.", "Keep one.")
        else:
            self.keys[-1] = (node.text, node.line)


def dump(contents: Mapping[str, Plain]) -> str:
    """Write YAML for people to edit; `compose` reads the same texts from it."""
    import yaml

    class Dumper(yaml.SafeDumper):
        """Blocks for long texts, escapes for what cannot stand in a file."""

        def ignore_aliases(self, data: object) -> bool:
            return True

        def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
            super().increase_indent(flow, False)

    def represent(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
        style = None
        if _REFUSED.search(text) or "\r" in text or has_invisible(text):
            style = '"'
        elif "\n" in text:
            style = "|"
        elif len(text) > 80:
            style = ">"
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)

    Dumper.add_representer(str, represent)
    return str(yaml.dump(dict(contents), Dumper=Dumper, allow_unicode=True, sort_keys=False, width=116))
