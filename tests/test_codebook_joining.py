"""Two codebooks that were changed apart: what joins by itself, and what somebody has to choose."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.codebook import Codebook, parse_codebook
from auditor.codebook_changes import (
    Part,
    add_tag,
    define_tag,
    merge_tags,
    move_tag,
    rename_tag,
    restore_tag,
    retire_tag,
    set_group,
    set_key,
    split_tag,
)
from auditor.codebook_joining import join_codebooks
from auditor.errors import InputError

BASE = parse_codebook(
    "name: mine\ntags:\n- {id: a, name: A, definition: one}\n- {id: b, name: B, definition: two}\n"
    "- {id: c, name: C, definition: three}\n",
    "mine.yaml",
)
Step = Callable[[Codebook], Codebook]
STEPS: dict[str, Step] = {
    "add d": lambda book: add_tag(book, "D", "four", tag_id="d").book,
    "add e": lambda book: add_tag(book, "E", "five", tag_id="e").book,
    "rename a": lambda book: rename_tag(book, "a", "Aleph").book,
    "new id of b": lambda book: rename_tag(book, "b", tag_id="bee").book,
    "define a": lambda book: define_tag(book, "a", definition="uno", meaning=True).book,
    "define b": lambda book: define_tag(book, "b", definition="dos", meaning=False).book,
    "example of c": lambda book: define_tag(book, "c", example="see there", meaning=False).book,
    "merge c into b": lambda book: merge_tags(book, "c", "b").book,
    "split c": lambda book: split_tag(book, "c", [Part("C1", "x"), Part("C2", "y")]).book,
    "retire a": lambda book: retire_tag(book, "a").book,
    "restore c": lambda book: restore_tag(book, "c").book,
    "move c": lambda book: move_tag(book, "c", 1).book,
    "key of a": lambda book: set_key(book, "a", "Z").book,
    "group": lambda book: set_group(set_group(book, "a", "G").book, "b", "G", exclusive=True).book,
}


def changed(*names: str) -> Codebook:
    book = BASE
    for name in names:
        try:
            book = STEPS[name](book)
        except InputError:  # e.g. to restore what is in use
            continue
    return book


STEP_LISTS = st.lists(st.sampled_from(sorted(STEPS)), max_size=4)


@given(STEP_LISTS, STEP_LISTS)
def test_joining_does_not_depend_on_the_order_and_a_side_without_changes_gives_way(
    mine: list[str], theirs: list[str]
) -> None:
    one, other = changed(*mine), changed(*theirs)
    assert join_codebooks(BASE, one, other) == join_codebooks(BASE, other, one)
    assert join_codebooks(BASE, one, BASE).book == one
    assert join_codebooks(BASE, one, one).book == one


def test_changes_of_different_things_are_all_there() -> None:
    one = changed("add d", "define a", "new id of b")
    other = changed("add e", "example of c", "merge c into b", "move c")
    joined = join_codebooks(BASE, one, other).book
    assert joined is not None
    tags = {tag.id: tag for tag in joined.tags}
    assert tags.keys() == {"a", "bee", "c", "d", "e"}
    assert (tags["a"].definition, tags["c"].example) == ("uno", "see there")
    assert (tags["c"].merged_into, tags["bee"].formerly) == ("bee", ("b",))
    assert joined.counts_as["c"] == "bee"


def test_two_new_tags_that_took_the_same_key_have_two_keys() -> None:
    one, other = changed("add d"), changed("add e")
    assert one.find_tag("d").key == other.find_tag("e").key
    joined = join_codebooks(BASE, one, other).book
    assert joined is not None
    keys = [tag.key for tag in joined.tags]
    assert len(set(keys)) == len(keys)
    assert keys[:3] == [tag.key for tag in BASE.tags]


@pytest.mark.parametrize(
    ("mine", "theirs", "words"),
    [
        ("define a", "retire a", None),
        ("group", "define a", None),
        ("merge c into b", "split c", "taken out of use"),
        ("define a", "define A otherwise", "two values of definition: 'uno' and 'eins'"),
        ("add d", "add d otherwise", "the tag d has two values of definition"),
        ("rename a", "name of c", "no codebook"),
    ],
)
def test_only_what_needs_a_choice_is_a_conflict(
    mine: str, theirs: str, words: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(
        STEPS, "define A otherwise", lambda book: define_tag(book, "a", definition="eins", meaning=False).book
    )
    monkeypatch.setitem(STEPS, "add d otherwise", lambda book: add_tag(book, "D", "vier", tag_id="d").book)
    monkeypatch.setitem(STEPS, "name of c", lambda book: rename_tag(book, "c", "Aleph").book)
    joined = join_codebooks(BASE, changed(mine), changed(theirs))
    assert (joined.book is None) == (words is not None)
    assert words is None or any(words in conflict for conflict in joined.conflicts), joined.conflicts


def test_codebooks_of_one_name_that_share_no_past_join_where_they_do_not_contradict() -> None:
    joined = join_codebooks(None, BASE, changed("add d"))
    assert joined.book == changed("add d")
    assert join_codebooks(None, BASE, changed("define a")).conflicts
