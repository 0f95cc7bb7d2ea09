"""`auditor subjects`: implementations and probes as items that experts judge."""

from __future__ import annotations

import shlex
from collections import Counter
from pathlib import Path

import click

from auditor.cli import options
from auditor.cli.output import print_json, print_table, print_text
from auditor.store.subject_rows import subject_filter
from auditor.store.tasks import Outcome
from auditor.text import visible_line


@click.command("subjects")
@options.audit_file
@click.option("--replace", is_flag=True, help="Take what changed since; the earlier item and its marks are kept aside.")
@options.as_json
def subjects_command(file: Path, replace: bool, as_json: bool) -> int:
    """Add every implementation and every probe of the problems in FILE as an item that experts judge.

    They stand in studies of their own, named after the one with the tasks, are reviewed under the codebooks
    core-implementations and core-probes, and count in no table of answers. Filters leave them out unless they speak of
    the target. Repeating the call adds what is new.

    \b
    auditor subjects audit.db
    auditor review audit.db --annotator ana --where 'target:subject study:core-probes'
    """
    from auditor.audit.subjects import add_subjects

    report = add_subjects(file, replace_changed=replace)
    kinds = {"implementations": report.implementations, "probes": report.probes}
    if as_json:
        counts = {kind: {one.value: found[one] for one in Outcome} for kind, found in kinds.items()}
        print_json({**counts, "studies": list(report.studies), "conflicts": list(report.conflicts)})
    else:
        print_table(["", "items", "new", "replaced", "changed"], [_row(kind, found) for kind, found in kinds.items()])
        for conflict in report.conflicts:
            print_text(f"Another one now, and left as it is: {visible_line(conflict, 120)}")
        if report.conflicts:
            print_text("With --replace these are taken, and the earlier items are set aside with their marks.")
        print_text("Everybody judges one study after the other:")
        for study in report.studies:
            command = ["auditor", "review", str(file), "--annotator", "NAME", "--where", subject_filter(study)]
            print_text(f"  {visible_line(' '.join(map(shlex.quote, command)))}", wrap=False)
    return int(bool(report.conflicts))


def _row(kind: str, found: Counter[Outcome]) -> list[str | int]:
    return [kind, found.total(), found[Outcome.NEW], found[Outcome.REPLACED], found[Outcome.CONFLICT]]
