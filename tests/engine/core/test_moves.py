"""What a seat may do over a whole table, and what the table waits for it to do."""

from collections.abc import Iterable
from pathlib import Path
from typing import TypeVar

import pytest
from msgspec.structs import replace

from tests import plays
from tests.engine.helpers.decide_cases import (
    DISPUTE,
    declared,
    disputed,
    hidden,
    prayed,
    struck,
    thrown,
    typed,
)
from tests.engine.helpers.stage import MISS, NATURAL, ROOT, code_of, fight
from tests.engine.helpers.timed import BREAK, ask, open_shares, throw, timed
from urim.engine.core import commands as c
from urim.engine.core.limits import NARRATOR
from urim.engine.core.moves import (
    Awaited,
    Awaiting,
    Move,
    RollMoves,
    awaited,
    awaiting,
    legal_moves,
    moves,
)
from urim.engine.core.offers import due, offers
from urim.engine.core.view import view_of
from urim.engine.core.visibility import visible_part
from urim.engine.table import Table
from urim.errors import Refused
from urim.projections.automaton import LIVE, TRIGGERS
from urim.projections.settings import HOUR
from urim.rules.ruleset import Offer

T = TypeVar("T", Awaited, Awaiting)

FILES = pytest.mark.parametrize("path", plays.files(), ids=plays.name_of)

OF_SHARES = {"open_share", "break_throw"}
"""What a seat may do in a roll of which it sees nothing."""


def timeless(found: Iterable[T]) -> tuple[T, ...]:
    """What waits, without since when."""
    return tuple(replace(each, since=0) for each in found)


def waits(table: Table, seat: str, *, now: int | None = None) -> list[tuple[int, str, str]]:
    """What the table waits for the seat to do: roll, trigger, character."""
    return [
        (each.roll, each.trigger, each.character) for each in awaiting(table.state, seat, now=now)
    ]


# --- laws, at every step of every scenario --------------------------------------------------------


@pytest.mark.sampled(12, rest=12)
@FILES
def test_the_legal_moves_are_those_of_each_roll(path: Path) -> None:
    for step in plays.kept_of(path).play.steps:
        state = step.state
        for seat in (id for id, each in state.seats.items() if each.here):
            whole = legal_moves(state, seat)
            for number in range(1, state.next_roll):
                alone = legal_moves(state, seat, rolls=[number])
                assert [of for of in alone if of.roll == number] == [
                    of for of in whole if of.roll == number
                ]
            listed = {each.roll: each.moves for each in whole}
            fresh = listed.pop(None, ())
            owned = {who.id for who in state.characters.values() if who.here and who.seat == seat}
            assert {offer.character for move in fresh for offer in move.offers} == owned
            for number in range(1, len(state.rolls) + 1):
                every = moves(state, seat, number)
                assert [move.trigger for move in every] == list(TRIGGERS)
                legal = {move.trigger: move for move in every if move.legal}
                assert {move.trigger: move for move in listed.get(number, ())} == legal


@pytest.mark.sampled(15, rest=15)
@FILES
def test_a_table_waits_for_nothing_that_is_no_legal_move(path: Path) -> None:
    for step in plays.kept_of(path).play.steps:
        state = step.state
        for seat in (id for id, each in state.seats.items() if each.here):
            for each in awaiting(state, seat):
                roll = state.rolls[each.roll]
                legal = {move.trigger for move in moves(state, seat, each.roll) if move.legal}
                assert each.trigger in legal
                assert each.why
                assert each.character == "" or each.character in state.characters
                if visible_part(state, seat, roll) == "nothing":
                    assert each.trigger in OF_SHARES


@pytest.mark.sampled(25)
@FILES
def test_a_roll_that_goes_on_waits_for_somebody(path: Path) -> None:
    for step in plays.kept_of(path).play.steps:
        state = step.state
        here = [id for id, each in state.seats.items() if each.here]
        awaited = {each.roll for seat in here for each in awaiting(state, seat)}
        if state.ask is not None:  # nothing else may be done before that
            assert awaited == {state.ask.roll}
            continue
        for roll in (each for each in state.rolls.values() if each.state in LIVE):
            owners = {state.characters[each.character].seat for each in due(offers(state, roll))}
            if not owners or owners & {*here}:
                assert roll.number in awaited, f"step {step.number}: roll {roll.number}"


