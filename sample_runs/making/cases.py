"""A case: a program, its two inputs and its loop, read from `programs/`; and the four tasks' sources made of it."""

from __future__ import annotations

import ast
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

ARMS = ("short-trace-final", "long-trace-final", "inside-loop-state", "post-loop-state")
SHORT, LONG, INSIDE, POST = ARMS
COUNTER = "loop_count"
NEVER = 1_000_000_000
"""An iteration that no run reaches: the instrumented program then does what the clean one does."""


class Instrumented(NamedTuple):
    """A program that stops at its checkpoint."""

    source: str
    line: int
    """The line that emits the state, counted from 1."""


@dataclass(frozen=True)
class Case:
    """One program with the inputs and the checkpoint that its description declares."""

    name: str
    study: str
    topic: str
    difficulty: str
    source: str
    loop: str
    """The header of the selected loop, exactly as in the source."""
    iteration: int
    """The inside checkpoint stands before this iteration, counted from 1."""
    fields: tuple[str, ...]
    short: str
    long: str

    @property
    def tree(self) -> ast.Module:
        return ast.parse(self.source)

    @property
    def loop_line(self) -> int:
        return next(i for i, line in enumerate(self.source.splitlines(), 1) if line.strip() == self.loop)

    def input_of(self, arm: str) -> str:
        return self.short if arm == SHORT else self.long


def read_cases(folder: Path) -> list[Case]:
    """Read every program of a folder with its description, in order of names."""
    cases = []
    for path in sorted(folder.glob("*.py")):
        about = tomllib.loads(path.with_suffix(".toml").read_text(encoding="ascii"))
        case = Case(
            name=path.stem.replace("_", "-"),
            study=about["study"],
            topic=about["topic"],
            difficulty=about["difficulty"],
            source=path.read_text(encoding="ascii"),
            loop=about["loop"],
            iteration=about["iteration"],
            fields=tuple(about["fields"]),
            short=about["short"].lstrip("\n"),
            long=about["long"].lstrip("\n"),
        )
        if [line.strip() for line in case.source.splitlines()].count(case.loop) != 1:
            raise ValueError(f"{path.name}: the loop {case.loop!r} must stand there exactly once")
        cases.append(case)
    return cases


def find_loop(tree: ast.Module, line: int) -> ast.For | ast.While:
    """Return the loop whose header stands on a line."""
    return next(node for node in ast.walk(tree) if isinstance(node, ast.For | ast.While) and node.lineno == line)


def instrument(case: Case, arm: str, iteration: int) -> Instrumented:
    """Insert a counter, the checkpoint and its import; every other line stays byte for byte as it was.

    The inside checkpoint stands at the start of the loop's body and fires before the given iteration; the other one
    stands after the loop and fires once the loop has made that many.
    """
    loop = find_loop(case.tree, case.loop_line)
    lines = case.source.splitlines()
    outer = " " * loop.col_offset
    inner = " " * loop.body[0].col_offset
    state = ", ".join(f'"{name}": {name}' for name in case.fields)
    emit = f'print(json.dumps({{{state}}}, separators=(",", ":")))'
    counting = [f"{inner}{COUNTER} += 1"]
    checkpoint = [f"    {emit}", "    raise SystemExit"]
    after: list[str] = []
    if arm == INSIDE:
        counting += [inner + line for line in [f"if {COUNTER} == {iteration}:", *checkpoint]]
    else:
        after = [outer + line for line in [f"if {COUNTER} >= {iteration}:", *checkpoint]]
    head, body = loop.lineno - 1, loop.body[0].lineno - 1
    end = loop.end_lineno or len(lines)
    out = [
        "import json",
        *lines[:head],
        f"{outer}{COUNTER} = 0",
        *lines[head:body],
        *counting,
        *lines[body:end],
        *after,
        *lines[end:],
    ]
    line = next(i for i, text in enumerate(out, 1) if text.strip() == emit)
    return Instrumented("\n".join(out) + "\n", line)
