"""The command line on keys and epochs: what others verify with, and how a restored log goes on."""

import json
import shutil
from pathlib import Path

import pytest

from tests.engine.helpers.cli_runs import objects, urim
from tests.engine.helpers.stages.heads import file_of, served, signed_at
from tests.engine.helpers.stages.service import TABLE
from tests.plays import SCENARIOS
from urim.engine.service import Service
from urim.events.checkpoint import read, read_key


@pytest.fixture
def signed(tmp_path: Path) -> Path:
    """A database with a table of fair dice, signed with five entries."""
    path = tmp_path / "signed.db"
    served(path, lambda service: signed_at(service, 5, dice="fair"))
    return path


def test_the_key_of_a_table_verifies_its_heads(signed: Path) -> None:
    done = urim("key", "show", str(signed), TABLE)
    assert (done.exit_code, done.stderr) == (0, "")
    key = read_key(done.stdout.strip())
    assert read(file_of(signed).read_bytes(), [key]).size == 5
    [found] = objects(urim("key", "show", str(signed), TABLE, "--json").stdout)
    assert found == {
        "type": "key",
        "table": TABLE,
        "origin": f"urim.local/t/{TABLE}",
        "vkey": key.vkey,
        "made": False,
        "file": str(file_of(signed, "key")),
    }


def test_a_host_without_a_key_gets_one_and_is_told(tmp_path: Path) -> None:
    path = tmp_path / "kept.db"
    assert urim("run", str(seeded()), "--log", str(path)).exit_code == 0
    first = urim("key", "show", str(path), "fixture0", "--host", "dice.example")
    assert first.exit_code == 0
    assert first.stdout.startswith("dice.example/t/fixture0+")
    assert f"a new key was made: {file_of(path, 'key')}" in first.stderr
    again = urim("key", "show", str(path), "fixture0", "--host", "dice.example")
    assert (again.stdout, again.stderr) == (first.stdout, "")


def seeded() -> Path:
    """A scenario whose table is fixture0."""
    return SCENARIOS / "milhamah" / "seeded.toml"


def test_the_key_is_shown_under_the_name_that_was_signed_with(signed: Path) -> None:
    done = urim("key", "show", str(signed), TABLE, "--host", "dice.example")
    assert done.exit_code == 2
    assert f"were signed as urim.local/t/{TABLE}" in done.stderr


def test_no_key_is_made_for_heads_that_another_signed(signed: Path) -> None:
    file_of(signed, "key").unlink()
    done = urim("key", "show", str(signed), TABLE)
    assert done.exit_code == 2
    assert f"{file_of(signed, 'key')} is missing" in done.stderr
    shutil.rmtree(file_of(signed).parent)  # the heads in the log still say so
    assert urim("key", "show", str(signed), TABLE).exit_code == 2
    assert not file_of(signed, "key").exists()


def test_an_epoch_begins_and_the_table_is_served_again(signed: Path) -> None:
    file_of(signed).unlink()
    refused = urim("erase", "--yes", str(signed), TABLE, "4")
    assert refused.exit_code == 2
    assert "begin an epoch (urim epoch)" in refused.stderr
    done = urim("epoch", "--yes", str(signed), TABLE)
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout == f"epoch 1 of table {TABLE} begins with entry 5; new commitments: 0\n"
    assert urim("erase", "--yes", str(signed), TABLE, "4").exit_code == 0
    file_of(signed).unlink()
    again = urim("epoch", "--yes", str(signed), TABLE, "--seat", "narrator", "--json")
    assert json.loads(again.stdout) == {
        "type": "epoch",
        "table": TABLE,
        "epoch": 2,
        "seq": 7,
        "rolls": [],
    }


def test_an_epoch_is_signed_when_the_command_ends(signed: Path) -> None:
    file_of(signed).unlink()
    urim("epoch", "--yes", str(signed), TABLE)

    async def heads(service: Service) -> list[int]:
        return [head.size for head in await service.log.heads(TABLE)]

    assert served(signed, heads) == [5, 6]


def test_a_players_seat_begins_no_epoch(signed: Path) -> None:
    file_of(signed).unlink()
    done = urim("epoch", "--yes", str(signed), TABLE, "--seat", "p1")
    assert done.exit_code == 2
    assert "beginning an epoch is a narrator's" in done.stderr
