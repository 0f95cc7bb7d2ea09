"""What a model wrote on its way to a reply, as one text: the replies of earlier rounds, then the recorded reasoning."""

from __future__ import annotations

from auditor.model import TURNS, Response


def reasoning_text(response: Response) -> str | None:
    """Return the recorded reasoning exactly as it is stored; None when nothing was recorded.

    Where there were several rounds the earlier replies come first, each below a line with its number.
    """
    told = response.extra.get(TURNS)
    turns = [turn for turn in told if isinstance(turn, str)] if isinstance(told, list) else []
    if not turns:
        return response.reasoning
    parts = [f"── reply of round {number} ──\n{turn}" for number, turn in enumerate(turns, 1)]
    if response.reasoning:
        parts.append(f"── reasoning ──\n{response.reasoning}")
    return "\n".join(part.removesuffix("\n") for part in parts) + "\n"
