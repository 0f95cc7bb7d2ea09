"""Actions of the replay screen, and the one that opens it."""

from __future__ import annotations

from dataclasses import replace

from auditor.audit.blindness import why_not_shown
from auditor.tui.actions.action import Action, Situation, WhyNot
from auditor.tui.actions.moves import MOVES
from auditor.tui.actions.probes import OPEN_PROBES
from auditor.tui.actions.program import PROGRAM
from auditor.tui.actions.reading import READING

_IN = "Replay"


def _needs_trace(situation: Situation) -> str | None:
    return None if situation.items else "There is no recorded run to go through."


def _needs(what: str) -> WhyNot:
    """Return what says why a run cannot be gone through to something: there is no run, or nothing of it in the run."""
    return lambda situation: _needs_trace(situation) or situation.lacks.get(what)


def _may_show_arms(situation: Situation) -> str | None:
    return why_not_shown(situation.hidden, "The other arms of the case")


OPEN_REPLAY = Action(
    "replay.show",
    ("t",),
    "t",
    "show_replay",
    "replay",
    "Run the program and go through it step by step, beside the prediction; a C* program rule by rule.",
    "Look",
    rank=7,
)
"""Of the review and the adjudication screen."""


def _move(
    verb: str,
    keys: tuple[str, ...],
    shown: str,
    method: str,
    label: str,
    what: str,
    *given: str,
    rank: int = 5,
    name: str,
    needs: str = "",
) -> Action:
    why_not = _needs(needs) if needs else _needs_trace
    return Action(f"replay.{verb}", keys, shown, method, label, what, _IN, given, why_not=why_not, rank=rank, name=name)


REPLAY: tuple[Action, ...] = (
    _move(
        "forward", ("full_stop", "right"), ".", "step", "step", "Go to the next step.", "1", rank=0, name="next step"
    ),
    _move("back", ("comma", "left"), ",", "step", "back", "Go to the step before.", "-1", rank=0, name="step before"),
    _move(
        "next_iteration",
        ("right_square_bracket",),
        "]",
        "step_iteration",
        "iteration",
        "Go to where the next iteration begins, of the loop that the step is in or that the checkpoint is about.",
        "next",
        rank=1,
        name="next iteration",
        needs="loop",
    ),
    _move(
        "previous_iteration",
        ("left_square_bracket",),
        "[",
        "step_iteration",
        "",
        "Go to where this iteration begins, or the one before.",
        "previous",
        name="iteration before",
        needs="loop",
    ),
    _move(
        "checkpoint",
        ("c",),
        "c",
        "go_to_mark",
        "checkpoint",
        "Go to the checkpoint, or to the moment that a probe asks about.",
        "checkpoint",
        rank=1,
        name="checkpoint",
        needs="checkpoint",
    ),
    _move(
        "contradiction",
        ("x",),
        "x",
        "go_to_mark",
        "contradiction",
        "Go to the first step from which on the run is not what is predicted.",
        "contradiction",
        rank=1,
        name="first contradiction",
        needs="contradiction",
    ),
    _move(
        "last_true",
        ("equals_sign",),
        "=",
        "go_to_mark",
        "true",
        "Go to where the predicted values were last true together, or else are first true after the checkpoint.",
        "true",
        rank=1,
        name="where the prediction is true",
        needs="true",
    ),
    _move(
        "next_visit",
        ("greater_than_sign",),
        ">",
        "step_visit",
        "visit",
        "Go to the next visit of the line that is asked about: the probe's, the checkpoint's, else the step's own.",
        "next",
        rank=2,
        name="next visit",
        needs="visit",
    ),
    _move(
        "previous_visit",
        ("less_than_sign",),
        "<",
        "step_visit",
        "",
        "Go to the visit of that line before.",
        "previous",
        name="visit before",
        needs="visit",
    ),
    _move(
        "output",
        ("o",),
        "o",
        "go_to_output",
        "output",
        "Go to where the next output has been written.",
        "next",
        rank=3,
        name="next output",
        needs="output",
    ),
    _move(
        "output_before",
        ("O",),
        "O",
        "go_to_output",
        "",
        "Go to where the output before had been written.",
        "previous",
        name="output before",
        needs="output",
    ),
    _move(
        "variable", ("j", "down"), "j", "choose_variable", "", "Choose the next variable.", "1", name="next variable"
    ),
    _move(
        "variable_before",
        ("k", "up"),
        "k",
        "choose_variable",
        "",
        "Choose the variable before.",
        "-1",
        name="variable before",
    ),
    _move(
        "change",
        ("enter", "plus"),
        "Enter",
        "go_to_change",
        "change",
        "Go to where the chosen variable changes next.",
        "next",
        rank=3,
        name="next change",
    ),
    _move(
        "change_before",
        ("minus",),
        "-",
        "go_to_change",
        "",
        "Go to where the chosen variable changed before.",
        "previous",
        name="change before",
    ),
    _move(
        "go_to",
        ("g",),
        "g",
        "ask_step",
        "go to",
        "Go to a step by its number, or by so many.",
        rank=3,
        name="go to step",
    ),
    Action(
        "replay.arm",
        ("a",),
        "a",
        "replay_arm",
        "arms",
        "Replay the next arm of the case: short and long input, inside and after the loop.",
        _IN,
        why_not=_may_show_arms,
        rank=4,
        name="next arm",
    ),
    replace(OPEN_PROBES, group=_IN),
    Action(
        "replay.notes",
        ("i",),
        "i",
        "show_notes",
        "",
        "Show all that has to be known of this run, and the chosen variable's value as far as it is kept; or go back.",
        _IN,
        name="about this run",
    ),
    *(
        action
        for action in MOVES
        if action.id
        in ("pane.cycle", "pane.page_down", "pane.page_up", "pane.down", "pane.up", "pane.start", "pane.end")
    ),
    *(action for action in READING if action.id == "look.wrap"),
    Action(
        "replay.close",
        ("escape", "t", "q"),
        "Esc",
        "close_replay",
        "back",
        "Go back; a program that still runs is stopped.",
        _IN,
        rank=0,
        name="back",
        needed=True,
    ),
    Action(
        "replay.take",
        ("enter",),
        "Enter",
        "take_step",
        "",
        "In the field for a step: go there.",
        _IN,
        while_writing=True,
        outside_writing=False,
        name="take the step",
    ),
    Action(
        "replay.leave",
        ("escape",),
        "Esc",
        "leave_step",
        "",
        "In the field for a step: stay where you are.",
        _IN,
        while_writing=True,
        outside_writing=False,
        name="leave the field",
    ),
    *(action for action in PROGRAM if action.id != "program.quit"),
)
"""Of the replay screen."""
