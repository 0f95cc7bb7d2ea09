"""Codebooks: what a good file gives, what each mistake is told, and that writing and reading change nothing."""

from __future__ import annotations

import re
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor import codebook as module
from auditor.codebook import (
    FREE_KEYS,
    MAX_NAME,
    RESERVED_KEYS,
    Codebook,
    Group,
    Tag,
    dump_codebook,
    find_codebook,
    known_codebooks,
    load_codebook,
    parse_codebook,
)
from auditor.errors import InputError
from auditor.text import has_invisible, visible_line
from auditor.tui.actions import ACTIONS
from tests.hostile import HOSTILE

MINIMAL = "name: mine\ntags:\n  - id: a\n    name: first\n    definition: d\n"


def tags(*rows: str) -> str:
    return "name: mine\ntags:\n" + "".join(f"  - {{{row}}}\n" for row in rows)


def refused(text: str, where: str = "book.yaml") -> InputError:
    with pytest.raises(InputError) as caught:
        parse_codebook(text, where)
    sentence = str(caught.value)
    assert "\n" not in sentence and not has_invisible(sentence)
    return caught.value


# --- bundled -------------------------------------------------------------------------------------------------------


def test_prex_has_the_four_failure_modes_and_an_answer_has_one_of_them() -> None:
    prex = find_codebook("prex")
    assert [(tag.id, tag.name, tag.key) for tag in prex.tags] == [
        ("false-success", "false success", "1"),
        ("false-error", "false error", "2"),
        ("wrong-rule", "wrong rule", "3"),
        ("malformed-output", "malformed output", "4"),
    ]
    assert prex.excluded_by("wrong-rule") == {"false-success", "false-error", "malformed-output"}


def test_execution_has_its_eleven_causes_and_two_of_them_stand_alone() -> None:
    execution = find_codebook("execution")
    assert ", ".join(tag.id for tag in execution.tags) == (
        "arithmetic, state-transition, control-flow, input-reading, copying, output-formatting, truncated,"
        " wrong-checkpoint, no-attempt, oracle-disputed, other"
    )
    alone = {tag.id for tag in execution.tags if len(execution.excluded_by(tag.id)) == 10}
    assert alone == {"no-attempt", "oracle-disputed"}
    assert execution.excluded_by("arithmetic") == alone


@pytest.mark.parametrize("name", ["prex", "execution"])
def test_a_bundled_codebook_explains_every_tag(name: str) -> None:
    book = find_codebook(name)
    assert book.title and book.description
    for tag in book.tags:
        assert tag.definition.endswith(".") and tag.decision_rule.endswith(".") and tag.example
        assert tag.group in {group.id for group in book.groups}
        assert not has_invisible(tag.definition + tag.decision_rule + tag.example)


@pytest.mark.parametrize(
    ("program", "run", "claimed"),
    [
        ("r = 47 * 36", 1692, 1682),
        ("a, b = 3, 5\na, b = b, a + b\nr = (a, b)", (5, 8), (5, 10)),
        ("n = 0\nfor i in range(2, 8, 2): n += i\nr = n", 12, 20),
        ("r = f'{0.5:.2f}'", "0.50", "0.5"),
        ("r = ' '.join(str(n * n) for n in (1, 2, 3, 4, 20))", "1 4 9 16 400", None),
        (
            "s = 0; r = {}\nfor i in range(1, 10):\n    r[i] = {'i': i, 's': s}\n    s += i\nr = (r[4], r[5])",
            ({"i": 4, "s": 6}, {"i": 5, "s": 10}),
            None,
        ),
    ],
)
def test_the_examples_of_the_execution_codebook_are_true(program: str, run: object, claimed: object) -> None:
    scope: dict[str, object] = {}
    exec(program, scope)
    assert scope["r"] == run and run != claimed


# --- what a file can say -------------------------------------------------------------------------------------------


