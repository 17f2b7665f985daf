"""A preview says what a command then leads to, to who may see it, and does nothing."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests import plays
from tests.engine.helpers.decide_cases import ALL_CASES, CASES, Case
from tests.engine.helpers.stage import MISS, NATURAL, ROOT, fight, pray, strike
from tests.engine.helpers.timed import ask, opening, timed
from urim.engine.core import commands as c
from urim.engine.core.aggregate import environment
from urim.engine.core.attempt import CommandAt
from urim.engine.core.guards import visible_offers
from urim.engine.core.limits import NARRATOR
from urim.engine.core.preview import NoDice, Preview, preview
from urim.engine.core.visibility import visible_part
from urim.engine.table import Table
from urim.errors import Refused
from urim.events import roll as rolled
from urim.events.base import Visibility
from urim.events.codec import recorded
from urim.projections.outcomes import so_far
from urim.projections.result import outcome_result
from urim.projections.tables import TableState
from urim.rules import ruleset_named

FILES = pytest.mark.parametrize("path", plays.files(), ids=plays.name_of)
EACH = pytest.mark.parametrize("case", ALL_CASES.values(), ids=list(ALL_CASES))
SEATS = (NARRATOR, "p1", "p2", "p3")

OF_A_THROW = {"nonce", "commitment", "dice-short", "dice-left", "face"}
"""Codes of refusals of what a throw brings along, which its preview asks nothing of."""


THROWN = (rolled.DiceRolled, rolled.DiceRerolled)


def asked(
    state: TableState, seat: str, command: Any, command_at: CommandAt, *, now: int | None = None
) -> Preview | Refused:
    """A preview, or its refusal."""
    try:
        return preview(state, seat, command, now=now, command_at=command_at)
    except Refused as error:
        return error


def code_of(table: Table, seat: str, asking: c.Asking) -> str | None:
    """The code that a preview is refused with, None for none; the table must be what it was."""
    before, size = table.state, len(table.entries)
    aggregate, (command, _) = table.aggregate, c.apart(asking)
    found = asked(before, seat, command, aggregate.command_at, now=aggregate.now())
    assert (table.state, len(table.entries)) == (before, size)
    return found.code if isinstance(found, Refused) else None


def may_be_refused_later(command: Any, code: str) -> bool:
    """Whether a command may be refused although its preview was not: for what it brings along."""
    if isinstance(command, c.Throw):
        return code in OF_A_THROW
    return code == "malformed" and getattr(command, "text", None) is None


def gains(before: TableState, after: TableState) -> dict[tuple[str, str], int]:
    """By how much each track of two tables differs."""
    found = {
        (who, name): after.tracks[who].get(name, 0) - tracks.get(name, 0)
        for who, tracks in before.tracks.items()
        for name in {*tracks, *after.tracks[who]}
    }
    return {key: value for key, value in found.items() if value}


def differences(found: Preview, seat: str, before: TableState, after: TableState) -> list[str]:
    """In what a preview differs from what its command led to, for a seat that sees its roll."""
    number = found.roll
    assert number is not None
    roll = after.rolls[number]
    known = before.rolls.get(number)
    old = so_far(before.game, known) if known else None
    new = so_far(after.game, roll)
    expected = Preview(
        roll=number,
        state=roll.state,
        before=old,
        after=new,
        before_words=outcome_result(before, known, outcome=old) if known and old else None,
        after_words=outcome_result(after, roll, outcome=new) if new else None,
        damage=roll.damage,
        effects=found.effects,
        offers=visible_offers(after, seat, roll),
        others=found.others,
    )
    changed = {(each.character, each.track): each.delta for each in found.effects}
    wrong = [
        name
        for name in Preview.__struct_fields__
        if getattr(found, name) != getattr(expected, name)
    ]
    wrong += ["others"] * any(after.rolls[each].state != state for each, state in found.others)
    return wrong + ["effects"] * (changed != gains(before, after))


# --- it says what then happens --------------------------------------------------------------------


@pytest.mark.sampled(15, rest=15)
@FILES
def test_a_preview_of_every_step_says_what_then_happens(path: Path) -> None:
    done = plays.kept_of(path).play
    for earlier, step in pairwise(done.steps):
        if isinstance(step.command, c.OpenTable):
            continue
        events = [recorded(entry) for entry in step.entries if entry.payload is not None]
        found = asked(
            earlier.state, step.seat, step.command, done.aggregate.command_at,
            now=events[0].at if events else None,
        )  # fmt: skip
        if isinstance(found, Refused):
            assert step.refused is not None, f"step {step.number}: {found}"
        elif step.refused is not None:
            assert may_be_refused_later(step.command, step.refused.code), step.number
        elif found.dice:
            event = next(each.event for each in events if isinstance(each.event, THROWN))
            assert found.dice == tuple({item.die: item.kind for item in event.dice}.values())
            assert found.effects == getattr(event, "effects", ())
            assert found.state == step.state.rolls[event.roll].state
        elif found.roll is not None:
            roll = step.state.rolls[found.roll]
            if visible_part(step.state, step.seat, roll) == "everything":
                assert differences(found, step.seat, earlier.state, step.state) == [], step.number


@EACH
def test_every_command_has_a_preview_and_is_done_afterwards(case: Case) -> None:
    table = case.stage()
    asking = case.command
    assert code_of(table, case.seat, asking) is None
    table.submit(case.seat, asking)


@EACH
def test_a_preview_is_refused_as_its_command_is(case: Case) -> None:
    assert code_of(case.stage(), case.other, case.wrong) == case.code


def test_the_opening_of_a_table_has_none() -> None:
    table = fight()[0]
    assert code_of(table, NARRATOR, c.OpenTable("table001", "milhamah")) == "not-offered"


def test_a_text_may_come_later() -> None:
    table = CASES[c.Void].stage()
    found = preview(table.state, NARRATOR, c.Void(1))
    assert (found.state, found.after) == ("voided", None)
    assert found.before is not None
    assert found.effects, "what the roll did is taken back"


def test_an_amendment_shows_the_outcome_that_it_would_give() -> None:
    case = CASES[c.Amend]
    table = case.stage()
    command = replace(c.apart(case.command)[0], text=None)
    found = preview(table.state, NARRATOR, command, command_at=table.aggregate.command_at)
    table.submit(case.seat, case.command)
    assert (found.before, found.after) != (found.after, found.before)
    assert found.after == table.state.rolls[1].roll.outcome


def test_its_words_are_in_the_language_that_was_asked_for() -> None:
    book = ruleset_named("milhamah")
    words = {**book.words, "he": {"degree.botch": "פספוס"}}
    given = replace(environment("scripted"), rulesets=lambda name: replace(book, words=words))
    table = Table("milhamah", environment=given)
    roll = pray(table, table.character("Etgar", attributes={"BLE": 3}))
    ahead = preview(table.state, "p1", c.Resolve(roll.number), language="he").after_words
    english = preview(table.state, "p1", c.Resolve(roll.number)).after_words
    assert ahead and english
    assert "פספוס" in ahead.head and ahead.head != english.head
    assert ahead.text == english.text, "English where there is no word"


# --- throws ---------------------------------------------------------------------------------------


def test_of_a_throw_it_says_the_dice_and_nothing_of_what_falls() -> None:
    table = CASES[c.RollDice].stage()
    throw = c.RollDice(1, "initiator", faces=NATURAL)
    found = preview(table.state, "p1", throw)
    assert (len(found.dice), found.state) == (8, "rolled")
    assert (found.after, found.damage, found.offers, found.effects) == (None, None, (), ())
    assert found == preview(table.state, "p1", c.RollDice(1, "initiator", faces=MISS))


def test_of_fair_dice_it_asks_no_nonce_and_opens_no_seed() -> None:
    table, etgar, _ = fight("fair", level="player")
    table.declare(etgar, root=ROOT, rating=2)
    assert len(preview(table.state, "p1", c.RollDice(1, "initiator")).dice) == 8
    assert preview(table.state, NARRATOR, c.Void(1)).state == "voided"


def test_its_source_throws_nothing() -> None:
    source = NoDice()
    assert (source.commit("t", 1, 0), source.open("t", 1, 0)) == (None, None)
    request: Any = None
    with pytest.raises(Refused) as refused:
        source.throw(request)
    assert refused.value.why == "a throw cannot be previewed"


# --- hidden rolls ---------------------------------------------------------------------------------


def hidden(visibility: Visibility) -> Table:
    """A roll of Etgar's that not everybody sees, thrown where he may; p3 only watches."""
    table, etgar, toad = fight()
    table.seat("p3")
    roll = table.declare(etgar, visibility=visibility, root=ROOT, rating=2, opponent=toad.id)
    if visibility != "self":
        roll.react(root="חננ", rating=3)
        table.submit("p1", c.RollDice(1, "initiator", faces=NATURAL))
    return table


