# ruff: noqa: S608 (the rows of a test)
"""Rows that another program renamed or copied are named as damage, and are listed as no table."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest

from tests.engine.helpers.cli_runs import objects, urim
from tests.engine.helpers.stages.heads import past_triggers, served
from tests.engine.helpers.stages.server import Served, bearer
from tests.engine.helpers.stages.service import TABLE, mark, noting, seated
from urim import Table
from urim.engine.core.commands import OpenTable, TakeSeat
from urim.engine.service import Service
from urim.errors import Damaged, Refused

OTHER, NEW = "table002", "table009"

SIGNED = 8
"""Entries of each table that are signed; two more are not."""

OF_FIRST = f"table_id = '{TABLE}'"

ROWS = "seq, at, kind, digest, leaf, start, salt, payload"


class Wrong(NamedTuple):
    """What was done to the rows: the ids that are damaged by it, and whether triggers let it be."""

    name: str
    damaged: tuple[str, ...]
    how: tuple[str, ...]
    allowed: bool = False


def copied(what: str, rows: str, where: str = "1", to: str = NEW) -> str:
    """Rows of the first table, under another id."""
    return f"INSERT INTO {what} SELECT '{to}', {rows} FROM {what} WHERE {OF_FIRST} AND {where}"


def renamed(what: str, to: str = NEW, where: str = "1") -> str:
    """Rows of the first table get another id."""
    return f"UPDATE {what} SET table_id = '{to}' WHERE table_id = '{TABLE}' AND {where}"


ALL = (renamed("entries"), renamed("commits"), renamed("heads"))
COMMITS, HEADS = "seat, request, mac, start, stop", "size, root, note"
FROM_OTHER = f"SELECT '{TABLE}', {{}} FROM {{}} WHERE table_id = '{OTHER}'"

CASES = (
    Wrong("all entries renamed", (TABLE, NEW), ALL[:1]),
    Wrong("a whole table renamed", (NEW,), ALL),
    Wrong("the latter entries renamed", (TABLE, NEW), (renamed("entries", where="seq > 4"),)),
    Wrong("one entry renamed", (TABLE, NEW), (renamed("entries", where="seq = 3"),)),
    Wrong("the first entry renamed", (TABLE, NEW), (renamed("entries", where="seq = 0"),)),
    Wrong("all entries copied", (NEW,), (copied("entries", ROWS),), allowed=True),
    Wrong(
        "a whole table copied",
        (NEW,),
        (copied("entries", ROWS), copied("commits", COMMITS), copied("heads", HEADS)),
    ),
    Wrong("the first entry copied", (NEW,), (copied("entries", ROWS, "seq = 0"),), allowed=True),
    Wrong("a later entry copied", (NEW,), (copied("entries", ROWS, "seq = 5"),)),
    Wrong(
        "entries copied, counted from 0",
        (NEW,),
        (copied("entries", ROWS.replace("seq,", "seq - 5,").replace("start,", "0,"), "seq = 5"),),
        allowed=True,
    ),
    Wrong("an entry moved to another table", (TABLE, OTHER), (
        f"DELETE FROM entries WHERE table_id = '{OTHER}' AND seq = 5",
        renamed("entries", OTHER, "seq = 5"),
    )),
    Wrong("seq shifted", (TABLE,), (
        f"UPDATE entries SET seq = seq + 100 WHERE table_id = '{TABLE}' AND seq > 6",
    )),
    Wrong("two entries exchanged", (TABLE,), tuple(
        f"UPDATE entries SET seq = {new}, start = {new} "
        f"WHERE table_id = '{TABLE}' AND seq = {old}"
        for old, new in ((6, 99), (5, 6), (99, 5))
    )),
    Wrong("requests renamed", (TABLE, NEW), ALL[1:2]),
    Wrong("requests gone", (TABLE,), (f"DELETE FROM commits WHERE table_id = '{TABLE}'",)),
    Wrong("a request renamed to another table", (TABLE, OTHER), (
        renamed("commits", OTHER, "request = 'table001-5'"),
    )),
    Wrong("a request's seat renamed", (TABLE,), (
        f"UPDATE commits SET seat = 'p2' WHERE table_id = '{TABLE}' AND request = 'table001-5'",
    )),
    Wrong("a request's id renamed", (TABLE,), (
        f"UPDATE commits SET request = 'x' WHERE table_id = '{TABLE}' AND request = 'table001-5'",
    )),
    Wrong("requests shifted", (TABLE,), (
        f"UPDATE commits SET start = start + 1, stop = stop + 1 WHERE table_id = '{TABLE}'",
    )),
    Wrong("a request copied under another id", (NEW,), (copied("commits", COMMITS),)),
    Wrong("heads renamed", (NEW,), ALL[2:]),
    Wrong("heads copied to no table", (NEW,), (copied("heads", HEADS),)),
    Wrong("a head of another table", (TABLE,), (
        f"DELETE FROM heads WHERE table_id = '{TABLE}'",
        "INSERT INTO heads " + FROM_OTHER.format(HEADS, "heads"),
    )),
    Wrong("heads shifted", (TABLE,), (
        f"UPDATE heads SET size = size + 1 WHERE table_id = '{TABLE}'",
    )),
)  # fmt: skip


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with two tables, each partly signed."""
    path = tmp_path_factory.mktemp("whole") / "table.db"

    async def work(service: Service) -> None:
        for table, value in ((TABLE, 1), (OTHER, 2)):
            await seated(service, table)
            for number in range(5, SIGNED):
                await service.submit(table, "narrator", mark(value), f"{table}-{number}")
            await service.checkpoint(table)
            await service.submit(table, "p1", noting("words"), f"{table}-note")
        await service.submit(TABLE, "narrator", mark(3), "later")

    served(path, work)
    return path


