"""One command for every trigger of a roll, of a form that some state would allow."""

from collections.abc import Mapping

from tests.engine.helpers.refusals.setups import NATURAL
from urim.engine.core import commands
from urim.events.base import AdjustedDie

EVERY: Mapping[str, commands.Asking] = {
    "veto": commands.worded(commands.Veto(1), "so it is"),
    "replace": commands.worded(commands.Replace(1, {"target": 1}), "so it is"),
    "react": commands.React(1, "c2", {"root": "חנן", "rating": 1}),
    "roll": commands.RollDice(1, "initiator", faces=NATURAL),
    "freeze": commands.Freeze(1, "initiator", ("d1",)),
    "reroll": commands.Reroll(1, "initiator", faces=("ר",), dice=("d2",)),
    "adjust": commands.Adjust(1, "initiator", "cipher", (AdjustedDie("d2", "ח"),)),
    "choose": commands.Choose(1, "natural", "bonus"),
    "resolve": commands.Resolve(1),
    "apply_damage": commands.ApplyDamage(1),
    "amend": commands.worded(commands.Amend(1, "c1", {"target": 1}), "so it is"),
    "void": commands.worded(commands.Void(1), "so it is"),
    "withdraw": commands.Withdraw(1),
    "ask": commands.Ask(1, "initiator", 11, ("p1", "p2")),
    "open_share": commands.OpenShare(1, "0" * 64),
    "break_throw": commands.BreakThrow(1),
    "confirm": commands.Confirm(1, 0),
    "flavour": commands.Flavour(1, "initiator", ("רב",)),
    "fate": commands.DecideFate(1, "killed"),
    "reveal": commands.Reveal(1),
    "dispute": commands.worded(commands.Dispute(1), "so it is"),
    "rule": commands.worded(commands.Rule(1, 12, "stands"), "so it is"),
}
"""By what `do` calls them."""

IN_STATE: Mapping[str, str] = {
    "declared": "declared",
    "reacted": "answered",
    "rolled": "rolled",
    "frozen": "frozen",
    "rerolled": "rerolled",
    "adjusted": "flipped",
    "resolved": "resolved",
    "damaged": "damaged",
    "voided": "voided",
}
"""A set-up whose first roll is in each state."""

OFFERED: Mapping[str, str] = {
    "react": "opposed",
    "roll": "declared",
    "freeze": "rolled",
    "reroll": "rolled",
    "adjust": "rolled",
    "choose": "natural",
    "resolve": "rolled",
    "apply_damage": "struck",
}
"""A set-up in which the command would be done for the seat that it is offered to."""

NARRATED: Mapping[str, str] = {
    "veto": "declared",
    "replace": "declared",
    "amend": "resolved",
    "void": "resolved",
    "flavour": "resolved",
    "fate": "damaged",
    "reveal": "gm",
    "rule": "disputed",
}
"""A set-up in which the command would be a narrator's."""