NOT_AWAITED = {"apply_damage", "rule", "confirm", "replace", "reveal", "break_throw"}
"""What a table waits for, and names nobody for to others."""


@pytest.mark.sampled(25)
@FILES
def test_whom_others_are_waited_for_is_what_the_table_waits_for_them_to_do(path: Path) -> None:
    for step in plays.kept_of(path).play.steps:
        state = step.state
        here = [id for id, each in state.seats.items() if each.here]
        waiting = {
            (who, each.roll, each.trigger)
            for who in here
            for each in awaiting(state, who)
            if each.trigger not in NOT_AWAITED
        }
        for seat in here:
            found = awaited(state, seat)
            assert found == awaited(view_of(state, seat), seat)
            of = {(each.seat, each.roll, each.trigger) for each in found}
            assert len(of) == len(found)
            hidden = set(state.hidden.entries)
            in_the_open = {each for each in waiting if each[1] not in hidden and each[0] != seat}
            assert {each for each in of if each[1] not in hidden} == in_the_open
            for each in found:
                assert each.seat in here
                seen = visible_part(state, seat, state.rolls[each.roll])
                assert seen == "everything" or each.trigger in ("react", "open_share")


def test_a_blind_roll_whose_roller_cannot_go_on_waits_to_be_revealed() -> None:
    table, etgar, _ = fight()
    table.declare(etgar, visibility="blind", root=ROOT, rating=2)
    assert waits(table, "p1") == [(1, "roll", "c1")]
    table.submit("p1", c.RollDice(1, "initiator", faces=NATURAL))
    # Whether it was thrown is hidden: its own log shows the roller no more.
    assert (waits(table, "p1"), waits(table, "p2")) == ([(1, "roll", "c1")], [])
    assert waits(table, NARRATOR) == [(1, "reveal", "")]
    [may_have, *_] = awaiting(table.state, "p1")
    assert may_have.why.endswith(" (a blind roll does not show whether it was thrown)")
    table.submit(NARRATOR, c.Reveal(1))
    assert [trigger for _, trigger, _ in waits(table, "p1")] == ["freeze"]
    assert waits(table, NARRATOR) == []


def test_of_dice_that_are_seen_it_says_no_more_than_what_is_due() -> None:
    table, etgar, _ = fight()
    table.declare(etgar, root=ROOT, rating=2)
    for trigger in ("roll", "freeze"):
        [waiting] = awaiting(table.state, "p1")
        assert waiting.trigger == trigger
        assert waiting.why.startswith("due of Etgar: ")
        assert "blind" not in waiting.why
        if trigger == "roll":
            table.submit("p1", c.RollDice(1, "initiator", faces=NATURAL))


def test_a_roll_for_oneself_that_waits_for_another_waits_to_be_revealed() -> None:
    table, etgar, toad = fight()
    table.declare(etgar, visibility="self", root=ROOT, rating=2, opponent=toad.id)
    assert (waits(table, "p1"), waits(table, "p2")) == ([(1, "reveal", "")], [])


def test_nobody_waits_for_the_reveal_of_a_roll_that_has_ended() -> None:
    table, etgar, _ = fight()
    roll = table.declare(etgar, visibility="gm", root=ROOT, rating=2)
    roll.roll(faces=NATURAL)
    roll.stand()
    for offer in [each for each in roll.offers if each.due]:
        table.submit("p1", c.Choose(1, offer.choice, str(offer.options[0])))
    roll.resolve()
    assert any(move.legal for move in moves(table.state, NARRATOR, 1) if move.trigger == "reveal")
    assert not any(waits(table, seat) for seat in table.state.seats)
    assert not table.state.open


def test_a_narrator_is_to_end_a_roll_whose_seat_left() -> None:
    table = prayed()
    assert (waits(table, "p1"), waits(table, NARRATOR)) == ([(1, "resolve", "c1")], [])
    table.submit("p1", c.LeaveSeat("p1"))
    assert waits(table, NARRATOR) == [(1, "resolve", "c1")]


