"""The record a game system fills in, and the values its pure functions are given and give back.

A system is a module or a folder that shows `RULESET = Ruleset(...)`. It never sees the log, a seat,
the clock or a random number: it is given what is on the table, and answers what may happen next
(`offers`), how it ends (`outcome`) and what it does to a character (`damage`).
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, Protocol, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from ..errors import Refused
from ..events.base import Effect, Face
from .figures import Figure, Sum
from .forms import Chart
from .values import Die, Hand, Scored, Sheet, Tally, Track, sorted_faces
from .words import Words

__all__ = [
    "Damage",
    "Dice",
    "Die",
    "Hand",
    "NoReaction",
    "Offer",
    "Opposed",
    "Outcome",
    "Roll",
    "Rollable",
    "Ruleset",
    "Scored",
    "Sheet",
    "Sheets",
    "Tally",
    "Track",
    "Trigger",
    "Want",
    "as_declared",
    "as_written",
    "awaited",
    "by_degree",
    "declinable",
    "declined",
    "declines",
    "must_name_another",
    "no_counts",
    "no_damage",
    "no_reaction",
    "no_rollables",
    "no_sums",
    "no_tracks",
    "no_wants",
    "nobody",
    "nothing_follows",
    "opponent_of",
    "reaction_of",
    "to_reach",
]

Trigger: TypeAlias = Literal[
    "react",
    "roll",
    "freeze",
    "reroll",
    "adjust",
    "resolve",
    "apply_damage",
    "declare",
    "flavour",
]
"""What an offer can be about; a `declare` that is offered is a roll that follows another."""


class Outcome(Struct, frozen=True, gc=False):
    """How a roll ends.

    `degree` is the book's word for it and `margin` how far it was beyond (above 0) or short of
    (below 0) what was needed. `figures` hold every number on the way there, `readings` the names
    of the readings that decided it, `effects` what the characters gain or lose at once.

    A figure is called what the book calls it, and is one flat fact (`figures.Value`); people read
    them in this order, scenarios expect them by name. One name is promised, where a system has such
    a figure: `location`, the place that is hit, in a word.
    """

    degree: str
    margin: int
    figures: dict[str, Any]
    readings: tuple[str, ...] = ()
    effects: tuple[Effect, ...] = ()


class Damage(Struct, frozen=True, gc=False):
    """What a roll does to `target`: `amount` in the system's unit, each step in `figures`.

    Figures are as in an Outcome.
    """

    target: str
    amount: int
    figures: dict[str, Any]
    readings: tuple[str, ...] = ()
    effects: tuple[Effect, ...] = ()


class Roll(Struct, frozen=True, gc=False, kw_only=True):
    """A roll as the rules see it.

    `options` is the system's Options, its readings and table data, in force at this table.
    `declaration` and the second of each pair in `reactions` are the system's own Structs (None:
    the character declined). `link` is how this roll follows another, `choices` hold the final
    choices by name, `outcome` the announced one, `damaged` whether its damage was applied.
    """

    options: Any
    character: str
    declaration: Any
    reactions: tuple[tuple[str, Any], ...] = ()
    hands: tuple[Hand, ...] = ()
    choices: Mapping[str, str] = {}
    link: str | None = None
    outcome: Outcome | None = None
    damaged: bool = False

    def hand(self, name: str) -> Hand | None:
        """The hand of that name, or None before its first throw."""
        for hand in self.hands:  # asked for very often: no generator
            if hand.name == name:
                return hand
        return None


class Offer(Struct, frozen=True, kw_only=True):
    """One thing that the rules allow next.

    `trigger` and `character`: what, and by whose character ("" for the narrators). `due`: it must
    happen before `resolve`. `note`: what players should know before they take it up, a sentence.

    - `roll`: throw `hand`, the kinds of its dice in `dice`. With `options`, the roller names how
      many of them. A die that falls on a face in `again` is thrown again at once. With `link`, the
      dice are taken over from the roll that this one follows.
    - `freeze`: any set of the die ids in `dice`.
    - `reroll`: `least` to `most` of the ids in `dice`, `extra` more at `extra_cost` (track, points)
      each. With as many as there are, all or none.
    - `adjust` with `means`: put dice to the faces in `to` (die -> face -> cost), `most` in all.
    - `adjust` with `choice`: one of `options`, final.
    - `declare`: a roll that follows this one by `link`; where `choice` names a field of its
      declaration, its value is one of `options`.
    - `flavour`: words that the faces in `options` of `hand` spell, in the tone `choice`.
    - `react`: where `choice` names a field of the reaction, its value is one of `options`, and it
      is left alone rather than declined unless it is due.
    - `resolve`, `apply_damage`: no further field.

    With `narrator` a narrator takes it up, and no player.
    """

    trigger: Trigger
    character: str
    due: bool = False
    hand: str = ""
    dice: tuple[str, ...] = ()
    least: int = 1
    most: int = 0
    extra: int = 0
    extra_cost: tuple[str, int] = ("", 0)
    again: tuple[Face, ...] = ()
    means: str = ""
    to: Mapping[str, Mapping[Face, int]] = {}
    link: str = ""
    choice: str = ""
    options: tuple[Face, ...] = ()
    note: str = ""
    narrator: bool = False


class Rollable(Struct, frozen=True, tag="rollable", tag_field="type"):
    """A roll that a character's sheet begins: its `name`, and the declaration as far as it goes.

    `asks` are the fields that are asked then: those that are needed, and those usually named.
    """

    name: str
    declaration: Mapping[str, Any]
    asks: tuple[str, ...] = ()


class Want(Struct, frozen=True, gc=False):
    """A face that a roll wants of a hand, and the ids of the dice that show it.

    `least`: it is a number, and each higher one does as well.
    """

    face: Face
    dice: tuple[str, ...]
    least: bool = False


def to_reach(number: int, hand: Hand) -> tuple[Want, ...]:
    """A number that dice of a hand are to show or surpass."""
    reached = tuple(die.id for die in hand.dice if isinstance(die.face, int) and die.face >= number)
    return (Want(number, reached, least=True),)


def awaited(roll: Roll, *characters: str) -> tuple[Offer, ...]:
    """The reactions that are due: of each of these characters, until it is given or declined.

    Nobody gains by not answering: nothing else of a roll is offered meanwhile.
    """
    answered = {who for who, _ in roll.reactions}
    silent = (who for who in characters if who not in answered)
    return tuple(Offer(trigger="react", character=who, due=True) for who in silent)


def declined(roll: Roll) -> tuple[str, ...]:
    """The characters that declined to react, in the order in which they did."""
    return tuple(who for who, reaction in roll.reactions if declines(reaction))


def declines(reaction: Any) -> bool:
    """Whether a settled reaction is none: None, or what `decline` of its ruleset gave instead."""
    return reaction is None or bool(getattr(reaction, "declined", False))


def declinable(offer: Offer) -> bool:
    """Whether this `react` can be declined: it is due, or is no choice that can be left alone."""
    return offer.due or not offer.choice


Sheets: TypeAlias = Callable[[str], Sheet]
"""A character's sheet as of now, by the character's id."""

Dice: TypeAlias = tuple[Die, ...]
"""Dice that a following roll takes over."""


class NoReaction(Struct, frozen=True, forbid_unknown_fields=True):
    """The reaction of a system in which nobody reacts."""


def as_written(word: str) -> str:
    """A word that the dice spell with the letters it is written with."""
    return word


def no_rollables(options: Any, sheet: Sheet) -> tuple[Rollable, ...]:
    """A system whose rolls do not begin at the sheet."""
    return ()


def no_tracks(options: Any) -> Mapping[str, Track]:
    """No track: the characters of the system have nothing to count."""
    return {}


def nobody(declaration: Any) -> tuple[str, ...]:
    """A declaration that names no other character."""
    return ()


class Opposed(Protocol):
    """A declaration that may name an opponent."""

    @property
    def opponent(self) -> str | None:
        """A character's id; None where nobody opposes the roll."""


