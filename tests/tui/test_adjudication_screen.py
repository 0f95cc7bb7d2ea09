"""The adjudication screen: what each key writes, what is asked, and that no text from data acts."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from functools import partial
from pathlib import Path

import pytest
from textual.pilot import Pilot

from auditor.audit.adjudicate import AdjudicationWish, decide_item, open_adjudication
from auditor.audit.codebook_revising import revise_codebook
from auditor.audit.inspect import verify
from auditor.audit.review import QueueWish, open_session
from auditor.codebook import FREE_KEYS, MAX_NAME, Codebook, Tag, find_codebook, folded
from auditor.codebook_changes import Part, split_tag
from auditor.configuration.settings import Settings
from auditor.store.annotators import ensure_annotator
from auditor.store.codebook_revisions import ensure_codebook
from auditor.store.file import open_file, transaction
from auditor.store.history import Actor, act, uuid7
from auditor.store.reviews import Decide, Defer, PutTags, Ruling
from auditor.text import visible_line
from auditor.tui.app import ReviewApp
from auditor.tui.palette import ReviewCommands
from auditor.tui.screens.adjudication import AdjudicationScreen
from auditor.tui.screens.help import HelpScreen, HelpView
from auditor.tui.screens.review import ReviewScreen
from auditor.tui.setup import Setup
from tests.builders import make_audit
from tests.hostile import HOSTILE
from tests.store.test_history import Desk
from tests.tui.driving import press, reviewing, screen_text, settle
from tests.tui.hostile_audit import hostile_audit

Compare = Callable[[str, str], None]
SIZES = [(80, 24), (120, 40), (160, 50)]


def put(path: Path, annotator: str, response_id: int, *tags: str, note: str | None = None) -> None:
    desk = Desk(path, annotator)
    desk.do(response_id, PutTags(tags, note, replace=True))
    desk.connection.close()


@pytest.fixture
def disputed(audit_file: Path) -> Path:
    """Return the audit of all kinds, of which three items are disputed, one is agreed on and one is ana's alone."""
    put(audit_file, "ana", 1, "arithmetic", "copying", note="the 5 of 63250 is read as a 4")
    put(audit_file, "ben", 1, "arithmetic", note="only the sum is wrong")
    put(audit_file, "ana", 2, "wrong-checkpoint", "copying")
    put(audit_file, "ben", 2, "state-transition")
    put(audit_file, "ana", 3, "no-attempt")
    put(audit_file, "ben", 3)
    put(audit_file, "ana", 4, "truncated")
    put(audit_file, "ben", 4, "truncated")
    put(audit_file, "ana", 5)
    return audit_file


@asynccontextmanager
async def adjudicating(
    path: Path,
    size: tuple[int, int] = (120, 40),
    wish: AdjudicationWish | None = None,
    *,
    names_shown: bool = False,
    setup: Setup | None = None,
) -> AsyncIterator[Pilot[int]]:
    """Run the screen on a file, ready for the first key."""
    session, adjudication = open_adjudication(path, "lm", wish or AdjudicationWish(order="import"))
    with closing(session), closing(adjudication):
        first = partial(AdjudicationScreen, adjudication=adjudication, names_shown=names_shown)
        app = ReviewApp(session, setup, first)
        async with app.run_test(size=size) as pilot:
            await settle(pilot)
            yield pilot


def screen_of(pilot: Pilot[int]) -> AdjudicationScreen:
    screen = pilot.app.screen
    assert isinstance(screen, AdjudicationScreen)
    return screen


def tag_here(pilot: Pilot[int]) -> str:
    """Return the id of the tag that the keys act on."""
    line = screen_of(pilot).rows.line
    assert line is not None and line.row is not None
    return line.row.tag.id


def said(pilot: Pilot[int]) -> str:
    return screen_of(pilot)._message.message


def decided(path: Path) -> dict[tuple[int, str], str]:
    """Return the verdicts that the file holds by item and tag."""
    connection = open_file(path)
    sql = "SELECT d.response_id, k.name, d.verdict FROM decisions d JOIN tags k ON k.id = d.tag_id"
    with closing(connection):
        return {(row, tag): verdict for row, tag, verdict in connection.execute(sql)}


