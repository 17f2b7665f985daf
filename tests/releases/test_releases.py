"""What was released stays good: its files are audited, opened and played on by the code of today.

`python -m tests.releases --write VERSION` writes those of a new release.
"""

import json
import re
from collections.abc import Iterator
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import get_args
from zipfile import ZipFile

import pytest

from tests.installs import dist
from tests.releases import __main__ as program
from tests.releases.guest import Guest, House
from tests.releases.keep import HERE, PLAYERS, verifiers
from tests.releases.nights import KINDS, SYSTEMS, kinds_of
from tests.releases.wheels import small
from urim import __version__
from urim.engine import verifier
from urim.engine.audit import Report, audit
from urim.engine.bundle.read import Bundle
from urim.engine.core.commands import Note, Void
from urim.engine.core.limits import NARRATOR
from urim.events.codec import Event
from urim.events.entry import TEXTS, Entry

__all__ = ["dist"]  # a fixture

RELEASES = sorted(path for path in HERE.iterdir() if re.fullmatch(r"\d+\.\d+", path.name))
NEWEST = max(RELEASES, key=lambda path: [int(part) for part in path.name.split(".")])
BUNDLES = [path for release in RELEASES for path in sorted(release.glob("*.urim.jsonl"))]


def people(release: Path) -> dict[str, dict[str, object]]:
    """What the people of each table know."""
    found: dict[str, dict[str, object]] = json.loads((release / PLAYERS).read_text("utf-8"))[
        "tables"
    ]
    return found


VERIFIER = Path(verifier.__file__).parent

TABLES = [(release, table) for release in RELEASES for table in people(release)]


def named(value: object) -> str:
    """What a test calls a file, a release or a table."""
    return value.relative_to(HERE).as_posix() if isinstance(value, Path) else str(value)


def judged(bundle: bytes, release: Path, table: str) -> Report:
    """What an audit says of a bundle, with the host's key and the head that was signed halfway."""
    seen = (release / f"{table}.checkpoint").read_bytes()
    return audit(BytesIO(bundle), key=str(people(release)[table]["vkey"]), seen=[seen])


def entries(bundle: Path) -> list[Entry]:
    """The entries of a bundle."""
    with bundle.open("rb") as stream:
        return [each.entry for each in Bundle(stream)]


# --- what is kept ---------------------------------------------------------------------------------


def test_there_are_files_of_this_release() -> None:
    assert NEWEST.name == __version__.rpartition(".")[0]


def test_the_files_have_every_system_and_every_event() -> None:
    logs = {table: entries(NEWEST / f"{table}.urim.jsonl") for table in people(NEWEST)}
    fair = {table: log for table, log in logs.items() if table.endswith("fair")}
    assert len(fair) == len(SYSTEMS)
    for table, log in fair.items():
        assert set(KINDS) <= kinds_of(log), table
        assert any(each.kind in TEXTS and each.payload is None for each in log), table
        assert people(NEWEST)[table]["keys"], table
        shown = entries(NEWEST / f"{table}-all.urim.jsonl")
        assert any(each.kind == "hidden" and each.payload is None for each in shown), table
    found = {kind for log in logs.values() for kind in kinds_of(log)}
    assert {kind.__name__ for kind in get_args(Event)} <= found


@pytest.mark.parametrize(
    ("version", "why"),
    [("0.1", "only the files of"), (NEWEST.name, "its files stay as they are")],
)
def test_a_release_writes_its_own_files_and_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], version: str, why: str
) -> None:
    monkeypatch.setattr("sys.argv", ["releases", "--write", version])
    monkeypatch.setattr(program, "write", lambda folder: pytest.fail("written"))
    with pytest.raises(SystemExit):
        program.main()
    assert why in capsys.readouterr().err


@pytest.mark.parametrize("release", RELEASES, ids=named)
def test_every_release_has_its_program(release: Path) -> None:
    [wheel] = release.glob("*.whl")
    assert re.fullmatch(rf"urim-{re.escape(release.name)}\.\d+-py3-none-any\.whl", wheel.name)
    with ZipFile(wheel) as found:
        assert found.testzip() is None
        assert {each.date_time for each in found.infolist()} == {(1980, 1, 1, 0, 0, 0)}


@pytest.mark.parametrize("name", ["urimcheck.py", "urimcheck.js"])
def test_a_verifier_changes_with_a_version_alone(name: str) -> None:
    """Who keeps it from elsewhere compares its hash with the one of that version."""
    known = {version: hashes[name] for version, hashes in verifiers().items()}
    assert known[__version__] == sha256((VERIFIER / name).read_bytes()).hexdigest()
    [wheel] = NEWEST.glob("*.whl")
    with ZipFile(wheel) as found:
        [kept] = [each for each in found.namelist() if each.endswith(f"/{name}")]
        assert known[wheel.name.split("-")[1]] == sha256(found.read(kept)).hexdigest()


@pytest.mark.slow
def test_a_wheel_is_written_small_with_all_that_is_in_it(dist: Path, tmp_path: Path) -> None:
    wheel = next(dist.glob("*.whl"))
    (tmp_path / "again").mkdir()
    first = small(wheel, tmp_path)
    assert first.read_bytes() == small(first, tmp_path / "again").read_bytes()
    with ZipFile(wheel) as found, ZipFile(first) as written:
        assert sorted(found.namelist()) == written.namelist()
        assert all(found.read(name) == written.read(name) for name in written.namelist())
    assert first.stat().st_size <= wheel.stat().st_size


# --- what this code makes of it -------------------------------------------------------------------


@pytest.mark.parametrize("path", BUNDLES, ids=named)
def test_bundles_are_audited(path: Path) -> None:
    table, _, what = path.name.removesuffix(".urim.jsonl").partition("-")
    report = judged(path.read_bytes(), path.parent, table)
    assert not report.failed
    # The head that was kept can be held against a whole table alone.
    assert report.exit == (3 if what == "roll" else 0)


@pytest.fixture
def house(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[House]:
    """The database of a release, copied and opened."""
    opened = House(request.param, tmp_path)
    yield opened
    opened.close()


@pytest.mark.parametrize("house", RELEASES, ids=named, indirect=True)
def test_the_database_holds_what_the_bundles_hold(house: House) -> None:
    for table in house.people["tables"]:
        for seat, name in ((NARRATOR, table), ("", f"{table}-all")):
            kept = (house.release / f"{name}.urim.jsonl").read_bytes()
            assert house.bundle(table, seat) == kept.replace(b"urim-bundle/2", b"urim-bundle/3")


@pytest.mark.parametrize(("house", "table"), TABLES, ids=named, indirect=["house"])
def test_tables_are_played_on(house: House, table: str) -> None:
    """The throw that waits is made, the roll ends; another one is declared, ends, and is voided."""
    guest = Guest(house, table)
    if guest.state.ask:
        guest.open_all()
    first = len(guest.state.rolls)
    seat, wish = guest.declared()
    guest.finish(first)
    assert guest.roll(first).state == "resolved"
    guest.ask(seat, wish)
    guest.finish(first + 1)
    guest.ask(NARRATOR, Void(first + 1), words="Enough.")
    guest.ask(NARRATOR, Note(0), words="Tomorrow at eight.")
    for reader in (NARRATOR, ""):
        report = judged(house.bundle(table, reader), house.release, table)
        assert (report.failed, report.exit) == ((), 0)
        assert report.proof.header["size"] == guest.state.size
