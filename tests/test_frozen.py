"""What is logged and what is derived does not change: its structures are frozen."""

import pkgutil
from collections.abc import Iterator
from importlib import import_module

from msgspec import Struct

FOLDERS = ("events", "rules", "projections", "engine.core")

CHANGES = {
    "urim.engine.core.aggregate.Kept": "grows with its table",
    "urim.engine.core.index.Index": "grows with its table",
    "urim.engine.core.offers.Memo": "holds the latest answers, and others instead of them later",
    "urim.events.log.memory._Table": "grows with its log",
    "urim.events.log.postgres.readers._Job": "waits for its answer",
    "urim.events.log.postgres.writer.Job": "waits for its answer",
}
"""The structures that are not frozen, and why."""


def structures() -> Iterator[type[Struct]]:
    """Every structure that a module of the folders makes."""
    for folder in FOLDERS:
        package = import_module(f"urim.{folder}")
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            for found in vars(import_module(module.name)).values():
                made_there = isinstance(found, type) and found.__module__ == module.name
                if made_there and issubclass(found, Struct):
                    yield found


STRUCTURES = {f"{found.__module__}.{found.__qualname__}": found for found in structures()}


def test_every_structure_is_frozen_but_for_those_that_say_why() -> None:
    assert len(STRUCTURES) > 200
    changing = {name for name, found in STRUCTURES.items() if not found.__struct_config__.frozen}
    assert changing == {*CHANGES}
