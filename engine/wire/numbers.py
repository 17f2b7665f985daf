"""The numbers that a server and its clients agree on: bounds, times, reasons to close a socket."""

from collections.abc import Mapping
from types import MappingProxyType

from ..service import feed

FRAME = 64 * 1024
"""Bytes of a frame or of a body that a client sends, at most."""

HEADING = 32 * 1024
"""Bytes of a request's first line and headers, at most."""

PATIENCE = 20.0
"""Seconds until a request has come whole, and until a client reads on."""

CONNECTIONS, ADDRESS_CONNECTIONS = 2000, 200
"""Connections at once, and those of one address."""

DEEP = 64
"""How deep what a client sends may be nested."""

SILENCE = 5.0
"""Seconds that a socket may be open before its first frame came."""

PING = 20.0
"""Seconds between two pings; a client that does not answer within as many is gone."""

QUEUED = feed.QUEUED
"""Commits that wait for one socket, at most; 1 MiB of them (`service.feed.WAITING`)."""

RATE, BURST = 10.0, 30
"""Commands a second of one seat, and how many at once."""

CALL_PATIENCE = 10.0
"""Seconds that a host which is called has to answer."""

CALL_RATE, CALL_BURST = 0.1, 3
"""Test calls a second of one seat, and how many at once."""

SEAT_SOCKETS, TABLE_SOCKETS = 16, 100
"""Sockets of one seat, and of one table."""

GUESS_RATE, GUESS_BURST = 1.0, 30
"""Wrong tokens, links and invitations a second of one address, and how many at once."""

ADDRESSES = 10_000
"""Addresses of which it is remembered how often they were wrong, at most: the latest."""

REFUSED, SILENT, FORKED, LEFT, SLOW, MANY = 4401, 4408, 4409, 4410, 4413, 4429
NO_TEXT, TOO_BIG, BROKEN, RESTART, AGAIN = 1007, 1009, 1011, 1012, 1013

CLOSES: Mapping[int, str] = MappingProxyType(
    {
        REFUSED: "no token that is good here",
        SILENT: "nothing came after opening",
        FORKED: "`after` is beyond the log; the last frame has its signed head",
        LEFT: "the seat left the table",
        SLOW: "too much waits for this socket: open another one, and go on after the last commit",
        MANY: "too many sockets of the seat or the table, or wrong tokens of the address: later",
        NO_TEXT: "a text is not UTF-8",
        TOO_BIG: "a frame is too long",
        BROKEN: "the table cannot be served; its host knows why",
        RESTART: "the server stops: try again soon",
        AGAIN: "the log cannot be read now: try again soon",
    }
)
"""Why a socket was closed, by its code."""
