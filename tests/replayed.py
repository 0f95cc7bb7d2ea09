"""The worked example of checkpoint tasks: a program that counts by a recurrence, and the four arms asked of it."""

from __future__ import annotations

import json

CORE = """size = int(input())
digits = input().strip()
cnt0 = cnt1 = 0
ans = 0
for digit in digits:
    if digit == "0":
        dp0 = 1
        dp1 = cnt0 + cnt1
    else:
        dp0 = cnt1
        dp1 = cnt0 + 1
    ans += dp1
    cnt0, cnt1 = dp0, dp1
print(ans)
"""
LOOP_LINE = 5
SHORT, LONG = "5\n00110\n", f"1002\n{'01' * 501}\n"
FIELDS = ("ans", "cnt1", "dp1")
INSIDE_STATE, POST_STATE = '{"ans":63250,"cnt1":500,"dp1":500}', '{"ans":251502,"cnt1":2,"dp1":2}'
_EMIT = 'print(json.dumps({"ans": ans, "cnt1": cnt1, "dp1": dp1}, separators=(",", ":")))'
_STOP = f"    count += 1\n    if count == 502:\n        {_EMIT}\n        raise SystemExit\n"
INSIDE = "import json\n" + CORE.replace("for digit in digits:\n", f"count = 0\nfor digit in digits:\n{_STOP}")
POST = "import json\n" + CORE.replace("print(ans)", f"{_EMIT}\nraise SystemExit")


def line_of(source: str, text: str) -> int:
    """Return the number, from 1, of the first line that holds a text."""
    return next(number for number, line in enumerate(source.split("\n"), 1) if text in line)


def tasks() -> list[dict[str, object]]:
    """Return the four arms of the case."""

    def task(arm: str, source: str, given: str, oracle: str, **others: object) -> dict[str, object]:
        target = "state" if arm.endswith("state") else "output"
        named: dict[str, object] = {"study": "loops", "case": "nand-like", "arm": arm, "language": "python"}
        named |= {"source": source, "input": given, "target": target, "oracle": oracle, "clean_source": CORE}
        return named | others

    def point(source: str, when: str, **others: object) -> dict[str, object]:
        line = line_of(source, "json.dumps")
        return {"line": line, "when": when, "fields": list(FIELDS), "clean_line": LOOP_LINE, **others}

    inside = point(INSIDE, "before-iteration", iteration=502)
    return [
        task("short-trace-final", CORE, SHORT, "9\n"),
        task("long-trace-final", CORE, LONG, "251502\n"),
        task("inside-loop-state", INSIDE, LONG, f"{INSIDE_STATE}\n", checkpoint=inside),
        task("post-loop-state", POST, LONG, f"{POST_STATE}\n", checkpoint=point(POST, "after-loop")),
    ]


def reply(arm: str, answer: str, **others: object) -> dict[str, object]:
    """Return the response of one model to one arm."""
    named: dict[str, object] = {"study": "loops", "case": "nand-like", "arm": arm, "setting": "model-a", "sample": 0}
    return named | {"response": json.dumps({"output": answer})} | others


REPLIES = (
    reply("short-trace-final", "8\n"),
    reply("long-trace-final", "251002\n"),
    reply("inside-loop-state", '{"ans":62750,"cnt1":1,"dp1":500}'),
    reply("post-loop-state", '{"ans":251500,"cnt1":501,"dp1":2}'),
)
"""Each is wrong: one too few; a digit; a field of one iteration and others of another; two of three fields."""
