"""The base of the screens that do actions of the registry: their keys, what is said of them, help and palette."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Protocol

from textual.events import Key
from textual.screen import Screen

from auditor.errors import AuditorError
from auditor.text import visible_line
from auditor.tui.actions import TAG, Action, Situation, key_range, shown_keys, textual_key
from auditor.tui.actions.key_names import is_pressed_by_hand, shown_key
from auditor.tui.palette import Palette, TagEntry
from auditor.tui.turns import do_in_turn
from auditor.tui.widgets.box import Covered
from auditor.tui.widgets.footer import Footer

if TYPE_CHECKING:
    from auditor.audit.review import ReviewSession, TagChoice
    from auditor.tui.work import Work

Act = Callable[[], "Awaitable[None] | None"]


class Teller(Protocol):
    """A widget that shows a sentence."""

    def show_message(self, message: str, *, refused: bool = False, brief: bool = False) -> None:
        """Show what happened, or why something did not; an empty message clears it. A brief one takes one row."""


class ActingScreen(Covered, Screen[None]):
    """Does an action `x` by the method `action_x` of the screen itself or of one of its parts."""

    AUTO_FOCUS = ""

    def __init__(self, session: ReviewSession, work: Work, actions: Sequence[Action], teller: Teller) -> None:
        super().__init__()
        self.session = session
        self.work = work
        self.actions = actions
        """What can be done here."""
        self.keys: Mapping[str, str] = shown_keys(actions)
        """The key of each action as a sentence names it."""
        self.tag_entries: list[TagEntry] = []
        """The tags that the palette lists."""
        self.choices: Sequence[TagChoice] = ()
        """The tags that the keys stand for, in the order of the actions; those of the session may be newer."""
        self.previous = ""
        """The id of the action before the one that is being done."""
        self.parts: Sequence[object] = ()
        """What has the methods that are not the screen's own."""
        self.footer = Footer(actions, "")
        self._teller = teller
        self._said = False
        self._by_id = {action.id: action for action in actions}
        # Priority bindings run where the app handles keys, one after the other; others run when the key has bubbled
        # through the queues of all widgets up to the app, and a key behind it may have been looked at by then.
        for action in actions:
            for key in action.keys:
                self._bindings.bind(key, f"perform({action.id!r})", action.description, show=False, priority=True)

    def bind_tags(self) -> None:
        """Bind the keys of the codebook's tags, instead of those that another revision gave."""
        self.choices = choices = self.session.choices
        bound = self._bindings.key_to_bindings
        for key in list(bound):
            bound[key] = [one for one in bound[key] if not one.action.startswith(f"perform({TAG.id!r}, ")]
            if not bound[key]:
                del bound[key]
        for index, choice in enumerate(choices):
            if choice.key:
                key = textual_key(choice.key)
                self._bindings.bind(key, f"perform({TAG.id!r}, {index})", TAG.description, show=False, priority=True)
        self.tag_entries = [TagEntry(choice.name, choice.key or "retired") for choice in choices]
        self.footer.show_tag_keys(key_range([choice.key for choice in choices if choice.key]))

    # --- what decides about an action ------------------------------------------------------------------------------

    @property
    def situation(self) -> Situation:
        """Return what decides whether an action can be done now."""
        return Situation()

    @property
    def is_writing(self) -> bool:
        """Say whether keys are text now, but for those of the text's own actions."""
        return False

    @property
    def help_tag(self) -> int | None:
        """Return the index of the tag at which help opens."""
        return None

    @property
    def listed_actions(self) -> Sequence[Action]:
        """Return the actions that help and palette list: those that can be of use on what is shown."""
        return self.actions

    @property
    def can_quit(self) -> bool:
        """Say whether the screen itself decides about leaving the program."""
        return "program.quit" in self._by_id

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While a text is written only its own keys act; its Enter is no key outside it."""
        if action != "perform":
            return True
        entry = self._by_id[str(parameters[0])]
        return entry.while_writing if self.is_writing else entry.outside_writing

    # --- doing it --------------------------------------------------------------------------------------------------

    def method_of(self, action: Action) -> Act:
        """Return the method that does an action."""
        for owner in (self, *self.parts):
            method: Act | None = getattr(owner, f"action_{action.method}", None)
            if method is not None:
                return method
        raise LookupError(f"{type(self).__name__} does not do {action.id}")

    async def action_perform(self, action_id: str, *parameters: int) -> None:
        """Do an action of the registry, or say why it cannot be done now."""
        action = self._by_id[action_id]
        if (reason := action.why_not(self.situation)) is not None and not self.is_writing:
            self.say(reason, refused=True)
            self.previous = action_id
        else:
            await self.act(partial(self.method_of(action), *action.arguments, *parameters), action_id)

    def tell_stray(self, key: Key) -> None:
        """Say of a key that does nothing here that it does nothing; the key goes where it goes."""
        if self.is_writing or self._does(key.key) or not is_pressed_by_hand(key.key, key.character):
            return
        help_key = self.keys.get("program.help", "")
        self.say(f"No such key here: {visible_line(shown_key(key.key))}.{f' {help_key} helps.' if help_key else ''}")

    def _does(self, key: str) -> bool:
        """Say whether a key is bound to something that can be done in this state."""
        for _, bindings in self._binding_chain:
            for binding in bindings.key_to_bindings.get(key, ()):
                if not binding.action.startswith("perform("):
                    return True
                if self.check_action("perform", (binding.action.split("'")[1],)):
                    return True
        return False

    async def act(self, act: Act, action_id: str = "") -> None:
        """Do what a key or a click stands for; what it says stays until the next one."""
        self._said, was_writing = False, self.is_writing
        await self.safely(act)
        # While something is written, what was said of it stays.
        if not (self._said or (was_writing and self.is_writing)):
            self.say("")
        self.previous = action_id

    async def safely(self, act: Act) -> None:
        """Do something; an error becomes a sentence on the screen and never ends the review."""
        try:
            done = act()
            if done is not None:
                await done
        except AuditorError as error:
            self.say(str(error), refused=True)
        except Exception as error:
            self.say(f"This failed: {type(error).__name__}: {error}", refused=True)

    def say(self, message: str, *, refused: bool = False, brief: bool = False) -> None:
        """Show a sentence until the next key; a brief one may be cut where its row ends."""
        self._said = True
        self._teller.show_message(message, refused=refused, brief=brief)

    def show_situation(self) -> None:
        """Show what can be done now."""
        self.footer.show_situation(self.situation)

    def on_footer_clicked(self, message: Footer.Clicked) -> None:
        do_in_turn(self, f"perform({message.action.id!r})")

    # --- help and palette ------------------------------------------------------------------------------------------

    async def action_show_help(self) -> None:
        """Open the help over the screen."""
        from auditor.tui.help_lines import HelpCodebook
        from auditor.tui.screens.help import HelpScreen

        session = self.session
        words = (session.codebook_title, session.codebook_description)
        choices = [choice for choice in session.choices if choice.key]
        codebook = HelpCodebook(session.codebook_name, session.codebook_revision, *words, choices)
        await self.app.push_screen(HelpScreen(codebook, self.listed_actions, self.help_tag))

    async def action_show_palette(self) -> None:
        """Open the palette over the screen."""
        what = "action, tag or theme" if self.tag_entries else "action or theme"
        await self.app.push_screen(Palette(id="--command-palette", placeholder=f"Search: {what}"))
