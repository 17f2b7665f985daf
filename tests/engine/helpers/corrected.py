"""Tables of any system that a narrator corrects all the time, and their health by a naive fold."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from tests.engine.helpers.tables.trials import TRIALS, some_reading
from urim.engine.core import commands as c
from urim.engine.core.limits import NARRATOR
from urim.engine.testing.kit.luck import Luck
from urim.engine.testing.kit.play import SALT, History
from urim.engine.testing.kit.trial import Moment, Report
from urim.errors import Refused
from urim.events import roll as rolled
from urim.events import ruling
from urim.events import table as tabled
from urim.events.base import Effect
from urim.events.codec import RecordedEvent
from urim.projections.rollstate import RollState
from urim.projections.tables import TableState
from urim.rules.ruleset import Sheet

Health = dict[str, dict[str, int]]
"""Values of tracks by character and track, those that are 0 left out."""

STEPS = 50
"""What happens at a table before it is looked at for the last time."""


class Corrected(History):
    """A history full of voids, amendments, withdrawals and healing; some rolls are hidden."""

    def __init__(self, system: str, seed: str) -> None:
        trial = TRIALS[system]
        luck = Luck(f"options {seed}")
        super().__init__(trial, seed, luck.one_of([{}, *trial.options]), Report())
        self.deeds = Counter[str]()

    def submit(self, seat: str, command: c.Asking) -> None:
        """As every history, but one roll of five is hidden."""
        if isinstance(command, c.Declare) and command.follows is None and self.luck.one_in(5):
            command = replace(command, visibility="gm")
        super().submit(seat, command)

    def steps(self) -> Iterator[None]:
        """Play, and come back after every step."""
        for _ in range(STEPS):
            kind = self.luck.one_of(KINDS)
            for _ in kind(self):
                pass
            yield

    def _rolling(self) -> Iterator[Moment]:
        """A roll declared, or brought to its end, with what it may still do."""
        live = [roll for roll in self._rolls() if self._playable(roll)]
        if not live or self.luck.one_in(4):
            yield from self._declare()
            return
        number = self.luck.one_of(live).number
        if self.luck.one_in(3):
            yield from self._move(self.state.rolls[number])
            return
        yield from self._finish(number)
        yield from self._go_on(number)

    def _asked(self, seat: str, command: c.Asking) -> Iterator[Moment]:
        """Something that may well be refused; then it is no step."""
        try:
            self.submit(seat, command)
        except Refused:
            return
        self.deeds[type(getattr(command, "command", command)).__name__] += 1
        yield from ()

    def _any(self) -> RollState | None:
        """Any roll, more often than not one that did something to somebody's health."""
        rolls = [roll for roll in self._rolls() if roll.state != "voided"]
        doing = [roll for roll in rolls if any(_effects(entry) for entry in roll.trail)]
        found = rolls if self.luck.one_in(3) else doing or rolls
        return self.luck.one_of(found) if found else None

    def _voiding(self) -> Iterator[Moment]:
        roll = self._any()
        if roll:
            yield from self._asked(NARRATOR, _worded(c.Void(roll.number)))

    def _amending(self) -> Iterator[Moment]:
        """A field corrected as the trial knows it, or as somebody else declared it."""
        roll = self._any()
        if roll is None:
            return
        who = self.luck.one_of([roll.roll.character, *(who for who, _ in roll.roll.reactions)])
        fields: Mapping[str, Any] = self.luck.one_of(self.trial.amendments)
        if self.luck.one_in(2):
            wish = self.luck.one_of(self.trial.declarations)
            name = self.luck.one_of(sorted(wish))
            fields = {name: wish[name]}
        yield from self._asked(NARRATOR, _worded(c.Amend(roll.number, who, dict(fields))))

    def _withdrawing(self) -> Iterator[Moment]:
        for roll in self._rolls():
            if roll.state == "declared":
                seat = self.state.characters[roll.roll.character].seat
                yield from self._asked(seat, c.Withdraw(roll.number))
                return

    def _setting(self) -> Iterator[Moment]:
        """A night's rest, or a wound by a fall."""
        if not self.state.game.tracks:
            return
        who = self.luck.one_of(sorted(self.state.characters))
        track = self.luck.one_of(sorted(self.state.game.tracks))
        bounds = self.state.game.tracks[track]
        value = max(bounds.least, self.luck.below(5) - 1)
        yield from self._asked(NARRATOR, c.SetTrack(who, track, value))

    def _reading(self) -> Iterator[Moment]:
        yield from self._asked(NARRATOR, _worded(some_reading(self.trial, self.luck)))

    def _revealing(self) -> Iterator[Moment]:
        for roll in self._rolls():
            if roll.hidden:
                yield from self._asked(NARRATOR, c.Reveal(roll.number))
                return

    def _applying(self) -> Iterator[Moment]:
        """Damage that lapsed, or waits, is applied."""
        roll = self._any()
        if roll and roll.state == "resolved":
            seat = self.state.characters[roll.roll.character].seat
            yield from self._asked(seat, c.ApplyDamage(roll.number))


