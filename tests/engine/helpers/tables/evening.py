"""Honest evenings that nobody wrote: every move drawn from what the rules offer, all on real dice.

Besides what the ruleset kit plays, people come and leave, doubt, rule, veto, replace, correct,
erase, confirm, fall silent, and restore backups.
"""

from collections.abc import Callable, Iterator, Mapping

from msgspec.structs import replace

from tests.engine.helpers.tables.real_dice import LEVELS, WATCHER, RealDice
from tests.engine.helpers.tables.stages import restore
from tests.engine.helpers.tables.trials import TRIALS, some_reading
from urim.engine.core import commands
from urim.engine.core.commands import AnyCommand
from urim.engine.core.limits import NARRATOR
from urim.engine.core.offers import offers
from urim.engine.testing.kit.trial import Moment
from urim.errors import Refused
from urim.events.ruling import Ruling
from urim.projections.automaton import LIVE
from urim.projections.levels import level_next
from urim.projections.rollstate import RollState
from urim.projections.rulings import latest_ruling

MANUAL = 5
"""Every so manieth table throws physical dice."""

RULINGS: tuple[Ruling, ...] = ("stands", "amend", "void", "replay")


class Evening(RealDice):
    """One table, played to the end of every roll, among people."""

    def _move(self, roll: RollState) -> Iterator[Moment]:
        """A move in the roll, something else before it now and then."""
        if self.luck.one_in(4):
            yield from self._narrate()
        if self.luck.one_in(10):
            self._do("interrupted")  # few moves are throws: else it hardly ever happens
        roll = self.state.rolls[roll.number]
        if self._playable(roll):
            yield from super()._move(roll)

    def _narrate(self) -> Iterator[Moment]:
        """What the kit's narrator does, or something else that happens at tables."""
        if self.luck.one_in(3):
            yield from super()._narrate()
            return
        self._do(self.luck.one_of(tuple(DOINGS)))

    def _go_on(self, number: int) -> Iterator[Moment]:
        yield from super()._go_on(number)
        if self.luck.one_in(2):
            self._do("fate")

    def _do(self, name: str) -> None:
        try:
            DOINGS[name](self)
        except Refused:
            return
        self.did.add(name)

    def _void(self, roll: RollState) -> Moment:
        if roll.visibility == "self":
            self._reveal(roll.number)
        return super()._void(roll)

    def some_roll(self, *states: str) -> RollState:
        """Some roll in one of these states. Raises Refused where there is none."""
        rolls = sorted(self.state.rolls.values(), key=lambda roll: roll.number)
        found = [roll for roll in rolls if roll.state in states]
        if not found:
            raise Refused("unknown", "no such roll")
        return self.luck.one_of(found)

    def some_text(self) -> int:
        """Some name, label, reason or note. Raises Refused where there is none."""
        found = sorted(item.seq for _, every in self.state.texts.items() for item in every)
        if not found:
            raise Refused("unknown", "no such text")
        return self.luck.one_of(found)

    def say(self, seat: str, command: AnyCommand, words: str) -> None:
        """Do what a seat asks, with these words."""
        self.submit(seat, self.host.worded(command, words))


def _note(table: Evening) -> None:
    seat = table.luck.one_of(("p1", NARRATOR))
    table.say(seat, commands.Note(table.luck.below(table.state.size)), "An aside.")


def _erase(table: Evening) -> None:
    table.submit(NARRATOR, commands.Erase(table.some_text()))


def _name(table: Evening) -> None:
    table.say(NARRATOR, commands.NameCharacter("c1"), f"Hero {table.state.size}")


def _set_track(table: Evening) -> None:
    track = table.luck.one_of(sorted(table.state.game.tracks) or ["none"])
    value = table.luck.below(3)
    table.submit(NARRATOR, commands.SetTrack("c1", track, value))


def _set_reading(table: Evening) -> None:
    table.say(NARRATOR, some_reading(table.trial, table.luck), "From tonight on.")


