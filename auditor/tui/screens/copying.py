"""The question what of an item is copied to where: two lists of answers, and for a file its name."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path

from textual.app import ComposeResult
from textual.containers import Container
from textual.screen import ModalScreen

from auditor.audit.item_parts import TakenError, part_file_name, part_text, save_part
from auditor.audit.review import ReviewItem
from auditor.errors import AuditorError
from auditor.text import counted, visible_line
from auditor.tui.actions import Action, Situation, shown_keys, textual_key
from auditor.tui.copying import Choice, first_choice, part_choices, place_choices
from auditor.tui.outside import find_editor, find_pager, show_in_editor, show_in_pager
from auditor.tui.setup import Setup
from auditor.tui.turns import do_in_turn
from auditor.tui.widgets.choice_list import ChoiceList
from auditor.tui.widgets.footer import Footer
from auditor.tui.widgets.message_rule import MessageRule
from auditor.tui.widgets.note_editor import NoteEditor
from auditor.tui.widgets.pane import Pane

OnCopied = Callable[[str], None]
"""Is told what was copied, in a sentence."""


class CopyScreen(ModalScreen[None]):
    """A small page over the review."""

    AUTO_FOCUS = ""
    DEFAULT_CSS = """
    CopyScreen { align: center middle; background: $background 60%; }
    CopyScreen > Container { width: 96%; max-width: 84; height: auto; background: $background; }
    CopyScreen Pane { height: 9; width: 100%; }
    CopyScreen NoteEditor { height: 3; }
    """

    def __init__(self, item: ReviewItem, setup: Setup, wanted: str, on_copied: OnCopied) -> None:
        """`wanted` is the part that is offered first."""
        super().__init__()
        self._item = item
        self._settings = setup.settings
        self._on_copied = on_copied
        self._choices: Sequence[Choice] = part_choices(item)
        self._part: Choice | None = None
        """What is copied, once that is chosen."""
        self._wanted = wanted
        self._editor: NoteEditor | None = None
        self._replacing: str | None = None
        """The name that was asked about because there is something under it."""
        self.actions = setup.screens["copy"]
        """What can be done here."""
        self._by_id = {action.id: action for action in self.actions}
        self._keys = shown_keys(self.actions)
        for action in self.actions:
            for key in action.keys:
                self._bindings.bind(key, f"perform({action.id!r})", action.description, show=False, priority=True)
        taken = {key for action in self.actions for key in action.keys}
        letters = {choice.key for choice in (*self._choices, *place_choices("", self._settings, os.environ))}
        for letter in sorted(letters - taken):
            self._bindings.bind(textual_key(letter), f"choose({letter!r})", show=False, priority=True)

    # --- layout ----------------------------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        self._list = ChoiceList()
        self._pane = Pane("Copy what?", self._list, id="copy")
        self._message = MessageRule()
        self._footer = Footer(self.actions, "")
        with Container():
            yield self._pane
            yield self._message
            yield self._footer

    def on_mount(self) -> None:
        self.set_focus(self._list)
        self._show_parts()

    def _show_parts(self) -> None:
        self._part = None
        self._choices = part_choices(self._item)
        self._show("Copy what?", self._wanted)

    def _show_places(self, part: Choice) -> None:
        self._part, self._wanted = part, part.id
        self._choices = place_choices(self._text, self._settings, os.environ)
        self._show(f"Copy the {part.name} where to?", "file")

    def _show(self, title: str, wanted: str) -> None:
        self._pane.title.show(name=title)
        self._list.show_choices(self._choices, first_choice(self._choices, wanted))
        self._say("")
        self._footer.show_situation(Situation(writing_note=self._editor is not None))

    def _say(self, message: str, *, refused: bool = False) -> None:
        self._message.show_message(message, refused=refused)

    @property
    def _text(self) -> str:
        """Return the text that is copied."""
        assert self._part is not None, "a place is asked for after the text"
        return part_text(self._item, self._part.id) or ""

    # --- keys ------------------------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While a name is written only the keys of the field act."""
        writing = self._editor is not None
        if action == "choose":
            return not writing
        if action != "perform":
            return True
        entry = self._by_id[str(parameters[0])]
        return entry.while_writing if writing else entry.outside_writing

    def method_of(self, action: Action) -> Callable[..., Awaitable[None] | None]:
        """Return the method that does an action."""
        method: Callable[..., Awaitable[None] | None] = getattr(self, f"action_{action.method}")
        return method

    async def action_perform(self, action_id: str) -> None:
        """Do an action of the registry; an error becomes a sentence."""
        action = self._by_id[action_id]
        await self._safely(partial(self.method_of(action), *action.arguments))

    async def action_choose(self, letter: str) -> None:
        """Take the answer with a letter."""
        for index, choice in enumerate(self._choices):
            if choice.key == letter:
                self._list.go_to(index)
                await self._safely(self.action_take_choice)

    def on_choice_list_chosen(self, message: ChoiceList.Chosen) -> None:
        message.stop()
        if self._editor is None:
            do_in_turn(self, f"choose({message.choice.key!r})")

    def on_footer_clicked(self, message: Footer.Clicked) -> None:
        do_in_turn(self, f"perform({message.action.id!r})")

    async def _safely(self, act: Callable[[], Awaitable[None] | None]) -> None:
        try:
            done = act()
            if done is not None:
                await done
        except AuditorError as error:
            self._say(str(error), refused=True)
        except Exception as error:  # an error becomes a sentence and never ends the review
            self._say(f"This failed: {type(error).__name__}: {error}", refused=True)

    def action_step_choice(self, which: str) -> None:
        index = self._list.index + (1 if which == "next" else -1)
        if 0 <= index < len(self._choices):
            self._list.go_to(index)
            self._say("")

    async def action_take_choice(self) -> None:
        choice = self._choices[self._list.index]
        if choice.why_not:
            self._say(f"{choice.name}: {choice.why_not}.", refused=True)
        elif self._part is None:
            self._show_places(choice)
        else:
            await getattr(self, f"_to_{choice.id}")(self._text)

    async def action_leave_choice(self) -> None:
        if self._part is None:
            await self.app.pop_screen()
        else:
            self._show_parts()

    def action_interrupt(self) -> None:
        self._say(f"{self._keys['choice.leave' if self._editor is None else 'field.leave']} goes back.")

    async def _close(self, message: str) -> None:
        # Both are done before the next key, which is the review's.
        await self.app.pop_screen()
        self._on_copied(message)

    # --- places ----------------------------------------------------------------------------------------------------

    async def _to_pager(self, text: str) -> None:
        program = find_pager(self._settings.pager, os.environ)
        await self._close(show_in_pager(self.app, program, text))

    async def _to_editor(self, text: str) -> None:
        program = find_editor(self._settings.editor, os.environ)
        await self._close(show_in_editor(self.app, program, text, self._file_name))

    async def _to_clipboard(self, text: str) -> None:
        self.app.copy_to_clipboard(text)
        size = counted(len(text.encode()), "byte")
        await self._close(f"Sent to the terminal's clipboard: {size}. Not every terminal takes it.")

    async def _to_file(self, text: str) -> None:
        """Ask for the name."""
        title = f"Name of the file   {self._keys['field.take']} writes it, {self._keys['field.leave']} goes back"
        self._editor, self._replacing = NoteEditor(self._file_name, visible_line(title)), None
        await self.query_one(Container).mount(self._editor, before=self._message)
        self.set_focus(self._editor)
        self._say(f"In {Path.cwd()}, unless the name has a folder.")
        self._footer.show_situation(Situation(writing_note=True))

    @property
    def _file_name(self) -> str:
        assert self._part is not None, "a name is asked for after the text"
        return part_file_name(self._item, self._part.id)

    async def action_take_field(self) -> None:
        assert self._editor is not None
        await self._editor.settle()
        name = self._editor.note
        if not name.strip():
            self._say("Write a name.", refused=True)
            return
        try:
            path = Path(name).expanduser()
        except RuntimeError as error:
            raise AuditorError(f"{visible_line(name, 60)}: there is no such person here.") from error
        try:
            written = save_part(path, self._text, replace=self._replacing == name)
        except TakenError as error:
            self._replacing = name
            self._say(f"{error} {self._keys['field.take']} once more replaces it.", refused=True)
            return
        await self._close_editor()
        await self._close(f"Written: {path}, {counted(written, 'byte')}.")

    async def action_leave_field(self) -> None:
        await self._close_editor()
        assert self._part is not None
        self._show_places(self._part)

    async def _close_editor(self) -> None:
        editor, self._editor = self._editor, None
        if editor is not None:
            await editor.remove()
        self.set_focus(self._list)