@pytest.mark.parametrize("size", SIZES)
async def test_the_screen(disputed: Path, compare_screen: Compare, size: tuple[int, int]) -> None:
    async with adjudicating(disputed, size) as pilot:
        name = f"{size[0]}x{size[1]}"
        compare_screen(f"adjudication-{name}", screen_text(pilot))
        await press(pilot, "enter", "v", "e")
        compare_screen(f"adjudication-decided-{name}", screen_text(pilot))


async def test_the_first_row_that_needs_a_decision_has_the_keys(disputed: Path) -> None:
    async with adjudicating(disputed) as pilot:
        assert tag_here(pilot) == "copying", "arithmetic is agreed on"
        await press(pilot, "enter")
        assert decided(disputed) == {(1, "copying"): "present"}
        assert said(pilot).startswith("copying present. space: the next of 2 open items.")
        assert "1 of 3  1 done" in screen_text(pilot) and "saved ✓" in screen_text(pilot)
        await press(pilot, "space")
        assert [tag_here(pilot), screen_of(pilot).index] == ["state-transition", 1]
        await press(pilot, "backspace", "s")
        assert decided(disputed) == {
            (1, "copying"): "present",
            (2, "state-transition"): "absent",
            (2, "copying"): "unresolved",
        }
        assert tag_here(pilot) == "wrong-checkpoint" and said(pilot) == "copying unresolved. 1 tag to decide here."


async def test_keys_typed_ahead_each_act_on_the_row_that_is_next(disputed: Path) -> None:
    async with adjudicating(disputed) as pilot:
        await press(pilot, "enter", "space", "enter", "enter", "enter", "space", "backspace", "space")
        assert list(decided(disputed).values()).count("present") == 4 and len(decided(disputed)) == 5
        assert said(pilot) == "Nothing is open any more; q leaves."


async def test_a_review_that_is_taken_back_meanwhile_names_nobody_who_is_hidden(disputed: Path) -> None:
    async with adjudicating(disputed) as pilot:
        desk = Desk(disputed, "ben")
        desk.do(1, Defer())
        desk.connection.close()
        await press(pilot, "enter", "enter")
        assert said(pilot).startswith("only one annotator has reviewed this item.")


async def test_undo_and_redo_go_to_the_item(disputed: Path) -> None:
    async with adjudicating(disputed) as pilot:
        await press(pilot, "enter", "space", "u")
        assert screen_of(pilot).index == 0 and decided(disputed) == {}
        assert said(pilot).startswith("undone: copying present, on digit-sums · output · simulated/off-by-one. 1 tag")
        await press(pilot, "U", "u", "u")
        assert said(pilot) == "There is nothing to undo."
        await press(pilot, "U")
        assert decided(disputed) == {(1, "copying"): "present"}
    async with adjudicating(disputed) as pilot:
        assert screen_of(pilot).index == 1, "what is decided is not asked again"
        await press(pilot, "u")
        assert screen_of(pilot).index == 0 and decided(disputed) == {}


async def test_a_set_is_taken_by_the_letter_of_its_column(disputed: Path) -> None:
    async with adjudicating(disputed) as pilot:
        await press(pilot, "space")
        case = screen_of(pilot).case
        assert case is not None
        letter = "AB"[[voice.annotator for voice in case.voices].index("ana")]
        await press(pilot, letter)
        assert decided(disputed) == {
            (2, "state-transition"): "absent",
            (2, "copying"): "present",
            (2, "wrong-checkpoint"): "present",
        }
        await press(pilot, "C")
        assert said(pilot) == "This item has 2 annotators: A, B."
        await press(pilot, "u")
        assert decided(disputed) == {}, "one act, one undo"


