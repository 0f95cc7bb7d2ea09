"""What auditor.compare may load: values in, values out, so no screen; and DeepDiff only where it is used."""

from __future__ import annotations

import subprocess
import sys

_SCRIPT = """
import sys
from auditor.compare import code_points, fields, json_diff, text_diff
print(sorted({"textual", "rich", "deepdiff", "numpy", "sqlite3"} & set(sys.modules)))
json_diff.diff_json({"a": 1}, {"a": 2})
print("deepdiff" in sys.modules)
"""


def test_comparing_loads_no_screen_and_deepdiff_only_for_values() -> None:
    done = subprocess.run([sys.executable, "-c", _SCRIPT], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\nTrue\n"
