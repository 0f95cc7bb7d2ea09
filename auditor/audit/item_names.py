"""Items and codebooks by the names that a command or a row of a file gives them."""

from __future__ import annotations

import sqlite3

from auditor.audit.codebooks import named_codebook
from auditor.codebook import Codebook, known_codebooks
from auditor.errors import InputError
from auditor.formats.json_text import UnusableError
from auditor.formats.row_file import with_raw_bytes
from auditor.model import ResponseKey
from auditor.store.annotators import StoredCodebook, codebook_names
from auditor.store.codebook_revisions import ensure_codebook
from auditor.store.responses import find_response
from auditor.store.tasks import load_studies
from auditor.text import visible_line


class Books:
    """The codebook of each review: the one that a row names, that is named for all, or that the study declares."""

    def __init__(self, connection: sqlite3.Connection, named: str | None) -> None:
        """Raises InputError when there is no codebook of the name for all."""
        self.connection = connection
        self.given = named_codebook(connection, named) if named is not None else None
        self.declared = {study.name: study.codebook for study in load_studies(connection)}
        self._known: dict[str, StoredCodebook] = {}

    def of(self, key: ResponseKey, row_says: str | None) -> StoredCodebook:
        """Return the codebook of a review; raises UnusableError for one that is not known."""
        name = row_says or (self.given.name if self.given else self.declared[key.study])
        if name not in self._known:
            self._known[name] = ensure_codebook(self.connection, self._find(name, from_row=name == row_says))
        return self._known[name]

    def _find(self, name: str, *, from_row: bool) -> Codebook:
        if self.given is not None and name == self.given.name:
            return self.given
        known = sorted({*codebook_names(self.connection), *known_codebooks()})
        if from_row and name not in known:  # a row's word comes from data, which never makes us read a file
            names = ", ".join(visible_line(one, 60) for one in known)
            raise UnusableError(
                f"there is no codebook {visible_line(name, 60)!r}; known are {names}. Where it was used,"
                " `auditor export codebook FILE -o BOOK.yaml` writes it; here, --codebook BOOK.yaml brings it in."
            )
        try:
            return named_codebook(self.connection, name)
        except InputError as error:
            raise UnusableError(str(error)) from error


def find_item(connection: sqlite3.Connection, key: ResponseKey) -> tuple[int, ResponseKey]:
    """Return the row id of an item and its key with raw bytes where the file has them; raises UnusableError."""
    for reading in (key, with_raw_bytes(key)):
        if reading is not None and (found := find_response(connection, reading)) is not None:
            return found, reading
    raise UnusableError(f"there is no item {visible_line(str(key), 200)} in the audit file.")
