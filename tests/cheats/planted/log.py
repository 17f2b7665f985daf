"""Cheats with the log itself: rewritten, cut off, split, restored; and with whom voids favour."""

import json
from collections.abc import Sequence

from msgspec.structs import replace

from tests.cheats.cheat import Planted
from tests.cheats.forging import (
    Made,
    erased,
    head,
    lines,
    made,
    note,
    retold,
    rewritten,
    stranger,
    told,
    withheld,
)
from tests.cheats.host import Host
from tests.cheats.stages import brawl, prayer, restore, strife, void
from tests.sealing import resealed
from urim.engine.bundle.write import bundle_of
from urim.engine.core import commands
from urim.engine.core.limits import NARRATOR
from urim.events import table as tabled
from urim.events.checkpoint import Checkpoint, read_key, sign
from urim.events.entry import Entry
from urim.events.merkle import root_of

PLANTED = Planted()


def evening(seed: str = "1") -> Host:
    """A table with two finished rolls and a name or two."""
    host = brawl(seed=seed)
    host.ask("p1", commands.NameCharacter("c1"), words="Etgar")
    for who in ("c1", "c2"):
        number = prayer(host, who)
        host.throw(number)
        host.finish(number)
    return host


@PLANTED("17")
def rewritten_under_old_root(honest: bool) -> Made:
    """A sheet rewritten and sealed anew, under the checkpoint that everybody holds already."""
    host = evening()
    entries: Sequence[Entry] = host.entries
    seq = next(e.seq for e in entries if isinstance(host.event(e.seq), tabled.CharacterEntered))
    if not honest:
        entries = rewritten(entries, seq, lambda e: replace(e, attributes={"BLE": 9}))
    return made(host, entries, checkpoint=head(host))


@PLANTED("17b")
def rewritten_in_place(honest: bool) -> Made:
    """A sheet rewritten with its digest left alone, so that the root stays; the twin sets it."""
    host = evening()
    seq = next(
        e.seq for e in host.entries if isinstance(host.event(e.seq), tabled.CharacterEntered)
    )
    if honest:
        host.ask(NARRATOR, commands.SetTrack("c1", "merit", 9))
        return made(host)
    forged = retold(host.entries, seq, lambda e: replace(e, tracks={"merit": 9}))
    return made(host, forged, entry=seq)


@PLANTED("17c")
def rewritten_wholly(honest: bool) -> Made:
    """A roll played again from its declaration, under other salts, until its dice fall well.

    The host knows the nonce by then, so that nothing in the file is wrong.
    """
    host = brawl()
    start = len(host.entries)
    number = prayed(host)
    fell = hits(host, number)
    host.finish(number)
    seen = [head(host)]
    if honest:
        host.finish(prayed(host))
        return made(host, seen=seen)
    for grain in range(100):
        other = host.anew(host.entries[:start])
        other.sent, other.grain = 0, f" {grain}"
        if hits(other, prayed(other)) > fell + 1:
            other.finish(number)
            return made(other, seen=seen)
    raise AssertionError("no salt is good enough")


def prayed(host: Host) -> int:
    """A roll that is thrown."""
    number = prayer(host)
    host.throw(number)
    return number


def hits(host: Host, number: int) -> int:
    """How many dice are worth something to the roller of a prayer."""
    return sum(str(die.face) in "רוח*" for die in host.roll(number).roll.hands[0].dice)


@PLANTED("18")
def cut_off(honest: bool) -> Made:
    """The last entries gone and the rest signed again; the twin's seen checkpoint is no longer."""
    host = evening()
    size = len(host.entries) - 2
    return made(host, host.entries[:size], seen=[head(host, size if honest else None)])


@PLANTED("19")
def two_views(honest: bool) -> Made:
    """One seat is shown this log and signed another of the same size; the twin's saw this one."""
    host = evening()
    size = len(host.entries)
    host.ask(NARRATOR, commands.SetTrack("c2", "merit", 5))
    view = host.entries
    other = (*host.entries[:size], *host.sealed(size, tabled.TrackSet(NARRATOR, "c2", "merit", 0)))
    seen = note(view if honest else other, host.origin, host.private)
    return made(host, view, seen=[seen])


