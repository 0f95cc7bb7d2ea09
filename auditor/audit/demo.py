"""The bundled sample runs: which there are, and an audit file made of one."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from pathlib import Path

from auditor.audit.grade import grade_file
from auditor.audit.load import LoadOptions, load
from auditor.audit.tags import import_tags
from auditor.errors import InputError
from auditor.formats.run_toml import read_run_toml
from auditor.resources import data_folder
from auditor.store.file import open_for_reading
from auditor.text import visible_line


def sample_runs() -> dict[str, Path]:
    """Return the bundled run directories by name."""
    folders = sorted(path.parent for path in data_folder("sample_runs").glob("*/run.toml"))
    return {folder.name: folder for folder in folders}


def make_demo(path: Path, name: str, progress: Callable[[str, int, int], None] | None = None) -> None:
    """Bring a bundled run with its example tags into an audit file; a file that holds it already stays as it is.

    A file that holds another run gets this one beside it.

    Raises InputError for an unknown name.
    """
    runs = sample_runs()
    if name not in runs:
        near = difflib.get_close_matches(name, runs, 1) or list(runs)
        raise InputError(f"there is no sample run {visible_line(name)!r}.", hint=f"Did you mean {near[0]}?")
    _, studies = read_run_toml(runs[name])
    if path.exists() and _is_complete(path, [study.name for study in studies]):
        return
    load(path, [runs[name]], LoadOptions(), progress)
    grade_file(path, progress=progress)
    tags = runs[name] / "tags.csv"
    if tags.exists():
        import_tags(path, tags)


def _is_complete(path: Path, studies: Sequence[str]) -> bool:
    """Say whether a file holds these studies with replies, all graded, and tags."""
    connection = open_for_reading(path)
    try:
        held = {name for (name,) in connection.execute("SELECT name FROM studies")}
        (missing,) = connection.execute(
            "SELECT count(*) FROM responses r LEFT JOIN grades d ON d.response_id = r.id"
            " WHERE r.superseded_at IS NULL AND d.response_id IS NULL"
        ).fetchone()
        (events,) = connection.execute("SELECT count(*) FROM events").fetchone()
        return bool(events) and not missing and held.issuperset(studies)
    finally:
        connection.close()
