"""A published audit: a folder with report, data, codebooks, agreement, the audit file, and hashes of it all."""

from __future__ import annotations

import json
import os
import shutil
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from auditor.agreement.coefficient import Options
from auditor.agreement.measure import measure_agreement
from auditor.audit.decided import finals
from auditor.audit.export import ExportOptions, write_export
from auditor.audit.layout_writing import FORMATS, written
from auditor.audit.layouts import layouts
from auditor.audit.manifest import AUDIT, write_manifest
from auditor.audit.rated import read_rated
from auditor.audit.report.make import PARTS, report_of
from auditor.audit.report.paper_tables import fitting_tables
from auditor.audit.report.subject import ReportOptions, Steps, Subject
from auditor.audit.report.write import write_report
from auditor.audit.schema_words import datasette_metadata, schema_page
from auditor.errors import InputError
from auditor.formats.markdown import escaped
from auditor.store.annotators import codebook_names
from auditor.store.copying import copy_audit
from auditor.store.file import open_for_reading
from auditor.store.own_probes import iterate_own_probes
from auditor.store.places import count_places
from auditor.store.ratings import reviewed_codebooks
from auditor.store.responses import require_responses
from auditor.store.tag_records import count_tag_records
from auditor.text import visible_line

Progress = Callable[[str, int, int], None]


class Published(NamedTuple):
    """What was written."""

    files: int
    """The manifest among them."""
    manifest: str
    """The SHA-256 of the manifest."""


class _Item(NamedTuple):
    """A file or folder of a published audit."""

    name: str
    words: str
    """What it is."""
    write: Callable[[Path], object]


def publish(
    path: Path, target: Path, options: ReportOptions | None = None, progress: Progress | None = None
) -> Published:
    """Write a published audit to a new folder: all of it, or nothing.

    Everything is made from one copy of the audit file, whoever writes to it meanwhile. Raises InputError when the
    folder holds something, there is nothing to publish or it cannot be written.
    """
    options = options or ReportOptions()
    title = options.title or f"Audit of {path.stem}"
    with _whole_folder(target) as folder:
        audit = folder / AUDIT
        told = progress or (lambda label, done, total: None)
        told("copy of the audit", 0, 1)
        copy_audit(path, audit)
        with closing(open_for_reading(audit)) as connection:
            connection.execute("BEGIN")
            require_responses(connection, path)
            steps = Steps(progress, len(PARTS) + 2)
            subject = Subject(connection, audit, options._replace(title=title), steps=steps)
            items = list(_items(subject, progress))
            for done, item in enumerate(items):
                told(visible_line(item.name), done, len(items))
                (folder / item.name).parent.mkdir(exist_ok=True)
                item.write(folder / item.name)
        (folder / "README.md").write_text(_readme(title, items), encoding="utf-8")
        digest = write_manifest(folder, title, progress)
        files = sum(1 for one in folder.rglob("*") if one.is_file())
    return Published(files, digest)


@contextmanager
def _whole_folder(target: Path) -> Iterator[Path]:
    """Open a folder that appears under its name when the block ends well, and not at all when it does not."""
    where = visible_line(str(target))
    if target.is_symlink() or (target.exists() and not (target.is_dir() and not any(target.iterdir()))):
        raise InputError("it exists already.", where=where, hint="Name a new folder: nothing is ever replaced.")
    if not target.resolve().parent.is_dir():
        raise InputError(f"there is no folder {visible_line(str(target.parent))}.", where=where)
    partial = target.resolve().with_name(f".{target.resolve().name[:50]}-{uuid.uuid4().hex[:12]}")
    try:
        partial.mkdir()
        try:
            yield partial
            os.replace(partial, target.resolve())
        finally:
            shutil.rmtree(partial, ignore_errors=True)
    except OSError as error:
        raise InputError(f"writing it failed ({error.strerror}).", where=where) from error


# --- what is in it -------------------------------------------------------------------------------------------------


