"""seat.js judges a log as it comes to the client of a seat, by the steps of urimcheck.js."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.cases import FOLDERS, TESTS
from tests.conformance.restored import BEFORE, WHY, case, played, shown
from tests.conformance.sent import GREEN, HEAD, TAMPERED, a_case, honest
from tests.verifier.log import good
from tests.verifier.nodejs import NODE, Case, ran, run

HERE = Path(__file__).parent

pytestmark = pytest.mark.skipif(not NODE.exists(), reason="there is no Node here")

KEPT = {
    path.name: path
    for folder in FOLDERS
    for path in sorted((TESTS / folder).glob("*.urim.jsonl"))
    if b'"scope":"table"' in path.read_bytes().splitlines()[0]
}
"""Released bundles of whole tables."""


def bundled(path: Path, commits: int) -> Case:
    """A bundle as it comes: so many entries as history, the others one by one, its head last."""
    head, *entries, _ = map(json.loads, path.read_bytes().splitlines())
    steps: list[Any] = [["took", entries[:commits]], ["judged"]]
    steps += [["took", [each]] for each in entries[commits:]]
    steps += [["headed", head["checkpoint"]], ["ended", len(entries)], ["judged"]]
    table = head["origin"].rpartition("/")[2]
    return {"table": table, "key": head["keys"][0], "steps": steps}


def cases() -> dict[str, Case]:
    gone_before = {
        f"gone, {name}": case(played(*served), [shown(played(*gone))])
        for name, (gone, served, _) in BEFORE.items()
    }
    sent = {name: each for name, (each, _, _) in TAMPERED.items()} | honest()
    return sent | gone_before | {name: bundled(path, 1) for name, path in KEPT.items()}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What is said of each case."""
    return ran(cases(), tmp_path_factory.mktemp("seat"))


@pytest.mark.parametrize("name", TAMPERED)
def test_what_was_changed_is_found_where_it_is(name: str, found: Any) -> None:
    _, step, seq = TAMPERED[name]
    seal = found[name]["seal"]
    assert seal["state"] == "red"
    assert (step, seq) in [(each["what"], each["seq"]) for each in seal["wrong"]]
    [part] = [part for part in seal["parts"] if part["what"] == step]
    assert (part["state"], part["entry"]) == ("wrong", seq)


@pytest.mark.parametrize("name", [*GREEN, "an earlier head late", "plain http", *KEPT])
def test_what_a_server_may_send_is_green(name: str, found: Any) -> None:
    seal = found[name]["seal"]
    assert (seal["state"], seal["wrong"], seal["forks"]) == ("green", [], [])
    assert seal["head"]["size"] == seal["size"] and seal["head"]["signed"]
    assert "red" not in found[name]["states"]


@pytest.mark.parametrize(
    ("name", "step", "why"),
    [
        ("no head", "tree", "no signed head of these entries has come"),
        ("a head of fewer", "tree", "no signed head is of more than the first 7 entries"),
        ("no key", "signature", "no key is known to check signatures with"),
    ],
)
def test_what_is_not_checked_is_grey_and_named(name: str, step: str, why: str, found: Any) -> None:
    seal = found[name]["seal"]
    assert (seal["state"], seal["wrong"]) == ("grey", [])
    parts = {part["what"]: part for part in seal["parts"]}
    assert (parts[step]["state"], parts[step]["why"]) == ("unchecked", why)
    assert parts["dice"]["state"] == "ok"


def test_two_heads_of_two_trees_are_evidence(found: Any) -> None:
    other = good({"noted": _about_another}).note().decode()
    for name in ("two heads of two trees", "two heads on plain http"):
        [fork] = found[name]["seal"]["forks"]
        assert (fork["notes"], fork["proved"]) == ([HEAD[1], other], True)
    [fork] = found["a past that was signed otherwise"]["seal"]["forks"]
    assert (fork["notes"], fork["proved"]) == ([HEAD[1]], False)


def _about_another(event: Any) -> Any:
    return type(event)(event.by, 1)


@pytest.mark.parametrize("name", BEFORE)
def test_a_log_leaves_what_is_gone_at_an_epoch_of_its_own(name: str, found: Any) -> None:
    gone, served, forked = BEFORE[name]
    seal = found[f"gone, {name}"]["seal"]
    assert [WHY in each["why"] for each in seal["forks"]] == [True] * forked
    assert (seal["state"] == "red") is forked
    assert seal["head"]["epochs"] == [[*each] for each in shown(played(*served))[1]]
    for fork in seal["forks"]:
        assert fork["notes"] == [shown(played(*each))[0] for each in (gone, served)]
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
        "back": case(played("!b", "c4"), gone),
    }
    found = ran(cases, tmp_path)
    assert [len(each["seal"]["forks"]) for each in found.values()] == [0, 1, 0, 1]


def test_a_key_that_is_none_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "cases.json"
    file.write_text(json.dumps({"a": a_case(key="nonsense")}), encoding="utf-8")
    done = run(HERE / "seat.mjs", file)
    assert done.returncode and "not a vkey" in done.stderr
