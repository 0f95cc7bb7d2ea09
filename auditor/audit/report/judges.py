"""Models, programs and the computed modes held against people: what of their tags they find, and what they make up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from auditor.agreement.coefficient import Coefficient, Options
from auditor.agreement.judges import JudgedTag, measure_judges
from auditor.agreement.notes import shown_interval
from auditor.audit.judge import COMPUTED, judged_ratings
from auditor.audit.rated import RatedAudit
from auditor.audit.report.doubtful import doubt_blocks
from auditor.audit.report.subject import Subject, signed
from auditor.documents.document import Block, Cell, Column, Paragraph, Table
from auditor.errors import InputError
from auditor.text import counted

_MOST_REFERENCES = 3
_SHOWN = ("sensitivity", "specificity", "precision", "cohen_kappa")
_NAMES = {"cohen_kappa": "kappa"}
_READ = (
    "Here a person is taken as right. Found, missed and made up are items: the tag is put by both, by the person "
    "alone, by the other alone. Sensitivity: of the person's tags, the share that is found; specificity: of the "
    "items without the tag, the share left without it; precision: of what was put, the share that the person put "
    "too."
)


def judge_blocks(subject: Subject, audit: RatedAudit) -> Iterator[Block]:
    """Return a table for each judge and person, of the tags that either of them put; nothing where nobody judges."""
    how = subject.options
    try:
        judged = judged_ratings(
            subject.path, audit.people[:_MOST_REFERENCES], codebook=audit.name, computed=True, where=how.where
        )
        options = Options(replicates=how.replicates, seed=how.seed, confidence=how.confidence)
        found = measure_judges(judged.ratings, judged.judges, judged.references, options, judged.able)
    except InputError:  # an annotator has the name of the computed modes, or nothing that is judged here has any
        return
    names = {tag.id: tag.name for tag in audit.codebook.tags}
    told: list[Coefficient] = []
    for (judge, reference), group in groupby(found, lambda one: (one.judge, one.reference)):
        shown = [one for one in group if sum(one.counts[:3]) and one.tag not in judged.able.get(judge, {})]
        if shown:
            if not told:
                yield Paragraph(_READ)
            yield _table(judge, reference, shown, names)
            told += [one for judged_tag in shown for one in judged_tag.coefficients if one.statistic in _SHOWN]
    yield from doubt_blocks(told, names)
    if any(one.judge == COMPUTED for one in found):
        yield Paragraph(
            "The computed modes are a program's: they are held against people here, and counted as nobody's tags."
            " Tags that no computed mode stands for are left out.",
            "note",
        )


def _table(judge: str, reference: str, found: Sequence[JudgedTag], names: dict[str, str]) -> Table:
    columns = [Column("tag", False), *(Column(name) for name in ("found", "missed", "made up"))]
    columns += [Column(_NAMES.get(name, name)) for name in _SHOWN]
    rows: list[list[Cell | str]] = []
    for one in found:
        by_name = {coefficient.statistic: coefficient for coefficient in one.coefficients}
        counts = [f"{number:,}" for number in one.counts[:3]]
        rows.append([names.get(one.tag, one.tag), *counts, *(_value(by_name[name]) for name in _SHOWN)])
    items = max(sum(one.counts) for one in found)
    note = f"On {counted(items, 'item')} that both rated."
    return Table(f"{judge} against {reference}", columns, rows, (note,))


def _value(one: Coefficient) -> Cell:
    if one.value is None:
        return Cell("undefined")
    low, high = shown_interval(one)
    ends = "" if low is None or high is None else f"[{low:z.3f}, {high:z.3f}]"
    return Cell(signed(f"{one.value:z.3f}"), signed(ends))
