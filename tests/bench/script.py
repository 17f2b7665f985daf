"""The same opposed rolls every time: played once, recorded, and asked for again from the record.

Etgar strikes, the toad answers: declare, react, throw, freeze, throw again, stand, throw, stand,
resolve; one in five has a choice more, one in fifty leaves the toad's hand out. The dice are fair
ones under a secret that is no secret, so that a table of the same id falls the same way.
"""

from collections.abc import Iterator
from functools import cache
from hashlib import sha256

from msgspec import Struct

from urim.engine.core import commands as asked
from urim.engine.core.aggregate import Aggregate, Environment
from urim.engine.core.limits import NARRATOR
from urim.engine.core.offers import offers
from urim.engine.core.sources import Fair
from urim.events.base import Visibility
from urim.events.entry import Entry
from urim.events.log.protocol import Request
from urim.events.throw import fixture_salt
from urim.projections.rollstate import RollState
from urim.projections.tables import TableState
from urim.rules.ruleset import Offer

SECRET = sha256(b"the benchmarks' table secret").digest()
SYSTEM = "milhamah"
STRIKER, TOAD = "p1", "p2"

OPENING: tuple[asked.TableCommand, ...] = (
    asked.TakeSeat(STRIKER),
    asked.EnterCharacter("c1", STRIKER, {"BLE": 3, "VIG": 2, "wind attack": 2}),
    asked.TakeSeat(TOAD),
    asked.EnterCharacter("c2", TOAD, {"GRA": 2, "VIG": 2, "jump": 1}, {"soak": 2}),
)
"""What a table is asked once it is open."""

READINGS = {"skill_roots": {"wind attack": "רוח", "jump": "קפץ"}, "reactor_botch": False}

STRIKE = {
    "root": "רוח",
    "attribute": "BLE",
    "skill": "wind attack",
    "opponent": "c2",
    "combat": True,
    "dice": {"red": 4, "blue": 4},
}
ANSWER = {"root": "חננ", "attribute": "GRA", "skill": "jump"}


class Asked(Struct, frozen=True):
    """One command: the seat that asks, the command, its JSON, the id it is asked under."""

    seat: str
    command: asked.AnyCommand
    body: bytes
    request: str


class Commit(Struct, frozen=True):
    """What a command led to: its entries, the size before them, and the request."""

    entries: tuple[Entry, ...]
    expected: int
    request: Request


class Script(Struct, frozen=True):
    """A table's commands and commits: those that open it, then its rolls'."""

    table: str
    opening: tuple[Asked, ...]
    rolls: tuple[tuple[Asked, ...], ...]
    commits: tuple[Commit, ...]

    @property
    def steps(self) -> tuple[Asked, ...]:
        """The commands of all rolls, in order."""
        return tuple(step for roll in self.rolls for step in roll)

    @property
    def played(self) -> tuple[Commit, ...]:
        """The commits of all rolls, in order."""
        return self.commits[len(self.opening) :]

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The whole log."""
        return tuple(entry for commit in self.commits for entry in commit.entries)


def around() -> Environment:
    """Fair dice, a clock and salts that repeat."""
    return Environment(
        source=Fair(SECRET),
        clock=lambda state: 1_700_000_000_000 if state is None else state.at + 1_000,
        salt=lambda table, seq: fixture_salt("bench", table, seq),
        secret=SECRET,
    )


def opened(script: Script) -> Aggregate:
    """A fresh table on which the script's rolls may begin."""
    aggregate = Aggregate(around())
    for step in script.opening:
        aggregate.keep(aggregate.prepare(step.seat, step.body, step.request))
    return aggregate


@cache
def script(table: str, rolls: int) -> Script:
    """The record of a table of so many rolls."""
    aggregate = Aggregate(around())
    commits: list[Commit] = []
    opening = [_recorded(aggregate, NARRATOR, command, commits) for command in _opening(table)]
    played = [tuple(_roll(aggregate, commits)) for _ in range(rolls)]
    return Script(table, tuple(opening), tuple(played), tuple(commits))


def _opening(table: str) -> tuple[asked.AnyCommand, ...]:
    return (asked.OpenTable(table, SYSTEM, READINGS, "fair", "player"), *OPENING)