async def test_what_overrides_everyone_asks_for_a_note_first(disputed: Path) -> None:
    async with adjudicating(disputed) as pilot:
        await press(pilot, "e", "j")
        while tag_here(pilot) != "arithmetic":
            await press(pilot, "j")
        await press(pilot, "backspace")
        assert "Nobody marked it so. Why?" in screen_text(pilot) and decided(disputed) == {}
        await press(pilot, "enter")
        assert "needs a note" in said(pilot) and decided(disputed) == {}
        await press(pilot, *"q1u", "enter")
        assert decided(disputed) == {(1, "arithmetic"): "absent"}
        assert "lm: q1u" in screen_text(pilot)
        assert tag_here(pilot) == "copying", "the next that needs a decision"
        while tag_here(pilot) != "arithmetic":
            await press(pilot, "k")
        await press(pilot, "delete")
        assert decided(disputed) == {}
        while tag_here(pilot) != "arithmetic":
            await press(pilot, "j")
        await press(pilot, "backspace", "x", "escape")
        assert decided(disputed) == {} and not screen_of(pilot).is_writing


async def test_a_note_is_written_on_a_decision(disputed: Path) -> None:
    async with adjudicating(disputed) as pilot:
        await press(pilot, "enter", "n", *"see line 3", "enter")
        assert "lm: see line 3" in screen_text(pilot)
        assert said(pilot).startswith("note of the decision on copying. space:")
        await press(pilot, "u")
        assert said(pilot).startswith("undone: note of the decision on copying, on digit-sums · output · simulated")
        assert "see line 3" not in screen_text(pilot) and decided(disputed) == {(1, "copying"): "present"}
        await press(pilot, "U")
        assert said(pilot).startswith("done again: note of the decision on copying, on digit-sums")
        await press(pilot, "n", *["backspace"] * len("see line 3"), "enter")
        assert said(pilot).startswith("note of the decision on copying taken out.")
        await press(pilot, "u", "backspace")
        assert "see line 3" not in screen_text(pilot), "it was said of the other verdict"


async def test_help_and_palette_list_the_sets_of_those_who_reviewed_the_item(disputed: Path) -> None:
    async with adjudicating(disputed) as pilot:
        await press(pilot, "question_mark")
        listed = [line.split()[0] for line in pilot.app.screen.query_one(HelpView).lines if "as annotator" in line]
        assert listed == ["A", "B"]
        await press(pilot, "escape")
        shown = [command.text for command in ReviewCommands(pilot.app.screen).commands()]
        assert "take the set of B  (B)" in shown and "take the set of C  (C)" not in shown


async def test_a_note_before_the_decision_waits_for_it_and_survives_a_restart_and_an_undo(disputed: Path) -> None:
    async with adjudicating(disputed) as pilot:
        await press(pilot, "n")
        assert "Note on copying, for the decision to come" in screen_text(pilot)
        await press(pilot, *"Au q", "enter")
        assert decided(disputed) == {} and not screen_of(pilot).is_writing, "keys of a note are text"
        assert said(pilot).startswith("The note waits for the decision on copying, which takes it along: Enter yes")
        await press(pilot, "n", *"xx", "escape")
        assert screen_of(pilot).case is not None and tag_here(pilot) == "copying"
    async with adjudicating(disputed) as pilot:
        assert "your note, for the decision to come: Au q" in screen_text(pilot), "what was left is as it was"
        await press(pilot, "enter")
        assert "lm: Au q" in screen_text(pilot)
        await press(pilot, "u")
        assert "for the decision to come: Au q" in screen_text(pilot), "the undo takes back the decision only"
        await press(pilot, "backspace")
        assert "absent" in screen_text(pilot) and "lm: Au q" in screen_text(pilot)
        screen = screen_of(pilot)
        screen.session.drop_settled(screen.adjudication.case)
    assert not list(disputed.parent.glob("*.draft-*")), "what is decided waits for nothing"


