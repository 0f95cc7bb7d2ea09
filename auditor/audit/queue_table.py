"""The queue as a table, for screen and command line: columns, rows by window, saved filters, going to an id."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

from auditor.audit.blindness import why_not_filtered
from auditor.audit.filter_completion import MOST, Completion, complete_filter
from auditor.audit.review_answers import BOOKMARK, as_counted
from auditor.errors import InputError
from auditor.model import ResponseKey, ReviewState, join_key, split_key
from auditor.store.annotators import find_annotator, find_codebook_in_file, last_codebook
from auditor.store.expr import And, Match, parse, unparse
from auditor.store.file import limit_cache, open_file, open_for_reading, transaction, translate
from auditor.store.filter import ORDERS, Vocabulary
from auditor.store.history import Actor, load_view
from auditor.store.queue_cells import (
    NO_DIMENSIONS,
    Cell,
    cases_like,
    check_cells,
    load_cells,
    responses_of_case,
    several_valued,
)
from auditor.store.related import answers_to_task, equal_predictions
from auditor.store.responses import find_response
from auditor.store.reviews import ReviewView
from auditor.store.saved_filters import (
    SavedFilter,
    chosen_columns,
    delete_filter,
    keep_columns,
    put_filter,
    saved_filters,
)
from auditor.store.suggestions import hint_for_nothing
from auditor.text import has_invisible, visible_line

__all__ = [
    "DEFAULT_COLUMNS",
    "ORDERS",
    "OWN",
    "QueueTable",
    "TableRow",
    "find_filter",
    "forget_filter",
    "queue_actor",
    "remember_columns",
    "save_filter",
]

OWN = ("state", "tags", "first", "note", "bookmark", "memos")
"""Columns of the annotator's own work; all others are dimensions."""
DEFAULT_COLUMNS = ("state", "case", "arm", "setting", "sample", "loc", "mode.computed", "tags", "note")
"""Without those of arm, setting and sample of which the whole file has only one."""
_NO_REVIEW = ReviewView()
_NAME_LENGTH = 60
"""Characters of a saved filter's name, at the most."""


class TableRow(NamedTuple):
    """One response."""

    place: int
    """Place in the queue, from 0."""
    response_id: int
    review: ReviewView
    """The annotator's own; tags as what they count as."""
    cells: dict[str, Cell]
    """By column."""


