"""Write what an audit file holds to a file of one's own: streamed, and complete or not there at all."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TypeVar

from auditor.audit.annotations import write_bundle
from auditor.audit.codebooks import codebook_in_use, is_installed
from auditor.audit.decided import FinalRecord, final_records, finals
from auditor.audit.diagnosis import COLUMNS as DIAGNOSIS_COLUMNS
from auditor.audit.diagnosis import Diagnosis
from auditor.audit.requests import export_requests
from auditor.audit.taxonomy import TAXONOMY_COLUMNS, taxonomies, taxonomy_document, taxonomy_records
from auditor.codebook import dump_codebook
from auditor.errors import InputError
from auditor.formats.plan import KEY, plan_value
from auditor.formats.record_writer import FlatRecord, Layout, layout_of, write_records
from auditor.formats.records import RunInfo
from auditor.formats.run_writer import write_run_directory
from auditor.formats.whole_file import whole_file
from auditor.model import JsonValue
from auditor.store.annotators import codebook_names, require_annotators
from auditor.store.decisions import ADJUDICATED, OPEN, SINGLE, STALE, UNRESOLVED
from auditor.store.file import open_for_reading, shell_path, translate
from auditor.store.graded_responses import GRADED_COLUMNS, count_responses, facet_columns, iterate_graded
from auditor.store.invalidations import INVALID_KEY, all_invalid, invalid_keys, is_word
from auditor.store.places import PlaceRecord, count_places, iterate_places
from auditor.store.responses import iterate_responses, require_responses
from auditor.store.runs import implied_cells, load_runs, planned_cells
from auditor.store.tag_records import TagRecord, count_tag_records, iterate_tag_records
from auditor.store.tasks import iterate_tasks, load_settings, load_studies
from auditor.text import counted, to_bytes, visible_line

WHATS = (
    *("tags", "places", "probes", "responses", "requests", "taxonomy"),
    *("diagnosis", "annotations", "run", "codebook", "bundle"),
)

T = TypeVar("T")
Progress = Callable[[str, int, int], None]
"""Called with what is written, the rows done and the rows in all."""


class ExportOptions(NamedTuple):
    """What is left out, and whether an existing file is replaced."""

    where: str = ""
    annotators: tuple[str, ...] = ()
    force: bool = False
    codebook: str | None = None
    """Which codebook is written; None = the only one that something was reviewed under."""
    adjudicated: bool = False
    """Whether of the tags only those with a final value are written, and where it comes from."""
    title: str = ""
    """What a bundle is called; none = by the name of the audit file."""


class ExportReport(NamedTuple):
    """What was written."""

    rows: int
    notes: tuple[str, ...] = ()


class _Export(NamedTuple):
    """What is written from where, how and to where."""

    connection: sqlite3.Connection
    path: Path
    """Of the audit file."""
    file: BinaryIO
    layout: Layout
    options: ExportOptions
    progress: Progress | None


def write_export(
    path: Path,
    what: str,
    target: Path | BinaryIO,
    options: ExportOptions | None = None,
    progress: Progress | None = None,
    *,
    stream_layout: Layout = "jsonl",
) -> ExportReport:
    """Export tags, responses or the taxonomy to a file by its extension, or in a given layout to a stream.

    A run goes into a new folder, annotations into a new one or over older ones, a codebook into a YAML file or to the
    stream. Raises InputError, and writes nothing, when there is nothing to write, the options do not go with what is
    exported, or the target cannot be written.
    """
    options = options or ExportOptions()
    _check(path, what, target, options)
    if what == "bundle":
        if isinstance(target, Path) and target.suffix:
            told = "a bundle is a folder, and this is the name of a file."
            raise InputError(told, where=visible_line(str(target)), hint="Name a new folder.")
        from auditor.audit.publish import publish
        from auditor.audit.report.subject import ReportOptions

        assert isinstance(target, Path)
        published = publish(path, target, ReportOptions(title=options.title), progress)
        return ExportReport(published.files, (f"the manifest's SHA-256 is {published.manifest}.",))
    try:
        with closing(open_for_reading(path)) as connection:
            connection.execute("BEGIN")  # one state of the file for all that is read, whoever writes meanwhile
            require_annotators(connection, options.annotators)
            if what == "annotations":
                assert isinstance(target, Path)
                return ExportReport(
                    write_bundle(connection, path, target, options.annotators, force=options.force, progress=progress)
                )
            if what == "run":
                assert isinstance(target, Path)
                return _export_run(connection, path, target, progress)
            if what == "requests":
                rows = export_requests(connection, path, target, options.where, force=options.force, progress=progress)
                return ExportReport(rows)
            if what == "probes":
                from auditor.audit.probe_files import export_probes  # with it comes what builds problems

                own = (options.where, options.annotators)
                return ExportReport(*export_probes(connection, target, *own, force=options.force))
            if isinstance(target, Path):
                layout = layout_of(target) if what != "codebook" else "jsonl"
                with whole_file(target, force=options.force) as file:
                    return _EXPORTS[what](_Export(connection, path, file, layout, options, progress))
            return _EXPORTS[what](_Export(connection, path, target, stream_layout, options, progress))
    except sqlite3.Error as error:
        raise translate(error, path) from error


def _check(path: Path, what: str, target: Path | BinaryIO, options: ExportOptions) -> None:
    if what not in WHATS:
        hint = f"There are {', '.join(WHATS)}."
        if str(path) in WHATS:
            hint = f"What to write comes first: auditor export {path} {shell_path(Path(what))}."
        raise InputError(f"there is no export {visible_line(what, 40)!r}.", hint=hint)
    if options.adjudicated and what != "tags":
        raise InputError(f"--adjudicated does not go with {what}.", hint="It says which tags `export tags` writes.")
    if options.adjudicated and options.annotators:
        raise InputError(
            "--annotator does not go with --adjudicated: decisions are nobody's own.", hint="Leave it out."
        )
    if options.annotators and what not in ("tags", "places", "probes", "taxonomy", "diagnosis", "annotations"):
        raise InputError(f"--annotator does not go with {what}, which are nobody's.", hint="Leave it out.")
    if options.codebook is not None and what not in ("codebook", "diagnosis"):
        hint = "It says which one `export codebook` writes, and which one `export diagnosis` is about."
        raise InputError(f"--codebook does not go with {what}.", hint=hint)
    if options.title and what != "bundle":
        raise InputError(f"--title does not go with {what}.", hint="It is the title of a bundle and its report.")
    if what == "annotations":
        if not isinstance(target, Path):
            raise InputError(
                "annotations are a folder, so they cannot go to the standard output.", hint="Give -o FOLDER."
            )
        if options.where:
            raise InputError("--where does not go with annotations, which are written whole.", hint="Leave it out.")
    elif what in ("run", "bundle"):
        if not isinstance(target, Path):
            raise InputError(f"a {what} is a folder, so it cannot go to the standard output.", hint="Give -o FOLDER.")
        if options.where or options.force:
            option = "--where" if options.where else "--force"
            raise InputError(f"{option} does not go with a {what}, which is written whole into a new folder.")
    elif what == "codebook":
        if options.where:
            raise InputError("--where does not go with a codebook, which is written whole.", hint="Leave it out.")
        if isinstance(target, Path) and target.suffix.lower() not in (".yaml", ".yml"):
            raise InputError("a codebook is YAML.", where=visible_line(str(target)), hint="Name it BOOK.yaml.")
    elif isinstance(target, Path) and what not in ("requests", "probes"):
        layout_of(target)


# --- tables --------------------------------------------------------------------------------------------------------


def _export_tags(export: _Export) -> ExportReport:
    if export.options.adjudicated:
        return _export_final_tags(export)
    total = count_tag_records(export.connection, export.options.where, export.options.annotators)
    if not total:
        left = " that the filter and the annotators leave" if export.options.where or export.options.annotators else ""
        raise InputError(f"there are no tags{left}, so there is nothing to write.")
    books: set[str] = set()

    def flat() -> Iterator[FlatRecord]:
        records = iterate_tag_records(export.connection, export.options.where, export.options.annotators)
        for record in _told(records, "tags", total, export.progress):
            books.add(record.codebook)
            yield record._asdict()

    rows = write_records(export.file, export.layout, TagRecord._fields, flat())
    own = [name for name in sorted(books) if not is_installed(export.connection, name)]
    return ExportReport(rows, tuple(_way_along(export.path, name) for name in own))


def _export_final_tags(export: _Export) -> ExportReport:
    """Write the final values of the items that have them."""
    found = finals(export.connection, export.options.where, unresolved=True)
    counts = sum((one.counts for one in found), Counter[str]())
    total = sum(len(one.ids) for one in found)
    if not total:
        left = " that the filter leaves" if export.options.where else ""
        why = f" ({counts[OPEN]:,} with something open)" if counts[OPEN] else ""
        raise InputError(
            f"none adjudicated: no item{left} has final tags{why}, so there is nothing to write.",
            hint=f"Decide with: auditor adjudicate {shell_path(export.path)} --annotator NAME",
        )
    records = _told(final_records(export.connection, found), "tags", total, export.progress)
    rows = write_records(export.file, export.layout, FinalRecord._fields, (record._asdict() for record in records))
    notes = []
    if not any(counts[state] for state in (ADJUDICATED, STALE, UNRESOLVED)):
        notes.append(f"none adjudicated: on all {counted(total, 'item')} everybody agrees.")
    if counts[OPEN]:
        notes.append(f"{counted(counts[OPEN], 'item')} with something open {_was(counts[OPEN])} left out.")
    if counts[SINGLE]:
        notes.append(f"{counted(counts[SINGLE], 'item')} that one annotator reviewed {_was(counts[SINGLE])} left out.")
    if counts[STALE]:
        notes.append(f"on {counted(counts[STALE], 'item')} a mark has changed since the decision (stale).")
    return ExportReport(rows, tuple(notes))


def _was(count: int) -> str:
    return "was" if count == 1 else "were"


def _export_places(export: _Export) -> ExportReport:
    total = count_places(export.connection, export.options.where, export.options.annotators)
    if not total:
        left = " that the filter and the annotators leave" if export.options.where or export.options.annotators else ""
        raise InputError(f"there are no bookmarks and no memos{left}, so there is nothing to write.")
    records = iterate_places(export.connection, export.options.where, export.options.annotators)
    flat = (record._asdict() for record in _told(records, "places", total, export.progress))
    return ExportReport(write_records(export.file, export.layout, PlaceRecord._fields, flat))


def _way_along(path: Path, name: str) -> str:
    """Say how a codebook that only this audit file holds comes along with its tags."""
    return (
        f"the codebook {name} does not come with auditor. To import these tags elsewhere, write it with"
        f" `auditor export codebook {shell_path(path)} --codebook {name} -o {name}.yaml`"
        f" and give `auditor tags import` --codebook {name}.yaml."
    )


def _export_codebook(export: _Export) -> ExportReport:
    book = codebook_in_use(export.connection, export.options.codebook)
    export.file.write(to_bytes(dump_codebook(book)))
    is_chosen_here = export.options.codebook is None and len(codebook_names(export.connection)) > 1
    return ExportReport(1, (f"this is the codebook {visible_line(book.name, 60)}.",) if is_chosen_here else ())


def _export_responses(export: _Export) -> ExportReport:
    require_responses(export.connection, export.path)
    facets = facet_columns(export.connection)
    total = count_responses(export.connection, export.options.where)
    if not total:
        raise InputError("no response is left by the filter, so there is nothing to write.")
    ungraded = 0

    def told() -> Iterator[FlatRecord]:
        nonlocal ungraded
        for record in _told(
            iterate_graded(export.connection, facets, export.options.where), "responses", total, export.progress
        ):
            ungraded += record["status"] is None
            yield record

    rows = write_records(export.file, export.layout, (*GRADED_COLUMNS, *facets.names()), told())
    note = f"not graded, so without a status: {counted(ungraded, 'response')}; grade with: auditor grade FILE"
    return ExportReport(rows, (note,) if ungraded else ())


def _export_taxonomy(export: _Export) -> ExportReport:
    found = taxonomies(export.connection, export.options.where, export.options.annotators)
    if export.layout != "md":
        return ExportReport(write_records(export.file, export.layout, TAXONOMY_COLUMNS, taxonomy_records(found)))
    for line in taxonomy_document(export.connection, found):
        export.file.write(to_bytes(line) + b"\n")
    return ExportReport(sum(len(taxonomy.tags) for taxonomy in found))


def _export_diagnosis(export: _Export) -> ExportReport:
    found = Diagnosis(export.connection, export.options.codebook, export.options.annotators, export.options.where)
    items = sum(1 for _ in found.items())
    if not items:
        raise InputError("nobody has done anything with an item that the filter leaves, so there is nothing to write.")
    total = items * len(found.annotators) * len(found.tags)
    rows = write_records(
        export.file, export.layout, DIAGNOSIS_COLUMNS, _told(found.records(), "diagnosis", total, export.progress)
    )
    return ExportReport(rows)


_EXPORTS: dict[str, Callable[[_Export], ExportReport]] = {
    "tags": _export_tags,
    "places": _export_places,
    "responses": _export_responses,
    "taxonomy": _export_taxonomy,
    "diagnosis": _export_diagnosis,
    "codebook": _export_codebook,
}


def _told(records: Iterable[T], label: str, total: int, progress: Progress | None) -> Iterator[T]:
    """Pass records on, and say now and then how many there were."""
    if progress is None:
        yield from records
        return
    for count, record in enumerate(records, 1):
        yield record
        if count % 1000 == 0:
            progress(label, min(count, total), total)
    progress(label, total, total)


# --- a run directory -----------------------------------------------------------------------------------------------


def _export_run(connection: sqlite3.Connection, path: Path, target: Path, progress: Progress | None) -> ExportReport:
    studies, settings = load_studies(connection), load_settings(connection)
    if not studies:
        raise InputError("the audit file holds no study yet, so there is no run to write.")
    total, rows = count_responses(connection), 0

    def told() -> Iterator[Any]:
        nonlocal rows
        invalid = {key: why for key, why in invalid_keys(connection, list(all_invalid(connection)))}
        for response in _told(iterate_responses(connection), "responses", total, progress):
            rows += 1
            why = invalid.get(response.key)
            extra = dict(response.extra)
            if is_word(extra.get(INVALID_KEY)):
                del extra[INVALID_KEY]
            if why is not None:
                extra[INVALID_KEY] = {"reason": why.reason, "by": why.annotator, "at": why.at}
            yield replace(response, extra=extra)

    run = _run_info(load_runs(connection), path.stem)
    outside = {key: value for key, value in run.outside.items() if key != KEY} | _plan(connection)
    run = replace(run, outside=outside)
    write_run_directory(target, run, studies, iterate_tasks(connection), settings, told())
    return ExportReport(rows)


def _run_info(runs: Sequence[RunInfo], name: str) -> RunInfo:
    """Return what the one imported run says of itself; several become one that lists them."""
    if len(runs) == 1:
        (run,) = runs
        extra, outside = _without_nulls(run.extra), _without_nulls(run.outside)
        return RunInfo(run.name, run.description, run.provenance, extra, outside)
    imported = [
        {
            "name": run.name,
            "description": run.description,
            "provenance": run.provenance,
            **_without_nulls(run.extra),
            **({"outside": _without_nulls(run.outside)} if run.outside else {}),
        }
        for run in runs
    ]
    return RunInfo(name, extra={"imported": imported} if imported else {})


def _without_nulls(value: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Leave out what is null, which TOML cannot say."""

    def clean(item: JsonValue) -> JsonValue:
        if isinstance(item, Mapping):
            return _without_nulls(item)
        if isinstance(item, Sequence) and not isinstance(item, str):
            return [clean(one) for one in item if one is not None]
        return item

    return {key: clean(item) for key, item in value.items() if item is not None}


def _plan(connection: sqlite3.Connection) -> dict[str, JsonValue]:
    """Return what was planned, where a reader would not take it for granted."""
    planned = planned_cells(connection)
    return {} if set(planned) == implied_cells(connection) else {KEY: plan_value(planned)}
