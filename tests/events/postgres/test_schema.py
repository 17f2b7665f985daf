"""The database keeps its own laws, and whatever broke them is found: schema, triggers, rows."""

# ruff: noqa: S608
# (the statements are the tests' own)

import asyncio
import re

import asyncpg
import pytest
from msgspec.structs import replace

from tests.events.postgres.runs import WORDS, by_others, kept_in, on_log
from tests.events.postgres.server import Databases, run_now
from urim.engine.testing.log.harness import ASK, OTHER, TABLE, commit, entry, erasing
from urim.errors import Damaged, Refused
from urim.events.log.head import Head
from urim.events.log.postgres import PostgresLog
from urim.events.log.postgres.place import Place
from urim.events.log.postgres.schema import SCHEMA, Law
from urim.events.log.protocol import Appended

TEXT = entry(1, kind="text", first=0)
BIT = "payload = set_byte(payload, 3, 35)"

FILLED = (entry(0), TEXT, entry(2, kind="text"), erasing(3, 1), erasing(4, 0))
"""An entry, a text that is to be erased, one that is not, and what erases the first two."""

SIZE = len(FILLED)


LATER = """WITH moved AS (UPDATE tables SET size = {size}, at = {at} RETURNING 1)
INSERT INTO entries SELECT table_id, {seq}, {at}, kind, digest, leaf, start, salt, payload
FROM entries WHERE seq = 4"""
"""What moves a table and adds an entry in one statement, as a log does."""

COPY = "INSERT INTO entries SELECT {} FROM entries WHERE seq = 4"

STOPPED = {
    f"DELETE FROM entries WHERE table_id = '{TABLE}' AND seq = 2": "never deleted",
    "TRUNCATE entries": "never deleted",
    "DELETE FROM entries": "never deleted",
    "DELETE FROM tables": "never deleted",
    "TRUNCATE tables": "never deleted",
    "DELETE FROM commits": "never deleted",
    "TRUNCATE commits": "never deleted",
    "DELETE FROM heads": "never deleted",
    "TRUNCATE heads": "never deleted",
    f"UPDATE entries SET {BIT} WHERE seq = 0": "changes only",
    "UPDATE entries SET at = at + 1 WHERE seq = 1": "changes only",
    "UPDATE entries SET seq = 7, salt = NULL, payload = NULL WHERE seq = 1": "changes only",
    "UPDATE entries SET salt = NULL, payload = NULL WHERE seq = 0": "changes only",
    "UPDATE entries SET salt = NULL, payload = NULL WHERE seq = 2": "beside the entry that erases",
    "UPDATE commits SET stop = 2": "never changes",
    "UPDATE heads SET note = ''": "never changes",
    "UPDATE tables SET size = 2": "counts its entries",
    "UPDATE tables SET size = 6": "counts its entries",
    "UPDATE tables SET at = at + 1": "counts its entries",
    f"UPDATE tables SET table_id = '{OTHER}'": "counts its entries",
    f"INSERT INTO tables VALUES ('{OTHER}', 1, 0)": "begins empty",
    COPY.format("table_id, 5, at, kind, digest, leaf, 5, salt, payload"): "counted by its table",
    LATER.format(seq=6, size=7, at=5_000): "follow the last",
    LATER.format(seq=5, size=6, at=3_999): "time never goes back",
    LATER.format(seq=5, size=7, at=4_000): "count",
    COPY.format(f"'{OTHER}', 0, at, kind, digest, leaf, 0, salt, payload"): "counted by its table",
    COPY.format("table_id, 4, at, kind, digest, leaf, 4, salt, payload"): "duplicate key",
    COPY.format("table_id, 5, at, 'other', digest, leaf, 5, salt, payload"): "kind",
    COPY.format("table_id, 5, at, kind, digest, leaf, 6, salt, payload"): "check constraint",
    COPY.format("table_id, 5, at, kind, '', leaf, 5, salt, payload"): "digest",
    COPY.format("table_id, 5, at, kind, digest, '', 5, salt, payload"): "leaf",
    COPY.format("table_id, 5, at, kind, digest, leaf, 5, NULL, payload"): "check constraint",
    "INSERT INTO commits SELECT table_id, 'p2', 'a', mac, 0, 2 FROM commits": "last entries",
    "INSERT INTO commits SELECT * FROM commits": "duplicate key",
    "INSERT INTO heads SELECT table_id, 6, root, note FROM heads": "entries that are there",
    "INSERT INTO heads SELECT table_id, 2, root, note FROM heads": "duplicate key",
}
"""What another program may try, and the words with which the database stops it."""


