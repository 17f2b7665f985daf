"""Ordinary evenings: what people do at most tables, as often as they do it; see CHANCES.

Other evenings (`evening.py`) are for a search: everything in them is as likely as anything else.
These are to show how many looks an audit of honest people has.
"""

from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping

from msgspec.structs import replace

from tests.cheats.deeds import Deed, deed
from tests.cheats.deeds import Evening as Over
from tests.cheats.evening import Evening
from tests.cheats.real_dice import WATCHER
from urim.engine.core import commands
from urim.engine.core.commands import AnyCommand, AnyThrow, Asking, apart
from urim.engine.core.limits import NARRATOR
from urim.engine.testing.kit.trial import Moment, Trial
from urim.errors import Refused
from urim.events.base import JSON, Level, Visibility
from urim.events.ruling import Ruling
from urim.projections.automaton import LIVE
from urim.projections.levels import awake
from urim.projections.rollstate import BREAKING, RollState
from urim.projections.rulings import latest_ruling
from urim.rules.ruleset import Offer

CHANCES: Mapping[str, int] = {
    # once in so many tables
    "keys": 2, "keyless": 10, "narrated": 2, "watched": 4,
    "erased": 6, "restored": 25, "leaves": 8, "left": 60,
    # once in so many rolls
    "usual": 4, "secret": 4, "aside": 20, "own": 100, "named": 60,
    "withdrawn": 40, "vetoed": 80, "replaced": 80, "lying": 80, "given": 60, "dead": 200,
    "disputed": 30, "amended": 40, "voided": 60, "noted": 4, "shown": 3,
    # once in so many shares
    "locked": 1000,
}  # fmt: skip
"""How often something happens: once in so many.

The length is 8 to 24 rolls that do not follow others: a fight and some tests of skill. Each
character has three things that it does again and again, and does something else once in `usual`
rolls: who strikes with a sword strikes with it every round.

In half of the tables (`keys`) the clients take keys, all but one in ten (`keyless`): a page cannot
without https. Every client publishes an anchor when it comes, as the page does by itself. In half
of the tables one of the characters is the narrator's (`narrated`): one in four of its rolls is
hidden (`secret`), one in twenty of a player's (`aside`), and one in a hundred is seen by its roller
alone (`own`). A hidden roll is revealed where somebody needs to see it, before damage, and else
once in three (`shown`). A level is named once in sixty rolls (`named`): hardly anybody opens that
part of the form.

A declaration is taken back once in 40, vetoed or replaced once in 80 each. One in 60 is voided
once its dice lie: somebody took the wrong sheet. One in 30 is disputed; half of the disputes end
with `stands`, the others with an amendment, a void or a replay. One in 40 is amended without
a dispute. After a void or what is taken back, the character declares once more in half of the
cases, a third of these the same. One roll in 80 is forgotten.

Once in 60 rolls somebody goes to the door, and another player has the character for the next roll;
one in four of them goes in the middle of a roll. A phone dies once in 200 rolls: half of them are
missed only when a throw waits for them. It comes back after one to four rolls, half of the phones
charged, the others as another device; where the seat had a key, that is lost with the old one. A
screen is locked for ten seconds at the wrong moment once in 1,000 shares. Both are guesses. In
one evening of eight a player leaves before the end, and half of these come back. A host restores a
backup once in 25 evenings: the last 0 to 29 entries are lost. One evening in six has a text erased,
and one in sixty ends while a throw waits.
"""

ROLLS = (8, 24)
"""Rolls of an evening that do not follow others, the least and the most."""

TABLES: tuple[tuple[Level, bool], ...] = (
    *(("player", False),) * 6,
    *(("table", False),) * 4,
    ("player", True),
    ("server", False),
)
"""The level of a table, and whether one machine plays all its seats, as often as they are here."""

RULINGS: tuple[Ruling, ...] = ("stands", "stands", "stands", "amend", "void", "replay")

FAVOURITES = 3
"""What a character does again and again."""

WISHES = 12
"""Wishes that are tried until one is accepted: some are of other characters."""

MOVES = 6
"""Moves that are drawn in a roll, fewer than these, before what is due brings it to its end."""