def test_every_value_is_text() -> None:
    book = parse_codebook(
        tags(
            "id: NA, name: NA, definition: null",
            "id: none, name: none, definition: 1e3",
            "id: '007', name: no, definition: ~",
            "id: x, name: '[b]', definition: 2026-01-01",
            "id: y, name: 0x1F, definition: .nan",
        ),
        "book.yaml",
    )
    assert [(tag.id, tag.name, tag.definition) for tag in book.tags] == [
        ("NA", "NA", "null"),
        ("none", "none", "1e3"),
        ("007", "no", "~"),
        ("x", "[b]", "2026-01-01"),
        ("y", "0x1F", ".nan"),
    ]


def test_tags_without_a_key_get_the_free_ones_in_order() -> None:
    rows = [f"id: t{n}, name: n{n}, definition: d" for n in range(11)]
    rows[1] += ", key: '1'"
    rows[3] += ", key: d"
    assert [tag.key for tag in parse_codebook(tags(*rows), "b").tags] == list("213d456789b")


def test_order_group_and_exclusion_are_read() -> None:
    book = parse_codebook(
        "name: mine\ntitle: My own\ngroups:\n  - {id: g, exclusive: True}\n  - {id: h, name: Other ones}\n"
        "tags:\n"
        "  - {id: a, name: A, group: g, definition: d}\n  - {id: b, name: B, group: g, definition: d}\n"
        "  - {id: c, name: C, group: h, definition: d}\n  - {id: e, name: E, exclusive: true, definition: d}\n",
        "b",
    )
    assert book.groups == (Group("g", "g", True), Group("h", "Other ones", False))
    assert [(tag.order, tag.group, tag.exclusive) for tag in book.tags] == [
        (1, "g", False),
        (2, "g", False),
        (3, "h", False),
        (4, None, True),
    ]
    assert book.excluded_by("a") == {"b", "e"}
    assert book.excluded_by("c") == {"e"}
    assert book.excluded_by("e") == {"a", "b", "c"}
    with pytest.raises(KeyError):
        book.excluded_by("nope")


def test_a_tag_is_found_by_id_then_by_name_in_any_case() -> None:
    book = find_codebook("execution")
    assert book.find_tag("control-flow") is book.find_tag("Control  Flow")
    with pytest.raises(InputError, match=r"no tag 'aritmetic'\. Did you mean arithmetic\?"):
        book.find_tag("aritmetic")
    with pytest.raises(InputError, match="Its tags: arithmetic, state-transition"):
        book.find_tag("")


