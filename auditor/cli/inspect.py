"""`auditor info` and `auditor verify`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from auditor.cli import options
from auditor.cli.output import print_json, print_table, print_text
from auditor.errors import InputError
from auditor.model import join_key
from auditor.text import counted, visible_line

if TYPE_CHECKING:
    from auditor.audit.inspect import FileInfo

_SETTINGS_SHOWN = 20
_ABSENT_SHOWN = 10


@click.command("info")
@options.audit_file
@options.as_json
def info_command(file: Path, as_json: bool) -> int:
    """Show what is in FILE: studies, responses, annotators, codebooks.

    With --json also the figures of the overview: accuracy, computed modes, tags, progress, what is doubtful.

    \b
    auditor info audit.db
    """
    from auditor.audit.inspect import info

    found = info(file, -1 if as_json else _ABSENT_SHOWN + 1)
    if as_json:
        from auditor.audit.overview import overview_json, read_overview

        print_json(asdict(found) | {"overview": overview_json(read_overview(file))})
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
                a.last_at and f"{a.last_at[:10]} {a.last_at[11:16]}",
            ]
            for a in found.annotators
        ]
        print_table(["annotator", "kind", "codebook", "reviewed", "begun", "deferred", "tags", "last at"], rows)
    print_text()
    _print_settings(found.settings)
    declared = dict.fromkeys(study.codebook for study in found.studies)
    kept = [f"{name} (revision {revision})" for name, revision in found.codebooks.items()]
    print_text(f"Codebooks: declared {_listed(declared)}; in use {_listed(kept)}.")
    print_text(f"History: {counted(found.events, 'event')}; {counted(found.superseded, 'superseded response')}.")
    if found.subjects:
        told = f"{counted(found.subjects, 'item')} without an answer; target:subject leaves them."
        print_text(f"Programs and probes that people judge: {told}")
    if found.invalid:
        print_text(f"Invalid: {counted(found.invalid, 'response')}, left out of every count; invalid:yes leaves them.")
    if found.executed:
        counts = [found.executed.get(verdict, 0) for verdict in ("agrees", "disputed", "failed")]
        words = "{:,} tasks give their oracle, {:,} dispute it, {:,} fail or vary".format(*counts)
        print_text(f"Executed: {words}.")
    _say_waiting(found.waiting)
    _print_absent(found)
    return 0


def _say_waiting(files: Sequence[str]) -> None:
    if files:
        names = visible_line(", ".join(files), 400)
        print_text(f"Marks wait beside the file that are not in it yet ({names}).")
        print_text("Their annotator's next review brings them in, or ending the one that runs.")


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(visible_line, names)) or "none"


def _print_settings(settings: Sequence[str]) -> None:
    print_text(f"{counted(len(settings), 'setting')}{':' if settings else '.'}")
    for name in settings[:_SETTINGS_SHOWN]:
        print_text(f"  {visible_line(name)}")
    if len(settings) > _SETTINGS_SHOWN:
        print_text(f"  … and {len(settings) - _SETTINGS_SHOWN:,} more; --json lists all.")


def _print_absent(found: FileInfo) -> None:
    told = f"{counted(found.absent_cells, 'planned cell')} without a row"
    print_text(f"{told}{':' if found.absent else '.'}")
    for cell in found.absent[:_ABSENT_SHOWN]:
        key = join_key((cell.study, cell.case, cell.arm, cell.setting))
        print_text(f"  {visible_line(key)}{f' ({cell.samples:,} samples)' if cell.samples > 1 else ''}")
    if len(found.absent) > _ABSENT_SHOWN:
        shown = sum(cell.samples for cell in found.absent[:_ABSENT_SHOWN])
        print_text(f"  … and {found.absent_cells - shown:,} more; --json lists all.")


@click.command("verify")
@click.argument("path", type=click.Path(path_type=Path), metavar="FILE|FOLDER")
@click.option(
    "--manifest", "quoted", metavar="SHA256", help="Of a FOLDER: that its manifest is the one with this hash."
)
@options.as_json
@options.quiet
def verify_command(path: Path, quoted: str | None, as_json: bool, quiet: bool) -> int:
    """Check FILE: the database, its hashes, and that replaying the history gives the current tags (exit code 1 if not).

    Of a FOLDER that `auditor export bundle` wrote: that no file is missing, changed or extra, and the audit file in it.

    \b
    auditor verify audit.db
    auditor verify published
    auditor verify published --manifest 1f8c…
    """
    from auditor.audit.inspect import verify
    from auditor.audit.manifest import read_manifest, verify_published
    from auditor.cli.output import Progress
    from auditor.store.pending import waiting_beside

    if path.is_dir():
        with Progress(quiet) as progress:
            checks = verify_published(path, progress, quoted=_hash(quoted))
        waiting: list[str] = []
        _, digest = read_manifest(path)
    elif quoted is not None:
        raise InputError("--manifest is for a published folder.", where=visible_line(str(path)), hint="Leave it out.")
    else:
        checks, waiting, digest = verify(path), waiting_beside(path), ""
    failed = any(check.problems for check in checks)
    if as_json:
        found = {"ok": not failed, "checks": [asdict(check) for check in checks], "waiting": waiting}
        print_json(found | ({"manifest": digest} if digest else {}))
        return int(failed)
    for check in checks:
        print_text(f"{'NO ' if check.problems else 'ok '} {check.name} ({check.checked:,} checked)")
        for problem in check.problems:
            print_text(f"     {problem}")
    if digest:
        print_text(f"The manifest's SHA-256 is {digest}.", wrap=False)
    _say_waiting(waiting)
    wrong = sum(bool(check.problems) for check in checks)
    print_text(f"{wrong} of {counted(len(checks), 'check')} failed." if wrong else f"All {len(checks)} checks hold.")
    return int(failed)


def _hash(quoted: str | None) -> str:
    """Return a SHA-256 as it was given; raises InputError for what is none."""
    found = (quoted or "").strip()
    if quoted is not None and not re.fullmatch("[0-9a-fA-F]{64}", found):
        told = f"--manifest {visible_line(quoted, 80)!r} is no SHA-256."
        raise InputError(told, hint="Give all of its 64 hexadecimal digits.")
    return found
