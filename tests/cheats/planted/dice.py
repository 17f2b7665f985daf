"""Cheats with how dice fall: other faces than follow from seed, nonces and place."""

from typing import Any

from msgspec.structs import replace

from tests.cheats.cheat import Planted
from tests.cheats.forging import Made, ended
from tests.cheats.ground import beside, fallen, ground, later, one_byte
from tests.cheats.host import Host
from tests.cheats.stages import brawl, landed, prayer
from urim.events.roll import Proof

PLANTED = Planted()


@PLANTED("12")
def one_byte_of_it(honest: bool) -> Made:
    """Faces from one byte `%` the number of faces, as many a program draws them."""
    host = brawl()
    number = prayer(host)

    def twist(event: Any) -> Any:
        base = ground(host, event)
        return fallen(event, base, None if honest else one_byte(base))

    entry = host.throw(number, twist=twist)
    return ended(host, number, entry)


@PLANTED("13")
def off_by_one(honest: bool) -> Made:
    """Every face the one after the one it should be."""
    host = brawl()
    number = prayer(host)

    def twist(event: Any) -> Any:
        base = ground(host, event)
        return fallen(event, base, beside(base, 0 if honest else 1))

    entry = host.throw(number, twist=twist)
    return ended(host, number, entry)


@PLANTED("13b")
def one_face(honest: bool) -> Made:
    """A single die turned to what the roller needs, in the last throw of the roll."""
    host = brawl()
    number = prayer(host)
    host.throw(number)

    def twist(event: Any) -> Any:
        first, *others = event.dice
        wish = "*" if first.face != "*" else "ר"
        return event if honest else replace(event, dice=(replace(first, face=wish), *others))

    entry = host.reroll(number, "d3", "d4", twist=twist)
    return ended(host, number, entry)


@PLANTED("14")
def best_of_two(honest: bool) -> Made:
    """Two throws from one ground, the better one told; the twin's reroll is in the log."""

    def play(seed: str) -> Made | None:
        host = brawl(seed=seed)
        number = prayer(host)
        better: list[bool] = []

        def twist(event: Any) -> Any:
            base = ground(host, event)
            second = fallen(event, base, later(base, len(event.dice)))
            better.append(hits(second) > hits(event))
            return event if honest else second

        entry = host.throw(number, twist=twist)
        if honest:
            host.reroll(number, "d1", "d2", "d3")
        return ended(host, number, entry) if better[0] else None

    return landed(play)


@PLANTED("14b")
def without_nonce(honest: bool) -> Made:
    """With the nonce the dice fell badly, so the host throws without; the twin's level has none."""

    def play(seed: str) -> Made | None:
        host = brawl("server" if honest else "player", seed)
        number = prayer(host)
        better: list[bool] = []

        def twist(event: Any) -> Any:
            again = fallen(event, replace(ground(host, event), nonce=None))
            better.append(hits(again) > hits(event))
            return event if honest else again

        entry = host.throw(number, twist=twist)
        return ended(host, number, entry) if better[0] or honest else None

    return landed(play)


@PLANTED("14c")
def typed_in(honest: bool) -> Made:
    """At a table of fair dice the host types the faces in; the twin's dice are physical."""
    if honest:
        host = Host("sagatafl", dice="manual")
        host.character("p1", {"Hearing": 3})
        number = host.declare("c1", trait="Hearing", rd=5)
        host.throw(number, faces=(7, 2, 9))
        return ended(host, number)
    host = Host("sagatafl")
    host.character("p1", {"Hearing": 3})
    number = host.declare("c1", trait="Hearing", rd=5)

    def twist(event: Any) -> Any:
        dice = tuple(replace(item, face=9) for item in event.dice)
        return replace(event, dice=dice, proof=Proof(0, "manual"))

    entry = host.throw(number, twist=twist)
    return ended(host, number, entry)


@PLANTED("14d")
def another_order(honest: bool) -> Made:
    """The dice of a throw in an order that suits the host better."""
    host = brawl()
    number = prayer(host)

    def twist(event: Any) -> Any:
        base = ground(host, event)
        return event if honest else fallen(event, replace(base, dice=base.dice[::-1]))

    entry = host.throw(number, twist=twist)
    return ended(host, number, entry)


@PLANTED("14e")
def without_proof(honest: bool) -> Made:
    """Dice that lie there, and no word about how they fell."""
    host = brawl()
    number = prayer(host)

    def twist(event: Any) -> Any:
        return event if honest else replace(event, proof=None)

    entry = host.throw(number, twist=twist)
    return ended(host, number, entry)


@PLANTED("14f")
def level_lowered(honest: bool) -> Made:
    """A roll at level server where the table is at level player; the twin's table is at server."""
    host = brawl("server" if honest else "player")
    number = prayer(host, twist=lambda event: replace(event, level="server"))
    entry = host.roll(number).trail[0].seq
    host.throw(number)
    return ended(host, number, entry)


def hits(event: Any) -> int:
    """How many dice of a throw are worth something to the roller of a prayer."""
    return sum(item.face in "רוח*" for item in event.dice)
