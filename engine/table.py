"""A table in memory for tests, notebooks and bots, which acts for every seat at once. No I/O.

    table = Table("a system", dice="seeded:7")
    hero = table.character("Hero", attributes={"GRA": 3})
    roll = table.declare(hero, root="…", attribute="GRA")
    roll.roll()
    print(roll.resolve())

Each call is a command of the seat that acts for the character concerned; what the rules refuse
raises Refused and changes nothing. Before a throw at level `table` every other seat that is there
gives its nonce.
"""

import secrets
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from msgspec.structs import replace

from ..errors import Defect, Refused
from ..events.base import AdjustedDie, Face, Level, Role, Visibility
from ..events.entry import Entry
from ..events.throw import nonce_commitment, throw_id
from ..projections.rollstate import RollState
from ..projections.tables import TableState
from ..rules.ruleset import Damage, Offer, Outcome, Sheet, declinable
from .core import commands, door
from .core.aggregate import Aggregate, Environment, table_id
from .core.aggregate import environment as environment_of
from .core.attempt import others_here, roll_of
from .core.commands import (
    AnyRollCommand,
    AnyThrow,
    CommitNonce,
    Declare,
    Resolve,
    RollDice,
    Witness,
    Worded,
    worded,
)
from .core.decide import decide
from .core.fitting import fitting
from .core.guards import visible_offers
from .core.limits import NARRATOR
from .core.offers import describe, offers
from .core.parse import body_of, read_command
from .core.visibility import visible_part

Turn: TypeAlias = tuple[str, AnyRollCommand]
"""A seat and its command."""


# --- a table and what is at it --------------------------------------------------------------------


class CharacterHandle:
    """A character at a table: its id, and its sheet as it is now."""

    def __init__(self, table: "Table", id: str) -> None:
        self.table = table
        self.id = id

    @property
    def sheet(self) -> Sheet:
        """Attributes and tracks as they are now."""
        return self.table.state.sheet(self.id)

    @property
    def seat(self) -> str:
        """The seat that acts for it."""
        return self.table.state.characters[self.id].seat

    def __repr__(self) -> str:
        return f"<{self.id} {self.table.state.name_of(self.id)!r}>"


