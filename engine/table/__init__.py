"""A table for tests, notebooks and bots, which acts for every seat at once: in memory, or kept.

    table = Table("a system", dice="seeded:7")
    hero = table.character("Hero", attributes={"GRA": 3})
    roll = table.declare(hero, root="…", attribute="GRA")
    roll.roll()
    print(roll.resolve())

Each call is a command of the seat that acts for the character concerned; what the rules refuse
raises Refused and changes nothing. Before a throw at level `table` every other seat that is there
gives its nonce.

`Table("a system", log="night.db")` keeps a table in a database and `Table.open("night.db", ID)`
goes on with it; each call is on disk when it returns.
"""

from collections.abc import Callable, Container, Iterable, Mapping
from itertools import count
from typing import TYPE_CHECKING, Any, Self

from ...errors import Defect, Refused
from ...events.base import AdjustedDie, Face, Level, Role, Visibility
from ...events.entry import Entry
from ...events.log.location import Location
from ...events.roll import RollDeclared
from ...events.ruling import Ruling
from ...projections.rollstate import RollState
from ...projections.rulings import declared_instead, open_disputes
from ...projections.tables import TableState
from ...rules.ruleset import Damage, Offer, Outcome, Sheet, declinable
from ..core import commands, door
from ..core.aggregate import Aggregate, Environment, table_id
from ..core.aggregate import environment as environment_of
from ..core.arguments import checked
from ..core.attempt import character_of, roll_of
from ..core.commands import worded
from ..core.decide import decide
from ..core.limits import NARRATOR
from ..core.offers import describe, offers, ways
from ..core.parse import body_of, read_command
from .place import Memory, Place
from .shares import Shares

if TYPE_CHECKING:
    from .database import Database

# --- a table and what is at it --------------------------------------------------------------------


@checked
class CharacterHandle:
    """A character at a table: its id, and its sheet as it is now."""

    def __init__(self, table: "Table", id: str) -> None:
        self.table = table
        self.id = id

    @property
    def sheet(self) -> Sheet:
        """Attributes and tracks as they are now."""
        state = self.table.state
        return state.sheet(character_of(state, self.id).id)

    @property
    def seat(self) -> str:
        """The seat that acts for it."""
        return character_of(self.table.state, self.id).seat

    def __repr__(self) -> str:
        return f"<{self.id} {self.table.state.name_of(self.id)!r}>"


