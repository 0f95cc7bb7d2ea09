"""Fields from before the last line that changed them, which no whole state of an iteration shows."""

from __future__ import annotations

import json

from auditor.diagnosis.case import Case
from auditor.diagnosis.findings import update_finding
from auditor.diagnosis.updates import StaleUpdate, stale_updates, updates_of
from auditor.execution.sandbox import Sandbox
from auditor.model import Checkpoint
from tests.diagnosis.test_iterations import equal

SOURCE = """\
import json
def scaled(n):
    total = n * 3
    return total
total, last = 0, 0
count = 0
for n in map(int, input().split()):
    count += 1
    if count == 4:
        print(json.dumps({"total": total, "last": last, "half": total // 2}))
        raise SystemExit
    total += n
    last = n
    total = scaled(total)
print(total)
"""
INSIDE = Checkpoint(10, "before-iteration", 4)


def case(prediction: object) -> Case:
    return Case(SOURCE, "2 3 5 7\n", json.dumps({"total": 96, "last": 5, "half": 48}), json.dumps(prediction), equal)


def test_a_value_from_between_two_updates_of_an_iteration_is_told_with_its_line(sandbox: Sandbox) -> None:
    updates = updates_of(sandbox, case({}), INSIDE)
    assert updates is not None and set(updates.by_name) == {"total", "last"}
    wrong = case({"total": 32, "last": 5, "half": 48})
    (found,) = stale_updates(updates, wrong)
    assert found == StaleUpdate("total", "32", "96", 14, "total = scaled(total)", found.steps) and 0 < found.steps < 9
    finding = update_finding((found,), wrong.prediction)
    assert finding.mode == "stale_value" and finding.detail == "total"
    assert (
        "the other fields are right: field total is 32, which it was until line 14 (`total = scaled(total)`) made it 96"
        in (finding.evidence)
    )


def test_only_values_from_right_before_are_stale(sandbox: Sandbox) -> None:
    updates = updates_of(sandbox, case({}), INSIDE)
    assert updates is not None
    wrong: tuple[object, ...] = (
        {"total": 27, "last": 5, "half": 48},  # from two updates before
        {"total": 32, "last": 3, "half": 16},  # nothing is right
        {"total": 32, "last": 7, "half": 48},  # one was never so
        {"total": 96, "last": 5, "half": 16},  # the field is no variable
        {"total": 96, "last": 5, "half": 48},
        {"total": 32},
        [],
    )
    for given in wrong:
        assert stale_updates(updates, case(given)) == ()
    both = stale_updates(updates, case({"total": 32, "last": 3, "half": 48}))
    assert [(one.field, one.line) for one in both] == [("total", 14), ("last", 13)]


def test_what_has_no_checkpoint_in_its_run_has_no_updates(sandbox: Sandbox) -> None:
    assert updates_of(sandbox, case({}), Checkpoint(10, "before-iteration", 9)) is not None
    assert updates_of(sandbox, case({}), Checkpoint(15, "after-line", 1)) is None
    broken = Case("x = (", "", "{}", "1", equal)
    assert updates_of(sandbox, broken, INSIDE) is None
