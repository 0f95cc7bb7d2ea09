"""A C++ program with counters in it: how often statements ran, how conditions came out, what loops did.

The program does what it did before, slower. Counters stand in the lines of what they count, so lines stay as they are.
"""

from __future__ import annotations

import functools
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from auditor.execution.cpp.scope import header_names, names_before
from auditor.execution.cpp.tree import LOOPS, Insertions, Tree, body_of
from auditor.execution.outcome import Ending
from auditor.execution.program import Limits, Program, Run
from auditor.execution.sandbox import DEFAULT_LIMITS, Sandbox

if TYPE_CHECKING:
    from tree_sitter import Node

_NO_STATEMENTS = frozenset(
    (
        *("comment", "using_declaration", "alias_declaration", "type_definition", "static_assert_declaration"),
        *("function_definition", "template_declaration", "else_clause", "catch_clause", "attribute_declaration"),
        "case_statement",
    )
)
"""What stands in blocks without being run."""
_TRAPS = (
    "-fsanitize=signed-integer-overflow,integer-divide-by-zero,shift,bounds,null",
    "-fsanitize-undefined-trap-on-error",
    "-D_GLIBCXX_ASSERTIONS",
)
"""What ends a program that does something undefined, instead of letting it go on with anything."""
OPTIONS = ("-O0", "-w", *_TRAPS)
_MORE_MEMORY = 64 << 20


class Place(NamedTuple):
    """Something that is counted."""

    start: int
    """The byte at which it begins."""
    line: int
    is_condition: bool


@dataclass(frozen=True, slots=True)
class Watched:
    """A program with counters."""

    tree: Tree
    source: str
    places: tuple[Place, ...]
    loops: tuple[Node, ...]


class Value(NamedTuple):
    """A variable at a checkpoint."""

    kind: str
    """`bool`, `int`, `json`, or what it is that cannot be written as JSON, beginning with an article."""
    text: str
    """As JSON; empty where it cannot be written, or is longer than 64 KB."""


@dataclass(frozen=True, slots=True)
class Observed:
    """What a run with counters told."""

    run: Run
    counts: tuple[int, ...] = ()
    """How often each place ran; none when the program ended without a word."""
    truths: tuple[int, ...] = ()
    """How often each condition held."""
    begins: tuple[int, ...] = ()
    """Iterations of each loop."""
    ends: tuple[int, ...] = ()
    """How often each loop ended other than by `return`, `goto` or an exception."""
    firsts: tuple[int, ...] = ()
    """Iterations when each loop ended for the first time."""
    inside: dict[str, Value] | None = None
    """The variables before the iteration that was asked for."""
    after: dict[str, Value] | None = None
    """Those when its loop ended; the program was ended there, and wrote what `run` says by then."""

    @property
    def told(self) -> bool:
        """Whether the program told its counts."""
        return bool(self.begins)

    @property
    def steps(self) -> int:
        """Statements that began and conditions that were tested."""
        return sum(self.counts)

    @property
    def ways(self) -> tuple[tuple[bool, bool, bool], ...]:
        """For each place whether it ran, whether it held, and whether it did not hold when it was tested."""
        pairs = zip(self.counts, self.truths, strict=True)
        return tuple((count > 0, held > 0, count > held) for count, held in pairs)

    @property
    def undefined(self) -> bool:
        """Whether it was ended because it did something that C++ leaves undefined."""
        return self.run.outcome.ending is Ending.SIGNAL and self.run.outcome.signal in (4, 5, 6, 8, 11)


@functools.cache
def text_of(name: str) -> str:
    """Return a file of C++ that stands beside this module."""
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


class _Work:
    """Goes through a tree and inserts counters."""

    def __init__(self, tree: Tree, also: frozenset[str], left_out: str | None) -> None:
        self.tree, self.also, self.left_out = tree, also, left_out
        self.insertions = Insertions(tree.data)
        self.places: list[Place] = []
        self.loops: list[Node] = []

    def place(self, node: Node, *, is_condition: bool = False) -> int:
        self.places.append(Place(node.start_byte, self.tree.line(node), is_condition))
        return len(self.places) - 1

    def visit(self, node: Node) -> None:
        """Insert the counters of a node and of all inside it."""
        if node.type == "function_definition" and (_is_compile_time(self.tree, node) or self.is_left_out(node)):
            return
        if node.type in LOOPS:
            self.loop(node)
        if node.type in LOOPS or node.type == "if_statement":
            self.condition(node)
        if node.type in LOOPS or node.type in ("if_statement", "else_clause"):
            for name in ("body", "consequence"):
                self.single(node.child_by_field_name(name))
            if node.type == "else_clause":
                self.single(next((one for one in node.named_children if one.type != "comment"), None))
        for child in node.children:
            if node.type in ("compound_statement", "case_statement") and _is_statement(node, child):
                self.insertions.open(child.start_byte, f"auditor_watch::s({self.place(child)});")
            self.visit(child)

    def is_left_out(self, function: Node) -> bool:
        declared = function.child_by_field_name("declarator")
        name = declared.child_by_field_name("declarator") if declared is not None else None
        return name is not None and self.tree.text(name) == self.left_out

    def single(self, node: Node | None) -> None:
        """Put braces around a statement that is no block, with its counter."""
        if node is not None and node.type != "compound_statement":
            self.insertions.wrap(node, f"{{auditor_watch::s({self.place(node)});", "}")

    def condition(self, node: Node) -> None:
        tested = node.child_by_field_name("condition")
        if tested is not None and tested.type in ("condition_clause", "parenthesized_expression"):
            inner = tested.child_by_field_name("value") if tested.type == "condition_clause" else None
            tested = inner or next((one for one in tested.named_children if one.type != "comment"), None)
        is_constexpr = any(child.type == "constexpr" for child in node.children)
        if tested is None or tested.type in ("declaration", "init_statement") or is_constexpr:
            return
        self.insertions.wrap(tested, f"auditor_watch::c({self.place(tested, is_condition=True)},(", "))")

    def loop(self, node: Node) -> None:
        number, tree = len(self.loops), self.tree
        self.loops.append(node)
        used = self.also | {tree.text(one) for one in tree.walk(node) if one.type == "identifier"}
        before = names_before(tree, node) & used
        inside = before | (header_names(tree, node) & used)
        counted = f"auditor_watch::s({self.place(node)});" if node.type == "for_range_loop" else ""
        hook = f"{counted}if(auditor_watch::i({number})){{{_dumps('i', inside)}}}"
        self.insertions.wrap(node, "{", f"if(auditor_watch::e({number})){{{_dumps('a', before)}std::exit(0);}}}}")
        body = body_of(node)
        if body.type == "compound_statement":
            self.insertions.open(body.start_byte + 1, hook)
        else:
            self.insertions.wrap(body, "{" + hook, "}")


