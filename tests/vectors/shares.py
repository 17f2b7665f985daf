"""What must hold of the vectors of level `table`: chains, asks, and throws with shares."""

from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256

from tests.vectors.compared import Comparison, outcome, sealed
from tests.vectors.form import LogEntry, SharedThrow, Vectors
from urim.errors import UrimError
from urim.events.codec import Event, decode, encode
from urim.events.roll import ThrowAsked, ThrowPlanned
from urim.events.share import link, reaches
from urim.events.throw import keyed, throw_id, transcript


def chains(vectors: Vectors) -> Iterator[Comparison]:
    """Every link, from the last one; the first is the anchor."""
    for n, it in enumerate(vectors.shares.chains):
        for m, each in enumerate(it.links):
            found = outcome(link, it.table, it.seat, it.last, each.i)
            yield f"shares.chains[{n}].links[{m}].link", each.link, found


def asks(vectors: Vectors) -> Iterator[Comparison]:
    """Plan and ask as entries, and that they say what the throw is of."""
    for n, it in enumerate(vectors.shares.throws):
        where = f"shares.throws[{n}]"
        for name, entry in (("plan", it.plan), ("ask", it.ask)):
            yield f"{where}.{name}.(entry, leaf)", (entry.entry, entry.leaf), outcome(sealed, entry)
            yield f"{where}.{name}.payload", entry.payload, outcome(again, entry)
        plan, ask = event_of(it.plan), event_of(it.ask)
        yield f"{where}.ask.seq", it.ask.seq, it.plan.seq + 1
        yield f"{where}.plan, what it is of", (it.id, it.roller), of_throw(it, plan)
        yield f"{where}.ask, what it is of", (it.id, it.roller), of_throw(it, ask)
        if isinstance(ask, ThrowAsked):
            yield f"{where}.committed", it.committed, ask.committed
            asked = tuple((share.seat, share.i) for share in it.shares)
            yield f"{where}.shares, (seat, i)", asked, ask.asked
        if isinstance(plan, ThrowPlanned):
            yield f"{where}.dice, how many", len(it.dice), len(plan.dice)


def throws(vectors: Vectors) -> Iterator[Comparison]:
    """Shares that lead back to their anchors; the transcript with them, and the dice."""
    for n, it in enumerate(vectors.shares.throws):
        where, table = f"shares.throws[{n}]", it.id.partition("/")[0]
        for m, each in enumerate(it.shares):
            found = outcome(reaches, table, each.seat, each.share, each.i, each.anchor, 0)
            yield f"{where}.shares[{m}] leads to its anchor", True, found
        shares = {share.seat: share.share for share in it.shares}
        own = shares.pop(it.roller, None)
        leaf = bytes.fromhex(it.leaf)
        made = outcome(transcript, it.id, it.committed, leaf, it.roller, own, [*shares.items()])
        yield f"{where}.transcript", it.transcript.encode().hex(), made
        yield f"{where}.salt", it.salt, sha256(it.transcript.encode()).hexdigest()
        draw = keyed(bytes.fromhex(it.seed), it.transcript.encode())
        for m, die in enumerate(it.dice):
            found = outcome(draw, die.j, die.sides)
            yield f"{where}.dice[{m}].(index, attempt)", (die.index, die.attempt), found


def again(entry: LogEntry) -> str:
    """The payload, read and written once more."""
    found = decode(entry.payload.encode())
    return encode(found.event, found.asked).decode()


def event_of(entry: LogEntry) -> Event | None:
    """The event in an entry; None where it holds none."""
    try:
        return decode(entry.payload.encode()).event
    except UrimError:
        return None


def of_throw(it: SharedThrow, event: Event | None) -> object:
    """The throw that an event is about, and its roller."""
    if not isinstance(event, ThrowPlanned | ThrowAsked):
        return "neither plan nor ask"
    table = it.id.partition("/")[0]
    return outcome(throw_id, table, event.roll, event.throw), event.by


GROUPS: Mapping[str, Callable[[Vectors], Iterator[Comparison]]] = {
    "chains": chains,
    "asks": asks,
    "throws with shares": throws,
}
"""Every group of level `table` by its name."""
