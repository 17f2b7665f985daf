"""The tables that a release is remembered by: one of each system, and one of physical dice.

Every event is in them, of every system: fair dice with shares, physical ones, hidden rolls, voids,
amendments, rulings, erased texts, epochs, broken throws, keys of seats. Every table ends with a
declared roll, so that it can be played on; the first with an open ask.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from types import MappingProxyType

from tests.engine.helpers.tables.evening import Evening
from tests.engine.helpers.tables.trials import TRIALS, trial_of
from urim.engine.core import commands
from urim.engine.core.attempt import who_is_here
from urim.engine.core.limits import NARRATOR
from urim.engine.testing.kit.trial import Trial
from urim.errors import Refused
from urim.events.base import Level
from urim.events.codec import decode
from urim.events.entry import Entry

KINDS = (
    "RollVoided",
    "RollAmended",
    "RulingMade",
    "EntryErased",
    "EpochBegun",
    "ShareOpened",
    "ThrowBroken",
    "RollRevealed",
)
"""Events that every table of fair dice has."""

MORE: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "milhamah": frozenset({"FlavourNamed", "DiceRerolled", "DiceFrozen"}),
        "majesty": frozenset({"DiceAdjusted"}),
        "scarterra": frozenset({"DamageApplied"}),
        "age_of_magic": frozenset({"DamageApplied", "FateDecided"}),
        "plain": frozenset({"DiceRerolled"}),
    }
)
"""What tables of some systems have too."""

TRIED = 400
"""Evenings that are drawn, at most, until one has all of them."""

LONGEST = 170
"""Entries of such an evening, at most: what is kept should be small."""

LATE = {"doubt": "RulingMade", "erase": "EntryErased", "epoch": "EpochBegun"}
"""What people do at the end where they did not before: its name, and the event of it."""

CORRECTED = {"replace": "DeclarationReplaced", "veto": "DeclarationVetoed"}
"""What a narrator does to the roll that is declared then."""

TRIES = 40
"""How often they try."""

PRIVATE = bytes(range(1, 33))
"""The key of the host of all these tables, which everybody may know."""

SYSTEMS: Mapping[str, Trial] = MappingProxyType({**TRIALS, "plain": trial_of("plain")})
"""What each system is played with."""


class Night(Evening):
    """An evening whose people do at its end what was not done yet."""

    def __init__(self, system: str, number: int, dice: str, level: Level) -> None:
        trial = SYSTEMS[system]
        options = dict(trial.options[number % len(trial.options)])
        table = f"{system.replace('_', '')}{dice}"
        seed = f"release {system} {number}"
        super().__init__(trial, seed, options, dice=dice, level=level, table=table)
        self.host.private = PRIVATE

    def whole(self) -> None:
        """Play the evening, then what was not done yet, and an epoch; last the roll of tomorrow."""
        for _ in self.play():
            pass
        for name, kind in LATE.items():
            for _ in range(TRIES):
                if kind not in kinds_of(self.seen()):
                    self._do(name)
        if not self.host.keys:
            self.host.key("p1")
        self.chores()
        if self.fair:
            self.host.anchor(*(id for id, seat in sorted(self.state.seats.items()) if seat.here))
        self.tomorrow()

    def chores(self) -> None:
        """What narrators do beside the rolls, and before the first throw of one."""
        host, state = self.host, self.state
        who = min(who_is_here(state))
        host.ask(NARRATOR, commands.NameSeat("p1"), words="Ruth")
        host.ask(NARRATOR, commands.SetAttribute(who, "Luck", 3))
        for track in sorted(state.game.tracks)[:1]:
            host.ask(NARRATOR, commands.SetTrack(who, track, 1))
        host.ask(NARRATOR, commands.TakeSeat("guest"))
        host.ask(NARRATOR, commands.EnterCharacter("mule", "guest", {}))
        host.ask("guest", commands.GiveCharacter("mule", "p1"))
        host.ask(NARRATOR, commands.RemoveCharacter("mule"))
        host.ask("guest", commands.LeaveSeat("guest"))
        host.ask(NARRATOR, commands.SetTable("links", value=True))
        self.another_reading()
        self.tomorrow()
        for name, kind in CORRECTED.items():
            for _ in range(TRIES):
                if kind not in kinds_of(self.seen()):
                    self._do(name)

    def another_reading(self) -> None:
        """One reading has another value from here on, the first that may have it."""
        for name, value in ((n, v) for each in self.trial.options for n, v in each.items()):
            with suppress(Refused):
                self.host.ask(NARRATOR, commands.SetReading(name, value), words="From now on.")
                return
        raise AssertionError(f"no reading of {self.trial.ruleset.name} can be another")

    def seen(self) -> tuple[Entry, ...]:
        """The log as the narrator may have it."""
        return self.host.aggregate.view(NARRATOR)

    def tomorrow(self) -> None:
        """Somebody declares a roll, in the open, and nobody throws yet."""
        who = min(who_is_here(self.state))
        for fields in self.trial.declarations:
            with suppress(Refused):
                self.host.declare(who, **fields)
                return
        raise AssertionError(f"{who} can declare nothing")

    def left_waiting(self) -> None:
        """The throw of that roll is asked for, and only the narrator has opened a share."""
        number = len(self.state.rolls)
        throws = [offer for offer in self.host.offers(number) if offer.trigger == "roll"]
        self.host.ask_for(number, self.host.owner(throws[0]), throws[0].hand)
        self.host.open(NARRATOR)


def kinds_of(entries: Iterable[Entry]) -> set[str]:
    """The names of the events that can be read."""
    return {type(decode(each.payload).event).__name__ for each in entries if each.payload}


def nights() -> list[Night]:
    """The tables: fair dice at level `table` of each system, and one of physical dice."""
    found = [*map(fair, SYSTEMS), typed()]
    found[0].left_waiting()
    return found


def fair(system: str) -> Night:
    """The first evening of a system that has all that it should have."""
    wanted = {*KINDS, *MORE.get(system, ())}
    for number in range(TRIED):
        night = Night(system, number, "fair", "table")
        night.whole()
        seen = night.seen()
        if hidden(night) and len(seen) <= LONGEST and kinds_of(seen) >= wanted:
            return night
    raise AssertionError(f"no evening of {system} has all that it should have")


def hidden(night: Night) -> bool:
    """Whether something is hidden from those who have no part in it."""
    view = night.host.aggregate.view("")
    return any(each.kind == "hidden" and each.payload is None for each in view)


def typed() -> Night:
    """An evening of physical dice, at which faces were confirmed."""
    for number in range(TRIED):
        night = Night("milhamah", number, "manual", "player")
        night.whole()
        if "ThrowConfirmed" in kinds_of(night.seen()) and len(night.seen()) <= LONGEST:
            return night
    raise AssertionError("no faces were confirmed")
