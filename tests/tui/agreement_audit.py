"""An audit file with what several annotators said of the same items, put there at once."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from auditor.codebook import find_codebook, load_codebook
from auditor.model import AnnotatorKind
from auditor.store.annotators import ensure_annotator
from auditor.store.codebook_revisions import ensure_codebook
from auditor.store.file import now, open_file, transaction
from auditor.store.history import Actor, act, uuid7
from auditor.store.reviews import Defer, NothingToTag, PutTags
from tests.builders import make_audit

Said = Mapping[str, Callable[[int], "Sequence[str] | None"]]
"""By annotator the tags of the nth item; None = deferred."""

ROUND = ("arithmetic", "state-transition", "control-flow", "copying", "other")


def of_ana(item: int) -> Sequence[str] | None:
    """Every tag in turn, and now and then two or none."""
    if item % 11 == 10:
        return None
    return () if item % 13 == 12 else (ROUND[item % 5], *(("truncated",) if item % 17 == 0 else ()))


def of_ben(item: int) -> Sequence[str] | None:
    """The same, but for control flow, which is often state transition, and what comes every seventh time."""
    tags = of_ana(item) or ()
    if item % 7 == 3:
        return ("other",)
    return ["state-transition" if tag == "control-flow" and item % 3 else tag for tag in tags]


def of_judge(item: int) -> Sequence[str] | None:
    """One tag for everything, on the first half."""
    return ("state-transition",) if item < 30 else None


USUAL: Said = {"ana": of_ana, "ben": of_ben, "judge": of_judge}


def agreed_audit(path: Path, said: Said = USUAL, *, cases: int = 30, codebook: str = "execution") -> Path:
    """Make a file in which these annotators reviewed or deferred every item; `judge` is a model."""
    make_audit(path, cases=cases, settings=("model-a",))
    book = load_codebook(Path(codebook)) if codebook.endswith(".yaml") else find_codebook(codebook)
    connection = open_file(path)
    with transaction(connection):
        stored = ensure_codebook(connection, book)
        for name, tags_of in said.items():
            kind = AnnotatorKind.MODEL if name == "judge" else AnnotatorKind.PERSON
            put_all(connection, Actor(ensure_annotator(connection, name, kind), stored), tags_of)
    connection.close()
    return path


def put_all(connection: sqlite3.Connection, who: Actor, tags_of: Callable[[int], Sequence[str] | None]) -> None:
    """Let an annotator review or defer every item of the file."""
    for number, (row,) in enumerate(connection.execute("SELECT id FROM responses ORDER BY id").fetchall()):
        tags = tags_of(number)
        intent = Defer() if tags is None else PutTags(tuple(tags)) if tags else NothingToTag()
        act(connection, who, row, intent, uuid=uuid7(), at=now(), origin="import")
