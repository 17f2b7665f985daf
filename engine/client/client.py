"""A seat's client: what is asked of the table, what may be read of it, what happens."""

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Self

from msgspec.structs import replace

from ...errors import Refused
from ...projections.levels import askable
from ...projections.tables import TableState
from ...rules.words import ENGLISH
from ..core.commands import AnchorShares, AnyThrow, Ask, Asking, Reroll, RollDice
from ..core.moves import Awaiting, Move, RollMoves, in_language
from ..core.odds import Odds, advised, answer
from ..core.request import WireRequest
from ..core.sight import Sight
from ..core.step import PLAIN, steps_from
from ..seat.happened import Done, Happened
from .connected import Connected, is_of, milliseconds, throws


class Client(Connected):
    """One client of a seat, made by `join` or `resume`: use it with `async with`.

        async with await resume(store) as client:
            await client.do(RollDice(1, "initiator"))
            async for happened in client: ...

    It stays connected by itself, and checks all that comes (`urim.engine.seat`). A fault, a token
    that is no longer good, or its seat leaving ends it for good: then every method that asks
    raises that, and the iteration ends with it. What was shown can be read all the same.
    """

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    # --- what is asked of the table ---------------------------------------------------------------

    async def do(self, asking: Asking) -> Done:
        """Have something done; return once it is in the table as the seat sees it.

        It is kept before it is sent, and sent until it is answered: a cut or a restart loses
        nothing, and does nothing twice. A throw at level `player` gets its commitment, and its
        nonce. While another throw waits for shares, so does this, until that may be broken off.

        Raises Refused, and nothing has changed; Unavailable, where nothing was sent, as there is no
        connection; Unanswered once `patience` is spent: it may be done yet.
        """
        return await self._in_turn(lambda: self._own.ask(asking))

    async def say(self, command: Asking, words: str) -> Done:
        """Have something done that a text comes with: a note, a reason, a name. Raises as `do`."""
        return await self._in_turn(lambda: self._own.say(command, words))

    async def _in_turn(self, make: Callable[[], bytes]) -> Done:
        """Ask for something; again where a throw waited for shares, which is over now."""
        deadline = time.monotonic() + self._manners.patience
        while True:
            await self.caught_up()
            try:
                return await self._answer(make())
            except Refused as refused:
                if not waits(refused) or time.monotonic() > deadline or not await self._over():
                    raise

    async def _over(self) -> bool:
        """Wait until no throw waits for shares; False once the one that does may be broken off."""
        if self._own.state.ask is None:  # it is over already, or its commit is on its way
            await asyncio.sleep(self._manners.delay(0))
        while (ask := self._own.state.ask) is not None:
            left = (ask.until - milliseconds()) / 1_000
            if left <= 0:
                return False
            with suppress(TimeoutError):
                await asyncio.wait_for(self._news.ticket().wait(), left)
            self._check()
        return True

    async def throw(
        self, roll: int, hand: str, *, option: int | None = None, dice: Sequence[str] | None = None
    ) -> Done:
        """Throw a hand, or these dice of it again, at the level of the throw.

        At level `table` it asks all seats for their shares that have an anchor and are connected
        (all that have one, where none is), and waits for them, as long as it takes: end that with
        `asyncio.timeout`, and begin it again at any time. A throw that some seat keeps its share
        back from for 10 seconds can be broken off (`BreakThrow`); then it asks once more, those
        that are left. It gives back the request that asked, once the dice lie. Raises as `do`, and
        Refused("nonce"), and nobody was asked, where the seat's own share is not this client's to
        open: `anchor` first.
        """
        again = None if dice is None else Reroll(roll, hand, dice=tuple(dice))
        command = again or RollDice(roll, hand, option=option)
        while True:
            await self.caught_up()
            ticket = self._news.ticket()
            under_way = self._pending(roll, Ask, RollDice, Reroll)
            if under_way is not None:
                found = await self._same(under_way, command)
            elif self._own.state.ask is None:
                found = await self._thrown(command)
            elif (found := self._asked(command)) is None:
                await ticket.wait()
            if found is not None and (fallen := await self._fallen(found)) is not None:
                return fallen

    async def roll(self, asking: Asking) -> Done:
        """Declare a roll, and do what needs no decision in it: throw, resolve, apply damage.

        It stops where anybody may decide something (`RollMoves.step`). Gives back what was done
        last. Raises as `do`; what was done by then stays done.
        """
        done = await self.do(asking)
        number = None if done.seq is None else self.state.entry_rolls.get(done.seq)
        return done if number is None else await self._gone_on(number, declared=True) or done

    async def go_on(self, roll: int) -> Done | None:
        """Do what needs no decision in a roll; gives back what was done last. Raises as `do`.

        A blind roll is left alone: it does not show this seat whether it was thrown.
        """
        return await self._gone_on(roll, declared=False)

    async def _gone_on(self, roll: int, *, declared: bool) -> Done | None:
        done: Done | None = None
        for step in steps_from(lambda: self.state, self.seat, roll, declared=declared):
            if step.trigger in PLAIN:
                done = await self.do(PLAIN[step.trigger](roll))
            else:
                again = step.dice if step.trigger == "reroll" else None
                done = await self.throw(roll, step.hand, dice=again)
        return done

    async def _same(self, under_way: WireRequest, command: AnyThrow) -> Done | None:
        """What becomes of a request that is under way, where it is this throw's; else None."""
        id = str(under_way.request)
        if throws(under_way, command):
            return await self.outcome(id)
        with suppress(Refused):  # which is for who asked for it
            await self.outcome(id)
        return None

    async def _thrown(self, command: AnyThrow) -> Done | None:
        """Throw, or ask for shares; None where something else came first."""
        try:
            data = self._own.ask(command)
        except Refused as refused:
            if not asks(refused):
                raise
            if not self._own.anchored and await self._anchors():
                return None
            data = self._own.shares(command, self._those_here())
        try:
            return await self._answer(data)
        except Refused as refused:
            if not waits(refused) and not asks(refused):
                raise
            await self._over()  # somebody else asked first, or anchored
            return None

    async def _anchors(self) -> bool:
        """Have an anchor: the one that is under way, or another one; whether it may have one."""
        under_way = next((r for r in self._own.stored().pending if is_of(r, AnchorShares)), None)
        if under_way is not None:
            await self.outcome(str(under_way.request))
        elif self._own.should_anchor:
            await self.anchor()
        else:
            return False
        return True

    def _those_here(self) -> Sequence[str] | None:
        """The seats to ask: those that can be asked and are connected; None for all of them."""
        found = [seat for seat in askable(self._own.state, self.seat) if seat in self.present]
        return found or None

    def _asked(self, command: AnyThrow) -> Done | None:
        """The ask that is open, where this seat asked for this throw; of before a restart too."""
        planned = self._own.planned
        if planned is None:
            return None
        done, plan = planned
        same = (plan.by, plan.roll, plan.trigger) == (self.seat, command.roll, command.trigger)
        return done if same and plan.hand == command.hand else None

    async def _fallen(self, done: Done) -> Done | None:
        """The throw itself, once the dice of an ask lie; None where it was broken off.

        What is no ask is the throw.
        """
        asked = None if done.seq is None else done.seq + 1
        while True:
            ticket = self._news.ticket()
            await self.caught_up()
            ask = self._own.state.ask
            if ask is None or ask.seq != asked:
                return self._own.thrown(done)
            await ticket.wait()

    async def anchor(self) -> Done:
        """Publish a new chain of shares for this seat, from this client; it does so by itself.

        But for a seat whose anchor was made elsewhere since: this takes its place. Raises as `do`.
        """
        await self.caught_up()
        return await self._answer(self._own.anchor())

    async def open_share(self) -> Done:
        """Open this seat's share of the throw that the table waits for; without `sharing`.

        Raises as `do`.
        """
        await self.caught_up()
        return await self._answer(self._own.open_share())

    async def outcome(self, request: str) -> Done:
        """Wait for what becomes of a request that is under way. Raises as `do`.

        Raises Refused("unknown") for one that is not (`pending`).
        """
        if request not in self.pending and request not in self._settled:
            raise Refused("unknown", f"no request {request!r} waits", allowed=self.pending)
        return await self._settles(request)

    @property
    def pending(self) -> tuple[str, ...]:
        """The ids of requests that are under way, those of before a restart too; oldest first."""
        return tuple(str(each.request) for each in self._own.stored().pending)

    def accept_epoch(self) -> None:
        """The player knows of the epoch (`EpochSeen`): nonces are drawn for its throws again."""
        self._own.accept_epoch()
        self._unsaved = True
        self._work.ring()

    @property
    def live(self) -> bool:
        """Whether there is a connection, and all is here that came before."""
        return self._own.live

    # --- what may be read -------------------------------------------------------------------------

    @property
    def state(self) -> TableState:
        """The table as the seat may see it, as it was at the last commit."""
        return self._own.state

    @property
    def lines(self) -> tuple[bytes, ...]:
        """The entries as lines of JSON, as the seat may have them."""
        return self._own.lines

    @property
    def head_size(self) -> int:
        """How many entries the newest signed head covers that was checked; 0 for none."""
        return self._own.head_size

    def state_sight(self, language: str = ENGLISH) -> Sight:
        """The table as a structure."""
        return self._own.sight(language)

    def legal_moves(self, language: str = ENGLISH) -> tuple[RollMoves, ...]:
        """Every legal move of the seat, roll by roll, its offers with their words and labels."""
        state = self._own.state
        found = self._own.legal_moves(milliseconds())
        return tuple(
            replace(each, moves=in_language(state, each.moves, language)) for each in found
        )

    def moves(self, roll: int, language: str = ENGLISH) -> tuple[Move, ...]:
        """Every trigger of one roll: legal with its offers, or why it is not."""
        return in_language(self._own.state, self._own.moves(roll, milliseconds()), language)

    async def odds(self, roll: int, aim: str = "") -> Odds:
        """What each way to decide in a roll is worth, from the seat's own entries, in a thread.

        For no `aim`, what a roll of the system is wanted for.
        Raises Refused where no narrator allows advice, or as `core.odds.answer`.
        """
        return await asyncio.to_thread(answer, advised(self._own.state, self.seat, roll), aim)

    def awaiting(self, language: str = ENGLISH) -> tuple[Awaiting, ...]:
        """What the table waits for the seat to do."""
        return self._own.awaiting(milliseconds(), language)

    @property
    def warnings(self) -> tuple[Happened, ...]:
        """What the player must see among what happened and was not taken yet by iterating."""
        return self._happened.warnings

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Happened:
        """What happened next, from the first entry that came on; each comes once.

        Of what nobody takes, the newest thousand are kept (`Happenings`).

        Ends after `Left`, or when the client is closed. Raises what ended it otherwise: Forked,
        Damaged, NotAdmitted.
        """
        while not self._happened:
            if self._ended:
                if self.fault is not None:
                    raise self.fault
                raise StopAsyncIteration
            await self._news.ticket().wait()
        return self._happened.take()


def waits(refused: Refused) -> bool:
    """Whether something was refused because a throw waits for shares."""
    broken = any(str(each).startswith("break_throw") for each in refused.allowed)
    return refused.code == "due" and broken


def asks(refused: Refused) -> bool:
    """Whether a throw was refused because shares must be asked for."""
    return refused.code == "nonce" and "ask" in refused.allowed
