"""Random Python programs of the part that C* can express; every one ends, and none divides by zero."""

from __future__ import annotations

import random

_NAMES = ("a", "b", "c", "low_end", "halt")


def python_program(seed: int) -> str:
    """Return a program that prints all its variables: the same for the same seed."""
    chance = random.Random(seed)
    body = _block(chance, 0, chance.randint(2, 6), "")
    start = "".join(f"{name} = {chance.randint(-9, 9)}\n" for name in _NAMES)
    return f"{start}i = j = 0\n{body}print({', '.join(_NAMES)}, i, j)\n"


def _block(chance: random.Random, depth: int, size: int, indent: str, loop: bool = False) -> str:
    return "".join(_statement(chance, depth, indent, loop) for _ in range(size))


def _statement(chance: random.Random, depth: int, indent: str, loop: bool) -> str:
    drawn = chance.random()
    inner = indent + "    "
    if depth < 3 and drawn < 0.2:
        counter = chance.choice("ij")
        start, stop, step = chance.randint(-3, 4), _leaf(chance), chance.choice((1, 2, -1, -3))
        span = f"{start}, {start} + ({stop}) % 7 - 2, {step}"
        body = _block(chance, depth + 1, chance.randint(1, 3), inner, loop=True)
        return f"{indent}for {counter} in range({span}):\n{body}"
    if depth < 3 and drawn < 0.45:
        text = f"{indent}if {_condition(chance)}:\n{_block(chance, depth + 1, 2, inner, loop)}"
        if chance.random() < 0.5:
            text += f"{indent}else:\n{_block(chance, depth + 1, 1, inner, loop)}"
        return text
    if loop and drawn < 0.55:
        return f"{indent}if {_condition(chance)}:\n{inner}{chance.choice(('break', 'continue'))}\n"
    if drawn < 0.65:
        one, other = chance.sample((*_NAMES, "i"), 2)
        return f"{indent}{one}, {other} = {_value(chance, 1)}, {_value(chance, 1)}\n"
    if drawn < 0.8:
        operator = chance.choice(("+=", "-=", "//=", "%="))
        value = chance.choice((2, 3, -4, 7)) if operator in ("//=", "%=") else _value(chance, 1)
        return f"{indent}{chance.choice(_NAMES)} {operator} {value}\n"
    return f"{indent}{chance.choice(_NAMES)} = ({_value(chance, 2)}) % {chance.choice((97, 101, -89))}\n"


def _leaf(chance: random.Random) -> str:
    return chance.choice((*_NAMES, "i", "j", str(chance.randint(0, 20))))


def _value(chance: random.Random, depth: int) -> str:
    if not depth or chance.random() < 0.2:
        return _leaf(chance)
    operator = chance.choice(("+", "-", "*", "//", "%"))
    if operator in ("//", "%"):
        return f"({_value(chance, depth - 1)}) {operator} {chance.choice((2, 5, -3, 11))}"
    return f"({_value(chance, depth - 1)}) {operator} ({_value(chance, depth - 1)})"


def _condition(chance: random.Random) -> str:
    relation = chance.choice(("<", "<=", ">", ">=", "==", "!="))
    simple = f"{_value(chance, 1)} {relation} {_value(chance, 1)}"
    drawn = chance.random()
    if drawn < 0.15:
        return f"not {simple}"
    if drawn < 0.3:
        return f"{simple} {chance.choice(('and', 'or'))} {_leaf(chance)} > {_value(chance, 1)}"
    if drawn < 0.4:
        return f"{_leaf(chance)} < {_leaf(chance)} <= {_value(chance, 1)}"
    return simple if drawn < 0.9 else _leaf(chance)
