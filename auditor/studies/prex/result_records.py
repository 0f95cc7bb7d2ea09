"""One line of a dataset or a results file of PrEx or PLSemanticsBench: the task that it is about, and the replies."""

from __future__ import annotations

import hashlib
import re
from pathlib import PurePosixPath
from typing import NamedTuple

from auditor.formats.fields import Fields, take_optional_text, take_text
from auditor.formats.json_text import UnusableError, kind_of
from auditor.grading.final_state import read_state
from auditor.model import JsonValue, Scalar, Study, Task
from auditor.studies.prex.cstar.error_kinds import PlantedError
from auditor.studies.prex.cstar.notation import SINGLE_TOKEN, STANDARD, SWAPPED, UNSEEN, Notation
from auditor.studies.prex.cstar.respelling import respell
from auditor.studies.prex.cstar.rules import Formalism
from auditor.studies.prex.result_paths import ResultsPlace
from auditor.text import to_bytes, visible_line

REPLIES = "model-prediction"
_NOT_KEPT = ("syntax", "semantics", "exec-trace")
"""Long texts that are the same for all records of a configuration, and what execution gives again."""
_SPLITS = {"human_written": "human-written", "synthetic_cpp": "llm-translated", "fuzzer_generated": "fuzzer-generated"}
_SPLIT_BY_PREFIX = {"fuzz_": "fuzzer-generated", "pgm_": "llm-translated"}
_FORMALISMS = {"SOS": "S", "S": "S", "K": "K"}
_SHIFTS: dict[str, Notation] = {"Standard": STANDARD, "KeywordSwap": SWAPPED, "KeywordObf": UNSEEN}
_MUTATIONS = {"addSub_mulDiv_negateRelation": "KeywordSwap", "unseen": "KeywordObf", "None": "Standard", "": "Standard"}
_VERDICTS = {"##success##": "success", "##error##": "error"}
_KINDS = tuple(kind.value for kind in PlantedError)
_TASK_OF_ID = re.compile(r"(?P<task>[a-z]+)-(?P<setup>uk|mk|nk)-")
_FILE_OF_ID = re.compile(
    r"[a-z]+-(?:uk|mk|nk)-(?:SOS|S|K)-"
    r"(?:(?:Standard|KeywordSwap|KeywordObf|addSub_mulDiv_negateRelation|unseen(?:-gpt4o-1-token)?)-)?(?P<file>.+)",
    re.DOTALL,
)
_OTHER_TASKS = {"srp": "PredRule, which rules are applied", "etp": "PredTrace, the whole execution"}
_UNIT = re.compile(r"\s*<answer>(.*)</answer>\s*", re.DOTALL)


class ReadRecord(NamedTuple):
    """A line, taken apart."""

    task: Task
    replies: JsonValue
    """As the line has them: text, a list of texts, null."""
    has_replies: bool
    rest: Fields
    """Keys that are not known: they belong to the replies."""


def study_called(name: str, *, states: bool) -> Study:
    """Return the declaration of a study of verdicts, or of final states; programs of one name are a cluster."""
    if states:
        return Study(name, "json-or-tokens", "state-tags", "problem")
    return Study(name, "verdict", "ans-tags", "problem", "prex")


def study_name(split: str, *, states: bool) -> str:
    """Return how a study is called where nothing else is said."""
    return f"{'predstate' if states else 'prex'}-{split}"


def split_of(source: object, filename: object) -> str:
    """Return the split, by the paper's word for it: as the record says, else by the name of its file."""
    if isinstance(source, str) and source:
        return _SPLITS.get(source, source.replace("_", "-"))
    name = PurePosixPath(filename).name if isinstance(filename, str) else ""
    return next((split for prefix, split in _SPLIT_BY_PREFIX.items() if name.startswith(prefix)), "human-written")


def read_record(fields: Fields, place: ResultsPlace, *, study: str | None, one_token: bool) -> ReadRecord:
    """Take a line apart; raises UnusableError. `one_token`: the model saw KeywordObf in signs of one token."""
    for name in _NOT_KEPT:
        fields.pop(name, None)
    states = "ground-truth" in fields and "ans" not in fields
    has_replies, replies = REPLIES in fields, fields.pop(REPLIES, None)
    id_ = take_optional_text(fields, "id") or ""
    filename = take_optional_text(fields, "src-filename") or ""
    _refuse_other_tasks(id_, place)
    split = split_of(fields.pop("dataset-source", None), filename)
    formalism = _formalism(fields, place)
    shift = _shift(fields)
    shown = _program(fields, shift, one_token and not states)
    error = ""
    oracle: JsonValue
    if states:
        oracle = _state(take_text(fields, "ground-truth"))
        problem = _problem(filename, id_) or hashlib.sha256(to_bytes(shown.program)).hexdigest()[:12]
        case = problem
    else:
        error, oracle = _labels(fields, formalism)
        problem = _problem(filename, id_, error)
        if not problem:
            raise UnusableError("it has neither a src-filename nor an id.")
        case = f"{problem}/{error}"
    setup = _setup(id_, place)
    facets: dict[str, Scalar] = {"split": split, "semantics": formalism, "shift": shift, "notation": shown.notation.key}
    facets |= {"error_type": error} if error else {}
    facets |= {"setup": setup} if setup else {}
    fields.pop("language", None)
    extra: dict[str, JsonValue] = {"id": id_, "src-filename": filename, **shown.stored}
    task = Task(
        study or study_name(split, states=states),
        case,
        "/".join([formalism, shift, *(["no-rules"] if setup == "nk" else []), *shown.suffix]),
        "cstar",
        shown.source,
        "",
        "state" if states else "verdict",
        oracle,
        problem=problem,
        facets=facets,
        extra={name: value for name, value in extra.items() if value != ""},
    )
    if has_replies:
        return ReadRecord(task, replies, True, fields)
    return ReadRecord(task, None, False, {})


