"""boardgame.io beside the server: a match has the same four pages, and as many commands.

It decides nothing but eight random faces, keeps them in memory, and sends the state to each page.
"""

from pathlib import Path

from msgspec import Struct

from tests.bench.server.processes import Process
from tests.engine.helpers.nodejs import NODE
from tests.tree import ROOT

HERE = Path(__file__).parent
MODULES = ROOT / ".venv" / "boardgame" / "node_modules"


class Plan(Struct, frozen=True):
    """How many matches throw how often, at the server of which port."""

    port: int = 0
    tables: int = 0
    commands: int = 0


def there() -> bool:
    """Whether it is installed; `make load` does so where npm reaches somebody."""
    return MODULES.exists()


def seconds(tables: int, commands: int) -> float:
    """The processor's seconds of its server until every page has every throw."""
    modules = {"NODE_PATH": str(MODULES), "NODE_ENV": "production"}
    with Process([str(NODE), str(HERE / "server.js")], Plan(), modules) as server:
        plan = Plan(server.ready["port"], tables, commands)
        with Process([str(NODE), str(HERE / "players.js")], plan, modules) as players:
            before = server.cpu()
            players.tell("play")
            return server.cpu() - before
