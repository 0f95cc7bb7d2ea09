"""Agreement from kept counts, as `auditor agreement --quick` shows it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from auditor.agreement.coefficient import NONE, Options
from auditor.agreement.notes import reasons
from auditor.cli.agreement_table import side_by_side, statistic_rows
from auditor.cli.output import print_json, print_text, terminal_width
from auditor.errors import InputError

if TYPE_CHECKING:
    from auditor.audit.kept_agreement import KeptAgreement

_OTHERS = ("groups", "categories", "weights", "scores", "metric", "interval", "where")
_QUESTIONS = ("against", "computed", "confusion", "minus_where", "minus_tags", "minus_annotators")


def run_quick(file: str | None, ratings: str | None, multi: bool, how: Options, rest: Mapping[str, Any]) -> None:
    """Measure from kept counts and print it; raises InputError for options that need the items."""
    if file is None or ratings is not None or multi:
        raise InputError("--quick concerns an audit file.")
    asked = [name for name in (*_OTHERS, *_QUESTIONS) if rest[name]]
    if asked or how.bootstrap not in (None, NONE):
        raise InputError(
            "--quick reads no items, which other options need.",
            hint="It goes with --annotators, --tag, --statistic, --codebook and --confidence.",
        )
    from auditor.agreement.plan import PAIR_NAMES, USUAL_PAIR_TAG, check_statistics
    from auditor.audit.kept_agreement import kept_agreement

    check_statistics(how.statistics)
    if not PAIR_NAMES.issuperset(how.statistics):
        raise InputError("--quick measures pairs of annotators.", hint=f"There are: {', '.join(sorted(PAIR_NAMES))}.")
    kept = kept_agreement(
        file,
        annotators=how.annotators,
        codebook=rest["codebook"],
        tags=how.tags,
        statistics=how.statistics or USUAL_PAIR_TAG,
        confidence=how.confidence,
    )
    if rest["as_json"]:
        print_json({"coefficients": [one.as_json() for one in kept.coefficients]})
    else:
        print_text("\n".join(quick_lines(kept, bool(how.statistics), terminal_width())))


def quick_lines(kept: KeptAgreement, by_row: bool, width: int | None) -> list[str]:
    """Lay agreement out as a table, a row a coefficient where they were named, with what is undefined below it."""
    found = kept.coefficients
    if not found:
        return ["Agreement needs two annotators who have reviewed something."]
    table = statistic_rows(found, width) if by_row else side_by_side(found, width)
    told = [one for one in found if by_row or one.value is None or one.statistic == "cohen_kappa"]
    level = next((f"{100 * one.confidence:g} %" for one in found if one.confidence is not None), None)
    how = "From kept counts of the items that both reviewed" + (f"; intervals ({level}) by formula." if level else ".")
    return [*table, "", *reasons(told), how]
