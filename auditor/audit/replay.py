"""Run an item's program under watch, and find in the trace what its prediction says: for screen and command line.

Everything is of one item as it is shown: of a blind review's item that is the item without what the review hides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from auditor.audit.replay_probe import ProbeMoment, find_probe, predicted_fields
from auditor.audit.replay_subject import Subject, Version, subject_of
from auditor.errors import AuditorError
from auditor.execution.claims import OutputClaim, StateClaim, output_claim, state_claim, state_of
from auditor.execution.cut_values import cut_of
from auditor.execution.landmarks import Check, Landmarks, Stop, find_landmarks, no_check
from auditor.execution.outcome import Ending
from auditor.execution.program import Program
from auditor.execution.protection import RefusedError
from auditor.execution.sandbox import Sandbox
from auditor.execution.trace import Trace
from auditor.execution.tracing import DEFAULT_BUDGET, Budget, Progress, trace
from auditor.execution.tracing import Checkpoint as TraceCheckpoint
from auditor.text import to_bytes, visible_line

__all__ = [
    "DEFAULT_BUDGET",
    "Budget",
    "Progress",
    "Replay",
    "Sandbox",
    "Subject",
    "open_sandbox",
    "record",
    "subject_of",
]

_ALL_THE_SAME = (
    "To run it all the same, with all your files in reach of it: auditor trace --unsafe, or auditor review --unsafe."
)
_MOST_ENDS = 64
"""Ends of an inner loop that are looked at for the one that a checkpoint is after."""
_NO_TRACE = (Ending.SANDBOX_FAILED, Ending.NOT_STARTED)


@dataclass(frozen=True)
class Replay:
    """A recorded run with what can be gone to in it."""

    subject: Subject
    version: Version
    """The program that ran."""
    trace: Trace
    marks: Landmarks
    checkpoint: int | None
    """The step of the task's checkpoint; None where there is none, the run never gets there or did not keep it."""
    state: StateClaim | None
    """The predicted state beside the run; None where no state is predicted."""
    output: OutputClaim | None
    """Where the predicted output parts from the run's; None where none is predicted, or they are equal."""
    notes: tuple[str, ...]
    """What a reader has to know, a sentence each; they may hold any text."""
    protection: str
    """What kept the program from doing harm, as a sentence."""
    is_contained: bool = True
    """Whether that is all there should be."""
    probe: ProbeMoment | None = None
    """What the run shows of the probe that is asked about it; its moment is the checkpoint."""

    @property
    def first(self) -> int:
        """Return the first kept step."""
        return self.marks.numbers[0]

    @property
    def last(self) -> int:
        """Return the last kept step."""
        return self.marks.numbers[-1]

    @property
    def contradiction(self) -> int | None:
        """Return the first step at which the run contradicts the prediction, as far as that can be told."""
        if self.state is not None:
            return self.state.contradiction
        return self.output.step if self.output is not None else None

    @property
    def last_true(self) -> int | None:
        """Return the step at which the predicted values were last true together, or else first after the checkpoint."""
        if self.state is None:
            return None
        return self.state.together if self.state.together is not None else self.state.together_after

    @property
    def opening(self) -> int:
        """Return the step to begin at: the checkpoint, or where the run parts from the prediction, or the first.

        Of a probe whose moment is not known it is where its line is first visited.
        """
        visited = self.probe.opening if self.probe is not None else None
        for step in (self.checkpoint, visited, self.contradiction):
            if step is not None:
                return step
        return self.first


def open_sandbox(*, unsafe: bool = False) -> Sandbox:
    """Return a sandbox; raises RefusedError that says what to do where programs cannot be contained here."""
    try:
        return Sandbox(unsafe=unsafe)
    except RefusedError as error:
        raise RefusedError(error.message, _ALL_THE_SAME) from error


class _Watch(NamedTuple):
    """How programs are run under watch."""

    sandbox: Sandbox
    budget: Budget
    check: Check
    progress: Progress | None


