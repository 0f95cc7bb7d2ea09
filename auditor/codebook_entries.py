"""A codebook's contents: tags, whose identity is their id, and groups; what a tag counts as. Values only, no files."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from hashlib import sha256

from auditor.errors import InputError
from auditor.text import visible_line

_NAMED_KEYS = ("space", "tab", "enter", "escape", "backspace", "delete", "home", "end", "pageup", "pagedown")
RESERVED_KEYS = frozenset(
    (*'0acfghijklmnopqrstuvwxyGJKNQRU/?[],.#+-*%=!&<>$:;_" ', *_NAMED_KEYS, "up", "down", "left", "right"),
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
    """One of FREE_KEYS; empty on a retired tag."""
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
    retired: bool = False
    """Whether nobody puts it any more; what was put stays."""
    merged_into: str | None = None
    """Id of the tag that its applications count as; the tag is retired then."""
    split_into: tuple[str, ...] = ()
    """Ids of the tags that took its place, between which each item is decided anew; the tag is retired then."""
    formerly: tuple[str, ...] = ()
    """Ids that it had before."""
    computed: tuple[str, ...] = ()
    """The computed modes that say what the tag says; empty = the one that has its id, if there is one."""


_LATER_FIELDS = ("retired", "merged_into", "split_into", "formerly", "computed")
"""Fields that a tag came to have later: left out of the hash where they say nothing, so that it stays what it was."""


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
        for tag in contents["tags"]:
            for name in _LATER_FIELDS:
                if not tag[name]:
                    del tag[name]
        return sha256(json.dumps(contents, sort_keys=True).encode()).hexdigest()

    @property
    def active(self) -> tuple[Tag, ...]:
        """Return the tags that can be put, which are those that are not retired."""
        return tuple(tag for tag in self.tags if not tag.retired)

    @cached_property
    def counts_as(self) -> dict[str, str]:
        """For each id, former ones too, the id of the tag that its applications count as."""
        merged = {tag.id: tag.merged_into for tag in self.tags if tag.merged_into is not None}
        found = {}
        for tag in self.tags:
            last, seen = tag.id, {tag.id}
            while (following := merged.get(last)) is not None and following not in seen:
                last = following
                seen.add(last)
            for id_ in (tag.id, *tag.formerly):
                found[id_] = last
        return found

    @cached_property
    def tags_by_mode(self) -> dict[str, frozenset[str]]:
        """For each computed mode that a tag stands for, the ids of the tags that such tags count as.

        A tag that declares no mode stands for the one that is written like its id, `-` and `_` alike.
        """
        found: dict[str, set[str]] = {}
        for tag in self.tags:
            for mode in tag.computed or [id_.replace("-", "_") for id_ in (tag.id, *tag.formerly)]:
                found.setdefault(mode, set()).add(self.counts_as[tag.id])
        return {mode: frozenset(tags) for mode, tags in found.items()}

    @cached_property
    def exclusions(self) -> dict[str, frozenset[str]]:
        """For each id, former ones too, the ids that an item cannot have beside it."""
        tags = {tag.id: tag for tag in self.tags}
        groups = {group.id for group in self.groups if group.exclusive}

        def exclude(one: Tag, other: Tag) -> bool:
            if one.id == other.id:
                return False
            together = one.group is not None and one.group == other.group and one.group in groups
            return one.exclusive or other.exclusive or together

        meant = {id_: tags[counted] for id_, counted in self.counts_as.items()}
        return {
            id_: frozenset(other for other, tag in meant.items() if exclude(one, tag)) for id_, one in meant.items()
        }

    @cached_property
    def replacements(self) -> dict[str, frozenset[str]]:
        """For each id, former ones too, the ids that it takes the place of when it is put on an item.

        A tag replaces the one that was split into it, and what counts as that one: so an item is decided anew.
        """
        parts = {tag.id: tag.split_into for tag in self.tags}
        split = {id_: parts[counted] for id_, counted in self.counts_as.items() if parts[counted]}
        return {
            id_: excluded | {old for old, into in split.items() if self.counts_as[id_] in into}
            for id_, excluded in self.exclusions.items()
        }

    def excluded_by(self, tag_id: str) -> frozenset[str]:
        """Return the ids of the tags that an item cannot have beside this one. Raises KeyError for an unknown id."""
        return self.exclusions[tag_id]

    def find_tag(self, id_or_name: str) -> Tag:
        """Return the tag that has or had this id, or else this name in whatever case.

        Raises InputError that names the nearest tag.
        """
        for tag in self.tags:
            if id_or_name in (tag.id, *tag.formerly):
                return tag
        for tag in self.tags:
            if folded(id_or_name) in map(folded, (tag.name, tag.id, *tag.formerly)):
                return tag
        known = [known for tag in self.tags for known in (tag.id, tag.name)]
        raise InputError(
            f"the codebook {self.name} has no tag {visible_line(id_or_name, 60)!r}.",
            hint=nearest(id_or_name, known) or f"Its tags: {', '.join(tag.id for tag in self.active)}.",
        )


def folded(text: str) -> str:
    """Return what names have in common that a reader could take for the same."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def nearest(text: str, known: Sequence[str]) -> str | None:
    """Return a hint that names the known text that is nearest to another one, if any is near."""
    from difflib import get_close_matches

    originals = {folded(one): one for one in known}
    near = get_close_matches(folded(text[:MAX_NAME]), originals, n=1)
    return f"Did you mean {originals[near[0]]}?" if near else None
