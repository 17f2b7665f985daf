"""A level is a throw's: the least that is named, the table's, or `table` where somebody watches."""

from typing import Any, NamedTuple

import pytest
from msgspec.structs import replace

from tests.engine.helpers.stage import ROOT, code_of, fight
from tests.engine.helpers.timed import BREAK, anchor, ask, open_shares, throw, timed
from urim.engine.core import commands as c
from urim.engine.core.declare import RISING_LEVELS
from urim.engine.core.limits import NARRATOR
from urim.engine.core.sight import sight
from urim.engine.table import Table
from urim.errors import Refused
from urim.events.base import Level
from urim.projections.levels import askable, awake, level_due, level_next, level_of

WISH: dict[str, Any] = {"root": ROOT, "rating": 4}


# --- what a declaration may name ------------------------------------------------------------------


@pytest.mark.parametrize("asked", RISING_LEVELS)
@pytest.mark.parametrize("level", RISING_LEVELS)
def test_a_level_may_be_raised_and_is_never_lowered(level: Level, asked: Level) -> None:
    table, *_ = fight("fair", level=level, one_machine=False)
    command = c.Declare("c1", WISH, level=asked)
    if RISING_LEVELS.index(asked) >= RISING_LEVELS.index(level):
        table.submit("p1", command)
        assert table.state.rolls[1].level == asked
        return
    with pytest.raises(Refused) as refused:
        table.submit("p1", command)
    assert (refused.value.code, not table.state.rolls) == ("out-of-range", True)
    assert refused.value.allowed == RISING_LEVELS[RISING_LEVELS.index(level) :]


def test_a_narrator_lowers_it_no_more_than_anybody() -> None:
    table, *_ = fight("fair", level="table")
    table.submit(NARRATOR, c.GiveCharacter("c2", NARRATOR))
    command = c.Declare("c2", WISH, level="player")
    assert code_of(table.submit, NARRATOR, command) == "out-of-range"


def test_where_one_machine_plays_every_seat_level_player_is_the_highest() -> None:
    table, *_ = fight("fair", level="server", one_machine=True)
    with pytest.raises(Refused) as refused:
        table.submit("p1", c.Declare("c1", WISH, level="table"))
    assert (refused.value.code, refused.value.allowed) == ("out-of-range", ("server", "player"))
    table.submit("p1", c.Declare("c1", WISH, level="player"))
    assert level_due(table.state, "p1", table.state.rolls[1]) == "player"


def test_no_table_of_one_machine_is_at_level_table() -> None:
    assert code_of(fight, "fair", level="table", one_machine=True) == "malformed"


def test_what_no_declaration_names_is_none() -> None:
    table, *_ = fight("fair", level="server")
    table.submit("p1", c.Declare("c1", WISH))
    assert table.state.rolls[1].level is None


# --- what is due, and what is made ----------------------------------------------------------------


class At(NamedTuple):
    """A table and a roll of Etgar's, before its first throw.

    `by` throws; seats in `anchored` have chains, those in `asleep` kept a share back.
    """

    due: Level
    made: Level
    level: Level = "player"
    named: Level | None = None
    by: str = "p1"
    visibility: str = "public"
    anchored: tuple[str, ...] = ("p1", "p2")
    asleep: tuple[str, ...] = ()
    one_machine: bool = False
    dice: str = "fair"


CASES = {
    "where others can be asked": At("table", "table"),
    "the table's": At("player", "player", anchored=("p1",)),
    "the table's, server": At("server", "server", level="server"),
    "the table's, table": At("table", "table", level="table"),
    "that which is named": At("table", "table", named="table"),
    "that which is named, and no higher one": At("player", "player", named="player", by=NARRATOR),
    "a narrator's throw": At("table", "table", by=NARRATOR),
    "a narrator's throw at level server": At("server", "server", level="server", by=NARRATOR),
    "a hidden throw at level server": At("server", "server", level="server", visibility="gm"),
    "a narrator's throw that nobody can watch": At("player", "player", by=NARRATOR, anchored=()),
    "a narrator's own chain watches nothing": At(
        "player", "player", by=NARRATOR, anchored=(NARRATOR,)
    ),
    "a hidden throw": At("table", "table", visibility="gm"),
    "a blind throw": At("table", "table", visibility="blind"),
    "a throw for oneself": At("table", "table", visibility="self"),
    "a hidden throw without other chains": At(
        "player", "player", visibility="gm", anchored=("p1",)
    ),
    "level table without other chains": At("table", "player", level="table", anchored=("p1",)),
    "level table without any chain": At("table", "player", level="table", anchored=()),
    "level table, named, without other chains": At("table", "player", named="table", anchored=()),
    "level table where the other kept back": At("table", "player", level="table", asleep=("p2",)),
    "level table where one of two kept back": At(
        "table", "table", level="table", anchored=("p1", "p2", "p3"), asleep=("p2",)
    ),
    "level table where everybody kept back": At(
        "table", "player", level="table", anchored=("p1", "p2", "p3"), asleep=("p2", "p3")
    ),
    "a hidden throw where the other kept back": At(
        "table", "player", visibility="gm", asleep=("p2",)
    ),
    "a narrator's throw at a table of one machine": At(
        "player", "player", by=NARRATOR, one_machine=True
    ),
    "a hidden throw at a table of one machine": At(
        "player", "player", visibility="gm", one_machine=True
    ),
    "a hidden throw of dice that are not fair": At(
        "player", "player", visibility="gm", dice="seeded:7"
    ),
    "a narrator's throw of dice that are not fair": At(
        "player", "player", by=NARRATOR, dice="manual"
    ),
}


