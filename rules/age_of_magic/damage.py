"""What a hit does in Age of Magic, by its optional rules: damage, and the soak after it."""

from ...events.base import Effect
from ..figures import Value
from ..readings import Consulted
from ..ruleset import Damage, Roll, Sheets, Track
from .declare import NORMAL, UNCONSCIOUS, Declaration, halves
from .options import Options
from .score import standing

WOUNDS: tuple[tuple[int, str], ...] = (
    (0, "None"),
    (6, "Scratch"),
    (12, "Light"),
    (18, "Medium"),
    (24, "Serious"),
    (30, "Critical"),
)
"""The damage that a wound's name reaches up to, in half points; anything beyond is Fatal."""

NAMES = (*(name for _, name in WOUNDS), "Fatal")
"""The wounds by their size, 0 to 6."""

SOAK_STEPS = (0, 10, 20, 30, 40, 50)
"""The Soak result, in half points, up to which a wound is 0, 1, 2 … steps less; beyond all, 6."""


def tracks(options: Options) -> dict[str, Track]:
    """Tiredness from Fresh (0) to Unconscious (8), starting at Normal (1); wounds by their name."""
    wounds = {name.lower(): Track() for name in NAMES[1:]}
    return {"tiredness": Track(0, UNCONSCIOUS, NORMAL), **wounds}


def wound(damage: int) -> int:
    """The wound that damage (half points) makes: its place in NAMES, None (0) to Fatal (6)."""
    return sum(damage > most for most, _ in WOUNDS)


def steps_down(result: int) -> int:
    """How many steps a Soak result (half points) makes a wound lighter, 0 to 6."""
    return sum(result > most for most in SOAK_STEPS)


def damage(roll: Roll, sheet: Sheets) -> Damage:
    """The wound that a damage roll, or the soak after it, leaves its target with.

    The result less the target's ST and armour, as the sheet has them now, names the wound; the
    Soak makes it lighter, never less than none. `amount` is its size, 0 (None) to 6 (Fatal).
    What its figures are is in `figures`.
    """
    declared: Declaration = roll.declaration
    opts = Consulted(roll.options)
    result = standing(roll, opts).result
    soaked = declared.kind == "soak"
    target = roll.character if soaked else declared.targets[0]
    known = sheet(target).attributes
    strength, armour = (halves(name, known.get(name, 0)) for name in ("ST", "armour"))
    dealt = declared.damage_halves if soaked else result
    through = dealt - strength - armour
    first = wound(through)
    figures: dict[str, Value] = {
        "damage": dealt,
        "ST": strength,
        "armour": armour,
        "through": through,
    }
    left = first
    if soaked:
        less = steps_down(result)
        left = max(0, first - less)
        figures |= {"size": first, "before_the_soak": NAMES[first], "steps_down": less}
    figures["wound"] = NAMES[left]
    effects = (Effect(target, NAMES[left].lower(), 1),) if left else ()
    return Damage(target, left, figures, opts.names, effects)
