"""What makes an import unusable as a whole: found before anything is written, so that nothing is changed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace as with_fields
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path

from auditor.errors import InputError
from auditor.formats.records import RunInfo, Source
from auditor.model import Study, Task
from auditor.store.catalog import Catalog
from auditor.store.file import shell_path
from auditor.store.tasks import load_studies
from auditor.text import visible_line


def admit(
    connection: sqlite3.Connection,
    sources: Sequence[Source],
    path: Path,
    *,
    study: str | None,
    policy: str | None,
    replace: bool,
) -> None:
    """Raise InputError when a study is unusable or declared otherwise, or responses belong to other cases.

    `path` is the audit file, `study` and `policy` are what the import was told to use for all of them.
    """
    known = {found.name: found for found in load_studies(connection)}
    for source in sources:
        for declared in _declared(source, known, policy):
            _check_study(declared, known.get(declared.name), replace)
            known[declared.name] = declared
    if policy is not None and not any(source.kind != "responses" or source.study not in known for source in sources):
        raise InputError(
            "--policy is for studies that an import declares, and these files hold responses only.",
            hint=f"Grade under another policy with: auditor grade {shell_path(path)} --policy {visible_line(policy)}",
        )
    if study is None:
        for source in sources:
            if source.kind == "responses":
                _check_cases(source, _cases(connection, sources, source.study or ""))


def check_policy(name: str) -> None:
    """Raise InputError when no grading policy has this name."""
    _check_known("policy", "auditor.policies", name)


@cache
def installed_names(group: str) -> frozenset[str]:
    """Return what installed packages offer in a plug-in group, by name alone: an import needs no graders."""
    return frozenset(point.name for point in entry_points(group=group))


def _check_known(kind: str, group: str, name: str) -> None:
    known = installed_names(group)
    if name not in known:
        raise InputError(f"there is no {kind} {visible_line(name, 60)!r}.", hint=f"Known: {', '.join(sorted(known))}.")


def _declared(source: Source, known: Mapping[str, Study], policy: str | None) -> Iterable[Study]:
    """Return the studies as the source will bring them in; they stand at the beginning of its records."""
    found = []
    if source.kind == "responses":
        if source.default_study is not None and source.default_study.name not in known:
            found.append(source.default_study)
    else:
        for record in source.records():
            if isinstance(record, Study):
                found.append(record)
            elif not isinstance(record, RunInfo):
                break
    return found if policy is None else [with_fields(one, policy=policy) for one in found]


def _check_study(study: Study, old: Study | None, replace: bool) -> None:
    _check_known("policy", "auditor.policies", study.policy)
    _check_known("envelope", "auditor.envelopes", study.envelope)
    if old is None or replace:
        return
    differing = [
        name
        for name in ("policy", "envelope", "cluster", "codebook", "samples")
        if getattr(study, name) != getattr(old, name)
    ]
    if differing:
        raise InputError(
            f"the study {visible_line(study.name, 60)!r} is declared with another {' and '.join(differing)} already.",
            hint="Use --study NAME for another study, or --replace to take the new declaration.",
        )


def _cases(connection: sqlite3.Connection, sources: Sequence[Source], study: str) -> set[str]:
    """Return the cases of a study, those that this import brings among them."""
    incoming = {
        record.case
        for source in sources
        if source.kind != "responses"
        for record in source.records()
        if isinstance(record, Task) and record.study == study
    }
    return incoming | Catalog(connection).cases_of(study)


def _check_cases(source: Source, cases: set[str]) -> None:
    """Refuse a file whose cases are not those of its study, since many benchmarks number theirs alike."""
    shown = visible_line(source.study or "", 60)
    ids = set(source.ids)
    if not cases:
        raise InputError(
            f"the audit file holds no cases of the study {shown!r} that these responses could belong to.",
            where=visible_line(source.name),
            hint="Import the cases too, or name the study with --study (without case texts nothing can be graded).",
        )
    if ids < cases:
        raise InputError(
            f"its {len(ids):,} cases are only a part of the {len(cases):,} of the study {shown!r}, so it may be about"
            " another benchmark that numbers its cases alike.",
            where=visible_line(source.name),
            hint=f"Name the study with --study: {shown} if it is that one, else another name.",
        )
