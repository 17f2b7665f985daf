"""What a system's record may say: a reroll of all or none, tracks that are set, or below 0."""

import ast
import re
from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from tests import tree
from tests.engine.helpers import pips
from tests.engine.helpers.audited import judged, loud
from tests.engine.helpers.pips import PIPS
from tests.engine.helpers.stage import code_of
from urim.engine.core import commands as c
from urim.engine.core.limits import NARRATOR
from urim.engine.core.offers import describe
from urim.engine.render.table import table_objects
from urim.engine.table import RollHandle
from urim.engine.testing.kit import Who, check
from urim.engine.testing.plugin.tables import FixtureTable
from urim.errors import Refused
from urim.events.base import Effect
from urim.projections.history import history
from urim.projections.phrases import effects_text
from urim.projections.tracks import applied
from urim.rules.ruleset import Offer, Outcome, Roll, Ruleset, Sheets, Track


def tracks(options: pips.Options) -> dict[str, Track]:
    """The tracks of Pips, and a momentum that may be below 0."""
    return {**pips.tracks(options), "momentum": Track(least=-6, most=10, start=2)}


def outcome(roll: Roll) -> Outcome:
    """The outcome of Pips; who fails has its momentum set to -2, who wins loses 1 of it."""
    found = pips.outcome(roll)
    who = roll.character
    lost = Effect(who, "momentum", -1) if found.margin >= 0 else Effect(who, "momentum", 0, -2)
    return replace(found, effects=(*found.effects, lost))


def offers(roll: Roll, sheet: Sheets) -> tuple[Offer, ...]:
    """The offers of Pips, but every die that is not frozen is rerolled, or none."""
    return tuple(
        replace(offer, least=len(offer.dice), most=len(offer.dice), extra=0, extra_cost=("", 0))
        if offer.trigger == "reroll"
        else offer
        for offer in pips.offers(roll, sheet)
    )


MOMENTUM = replace(PIPS, name="momentum", tracks=tracks, outcome=outcome, offers=offers)


def table_of(rules: Ruleset = MOMENTUM) -> FixtureTable:
    """A table with Ann, c1, who has no breath, and Bert, c2."""
    table = FixtureTable(rules)
    table.character("Ann", tracks={"breath": 0})
    table.character("Bert", tracks={"momentum": -3})
    return table


def thrown(table: FixtureTable, *faces: int, **declared: Any) -> RollHandle:
    """A roll of Ann's, thrown."""
    table.submit("p1", c.Declare("c1", {"dice": len(faces), **declared}))
    roll = RollHandle(table, len(table.state.rolls))
    roll.roll(option=len(faces), faces=faces)
    return roll


# --- all dice or none -----------------------------------------------------------------------------


def test_fewer_dice_than_the_least_are_refused_by_number() -> None:
    roll = thrown(table_of(), 2, 3, 4)
    with pytest.raises(Refused) as refused:
        roll.reroll("d1", "d2", faces=(5, 5))
    assert (refused.value.code, refused.value.allowed) == ("out-of-range", ("3 to 3",))
    assert "2 dice to reroll" in refused.value.why
    roll.reroll("d1", "d2", "d3", faces=(5, 5, 1))
    assert [die.face for die in roll.state.roll.hands[0].dice] == [5, 5, 1]


def test_an_offer_says_the_least_where_it_is_more_than_one_die() -> None:
    offered = [each for each in thrown(table_of(), 2, 3, 4).offers if each.trigger == "reroll"]
    assert [describe(each) for each in offered] == ["reroll main d1 d2 d3 (at least 3, at most 3)"]
    assert describe(replace(offered[0], least=1)) == "reroll main d1 d2 d3 (at most 3)"


def test_the_kit_plays_a_reroll_of_all_dice() -> None:
    report = check(
        MOMENTUM,
        characters=[Who({"skill": 3}), Who({"skill": 1}, {"breath": 3, "momentum": -6})],
        declarations=[
            {"dice": 3},
            {"dice": 5, "target": 20, "helper": "c2", "rounds": 2},
            {"target": 8, "victim": "c2", "helper": "c1"},
        ],
        reactions=[{"dice": 2}],
        followers={"again": [{}]},
        count=10,
        patience=20,
    )
    assert "reroll" in {trigger for _, trigger in report.taken}


# --- tracks that are set --------------------------------------------------------------------------


def test_a_track_is_set_whatever_it_was_and_kept_within_its_ends() -> None:
    state = table_of().state
    for to, now in ((2, 2), (-4, -4), (99, 10), (-99, -6), (0, 0)):
        after = applied(state.game, state.tracks, [Effect("c2", "momentum", 0, to)])
        assert after["c2"]["momentum"] == now
    both = [Effect("c2", "momentum", 0, 5), Effect("c2", "momentum", -1)]
    assert applied(state.game, state.tracks, both)["c2"]["momentum"] == 4


