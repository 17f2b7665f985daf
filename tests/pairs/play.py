"""Two tables played side by side: in the open the same happens, in hidden rolls what each draws.

A hidden roll is either `alike`, its contents equal at both tables, and may be revealed; or not, and
then it stays hidden. What is hidden has the same shape at both: as many entries, of the same
classes. All else is drawn for each table: what is declared, thrown, moved, written.
"""

from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from typing import Any, TypeAlias

from msgspec.structs import replace

from tests.engine.helpers.tables.trials import TRIALS, some_reading
from urim.engine.core import commands as c
from urim.engine.core.aggregate import Aggregate, Environment, Prepared
from urim.engine.core.attempt import who_is_here
from urim.engine.core.commands import Asking, apart, worded
from urim.engine.core.guards import typed_throws
from urim.engine.core.limits import NARRATOR
from urim.engine.core.offers import offers
from urim.engine.core.sources import source_named
from urim.engine.core.visibility import outstanding_for, visible_part
from urim.engine.testing.kit.luck import Luck
from urim.engine.testing.kit.moves import attempts
from urim.errors import Refused
from urim.events.base import Face, Level, Visibility
from urim.events.ruling import Ruling
from urim.events.share import link
from urim.events.throw import fixture_salt, fixture_text_salt
from urim.projections.automaton import LIVE
from urim.projections.levels import awake, level_next
from urim.projections.rollstate import Ask
from urim.projections.rulings import latest_ruling, open_disputes
from urim.projections.tables import TableState
from urim.rules.ruleset import Offer

TABLE = "pairs000"
HIDDEN: tuple[Visibility, ...] = ("gm", "blind", "self")
LEVELS: tuple[Level, ...] = ("server", "player", "table")
WITNESS, STRANGER = "w1", "p9"
LONGEST = 120
"""Characters of a text, at most."""

Both: TypeAlias = tuple[Asking, Asking]


def table_of(seed: str, dice: str = "fair", ticks: Sequence[int] = (1_000,)) -> Aggregate:
    """A table under a secret that follows from a seed; its clock steps by `ticks[0]` ms."""
    secret = sha256(seed.encode()).digest()

    def clock(state: TableState | None) -> int:
        return 0 if state is None else state.at + ticks[0]

    return Aggregate(
        Environment(
            source_named(dice, secret),
            clock,
            lambda table, seq: fixture_salt(seed, table, seq),
            secret,
            text_salt=lambda table, seq: fixture_text_salt(seed, table, seq),
        )
    )


