"""Joining two codebooks that were changed apart into one that holds both, wherever that needs nobody's choice.

Whichever of the two is named first, the result is the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from auditor.codebook import Codebook, Group, Tag, dump_codebook, parse_codebook
from auditor.errors import InputError
from auditor.text import visible_line

_TEXTS = ("name", "group", "exclusive", "definition", "decision_rule", "example")
_USE = ("retired", "merged_into", "split_into")
"""Whether a tag is in use and what took its place: one thing to decide."""


@dataclass(frozen=True, slots=True)
class Joined:
    """What became of two codebooks: one that holds both, or why somebody has to choose."""

    book: Codebook | None
    conflicts: tuple[str, ...] = ()
    """A sentence each, without a full stop."""


def join_codebooks(base: Codebook | None, one: Codebook, other: Codebook) -> Joined:
    """Join two codebooks that came from a common one; None = nothing is known that both came from.

    What one side changed is changed, what both changed alike too; what they changed differently is a conflict, but for
    keys and places: a tag whose key another one has gets a free key.
    """
    if one == other:
        return Joined(one)
    one, other = sorted((one, other), key=lambda book: book.content_hash)
    conflicts: list[str] = []
    tags = list(_tags(base, one, other, conflicts))
    groups = list(_groups(base, one, other, tags, conflicts))
    title = _field(base and base.title, one.title, other.title, base is not None)
    text = _field(base and base.description, one.description, other.description, base is not None)
    for name, found in (("title", title), ("description", text)):
        if found is None:
            conflicts.append(f"the codebook's {name} was changed in both")
    if conflicts or title is None or text is None:
        return Joined(None, tuple(conflicts))
    numbered = tuple(replace(tag, order=order) for order, tag in enumerate(tags, 1))
    joined = Codebook(one.name, title[0], text[0], numbered, tuple(groups))
    try:
        return Joined(parse_codebook(dump_codebook(joined), one.name))
    except InputError as error:
        reason = error.message.removeprefix(f"{error.where}: ").rstrip(".")
        return Joined(None, (f"the two together are no codebook: {reason}",))


def _field(base: object, one: object, other: object, known: bool) -> tuple[str] | None:
    """Return the joined value of a text in a tuple; None where both sides changed it differently."""
    if one == other or (known and other == base):
        return (str(one),)
    return (str(other),) if known and one == base else None


# --- tags ----------------------------------------------------------------------------------------------------------


def _tags(base: Codebook | None, one: Codebook, other: Codebook, conflicts: list[str]) -> Iterator[Tag]:
    """Yield the joined tags in their order."""
    origin = {id_: tag for tag in (base.tags if base else ()) for id_ in (tag.id, *tag.formerly)}

    def identity(tag: Tag) -> str:
        return next((origin[id_].id for id_ in (tag.id, *tag.formerly) if id_ in origin), tag.id)

    ones, others = ({identity(tag): tag for tag in book.tags} for book in (one, other))
    joined: dict[str, Tag] = {}
    for name in _sequence([tag.id for tag in base.tags] if base else [], list(ones), list(others)):
        mine, theirs = ones.get(name), others.get(name)
        if mine is None or theirs is None:
            joined[name] = next(tag for tag in (mine, theirs) if tag is not None)
        else:
            joined[name] = _tag(origin.get(name), mine, theirs, conflicts)
    renamed = {id_: tag.id for tag in joined.values() for id_ in tag.formerly}
    taken: set[str] = set()
    for tag in joined.values():
        key = "" if tag.retired or tag.key in taken else tag.key
        taken.add(key)
        merged = tag.merged_into and renamed.get(tag.merged_into, tag.merged_into)
        split = tuple(renamed.get(id_, id_) for id_ in tag.split_into)
        yield replace(tag, key=key, merged_into=merged, split_into=split)


def _tag(base: Tag | None, one: Tag, other: Tag, conflicts: list[str]) -> Tag:
    """Return what both sides made of a tag; adds what they changed differently to the conflicts."""
    result = one
    for names in (("id",), *((name,) for name in _TEXTS), _USE):
        was, mine, theirs = (
            None if tag is None else [getattr(tag, name) for name in names] for tag in (base, one, other)
        )
        if mine == theirs or theirs == was:
            continue
        if mine != was:
            conflicts.append(_differs(base or one, names[0], mine or [], theirs or []))
            continue
        result = replace(result, **dict(zip(names, theirs or [], strict=True)))
    formerly = dict.fromkeys(sorted({*one.formerly, *other.formerly}))
    formerly = dict.fromkeys([*(base.formerly if base else ()), *formerly])
    was_key = base.key if base else ""
    keys = sorted({key for key in (one.key, other.key) if key and key != was_key}) or [was_key]
    return replace(result, key=keys[0], formerly=tuple(id_ for id_ in formerly if id_ != result.id))


def _differs(tag: Tag, name: str, one: Sequence[object], other: Sequence[object]) -> str:
    if name == "retired":
        return f"the tag {visible_line(tag.id)} was taken out of use, or back into it, in two ways"
    texts = " and ".join(repr(visible_line(str(value[0] or ""), 60)) for value in (one, other))
    return f"the tag {visible_line(tag.id)} has two values of {name.replace('_', ' ')}: {texts}"


def _sequence(base: list[str], one: list[str], other: list[str]) -> list[str]:
    """Return the order of the tags: that of the side that moved some, the other's new ones behind their neighbours."""

    def moved(side: list[str]) -> bool:
        return [name for name in side if name in base] != [name for name in base if name in side]

    lead, second = (other, one) if moved(other) and not moved(one) else (one, other)
    order = list(lead)
    for at, name in enumerate(second):
        if name not in order:
            order.insert(order.index(second[at - 1]) + 1 if at else 0, name)
    return order


# --- groups --------------------------------------------------------------------------------------------------------


def _groups(
    base: Codebook | None, one: Codebook, other: Codebook, tags: Sequence[Tag], conflicts: list[str]
) -> Iterator[Group]:
    """Yield the joined groups that any tag belongs to, or that were without a tag before."""
    bases, ones, others = ({group.id: group for group in (book.groups if book else ())} for book in (base, one, other))
    used = {tag.group for tag in tags}
    for id_ in dict.fromkeys([*bases, *ones, *others]):
        sides = [group for group in (ones.get(id_), others.get(id_)) if group is not None]
        if id_ not in used and (id_ in bases and len(sides) < 2):
            continue
        was = bases.get(id_)
        changed = sorted({side for side in sides if side != was}, key=lambda group: (group.name, group.exclusive))
        if len(changed) > 1:
            conflicts.append(f"the group {visible_line(id_)} was changed in both")
        found = changed[0] if changed else was
        if found is not None:
            yield found
