"""How far annotators agree: coefficients with intervals on one scale, what is undefined and why; differences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from auditor.agreement.coefficient import ALL, GENERATOR, PAIR, Coefficient, Options
from auditor.agreement.measure import measure_agreement, measure_tags_over_all
from auditor.agreement.notes import between, how_lines, shown_interval
from auditor.agreement.ratings import Ratings
from auditor.agreement.summing_up import summary
from auditor.audit.agree import count_doubts
from auditor.audit.doubts import doubts
from auditor.audit.rated import RatedAudit, read_rated
from auditor.audit.report.differences import difference_blocks
from auditor.audit.report.doubtful import NAMES, doubt_blocks, tag_name, told_once
from auditor.audit.report.judges import judge_blocks
from auditor.audit.report.subject import Part, Subject, signed
from auditor.documents.document import Block, Cell, Column, Figure, Paragraph, Section, Table, Words
from auditor.documents.plots import DASH, Axis, IntervalGroup, IntervalPlot, IntervalRow, Point
from auditor.errors import InputError
from auditor.store.ratings import reviewed_codebooks

KAPPA = "cohen_kappa"
_PAIRS_BY_TAG = 3
"""Pairs of annotators up to which each has its numbers tag by tag; of more, all of them together have."""
_BESIDE = ("percent", "gwet_ac1", "positive_agreement", "negative_agreement", "prevalence_index", "bias_index")
_MOST_LIMITS = 3
_READ = (
    "Kappa is agreement beyond chance: 1 where two always agree, 0 where they agree as often as two who tag at "
    "random, each with their own frequencies. Of whole sets two agree where all their tags are the same."
)
_READ_BY_TAG = (
    "Observed: the share of items on which both put the tag or both leave it. Positive and negative: agreement on "
    "the items with the tag, and on those without. AC1 expects less agreement by chance than kappa where a tag is "
    "rare. Prevalence index: how far presence and absence are from being even, which lowers kappa; bias index: "
    "how much more often one puts the tag than the other. Prevalence: the share of items with the tag, mean of "
    "the two."
)


def agreement_part(subject: Subject) -> Part:
    """Measure agreement of people under each codebook that anything was reviewed under."""
    sections, sure, limits = [], list[Words](), list[Words]()
    for number, name in enumerate(reviewed_codebooks(subject.connection), 1):
        try:
            audit = read_rated(subject.connection, subject.path, codebook=name, where=subject.options.where)
        except InputError:  # the filter leaves nothing that was reviewed under this codebook
            continue
        ident = f"agreement-{number}"
        if len(audit.people) < 2:
            reason = f"Under {name} fewer than two people reviewed anything, so how far people agree is not known."
            sections.append(Section(ident, audit.codebook.title, [Paragraph(reason)]))
            continue
        found = _Measured(subject, audit)
        judges = tuple(judge_blocks(subject, audit))
        apart = (
            [Section(f"{ident}-judges", "Models, programs and computed modes against people", judges)] if judges else []
        )
        parts = [*found.blocks(ident), *difference_blocks(subject, audit, ident), *apart]
        sections.append(Section(ident, audit.codebook.title, parts))
        told = summary(found.coefficients, found.options, sets=True)
        said = " ".join(line for line in told if not line.startswith("Below: "))
        if said:
            sure.append(f"{audit.codebook.title}: {said}")
        reasons = told_once(found.told)
        limits += [f"Agreement under {name}: {reason.sentence}" for reason in reasons[:_MOST_LIMITS]]
    section = Section("agreement", "Agreement", [Paragraph(_READ), *sections]) if sections else None
    return Part(section, sure=sure, limits=limits)


class _Measured:
    """The coefficients of the people under one codebook."""

    def __init__(self, subject: Subject, audit: RatedAudit) -> None:
        options = subject.options
        self._subject, self._audit = subject, audit
        self.options = Options(
            annotators=audit.people, replicates=options.replicates, seed=options.seed, confidence=options.confidence
        )
        self._ratings: Ratings = audit.ratings()
        found = measure_agreement(self._ratings, self.options)
        pairs = list(dict.fromkeys(one.annotators for one in found if one.scope == PAIR))
        self._by_pair = pairs if len(pairs) <= _PAIRS_BY_TAG else []
        if not self._by_pair:
            found = [one for one in found if one.scope == ALL or one.tag is None]
            found += measure_tags_over_all(self._ratings, self.options)
        self.coefficients = found
        shown = (one for one in found if one.scope != PAIR or one.statistic == KAPPA or one.value is None)
        self.told = list(shown)
        """Those with an interval in a table, or without a value."""

    def blocks(self, ident: str) -> Iterator[Block]:
        """Return plot, tables and what is to know of them."""
        found, by_pair = self.coefficients, self._by_pair
        plot = kappa_plot(found, by_pair, f"Agreement of people ({self._audit.name})", self._names())
        if plot is not None:
            told = (
                f"Bars are {100 * self.options.confidence:.4g} % intervals over clusters ({GENERATOR}, seed"
                f" {self.options.seed}), of fewer than 20 clusters t intervals; none where kappa has none."
            )
            yield Figure(f"fig-{ident}", plot, (told,), below=True)
        yield self._overall()
        for pair in by_pair:
            yield self._by_tag([one for one in found if one.annotators == pair and one.scope == PAIR], pair)
        if by_pair:
            yield Paragraph(_READ_BY_TAG, "note")
        if not by_pair:
            by_tag = [one for one in found if one.scope == ALL and one.tag is not None]
            yield self._rows("Agreement of all people, tag by tag", by_tag)
        yield from doubt_blocks(self.told, self._names())
        for line in how_lines(found, self.told, self._ratings, self.options, self._subject.options.where):
            yield Paragraph(line, "note")
        left = count_doubts(self._subject.connection, self._audit.name, self._subject.options.where)
        for line in doubts(left.invalid, left.disputed):
            yield Paragraph(line, "note")

    def _names(self) -> dict[str, str]:
        return {tag.id: tag.name for tag in self._audit.codebook.tags}

    def _overall(self) -> Table:
        whole = [one for one in self.coefficients if one.tag is None and one.group is None]
        return self._rows("Agreement on whole sets of tags", whole)

    def _rows(self, caption: str, found: Sequence[Coefficient]) -> Table:
        columns = [Column("between", False), Column("tag", False), Column("coefficient", False), Column("value")]
        names = self._names()
        rows: list[list[Cell | str]] = [
            [
                between(one),
                tag_name(one, names),
                NAMES.get(one.statistic, one.statistic),
                _value(one),
                f"{one.n_items:,}",
                DASH if one.n_clusters is None else f"{one.n_clusters:,}",
            ]
            for one in found
        ]
        return Table(caption, [*columns, Column("items"), Column("clusters")], rows)

    def _by_tag(self, found: Sequence[Coefficient], pair: tuple[str, ...]) -> Table:
        by_tag: dict[str, dict[str, Coefficient]] = {}
        for one in found:
            if one.tag is not None:
                by_tag.setdefault(one.tag, {})[one.statistic] = one
        names = self._names()
        columns = [Column("tag", False), Column("kappa"), *(Column(NAMES[name]) for name in _BESIDE)]
        rows: list[list[Cell | str]] = []
        never = [tag for tag, of in by_tag.items() if of[KAPPA].prevalence == 0]
        never = never if len(never) < len(by_tag) else []
        for tag, of in by_tag.items():
            if tag in never:
                continue
            share = of[KAPPA].prevalence
            beside = [_value(of[name], interval=False) if name in of else Cell(DASH) for name in _BESIDE]
            rows.append(
                [names.get(tag, tag), _value(of[KAPPA]), *beside, DASH if share is None else f"{100 * share:.1f} %"]
            )
        caption = f"Agreement of {' and '.join(pair)}, tag by tag"
        notes = [f"Neither put: {', '.join(names.get(tag, tag) for tag in never)}."] if never else []
        return Table(caption, [*columns, Column("prevalence")], rows, notes)


def _value(one: Coefficient, *, interval: bool = True) -> Cell:
    """Return a coefficient with its interval; one that is undefined is so in words."""
    if one.value is None:
        return Cell("undefined")
    low, high = shown_interval(one) if interval else (None, None)
    ends = "" if low is None or high is None else f"[{low:z.3f}, {high:z.3f}]"
    return Cell(signed(f"{one.value:z.3f}"), signed(ends))


def kappa_plot(
    found: Sequence[Coefficient], pairs: Sequence[tuple[str, ...]], title: str, names: Mapping[str, str]
) -> IntervalPlot | None:
    """Return kappa of whole sets and of each tag on one scale, a group a pair; None where none is defined."""
    groups = []
    for pair in pairs or ((),):
        rows = tuple(
            IntervalRow(tag_name(one, names), Point(one.value, *shown_interval(one)), int(one.tag is None))
            for one in found
            if one.group is None
            and one.value is not None
            and one.statistic in (KAPPA, "fleiss_kappa")
            and (one.scope == PAIR and one.annotators == pair if pair else one.scope == ALL)
        )
        if rows:
            groups.append(IntervalGroup(" and ".join(pair) or "all people", rows))
    if not groups:
        return None
    least = min(end for group in groups for row in group.rows for end in row.point if end is not None)
    low = 0.2 * (least // 0.2) if least < 0 else 0.0
    return IntervalPlot(title, Axis("kappa", low, 1.0, percent=False, zero=True), tuple(groups))
