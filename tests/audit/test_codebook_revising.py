"""Changes of a codebook in an audit file: identities stay, counts follow, and what needs another look is listed."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from auditor.audit.agree import ratings_from_audit
from auditor.audit.codebook_revising import (
    RevisionReport,
    export_codebook,
    import_codebook,
    list_outdated,
    outdated_words,
    revise_codebook,
    view_codebook,
)
from auditor.audit.inspect import info, verify
from auditor.audit.tags import import_tags, list_tags, put_tags
from auditor.audit.taxonomy import taxonomies
from auditor.codebook import Codebook, load_codebook
from auditor.codebook_changes import (
    Part,
    add_tag,
    define_tag,
    merge_tags,
    move_tag,
    rename_tag,
    restore_tag,
    retire_tag,
    set_group,
    set_key,
    split_tag,
)
from auditor.errors import InputError
from auditor.store.annotators import ensure_annotator, find_codebook_in_file
from auditor.store.file import now, open_file, transaction
from auditor.store.history import Actor, act, load_view, uuid7
from auditor.store.reviews import Intent, MarkFirst, MarkReviewed, SetNote, ToggleTag, Undo
from auditor.store.selection import matching_responses
from tests.builders import make_audit

ITEMS = 15
MINI = """name: mini
groups:
  - id: g
    name: group
tags:
  - {id: a, name: first, definition: d}
  - {id: b, name: second, definition: d, group: g}
  - {id: c, name: third, definition: d}
