"""Which items at least two annotators reviewed, how each stands, and going through them as their adjudicator."""

from __future__ import annotations

import random
import sqlite3
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from auditor.audit.queue_ids import ReviewQueue
from auditor.audit.rulings import Case, make_case
from auditor.codebook import Codebook
from auditor.errors import InputError
from auditor.store.adjudicable import chosen_items
from auditor.store.annotators import StoredCodebook, require_annotators
from auditor.store.decisions import (
    OPEN,
    SINGLE,
    STALE,
    UNANIMOUS,
    Decision,
    Standing,
    item_states,
    load_standings,
)
from auditor.store.expr import parse
from auditor.store.file import limit_cache, now, open_for_reading, translate
from auditor.store.filter import Vocabulary
from auditor.store.history import Actor
from auditor.store.reviews import ReviewView
from auditor.store.suggestions import hint_for_nothing
from auditor.text import counted, visible_line

ORDERS = ("disagreement", "smallest", "random", "import")
"""Orders of the items; the first is the usual one: most tags that the annotators differ on first."""
NEEDING = (OPEN, STALE)
"""States of items that need a decision."""

Waiting = Callable[[int], Mapping[str, str]]
"""Returns the notes that wait for decisions on an item, by tag."""
Unsaved = Callable[[int], "ReviewView | None"]
"""Returns the adjudicator's work on an item that is not in the file yet; None where the file's is right."""


class AdjudicationWish(NamedTuple):
    """Which items to adjudicate, between whom."""

    where: str = ""
    order: str = ORDERS[0]
    seed: int = 0
    codebook: str | None = None
    """None = the only one that somebody worked under."""
    among: tuple[str, ...] | None = None
    """Whose reviews are compared; None = people's, in their first pass."""


class Overview(NamedTuple):
    """The items of a codebook, by how they stand."""

    codebook: str
    counts: Counter[str]
    """Items that the filter leaves, by state; `single` = one annotator reviewed it."""
    ids: list[int]
    """Those to go through, in order: what several reviewed, unanimous ones only where `decision` is filtered."""
    states: dict[int, tuple[str, int]]
    """How each item stands, and how many tags the annotators differ on."""


def overview(connection: sqlite3.Connection, book: StoredCodebook, wish: AdjudicationWish) -> Overview:
    """Find out how items stand. Raises InputError for an unknown annotator, order or filter."""
    if wish.order not in ORDERS:
        raise InputError(f"there is no order {visible_line(wish.order)!r} here.", hint=f"Orders: {', '.join(ORDERS)}.")
    require_annotators(connection, wish.among or ())
    states = item_states(connection, book.id, wish.among)
    chosen = chosen_items(connection, list(states), wish.where)
    counts = Counter(states[one][0] for one in chosen)
    speaks = "decision" in Vocabulary(connection).mentioned(parse(wish.where))
    kept = [one for one in chosen if (state := states[one][0]) != SINGLE and (speaks or state != UNANIMOUS)]
    if wish.order == "import":
        kept.sort()
    elif wish.order == "random":
        random.Random(wish.seed).shuffle(kept)
    elif wish.order == "disagreement":
        kept.sort(key=lambda one: -states[one][1])
    return Overview(book.codebook.name, counts, kept, states)


def why_nothing(found: Overview, where: str = "") -> str:
    """Say why there is nothing to adjudicate."""
    left = " that the filter leaves" if where else ""
    if found.counts[UNANIMOUS]:
        only = counted(found.counts[UNANIMOUS], "item")
        was = "was" if found.counts[UNANIMOUS] == 1 else "were"
        return f"there is nothing to adjudicate: all agree on the {only}{left} that {was} reviewed by several."
    if found.counts[SINGLE]:
        only, were = counted(found.counts[SINGLE], "item"), "was" if found.counts[SINGLE] == 1 else "were"
        return f"there is nothing to adjudicate: {only}{left} {were} reviewed, each by one annotator only."
    if found.states and where:
        return "there is nothing to adjudicate: nobody has reviewed an item that the filter leaves."
    return "there is nothing to adjudicate: nobody has reviewed anything under this codebook."


