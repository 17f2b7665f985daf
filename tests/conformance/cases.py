"""Every file that a verifier is held to.

Released bundles, planted cheats and their honest twins, what is broken in a small log one thing
at a time, and the forms of 0.3.
"""

from base64 import b64encode
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.cheats.cheats import CHEATS, Made, dishonest, honest
from tests.conformance import forms, further
from tests.conformance.forms import File
from tests.engine.helpers.bundles import forged
from tests.verifier import asked_cheats, broken
from tests.verifier.broken_asked import asked_honestly, asked_ways
from tests.verifier.broken_rules import further_honest, more_ways
from tests.verifier.broken_seats import keyed_honestly, keyed_ways
from tests.verifier.broken_shares import share_ways
from tests.verifier.honest_shares import looks, shared_honestly
from tests.verifier.unreadable import unreadable

TESTS = Path(__file__).parents[1]

FOLDERS = ("releases/0.2", "vectors")
"""Folders with bundles that are kept."""


def made(found: Made) -> File:
    """What a cheat, or its twin, hands out."""
    seats = {seat: b64encode(key).decode() for seat, key in found.seats.items()}
    return File(found.bundle, found.key, tuple(found.seen), seats)


def kept() -> Iterator[tuple[str, File]]:
    for folder in FOLDERS:
        for path in sorted((TESTS / folder).glob("*.urim.jsonl")):
            yield f"kept, {path.name.removesuffix('.urim.jsonl')}", File(path.read_bytes())


def planted() -> Iterator[tuple[str, File]]:
    for id in CHEATS:
        yield f"cheat {id}", made(dishonest(id))
        yield f"twin {id}", made(honest(id))


def small() -> Iterator[tuple[str, File]]:
    ways = {**broken.ways(), **more_ways(), **asked_ways(), **share_ways(), **keyed_ways()}
    for name, way in ways.items():
        yield f"way {name}", File(way.bundle, way.key, tuple(way.seen))
    right = {**further_honest(), **asked_honestly(), **shared_honestly(), **keyed_honestly()}
    for name, log in right.items():
        yield f"honest, {name}", File(log.bundle())
    for name, (log, _, _) in looks().items():
        yield f"look, {name}", File(log.bundle())
    for name, bundle in unreadable().items():
        yield f"unreadable, {name}", File(bundle)
    for cheat in asked_cheats.CHEATS:
        yield f"asked, {cheat.name}", File(forged(cheat.make()))


@cache
def cases() -> dict[str, File]:
    """Every file by its name."""
    return dict([*kept(), *planted(), *small(), *forms.files().items(), *further.files().items()])
