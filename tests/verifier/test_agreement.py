"""Two verifiers that share no code give the same verdicts on the same honest bundles."""

from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.plays import files, kept_of, name_of
from tests.verifier import chromium
from tests.verifier.broken_seats import keyed_honestly, keyed_ways
from tests.verifier.broken_shares import share_ways
from tests.verifier.chromium import verified
from tests.verifier.honest_shares import shared_honestly
from tests.verifier.log import PRIVATE
from tests.verifier.unreadable import unreadable
from urim.engine.audit import audit
from urim.engine.bundle.write import bundle_of
from urim.engine.core.limits import NARRATOR
from urim.errors import Refused
from urim.events.checkpoint import Checkpoint, public_key, sign

FOR_PYTHON = (10, 11)
"""Steps that the page leaves to the Python audit."""

EVERY = 12
"""Of the tests' scenarios every so many is compared, and all demonstrations."""

PLAYED = [*files()[::EVERY], *files()[-5:]]


def bundles(path: Path) -> list[bytes]:
    """What a scenario leaves: the narrator's view, a stranger's, and the first roll by itself."""
    aggregate = kept_of(path).play.aggregate
    origin = f"urim.local/t/{aggregate.opened.id}"
    head = Checkpoint(origin, len(aggregate.entries), aggregate.frontier.root())
    note, keys = sign(head, PRIVATE), [public_key(origin, PRIVATE)]
    asked: list[tuple[str, int | None]] = [(NARRATOR, None), ("", None)]
    if 1 in aggregate.opened.rolls:
        asked.append((NARRATOR, 1))
    return [b"".join(bundle_of(aggregate, seat, note, keys, roll)) for seat, roll in asked]


@pytest.fixture(scope="module")
def played() -> Mapping[Path, list[bytes]]:
    """Every play's bundles."""
    return {path: bundles(path) for path in PLAYED}


@pytest.fixture(scope="module")
def verifier(played: Mapping[Path, list[bytes]], browser: Browser) -> Iterator[Page]:
    """The page, opened once all plays are over: they need an event loop of their own."""
    assert played
    page = browser.new_page()
    yield chromium.opened(page)
    page.close()


@pytest.mark.sampled(4)
@pytest.mark.parametrize("path", dict.fromkeys(PLAYED), ids=name_of)
def test_both_say_the_same_of_a_play(
    path: Path, played: Mapping[Path, list[bytes]], verifier: Page
) -> None:
    for bundle in played[path]:
        mine = verified(verifier, bundle)
        report = audit(BytesIO(bundle))
        compared = [result for result in report.results if result.step not in FOR_PYTHON]
        assert {each.step: mine.verdict(each.step) for each in compared} == {
            each.step: each.verdict for each in compared
        }


SHARED = {name: way.bundle for name, way in {**share_ways(), **keyed_ways()}.items()}
SHARED |= {name: log.bundle() for name, log in {**shared_honestly(), **keyed_honestly()}.items()}


@pytest.mark.sampled(25)
@pytest.mark.parametrize("name", SHARED)
def test_both_say_the_same_of_shares_and_of_seats_with_keys(name: str, verifier: Page) -> None:
    mine = verified(verifier, SHARED[name])
    report = audit(BytesIO(SHARED[name]))
    compared = [result for result in report.results if result.step not in FOR_PYTHON]
    assert {each.step: mine.verdict(each.step) for each in compared} == {
        each.step: each.verdict for each in compared
    }


@pytest.mark.parametrize("name", unreadable())
def test_both_refuse_what_is_no_bundle(name: str, verifier: Page) -> None:
    bundle = unreadable()[name]
    assert verified(verifier, bundle).exit == 2
    with pytest.raises(Refused):
        audit(BytesIO(bundle))
