"""urimcheck says of each file what must be said, in Python and in JavaScript, in the same words."""

import io
import json
import re
import subprocess
import sys
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.conformance import forms, suite
from tests.conformance.both import by_node, by_python, unlike
from tests.conformance.run import command, in_process
from tests.conformance.suite import Case, expected, of_kind, outcome
from tests.engine.helpers.nodejs import NODE, run
from tests.engine.helpers.tables.forging import head
from tests.engine.helpers.tables.host import Host
from tests.events import curve
from tests.events.test_keys import MESSAGE, SMALL_KEYS, SMALL_POINTS, UNREDUCED, B, made
from urim.engine.bundle.write import bundle_of
from urim.engine.core.commands import Note
from urim.engine.core.parse import COMMANDS
from urim.engine.verifier import urimcheck
from urim.events.checkpoint import read_key
from urim.rules import BUILT_IN, ruleset_named
from urim.rules.numbered import named
from urim.rules.readings import readings_of

SCRIPT = Path(str(urimcheck.__file__))
IN_JAVASCRIPT = SCRIPT.with_suffix(".js")

LINES = {SCRIPT: 1_796, IN_JAVASCRIPT: 2_069}
"""Lines of the scripts, at most."""

HONEST = ("twin", "honest", "kept", "look", "tale", "play", "evening", "system")
"""Kinds of files in which nothing is wrong."""

NOT_CHECKED = 5
"""Files of these kinds, at most, that urimcheck cannot check in full."""

SOME = ("kept/plainfair", "cheat/seed-changed-after-the-nonce", "unreadable/garbage")
KEYS = ("cheat/a-seat-with-a-key-grabbed-and-thrown-for", "broken/2-a-broken-signature")

OWN_KEYS = {
    "honest/a-night-with-keys": "narrator, p1, p2",
    "honest/commands-signed-with-the-key-given-for-the-seat": "",
    "form/a-void-after-the-dice": "",
}
"""Whose keys nobody gave, in these files."""

node = pytest.mark.skipif(not NODE.exists(), reason="there is no Node here")


@cache
def in_python() -> dict[str, dict[str, Any]]:
    """What urimcheck.py says of every file."""
    return {name: by_python(case) for name, case in suite.cases().items()}


# --- the files ------------------------------------------------------------------------------------


def test_every_file_has_its_row() -> None:
    files = [name for name in suite.archive() if not name.startswith(suite.OF_SEAT)]
    assert files == sorted(map(suite.path_of, suite.rows()))


def test_the_same_files_make_the_same_archive() -> None:
    some = dict([*suite.archive().items()][::50])
    assert suite.pack(some) == suite.pack(dict(reversed(some.items())))


@pytest.mark.parametrize("kind", sorted({name.partition("/")[0] for name in suite.rows()}))
def test_urimcheck_says_what_must_be_said(kind: str) -> None:
    names = of_kind(kind)
    found = {name: outcome(in_python()[name]) for name in names}
    assert found == {name: expected(name) for name in names}


@pytest.mark.slow
@node
def test_urimcheck_in_javascript_says_it_in_the_same_words() -> None:
    names, mine = zip(*in_python().items(), strict=True)
    assert [names[at] for at in unlike(mine, by_node(suite.cases().values()))] == []


def test_what_is_honest_is_not_wrong() -> None:
    exits = [suite.rows()[name]["exit"] for name in of_kind(*HONEST)]
    assert set(exits) == {0, 3} and exits.count(3) <= NOT_CHECKED


def test_a_command_and_its_events_are_compared_field_by_field() -> None:
    failed = {name: "transitions" in in_python()[name]["failed"] for name in of_kind("differs")}
    assert all(failed.values()), failed
    same = of_kind("same").keys() - {"same/seat-taken-2-2"}  # whose key signs nothing
    assert not any("transitions" in in_python()[name]["failed"] for name in same)


def test_a_cheat_is_told_from_its_twin_or_left_to_the_rules() -> None:
    rows = suite.rows()
    alike = [
        name
        for name in of_kind("cheat")
        if expected(name) == expected(name.replace("cheat/", "twin/")) and "rules" not in rows[name]
    ]
    assert alike == UNSEEN


UNSEEN = [
    "cheat/a-roll-at-level-server-taken-back-and-declared-again",
    "cheat/a-roll-voided-by-another-before-its-dice-and-declared-again",
    "cheat/an-unknown-system-over-a-cheat",
    "cheat/an-unknown-version-of-the-rules-over-a-cheat",
    "cheat/anchor-and-share-made-up-for-a-seat-without-a-key",
    "cheat/nonce-reused",
    "cheat/one-c-sent-twice-to-an-honest-host",
]
"""Both count alike; what differs is stated, or shows to who knows the rules or was there."""


