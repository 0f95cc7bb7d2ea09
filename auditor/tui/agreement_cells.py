"""The numbers of the agreement screen as cells of its two grids."""

from __future__ import annotations

from auditor.agreement.confusion import Confusion
from auditor.audit.agreement_overview import Ground, Values
from auditor.tui.agreement_words import tag_name
from auditor.tui.widgets.agreement_rows import UNDEFINED
from auditor.tui.widgets.number_grid import GridCell

_ITSELF = GridCell("·", role="muted")
_TO_COME = GridCell("…", role="muted")
_NOTHING = GridCell("·", role="off")
NO_TAG = "(none)"
_NO_KEY = "-"
"""Heads the column of a tag that no key puts on: one that is out of use."""


def matrix_cells(ground: Ground, values: Values, tag: str | None) -> dict[tuple[int, int], GridCell]:
    """Return the kappa of every pair on a tag, or on whole sets; the stronger the ground, the higher."""
    found = {}
    for row, first in enumerate(ground.names):
        for column, second in enumerate(ground.names):
            if row == column:
                found[row, column] = _ITSELF
                continue
            kappa = values.get(frozenset((first, second)), {}).get(tag)
            if kappa is None:
                found[row, column] = _TO_COME
            elif kappa.value is None:
                found[row, column] = GridCell(UNDEFINED, role="muted")
            else:
                found[row, column] = GridCell(f"{kappa.value:.2f}", max(0.0, kappa.value))
    return found


def confusion_names(ground: Ground, found: Confusion) -> list[tuple[str, str]]:
    """Return the name of each row, and what heads its column: the key that puts the tag on, as in the review."""
    keys = {tag.id: tag.key for tag in ground.audit.codebook.tags}
    heads = [keys.get(tag) or _NO_KEY for tag in found.used]
    named = [(f"{head} {tag_name(ground, tag)}", head) for head, tag in zip(heads, found.used, strict=True)]
    return [*named, (NO_TAG, "none")]


def confusion_cells(found: Confusion) -> dict[tuple[int, int], GridCell]:
    """Return the counts of a confusion; among those that differ the ground is stronger the more there are."""
    tags = (*found.used, None)
    most = max((items for (put, instead), items in found.items.items() if put != instead), default=0)
    cells = {}
    for row, put in enumerate(tags):
        for column, instead in enumerate(tags):
            items = found.at(put, instead)
            shade = items / most if most and put != instead else 0.0
            role = "strong" if put == instead and put is not None else ""
            cells[row, column] = GridCell(f"{items:,}", shade, role) if items else _NOTHING
    return cells
