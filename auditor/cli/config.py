"""`auditor config` and `auditor themes`: the settings, where they come from, and whether the files are right."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from auditor.cli import options
from auditor.cli.output import print_json, print_text, terminal_width
from auditor.cli.table import table_lines
from auditor.configuration.settings import checked, setting_fields
from auditor.errors import AuditorError
from auditor.text import counted, visible_line


@click.group("config")
def config() -> None:
    """Show, check and change your settings; keys and themes stand in files beside them."""


@config.command("show")
@options.config_file
@options.as_json
def show_command(config_path: Path | None, as_json: bool) -> int:
    """Print every setting as it acts now, and where it comes from.

    Command line before environment before file before default.
    """
    from auditor.configuration.configuration import load_configuration

    loaded = load_configuration(config_path)
    rows: list[dict[str, Any]] = [
        {
            "name": name,
            "value": getattr(loaded.settings, name),
            "source": loaded.sources.get(name, "default"),
            "default": one.default,
            "about": one.metadata["about"],
        }
        for name, one in setting_fields().items()
    ]
    if as_json:
        print_json({"file": str(loaded.file), "exists": loaded.file.exists(), "settings": rows})
        return 0
    table = [[row["name"], _shown(row["value"]), row["source"], row["about"]] for row in rows]
    print_text(f"{loaded.file}{'' if loaded.file.exists() else ' (there is no such file yet)'}", wrap=False)
    for line in table_lines(["setting", "value", "from", "what it is"], table, terminal_width()):
        print_text(line, wrap=False)
    return 0


@config.command("path")
@options.config_file
def path_command(config_path: Path | None) -> int:
    """Print where the settings file is, or would be."""
    import os

    from auditor.configuration.configuration import config_file

    print_text(str(config_file(config_path, os.environ, may_be_new=True)), wrap=False)
    return 0


@config.command("check")
@options.config_file
def check_command(config_path: Path | None) -> int:
    """Check settings, key map and themes.

    Every mistake is named with its file and line. What a key map takes from the tags of a codebook is seen only when
    the codebook is opened.
    """
    from auditor.tui.check import check_configuration

    checked_files, problems = check_configuration(config_path)
    for path in checked_files:
        print_text(f"read {path}", wrap=False)
    for problem in problems:
        print_text(problem)
    print_text(f"{counted(len(problems), 'mistake')}." if problems else "Nothing is wrong.")
    return 1 if problems else 0


@config.command("set")
@click.argument("name", metavar="SETTING")
@click.argument("value")
@options.config_file
def set_command(name: str, value: str, config_path: Path | None) -> int:
    """Write one setting into the settings file.

    The file is made when there is none, and the rest of it stays as it is.

    \b
    auditor config set theme auditor-light
    auditor config set annotator ana
    """
    import os

    from auditor.configuration.configuration import config_file
    from auditor.configuration.edit import set_setting

    path = config_file(config_path, os.environ, may_be_new=True)
    if name == "theme":
        _refuse_unknown_theme(value, path.parent / "themes")
    line = set_setting(path, name, value)
    print_text(f"{path}: {line}", wrap=False)
    return 0


def _refuse_unknown_theme(name: str, folder: Path) -> None:
    from auditor.tui.themes import known_themes, load_themes

    checked("theme", name)
    known = known_themes(load_themes(folder))
    if name not in known:
        from difflib import get_close_matches

        near = get_close_matches(name, known, n=1)
        hint = f"Did you mean {near[0]}?" if near else "See: auditor themes list"
        raise AuditorError(f"there is no theme {visible_line(name, 60)!r}.", hint)


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return ", ".join(value) or "-"
    return str(value) or "-"


@click.group("themes")
def themes() -> None:
    """List the themes there are, and check one of your own."""


@themes.command("list")
@options.config_file
@options.as_json
def list_command(config_path: Path | None, as_json: bool) -> int:
    """Print the themes there are.

    Those in your folder, the bundled ones, and those of Textual.
    """
    import os

    from auditor.configuration.configuration import config_file
    from auditor.tui.themes import known_themes, load_themes

    folder = config_file(config_path, os.environ).parent / "themes"
    loaded = load_themes(folder)
    rows = [
        {"name": name, "dark": theme.dark, "from": str(loaded.files[name]) if name in loaded.files else "Textual"}
        for name, theme in known_themes(loaded).items()
    ]
    if as_json:
        print_json({"folder": str(folder), "themes": rows, "problems": list(loaded.problems)})
        return 1 if loaded.problems else 0
    table = [[row["name"], "dark" if row["dark"] else "light", row["from"]] for row in rows]
    for line in table_lines(["theme", "ground", "from"], table, terminal_width()):
        print_text(line, wrap=False)
    for problem in loaded.problems:
        print_text(problem)
    print_text(f"Your own themes belong into {folder}")
    return 1 if loaded.problems else 0


@themes.command("check")
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE")
def check_theme_command(file: Path) -> int:
    """Check a theme file.

    It says whether the theme can be used, and which of its texts are hard to read on which ground.

    Hard to read is a contrast below 4.5 to 1, in the terminal's full colours.
    """
    from auditor.tui.theme_contrast import weak_pairs
    from auditor.tui.themes import load_theme

    theme = load_theme(file)
    weak = weak_pairs(theme)
    for pair in weak:
        text, ground = f"{pair.text} {pair.text_color}", f"{pair.ground} {pair.ground_color}"
        print_text(f"{text} on {ground}: {pair.contrast:.1f} to 1")
    print_text(f"The theme {theme.name!r} can be used." + (f" {len(weak)} texts are hard to read." if weak else ""))
    return 1 if weak else 0
