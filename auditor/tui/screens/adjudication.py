"""Adjudication: one item with its evidence, and below it a row for each tag on which the annotators differ."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial

from textual import events
from textual.app import ComposeResult

from auditor.audit.adjudication import Adjudication
from auditor.audit.reasoning_text import reasoning_text
from auditor.audit.review import ReviewItem, ReviewSession
from auditor.audit.rulings import Case
from auditor.model import SUBJECT
from auditor.text import visible_line
from auditor.tui.actions import Action, Situation
from auditor.tui.item_clock import ItemClock
from auditor.tui.parts.codebook_watch import CodebookWatch
from auditor.tui.parts.deciding import Deciding
from auditor.tui.parts.decision_note import DecisionNote
from auditor.tui.parts.going_to_cases import GoingToCases
from auditor.tui.parts.looking import Looking
from auditor.tui.parts.probing import Probing
from auditor.tui.parts.reading import Reading
from auditor.tui.parts.relating import Relating
from auditor.tui.parts.replaying import Replaying
from auditor.tui.parts.retrying import Retrying
from auditor.tui.screens.acting import Act, ActingScreen
from auditor.tui.setup import Setup
from auditor.tui.spelling import has_other_symbols, has_rules
from auditor.tui.widgets.box import Box
from auditor.tui.widgets.decision_list import DecisionList
from auditor.tui.widgets.header import Header
from auditor.tui.widgets.item_panes import ItemPanes
from auditor.tui.widgets.message_rule import MessageRule
from auditor.tui.widgets.note_editor import NoteEditor
from auditor.tui.widgets.pane import Divider, Pane
from auditor.tui.work import Work

LETTERS = "ABCDEFHILMOPSTVWXYZ"
"""What annotators are called whose names are hidden."""


_LEAST_DECISIONS, _LEAST_ROWS, _HEAD_ROWS = 8, 3, 2
"""Rows that the decisions may have in any terminal, those that they always have, and those above them."""


class AdjudicationScreen(ActingScreen):
    """One adjudicator's pass through the items that several people reviewed."""

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-normal"), (150, "-wide")]  # noqa: RUF012 (Textual's declaration)
    VERTICAL_BREAKPOINTS = [(0, "-short"), (24, "-tall")]  # noqa: RUF012
    DEFAULT_CSS = """
    AdjudicationScreen {
        layout: vertical;
        background: $background;

        #evidence { layout: horizontal; height: 1fr; }
        #decisions { height: 5; }
    }
    """

    def __init__(
        self,
        session: ReviewSession,
        setup: Setup,
        adjudication: Adjudication,
        *,
        work: Work | None = None,
        names_shown: bool = False,
        on_close: Callable[[], Awaitable[None]] | None = None,
        begin_at: int | None = None,
    ) -> None:
        """`work` is that of the screen below, to which `on_close` goes back; None = the program ends with this one.

        `begin_at` is the item to begin at, by row id, where it is one of these.
        """
        self._message = MessageRule()
        super().__init__(session, work or Work(session), setup.screens["adjudication"], self._message)
        self.keys = {"queue.next": self.keys["case.next_open"], "item.reveal": "", "codebook.show": "", **self.keys}
        self.setup = setup
        self.adjudication = adjudication
        self.names_shown = names_shown
        """Whether the annotators are called by their names."""
        self.unfolded = False
        """Whether the tags that all agree on have rows too."""
        adjudication.is_shuffled = not names_shown
        self._on_close = on_close
        self._owns_work = work is None
        own = setup.settings
        self.panes = ItemPanes(self.keys, wraps=own.wrap, folding=own.fold, runs_probes=own.probe_runs)
        self.rows = DecisionList()
        self._pane = Pane("Decisions", self.rows, id="decisions", head=self.rows.head)
        self.item: ReviewItem | None = None
        self.case: Case | None = None
        self.index = 0
        self.clock: ItemClock | None = None
        self._retrying = Retrying(self, self.safely)
        if self._owns_work:
            self.work.when_pending = self._retrying.begin
        self._note = DecisionNote(self, self._message)
        self._going = GoingToCases(self)
        self._codebook_watch = CodebookWatch(self, self.safely)
        self._begin_at = begin_at
        self._most_rows = 0
        """Rows of the longest list of decisions so far: the evidence gives them room once, and not item by item."""
        looks = (Looking(self), Reading(self), Relating(self), Replaying(self, Probing(self)))
        self.parts = (Deciding(self, self._note), self._note, self._going, *looks)

    # --- layout ----------------------------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        session = self.session
        self._header = Header(session.path.name, self.adjudication.description, session.annotator, self._book_words)
        yield self._header
        with Box(id="evidence"):
            yield self.panes
        yield self._pane
        yield self._message
        yield self.footer

    @property
    def _book_words(self) -> str:
        return f"codebook {self.session.codebook_name} r{self.session.codebook_revision}"

    async def on_mount(self) -> None:
        self.set_focus(self.panes.comparison)
        self._retrying.begin()
        self._codebook_watch.begin()
        await self.act(partial(self._going.begin, self._begin_at))

    async def on_unmount(self) -> None:
        await self._note.keep_now()
        if self._owns_work:
            self.work.close()

    def on_resize(self, event: events.Resize) -> None:
        self.call_after_refresh(self._after_resize)

    def _after_resize(self) -> None:
        if not self._note.is_open:
            self.panes.keep_focus()
        self._share_height()
        for rule in self.query(Divider):
            rule.refresh()

    def _share_height(self) -> None:
        """Give the decisions the rows that they need, up to a third of the screen; the evidence has the others."""
        third = max(_LEAST_DECISIONS, self.size.height // 3)
        if not self.unfolded:
            self._most_rows = max(self._most_rows, self.rows.total)
        wanted = third if self.unfolded else max(_LEAST_ROWS, self._most_rows) + _HEAD_ROWS
        height = min(third, wanted)
        if self._pane.styles.height is None or self._pane.styles.height.value != height:
            self._pane.styles.height = height

    # --- showing an item -------------------------------------------------------------------------------------------

    async def go_to(self, response_id: int, tag: str | None = None) -> None:
        """Show another item of the queue, or one outside it."""
        item, case = await self.work.call(self._read, response_id)
        index = self.adjudication.queue.index_of(response_id)
        with self.app.batch_update():
            self._show_item(replace(item, index=-1 if index is None else index))
            self.show_case(case, tag)

    def _read(self, response_id: int) -> tuple[ReviewItem, Case]:
        return self.session.item_by_id(response_id), self.adjudication.case(response_id)

    def _show_item(self, item: ReviewItem) -> None:
        self.item = item
        self.index = item.index if item.index >= 0 else self.index
        self.panes.show_item(item)

    def show(self, item: ReviewItem) -> None:
        """Show an item that was chosen among other answers, once what is decided of it is read."""
        self.app.call_later(self.safely, partial(self.go_to, item.response_id))

    def show_review(self, item: ReviewItem) -> None:
        """Show what the adjudicator's own work on the item is now: nothing of it is on this screen."""

    def follow_codebook(self) -> None:
        """Show the item under the codebook as it is now: its tags may be others."""
        self._header.show_codebook(self._book_words)
        self.app.call_later(self.safely, self._read_again)

    async def _read_again(self) -> None:
        if self.case is not None:
            line = self.rows.line
            case = await self.work.call(self.adjudication.case, self.case.response_id)
            self.show_case(case, line.row.tag.id if line and line.row else "")

    def show_case(self, case: Case, tag: str | None = None) -> None:
        """Show an item's decisions, at a tag or else at the first that needs one."""
        before, self.case = self.case, case
        fold_key = self.keys["case.agreed"]
        same = before is not None and before.response_id == case.response_id
        at = self.rows.index if same else 0
        self.rows.show_case(case, self.names(), at, unfolded=self.unfolded, fold_key=fold_key)
        wanted = self.rows.index_of(tag) if tag is not None else self.rows.needing(at)
        self.rows.go_to(at if wanted is None else wanted)
        self._share_height()
        self._show_tag()
        counts = self.adjudication.counts()
        done = sum(counts.values()) - counts["open"] - counts["stale"]
        index = self.adjudication.queue.index_of(case.response_id)
        self._header.show_position(index, f"{len(self.adjudication.queue):,}", done)
        self._header.show_state(self.work.state)
        self.show_situation()

    def _show_tag(self) -> None:
        """Let the title of the list say what the tag means."""
        line = self.rows.line
        told = f"{line.row.tag.name}: {' '.join(line.row.tag.definition.split())}" if line and line.row else ""
        self._pane.title.show(detail=told)

    def names(self) -> tuple[str, ...]:
        """Return what the item's annotators are called now."""
        if self.case is None:
            return ()
        letters = [LETTERS[at] if at < len(LETTERS) else str(at + 1) for at in range(len(self.case.voices))]
        if not self.names_shown:
            return tuple(letters)
        return tuple(f"{letter} {voice.annotator}" for letter, voice in zip(letters, self.case.voices, strict=True))

    # --- keys and clicks -------------------------------------------------------------------------------------------

    @property
    def situation(self) -> Situation:
        item = self.item
        return Situation(
            items=len(self.adjudication.queue),
            writing_note=self._note.is_open,
            on_tag=bool((line := self.rows.line) and line.row),
            has_tag=self.rows.nearest_tag is not None,
            voices=len(self.case.voices) if self.case else 0,
            has_input=bool(item and item.task.input),
            is_asked=item is None or item.task.target != SUBJECT,
            has_reasoning=bool(item and reasoning_text(item.response)),
            has_prompt=bool(item and item.task.prompt),
            has_rules=bool(item and has_rules(item)),
            has_other_symbols=bool(item and has_other_symbols(item)),
            differences=self.panes.comparison.differences,
        )

    @property
    def listed_actions(self) -> Sequence[Action]:
        """Return the actions without those that take the set of somebody whom the item does not have."""
        voices = self.situation.voices
        return [one for one in self.actions if one.method != "take_set" or int(one.arguments[0]) < voices]

    @property
    def is_writing(self) -> bool:
        return self._note.is_open

    async def safely(self, act: Act) -> None:
        await super().safely(act)
        self._header.show_state(self.work.state)

    def action_step_row(self, by: str) -> None:
        """Go to another row; a note is read in full."""
        self.go_to_row(self.rows.index + int(by))

    def go_to_row(self, index: int) -> None:
        """Act on another row."""
        self.rows.go_to(index)
        self._show_tag()
        self.show_situation()
        line = self.rows.line
        if line is not None and line.row is None:
            self.say(line.text)
        elif line is not None and line.row is not None and line.row.decision and line.row.decision.ruling.note:
            self.say(f"{visible_line(line.row.decision.adjudicator, 60)}: {line.row.decision.ruling.note}")
        elif line is not None and line.row is not None and line.row.waiting:
            self.say(f"Your note, for the decision to come: {line.row.waiting}")

    def action_show_names(self) -> None:
        """Call the annotators by their names, or by letters again."""
        self.names_shown = not self.names_shown
        self._show_again()

    def action_show_agreed(self) -> None:
        """Show the tags that all agree on, or fold them."""
        self.unfolded = not self.unfolded
        self._show_again()

    def _show_again(self) -> None:
        if self.case is not None:
            line = self.rows.line
            self.show_case(self.case, line.row.tag.id if line and line.row else "")

    async def action_choose(self, index: int) -> None:
        """Act on a row that was clicked."""
        await self.act(partial(self.go_to_row, index))

    def on_row_view_chosen(self, message: DecisionList.Chosen) -> None:
        message.stop()
        if not self._note.is_open:
            self.app.call_later(self.app.run_action, f"choose({message.index})", self)

    def on_item_panes_compared(self, message: ItemPanes.Compared) -> None:
        message.stop()
        self.show_situation()

    def on_note_editor_edited(self, message: NoteEditor.Edited) -> None:
        message.stop()
        self._note.keep_soon()

    # --- leaving ---------------------------------------------------------------------------------------------------

    async def action_quit_review(self) -> None:
        """Go back to the screen below, or end the program: at once where all is saved, else when asked twice."""
        await self.safely(partial(self.work.call, self.session.drop_settled, self.adjudication.case))
        if self._on_close is not None:
            await self.app.pop_screen()
            await self._on_close()
        elif self.session.pending:
            self._leave_when_asked_again()
        else:
            self.app.exit(0)

    async def action_interrupt(self) -> None:
        """Say how to leave; pressed twice, leave."""
        if self._note.is_open:
            self.say(f"{self.keys['note.save']} saves the note, {self.keys['note.leave']} leaves it as it was.")
        else:
            self._leave_when_asked_again()

    def _leave_when_asked_again(self) -> None:
        if self.previous in ("program.interrupt", "program.quit"):
            self.app.exit(0)
            return
        unsaved = self.session.pending
        kept = f"{unsaved:,} of your last decisions are kept beside the file; " if unsaved else ""
        self.say(f"{kept}{self.keys['program.quit']} leaves; pressed twice, ctrl+c does too.", refused=bool(unsaved))
