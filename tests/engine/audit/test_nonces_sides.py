"""Steps 8 and 13 of an audit: who was asked and who gave, to the last seat and the exact throw."""

from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from tests.engine.helpers.bundles import Log, at, bundle, judged, place
from tests.engine.helpers.twists import (
    BOUND,
    NOTHING,
    OTHER,
    Twist,
    event,
    having,
    instead,
    result,
    twisted,
)
from urim.engine.audit.report import Remark
from urim.engine.core import commands as asked
from urim.engine.core.limits import NARRATOR
from urim.events.base import Level
from urim.events.entry import Entry, withhold
from urim.events.roll import DiceRolled, NonceCommitted, NonceWithheld, SeatsPassedOver
from urim.rules import ruleset_named

# --- step 8 ---------------------------------------------------------------------------------------

SEATS = 100
OTHERS = tuple(f"s{n}" for n in range(SEATS))
TOO_MANY = Remark("the roller is asked, or a seat twice, or too many", place("bound"))
BOUND_ALREADY = "has a nonce bound already"


def whys(file: bytes, step: int) -> list[str]:
    """What a step says of a file."""
    return [remark.why for remark in result(file, step).remarks]


@pytest.mark.parametrize(
    ("seats", "fine"),
    [
        ((), True),
        (OTHERS[:1], True),
        (OTHERS, True),
        ((*OTHERS, "p2"), False),
        ((*OTHERS[1:], "s1"), False),
        ((*OTHERS[1:], BOUND.by), False),
    ],
    ids=["none", "one", "a hundred", "one more", "one twice", "the roller too"],
)
def test_a_hundred_others_are_asked_at_most(seats: Sequence[str], fine: bool) -> None:
    found = result(twisted((place("bound"), having(asked=tuple(seats)))), 8)
    assert (TOO_MANY not in found.remarks) == fine


@pytest.mark.parametrize("second", [0, 1])
@pytest.mark.parametrize("first", [0, 1])
def test_a_nonce_is_bound_once_for_each_throw(first: int, second: int) -> None:
    file = twisted(
        (place("bound"), having(throw=first)),
        (place("given"), instead(replace(BOUND, throw=second))),
    )
    assert any(BOUND_ALREADY in why for why in whys(file, 8)) == (first == second)


@pytest.mark.parametrize("throw", [0, 1])
def test_a_nonce_is_given_for_the_throw_that_was_bound(throw: int) -> None:
    file = twisted((place("bound"), having(throw=throw)))
    nobody = "nobody bound a nonce for throw 0 of roll 2"
    assert (nobody in whys(file, 8)) == (throw == 1)


@pytest.mark.parametrize("by", ["a1", "p3"])
def test_a_nonce_that_another_seat_bound_is_not_the_rollers(by: str) -> None:
    why = f"throw golden01/2/0: seat p1 throws, seat {by} bound the nonce"
    assert why in whys(twisted((place("bound"), having(by=by))), 8)


PASSED = {
    "all who are silent": ((NARRATOR, "p2"), True),
    "one of those who are silent": (("p2",), True),
    "nobody": ((), True),
    "one who was not asked": (("p3",), False),
    "one who was not asked, beside the others": ((NARRATOR, "p2", "p3"), False),
}


@pytest.mark.parametrize(("seats", "fine"), PASSED.values(), ids=PASSED)
def test_seats_that_were_asked_and_are_silent_may_be_passed_over(
    seats: tuple[str, ...], fine: bool
) -> None:
    file = twisted(
        (place("given"), instead(SeatsPassedOver("p1", 2, 0, seats))),
        (place("given") + 1, NOTHING),
    )
    found = whys(file, 8)
    assert (f"passed over, but not asked or not silent: {', '.join(seats)}" not in found) == fine
    assert f"throw 0 of roll 2 goes on without {', '.join(seats)}" in found
    silent = [seat for seat in (NARRATOR, "p2") if seat not in seats]
    missing = f"throw golden01/2/0: asked, neither heard nor passed over: {', '.join(silent)}"
    assert (missing in found) == bool(silent)


