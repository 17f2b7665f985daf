"""What a seat has written in the last hour, to the minute."""

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from tests.engine.helpers.stage import fight, hit
from urim.engine.service import usage
from urim.engine.service.usage import HOUR, MINUTE, ROW, SEALED, Hour
from urim.events.entry import HIDDEN


@given(
    st.lists(st.tuples(st.floats(0, 900), st.integers(0, 9)), max_size=40),
    st.floats(0, 2 * HOUR),
    st.integers(1, 40),
)
def test_the_last_hour_counts_and_nothing_older_than_a_minute_more(
    written: list[tuple[float, int]], later: float, most: int
) -> None:
    hour, now = Hour(), 0.0
    at: list[tuple[float, int]] = []
    for pause, texts in written:
        now += pause
        hour.add(now, 0, texts)
        assert len(hour.minutes) <= HOUR / MINUTE + 1
        at.append((now, texts))
    now += later
    spent = hour.spent("texts", most, "texts", now)
    least = sum(texts for when, texts in at if now - when < HOUR)
    utmost = sum(texts for when, texts in at if now - when <= HOUR + MINUTE)
    if spent is None:
        assert least < most
        return
    assert least <= spent.used <= utmost
    assert spent.used >= most
    assert spent.seconds is not None
    assert hour.spent("texts", most, "texts", now + spent.seconds - 1.001) is not None
    assert hour.spent("texts", most, "texts", now + spent.seconds) is None


@pytest.mark.parametrize(
    ("when", "seconds"), [(0, 3_660), (59, 3_601), (60, 3_660), (150, 3_630), (185.5, 3_655)]
)
def test_what_was_written_counts_until_all_of_its_minute_is_an_hour_old(
    when: float, seconds: int
) -> None:
    hour = Hour()
    hour.add(when, 0, 1)
    spent = hour.spent("texts", 1, "texts", when)
    assert spent is not None
    assert spent.seconds == seconds


@pytest.mark.parametrize("later", [-2, 0, 10, HOUR - 20, HOUR - 5, HOUR, 2 * HOUR])
def test_what_a_snapshot_kept_goes_on_as_what_was_counted(
    later: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some or all of it is an hour old, or written by a clock that was ahead."""
    table, etgar, toad = fight()
    hit(table, etgar, toad)
    aggregate, last = table.aggregate, table.entries[-1].at / 1_000
    monkeypatch.setattr(usage, "time", lambda: last + later)
    monkeypatch.setattr(usage, "monotonic", lambda: 3.0 * HOUR)
    counted, again = usage.Usage(), usage.Usage()
    counted.count(aggregate, len(aggregate.entries), loaded=True)
    again.take_up(counted.held, aggregate)
    assert again.hours == counted.hours
    assert bool(counted.hours) == (later < HOUR)
    assert again.held == counted.held


@pytest.mark.parametrize(("size", "counted"), [(0, 1), (1, 1), (SEALED, 1), (SEALED + 1, 2)])
def test_what_is_hidden_counts_by_whole_parts(size: int, counted: int) -> None:
    table, *_ = fight()
    hidden = structs.replace(table.entries[0], kind=HIDDEN[0], payload=b"x" * size)
    aggregate: Any = SimpleNamespace(entries=[hidden], records=[None], opened=table.state)
    found = usage.Usage()
    found.count(aggregate, 1, loaded=False)
    assert [hour.log_bytes for hour in found.hours.values()] == [counted * SEALED + ROW]
