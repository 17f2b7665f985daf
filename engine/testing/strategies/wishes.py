"""Declarations that are legal, for a system of which nothing is known but its Structs.

Some are looked for first, by trying what the Declaration takes until the rules accept some;
others are made of those, a field at a time, as far as that stays legal.
"""

from collections.abc import Sequence

from ....errors import Refused
from ....events.base import JSON
from ....rules.ruleset import Ruleset
from ...core.commands import Declare
from ...core.parse import read_as
from ..kit.luck import Luck
from ..kit.trial import Who
from ..plugin.tables import FixtureTable
from ..plugin.watch import watching
from .types import Words, json_of

LOOKS = 4_000
"""Declarations that are tried, at most, to find some that are legal."""

ENOUGH = 3
"""Legal ones after which no more are looked for."""

PATIENCE = 400
"""Declarations that are tried in vain, once one was found, until no more are looked for."""

_found: dict[tuple[Ruleset, str, str], list[JSON]] = {}
"""What was found, by system, characters and options."""


class Wishes:
    """The declarations of a system that its first character, c1, may make at a fresh table.

    `like` are some that the caller knows; without any, some are looked for when first asked.
    """

    def __init__(
        self,
        rules: Ruleset,
        characters: Sequence[Who],
        options: JSON | None = None,
        like: Sequence[JSON] = (),
    ) -> None:
        self.rules = rules
        self.words = words_of(rules, characters, options)
        self.without = (*rules.settled, *rules.narrators)
        with watching():  # no table of the test's
            self._table = FixtureTable(rules, options=options)
            for number, who in enumerate(characters, 1):
                self._table.character(f"C{number}", attributes=who.attributes, tracks=who.tracks)
        self._known = [dict(wish) for wish in like]
        self._key = (rules, repr(characters), repr(options))

    def drawn(self, luck: Luck) -> JSON:
        """A legal declaration. Raises Refused("unknown") where none was found."""
        known = self._known or _found.get(self._key)
        if known is None:
            known = _found.setdefault(self._key, self._looked_for())
        wish = luck.one_of(known)
        fields = json_of(self.rules.Declaration, self.words, luck, self.without)
        for name, value in fields.items():
            other = {**wish, name: value}
            if self.legal(other):
                wish = other
        return wish

    def reaction(self, luck: Luck) -> JSON:
        """A reaction, which may be refused: what it answers is not known."""
        return json_of(self.rules.Reaction, self.words, luck, self.without)

    def legal(self, wish: JSON) -> bool:
        """Whether c1 may declare this, be it with a narrator's leave."""
        aggregate = self._table.aggregate
        try:
            aggregate.prepare("p1", aggregate.body(Declare("c1", wish)))
        except Refused as error:
            return error.code == "needs-leave"
        return True

    def _looked_for(self) -> list[JSON]:
        """Some legal declarations without a field that they could do without, shortest first."""
        found: dict[str, JSON] = {}
        last = LOOKS
        for look in range(LOOKS):
            luck = Luck(f"wish {look}")
            wish = json_of(self.rules.Declaration, self.words, luck, self.without)
            if self.legal(wish):
                least = self._least(wish)
                last = look if repr(sorted(least)) not in found else last
                found.setdefault(repr(sorted(least)), least)
            if len(found) >= ENOUGH or look - last > PATIENCE:
                break
        if not found:
            why = f"of {LOOKS:,} declarations of {self.rules.title} none was legal"
            raise Refused("unknown", why, allowed=["like=[a legal one]", "characters with sheets"])
        return sorted(found.values(), key=lambda wish: (len(wish), repr(wish)))

    def _least(self, wish: JSON) -> JSON:
        for name in list(wish):
            less = {key: value for key, value in wish.items() if key != name}
            if self.legal(less):
                wish = less
        return wish


def words_of(rules: Ruleset, characters: Sequence[Who], options: JSON | None) -> Words:
    """The characters' ids, the names on their sheets, and the letters that the dice show."""
    ids = [f"c{number}" for number in range(1, len(characters) + 1)]
    sheets = [name for who in characters for name in who.attributes]
    faces = rules.faces(read_as(options or {}, rules.Options)).values()
    every = {face for table in faces for face in table if isinstance(face, str)}
    letters = tuple(sorted(face for face in every if len(face) == 1 and face.isalpha()))
    return Words(names=(*ids, *dict.fromkeys(sheets)), letters=letters)