@pytest.mark.sampled(8)
@pytest.mark.parametrize("statement", STOPPED)
def test_the_database_stops_what_would_break_its_laws(url: str, statement: str) -> None:
    async def scenario(log: PostgresLog) -> None:
        await log.append(TABLE, FILLED, 0, ASK)
        await log.keep_head(TABLE, Head(2, bytes(32), b"note"))
        connection = await asyncpg.connect(url, server_settings=WORDS)
        with pytest.raises(asyncpg.PostgresError, match=STOPPED[statement]):
            await connection.execute(statement)
        await connection.close()
        assert await log.read(TABLE) == FILLED
        assert len(await log.heads(TABLE)) == len(await log.requests(TABLE)) == 1
        assert await log.append(TABLE, commit(SIZE), SIZE) == Appended(SIZE + 1)

    on_log(url, scenario)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("law", SCHEMA.laws)
def test_without_a_law_something_of_that_goes_through(own_url: str, law: str) -> None:
    on_log(own_url, lambda log: log.append(TABLE, FILLED, 0, ASK))
    on_log(own_url, lambda log: log.keep_head(TABLE, Head(2, bytes(32), b"note")))

    async def stopped(connection: "asyncpg.Connection[asyncpg.Record]", statement: str) -> bool:
        tried = connection.transaction()
        await tried.start()
        try:
            await connection.execute(statement)
        except asyncpg.PostgresError:
            return True
        else:
            return False
        finally:
            await tried.rollback()

    async def tried() -> set[bool]:
        connection = await asyncpg.connect(own_url, server_settings=WORDS)
        assert {await stopped(connection, each) for each in STOPPED} == {True}
        await connection.execute(f"DROP FUNCTION {law} CASCADE")
        found = {await stopped(connection, each) for each in STOPPED}
        await connection.close()
        return found

    assert run_now(tried()) == {True, False}


def test_another_program_may_go_on_as_a_log_does(url: str) -> None:
    on_log(url, lambda log: log.append(TABLE, FILLED, 0))
    by_others(url, LATER.format(seq=5, size=6, at=4_000))


HARMED: dict[str, tuple[str, int]] = {
    f"UPDATE entries SET {BIT} WHERE seq = 4": ("digest", 4),
    "UPDATE entries SET at = at + 1 WHERE seq = 2": (".", 2),
    "DELETE FROM entries WHERE seq = 1": ("no such entry", 1),
    "DELETE FROM entries WHERE seq = 4": ("not there", 4),
    "DELETE FROM entries": ("not there", 0),
    "DELETE FROM tables": ("counts 0 entries", 0),
    "UPDATE tables SET size = 2": ("counts 2 entries", 2),
    "UPDATE tables SET size = 6": ("not there", 5),
    "UPDATE entries SET salt = NULL, payload = NULL WHERE seq = 0": (".", 0),
}
"""What was done with the triggers off, the words of the damage, and its entry."""


@pytest.mark.sampled(4)
@pytest.mark.parametrize("statement", HARMED)
def test_what_was_forced_is_found_and_its_entry_named(own_url: str, statement: str) -> None:
    on_log(own_url, lambda log: log.append(TABLE, FILLED, 0, ASK))
    by_others(own_url, statement, forced=True)
    words, seq = HARMED[statement]

    async def scenario(log: PostgresLog) -> None:
        with pytest.raises(Damaged, match=words) as damage:
            await log.read(TABLE)
        assert damage.value.seq == seq
        with pytest.raises(Damaged):
            await log.check()

    on_log(own_url, scenario)


