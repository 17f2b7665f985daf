"""Why a table may begin an epoch: something shows that its log is not the one that was signed.

An epoch draws a new secret, so what is thrown next comes out otherwise. Over a log that fits its
heads that is a throw thrown again, and is refused. What speaks for an epoch:

    the last head       in its file or signed here: of more entries, or others, than the log has
    its file            missing, damaged, or older than the last head in the log
    the secret          missing; or that of an epoch is there which the log does not have
    heads that others   kept (`seen`), signed by the table's key, in the same way; but none that an
                        earlier epoch has answered

Where no head is kept at all nothing shows anything: then its keeper is asked.
"""

import asyncio
from collections.abc import Iterator, Sequence
from functools import partial

from msgspec import Struct

from ...errors import Damaged, Refused
from ...events.checkpoint import Key, public_key, read
from ...projections.wording import counted
from .heads import read_unverified
from .keys import no_key
from .secrets import WITH_SECRET
from .tables import Loaded, Loader

ALLOWED = (
    "a signed head that the log has lost, kept by anybody (--seen NOTE)",
    "a damaged or lost head",
    "urim restore",
)
"""What lets a table begin an epoch where nothing else does."""


class Grounds(Struct, frozen=True):
    """What is known of a table that is to begin an epoch.

    `size` is how many entries its log has, `found` what speaks for an epoch, in sentences without
    their stops; empty where nothing does. `heads` says whether any signed head is kept.
    """

    table: str
    size: int
    found: tuple[str, ...]
    heads: bool

    @property
    def unknown(self) -> bool:
        """Whether nothing shows anything: no head is kept, and none was given."""
        return not self.found and not self.heads

    def check(self) -> None:
        """Raise Refused: "not-offered" where the log fits its heads, "due" where none is kept."""
        if self.unknown:
            why = f"no signed head of table {self.table!r} is kept: nothing shows that it lost "
            raise Refused("due", f"{why}anything", allowed=["its keeper's yes", *ALLOWED])
        if not self.found:
            why = f"the log of table {self.table!r} fits its signed heads: nothing shows that it "
            raise Refused("not-offered", f"{why}lost anything", allowed=ALLOWED)

    @property
    def words(self) -> str:
        """What speaks for an epoch, in sentences."""
        if self.unknown:
            return f"No signed head of table {self.table} is kept: nothing shows what was lost."
        return " ".join(f"{each[0].upper()}{each[1:]}." for each in self.found)


class Filed(Struct, frozen=True):
    """What was signed of a table, as it was before its entries are read: they only grow."""

    file: bytes | None
    unkept: bytes | None


class Evidence(Struct, frozen=True):
    """The grounds for an epoch, and the notes that were signed of what is lost."""

    grounds: Grounds
    lost: tuple[bytes, ...]


async def filed(loader: Loader, table: str) -> Filed:
    """The last signed heads of a table that are not in its log. Read them before the log."""
    unkept = loader.signer.unkept(table)
    note = await asyncio.to_thread(loader.secrets.heads.find, table)
    return Filed(note, unkept.note if unkept is not None else None)


async def evidence(
    loader: Loader, known: Loaded, filed: Filed, seen: Sequence[bytes] = ()
) -> Evidence:
    """What speaks for an epoch of a table, which was loaded as a restored one.

    Raises Damaged and Refused("unreadable") for a note in `seen` that is none of its heads.
    """
    table, last = known.signing.table, known.signing.latest
    key = await _key(loader, known)
    for note in seen:
        check_seen(note, known.signing.origin, key, loader.secrets.key.place)
    # What an epoch has answered is set aside, and is no reason for another one.
    answered = await asyncio.to_thread(loader.secrets.heads.floor, table)
    newer = (note for note in dict.fromkeys(seen) if read_unverified(note).size > answered)
    unkept = [(filed.unkept, "signed here")] if filed.unkept is not None else []
    of_file = partial(list[str], _of_file(loader, known, filed.file, key))
    found, lost = await loader.apart(of_file), list[bytes]()
    for note, where in (*unkept, *((note, "given") for note in newer)):
        why = await loader.apart(partial(_beyond, known, note, where))
        if why is not None:
            found.append(why)
            lost.append(note)
    found += await _of_secrets(loader, known)
    heads = last is not None or any((filed.file, filed.unkept, *seen))
    grounds = Grounds(table, known.aggregate.opened.size, tuple(dict.fromkeys(found)), heads)
    return Evidence(grounds, tuple(lost))


def check_seen(note: bytes, origin: str, key: Key | None, place: str) -> None:
    """Check that a note is a signed head of this origin, by its key, which is kept in `place`.

    Raises Damaged for what is none; Refused("unreadable") for another table's, or without a key.
    """
    head = read_unverified(note)
    if head.origin != origin:
        why = f"a head of {head.origin}, and not of {origin}"
        raise Refused("unreadable", why, allowed=[f"a signed head of {origin}"])
    if key is None:
        raise no_key(place)
    try:
        read(note, [key])
    except Damaged as error:
        why = f"a head of {origin} that was not signed with the key in {place}: {error.why}"
        raise Damaged(why) from error


async def _key(loader: Loader, known: Loaded) -> Key | None:
    private = await asyncio.to_thread(loader.secrets.key.find)
    return public_key(known.signing.origin, private) if private is not None else None


def _of_file(loader: Loader, known: Loaded, note: bytes | None, key: Key | None) -> Iterator[str]:
    """What the file of the last head shows."""
    place, last = loader.secrets.heads.place(known.signing.table), known.signing.latest
    if note is None:
        if last is not None:
            yield f"{place} is missing, but a head of size {last.size} was signed"
        return
    try:
        check_seen(note, known.signing.origin, key, loader.secrets.key.place)
    except (Damaged, Refused) as error:
        yield f"the head in {place} is damaged: {error.why}"
        return
    size = read_unverified(note).size
    if last is not None and size < last.size:
        yield f"{place} went back from {last.size} to {size} entries"
    why = _beyond(known, note, f"in {place}")
    if why is not None:
        yield why


def _beyond(known: Loaded, note: bytes, where: str) -> str | None:
    """How a head shows that the log is not the one that was signed; None where it does not."""
    head, size = read_unverified(note), known.aggregate.opened.size
    if head.size > size:
        lost = counted(head.size - size, "entry", "entries")
        return f"the log has {size} entries, and the head {where} {head.size}: {lost} are lost"
    if known.aggregate.root_at(head.size) != head.root:
        return f"the head {where} was signed over {head.size} other entries than the log has"
    return None


async def _of_secrets(loader: Loader, known: Loaded) -> list[str]:
    """What the secrets of the table's epochs show."""
    state = known.aggregate.opened
    if state.source not in WITH_SECRET:
        return []
    found: list[str] = []
    if known.secrets[-1] is None:
        found.append(f"the secret of table {state.id} is missing")
    later = state.epoch + 1
    if await asyncio.to_thread(loader.secrets.find_epoch, state.id, later) is not None:
        found.append(f"the secret of epoch {later} is there, and the log does not have that epoch")
    return found
