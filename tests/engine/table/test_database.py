"""A table in a database lasts: for who reads it meanwhile, for other processes, after a kill."""

import asyncio
import gc
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.engine.helpers.cli_runs import objects, process
from urim import Refused, Table
from urim.engine.core.aggregate import environment
from urim.engine.core.commands import Note, OpenShare, RollDice, worded
from urim.engine.table import CharacterHandle, RollHandle
from urim.engine.table.shares import turns
from urim.errors import Unavailable
from urim.events.table import Noted

PICK: dict[str, Any] = {"trait": "Lockpicking", "rd": 7}


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "night.db"


def kept(database: Path, **given: Any) -> tuple[Table, CharacterHandle]:
    """A table in that file, and Ruth at it."""
    table = Table("sagatafl", log=database, **given)
    return table, table.character("Ruth", attributes={"Lockpicking": 3})


def notes(table: Table) -> list[int]:
    """The seats' notes of a table, by the entry that they are about."""
    records = table.aggregate.records
    return [r.event.about for r in records if r is not None and isinstance(r.event, Noted)]


def child(script: str, *args: object) -> "subprocess.Popen[str]":
    """A process that runs this with `Table`, and these arguments."""
    words = [sys.executable, "-c", script, *map(str, args)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, text=True)


# --- it lasts -------------------------------------------------------------------------------------


def test_a_roll_goes_on_where_it_was_left(database: Path) -> None:
    with Table("sagatafl", log=database) as table:
        ruth = table.character("Ruth", attributes={"Lockpicking": 3})
        roll = table.declare(ruth, label="the lock", **PICK)
        faces = roll.roll()
    with Table.open(database, table.state.id) as again:
        found = RollHandle(again, roll.number)
        assert tuple(die.face for die in found.state.roll.hands[0].dice) == faces
        found.resolve()
        assert again.entries[: len(table.entries)] == table.entries
        assert again.declare(CharacterHandle(again, ruth.id), **PICK).number == 2
        assert again.character("Dan").id == "c2"


def test_it_is_read_by_others_meanwhile(database: Path) -> None:
    table, ruth = kept(database)
    roll = table.declare(ruth, **PICK)
    roll.roll()
    shown = process("show", str(database), table.state.id, "--json")
    assert shown.returncode == 0, shown.stderr
    assert objects(shown.stdout.decode())
    table.close()


def test_its_head_is_signed_and_its_bundle_passes_the_audit(database: Path) -> None:
    table, ruth = kept(database)
    table.declare(ruth, **PICK).roll()
    table.close()
    heads = database.with_name("night.db.secrets") / "heads"
    note = (heads / table.state.id).read_text()
    assert note.splitlines()[1] == str(len(table.entries))
    bundle = database.with_name("night.urim.jsonl")
    words = ("export", str(database), table.state.id, "--format", "bundle", "--out", str(bundle))
    assert process(*words).returncode == 0
    audited = process("audit", str(bundle))
    assert audited.returncode == 0, audited.stdout


def test_a_killed_process_loses_nothing_that_returned(database: Path) -> None:
    table, _ = kept(database)
    script = (
        "import sys\n"
        "from urim import Table\n"
        "from urim.engine.core.commands import Note, worded\n"
        "table = Table.open(sys.argv[1], sys.argv[2])\n"
        "while True:\n"
        "    done = table.submit('narrator', worded(Note(0), 'again'))\n"
        "    print(done[-1].seq, flush=True)\n"
    )
    with child(script, database, table.state.id) as writer:
        assert writer.stdout is not None
        seen = [int(writer.stdout.readline()) for _ in range(20)]
        os.kill(writer.pid, signal.SIGKILL)
        seen += [int(line) for line in writer.stdout.read().splitlines()]
    assert len(table.entries) > seen[-1]
    assert [entry.seq for entry in table.entries] == list(range(len(table.entries)))
    table.close()


def test_a_program_that_does_not_close_it_ends_and_loses_nothing(database: Path) -> None:
    script = (
        "import sys\n"
        "from urim import Table\n"
        "table = Table('sagatafl', log=sys.argv[1])\n"
        "table.character('Ruth')\n"
        "print(table.state.id)\n"
    )
    with child(script, database) as program:
        printed, _ = program.communicate(timeout=60)
    assert program.returncode == 0
    with Table.open(database, printed.strip()) as table:
        assert table.state.name_of("c1") == "Ruth"


# --- with others ----------------------------------------------------------------------------------


@pytest.mark.slow
def test_two_processes_write_one_table(database: Path) -> None:
    table, _ = kept(database)
    script = (
        "import sys\n"
        "from urim import Table\n"
        "from urim.engine.core.commands import Note, worded\n"
        "with Table.open(sys.argv[1], sys.argv[2]) as table:\n"
        "    for about in range(20):\n"
        "        table.submit('narrator', worded(Note(0), 'again'))\n"
    )
    with child(script, database, table.state.id) as other:
        for _ in range(20):
            table.submit("narrator", worded(Note(1), "here"))
        other.communicate(timeout=60)
    assert other.returncode == 0
    assert sorted(notes(table)) == [0] * 20 + [1] * 20
    table.close()


