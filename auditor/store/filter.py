"""Dimensions and filters as SQL over the live responses: one vocabulary for every command and screen."""

from __future__ import annotations

import difflib
import re
import sqlite3
from collections.abc import Sequence
from typing import Any

from auditor.errors import InputError
from auditor.model import SUBJECT
from auditor.store.computed_measures import computed_names
from auditor.store.decisions import responses_in_state
from auditor.store.expr import And, Compare, Everything, Expr, Match, Not, Or, Word, parse, write_name
from auditor.store.invalidations import IS_INVALID, any_invalid
from auditor.store.known_values import GROUPS, VALUES, check_values, shortened
from auditor.store.many_valued import MANY, match_many
from auditor.store.sql import Sql
from auditor.store.superficial import SUPERFICIAL
from auditor.store.text_terms import allow_text_terms, contains, equals, search, stored_forms
from auditor.text import from_storage, to_storage, visible_line

ITEMS = (
    "responses r JOIN tasks t ON t.id = r.task_id JOIN cases c ON c.id = t.case_id"
    " JOIN studies s ON s.id = c.study_id JOIN settings g ON g.id = r.setting_id"
    " LEFT JOIN grades d ON d.response_id = r.id"
)
"""The tables behind every dimension and all that people can mark; live are those with `r.superseded_at IS NULL`."""
LIVE = ITEMS.replace("t.id = r.task_id", f"t.id = r.task_id AND t.target <> '{SUBJECT}'", 1)
"""The same without subjects, which are programs and probes that people judge: what is counted as an answer."""
CELLS = (
    "planned_cells n JOIN studies s ON s.id = n.study_id JOIN settings g ON g.id = n.setting_id"
    " JOIN cases c ON c.study_id = s.id JOIN tasks t ON t.case_id = c.id AND t.arm = n.arm AND t.superseded_at IS NULL"
    f" AND t.target <> '{SUBJECT}'"
)
"""The tables behind the planned cells, which have no response and no grade."""
ABSENT_SAMPLES = (
    f"{CELLS} JOIN (WITH RECURSIVE numbers(sample) AS (SELECT 0 UNION ALL SELECT sample + 1 FROM numbers"
    " WHERE sample + 1 < (SELECT max(samples) FROM planned_cells)) SELECT sample FROM numbers) r"
    " ON r.sample < n.samples AND NOT EXISTS (SELECT 1 FROM responses p WHERE p.task_id = t.id"
    " AND p.setting_id = g.id AND p.sample = r.sample AND p.superseded_at IS NULL)"
)
"""The planned samples without a response, one row each: only `r.sample` is there of what LIVE calls `r`."""

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
    "problem": "t.problem",
    "implementation": "t.implementation",
    "test": "t.test",
    "status": "coalesce(d.status, 'ungraded')",
    "mode.computed": "d.mode",
    "extraction": "d.extraction",
    "non_literal": "CASE d.non_literal WHEN 1 THEN 'true' WHEN 0 THEN 'false' END",
    "executed": "coalesce((SELECT x.verdict FROM task_executions x WHERE x.task_id = t.id), 'no')",
    "invalid": f"CASE WHEN {IS_INVALID} THEN 'yes' ELSE 'no' END",
    "sample": "r.sample",
    "finish": "r.finish",
    "lines": "t.lines",
    "superficial": SUPERFICIAL,
    "prediction_length": "CASE typeof(d.prediction) WHEN 'text' THEN length(rtrim(d.prediction, char(10))) END",
}
_OF_A_SETTING = frozenset({"setting", "model", "mode", "prompting"})
_OF_A_RESPONSE = (MANY - {"assigned"}) | {
    *("status", "mode.computed", "finish", "extraction", "non_literal", "prediction"),
    *("invalid", "superficial", "prediction_length"),
}
"""Dimensions that a planned cell without a response does not have; its samples it has."""
TEXTS = {"prediction": "d.prediction", "oracle": "t.oracle"}
"""Texts in which a filter looks for words; they group nothing."""
NAMES = (
    *(*_COLUMNS, *TEXTS),
    *("tag", "annotator", "state", "revealed", "stale", "assigned", "held", "bookmarked", "decision"),
)
_COMPUTED = "computed"
ORDERS = ("smallest", "random", "disagreement", "computed", "import")

_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")

_NAMES_SHOWN = 40