def test_a_further_file_is_written_as_the_suite_has_them() -> None:
    dropped = outcome(in_process(Case(forms.a_void_after_the_dice())))
    assert dropped == expected("form/a-void-after-the-dice")
    left_out = Case(forms.a_share_left_out(), forms.KEY.vkey)
    assert outcome(in_process(left_out))["first"] == [9, 10]
    honest = Case(forms.a_share_left_out(honest=True), forms.KEY.vkey)
    assert outcome(in_process(honest))["exit"] == 0


@pytest.mark.parametrize("whole", [True, False])
def test_who_keeps_a_share_back_and_shows_up_elsewhere_may_be_asked_again(*, whole: bool) -> None:
    """The bundle of a roll has not the note that shows that the seat was there again."""
    host = Host("plain")
    character = host.character("p1", {})
    host.anchor("p1", host.seat("p2"))
    roll = host.declare(character, expression="2d6")
    host.ask_for(roll, "p1", host.offer(roll, "roll").hand)
    host.open("p1")
    host.break_off()
    host.ask("p2", Note(0), words="Here I am.")
    host.throw(roll)
    keys = [read_key(host.vkey)]
    lines = bundle_of(host.aggregate, "", head(host), keys, None if whole else roll)
    found = in_process(Case(b"".join(lines), host.vkey))
    assert (found["exit"], found["first"]) == (0, None), found["says"]


# --- the scripts ----------------------------------------------------------------------------------


@pytest.mark.parametrize("script", LINES, ids=lambda path: path.suffix)
def test_its_lines_are_few(script: Path) -> None:
    assert len(script.read_text("utf-8").splitlines()) <= LINES[script]


def test_the_script_alone_says_the_same(tmp_path: Path) -> None:
    copy = tmp_path / "elsewhere.py"
    copy.write_bytes(SCRIPT.read_bytes())
    alone = command([sys.executable, "-I", "-S", str(copy)])
    for name in (*SOME, *KEYS):
        assert outcome(alone(suite.cases()[name])) == expected(name), name


@node
def test_the_script_in_javascript_is_a_command() -> None:
    alone = command([str(NODE), str(IN_JAVASCRIPT)])
    for name in SOME:
        assert outcome(alone(suite.cases()[name])) == expected(name), name


@node
def test_people_read_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "x.urim.jsonl"
    some = ("form/a-seat-that-is-passed-over", *SOME[:2], "kept/milhamahfair-roll")
    for name in (*OWN_KEYS, *some):
        file.write_bytes(suite.cases()[name].bundle)
        code = urimcheck.main([str(file), "--seat", "narrator"])
        done = run(IN_JAVASCRIPT, file, "--seat", "narrator")
        assert (done.returncode, done.stdout) == (code, capsys.readouterr().out), name


@node
def test_what_cannot_be_read_ends_with_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "x.urim.jsonl"
    file.write_bytes(suite.cases()["form/a-seat-that-is-passed-over"].bundle)
    asked = str(file), "--seat", "p9", "--seat", "p1"
    code, done = urimcheck.main(asked), run(IN_JAVASCRIPT, *asked)
    assert (done.returncode, done.stdout) == (code, capsys.readouterr().out)
    assert (code, done.stdout) == (2, "Refused: no seat p9 in this log\n")
    done = run(IN_JAVASCRIPT, tmp_path / "none.urim.jsonl")
    assert (done.returncode, done.stdout[:9]) == (2, "Refused: ")
    assert run(IN_JAVASCRIPT).returncode == 2


@node
def test_the_parts_in_javascript_keep_what_they_promise() -> None:
    done = run("--test", "--test-reporter=tap", "tests/conformance/urimcheck.test.mjs")
    assert done.returncode == 0, done.stdout + done.stderr
    passed = re.search(r"^# pass (\d+)$", done.stdout, re.MULTILINE)
    assert passed is not None and int(passed[1]) >= 9


def test_the_line_of_a_seat_comes_first(tmp_path: Path) -> None:
    file = tmp_path / "x.urim.jsonl"
    file.write_bytes(suite.cases()["form/a-seat-that-is-passed-over"].bundle)
    asked = [sys.executable, str(SCRIPT), str(file), "--seat", "narrator"]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    first = "narrator: 0 throws, 0 dropped, 0 broken off, 0 sealed; of 1 throw at"
    assert done.stdout.startswith(first)
    assert "passed over in 1" in done.stdout.splitlines()[0]
    assert done.returncode == 0


