"""How a roll of Scarterra may follow another: a soak follows its hit, a further try what failed."""

from msgspec import structs

from ...errors import Refused
from ..ruleset import Dice, Roll
from .damage import blow_of
from .declare import Declaration
from .settle import again, check_conflicts, must_have_dice

LINKS = ("soak", "again")


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
