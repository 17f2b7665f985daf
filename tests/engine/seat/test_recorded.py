"""The recorded evenings (evenings/README.md), played by a seat; the page plays the same ones."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from urim.engine.bundle.read import entry_of
from urim.engine.core.commands import AnchorShares, OpenShare
from urim.engine.core.parse import read_logged
from urim.engine.core.request import read_request
from urim.engine.seat import Seat
from urim.engine.seat.happened import EpochSeen, Happened, NotMine
from urim.engine.seat.stored import Stored, read_stored
from urim.engine.service.feed import Commit
from urim.errors import Damaged
from urim.events.checkpoint import read_key
from urim.events.line import entry_line
from urim.events.log.protocol import CaughtUp

EVENINGS = sorted((Path(__file__).parent / "evenings").glob("*.json"))

MUST: dict[str, Any] = {"sends": [], "tells": [], "fault": False}
"""What a step asks for where it says nothing."""


def line(entry: Any) -> bytes:
    """An entry of a frame as the feed gives it."""
    return entry_line(entry_of(json.dumps(entry).encode() + b"\n"))


class Client:
    """A program that plays a seat by itself: it anchors, and opens what it is asked for."""

    def __init__(self, evening: Any) -> None:
        self.key = read_key(evening["key"])
        self.draws = iter(evening["draws"])
        self.seat = Seat(evening["table"], evening["seat"], [self.key], draw=self._draw)
        self.fault = False
        self.anchors = False
        self.sent: set[str] = set()

    def _draw(self, size: int) -> bytes:
        return bytes.fromhex(next(self.draws)) if size == 32 else bytes(size)

    def does(self, step: Any) -> dict[str, Any]:
        """A step, and what came of it."""
        try:
            tells = [*self._told(self._happened(step))]
            return {"sends": [*self._sends()], "tells": tells, "fault": self.fault}
        except Damaged:
            self.fault = True
            return {**MUST, "fault": True}

    def _happened(self, step: Any) -> tuple[Happened, ...]:
        match step["does"]:
            case "restart" | "lose-head" as how:
                self._resume(read_stored(self.seat.stored().written()), lost=how == "lose-head")
            case "enter":
                self.seat.begin()
            case "agree":
                self.seat.accept_epoch()
                self.anchors = not self.seat.should_anchor
            case "head":
                return self.seat.head(step["head"].encode())
            case "commit":
                head = step["head"]
                commit = Commit(step["size"], tuple(map(line, step["entries"])))
                seen = self.seat.receive(commit)
                return (*seen, *self.seat.head(head.encode())) if head else seen
            case "caught-up":
                found = self.seat.receive(CaughtUp(step["size"]))
                return (*found, *self.seat.head(step["head"].encode()))
        return ()

    def _resume(self, stored: Stored, *, lost: bool) -> None:
        self.sent.clear()
        kept = replace(stored, note=None, size=0, root="") if lost else stored
        self.seat = Seat.resume(kept, [self.key], draw=self._draw)

    def _told(self, happened: tuple[Happened, ...]) -> Iterator[int]:
        yield from (each.seq for each in happened if isinstance(each, (NotMine, EpochSeen)))

    def _sends(self) -> Iterator[dict[str, Any]]:
        """What it sends, but for what was sent already since it began."""
        if self.seat.may_open:
            yield from self._new(self.seat.open_share())
        elif self.anchors or self.seat.should_anchor:
            self.anchors = False
            yield from self._new(self.seat.anchor())

    def _new(self, data: bytes) -> Iterator[dict[str, Any]]:
        found = read_logged(body := read_request(data).body)
        if body in self.sent:
            return
        self.sent.add(body)
        if isinstance(found, AnchorShares):
            yield {"anchor": found.anchor}
        else:
            assert isinstance(found, OpenShare)
            yield {"roll": found.roll, "share": found.share}


@pytest.mark.parametrize("path", EVENINGS, ids=lambda path: path.stem)
def test_a_seat_does_in_a_recorded_evening_what_it_must(path: Path) -> None:
    evening = json.loads(path.read_text("utf-8"))
    client = Client(evening)
    steps = [{**MUST, **step} for step in evening["steps"]]
    for number, step in enumerate(steps):
        found = client.does(step)
        if client.fault and not step["fault"]:  # it may be found as soon as it comes
            assert steps[-1]["fault"] and not any(each["sends"] for each in steps[number:])
            return
        must = {name: step[name] for name in MUST}
        assert found == must, f"{path.stem}, step {number}: {step['does']}"


def test_there_are_evenings() -> None:
    assert len(EVENINGS) > 15