def test_a_move_says_apart_why_not_and_what_would_do() -> None:
    table = declared()
    found = {move.trigger: move for move in moves(table.state, "p1", 1)}
    assert found["withdraw"] == Move("withdraw", legal=True)
    assert found["react"] == Move(
        "react", legal=False, code="not-yours", why="react is for Toad", allowed=("react",)
    )
    resolve = found["resolve"]
    assert (resolve.code, resolve.allowed) == ("wrong-state", ("withdraw", "dispute"))
    assert resolve.why == "resolve is not possible for roll 1 in state declared"


def test_a_roll_that_follows_is_a_move_of_the_roll_that_offers_it() -> None:
    [path] = [path for path in plays.files() if path.stem == "void-follower"]
    steps = plays.kept_of(path).play.steps
    [declare] = [
        move
        for step in steps
        for seat in step.state.seats
        for number in range(1, len(step.state.rolls) + 1)
        for move in moves(step.state, seat, number)
        if move.trigger == "declare" and move.legal
    ][:1]
    assert declare.offers[0].link == "counter"


# --- what waits for whom --------------------------------------------------------------------------


def test_before_anything_is_declared_a_seat_may_declare_for_its_characters() -> None:
    table = Table("sagatafl")
    ruth = table.character("Ruth", attributes={"Lockpicking": 3})
    fresh = Offer(trigger="declare", character=ruth.id)
    expected = RollMoves(None, "new", (Move("declare", legal=True, offers=(fresh,)),))
    assert legal_moves(table.state, ruth.seat) == (expected,)
    assert legal_moves(table.state, NARRATOR) == ()
    assert awaiting(table.state, ruth.seat) == ()


def test_a_reaction_waits_for_who_is_to_react() -> None:
    table = declared()
    assert waits(table, "p2") == [(1, "react", "c2")]
    assert (waits(table, "p1"), waits(table, NARRATOR)) == ([], [])
    assert awaiting(table.state, "p2")[0].why == "due of Toad: react"


def test_nothing_waits_any_more_once_the_declaration_is_vetoed_but_another() -> None:
    table = declared()
    table.submit(NARRATOR, c.worded(c.Veto(1), "no"))
    assert (waits(table, "p1"), waits(table, "p2")) == ([], [])
    assert waits(table, NARRATOR) == [(1, "replace", "c1")]


def test_damage_waits_for_who_applies_it_and_a_hidden_roll_to_be_revealed() -> None:
    table = struck()
    assert waits(table, "p1") == [(1, "apply_damage", "c1")]
    table.submit("p1", c.ApplyDamage(1))
    assert waits(table, "p1") == []


def test_a_dispute_waits_for_a_narrator() -> None:
    table = disputed()
    [rule] = [each for each in awaiting(table.state, NARRATOR) if each.trigger == "rule"]
    assert (rule.roll, rule.about) == (1, DISPUTE)
    table.submit(NARRATOR, c.worded(c.Rule(1, DISPUTE, "stands"), "so"))
    assert "rule" not in [each.trigger for each in awaiting(table.state, NARRATOR)]


def test_a_settled_hidden_roll_waits_to_be_revealed_by_who_may() -> None:
    table = hidden()
    roll = table.state.rolls[1]
    assert visible_part(table.state, NARRATOR, roll) == "everything"
    before = [each.trigger for each in awaiting(table.state, NARRATOR)]
    assert ("reveal" in before) == (roll.state == "resolved")


def test_typed_faces_wait_for_another_seat() -> None:
    table = typed()
    assert (1, "confirm", "") in waits(table, "p2")
    assert (1, "confirm", "") not in waits(table, "p1")
    table.submit("p2", c.Confirm(1, 0))
    assert (1, "confirm", "") not in waits(table, NARRATOR)


def test_a_throw_at_level_table_waits_to_be_asked_for_and_then_for_shares_alone() -> None:
    table, _ = timed()
    assert waits(table, "p1") == [(1, "ask", "c1")]
    ask(table, "p2")
    for seat in ("p1", "p2"):
        assert timeless(awaiting(table.state, seat)) == (
            Awaiting(1, "open_share", "", "seat 'p1' asks for a share for throw 0", 0),
        )
    open_shares(table, "p1")
    assert (waits(table, "p1"), waits(table, "p3")) == ([], [])
    open_shares(table, "p2")
    assert [each for each in waits(table, "p1") if each[1] in ("ask", "roll")] == []


