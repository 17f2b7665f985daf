"""Every named attack gets the answer that it should, changes nothing, and the server goes on."""

from collections import Counter
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from tests.engine.server import attacks_on_form, attacks_on_limits, attacks_on_tables
from tests.engine.server.attacking import ATTACKS, ROWS, Attack, Scene, staged
from tests.engine.server.http_table import Site

MODULES = (attacks_on_form, attacks_on_tables, attacks_on_limits)
"""Where the attacks are."""


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Generator[Site]:
    """The server of all attacks that need no settings."""
    with staged(tmp_path_factory.mktemp("attacked"), None) as site:
        yield site


@pytest.mark.sampled(20)
@pytest.mark.prove
@pytest.mark.parametrize("attack", ATTACKS, ids=lambda each: each.name)
def test_an_attack_gets_nothing(
    shared: Site, tmp_path: Path, attack: Attack, tried: Callable[[str], None]
) -> None:
    if attack.settings is None:
        attacked(shared, attack)
    else:
        with staged(tmp_path, attack.settings) as site:
            attacked(site, attack)
    tried(f"1 attack: {attack.row}")


def attacked(site: Site, attack: Attack) -> None:
    """Attack a server, and look at what it kept and whether it serves."""
    scene = Scene(site)
    attack.act(scene)
    scene.unchanged()
    scene.serves()


def test_there_are_enough_attacks_of_every_kind() -> None:
    assert {each.act.__module__ for each in ATTACKS} == {each.__name__ for each in MODULES}
    rows = Counter(each.row for each in ATTACKS)
    assert set(rows) == set(ROWS)
    assert min(rows.values()) >= 4
    assert rows.total() >= 40
    assert len({each.name for each in ATTACKS}) == rows.total()