@checked
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
        state = self.table.state
        return offers(state, roll_of(state, self.number))

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
        self._do(commands.React(self.number, offer.character, reaction), offer)

    def decline(self, character: CharacterHandle | None = None) -> None:
        """Decline to react; the only character that may, unless one is named."""
        who = character.id if character else self._offered("react", test=declinable).character
        self._by(commands.React(self.number, who, None), who)

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
        self._do(commands.Freeze(self.number, offer.hand, dice), offer)

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
            "adjust", hand, lambda offer: offer.means != "" and means in (None, offer.means)
        )
        dice = tuple(AdjustedDie(die, face) for die, face in to.items())
        self._do(commands.Adjust(self.number, offer.hand, offer.means, dice), offer)
        return self._faces(offer.hand)

    def choose(self, choice: str, option: str) -> None:
        """Take an option that is offered under the name `choice`."""
        offer = self._offered("adjust", None, lambda offer: offer.choice == choice)
        self._do(commands.Choose(self.number, choice, option), offer)

    def resolve(self) -> Outcome:
        """Announce the outcome."""
        own = Offer(trigger="resolve", character=self.state.roll.character)
        offered = (offer for offer in self.offers if offer.trigger == "resolve")
        self._do(commands.Resolve(self.number), next(offered, own))
        outcome = self.outcome
        if outcome is None:
            raise Defect(f"roll {self.number} was resolved without an outcome")
        return outcome

    def apply_damage(self) -> Damage:
        """Apply the damage."""
        self._do(commands.ApplyDamage(self.number), self._offered("apply_damage"))
        damage = self.state.damage
        if damage is None:
            raise Defect(f"roll {self.number} applied no damage")
        return damage

    def withdraw(self) -> None:
        """Take the declaration back before the first throw; the roller's."""
        self._by(commands.Withdraw(self.number), self.state.roll.character)

    def reveal(self) -> None:
        """Reveal a hidden roll: the roller's where nobody else sees it, else the narrator's."""
        alone = self.state.visibility == "self"
        seat = self.state.seat if alone else self.table.narrator
        self.table.submit(seat, commands.Reveal(self.number))

    def confirm(self, character: CharacterHandle | None = None, *, throw: int = 0) -> None:
        """Confirm faces that somebody else typed: the narrator's, or another character's."""
        state = self.table.state
        seat = state.characters[character.id].seat if character else self.table.narrator
        self.table.submit(seat, commands.Confirm(self.number, throw))

    def amend(
        self,
        reason: str,
        character: CharacterHandle | None = None,
        *,
        against: int | None = None,
        **fields: Any,
    ) -> None:
        """Correct fields of what the roller, or another character, declared; the narrator's.

        `against` is the entry of the latest ruling on the roll, where there is one.
        """
        who = character.id if character else self.state.roll.character
        self.table.submit_worded(
            self.table.narrator, commands.Amend(self.number, who, fields, against), reason
        )

    def replace(self, reason: str, **fields: Any) -> None:
        """Replace fields of the declaration before the first throw; the narrator's."""
        self.table.submit_worded(self.table.narrator, commands.Replace(self.number, fields), reason)

    def veto(self, reason: str) -> None:
        """Refuse the declaration before the first throw; the narrator's."""
        self.table.submit_worded(self.table.narrator, commands.Veto(self.number), reason)

    def void(self, reason: str, *, against: int | None = None) -> None:
        """Void the roll and all that follow it; the narrator's. `against` is as `amend` has it."""
        self.table.submit_worded(self.table.narrator, commands.Void(self.number, against), reason)

    def dispute(self, reason: str, character: CharacterHandle | None = None) -> int:
        """Dispute the roll, for the roller or another character, and give the dispute's entry."""
        who = character.id if character else self.state.roll.character
        seat = self.table.state.characters[who].seat
        return self.table.submit_worded(seat, commands.Dispute(self.number), reason)[0].seq

    def rule(
        self,
        ruling: Ruling,
        reason: str,
        character: CharacterHandle | None = None,
        *,
        dispute: int | None = None,
        against: int | None = None,
        **fields: Any,
    ) -> "RollHandle":
        """Rule on the open dispute, and do it; the narrator's. Gives the roll that counts by then.

        `amend` corrects fields, as `amend` does; `stands`, `void` and `replay` take none, and after
        a `replay` the roll that comes instead counts. `dispute` is the entry of one of several.
        """
        known = self.state
        amends = ruling == "amend"
        who = (character.id if character else known.roll.character) if amends or fields else None
        command = commands.Rule(
            self.number,
            self._disputed(dispute),
            ruling,
            character=who,
            fields=fields if who else None,
            against=against,
        )
        self.table.submit_worded(self.table.narrator, command, reason)
        instead = declared_instead(self.state) if ruling == "replay" else ()
        return RollHandle(self.table, instead[-1]) if instead else self

    def _disputed(self, dispute: int | None) -> int:
        """The dispute to rule on. Raises Refused where none is named, and there is not one."""
        found = open_disputes(self.state)
        if dispute is not None or len(found) == 1:
            return found[0] if dispute is None else dispute
        why = f"roll {self.number} has {len(found) or 'no'} open disputes"
        raise Refused("malformed" if found else "unknown", why, allowed=map(str, found))

    def _faces(self, hand: str) -> tuple[Face, ...]:
        thrown = self.state.roll.hand(hand)
        return tuple(die.face for die in thrown.dice) if thrown else ()

    def _do(self, command: commands.AnyRollCommand, offer: Offer) -> None:
        """Take up an offer: the seat of its character does, or the narrator."""
        if offer.narrator:
            self.table.submit(self.table.narrator, command)
        else:
            self._by(command, offer.character)

    def _by(self, command: commands.AnyRollCommand, character: str) -> None:
        self.table.submit(self.table.state.characters[character].seat, command)

    def _throw(self, command: commands.AnyThrow, character: str) -> tuple[Face, ...]:
        table = self.table
        seat = table.state.characters[character].seat
        for other, turn in table.place.turns(seat, command):
            table.submit(other, turn)
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
            if offer.trigger == trigger and hand in (None, offer.hand) and test(offer)
        ]
        if len(found) == 1:
            return found[0]
        what = f"{trigger} {hand}" if hand else trigger
        if found:
            why = f"roll {self.number} offers {what} in {len(found)} ways; say which"
            names = self.table.state.name_of
            by_whom = [f"{describe(offer)} of {names(offer.character)}" for offer in found]
            raise Refused("malformed", why, allowed=by_whom)
        why = f"{what} is not offered in roll {self.number}"
        raise Refused("not-offered", why, allowed=ways(every))


