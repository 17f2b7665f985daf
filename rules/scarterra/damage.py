"""What a hit does in Scarterra: its damage, less what is soaked, fills health levels."""

from typing import Any

from ...errors import Refused
from ...events.base import Effect
from ..figures import Value
from ..readings import Consulted
from ..ruleset import Damage, Roll, Sheet, Sheets, Track
from .declare import SOAKS, Blow
from .options import Options, Soak
from .outcome import FAILED
from .settle import out, wound_penalty


def tracks(options: Options) -> dict[str, Track]:
    """Every counter of a character: health levels lost, and one more wound that puts it out."""
    return {"wounds": Track(most=len(options.health_levels) + 1)}


def hits(roll: Roll) -> bool:
    """Whether the resolved roll is an attack that hit."""
    return (
        roll.declaration.combat and roll.outcome is not None and roll.outcome.degree not in FAILED
    )


def blow_of(roll: Roll) -> Blow:
    """The hit that a resolved attack makes, or that a soak is rolled against.

    Raises Refused for any other roll.
    """
    if roll.outcome is not None and roll.declaration.blow is not None:
        found: Blow = roll.declaration.blow
        return found
    if roll.outcome is None or not hits(roll):
        raise Refused("not-offered", "only an attack that hit does damage")
    return Blow(
        attacker=roll.character,
        attack=roll.outcome.margin,  # 0 where a tie hits
        weapon=roll.declaration.weapon,
        soak=roll.declaration.soak,
    )


def damage(roll: Roll, sheet: Sheets) -> Damage:
    """What a hit does to its victim as it is now (Resisted Rolls, Reflexive Dice Rolls).

    Applied by the attack, or by the soak where one was rolled. Figures: `attack` (net successes),
    `weapon`, `damage`, `soaked`, `left`; where any is left the health levels `filled`, and where
    there are not as many, how many there are (`room`) and what is `beyond`; `wound_penalty` from
    now on, or `out`. Raises Refused where the roll does no damage.
    """
    opts = Consulted(roll.options)
    blow = blow_of(roll)
    soaks = roll.declaration.blow is not None
    victim = sheet(roll.character if soaks else roll.declaration.opponent)
    if not soaks:
        _soak_read(blow, victim, roll.options, opts)
    weapon = int(opts.weapon_damage) if blow.weapon is None else blow.weapon
    whole = blow.attack + weapon
    soaked = max(0, roll.outcome.margin) if soaks and roll.outcome else 0
    left = max(0, whole - soaked)
    figures: dict[str, Value] = {"attack": blow.attack, "weapon": weapon, "damage": whole}
    if soaks:
        figures["soaked"] = soaked
    figures["left"] = left
    before = victim.tracks.get("wounds", 0)
    room = _room(before, opts) if left else 0
    filled = min(left, room)
    if left > filled:
        figures["room"] = room
    if left:
        figures["filled"] = filled
    if left > filled:
        figures["beyond"] = left - filled
    if filled and out(before + filled, opts):
        figures["out"] = True
    elif filled:
        figures["wound_penalty"] = wound_penalty(before + filled, opts)
    effects = (Effect(victim.character, "wounds", filled),) if filled else ()
    return Damage(victim.character, left, figures, opts.names, effects)


def can_soak(victim: Sheet, by: Soak) -> bool:
    """Whether a character has dots to soak with these traits (Reflexive Dice Rolls)."""
    return sum(victim.attributes.get(name, 0) for name in SOAKS[by]) >= 1


def _soak_read(blow: Blow, victim: Sheet, options: Options, opts: Any) -> None:
    """Look up what soaks where only that reading left the victim nothing to soak with."""
    might = any(can_soak(victim, by) for by in SOAKS)
    if blow.soak is None and might and not can_soak(victim, options.soak_by):
        opts.used("soak_by")


def _room(wounds: int, opts: Any) -> int:
    """How many more health levels a character can lose."""
    return max(0, len(opts.health_levels) + 1 - wounds)
