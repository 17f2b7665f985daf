"""How often one address may be wrong: what it sends to come in, and its tokens that are not good.

Nobody guesses 256 bits. What this bounds is the work that wrong guesses make, and how long a list
of them gets: one bucket an address, and no more than ADDRESSES of them.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary

from ...access.secret import hashed
from ...wire.numbers import ADDRESSES, GUESS_BURST, GUESS_RATE
from .denied import Denied


class Guesses:
    """A bucket of guesses for every address, and the tokens that were good lately.

    Such a token is looked up however many wrong ones come from its address: others behind the same
    one throw nobody out. `clock` is in seconds and does not go back.
    """

    def __init__(
        self,
        *,
        rate: float = GUESS_RATE,
        burst: int = GUESS_BURST,
        addresses: int = ADDRESSES,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._rate = rate
        self._burst = burst
        self._most = addresses
        self._clock = clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._good: OrderedDict[bytes, None] = OrderedDict()
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def __len__(self) -> int:
        """How many addresses and tokens are remembered."""
        return len(self._left) + len(self._good)

    def check(self, address: str) -> None:
        """Raises Denied("too-fast") where the address has no guess left, with when it has one."""
        left = self._now_left(address)
        if left < 1:
            raise Denied("too-fast", retry_after=max((1 - left) / self._rate, 0.001))

    def wrong(self, address: str) -> None:
        """Count a guess of the address. Raises Denied("too-fast") where it had none left."""
        self.check(address)
        self._left[address] = (self._now_left(address) - 1, self._clock())
        self._left.move_to_end(address)
        if len(self._left) > self._most:
            self._left.popitem(last=False)

    @asynccontextmanager
    async def turn(self, address: str | None, token: str) -> AsyncGenerator[None]:
        """Wait until no other token of the address is looked up that may be a wrong one.

        So as many as are sent at once are counted as if they came one after the other.
        """
        if address is None or self.knows(token):
            yield
            return
        lock = self._turns.setdefault(address, asyncio.Lock())
        async with lock:
            yield

    def right(self, address: str) -> None:
        """Give the address back the guess that was counted: it was none."""
        left = self._now_left(address) + 1
        if left >= self._burst:
            self._left.pop(address, None)
        else:
            self._left[address] = (left, self._clock())

    def knows(self, token: str) -> bool:
        """Whether the token was good lately."""
        return hashed(token) in self._good

    def good(self, token: str) -> None:
        """Remember that a token is good; of many, the latest."""
        hash = hashed(token)
        self._good[hash] = None
        self._good.move_to_end(hash)
        if len(self._good) > self._most:
            self._good.popitem(last=False)

    def bad(self, token: str) -> None:
        """Forget a token that is good no more."""
        self._good.pop(hashed(token), None)

    def _now_left(self, address: str) -> float:
        left, since = self._left.get(address, (self._burst, 0.0))
        return min(self._burst, left + (self._clock() - since) * self._rate)