@checked
class Table:
    """A table of one system, opened by the seat `narrator`.

    `dice` is `fair`, `seeded:SEED`, `scripted` or `manual`; `options` are readings by name; `id`
    is 8 to 32 of a-z and 0-9. Fair dice are thrown at a table of `one_machine`, for this program
    plays every seat, unless the level is `table`, or it says that others play some: then it draws a
    chain of shares for each seat. `environment` replaces the one that `dice` names. Raises
    Refused for a system, reading, id or source that is not known.

    With `log`, a file or the URL of a database, the table is kept there: a call returns when what
    it did is on disk, and then it is not lost. Other processes may read the table and add to it
    meanwhile; what they added is seen by the next call here. Its commands raise Damaged and
    Unavailable too, as those of a Service. Close it, or use it in a `with` statement.
    """

    def __init__(
        self,
        system: str,
        *,
        dice: str = "fair",
        id: str | None = None,
        options: Mapping[str, Any] | None = None,
        level: Level = "player",
        one_machine: bool | None = None,
        environment: Environment | None = None,
        log: str | Location | None = None,
    ) -> None:
        usual = environment or environment_of(dice)
        alone = usual.source.name == "fair" and level != "table"
        opening = commands.OpenTable(
            table_id(dice) if id is None else id,
            *(system, dict(options or {}), usual.source.name, level),
            alone if one_machine is None else one_machine,
        )
        self.place: Place
        if log is None:
            self.place = Memory(usual)
            self.submit(NARRATOR, opening)
            return
        if environment is not None:
            why = "a table in a database has the environment that its dice have"
            raise Refused("malformed", why, allowed=["dice", "no log"])
        self.place = _databases().opening(log, NARRATOR, opening)

    @classmethod
    def open(cls, log: str | Location, id: str) -> Self:
        """Go on with a table that a database keeps.

        Raises Refused("unreadable") where there is no such log, Refused("unknown") where it has no
        such table, Damaged where the log is not what was written and signed.
        """
        table = cls.__new__(cls)
        table.place = _databases().found(log, id)
        return table

    def __repr__(self) -> str:
        """In short, as that of the state."""
        return f"<Table {self.state.summary}>"

    def __enter__(self) -> Self:
        """The table itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Sign what was not signed yet, and take no more commands, if a database keeps the table.

        It can still be read, as it was then.
        """
        self.place.close()

    @property
    def aggregate(self) -> Aggregate:
        """The table with every entry that there is now; to read alone."""
        return self.place.aggregate

    @property
    def state(self) -> TableState:
        """The table after its log's last entry."""
        return self.aggregate.opened

    @property
    def shares(self) -> Shares:
        """The chains of shares drawn for the table's seats."""
        return self.place.shares

    @property
    def narrator(self) -> str:
        """The seat that opened the table and acts for its narrator here."""
        return self.state.by

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The table's log."""
        return tuple(self.aggregate.entries)

    def submit(
        self, seat: str, command: commands.Asking, request: str | None = None
    ) -> tuple[Entry, ...]:
        """Do what a seat asks and give the entries that it added. Raises Refused."""
        return self.place.submit(seat, command, request)

    def submit_worded(
        self, seat: str, command: commands.AnyCommand, words: str | None
    ) -> tuple[Entry, ...]:
        """The same with these words, the command's name, label, reason or note, if there are any.

        In a fixture their salt repeats, as all else does.
        """
        return self.submit(seat, self.aggregate.worded(command, words))

    def seat(self, id: str, *, name: str | None = None, role: Role = "player") -> str:
        """Seat somebody and give the seat's id."""
        self.submit_worded(self.narrator, commands.TakeSeat(id, role), name)
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
        state = self.state
        owner = _free("p", len(state.seats), state.seats) if seat is None else seat
        id = _free("c", len(state.characters) + 1, state.characters)
        entering = commands.EnterCharacter(id, owner, dict(attributes or {}), dict(tracks or {}))
        if seat is None:
            taking = commands.TakeSeat(owner)
            ahead = self.aggregate.prepare(state.by, body_of(taking)).state
            self._would_pass(ahead, worded(entering, name))
            self.submit(state.by, taking)
        self.submit_worded(self.narrator, entering, name)
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
        done = self.submit_worded(character.seat, command, label)
        record = self.aggregate.records[done[0].seq]
        if record is None or not isinstance(record.event, RollDeclared):
            raise Defect(f"entry {done[0].seq} declares no roll")
        return RollHandle(self, record.event.roll)

    def _would_pass(self, ahead: TableState, asking: commands.Worded) -> None:
        """Refuse now what the narrator would be refused at the table as it will be."""
        command, source = read_command(body_of(asking.command)), self.aggregate.environment.source
        door.check(ahead, ahead.by, command, asking.text)
        decide(ahead, ahead.by, command, source, now=ahead.at)


def _free(letter: str, number: int, taken: Container[str]) -> str:
    """The first id of that letter that is free, from a number on."""
    return next(id for id in (f"{letter}{n}" for n in count(number)) if id not in taken)


def _databases() -> "type[Database]":
    # Not at the top: a table in memory needs neither SQLite nor what signs.
    from .database import Database  # noqa: PLC0415

    return Database
