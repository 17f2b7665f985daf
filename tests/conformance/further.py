"""What was asked held against what an event says, field by field; what is given beside a file."""

import json
from base64 import b64encode
from collections.abc import Iterator
from typing import Any

from tests.conformance.forms import File, Newer, anchored, roll_file, thrown, whole
from urim.engine.verifier import urimcheck
from urim.events import roll as rolled
from urim.events import ruling
from urim.events import table as tabled

OTHER = bytes(range(1, 33))


def every() -> Newer:
    """A log with many commands in it."""
    log = Newer()
    anchored(log)
    log.share_throw(1, 0, log.declare(1, "table"), {"p1": 1, "p2": 1})
    log.resolve(1)
    dispute = log.add(ruling.DisputeRaised("p2", 1), words="why?")
    log.add(ruling.RulingMade("narrator", 1, dispute, "stands"), words="so")
    follower = rolled.RollDeclared(
        *("p1", 2, "c1", {}, "public", "player"), follows=(1, "counter"), commit=log.commit(2, 0)
    )
    log.add(follower)
    log.add(rolled.RollVoided("p1", 2, 0, log.seed(2, 0)), words="no")
    log.add(tabled.SeatLeft("p2", "p2"))
    return log


def other(value: Any) -> Any:
    """Another value of the same form."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, str):
        return value[:-1] + ("1" if value[-1] == "0" else "0")
    return [*value, "p9"] if isinstance(value, list) else {"x": 1}


def of_bodies() -> Iterator[tuple[str, File]]:
    """Of each command of that log that is on the closed list, each field asked for otherwise."""
    known = set[tuple[str, str]]()
    for entry in reversed(every().entries):  # the last of a kind: no dice follow from it
        payload = json.loads(entry.payload or b"{}")
        listed = "asked" in payload and payload["event"]["type"] in urimcheck.EVENTS
        body = json.loads(payload["asked"]["body"]) if listed else {}
        for name in body.keys() - {"do", "text"}:
            if (body["do"], name) not in known:
                known.add((body["do"], name))
                log = every()
                log.reasked(entry.seq, {**body, name: other(body[name])})
                yield f"{body['do']}, another {name}", File(whole(log))


def of_readers() -> Iterator[tuple[str, File]]:
    """What is given beside a file."""
    log = Newer()
    thrown(log)
    yield "an honest log of many commands", File(whole(every()))
    yield "an earlier head of another key", File(whole(log), seen=(log.note(3, OTHER),))
    places = [*range(6)]
    yield "an earlier head beside one roll", File(roll_file(log, places), seen=(log.note(3),))
    never = b64encode(bytes(31) + b"\x09").decode()
    yield "a seat that never asks with its key", File(whole(log), seats={"p1": never})
    shares = anchored()
    shares.ask(1, 0, shares.declare(1, "table"), {"p1": 1, "p2": 1})
    for seat in ("p2", "p1"):
        shares.open_share(seat, 1, 0, 1)
    yield "all shares, and then no dice", File(whole(shares))


def files() -> dict[str, File]:
    """Every file of these, by its name."""
    return {f"further, {name}": file for name, file in sorted([*of_bodies(), *of_readers()])}
