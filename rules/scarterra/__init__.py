"""Scarterra: pools of ten-sided dice, each that shows the difficulty a success, each 1 one fewer.

Its parts, in the order of a roll: `scarterra_charts`, `scarterra_options`, `scarterra_declare`,
`scarterra_pool`, `scarterra_settle`, `scarterra_score`, `scarterra_outcome`, `scarterra_damage`,
`scarterra_offers`.
"""

from msgspec import structs

from ...errors import Refused
from ..ruleset import Dice, Face, Roll, Ruleset
from .damage import blow_of, damage, tracks
from .declare import SETTLED, Declaration, Reaction
from .offers import offers
from .options import Options
from .outcome import outcome
from .score import asked
from .settle import again, answer, check_conflicts, must_have_dice, settle

__all__ = ["RULESET", "Declaration", "Options", "Reaction"]

LINKS = ("soak", "again")
"""How a roll may follow another: soaking its hit, or trying again what failed."""


def faces(options: Options) -> dict[str, tuple[Face, ...]]:
    """The only kind of die, with ten faces."""
    return {"d10": tuple(range(1, 11))}


def involves(declaration: Declaration) -> tuple[str, ...]:
    """The ids of those who resist or help, and of whoever struck the blow that is soaked."""
    attacker = () if declaration.blow is None else (declaration.blow.attacker,)
    return (*asked(declaration), *attacker)


def follow(declaration: Declaration, link: str, parent: Roll) -> tuple[Declaration, Dice]:
    """A soak takes the hit from the attack, a further try the difficulty from the one that failed.

    No dice are taken over. Raises Refused for any other link, for a further try against somebody
    else, and for a soak without dice.
    """
    if link == "soak":
        declaration = structs.replace(declaration, blow=blow_of(parent))
        must_have_dice(declaration, parent.options, "a soak")
        return declaration, ()
    if link != "again":
        raise Refused("unknown", f"no roll follows by {link!r}", allowed=LINKS)
    failed: Declaration = parent.declaration
    if declaration.opponent not in (None, failed.opponent):
        raise Refused(
            "malformed",
            f"{declaration.opponent} did not resist the first time",
            allowed=[failed.opponent or "nobody"],
        )
    retry = again(failed).retry
    declaration = structs.replace(declaration, opponent=failed.opponent, retry=retry)
    check_conflicts(declaration)
    return declaration, ()


RULESET = Ruleset(
    name="scarterra",
    version=1,
    title="Scarterra",
    source="Basic Dice Rules",
    triggers=("react", "roll", "resolve", "apply_damage", "declare"),
    Declaration=Declaration,
    Reaction=Reaction,
    Options=Options,
    faces=faces,
    tracks=tracks,
    involves=involves,
    settle=settle,
    answer=answer,
    follow=follow,
    offers=offers,
    outcome=outcome,
    damage=damage,
    settled=SETTLED,
)
"""Scarterra: its name and version, its Structs, its functions."""