def opponent_of(declaration: Opposed) -> tuple[str, ...]:
    """The opponent's id, where the declaration names one: for a system with no other characters."""
    return () if declaration.opponent is None else (declaration.opponent,)


def must_name_another(declaration: Opposed, sheet: Sheet) -> None:
    """Refuse a roll that its own character opposes."""
    if declaration.opponent == sheet.character:
        raise Refused("malformed", f"{sheet.character} cannot oppose itself")


def reaction_of(roll: Roll) -> Any:
    """The opponent's reaction, or what a system keeps of one that declined; None without one."""
    for who, reaction in roll.reactions:
        if who == roll.declaration.opponent:
            return reaction
    return None


def as_declared(roll: Roll, reaction: Any, sheet: Sheet) -> tuple[Any, tuple[Effect, ...]]:
    """A reaction exactly as it was declared, at no price."""
    return reaction, ()


def no_reaction(roll: Roll, sheet: Sheet) -> Any:
    """A character that declines leaves nothing: None."""
    return None


def nothing_follows(declaration: Any, link: str, parent: Roll) -> tuple[Any, Dice]:
    """No roll of the system follows another: raises Refused("unknown") for every link."""
    raise Refused("unknown", f"no roll follows by {link!r}")


def no_damage(roll: Roll, sheet: Sheets) -> Damage:
    """A system in which nobody is hurt: raises Refused("not-offered")."""
    raise Refused("not-offered", "no roll of this system does damage")