@PLANTED("20")
def restored(honest: bool) -> Made:
    """A backup restored from before a roll, and played on; the twin's backup lacked nothing."""
    host = evening()
    seen = head(host)
    if not honest:
        host = host.anew(host.entries[:-3])
    restore(host)
    number = prayer(host, "c2")
    host.throw(number)
    host.finish(number)
    return made(host, seen=[seen])


# --- what is shown --------------------------------------------------------------------------------


@PLANTED("21")
def revealed_otherwise(honest: bool) -> Made:
    """A hidden roll revealed with another outcome than was sealed."""
    host = brawl()
    number = prayer(host, visibility="gm")
    host.throw(number)
    seq = host.finish(number)
    host.ask(NARRATOR, commands.Reveal(number))
    if honest:
        return made(host)
    better = {"degree": "success", "margin": 4, "figures": {}}
    forged = retold(host.entries, seq, lambda e: replace(e, outcome=better))
    return made(host, forged, entry=seq)


@PLANTED("21b")
def fact_withheld(honest: bool) -> Made:
    """An open entry that the file keeps back; the twin keeps back a hidden one."""
    host = brawl()
    number = prayer(host, visibility="gm" if honest else "public")
    host.throw(number)
    seq = host.finish(number)
    since = host.entries[host.roll(number).trail[0].seq : seq + 1]
    kept = [entry.seq for entry in since if entry.kind == "hidden"] if honest else [seq]
    return made(host, withheld(host.entries, kept), entry=seq)


@PLANTED("21c")
def throw_erased(honest: bool) -> Made:
    """A throw erased as if it were a name; the twin erases a name."""
    host = evening()
    number = prayed(host)
    thrown = host.roll(number).trail[-1].seq
    host.reroll(number, "d1", "d2")
    host.finish(number)
    if honest:
        named = next(e.seq for e in host.entries if isinstance(told(e), tabled.CharacterNamed))
        host.ask(NARRATOR, commands.Erase(named + 1))
        return made(host)
    return made(host, erased(host, thrown), entry=thrown)


@PLANTED("23")
@PLANTED("23b", listed=True)
def signed_by_another(honest: bool, *, listed: bool = False) -> Made:
    """A checkpoint signed by a key that is none of the log's; the twin's has a second signer."""
    host = evening()
    private, vkey = stranger(host)
    checkpoint = Checkpoint(host.origin, len(host.entries), root_of(e.leaf for e in host.entries))
    theirs = sign(checkpoint, private)
    if honest:
        theirs = head(host) + theirs.split(b"\n\n")[1]
    keys = [host.vkey, vkey] if listed else [host.vkey]
    return Made(lines(host.entries, host.origin, keys, theirs, host.event(0)), host.vkey)


@PLANTED("23c")
def roll_signed_by_another(honest: bool) -> Made:
    """The file of one roll under a stranger's signature; the twin's is the log's, and whole."""
    host = evening()
    if honest:
        return made(host)
    private, _ = stranger(host)
    first, *others = bundle_of(host.aggregate, "", head(host), [read_key(host.vkey)], 1)
    theirs = note(host.entries, host.origin, private).decode()
    header = json.dumps(json.loads(first) | {"checkpoint": theirs}).encode()
    return Made(b"".join([header, b"\n", *others]), host.vkey)


@PLANTED("24")
def clock_back(honest: bool) -> Made:
    """An entry dated before the one that it follows; the twin's has the same time."""
    host = evening()
    last = host.entries[-1]
    at = host.entries[-2].at - (0 if honest else 1)
    return made(host, (*host.entries[:-1], resealed(last, at=at)), entry=last.seq)


@PLANTED("24b")
def gap(honest: bool) -> Made:
    """An entry left out and the others sealed as they were; the root is that of what is left."""
    host = evening()
    entries = host.entries
    left = entries if honest else (*entries[:-2], entries[-1])
    return made(host, left, entry=entries[-1].seq)


# --- voids that select ----------------------------------------------------------------------------


@PLANTED("16")
def voids_select(honest: bool, rolls: int = 150) -> Made:
    """Every strike that goes badly for the narrator's friend is voided; the twin voids as often."""
    host = strife()
    for turn in range(rolls):
        number = host.declare("c1", kind="strike", opponent="c2")
        host.react(number)
        host.throw(number)
        lying = [int(die.face) for die in host.roll(number).roll.hands[0].dice]
        badly = sum(lying) < 42
        if turn % 3 == 0 if honest else badly:
            void(host, number)
        else:
            host.finish(number)
    return made(host)
