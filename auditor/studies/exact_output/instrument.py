"""The source of a state task: the clean program with a counter and a checkpoint, every other line as it was."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from auditor.studies.exact_output.case import INSIDE, Point
from auditor.studies.exact_output.subject import Instrumented

Loop: TypeAlias = "ast.For | ast.While"
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def loops_of(tree: ast.AST) -> Iterator[Loop]:
    """Yield the loop statements of a program; those of coroutines over asynchronous iterators are left out."""
    for node in ast.walk(tree):
        if isinstance(node, ast.For | ast.While):
            yield node


def instrument(
    source: str, point: Point, arm: str, *, iteration: int | None = None, count_only: bool = False
) -> Instrumented:
    """Insert a counter and the checkpoint of an arm; `iteration` stands in place of that of `point`.

    The inside checkpoint fires at the start of the loop's body, before that iteration. The other one fires when the
    loop has ended and at least so many iterations were made. Either writes the fields as compact JSON in their order
    and ends the program. With `count_only` the state is the counter alone.
    """
    tree = ast.parse(source)
    loop, scope = _find(tree, point.loop)
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} | _other_names(tree)
    names |= set(point.fields)  # a field that the program has not must not be what is inserted here
    counter = _free("loop_count", names)
    module = "json" if "json" not in names or _imports_json(tree) else _free("checkpoint_json", names)
    fields = (counter,) if count_only else point.fields
    state = ", ".join(f'"{name}": {name}' for name in fields)
    emit = f'print({module}.dumps({{{state}}}, separators=(",", ":")))'
    number = point.iteration if iteration is None else iteration
    sign = "==" if arm == INSIDE else ">="
    checkpoint = [f"if {counter} {sign} {number}:", f"    {emit}", "    raise SystemExit"]
    work = _Lines(source)
    imported = "import json" if module == "json" else f"import json as {module}"
    work.insert(_top(tree.body), "", [imported, "", f"{counter} = 0"])
    if scope is not None:
        work.insert(_top(scope.body), work.indent(scope.body[-1]), [f"global {counter}"])
    counting = [f"{counter} += 1", *(checkpoint if arm == INSIDE else [])]
    work.open_body(loop, counting)
    if arm != INSIDE:
        work.insert((loop.end_lineno or loop.lineno) + 1, work.indent(loop), checkpoint)
    return work.finish(emit, counter)


def _find(tree: ast.Module, line: int) -> tuple[Loop, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | None]:
    """Return the loop that begins at a line and the innermost function or class around it; raises LookupError."""

    def search(
        node: ast.AST, scope: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | None
    ) -> tuple[Loop, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | None] | None:
        if isinstance(node, ast.For | ast.While) and node.lineno == line:
            return node, scope
        inner = node if isinstance(node, _SCOPES) else scope
        for child in ast.iter_child_nodes(node):
            found = search(child, inner)
            if found is not None:
                return found
        return None

    found = search(tree, None)
    if found is None:
        raise LookupError(f"no loop begins in line {line}")
    return found


def _other_names(tree: ast.AST) -> set[str]:
    """Return the names that a program binds otherwise than by assignment."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.alias):
            names.add(node.asname or node.name.partition(".")[0])
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, (*_SCOPES, ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
            names.add(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            names.add(node.rest)
    return names


def _imports_json(tree: ast.AST) -> bool:
    """Say whether the name `json` is the module and nothing else."""
    bound = any(isinstance(n, ast.Name) and n.id == "json" and not isinstance(n.ctx, ast.Load) for n in ast.walk(tree))
    aliases = [alias for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    return not bound and any(alias.name == "json" and alias.asname is None for alias in aliases)


def _free(name: str, taken: set[str]) -> str:
    number = 1
    chosen = name
    while chosen in taken:
        number += 1
        chosen = f"{name}_{number}"
    return chosen


def _first_line(statement: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(decorator.lineno for decorator in decorators)])


def _top(body: Sequence[ast.stmt]) -> int:
    """Return the line before which a block's first new statement may stand: behind its docstring and __future__."""
    line = 0
    for place, statement in enumerate(body):
        is_text = place == 0 and isinstance(statement, ast.Expr) and _is_text(statement.value)
        if not is_text and not (isinstance(statement, ast.ImportFrom) and statement.module == "__future__"):
            # One that stands behind the docstring on its line goes on before the insertion.
            return max(line, _first_line(statement))
        line = (statement.end_lineno or statement.lineno) + 1
    return line


def _is_text(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


class _Lines:
    """A source as lines of bytes, since columns of a syntax tree count bytes; what is inserted waits to the end."""

    def __init__(self, source: str) -> None:
        self.lines = source.encode().splitlines(keepends=True)
        first = self.lines[0] if self.lines else b"\n"
        self.newline = first[len(first.rstrip(b"\r\n")) :] or b"\n"
        self.before: dict[int, list[bytes]] = {}

    def indent(self, statement: ast.stmt) -> str:
        line = self.lines[_first_line(statement) - 1]
        return line[: len(line) - len(line.lstrip(b" \t\f"))].decode()

    def insert(self, line: int, indent: str, texts: Sequence[str]) -> None:
        """Insert lines before a line."""
        rows = [(indent + text if text else "").encode() + self.newline for text in texts]
        self.before.setdefault(line, []).extend(rows)

    def open_body(self, loop: Loop, texts: Sequence[str]) -> None:
        """Insert lines at the start of a loop's body, which gets lines of its own where it stands behind the header."""
        first = loop.body[0]
        line = _first_line(first)
        text = self.lines[line - 1]
        head = text[: first.col_offset] if line == first.lineno else b""
        if not head.strip():
            self.insert(line, self.indent(first), texts)
            return
        inner = self.indent(loop) + "    "
        rows = b"".join(inner.encode() + row.encode() + self.newline for row in texts)
        self.lines[line - 1] = head.rstrip() + self.newline + rows + inner.encode() + text[first.col_offset :]

    def finish(self, emit: str, counter: str) -> Instrumented:
        """Return the source with what was inserted."""
        if self.lines and not self.lines[-1].endswith((b"\n", b"\r")):
            self.lines[-1] += self.newline
        rows: list[bytes] = []
        for number in range(1, len(self.lines) + 2):
            rows += self.before.get(number, [])
            rows += self.lines[number - 1 : number]
        data = b"".join(rows)
        wanted = emit.encode()
        line = next(at for at, row in enumerate(data.splitlines(), 1) if row.strip() == wanted)
        return Instrumented(data.decode(), line, counter)
