"""The annotations bundle of an audit file: written so that git can merge it, and read back like another audit file."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from auditor.errors import InputError
from auditor.formats.annotation_bundle import Bundle, event_uuids, is_bundle, read_graphs
from auditor.formats.annotation_records import EventRecord
from auditor.formats.annotation_writer import BundleWriter
from auditor.store.annotation_source import FileSource
from auditor.store.file import shell_path
from auditor.store.json_column import dump_json, load_json
from auditor.store.revision_graphs import in_order
from auditor.text import counted, visible_line

Progress = Callable[[str, int, int], None]
_EVERY = 1_000


def read_bundle(path: Path, progress: Progress | None = None) -> Bundle:
    """Read a bundle as a whole. Raises InputError, with file and line, for whatever is not as it must be."""
    return Bundle(path, dump_json, progress)


def write_bundle(
    connection: sqlite3.Connection,
    path: Path,
    target: Path,
    annotators: Sequence[str] = (),
    *,
    force: bool = False,
    progress: Progress | None = None,
) -> int:
    """Write the annotations of an audit file, of all or of some annotators, to a folder; return how many events.

    A bundle that is there is brought up to date. Raises InputError, and writes nothing, when there is nothing to write,
    or that bundle holds what the audit file does not, unless `force`.
    """
    source = FileSource(connection, str(path))
    chosen = [one for one in source.annotators() if not annotators or one.name in annotators]
    done = 0

    def told(events: Iterator[EventRecord]) -> Iterator[tuple[EventRecord, Mapping[str, Any]]]:
        nonlocal done
        for event in events:
            yield event, load_json(event.change)
            done += 1
            if progress and done % _EVERY == 0:
                progress("events", done, source.total)

    with_events = [one for one in chosen if next(source.events(one.name), None) is not None]
    if not with_events:
        raise InputError("nobody has said anything yet, so there are no annotations to write.")
    writer = BundleWriter(target)
    if is_bundle(target) and not force:
        _refuse_loss(source, path, target)
    with writer:
        writer.write_studies(source.studies())
        for name, graph in source.graphs().items():
            writer.write_codebook(name, graph, in_order(graph))
        for one in with_events:
            writer.write_annotator(one, told(source.events(one.name)))
        writer.write_assignments(source.assignments())
    if progress:
        progress("events", source.total, source.total)
    return done


def _refuse_loss(source: FileSource, path: Path, target: Path) -> None:
    """Raise InputError when a bundle that would be written over holds what the audit file does not."""
    known, graphs = source.uuids(), source.graphs()
    unknown = sum(uuid not in known for uuid in set(event_uuids(target)))
    books = any(not graph.keys() <= graphs.get(name, {}).keys() for name, graph in read_graphs(target).items())
    if not unknown and not books:
        return
    what = counted(unknown, "event") if unknown else "revisions of a codebook"
    raise InputError(
        f"the bundle holds {what} that {visible_line(str(path))} does not have.",
        where=visible_line(str(target)),
        hint=f"Bring that in first: auditor import {shell_path(path)} {shell_path(target)}",
    )
