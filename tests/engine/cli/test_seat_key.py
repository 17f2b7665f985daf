"""Keys of seats at the shell: made once, taken by a seat, and signing from then on.

Every seat is a process of its own, with a state directory of its own; the host's never has its key.
"""

import json
import os
import shutil
import subprocess
import sys
from base64 import b64decode, b64encode
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.engine.helpers.stages.server import Served
from urim.engine.core.commands import LeaveSeat, Resolve, TakeSeat
from urim.engine.seat.key import SeatKey, find_key, key_file, make_key, signers_for
from urim.errors import Damaged, Refused
from urim.events.asked import signed
from urim.events.codec import asked_in
from urim.events.keys import verifies
from urim.projections.tables import TableState

TABLE = "table001"
OWNER = 0o600
PLACE = "0" * 64
"""Where a client puts an anchor or a share of its own."""

SEAT = ("key", "seat")
SHARE = json.dumps({"do": "open_share", "roll": 1, "share": PLACE})

PROCESS = """
import json, sys
from click.testing import CliRunner
from urim.engine.cli.app import app
done = [CliRunner().invoke(app, words, prog_name="urim") for words in json.loads(sys.argv[1])]
print(json.dumps([[each.exit_code, each.stdout, each.stderr] for each in done]))
"""
"""What one process does: some commands, one after the other."""


class Done(NamedTuple):
    """What came of a command."""

    exit: int
    stdout: str
    stderr: str


Urim = Callable[..., list[Done]]


@pytest.fixture
def urim(tmp_path: Path) -> Urim:
    """Run commands in a process of somebody's, with a state directory of their own."""

    def run(who: str, *lines: Sequence[str]) -> list[Done]:
        env = {**os.environ, "XDG_STATE_HOME": str(tmp_path / who), "COLUMNS": "100"}
        line = [sys.executable, "-c", PROCESS, json.dumps(lines)]
        done = subprocess.run(line, env=env, capture_output=True, text=True, timeout=60, check=True)
        return [Done(*each) for each in json.loads(done.stdout)]

    return run


def printed(done: Sequence[Done]) -> list[str]:
    """What commands printed that went well."""
    assert not any(each.exit for each in done), done
    return [each.stdout.strip() for each in done]


# --- the file -------------------------------------------------------------------------------------


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory of the user's keys."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path / "urim" / "keys"


def test_a_key_is_made_once_and_only_its_owner_may_read_it(urim: Urim, tmp_path: Path) -> None:
    first, again, as_json = urim("p1", SEAT, SEAT, (*SEAT, "--json"))
    file = tmp_path / "p1" / "urim" / "keys" / "urim.local"
    public, same, shown = printed([first, again, as_json])
    assert f"a new key was made: {file}" in first.stderr
    assert "seated again, which an audit shows" in first.stderr
    assert f"the key is in: {file}" in again.stderr
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (OWNER, 0o700)
    assert same == public == SeatKey(bytes.fromhex(file.read_text("ascii"))).public
    assert json.loads(shown) == {
        "type": "seat-key",
        "key": public,
        "made": False,
        "file": str(file),
        "seat": None,
    }


def test_each_host_has_a_key_of_its_own(urim: Urim) -> None:
    hosts = ("urim.local", "dice.example", "dice.example:8443/x")
    assert len(set(printed(urim("p1", *((*SEAT, "--host", host) for host in hosts))))) == len(hosts)


def test_a_key_is_never_written_over(home: Path) -> None:
    path = key_file()
    made = make_key(path)
    with pytest.raises(Refused) as refusal:
        make_key(path)
    assert refusal.value.code == "taken"
    found = find_key(path)
    assert found is not None
    assert found.public == made.public
    assert path == home / "urim.local"


def test_a_key_that_others_may_read_is_not_used(home: Path) -> None:
    path = key_file()
    make_key(path)
    path.chmod(0o644)
    with pytest.raises(Refused) as refusal:
        signers_for("urim.local")
    assert refusal.value.code == "unreadable"
    path.chmod(OWNER)
    path.write_text("no key\n", "ascii")
    with pytest.raises(Damaged):
        find_key(path)


@pytest.mark.parametrize("host", ["", ".", "..", ".hidden", "x" * 300])
def test_what_can_be_no_files_name_is_no_host(home: Path, host: str) -> None:
    with pytest.raises(Refused) as refusal:
        key_file(host)
    assert refusal.value.code == "malformed"


def test_a_key_stays_in_its_directory(home: Path) -> None:
    for host in ("a/../../b", "a\\b", "/etc/passwd", "C:"):
        assert key_file(host).parent == home


def test_a_host_without_a_key_has_no_signers(home: Path) -> None:
    assert signers_for("dice.example") == {}
    key = make_key(key_file("dice.example"))
    assert list(signers_for("dice.example")) == [key.public]
    assert signers_for("urim.local") == {}


def test_what_a_key_signs_is_verified_with_its_public_key() -> None:
    key = SeatKey(bytes(range(32)))
    assert verifies(b64decode(key.public), key.sign(b"x"), b"x")
    with pytest.raises(Refused, match="31 bytes"):
        SeatKey(bytes(31))


@pytest.mark.slow
def test_a_key_is_for_a_tables_url_or_a_host(urim: Urim) -> None:
    url = "http://127.0.0.1:1/tables/table001"
    for done in urim("p1", (*SEAT, "night.db"), (*SEAT, url, "--host", "x")):
        assert done.exit == 2
        assert "--host HOST" in done.stderr
    [done] = urim("p1", (*SEAT, url))
    assert (done.exit, "urim join" in done.stderr) == (2, True)


