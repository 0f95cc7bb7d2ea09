"""`auditor adjudicate`: decide what annotators differ on, on a screen or item by item."""

from __future__ import annotations

import shlex
import sys
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auditor.cli import options
from auditor.cli.output import print_json, print_table, print_text
from auditor.cli.review import refuse_without_screens
from auditor.cli.tags import given_text
from auditor.errors import AuditorError, InputError
from auditor.text import counted, visible_line

if TYPE_CHECKING:
    from auditor.audit.adjudicate import AdjudicationWish, Overview
    from auditor.audit.rulings import Case, TagRow
    from auditor.configuration.configuration import Configuration

_SHOWN_ROWS = 200
_WORDS = {"yes": "present", "no": "absent", "unresolved": "unresolved", "open": "open"}
_WORDS_OF = {verdict: word for word, verdict in _WORDS.items()}


def _names(context: click.Context, parameter: click.Parameter, value: str | None) -> tuple[str, ...] | None:
    if value is None:
        return None
    names = tuple(given_text(context, parameter, name.strip()) for name in value.split(",") if name.strip())
    if len(set(names)) < 2:
        raise click.BadParameter("name at least two annotators, separated by a comma.")
    return names


@click.command("adjudicate")
@options.audit_file
@click.option("--annotator", metavar="NAME", callback=given_text, help="Who decides; default: the setting `annotator`.")
@click.option("--codebook", metavar="C", help="Instead of the only one that somebody worked under.")
@options.where()
@click.option(
    "--order",
    metavar="O",
    default="disagreement",
    show_default=True,
    help="disagreement (most differing tags first), smallest, random (by --seed) or import.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Of the random order.")
@click.option(
    "--between", metavar="A,B", callback=_names, help="Whose reviews are compared; default: people's, not models'."
)
@click.option(
    "--names",
    type=click.Choice(("hidden", "shown")),
    default="hidden",
    show_default=True,
    help="Whether the screen calls annotators A, B, C until `v` names them.",
)
@click.option("--list", "lists", is_flag=True, help="Print what is open and what is decided, and open no screen.")
@click.option("--decide", "item", metavar="ITEM", callback=given_text, help="Decide tags of this item; no screen.")
@click.option(
    "--tag",
    "verdicts",
    metavar="T=V",
    multiple=True,
    callback=given_text,
    help="With --decide: a tag, and yes, no, unresolved or open (nothing decided any more); repeat.",
)
@click.option("--take", metavar="NAME", callback=given_text, help="With --decide: as this annotator marked it.")
@click.option(
    "--note", metavar="TEXT", callback=given_text, help="With --decide: why; needed where it overrides everyone."
)
@options.as_json
@options.replay_unsafe
@options.screen
def adjudicate_command(
    file: Path,
    annotator: str | None,
    codebook: str | None,
    where: str,
    order: str,
    seed: int,
    between: tuple[str, ...] | None,
    names: str,
    lists: bool,
    item: str | None,
    verdicts: tuple[str, ...],
    take: str | None,
    note: str | None,
    as_json: bool,
    unsafe: bool,
    config_path: Path | None,
    theme: str | None,
    mouse: bool | None,
) -> int:
    """Decide the tags of FILE on which annotators differ, one item after the other.

    Items that all annotators tagged alike agree by themselves. Of the others, each tag that they differ on is decided
    present, absent or unresolved. A decision keeps who made it and on which marks, and is stale when one of these
    changes. Every decision is in the file before the next key, and u undoes it.

    \b
    auditor adjudicate audit.db --annotator lm
    auditor adjudicate audit.db --annotator lm --where 'arm:output' --order smallest
    auditor adjudicate audit.db --list
    auditor adjudicate audit.db --annotator lm --decide demo/case-1/output/model-a/0 --tag copying=yes
    auditor adjudicate audit.db --annotator lm --decide demo/case-1/output/model-a/0 --take ana
    """
    from auditor.audit.adjudicate import AdjudicationWish
    from auditor.configuration.configuration import load_configuration

    if item is None and (verdicts or take is not None or note is not None):
        raise InputError("--tag, --take and --note say what is decided of an item.", hint="Name it with --decide ITEM.")
    if lists and item is not None:
        raise InputError("--list and --decide are two different things.", hint="Leave one of them out.")
    wish = AdjudicationWish(where, order, seed, codebook, between)
    if lists:
        return _list(file, wish, as_json)
    flags: dict[str, str | bool | None] = {"annotator": annotator, "theme": theme, "mouse": mouse}
    configuration = load_configuration(config_path, flags)
    who = configuration.settings.annotator
    if not who:
        hint = "Give --annotator NAME, or once and for all: auditor config set annotator NAME"
        raise InputError("who decides?", hint=hint)
    if item is not None:
        return _decide(file, who, item, verdicts, take, note, wish, as_json)
    if as_json:
        raise InputError("--json goes with --list and with --decide.", hint="Add one of them.")
    words: dict[str, object] = {
        "--codebook": codebook,
        "--where": where or None,
        "--order": order if order != "disagreement" else None,
        "--seed": seed or None,
        "--between": ",".join(between) if between else None,
        "--names": names if names != "hidden" else None,
        "--config": config_path,
        "--theme": theme,
    }
    given = [word for name, value in words.items() if value is not None for word in (name, str(value))]
    given += ["--unsafe"] if unsafe else []
    return _on_screen(file, who, wish, names == "shown", configuration, given, unsafe=unsafe)


# --- the screen ----------------------------------------------------------------------------------------------------


