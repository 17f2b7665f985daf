"""Milhamah once more, written from its book alone: no line of it is shared with the rules.

`judged` scores a roll, `hurt` its damage, `settled` says what a declaration costs and throws; each
from plain JSON, as a table would write it down: options, declarations, dice.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

Json: TypeAlias = Mapping[str, Any]
Effects: TypeAlias = list[tuple[str, str, int]]

FINAL = {"ך": "כ", "ם": "מ", "ן": "נ", "ף": "פ", "ץ": "צ"}

GENERAL = (
    ("beginner", 1), ("untrained", 1), ("average", 2), ("challenging", 3), ("professional", 4),
    ("expert", 5), ("heroic", 6), ("legendary", 7), ("miraculous", 8),
)  # fmt: skip

HARDER = ("partial cover", "complete cover", "ambushed")
EASIER = ("already fighting", "unnoticed")

BODY = (
    "א chest,ב eye,ג nose,ד groin,ה neck,ו upper back,ז foot,ח shoulder,ט lower leg,י forearm,"
    "כ ear,ל hand,מ belly,נ nose,ס side,ע upper arm,פ mouth,צ thigh,ק lower back,ר rear,ש head,"
    "ת eye"
)
PLACES: Mapping[str, str] = {part[0]: part[2:] for part in BODY.split(",")}


class Impossible(Exception):
    """What the rules do not allow."""


def folded(word: str) -> str:
    """The word without final forms."""
    return "".join(FINAL.get(letter, letter) for letter in word)


def root(options: Json, side: Json) -> str:
    """The root that is named, or that of the skill, or that of the attribute."""
    by_name = {**options["attribute_roots"], **options["skill_roots"]}
    for name in (side.get("skill"), side.get("attribute")):
        if "root" in side:
            break
        if name in by_name:
            return folded(by_name[name])
    return folded(side["root"])


def rating(side: Json, attributes: Json) -> int:
    """Attribute + skill, or the number that was named."""
    if "rating" in side:
        return int(side["rating"])
    names = [side[kind] for kind in ("attribute", "skill") if kind in side]
    return sum(int(attributes[name]) for name in names)


def units(side: Json, unit: str) -> int:
    """What the statuses of a side change, in R, D or C."""
    total: int = 0
    for status in side.get("status", {}).values():
        total += int(status.get(unit, 0))
    return total


def dice(options: Json, side: Json) -> int:
    """How many dice the first throw has: eight, more or fewer by D, no more than there are."""
    colours = {"red", "blue", "green"}
    for status in side.get("status", {}).values():
        colours &= set(status.get("colours") or colours)
    if not colours:
        raise Impossible("statuses that contradict each other")
    number = min(8 + units(side, "D"), options["supply"] * len(colours))
    if number <= 0 and options["no_dice"] == "refused":
        raise Impossible("no dice")
    return max(0, int(number))


def settled(options: Json, wish: Json, tracks: Json, *, counter: bool = False) -> dict[str, int]:
    """What the turn spends and has of an earlier botch: xr, pocketed, idle; pocket is what is left.

    Raises Impossible for a modifier that counts nowhere. A counter is no turn.
    """
    if options["difficulty_step"] == 0 and any(wish.get("modifiers", {}).values()):
        raise Impossible("a modifier of no size")
    xr, pocket = tracks.get("xr", 0), tracks.get("pocket", 0)
    if counter:
        return {"xr": 0, "pocketed": 0, "idle": 0, "pocket": pocket}
    if "opponent" in wish or wish.get("combat"):
        return {"xr": xr, "pocketed": pocket, "idle": 0, "pocket": 0}
    left = 0 if options["pocket_lapses"] else pocket
    return {"xr": xr, "pocketed": 0, "idle": pocket, "pocket": left}


def statuses(side: Json) -> list[tuple[str, int]]:
    """The statuses that change how many dice may be rerolled, and by how many."""
    every = ((name, int(one.get("R", 0))) for name, one in side.get("status", {}).items())
    return [(name, dice) for name, dice in every if dice != 0]


class Side:
    """One hand, the root that it tries to spell, and its numbers."""

    def __init__(self, options: Json, side: Json, hand: Json | None, attributes: Json) -> None:
        self.options, self.side = options, side
        self.root = root(options, side)
        self.rating = rating(side, attributes)
        self.gained = units(side, "R")
        self.modifiers = self.circumstances = 0
        self.faces = [die["face"] for die in hand["dice"]] if hand else []
        self.first = [die["thrown"][0] for die in hand["dice"]] if hand else []
        self.rerolls = hand.get("rerolls", 0) if hand else 0

    @property
    def total(self) -> int:
        """Attribute, skill, and modifiers."""
        return self.rating + self.gained + self.modifiers

    @property
    def compared(self) -> int:
        """What is compared with the other side's, as the table reads what adds dice."""
        way = self.options["adds_once"]
        more = self.circumstances if way in ("total", "both") else 0
        return self.rating if way == "x" else self.total + more

    @property
    def counted(self) -> int:
        """What is in X already, and may not be in the advantage as well."""
        way = self.options["adds_once"]
        if way == "each" and self.options["xr_in"] == "reroll":
            return max(0, self.gained)
        return max(0, self.total + self.circumstances - self.rating) if way == "total" else 0

    def letters(self) -> int:
        """The dice with a letter of the root."""
        return sum(self.faces.count(letter) for letter in set(self.root))

    def natural(self, faces: Sequence[str]) -> bool:
        """Whether the faces hold the whole root, without a Wild."""
        if self.options["natural_counts_repeats"]:
            return not Counter(self.root) - Counter(faces)
        return not set(self.root) - set(faces)

    def ahead(self, other: "Side") -> int:
        """By how much this side is the higher one, what it has already not counted again."""
        if self.compared <= other.compared:
            return 0
        return max(0, self.compared - other.compared - self.counted)


