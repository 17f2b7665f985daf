"""Keys of seats at the shell: made once, taken by a seat, and signing from then on.

Every seat is a process of its own, with a state directory of its own; the host's never has its key.
"""

import json
import os
import shutil
import subprocess
import sys
from base64 import b64decode, b64encode
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.engine.helpers.stages.server import Served
from urim.engine.core.commands import LeaveSeat, Note, Resolve, TakeSeat, worded
from urim.engine.seat.key import SeatKey, find_key, key_file, make_key, signers_for
from urim.errors import Damaged, Refused
from urim.events.asked import signed
from urim.events.codec import asked_in
from urim.events.keys import checked_key, verifies

TABLE = "table001"
OWNER = 0o600

Urim = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def urim(tmp_path: Path) -> Urim:
    """Run `urim` as somebody, with a state directory of their own."""

    def run(who: str, *words: str) -> subprocess.CompletedProcess[str]:
        env = {**os.environ, "XDG_STATE_HOME": str(tmp_path / who), "COLUMNS": "100"}
        line = [sys.executable, "-m", "urim", *words]
        return subprocess.run(
            line, env=env, capture_output=True, text=True, timeout=60, check=False
        )

    return run


def printed(done: subprocess.CompletedProcess[str]) -> str:
    """What a command printed that went well."""
    assert done.returncode == 0, done
    return done.stdout


# --- the file -------------------------------------------------------------------------------------


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory of the user's keys."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path / "urim" / "keys"


def test_a_key_is_made_once_and_only_its_owner_may_read_it(urim: Urim, tmp_path: Path) -> None:
    first = urim("p1", "key", "seat")
    file = tmp_path / "p1" / "urim" / "keys" / "urim.local"
    public = printed(first).strip()
    assert f"a new key was made: {file}" in first.stderr
    assert "seated again, which an audit shows" in first.stderr
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (OWNER, 0o700)
    assert len(checked_key(public)) == 32
    private = file.read_bytes()
    again = urim("p1", "key", "seat")
    assert (printed(again).strip(), file.read_bytes()) == (public, private)
    assert f"the key is in: {file}" in again.stderr
    [found] = [
        json.loads(line)
        for line in printed(urim("p1", "key", "seat", "--json")).split("\n")
        if line
    ]
    assert found == {
        "type": "seat-key", "key": public, "made": False, "file": str(file), "seat": None,
    }  # fmt: skip


def test_each_host_has_a_key_of_its_own(urim: Urim) -> None:
    keys = {
        printed(urim("p1", "key", "seat", *words))
        for words in ((), ("--host", "dice.example"), ("--host", "dice.example:8443/x"))
    }
    assert len(keys) == 3


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


@pytest.mark.parametrize(
    "words", [("night.db",), ("http://127.0.0.1:1/tables/table001", "--host", "x")]
)
def test_a_key_is_for_a_tables_url_or_a_host(urim: Urim, words: tuple[str, ...]) -> None:
    done = urim("p1", "key", "seat", *words)
    assert done.returncode == 2
    assert "--host HOST" in done.stderr


# --- an evening -----------------------------------------------------------------------------------


@pytest.fixture
def served(tmp_path: Path) -> Generator[Served]:
    """A server with a table of fair dice at level `table`."""
    with Served(tmp_path, linger=0.0, rate=1000.0, burst=1000) as found:
        found.open(TABLE, {}, source="fair", level="table")
        yield found


def joined(served: Served, urim: Urim, *seats: str) -> str:
    """The table's URL, after these seats were joined, each in a directory of its own."""
    urls = set[str]()
    for who in seats:
        link = f"{served.url}/#i={served.invitation(TABLE, 'player', who)}"
        urls.add(printed(urim(who, "join", link)).strip())
    [url] = urls
    return url


def test_a_seat_takes_its_key_and_signs_from_then_on(
    served: Served, urim: Urim, tmp_path: Path
) -> None:
    url = joined(served, urim, "p1", "p2")
    public = {who: printed(urim(who, "key", "seat", url)).strip() for who in ("p1", "p2")}
    state = served.run(served.service.state(TABLE))
    assert {who: state.seats[who].key for who in public} == public
    again = urim("p1", "key", "seat", url)
    assert (printed(again).strip(), served.run(served.service.state(TABLE)).size) == (
        public["p1"],
        state.size,
    )
    for who in public:
        printed(urim(who, "anchor-shares", url))
    printed(urim("p1", "enter", url, "Etgar", "BLE=3", "--seat", "p1"))
    printed(urim("p1", "declare", url, "root=רוח", "rating=2"))
    printed(urim("p1", "roll", url))
    printed(urim("p2", "open-share", url))
    done = urim("p1", "open-share", url)
    assert served.run(served.service.state(TABLE)).rolls[1].state == "rolled", done
    _all_signed(served, public)


def _all_signed(served: Served, public: dict[str, str]) -> None:
    """Check that every command of these seats is signed, over a head that grows."""
    aggregate = served.run(served.service.aggregate(TABLE))
    counted = dict.fromkeys(public, 0)
    last = dict.fromkeys(public, 0)
    for entry in aggregate.entries:
        asked = asked_in(entry) if entry.seq == entry.commit else None
        by = aggregate.records[entry.seq].event.by
        if asked is None or asked.seen is None or asked.sig is None:
            assert not counted.get(by)
            continue
        origin = f"urim.local/t/{TABLE}"
        assert verifies(b64decode(public[by]), b64decode(asked.sig), signed(origin, by, asked))
        assert last[by] <= asked.seen.size <= entry.seq
        counted[by], last[by] = counted[by] + 1, asked.seen.size
    assert all(counted.values())
