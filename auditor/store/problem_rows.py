"""Problems with several implementations, their outputs and probes, and which of them settings answered rightly."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterator
from typing import NamedTuple

from auditor.store.cells import correct_sql
from auditor.store.expr import parse
from auditor.store.filter import LIVE, Vocabulary, compile_filter
from auditor.store.invalidations import IS_INVALID, any_invalid
from auditor.store.tasks import load_settings
from auditor.text import from_storage

_OF_A_PROBLEM = (
    "t.superseded_at IS NULL AND s.cluster = 'problem' AND t.problem IS NOT NULL AND t.target IN ('output', 'probe')"
)
_TASKS = "studies s JOIN cases c ON c.study_id = s.id JOIN tasks t ON t.case_id = c.id"
_NUMBERS = (
    " JOIN (WITH RECURSIVE most(samples) AS (SELECT max(coalesce((SELECT max(samples) FROM planned_cells), 0),"
    " coalesce((SELECT max(sample) + 1 FROM responses WHERE superseded_at IS NULL), 0))),"
    " numbers(sample) AS (SELECT 0 UNION ALL SELECT sample + 1 FROM numbers, most WHERE sample + 1 < samples)"
    " SELECT sample FROM numbers) r"
)
_ASKED = (
    "(SELECT study_id, setting_id FROM planned_cells UNION SELECT c.study_id, r.setting_id FROM studies s"
    " JOIN cases c ON c.study_id = s.id JOIN tasks t ON t.case_id = c.id JOIN responses r ON r.task_id = t.id"
    f" WHERE r.superseded_at IS NULL AND {_OF_A_PROBLEM})"
)
"""Studies and the settings that were asked in them: by a plan, or because there are replies, whatever was planned."""


class ProblemTask(NamedTuple):
    """An output to predict, or a probe, of a problem."""

    study: str
    case: str
    arm: str
    is_probe: bool
    problem: str
    implementation: str
    """Its name; where it has none, a number that its program has in this file."""
    test: str | None
    style: str
    """The family of the implementation: its facet `style`, else its name."""
    dimensions: frozenset[str]


class Planned(NamedTuple):
    """All outputs, or all probes, of a study under a setting."""

    study: str
    is_probe: bool
    setting: int
    """Its row id."""


class Answer(NamedTuple):
    """What became of a task under a setting, in one repetition."""

    task: int
    setting: int
    sample: int
    right: bool
    replied: bool
    ungraded: bool
    invalid: bool


def problem_tasks(connection: sqlite3.Connection) -> dict[int, ProblemTask]:
    """Read the live outputs and probes of studies whose clusters are problems, by row id."""
    sql = (
        "SELECT t.id, s.name, c.name, t.arm, t.target = 'probe', t.problem,"
        " coalesce(t.implementation, t.clean_program_id), t.test,"
        " (SELECT f.value FROM facets f WHERE f.task_id = t.id AND f.name = 'style' AND f.kind = 'facet'),"
        " CASE WHEN t.target = 'probe' THEN json_extract(t.details, '$.dimensions') END"
        f" FROM {_TASKS} WHERE {_OF_A_PROBLEM} ORDER BY t.id"
    )
    found = {}
    for row, study, case, arm, is_probe, problem, implementation, test, style, dimensions in connection.execute(sql):
        name = _text(implementation)
        found[row] = ProblemTask(
            *(_text(study), _text(case), _text(arm), bool(is_probe), _text(problem), name),
            test=from_storage(test),
            style=name if style is None else _text(style),
            dimensions=frozenset(json.loads(dimensions)) if dimensions else frozenset(),
        )
    return found


def problem_sizes(connection: sqlite3.Connection) -> tuple[int, int, int, int]:
    """Count the problems, their implementations, their outputs and their probes; the last two are tasks."""
    sql = (
        "SELECT count(DISTINCT t.problem),"
        " count(DISTINCT hex(t.problem) || '/' || hex(coalesce(t.implementation, t.clean_program_id))),"
        " count(*) FILTER (WHERE t.target = 'output'), count(*) FILTER (WHERE t.target = 'probe')"
        f" FROM {_TASKS} WHERE {_OF_A_PROBLEM}"
    )
    problems, implementations, outputs, probes = connection.execute(sql).fetchone()
    return problems, implementations, outputs, probes


def planned_repetitions(connection: sqlite3.Connection) -> dict[Planned, int]:
    """Return how many repetitions were planned: a setting that was to answer one arm was to answer all of the kind."""
    sql = (
        "SELECT s.name, k.is_probe, n.setting_id, max(n.samples) FROM planned_cells n"
        " JOIN studies s ON s.id = n.study_id"
        " JOIN (SELECT DISTINCT c.study_id, t.arm, t.target = 'probe' AS is_probe"
        f" FROM {_TASKS} WHERE {_OF_A_PROBLEM}) k ON k.study_id = n.study_id AND k.arm = n.arm GROUP BY 1, 2, 3"
    )
    return {
        Planned(_text(study), bool(is_probe), setting): int(samples)
        for study, is_probe, setting, samples in connection.execute(sql)
    }


def asked_tasks(connection: sqlite3.Connection, where: str) -> Iterator[tuple[int, int, int | None]]:
    """Pair the outputs and probes that a filter leaves with the settings of their studies, answered or not.

    Rows are the ids of a task and a setting, and the sample where the filter speaks of samples, else None. Raises
    InputError for a wrong filter; one must not speak of what only a response has.
    """
    vocabulary = Vocabulary(connection)
    by_sample = "sample" in vocabulary.mentioned(parse(where))
    condition = compile_filter(connection, where, invalid_too=True)
    tables = (
        f"{_TASKS} JOIN {_ASKED} n ON n.study_id = s.id"
        f" JOIN settings g ON g.id = n.setting_id{_NUMBERS if by_sample else ''}"
    )
    sql = (
        f"SELECT t.id, g.id, {'r.sample' if by_sample else 'NULL'} FROM {tables}"
        f" WHERE {_OF_A_PROBLEM} AND {condition.text}"
    )
    return connection.execute(sql, condition.params)


def problem_answers(connection: sqlite3.Connection, where: str, *, judged: bool = False) -> Iterator[Answer]:
    """Read what the responses to outputs and probes that a filter leaves came to, in one pass.

    With `judged` right is what the connection's function says, see `correct_sql`.
    """
    condition = compile_filter(connection, where, invalid_too=True)
    invalid = IS_INVALID if any_invalid(connection) else "0"
    sql = (
        f"SELECT r.task_id, r.setting_id, r.sample, coalesce({correct_sql(judged)}, 0),"
        f" r.reply IS NOT NULL, r.reply IS NOT NULL AND d.status IS NULL, {invalid} FROM {LIVE}"
        f" WHERE r.superseded_at IS NULL AND {_OF_A_PROBLEM} AND {condition.text}"
    )
    return map(Answer._make, connection.execute(sql, condition.params))


def answers_to(
    connection: sqlite3.Connection, tasks: Collection[int], settings: Collection[int], *, not_right: bool = False
) -> list[int]:
    """Return the row ids of the live responses of settings to tasks, in the order of import, without invalid ones.

    With `not_right` only those that are no right answer: wrong ones, and those without a reply.
    """
    only = f" AND NOT coalesce({correct_sql(False)}, 0)" if not_right else ""
    sql = (
        f"SELECT r.id FROM {LIVE} WHERE r.superseded_at IS NULL"
        " AND r.task_id IN (SELECT value FROM json_each(?)) AND r.setting_id IN (SELECT value FROM json_each(?))"
        f" AND NOT {IS_INVALID}{only} ORDER BY r.id"
    )
    return [row for (row,) in connection.execute(sql, (json.dumps(list(tasks)), json.dumps(list(settings))))]


def setting_names(connection: sqlite3.Connection) -> dict[int, str]:
    """Return the names of all settings by row id."""
    return {row: _text(name) for row, name in connection.execute("SELECT id, name FROM settings")}


def setting_families(connection: sqlite3.Connection) -> dict[str, tuple[str, bool]]:
    """Return the family of each setting, and whether it was declared: else it is the model's or the setting's name.

    It is declared as a facet `family`, or as a field of that name beside the setting's model.
    """
    found = {}
    for setting in load_settings(connection):
        family = setting.facets.get("family", setting.extra.get("family"))
        declared = isinstance(family, str) and family != ""
        found[setting.name] = (str(family) if declared else setting.model or setting.name, declared)
    return found


def _text(value: str | bytes | int) -> str:
    return (from_storage(value) or "") if isinstance(value, bytes) else str(value)