@pytest.mark.parametrize("seat", ["a1", "p1", "p2"])
def test_only_the_seat_that_bound_a_throw_can_withhold_it(seat: str) -> None:
    file = twisted((place("table"), instead(NonceWithheld("p2", 2, 0, seat))))
    why = f"seat {seat} is reported for a throw that it could not make yet"
    assert (why in whys(file, 8)) == (seat != "p1")
    assert f"seat {seat} withheld throw 0 of roll 2" in whys(file, 8)


# --- a nonce bound for what is not disclosed ------------------------------------------------------

NO_ANSWER = "answers no outstanding commitment"


def hidden() -> tuple[Log, list[int]]:
    """A roll that its roller alone may see, thrown twice; where its nonces are bound."""
    log = Log()
    roll = log.declare("table", "self")
    log.throw(roll)
    log.throw(roll, "d1")
    bound = [e.seq for e in log.entries if isinstance(event(e.seq, log.entries), NonceCommitted)]
    return log, bound


def unanswered(entries: Sequence[Entry], *twists: tuple[int, Twist]) -> list[int | None]:
    """The entries of nonces that answer nothing."""
    found = result(twisted(*twists, entries=entries), 6)
    return [remark.seq for remark in found.remarks if NO_ANSWER in remark.why]


def test_a_nonce_of_a_hidden_roll_answers_an_earlier_entry_that_was_not_disclosed() -> None:
    log, bound = hidden()
    view = log.aggregate.view("")
    sealed = [entry.seq for entry in view if entry.kind == "hidden"]
    assert sealed[0] < bound[0] < sealed[1] < bound[1] < sealed[2]
    assert unanswered(view) == []
    for committed, fine in (
        (0, False),
        (sealed[0], True),
        (sealed[0] + 1, False),  # the nonce bound before, open to all
        (sealed[1], True),
        (bound[1], False),
        (sealed[2], False),
        (bound[1] + 1, False),
    ):
        wrongly = unanswered(view, (bound[1], having(committed=committed)))
        assert wrongly == ([] if fine else bound[1:]), committed


def test_a_nonce_of_a_hidden_roll_answers_no_throw_that_is_over() -> None:
    log, bound = hidden()
    view = log.aggregate.view("")
    for throw, fine in ((0, True), (1, True), (2, False)):
        assert unanswered(view, (bound[0], having(throw=throw))) == ([] if fine else bound[1:])


def test_what_is_disclosed_excuses_no_nonce() -> None:
    log, bound = hidden()
    for seat in ("p1", ""):
        view = log.aggregate.view(seat)
        wrongly = unanswered(view, (bound[1], having(committed=bound[0] - 1)))
        assert wrongly == (bound[1:] if seat else [])
    public = Log()
    public.throw(public.declare("server", "self"))
    roll = public.declare("table")
    public.throw(roll)
    view = public.aggregate.view("")
    hidden_seq = next(entry.seq for entry in view if entry.kind == "hidden")
    [seq] = [e.seq for e in view if e.payload and isinstance(event(e.seq, view), NonceCommitted)]
    assert unanswered(view) == []
    assert unanswered(view, (seq, having(committed=hidden_seq))) == [seq]


@pytest.mark.parametrize("visibility", ["gm", "self"])
def test_dice_that_alone_are_withheld_excuse_what_follows_them(visibility: Any) -> None:
    log = Log()
    roll = log.declare("table", visibility)
    log.throw(roll)
    log.throw(roll, "d1")
    view = [
        withhold(entry) if isinstance(event(entry.seq, log.entries), DiceRolled) else entry
        for entry in log.entries
    ]
    [first, second] = [
        e.seq for e in view if e.payload and isinstance(event(e.seq, view), NonceCommitted)
    ]
    assert unanswered(view) == []
    assert unanswered(view, (second, having(committed=first))) == [second]


