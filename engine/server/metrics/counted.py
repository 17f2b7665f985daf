"""A service whose commands are counted, by what they do and how they ended."""

from typing import get_args

import msgspec
from msgspec import Struct

from ....errors import Refused, Unavailable
from ....events.entry import Entry
from ...core.commands import AnyCommand, Asking, OpenTable, apart
from ...core.signed import Signed
from ...service import Service
from .figures import OTHER, Metrics, among

DEEDS = frozenset(str(kind.__struct_config__.tag) for kind in get_args(AnyCommand))
"""What a command may do: `declare/1`."""


class _Request(Struct):
    body: str


class _Body(Struct):
    do: str


_request = msgspec.json.Decoder(_Request)
_body = msgspec.json.Decoder(_Body)


class CountedService(Service):
    """A service that counts in `metrics`, once that is set."""

    metrics: Metrics

    async def open_table(
        self, seat: str, command: OpenTable, request: str | None = None
    ) -> tuple[Entry, ...]:
        """See `Service.open_table`."""
        with _Counting(self.metrics, _tag(command)):
            return await super().open_table(seat, command, request)

    async def submit(
        self,
        table: str,
        seat: str,
        command: Asking,
        request: str | None = None,
        signed: Signed | None = None,
    ) -> tuple[Entry, ...]:
        """See `Service.submit`."""
        with _Counting(self.metrics, _tag(apart(command)[0])):
            return await super().submit(table, seat, command, request, signed)

    async def submit_request(self, table: str, seat: str, data: bytes) -> tuple[Entry, ...]:
        """See `Service.submit_request`."""
        with _Counting(self.metrics, deed_of(data)):
            return await super().submit_request(table, seat, data)


class _Counting:
    """Counts how its block ends."""

    def __init__(self, metrics: Metrics, do: str) -> None:
        self.metrics = metrics
        self.do = do

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        self.metrics.commands.labels(self.do, _result(error)).inc()


def _result(error: BaseException | None) -> str:
    match error:
        case None:
            return "done"
        case Refused():
            return error.code
        case Unavailable():
            return "unavailable"
        case Exception():
            return "broken"
        case _:
            return "cancelled"


def _tag(command: AnyCommand) -> str:
    return str(command.__struct_config__.tag)


def deed_of(data: bytes) -> str:
    """What a request wants done, as a label; of what is no such thing, "other"."""
    try:
        return among(DEEDS, _body.decode(_request.decode(data).body).do)
    except (ValueError, RecursionError):  # msgspec's errors are ValueErrors
        return OTHER