class Pair:
    """Two tables and what may be told of them: `apart` are the rolls that differ."""

    def __init__(self, system: str, seed: str) -> None:
        self.seed = seed
        self.trial = TRIALS[system]
        self.luck = Luck(seed)
        self.own = (Luck(f"{seed} a"), Luck(f"{seed} b"))
        self.dice = self.luck.one_of(("fair", "fair", "manual"))
        self.ticks = [1_000]
        self.chains = Counter[str]()
        one, other = (table_of(seed, self.dice, self.ticks) for _ in range(2))
        self.tables = one, other
        self.differing: set[int] = set()
        self.alike: set[int] = set()
        self.swapped: set[int] = set()
        self.sighted: dict[int, set[str]] = {}
        self.said: list[str] = []
        self.requests: list[tuple[tuple[str, str], Both]] = []
        options = self.luck.one_of(list(self.trial.options))
        self._must(NARRATOR, c.OpenTable(TABLE, system, options, self.dice, "server"))
        for number, who in enumerate(self.trial.characters, 1):
            seat, id = f"p{number}", f"c{number}"
            self._must(NARRATOR, c.TakeSeat(seat))
            entering = c.EnterCharacter(id, seat, dict(who.attributes), dict(who.tracks))
            self._must(NARRATOR, entering)
        self._must(NARRATOR, c.TakeSeat(WITNESS, "witness"))
        self._must(NARRATOR, c.TakeSeat(STRANGER))
        for seat in (WITNESS, STRANGER):
            self.anchor(seat)

    @property
    def states(self) -> tuple[TableState, TableState]:
        """Both tables now."""
        one, other = self.tables
        return one.opened, other.opened

    # --- one request at both tables ---------------------------------------------------------------

    def same(self, seat: str, asking: Asking) -> bool:
        """The same request at both; whether it was done. The refusals must be equal too."""
        return self.both((seat, seat), (asking, asking))

    def _must(self, seat: str, asking: Asking) -> None:
        if not self.same(seat, asking):
            raise AssertionError(_tried(self.tables[0], seat, asking, ""))

    def both(self, seats: tuple[str, str], asked: Both) -> bool:
        """A request at each table, kept only where both do it, in the same shape."""
        request = f"r{len(self.requests)}"
        each_of = zip(self.tables, seats, asked, strict=True)
        found = [_tried(table, seat, one, request) for table, seat, one in each_of]
        done = [each for each in found if isinstance(each, Prepared)]
        if len(done) < len(found):
            return False
        if self.shape(done[0]) != self.shape(done[1]):
            return False
        for table, each in zip(self.tables, done, strict=True):
            table.keep(each)
            self._note_sights(each.state)
        self.requests.append((seats, asked))
        other = "the same" if asked[1] == asked[0] else f"{seats[1]}: {asked[1]}"
        self.said.append(f"{seats[0]}: {asked[0]} | {other}")
        return True

    def shape(self, prepared: Prepared) -> list[str]:
        """What must be the same of what is done at both: how many entries, of which classes."""
        return [entry.kind for entry in prepared.entries]

    def _note_sights(self, table: TableState) -> None:
        """Note who could ever see anything of a roll that differs."""
        for number in self.differing:
            known = self.sighted.setdefault(number, set())
            roll = table.rolls[number]
            known |= {each for each in table.seats if visible_part(table, each, roll) != "nothing"}

    # --- what happens -----------------------------------------------------------------------------

    def step(self) -> None:
        """Something happens: drawn once for both, and what is hidden once for each."""
        if (ask := self.states[0].ask) is not None:
            self.shares(ask)
        else:
            self.luck.one_of(STEPS)(self)

    def declare(self) -> None:
        """A roll in the open, or a hidden one that is alike, or one that is not."""
        who = self.luck.one_of(who_is_here(self.states[0]))
        visibility = self.luck.one_of(("public", *HIDDEN))
        level = self.luck.one_of(LEVELS)
        seat = self.states[0].characters[who].seat
        wish = self.luck.one_of(list(self.trial.declarations))
        number = self.states[0].next_roll
        apart_from = visibility != "public" and not self.luck.one_in(3)
        if not apart_from:
            command = c.Declare(who, wish, visibility, level)
            if self.same(seat, command) and visibility != "public":
                self.alike.add(number)
            return
        wishes = [luck.one_of(list(self.trial.declarations)) for luck in self.own]
        if visibility == "blind":  # its participants see the declaration
            wishes = [wish, wish]
        asked: list[Asking] = [c.Declare(who, each, visibility, level) for each in wishes]
        if visibility != "blind" and self.luck.one_in(2):
            labels = map(_words, self.own)
            asked = [worded(each, word, SALT) for each, word in zip(asked, labels, strict=True)]
        if self.both((seat, seat), (asked[0], asked[1])):
            self.differing.add(number)
            for table in self.states:
                self._note_sights(table)

    def follow(self) -> None:
        """A roll that follows another, in the open."""
        for number in self.luck.shuffled(_numbers(self.states[0])):
            roll = self.states[0].rolls[number]
            for offer in (o for o in offers(self.states[0], roll) if o.trigger == "declare"):
                for given in self.luck.shuffled(self.trial.followers.get(offer.link, ())):
                    chosen = {offer.choice: self.luck.one_of(offer.options)} if offer.choice else {}
                    seat = self.states[0].characters[offer.character].seat
                    wish = {**given, **chosen}
                    asked = c.Declare(offer.character, wish, follows=(number, offer.link))
                    if self.same(seat, asked):
                        return

    def go_on(self) -> None:
        """An offer of a roll is taken up."""
        rolls, goes_on = self.states[0].rolls.values(), (*LIVE, "resolved")
        live = sorted(roll.number for roll in rolls if roll.state in goes_on)
        if not live:
            self.declare()
            return
        number = self.luck.one_of(live)
        if number in self.differing:
            self._go_on_apart(number, self._another(number))
            return
        roll = self.states[0].rolls[number]
        found = [o for o in offers(self.states[0], roll) if o.trigger != "declare"]
        if found:
            offer = self.luck.one_of(found)
            seat = self._seat_of(0, offer)
            for command in attempts(self.trial, roll, offer, self.luck):
                if self.same(seat, self._proved(0, seat, command, "same")):
                    return

    def _another(self, number: int) -> int:
        """Another roll that differs, or the same: which one an entry is of, nobody else can see.

        Who could ever see one of them knows which it acted in, and is no onlooker any more. At
        level `table` it is the same: how often such a roll was thrown is open.
        """
        rolls = self.states[1].rolls
        others = [each for each in sorted(self.differing) if rolls[each].level != "table"]
        if rolls[number].level == "table" or self.luck.one_in(2):
            return number
        return self.luck.one_of(others)

    def _go_on_apart(self, number: int, other: int) -> None:
        rolls = [self.states[0].rolls[number], self.states[1].rolls[other]]
        found = [
            [o for o in offers(state, roll) if o.trigger not in ("declare", "apply_damage")]
            for state, roll in zip(self.states, rolls, strict=True)
        ]
        if "blind" in {roll.visibility for roll in rolls}:  # its participants see reactions
            found = [[o for o in each if o.trigger != "react"] for each in found]
        if rolls[0].level == "table":  # how often it was thrown is open: the same is done at both
            done = {(o.trigger, o.character) for o in found[0]}
            done &= {(o.trigger, o.character) for o in found[1]}
            one = self.luck.one_of(sorted(done)) if done else None
            found = [[o for o in each if (o.trigger, o.character) == one] for each in found]
        if not all(found):
            return
        drawn: list[list[Asking]] = []
        seats: list[str] = []
        for at in (0, 1):
            offer = self.own[at].one_of(found[at])
            seat = self._seat_of(at, offer)
            tries = attempts(self.trial, rolls[at], offer, self.own[at])
            drawn.append([self._proved(at, seat, command, f"own {at}") for command in tries])
            seats.append(seat)
        for asked in zip(*drawn, strict=False):
            if self.both((seats[0], seats[1]), (asked[0], asked[1])):
                self.swapped |= {number, other} if number != other else set()
                return

    def _seat_of(self, at: int, offer: Offer) -> str:
        if offer.narrator or not offer.character:
            return NARRATOR
        return self.states[at].characters[offer.character].seat

    def _proved(self, at: int, seat: str, command: Any, whose: str) -> Any:
        """A throw with the commitment that it answers, and a nonce."""
        state = self.states[at]
        if not isinstance(command, (c.RollDice, c.Reroll)):
            return command
        waiting = state.rolls[command.roll].outstanding
        if waiting is None:
            luck = self.luck if whose == "same" else self.own[at]
            return replace(command, faces=typed_faces(state, command, luck))
        level = level_next(state, seat, state.rolls[command.roll])
        nonce = None if level == "server" else _nonce(f"{whose} {command.roll} {waiting.throw}")
        known = outstanding_for(state, seat, state.rolls[command.roll]) or waiting
        if level == "table" and state.seats[seat].anchor is None:
            self.anchor(seat)
        if level == "table":
            dice = command.dice if isinstance(command, c.Reroll) else None
            option = command.option if isinstance(command, c.RollDice) else None
            seats = tuple(sorted({seat, *awake(state, seat)}))
            return c.Ask(command.roll, command.hand, known.seq, seats, option, dice)
        return replace(command, committed=known.seq, nonce=nonce)

    def shares(self, ask: Ask) -> None:
        """A throw waits for shares: they are opened, or it is broken off, or an epoch begins."""
        if self.luck.one_in(12) and _throws(self.states[0]) == _throws(self.states[1]):
            self.same(NARRATOR, c.BeginEpoch())
        elif self.luck.one_in(8):
            self.ticks[0] = 10_000
            self.same(self.luck.one_of((NARRATOR, STRANGER, "p1")), c.BreakThrow(ask.roll))
            self.ticks[0] = 1_000
        elif self.luck.one_in(6):
            self.same(ask.seat, worded(c.Note(0), _words(self.luck), SALT))
        else:
            seat = self.luck.one_of(ask.waiting)
            self.same(seat, c.OpenShare(ask.roll, self._link(seat, dict(ask.asked)[seat])))

    def anchor(self, seat: str = "") -> None:
        """A seat publishes a chain of shares: this one, or any that is here."""
        seat = seat or self.luck.one_of(sorted(self.states[0].seats))
        self.chains[seat] += 1
        self.chains[seat] -= not self.same(seat, c.AnchorShares(self._link(seat, 0)))

    def _link(self, seat: str, i: int) -> str:
        return link(TABLE, seat, _nonce(f"{seat} {self.chains[seat]}"), i)

    def reveal(self) -> None:
        """A hidden roll that is alike is revealed."""
        for number in self.luck.shuffled(sorted(self.alike)):
            seats = (NARRATOR, self.states[0].rolls[number].seat)
            if any(self.same(seat, c.Reveal(number)) for seat in seats):
                self.alike.discard(number)
                return

    def void(self) -> None:
        """A narrator voids a roll; or who rolls withdraws one."""
        number = self.luck.one_of([0, *_numbers(self.states[0])])
        if number and self.luck.one_in(2):
            void = c.Void(number, against=latest_ruling(self.states[0].rolls[number]))
            self.both((NARRATOR, NARRATOR), self._words(number, void))
        elif number:
            self.same(self.states[0].rolls[number].seat, c.Withdraw(number))

    def write(self) -> None:
        """Somebody writes a note, disputes, or names a character."""
        number = self.luck.one_of([0, *_numbers(self.states[0])])
        if not number:
            who = self.luck.one_of(sorted(self.states[0].characters))
            self.same(NARRATOR, worded(c.NameCharacter(who), _words(self.luck), SALT))
            return
        roll = self.states[0].rolls[number]
        seq = self.luck.one_of([each.seq for each in roll.trail])
        command = c.Note(seq) if self.luck.one_in(2) else c.Dispute(number)
        self.both((roll.seat, roll.seat), self._words(number, command))

    def _words(self, number: int, command: Any) -> Both:
        """The command with a text, another one at each table where its roll differs."""
        if number not in self.differing:
            asked = worded(command, _words(self.luck), SALT)
            return asked, asked
        one, other = (worded(command, _words(luck), SALT) for luck in self.own)
        return one, other

    def correct(self) -> None:
        """A narrator amends, replaces or vetoes a declaration."""
        number = self.luck.one_of([0, *_numbers(self.states[0])])
        if not number:
            return
        roll, other = (state.rolls[number] for state in self.states)
        of = self.luck.one_of((c.Amend, c.Amend, c.Replace, c.Veto))
        # The participants of a blind roll see what is declared before the first throw, and why.
        begun = all(each.state not in ("declared", "reacted") for each in (roll, other))
        apart_from = number in self.differing and (begun or roll.visibility != "blind")
        lucks = self.own if apart_from else (self.luck, Luck(self.luck.seed + "again"))
        drawn = [luck.one_of(list(self.trial.amendments)) for luck in lucks]
        wishes = drawn if apart_from else [drawn[0], drawn[0]]
        commands: list[Any] = [
            c.Amend(number, each.roll.character, wish, latest_ruling(each))
            if of is c.Amend
            else c.Replace(number, wish)
            if of is c.Replace
            else c.Veto(number)
            for each, wish in zip((roll, other), wishes, strict=True)
        ]
        words = [_words(luck) for luck in lucks] if apart_from else [_words(self.luck)] * 2
        one, two = (worded(each, word, SALT) for each, word in zip(commands, words, strict=True))
        self.both((NARRATOR, NARRATOR), (one, two))

    def settle(self) -> None:
        """A narrator rules on a dispute, or decides a fate; somebody confirms typed faces."""
        for number in self.luck.shuffled(_numbers(self.states[0])):
            rolls = [state.rolls[number] for state in self.states]
            waiting = [seq for seq in open_disputes(rolls[0]) if seq in open_disputes(rolls[1])]
            typed = [throw for throw in typed_throws(rolls[0]) if throw in typed_throws(rolls[1])]
            if waiting:
                rulings: tuple[Ruling, ...] = ("stands", "amend", "void", "replay")
                ruling = self.luck.one_of(rulings)
                command: Any = c.Rule(number, self.luck.one_of(waiting), ruling)
                if ruling != "stands":
                    command = replace(command, against=latest_ruling(rolls[0]))
                if ruling == "amend":
                    fields = self.luck.one_of(list(self.trial.amendments))
                    who = rolls[0].roll.character
                    command = replace(command, character=who, fields=fields)
                self.both((NARRATOR, NARRATOR), self._words(number, command))
                return
            if typed and self.luck.one_in(2):
                seat = self.luck.one_of(sorted(self.states[0].seats))
                self.same(seat, c.Confirm(number, self.luck.one_of(typed)))
                return
            if rolls[0].damage is not None:
                killed = self.luck.one_in(2)
                self.same(NARRATOR, c.DecideFate(number, "killed" if killed else "spared"))
                return

    def erase(self) -> None:
        """A text is erased."""
        state = self.states[0]
        texts = [item for _, written in state.texts.items() for item in written]
        if texts:
            text = self.luck.one_of(sorted(texts, key=lambda item: item.seq))
            self.same(text.by, c.Erase(text.seq))

    def sit(self) -> None:
        """A track is set, a character changes hands, a stranger comes or goes, an epoch begins."""
        state = self.states[0]
        who = self.luck.one_of(who_is_here(state))
        if self.luck.one_in(6):
            self._sheet(who)
        elif self.luck.one_in(8):
            self.same(NARRATOR, c.GiveCharacter(who, self.luck.one_of((STRANGER, "p1", "p2"))))
        elif self.luck.one_in(8):
            here = state.seats[STRANGER].here
            self.same(NARRATOR, c.LeaveSeat(STRANGER) if here else c.TakeSeat(STRANGER))
        elif self.luck.one_in(12) and _throws(self.states[0]) == _throws(self.states[1]):
            self.same(NARRATOR, c.BeginEpoch())
        elif state.game.tracks:
            name, track = self.luck.one_of(sorted(state.game.tracks.items()))
            most = track.least + 6 if track.most is None else track.most
            value = track.least + self.luck.below(most - track.least + 1)
            self.same(NARRATOR, c.SetTrack(who, name, value))

    def read(self) -> None:
        """From here on the tables read something otherwise."""
        self.same(NARRATOR, worded(some_reading(self.trial, self.luck), _words(self.luck), SALT))

    def _sheet(self, who: str) -> None:
        """A rating is set, a character comes or is taken away, a name given, a time set."""
        state, luck = self.states[0], self.luck
        known = state.characters[who]
        drawn = luck.below(4)
        if drawn == 0 and known.attributes:
            name = luck.one_of(sorted(known.attributes))
            self.same(NARRATOR, c.SetAttribute(who, name, 1 + luck.below(9)))
        elif drawn == 1 and len(who_is_here(state)) > len(self.trial.characters) - 1:
            self.same(luck.one_of((NARRATOR, known.seat)), c.RemoveCharacter(who))
        elif drawn == 2:
            like = luck.one_of(list(self.trial.characters))
            id, seat = f"c{len(state.characters) + 1}", luck.one_of(("p1", "p2"))
            entering = c.EnterCharacter(id, seat, dict(like.attributes), dict(like.tracks))
            self.same(NARRATOR, entering)
        else:
            seat = luck.one_of(sorted(state.seats))
            self.same(seat, worded(c.NameSeat(seat), _words(luck), SALT))


