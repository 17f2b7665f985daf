"""What people did is looked at for what it was."""

from io import BytesIO
from itertools import pairwise

import pytest

from tests.cheats.forging import made
from tests.cheats.host import Host
from tests.cheats.stages import brawl, prayer
from urim.engine.audit import audit
from urim.engine.core import commands


def gives(host: Host, *seats: str) -> None:
    """c1 goes from seat to seat."""
    for seat, other in pairwise(seats):
        host.ask(seat, commands.GiveCharacter("c1", other))


@pytest.mark.parametrize(
    ("before", "after", "looks"),
    [
        (("p1", "p2"), ("p2", "p1"), 1),
        (("p1", "p2", "p1"), ("p1", "p2"), 0),
        (("p1", "p2", "p1", "p2"), ("p2", "p1"), 1),
        (("p1", "p2"), ("p2", "narrator"), 0),
    ],
    ids=["lent", "come back, thrown for by its owner", "lent once more", "lent on"],
)
def test_a_character_is_lent_for_a_throw_only_until_it_comes_back(
    before: tuple[str, ...], after: tuple[str, ...], looks: int
) -> None:
    host = brawl()
    number = prayer(host)
    gives(host, *before)
    host.throw(number)
    gives(host, *after)
    host.finish(number)
    file = made(host)
    found = [each.count for each in audit(BytesIO(file.bundle), key=file.key).looks]
    assert found == [1] * looks