@pytest.mark.parametrize("data", [b"\xef\xbb\xbf" + MINIMAL.encode(), MINIMAL.replace("\n", "\r\n").encode()])
def test_a_byte_order_mark_and_windows_line_ends_change_nothing(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "book.yaml"
    path.write_bytes(data)
    assert load_codebook(path) == parse_codebook(MINIMAL, "b")


def test_the_text_is_kept_and_equality_looks_at_the_contents_only() -> None:
    commented = "# mine\n" + MINIMAL
    first, second = parse_codebook(MINIMAL, "b"), parse_codebook(commented, "b")
    assert first == second and first.content_hash == second.content_hash
    assert second.text == commented
    other = parse_codebook(MINIMAL.replace("definition: d", "definition: e"), "b")
    assert other != first and other.content_hash != first.content_hash


# --- mistakes ------------------------------------------------------------------------------------------------------

GROUPED = "name: m\ngroups:\n  - id: reading\n{}tags:\n  - {{id: a, name: A, definition: d{}}}\n"
MISTAKES: list[tuple[str, int, str, str]] = [
    ("", 1, "the codebook is empty", "name and tags"),
    ("# only a comment\n", 1, "the codebook is empty", ""),
    ("- a\n- b\n", 1, "a codebook is a mapping", ""),
    ("just text", 1, "a codebook is a mapping such as `id: …`, not 'just text'", ""),
    ("name: m\n", 1, "the codebook has no tags", "tags:"),
    ("name: m\ntags:\n", 1, "the codebook has no tags", ""),
    ("name: m\ntags: none\n", 2, "tags: is a list", ""),
    ("tags:\n  - {id: a, name: A, definition: d}\n", 1, "the codebook has no name", ""),
    ("name: my book\ntags: []\n", 1, "the name 'my book' is not made of", ""),
    ("name: m\ntag:\n  - x\n", 2, "a codebook has no 'tag'", "Did you mean tags?"),
    (tags("name: A, definition: d"), 3, "this tag has no id", ""),
    (tags("id: a, definition: d"), 3, "the tag a has no name", ""),
    (tags("id: a, name: A"), 3, "the tag a has no definition", ""),
    (tags("id: a, name: '  ', definition: d"), 3, "the tag a has no name", ""),
    ("name: m\ntags:\n  - id: a\n    name:\n    definition: d\n", 4, "the tag a has no name", ""),
    (tags("id: a, name: A, defintion: d"), 3, "a tag has no 'defintion'", "Did you mean definition?"),
    (tags("id: a, name: A, definition: d, parent: b"), 3, "a tag has no 'parent'", "Known are id, name"),
    ("name: m\ntags:\n  - {id: a, name: A, definition: d}\n  -\n", 4, "a tag is a mapping", ""),
    ("name: m\ntags:\n  - {id: a, name: A, definition: d}\n  - arithmetic\n", 4, "not 'arithmetic'", ""),
    ("name: m\ntags:\n  - {}\n", 3, "this tag has no id", ""),
    (tags("id: a, name: A, definition: d", "id: a, name: B, definition: d"), 4, "id 'a' is already in line 3", ""),
    (tags("id: a, name: A, definition: d", "id: A, name: B, definition: d"), 4, "differs from 'a' in line 3", "own"),
    (tags("id: a, name: A b, definition: d", "id: b, name: A b, definition: d"), 4, "'A b' is already in line 3", ""),
    (
        tags("id: a, name: A b, definition: d", "id: b, name: a  B, definition: d"),
        4,
        "only in case, spacing or Unicode form",
        "",
    ),
    (tags("id: a, name: x, definition: d", "id: b, name: A, definition: d"), 4, "is the id of another tag", ""),
    (
        "name: m\ntags: [{id: a, name: A, definition: d}, {id: a, name: B, definition: d}]",
        2,
        "is already in line 2",
        "",
    ),
    (
        tags("id: a, name: A, definition: d, key: 1", "id: b, name: B, definition: d, key: 1"),
        4,
        "that of a in line 3",
        "",
    ),
    (tags("id: a, name: A, definition: d, key: u"), 3, "the key 'u' is kept for commands", f"Free are {FREE_KEYS}"),
    (tags("id: a, name: A, definition: d, key: '0'"), 3, "the key '0' is kept for commands", ""),
    (tags("id: a, name: A, definition: d, key: ' '"), 3, "the key ' ' is kept for commands", ""),
    (tags("id: a, name: A, definition: d, key: Enter"), 3, "the key 'Enter' is kept for commands", ""),
    (tags("id: a, name: A, definition: d, key: '12'"), 3, "the key '12' cannot be a tag's", ""),
    (tags("id: a, name: A, definition: d, key: é"), 3, "the key 'é' cannot be a tag's", ""),
    (tags("id: a, name: A, definition: d, key: [1]"), 3, "key is a text, not a list", ""),
    (tags("id: a, name: A, definition: d, exclusive: maybe"), 3, "exclusive is true or false, not 'maybe'", ""),
    (tags("id: a, name: A, definition: d, group: g"), 3, "there is no group 'g'", "Declare it"),
    (GROUPED.format("", ", group: redaing"), 5, "there is no group 'redaing'", "Did you mean reading?"),
    (GROUPED.format("    parent: reading\n", ""), 4, "a group has no 'parent'", ""),
    (GROUPED.format("  - id: Reading\n", ""), 4, "'Reading' differs from 'reading' in line 3", ""),
    ("name: m\ngroups: reading\ntags: []\n", 2, "groups: is a list", ""),
    (tags("id: a, name: [b], definition: d"), 3, "name is a text, not a list", "Quote"),
    (
        tags(f"id: a, name: {'x' * (MAX_NAME + 1)}, definition: d"),
        3,
        "the name has 201 characters; 200 are the most",
        "",
    ),
    (tags(f"id: {'x' * 65}, name: A, definition: d"), 3, "has 65 characters; 64 are the most", ""),
    (tags("id: a b, name: A, definition: d"), 3, "the id 'a b' is not made of", ""),
    (tags('id: a, name: "a\\u0007b", definition: d'), 3, "holds the character U+0007", "Remove it"),
    (tags('id: a, name: "a\\nb", definition: d'), 3, "holds the character U+000A", "Remove it"),
    (tags('id: a, name: "a\\u202Eb", definition: d'), 3, "holds the character U+202E", "Remove it"),
    (tags('id: a, name: "a\\ud800b", definition: d'), 3, "holds the character U+D800", "Remove it"),
    (tags('id: a, name: " a", definition: d'), 3, "begins or ends with a space", ""),
    ("name: m\n# bell \x07\n", 2, "the character U+0007 cannot stand here", "Remove it"),
    ("name: m\r# cr\r# line \u2028\n", 3, "the character U+2028 cannot stand here", ""),
    ("name: m\n\ud800\n", 2, "the character U+D800 cannot stand here", ""),
    ("name: m\nname: n\n", 2, "'name' is given twice", ""),
    (tags("id: a, id: b, name: A, definition: d"), 3, "'id' is given twice", ""),
    ("name: &x m\ntags: *x\n", 1, "anchors and aliases", ""),
    ("name: m\ntags: &t [*t]\n", 2, "anchors and aliases", ""),
    ("name: m\ntags:\n  - <<: *base\n", 3, "anchors and aliases", ""),
    ("name: !!python/object/apply:os.system [x]\n", 1, "the YAML type", "Every value is text"),
    ("name: m\ntags: " + "[" * 100_000, 2, "nested more than 8 deep", ""),
    ("name: m\n? [a]\n: b\n", 2, "a list or a mapping cannot be a key", ""),
    ("name: m\n---\nname: n\n", 3, "a second document begins here", ""),
    ("name: m\ntags: [\n", 3, "this is not YAML", "quotes"),
    ("name: m\ntitle: a: b\n", 2, "this is not YAML", "quotes"),
    ("name: m\ntitle: @x\n", 2, "this is not YAML", "quotes"),
    ("name: m\n\ttitle: x\n", 2, "this is not YAML", ""),
]


@pytest.mark.parametrize(("text", "line", "problem", "advice"), MISTAKES)
def test_a_mistake_is_told_in_a_sentence_with_its_line(text: str, line: int, problem: str, advice: str) -> None:
    error = refused(text)
    assert error.where == f"book.yaml:{line}"
    assert error.message.startswith(f"book.yaml:{line}: ") and error.message.endswith(".")
    assert problem in error.message
    assert advice in (error.hint or "")


def test_more_tags_than_keys_are_refused_and_as_many_are_not() -> None:
    rows = [f"id: t{n}, name: n{n}, definition: d" for n in range(len(FREE_KEYS) + 1)]
    assert "".join(tag.key for tag in parse_codebook(tags(*rows[:-1]), "b").tags) == FREE_KEYS
    assert "no key left" in refused(tags(*rows)).message


def test_names_of_200_characters_and_a_large_file_are_read_and_larger_ones_refused() -> None:
    assert parse_codebook(tags(f"id: a, name: {'x' * MAX_NAME}, definition: d"), "b").tags[0].name == "x" * MAX_NAME
    long = MINIMAL.replace("definition: d", "definition: " + "word " * 50_000)
    assert len(parse_codebook(long, "b").tags[0].definition) == 249_999
    assert "larger than 256 KiB" in refused(MINIMAL + "#" * 256 * 1024).message


@pytest.mark.parametrize(
    ("data", "line"), [(b"name: m\n# caf\xe9\n", 2), (b"\xff\xfen\0", 1), (b"\xef\xbb\xbf\n\n\xe9", 3)]
)
def test_other_encodings_are_refused_with_the_line(tmp_path: Path, data: bytes, line: int) -> None:
    path = tmp_path / "latin.yaml"
    path.write_bytes(data)
    with pytest.raises(InputError, match="is not UTF-8") as caught:
        load_codebook(path)
    assert caught.value.where == f"{path}:{line}"
    assert caught.value.hint == "Save the file as UTF-8."


def test_a_file_that_is_too_large_is_not_read_whole() -> None:
    with pytest.raises(InputError, match="/dev/zero:1: the file is larger than 256 KiB"):
        load_codebook(Path("/dev/zero"))


def test_the_keys_of_commands_and_of_tags_are_apart() -> None:
    assert not RESERVED_KEYS & set(FREE_KEYS)
    assert set("123456789") <= set(FREE_KEYS) and len(set(FREE_KEYS)) == len(FREE_KEYS)
    assert set(" 0nsuUr?q/amtgjkiocvwxypfhl[],.") <= RESERVED_KEYS


def test_no_command_of_a_screen_has_a_key_that_a_tag_can_have() -> None:
    commands = {key for action in ACTIONS for key in action.keys}
    assert {"space", "0", "u"} <= commands
    assert not commands & set(FREE_KEYS)


# --- finding -------------------------------------------------------------------------------------------------------


BUNDLED = {"core-implementations", "core-probes", "execution", "prex"}


def test_codebooks_are_found_by_name_and_by_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert set(known_codebooks()) >= BUNDLED
    (tmp_path / "mine.yaml").write_text(MINIMAL)
    (tmp_path / "bare").write_text(MINIMAL)
    (tmp_path / "prex").write_text(MINIMAL)
    monkeypatch.chdir(tmp_path)
    for given_name in ("mine.yaml", "./mine.yaml", "bare", tmp_path / "mine.yaml"):
        assert find_codebook(given_name).name == "mine"
    assert find_codebook("prex").name == "prex"
    assert find_codebook(Path("prex")).name == "mine"


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("perx", "there is no codebook 'perx'. Did you mean prex?"),
        ("Prex", "there is no codebook 'Prex'. Did you mean prex?"),
        ("zzz", "there is no codebook 'zzz'. Known are core-implementations, core-probes, execution, prex"),
        ("", "there is no codebook ''. Known are"),
        ("./none.yaml", "none.yaml: the codebook cannot be read: No such file"),
        ("a\0b", "there is no codebook 'a␀b'. Known are"),
        ("a/\0b", "a/␀b: the codebook cannot be read"),
        ("/", "/: the codebook cannot be read: Is a directory"),
    ],
)
def test_an_unknown_codebook_is_told_with_what_there_is(name: str, sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        find_codebook(name)
    assert str(caught.value).startswith(sentence)


def test_installed_packages_offer_codebooks_and_a_broken_one_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "offering.py").write_text("from pathlib import Path\nBOOK = Path(__file__).with_name('mine.yaml')\n")
    (tmp_path / "failing.py").write_text("raise SystemError('no luck')\n")
    (tmp_path / "mine.yaml").write_text(MINIMAL)
    metadata = tmp_path / "offering-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: offering\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(
        "[auditor.codebooks]\nmine = offering:BOOK\nalias = offering:BOOK\n"
        "broken = failing:BOOK\nprex = offering:BOOK\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    assert set(known_codebooks()) == {"alias", "broken", "mine", *BUNDLED}
    assert find_codebook("mine").tags[0].name == "first"
    with pytest.raises(InputError, match="the codebook offered as 'alias' calls itself 'mine'"):
        find_codebook("alias")
    with pytest.raises(InputError, match="'broken' cannot be used: SystemError: no luck"):
        find_codebook("broken")
    with pytest.raises(InputError, match="several packages offer a codebook 'prex': auditor, offering"):
        find_codebook("prex")