def no_sums(announced: Outcome | Damage) -> tuple[Sum, ...]:
    """Nothing adds up: for a system without numbers."""
    return ()


def no_counts(roll: Roll) -> Mapping[str, tuple[str, ...]]:
    """No figure is made of dice."""
    return {}


def no_wants(roll: Roll, hand: Hand) -> tuple[Want, ...]:
    """No face is wanted more than another."""
    return ()


def by_degree(outcome: Outcome) -> str:
    """The degree is its own reason."""
    return outcome.degree


class Ruleset(Struct, frozen=True, kw_only=True):
    """A game system: its identity first, then its words, then its functions.

    `triggers` names those of its offers, for people. `unit` is what its margins count, where that
    is not the book's own points; `halves`: whether a rating may be one (7.5). `aim` is what is
    wanted of a roll where nobody says: `success`, `above 0`, or a great `margin`. `ratings` are
    names of ratings that the book uses, for who fills in a sheet. `Options` holds the readings and
    the table data, all with defaults. `involves` names the other characters of a declaration.
    `settle` writes the sheet's numbers into a declaration, once, and names the prices
    paid for it; it gets the link where the roll follows another. `answer` does the same for a
    reaction, `decline` for a character that declines: None, or a reaction of the system's own with
    a field `declined` that is true, where its sheet counts all the same. `follow` then completes
    the settled declaration of a roll that follows `parent` by `link`, and names the dice that it
    takes over; it is asked again when the parent is amended. `offers` says everything that may
    happen next, after `resolve` as well. `spelling` gives the letters that the dice spell a word
    with. `score` is what `outcome` says without its figures, for who asks often (None: it is asked
    itself); who replaces one of them replaces the other. `tally` is all that some faces of a
    hand count for while others are `left` to come, frozen and adjusted ones with what that leaves
    open. Equal tallies stay equal with any face more beside both, whatever number is left then,
    none apart; dice of which each face alone has an equal tally are alike. With none left they have
    the same score, by any choice that is offered too, and offers that differ only in which dice
    they name, and dice that are kept of them for another throw have equal tallies too. `reach` is
    every score that a roll may end with by an `adjust` of a hand, where nothing but `resolve`
    follows it (None: every set of faces is tried, of which there may be too many). `rollables`
    are the rolls that a character's sheet begins, for a tap. `narrators` are the fields of a
    declaration or reaction that only a narrator may set, `settled` those that nobody may, for
    settling fills them. `charts` are what fields pick from.

    `figures` declares every figure of its outcomes and damage, by name; `sums` says how the numbers
    of an outcome add up, the margin among them, from what was announced alone; `damage_sums` the
    same of damage and its amount, for which the outcome's margin counts as a figure too. `counts`
    names the dice that make a figure, so far, or throws of a die (`d1:2`, its second). `wants` are
    the faces that a roll wants of a hand on the table, to stand above its dice. `reason` is
    why an outcome has its degree: a key of the words, `reason.KEY`, with the figures' keys in
    braces. `words` are its words by language and key (`words.py`); a key without a word is read as
    the name that it ends in.

    What the program asks, when, and what must come of it:

    ===========  =================================================  ==============================
    function     asked                                              answer
    ===========  =================================================  ==============================
    faces        for a table's options when it is opened or read;   a tuple of at least one number
                 for the defaults, and each other value of each     or text for each kind of die;
                 reading alone, when systems are described          equal options, equal faces
    tracks       as faces                                           Track by name; as faces
    settle       when a roll is declared; again, with its own       the declaration, prices; may
                 answer less `settled`, fields corrected or left    refuse. The declaration comes
                 out, when that is replaced or amended              back from JSON equal
    follow       of a parent that offers the link: after settle;    the declaration, completed, and
                 at the throw that takes dice over; again, with     dice; may refuse at the
                 the completed declaration, whenever the parent     declaration, not later
                 may have changed
    involves     for every declaration that settle or follow gave,  a tuple of ids; never refuses.
                 at any time: who may see a hidden roll             Who is not named is offered
                                                                    nothing, read or changed by none
    answer       when a reaction is given; again, in any later      the reaction, prices; may refuse
                 state of the roll, when it is amended
    decline      when a reaction is declined                        None, or a reaction; may refuse
    offers       when a roll is declared, with no reaction or hand  a tuple of Offer; may refuse at
                 yet; then in every state but `voided`, after       the declaration: what can never
                 `resolve` and after damage too                     go on. Never later
    outcome      when `resolve` is offered; of any roll that was    Outcome, the same each time; may
                 resolved, again; and so far, in every state but    refuse what was not resolved,
                 `voided`: before the first throw, before a         and raises nothing else where a
                 reaction, with hands that are missing              hand or a reaction is missing
    score        as outcome                                         degree, margin and effects of
                                                                    outcome, or its refusal
    tally        of any dice of a hand on the table, or about to    a value that can be hashed;
                 be thrown, by their ids, and how many are to       never refuses but for dice
                 come; the roll is given without its hands          without end
    reach        where an `adjust` of faces is offered              Scores; never refuses
    damage       when `apply_damage` is offered; of any roll that   Damage; never refuses
                 was `damaged`, again, with sheets on which any
                 track may have any of its values
    spelling     of any word, when flavour is named                 its letters; may refuse
    rollables    for any sheet, when somebody looks at it           Rollables, each by another
                                                                    name; never refuses
    sums         of any outcome that it gave                        tuples of Sum, each of which
    damage_sums  of any damage that it gave                         comes out; never refuse
    reason       of any outcome that it gave                        a key; never refuses
    counts       as outcome, and before the first throw             ids of dice by figure; never
                                                                    refuses
    wants        of any hand of a roll, in every state              Wants, with ids of its dice;
                                                                    never refuses
    ===========  =================================================  ==============================

    To refuse is to raise Refused: nothing else is raised. A question that is asked twice has one
    answer, whatever was asked meanwhile. No function changes or keeps what it is given, nor changes
    what it has answered. Declarations, reactions and options are frozen Structs, and so are all
    Structs within them. An outcome or damage names in `readings` those that decided it: also those
    that acted before, in the declaration and the reactions as they were settled, the dice that were
    thrown, and what was rerolled or adjusted.

    `urim.engine.testing.kit` asks all of this at every moment of random histories.
    """

    name: str
    version: int
    title: str
    source: str
    triggers: tuple[Trigger, ...]
    unit: str = ""
    halves: bool = False
    aim: Literal["success", "above 0", "margin"] = "success"
    ratings: tuple[str, ...] = ()
    Declaration: type[Struct]
    Reaction: type[Struct] = NoReaction
    Options: type[Struct]
    faces: Callable[[Any], Mapping[str, tuple[Face, ...]]]
    tracks: Callable[[Any], Mapping[str, Track]] = no_tracks
    involves: Callable[[Any], tuple[str, ...]] = nobody
    settle: Callable[[Any, Any, Sheet, str | None], tuple[Any, tuple[Effect, ...]]]
    answer: Callable[[Roll, Any, Sheet], tuple[Any, tuple[Effect, ...]]] = as_declared
    decline: Callable[[Roll, Sheet], Any] = no_reaction
    follow: Callable[[Any, str, Roll], tuple[Any, Dice]] = nothing_follows
    offers: Callable[[Roll, Sheets], tuple[Offer, ...]]
    outcome: Callable[[Roll], Outcome]
    score: Callable[[Roll], Scored] | None = None
    tally: Callable[[Roll, Hand, Mapping[str, Face], int], Tally] = sorted_faces
    reach: Callable[[Roll, Hand], Iterable[Scored]] | None = None
    damage: Callable[[Roll, Sheets], Damage] = no_damage
    spelling: Callable[[str], str] = as_written
    rollables: Callable[[Any, Sheet], tuple[Rollable, ...]] = no_rollables
    narrators: tuple[str, ...] = ()
    settled: tuple[str, ...] = ()
    charts: tuple[Chart, ...] = ()
    figures: Mapping[str, Figure] = {}
    sums: Callable[[Outcome], tuple[Sum, ...]] = no_sums
    damage_sums: Callable[[Damage], tuple[Sum, ...]] = no_sums
    counts: Callable[[Roll], Mapping[str, tuple[str, ...]]] = no_counts
    wants: Callable[[Roll, Hand], tuple[Want, ...]] = no_wants
    reason: Callable[[Outcome], str] = by_degree
    words: Mapping[str, Words] = {}

    def scored(self, roll: Roll) -> Scored:
        """Degree, margin and effects of a roll so far. Raises Refused where `outcome` does."""
        if self.score is not None:
            return self.score(roll)
        told = self.outcome(roll)
        return Scored(told.degree, told.margin, told.effects)

    def completed(self, options: Any, wish: Any, link: str, parent: Roll) -> tuple[Any, Dice]:
        """What `follow` gives; a roll reads the one that it follows by its own `options`."""
        return self.follow(wish, link, replace(parent, options=options))

    def set_by(self, name: str) -> Literal["player", "narrator", "rules"]:
        """Who gives a field of a declaration or reaction its value."""
        if name in self.settled:
            return "rules"
        return "narrator" if name in self.narrators else "player"

    def chart(self, name: str) -> Chart | None:
        """The chart of that name, None where there is none."""
        return next((chart for chart in self.charts if chart.name == name), None)

    def __hash__(self) -> int:
        """By its identity: figures and words are mappings, which have no hash."""
        return hash((self.name, self.version))
