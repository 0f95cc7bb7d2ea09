"""The command line's front door: finds commands without importing the others, and turns every error into a sentence."""

from __future__ import annotations

import importlib
import os
import signal
import sys
from contextlib import suppress
from typing import Any

import click

from auditor import __version__
from auditor.errors import AuditorError
from auditor.text import visible_line

COMMANDS: dict[str, tuple[str, str]] = {
    "import": ("auditor.cli.load:load_command", "Bring cases and responses into an audit file."),
    "grade": ("auditor.cli.grade:grade_command", "Grade all responses and compute their failure modes."),
    "review": ("auditor.cli.review:review_command", "Review failures with the keyboard."),
    "queue": ("auditor.cli.queue:queue_command", "List the responses that a filter leaves; saved filters."),
    "show": ("auditor.cli.show:show_command", "Print or write the texts of one item, exactly."),
    "trace": ("auditor.cli.trace:trace_command", "Run one item's program and say where its prediction parts."),
    "tags": ("auditor.cli.tags:tags", "List, put or import tags."),
    "places": ("auditor.cli.places:places", "List, put or import bookmarks and memos."),
    "probes": ("auditor.cli.probes:probes", "List, propose, write and withdraw probes of runs."),
    "codebook": ("auditor.cli.codebook:codebook", "Look at the codebook and change it: rename, merge, split, …"),
    "assign": ("auditor.cli.assignment:assign_command", "Share the items to review among several people."),
    "progress": ("auditor.cli.assignment:progress_command", "Who has reviewed what."),
    "agreement": ("auditor.cli.agreement:agreement", "How far annotators agree: kappa and what belongs beside it."),
    "adjudicate": ("auditor.cli.adjudicate:adjudicate_command", "Decide what annotators differ on."),
    "accuracy": ("auditor.cli.tables:accuracy_command", "Accuracy by any dimensions, under both denominators."),
    "transitions": ("auditor.cli.transitions:transitions_command", "Paired changes between two arms or two settings."),
    "regress": ("auditor.cli.regress:regress_command", "Regress errors on study, arm, setting and measures."),
    "associate": ("auditor.cli.associate:associate_command", "Whether measures are larger among errors, with p."),
    "measure": ("auditor.cli.measure:measure_command", "Measure tasks that came without measures."),
    "subjects": ("auditor.cli.subjects:subjects_command", "Programs and probes as items that experts judge."),
    "invalidate": ("auditor.cli.invalidate:invalidate_command", "Predictions that were asked wrongly count nowhere."),
    "export": ("auditor.cli.export:export", "Write tags, responses, a run directory or the taxonomy."),
    "report": ("auditor.cli.report:report_command", "Write what an audit came to as one page."),
    "plot": ("auditor.cli.plot:plot_command", "The plots of a report, in characters or as SVG."),
    "merge": ("auditor.cli.merge:merge_command", "Bring in what people said in other files of the audit."),
    "build": ("auditor.cli.build:build", "Make the tasks of a benchmark from programs."),
    "cstar": ("auditor.cli.cstar:cstar", "Check, run, print, break and make programs in C*; its rules."),
    "info": ("auditor.cli.inspect:info_command", "What is in an audit file."),
    "verify": ("auditor.cli.inspect:verify_command", "Replay the history and check the file."),
    "config": ("auditor.cli.config:config", "Show, check and change your settings."),
    "themes": ("auditor.cli.config:themes", "List the themes, and check one of your own."),
    "demo": ("auditor.cli.demo:demo_command", "Open a bundled sample run."),
}
"""Where each command is, and its line in the list of commands."""

EXIT_INTERRUPTED = 130
_ENDING_SIGNALS = (signal.SIGTERM, signal.SIGHUP)


class _ReaderGoneError(Exception):
    """Nobody reads our output any more (`| head`)."""