def _on_screen(
    file: Path,
    annotator: str,
    wish: AdjudicationWish,
    names_shown: bool,
    configuration: Configuration,
    given: list[str],
    *,
    unsafe: bool,
) -> int:
    from auditor.audit.adjudicate import check_adjudication, open_adjudication

    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        # What else is wrong with the call is said first: it would be wrong in a terminal too.
        check_adjudication(file, annotator, wish)
        raise AuditorError("the screen needs a terminal.", "Use --list and --decide from a script.")
    refuse_without_screens()
    session, adjudication = open_adjudication(file, annotator, wish)
    with closing(session), closing(adjudication):
        from auditor.tui import run_adjudication

        code = run_adjudication(session, adjudication, configuration, names_shown=names_shown, unsafe=unsafe)
        session.retry_pending()
        command = ["auditor", "adjudicate", str(file), "--annotator", annotator, *given]
        again = f"Go on with: {' '.join(map(shlex.quote, command))}"
        # A terminal that was closed takes no line any more.
        with suppress(OSError):
            print_text(visible_line(f"{describe_counts(adjudication.counts())}. {again}"), wrap=False)
    return code


def describe_counts(counts: Any) -> str:
    """Say how items stand: `3 open, 12 adjudicated`."""
    from auditor.store.decisions import SINGLE, STATES

    words = [f"{counts[state]:,} {state}" for state in STATES if counts[state]]
    if counts[SINGLE]:
        words.append(f"{counts[SINGLE]:,} reviewed by one annotator only")
    return ", ".join(words) or "nothing reviewed"


# --- without a screen ----------------------------------------------------------------------------------------------


def _list(file: Path, wish: AdjudicationWish, as_json: bool) -> int:
    from auditor.audit.adjudicate import read_overview, why_nothing

    found, cases = read_overview(file, wish)
    if as_json:
        items = [{"item": key, **_case_json(case)} for key, case in cases]
        print_json({"codebook": found.codebook, "counts": _counts_json(found), "items": items})
        return 0
    print_text(f"Codebook {found.codebook}: {describe_counts(found.counts)}.")
    if not found.ids:
        why = why_nothing(found, wish.where)
        print_text(f"{why[0].upper()}{why[1:]}")
        return 0
    rows = [[key, case.state, len(case.needing), _told(case)] for key, case in cases[:_SHOWN_ROWS]]
    print_table(["item", "state", "to decide", "tags"], rows, folds={"item": "/", "state": ""})
    if len(cases) > _SHOWN_ROWS:
        print_text(f"… and {len(cases) - _SHOWN_ROWS:,} more: --json gives all.")
    return 0


def _counts_json(found: Overview) -> dict[str, int]:
    from auditor.store.decisions import SINGLE, STATES

    return {state: found.counts[state] for state in (*STATES, SINGLE)}


def _told(case: Case) -> str:
    """Say what is decided and what is not: `copying ana, not ben; loops yes`."""
    told = "; ".join(f"{row.tag.id} {_row_words(case, row)}" for row in case.rows if not row.is_agreed)
    agreed = ", ".join(row.tag.id for row in case.rows if row.is_agreed and row.present)
    return told or f"all: {agreed or 'no tag'}"


def _row_words(case: Case, row: TagRow) -> str:
    if row.decision is not None:
        return f"{_WORDS_OF[row.decision.ruling.verdict]}{' (stale)' if row.is_stale else ''}"
    put = [voice.annotator for voice, mark in zip(case.voices, row.marks, strict=True) if mark]
    others = [voice.annotator for voice, mark in zip(case.voices, row.marks, strict=True) if not mark]
    return f"{' and '.join(put)}, not {' and '.join(others)}"


def _case_json(case: Case) -> dict[str, Any]:
    return {
        "state": case.state,
        "annotators": [
            {"annotator": v.annotator, "kind": v.kind, "tags": sorted(v.tags), "note": v.note, "at": v.at}
            for v in case.voices
        ],
        "tags": [
            {
                "tag": row.tag.id,
                "source": row.source,
                "marks": {v.annotator: mark for v, mark in zip(case.voices, row.marks, strict=True)},
                "present": row.present,
                "stale": row.is_stale,
                "by": row.decision.adjudicator if row.decision else None,
                "at": row.decision.at if row.decision else None,
                "revision": row.decision.revision if row.decision else None,
                "note": row.decision.ruling.note if row.decision else None,
            }
            for row in case.rows
            if not row.is_agreed or any(row.marks)
        ],
    }


def _decide(
    file: Path,
    annotator: str,
    item: str,
    verdicts: tuple[str, ...],
    take: str | None,
    note: str | None,
    wish: AdjudicationWish,
    as_json: bool,
) -> int:
    from auditor.audit.adjudicate import decide_item

    named = [_verdict(text) for text in verdicts]
    case, changed = decide_item(
        file, annotator, item, named, take=take, note=note, codebook=wish.codebook, among=wish.among
    )
    if as_json:
        print_json({"item": item, "changed": changed, **_case_json(case)})
        return 0
    left = len(case.needing)
    print_text(f"{item}: {_told(case)}" if changed else "It was so already.")
    if left:
        print_text(f"{counted(left, 'tag')} of it still {'needs' if left == 1 else 'need'} a decision.")
    return 0


def _verdict(text: str) -> tuple[str, str]:
    tag, found, word = text.rpartition("=")
    if not found or word not in _WORDS or not tag:
        raise InputError(
            f"--tag {visible_line(text, 60)} does not say what is decided.",
            hint="Write TAG=yes, TAG=no, TAG=unresolved or TAG=open.",
        )
    return tag, _WORDS[word]
