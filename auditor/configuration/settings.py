"""The settings: one frozen dataclass that knows of each what it is for, and how a value is checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields
from typing import Any, TypeVar

from auditor.errors import AuditorError
from auditor.text import visible_line

T = TypeVar("T")

ENVIRONMENT_PREFIX = "AUDITOR_"
"""`AUDITOR_THEME` sets `theme`, and so on."""
_YES = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}


def _setting(default: T, about: str, choices: tuple[str, ...] = ()) -> T:
    """Declare a setting; dataclasses take a field for its default."""
    declared: Any = field(default=default, metadata={"about": about, "choices": choices})
    kept: T = declared
    return kept


@dataclass(frozen=True)
class Settings:
    """What a person can set; each is also read from the environment as AUDITOR_ and its name in capitals."""

    annotator: str = _setting("", "Whose tags a review makes when --annotator is left out.")
    theme: str = _setting("auditor-dark", "The theme of the screens.")
    mouse: bool = _setting(True, "Whether the screens take the mouse; without it the terminal selects text as usual.")
    animations: str = _setting(
        "auto", "Whether scrolling and colours may move; auto: not over ssh.", ("auto", "on", "off")
    )
    timer: bool = _setting(
        False, "Whether the review times how long you are at each item, and keeps it with your marks."
    )
    confirm_quit: bool = _setting(False, "Whether leaving the review takes the key twice.")
    wrap: bool = _setting(True, "Whether long lines are wrapped; without it each line is one row.")
    fold: str = _setting(
        "auto",
        "Whether blocks of a program without the checkpoint fold; auto: as far as needed for it to fit.",
        ("auto", "on", "off"),
    )
    probe_runs: bool = _setting(
        True, "Whether the program of a probe that is looked at is run, walled in, for the steps around what is asked."
    )
    pager: str = _setting("", "The program that shows a copied text; default: PAGER, else less.")
    editor: str = _setting("", "The program that opens a copied text; default: VISUAL, else EDITOR, else vi.")
    queue_columns: tuple[str, ...] = _setting(
        (), "The columns of the queue until you choose others; default: the usual ones."
    )


def setting_fields() -> dict[str, Field[Any]]:
    """Return the field of each setting, by its name."""
    return {one.name: one for one in fields(Settings)}


def choices_of(name: str) -> tuple[str, ...]:
    """Return the words that a setting can be; none where it can be any."""
    return tuple(setting_fields()[name].metadata["choices"])


def checked(name: str, value: object) -> Any:
    """Return the value of a setting as a TOML file gives it. Raises AuditorError."""
    known = setting_fields()
    if name not in known:
        raise unknown_setting(name)
    default = known[name].default
    if isinstance(default, bool):
        if isinstance(value, bool):
            return value
        raise _wrong(name, "true or false", value)
    if isinstance(default, tuple):
        if isinstance(value, list | tuple) and all(isinstance(word, str) and _is_plain(word) for word in value):
            return tuple(value)
        raise _wrong(name, "a list of texts", value)
    choices = choices_of(name)
    if not isinstance(value, str) or not _is_plain(value):
        raise _wrong(name, "one line of text", value)
    if choices and value not in choices:
        raise _wrong(name, f"{', '.join(choices[:-1])} or {choices[-1]}", value)
    return value


def parsed(name: str, text: str) -> Any:
    """Return the value of a setting that is written as text: `on`, `a,b`. Raises AuditorError."""
    known = setting_fields()
    if name not in known:
        raise unknown_setting(name)
    default = known[name].default
    if isinstance(default, bool):
        return checked(name, _YES.get(text.strip().lower(), text))
    if isinstance(default, tuple):
        return checked(name, [word.strip() for word in text.split(",") if word.strip()])
    return checked(name, text)


def unknown_setting(name: str) -> AuditorError:
    """Return the error that names the nearest setting."""
    from difflib import get_close_matches

    near = get_close_matches(name, list(setting_fields()), n=1)
    hint = f"Did you mean {near[0]}?" if near else "See: auditor config show"
    return AuditorError(f"{visible_line(name, 60)}: there is no such setting.", hint)


def from_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    """Return the settings that variables give; an empty variable gives none. Raises AuditorError."""
    given = {}
    for name in setting_fields():
        variable = ENVIRONMENT_PREFIX + name.upper()
        if text := environ.get(variable):
            try:
                given[name] = parsed(name, text)
            except AuditorError as error:
                raise AuditorError(f"{variable} in the environment: {error}", "Change or unset it.") from error
    return given


def _is_plain(text: str) -> bool:
    return visible_line(text) == text


def _wrong(name: str, what: str, value: object) -> AuditorError:
    shown = visible_line(repr(value), 60)
    return AuditorError(f"{name}: this is {what}, not {shown}.")
