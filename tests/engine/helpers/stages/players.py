"""Players for tests: each has a seat of its own beside a real service, and no network between them.

What the table waits for says what they do. Their connection may be cut after every message, and the
answer to every request be lost once.
"""

from collections.abc import Sequence
from contextlib import aclosing
from itertools import groupby

from tests.engine.helpers.stages.acting import ANSWER, to_reveal
from tests.engine.helpers.stages.heads import key_of, service_on
from tests.engine.helpers.stages.service import ROOT, TABLE
from urim.engine.bundle.read import entry_of
from urim.engine.core.commands import (
    Asking,
    Choose,
    Declare,
    EnterCharacter,
    Freeze,
    OpenTable,
    React,
    Resolve,
    Reveal,
    RollDice,
    TakeSeat,
    worded,
)
from urim.engine.core.moves import Awaiting
from urim.engine.core.refusal import as_refusal
from urim.engine.core.request import read_request
from urim.engine.seat import Seat
from urim.engine.seat.happened import Happened
from urim.engine.seat.stored import read_stored
from urim.engine.service import Service
from urim.engine.service.feed import Commit, Message
from urim.engine.service.secrets import MemorySecrets
from urim.errors import Refused
from urim.events.checkpoint import Checkpoint, Key, origin_of, sign
from urim.events.log.memory import MemoryLog
from urim.events.log.protocol import CaughtUp
from urim.events.merkle import root_of

SEATS = ("narrator", "p1", "p2")

OPPOSED = {"root": ROOT, "rating": 2, "opponent": "c2"}
ALONE = {"root": ROOT, "rating": 2}


class Player:
    """A person with a seat; `rough` cuts every connection that can be cut."""

    leaves: tuple[str, ...] = ()
    """What the person does not do."""

    def __init__(self, service: Service, seat: Seat, key: Key, *, rough: bool = False) -> None:
        self.service = service
        self.seat = seat
        self.key = key
        self.rough = rough
        self.happened: list[Happened] = []

    async def sync(self) -> list[Message]:
        """Receive all that there is."""
        found: list[Message] = []
        while True:
            after = self.seat.begin()
            async with aclosing(self.service.subscribe(TABLE, self.seat.id, after)) as messages:
                async for message in messages:
                    found.append(message)
                    self.happened += self.seat.receive(message)
                    if isinstance(message, CaughtUp):
                        await self.head()
                        return found
                    if self.rough:
                        break

    async def head(self) -> None:
        """Take over the signed head of all that there is, where there is one."""
        note = await self.service.head(TABLE)
        if note is not None:
            self.happened += self.seat.head(note)

    async def anchor(self) -> None:
        """Publish a chain of shares, where the seat has none."""
        await self.sync()
        if self.seat.should_anchor:
            await self.send(self.seat.anchor())
            await self.sync()

    async def send(self, data: bytes) -> None:
        """Send a request, and take the answer over; a lost one is asked for again."""
        if self.rough:
            await self._answer(data)
            self.restart()
            await self.sync()
            sent = self.seat.resend()
            assert sent in ((), (data,))
        else:
            sent = (data,)
        for again in sent:
            request = read_request(again).request
            assert request is not None
            try:
                entries = await self._answer(again)
            except Refused as refused:
                self.happened += self.seat.refused(request, as_refusal(refused))
                raise
            note = await self.service.checkpoint(TABLE)
            self.happened += self.seat.answer(request, entries, note)

    async def _answer(self, data: bytes) -> list[int]:
        entries = await self.service.submit_request(TABLE, self.seat.id, data)
        return [entry.seq for entry in entries]

    def restart(self) -> None:
        """Begin again from what was stored, as bytes, and the lines that were kept."""
        stored, lines = self.seat.stored().written(), self.seat.lines
        self.seat = Seat.resume(read_stored(stored), [self.key])
        for commit in commits(lines):
            self.seat.receive(commit)

    async def ask(self, asking: Asking) -> None:
        """Ask for something."""
        await self.send(self.seat.ask(asking))

    async def act(self) -> bool:
        """Do the first thing that the table waits for, or reveal what has ended; whether it did."""
        await self.sync()
        waiting = [each for each in self.seat.awaiting() if each.trigger not in self.leaves]
        waiting = [each for each in waiting if each.trigger != "break_throw"]
        hidden = to_reveal(self.seat) if "reveal" not in self.leaves else []
        if not waiting and not hidden:
            return False
        await self.send(self._act(waiting[0]) if waiting else self.seat.ask(Reveal(hidden[0])))
        return True

    def _act(self, waiting: Awaiting) -> bytes:
        roll, who = waiting.roll, waiting.character
        if waiting.trigger == "ask":
            [move] = [each for each in self.seat.moves(roll) if each.trigger == "ask"]
            return self.seat.shares(RollDice(roll, move.offers[0].hand))
        if waiting.trigger == "open_share":
            return self.seat.open_share()
        if waiting.trigger == "roll":
            [move] = [each for each in self.seat.moves(roll) if each.trigger == "roll"]
            return self.seat.ask(RollDice(roll, move.offers[0].hand))
        if waiting.trigger == "react":
            return self.seat.ask(React(roll, who, ANSWER))
        if waiting.trigger == "freeze":
            [move] = [each for each in self.seat.moves(roll) if each.trigger == "freeze"]
            return self.seat.ask(Freeze(roll, move.offers[0].hand, move.offers[0].dice))
        if waiting.trigger == "adjust":
            moves = (each for each in self.seat.moves(roll) if each.trigger == "adjust")
            offer = next(o for move in moves for o in move.offers if o.due and o.choice)
            return self.seat.ask(Choose(roll, offer.choice, str(offer.options[-1])))
        if waiting.trigger == "reveal":
            return self.seat.ask(Reveal(roll))
        assert waiting.trigger == "resolve", waiting
        return self.seat.ask(Resolve(roll))


