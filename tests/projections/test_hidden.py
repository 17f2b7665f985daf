"""A hidden roll costs and gains nothing before its reveal; what was spent twice is named then."""

from typing import Any

import pytest
from msgspec.structs import replace

from tests.engine.helpers.corrected import naive_health, product_health
from urim.engine.core import commands as c
from urim.engine.core.aggregate import Aggregate, environment
from urim.engine.core.limits import NARRATOR
from urim.engine.core.offers import sheets
from urim.engine.table import CharacterHandle, RollHandle, Table
from urim.events.base import Visibility
from urim.projections.corrections.stale import all_stale
from urim.projections.history import history
from urim.projections.tables import TableState
from urim.rules import ruleset_named
from urim.rules.ruleset import Ruleset, Track

HIDDEN: tuple[Visibility, ...] = ("gm", "blind", "self")


def brawl(*, tiredness: int = 0) -> tuple[Table, CharacterHandle]:
    """Cogan, who may push."""
    table = Table("age_of_magic", dice="scripted")
    scores = {"Brawling": 7, "ST": 3}
    return table, table.character("Cogan", attributes=scores, tracks={"tiredness": tiredness})


def pushed(table: Table, cogan: CharacterHandle, visibility: Visibility = "public") -> RollHandle:
    """A roll for which Cogan gets a level more tired."""
    return table.declare(
        cogan,
        visibility=visibility,
        skill="Brawling",
        characteristic="ST",
        difficulty=7,
        push=True,
    )


def tired(table: TableState, cogan: CharacterHandle) -> int:
    """How tired he is, for everybody."""
    return table.tracks[cogan.id].get("tiredness", 0)


@pytest.mark.parametrize("visibility", HIDDEN)
def test_a_hidden_push_shows_nowhere_before_the_reveal(visibility: Visibility) -> None:
    table, cogan = brawl()
    secret = pushed(table, cogan, visibility)
    assert tired(table.state, cogan) == 0
    shown = pushed(table, cogan)
    assert shown.state.roll.declaration.tired == 1
    seat = cogan.seat if visibility == "self" else NARRATOR
    table.submit(seat, c.Reveal(secret.number))
    assert tired(table.state, cogan) == 2
    assert product_health(table.state) == naive_health(table.state, table.aggregate.records)


def test_within_the_hidden_roll_it_is_spent() -> None:
    table, cogan = brawl()
    secret = pushed(table, cogan, "gm").state
    assert sheets(table.state, secret)(cogan.id).tracks["tiredness"] == 1
    assert sheets(table.state)(cogan.id).tracks.get("tiredness", 0) == 0


def test_a_hidden_roll_that_is_voided_costs_nothing_at_its_reveal() -> None:
    table, cogan = brawl()
    secret = pushed(table, cogan, "gm")
    secret.void("It never was.")
    table.submit(NARRATOR, c.Reveal(secret.number))
    assert tired(table.state, cogan) == 0


def test_a_revealed_roll_that_is_voided_gives_back_what_it_cost() -> None:
    table, cogan = brawl()
    secret = pushed(table, cogan, "gm")
    table.submit(NARRATOR, c.Reveal(secret.number))
    secret.void("It never was.")
    assert tired(table.state, cogan) == 0


def test_what_a_narrator_sets_meanwhile_holds_until_the_reveal() -> None:
    table, cogan = brawl()
    secret = pushed(table, cogan, "gm")
    table.submit(NARRATOR, c.SetTrack(cogan.id, "tiredness", 4))
    table.submit(NARRATOR, c.Reveal(secret.number))
    assert tired(table.state, cogan) == 5
    assert product_health(table.state) == naive_health(table.state, table.aggregate.records)


def test_a_point_spent_twice_is_named_at_the_reveal() -> None:
    table = Table("milhamah", dice="scripted")
    etgar = table.character("Etgar", attributes={"BLE": 3}, tracks={"xr": 2})
    wish: dict[str, Any] = {"attribute": "BLE", "target": 1}
    secret = table.declare(etgar, visibility="self", **wish)
    shown = table.declare(etgar, **wish)
    for roll in (secret, shown):
        assert roll.state.roll.declaration.xr == 2
    assert all_stale(table.state) == ()
    table.submit(etgar.seat, c.Reveal(secret.number))
    [found] = all_stale(table.state)
    assert (found.roll, found.character, found.what) == (secret.number, etgar.id, "xr")
    assert (found.had, found.now, found.sources, found.twice) == (2, 0, (shown.number,), True)
    lines = {line.seq: line.text for line in history(table.state, table.aggregate.records)}
    assert lines[found.seq].endswith(
        "[spent twice: 2 xr spent, 0 there now; roll 2 spent it too, before this was revealed]"
    )