def test_what_others_did_is_seen_by_the_next_call(database: Path) -> None:
    table, ruth = kept(database)
    roll = table.declare(ruth, **PICK)
    with Table.open(database, table.state.id) as other:
        RollHandle(other, roll.number).roll()
        assert roll.state.throws == 1
        assert other.declare(CharacterHandle(other, ruth.id), **PICK).number == 2
        assert table.declare(ruth, **PICK).number == 3
        roll.resolve()
        assert RollHandle(other, roll.number).outcome == roll.outcome
    table.close()


def test_a_throw_of_all_seats_is_made_with_chains_that_another_process_drew(
    database: Path,
) -> None:
    table, ruth = kept(database, level="table")
    table.declare(ruth, **PICK).roll()
    roll = table.declare(ruth, **PICK)
    anchors = {id: seat.anchor.first for id, seat in table.state.seats.items() if seat.anchor}
    waiting = turns(lambda: table.state, "p1", RollDice(2, "initiator"), table.shares)
    table.submit(*next(waiting))  # the ask alone
    table.close()
    with Table.open(database, table.state.id) as again:
        ask = again.state.ask
        assert ask is not None
        for seat in ask.waiting:
            share = again.shares.share(again.state, seat)
            assert share is not None
            again.submit(seat, OpenShare(2, share))
        thrown = RollHandle(again, roll.number).state
        assert (again.state.ask, thrown.throws) == (None, 1)
    chains = database.with_name("night.db.secrets") / "shares"
    assert {path.name for path in chains.iterdir()} == set(anchors.values())


def test_a_request_that_is_repeated_gives_the_same_entries(database: Path) -> None:
    table, _ = kept(database)
    note = worded(Note(0), "once")
    first = table.submit("narrator", note, "n1")
    assert table.submit("narrator", note, "n1") == first
    with Table.open(database, table.state.id) as other:
        assert other.submit("narrator", note, "n1") == first
    table.close()


# --- where it is called ---------------------------------------------------------------------------


def test_it_works_inside_a_running_event_loop(database: Path) -> None:
    async def cell() -> str:
        table, ruth = kept(database)
        table.declare(ruth, **PICK).roll()
        table.close()
        return table.state.id

    id = asyncio.run(cell())
    with Table.open(database, id) as table:
        assert len(table.state.rolls) == 1


def test_threads_may_share_it(database: Path) -> None:
    table, _ = kept(database)

    def work() -> None:
        for _ in range(10):
            table.submit("narrator", worded(Note(0), "here"))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(notes(table)) == 30
    table.close()


# --- the end --------------------------------------------------------------------------------------


def test_a_closed_table_is_read_and_takes_no_command(database: Path) -> None:
    table, ruth = kept(database)
    table.close()
    table.close()
    assert ruth.sheet.attributes == {"Lockpicking": 3}
    with pytest.raises(Unavailable, match="was closed"):
        table.declare(ruth, **PICK)
    assert len(table.entries) == table.state.size


def test_a_table_in_memory_may_be_closed_too() -> None:
    with Table("sagatafl") as table:
        pass
    assert table.character("Ruth").seat == "p1"


def serving() -> list[str]:
    """The names of the threads that serve a database of these tests."""
    return [each.name for each in threading.enumerate() if "night.db" in each.name]


def test_a_table_that_is_forgotten_ends_its_threads(database: Path) -> None:
    table, _ = kept(database)
    [thread] = [each for each in threading.enumerate() if each.name == "serves night.db"]
    del table, _
    gc.collect()
    thread.join(timeout=30)
    assert not thread.is_alive()


@pytest.mark.parametrize(
    ("do", "code"),
    [
        (lambda file: Table.open(file.with_name("other.db"), "fixture0"), "unreadable"),
        (lambda file: Table.open(file, "another0"), "unknown"),
        (lambda file: Table("sagatafl", log=file, dice="seeded:7"), "taken"),
        (lambda file: Table("sagatafl", log=file.parent), "unreadable"),
        (lambda file: Table("sagatafl", log=file / "x"), "unreadable"),
        (lambda file: Table("sagatafl", log=file, environment=environment("fair")), "malformed"),
        (lambda file: Table("no such game", log=file.with_name("new.db")), "unknown"),
    ],
)
def test_what_cannot_be_opened_is_refused_and_leaves_nothing(
    database: Path, do: Callable[[Path], Table], code: str
) -> None:
    Table("sagatafl", log=database, dice="seeded:7").close()
    before = sorted(database.parent.rglob("*"))
    with pytest.raises(Refused) as refused:
        do(database)
    assert refused.value.code == code
    assert sorted(database.parent.rglob("*")) == before
    assert not serving()
