"""Steps 7 and 9 of an audit: every seed is the one committed to, and every face follows from it."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import TypeAlias

from msgspec import convert

from ....errors import Refused
from ....events.base import Face, Thrown
from ....events.table import COUNTED, ReadingSet, TableOpened
from ....events.throw import commitment, faces_of, keyed, seed_from, throw_id
from ....events.throw import transcript as rebuilt
from ....projections.isolates import isolated
from ....projections.tables import Rulesets
from ....rules.ruleset import Ruleset
from ..report import Findings
from .throw_ledger import Book, Ledger, Waiting

TRANSCRIPTS, DICE = 8, 9

SHOWN_DICE, SHOWN_KINDS = 8, 8
"""Dice and kinds shown of a throw that was never made, where nothing says which dice it had."""

FaceTables: TypeAlias = Mapping[str, tuple[Face, ...]]

USUAL: FaceTables = {f"d{sides}": tuple(range(1, sides + 1)) for sides in (6, 8, 10, 12, 20)}
"""Kinds that are shown of a throw that was never made, where the log lists none."""


def known_here(rulesets: Rulesets, event: TableOpened) -> Ruleset:
    """The rules that a table's first entry names. Raises Refused("unknown") for another version."""
    found = rulesets(event.ruleset)
    if found.version != event.version:
        why = f"version {event.version} of {event.ruleset} is not known here"
        raise Refused("unknown", why, allowed=[f"version {found.version}"])
    return found


class Dice:
    """Seeds compared with their commitments, and dice drawn by a table's face tables.

    Those of a log of version 0.2 are its system's; a later one lists them in its opening.
    """

    def __init__(self, findings: Findings, ledger: Ledger, rulesets: Rulesets, table: str) -> None:
        self._findings = findings
        self._table = table
        self._ledger = ledger
        self._rulesets = rulesets
        self._faces: list[FaceTables] = []
        self._numbered = False
        self._why = "the table's first entry is not in the file"
        self._reported = False

    def opened(self, event: TableOpened) -> None:
        """The table's first entry names it, and the rules that have its face tables."""
        self._table = event.table
        self._numbered = event.core >= COUNTED
        if self._numbered:
            self._faces = [event.faces]
            return
        try:
            ruleset = known_here(self._rulesets, event)
            self._faces = [ruleset.faces(convert(event.options, ruleset.Options))]
        except (Refused, ValueError, TypeError, LookupError) as error:
            self._why = f"the faces are not known here: {error}"

    @property
    def readings(self) -> int:
        """How many readings were set so far; each may have changed faces."""
        return max(0, len(self._faces) - 1)

    def reads(self, event: ReadingSet) -> None:
        """A reading is set: its faces hold in rolls that are declared later."""
        if self._faces:
            self._faces.append({**self._faces[-1], **event.faces})

    def id(self, step: int, seq: int, roll: int, throw: int) -> str | None:
        """A throw's id; None, and the step fails, where none can be."""
        try:
            return throw_id(self._table, roll, throw)
        except Refused as error:
            self._findings.fail(step, error.why, seq)
            return None

    def seed(
        self, step: int, seq: int, id: str, waiting: Waiting | None, opened: str | None
    ) -> bytes | None:
        """The seed that an entry opens, compared with its commitment; None where it is no seed."""
        try:
            seed = seed_from(str(opened))
        except Refused as error:
            self._findings.fail(step, f"throw {id} opens no seed: {error.why}", seq)
            return None
        self._ledger.used("seed", str(opened), seq)
        if waiting is None:
            why = f"there is no commitment to compare the seed of throw {id} with"
            self._findings.sealed(step, why, seq)
            return seed
        self._findings.checked(step)
        found = commitment(id, seed).hex()
        if found != waiting.commit:
            why = f"the seed of throw {id} is not the one committed to in entry {waiting.seq}"
            self._findings.fail(step, why, seq, waiting.commit, found)
        return seed

    def transcript(
        self,
        seq: int,
        book: Book,
        id: str,
        roller: str,
        nonce: str | None,
        shares: Mapping[str, str],
    ) -> bytes | None:
        """T of the throw that waits, with the shares of other seats for it; None for none."""
        waiting = book.waiting
        if waiting is None:
            return None
        try:
            return rebuilt(id, waiting.seq, waiting.leaf, roller, nonce, shares.items())
        except Refused as error:
            self._findings.fail(TRANSCRIPTS, f"throw {id}: {error.why}", seq)
            return None

    def check(
        self, seq: int, dice: Iterable[Thrown], seed: bytes, transcript: bytes, readings: int = 0
    ) -> None:
        """Draw every die of a throw again and compare it with its listed face.

        `readings` were set before its roll was declared.
        """
        if not self._faces:
            if not self._reported:
                self._findings.unchecked(DICE, self._why)
                self._reported = True
            return
        draw, listed = keyed(seed, transcript), self._faces[readings]
        for j, item in enumerate(dice):
            self._findings.checked(DICE)
            table = self._of(item.kind, listed)
            if not table:
                why = f"die {j} ({item.die}) is of a kind that the rules do not know"
                self._findings.fail(DICE, why, seq, _named(listed), item.kind)
                continue
            expected = table[draw(j, len(table))[0]]
            if item.face != expected:
                why = f"die {j} ({item.die}, {item.kind}) did not fall on this face"
                self._findings.fail(DICE, why, seq, str(expected), str(item.face))

    def _of(self, kind: str, listed: FaceTables) -> Sequence[Face]:
        """The faces of a kind of die; none of an unknown one."""
        return faces_of(kind, listed) if self._numbered else listed.get(kind, ())

    def forgone(
        self, kinds: Iterable[str], seed: bytes, transcript: bytes, readings: int = 0
    ) -> str:
        """The faces that a throw would have had, die by die, for each kind that the dice may have.

        `kinds` are those of the dice thrown last. Which dice it would have had, no log shows.
        """
        if not self._faces:
            return "dice that are not known here"
        last, listed = tuple(kinds), self._faces[readings]
        faces = {kind: self._of(kind, listed) for kind in dict.fromkeys(last)}
        named = {kind: table for kind, table in faces.items() if table}
        draw = keyed(seed, transcript)
        count = min(len(last), SHOWN_DICE) or SHOWN_DICE
        shown: list[str] = []
        every = ((kind, table) for kind, table in (listed or USUAL).items() if table)
        for kind, table in named.items() or islice(every, SHOWN_KINDS):
            thrown = (isolated(table[draw(j, len(table))[0]]) for j in range(count))
            shown.append(f"{kind}: {' '.join(thrown)}")
        return "; ".join(shown)


def _named(faces: FaceTables) -> str:
    """The kinds of dice that a system has; the first of them, where they are many."""
    more = ", …" if len(faces) > SHOWN_KINDS * 2 else ""
    return ", ".join(islice(faces, SHOWN_KINDS * 2)) + more
