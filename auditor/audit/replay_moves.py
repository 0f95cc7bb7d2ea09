"""Going from step to step of a replay: values in, steps out, for screen and command line."""

from __future__ import annotations

import bisect
import re
from collections.abc import Callable, Sequence

from auditor.audit.replay import Replay
from auditor.errors import InputError
from auditor.execution.landmarks import Landmarks
from auditor.text import counted, visible_line

_STEP = re.compile(r"([+-]?)([0-9]{1,18})")
_PLACES = "a step, +500, -500, first, last, checkpoint, probe, contradiction or true"


def neighbour(marks: Landmarks, at: int, by: int) -> int | None:
    """Return the kept step so many before or behind one; None where there is none."""
    place = bisect.bisect_left(marks.numbers, at) + by
    return marks.numbers[place] if 0 <= place < len(marks.numbers) else None


def nearest(marks: Landmarks, wanted: int) -> int:
    """Return the kept step nearest to a number."""
    place = bisect.bisect_left(marks.numbers, wanted)
    around = marks.numbers[max(0, place - 1) : place + 1]
    return min(around, key=lambda step: abs(step - wanted))


def loop_at(replay: Replay, at: int) -> int | None:
    """Return the line of the loop whose iterations are gone through from a step.

    That is the innermost loop around the step's line; outside all loops that of the checkpoint, or the last loop above,
    or the first below.
    """
    marks, line = replay.marks, replay.trace.step(at).line
    inside = marks.loop_of(line)
    if inside is not None:
        return inside
    checkpoint = replay.version.checkpoint
    if checkpoint is not None:
        around = marks.loop_of(checkpoint.line)
        around = marks.loop_before(checkpoint.line) if around is None else around
        if around is not None:
            return around
    above = marks.loop_before(line)
    return min(marks.spans, default=None) if above is None else above


def iteration_of(replay: Replay, loop: int, at: int) -> tuple[int, int]:
    """Return which kept iteration of a loop a step is in, from 1, 0 before the first, and how many are kept."""
    steps = replay.marks.iterations.get(loop, ())
    return bisect.bisect_right(steps, at), len(steps)


def next_iteration(replay: Replay, at: int, *, backwards: bool = False) -> int | None:
    """Return the step at which the next iteration begins, or the one before; None where there is none."""
    loop = loop_at(replay, at)
    return _beside(replay.marks.iterations.get(loop, ()) if loop is not None else (), at, backwards)


def _beside(steps: Sequence[int], at: int, backwards: bool) -> int | None:
    place = bisect.bisect_left(steps, at) - 1 if backwards else bisect.bisect_right(steps, at)
    return steps[place] if 0 <= place < len(steps) else None


def next_output(replay: Replay, at: int, *, backwards: bool = False) -> int | None:
    """Return the next kept step before which more had been written, or the last such step before; None for none."""
    if not backwards:
        return replay.trace.find_output(at)
    less = replay.trace.find_output(at, backwards=True)
    found = neighbour(replay.marks, less, 1) if less is not None else None
    if found != at or less is None:
        return found
    # Output had been written right before this step: go to where that was so earlier.
    less = replay.trace.find_output(less, backwards=True)
    return neighbour(replay.marks, less, 1) if less is not None else None


def next_change(replay: Replay, name: str, at: int, *, backwards: bool = False) -> int | None:
    """Return the next kept step, or the one before, at which a variable of this name changed."""
    return replay.trace.find_change(name, at, backwards=backwards)


def visited_line(replay: Replay, at: int) -> int:
    """Return the line whose visits are gone through from a step: that of the probe or the checkpoint, or the step's."""
    if replay.probe is not None and replay.probe.question.asked.line is not None:
        return replay.probe.question.asked.line
    checkpoint = replay.version.checkpoint
    return replay.trace.step(at).line if checkpoint is None else checkpoint.line


def next_visit(replay: Replay, at: int, *, backwards: bool = False) -> int | None:
    """Return the next kept step that is about to run the line whose visits are gone through, or the one before."""
    return replay.trace.find_line(visited_line(replay, at), at, backwards=backwards)


def lacking(replay: Replay) -> dict[str, str]:
    """Return what a run does not have to go to, with the sentence that says so.

    Of `loop`, `checkpoint`, `contradiction`, `true` (where the prediction is true), `visit` (of the
    line) and `output`.
    """
    no_task = "This task has no checkpoint." if replay.subject.checkpoint is None else ""
    if replay.probe is not None:
        no_task = replay.probe.why or "Which moment is asked about is not known."
    line = visited_line(replay, replay.first)
    known = "at any kept step" if replay.state is not None else "at any step, since no state is predicted"
    sentences = {
        "loop": ("This program has no loop.", bool(replay.marks.spans)),
        "checkpoint": (no_task or "No kept step is the checkpoint of this task.", replay.checkpoint is not None),
        "contradiction": (
            "Nothing in this run is known to contradict the prediction.",
            replay.contradiction is not None,
        ),
        "true": (f"The predicted values are not known to be true together {known}.", replay.last_true is not None),
        "visit": (f"The run does not reach line {line:,}.", line in replay.marks.reached),
        "output": ("This program writes no output.", bool(replay.trace.run.stdout)),
    }
    return {what: sentence for what, (sentence, is_there) in sentences.items() if not is_there}


def find_step(replay: Replay, text: str, at: int) -> int:
    """Return the kept step that a text names, seen from a step; raises InputError for one that names none."""
    named: dict[str, Callable[[], int | None]] = {
        "first": lambda: replay.first,
        "last": lambda: replay.last,
        "checkpoint": lambda: replay.checkpoint,
        "probe": lambda: replay.checkpoint if replay.probe is not None else None,
        "contradiction": lambda: replay.contradiction,
        "true": lambda: replay.last_true,
    }
    word = text.strip().lower()
    if word in named:
        found = named[word]()
        if found is None:
            raise InputError(f"this replay has no such step: {word}.")
        return found
    number = _STEP.fullmatch(word.replace(",", ""))
    if number is None:
        raise InputError(f"{visible_line(text, 40)!r} names no step.", hint=f"Write {_PLACES}.")
    step = int(number[2])
    if number[1]:
        step = at + step if number[1] == "+" else at - step
    elif step > replay.last:
        raise InputError(f"this run has no step {step:,}: {_steps_words(replay)}.", hint=f"Write {_PLACES}.")
    return nearest(replay.marks, step)


def _steps_words(replay: Replay) -> str:
    """Say how many steps there are, and which are kept."""
    total, last = replay.trace.total, replay.last
    if total is None:
        return f"the last one that is kept is {last:,}, and how many there are is not known"
    if last + 1 == total:
        return f"it has {counted(total, 'step')}, {replay.first:,} to {last:,}"
    return f"it has {counted(total, 'step')}, of which the last one that is kept is {last:,}"
