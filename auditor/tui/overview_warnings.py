"""What the overview warns of, each with what it opens."""

from __future__ import annotations

from auditor.analysis import FEW_CLUSTERS
from auditor.audit.overview import Doubtful, Overview
from auditor.text import counted
from auditor.tui.overview_lines import Closed, Figure, Filtered, Opens, matching, shown


def warnings(found: Overview, unsaved: int) -> list[Figure]:
    """Return a figure for each warning, as far as it is counted; `unsaved` marks wait in this review."""
    made = [*_marks(found, unsaved), *_few_clusters(found)]
    if found.doubtful is not None:
        made += _missing(found.doubtful)
        made += _graded(found.doubtful)
    return made


def _warning(key: str, count: int, text: str, opens: Opens, words: str, *, exact: bool = False) -> list[Figure]:
    """Return a figure where there is anything to warn of; `exact` where it opens as many items as it counts."""
    return [Figure(f"warning {key}", text, opens, words, count if exact else None)] if count else []


def _marks(found: Overview, unsaved: int) -> list[Figure]:
    waiting = [] if found.facts is None else found.facts.waiting
    made = _warning(
        "unsaved",
        unsaved,
        f"{counted(unsaved, 'mark')} not in the file yet",
        Closed("They are written as soon as nothing else writes to the file."),
        "Marks of yours that are kept beside the file, since another program was writing to it.",
    )
    made += _warning(
        "waiting",
        len(waiting),
        f"marks wait in {counted(len(waiting), 'file')} beside this one",
        Closed("Their annotator's next review brings them in, or ending the one that runs."),
        f"Marks that are not in the file yet: {shown(', '.join(waiting), 100)}.",
    )
    for one in found.progress or ():
        again = counted(one.again, "item")
        made += _warning(
            f"again {one.codebook}/{one.annotator}",
            one.again,
            f"{again} of {shown(one.annotator, 30)} to look at again",
            matching(("stale", one.annotator)),
            f"Since the codebook changed, {shown(one.annotator)} has {again} to look at again.",
        )
    return made


def _few_clusters(found: Overview) -> list[Figure]:
    made = []
    for study in found.studies or ():
        if study.responses and study.clusters < FEW_CLUSTERS:
            made += _warning(
                f"few {study.name}",
                study.clusters,
                f"{shown(study.name, 30)} rests on {counted(study.clusters, 'cluster')}",
                matching(("study", study.name)),
                f"Intervals from fewer than {FEW_CLUSTERS} clusters are too narrow on average.",
            )
    return made


def _missing(found: Doubtful) -> list[Figure]:
    return [
        *_warning(
            "absent",
            found.absent,
            f"{counted(found.absent, 'planned response')} without a row",
            Closed("There is no response to show; auditor info FILE lists where they are absent."),
            "Missing in the rate of completed responses, wrong in that of planned ones.",
        ),
        *_warning(
            "superseded",
            found.superseded,
            f"{counted(found.superseded, 'response')} replaced by another import",
            Closed("Responses that were replaced are kept, but no queue has them."),
            "They count nowhere.",
        ),
    ]


def _graded(found: Doubtful) -> list[Figure]:
    """Warn of what is hidden with the status of responses."""
    if found.status is None or found.unsettled is None:
        return []
    status, waits = found.status, found.unsettled.calls + found.unsettled.non_literal
    return [
        *_warning(
            "ungraded",
            status.ungraded,
            f"{counted(status.ungraded, 'reply', 'replies')} without a grade",
            Filtered("status:ungraded"),
            "Rates that they are part of are undefined; auditor grade FILE grades them.",
        ),
        *_warning(
            "silent",
            status.silent,
            f"{counted(status.silent, 'response')} without a reply",
            Filtered("status:no-response"),
            "Missing in the rate of completed responses, wrong in that of planned ones.",
        ),
        *_warning(
            "outside",
            status.outside,
            f"{counted(status.outside, 'reply', 'replies')} in an invalid envelope",
            Filtered("status:correct-invalid,wrong-invalid"),
            "Not in the form asked for; graded by what a named rule extracted, where one could.",
            exact=True,
        ),
        *_warning(
            "invalid",
            found.invalid,
            f"{counted(found.invalid, 'response')} marked as invalid",
            Filtered("invalid:yes"),
            "Asked wrongly: they count nowhere.",
            exact=True,
        ),
        *_warning(
            "disputed",
            found.disputed,
            f"{counted(found.disputed, 'response')} with a disputed oracle",
            Filtered("executed:disputed"),
            "Running the program gives another output than the oracle.",
            exact=True,
        ),
        *_warning(
            "unsettled",
            waits,
            f"{counted(waits, 'answer')} to be judged by running something",
            Filtered("(non_literal:true executed:no) OR (status:ungraded target:input)"),
            "auditor grade FILE --execute runs them.",
        ),
    ]
