"""Judges against a reference, and confusion between tags, as tables for people and as JSON."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len

from auditor.agreement.coefficient import GENERATOR, Coefficient, Options
from auditor.agreement.confusion import Confusion
from auditor.agreement.judges import JudgedTag
from auditor.agreement.notes import notes, shown_interval
from auditor.cli.output import print_text, terminal_width
from auditor.cli.table import Number, table_lines
from auditor.text import counted, visible_line

if TYPE_CHECKING:
    from auditor.agreement.ratings import Ratings

_MAX_NAME = 40
_HEADS = {
    "sensitivity": "sensitivity",
    "specificity": "specificity",
    "balanced_accuracy": "balanced",
    "precision": "precision",
    "cohen_kappa": "kappa",
}
_WITH_INTERVALS = (
    frozenset(_HEADS),
    frozenset({"sensitivity", "specificity", "cohen_kappa"}),
    frozenset({"cohen_kappa"}),
    frozenset[str](),
)
"""Which columns have their intervals, from the widest table to the narrowest."""
_IN_SHORT = (
    (
        re.compile(r"^Only \d+ clusters: .*"),
        "Fewer than 20 clusters hold what this is a share of: a t interval is shown, since percentile intervals (in"
        " --json) from so few are too narrow on average.",
    ),
    (
        re.compile(r"^In [0-9,]+ of the [0-9,]+ samples"),
        "In more than one of twenty samples",
    ),
)
_CELL_ROOM = 5
"""Cells of a number in a table of tags by tags."""


def judges_as_json(found: Sequence[JudgedTag], modes: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return what was measured as a JSON document; `modes` are the computed modes by tag."""
    return {
        "coefficients": [one.as_json() for judged in found for one in judged.coefficients],
        "judged": [
            {"judge": one.judge, "reference": one.reference, "tag": one.tag, **one.counts._asdict()} for one in found
        ],
        "computed": {tag: list(names) for tag, names in modes.items()},
    }


def print_judges(
    found: Sequence[JudgedTag], ratings: Ratings, modes: Mapping[str, Sequence[str]], options: Options, where: str
) -> None:
    """Print judges against references on stdout, a table for each two, then what is undefined and how it was done."""
    print_text("\n".join(judge_lines(found, ratings, modes, options, where, terminal_width())))


def judge_lines(
    found: Sequence[JudgedTag],
    ratings: Ratings,
    modes: Mapping[str, Sequence[str]],
    options: Options,
    where: str,
    width: int | None,
) -> list[str]:
    """Lay judges out; tables take at most `width` cells, None for any."""
    lines: list[str] = []
    for (judge, reference), group in groupby(found, lambda one: (one.judge, one.reference)):
        shown = [one for one in group if sum(one.counts)]
        lines += [f"{visible_line(judge, _MAX_NAME)} against {visible_line(reference, _MAX_NAME)}:", ""]
        lines += [*(_table(shown, width) if shown else ["Nothing can be measured."]), ""]
    told = [one for judged in found for one in judged.coefficients]
    lines += notes([_in_short(one) for one in _once_where_nothing_is(told)], ratings)
    if modes:
        pairs = "; ".join(f"{visible_line(tag, _MAX_NAME)}: {', '.join(names)}" for tag, names in modes.items())
        lines.append(f"Computed modes by the tag that they stand for: {visible_line(pairs)}.")
    lines.append(
        "The reference is taken as right. Sensitivity: of its tags, the share that the judge puts too; specificity: of"
        " the items without the tag, the share that the judge leaves without it; balanced: the mean of both; precision:"
        " of the judge's tags, the share that the reference has too. Kappa takes neither side for right."
    )
    lines.append(_intervals(told, options))
    return [*lines, *([f"Only items that this filter leaves: {visible_line(where)}"] if where else [])]


def _once_where_nothing_is(found: Sequence[Coefficient]) -> list[Coefficient]:
    """Keep one coefficient of each tag on which nothing is measured: all have the same reason."""
    kept: dict[object, Coefficient] = {}
    for one in found:
        unable = one.value is None and one.observed is None
        kept.setdefault((one.annotators, one.tag, one.reason) if unable else id(one), one)
    return list(kept.values())


def _in_short(one: Coefficient) -> Coefficient:
    """Say warnings without what differs from one share to the next: each has clusters and samples of its own."""
    warnings = one.warnings
    for pattern, words in _IN_SHORT:
        warnings = tuple(pattern.sub(words, sentence) for sentence in warnings)
    return replace(one, warnings=warnings)


