"""Both verifiers read a payload alike: refused, written in another way than the log's, or plain."""

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from random import Random

import pytest

from tests.conformance import suite
from tests.conformance.both import by_node, by_python, unlike
from tests.conformance.forms import Log, compact, secret
from tests.conformance.mutants import bent
from tests.conformance.suite import Case
from tests.engine.helpers.nodejs import NODE
from tests.sealing import sealed_raw

EACH = 80
"""Payloads for every one that the count asks for."""

MOST = 200_000
"""Payloads that are enough."""

IN_ONE = 250
"""Payloads in one log."""

pytestmark = pytest.mark.skipif(not NODE.exists(), reason="there is no Node here")


def honest() -> list[str]:
    """Payloads as they were written, of all kinds of events, old ones too."""
    found: dict[str, str] = {}
    for case in suite.of_kind("twin", "kept", "system", "same", "form").values():
        for line in case.bundle.splitlines()[1:-1]:
            payload = json.loads(line).get("payload", "{}")
            asked = json.loads(payload).get("asked") or {"body": ""}
            kind = payload.partition('"type":"')[2].partition('"')[0], asked["body"][:16]
            found.setdefault(f"{kind} {len(payload) // 64}", payload)
    return [payload for payload in found.values() if payload != "{}"]


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
    whole = "." not in number[0]
    ways = [".0", "e0", ".5", "E+2", "e-7", ".25", "e16", ".00001", ".00025"]
    ways = ways if whole else ["0", "e0", "e1"]
    return payload[: number.end()] + chance.choice(ways) + payload[number.end() :]


def turned(chance: Random, payload: str) -> str:
    """The fields of it, of the event or of what is in that in another order."""
    found = json.loads(payload)
    objects = [found, found["event"], *(v for v in found["event"].values() if isinstance(v, dict))]
    one = chance.choice(objects)
    shuffled = {name: one[name] for name in chance.sample(sorted(one), len(one))}
    one.clear()
    one.update(shuffled)
    return compact(found)


def in_vain(chance: Random, payload: str) -> str:
    """A field with its usual value, or with one that is not."""
    found = json.loads(payload)
    event = found["event"]
    inside = [event, found.get("asked", event), event.get("proof") or event]
    names = ("key", "effects", "option", "proof", "one_machine", "left", "needless", "seen", "sig")
    more = ("throw", "seed", "nonce", "next", "committed", "level", "part", "instead", "outcome")
    one, name = chance.choice(inside), chance.choice((*names, *more))
    one[name] = chance.choice((None, [], False, 0, {}, "x", [["c1", "merit", 0, None]]))
    return compact(found)


def changed(chance: Random, payload: str) -> str:
    """Another value somewhere."""
    return compact(bent(chance, json.loads(payload)))


WAYS = (blank, escaped, respelled, turned, in_vain, changed)


# --- both -----------------------------------------------------------------------------------------


def logs(payloads: Sequence[str]) -> list[Case]:
    """These payloads as entries of logs, each a commit of its own, sealed and signed."""
    made: list[Case] = []
    for start in range(0, len(payloads), IN_ONE):
        log = Log()
        for payload in payloads[start : start + IN_ONE]:
            seq = len(log.entries)
            salt = bytes.fromhex(secret(f"salt {seq}"))
            told = payload.encode("utf-8", "backslashreplace")  # a lone half of a pair has no bytes
            log.entries.append(sealed_raw(seq, log.at, told, salt))
        made.append(Case(log.bundle()))
    return made


@pytest.mark.parametrize("more", ["", ',"name":"post"', ',"name":"post","value":[]'])
def test_a_setting_without_its_fields_is_read_alike(more: str) -> None:
    """No verifier knows the fields of a table's settings; one of them is looked at."""
    cases = logs([f'{{"asked":null,"event":{{"type":"table-set/1","by":"narrator"{more}}}}}'])
    assert unlike([*map(by_python, cases)], by_node(cases)) == []


@pytest.mark.prove
def test_both_read_a_payload_alike(count: int, seed: int, tried: Callable[[str], None]) -> None:
    """Tries EACH payloads for every one that the count asks for, at most MOST."""
    chance = Random(f"urim payloads {seed}")  # noqa: S311 - what is tried is no secret
    payloads = honest()
    wanted = min(count * EACH, MOST)
    cases = logs([chance.choice(WAYS)(chance, chance.choice(payloads)) for _ in range(wanted)])
    mine = [*map(by_python, cases)]
    assert unlike(mine, by_node(cases)) == []
    whys = [each["why"] for said in mine for each in said["remarks"]]
    found = Counter(
        "refused" if why.startswith("the payload is no event") else "odd"
        for why in whys
        if why.startswith(("the payload is no event", "the payload is written in another way"))
    )
    tried(f"{wanted:,} payloads: refused {found['refused']:,}, odd {found['odd']:,}")
    assert found["refused"] > 0 and found["odd"] > 0 and found.total() < wanted
