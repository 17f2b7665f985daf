r"""Shares: the links of a seat's chain, one for each throw at level `table` that asks the seat.

    x_n     32 random bytes of the seat's client, for one table                        n = LENGTH
    x_i     SHA-256("urim/1 share\n" TABLE "\n" SEAT "\n" hex(x_(i+1)) "\n")           i = n-1 ... 0
    anchor  x_0, which the seat publishes

The i-th ask since the anchor opens x_i. Who knows an earlier link checks a later one by hashing it
back; nobody can go the other way. Links are 64 hex digits wherever they are written.
"""

from collections.abc import Iterator
from hashlib import sha256
from itertools import islice

from ..errors import Refused
from .throw import checked, checked_seat, checked_table

LENGTH = 1_000
"""The asks that one chain answers."""


def link(table: str, seat: str, last: str, i: int) -> str:
    """x_i of the chain that ends with `last`, which is x_1000. Raises Refused as `reaches`."""
    return _hashed(table, seat, last, LENGTH - _counted(i))


def reaches(table: str, seat: str, link: str, i: int, known: str, at: int) -> bool:
    """Whether `link` is x_i of the chain whose x_`at` is `known`.

    Raises Refused("malformed") for values not of their form, "out-of-range" for i beyond 0 to 1,000
    or not above `at`.
    """
    if _counted(i) <= _counted(at):
        raise Refused("out-of-range", f"link {i} is spent", allowed=[f"{at + 1} to {LENGTH}"])
    return _hashed(table, seat, link, i - at) == checked("nonce", known)


def _hashed(table: str, seat: str, link: str, times: int) -> str:
    """The link so many before this one."""
    found = checked("nonce", link)
    links = back(table, seat, link)
    for _ in range(times):
        found = next(links)
    return found


def back(table: str, seat: str, link: str) -> Iterator[str]:
    """Every link before this one, the nearest first, without end.

    Raises Refused("malformed") for a table, a seat or a link not of its form.
    """
    start = f"urim/1 share\n{checked_table(table)}\n{checked_seat(seat)}\n".encode("ascii")
    found = checked("nonce", link)
    while True:
        found = sha256(b"%b%b\n" % (start, found.encode("ascii"))).hexdigest()
        yield found


def links(table: str, seat: str, link: str, at: int) -> Iterator[str]:
    """A chain as far as its x_`at`, which is `link`, shows it: back to the anchor, that one last.

    Raises Refused("malformed") for values not of their form.
    """
    yield checked("nonce", link)
    yield from islice(back(table, seat, link), at)


def _counted(i: int) -> int:
    if not 0 <= i <= LENGTH:
        raise Refused("out-of-range", f"link {i} of a chain", allowed=[f"0 to {LENGTH}"])
    return i
