"""One text of an item in a pane: its reply, reasoning, input or prompt, or the words that stand for its absence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from auditor.audit.asked_probe import marked_place
from auditor.audit.call_arguments import call_arguments
from auditor.audit.prompt_text import prompt_text
from auditor.audit.reasoning_text import reasoning_text
from auditor.text import visible_line
from auditor.tui.widgets.pane import Pane
from auditor.tui.widgets.source_view import checkpoint_words
from auditor.tui.widgets.text_view import TextView

if TYPE_CHECKING:
    from auditor.audit.review import ReviewItem
    from auditor.model import Task
    from auditor.tui.spelling import Spelling

_NAME_CELLS = 18
_SHOWN_ARGUMENT = 2_000
"""Characters of an argument; all of it stands in the input above."""
ItemText = Literal["reply", "reasoning", "input", "prompt"]


def show_item_text(pane: Pane, view: TextView, item: ReviewItem, which: ItemText, spelling: Spelling) -> None:
    """Show one text of an item in the view of a pane, and in its title what it is."""
    if which == "prompt" and (prompt := spelling.prompt_of(item)) is not None:
        view.show_text(prompt.text)
        pane.title.show(name=prompt.title, detail=source_words(item), kept="")
        return
    answer = which in ("reply", "reasoning")
    words = item.key.setting if answer else source_words(item)
    pane.title.show(name=which.capitalize(), detail=words, kept=f"sample {item.key.sample}" if answer else "")
    if which == "reply":
        why = item.response.error or item.response.finish
        view.show_text(item.response.text, f"(no response{f': {visible_line(why)}' if why else ''})")
    elif which == "reasoning":
        view.show_text(reasoning_text(item.response))
    elif which == "input":
        show_input(view, item.task)
    else:
        absent = "the prompt is hidden" if item.hidden else "no prompt was recorded with this task"
        view.show_text(prompt_text(item.task.prompt), f"({absent})")


def show_input(view: TextView, task: Task) -> None:
    """Show the input of a task, and below it its arguments by name where it is that of a call."""
    arguments = call_arguments(task)
    widest = min(_NAME_CELLS, max((len(argument.name) for argument in arguments), default=0))
    named = [f"{name.ljust(widest)} = {visible_line(text, _SHOWN_ARGUMENT)}" for name, text in arguments]
    view.show_text(task.input or None, "(no input)", named)


def source_words(item: ReviewItem) -> str:
    """Return what a title says of a task: case, arm, checkpoint, language."""
    task = item.task
    place = marked_place(task)
    at = f"▸{place.line} {checkpoint_words(place)}" if place is not None else ""
    return joined_words(item.key.case, item.key.arm, at, task.language)


def joined_words(*parts: str) -> str:
    """Join those parts of a title that are known: a blind review leaves some out."""
    return " · ".join(filter(None, parts))


class TextOver(Pane):
    """One text of an item over all panes of a screen, which has the layers `panes` and `over`."""

    DEFAULT_CSS = """
    TextOver { layer: over; width: 100%; height: 100%; display: none; background: $background; }
    """

    def __init__(self, spelling: Spelling) -> None:
        self.text = TextView()
        super().__init__("Reply", self.text, id="over")
        self._spelling = spelling
        self.which: ItemText | None = None
        """The text that is shown; None = none."""

    def toggle(self, which: ItemText, item: ReviewItem) -> None:
        """Show a text, or take it away again."""
        self.which = None if which == self.which else which
        self.show_item(item)
        self.display = self.which is not None

    def show_item(self, item: ReviewItem) -> None:
        """Show the text as it is wished for now, if one is shown."""
        if self.which is not None:
            show_item_text(self, self.text, item, self.which, self._spelling)

    def hide(self) -> None:
        """Take the text away."""
        self.which, self.display = None, False
