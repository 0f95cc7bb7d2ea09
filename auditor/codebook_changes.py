"""Changes of a codebook, each from one codebook to the next: tags keep their identity whatever happens to them.

A tag that somebody may have put is never taken out: it is retired, and says what took its place.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from auditor.codebook import FREE_KEYS, MAX_ID, Codebook, Group, Tag, dump_codebook, folded, nearest, parse_codebook
from auditor.errors import InputError
from auditor.text import visible_line


@dataclass(frozen=True, slots=True)
class Revised:
    """A codebook after a change, and what the change means for what was tagged before it."""

    book: Codebook
    action: str
    words: str
    """What was done, in a sentence without a full stop."""
    touched: tuple[str, ...] = ()
    """Ids of the tags whose applications it is about."""
    outdated: Mapping[str, str] = field(default_factory=dict)
    """By tag id why the items that carry it need another look: retired, merged, split, meaning or new."""
    all_reviewed: bool = False
    """Whether items that were reviewed without the tag need it too."""


Step = Callable[[Codebook], Revised]
"""One change, of whatever the codebook is when it is made."""


class Part(NamedTuple):
    """A tag that a split makes, or one that is there, by its id or name, without a definition."""

    name: str
    definition: str = ""


# --- tags ----------------------------------------------------------------------------------------------------------


def add_tag(
    book: Codebook,
    name: str,
    definition: str,
    *,
    tag_id: str | None = None,
    key: str = "",
    group: str | None = None,
    exclusive: bool = False,
    decision_rule: str = "",
    example: str = "",
    again: bool = False,
) -> Revised:
    """Add a tag at the end. `again` lists what was reviewed before the tag was there.

    Raises InputError where the id or the name is another tag's, a retired one's too: two meanings are never mixed.
    """
    new_id = tag_id or id_from_name(name)
    _refuse_taken(book, new_id, name)
    tag = Tag(new_id, name, key, _group_id(book, group), exclusive, definition, decision_rule, example)
    outdated = {new_id: "new"} if again else {}
    return Revised(_with(book, [*book.tags, tag]), "add", f"{_shown(tag)} added", (), outdated, all_reviewed=again)


def rename_tag(book: Codebook, tag: str, name: str | None = None, tag_id: str | None = None) -> Revised:
    """Give a tag another name, another id, or both; what carries the old id counts under the new one."""
    old = book.find_tag(tag)
    new = replace(old, name=name if name is not None else old.name)
    words = f"{_shown(old)} is called {visible_line(new.name)!r}"
    tags = list(book.tags)
    if tag_id is not None and tag_id != old.id:
        own = tag_id in old.formerly
        if not own and any(folded(tag_id) in map(folded, (one.id, *one.formerly)) for one in book.tags if one != old):
            _refuse_taken(book, tag_id, name or "")
        formerly = tuple(one for one in (*old.formerly, old.id) if one != tag_id)
        new = replace(new, id=tag_id, formerly=formerly)
        words += f" with the id {visible_line(tag_id)}"
        tags = [_following_id(one, old.id, tag_id) for one in tags]
    tags = [new if one.order == old.order else one for one in tags]
    return Revised(_with(book, tags), "rename", words, (new.id,))


def define_tag(
    book: Codebook,
    tag: str,
    *,
    definition: str | None = None,
    decision_rule: str | None = None,
    example: str | None = None,
    exclusive: bool | None = None,
    meaning: bool,
) -> Revised:
    """Change what is written of a tag; `meaning` says that it means something else now, not only in other words."""
    old = book.find_tag(tag)
    new = replace(
        old,
        definition=old.definition if definition is None else definition,
        decision_rule=old.decision_rule if decision_rule is None else decision_rule,
        example=old.example if example is None else example,
        exclusive=old.exclusive if exclusive is None else exclusive,
    )
    how = "means something else now" if meaning else "is worded differently"
    outdated = {old.id: "meaning"} if meaning else {}
    return Revised(_replaced(book, new), "define", f"{_shown(old)} {how}", (old.id,), outdated)


def merge_tags(book: Codebook, tag: str, into: str, *, again: bool = True) -> Revised:
    """Retire a tag and count its applications as those of another; an item that has both counts once."""
    old, other = book.find_tag(tag), book.find_tag(into)
    _refuse_retired(old, "merged")
    if other.retired:
        raise InputError(f"{_shown(other)} is retired, so nothing can be merged into it.", hint="Restore it first.")
    if old.id == other.id:
        raise InputError(f"{_shown(old)} cannot be merged into itself.", hint="Name two tags.")
    new = replace(old, key="", retired=True, merged_into=other.id)
    words = f"{_shown(old)} merged into {_shown(other)}"
    return Revised(_replaced(book, new), "merge", words, (old.id,), {old.id: "merged"} if again else {})


def split_tag(book: Codebook, tag: str, into: Sequence[Part]) -> Revised:
    """Retire a tag in favour of several, new ones or such as are there; its items are decided anew one by one."""
    old = book.find_tag(tag)
    _refuse_retired(old, "split")
    if len(into) < 2:
        raise InputError(f"{_shown(old)} is split into at least two tags.", hint="Name another one.")
    made: list[Tag] = []
    ids: list[str] = []
    for part in into:
        if part.definition:
            id_ = id_from_name(part.name)
            _refuse_taken(book, id_, part.name)
            made.append(Tag(id_, part.name, "", old.group, old.exclusive, part.definition))
            ids.append(id_)
        else:
            ids.append(_active(book, part.name).id)
    if len(set(ids)) < len(ids):
        raise InputError(f"{_shown(old)} would be split into the same tag twice.", hint="Give each its own name.")
    if old.id in ids:
        raise InputError(
            f"{_shown(old)} cannot be split into itself: what is left of it means something else.",
            hint="Give the narrower tag another name.",
        )
    new = replace(old, key="", retired=True, split_into=tuple(ids))
    at = book.tags.index(old)
    tags = [*book.tags[:at], *made, new, *book.tags[at + 1 :]]
    # The first part takes over the key, so that fingers find it where it was.
    if made:
        tags[at] = replace(made[0], key=old.key)
    words = f"{_shown(old)} split into {', '.join(ids)}"
    return Revised(_with(book, tags), "split", words, (old.id,), {old.id: "split"})


def retire_tag(book: Codebook, tag: str, *, again: bool = True) -> Revised:
    """Take a tag out of use; what was tagged with it stays so."""
    old = book.find_tag(tag)
    _refuse_retired(old, "retired")
    new = replace(old, key="", retired=True)
    words = f"{_shown(old)} retired"
    return Revised(_replaced(book, new), "retire", words, (old.id,), {old.id: "retired"} if again else {})


def restore_tag(book: Codebook, tag: str, key: str = "") -> Revised:
    """Take a retired tag into use again, whatever took its place: its applications count as its own."""
    old = book.find_tag(tag)
    if not old.retired:
        raise InputError(f"{_shown(old)} is in use.")
    new = replace(old, key=key, retired=False, merged_into=None, split_into=())
    return Revised(_replaced(book, new), "restore", f"{_shown(old)} restored", (old.id,))


def move_tag(book: Codebook, tag: str, place: int) -> Revised:
    """Put a tag at a place among those in use, counted from 1; retired ones stay behind their neighbour."""
    one = book.find_tag(tag)
    _refuse_retired(one, "moved")
    others = [other for other in book.active if other != one]
    place = max(1, min(place, len(others) + 1))
    rest = [other for other in book.tags if other != one]
    at = rest.index(others[place - 1]) if place <= len(others) else len(rest)
    return Revised(_with(book, [*rest[:at], one, *rest[at:]]), "move", f"{_shown(one)} moved to place {place}")


def set_key(book: Codebook, tag: str, key: str) -> Revised:
    """Give a tag another key; a tag that has that key gets this one's."""
    one = book.find_tag(tag)
    _refuse_retired(one, "given a key")
    if key not in tuple(FREE_KEYS):
        raise InputError(f"the key {visible_line(key, 20)!r} cannot be a tag's.", hint=f"Free are {FREE_KEYS}.")
    swapped = {other.id: replace(other, key=one.key) for other in book.tags if other.key == key}
    tags = [swapped.get(other.id, other) for other in book.tags]
    tags = [replace(one, key=key) if other.id == one.id else other for other in tags]
    beside = "".join(f", {_shown(other)} the key {one.key}" for other in swapped.values() if other.id != one.id)
    return Revised(_with(book, tags), "key", f"{_shown(one)} has the key {key}{beside}")


