"""The prompt for a base model: what the answer looks like, three worked examples, then the question."""

from __future__ import annotations

import json

HEAD = """\
Each program below was run on its input. The answer is one JSON object on one line. Its only key is "output", its \
value the exact text that the program wrote.

"""
QUESTION = """\
Program:
{source}
Input:
{input}
Answer:"""
EXAMPLES = (
    (
        "import json\nlimit = int(input())\nn, total = 0, 0\nwhile n < limit:\n    n += 3\n    total += n\n"
        'print(json.dumps({"n": n, "total": total}, separators=(",", ":")))\n',
        "7\n",
        '{"n":9,"total":18}\n',
    ),
    (
        "word = input()\nparts = []\nfor at in range(0, len(word), 2):\n    parts.append(word[at])\n"
        'print("-".join(parts), len(parts))\n',
        "lantern\n",
        "l-n-e-n 4\n",
    ),
    ("a, b = map(int, input().split())\nprint(a * b - 1)\n", "6 7\n", "41\n"),
)
"""Program, input and output; a test runs them."""


def prompt_of(source: str, text: str) -> str:
    """Return the prompt that asks what a program writes for an input."""
    shown = "".join(
        f"{QUESTION.format(source=program, input=given)} {json.dumps({'output': written})}\n\n"
        for program, given, written in EXAMPLES
    )
    return HEAD + shown + QUESTION.format(source=source, input=text)
