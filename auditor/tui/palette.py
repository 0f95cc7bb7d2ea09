"""What ctrl+p finds: the actions of the registry, the codebook's tags and the themes, by their short names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import ClassVar, NamedTuple

from textual.binding import Binding
from textual.command import CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.theme import BUILTIN_THEMES
from textual.widgets import Input

from auditor.text import PLAIN_LINE, visible_line
from auditor.tui.actions import TAG, Action


class Palette(CommandPalette):
    """The stock palette, but it leaves once, and no control character gets into its field."""

    # Looked at before the field gets the key, so that what is typed behind it is the screen's below.
    BINDINGS: ClassVar = [Binding("escape", "escape", priority=True)]

    def on_mount(self) -> None:
        """Take nothing into the field that a terminal would act on: it shows what it holds as it is."""
        self.query_one(Input).restrict = PLAIN_LINE

    def _action_escape(self) -> None:
        # An escape behind an enter or an escape would take away the screen below (Textual 8.2.8).
        if self.is_active:
            super()._action_escape()


class TagEntry(NamedTuple):
    """A tag of the codebook as the palette lists it."""

    name: str
    key: str


class Command(NamedTuple):
    """One entry; `help` is text of this program, because the palette reads it as markup."""

    text: str
    run: Callable[[], object]
    help: str | None = None


class ReviewCommands(Provider):
    """Named commands, shown as plain content: the palette would read a string as markup."""

    def commands(self) -> Iterator[Command]:
        """Yield each command."""
        actions: Sequence[Action] = getattr(self.screen, "listed_actions", ())
        for action in actions:
            if action.id != TAG.id and not action.while_writing and action.id != "program.palette":
                run = partial(self.app.run_action, f"perform({action.id!r})", self.screen)
                key = f"  ({action.shown_key})" if action.keys else ""
                yield Command(f"{action.short_name}{key}", run, action.description)
        entries: list[TagEntry] = getattr(self.screen, "tag_entries", [])
        for index, tag in enumerate(entries):
            run = partial(self.app.run_action, f"perform({TAG.id!r}, {index})", self.screen)
            yield Command(f"tag: {visible_line(tag.name, 60)}  ({visible_line(tag.key)})", run)
        for name in sorted(self.app.available_themes):
            if name not in BUILTIN_THEMES:
                yield Command(f"theme: {name}", partial(setattr, self.app, "theme", name))

    async def discover(self) -> Hits:
        for command in self.commands():
            yield DiscoveryHit(Content(command.text), command.run, text=command.text, help=command.help)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        found = False
        for command in self.commands():
            score = matcher.match(command.text)
            if score > 0:
                found = True
                # The matcher's own highlighting would read the names of tags and themes as markup.
                yield Hit(score, Content(command.text), command.run, text=command.text, help=command.help)
        if not found:
            # The palette's own words for this never reach its list (Textual 8.2.8).
            yield Hit(1, Content("nothing found"), lambda: None, text="nothing found")