class QueueTable:
    """Reads windows of the queue with a connection of its own. Every method may be called from any thread."""

    def __init__(
        self,
        path: Path,
        actor: Actor | None,
        *,
        hidden: frozenset[str] = frozenset(),
        unsaved: Callable[[int], ReviewView | None] = lambda response_id: None,
    ) -> None:
        """Without an actor nobody's work is shown. `unsaved` returns a review that is not in the file yet."""
        self.path = path
        self._actor = actor
        self._hidden = hidden
        self._unsaved = unsaved
        self._lock = threading.RLock()
        self._connection = open_for_reading(path)
        limit_cache(self._connection)
        self._vocabulary = Vocabulary(self._connection)
        several = several_valued(self._connection)
        usual = (name for name in DEFAULT_COLUMNS if several.get(name, True))
        self.columns = tuple(name for name in usual if name in OWN or not self._is_hidden(name))

    def close(self) -> None:
        """Let go of the file, and end what another thread still asks it."""
        # A connection that is closed under a query of another thread takes the whole program down.
        self._connection.interrupt()
        with self._lock:
            self._connection.close()

    def known(self) -> list[str]:
        """List the names that can be columns."""
        with self._lock:
            names = [*OWN, *(name for name in self._vocabulary.known() if name not in OWN), "loc", *NO_DIMENSIONS]
        return [name for name in dict.fromkeys(names) if name in OWN or not self._is_hidden(name)]

    def use_columns(self, names: Sequence[str]) -> None:
        """Show these columns. Raises InputError for what is none, or is hidden in this review."""
        wanted = tuple(dict.fromkeys(names))
        if not wanted:
            raise InputError("no column is named.", hint=f"The usual ones: {','.join(DEFAULT_COLUMNS)}.")
        dimensions = [name for name in wanted if name not in OWN]
        if (reason := why_not_filtered(self._hidden, _told_by(dimensions))) is not None:
            raise InputError(reason)
        with self._lock:
            check_cells(self._vocabulary, dimensions)
        self.columns = wanted

    def recall_columns(self, annotator: str, usual: Sequence[str] = ()) -> str:
        """Show the columns that an annotator chose before, as far as they are there and may be shown.

        `usual` are shown where nothing was chosen, without those that the review hides or that are an annotator's own
        where nobody's work is shown. Returns why they cannot be; empty when they can.
        """
        with suppress(InputError), self._lock:
            if chosen := chosen_columns(self._connection, annotator):
                self.use_columns(chosen)
                return ""
        return self.use_usual_columns(usual)

    def use_usual_columns(self, usual: Sequence[str]) -> str:
        """Show columns that somebody wants as a rule, as far as they may be shown; return why they cannot be."""
        names = [name for name in usual if (self._actor is not None if name in OWN else not self._is_hidden(name))]
        try:
            if names:
                self.use_columns(names)
        except InputError as error:
            return f"The setting queue_columns: {error}"
        return ""

    def rows(self, response_ids: Sequence[int], start: int = 0) -> list[TableRow]:
        """Read some responses that follow each other in the queue; `start` is the place of the first."""
        with self._lock:
            names = [name for name in self.columns if name not in OWN]
            found = load_cells(self._connection, self._vocabulary, names, list(response_ids))
            rows = []
            for place, response_id in enumerate(response_ids, start):
                review = self._review(response_id)
                own: dict[str, Cell] = {
                    "state": review.state.value,
                    "tags": ", ".join(review.tags) or None,
                    "first": review.first_cause or None,
                    "note": review.note or None,
                    "bookmark": BOOKMARK if review.bookmarked else None,
                    "memos": len(review.memos) or None,
                }
                cells = found.get(response_id, {})
                rows.append(TableRow(place, response_id, review, {name: (own | cells)[name] for name in self.columns}))
            return rows

    def key_of(self, response_id: int) -> dict[str, Cell]:
        """Return study, case, arm, setting and sample of a response."""
        with self._lock:
            names = ("study", "case", "arm", "setting", "sample")
            return load_cells(self._connection, self._vocabulary, names, [response_id])[response_id]

    def find(self, text: str) -> list[int]:
        """Return the responses that an id names: a whole item key, or a case's name; raises InputError for none."""
        with self._lock:
            parts = split_key(text) if "/" in text else []
            # In a blind review a whole key would tell which of the items has that setting.
            if len(parts) == 5 and parts[4].isascii() and parts[4].isdigit() and not self._is_hidden("setting"):
                study, case, arm, setting, sample = parts
                found = find_response(self._connection, ResponseKey(study, case, arm, setting, int(sample)))
                if found is not None:
                    return [found]
            of_case = responses_of_case(self._connection, text)
            if not of_case:
                raise InputError(
                    f"there is no item {visible_line(text, 60)!r}.",
                    hint="Write a case's name, a whole key as `tags list` prints it, or the place in the queue.",
                )
            return of_case

    def several_arms(self, response_ids: Sequence[int]) -> bool:
        """Say whether some responses are of more than one arm."""
        with self._lock:
            cells = load_cells(self._connection, self._vocabulary, ["arm"], list(response_ids))
        return len({one["arm"] for one in cells.values()}) > 1

    def item_key(self, response_id: int) -> str:
        """Return the key of an item, as `tags list` prints it."""
        return join_key([str(part) for part in self.key_of(response_id).values()])

    def filter_around(self, response_id: int, around: str) -> str:
        """Return the filter that leaves the `case` of an item, or its `task`."""
        names = ("study", "case", "arm")[: 2 if around == "case" else 3]
        key = self.key_of(response_id)
        return unparse(And(tuple(Match(name, (str(key[name]),)) for name in names)))

    def same_answers(self, response_id: int) -> list[int]:
        """Return the answers to an item's task that predict the same, itself among them; none without an answer."""
        with self._lock:
            _, answers = answers_to_task(self._connection, response_id)
            return equal_predictions(self._connection, answers).get(response_id, [])

    def reviews(self, response_ids: Sequence[int]) -> list[ReviewView]:
        """Read the annotator's own reviews of some items, tags as what they count as."""
        with self._lock:
            return [self._review(response_id) for response_id in response_ids]

    def all_bookmarked(self, response_ids: Sequence[int]) -> bool:
        """Say whether all of some items have a bookmark of the annotator."""
        with self._lock:
            return all(self._review(response_id).bookmarked for response_id in response_ids)

    def all_have(self, response_ids: Sequence[int], tag: str | None) -> bool:
        """Say whether all of some items carry a tag; without a tag, whether all are deferred."""
        with self._lock:
            reviews = map(self._review, response_ids)
            if tag is None:
                return all(review.state is ReviewState.DEFERRED for review in reviews)
            counted = self._actor.rules.counted(tag) if self._actor else tag
            return all(counted in review.tags for review in reviews)

    def complete(self, text: str) -> list[Completion]:
        """Return what the end of a filter that is being written can become."""
        with self._lock:
            names = [one.name for one in self._saved_filters()]
            return complete_filter(self._connection, text, names, self._hidden)

    def complete_id(self, text: str) -> list[Completion]:
        """Return the cases whose name a text that is being written can become; nothing when it is one already."""
        with self._lock:
            names = cases_like(self._connection, text, MOST) if text else []
            if text in names:
                return []
            return [Completion(0, name) for name in names if not has_invisible(name)]

    def hint_for_nothing(self, where: str) -> str | None:
        """Say why a filter leaves nothing, where that can be said."""
        with self._lock:
            return hint_for_nothing(self._connection, where)

    def saved_filter(self, name: str) -> SavedFilter:
        """Return the saved filter of a name; raises InputError when there is none."""
        with self._lock:
            return find_filter(self._saved_filters(), name)

    def save_filter(self, name: str, where: str, order: str) -> SavedFilter:
        """Save a filter under a name; raises InputError for a name that cannot be used."""
        return save_filter(self.path, name, where, order)

    def remember_columns(self, annotator: str) -> None:
        """Keep the columns for the next time."""
        remember_columns(self.path, annotator, self.columns)

    def _saved_filters(self) -> list[SavedFilter]:
        """List the saved filters; in a blind review only what it would not refuse, since names tell of others' work."""
        saved = saved_filters(self._connection)
        if not self._hidden:
            return saved
        vocabulary = Vocabulary(self._connection)
        usual = (one for one in saved if one.order in ("", "random", "import"))
        return [one for one in usual if not any(map(self._is_hidden, vocabulary.mentioned(parse(one.where))))]

    def _review(self, response_id: int) -> ReviewView:
        if self._actor is None:
            return _NO_REVIEW
        view = self._unsaved(response_id) or load_view(self._connection, self._actor, response_id)
        return as_counted(view, self._actor.rules)

    def _is_hidden(self, name: str) -> bool:
        return why_not_filtered(self._hidden, _told_by([name])) is not None


