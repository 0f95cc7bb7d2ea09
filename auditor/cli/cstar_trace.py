"""`auditor trace` of a C* item: the steps of its semantics, the state at one of them, and both rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from auditor.cli.cstar_results import execution_json, print_execution, print_trace, step_json
from auditor.cli.output import print_json, print_table, print_text
from auditor.errors import AuditorError, InputError
from auditor.text import visible_line

if TYPE_CHECKING:
    from auditor.audit.cstar_replay import CStarReplay
    from auditor.audit.review import ReviewItem

_LAST = 20
"""Steps that are listed where nothing else is asked for: those before the end."""
_SHOWN = 60


def trace_cstar(
    item: ReviewItem,
    at: str,
    steps: range | None,
    changes: str | None,
    limit: int,
    *,
    iterations: bool = False,
    as_json: bool = False,
) -> int:
    """Run an item's program and print the state at a step, or else steps: by default the last ones."""
    from auditor.audit.cstar_replay import cstar_subject, find_step, record_run

    try:
        replay = record_run(cstar_subject(item))
    except InputError as error:
        raise InputError(f"the program cannot be run: {error}") from error
    step = find_step(replay, at, replay.opening) if at else replay.opening
    listed = _listed(replay, step, steps, changes, iterations=iterations)
    is_tail = listed is None
    numbers = list(range(max(1, replay.last - _LAST + 1), replay.last + 1)) if listed is None else listed[:limit]
    recording, prediction = replay.recording, item.grade.prediction if item.grade else None
    if as_json:
        told = {"item": str(item.key), "oracle": item.task.oracle, "prediction": prediction}
        told |= execution_json(recording.execution)
        told["list"] = [step_json(recording.step(number)) for number in numbers]
        print_json({**told, "cited": _sentences(item), **({"at": _state_json(replay, step)} if at else {})})
        return 0
    if at:
        _print_state(replay, step)
        return 0
    last = "These are the last {} of {} steps; --steps A-B lists others."
    kept = tuple(recording.step(number) for number in numbers)
    print_trace(kept, recording.execution, last if is_tail else "These are {} of {} steps.")
    print_execution(recording.execution)
    print_text(f"Predicted: {visible_line(prediction, 200) if prediction is not None else 'nothing'}.")
    for sentence in _sentences(item):
        print_text(visible_line(sentence, 1000))
    return 0


def _listed(
    replay: CStarReplay, at: int, steps: range | None, changes: str | None, *, iterations: bool
) -> Sequence[int] | None:
    """Return the numbers of the steps that are asked for; None where none are."""
    from auditor.audit.cstar_replay import loop_at

    if steps is not None:
        return range(max(1, steps.start), min(steps.stop, replay.last + 1))
    if changes is not None:
        return replay.recording.changes_of(changes)
    if iterations:
        loop = loop_at(replay, at)
        return replay.recording.turns[loop] if loop is not None else ()
    return None


def _sentences(item: ReviewItem) -> list[str]:
    """Say how the cited rule stands to the violated one, where the item is about rules."""
    from auditor.audit.cited_rules import cited_rules

    try:
        return cited_rules(item).sentences
    except AuditorError:
        return []


# --- the state at a step -------------------------------------------------------------------------------------------


def _print_state(replay: CStarReplay, at: int) -> None:
    from auditor.audit.cstar_replay import rules_around, step_words

    for sentence in replay.sentences:
        print_text(visible_line(sentence, 1000))
    print_text("")
    print_text(step_words(replay, at))
    notation, rule, place = replay.subject.program.notation, replay.rule(at), replay.place(at)
    if place is not None:
        lines = replay.subject.program.source.split("\n")
        print_text(f"{place.line:>5}  {visible_line(lines[place.line - 1], 200)}", wrap=False)
    if rule is not None:
        around = rules_around(replay, at)
        print_text(f"{rule.label}: {rule.name} ({rule.group}){f', under the rules {around}' if around else ''}")
        print_text(rule.formal(notation), wrap=False)
        print_text("")
    change = replay.recording.step(at).change if at else None
    claims = {claim.name: claim for claim in replay.claims(at)} if replay.subject.target == "state" else {}
    rows = [
        (
            "•" if change is not None and change.name == name else "",
            name,
            _cut(str(value)),
            _cut(claims[name].predicted) if name in claims else "",
        )
        for name, value in replay.recording.state(at).items()
    ]
    print_table(("changed", "variable", "value", "predicted"), rows)


def _state_json(replay: CStarReplay, at: int) -> dict[str, Any]:
    rule = replay.rule(at)
    return {
        **(step_json(replay.recording.step(at)) if at else {"step": 0}),
        "formal": rule.formal(replay.subject.program.notation) if rule is not None else None,
        "statement": replay.recording.statement_of(at),
        "variables": dict(replay.recording.state(at)),
    }


def _cut(text: str) -> str:
    return f"{text[:_SHOWN]}…" if len(text) > _SHOWN else text
