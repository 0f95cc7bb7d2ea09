"""`auditor accuracy --layout`: tables as a paper lays them out, on the terminal and in files."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from auditor.cli.table_files import Target, put_tables, show_laid_out

if TYPE_CHECKING:
    from auditor.analysis import Resampling


def show_layout(file: Path, name: str, where: str, policy: str | None, resampling: Resampling, target: Target) -> int:
    """Make the tables of a layout and print or write them."""
    from auditor.audit.layouts import lay_out
    from auditor.store.file import one_state, open_for_reading, translate
    from auditor.store.responses import require_responses

    with closing(open_for_reading(file)) as connection, one_state(connection):
        try:
            require_responses(connection, file)
            laid_out = lay_out(connection, name, where, policy, resampling)
        except sqlite3.Error as error:
            raise translate(error, file) from error
    document = {"layout": name, "policy": policy, "records": laid_out.records, "notes": laid_out.notes}
    put_tables(target, lambda: laid_out, lambda: document, lambda: show_laid_out(laid_out))
    return 0
