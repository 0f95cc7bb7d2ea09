"""The study of one routine: the same graphs for a seed, the routine as NetworkX has it, bands filled in order."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path

import pytest

from auditor.cli.build_graphs import build_graph_study
from auditor.cli.build_run import report_build
from auditor.cli.build_stopping import Where
from auditor.cli.output import Progress
from auditor.execution.program import Program
from auditor.studies.exact_output.building import BuildOptions, build_case
from auditor.studies.exact_output.case import INSIDE, POST, Reason
from auditor.studies.exact_output.checking import Bench
from auditor.studies.exact_output.network_simplex import (
    BANDS,
    FIELDS,
    Band,
    Candidate,
    Selection,
    candidates,
    program,
    select,
)
from auditor.studies.exact_output.static_measures import cyclomatic

TINY = (Band("tiny", 9_000, 11_800), Band("small", 11_800, 13_000))


@pytest.fixture(autouse=True)
def with_networkx() -> None:
    pytest.importorskip("networkx", reason="the extra networkx is not installed")


def small(number: int) -> Candidate:
    """Return a candidate whose long input is the short one of another."""
    first, second = list(candidates(3, 2 * number))[-2:]
    shorter, longer = sorted((first.short, second.short), key=lambda graph: len(graph.edges))
    return Candidate(number, shorter, longer)


def test_graphs_depend_on_the_seed_and_their_number_alone() -> None:
    few, many = list(candidates(1, 3)), list(islice(candidates(1, 50), 3))
    assert few == many and few != list(candidates(2, 3))
    for candidate in candidates(1, 20):
        for graph in (candidate.short, candidate.long):
            assert sum(graph.demands) == 0 and len({edge[:2] for edge in graph.edges}) == len(graph.edges)
        assert len(candidate.short.edges) < len(candidate.long.edges)


def test_the_program_writes_what_networkx_finds(bench: Bench) -> None:
    source = program()
    assert cyclomatic(source) > 80 and source.count('"""') == 0 and "3-clause BSD" in source
    for candidate in candidates(5, 3):
        for graph in (candidate.short, candidate.long):
            done = bench.sandbox.run(Program.python(source), stdin=graph.text.encode())
            assert done.stdout.decode() == graph.solved(), done.outcome


def test_a_graph_outside_of_its_band_is_refused(bench: Bench) -> None:
    outside = build_case(small(1).case(program(), Band("other", 10, 20)), BuildOptions(), bench)
    assert outside.refusal is not None and outside.refusal.reason is Reason.TRACE_RANGE
    assert outside.refusal.detail.endswith("opcodes with the long input, not 10 to 19.")


def test_bands_are_filled_in_the_order_of_the_candidates_whoever_measures() -> None:
    source, drawn = program(), [small(number) for number in range(1, 9)]
    alone, together = Selection(2, TINY), Selection(2, TINY)
    seen = [found.seen for found in select(source, iter(drawn), alone, BuildOptions(), None)]
    with ThreadPoolExecutor(2) as executor:
        assert [found.seen for found in select(source, iter(drawn), together, BuildOptions(), executor)] == seen
    assert together.taken == alone.taken and seen == list(range(1, len(seen) + 1))
    assert alone.seen == len(alone.taken) + alone.outside + alone.unneeded + alone.failed
    assert [(c.number, band.name) for c, band in alone.taken] == [(1, "tiny"), (2, "tiny"), (3, "small"), (4, "small")]


def test_a_band_with_too_few_graphs_is_named() -> None:
    selection = Selection(1, (Band("none", 10, 20), TINY[0]))
    for length in (3, None, 9_000, 11_000):
        selection.take(small(1), length)
    assert (selection.outside, selection.failed, selection.unneeded, selection.full) == (1, 1, 1, False)
    assert selection.shortfalls() == ["the band none (10 to 19 opcodes) has 0 of 1 inputs after 4 graphs."]
    assert [band.below for band in BANDS[:-1]] == [band.least for band in BANDS[1:]]


def test_the_study_is_built_at_the_pivot_loop_and_what_is_missing_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def draw(seed: int, count: int) -> Iterator[Candidate]:
        yield small(seed)

    quiet = Progress(True)
    found = build_graph_study(1, 2, 1, Where(1), tmp_path, quiet, unsafe=False, bands=TINY[:1], draw=draw)
    assert found is not None and found.stopped is None
    (verdict,) = found.verdicts
    assert verdict.refusal is None and verdict.point is not None and verdict.point.fields == FIELDS
    tasks = {task.arm: task for task in verdict.tasks}
    inside, post = (json.loads(str(tasks[arm].oracle)) for arm in (INSIDE, POST))
    assert list(inside) == list(post) == list(FIELDS) and inside != post
    assert tasks[INSIDE].facets["band"] == "tiny"
    assert report_build(found.verdicts, found.short, tmp_path, 1, None, dry_run=False, as_json=False) == 1
    shown = capsys.readouterr()
    assert shown.out.startswith("1 admitted, 0 refused; 4 tasks in ")
    assert "the band tiny (9,000 to 11,799 opcodes) has 1 of 2 inputs after 1 graph." in shown.err
    assert 'policy = "bytes"' in (tmp_path / "run.toml").read_text()


def test_an_interrupted_choice_leaves_nothing(tmp_path: Path) -> None:
    def interrupt(label: str, done: int, total: int) -> None:
        raise KeyboardInterrupt

    target = tmp_path / "run"
    assert build_graph_study(1, 1, 1, Where(1), target, interrupt, unsafe=False) is None
    assert list(tmp_path.iterdir()) == []
