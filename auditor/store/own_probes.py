"""Probes that annotators wrote about runs: rows that the history makes, lists of them, and what was asked before.

Functions that write expect to be inside the caller's transaction.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from auditor.model import Task, join_key
from auditor.store.changes import OwnProbe, by_name, probe_name
from auditor.store.filter import ITEMS
from auditor.store.json_column import dump_json, load_json
from auditor.store.reveals import ReviewKey
from auditor.store.tag_records import live_rows
from auditor.store.tasks import load_task
from auditor.text import from_storage, to_storage, visible_line

if TYPE_CHECKING:
    from auditor.store.history import Actor

_VALUES = "kind, line, n, variable, question, dimensions, answer, answer_type, depth, step, withdrawn"
PROBE_COLUMNS = f"name, {_VALUES}"
"""Of a row, between its key and its event."""
WRITTEN, WITHDRAWN, REPLACED = "written", "withdrawn", "replaced"
"""The states of a probe."""
_KEY = "response_id = ? AND codebook_id = ? AND annotator_id = ?"


# --- rows that the history makes -----------------------------------------------------------------------------------


def read_probes(connection: sqlite3.Connection, key: ReviewKey) -> tuple[OwnProbe, ...]:
    """Read what one annotator wrote about the run of one item, in the order of the names."""
    return by_name(map(_probe, connection.execute(f"SELECT {_VALUES} FROM own_probes WHERE {_KEY}", key)))


def all_probes(connection: sqlite3.Connection) -> dict[ReviewKey, tuple[OwnProbe, ...]]:
    """Read what everybody wrote, by response, codebook and annotator."""
    found: dict[ReviewKey, list[OwnProbe]] = {}
    sql = f"SELECT response_id, codebook_id, annotator_id, {_VALUES} FROM own_probes"
    for response, codebook, annotator, *row in connection.execute(sql):
        found.setdefault((response, codebook, annotator), []).append(_probe(row))
    return {key: by_name(probes) for key, probes in found.items()}


def update_probe(
    connection: sqlite3.Connection, key: ReviewKey, probe: tuple[OwnProbe | None, OwnProbe | None], event_id: int
) -> None:
    """Keep what an event made of a probe."""
    name = next(one.name for one in probe if one is not None)
    connection.execute(f"DELETE FROM own_probes WHERE {_KEY} AND name = ?", (*key, to_storage(name)))
    if (after := probe[1]) is not None:
        row = probe_row(key, after, event_id)
        columns = f"response_id, codebook_id, annotator_id, {PROBE_COLUMNS}, event_id"
        connection.execute(f"INSERT INTO own_probes ({columns}) VALUES ({', '.join('?' * len(row))})", row)


def probe_row(key: ReviewKey, probe: OwnProbe, event_id: int) -> tuple[Any, ...]:
    """Return the values of a probe's row: its key, PROBE_COLUMNS and its event."""
    about = (probe.kind, probe.line, probe.n, None if probe.variable is None else to_storage(probe.variable))
    words = (to_storage(probe.question), dump_json(list(probe.dimensions)), to_storage(probe.answer))
    rest = (probe.answer_type, probe.depth, probe.step, int(probe.withdrawn), event_id)
    return (*key, to_storage(probe.name), *about, *words, *rest)


def _probe(row: Sequence[Any]) -> OwnProbe:
    kind, line, n, variable, question, dimensions, answer, answer_type, depth, step, withdrawn = row
    texts = (from_storage(variable), from_storage(question) or "", tuple(load_json(dimensions)))
    return OwnProbe(kind, line, n, *texts, from_storage(answer) or "", answer_type, depth, step, bool(withdrawn))


# --- lists ---------------------------------------------------------------------------------------------------------


class ProbeRecord(NamedTuple):
    """A probe that an annotator wrote."""

    problem: str
    implementation: str
    test: str
    name: str
    """What it is known by among those of its run."""
    probe: OwnProbe
    item: str
    """The key of the item at which it was written."""
    annotator: str
    kind: str
    """Of the annotator."""
    codebook: str
    at: str
    """When it was written or changed last."""
    key: tuple[int, int, int]
    """The rows of item, annotator and codebook in this file."""
    replaced: bool = False
    """Whether an import replaced the item since, so that the probe may be about another program than there is now."""

    @property
    def response_id(self) -> int:
        """Return the row of the item."""
        return self.key[0]

    @property
    def run(self) -> tuple[str, str, str]:
        """Return problem, implementation and test."""
        return self.problem, self.implementation, self.test

    @property
    def state(self) -> str:
        """Return WRITTEN, WITHDRAWN or REPLACED."""
        return REPLACED if self.replaced else WITHDRAWN if self.probe.withdrawn else WRITTEN