def steps(names: Iterable[str]) -> int:
    """How many steps harder the circumstances make an attack."""
    found = list(names)
    return sum(name in HARDER for name in found) - sum(name in EASIER for name in found)


def _botched(figures: Json, choices: Json, *, opposed: bool) -> dict[str, Any]:
    """How bad a botch is, and what the opponent may gain by it."""
    found = {"severity": figures["wilds"]}
    if opposed:
        found |= {"xr": figures["target"]}
        found |= {"reward": choices["reward"]} if "reward" in choices else {}
    return found


def judged(
    options: Json,
    wish: Json,
    *,
    who: str,
    attributes: Json,
    has: Json,
    reactions: Sequence[tuple[str, Json | None]] = (),
    theirs: Json | None = None,
    hands: Json,
    choices: Json,
    counter: bool = False,
) -> dict[str, Any]:
    """Degree, margin, figures and effects of a roll; `has` is what `settled` gave.

    `theirs` are the opponent's attributes. `hands`: initiator, reactor and location, each `dice`
    of `thrown` and `face`, and `rerolls`.
    """
    foe, choice = str(wish.get("opponent")), choices.get("natural")
    reply = dict(reactions).get(foe)
    away = [name for name, reaction in reactions if reaction is None]
    as_nothing = foe in away and bool(wish.get("combat")) and options["declined"] == "nothing"
    opposed = reply is not None or as_nothing

    me = Side(options, wish, hands["initiator"], attributes)
    me.gained += has["xr"]
    if opposed:
        me.modifiers, me.circumstances = -_named(options, wish), -_harder(options, wish)
    you = None if reply is None else _other(options, reply, hands, theirs or {})
    ahead = me.ahead(you) if you else 0
    figures = _own(me, ahead, has["pocketed"])
    figures |= _steps(options, wish) | {f"r:{name}": by for name, by in statuses(wish)}
    figures |= {"xr_used": has["xr"]} if has["xr"] else {}
    whole = figures["natural"]
    if opposed:
        figures |= {"opponent": foe, "prevented": choice == "prevent"}
        figures |= _reply(you, me, hands, choice) if you else {"target": 0}
        figures |= _once(me, you, figures) if you else {}
    else:
        figures |= _level(options, wish)
    if away:
        figures["declined"] = away
    needed, before = figures["target"], figures["before_bonus"]
    bonus, first = _bonus(me, whole, opposed, choice, before > needed, counter=counter)
    figures |= {"bonus": bonus, "first_roll_bonus": first, "successes": before + bonus + first}
    figures |= {"natural_choice": choice} if whole and choice else {}
    unanswered = choice == "allow" and needed == 0 and (you is None or "reactor" in hands)
    degree = _degree(options, figures, opposed and unanswered)
    effects: Effects = [(who, "merit", 1)] if whole and not opposed and choice == "merit" else []
    effects += _gained(who, foe, figures, choices, degree, opposed=opposed)
    figures |= _besides(options, hands, choices, has["idle"])
    found = {"degree": degree, "figures": figures, "effects": effects}
    return found | {"margin": (0 if degree == "botch" else figures["successes"]) - needed}


def _gained(
    who: str, foe: str, figures: dict[str, Any], choices: Json, degree: str, *, opposed: bool
) -> Effects:
    """What a botch adds to the figures, and what the other side takes after it."""
    if degree == "botch":
        figures |= _botched(figures, choices, opposed=opposed)
        gained = figures["target"] if opposed else 0
        return [(foe, track, gained) for track in _taken(choices) if gained]
    if "opponent_severity" not in figures:
        return []
    gained = figures["successes"]
    figures |= {"opponent_xr": gained, **({"gain": choices["gain"]} if "gain" in choices else {})}
    return [(who, track, gained) for track in _taken({"reward": choices.get("gain")}) if gained]


