"""More that can be wrong: rules that only a log of its own breaks, each reported in its words."""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from tests.verifier.broken import Broken, twisted
from tests.verifier.log import (
    KIND,
    TABLE,
    Ground,
    Log,
    bundled,
    good,
    roll_of,
    secret,
    signed,
)
from urim.events import roll as rolled
from urim.events import ruling
from urim.events import throw as urim1
from urim.events.base import Thrown
from urim.events.entry import withhold
from urim.events.table import EntryErased, EpochBegun, Recommitted, SeatNamed


def begun(source: str = "fair") -> Log:
    """A table just opened."""
    log = Log({})
    log.open(source)
    return log


def broken(step: int, says: str, log: Log, verdict: str = "fail") -> Broken:
    """A log in which the step says this."""
    return Broken(step, log.bundle(), verdict=verdict, says=says)


def erased(still_there: bool, place: int | None = None) -> Log:
    """A name erased that is still there, or an erasure of something that is not."""
    log = begun()
    named = log.add(SeatNamed("narrator", "p1"), words="Rachel") + 1
    log.add(EntryErased("narrator", named))
    if place is not None:
        log.add(EntryErased("narrator", place))
    if not still_there:
        log.entries[named] = withhold(log.entries[named])
    return log


def revealed_unseen() -> Log:
    """A roll revealed whose declaration nobody gets to see."""
    log = begun()
    hidden = log.declare(1, kind="hidden")
    log.add(rolled.RollRevealed("p1", 1))
    log.entries[hidden] = withhold(log.entries[hidden])
    return log


def revealed_in_part() -> Log:
    """A roll revealed, but for one throw."""
    log = begun()
    first = log.thrown(1, 0, Ground(log.declare(1, kind="hidden"), secret("a")), "hidden")
    log.thrown(1, 1, Ground(first, secret("b")), "hidden")
    log.add(rolled.RollRevealed("p1", 1))
    log.entries[first] = withhold(log.entries[first])
    return log


def revealed_without_its_veto() -> Log:
    """A roll revealed, but for an entry that holds no dice."""
    log = begun()
    log.declare(1, kind="hidden")
    kept_back = log.add(ruling.DeclarationVetoed("narrator", 1), kind="hidden", words="No.")
    log.add(rolled.RollRevealed("narrator", 1, 2))
    for seq in (kept_back, kept_back + 1):
        log.entries[seq] = withhold(log.entries[seq])
    return log


def stale() -> Log:
    """A throw that answers what was committed to before an epoch."""
    log = begun()
    old, other = log.declare(1), log.declare(2)
    assert other
    log.add(EpochBegun("narrator", 1, (Recommitted(2, 0, secret("C")),)))
    log.thrown(1, 0, Ground(old, secret("a")))
    return log


def seeded(commit: str | None = None, **proof: Any) -> Log:
    """A seeded table with one throw; `proof` replaces fields of its proof."""
    log = begun("seeded:7")
    log.add(rolled.RollDeclared("p1", 1, "c1", {}, "public", "player", commit=commit))
    id = urim1.throw_id(TABLE, 1, 0)
    seed = urim1.fixture_seed("7", id)
    text = urim1.transcript(id, 0, urim1.NO_LEAF, "p1", None)
    dice = tuple(
        Thrown(f"d{at}", KIND, index + 1)
        for at, index in enumerate(urim1.dice(seed, text, [12, 12]), 1)
    )
    whole = replace(rolled.Proof(0, "seeded", seed=seed.hex()), **proof)
    log.add(rolled.DiceRolled("p1", 1, "c1", "initiator", dice, proof=whole))
    return log


def hidden_notes() -> Mapping[str, Broken]:
    """What the head of the log gets wrong."""
    log = good()
    last = roll_of(log).replace(b'"seq": 29', b'"seq": 32')
    empty = bundled(log.entries[:1], signed(())).splitlines(keepends=True)
    end = empty[2].replace(b'"count": 1', b'"count": 0')
    return {
        "4 fewer than signed": Broken(
            4, bundled(log.entries[:-1], log.note()), says="do not go up", first=3
        ),
        "4 beyond what was signed": Broken(4, last, says="beyond what was signed", first=3),
        "1 no opening": Broken(
            1, bundled(log.entries[1:], log.note()), says="does not open the table"
        ),
        "1 no entry": Broken(1, empty[0] + end, says="no entry"),
    }


def more_ways() -> Mapping[str, Broken]:
    """Every further way by its name."""
    return {
        **hidden_notes(),
        "5 still there": broken(5, "still there", erased(still_there=True)),
        "5 erased too early": broken(5, "no earlier entry", erased(still_there=False, place=99)),
        "6 revealed in part": broken(6, "is not the next one", revealed_in_part()),
        "6 a stale commitment": broken(6, "before the latest epoch", stale()),
        "6 declared twice": twisted(
            6, "declared 3", lambda event: replace(event, roll=2), says="declared a second time"
        ),
        "6 seeded and committed": broken(6, "are committed to", seeded(secret("C"))),
        "6 seeded with a nonce": broken(6, "take no nonce", seeded(nonce=secret("c"))),
        "6 taken from elsewhere": twisted(
            6,
            "thrown 1/0",
            lambda event: replace(event, proof=None, taken=9),
            says="a roll not followed",
        ),
        "9 another fixture's seed": broken(
            9, "does not follow from the table's", seeded(seed=secret("S"))
        ),
        "15 revealed without its veto": broken(
            15, "entries of it are kept back", revealed_without_its_veto()
        ),
        "15 revealed unseen": broken(
            15, "its declaration is not in the file", revealed_unseen(), "finding"
        ),
    }


def further_honest() -> Mapping[str, Log]:
    """The same without what is wrong."""
    return {
        "erased": erased(still_there=False),
        "seeded": seeded(),
    }
