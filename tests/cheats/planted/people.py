"""Cheats with people: events of seats that had no right to them, and other seats' characters."""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from tests.cheats.cheat import Planted
from tests.cheats.forging import Made, ended, made, sealed_as
from tests.cheats.ground import fallen, ground
from tests.cheats.host import Host
from tests.cheats.stages import brawl, hit, hunt, landed, prayer, recommitted, shot, void
from urim.engine.core import commands
from urim.engine.core.limits import NARRATOR
from urim.events import roll as rolled
from urim.events import table as tabled
from urim.events.codec import Event
from urim.events.ruling import Ruling, RulingMade

PLANTED = Planted()


@PLANTED("30")
def voided_by_a_player(honest: bool) -> Made:
    """A roll voided by the player whom it would have hurt; the twin's voider narrates."""
    host = hunt()
    number = shot(host)
    if honest:
        void(host, number)
        return made(host)
    entry = host.write(opened(host, number, "p2"), words="It was too dark.")
    return made(host, entry=entry)


def opened(host: Host, number: int, by: str = NARRATOR) -> rolled.RollVoided:
    """The void of a roll by some seat, which opens the seed of its next throw."""
    waiting = host.roll(number).outstanding
    assert waiting is not None
    seed = host.source.open(host.state.id, number, waiting.throw)
    return rolled.RollVoided(by, number, waiting.throw, seed)


@PLANTED("30b")
def track_set_by_a_player(honest: bool) -> Made:
    """A player heals its own character; the twin's narrator does."""
    host, number = landed(hit)
    host.apply_damage(number)
    by = NARRATOR if honest else "p2"
    return made(host, entry=host.write(tabled.TrackSet(by, "c2", "wounds", 0)))


@PLANTED("30c")
def frozen_by_another(honest: bool) -> Made:
    """A hand frozen by the seat across the table; the twin was given the character before."""
    host = brawl()
    number = prayer(host)
    host.throw(number)
    if honest:
        host.ask("p1", commands.GiveCharacter("c1", "p2"))
    entry = host.write(rolled.DiceFrozen("p2", number, "initiator", ("d1", "d2")))
    return ended(host, number, entry)


@PLANTED("30d", right=NARRATOR, event=lambda by: tabled.SeatTaken(by, "p9", "narrator"))
@PLANTED("30e", right="p1", event=lambda by: tabled.CharacterGiven(by, "c1", "p2"))
@PLANTED(
    "30f", right=NARRATOR, event=lambda by: tabled.CharacterEntered(by, "c3", "p2", {}, {"soak": 9})
)
@PLANTED(
    "30g",
    right=NARRATOR,
    wrong=NARRATOR,
    event=lambda by: tabled.CharacterEntered(by, "c1", "p1", {"BLE": 9}, {}),
    instead=lambda by: tabled.CharacterEntered(by, "c3", "p1", {"BLE": 9}, {}),
)
def by_whom(
    honest: bool,
    event: Callable[[str], Event],
    right: str,
    wrong: str = "p2",
    instead: Callable[[str], Event] | None = None,
) -> Made:
    """An event by a seat that may not, as the twin's by one that may."""
    host = brawl()
    entry = host.write((instead or event)(right) if honest else event(wrong))
    return ended(host, prayer(host), entry)


@PLANTED("30i")
def epoch_by_a_player(honest: bool) -> Made:
    """A new secret at a player's wish, everything committed to anew in due form."""
    host = brawl()
    number = prayer(host)
    host.begin(1)
    by = NARRATOR if honest else "p2"
    entry = host.write(tabled.EpochBegun(by, 1, recommitted(host)))
    host.throw(number)
    return ended(host, number, entry)


@PLANTED("30j")
def thrown_by_another(honest: bool) -> Made:
    """A throw by the seat across the table; the twin was given the character before."""
    host = brawl()
    number = prayer(host)
    if honest:
        host.ask("p1", commands.GiveCharacter("c1", "p2"))

    def twist(event: Any) -> Any:
        return fallen(replace(event, by="p2"), replace(ground(host, event), roller="p2"))

    entry = host.throw(number, twist=twist)
    return ended(host, number, entry)


@PLANTED("30k")
def amended_by_a_player(honest: bool) -> Made:
    """A player makes its own roll easier afterwards; the twin's narrator does."""
    host = brawl()
    number = prayer(host)
    host.throw(number)
    host.finish(number)
    asked = commands.Amend(number, "c1", {"target": 2})
    by = NARRATOR if honest else "p1"
    entry = host.ask(NARRATOR, asked, lambda event: replace(event, by=by), words="It was said so.")
    return made(host, entry=entry)


@PLANTED("21d")
def sealed_as_hidden(honest: bool) -> Made:
    """An outcome of an open roll in a hidden entry, disclosed to this auditor alone."""
    host = brawl()
    number = prayer(host, visibility="gm" if honest else "public")
    host.throw(number)
    entry = host.finish(number)
    return made(host, sealed_as(host.entries, entry, "hidden"), entry=entry)


TOGETHER = "the rules lead to more, or to less; and a ruling and its deed are one commit"


def disputed(host: Host) -> tuple[int, int]:
    """A roll that came to its outcome, and the entry of the dispute about it."""
    number = prayer(host)
    host.throw(number)
    host.finish(number)
    return number, host.ask("p2", commands.Dispute(number), words="I doubt it.")


@PLANTED("54r", ruled="void")
@PLANTED("54s", ruled="amend")
@PLANTED("54t", ruled="stands")
def ruled_otherwise(honest: bool, ruled: Ruling) -> Made:
    """What a narrator ruled is not what was done; the twin's narrator rules for a void."""
    host = brawl()
    number, raised = disputed(host)
    if honest:
        host.ask(NARRATOR, commands.Rule(number, raised, "void"), words="So it is.")
        return made(host)
    event = RulingMade(NARRATOR, number, raised, ruled)
    deeds = (opened(host, number),) if ruled == "stands" else ()
    return made(host, entry=host.write(event, *deeds, words="So it is."))


@PLANTED("54u")
def replayed_elsewhere(honest: bool) -> Made:
    """A ruling names a roll that is not the one declared again; the twin's names that one."""
    host = brawl()
    number, raised = disputed(host)
    asked = commands.Rule(number, raised, "replay")
    twist = None if honest else lambda event: replace(event, instead=event.instead + 1)
    return made(host, entry=host.ask(NARRATOR, asked, twist, words="Once more."))
