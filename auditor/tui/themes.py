"""Themes from TOML files, and the colour variables that the styles of the screens use.

A broken file costs only itself: its sentence is collected and the others load.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from textual.color import Color, ColorParseError
from textual.css.constants import VALID_STYLE_FLAGS
from textual.theme import BUILTIN_THEMES, Theme

from auditor.errors import AuditorError, InputError
from auditor.resources import data_folder
from auditor.text import has_invisible, visible_line

DEFAULT_THEME = "auditor-dark"
MAX_BYTES = 64 * 1024


class ThemeError(InputError):
    """A theme file is unusable."""


class ThemeVariable(NamedTuple):
    """A colour that styles refer to as `$name`."""

    name: str
    description: str
    dark: str
    """Its colour in a dark theme that does not set it."""
    light: str
    """Its colour in a light theme that does not set it."""
    carries: tuple[str, ...] = ()
    """For a ground, the variables of the texts that stand on it; a text stands on background, surface and panel."""


_SYNTAX = tuple(
    f"syntax-{kind}" for kind in ["keyword", "string", "number", "comment", "name", "definition", "operator"]
)

THEME_VARIABLES: tuple[ThemeVariable, ...] = (
    ThemeVariable("oracle", "The oracle's side: its mark and the texts that only it has.", "#87d787", "#005f00"),
    ThemeVariable("prediction", "The prediction's side: its mark and its own texts.", "#d78787", "#870000"),
    ThemeVariable("diff-equal", "Text that oracle and prediction share.", "#bcbcbc", "#444444"),
    ThemeVariable(
        "diff-oracle", "Ground of the characters that only the oracle has.", "#005f00", "#d7ffd7", ("oracle",)
    ),
    ThemeVariable(
        "diff-prediction",
        "Ground of the characters that only the prediction has.",
        "#5f0000",
        "#ffd7d7",
        ("prediction",),
    ),
    ThemeVariable("verdict-ok", "A correct answer.", "#87d787", "#005f00"),
    ThemeVariable("verdict-bad", "A wrong answer.", "#ff8787", "#af0000"),
    ThemeVariable("verdict-none", "No response, or not graded yet.", "#a8a8a8", "#5f5f5f"),
    ThemeVariable("envelope-invalid", "An answer whose envelope is not as asked for.", "#d7af5f", "#875f00"),
    ThemeVariable("computed", "What the program found out by itself.", "#87afd7", "#005f87"),
    ThemeVariable("checkpoint", "The mark of the checkpoint's line.", "#d7af5f", "#875f00"),
    ThemeVariable(
        "checkpoint-line", "Ground of the checkpoint's line.", "#303030", "#ffffd7", ("checkpoint", "muted", *_SYNTAX)
    ),
    ThemeVariable("tag-key", "The key of a tag or of an action.", "#87afd7", "#005f87"),
    ThemeVariable("tag-chip", "Ground of a tag that is on.", "#87afd7", "#005f87", ("tag-chip-text",)),
    ThemeVariable("tag-chip-text", "Text of a tag that is on.", "#121212", "#ffffff"),
    ThemeVariable("saved", "The work is saved.", "#87d787", "#005f00"),
    ThemeVariable("unsaved", "The work is not saved yet, or cannot be.", "#ffaf5f", "#875f00"),
    ThemeVariable("state-reviewed", "An item that is reviewed.", "#87d787", "#005f00"),
    ThemeVariable("state-begun", "An item that is begun.", "#87afd7", "#005f87"),
    ThemeVariable("state-deferred", "An item that is put off.", "#d7af5f", "#875f00"),
    ThemeVariable(
        "cursor-line", "Ground of the row or line under the cursor.", "#303030", "#d7ffff", ("diff-equal", "muted")
    ),
    ThemeVariable("search-match", "Ground of what a search found.", "#d7af5f", "#ffd787", ("search-match-text",)),
    ThemeVariable("search-match-text", "Text of what a search found.", "#121212", "#121212"),
    ThemeVariable("control-mark", "Pictures of control and invisible characters.", "#d787d7", "#870087"),
    ThemeVariable("line-number", "Line numbers.", "#949494", "#626262"),
    ThemeVariable("muted", "What stands back: labels, hints, counts.", "#a8a8a8", "#5f5f5f"),
    ThemeVariable("syntax-keyword", "Keywords of the program.", "#af87d7", "#5f00af"),
    ThemeVariable("syntax-string", "Strings of the program.", "#afaf87", "#5f5f00"),
    ThemeVariable("syntax-number", "Numbers and constants of the program.", "#d7af87", "#875f00"),
    ThemeVariable("syntax-comment", "Comments of the program.", "#a8a8a8", "#5f5f5f"),
    ThemeVariable("syntax-name", "Names of the program.", "#d0d0d0", "#303030"),
    ThemeVariable("syntax-definition", "Names where the program defines them.", "#87afff", "#005faf"),
    ThemeVariable("syntax-operator", "Operators and punctuation of the program.", "#afafaf", "#4e4e4e"),
)


def theme_variable_defaults(dark: bool) -> dict[str, str]:
    """Return the colours for what a theme does not set: `App.get_theme_variable_defaults` for the current theme."""
    return {variable.name: variable.dark if dark else variable.light for variable in THEME_VARIABLES}


class LoadedThemes(NamedTuple):
    """What the theme folders gave."""

    themes: tuple[Theme, ...]
    problems: tuple[str, ...]
    """A sentence for each file that could not be used."""
    files: Mapping[str, Path]
    """Where each theme is from, by its name."""


def load_themes(user_folder: Path | None = None) -> LoadedThemes:
    """Load the bundled themes and those of a user's folder, which win over bundled ones of the same name.

    A folder that does not exist holds no themes.
    """
    themes: dict[str, Theme] = {}
    files: dict[str, Path] = {}
    problems: list[str] = []
    for folder in (data_folder("themes"), user_folder):
        owners: dict[str, Path] = {}
        for path in _theme_files(folder, problems):
            try:
                theme = load_theme(path)
                if theme.name in owners:
                    other = visible_line(owners[theme.name].name)
                    raise _error(path, "name", f"{theme.name!r} is already the name of {other}.")
            except AuditorError as error:
                problems.append(str(error))
            else:
                owners[theme.name] = path
                themes[theme.name], files[theme.name] = theme, path
    return LoadedThemes(tuple(themes.values()), tuple(problems), files)


def known_themes(loaded: LoadedThemes) -> dict[str, Theme]:
    """Return every theme that the screens can show, by name: loaded ones first, then those of Textual."""
    own = {theme.name: theme for theme in loaded.themes}
    return own | {name: theme for name, theme in BUILTIN_THEMES.items() if name not in own}


def _theme_files(folder: Path | None, problems: list[str]) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.suffix == ".toml") if folder else []
    except FileNotFoundError:
        return []
    except OSError as error:
        problems.append(f"{visible_line(str(folder))}: the themes cannot be listed: {error.strerror}.")
        return []


# --- one file ------------------------------------------------------------------------------------------------------

_COLORS = (
    *("primary", "secondary", "accent", "foreground", "background", "surface", "panel", "boost"),
    *("success", "warning", "error"),
)
_TOP = {"name": str, "dark": bool, "ansi": bool, "luminosity_spread": float, "text_alpha": float}
_TABLES = ("colors", "variables")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}")
_PERCENT = re.compile(r"(?P<color>.+?)\s+\d{1,3}(?:\.\d+)?%")


def load_theme(path: Path) -> Theme:
    """Read one theme. Raises ThemeError with one sentence that names the file and the key."""
    table = _read_toml(path)
    for key in table:
        if key not in _TOP and key not in _TABLES:
            raise _unknown(path, key, (*_TOP, *_TABLES))
    options: dict[str, Any] = {}
    for key, kind in _TOP.items():
        if key in table:
            options[key] = _typed(path, key, table[key], kind)
    if not _NAME.fullmatch(options.get("name", "")):
        raise _error(path, "name", "a theme needs a name of letters, digits, spaces, '.', '_' and '-'.")
    colors = _typed(path, "colors", table.get("colors", {}), dict)
    if "primary" not in colors:
        raise _error(path, "colors.primary", "a theme needs this colour.")
    for key, value in colors.items():
        if key not in _COLORS:
            raise _unknown(path, f"colors.{key}", [f"colors.{name}" for name in _COLORS])
        options[key] = _color(path, f"colors.{key}", value)
    variables: dict[str, str] = {}
    ours = theme_variable_defaults(dark=True)
    for key, value in _typed(path, "variables", table.get("variables", {}), dict).items():
        where = f"variables.{key}"
        if key not in ours and key not in (known := Theme(**options).to_color_system().generate()):
            raise _unknown(path, where, [f"variables.{name}" for name in (*ours, *known)])
        variables[key] = _color(path, where, value) if key in ours else _css_value(path, where, value)
    return Theme(**options, variables=variables)


def _read_toml(path: Path) -> dict[str, Any]:
    where = visible_line(str(path))
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise ThemeError(f"the theme cannot be read: {error.strerror}.", where=where) from error
    if len(data) > MAX_BYTES:
        raise ThemeError(f"the theme is larger than {MAX_BYTES // 1024} KiB.", where=where)
    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ThemeError(f"line {line} is not UTF-8.", where=where) from error
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        reason = "nested too deep" if isinstance(error, RecursionError) else visible_line(str(error), 200)
        raise ThemeError(f"this is not TOML: {reason}.", where=where) from error


def _typed(path: Path, key: str, value: Any, kind: type) -> Any:
    if kind is float and isinstance(value, int | float) and not isinstance(value, bool):
        if 0 <= value <= 1:
            return float(value)
        raise _error(path, key, f"{value} is not between 0 and 1.")
    if not isinstance(value, kind):
        names = {str: "a text", bool: "true or false", float: "a number", dict: f"a table, [{key}]"}
        raise _error(path, key, f"this is {names[kind]}, not {visible_line(repr(value), 60)}.")
    return value


def _color(path: Path, key: str, value: Any) -> str:
    text = str(_typed(path, key, value, str))
    try:
        color = Color.parse(text)
    except ColorParseError:
        color = None
    # Color.parse overlooks a newline at the end, which a stylesheet would not.
    if color is None or color.auto or has_invisible(text) or "\n" in text:
        shown = visible_line(text, 60)
        raise _error(path, key, f"{shown!r} is not a colour.", "Write one as in '#87afd7' or 'rgb(135,175,215)'.")
    return text


def _css_value(path: Path, key: str, value: Any) -> str:
    """Check a variable of Textual's own: a text style, or a colour that may have a percentage."""
    text = str(_typed(path, key, value, str))
    if key.endswith(("-style", "-style-hover")):
        words = text.split(" ")
        if not set(words) <= VALID_STYLE_FLAGS:
            shown = visible_line(text, 60)
            raise _error(
                path, key, f"{shown!r} is not a text style.", "Write words such as bold, italic, underline or none."
            )
        return text
    found = _PERCENT.fullmatch(text)
    base = found["color"] if found else text
    if base != "auto" or not found:
        _color(path, key, base)
    return text


def unknown_theme(name: str, known: Iterable[str]) -> str:
    """Return the sentence that says that there is no such theme, and what is used in its place."""
    from difflib import get_close_matches

    near = get_close_matches(name, list(known), n=1)
    hint = f" Did you mean {near[0]}?" if near else ""
    return f"There is no theme {visible_line(name, 60)!r}; {DEFAULT_THEME} is used.{hint}"


def _unknown(path: Path, key: str, known: Iterable[str]) -> ThemeError:
    from difflib import get_close_matches

    near = get_close_matches(key, list(known), n=1)
    return _error(path, key, "themes have no such key.", f"Did you mean {near[0]}?" if near else None)


def _error(path: Path, key: str, message: str, hint: str | None = None) -> ThemeError:
    return ThemeError(f"{visible_line(key, 80)}: {message}", where=visible_line(str(path)), hint=hint)