def test_the_bundled_codebooks_use_the_same_door() -> None:
    entries: dict[str, EntryPoint] = {entry.name: entry for entry in module._entries()}
    assert entries["prex"].load() == module.PREX
    assert entries["execution"].load() == module.EXECUTION
    assert entries["core-implementations"].load() == module.CORE_IMPLEMENTATIONS
    assert entries["core-probes"].load() == module.CORE_PROBES


# --- documentation -------------------------------------------------------------------------------------------------

DOCUMENT = (Path(__file__).parents[1] / "docs" / "codebooks.md").read_text()
EXAMPLE = DOCUMENT.split("```yaml\n")[1].split("```")[0]


def test_the_example_of_the_documentation_is_a_codebook() -> None:
    book = parse_codebook(EXAMPLE, "loops.yaml")
    assert [(tag.id, tag.key) for tag in book.tags] == [("one-short", "1"), ("one-over", "2"), ("unreadable", "3")]
    assert book.excluded_by("one-over") == {"one-short", "unreadable"}


def test_the_mistakes_shown_in_the_documentation_are_told_so() -> None:
    first, second = re.findall(r"^    (loops\.yaml:.*)$", DOCUMENT, re.MULTILINE)
    assert str(refused(EXAMPLE.replace('key: "1"', "key: u"), "loops.yaml")) == first
    renamed = EXAMPLE.replace("one round too many", "One round short")
    assert str(refused(renamed, "loops.yaml")) == second


