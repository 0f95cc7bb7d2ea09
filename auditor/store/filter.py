"""Dimensions, filters and orders as SQL over the live responses: one vocabulary for every command and screen."""

from __future__ import annotations

import difflib
import random
import re
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from auditor.errors import InputError
from auditor.model import ReviewState, Status
from auditor.store.expr import And, Compare, Everything, Expr, Match, Not, Or, Word, parse
from auditor.text import from_storage, to_storage, visible_line

LIVE = (
    "responses r JOIN tasks t ON t.id = r.task_id JOIN cases c ON c.id = t.case_id"
    " JOIN studies s ON s.id = c.study_id JOIN settings g ON g.id = r.setting_id"
    " LEFT JOIN grades d ON d.response_id = r.id"
)
"""The tables behind every dimension; live responses are those with `r.superseded_at IS NULL`."""
CELLS = (
    "planned_cells n JOIN studies s ON s.id = n.study_id JOIN settings g ON g.id = n.setting_id"
    " JOIN cases c ON c.study_id = s.id JOIN tasks t ON t.case_id = c.id AND t.arm = n.arm AND t.superseded_at IS NULL"
)
"""The tables behind the planned cells, which have no response, no grade and no sample."""

_COLUMNS = {
    "study": "s.name",
    "case": "c.name",
    "arm": "t.arm",
    "setting": "g.name",
    "model": "g.model",
    "mode": "g.mode",
    "prompting": "g.prompting",
    "language": "t.language",
    "target": "t.target",
    "status": "coalesce(d.status, 'ungraded')",
    "mode.computed": "d.mode",
    "sample": "r.sample",
    "finish": "r.finish",
    "lines": "t.lines",
}
_OF_A_RESPONSE = frozenset({"status", "mode.computed", "sample", "finish", "tag", "annotator", "state"})
"""Dimensions that a planned cell without a response does not have."""
_MANY = frozenset({"tag", "annotator", "state"})
"""Dimensions of which one response has several values or none."""
NAMES = (*_COLUMNS, "tag", "annotator", "state")
ORDERS = ("smallest", "random", "disagreement", "computed", "import")

_GROUPS = {
    "status": {
        "wrong": (Status.WRONG_VALID.value, Status.WRONG_INVALID.value),
        "correct": (Status.CORRECT_VALID.value, Status.CORRECT_INVALID.value),
    }
}
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")

_NAME_ORDER = "s.id, c.id, t.id, g.id, r.sample, r.id"


@dataclass(frozen=True, slots=True)
class Sql:
    """A piece of SQL with its parameters."""

    text: str
    params: tuple[Any, ...] = ()


