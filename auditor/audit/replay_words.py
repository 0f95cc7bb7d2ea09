"""What a replay says, in sentences: for screen and command line. They may hold any text from data."""

from __future__ import annotations

from auditor.audit.replay import Replay
from auditor.audit.replay_moves import iteration_of, loop_at
from auditor.audit.replay_probe import ProbeMoment, answer_sentence, moment_words
from auditor.execution.claims import FieldClaim
from auditor.execution.trace import Kind, Step
from auditor.text import from_bytes, visible_line

_SHOWN = 40
_AROUND = 12
"""Bytes of an output that are shown at the place where it parts."""


def claim_sentence(replay: Replay) -> str:
    """Say how the prediction stands to the run."""
    if replay.probe is not None:
        return _probe_sentence(replay, replay.probe)
    if replay.state is not None:
        return _state_sentence(replay)
    if replay.output is not None:
        return _output_sentence(replay)
    if replay.subject.target == "output" and replay.subject.prediction is not None:
        return "The run writes what is predicted."
    if replay.subject.target == "input" and replay.subject.oracle is not None:
        return "The predicted input gives the output that was asked for."
    return "Nothing is predicted that could be compared with the run."


def _probe_sentence(replay: Replay, probe: ProbeMoment) -> str:
    """Say what the run answers, then how a predicted answer stands to it."""
    told = [answer_sentence(probe)]
    if replay.subject.prediction is not None and not probe.question.is_judged:
        told.append(f"Predicted is {visible_line(replay.subject.prediction, 2 * _SHOWN)}.")
    if replay.state is not None:
        told.append(_variable_sentence(replay))
    return " ".join(filter(None, told))


def _variable_sentence(replay: Replay) -> str:
    """Say when the variable that a probe asks for had the predicted value."""
    claim = replay.state
    assert claim is not None
    (one,) = claim.fields
    if one.holds or not one.comparable:
        return ""
    name, value = visible_line(one.name, _SHOWN), predicted_text(one)
    if claim.together is not None:
        return f"{name} was {value} last at step {claim.together:,}{_offset(replay, claim.together)}."
    if claim.together_after is not None:
        return f"{name} is {value} first at step {claim.together_after:,}{_offset(replay, claim.together_after)}."
    known = "is known to be" if claim.cut else "is"
    return f"{name} {known} {value} at no kept step."


def _state_sentence(replay: Replay) -> str:
    claim = replay.state
    assert claim is not None
    there = _point(replay)
    if claim.checkpoint is None:
        at = "" if claim.together is None else f" They were true together at step {claim.together:,}."
        return f"No checkpoint was reached, so the predicted values are those of no step.{at}"
    wrong = [one for one in claim.fields if one.holds is False]
    unknown = [one for one in claim.fields if one.holds is None]
    if not wrong and not unknown:
        return f"At {there} (step {claim.checkpoint:,}) all predicted values are true."
    if not wrong:
        return f"At {there} (step {claim.checkpoint:,}) no predicted value is known to be wrong."
    words = f"Wrong at {there} (step {claim.checkpoint:,}): {_listed(wrong)}."
    return f"{words} {_true_sentence(replay)} {_parting_sentence(replay, wrong)}".strip()


def _point(replay: Replay) -> str:
    return "the moment that is asked about" if replay.probe is not None else "the checkpoint"


def _true_sentence(replay: Replay) -> str:
    claim = replay.state
    assert claim is not None and claim.checkpoint is not None
    if claim.together is not None:
        return (
            f"All predicted values were last true together at step {claim.together:,}{_offset(replay, claim.together)}."
        )
    if claim.together_after is not None:
        words = f"All are first true together after it, at step {claim.together_after:,}"
        return f"{words}{_offset(replay, claim.together_after)}."
    known = " known to be" if claim.cut else ""
    return f"They were not{known} true together at any kept step."


