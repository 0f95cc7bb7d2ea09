"""The one registry of what a person can do on a screen; footer, help, palette, bindings and key table come from it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from auditor.tui.actions.action import Action, Situation
from auditor.tui.actions.adjudication import ADJUDICATION, OPEN_ADJUDICATION
from auditor.tui.actions.agreement import AGREEMENT, OPEN_AGREEMENT
from auditor.tui.actions.codebook import CODEBOOK, OPEN_CODEBOOK
from auditor.tui.actions.consistency import CONSISTENCY, OPEN_CONSISTENCY
from auditor.tui.actions.copying import COPY
from auditor.tui.actions.key_names import textual_key
from auditor.tui.actions.looks import LOOKS
from auditor.tui.actions.marks import MARKS, TAG, WRITING
from auditor.tui.actions.moves import MOVES
from auditor.tui.actions.overview import CORE, OPEN_CORE, OPEN_OVERVIEW, OVERVIEW
from auditor.tui.actions.probes import OPEN_PROBES, PROBES
from auditor.tui.actions.program import PROGRAM
from auditor.tui.actions.queue import OPEN_QUEUE, QUEUE
from auditor.tui.actions.reading import ACROSS, READING
from auditor.tui.actions.related import ARMS, OPEN_RELATED, OTHER_SETTINGS
from auditor.tui.actions.replay import OPEN_REPLAY, REPLAY
from auditor.tui.actions.rules import RULES
from auditor.tui.actions.sides import OPEN_SIDES, SIDES

__all__ = [
    "ACTIONS",
    "SCREENS",
    "TAG",
    "Action",
    "Situation",
    "command_keys",
    "key_range",
    "key_table",
    "shown_keys",
    "textual_key",
]

ACTIONS: tuple[Action, ...] = (
    *MARKS,
    *MOVES,
    *ACROSS,
    *LOOKS,
    *READING,
    *OPEN_RELATED,
    OPEN_CONSISTENCY,
    OPEN_SIDES,
    OPEN_REPLAY,
    OPEN_PROBES,
    *OPEN_QUEUE,
    OPEN_CODEBOOK,
    OPEN_AGREEMENT,
    OPEN_OVERVIEW,
    OPEN_CORE,
    OPEN_ADJUDICATION,
    *WRITING,
    *PROGRAM,
)
"""Of the review screen."""

SCREENS: dict[str, tuple[Action, ...]] = {
    "review": ACTIONS,
    "queue": QUEUE,
    "arms": ARMS,
    "settings": OTHER_SETTINGS,
    "consistency": CONSISTENCY,
    "sides": SIDES,
    "replay": REPLAY,
    "rules": RULES,
    "probes": PROBES,
    "codebook": CODEBOOK,
    "agreement": AGREEMENT,
    "overview": OVERVIEW,
    "core": CORE,
    "adjudication": ADJUDICATION,
    "copy": COPY,
}
"""Of every screen, by its name. A screen is given such a mapping, in which a key map may have changed the keys."""


def key_range(keys: Sequence[str]) -> str:
    """Return tag keys in short: `1-4`, `1-9 b d`."""
    runs: list[list[str]] = []
    for key in keys:
        if runs and key.isdigit() and runs[-1][-1].isdigit() and int(key) == int(runs[-1][-1]) + 1:
            runs[-1].append(key)
        else:
            runs.append([key])
    return " ".join(run[0] if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def key_table() -> list[tuple[str, str]]:
    """Return every key as shown, and what it does, for documentation."""
    return [(action.shown_key, action.sentence) for action in ACTIONS]


def shown_keys(actions: Iterable[Action]) -> dict[str, str]:
    """Return the key of each action as a sentence names it, by the action's id."""
    return {action.id: action.shown_key for action in actions}


def command_keys() -> frozenset[str]:
    """Return the keys that a codebook's tags cannot have."""
    return frozenset(key for action in ACTIONS for key in action.keys)
