"""`auditor info` and `auditor verify`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from auditor.cli import options
from auditor.cli.output import print_json, print_table, print_text


@click.command("info")
@options.audit_file
@options.as_json
def info_command(file: Path, as_json: bool) -> int:
    """Show what is in FILE: studies, responses, annotators, codebooks.

    \b
    auditor info audit.db
    """
    from auditor.audit.inspect import info

    found = info(file)
    if as_json:
        print_json(asdict(found))
        return 0
    print_text(f"{found.path}: {found.bytes:,} bytes, file version {found.version}, made {found.created_at}")
    print_text()
    columns = ["study", "policy", "envelope", "codebook", "cases", "clusters", "tasks", "responses", "graded"]
    print_table(
        columns,
        [
            [s.name, s.policy, s.envelope, s.codebook, s.cases, s.clusters, s.tasks, s.responses, s.graded]
            for s in found.studies
        ],
    )
    if found.annotators:
        print_text()
        rows = [
            [
                a.name,
                a.kind,
                a.codebook,
                a.states["reviewed"],
                a.states["in-progress"],
                a.states["deferred"],
                a.tags,
                a.last_at,
            ]
            for a in found.annotators
        ]
        print_table(["annotator", "kind", "codebook", "reviewed", "begun", "deferred", "tags", "last at"], rows)
    books = ", ".join(f"{name} r{revision}" for name, revision in found.codebooks.items()) or "none"
    print_text(
        f"\n{len(found.settings):,} settings; codebooks: {books}; {found.events:,} events;"
        f" {found.superseded:,} superseded responses; {found.absent_cells:,} planned cells without a row"
    )
    return 0


@click.command("verify")
@options.audit_file
@options.as_json
def verify_command(file: Path, as_json: bool) -> int:
    """Check FILE: the database, its hashes, and that replaying the history gives the current tags (exit code 1 if not).

    \b
    auditor verify audit.db
    """
    from auditor.audit.inspect import verify

    checks = verify(file)
    failed = any(check.problems for check in checks)
    if as_json:
        print_json({"ok": not failed, "checks": [asdict(check) for check in checks]})
        return int(failed)
    for check in checks:
        print_text(f"{'NO ' if check.problems else 'ok '} {check.name} ({check.checked:,} checked)")
        for problem in check.problems:
            print_text(f"     {problem}")
    return int(failed)
