"""The page on grading names every policy, envelope, extraction rule and mode, modes in their order."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from auditor.grading.modes import PRECEDENCE
from auditor.grading.registry import envelopes, policies

PAGE = Path(__file__).parents[2] / "docs" / "grading.md"
SOURCES = ("output_json.py", "json_objects.py", "tagged.py")
RULE = re.compile(r"\"(envelope|reply|none|[a-z]+-[a-z]+|fence|prose|repeated)\"")
NO_RULES = {"output-json", "ans-tags", "answer-tags"}


@pytest.fixture(scope="module")
def page() -> str:
    return PAGE.read_text(encoding="utf-8")


def test_every_policy_and_envelope_is_documented(page: str) -> None:
    for name in (*policies(), *envelopes()):
        assert f"\n| `{name}` |" in page, name


def test_every_extraction_rule_is_documented(page: str) -> None:
    folder = Path(__file__).parents[2] / "auditor" / "grading"
    names = {name for source in SOURCES for name in RULE.findall((folder / source).read_text(encoding="utf-8"))}
    assert len(names - NO_RULES) > 15
    for name in names - NO_RULES:
        assert f"\n| `{name}` |" in page, name


def test_modes_are_documented_in_their_order(page: str) -> None:
    modes = page.partition("## Computed modes")[2]
    assert tuple(re.findall(r"^\| `([a-z_]+)` \|", modes, re.MULTILINE)) == PRECEDENCE
