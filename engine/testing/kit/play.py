"""Histories that nobody wrote: each move is drawn from what the rules offer."""

from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Any

from msgspec.structs import replace

from ....errors import Refused
from ....events.base import JSON
from ....projections.automaton import LIVE
from ....projections.rollstate import RollState
from ....projections.rulings import latest_ruling
from ....projections.tables import TableState
from ....rules.ruleset import Offer
from ...core import commands
from ...core.aggregate import FIXTURE_TABLE, Aggregate, Environment, environment
from ...core.limits import NARRATOR
from ...core.offers import describe, due, offers
from .fingerprint import fingerprint
from .luck import Luck
from .moves import attempts
from .trial import REFUSED, Acted, Answered, Declared, LawBroken, Moment, Report, Trial, lawful

ROLLS = 4
"""Rolls that are declared in one history, those that follow others not counted."""

MOVES = 40
"""Moves drawn before a history is brought to its end."""

BOUND = 200
"""Moves, at most, to bring one roll to its end."""

SALT = "0" * 32
"""The salt of the reasons that nobody wrote."""

LAST = ("apply_damage", "declare")
"""What may be offered once a roll is resolved."""


class History:
    """One table and its story so far, one line a commit."""

    rolls = ROLLS
    moves = MOVES

    def __init__(self, trial: Trial, seed: str, options: JSON, report: Report) -> None:
        self.trial = trial
        self.luck = Luck(seed)
        self.report = report
        self.story: list[str] = [f"seed {seed}, options {options}"]
        self.declared: list[Declared] = []
        self._vain: set[tuple[int, str]] = set()
        self.answers: list[Answered] = []
        self.tallied = False
        self.acted: dict[int, dict[str, Acted]] = {}
        fixture = replace(self._environment(seed), rulesets=lambda name: trial.ruleset)
        self.aggregate = Aggregate(fixture)
        name, dice = trial.ruleset.name, fixture.source.name
        self.submit(NARRATOR, commands.OpenTable(FIXTURE_TABLE, name, options, dice))
        self._seated()

    @property
    def state(self) -> TableState:
        """The table now."""
        return self.aggregate.opened

    @staticmethod
    def _environment(seed: str) -> Environment:
        """Clock, salts and dice, all of which follow from the seed."""
        return environment("seeded:" + sha256(seed.encode()).hexdigest())

    def _seated(self) -> None:
        """The trial's characters, each on a seat of its own."""
        for number, who in enumerate(self.trial.characters, 1):
            seat = f"p{number}"
            self.submit(NARRATOR, commands.TakeSeat(seat))
            entering = commands.EnterCharacter(
                f"c{number}", seat, dict(who.attributes), dict(who.tracks)
            )
            self.submit(NARRATOR, entering)

    def submit(self, seat: str, command: commands.Asking) -> None:
        """Do what a seat asks. Raises Refused."""
        with lawful([*self.story, f"{seat}: {command}"]):
            self.aggregate.submit(seat, command)
        self.story.append(f"{seat}: {command}")
        self.report.commits += 1

    def play(self) -> Iterator[Moment]:
        """Every moment of a history: drawn moves first, then every roll brought to its end."""
        rolls = 0
        for _ in range(self.moves):
            live = [roll for roll in self._rolls() if self._playable(roll)]
            if rolls < self.rolls and (not live or self.luck.one_in(6)):
                rolls += 1
                yield from self._declare()
            elif live:
                yield from self._move(self.luck.one_of(live))
            if self.luck.one_in(12):
                yield from self._narrate()
        for roll in self._rolls():
            yield from self._finish(roll.number)
            yield from self._go_on(roll.number)
        for number in [roll.number for roll in self.state.rolls.values()]:
            if self.luck.one_in(3) and self.state.rolls[number].state != "voided":
                yield self._void(self.state.rolls[number])

    def _go_on(self, number: int) -> Iterator[Moment]:
        """What a resolved roll still offers: at least what nobody ever took up in its state."""
        for _ in range(len(LAST) + 1):
            roll = self.state.rolls[number]
            fresh = [
                offer
                for offer in self._takeable(roll)
                if (roll.state, offer.trigger) not in self.report.taken
                or (offer.trigger in LAST and self.luck.one_in(2))
            ]
            if not fresh:
                return
            yield from self._take(roll, self.luck.one_of(fresh))

    def _rolls(self) -> list[RollState]:
        return sorted(self.state.rolls.values(), key=lambda roll: roll.number)

    def _playable(self, roll: RollState) -> bool:
        if roll.state in LIVE:
            return True
        return any(offer.trigger in LAST for offer in self._takeable(roll))

    def offers(self, roll: RollState) -> tuple[Offer, ...]:
        """What the rules offer in a roll now."""
        with lawful(self.story):
            try:
                return offers(self.state, roll)
            except Refused as error:
                why = f"roll {roll.number} is refused its offers: {error}"
                raise LawBroken("goes-on", why, self.story) from error

    def attempt(self, question: Callable[[], Any]) -> Any:
        """What a function of the system answers; REFUSED where it refuses."""
        with lawful(self.story):
            try:
                return question()
            except Refused:
                return REFUSED

    def twice(self, question: Callable[[], Any]) -> Any:
        """The answer to a question asked twice: a second answer that differs breaks a law."""
        first = self.attempt(question)
        as_it_was = fingerprint(first)
        second = self.attempt(question)
        if fingerprint(first) != as_it_was:
            why = f"asked again, its first answer has become {first}"
            raise LawBroken("leaves", why, self.story)
        if first != second:
            raise LawBroken("pure", f"first {first}, then {second}", self.story)
        return first

    def _takeable(self, roll: RollState) -> list[Offer]:
        """What is offered, less the links by which nobody could follow: they are tried once."""
        return [o for o in self.offers(roll) if (roll.number, o.link) not in self._vain]

    def _now(self, number: int) -> Moment:
        return Moment(self.state, self.state.rolls[number])

    def _declare(self) -> Iterator[Moment]:
        """The next declaration that nobody made yet, else any, by the first character that may."""
        every = range(len(self.trial.declarations))
        fresh = [at for at in every if at not in self.report.accepted]
        at = self.luck.one_of(fresh or list(every))
        characters = self.luck.shuffled(sorted(self.state.characters))
        for who in characters:
            why = self._declare_for(who, self.trial.declarations[at], None)
            if why is None:
                self.report.accepted.add(at)
                yield self._now(len(self.state.rolls))
                return
            self.report.refused[at] = why

    def _declare_for(self, who: str, wish: JSON, follows: tuple[int, str] | None) -> str | None:
        """Declare for a character; where only a narrator may, one has the character meanwhile.

        Gives the reason where it is refused.
        """
        before, owner = self.state, self.state.characters[who].seat
        command = commands.Declare(who, wish, follows=follows)
        try:
            self.submit(owner, command)
        except Refused as error:
            if error.code != "needs-leave":
                return str(error)
            self.submit(NARRATOR, commands.GiveCharacter(who, NARRATOR))
            try:
                self.submit(NARRATOR, command)
            except Refused as second:
                return str(second)
            finally:
                self.submit(NARRATOR, commands.GiveCharacter(who, owner))
        self.declared.append(Declared(before, wish, len(self.state.rolls)))
        return None

    def _move(self, roll: RollState) -> Iterator[Moment]:
        """One offer taken up, preferably of a kind that this state was never offered before."""
        every = self._takeable(roll)
        if not every:
            raise LawBroken("goes-on", f"roll {roll.number} is offered nothing", self.story)
        fresh = [o for o in every if (roll.state, o.trigger) not in self.report.taken]
        offer = self.luck.one_of(fresh if fresh and self.luck.below(4) else every)
        yield from self._take(roll, offer)

    def _take(self, roll: RollState, offer: Offer, *, last: bool = False) -> Iterator[Moment]:
        """Take up an offer. A refusal breaks a law, unless it is of what the caller gave."""
        if offer.trigger == "declare":
            yield from self._follow(roll, offer)
            return
        seat = self._seat_for(offer)
        why = "nothing to try"
        for command in attempts(self.trial, roll, offer, self.luck, last=last):
            try:
                self.submit(seat, command)
            except Refused as error:
                why = f"{command}: {error}"
                if offer.trigger == "react":
                    continue
                break
            self.report.taken.add((roll.state, offer.trigger))
            yield self._now(roll.number)
            return
        raise LawBroken("fits", f"{describe(offer)} was offered, but {why}", self.story)

    def _seat_for(self, offer: Offer) -> str:
        """The seat that takes up an offer."""
        if offer.narrator or not offer.character:
            return NARRATOR
        return self.state.characters[offer.character].seat

    def probe(self, roll: RollState, offer: Offer) -> None:
        """Take up an offer on the side: decided, sealed and folded, but not kept."""
        why = "nothing to try"
        seat = self._seat_for(offer)
        for command in attempts(self.trial, roll, offer, self.luck):
            try:
                with lawful([*self.story, f"{seat}: {command}"]):
                    self.aggregate.prepare(seat, self.aggregate.body(command))
            except Refused as error:
                why = f"{command}: {error}"
                continue
            return
        raise LawBroken("fits", f"{describe(offer)} is due, but {why}", self.story)

    def _follow(self, roll: RollState, offer: Offer) -> Iterator[Moment]:
        wishes = self.trial.followers.get(offer.link, ())
        if not wishes:
            why = f"{offer.link!r} is offered, and the caller gave no declaration for it"
            raise LawBroken("reaches", why, self.story)
        for given in self.luck.shuffled(wishes):
            wish = dict(given)
            if offer.choice:
                wish[offer.choice] = self.luck.one_of(offer.options)
            if self._declare_for(offer.character, wish, (roll.number, offer.link)) is None:
                self.report.links.add(offer.link)
                self.report.taken.add((roll.state, offer.trigger))
                yield self._now(len(self.state.rolls))
                return
        self._vain.add((roll.number, offer.link))

    def _narrate(self) -> Iterator[Moment]:
        """A void, or an amendment: what the rules refuse is no move."""
        rolls = [roll for roll in self._rolls() if roll.state != "voided"]
        if not rolls:
            return
        roll = self.luck.one_of(rolls)
        if not self.trial.amendments or self.luck.one_in(3):
            yield self._void(roll)
            return
        who = self.luck.one_of([roll.roll.character, *(who for who, _ in roll.roll.reactions)])
        fields = self.luck.one_of(self.trial.amendments)
        try:
            amend = commands.Amend(roll.number, who, fields, latest_ruling(roll))
            self.submit(NARRATOR, commands.worded(amend, "wrong", SALT))
        except Refused:
            return
        self.report.amended += 1
        yield self._now(roll.number)

    def _void(self, roll: RollState) -> Moment:
        void = commands.Void(roll.number, against=latest_ruling(roll))
        self.submit(NARRATOR, commands.worded(void, "no reason", SALT))
        self.report.voided += 1
        return self._now(roll.number)

    def _finish(self, number: int) -> Iterator[Moment]:
        """A roll brought to `resolved` by what is due: standing and declining where possible."""
        for _ in range(BOUND):
            roll = self.state.rolls[number]
            if roll.state not in LIVE:
                return
            every = self.offers(roll)
            ends = [offer for offer in every if offer.trigger == "resolve"]
            ways = ends or due(every) or [o for o in every if o.trigger not in ("flavour", *LAST)]
            if not ways:
                why = f"roll {number} in state {roll.state} can never be resolved"
                raise LawBroken("goes-on", why, self.story)
            yield from self._take(roll, self.luck.one_of(ways), last=True)
        raise LawBroken("goes-on", f"roll {number} is not resolved after {BOUND} moves", self.story)
