"""Cheats with what was asked: a commit is what its command leads to, no more and no less."""

from typing import Any

from msgspec.structs import replace

from tests.cheats.cheat import Planted
from tests.cheats.forging import Made, erased, made, told, withheld
from tests.cheats.ground import fallen, ground
from tests.cheats.host import forges_bodies
from tests.cheats.stages import brawl, hit, landed, prayer, void
from tests.engine.helpers.bodies import asking, with_body
from tests.sealing import resealed, sealed
from urim.engine.core import commands
from urim.engine.core.commands import AnyCommand
from urim.engine.core.limits import NARRATOR
from urim.events import roll as rolled
from urim.events import table as tabled
from urim.events.entry import withhold

PLANTED = Planted()

LONG = 10 * 60_000
"""Milliseconds after which no roller is waited for."""


# --- rules that nobody here knows -----------------------------------------------------------------


@PLANTED("45", opening={"version": 9_999})
@PLANTED("45b", opening={"core": 9_999})
@PLANTED("45c", opening={"ruleset": "golem"})
def unknown_rules(honest: bool, opening: dict[str, Any]) -> Made:
    """An outcome invented at a table of rules that nobody knows; the twin's rules are known."""
    host = brawl()
    number = prayer(host)
    host.throw(number)
    better = {"degree": "success", "margin": 9, "figures": {}}
    host.finish(number, lambda event: event if honest else replace(event, outcome=better))
    if honest:
        return made(host)
    event = replace(told(host.entries[0]), **opening)
    return made(host, with_body(host.entries, 0, event), opening=event)


@PLANTED("45d")
def unknown_rules_of_throws(honest: bool) -> Made:
    """Another seed than was committed to, under rules that nobody knows; the twin's are known."""
    host = brawl()
    number = prayer(host)

    def twist(event: Any) -> Any:
        base = replace(ground(host, event), seed=host.drawn("a better seed"))
        return event if honest else fallen(event, base)

    seq = host.throw(number, twist=twist)
    if honest:
        return made(host)
    first, *others = host.entries
    event = replace(told(first), version=9_999)
    return made(host, (resealed(first, event), *others), opening=event, entry=seq)


# --- other events than were asked for, and other commands -----------------------------------------


def freeze(*dice: str) -> AnyCommand:
    """Freeze these dice of the first roll."""
    return commands.Freeze(1, "initiator", dice)


FROZEN = rolled.DiceFrozen("p1", 1, "initiator", ("d1", "d2"))


@PLANTED("54", body="{}")
@PLANTED("54b", body=freeze("d1"))
@PLANTED("54c", body=commands.Resolve(1))
@PLANTED("54d", body=freeze("d1", "d9"))
def another_body(honest: bool, body: AnyCommand | str) -> Made:
    """An entry beside a command that leads to another one; the twin's leads to it."""
    host = brawl()
    number = prayer(host)
    host.throw(number)
    seq = host.ask("p1", freeze("d1", "d2"))
    assert told(host.entries[seq]) == FROZEN
    if honest:
        return made(host)
    entry = asking(host.entries[seq], body)
    return made(host, (*host.entries[:seq], entry), entry=seq)


@PLANTED("54e")
def one_more_event(honest: bool) -> Made:
    """A character is given away in the commit of a track; the twin's is a commit of its own."""
    host = brawl()
    track, given = (
        tabled.TrackSet(NARRATOR, "c1", "merit", 1),
        tabled.CharacterGiven(NARRATOR, "c1", "p2"),
    )
    if honest:
        host.write(track)
        host.write(given)
        return made(host)
    first = host.write(track, given)
    return made(host, entry=first + 1 if forges_bodies() else first)


# --- commands without what they lead to -----------------------------------------------------------


@PLANTED("55")
def event_missing(honest: bool) -> Made:
    """A ruling to void, and the roll is not voided; the twin's is."""
    host = brawl()
    number = prayer(host)
    raised = host.ask("p2", commands.Dispute(number), words="He prayed twice.")
    wish = commands.Rule(number, raised, "void")
    seq = host.ask(NARRATOR, wish, words="So he did.")
    if honest:
        return made(host)
    text = resealed(host.entries[-1], seq=seq + 1)
    return made(host, (*host.entries[: seq + 1], text), entry=seq)


@PLANTED("55b")
@PLANTED("55c", instead="It was a draw.")
def reason_missing(honest: bool, instead: str = "") -> Made:
    """A void whose reason never was, or is another; the twin has its own."""
    host = brawl()
    seq = void(host, prayer(host))
    if honest:
        return made(host)
    *others, text = host.entries
    if not instead:
        return made(host, others, entry=seq)
    forged = resealed(text, replace(told(text), text=instead))
    return made(host, (*others, forged), entry=text.seq)