def _offset(replay: Replay, step: int) -> str:
    """Say how many iterations of the checkpoint's loop a step is away from the checkpoint."""
    checkpoint = replay.checkpoint
    loop = loop_at(replay, checkpoint) if checkpoint is not None else None
    if checkpoint is None or loop is None:
        return ""
    away = iteration_of(replay, loop, step)[0] - iteration_of(replay, loop, checkpoint)[0]
    # Iterations between two kept parts of a trace are not counted.
    if not away or not any(step in part and checkpoint in part for part in replay.trace.kept):
        return ""
    return (
        f", {abs(away):,} iteration{'' if abs(away) == 1 else 's'} {'before' if away < 0 else 'after'} {_point(replay)}"
    )


def _parting_sentence(replay: Replay, wrong: list[FieldClaim]) -> str:
    first = min((one for one in wrong if one.parted is not None), key=lambda one: one.parted or 0, default=None)
    if first is None or first.parted is None:
        return ""
    name = visible_line(first.name, _SHOWN)
    is_late = first.parted_by or (first.parted and first.parted - 1 not in replay.trace)
    late = " at the latest" if is_late else ""
    if first.last_true is None:
        return f"First: {name} never was as predicted; at step {first.parted:,}{late} it takes the value it has there."
    return f"First: from step {first.parted:,} on{late}, {name} is not as predicted any more."


def _listed(wrong: list[FieldClaim]) -> str:
    shown = ", ".join(
        f"{visible_line(one.name, _SHOWN)} is {shown_value(one)}, predicted {predicted_text(one)}" for one in wrong[:4]
    )
    return f"{shown} and {len(wrong) - 4:,} more" if len(wrong) > 4 else shown


def shown_value(one: FieldClaim) -> str:
    """Return a field's variable at the checkpoint in one short line."""
    return "not there" if one.text is None else visible_line(one.text, _SHOWN)


def predicted_text(one: FieldClaim) -> str:
    """Return what is predicted of a field in one short line, as Python writes it."""
    return visible_line(repr(one.predicted), _SHOWN)


def _output_sentence(replay: Replay) -> str:
    claim = replay.output
    assert claim is not None
    expected = (replay.subject.oracle if replay.subject.target == "input" else replay.subject.prediction) or ""
    whose = "the output that was asked for" if replay.subject.target == "input" else "the predicted output"
    # A step is shown before its line runs: what it writes is in the output of the next one.
    where = f"which step {claim.step:,} writes" if claim.step is not None else "written at no kept step"
    ours = _around(replay.trace.run.stdout, claim.written)
    theirs = _around(expected.encode(errors="surrogatepass"), claim.predicted)
    if claim.ends:
        return f"The run's output ends where {whose} goes on with {theirs}."
    theirs = theirs if theirs != "''" else "its end"
    return f"The run's output parts from {whose} at byte {claim.written:,}, {where}: {ours}, predicted {theirs}."


def _around(data: bytes, at: int) -> str:
    """Return a few characters of an output from the word around a position on."""
    start = max(data.rfind(b" ", 0, at), data.rfind(b"\n", 0, at), at - _AROUND) + 1 if at else 0
    return visible_line(repr(from_bytes(data[start : max(at + _AROUND, start)]).strip()), _SHOWN)


def step_sentence(replay: Replay, step: Step) -> str:
    """Say what a step is: `step 4,017 of 6,019 · line 9 is about to run · in f · iteration 502 of 1,002`."""
    total = replay.trace.total
    of = f" of {total:,}" if total is not None else ""
    what = {
        Kind.LINE: f"before line {step.line:,}",
        Kind.RETURN: f"line {step.line:,} returns {visible_line(step.text or '', _SHOWN)}".rstrip(),
        Kind.EXCEPTION: f"line {step.line:,} raises {visible_line(step.text or '', _SHOWN)}".rstrip(),
    }[step.kind]
    words = [f"step {step.number:,}{of}", what]
    if step.depth > 1:
        words.append(f"in {visible_line(step.function, _SHOWN)}, depth {step.depth:,}")
    loop = loop_at(replay, step.number)
    if loop is not None and replay.marks.loop_of(step.line) == loop:
        at, kept = iteration_of(replay, loop, step.number)
        words.append(f"iteration {at:,} of {kept:,}{'' if replay.trace.cut is None else ' kept'}")
    if replay.probe is not None and (told := moment_words(replay.probe, step.number)):
        words.insert(1, told)
    elif step.number == replay.checkpoint:
        words.append("◆ checkpoint")
    return " · ".join(words)
