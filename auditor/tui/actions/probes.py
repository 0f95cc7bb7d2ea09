"""Actions of the screen with the probes of a run, and the one that opens it."""

from __future__ import annotations

from dataclasses import replace

from auditor.tui.actions.action import Action, Situation
from auditor.tui.actions.marks import MARKS
from auditor.tui.actions.moves import MOVES
from auditor.tui.actions.program import PROGRAM
from auditor.tui.actions.reading import READING

_IN = "Probes"


def _may_show(situation: Situation) -> str | None:
    return (
        None
        if situation.has_run
        else "Probes are about the run of a Python implementation with a test, and this item has none."
    )


def _needs_run(situation: Situation) -> str | None:
    return None if situation.has_run else "There is no recorded run to ask about."


def _needs_row(situation: Situation) -> str | None:
    return None if situation.items else "No probe is listed."


OPEN_PROBES = Action(
    "probes.show",
    ("quotation_mark",),
    '"',
    "show_probes",
    "probes",
    "Run the implementation and show what can be asked about its run, to write probes.",
    "Look",
    why_not=_may_show,
    rank=7,
    name="probes of this run",
    of_some_items=True,
)
"""Of the review and the replay screen."""

PROBES: tuple[Action, ...] = (
    Action(
        "probes.write",
        ("enter",),
        "Enter",
        "write_probe",
        "write",
        "Write this probe, or change what is written of it: its words, its dimensions, its pieces.",
        _IN,
        why_not=lambda situation: _needs_run(situation) or _needs_row(situation),
        rank=0,
        name="write this probe",
    ),
    Action(
        "probes.new",
        ("n",),
        "n",
        "new_probe",
        "new",
        "Write a probe from its pieces: what is asked for, at which line, which time, of which variable.",
        _IN,
        why_not=_needs_run,
        rank=1,
        name="new probe",
    ),
    Action(
        "probes.withdraw",
        ("delete",),
        "Del",
        "withdraw_probe",
        "withdraw",
        "Take a probe of yours back, so that it goes nowhere, or take it up again.",
        _IN,
        why_not=_needs_row,
        rank=3,
    ),
    Action(
        "probes.narrow",
        ("tab",),
        "tab",
        "narrow",
        "narrow",
        "List only what is about the line of the row, then about its variable, then all again.",
        _IN,
        why_not=_needs_row,
        rank=2,
    ),
    *(replace(action, rank=4) for action in MARKS if action.id in ("work.undo", "work.redo")),
    *(
        Action(f"probes.{how.replace(' ', '_')}", keys, shown, "step", "", f"Go to {what}.", _IN, (how,), name=name)
        for how, keys, shown, what, name in (
            ("down", ("j", "down"), "j", "the next probe", "next probe"),
            ("up", ("k", "up"), "k", "the probe before", "probe before"),
            ("page down", ("pagedown",), "PgDn", "the probe a page below", "page of probes down"),
            ("page up", ("pageup",), "PgUp", "the probe a page above", "page of probes up"),
            ("start", ("home",), "Home", "the first probe", "first probe"),
            ("end", ("end",), "End", "the last probe", "last probe"),
        )
    ),
    *(action for action in MOVES if action.id in ("pane.down", "pane.up")),
    *(action for action in READING if action.id == "look.wrap"),
    Action(
        "probes.close",
        ("escape", "quotation_mark", "q"),
        "Esc",
        "close_probes",
        "back",
        "Go back; a program that still runs is stopped.",
        _IN,
        rank=0,
        name="back",
        needed=True,
    ),
    Action(
        "probes.save",
        ("enter",),
        "Enter",
        "save_probe",
        "save",
        "While a probe is written: save it with the answer that the run gives.",
        _IN,
        while_writing=True,
        outside_writing=False,
        name="save the probe",
        needed=True,
    ),
    Action(
        "probes.next_value",
        ("tab",),
        "tab",
        "next_value",
        "next value",
        "While a probe is written: put the next possible value at the cursor's line; our words at the question's.",
        _IN,
        while_writing=True,
        outside_writing=False,
    ),
    Action(
        "probes.leave",
        ("escape",),
        "Esc",
        "leave_probe",
        "leave it",
        "While a probe is written: leave all as it was.",
        _IN,
        while_writing=True,
        outside_writing=False,
        name="leave the probe",
        needed=True,
    ),
    *(action for action in PROGRAM if action.id != "program.quit"),
)
"""Of the screen with the probes of a run."""