class Vocabulary:
    """The dimensions of one audit file: the built-in names and its facets and measures."""

    def __init__(self, connection: sqlite3.Connection, *, notes: bool = True) -> None:
        """`notes` says whether a word is searched in notes and memos too, whoever wrote them."""
        self._connection = connection
        self._notes = notes
        self.facets: dict[str, set[str]] = {}
        """Kinds (`facet`, `measure`, `computed`) by name."""
        for name, kind in connection.execute("SELECT DISTINCT name, kind FROM facets"):
            self.facets.setdefault(from_storage(name) or "", set()).add(kind)
        for name in computed_names(connection):
            self.facets.setdefault(name, set()).add(_COMPUTED)
        self.setting_facets: set[str] = {
            from_storage(name) or "" for (name,) in connection.execute("SELECT DISTINCT name FROM setting_facets")
        }

    def known(self) -> list[str]:
        """List all names that can be used, the built-in ones first."""
        return [*NAMES, *sorted((self.facets.keys() | self.setting_facets) - set(NAMES))]

    def dimension(self, name: str) -> Sql:
        """Return the SQL expression of a dimension with one value a response.

        Raises InputError for an unknown name, naming the nearest known one.
        """
        if name in MANY:
            raise InputError(f"{name} has several values a response, so it cannot be used here.", hint="Filter by it.")
        if name in TEXTS:
            raise InputError(f"{name} is a text, so it cannot be used here.", hint=f'Filter by it: {name}:"a text".')
        if name in _COLUMNS:
            return Sql(_COLUMNS[name])
        bare = name.removeprefix("facet:")
        parts = [_facet(bare, kind) for kind in self._kinds(name, bare)]
        if bare in self.setting_facets:
            found = "(SELECT f.value FROM setting_facets f WHERE f.setting_id = g.id AND f.name = ?)"
            parts.append(Sql(found, (to_storage(bare),)))
        if bare == "loc":
            parts.append(Sql("t.lines"))
        if not parts:
            raise self._unknown(name)
        params = tuple(param for part in parts for param in part.params)
        text = ", ".join(part.text for part in parts)
        return Sql(f"coalesce({text})" if len(parts) > 1 else text, params)

    def _kinds(self, name: str, bare: str) -> list[str]:
        """Return where to look for a facet or measure, the first that has a value wins.

        A measure comes before a facet of its name, which `facet:x` asks for, and what was computed here comes last.
        """
        kinds = self.facets.get(bare, set())
        if name != bare and "facet" in kinds:
            return ["facet"]
        return sorted(kinds, reverse=True)

    def tables_of(self, name: str) -> str:
        """Return the smallest tables in which a dimension's values can be looked up, aliased as in ITEMS."""
        bare = name.removeprefix("facet:")
        if name in _OF_A_RESPONSE or name == "sample":
            return ITEMS
        if name in _OF_A_SETTING:
            return "settings g"
        if name in _COLUMNS or bare not in self.setting_facets:
            return "tasks t JOIN cases c ON c.id = t.case_id JOIN studies s ON s.id = c.study_id"
        return "settings g" if bare not in self.facets and bare != "loc" else ITEMS

    def speaks_of_response(self, name: str) -> bool:
        """Say whether a dimension is one that only a response has, so that a planned cell without one lacks it."""
        return name in _OF_A_RESPONSE

    def fixed_values(self, name: str) -> Sequence[str] | None:
        """Return the values that a dimension can have, whatever the file holds; None where the file decides."""
        return VALUES.get(name)

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
        """Compile a filter to a condition over ITEMS."""
        match expr:
            case Everything():
                return Sql("1")
            case Word(text):
                return search(text, notes=self._notes)
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
        if name == "decision":
            check_values(name, values, VALUES[name])
            return self._decided_as(values)
        if name in MANY:
            return match_many(name, values)
        if name in TEXTS:
            return contains(TEXTS[name], values)
        dimension = self.dimension(name)
        if name in VALUES:
            check_values(name, values, VALUES[name])
        wanted: list[Any] = []
        for value in values:
            for one in GROUPS.get(name, {}).get(value, (self._spelling(name, value),)):
                wanted += stored_forms(one)
                if _NUMBER.fullmatch(one):
                    wanted.append(_number(one))
        marks = ", ".join("?" * len(wanted))
        return Sql(f"{dimension.text} IN ({marks})", (*dimension.params, *wanted))

    def _decided_as(self, states: Sequence[str]) -> Sql:
        """Compile that an item stands so between its reviews and decisions, which the first row looks up for all."""
        connection, found = self._connection, list[frozenset[int]]()

        def stands_so(response_id: int) -> bool:
            if not found:
                found.append(frozenset(responses_in_state(connection, states)))
            return response_id in found[0]

        function = f"decision_is_{'_'.join(sorted(set(states)))}"
        connection.create_function(function, 1, stands_so)
        return Sql(f"{function}(r.id)")

    def _spelling(self, name: str, value: str) -> str:
        """Return `true` for Python's `True` where a facet has no such text: truth values are kept in small letters."""
        if value not in ("True", "False") or name in _COLUMNS:
            return value
        bare = to_storage(name.removeprefix("facet:"))
        sql = "SELECT EXISTS (SELECT 1 FROM {0} WHERE name = ?1 AND value = ?2)"
        tables = ("facets", "setting_facets")
        taken = any(self._connection.execute(sql.format(table), (bare, value)).fetchone()[0] for table in tables)
        return value if taken else value.lower()

    def _compare(self, name: str, op: str, value: str) -> Sql:
        if op in ("=", "!="):
            match = equals(TEXTS[name], value) if name in TEXTS else self._match(name, (value,))
            return match if op == "=" else Sql(f"NOT coalesce({match.text}, 0)", match.params)
        if name in MANY or name in TEXTS:
            raise InputError(f"{name} cannot be compared with {op}.", hint=f"Write {name}:VALUE.")
        dimension = self.dimension(name)
        if not _NUMBER.fullmatch(value):
            raise InputError(
                f"{visible_line(name)}{op}{visible_line(value, 40)}: {op} compares numbers, and this is none.",
                hint=f"Write {visible_line(name)}:VALUE to compare text.",
            )
        # Whole numbers beyond 64 bits are kept as text: any text of so many digits compares as a number too.
        text = (
            "(SELECT CASE WHEN typeof(v) IN ('integer', 'real') THEN v"
            " WHEN typeof(v) = 'text' AND length(v) > 18 AND ltrim(substr(v, 1, 1), '-') || substr(v, 2)"
            f" NOT GLOB '*[^0-9]*' THEN CAST(v AS REAL) END {op} ? FROM (SELECT {dimension.text} AS v))"
        )
        return Sql(text, (_number(value), *dimension.params))

    def _unknown(self, name: str) -> InputError:
        near = difflib.get_close_matches(name[:100], self.known(), 1)
        hint = f"Did you mean {shortened(write_name(near[0]))}?" if near else None
        if hint is None:
            known = self.known()
            shown = ", ".join(visible_line(one, 40) for one in known[:_NAMES_SHOWN])
            hint = f"Known: {shown}{', …' if len(known) > _NAMES_SHOWN else ''}."
        return InputError(f"there is no dimension {visible_line(name, 60)!r} in this file.", hint=hint)


