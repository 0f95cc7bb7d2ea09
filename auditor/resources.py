"""Find the data folders `db`, `themes` and `sample_runs`: inside an installed package, or beside it in a checkout."""

from __future__ import annotations

from pathlib import Path

from auditor.errors import AuditorError

_PACKAGE = Path(__file__).resolve().parent


def data_folder(name: str) -> Path:
    """Return the folder `db`, `themes` or `sample_runs` of this installation.

    Raises AuditorError when the installation lacks it.
    """
    for place in (_PACKAGE / name, _PACKAGE.parent / name):
        if place.is_dir():
            return place
    raise AuditorError(f"this installation of auditor lacks its folder {name!r}.", "Install it again.")
