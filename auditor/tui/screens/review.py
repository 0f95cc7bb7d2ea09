"""The review loop: one item, its evidence, the keys that mark it. What a mark means is in `auditor.audit.review`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial

from textual import events
from textual.app import ComposeResult
from textual.containers import Container
from textual.timer import Timer

from auditor.audit.review import (
    Defer,
    Intent,
    MarkReviewed,
    NothingToTag,
    Pending,
    Redo,
    Refused,
    ReviewItem,
    ReviewSession,
    ReviewView,
    Saved,
    SetNote,
    ToggleTag,
    Undo,
)
from auditor.model import ReviewState
from auditor.tui.actions import TAG, Situation, key_range, shown_keys
from auditor.tui.note_writing import NoteWriting
from auditor.tui.review_sentences import tell_draft, tell_leaving, tell_mark, tell_note_keys
from auditor.tui.screens.coding import CodingScreen
from auditor.tui.screens.queueing import QueueingScreen
from auditor.tui.screens.revealing import RevealingScreen
from auditor.tui.setup import Setup
from auditor.tui.widgets.footer import Footer
from auditor.tui.widgets.header import Header
from auditor.tui.widgets.item_panes import ItemPanes
from auditor.tui.widgets.pane import Divider, Pane
from auditor.tui.widgets.queue_column import QueueColumn, count_words
from auditor.tui.widgets.tag_bar import TagBar, TagLabel
from auditor.tui.work import Work

_RETRY_SECONDS = 0.5


class ReviewScreen(RevealingScreen, CodingScreen, QueueingScreen):
    """One annotator's pass through a queue."""

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-normal"), (150, "-wide")]  # noqa: RUF012 (Textual's declaration)
    VERTICAL_BREAKPOINTS = [(0, "-short"), (20, "-tall")]  # noqa: RUF012
    AUTO_FOCUS = ""
    DEFAULT_CSS = """
    ReviewScreen {
        layout: vertical;
        background: $background;

        #main { layout: horizontal; height: 1fr; }
        #queue { width: 50; }
        #queue, #queue-divider { display: none; }
        &.-wide { #queue, #queue-divider { display: block; } }
    }
    """

    def __init__(self, session: ReviewSession, setup: Setup) -> None:
        super().__init__()
        self._session = session
        self._setup = setup
        self.actions = setup.screens["review"]
        self._by_id = {action.id: action for action in self.actions}
        self._keys = shown_keys(self.actions)
        self._work = Work(session)
        self._item = None
        self._index = 0
        """Where the queue stands; kept while an undo shows an item from outside it."""
        self._note = NoteWriting(self, self._work, self._keys)
        self._retrying: Timer | None = None
        self._leaving_asked = False
        self._said = False
        self._last_tag: int | None = None
        """The tag that the last key put on."""
        self._help_at = None
        """The tag that the key before this one put on: help opens there."""
        self._bind_actions()

    def _bind_actions(self) -> None:
        # Priority bindings run where the app handles keys, one after the other; others run when the key has bubbled
        # through the queues of all widgets up to the app, and a key behind it may have been looked at by then.
        for action in self.actions:
            for key in action.keys:
                self._bindings.bind(key, f"perform({action.id!r})", action.description, show=False, priority=True)
        self._bind_tags()

    # --- layout ----------------------------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        session = self._session
        codebook = f"codebook {session.codebook_name} r{session.codebook_revision}"
        self._header = Header(session.path.name, session.description, session.annotator, codebook)
        tag_keys = {choice.id: choice.key for choice in session.choices}
        self._queue = QueueColumn(len(session), session.rows, session.names, tag_keys)
        self._panes = ItemPanes(self._keys)
        self._tag_bar = TagBar([TagLabel(choice.id, choice.key, choice.name) for choice in session.choices])
        self._footer = Footer(self.actions, key_range([choice.key for choice in session.choices if choice.key]))
        yield self._header
        with Container(id="main"):
            yield Pane("Queue", self._queue, id="queue")
            yield Divider(id="queue-divider")
            yield self._panes
        yield self._tag_bar
        yield self._footer

    async def on_mount(self) -> None:
        self.set_focus(self._panes.comparison)
        self._show(await self._work.call(self._session.item, self._session.start_index()))
        if self._session.pending:
            self._tag_bar.show_message("Work of an earlier session waits in the side file; it is tried again.")
        self._follow_pending()

    async def on_unmount(self) -> None:
        await self._note.keep_now()
        self._work.close()

    def on_resize(self, event: events.Resize) -> None:
        self.call_after_refresh(self._after_resize)

    def _after_resize(self) -> None:
        self._keep_focus()
        if self._item is not None:
            self._show_queue(self._item)
        for rule in (self._tag_bar, *self.query(Divider)):
            rule.refresh()

    def _keep_focus(self) -> None:
        views = self._panes.views()
        if not self._note.is_open and self.focused not in views:
            self.set_focus(next(iter(views), None))

    # --- showing an item -------------------------------------------------------------------------------------------

    def _show(self, item: ReviewItem) -> None:
        """Show an item; everything changes in one paint and nothing changes its place."""
        self._item = item
        self._index = item.index if item.index >= 0 else self._index
        with self.app.batch_update():
            self._panes.show_item(item)
            self._show_review(item)
        if told := tell_draft(self._session, item, self._keys):
            self._say(told)

    def on_item_panes_compared(self, message: ItemPanes.Compared) -> None:
        message.stop()
        self._footer.show_situation(self._situation)

    def _show_review(self, item: ReviewItem) -> None:
        review, counts = item.review, self._session.counts()
        index = item.index if item.index >= 0 else None
        self._header.show_position(index, len(self._session), counts[ReviewState.REVIEWED])
        self._tag_bar.show_review(review.state, review.tags, review.note)
        if self._queue.region.area:
            self._show_queue(item)
        self._header.show_state(self._work.state)
        self._footer.show_situation(self._situation)

    def _show_queue(self, item: ReviewItem) -> None:
        self._queue.show_position(item.index if item.index >= 0 else None, count_words(self._session.counts()))

    @property
    def _situation(self) -> Situation:
        item = self._item
        return Situation(
            items=len(self._session),
            writing_note=self._note.is_open,
            has_input=bool(item and item.task.input),
            has_reasoning=bool(item and item.response.reasoning),
            has_prompt=bool(item and item.task.prompt),
            differences=self._panes.comparison.differences,
            blind=self._session.blind,
            hidden=item.hidden if item else frozenset(),
        )

    # --- keys ------------------------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While a note is written only its own keys act; its Enter is no key outside it."""
        if action != "perform":
            return True
        entry = self._by_id[str(parameters[0])]
        writing = self._note.is_open
        return entry.while_writing if writing else entry.outside_writing

    async def action_perform(self, action_id: str, *parameters: int) -> None:
        """Do an action of the registry, or say why it cannot be done now."""
        action = self._by_id[action_id]
        reason = action.why_not(self._situation)
        if reason is not None:
            self._say(reason, refused=True)
            return
        if action.id not in ("program.interrupt", "program.quit"):
            self._leaving_asked = False
        if action.method != "reveal":
            self._reveal_asked = None
        await self._act(partial(getattr(self, f"action_{action.method}"), *action.arguments, *parameters))

    async def action_choose(self, index: int) -> None:
        """Go to the item of a row that was clicked."""
        self._reveal_asked = None
        await self._act(partial(self._go_to, index))

    async def _act(self, act: Callable[[], Awaitable[None] | None]) -> None:
        """Do what a key stands for; what it says stays until the next key."""
        self._said = False
        last_tag, self._last_tag = self._last_tag, None
        self._help_at = last_tag
        await self._safely(act)
        if not self._said:
            self._tag_bar.show_message("")

    async def _safely(self, act: Callable[[], Awaitable[None] | None]) -> None:
        """Do something; an error becomes a sentence on the screen and never ends the review."""
        try:
            done = act()
            if done is not None:
                await done
        except Exception as error:
            self._say(f"This failed: {type(error).__name__}: {error}", refused=True)
        self._header.show_state(self._work.state)

    def _say(self, message: str, *, refused: bool = False) -> None:
        self._said = True
        self._tag_bar.show_message(message, refused=refused)

    def on_tag_bar_clicked(self, message: TagBar.Clicked) -> None:
        self._do_in_order(f"perform({TAG.id!r}, {message.index})")

    def on_footer_clicked(self, message: Footer.Clicked) -> None:
        self.app.call_later(self.app.run_action, f"perform({message.action.id!r})", self)

    def on_queue_column_chosen(self, message: QueueColumn.Chosen) -> None:
        self._do_in_order(f"choose({message.index})")

    def _do_in_order(self, action: str) -> None:
        """Let the app do an action in its turn among the keys."""
        if not self._note.is_open:
            self.app.call_later(self.app.run_action, action, self)

    # --- marks -----------------------------------------------------------------------------------------------------

    async def action_toggle_tag(self, index: int) -> None:
        choice = self._session.choices[index]
        if not choice.key and self._item and choice.id not in self._item.review.tags:
            self._say(f"The tag {choice.name} is retired: it can only be taken off.", refused=True)
            return
        if await self._mark(ToggleTag(choice.id)) and self._item and choice.id in self._item.review.tags:
            self._last_tag = index

    async def action_mark_reviewed(self) -> None:
        await self._mark(MarkReviewed())

    async def action_nothing_to_tag(self) -> None:
        await self._mark(NothingToTag())

    async def action_defer(self) -> None:
        await self._mark(Defer())

    async def action_undo(self) -> None:
        await self._mark(Undo())

    async def action_redo(self) -> None:
        await self._mark(Redo())

    async def _mark(self, intent: Intent) -> bool:
        """Save a mark, then show the item that it is on, or the next open one; say whether the mark was made."""
        assert self._item is not None
        had_tags = bool(self._item.review.tags)
        outcome = await self._work.submit(self._item.response_id, intent)
        if isinstance(outcome, Refused):
            self._say(outcome.message, refused=True)
            return False
        self._follow_pending()
        if isinstance(outcome, Pending):
            self._say(outcome.message, refused=True)
        if outcome.response_id != self._item.response_id:
            self._show(await self._work.call(self._session.item_by_id, outcome.response_id))
        else:
            self._item = replace(self._item, review=outcome.review)
            # Painting the mark and then the next item would take a frame of the screen more.
            if not (_goes_on(intent, outcome.review) and await self._go_to_next_open()):
                self._show_review(self._item)
        told = ""
        if isinstance(outcome, Saved):
            told = tell_mark(self._session, self._item, intent, outcome, had_tags=had_tags)
        if told:
            self._say(told)
        return True

    def _follow_pending(self) -> None:
        """While work is beside the audit file, try again and again to bring it in."""
        if self._session.pending and self._retrying is None:
            self._retrying = self.set_interval(_RETRY_SECONDS, self._start_retry)

    def _start_retry(self) -> None:
        self.run_worker(self._safely(self._retry), group="retry", exclusive=True, exit_on_error=False)

    async def _retry(self) -> None:
        if await self._work.call(self._session.retry_pending) == 0 and self._retrying is not None:
            self._retrying.stop()
            self._retrying = None
            self._say("All that waited is in the audit file now.")

    # --- moving ----------------------------------------------------------------------------------------------------

    async def _go_to_next_open(self) -> bool:
        """Go to the next item that is neither reviewed nor deferred; say whether there is one."""
        index = await self._work.call(self._session.next_open, self._index)
        if index is None:
            self._say(f"All {len(self._session)} items of this queue are reviewed or deferred.")
            return False
        if index <= self._index:
            self._say("Back at the first item that is still open.")
        await self._go_to(index)
        return True

    async def _go_to(self, index: int) -> None:
        self._show(await self._work.call(self._session.item, index))

    async def action_next_item(self) -> None:
        await self._move(1)

    async def action_previous_item(self) -> None:
        await self._move(-1)

    async def _move(self, by: int) -> None:
        index = self._index + by
        if 0 <= index < len(self._session):
            await self._go_to(index)
        else:
            self._say("This is the last item." if by > 0 else "This is the first item.")

    # --- the note --------------------------------------------------------------------------------------------------

    async def action_write_note(self) -> None:
        assert self._item is not None
        await self._note.open(self._item, before=self._tag_bar)
        self._footer.show_situation(self._situation)

    def on_note_editor_edited(self) -> None:
        self._note.keep_soon()

    async def action_save_note(self) -> None:
        if await self._mark(SetNote(await self._note.finish_typing())):
            await self._close_note()

    async def action_leave(self) -> None:
        if self._note.is_open:
            await self._note.finish_typing()
            await self._close_note()
        else:
            self._work.acknowledge()
            self._panes.show_all()

    async def _close_note(self) -> None:
        await self._note.close()
        self._keep_focus()
        self._footer.show_situation(self._situation)

    # --- leaving ---------------------------------------------------------------------------------------------------

    def action_interrupt(self) -> None:
        if self._note.is_open:
            self._say(tell_note_keys(self._keys))
        else:
            self._leave_when_asked_again()

    def action_quit_review(self) -> None:
        if self._session.pending or self._setup.settings.confirm_quit:
            self._leave_when_asked_again()
        else:
            self.app.exit(0)

    def _leave_when_asked_again(self) -> None:
        if self._leaving_asked:
            self.app.exit(0)
            return
        self._leaving_asked = True
        self._say(tell_leaving(self._session, self._keys), refused=bool(self._session.pending))


def _goes_on(intent: Intent, review: ReviewView) -> bool:
    """Say whether the next open item comes after a mark."""
    return isinstance(intent, MarkReviewed | NothingToTag) or (
        isinstance(intent, Defer) and review.state is ReviewState.DEFERRED
    )
