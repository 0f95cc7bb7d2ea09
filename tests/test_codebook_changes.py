"""The pure side of codebook changes: retired tags, former ids and successors in a file, and what a file may not do."""

from __future__ import annotations

import pytest

from auditor.codebook import dump_codebook, find_codebook, parse_codebook
from auditor.codebook_changes import Part, continued, id_from_name, merge_tags, rename_tag, set_group, split_tag
from auditor.errors import InputError

PREX_HASH = "e24e3f50bba5ee3e1d6e0ab1afdd734bbeaead2d6c24a898810360c21b249173"
HEAD = "name: mine\ntags:\n"


def book(*rows: str) -> str:
    return HEAD + "".join(f"  - {{{row}}}\n" for row in rows)


A, B = "id: a, name: first, definition: d", "id: b, name: second, definition: d"


@pytest.mark.parametrize(
    ("rows", "line", "words"),
    [
        ((A + ", merged_into: b", B), 3, "has merged_into and is not retired"),
        ((A + ", retired: true, merged_into: b, split_into: [b]", B), 3, "is both merged and split"),
        ((A + ", retired: true, merged_into: c", B), 3, "no tag 'c'"),
        ((A + ", retired: true, merged_into: a", B), 3, "merged in a circle: a into a"),
        (
            (A + ", retired: true, merged_into: b", B + ", retired: true, merged_into: a"),
            3,
            "merged in a circle: a into b into a",
        ),
        ((A + ", retired: true, split_into: [a, b]", B), 3, "split into itself"),
        ((A, B + ", retired: true, key: b"), 4, "has a key, which another tag could use"),
        ((A, B + ", formerly: [a]"), 4, "'a' is already in line 3"),
        ((A, B + ", formerly: ['[b]']"), 4, "is not made of ASCII letters"),
        ((A + ", formerly: [old]", "id: c, name: OLD, definition: d"), 4, "is the id of another tag"),
        ((A + ", retired: maybe",), 3, "retired is true or false"),
    ],
)
def test_what_a_file_may_not_say_is_told_with_its_line(rows: tuple[str, ...], line: int, words: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_codebook(book(*rows), "book.yaml")
    assert str(caught.value).startswith(f"book.yaml:{line}: ") and words in str(caught.value)


def test_the_past_of_a_tag_is_written_and_read_back() -> None:
    text = book(A + ", retired: true, split_into: [b]", B + ", formerly: [old, older]")
    read = parse_codebook(text, "b")
    assert (read.tags[0].key, read.tags[1].key, read.tags[1].formerly) == ("", "1", ("old", "older"))
    assert parse_codebook(dump_codebook(read), "b") == read
    assert read.counts_as == {"a": "a", "b": "b", "old": "b", "older": "b"}
    assert read.replacements["old"] == {"a"} and read.exclusions["b"] == frozenset()
    assert read.find_tag("older").id == "b"


def test_a_codebook_without_a_past_keeps_its_hash() -> None:
    plain = parse_codebook(book(A, B), "b")
    # As it was before a tag could have one: audit files compare it.
    assert find_codebook("prex").content_hash == PREX_HASH
    assert parse_codebook(book(A, B + ", retired: true"), "b").content_hash != plain.content_hash


def test_merges_are_followed_through_chains_and_renames() -> None:
    read = parse_codebook(book(A, B, "id: c, name: third, definition: d"), "b")
    read = merge_tags(read, "a", "b").book
    read = merge_tags(read, "second", "c").book
    read = rename_tag(read, "c", tag_id="see").book
    assert read.counts_as == {"a": "see", "b": "see", "see": "see", "c": "see"}


@pytest.mark.parametrize("name", ["NA", "none", "[b]", "x" * 200])
def test_odd_names_are_names(name: str) -> None:
    read = rename_tag(parse_codebook(book(A, B), "b"), "a", name).book
    assert parse_codebook(dump_codebook(read), "b").find_tag(name).id == "a"


def test_a_file_that_gives_a_name_away_leaves_the_retired_tag_another_one() -> None:
    before = parse_codebook(book(A, B), "b")
    after = continued(before, parse_codebook(book("id: new, name: first, definition: d", B), "b"))
    assert [(tag.id, tag.name, tag.retired) for tag in after.tags] == [
        ("new", "first", False),
        ("b", "second", False),
        ("a", "first (a)", True),
    ]


def test_a_split_keeps_the_key_and_the_group_leaves_when_it_is_empty() -> None:
    read = set_group(parse_codebook(book(A, B), "b"), "a", "Some group").book
    parts = split_tag(read, "a", [Part("left", "d"), Part("right", "d")]).book
    assert [(tag.id, tag.key, tag.group) for tag in parts.active[:2]] == [
        ("left", "1", "some-group"),
        ("right", "3", "some-group"),
    ]
    assert set_group(read, "a", None).book.groups == ()


@pytest.mark.parametrize(
    ("name", "id_"), [("Wrong branch!", "wrong-branch"), ("Caf\u00e9 (2)", "cafe-2"), ("x" * 90, "x" * 64)]
)
def test_an_id_is_made_of_a_name(name: str, id_: str) -> None:
    assert id_from_name(name) == id_
