"""Policies and envelopes are found through entry points."""

from __future__ import annotations

import pytest

from auditor.errors import InputError
from auditor.grading.grade import grade
from auditor.grading.question import Question
from auditor.grading.registry import envelopes, find_envelope, find_policy, policies


def test_every_policy_and_envelope_of_the_contract_is_installed_under_its_own_name() -> None:
    assert set(policies()) >= {
        "json-or-tokens",
        "int-alpha-tokens",
        "bytes",
        "python-literal",
        "verdict",
        "probe",
        "call-equals",
    }
    assert set(envelopes()) >= {"output-json", "ans-tags", "answer-tags", "none"}
    assert all(policy.name == name for name, policy in policies().items())
    assert all(envelope.name == name for name, envelope in envelopes().items())


def test_an_unknown_name_names_the_nearest_known_one() -> None:
    with pytest.raises(InputError, match="'python-literal'"):
        find_policy("python-literals")
    with pytest.raises(InputError, match="'ans-tags'"):
        find_envelope("anstags")
    with pytest.raises(InputError, match="json-or-tokens"):
        grade(Question("output", "5", ""), None, policy="zzzz", envelope="none")