def _dumps(when: str, names: set[str]) -> str:
    return "".join(f'auditor_watch::d("{when}","{name}",{name});' for name in sorted(names))


def _is_statement(around: Node, node: Node) -> bool:
    """Say whether a child of a block or case is run when its turn comes."""
    if not node.is_named or node.type in _NO_STATEMENTS or node.type.startswith("preproc"):
        return False
    return around.type != "case_statement" or node != around.child_by_field_name("value")


def _is_compile_time(tree: Tree, function: Node) -> bool:
    """Say whether a function may run while the program is compiled, where nothing can be counted."""
    words = (one for one in function.children if one.type in ("type_qualifier", "storage_class_specifier"))
    return any(tree.text(one) in ("constexpr", "consteval") for one in words)


def watched(tree: Tree, also: Iterable[str] = (), left_out: str | None = None) -> Watched:
    """Insert counters into a program, but not into the function `left_out`.

    Of variables, those can be asked for that a loop names, or that are in `also`.
    """
    work = _Work(tree, frozenset(also), left_out)
    work.visit(tree.root)
    head = text_of("watch.hpp").replace("@JSON@", text_of("checkpoint_json.hpp"))
    head = head.replace("@PLACES@", str(max(1, len(work.places)))).replace("@LOOPS@", str(max(1, len(work.loops))))
    return Watched(tree, f"{head}#line 1\n{work.insertions.finish()}", tuple(work.places), tuple(work.loops))


@dataclass(slots=True)
class _Told:
    numbers: dict[str, tuple[int, ...]] = field(default_factory=dict)
    values: dict[str, dict[str, Value]] = field(default_factory=dict)


def observe(
    sandbox: Sandbox,
    program: Watched,
    *,
    stdin: bytes = b"",
    loop: int = -1,
    iteration: int = 0,
    limits: Limits = DEFAULT_LIMITS,
) -> Observed:
    """Run a program with counters; `loop` is the number of a loop whose variables are wanted before an iteration.

    The program then ends where that loop ends for the first time behind the iteration.
    """
    token = f"auditor-{secrets.token_hex(8)}"
    room = replace(limits, memory=limits.memory + _MORE_MEMORY)
    asked = {"AUDITOR_WATCH": f"{token} {loop} {iteration}"}
    compiled = replace(Program.cpp(program.source), options=OPTIONS)
    run = sandbox.run(compiled, stdin=stdin, limits=room, environment=asked)
    told = _told(run.stderr, token.encode())
    kinds = ("counts", "truths", "begins", "ends", "firsts")
    sizes = (*[len(program.places)] * 2, *[len(program.loops)] * 3)
    if any(len(told.numbers.get(kind, ())) != max(1, size) for kind, size in zip(kinds, sizes, strict=True)):
        return Observed(run)
    counts, truths, begins, ends, firsts = (told.numbers[kind] for kind in kinds)
    return Observed(run, counts, truths, begins, ends, firsts, told.values.get("i"), told.values.get("a"))


def _told(stderr: bytes, token: bytes) -> _Told:
    """Read what the counters wrote between whatever else the program wrote there."""
    told = _Told()
    place = 0
    while (place := stderr.find(b"\n" + token + b" ", place)) >= 0:
        place += len(token) + 2
        end = stderr.find(b"\n", place)
        words = stderr[place : end if end >= 0 else len(stderr)].decode(errors="replace").split(" ")
        if words[0] == "value" and len(words) == 4 and end >= 0:
            kind, _, rest = stderr[end + 1 :].partition(b"\n")
            text = rest[: int(words[3])].decode(errors="replace")
            told.values.setdefault(words[1], {})[words[2]] = Value(kind.decode(errors="replace"), text)
        elif all(word.isdecimal() for word in words[1:]):
            told.numbers[words[0]] = tuple(map(int, words[1:]))
    return told
