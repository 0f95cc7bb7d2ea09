"""All flags of an audit file, as the limits of a report name them; the overview counts the same piece by piece."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from auditor.audit.flags.flag import Flag
from auditor.audit.flags.responses import count_doubtful, of_clusters, of_doubtful, of_settings
from auditor.audit.flags.reviews import of_progress, of_reviews, of_waiting
from auditor.audit.progress import annotator_progress
from auditor.store.pending import waiting_beside


def read_flags(connection: sqlite3.Connection, path: Path, where: str = "") -> list[Flag]:
    """Return what a reader has to know of: of reviews first, then of responses.

    A filter leaves the responses and reviews that it describes; how far annotators are, and what is absent or replaced,
    stay of the whole file. Raises InputError for a wrong filter.
    """
    return [
        *of_waiting(waiting_beside(path)),
        *of_progress(annotator_progress(connection)),
        *of_reviews(connection, path, where),
        *of_clusters(connection, where),
        *of_settings(connection, where),
        *of_doubtful(count_doubtful(connection, where)),
    ]
