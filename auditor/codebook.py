"""Codebooks: what annotators tag, read from YAML with a line number for every mistake, and written back.

Every value in the file is text (`NA`, `no` and `1e3` too). Nothing here knows the database or a screen.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from auditor.errors import InputError
from auditor.marked_yaml import MAX_BYTES, Node, Plain, compose, decode, dump, error_at
from auditor.text import visible_line

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

ENTRY_POINTS = "auditor.codebooks"
"""Packages offer codebooks here: each entry resolves to the path of a YAML file and has the codebook's name."""
PREX = Path(__file__).with_name("codebooks") / "prex.yaml"
EXECUTION = Path(__file__).with_name("codebooks") / "execution.yaml"

_NAMED_KEYS = ("space", "tab", "enter", "escape", "backspace", "delete", "home", "end", "pageup", "pagedown")
RESERVED_KEYS = frozenset(
    (*"0acfghijklmnopqrstuvwxyGJKNQRU/?[],. ", *_NAMED_KEYS, "up", "down", "left", "right"),
)
"""Keys that are or may become commands of a screen; a screen binds no plain key outside this set but a tag's."""
FREE_KEYS = "123456789bdezABCDEFHILMOPSTVWXYZ"
"""Keys that tags can have, in the order in which tags without a key are given one."""

MAX_NAME = 200
MAX_ID = 64


@dataclass(frozen=True, slots=True)
class Group:
    """Tags that belong together."""

    id: str
    name: str
    exclusive: bool = False
    """Whether an item can have at most one of the group's tags."""


@dataclass(frozen=True, slots=True)
class Tag:
    """An entry of a codebook. Its identity is the id: a renamed tag is the same tag."""

    id: str
    name: str
    key: str
    """One of FREE_KEYS."""
    group: str | None = None
    """Id of its group."""
    exclusive: bool = False
    """Whether the tag stands alone: an item that has it has no other tag of the codebook."""
    definition: str = ""
    decision_rule: str = ""
    """When to choose this tag and when another."""
    example: str = ""
    order: int = 1
    """Position in the codebook, counted from 1."""


