"""The study of NetworkX's network simplex: graphs are chosen for the bands first, then built as any cases."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from auditor.cli.build_run import run_build
from auditor.cli.build_stopping import Stopped, Where
from auditor.formats.records import Refusal
from auditor.studies.exact_output.building import BuildOptions
from auditor.studies.exact_output.case import Verdict
from auditor.studies.exact_output.network_simplex import (
    BANDS,
    STUDY,
    Band,
    Candidate,
    Selection,
    candidates,
    program,
    select,
)
from auditor.studies.exact_output.run_files import RunOptions, check_target
from auditor.text import counted

_MEASURE_SECONDS = 600.0
"""For a run of some hundred thousand opcodes whose state has a thousand slots."""


class GraphStudy(NamedTuple):
    """What came of building the study."""

    verdicts: list[Verdict]
    short: list[Refusal]
    """Bands with too few cases."""
    cases: int
    stopped: Stopped | None


def build_graph_study(
    seed: int,
    per_band: int,
    count: int,
    where: Where,
    target: Path | None,
    progress: Callable[[str, int, int], None],
    *,
    unsafe: bool,
    bands: Sequence[Band] = BANDS,
    draw: Callable[[int, int], Iterator[Candidate]] = candidates,
) -> GraphStudy | None:
    """Choose graphs and build their cases; None when somebody interrupts the choice.

    Raises InputError without NetworkX, and where nothing can be written.
    """
    source = program()
    if target is not None:
        check_target(target)
    given = BuildOptions(STUDY, unsafe, measure_seconds=_MEASURE_SECONDS)
    selection = Selection(per_band, bands)
    wanted = per_band * len(selection.bands)
    try:
        with where.executor(count) as executor:
            for so_far in select(source, draw(seed, count), selection, given, executor):
                progress(f"{counted(so_far.seen, 'graph')} measured", len(so_far.taken), wanted)
    except KeyboardInterrupt:
        return None
    cases = [candidate.case(source, band) for candidate, band in selection.taken]
    name = target.resolve().name if target else ""
    verdicts, stopped = run_build(cases, given, RunOptions(name, "bytes"), where, target, progress)
    short = [Refusal("network-simplex", sentence) for sentence in selection.shortfalls()]
    return GraphStudy(verdicts, short, len(cases), stopped)
