"""Share a review among people: whole clusters are drawn, so that each item has the same number of annotators.

Of all items of a filter, or of a sample of them, which is drawn first and is the same for all who have its clusters.
"""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from itertools import combinations
from pathlib import Path
from typing import Literal, NamedTuple

from auditor.audit.blindness import OTHERS_WORK
from auditor.audit.codebooks import codebook_for_queue
from auditor.errors import InputError
from auditor.formats.annotation_records import SampleDraw
from auditor.store.annotators import (
    StoredCodebook,
    codebook_names,
    ensure_annotator,
    find_annotator,
    find_codebook_in_file,
)
from auditor.store.assignments import (
    StoredAssignment,
    add_assignment,
    add_to_sample,
    assign_clusters,
    assigned_clusters,
    assigned_items,
    draw_sample,
    drop_assignment,
    find_assignment,
    items_by_cluster,
    keep_draw,
    sampled_responses,
)
from auditor.store.codebook_revisions import ensure_codebook
from auditor.store.expr import parse
from auditor.store.file import open_file, open_for_reading, shell_path, translate
from auditor.store.filter import Vocabulary
from auditor.store.selection import matching_responses
from auditor.text import from_storage, visible_line

_CHOOSE = "Choose one with --codebook."
When = Literal["new", "replace", "add"]
"""What is done about an assignment that is there: refuse, draw all anew, or draw only clusters that nobody has yet."""


class Share(NamedTuple):
    """What one person is to review."""

    annotator: str
    clusters: int
    items: int


class Pair(NamedTuple):
    """What two people are both to review."""

    first: str
    second: str
    clusters: int
    items: int


class Assignment(NamedTuple):
    """Who is to review what under a codebook."""

    codebook: str
    where: str
    overlap: int
    seed: int
    clusters: int
    items: int
    added: int
    """Clusters that this call drew."""
    take: int | None
    """Of a sample how many of each group it was to have; None = all items."""
    per: tuple[str, ...]
    """The dimensions that make the groups."""
    order: str | None
    """In which the sample was taken."""
    shares: list[Share]
    pairs: list[Pair]


def draw_shares(
    items: Mapping[int, int], people: Sequence[str], overlap: int, seed: int, given: Mapping[str, int] | None = None
) -> dict[int, tuple[str, ...]]:
    """Give each cluster to `overlap` people so that all have about as many items; `items` counts those of a cluster.

    Largest clusters first, each to those who have the fewest items so far (longest processing time first: Graham 1969);
    `given` says how many items people have already. Ties are decided by the seed.
    """
    chance = random.Random(seed)
    loads = {name: (given or {}).get(name, 0) for name in people}
    order = sorted(items)
    chance.shuffle(order)
    order.sort(key=lambda cluster: -items[cluster])
    drawn: dict[int, tuple[str, ...]] = {}
    for cluster in order:
        ties = {name: chance.random() for name in people}
        chosen = sorted(people, key=lambda name: (loads[name], ties[name]))[:overlap]
        for name in chosen:
            loads[name] += items[cluster]
        drawn[cluster] = tuple(sorted(chosen))
    return drawn


def assign(
    path: Path,
    people: Sequence[str],
    *,
    overlap: int | None = None,
    where: str = "status:wrong",
    seed: int = 0,
    draw: SampleDraw | None = None,
    codebook: str | None = None,
    when: When = "new",
    dry_run: bool = False,
) -> Assignment:
    """Draw who reviews what, keep it, and return it; a dry run keeps nothing.

    Without an `overlap` each item has one annotator, and of a sample, which `draw` is about, all of them. With `add`,
    filter, overlap, seed, order and groups are those of the assignment that is there, and a sample can only grow.
    Raises InputError when the people, the overlap, the sample or the filter are unusable, nothing is left to assign, or
    an assignment is there and `when` is `new`.
    """
    if overlap is None:
        overlap = 1 if draw is None else len(people)
    names = _checked(people, overlap)
    try:
        with closing(open_file(path)) as connection:  # which takes back what was not committed
            connection.execute("BEGIN IMMEDIATE")
            done = _assign(connection, path, names, overlap, where, seed, draw, codebook, when)
            connection.execute("ROLLBACK" if dry_run else "COMMIT")
            return done
    except sqlite3.Error as error:
        raise translate(error, path) from error


