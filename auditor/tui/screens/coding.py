"""The key that opens the codebook, and what the review shows of a codebook that has another revision since."""

from __future__ import annotations

from auditor.audit.review import ReviewItem
from auditor.tui.actions import TAG, key_range, textual_key
from auditor.tui.palette import TagEntry
from auditor.tui.screens.looking import LookingScreen
from auditor.tui.setup import Setup
from auditor.tui.widgets.footer import Footer
from auditor.tui.widgets.header import Header
from auditor.tui.widgets.queue_column import QueueColumn
from auditor.tui.widgets.tag_bar import TagBar, TagLabel
from auditor.tui.work import Work


class CodingScreen(LookingScreen):
    """A screen that tags; the screen that builds on it sets the attributes and composes the widgets."""

    tag_entries: list[TagEntry]
    _setup: Setup
    _work: Work
    _item: ReviewItem | None
    _header: Header
    _queue: QueueColumn
    _tag_bar: TagBar
    _footer: Footer

    def _bind_tags(self) -> None:
        """Bind the keys of the codebook's tags, instead of those that another revision gave."""
        bound = self._bindings.key_to_bindings
        for key in list(bound):
            bound[key] = [one for one in bound[key] if not one.action.startswith(f"perform({TAG.id!r}, ")]
            if not bound[key]:
                del bound[key]
        for index, choice in enumerate(self._session.choices):
            if choice.key:
                key = textual_key(choice.key)
                self._bindings.bind(key, f"perform({TAG.id!r}, {index})", TAG.description, show=False, priority=True)
        self.tag_entries = [TagEntry(choice.name, choice.key or "retired") for choice in self._session.choices]

    async def action_show_codebook(self) -> None:
        from auditor.tui.screens.codebook import CodebookScreen

        await self._work.call(self._session.follow_codebook)
        actions = self._setup.screens["codebook"]
        await self.app.push_screen(CodebookScreen(self._session, self._work, actions, self._take_up_codebook))

    async def _take_up_codebook(self) -> None:
        """Show the item that is on the screen under the codebook as it is now."""
        session = self._session
        self._bind_tags()
        self._header.show_codebook(f"codebook {session.codebook_name} r{session.codebook_revision}")
        self._queue.show_tag_keys({choice.id: choice.key for choice in session.choices})
        self._tag_bar.show_tags([TagLabel(choice.id, choice.key, choice.name) for choice in session.choices])
        self._footer.show_tag_keys(key_range([choice.key for choice in session.choices if choice.key]))
        if self._item is not None:
            self._show(await self._work.call(session.item_by_id, self._item.response_id))

    def _show(self, item: ReviewItem) -> None:
        raise NotImplementedError
