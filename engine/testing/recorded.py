"""Recorded evenings: whole logs in files, decided again by the rules as they are today.

    test_old_evenings = urim_recorded("evenings/*.urim.jsonl", RULESET)

Each file is a test: every command in it must lead to the events that the log has, to the byte. So
a change of rules shows what it does to what was played. `pytest --urim-record DIR` keeps the
evenings that tests play.
"""

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from ...errors import Damaged, Refused
from ...events.checkpoint import Checkpoint, public_key, sign
from ...projections.tables import Rulesets
from ...rules import ruleset_named
from ...rules.ruleset import Ruleset
from ..audit.again import again, told
from ..bundle.read import entries_of_bundle
from ..bundle.write import write_bundle
from ..core.aggregate import Aggregate

PRIVATE = sha256(b"urim: an evening that a test played").digest()
"""The key that signs such evenings: anybody knows it, so it proves nothing."""


def urim_recorded(pattern: str, *rulesets: Ruleset) -> Callable[[Path], None]:
    """A test of each file that fits the pattern, from the test's own folder on.

    `rulesets` are systems that are not installed. No file that fits is a failure.
    """

    def test(urim_evening: Path) -> None:
        __tracebackhide__ = True
        comes_out_the_same(urim_evening, *rulesets)

    test.urim_recorded = pattern  # type: ignore[attr-defined]  # the plugin finds the files by it
    return test


def comes_out_the_same(file: Path, *rulesets: Ruleset) -> None:
    """Decide every command of a recorded evening again.

    Raises AssertionError with each roll that comes out otherwise: its first entry, the fields, and
    the heading of the rule; with what could not be decided; and for what is no bundle of a table.
    """
    __tracebackhide__ = True
    try:
        found = again(entries_of_bundle(file), finder(rulesets))
    except (Damaged, Refused) as error:
        raise AssertionError(f"{file.name}: {error}") from None
    wrong = [told(each) for each in found.otherwise]
    wrong += [f"not decided from entry {seq} on: {why}" for seq, why in found.unchecked]
    if wrong:
        raise AssertionError("\n".join(f"{file.name}: {line}" for line in wrong))


def finder(rulesets: tuple[Ruleset, ...]) -> Rulesets:
    """Finds one of these systems by its name, else one that is installed."""
    own = {each.name: each for each in rulesets}
    return lambda name: own[name] if name in own else ruleset_named(name)


def bundle(aggregate: Aggregate) -> bytes:
    """A table's whole log, hidden rolls too, signed with the key that anybody knows."""
    origin = f"urim.local/t/{aggregate.opened.id}"
    head = Checkpoint(origin, len(aggregate.entries), aggregate.frontier.root())
    keys = [public_key(origin, PRIVATE)]
    return b"".join(write_bundle(aggregate.entries, sign(head, PRIVATE), keys))


def keep(aggregate: Aggregate, file: Path) -> bool:
    """Write a table into a file, if every command of it comes out the same now.

    A fact that was written without asking the rules is no command: such a table is not kept.
    """
    rulesets = aggregate.environment.rulesets
    if aggregate.state is None or again(aggregate.entries, rulesets).otherwise:
        return False
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(bundle(aggregate))
    return True
