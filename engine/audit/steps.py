"""The sixteen steps over one log, in their order; every entry passes all of them once.

What may be believed when, and so the order (`Steps` keeps it, and nothing else does):

1. The header first: key and notes that the reader gave are of this log, else there is no audit.
   Then step 2 says by which keys the header's own checkpoint is signed. Nothing is believed of it.
2. An entry is hashed into the tree, and compared with its digest, before its event is read: what
   did not parse, or is withheld, is followed by nobody, and says so in step 1 or 5.
3. Whether the root is the signed one shows at the end. No step waits for it: what a step finds
   wrong is wrong in this file, with any signature.
4. Who asked (step 10) is judged by the keys from before the entry: only then does the book of
   seats follow it. So a further key is signed with the old one, and a head covers no entry behind.
5. What may stand behind an ask (step 6) is judged before what the entry says is read (7 to 9): a
   throw is compared with the ask that it fulfils, then the ask is gone.
6. A throw answers a commitment of an earlier commit. So its book gets the next commitment last.
7. The proof (1 to 9, 12, 13, 15) goes entry by entry and needs no rules; the faces of dice are all
   that it takes from a game. The rerun (10, 11, 14) goes commit by commit, and a commit is whole
   when the next one begins: its form is checked before its command is decided again.
8. A command is decided on the table before its commit. The table then follows the entries as they
   are, wrong ones too, as far as a table can: a later entry is judged by what the log says.
9. A verdict of the rerun that rests on what this file does not disclose waits for the end: by then
   the roll is revealed, or the verdict is that it was not checked.
10. At the end: the root, sizes, withheld payloads; then asks left open, values used twice; then
    what waited; then what people did, which is never wrong.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from msgspec import Struct

from ...events.checkpoint import Key
from ...projections.tables import Rulesets
from ..bundle.read import BundleLine, Header
from .cache import PrivateFile
from .fairness import Fairness
from .proof.people import People
from .proof.signatures import Signatures
from .proof.throw_ledger import ThrowLedger
from .proof.throws import Throws
from .proof.tree import Tree, heads_of
from .report import Findings, Marks
from .rerun.commits import Commits
from .rerun.rules import Rules
from .story import Story

WHERE: Mapping[int, Sequence[str]] = MappingProxyType(
    {
        1: ("proof.tree", "proof.signatures", "rerun.commits"),
        2: ("proof.tree",),
        3: ("proof.tree",),
        4: ("proof.tree", "story"),
        5: ("proof.tree",),
        6: ("proof.throws", "proof.shares"),
        7: ("proof.throws",),
        8: ("proof.shares", "proof.chains", "proof.levels", "proof.dice"),
        9: ("proof.throws", "proof.dice"),
        10: ("proof.signatures", "proof.shares", "rerun.commits", "rerun.deferred", "story"),
        11: ("rerun.deferred",),
        12: ("proof.throws", "proof.levels"),
        13: ("proof.throws", "story"),
        14: ("rerun.rulings",),
        15: ("proof.throws", "story"),
        16: ("fairness",),
    }
)
"""Where each step's checks are: the modules that name it."""


class Given(Struct, frozen=True):
    """What a reader gave beside the file; `now` is the reader's clock, in ms since 1970."""

    key: Key | None
    seen: Mapping[str, bytes]
    seats: Mapping[str, bytes]
    now: int


class Steps:
    """All checks of a log; `findings` is what they found so far.

    Raises Refused("malformed") for a key or a checkpoint that was given and is not of this log.
    """

    def __init__(self, header: Header, given: Given, file: PrivateFile, rulesets: Rulesets) -> None:
        self.findings = findings = Findings()
        marks = Marks()
        heads = heads_of(header, given.key, given.seen, findings)
        self.people = People()
        self._tree = Tree(findings, header, heads, marks)
        self.signatures = Signatures(findings, header, self.people, file, given.seats)
        ledger = ThrowLedger(file)
        self.throws = Throws(findings, header, marks, ledger, self.people, file, rulesets)
        self._commits = Commits(findings, file)
        self._rules = Rules(findings, rulesets, file)
        self._fairness = Fairness(findings, rulesets)
        self._story = Story(findings, self.people, file, header.scope, given.now)

    def take(self, line: BundleLine) -> None:
        """One more entry of the file."""
        opened = self._tree.open(line)
        self.signatures.take(opened)
        self.throws.take(opened)
        for commit in self._commits.take(opened):
            self._rules.take(commit)
        self._fairness.take(opened.record)
        self._story.take(opened)

    def end(self, proof: Sequence[bytes] = ()) -> None:
        """The file is at its end, which has the multiproof of a file of one roll."""
        for commit in self._commits.end():
            self._rules.take(commit)
        self._tree.end(proof)
        self.signatures.end()
        self.throws.end()
        self._fairness.end()
        self._rules.end()
        self._story.end()
