"""Where the settings come from: command line, environment, file, default, in this order of precedence."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from auditor.configuration.keymap_file import KEYMAP_NAME
from auditor.configuration.settings import ENVIRONMENT_PREFIX, Settings, checked, from_environment
from auditor.configuration.toml_file import TomlFile, read_toml
from auditor.errors import AuditorError, InputError
from auditor.text import visible_line

CONFIG_NAME = "config.toml"
FILE_VARIABLE = "AUDITOR_CONFIG"


@dataclass(frozen=True)
class Configuration:
    """The settings that act, and where each comes from."""

    settings: Settings
    file: Path
    """The settings file, which need not be there; key map and themes stand beside it."""
    sources: Mapping[str, str] = field(default_factory=dict)
    """For each setting that has not its default: `--theme`, `AUDITOR_THEME` or `file:line`."""

    @property
    def keymap_file(self) -> Path:
        """Return where the key map is, if there is one."""
        return self.file.parent / KEYMAP_NAME

    @property
    def themes_folder(self) -> Path:
        """Return where the person's own themes are, if there are any."""
        return self.file.parent / "themes"


def config_file(named: Path | None, environ: Mapping[str, str], *, may_be_new: bool = False) -> Path:
    """Return the settings file: the named one, AUDITOR_CONFIG, or the one in the person's configuration folder.

    Raises InputError when it is named and not there, unless it `may_be_new`: about to be written, or only spoken of.
    """
    variable = environ.get(FILE_VARIABLE)
    chosen = named or (Path(variable) if variable else None)
    if chosen is not None:
        if not chosen.exists() and not may_be_new:
            where = FILE_VARIABLE if named is None else "--config"
            raise InputError(
                "there is no such file.",
                hint="`auditor config set` makes it.",
                where=f"{where} {visible_line(str(chosen))}",
            )
        return chosen
    home = environ.get("XDG_CONFIG_HOME", "")
    # The XDG specification has relative paths ignored.
    folder = Path(home) if os.path.isabs(home) else Path(environ.get("HOME") or Path.home()) / ".config"
    return folder / "auditor" / CONFIG_NAME


def load_configuration(
    named: Path | None = None,
    given: Mapping[str, object] | None = None,
    environ: Mapping[str, str] | None = None,
) -> Configuration:
    """Put the settings together; `given` holds those of the command line, None where an option was left out.

    Values of the command line are not checked: its options do that.

    Raises AuditorError for what is wrong in the file or the environment: the file's first mistake, with its line.
    """
    environ = os.environ if environ is None else environ
    path = config_file(named, environ)
    file = read_toml(path)
    values, problems = file_settings(file)
    if problems:
        more = f" {len(problems) - 1} more: auditor config check." if len(problems) > 1 else ""
        raise InputError(f"{problems[0]}{more}")
    sources = {name: file.place_of(name) for name in values} if file else {}
    for name, value in from_environment(environ).items():
        values[name], sources[name] = value, ENVIRONMENT_PREFIX + name.upper()
    for name, value in (given or {}).items():
        if value is not None:
            values[name], sources[name] = value, f"--{name.replace('_', '-')}"
    return Configuration(Settings(**values), path, sources)


def file_settings(file: TomlFile | None) -> tuple[dict[str, Any], list[str]]:
    """Return the settings of a file, and a sentence with file and line for each that is unknown or wrong."""
    values: dict[str, Any] = {}
    problems = []
    for name, value in (file.values if file else {}).items():
        try:
            values[name] = checked(name, value)
        except AuditorError as error:
            assert file is not None
            problems.append(f"{file.place_of(name)}: {error}")
    return values, problems