_COLUMNS = (
    "r.id, an.id, cb.id, s.name, c.name, t.arm, g.name, r.sample, t.problem, t.implementation, t.test,"
    f" an.name, an.kind, cb.name, ev.at, {', '.join(f'op.{name}' for name in _VALUES.split(', '))}"
)
_PROBES = (
    f"{ITEMS} JOIN own_probes op ON op.response_id = r.id JOIN annotators an ON an.id = op.annotator_id"
    " JOIN codebooks cb ON cb.id = op.codebook_id JOIN events ev ON ev.id = op.event_id"
)
_ORDER = "t.problem, t.implementation, t.test, op.depth DESC, op.line, op.name, ev.at, ev.uuid"


def iterate_own_probes(
    connection: sqlite3.Connection, where: str = "", annotators: Sequence[str] = ()
) -> Iterator[ProbeRecord]:
    """Read the probes at the live items that a filter leaves, by problem and run, those that are deepest first.

    Raises InputError for a wrong filter.
    """
    chosen = live_rows(connection, where, annotators)
    sql = f"SELECT {_COLUMNS} FROM {_PROBES} WHERE {chosen.text} ORDER BY {_ORDER}"
    yield from map(_record, connection.execute(sql, chosen.params))


def replaced_probes(connection: sqlite3.Connection, annotators: Sequence[str] = ()) -> list[ProbeRecord]:
    """Read the probes at items that an import replaced, unless they were written anew since or withdrawn before."""
    anew = {(*one.run, one.name, one.annotator) for one in iterate_own_probes(connection, "", annotators)}
    sql = f"SELECT {_COLUMNS} FROM {_PROBES} WHERE r.superseded_at IS NOT NULL AND NOT op.withdrawn ORDER BY {_ORDER}"
    found = (_record(row)._replace(replaced=True) for row in connection.execute(sql))
    wanted = (one for one in found if not annotators or one.annotator in annotators)
    return [one for one in wanted if (*one.run, one.name, one.annotator) not in anew]


def count_probes_set_aside(connection: sqlite3.Connection, since: str) -> int:
    """Count the probes that people wrote at items which were superseded since a time."""
    sql = (
        "SELECT count(*) FROM own_probes op JOIN responses r ON r.id = op.response_id"
        " WHERE r.superseded_at >= ? AND NOT op.withdrawn"
    )
    return int(connection.execute(sql, (since,)).fetchone()[0])


def probes_of_run(connection: sqlite3.Connection, response_id: int) -> list[ProbeRecord]:
    """Read the probes about the run that an item is about, at whichever item and by whomever they were written."""
    sql = (
        f"SELECT {_COLUMNS} FROM {_PROBES} JOIN responses r2 ON r2.id = ? JOIN tasks t2 ON t2.id = r2.task_id"
        " WHERE r.superseded_at IS NULL AND t.program_id = t2.program_id AND t.input = t2.input"
        f" AND t.problem = t2.problem AND t.implementation IS t2.implementation AND t.test IS t2.test ORDER BY {_ORDER}"
    )
    return list(map(_record, connection.execute(sql, (response_id,))))


def _record(row: Sequence[Any]) -> ProbeRecord:
    key, (study, case, arm, setting, sample) = (row[0], row[1], row[2]), row[3:8]
    problem, implementation, test, annotator, kind, book, at = row[8:15]
    probe = _probe(row[15:])
    item = join_key((*(from_storage(one) or "" for one in (study, case, arm, setting)), sample))
    run = (from_storage(problem) or "", from_storage(implementation) or "", from_storage(test) or "")
    who = (from_storage(annotator) or "", kind, from_storage(book) or "", at)
    return ProbeRecord(*run, probe.name, probe, item, *who, key)


# --- what was asked before -----------------------------------------------------------------------------------------


def same_question(one: str, other: str) -> bool:
    """Say whether two questions have the same words, whatever their case and white space."""
    return " ".join(one.split()).casefold() == " ".join(other.split()).casefold()


