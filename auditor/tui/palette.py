"""What ctrl+p finds: the actions of the registry and the themes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.theme import BUILTIN_THEMES

from auditor.tui.actions import ACTIONS


class ReviewCommands(Provider):
    """Named commands, shown as plain content: the palette would read a string as markup."""

    def commands(self) -> Iterator[tuple[str, Callable[[], object]]]:
        """Yield each command's text and what it does."""
        for action in ACTIONS:
            if action.keys and not action.while_writing and action.id != "program.palette":
                run = partial(self.app.run_action, f"perform({action.id!r})", self.screen)
                yield f"{action.description}  ({action.shown_key})", run
        for name in sorted(self.app.available_themes):
            if name not in BUILTIN_THEMES:
                yield f"Theme: {name}", partial(setattr, self.app, "theme", name)

    async def discover(self) -> Hits:
        for text, run in self.commands():
            yield DiscoveryHit(Content(text), run, text=text)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for text, run in self.commands():
            score = matcher.match(text)
            if score > 0:
                yield Hit(score, matcher.highlight(text), run, text=text)
