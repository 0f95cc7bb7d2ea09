"""What is said of a queue whose items may still be on their way: never that these are all before that is known."""

from __future__ import annotations

from auditor.audit.queue_ids import QueueProgress
from auditor.text import counted


def describe_total(progress: QueueProgress) -> str:
    """Return how many items there are: `214`, or `214+` where there may be more."""
    return f"{progress.found:,}{'' if progress.is_whole else '+'}"


def describe_scope(progress: QueueProgress) -> str:
    """Return `214 items of this filter`, or how many of them were found so far."""
    found = counted(progress.found, "item")
    return f"{found} of this filter" if progress.is_whole else f"{found} of this filter that were found so far"


def describe_search(progress: QueueProgress) -> str:
    """Return `looking for more … 12 %`, or that the search ended early; empty when all items are known."""
    if progress.ended_early is not None:
        return "not all were looked for"
    if progress.complete:
        return ""
    share = f" {100 * progress.scanned // progress.total} %" if progress.total else ""
    return f"looking for more …{share}"


def describe_none_yet(progress: QueueProgress, key: str) -> str:
    """Say that a search has found nothing so far, how far it is, and which key stops it."""
    share = f", {100 * progress.scanned // progress.total} % looked through" if progress.total else ""
    return f"Looking: no item of this filter so far{share}. {key} stops."


def describe_last(progress: QueueProgress) -> str:
    """Say that no item comes after this one, as far as that is known."""
    if progress.is_whole:
        return "This is the last item."
    return f"This is the last item that was found. {_more(progress)}"


def describe_back(progress: QueueProgress) -> str:
    """Say that the items that come after this one are done, and that an earlier one is next."""
    if progress.is_whole:
        return "Back at the first item that is still open."
    return f"Back at the first item that is still open. {_more(progress)}"


def describe_start(before: int, key: str) -> str:
    """Say that a review goes on where its annotator stopped, and that so many open items come before."""
    come = "item comes" if before == 1 else "items come"
    how = f": {key} goes to the first of them" if key else ""
    return f"The review goes on after your last mark; {before:,} open {come} before this one{how}."


def describe_all_done(progress: QueueProgress) -> str:
    """Say that no item is open, as far as that is known."""
    if progress.is_whole:
        return f"All {progress.found:,} items of this queue are reviewed or deferred."
    return f"What was found is reviewed or deferred, {counted(progress.found, 'item')}. {_more(progress)}"


def describe_stopped(progress: QueueProgress) -> str:
    """Say what a search has found that was stopped."""
    return f"The search is stopped: {counted(progress.found, 'item')} found so far."


def _more(progress: QueueProgress) -> str:
    return progress.ended_early or "More are being looked for."