async def test_a_note_waits_for_a_decision_that_overrides_everyone_and_a_begun_one_is_told(disputed: Path) -> None:
    async with adjudicating(disputed) as pilot:
        await press(pilot, "e", "j", "n", *"no sum here", "enter")
        assert tag_here(pilot) == "arithmetic"
        await press(pilot, "e")
        assert "arithmetic" in screen_text(pilot), "a tag with a note is not folded"
        await press(pilot, "backspace")
        assert decided(disputed) == {(1, "arithmetic"): "absent"}
        await press(pilot, "n", *"begun")
        await screen_of(pilot)._note.keep_now()
    async with adjudicating(disputed, wish=AdjudicationWish(order="import", where="arm:output")) as pilot:
        assert said(pilot) == "Unfinished note on copying: n there continues it."


async def test_a_split_made_elsewhere_is_taken_up_and_told_and_the_review_below_has_its_tags(disputed: Path) -> None:
    session = open_session(disputed, "lm", QueueWish(where="", order="import"))
    async with reviewing(session) as pilot:
        await press(pilot, "equals_sign")
        assert "codebook execution r1" in screen_text(pilot) and tag_here(pilot) == "copying"
        parts = (Part("lost", "A part is missing."), Part("doubled", "A part is there twice."))
        revise_codebook(disputed, lambda book: split_tag(book, "copying", parts))
        await press(pilot, "n", *"waits", "enter")
        await screen_of(pilot)._codebook_watch.follow()
        await settle(pilot)
        assert "codebook execution r2" in screen_text(pilot) and said(pilot).startswith("The codebook is at revision 2")
        assert tag_here(pilot) == "copying" and "for the decision to come: waits" in screen_text(pilot)
        await press(pilot, "n", *["backspace"] * 5, "enter")
        assert "was split into lost, doubled" in screen_text(pilot)
        await press(pilot, "enter")
        assert decided(disputed) == {(1, "copying"): "present"}, "until it is decided which part, the tag stands"
        await press(pilot, "q")
        review = pilot.app.screen
        assert isinstance(review, ReviewScreen) and {"lost", "doubled"} <= {choice.id for choice in review.choices}
        assert "codebook execution r2" in screen_text(pilot)
    assert not any(check.problems for check in verify(disputed))


async def test_a_row_that_is_no_tag_says_so_and_its_keys_are_grey(disputed: Path) -> None:
    async with adjudicating(disputed) as pilot:
        yes, note = (
            next(action for action in screen_of(pilot).actions if action.id == f"decide.{name}")
            for name in ("yes", "note")
        )
        await press(pilot, "j", "enter")
        assert said(pilot).startswith("This row is no tag") and decided(disputed) == {}
        assert yes.why_not(screen_of(pilot).situation) is not None
        await press(pilot, "n", *"quit", "escape")
        assert decided(disputed) == {}, "a note there is that of the tag above, and its keys are text"
        await press(pilot, "k")
        assert yes.why_not(screen_of(pilot).situation) is None
    async with adjudicating(disputed, wish=AdjudicationWish(where="decision:unanimous")) as pilot:
        await press(pilot, "n")
        assert said(pilot).startswith("All agree on this item") and not screen_of(pilot).is_writing
        assert note.why_not(screen_of(pilot).situation) is not None


async def test_a_note_right_after_a_decision_is_on_that_one_though_the_next_tag_is_at_hand(disputed: Path) -> None:
    async with adjudicating(disputed) as pilot:
        await press(pilot, "right")
        first = tag_here(pilot)
        await press(pilot, "enter")
        second = tag_here(pilot)
        assert second != first
        await press(pilot, "n")
        assert f"Note on {first.replace('-', ' ')}" in screen_text(pilot)
        await press(pilot, *"seen", "enter")
        assert decided(disputed) == {(2, first): "present"} and tag_here(pilot) == second
        assert "lm: seen" in screen_text(pilot)
        await press(pilot, "n")
        assert f"Note on {second.replace('-', ' ')}, for the" in screen_text(pilot), "the first one has its note"
        await press(pilot, "escape", "j", "n")
        assert "for the decision to come" in screen_text(pilot), "another tag was chosen meanwhile"