class RollHandle:
    """A roll at a table: its state, what may happen next, and the commands to make it happen."""

    def __init__(self, table: "Table", number: int) -> None:
        self.table = table
        self.number = number

    @property
    def state(self) -> RollState:
        """The roll after the log's last entry."""
        return roll_of(self.table.state, self.number)

    @property
    def offers(self) -> tuple[Offer, ...]:
        """Everything that may happen next."""
        return offers(self.table.state, self.state)

    @property
    def outcome(self) -> Outcome | None:
        """The announced outcome, once there is one."""
        return self.state.roll.outcome

    def react(self, character: CharacterHandle | None = None, **reaction: Any) -> None:
        """React with the reaction's fields; the only character that may, unless one is named."""
        offer = self._offered(
            "react",
            test=lambda offer: (
                (character is None or offer.character == character.id)
                and (not offer.choice or reaction.get(offer.choice) in offer.options)
            ),
        )
        seat = NARRATOR if offer.narrator else self.table.state.characters[offer.character].seat
        self.table.submit(seat, commands.React(self.number, offer.character, reaction))

    def decline(self, character: CharacterHandle | None = None) -> None:
        """Decline to react; the only character that may, unless one is named."""
        who = character.id if character else self._offered("react", test=declinable).character
        self._do(commands.React(self.number, who, None), who)

    def roll(
        self,
        hand: str | None = None,
        *,
        faces: Iterable[Face] | None = None,
        option: int | None = None,
    ) -> tuple[Face, ...]:
        """Throw a hand, the only one offered unless one is named, and give the faces shown."""
        offer = self._offered("roll", hand)
        typed = None if faces is None else tuple(faces)
        command = commands.RollDice(self.number, offer.hand, faces=typed, option=option)
        return self._throw(command, offer.character)

    def freeze(self, *dice: str, hand: str | None = None) -> None:
        """Freeze exactly these dice of a hand."""
        offer = self._offered("freeze", hand)
        self._do(commands.Freeze(self.number, offer.hand, dice), offer.character)

    def stand(self, hand: str | None = None) -> None:
        """Freeze every die of a hand."""
        self.freeze(*self._offered("freeze", hand).dice, hand=hand)

    def reroll(
        self, *dice: str, hand: str | None = None, faces: Iterable[Face] | None = None
    ) -> tuple[Face, ...]:
        """Throw these dice again and give the faces that the hand shows."""
        offer = self._offered("reroll", hand)
        typed = None if faces is None else tuple(faces)
        command = commands.Reroll(self.number, offer.hand, faces=typed, dice=dice)
        return self._throw(command, offer.character)

    def adjust(
        self, to: Mapping[str, Face], *, means: str | None = None, hand: str | None = None
    ) -> tuple[Face, ...]:
        """Adjust dice (die -> face) and give the faces that the hand shows."""
        offer = self._offered(
            "adjust", hand, lambda offer: offer.means == (means or offer.means) != ""
        )
        dice = tuple(AdjustedDie(die, face) for die, face in to.items())
        self._do(commands.Adjust(self.number, offer.hand, offer.means, dice), offer.character)
        return self._faces(offer.hand)

    def choose(self, choice: str, option: str) -> None:
        """Take an option that is offered under the name `choice`."""
        offer = self._offered("adjust", None, lambda offer: offer.choice == choice)
        self._do(commands.Choose(self.number, choice, option), offer.character)

    def resolve(self) -> Outcome:
        """Announce the outcome."""
        offered = (offer.character for offer in self.offers if offer.trigger == "resolve")
        self._do(commands.Resolve(self.number), next(offered, self.state.roll.character))
        outcome = self.outcome
        if outcome is None:
            raise Defect(f"roll {self.number} was resolved without an outcome")
        return outcome

    def apply_damage(self) -> Damage:
        """Apply the damage."""
        self._do(commands.ApplyDamage(self.number), self._offered("apply_damage").character)
        damage = self.state.damage
        if damage is None:
            raise Defect(f"roll {self.number} applied no damage")
        return damage

    def amend(self, reason: str, character: CharacterHandle | None = None, **fields: Any) -> None:
        """Correct fields of what the roller, or another character, declared; the narrator's."""
        who = character.id if character else self.state.roll.character
        self.table.submit_worded(NARRATOR, commands.Amend(self.number, who, fields), reason)

    def replace(self, reason: str, **fields: Any) -> None:
        """Replace fields of the declaration before the first throw; the narrator's."""
        self.table.submit_worded(NARRATOR, commands.Replace(self.number, fields), reason)

    def veto(self, reason: str) -> None:
        """Refuse the declaration before the first throw; the narrator's."""
        self.table.submit_worded(NARRATOR, commands.Veto(self.number), reason)

    def void(self, reason: str) -> None:
        """Void the roll and all that follow it; the narrator's."""
        nonce = self.table.nonces.bound(self.state)
        self.table.submit_worded(NARRATOR, commands.Void(self.number, nonce), reason)

    def _faces(self, hand: str) -> tuple[Face, ...]:
        thrown = self.state.roll.hand(hand)
        return tuple(die.face for die in thrown.dice) if thrown else ()

    def _do(self, command: commands.AnyRollCommand, character: str) -> None:
        self.table.submit(self.table.state.characters[character].seat, command)

    def _throw(self, command: commands.AnyThrow, character: str) -> tuple[Face, ...]:
        table, seat = self.table, self.table.state.characters[character].seat
        for other, turn in turns(table.state, seat, command, table.nonces):
            table.submit(other, turn)
        table.submit(seat, answering(table.state, command, table.nonces))
        return self._faces(command.hand)

    def _offered(
        self,
        trigger: str,
        hand: str | None = None,
        test: Callable[[Offer], bool] = lambda offer: True,
    ) -> Offer:
        """The one offer of that kind. Raises Refused where there is none, or more than one."""
        every = self.offers
        found = [
            offer
            for offer in every
            if offer.trigger == trigger and offer.hand == (hand or offer.hand) and test(offer)
        ]
        if len(found) == 1:
            return found[0]
        ways = [describe(offer) for offer in found or every]
        what = f"{trigger} {hand}" if hand else trigger
        if found:
            why = f"roll {self.number} offers {what} in {len(found)} ways; say which"
            raise Refused("malformed", why, allowed=ways)
        why = f"{what} is not offered in roll {self.number}"
        raise Refused("not-offered", why, allowed=ways)