class Vocabulary:
    """The dimensions of one audit file: the built-in names and its facets and measures."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.facets: dict[str, set[str]] = {}
        """Kinds (`facet`, `measure`) by name."""
        for name, kind in connection.execute("SELECT DISTINCT name, kind FROM facets"):
            self.facets.setdefault(from_storage(name) or "", set()).add(kind)
        self.setting_facets: set[str] = {
            from_storage(name) or ""
            for (name,) in connection.execute("SELECT DISTINCT j.key FROM settings g, json_each(g.facets) j")
        }

    def known(self) -> list[str]:
        """List all names that can be used, the built-in ones first."""
        return [*NAMES, *sorted((self.facets.keys() | self.setting_facets) - set(NAMES))]

    def dimension(self, name: str) -> Sql:
        """Return the SQL expression of a dimension with one value a response.

        Raises InputError for an unknown name, naming the nearest known one.
        """
        if name in _MANY:
            raise InputError(f"{name} has several values a response, so it cannot be used here.", hint="Filter by it.")
        if name in _COLUMNS:
            return Sql(_COLUMNS[name])
        bare = name.removeprefix("facet:")
        parts, params = [], []
        if bare in self.facets:
            kinds = self.facets[bare]
            kind = "facet" if "facet" in kinds and (name != bare or "measure" not in kinds) else "measure"
            parts.append("(SELECT f.value FROM facets f WHERE f.task_id = t.id AND f.name = ? AND f.kind = ?)")
            params += [to_storage(bare), kind]
        if bare in self.setting_facets:
            parts.append(
                "(SELECT CASE j.type WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' ELSE j.atom END"
                " FROM json_each(g.facets) j WHERE j.key = ?)"
            )
            params.append(bare)
        if bare == "loc" and not parts:
            return Sql("t.lines")
        if not parts:
            raise self._unknown(name)
        text = parts[0] if len(parts) == 1 else f"coalesce({', '.join(parts)})"
        return Sql(text, tuple(params))

    def speaks_of_response(self, name: str) -> bool:
        """Say whether a dimension is one that only a response has, so that a planned cell without one lacks it."""
        return name in _OF_A_RESPONSE

    def needs_response(self, expr: Expr) -> bool:
        """Say whether a filter speaks of what only a response has."""
        match expr:
            case Match(name, _) | Compare(name, _, _):
                return self.speaks_of_response(name)
            case Word():
                return True
            case Not(part):
                return self.needs_response(part)
            case And(parts) | Or(parts):
                return any(map(self.needs_response, parts))
        return False

    def mentioned(self, expr: Expr) -> set[str]:
        """Return the names that a filter speaks of."""
        match expr:
            case Match(name, _) | Compare(name, _, _):
                return {name}
            case Not(part):
                return self.mentioned(part)
            case And(parts) | Or(parts):
                return set().union(*map(self.mentioned, parts))
        return set()

    def condition(self, expr: Expr) -> Sql:
        """Compile a filter to a condition over LIVE."""
        match expr:
            case Everything():
                return Sql("1")
            case Word(text):
                return _search(text)
            case Not(part):
                inner = self.condition(part)
                return Sql(f"NOT coalesce({inner.text}, 0)", inner.params)
            case And(parts) | Or(parts):
                inner_parts = [self.condition(part) for part in parts]
                word = " AND " if isinstance(expr, And) else " OR "
                return Sql("(" + word.join(p.text for p in inner_parts) + ")", sum((p.params for p in inner_parts), ()))
            case Match(name, values):
                return self._match(name, values)
            case Compare(name, op, value):
                return self._compare(name, op, value)

    def _match(self, name: str, values: Sequence[str]) -> Sql:
        if name in _MANY:
            return _match_many(name, values)
        dimension = self.dimension(name)
        wanted: list[Any] = []
        for value in values:
            for one in _GROUPS.get(name, {}).get(value, (value,)):
                wanted.append(to_storage(one))
                if _NUMBER.fullmatch(one):
                    wanted.append(_number(one))
        marks = ", ".join("?" * len(wanted))
        return Sql(f"{dimension.text} IN ({marks})", (*dimension.params, *wanted))

    def _compare(self, name: str, op: str, value: str) -> Sql:
        if op in ("=", "!="):
            match = self._match(name, (value,))
            return match if op == "=" else Sql(f"NOT coalesce({match.text}, 0)", match.params)
        if name in _MANY:
            raise InputError(f"{name} cannot be compared with {op}.", hint=f"Write {name}:VALUE.")
        dimension = self.dimension(name)
        if not _NUMBER.fullmatch(value):
            raise InputError(
                f"{visible_line(name)}{op}{visible_line(value, 40)}: {op} compares numbers, and this is none.",
                hint=f"Write {visible_line(name)}:VALUE to compare text.",
            )
        text = f"(typeof({dimension.text}) IN ('integer', 'real') AND {dimension.text} {op} ?)"
        return Sql(text, (*dimension.params, *dimension.params, _number(value)))

    def _unknown(self, name: str) -> InputError:
        near = difflib.get_close_matches(name, self.known(), 1)
        hint = f"Did you mean {visible_line(near[0])}?" if near else None
        if hint is None:
            known = ", ".join(visible_line(n) for n in self.known()[:40])
            hint = f"Known: {known}."
        return InputError(f"there is no dimension {visible_line(name)!r} in this file.", hint=hint)


def _number(text: str) -> int | float:
    try:
        value = int(text)
    except ValueError:
        return float(text)
    return value if -(2**63) <= value < 2**63 else float(text)


def _match_many(name: str, values: Sequence[str]) -> Sql:
    marks = ", ".join("?" * len(values))
    params = tuple(to_storage(value) for value in values)
    if name == "tag":
        return Sql(
            "EXISTS (SELECT 1 FROM applied_tags p JOIN tags k ON k.id = p.tag_id"
            f" WHERE p.response_id = r.id AND k.name IN ({marks}))",
            params,
        )
    if name == "annotator":
        return Sql(
            "EXISTS (SELECT 1 FROM reviews w JOIN annotators a ON a.id = w.annotator_id"
            f" WHERE w.response_id = r.id AND w.state <> 'not-reviewed' AND a.name IN ({marks}))",
            params,
        )
    states = {state.value for state in ReviewState}
    for value in values:
        if value not in states:
            raise InputError(
                f"there is no state {visible_line(value)!r}.", hint=f"States: {', '.join(sorted(states))}."
            )
    exists = f"EXISTS (SELECT 1 FROM reviews w WHERE w.response_id = r.id AND w.state IN ({marks}))"
    if ReviewState.NOT_REVIEWED.value in values:
        none = "NOT EXISTS (SELECT 1 FROM reviews w WHERE w.response_id = r.id AND w.state <> 'not-reviewed')"
        return Sql(f"({exists} OR {none})", params)
    return Sql(exists, params)


def _search(text: str) -> Sql:
    """Search source, input, reply and notes, ignoring the case of ASCII letters; blobs are searched as bytes."""
    needle = to_storage(text)
    places = (
        "(SELECT p.source FROM programs p WHERE p.id = t.program_id)",
        "t.input",
        "r.reply",
        "(SELECT group_concat(w.note, char(10)) FROM reviews w WHERE w.response_id = r.id)",
    )
    found = [f"contains_text({place}, ?)" for place in places]
    return Sql("(" + " OR ".join(found) + ")", (needle,) * len(places))


def _contains_text(value: str | bytes | None, needle: str | bytes) -> bool:
    if value is None:
        return False
    return (from_storage(needle) or "").lower() in (from_storage(value) or "").lower()


def compile_filter(connection: sqlite3.Connection, where: str) -> Sql:
    """Compile the text of a filter to a condition over LIVE, and make the connection ready to run it."""
    connection.create_function("contains_text", 2, _contains_text, deterministic=True)
    return Vocabulary(connection).condition(parse(where))


# --- orders --------------------------------------------------------------------------------------------------------

_DISAGREEMENT = (
    "(SELECT count(*) FROM (SELECT p.tag_id FROM applied_tags p JOIN reviews w ON w.response_id = p.response_id"
    " AND w.annotator_id = p.annotator_id AND w.codebook_id = p.codebook_id AND w.state = 'reviewed'"
    " WHERE p.response_id = r.id GROUP BY p.tag_id HAVING count(*) <"
    " (SELECT count(*) FROM reviews v WHERE v.response_id = r.id AND v.state = 'reviewed')))"
)
_ORDER_BY = {
    "smallest": f"t.lines, {_NAME_ORDER}",
    "computed": f"d.mode, t.lines, {_NAME_ORDER}",
    "disagreement": f"{_DISAGREEMENT} DESC, t.lines, {_NAME_ORDER}",
    "import": "r.id",
    "random": "s.name, c.name, t.arm, g.name, r.sample",
}


def matching_responses(
    connection: sqlite3.Connection,
    where: str = "",
    order: str = "import",
    *,
    seed: int = 0,
    take: int | None = None,
    per: Sequence[str] = (),
) -> list[int]:
    """Return the row ids of the live responses that a filter leaves, in order.

    `random` shuffles with the seed, the same for the same names whatever the order of import; `take` keeps so many of
    each group of the `per` dimensions (of all, without `per`). Raises InputError for what it does not know.
    """
    if order not in _ORDER_BY:
        raise InputError(f"there is no order {visible_line(order)!r}.", hint=f"Orders: {', '.join(ORDERS)}.")
    condition = compile_filter(connection, where)
    groups = [Vocabulary(connection).dimension(name) for name in per]
    columns = ", ".join(["r.id", *(group.text for group in groups)])
    sql = f"SELECT {columns} FROM {LIVE} WHERE r.superseded_at IS NULL AND {condition.text} ORDER BY {_ORDER_BY[order]}"
    params = [param for group in groups for param in group.params] + list(condition.params)
    rows: list[tuple[Any, ...]] = connection.execute(sql, params).fetchall()
    if order == "random":
        random.Random(seed).shuffle(rows)
    return [row[0] for row in (_first_of_each(rows, take) if take is not None else rows)]


def _first_of_each(rows: Sequence[tuple[Any, ...]], take: int) -> Iterator[tuple[Any, ...]]:
    seen: dict[tuple[Any, ...], int] = {}
    for row in rows:
        seen[row[1:]] = seen.get(row[1:], 0) + 1
        if seen[row[1:]] <= take:
            yield row
