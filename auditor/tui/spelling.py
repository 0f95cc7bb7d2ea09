"""In which symbols a C* item is shown: those that the model was shown, or the standard ones, said clearly."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from auditor.audit.prompt_text import prompt_text
from auditor.errors import AuditorError
from auditor.grading.cstar_rules import CSTAR_LANGUAGES

if TYPE_CHECKING:
    from auditor.audit.review import ReviewItem
    from auditor.tui.widgets.pane import PaneTitle
    from auditor.tui.widgets.rules_view import RulesView

OTHER_SPELLING = "~ standard"
"""What begins the title of a view that the model was not shown; as computed facts do."""
NEVER_SHOWN = "never shown to the model"


class Spelled(NamedTuple):
    """A program to be shown."""

    source: str
    language: str
    """As highlighting knows it."""


class SpelledPrompt(NamedTuple):
    """A prompt to be shown, and what its title says."""

    text: str
    title: str


class Spelling:
    """Whether items are shown in standard symbols; it stays so from item to item."""

    def __init__(self) -> None:
        self.is_standard = False

    def toggle(self) -> None:
        """Show the other symbols from now on."""
        self.is_standard = not self.is_standard

    def is_other(self, item: ReviewItem) -> bool:
        """Say whether an item is shown in other symbols than those that the model was shown."""
        return self.is_standard and has_other_symbols(item)

    def of(self, item: ReviewItem) -> Spelled:
        """Return the program to show of an item."""
        task = item.task
        if task.language.lower() not in CSTAR_LANGUAGES:
            return Spelled(task.source, task.language)
        from auditor.audit.cstar_item import shown_language, shown_notation, standard_source

        notation = shown_notation(item)
        if notation is None or not self.is_other(item):
            return Spelled(task.source, shown_language(item))
        return Spelled(standard_source(task.source, notation), "cstar:standard")

    def prompt_of(self, item: ReviewItem) -> SpelledPrompt | None:
        """Return the prompt in standard symbols; None where it is to be shown as it was recorded."""
        if not self.is_other(item):
            return None
        from auditor.audit.cstar_item import standard_prompt

        prompt = standard_prompt(item)
        text = prompt_text(prompt.parts) if prompt is not None else None
        if prompt is None or text is None:
            return None
        which = "prompt" if prompt.is_whole else "program in the prompt"
        return SpelledPrompt(text, f"{OTHER_SPELLING} {which}, {NEVER_SHOWN}")

    def show_rules(self, view: RulesView, title: PaneTitle, item: ReviewItem) -> None:
        """Show the rules of an item, or why there are none."""
        from auditor.audit.cited_rules import cited_rules
        from auditor.studies.prex.cstar.notation import STANDARD

        name = f"{OTHER_SPELLING} rules, {NEVER_SHOWN}" if self.is_other(item) else "Rules"
        title.show(name=name, detail=f"{item.key.case} · {item.key.arm}" if item.key.arm else item.key.case)
        try:
            rules = cited_rules(item)
        except AuditorError as error:
            view.show_words(str(error))
            return
        view.show_rules(rules, STANDARD if self.is_standard else rules.notation)


def has_rules(item: ReviewItem) -> bool:
    """Say whether an item asks which rule of C* is violated."""
    return item.task.target == "verdict" and item.task.language.lower() in CSTAR_LANGUAGES


def has_other_symbols(item: ReviewItem) -> bool:
    """Say whether an item's program is known to be written in other symbols than the standard ones."""
    if item.task.language.lower() not in CSTAR_LANGUAGES:
        return False
    from auditor.audit.cstar_item import shown_notation
    from auditor.studies.prex.cstar.notation import STANDARD

    return shown_notation(item) not in (None, STANDARD)
