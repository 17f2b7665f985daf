"""`urim export --format bundle` and `urim audit`: what they write, say, refuse, and end with."""

import json
from base64 import b64encode
from pathlib import Path

import pytest

from tests.engine.helpers.bundles import KEY, bundle, honest, note_of
from tests.engine.helpers.cli_runs import SCENARIO, objects, process, urim
from tests.plays import SCENARIOS
from tests.vectors.bundles import HERE
from urim.engine.render.direction import LRM
from urim.engine.verifier import urimcheck
from urim.events.checkpoint import Checkpoint, Key, public_key, sign
from urim.projections.isolates import FSI, PDI

GOLDEN = str(HERE / "table.urim.jsonl")
FAIR = SCENARIOS / "milhamah" / "fair.toml"


@pytest.fixture
def broken(tmp_path: Path) -> str:
    """A bundle in which a die was turned."""
    path = tmp_path / "broken.urim.jsonl"
    path.write_bytes(
        Path(GOLDEN).read_bytes().replace(b'\\"d1\\",\\"red-a\\"', b'\\"d1\\",\\"red-b\\"', 1)
    )
    return str(path)


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """A database with a fair table."""
    path = tmp_path / "night.db"
    assert urim("run", str(FAIR), "--log", str(path)).exit_code == 0
    return path


def table_in(db: Path) -> str:
    """The only table of a database."""
    [found] = objects(urim("tables", str(db), "--json").stdout)
    return str(found["table"])


# --- audit ----------------------------------------------------------------------------------------


def test_it_says_what_urimcheck_says_then_the_rules_then_one_sentence() -> None:
    done = urim("audit", GOLDEN, "--key", KEY.vkey)
    assert done.exit_code == 0, done.stdout
    assert f"{KEY.name}: 51 of 51 entries, the whole table" in done.stdout
    assert "dice: fair; 2 at table, 2 at player, 2 at server" in done.stdout
    assert "rules: milhamah, version 1; sealed, 37 entries decided again, 3 hidden" in done.stdout
    assert "\nNothing is wrong. Look at: broken off (1), epoch (1)" in done.stdout
    assert "if its key is the log's" not in done.stdout


def test_a_key_that_nobody_gave_is_said_to_be_the_files_own() -> None:
    done = urim("audit", GOLDEN)
    assert done.exit_code == 0
    assert ", as the file itself says" in done.stdout
    assert "Nothing is wrong, if its key is the log's." in done.stdout


def test_the_line_of_ones_own_seat_comes_first(tmp_path: Path) -> None:
    done = urim("audit", GOLDEN, "--seat", "p2")
    assert (done.exit_code, done.stdout.startswith("p2: 0 throws, 0 dropped, ")) == (0, True)
    for given in ("p2=AAAA", "P2", ""):
        assert urim("audit", GOLDEN, "--seat", given).exit_code == 2
    assert urim("audit", GOLDEN, "--seat", "p2", "--seat", "p2").exit_code == 2
    done = urim("audit", GOLDEN, "--seat", "p9")
    assert done.exit_code == 2
    assert "no seat 'p9' in this log; allowed: narrator, p1, p2" in done.stderr
    key = b64encode(bytes(31) + b"\x09").decode()
    done = urim("audit", GOLDEN, "--seat", f"p2={key}")
    assert (done.exit_code, "seat p2 never asks with the key given" in done.stdout) == (1, True)


def test_what_is_wrong_is_said_with_its_entry(broken: str) -> None:
    done = urim("audit", broken)
    assert done.exit_code == 1
    assert "5 payloads, wrong, entry 7: the payload is not the one of its digest" in done.stdout
    assert "This log is not sound: 5 payloads, 9 dice, 11 rules" in done.stdout