def _effects(entry: RecordedEvent) -> tuple[Effect, ...]:
    effects: tuple[Effect, ...] = getattr(entry.event, "effects", ())
    return effects


_DO = Corrected
KINDS = (
    *(_DO._rolling,) * 14,  # noqa: SLF001 - the steps of its own class
    *(_DO._amending,) * 6,  # noqa: SLF001
    *(_DO._setting, _DO._setting, _DO._voiding),  # noqa: SLF001
    *(_DO._withdrawing, _DO._revealing, _DO._applying, _DO._reading),  # noqa: SLF001
)
"""The kinds of steps; what is there more than once is that much likelier."""


def _worded(command: c.Amend | c.SetReading | c.Void) -> c.Asking:
    return c.worded(command, "It was wrong.", SALT)


# --- the naive fold -------------------------------------------------------------------------------


def product_health(state: TableState) -> Health:
    """What the table itself says."""
    return _tidy({who: dict(own) for who, own in state.tracks.items()})


def naive_health(state: TableState, records: Iterable[RecordedEvent | None]) -> Health:
    """The log from its first entry on, as if all had been right from the start.

    A voided roll does nothing. A roll that is hidden does nothing before it is revealed, and then
    all that it has done. An amended one gives what it gives now, where it gave something first.
    """
    health: Health = {}
    postponed: dict[int, list[RecordedEvent]] = {}
    for record in filter(None, records):
        event = record.event
        if isinstance(event, tabled.CharacterEntered):
            health[event.character] = dict(event.tracks)
        elif isinstance(event, tabled.TrackSet):
            health[event.character][event.track] = event.value
        if not isinstance(event, rolled.RollEventBase):
            continue
        roll = state.rolls[event.roll]
        if roll.state == "voided":
            continue
        if isinstance(event, rolled.RollRevealed):
            for earlier in postponed.pop(event.roll, ()):
                _does(state, roll, earlier, health)
        elif roll.visibility != "public" and not _revealed_before(roll, record.seq):
            postponed.setdefault(event.roll, []).append(record)
        else:
            _does(state, roll, record, health)
    return _tidy(health)


def _revealed_before(roll: RollState, seq: int) -> bool:
    return any(isinstance(e.event, rolled.RollRevealed) and e.seq < seq for e in roll.trail)


def _does(state: TableState, roll: RollState, record: RecordedEvent, health: Health) -> None:
    """What one entry of a roll does to the health of all."""
    event, seq = record.event, record.seq
    if isinstance(event, (rolled.ReactionDeclared, rolled.DiceRerolled)):
        _change(state, health, event.effects)
    declared = _entries(roll, rolled.RollDeclared, ruling.DeclarationReplaced)
    if seq == declared[-1].seq:
        _change(state, health, declared[-1].event.effects)
    settled = [
        entry
        for entry in _entries(roll, rolled.RollResolved, ruling.RollAmended)
        if entry.event.outcome is not None
    ]
    if settled and seq == settled[0].seq:
        _change(state, health, settled[-1].event.effects)
    landed = _entries(roll, rolled.DamageApplied)
    if landed and seq == landed[0].seq and landed[-1].seq > settled[-1].seq:
        ratings = state.ratings
        sheets = {who: Sheet(who, ratings(who, seq), tracks) for who, tracks in health.items()}
        _change(state, health, state.game.ruleset.damage(roll.roll, sheets.__getitem__).effects)


def _entries(roll: RollState, *kinds: type) -> list[Any]:
    return [entry for entry in roll.trail if isinstance(entry.event, kinds)]


def _change(state: TableState, health: Health, effects: tuple[Effect, ...]) -> None:
    for effect in effects:
        track, own = state.game.tracks[effect.track], health[effect.character]
        value = own.get(effect.track, 0) + effect.delta if effect.to is None else effect.to
        own[effect.track] = max(
            track.least, value if track.most is None else min(value, track.most)
        )


def _tidy(health: Health) -> Health:
    return {who: {name: v for name, v in own.items() if v} for who, own in health.items()}