def _refuse_other_tasks(id_: str, place: ResultsPlace) -> None:
    named = _TASK_OF_ID.match(id_)
    codes = {named["task"]} if named else {folder.name for folder in list(place.path.parents)[:5]}
    for code, words in _OTHER_TASKS.items():
        if code in codes:
            raise UnusableError(f"it is a record of {words}, which is not read: only verdicts and final states are.")


def _problem(filename: str, id_: str, error: str = "") -> str:
    """Return the name that a program and its invalid counterparts share; "" when there is none.

    The benchmark calls `gcd.imp` with an error of its kind `gcd_modulo_zero.imp`. Folders stay: they tell apart files
    that are called alike.
    """
    named = _FILE_OF_ID.fullmatch(id_)
    name = (filename or (named["file"] if named else id_)).removesuffix(".imp")
    return (name.removesuffix(f"_{error}") or name) if error in _KINDS else name


def _setup(id_: str, place: ResultsPlace) -> str | None:
    named = _TASK_OF_ID.match(id_)
    return "nk" if place.setup == "nk" else named["setup"] if named else place.setup


def _formalism(fields: Fields, place: ResultsPlace) -> str:
    named = take_optional_text(fields, "semantics-type")
    if named is None:
        if place.formalism is None:
            raise UnusableError("it has no semantics-type, and no folder named IMP-SOS or IMP-K says which it is.")
        return place.formalism
    if named not in _FORMALISMS:
        raise UnusableError(f"its semantics-type is {visible_line(named, 40)}, but must be SOS or K.")
    return _FORMALISMS[named]


def _shift(fields: Fields) -> str:
    named = take_optional_text(fields, "mutation-pattern") or ""
    shift = _MUTATIONS.get(named, named)
    if shift not in _SHIFTS:
        known = ", ".join(_SHIFTS)
        raise UnusableError(f"its mutation-pattern is {visible_line(named, 40)}, but must be one of {known}.")
    return shift


class _Shown(NamedTuple):
    """The program as a model saw it."""

    source: str
    program: str
    """As it is in the symbols of C, whatever the model saw."""
    notation: Notation
    suffix: list[str]
    """What the arm has more, where the model saw other signs than the record has."""
    stored: dict[str, JsonValue]
    """The record's own texts, where they are others."""


def _program(fields: Fields, shift: str, one_token: bool) -> _Shown:
    program, mutated = take_text(fields, "program"), take_optional_text(fields, "mutated-program") or ""
    said = fields.pop("mutated", None)
    if not isinstance(said, bool | None):
        raise UnusableError(f"mutated is {kind_of(said)}, but must be true or false.")
    if shift == "Standard":
        return _Shown(
            program, program, STANDARD, [], {"mutated-program": mutated} if mutated not in ("", program) else {}
        )
    if not mutated:
        raise UnusableError(f"it has no mutated-program, though its mutation-pattern is {shift}.")
    stored: dict[str, JsonValue] = {"program": program}
    if shift != "KeywordObf" or not one_token:
        return _Shown(mutated, program, _SHIFTS[shift], [], stored)
    seen = respell(mutated, UNSEEN, SINGLE_TOKEN)
    return _Shown(seen, program, SINGLE_TOKEN, ["one-token"], stored | {"mutated-program": mutated})


def _labels(fields: Fields, formalism: str) -> tuple[str, JsonValue]:
    """Return the kind of error and the oracle; raises UnusableError where they are none or contradict each other."""
    kind = take_optional_text(fields, "semantic-error-type") or "None"
    answer, rule = take_text(fields, "ans"), take_optional_text(fields, "semantic-error-rule") or "None"
    if kind not in (*_KINDS, "None"):
        told = f"its semantic-error-type is {visible_line(kind, 40)!r}, but must be one of {', '.join(_KINDS)} or None."
        raise UnusableError(told)
    if answer not in _VERDICTS:
        raise UnusableError(f"its ans is {visible_line(answer, 40)!r}, but must be ##success## or ##error##.")
    is_error = _VERDICTS[answer] == "error"
    if is_error != (rule != "None"):
        told = f"names {visible_line(rule, 40)}" if rule != "None" else "names no rule"
        raise UnusableError(f"its ans is {answer}, but its semantic-error-rule {told}.")
    if is_error != (kind != "None"):
        raise UnusableError(f"its ans is {answer}, but its semantic-error-type is {kind}.")
    if not is_error:
        return "valid", {"verdict": "success"}
    if not re.fullmatch(r"Rule [1-9][0-9]{0,3}", rule):
        raise UnusableError(f"its semantic-error-rule is {visible_line(rule, 40)!r}, but must be like 'Rule 19'.")
    count = Formalism(formalism).numbers.rules
    if int(rule.removeprefix("Rule ")) > count:
        raise UnusableError(f"its semantic-error-rule is {rule}, but {formalism} has {count} rules.")
    return kind, {"verdict": "error", "rule": rule}


def _state(text: str) -> str:
    """Return the oracle of a final state as JSON; the file has it in tags, with or without `<answer>` around."""
    around = _UNIT.fullmatch(text)
    content = read_state(around[1] if around else text)
    if content.prediction is None:
        raise UnusableError(f"its ground-truth is no final state: {content.why}.")
    return content.prediction
