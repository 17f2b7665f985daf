"""What the people of an evening did, and what an audit of it should ask others to look at.

The looks are reckoned from the commands that were sent, and from how the rolls stood before and
after each: nothing here reads a log, nor asks the audit.
"""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from msgspec import Struct

from urim.engine.core import commands
from urim.engine.core.commands import AnyCommand
from urim.engine.core.limits import NARRATOR
from urim.events.base import Level, Visibility
from urim.projections.automaton import LIVE
from urim.projections.rollstate import RollState
from urim.projections.tables import TableState

DICE = (commands.RollDice, commands.Reroll)

Looks: TypeAlias = dict[str, list[int | None]]
"""The entries of each kind of look; None for one that is of no entry."""


class Declared(Struct, frozen=True):
    """A declaration: its entry, its roll, whose it is, and what was wished for, as text.

    `level` is the one that it named.
    """

    seq: int
    roll: int
    by: str
    wish: str
    visibility: Visibility
    level: Level | None


class Voided(Struct, frozen=True):
    """A roll that was voided; `dice`: some lay by then."""

    roll: int
    dice: bool


class Threw(Struct, frozen=True):
    """A throw: its roll, who threw and for which character; `asked`: with the shares of others.

    `dice` is False where dice of another roll were taken over, or none are thrown.
    """

    roll: int
    by: str
    character: str
    asked: bool
    dice: bool


class Deed(Struct, frozen=True):
    """One command that was done; `seq` is the first entry of its commit."""

    seq: int
    by: str
    command: AnyCommand
    declared: tuple[Declared, ...] = ()
    voided: tuple[Voided, ...] = ()
    threw: Threw | None = None


class Evening(Struct, frozen=True):
    """An evening that is over: the table's own level, what was done, how its rolls stand."""

    level: Level
    watched: bool
    """Whether a narrator's throws and hidden ones are due at level `table`: not on one machine."""
    deeds: Sequence[Deed]
    rolls: Mapping[int, RollState]


def deed(by: str, command: AnyCommand, before: TableState | None, after: TableState) -> Deed:
    """What a seat did by a command; the table before it and after it."""
    if before is None:
        return Deed(0, by, command)
    old = {roll.number: roll for roll in before.rolls.values()}
    now = sorted(after.rolls.values(), key=lambda roll: roll.number)
    new = [roll for roll in now if roll.number not in old]
    voided = [
        Voided(roll.number, bool(old[roll.number].roll.hands))
        for roll in now
        if roll.state == "voided" and roll.number in old and old[roll.number].state != "voided"
    ]
    declared = tuple(map(_declared, new))
    return Deed(
        before.size, by, command, declared, tuple(voided), _threw(by, command, before, after)
    )


def _declared(roll: RollState) -> Declared:
    entry = roll.trail[0]
    event: Any = entry.event
    wish = json.dumps([event.character, event.follows, event.declaration], sort_keys=True)
    return Declared(entry.seq, roll.number, roll.seat, wish, roll.visibility, roll.level)


def _threw(by: str, command: AnyCommand, before: TableState, after: TableState) -> Threw | None:
    waiting = before.ask
    if isinstance(command, commands.OpenShare) and waiting is not None and after.ask is None:
        roll, by, asked = waiting.roll, waiting.seat, True
    elif isinstance(command, DICE):
        roll, asked = command.roll, False
    else:
        return None
    old = {hand.name: hand for hand in before.rolls[roll].roll.hands}
    now = after.rolls[roll]
    changed = [hand for hand in now.roll.hands if hand != old.get(hand.name)]
    fell = now.throws > before.rolls[roll].throws
    return Threw(roll, by, changed[0].character if changed else "", asked, fell)


# --- what should be looked at ---------------------------------------------------------------------


def looks(evening: Evening, unseen: Collection[int] = ()) -> Looks:
    """What should be looked at in a file that does not disclose the `unseen` rolls, in order."""
    found: Looks = {}
    for reckon in RECKONED:
        for kind, seq in reckon(evening, unseen):
            found.setdefault(kind, []).append(seq)
    return found


Found: TypeAlias = Iterator[tuple[str, int | None]]
Reckon: TypeAlias = Callable[[Evening, Collection[int]], Found]


def _of_the_table(evening: Evening, unseen: Collection[int]) -> Found:
    """Breaks, epochs, seats removed, an ask that is left."""
    waits: int | None = None
    for each in evening.deeds:
        match each.command:
            case commands.BreakThrow():
                yield "broken", each.seq
                waits = None
            case commands.BeginEpoch():
                yield "epoch", each.seq
                waits = None
            case commands.LeaveSeat(seat=seat) if seat != each.by:
                yield "removed", each.seq
            case commands.Ask():
                waits = each.seq + 1  # behind the plan of the throw
            case commands.OpenShare() if each.threw is not None:
                waits = None
            case _:
                pass
    if waits is not None:
        yield "left-open", waits


def _of_seats(evening: Evening, unseen: Collection[int]) -> Found:
    """Keys that are gone, and further anchors of seats without one."""
    keyed: set[str] = set()
    anchored: set[str] = set()
    for each in evening.deeds:
        match each.command:
            case commands.TakeSeat(seat=seat) if seat != each.by:
                if seat in keyed:
                    yield "key-reset", each.seq
                keyed.discard(seat)
            case commands.TakeSeat(seat=seat, key=key) if key is not None:
                keyed.add(seat)
            case commands.AnchorShares():
                if each.by in anchored - keyed:
                    yield "anchored-again", each.seq
                anchored.add(each.by)
            case _:
                pass


