"""A what-if shows a seat nothing that it may not see: neither side of it, and no difference."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import pytest
from msgspec.json import encode

from tests.engine.helpers.stage import NATURAL, ROOT, fight
from tests.engine.helpers.tables.trials import TRIALS
from tests.pairs.compare import masked, onlookers
from tests.pairs.play import Pair
from urim.engine.core import commands as c
from urim.engine.core.aggregate import Aggregate
from urim.engine.core.refusal import Refusal, as_refusal
from urim.engine.table import Table
from urim.engine.testing.kit.luck import Luck
from urim.engine.testing.kit.readings import values_of
from urim.engine.whatif.alternatives import alternatives
from urim.engine.whatif.changes import (
    Amended,
    Change,
    Declared,
    Instead,
    Reading,
    Voided,
    Withdrawn,
)
from urim.engine.whatif.difference import what_if
from urim.engine.whatif.seen import Item, Sealed, items_of, lines_of, seen_by
from urim.errors import Refused
from urim.events.entry import Entry

STEPS = 50


def asked_about(pair: Pair, luck: Luck) -> Iterator[Change]:
    """Changes about what there is at both tables, and about what is hidden at both."""
    state, trial = pair.states[0], pair.trial
    reading = luck.one_of(list(trial.readings))
    yield Reading(reading.name, luck.one_of(values_of(reading)))
    for number in luck.some_of(range(1, state.next_roll + 1), 4):
        fields = luck.one_of(list(trial.amendments))
        deeds: tuple[Change, ...] = (
            Voided(number),
            Withdrawn(number),
            Declared(number, fields),
            Amended(number, fields),
        )
        yield luck.one_of(deeds)
    for seq in luck.some_of(range(state.size), 4):
        yield Instead(seq, luck.one_of(({"dice": ("d1",)}, {"reaction": None}, {"value": 1}, {})))


def answer(table: Aggregate, seat: str, change: Change) -> str:
    """What the seat is shown, or refused with."""
    return answered(items_of(table.entries), seat, change)


def answered(items: Sequence[Item], seat: str, change: Change) -> str:
    """The same of these commits."""
    try:
        return masked(encode(what_if(items, [change], seat=seat)).decode())
    except Refused as error:
        return masked(f"{error.code} {error} {error.allowed} {error.left_out}")


def played(system: str, seed: str) -> Pair:
    """Two tables that nobody but who sees what is hidden can tell apart."""
    pair = Pair(system, seed)
    for _ in range(STEPS):
        pair.step()
    return pair


def shown(pair: Pair, luck: Luck, seen: Counter[str]) -> Iterator[str]:
    """Where a what-if of one table is not that of the other, for a seat that sees neither."""
    for change in asked_about(pair, luck):
        for seat in onlookers(pair):
            one, other = (answer(table, seat, change) for table in pair.tables)
            seen["shown" if one.startswith("{") else "refused"] += 1
            if one != other:
                yield f"{seat}, {change}:\n  {one}\n  {other}"


@pytest.mark.sampled(2)
@pytest.mark.prove
@pytest.mark.parametrize("system", TRIALS)
def test_a_what_if_tells_no_two_tables_apart_that_a_seat_cannot(
    system: str, count: int, seed: int, tried: Callable[[str], None]
) -> None:
    """A pair of tables for every twenty-five that the count asks for."""
    seen = Counter[str]()
    for number in range(-(-count // 25)):
        pair = played(system, f"whatif-{seed}-{system}-{number}")
        found = [*shown(pair, Luck(f"{seed}-{number}"), seen)]
        assert not found, "\n".join([*found[:3], *pair.said])
        seen["pairs"] += 1
    tried(", ".join(f"{count:,} {what}" for what, count in seen.items()))


@pytest.mark.sampled(2)
@pytest.mark.prove
@pytest.mark.parametrize("system", TRIALS)
def test_a_seats_own_entries_give_the_same_what_if(
    system: str, count: int, seed: int, tried: Callable[[str], None]
) -> None:
    """What a server answers from what it shows a seat is what the whole log gives that seat.

    A table for every twenty-five that the count asks for.
    """
    seen = Counter[str]()
    for number in range(-(-count // 25)):
        pair = played(system, f"own-{seed}-{system}-{number}")
        table = pair.tables[0]
        for change in asked_about(pair, Luck(f"own-{seed}-{number}")):
            for seat in onlookers(pair):
                own = answered(items_of(table.view(seat)), seat, change)
                assert own == answered(items_of(table.entries), seat, change), (seat, change)
                seen["answers"] += 1
    tried(", ".join(f"{count:,} {what}" for what, count in seen.items()))


@pytest.mark.sampled(2)
@pytest.mark.prove
@pytest.mark.parametrize("system", TRIALS)
def test_alternatives_tell_no_two_tables_apart_that_a_seat_cannot(
    system: str, count: int, seed: int, tried: Callable[[str], None]
) -> None:
    """A pair of tables for every twenty-five that the count asks for."""
    seen = Counter[str]()
    for number in range(-(-count // 25)):
        pair = played(system, f"others-{seed}-{system}-{number}")
        for roll in range(1, pair.states[0].next_roll + 1):
            for seat in onlookers(pair):
                one, other = (others(table.entries, seat, roll) for table in pair.tables)
                assert one == other, "\n".join([one, other, *pair.said])
                assert one == others(pair.tables[0].view(seat), seat, roll)
                seen["shown" if one.startswith("[") else "refused"] += 1
    tried(", ".join(f"{count:,} {what}" for what, count in seen.items()))


def others(entries: Iterable[Entry], seat: str, roll: int) -> str:
    """What a seat is shown that could have been otherwise, or refused with."""
    try:
        found = alternatives(items_of(entries), roll, seat=seat)
    except Refused as error:
        return masked(f"{error.code} {error} {error.allowed} {error.left_out}")
    return masked(encode(found).decode())


# --- what a seat has is what the host gives it ----------------------------------------------------


def plain(item: Any) -> Any:
    """An item without the digests and salts that a seat's own copy has."""
    if isinstance(item, Sealed):
        return [(e.seq, e.at, e.kind) if isinstance(e, Entry) else e.event for e in lines_of(item)]
    return item.seat, item.command, item.text, item.events


