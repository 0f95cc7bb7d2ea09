"""The append-only history: undo and redo, exclusive groups, and that a replay gives the current states."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.codebook import find_codebook
from auditor.errors import InputError
from auditor.model import ReviewState
from auditor.store.annotators import ensure_annotator
from auditor.store.codebook_revisions import ensure_codebook
from auditor.store.file import now, open_file, transaction
from auditor.store.history import Actor, Recorded, act, load_view, uuid7
from auditor.store.replay import replay_differences
from auditor.store.reviews import (
    Bookmark,
    Change,
    Decide,
    Defer,
    Intent,
    MarkAll,
    MarkFirst,
    MarkReviewed,
    NothingToTag,
    OwnProbe,
    PinMemo,
    PutTags,
    Redo,
    ReviewView,
    Ruling,
    SetNote,
    SetValidity,
    ToggleTag,
    Undo,
    Validity,
    WriteProbe,
    intent_from_json,
    intent_to_json,
)
from tests.builders import make_audit
from tests.hostile import HOSTILE


class Desk:
    """One annotator at an audit file."""

    def __init__(self, path: Path, annotator: str = "ana", codebook: str = "execution") -> None:
        self.connection = open_file(path)
        with transaction(self.connection):
            annotator_id = ensure_annotator(self.connection, annotator)
            self.actor = Actor(annotator_id, ensure_codebook(self.connection, find_codebook(codebook)))

    def do(self, response_id: int, intent: Intent) -> Recorded | None:
        with transaction(self.connection):
            return act(self.connection, self.actor, response_id, intent, uuid=uuid7(), at=now())

    def view(self, response_id: int) -> ReviewView:
        return load_view(self.connection, self.actor, response_id)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(make_audit(tmp_path / "audit.db"))


def test_a_tag_key_puts_a_tag_on_and_takes_it_off(desk: Desk) -> None:
    desk.do(1, ToggleTag("arithmetic"))
    desk.do(1, ToggleTag("copying"))
    assert desk.view(1).tags == ("arithmetic", "copying")
    assert desk.view(1).state is ReviewState.IN_PROGRESS
    desk.do(1, ToggleTag("arithmetic"))
    assert desk.view(1).tags == ("copying",)


def test_a_tag_of_an_exclusive_group_replaces_the_other(tmp_path: Path) -> None:
    desk = Desk(make_audit(tmp_path / "audit.db", codebook="prex"), codebook="prex")
    desk.do(1, ToggleTag("false-error"))
    desk.do(1, ToggleTag("wrong-rule"))
    assert desk.view(1).tags == ("wrong-rule",)
    desk.do(1, Undo())
    assert desk.view(1).tags == ("false-error",)


def test_nothing_to_tag_takes_all_tags_off_and_undo_brings_them_back(desk: Desk) -> None:
    desk.do(1, ToggleTag("arithmetic"))
    desk.do(1, NothingToTag())
    assert (desk.view(1).state, desk.view(1).tags) == (ReviewState.REVIEWED, ())
    desk.do(1, Undo())
    assert (desk.view(1).state, desk.view(1).tags) == (ReviewState.IN_PROGRESS, ("arithmetic",))


def test_undo_goes_back_across_items_and_redo_forth(desk: Desk) -> None:
    desk.do(1, ToggleTag("arithmetic"))
    desk.do(1, MarkReviewed())
    desk.do(2, ToggleTag("copying"))
    undone = [desk.do(2, Undo()), desk.do(2, Undo()), desk.do(2, Undo()), desk.do(2, Undo())]
    assert [(r.response_id, r.of) if r else None for r in undone] == [(2, "tag"), (1, "reviewed"), (1, "tag"), None]
    redone = [desk.do(1, Redo()), desk.do(1, Redo()), desk.do(1, Redo()), desk.do(1, Redo())]
    assert [(r.response_id, r.of) if r else None for r in redone] == [(1, "tag"), (1, "reviewed"), (2, "tag"), None]
    assert desk.view(1).state is ReviewState.REVIEWED


def test_undo_works_after_a_restart_and_only_on_own_actions(tmp_path: Path) -> None:
    path = make_audit(tmp_path / "audit.db")
    Desk(path).do(1, ToggleTag("arithmetic"))
    Desk(path, "ben").do(1, ToggleTag("copying"))
    again = Desk(path)
    again.do(1, Undo())
    assert again.view(1).tags == ()
    assert Desk(path, "ben").view(1).tags == ("copying",)
    assert again.do(1, Undo()) is None


def test_something_new_after_an_undo_ends_the_redo(desk: Desk) -> None:
    desk.do(1, ToggleTag("arithmetic"))
    desk.do(1, Undo())
    desk.do(1, ToggleTag("copying"))
    assert desk.do(1, Redo()) is None
    desk.do(1, Undo())
    assert desk.view(1) == ReviewView(ReviewState.NOT_REVIEWED, (), "", desk.view(1).updated_at)


def test_deferring_and_taking_up_again_remembers_whether_it_was_begun(desk: Desk) -> None:
    desk.do(1, Defer())
    desk.do(1, Defer())
    assert desk.view(1).state is ReviewState.NOT_REVIEWED
    desk.do(2, ToggleTag("copying"))
    desk.do(2, Defer())
    desk.do(2, Defer())
    assert desk.view(2).state is ReviewState.IN_PROGRESS


def test_what_changes_nothing_leaves_no_event(desk: Desk) -> None:
    desk.do(1, MarkReviewed())
    assert desk.do(1, MarkReviewed()) is None
    assert desk.do(1, SetNote("")) is None
    assert desk.connection.execute("SELECT count(*) FROM events").fetchone() == (1,)


def test_the_same_act_is_recorded_once(desk: Desk) -> None:
    uuid = uuid7()
    for _ in range(2):
        with transaction(desk.connection):
            act(desk.connection, desk.actor, 1, ToggleTag("copying"), uuid=uuid, at=now())
    assert desk.view(1).tags == ("copying",)


def test_imported_tags_are_not_undone_on_the_review_screen(desk: Desk) -> None:
    with transaction(desk.connection):
        act(desk.connection, desk.actor, 1, PutTags(("copying",)), uuid=uuid7(), at=now(), origin="import")
    assert desk.do(1, Undo()) is None
    assert desk.view(1).tags == ("copying",)


def test_an_undo_leaves_what_an_import_did_since(desk: Desk) -> None:
    desk.do(1, ToggleTag("arithmetic"))
    desk.do(2, ToggleTag("arithmetic"))
    for response_id, state in ((1, ReviewState.REVIEWED), (2, ReviewState.IN_PROGRESS)):
        with transaction(desk.connection):
            act(
                desk.connection,
                desk.actor,
                response_id,
                PutTags(("copying",), state=state),
                uuid=uuid7(),
                at=now(),
                origin="import",
            )
    desk.do(1, Undo())
    desk.do(1, Undo())
    assert (desk.view(1).state, desk.view(1).tags) == (ReviewState.REVIEWED, ("copying",))
    assert (desk.view(2).state, desk.view(2).tags) == (ReviewState.IN_PROGRESS, ("copying",))
    assert replay_differences(desk.connection) == []


def test_an_unknown_tag_is_refused_with_the_known_ones(desk: Desk) -> None:
    with pytest.raises(InputError, match=r"no tag 'nonsense'.*arithmetic"):
        desk.do(1, ToggleTag("nonsense"))


@pytest.mark.parametrize("name", HOSTILE)
def test_any_note_is_kept_exactly(desk: Desk, name: str) -> None:
    desk.do(1, SetNote(HOSTILE[name]))
    assert desk.view(1).note == HOSTILE[name]
    assert replay_differences(desk.connection) == []


def test_the_history_refuses_changes_and_deletions(desk: Desk) -> None:
    desk.do(1, ToggleTag("copying"))
    for sql in ("UPDATE events SET action = 'x'", "DELETE FROM events"):
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            desk.connection.execute(sql)


def test_a_replay_notices_states_that_the_history_does_not_give(desk: Desk) -> None:
    desk.do(1, ToggleTag("copying"))
    desk.connection.execute("DELETE FROM applied_tags")
    assert "copying" in replay_differences(desk.connection)[0]


def test_uuids_are_ordered_in_time_and_of_version_7() -> None:
    first, second = uuid7(), uuid7()
    assert first[:13] <= second[:13]
    assert first[14] == "7" and first[19] in "89ab"


intents = st.one_of(
    st.sampled_from([MarkReviewed(), NothingToTag(), Defer(), Undo(), Redo()]),
    st.sampled_from(["arithmetic", "copying", "other"]).map(ToggleTag),
    st.text(max_size=5).map(SetNote),
    st.sampled_from(["", "arithmetic", "copying", "other"]).map(MarkFirst),
    st.sampled_from([None, True, False]).map(Bookmark),
    st.builds(Validity, st.sampled_from(["invalid", "valid"]), st.text(max_size=2)).map(SetValidity),
    st.builds(
        PinMemo, st.sampled_from(["line", "difference"]), st.integers(1, 2), st.text(max_size=2), st.text(max_size=3)
    ),
    st.builds(
        OwnProbe,
        st.sampled_from(["value-at-visit", "branch"]),
        st.integers(1, 2),
        st.sampled_from([None, 1]),
        st.sampled_from([None, "x"]),
        st.text(max_size=3),
        st.sampled_from([(), ("Logic",), ("Arithmetic", "State")]),
        st.sampled_from(["1", '"a"', "null"]),
        st.just("integer"),
        st.integers(1, 9),
        st.integers(1, 9),
        st.booleans(),
    ).map(WriteProbe),
    st.builds(
        Decide,
        st.lists(
            st.builds(
                Ruling,
                st.sampled_from(["arithmetic", "copying", "other"]),
                st.sampled_from(["present", "absent", "unresolved"]),
                st.text(max_size=2),
                st.sampled_from([(), (("ana", True), ("ben", False))]),
            ),
            max_size=2,
            unique_by=lambda ruling: ruling.tag,
        ).map(tuple),
        st.sampled_from([(), ("copying",)]),
    ),
    st.builds(
        MarkAll,
        st.lists(st.integers(1, 3), min_size=1, max_size=3, unique=True).map(tuple),
        st.booleans(),
        st.sampled_from([None, "arithmetic", "other"]),
        st.booleans(),
        st.sampled_from(["", "", "reviewed", "nothing"]),
    ),
)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 3), intents), max_size=25))
def test_any_history_replays_to_the_current_states(steps: list[tuple[int, Intent]]) -> None:
    with TemporaryDirectory() as folder:
        desk = Desk(make_audit(Path(folder) / "audit.db"))
        with closing(desk.connection):
            for response_id, intent in steps:
                done = desk.do(response_id, intent)
                if done is not None:
                    assert done.view == desk.view(done.response_id)
                    assert done.view.first_cause in ("", *done.view.tags)
            assert replay_differences(desk.connection) == []


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 3), intents), max_size=15))
def test_undoing_everything_gives_the_beginning_and_redoing_gives_it_back(steps: list[tuple[int, Intent]]) -> None:
    def bare(view: ReviewView) -> ReviewView:
        return replace(view, updated_at=None)

    with TemporaryDirectory() as folder:
        desk = Desk(make_audit(Path(folder) / "audit.db"))
        with closing(desk.connection):
            for response_id, intent in steps:
                desk.do(response_id, intent)
            before = [bare(desk.view(response)) for response in (1, 2, 3)]
            undone = 0
            while desk.do(1, Undo()):
                undone += 1
            assert [bare(desk.view(response)) for response in (1, 2, 3)] == [bare(ReviewView())] * 3
            for _ in range(undone):
                assert desk.do(1, Redo())
            assert [bare(desk.view(response)) for response in (1, 2, 3)] == before


@given(st.lists(st.sampled_from("abc")), st.sampled_from(list(ReviewState)), st.text(), st.text())
def test_a_change_and_its_inverse_leave_a_review_as_it_was(
    tags: list[str], state: ReviewState, old: str, new: str
) -> None:
    view = ReviewView(state, tuple(sorted(set(tags))), old, "t")
    change = Change((state.value, "reviewed"), add=tuple(sorted({"d"})), remove=view.tags, note=(old, new))
    again = Change.from_json(change.to_json())
    assert again == change
    assert change.inverse().apply(change.apply(view, "t"), "t") == view


@pytest.mark.parametrize(
    "intent",
    [
        ToggleTag("a"),
        MarkReviewed(),
        NothingToTag(),
        Defer(),
        SetNote("x\ud83d"),
        MarkFirst("a"),
        Bookmark(True),
        PinMemo("line", 3, "x = [1]\x00", "memo\n\ud83d"),
        SetValidity(Validity("invalid", "x\ud83d\x00")),
        Decide((Ruling("a", "present", "x\ud83d\x00", (("[b]\ud83d", True), ("ben", False))),), ("b",)),
        WriteProbe(OwnProbe("branch", 4, 2, None, "x\ud83d\x00", ("Logic", "State"), "true", "boolean", 9, 30, True)),
        MarkAll((3, 1), False, "a"),
        MarkAll((3, 1), True, bookmark=True),
        MarkAll((3, 1), True, done="nothing"),
        Undo(),
        Redo(),
    ],
)
def test_an_intent_survives_the_side_file(intent: Intent) -> None:
    assert intent_from_json(intent_to_json(intent)) == intent


# --- one act on several items --------------------------------------------------------------------------------------


def states(desk: Desk, ids: tuple[int, ...]) -> list[tuple[str, tuple[str, ...]]]:
    return [(view.state.value, view.tags) for view in map(desk.view, ids)]


@pytest.mark.parametrize(
    "intent",
    [
        MarkAll((1, 2, 3), True),
        MarkAll((1, 2, 3), True, "copying"),
        MarkAll((1, 2, 3), True, done="reviewed"),
        MarkAll((1, 2, 3), True, done="nothing"),
    ],
)
def test_an_act_on_several_items_is_undone_and_redone_as_one(desk: Desk, intent: MarkAll) -> None:
    desk.do(2, ToggleTag("arithmetic"))
    before = states(desk, (1, 2, 3))
    done = desk.do(1, intent)
    assert done is not None and [row for row, _ in done.others] == [2, 3]
    after = states(desk, (1, 2, 3))
    assert all(one != other for one, other in zip(before, after, strict=True))
    undone = desk.do(1, Undo())
    assert undone is not None and len(undone.others) == 2 and states(desk, (1, 2, 3)) == before
    redone = desk.do(1, Redo())
    assert redone is not None and len(redone.others) == 2 and states(desk, (1, 2, 3)) == after
    desk.do(1, Undo())
    assert states(desk, (1, 2, 3)) == before
    desk.do(1, Undo())
    assert states(desk, (1, 2, 3)) == [("not-reviewed", ())] * 3
    assert desk.do(1, Undo()) is None
    assert replay_differences(desk.connection) == []


def test_an_act_leaves_the_items_that_are_so_already(desk: Desk) -> None:
    desk.do(2, ToggleTag("copying"))
    done = desk.do(1, MarkAll((1, 2, 3), True, "copying"))
    assert done is not None and (done.response_id, [row for row, _ in done.others]) == (1, [3])
    desk.do(1, Undo())
    assert [tags for _, tags in states(desk, (1, 2, 3))] == [(), ("copying",), ()]
    assert desk.do(1, MarkAll((1, 3), False, "copying")) is None


def test_the_same_act_on_several_items_is_recorded_once(desk: Desk) -> None:
    uuid = uuid7()
    for _ in range(2):
        with transaction(desk.connection):
            act(desk.connection, desk.actor, 1, MarkAll((1, 2), True), uuid=uuid, at=now())
    assert desk.connection.execute("SELECT count(*), count(DISTINCT batch) FROM events").fetchone() == (2, 1)


def test_an_unknown_tag_in_an_act_leaves_all_items_alone(desk: Desk) -> None:
    with pytest.raises(InputError, match="no tag 'nothing'"):
        desk.do(1, MarkAll((1, 2), True, "nothing"))
    assert states(desk, (1, 2)) == [("not-reviewed", ())] * 2


@pytest.mark.parametrize("intent", [MarkAll((1, 2), True, "copying"), MarkAll((1, 2), True, done="reviewed")])
def test_an_act_on_several_items_that_waited_is_recorded_also_where_nothing_is_left_to_do(
    desk: Desk, intent: MarkAll
) -> None:
    for response_id in (1, 2):
        desk.do(response_id, ToggleTag("copying"))
        desk.do(response_id, MarkReviewed())
    before = states(desk, (1, 2))
    uuid = uuid7()
    for _ in range(2):
        with transaction(desk.connection):
            done = act(desk.connection, desk.actor, 1, intent, uuid=uuid, at=now(), waited=True)
    assert done is not None and done.change == Change() and done.action == intent.action
    # An undo behind it is about it, and takes back nothing that came before.
    undone = desk.do(1, Undo())
    assert undone is not None and undone.of == intent.action
    assert states(desk, (1, 2)) == before
    desk.do(1, Undo())
    assert states(desk, (1, 2)) != before
    assert replay_differences(desk.connection) == []


def test_a_mark_names_the_revision_of_its_codebook_by_the_number_that_it_has_now(desk: Desk) -> None:
    with transaction(desk.connection):
        # A merge put another revision before the one that the open review works under.
        desk.connection.execute("UPDATE codebook_revisions SET revision = 2")
        desk.connection.execute(
            "INSERT INTO codebook_revisions (codebook_id, revision, content_hash, text, created_at)"
            " VALUES (?, 1, x'00', '', '')",
            (desk.actor.book.id,),
        )
    assert desk.actor.book.revision == 1
    desk.do(1, ToggleTag("copying"))
    assert desk.connection.execute("SELECT revision FROM events").fetchall() == [(2,)]


@pytest.mark.parametrize("halves", ["x\ud83d\ude00y", "\ud83d", "\ude00\ud83d", "\U0001f600\ud83d\ude00"])
def test_halves_of_a_character_in_a_note_are_the_character_everywhere(desk: Desk, halves: str) -> None:
    whole = halves.replace("\ud83d\ude00", "\U0001f600")
    desk.do(1, SetNote(halves))
    desk.do(1, PinMemo("line", 1, halves, halves))
    desk.do(1, WriteProbe(OwnProbe("branch", 4, 2, None, halves, (), "1", "integer", 9, 3)))
    assert desk.view(1).probes[0].question == whole
    desk.do(2, PutTags(("copying",), halves, replace=True))
    desk.do(2, Decide((Ruling("copying", "present", halves, (("ana", True),)),)))
    assert desk.view(1).note == whole
    assert not replay_differences(desk.connection)