def something_to_adjudicate(connection: sqlite3.Connection, book: StoredCodebook, wish: AdjudicationWish) -> Overview:
    """Find out how items stand. Raises InputError when there is nothing to adjudicate, saying why."""
    found = overview(connection, book, wish)
    if not found.ids:
        hint = hint_for_nothing(connection, wish.where) if wish.where else None
        raise InputError(why_nothing(found, wish.where), hint=hint)
    return found


# --- one after the other -------------------------------------------------------------------------------------------


class Adjudication:
    """Goes through items as their adjudicator, with a connection of its own. Any thread may call every method."""

    def __init__(
        self,
        path: Path,
        annotator: str,
        actor: Callable[[], Actor],
        wish: AdjudicationWish,
        unsaved: Unsaved = lambda response_id: None,
        waiting: Waiting = lambda response_id: {},
        *,
        found: Overview | None = None,
    ) -> None:
        """Find the items, unless they are `found`. `actor` returns who decides, under the newest revision known.

        Raises InputError when there are no items, or the wish is unusable.
        """
        self.wish = wish
        self.annotator = annotator
        self.is_shuffled = False
        """Whether the annotators stand in another order on each item, so that their places do not tell who they are."""
        self._actor = actor
        self._unsaved = unsaved
        self._waiting = waiting
        self._lock = threading.Lock()
        self._connection = open_for_reading(path)
        try:
            limit_cache(self._connection)
            self.found = found or something_to_adjudicate(self._connection, actor().book, wish)
        except sqlite3.Error as error:
            self._connection.close()
            raise translate(error, path) from error
        except BaseException:
            self._connection.close()
            raise
        self.queue = ReviewQueue(self.found.ids, self.description)
        self._states = {row: self.found.states[row][0] for row in self.found.ids}

    @property
    def description(self) -> str:
        """Say in a few words which items these are."""
        among = f"{', '.join(self.wish.among)} · " if self.wish.among else ""
        return f"{among}{self.wish.where or 'adjudicate'} · {self.wish.order}"

    @property
    def book(self) -> Codebook:
        """Return the codebook that is decided under."""
        return self._actor().book.codebook

    def case(self, response_id: int) -> Case:
        """Read how an item stands now."""
        with self._lock:
            unsaved = self._unsaved(response_id)
            actor, among = self._actor(), self.wish.among
            without = None if unsaved is None else actor.annotator_id
            standing = load_standings(self._connection, actor.book.id, (response_id,), among, without)[response_id]
        if unsaved is not None:
            standing = _with_rulings(standing, unsaved, self.annotator, actor.book)
        if self.is_shuffled:
            voices = sorted(standing.voices, key=lambda voice: _lot(response_id, voice.annotator))
            standing = standing._replace(voices=tuple(voices))
        case = make_case(actor.book.codebook, response_id, standing, self._waiting(response_id))
        if response_id in self._states and case.state is not None:
            self._states[response_id] = case.state
        return case

    def counts(self) -> Counter[str]:
        """Count the items of the queue by state, as far as they were read."""
        return Counter(self._states.values())

    def next_needing(self, index: int) -> int | None:
        """Return the next item after an index that needs a decision, around the end; None where none does."""
        return self._find(chain(range(index + 1, len(self.queue)), range(index + 1)))

    def previous_needing(self, index: int) -> int | None:
        """Return the last item before an index that needs a decision, around the start; None where none does."""
        return self._find(chain(reversed(range(index)), reversed(range(index, len(self.queue)))))

    def _find(self, places: Iterable[int]) -> int | None:
        return next((place for place in places if self._states[self.queue[place]] in NEEDING), None)

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            self._connection.close()


def _lot(response_id: int, annotator: str) -> bytes:
    """Return what an annotator's place on an item is drawn by: the same whenever the item is shown."""
    return sha256(f"{response_id} {annotator}".encode("utf-8", "surrogatepass")).digest()


def _with_rulings(standing: Standing, view: ReviewView, adjudicator: str, book: StoredCodebook) -> Standing:
    """Return how an item stands once an adjudicator's unsaved rulings are in."""
    counts_as = book.codebook.counts_as
    rulings = (ruling._replace(tag=counts_as.get(ruling.tag, ruling.tag)) for ruling in view.rulings)
    own = {ruling.tag: Decision(ruling, adjudicator, now(), book.revision) for ruling in rulings}
    return standing._replace(decisions={**standing.decisions, **own})
