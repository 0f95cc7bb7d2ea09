"""The README is true: its walk runs, its keys are the registry's, its links lead somewhere."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from auditor.cli.main import COMMANDS, main
from auditor.tui.actions import SCREENS, key_table
from auditor.tui.actions.key_names import shown_key

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def walk() -> list[list[str]]:
    """Return the commands that stand below a `<!-- walk -->` line."""
    blocks = re.findall(r"<!-- walk -->\n\n((?:    .*\n)+)", README)
    return [shlex.split(line) for block in blocks for line in block.splitlines()]


def test_the_walk_runs_as_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sample_runs").symlink_to(ROOT / "sample_runs")
    monkeypatch.chdir(tmp_path)
    commands = walk()
    assert len(commands) >= 8
    for index, (program, *arguments) in enumerate(commands):
        assert program == "auditor"
        if arguments[0] == "agreement":
            assert main(["tags", "import", "audit.db", "sample_runs/exact-output/tags.csv"]) == 0
        assert main(arguments) == 0, f"command {index}: {arguments}"
    assert (tmp_path / "taxonomy.md").stat().st_size > 1_000


def test_the_key_table_is_the_registry_s() -> None:
    table = "| key | what it does |\n|---|---|\n" + "".join(f"| `{key}` | {text} |\n" for key, text in key_table())
    text = (ROOT / "docs" / "keys.md").read_text(encoding="utf-8")
    (printed,) = re.findall(r"<!-- keys -->\n(.*?)<!-- end of keys -->", text, re.DOTALL)
    assert printed == f"\n{table}\n", f"put this between the marks of docs/keys.md:\n\n{table}"


def test_the_readme_names_only_keys_of_the_review() -> None:
    (printed,) = re.findall(r"<!-- keys -->\n(.*?)<!-- end of keys -->", README, re.DOTALL)
    named = re.findall(r"`([^`]+)`", printed)
    assert len(named) >= 20
    assert set(named) <= {key for key, _ in key_table()}


def test_the_table_of_actions_is_the_registry_s() -> None:
    actions = {action.id: action for screen in SCREENS.values() for action in screen}
    table = "| action | keys | what it does |\n|---|---|---|\n"
    for action in actions.values():
        keys = " ".join(f"`{shown_key(key)}`" for key in action.keys) or "of the codebook"
        table += f"| `{action.id}` | {keys} | {action.description} |\n"
    text = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    (printed,) = re.findall(r"<!-- actions -->\n(.*?)<!-- end of actions -->", text, re.DOTALL)
    assert printed == f"\n{table}\n", f"put this between the marks of docs/configuration.md:\n\n{table}"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document: Path) -> None:
    for target, anchor in links(document):
        path = document.parent / target if target else document
        assert path.exists(), f"{document.name} links {target}"
        assert not anchor or anchor in headings(path), f"{document.name} links {target}#{anchor}"


def links(document: Path) -> list[tuple[str, str]]:
    """Return the files that a document links, with the headings in them."""
    found = re.findall(r"\]\(([^)#\s]*)(?:#([^)\s]+))?\)", document.read_text(encoding="utf-8"))
    return [(target, anchor) for target, anchor in found if "://" not in target]


def headings(document: Path) -> set[str]:
    """Return the headings of a document as links name them."""
    found = re.findall(r"^#+ (.+)$", document.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).strip().replace(" ", "-") for heading in found}


def test_every_document_can_be_reached_from_the_readme() -> None:
    reached, left = set[Path](), [ROOT / "README.md"]
    while left:
        document = left.pop()
        if document not in reached:
            reached.add(document)
            left += [(document.parent / target).resolve() for target, _ in links(document) if target.endswith(".md")]
    assert set(DOCUMENTS) <= reached


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_documents_name_only_commands_that_exist(document: Path) -> None:
    named = set(re.findall(r"(?:^    |`)auditor ([a-z]+)", document.read_text(encoding="utf-8"), re.MULTILINE))
    assert named <= COMMANDS.keys() | {"is"}
