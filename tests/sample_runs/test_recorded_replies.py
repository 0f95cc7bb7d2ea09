"""The replies of the real model: asked with the prompts that stand here, and recorded as they came."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import pytest

from tests.sample_runs.run_directory import SAMPLES, all_responses, enveloped_answer, is_simulated, run_python, task_of

RECORDED = [response for response in all_responses() if not is_simulated(response["setting"])]


@pytest.fixture
def prompts(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.syspath_prepend(str(SAMPLES))
    yield importlib.import_module("making.worked_examples")
    for name in [name for name in sys.modules if name == "making" or name.startswith("making.")]:
        del sys.modules[name]


def test_the_worked_examples_are_what_their_programs_write(prompts: Any) -> None:
    assert len(prompts.EXAMPLES) == 3
    for source, text, written in prompts.EXAMPLES:
        assert run_python(source, text) == written


def test_every_reply_answers_the_prompt_of_its_task(prompts: Any) -> None:
    for response in RECORDED:
        task = task_of(response)
        prompt = prompts.prompt_of(task["source"], task["input"])
        assert response["prompt_sha256"] == sha256(prompt.encode()).hexdigest()


def test_the_model_mostly_keeps_to_the_envelope_or_runs_into_the_limit() -> None:
    kept = [response for response in RECORDED if enveloped_answer(response["response"]) is not None]
    cut = [response for response in RECORDED if response["finish"] == "length"]
    assert len(kept) >= len(RECORDED) // 2
    assert len(kept) + len(cut) >= 0.8 * len(RECORDED)
