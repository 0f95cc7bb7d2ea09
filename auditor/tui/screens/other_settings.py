"""A task under all settings and samples: a list, and the comparison of the answer that the keys act on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from textual.app import ComposeResult

from auditor.audit.related_items import Answer, RelatedItems, TaskAnswers
from auditor.audit.review import ReviewSession
from auditor.text import counted
from auditor.tui.actions import Action
from auditor.tui.screens.related import OnClose, RelatedScreen
from auditor.tui.turns import do_in_turn
from auditor.tui.widgets.answer_list import AnswerList
from auditor.tui.widgets.answer_panel import AnswerPanel
from auditor.tui.widgets.box import Box
from auditor.tui.widgets.pane import Pane
from auditor.tui.work import Work


class OtherSettingsScreen(RelatedScreen):
    """Goes along the answers; each one's comparison is shown at once."""

    closing = "settings.close"
    DEFAULT_CSS = """
    OtherSettingsScreen #answers { height: 2fr; }
    OtherSettingsScreen AnswerPanel { height: 3fr; }
    """

    def __init__(
        self,
        session: ReviewSession,
        work: Work,
        actions: Sequence[Action],
        related: RelatedItems,
        answers: TaskAnswers,
        on_close: OnClose,
    ) -> None:
        super().__init__(session, work, actions, related, on_close)
        self._answers = answers
        self._panel = AnswerPanel()
        self._alike: Mapping[int, Sequence[int]] = {}
        """For each answer those that predict the same; empty until that is known."""
        self._list = AnswerList(self._read, len(answers.ids), answers.task, answers.at, session.names()[1])

    def compose(self) -> ComposeResult:
        yield self._title
        with Box(id="related"):
            yield Pane("Answers", self._list, head=self._list.head, id="answers")
            yield self._panel
            yield self._over
        yield self._message
        yield self.footer

    async def on_mount(self) -> None:
        self.set_focus(self._list)
        key, hidden = self._answers.key, self._answers.hidden
        self._title.show(
            name=f"Settings of {key.case}",
            detail=key.arm + (f" · {counted(hidden, 'answer')} not revealed yet" if hidden else ""),
        )
        ids = self._answers.ids
        self._alike = await self.work.call(self.related.equal_answers, ids)
        self._list.show_alike({place: len(self._alike.get(one, ())) for place, one in enumerate(ids)})
        await self._show_answer()

    def _read(self, start: int, count: int) -> list[Answer]:
        return self.related.answers(self._answers.ids[start : start + count])

    @property
    def panel(self) -> AnswerPanel:
        return self._panel

    async def _show_answer(self) -> None:
        """Show the comparison of the answer that the list stands at."""
        place = self._list.index
        item = await self.work.call(self.session.item_by_id, self._answers.ids[place])
        same = len(self._alike.get(item.response_id, ()))
        note = (
            f"sample {item.key.sample}"
            + (" · this item" if place == self._answers.at else "")
            + (f" · {same} of {counted(len(self._answers.ids), 'answer')} are this one" if same > 1 else "")
        )
        self._panel.show_item(item.key.setting, item, note)
        self.show_situation()

    # --- keys and clicks -------------------------------------------------------------------------------------------

    async def action_step(self, how: str) -> None:
        """Go along the list; in a text that lies over it, scroll."""
        view, total = self._list, len(self._answers.ids)
        steps = {"down": 1, "up": -1, "page down": view.page, "page up": -view.page, "start": -total, "end": total}
        if self._over.which is not None:
            self._over.text.scroll_by(how)
        elif total == 1:
            self.say("This is the only answer to this task that can be shown.")
        else:
            await self._go_to(view.index + steps[how])

    async def action_choose(self, index: int) -> None:
        """Go to the answer of a row that was clicked."""
        await self.act(partial(self._go_to, index))

    async def _go_to(self, index: int) -> None:
        if self._over.which is None:
            self._list.go_to(index)
            await self._show_answer()

    def on_row_view_chosen(self, message: AnswerList.Chosen) -> None:
        message.stop()
        do_in_turn(self, f"choose({message.index})")
