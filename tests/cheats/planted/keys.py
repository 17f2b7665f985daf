"""Cheats with the keys of seats, and with seats that have none: who asked, over which head."""

from typing import Any

from msgspec.structs import replace

from tests.cheats.cheat import Planted
from tests.cheats.forging import Made, ended, head, made, rewritten
from tests.cheats.host import Host, signature_of
from tests.cheats.stages import brawl, circle, prayer
from tests.sealing import asked_of, resealed
from urim.engine.core import commands
from urim.engine.core.limits import NARRATOR
from urim.events.entry import Entry
from urim.events.share import link

PLANTED = Planted()

HAND = "initiator"


def keyed(*seats: str) -> tuple[Host, dict[str, bytes]]:
    """A table at level table whose seats p1 and p2 have keys; and the public ones."""
    host = brawl("table")
    found = {seat: host.key(seat) for seat in seats or ("p1", "p2")}
    host.anchor("p1", "p2")
    return host, found


def signed_as(entry: Entry, **changes: Any) -> Entry:
    """The first entry of a commit, in which the request says something else."""
    found = asked_of(entry)
    assert found is not None
    return resealed(entry, asked=replace(found, **changes))


def last_first(host: Host) -> Entry:
    """The first entry of the last commit."""
    return host.entries[host.entries[-1].commit]


def with_last(host: Host, entry: Entry) -> tuple[Entry, ...]:
    """The log with another first entry in its last commit."""
    log = host.entries
    return (*log[: entry.seq], entry, *log[entry.seq + 1 :])


@PLANTED("52", sig=None)
@PLANTED("52b", sig="")
def forged_command(honest: bool, sig: str | None) -> Made:
    """The host asks in the name of p2; the twin's p2 asks itself."""
    host, _ = keyed()
    host.ask("p2", commands.NameCharacter("c2"), words="Toad")
    first = last_first(host)
    if honest:
        return made(host)
    asked = asked_of(first)
    assert asked is not None
    made_up = None if sig is None else signature_of(host.private, host.origin, "p2", asked)
    forged = signed_as(first, sig=made_up)
    return made(host, with_last(host, forged), entry=first.seq)


@PLANTED("53", origin=True)
@PLANTED("53b")
def signed_elsewhere(honest: bool, origin: bool = False) -> Made:
    """A seat's signature of something else it asked."""
    host, _ = keyed()
    host.ask("p2", commands.NameCharacter("c2"), words="Toad")
    first = last_first(host)
    asked = asked_of(first)
    assert asked is not None
    other = asked if origin else replace(asked, request="another")
    name = "urim.local/t/cheats02" if origin else host.origin
    sig = signature_of(host.keys["p2"], name, "p2", other)
    log = host.entries if honest else with_last(host, signed_as(first, sig=sig))
    return made(host, log, entry=None if honest else first.seq)


@PLANTED("62")
def replayed(honest: bool) -> Made:
    """What p2 asked once, put into the log again; the twin's asks twice."""
    host, _ = keyed()
    host.ask("p2", commands.Note(0), words="Well.")
    first, text = host.entries[-2:]
    if honest:
        host.ask("p2", commands.Note(0), words="Well.")
        return made(host)
    size, at = len(host.entries), text.at + 1_000
    again = resealed(first, seq=size, at=at)
    words = resealed(text, seq=size + 1, at=at, first=size)
    return made(host, (*host.entries, again, words), entry=size)


@PLANTED("62b")
def second_history(honest: bool) -> Made:
    """The log before a command of p2's says something else now."""
    host, _ = keyed()
    host.ask("p2", commands.Note(0), words="Well.")
    first = last_first(host)
    seq = next(e.seq for e in host.entries if type(host.event(e.seq)).__name__ == "SeatTaken")
    log = list(host.entries)
    if not honest:
        log[seq] = resealed(log[seq], salt=host.drawn("another salt"))
    return made(host, log, entry=None if honest else first.seq)


@PLANTED("61", keys=("p2",))
@PLANTED("61b")
def anchor_changed(honest: bool, keys: tuple[str, ...] = ()) -> Made:
    """Once p2 opened its share, p1 had another chain from the start."""
    host = brawl("table")
    for seat in keys:
        host.key(seat)
    seq = host.anchor("p1")
    host.anchor("p2")
    number = prayer(host)
    host.ask_for(number, "p1", HAND)
    share = host.open("p2")
    seen = () if keys else (head(host),)
    last = host.nonce()
    fresh = link(host.state.id, "p1", last, 0)
    if not honest:
        forged = rewritten(host.entries, seq, lambda event: replace(event, anchor=fresh))
        host = host.anew(forged)
        host.chains[fresh] = last
    host.open("p1")
    return made(host, seen=seen, entry=share if keys and not honest else None)


@PLANTED("57")
@PLANTED("57b", named=True)
def grabbed(honest: bool, named: bool = False) -> Made:
    """A narrator takes p2's seat away, seats somebody else, and throws for it."""
    host = brawl()
    seats = {"p2": host.key("p2")} if named else {}
    entry = None
    if not honest:
        entry = host.ask(NARRATOR, commands.LeaveSeat("p2"))
        host.ask(NARRATOR, commands.TakeSeat("p2"))
    number = prayer(host, "c2")
    if named and not honest:
        entry = host.roll(number).trail[0].seq
    host.throw(number)
    host.finish(number)
    return made(host, entry=entry, seats=seats)


@PLANTED("67")
def without_key(honest: bool) -> Made:
    """A seat leaves and comes back; the twin's stays."""
    host, _ = keyed()
    entry = None
    if not honest:
        host.ask("p2", commands.LeaveSeat("p2"))
        entry = host.ask(NARRATOR, commands.TakeSeat("p2"))
    return ended(host, prayer(host), entry)


@PLANTED("65")
@PLANTED("65b", key=True)
def made_up(honest: bool, key: bool = False) -> Made:
    """The host draws a chain for p2 and opens it; the twin's p2 does, with its key."""
    host = brawl("table")
    if honest or key:
        host.key("p1")
        host.key("p2")
    host.anchor("p1", "p2")
    entry = host.entries[-1].seq
    number = prayer(host)
    host.throw(number)
    if honest or not key:
        return ended(host, number, None if honest else entry)
    log = list(host.entries)
    log[entry] = signed_as(log[entry], sig=None, seen=None)
    return made(host, log, entry=entry)


@PLANTED("74")
def anchored_for(honest: bool) -> Made:
    """An anchor in the name of p2, whose client did not make it."""
    host = circle()
    entry = None if honest else host.anchor("p2")
    number = prayer(host)
    host.throw(number)
    return ended(host, number, entry)


@PLANTED("53c", size=1)
@PLANTED("53d", size=1_000)
@PLANTED("53e", size=-1)
def seen_wrongly(honest: bool, size: int) -> Made:
    """A request signed over another head than the newest; the twin's is over that."""
    host, _ = keyed()
    number = prayer(host)
    host.ask_for(number, "p1", HAND)
    before = len(host.entries)
    host.open("p2")
    if honest:
        return made(host)
    first = last_first(host)
    asked = asked_of(first)
    assert asked is not None
    there = before + size if size < 0 else size
    seen = host.seen(there)
    if there > before:
        seen = replace(host.seen(), size=there)
    wrong = replace(asked, seen=seen)
    sig = signature_of(host.keys["p2"], host.origin, "p2", wrong)
    return made(host, with_last(host, signed_as(first, seen=seen, sig=sig)), entry=first.seq)