class Table:
    """A table of one system, opened by the seat `narrator`.

    `dice` is `fair`, `seeded:SEED`, `scripted` or `manual`; `options` are readings by name; `id`
    is 8 to 32 of a-z and 0-9; `environment` replaces the one that `dice` names. Raises
    Refused for a system, reading, id or source that is not known.
    """

    def __init__(
        self,
        system: str,
        *,
        dice: str = "fair",
        id: str | None = None,
        options: Mapping[str, Any] | None = None,
        level: Level = "player",
        environment: Environment | None = None,
    ) -> None:
        self.nonces = Nonces()
        self.aggregate = Aggregate(environment or environment_of(dice))
        name = self.aggregate.environment.source.name
        self.submit(
            NARRATOR,
            commands.OpenTable(id or table_id(dice), system, dict(options or {}), name, level),
        )

    def __repr__(self) -> str:
        """In short, as that of the state."""
        return f"<Table {self.state.summary}>"

    @property
    def state(self) -> TableState:
        """The table after its log's last entry."""
        return self.aggregate.opened

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The table's log."""
        return tuple(self.aggregate.entries)

    def submit(
        self, seat: str, command: commands.Asking, request: str | None = None
    ) -> tuple[Entry, ...]:
        """Do what a seat asks and give the entries that it added. Raises Refused."""
        return self.aggregate.submit(seat, command, request)

    def submit_worded(
        self, seat: str, command: commands.AnyCommand, words: str | None
    ) -> tuple[Entry, ...]:
        """The same with these words, the command's name, label, reason or note, if there are any.

        In a fixture their salt repeats, as all else does.
        """
        return self.submit(seat, self.aggregate.worded(command, words))

    def seat(self, id: str, *, name: str | None = None, role: Role = "player") -> str:
        """Seat somebody and give the seat's id."""
        self.submit_worded(NARRATOR, commands.TakeSeat(id, role), name)
        return id

    def character(
        self,
        name: str,
        *,
        attributes: Mapping[str, int | float] | None = None,
        tracks: Mapping[str, int] | None = None,
        seat: str | None = None,
    ) -> CharacterHandle:
        """Bring a character to the table, on a seat of its own (p1, p2 …) unless one is named."""
        owner = seat or f"p{len(self.state.seats)}"
        id = f"c{len(self.state.characters) + 1}"
        entering = commands.EnterCharacter(id, owner, dict(attributes or {}), dict(tracks or {}))
        if seat is None:
            taking = commands.TakeSeat(owner)
            ahead = self.aggregate.prepare(NARRATOR, body_of(taking)).state
            self._would_pass(ahead, worded(entering, name))
            self.submit(NARRATOR, taking)
        self.submit_worded(NARRATOR, entering, name)
        return CharacterHandle(self, id)

    def declare(
        self,
        character: CharacterHandle,
        *,
        visibility: Visibility = "public",
        level: Level | None = None,
        follows: tuple[RollHandle, str] | None = None,
        label: str | None = None,
        **declaration: Any,
    ) -> RollHandle:
        """Declare a roll of the character's; `follows` names an earlier roll and the link."""
        after = (follows[0].number, follows[1]) if follows else None
        command = commands.Declare(character.id, declaration, visibility, level, after)
        self.submit_worded(character.seat, command, label)
        return RollHandle(self, len(self.state.rolls))

    def _would_pass(self, ahead: TableState, asking: commands.Worded) -> None:
        """Refuse now what the narrator would be refused at the table as it will be."""
        command, source = read_command(body_of(asking.command)), self.aggregate.environment.source
        door.check(ahead, command, asking.text)
        decide(ahead, NARRATOR, command, source, now=ahead.at)


# --- nonces of every seat, at level `table` -------------------------------------------------------


class Nonces:
    """The nonces drawn at one table, kept so that a throw can use the one that was bound."""

    def __init__(self) -> None:
        self._drawn: dict[str, str] = {}

    def draw(self, table: str, roll: RollState) -> str:
        """The commitment to a fresh nonce for the roll's next throw; the nonce is remembered."""
        nonce = fresh()
        commitment = nonce_commitment(throw_id(table, roll.number, roll.throws), nonce).hex()
        self._drawn[commitment] = nonce
        return commitment

    def bound(self, roll: RollState) -> str | None:
        """The nonce that is bound for the roll's next throw, if it was drawn here."""
        return self._drawn.get(roll.binding.nonce_commit) if roll.binding else None


def fresh() -> str:
    """A nonce as clients draw it: 32 random bytes as 64 hex digits."""
    return secrets.token_hex(32)


def turns(state: TableState, seat: str, throw: AnyThrow, nonces: Nonces) -> tuple[Turn, ...]:
    """The commands that come before a seat's throw: it binds its nonce, every other seat gives one.

    None where the level does not ask for it, where a nonce is bound already, or where the throw is
    not offered: then the throw itself is refused.
    """
    roll = state.rolls.get(throw.roll)
    if roll is None or roll.level != "table" or roll.outstanding is None or roll.binding:
        return ()
    try:
        fitting(visible_offers(state, seat, roll), throw, roll)
    except Refused:
        return ()
    if not _throws_dice(state, roll, throw):
        return ()
    others = others_here(state, seat)
    bound = CommitNonce(roll.number, nonces.draw(state.id, roll), roll.outstanding.seq, others)
    return ((seat, bound), *((other, Witness(roll.number, fresh())) for other in others))