def set_group(book: Codebook, tag: str, group: str | None, *, exclusive: bool | None = None) -> Revised:
    """Put a tag into a group, by id or name, or into none; a group that is not there is made.

    `exclusive` says whether an item has at most one of the group's tags; None leaves it as it is.
    """
    one = book.find_tag(tag)
    if group is None:
        groups = _without_empty_groups(book, replace(one, group=None))
        return Revised(_replaced(groups, replace(one, group=None)), "group", f"{_shown(one)} belongs to no group")
    known = _find_group(book, group)
    made = known or Group(id_from_name(group), group)
    if exclusive is not None:
        made = replace(made, exclusive=exclusive)
    groups_after = tuple(made if each.id == made.id else each for each in book.groups)
    with_group = replace(book, groups=groups_after if known else (*book.groups, made))
    moved = replace(one, group=made.id)
    words = f"{_shown(one)} belongs to the group {visible_line(made.name)!r}"
    if exclusive is not None:
        words += ", at most one of which an item has" if exclusive else ", several of which an item can have"
    return Revised(_replaced(_without_empty_groups(with_group, moved), moved), "group", words)


# --- a whole codebook ----------------------------------------------------------------------------------------------


def take_file(book: Codebook, given: Codebook, *, meaning: bool = False) -> Revised:
    """Let a codebook from elsewhere follow; `meaning` says that changed definitions and rules mean something else."""
    after = continued(book, given)
    before = {id_: tag for tag in book.tags for id_ in (tag.id, *tag.formerly)}
    words: list[str] = []
    outdated: dict[str, str] = {}
    for tag in after.tags:
        old = next((before[id_] for id_ in (tag.id, *tag.formerly) if id_ in before), None)
        if old is None:
            words.append(f"{_shown(tag)} added")
        elif tag.retired and not old.retired:
            how = "merged" if tag.merged_into is not None else "split" if tag.split_into else "retired"
            outdated[tag.id] = how
            words.append(f"{_shown(old)} {how}")
        elif old.retired and not tag.retired:
            words.append(f"{_shown(old)} restored")
        elif (old.definition, old.decision_rule) != (tag.definition, tag.decision_rule):
            if meaning:
                outdated[tag.id] = "meaning"
            words.append(f"{_shown(old)} {'means something else' if meaning else 'is worded differently'}")
        elif old.name != tag.name:
            words.append(f"{_shown(old)} is called {visible_line(tag.name)!r}")
    return Revised(after, "import", "; ".join(words) or "details of the codebook", tuple(outdated), outdated)