async def test_leaving_an_item_says_how_many_of_its_tags_are_undecided(disputed: Path) -> None:
    async with adjudicating(disputed) as pilot:
        await press(pilot, "right")
        item, case = screen_of(pilot).item, screen_of(pilot).case
        assert item is not None and case is not None and len(case.needing) > 1
        await press(pilot, "enter", "space")
        left = f"{len(case.needing) - 1} tag"
        assert said(pilot).startswith(left) and f"of {item.key.case} left undecided; - goes back to it." in said(pilot)
        await press(pilot, "minus")
        again = screen_of(pilot).item
        assert again is not None and again.key == item.key


async def test_undo_stays_in_a_narrow_footer(disputed: Path) -> None:
    async with adjudicating(disputed, (80, 24)) as pilot:
        footer = screen_text(pilot).splitlines()[-1]
        assert "u undo" in footer and "A take" in footer and "n note" in footer and "? help" in footer


async def test_names_are_letters_until_they_are_shown(disputed: Path) -> None:
    async with adjudicating(disputed) as pilot:
        assert "A   B" in screen_text(pilot)
        assert "ana" not in screen_text(pilot) and "ben" not in screen_text(pilot)
        await press(pilot, "v")
        assert "A ana" in screen_text(pilot) or "B ana" in screen_text(pilot)
    async with adjudicating(disputed, names_shown=True) as pilot:
        assert "A ana  B ben" in screen_text(pilot)


async def test_a_stale_decision_needs_another_and_says_whose_mark_changed(disputed: Path) -> None:
    decide_item(disputed, "lm", "loops/digit-sums/output/simulated%2Foff-by-one/0", [("copying", "present")])
    put(disputed, "ben", 1, "arithmetic", "copying")
    async with adjudicating(disputed, names_shown=True) as pilot:
        assert tag_here(pilot) == "copying"
        assert "stale: B ben changed the mark since (lm)" in screen_text(pilot)
        await press(pilot, "enter")
        assert "stale" not in screen_text(pilot)


async def test_evidence_is_one_key_away(disputed: Path) -> None:
    async with adjudicating(disputed, (80, 24)) as pilot:
        await press(pilot, "r")
        assert '{"output": "63240 17 done' in screen_text(pilot)
        await press(pilot, "escape", "i")
        assert "40" in screen_text(pilot)
        await press(pilot, "escape", "question_mark")
        assert isinstance(pilot.app.screen, HelpScreen) and "The tag is on the item." in screen_text(pilot)
        await press(pilot, "escape", "right", "left", "left")
        assert said(pilot) == "This is the first item."


async def test_a_click_chooses_a_row_and_the_footer_decides(disputed: Path) -> None:
    async with adjudicating(disputed) as pilot:
        await press(pilot, "space")
        rows = screen_of(pilot).rows
        await pilot.click(rows, offset=(5, 1))
        await settle(pilot)
        assert tag_here(pilot) == "copying"
        await pilot.click(screen_of(pilot).footer, offset=(3, 0))
        await settle(pilot)
        assert decided(disputed) == {(2, "copying"): "present"}


async def test_while_the_file_is_locked_decisions_are_kept_beside_it(disputed: Path) -> None:
    async with adjudicating(disputed) as pilot:
        lock = open_file(disputed)
        lock.execute("BEGIN IMMEDIATE")
        await press(pilot, "enter")
        screen_of(pilot)._retrying.start()
        await settle(pilot)
        assert "NOT SAVED: 1 mark kept beside the file" in screen_text(pilot)
        assert "copying" in screen_text(pilot) and "present" in screen_text(pilot)
        await press(pilot, "q")
        assert pilot.app._running and "kept beside the file" in said(pilot)
        lock.rollback()
        lock.close()
        screen = screen_of(pilot)
        await screen.work.call(screen.session.retry_pending)
        assert decided(disputed) == {(1, "copying"): "present"}


async def test_it_opens_over_a_review_and_goes_back_there(disputed: Path) -> None:
    with closing(open_session(disputed, "ana", QueueWish(where="", order="import"))) as session:
        async with reviewing(session) as pilot:
            await press(pilot, *["k"] * 5, "equals_sign", "enter", "q")
            assert type(pilot.app.screen) is ReviewScreen
            assert decided(disputed) == {(1, "copying"): "present"}
            await press(pilot, "equals_sign")
            case = screen_of(pilot).case
            assert case is not None and case.response_id == 1, "at the item of the review"


