"""When a tag is too rare for an interval to mean what it says."""

from __future__ import annotations

FEW_WITH_TAG = 10
"""Where fewer clusters (or independent items) have a tag, or lack it, no formula's interval covers what it claims."""
_CONSEQUENCE = f": an interval from fewer than {FEW_WITH_TAG} is too narrow."


def rare_tag_warning(tag: str, having: int, lacking: int, what: str) -> str | None:
    """Warn when a tag, or its absence, occurs too rarely for any interval to cover what it claims.

    `having` and `lacking` count the clusters (or items, as `what` says) in which an annotator put it, or did not.
    """
    rarer = min(having, lacking)
    if not 0 < rarer < FEW_WITH_TAG:
        return None
    times = f"{rarer} {what}{'' if rarer == 1 else 's'}"
    which = f"The tag '{tag}' occurs" if having <= lacking else f"The tag '{tag}' is left out"
    return f"{which} in only {times}{_CONSEQUENCE}"


def is_of_a_rare_tag(warning: str) -> bool:
    """Say whether a warning is one that `rare_tag_warning` gave."""
    return warning.endswith(_CONSEQUENCE)
