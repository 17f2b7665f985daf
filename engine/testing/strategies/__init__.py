"""Hypothesis strategies for any game system: declarations, legal histories, whole tables.

    @given(tables(RULESET))
    def test_no_roll_ends_without_a_degree(table): ...

    @given(histories("a system", declarations=[{"attribute": "strength"}]))
    def test_a_story(story): ...

All that is drawn is legal: it comes from what the rules offer. Stories shrink to few commands, the
first of what was offered, the first faces of the dice; the dice are scripted, so that a story goes
into a scenario as it is. They need Hypothesis: `pip install "path/to/urim[testing]"`.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from ....errors import pip_install

try:
    from hypothesis import strategies as st
    from hypothesis.strategies import SearchStrategy
except ImportError as error:
    WHY = f"Urim's strategies need Hypothesis, which is not installed: {pip_install('testing')}"
    raise ImportError(WHY, name="hypothesis") from error

from ....events.base import JSON
from ....rules import ruleset_named
from ....rules.readings import readings_of
from ....rules.ruleset import Ruleset
from ..kit.trial import Trial, Who
from ..plugin.tables import FixtureTable
from .play import Drawn, Draws, Story
from .wishes import Wishes

__all__ = ["Story", "Who", "declarations", "histories", "tables"]

TWO = (Who(), Who())
"""The characters where the caller names none: nothing on their sheets."""

REACTIONS = 2
"""Reactions to choose from in one story where the caller names none."""

Given: TypeAlias = Sequence[JSON] | SearchStrategy[JSON]
"""Declarations or reactions: some to choose from, or a strategy for them."""


def declarations(
    system: str | Ruleset,
    *,
    characters: Sequence[Who] = TWO,
    like: Sequence[JSON] = (),
    options: JSON | None = None,
) -> SearchStrategy[JSON]:
    """Declarations that character c1 may make, as JSON.

    They vary those that they shall be `like`; without any, the shortest that the rules accept are
    looked for. A field that only a narrator may set, or nobody, is left out. Raises
    Refused("unknown") for a system that is not installed, and when drawn, where none is found.
    """
    return _legal(Wishes(_ruleset(system), characters, options, like))


def histories(
    system: str | Ruleset,
    *,
    characters: Sequence[Who] = TWO,
    declarations: Given | None = None,
    reactions: Given | None = None,
    followers: Mapping[str, Sequence[JSON]] | None = None,
    amendments: Sequence[JSON] = (),
    options: Sequence[JSON] = ({},),
    rolls: int = 3,
    moves: int = 20,
    voids: bool = True,
    ended: bool = False,
) -> SearchStrategy[Story]:
    """Tables that nobody thought up, each with the commands that led to it.

    At least one roll is declared, at most `rolls` besides those that follow others, and at most
    `moves` moves are made. With `voids` a narrator voids, and corrects what `amendments` name; with
    `ended` every roll is brought to its end. What the caller does not name is made from the
    system's own Structs; characters are c1, c2 …, and each story has one of the `options`.
    """
    rules = _ruleset(system)
    known = [(given, Wishes(rules, characters, given)) for given in options]

    @st.composite
    def stories(draw: st.DrawFn) -> Story:
        given, wishes = Draws(draw).one_of(known)
        trial = Trial(
            ruleset=rules,
            bare=rules,
            declarations=(),
            characters=characters,
            reactions=_reactions(draw, wishes, reactions),
            followers=followers or {},
            amendments=amendments,
            options=options,
            recount=None,
            readings=readings_of(rules.Options),
        )
        chosen = _legal(wishes) if declarations is None else _strategy(declarations)
        drawn = Drawn(trial, given, draw, chosen)
        return drawn.play_story(rolls=rolls, moves=moves, voids=voids, ended=ended)

    return stories()


def tables(system: str | Ruleset, **given: Any) -> SearchStrategy[FixtureTable]:
    """The tables of `histories`, which takes the same arguments."""

    def table_of(story: Story) -> FixtureTable:
        return story.table

    return histories(system, **given).map(table_of)


# --- what the caller does not name ----------------------------------------------------------------


def _ruleset(system: str | Ruleset) -> Ruleset:
    return system if isinstance(system, Ruleset) else ruleset_named(system)


def _strategy(wishes: Given) -> SearchStrategy[JSON]:
    if isinstance(wishes, SearchStrategy):
        return wishes
    return st.sampled_from([dict(each) for each in wishes])


def _legal(wishes: Wishes) -> SearchStrategy[JSON]:
    @st.composite
    def legal(draw: st.DrawFn) -> JSON:
        return wishes.drawn(Draws(draw))

    return legal()


def _reactions(draw: st.DrawFn, wishes: Wishes, reactions: Given | None) -> Sequence[JSON]:
    if isinstance(reactions, SearchStrategy):
        return draw(st.lists(reactions, min_size=1, max_size=REACTIONS))
    if reactions is not None:
        return reactions
    luck = Draws(draw)
    return [{}, *(wishes.reaction(luck) for _ in range(luck.below(REACTIONS + 1)))]