@pytest.mark.parametrize("stop", [8, 9])
def test_a_commit_that_cannot_be_is_found_and_its_entries_named(own_url: str, stop: int) -> None:
    on_log(own_url, lambda log: log.append(TABLE, FILLED, 0, ASK))
    by_others(own_url, f"UPDATE commits SET stop = {stop}", forced=True)
    with pytest.raises(Damaged, match=f"a commit of entries 0 to {stop - 1} cannot be") as damage:
        on_log(own_url, lambda log: log.check())
    assert damage.value.seq == 0


@pytest.mark.parametrize(
    "statement", ["UPDATE tables SET size = 6", "UPDATE tables SET at = at + 1000000"]
)
def test_a_commit_to_a_table_whose_count_was_forced_is_refused_not_tried_for_ever(
    own_url: str, statement: str
) -> None:
    on_log(own_url, lambda log: log.append(TABLE, FILLED, 0))
    by_others(own_url, statement, forced=True)

    async def scenario(log: PostgresLog) -> None:
        for size in (5, 6):
            with pytest.raises(Damaged):
                await log.append(TABLE, commit(size), size)
        # A law is broken by one; those that wait with it are kept.
        results = await asyncio.gather(
            log.append(TABLE, commit(6), 6),
            *(log.append(f"table{n:03}", commit(0), 0) for n in range(5)),
            return_exceptions=True,
        )
        assert isinstance(results[0], Damaged)
        assert results[1:] == [Appended(1)] * 5

    on_log(own_url, scenario)


def test_requests_or_heads_of_no_table_are_strays_and_not_whole(own_url: str) -> None:
    on_log(own_url, lambda log: log.append(TABLE, commit(0), 0))
    by_others(
        own_url,
        f"INSERT INTO heads VALUES ('{OTHER}', 1, decode(repeat('00', 32), 'hex'), '')",
        "INSERT INTO commits VALUES ('stray001', 'p1', 'a', decode(repeat('00', 32), 'hex'), 0, 1)",
        "INSERT INTO tables VALUES ('stray002', 1, 1)",
        forced=True,
    )

    async def scenario(log: PostgresLog) -> None:
        assert await log.tables() == (TABLE,)
        assert await log.strays() == (OTHER, "stray001", "stray002")
        assert await log.strays("stray001") == ("stray001",)
        assert await log.strays(TABLE) == ()
        with pytest.raises(Damaged, match="no entries"):
            await log.check()

    on_log(own_url, scenario)


def test_a_whole_log_passes_its_check_and_an_erased_text_is_no_damage(url: str) -> None:
    async def scenario(log: PostgresLog) -> None:
        await log.append(TABLE, FILLED, 0, ASK)
        await log.append(OTHER, commit(0, 600), 0)
        await log.erase(TABLE, 1)
        await log.check()

    on_log(url, scenario)
    assert {table: len(entries) for table, entries in kept_in(url).items()} == {
        TABLE: SIZE,
        OTHER: 600,
    }


# The schema


