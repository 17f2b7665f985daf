"""Cheats with the rules: what was declared, what was allowed, what it came to, and to whom."""

from typing import Any

from msgspec.structs import replace

from tests.cheats.cheat import Planted
from tests.cheats.forging import Made, ended, made, rewritten
from tests.cheats.ground import blank, fallen, ground
from tests.cheats.host import Host
from tests.cheats.stages import ROOT, brawl, hit, landed, prayer, shot, strife
from urim.engine.core import commands
from urim.engine.core.declare import json_of_outcome
from urim.engine.core.limits import NARRATOR
from urim.events import roll as rolled
from urim.events.base import AdjustedDie, Effect
from urim.events.ruling import DeclarationReplaced

PLANTED = Planted()


@PLANTED("10", fields={"root": "אשר"})
@PLANTED("11", fields={"target": 1})
def declaration_rewritten(honest: bool, fields: dict[str, Any]) -> Made:
    """The declaration made to fit the dice afterwards, in its place; the twin amends it openly."""
    host = brawl()
    number = prayer(host)
    seq = host.roll(number).trail[0].seq
    entry = host.throw(number)
    if honest:
        host.ask(NARRATOR, commands.Amend(number, "c1", fields), words="It was said so.")
        return ended(host, number)

    def twist(event: Any) -> Any:
        return replace(event, declaration={**event.declaration, **fields})

    return ended(host.anew(rewritten(host.entries, seq, twist)), number, entry)


@PLANTED("10b")
def declaration_replaced(honest: bool) -> Made:
    """Another declaration put in place of the first, after the throw; the twin does it before."""
    host = brawl()
    number = prayer(host)
    if honest:
        host.ask(NARRATOR, commands.Replace(number, {"target": 1}), words="It is quite easy.")
        host.throw(number)
        return ended(host, number)
    host.throw(number)
    event = host.event(host.roll(number).trail[0].seq)
    easy = {**event.declaration, "target": 1}
    replaced = DeclarationReplaced(NARRATOR, number, easy)
    entry = host.write(replaced, words="It is quite easy.", fields={"target": 1})
    return ended(host, number, entry)


@PLANTED("11b")
def target_forgotten(honest: bool) -> Made:
    """The outcome counted against another target than the declared one; the twin's is amended."""
    host = brawl()
    number = prayer(host, target=6)
    host.throw(number)
    if honest:
        host.ask(NARRATOR, commands.Amend(number, "c1", {"target": 1}), words="It was quite easy.")
        return ended(host, number)

    def twist(event: Any) -> Any:
        state = host.roll(number)
        easy = replace(state.roll.declaration, target=1)
        outcome = host.state.game.ruleset.outcome(replace(state.roll, declaration=easy))
        return replace(event, outcome=json_of_outcome(outcome), effects=outcome.effects)

    entry = host.finish(number, twist)
    return made(host, entry=entry)


@PLANTED("11c")
def rating_invented(honest: bool) -> Made:
    """A value settled that the sheet does not give; the twin's sheet gives it."""
    host = strife()

    def twist(event: Any) -> Any:
        value = 12 if honest else 40
        return replace(event, declaration={**event.declaration, "sheet_rating": value})

    number = host.declare("c1", kind="strike", opponent="c2", twist=twist)
    entry = host.roll(number).trail[0].seq
    host.react(number)
    host.throw(number)
    return ended(host, number, entry)


@PLANTED("22")
def outcome_invented(honest: bool) -> Made:
    """A failure announced as a success; all else is as it was."""

    def play(seed: str) -> Made | None:
        host = brawl(seed=seed)
        number = prayer(host, target=7)
        host.throw(number)
        fell: list[str] = []

        def twist(event: Any) -> Any:
            fell.append(event.outcome["degree"])
            better = {**event.outcome, "degree": "success", "margin": 1}
            return event if honest else replace(event, outcome=better)

        entry = host.finish(number, twist)
        return made(host, entry=entry) if fell == ["failure"] else None

    return landed(play)


# --- dice in the hand -----------------------------------------------------------------------------


@PLANTED("25")
def frozen_rerolled(honest: bool) -> Made:
    """A frozen die thrown again; the twin's is let go first."""
    host = brawl()
    number = prayer(host)
    host.throw(number)
    host.freeze(number, "d1", "d2")
    if honest:
        host.freeze(number, "d2")
        host.reroll(number, "d1", "d3")
        return ended(host, number)
    event = blank(host, number, "d1", "d3", nonce=host.nonce())
    entry = host.write(fallen(event, ground(host, event)))
    return ended(host, number, entry)


