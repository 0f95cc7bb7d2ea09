"""Hold a search for items where a test wants it: what comes before the gate is known, the rest is on its way."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from auditor.audit import review
from auditor.store import selection
from auditor.store.selection import Piece, Search


class Gate:
    """Every search stops after so many items until the gate is opened; it can be cancelled meanwhile."""

    def __init__(self, patch: pytest.MonkeyPatch, after: int) -> None:
        self._opened = threading.Event()
        self.error: Exception | None = None
        """Raised in the search when the gate opens."""
        pieces, gate = Search.pieces, self

        def held(search: Search) -> Iterator[Piece]:
            found = 0
            for piece in pieces(search):
                yield piece
                found += len(piece.ids)
                while found >= after and not gate._opened.wait(0.002):
                    yield Piece((), piece.scanned, piece.total)
                if gate.error is not None and found >= after:
                    raise gate.error

        patch.setattr(Search, "pieces", held)
        # The first part of a small file in its own order is all of it.
        patch.setattr(selection, "_MOST_IN_A_PIECE", max(1, after))
        # A session of a small file waits until all is known, which it would do in vain.
        patch.setattr(review, "_SMALL_FILE", -1)

    def open(self) -> None:
        """Let all searches go on."""
        self._opened.set()
