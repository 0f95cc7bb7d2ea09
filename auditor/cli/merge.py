"""`auditor merge`: bring in what people said in other audit files, or in annotations bundles."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auditor.cli import options
from auditor.cli.output import Progress, print_json, print_table, print_text, say
from auditor.cli.tags import given_text
from auditor.model import FIRST
from auditor.text import counted, visible_line

if TYPE_CHECKING:
    from auditor.audit.merge import JoinReport
    from auditor.store.changes import ReviewView

_SHOWN = 20
_NOTE_SHOWN = 30
"""Characters of a note in a row; --json has all of it."""


@click.command("merge")
@options.audit_file
@click.argument("others", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="OTHER...")
@click.option(
    "--same",
    metavar="NAME",
    multiple=True,
    callback=given_text,
    help="The annotator of this name is one person in all files; repeat for several.",
)
@click.option(
    "--rename",
    "renames",
    metavar="OTHER:NAME=NEW",
    multiple=True,
    callback=given_text,
    help="OTHER's NAME is somebody else and is called NEW here; OTHER: may be left out where there is only one.",
)
@click.option("--dry-run", is_flag=True, help="Say what would happen and change nothing.")
@options.as_json
@options.quiet
def merge_command(
    file: Path,
    others: tuple[Path, ...],
    same: tuple[str, ...],
    renames: tuple[str, ...],
    dry_run: bool,
    as_json: bool,
    quiet: bool,
) -> int:
    """Bring what people said in each OTHER, an audit file or an annotations bundle, into FILE: all of it or nothing.

    OTHER is only read. Merging again brings nothing new, and the order of files does not matter. Where one person went
    on with an item in both, the last word on each tag, note and state counts, and the item is listed. What is about
    cases that FILE does not have, or has with other contents, is listed and left out (exit code 1): import them first.

    \b
    auditor merge audit.db laptop.db --dry-run
    auditor merge audit.db laptop.db
    auditor merge audit.db bens.db --rename bens.db:ana=anna
    """
    from auditor.audit.merge import MergeOptions, merge, parse_rename

    named = [parse_rename(text, [str(other) for other in others]) for text in renames]
    with Progress(quiet or as_json) as progress:
        report = merge(file, others, MergeOptions(same, tuple(named), dry_run), progress)
    if as_json:
        print_json({"dry_run": dry_run, **report_json(report)})
    else:
        print_report(report, dry_run)
    return 1 if report.unjoined else 0


def report_json(report: JoinReport) -> dict[str, Any]:
    """Return what a merge did as a JSON value."""
    return {
        "events": report.events,
        "known": report.known,
        "annotators": [
            {"other": a.source, "name": a.name, "becomes": a.becomes, "kind": a.kind, "events": a.events, "new": a.new}
            for a in report.annotators
        ],
        "codebooks": [
            {"codebook": b.name, "revisions": b.revisions, "newest": b.newest, "joined": b.joined}
            for b in report.codebooks
        ],
        "conflicts": [
            {
                "other": c.source,
                "item": c.item,
                "annotator": c.annotator,
                "codebook": c.codebook,
                "here": _view_json(c.here),
                "there": _view_json(c.there),
                "result": _view_json(c.result),
            }
            for c in report.conflicts
        ],
        "decisions": [
            {
                "item": d.item,
                "codebook": d.codebook,
                "tag": d.tag,
                "decided": [{"annotator": who, "verdict": verdict, "at": at} for who, verdict, at in d.verdicts],
            }
            for d in report.decisions
        ],
        "refused": [
            {"other": u.source, "item": u.item, "reason": u.reason, "events": u.events} for u in report.unjoined
        ],
        "on_replaced": report.on_replaced,
        "assignments": report.assignments,
        "notes": report.notes,
    }


def _view_json(view: ReviewView) -> dict[str, Any]:
    return {
        "state": view.state.value,
        "tags": list(view.tags),
        "first_cause": view.first_cause or None,
        "note": view.note,
        "bookmarked": view.bookmarked,
        "decided": [{"tag": r.tag, "verdict": r.verdict, "note": r.note} for r in view.rulings],
        "memos": [{"place": m.place, "number": m.number, "text": m.text} for m in view.memos],
        "probes": [
            {"probe": p.name, "question": p.question, "dimensions": list(p.dimensions), "withdrawn": p.withdrawn}
            for p in view.probes
        ],
    }


def print_report(report: JoinReport, dry_run: bool) -> None:
    """Print what a merge did, and list on the standard error what was left out."""
    if not report.changed:
        print_text("Nothing new." if any(report.known.values()) or not report.unjoined else "Nothing was brought in.")
    else:
        _print_new(report)
    _print_conflicts(report)
    _print_decisions(report)
    if report.on_replaced:
        print_text(
            f"Note: {counted(report.on_replaced, 'event')} on replies that were replaced here since: they are in the"
            " history and do not count."
        )
    for note in report.notes:
        print_text(f"Note: {note}")
    if dry_run:
        print_text("Dry run: nothing was changed.")
    if report.unjoined:
        lost = sum(one.events for one in report.unjoined)
        say(f"{counted(lost, 'event')} on {counted(len(report.unjoined), 'item')} left out:")
        for one in report.unjoined[:_SHOWN]:
            what = f"{one.reason} ({counted(one.events, 'event')})"
            say(f"  {visible_line(one.source)}: {visible_line(one.item)}: {what}.")
        if len(report.unjoined) > _SHOWN:
            say(f"  … and {len(report.unjoined) - _SHOWN:,} more items; --json lists all.")


def _print_new(report: JoinReport) -> None:
    known = sum(report.known.values())
    print_text(f"{counted(report.events, 'event')} new{f', {known:,} known' if known else ''}")
    rows: list[list[Any]] = []
    for one in report.annotators:
        called = one.becomes if one.becomes == one.name else f"{one.name} → {one.becomes}"
        rows.append([called, one.kind, one.source, one.events, "yes" if one.new else "no"])
    if rows:
        print_table(["annotator", "kind", "from", "events", "new here"], rows)
        print_text("new here: whether the file that is merged into had no annotator of this name until now.")
    for book in report.codebooks:
        joined = ", which holds the changes of both" if book.joined else ""
        print_text(
            f"The codebook {visible_line(book.name)} has {counted(book.revisions, 'new revision')};"
            f" the newest is {book.newest}{joined}."
        )


def _print_conflicts(report: JoinReport) -> None:
    if not report.conflicts:
        return
    went_on = "item" if len(report.conflicts) == 1 else "items"
    print_text(f"{len(report.conflicts):,} {went_on} on which somebody went on in both; the last word counts:")
    rows = [
        [c.item, c.annotator, _view_words(c.here), _view_words(c.there), _view_words(c.result)]
        for c in report.conflicts[:_SHOWN]
    ]
    print_table(["item", "annotator", "here", "there", "now"], rows, folds={"item": "/"})
    if len(report.conflicts) > _SHOWN:
        print_text(f"… and {len(report.conflicts) - _SHOWN:,} more; --json lists all.")


def _print_decisions(report: JoinReport) -> None:
    if not report.decisions:
        return
    print_text(f"{counted(len(report.decisions), 'tag')} of which two people decided differently; the latest holds:")
    rows = [
        [d.item, d.tag, "; ".join(f"{who}: {verdict}" for who, verdict, _ in d.verdicts), d.verdicts[-1][1]]
        for d in report.decisions[:_SHOWN]
    ]
    print_table(["item", "tag", "decided", "now"], rows, folds={"item": "/"})
    if len(report.decisions) > _SHOWN:
        print_text(f"… and {len(report.decisions) - _SHOWN:,} more; --json lists all.")


def _view_words(view: ReviewView) -> str:
    tags = ", ".join(f"{tag}{FIRST}" if tag == view.first_cause else tag for tag in view.tags) or "no tag"
    parts = [f"{view.state.value}: {tags}", f"note {_note_words(view.note)}" if view.note else ""]
    parts += [f"{one.tag} decided {one.verdict}" for one in view.rulings]
    parts += ["bookmark" if view.bookmarked else "", counted(len(view.memos), "memo") if view.memos else ""]
    parts += [counted(len(view.probes), "probe") if view.probes else ""]
    return "; ".join(filter(None, parts))


def _note_words(note: str) -> str:
    return repr(note) if len(note) <= _NOTE_SHOWN else f"{note[:_NOTE_SHOWN]!r}…"
