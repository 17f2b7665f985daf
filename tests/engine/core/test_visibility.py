"""Who sees what of a roll, public, gm, blind or self; whoever may not see may not act in it."""

from typing import Any, get_args

import pytest

from tests.engine.helpers.stage import MISS, NATURAL, NONCES, ROOT, code_of, fight, strike
from tests.engine.helpers.timed import anchor, ask, open_shares
from urim.engine.core import commands as c
from urim.engine.core.aggregate import Aggregate
from urim.engine.core.limits import NARRATOR
from urim.engine.core.moves import moves
from urim.engine.core.view import view_of
from urim.engine.core.visibility import (
    VisiblePart,
    outstanding_for,
    participants,
    visible_part,
)
from urim.engine.table import RollHandle, Table
from urim.errors import Refused
from urim.events import roll as rolled
from urim.events.base import Visibility
from urim.events.codec import decode
from urim.projections.hidden import ALWAYS_OPEN, DECLARED

SEATS = (NARRATOR, "p1", "p2", "p3")
"""The narrator, the roller, the opponent, somebody else."""

SEES: dict[tuple[Visibility, str], VisiblePart] = {
    ("public", NARRATOR): "everything",
    ("public", "p1"): "everything",
    ("public", "p2"): "everything",
    ("public", "p3"): "everything",
    ("gm", NARRATOR): "everything",
    ("gm", "p1"): "everything",
    ("gm", "p2"): "everything",
    ("gm", "p3"): "nothing",
    ("blind", NARRATOR): "everything",
    ("blind", "p1"): "declaration",
    ("blind", "p2"): "declaration",
    ("blind", "p3"): "nothing",
    ("self", NARRATOR): "nothing",
    ("self", "p1"): "everything",
    ("self", "p2"): "nothing",
    ("self", "p3"): "nothing",
}
EVERY = pytest.mark.parametrize(("visibility", "seat"), SEES)
HIDDEN: tuple[Visibility, ...] = ("gm", "blind", "self")
WISH: dict[str, Any] = {"root": ROOT, "rating": 2}


def table_of(visibility: Visibility, *, dice: str = "scripted", **given: Any) -> Table:
    """Roll 1 is Etgar's against the toad, who answered where it could; p3 only watches."""
    table, etgar, toad = fight(dice, **given)
    table.seat("p3")
    roll = table.declare(etgar, visibility=visibility, opponent=toad.id, **WISH)
    if visibility != "self":
        roll.react(root="חננ", rating=3)
    return table


def thrown(visibility: Visibility) -> Table:
    """Where Etgar may throw, his dice lie."""
    table = table_of(visibility)
    if visibility != "self":
        table.submit("p1", c.RollDice(1, "initiator", faces=NATURAL))
    return table


def test_every_visibility_is_tried() -> None:
    assert {visibility for visibility, _ in SEES} == set(get_args(Visibility))


@EVERY
def test_a_seat_sees_what_its_part_in_the_roll_lets_it_see(
    visibility: Visibility, seat: str
) -> None:
    table = thrown(visibility)
    assert visible_part(table.state, seat, table.state.rolls[1]) == SEES[visibility, seat]


@EVERY
def test_a_view_holds_every_line_and_only_the_payloads_that_may_be_seen(
    visibility: Visibility, seat: str
) -> None:
    table = thrown(visibility)
    may = SEES[visibility, seat]
    view = table.aggregate.view(seat)
    assert [entry.leaf for entry in view] == [entry.leaf for entry in table.entries]
    for entry, record in zip(view, table.aggregate.records, strict=True):
        assert record is not None
        of_roll = isinstance(record.event, rolled.RollEventBase)
        shown = not of_roll or may == "everything"
        shown |= may == "declaration" and isinstance(record.event, DECLARED)
        assert (entry.payload is not None) == shown
        assert (entry.salt is not None) == shown
        assert (entry.kind == "hidden") == (of_roll and visibility != "public")


@EVERY
def test_a_view_folds_into_the_table_as_that_seat_knows_it(
    visibility: Visibility, seat: str
) -> None:
    table = thrown(visibility)
    known = Aggregate(table.aggregate.environment)
    known.load(table.aggregate.view(seat))
    assert known.frontier.root() == table.aggregate.frontier.root()
    assert known.opened.size == table.state.size
    assert (1 in known.opened.rolls) == (SEES[visibility, seat] != "nothing")
    if SEES[visibility, seat] == "everything":
        assert known.opened == table.state
    if SEES[visibility, seat] == "declaration":
        assert known.opened.rolls[1].state == "reacted"
        assert known.opened.rolls[1].roll.hands == ()


