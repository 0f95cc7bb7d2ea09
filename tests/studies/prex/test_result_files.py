"""Result files of PrEx and PLSemanticsBench: what they become, what a model saw, and what is refused."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.errors import InputError
from auditor.formats import recognise
from auditor.formats.json_text import UnusableError
from auditor.formats.records import Refusal, ResponseRow
from auditor.model import Setting, Study, Task
from auditor.studies.prex.cstar.machine import run
from auditor.studies.prex.cstar.notation import SINGLE_TOKEN, UNSEEN
from auditor.studies.prex.cstar.parsing import parse
from auditor.studies.prex.cstar.rules import Formalism
from auditor.studies.prex.result_files import FORMAT
from auditor.studies.prex.result_paths import results_place
from auditor.studies.prex.result_records import read_record
from tests.hostile import HOSTILE
from tests.studies.prex.results import PROGRAMS, record, right_reply, write_lines

QWEN, MINISTRAL = "Qwen2.5-Coder-32B-Instruct-cot", "Ministral-3-14B-da"


class Read:
    """Everything that a source hands out."""

    def __init__(self, path: Path, study: str | None = None, setting: str | None = None) -> None:
        source = FORMAT.open(path, study=study, setting=setting)
        found = list(source.records())
        self.tasks = [one for one in found if isinstance(one, Task)]
        self.studies = [one for one in found if isinstance(one, Study)]
        self.settings = [one for one in found if isinstance(one, Setting)]
        self.refusals = [str(one) for one in found if isinstance(one, Refusal)]
        self.rows: list[ResponseRow] = []
        for batch in source.responses():
            assert isinstance(batch, list)
            self.rows += [one for one in batch if isinstance(one, ResponseRow)]
            self.refusals += [str(one) for one in batch if isinstance(one, Refusal)]
        self.planned = list(source.planned())


def answered(error: str, formalism: str = "SOS", shift: str = "Standard") -> dict[str, object]:
    fields = record(error, formalism, shift)
    return fields | {"model-prediction": right_reply(fields)}


@pytest.mark.parametrize("name", ["results-42.jsonl", "results-42.jsonl.gz"])
def test_a_results_file_is_recognised_and_read(tmp_path: Path, name: str) -> None:
    path = write_lines(
        tmp_path / "pcp" / "uk" / "IMP-K" / MINISTRAL / name, [answered(error, "K") for error in PROGRAMS]
    )
    assert recognise(path) is FORMAT
    read = Read(path)
    assert not read.refusals
    assert read.settings == [Setting(MINISTRAL, model="Ministral-3-14B", prompting="direct")]
    assert [(study.name, study.policy, study.envelope) for study in read.studies] == [
        ("prex-human-written", "verdict", "ans-tags")
    ]
    by_case = {task.case: task for task in read.tasks}
    assert by_case.keys() == {"sum/valid", *(f"sum/{error}" for error in PROGRAMS if error != "None")}
    assert by_case["sum/modulo_zero"].oracle == {"verdict": "error", "rule": "Rule 9"}
    assert by_case["sum/valid"].oracle == {"verdict": "success"}
    assert {task.arm for task in read.tasks} == {"K/Standard"} and {task.problem for task in read.tasks} == {"sum"}
    assert [(row.case, row.sample, row.line) for row in read.rows] == [
        (task.case, 0, line) for line, task in enumerate(read.tasks, 1)
    ]
    facets = {"split": "human-written", "semantics": "K", "shift": "Standard", "notation": "standard", "setup": "uk"}
    assert by_case["sum/valid"].facets == facets | {"error_type": "valid"}


def test_a_model_that_saw_other_signs_has_its_own_task_and_the_stored_program_is_kept(tmp_path: Path) -> None:
    lines = [answered(error, "SOS", "KeywordObf") for error in PROGRAMS]
    for setting in (QWEN, MINISTRAL):
        write_lines(tmp_path / "mk" / "IMP-SOS" / setting / "results-42.jsonl", lines)
    read = Read(tmp_path)
    stored = {(task.case, task.arm): task for task in read.tasks}
    assert len(stored) == 12 and not read.refusals
    for error, program in PROGRAMS.items():
        case = "sum/valid" if error == "None" else f"sum/{error}"
        letters, signs = stored[case, "S/KeywordObf"], stored[case, "S/KeywordObf/one-token"]
        assert letters.source == record(error, "SOS", "KeywordObf")["mutated-program"] != signs.source
        assert signs.extra["mutated-program"] == letters.source
        assert signs.extra["program"] == letters.extra["program"] == program
        assert (letters.facets["notation"], signs.facets["notation"]) == ("obf", "obf-token")
        assert letters.facets["shift"] == signs.facets["shift"] == "KeywordObf"
        for source, notation in ((letters.source, UNSEEN), (signs.source, SINGLE_TOKEN)):
            ran = run(parse(source, notation), Formalism.S)
            rule = {} if ran.rule is None else {"rule": f"Rule {ran.rule}"}
            assert letters.oracle == {"verdict": ran.verdict} | rule
    assert {(row.setting, row.arm) for row in read.rows} == {
        (QWEN, "S/KeywordObf/one-token"),
        (MINISTRAL, "S/KeywordObf"),
    }


def test_seeds_and_lists_of_replies_become_samples_in_their_order(tmp_path: Path) -> None:
    folder = tmp_path / "uk" / "IMP-SOS" / MINISTRAL
    for seed in (43, 7):
        write_lines(folder / f"results-{seed}.jsonl", [record("None") | {"model-prediction": [f"{seed}a", None]}])
    read = Read(tmp_path)
    assert [(row.sample, row.text) for row in read.rows] == [(2, "43a"), (3, None), (0, "7a"), (1, None)]
    assert json.loads(read.rows[0].extra or "") == {"seed": 43}
    assert [(cell.arm, cell.samples) for cell in read.planned] == [("S/Standard", 4)]
    assert [row.sample for row in Read(folder / "results-43.jsonl").rows] == [2, 3]


def test_counterparts_share_the_name_of_their_program_and_folders_tell_programs_apart(tmp_path: Path) -> None:
    named = ("gcd.imp", "modulo_zero", "None"), ("gcd_modulo_zero.imp", "modulo_zero", "modulo_zero")
    lines = [record(error, "SOS", **{"src-filename": name}) for name, _, error in named]
    for folder in ("left", "right"):
        lines.append(record("None", "SOS", **{"src-filename": f"{folder}/gcd.imp"}))
    lines.append(record("None", "K", **{"src-filename": "is_valid.imp"}))
    lines.append(record("None", "K", "KeywordSwap", **{"src-filename": "", "id": "pcp-mk-K-KeywordSwap-a-K-b.v2.imp"}))
    read = Read(write_lines(tmp_path / "dataset.jsonl", lines))
    assert not read.refusals
    assert [(task.case, task.problem) for task in read.tasks] == [
        ("gcd/valid", "gcd"),
        ("gcd/modulo_zero", "gcd"),
        ("left/gcd/valid", "left/gcd"),
        ("right/gcd/valid", "right/gcd"),
        ("is_valid/valid", "is_valid"),
        ("a-K-b.v2/valid", "a-K-b.v2"),
    ]


def test_another_program_of_the_same_name_is_refused_with_its_reply(tmp_path: Path) -> None:
    first, other = answered("None"), answered("None") | {"program": "halt;\n", "model-prediction": "other"}
    for setting, lines in ((MINISTRAL, [first, other]), (QWEN, [other, answered("modulo_zero")])):
        write_lines(tmp_path / "uk" / "IMP-SOS" / setting / "results-42.jsonl", lines)
    read = Read(tmp_path)
    known = f"uk/IMP-SOS/{MINISTRAL}/results-42.jsonl"
    told = f"another program or answer has its name sum/valid ({known}:1)."
    assert read.refusals == [f"{known}:2: {told}", f"uk/IMP-SOS/{QWEN}/results-42.jsonl:1: {told}"]
    assert [(row.setting, row.case) for row in read.rows] == [(MINISTRAL, "sum/valid"), (QWEN, "sum/modulo_zero")]


def test_shards_are_read_together_and_absent_ones_are_told(tmp_path: Path) -> None:
    folder = tmp_path / "uk" / "IMP-SOS" / MINISTRAL
    write_lines(folder / "results-42.shard0-of-3.jsonl", [answered("None")])
    write_lines(folder / "results-42.shard2-of-3.jsonl.gz", [answered("modulo_zero")])
    read = Read(tmp_path)
    assert [row.case for row in read.rows] == ["sum/valid", "sum/modulo_zero"]
    assert read.refusals == [f"{tmp_path.name}: {MINISTRAL}/results-42: of its 3 shards, 1 is not there."]


def test_a_dataset_without_replies_is_cases(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "pcp.jsonl", [record(error) | {"syntax": "s", "semantics": "t"} for error in PROGRAMS]
    )
    assert recognise(path) is FORMAT
    read = Read(path, study="mine")
    assert len(read.tasks) == 6 and not read.rows and not read.planned and not read.settings
    assert {task.study for task in read.tasks} == {"mine"}
    # The same records with replies are the same tasks: whichever comes first.
    folder = tmp_path / "uk" / "IMP-SOS" / MINISTRAL
    again = Read(write_lines(folder / "results-42.jsonl", [answered(error) for error in PROGRAMS]), study="mine")
    assert [(a.key, a.source, a.oracle, a.facets, a.extra) for a in again.tasks] == [
        (b.key, b.source, b.oracle, b.facets, b.extra) for b in read.tasks
    ]


def test_final_states_of_plsemanticsbench(tmp_path: Path) -> None:
    fields = {
        "id": "op-uk-K-sum.imp",
        "program": PROGRAMS["None"],
        "src-filename": "sum.imp",
        "semantics-type": "K",
        "mutated-program": PROGRAMS["None"],
        "mutation-pattern": "Standard",
        "exec-trace": "long",
        "ground-truth": "<answer><a>3045</a><b>1078</b><ans>4123</ans></answer>",
        "model-prediction": "<answer><a>3045</a><b>1078</b><ans>4123</ans></answer>",
    }
    path = write_lines(tmp_path / "op" / "uk" / "IMP-K" / MINISTRAL / "results-42.jsonl", [fields])
    assert recognise(path) is FORMAT
    read = Read(path)
    (task,) = read.tasks
    assert (task.study, task.case, task.arm, task.target) == ("predstate-human-written", "sum", "K/Standard", "state")
    assert task.oracle == '{"a":3045,"b":1078,"ans":4123}'
    assert read.studies[0].envelope == "state-tags" and len(read.rows) == 1


def test_a_program_without_a_name_is_one_case_under_every_shift(tmp_path: Path) -> None:
    lines = []
    for shift in ("Standard", "KeywordSwap", "KeywordObf"):
        fields = record("None", "K", shift) | {"ground-truth": "<answer></answer>"}
        lines.append({name: fields[name] for name in fields if name not in ("id", "src-filename", "ans")})
    read = Read(write_lines(tmp_path / "predstate.jsonl", lines))
    assert not read.refusals and len(read.tasks) == 3
    assert len({task.source for task in read.tasks}) == 3 and len({task.case for task in read.tasks}) == 1


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"ans": "success"}, "its ans is 'success', but must be ##success## or ##error##."),
        ({"semantic-error-rule": "None"}, "its ans is ##error##, but its semantic-error-rule names no rule."),
        ({"ans": "##success##"}, "its ans is ##success##, but its semantic-error-rule names Rule 23."),
        ({"semantic-error-rule": "23"}, "its semantic-error-rule is '23', but must be like 'Rule 19'."),
        ({"semantic-error-rule": "Rule 0"}, "its semantic-error-rule is 'Rule 0', but must be like 'Rule 19'."),
        ({"semantic-error-rule": "Rule 79"}, "its semantic-error-rule is Rule 79, but S has 78 rules."),
        (
            {"semantic-error-type": "overflow"},
            "its semantic-error-type is 'overflow', but must be one of break_outside_loop, continue_outside_loop,"
            " divide_by_zero, modulo_zero, var_use_before_declare or None.",
        ),
        ({"semantic-error-type": "None"}, "its ans is ##error##, but its semantic-error-type is None."),
        (
            {"ans": "##success##", "semantic-error-rule": None},
            "its ans is ##success##, but its semantic-error-type is modulo_zero.",
        ),
        ({"semantics-type": "T"}, "its semantics-type is T, but must be SOS or K."),
        ({"mutation-pattern": "x"}, "its mutation-pattern is x, but must be one of Standard, KeywordSwap, KeywordObf."),
        ({"program": None}, "program is null, but must be text."),
        ({"mutated": 1}, "mutated is the number 1, but must be true or false."),
        ({"id": "srp-uk-SOS-sum.imp"}, "it is a record of PredRule, which rules are applied, which is not read"),
        ({"id": "", "src-filename": None}, "it has neither a src-filename nor an id."),
        ({"model-prediction": 5}, "model-prediction holds the number 5, but must be text or a list of texts."),
        ({"model-prediction": []}, "model-prediction is an empty list."),
        ({"model-prediction": ["a", {}]}, "model-prediction holds an object, but must be text or a list of texts."),
    ],
)
def test_a_line_that_cannot_be_used_is_told_and_the_others_are_read(
    tmp_path: Path, change: dict[str, object], reason: str
) -> None:
    path = tmp_path / "uk" / "IMP-SOS" / MINISTRAL / "results-1.jsonl"
    read = Read(write_lines(path, [answered("modulo_zero") | change, "{broken", answered("None")]))
    assert len(read.refusals) == 2 and len(read.rows) == 1
    assert sum(told.startswith(f"results-1.jsonl:1: {reason}") for told in read.refusals) == 1
    assert sum(told.startswith("results-1.jsonl:2: ") for told in read.refusals) == 1


def test_a_compressed_file_that_ends_early_keeps_what_was_read(tmp_path: Path) -> None:
    lines = [
        answered("None") | {"src-filename": f"p{number}.imp", "noise": hash(str(number))} for number in range(3000)
    ]
    path = write_lines(tmp_path / MINISTRAL / "results-1.jsonl.gz", lines)
    path.write_bytes(path.read_bytes()[:-2000])
    read = Read(path)
    assert len(read.rows) > 1000 and len(read.refusals) == 1
    assert "its compressed data ends early: nothing after this line can be read." in read.refusals[0]


@pytest.mark.parametrize("members", [1, 2])
def test_what_stands_before_broken_data_is_read(tmp_path: Path, members: int) -> None:
    lines = [json.dumps(answered(error)).encode() + b"\n" for error in ("None", "modulo_zero")]
    packed = b"".join(map(gzip.compress, lines)) if members == 2 else gzip.compress(b"".join(lines))
    path = tmp_path / MINISTRAL / "results-1.jsonl"
    path.parent.mkdir()
    path.write_bytes(packed + b"\0\0")
    assert [row.case for row in Read(path).rows] == ["sum/valid", "sum/modulo_zero"]
    assert not Read(path).refusals
    path.write_bytes(packed + b"garbage")
    read = Read(path)
    assert [row.case for row in read.rows] == ["sum/valid", "sum/modulo_zero"]
    assert read.refusals == ["results-1.jsonl:2: its compressed data is broken: nothing after this line can be read."]


def test_a_folder_is_known_by_any_file_and_an_empty_one_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "uk" / "IMP-SOS" / MINISTRAL
    for seed, lines in ((1, []), (2, ["{broken"]), (3, [answered("None")])):
        write_lines(folder / f"results-{seed}.jsonl", lines)
    assert recognise(tmp_path) is FORMAT
    read = Read(tmp_path)
    assert len(read.rows) == 1
    where = f"uk/IMP-SOS/{MINISTRAL}/results"
    assert read.refusals[0] == f"{where}-1.jsonl: there is no record in it."
    assert [told.partition(": ")[0] for told in read.refusals] == [f"{where}-1.jsonl", f"{where}-2.jsonl:1"]


def test_a_text_that_is_no_unicode_is_read_with_its_study_and_setting(tmp_path: Path) -> None:
    line = json.dumps(answered("None") | {"model-prediction": "\ud800"})
    read = Read(write_lines(tmp_path / MINISTRAL / "results-1.jsonl", [line]))
    assert [row.text for row in read.rows] == ["\ud800"] and len(read.studies) == len(read.settings) == 1


def test_replies_without_a_known_setting_are_refused_before_anything(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "downloaded.jsonl", [answered("None")])
    with pytest.raises(InputError, match="does not say which setting"):
        Read(path)
    assert Read(path, setting="my model").settings == [Setting("my model")]
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="no results files"):
        Read(tmp_path / "empty")


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_texts_come_through_exactly_or_are_refused(text: str) -> None:
    place = results_place(Path("uk/IMP-SOS/m-da/results-42.jsonl"))
    fields = record("None") | {"program": text, "model-prediction": text, "mutated-program": text}
    found = read_record(fields, place, study=None, one_token=False)
    assert (found.task.source, found.replies) == (text, text)
    for name in ("id", "src-filename", "ans", "mutation-pattern", "semantic-error-rule", "dataset-source"):
        try:
            read_record(record("None") | {name: text}, place, study=None, one_token=True)
        except UnusableError as error:
            assert "\x1b" not in str(error) and "\n" not in str(error)


_ANY = st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.lists(st.integers(), max_size=2)


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.sampled_from([*record("None"), "ground-truth", "model-prediction"]), _ANY, max_size=5))
def test_no_value_of_a_field_ends_the_reading(change: dict[str, object]) -> None:
    place = results_place(Path("mk/IMP-K/m-cot/results-42.jsonl"))
    try:
        found = read_record(record("modulo_zero", "K", "KeywordObf") | change, place, study=None, one_token=True)
    except UnusableError:
        return
    assert found.task.target in ("verdict", "state")
