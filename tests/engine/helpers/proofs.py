"""Throws proved from the log alone: every die thrown again, from what everybody may read."""

from typing import Any

from tests.engine.helpers.stage import ROOT, SKILLS, fight
from urim.engine.table import RollHandle, Table
from urim.events import roll as rolled
from urim.events import throw as urim1
from urim.events.base import Level
from urim.rules import ruleset_named
from urim.rules.milhamah import Options

FACES = ruleset_named("milhamah").faces(Options(skill_roots=SKILLS))


def recomputed(table: Table) -> int:
    """Throw every die of the log again, from what the log holds; how many throws there were."""
    entries = {entry.seq: entry for entry in table.entries}
    throws = 0
    for record in table.aggregate.records:
        proof = getattr(record.event, "proof", None) if record else None
        if record is None or proof is None:
            continue
        throws += 1
        event: Any = record.event
        id = urim1.throw_id(table.state.id, event.roll, proof.throw)
        seed = urim1.seed_from(proof.seed)
        leaf = urim1.NO_LEAF
        if proof.source == "fair":
            assert proof.committed < record.seq
            leaf = entries[proof.committed].leaf
            assert urim1.commitment(id, seed).hex() == published(table, proof.committed)
        shares = shares_of(table, event.roll, proof.throw)
        assert not shares or shares.pop(event.by) == proof.nonce
        witnesses = sorted(shares.items())
        text = urim1.transcript(id, proof.committed or 0, leaf, event.by, proof.nonce, witnesses)
        sides = [FACES[item.kind] for item in event.dice]
        indices = urim1.dice(seed, text, [len(faces) for faces in sides])
        assert [item.face for item in event.dice] == [
            faces[index] for faces, index in zip(sides, indices, strict=True)
        ]
    return throws


def published(table: Table, seq: int) -> str:
    """The commitment that an entry publishes."""
    record = table.aggregate.records[seq]
    assert record is not None
    event: Any = record.event
    match event:
        case rolled.RollDeclared():
            return str(event.commit)
        case rolled.ThrowBroken():
            return event.next
        case _:
            return str(event.proof.next)


def shares_of(table: Table, roll: int, throw: int) -> dict[str, str]:
    """The shares that seats opened for a throw, by seat."""
    return {
        event.by: event.share
        for event in events(table)
        if isinstance(event, rolled.ShareOpened) and (event.roll, event.throw) == (roll, throw)
    }


def duel(level: Level, dice: str = "fair") -> tuple[Table, RollHandle]:
    """Both hands thrown and rerolled, the roll resolved."""
    table, etgar, toad = fight(dice, level=level)
    roll = table.declare(etgar, root=ROOT, rating=4, opponent=toad.id, combat=True)
    roll.react(root="חננ", rating=3)
    for hand in ("initiator", "reactor"):
        roll.roll(hand)
        lying = roll.state.roll.hand(hand)
        assert lying is not None
        roll.freeze(lying.dice[0].id, hand=hand)
        roll.reroll(lying.dice[1].id, lying.dice[2].id, hand=hand)
        if any(offer.trigger == "freeze" for offer in roll.offers):
            roll.stand(hand)
        if any(offer.choice == "natural" for offer in roll.offers):
            roll.choose("natural", "allow")
    return table, roll


def events(table: Table) -> list[Any]:
    """Every event of the table."""
    return [record.event for record in table.aggregate.records if record]