def continued(before: Codebook, given: Codebook) -> Codebook:
    """Return a codebook that follows an earlier one: what the given one leaves out is retired, and nothing is lost.

    Raises InputError where the given one uses an id for something else than the earlier one does.
    """
    ids = {tag.id for tag in given.tags}
    known = ids | {id_ for tag in given.tags for id_ in tag.formerly}
    for tag in before.tags:
        for id_ in set(tag.formerly) & ids:
            raise InputError(
                f"the tag {id_} of this codebook is called {tag.id} in the audit file by now.",
                hint="Write the newest one with `auditor export codebook` and change that.",
            )
    tags = [_with_past(tag, before, ids) for tag in given.tags]
    names = {folded(tag.name) for tag in tags} | {folded(id_) for id_ in known}
    groups = {group.id for group in given.groups}
    renamed = {id_: tag.id for tag in tags for id_ in tag.formerly}
    for tag in before.tags:
        if tag.id in known:
            continue
        name = tag.name if folded(tag.name) not in names else f"{tag.name[:100]} ({tag.id})"
        kept = replace(tag, name=name, key="", retired=True, group=tag.group if tag.group in groups else None)
        merged = kept.merged_into and renamed.get(kept.merged_into, kept.merged_into)
        split = tuple(renamed.get(id_, id_) for id_ in kept.split_into)
        tags.append(replace(kept, merged_into=merged, split_into=split))
    return _with(given, tags)