def _checked(people: Sequence[str], overlap: int) -> list[str]:
    names = [name.strip() for name in people]
    if not names or not all(names):
        raise InputError("who shall review?", hint="Name them as in: --annotators ana,ben,cem")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"{visible_line(twice, 60)!r} is named twice.")
    if overlap > len(names):
        raise InputError(
            f"each item cannot have {overlap} annotators: the people named are {len(names)}.",
            hint="Name more people, or take a smaller --overlap.",
        )
    return names


def _assign(
    connection: sqlite3.Connection,
    path: Path,
    names: list[str],
    overlap: int,
    where: str,
    seed: int,
    draw: SampleDraw | None,
    codebook: str | None,
    when: When,
) -> Assignment:
    ids = {name: ensure_annotator(connection, name) for name in names}
    kept: dict[int, tuple[str, ...]] = {}
    if when == "add":
        book, there = _standing(connection, path, codebook)
        overlap, where, seed = there.overlap, there.where, there.seed
        kept = _kept(connection, there, {row: name for name, row in ids.items()})
        draw = _larger(there, draw)
        row = there.id
    else:
        book = _codebook(connection, where, codebook, draw)
        row = _begin(connection, book, where, overlap, seed, replace=when == "replace")
    if draw is not None:
        keep_draw(connection, row, draw)
        add_to_sample(connection, row, draw_sample(connection, where, seed, draw, sampled_responses(connection, row)))
    items = items_by_cluster(connection, where, row if draw is not None else None)
    fresh = {cluster: count for cluster, count in items.items() if cluster not in kept}
    loads = {name: sum(items.get(cluster, 0) for cluster, who in kept.items() if name in who) for name in names}
    drawn = draw_shares(fresh, names, overlap, seed, loads)
    assign_clusters(connection, row, {cluster: [ids[name] for name in who] for cluster, who in drawn.items()})
    shares, pairs = _tables(items, kept | drawn, names)
    name, total = book.codebook.name, sum(items.values())
    take, per, order = draw or (None, (), None)
    return Assignment(name, where, overlap, seed, len(items), total, len(drawn), take, per, order, shares, pairs)


def _larger(there: StoredAssignment, draw: SampleDraw | None) -> SampleDraw | None:
    """Return how the items of an assignment are drawn from now on; raises InputError for a sample that would shrink."""
    if draw is None or there.draw is None:
        if draw is not None:
            raise InputError("the assignment that is there is no sample: it has all items of its filter.")
        return there.draw
    if draw.take < there.draw.take:
        raise InputError(
            f"the sample that is there was drawn with --take {there.draw.take}, and --add takes nothing away.",
            hint="Give a larger number, or draw everything anew with --replace.",
        )
    return there.draw._replace(take=draw.take)


def _codebook(
    connection: sqlite3.Connection, where: str, codebook: str | None, draw: SampleDraw | None
) -> StoredCodebook:
    asked = Vocabulary(connection).mentioned(parse(where)) | set(draw.per if draw else ())
    told = ["the order disagreement"] if draw and draw.order == "disagreement" else []
    told += sorted((OTHERS_WORK | {"assigned"}) & asked)
    if told:
        raise InputError(
            f"an assignment cannot depend on {told[0]}: items would leave it while they are reviewed.",
            hint="Choose the items by what they are, as in --where 'status:wrong arm:output'.",
        )
    items = matching_responses(connection, where)
    if not items:
        raise InputError(f"no response matches {visible_line(where)!r}, so there is nothing to assign.")
    return ensure_codebook(connection, codebook_for_queue(connection, items, codebook))


