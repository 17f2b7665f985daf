"""What the dice of a throw follow from, laid open, so that a host can bend any part of it."""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from tests.engine.helpers.tables.host import Host
from urim.engine.core.sources import ThrowRequest
from urim.events import throw as urim1
from urim.events.base import Face, Thrown
from urim.events.roll import DiceRerolled, DiceRolled, Proof, ShareOpened

Throw: TypeAlias = DiceRolled | DiceRerolled


class Ground(Struct, frozen=True, kw_only=True):
    """Everything that the dice of one throw follow from, the seed included."""

    id: str
    seed: bytes
    committed: int
    leaf: bytes
    roller: str
    nonce: str | None
    witnesses: tuple[tuple[str, str], ...]
    dice: tuple[tuple[str, str], ...]
    faces: Mapping[str, tuple[Face, ...]]
    again: tuple[Face, ...] = ()

    @property
    def text(self) -> bytes:
        """T."""
        return urim1.transcript(
            self.id, self.committed, self.leaf, self.roller, self.nonce, self.witnesses
        )

    def fall(self, draw: urim1.Draw | None = None) -> tuple[Thrown, ...]:
        """The dice as they fall from here, or as a draw of the host's own lets them."""
        draw = draw or urim1.keyed(self.seed, self.text)
        thrown: list[Thrown] = []
        for die, kind in self.dice:
            table = self.faces[kind]
            while not thrown or thrown[-1].die != die or thrown[-1].face in self.again:
                thrown.append(Thrown(die, kind, table[draw(len(thrown), len(table))[0]]))
        return tuple(thrown)


def ground(host: Host, event: Throw) -> Ground:
    """That of an event which is decided and not written yet."""
    roll = host.roll(event.roll)
    proof, waiting = event.proof, roll.outstanding
    assert proof is not None and waiting is not None
    return Ground(
        id=urim1.throw_id(host.state.id, event.roll, proof.throw),
        seed=urim1.seed_from(str(proof.seed)),
        committed=waiting.seq,
        leaf=waiting.leaf,
        roller=event.by,
        nonce=proof.nonce,
        witnesses=shares_beside(host, event),
        dice=tuple({item.die: item.kind for item in event.dice}.items()),
        faces=host.state.game.faces,
        again=next((o.again for o in host.offers(event.roll) if o.hand == event.hand), ()),
    )


def shares_beside(host: Host, event: Throw) -> tuple[tuple[str, str], ...]:
    """The shares in the log of every seat but the roller, for this throw."""
    assert event.proof is not None
    place = (event.roll, event.proof.throw)
    said = (host.event(entry.seq) for entry in host.entries if entry.payload is not None)
    shares = (each for each in said if isinstance(each, ShareOpened) and each.by != event.by)
    return tuple((each.by, each.share) for each in shares if (each.roll, each.throw) == place)


def fallen(event: Any, ground: Ground, draw: urim1.Draw | None = None, **proof: Any) -> Any:
    """The event with the dice that fall from this ground, and a proof that says so."""
    said = {
        "committed": ground.committed,
        "seed": ground.seed.hex(),
        "nonce": ground.nonce,
        **proof,
    }
    return replace(event, dice=ground.fall(draw), proof=replace(event.proof, **said))


def blank(
    host: Host, number: int, *dice: str, throw: int | None = None, nonce: str | None = None
) -> Any:
    """A throw that nobody asked the engine for: these dice again, or without any the next hand."""
    state = host.roll(number)
    throw = state.throws if throw is None else throw
    seed = host.source.open(host.state.id, number, throw)
    onward = host.source.commit(host.state.id, number, throw + 1)
    committed = state.outstanding.seq if state.outstanding else None
    proof = Proof(throw, "fair", committed, seed, nonce, onward)
    if dice:
        hand = next(h for h in state.roll.hands if any(die.id in dice for die in h.dice))
        kinds = {die.id: die.kind for die in hand.dice}
        again = tuple(Thrown(id, kinds[id], 0) for id in dice)
        seat = host.state.characters[hand.character].seat
        return DiceRerolled(seat, number, hand.name, again, proof)
    offer = host.offer(number, "roll")
    first = 1 + sum(len(h.dice) for h in state.roll.hands)
    thrown = tuple(Thrown(f"d{first + at}", kind, 0) for at, kind in enumerate(offer.dice))
    seat = host.owner(offer)
    return DiceRolled(seat, number, offer.character, offer.hand, thrown, proof=proof)


class Seeds(Struct, frozen=True):
    """Dice that call themselves fair and keep every form, under seeds of the host's choice."""

    of: Callable[[str], bytes]
    name: str = "fair"

    def commit(self, table: str, roll: int, throw: int) -> str | None:
        """The commitment to the chosen seed."""
        id = urim1.throw_id(table, roll, throw)
        return urim1.commitment(id, self.of(id)).hex()

    def open(self, table: str, roll: int, throw: int) -> str | None:
        """The chosen seed."""
        return self.of(urim1.throw_id(table, roll, throw)).hex()

    def throw(self, request: ThrowRequest) -> tuple[tuple[Thrown, ...], Proof]:
        """The dice that follow from it, just as they should."""
        assert request.committed is not None
        base = Ground(
            id=request.id,
            seed=self.of(request.id),
            committed=request.committed,
            leaf=request.leaf,
            roller=request.roller,
            nonce=request.nonce,
            witnesses=request.witnesses,
            dice=request.dice,
            faces=request.faces,
            again=request.again,
        )
        onward = self.commit(request.table, request.roll, request.throw + 1)
        proof = Proof(
            request.throw, "fair", request.committed, base.seed.hex(), request.nonce, onward
        )
        return base.fall(), proof


def beside(ground: Ground, off: int) -> urim1.Draw:
    """The right draw, and then the face `off` places further."""
    draw = urim1.keyed(ground.seed, ground.text)
    return lambda j, sides: ((draw(j, sides)[0] + off) % sides, 0)


def later(ground: Ground, skipped: int) -> urim1.Draw:
    """The draws of dice that come after these: a second throw from the same ground."""
    draw = urim1.keyed(ground.seed, ground.text)
    return lambda j, sides: draw(j + skipped, sides)
