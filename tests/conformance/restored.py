"""Logs behind a restore that a player accepted: what is gone stays gone."""

import json
from collections.abc import Sequence
from typing import Any

from tests.cheats.forging import head
from tests.cheats.host import Host
from tests.cheats.stages import brawl, restore
from tests.verifier.nodejs import Case
from urim.engine.bundle.write import bundle_of
from urim.engine.core import commands
from urim.engine.core.limits import NARRATOR
from urim.events.checkpoint import read_key

WHY = "at no epoch of its own"


def played(*parts: str) -> Host:
    """A log of notes and epochs: `a3` is three notes, `!a` an epoch, under the letter's own salts.

    Logs that begin with the same parts begin with the same entries.
    """
    host = brawl()
    for part in parts:
        host.grain = part.strip("!")[0]
        if part.startswith("!"):
            restore(host, host.state.epoch + 1)
            continue
        for number in range(int(part[1:])):
            host.ask(NARRATOR, commands.Note(0), words=f"note {number}")
    return host


def shown(host: Host) -> tuple[str, list[tuple[int, str]]]:
    """What a page keeps of a log: the newest head that it verified, and the epochs before it."""
    epochs = [each for each in host.entries if b"epoch-begun/" in (each.payload or b"")]
    return head(host).decode(), [(each.seq, each.leaf.hex()) for each in epochs]


def case(host: Host, gone: Sequence[Any]) -> Case:
    """A page that takes this log, and knows of logs that are gone."""
    signed, _ = shown(host)
    lines = bundle_of(host.aggregate, "", signed.encode(), [read_key(host.vkey)])
    entries = [json.loads(line) for line in [*lines][1:-1]]
    given = [{"note": text, "epochs": epochs} for text, epochs in gone]
    steps = [["took", entries], ["headed", signed], ["ended", len(entries)], ["judged"]]
    return {"table": host.state.id, "key": host.vkey, "gone": given, "steps": steps}


BEFORE = {
    "a backup without an epoch": (("a3",), ("b4",), True),
    "a backup that is shorter yet": (("a3",), ("b1",), False),
    "nothing is gone": (("a3",), ("a3", "b1"), False),
    "an epoch where the log was left": (("a3",), ("!b", "b4"), False),
    "an epoch once it was left": (("a3",), ("b4", "!b"), True),
    "an epoch in the place of another": (("!a", "a3"), ("!b", "b4"), False),
    "what an epoch took away is back": (("!a", "a3"), ("!a", "b4"), True),
    "and is left by one more": (("!a", "a3"), ("!a", "b1", "!c", "b4"), False),
    "from behind another's epoch": (("a1", "!a", "a3"), ("a2", "!b", "b4"), True),
}
"""What is gone, what is served instead, and whether that is a fork."""
