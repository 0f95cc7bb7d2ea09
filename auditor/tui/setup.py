"""What the screens are opened with: settings, keys, themes, and the sentences about what of these is broken."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from auditor.configuration.configuration import Configuration
from auditor.configuration.keymap_file import read_keymap
from auditor.configuration.settings import Settings
from auditor.tui.actions import SCREENS
from auditor.tui.actions.key_names import writes
from auditor.tui.actions.keymap import Screens, map_keys


@dataclass(frozen=True)
class Setup:
    """A configuration as the screens take it."""

    settings: Settings = Settings()  # noqa: RUF009 (frozen)
    sources: Mapping[str, str] = field(default_factory=dict)
    """Where each setting that has not its default comes from."""
    screens: Screens = field(default_factory=lambda: SCREENS)
    themes_folder: Path | None = None
    problems: tuple[str, ...] = ()
    begins_with_agreement: bool = False
    """Whether the agreement screen is the first one."""
    unsafe: bool = False
    """Whether programs are replayed also where no wall keeps them from files, network and processes."""


def set_up(configuration: Configuration, tag_keys: Mapping[str, str]) -> Setup:
    """Read key map and themes of a configuration; `tag_keys` are the codebook's keys and the names of their tags."""
    file = read_keymap(configuration.keymap_file)
    mapped = map_keys(file.entries, SCREENS, tag_keys)
    problems = (*file.problems, *mapped.problems)
    folder = configuration.themes_folder
    return Setup(configuration.settings, configuration.sources, mapped.screens, folder, problems)


def quitting_keys(screens: Screens) -> list[str]:
    """Return the keys that leave the program from every page: those to quit that no text and no page needs."""
    actions = {action for screen in screens.values() for action in screen if action.id == "program.quit"}
    keys = {key for action in actions for key in action.keys}
    return sorted(key for key in keys if key.startswith("ctrl+") and not writes(key))