BROKEN = {
    "DROP TRIGGER entries_stay ON entries": "trigger entries_stay",
    "ALTER TABLE entries DISABLE TRIGGER entries_stay": "trigger entries_stay",
    "ALTER TABLE heads DISABLE TRIGGER ALL": "trigger heads_keep",
    "DROP INDEX commits_by_start": "index commits_by_start",
    "ALTER TABLE entries ALTER COLUMN kind DROP NOT NULL": "column entries.kind",
    "ALTER TABLE entries DROP CONSTRAINT entries_kind_check": "constraints entries",
    "ALTER TABLE heads DROP CONSTRAINT heads_pkey": "constraints heads",
    'ALTER TABLE tables ALTER table_id TYPE text COLLATE "default"': "column tables.table_id",
    "ALTER TABLE commits ADD COLUMN more text": "column commits.more",
    "CREATE TABLE more (word text)": "column more.word",
    """CREATE OR REPLACE FUNCTION entries_stay() RETURNS trigger LANGUAGE plpgsql
        AS 'BEGIN RETURN OLD; END'""": "function entries_stay",
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("statement", BROKEN)
def test_a_database_without_its_laws_is_damaged(own_url: str, statement: str) -> None:
    by_others(own_url, statement)
    for opening in (PostgresLog.open, PostgresLog.open_reading):
        with pytest.raises(Damaged, match=re.escape(BROKEN[statement])):
            run_now(opening(own_url))


def test_a_newer_schema_is_refused(own_url: str) -> None:
    by_others(own_url, "UPDATE meta SET number = 2")
    with pytest.raises(Refused, match="schema 2, newer than 1") as refusal:
        run_now(PostgresLog.open(own_url))
    assert refusal.value.allowed == ("a newer Urim",)


def test_a_schema_of_another_application_is_refused_and_left_as_it_is(databases: Databases) -> None:
    url = run_now(databases.new())
    by_others(url, "CREATE SCHEMA urim_log", "CREATE TABLE urim_log.theirs (word text)")
    with pytest.raises(Refused, match="of another application"):
        run_now(PostgresLog.open(url))
    by_others(url, "INSERT INTO urim_log.theirs VALUES ('still there')")


NEXT = replace(
    SCHEMA,
    number=2,
    tables={**SCHEMA.tables, "more": {"table_id": 'text COLLATE "C" NOT NULL PRIMARY KEY'}},
    steps={1: ('CREATE TABLE more (table_id text COLLATE "C" NOT NULL PRIMARY KEY)',)},
)
"""A schema that is not there yet, and the way to it."""


async def opened(url: str, schema: object) -> None:
    """Open a log of a schema, and close it."""
    assert isinstance(schema, type(SCHEMA))
    log = await PostgresLog.open_at(Place(url), schema=schema)
    await log.close()


def test_an_older_schema_is_upgraded_by_one_of_many(own_url: str) -> None:
    on_log(own_url, lambda log: log.append(TABLE, FILLED, 0))

    async def many() -> None:
        await asyncio.gather(*(opened(own_url, NEXT) for _ in range(5)))

    run_now(many())
    with pytest.raises(Refused, match="newer"):
        on_log(own_url, PostgresLog.tables)
    by_others(own_url, "INSERT INTO more VALUES ('a')")


def test_an_upgrade_that_fails_leaves_everything_as_it_was(own_url: str) -> None:
    wrong = replace(NEXT, steps={1: (*NEXT.steps[1], "CREATE TABLE more_still (word text)")})
    broken = replace(NEXT, steps={1: (*NEXT.steps[1], "SELECT 1 FROM nothing")})
    for schema in (wrong, broken):
        with pytest.raises(Damaged):
            run_now(opened(own_url, schema))
    on_log(own_url, lambda log: log.append(TABLE, FILLED, 0))


def test_a_schema_from_which_nothing_leads_here_is_refused(own_url: str) -> None:
    with pytest.raises(Refused, match="nothing leads to 3"):
        run_now(opened(own_url, replace(NEXT, number=3, steps={2: ()})))


def test_a_new_database_of_a_later_schema_is_what_an_upgraded_one_is(
    databases: Databases, own_url: str
) -> None:
    law = Law("BEFORE DELETE ON more FOR EACH STATEMENT", "SELECT 1", "more stays")
    later = replace(NEXT, laws={**SCHEMA.laws, "more_stay": law})
    url = run_now(databases.new())
    run_now(opened(url, later))
    with pytest.raises(asyncpg.PostgresError, match="more stays"):
        by_others(url, "DELETE FROM more")
    with pytest.raises(Damaged, match="more_stay"):
        run_now(opened(own_url, later))
