"""The ruleset kit's histories on real dice: fair or physical, at every level of trust.

Rolls are declared under every visibility, and revealed when somebody needs to see them.
"""

from typing import cast

from msgspec.structs import replace

from tests.cheats.host import Host
from urim.engine.core import commands
from urim.engine.core.commands import AnyCommand, Asking, apart
from urim.engine.core.limits import NARRATOR
from urim.engine.core.offers import offers
from urim.engine.testing.kit.luck import Luck
from urim.engine.testing.kit.play import History
from urim.engine.testing.kit.trial import Report, Trial
from urim.errors import Refused
from urim.events import throw as urim1
from urim.events.base import JSON, Face, Level, Visibility
from urim.projections.rollstate import RollState

LEVELS: tuple[Level, ...] = ("server", "player", "table")
VISIBILITIES: tuple[Visibility, ...] = ("public", "public", "public", "gm", "blind", "self")
WATCHER = "watcher"
"""A seat without a character, which comes and goes."""

AGES = 7 * 24 * 3_600_000
"""Milliseconds after which nobody waits any more."""

SIGHTED = ("react", "roll", "freeze", "reroll", "adjust", "resolve", "flavour", "fate")
"""What somebody may be unable to do in a hidden roll, so that it is revealed."""


class RealDice(History):
    """One table, played on real dice to the end of every roll."""

    def __init__(self, trial: Trial, seed: str, options: JSON, *, dice: str, level: Level) -> None:
        self.trial = trial
        self.luck = Luck(seed)
        self.report = Report()
        self.story = [f"seed {seed}, options {options}, {dice} dice at level {level}"]
        self.declared = []
        self._vain: set[tuple[int, str]] = set()
        self.fair = dice == "fair"
        self.epochs = 0
        self.nonces: dict[int, str] = {}
        self.did: set[str] = set()
        self.host = Host(trial.ruleset.name, seed=seed, dice=dice, level=level, options=options)
        self.aggregate = self.host.aggregate
        self._seated()

    def _seated(self) -> None:
        for number, who in enumerate(self.trial.characters, 1):
            seat = f"p{number}"
            taking = self.host.worded(commands.TakeSeat(seat), f"Player {number}")
            self.submit(NARRATOR, taking)
            entering = commands.EnterCharacter(
                f"c{number}", seat, dict(who.attributes), dict(who.tracks)
            )
            self.submit(NARRATOR, self.host.worded(entering, f"Hero {number}"))
        self.submit(NARRATOR, commands.TakeSeat(WATCHER, "witness"))

    # --- what the kit asks for, made fit for real dice -------------------------------------------

    def submit(self, seat: str, command: Asking) -> None:
        """Do what a seat asks; a roll that it may not see enough of is revealed for it first."""
        if isinstance(command, commands.Declare):
            command = self._as_said(command)
        asked, _ = apart(command)
        for _ in range(len(VISIBILITIES)):
            try:
                super().submit(seat, self._answering(seat, command))
            except Refused as error:
                if not self._blinded(asked, error):
                    raise
            else:
                return
            self._reveal(cast(commands.RollCommand, asked).roll)
        super().submit(seat, self._answering(seat, command))

    def _blinded(self, command: AnyCommand, error: Refused) -> bool:
        """Whether a seat is refused because it cannot see enough of a roll that goes on."""
        if getattr(command, "trigger", "") not in SIGHTED:
            return False
        roll = self.state.rolls[cast(commands.RollCommand, command).roll]
        return roll.hidden and (
            error.code == "not-seen" or (error.code == "not-offered" and bool(roll.roll.hands))
        )

    def _as_said(self, command: commands.Declare) -> Asking:
        """A declaration under some visibility and level; a follower's as its parent's has to be."""
        seen = self.luck.one_of(VISIBILITIES)
        if command.follows:
            parent = self.state.rolls[command.follows[0]]
            seen = parent.visibility if parent.hidden else "public"
        higher = LEVELS[LEVELS.index(self.state.level) :]
        level = self.luck.one_of((None, *higher)) if self.fair else None
        self.did.add(seen)
        label = "A tale" if self.luck.one_in(3) else None
        return self.host.worded(replace(command, visibility=seen, level=level), label)

    def _answering(self, seat: str, command: Asking) -> Asking:
        """A throw with what its dice ask for: commitment and nonce, or faces read off them."""
        if not isinstance(command, (commands.RollDice, commands.Reroll)):
            return command
        roll = self.state.rolls.get(command.roll)
        if roll is None or command.committed is not None or command.faces is not None:
            return command
        if isinstance(command, commands.RollDice) and self._throws_nothing(roll, command):
            return command
        if not self.fair:
            return replace(command, faces=self._read_off(roll, command))
        if roll.outstanding is None:
            return command
        self.did.add(roll.level)
        if roll.level == "server":
            return replace(command, committed=roll.outstanding.seq)
        nonce = self._bound(roll, seat) if roll.level == "table" else self.host.nonce()
        return replace(command, committed=roll.outstanding.seq, nonce=nonce)

    def _throws_nothing(self, roll: RollState, command: commands.RollDice) -> bool:
        offered = (o for o in offers(self.state, roll) if o.trigger == "roll")
        taken = any(o.hand == command.hand and (o.link or not o.dice) for o in offered)
        return taken or command.option == 0

    def _read_off(
        self, roll: RollState, command: commands.RollDice | commands.Reroll
    ) -> tuple[Face, ...]:
        """Faces for physical dice: any that they have."""
        offer = next(
            o
            for o in offers(self.state, roll)
            if (o.trigger, o.hand) == (command.trigger, command.hand)
        )
        hand = roll.roll.hand(command.hand)
        if isinstance(command, commands.Reroll) and hand is not None:
            kinds = [die.kind for id in command.dice for die in hand.dice if die.id == id]
        else:
            kinds = list(offer.dice[: getattr(command, "option", None)])
        found: list[Face] = []
        for kind in kinds:
            found.append(self.luck.one_of(self.state.game.faces[kind]))
            while found[-1] in offer.again:
                found.append(self.luck.one_of(self.state.game.faces[kind]))
        return tuple(found)

    def _bound(self, roll: RollState, seat: str) -> str:
        """The nonce bound for the roll's next throw, by now if it was not before."""
        if roll.visibility == "blind" and roll.roll.hands:
            self._reveal(roll.number)  # who sees no dice is offered none to throw again
        if roll.binding is None:
            self.bind(roll, seat)
        return self.nonces[roll.number]

    def bind(self, roll: RollState, seat: str) -> None:
        """Bind a nonce, ask some of the others, and pass over those who stay silent."""
        assert roll.outstanding is not None
        here = sorted(id for id, them in self.state.seats.items() if them.here and id != seat)
        asked = self.luck.some_of(here, 1 + self.luck.below(len(here)))
        nonce = self.nonces[roll.number] = self.host.nonce()
        id = urim1.throw_id(self.state.id, roll.number, roll.throws)
        bound = urim1.nonce_commitment(id, nonce).hex()
        super().submit(seat, commands.CommitNonce(roll.number, bound, roll.outstanding.seq, asked))
        silent = [id for id in asked if self.luck.one_in(8)]
        for other in asked:
            if other not in silent:
                super().submit(other, commands.Witness(roll.number, self.host.nonce()))
        if silent:
            self.host.pause = AGES
            super().submit(seat, commands.PassOver(roll.number))
            self.host.pause = 0
            self.did.add("silent")

    def _reveal(self, number: int) -> None:
        """Lay a roll open, and before it the one that it follows."""
        roll = self.state.rolls[number]
        if roll.follows and self.state.rolls[roll.follows[0]].hidden:
            self._reveal(roll.follows[0])
        if roll.hidden:
            by = roll.seat if roll.visibility == "self" else NARRATOR
            super().submit(by, commands.Reveal(number))
            self.did.add("reveal")