@pytest.fixture
def path(whole: Path, tmp_path: Path) -> Path:
    """A copy of it, with its secrets."""
    copy = tmp_path / "table.db"
    with closing(sqlite3.connect(whole)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)
    kept = copy.with_name(f"{copy.name}.secrets")
    for each in whole.with_name(f"{whole.name}.secrets").rglob("*"):
        to = kept / each.relative_to(whole.with_name(f"{whole.name}.secrets"))
        to.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if each.is_dir():
            to.mkdir(exist_ok=True, mode=0o700)
        else:
            to.write_bytes(each.read_bytes())
            to.chmod(0o600)
    return copy


def done(path: Path, wrong: Wrong) -> None:
    """Change the rows, past the triggers, or as they let it be."""
    if not wrong.allowed:
        past_triggers(path, *wrong.how)
        return
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in wrong.how:
            connection.execute(statement)


each_wrong = pytest.mark.parametrize("wrong", CASES, ids=lambda wrong: wrong.name)


async def refused(service: Service, wrong: Wrong) -> None:
    """The service refuses what is damaged, lists it apart, and serves the rest."""
    known = await service.tables()
    for table in wrong.damaged:
        with pytest.raises(Damaged) as damaged:
            await service.state(table)
        assert damaged.value.seq is not None or table in f"{damaged.value}"
        with pytest.raises(Damaged):
            await service.submit(table, "narrator", mark(), "again")
        with pytest.raises(Damaged):
            await service.open_table("narrator", OpenTable(table, "milhamah"))
    assert NEW not in known
    assert set(await service.damaged()) == set(wrong.damaged) - set(known)
    assert set(known) <= {TABLE, OTHER}
    for table in set(known) - set(wrong.damaged):
        assert (await service.state(table)).size == SIGNED + 2 + (table == TABLE)


def listed(path: Path, wrong: Wrong) -> None:
    """The list of tables names what is damaged or gone, each in its own line."""
    found = urim("tables", str(path))
    assert found.exit_code == 2
    lines = [line.split(": ")[1] for line in found.stderr.splitlines()]
    good = {
        each["table"]
        for each in objects(urim("tables", str(path), "--json").stdout)
        if each["type"] == "table"
    }
    assert good <= {TABLE, OTHER} - set(wrong.damaged)
    gone = {TABLE, OTHER} - set(wrong.damaged) - good
    said = [f"the log of table {table!r} went back" for table in gone]
    assert sorted(lines) == sorted([*said, *(f"table {table}" for table in wrong.damaged)])


READING = (
    ("show",),
    ("export", "--format", "jsonl"),
    ("export", "--format", "bundle"),
    ("fairness",),
)
"""Commands that read a table, and their options."""


def not_shown(path: Path, table: str, words: tuple[str, ...]) -> None:
    """A command refuses a table in a sentence, and prints nothing of it."""
    shown = urim(words[0], str(path), table, *words[1:])
    assert (shown.exit_code, shown.stdout) == (2, ""), shown.output
    assert isinstance(shown.exception, SystemExit)
    assert shown.stderr.startswith("urim: ")


