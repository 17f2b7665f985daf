"""Receipts: what the link of a roll shows to who has no seat, once a narrator allowed it.

A receipt is the roll's bundle under the root of a size at which one of its commits ended. The link
pins that root by its first 16 bytes: later entries of the log are not in what it shows.
"""

from base64 import urlsafe_b64encode
from collections.abc import Iterator
from functools import partial

from msgspec import Struct

from ...errors import Refused
from ...events.checkpoint import Key
from ...projections.account import Account
from ...projections.settings import LINKS, value_of
from ...projections.tables import TableState
from ..bundle.about import Shown, about, shown_to
from ..bundle.write import chosen
from ..core.aggregate import Aggregate
from .reading import read_by
from .tables import Held, Loader

PINNED = 16
"""Bytes of a root that a link pins: 22 characters in base64url."""


class Receipt(Struct, frozen=True):
    """A roll under the root of `size` entries: its bundle's lines, and what the host says of it.

    `pin` is that root's, `newest` the one of the newest receipt. `name` is the table's, its id
    where it has none. `account` is the host's account of the roll as it is now: None for an earlier
    receipt than the newest, to which it does not belong.
    """

    table: str
    roll: int
    size: int
    pin: str
    newest: str
    name: str
    bundle: bytes
    account: Account | None


def pin(root: bytes) -> str:
    """What a link says of a root."""
    return urlsafe_b64encode(root[:PINNED]).decode("ascii").rstrip("=")


def link_to(table: str, roll: int, pinned: str) -> str:
    """The link of a roll, from the root of its host on."""
    return f"/r/{table}/{roll}#{pinned}"


def permitted(table: TableState, roll: int) -> bool:
    """Whether a link may show the roll: it is hidden from nobody, and a narrator allows it."""
    known = table.rolls.get(roll)
    return known is not None and not known.hidden and value_of(table.settings, LINKS, roll) is True


async def linked(loader: Loader, roll: int, held: Held) -> str | None:
    """See `Service.link`; the table's place must be held."""
    aggregate = (await loader.current(held)).aggregate
    if not permitted(aggregate.opened, roll):
        return None
    return link_to(
        aggregate.opened.id, roll, pin(_newest(shown_to(aggregate, ""), aggregate, roll))
    )


async def receipt(loader: Loader, roll: int, pinned: str | None, held: Held) -> Receipt:
    """See `Service.receipt`; the table's place must be held.

    Raises Refused("not-seen") for a roll that no link may show, be it there or not; "not-offered"
    where the roll never had that root, or a text in it was erased since, with the newest one in
    `allowed`; "out-of-range" where it is older than an epoch, and else as `Service.bundle`.
    """
    known = await loader.current(held)
    aggregate, signing = known.aggregate, known.signing
    if not permitted(aggregate.opened, roll):
        raise Refused("not-seen", f"there is no roll {roll} to be seen by a link")
    # A head of all that is here is kept first: then no smaller size will ever have another root.
    await loader.signer.shown(signing, aggregate.frontier)
    log = shown_to(aggregate, "")
    size = await loader.apart(partial(_size_of, log, aggregate, roll, pinned))
    note = await loader.signer.of_size(signing, size, log.tree.root(size))
    key = await loader.signer.key(signing)
    return await loader.apart(partial(receipt_under, aggregate, log, roll, note, key, size))


def receipt_under(
    aggregate: Aggregate, log: Shown, roll: int, note: bytes, key: Key, size: int
) -> Receipt:
    """The receipt under the root of `size` entries, which `note` has, signed with `key`."""
    table, newest = aggregate.opened, _newest(log, aggregate, roll)
    root = log.tree.root(size)
    return Receipt(
        table.id,
        roll,
        size,
        pin(root),
        pin(newest),
        table.name or table.id,
        b"".join(chosen(log, note, [key], roll).lines()),
        read_by(aggregate, "").account(roll, "en") if root == newest else None,
    )


def _size_of(log: Shown, aggregate: Aggregate, roll: int, pinned: str | None) -> int:
    """The size that a link pins. Raises Refused("not-offered") where it has no such receipt."""
    for size in sizes(log, aggregate.opened, roll):
        if pinned in (None, pin(log.tree.root(size))):
            break
    else:
        newest = pin(_newest(log, aggregate, roll))
        why = f"roll {roll} of this log never had the root {pinned}"
        raise Refused("not-offered", why, allowed=[newest])
    gone = _erased_since(log, roll, size)
    if gone is not None:
        why = f"a text in it was erased by entry {gone}: its old root cannot be proved any more"
        raise Refused("not-offered", why, allowed=[pin(_newest(log, aggregate, roll))])
    return size


def _newest(log: Shown, aggregate: Aggregate, roll: int) -> bytes:
    return log.tree.root(next(sizes(log, aggregate.opened, roll)))


def sizes(log: Shown, table: TableState, roll: int) -> Iterator[int]:
    """The sizes of the roll's receipts, the newest first.

    They are the ends of the commits that its bundle holds, since everybody may see the roll.
    """
    known = table.rolls[roll]
    since = max(known.declared or 0, known.revealed_at or 0)
    commits = {log.entries[seq].commit for seq in about(log, roll) if seq >= since}
    for commit in sorted(commits, reverse=True):
        size = commit
        while size < log.size and log.entries[size].commit == commit:
            size += 1
        yield size


def _erased_since(log: Shown, roll: int, size: int) -> int | None:
    """The entry beyond that size which erased a text of the receipt, if one did."""
    held = (seq for seq in about(log, roll) if seq < size)
    later = (each for seq in held for each in log.index.erasures.get(seq, ()) if each >= size)
    return next(later, None)