@dataclass(frozen=True)
class Codebook:
    """Tags with their definitions. Two codebooks are equal when their contents are, however they are written."""

    name: str
    title: str
    description: str
    tags: tuple[Tag, ...]
    groups: tuple[Group, ...] = ()
    text: str = field(default="", compare=False, repr=False)
    """The YAML that it was read from."""

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 of the contents, in hexadecimal; comments and layout of the YAML do not change it."""
        contents = {key: value for key, value in asdict(self).items() if key != "text"}
        return sha256(json.dumps(contents, sort_keys=True).encode()).hexdigest()

    def excluded_by(self, tag_id: str) -> frozenset[str]:
        """Return the ids of the tags that an item cannot have beside this one. Raises KeyError for an unknown id."""
        tags = {tag.id: tag for tag in self.tags}
        one = tags.pop(tag_id)
        exclusive_groups = {group.id for group in self.groups if group.exclusive}
        return frozenset(
            other.id
            for other in tags.values()
            if one.exclusive or other.exclusive or (one.group == other.group and one.group in exclusive_groups)
        )

    def find_tag(self, id_or_name: str) -> Tag:
        """Return the tag with this id, or else with this name in whatever case.

        Raises InputError that names the nearest tag.
        """
        for tag in self.tags:
            if tag.id == id_or_name:
                return tag
        for tag in self.tags:
            if _folded(id_or_name) in (_folded(tag.name), _folded(tag.id)):
                return tag
        known = [known for tag in self.tags for known in (tag.id, tag.name)]
        raise InputError(
            f"the codebook {self.name} has no tag {visible_line(id_or_name, 60)!r}.",
            hint=_nearest(id_or_name, known) or f"Its tags: {', '.join(tag.id for tag in self.tags)}.",
        )


# --- finding and loading -------------------------------------------------------------------------------------------


def known_codebooks() -> tuple[str, ...]:
    """Return the names of the bundled codebooks and of those that installed packages offer."""
    return tuple(sorted({entry.name for entry in _entries()}))


def find_codebook(name_or_path: str | Path) -> Codebook:
    """Return a codebook by its name, bundled or offered by an installed package, or else by its path.

    Raises InputError for an unknown name, with the nearest known one, and for a broken file or package.
    """
    name = str(name_or_path)
    entries = [entry for entry in _entries() if entry.name == name]
    if isinstance(name_or_path, Path) or re.search(r"/|\.ya?ml$", name) or (not entries and _is_file(name)):
        return load_codebook(Path(name))
    if not entries:
        known = known_codebooks()
        hint = _nearest(name, known) or f"Known are {', '.join(known)}; a path to a YAML file works too."
        raise InputError(f"there is no codebook {visible_line(name, 60)!r}.", hint=hint)
    if len({entry.value for entry in entries}) > 1:
        packages = ", ".join(sorted(entry.dist.name if entry.dist else entry.value for entry in entries))
        raise InputError(f"several packages offer a codebook {name!r}: {packages}.", hint="Give the path of its file.")
    try:
        path = Path(entries[0].load())
    except Exception as error:  # somebody else's module may fail in any way; the sentence carries the reason
        reason = f"{type(error).__name__}: {visible_line(str(error), 200)}"
        raise InputError(f"the package that offers the codebook {name!r} cannot be used: {reason}.") from error
    codebook = load_codebook(path)
    if codebook.name != name:
        raise InputError(f"the codebook offered as {name!r} calls itself {codebook.name!r}.", where=str(path))
    return codebook


def load_codebook(path: Path) -> Codebook:
    """Read a codebook from a YAML file in UTF-8. Raises InputError with `file:line`."""
    where = visible_line(str(path))
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InputError(f"the codebook cannot be read: {reason}.", where=where) from error
    if len(data) > MAX_BYTES:
        raise error_at(where, 1, f"the file is larger than {MAX_BYTES // 1024} KiB.")
    return parse_codebook(decode(data, where), where)


def parse_codebook(text: str, where: str) -> Codebook:
    """Read a codebook from YAML text; `where` names the file in errors. Raises InputError with `where:line`."""
    text = text.removeprefix("\ufeff")
    root = compose(text, where)
    if root is None or root.text == "":
        raise error_at(where, 1, "the codebook is empty.", "It needs a name and tags.")
    return _Reader(where).codebook(root, text)


def dump_codebook(codebook: Codebook) -> str:
    """Write a codebook as YAML that `parse_codebook` reads back as an equal one."""
    contents: dict[str, Plain] = {"name": codebook.name, "title": codebook.title}
    if codebook.description:
        contents["description"] = codebook.description
    if codebook.groups:
        contents["groups"] = [
            {"id": group.id, "name": group.name, "exclusive": group.exclusive} for group in codebook.groups
        ]
    tags: list[Plain] = []
    for tag in codebook.tags:
        row: dict[str, Plain] = {"id": tag.id, "name": tag.name, "key": tag.key}
        if tag.group is not None:
            row["group"] = tag.group
        if tag.exclusive:
            row["exclusive"] = True
        row |= {name: getattr(tag, name) for name in _TEXTS if getattr(tag, name)}
        tags.append(row)
    return dump({**contents, "tags": tags})


def _is_file(path: str) -> bool:
    try:
        return Path(path).is_file()
    except (OSError, ValueError):  # too long for a path, or with a NUL in it: not a path, then
        return False


def _entries() -> Iterable[EntryPoint]:
    from importlib.metadata import entry_points

    return entry_points(group=ENTRY_POINTS)


# --- nodes to a codebook -------------------------------------------------------------------------------------------

_TEXTS = ("definition", "decision_rule", "example")
_CODEBOOK_KEYS = ("name", "title", "description", "groups", "tags")
_GROUP_KEYS = ("id", "name", "exclusive")
_TAG_KEYS = ("id", "name", "key", "group", "exclusive", *_TEXTS)
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


_Draft = tuple[dict[str, Node], Tag]
"""A tag, whose key may still be missing, and the nodes that it was read from."""


class _Reader:
    """The rules of a codebook; `where` names the file in their errors."""

    def __init__(self, where: str) -> None:
        self.where = where

    def codebook(self, root: Node, text: str) -> Codebook:
        pairs = self.pairs(root, "a codebook", _CODEBOOK_KEYS)
        name = self.identifier(pairs, "name", root.line, "the codebook")
        title = self.name(pairs, "title", root.line, "the codebook") if "title" in pairs else name
        groups = self.groups(pairs.get("groups"))
        rows = self.rows(pairs.get("tags"), "tags")
        if not rows:
            raise error_at(self.where, root.line, "the codebook has no tags.", "List them under tags:.")
        drafts = [self.tag(row, order, groups) for order, row in enumerate(rows, start=1)]
        self.unique([(pairs["id"].line, tag.id) for pairs, tag in drafts], "the tag id")
        self.unique([(pairs["name"].line, tag.name) for pairs, tag in drafts], "the tag name")
        self.unambiguous(drafts)
        return Codebook(name, title, self.text(pairs, "description"), self.keyed(drafts), tuple(groups.values()), text)

    def groups(self, node: Node | None) -> dict[str, Group]:
        groups: list[tuple[dict[str, Node], Group]] = []
        for row in self.rows(node, "groups"):
            pairs = self.pairs(row, "a group", _GROUP_KEYS)
            id_ = self.identifier(pairs, "id", row.line, "this group")
            name = self.name(pairs, "name", row.line, "this group") if "name" in pairs else id_
            groups.append((pairs, Group(id_, name, self.flag(pairs, "exclusive"))))
        self.unique([(pairs["id"].line, group.id) for pairs, group in groups], "the group id")
        self.unique([(pairs.get("name", pairs["id"]).line, group.name) for pairs, group in groups], "the group name")
        return {group.id: group for _, group in groups}

    def tag(self, row: Node, order: int, groups: dict[str, Group]) -> _Draft:
        pairs = self.pairs(row, "a tag", _TAG_KEYS)
        id_ = self.identifier(pairs, "id", row.line, "this tag")
        name = self.name(pairs, "name", row.line, f"the tag {id_}")
        self.required(pairs, "definition", row.line, f"the tag {id_}")
        group = self.text(pairs, "group") or None
        if group is not None and group not in groups:
            message = f"there is no group {visible_line(group, 60)!r}."
            hint = _nearest(group, list(groups)) or "Declare it under groups:."
            raise error_at(self.where, pairs["group"].line, message, hint)
        texts = {field: self.text(pairs, field) for field in _TEXTS}
        return pairs, Tag(id_, name, self.key(pairs), group, self.flag(pairs, "exclusive"), **texts, order=order)

    def key(self, pairs: dict[str, Node]) -> str:
        """Return the key that the row gives, or nothing."""
        key = self.text(pairs, "key")
        if not key or key in tuple(FREE_KEYS):
            return key
        line, shown = pairs["key"].line, visible_line(key, 20)
        if key in RESERVED_KEYS or key.lower() in RESERVED_KEYS:
            problem = f"the key {shown!r} is kept for commands."
        else:
            problem = f"the key {shown!r} cannot be a tag's."
        raise error_at(self.where, line, problem, f"Free are {FREE_KEYS}.")

    def keyed(self, drafts: list[_Draft]) -> tuple[Tag, ...]:
        """Refuse keys given twice and give the free ones, in order, to tags that have none."""
        owners: dict[str, tuple[int, str]] = {}
        for pairs, tag in drafts:
            if tag.key in owners:
                first, owner = owners[tag.key]
                message = f"the key {tag.key!r} of the tag {tag.id} is already that of {owner} in line {first}."
                raise error_at(self.where, pairs["key"].line, message, "Give one of them another key.")
            if tag.key:
                owners[tag.key] = (pairs["key"].line, tag.id)
        free = iter([key for key in FREE_KEYS if key not in owners])
        tags = []
        for pairs, tag in drafts:
            key = tag.key or next(free, "")
            if not key:
                message = f"there is no key left for the tag {tag.id}: {len(FREE_KEYS)} tags are the most."
                raise error_at(self.where, pairs["id"].line, message)
            tags.append(replace(tag, key=key))
        return tuple(tags)

    def unambiguous(self, drafts: list[_Draft]) -> None:
        """Refuse a name that is another tag's id: imported tags are looked up by either."""
        owners = {_folded(tag.id): tag.id for _, tag in drafts}
        for pairs, tag in drafts:
            if owners.get(_folded(tag.name), tag.id) != tag.id:
                message = f"the name {tag.name!r} of the tag {tag.id} is the id of another tag."
                raise error_at(self.where, pairs["name"].line, message, "Rename one of them.")

    # --- single values ---

    def pairs(self, node: Node, what: str, known: Sequence[str]) -> dict[str, Node]:
        if node.pairs is None:
            shown = f"not {visible_line(node.text, 40)!r}" if node.text else "and this is empty or a list"
            raise error_at(self.where, node.line, f"{what} is a mapping such as `id: …`, {shown}.")
        for key, value in node.pairs.items():
            if key not in known:
                message = f"{what} has no {visible_line(key, 60)!r}."
                hint = _nearest(key, known) or f"Known are {', '.join(known)}."
                raise error_at(self.where, value.line, message, hint)
        return node.pairs

    def rows(self, node: Node | None, what: str) -> list[Node]:
        if node is None or node.text == "":
            return []
        if node.items is None:
            raise error_at(self.where, node.line, f"{what}: is a list; each entry begins with a dash.")
        return node.items

    def text(self, pairs: dict[str, Node], key: str) -> str:
        node = pairs.get(key)
        if node is None:
            return ""
        if node.text is None:
            message = f"{key} is a text, not a list or a mapping."
            raise error_at(self.where, node.line, message, "Quote a text that begins with a bracket or a brace.")
        return node.text

    def required(self, pairs: dict[str, Node], key: str, line: int, what: str) -> str:
        text = self.text(pairs, key)
        if not text.strip():
            raise error_at(self.where, pairs[key].line if key in pairs else line, f"{what} has no {key}.")
        return text

    def identifier(self, pairs: dict[str, Node], key: str, line: int, what: str) -> str:
        text = self.required(pairs, key, line, what)
        if not _ID.fullmatch(text) or len(text) > MAX_ID:
            message = f"the {key} {visible_line(text, 60)!r} is not made of ASCII letters, digits, '-', '_' and '.'."
            if len(text) > MAX_ID:
                message = f"the {key} {visible_line(text, 30)!r} has {len(text)} characters; {MAX_ID} are the most."
            raise error_at(self.where, pairs[key].line, message)
        return text

    def name(self, pairs: dict[str, Node], key: str, line: int, what: str) -> str:
        text = self.required(pairs, key, line, what)
        line = pairs[key].line
        if len(text) > MAX_NAME:
            raise error_at(self.where, line, f"the {key} has {len(text)} characters; {MAX_NAME} are the most.")
        if visible_line(text) != text:
            odd = next(char for char in text if visible_line(char) != char)
            message = f"the {key} {visible_line(text, 60)!r} holds the character U+{ord(odd):04X}, which does not show."
            raise error_at(self.where, line, message, "Remove it.")
        if text != text.strip():
            raise error_at(self.where, line, f"the {key} {text!r} begins or ends with a space.", "Remove it.")
        return text

    def flag(self, pairs: dict[str, Node], key: str) -> bool:
        text = self.text(pairs, key)
        if text.lower() not in ("true", "false", ""):
            raise error_at(self.where, pairs[key].line, f"{key} is true or false, not {visible_line(text, 40)!r}.")
        return text.lower() == "true"

    def unique(self, entries: list[tuple[int, str]], what: str) -> None:
        seen: dict[str, tuple[int, str]] = {}
        for line, text in entries:
            if _folded(text) not in seen:
                seen[_folded(text)] = (line, text)
                continue
            first_line, first = seen[_folded(text)]
            message = f"{what} {text!r} is already in line {first_line}."
            if first != text:
                message = f"{what} {text!r} differs from {first!r} in line {first_line} only in case or spacing."
            raise error_at(self.where, line, message, "Give each its own.")


def _folded(text: str) -> str:
    """Return what names have in common that a reader could take for the same."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _nearest(text: str, known: Sequence[str]) -> str | None:
    from difflib import get_close_matches

    folded = {_folded(one): one for one in known}
    near = get_close_matches(_folded(text[:MAX_NAME]), folded, n=1)
    return f"Did you mean {folded[near[0]]}?" if near else None