def test_it_waits_for_the_roller_or_a_narrator_to_break_it_off_after_ten_seconds() -> None:
    table, time = timed()
    ask(table, "p2")
    open_shares(table, "p1")
    late = time.now + BREAK
    for seat in ("p1", NARRATOR):
        assert waits(table, seat, now=late - 1) == []
        [broken] = timeless(awaiting(table.state, seat, now=late))
        assert broken == Awaiting(1, "break_throw", "", "throw 0 waits for a share of seat 'p2'", 0)
    assert waits(table, "p3", now=late) == []  # it may, and is not waited for
    legal = {move.trigger for move in moves(table.state, "p3", 1, now=late) if move.legal}
    assert legal == {"break_throw"}


def test_while_a_throw_waits_no_other_roll_waits_for_anybody() -> None:
    table, _ = timed()
    toad = c.Declare("c2", {"root": ROOT, "rating": 2})
    table.submit("p2", toad)
    assert waits(table, "p2") == [(2, "ask", "c2")]
    ask(table, "p3")
    assert (waits(table, "p2"), waits(table, "p3")) == ([], [(1, "open_share", "")])
    assert timeless(awaited(table.state, "p2")) == (
        Awaited("p1", 1, "open_share", table.state.at + BREAK),
        Awaited("p3", 1, "open_share", table.state.at + BREAK),
    )
    assert [each.roll for each in legal_moves(table.state, "p2")] == [None]


def test_others_see_whom_a_throw_waits_for_and_until_when() -> None:
    table, time = timed()
    assert timeless(awaited(table.state, "p2")) == (Awaited("p1", 1, "ask"),)
    assert awaited(table.state, "p1") == ()
    ask(table, "p2", "p3")
    late = time.now + BREAK
    every = tuple(Awaited(seat, 1, "open_share", late) for seat in ("p1", "p2", "p3"))
    assert timeless(awaited(table.state, NARRATOR)) == every
    assert timeless(awaited(table.state, "p2")) == (every[0], every[2])
    time.now += 1_000
    open_shares(table, "p2")
    assert awaited(table.state, "p2") == awaited(table.state, NARRATOR)
    assert timeless(awaited(table.state, "p2")) == (every[0], every[2])
    open_shares(table, "p1", "p3")
    [then] = awaited(table.state, "p2")
    assert then.trigger in ("freeze", "resolve")  # as the dice fell


def test_what_waits_says_since_when() -> None:
    table, time = timed()
    declared = table.state.at
    [own], [other] = awaiting(table.state, "p1"), awaited(table.state, "p2")
    assert own.since == other.since == declared
    time.now += 5_000
    table.submit("p2", c.worded(c.Note(0), "and?"))  # about the table, and nothing of the roll
    assert awaited(table.state, "p2")[0].since == declared
    ask(table, "p2")
    asked = table.state.at
    time.now += 5_000
    open_shares(table, "p1")
    assert awaiting(table.state, "p2")[0].since == awaited(table.state, "p1")[0].since == asked


def test_by_post_a_throw_waits_as_many_hours_as_its_table_says() -> None:
    table, time = timed()
    table.submit(NARRATOR, c.SetTable("post", 48))
    ask(table, "p2")
    table.submit(NARRATOR, c.SetTable("post", None))  # for the throws that come
    open_shares(table, "p1")
    late = time.now + 48 * HOUR
    assert awaited(table.state, "p1")[0].until == late
    time.now = late - 1
    with pytest.raises(Refused, match="may still open a share, for 1 s"):
        table.submit("p1", c.BreakThrow(1))
    time.now = late
    table.submit("p1", c.BreakThrow(1))
    table.submit("p2", c.worded(c.Note(0), "here again"))
    ask(table, "p2")
    assert awaited(table.state, "p1")[0].until == time.now + BREAK


def test_who_kept_back_is_not_waited_for_and_the_throw_is_at_level_player() -> None:
    table, time = timed("p1", "p2")
    ask(table, "p2")
    open_shares(table, "p1")
    time.now += BREAK
    table.submit("p1", c.BreakThrow(1))
    assert waits(table, "p1") == [(1, "roll", "c1")]
    assert timeless(awaited(table.state, "p2")) == (Awaited("p1", 1, "roll"),)
    table.submit("p2", c.worded(c.Note(0), "here again"))
    assert waits(table, "p1") == [(1, "ask", "c1")]


