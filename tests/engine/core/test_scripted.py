"""Typed faces: a test's script may show any face of the system, a physical die its own."""

import pytest

from tests.engine.helpers.decide_cases import typed
from tests.engine.helpers.stage import MISS, NATURAL, NONCES, ROOT, code_of, fight, strike
from tests.engine.helpers.timed import anchor
from urim.engine.core import commands as c
from urim.engine.core.limits import NARRATOR
from urim.engine.core.sources import Fair, Seeded, ThrowRequest, Typed, source_named
from urim.engine.table import RollHandle, Table
from urim.errors import Refused
from urim.events import roll as rolled
from urim.events.base import Face

OWN = tuple("אזאזאזאז")
"""Faces that four red and four blue dice have."""

KINDS = {"coin": ("heads", "tails"), "six": (1, 2, 3, 4, 5, 6)}


def asked(
    *kinds: str, typed: tuple[Face, ...] | None, again: tuple[Face, ...] = ()
) -> ThrowRequest:
    """A throw of dice of these kinds."""
    dice = tuple((f"d{at}", kind) for at, kind in enumerate(kinds, 1))
    return ThrowRequest(
        table="t0000001", roll=1, throw=0, roller="p1", dice=dice, faces=KINDS, typed=typed,
        again=again,
    )  # fmt: skip


def faces_of(source: Typed, request: ThrowRequest) -> list[Face]:
    """The faces thrown."""
    thrown, proof = source.throw(request)
    assert (proof.source, proof.throw, proof.seed, proof.nonce) == (source.name, 0, None, None)
    return [item.face for item in thrown]


@pytest.mark.parametrize("name", ["scripted", "manual"])
def test_typed_faces_fall_as_they_are_typed(name: str) -> None:
    source = source_named(name)
    assert isinstance(source, Typed)
    assert faces_of(source, asked("coin", "six", typed=("tails", 6))) == ["tails", 6]
    assert (source.commit("t0000001", 1, 0), source.open("t0000001", 1, 0)) == (None, None)


@pytest.mark.parametrize("typed", [None, (), ("tails",)])
def test_faces_may_not_run_short(typed: tuple[Face, ...] | None) -> None:
    assert code_of(Typed("scripted").throw, asked("coin", "six", typed=typed)) == "dice-short"


def test_faces_may_not_be_left_over() -> None:
    ask = asked("coin", typed=("tails", "heads"))
    assert code_of(Typed("scripted").throw, ask) == "dice-left"
    assert code_of(Typed("manual").throw, ask) == "dice-left"


def test_a_script_may_show_any_face_of_the_system_on_any_die() -> None:
    assert faces_of(Typed("scripted"), asked("coin", typed=(6,))) == [6]
    assert code_of(Typed("scripted").throw, asked("coin", typed=("edge",))) == "face"


def test_a_physical_die_shows_a_face_of_its_own() -> None:
    assert code_of(Typed("manual").throw, asked("coin", typed=(6,))) == "face"
    with pytest.raises(Refused) as refused:
        Typed("manual").throw(asked("six", typed=(7,)))
    assert refused.value.allowed == ("1", "2", "3", "4", "5", "6")


def test_a_die_that_is_thrown_again_at_once_takes_the_next_face() -> None:
    ask = asked("six", "six", typed=(1, 1, 5, 6), again=(1,))
    thrown, _ = Typed("scripted").throw(ask)
    assert [(item.die, item.face) for item in thrown] == [
        ("d1", 1),
        ("d1", 1),
        ("d1", 5),
        ("d2", 6),
    ]
    assert code_of(Typed("scripted").throw, asked("six", typed=(1,), again=(1,))) == "dice-short"


def test_a_die_cannot_be_thrown_again_for_ever() -> None:
    ask = asked("six", typed=(1,) * 1_001, again=(1,))
    assert code_of(Typed("scripted").throw, ask) == "too-many"


@pytest.mark.parametrize("source", [Fair(bytes(32)), Seeded("7")])
def test_dice_that_are_thrown_take_no_typed_faces(source: Fair | Seeded) -> None:
    assert code_of(source.throw, asked("coin", typed=("heads",))) == "face"


@pytest.mark.parametrize("name", ["", "loaded", "seeded", "seeded:", "fair "])
def test_dice_of_no_known_source_are_refused(name: str) -> None:
    assert code_of(source_named, name, bytes(32)) in ("unknown", "malformed")


