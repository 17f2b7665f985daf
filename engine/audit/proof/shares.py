"""Steps 6 and 8 of an audit: throws at level `table`, from the ask to the dice or to the break.

What is written about an ask is open even in a roll that is not disclosed, and is checked there too.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from ....events import roll as rolled
from ....events import table as tabled
from ....events.asked import Asked
from ....events.codec import RecordedEvent
from ....events.entry import HIDDEN, TEXTS
from ....events.share import LENGTH
from ..line import Line
from ..report import Findings, Marks
from .chains import Chains
from .people import People
from .throw_ledger import Book, Ledger

THROWS, TRANSCRIPTS, LEGAL = 6, 8, 10

MOST_ASKED = 100
"""Seats that a throw asks for shares, at most: the form's own bound, whatever a table's is."""

BREAKING = 10_000
"""Milliseconds after an ask from which on a throw may be broken off."""

MEANWHILE = (rolled.ShareOpened, rolled.ThrowBroken, tabled.Noted, tabled.EpochBegun)
"""What may enter a log while a throw waits for shares, with the texts of notes."""

DICE = (rolled.DiceRolled, rolled.DiceRerolled)

TRIGGERS: Mapping[type[Struct], str] = {rolled.DiceRolled: "roll", rolled.DiceRerolled: "reroll"}
"""The trigger that the plan of each throw names."""


NOBODY_ASKED = "a throw is planned, and nobody is asked for a share"

UNPLANNED = "shares are asked for without the plan of a throw"


class OpenAsk(Struct):
    """A throw that waits for shares; the audit's own Ask, as Book is its own RollState.

    `asked` are the links by seat, `left` the seats left out, `opened` the shares so far; `plan` is
    None where it is not disclosed. `full` is the entry of the last share; `disturbed` says that
    something else than shares was found meanwhile.
    """

    roll: int
    throw: int
    seat: str
    seq: int
    at: int
    committed: int
    asked: dict[str, int]
    plan: rolled.ThrowPlanned | None
    left: tuple[str, ...] = ()
    opened: dict[str, str] = {}
    full: int | None = None
    commit: int | None = None
    disturbed: bool = False

    @property
    def place(self) -> tuple[int, int]:
        """Its roll and its throw."""
        return self.roll, self.throw

    @property
    def id(self) -> str:
        """What findings call it."""
        return f"throw {self.throw} of roll {self.roll}"

    @property
    def missing(self) -> list[str]:
        """The seats asked that have not opened their shares."""
        return sorted(self.asked.keys() - self.opened.keys())


class Shares:
    """The ask that is open, and what becomes of it; `sealed` hears of throws not disclosed."""

    def __init__(
        self,
        findings: Findings,
        ledger: Ledger,
        marks: Marks,
        people: People,
        chains: Chains,
        sealed: Callable[[OpenAsk], None],
        *,
        whole: bool,
    ) -> None:
        self._findings = findings
        self._sealed = sealed
        self._ledger = ledger
        self._marks = marks
        self._people = people
        self._chains = chains
        self._whole = whole
        self._ask: OpenAsk | None = None
        self._before: Line | None = None
        self._unread: int | None = None

    # --- what stands where ------------------------------------------------------------------------

    def stands(self, line: Line) -> None:
        """Check the place of one more entry: what may stand behind the one before it."""
        before, self._before = self._before, line
        record = line.record
        self._planned(before, line)
        if self._ask is not None and self._ask.full is not None:
            self._fell(self._ask, line)
        elif self._ask is not None:
            self._meanwhile(self._ask, line)
        if record is not None and isinstance(record.event, tabled.EpochBegun):
            self._ask = self._unread = None

    def _planned(self, before: Line | None, line: Line) -> None:
        """A plan has its ask right behind it."""
        if before is None or plan_in(before) is None:
            return
        event = None if line.record is None else line.record.event
        if line.entry.commit != before.entry.seq or not isinstance(event, rolled.ThrowAsked):
            self._findings.fail(THROWS, NOBODY_ASKED, before.entry.seq)

    def _fell(self, ask: OpenAsk, line: Line) -> None:
        """The entry behind the last share is the throw, in the same commit."""
        entry, record = line.entry, line.record
        event: Any = None if record is None else record.event
        behind = entry.commit == ask.commit
        if behind and isinstance(event, DICE) and event.roll == ask.roll:
            return  # `thrown` compares it with its plan
        if behind and record is None and entry.kind in HIDDEN:
            self._sealed(ask)
            self._unseen(ask, entry.seq)
        else:
            self._not_thrown(ask)
        self._ask = None

    def _unseen(self, ask: OpenAsk, seq: int) -> None:
        """The dice of an ask are not disclosed: its roll must be hidden."""
        book = self._ledger.get(ask.roll)
        if book is not None and book.hidden:
            book.waiting, book.throws = None, ask.throw + 1
            book.gap = seq if book.gap is None else book.gap
        else:
            why = f"the dice of {ask.id} are sealed, and the roll is open"
            self._findings.fail(THROWS, why, ask.full)

    def _not_thrown(self, ask: OpenAsk) -> None:
        why = f"every share of {ask.id} is opened, and the dice do not fall in that commit"
        self._findings.fail(THROWS, why, ask.full)

    def _meanwhile(self, ask: OpenAsk, line: Line) -> None:
        """From the ask to its end nothing enters the log but shares, notes and an epoch."""
        entry, record = line.entry, line.record
        unread, self._unread = self._unread, None
        if unread is not None and (entry.commit != unread or entry.kind != "hidden-text"):
            self._disturbed(ask, unread)
        if entry.kind in TEXTS and entry.seq != entry.commit:
            return  # of a command that is checked where its commit begins
        if record is None and entry.kind in HIDDEN and entry.seq == entry.commit:
            self._unread = entry.seq  # a note, if its text comes next
        elif record is not None and isinstance(record.event, DICE):
            waiting = ", ".join(ask.missing)
            why = f"dice fall, and {ask.id} waits for the shares of {waiting}"
            self._findings.fail(THROWS, why, entry.seq)
        elif record is None or not isinstance(record.event, MEANWHILE):
            self._disturbed(ask, entry.seq)

    def _disturbed(self, ask: OpenAsk, seq: int) -> None:
        if not ask.disturbed:
            ask.disturbed = True
            why = f"something else than shares and notes, while {ask.id} waits for shares"
            self._findings.fail(THROWS, why, seq)

    def end(self) -> None:
        """Check what only the end shows."""
        ask, before = self._ask, self._before
        if before is not None and plan_in(before) is not None:
            self._findings.fail(THROWS, NOBODY_ASKED, before.entry.seq)
        if ask is None:
            return
        if ask.full is not None:
            self._not_thrown(ask)
            return
        if self._unread is not None:
            self._disturbed(ask, self._unread)
        why = f"{ask.id} waits for the shares of {', '.join(ask.missing)} at the end"
        self._findings.look(THROWS, "left-open", why, ask.seq)

    # --- the ask ----------------------------------------------------------------------------------

    def asked(self, line: Line, plan: Line | None, book: Book, event: rolled.ThrowAsked) -> None:
        """A roller asked for shares, behind its plan."""
        seq = line.entry.seq
        if self._ask is not None:
            why = f"shares are asked for while {self._ask.id} waits for some"
            self._findings.fail(THROWS, why, seq)
        if self._people.one_machine or not self._people.fair:
            why = "at this table no throw asks for shares"
            self._findings.fail(TRANSCRIPTS, why, seq)
        for why in self._wrong_plan(line, plan, event):
            self._findings.fail(THROWS, why, seq)
        self._answered(line, book, event)
        for why in self._wrong_seats(event):
            self._findings.fail(TRANSCRIPTS, f"throw {event.throw} of roll {book.roll}: {why}", seq)
        self._findings.checked(TRANSCRIPTS)
        self._ask = OpenAsk(
            roll=event.roll,
            throw=event.throw,
            seat=event.by,
            seq=seq,
            at=line.entry.at,
            committed=event.committed,
            asked=dict(event.asked[:MOST_ASKED]),
            left=event.left,
            plan=None if plan is None else plan_in(plan),
        )
        self._spend(event)

    def _wrong_plan(self, line: Line, plan: Line | None, event: rolled.ThrowAsked) -> Iterator[str]:
        """The entry before the ask is its plan, the first of the same commit."""
        seq, commit = line.entry.seq, line.entry.commit
        if plan is None or (plan.entry.seq, seq) != (commit, commit + 1):
            yield UNPLANNED
            return
        said = plan_in(plan)
        if said is None and (plan.record is not None or plan.entry.kind not in HIDDEN):
            yield UNPLANNED
        elif said and (said.by, said.roll, said.throw) != (event.by, event.roll, event.throw):
            yield "the plan before the ask is of another throw"

    def _answered(self, line: Line, book: Book, event: rolled.ThrowAsked) -> None:
        """The ask names the outstanding commitment, of an earlier commit."""
        seq, begins, epoch = line.entry.seq, line.entry.commit, self._people.epoch
        wrong = book.unanswered(event.throw, event.committed, begins=begins, epoch=epoch)
        if wrong is None:
            return
        if self._behind(book, event, seq):
            book.waiting, book.throws = None, event.throw
        else:
            why, expected, found = wrong
            why = f"the ask for throw {event.throw} {why}"
            self._findings.fail(THROWS, why, seq, expected, found)

    def _behind(self, book: Book, event: rolled.ThrowAsked, seq: int) -> bool:
        """Whether the commitment may be in an earlier entry that was not disclosed."""
        if not book.hidden or event.throw < book.throws or event.committed >= seq - 1:
            return False
        if event.committed < self._people.epoch:
            return False  # an epoch publishes every commitment that waits, and is open
        mark = self._marks.of(event.committed)
        return not mark.present or (mark.hidden and not mark.disclosed)

    def _wrong_seats(self, event: rolled.ThrowAsked) -> Iterator[str]:
        """Who is asked for which link, and who is left out."""
        seats = [seat for seat, _ in event.asked]
        chains = self._people.anchored()
        if seats != sorted(set(seats)) or len(seats) > MOST_ASKED:
            yield "the seats asked are not each named once, in order"
        if event.by not in seats:
            yield "the roller does not ask itself"
        if not set(seats) - {event.by}:
            yield "nobody else is asked"
        for seat, i in event.asked[:MOST_ASKED]:
            chain = chains.get(seat)
            if chain is None:
                yield f"seat {seat} is asked, and has no anchor"
            elif (i != chain.asks + 1 if self._whole else i <= chain.asks) or i > LENGTH:
                # In the file of one roll other rolls may have asked meanwhile.
                yield f"seat {seat} is asked for link {i}, and {chain.asks} were asked for before"
        left = tuple(seat for seat in chains if seat not in seats)
        if left != event.left:
            yield f"left out are {_named(left)}, and the ask names {_named(event.left)}"

    def _spend(self, event: rolled.ThrowAsked) -> None:
        chains = self._people.anchored()
        for seat, i in event.asked[:MOST_ASKED]:
            chain = chains.get(seat)
            if chain is not None:
                chain.asks = max(chain.asks + 1, i if i <= LENGTH else 0)

    # --- shares, and breaks -----------------------------------------------------------------------

    def opened(self, line: Line, record: RecordedEvent, event: rolled.ShareOpened) -> None:
        """A seat opened its share: one that was asked, for this throw, once, the right link."""
        ask, seq, seat = self._ask, record.seq, event.by
        if ask is None or ask.full is not None or ask.place != (event.roll, event.throw):
            why = f"nobody asks for shares of throw {event.throw} of roll {event.roll}"
            self._findings.fail(TRANSCRIPTS, why, seq)
            return
        if seat not in ask.asked or seat in ask.opened:
            why = f"seat {seat} opens a share, and was not asked, or did before"
            self._findings.fail(TRANSCRIPTS, why, seq)
            return
        self._chains.opened(record, seat, event.share, ask.asked[seat])
        self._covers(line.asked, ask, seat, seq)
        self._ledger.used("nonce", event.share, seq)
        ask.opened[seat] = event.share
        if not ask.missing:
            ask.full, ask.commit = seq, line.entry.commit

    def _covers(self, asked: Asked | None, ask: OpenAsk, seat: str, seq: int) -> None:
        """A seat with a key opens over a head that covers the ask."""
        seen = None if asked is None else asked.seen
        if seen is not None and seen.size <= ask.seq:
            why = f"seat {seat} opens a share over a head that does not cover the ask"
            self._findings.fail(LEGAL, why, seq, f"{ask.seq + 1} or more", str(seen.size))

    def broken(self, record: RecordedEvent, book: Book, event: rolled.ThrowBroken) -> bool:
        """A throw was broken off; whether it was one that waits."""
        ask, seq = self._ask, record.seq
        if ask is None or ask.full is not None or ask.place != (event.roll, event.throw):
            why = f"throw {event.throw} of roll {event.roll} is broken off, and waits for nobody"
            self._findings.fail(THROWS, why, seq)
            return False
        missing = tuple(ask.missing)
        if event.kept != missing:
            why = "the seats that keep their shares back are others"
            self._findings.fail(THROWS, why, seq, _named(missing), _named(event.kept))
        if record.at < ask.at + BREAKING:
            why = f"{ask.id} is broken off {record.at - ask.at} ms after the ask"
            self._findings.fail(THROWS, why, seq, f"{BREAKING} ms or more")
        why = f"{ask.id} is broken off: {_named(event.kept)} kept back"
        self._findings.look(THROWS, "broken", why, seq)
        book.throws = event.throw + 1
        self._ask = None
        return True

    # --- the throw --------------------------------------------------------------------------------

    def thrown(self, record: RecordedEvent, event: Any) -> OpenAsk | None:
        """The ask that this throw fulfils, compared with its plan; None where it has none."""
        ask = self._ask
        if ask is None or ask.roll != event.roll:
            return None
        self._ask = None
        for why, expected, found in self._unlike(ask, event):
            self._findings.fail(THROWS, f"{ask.id}: {why}", record.seq, expected, found)
        share = ask.opened.get(ask.seat)
        if event.proof.nonce != share:
            why = f"{ask.id}: the nonce is not the share of its roller"
            self._findings.fail(TRANSCRIPTS, why, record.seq, share, event.proof.nonce)
        return ask

    def _unlike(self, ask: OpenAsk, event: Any) -> Iterator[tuple[str, str, str]]:
        """In what a throw is another than was asked for and planned."""
        plan, dice = ask.plan, _dice(event)
        pairs: list[tuple[str, Any, Any]] = [
            ("another seat throws than asked", ask.seat, event.by),
            ("another throw than was asked for", ask.throw, event.proof.throw),
            ("another commitment than the ask names", ask.committed, event.proof.committed),
        ]
        if plan is not None:
            pairs += [
                ("another kind of throw than was planned", plan.trigger, TRIGGERS[type(event)]),
                ("another hand than was planned", plan.hand, event.hand),
                ("other dice than were planned", plan.dice, dice),
                ("another option than was planned", plan.option, getattr(event, "option", None)),
            ]
        for why, expected, found in pairs:
            if expected != found:
                yield why, _text(expected), _text(found)


def plan_in(line: Line) -> rolled.ThrowPlanned | None:
    """The plan of a throw that an entry holds, if it is disclosed and does."""
    event = None if line.record is None else line.record.event
    return event if isinstance(event, rolled.ThrowPlanned) else None


def _dice(event: Any) -> tuple[tuple[str, str], ...]:
    """Every die of a throw and its kind, in order; one that is thrown again at once, once."""
    return tuple(dict.fromkeys((item.die, item.kind) for item in event.dice))


def _text(value: Any) -> str:
    if isinstance(value, tuple):
        return " ".join(f"{die}:{kind}" for die, kind in value[:20])
    return str(value)


def _named(seats: tuple[str, ...]) -> str:
    return ", ".join(seats[:MOST_ASKED]) or "nobody"
