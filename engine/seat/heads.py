"""The signed heads that a seat was shown: all of one log that only ever grew, or it has forked.

A head waits until the entries that it covers are here; then its root must be theirs. What cannot be
of one log raises Forked, with the notes: where two of them prove it, anybody can check that.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import takewhile

from msgspec import Struct

from ...errors import Damaged
from ...events.checkpoint import Checkpoint, Key, read
from ...events.merkle import Frontier, Proof, consistency_proof, root_of, verify_consistency

WAITING = 256
"""Heads that wait for their entries, at most."""


class Forked(Damaged):
    """The host showed two histories of one table, or its log went back.

    `earlier` is the newest note that was held before, None where there was none; `later` the one
    that it cannot be of one log with, None where the log is shorter than what was shown. `root` is
    that of the entries shown, of the size of `later`, and `proof` proves that `earlier` begins with
    it.
    """

    def __init__(
        self,
        why: str,
        earlier: bytes | None,
        later: bytes | None,
        root: bytes = b"",
        proof: Proof | None = None,
    ) -> None:
        super().__init__(why)
        self.earlier = earlier
        self.later = later
        self.root = root
        self.proof = proof

    def proved(self, keys: Iterable[Key]) -> bool:
        """Whether the two notes, both signed by one of these keys, prove it to anybody."""
        if self.earlier is None or self.later is None:
            return False
        trusted = tuple(keys)
        with suppress(Damaged):
            earlier, later = read(self.earlier, trusted), read(self.later, trusted)
            if earlier.origin != later.origin:
                return False
            if earlier.size == later.size:
                return earlier.root != later.root
            if self.proof is not None and later.size < earlier.size:
                found = self.root
                verify_consistency(later.size, found, earlier.size, earlier.root, self.proof)
                return found != later.root
        return False


class Shown(Struct, frozen=True, forbid_unknown_fields=True):
    """What a seat was shown of a log: its first `size` entries, their root of 32 bytes.

    `note` is the newest signed head that was verified; `epochs` are those among
    them, each by its entry and leaf.
    """

    note: bytes | None
    size: int
    root: bytes
    epochs: tuple[tuple[int, bytes], ...] = ()


class Signed(Struct, frozen=True):
    """A note and what it signs."""

    head: Checkpoint
    note: bytes


class Tree:
    """The leaves of all entries that a seat was sent, and the root of any number of them."""

    def __init__(self) -> None:
        self.leaves: list[bytes] = []
        self._frontier = Frontier()

    @property
    def size(self) -> int:
        """How many leaves there are."""
        return len(self.leaves)

    def extend(self, leaves: Iterable[bytes]) -> None:
        """Add more leaves."""
        self.leaves.extend(leaves)
        self._frontier = self._frontier.extend(self.leaves[self._frontier.size :])

    def root(self, size: int) -> bytes:
        """The root of the first `size` leaves; that of all of them costs least."""
        if size == self._frontier.size:
            return self._frontier.root()
        return root_of(self.leaves[:size])


class Heads:
    """The heads of one table that were signed by one of these keys.

    `newest` is the largest that is known to be consistent with all that was held before; `checked`
    is the size of the largest whose root is that of the entries here. `gone` are the logs of before
    a restore that the player accepted, oldest first.
    """

    def __init__(self, table: str, keys: Sequence[Key], tree: Tree) -> None:
        self.newest: Signed | None = None
        self.checked = 0
        self._table = table
        self._keys = tuple(keys)
        self._tree = tree
        self._waiting: dict[int, Signed] = {}
        self._shown: tuple[int, bytes] | None = None
        self._least = self._resumed = 0
        self.gone: tuple[Shown, ...] = ()
        self._unheld: list[Shown] = []
        self._before: Shown | None = None
        self._epochs: list[tuple[int, bytes]] = []

    # --- taken over -------------------------------------------------------------------------------

    def resume(self, shown: Shown, gone: Iterable[Shown] = ()) -> None:
        """Begin again from what was stored: what was shown, and what restores cut off."""
        self.gone = tuple(gone)
        self._unheld = [*self.gone]
        if not shown.size:
            return
        if shown.note is not None:
            self.newest = self.read(shown.note)
            self._waiting[self.newest.head.size] = self.newest
        self._before = shown
        self._shown = shown.size, shown.root
        self._least = self._resumed = self._known()

    @property
    def largest(self) -> int:
        """How many entries the largest head covers that was signed, checked or not; 0 for none."""
        return max(self.newest.head.size if self.newest else 0, *self._waiting, 0)

    @property
    def confirmed(self) -> bool:
        """Whether the entries are here that were shown, and signed, before a restart."""
        return self._tree.size >= self._resumed

    @property
    def shown(self) -> Shown:
        """What was shown, before a restart or since."""
        size, root = self._shown or (self._tree.size, self._tree.root(self._tree.size))
        before = self._before.epochs if self._before else ()
        epochs = max(before, tuple(self._epochs), key=len)
        return Shown(self.newest.note if self.newest else None, size, root, epochs)

    def covering(self, size: int) -> bytes | None:
        """The smallest signed head that covers so many entries, as far as one is here."""
        known = (*self._waiting.values(), *((self.newest,) if self.newest else ()))
        fits = [each for each in known if each.head.size >= size]
        return min(fits, key=lambda each: each.head.size).note if fits else None

    def begin(self) -> None:
        """A history begins: it must have what is known of the log by now. More may come later."""
        self._least = self._known()

    def _known(self) -> int:
        """How many entries the log has, at least: that many were signed, or shown."""
        shown = self._shown[0] if self._shown else 0
        newest = self.newest.head.size if self.newest else 0
        return max(self._tree.size, shown, newest, *self._waiting)

    def take(self, note: bytes, proof: Proof | None = None) -> bool:
        """Take over a note; whether it is the newest that is known to be consistent.

        `proof` leads from the newest so far. Raises Damaged for a note that none of the keys
        signed, or of another table; Forked.
        """
        signed = self.read(note)
        head = signed.head
        for known in (self.newest, self._waiting.get(head.size)):
            if known and known.head.size == head.size and known.head.root != head.root:
                why = f"two heads of {head.size} entries have two roots"
                raise Forked(why, known.note, note)
        if head.size <= self._tree.size:
            return self._fits(signed)
        if len(self._waiting) >= WAITING and head.size not in self._waiting:
            raise Damaged(f"{WAITING} signed heads wait for entries that do not come")
        if proof is not None and self.newest is not None:
            self._grew(self.newest, signed, proof)
        self._waiting[head.size] = signed
        return self.newest is signed

    def grown(self) -> bool:
        """Hold what waited against the entries that came; whether the newest head is another."""
        self._as_shown()
        before = self.newest
        for size in sorted(size for size in self._waiting if size <= self._tree.size):
            self._fits(self._waiting.pop(size))
        return self.newest is not before

    def ends(self, size: int) -> None:
        """The history that began last ends. Raises Forked where the log had more before."""
        if size < self._least:
            notes = (self.newest, *self._waiting.values())
            beyond = [each.note for each in notes if each and each.head.size > size]
            why = f"the log went back: it has {size} entries, and {self._least} were shown"
            raise Forked(why, beyond[0] if beyond else None, None)

    def shorter(self, note: bytes) -> None:
        """Raises Forked where a note, the log's head now, is of fewer entries than were shown."""
        signed, known = self.read(note), self._known()
        self.take(note)
        if signed.head.size < known:
            why = f"the log went back: it has {signed.head.size} entries, and {known} were shown"
            raise Forked(why, self.newest.note if self.newest else None, note)

    # --- behind a restore -------------------------------------------------------------------------

    def began(self, seq: int, leaf: bytes) -> None:
        """An epoch begins with this entry."""
        self._epochs.append((seq, leaf))

    def hold(self) -> None:
        """Hold the log against those that a restore cut off: it leaves each at an epoch of its own.

        So no epoch brings back what an earlier one took away, and goes on there otherwise. Raises
        Forked.
        """
        for old in [each for each in self._unheld if each.size <= self._tree.size]:
            self._unheld.remove(old)
            if self._tree.root(old.size) != old.root and not self._leaves(old):
                why = f"the log left the {old.size} entries of before at no epoch of its own"
                raise Forked(why, old.note, self.covering(old.size))

    def _leaves(self, old: Shown) -> bool:
        """Whether this log parts from one that is gone with an epoch, as far as epochs show it."""
        pairs = zip(self._epochs, old.epochs, strict=False)
        common = len([*takewhile(lambda pair: pair[0] == pair[1], pairs)])
        own, its = self._epochs[common:], old.epochs[common:]
        return bool(own) and own[0][0] < old.size and (not its or own[0][0] <= its[0][0])

    # --- checked ----------------------------------------------------------------------------------

    def read(self, note: bytes) -> Signed:
        """What a note signs. Raises Damaged unless it is signed, and of this table."""
        head = read(note, self._keys)
        if not head.origin.endswith(f"/t/{self._table}"):
            raise Damaged(f"the head is of {head.origin}, not of table {self._table}")
        if self.newest is not None and self.newest.head.origin != head.origin:
            raise Damaged(f"the head is of {head.origin}, not of {self.newest.head.origin}")
        return Signed(head, note)

    def _fits(self, signed: Signed) -> bool:
        """Compare a head with the entries."""
        head, newest = signed.head, self.newest
        root = self._tree.root(head.size)
        if root != head.root:
            why = f"the {head.size} entries shown are not those that were signed"
            raise Forked(why, newest.note if newest else None, signed.note, root, self._led(head))
        self.checked = max(self.checked, head.size)
        if newest is None or newest.head.size < head.size:
            self.newest = signed
            return True
        return False

    def _led(self, head: Checkpoint) -> Proof | None:
        """What proves that the newest head begins with the entries shown, where it does."""
        newest = self.newest
        if newest is None or not head.size < newest.head.size <= self._tree.size:
            return None
        return consistency_proof(self._tree.leaves, head.size, newest.head.size)

    def _grew(self, known: Signed, signed: Signed, proof: Proof) -> None:
        old, new = known.head, signed.head
        if old.size > new.size:
            return
        try:
            verify_consistency(old.size, old.root, new.size, new.root, proof)
        except Damaged as error:
            raise Forked(error.why, known.note, signed.note) from error
        self.newest = signed

    def _as_shown(self) -> None:
        if self._shown is None or self._tree.size < self._shown[0]:
            return
        size, root = self._shown
        if self._tree.root(size) != root:
            newest = self.newest.note if self.newest else None
            raise Forked(f"the first {size} entries are not those that were shown", newest, None)
        self._shown = None