def why_twice(connection: sqlite3.Connection, actor: Actor, response_id: int, probe: OwnProbe) -> str | None:
    """Say that the run is asked the same already, by whomever; None where it is not, and for a withdrawn probe.

    The same is the same moment, whatever the words, or the same words. What stands may always be said otherwise.
    """
    if probe.withdrawn:
        return None
    own = (response_id, actor.annotator_id, actor.book.id)
    others = [one for one in probes_of_run(connection, response_id) if not one.probe.withdrawn]
    stands = any(one.key == own and one.name == probe.name for one in others)
    for record in others:
        if record.name == probe.name and not stands:
            return f"{visible_line(record.annotator, 60)} wrote this probe already; see: auditor probes list."
        if record.name != probe.name and same_question(record.probe.question, probe.question):
            return f"the probe {visible_line(record.name, 80)} of this run asks in the same words; say it otherwise."
    for task in _asked_in_study(connection, response_id):
        about = task.extra.get("probe")
        same = isinstance(about, dict) and all(
            about.get(part) == getattr(probe, part) for part in ("kind", "line", "n", "variable")
        )
        if (same and not stands) or same_question(task.question or "", probe.question):
            return f"the study {visible_line(task.study, 60)} asks this of the run already."
    return None


def own_place(connection: sqlite3.Connection, actor: Actor, response_id: int, name: str) -> int:
    """Return the item at which an annotator wrote a probe about the run that an item is about; else that item."""
    own = (actor.annotator_id, actor.book.id)
    there = (one for one in probes_of_run(connection, response_id) if one.name == name and one.key[1:] == own)
    return next((one.response_id for one in there), response_id)


def names_in_study(connection: sqlite3.Connection, response_id: int) -> set[str]:
    """Return the names of what studies ask about the run that an item is about, as far as they say what that is."""
    found = set()
    for task in _asked_in_study(connection, response_id):
        about = task.extra.get("probe")
        if isinstance(about, dict) and isinstance(about.get("kind"), str):
            found.add(probe_name(*(about.get(part) for part in ("kind", "line", "n", "variable"))))
    return found


def item_of_run(connection: sqlite3.Connection, problem: str, implementation: str, test: str) -> int | None:
    """Return the first live item about a run; None where there is none."""
    sql = (
        "SELECT min(r.id) FROM tasks t JOIN responses r ON r.task_id = t.id WHERE t.problem = ?"
        " AND t.implementation = ? AND t.test = ? AND t.superseded_at IS NULL AND r.superseded_at IS NULL"
    )
    (row,) = connection.execute(sql, (to_storage(problem), to_storage(implementation), to_storage(test))).fetchone()
    return None if row is None else int(row)


def runs_with_items(connection: sqlite3.Connection, problem: str) -> list[str]:
    """Return the runs of a problem that live items are about, as `implementation/test`, sorted."""
    sql = (
        "SELECT DISTINCT t.implementation, t.test FROM tasks t JOIN responses r ON r.task_id = t.id WHERE t.problem = ?"
        " AND t.implementation IS NOT NULL AND t.test IS NOT NULL AND t.superseded_at IS NULL"
        " AND r.superseded_at IS NULL"
    )
    rows = connection.execute(sql, (to_storage(problem),))
    return sorted("/".join(from_storage(part) or "" for part in run) for run in rows)


def written_twice(connection: sqlite3.Connection) -> list[str]:
    """Say which probes at items of the list `touched` several people wrote, a sentence each."""
    found: dict[tuple[str, str, str, str], list[ProbeRecord]] = {}
    touched: set[int] = {row for (row,) in connection.execute("SELECT response_id FROM touched")}
    for record in iterate_own_probes(connection):
        if not record.probe.withdrawn:
            found.setdefault((*record.run, record.name), []).append(record)
    told = []
    for (*run, name), records in found.items():
        who = ", ".join(dict.fromkeys(visible_line(one.annotator, 60) for one in records))
        if len(records) > 1 and any(one.response_id in touched for one in records):
            words = "" if len({one.probe.question for one in records}) == 1 else ", in other words"
            told.append(
                f"the probe {visible_line(name, 80)} of {visible_line(join_key(run), 120)} is written by {who}{words};"
                " an export has the earliest one."
            )
    return told


def _asked_in_study(connection: sqlite3.Connection, response_id: int) -> list[Task]:
    """Return the probes that a study asks about the run that an item is about."""
    sql = (
        "SELECT t.id FROM responses r2 JOIN tasks t2 ON t2.id = r2.task_id JOIN tasks t ON t.program_id = t2.program_id"
        " AND t.target = 'probe' AND t.superseded_at IS NULL AND t.input = t2.input AND t.problem = t2.problem"
        " AND t.test IS t2.test WHERE r2.id = ? ORDER BY t.id"
    )
    return [load_task(connection, row) for (row,) in connection.execute(sql, (response_id,)).fetchall()]
