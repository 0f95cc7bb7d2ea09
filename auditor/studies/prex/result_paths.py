"""What the place of a results file says: `{uk|mk|nk}/{IMP-SOS|IMP-K}/{model}-{da|cot}/results-{seed}.jsonl[.gz]`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from auditor.model import Setting

_RESULTS = re.compile(
    r"results(?:-(?P<seed>[0-9]{1,18}))?(?:\.shard(?P<shard>[0-9]{1,6})-of-(?P<shards>[0-9]{1,6}))?\.jsonl(?:\.gz)?"
)
_SETTING = re.compile(r"(?P<model>.+)-(?P<how>da|cot)", re.DOTALL)
_PROMPTING = {"da": "direct", "cot": "cot"}
_SETUPS = ("uk", "mk", "nk")
_FORMALISMS = {"IMP-SOS": "S", "IMP-K": "K"}
_ONE_TOKEN_MODELS = re.compile(
    r"qwen2\.5-coder-?(?:3|7|14|32)b|deepseek-r1-distill-qwen|deepseek-qwen", re.IGNORECASE | re.ASCII
)


class ResultsPlace(NamedTuple):
    """What is known of a file by where it is."""

    path: Path
    setting: Setting | None
    """None where the folder is not named like `model-da`."""
    formalism: str | None
    setup: str | None
    """`uk` (standard semantics), `mk` (changed semantics) or `nk` (no semantics)."""
    seed: int | None
    shard: int | None
    shards: int | None


def results_place(path: Path) -> ResultsPlace:
    """Read the place of a file; parts that are not there are None."""
    named = _RESULTS.fullmatch(path.name)
    folders = [folder.name for folder in path.absolute().parents]
    seed, shard, shards = (int(named[part]) if named and named[part] else None for part in ("seed", "shard", "shards"))
    return ResultsPlace(
        path,
        setting_called(folders[0]) if named and folders else None,
        next((_FORMALISMS[name] for name in folders[:4] if name in _FORMALISMS), None),
        next((name for name in folders[:4] if name in _SETUPS), None),
        seed,
        shard,
        shards,
    )


def setting_called(name: str) -> Setting | None:
    """Return the setting of a name like `Qwen2.5-Coder-32B-cot`; None for another name."""
    found = _SETTING.fullmatch(name)
    return Setting(name, model=found["model"], prompting=_PROMPTING[found["how"]]) if found else None


def sees_single_tokens(setting: Setting | None) -> bool:
    """Say whether KeywordObf is put into signs of one token for a model at prompt time.

    That is so for Qwen2.5-Coder and DeepSeek-R1-Distill-Qwen; records keep the letters all the same.
    """
    name = setting.model or setting.name if setting else ""
    return _ONE_TOKEN_MODELS.search(name.replace("_", "-").replace(" ", "-")) is not None


def results_below(folder: Path) -> list[Path]:
    """List the results files of a folder and all below it, in the order of their names."""
    return sorted(path for path in folder.rglob("results*.jsonl*") if _RESULTS.fullmatch(path.name) and path.is_file())


def some_results_below(folder: Path) -> Iterator[Path]:
    """Yield the results files of a folder and all below it as they are found; those that hold nothing are left out."""
    found = (path for path in folder.rglob("results*.jsonl*") if _RESULTS.fullmatch(path.name) and path.is_file())
    return (path for path in found if path.stat().st_size)


def seeds_beside(place: ResultsPlace) -> list[int]:
    """Return the seeds of the results files in the same folder, the file's own among them, by size."""
    try:
        beside = [results_place(path).seed for path in place.path.parent.iterdir()]
    except OSError:
        beside = []
    return sorted({seed for seed in (*beside, place.seed) if seed is not None})


def missing_shards(places: Sequence[ResultsPlace]) -> list[str]:
    """Say for each results file in parts which of them are not there."""
    there: dict[tuple[Path, int | None, int], set[int]] = {}
    for place in places:
        if place.shard is not None and place.shards:
            there.setdefault((place.path.parent, place.seed, place.shards), set()).add(place.shard)
    told = []
    for (folder, seed, shards), found in there.items():
        first = 1 if shards in found else 0
        absent = [str(number) for number in range(first, first + shards) if number not in found]
        if absent and shards <= 10_000:
            name = f"results-{seed}" if seed is not None else "results"
            some = ", ".join(absent[:10]) + (", …" if len(absent) > 10 else "")
            are = "is" if len(absent) == 1 else "are"
            told.append(f"{folder.name}/{name}: of its {shards:,} shards, {some} {are} not there.")
    return told
