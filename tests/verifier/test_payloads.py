"""Both verifiers read a payload alike: refused, written in another way than the log's, or plain."""

import json
import re
import subprocess
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from random import Random

import pytest

from tests.cheats.goods import goods
from tests.cheats.mutants import bent
from tests.events.test_codec import BOUND, SAMPLES
from tests.sealing import compact, sealed_raw
from tests.tree import plain_environment
from tests.verifier.nodejs import HERE, NODE
from urim.engine.bundle.read import event_of
from urim.errors import Damaged
from urim.events.codec import GONE, Payload, as_written
from urim.events.strict import Malformed

EACH = 80
"""Payloads for every one that the count asks for."""

MOST = 200_000
"""Payloads that are enough."""


def by_python(payload: bytes) -> str:
    """What the audit makes of a payload."""
    try:
        record, asked = event_of(sealed_raw(0, 0, payload))
    except (Damaged, Malformed):
        return "refused"
    written = as_written(payload, Payload(asked=asked, event=record.event))
    return "plain" if written == payload else "odd"


def by_page(payloads: Iterable[bytes]) -> list[str]:
    """What the page's reader makes of each, in one run of Node."""
    done = subprocess.run(
        [str(NODE), "payloads.mjs"],
        cwd=HERE,
        env=plain_environment(NO_COLOR="1"),
        input=b"".join(b64encode(each) + b"\n" for each in payloads),
        capture_output=True,
        check=True,
    )
    return done.stdout.decode().split()


def honest() -> list[bytes]:
    """Payloads as they were written: of the golden events, old ones too, and of whole games."""
    samples = [each for each in SAMPLES if _tag(each) not in GONE and each.name != BOUND]
    found = [b'{"event":%b}' % each.read_bytes().strip() for each in samples]
    for good in goods():
        for line in good.bundle.splitlines()[1:-1]:
            payload = json.loads(line).get("payload")
            found += [] if payload is None else [payload.encode()]
    return found


def _tag(sample: Path) -> str:
    name, _, version = sample.stem.rpartition("-")
    return f"{name}/{version}"


# --- the same in other bytes ----------------------------------------------------------------------


def blank(chance: Random, payload: str) -> str:
    """A blank behind one of its brackets, commas or colons, which may be in a text."""
    at = chance.choice([at for at, letter in enumerate(payload, 1) if letter in "{}[],:"])
    return payload[:at] + chance.choice(" \t\n") + payload[at:]


def escaped(chance: Random, payload: str) -> str:
    """A letter as an escape."""
    letters = [at for at, letter in enumerate(payload) if letter.isalpha() or letter == "/"]
    at = chance.choice(letters)
    escape = f"\\u{ord(payload[at]):04x}" if payload[at] != "/" else "\\/"
    return payload[:at] + escape + payload[at + 1 :]


def respelled(chance: Random, payload: str) -> str:
    """A number in other digits, where it has some."""
    found = [*re.finditer(r"(?<=[:,\[])-?[0-9]+(\.[0-9]+)?(?=[,\]}])", payload)]
    if not found:
        return blank(chance, payload)
    number = chance.choice(found)
    digits = number[0]
    whole = "." not in digits
    ways = [".0", "e0", ".5", "E+2", "e-7", ".25", "e16", ".00001"] if whole else ["0", "e0", "e1"]
    return payload[: number.end()] + chance.choice(ways) + payload[number.end() :]


def turned(chance: Random, payload: str) -> str:
    """The fields of it, of the event or of what is in that in another order."""
    found = json.loads(payload)
    objects = [found, found["event"], *(v for v in found["event"].values() if isinstance(v, dict))]
    one = chance.choice(objects)
    names = chance.sample(sorted(one), len(one))
    shuffled = {name: one[name] for name in names}
    one.clear()
    one.update(shuffled)
    return compact(found).decode()


def in_vain(chance: Random, payload: str) -> str:
    """A field with its usual value, or with one that is not."""
    found = json.loads(payload)
    event = found["event"]
    inside = [event, found.get("asked", event), event.get("proof") or event]
    names = ("key", "effects", "option", "proof", "one_machine", "left", "needless", "seen", "sig")
    more = ("throw", "seed", "nonce", "next", "committed", "level", "part", "instead", "outcome")
    one, name = chance.choice(inside), chance.choice((*names, *more))
    one[name] = chance.choice((None, [], False, 0, {}, "x", [["c1", "merit", 0, None]]))
    return compact(found).decode()


def changed(chance: Random, payload: str) -> str:
    """Another value somewhere."""
    return compact(bent(chance, json.loads(payload))).decode()


WAYS = (blank, escaped, respelled, turned, in_vain, changed)


# --- both -----------------------------------------------------------------------------------------


def test_both_take_what_was_written() -> None:
    payloads = honest()
    assert {*map(by_python, payloads)} == {*by_page(payloads)} == {"plain"}


@pytest.mark.prove
def test_both_read_a_payload_alike(count: int, seed: int, tried: Callable[[str], None]) -> None:
    """Tries EACH payloads for every one that the count asks for, at most MOST."""
    chance = Random(f"urim payloads {seed}")  # noqa: S311 - what is tried is no secret
    payloads = [each.decode() for each in honest()]
    made: list[tuple[str, bytes]] = []
    for _ in range(min(count * EACH, MOST)):
        way = chance.choice(WAYS)
        made.append((way.__name__, way(chance, chance.choice(payloads)).encode()))
    mine, theirs = [by_python(each) for _, each in made], by_page(each for _, each in made)
    unlike = [
        f"{way}: {one}, {other} of {payload.decode()[:600]}"
        for (way, payload), one, other in zip(made, mine, theirs, strict=True)
        if one != other
    ]
    found = Counter(zip((way for way, _ in made), mine, strict=True))
    said = (f"{way} {verdict} {times:,}" for (way, verdict), times in sorted(found.items()))
    tried(f"{len(made):,} payloads: {', '.join(said)}")
    assert not unlike, "\n".join([f"{len(unlike)} read otherwise:", *unlike[:20]])
    assert {verdict for _, verdict in found} == {"plain", "odd", "refused"}
