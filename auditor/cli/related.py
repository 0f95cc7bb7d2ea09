"""What `auditor show` lists beside an item: the arms of its case, or all answers to its task."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from auditor.cli.output import print_json, print_table
from auditor.model import Task

if TYPE_CHECKING:
    from auditor.audit.related_items import Answer, RelatedItems

_IDS_A_QUERY = 500
_COLUMNS = ("status", "field", "oracle", "prediction", "mode", "evidence")
_SHOWN = 60
"""Characters of a text in the table; --json has as much as a screen shows."""


def print_related(file: Path, item: str, *, arms: bool, as_json: bool) -> int:
    """Print what the review screen shows beside an item; `oracle` and `prediction` begin shortly before they differ."""
    from auditor.audit.item_parts import read_item
    from auditor.audit.related_items import RelatedItems
    from auditor.store.file import translate

    found = read_item(file, item)
    try:
        with closing(RelatedItems(file)) as related:
            rows = list((_arms if arms else _answers)(related, found.response_id))
    except sqlite3.Error as error:
        raise translate(error, file) from error
    if as_json:
        print_json({"item": str(found.key), "arms" if arms else "answers": rows})
        return 0
    names = list(rows[0])
    print_table(names, [[_cut(row[name]) for name in names] for row in map(_apart, rows)])
    return 0


def _arms(related: RelatedItems, response_id: int) -> Iterator[dict[str, Any]]:
    for arm in related.case_arms(response_id).arms:
        task = related.task_of_arm(arm)
        answers = related.answers([] if arm.response_id is None else [arm.response_id])
        yield {"arm": arm.arm, **_told(task, answers[0] if answers else None)}


def _answers(related: RelatedItems, response_id: int) -> Iterator[dict[str, Any]]:
    found = related.task_answers(response_id)
    for at in range(0, len(found.ids), _IDS_A_QUERY):
        for answer in related.answers(found.ids[at : at + _IDS_A_QUERY]):
            yield {"setting": answer.setting, "sample": answer.sample, **_told(found.task, answer)}


def _told(task: Task, answer: Answer | None) -> dict[str, Any]:
    """Return what is told of an answer; everything is None where there is none, or it is not graded."""
    from auditor.compare.differences import FIELD_TARGETS
    from auditor.compare.glance import glance
    from auditor.store.tasks import oracle_text

    told: dict[str, Any] = dict.fromkeys(_COLUMNS)
    grade = answer.grade if answer else None
    if grade is None:
        return told
    told |= {"status": grade.status.value, "mode": grade.finding.mode, "evidence": grade.finding.evidence}
    oracle = oracle_text(task.target, task.oracle)
    if oracle is not None and grade.prediction is not None:
        found = glance(oracle, grade.prediction, fields=task.target in FIELD_TARGETS)
        if found.state != "equal":
            told["field"] = found.field
            told["oracle"] = None if found.state == "extra" else found.oracle
            told["prediction"] = None if found.state == "missing" else found.prediction
    return told


def _apart(row: dict[str, Any]) -> dict[str, Any]:
    """Show by its code points what differs between oracle and prediction and would look the same side by side."""
    from auditor.compare.code_points import told_apart

    if row["oracle"] is None or row["prediction"] is None:
        return row
    oracle, prediction = told_apart(row["oracle"], row["prediction"])
    return row | {"oracle": oracle, "prediction": prediction}


def _cut(value: Any) -> Any:
    return f"{value[:_SHOWN]}…" if isinstance(value, str) and len(value) > _SHOWN else value
