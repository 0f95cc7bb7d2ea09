"""`auditor trace`: run one item's program under watch and print states, steps and where the prediction parts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auditor.cli import options
from auditor.cli.output import print_json, print_table, print_text, say

if TYPE_CHECKING:
    from auditor.audit.replay import Replay
    from auditor.execution.trace import State, Step

_SHOWN = 60


@click.command("trace")
@options.audit_file
@click.argument("item", metavar="ITEM")
@click.option(
    "--at",
    metavar="STEP",
    default="",
    help="The step whose state is printed: a number, first, last, checkpoint, probe (the moment that a probe asks"
    " about), contradiction or true (where the predicted values were last true together). By default the checkpoint"
    " or the probe's moment, or else where the output parts.",
)
@click.option("--steps", metavar="A-B", help="List these steps instead.")
@click.option("--changes", metavar="NAME", help="List the steps at which a variable changes instead.")
@click.option("--outputs", is_flag=True, help="List the steps before which output was written instead.")
@click.option("--iterations", is_flag=True, help="List the steps at which iterations begin, of the loop at STEP.")
@click.option(
    "--visits",
    is_flag=True,
    help="List the steps that are about to run the line that a probe asks about, or the checkpoint's, or that at STEP.",
)
@click.option(
    "--limit", type=options.COUNT, metavar="N", default=1000, show_default=True, help="List at most so many steps."
)
@click.option(
    "--seconds",
    type=options.FiniteRange(0.1, 3600),
    metavar="S",
    default=20.0,
    show_default=True,
    help="Stop the program after so many seconds under watch.",
)
@click.option("--unsafe", is_flag=True, help="Run the program even where the system offers no wall around it.")
@options.as_json
def trace_command(
    file: Path,
    item: str,
    at: str,
    steps: str | None,
    changes: str | None,
    outputs: bool,
    iterations: bool,
    visits: bool,
    limit: int,
    seconds: float,
    unsafe: bool,
    as_json: bool,
) -> int:
    """Run the Python program of ITEM in the sandbox, and say where its prediction and the run part.

    Of a C* program the last steps of its semantics are listed, with the rule of each and what came of the run; --at
    prints the variables after a step (a number, first, last or violation) and the rule that was applied.

    Of a probe the question is told, what the run answers, and the steps around the moment that it asks about.

    \b
    auditor trace audit.db loops/case-1/inside-loop-state/model-a/0
    auditor trace audit.db loops/case-1/inside-loop-state/model-a/0 --at contradiction
    auditor trace audit.db loops/case-1/inside-loop-state/model-a/0 --changes total
    auditor trace audit.db loops/case-1/inside-loop-state/model-a/0 --steps 100-120 --json
    auditor trace audit.db core/problem%2Floops%2Ft03/probe%2Fp1/model-a/0 --visits
    """
    from auditor.audit.item_parts import read_item
    from auditor.audit.replay import Budget, open_sandbox, record, subject_of
    from auditor.audit.replay_moves import find_step
    from auditor.cli.probe_trace import probe_json
    from auditor.errors import InputError
    from auditor.grading.cstar_rules import CSTAR_LANGUAGES

    if sum((steps is not None, changes is not None, outputs, iterations, visits)) > 1:
        raise InputError("only one of --steps, --changes, --outputs, --iterations and --visits can be listed.")
    found = read_item(file, item)
    if found.task.language.lower() in CSTAR_LANGUAGES:
        if outputs:
            raise InputError("a C* program writes no output.")
        if visits:
            raise InputError("visits of a line are not listed of a C* program.")
        from auditor.cli.cstar_trace import trace_cstar

        asked = None if steps is None else _range(steps)
        return trace_cstar(found, at, asked, changes, limit, iterations=iterations, as_json=as_json)
    subject = subject_of(found)
    with open_sandbox(unsafe=unsafe) as sandbox:
        if not sandbox.protection.complete:
            say(sandbox.protection.sentence)
        replay = record(subject, sandbox, budget=Budget(seconds=seconds))
    step = find_step(replay, at, replay.opening) if at else replay.opening
    listed = None
    if steps is not None or changes is not None or outputs or iterations or visits:
        listed = _listed(replay, step, _range(steps), changes, outputs, iterations, visits)
    rows = [] if listed is None else _taken(listed, limit)
    if as_json:
        listing = {} if listed is None else {"list": [_step_json(row) for row in rows]}
        told = {"item": str(found.key), **_told(replay), **probe_json(replay)}
        print_json({**told, "at": _state_json(replay.trace.state(step)), **listing})
        return 0
    if listed is not None:
        print_table(("step", "line", "function", "depth", "changes", "output"), [_row(row) for row in rows])
        if len(rows) == limit:
            say(f"These are the first {limit:,}; --limit lists more.")
        return 0
    _print(replay, step)
    return 0


def _range(text: str | None) -> range | None:
    from auditor.errors import InputError
    from auditor.text import visible_line

    if text is None:
        return None
    first, dash, last = text.replace(",", "").partition("-")
    if not first.isdecimal() or len(text) > 40 or (dash and not last.isdecimal()):
        raise InputError(f"{visible_line(text, 40)!r} are no steps.", hint="Write --steps 100-120.")
    return range(int(first), int(last or first) + 1)


def _listed(
    replay: Replay,
    at: int,
    steps: range | None,
    changes: str | None,
    outputs: bool,
    iterations: bool,
    visits: bool,
) -> Iterator[Step]:
    """Yield the steps that are asked for, in order."""
    from auditor.audit import replay_moves as moves
    from auditor.execution.trace import Kind

    trace = replay.trace
    if steps is not None:
        yield from trace.steps(steps.start, steps.stop)
    elif visits:
        line = moves.visited_line(replay, at)
        yield from (step for step in trace.steps() if step.line == line and step.kind is Kind.LINE)
    elif iterations:
        loop = moves.loop_at(replay, at)
        yield from map(trace.step, replay.marks.iterations[loop] if loop is not None else ())
    else:
        step: int | None = replay.first
        if changes is not None and any(one.name == changes for one in trace.step(replay.first).changes):
            yield trace.step(replay.first)
        while step is not None:
            step = moves.next_change(replay, changes, step) if changes is not None else moves.next_output(replay, step)
            if step is not None:
                yield trace.step(step)


def _taken(steps: Iterator[Step], limit: int) -> list[Step]:
    return [step for step, _ in zip(steps, range(limit), strict=False)]


# --- for people ----------------------------------------------------------------------------------------------------


def _print(replay: Replay, step: int) -> None:
    from auditor.audit.replay_words import claim_sentence, step_sentence
    from auditor.cli.probe_trace import print_around, print_probe
    from auditor.text import visible_line

    state = replay.trace.state(step)
    asked = print_probe(replay)
    print_text(claim_sentence(replay))
    for note in replay.notes:
        print_text(f"Note: {visible_line(note, 1000)}")
    print_text(replay.protection)
    print_text("")
    print_text(step_sentence(replay, state.step))
    lines = replay.version.source.split("\n")
    if replay.probe is not None:
        print_around(replay, step)
    elif 0 < state.step.line <= len(lines):
        print_text(f"{state.step.line:>5}  {visible_line(lines[state.step.line - 1], 200)}", wrap=False)
    changed = {change.name for change in state.step.changes}
    predicted = {one.name: repr(one.predicted) for one in replay.state.fields} if replay.state else {}
    rows = [
        (
            f"{'◆' if name in asked else ''}{'•' if name in changed else ''}",
            name,
            _cut(text),
            _cut(predicted.get(name, "")),
        )
        for name, text in state.variables.items()
    ]
    print_table(("changed", "variable", "value", "predicted"), rows)


def _row(step: Step) -> tuple[Any, ...]:
    changes = ", ".join(f"{one.name}={'(gone)' if one.text is None else _cut(one.text)}" for one in step.changes)
    return step.number, step.line, step.function, step.depth, _cut(changes), step.output


def _cut(text: str) -> str:
    return f"{text[:_SHOWN]}…" if len(text) > _SHOWN else text


# --- for programs --------------------------------------------------------------------------------------------------


def _told(replay: Replay) -> dict[str, Any]:
    """Return what is known of the whole run."""
    trace, outcome = replay.trace, replay.trace.run.outcome
    return {
        "outcome": {"ending": outcome.ending.value, "sentence": outcome.sentence},
        "protection": replay.protection,
        "total": trace.total,
        "kept": [[part.start, part.stop - 1] for part in trace.kept],
        "cut": trace.cut,
        "notes": list(replay.notes),
        "loose": list(trace.loose),
        "checkpoint": replay.checkpoint,
        "contradiction": replay.contradiction,
        "last_true": replay.last_true,
        "claim": _claim_json(replay),
    }


def _claim_json(replay: Replay) -> dict[str, Any]:
    from auditor.audit.replay_words import claim_sentence

    told: dict[str, Any] = {"sentence": claim_sentence(replay)}
    if replay.state is not None:
        told["together"], told["together_after"] = replay.state.together, replay.state.together_after
        told["fields"] = [
            {
                "name": one.name,
                "predicted": one.predicted,
                "at_checkpoint": one.text,
                "at_checkpoint_cut": _cut_json(one.text),
                "holds": one.holds,
                "last_true": one.last_true,
                "parted": one.parted,
                "comparable": one.comparable,
            }
            for one in replay.state.fields
        ]
    if replay.output is not None:
        claim = replay.output
        told["output"] = {
            "written": claim.written,
            "predicted": claim.predicted,
            "step": claim.step,
            "ends": claim.ends,
        }
    return told


def _step_json(step: Step) -> dict[str, Any]:
    return {
        "step": step.number,
        "kind": step.kind.name.lower(),
        "line": step.line,
        "function": step.function,
        "depth": step.depth,
        "output": step.output,
        "text": step.text,
        "changes": [
            {"name": one.name, "text": one.text, "cut": _cut_json(one.text), "of_module": one.of_module}
            for one in step.changes
        ],
    }


def _cut_json(text: str | None) -> dict[str, int | None] | None:
    """Return how much of a value its text shows; None for a whole value."""
    from auditor.execution.cut_values import cut_of

    found = cut_of(text)
    return None if found is None else {"shown": found.shown, "full": found.full}


def _cuts_json(variables: dict[str, str]) -> dict[str, dict[str, int | None] | None]:
    """Return of some variables those whose text is not the whole value."""
    return {name: told for name, text in variables.items() if (told := _cut_json(text)) is not None}


def _state_json(state: State) -> dict[str, Any]:
    frames = [
        {"function": frame.function, "variables": frame.variables, "cut": _cuts_json(frame.variables)}
        for frame in state.stack
    ]
    return {
        **_step_json(state.step),
        "module": state.module,
        "module_cut": _cuts_json(state.module),
        "stack": frames,
    }