def _other(options: Json, reply: Json, hands: Json, theirs: Json) -> Side:
    """The opponent's side, its modifiers among the numbers."""
    you = Side(options, reply, hands.get("reactor"), theirs)
    you.modifiers = -_named(options, reply)
    return you


def _besides(options: Json, hands: Json, choices: Json, idle: int) -> dict[str, Any]:
    """Where a blow hits, and what a pocket loses in a turn that is no attack."""
    letter = place(options, hands.get("location"), choices)
    found: dict[str, Any] = {"letter": letter, "location": PLACES[letter]} if letter else {}
    if idle:
        found["lapsed"] = idle if options["pocket_lapses"] else 0
    return found


def _steps(options: Json, wish: Json) -> dict[str, int]:
    """Each modifier and circumstance by itself, in steps, and the size of a step that is not 1."""
    named = {f"modifier:{name}": by for name, by in wish.get("modifiers", {}).items() if by}
    given = {f"circumstance:{name}": steps([name]) for name in wish.get("circumstances", ())}
    found = named | given
    if sum(named.values()) and options["difficulty_step"] != 1:
        found["modifier_step"] = options["difficulty_step"]
    if sum(given.values()) and options["combat_step"] != 1:
        found["circumstance_step"] = options["combat_step"]
    return found


def _once(me: Side, you: Side, figures: Json) -> dict[str, int]:
    """What both compare, and what of it the higher one has already, if its advantage is less."""
    found = {"compared": me.compared} if me.compared != me.total else {}
    if you.compared != you.total:
        found["opponent_compared"] = you.compared
    higher, lower = (me, you) if me.compared > you.compared else (you, me)
    if higher.compared == lower.compared or not higher.counted:
        return found
    names = ("x_advantage", "advantage")
    if higher is you:
        names = ("opponent_x_advantage", "opponent_advantage")
    none_left = higher.compared - higher.counted <= lower.compared
    if none_left or any(figures[name] > 0 for name in names):
        found["counted_already"] = higher.counted
    return found


def _named(options: Json, wish: Json) -> int:
    """How much harder the named disadvantages make it, advantages being below 0."""
    return int(sum(wish.get("modifiers", {}).values()) * options["difficulty_step"])


def _harder(options: Json, wish: Json) -> int:
    """The same by the circumstances of an attack."""
    return int(steps(wish.get("circumstances", ())) * options["combat_step"])


def _level(options: Json, wish: Json) -> dict[str, Any]:
    """What an unopposed roll needs: its difficulty, what changes it, at least 1."""
    level = wish.get("target", "average")
    level = level if isinstance(level, int) else dict(GENERAL)[level]
    named, harder = _named(options, wish), _harder(options, wish)
    target = max(1, level + named + harder)
    return {"difficulty": level, "modifiers": named, "circumstances": harder, "target": target}


def _own(me: Side, ahead: int, pocketed: int) -> dict[str, Any]:
    """The figures of the roller's own hand, before any bonus."""
    in_dice = ahead if me.options["advantage_adds_to"] == "reroll" else 0
    in_successes = ahead if me.options["advantage_adds_to"] == "successes" else 0
    letters, wilds = me.letters(), me.faces.count("*")
    return {
        "root": me.root,
        "rating": me.rating,
        "x_gained": me.gained,
        "x_modifiers": me.modifiers,
        "total": me.total,
        "x_advantage": in_dice,
        "x_circumstances": me.circumstances,
        "x": max(0, me.total + in_dice + me.circumstances),
        "rerolls": me.rerolls,
        "letters": letters,
        "wilds": wilds,
        "pocketed": pocketed,
        "advantage": in_successes,
        "before_bonus": letters + wilds + pocketed + in_successes,
        "natural": me.natural(me.faces),
    }


def _taken(choices: Json) -> tuple[str, ...]:
    """What the opponent takes after a botch."""
    ways = {"both": ("xr", "pocket"), "xr": ("xr",), "pocket": ("pocket",)}
    return ways.get(choices.get("reward") or "none", ())


