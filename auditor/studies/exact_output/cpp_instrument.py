"""The source of a C++ state task: the clean program with a counter and a checkpoint, every other line as it was."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from auditor.execution.cpp.tree import Insertions, Tree, body_of
from auditor.execution.cpp.watch import text_of
from auditor.studies.exact_output.case import INSIDE, Point
from auditor.studies.exact_output.subject import Instrumented

if TYPE_CHECKING:
    from tree_sitter import Node

_HEADERS = ("cstdlib", "iostream", "string")
_WRITER_HEADERS = ("cstdio", "type_traits")
_ALL = "bits/stdc++.h"
_LEADING = ("comment", "using_declaration", "preproc_call", "preproc_def", "preproc_function_def", "preproc_include")


def instrument_cpp(tree: Tree, point: Point, arm: str, kinds: Mapping[str, str], *, iteration: int) -> Instrumented:
    """Insert a counter and the checkpoint of an arm; `kinds` says of each field how it is written (`Value.kind`).

    The inside checkpoint fires at the start of the loop's body, before that iteration. The other one fires when the
    loop has ended and at least so many iterations were made. Either writes the fields as compact JSON in their order
    and ends the program.
    """
    loop = next(one for one in tree.loops() if tree.line(one) == point.loop)
    counter, writer = _free("loop_count", tree.identifiers()), writer_of(tree)
    emit = _emit([(name, kinds[name]) for name in point.fields], writer)
    sign = "==" if arm == INSIDE else ">="
    checkpoint = [f"if ({counter} {sign} {iteration}) {{", f"    {emit}", "    std::exit(0);", "}"]
    work = Insertions(tree.data)
    _head(tree, work, counter, writer if "json" in kinds.values() else None)
    if arm != INSIDE:
        _behind(tree, work, loop, checkpoint)
    _open_body(tree, work, loop, [f"++{counter};", *(checkpoint if arm == INSIDE else [])])
    source = work.finish()
    line = next(at for at, row in enumerate(source.split("\n"), 1) if row.strip() == emit)
    return Instrumented(source, line, counter)


def writer_of(tree: Tree) -> str:
    """Return the name of the function that is inserted to write values as JSON."""
    return _free("checkpoint_json", tree.identifiers())


def _emit(fields: list[tuple[str, str]], writer: str) -> str:
    """Return the statement that writes a state: one text, so that no manipulator of the stream changes it."""
    parts = []
    for number, (name, kind) in enumerate(fields):
        if kind == "int":
            value = f"std::to_string({name})"
        elif kind == "bool":
            value = f'std::string({name} ? "true" : "false")'
        else:
            value = f"{writer}({name})"
        parts.append(f'"{"," if number else "{"}\\"{name}\\":" + {value}')
    return f'std::cout << {" + ".join(parts)} + "}}\\n";'


def _free(name: str, taken: set[str]) -> str:
    number, chosen = 1, name
    while chosen in taken:
        number += 1
        chosen = f"{name}_{number}"
    return chosen


def _newline(tree: Tree) -> str:
    first = tree.data.partition(b"\n")[0]
    return "\r\n" if first.endswith(b"\r") else "\n"


def _head(tree: Tree, work: Insertions, counter: str, writer: str | None) -> None:
    """Insert headers, counter and writer behind the last of the first includes."""
    line, included = 1, set()
    for node in tree.root.children:
        if node.type not in _LEADING:
            break
        if node.type == "preproc_include":
            line = tree.line_at(max(node.start_byte, node.end_byte - 1)) + 1
    for node in tree.walk():
        if node.type == "preproc_include" and node.parent == tree.root:
            path = node.child_by_field_name("path")
            included.add(tree.text(path).strip('<>"') if path is not None else "")
    wanted = () if _ALL in included else (*_HEADERS, *(_WRITER_HEADERS if writer else ()))
    rows = [f"#include <{name}>" for name in wanted if name not in included]
    rows += ["", f"static long long {counter} = 0;"]
    if writer is not None:
        rows += ["", *text_of("checkpoint_json.hpp").replace("checkpoint_json", writer).rstrip("\n").split("\n")]
    newline, place = _newline(tree), tree.line_start(line)
    ended = not place or tree.data[place - 1 : place] == b"\n"
    work.open(place, ("" if ended else newline) + "".join(row + newline for row in rows))


def _rest(tree: Tree, place: int) -> bytes:
    """Return what stands behind a place in its line."""
    return tree.data[place : tree.line_start(tree.line_at(place) + 1)].strip()


def _open_body(tree: Tree, work: Insertions, loop: Node, texts: list[str]) -> None:
    """Insert lines at the start of a loop's body, in braces where it has none."""
    body, newline = body_of(loop), _newline(tree)
    if body.type == "compound_statement":
        place, last = body.start_byte + 1, body.end_byte - 1
        first = next(iter(body.named_children), None)
        own_line = first is not None and tree.line(first) > tree.line(body)
        indent = tree.indent(first) if first is not None and own_line else tree.indent(loop) + "    "
        rows = "".join(f"{newline}{indent}{text}" for text in texts)
        if _rest(tree, place) and not _rest(tree, place).startswith((b"//", b"/*")):
            begins = first.start_byte if first is not None else last
            work.open(begins, f"{rows}{newline}{indent if first is not None else tree.indent(loop)}")
        else:
            at = tree.line_start(tree.line_at(place) + 1)
            work.open(at, "".join(f"{indent}{text}{newline}" for text in texts))
        return
    indent = tree.indent(loop)
    rows = "".join(f"{newline}{indent}    {text}" for text in texts)
    work.wrap(body, f"{{{rows}{newline}{indent}    ", f"{newline}{indent}}}")


def _behind(tree: Tree, work: Insertions, loop: Node, texts: list[str]) -> None:
    """Insert lines right behind a loop, in braces with it where it is the one statement of something."""
    newline, indent = _newline(tree), tree.indent(loop)
    around = loop.parent.type if loop.parent is not None else ""
    alone = around not in ("compound_statement", "case_statement")
    rows = "".join(f"{newline}{indent}{text}" for text in texts)
    if alone:
        work.wrap(loop, "{ ", f"{rows}{newline}{indent}}}")
    elif _rest(tree, loop.end_byte):
        work.close(loop.end_byte, f"{rows}{newline}{indent}")
    else:
        work.close(loop.end_byte, rows)
