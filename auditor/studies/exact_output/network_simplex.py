"""The study of one library routine under many inputs: NetworkX's network simplex on generated graphs, in bands of
trace length that are declared beforehand.
"""

from __future__ import annotations

import ast
import inspect
import random
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple

from auditor.errors import InputError
from auditor.execution.measures import measure
from auditor.execution.program import Program
from auditor.studies.exact_output.building import BuildOptions, bench_of_worker, close_benches_of_process
from auditor.studies.exact_output.case import Case
from auditor.text import counted

STUDY = "networkx"
LOOP = "for i, p, q in DEAF.find_entering_edges():"
FIELDS = ("i", "p", "q", "j", "s", "t")
"""Entering edge with its ends, leaving edge with its ends, of the pivot under way or just made."""


class Band(NamedTuple):
    """A range of trace lengths of the long input."""

    name: str
    least: int
    below: int

    def __contains__(self, length: object) -> bool:
        return isinstance(length, int) and self.least <= length < self.below


BANDS = (Band("short", 20_000, 50_000), Band("middle", 50_000, 125_000), Band("long", 125_000, 312_500))
"""In CPython opcodes, declared before anything is generated."""
_HEAD = """\
# The routine network_simplex of NetworkX {version}, without decorators and docstrings, and a program around it.
# {notice}
from itertools import chain, islice, repeat
from math import ceil, sqrt


class nx:
    class NetworkXError(Exception):
        pass

    class NetworkXUnfeasible(Exception):
        pass

    class NetworkXUnbounded(Exception):
        pass

    class DiGraph:
        def __init__(self, demands, sources, targets, capacities, weights):
            self.demands = demands
            self.sources, self.targets = sources, targets
            self.capacities, self.weights = capacities, weights
            self.nodes = self

        def __len__(self):
            return len(self.demands)

        def __iter__(self):
            return iter(range(len(self.demands)))

        def __getitem__(self, u):
            return {{"demand": self.demands[u]}}

        def is_multigraph(self):
            return False

        def edges(self, data):
            for u, v, c, w in zip(self.sources, self.targets, self.capacities, self.weights):
                yield u, v, {{"capacity": c, "weight": w}}

    @staticmethod
    def selfloop_edges(G, data):
        return [e for e in G.edges(data) if e[0] == e[1]]


"""
_TAIL = """

nodes, edges = map(int, input().split())
demands = list(map(int, input().split()))
sources, targets, capacities, weights = ([] for _ in range(4))
for _ in range(edges):
    u, v, c, w = map(int, input().split())
    sources.append(u)
    targets.append(v)
    capacities.append(c)
    weights.append(w)
G = nx.DiGraph(demands, sources, targets, capacities, weights)
cost, flow = network_simplex(G)
print(cost)
for u in flow:
    for v in flow[u]:
        if flow[u][v]:
            print(u, v, flow[u][v])
"""


def _networkx() -> Any:
    try:
        import networkx
    except ImportError as error:
        hint = "Install it with: pip install 'auditor[networkx]'"
        raise InputError("this study needs the package networkx, which is not installed.", hint=hint) from error
    return networkx


def program() -> str:
    """Return the study's one program, with the routine as the installed NetworkX has it; raises InputError."""
    networkx = _networkx()
    from networkx.algorithms.flow import networksimplex

    source = inspect.getsource(networksimplex)
    tree = ast.parse(source)
    wanted = ("_DataEssentialsAndFunctions", "network_simplex")
    parts = [node for node in tree.body if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name in wanted]
    text = _HEAD.format(
        version=networkx.__version__,
        notice="Copyright (c) 2004 and later, NetworkX Developers; 3-clause BSD licence: https://networkx.org",
    )
    text += "\n\n".join(_without_docstrings(source, part) for part in parts) + _TAIL
    lines = [line.strip() for line in text.splitlines()]
    if [node.name for node in parts] != list(wanted) or lines.count(LOOP) != 1:
        raise InputError(
            f"NetworkX {networkx.__version__} has another network simplex than the study knows.",
            hint="Install networkx>=3.2,<4.",
        )
    return text