def _reply(you: Side, me: Side, hands: Json, choice: str | None) -> dict[str, Any]:
    """The figures of a reaction: no Wilds, and no successes at all where it is prevented."""
    options, ahead = you.options, you.ahead(me)
    in_dice = ahead if options["advantage_adds_to"] == "reroll" else 0
    letters = bonus = in_successes = 0
    if choice != "prevent" and "reactor" in hands:
        letters = you.letters()
        in_successes = ahead if options["advantage_adds_to"] == "successes" else 0
        if options["reactor_natural"] and you.natural(you.faces):
            bonus = len(you.root) if options["natural_bonus_opposed"] == "len" else 1
    botch = {}
    if choice != "prevent" and "reactor" in hands and letters == 0 and options["reactor_botch"]:
        wild = you.faces.count("*")
        if options["wild_only_botch"] or not wild:
            botch, in_successes = {"opponent_severity": wild}, 0
    return {
        **botch,
        "opponent_root": you.root,
        "opponent_rating": you.rating,
        **{f"opponent_r:{name}": dice for name, dice in statuses(you.side)},
        **_answered(you),
        "opponent_total": you.total,
        "opponent_x_advantage": in_dice,
        "opponent_x": max(0, you.total + in_dice),
        "opponent_letters": letters,
        "opponent_bonus": bonus,
        "opponent_advantage": in_successes,
        "target": letters + bonus + in_successes,
    }


def _answered(you: Side) -> dict[str, int]:
    """The opponent's own modifiers by name, and what they add to its X."""
    named = {
        f"opponent_modifier:{name}": by for name, by in you.side.get("modifiers", {}).items() if by
    }
    if not named:
        return {}
    if sum(named.values()) and you.options["difficulty_step"] != 1:
        named["opponent_modifier_step"] = you.options["difficulty_step"]
    return named | {"opponent_x_modifiers": you.modifiers}


def _bonus(
    me: Side, whole: bool, opposed: bool, choice: str | None, beaten: bool, *, counter: bool
) -> tuple[int, int]:
    """A natural root's successes, and those for having it on the first roll."""
    options = me.options
    if not whole or not (opposed or choice == "bonus"):
        return 0, 0
    if not (beaten or options["natural_bonus_before_compare"]):
        return 0, 0
    bonus = len(me.root)
    if opposed and options["natural_bonus_opposed"] == 1:
        bonus = 1
    early = me.rerolls == 0 and me.natural(me.first)
    if counter and not options["counter_first_roll"]:
        early = False
    if not opposed and options["first_roll_natural"] == "opposed":
        early = False
    return bonus, options["first_roll_natural_bonus"] if early else 0


def _degree(options: Json, figures: Json, critical: bool) -> str:
    """The rung, from the top."""
    if figures["letters"] == 0:
        saved = figures["pocketed"] > 0 and options["pocket_saves"]
        if not saved and (figures["wilds"] == 0 or options["wild_only_botch"]):
            return "botch"
    if figures["natural"] and critical:
        return "critical success"
    if figures["successes"] > figures["target"]:
        return "natural success" if figures["natural"] else "success"
    return "success at a cost" if figures["successes"] == figures["target"] else "failure"


def wounds(options: Json, wish: Json, degree: str, *, opposed: bool) -> bool:
    """Whether such a degree hurts somebody."""
    if not wish.get("combat") or not opposed:
        return False
    if degree == "critical success":
        return True
    return options["damage_by"] == "success" and degree in ("success", "natural success")


def place(options: Json, hand: Json | None, choices: Json) -> str | None:
    """The letter of the place that the location die shows, or that was chosen for a Wild."""
    if hand is None:
        return None
    face = hand["dice"][0]["face"]
    if face == "*" and options["location_wild"] == "initiator":
        chosen = choices.get("location")
        return None if chosen is None else str(chosen)
    return None if face == "*" else str(face)


def hurt(options: Json, victim: str, tracks: Json, margin: int, letter: str) -> dict[str, Any]:
    """Amount, figures and effects of a blow: armour of the place, soak, then three grades."""
    left = margin
    figures: dict[str, Any] = {"location": PLACES[letter], "letter": letter, "raw": margin}
    effects: Effects = []
    for name, track in (("armour", f"armour:{PLACES[letter]}"), ("soak", "soak")):
        had = tracks.get(track, 0)
        if left:
            figures[name] = had
            figures[f"{name}_spent"] = spent = had - max(0, had - left)
            left -= spent
            effects += [(victim, track, -spent)] if spent else []
    if left:
        figures["through"] = left
    for name, most in zip(("light", "serious", "critical"), options["wound_track"], strict=True):
        if left:
            figures[f"room:{name}"] = most - tracks.get(name, 0)
            figures[f"wounds:{name}"] = taken = min(most - tracks.get(name, 0), left)
            left -= taken
            effects += [(victim, name, taken)] if taken else []
    figures |= {"overflow": left, "fatal": left > 0}
    return {"amount": margin, "figures": figures, "effects": effects}