def _told_by(columns: Sequence[str]) -> list[str]:
    """Return the dimensions that some columns tell: an item's key tells those it is made of."""
    return [told for name in columns for told in ((name, "arm", "setting") if name == "item" else (name,))]


def queue_actor(connection: sqlite3.Connection, annotator: str | None) -> Actor | None:
    """Return whose work a table shows, under the codebook that they used last; None when they did nothing yet.

    Raises InputError for a name that the file does not know.
    """
    if annotator is None:
        return None
    annotator_id = find_annotator(connection, annotator)
    if annotator_id is None:
        raise InputError(
            f"the file knows no annotator {visible_line(annotator, 60)!r}.", hint="`auditor info` lists who is there."
        )
    name = last_codebook(connection, annotator_id)
    book = find_codebook_in_file(connection, name) if name is not None else None
    return Actor(annotator_id, book) if book is not None else None


def save_filter(path: Path, name: str, where: str, order: str = "") -> SavedFilter:
    """Save a filter under a name; raises InputError for a filter, an order or a name that cannot be used."""
    name = name.strip()
    if not name or visible_line(name, _NAME_LENGTH) != name or any(char.isspace() or char in '@"()' for char in name):
        raise InputError(
            f"{visible_line(name, 40)!r} cannot be the name of a filter.",
            hint=f"Use a word of at most {_NAME_LENGTH} characters without blanks, quotes, parentheses and @.",
        )
    if order and order not in ORDERS:
        raise InputError(f"there is no order {visible_line(order)!r}.", hint=f"Orders: {', '.join(ORDERS)}.")
    saved = SavedFilter(name, where, order)
    with closing(open_file(path)) as connection:
        try:
            Vocabulary(connection).condition(parse(where))
            with transaction(connection):
                put_filter(connection, saved)
        except sqlite3.Error as error:
            raise translate(error, path) from error
    return saved


def forget_filter(path: Path, name: str) -> None:
    """Delete a saved filter; raises InputError when there is none of that name."""
    with closing(open_file(path)) as connection:
        try:
            with transaction(connection):
                gone = delete_filter(connection, name)
        except sqlite3.Error as error:
            raise translate(error, path) from error
        if not gone:
            raise _no_filter(name, saved_filters(connection))


def find_filter(saved: Sequence[SavedFilter], name: str) -> SavedFilter:
    """Return the saved filter of a name; raises InputError when there is none."""
    for one in saved:
        if one.name == name:
            return one
    raise _no_filter(name, saved)


def remember_columns(path: Path, annotator: str, columns: Sequence[str]) -> None:
    """Keep the columns that an annotator chose, for the next time."""
    with closing(open_file(path)) as connection:
        try:
            with transaction(connection):
                keep_columns(connection, annotator, columns)
        except sqlite3.Error as error:
            raise translate(error, path) from error


def _no_filter(name: str, saved: Sequence[SavedFilter]) -> InputError:
    names = ", ".join(visible_line(one.name, 40) for one in saved[:20])
    return InputError(
        f"there is no saved filter {visible_line(name, 40)!r}.", hint=f"Saved: {names}." if names else "None is saved."
    )