# --- step 13 --------------------------------------------------------------------------------------


@pytest.mark.parametrize("throw", [0, 2])
def test_a_void_opens_the_throw_that_is_outstanding(throw: int) -> None:
    seq = place("void")
    found = result(twisted((seq, having(throw=throw))), 13)
    why = "roll 2 is voided by seat narrator, but the outstanding throw is not opened"
    assert found.remarks[0] == Remark(why, seq, "1", str(throw))


@pytest.mark.parametrize("level", ["server", "player", "table"])
@pytest.mark.parametrize("bound", [False, True])
def test_what_a_void_would_have_brought_is_known_where_no_nonce_is_missing(
    level: Level, bound: bool
) -> None:
    log = Log()
    roll = log.declare(level)
    if bound and level == "table":
        log.bind(roll, log.nonce())
    log.ask(NARRATOR, asked.Void(roll), "No.")
    found = at(judged(bundle(log)), 13)
    why = found.remarks[0].why.removeprefix("roll 1 is voided by seat narrator")
    assert (found.verdict, why != "") == ("pass", level == "server")


def test_a_void_with_a_nonce_that_nobody_had_to_bind_tells_what_would_have_come() -> None:
    log = Log()
    log.declare("player")
    void = log.ask(NARRATOR, asked.Void(1), "No.")
    found = result(twisted((void, having(nonce=OTHER)), entries=log.entries), 13)
    assert found.verdict == "pass"
    assert "; throw golden01/1/0 would have brought location: " in found.remarks[0].why


def test_a_void_with_another_nonce_than_the_bound_one_tells_which() -> None:
    seq = place("void with c")
    found = result(twisted((seq, having(nonce=OTHER))), 13)
    why = f"nonce {OTHER} of throw golden01/3/0 is not the one that was bound"
    bound = event(place("void with c") - 3)
    assert Remark(why, seq, bound.nonce_commit) in found.remarks


def kinds(why: str) -> dict[str, int]:
    """The kinds of dice that a void tells of, and how many faces it tells of each."""
    parts = why.partition("would have brought ")[2].split("; ")
    return {name: len(faces.split()) for name, _, faces in (part.partition(": ") for part in parts)}


def voided(dice: int | None) -> bytes:
    """A roll that is voided before its throw, or after a throw of so many dice."""
    log = Log()
    roll = log.declare()
    if dice is None:
        log.ask(NARRATOR, asked.Void(roll), "No.")
        return bundle(log)
    thrown = log.throw(roll)
    log.ask(NARRATOR, asked.Void(roll), "No.")
    lying = (event(thrown, log.entries).dice * 2)[:dice]
    return twisted((thrown, having(dice=lying)), entries=log.entries)


@pytest.mark.parametrize(("dice", "shown"), [(None, 8), (0, 8), (1, 1), (7, 7), (8, 8), (9, 8)])
def test_a_void_tells_of_as_many_dice_as_were_thrown_last_and_of_eight_at_most(
    dice: int | None, shown: int
) -> None:
    why = at(judged(voided(dice)), 13).remarks[0].why
    assert set(kinds(why).values()) == {shown}


@pytest.mark.parametrize("known", [7, 8, 9])
def test_a_void_tells_of_eight_kinds_of_dice_at_most(known: int) -> None:
    def many(name: str) -> Any:
        table = {f"kind{n}": ("a", "b") for n in range(known)}
        return replace(ruleset_named(name), faces=lambda options: table | {"none": ()})

    why = at(judged(voided(None), rulesets=many), 13).remarks[0].why
    assert list(kinds(why)) == [f"kind{n}" for n in range(min(known, 8))]


def test_a_void_of_dice_that_are_not_known_here_says_so() -> None:
    def newer(name: str) -> Any:
        return replace(ruleset_named(name), version=2)

    why = at(judged(voided(None), rulesets=newer), 13).remarks[0].why
    assert why.endswith("would have brought dice that are not known here")