def record(
    subject: Subject,
    sandbox: Sandbox,
    *,
    budget: Budget = DEFAULT_BUDGET,
    check: Check = no_check,
    progress: Progress | None = None,
) -> Replay:
    """Run a program under watch and find in its trace what is predicted.

    `progress` is called with the steps so far, from the thread of this call. Raises AuditorError when nothing of the
    run was kept, TraceDamagedError where the program wrote into the trace, and what `check` raises, which is called now
    and then.
    """
    watch = _Watch(sandbox, budget, check, progress)
    first, *others = subject.versions
    if first.may_end_often:
        shown = _record(subject, others[0], watch)
        return _record_like(shown, first, watch) or shown
    found = _record(subject, first, watch)
    # A clean program in which the checkpoint is not where the oracle was taken is not the right one.
    if others and not _is_right(found):
        return _record(subject, others[0], watch)
    return found


def _is_right(found: Replay) -> bool:
    return found.state is not None and found.checkpoint is not None and all(o.comparable for o in found.state.fields)


def _record(subject: Subject, version: Version, watch: _Watch) -> Replay:
    stop = Stop.of(version.source, version.checkpoint) if version.checkpoint is not None else None
    done = _traced(subject, version, stop.moments if stop is not None else (), watch)
    return _replay(subject, version, done, stop.step(done) if stop is not None else None, watch)


def _record_like(shown: Replay, clean: Version, watch: _Watch) -> Replay | None:
    """Record the clean program; its checkpoint is the first end of its loop with the state that the shown one stops in.

    None where no end of the loop has all variables as they are there.
    """
    subject, point = shown.subject, clean.checkpoint
    if shown.checkpoint is None or point is None:
        return None
    stopped = shown.trace.state(shown.checkpoint)
    ends = [TraceCheckpoint("after_loop", point.line, n) for n in range(1, _MOST_ENDS + 1)]
    done = _traced(subject, clean, ends, watch)
    for step in done.moments:
        if step is None or step not in done:
            break
        state = done.state(step)
        if state.step.depth == stopped.step.depth and state.variables.items() <= stopped.variables.items():
            if any(map(cut_of, state.variables.values())):
                break  # that these are equal is not known
            found = _replay(subject, clean, done, step, watch)
            return found if _is_right(found) else None
    return None


def _traced(
    subject: Subject,
    version: Version,
    moments: Sequence[TraceCheckpoint],
    watch: _Watch,
) -> Trace:
    done = trace(
        watch.sandbox,
        Program.python(version.run),
        stdin=to_bytes(subject.stdin),
        checkpoints=moments,
        budget=watch.budget,
        progress=watch.progress,
    )
    watch.check()
    if not len(done):
        outcome = done.run.outcome
        lost = "the sandbox failed" if outcome.ending in _NO_TRACE else "nothing of the run was recorded"
        raise AuditorError(f"{lost}: {visible_line(outcome.sentence, 400)}.")
    return done


def _replay(
    subject: Subject,
    version: Version,
    done: Trace,
    checkpoint: int | None,
    watch: _Watch,
) -> Replay:
    """Find in a trace what is predicted."""
    marks = find_landmarks(done, version.source, watch.check)
    state, output, probe = None, None, None
    predicted = _predicted_output(subject)
    if subject.probe is not None:
        probe = find_probe(subject.probe, done, version.source, checkpoint, watch.check)
        checkpoint = probe.step
        answers = predicted_fields(probe, subject.prediction, is_correct=subject.is_correct)
        if answers:
            recorded = dict.fromkeys(answers, subject.probe.value)
            state = state_claim(done, answers, checkpoint, recorded, watch.check)
    elif subject.target == "state" and (fields := state_of(subject.prediction)) is not None:
        state = state_claim(done, fields, checkpoint, state_of(subject.oracle), watch.check)
    elif predicted is not None and not subject.is_correct:
        output = output_claim(done, marks, to_bytes(predicted), exact=subject.exact)
    notes = tuple(_notes(subject, version, done, checkpoint, state, watch.budget))
    if probe is not None and probe.why:
        notes = (probe.why, *notes)
    return Replay(
        subject,
        version,
        done,
        marks,
        checkpoint,
        state,
        output,
        notes,
        watch.sandbox.protection.sentence,
        watch.sandbox.protection.complete,
        probe,
    )


