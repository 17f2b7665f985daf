"""Several processes share a database: of those who race one wins, and nobody waits for another."""

import asyncio
from collections import Counter
from collections.abc import Callable

import asyncpg
import pytest

from tests.events.postgres.child import TABLES
from tests.events.postgres.runs import WORDS, child, kept_in, on_log
from tests.events.postgres.server import Databases, run_now
from tests.events.sqlite.runs import chance, commits_of, signed
from urim.engine.testing.log.harness import MAC, OTHER, TABLE, commit
from urim.errors import Refused, Unavailable
from urim.events.log.postgres import PostgresLog, rows
from urim.events.log.postgres.place import Place
from urim.events.log.protocol import Answered, Appended, Conflict, Request


@pytest.mark.sampled(1)
@pytest.mark.prove
@pytest.mark.parametrize("racers", [2, 3])
def test_of_processes_that_race_for_a_place_one_wins(
    url: str, racers: int, count: int, tried: Callable[[str], None]
) -> None:
    turns = max(10, -(-2 * count // racers))
    started = [child("race", url, f"racer{n}", turns) for n in range(racers)]
    for process in started:
        assert process.stdout is not None
        assert process.stdout.readline() == b"R\n"
    for process in started:
        assert process.stdin is not None
        process.stdin.write(b"go\n")
        process.stdin.flush()
    output = [process.communicate()[0].decode().splitlines() for process in started]
    assert [process.returncode for process in started] == [0] * racers
    won = Counter(line.split()[4] for lines in output for line in lines if line[0] == "A")
    lost = Counter(line.split()[1] for lines in output for line in lines if line[0] == "C")
    assert won == Counter(str(place) for place in range(racers * turns)), "a place was won twice"
    assert lost, "nobody ever raced"
    kept = commits_of(kept_in(url)[TABLES[0]])
    assert Counter((who, turn) for who, turn, _, _ in kept) == Counter(
        (f"racer{n}", turn) for n in range(racers) for turn in range(turns)
    )
    tried(f"{racers * turns:,} places, {len(lost):,} of them raced for, {lost.total():,} conflicts")


@pytest.mark.prove
def test_a_caller_that_gives_up_loses_doubles_and_holds_up_nothing(
    url: str, count: int, seed: int, tried: Callable[[str], None]
) -> None:
    luck, callers = chance("callers", seed), max(60, 2 * count)
    given_up = Counter[str]()

    async def call(log: PostgresLog, caller: int) -> None:
        """One request, given up at some moment, then sent again until it is answered."""
        request, table = Request(f"ask-{caller}", "p1", MAC), TABLES[caller % 2]
        start, fails = len(await log.read(table)), luck.randint(0, 3)
        while True:
            entries = signed(start, 2, "caller", caller)
            task = asyncio.create_task(log.append(table, entries, start, request))
            if fails:
                fails -= 1
                await asyncio.sleep(luck.random() * 0.004)
                task.cancel()
                _, late = await asyncio.wait([task], timeout=10)
                assert not late, "it went on though it was given up"
                given_up["asked" if task.cancelled() else "done"] += 1
                if task.cancelled():
                    continue
            result = await task
            if not isinstance(result, Conflict):
                return
            start += len(result.missed)

    async def scenario(log: PostgresLog) -> None:
        others = PostgresLog.open(url)
        waiting = iter(range(callers))

        async def some(log: PostgresLog) -> None:
            for caller in waiting:
                await call(log, caller)

        other = await others
        await asyncio.gather(*(some(each) for each in [log, other] for _ in range(12)))
        await other.close()

    on_log(url, scenario, patience=600)
    kept = kept_in(url)
    found = Counter(turn for table in kept for _, turn, _, _ in commits_of(kept[table]))
    assert found == Counter(range(callers))
    assert given_up["asked"] > 0
    tried(f"{callers:,} callers, {given_up['asked']:,} times given up")


# Waking up


def test_what_a_dead_process_sent_is_shut_out_and_the_living_go_on(url: str) -> None:
    async def scenario(log: PostgresLog) -> None:
        dead = await asyncpg.connect(url, server_settings=WORDS)
        keep = rows.Keep(TABLE, commit(0), 0, None)
        known = await rows.fence(dead)
        assert await log.append(OTHER, commit(0), 0) == Appended(1)
        await log.settle()
        assert await rows.keep_all(dead, [keep], known) == (frozenset(), known + 1)
        assert await log.read(TABLE) == ()
        assert await log.append(OTHER, commit(1), 1) == Appended(2)
        assert await rows.keep_all(dead, [keep], known + 1) == (frozenset({TABLE}), known + 1)
        await dead.close()

    on_log(url, scenario)


def test_settling_waits_for_what_had_begun(url: str) -> None:
    async def scenario(log: PostgresLog) -> None:
        await log.append(TABLE, commit(0), 0)
        dying = await asyncpg.connect(url, server_settings=WORDS)
        begun = dying.transaction()
        await begun.start()
        keep = rows.Keep(TABLE, commit(1), 1, None)
        won, _ = await rows.keep_all(dying, [keep], await rows.fence(dying))
        assert won == {TABLE}
        settling = asyncio.create_task(log.settle())
        await asyncio.sleep(0.2)
        assert not settling.done()
        await begun.commit()
        await settling
        assert await log.read(TABLE) == commit(0, 2)
        await dying.close()

    on_log(url, scenario)


# Locks


def test_a_table_that_another_program_holds_for_too_long_is_unavailable(url: str) -> None:
    async def scenario(log: PostgresLog) -> None:
        await log.append(TABLE, commit(0), 0)
        other = await asyncpg.connect(url, server_settings=WORDS)
        held = other.transaction()
        await held.start()
        await other.execute("SELECT 1 FROM tables WHERE table_id = $1 FOR UPDATE", TABLE)
        with pytest.raises(Unavailable, match="statement timeout"):
            await log.append(TABLE, commit(1), 1)
        assert await log.read(TABLE) == commit(0)
        await held.rollback()
        await other.close()
        assert await log.append(TABLE, commit(1), 1) == Appended(2)

    on_log(url, scenario, busy=0.5)


def test_logs_that_write_many_tables_in_any_order_never_wait_for_one_another_in_a_circle(
    url: str,
) -> None:
    tables = [f"table{n:03}" for n in range(20)]

    async def scenario(log: PostgresLog) -> None:
        other = await PostgresLog.open(url)
        await asyncio.gather(*(log.append(table, commit(0), 0) for table in tables))
        # Both get no further than the middle: from there each would want what the other one has.
        third = await asyncpg.connect(url, server_settings=WORDS)
        held = third.transaction()
        await held.start()
        await third.execute("SELECT 1 FROM tables WHERE table_id = $1 FOR UPDATE", tables[10])
        up = [asyncio.ensure_future(log.append(table, commit(1), 1)) for table in tables]
        down = [asyncio.ensure_future(other.append(t, commit(1), 1)) for t in reversed(tables)]
        await asyncio.sleep(0.5)
        await held.commit()
        first, second = await asyncio.gather(*up), (await asyncio.gather(*down))[::-1]
        for pair in zip(first, second, strict=True):
            assert {Appended(2), Conflict(commit(1))} == {*pair}
        await third.close()
        await other.close()

    on_log(url, scenario)


def test_of_those_in_line_behind_a_commit_each_is_told_what_came_of_it(url: str) -> None:
    """Some have missed it, another comes next, and one is ahead of what there is."""

    async def scenario(log: PostgresLog) -> None:
        appends = [log.append(TABLE, commit(seq), seq) for seq in (0, 0, 1, 0, 5)]
        async with asyncio.timeout(20):
            found = await asyncio.gather(*appends, return_exceptions=True)
        assert [found[0], found[2]] == [Appended(1), Appended(2)]
        assert [type(each) for each in (found[1], *found[3:])] == [Conflict, Conflict, Refused]

    on_log(url, scenario)


def test_closing_keeps_what_was_begun(url: str) -> None:
    async def scenario(log: PostgresLog) -> None:
        tables = [f"table{n:03}" for n in range(30)]
        sizes = (0, 3)  # of a table one commit goes at a time: the second ones wait for the first
        appending = [
            asyncio.ensure_future(log.append(table, commit(size, 3), size))
            for size in sizes
            for table in tables
        ]
        await asyncio.sleep(0)
        await log.close()
        assert await asyncio.gather(*appending) == [Appended(3)] * 30 + [Appended(6)] * 30

    on_log(url, scenario)
    assert len(kept_in(url)) == 30


def test_many_may_make_the_same_log_at_once(databases: Databases) -> None:
    url = run_now(databases.new())

    async def scenario() -> None:
        logs = await asyncio.gather(*(PostgresLog.open(url) for _ in range(6)))
        results = await asyncio.gather(*(log.append(TABLE, commit(0), 0) for log in logs))
        assert results.count(Appended(1)) == 1
        assert results.count(Conflict(commit(0))) == 5
        await asyncio.gather(*(log.close() for log in logs))

    asyncio.run(scenario())


def test_the_same_request_from_two_logs_is_kept_once(url: str) -> None:
    async def scenario(log: PostgresLog) -> None:
        other = await PostgresLog.open_at(Place(url))
        ask = Request("ask-1", "p1", MAC)
        results = await asyncio.gather(
            *(each.append(TABLE, commit(0, 2), 0, ask) for each in [log, other] * 8)
        )
        assert results.count(Appended(2)) == 1
        assert results.count(Answered(MAC, commit(0, 2))) == 15
        await other.close()

    on_log(url, scenario)
