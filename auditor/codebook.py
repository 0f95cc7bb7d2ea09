"""Codebooks: what annotators tag, read from YAML with a line number for every mistake, and written back.

Every value in the file is text (`NA`, `no` and `1e3` too). Nothing here knows the database or a screen.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from auditor.codebook_entries import (
    FREE_KEYS,
    MAX_ID,
    MAX_NAME,
    RESERVED_KEYS,
    Codebook,
    Group,
    Tag,
    folded,
    nearest,
)
from auditor.errors import InputError
from auditor.marked_yaml import MAX_BYTES, Node, Plain, compose, decode, dump, error_at
from auditor.text import visible_line

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = [
    "ENTRY_POINTS",
    "EXECUTION",
    "FREE_KEYS",
    "MAX_ID",
    "MAX_NAME",
    "PREX",
    "RESERVED_KEYS",
    "Codebook",
    "Group",
    "Tag",
    "dump_codebook",
    "find_codebook",
    "folded",
    "known_codebooks",
    "load_codebook",
    "nearest",
    "parse_codebook",
]

ENTRY_POINTS = "auditor.codebooks"
"""Packages offer codebooks here: each entry resolves to the path of a YAML file and has the codebook's name."""
PREX = Path(__file__).with_name("codebooks") / "prex.yaml"
CORE_IMPLEMENTATIONS = Path(__file__).with_name("codebooks") / "core-implementations.yaml"
CORE_PROBES = Path(__file__).with_name("codebooks") / "core-probes.yaml"
EXECUTION = Path(__file__).with_name("codebooks") / "execution.yaml"

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
        hint = nearest(name, known) or f"Known are {', '.join(known)}; a path to a YAML file works too."
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


def parse_codebook(text: str, where: str, *, is_checked: bool = False) -> Codebook:
    """Read a codebook from YAML text; `where` names the file in errors. Raises InputError with `where:line`.

    `is_checked` says that the text was read before, which makes it faster.
    """
    text = text.removeprefix("\ufeff")
    root = compose(text, where, is_checked=is_checked)
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
        row: dict[str, Plain] = {"id": tag.id, "name": tag.name}
        if tag.key:
            row["key"] = tag.key
        if tag.group is not None:
            row["group"] = tag.group
        if tag.exclusive:
            row["exclusive"] = True
        if tag.formerly:
            row["formerly"] = list(tag.formerly)
        if tag.retired:
            row["retired"] = True
        if tag.merged_into is not None:
            row["merged_into"] = tag.merged_into
        if tag.split_into:
            row["split_into"] = list(tag.split_into)
        if tag.computed:
            row["computed"] = list(tag.computed)
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
_TAG_KEYS = (
    "id",
    "name",
    "key",
    "group",
    "exclusive",
    *_TEXTS,
    "formerly",
    "retired",
    "merged_into",
    "split_into",
    "computed",
)
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
        ids = [(pairs["id"].line, tag.id) for pairs, tag in drafts]
        former = [(pairs["formerly"].line, id_) for pairs, tag in drafts for id_ in tag.formerly]
        self.unique([*ids, *former], "the tag id")
        self.unique([(pairs["name"].line, tag.name) for pairs, tag in drafts], "the tag name")
        self.unambiguous(drafts)
        self.successors(drafts)
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
            hint = nearest(group, list(groups)) or "Declare it under groups:."
            raise error_at(self.where, pairs["group"].line, message, hint)
        definition, rule, example = (self.text(pairs, key) for key in _TEXTS)
        alone = self.flag(pairs, "exclusive")
        tag = Tag(id_, name, self.key(pairs), group, alone, definition, rule, example, order)
        return pairs, self.retired(pairs, tag)

    def retired(self, pairs: dict[str, Node], tag: Tag) -> Tag:
        """Return the tag with what the row says of its past and of what took its place."""
        merged, split = self.text(pairs, "merged_into") or None, self.ids(pairs, "split_into")
        successors = "merged_into" if merged is not None else "split_into"
        if merged is not None and split:
            raise error_at(self.where, pairs["split_into"].line, f"the tag {tag.id} is both merged and split.")
        retired = self.flag(pairs, "retired")
        if (merged is not None or split) and not retired:
            message = f"the tag {tag.id} has {successors} and is not retired."
            raise error_at(self.where, pairs[successors].line, message, "Add retired: true, or take it out.")
        if retired and tag.key:
            message = f"the retired tag {tag.id} has a key, which another tag could use."
            raise error_at(self.where, pairs["key"].line, message, "Take the key out.")
        formerly, computed = self.ids(pairs, "formerly"), self.ids(pairs, "computed")
        past = replace(tag, retired=retired, merged_into=merged, split_into=split, formerly=formerly)
        return replace(past, computed=computed)

    def ids(self, pairs: dict[str, Node], key: str) -> tuple[str, ...]:
        """Return a list of ids; one id may stand without a dash."""
        node = pairs.get(key)
        if node is None:
            return ()
        nodes = node.items if node.items is not None else [node]
        return tuple(self.identifier({key: one}, key, one.line, "the tag") for one in nodes if one.text != "")

    def successors(self, drafts: list[_Draft]) -> None:
        """Refuse a successor that is no tag, and tags that are merged in a circle."""
        merged = {tag.id: tag.merged_into for _, tag in drafts}
        for pairs, tag in drafts:
            key = "merged_into" if tag.merged_into is not None else "split_into"
            for other in (tag.merged_into,) if tag.merged_into is not None else tag.split_into:
                if other not in merged:
                    message = f"there is no tag {visible_line(other, 60)!r} that {tag.id} could be counted as."
                    hint = nearest(other, list(merged)) or "Name a tag by its id."
                    raise error_at(self.where, pairs[key].line, message, hint)
            chain = [tag.id]
            while (following := merged[chain[-1]]) is not None:
                if following in chain:
                    message = f"tags are merged in a circle: {' into '.join([*chain, following])}."
                    raise error_at(self.where, pairs[key].line, message, "Let the chain end at a tag that stays.")
                chain.append(following)
            if tag.id in tag.split_into:
                raise error_at(self.where, pairs[key].line, f"the tag {tag.id} is split into itself.")

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
            key = tag.key if tag.key or tag.retired else next(free, "")
            if not key and not tag.retired:
                message = f"there is no key left for the tag {tag.id}: {len(FREE_KEYS)} tags are the most."
                raise error_at(self.where, pairs["id"].line, message)
            tags.append(replace(tag, key=key))
        return tuple(tags)

    def unambiguous(self, drafts: list[_Draft]) -> None:
        """Refuse a name that is another tag's id: imported tags are looked up by either."""
        owners = {folded(id_): tag.id for _, tag in drafts for id_ in (tag.id, *tag.formerly)}
        for pairs, tag in drafts:
            if owners.get(folded(tag.name), tag.id) != tag.id:
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
                hint = nearest(key, known) or f"Known are {', '.join(known)}."
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
            if folded(text) not in seen:
                seen[folded(text)] = (line, text)
                continue
            first_line, first = seen[folded(text)]
            message = f"{what} {text!r} is already in line {first_line}."
            if first != text:
                how = "only in case, spacing or Unicode form"
                message = f"{what} {text!r} differs from {first!r} in line {first_line} {how}."
            raise error_at(self.where, line, message, "Give each its own.")
