"""The ruleset kit's histories on real dice: fair or physical, at every level of trust.

Rolls are declared under every visibility, and revealed when somebody needs to see them.
"""

from typing import TypeGuard, cast

from msgspec.structs import replace

from tests.engine.helpers.tables.host import TABLE, Host
from urim.engine.core import commands
from urim.engine.core.commands import AnyCommand, AnyThrow, Asking, apart
from urim.engine.core.limits import NARRATOR
from urim.engine.core.offers import offers
from urim.engine.core.parse import body_of
from urim.engine.testing.kit.luck import Luck
from urim.engine.testing.kit.play import History
from urim.engine.testing.kit.trial import Report, Trial, lawful
from urim.errors import Refused
from urim.events.base import JSON, Face, Level, Visibility
from urim.events.share import link
from urim.projections.levels import anchored, level_next
from urim.projections.rollstate import BREAKING, RollState

LEVELS: tuple[Level, ...] = ("server", "player", "table")
VISIBILITIES: tuple[Visibility, ...] = ("public", "public", "public", "gm", "blind", "self")
WATCHER = "watcher"
"""A seat without a character, which comes and goes."""

SIGHTED = ("react", "roll", "freeze", "reroll", "adjust", "resolve", "flavour", "fate")
"""What somebody may be unable to do in a hidden roll, so that it is revealed."""


class RealDice(History):
    """One table, played on real dice to the end of every roll."""

    def __init__(
        self,
        trial: Trial,
        seed: str,
        options: JSON,
        *,
        dice: str,
        level: Level,
        table: str = TABLE,
        one_machine: bool = False,
    ) -> None:
        self.trial = trial
        self.luck = Luck(seed)
        self.report = Report()
        self.story = [f"seed {seed}, options {options}, {dice} dice at level {level}"]
        self.declared = []
        self._vain: set[tuple[int, str]] = set()
        self.fair = dice == "fair"
        self.epochs = 0
        self.did: set[str] = set()
        name = trial.ruleset.name
        self.host = Host(
            name, seed=seed, dice=dice, level=level, options=options, table=table,
            one_machine=one_machine,
        )  # fmt: skip
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
        for seat in sorted(self.state.seats):
            if self.luck.one_in(3):
                self.did.add("key")
                self.host.key(seat)

    # --- what the kit asks for, made fit for real dice -------------------------------------------

    def submit(self, seat: str, command: Asking) -> None:
        """Do what a seat asks; a roll that it may not see enough of is revealed for it first."""
        if isinstance(command, commands.Declare):
            command = self._as_said(command)
        asked, _ = apart(command)
        for _ in range(len(VISIBILITIES)):
            try:
                self._do_as_asked(seat, command)
            except Refused as error:
                if not self._blinded(asked, error):
                    raise
            else:
                return
            self._reveal(cast(commands.RollCommand, asked).roll)
        self._do_as_asked(seat, command)

    def _do_as_asked(self, seat: str, command: Asking) -> None:
        asked, _ = apart(command)
        if self._needs_shares(asked, seat):
            self.with_shares(seat, asked)
        else:
            self.send(seat, self._answering(seat, command))

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
        level = level_next(self.state, seat, roll)
        self.did.add(level)
        nonce = None if level == "server" else self.host.nonce()
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

    # --- level table ------------------------------------------------------------------------------

    def _needs_shares(self, command: AnyCommand, seat: str) -> TypeGuard[AnyThrow]:
        """Whether a throw is one that shares are asked for; a few seats anchor before that."""
        if not self.fair or not isinstance(command, (commands.RollDice, commands.Reroll)):
            return False
        roll = self.state.rolls.get(command.roll)
        if roll is None or roll.outstanding is None or command.committed is not None:
            return False
        if isinstance(command, commands.RollDice) and self._throws_nothing(roll, command):
            return False
        self._come_to_share()
        if level_next(self.state, seat, roll) != "table":
            return False
        if self.state.seats[seat].anchor is None:
            self._anchor(seat)
        return True

    def _come_to_share(self) -> None:
        """Some seats that have no anchor publish one."""
        for id, other in sorted(self.state.seats.items()):
            if other.here and other.anchor is None and not self.luck.one_in(3):
                self._anchor(id)

    def _anchor(self, seat: str) -> None:
        last = self.host.nonce()
        found = link(self.state.id, seat, last, 0)
        self.host.chains[found] = last
        self.send(seat, commands.AnchorShares(found))

    def with_shares(self, seat: str, throw: AnyThrow) -> None:
        """Ask for the shares of a throw, and open them; one that is broken off is made again."""
        if self.state.rolls[throw.roll].visibility == "blind" and self._has_dice(throw.roll):
            self._reveal(throw.roll)  # who sees no dice is offered none to throw again
        while level_next(self.state, seat, self.state.rolls[throw.roll]) == "table":
            self.ask(seat, throw)
            self.did.add("table")
            if self._opened(seat):
                return
        self.send(seat, self._answering(seat, throw))

    def _has_dice(self, number: int) -> bool:
        return bool(self.state.rolls[number].roll.hands)

    def ask(self, seat: str, throw: AnyThrow) -> None:
        """Ask for shares: the roller's own, and those of some others that have an anchor."""
        waiting = self.state.rolls[throw.roll].outstanding
        assert waiting is not None
        others = anchored(self.state, seat)
        asked = self.luck.some_of(others, 1 + self.luck.below(len(others)))
        dice = throw.dice if isinstance(throw, commands.Reroll) else None
        option = throw.option if isinstance(throw, commands.RollDice) else None
        named = tuple(sorted({seat, *asked}))
        self.send(seat, commands.Ask(throw.roll, throw.hand, waiting.seq, named, option, dice))

    def _opened(self, roller: str) -> bool:
        """Open the shares that the table waits for, or break the throw off where one is kept."""
        waiting = self.state.ask
        assert waiting is not None
        silent = [seat for seat in waiting.waiting if self.luck.one_in(12)]
        for seat in waiting.waiting:
            if self.luck.one_in(6):
                about = self.luck.one_of((0, waiting.seq))
                self.send(roller, self.host.worded(commands.Note(about), "We wait."))
            if seat not in silent:
                self.send(seat, commands.OpenShare(waiting.roll, self.host.share(seat)))
        if not silent:
            return True
        self.did.add("silent")
        self.host.pause = BREAKING
        breaker = roller if self.luck.one_in(2) else NARRATOR
        self.send(breaker, commands.BreakThrow(waiting.roll))
        self.host.pause = 0
        return False

    def send(self, seat: str, command: Asking) -> None:
        """Do what a seat asks as it is, signed where the seat has a key."""
        asked, _ = apart(command)
        with lawful([*self.story, f"{seat}: {command}"]):
            request, signed = self.host.signed(seat, body_of(asked))
            self.aggregate.submit(seat, command, request, signed)
        self.story.append(f"{seat}: {command}")
        self.report.commits += 1

    def _reveal(self, number: int) -> None:
        """Lay a roll open, and before it the one that it follows."""
        roll = self.state.rolls[number]
        if roll.follows and self.state.rolls[roll.follows[0]].hidden:
            self._reveal(roll.follows[0])
        if roll.hidden:
            by = roll.seat if roll.visibility == "self" else NARRATOR
            self.send(by, commands.Reveal(number))
            self.did.add("reveal")