def _with_past(tag: Tag, before: Codebook, ids: set[str]) -> Tag:
    """Return a tag with the former ids that an earlier codebook knows of it."""
    past = [id_ for old in before.tags if old.id in (tag.id, *tag.formerly) for id_ in (*old.formerly, old.id)]
    formerly = dict.fromkeys((*tag.formerly, *past))
    return replace(tag, formerly=tuple(id_ for id_ in formerly if id_ != tag.id and id_ not in ids))


# --- inside --------------------------------------------------------------------------------------------------------


def id_from_name(name: str) -> str:
    """Return an id made of a name: `Wrong branch!` gives `wrong-branch`. Raises InputError where nothing is left."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    made = re.sub(r"[^a-z0-9._]+", "-", plain).strip("-._")[:MAX_ID].rstrip("-._")
    if not made:
        raise InputError(
            f"no id can be made of the name {visible_line(name, 60)!r}.",
            hint="Give an id of ASCII letters, digits, '-', '_' and '.'.",
        )
    return made


def _with(book: Codebook, tags: Iterable[Tag]) -> Codebook:
    """Return a codebook with these tags, checked as one that is read from a file. Raises InputError."""
    numbered = tuple(replace(tag, order=order) for order, tag in enumerate(tags, 1))
    text = dump_codebook(replace(book, tags=numbered))
    try:
        return parse_codebook(text, book.name)
    except InputError as error:
        # The line is one of a file that nobody has.
        raise InputError(error.message.removeprefix(f"{error.where}: "), hint=error.hint) from error


def _replaced(book: Codebook, tag: Tag) -> Codebook:
    return _with(book, [tag if one.id == tag.id else one for one in book.tags])


def _following_id(tag: Tag, old: str, new: str) -> Tag:
    """Let a tag that names another one as its successor name that one's new id."""
    merged = new if tag.merged_into == old else tag.merged_into
    return replace(tag, merged_into=merged, split_into=tuple(new if one == old else one for one in tag.split_into))


def _active(book: Codebook, tag: str) -> Tag:
    found = book.find_tag(tag)
    if found.retired:
        raise InputError(f"{_shown(found)} is retired.", hint="Restore it first.")
    return found


def _refuse_retired(tag: Tag, what: str) -> None:
    if tag.retired:
        raise InputError(f"{_shown(tag)} is retired already, so it cannot be {what}.", hint="Restore it first.")


def _refuse_taken(book: Codebook, id_: str, name: str) -> None:
    """Refuse an id or a name that says another tag, also one that is retired or had that id before."""
    for tag in book.tags:
        if folded(id_) in map(folded, (tag.id, *tag.formerly)) or folded(name) in map(folded, (tag.name, tag.id)):
            if tag.retired:
                raise InputError(
                    f"{_shown(tag)} is retired, and what was tagged with it keeps its meaning.",
                    hint="Restore it to use it as it was, or give the new tag another id and name.",
                )
            raise InputError(f"{_shown(tag)} is there already.", hint="Give the new tag another id and name.")


def _group_id(book: Codebook, group: str | None) -> str | None:
    if group is None:
        return None
    known = _find_group(book, group)
    if known is None:
        hint = nearest(group, [group.id for group in book.groups]) or "Add the tag, then put it into a new group."
        raise InputError(f"there is no group {visible_line(group, 60)!r}.", hint=hint)
    return known.id


def _find_group(book: Codebook, group: str) -> Group | None:
    by_id = [each for each in book.groups if each.id == group]
    return next(iter([*by_id, *(each for each in book.groups if folded(each.name) == folded(group))]), None)


def _without_empty_groups(book: Codebook, moved: Tag) -> Codebook:
    """Take out the group that a tag leaves when nothing else is in it."""
    old = next(tag.group for tag in book.tags if tag.id == moved.id)
    used = {tag.group for tag in book.tags if tag.id != moved.id} | {moved.group}
    return replace(book, groups=tuple(group for group in book.groups if group.id != old or old in used))


def _shown(tag: Tag) -> str:
    return f"the tag {visible_line(tag.id)}"