def test_a_move_that_asks_has_the_throws_that_it_may_ask_for() -> None:
    table, _ = timed()
    found = {move.trigger: move for move in moves(table.state, "p1", 1)}
    assert [(offer.trigger, offer.hand) for offer in found["ask"].offers] == [("roll", "initiator")]
    assert (found["roll"].code, found["roll"].allowed) == ("nonce", ("ask",))
    others = {move.trigger: move.code for move in moves(table.state, "p2", 1)}
    assert (others["ask"], others["roll"]) == ("not-offered", "not-yours")
    throw(table, "p2")
    found = {move.trigger: move for move in moves(table.state, "p1", 1)}
    assert [offer.trigger for offer in found["ask"].offers] == ["reroll"]
    assert found["reroll"].code == "nonce"


def test_of_a_hidden_roll_others_see_whose_shares_it_waits_for_alone() -> None:
    table, time = timed(visibility="self")
    assert awaited(table.state, "p3") == ()
    ask(table, "p2", "p3")
    late = time.now + BREAK
    assert timeless(awaited(table.state, "p3")) == (
        Awaited("p1", 1, "open_share", late),
        Awaited("p2", 1, "open_share", late),
    )
    open_shares(table, "p1", "p2", "p3")
    assert awaited(table.state, "p3") == ()


def test_of_a_blind_roll_its_roller_sees_who_is_to_react_and_not_who_is_to_throw() -> None:
    table, etgar, toad = fight()
    table.declare(etgar, visibility="blind", root=ROOT, rating=2, opponent=toad.id)
    assert timeless(awaited(table.state, "p1")) == (Awaited("p2", 1, "react"),)
    table.submit("p2", c.React(1, "c2", None))
    assert awaited(table.state, "p2") == ()


def test_who_left_is_not_waited_for() -> None:
    table = declared()
    table.submit("p2", c.LeaveSeat("p2"))
    assert awaited(table.state, "p1") == ()  # nor is a narrator, who cannot react


def test_who_sees_nothing_of_a_roll_is_told_nothing_of_what_it_waits_for() -> None:
    table, _ = timed(visibility="self")
    assert (waits(table, "p3"), waits(table, NARRATOR)) == ([], [])
    assert [each.roll for each in legal_moves(table.state, "p3")] == []
    ask(table, "p3")
    assert waits(table, "p3") == [(1, "open_share", "")]
    [found] = legal_moves(table.state, "p3")
    assert (found.roll, found.state, found.moves) == (1, None, (Move("open_share", legal=True),))
    [found] = legal_moves(table.state, NARRATOR, now=table.state.at + BREAK)
    assert (found.roll, found.moves) == (1, (Move("break_throw", legal=True),))


@pytest.mark.parametrize("ask", [legal_moves, awaiting, awaited])
def test_nobody_who_is_not_there_is_waited_for(ask: object) -> None:
    assert callable(ask)
    assert code_of(ask, thrown().state, "p9") == "unknown"


def test_who_may_still_use_the_dice_is_not_waited_for_to_resolve_alone() -> None:
    table, etgar, _ = fight()
    table.declare(etgar, root=ROOT, rating=2)
    table.submit("p1", c.RollDice(1, "initiator", faces=MISS))
    [found] = awaiting(table.state, "p1")
    assert (found.trigger, found.also) == ("resolve", ("freeze", "reroll", "adjust"))
    assert found.why.endswith(": freeze, reroll, adjust or resolve")
    [same] = awaited(table.state, "p2")
    assert (same.trigger, same.also) == ("resolve", found.also)


def test_what_is_to_be_chosen_is_named() -> None:
    table, etgar, _ = fight()
    table.declare(etgar, root=ROOT, rating=2)
    table.submit("p1", c.RollDice(1, "initiator", faces=NATURAL))
    table.submit("p1", c.Freeze(1, "initiator", tuple(f"d{n}" for n in range(1, 9))))
    [found] = awaiting(table.state, "p1")
    assert (found.trigger, found.choice) == ("adjust", "what the natural root does")
    [same] = awaited(table.state, "p2")
    assert (same.trigger, same.choice) == ("adjust", found.choice)
