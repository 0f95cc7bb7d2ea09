"""Say which share of the wrong predictions of an audit file gets an explanation, as `grade --diagnose` kept them.

Run with: python -m tests.benchmarks.explained_failures audit.db
"""

from __future__ import annotations

import argparse
import re
from collections import Counter, defaultdict
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from auditor.analysis.cluster_bootstrap import cluster_bootstrap_ratio
from auditor.model import Finding
from auditor.store.file import open_for_reading
from auditor.store.wrong_predictions import wrong_predictions

_SEVERAL = re.compile(r"[0-9,]+ faults?\b")


def fault_of(findings: list[Finding]) -> Finding | None:
    """Return what is said of single faults."""
    return next((one for one in findings if one.mode == "counterfactual"), None)


def is_weak(fault: Finding | None) -> bool:
    """Say whether many mistakes lead to the prediction."""
    return fault is not None and (fault.detail or "").endswith("weak")


def is_cause(fault: Finding | None) -> bool:
    """Say whether one fault is called the cause."""
    return fault is not None and not _SEVERAL.match(fault.detail or "")


SHARES: dict[str, Callable[[list[Finding]], bool]] = {
    "some single fault gives it": lambda found: fault_of(found) is not None,
    "and the evidence is not weak": lambda found: fault_of(found) is not None and not is_weak(fault_of(found)),
    "one fault is called the cause": lambda found: is_cause(fault_of(found)),
    "a state of another iteration": lambda found: any(one.mode == "other_iteration" for one in found),
    "a value before its update": lambda found: any(one.mode == "stale_value" for one in found),
}


def main() -> int:
    """Print shares with intervals, over different predictions of a task and over responses."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    responses: dict[int, list[list[Finding]]] = defaultdict(list)
    different: dict[int, dict[str, list[Finding]]] = defaultdict(dict)
    kinds: Counter[str] = Counter()
    with closing(open_for_reading(parser.parse_args().file)) as connection:
        for _, task, _, grade in wrong_predictions(connection):
            found = [grade.finding, *grade.others]
            responses[task].append(found)
            if grade.prediction is not None and grade.prediction not in different[task]:
                different[task][grade.prediction] = found
                fault = fault_of(found)
                if fault is not None and is_cause(fault):
                    kinds[(fault.detail or "").partition(",")[0]] += 1
    for what, tasks in (
        ("responses", list(responses.values())),
        ("different predictions of a task", [list(each.values()) for each in different.values()]),
    ):
        print(f"{sum(map(len, tasks)):,} wrong {what}, {len(tasks):,} tasks")
        for name, holds in SHARES.items():
            share = cluster_bootstrap_ratio([sum(map(holds, each)) for each in tasks], [len(each) for each in tasks])
            if share.value and share.low is not None and share.high is not None:
                print(f"  {name:32}{100 * share.value:6.1f} % [{100 * share.low:.1f}, {100 * share.high:.1f}]")
    print("causes by kind:", ", ".join(f"{kind} {count}" for kind, count in kinds.most_common()) or "none")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
