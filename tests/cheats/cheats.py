"""The planted cheats of `urim/1`, each with the step of the audit that must catch it.

The cheat holds every key of the host's, so all steps before the one named pass. What no audit of a
file can find, whoever made it, is not in the list; somebody at the table has to notice:

- an anchor, a share or a command of a seat without a key, made up by the host: that seat's own
  client sees the entry at once;
- an honest seat named as the one that kept its share back: its client knows better;
- anything at level `server`, where only the server is trusted, and at level `player` what host and
  roller choose together;
- a fact of an open roll sealed as hidden and kept back, as long as nothing that follows rests on
  it: those who were there know better.
"""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from tests.cheats.cheat import Cheat
from tests.cheats.forging import Made
from tests.cheats.host import events_alone
from tests.cheats.planted import asked as cheats_of_asked
from tests.cheats.planted import dice as cheats_of_dice
from tests.cheats.planted import erasures as cheats_of_erasures
from tests.cheats.planted import forms as cheats_of_forms
from tests.cheats.planted import keys as cheats_of_keys
from tests.cheats.planted import log as cheats_of_log
from tests.cheats.planted import looks as cheats_of_looks
from tests.cheats.planted import people as cheats_of_people
from tests.cheats.planted import play as cheats_of_play
from tests.cheats.planted import shares as cheats_of_shares
from tests.cheats.planted import throws as cheats_of_throws

__all__ = ["CHEATS", "Cheat", "Made", "bundle_bytes", "dishonest", "honest", "seen"]

MODULES = (
    cheats_of_throws,
    cheats_of_shares,
    cheats_of_keys,
    cheats_of_dice,
    cheats_of_play,
    cheats_of_people,
    cheats_of_log,
    cheats_of_erasures,
    cheats_of_asked,
    cheats_of_looks,
    cheats_of_forms,
)

CHEATS: Mapping[str, Cheat] = MappingProxyType(
    {
        cheat.id: cheat
        for cheat in sorted(
            (cheat for module in MODULES for cheat in module.PLANTED.cheats),
            key=lambda cheat: cheat.place,
        )
    }
)
"""Every cheat by its id, in the list's order."""


@cache
def dishonest(id: str, *, alone: bool = False) -> Made:
    """What the cheat hands to an auditor; always the same bytes.

    Its host forged what was asked to fit the forged events; with `alone` it left that as it was.
    """
    if not alone:
        return CHEATS[id].play(False)
    with events_alone():
        return CHEATS[id].play(False)


@cache
def honest(id: str) -> Made:
    """What the cheat's honest twin hands to an auditor."""
    return CHEATS[id].play(True)


def bundle_bytes(id: str) -> bytes:
    """The cheat's file."""
    return dishonest(id).bundle


def seen(id: str) -> tuple[bytes, ...]:
    """The checkpoints, signed notes, that the auditor held before it was given the file."""
    return dishonest(id).seen
