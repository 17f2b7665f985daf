"""Good bundles, small ones, that between them have what a log may have, to be spoiled."""

from functools import cache

from tests.cheats.cheats import honest
from tests.cheats.forging import Made, head, made
from tests.cheats.host import Host
from tests.cheats.stages import brawl, hit, landed, prayer, restore
from urim.engine.bundle.write import bundle_of
from urim.engine.core import commands
from urim.engine.core.limits import NARRATOR
from urim.events.checkpoint import read_key

TWINS = ("1", "7", "14c", "15", "21", "21b", "21c", "27", "28")
"""Honest twins that are spoiled: an epoch, level table, typed dice, voids, hidden rolls revealed
and not, an erased name, an amendment, three systems."""

EVERYBODY = ("p1", "p2", NARRATOR)


@cache
def goods() -> tuple[Made, ...]:
    """All of them; the last four are of keys, shares, levels and one machine."""
    night = keyed_night()
    return (
        *map(honest, TWINS),
        one_roll(hidden=False),
        one_roll(hidden=True),
        made(night),
        for_everybody(night),
        of_roll(night, 1, "p2"),
        one_machine(),
    )


def one_roll(*, hidden: bool) -> Made:
    """The bundle of one roll, with inclusion proofs; a hidden one as its roller has it."""
    if hidden:
        host = brawl()
        number = prayer(host, visibility="gm")
        host.throw(number)
        host.finish(number)
        prayer(host, "c2")
    else:
        host, number = landed(hit)
        host.apply_damage(number)
    return of_roll(host, number, "p1" if hidden else "")


def of_roll(host: Host, number: int, seat: str) -> Made:
    """The bundle of one roll, as a seat has it."""
    lines = bundle_of(host.aggregate, seat, head(host), [read_key(host.vkey)], number)
    return Made(b"".join(lines), host.vkey)


def for_everybody(host: Host) -> Made:
    """The whole table, its hidden rolls sealed."""
    lines = bundle_of(host.aggregate, "", head(host), [read_key(host.vkey)])
    return Made(b"".join(lines), host.vkey)


def keyed_night() -> Host:
    """Seats with keys at level table: shares, a break, a hidden roll, an epoch, a lower level."""
    host = brawl("table")
    for seat in EVERYBODY:
        host.key(seat)
    host.anchor(*EVERYBODY)
    host.throw(prayer(host))
    hidden = prayer(host, "c2", visibility="gm")
    host.ask_for(hidden, "p2", "initiator")
    host.ask("p2", commands.Note(0), words="Well?")
    host.open_all(but=("p1",))
    host.break_off()
    host.ask("p1", commands.Note(0), words="I was asleep.")
    host.throw(hidden)
    waiting = prayer(host)
    host.ask_for(waiting, "p1", "initiator")
    restore(host)
    host.anchor("p1", "p2")
    host.throw(waiting)
    for number in (1, hidden, waiting):
        host.finish(number)
    return host


def one_machine() -> Made:
    """A table whose seats are all played by one program; one of its levels is named."""
    host = Host("sagatafl", one_machine=True)
    host.character("p1", {"Body": 5, "Dex": 3, "Hearing": 4})
    for level in (None, "player"):
        number = host.declare("c1", level=level, trait="Hearing", rd=6)
        host.throw(number)
        host.finish(number)
    return made(host)
