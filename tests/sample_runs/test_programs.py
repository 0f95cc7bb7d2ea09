"""The programs of the sample run: varied, readable, and plain ASCII."""

from __future__ import annotations

import ast
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest

from tests.sample_runs.run_directory import ARMS, PROGRAMS, tasks


class Eraser(ast.NodeTransformer):
    """Erases every name and constant, so that only the shape of a program is left."""

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        for name, value in ast.iter_fields(node):
            if isinstance(value, str) or isinstance(node, ast.Constant):
                setattr(node, name, None)
            elif isinstance(value, list) and value and isinstance(value[0], str):
                setattr(node, name, [None] * len(value))
        return node


def shape(path: Path) -> ast.AST:
    return Eraser().visit(ast.parse(path.read_text(encoding="ascii")))  # type: ignore[no-any-return]


def trigrams(tree: ast.AST) -> Counter[tuple[str, ...]]:
    """Count the runs of three node kinds in the order of the text."""
    kinds: list[str] = []

    def walk(node: ast.AST) -> None:
        if not isinstance(node, ast.expr_context):
            kinds.append(type(node).__name__)
        for child in ast.iter_child_nodes(node):
            walk(child)

    walk(tree)
    return Counter(zip(kinds, kinds[1:], kinds[2:], strict=False))


def test_there_are_at_least_24_cases_with_four_arms_each() -> None:
    cases = Counter((study, case) for study, case, _ in tasks())
    assert len(cases) == len(PROGRAMS) >= 24
    assert set(cases.values()) == {4}
    assert {arm for _, _, arm in tasks()} == set(ARMS)


def test_erasing_names_and_constants_is_what_makes_two_programs_equal() -> None:
    one, two = (
        Eraser().visit(ast.parse(text)) for text in ("for a in f(1):\n    a += 2", "for b in g(9):\n    b += 7")
    )
    other = Eraser().visit(ast.parse("for a in f(1):\n    a -= 2"))
    assert ast.dump(one) == ast.dump(two) != ast.dump(other)


def test_no_two_programs_differ_only_in_names_or_constants() -> None:
    shapes = [ast.dump(shape(path)) for path in PROGRAMS]
    assert len(set(shapes)) == len(shapes)


def test_no_two_programs_are_nearly_the_same() -> None:
    counted = {path.stem: trigrams(shape(path)) for path in PROGRAMS}
    for (one, a), (two, b) in combinations(counted.items(), 2):
        overlap = (a & b).total() / (a | b).total()
        assert overlap < 0.5, f"{one} and {two} share {overlap:.0%} of their shape"


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_is_short_plain_ascii_with_its_description_beside_it(path: Path) -> None:
    lines = path.read_text(encoding="ascii").splitlines()
    assert 10 <= len(lines) <= 40
    assert all(line.isprintable() and len(line) <= 120 for line in lines)
    assert path.with_suffix(".toml").is_file()


def test_the_topics_are_varied() -> None:
    topics = Counter(task["facets"]["topic"] for task in tasks().values())
    assert len(topics) >= 12
    assert max(topics.values()) <= 4 * 4
