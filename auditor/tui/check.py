"""Everything that is wrong in a person's configuration, as the screens would find it."""

from __future__ import annotations

import os
from pathlib import Path

from auditor.configuration.configuration import Configuration, config_file, file_settings
from auditor.configuration.keymap_file import read_keymap
from auditor.configuration.settings import Settings, from_environment
from auditor.configuration.toml_file import read_toml
from auditor.errors import AuditorError
from auditor.tui.actions import SCREENS
from auditor.tui.actions.keymap import map_keys
from auditor.tui.themes import known_themes, load_themes, unknown_theme


def check_configuration(named: Path | None) -> tuple[list[Path], list[str]]:
    """Return the files of a configuration that are there, and a sentence for each mistake in them."""
    path = config_file(named, os.environ)
    configuration = Configuration(Settings(), path)
    problems: list[str] = []
    values: dict[str, object] = {}
    try:
        values, problems = file_settings(read_toml(path))
        values |= from_environment(os.environ)
    except AuditorError as error:
        problems.append(str(error))
    keymap = read_keymap(configuration.keymap_file)
    problems += [*keymap.problems, *map_keys(keymap.entries, SCREENS, {}).problems]
    themes = load_themes(configuration.themes_folder)
    problems += themes.problems
    known = known_themes(themes)
    name = str(values.get("theme", Settings().theme))
    if name not in known:
        problems.append(unknown_theme(name, known))
    themes_of_user = sorted(configuration.themes_folder.glob("*.toml"))
    files = [one for one in (path, configuration.keymap_file, *themes_of_user) if one.exists()]
    return files, problems
