"""The verifier's modules keep what each of them promises, and to the public vectors of `urim/1`."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.tree import ROOT
from tests.verifier.nodejs import run

GOOD = ROOT / "tests" / "vectors" / "urim-1.json"
GROUPS = (
    *("throws", "fixture salts", "fixture seeds", "commitments"),
    *("entries", "roots", "inclusion", "consistency", "checkpoint"),
)
LATER = ("chains", "asks", "throws with shares", "signed requests", "keys", "signatures")


def test_the_modules_keep_their_promises() -> None:
    done = run("--test", "--test-reporter=tap", "units.test.mjs")
    assert done.returncode == 0, done.stdout + done.stderr
    passed = re.search(r"^# pass (\d+)$", done.stdout, re.MULTILINE)
    assert passed is not None and int(passed[1]) >= 15


def test_the_vectors_that_urim_is_defined_by_hold() -> None:
    done = run("vectors.mjs", GOOD)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert [line.split(": ")[1] for line in lines] == [*GROUPS, *LATER]
    for line in lines:
        held, of, count, hold = line.split(": ")[2].split()
        assert (held, of, hold) == (count, "of", "hold") and int(count) > 0


def test_a_file_from_before_there_were_shares_is_of_the_form(tmp_path: Path) -> None:
    vectors = json.loads(GOOD.read_bytes())
    del vectors["shares"], vectors["seats"]
    file = tmp_path / "vectors.json"
    file.write_text(json.dumps(vectors, ensure_ascii=False), encoding="utf-8")
    done = run("vectors.mjs", file)
    assert done.returncode == 0, done.stdout + done.stderr
    assert [line.split(": ")[1] for line in done.stdout.splitlines()] == [*GROUPS]


CHANGES: dict[str, tuple[tuple[str | int, ...], Any]] = {
    "a die": (("throws", 0, "dice", 3, "index"), 2),
    "an attempt": (("throws", 0, "dice", 3, "attempt"), 1),
    "a transcript's hash": (("throws", 1, "salt"), "0" * 64),
    "a transcript": (("throws", 0, "transcript"), "urim/1 throw\n"),
    "a throw's seed": (("throws", 1, "seed"), "0" * 64),
    "a fixture's salt": (("fixture_salts", 1, "salt"), "0" * 64),
    "a fixture's seed": (("fixture", 1, "S"), "0" * 64),
    "a commitment": (("commitments", 0, "commitment"), "0" * 64),
    "a nonce": (("commitments", 1, "nonce"), "0" * 64),
    "a leaf": (("log", "entries", 2, "leaf"), "0" * 64),
    "a payload": (("log", "entries", 2, "payload"), "{}"),
    "an entry's class": (("log", "entries", 2, "class"), "hidden"),
    "an entry": (("log", "entries", 2, "entry"), "urim/1 entry\n"),
    "a root": (("log", "roots", 7), "0" * 64),
    "an inclusion proof": (("log", "inclusion", 5, "proof"), []),
    "an inclusion's size": (("log", "inclusion", 5, "size"), 1),
    "a consistency proof": (("log", "consistency", 9, "proof"), ["0" * 64]),
    "a vkey": (("log", "vkey"), "x"),
    "a private key": (("log", "private_key"), "0" * 64),
    "a checkpoint": (("log", "checkpoint"), ""),
    "a link": (("shares", "chains", 0, "links", 0, "link"), "0" * 64),
    "a last link": (("shares", "chains", 1, "last"), "1" * 64),
    "a link's number": (("shares", "chains", 0, "links", 0, "i"), 1001),
    "a chain's seat": (("shares", "chains", 0, "seat"), "p3"),
    "a chain's table": (("shares", "chains", 0, "table"), "t0000002"),
    "a plan": (("shares", "throws", 0, "plan", "payload"), "{}"),
    "an ask": (("shares", "throws", 1, "ask", "payload"), "{}"),
    "an ask's leaf": (("shares", "throws", 1, "ask", "leaf"), "0" * 64),
    "an ask's place": (("shares", "throws", 1, "ask", "seq"), 7),
    "a roller": (("shares", "throws", 1, "roller"), "p2"),
    "a throw's id": (("shares", "throws", 1, "id"), "t0000001/1/2"),
    "what a throw answers": (("shares", "throws", 1, "committed"), 1),
    "the leaf of what it answers": (("shares", "throws", 1, "leaf"), "0" * 64),
    "a share": (("shares", "throws", 1, "shares", 0, "share"), "0" * 64),
    "a share's number": (("shares", "throws", 1, "shares", 0, "i"), 0),
    "a share's anchor": (("shares", "throws", 1, "shares", 0, "anchor"), "0" * 64),
    "a transcript with shares": (("shares", "throws", 1, "transcript"), ""),
    "its hash": (("shares", "throws", 1, "salt"), "0" * 64),
    "a seed with shares": (("shares", "throws", 1, "seed"), "0" * 64),
    "a die with shares": (("shares", "throws", 0, "dice", 0, "sides"), 0),
    "dice with shares": (("shares", "throws", 0, "dice"), []),
    "what is signed": (("seats", "signed", 1, "text"), ""),
    "an origin": (("seats", "signed", 1, "origin"), "x/t/t0000001"),
    "a signer": (("seats", "signed", 1, "seat"), "p2"),
    "a request": (("seats", "signed", 1, "request"), "r9"),
    "a size": (("seats", "signed", 1, "size"), 43),
    "a head": (("seats", "signed", 1, "root"), "0" * 64),
    "a body": (("seats", "signed", 1, "body"), "{}"),
    "a seat's private key": (("seats", "signed", 1, "private_key"), "0" * 64),
    "a seat's key": (("seats", "signed", 1, "key"), "x"),
    "a seat's signature": (("seats", "signed", 1, "sig"), "x"),
    "a key that may be had": (("seats", "keys", 0, "good"), False),
    "a key that may not": (("seats", "keys", 9, "good"), True),
    "a good signature": (("seats", "signatures", 0, "good"), False),
    "a bad signature": (("seats", "signatures", 7, "good"), True),
    "a message": (("seats", "signatures", 1, "message"), "x"),
}


def changed(*changes: tuple[tuple[str | int, ...], Any]) -> str:
    """The good vectors with other values in place of these."""
    vectors: Any = json.loads(GOOD.read_bytes())
    for at, value in changes:
        inner = vectors
        for step in at[:-1]:
            inner = inner[step]
        assert inner[at[-1]] != value
        inner[at[-1]] = value
    return json.dumps(vectors, ensure_ascii=False)


@pytest.fixture(scope="module")
def differences(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """Where one run of Node finds a difference, by the change; "" is the good file.

    A file has one change in each part of the vectors: the parts have nothing in common.
    """
    folder = tmp_path_factory.mktemp("changed")
    files: list[dict[str, str]] = []
    for name, (at, _) in CHANGES.items():
        free = next((file for file in files if at[0] not in file), None)
        if free is None:
            files.append(free := {})
        free[str(at[0])] = name
    paths = [folder / f"{place}.json" for place in range(len(files))]
    for path, file in zip(paths, files, strict=True):
        path.write_text(changed(*(CHANGES[name] for name in file.values())), encoding="utf-8")
    done = run("vectors.mjs", GOOD, *paths)
    assert done.returncode == 1, done.stdout + done.stderr
    parts = {str(GOOD): {}, **dict(zip(map(str, paths), files, strict=True))}
    found: dict[str, list[str]] = {name: [] for name in ("", *CHANGES)}
    part: dict[str, str] = {}
    for line in done.stdout.splitlines():
        if not line.startswith("  "):
            part = parts[line.partition(": ")[0]]
        elif ": expected " in line:
            where = line.strip().partition(": expected ")[0]
            found[part.get(re.split(r"[.\[]", where)[0], "")].append(where)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", CHANGES)
def test_a_value_that_differs_is_named(name: str, differences: dict[str, list[str]]) -> None:
    assert differences[name]
    assert not differences[""]


MISFITS: tuple[tuple[tuple[str | int, ...], Any], ...] = (
    (("format",), "urim/2"),
    (("throws", 0, "seed"), "A" * 64),
    (("throws", 0, "dice", 0, "j"), -1),
    (("log", "roots", 0), None),
    (("log", "entries"), {}),
    (("shares", "chains"), {}),
    (("shares", "throws", 0, "plan", "class"), "text"),
    (("seats",), {}),
    (("seats", "keys", 0, "good"), "yes"),
)


def test_what_is_not_of_the_form_is_not_checked(tmp_path: Path) -> None:
    files = [tmp_path / f"{place}.json" for place in range(len(MISFITS))]
    for file, misfit in zip(files, MISFITS, strict=True):
        file.write_text(changed(misfit), encoding="utf-8")
    done = run("vectors.mjs", *files)
    assert (done.returncode, done.stdout) == (2, "")
    said = done.stderr.splitlines()
    for file, line in zip(files, said, strict=True):
        assert line.startswith(f"{file}: not a file of urim/1 vectors: ")


def test_no_file_at_all_is_an_error() -> None:
    assert run("vectors.mjs").returncode == 2
    assert run("vectors.mjs", "missing.json").returncode == 2