def _begin(
    connection: sqlite3.Connection, book: StoredCodebook, where: str, overlap: int, seed: int, *, replace: bool
) -> int:
    there = find_assignment(connection, book.id)
    if there is not None and not replace:
        raise InputError(
            f"there is an assignment under the codebook {visible_line(book.codebook.name)} since {there.made_at[:10]}.",
            hint="--add assigns what is new, --replace draws everything anew.",
        )
    if there is not None:
        drop_assignment(connection, there.id)
    return add_assignment(connection, book.id, where, overlap, seed)


def _standing(
    connection: sqlite3.Connection, path: Path, codebook: str | None
) -> tuple[StoredCodebook, StoredAssignment]:
    """Return the assignment that something is to be added to; raises InputError when there is none, or several."""
    books = [find_codebook_in_file(connection, name) for name in codebook_names(connection)]
    found = [(book, there) for book in books if book and (there := find_assignment(connection, book.id))]
    if codebook is not None:
        found = [(book, there) for book, there in found if book.codebook.name == codebook]
    if not found:
        raise InputError(
            "there is no assignment yet that something could be added to.",
            hint=f"Leave --add out: auditor assign {shell_path(path)} --annotators …",
        )
    if len(found) > 1:
        names = ", ".join(visible_line(book.codebook.name) for book, _ in found)
        raise InputError(f"there are assignments under several codebooks ({names}).", hint=_CHOOSE)
    return found[0]


def _kept(
    connection: sqlite3.Connection, there: StoredAssignment, people: Mapping[int, str]
) -> dict[int, tuple[str, ...]]:
    """Return who has which clusters already; raises InputError when that is not among the people named now."""
    kept = {}
    for cluster, annotators in assigned_clusters(connection, there.id).items():
        if not people.keys() >= set(annotators):
            raise InputError("--add needs the people of the assignment that is there.", hint="Name all of them again.")
        kept[cluster] = tuple(people[row] for row in annotators)
    return kept


def _tables(
    items: Mapping[int, int], drawn: Mapping[int, tuple[str, ...]], names: Sequence[str]
) -> tuple[list[Share], list[Pair]]:
    def of(*who: str) -> tuple[int, int]:
        clusters = [cluster for cluster, people in drawn.items() if cluster in items and set(who) <= set(people)]
        return len(clusters), sum(items[cluster] for cluster in clusters)

    shares = [Share(name, *of(name)) for name in names]
    return shares, [Pair(a, b, *of(a, b)) for a, b in combinations(names, 2)]


def own_items(path: Path, annotator: str, codebook: str | None, where: str = "") -> str:
    """Return the filter of what is assigned to a person, of which another filter leaves a part.

    Raises AuditorError when the file is unusable or nothing is assigned to them.
    """
    try:
        with closing(open_for_reading(path)) as connection:
            mine = assigned_filter(connection, annotator, codebook)
    except sqlite3.Error as error:
        raise translate(error, path) from error
    return part_of(mine, where)


def part_of(mine: str, where: str) -> str:
    """Return the filter of the part of what is assigned that another filter leaves."""
    return f"({where}) {mine}" if where.strip() else mine


def assigned_filter(connection: sqlite3.Connection, annotator: str, codebook: str | None) -> str:
    """Return the filter of what a person is to review; raises InputError when that is nothing."""
    who = find_annotator(connection, annotator)
    sql = (
        "SELECT DISTINCT b.name FROM assigned_clusters p JOIN assignments n ON n.id = p.assignment_id"
        " JOIN codebooks b ON b.id = n.codebook_id WHERE p.annotator_id = ?"
    )
    books = [from_storage(name) or "" for (name,) in connection.execute(sql, (who,))]
    several = len(books) > 1
    if codebook is not None:
        books = [name for name in books if name == codebook]
    if not books:
        raise InputError(
            f"nothing is assigned to {visible_line(annotator, 60)!r}.", hint="`auditor progress` says who has what."
        )
    if len(books) > 1:
        raise InputError(
            f"there are assignments under several codebooks ({', '.join(map(visible_line, books))}).",
            hint=_CHOOSE,
        )
    book = find_codebook_in_file(connection, books[0])
    there = None if book is None else find_assignment(connection, book.id)
    assert there is not None
    return assigned_items(there.where, annotator, books[0] if several else None)
