"""Writing an annotations bundle, into a new folder or over an older one: each file whole, and the same bytes as before
where nothing is new.
"""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from auditor.errors import InputError
from auditor.formats.annotation_assignments import assignment_lines
from auditor.formats.annotation_bundle import (
    ANNOTATORS,
    ASSIGNMENTS,
    CODEBOOKS,
    FORMAT,
    MANIFEST,
    REVISIONS,
    STUDIES,
    is_bundle,
    safe_name,
)
from auditor.formats.annotation_lines import event_line, line_of, revision_line
from auditor.formats.annotation_records import (
    AnnotatorRecord,
    AssignmentRecord,
    EventRecord,
    RevisionGraph,
    RevisionName,
)
from auditor.text import to_bytes, visible_line

_MANIFEST = f"""\
# The annotations of an audit, written by `auditor export annotations`; `auditor import` and `auditor merge` read them.
# No line of the .jsonl files ever changes, so git may keep the lines of both sides (see .gitattributes).
format = {FORMAT}
"""
_GIT = ".gitattributes"
_ATTRIBUTES = """\
* -text
*.jsonl merge=union
"""


class BundleWriter:
    """Writes the files of a bundle beside the folder, and puts them there when all are complete."""

    def __init__(self, path: Path) -> None:
        """Begin a bundle. Raises InputError when the path is something else."""
        self.path = path
        if path.exists() and not path.is_dir():
            raise InputError("it is a file.", where=visible_line(str(path)), hint="Name a folder.")
        # What a fresh repository holds does not count.
        if path.is_dir() and any(one.name[0] != "." for one in path.iterdir()) and not is_bundle(path):
            raise InputError(
                f"the folder is not empty and holds no {MANIFEST}.",
                where=visible_line(str(path)),
                hint="Give a new folder, or one that holds a bundle.",
            )
        if not path.parent.is_dir():
            raise InputError(f"there is no folder {visible_line(str(path.parent))}.", where=visible_line(str(path)))
        self._folder = path.parent / f".{path.name[:50]}-{uuid.uuid4().hex[:12]}"
        self._written: list[Path] = []

    def __enter__(self) -> BundleWriter:
        self._folder.mkdir()
        self._write(Path(MANIFEST), [_MANIFEST.encode()])
        if not (self.path / _GIT).exists():
            self._write(Path(_GIT), [_ATTRIBUTES.encode()])
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        try:
            if error is None:
                self._put()
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)

    def write_studies(self, studies: Mapping[str, Iterable[str]]) -> None:
        """Write which cases were annotated."""
        lines = (line_of({"study": name, "cases": one}) for name, cases in studies.items() for one in sorted(cases))
        self._write(Path(STUDIES), sorted(lines))

    def write_codebook(self, name: str, graph: RevisionGraph, order: Iterable[RevisionName]) -> None:
        """Write the revisions of a codebook, the oldest first."""
        folder = Path(CODEBOOKS) / safe_name(name)
        lines = [line_of({"codebook": name}), *(revision_line(one, graph[one]) for one in order)]
        self._write(folder / REVISIONS, lines)
        for revision, one in graph.items():
            if revision.time == 1:
                self._write(folder / f"{revision.content[:16]}.yaml", [to_bytes(one.text)])

    def write_annotator(
        self, annotator: AnnotatorRecord, events: Iterable[tuple[EventRecord, Mapping[str, Any]]]
    ) -> None:
        """Write what somebody said: events, each with its change as a JSON value, sorted by UUID."""

        def lines() -> Iterator[bytes]:
            yield line_of({"annotator": annotator.name, "kind": annotator.kind.value})
            yield from (event_line(event, change) for event, change in events)

        self._write(Path(ANNOTATORS) / f"{safe_name(annotator.name)}.jsonl", lines())

    def write_assignments(self, assignments: Iterable[AssignmentRecord]) -> None:
        """Write whose which clusters are, and the items of samples."""
        lines = assignment_lines(assignments)
        if lines:
            self._write(Path(ASSIGNMENTS), lines)

    def _write(self, place: Path, lines: Iterable[bytes]) -> None:
        try:
            (self._folder / place).parent.mkdir(parents=True, exist_ok=True)
            with (self._folder / place).open("wb") as file:
                for line in lines:
                    file.write(line)
        except OSError as error:
            raise InputError(f"writing it failed ({error.strerror}).", where=visible_line(str(self.path))) from error
        self._written.append(place)

    def _put(self) -> None:
        """Move what is new into the folder; the file that makes it a bundle comes last where there was none."""
        try:
            if not self.path.exists():
                self._folder.rename(self.path)
                return
            for place in reversed(self._written):
                target = self.path / place
                if target.is_file() and target.read_bytes() == (self._folder / place).read_bytes():
                    continue
                target.parent.mkdir(parents=True, exist_ok=True)
                (self._folder / place).replace(target)
        except OSError as error:
            raise InputError(f"writing it failed ({error.strerror}).", where=visible_line(str(self.path))) from error
