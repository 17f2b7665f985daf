"""Cheats with what was asked: a commit is what its command leads to, no more and no less."""

from typing import Any

from msgspec.structs import replace

from tests.cheats.cheat import Planted
from tests.cheats.forging import Made, erased, made, told, withheld
from tests.cheats.ground import fallen, ground
from tests.cheats.host import forges_bodies
from tests.cheats.stages import brawl, prayer, void
from tests.engine.helpers.bodies import asking
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


@PLANTED(
    "45", "an unknown version of the rules over a cheat", 10,
    "nobody here can run those rules, and what is not checked has not passed",
    verdict="not-checked", opening={"version": 9_999},
)  # fmt: skip
@PLANTED(
    "45b", "an unknown version of the core over a cheat", 10,
    "nobody here knows what its commands lead to",
    verdict="not-checked", opening={"core": 9_999},
)  # fmt: skip
@PLANTED(
    "45c", "an unknown system over a cheat", 10,
    "nobody here can run those rules, and what is not checked has not passed",
    verdict="not-checked", opening={"ruleset": "golem"},
)  # fmt: skip
def unknown_rules(honest: bool, opening: dict[str, Any]) -> Made:
    """An outcome invented at a table of rules that nobody knows; the twin's rules are known."""
    host = brawl()
    number = prayer(host)
    host.throw(number)
    better = {"degree": "success", "margin": 9, "figures": {}}
    host.finish(number, lambda event: event if honest else replace(event, outcome=better))
    if honest:
        return made(host)
    first, *others = host.entries
    event = replace(told(first), **opening)
    return made(host, (resealed(first, event), *others), opening=event)


@PLANTED("45d", "an unknown version over another seed", 7, "proofs are checked without any rules")
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


@PLANTED(
    "54", "an event that nobody asked for", 10, "what was asked is no command",
    body="{}",
)  # fmt: skip
@PLANTED(
    "54b", "one event changed", 10, "what was asked freezes another die",
    body=freeze("d1"),
)  # fmt: skip
@PLANTED(
    "54c", "an event of another command", 10, "what was asked leads to an outcome",
    body=commands.Resolve(1),
)  # fmt: skip
@PLANTED(
    "54d", "a command that was refused", 10, "such a die is not in the hand",
    body=freeze("d1", "d9"),
)  # fmt: skip
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


@PLANTED("54e", "a second event in a commit", 10, "what was asked leads to the first alone")
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


@PLANTED("55", "a ruling without its deed", 10, "what was asked leads to a void too")
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


@PLANTED("55b", "a void without its reason", 10, "what was asked names a text")
@PLANTED(
    "55c", "another reason than was asked", 10, "the text does not fit the hash in what was asked",
    instead="It was a draw.",
)  # fmt: skip
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


# --- what stands in one commit --------------------------------------------------------------------


@PLANTED(
    "70", "a throw that answers a commitment of its own commit", 6,
    "the host knew the nonce when it committed to the seed",
)  # fmt: skip
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


@PLANTED(
    "72", "an open event hung on a sealed entry", 10,
    "what was asked is sealed, so that nobody could see who wanted the open one",
)  # fmt: skip
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


@PLANTED("73", "a void sealed as a text", 10, "the first entry of a commit is no text")
@PLANTED(
    "73b", "a void sealed as a text and erased", 10, "the first entry of a commit is no text",
    gone=True,
)  # fmt: skip
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


@PLANTED("73c", "a text that nobody asked for", 10, "what was asked names no text")
@PLANTED(
    "73d", "a text that nobody asked for, erased", 10, "what was asked names no text",
    gone=True,
)  # fmt: skip
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


@PLANTED("75", "a body with a key twice", 1, "readers may take either value", body=TWICE)
@PLANTED("75b", "a body with -0", 1, "readers may take it for a fraction", body=BELOW)
@PLANTED("75c", "half of a surrogate pair escaped in a body", 1, "it is no text", body=HALF)
@PLANTED("75d", "half of a surrogate pair in a body", 1, "it is no text", body=HALF[:-2] + "\ud800")
def odd_body(honest: bool, body: str) -> Made:
    """A body that is not strict JSON; the twin's is."""
    host = brawl()
    seq = host.ask(NARRATOR, commands.SetTrack("c1", "merit", 1))
    if honest:
        return made(host)
    return made(host, (*host.entries[:seq], asking(host.entries[seq], body)), entry=seq)


@PLANTED("75e", "a text that does not fit its hash", 10, "what was asked names another text")
def unfitting_text(honest: bool) -> Made:
    """A name whose salt is another than the hash was made with."""
    host = brawl()
    seq = host.ask("p1", commands.NameCharacter("c1"), words="Etgar")
    if honest:
        return made(host)
    *others, text = host.entries
    forged = resealed(text, replace(told(text), salt="f" * 32))
    return made(host, (*others, forged), entry=seq + 1)