@pytest.mark.parametrize("visibility", HIDDEN)
def test_a_view_passes_over_the_open_events_of_a_roll_it_does_not_know(
    visibility: Visibility,
) -> None:
    table = table_of(visibility, dice="fair", level="table")
    if visibility == "self":
        return
    anchor(table, "p1", "p3")
    ask(table, "p3")
    open_shares(table, "p3")
    view = table.aggregate.view("p3")
    events = [decode(entry.payload).event for entry in view if entry.payload is not None]
    assert [type(event) for event in events[-2:]] == [rolled.ThrowAsked, rolled.ShareOpened]
    known = Aggregate(table.aggregate.environment)
    known.load(view)
    assert not known.opened.rolls
    assert known.frontier.root() == table.aggregate.frontier.root()


@pytest.mark.parametrize("visibility", HIDDEN)
def test_a_roll_that_is_revealed_is_seen_from_its_first_event(visibility: Visibility) -> None:
    table = thrown(visibility)
    by = "p1" if visibility == "self" else NARRATOR
    leaves = [entry.leaf for entry in table.aggregate.view("p3")]
    table.submit(by, c.Reveal(1))
    for seat in SEATS:
        view = table.aggregate.view(seat)
        known = Aggregate(table.aggregate.environment)
        known.load(view)
        assert known.opened == table.state
        assert [entry.leaf for entry in view][: len(leaves)] == leaves
    assert code_of(table.submit, by, c.Reveal(1)) == "not-offered"


def test_a_public_roll_is_not_revealed() -> None:
    table = table_of("public")
    assert code_of(table.submit, NARRATOR, c.Reveal(1)) == "not-offered"


# --- acting ---------------------------------------------------------------------------------------

ACTS: list[c.Asking] = [
    c.React(1, "c2", {}),
    c.RollDice(1, "initiator"),
    c.Freeze(1, "initiator", ()),
    c.Reroll(1, "initiator", dice=("d1",)),
    c.Adjust(1, "initiator", "cipher", ()),
    c.Choose(1, "natural", "allow"),
    c.Resolve(1),
    c.ApplyDamage(1),
    c.worded(c.Amend(1, "c1", {}), "x"),
    c.worded(c.Void(1), "x"),
    c.worded(c.Dispute(1), "x"),
    c.worded(c.Rule(1, 0, "stands"), "x"),
    c.worded(c.Veto(1), "x"),
    c.worded(c.Replace(1, {}), "x"),
    c.Flavour(1, "initiator", ("א",)),
    c.DecideFate(1, "spared"),
    c.Confirm(1, 0),
    c.Ask(1, "initiator", 7, ("p1", "p3")),
    c.OpenShare(1, NONCES[0]),
    c.BreakThrow(1),
]


@pytest.mark.parametrize("visibility", HIDDEN)
@pytest.mark.parametrize("command", ACTS, ids=lambda command: type(command).__name__)
def test_whoever_may_not_see_a_roll_may_not_act_in_it(
    visibility: Visibility, command: c.Asking
) -> None:
    table = thrown(visibility)
    assert code_of(table.submit, "p3", command) == "not-seen"
    table.submit(NARRATOR, c.GiveCharacter("c2", "p3"))  # whoever takes part now may act
    assert visible_part(table.state, "p3", table.state.rolls[1]) == SEES[visibility, "p2"]


@pytest.mark.parametrize("command", ACTS, ids=lambda command: type(command).__name__)
def test_a_refusal_tells_nothing_of_a_roll_that_may_not_be_seen(command: c.Asking) -> None:
    refusals = []
    for table in (table_of("gm"), thrown("gm")):
        with pytest.raises(Refused) as refused:
            table.submit("p3", command)
        refusals.append(str(refused.value))
    assert refusals[0] == refusals[1]


def test_the_moves_of_a_roll_that_may_not_be_seen_tell_nothing() -> None:
    found = [
        [(move.trigger, move.code, move.why, move.allowed) for move in moves(table.state, "p3", 1)]
        for table in (table_of("gm"), thrown("gm"))
    ]
    assert found[0] == found[1]
    assert not any(move.legal for move in moves(thrown("gm").state, "p3", 1))


def test_a_narrator_has_no_part_in_a_roll_that_only_its_roller_sees() -> None:
    table = table_of("self")
    for command in (
        c.worded(c.Void(1), "x"),
        c.worded(c.Veto(1), "x"),
        c.worded(c.Amend(1, "c1", {"rating": 1}), "x"),
    ):
        assert code_of(table.submit, NARRATOR, command) == "not-seen"
    assert code_of(table.submit, NARRATOR, c.Reveal(1)) == "not-seen"


def test_in_a_blind_roll_a_participant_throws_and_sees_no_dice() -> None:
    table = thrown("blind")
    (entry,) = [e for e, r in zip(table.aggregate.view("p1"), table.aggregate.records, strict=True)
                if r is not None and isinstance(r.event, rolled.DiceRolled)]  # fmt: skip
    assert entry.payload is None
    for command in (c.Freeze(1, "initiator", ()), c.Choose(1, "natural", "allow"), c.Resolve(1)):
        assert code_of(table.submit, "p1", command) == "not-seen"


