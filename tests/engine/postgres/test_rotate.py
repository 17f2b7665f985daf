"""Secrets in a database are put under another key, all or none, and the old key is refused."""

import json
import threading
from contextlib import closing
from pathlib import Path

import pytest

from tests.engine.helpers.cli_runs import urim
from tests.engine.postgres.others import asked, by_others
from urim.engine.service.postgres import PostgresVault
from urim.errors import Damaged, Refused
from urim.events.log.location import DatabaseUrl

NAMES = ("table01", "table01.epoch-1", "heads/table01", "shares/ab12")


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """A file that is not there yet."""
    return tmp_path / "kept" / "other"


def vault(place: DatabaseUrl, key: Path) -> "closing[PostgresVault]":
    """The records in a database, under the key in a file."""
    return closing(PostgresVault(place.reveal(), key))


def fill(place: DatabaseUrl, key: Path) -> None:
    """Write some records."""
    with vault(place, key) as it:
        for name in NAMES:
            it.write_over(name, name.encode())


def contents(place: DatabaseUrl, key: Path) -> list[bytes | None]:
    """What the records hold."""
    with vault(place, key) as it:
        return [it.read(name, 100) for name in NAMES]


def rows_of(place: DatabaseUrl) -> list[tuple[object, ...]]:
    """All that is kept, as it is."""
    records = asked(place, "SELECT * FROM urim_secrets.records ORDER BY 1, 2")
    return [*records, *asked(place, "SELECT * FROM urim_secrets.meta")]


def test_all_are_under_the_other_key_and_the_old_one_is_refused(
    place: DatabaseUrl, key: Path, other: Path
) -> None:
    fill(place, key)
    before = rows_of(place)
    with vault(place, key) as old:
        old.write_over("table01", b"table01")  # it knows that its key is the one
        done = urim("key", "rotate", place.reveal(), "--to", str(other))
        assert (done.exit_code, done.stdout) == (0, f"4 records are under the key in {other} now\n")
        again = urim("key", "rotate", place.reveal(), "--to", str(other), "--json")
        assert (again.exit_code, json.loads(again.stdout)["type"]) == (2, "refusal")
        assert other.stat().st_mode & 0o777 == 0o600
        for ask in (
            lambda: old.read("table01", 100),
            lambda: old.write_over("heads/table01", b"later"),
            lambda: old.write_new("table02", b"new"),
            lambda: old.set_aside("table01", "table01.aside"),
        ):
            with pytest.raises(Refused, match="has another") as refused:
                ask()
            assert refused.value.code == "unreadable"
    assert contents(place, other) == [name.encode() for name in NAMES]
    after = rows_of(place)
    assert len(after) == len(before)
    assert not {row[-1] for row in before} & {row[-1] for row in after}
    with vault(place, other) as it:
        assert it.names("") == NAMES[:2]
        assert it.write_new("table02", b"new") is not None


def test_one_who_writes_meanwhile_writes_nothing_under_the_old_key(
    place: DatabaseUrl, key: Path, other: Path
) -> None:
    fill(place, key)
    written, refusals, started = list[str](), list[Refused](), threading.Event()

    def write(who: int) -> None:
        with vault(place, key) as it:
            for turn in range(10_000):
                name = f"w{who}t{turn}"
                try:
                    it.write_over(name, b"w") if turn % 2 else it.write_new(name, b"w")
                except Refused as refused:
                    refusals.append(refused)
                    return
                written.append(name)
                if len(written) > 20:
                    started.set()

    writers = [threading.Thread(target=write, args=(who,)) for who in range(3)]
    for each in writers:
        each.start()
    assert started.wait(60)
    with vault(place, key) as it:
        count = it.rotate(other)
    for each in writers:
        each.join()
    assert len(refusals) == len(writers)
    assert count == len(NAMES) + len(written)
    with vault(place, other) as it:
        assert {it.read(name, 9) for name in written} == {b"w"}
        assert set(it.names("")) == {*NAMES[:2], *written}


def test_a_key_that_they_are_under_is_refused(place: DatabaseUrl, key: Path) -> None:
    fill(place, key)
    before = rows_of(place)
    with vault(place, key) as it, pytest.raises(Refused, match="has the key that") as refused:
        it.rotate(key)
    assert refused.value.allowed == ("the file of another key",)
    assert rows_of(place) == before


def test_where_nothing_is_kept_it_is_refused(place: DatabaseUrl, key: Path, other: Path) -> None:
    with vault(place, key) as it, pytest.raises(Refused, match="there are no secrets in the"):
        it.rotate(other)
    assert not other.exists()


def test_who_has_not_the_key_changes_nothing(
    place: DatabaseUrl, key: Path, other: Path, tmp_path: Path
) -> None:
    fill(place, key)
    before = rows_of(place)
    with (
        vault(place, tmp_path / "kept" / "third") as it,
        pytest.raises(Refused, match=r"no .*third"),
    ):
        it.rotate(other)
    assert rows_of(place) == before
    assert not other.exists()


def test_without_any_record_left_the_key_is_another_all_the_same(
    place: DatabaseUrl, key: Path, other: Path
) -> None:
    with vault(place, key) as it:
        it.write_over("table01", b"gone")
        it.remove("table01")
        assert it.rotate(other) == 0
        it.write_over("table01", b"later")
    with vault(place, other) as it:
        assert it.read("table01", 9) == b"later"


def test_one_damaged_record_and_none_is_changed(place: DatabaseUrl, key: Path, other: Path) -> None:
    fill(place, key)
    spoilt = "UPDATE urim_secrets.records SET sealed = sealed || 'x' WHERE folder = 'heads'"
    by_others(place, spoilt)
    before = rows_of(place)
    with vault(place, key) as it, pytest.raises(Damaged, match=r"'heads/table01' of the secrets"):
        it.rotate(other)
    assert rows_of(place) == before
    with vault(place, key) as it:
        assert it.read("table01", 100) == b"table01"


def test_secrets_beside_a_file_are_not_encrypted(tmp_path: Path) -> None:
    done = urim("key", "rotate", str(tmp_path / "night.db"), "--to", str(tmp_path / "other"))
    assert (done.exit_code, done.stdout) == (2, "")
    assert "are not encrypted: they are in " in done.stderr
    assert "allowed: secrets in a PostgreSQL database" in done.stderr
    assert not (tmp_path / "other").exists()
