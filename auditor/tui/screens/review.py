"""The review loop: one item and its evidence. What its keys do is in `auditor.tui.parts`."""

from __future__ import annotations

from functools import partial

from textual import events
from textual.app import ComposeResult
from textual.geometry import Size

from auditor.audit.queue_words import describe_total
from auditor.audit.reasoning_text import reasoning_text
from auditor.audit.review import ReviewItem, ReviewSession
from auditor.audit.session_summary import duration
from auditor.model import SUBJECT, ReviewState
from auditor.tui.actions import TAG, Situation
from auditor.tui.item_clock import ItemClock
from auditor.tui.parts.agreeing import Agreeing
from auditor.tui.parts.awaiting import Awaiting
from auditor.tui.parts.bookmarking import Bookmarking
from auditor.tui.parts.codebook_watch import CodebookWatch
from auditor.tui.parts.growing import Growing
from auditor.tui.parts.leaving import Leaving
from auditor.tui.parts.looking import Looking
from auditor.tui.parts.marking import Marking
from auditor.tui.parts.moving import Moving
from auditor.tui.parts.note_writing import NoteWriting
from auditor.tui.parts.opening import Opening
from auditor.tui.parts.overviewing import Overviewing
from auditor.tui.parts.probing import Probing, may_have_probes
from auditor.tui.parts.reading import Reading
from auditor.tui.parts.relating import Relating
from auditor.tui.parts.replaying import Replaying
from auditor.tui.parts.retrying import Retrying
from auditor.tui.parts.revealing import Revealing
from auditor.tui.parts.sharing import Sharing
from auditor.tui.review_sentences import tell_draft, tell_memo_drafts, tell_opening, tell_probe_draft
from auditor.tui.screens.acting import Act, ActingScreen
from auditor.tui.setup import Setup
from auditor.tui.spelling import has_other_symbols, has_rules
from auditor.tui.turns import do_in_turn
from auditor.tui.widgets.arm_strip import ArmStrip
from auditor.tui.widgets.box import Box
from auditor.tui.widgets.header import Header
from auditor.tui.widgets.item_panes import ItemPanes
from auditor.tui.widgets.pane import Divider, Pane
from auditor.tui.widgets.queue_column import QueueColumn, count_words
from auditor.tui.widgets.tag_bar import TagBar, TagLabel
from auditor.tui.work import Work