class _EndedBySignal(BaseException):
    """We are asked to end: what is open is closed and half-written files are taken away."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.exit_code = 128 + number


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name][0].partition(":")
        command = getattr(importlib.import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(args[0], COMMANDS, 1)
            hint = f"Did you mean {near[0]}?" if near else "See: auditor --help"
            raise AuditorError(f"there is no command {visible_line(args[0])!r}.", hint)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
            return result
        except BrokenPipeError as error:  # click itself would exit with 1, which says that records were refused
            raise _ReaderGoneError from error

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with: auditor demo",
)
@click.version_option(__version__, prog_name="auditor")
def cli() -> None:
    """Find out why language models mispredict what programs do.

    An audit is one SQLite file: import cases and responses, grade them, review the failures with the keyboard, see how
    far annotators agree, export what was found.
    """


OTHER_NAMES = {
    ("accuracy", "--by"): "--rows and --cols",
    ("accuracy", "--factors"): "--rows and --cols",
    ("associate", "--rows"): "--by",
    ("associate", "--cols"): "--by",
    ("associate", "--factors"): "--by",
    ("regress", "--by"): "--factors",
    ("regress", "--rows"): "--factors",
    ("regress", "--cols"): "--factors",
    ("accuracy", "--annotators"): "--annotator, once for each",
    ("transitions", "--annotators"): "--annotator, for one",
    ("regress", "--annotators"): "--annotator, once for each",
    ("associate", "--annotators"): "--annotator, once for each",
    ("export", "--annotators"): "--annotator, once for each",
}
"""By command and option: what is called otherwise there than in other commands of results."""


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return the exit code: 0 done, 1 done in part, 2 unusable, 130 interrupted.

    When a signal ends it, the code is 128 and the signal's number.
    """
    try:
        result: Any = cli.main(args=arguments, prog_name="auditor", standalone_mode=False)
    except AuditorError as error:
        _say(str(error))
        return error.exit_code
    except (click.exceptions.Abort, KeyboardInterrupt):
        # Within code that is evaluated from text, as packages do while they load, Python takes an interrupt for one
        # that nobody caught, and ends by the signal in place of the exit code; evaluating anything makes it forget.
        exec("")
        _say("Interrupted.")
        return EXIT_INTERRUPTED
    except _EndedBySignal as error:
        _say("Ended by a signal.")
        return error.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        _show(error.format_message())
        return 2
    except click.NoSuchOption as error:
        command = error.ctx.info_name if error.ctx else None
        meant = OTHER_NAMES.get((command or "", error.option_name))
        told = f"No such option {error.option_name!r}. Here it is {meant}." if meant else error.format_message()
        _say(f"{told} See: {error.ctx.command_path if error.ctx else 'auditor'} --help")
        return 2
    except click.UsageError as error:
        where = error.ctx.command_path if error.ctx else "auditor"
        _say(f"{error.format_message()} See: {where} --help")
        return 2
    except click.ClickException as error:
        _say(error.format_message())
        return 2
    except _ReaderGoneError:
        _drop_output()
        return 0
    except OSError as error:
        _drop_output()
        name = f"{visible_line(str(error.filename))}: " if error.filename else ""
        _say(f"{name}{visible_line(error.strerror or str(error))}.")
        return 2
    except MemoryError:
        _say("there is not enough memory for this.")
        return 2
    except Exception as error:  # the last border: nobody sees a traceback
        if os.environ.get("AUDITOR_DEBUG"):
            raise
        _say(
            f"this should not have happened ({type(error).__name__}: {visible_line(str(error), 300)})."
            " Set AUDITOR_DEBUG=1 to see where, and please report it."
        )
        return 2
    return result if isinstance(result, int) else 0


def _drop_output() -> None:
    """Send what is still to be written to nowhere: Python would complain when it flushes stdout at exit."""
    with suppress(OSError):
        sys.stdout.flush()
        return
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _show(text: str) -> None:
    from auditor.cli.output import say

    say(text)


def _say(sentence: str) -> None:
    _show(f"auditor: {sentence}")


def _replace_closed_streams() -> None:
    """Open what the caller closed (`>&-`) on nowhere, so that no other file takes its place and its number."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - it is open to the end


def _end_on_signals() -> None:
    """Make a signal to end an exception, unless it is ignored (`nohup`); a second one ends the process at once."""

    def end(number: int, _frame: object) -> None:
        signal.signal(number, signal.SIG_DFL)
        raise _EndedBySignal(number)

    for number in _ENDING_SIGNALS:
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, end)


def run() -> None:
    """The entry point of the `auditor` script."""
    _replace_closed_streams()
    _end_on_signals()
    sys.exit(main())