def commits(lines: Sequence[bytes]) -> list[Commit]:
    """Lines that were kept, as the commits that they came in."""
    found: list[list[bytes]] = []
    for line in lines:
        entry = entry_of(line)
        if entry.commit == entry.seq:
            found.append([])
        found[-1].append(line)
    size, made = 0, list[Commit]()
    for each in found:
        size += len(each)
        made.append(Commit(size, tuple(each)))
    return made


class Evening:
    """A service in memory with a table of fair dice: a narrator, Etgar on p1, Dana's on p2."""

    def __init__(self) -> None:
        self.log = MemoryLog()
        self.secrets = MemorySecrets()
        self.service = service_on(self.log, self.secrets)
        self.players: dict[str, Player] = {}

    async def begin(
        self,
        *,
        rough: bool = False,
        level: str = "table",
        anchored: bool = True,
        source: str = "fair",
        one_machine: bool = False,
    ) -> None:
        """Open the table and let everybody sit down, with an anchor each where those are wanted."""
        service = self.service
        opening = OpenTable(
            TABLE,
            "milhamah",
            {},
            source,
            level,  # type: ignore[arg-type]
            one_machine=one_machine,
        )
        await service.open_table("narrator", opening)
        for seat in SEATS[1:]:
            await service.submit(TABLE, "narrator", TakeSeat(seat))
        entering = EnterCharacter("c1", "p1", {"BLE": 3})
        await service.submit(TABLE, "narrator", worded(entering, "Etgar"))
        await service.submit(TABLE, "narrator", EnterCharacter("c2", "p2", {"GRA": 2}))
        await service.checkpoint(TABLE)
        for seat in SEATS:
            self.players[seat] = self.player(seat, rough=rough)
            await self.players[seat].sync()
        for player in self.players.values() if anchored else ():
            await player.anchor()

    async def copied(self) -> "Evening":
        """The same host with the same log, which may go on otherwise."""
        found = Evening()
        secret = self.secrets.find(TABLE)
        assert secret is not None
        found.secrets.keep(TABLE, secret)
        found.secrets.key = self.secrets.key
        head = self.secrets.heads.find(TABLE)
        assert head is not None
        found.secrets.heads.keep(TABLE, head)
        asked = {each.start: each.request for each in await self.log.requests(TABLE)}
        for start, commit in groupby(await self.log.read(TABLE), lambda entry: entry.commit):
            await found.log.append(TABLE, tuple(commit), start, asked.get(start))
        for signed in await self.log.heads(TABLE):
            await found.log.keep_head(TABLE, signed)
        found.service = service_on(found.log, found.secrets)
        return found

    async def sent(self, seat: str, after: int = -1) -> list[Message]:
        """What the feed sends a seat from there on, up to the mark."""
        found: list[Message] = []
        async with aclosing(self.service.subscribe(TABLE, seat, after)) as messages:
            async for message in messages:
                found.append(message)
                if isinstance(message, CaughtUp):
                    break
        return found

    def note(self, leaves: Sequence[bytes]) -> bytes:
        """A head that the host signs, whatever its log is."""
        private = self.secrets.key.find()
        assert private is not None
        return sign(Checkpoint(origin_of(TABLE), len(leaves), root_of(leaves)), private)

    def strange(self, leaves: Sequence[bytes]) -> bytes:
        """A head that somebody else signs."""
        return sign(Checkpoint(origin_of(TABLE), len(leaves), root_of(leaves)), bytes(range(32)))

    @property
    def key(self) -> Key:
        """The host's key."""
        return key_of(self.secrets)

    def player(self, seat: str, *, rough: bool = False) -> Player:
        """One more client of a seat."""
        return Player(self.service, Seat(TABLE, seat, [self.key]), self.key, rough=rough)

    async def play(self) -> None:
        """Go on until the table waits for nobody."""
        while any([await player.act() for player in self.players.values()]):
            pass
        for player in self.players.values():
            await player.sync()

    def leave(self, *triggers: str) -> None:
        """Let nobody do these."""
        for player in self.players.values():
            player.leaves = triggers

    async def both(self) -> None:
        """An opposed roll of Etgar's, and one that only he and the narrator see."""
        p1 = self.players["p1"]
        await p1.ask(Declare("c1", OPPOSED))
        await p1.ask(Declare("c1", ALONE, "gm"))
        await self.play()
