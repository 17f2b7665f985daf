"""Both verifiers say the same of spoiled bundles, and neither falls over."""

import json
import subprocess
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from random import Random
from typing import TypeAlias

import pytest

from tests.cheats.forging import made
from tests.cheats.goods import for_everybody, goods
from tests.cheats.mutants import SPOILS, meaning, mutant, tells_no_other
from tests.cheats.stages import circle, prayer
from tests.tree import plain_environment
from tests.verifier.nodejs import HERE, NODE
from urim.engine.audit import audit
from urim.engine.audit.report import Result
from urim.errors import Refused
from urim.events.entry import withhold

SHARDS = 4
"""Parts of the mutants, so that several processes can share them."""

EACH = 4
"""Mutants for every one that the count asks for."""

MOST = 20_000
"""Mutants that are enough, all shards together."""

FOR_PYTHON = (10, 11, 16)
"""Steps of which the page checks a part, or nothing: it has no rules."""

NEEDED = 14
"""The last step without which not everything was checked."""

CHECKED = {"pass", "finding", "fail"}
"""The verdicts of a step that checked what there was."""

UNREADABLE = 2

ACCEPTED = (0, 3)
"""The exit codes of a file in which nothing is wrong, as far as it could be checked."""

Said: TypeAlias = tuple[str, str]
"""A step's verdict, and the first thing that is wrong, "" where nothing is."""

Verdicts: TypeAlias = tuple[int, Mapping[int, Said]]
"""The exit code, and what every step says; no steps for a file that cannot be read."""

Judge: TypeAlias = Callable[[bytes, str | None], Verdicts]
"""(a bundle, the log's vkey) -> what a verifier finds."""


def by_python(bundle: bytes, key: str | None) -> Verdicts:
    """What `urim audit` finds."""
    try:
        report = audit(BytesIO(bundle), key=key)
    except Refused as error:
        if error.code not in ("unreadable", "malformed"):  # no bundle, or the key is another log's
            raise
        return UNREADABLE, {}
    return report.exit, {each.step: (each.verdict, _wrong(each)) for each in report.results}


def _wrong(result: Result) -> str:
    return next((remark.why for remark in result.remarks if remark.word == "wrong"), "")


