"""Cheats with the throws themselves: seeds, commitments, nonces, and which throw counts.

Each function plays the same table twice over: with `honest` what an honest host does in the place
of the cheat, which looks much like it.
"""

from typing import Any

from msgspec.structs import replace

from tests.cheats.cheat import Planted
from tests.cheats.forging import Made, ended, made, withheld
from tests.cheats.ground import Seeds, blank, fallen, ground
from tests.cheats.host import TICK, Host
from tests.cheats.stages import brawl, circle, prayer, recommitted, restore, void
from urim.engine.core import commands
from urim.engine.core.limits import NARRATOR
from urim.engine.core.sources import Fair
from urim.events import throw as urim1
from urim.events.table import EpochBegun, Recommitted

PLANTED = Planted()


@PLANTED("1")
def seed_changed(honest: bool) -> Made:
    """Another seed than was committed to; the twin changes it by a new epoch, before the nonce."""
    host = brawl()
    number = prayer(host)
    if honest:
        restore(host)
        host.throw(number)
        return ended(host, number)

    def twist(event: Any) -> Any:
        return fallen(event, replace(ground(host, event), seed=host.drawn("a better seed")))

    entry = host.throw(number, twist=twist)
    return ended(host, number, entry)


@PLANTED("2")
def committed_late(honest: bool) -> Made:
    """The throw answers an epoch that begins after it; the twin's epoch begins before."""
    host = brawl()
    number = prayer(host)
    if honest:
        restore(host)
        host.throw(number)
        return ended(host, number)
    fresh = Fair(host.secret(1))
    commits = tuple(
        Recommitted(number, throw, str(fresh.commit(host.state.id, number, throw)))
        for throw in (0, 1)
    )
    epoch = EpochBegun(NARRATOR, 1, commits)
    size = len(host.entries)
    announced = host.sealed(size + 1, epoch, at=host.state.at + 2 * TICK)[0]

    def twist(event: Any) -> Any:
        seed = urim1.seed_from(str(fresh.open(host.state.id, number, 0)))
        base = replace(ground(host, event), seed=seed, committed=announced.seq, leaf=announced.leaf)
        return fallen(event, base, next=commits[1].commit)

    entry = host.throw(number, twist=twist)
    host.aggregate.load([announced])
    host.begin(1)
    return ended(host, number, entry)


def two_prayers(host: Host) -> tuple[tuple[int, int], list[Any]]:
    """Two rolls side by side, and the throws that they should have."""
    rolls = prayer(host), prayer(host, "c2")
    thrown = [blank(host, number, nonce=host.nonce()) for number in rolls]
    return rolls, [fallen(event, ground(host, event)) for event in thrown]


@PLANTED("3", parts=("committed", "seed", "nonce", "next"))
@PLANTED("3b", parts=("seed", "nonce"))
@PLANTED("3c", parts=())
def swapped(honest: bool, parts: tuple[str, ...]) -> Made:
    """Dice, and of the proof these parts, of one roll in another; the twin lets each be."""
    host = brawl()
    rolls, events = two_prayers(host)
    if not honest:
        events = [
            replace(
                mine,
                dice=theirs.dice,
                proof=replace(mine.proof, **{p: getattr(theirs.proof, p) for p in parts}),
            )
            for mine, theirs in (events, reversed(events))
        ]
    first, _ = map(host.write, events)
    for number in rolls:
        host.finish(number)
    return made(host, entry=first)


@PLANTED("4")
def throw_skipped(honest: bool) -> Made:
    """A throw that was made and is not told of, its seed's place taken by the next one's."""
    host = brawl()
    number = prayer(host)
    if honest:
        host.throw(number)
        host.reroll(number, "d1", "d2")
        return ended(host, number)
    onward = host.source.commit(host.state.id, number, 2)
    host.throw(number, twist=lambda e: replace(e, proof=replace(e.proof, next=onward)))
    event = blank(host, number, "d1", "d2", throw=2, nonce=host.nonce())
    entry = host.write(fallen(event, ground(host, event)))
    return ended(host, number, entry)


