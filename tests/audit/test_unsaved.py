"""What is shown while the audit file cannot be written is what the file holds once it is."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.audit.unsaved import UnsavedLedger
from auditor.store.file import now, open_for_reading
from auditor.store.reviews import Intent
from tests.builders import make_audit
from tests.store.test_history import Desk, intents


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 3), intents), max_size=8),
    st.lists(st.tuples(st.integers(1, 3), intents), max_size=12),
)
def test_unsaved_actions_show_what_they_will_be(
    before: list[tuple[int, Intent]], unsaved: list[tuple[int, Intent]]
) -> None:
    with TemporaryDirectory() as folder:
        path = make_audit(Path(folder) / "audit.db")
        desk = Desk(path)
        with closing(desk.connection), closing(open_for_reading(path)) as reader:
            for response_id, intent in before:
                desk.do(response_id, intent)
            ledger = UnsavedLedger(reader, desk.actor)
            kept = [
                (response_id, intent)
                for response_id, intent in unsaved
                if ledger.record(response_id, intent, now()) is not None
            ]
            shown = {response_id: ledger.view(response_id) for response_id in (1, 2, 3)}
            for response_id, intent in kept:
                assert desk.do(response_id, intent) is not None
            written = {response_id: desk.view(response_id) for response_id in (1, 2, 3)}
        assert {row: replace(view, updated_at=None) for row, view in shown.items()} == {
            row: replace(view, updated_at=None) for row, view in written.items()
        }
        assert {row for row, view in shown.items() if view.updated_at} == {
            row for row, view in written.items() if view.updated_at
        }
