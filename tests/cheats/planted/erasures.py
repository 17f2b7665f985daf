"""Cheats with erasures: only texts can be erased, and erasing one leaves all else as it was."""

from collections.abc import Callable

from tests.cheats.cheat import Planted
from tests.cheats.forging import Made, erased, made
from tests.cheats.host import Host
from tests.cheats.stages import brawl, void
from urim.engine.core import commands
from urim.engine.core.limits import NARRATOR

PLANTED = Planted()

ONLY_TEXTS = "everybody has the line of that entry, and its class is no text's"

Doing = Callable[[Host, int], int]
"""What somebody does about a roll; gives its first entry."""


def disputed(host: Host, number: int) -> int:
    """A dispute."""
    return host.ask("p2", commands.Dispute(number), words="I doubt it.")


def ruled(host: Host, number: int) -> int:
    """A dispute and its ruling."""
    raised = disputed(host, number)
    return host.ask(NARRATOR, commands.Rule(number, raised, "stands"), words="I do not.")


def amended(host: Host, number: int) -> int:
    """An amendment that makes the roll harder."""
    return host.ask(NARRATOR, commands.Amend(number, "c1", {"target": 7}), words="It was 7.")


@PLANTED("31", doing=void)
@PLANTED("32", doing=amended)
@PLANTED("32b", doing=ruled)
@PLANTED("32c", doing=disputed)
def decision_erased(honest: bool, doing: Doing) -> Made:
    """What somebody decided about a roll is erased; the twin erases the reason alone."""
    host = brawl()
    number = finished(host)
    seq = doing(host, number)
    if honest:
        host.ask(NARRATOR, commands.Erase(seq + 1))
        return made(host)
    return made(host, erased(host, seq), entry=seq)


def finished(host: Host, who: str = "c1") -> int:
    """A roll that came to its outcome, under a label."""
    seat = host.state.characters[who].seat
    wish = {"root": "רוח", "rating": 4, "target": 4}
    host.ask(seat, commands.Declare(who, wish), words="A prayer")
    number = len(host.state.rolls)
    host.throw(number)
    host.finish(number)
    return number


@PLANTED("33")
def best_of_five(honest: bool) -> Made:
    """Four of five rolls are erased, every entry of them; the twin erases their labels."""
    host = brawl()
    rolls = [finished(host) for _ in range(5)]
    best = max(rolls, key=lambda number: hits(host, number))
    others = [number for number in rolls if number != best]
    trails = [record.seq for number in others for record in host.roll(number).trail]
    if honest:
        for number in others:
            host.ask(NARRATOR, commands.Erase(host.roll(number).trail[0].seq + 1))
        return made(host)
    labels = [host.roll(number).trail[0].seq + 1 for number in others]
    return made(host, erased(host, *sorted({*trails, *labels})), entry=trails[0])


def hits(host: Host, number: int) -> int:
    """How many dice are worth something to the roller of a prayer."""
    return sum(str(die.face) in "רוח*" for die in host.roll(number).roll.hands[0].dice)


@PLANTED("34", doing=commands.SetTrack("c1", "merit", 0))
@PLANTED("34b", doing=commands.LeaveSeat("p2"))
@PLANTED("34c", doing=commands.GiveCharacter("c1", "p2"))
def fact_erased(honest: bool, doing: commands.TableCommand) -> Made:
    """What happened at the table is erased; the twin erases a note about it."""
    host = brawl()
    seq = host.ask(NARRATOR, doing)
    noted = host.ask(NARRATOR, commands.Note(seq), words="So it was agreed.")
    if honest:
        host.ask(NARRATOR, commands.Erase(noted + 1))
        return made(host)
    return made(host, erased(host, seq), entry=seq)
