"""A table of Age of Magic with four characters, and rolls of theirs thrown in one line."""

from collections.abc import Sequence
from typing import Any

from urim.engine.core.commands import Amend, React, worded
from urim.engine.core.limits import NARRATOR
from urim.engine.table import CharacterHandle, RollHandle
from urim.engine.testing.plugin.tables import FixtureTable
from urim.rules.ruleset import Outcome

SCORES = {"Brawling": 6, "Fists": 1, "ST": 3, "Trance": 4, "WI": 6, "Lore": 0}


class Cast:
    """Cogan; Mara who has luck; Tor who has unluck; Kay who has both; ids c1 to c4."""

    def __init__(self, tired: int = 1, **options: Any) -> None:
        self.table = FixtureTable("age_of_magic", options=options)
        self.cogan = self._enter("Cogan", {**SCORES, "luck": 1}, tired)
        self.mara = self._enter("Mara", {**SCORES, "luck": 1}, tired)
        self.tor = self._enter("Tor", {**SCORES, "unluck": 1, "armour": 2}, tired)
        self.kay = self._enter("Kay", {**SCORES, "luck": 1, "unluck": 1}, tired)

    def _enter(self, name: str, attributes: dict[str, int], tired: int) -> CharacterHandle:
        return self.table.character(name, attributes=attributes, tracks={"tiredness": tired})

    def declare(self, who: CharacterHandle | None = None, **declared: Any) -> RollHandle:
        """A roll of Brawling 6 and ST 3 at 8, Cogan's unless it says otherwise."""
        usual: dict[str, Any] = {"skill": "Brawling", "characteristic": "ST", "difficulty": 8}
        return self.table.declare(who or self.cogan, **usual | declared)

    def came_to(self, *throws: Sequence[int], **declared: Any) -> Outcome:
        """What a roll of Cogan's comes to, with as many dice of risk as faces are given."""
        return done(self.declare(**declared), *throws)

    def attack(self, target: CharacterHandle, *faces: int, **declared: Any) -> RollHandle:
        """A resolved attack of Cogan's."""
        roll = self.declare(kind="attack", targets=[target.id], **declared)
        done(roll, faces)
        return roll

    def follow(
        self, before: RollHandle, who: CharacterHandle, link: str, *faces: int, **declared: Any
    ) -> RollHandle:
        """A resolved roll that follows another."""
        roll = self.table.declare(who, follows=(before, link), **declared)
        done(roll, faces)
        return roll

    def amend(self, roll: RollHandle, who: CharacterHandle, **fields: Any) -> None:
        """The narrator's correction of what somebody declared."""
        self.table.submit(NARRATOR, worded(Amend(roll.number, who.id, fields), "wrong"))


def done(roll: RollHandle, *throws: Sequence[int]) -> Outcome:
    """A roll thrown, once or twice, and resolved; all who may still be lucky decline."""
    for offer in roll.offers:
        if offer.trigger == "react" and offer.due:
            seat = roll.table.state.characters[offer.character].seat
            roll.table.submit(seat, React(roll.number, offer.character, None))
    for faces in throws or ((),):
        (offer,) = (offer for offer in roll.offers if offer.trigger == "roll")
        roll.roll(option=len(faces) if offer.options else None, faces=faces or None)
    return roll.resolve()
