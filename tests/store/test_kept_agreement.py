"""Kept counts of agreement: whatever was done to an audit file, they are what a count from scratch gives."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from auditor.codebook import Codebook, find_codebook
from auditor.codebook_changes import Revised, merge_tags, restore_tag
from auditor.errors import InputError
from auditor.store.annotators import ensure_annotator
from auditor.store.codebook_revisions import ensure_codebook, revise
from auditor.store.file import now, open_file, transaction
from auditor.store.history import Actor, act, uuid7
from auditor.store.kept_agreement import PairCounts, TagCounts, kept_counts, kept_differences
from auditor.store.replay import replay_differences
from auditor.store.reviews import (
    Defer,
    Intent,
    MarkAll,
    MarkReviewed,
    NothingToTag,
    PutTags,
    Redo,
    SetValidity,
    ToggleTag,
    Undo,
    Validity,
)
from tests.builders import make_audit

PEOPLE = ("ana", "ben", "cem")
TAGS = ("copying", "arithmetic", "other")
ITEMS = (1, 2, 3)
EXECUTION = find_codebook("execution")


class File:
    """An audit file and what people do to it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.connection = open_file(path)
        self.connection.execute("PRAGMA synchronous = OFF")

    def do(self, annotator: str, item: int, intent: Intent) -> None:
        with transaction(self.connection):
            who = ensure_annotator(self.connection, annotator)
            actor = Actor(who, ensure_codebook(self.connection, EXECUTION))
            act(self.connection, actor, item, intent, uuid=uuid7(), at=now())

    def supersede(self, item: int, at: str | None) -> None:
        with transaction(self.connection):
            self.connection.execute("UPDATE responses SET superseded_at = ? WHERE id = ?", (at, item))

    def merge(self, tag: str, into: str) -> None:
        self._revise(lambda book: merge_tags(book, tag, into))

    def restore(self, tag: str) -> None:
        self._revise(lambda book: restore_tag(book, tag))

    def _revise(self, change: Callable[[Codebook], Revised]) -> None:
        with suppress(InputError), transaction(self.connection):  # it may be so already
            stored = ensure_codebook(self.connection, EXECUTION)
            revise(self.connection, stored, change(stored.codebook))

    def counts(self) -> dict[tuple[str, str], PairCounts]:
        return {(one.first, one.second): one for one in kept_counts(self.connection, "execution")}