@PLANTED("55f")
def interrupted(honest: bool) -> Made:
    """An amendment with what follows from it in a commit of its own, before the reason."""
    host, number = landed(hit)
    host.apply_damage(number)
    seq = host.ask(NARRATOR, commands.Amend(number, "c1", {"weapon": 1}), words="A short bow.")
    if honest:
        return made(host)
    log = [replace(e, commit=e.seq) if e.seq == seq + 1 else e for e in host.entries]
    assert len(log) == seq + 3
    return made(host, log, entry=seq + 1)


@PLANTED("55d")
@PLANTED("55e", apart=True)
def unreasoned(honest: bool, apart: bool = False) -> Made:
    """An amendment whose reason never was, or stands in a commit of its own."""
    host = brawl()
    wish = commands.Amend(prayer(host), "c1", {"target": 7})
    seq = host.ask(NARRATOR, wish, words="It was 7.")
    if honest:
        return made(host)
    *others, text = host.entries
    if apart:
        return made(host, (*others, replace(text, commit=text.seq)), entry=text.seq)
    return made(host, others, entry=seq)


# --- what stands in one commit --------------------------------------------------------------------


@PLANTED("70")
def thrown_at_once(honest: bool) -> Made:
    """A roll is declared and thrown in one commit; the twin throws once it was declared."""
    host = brawl()
    declared = host.roll(prayer(host)).trail[0].seq
    thrown = host.throw(1)
    host.finish(1)
    if honest:
        return made(host)
    log = list(host.entries)
    log[thrown] = sealed(
        thrown, log[declared].at, told(log[thrown]), log[thrown].salt or b"", first=declared
    )
    return made(host, log, entry=thrown)


@PLANTED("72")
def hung_on(honest: bool) -> Made:
    """A track set in the commit of a hidden roll; the twin's is a commit of its own."""
    host = brawl()
    declared = host.roll(prayer(host, visibility="gm")).trail[0].seq
    seq = host.ask(NARRATOR, commands.SetTrack("c1", "merit", 2))
    log = list(host.entries)
    if not honest:
        salt = log[seq].salt or b""
        log[seq] = sealed(seq, log[declared].at, told(log[seq]), salt, first=declared)
    return made(host, withheld(log, [declared]), entry=seq)


@PLANTED("73")
@PLANTED("73b", gone=True)
def void_as_text(honest: bool, gone: bool = False) -> Made:
    """A void in the class of texts, which can be erased; the twin erases its reason."""
    host = brawl()
    seq = void(host, prayer(host))
    if honest:
        if gone:
            host.ask(NARRATOR, commands.Erase(seq + 1))
        return made(host)
    log = erased(host, seq) if gone else host.entries
    forged = resealed(host.entries[seq], kind="text")
    return made(
        host, (*log[:seq], withhold(forged) if gone else forged, *log[seq + 1 :]), entry=seq
    )


@PLANTED("73c")
@PLANTED("73d", gone=True)
def text_added(honest: bool, gone: bool = False) -> Made:
    """A text behind a track that was set; the twin's is a note's."""
    host = brawl()
    track = tabled.TrackSet(NARRATOR, "c1", "merit", 0)
    text = tabled.TextSaid(NARRATOR, "0" * 32, "A word.")
    if honest:
        seq = host.ask(NARRATOR, commands.Note(host.write(track)), words=text.text)
        if gone:
            host.ask(NARRATOR, commands.Erase(seq + 1))
        return made(host)
    size = len(host.entries)
    first, added = host.sealed(size, track, text)
    log = (*host.entries, first, resealed(added, kind="text"))
    if gone:
        log = erased(host.anew(log), size + 1)
    return made(host, log, entry=size)


# --- bodies that two readers could read in two ways -----------------------------------------------

TWICE = '{"do":"set-track/1","character":"c1","track":"merit","value":2,"value":1}'
BELOW = '{"do":"set-track/1","character":"c1","track":"merit","value":-0}'
HALF = '{"do":"note/1","about":0,"text":"\\ud800"}'


@PLANTED("75", body=TWICE)
@PLANTED("75b", body=BELOW)
@PLANTED("75c", body=HALF)
@PLANTED("75d", body=HALF[:-2] + "\ud800")
def odd_body(honest: bool, body: str) -> Made:
    """A body that is not strict JSON; the twin's is."""
    host = brawl()
    seq = host.ask(NARRATOR, commands.SetTrack("c1", "merit", 1))
    if honest:
        return made(host)
    return made(host, (*host.entries[:seq], asking(host.entries[seq], body)), entry=seq)


@PLANTED("75e")
def unfitting_text(honest: bool) -> Made:
    """A name whose salt is another than the hash was made with."""
    host = brawl()
    seq = host.ask("p1", commands.NameCharacter("c1"), words="Etgar")
    if honest:
        return made(host)
    *others, text = host.entries
    forged = resealed(text, replace(told(text), salt="f" * 32))
    return made(host, (*others, forged), entry=seq + 1)
