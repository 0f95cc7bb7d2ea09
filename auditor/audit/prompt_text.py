"""The prompt of a task as one text: its parts under their names, in the order in which they were recorded."""

from __future__ import annotations

import json
from collections.abc import Mapping

from auditor.model import JsonValue


def prompt_text(prompt: Mapping[str, JsonValue] | None) -> str | None:
    """Return what a model was shown, each part below a line with its name; None when nothing was recorded."""
    if not prompt:
        return None
    return "\n".join(f"── {name} ──\n{_words(part)}" for name, part in prompt.items() if part is not None) or None


def _words(part: JsonValue) -> str:
    """Return a part as it is, or as JSON when it is no text."""
    text = part if isinstance(part, str) else json.dumps(part, ensure_ascii=False)
    return text if text.endswith("\n") else f"{text}\n"