def test_a_key_and_checkpoints_are_held_against_it(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    seen.write_bytes(note_of(honest().entries, 20))
    assert urim("audit", GOLDEN, "--seen", str(seen), "--seen", str(seen)).exit_code == 0
    seen.write_bytes(note_of(honest().entries[1:], 20))
    assert urim("audit", GOLDEN, "--seen", str(seen)).exit_code == 1
    assert urim("audit", GOLDEN, "--seen", str(tmp_path / "none")).exit_code == 2
    other = KEY.vkey[:-2] + ("AA" if KEY.vkey[-2:] != "AA" else "AB")
    assert urim("audit", GOLDEN, "--key", other).exit_code == 2
    weak = Key("urim.local/t/golden01", bytes(32)).vkey
    assert urim("audit", GOLDEN, "--key", weak).exit_code == 2


def test_what_is_of_another_table_is_refused_and_another_signer_is_wrong(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    seen.write_bytes(sign(Checkpoint("urim.local/t/other001", 1, bytes(32)), bytes(32)))
    other = public_key("urim.local/t/other001", bytes(32)).vkey
    for given in (["--key", other], ["--seen", str(seen)]):
        done = urim("audit", GOLDEN, *given)
        assert (done.exit_code, done.stdout) == (2, "")
        assert "another log's" in done.stderr
    done = urim("audit", GOLDEN, "--key", public_key("urim.local/t/golden01", bytes(32)).vkey)
    assert (done.exit_code, "not sound: 2 signature" in done.stdout) == (1, True)


def test_a_program_gets_one_object(broken: str) -> None:
    for path, code, verdict in ((GOLDEN, 0, "sealed"), (broken, 1, "fail")):
        done = urim("audit", path, "--json")
        [found] = objects(done.stdout)
        assert (done.exit_code, found["type"], found["exit"]) == (code, "audit", code)
        assert found["rules"]["verdict"] == verdict
        alone = urimcheck.as_json(urimcheck.check(Path(path).read_bytes()))
        assert found.keys() - alone.keys() == {"type", "rules"}
        assert found["seats"] == alone["seats"]


def test_a_terminal_without_unicode_gets_plain_words() -> None:
    done = process("audit", GOLDEN, PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert done.stdout.isascii()


def test_a_pipe_gets_no_marks_of_direction_no_blanks_at_line_ends_and_no_long_line(
    broken: str,
) -> None:
    lines = urim("audit", broken).stdout.splitlines()
    assert any("א" <= letter <= "ת" for line in lines for letter in line)
    assert not {FSI, PDI, LRM} & set("".join(lines))
    assert lines == [line.rstrip(" ") for line in lines]
    assert max(map(len, lines)) < 200


# --- export ---------------------------------------------------------------------------------------


def test_a_table_leaves_as_a_bundle_that_holds(db: Path) -> None:
    table, out = table_in(db), db.parent / "fair.urim.jsonl"
    done = urim("export", str(db), table, "--format", "bundle", "--out", str(out))
    assert done.stdout == f"{out} is written\n"
    report = objects(urim("audit", str(out), "--json").stdout)
    assert report[0]["failed"] == []
    assert report[0]["origin"] == f"urim.local/t/{table}"
    again = process("export", str(db), table, "--format", "bundle")
    assert again.stdout == out.read_bytes()


def test_one_roll_leaves_as_a_bundle_that_holds(db: Path) -> None:
    out = db.parent / "roll.urim.jsonl"
    words = (
        "export",
        str(db),
        table_in(db),
        "--format",
        "bundle",
        "--roll",
        "2",
        "--out",
        str(out),
    )
    assert urim(*words).exit_code == 0
    report = objects(urim("audit", str(out), "--json").stdout)
    assert (report[0]["scope"], report[0]["roll"], report[0]["failed"]) == ("roll", 2, [])


def test_a_seat_gets_what_it_may_see(tmp_path: Path) -> None:
    db, play = tmp_path / "hidden.db", tmp_path / "hidden.toml"
    play.write_text(SCENARIO.replace("root = ", 'visibility = "gm"\nroot = '), "utf-8")
    assert urim("run", str(play), "--log", str(db)).exit_code == 0

    def disclosed(*words: str) -> int:
        done = urim("export", str(db), table_in(db), "--format", "bundle", *words)
        assert done.exit_code == 0
        return sum("payload" in line for line in objects(done.stdout)[1:-1])

    assert disclosed() < disclosed("--seat", "narrator")
    done = urim("export", str(db), table_in(db), "--format", "bundle", "--seat", "p9")
    assert (done.exit_code, "no seat" in done.stderr) == (2, True)


def test_a_file_appears_whole_and_never_in_place_of_a_log(db: Path) -> None:
    before = db.read_bytes()
    words = ("export", str(db), table_in(db), "--format", "jsonl", "--out")
    done = urim(*words, str(db))
    assert (done.exit_code, "is a database" in done.stderr) == (2, True)
    assert db.read_bytes() == before
    done = urim(*words, str(db.parent / "no such folder" / "file"))
    assert (done.exit_code, "cannot be written" in done.stderr) == (2, True)
    out = db.parent / "out"
    for form in ("jsonl", "bundle"):
        assert urim(*words[:4], form, "--out", str(out), "--force").exit_code == 0
        lines = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
        assert ("format" in lines[0]) == (form == "bundle")
    assert sorted(path.name for path in db.parent.iterdir()) == [
        "night.db",
        "night.db.secrets",
        "out",
    ]


def test_a_bundle_needs_the_hosts_key(db: Path) -> None:
    table = table_in(db)
    assert urim("export", str(db), table, "--format", "bundle").exit_code == 0
    (db.parent / "night.db.secrets" / "key").unlink()
    done = urim("export", str(db), table, "--format", "bundle")
    assert (done.exit_code, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1


def test_the_golden_bundle_is_the_one_that_is_judged_here() -> None:
    assert Path(GOLDEN).read_bytes() == bundle(honest())
