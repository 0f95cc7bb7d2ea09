"""Small audit files for tests, made through the store as an import makes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from auditor.codebook import find_codebook
from auditor.model import Finding, Grade, ResponseKey, Setting, Status, Study, Task
from auditor.store.catalog import Catalog
from auditor.store.codebook_revisions import ensure_codebook
from auditor.store.file import open_file, transaction
from auditor.store.grades import put_grades
from auditor.store.responses import NewRow, find_response, insert_responses, response_hash
from auditor.text import to_storage

ARMS = ("output", "state")
SETTINGS = ("model-a", "model-b")


def source_of(case: int) -> str:
    """Return a program of `case + 1` lines, so that case 0 is the smallest."""
    return "".join(f"x = {line}\n" for line in range(case)) + "print(x)\n"


def make_audit(
    path: Path,
    *,
    cases: int = 4,
    arms: Sequence[str] = ARMS,
    settings: Sequence[str] = SETTINGS,
    replies: Mapping[tuple[int, str, str], str | None] | None = None,
    codebook: str = "execution",
) -> Path:
    """Make a graded audit file: a reply equals the oracle `right` or is wrong; unnamed replies are `wrong`."""
    connection = open_file(path, create=True)
    with transaction(connection):
        catalog = Catalog(connection)
        catalog.add_study(Study("demo", policy="bytes", envelope="none", codebook=codebook), replace=False)
        ensure_codebook(connection, find_codebook(codebook))
        for name in settings:
            catalog.add_setting(Setting(name, model=name, mode="plain"))
        ids = [catalog.settings[name] for name in settings]
        rows: list[NewRow] = []
        grades = []
        for case in range(cases):
            for arm in arms:
                task = Task(
                    "demo", f"case-{case}", arm, "python", source_of(case), "", "output", "right", facets={"size": case}
                )
                catalog.add_task(task, "program", replace=False)
                for name, setting_id in zip(settings, ids, strict=True):
                    reply = (replies or {}).get((case, arm, name), "wrong")
                    task_id = catalog.tasks[task.key].id
                    content = response_hash(reply, None, "stop", None)
                    rows.append((task_id, setting_id, 0, content, "stop", to_storage(reply)))
                    grades.append((ResponseKey("demo", f"case-{case}", arm, name, 0), _grade(reply)))
        insert_responses(connection, rows, replace=False)
        catalog.plan([("demo", arm, name, 1, False) for arm in arms for name in settings])
        put_grades(connection, [(find_response(connection, key) or 0, "bytes", grade) for key, grade in grades])
    connection.close()
    return path


def _grade(reply: str | None) -> Grade:
    if reply is None:
        return Grade(Status.NO_RESPONSE, "none", None, Finding("no_response", "There is no reply."))
    if reply == "right":
        return Grade(Status.CORRECT_VALID, "reply", reply, Finding("correct", "The reply is the oracle."))
    return Grade(Status.WRONG_VALID, "reply", reply, Finding("wrong_value", "Nothing more specific holds."))