def answering(state: TableState, throw: AnyThrow, nonces: Nonces) -> AnyThrow:
    """The throw with the commitment that it answers and a nonce, where it leaves them out."""
    roll = state.rolls.get(throw.roll)
    if roll is None or roll.outstanding is None or not _throws_dice(state, roll, throw):
        return throw
    committed = roll.outstanding.seq if throw.committed is None else throw.committed
    nonce = throw.nonce
    if nonce is None and roll.level != "server":
        nonce = nonces.bound(roll) or fresh()
    return replace(throw, committed=committed, nonce=nonce)


def _throws_dice(state: TableState, roll: RollState, throw: AnyThrow) -> bool:
    """Whether dice fall that need a proof: not where they are only taken over, or none thrown."""
    if isinstance(throw, RollDice) and throw.option == 0:
        return False
    wanted = (throw.trigger, throw.hand)
    found = (offer for offer in offers(state, roll) if (offer.trigger, offer.hand) == wanted)
    offer = next(found, None)
    return offer is None or (not offer.link and (bool(offer.dice) or throw.trigger == "reroll"))


# --- a quick roll ---------------------------------------------------------------------------------


def quick_roll(
    aggregate: Aggregate, seat: str, asking: Declare | Worded, request: str
) -> tuple[Entry, ...]:
    """Declare, throw the one hand that is offered, resolve: the entries of all three commits.

    The commits have the request ids `ID.1`, `ID.2`, `ID.3`: the same request gives the same
    entries again. A roll that then waits for somebody (a choice, an opponent, another seat's
    resolution) is left as it is, for ordinary commands. Raises Refused, with nothing changed,
    where the declaration is refused, as it is with fair dice at a table above level `server`, or no
    single throw is offered after it.
    """
    declare, text = commands.apart(asking)
    command = replace(declare, level="server" if aggregate.opened.source == "fair" else None)
    body = aggregate.body(command)
    if aggregate.answered(seat, f"{request}.1", body) is None:
        ahead = aggregate.prepare(seat, body, text=text).state
        _first_hand(ahead, len(ahead.rolls))
    done = aggregate.submit(seat, Worded(command, text) if text else command, f"{request}.1")
    declared = aggregate.records[done[0].seq]
    roll = getattr(declared.event, "roll", 0) if declared else 0
    thrown = aggregate.submit(seat, _throw(aggregate, roll), f"{request}.2")
    end = Resolve(roll)
    ended = aggregate.answered(seat, f"{request}.3", aggregate.body(end))
    if ended is None and not _resolves(aggregate.opened, seat, roll):
        return (*done, *thrown)
    return (*done, *thrown, *aggregate.submit(seat, end, f"{request}.3"))


def _resolves(state: TableState, seat: str, number: int) -> bool:
    """Whether the roll waits for nothing but this seat's resolution."""
    if visible_part(state, seat, state.rolls[number]) != "everything":
        return False
    ends = [offer for offer in offers(state, state.rolls[number]) if offer.trigger == "resolve"]
    narrates = state.seats[seat].role == "narrator"
    return any(narrates or state.characters[offer.character].seat == seat for offer in ends)


def _throw(aggregate: Aggregate, number: int) -> RollDice:
    """The command that throws the roll's first hand: as it was made, or as it is offered."""
    roll = aggregate.opened.rolls[number]
    if roll.roll.hands:
        made = next(entry.event for entry in roll.trail if hasattr(entry.event, "hand"))
        proof = getattr(made, "proof", None)
        return RollDice(number, roll.roll.hands[0].name, proof.committed if proof else None)
    waiting = roll.outstanding
    hand = _first_hand(aggregate.opened, number)
    return RollDice(number, hand, waiting.seq if waiting else None)


def _first_hand(state: TableState, number: int) -> str:
    """The one hand offered to begin with. Raises Refused where there is none, or a choice."""
    every = offers(state, state.rolls[number])
    hands = [offer.hand for offer in every if offer.trigger == "roll"]
    if len(hands) != 1:
        why = "a quick roll begins with one throw; this one does not"
        raise Refused("not-offered", why, allowed=map(describe, every))
    return hands[0]
