"""What `auditor show --side-by-side` prints: an item's implementation and another one of its problem, row by row."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from auditor.cli.output import print_json, print_text, terminal_width
from auditor.errors import InputError
from auditor.text import visible_line

if TYPE_CHECKING:
    from auditor.audit.implementations import Compared, Implementation, Implementations
    from auditor.compare.program_sides import Part, SideRow

_COLUMNS_FROM = 100
"""Cells of a terminal from which on the programs stand beside each other."""
_NAME = 60


def print_side_by_side(file: Path, item: str, other: str | None, *, as_json: bool) -> int:
    """Print an item's implementation beside another one, the nearest where none is named; as the screen shows them."""
    from auditor.audit.implementations import compare
    from auditor.audit.item_parts import read_item
    from auditor.audit.related_items import RelatedItems
    from auditor.store.file import translate

    read = read_item(file, item)
    try:
        with closing(RelatedItems(file)) as related:
            found = related.implementations(read.response_id)
    except sqlite3.Error as error:
        raise translate(error, file) from error
    beside = _chosen(found, other)
    compared = None if beside is None else compare(found.own, beside)
    if as_json:
        print_json({"item": str(read.key), **_record(found, beside, compared)})
    else:
        _print(found, beside, compared)
    return 0


def _chosen(found: Implementations, name: str | None) -> Implementation | None:
    """Return the implementation of a name, or else the first of the others; None where there are none."""
    if name is None:
        return found.others[0] if found.others else None
    if (at := found.place_of(name)) is not None:
        return found.others[at]
    names = ", ".join(visible_line(one.name, _NAME) for one in found.others) or "none"
    raise InputError(
        f"the problem has no other implementation {visible_line(name, _NAME)}.", hint=f"The others are: {names}."
    )


# --- text ----------------------------------------------------------------------------------------------------------


def _print(found: Implementations, beside: Implementation | None, compared: Compared | None) -> None:
    from auditor.audit.implementation_words import (
        LEGEND,
        alone_words,
        answer_words,
        fact_words,
        renamed_words,
        row_words,
        similarity_words,
    )

    told = [visible_line(found.problem, _NAME)]
    told += [visible_line(found.setting, _NAME), f"sample {found.sample}"] if found.setting else []
    print_text(" · ".join(told))
    for sign, one in (("<", found.own), (">", beside)):
        if one is not None:
            words = (visible_line(one.name, _NAME), fact_words(one), answer_words(one, found.test))
            print_text(f"{sign} {' · '.join(filter(None, words))}")
    if found.why_no_answers:
        print_text(found.why_no_answers)
    if beside is None or compared is None:
        print_text(alone_words(found))
        return
    sides = compared.sides
    print_text(" · ".join(filter(None, (similarity_words(compared.similarity), row_words(sides)))))
    for line in filter(None, (LEGEND, renamed_words(sides), sides.reason and f"{sides.reason}.")):
        print_text(line)
    print_text()
    width = terminal_width()
    lines = _columns if width is not None and width >= _COLUMNS_FROM else _unified
    print_text("\n".join(lines(found.own, beside, sides.rows, width or 0)), wrap=False)
    if len(found.others) > 1:
        others = ", ".join(visible_line(one.name, _NAME) for one in found.others if one is not beside)
        print_text(f"\nOthers with --with, {found.order}: {others}")


def _unified(own: Implementation, other: Implementation, rows: tuple[SideRow, ...], width: int) -> Iterator[str]:
    """Yield the rows below each other, each line once: a number at the left is the first program's."""
    from auditor.audit.implementation_words import SIGNS
    from auditor.compare.program_sides import one_below_another

    left, right, digits = _shown(own), _shown(other), _digits(own, other)
    for row in one_below_another(rows):
        text = left[row.left] if row.left is not None else "" if row.right is None else right[row.right]
        numbers = ("" if line is None else str(line + 1) for line in (row.left, row.right))
        yield " ".join([*(f"{number:>{digits}}" for number in numbers), SIGNS[row.kind], text]).rstrip()


def _columns(own: Implementation, other: Implementation, rows: tuple[SideRow, ...], width: int) -> Iterator[str]:
    """Yield the rows side by side; a line that is longer than its half of the terminal goes on below."""
    from rich.cells import chop_cells, set_cell_size

    from auditor.audit.implementation_words import SIGNS

    left, right, digits = _shown(own), _shown(other), _digits(own, other)
    room = (width - 2 * digits - 6) // 2

    def parts(lines: list[str], line: int | None) -> list[tuple[str, str]]:
        if line is None:
            return []
        texts = chop_cells(lines[line], room) or [""]
        return [(str(line + 1) if not nth else "", text) for nth, text in enumerate(texts)]

    for row in rows:
        one, two = parts(left, row.left), parts(right, row.right)
        for nth in range(max(len(one), len(two))):
            number, text = one[nth] if nth < len(one) else ("", "")
            number2, text2 = two[nth] if nth < len(two) else ("", "")
            sign = SIGNS[row.kind] if nth == 0 else " "
            yield f"{number:>{digits}} {set_cell_size(text, room)} {sign:2} {number2:>{digits}} {text2}".rstrip()


def _shown(one: Implementation) -> list[str]:
    from auditor.compare.program_sides import program_lines
    from auditor.text import visible

    return [visible(line).expandtabs(4) for line in program_lines(one.source)]


def _digits(own: Implementation, other: Implementation) -> int:
    return len(str(max(own.lines, other.lines)))


# --- JSON ----------------------------------------------------------------------------------------------------------


def _record(found: Implementations, beside: Implementation | None, compared: Compared | None) -> dict[str, Any]:
    from auditor.audit.implementations import similarity

    sides = compared.sides if compared else None
    return {
        "problem": found.problem,
        "test": found.test,
        "setting": found.setting or None,
        "sample": found.sample if found.setting else None,
        "order": found.order,
        "implementations": [
            _told(one) | {"similarity": None if one is found.own else similarity(found.own, one)}
            for one in (found.own, *found.others)
        ],
        "left": found.own.name,
        "right": beside and beside.name,
        "similarity": compared and compared.similarity,
        "renamed": sides and dict(sides.renamed),
        "rows": None if sides is None else [_row(row) for row in sides.rows],
        "reason": (sides.reason if sides else "the problem has no other implementation in the file"),
    }


def _told(one: Implementation) -> dict[str, Any]:
    return {
        "implementation": one.name,
        "style": one.style,
        "cyclomatic": one.cyclomatic,
        "lines": one.lines,
        "tokens": None if one.tokens is None else len(one.tokens),
        "outputs": None if one.answered is None else dict(one.answered.states),
        "on_test": one.answered and one.answered.on_test,
    }


def _row(row: SideRow) -> dict[str, Any]:
    """Return a row with line numbers from 1, and the characters from 0 that are not the same in the other line."""
    return {
        "kind": row.kind,
        "left": None if row.left is None else row.left + 1,
        "right": None if row.right is None else row.right + 1,
        "left_parts": list(map(_part, row.left_parts)),
        "right_parts": list(map(_part, row.right_parts)),
    }


def _part(part: Part) -> dict[str, Any]:
    return part._asdict()
