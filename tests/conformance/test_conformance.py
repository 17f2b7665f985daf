"""Every verifier says of each file what must be said; urimcheck is the first of them."""

import io
import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

from tests.cheats.cheats import CHEATS
from tests.conformance.cases import cases
from tests.conformance.forms import anchored, shared, whole
from tests.conformance.run import command, in_process
from tests.conformance.said import expected
from tests.events import curve
from tests.events.test_keys import MESSAGE, SMALL_KEYS, SMALL_POINTS, UNREDUCED, B, made
from tests.verifier.log import Log
from urim.engine.verifier import urimcheck

SCRIPT = Path(str(urimcheck.__file__))

LINES = 1_740
"""Lines of the script, at most."""

RULES = {"51b", "54b", "54d"}
"""Cheats in events that touch no dice: what they say is the rerun's alone."""

WHOLE = {"46"}
"""A cheat by leaving out entries of one roll: its file says that others may be missing."""

EXITS = {"fail": 1, "not checked": 3, "refused": 2}

SAID = expected()


def kind_of(name: str) -> str:
    """The first word of a file's name."""
    return name.split(maxsplit=1)[0].rstrip(",")


KINDS = sorted(set(map(kind_of, SAID)))


def test_every_file_is_there() -> None:
    assert list(cases()) == list(SAID)


@pytest.mark.parametrize("kind", KINDS)
def test_urimcheck_says_what_must_be_said(kind: str) -> None:
    wanted = {name: said for name, said in SAID.items() if kind_of(name) == kind}
    assert {name: in_process(cases()[name]) for name in wanted} == wanted


@pytest.mark.parametrize("id", [id for id in CHEATS if id not in RULES | WHOLE])
def test_a_cheat_is_judged_as_the_page_judges_it(id: str) -> None:
    row, (code, first, *_) = CHEATS[id].row, SAID[f"cheat {id}"]
    assert code == EXITS.get(row.page, 0)
    if row.page == "fail":
        assert first[0] == CHEATS[id].page_step


def test_what_is_honest_is_not_wrong() -> None:
    strange = ("honest, a command of later", "honest, a command that is not known")
    names = [name for name in SAID if kind_of(name) in ("twin", "honest", "kept", "look")]
    assert {name: SAID[name][0] for name in names if SAID[name][0]} == dict.fromkeys(strange, 3)


def test_the_script_alone_says_the_same(tmp_path: Path) -> None:
    copy = tmp_path / "elsewhere.py"
    copy.write_bytes(SCRIPT.read_bytes())
    alone = command([sys.executable, "-I", "-S", str(copy)])
    for name in ("kept, plainfair", "cheat 1", "twin 62", "cheat 43", "unreadable, garbage"):
        assert alone(cases()[name]) == SAID[name], name


def test_its_lines_are_few() -> None:
    assert len(SCRIPT.read_text("utf-8").splitlines()) <= LINES


def test_its_own_signatures_are_judged_as_those_of_cryptography() -> None:
    some = [curve.ONE, *SMALL_POINTS[1:3]]
    for torsion, beside in product(some, some):
        key, signature = made(5, torsion, 7, beside, MESSAGE)
        r, s = signature[:32], int.from_bytes(signature[32:], "little")
        high = r + (s + curve.L).to_bytes(32, "little")
        other = B[0].to_bytes(32, "little") + signature[32:]
        for each in (signature, high, signature[:-1] + b"\0", other):
            assert urimcheck.fits(key, each, MESSAGE) == urimcheck.verifies(key, each, MESSAGE)


@pytest.mark.parametrize("key", [*SMALL_KEYS, *UNREDUCED], ids=bytes.hex)
def test_a_key_that_nobody_may_have_verifies_nothing(key: bytes) -> None:
    assert urimcheck.weakness(key)
    assert not urimcheck.verifies(key, bytes([1]) + bytes(63), MESSAGE)


def test_without_cryptography_the_same_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(urimcheck, "Ed25519PublicKey", None)
    for name in ("cheat 62", "twin 62", "cheat 21", "twin 21", "way 2 a broken signature"):
        assert in_process(cases()[name]) == SAID[name], name


class Endless(io.RawIOBase):
    """A file whose first line never ends; it remembers how much was asked for at once."""

    asked = 0

    def readline(self, size: int | None = -1) -> bytes:
        self.asked = max(self.asked, size or 0)
        return b" " * (size or 0)


def test_a_line_without_an_end_is_refused_as_soon_as_it_is_too_long() -> None:
    source = Endless()
    with pytest.raises(urimcheck.Unreadable, match="line 1"):
        urimcheck.check(source)  # type: ignore[arg-type]
    assert 0 < source.asked <= urimcheck.LINE + 1


def test_a_chain_that_ends_is_renewed(monkeypatch: pytest.MonkeyPatch) -> None:
    log = anchored()
    for i in range(1, 9):
        shared(log, i, i)
    renewed = urimcheck.check(whole(_anchored_anew(log)))
    assert "renewed" not in {each.kind for each in renewed.remarks}
    monkeypatch.setattr(urimcheck, "CHAIN", 8)
    renewed = urimcheck.check(whole(log))
    kinds = [each.kind for each in renewed.remarks if each.kind in ("renewed", "anchored-again")]
    assert (renewed.exit, kinds) == (0, ["renewed", "renewed"])


def _anchored_anew(log: Log) -> Log:
    log.epoch = 1  # another chain
    log.anchor("p1", "p2")
    return log


def test_changed_faces_are_stated() -> None:
    found = urimcheck.check(cases()["0.3, a reading that changes faces"].bundle)
    assert [(each.seq, each.word) for each in found.remarks if each.kind == "faces"] == [
        (6, "stated")
    ]


def test_the_line_of_a_seat_comes_first(tmp_path: Path) -> None:
    file = tmp_path / "x.urim.jsonl"
    file.write_bytes(cases()["0.3, a seat that is passed over"].bundle)
    asked = [sys.executable, str(SCRIPT), str(file), "--seat", "narrator"]
    done = subprocess.run(asked, capture_output=True, text=True, env=dict(os.environ), check=False)
    assert done.stdout.startswith(
        "narrator: 0 throws, 0 dropped, 0 broken off, 0 sealed; of 1 throws"
    )
    assert "passed over in 1" in done.stdout.splitlines()[0]
    assert done.returncode == 0