def test_fair_dice_need_a_secret() -> None:
    assert code_of(source_named, "fair") == "unknown"
    assert source_named("fair", bytes(32)).name == "fair"
    assert source_named("seeded:7").name == "seeded:7"


# --- at the table ---------------------------------------------------------------------------------


def test_a_refused_throw_changes_nothing_and_may_be_made_again() -> None:
    table, etgar, _ = fight()
    roll = table.declare(etgar, root=ROOT, rating=2)
    before = table.state
    for faces in ((), NATURAL[:7], (*NATURAL, "א"), ("Q", *NATURAL[1:])):
        assert code_of(roll.roll, faces=faces)
        assert table.state is before
    assert roll.roll(faces=NATURAL) == NATURAL


def test_typed_dice_publish_no_commitment_and_take_no_nonce() -> None:
    table, etgar, _ = fight()
    roll = table.declare(etgar, root=ROOT, rating=2)
    assert roll.state.outstanding is None
    throw = c.RollDice(1, "initiator", None, NONCES[0], faces=NATURAL)
    assert code_of(table.submit, "p1", throw) == "nonce"
    anchor(table, "p1", "p2")
    ask = c.Ask(1, "initiator", 7, ("p1", "p2"))
    assert code_of(table.submit, "p1", ask) == "nonce"
    roll.roll(faces=NATURAL)
    roll.void("why")
    record = table.aggregate.records[-2]
    assert record is not None and isinstance(record.event, rolled.RollVoided)
    assert (record.event.throw, record.event.seed) == (None, None)


def test_every_die_is_marked_with_where_it_came_from() -> None:
    table, etgar, toad = fight()
    strike(table, etgar, toad)
    proofs = [
        record.event.proof
        for record in table.aggregate.records
        if record and isinstance(record.event, rolled.DiceRolled)
    ]
    assert [proof.source for proof in proofs if proof] == ["scripted"] * 3
    assert table.state.source == "scripted"


def test_a_wild_for_a_place_is_thrown_again_and_stays_in_the_log() -> None:
    table, etgar, toad = fight()
    roll: RollHandle = table.declare(etgar, root=ROOT, rating=5, opponent=toad.id, combat=True)
    roll.react(root="חננ", rating=3)
    roll.roll(faces=NATURAL)
    roll.stand()
    roll.choose("natural", "allow")
    roll.roll(faces=MISS)
    roll.stand()
    roll.roll(faces=["*", "*", "ש"])
    hand = roll.state.roll.hand("location")
    assert hand is not None
    assert [(die.id, die.thrown, die.face) for die in hand.dice] == [("d17", ("*", "*", "ש"), "ש")]


# --- physical dice --------------------------------------------------------------------------------


def test_physical_dice_are_typed_in_by_the_roller() -> None:
    table, etgar, _ = fight("manual")
    roll = table.declare(etgar, root=ROOT, rating=2, dice={"red": 4, "blue": 4})
    assert code_of(roll.roll, faces=("א",) * 8) == "face"
    assert roll.roll(faces=OWN) == OWN


def test_another_seat_confirms_what_was_typed_once_each() -> None:
    table: Table = typed()
    assert code_of(table.submit, "p1", c.Confirm(1, 0)) == "not-yours"
    assert code_of(table.submit, "p2", c.Confirm(1, 1)) == "unknown"
    table.submit("p2", c.Confirm(1, 0))
    table.submit(NARRATOR, c.Confirm(1, 0))
    assert code_of(table.submit, "p2", c.Confirm(1, 0)) == "not-yours"
    confirmed = [
        (record.event.by, record.event.throw)
        for record in table.aggregate.records
        if record and isinstance(record.event, rolled.ThrowConfirmed)
    ]
    assert confirmed == [("p2", 0), (NARRATOR, 0)]


@pytest.mark.parametrize("dice", ["scripted", "seeded:7", "fair"])
def test_only_physical_dice_are_confirmed(dice: str) -> None:
    table, etgar, _ = fight(dice)
    roll = table.declare(etgar, root=ROOT, rating=2)
    roll.roll(faces=NATURAL if dice == "scripted" else None)
    assert code_of(table.submit, "p2", c.Confirm(1, 0)) == "unknown"
