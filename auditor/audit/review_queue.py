"""Which items a review goes through, and under which codebook; why there are none."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from auditor.audit.blindness import order_and_seed, why_not_begun
from auditor.audit.codebooks import codebook_for_queue
from auditor.codebook import Codebook
from auditor.errors import InputError
from auditor.store.expr import parse
from auditor.store.file import open_for_reading, shell_path, translate
from auditor.store.filter import Vocabulary, matching_responses
from auditor.store.suggestions import hint_for_nothing
from auditor.text import visible_line


def check_review(
    path: Path,
    *,
    codebook: str | None = None,
    where: str = "status:wrong",
    order: str | None = None,
    take: int | None = None,
    per: Sequence[str] = (),
    blind: bool = False,
) -> int:
    """Return how many items a review would have, and change nothing; raises AuditorError as opening it would."""
    try:
        with closing(open_for_reading(path)) as connection:
            chosen, seed = order_and_seed(order, 0, "", blind=blind)
            return len(review_queue(connection, path, codebook, where, chosen, seed, take, per, blind=blind)[0])
    except sqlite3.Error as error:
        raise translate(error, path) from error


def review_queue(
    connection: sqlite3.Connection,
    path: Path,
    codebook: str | None,
    where: str,
    order: str,
    seed: int,
    take: int | None,
    per: Sequence[str],
    *,
    blind: bool = False,
) -> tuple[list[int], Codebook]:
    """Return the items to review, and the codebook to review them under.

    Raises InputError when the filter, the order, the groups or the codebook are unusable, or nothing is left, and when
    filter or order would tell in a blind review what that hides.
    """
    if per and take is None:
        raise InputError("--per makes groups for --take, which is not given.", hint="Add e.g. --take 2.")
    if blind:
        refuse_telling(connection, where, order)
    ids = matching_responses(connection, where, order, seed=seed, take=take, per=per, notes=not blind)
    if not ids:
        raise _nothing_to_review(connection, path, where)
    return ids, codebook_for_queue(connection, ids, codebook)


def refuse_telling(connection: sqlite3.Connection, where: str, order: str) -> None:
    """Raise InputError when a filter or an order would tell in a blind review what that hides."""
    reason = why_not_begun(Vocabulary(connection).mentioned(parse(where)), order)
    if reason is not None:
        raise InputError(reason[0], hint=reason[1])


def _nothing_to_review(connection: sqlite3.Connection, path: Path, where: str) -> InputError:
    """Say why a queue is empty, and what to do."""
    file = shell_path(path)
    (responses,) = connection.execute("SELECT count(*) FROM responses WHERE superseded_at IS NULL").fetchone()
    (grades,) = connection.execute("SELECT count(*) FROM grades").fetchone()
    if not responses:
        hint = f"Bring some in with: auditor import {file} PATH…"
        return InputError("there are no responses in this file yet.", hint=hint)
    if not grades:
        hint = f"Grade them with: auditor grade {file}"
        return InputError("no response in this file has been graded yet.", hint=hint)
    return InputError(
        f"no response matches {visible_line(where)!r}, so there is nothing to review.",
        hint=hint_for_nothing(connection, where),
    )