STEPS = (
    *[Pair.go_on] * 14,
    *[Pair.declare] * 3,
    *[Pair.follow] * 2,
    *[Pair.write] * 2,
    *[Pair.sit] * 2,
    *[Pair.correct] * 2,
    Pair.anchor,
    Pair.read,
    Pair.settle,
    Pair.reveal,
    Pair.void,
    Pair.erase,
)
"""What happens, each as often as it is here."""

SALT = "5a" * 16


def _words(luck: Luck) -> str:
    return "w" * (1 + luck.below(LONGEST))


def _nonce(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def _throws(state: TableState) -> dict[int, int]:
    """The next throw of every live roll, which an epoch names, be the roll hidden or not."""
    live = (roll for roll in state.rolls.values() if roll.state in LIVE)
    return {roll.number: roll.throws for roll in live}


def _numbers(state: TableState) -> list[int]:
    return sorted(roll.number for roll in state.rolls.values())


def typed_faces(state: TableState, command: c.AnyThrow, luck: Luck) -> tuple[Face, ...]:
    """Faces for physical dice, none that is thrown again at once."""
    roll = state.rolls[command.roll]
    offer = next(
        o for o in offers(state, roll) if (o.trigger, o.hand) == (command.trigger, command.hand)
    )
    kinds = offer.dice
    if isinstance(command, c.Reroll):
        hand = roll.roll.hand(command.hand)
        known = {die.id: die.kind for die in hand.dice} if hand else {}
        kinds = tuple(known[id] for id in command.dice)
    elif command.option is not None:
        kinds = kinds[: command.option]
    faces = state.game.faces
    return tuple(luck.one_of([f for f in faces[kind] if f not in offer.again]) for kind in kinds)


def _tried(table: Aggregate, seat: str, asking: Asking, request: str) -> Prepared | Refused:
    command, text = apart(asking)
    try:
        return table.prepare(seat, table.body(command), request or None, text)
    except Refused as error:
        return error
