"""The nonces that a seat draws: one for each throw and commitment, kept until the throw is made.

One commitment gets one nonce, whatever is asked again. Another commitment for the same throw is an
epoch's, and gets one only once its player agrees; another binding under one commitment never does.
"""

from collections.abc import Callable, Iterable
from typing import Literal, TypeAlias

from msgspec import Struct

from ...errors import Damaged, Refused
from ...events import roll as rolled
from ...events.codec import RecordedEvent
from ...events.throw import nonce_commitment, throw_id

Kind: TypeAlias = Literal["throw", "witness"]
"""What a nonce is for: a throw of the seat's own, or somebody else's."""


REMEMBERED = 1_000
"""Nonces that were used, of which is remembered what for, at most."""


class Held(Struct, frozen=True):
    """A nonce, 64 hex digits, for a throw that answers the commitment of entry `committed`.

    `bound` is the roller's own nonce commitment, where the nonce is a witness's; "" else.
    """

    kind: Kind
    roll: int
    throw: int
    committed: int
    nonce: str
    bound: str = ""


class Used(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A nonce that was used: what for, as with `Held`, and no more."""

    kind: Kind
    roll: int
    throw: int
    committed: int


class Nonces:
    """The nonces of one seat at one table; `draw` gives so many random bytes."""

    def __init__(self, table: str, seat: str, draw: Callable[[int], bytes]) -> None:
        self._table = table
        self._seat = seat
        self._draw = draw
        self._held: dict[tuple[Kind, int, int, int], Held] = {}
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
        self._held |= {(each.kind, each.roll, each.throw, each.committed): each for each in held}

    def given(self, roll: int, throw: int) -> bool:
        """Whether the seat has drawn a nonce for this throw."""
        held = ((each.roll, each.throw) for each in self._held.values())
        used = ((each.roll, each.throw) for each in self._used)
        return (roll, throw) in (*held, *used)

    def known(self, kind: Kind, roll: int, throw: int, committed: int) -> Held | None:
        """The nonce of that kind for a throw and commitment; None where none was drawn."""
        return self._held.get((kind, roll, throw, committed))

    def nonce(
        self, kind: Kind, roll: int, throw: int, committed: int, *, accepted: int, bound: str = ""
    ) -> str:
        """The nonce for a throw: the same again, or a new one.

        `accepted` is the entry of the last epoch that the player accepted, -1 for none. Raises
        Refused: "commitment" for a second commitment that is not that epoch's or older, and for one
        of which the nonce was used; "nonce" for another binding under one commitment.
        """
        id = throw_id(self._table, roll, throw)
        known = self.known(kind, roll, throw, committed)
        if known is None:
            if Used(kind, roll, throw, committed) in self._used:
                why = f"throw {id} was made with the nonce for the commitment of entry {committed}"
                raise Refused("commitment", why, allowed=["an epoch"])
            if self.given(roll, throw) and committed > accepted:
                why = f"throw {id} has a second commitment, of entry {committed}"
                raise Refused("commitment", why, allowed=["accept_epoch"])
            known = Held(kind, roll, throw, committed, self._draw(32).hex(), bound)
            self._held[kind, roll, throw, committed] = known
        elif known.bound != bound:
            why = f"throw {id} asks a second time, for another nonce than the one it was given"
            raise Refused("nonce", why)
        return known.nonce

    def took_place(self, record: RecordedEvent, *, own: bool) -> bool:
        """Check an event about nonces; whether it is of this seat, and not of this client's doing.

        `own`: this client asked for it. Raises Damaged where it did, with another nonce.
        """
        event = record.event
        held: Held | None = None
        found = ""
        if isinstance(event, (rolled.DiceRolled, rolled.DiceRerolled)):
            if (proof := event.proof) is None or proof.committed is None:
                return False
            held = self.known("throw", event.roll, proof.throw, proof.committed)
            found = proof.nonce or ""
            self._over(event.roll, proof.throw)
        elif isinstance(event, rolled.NonceCommitted):
            held = self.known("throw", event.roll, event.throw, event.committed)
            if held is not None:
                id = throw_id(self._table, event.roll, event.throw)
                expected = nonce_commitment(id, held.nonce).hex()
                found = held.nonce if event.nonce_commit == expected else event.nonce_commit
        elif isinstance(event, rolled.WitnessGiven):
            held = self._witness(event.roll, event.throw, event.nonce)
            found = event.nonce
        else:
            if isinstance(event, rolled.RollVoided):
                self._over(event.roll, None)
            return False
        if event.by != self._seat:
            return False
        if own and held is not None and held.nonce != found:
            why = f"the nonce is not the one that seat {self._seat} gave"
            raise Damaged(f"{why}; expected: {held.nonce}; found: {found}", seq=record.seq)
        return not own

    def _witness(self, roll: int, throw: int, nonce: str) -> Held | None:
        """The witness's nonce for a throw; of several, under several epochs, the one that fits."""
        wanted = ("witness", roll, throw)
        known = [each for each in self.held if (each.kind, each.roll, each.throw) == wanted]
        return next((each for each in known if each.nonce == nonce), known[-1] if known else None)

    def _over(self, roll: int, throw: int | None) -> None:
        """Drop the nonces of a throw that was made, and of those before; of all where none is."""
        for key, each in list(self._held.items()):
            if each.roll == roll and (throw is None or each.throw <= throw):
                del self._held[key]
                self._used[Used(*key)] = None
        while len(self._used) > REMEMBERED:
            del self._used[next(iter(self._used))]
