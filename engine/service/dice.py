"""The dice of a table in service: of the secret that is there, of several epochs, or of none."""

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from ...errors import Refused
from ...events.base import Thrown
from ...events.roll import Proof
from ...projections.rollstate import RollState
from ..core.dice import Fair, Source, ThrowAsk


class Lost(Struct, frozen=True):
    """Fair dice whose secret is not to be found: the table can be read, but nothing thrown."""

    name: str
    table: str

    def _refuse(self) -> Refused:
        return no_secret(self.table)

    def commit(self, table: str, roll: int, throw: int) -> str | None:
        raise self._refuse()

    def open(self, table: str, roll: int, throw: int) -> str | None:
        raise self._refuse()

    def throw(self, ask: ThrowAsk) -> tuple[tuple[Thrown, ...], Proof]:
        raise self._refuse()


class AcrossEpochs(Struct, frozen=True):
    """Fair dice in a later epoch: thrown under its secret, opened under the one that fits.

    The last commitment of a roll that was settled before the epoch stays as it is; voiding the roll
    opens that one's seed. `secrets` are those of all epochs, oldest first; `rolls` are the table's
    now.
    """

    now: Source
    secrets: Sequence[bytes | None]
    rolls: Callable[[], Mapping[int, RollState]]

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

    def throw(self, ask: ThrowAsk) -> tuple[tuple[Thrown, ...], Proof]:
        return self.now.throw(ask)


def no_secret(table: str) -> Refused:
    """The refusal of whatever needs a secret that is not there."""
    why = f"the secret of table {table!r} is not beside this log"
    return Refused("unreadable", why, allowed=["reading", "the directory it was kept in"])