LATE, SELDOM = 8, 10
"""At a varied table one roll in so many is followed by the reveal of an old one; by a void."""


def commits(table: str, entries: int, *, varied: bool = False) -> Iterator[Commit]:
    """The commits of a table that grows to at least so many entries, one by one.

    At a `varied` one every second roll is hidden; a quarter of those is revealed, long after; some
    rolls are disputed and made void.
    """
    aggregate = Aggregate(around())
    size = 0
    for command in _opening(table):
        done: list[Commit] = []
        _recorded(aggregate, NARRATOR, command, done)
        size += len(done[0].entries)
        yield done[0]
    while size < entries:
        done = []
        number = len(aggregate.opened.rolls) + 1
        hidden = varied and number % 2
        for _ in _roll(aggregate, done, "gm" if hidden else "public"):
            pass
        for seat, said in _after(number) if varied else ():
            _recorded(aggregate, seat, said, done)
        size += sum(len(commit.entries) for commit in done)
        yield from done


def _after(number: int) -> Iterator[tuple[str, asked.Asking]]:
    """What is asked once a roll has ended."""
    if number % LATE == 0 and number > 2 * LATE:
        yield NARRATOR, asked.Reveal(number - 2 * LATE + 1)
    if number % SELDOM == 0:
        yield TOAD, asked.worded(asked.Dispute(number), "It fell.")
        yield NARRATOR, asked.worded(asked.Void(number), "It did.")


def _roll(
    aggregate: Aggregate, commits: list[Commit], visibility: Visibility = "public"
) -> Iterator[Asked]:
    number = len(aggregate.opened.rolls) + 1
    nonce = sha256(str(number).encode()).hexdigest()
    yield _recorded(aggregate, STRIKER, asked.Declare("c1", STRIKE, visibility=visibility), commits)
    yield _recorded(aggregate, TOAD, asked.React(number, "c2", ANSWER), commits)
    while True:
        state = aggregate.opened
        step = next_step(state, state.rolls[number], nonce)
        if step is None:
            return
        yield _recorded(aggregate, *step, commits)


def _recorded(
    aggregate: Aggregate, seat: str, command: asked.Asking, commits: list[Commit]
) -> Asked:
    plain, text = asked.apart(command)
    body = Aggregate.body(plain)
    step = Asked(seat, plain, body, f"r{len(aggregate.entries)}")
    prepared = aggregate.prepare(seat, body, step.request, text)
    assert prepared.request is not None
    commits.append(Commit(prepared.entries, len(aggregate.entries), prepared.request))
    aggregate.keep(prepared)
    return step


def next_step(
    state: TableState, roll: RollState, nonce: str
) -> tuple[str, asked.AnyRollCommand] | None:
    """What is asked next in a roll, and by which seat; None at its end."""
    if roll.state == "resolved":
        return None
    offered = offers(state, roll)
    order = ("roll", "freeze", "resolve", "adjust")
    offer = min(
        (offer for offer in offered if offer.trigger in order and not offer.means),
        key=lambda offer: order.index(offer.trigger),
    )
    return state.characters[offer.character].seat, _command(roll, offered, offer, nonce)


def _command(
    roll: RollState, offered: tuple[Offer, ...], offer: Offer, nonce: str
) -> asked.AnyRollCommand:
    number, hand = roll.number, offer.hand
    waiting = roll.outstanding.seq if roll.outstanding else None
    again = [other for other in offered if other.trigger == "reroll" and hand == "initiator"]
    if offer.trigger == "roll":
        return asked.RollDice(number, hand, waiting, nonce)
    if offer.trigger == "resolve":
        return asked.Resolve(number)
    if offer.trigger == "adjust":
        return asked.Choose(number, offer.choice, str(offer.options[0]))
    # The striker keeps one die and throws others again; then everybody stands.
    if roll.state == "rolled" and again:
        return asked.Freeze(number, hand, offer.dice[:1])
    if roll.state == "frozen" and again:
        dice = again[0].dice[: again[0].most]
        return asked.Reroll(number, hand, waiting, nonce, dice=dice)
    return asked.Freeze(number, hand, offer.dice)
