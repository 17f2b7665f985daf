"""Receipts: what the link of a roll shows to who has no seat, once a narrator allowed it.

A receipt is the roll's bundle under the root of a size at which one of its commits ended. The link
pins that root and the places of the entries that are shown: nothing else is what it shows, and
later entries of the log are not in it.
"""

from base64 import urlsafe_b64encode
from collections.abc import Iterator
from functools import partial
from hashlib import sha256

from msgspec import Struct
from msgspec.structs import replace

from ...errors import Refused
from ...events.checkpoint import Key
from ...projections.account import Account
from ...projections.settings import LINKS, value_of
from ...projections.tables import TableState
from ..bundle.about import Shown, about, chain_of, shown_to
from ..bundle.write import chosen
from ..core.aggregate import Aggregate
from .reading import read_by
from .tables import Held, Loaded, Loader

VISITOR = "/r"
"""In whose turn who has no seat reads: it is no seat's id, and not that of who audits."""

PINNED = 16
"""Bytes of a digest that a link has: 22 characters in base64url."""


class Receipt(Struct, frozen=True):
    """A roll under the root of `size` entries: its bundle's lines, and what the host says of it.

    `pin` is what its link says of it. `name` is the table's, its id where it has none. `account` is
    the host's account of the roll as it is now: None for an earlier receipt than the newest, to
    which it does not belong.
    """

    table: str
    roll: int
    size: int
    pin: str
    name: str
    bundle: bytes
    account: Account | None


def pin(log: Shown, roll: int, size: int) -> str:
    """What a link says of a receipt: a digest of its root, and of the places of its entries."""
    places = ",".join(map(str, about(replace(log, size=size), roll)))
    digest = sha256(f"urim/1 receipt\n{log.tree.root(size).hex()}\n{places}\n".encode()).digest()
    return urlsafe_b64encode(digest[:PINNED]).decode("ascii").rstrip("=")


def link_to(table: str, roll: int, pinned: str) -> str:
    """The link of a roll, from the root of its host on."""
    return f"/r/{table}/{roll}#{pinned}"


def permitted(table: TableState, log: Shown, roll: int) -> bool:
    """Whether a link may show the roll, and with it the rolls of its chain that everybody sees.

    It is hidden from nobody, a narrator allows it, and forbids none of these by itself.
    """
    known = table.rolls.get(roll)
    if known is None or known.hidden or value_of(table.settings, LINKS, roll) is not True:
        return False
    return not any(table.settings.get(f"{LINKS}/{n}") is False for n in chain_of(log, roll))


async def linked(loader: Loader, roll: int, held: Held) -> str | None:
    """See `Service.link`; the table's place must be held."""
    known = await loader.current(held)
    return await loader.apart(partial(_linked, known, roll))


def _linked(known: Loaded, roll: int) -> str | None:
    table, log = known.aggregate.opened, shown_to(known.aggregate, "")
    if not permitted(table, log, roll):
        return None
    size = next(sizes(log, table, roll, known.signing.floor), None)
    return None if size is None else link_to(table.id, roll, pin(log, roll, size))


async def receipt(loader: Loader, roll: int, pinned: str | None, held: Held) -> Receipt:
    """See `Service.receipt`; the table's place must be held.

    Raises Refused("not-seen") for a roll that no link may show, be it there or not; "not-offered"
    where it has no such receipt, or a text in it was erased since, with the newest in `allowed`;
    and else as `Service.bundle`.
    """
    known = await loader.current(held)
    aggregate, signing = known.aggregate, known.signing
    log = shown_to(aggregate, "")
    if not await loader.apart(partial(permitted, aggregate.opened, log, roll)):
        raise Refused("not-seen", f"there is no roll {roll} to be seen by a link")
    # A head of all that is here is kept first: then no smaller size will ever have another root.
    await loader.signer.shown(signing, aggregate.frontier)
    size = await loader.apart(partial(_size_of, log, known, roll, pinned))
    note = await loader.signer.of_size(signing, size, log.tree.root(size))
    key = await loader.signer.key(signing)
    work = partial(receipt_under, aggregate, log, roll, note, key, size, floor=signing.floor)
    return await loader.apart(work)


def receipt_under(
    aggregate: Aggregate, log: Shown, roll: int, note: bytes, key: Key, size: int, *, floor: int = 0
) -> Receipt:
    """The receipt under the root of `size` entries, which `note` has, signed with `key`."""
    table = aggregate.opened
    newest = next(sizes(log, table, roll, floor))
    return Receipt(
        table.id,
        roll,
        size,
        pin(log, roll, size),
        table.name or table.id,
        b"".join(chosen(log, note, [key], roll).lines()),
        read_by(aggregate, "").account(roll, "en") if size == newest else None,
    )


def _size_of(log: Shown, known: Loaded, roll: int, pinned: str | None) -> int:
    """The size that a link pins. Raises Refused("not-offered") where it has no such receipt."""
    every = [*sizes(log, known.aggregate.opened, roll, known.signing.floor)]
    newest = [pin(log, roll, every[0])] if every else []
    if pinned is None and every:
        return every[0]
    for size in every:
        if pinned == pin(log, roll, size):
            break
    else:
        raise Refused(
            "not-offered", f"roll {roll} has no receipt {pinned or 'yet'}", allowed=newest
        )
    gone = _erased_since(log, roll, size)
    if gone is not None:
        why = f"a text in it was erased by entry {gone}: its old root cannot be proved any more"
        raise Refused("not-offered", why, allowed=newest)
    return size


def sizes(log: Shown, table: TableState, roll: int, floor: int = 0) -> Iterator[int]:
    """The sizes of the roll's receipts, the newest first.

    They are the ends of the commits that its bundle holds, since everybody may see the roll. No
    size up to `floor` is signed again, after an epoch: where the roll is older, it is the end of
    the first commit beyond, if there is one yet.
    """
    known = table.rolls[roll]
    since = max(known.declared or 0, known.revealed_at or 0)
    commits = {log.entries[seq].commit for seq in about(log, roll) if seq >= since}
    ends = [_end(log, commit) for commit in sorted(commits, reverse=True)]
    later = [end for end in ends if end > floor]
    if not later and floor < log.size:
        later = [_end(log, log.entries[floor].commit)]
    yield from later


def _end(log: Shown, commit: int) -> int:
    size = commit
    while size < log.size and log.entries[size].commit == commit:
        size += 1
    return size


def _erased_since(log: Shown, roll: int, size: int) -> int | None:
    """The entry beyond that size which erased a text of the receipt, if one did."""
    held = about(replace(log, size=size), roll)
    later = (each for seq in held for each in log.index.erasures.get(seq, ()) if each >= size)
    return next(later, None)
