"""States of other iterations, and fields from before their update."""

from __future__ import annotations

import json

from auditor.diagnosis.case import Case
from auditor.diagnosis.findings import iteration_finding, stale_finding
from auditor.diagnosis.iterations import other_iteration, stale_fields, states_of
from auditor.execution.sandbox import Sandbox
from auditor.grading.policies import JSON_OR_TOKENS

INSIDE = """\
import json
total, last = 0, 0
count = 0
for n in map(int, input().split()):
    count += 1
    if count == 4:
        print(json.dumps({"n": n, "total": total, "last": last}))
        raise SystemExit
    total += n
    if n % 2:
        last = n
print(total)
"""
AFTER = """\
import json
def run(numbers):
    total = 0
    count = 0
    for n in numbers:
        count += 1
        total += n * 2
    if count > 3:
        print(json.dumps({"n": n, "total": total}))
        raise SystemExit
    return total
print(run([8, 9]))
print(run(map(int, input().split())))
"""
INPUT = "1 2 4 6 7\n"


def equal(left: str, right: str) -> bool:
    return JSON_OR_TOKENS.equal(left, right).correct


def inside(prediction: object) -> Case:
    return Case(INSIDE, INPUT, '{"n":6,"total":7,"last":1}', json.dumps(prediction), equal)


def test_the_states_are_those_before_each_iteration(sandbox: Sandbox) -> None:
    states = states_of(sandbox, inside({}), line=7, after_loop=False)
    assert states is not None and states.at == 3
    assert [json.loads(text or "{}")["total"] for text in states.texts] == [0, 1, 3, 7, 13]


def test_a_state_of_another_iteration_is_told_with_its_offset(sandbox: Sandbox) -> None:
    case = inside({"n": 4, "total": 3, "last": 1})
    states = states_of(sandbox, case, line=7, after_loop=False)
    assert states is not None
    found = other_iteration(states, case)
    assert found is not None and (found.offset, found.iteration, found.matches) == (-1, 3, 1)
    finding = iteration_finding(found, states, case.prediction)
    assert (finding.mode, finding.detail) == ("other_iteration", "-1")
    assert "before iteration 3, 1 iteration before the checkpoint (iteration 4)" in finding.evidence


def test_a_field_from_before_its_update_is_told(sandbox: Sandbox) -> None:
    case = inside({"n": 6, "total": 3, "last": 1})
    states = states_of(sandbox, case, line=7, after_loop=False)
    assert states is not None and other_iteration(states, case) is None
    found = stale_fields(states, case)
    assert [(each.field, each.predicted, each.right, each.offset) for each in found] == [("total", "3", "7", -1)]
    assert "field total is 3, which it was 1 iteration earlier" in stale_finding(found, case.prediction).evidence


def test_a_wrong_field_that_never_was_so_is_not_stale(sandbox: Sandbox) -> None:
    for fields in ({"n": 6, "total": 5, "last": 1}, {"n": 6, "total": 3, "last": 0}, {"total": 3}):
        case = inside(fields)
        states = states_of(sandbox, case, line=7, after_loop=False)
        assert states is not None
        assert [each.field for each in stale_fields(states, case)] in ([], ["total", "last"])


def test_a_loop_in_a_function_is_followed_over_its_calls(sandbox: Sandbox) -> None:
    case = Case(AFTER, INPUT, '{"n":7,"total":40}', '{"n":7,"total":26}', equal)
    states = states_of(sandbox, case, line=9, after_loop=True)
    assert states is not None and states.at == 7
    found = other_iteration(states, case)
    assert found is not None and found.offset == -1


def test_a_checkpoint_that_is_written_otherwise_has_no_states(sandbox: Sandbox) -> None:
    case = inside({})
    assert states_of(sandbox, case, line=3, after_loop=False) is None
    assert states_of(sandbox, case, line=7, after_loop=True) is None
    assert states_of(sandbox, Case("x = (", "", "{}", "1", equal), line=1, after_loop=False) is None
    other = Case(INSIDE, INPUT, '{"n":6,"total":8,"last":1}', "{}", equal)
    assert states_of(sandbox, other, line=7, after_loop=False) is None
