"""The host's key: one for all tables, its owner's alone, made once and never over another."""

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from urim.engine.service.keys import HostKey, table_key
from urim.engine.service.secrets import FileSecrets, MemorySecrets
from urim.errors import Damaged, Refused, Unavailable
from urim.events.checkpoint import HOST, origin_of, public_key, read_key

TABLE = "table001"


@pytest.fixture(params=["memory", "file"])
def key(request: pytest.FixtureRequest, tmp_path: Path) -> HostKey:
    """A host's key that nobody has made yet."""
    in_memory = request.param == "memory"
    return (MemorySecrets() if in_memory else FileSecrets(tmp_path / "secrets")).key


def test_whoever_makes_it_at_the_same_time_gets_the_same(key: HostKey) -> None:
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: key.make(), range(64)))
    assert set(made) == {key.find()}


def test_every_table_has_a_key_of_its_own_name(key: HostKey) -> None:
    private = key.make()
    assert origin_of(TABLE) == f"{HOST}/t/{TABLE}"
    assert origin_of(TABLE, "dice.example") == f"dice.example/t/{TABLE}"
    named = table_key(TABLE, private, "dice.example")
    assert named == read_key(named.vkey) == public_key(f"dice.example/t/{TABLE}", private)
    assert named.public == table_key("table002", private).public
    for host in ("two words", "a+b", "line\nline"):
        with pytest.raises(Refused, match="name of a log or key"):
            table_key(TABLE, private, host)


def test_a_file_has_64_hex_digits_for_its_owner_alone(tmp_path: Path) -> None:
    secrets = FileSecrets(tmp_path / "secrets")
    made = secrets.key.make()
    file = tmp_path / "secrets" / "key"
    assert secrets.key.place == str(file)
    assert file.read_text("ascii") == f"{made.hex()}\n"
    assert FileSecrets(tmp_path / "secrets").key.find() == made
    assert list(file.parent.iterdir()) == [file]
    if os.name != "nt":
        assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)


@pytest.mark.skipif(os.name == "nt", reason="no modes")
@pytest.mark.parametrize("mode", [0o604, 0o640, 0o660, 0o644])
def test_a_key_that_others_may_read_is_refused(tmp_path: Path, mode: int) -> None:
    secrets = FileSecrets(tmp_path / "secrets")
    secrets.key.make()
    (tmp_path / "secrets" / "key").chmod(mode)
    for call in (secrets.key.find, secrets.key.make):
        with pytest.raises(Refused, match=f"its mode is {mode:o}") as refused:
            call()
        assert refused.value.code == "unreadable"


@pytest.mark.parametrize("text", ["", "ab", "ab" * 33, "zz" * 32, "ש" * 32])
def test_a_file_that_holds_no_key_is_never_written_over(tmp_path: Path, text: str) -> None:
    file = tmp_path / "secrets" / "key"
    file.parent.mkdir(mode=0o700)
    file.touch(mode=0o600)
    file.write_text(text, "utf-8")
    with pytest.raises(Damaged, match="holds no private key"):
        FileSecrets(file.parent).key.make()
    assert file.read_text("utf-8") == text


def test_a_place_that_cannot_be_written_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "secrets").write_text("in the way", "utf-8")
    with pytest.raises((Unavailable, Refused), match="secrets"):
        asyncio.run(asyncio.to_thread(FileSecrets(tmp_path / "secrets").key.make))