def test_who_spent_before_or_after_it_was_hidden_is_not_named() -> None:
    table = Table("milhamah", dice="scripted")
    etgar = table.character("Etgar", attributes={"BLE": 3}, tracks={"xr": 2})
    other = table.character("Other", attributes={"BLE": 3}, tracks={"xr": 2})
    wish: dict[str, Any] = {"attribute": "BLE", "target": 1}
    table.declare(etgar, **wish)  # before
    table.submit(NARRATOR, c.SetTrack(etgar.id, "xr", 2))
    secret = table.declare(etgar, visibility="self", **wish)
    shown = table.declare(etgar, **wish)
    table.declare(other, **wish)  # of his own
    table.submit(etgar.seat, c.Reveal(secret.number))
    table.submit(NARRATOR, c.SetTrack(etgar.id, "xr", 2))
    table.declare(etgar, **wish)  # after
    [found] = all_stale(table.state)
    assert (found.roll, found.had, found.sources) == (secret.number, 2, (shown.number,))


def test_who_gained_of_it_meanwhile_is_not_named() -> None:
    table = Table("milhamah", dice="scripted")
    etgar = table.character("Etgar", attributes={"BLE": 2}, tracks={"merit": 1})

    def rethrown(visibility: Visibility) -> RollHandle:
        roll = table.declare(etgar, visibility=visibility, attribute="BLE")
        roll.roll(faces=tuple("בגדהוזחט"))
        roll.reroll("d1", "d2", "d3", faces=tuple("אשר"))
        return roll

    secret, shown = rethrown("self"), rethrown("public")
    gaining = table.declare(etgar, attribute="BLE", target="heroic")
    gaining.roll(faces=tuple("אשרגדהוז"))
    gaining.stand()
    gaining.choose("natural", "merit")
    gaining.resolve()
    assert table.state.tracks[etgar.id]["merit"] == 1
    table.submit(NARRATOR, c.SetTrack(etgar.id, "merit", 0))
    table.submit(etgar.seat, c.Reveal(secret.number))
    [found] = all_stale(table.state)
    assert (found.roll, found.what, found.sources) == (secret.number, "merit", (shown.number,))


@pytest.mark.parametrize(("least", "there"), [(0, 0), (-1, 1), (-2, None)])
def test_what_is_there_is_what_is_above_the_least(least: int, there: int | None) -> None:
    """The rules of the tables below, but for how low a track may be."""
    table = Table("milhamah", dice="scripted")
    etgar = table.character("Etgar", attributes={"BLE": 3}, tracks={"xr": 2})
    wish: dict[str, Any] = {"attribute": "BLE", "target": 1}
    secret = table.declare(etgar, visibility="self", **wish)
    table.declare(etgar, **wish)
    table.submit(etgar.seat, c.Reveal(secret.number))

    def deeper(system: str) -> Ruleset:
        rules = ruleset_named(system)
        return replace(rules, tracks=lambda options: {**rules.tracks(options), "xr": Track(least)})

    aggregate = Aggregate(replace(environment("scripted"), rulesets=deeper))
    aggregate.load(table.entries)
    found = [(each.had, each.now) for each in all_stale(aggregate.opened)]
    assert found == ([] if there is None else [(2, there)])


def test_what_was_there_for_both_is_not_named() -> None:
    table = Table("milhamah", dice="scripted")
    etgar = table.character("Etgar", attributes={"BLE": 3}, tracks={"xr": 2})
    wish: dict[str, Any] = {"attribute": "BLE", "target": 1}
    secret = table.declare(etgar, visibility="self", **wish)
    table.submit(NARRATOR, c.SetTrack(etgar.id, "xr", 3))
    table.submit(etgar.seat, c.Reveal(secret.number))
    assert all_stale(table.state) == ()