@pytest.mark.sampled(4)
@pytest.mark.parametrize("wrong", CASES, ids=lambda wrong: wrong.name)
def test_what_was_renamed_or_copied_is_damage_everywhere(path: Path, wrong: Wrong) -> None:
    done(path, wrong)
    listed(path, wrong)
    # Each command with some of them: they read alike.
    words = READING[CASES.index(wrong) % len(READING)]
    for table in wrong.damaged:
        not_shown(path, table, words)
        with pytest.raises(Damaged):
            Table.open(path, table)
    served(path, lambda service: refused(service, wrong))


@pytest.mark.parametrize("words", READING, ids=" ".join)
def test_every_reading_command_refuses_a_renamed_table(path: Path, words: tuple[str, ...]) -> None:
    done(path, CASES[1])
    not_shown(path, NEW, words)


FROM_FAIR = (
    copied("entries", ROWS, "seq = 5", OTHER),
    copied("commits", COMMITS, "start = 5", OTHER),
)


@pytest.mark.parametrize(
    "how",
    [
        FROM_FAIR,
        (f"UPDATE commits SET mac = zeroblob(32) WHERE table_id = '{OTHER}' AND start = 4",),
    ],
    ids=["a commit of another table", "another mac"],
)
def test_a_request_is_this_tables_own_by_its_secret(tmp_path: Path, how: tuple[str, ...]) -> None:
    """Only the service knows the secret: the commands that only read find no fault."""
    path = tmp_path / "table.db"

    async def fair(service: Service) -> None:
        for table in (TABLE, OTHER):
            await service.open_table("narrator", OpenTable(table, "milhamah"))
            for number in range(1, 5):
                request = f"request-{number}"
                await service.submit(table, "narrator", TakeSeat(f"p{number}"), request)
        await service.submit(TABLE, "narrator", TakeSeat("p5"), "request-5")

    served(path, fair)
    past_triggers(path, "DELETE FROM heads", *how)
    for head in path.with_name("table.db.secrets").glob("heads/*"):
        head.unlink()

    async def work(service: Service) -> None:
        assert (await service.state(TABLE)).size == 6
        with pytest.raises(Damaged, match="was not answered by this table"):
            await service.state(OTHER)

    served(path, work)


def test_what_is_unchanged_is_listed_and_shown(path: Path) -> None:
    assert urim("tables", str(path)).exit_code == 0
    assert urim("show", str(path), TABLE).exit_code == 0

    async def work(service: Service) -> None:
        assert await service.tables() == (TABLE, OTHER)
        assert await service.damaged() == {}
        with pytest.raises(Refused, match="no table"):
            await service.state(NEW)

    served(path, work)


def test_a_completed_id_is_a_tables(path: Path) -> None:
    done(path, CASES[5])
    refused = urim("show", str(path), "nowhere1")
    assert refused.exit_code == 2
    assert NEW not in refused.stderr
    assert TABLE in refused.stderr


@pytest.mark.parametrize("wrong", [CASES[0], CASES[-1]], ids=lambda wrong: wrong.name)
def test_the_list_of_a_server_names_it(path: Path, wrong: Wrong) -> None:
    done(path, wrong)
    with Served(path.parent) as served_here:
        host = bearer(served_here.host_token)
        found = httpx.get(f"{served_here.url}/tables", headers=host, timeout=60)
        ready = httpx.get(f"{served_here.url}/ready", timeout=60)
    assert ready.status_code == 200
    body = found.json()
    assert NEW not in body["tables"]
    assert OTHER in body["tables"]
    named = {each["table"]: each for each in body.get("damaged", ())}
    assert set(named) == set(wrong.damaged) - {*body["tables"]}
    assert all(each["why"] and each["seq"] == 0 for each in named.values())


def test_requests_tell_of_entries_that_are_missing_at_the_end(path: Path) -> None:
    """Where the signed heads are gone too, with the file that has the last one."""
    past_triggers(
        path, "DELETE FROM heads", f"DELETE FROM entries WHERE {OF_FIRST} AND seq >= {SIGNED}"
    )
    (path.with_name(f"{path.name}.secrets") / "heads" / TABLE).unlink()
    not_shown(path, TABLE, ("show",))

    async def work(service: Service) -> None:
        with pytest.raises(Damaged, match=f"entry {SIGNED}: request 'later' was answered up"):
            await service.state(TABLE)

    served(path, work)