class ReviewScreen(ActingScreen):
    """One annotator's pass through a queue."""

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-normal"), (150, "-wide")]  # noqa: RUF012 (Textual's declaration)
    VERTICAL_BREAKPOINTS = [(0, "-short"), (20, "-tall")]  # noqa: RUF012
    DEFAULT_CSS = """
    ReviewScreen {
        layout: vertical;
        layers: default message;
        background: $background;

        #main { layout: horizontal; height: 1fr; }
        #queue { width: 50; }
        #queue, #queue-divider, ArmStrip { display: none; }
        &.-wide { #queue, #queue-divider, ArmStrip { display: block; } }
    }
    """

    def __init__(self, session: ReviewSession, setup: Setup) -> None:
        self._tag_bar = TagBar(_labels(session))
        super().__init__(session, Work(session), setup.screens["review"], self._tag_bar)
        self.setup = setup
        own = setup.settings
        self.panes = ItemPanes(self.keys, wraps=own.wrap, folding=own.fold, runs_probes=own.probe_runs)
        self._arms = ArmStrip()
        self.item: ReviewItem | None = None
        self.index = 0
        self._moving = Moving(self, Awaiting(self, self.safely))
        self._retrying = Retrying(self, self.safely)
        self.work.when_pending = self._retrying.begin
        self._growing = Growing(self, self.follow_growth)
        self._sharing = Sharing(self, self.safely)
        self._marking = Marking(self, self._moving)
        self._codebook_watch = CodebookWatch(self, self.safely, self._marking.follow_tags)
        self._note = NoteWriting(self, self._marking, self._tag_bar)
        self.clock = ItemClock() if setup.settings.timer else None
        opening = Opening(self, self._codebook_watch)
        self._agreeing = Agreeing(self, setup, opening.leave_queue)
        probing = Probing(self)
        self.parts = (
            self._marking,
            self._marking.first_cause,
            Bookmarking(self, self._marking, self._moving),
            self._moving,
            self._note,
            Looking(self),
            Reading(self),
            Revealing(self, self._marking),
            opening,
            self._agreeing,
            Overviewing(self, setup, opening.leave_queue, opening.action_show_codebook),
            Relating(self),
            Replaying(self, probing),
            probing,
            Leaving(self, self._note),
        )
        self.bind_tags()

    # --- layout ----------------------------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        session = self.session
        # Both are found anyway when the screen was laid out, but then that is done once more.
        self.add_class(*_classes_for(self.app.size), update=False)
        self._tag_bar.fit_to(self.app.size.width)
        self._header = Header(session.path.name, session.description, session.annotator, _codebook_words(session))
        own = session.has_samples, session.cases_beside, _tag_keys(session)
        self._queue = QueueColumn(len(session), session.rows, session.names, *own)
        yield self._header
        with Box(id="main"):
            yield Pane("Queue", self._queue, id="queue")
            yield Divider(id="queue-divider")
            yield self.panes
        yield self._arms
        yield self._tag_bar
        yield self.footer
        yield self._tag_bar.rows_above

    async def on_mount(self) -> None:
        self.set_focus(self.panes.comparison)
        start = self.session.start_index()
        item = await self.work.call(self.session.item, start)
        self.show(item, tell_opening(self.session, start, self.keys))
        self._retrying.begin()
        self._sharing.begin()
        self._codebook_watch.begin()
        self._growing.begin()
        if self.clock is not None:
            self.set_interval(1, self._show_time)
        if self.setup.begins_with_agreement:
            await self.safely(self._agreeing.begin)

    def on_screen_suspend(self) -> None:
        if self.clock is not None:
            self.clock.pause()

    def on_screen_resume(self) -> None:
        if self.clock is not None:
            self.clock.touch()

    async def on_unmount(self) -> None:
        await self._note.keep_now()
        self.work.close()

    def on_resize(self, event: events.Resize) -> None:
        self.call_after_refresh(self._after_resize)

    def _after_resize(self) -> None:
        if not self._note.is_open:
            self.panes.keep_focus()
        if self.item is not None:
            self._show_queue(self.item)
        for rule in (self._tag_bar, *self.query(Divider)):
            rule.refresh()

    # --- showing an item -------------------------------------------------------------------------------------------

    def show(self, item: ReviewItem, opening: str = "") -> None:
        """Show an item; everything changes in one paint and nothing changes its place. `opening` is said with it."""
        self.item = item
        self.index = item.index if item.index >= 0 else self.index
        if self.clock is not None:
            self.clock.go_to(item.response_id)
            self._show_time()
        with self.app.batch_update():
            self.panes.show_item(item)
            self._arms.show_item(item)
            self.show_review(item)
        held = self._sharing.follow(item)
        told = (
            opening,
            self.session.why_again(item.response_id),
            tell_draft(self.session, item, self.keys),
            tell_memo_drafts(self.session, item, self.keys),
            tell_probe_draft(self.session, item, self.keys),
        )
        if words := " ".join(filter(None, told)) or held:
            self.say(words)

    def _show_time(self) -> None:
        if self.clock is not None:
            self._header.show_time(duration(self.clock.seconds))

    def on_item_panes_compared(self, message: ItemPanes.Compared) -> None:
        message.stop()
        self.show_situation()

    def show_review(self, item: ReviewItem) -> None:
        """Show another state, other tags or another note of the item that is on the screen."""
        review = item.review
        self._show_place(item)
        self._growing.is_shown()
        self._header.show_bookmark(review.bookmarked)
        self._header.show_again(self.session.to_look_at_again)
        self._tag_bar.show_review(review.state, review.tags, review.note, review.first_cause, len(review.memos))
        self.panes.show_memos(review.memos)
        if self._queue.region.area:
            self._show_queue(item)
        self._header.show_state(self.work.state)
        self.show_situation()

    def _show_place(self, item: ReviewItem) -> None:
        index = item.index if item.index >= 0 else None
        done = self.session.counts()[ReviewState.REVIEWED]
        self._header.show_position(index, describe_total(self.session.queue_progress()), done)

    def _show_queue(self, item: ReviewItem) -> None:
        self._queue.show_position(item.index if item.index >= 0 else None, count_words(self.session.counts()))

    def follow_queue(self) -> None:
        """Show of the queue what is not an item's: its description and its length."""
        self._header.show_description(self.session.description)
        self._growing.begin()

    def follow_growth(self) -> None:
        """Show how many items are known now; what is on the screen stays where it is."""
        self._queue.grow_to(len(self.session), count_words(self.session.counts()))
        if self.item is not None:
            self._show_place(self.item)

    def follow_codebook(self) -> None:
        """Show the tags of the codebook as it is now."""
        session = self.session
        self.bind_tags()
        self._header.show_again(session.to_look_at_again)
        self._header.show_codebook(_codebook_words(session))
        self._queue.show_tag_keys(_tag_keys(session))
        self._tag_bar.show_tags(_labels(session))

    # --- keys and clicks -------------------------------------------------------------------------------------------

    @property
    def situation(self) -> Situation:
        item = self.item
        return Situation(
            items=len(self.session),
            writing_note=self._note.is_open,
            has_input=bool(item and item.task.input),
            is_asked=item is None or item.task.target != SUBJECT,
            has_reasoning=bool(item and reasoning_text(item.response)),
            has_prompt=bool(item and item.task.prompt),
            has_rules=bool(item and has_rules(item)),
            has_other_symbols=bool(item and has_other_symbols(item)),
            has_problem=_is_about_problem(item, "output", "probe"),
            has_implementations=_is_about_problem(item, "output", "probe", SUBJECT),
            has_run=bool(item and may_have_probes(item)),
            differences=self.panes.comparison.differences,
            can_pin=bool(self.panes.place[1]),
            blind=self.session.blind,
            again=self.session.again,
            hidden=item.hidden if item else frozenset(),
        )

    @property
    def is_writing(self) -> bool:
        return self._note.is_open

    @property
    def help_tag(self) -> int | None:
        return self._marking.last_tag if self.previous == TAG.id else None

    @property
    def is_told(self) -> bool:
        """Say whether a sentence is shown."""
        return bool(self._tag_bar.message)

    async def safely(self, act: Act) -> None:
        if self.clock is not None:
            self.clock.touch()
        await super().safely(act)
        self._header.show_state(self.work.state)

    async def action_choose(self, index: int) -> None:
        """Go to the item of a row that was clicked."""
        await self.act(partial(self._moving.go_to, index))

    def on_tag_bar_clicked(self, message: TagBar.Clicked) -> None:
        self._do_in_order(f"perform({TAG.id!r}, {message.index})")

    def on_row_view_chosen(self, message: QueueColumn.Chosen) -> None:
        self._do_in_order(f"choose({message.index})")

    def _do_in_order(self, action: str) -> None:
        """Let the app do an action in its turn among the keys."""
        if not self._note.is_open:
            do_in_turn(self, action)

    def on_note_editor_edited(self) -> None:
        if self.clock is not None:
            self.clock.touch()
        self._note.keep_soon()


def _is_about_problem(item: ReviewItem | None, *targets: str) -> bool:
    return item is not None and item.task.problem is not None and item.task.target in targets


def _classes_for(size: Size) -> list[str]:
    """Return the classes of the breakpoints that a size reaches."""
    both = ((size.width, ReviewScreen.HORIZONTAL_BREAKPOINTS), (size.height, ReviewScreen.VERTICAL_BREAKPOINTS))
    return [max(point for point in points if point[0] <= cells)[1] for cells, points in both]


def _codebook_words(session: ReviewSession) -> str:
    return f"codebook {session.codebook_name} r{session.codebook_revision}"


def _tag_keys(session: ReviewSession) -> dict[str, str]:
    return {choice.id: choice.key for choice in session.choices}


def _labels(session: ReviewSession) -> list[TagLabel]:
    return [TagLabel(choice.id, choice.key, choice.name) for choice in session.choices]
