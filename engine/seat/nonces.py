"""The nonces that a seat draws for throws at level `player`: one a commitment, kept until then.

One commitment gets one nonce, whatever is asked again. Another commitment for the same throw is an
epoch's, and gets one only once its player agrees.
"""

from collections.abc import Callable, Iterable

from msgspec import Struct

from ...errors import Damaged, Refused
from ...events import roll as rolled
from ...events.codec import RecordedEvent
from ...events.throw import throw_id

REMEMBERED = 1_000
"""Nonces that were used, of which is remembered what for, at most."""


class Held(Struct, frozen=True):
    """A nonce, 64 hex digits, for a throw that answers the commitment of entry `committed`."""

    roll: int
    throw: int
    committed: int
    nonce: str


class Used(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A nonce that was used: what for, as with `Held`, and no more."""

    roll: int
    throw: int
    committed: int


class Nonces:
    """The nonces of one seat at one table; `draw` gives so many random bytes."""

    def __init__(self, table: str, seat: str, draw: Callable[[int], bytes]) -> None:
        self._table = table
        self._seat = seat
        self._draw = draw
        self._held: dict[tuple[int, int, int], Held] = {}
        self._used: dict[Used, None] = {}

    @property
    def held(self) -> tuple[Held, ...]:
        """Those that were not used yet."""
        return tuple(self._held.values())

    @property
    def used(self) -> tuple[Used, ...]:
        """What the latest that were used were for, oldest first."""
        return tuple(self._used)

    def resume(self, held: Iterable[Held], used: Iterable[Used] = ()) -> None:
        """Take over what was stored."""
        self._used |= dict.fromkeys(used)
        self._held |= {(each.roll, each.throw, each.committed): each for each in held}

    def given(self, roll: int, throw: int) -> bool:
        """Whether the seat has drawn a nonce for this throw."""
        held = ((each.roll, each.throw) for each in self._held.values())
        used = ((each.roll, each.throw) for each in self._used)
        return (roll, throw) in (*held, *used)

    @property
    def rolls(self) -> set[int]:
        """The rolls for which a nonce was drawn."""
        return {at for at, _, _ in self._held} | {each.roll for each in self._used}

    def known(self, roll: int, throw: int, committed: int) -> Held | None:
        """The nonce for a throw and commitment; None where none was drawn."""
        return self._held.get((roll, throw, committed))

    def nonce(self, roll: int, throw: int, committed: int, *, accepted: int) -> str:
        """The nonce for a throw: the same again, or a new one.

        `accepted` is the entry of the last epoch that the player accepted, -1 for none. Raises
        Refused("commitment") for a second commitment that is not that epoch's or older, and for one
        of which the nonce was used.
        """
        id = throw_id(self._table, roll, throw)
        known = self.known(roll, throw, committed)
        if known is None:
            if Used(roll, throw, committed) in self._used:
                why = f"throw {id} was made with the nonce for the commitment of entry {committed}"
                raise Refused("commitment", why, allowed=["an epoch"])
            if self.given(roll, throw) and committed > accepted:
                why = f"throw {id} has a second commitment, of entry {committed}"
                raise Refused("commitment", why, allowed=["accept_epoch"])
            known = Held(roll, throw, committed, self._draw(32).hex())
            self._held[roll, throw, committed] = known
        return known.nonce

    def took_place(self, record: RecordedEvent, *, own: bool, shared: bool = False) -> bool:
        """Check an event about nonces; whether it throws for this seat, and not by this client.

        `own`: this client asked for it. `shared`: the throw was made of shares. Raises Damaged
        where it asked, with another nonce.
        """
        event = record.event
        if isinstance(event, rolled.RollVoided):
            self._over(event.roll, None)
        if not isinstance(event, (rolled.DiceRolled, rolled.DiceRerolled)):
            return False
        if (proof := event.proof) is None or proof.committed is None:
            return False
        held = self.known(event.roll, proof.throw, proof.committed)
        self._over(event.roll, proof.throw)
        if event.by != self._seat or shared:
            return False
        if own and held is not None and held.nonce != proof.nonce:
            why = f"the nonce is not the one that seat {self._seat} gave"
            found = proof.nonce or ""
            raise Damaged(f"{why}; expected: {held.nonce}; found: {found}", seq=record.seq)
        return not own

    def _over(self, roll: int, throw: int | None) -> None:
        """Drop the nonces of a throw that was made, and of those before; of all where none is."""
        for key, each in list(self._held.items()):
            if each.roll == roll and (throw is None or each.throw <= throw):
                del self._held[key]
                self._used[Used(*key)] = None
        while len(self._used) > REMEMBERED:
            del self._used[next(iter(self._used))]
