"""Which codebook a command uses: the one it names, or the one that the studies at hand declare."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Sequence
from pathlib import Path

from auditor.codebook import Codebook, find_codebook, known_codebooks
from auditor.errors import InputError
from auditor.store.annotators import codebook_names, find_codebook_in_file
from auditor.store.subject_rows import codebooks_of_subjects
from auditor.text import from_storage, visible_line

_IDS_A_QUERY = 5_000


def named_codebook(connection: sqlite3.Connection, name: str) -> Codebook:
    """Return the codebook of this name: as the audit file holds it, else a bundled one; a path is read anew."""
    if not Path(name).is_file():
        stored = find_codebook_in_file(connection, name)
        if stored is not None:
            return stored.codebook
    return find_codebook(name)


def codebook_in_use(connection: sqlite3.Connection, name: str | None) -> Codebook:
    """Return the codebook of this name as the audit file holds it, or the only one that somebody worked under.

    Where nobody has done anything yet, it is the only one for answers: those under which people are to judge programs
    and probes do not stand in its way. Raises InputError when the file does not hold it, and when there are several
    and none is named.
    """
    from auditor.store.tag_records import used_codebooks

    held = codebook_names(connection)
    of_subjects = codebooks_of_subjects(connection)
    candidates = [name] if name is not None else used_codebooks(connection)
    candidates = candidates or [one for one in held if one not in of_subjects] or held
    shown = ", ".join(visible_line(one, 60) for one in held) or "none"
    if len(candidates) != 1:
        raise InputError(f"the file holds {len(held)} codebooks ({shown}).", hint="Choose one with --codebook.")
    stored = find_codebook_in_file(connection, candidates[0])
    if stored is None:
        raise InputError(f"the file holds no codebook {visible_line(candidates[0], 60)!r}.", hint=f"It holds: {shown}.")
    return stored.codebook


def codebook_at_hand(connection: sqlite3.Connection, name: str | None) -> Codebook:
    """Return the named codebook, or else the only one in use, or else the only one that the studies declare.

    Raises InputError when there is no such codebook, or several and none is named.
    """
    from auditor.store.tag_records import used_codebooks

    if name is not None:
        return named_codebook(connection, name)
    of_subjects = codebooks_of_subjects(connection)
    held = [one for one in codebook_names(connection) if one not in of_subjects]
    declared = sorted(declared_codebooks(connection) - of_subjects)
    if used_codebooks(connection) or held or len(declared) != 1:
        return codebook_in_use(connection, None)
    return named_codebook(connection, declared[0])


def is_installed(connection: sqlite3.Connection, name: str) -> bool:
    """Say whether a codebook comes with the program or a package just as the audit file holds it."""
    stored = find_codebook_in_file(connection, name)
    if stored is None or name not in known_codebooks():
        return False
    try:
        return find_codebook(name) == stored.codebook
    except InputError:  # a package that is broken here offers nothing
        return False


def codebook_for_queue(connection: sqlite3.Connection, response_ids: Sequence[int], name: str | None) -> Codebook:
    """Return the named codebook, or the one that the studies of these responses share.

    Raises InputError when the studies declare different ones and none is named.
    """
    if name is not None:
        return named_codebook(connection, name)
    declared: set[str] = set()
    for at in range(0, len(response_ids), _IDS_A_QUERY):
        ids = response_ids[at : at + _IDS_A_QUERY]
        sql = (
            "SELECT DISTINCT s.codebook FROM responses r JOIN tasks t ON t.id = r.task_id"
            " JOIN cases c ON c.id = t.case_id JOIN studies s ON s.id = c.study_id"
            f" WHERE r.id IN ({', '.join('?' * len(ids))})"
        )
        declared |= {from_storage(codebook) or "" for (codebook,) in connection.execute(sql, ids)}
    return codebook_of_studies(connection, declared)


def declared_codebooks(connection: sqlite3.Connection) -> set[str]:
    """Return the names of the codebooks that the file's studies declare."""
    return {from_storage(name) or "" for (name,) in connection.execute("SELECT DISTINCT codebook FROM studies")}


def codebook_of_studies(connection: sqlite3.Connection, declared: Collection[str]) -> Codebook:
    """Return the one codebook that some studies declare; raises InputError when they declare several."""
    if len(declared) > 1:
        names = ", ".join(visible_line(codebook) for codebook in sorted(declared))
        raise InputError(
            f"the items belong to studies with different codebooks ({names}).",
            hint="Choose one with --codebook, or narrow the items with --where study:NAME.",
        )
    (name,) = declared
    return named_codebook(connection, name)