# --- an evening -----------------------------------------------------------------------------------


@pytest.fixture
def served(tmp_path: Path) -> Generator[Served]:
    """A server with a table of fair dice at level `table`."""
    with Served(tmp_path, linger=0.0, rate=1000.0, burst=1000) as found:
        found.open(TABLE, {}, source="fair", level="table")
        yield found


def joined(served: Served, who: str) -> tuple[str, str]:
    """The words that join somebody's seat."""
    return "join", f"{served.url}/#i={served.invitation(TABLE, 'player', who)}"


def anchor(url: str) -> tuple[str, ...]:
    """The words that anchor a seat's shares."""
    return "submit", url, json.dumps({"do": "anchor-shares", "anchor": PLACE})


def state_of(served: Served) -> TableState:
    return served.run(served.service.state(TABLE))


@pytest.mark.slow
def test_an_evening_of_seats_that_sign(served: Served, urim: Urim, tmp_path: Path) -> None:
    url = f"{served.url}/tables/{TABLE}"
    taken = {
        who: printed(urim(who, joined(served, who), (*SEAT, url), (*SEAT, url), anchor(url)))[1]
        for who in ("p1", "p2")
    }
    state = state_of(served)
    assert {who: state.seats[who].key for who in taken} == taken
    printed(
        urim(
            "p1",
            ("enter", url, "Etgar", "BLE=3", "--owner", "p1"),
            ("declare", url, "root=רוח", "rating=2"),
            ("roll", url),
        )
    )
    printed(urim("p2", ("submit", url, SHARE)))
    assert state_of(served).rolls[1].state == "rolled"
    _all_signed(served, taken)
    _nobody_asks_in_its_name(served, urim, url, tmp_path)
    _audited(served, urim, taken, tmp_path)
    _lost(served, urim, url, tmp_path)
    bundle = _bundle(served, tmp_path)
    [found] = urim("reader", ("audit", bundle))
    assert found.exit == 0, found
    assert "seat p1 has no key any more" in found.stdout


def _all_signed(served: Served, public: dict[str, str]) -> None:
    """Check that every command of these seats is signed, over a head that grows."""
    aggregate = served.run(served.service.aggregate(TABLE))
    origin = f"urim.local/t/{TABLE}"
    last = dict.fromkeys(public, 0)
    for entry, record in zip(aggregate.entries, aggregate.records, strict=True):
        asked = asked_in(entry) if entry.seq == entry.commit else None
        if asked is None or record is None or record.event.by not in public:
            continue
        by = record.event.by
        assert asked.seen is not None
        assert asked.sig is not None
        assert verifies(b64decode(public[by]), b64decode(asked.sig), signed(origin, by, asked))
        assert last[by] <= asked.seen.size <= entry.seq
        last[by] = asked.seen.size
    assert all(last.values())


def _nobody_asks_in_its_name(served: Served, urim: Urim, url: str, tmp_path: Path) -> None:
    """Who has the seat's token, and the host itself, ask for nothing without its key."""
    before = state_of(served)
    shutil.copytree(tmp_path / "p1" / "urim" / "seats", tmp_path / "thief" / "urim" / "seats")
    [done] = urim("thief", ("resolve", url))
    assert (done.exit, "does not have" in done.stderr) == (2, True), done
    with pytest.raises(Refused) as refusal:
        served.run(served.service.submit(TABLE, "p1", Resolve(1), "forged"))
    assert refusal.value.code == "not-signed"
    assert state_of(served) == before


def _bundle(served: Served, tmp_path: Path) -> str:
    async def lines() -> list[bytes]:
        return [line async for line in await served.service.bundle(TABLE, "narrator")]

    path = tmp_path / "night.urim.jsonl"
    path.write_bytes(b"".join(served.run(lines())))
    return str(path)


def _audited(served: Served, urim: Urim, public: dict[str, str], tmp_path: Path) -> None:
    """Check an audit by who knows the keys from the players, and by who was given others."""
    bundle = _bundle(served, tmp_path)
    named = [word for who, key in public.items() for word in ("--seat", f"{who}={key}")]
    small = b64encode(bytes(32)).decode("ascii")
    right, swapped, *refused = urim(
        "reader",
        ("audit", bundle, *named),
        ("audit", bundle, "--seat", f"p1={public['p2']}"),
        ("audit", bundle, "--seat", f"p1={small}"),
        ("audit", bundle, "--seat", public["p1"].rstrip("=")),
        ("audit", bundle, "--seat", f"p1={public['p1']}", "--seat", f"p1={public['p1']}"),
        ("audit", bundle, "--seat", f"P1 ={public['p1']}"),
    )
    assert right.exit == 0, right
    assert swapped.exit == 1, swapped
    assert [each.exit for each in refused] == [2, 2, 2, 2]
    assert "of small order" in refused[0].stderr


def _lost(served: Served, urim: Urim, url: str, tmp_path: Path) -> None:
    """A player who lost the key asks for nothing more until a narrator seats them again."""
    shutil.rmtree(tmp_path / "p1" / "urim" / "keys")
    [done] = urim("p1", ("note", url, "0", "so"))
    assert done.exit == 2, done
    served.run(served.service.submit(TABLE, "narrator", LeaveSeat("p1")))
    served.run(served.service.submit(TABLE, "narrator", TakeSeat("p1")))
    printed(urim("p1", ("note", url, "0", "so"), (*SEAT, url), ("note", url, "0", "again")))