def _of_levels(evening: Evening, unseen: Collection[int]) -> Found:
    """Throws due at level `table` for which nobody was asked, and rolls that named a lower one."""
    anchored: set[str] = set()
    rolls: dict[int, Declared] = {}
    lowered: set[int] = set()
    for each in evening.deeds:
        rolls |= {declared.roll: declared for declared in each.declared}
        match each.command:
            case commands.AnchorShares():
                anchored.add(each.by)
            case commands.LeaveSeat(seat=seat):
                anchored.discard(seat)
            case commands.BeginEpoch():
                anchored.clear()
            case _:
                pass
        threw = each.threw
        if threw is None or threw.asked or not threw.dice or threw.roll in unseen:
            continue
        roll = rolls[threw.roll]
        hidden = roll.visibility != "public" and not _shown_before(evening, each.seq, threw.roll)
        above = hidden or threw.by == NARRATOR
        watched = evening.watched and above and anchored - {threw.by}
        usual: Level = "table" if watched else evening.level
        if (roll.level or usual) == "table":
            yield "alone", each.seq
        if roll.level in ("server", "player") and usual == "table":
            lowered.add(threw.roll)
    for _ in lowered:
        yield "lower-level", None


def _shown_before(evening: Evening, seq: int, roll: int) -> bool:
    return any(
        isinstance(each.command, commands.Reveal) and each.command.roll == roll and each.seq < seq
        for each in evening.deeds
    )


def _again(evening: Evening, unseen: Collection[int]) -> Found:
    """Declarations as one before that came to nothing."""
    ended = {void.roll: each.seq for each in evening.deeds for void in each.voided}
    vain: dict[str, list[int | None]] = {}
    for each, said in _declarations(evening, unseen):
        if any(end != each.seq for end in vain.get(said.wish, [])):
            yield "again", said.seq
        if said.roll in ended:
            vain.setdefault(said.wish, []).append(ended[said.roll])
        elif evening.rolls[said.roll].state in LIVE:
            vain.setdefault(said.wish, []).append(None)


def _declarations(evening: Evening, unseen: Collection[int]) -> Iterator[tuple[Deed, Declared]]:
    for each in evening.deeds:
        for said in each.declared:
            if said.roll not in unseen:
                yield each, said


def _late_voids(evening: Evening, unseen: Collection[int]) -> Found:
    """Voids after the dice, two or more."""
    late = [
        each.seq
        for each in evening.deeds
        if any(void.dice and void.roll not in unseen for void in each.voided)
    ]
    if len(late) > 1:
        yield from (("voids", seq) for seq in late)


def _secrets(evening: Evening, unseen: Collection[int]) -> Found:
    """Seats of which some hidden rolls are revealed, and others are not, as far as is known.

    That a roll which is not disclosed is there at all shows by the numbers of others, and by asks.
    """
    shown: dict[str, list[bool]] = {}
    first: dict[str, int] = {}
    asked = [each.command.roll for each in evening.deeds if isinstance(each.command, commands.Ask)]
    highest = max([*asked, *(roll for roll in evening.rolls if roll not in unseen)], default=0)
    sealed = any(roll <= highest for roll in unseen)
    for _, said in _declarations(evening, unseen):
        if said.visibility != "public":
            first.setdefault(said.by, said.seq)
            shown.setdefault(said.by, []).append(not evening.rolls[said.roll].hidden)
    for seat, revealed in sorted(shown.items()):
        if any(revealed) and (not all(revealed) or sealed):
            yield "some-hidden", first[seat]


def _given_back(evening: Evening, unseen: Collection[int]) -> Found:
    """Characters that another seat had, threw for in a roll of before, and gave back.

    What comes back is no loan: whose it was before may throw for it.
    """
    owners: dict[str, str] = {}
    loans: dict[str, tuple[str, int]] = {}
    declared: dict[int, int] = {}
    thrown: set[str] = set()
    for each in evening.deeds:
        declared |= {said.roll: said.seq for said in each.declared}
        match each.command:
            case commands.EnterCharacter(character=who, seat=seat):
                owners[who] = seat
            case commands.GiveCharacter(character=who, seat=seat):
                lender, _ = loans.pop(who, ("", 0))
                if lender != seat:
                    loans[who] = owners[who], each.seq
                elif who in thrown:
                    yield "given-back", each.seq
                thrown.discard(who)
                owners[who] = seat
            case _:
                pass
        threw = each.threw
        if threw is None or threw.roll in unseen or threw.character not in loans:
            continue
        if declared[threw.roll] < loans[threw.character][1]:
            thrown.add(threw.character)


RECKONED: Sequence[Reckon] = (
    _of_the_table,
    _of_seats,
    _of_levels,
    _again,
    _late_voids,
    _secrets,
    _given_back,
)
"""Every kind of look that people's deeds lead to. What is of dice and clocks is not here."""


def directly_again(evening: Evening) -> Iterable[bool]:
    """For each roll that is declared again, whether its character declared nothing in between.

    Else it is a later round's: the same was only wished for once more.
    """
    ended = {void.roll for each in evening.deeds for void in each.voided}
    last: dict[str, Declared] = {}
    vain: set[str] = set()
    for _, said in _declarations(evening, ()):
        who = json.loads(said.wish)[0]
        before = last.get(who)
        if said.wish in vain:
            yield (
                before is not None
                and before.wish == said.wish
                and _came_to_nothing(evening, ended, before.roll)
            )
        if _came_to_nothing(evening, ended, said.roll):
            vain.add(said.wish)
        last[who] = said


def _came_to_nothing(evening: Evening, ended: Collection[int], roll: int) -> bool:
    return roll in ended or evening.rolls[roll].state in LIVE
