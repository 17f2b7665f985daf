"""seat.js judges a log as it comes to the client of a seat, by the steps of urimcheck.js.

The archive has under `seat` what servers may send and may not (`sent`, `tampered`), logs behind a
restore (`gone`) and plays as each seat was sent them (`play`), as seat.mjs takes them. `seat.jsonl`
has for each what must be said: its state, what is wrong (step and entry), what is not checked, for
each fork whether the heads alone prove it, and their sizes; of the head to keep its size, whether
it is signed, and the entries that begin epochs.
"""

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from tests.conformance import suite
from tests.engine.helpers.nodejs import NODE, run

SAID = Path(__file__).with_name("seat.jsonl")

Said: TypeAlias = tuple[Any, ...]

CASES = {
    path.removeprefix(suite.OF_SEAT).removesuffix(".json"): json.loads(given)
    for path, given in suite.archive().items()
    if path.startswith(suite.OF_SEAT)
}
LIVE = [name for name in CASES if CASES[name]["steps"][-1][0] == "check"]
"""Cases that have the whole log beside what came."""

OF_HEADS = ("signature", "tree")
"""Steps that a bundle checks against its header and its one head."""

OTHERWISE = ("the header says", "the origin is another", "the first entry opens another table")
"""What follows from a header, or is said of one table."""

GAPS = {"broken/4-a-gap": 7, "broken/1-no-opening": 1}
"""The client waits for the entry that is missing, and takes none of those behind it; the first."""

NOT_BEGUN = (
    *("broken/1-no-entry", "broken/2-a-key-of-small-order-in-the-header"),
    "broken/2-signed-by-a-key-of-small-order",
)
"""A log without an entry, and keys that a client refuses at the beginning."""

BUNDLES = [
    name
    for name, case in suite.of_kind("broken", "honest", "kept", "tale").items()
    if name not in (*GAPS, *NOT_BEGUN) and b'"roll"' not in case.bundle.splitlines()[0]
]

pytestmark = pytest.mark.skipif(not NODE.exists(), reason="there is no Node here")


def ran(given: Iterable[Any]) -> list[Any]:
    """What seat.js says of each, in one run of Node."""
    lines = "".join(f"{json.dumps(each)}\n" for each in given)
    done = run("tests/conformance/seat.mjs", given=lines)
    assert done.returncode == 0, done.stderr
    return [*map(json.loads, done.stdout.splitlines())]


@cache
def found() -> dict[str, Any]:
    """What is said of each case."""
    return dict(zip(CASES, ran(CASES.values()), strict=True))


def said(seal: Any) -> dict[str, Any]:
    """What must be said, as seat.jsonl has it."""
    wrong = {(each["what"], each["seq"]): None for each in seal["wrong"]}
    sizes = [[int(note.split("\n")[1]) for note in fork["notes"]] for fork in seal["forks"]]
    head = seal["head"]
    return {
        "state": seal["state"],
        "wrong": [[*each] for each in wrong],
        "unchecked": [*dict.fromkeys(each["what"] for each in seal["unchecked"])],
        "forks": [[f["proved"], *each] for f, each in zip(seal["forks"], sizes, strict=True)],
        "head": head and [head["size"], head["signed"], [seq for seq, _ in head["epochs"]]],
    }


def test_seat_js_says_what_must_be_said() -> None:
    rows = map(json.loads, SAID.read_text("utf-8").splitlines())
    wanted = {row.pop("case"): row for row in rows}
    assert {name: said(each["seal"]) for name, each in found().items()} == wanted


def test_a_part_names_the_first_entry_that_is_wrong_in_it() -> None:
    for name, each in found().items():
        parts = {part["what"]: (part["state"], part["entry"]) for part in each["seal"]["parts"]}
        firsts = {wrong["what"]: wrong["seq"] for wrong in reversed(each["seal"]["wrong"])}
        assert all(parts[what] == ("wrong", seq) for what, seq in firsts.items()), name


def test_what_a_server_may_send_is_never_red() -> None:
    honest = [name for name in CASES if name.startswith(("sent/", "play/"))]
    assert honest
    assert not [name for name in honest if "red" in found()[name]["states"]]


@pytest.mark.parametrize("name", LIVE)
def test_a_play_is_judged_alike_live_and_whole(name: str) -> None:
    same(found()[name])


# --- whole bundles --------------------------------------------------------------------------------


def of_whole(given: Any) -> list[Said]:
    """What the verifier says is wrong in the whole bundle, or cannot be checked."""
    return sorted(
        (each["step"], each["word"], -1 if each["seq"] is None else each["seq"], each["why"])
        for each in given["whole"]["remarks"]
        if each["step"] not in OF_HEADS and each["word"] in ("wrong", "unchecked")
        if not each["why"].startswith(OTHERWISE)
    )


def of_seat(given: Any) -> list[Said]:
    """What it says of the log as it came."""
    seal = given["seal"]
    return sorted(
        (each["what"], each["state"], -1 if each["seq"] is None else each["seq"], each["why"])
        for each in [*seal["wrong"], *seal["unchecked"]]
        if each["what"] not in (*OF_HEADS, "rules") and not each["why"].startswith(OTHERWISE)
    )


def same(given: Any) -> None:
    """Both say the same."""
    assert of_seat(given) == of_whole(given)


def fed(names: Iterable[str], at: str) -> list[Any]:
    """What is said of bundles that come a commit at a time, or all at once."""
    return ran({"bundle": suite.cases()[name].bundle.decode(), "at": at} for name in names)


@pytest.mark.sampled(0, rest=1)
@pytest.mark.parametrize("at", ["commits", "once"])
def test_a_bundle_is_judged_alike_as_it_comes_and_whole(at: str) -> None:
    for name, each in zip(BUNDLES, fed(BUNDLES, at), strict=True):
        assert of_seat(each) == of_whole(each), name


def test_behind_a_gap_nothing_is_taken() -> None:
    for (name, seq), each in zip(GAPS.items(), fed(GAPS, "commits"), strict=True):
        first = each["seal"]["wrong"][0]
        assert (first["what"], first["seq"]) == ("sequence", seq), name


def test_a_key_that_is_none_is_refused() -> None:
    done = run("tests/conformance/seat.mjs", given='{"table":"verify01","key":"x","steps":[]}\n')
    assert done.returncode and "not a vkey" in done.stderr
