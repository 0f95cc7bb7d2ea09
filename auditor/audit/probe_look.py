"""A look at the run of a probe's program, as it stands beside the item: what the run answers, and the steps around."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from auditor.audit.probe_window import WindowRow, window
from auditor.audit.replay import Budget, Replay, Sandbox, open_sandbox, record, subject_of
from auditor.audit.replay_probe import answer_sentence, place_sentence
from auditor.errors import AuditorError
from auditor.execution.program import Program
from auditor.store.queue import ReviewItem

BEFORE, AFTER = 4, 3
"""Steps before the moment and behind it."""
_BUDGET = Budget(steps=5_000, seconds=2.0, before=50, after=50)
"""Less than a replay keeps: nobody has asked for this run. Those that probes are built of have 3,000 steps at most."""


class ProbeLook(NamedTuple):
    """What a run shows of a probe."""

    answer: str
    """What the run answers, and whether that is recorded, in a sentence."""
    place: str
    """Where in the run that is; nothing where it is not known."""
    agrees: bool | None
    rows: tuple[WindowRow, ...]
    replay: Replay

    @property
    def is_whole(self) -> bool:
        """Say whether a replay of the item would keep no more."""
        return self.replay.trace.cut is None


def look_at_probe(item: ReviewItem, check: Callable[[], None], hold: Callable[[Sandbox], None]) -> ProbeLook:
    """Run the program of a probe's item, for two seconds at most, and look at what is asked about.

    `hold` is given the sandbox, to abandon it. Raises AuditorError where nothing runs here, and what `check` raises.
    """
    subject = subject_of(item)
    if subject.probe is None:
        raise AuditorError("this is no probe.")
    with open_sandbox() as sandbox:
        if not sandbox.protection.complete:
            raise AuditorError("the wall has gaps here, so no program runs unless you ask for it.")
        sandbox.run(Program.python("pass"))  # from now on there is something to abandon
        hold(sandbox)
        check()
        replay = record(subject, sandbox, budget=_BUDGET, check=check)
    assert replay.probe is not None
    # Without a line nobody knows what to look around.
    at = replay.probe.opening
    rows = window(replay, at, before=BEFORE, after=AFTER) if at is not None else []
    return ProbeLook(
        answer_sentence(replay.probe), place_sentence(replay.probe), replay.probe.agrees, tuple(rows), replay
    )