def test_an_outcome_that_sets_a_track_is_announced_so_everywhere() -> None:
    table = table_of()
    roll = thrown(table, 1, 1)
    roll.resolve()
    assert table.state.tracks["c1"]["momentum"] == -2
    payload = table.entries[-1].payload
    assert payload is not None
    assert b'"effects":[["c1","momentum",0,-2]]' in payload
    texts = [line.text for line in history(table.state, table.aggregate.records)]
    assert "momentum set to -2" in texts[-1]
    [shown] = [each for each in table_objects(table.aggregate, 1) if each["type"] == "roll"]
    assert [*shown["outcome"]["effects"]] == [
        {"character": "c1", "track": "momentum", "delta": 0, "to": -2}
    ]


def test_an_ordinary_effect_is_written_as_it_always_was() -> None:
    table = table_of()
    roll = thrown(table, 6, 6)
    roll.choose("luck", "none")
    roll.resolve()
    payload = table.entries[-1].payload
    assert payload is not None
    assert b'"effects":[["c1","breath",1],["c1","momentum",-1]]' in payload
    [shown] = [each for each in table_objects(table.aggregate, 1) if each["type"] == "roll"]
    assert [set(each) for each in shown["outcome"]["effects"]] == [
        {"character", "track", "delta"}
    ] * 2
    assert effects_text(table.state, (Effect("c1", "breath", 1),)).endswith("breath +1)")


def test_what_was_set_is_recomputed_when_a_roll_before_it_is_voided() -> None:
    table = table_of()
    first = thrown(table, 6, 6)
    first.choose("luck", "none")
    first.resolve()
    assert table.state.tracks["c1"]["momentum"] == 1
    second = thrown(table, 1, 1)
    second.resolve()
    third = thrown(table, 6, 6)
    third.choose("luck", "none")
    third.resolve()
    assert table.state.tracks["c1"]["momentum"] == -3
    first.void("wrong")
    assert table.state.tracks["c1"]["momentum"] == -3
    second.void("wrong")
    assert table.state.tracks["c1"]["momentum"] == 1
    assert not loud(judged(table.entries, rulesets=lambda name: MOMENTUM))


# --- tracks below 0 -------------------------------------------------------------------------------


def test_a_track_enters_below_0_where_it_may_be() -> None:
    table = table_of()
    assert dict(table.state.tracks["c1"]) == {"momentum": 2}
    assert table.state.tracks["c2"]["momentum"] == -3
    table.submit(NARRATOR, c.EnterCharacter("c3", NARRATOR, {}, {"momentum": -6}))
    assert table.state.sheet("c3").tracks["momentum"] == -6
    table.submit(NARRATOR, c.SetTrack("c3", "momentum", -5))
    assert table.state.sheet("c3").tracks["momentum"] == -5
    assert not loud(judged(table.entries, rulesets=lambda name: MOMENTUM))


def test_a_track_that_starts_at_0_above_its_least_is_not_at_its_least() -> None:
    zero = replace(MOMENTUM, tracks=lambda options: {"momentum": Track(least=-6, most=10)})
    table = FixtureTable(zero)
    table.character("Ann")
    assert not table.state.tracks["c1"]
    state = table.state
    after = applied(state.game, state.tracks, [Effect("c1", "momentum", -1)])
    assert after["c1"]["momentum"] == -1


@pytest.mark.parametrize("value", [-7, 11])
def test_a_track_beyond_its_ends_is_refused_by_its_bounds(value: int) -> None:
    table = table_of()
    for command in (
        c.EnterCharacter("c3", NARRATOR, {}, {"momentum": value}),
        c.SetTrack("c2", "momentum", value),
    ):
        with pytest.raises(Refused) as refused:
            table.submit(NARRATOR, command)
        assert (refused.value.code, refused.value.allowed) == ("out-of-range", ("-6 to 10",))
    assert code_of(table.submit, NARRATOR, c.SetTrack("c2", "hurt", -1)) == "out-of-range"


# --- what figures are called ----------------------------------------------------------------------


def figures_read(source: str) -> Iterator[str]:
    """The names by which a module reads figures of an outcome or of damage."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Subscript(value=read, slice=ast.Constant(value=str(name))):
                pass
            case ast.Call(
                func=ast.Attribute(value=read, attr="get"), args=[ast.Constant(value=str(name)), *_]
            ):
                pass
            case _:
                continue
        if re.search(r"figures\b", ast.unparse(read)):
            yield name


def test_projections_read_figures_only_by_names_that_the_record_promises() -> None:
    promised = set(re.findall(r"`(\w+)`, the place", Outcome.__doc__ or ""))
    assert promised == {"location"}
    for folder in ("projections", "engine/render", "engine/web"):
        for path in (tree.ROOT / folder).rglob("*.py"):
            assert set(figures_read(path.read_text(encoding="utf-8"))) <= promised, path


def test_a_figure_read_by_name_is_found() -> None:
    source = 'x = blow.figures["place"], damage["figures"].get("depth", 0), other["letter"]'
    assert set(figures_read(source)) == {"place", "depth"}
