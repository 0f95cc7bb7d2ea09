"""The codebook over the review: its tags, what is written of each, and the questions that a change asks."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from textual.app import ComposeResult

from auditor.audit.review import ReviewSession
from auditor.codebook import Tag
from auditor.codebook_changes import Revised, Step
from auditor.errors import AuditorError
from auditor.text import counted, visible_line
from auditor.tui.actions import Action, Situation
from auditor.tui.codebook_dialogues import Asking, Proposal, Question
from auditor.tui.screens.acting import ActingScreen
from auditor.tui.widgets.box import Box
from auditor.tui.widgets.message_rule import MessageRule
from auditor.tui.widgets.note_editor import NoteEditor
from auditor.tui.widgets.pane import Divider, Pane
from auditor.tui.widgets.tag_list import TagDetail, TagList, listed_tags
from auditor.tui.work import Work


class CodebookScreen(ActingScreen):
    """Looks at one tag at a time; every change is made in the session's thread and is one revision."""

    DEFAULT_CSS = """
    CodebookScreen {
        layout: vertical;
        background: $background;

        #codebook-main { layout: horizontal; height: 1fr; }
        #codebook-list { width: 2fr; }
        #codebook-tag { width: 3fr; }
    }
    """

    def __init__(
        self,
        session: ReviewSession,
        work: Work,
        actions: Sequence[Action],
        on_close: Callable[[bool], Awaitable[None]],
    ) -> None:
        """`on_close` is told whether all revisions that came meanwhile were made here."""
        self._message = MessageRule()
        super().__init__(session, work, actions, self._message)
        self._on_close = on_close
        self._made_here = True
        self._asking: Asking | None = None
        self._question: Question | None = None
        """What is asked now; None while nothing is, or while a change waits for a yes."""
        self._proposal: Proposal | None = None
        self._editor: NoteEditor | None = None

    # --- layout ----------------------------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        self._list, self._detail = TagList(), TagDetail()
        self._list_pane = Pane("Codebook", self._list, id="codebook-list")
        with Box(id="codebook-main"):
            yield self._list_pane
            yield Divider()
            yield Pane("Tag", self._detail, id="codebook-tag")
        yield self._message
        yield self.footer

    async def on_mount(self) -> None:
        self.set_focus(self._detail)
        await self._show_book()

    async def _show_book(self, tag_id: str | None = None) -> None:
        """Show the codebook as it is now, at a tag or else where the list stands."""
        session = self.session
        uses = await self.work.call(session.own_uses)
        ids = [tag.id for tag in listed_tags(session.codebook)]
        index = ids.index(tag_id) if tag_id in ids else min(self._list.index, max(0, len(ids) - 1))
        self._list.show_book(session.codebook, uses, index)
        self._uses = uses
        self._list_pane.title.show(kept=f"{session.codebook_name} r{session.codebook_revision}")
        self._show_tag()

    def _show_tag(self) -> None:
        if (tag := self._tag) is not None:
            self._detail.show_tag(self.session.codebook, tag)
        self.show_situation()

    @property
    def _tag(self) -> Tag | None:
        tags = listed_tags(self.session.codebook)
        return tags[self._list.index] if self._list.index < len(tags) else None

    @property
    def situation(self) -> Situation:
        return Situation(items=len(self.session.codebook.tags), writing_note=self.is_writing)

    @property
    def is_writing(self) -> bool:
        return self._asking is not None

    # --- keys ------------------------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """In a question only its own keys act; where a tag is asked for, so do those that move along the list."""
        choosing = self._question is not None and self._question.of_tags
        if choosing and action == "perform" and self._by_id[str(parameters[0])].method == "step_tag":
            return True
        return super().check_action(action, parameters)

    def on_tag_list_chosen(self, message: TagList.Chosen) -> None:
        message.stop()
        if not self.is_writing or (self._question is not None and self._question.of_tags):
            self._go_to(message.index)

    def action_step_tag(self, which: str) -> None:
        self._go_to(self._list.index + (1 if which == "next" else -1))

    def _go_to(self, index: int) -> None:
        if 0 <= index < len(listed_tags(self.session.codebook)):
            self._list.go_to(index)
            self._show_tag()

    # --- a change --------------------------------------------------------------------------------------------------

    async def action_ask(self, kind: str) -> None:
        """Begin a change of the tag that is looked at."""
        tag = self._tag
        assert tag is not None, "a codebook that is reviewed under has tags"
        self._asking = Asking(kind, self.session.codebook, tag)
        await self._go_on(self._asking.begin())

    async def _go_on(self, following: Question | Proposal) -> None:
        if isinstance(following, Question):
            await self._ask(following)
        else:
            await self._propose(following)

    async def _ask(self, question: Question, problem: str = "") -> None:
        self._question, self._proposal = question, None
        await self._close_editor()
        keys = self.keys
        if question.of_tags:
            self.say(problem or f"{question.words} and press {keys['answer.take']}. {keys['answer.leave']} leaves it.")
        else:
            title = f"{question.words}   {keys['answer.take']} goes on, {keys['answer.leave']} leaves it"
            self._editor = NoteEditor(question.text, visible_line(title))
            await self.mount(self._editor, before=self._message)
            self.set_focus(self._editor)
            self.say(problem, refused=bool(problem))
        self.show_situation()

    async def _propose(self, proposal: Proposal) -> None:
        """Ask for a yes, saying what the change touches; what cannot be done is said, and asked for again."""
        assert self._asking is not None
        try:
            revised = proposal.step(self.session.codebook)
        except AuditorError as error:
            await self._cannot(str(error))
            return
        self._question, self._proposal = None, proposal
        await self._close_editor()
        if not revised.touched and proposal.settled is None:
            await self._make(proposal.step)  # nothing that anybody tagged is concerned
            return
        self.say(self._confirming(proposal, revised))
        self.show_situation()

    def _confirming(self, proposal: Proposal, revised: Revised) -> str:
        """Say what a change touches: the annotator's own items only, since others' work is not shown here."""
        assert self._asking is not None
        keys, own = self.keys, self._uses.get(self._asking.tag.id, 0)
        carried = ""
        if self._asking.tag.retired:
            carried = " What was tagged so counts as it again."
        elif revised.touched:
            carried = f" {counted(own, 'item')} of yours {'carries' if own == 1 else 'carry'} it."
        words = f"Make this change: {revised.words}?{carried} {keys['answer.take']}: do it"
        if proposal.settled is not None:
            words += f", and {proposal.again}. {keys['answer.settled']}: do it, with nothing to look at again"
        return f"{words}. {keys['answer.leave']}: leave it."

    async def _cannot(self, problem: str) -> None:
        assert self._asking is not None
        if self._asking.has_answers:
            await self._ask(self._asking.again(), problem)
        else:
            await self._end()
            self.say(problem, refused=True)

    async def action_take_answer(self) -> None:
        assert self._asking is not None
        if self._proposal is not None:
            await self._make(self._proposal.step)
        elif self._question is not None and self._question.of_tags:
            chosen = self._tag
            await self._go_on(self._asking.answer(chosen.id if chosen else ""))
        elif self._editor is not None:
            await self._editor.settle()
            answer = self._editor.note
            if self._question is not None and self._question.needed and not answer.strip():
                self.say(self._question.needed, refused=True)
            else:
                await self._go_on(self._asking.answer(answer))

    async def action_take_settled(self) -> None:
        if self._proposal is not None and self._proposal.settled is not None:
            await self._make(self._proposal.settled)

    async def action_leave_question(self) -> None:
        await self._end()
        self.say("Nothing was changed.")

    async def _make(self, step: Step) -> None:
        """Make a change; where it cannot be kept now, it stays asked for."""
        assert self._asking is not None
        known, before = {tag.id for tag in self.session.codebook.tags}, self.session.codebook_revision
        try:
            report = await self.work.call(self.session.revise_codebook, step)
        except AuditorError as error:
            again = f"{self.keys['answer.take']} tries again, {self.keys['answer.leave']} leaves it."
            self.say(f"{error} {again}", refused=True)
            self.show_situation()
            return
        fresh = [tag.id for tag in self.session.codebook.active if tag.id not in known]
        added = self._asking.kind == "add" and fresh
        tag = fresh[-1] if added else self._asking.tag.id
        await self._end()
        await self._show_book(tag)
        others = (await self.work.call(self.session.codebook_changes, before))[:-1]
        self._made_here = self._made_here and not others
        beside = f" Made elsewhere meanwhile: {'; '.join(others)}." if others else ""
        self.say(f"Revision {report.revision}: {report.words}.{beside}{self._what_next if added else ''}")

    @property
    def _what_next(self) -> str:
        """Say how a new tag gets what it was not asked for."""
        keys = self.keys
        ways = [(keys["codebook.group"], "puts it into a group"), (keys["codebook.edit"], "adds an example")]
        told = ", ".join(f"{key} {does}" for key, does in ways if key)
        return f" {told}." if told else ""

    async def _end(self) -> None:
        self._asking = self._question = self._proposal = None
        await self._close_editor()
        self.set_focus(self._detail)
        self.show_situation()

    async def _close_editor(self) -> None:
        editor, self._editor = self._editor, None
        if editor is not None:
            await editor.remove()

    # --- the program -----------------------------------------------------------------------------------------------

    async def action_close_codebook(self) -> None:
        # Both are done before the next key, which is the review's.
        await self.app.pop_screen()
        await self._on_close(self._made_here)

    def action_interrupt(self) -> None:
        where = "leaves this question" if self.is_writing else "goes back to the review"
        key = self.keys["answer.leave" if self.is_writing else "codebook.close"]
        self.say(f"{key} {where}.")
