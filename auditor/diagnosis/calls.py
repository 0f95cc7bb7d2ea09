"""Slips of methods and orders: texts, collections, sorting, and what a loop runs over."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from auditor.diagnosis.fault import Draft, Edit, Kind, shown
from auditor.diagnosis.parsed import Parsed

_TEXT_METHODS: dict[str, tuple[str, ...]] = {
    "upper": ("lower", "swapcase", "capitalize", "title"),
    "lower": ("upper", "swapcase", "casefold"),
    "capitalize": ("title", "upper"),
    "title": ("capitalize", "upper"),
    "swapcase": ("upper", "lower"),
    "strip": ("lstrip", "rstrip"),
    "lstrip": ("strip", "rstrip"),
    "rstrip": ("strip", "lstrip"),
    "find": ("rfind",),
    "rfind": ("find",),
    "index": ("rindex",),
    "rindex": ("index",),
    "startswith": ("endswith",),
    "endswith": ("startswith",),
    "split": ("rsplit",),
    "rsplit": ("split",),
    "partition": ("rpartition",),
    "rpartition": ("partition",),
    "ljust": ("rjust", "center"),
    "rjust": ("ljust", "center"),
    "center": ("ljust", "rjust"),
    "removeprefix": ("removesuffix", "lstrip"),
    "removesuffix": ("removeprefix", "rstrip"),
    "isalpha": ("isalnum",),
    "isalnum": ("isalpha", "isdigit"),
    "isdigit": ("isalnum", "isalpha"),
    "isupper": ("islower", "isalpha"),
    "islower": ("isupper", "isalpha"),
}
_LEFT_OUT = frozenset(
    (
        *("upper", "lower", "capitalize", "title", "swapcase", "casefold", "strip", "lstrip", "rstrip", "replace"),
        *("ljust", "rjust", "center", "zfill", "removeprefix", "removesuffix", "translate", "expandtabs"),
    )
)
_COLLECTION_METHODS: dict[str, tuple[str, ...]] = {
    "append": ("extend",),
    "extend": ("append",),
    "keys": ("values",),
    "values": ("keys",),
    "items": ("keys", "values"),
    "union": ("intersection",),
    "intersection": ("union",),
    "add": ("discard",),
    "discard": ("add",),
    "popleft": ("pop",),
    "appendleft": ("append",),
    "remove": ("append",),
}


def call_faults(parsed: Parsed) -> Iterator[Draft]:
    """Yield the faults of calls, loops and copies."""
    for node in ast.walk(parsed.tree):
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute):
                yield from _method(parsed, node, node.func)
            elif isinstance(node.func, ast.Name):
                yield from _order(parsed, node, node.func.id)
            yield from _keywords(parsed, node)
        elif isinstance(node, ast.For | ast.comprehension):
            yield from _iteration(parsed, node.iter)
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Name):
            name = node.value.id
            place = Edit(parsed.start(node.value), parsed.end(node.value), f"__import__('copy').copy({name})")
            words = f"line {node.lineno} ({shown(parsed.text(node))}) made a copy of {shown(name)}"
            yield Draft(Kind.COLLECTION, (place,), words)


def _method(parsed: Parsed, node: ast.Call, function: ast.Attribute) -> Iterator[Draft]:
    name = function.attr
    start, end = parsed.end(function) - len(name.encode()), parsed.end(node)
    place = (start, parsed.end(function))
    for other in _TEXT_METHODS.get(name, ()):
        yield Draft(Kind.STRING, (Edit(*place, other),))
    for other in _COLLECTION_METHODS.get(name, ()):
        yield Draft(Kind.COLLECTION, (Edit(*place, other),))
    if name in _LEFT_OUT:
        call = parsed.slice(parsed.end(function.value), end)
        words = f"line {node.lineno}'s {shown(call)} were not there"
        yield Draft(Kind.STRING, (Edit(parsed.end(function.value), end, ""),), words)
    if name == "join":
        yield from _separator(parsed, function.value)
    elif name in ("split", "rsplit"):
        if not node.args and not node.keywords:
            yield Draft(Kind.STRING, (Edit(start, end, f"{name}(' ')"),))
        elif len(node.args) == 1 and isinstance(node.args[0], ast.Constant) and node.args[0].value == " ":
            yield Draft(Kind.STRING, (Edit(start, end, f"{name}()"),))
    elif name == "replace" and len(node.args) == 2:
        place_of_end = parsed.end(node.args[1])
        words = f"line {node.lineno}'s {shown(parsed.slice(start, end))} replaced the first one only"
        yield Draft(Kind.STRING, (Edit(place_of_end, place_of_end, ", 1"),), words)
    elif name == "replace" and len(node.args) == 3:
        words = f"line {node.lineno}'s {shown(parsed.slice(start, end))} replaced all"
        yield Draft(Kind.STRING, (Edit(parsed.end(node.args[1]), parsed.end(node.args[2]), ""),), words)
    elif name == "pop":
        yield from _pop(parsed, node, start, end)
    elif name == "insert" and len(node.args) == 2:
        yield Draft(Kind.COLLECTION, (Edit(start, end, f"append({parsed.text(node.args[1])})"),))
    elif name == "append" and len(node.args) == 1:
        yield Draft(Kind.COLLECTION, (Edit(start, end, f"insert(0, {parsed.text(node.args[0])})"),))
    elif name == "copy" and not node.args:
        words = f"line {node.lineno}'s {shown(parsed.text(node))} were no copy"
        yield Draft(Kind.COLLECTION, (Edit(parsed.end(function.value), end, ""),), words)
    elif name == "sort":
        yield from _reverse(parsed, node)


def _separator(parsed: Parsed, node: ast.expr) -> Iterator[Draft]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        for other in ("", " ", ", ", "\n"):
            if other != node.value:
                yield Draft(Kind.STRING, (Edit(parsed.start(node), parsed.end(node), repr(other)),))


def _pop(parsed: Parsed, node: ast.Call, start: int, end: int) -> Iterator[Draft]:
    if not node.args:
        yield Draft(Kind.COLLECTION, (Edit(start, end, "pop(0)"),))
    elif len(node.args) == 1 and isinstance(node.args[0], ast.Constant):
        yield Draft(Kind.COLLECTION, (Edit(start, end, "pop()"),))


def _order(parsed: Parsed, node: ast.Call, name: str) -> Iterator[Draft]:
    if len(node.args) != 1 or isinstance(node.args[0], ast.Starred):
        return
    whole = (parsed.start(node), parsed.end(node))
    inner = parsed.text(node.args[0])
    if name == "sorted":
        words = f"line {node.lineno}'s {shown(parsed.text(node))} were not sorted"
        yield Draft(Kind.ORDER, (Edit(*whole, f"list({inner})"),), words)
        yield from _reverse(parsed, node)
    elif name == "reversed":
        words = f"line {node.lineno}'s {shown(parsed.text(node))} were not reversed"
        yield Draft(Kind.ORDER, (Edit(*whole, f"iter({inner})"),), words)
    elif name in ("set", "frozenset"):
        words = f"line {node.lineno}'s {shown(parsed.text(node))} kept what is there twice"
        yield Draft(Kind.COLLECTION, (Edit(*whole, f"list({inner})"),), words)


def _reverse(parsed: Parsed, node: ast.Call) -> Iterator[Draft]:
    """Sort the other way round; where `reverse` is given as a constant, that is exchanged as one."""
    if any(keyword.arg == "reverse" for keyword in node.keywords):
        return
    before_end = parsed.end(node) - 1
    last = [*node.args, *(keyword.value for keyword in node.keywords)]
    comma = ", " if last else ""
    if last:
        before_end = parsed.end(last[-1])
        if parsed.slice(before_end, parsed.end(node)).lstrip()[:1] not in (",", ")"):
            return
    words = f"line {node.lineno}'s {shown(parsed.text(node))} sorted the other way round"
    yield Draft(Kind.ORDER, (Edit(before_end, before_end, f"{comma}reverse=True"),), words)


def _keywords(parsed: Parsed, node: ast.Call) -> Iterator[Draft]:
    """Leave out a key or the wish for another direction."""
    for keyword in node.keywords:
        if keyword.arg not in ("key", "reverse", "end", "sep"):
            continue
        start, end = parsed.start(keyword), parsed.end(keyword)
        others = [*node.args, *(other.value for other in node.keywords if other is not keyword)]
        before = [parsed.end(other) for other in others if parsed.end(other) <= start]
        after = [parsed.start(other) for other in node.keywords if parsed.start(other) > start]
        kind = Kind.ORDER if keyword.arg in ("key", "reverse") else Kind.STRING
        words = f"line {node.lineno}'s {shown(parsed.slice(start, end))} were not there"
        if after:
            yield Draft(kind, (Edit(start, min(after), ""),), words)
        else:
            gap = parsed.slice(max(before), start) if before else ""
            if not before or gap.strip() == ",":
                yield Draft(kind, (Edit(max(before) if before else start, end, ""),), words)


def _iteration(parsed: Parsed, over: ast.expr) -> Iterator[Draft]:
    """Let a loop miss its first or last element, run backwards, or run over a copy."""
    if isinstance(over, ast.Call) and isinstance(over.func, ast.Name) and over.func.id == "range":
        return
    text = parsed.text(over)
    place = (parsed.start(over), parsed.end(over))
    where = f"line {over.lineno}'s loop over {shown(text)}"
    for new, words in (
        (f"list({text})[1:]", "missed the first element"),
        (f"list({text})[:-1]", "missed the last element"),
        (f"list({text})[::-1]", "ran backwards"),
        (f"list({text})", "ran over a copy"),
    ):
        yield Draft(Kind.ITERATION, (Edit(*place, new),), f"{where} {words}")
