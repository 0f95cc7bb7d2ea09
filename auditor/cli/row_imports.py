"""What a command prints of rows that were brought in from a file: tags, bookmarks and memos, probes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.cli.output import print_json, print_text, say_refused

if TYPE_CHECKING:
    from auditor.audit.row_report import RowReport


def tell_rows(report: RowReport, changed: tuple[str, int], summary: str, *, as_json: bool) -> int:
    """Print a report and return the exit code; `changed` is what the JSON calls what was new, and how much that was."""
    if as_json:
        print_json(
            {
                "rows": report.rows,
                changed[0]: changed[1],
                "unchanged": report.unchanged,
                "annotators": sorted(report.annotators),
                "refused": [{"where": one.where, "reason": one.reason} for one in report.refusals],
                "notes": report.notes,
            }
        )
    else:
        print_text(summary)
        for note in report.notes:
            print_text(f"Note: {note}")
        say_refused(report.refusals)
    return 1 if report.refusals else 0