def _facet(name: str, kind: str) -> Sql:
    """Return the SQL of a task's facet or measure of a kind."""
    if kind == _COMPUTED:
        return Sql("(SELECT f.value FROM computed_measures f WHERE f.task_id = t.id AND f.name = ?)", (name,))
    text = "(SELECT f.value FROM facets f WHERE f.task_id = t.id AND f.name = ? AND f.kind = ?)"
    return Sql(text, (to_storage(name), kind))


def _number(text: str) -> int | float:
    try:
        value = int(text)
    except ValueError:
        return float(text)
    return value if -(2**63) <= value < 2**63 else float(text)


def of_one_response(name: str) -> bool:
    """Say whether a dimension can differ between the responses to a task under a setting."""
    return name == "sample" or name in _OF_A_RESPONSE or name in MANY


def compile_filter(connection: sqlite3.Connection, where: str, *, notes: bool = True, invalid_too: bool = False) -> Sql:
    """Compile the text of a filter to a condition over ITEMS, and make the connection ready to run it.

    Without `notes` a word is not searched in what people wrote: notes and memos. Invalid predictions are left out,
    unless the filter speaks of them itself or they are wanted too.
    """
    allow_text_terms(connection)
    vocabulary, expr = Vocabulary(connection, notes=notes), parse(where)
    condition = vocabulary.condition(expr)
    if invalid_too or "invalid" in vocabulary.mentioned(expr) or not any_invalid(connection):
        return condition
    return Sql(f"({condition.text} AND NOT {IS_INVALID})", condition.params)
