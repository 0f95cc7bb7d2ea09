"""Which cells were planned, where that is not every arm under every setting: the list `planned` of `run.toml`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from auditor.formats.fields import take_optional_whole, take_text
from auditor.formats.json_text import UnusableError, kind_of
from auditor.formats.records import Planned
from auditor.model import JsonValue
from auditor.text import visible_line

KEY = "planned"


def read_plan(outside: Mapping[str, JsonValue]) -> list[Planned] | None:
    """Return what `run.toml` says was planned; None when it does not say. Raises UnusableError."""
    tables = outside.get(KEY)
    if tables is None:
        return None
    if not isinstance(tables, list):
        raise UnusableError(f"{KEY} is {kind_of(tables)}, but must be a list of tables, each written [[{KEY}]].")
    return [_cell(table, number) for number, table in enumerate(tables, 1)]


def _cell(table: JsonValue, number: int) -> Planned:
    place = f"[[{KEY}]] number {number}"
    if not isinstance(table, dict):
        raise UnusableError(f"{place} is {kind_of(table)}, but must be a table.")
    fields = dict(table)
    try:
        study, arm, setting = (take_text(fields, name) for name in ("study", "arm", "setting"))
        cell = Planned(study, arm, setting, take_optional_whole(fields, "samples", least=1))
    except UnusableError as err:
        raise UnusableError(f"in {place}, {err}") from err
    if fields:
        names = ", ".join(visible_line(name, 40) for name in fields)
        raise UnusableError(f"in {place}, there is no {names}: it has study, arm, setting and samples.")
    return cell


def plan_value(cells: Iterable[Planned]) -> list[JsonValue]:
    """Return the list that `read_plan` reads back."""
    return [{name: value for name, value in cell._asdict().items() if value is not None} for cell in cells]