def test_the_line_of_a_seat_has_every_number_also_0() -> None:
    log = urimcheck.check(suite.cases()["form/a-void-after-the-dice"].bundle)
    found = [line for line in urimcheck.written(log, []) if line.startswith("p1: ")]
    table = "of 0 throws at the table while it had an anchor, asked for 0, passed over in 0"
    dropped = "1 dropped (roll 1, made void by narrator)"
    assert found == [f"p1: 1 throw, {dropped}, 0 broken off, 0 sealed; {table}, kept back 0"]


def test_people_read_whose_keys_are_the_logs_word_alone() -> None:
    for name, own in OWN_KEYS.items():
        case = suite.cases()[name]
        log = urimcheck.check(case.bundle, key=case.key, seats=case.seats, seen=case.seen)
        said = [line for line in urimcheck.written(log, []) if line.startswith("keys of seats")]
        assert said == [f"keys of seats, as the log itself says: {own}"] * bool(own), name


# --- parts in Python ------------------------------------------------------------------------------


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
    for name in (*KEYS, KEYS[0].replace("cheat/", "twin/")):
        assert outcome(in_process(suite.cases()[name])) == expected(name), name


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
    again = suite.cases()["form/eight-throws-and-another-chain"].bundle
    kinds = [each.kind for each in urimcheck.check(again).remarks]
    assert (kinds.count("anchored-again"), kinds.count("renewed")) == (2, 0)
    monkeypatch.setattr(urimcheck, "CHAIN", 8)
    kinds = [each.kind for each in urimcheck.check(again).remarks]
    assert (kinds.count("anchored-again"), kinds.count("renewed")) == (0, 2)


@pytest.mark.parametrize(
    ("name", "kind", "entries"),
    [
        ("a-reading-that-changes-faces", "faces", [0, 6]),
        ("a-kind-of-dice-with-one-face", "faces", [0]),
        ("dice-put-to-other-faces", "adjusted", [11]),
        ("dice-taken-over-three-times", "taken", [13, 16, 19]),
    ],
)
def test_faces_that_no_throw_gave_are_stated(name: str, kind: str, entries: list[int]) -> None:
    found = urimcheck.check(suite.cases()[f"form/{name}"].bundle)
    stated = [(each.seq, each.word) for each in found.remarks if each.kind == kind]
    assert stated == [(seq, "stated") for seq in entries]


def test_no_file_commands_a_terminal(tmp_path: Path) -> None:
    first, *_ = suite.cases()["form/dice-put-to-other-faces"].bundle.splitlines()
    head = {**json.loads(first), "keys": ["\x9b2J\u202eNothing is wrong."]}
    (tmp_path / "file").write_text(f"{json.dumps(head, ensure_ascii=False)}\n", "utf-8")
    for script in ((sys.executable, str(SCRIPT)), (NODE, str(IN_JAVASCRIPT))):
        for encoding in ("utf-8", "ascii"):
            said = subprocess.run(
                [*script, str(tmp_path / "file")], capture_output=True, check=False,
                env={"PYTHONIOENCODING": encoding},
            )  # fmt: skip
            assert (said.returncode, said.stderr) == (2, b"")
            text = said.stdout.decode().rstrip("\n")
            assert text.isprintable()
            assert "\\u202eNothing" in text


@pytest.mark.parametrize("name", BUILT_IN)
def test_the_faces_of_logs_of_0_2_are_known(name: str) -> None:
    ruleset = ruleset_named(name)
    usual = ruleset.Options()
    tables = [usual]
    for reading in readings_of(ruleset.Options):
        tables += [replace(usual, **{reading.name: value}) for value in reading.others]
    for options in tables:
        plain = {field: getattr(options, field) for field in options.__struct_fields__}
        opening = {"type": "table-opened/2", "ruleset": name, "version": 1}
        found = urimcheck.faces_of({**opening, "options": json.loads(json.dumps(plain))}) or {}
        listed = named(ruleset.faces(options))
        assert {kind: [*faces] for kind, faces in found.items()} == {
            kind: [*faces] for kind, faces in listed.items()
        }


def test_every_command_is_known_with_whether_it_has_a_text() -> None:
    newest: dict[str, tuple[int, str]] = {}
    for tag, each in COMMANDS.items():
        name, _, version = tag.partition("/")
        rule = each.text_rule
        newest[name] = int(version), "" if rule is None else "!" if rule.needed else "?"
    assert {name: each[:2] for name, each in urimcheck.COMMANDS.items()} == newest


def test_a_time_is_later_than_the_clock_by_more_than_a_minute() -> None:
    bundle = suite.cases()["kept/plainfair"].bundle
    last = urimcheck.check(bundle).entries[-1].at
    for late, looks in ((60_000, 0), (60_001, 1)):
        found = urimcheck.check(bundle, now=last - late).remarks
        assert sum(each.kind == "clock" for each in found) == looks
