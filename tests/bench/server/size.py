"""How much is measured of a server under load; each number can be given in the environment."""

import os

from msgspec import Struct


class Load(Struct, frozen=True, kw_only=True):
    """How many tables, rolls and rounds. A roll of the scripts is some nine commands."""

    rounds: int
    tables: int
    rolls: int
    resumed: tuple[int, ...]
    """Rolls that are missed before each resume."""

    alone_rounds: int
    alone_rolls: int
    far_rolls: int
    crowd: int
    """Tables of the crowd, each with as many sockets as every other."""

    crowd_rolls: int
    """Rolls of each of them at half load; one more comes before, at full load."""

    page_rolls: int
    page_events: int
    page_history: int


def _count(name: str, usual: int) -> int:
    return int(os.environ.get(f"URIM_LOAD_{name}", str(usual)))


FULL = Load(
    rounds=_count("ROUNDS", 5),
    tables=_count("TABLES", 64),
    rolls=_count("ROLLS", 2),
    resumed=(1, 8, _count("RESUMED", 20)),
    alone_rounds=_count("ALONE_ROUNDS", 7),
    alone_rolls=_count("ALONE_ROLLS", 16),
    far_rolls=_count("FAR_ROLLS", 30),
    crowd=_count("CROWD", 250),
    crowd_rolls=_count("CROWD_ROLLS", 2),
    page_rolls=_count("PAGE_ROLLS", 50),
    page_events=_count("PAGE_EVENTS", 20),
    page_history=_count("PAGE_HISTORY", 1000),
)
"""What `make load` measures; URIM_LOAD_TABLES=16 is fewer tables, and so on for each number."""

TINY = Load(
    rounds=1,
    tables=2,
    rolls=1,
    resumed=(1,),
    alone_rounds=1,
    alone_rolls=1,
    far_rolls=2,
    crowd=2,
    crowd_rolls=1,
    page_rolls=2,
    page_events=1,
    page_history=10,
)
"""Enough to see that it still runs."""
