"""`python -m auditor` is the `auditor` command, whose script begins here too."""

import sys


def run() -> None:
    """Run the command; an interrupt while it is being loaded ends it as one that comes later does."""
    try:
        from auditor.cli.main import run as run_command

        run_command()
    except KeyboardInterrupt:
        # While packages load they evaluate text, and of an interrupt within that Python would end by the signal in
        # place of the exit code; evaluating anything makes it forget.
        exec("")
        sys.stderr.write("auditor: Interrupted.\n")
        sys.exit(130)


if __name__ == "__main__":
    run()