TRIED: tuple[c.Asking, ...] = (
    c.Freeze(1, "initiator", ("d1",)),
    c.Reroll(1, "initiator", dice=("d2",)),
    c.Choose(1, "natural", "allow"),
    c.Resolve(1),
    c.ApplyDamage(1),
    c.Withdraw(1),
    c.Reveal(1),
    c.worded(c.Dispute(1), "why?"),
    c.worded(c.Void(1), "why?"),
)


@pytest.mark.parametrize("visibility", ["gm", "blind", "self"])
@pytest.mark.parametrize("seat", SEATS)
def test_a_preview_in_a_hidden_roll_is_refused_as_the_command(
    visibility: Visibility, seat: str
) -> None:
    for asking in TRIED:
        table = hidden(visibility)
        code = code_of(table, seat, asking)
        then = None
        try:
            table.submit(seat, asking)
        except Refused as error:
            then = error.code
        assert code == then or (code is None and then in OF_A_THROW), asking


def test_who_sees_no_dice_is_shown_nothing_that_follows_from_them() -> None:
    table, etgar, toad = fight()
    table.declare(etgar, visibility="blind", root=ROOT, rating=2, opponent=toad.id)
    answer = c.React(1, "c2", {"root": "חננ", "rating": 3})
    found = preview(table.state, "p2", answer)
    assert (found.state, found.before, found.after) == ("reacted", None, None)
    assert {offer.trigger for offer in found.offers} == {"roll"}


@pytest.mark.parametrize("visibility", ["gm", "blind", "self"])
def test_who_opens_a_share_of_a_hidden_roll_is_shown_nothing_of_it(visibility: Visibility) -> None:
    table, _ = timed(visibility=visibility)
    ask(table, "p3")
    found = preview(table.state, "p3", opening(table, "p3"))
    assert found == Preview(roll=1)


def test_a_revealed_roll_shows_what_everybody_will_see() -> None:
    table, etgar, toad = fight()
    strike(table, etgar, toad, visibility="gm")
    found = preview(table.state, NARRATOR, c.Reveal(1))
    assert "apply_damage" in [offer.trigger for offer in found.offers]
