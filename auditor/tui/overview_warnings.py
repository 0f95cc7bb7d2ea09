"""What the overview warns of: a line for each flag that a report would name too, with what it opens."""

from __future__ import annotations

from rich.cells import cell_len

from auditor.audit.flags.flag import Flag
from auditor.audit.overview import Overview
from auditor.text import counted
from auditor.tui.overview_lines import Closed, Figure, Filtered, Opens, OtherScreen, shown

_NAMES = (30, 20, 14, 10, 6)
"""Cells that a name in a line has, the first that leaves room for the line."""


def warnings(found: Overview, unsaved: int, codebook: str, width: int) -> list[Figure]:
    """Return a figure for each warning, as far as it is counted; `unsaved` marks wait in this review of a codebook."""
    return [*_unsaved(unsaved), *(_figure(flag, codebook, width) for flag in found.flags)]


def _unsaved(unsaved: int) -> list[Figure]:
    if not unsaved:
        return []
    why = Closed("They are written as soon as nothing else writes to the file.")
    what = "Marks of yours that are kept beside the file, since another program was writing to it."
    return [Figure("warning unsaved", f"{counted(unsaved, 'mark')} not in the file yet", why, what)]


def _figure(flag: Flag, codebook: str, width: int) -> Figure:
    lines = [flag.said(lambda name, cells=cells: shown(name, cells)) for cells in _NAMES]  # type: ignore[misc]
    line = next((line for line in lines if cell_len(line) <= width), lines[-1])
    opens = _opens(flag, codebook)
    return Figure(f"warning {flag.key}", line, opens, flag.advice, flag.count if flag.exact else None)


def _opens(flag: Flag, codebook: str) -> Opens:
    if flag.where is not None:
        return Filtered(flag.where)
    if flag.behind is not None:
        return flag.behind
    if not flag.about:
        return Closed(flag.do or "There is nothing to show of it.")
    if flag.book != codebook:
        return Closed(f"It is of another codebook than this review: auditor review FILE --codebook {shown(flag.book)}.")
    return OtherScreen(flag.about)
