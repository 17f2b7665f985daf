"""Every way in which Milhamah's text had to be understood, one option each, and its table data."""

from typing import Annotated, Literal

from msgspec import Meta, Struct
from msgspec import field as struct_field

from ...events.base import Face
from ..forms import field
from ..readings import reading
from .letters import ALPHABET, KINDS, PAIRS, WILD, Kind, die_faces

LETTERS_MOST = 12  # a root can hold no more letters than there are dice
END = r"$(?!\n)"  # a bare $ would let a line end pass

Root = Annotated[str, Meta(pattern=f"^[{ALPHABET}ךםןףץ]+{END}", max_length=LETTERS_MOST)]
Pair = Annotated[str, Meta(pattern=f"^[{ALPHABET}{WILD}]+{END}", min_length=2, max_length=2)]
Capacity = Annotated[int, Meta(ge=0, le=100)]
Name = Annotated[str, Meta(min_length=1, max_length=100)]


class Options(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The readings of Milhamah with their defaults, then the data a table may bring itself."""

    supply: Annotated[
        int,
        reading(
            "Twelve dice exist, in two colours; eight are thrown.",
            heading="The basic roll mechanic",
            assumed="Six of each colour; no throw has more. A third colour comes in where two have"
            " too few.",
            others=(4,),
            since=2,
            before=4,
            default_only=True,
            ge=4,
            le=12,
        ),
    ] = 6
    cipher_dice: Annotated[
        int,
        reading(
            "No die is swapped in the reroll phase unless the player announces a cipher.",
            heading="Reroll chance",
            assumed="A cipher turns an unfrozen die to its opposite face: so many dice a hand. Each"
            " colour has its cipher by another page of the author's: red Atbash, blue Albam, green"
            " Akhbi.",
            others=(0, 2),
            ge=0,
            le=12,
        ),
    ] = 1
    difficulty_step: Annotated[
        int,
        reading(
            "Advantages and disadvantages change the difficulty; average and far is challenging.",
            heading="Difficulty",
            assumed="Each changes the target by so many successes or, when opposed, the total that"
            " is compared and X by so many dice.",
            others=(0, 2),
            ge=0,
            le=10,
        ),
    ] = 1
    natural_counts_repeats: Annotated[
        bool,
        reading(
            "A natural root is reached when all letters of the root show up.",
            heading="The Natural Shoresh",
            assumed="A letter that the root holds twice must show twice.",
        ),
    ] = True
    reactor_natural: Annotated[
        bool,
        reading(
            "Anybody who ends with his full root gets a bonus.",
            heading="Opposed Rolls",
            assumed="The initiator alone does; True: a reactor's successes rise as well.",
        ),
    ] = False
    wild_only_botch: Annotated[
        bool,
        reading(
            "No successes, Wilds not counted, is a botch; elsewhere simply: zero successes.",
            heading="The final results",
            assumed="It is one even where Wilds alone reach the target; False: only without Wilds.",
        ),
    ] = True
    natural_bonus_before_compare: Annotated[
        bool,
        reading(
            "The best result is named: more successes than target + natural success.",
            heading="The final results",
            assumed="The bonus is added, then compared; False: added once the target is beaten"
            " without it.",
        ),
    ] = True
    natural_bonus_opposed: Annotated[
        Literal[1, "len"],
        reading(
            "One place gives an opposed natural root +1, another the number of its letters.",
            heading="Opposed Rolls",
            assumed='The place about opposed rolls holds; "len": the other.',
        ),
    ] = 1
    first_roll_natural_bonus: Annotated[
        int,
        reading(
            "A natural root on the first roll earns a further bonus; rerolling forfeits it.",
            heading="Opposed Rolls",
            assumed="It is worth so many successes.",
            others=(0, 2),
            ge=0,
            le=12,
        ),
    ] = 1
    first_roll_natural: Annotated[
        Literal["both", "opposed"],
        reading(
            "The bonus for the first roll is among the steps of an opposed roll.",
            heading="Opposed Rolls",
            assumed="An unopposed roll earns it as well.",
        ),
    ] = "both"
    advantage_adds_to: Annotated[
        Literal["reroll", "successes", "none"],
        reading(
            "Both sides compare their totals; the higher gets the difference as a modifier.",
            heading="Opposed Rolls",
            assumed="It is added to the dice he may reroll; the other side loses nothing.",
        ),
    ] = "reroll"
    adds_once: Annotated[
        Literal["total", "x", "both", "each"],
        reading(
            "X is the rating and its modifiers; both sides compare their totals, modifiers too.",
            heading="Opposed Rolls",
            assumed="What adds dice, of modifiers, circumstances, XR or the R of statuses, is in X"
            " and in the total compared, but does not make its side's advantage greater as well;"
            ' "both": it does; "x": it is in X alone; "each": circumstances are in X alone,'
            " modifiers count in both, XR and R as `xr_in` says.",
            since=3,
            before="each",
        ),
    ] = "total"
    xr_in: Annotated[
        Literal["reroll", "both"],
        reading(
            "A botch may give the opponent +XR; totals are compared with their modifiers.",
            heading="The final results",
            assumed='Where `adds_once` is "each": XR and the R of statuses add to X and are in the'
            " total compared, but the advantage of the higher side does not count its own a second"
            ' time; "both": it does.',
        ),
    ] = "reroll"
    declined: Annotated[
        Literal["nothing", "unopposed"],
        reading(
            "The target of an action in combat may opt not to react or resist.",
            heading="Opposed Rolls",
            assumed="In combat he then reacted and scored nothing: a natural root that is allowed"
            ' is a critical success; "unopposed": the roll has a target and wounds nobody. Out of'
            " combat a decline always makes it unopposed.",
        ),
    ] = "nothing"
    combat_step: Annotated[
        int,
        reading(
            "Five circumstances lower or raise the difficulty of an attack.",
            heading="Combat modifiers",
            assumed="Each by so many successes or, when opposed, by so many dice to reroll.",
            others=(0, 2),
            ge=0,
            le=10,
        ),
    ] = 1
    reactor_botch: Annotated[
        bool,
        reading(
            "A player who finishes his roll turn with zero successes has botched.",
            heading="The final results",
            assumed="So has a reactor: he counts nothing, and the initiator may gain by it;"
            " False: a reaction is never a botch.",
            since=2,
            before=False,
        ),
    ] = True
    botch_rewards: Annotated[
        Literal["both", "one"],
        reading(
            "After a botch the opponent may gain +XR; elsewhere: pocket his successes.",
            heading="Critical failure",
            assumed="He may do both, or either, or neither.",
        ),
    ] = "both"
    pocket_lapses: Annotated[
        bool,
        reading(
            "The successes are pocketed for the next turn, when he switches to attacking.",
            heading="Critical failure",
            assumed="They lapse with his next turn; False: they wait for his next attack.",
        ),
    ] = True
    pocket_saves: Annotated[
        bool,
        reading(
            "Zero successes are a botch; pocketed successes are added to those of an attack.",
            heading="Critical failure",
            assumed="No letter on the dice is a botch whatever is pocketed; True: it is none then.",
        ),
    ] = False
    no_dice: Annotated[
        Literal["refused", "botch"],
        reading(
            "Status effects may reduce the number of dice below eight.",
            heading="The basic roll mechanic",
            assumed='A roll or a reaction that is left without dice is refused; "botch": it is'
            " thrown, and shows no successes.",
        ),
    ] = "refused"
    counter_match: Annotated[
        Literal["repeats", "letters"],
        reading(
            "The opponent may counter if the result matches one of his skills' roots.",
            heading="Opposed Rolls",
            assumed="Every letter must show as often as the root holds it, Wilds not used.",
        ),
    ] = "repeats"
    counter: Annotated[
        Literal["dice", "fresh", "none"],
        reading(
            "He may use the dice of the failed roll; the book asks itself if he throws fresh ones.",
            heading="Opposed Rolls",
            assumed="He takes over those dice and faces, and keeps his next turn.",
        ),
    ] = "dice"
    counter_first_roll: Annotated[
        bool,
        reading(
            "A natural root on the first roll earns a bonus; a counter has another roll's dice.",
            heading="Opposed Rolls",
            assumed="A counter earns none, with fresh dice neither; True: the dice that it starts"
            " from are its first roll.",
        ),
    ] = False
    players_know_hebrew: Annotated[
        bool,
        reading(
            "An unrelated root must not harm players who do not know Hebrew well enough.",
            heading="Flavor",
            assumed="They do not.",
        ),
    ] = False
    location_die: Annotated[
        Literal["wilds", "letters"],
        reading(
            "The place of a hit is rolled; a list gives one for each of twenty-two letters.",
            heading="Critical success",
            assumed="One die of twenty-four faces, two of them Wilds.",
        ),
    ] = "wilds"
    location_wild: Annotated[
        Literal["rethrow", "initiator"],
        reading(
            "The list of places has none for a Wild.",
            heading="Critical success",
            assumed='It is thrown again; "initiator": he chooses the place.',
        ),
    ] = "rethrow"
    damage_by: Annotated[
        Literal["critical", "success"],
        reading(
            "A critical success in combat wounds by its margin.",
            heading="Critical success",
            assumed='An ordinary success wounds nobody by itself; "success": it does, if opposed.',
        ),
    ] = "critical"
    soak_start: Annotated[
        Literal["VIG", "none"],
        reading(
            "What armour leaves is taken from any extra VIG soak points.",
            heading="Critical success",
            assumed="A character enters with as many as its VIG rating.",
        ),
    ] = "VIG"
    wound_track: Annotated[
        tuple[Capacity, Capacity, Capacity],
        reading(
            "What is left then makes wounds: light, serious and critical.",
            heading="Critical success",
            assumed="One point, one wound; so many of each grade, filled in this order.",
            others=((1, 1, 1), (5, 3, 1)),
        ),
    ] = (3, 2, 1)

    attribute_roots: Annotated[
        dict[Name, Root],
        field("Roots of attributes", "The root of each attribute, for want of a fitting skill."),
    ] = struct_field(default_factory=lambda: {"BLE": "אשר", "GRA": "חננ"})
    skill_roots: Annotated[
        dict[Name, Root], field("Roots of skills", "The root of each skill.")
    ] = {}
    faces: Annotated[
        dict[Kind, tuple[Pair, Pair, Pair, Pair, Pair, Pair]],
        field("Faces", "A table's own dice: for a kind, its six pairs of opposite faces."),
    ] = {}


def faces(options: Options) -> dict[str, tuple[Face, ...]]:
    """The face table of every kind of die, the location die's included."""
    wilds = (WILD, WILD) if options.location_die == "wilds" else ()
    table: dict[str, tuple[Face, ...]] = {"location": (*ALPHABET, *wilds)}
    return table | {kind: sides(options, kind) for kind in KINDS}


def sides(options: Options, kind: Kind) -> tuple[Face, ...]:
    """The faces of one kind of letter die."""
    return die_faces(options.faces.get(kind, PAIRS[kind]))
