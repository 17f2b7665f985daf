"""Fair dice of a table under several secrets, one an epoch, or under none that is left."""

from collections.abc import Callable, Sequence

from msgspec import Struct

from ...events.base import Thrown
from ...events.roll import Proof
from ...projections.numbered import Numbered
from ...projections.rollstate import RollState
from ..core.sources import Fair, Source, ThrowRequest
from .secrets import no_secret


class NoSecret(Struct, frozen=True):
    """Fair dice without their secret: the table can be read, but nothing can be thrown."""

    name: str
    table: str

    def commit(self, table: str, roll: int, throw: int) -> str | None:
        raise no_secret(self.table)

    def open(self, table: str, roll: int, throw: int) -> str | None:
        raise no_secret(self.table)

    def throw(self, request: ThrowRequest) -> tuple[tuple[Thrown, ...], Proof]:
        raise no_secret(self.table)


class AcrossEpochs(Struct, frozen=True):
    """Fair dice in a later epoch: thrown under its secret, opened under the one that fits.

    A roll that was settled before the epoch keeps its last commitment; to void the roll opens that
    seed. `now` throws under the latest secret, `secrets` are those of all epochs, oldest first;
    `rolls` gives the rolls that the table has now.
    """

    now: Source
    secrets: Sequence[bytes | None]
    rolls: Callable[[], Numbered[RollState]]

    @property
    def name(self) -> str:
        return self.now.name

    def commit(self, table: str, roll: int, throw: int) -> str | None:
        return self.now.commit(table, roll, throw)

    def open(self, table: str, roll: int, throw: int) -> str | None:
        waiting = self.rolls()[roll].outstanding
        for secret in self.secrets:
            dice = None if secret is None else Fair(secret)
            if dice and waiting and dice.commit(table, roll, throw) == waiting.commit:
                return dice.open(table, roll, throw)
        raise no_secret(table)

    def throw(self, request: ThrowRequest) -> tuple[tuple[Thrown, ...], Proof]:
        return self.now.throw(request)
