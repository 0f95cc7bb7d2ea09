"""What PrEx's own script makes of a reply, by its rules and under its names: for comparing, never for grading.

It reads the last tags of the whole reply, its reasoning included, and compares the answers as texts.
"""

from __future__ import annotations

import re

from auditor.grading.verdicts import RuleVerdict, in_brackets

MODES = ("correct", "false_success", "false_error", "wrong_rule", "unparsed_rule", "malformed", "other")
"""The names of its failure modes; `other` is an answer that is neither of the two words."""
SUCCESS, ERROR = "##success##", "##error##"
_NUMBER = re.compile(r"\d+")


def last_tag(reply: str, tag: str) -> str:
    """Return what stands in the last tag of a name, without white space around; nothing where it is not closed."""
    start = reply.rfind(f"<{tag}>")
    end = reply.find(f"</{tag}>", start) if start >= 0 else -1
    return reply[start + len(tag) + 2 : end].strip() if end >= 0 else ""


def rule_label(text: str) -> str:
    """Return `Rule N` for the first whole number, inside the first brackets if there are some; else the text itself."""
    cited = in_brackets(text).strip()
    found = _NUMBER.search(cited)
    return f"Rule {found.group()}" if found else cited


def script_mode(expected: RuleVerdict, reply: str) -> str:
    """Name what the script makes of a reply; a reply of nothing is malformed to it."""
    answer = last_tag(reply, "ans")
    if not answer:
        return "malformed"
    wanted = ERROR if expected.verdict == "error" else SUCCESS
    if wanted == SUCCESS:
        return {SUCCESS: "correct", ERROR: "false_error"}.get(answer, "other")
    if answer != ERROR:
        return "false_success" if answer == SUCCESS else "other"
    label = rule_label(last_tag(reply, "rule"))
    if not label.startswith("Rule "):
        return "unparsed_rule"
    return "correct" if label == f"Rule {expected.rule}" else "wrong_rule"
