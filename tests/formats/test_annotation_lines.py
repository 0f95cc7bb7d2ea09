"""Lines of an annotations bundle: whatever is in an event or a revision is the same after writing and reading."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from auditor.formats.annotation_lines import (
    event_line,
    is_conflict_marker,
    read_event,
    read_line,
    read_revision,
    revision_line,
)
from auditor.formats.annotation_records import EventRecord, OutdatedTag, Revision, RevisionName
from auditor.model import ResponseKey
from auditor.store.json_column import dump_json, load_json
from auditor.text import from_bytes, to_bytes

PLAIN = st.text(st.characters(exclude_categories=()) | st.sampled_from("\ud83d\x00\n<=>")).filter(
    lambda text: text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass") == text
)
TEXTS = PLAIN | st.binary(max_size=6).map(from_bytes)
UUIDS = st.uuids().map(str)
HASHES = st.binary(min_size=16, max_size=16)
NAMES = st.builds(RevisionName, HASHES.map(bytes.hex), st.integers(1, 3))
BESIDE = {
    "bookmark": st.just([False, True]),
    "memo": st.tuples(st.just("line"), st.integers(1, 9), PLAIN, PLAIN, PLAIN).map(list),
    "validity": st.tuples(st.just("invalid"), PLAIN).map(lambda said: [None, list(said)]),
    "decided": st.just([["t", None, ["t", "absent", "so", [["ana", True], ["ben", False]]]]]),
}
OF_THE_REVIEW = {
    "state": st.just(["not-reviewed", "reviewed"]),
    "add": st.lists(PLAIN, min_size=1, max_size=2),
    "note": st.lists(PLAIN, min_size=2, max_size=2),
}


def changes(aside: bool) -> st.SearchStrategy[str]:
    """Return changes that only lie beside the review, or any."""
    return st.fixed_dictionaries({}, optional=BESIDE if aside else BESIDE | OF_THE_REVIEW).map(dump_json)


@st.composite
def events(draw: st.DrawFn) -> EventRecord:
    """Return an event as the history can hold it."""
    aside = draw(st.booleans())
    return EventRecord(
        draw(UUIDS),
        "ana",
        draw(st.builds(ResponseKey, TEXTS, TEXTS, TEXTS, TEXTS, st.integers(0, 99))),
        draw(HASHES),
        draw(TEXTS),
        draw(NAMES | st.integers(1, 9)),
        draw(st.sampled_from(["tag", "undo", "decide"])),
        draw(changes(aside)),
        draw(st.none() | UUIDS),
        draw(st.none() | UUIDS),
        draw(st.none() | UUIDS),
        draw(st.sampled_from(["review", "import"])),
        draw(HASHES),
        draw(st.sampled_from(["2026-03-01T10:00:00.000Z", "2026-03-01T10:00:00.000001Z"])),
        draw(st.booleans()),
        aside,
        draw(st.none() | st.floats(0, 1e9)),
    )


@given(events())
def test_an_event_comes_back_as_it_was(event: EventRecord) -> None:
    line = event_line(event, load_json(event.change))
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert not is_conflict_marker(line)
    read = read_event(read_line(line.rstrip(b"\n")), "ana", dump_json)
    assert read == event
    # Equal texts of which only one stands for raw bytes would be stored as others.
    assert list(map(to_bytes, read.item[:4])) == list(map(to_bytes, event.item[:4]))


@given(
    NAMES,
    st.builds(
        Revision,
        st.just("name: x"),
        st.just("2026-03-01T10:00:00.000Z"),
        st.sampled_from(["", "add"]),
        st.just(""),
        st.frozensets(NAMES, max_size=2),
        st.frozensets(st.builds(OutdatedTag, PLAIN, st.just("merged"), st.booleans()), max_size=2),
    ),
)
def test_a_revision_comes_back_as_it_was(name: RevisionName, revision: Revision) -> None:
    read = read_line(revision_line(name, revision).rstrip(b"\n"))
    assert read_revision(read, lambda content: "name: x") == (name, revision)