@pytest.mark.prove
@pytest.mark.parametrize("system", TRIALS)
def test_the_commits_of_a_seat_are_those_of_its_view(system: str, count: int, seed: int) -> None:
    """A table for every twenty-five that the count asks for."""
    for number in range(-(-count // 25)):
        pair = played(system, f"view-{seed}-{system}-{number}")
        table = pair.tables[0]
        items = items_of(table.entries)
        for seat in (*table.opened.seats, "nobody"):
            own = items_of(table.view(seat))
            assert [*map(plain, seen_by(items, seat))] == [*map(plain, own)], seat


@pytest.mark.prove
@pytest.mark.parametrize("system", TRIALS)
def test_where_nothing_is_different_nothing_falls_away(system: str, count: int, seed: int) -> None:
    """Also where things are hidden from who asks: what they allowed is not refused to anybody."""
    for number in range(-(-count // 25)):
        pair = played(system, f"same-{seed}-{system}-{number}")
        table = pair.tables[0]
        opening: Any = items_of(table.entries)[0]
        assert isinstance(opening.command, c.OpenTable)
        same = Instead(0, {"ruleset": opening.command.ruleset})
        for seat in (None, *table.opened.seats, "nobody"):
            found = what_if(items_of(table.entries), [same], seat=seat)
            left = (found.rolls, found.fallen, found.missing, found.uncertain)
            assert left == ((), (), (), ()), (seat, found)
            assert all(each.before == each.after for each in found.tracks)


# --- who is refused is shown no more than at the table --------------------------------------------


def blind() -> tuple[Table, int]:
    """A table with a blind blow that is declared and nothing more, and its number."""
    table, etgar, toad = fight()
    blow: dict[str, Any] = {"root": ROOT, "rating": 5, "opponent": toad.id, "combat": True}
    return table, table.declare(etgar, visibility="blind", **blow).number


def test_what_falls_away_is_refused_as_its_seat_would_have_been() -> None:
    """Who threw a blind roll may not learn that it was withdrawn, nor from a refusal."""
    asked: list[tuple[str, c.AnyCommand]] = [
        ("p2", c.React(1, "c2", {"root": "חננ", "rating": 3})),
        ("p1", c.RollDice(1, "initiator", faces=NATURAL)),
    ]
    table, number = blind()
    for seat, command in asked:
        table.submit(seat, command)
    found = what_if(items_of(table.entries), [Withdrawn(number)])
    really, number = blind()
    really.submit("p1", c.Withdraw(number))
    refusals: list[Refusal] = []
    for seat, command in asked:
        with pytest.raises(Refused) as caught:
            really.submit(seat, command)
        refusals.append(as_refusal(caught.value))
    assert [each.code for each in refusals] == ["not-seen", "not-offered"]
    assert [each.refusal for each in found.fallen] == refusals
