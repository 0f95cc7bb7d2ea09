"""Merging audits: what people said in other files, or in bundles, comes into one file wholly or not at all."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from auditor.audit.annotations import read_bundle
from auditor.codebook_entries import nearest
from auditor.errors import InputError, InterruptedWorkError
from auditor.formats.annotation_bundle import is_bundle
from auditor.formats.annotation_records import AnnotationSource, AnnotatorRecord, AssignmentRecord, EventRecord
from auditor.store.annotation_source import FileSource
from auditor.store.file import copy_file, is_older, open_file, open_for_reading, transaction, translate
from auditor.store.join_report import Conflict, JoinReport, UnjoinedItem
from auditor.store.joined_people import KIND, SAME, Wishes
from auditor.store.joining import ChoiceNeededError, join_sources
from auditor.store.pending import waiting_beside
from auditor.text import visible_line

__all__ = ["Conflict", "JoinReport", "MergeOptions", "Rename", "UnjoinedItem", "merge", "parse_rename"]

Progress = Callable[[str, int, int], None]
"""Called with what is done, how much of it, and how much there is."""
_NAMES_SHOWN = 5


class Rename(NamedTuple):
    """A name in another file, and the one that it gets."""

    source: str
    """As the other file was named; empty = the only one."""
    name: str
    becomes: str


class MergeOptions(NamedTuple):
    """What somebody says of annotators, and whether anything is changed."""

    same: tuple[str, ...] = ()
    renames: tuple[Rename, ...] = ()
    dry_run: bool = False


def merge(
    path: Path, others: Sequence[Path], options: MergeOptions | None = None, progress: Progress | None = None
) -> JoinReport:
    """Bring what people said in other audit files, or bundles, into an audit file: all of it, or nothing.

    The others are only read. A dry run does it to a copy. Raises InputError and AuditFileError, with nothing changed,
    when a file is unusable, or somebody has to say who is who or what a codebook is to say.
    """
    options = options or MergeOptions()
    with ExitStack() as stack:
        sources = [_source(path, other, stack, progress) for other in dict.fromkeys(others)]
        wishes = _wishes(options, sources)
        try:
            with _target(path, options.dry_run) as connection, transaction(connection):
                report = join_sources(connection, sources, wishes, progress)
            report.notes += [note for other in others for note in _left_beside(other)]
            return report
        except ChoiceNeededError as error:
            raise _to_choose(path, error) from error
        except sqlite3.Error as error:
            raise translate(error, path) from error
        except KeyboardInterrupt as interrupt:
            raise InterruptedWorkError("interrupted.", "Nothing was changed.") from interrupt


def parse_rename(text: str, others: Sequence[str]) -> Rename:
    """Read `OTHER:NAME=NEW`, or `NAME=NEW` where there is one other file. Raises InputError for anything else."""
    for other in sorted(others, key=len, reverse=True):
        if text.startswith(f"{other}:"):
            source, text = other, text.removeprefix(f"{other}:")
            break
    else:
        source = others[0] if len(others) == 1 else ""
    name, equals, becomes = text.rpartition("=")
    if not (source and equals and name.strip() and becomes.strip()):
        raise InputError(
            f"--rename {visible_line(text, 60)}: this names no file, or no two names.",
            hint="Write OTHER:NAME=NEW, with OTHER as it is named on the command line.",
        )
    return Rename(source, name, becomes)


@contextmanager
def _target(path: Path, dry_run: bool) -> Iterator[sqlite3.Connection]:
    """Open the audit file, or for a dry run a copy of it that is thrown away."""
    with ExitStack() as stack:
        if dry_run:
            is_older(path)  # says what is wrong with it, which the copy would not
            copy = Path(stack.enter_context(TemporaryDirectory(prefix="auditor-"))) / "dry-run.db"
            copy_file(path, copy)
            path = copy
        connection = stack.enter_context(closing(open_file(path)))
        # Rows that others name get other ids; `verify` checks that every name leads somewhere.
        connection.execute("PRAGMA foreign_keys = OFF")
        yield connection


def _source(path: Path, other: Path, stack: ExitStack, progress: Progress | None) -> AnnotationSource:
    """Open another audit file, or a bundle, for reading; an older file is read from a copy, which is migrated."""
    if is_bundle(other):
        return read_bundle(other, progress)
    if other.exists() and path.exists() and other.samefile(path):
        raise InputError(f"{visible_line(str(other))} is the audit file itself.", hint="Name another one.")
    try:
        readable = other
        if is_older(other):
            readable = Path(stack.enter_context(TemporaryDirectory(prefix="auditor-"))) / other.name
            copy_file(other, readable)
        connection = stack.enter_context(closing(open_for_reading(readable, untouched=True)))
        connection.execute("BEGIN")  # one state of the file, whoever writes to it meanwhile
        return _OtherFile(connection, str(other))
    except sqlite3.Error as error:
        raise translate(error, other) from error


def _left_beside(other: Path) -> list[str]:
    """Say that marks wait beside another audit file which are not in it yet."""
    left = waiting_beside(other)
    if not left:
        return []
    return [
        f"marks wait beside {visible_line(str(other))} that are not in it yet ({visible_line(', '.join(left))}): let"
        " whom they belong to open a review of it once, and merge again."
    ]


class _OtherFile(FileSource):
    """Another audit file, whose errors name it and not the file that is merged into."""

    def annotators(self) -> list[AnnotatorRecord]:
        with self._reading():
            return super().annotators()

    def events(self, annotator: str | None = None) -> Iterator[EventRecord]:
        with self._reading():
            yield from super().events(annotator)

    def assignments(self) -> list[AssignmentRecord]:
        with self._reading():
            return super().assignments()

    @contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise translate(error, Path(self.label)) from error


def _wishes(options: MergeOptions, sources: Sequence[AnnotationSource]) -> Wishes:
    renames: dict[tuple[str, str], str] = {}
    told = options.renames or options.same
    there = {source.label: {one.name for one in source.annotators()} for source in sources} if told else {}
    for one in options.renames:
        shown, name = visible_line(one.source), visible_line(one.name, 60)
        if one.source not in there:
            raise InputError(f"--rename names {shown}, which is not merged.")
        if one.name not in there[one.source]:
            raise InputError(f"--rename names {name!r}, and {shown} has no annotator of that name.")
        if renames.get((one.source, one.name), one.becomes) != one.becomes:
            raise InputError(f"--rename gives {name!r} of {shown} two names.")
        renames[one.source, one.name] = one.becomes
    known = sorted(set().union(*there.values(), renames.values()))
    for name in options.same:
        if name not in known:
            raise InputError(
                f"--same names {visible_line(name, 60)!r}, and nothing that is merged has an annotator of that name.",
                hint=nearest(name, known) or f"There: {visible_line(', '.join(known), 400)}.",
            )
    return Wishes(options.same, renames)


# --- what needs a choice -------------------------------------------------------------------------------------------


def _to_choose(path: Path, needed: ChoiceNeededError) -> InputError:
    """Return the sentences on what somebody has to say first."""
    found = [_about_people(path, source, problem, needed) for source, problem in _problems(needed)]
    for name, conflicts in needed.codebooks:
        found.append(
            f"the codebook {visible_line(name)} was changed in both files, and the changes contradict each other:"
            f" {'; '.join(conflicts)}. Make the same change in one of them with `auditor codebook`, and merge again."
        )
    return InputError(" ".join(found) + " Nothing was changed.")


def _problems(needed: ChoiceNeededError) -> list[tuple[str, str]]:
    return list(dict.fromkeys((one.source, one.problem) for one in needed.people))


def _about_people(path: Path, source: str, problem: str, needed: ChoiceNeededError) -> str:
    people = [one.name for one in needed.people if (one.source, one.problem) == (source, problem)]
    first, *others = [visible_line(name, 60) for name in people[:_NAMES_SHOWN]]
    more = [f"{len(people) - _NAMES_SHOWN:,} more"] if len(people) > _NAMES_SHOWN else []
    *most, last = [first, *others, *more]
    shown = f"the annotators {', '.join(most)} and {last}" if most else f"the annotator {last}"
    are, who = ("are", "the same people") if most else ("is", "the same person")
    files = f"{visible_line(str(path))} and {visible_line(source)}"
    rename = f"--rename {visible_line(source)}:{first}=NEW"
    if problem == SAME:
        return (
            f"{shown} {are} in {files}, and nothing says whether that is {who}:"
            f" give `auditor merge` --same {first} if so, else {rename}."
        )
    if problem == KIND:
        return f"{shown} would be a person and a program at once in {files}: give `auditor merge` {rename}."
    here = visible_line(str(path))
    return (
        f"{shown} cannot be called so: {here} or {visible_line(source)} has somebody else of that name, or {here}"
        " knows them under another one."
    )
