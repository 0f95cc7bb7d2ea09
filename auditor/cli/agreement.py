"""The command `auditor agreement`: how far annotators agree, from an audit file or from a CSV of ratings."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from auditor.agreement.coefficient import (
    BOOTSTRAPS,
    DEFAULT_REPLICATES,
    DEFAULT_SEED,
    INTERVALS,
    METRICS,
    STATISTICS,
    WEIGHTS,
    Options,
)
from auditor.cli import options
from auditor.cli.agreement_difference import Minus
from auditor.cli.agreement_doubts import doubtful_items, further, late_reviews, print_doubts, print_late_tags
from auditor.cli.agreement_quick import run_quick
from auditor.cli.output import print_json, print_text
from auditor.cli.table_files import Target, put_tables, table_file, target_of
from auditor.errors import InputError

if TYPE_CHECKING:
    from auditor.agreement.coefficient import Coefficient
    from auditor.agreement.ratings import Ratings
    from auditor.audit.layouts import LaidOut


def _once(context: click.Context, parameter: click.Parameter, value: tuple[str, ...]) -> str | None:
    """Refuse names that are given with the same option twice, of which only the last would count."""
    if len(value) > 1:
        option = parameter.opts[0]
        raise click.BadParameter(f"give it once, with the names separated by commas: {option} {','.join(value)}")
    return value[0] if value else None


_OTHER_QUESTIONS = ("quick", "against", "computed", "confusion", "minus_where", "minus_tags", "minus_annotators")


@click.command("agreement")
@click.argument("file", required=False)
@click.option("--ratings", metavar="R.csv", help="Ratings as CSV instead of an audit file.")
@click.option("--multi", is_flag=True, help="A label field holds a set of tags separated by |; empty = reviewed, none.")
@click.option(
    "--statistic",
    "statistics",
    multiple=True,
    metavar="NAME",
    help=f"Coefficient to measure; repeatable. One of: {', '.join(STATISTICS)}. Default: the usual ones.",
)
@click.option("--annotators", metavar="A,B", multiple=True, callback=_once, help="Compare only these annotators.")
@click.option(
    "--against",
    metavar="A,B",
    multiple=True,
    callback=_once,
    help="Hold models and programs, or --annotators, against these as right; `decisions` = what was settled.",
)
@click.option("--computed", is_flag=True, help="With --against: judge the computed modes too (audit file only).")
@click.option(
    "--confusion",
    metavar="A,B",
    multiple=True,
    callback=_once,
    help="Count which tags these two annotators put instead of each other.",
)
@click.option("--category", "categories", multiple=True, metavar="C", help="A category, in order; repeatable.")
@click.option("--tag", "tags", multiple=True, metavar="T", help="Hold this tag against the rest; repeatable.")
@click.option(
    "--group",
    "groups",
    multiple=True,
    metavar="G",
    help="Which tag of this exclusive group of the codebook; repeatable.",
)
@click.option("--weights", metavar="|".join(WEIGHTS), help="Weigh disagreements by distance in the declared order.")
@click.option("--score", "scores", multiple=True, type=float, metavar="N", help="Numeric value of each category.")
@click.option("--metric", metavar="|".join(METRICS), help="Distance of krippendorff_alpha; default nominal, or masi.")
@click.option(
    "--bootstrap",
    metavar="|".join(BOOTSTRAPS),
    help="What is resampled for intervals; default: cluster where clusters are known, else none (asymptotic).",
)
@click.option(
    "--interval",
    metavar="|".join(INTERVALS),
    help="Which interval of a bootstrap; default: percentile, and of fewer than 20 clusters t is shown.",
)
@click.option("--replicates", type=int, default=DEFAULT_REPLICATES, show_default=True, help="Bootstrap replicates.")
@click.option("--seed", type=int, default=DEFAULT_SEED, show_default=True, help="Seed of the bootstrap.")
@click.option("--confidence", type=float, default=0.95, show_default=True, help="Confidence of the intervals.")
@click.option("--codebook", metavar="C", help="Measure the tags of this codebook, by name or file (audit file only).")
@options.where(text="Only the items that this filter leaves, e.g. 'arm:output' (audit file only).")
@click.option("--quick", is_flag=True, help="Tags only, from kept counts: at once, with items taken for independent.")
@click.option("--minus-where", default="", metavar="EXPR", help="The difference to these items instead of --where.")
@click.option(
    "--minus-tag", "minus_tags", multiple=True, metavar="T", help="The difference to this tag instead of --tag."
)
@click.option(
    "--minus-annotators",
    metavar="C,D",
    multiple=True,
    callback=_once,
    help="The difference to these instead of --annotators.",
)
@table_file
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.option("--screen", is_flag=True, help="Show the numbers as a screen, from which each opens its items.")
@click.option("--annotator", metavar="NAME", help="With --screen: who reviews the items; default: the setting.")
@options.screen
def agreement(file: str | None, ratings: str | None, multi: bool, annotators: str | None, **rest: Any) -> int:
    """Measure how far annotators agree in FILE, or in a CSV given with --ratings.

    The CSV has the columns item, annotator, label and optionally cluster and count (so many identical items). A
    missing rating is an absent row. A pair of annotators is compared on the items that both rated.

    An undefined coefficient has no value but a reason.

    With --minus-where, --minus-tag or --minus-annotators: how far agreement differs from that of the same call with
    these in place of --where, --tag or --annotators, on the same draws of clusters.

    \b
    auditor agreement audit.db
    auditor agreement audit.db --where arm:output --tag copying
    auditor agreement audit.db -o agreement.tex
    auditor agreement audit.db --against ana --computed
    auditor agreement audit.db --confusion ana,ben
    auditor agreement audit.db --tag copying --minus-tag other
    auditor agreement audit.db --where arm:output --minus-where arm:post-loop-state
    auditor agreement audit.db --annotators ana,ben --minus-annotators ana#2,ben#2
    auditor agreement audit.db --screen
    """
    target = target_of(rest["output"], rest["form"], rest["force"], rest["as_json"])
    rest["as_json"] = target.form == "json" and target.output is None
    apart = target.output is not None or target.form not in ("text", "json")
    if apart and (rest["screen"] or any(rest[name] for name in _OTHER_QUESTIONS)):
        told = "-o and --format write agreement itself, and not what another option asks for."
        raise InputError(told, hint="Leave that option out, or take --json.")
    if rest["screen"]:
        from auditor.cli.agreement_screen import open_agreement_screen

        if annotators is not None or ratings is not None or any(rest[name] for name in _OTHER_QUESTIONS):
            raise InputError("--screen shows everybody of an audit file.", hint="Leave the other option out.")
        return open_agreement_screen(file, rest)
    if rest["annotator"] is not None:
        hint = "Whom to compare is said with --annotators, separated by commas."
        raise InputError("--annotator is for --screen: who reviews the items.", hint=hint)
    _print_numbers(file, ratings, multi, annotators, rest, target)
    return 0


def _print_numbers(
    file: str | None,
    ratings: str | None,
    multi: bool,
    annotators: str | None,
    rest: Mapping[str, Any],
    target: Target,
) -> None:
    """Answer the question that the options ask, as a table, as JSON or as a file."""
    # numpy comes in here, so that --help does not wait for it.
    from auditor.agreement.measure import measure_agreement

    names = None if annotators is None else _names(annotators)
    categories = tuple(rest["categories"]) or None
    how = _options(names, rest)
    if rest["quick"]:
        run_quick(file, ratings, multi, how, rest)
        return None
    if rest["against"] is not None or rest["computed"]:
        _print_against(file, ratings, multi, names, categories, how, rest)
        return
    if rest["confusion"] is not None:
        _print_confusion(file, ratings, multi, names, categories, rest)
        return
    minus = Minus(where=rest["minus_where"], tags=tuple(dict.fromkeys(rest["minus_tags"])))
    if rest["minus_annotators"] is not None:
        minus = minus._replace(annotators=_names(rest["minus_annotators"], "--minus-annotators"))
    if any(minus):
        _print_difference(file, ratings, multi, categories, how, minus, rest)
        return
    rated = _load(file, ratings, multi, names, categories, rest["codebook"], rest["where"])
    _put(target, file, rated, measure_agreement(rated, how), how, rest)


def _options(names: tuple[str, ...] | None, rest: Mapping[str, Any]) -> Options:
    """Return what is measured, and how."""
    return Options(
        statistics=tuple(dict.fromkeys(rest["statistics"])),
        annotators=names,
        tags=tuple(dict.fromkeys(rest["tags"])),
        groups=tuple(dict.fromkeys(rest["groups"])),
        weights=rest["weights"],
        scores=tuple(rest["scores"]) or None,
        metric=rest["metric"],
        bootstrap=rest["bootstrap"],
        interval=rest["interval"],
        replicates=rest["replicates"],
        seed=rest["seed"],
        confidence=rest["confidence"],
    )


def _put(
    target: Target,
    file: str | None,
    rated: Ratings,
    found: Sequence[Coefficient],
    how: Options,
    rest: Mapping[str, Any],
) -> None:
    """Print the usual coefficients, or write them where the target says."""
    names, where = how.annotators, rest["where"]
    people = rated.annotators if names is None else names

    def document() -> dict[str, Any]:
        used = {"where": where} if where else {}
        beside = late_reviews(file, rest["codebook"]) | doubtful_items(file, rest["codebook"], where)
        return {"coefficients": [one.as_json() for one in found]} | used | beside

    def laid_out() -> LaidOut:
        if len(people) < 2:
            raise InputError("agreement needs two annotators, so there is no table to write.")
        from auditor.cli.agreement_file import agreement_laid_out

        return agreement_laid_out(found, rated, how, where, further(file, rest["codebook"], people, how.tags, where))

    def show() -> None:
        if file is not None and names is None and len(rated.annotators) == 1:
            from auditor.audit.judge import other_comparisons

            print_text(f"Agreement needs two annotators, and only {rated.annotators[0]} has reviewed anything.")
            for sentence in other_comparisons(file, rated.annotators[0], rest["codebook"]):
                print_text(sentence)
            return
        from auditor.cli.agreement_table import print_agreement

        print_agreement(found, rated, how, where)
        for sentence in further(file, rest["codebook"], people, how.tags, where):
            print_text(sentence)

    put_tables(target, laid_out, document, show)


def _print_against(
    file: str | None,
    ratings: str | None,
    multi: bool,
    judges: tuple[str, ...] | None,
    categories: tuple[str, ...] | None,
    how: Options,
    rest: Mapping[str, Any],
) -> None:
    """Hold judges against references, from an audit file or a CSV."""
    from auditor.agreement.judges import measure_judges
    from auditor.audit.judge import JudgedRatings, judged_ratings
    from auditor.cli.agreement_judges import judges_as_json, print_judges

    if rest["against"] is None:
        raise InputError("--computed needs somebody to hold the computed modes against.", hint="Add --against NAME.")
    if rest["confusion"] is not None:
        raise InputError("--against and --confusion are two different questions.", hint="Ask one of them.")
    references = _names(rest["against"], "--against")
    if file is None or ratings is not None:
        if rest["computed"]:
            raise InputError("--computed concerns an audit file, not --ratings.")
        rated = _load(file, ratings, multi, None, categories, rest["codebook"], rest["where"])
        others = tuple(name for name in rated.annotators if name not in references)
        found = JudgedRatings(rated, judges or others or references, references, {}, {})
    else:
        _refuse_for_an_audit_file(multi, categories, "--against")
        found = judged_ratings(
            file,
            references,
            judges=judges,
            codebook=rest["codebook"],
            computed=rest["computed"],
            where=rest["where"],
        )
    measured = measure_judges(found.ratings, found.judges, found.references, how, found.able)
    if rest["as_json"]:
        used = {"where": rest["where"]} if rest["where"] else {}
        print_json(judges_as_json(measured, found.modes) | used)
    else:
        print_judges(measured, found.ratings, found.modes, how, rest["where"])
        print_late_tags(file, rest["codebook"], (*found.judges, *found.references), how.tags)
        print_doubts(file, rest["codebook"], rest["where"])


def _print_confusion(
    file: str | None,
    ratings: str | None,
    multi: bool,
    annotators: tuple[str, ...] | None,
    categories: tuple[str, ...] | None,
    rest: Mapping[str, Any],
) -> None:
    """Count which tags two annotators put instead of each other."""
    from auditor.agreement.confusion import confusion
    from auditor.cli.agreement_judges import confusion_as_json, print_confusion

    both = _names(rest["confusion"], "--confusion")
    if len(set(both)) != 2 or len(both) != 2:
        raise InputError("--confusion takes two annotators.", hint="Write e.g. --confusion ana,ben.")
    if annotators is not None or rest["tags"]:
        raise InputError(
            "--confusion names its annotators and shows all tags.", hint="Leave --annotators and --tag out."
        )
    rated = _load(file, ratings, multi, both, categories, rest["codebook"], rest["where"])
    found = confusion(rated, *both)
    if rest["as_json"]:
        print_json(confusion_as_json(found) | ({"where": rest["where"]} if rest["where"] else {}))
    else:
        print_confusion(found, rest["where"])
        print_doubts(file, rest["codebook"], rest["where"])


def _print_difference(
    file: str | None,
    ratings: str | None,
    multi: bool,
    categories: tuple[str, ...] | None,
    how: Options,
    minus: Minus,
    rest: Mapping[str, Any],
) -> None:
    """Measure how far agreement differs between two sides, in an audit file or a CSV."""
    from auditor.audit.agree import sides_from_audit
    from auditor.cli.agreement_difference import check_sides, differences_as_json, measured, print_differences

    where, codebook = rest["where"], rest["codebook"]
    check_sides(minus, how, where)
    everybody = None if how.annotators is None else tuple(dict.fromkeys((*how.annotators, *minus.annotators)))
    if minus.where and file is not None and ratings is None and not multi:
        rated, *items = sides_from_audit(
            file, where, minus.where, annotators=everybody, codebook=codebook, categories=categories
        )
        found = measured(rated, how, minus, (items[0], items[1]))
    else:
        rated = _load(file, ratings, multi, everybody, categories, codebook, where)
        found = measured(rated, how, minus, None)
    if rest["as_json"]:
        print_json(differences_as_json(found, minus) | ({"where": where} if where else {}))
    else:
        print_differences(found, how, minus, where)


def _refuse_for_an_audit_file(multi: bool, categories: tuple[str, ...] | None, what: str) -> None:
    if multi:
        raise InputError("--multi concerns --ratings: the tags of an audit file are sets already.")
    if categories:
        raise InputError(f"--category does not go with {what} on an audit file.", hint="Choose tags with --tag.")


def _load(
    file: str | None,
    ratings: str | None,
    multi: bool,
    annotators: tuple[str, ...] | None,
    categories: tuple[str, ...] | None,
    codebook: str | None,
    where: str,
) -> Ratings:
    """Read the ratings from the one source that was named."""
    if (file is None) == (ratings is None):
        raise InputError("name either an audit file or a CSV with --ratings.")
    if ratings is not None:
        from auditor.agreement.ratings_csv import read_ratings

        if codebook is not None:
            raise InputError("--codebook concerns an audit file, not --ratings.")
        if where:
            raise InputError("--where concerns an audit file, not --ratings.")
        return read_ratings(ratings, multi=multi, categories=categories)
    from auditor.audit.agree import ratings_from_audit

    assert file is not None
    if multi:
        raise InputError("--multi concerns --ratings: the tags of an audit file are sets already.")
    return ratings_from_audit(file, annotators=annotators, codebook=codebook, categories=categories, where=where)


def _names(text: str, option: str = "--annotators") -> tuple[str, ...]:
    """Split names at commas; a name that holds a comma stands in double quotes."""
    try:
        (fields,) = csv.reader([text], strict=True)
    except (csv.Error, ValueError) as error:
        raise InputError(f"{option} takes names separated by commas.") from error
    if "" in fields:
        raise InputError(f"{option} holds an empty name.")
    return tuple(fields)
