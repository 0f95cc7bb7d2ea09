"""An audit file with one of everything that is flagged."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

from auditor.audit.invalidate import set_validity
from auditor.codebook import find_codebook
from auditor.model import AnnotatorKind, Setting, Study, Task
from auditor.store.annotators import ensure_annotator
from auditor.store.catalog import Catalog
from auditor.store.codebook_revisions import ensure_codebook
from auditor.store.file import now, open_file, transaction
from auditor.store.history import Actor, act, uuid7
from auditor.store.responses import NewRow, insert_responses, response_hash
from auditor.store.reviews import NothingToTag, PutTags, Reveal
from tests.builders import make_audit, source_of


def flagged_audit(path: Path) -> Path:
    """Make a file with one of everything that is flagged."""
    replies: dict[tuple[int, str, str], str | None] = {
        (case, arm, "model-a"): "right" for case in (0, 1) for arm in ("output", "state")
    }
    replies |= {(case, "output", "model-b"): None for case in range(4)}
    make_audit(path, cases=24, replies=replies)
    with closing(open_file(path)) as connection, transaction(connection):
        rows = [row for (row,) in connection.execute("SELECT id FROM responses ORDER BY id")]
        execution, prex = (ensure_codebook(connection, find_codebook(name)) for name in ("execution", "prex"))
        ana, ben = (Actor(ensure_annotator(connection, name), execution) for name in ("ana", "ben"))
        judge = Actor(ensure_annotator(connection, "judge", AnnotatorKind.MODEL), execution)
        alone = Actor(ana.annotator_id, prex)
        act(connection, ana, rows[20], Reveal(), uuid=uuid7(), at=now(), blind=True)
        for row in rows[20:60]:
            tags = ("arithmetic", "copying") if row == rows[59] else ("arithmetic",)
            act(connection, ana, row, PutTags(tags), uuid=uuid7(), at=now())
        for row in rows[20:28]:
            said = PutTags(("arithmetic",)) if row % 2 else NothingToTag()
            act(connection, ben, row, said, uuid=uuid7(), at=now())
            act(connection, judge, row, PutTags(("copying",)), uuid=uuid7(), at=now())
        act(connection, alone, rows[30], NothingToTag(), uuid=uuid7(), at=now())
        _replace(connection_rows := Catalog(connection), 9)
        _new_study(connection_rows)
    set_validity(path, "ana", "case:case-20 arm:state", "the prompt was cut")
    return path


def _replace(catalog: Catalog, case: int) -> None:
    """Give one task another oracle, and another one another source with a new reply."""
    task = Task(
        "demo", f"case-{case}", "output", "python", source_of(case), "", "output", "other", facets={"size": case}
    )
    catalog.add_task(task, "program", replace=True)
    shown = replace(task, arm="state", source=source_of(case) + "\n", oracle="right")
    catalog.add_task(shown, "program", replace=True)
    row = (catalog.tasks[shown.key].id, catalog.settings["model-a"], 0)
    insert_responses(catalog.connection, [_reply(*row)], replace=False)


def _new_study(catalog: Catalog) -> None:
    """Add a study of 21 clusters, of which one has most responses."""
    catalog.add_study(Study("unequal", policy="bytes", envelope="none", codebook="execution"), replace=False)
    catalog.add_setting(Setting("model-a", model="model-a", mode="plain"))
    rows = []
    for case in range(60):
        source = source_of(min(case, 20))
        task = Task("unequal", f"case-{case}", "output", "python", source, "", "output", "right")
        catalog.add_task(task, "program", replace=False)
        rows.append(_reply(catalog.tasks[task.key].id, catalog.settings["model-a"], 0))
    insert_responses(catalog.connection, rows, replace=False)


def _reply(task: int, setting: int, sample: int) -> NewRow:
    return (task, setting, sample, response_hash("wrong", None, "stop", None), "stop", "wrong")