@PLANTED("26", beyond=3)
@PLANTED("26b", beyond=1)
def too_many_rerolled(honest: bool, beyond: int) -> Made:
    """More dice thrown again, unpaid, than the free ones; the twin pays for one in merit."""
    host = brawl()
    number = prayer(host)
    host.throw(number)
    offer = host.offer(number, "reroll")
    if honest:
        host.reroll(number, *offer.dice[: offer.most + 1])
        return ended(host, number)
    dice = offer.dice[: offer.most + beyond]
    event = blank(host, number, *dice, nonce=host.nonce())
    entry = host.write(fallen(event, ground(host, event)))
    return ended(host, number, entry)


@PLANTED("26c")
def die_added(honest: bool) -> Made:
    """A die more in the hand than the declaration has; the twin declares it."""
    host = brawl()
    number = host.declare("c1", root=ROOT, rating=5 if honest else 4, target=4)

    def twist(event: Any) -> Any:
        base = ground(host, event)
        more = base if honest else replace(base, dice=(*base.dice, ("d9", base.dice[0][1])))
        return fallen(event, more)

    entry = host.throw(number, twist=twist)
    return ended(host, number, entry)


@PLANTED("27")
def adjusted_by_the_loser(honest: bool) -> Made:
    """Adjustments made by the side with the lesser value; the twin's side has the greater one."""
    host = strife()
    number = host.declare("c1", kind="strike", opponent="c2")
    host.react(number)
    host.throw(number)
    offer = host.offer(number, "adjust")
    die = next(die for die in offer.dice if offer.to[die])
    face = min(offer.to[die], key=lambda face: offer.to[die][face])
    laid = (AdjustedDie(die, face),)
    by = "p1" if honest else "p2"
    entry = host.write(rolled.DiceAdjusted(by, number, offer.hand, offer.means, laid))
    return ended(host, number, entry)


# --- what it does ---------------------------------------------------------------------------------


@PLANTED("28")
def damaged_twice(honest: bool) -> Made:
    """One hit that hurts twice; the twin's is announced again, for the shot is amended."""
    host, number = landed(hit)
    host.apply_damage(number)
    if honest:
        host.ask(NARRATOR, commands.Amend(number, "c1", {"weapon": 1}), words="A short bow.")
        return made(host)
    return made(host, entry=host.write(damage_now(host, number)))


def damage_now(host: Host, number: int) -> rolled.DamageApplied:
    """What the roll would do to its victim as it stands now."""
    table = host.state
    damage = table.game.ruleset.damage(host.roll(number).roll, table.sheet)
    return rolled.DamageApplied(
        "p1", number, damage.target, json_of_outcome(damage), damage.effects
    )


@PLANTED("29")
def wounds_invented(honest: bool) -> Made:
    """A wound more than the rules give, in figures and effect; the twin's is set by hand."""
    host, number = landed(hit)

    def twist(event: Any) -> Any:
        filled = event.damage["figures"]["filled"]
        figures = {**event.damage["figures"], "filled": filled + 1}
        effects = (Effect(event.target, "wounds", filled + 1),)
        worse = replace(event, damage={**event.damage, "figures": figures}, effects=effects)
        return event if honest else worse

    entry = host.apply_damage(number, twist)
    if honest:
        wounds = host.state.sheet("c2").tracks["wounds"]
        host.ask(NARRATOR, commands.SetTrack("c2", "wounds", wounds + 1))
    return ended(host, shot(host), entry)


@PLANTED("29b")
def place_chosen(honest: bool) -> Made:
    """A blow that lands where there is no armour, whatever the die for the place shows."""

    def play(seed: str) -> Made | None:
        host = brawl(seed=seed)
        number = host.declare("c1", root=ROOT, rating=9, opponent="c2", combat=True)
        host.react(number, root="חננ", rating=1)
        host.finish(number)
        if not any(offer.trigger == "apply_damage" for offer in host.offers(number)):
            return None

        def twist(event: Any) -> Any:
            figures = {**event.damage["figures"], "location": "head", "letter": "ש"}
            elsewhere = replace(event, damage={**event.damage, "figures": figures})
            return event if honest else elsewhere

        entry = host.apply_damage(number, twist)
        return made(host, entry=entry) if host.event(entry).damage["figures"]["raw"] else None

    return landed(play)
