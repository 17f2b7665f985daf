"""The tables at which the cheats are tried: people, characters, and rolls up to some point."""

from collections.abc import Callable
from typing import Any, TypeVar

from tests.engine.helpers.tables.host import Host
from urim.engine.core import commands
from urim.engine.core.limits import NARRATOR
from urim.events.base import Level

ROOT = "רוח"
SKILLS = {"wind": ROOT, "jump": "חננ"}

T = TypeVar("T")


def brawl(level: Level = "player", seed: str = "1", **options: Any) -> Host:
    """Milhamah: c1 of seat p1 and c2 of seat p2, who look at each other."""
    host = Host("milhamah", seed=seed, level=level, options={"skill_roots": SKILLS, **options})
    host.character("p1", {"BLE": 3, "VIG": 2, "wind": 2}, {"merit": 2})
    host.character("p2", {"GRA": 2, "VIG": 2, "jump": 1}, {"soak": 2, "armour:belly": 2})
    return host


def circle(seed: str = "1", **options: Any) -> Host:
    """The same at level table, where p1, p2 and the narrator have anchors."""
    host = brawl("table", seed, **options)
    host.anchor(NARRATOR, "p1", "p2")
    return host


def prayer(host: Host, who: str = "c1", target: int = 4, **said: Any) -> int:
    """A roll against nobody, declared."""
    return host.declare(who, root=ROOT, rating=4, target=target, **said)


def hunt(seed: str = "1", **options: Any) -> Host:
    """Scarterra: c1 (p1) shoots well and c2 (p2) dodges badly."""
    host = Host("scarterra", seed=seed, options=options)
    host.character("p1", {"Dexterity": 5, "Archery": 4, "Stamina": 2})
    host.character("p2", {"Dexterity": 1, "Dodge": 1, "Stamina": 2})
    return host


def shot(host: Host) -> int:
    """An arrow that is on its way, everything before the resolution done."""
    said: dict[str, Any] = {
        "attribute": "Dexterity",
        "ability": "Archery",
        "opponent": "c2",
        "combat": True,
    }
    number = host.declare("c1", **said)
    host.react(number, attribute="Dexterity", ability="Dodge")
    for _ in range(2):
        host.throw(number)
    return number


def landed(play: Callable[[str], T | None]) -> T:
    """What the first play, by seeds "1", "2" …, comes to that went as wanted."""
    for seed in range(1, 500):
        found = play(str(seed))
        if found is not None:
            return found
    raise AssertionError("no play went as wanted")


def hit(seed: str) -> tuple[Host, int] | None:
    """A shot that is resolved and hit; its damage waits."""
    host = hunt(seed)
    number = shot(host)
    host.finish(number)
    offered = any(offer.trigger == "apply_damage" for offer in host.offers(number))
    return (host, number) if offered else None


def restore(host: Host, epoch: int = 1) -> int:
    """Go on under a new secret, as after a restore; gives the entry that says so."""
    host.begin(epoch)
    return host.ask(NARRATOR, commands.BeginEpoch())


def void(host: Host, number: int, twist: Any = None, seat: str = NARRATOR) -> int:
    """Void a roll, with a reason; gives the entry."""
    return host.ask(seat, commands.Void(number), twist, words="The cat jumped on the table.")