def _give(table: Evening) -> None:
    """A character goes to another seat."""
    to = table.luck.one_of(("p1", "p2", NARRATOR))
    table.submit(NARRATOR, commands.GiveCharacter("c1", to))


def _come_and_go(table: Evening) -> None:
    if table.state.seats[WATCHER].here:
        table.submit(WATCHER, commands.LeaveSeat(WATCHER))
    else:
        table.submit(NARRATOR, commands.TakeSeat(WATCHER, "witness"))
        if table.luck.one_in(2):
            table.host.key(WATCHER)


def _doubt(table: Evening) -> None:
    """A dispute, and perhaps a ruling."""
    roll = table.some_roll(*LIVE, "resolved", "damaged")
    table.say(roll.seat, commands.Dispute(roll.number), "I doubt it.")
    raised = table.state.rolls[roll.number].trail[-1].seq
    if table.luck.one_in(2):
        ruling = table.luck.one_of(RULINGS)
        asked = commands.Rule(roll.number, raised, ruling)
        if ruling != "stands":
            asked = replace(asked, against=latest_ruling(roll))
        if ruling == "amend":
            fields = table.luck.one_of(table.trial.amendments)
            asked = replace(asked, character=roll.roll.character, fields=fields)
        table.say(NARRATOR, asked, "I do not.")


def _veto(table: Evening) -> None:
    """A veto, and as it must go on, a void."""
    roll = table.some_roll("declared", "reacted")
    table.say(NARRATOR, commands.Veto(roll.number), "Not here.")
    void = commands.Void(roll.number, against=latest_ruling(roll))
    table.say(NARRATOR, void, "So be it.")


def _replace(table: Evening) -> None:
    roll = table.some_roll("declared", "reacted")
    fields = table.luck.one_of(table.trial.amendments)
    table.say(NARRATOR, commands.Replace(roll.number, fields), "Better so.")


def _confirm(table: Evening) -> None:
    roll = table.some_roll(*LIVE, "resolved", "damaged")
    table.submit(NARRATOR, commands.Confirm(roll.number, 0))


def _fate(table: Evening) -> None:
    table.submit(NARRATOR, commands.DecideFate(table.some_roll("damaged").number, "spared"))


def _restore(table: Evening) -> None:
    if table.fair:
        table.epochs += 1
        restore(table.host, table.epochs)


def _interrupted(table: Evening) -> None:
    """A backup is restored while a throw waits for shares: it waits no more."""
    roll = table.some_roll(*LIVE)
    throws = [o for o in offers(table.state, roll) if o.trigger == "roll" and o.dice and not o.link]
    if not throws or not table.fair:
        raise Refused("unknown", "no such roll")
    seat = table.state.characters[throws[0].character].seat
    if level_next(table.state, seat, roll) != "table" or not table.state.seats[seat].anchor:
        raise Refused("unknown", "no such roll")
    table.ask(seat, commands.RollDice(roll.number, throws[0].hand))
    _restore(table)


DOINGS: Mapping[str, Callable[[Evening], None]] = {
    "note": _note,
    "erase": _erase,
    "name": _name,
    "track": _set_track,
    "reading": _set_reading,
    "give": _give,
    "come and go": _come_and_go,
    "doubt": _doubt,
    "veto": _veto,
    "replace": _replace,
    "confirm": _confirm,
    "fate": _fate,
    "epoch": _restore,
    "interrupted": _interrupted,
}
"""What else happens at tables, each as a function of the table; a refusal is no move."""


def evening(system: str, number: int, seed: int) -> Evening:
    """The table of that number, played to its end."""
    trial = TRIALS[system]
    table = Evening(
        trial,
        f"{system} {seed} {number}",
        dict(trial.options[number % len(trial.options)]),
        dice="fair" if number % MANUAL else "manual",
        level=LEVELS[number % len(LEVELS)],
    )
    for _ in table.play():
        pass
    return table
