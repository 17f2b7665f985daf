"""Many tables on one log, each one command at a time, acknowledged only once it is kept.

    service = Service(log, secrets)
    await service.open_table("narrator", OpenTable("mytable1", "a system"), "request 1")
    entries = await service.submit("mytable1", "p1", command, "request 2")

Several services may share a log: one that finds others were first loads what it missed and decides
again. A caller may be cancelled at any moment: its command was not begun, or it is finished.

A table is served only while its entries are those that were signed: its head is signed in the
background, and kept in the log and outside it; see the modules `signing` and `check`. `inclusion`
and `consistency` prove an entry, or an earlier size, under such a head.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from functools import partial
from typing import TypeVar, Unpack

from ...errors import Damaged, Defect, Refused
from ...events.base import Role
from ...events.entry import Entry
from ...events.log.bell import Bell
from ...events.log.listing import Listing
from ...events.log.protocol import EventLog
from ...projections.account import Account
from ...projections.tables import TableState
from ...rules.ruleset import Rollable
from ...rules.words import ENGLISH
from ..core.aggregate import Aggregate, environment
from ..core.arguments import checked
from ..core.choices import Choice
from ..core.commands import AnyCommand, Asking, OpenTable, apart
from ..core.moves import Move, RollMoves
from ..core.odds import Question
from ..core.parse import body_of, reread
from ..core.preview import Preview
from ..core.request import read_request
from ..core.sight import Sight
from ..core.signed import Signed
from ..snapshots.protocol import at_once
from ..snapshots.rows import SnapshotStore
from .budgets import DEFAULT, Alarm, Budgets
from .bundles import bundled
from .commands import Commands
from .epochs import begun
from .epochs import grounds as grounds_of
from .feed import Subscription
from .feeds import Feeds
from .grounds import Grounds
from .keys import checked_host
from .line import WaitingLine
from .news import News
from .pace import Leave, Pace, no_turn
from .proofs import Proved, checkpoint, consistency, inclusion, vkey
from .readers import Readers
from .reading import Answering, Given, Rolls, Waiting
from .receipts import VISITOR, Receipt, linked, receipt
from .secrets import Secrets
from .signing import EVERY, Signer
from .snapshotting import Snapshotting
from .tables import Environments, Held, Loader, TableCache
from .turns import settle
from .usage import Meter

T = TypeVar("T")

MEMORY = 256 * 1024 * 1024
"""Bytes of memory for the tables that nobody uses right now. Those with a command at work or a
subscription are in memory beyond it."""


@checked
class Service:
    """Tables on a log. `memory` bounds those in memory, in bytes; the log is its caller's to close.

    `host` is the one in the origin of the tables' heads: that of the heads signed so far, or
    `urim.local`, unless given; Refused("malformed") for one that can be in no origin. `sign_every`
    is the least time between two signatures of a busy table, in seconds. `budgets` bound what one
    seat may have and write at a table.
    """

    def __init__(
        self,
        log: EventLog,
        secrets: Secrets,
        *,
        memory: int = MEMORY,
        environments: Environments = environment,
        host: str | None = None,
        sign_every: float = EVERY,
        budgets: Budgets = DEFAULT,
        snapshots: SnapshotStore | None = None,
    ) -> None:
        self.log = log
        self._cache = TableCache(memory)
        self._signer = Signer(log, secrets, self._cache.drop, sign_every)
        alarm = Alarm()
        self._meter = Meter(budgets, alarm, at_once if snapshots is None else snapshots.apart)
        self._loader = Loader(
            log, secrets, environments, self._signer, checked_host(host), snapshots, self._meter
        )
        self._commands = Commands(self._loader, self._meter)
        self._line = WaitingLine(budgets, alarm, "commands", "waiting_seat", "waiting")
        self._reads = WaitingLine(budgets, alarm, "reads", "reading_seat")
        self._pace = Pace(budgets.pace)
        self._readers = Readers(self._reads, self._pace, self._look, self._cache, self._check_open)
        self._feeds = Feeds(self._cache, self._loader, self._in_line, self._reads, self._pace)
        self._snapshotting = Snapshotting(snapshots, self._cache, self._loader)
        self._tasks: set[asyncio.Task[object]] = set()
        self._listing = Listing(log)
        self._closed = False

    @property
    def loaded(self) -> int:
        """How many tables are in memory."""
        return len(self._cache)

    # --- commands ---------------------------------------------------------------------------------

    async def open_table(
        self, seat: str, command: OpenTable, request: str | None = None
    ) -> tuple[Entry, ...]:
        """Open a table under a new secret; the seat that asks becomes its first narrator.

        Raises as `submit` does, and Refused("taken") for a table that the log has.
        """
        reread(command)  # before its table has a place in the queue
        work = partial(self._commands.open, seat=seat, command=command, request=request)
        return await self._in_line(command.table, work, seat, self._line)

    async def submit(
        self,
        table: str,
        seat: str,
        command: Asking,
        request: str | None = None,
        signed: Signed | None = None,
    ) -> tuple[Entry, ...]:
        """Do what a seat asks, and give the entries that it added, as the seat may see them.

        They are on the log when this returns; their signature is not waited for: ask for a
        `checkpoint` where it is needed. The same seat, request id and command get the same entries
        again, as that seat may see them now, after an epoch too. Raises Refused, and then nothing
        has changed, "over-budget" where a budget of the seat has no room; Damaged for a log that is
        damaged, or is not what was signed; Unavailable when the log cannot be written, others were
        first again and again, or too many commands wait: then ask again under the same request id.
        """
        asked, text = apart(command)
        body = body_of(asked)
        work = partial(
            self._commands.submit, seat=seat, body=body, request=request, text=text, signed=signed
        )
        return await self._in_line(table, work, seat, self._line)

    async def submit_request(self, table: str, seat: str, data: bytes) -> tuple[Entry, ...]:
        """Do what a seat asks by a request as it came over a wire; see `urim.engine.core.request`.

        The answers are those of `submit`. The body is decoded once, and the log keeps its very
        bytes. Raises as `read_request` and `submit`.
        """

        async def work(held: Held) -> tuple[Entry, ...]:
            # In the seat's turn: what is no request takes time too.
            found = read_request(data)
            body = found.body.encode("utf-8")
            return await self._commands.submit(
                held, seat, body, found.request, found.text, found.signed
            )

        return await self._in_line(table, work, seat, self._line)

    async def begin_epoch(
        self,
        table: str,
        seat: str | None = None,
        seen: Sequence[bytes] = (),
        *,
        restored: bool = False,
    ) -> tuple[Entry, ...]:
        """Let a table whose log was restored from a backup go on, under a new secret.

        Its entry commits again to the outstanding throw of every live roll. The seat is a
        narrator's, the first one's unless given. `seen` are signed heads that somebody kept. The
        last head signed before is kept as evidence, with those of `seen` that the log has lost;
        sizes up to theirs are not signed again. Requests of before the epoch are still known.

        Raises Refused("not-offered") where the log fits its heads, and none of `seen` shows that it
        lost anything; Refused("due") where no head is kept at all. With `restored` its keeper knows
        that the log is from a backup, and neither is raised. Raises Refused("unknown"),
        Refused("not-yours"), and as `epoch_grounds` for `seen`; Damaged where the log itself is;
        Unavailable where another process is first, or nothing can be written.
        """
        work = partial(begun, self._loader, seat=seat, seen=seen, restored=restored)
        return await self._in_line(table, work)

    async def epoch_grounds(self, table: str, seen: Sequence[bytes] = ()) -> Grounds:
        """What speaks for an epoch of a table; nothing is changed.

        Raises Refused("unknown") for a table that is not there; for a note in `seen` Damaged where
        it is none, or not signed by the table's key, Refused("unreadable") where it is another
        table's; Damaged where the log itself is.
        """
        return await self._in_line(table, partial(grounds_of, self._loader, seen=seen))

    # --- reading ----------------------------------------------------------------------------------

    async def view(self, table: str, seat: str) -> tuple[Entry, ...]:
        """Every entry as the seat may have it now. Raises as `sight` does."""
        return await self._in_line(table, partial(self._loader.view, seat), seat, self._reads)

    async def sight(
        self, table: str, seat: str, *, language: str = ENGLISH, rolls: Rolls = None
    ) -> Sight:
        """The table as the seat may see it now: the only state that a server may send to it.

        With `rolls` these alone are in it, and no texts. It is of one size of the log, and made in
        a thread: no command waits for it. Raises Refused("unknown") for a table or a seat that is
        not there, Damaged, and Unavailable where too many reads of the seat wait, as all below.
        """
        return await self._readers.read(table, seat, lambda known: known.sight(language, rolls))

    async def rolls(self, table: str, seat: str) -> tuple[int, ...]:
        """The numbers of the rolls that the seat sees, the oldest first."""
        return await self._readers.read(table, seat, lambda known: known.rolls())

    async def legal_moves(
        self, table: str, seat: str, *, language: str = ENGLISH, rolls: Rolls = None
    ) -> tuple[RollMoves, ...]:
        """Every legal move, of these `rolls` or all, its offers with their words and labels."""
        return await self._readers.read(table, seat, lambda of: of.legal_moves(language, rolls))

    async def moves(
        self, table: str, seat: str, roll: int, *, language: str = ENGLISH
    ) -> tuple[Move, ...]:
        """Every trigger of one roll for the seat: legal with its offers, or why it is not."""
        return await self._readers.read(table, seat, lambda known: known.moves(roll, language))

    async def waiting(
        self, table: str, seat: str, *, language: str = ENGLISH, size: int | None = None
    ) -> Waiting:
        """What this seat is waited for to do, by roll, and who else; of `size` entries at least."""
        return await self._readers.read(table, seat, lambda known: known.waiting(language), size)

    async def news(self, table: str, seat: str, after: int, *, everybody: bool = False) -> News:
        """What waits, and what ended since: for the seat, or with `everybody` as all may see it."""
        return await self._readers.read(table, seat, lambda of: of.news(after, everybody=everybody))

    def bell(self, table: str) -> Bell:
        """What rings after every commit of a table, as long as somebody has it."""
        return self.log.listen(table)

    async def preview(
        self, table: str, seat: str, command: AnyCommand, *, language: str = ENGLISH
    ) -> Preview:
        """What a command of the seat's would lead to. Raises Refused as the command would."""
        return await self._readers.read(table, seat, lambda known: known.preview(command, language))

    async def choices(
        self, table: str, seat: str, character: str, field: str, **given: Unpack[Given]
    ) -> tuple[Choice, ...]:
        """What a field may be filled with now; see `urim.engine.core.choices`, as it refuses."""
        return await self._readers.read(table, seat, lambda of: of.choices(character, field, given))

    async def rollables(
        self, table: str, seat: str, character: str, **given: Unpack[Answering]
    ) -> tuple[Rollable, ...]:
        """The rolls that a sheet begins, or that answer one; see `urim.engine.core.choices`."""
        return await self._readers.read(table, seat, lambda of: of.rollables(character, given))

    async def account(
        self, table: str, seat: str, roll: int, *, language: str = ENGLISH
    ) -> Account:
        """What happened in a roll, step by step, as far as the seat may see it."""
        return await self._readers.read(table, seat, lambda known: known.account(roll, language))

    async def question(self, table: str, seat: str, roll: int) -> Question:
        """What the odds of a roll depend on, for a seat that wants advice; refuses as `advised`."""
        return await self._readers.read(table, seat, lambda known: known.question(roll))

    async def bundle(self, table: str, seat: str, roll: int | None = None) -> AsyncIterator[bytes]:
        """The lines of a bundle of the table, or of one roll, as it is now.

        It is as the seat, or with "" everybody, may see it, under a head signed for it. What it
        holds is found at once; its lines are made in a thread, as they are taken. Raises before the
        first one as `checkpoint`, `sight` and `write_bundle` do; later Unavailable, and Defect once
        the service is closed.
        """
        leave = await self._readers.turn(table, seat)
        try:
            found = await self._in_line(table, partial(bundled, self._loader, seat, roll), seat)
        finally:
            leave()
        return self._readers.lines(table, seat, found.lines())

    async def link(self, table: str, roll: int) -> str | None:
        """The link of a roll, as path and fragment; None where none may show it.

        Raises as `aggregate`.
        """
        return await self._in_line(table, partial(linked, self._loader, roll))

    async def receipt(self, table: str, roll: int, pinned: str | None = None) -> Receipt:
        """What the link of a roll shows, under the root that it pins; without one the newest."""
        leave = await self._readers.turn(table, VISITOR)
        try:
            return await self._in_line(table, partial(receipt, self._loader, roll, pinned))
        finally:
            leave()

    # --- the whole table: for the host alone ------------------------------------------------------

    async def state(self, table: str) -> TableState:
        """The whole table now, hidden rolls too: never to be sent. Raises as `aggregate`."""
        return (await self.aggregate(table)).opened

    async def aggregate(self, table: str) -> Aggregate:
        """The whole table in memory, with every entry that the log has now: for the host alone.

        It is to be read at once, and not to be changed: later calls may add to it, or give another.
        Raises Refused("unknown") and Damaged.
        """
        return await self._in_line(table, self._whole)

    async def _look(self, table: str, seat: str) -> Aggregate:
        return await self._in_line(table, self._whole, seat)

    async def _whole(self, held: Held) -> Aggregate:
        return (await self._loader.current(held)).aggregate

    def subscribe(self, table: str, seat: str, after: int = -1) -> Subscription:
        """The commits after entry `after` as the seat may see them, one CaughtUp, then new ones.

        Each comes once, whole and in order; see the messages in the module `feed`. Of older entries
        only those come that the seat may see otherwise than when it had `after`. It ends when the
        service closes, with `Left` when the seat leaves, and with `Behind` for a subscriber that is
        too slow; use `aclosing` to end it early. Resume it with `after` = the last `size` - 1.

        The table stays in memory meanwhile. Raises, with the first message, Refused("unknown") for
        a table or seat that is not there, or left, and Refused("out-of-range") for an `after` that
        the table does not have, Refused("over-budget") where the seat has too many; Damaged and
        Unavailable, at any time, where the log cannot be read or too many wait.
        """
        self._check_open()
        room = partial(self._meter.check_subscriptions, table, seat)
        return self._feeds.subscribe(table, seat, after, room)

    def present(self, table: str) -> tuple[str, ...]:
        """The seats that `Present` names, of a table that is subscribed to here; else none."""
        return self._feeds.present(table)

    async def tables(self) -> tuple[str, ...]:
        """The ids of all tables, sorted; none of an id that `damaged` names."""
        return (await self._listing.read())[0]

    async def damaged(self) -> dict[str, Damaged]:
        """What is wrong with ids under which rows are kept, but no table was opened, by id.

        Another program renamed or copied them. The damage of a table that was opened is found when
        it is loaded.
        """
        return (await self._listing.read())[1]

    async def seated(self, table: str) -> dict[str, Role]:
        """The seats at a table and their roles; not those that left. Raises as `aggregate`."""
        seats = (await self.aggregate(table)).opened.seats
        return {id: seat.role for id, seat in sorted(seats.items()) if seat.here}

    # --- heads and proofs -------------------------------------------------------------------------

    async def checkpoint(self, table: str) -> bytes:
        """The table's head as it is now: a signed note, kept in the log and outside it.

        Where nothing can be written it is signed all the same, and kept as soon as that goes.

        Raises Refused("unknown"); Refused("out-of-range") where an epoch began and the table has
        not grown yet beyond what was signed before; Refused("unreadable") where the key is gone;
        Damaged for a log that is not what was signed; Unavailable where it cannot be read.
        """
        return await self._in_line(table, partial(checkpoint, self._loader))

    async def key(self, table: str) -> str:
        """The line (`vkey`) of the key by which others verify the table's heads.

        Raises Refused("unknown"), Refused("unreadable") where the key is gone, and Damaged.
        """
        return await self._in_line(table, partial(vkey, self._loader))

    async def head(self, table: str) -> bytes | None:
        """A signed head of all that this service has kept of the table: at once, where it can.

        It is kept itself within `sign_every`; `checkpoint` waits for that. None where an epoch
        began and the table has not grown yet beyond what was signed before. Raises
        Refused("unknown"), Refused("unreadable") where the key is gone, and Damaged.
        """

        async def work(held: Held) -> bytes | None:
            return self._loader.attested(await self._loader.current(held))

        self._check_open()
        await self._signer.ready()
        loaded = self._cache.loaded(table)
        found = None
        if loaded is not None and loaded.abreast:
            found = self._loader.attested(loaded)
        # None too where another service signed what is not loaded here yet.
        return found or await self._in_line(table, work)

    async def inclusion(self, table: str, seq: int) -> Proved:
        """The latest signed head, and what proves that entry `seq` is under its root.

        A new head is signed if the latest ends before that entry. Raises as `checkpoint` does, and
        Refused("out-of-range") for an entry that is not there.
        """
        return await self._in_line(table, partial(inclusion, self._loader, seq))

    async def consistency(self, table: str, old_size: int) -> Proved:
        """The latest signed head, and what proves that its log begins with the one of `old_size`.

        A new head is signed if the latest is smaller. Raises as `checkpoint` does, and
        Refused("out-of-range") for a size that the table does not have.
        """
        return await self._in_line(table, partial(consistency, self._loader, old_size))

    # --- the end ----------------------------------------------------------------------------------

    async def close(self) -> None:
        """Finish what was begun, sign what was not signed yet, and refuse further work.

        A head that cannot be kept is logged, and signed when the table is loaded next.
        Subscriptions end once they have taken what was kept. Close the log after this.
        """
        self._closed = True
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._commands.settled()
        await self.end_subscriptions()
        await self._signer.close()
        await self._readers.close()
        await self._snapshotting.close()

    async def end_subscriptions(self) -> None:
        """End all subscriptions, once they have taken what was kept, and refuse new ones."""
        await self._feeds.close()

    # --- one at a time ----------------------------------------------------------------------------

    async def _in_line(
        self,
        table: str,
        work: Callable[[Held], Awaitable[T]],
        seat: str | None = None,
        line: WaitingLine | None = None,
    ) -> T:
        """Do some work on a table, alone, and to its end even if the caller gives up waiting.

        A call of a `seat` waits in a `line`, as long as that may be, and for its turn.
        """
        held = self._cache.take(table)
        leave = no_turn
        try:
            if seat is None or line is None:
                await held.turns.acquire(seat)
            else:
                with line.place(table, seat):
                    leave = await self._pace.enter(table, seat)
                    await held.turns.acquire(seat)
        except BaseException:
            leave()
            self._cache.give_back(held)
            raise
        task = asyncio.create_task(self._alone(held, work))
        self._tasks.add(task)
        # As asyncio.shield does, but with one callback for all that is to be done.
        answer: asyncio.Future[T] = task.get_loop().create_future()
        task.add_done_callback(partial(self._end, held, leave, answer))
        return await answer

    def _end(self, held: Held, leave: Leave, to: asyncio.Future[T], task: asyncio.Task[T]) -> None:
        self._tasks.discard(task)
        held.turns.release()
        leave()
        self._cache.give_back(held)
        settle(to, task)

    async def _alone(self, held: Held, work: Callable[[Held], Awaitable[T]]) -> T:
        self._check_open()
        try:
            return await self._loader.opened(held, work)
        except Refused:
            raise
        except BaseException:
            held.loaded = None  # the log shows what became of it
            raise
        finally:
            await self._feeds.advance(held)
            self._snapshotting.after(held)

    def _check_open(self) -> None:
        if self._closed:
            raise Defect("the service is closed")