LOST = 30
"""Entries that a restored backup lacks, fewer than these."""


class Ordinary(Evening):
    """One table among friends, played to the end of its evening."""

    def __init__(self, trial: Trial, seed: str, options: JSON, at: int) -> None:
        level, self.alone = TABLES[at % len(TABLES)]
        self.deeds: list[Deed] = []
        self.away: dict[str, int] = {}
        self.unnoticed: set[str] = set()
        self.handed: dict[str, str] = {}
        self.gone: dict[str, list[str]] = {}
        self.wishes: dict[int, tuple[str, JSON]] = {}
        self.lying: set[int] = set()
        self.devices = 0
        self.keys = False
        super().__init__(trial, seed, options, dice="fair", level=level, one_machine=self.alone)

    def happens(self, what: str) -> bool:
        """Whether something happens now, as often as CHANCES says."""
        return self.luck.one_in(CHANCES[what])

    def over(self) -> Over:
        """What was done, and how the rolls stand."""
        rolls = {roll.number: roll for roll in self._rolls()}
        return Over(self.state.level, not self.alone, tuple(self.deeds), rolls)

    def play(self) -> Iterator[Moment]:
        """Every moment of the evening."""
        least, most = ROLLS
        plan: list[list[str]] = [[] for _ in range(least + self.luck.below(most - least + 1))]
        for what in PLANNED:
            if what == "back" or self.happens(what):
                self.luck.one_of(plan).append(what)
        for doings in plan:
            for what in doings:
                PLANNED[what](self)
            for seat in [seat for seat, left in self.away.items() if left <= 1]:
                self._is_back(seat)
            self.away = {seat: left - 1 for seat, left in self.away.items()}
            yield from self._one_roll()
        for roll in self._rolls():
            if roll.number not in self.lying:
                yield from self._finish(roll.number)
        if self.happens("left"):
            self._leave_waiting()

    # --- who comes --------------------------------------------------------------------------------

    def _seated(self) -> None:
        self.keys = self.happens("keys") and not self.alone
        seats = [f"p{number}" for number in range(1, len(self.trial.characters) + 1)]
        if self.happens("narrated"):
            seats[-1] = NARRATOR
        for number, (seat, who) in enumerate(zip(seats, self.trial.characters, strict=True), 1):
            if seat != NARRATOR:
                self._comes(seat)
            entering = commands.EnterCharacter(
                f"c{number}", seat, dict(who.attributes), dict(who.tracks)
            )
            self.submit(NARRATOR, self.host.worded(entering, f"Hero {number}"))
        if self.happens("watched"):
            self._comes(WATCHER)
        self._joins(NARRATOR)
        self.favourites = {
            who: self.luck.shuffled(self.trial.declarations)[:FAVOURITES]
            for who in sorted(self.state.characters)
        }
        self.began = self.state.size

    def _comes(self, seat: str) -> None:
        """A seat is taken for somebody, by a narrator."""
        taking = commands.TakeSeat(seat, "witness" if seat == WATCHER else "player")
        self.say(NARRATOR, taking, f"Player {seat}")
        self._joins(seat)

    def _joins(self, seat: str) -> None:
        """A client that was not here before: its key, if it takes one, and its anchor."""
        self.devices += 1
        if self.keys and not self.happens("keyless"):
            self.host.keys[seat] = self.host.drawn(f"key of device {self.devices}")
            key = b64encode(self.host.key_of(seat)).decode()
            self.send(seat, commands.TakeSeat(seat, key=key))
        if not self.alone:
            self._anchor(seat)

    def players(self) -> list[str]:
        """The players who are here, and whose clients work."""
        seats = sorted(self.state.seats.items())
        here = [id for id, seat in seats if seat.here and seat.role == "player"]
        return [id for id in here if id not in self.away]

    # --- who goes ---------------------------------------------------------------------------------

    def _dies(self) -> None:
        """The phone of a player dies."""
        players = self.players()
        if len(players) > 1 and not self.alone:
            seat = self.luck.one_of(players)
            self.away[seat] = 1 + self.luck.below(4)
            if self.luck.one_in(2):
                self.unnoticed.add(seat)

    def _is_back(self, seat: str) -> None:
        """It is charged; or another device is here."""
        del self.away[seat]
        self.unnoticed.discard(seat)
        if self.luck.one_in(2):
            if self.state.seats[seat].key is not None:
                self.send(NARRATOR, commands.LeaveSeat(seat))
                self._comes(seat)
            else:
                self._anchor(seat)
        elif self.state.seats[seat].anchor is None:
            self._anchor(seat)
        for who in [who for who, owner in self.handed.items() if owner == seat]:
            del self.handed[who]
            self._give(NARRATOR, who, seat)

    def _give(self, by: str, who: str, to: str) -> None:
        if self.state.characters[who].seat != to:
            self.send(by, commands.GiveCharacter(who, to))

    def _seat_for(self, offer: Offer) -> str:
        """The seat that takes up an offer; another has the characters of one that is away."""
        seat = super()._seat_for(offer)
        if seat in self.away:
            self.handed[offer.character] = seat
            to = self.luck.one_of([*self.players(), NARRATOR])
            self._give(NARRATOR, offer.character, to)
        return super()._seat_for(offer)

    def leave(self) -> None:
        """A player goes home, and leaves the characters to somebody."""
        players = self.players()
        if len(players) < 2:
            return
        seat = self.luck.one_of(players)
        others = [each for each in players if each != seat]
        mine = [who for who, each in sorted(self.state.characters.items()) if each.seat == seat]
        for who in mine:
            self._give(seat, who, self.luck.one_of(others))
        self.send(seat, commands.LeaveSeat(seat))
        self.gone[seat] = mine

    def come_back(self) -> None:
        """Half of those who went home come back."""
        for seat, mine in self.gone.items():
            if not self.state.seats[seat].here and self.luck.one_in(2):
                self._comes(seat)
                for who in mine:
                    self._give(NARRATOR, who, seat)

    # --- the log ----------------------------------------------------------------------------------

    def erase(self) -> None:
        self.send(NARRATOR, commands.Erase(self.some_text()))

    def restore(self) -> None:
        """Go on with a backup, which lacks what came last, under a new secret."""
        erased = [each.seq for each in self.deeds if isinstance(each.command, commands.Erase)]
        least = max([self.began, *(seq + 1 for seq in erased)])
        wanted = max(least, self.state.size - self.luck.below(LOST))
        size = min([each.seq for each in self.deeds if each.seq >= wanted], default=self.state.size)
        self.deeds = [each for each in self.deeds if each.seq < size]
        self.host = self.host.anew(self.host.entries[:size])
        self.aggregate = self.host.aggregate
        self.lying &= self.numbers()
        self.epochs += 1
        self.host.begin(self.epochs)
        self.send(NARRATOR, commands.BeginEpoch())
        for id, seat in sorted(self.state.seats.items()):
            if seat.here and id not in self.away and not self.alone:
                self._anchor(id)

    def _leave_waiting(self) -> None:
        """The evening ends while a throw waits, if it is at level `table`."""
        for number in self._declare_as(*self._some_wish()):
            for offer in self._takeable(self._roll(number)):
                seat = self._seat_for(offer)
                throw = commands.RollDice(number, offer.hand)
                if offer.trigger == "roll" and offer.dice and self._needs_shares(throw, seat):
                    self.ask(seat, throw)
                    return

    # --- what is asked ----------------------------------------------------------------------------

    def send(self, seat: str, command: Asking) -> None:
        """Do what a seat asks, and write it down. A seat that is away comes back for it."""
        if seat in self.away:
            self._is_back(seat)
        before = self.state
        super().send(seat, command)
        self.deeds.append(deed(seat, apart(command)[0], before, self.state))

    def _as_said(self, command: commands.Declare) -> Asking:
        """A declaration, hidden now and then; one that follows another as that one is."""
        seen = self._visibility(self.state.characters[command.character].seat)
        if command.follows:
            parent = self.state.rolls[command.follows[0]]
            seen = parent.visibility if parent.hidden else "public"
        level: Level | None = None
        if self.happens("named") and not self.alone:
            level = self.luck.one_of(("table", self.state.level))
        label = "A tale" if self.luck.one_in(3) else None
        return self.host.worded(replace(command, visibility=seen, level=level), label)

    def _visibility(self, seat: str) -> Visibility:
        if self.happens("own"):
            return "self"
        if self.happens("secret" if seat == NARRATOR else "aside"):
            return self.luck.one_of(("gm", "blind"))
        return "public"

    # --- shares -----------------------------------------------------------------------------------

    def _come_to_share(self) -> None:
        """Everybody has an anchor: clients publish it when they come."""

    def ask(self, seat: str, throw: AnyThrow) -> None:
        """Ask everybody whose client is connected, as far as the roller can see."""
        waiting = self.state.rolls[throw.roll].outstanding
        assert waiting is not None
        known = awake(self.state, seat)
        others = [id for id in known if id not in self.away or id in self.unnoticed] or known
        dice = throw.dice if isinstance(throw, commands.Reroll) else None
        option = throw.option if isinstance(throw, commands.RollDice) else None
        named = tuple(sorted({seat, *others}))
        self.send(seat, commands.Ask(throw.roll, throw.hand, waiting.seq, named, option, dice))

    def _opened(self, roller: str) -> bool:
        """Open the shares, or break the throw off where a client does not answer."""
        waiting = self.state.ask
        assert waiting is not None
        others = [seat for seat in waiting.waiting if seat != roller]
        silent = {seat for seat in others if seat in self.away or self.happens("locked")}
        for seat in waiting.waiting:
            if seat not in silent:
                self.send(seat, commands.OpenShare(waiting.roll, self.host.share(seat)))
        self.unnoticed -= silent
        if not silent:
            return True
        self.host.pause = BREAKING
        self.send(roller, commands.BreakThrow(waiting.roll))
        self.host.pause = 0
        return False

    # --- rolls ------------------------------------------------------------------------------------

    def _some_wish(self) -> tuple[str, JSON]:
        """What some character does, as it often does."""
        owners = {who: each.seat for who, each in sorted(self.state.characters.items())}
        who = self.luck.one_of([who for who in owners if owners[who] not in self.away] or [*owners])
        if self.happens("usual"):
            return who, self.luck.one_of(self.trial.declarations)
        return who, self.luck.one_of(self.favourites[who])

    def _declare_as(self, who: str, wish: JSON) -> tuple[int, ...]:
        """The roll's number; none where the wish is refused."""
        if self._declare_for(who, wish, None) is not None:
            return ()
        number = self._rolls()[-1].number
        self.wishes[number] = who, wish
        return (number,)

    def _one_roll(self) -> Iterator[Moment]:
        """One thing that a character does, and all that comes of it."""
        for _ in range(WISHES):
            who, wish = self._some_wish()
            gift = self._at_the_door(who, middle=False)
            made = self._declare_as(who, wish)
            for number in made:
                yield from self._played(number)
            self._give_back(gift)
            if made:
                return

    def _at_the_door(self, who: str, *, middle: bool) -> tuple[str, str] | None:
        """Another player has the character for a while: who that is, and whose it is."""
        seat = self.state.characters[who].seat
        others = [each for each in self.players() if each != seat]
        times = CHANCES["given"] * 4 if middle else CHANCES["given"] * 4 // 3
        if not others or seat == NARRATOR or not self.luck.one_in(times):
            return None
        self._give(seat, who, self.luck.one_of(others))
        return who, seat

    def _give_back(self, gift: tuple[str, str] | None) -> None:
        if gift is not None and self.state.seats[gift[1]].here:
            self._give(NARRATOR, *gift)

    def _played(self, number: int) -> Iterator[Moment]:
        """A roll from its declaration to what it does, and what follows it."""
        if self._taken_back(number):
            yield from self._redone(number)
            return
        gift = self._at_the_door(self.wishes[number][0], middle=True)
        for _ in range(self.luck.below(MOVES)):
            if self._roll(number).state in LIVE:
                yield from self._take(self._roll(number), self._some_offer(number))
        self._aside(number)
        if self.happens("lying"):
            self.lying.add(number)
        else:
            yield from self._finish(number)
        self._give_back(gift)
        if number not in self.lying:
            yield from self._judged(number)
            yield from self._follows(number)

    def numbers(self) -> set[int]:
        """The rolls so far."""
        return {roll.number for roll in self._rolls()}

    def _roll(self, number: int) -> RollState:
        return self.state.rolls[number]

    def _some_offer(self, number: int) -> Offer:
        return self.luck.one_of(self._takeable(self._roll(number)))

    def _aside(self, number: int) -> None:
        """A note, and a phone that dies."""
        if self.happens("noted"):
            seat = self.luck.one_of([*self.players(), NARRATOR])
            self._may(seat, commands.Note(self._roll(number).trail[0].seq), "An aside.")
        if self.happens("dead"):
            self._dies()

    def _taken_back(self, number: int) -> bool:
        """Taken back, vetoed, or put otherwise, before anything was thrown; whether it is over."""
        if self.happens("withdrawn"):
            return self._may(self._roll(number).seat, commands.Withdraw(number))
        if self.happens("vetoed") and self._may(NARRATOR, commands.Veto(number), "Not here."):
            void = commands.Void(number, against=latest_ruling(self._roll(number)))
            return self._may(NARRATOR, void, "So be it.")
        if self.happens("replaced"):
            fields = self.luck.one_of(self.trial.amendments)
            self._may(NARRATOR, commands.Replace(number, fields), "Better so.")
        return False

    def _redone(self, number: int) -> Iterator[Moment]:
        """After what came to nothing: nothing, the same, or something else."""
        if self.luck.one_in(2):
            who, wish = self.wishes[number]
            if not self.luck.one_in(3):
                wish = self.luck.one_of(self.favourites[who])
            for again in self._declare_as(who, wish):
                yield from self._played(again)

    def _judged(self, number: int) -> Iterator[Moment]:
        """A resolved roll is doubted, corrected, voided, or laid open."""
        if self.happens("disputed"):
            self._dispute(number)
        if self._roll(number).state != "voided" and self.happens("amended"):
            who, fields = self.wishes[number][0], self.luck.one_of(self.trial.amendments)
            amend = commands.Amend(number, who, fields, latest_ruling(self._roll(number)))
            self._may(NARRATOR, amend, "I misread it.")
        if self._roll(number).state != "voided" and self.happens("voided"):
            yield self._void(self._roll(number))
            yield from self._redone(number)
        if self._roll(number).hidden and self.happens("shown"):
            self._reveal(number)

    def _dispute(self, number: int) -> None:
        roll = self._roll(number)
        if not self._may(roll.seat, commands.Dispute(number), "I doubt it."):
            return
        raised = self._roll(number).trail[-1].seq
        ruling = self.luck.one_of(RULINGS)
        asked = commands.Rule(number, raised, ruling)
        if ruling != "stands":
            asked = replace(asked, against=latest_ruling(self._roll(number)))
        if ruling == "amend":
            fields = self.luck.one_of(self.trial.amendments)
            asked = replace(asked, character=roll.roll.character, fields=fields)
        before = self.numbers()
        if not self._may(NARRATOR, asked, "I do not."):
            self._may(NARRATOR, commands.Rule(number, raised, "stands"), "It stands.")
        for again in self.numbers() - before:
            self.wishes[again] = self.wishes[number]

    def _may(self, seat: str, command: AnyCommand, words: str | None = None) -> bool:
        """Do it if it is allowed; whether it was."""
        try:
            self.submit(seat, self.host.worded(command, words))
        except Refused:
            return False
        return True

    def _follows(self, number: int) -> Iterator[Moment]:
        """Its damage, and the rolls that follow it."""
        yield from self._go_on(number)
        for roll in self._rolls():
            if roll.number > number and roll.number not in self.lying and roll.state in LIVE:
                self.wishes.setdefault(roll.number, self.wishes[number])
                yield from self._finish(roll.number)
                yield from self._go_on(roll.number)


PLANNED: Mapping[str, Callable[[Ordinary], None]] = {
    "erased": Ordinary.erase,
    "restored": Ordinary.restore,
    "leaves": Ordinary.leave,
    "back": Ordinary.come_back,
}
"""What happens once in an evening, if at all, before one of its rolls."""
