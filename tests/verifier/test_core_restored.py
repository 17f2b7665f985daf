"""The page's core behind a restore that its player accepted: what is gone stays gone."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.cheats.forging import head
from tests.cheats.host import Host
from tests.cheats.stages import brawl, restore
from tests.verifier.nodejs import Case, ran
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


def test_a_log_leaves_what_is_gone_at_an_epoch_of_its_own(tmp_path: Path) -> None:
    cases = {
        name: case(played(*served), [shown(played(*gone))])
        for name, (gone, served, _) in BEFORE.items()
    }
    found = ran(cases, tmp_path)
    for name, (gone, served, forked) in BEFORE.items():
        seal = found[name]["seal"]
        assert [WHY in each["why"] for each in seal["forks"]] == [True] * forked, name
        assert (seal["state"] == "red") is forked, name
        assert seal["head"]["epochs"] == [[*each] for each in shown(played(*served))[1]], name
        if forked:
            [fork] = seal["forks"]
            assert fork["notes"] == [shown(played(*each))[0] for each in (gone, served)], name
            assert not fork["proved"]


def test_two_logs_of_one_size_prove_it(tmp_path: Path) -> None:
    gone, served = played("a3"), played("b3")
    seal = ran({"": case(served, [shown(gone)])}, tmp_path)[""]["seal"]
    [fork] = seal["forks"]
    assert fork["proved"] and WHY in fork["why"]


def test_every_log_that_is_gone_is_remembered(tmp_path: Path) -> None:
    gone = [shown(played("a3")), shown(played("!b", "b3"))]
    cases = {
        "neither": case(played("!c", "c4"), gone),
        "the first": case(played("a3", "c2"), gone),
        "the second": case(played("!b", "b3", "c2"), gone),
    }
    found = ran(cases, tmp_path)
    assert [len(each["seal"]["forks"]) for each in found.values()] == [0, 1, 0]
    back = ran({"": case(played("!b", "c4"), gone)}, tmp_path)[""]["seal"]
    assert [WHY in each["why"] for each in back["forks"]] == [True]