@PLANTED("5")
def throw_repeated(honest: bool) -> Made:
    """The same throw twice, for another nonce; the twin makes the next one after it."""
    host = brawl()
    number = prayer(host, status={"blessed": {"rerolls": ["X", "X"]}})
    host.throw(number)
    if honest:
        host.reroll(number, "d1", "d2")
        host.reroll(number, "d1", "d2")
        return ended(host, number)
    first, second = (blank(host, number, "d1", "d2", throw=1, nonce=host.nonce()) for _ in range(2))
    base = ground(host, first)
    host.write(fallen(first, base))
    entry = host.write(fallen(second, replace(base, nonce=second.proof.nonce)))
    return ended(host, number, entry)


@PLANTED("6")
def seed_reused(honest: bool) -> Made:
    """Every throw of the roll under the seed of its first, each committed to in due form."""
    host = brawl()
    if not honest:
        host.throw_with(Seeds(lambda id: host.drawn(f"seed of {id.rpartition('/')[0]}")))
    number = prayer(host)
    host.throw(number)
    entry = host.reroll(number, "d1", "d2")
    return ended(host, number, entry)


@PLANTED("6b")
def nonce_reused(honest: bool) -> Made:
    """One nonce of a client's in two throws; the twin's client draws a fresh one."""
    host = brawl()
    number = prayer(host)
    host.throw(number)
    if not honest:
        host.sent = 0
    entry = host.reroll(number, "d1", "d2")
    return ended(host, number, entry)


# --- voids ----------------------------------------------------------------------------------------


@PLANTED("15")
@PLANTED("15b", seed="another")
def void_sealed(honest: bool, seed: str = "") -> Made:
    """A void that opens no seed, or another than was committed to; the twin's opens it."""
    host = brawl()
    number = prayer(host)

    def twist(event: Any) -> Any:
        other = host.drawn(seed).hex() if seed else None
        return event if honest else replace(event, seed=other, throw=0 if seed else None)

    entry = void(host, number, twist)
    return ended(host, prayer(host), entry)


@PLANTED("15c")
def next_omitted(honest: bool) -> Made:
    """A throw that commits to no seed for the next, before its roll is voided."""
    host = brawl()
    number = prayer(host)

    def twist(event: Any) -> Any:
        return event if honest else replace(event, proof=replace(event.proof, next=None))

    entry = host.throw(number, twist=twist)
    void(host, number)
    return made(host, entry=entry)


@PLANTED("15d")
def epoch_forgets(honest: bool) -> Made:
    """An epoch that does not commit anew for a live roll, which is voided then."""
    host = brawl()
    number = prayer(host)
    host.throw(number)
    host.begin(1)
    commits = recommitted(host) if honest else ()
    entry = host.write(EpochBegun(NARRATOR, 1, commits))
    sealed = None if honest else (lambda event: replace(event, throw=None, seed=None))
    void(host, number, sealed)
    return made(host, entry=entry)


@PLANTED("15e")
def voided_recommitted(honest: bool) -> Made:
    """An epoch commits to a throw of a roll that is voided; the twin's to none."""
    host = brawl()
    number = prayer(host)
    void(host, number)
    host.begin(1)
    onward = str(host.source.commit(host.state.id, number, 0))
    again = () if honest else (Recommitted(number, 0, onward),)
    return made(host, entry=host.write(EpochBegun(NARRATOR, 1, again)))


@PLANTED("21g")
def revealed_in_part(honest: bool) -> Made:
    """A hidden roll is revealed, and the dice behind its last share are kept back."""
    host = circle()
    number = prayer(host, visibility="gm")
    dice = host.throw(number)
    host.ask(NARRATOR, commands.Reveal(number))
    return made(host, host.entries if honest else withheld(host.entries, [dice]))


@PLANTED("21f")
def throw_kept_back(honest: bool) -> Made:
    """A hidden roll's second throw is shown, and not its first; the twin's file shows neither."""
    host = brawl()
    number = prayer(host, visibility="gm")
    first = host.throw(number)
    second = host.reroll(number, "d1")
    host.finish(number)
    hidden = [entry.seq for entry in host.entries if entry.kind == "hidden"]
    gone = hidden if honest else [first]
    return made(host, withheld(host.entries, gone), entry=None if honest else second)
