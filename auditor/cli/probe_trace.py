"""What `auditor trace` tells of a probe: its question, the run's answer, and the steps around the moment."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from auditor.cli.output import print_table, print_text

if TYPE_CHECKING:
    from auditor.audit.replay import Replay

_BEFORE, _AFTER = 5, 3
"""Steps around the moment that are printed."""


def print_probe(replay: Replay) -> frozenset[str]:
    """Print the question of a probe and where in the run it is; return the variables that it is about.

    Of other items nothing is printed, and none are returned.
    """
    from auditor.audit.replay_probe import place_sentence
    from auditor.text import visible_line

    probe = replay.probe
    if probe is None:
        return frozenset()
    print_text(f"Question: {visible_line(probe.question.question, 2000)}")
    if place := place_sentence(probe):
        print_text(f"Asked about: {place}.")
    return frozenset(probe.names)


def print_around(replay: Replay, step: int) -> None:
    """Print the steps around one; changes are those since the step before."""
    from auditor.audit.probe_window import window, window_rows

    rows = window_rows(window(replay, step, before=_BEFORE, after=_AFTER))
    print_table(("", "step", "line", "source", "changes"), list(rows))
    print_text("")


def probe_json(replay: Replay) -> dict[str, Any]:
    """Return what is known of a probe and the steps around its moment; `probe` is null for other items."""
    from auditor.audit.probe_window import window
    from auditor.audit.replay_probe import place_sentence

    probe = replay.probe
    if probe is None:
        return {"probe": None}
    rows = window(replay, replay.opening, before=_BEFORE, after=_AFTER)
    return {
        "probe": {
            **probe.question.asked._asdict(),
            "step": probe.step,
            "recorded_step": probe.question.asked.step,
            "question": probe.question.question,
            "answer": probe.question.value,
            "given": None if probe.given is None else json.loads(probe.given),
            "agrees": probe.agrees,
            "reason": probe.why or None,
            "place": place_sentence(probe),
            "visit": probe.visit,
            "visits": list(probe.visits),
            "span": None if probe.span is None else list(probe.span),
            "names": list(probe.names),
        },
        "around": [
            {
                "step": row.step,
                "line": row.line,
                "source": row.source,
                "changes": [{"name": one.name, "text": one.text, "of_module": one.of_module} for one in row.changes],
                "mark": row.mark or None,
            }
            for row in rows
        ],
    }