@pytest.fixture
def file(tmp_path: Path) -> Iterator[File]:
    opened = File(make_audit(tmp_path / "audit.db"))
    yield opened
    opened.connection.close()


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a file that examples copy, in which three people have begun."""
    path = make_audit(tmp_path_factory.mktemp("template") / "audit.db")
    opened = File(path)
    for who in PEOPLE:
        for item in ITEMS:
            opened.do(who, item, MarkReviewed())
    opened.connection.close()
    return path


def test_counts_follow_reviews_tags_and_what_is_taken_back(file: File) -> None:
    file.do("ana", 1, ToggleTag("copying"))
    file.do("ben", 1, ToggleTag("copying"))
    file.do("ben", 1, ToggleTag("other"))
    assert not file.counts()
    file.do("ana", 1, MarkReviewed())
    file.do("ben", 1, MarkReviewed())
    expected = {"copying": TagCounts(1, 1, 1), "other": TagCounts(0, 1, 0)}
    assert file.counts() == {("ana", "ben"): PairCounts("ana", "ben", 1, expected)}
    file.do("ana", 1, ToggleTag("copying"))
    assert file.counts()["ana", "ben"].tags["copying"] == TagCounts(0, 1, 0)
    file.do("ana", 1, Undo())
    assert file.counts()["ana", "ben"].tags["copying"] == TagCounts(1, 1, 1)
    file.supersede(1, "2026-01-01T00:00:00Z")
    assert not file.counts()
    file.supersede(1, None)
    assert file.counts()["ana", "ben"].tags == expected
    file.do("ben", 1, Defer())
    assert not file.counts()


def test_merged_tags_are_counted_once(file: File) -> None:
    for who, tags in (("ana", ("copying", "other")), ("ben", ("other",))):
        file.do(who, 1, PutTags(tags))
    file.merge("copying", "other")
    assert file.counts()["ana", "ben"].tags == {"other": TagCounts(1, 1, 1)}
    file.do("ana", 1, ToggleTag("other"))
    assert file.counts()["ana", "ben"].tags["other"] == TagCounts(0, 1, 0)
    file.restore("copying")
    file.do("ana", 1, Undo())
    assert file.counts()["ana", "ben"].tags["copying"] == TagCounts(1, 0, 0)
    assert kept_differences(file.connection) == []


def test_rows_that_come_and_go_by_themselves_are_counted(file: File) -> None:
    for who in PEOPLE:
        file.do(who, 1, PutTags(("copying", "other")))
    with transaction(file.connection):
        file.connection.execute("CREATE TEMP TABLE kept AS SELECT * FROM reviews WHERE annotator_id = 2")
        file.connection.execute("DELETE FROM reviews WHERE annotator_id = 2")
    assert set(file.counts()) == {("ana", "cem")} and kept_differences(file.connection) == []
    with transaction(file.connection):
        file.connection.execute("INSERT INTO reviews SELECT * FROM kept")
    assert len(file.counts()) == 3 and kept_differences(file.connection) == []


def test_a_count_that_was_tampered_with_is_found(file: File) -> None:
    for who in PEOPLE:
        file.do(who, 2, PutTags(("copying",)))
    assert kept_differences(file.connection) == []
    with transaction(file.connection):
        file.connection.execute("UPDATE agreement_tags SET by_both = 0 WHERE first_id = 1 AND second_id = 2")
        file.connection.execute("UPDATE agreement_items SET items = 5 WHERE first_id = 2")
    assert kept_differences(file.connection) == [
        "ben and cem: 5 common items are kept, 1 there",
        "ana and ben: of copying are kept (1, 1, 0), there (1, 1, 1)",
    ]


INTENTS = st.one_of(
    st.builds(ToggleTag, st.sampled_from(TAGS)),
    st.builds(PutTags, st.lists(st.sampled_from(TAGS), unique=True).map(tuple), replace=st.booleans()),
    st.just(MarkReviewed()),
    st.just(NothingToTag()),
    st.just(Defer()),
    st.just(Undo()),
    st.just(Undo()),
    st.just(Redo()),
    st.builds(Validity, st.sampled_from(["invalid", "invalid", "valid"]), st.just("why")).map(SetValidity),
    st.builds(MarkAll, st.just(ITEMS), st.booleans(), st.sampled_from(TAGS)),
    st.builds(MarkAll, st.just(ITEMS), st.just(True), done=st.sampled_from(["reviewed", "nothing"])),
)
DEEDS = st.one_of(
    *(st.tuples(st.just("do"), st.sampled_from(PEOPLE), st.sampled_from(ITEMS), INTENTS) for _ in range(6)),
    st.tuples(st.just("supersede"), st.sampled_from(ITEMS), st.sampled_from([None, "2026-01-01T00:00:00Z"])),
    st.tuples(st.just("merge"), st.sampled_from(TAGS), st.sampled_from(TAGS)),
    st.tuples(st.just("restore"), st.sampled_from(TAGS)),
)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(DEEDS, min_size=5, max_size=30))
def test_after_anything_the_kept_counts_are_those_counted_anew(template: Path, deeds: list[tuple[object, ...]]) -> None:
    with TemporaryDirectory() as folder:
        file = File(Path(shutil.copy(template, Path(folder) / "audit.db")))
        with closing(file.connection):
            for name, *arguments in deeds:
                getattr(file, str(name))(*arguments)
            assert kept_differences(file.connection) == []
            assert replay_differences(file.connection) == []
