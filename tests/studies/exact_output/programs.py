"""Programs for the builder's tests: one that is admitted, and the worked example of the study with its numbers."""

from __future__ import annotations

from auditor.studies.exact_output.case import Case

TOTAL = """\
total = 0
for word in input().split():
    total += int(word)
print(total)
"""
SUM = Case("sum", TOTAL, "1 2\n", "1 2 3 4 5 6\n")

NAND = """\
size = int(input())
S = input()
cnt0 = cnt1 = 0
ans = 0
for ch in S:
    if ch == "0":
        dp0 = 1
        dp1 = cnt0 + cnt1
    else:
        dp0 = cnt1
        dp1 = cnt0 + 1
    ans += dp1
    cnt0, cnt1 = dp0, dp1
print(ans)
"""
"""The core loop of figure 1 of "Evaluating Exact Output and Checkpoint-State Prediction in Real Programs"."""
WORKED = Case("nand", NAND, "5\n00110\n", f"1002\n{'01' * 501}\n", fields=("ans", "cnt1", "dp1"))