def _table(found: Sequence[JudgedTag], width: int | None) -> list[str]:
    dropped = False
    for intervals in _WITH_INTERVALS:
        lines = _columns(found, intervals)
        if width is None or max(map(cell_len, lines)) <= width:
            break
        dropped = True
    if dropped:
        lines = [*_columns(found, intervals, width), "No room here for all intervals: see --json, or a wider terminal."]
    return lines


def _columns(found: Sequence[JudgedTag], intervals: frozenset[str], width: int | None = None) -> list[str]:
    heads = ["tag", "items", "clusters", "reference", "judge", *_HEADS.values()]
    rows = []
    for one in found:
        by_name = {coefficient.statistic: coefficient for coefficient in one.coefficients}
        kappa, counts = by_name["cohen_kappa"], one.counts
        clusters = Number("-" if kappa.n_clusters is None else f"{kappa.n_clusters:,}")
        put = [Number(f"{counts.found + more:,}") for more in (counts.missed, counts.made_up)]
        cells = [_cell(by_name[name], with_interval=name in intervals) for name in _HEADS]
        rows.append([visible_line(one.tag, _MAX_NAME), Number(f"{kappa.n_items:,}"), clusters, *put, *cells])
    return table_lines(heads, rows, width)


def _cell(one: Coefficient, *, with_interval: bool) -> Number:
    if one.value is None:
        return Number("-")
    low, high = shown_interval(one)
    interval = f" [{low:z.3f}, {high:z.3f}]" if with_interval and low is not None and high is not None else ""
    return Number(f"{one.value:z.3f}{interval}")


def _intervals(found: Sequence[Coefficient], options: Options) -> str:
    methods = dict.fromkeys(one.ci_method for one in found if one.ci_method)
    if not methods:
        return "No interval could be given."
    drawn = next((one for one in found if one.replicates is not None), None)
    how = "; ".join(methods)
    if drawn is not None:
        how += f", {drawn.replicates:,} replicates, {GENERATOR}, seed {drawn.seed}"
    return f"Intervals ({100 * options.confidence:g} %): {how}."


# --- confusion ----------------------------------------------------------------------------------------------------


def confusion_as_json(found: Confusion) -> dict[str, Any]:
    """Return a confusion as a JSON document; null in a cell = nothing instead."""
    cells = [{"first": one, "second": other, "items": items} for (one, other), items in found.items.items()]
    return {"confusion": {"first": found.first, "second": found.second, "n_items": found.n_items, "cells": cells}}


def confusion_lines(found: Confusion, where: str, width: int | None) -> list[str]:
    """Lay a confusion out: tags by tags where there is room, and the swaps of tags by frequency."""
    one, other = (visible_line(name, _MAX_NAME) for name in (found.first, found.second))
    if not found.n_items:
        return [f"0 items were reviewed by both {one} and {other}."]
    lines = [f"{counted(found.n_items, 'item')} that both reviewed; rows: {one}, columns: {other}.", ""]
    grid = _grid(found)
    fits = width is None or max(map(cell_len, grid)) <= width
    lines += grid if fits else [f"No room here for {len(found.used)} by {len(found.used)} tags: see --json."]
    swaps = found.swaps
    if swaps:
        rows = [[_tag(put), _tag(instead), Number(f"{items:,}")] for (put, instead), items in swaps]
        lines += ["", *table_lines([f"{one} put", f"{other} put instead", "items"], rows, width)]
    else:
        lines += ["", "They put the same tags on every item."]
    lines += [
        "",
        "A tag that both put counts on the diagonal. Of the other tags each one that only one put is held against each"
        " that only the other put, or against none where the other put no other tag: an item with several can count in"
        " several cells.",
    ]
    return [*lines, *([f"Only items that this filter leaves: {visible_line(where)}"] if where else [])]


def print_confusion(found: Confusion, where: str) -> None:
    """Print a confusion on stdout."""
    print_text("\n".join(confusion_lines(found, where, terminal_width())))


def _tag(tag: str | None) -> str:
    return "(none)" if tag is None else visible_line(tag, _MAX_NAME)


def _grid(found: Confusion) -> list[str]:
    """Return the table of tags by tags; a column is named by the number of its row."""
    tags: list[str | None] = [*found.used, None]
    numbers = [str(number) for number in range(1, len(tags))] + ["none"]
    names = [
        f"{number} {_tag(tag)}" if tag is not None else "(none)" for number, tag in zip(numbers, tags, strict=True)
    ]
    rows = [
        [name, *(Number(f"{found.at(tag, other):,}") if found.at(tag, other) else Number("·") for other in tags)]
        for name, tag in zip(names, tags, strict=True)
    ]
    return table_lines(["", *(number.rjust(_CELL_ROOM - 2) for number in numbers)], rows, None)