def _predicted_output(subject: Subject) -> str | None:
    """Return the output that the run is compared with: the predicted one, or the one that an input was asked for."""
    if subject.target == "input":
        return subject.oracle
    return subject.prediction if subject.target == "output" else None


# --- what has to be said -------------------------------------------------------------------------------------------


def _notes(
    subject: Subject, version: Version, done: Trace, checkpoint: int | None, state: StateClaim | None, budget: Budget
) -> list[str]:
    notes = []
    if version.is_clean:
        notes.append("This is the clean program, which goes on where the one that the model was shown stops.")
    if not done.run.outcome.finished:
        notes.append(f"The program {done.run.outcome.sentence.rstrip('.')}.")
    if (cut := _cut_note(done, budget)) is not None:
        notes.append(cut)
    if done.loose:
        shown = ", ".join(visible_line(name, 40) for name in done.loose[:8])
        more = f" and {len(done.loose) - 8:,} more" if len(done.loose) > 8 else ""
        notes.append(f"Too large to be compared at every step, so changes may show some steps late: {shown}{more}.")
    notes += done.notes
    if subject.checkpoint is not None and checkpoint is None and subject.probe is None:
        notes.append("The checkpoint is not among the kept steps: the run does not get there, or was cut before it.")
    notes += _claim_notes(subject, done, state)
    return notes


def _cut_note(done: Trace, budget: Budget) -> str | None:
    """Say where a trace was cut, and why."""
    if done.cut is None:
        return None
    why = {
        "steps": "longer than are kept",
        "bytes": "more than the bytes that are kept",
        "seconds": f"stopped after {budget.seconds:g} s under watch",
        "memory": "the tracer ran out of memory",
        "ended": "the run ended without a word of the tracer",
    }[done.cut]
    kept = ", ".join(f"{part.start:,}-{part.stop - 1:,}" for part in done.kept)
    total = f" of {done.total:,}" if done.total is not None else ", how many there are is not known"
    return f"The trace is cut ({why}): kept are steps {kept}{total}."


def _claim_notes(subject: Subject, done: Trace, state: StateClaim | None) -> list[str]:
    notes = []
    if subject.target == "state" and state is None:
        what = "No state was predicted" if subject.prediction is None else "The prediction is no JSON object"
        notes.append(f"{what}, so nothing is compared.")
    if state is not None:
        other = [visible_line(one.name, 40) for one in state.fields if not one.comparable]
        if other:
            notes.append(f"Not compared, since the oracle's value is not the variable's: {', '.join(other[:8])}.")
        if state.cut:
            shown, more = ", ".join(visible_line(name, 40) for name in state.cut[:8]), len(state.cut) - 8
            others = f" and {more:,} more" if more > 0 else ""
            notes.append(f"Values too long to be kept whole are not compared with the prediction: {shown}{others}.")
        if not state.is_exact:
            notes.append("Some long values were compared by how Python writes them.")
    if subject.target == "output" and subject.prediction is None:
        notes.append("No output was predicted, so nothing is compared.")
    if subject.target not in ("state", "output", "input") and subject.probe is None:
        notes.append("The prediction is no state and no output, so nothing is compared.")
    is_output = subject.target == "output" and not subject.is_call and done.run.outcome.finished
    if is_output and subject.oracle is not None and done.run.stdout.split() != to_bytes(subject.oracle).split():
        notes.append("This run's output is not the oracle.")
    return notes
