"""Annotators and codebooks of an audit file: kinds never mixed, revisions only when the content changes."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from auditor.codebook import find_codebook
from auditor.errors import InputError
from auditor.model import AnnotatorKind, pass_name, person_of_pass
from auditor.store.annotators import (
    annotator_kind,
    annotator_names,
    codebook_names,
    ensure_annotator,
    find_annotator,
    find_codebook_in_file,
)
from auditor.store.codebook_revisions import ensure_codebook
from auditor.store.file import open_file, transaction
from tests.hostile import HOSTILE


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    with closing(open_file(tmp_path / "a.db", create=True)) as found, transaction(found):
        yield found


@pytest.mark.parametrize("name", [name for name, text in HOSTILE.items() if text.strip()])
def test_an_annotator_of_any_name_is_added_once(connection: sqlite3.Connection, name: str) -> None:
    text = HOSTILE[name]
    assert find_annotator(connection, text) is None and annotator_kind(connection, text) is None
    row = ensure_annotator(connection, text)
    assert ensure_annotator(connection, text) == row == find_annotator(connection, text)
    assert annotator_names(connection) == [text]
    assert annotator_kind(connection, text) is AnnotatorKind.PERSON


def pass_of(connection: sqlite3.Connection, name: str) -> int | None:
    sql = "SELECT pass_of FROM annotators WHERE id = ?"
    found: int | None = connection.execute(sql, (find_annotator(connection, name),)).fetchone()[0]
    return found


@pytest.mark.parametrize("name", [name for name, text in HOSTILE.items() if text.strip()])
def test_a_later_pass_is_linked_to_the_person_whoever_comes_first(connection: sqlite3.Connection, name: str) -> None:
    person = HOSTILE[name]
    later = pass_name(person, 2)
    assert person_of_pass(later) == person
    assert ensure_annotator(connection, later) != ensure_annotator(connection, person)
    assert pass_of(connection, later) == find_annotator(connection, person)
    assert pass_of(connection, person) is None


def test_a_pass_of_a_pass_is_the_person_s(connection: sqlite3.Connection) -> None:
    ensure_annotator(connection, "ana#2#3")
    ana = find_annotator(connection, "ana")
    assert ana is not None
    assert pass_of(connection, "ana#2#3") == pass_of(connection, "ana#2") == ana


@pytest.mark.parametrize("name", ["ana#1", "ana#0", "ana#02", "#2", "ana#", "ana #two", "ana#2 "])
def test_other_names_with_that_sign_are_people_of_their_own(connection: sqlite3.Connection, name: str) -> None:
    assert person_of_pass(name) is None
    ensure_annotator(connection, name)
    assert pass_of(connection, name) is None and annotator_names(connection) == [name]


def test_models_have_no_later_passes(connection: sqlite3.Connection) -> None:
    ensure_annotator(connection, "judge", AnnotatorKind.MODEL)
    for name, kind in (("judge#2", AnnotatorKind.PERSON), ("other#2", AnnotatorKind.MODEL)):
        ensure_annotator(connection, name, kind)
        assert pass_of(connection, name) is None


@pytest.mark.parametrize("name", ["", " ", "\t\n"])
def test_an_annotator_needs_a_name(connection: sqlite3.Connection, name: str) -> None:
    with pytest.raises(InputError, match="needs a name"):
        ensure_annotator(connection, name)


def test_people_and_programs_never_share_a_name(connection: sqlite3.Connection) -> None:
    ensure_annotator(connection, "judge", AnnotatorKind.MODEL)
    with pytest.raises(InputError, match="is of kind model in this file, not person"):
        ensure_annotator(connection, "judge")


def test_names_that_differ_only_in_case_or_composition_are_two(connection: sqlite3.Connection) -> None:
    names = ["ana", "Ana", "caf\u00e9", "cafe\u0301"]
    assert len({ensure_annotator(connection, name) for name in names}) == 4


def test_a_codebook_gets_a_new_revision_only_when_it_changes(connection: sqlite3.Connection) -> None:
    book = find_codebook("execution")
    first = ensure_codebook(connection, book)
    assert (first.revision, first.codebook) == (1, book)
    assert ensure_codebook(connection, book) == first
    shorter = replace(book, tags=book.tags[:-1])
    second = ensure_codebook(connection, shorter)
    assert (second.id, second.revision, second.codebook.active) == (first.id, 2, shorter.tags)
    # A tag that a later revision dropped keeps its identity, and is retired.
    assert second.tag_ids == first.tag_ids
    assert [tag.id for tag in second.codebook.tags if tag.retired] == [book.tags[-1].id]
    # What the file held before is its past: the newest revision stays.
    assert ensure_codebook(connection, shorter) == ensure_codebook(connection, book) == second
    assert codebook_names(connection) == ["execution"]


def test_an_unknown_codebook_is_none(connection: sqlite3.Connection) -> None:
    assert find_codebook_in_file(connection, "\ud83d") is None
