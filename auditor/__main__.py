"""`python -m auditor` is the `auditor` command."""

from auditor.cli.main import run

run()