def _without_docstrings(source: str, part: ast.ClassDef | ast.FunctionDef) -> str:
    """Return the lines of a definition from its keyword on, without the docstrings in it."""
    dropped: set[int] = set()
    for node in ast.walk(part):
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node, clean=False) is not None:
            first = node.body[0]
            dropped.update(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    lines = source.splitlines()
    kept = [number for number in range(part.lineno, (part.end_lineno or part.lineno) + 1) if number not in dropped]
    return "\n".join(lines[number - 1] for number in kept) + "\n"


@dataclass(frozen=True, slots=True)
class Graph:
    """A minimum cost flow problem that has a solution."""

    demands: tuple[int, ...]
    edges: tuple[tuple[int, int, int, int], ...]
    """From, to, capacity and weight."""

    @property
    def text(self) -> str:
        """Return it as the program reads it."""
        rows = [(len(self.demands), len(self.edges)), self.demands, *self.edges]
        return "".join(" ".join(map(str, row)) + "\n" for row in rows)

    def solved(self) -> str:
        """Return what the program must write, found by the installed NetworkX itself."""
        networkx = _networkx()
        graph = networkx.DiGraph()
        for node, demand in enumerate(self.demands):
            graph.add_node(node, demand=demand)
        for u, v, capacity, weight in self.edges:
            graph.add_edge(u, v, capacity=capacity, weight=weight)
        cost, flow = networkx.network_simplex(graph)
        rows = [(u, v, amount) for u, ways in flow.items() for v, amount in ways.items() if amount]
        return f"{cost}\n" + "".join(f"{u} {v} {amount}\n" for u, v, amount in rows)


def graph_of(draw: random.Random, nodes: int, degree: int) -> Graph:
    """Draw a graph: so many edges a node, and demands that some flow within the capacities meets."""
    pairs = [(u, v) for u in range(nodes) for v in range(nodes) if u != v]
    chosen = sorted(draw.sample(pairs, min(len(pairs), nodes * degree)))
    demands, edges = [0] * nodes, []
    for u, v in chosen:
        capacity = draw.randrange(2, 30)
        flow = draw.randrange(capacity + 1) if draw.randrange(3) else 0
        demands[u] -= flow
        demands[v] += flow
        edges.append((u, v, capacity, draw.randrange(1, 60)))
    return Graph(tuple(demands), tuple(edges))


@dataclass(frozen=True, slots=True)
class Candidate:
    """One drawn pair of graphs."""

    number: int
    short: Graph
    long: Graph

    def case(self, source: str, band: Band) -> Case:
        """Return it as a case of a band."""
        return Case(
            f"{band.name}-{self.number:05}",
            source,
            self.short.text,
            self.long.text,
            loop=LOOP,
            fields=FIELDS,
            facets={"band": band.name, "nodes": len(self.long.demands), "edges": len(self.long.edges)},
            expected=(self.short.solved(), self.long.solved()),
            trace_range=(band.least, band.below),
        )


def candidates(seed: int, count: int) -> Iterator[Candidate]:
    """Yield the candidates of a seed; each depends on the seed and its own number alone."""
    for number in range(1, count + 1):
        draw = random.Random(f"{seed}/{number}")
        short = graph_of(draw, draw.randrange(4, 6), 2)
        yield Candidate(number, short, graph_of(draw, round(7 * 1.6 ** draw.uniform(0, 4)), draw.randrange(2, 5)))


@dataclass(slots=True)
class Selection:
    """The candidates that are taken, the first ones of each band, and why the others are not."""

    per_band: int
    bands: Sequence[Band] = BANDS
    taken: list[tuple[Candidate, Band]] = field(default_factory=list)
    seen: int = 0
    outside: int = 0
    """Candidates in no band."""
    unneeded: int = 0
    """Candidates of a band that had enough already."""
    failed: int = 0
    """Candidates that could not be measured."""

    def count(self, band: Band) -> int:
        """Return how many candidates a band has."""
        return sum(other == band for _, other in self.taken)

    @property
    def full(self) -> bool:
        """Whether every band has enough."""
        return len(self.taken) == self.per_band * len(self.bands)

    def take(self, candidate: Candidate, length: int | None) -> None:
        """Judge the next candidate by the trace length of its long input; None when it could not be measured."""
        self.seen += 1
        band = next((band for band in self.bands if length in band), None)
        if length is None:
            self.failed += 1
        elif band is None:
            self.outside += 1
        elif self.count(band) >= self.per_band:
            self.unneeded += 1
        else:
            self.taken.append((candidate, band))

    def shortfalls(self) -> list[str]:
        """Return a sentence for each band that has too few."""
        return [
            f"the band {band.name} ({band.least:,} to {band.below - 1:,} opcodes) has {self.count(band):,} of "
            f"{self.per_band:,} inputs after {counted(self.seen, 'graph')}."
            for band in self.bands
            if self.count(band) < self.per_band
        ]


def trace_length(job: tuple[str, str], options: BuildOptions) -> int | None:
    """Return the trace length of a program with an input, measured in a worker; None when it could not be measured."""
    bench = bench_of_worker(options)
    source, text = job
    found = measure(
        bench.sandbox,
        Program.python(source),
        stdin=text.encode(),
        state=False,
        seconds=bench.limits.wall,
        limits=bench.limits,
    )
    return found.trace_length if found.run.outcome.finished else None


_AHEAD = 8
"""Candidates that are measured side by side."""


def select(
    source: str, drawn: Iterator[Candidate], selection: Selection, options: BuildOptions, executor: Executor | None
) -> Iterator[Selection]:
    """Judge candidates in their order until every band has enough; yield the selection after each of them.

    The same ones are taken whoever measures them. Without an executor this process does.
    """
    # What is not needed any more is not cancelled: it ends with the executor, and a pool of Python 3.11 fails over it.
    waiting: deque[tuple[Candidate, Future[int | None]]] = deque()
    jobs = ((candidate, (source, candidate.long.text)) for candidate in drawn)
    try:
        while not selection.full:
            for candidate, job in islice(jobs, (_AHEAD if executor else 1) - len(waiting)):
                waiting.append((candidate, _measured(job, options, executor)))
            if not waiting:
                return
            candidate, future = waiting.popleft()
            selection.take(candidate, future.result())
            yield selection
    finally:
        if executor is None:
            close_benches_of_process()


def _measured(job: tuple[str, str], options: BuildOptions, executor: Executor | None) -> Future[int | None]:
    if executor is not None:
        return executor.submit(trace_length, job, options)
    done: Future[int | None] = Future()
    done.set_result(trace_length(job, options))
    return done