def _items(subject: Subject, progress: Progress | None) -> Iterator[_Item]:
    """Yield what there is to write of an audit, and how."""
    connection, audit = subject.connection, subject.path

    def exported(what: str, given: ExportOptions | None = None) -> Callable[[Path], object]:
        return lambda target: write_export(audit, what, target, given or ExportOptions(), progress)

    report = report_of(subject)
    for name, words in _REPORTS.items():
        yield _Item(name, words, lambda target: write_report(report, target))
    yield _Item("run", "the tasks, replies and settings as a run directory", exported("run"))
    yield _Item("responses.jsonl", "every response with its grade and computed mode", exported("responses"))
    if count_tag_records(connection, "", ()):
        yield _Item("tags.jsonl", "who put which tag, exactly", exported("tags"))
        yield _Item("tags.csv", "the same for a spreadsheet", exported("tags"))
    if reviewed_codebooks(connection):
        yield _Item("taxonomy.csv", "each tag with counts by annotator", exported("taxonomy"))
    if any(one.ids for one in finals(connection, decided_only=True, unresolved=True)):
        given = ExportOptions(adjudicated=True)
        yield _Item("final-tags.csv", "the tags that hold in the end, and who decided them", exported("tags", given))
    if count_places(connection, "", ()):
        yield _Item("places.jsonl", "bookmarks and memos", exported("places"))
    if next(iterate_own_probes(connection), None) is not None:
        yield _Item("probes.csv", "probes that people wrote about runs, and their answers", exported("probes"))
    if connection.execute("SELECT 1 FROM events LIMIT 1").fetchone() is not None:
        yield _Item("annotations", "the history of all that people said; auditor reads it", exported("annotations"))
    for number, name in enumerate(codebook_names(connection), 1):
        given = ExportOptions(codebook=name)
        yield _Item(f"codebook-{number}.yaml", f"the codebook {name}", exported("codebook", given))
    if reviewed_codebooks(connection):
        yield _Item("agreement.json", "coefficients with intervals", lambda target: _agreement(subject, target))
    for name, laid_out in fitting_tables(subject)[0].items():
        words = f"{layouts()[name].description}, as its paper lays it out; the .csv has every number apart"
        for form in FORMATS:
            yield _Item(f"tables/{name}.{form}", words, _bytes(written(laid_out, form)))
    metadata = datasette_metadata(connection, Path(AUDIT).stem, subject.options.title)
    yield _Item("metadata.json", "what Datasette shows of tables and columns", _json(metadata))
    yield _Item(
        "SCHEMA.md", f"the tables of {AUDIT}", lambda target: target.write_text(schema_page(), encoding="utf-8")
    )


_REPORTS = {
    "report.html": "the report; begin here",
    "report.md": "the same as Markdown",
    "tables.tex": "the same as LaTeX to read in",
}


def _bytes(data: bytes) -> Callable[[Path], object]:
    return lambda target: target.write_bytes(data)


def _json(value: Any) -> Callable[[Path], object]:
    text = json.dumps(value, indent=1).replace("\x7f", "\\u007f") + "\n"
    return lambda target: target.write_text(text, encoding="utf-8")


def _agreement(subject: Subject, target: Path) -> None:
    """Write the coefficients of the people under each codebook, as `auditor agreement --json` has them."""
    how = subject.options
    found = {}
    for name in reviewed_codebooks(subject.connection):
        audit = read_rated(subject.connection, subject.path, codebook=name)
        options = Options(
            annotators=audit.people or None, replicates=how.replicates, seed=how.seed, confidence=how.confidence
        )
        found[name] = {"coefficients": [one.as_json() for one in measure_agreement(audit.ratings(), options)]}
    _json(found)(target)


def _readme(title: str, items: list[_Item]) -> str:
    lines = [f"# {escaped(title)}", ""]
    lines += ["An audit of what models predicted programs do, made with auditor. Begin with report.html.", ""]
    lines += ["| file | what |", "|---|---|", f"| {AUDIT} | the audit itself, an SQLite file; auditor opens it |"]
    for words, alike in groupby(items, lambda item: item.words):
        lines.append(f"| {escaped(', '.join(item.name for item in alike))} | {escaped(words)} |")
    lines += ["| manifest.json | every file with its size and SHA-256 |", ""]
    lines += [
        "`auditor verify FOLDER` says whether a file here is missing, changed or extra. With `--manifest SHA256`, as",
        "it was quoted elsewhere, also whether this is the manifest that was published: who changed a file can",
        "have changed what manifest.json says of it too.",
        "",
        f"`datasette -i {AUDIT} -m metadata.json`, run here, serves the audit to a browser, read only.",
        "",
    ]
    return "\n".join(lines)
