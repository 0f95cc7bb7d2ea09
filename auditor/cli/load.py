"""`auditor import`: bring cases and responses into an audit file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auditor.cli import options
from auditor.cli.merge import print_report, report_json
from auditor.cli.output import Progress, print_json, print_text, say
from auditor.errors import InputError

if TYPE_CHECKING:
    from auditor.audit.load import LoadOptions, LoadReport
    from auditor.formats.records import Refusal

_SHOWN_REFUSALS = 20


@click.command("import")
@options.audit_file
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="PATH...")
@click.option("--format", "format_name", metavar="F", help="Read PATH as this format instead of recognising it.")
@click.option("--study", metavar="S", help="The study that the cases or responses belong to.")
@click.option("--setting", metavar="M", help="The setting of responses whose file does not say it.")
@click.option("--policy", metavar="P", help="Grade the imported studies under this policy.")
@click.option("--replace", is_flag=True, help="Let other content supersede what is there under the same names.")
@click.option("--recollected", is_flag=True, help="Let replies take the place of invalid ones, and of no others.")
@click.option("--dry-run", is_flag=True, help="Say what would happen and change nothing.")
@options.as_json
@options.quiet
def load_command(
    file: Path,
    paths: tuple[Path, ...],
    format_name: str | None,
    study: str | None,
    setting: str | None,
    policy: str | None,
    replace: bool,
    recollected: bool,
    dry_run: bool,
    as_json: bool,
    quiet: bool,
) -> int:
    """Bring cases and responses into the audit file FILE, which is made when there is none.

    Each PATH is a run directory, a file of a known format (CRUXEval cases, generations, scored results; records of
    PrEx, or a folder of its results), or an annotations bundle, recognised by its content; of any other folder the
    files of a known format are read, and it says what it passed over. Importing the same again changes nothing; an
    interrupted import goes on when it is repeated. A record that cannot be used is listed, and the rest is imported
    (exit code 1).

    \b
    auditor import audit.db my-run/
    auditor import audit.db cruxeval.jsonl gpt-4+cot_temp0.2_output.json
    auditor import audit.db cruxeval/
    auditor import audit.db annotations/
    auditor import audit.db again/ --recollected
    """
    from auditor.audit.load import LoadOptions, load
    from auditor.audit.merge import MergeOptions, merge
    from auditor.formats.annotation_bundle import is_bundle

    given = LoadOptions(format_name, study, setting, policy, replace, dry_run, recollected)
    bundles = [path for path in paths if is_bundle(path)]
    cases = [path for path in paths if path not in bundles]
    if bundles:
        _check_bundles(given, cases)
    with Progress(quiet or as_json) as progress:
        report = load(file, cases, given, progress) if cases else None
        joined = merge(file, bundles, MergeOptions(dry_run=dry_run), progress) if bundles else None
    if as_json:
        print_json(
            {
                "dry_run": dry_run,
                **(_report_json(report) if report else {}),
                **({"annotations": report_json(joined)} if joined else {}),
            }
        )
    else:
        if report:
            _print_report(report)
        if joined:
            print_report(joined, False)
        if dry_run:
            print_text("Dry run: nothing was changed.")
    if report and report.refusals and not as_json:
        say(f"{len(report.refusals):,} refused:")
        _say_refusals(report.refusals)
    return int(bool((report and report.refusals) or (joined and joined.unjoined)))


def _check_bundles(given: LoadOptions, cases: Sequence[Path]) -> None:
    """Refuse options that say nothing of annotations."""
    for option, value in (
        ("--format", given.format),
        ("--study", given.study),
        ("--setting", given.setting),
        ("--policy", given.policy),
        ("--replace", given.replace),
        ("--recollected", given.recollected),
    ):
        if value and not cases:
            raise InputError(f"{option} does not go with an annotations bundle.", hint="Leave it out.")
    if cases and given.dry_run:
        raise InputError(
            "a dry run cannot bring in cases and annotations at once, since the annotations are about the cases.",
            hint="Import the cases first.",
        )


def _report_json(report: LoadReport) -> dict[str, Any]:
    from auditor.store.tasks import Outcome

    return {
        "studies": report.studies,
        "tasks": {outcome.value: report.tasks[outcome] for outcome in Outcome},
        "responses": {outcome.value: report.responses[outcome] for outcome in Outcome},
        "refused": [{"where": r.where, "reason": r.reason} for r in report.refusals],
        "notes": report.notes,
    }


def _print_report(report: LoadReport) -> None:
    from auditor.store.tasks import Outcome

    for what, counts in (("tasks", report.tasks), ("responses", report.responses)):
        kept = (outcome for outcome in Outcome if outcome is not Outcome.CONFLICT)
        print_text(f"{what + ':':<11}" + ", ".join(f"{counts[outcome]:,} {outcome.value}" for outcome in kept))
    for note in report.notes:
        print_text(f"Note: {note}")


def _say_refusals(refusals: Sequence[Refusal]) -> None:
    """List refusals, those of a file for the same reason as one: a task that is refused takes its responses along."""
    alike: dict[tuple[str, str], list[Refusal]] = {}
    for refusal in refusals:
        alike.setdefault((refusal.where.rpartition(":")[0] or refusal.where, refusal.reason), []).append(refusal)
    for (first, *others), _ in zip(alike.values(), range(_SHOWN_REFUSALS), strict=False):
        say(f"  {first.where}{f' and {len(others):,} more' if others else ''}: {first.reason}")
    more = sum(len(group) for group in list(alike.values())[_SHOWN_REFUSALS:])
    if more:
        say(f"  … and {more:,} more.")
    if more or len(alike) < len(refusals):
        say("  --json lists all.")
