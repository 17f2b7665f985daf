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
    """Whether throws may be due at level `table`: not on one machine."""
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
        watched = evening.watched and evening.level != "server" and anchored - {threw.by}
        usual: Level = "table" if watched else evening.level
        if (roll.level or usual) == "table":
            yield "alone", each.seq
        if roll.level in ("server", "player") and usual == "table":
            lowered.add(threw.roll)
    for _ in lowered:
        yield "lower-level", None


def _again(evening: Evening, unseen: Collection[int]) -> Found:
    """Declarations as one that came to nothing once somebody could know its dice.

    The next one is meant; else one of before that was resolved only after these dice were there.
    """
    alike: dict[str, list[tuple[Deed, Declared]]] = {}
    for each, said in _declarations(evening, unseen):
        if not _came_to_nothing(evening, said.roll) or _could_be_known(evening, said):
            alike.setdefault(said.wish, []).append((each, said))
    found: set[int] = set()
    for some in alike.values():
        for place, (_, first) in enumerate(some):
            if not _came_to_nothing(evening, first.roll):
                continue
            ended, known = _ended(evening, first.roll), _dice(evening, first.roll) or first.seq
            waited = [one for one in some[:place] if _resolved(evening, one[1].roll, known)]
            for each, other in [*some[place + 1 :], *waited][:1]:
                if ended is None or ended.seq != each.seq:
                    found.add(other.seq)
    yield from (("again", seq) for seq in sorted(found))


def _could_be_known(evening: Evening, said: Declared) -> bool:
    """Whether somebody could know the dice of a roll that came to nothing.

    They lay, or were asked for. Else at level `table` nobody could, while another seat can be asked
    for its share; at `player` the host, unless the roll's own seat took it back.
    """
    ended = _ended(evening, said.roll)
    if _dice(evening, said.roll) is not None or said.visibility != "public":
        return True
    end = len(evening.deeds) if ended is None else evening.deeds.index(ended)
    level = said.level or ("table" if evening.level == "player" else evening.level)
    watched = min(_askable(evening, said.seq, end)) > 1 and evening.watched
    if level == "table" and watched:
        return False
    lent = any(
        isinstance(each.command, commands.GiveCharacter)
        and each.command.character == json.loads(said.wish)[0]
        and each.seq > said.seq
        for each in evening.deeds[:end]
    )
    back = ended is not None and ended.by == said.by
    return level == "server" or lent or not back


def _askable(evening: Evening, seq: int, end: int) -> Iterator[int]:
    """How many seats could be asked, from the deed of that entry on and after each deed to the end.

    A seat that kept a share back is not counted.
    """
    anchored: set[str] = set()
    silent: set[str] = set()
    waiting: set[str] = set()
    for each in evening.deeds[: end + 1]:
        match each.command:
            case commands.AnchorShares():
                anchored.add(each.by)
            case commands.LeaveSeat(seat=seat):
                anchored.discard(seat)
            case commands.TakeSeat(seat=seat) if seat != each.by:
                anchored.discard(seat)
            case commands.BeginEpoch():
                anchored.clear()
            case commands.Ask(asked=asked):
                waiting = set(asked)
            case commands.OpenShare():
                waiting.discard(each.by)
            case commands.BreakThrow():
                silent |= waiting
            case _:
                pass
        if each.seq >= seq:
            yield len(anchored - silent)


def _dice(evening: Evening, roll: int) -> int | None:
    """The deed that first threw for a roll, or asked for shares."""
    for each in evening.deeds:
        threw = each.threw is not None and each.threw.roll == roll
        if threw or (isinstance(each.command, commands.Ask) and each.command.roll == roll):
            return each.seq
    return None


def _ended(evening: Evening, roll: int) -> Deed | None:
    """What voided a roll, or took it back."""
    ends = (each for each in evening.deeds if roll in [void.roll for void in each.voided])
    return next(ends, None)


def _resolved(evening: Evening, roll: int, seq: int) -> bool:
    """Whether a roll stands, and was resolved after that entry."""
    return any(
        isinstance(each.command, commands.Resolve) and each.command.roll == roll and each.seq > seq
        for each in evening.deeds
    ) and not _came_to_nothing(evening, roll)


def _came_to_nothing(evening: Evening, roll: int) -> bool:
    return _ended(evening, roll) is not None or evening.rolls[roll].state in LIVE


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
    """Seats that revealed a hidden roll when they had thrown others, and these are not revealed.

    That a roll which is not disclosed is there at all shows by the numbers of others, and by asks;
    that it is of after a reveal, by one with a lower number.
    """
    told = dict[int, int]()
    asked = list[int]()
    for each in evening.deeds:
        if isinstance(each.command, commands.Reveal):
            told[each.command.roll] = each.seq
        if isinstance(each.command, commands.Ask):
            asked.append(each.command.roll)
    known = {said.roll: said for _, said in _declarations(evening, unseen)}
    highest = max([*asked, *known], default=0)
    seats: dict[str, list[Declared]] = {}
    for said in known.values():
        if said.visibility != "public":
            seats.setdefault(said.by, []).append(said)
    for _, some in sorted(seats.items()):
        last = max((told[said.roll] for said in some if said.roll in told), default=None)
        if last is None:
            continue
        kept = [_dice(evening, said.roll) or said.seq for said in some if said.roll not in told]
        sealed = [
            roll
            for roll in unseen
            if roll <= highest and not any(n < roll and known[n].seq > last for n in known)
        ]
        if sealed or min(kept, default=last) < last:
            yield "some-hidden", some[0].seq


def _given_back(evening: Evening, unseen: Collection[int]) -> Found:
    """Characters that another seat had, threw for in a roll of before, and gave back.

    What comes back is no loan: whose it was before may throw for it.
    """
    owners: dict[str, str] = {}
    loans: dict[str, tuple[str, int]] = {}
    declared: dict[int, int] = {}
    thrown: set[str] = set()
    sharers: set[str] = set()
    for each in evening.deeds:
        declared |= {said.roll: said.seq for said in each.declared}
        match each.command:
            case commands.EnterCharacter(character=who, seat=seat):
                owners[who] = seat
            case commands.Ask(asked=asked):
                sharers = set(asked)
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
        lender, since = loans[threw.character]
        if declared[threw.roll] < since and not (threw.asked and lender in sharers):
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
    last: dict[str, Declared] = {}
    vain: set[str] = set()
    for _, said in _declarations(evening, ()):
        who = json.loads(said.wish)[0]
        before = last.get(who)
        if said.wish in vain:
            yield (
                before is not None
                and before.wish == said.wish
                and _came_to_nothing(evening, before.roll)
            )
        if _came_to_nothing(evening, said.roll):
            vain.add(said.wish)
        last[who] = said