async def test_a_review_without_a_second_says_why_there_is_nothing(audit_file: Path) -> None:
    put(audit_file, "ana", 1, "copying")
    with closing(open_session(audit_file, "ana", QueueWish(where="", order="import"))) as session:
        async with reviewing(session) as pilot:
            await press(pilot, "equals_sign")
            assert isinstance(pilot.app.screen, ReviewScreen)
            assert "each by one annotator only" in screen_text(pilot)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an audit in which every item has a hostile text everywhere, also in notes and annotators' names."""
    path = hostile_audit(tmp_path_factory.mktemp("hostile"))
    connection = open_file(path)
    with closing(connection), transaction(connection):
        book = ensure_codebook(connection, find_codebook("execution"))
        for number, text in enumerate(HOSTILE.values(), 1):
            for annotator, tags in ((f"a{text}", ("copying",)), ("ben", ())):
                actor = Actor(ensure_annotator(connection, annotator), book)
                marked = PutTags(tags, text or None)
                act(connection, actor, number, marked, uuid=uuid7(), at="2026-01-01T00:00:00.000Z", origin="import")
            marks = tuple(sorted([(f"a{text}", True), ("ben", False)]))
            decision = Decide((Ruling("copying", "present", text, marks),))
            act(connection, actor, number, decision, uuid=uuid7(), at="2026-01-01T00:00:00.000Z")
    return path


def has_controls(text: str) -> bool:
    return any(char < " " or "\x7f" <= char < "\xa0" for char in text.replace("\n", ""))


async def test_hostile_texts_are_shown_as_they_are(hostile: Path) -> None:
    async with adjudicating(hostile, names_shown=True) as pilot:
        for _ in HOSTILE:
            assert not has_controls(screen_text(pilot))
            await press(pilot, "right")
        assert said(pilot) == "This is the last item." and "ben: 0123456789" in screen_text(pilot)


async def test_hostile_names_of_tags_are_shown_as_they_are(tmp_path: Path) -> None:
    path = make_audit(tmp_path / "a.db")
    shown = (text for text in HOSTILE.values() if text.strip() and len(text) <= MAX_NAME and visible_line(text) == text)
    names = {folded(text): text for text in shown}
    tags = tuple(
        Tag(f"t{n}", name, FREE_KEYS[n] if n < len(FREE_KEYS) else "", definition=name, retired=n >= len(FREE_KEYS))
        for n, name in enumerate(names.values())
    )
    connection = open_file(path)
    with closing(connection), transaction(connection):
        book = ensure_codebook(connection, Codebook("odd", "odd", "", tags))
        for annotator, put_on in (("ana", tuple(tag.id for tag in tags)), ("ben", ())):
            actor = Actor(ensure_annotator(connection, annotator), book)
            at = "2026-01-01T00:00:00.000Z"
            act(connection, actor, 1, PutTags(put_on), uuid=uuid7(), at=at, origin="import")
    wish = AdjudicationWish(codebook="odd")
    async with adjudicating(path, (80, 24), wish) as pilot:
        for _ in tags:
            await press(pilot, "enter")
            assert not has_controls(screen_text(pilot))
        assert said(pilot).endswith("Nothing is open any more.")
    assert len(decided(path)) == len(tags)


async def test_every_theme_draws_it(disputed: Path) -> None:
    async with adjudicating(disputed) as pilot:
        for theme in sorted(name for name in pilot.app.available_themes if name.startswith("auditor")):
            pilot.app.theme = theme
            await settle(pilot)
            assert "Decisions" in screen_text(pilot)


def test_a_key_of_the_screen_can_be_mapped_like_any_other() -> None:
    ids = {action.id for action in Setup(Settings()).screens["adjudication"]}
    assert {"decide.yes", "decide.no", "decide.unresolved", "case.next_open"} <= ids
