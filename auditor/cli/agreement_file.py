"""Agreement laid out for files: the tables that the terminal has, and a flat record a coefficient."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from auditor.agreement.coefficient import Coefficient, Options
from auditor.agreement.notes import between, how_lines
from auditor.agreement.summing_up import summary
from auditor.audit.layouts import LaidOut, LayoutTable
from auditor.cli.agreement_table import Column, shown_tables
from auditor.model import Scalar

if TYPE_CHECKING:
    from auditor.agreement.ratings import Ratings

_NAMES = ("statistic", "between", "tag")
"""Columns that say what a row is of."""
_FIELDS = ("n_items", "n_clusters", "value", "ci_low", "ci_high", "t_low", "t_high", "se", "observed", "expected")


def agreement_laid_out(
    found: Sequence[Coefficient], ratings: Ratings, options: Options, where: str, further: Sequence[str]
) -> LaidOut:
    """Lay agreement out with all its columns; `further` are sentences that belong below what is said of the numbers."""
    shown = shown_tables(found, ratings, options)
    told = [line for line in summary(found, options, sets=ratings.multi) if not line.startswith("Below: ")]
    told += [*shown.without_row, *shown.notes, *how_lines(found, shown.told, ratings, options, where), *further]
    return LaidOut(list(map(_table, shown.tables)), list(map(_record, found)), [line for line in told if line])


def _table(columns: Sequence[Column]) -> LayoutTable:
    heads = [column.head for column in columns]
    rows = list(zip(*(map(str, column.cells) for column in columns), strict=True))
    over_all = bool(heads) and heads[0] == "statistic"
    title = "Agreement by coefficient" if over_all else "Agreement of two"
    return LayoutTable(title, heads, rows, sum(head in _NAMES for head in heads))


def _record(one: Coefficient) -> dict[str, Scalar]:
    """Return a coefficient as a flat record with exact numbers."""
    numbers: dict[str, Scalar] = {name: getattr(one, name) for name in _FIELDS}
    about: dict[str, Scalar] = {
        "statistic": one.statistic,
        "scope": one.scope,
        "between": between(one),
        "tag": one.tag,
        "group": one.group,
    }
    how: dict[str, Scalar] = {
        "prevalence": one.prevalence,
        "ci_method": one.ci_method,
        "replicates": one.replicates,
        "seed": one.seed,
        "reason": one.reason,
        "warnings": " ".join(one.warnings),
    }
    return about | numbers | how