def test_the_documentation_names_every_key_of_a_codebook_and_every_free_key() -> None:
    for key in (*module._CODEBOOK_KEYS, *module._GROUP_KEYS, *module._TAG_KEYS):
        assert f"`{key}`" in DOCUMENT
    letters = re.search(r"letters `(b d e z)` and `([A-Z\s]+)`", DOCUMENT)
    assert letters is not None
    assert "123456789" + "".join(letters[1].split()) + "".join(letters[2].split()) == FREE_KEYS


# --- properties ----------------------------------------------------------------------------------------------------

TEXTS = st.one_of(
    st.text(max_size=200),
    st.text(alphabet="ab \n\t\r:#-'\"[]{}&*!|>%@\\\u2028\x85\ufeff\ud83d\U0001f600", max_size=120),
    st.sampled_from(
        [*sorted(HOSTILE.values()), "NA", "no", "~", "1e3", "0x1F", "- a", "? b", "--- x", "...", "word " * 60]
    ),
)
NAMES = TEXTS.map(lambda text: text.strip()[:MAX_NAME].strip()).filter(lambda text: text and visible_line(text) == text)
IDS = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,8}", fullmatch=True)


@st.composite
def codebooks(draw: st.DrawFn) -> Codebook:
    ids = draw(st.lists(IDS, min_size=1, max_size=6, unique_by=lambda one: one.casefold()))
    names = draw(
        st.lists(NAMES, min_size=len(ids), max_size=len(ids), unique_by=module.folded).filter(
            lambda names: not {module.folded(name) for name in names} & {one.casefold() for one in ids}
        )
    )
    keys = draw(st.permutations(FREE_KEYS))
    groups = tuple(
        Group(one, draw(NAMES) if number == 0 else f"group {one}", draw(st.booleans()))
        for number, one in enumerate(draw(st.lists(IDS, max_size=2, unique_by=lambda one: one.casefold())))
    )
    group_ids = st.sampled_from([None, *[group.id for group in groups]])
    return Codebook(
        draw(IDS),
        draw(NAMES),
        draw(TEXTS),
        tuple(
            Tag(
                id_,
                name,
                key,
                draw(group_ids),
                draw(st.booleans()),
                draw(TEXTS.filter(str.strip)),
                draw(TEXTS),
                draw(TEXTS),
                order,
            )
            for order, (id_, name, key) in enumerate(zip(ids, names, keys, strict=False), start=1)
        ),
        groups,
    )


@given(codebooks())
def test_what_is_written_reads_back_equal(book: Codebook) -> None:
    text = dump_codebook(book)
    again = parse_codebook(text, "book.yaml")
    assert again == book
    assert again.content_hash == book.content_hash
    assert dump_codebook(again) == text
    assert parse_codebook(text, "book.yaml", is_checked=True) == book
    text.encode()


@given(st.one_of(st.text(), st.text(alphabet="nametgsid: -\n[]{}&*!|>'\"#%?,\t", max_size=80), st.binary()))
def test_any_text_is_read_or_refused_in_a_sentence(text: str | bytes) -> None:
    if isinstance(text, bytes):
        text = text.decode("utf-8", "surrogateescape")
    for whole in (MINIMAL + text, text, MINIMAL.replace("first", text), tags(f"id: a, name: A, definition: d, {text}")):
        try:
            read = parse_codebook(whole, "book.yaml")
        except InputError as error:
            assert error.message.startswith("book.yaml:")
            assert "\n" not in str(error) and not has_invisible(str(error))
        else:
            assert parse_codebook(whole, "book.yaml", is_checked=True) == read