EARLY: dict[str, Level] = {
    "where others can be asked": "player",
    "a narrator's throw at level server": "table",
    "a hidden throw at level server": "table",
}
"""What is due in logs of version 0.2, where it is another level: narrators' and hidden throws alone
asked others, at a table of level `server` too."""


def table_of(at: At) -> Table:
    """The table of a case: roll 1 is declared."""
    table, *_ = fight(at.dice, level=at.level, one_machine=at.one_machine)
    table.seat("p3")
    anchor(table, *at.anchored)
    if at.by == NARRATOR:
        table.submit(NARRATOR, c.GiveCharacter("c1", NARRATOR))
    wish = c.Declare("c1", WISH, at.visibility, at.named)  # type: ignore[arg-type]  # a visibility
    table.submit(at.by, wish)
    return table


@pytest.mark.parametrize("at", CASES.values(), ids=CASES)
def test_the_level_that_is_due_and_that_at_which_the_throw_is_made(at: At) -> None:
    table = table_of(at)
    state, roll = table.state, table.state.rolls[1]
    state = replace(state, kept_back=frozenset(at.asleep))
    assert (level_due(state, at.by, roll), level_next(state, at.by, roll)) == (at.due, at.made)


@pytest.mark.parametrize("name", CASES)
def test_logs_of_version_0_2_are_judged_as_they_were(name: str) -> None:
    at = CASES[name]
    table = table_of(at)
    state = replace(table.state, kept_back=frozenset(at.asleep), core=4)
    assert level_due(state, at.by, state.rolls[1]) == EARLY.get(name, at.due)


@pytest.mark.parametrize("at", [each for each in CASES.values() if not each.asleep])
def test_a_throw_is_made_at_that_level_and_its_entries_say_so(at: At) -> None:
    table = table_of(at)
    found = sight(table.state, at.by).rolls
    assert [each.next_level for each in found] == [at.made]
    if at.dice == "manual":
        table.submit(at.by, c.RollDice(1, "initiator", faces=tuple("אזאזאזאז")))
    else:
        for seat, command in table.place.turns(at.by, c.RollDice(1, "initiator"), [at.by]):
            table.submit(seat, command)
        if table.state.ask is not None:
            open_shares(table, *table.state.ask.waiting)
    expected = at.made if at.dice == "fair" else None
    assert level_of(table.state.rolls[1], 0) == expected


# --- it is a throw's ------------------------------------------------------------------------------


def test_a_level_is_of_each_throw_for_itself() -> None:
    table, time = timed("p1", "p2")
    ask(table, "p2")
    open_shares(table, "p1")
    time.now += BREAK
    table.submit("p1", c.BreakThrow(1))
    [(_, alone)] = table.place.turns("p1", c.RollDice(1, "initiator"), ())
    table.submit("p1", alone)
    table.submit("p2", c.worded(c.Note(0), "here again"))
    throw(table, "p2", dice=("d1",))
    roll = table.state.rolls[1]
    assert [level_of(roll, n) for n in range(4)] == [None, "player", "table", None]


def test_who_is_asleep_at_level_table_is_awake_once_it_did_something_that_everybody_sees() -> None:
    table, time = timed("p1", "p2")
    ask(table, "p2")
    open_shares(table, "p1")
    time.now += BREAK
    table.submit("p1", c.BreakThrow(1))
    assert table.state.kept_back == {"p2"}
    secret = c.Declare("c2", {"root": ROOT, "rating": 2}, "self")
    table.submit("p2", secret)
    table.submit("p2", c.worded(c.Note(table.state.size - 1), "To myself."))
    assert table.state.kept_back == {"p2"}, "the others see nothing of it, and fold the same"
    table.submit("p2", c.worded(c.NameSeat("p2"), "Dana"))
    assert table.state.kept_back == frozenset()


@pytest.mark.parametrize(("core", "before"), [(4, "player"), (5, "table")])
def test_who_is_handed_the_character_decided_the_level_once(core: int, before: Level) -> None:
    table, *_ = fight("fair", one_machine=False)
    anchor(table, "p1", "p2", NARRATOR)
    table.submit("p1", c.Declare("c1", WISH))
    state = replace(table.state, core=core)
    assert level_next(state, "p1", state.rolls[1]) == before
    assert level_next(state, NARRATOR, state.rolls[1]) == "table"


def test_an_anchor_that_comes_or_goes_between_two_throws_changes_the_level() -> None:
    table, _ = timed("p1")
    roll = table.state.rolls[1]
    assert level_next(table.state, "p1", roll) == "player"
    anchor(table, "p3")
    assert level_next(table.state, "p1", roll) == "table"
    table.submit("p3", c.LeaveSeat("p3"))
    assert level_next(table.state, "p1", roll) == "player"


def test_who_has_no_link_left_is_not_asked_until_it_renews_its_chain() -> None:
    table, *_ = fight("fair", one_machine=False)
    table.seat("p3")
    anchor(table, "p1", "p2", "p3")
    seats = table.state.seats
    chain = seats["p2"].anchor
    assert chain is not None
    spent = replace(seats["p2"], anchor=replace(chain, asks=1_000))
    state = replace(table.state, seats=seats.set("p2", spent))
    assert awake(state, "p1") == ("p2", "p3")
    assert askable(state, "p1") == ("p3",)
