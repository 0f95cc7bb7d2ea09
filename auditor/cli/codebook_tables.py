"""How codebooks, their changes and what these leave to be looked at are printed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from auditor.cli.output import print_json, print_table, print_text
from auditor.text import counted

if TYPE_CHECKING:
    from auditor.audit.codebook_revising import CodebookView, RevisionReport
    from auditor.codebook import Codebook, Tag
    from auditor.store.outdated import Outdated

_SHOWN_ROWS = 200


def print_change(report: RevisionReport, file: Path, *, dry_run: bool, as_json: bool) -> None:
    """Print what a change did or would do."""
    from auditor.store.file import shell_path

    if as_json:
        touched = [
            {"tag": one.tag, "items": one.items, "reviews": one.reviews, "annotators": list(one.annotators)}
            for one in report.touched
        ]
        print_json(
            {
                "codebook": report.codebook,
                "revision": report.revision,
                "action": report.action,
                "words": report.words,
                "dry_run": dry_run,
                "touched": touched,
                "stale": report.outdated,
            }
        )
        return
    print_text(f"{report.codebook} revision {report.revision}: {report.words}.")
    for one in report.touched:
        print_text(f"{one.tag}: {one.words}.")
    if report.outdated:
        needs = "needs" if report.outdated == 1 else "need"
        before = report.outdated_before
        than = "" if not before else ", as before" if before == report.outdated else f"; before it {before:,}"
        print_text(f"{counted(report.outdated, 'review')} {needs} another look under this revision{than}.")
        if not dry_run:
            print_text(f"List them with: auditor codebook stale {shell_path(file)}", wrap=False)
    if dry_run:
        print_text("Nothing was changed.")


def print_book(view: CodebookView, *, as_json: bool) -> None:
    """Print the tags of a codebook, who uses them, and its revisions."""
    book = view.codebook
    if as_json:
        print_json(
            {
                "codebook": book.name,
                "title": book.title,
                "revision": view.revision,
                "tags": [_tag_record(view, tag) for tag in book.tags],
                "revisions": [
                    {"revision": one.revision, "at": one.at, "action": one.action, "words": one.words}
                    for one in view.revisions
                ],
                "stale": view.outdated,
            }
        )
        return
    revision = f"revision {view.revision}" if view.revision else "not used in this file yet"
    print_text(f"{book.name}, {revision}" + ("" if book.title == book.name else f": {book.title}"))
    groups = {group.id: group.name for group in book.groups}
    rows: list[list[Any]] = []
    for tag in (*book.active, *(tag for tag in book.tags if tag.retired)):
        use = view.carried(tag.id)
        group = groups.get(tag.group or "")
        numbers = (use.items, use.reviews, len(use.annotators))
        rows.append([tag.key or None, tag.id, tag.name, group, *numbers, _state(tag)])
    columns = ["key", "tag", "name", "group", "items", "reviews", "annotators", "state"]
    if not any(tag.retired for tag in book.tags):
        columns, rows = columns[:-1], [row[:-1] for row in rows]
    print_table(columns, rows)
    changes = [[one.revision, one.at[:16].replace("T", " "), one.words or "-"] for one in view.revisions]
    if len(changes) > 1:
        print_text()
        print_table(["revision", "at", "changed"], changes)
    if view.outdated:
        print_text(f"\n{counted(view.outdated, 'review')} to look at again: `auditor codebook stale` lists them.")


def _tag_record(view: CodebookView, tag: Tag) -> dict[str, Any]:
    use = view.carried(tag.id)
    return {
        "id": tag.id,
        "name": tag.name,
        "key": tag.key or None,
        "group": tag.group,
        "exclusive": tag.exclusive,
        "definition": tag.definition,
        "decision_rule": tag.decision_rule,
        "example": tag.example,
        "formerly": list(tag.formerly),
        "computed": list(tag.computed),
        "retired": tag.retired,
        "merged_into": tag.merged_into,
        "split_into": list(tag.split_into),
        "items": use.items,
        "reviews": use.reviews,
        "annotators": list(use.annotators),
    }


def _state(tag: Tag) -> str:
    if tag.merged_into is not None:
        return f"merged into {tag.merged_into}"
    if tag.split_into:
        return f"split into {', '.join(tag.split_into)}"
    return "retired" if tag.retired else "in use"


def print_outdated(book: Codebook, found: Sequence[Outdated], *, as_json: bool) -> None:
    """Print whose work on which items needs another look, and why."""
    from auditor.audit.codebook_revising import outdated_words

    if as_json:
        print_json(
            {"codebook": book.name, "stale": [one._asdict() | {"why": outdated_words(book, one)} for one in found]}
        )
        return
    if not found:
        print_text("Nothing needs another look.")
        return
    rows = [[one.item, one.annotator, outdated_words(book, one), one.judged, one.revision] for one in found]
    columns = ["item", "annotator", "why", "judged under", "changed in"]
    print_table(columns, rows[:_SHOWN_ROWS], folds={"item": "/"})
    if len(rows) > _SHOWN_ROWS:
        print_text(f"… and {len(rows) - _SHOWN_ROWS:,} more: --json gives all.")
