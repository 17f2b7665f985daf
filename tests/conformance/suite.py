"""The files that every verifier is held to, and what must be said of each.

`files.tar.xz` holds them (`tar xf` unpacks it). `said.jsonl` has a line for each, by name:

    file            KIND/NAME: in the archive KIND/NAME.urim.jsonl
    key seats seen  what its reader holds: the log's vkey, keys of seats in base64, earlier heads
    exit            0, 1, 2 or 3, as docs/bundle.md has it
    first           the first step that fails and the first entry that it names, or null
    numbers         by seat: throws, dropped, broken off, sealed, at the table, asked, passed over,
                    kept back; of those seats that have any
    looks           how many of each kind
    why             of a cheat why its step fails, and of a twin what it does instead
    rules           "fail" where only `urim audit` sees what is wrong: it breaks a rule of the game

Kinds: `cheat` is a game with a cheat in it and `twin` the same without; in `alone` the host
forged an event and not what was asked. `broken` are small logs with one thing wrong. In `asked` and
`differs` an event is not what was asked; in `same` it is, though nobody may have asked so.
`honest`, `tale`, `look`, `play`, `evening`, `system` and `kept` are right, the last ones as version
0.2 wrote them. `form` are the forms of 0.3, right and wrong; `unreadable` are no bundles. What the
archive has under `seat` is for seat.js: see test_seat.py.
"""

import io
import json
import lzma
import tarfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parent

FILES, SAID = HERE / "files.tar.xz", HERE / "said.jsonl"

NUMBERS = ("throws", "dropped", "broken", "sealed", "at_table", "asked", "passed", "kept")

OF_SEAT = "seat/"
"""How the names of what is for seat.js begin."""


class Case(NamedTuple):
    """A file, and what its reader holds: a vkey, keys of seats in base64, earlier heads as text."""

    bundle: bytes
    key: str | None = None
    seats: Mapping[str, str] = {}
    seen: tuple[str, ...] = ()


@cache
def archive() -> dict[str, bytes]:
    """Everything in the archive, by its path there."""
    with tarfile.open(FILES) as packed:
        return {each.name: _content(packed, each) for each in packed}


def _content(packed: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    found = packed.extractfile(member)
    assert found is not None
    return found.read()


def pack(files: Mapping[str, bytes]) -> bytes:
    """An archive of these files, by path: the same ones always make the same bytes."""
    into = io.BytesIO()
    with tarfile.open(fileobj=into, mode="w", format=tarfile.USTAR_FORMAT) as packed:
        for name in sorted(files):
            member = tarfile.TarInfo(name)
            member.size = len(files[name])
            packed.addfile(member, io.BytesIO(files[name]))
    return lzma.compress(into.getvalue(), preset=9 | lzma.PRESET_EXTREME)


def path_of(name: str) -> str:
    """Where a file is in the archive."""
    return f"{name}.urim.jsonl"


@cache
def rows() -> dict[str, dict[str, Any]]:
    """The lines of said.jsonl, by the file's name."""
    found = map(json.loads, SAID.read_text("utf-8").splitlines())
    return {row["file"]: row for row in found}


@cache
def cases() -> dict[str, Case]:
    """Every file by its name."""
    return {name: case_of(name, row) for name, row in rows().items()}


def case_of(name: str, row: Mapping[str, Any]) -> Case:
    """A file of the archive with what its row gives."""
    given = row.get("key"), row.get("seats", {}), tuple(row.get("seen", ()))
    return Case(archive()[path_of(name)], *given)


def of_kind(*kinds: str) -> dict[str, Case]:
    """The files of these kinds."""
    return {name: case for name, case in cases().items() if name.partition("/")[0] in kinds}


def outcome(found: Mapping[str, Any]) -> dict[str, Any]:
    """What a verifier says with `--json`, as far as all of them must say the same."""
    first = found.get("first")
    seats = {seat: _numbers(of) for seat, of in sorted(found.get("seats", {}).items())}
    return {
        "exit": found["exit"],
        "first": [first["step"], first["entry"]] if first else None,
        "numbers": {seat: row for seat, row in seats.items() if any(row)},
        "looks": dict(sorted(found.get("looks", {}).items())),
    }


def _numbers(of: Mapping[str, Any]) -> list[int]:
    return [len(of[name]) if isinstance(of[name], list) else of[name] for name in NUMBERS]


def expected(name: str) -> dict[str, Any]:
    """What must be said of a file."""
    return {key: rows()[name][key] for key in ("exit", "first", "numbers", "looks")}


def write(written: Mapping[str, Mapping[str, Any]]) -> None:
    """Keep what is said of each file, by name."""
    lines = (
        json.dumps(written[name], ensure_ascii=False, separators=(",", ":"))
        for name in sorted(written)
    )
    SAID.write_text("".join(f"{each}\n" for each in lines), "utf-8")
    rows.cache_clear()
    cases.cache_clear()