@contextmanager
def page() -> Generator[Judge]:
    """What the page's own modules find, in one process of Node."""
    with subprocess.Popen(
        [str(NODE), "mutants.mjs"],
        cwd=HERE,
        env=plain_environment(NO_COLOR="1"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as node:
        assert node.stdin is not None and node.stdout is not None
        given, taken = node.stdin, node.stdout

        def judged(bundle: bytes, key: str | None) -> Verdicts:
            asked = {"bundle": b64encode(bundle).decode(), "key": key}
            given.write(json.dumps(asked).encode() + b"\n")
            given.flush()
            found = json.loads(taken.readline())
            assert isinstance(found, list), found["crash"]
            return found[0], {int(step): tuple(said) for step, said in found[1].items()}

        yield judged
        given.close()


def unlike(mine: Verdicts, theirs: Verdicts) -> Iterator[tuple[int, str]]:
    """The steps that both checked and judge otherwise, with what one of them says is wrong."""
    for step, (verdict, why) in mine[1].items():
        other, their_why = theirs[1].get(step, ("", ""))
        if step not in FOR_PYTHON and {verdict, other} <= CHECKED and verdict != other:
            yield step, why or their_why or f"{verdict}, {other}"


def first_wrong(verdicts: Verdicts) -> int:
    """The first step of both that fails; 17 where none does."""
    fails = (step for step, (verdict, _) in verdicts[1].items() if verdict == "fail")
    return min((step for step in fails if step not in FOR_PYTHON), default=17)


def contradictions(mine: Verdicts, theirs: Verdicts) -> list[tuple[int, str]]:
    """In what the page (theirs) contradicts the audit (mine): steps with words, 0 for the file.

    What stands behind the first step that fails rests on what is wrong, and each follows it in its
    own way: that is no contradiction.
    """
    first = min(first_wrong(mine), first_wrong(theirs))
    found = [(step, why) for step, why in unlike(mine, theirs) if step <= first]
    failed = first_wrong(mine) <= len(mine[1])
    exits = f"exit {mine[0]}, {theirs[0]}"
    if UNREADABLE in (mine[0], theirs[0]):
        return [] if mine[0] == theirs[0] else [(0, exits)]
    rules_alone = [step for step, (verdict, _) in mine[1].items() if verdict == "not-checked"]
    less = mine[0] == 3 and all(step in FOR_PYTHON or step > NEEDED for step in rules_alone)
    allowed = (1,) if failed else (0, 1, 3) if mine[0] == 1 else (0, 3) if less else (mine[0],)
    return found if theirs[0] in allowed else [*found, (0, exits)]


@pytest.mark.slow
def test_both_accept_the_bundles_to_be_spoiled() -> None:
    with page() as judged:
        for each in goods():
            mine, theirs = by_python(each.bundle, each.key), judged(each.bundle, each.key)
            assert mine[0] in ACCEPTED
            assert theirs[0] == mine[0]
            assert not list(unlike(mine, theirs))


@pytest.mark.sampled(1)
@pytest.mark.prove
@pytest.mark.parametrize("shard", range(SHARDS))
def test_both_verifiers_say_the_same_of_a_mutant(
    shard: int, count: int, seed: int, tried: Callable[[str], None]
) -> None:
    """Tries EACH times the count, at most MOST, of them its share."""
    chance = Random(f"urim mutants for both {seed} {shard}")  # noqa: S311 - mutants are no secret
    bundles = [each.bundle for each in goods()]
    meanings = [meaning(bundle) for bundle in bundles]
    exits, behind = Counter[tuple[int, int]](), 0
    strange: list[str] = []
    share = min(count * EACH, MOST) // SHARDS
    with page() as judged:
        for number in range(share):
            of, how, spoiled = mutant(chance, bundles)
            assert how in SPOILS
            which, key = f"mutant {number} of bundle {of} ({how})", goods()[of].key
            mine, theirs = by_python(spoiled, key), judged(spoiled, key)
            found = contradictions(mine, theirs)
            strange += [f"{which}: {said}" for said in found]
            behind += len(list(unlike(mine, theirs))) > len(found)
            exits[mine[0], theirs[0]] += 1
            if mine[0] in ACCEPTED:
                same = tells_no_other(meaning(spoiled), meanings[of])
                assert same, f"{which} says something else"
    codes = ", ".join(f"{a}/{b} {times:,}" for (a, b), times in sorted(exits.items()))
    tried(
        f"{share:,} mutants; exit codes of audit/page: {codes}; other verdicts behind the first "
        f"failed step {behind:,}"
    )
    assert not strange, "\n".join([f"{len(strange)} contradictions:", *strange[:20]])


def test_a_hidden_roll_is_disclosed_with_its_declaration_or_not_at_all() -> None:
    host = circle()
    number = prayer(host, visibility="gm")
    host.throw(number)
    host.finish(number)
    shown = {type(host.event(each.seq)).__name__: each for each in host.entries}["RollResolved"]
    log = [
        withhold(each) if each.kind == "hidden" and each is not shown else each
        for each in host.entries
    ]
    spoiled = made(host, log)
    with page() as judged:
        for verdict in (by_python, judged):
            verdicts = verdict(spoiled.bundle, spoiled.key)
            assert (verdicts[0], first_wrong(verdicts)) == (1, 6)
            assert "was never declared" in verdicts[1][6][1]


def test_the_seed_of_a_break_is_not_checked_where_its_commitment_is_hidden() -> None:
    host = circle()
    number = prayer(host, visibility="gm")
    host.ask_for(number, "p1", "initiator")
    host.open_all(but=("p2",))
    host.break_off()
    for sealed, verdict in ((for_everybody(host), "not-checked"), (made(host), "pass")):
        with page() as judged:
            for verdicts in (
                by_python(sealed.bundle, sealed.key),
                judged(sealed.bundle, sealed.key),
            ):
                assert (verdicts[0], verdicts[1][7][0]) == (0, verdict)


def test_a_reading_in_the_header_is_written_as_the_table_has_it() -> None:
    good = next(each for each in goods() if b'"supply":4,' in each.bundle.splitlines()[0])
    first, *rest = good.bundle.splitlines(keepends=True)
    spoiled = b"".join([first.replace(b'"supply":4,', b'"supply":4.0,'), *rest])
    with page() as judged:
        for verdict in (by_python, judged):
            verdicts = verdict(spoiled, good.key)
            assert (verdicts[0], first_wrong(verdicts)) == (1, 1)