"""


class Desk:
    """One annotator at an audit file, always under the newest revision of the codebook."""

    def __init__(self, path: Path, annotator: str = "ana") -> None:
        self.path = path
        self.annotator = annotator

    def do(self, response_id: int, *intents: Intent) -> None:
        with closing(open_file(self.path)) as connection, transaction(connection):
            stored = find_codebook_in_file(connection, "mini")
            assert stored is not None
            actor = Actor(ensure_annotator(connection, self.annotator), stored)
            for intent in intents:
                act(connection, actor, response_id, intent, uuid=uuid7(), at=now())

    def tags(self, response_id: int) -> tuple[str, ...]:
        with closing(open_file(self.path)) as connection:
            stored = find_codebook_in_file(connection, "mini")
            assert stored is not None
            row = connection.execute("SELECT id FROM annotators WHERE name = ?", (self.annotator,)).fetchone()[0]
            return load_view(connection, Actor(row, stored), response_id).tags

    def stale(self) -> list[str]:
        """Return why this annotator's items need another look."""
        book, found = list_outdated(self.path, self.annotator)
        return [outdated_words(book, one) for one in found]


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an audit file of 16 responses that holds the codebook `mini` and no marks."""
    folder = tmp_path_factory.mktemp("template")
    path = make_audit(folder / "audit.db")
    (folder / "mini.yaml").write_text(MINI)
    import_codebook(path, folder / "mini.yaml")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE studies SET codebook = 'mini'")
        connection.execute("DELETE FROM codebook_revisions WHERE codebook_id = 1")
        connection.execute("DELETE FROM tags WHERE codebook_id = 1")
        connection.execute("DELETE FROM codebooks WHERE id = 1")
        connection.commit()
    return path


@pytest.fixture
def path(template: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(template, tmp_path / "audit.db"))


@pytest.fixture
def desk(path: Path) -> Desk:
    """Return an annotator who reviewed ten items as {a} and five as {a, b}."""
    ana = Desk(path)
    for item in range(1, ITEMS + 1):
        ana.do(item, ToggleTag("a"), *([ToggleTag("b")] if item > 10 else []), MarkReviewed())
    return ana


def counts(path: Path) -> dict[str, int]:
    """Count the items with each tag as the taxonomy does, and check that every other way gives the same."""
    with closing(open_file(path)) as connection:
        (taxonomy,) = taxonomies(connection)
        found = {
            s.tag.id: sum(use.items for _, use in s.uses) for s in taxonomy.tags if any(u.items for _, u in s.uses)
        }
        records = [record.tag for record in list_tags(connection) if record.tag is not None]
        assert {tag: records.count(tag) for tag in records} == found
        for tag, items in found.items():
            assert len(matching_responses(connection, f"tag:{tag}")) == items
    ratings = ratings_from_audit(path)
    assert {c: sum(c in tags for tags in _label_sets(path)) for c in found} == found
    assert set(found) <= set(ratings.categories)
    view = view_codebook(path)
    assert {tag.id: view.carried(tag.id).reviews for tag in view.codebook.tags if view.carried(tag.id).items} == found
    return found


def _label_sets(path: Path) -> list[frozenset[str]]:
    from auditor.store.ratings import rated_items

    with closing(open_file(path)) as connection:
        return rated_items(connection, "mini", ["ana"]).tags


def whole(path: Path) -> bool:
    return not [check for check in verify(path) if check.problems]


# --- one change after the other ------------------------------------------------------------------------------------


def test_a_renamed_tag_keeps_all_of_its_items(desk: Desk) -> None:
    report = revise_codebook(desk.path, lambda book: rename_tag(book, "a", "other words"))
    assert (report.revision, report.touched[0].items, report.touched[0].annotators) == (2, 15, ("ana",))
    assert counts(desk.path) == {"a": 15, "b": 5}
    assert view_codebook(desk.path).codebook.find_tag("other words").id == "a"
    assert desk.stale() == [] and whole(desk.path)


def test_a_tag_with_another_id_counts_its_earlier_items_too(desk: Desk) -> None:
    report = revise_codebook(desk.path, lambda book: rename_tag(book, "a", tag_id="alpha"))
    assert report.touched[0].items == 15
    assert counts(desk.path) == {"alpha": 15, "b": 5}
    desk.do(16, ToggleTag("alpha"), MarkReviewed())
    assert counts(desk.path) == {"alpha": 16, "b": 5}
    desk.do(1, ToggleTag("alpha"))
    assert (desk.tags(1), counts(desk.path)) == ((), {"alpha": 15, "b": 5})
    # The old id is nobody else's from now on.
    with pytest.raises(InputError, match="the tag alpha is there already"):
        revise_codebook(desk.path, lambda book: add_tag(book, "a", "new"))
    assert whole(desk.path)


def test_a_retired_tag_keeps_its_items_and_puts_them_on_the_list(desk: Desk) -> None:
    report = revise_codebook(desk.path, lambda book: retire_tag(book, "a"))
    assert (report.touched[0].items, report.outdated) == (15, 15)
    assert counts(desk.path) == {"a": 15, "b": 5}
    assert desk.stale() == ["a was retired"] * 15
    with pytest.raises(InputError, match="retired, and what was tagged with it keeps its meaning"):
        revise_codebook(desk.path, lambda book: add_tag(book, "a", "something else"))
    with pytest.raises(InputError, match="retired, and what was tagged"):
        revise_codebook(desk.path, lambda book: add_tag(book, "first", "something else", tag_id="a2"))
    revise_codebook(desk.path, lambda book: restore_tag(book, "a"))
    assert (desk.stale(), counts(desk.path)) == ([], {"a": 15, "b": 5})
    assert whole(desk.path)


def test_a_merge_counts_an_item_once_and_can_be_taken_back(desk: Desk) -> None:
    revise_codebook(desk.path, lambda book: merge_tags(book, "a", "b"))
    assert counts(desk.path) == {"b": 15}
    (work,) = info(desk.path).annotators
    assert work.tags == 15
    with closing(open_file(desk.path)) as connection:
        assert connection.execute("SELECT count(*), count(tag) FROM tag_overview").fetchone() == (15, 15)
    assert desk.stale() == ["a was merged into b"] * 15
    # What was put stays in the history, with its revision.
    with closing(open_file(desk.path)) as connection:
        sql = "SELECT count(*), max(revision) FROM events WHERE change LIKE '%\"a\"%'"
        assert connection.execute(sql).fetchone() == (15, 1)
    revise_codebook(desk.path, lambda book: restore_tag(book, "a"))
    assert (counts(desk.path), desk.stale()) == ({"a": 15, "b": 5}, [])
    assert whole(desk.path)


def test_after_a_merge_one_key_takes_both_tags_off_and_undo_brings_both_back(desk: Desk) -> None:
    revise_codebook(desk.path, lambda book: merge_tags(book, "a", "b"))
    desk.do(15, ToggleTag("b"))
    assert (desk.tags(15), counts(desk.path)) == ((), {"b": 14})
    desk.do(15, Undo())
    assert (desk.tags(15), counts(desk.path)) == (("a", "b"), {"b": 15})
    desk.do(15, Undo(), Undo(), Undo())
    assert desk.tags(15) == () and whole(desk.path)


def test_a_split_makes_a_list_from_which_an_item_goes_when_it_is_decided(desk: Desk) -> None:
    parts = [Part("left", "the left half"), Part("right", "the right half")]
    revise_codebook(desk.path, lambda book: split_tag(book, "a", parts))
    assert counts(desk.path) == {"a": 15, "b": 5}
    assert desk.stale() == ["a was split into left, right"] * 15
    desk.do(1, ToggleTag("left"))
    assert (desk.tags(1), len(desk.stale())) == (("left",), 14)
    desk.do(1, Undo())
    assert (desk.tags(1), len(desk.stale())) == (("a",), 15)
    desk.do(11, MarkReviewed())
    assert (desk.tags(11), len(desk.stale())) == (("a", "b"), 14)
    desk.do(11, Undo())
    assert len(desk.stale()) == 15
    assert whole(desk.path)


def test_a_note_decides_nothing(desk: Desk) -> None:
    revise_codebook(desk.path, lambda book: retire_tag(book, "a"))
    desk.do(1, SetNote("hm"))
    assert len(desk.stale()) == 15


def test_only_a_change_of_meaning_asks_for_another_look(desk: Desk) -> None:
    revise_codebook(desk.path, lambda book: define_tag(book, "b", definition="clearer", meaning=False))
    assert desk.stale() == []
    revise_codebook(desk.path, lambda book: define_tag(book, "b", definition="narrower", meaning=True))
    assert desk.stale() == ["b means something else now"] * 5
    revise_codebook(desk.path, lambda book: merge_tags(book, "a", "c", again=False))
    assert len(desk.stale()) == 5


def test_a_new_tag_can_ask_for_all_that_was_reviewed_without_it(desk: Desk) -> None:
    desk.do(16, ToggleTag("c"))  # begun, not reviewed
    revise_codebook(desk.path, lambda book: add_tag(book, "fourth", "d"))
    assert desk.stale() == []
    revise_codebook(desk.path, lambda book: add_tag(book, "fifth", "d", again=True))
    assert desk.stale() == ["fifth is new"] * 15
    desk.do(1, MarkReviewed())
    assert len(desk.stale()) == 14


def test_what_changes_nothing_is_refused_and_a_dry_run_changes_nothing(desk: Desk) -> None:
    with pytest.raises(InputError, match="so already"):
        revise_codebook(desk.path, lambda book: rename_tag(book, "a", "first"))
    report = revise_codebook(desk.path, lambda book: retire_tag(book, "a"), dry_run=True)
    assert (report.revision, report.outdated, report.touched[0].words) == (2, 15, "15 items of 1 annotator carry it")
    view = view_codebook(desk.path)
    assert (view.revision, view.outdated, len(view.codebook.active)) == (1, 0, 3)


def test_order_keys_and_groups(desk: Desk) -> None:
    def after(step: Callable[[Codebook], object]) -> Codebook:
        revise_codebook(desk.path, step)  # type: ignore[arg-type]  # each is a step
        return view_codebook(desk.path).codebook

    book = after(lambda book: move_tag(book, "c", 1))
    assert [tag.id for tag in book.active] == ["c", "a", "b"]
    assert [tag.key for tag in book.active] == ["3", "1", "2"]
    book = after(lambda book: set_key(book, "c", "1"))
    assert [tag.key for tag in book.active] == ["1", "3", "2"]
    book = after(lambda book: set_group(book, "a", "New group", exclusive=True))
    assert (book.find_tag("a").group, book.groups[1].exclusive) == ("new-group", True)
    book = after(lambda book: set_group(book, "b", None))
    assert [group.id for group in book.groups] == ["new-group"]
    assert counts(desk.path) == {"a": 15, "b": 5} and whole(desk.path)


def test_a_file_that_leaves_a_tag_out_retires_it_and_brings_it_back(desk: Desk, tmp_path: Path) -> None:
    shorter = tmp_path / "shorter.yaml"
    shorter.write_text(MINI.replace("  - {id: a, name: first, definition: d}\n", ""))
    assert import_codebook(desk.path, shorter).words == "the tag a retired"
    assert counts(desk.path) == {"a": 15, "b": 5} and len(desk.stale()) == 15
    full = tmp_path / "full.yaml"
    full.write_text(MINI)
    assert import_codebook(desk.path, full).words == "the tag a restored"
    assert desk.stale() == []


def test_a_file_that_gives_an_old_id_to_something_else_is_refused(desk: Desk, tmp_path: Path) -> None:
    revise_codebook(desk.path, lambda book: rename_tag(book, "a", tag_id="alpha"))
    old = tmp_path / "old.yaml"
    old.write_text(MINI)
    with pytest.raises(InputError, match="the tag a of this codebook is called alpha"):
        import_codebook(desk.path, old)
    assert view_codebook(desk.path).revision == 2


def test_tags_and_codebook_go_to_another_file_with_every_identity(desk: Desk, template: Path, tmp_path: Path) -> None:
    from auditor.audit.export import write_export

    put_tags(desk.path, "ana", "demo/case-3/state/model-b/0", ["c"])
    revise_codebook(desk.path, lambda book: rename_tag(book, "a", tag_id="alpha"))
    revise_codebook(desk.path, lambda book: retire_tag(book, "b"))
    revise_codebook(desk.path, lambda book: merge_tags(book, "c", "alpha"))
    book, rows = tmp_path / "mini.yaml", tmp_path / "tags.csv"
    book.write_text(export_codebook(desk.path))
    write_export(desk.path, "tags", rows)
    other = Path(shutil.copy(template, tmp_path / "other.db"))
    import_codebook(other, book)
    assert not import_tags(other, rows).refusals
    assert counts(other) == counts(desk.path) == {"alpha": 16, "b": 5}
    assert load_codebook(book) == view_codebook(other).codebook == view_codebook(desk.path).codebook
    # And back again changes nothing.
    assert import_tags(desk.path, rows).reviews == 0


def test_a_retired_tag_is_not_put_by_hand(desk: Desk) -> None:
    revise_codebook(desk.path, lambda book: merge_tags(book, "a", "b"))
    with pytest.raises(InputError, match="the tag a is retired; it counts as b"):
        put_tags(desk.path, "ana", "demo/case-3/state/model-b/0", ["a"])


def test_a_past_revision_can_be_looked_at_and_taken_up_again(desk: Desk, tmp_path: Path) -> None:
    revise_codebook(desk.path, lambda book: merge_tags(book, "a", "b"))
    past = tmp_path / "past.yaml"
    past.write_text(export_codebook(desk.path, revision=1))
    assert import_codebook(desk.path, past).revision == 3
    assert counts(desk.path) == {"a": 15, "b": 5}
    with pytest.raises(InputError, match=r"has no revision 9\. It has 1 to 3"):
        view_codebook(desk.path, revision=9)


def test_the_codebook_that_a_study_declares_is_changed_before_anybody_used_it(tmp_path: Path) -> None:
    path = make_audit(tmp_path / "audit.db", codebook="prex")
    report = revise_codebook(path, lambda book: rename_tag(book, "false-error", "cries wolf"))
    assert (report.codebook, report.revision) == ("prex", 2)


# --- any sequence of changes ---------------------------------------------------------------------------------------


@dataclass
class Mark:
    """What one key press added and took off, under which revision, and whether it was undone."""

    item: int
    add: set[int]
    remove: set[int]
    revision: int
    undone: bool = False


@dataclass
class Model:
    """What has to hold, worked out without codebooks, SQL or history: tags are numbers."""

    ids: dict[int, str] = field(default_factory=lambda: {0: "a", 1: "b", 2: "c"})
    retired: set[int] = field(default_factory=set)
    merged: dict[int, int] = field(default_factory=dict)
    split: dict[int, set[int]] = field(default_factory=dict)
    items: dict[int, set[int]] = field(default_factory=dict)
    marks: list[Mark] = field(default_factory=list)
    outdated: list[tuple[int, int, int]] = field(default_factory=list)
    """(tag, revision, the tag whose retirement did it or -1)."""
    revision: int = 1

    def root(self, tag: int) -> int:
        while tag in self.merged:
            tag = self.merged[tag]
        return tag

    def active(self) -> list[int]:
        return [tag for tag in self.ids if tag not in self.retired]

    def counting_as(self, tag: int) -> set[int]:
        return {one for one in self.ids if self.root(one) == tag}

    def replaced_by(self, tag: int) -> set[int]:
        """Return what a tag takes the place of: everything that counts as what was split into it."""
        return {one for one in self.ids if self.root(tag) in self.split.get(self.root(one), set())}

    def toggle(self, item: int, tag: int) -> None:
        on = self.items.setdefault(item, set())
        same = {one for one in on if self.root(one) == self.root(tag)}
        add, remove = (set(), same) if same else ({tag}, on & self.replaced_by(tag))
        self.marks.append(Mark(item, add, remove, self.revision))
        self.items[item] = on - remove | add

    def undo(self) -> None:
        mark = next((mark for mark in reversed(self.marks) if not mark.undone), None)
        if mark is not None:
            mark.undone = True
            on = self.items[mark.item]
            add = mark.remove - on
            excluded = {other for one in add for other in self.replaced_by(one)}
            self.items[mark.item] = on - mark.add - (excluded & on) | add

    def retire(self, tag: int) -> None:
        self.outdated += [(one, self.revision, tag) for one in self.counting_as(tag)]
        self.retired.add(tag)

    def restore(self, tag: int) -> None:
        self.retired.discard(tag)
        self.merged.pop(tag, None)
        self.split.pop(tag, None)
        # A tag that is in use again takes off the list what its own retirement put there, and that of what it was
        # merged into: from itself, and from what counts as it.
        gone = {revision for one, revision, cause in self.outdated if one == tag and cause >= 0}
        same = self.counting_as(tag)
        self.outdated = [
            (one, revision, cause)
            for one, revision, cause in self.outdated
            if cause < 0 or one not in same or revision not in gone
        ]

    def counts(self) -> dict[str, int]:
        roots = [{self.root(tag) for tag in on} for on in self.items.values()]
        found = {self.ids[tag]: sum(tag in on for on in roots) for tag in self.ids}
        return {tag: count for tag, count in found.items() if count}

    def stale_items(self) -> set[int]:
        stale = set()
        for item, on in self.items.items():
            judged = max((m.revision for m in self.marks if m.item == item and not m.undone), default=0)
            if any(tag in on and revision > judged for tag, revision, _ in self.outdated):
                stale.add(item)
        return stale


def _steps() -> st.SearchStrategy[list[tuple[str, int, int]]]:
    kinds = st.sampled_from(
        ["toggle", "toggle", "toggle", "undo", "rename", "id", "retire", "restore", "merge", "split", "meaning", "add"]
    )
    return st.lists(st.tuples(kinds, st.integers(0, 9), st.integers(1, 4)), min_size=4, max_size=16)


_MERGED_THEN_RETIRED = [("toggle", 0, 1), ("merge", 0, 1), ("retire", 0, 1), ("restore", 0, 1)]
_RENAMED_THEN_SPLIT = [("toggle", 2, 1), ("id", 2, 1), ("split", 2, 1), ("toggle", 0, 1)]
_MERGED_THEN_SPLIT = [("toggle", 0, 1), ("merge", 0, 1), ("split", 1, 1), ("toggle", 0, 1)]


@settings(max_examples=25, deadline=None)
@example(_MERGED_THEN_RETIRED)
@example(_RENAMED_THEN_SPLIT)
@example(_MERGED_THEN_SPLIT)
@given(_steps())
def test_any_changes_keep_identities_and_counts(template: Path, steps: list[tuple[str, int, int]]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(shutil.copy(template, Path(folder) / "audit.db"))
        desk, model = Desk(path), Model()
        for number, (kind, pick, item) in enumerate(steps):
            _take(desk, model, kind, pick, item, number)
        view = view_codebook(path)
        carried = {tag.id: view.carried(tag.id).items for tag in view.codebook.tags}
        assert {tag: items for tag, items in carried.items() if items} == model.counts()
        assert {tag.id for tag in view.codebook.active} == {model.ids[tag] for tag in model.active()}
        assert view.revision == model.revision
        if any(model.marks):
            with closing(open_file(path)) as connection:
                stale = set(matching_responses(connection, "stale:ana"))
            assert stale == model.stale_items()
            for one in {mark.item for mark in model.marks}:
                desk.do(one, MarkReviewed())
            if model.counts():
                assert counts(path) == model.counts()
        assert whole(path)


def _take(desk: Desk, model: Model, kind: str, pick: int, item: int, number: int) -> None:
    """Take one step, at the file and in the model; one that cannot be taken now is left out."""
    active = model.active()
    tag = active[pick % len(active)] if active else None
    if kind == "undo":
        if model.marks:
            desk.do(item, Undo())
            model.undo()
        return
    if kind == "restore":
        gone = sorted(model.retired)
        if gone:
            tag = gone[pick % len(gone)]
            model.revision = _revise(desk, lambda book: restore_tag(book, model.ids[tag or 0])).revision
            model.restore(tag)
        return
    if kind == "add":
        new = len(model.ids)
        model.revision = _revise(desk, lambda book: add_tag(book, f"name {number}", "d", tag_id=f"t{number}")).revision
        model.ids[new] = f"t{number}"
        return
    if tag is None:
        return
    id_ = model.ids[tag]
    others = [one for one in active if one != tag]
    if kind == "toggle":
        desk.do(item, ToggleTag(id_))
        model.toggle(item, tag)
    elif kind == "rename":
        model.revision = _revise(desk, lambda book: rename_tag(book, id_, f"called {number}")).revision
    elif kind == "id":
        model.revision = _revise(desk, lambda book: rename_tag(book, id_, tag_id=f"i{number}")).revision
        model.ids[tag] = f"i{number}"
    elif kind == "meaning":
        model.revision = _revise(
            desk, lambda book: define_tag(book, id_, definition=str(number), meaning=True)
        ).revision
        model.outdated += [(one, model.revision, -1) for one in model.counting_as(tag)]
    elif kind == "retire":
        model.revision = _revise(desk, lambda book: retire_tag(book, id_)).revision
        model.retire(tag)
    elif kind == "merge" and others:
        into = others[pick % len(others)]
        model.revision = _revise(desk, lambda book: merge_tags(book, id_, model.ids[into])).revision
        model.retire(tag)
        model.merged[tag] = into
    elif kind == "split" and others:
        part = others[pick % len(others)]
        parts = [Part(model.ids[part]), Part(f"part {number}", "d")]
        model.revision = _revise(desk, lambda book: split_tag(book, id_, parts)).revision
        model.retire(tag)
        new = len(model.ids)
        model.ids[new] = f"part-{number}"
        model.split[tag] = {part, new}


def _revise(desk: Desk, step: Callable[[Codebook], object]) -> RevisionReport:
    return revise_codebook(desk.path, step)  # type: ignore[arg-type]  # each is a step


# --- first causes --------------------------------------------------------------------------------------------------


def first_causes(path: Path) -> dict[str, int]:
    """Count first causes by tag in the list of tags, and check that the taxonomy gives the same."""
    with closing(open_file(path)) as connection:
        listed = [record.tag for record in list_tags(connection) if record.first_cause]
        (taxonomy,) = taxonomies(connection)
    found = {tag: listed.count(tag) for tag in listed if tag is not None}
    assert {s.tag.id: use.first for s in taxonomy.tags for _, use in s.uses if use.first} == found
    assert not [problem for check in verify(path) for problem in check.problems]
    return found


def test_a_merge_moves_the_first_causes_and_an_item_has_one_of_them(path: Path, desk: Desk) -> None:
    for item in (1, 2, 11):
        desk.do(item, MarkFirst("a"))
    desk.do(12, MarkFirst("b"))
    report = revise_codebook(path, lambda book: merge_tags(book, "a", "b"))
    assert "on 3 of them as the first cause" in report.touched[0].words
    assert first_causes(path) == {"b": 4}
    desk.do(11, ToggleTag("b"))  # takes off both, which count as one
    assert first_causes(path) == {"b": 3}
    desk.do(11, Undo())
    assert first_causes(path) == {"b": 4}
    revise_codebook(path, lambda book: restore_tag(book, "a"))
    assert first_causes(path) == {"a": 3, "b": 1}


def test_a_renamed_and_a_retired_tag_keep_their_first_causes(path: Path, desk: Desk) -> None:
    for item in (1, 11):
        desk.do(item, MarkFirst("a"))
    revise_codebook(path, lambda book: rename_tag(book, "a", tag_id="zero"))
    assert first_causes(path) == {"zero": 2}
    report = revise_codebook(path, lambda book: retire_tag(book, "zero"))
    assert report.touched[0].words == "15 items of 1 annotator carry it, on 2 of them as the first cause"
    assert first_causes(path) == {"zero": 2}


def test_deciding_a_split_tag_anew_leaves_no_first_cause_until_it_is_said(path: Path, desk: Desk) -> None:
    desk.do(1, MarkFirst("a"))
    revise_codebook(path, lambda book: split_tag(book, "a", [Part("lost", "d"), Part("doubled", "d")]))
    assert first_causes(path) == {"a": 1}
    desk.do(1, ToggleTag("lost"))
    assert desk.tags(1) == ("lost",) and first_causes(path) == {}
    desk.do(1, MarkFirst("lost"))
    assert first_causes(path) == {"lost": 1}
