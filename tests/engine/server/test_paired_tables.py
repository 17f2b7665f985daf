"""Tables of every system that differ in hidden rolls alone, over a server: nobody can tell."""

import asyncio
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.engine.helpers.stages.paired import differences, kept_out, made, seen_at
from tests.engine.helpers.tables.trials import TRIALS
from tests.pairs.play import Pair
from tests.pairs.test_pairs import whole_refusals
from urim.engine.core.aggregate import Aggregate, Prepared
from urim.engine.logs import logger
from urim.engine.server.metrics.counted import CountedService
from urim.engine.service.feed import Feed
from urim.engine.service.news import News, ended_in
from urim.engine.service.reading import Reading
from urim.events.entry import Entry

STEPS = 30


Plant = Callable[[pytest.MonkeyPatch], None]


def served(
    place: Path, system: str, seed: str, *, alike: bool, plant: Plant | None = None
) -> tuple[Pair, list[str]]:
    """A pair, and what could be told from what its server gives, with a fault planted in it."""
    pair, looks = made(system, seed, STEPS, alike=alike)

    places = (place / "one", place / "other")
    for each in places:
        each.mkdir(parents=True)

    async def both() -> list[str]:
        one = await seen_at(places[0], pair, 0, looks)
        other = await seen_at(places[1], pair, 1, looks)
        return [*differences(pair, (one, other), alike=alike)]

    with pytest.MonkeyPatch.context() as patch:
        if plant is not None:
            plant(patch)
        return pair, asyncio.run(both())


@pytest.mark.sampled(0, rest=2)
@pytest.mark.prove
@pytest.mark.parametrize("system", TRIALS)
def test_two_served_tables_are_the_same_to_all_who_may_not_see(
    system: str, tmp_path: Path, count: int, seed: int, tried: Callable[[str], None]
) -> None:
    """Serves a pair for every 25 that the count asks for, 40 at most."""
    pairs = max(1, min(40, count // 25))
    seen = Counter[str]()
    for number in range(pairs):
        alike = number % 2 == 0
        name = f"{seed}-{system}-{number}"
        pair, found = served(tmp_path / str(number), system, name, alike=alike)
        assert not found, "\n".join([*found[:3], *pair.said])
        seen["pairs"] += 1
        seen["in which the same is done"] += alike
        seen["rolls that differ"] += len(pair.differing)
        seen["onlookers"] += len(kept_out(pair))
    tried(", ".join(f"{count:,} {what}" for what, count in seen.items()))


# --- a server that shows one thing more is caught -------------------------------------------------


def one_bit_of_a_frame(patch: pytest.MonkeyPatch) -> None:
    """A line tells whether the length of what it withholds is odd."""
    line = Feed._line  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  to break it

    def odd(feed: Feed, seat: str, at: int, seq: int) -> bytes:
        bit = len(feed.aggregate.entries[seq].payload or b"") % 2
        return line(feed, seat, at, seq).replace(b'"class":', b'"odd":%d,"class":' % bit)

    patch.setattr(Feed, "_line", odd)


def lengths_in_the_log(patch: pytest.MonkeyPatch) -> None:
    """The log has how long what is asked for is."""
    prepare = Aggregate.prepare

    def noted(table: Aggregate, seat: str, body: bytes, *more: Any, **named: Any) -> Prepared:
        logger.info("asked", bytes=len(body))
        return prepare(table, seat, body, *more, **named)

    patch.setattr(Aggregate, "prepare", noted)


def lengths_in_figures(patch: pytest.MonkeyPatch) -> None:
    """A figure counts the bytes of all that was asked for."""
    submit = CountedService.submit_request

    async def counted(of: CountedService, table: str, seat: str, data: bytes) -> tuple[Entry, ...]:
        of.metrics.refused.labels("bytes").inc(len(data))
        return await submit(of, table, seat, data)

    patch.setattr(CountedService, "submit_request", counted)


def whole_news(patch: pytest.MonkeyPatch) -> None:
    """A hook is told what ended in the whole table, and not in the seat's view of it."""

    def all_of_it(known: Reading, after: int, **_: bool) -> News:
        table, seen = known.table, known.records[max(after, -1) + 1 : known.table.size]
        return News(table.size, table.at, table.name, (), tuple(ended_in(table, seen)))

    patch.setattr(Reading, "news", all_of_it)


PLANTED: dict[Plant, tuple[str, int]] = {
    one_bit_of_a_frame: ("frames", 11),
    whole_refusals: ("answers", 21),
    lengths_in_the_log: ("log", 11),
    lengths_in_figures: ("figures", 11),
    whole_news: ("calls", 21),
}
"""What a server shows too much: where that is seen, and the first of the pairs that may show it.

The pairs before show it later, or by what is refused for some seconds alone, which a slow machine
does not see.
"""

TRIES = 24


@pytest.mark.slow
@pytest.mark.parametrize("plant", PLANTED, ids=lambda plant: plant.__name__)
def test_a_server_that_shows_more_is_caught(plant: Plant, tmp_path: Path) -> None:
    def found(number: int) -> list[str]:
        place, name = tmp_path / str(number), f"planted-{number}"
        alike = plant is not whole_refusals  # which are about what was done
        return served(place, "milhamah", name, alike=alike, plant=plant)[1]

    where, first = PLANTED[plant]
    assert any(where in line for number in range(first, TRIES) for line in found(number))