@pytest.mark.parametrize("visibility", ["public", "gm", "blind"])
def test_a_throw_answers_the_last_commitment_that_its_thrower_may_see(
    visibility: Visibility,
) -> None:
    table, etgar, toad = fight("fair", level="player")
    wish = {**WISH, "opponent": toad.id}
    table.declare(etgar, visibility=visibility, level="player", **wish).react(root="חננ", rating=3)
    first = table.state.rolls[1].outstanding
    assert first is not None
    assert [outstanding_for(table.state, seat, table.state.rolls[1]) for seat in SEATS[:3]] == (
        [first] * 3
    )
    table.submit("p1", c.RollDice(1, "initiator", nonce=NONCES[0], committed=first.seq))
    roll = table.state.rolls[1]
    assert roll.outstanding not in (None, first)
    for seat in SEATS[:3]:
        sees = SEES[visibility, seat] == "everything"
        assert outstanding_for(table.state, seat, roll) == (roll.outstanding if sees else first)


def test_in_a_blind_roll_no_refusal_lets_a_participant_infer_the_dice() -> None:
    refusals = []
    for faces in (NATURAL, MISS):
        table, etgar, _ = fight(options={"cipher_dice": 0})
        table.declare(etgar, visibility="blind", root=ROOT, rating=0)
        table.submit("p1", c.RollDice(1, "initiator", faces=faces))
        with pytest.raises(Refused) as refused:
            table.submit("p1", c.RollDice(1, "initiator", faces=faces))
        found = moves(table.state, "p1", 1)
        refusals.append((str(refused.value), found))
    assert refusals[0] == refusals[1]


def test_who_takes_part_in_a_blind_roll_is_as_it_was_declared() -> None:
    """An amendment after the first throw is hidden: nobody's sight of the declaration changes."""
    table = Table("age_of_magic", dice="scripted")
    sheet = {"Brawling": 6, "ST": 3}
    ann, ben, cat = (table.character(name, attributes=sheet) for name in "ABC")
    wish: dict[str, Any] = {
        "skill": "Brawling",
        "characteristic": "ST",
        "kind": "attack",
        "difficulty": 6,
    }
    roll = table.declare(ann, visibility="blind", targets=[ben.id], **wish)
    table.submit(ann.seat, c.RollDice(1, roll.offers[0].hand, option=0))
    before = {seat: table.aggregate.view(seat) for seat in table.state.seats}
    roll.amend("It was the other", targets=[cat.id])
    after = {seat: table.aggregate.view(seat)[: len(before[seat])] for seat in before}
    assert before == after
    table.submit(NARRATOR, c.Reveal(1))
    assert participants(table.state, roll.state) == {ann.seat, cat.seat}


def test_an_amendment_before_the_first_throw_is_shown_like_a_replacement() -> None:
    """Else a replacement after it, which the participants of a blind roll see, would show it."""
    table, etgar, toad = fight()
    frog = table.character("Frog", attributes={"GRA": 2})
    roll = table.declare(etgar, visibility="blind", opponent=toad.id, **WISH)
    roll.amend("It was the frog", opponent=frog.id)
    seen = {seat: table.aggregate.view(seat)[-2:] for seat in ("p1", frog.seat, "p2")}
    shown = {seat: [each.payload is not None for each in two] for seat, two in seen.items()}
    assert shown == {"p1": [True, True], frog.seat: [True, True], "p2": [False, False]}
    for seat in seen:
        own = Aggregate(table.aggregate.environment)
        own.load(table.aggregate.view(seat))
        assert own.opened == view_of(table.state, seat)


def test_hidden_damage_waits_until_the_roll_is_revealed() -> None:
    table, etgar, toad = fight()
    roll: RollHandle = strike(table, etgar, toad, visibility="gm")
    assert "apply_damage" not in [offer.trigger for offer in roll.offers]
    assert code_of(table.submit, "p1", c.ApplyDamage(1)) == "not-offered"
    table.submit(NARRATOR, c.Reveal(1))
    assert roll.apply_damage().amount == 5


def test_notes_on_a_hidden_roll_are_as_hidden_as_the_roll() -> None:
    table, etgar, _ = fight()
    table.seat("p3")
    table.declare(etgar, visibility="gm", label="In secret", **WISH)
    table.submit("p1", c.worded(c.Note(8), "more of it"))
    table.submit("p1", c.worded(c.Dispute(1), "and why"))
    sealed = [entry for entry in table.aggregate.view("p3") if entry.payload is None]
    assert [entry.seq for entry in sealed] == [8, 9, 10, 11, 12, 13]
    assert [entry.kind for entry in sealed] == ["hidden", "hidden-text"] * 3


def test_who_takes_part_are_the_owners_of_the_characters_named_and_acting() -> None:
    table = table_of("gm")
    assert participants(table.state, table.state.rolls[1]) == {"p1", "p2"}
    assert len(ALWAYS_OPEN) == 4
