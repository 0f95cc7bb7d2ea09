"""Going from step to step of a replay: values in, steps out, for screen and command line."""

from __future__ import annotations

import bisect
import re
from collections.abc import Callable, Sequence

from auditor.audit.replay import Replay
from auditor.errors import InputError
from auditor.execution.landmarks import Landmarks
from auditor.text import visible_line

_STEP = re.compile(r"([+-]?)([0-9]{1,18})")
_PLACES = "a step, +500, -500, first, last, checkpoint, contradiction or true"


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


def lacking(replay: Replay) -> dict[str, str]:
    """Return what a run does not have to go to, with the sentence that says so.

    Of `loop`, `checkpoint`, `contradiction`, `true` (where the prediction is true) and `output`.
    """
    no_task = "This task has no checkpoint." if replay.subject.checkpoint is None else ""
    known = "at any kept step" if replay.state is not None else "at any step, since no state is predicted"
    sentences = {
        "loop": ("This program has no loop.", bool(replay.marks.spans)),
        "checkpoint": (no_task or "No kept step is the checkpoint of this task.", replay.checkpoint is not None),
        "contradiction": (
            "Nothing in this run is known to contradict the prediction.",
            replay.contradiction is not None,
        ),
        "true": (f"The predicted values are not known to be true together {known}.", replay.last_true is not None),
        "output": ("This program writes no output.", bool(replay.trace.run.stdout)),
    }
    return {what: sentence for what, (sentence, is_there) in sentences.items() if not is_there}


def find_step(replay: Replay, text: str, at: int) -> int:
    """Return the kept step that a text names, seen from a step; raises InputError for one that names none."""
    named: dict[str, Callable[[], int | None]] = {
        "first": lambda: replay.first,
        "last": lambda: replay.last,
        "checkpoint": lambda: replay.checkpoint,
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
    return nearest(replay.marks, step)
