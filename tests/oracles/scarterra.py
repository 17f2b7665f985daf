"""Scarterra once more, from the book and the reference alone: outcomes and damage from plain JSON.

Shares nothing with the rules. `outcome` gives every figure of a Throw, `damage` what a hit does.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from tests.oracles.scarterra_pools import (
    Figures,
    Json,
    Read,
    Sheet,
    Throw,
    difficulty,
    penalty,
    side_figures,
)

DEGREES: Final = ("marginal", "moderate", "complete", "exceptional", "phenomenal")
LIKE: Final = (
    "glancing_blow",
    "ugly_but_functional",
    "good_as_new",
    "perfect_translation",
    "masterwork",
)
SOAKS: Final = ("Stamina", "Stamina + Armor", "Armor")
MISSED: Final = ("failure", "botch", "standoff")


# --- counting -------------------------------------------------------------------------------------


def count(faces: Sequence[int], number: int) -> Figures:
    """Successes, ones and net of one hand; a botch is no success and at least a 1."""
    successes = len([face for face in faces if face >= number])
    ones = len([face for face in faces if face == 1])
    figures: Figures = {"successes": successes, "ones": ones, "net": successes - ones}
    if ones and not successes:
        figures["botch"] = True
    return figures


def _rounds(throw: Throw, read: Read) -> Iterator[dict[str, Figures]]:
    """Each round's counts, by who threw."""
    numbers = {who: difficulty(throw, who, read) for who in throw.throwing}
    for each in throw.rounds:
        yield {who: count(each[who], numbers[who]) for who in throw.throwing}


def _least_0(counted: Figures) -> int:
    return max(0, int(counted["net"]))


def _pool(counts: Mapping[str, Figures], read: Read) -> int:
    """What all have together: every 1 is a negative success, unless each stops at none."""
    every = [int(counted["net"]) for counted in counts.values()]
    if len(every) > 1 and any(net < 0 for net in every) and read["below_zero"] == "counts":
        return sum(every)
    return sum(map(_least_0, counts.values()))


def _against(throw: Throw, counts: Mapping[str, Figures]) -> int:
    """The net successes of the opponent in a round; none where he declined."""
    return sum(int(counted["net"]) for who, counted in counts.items() if who == throw.opponent)


def _lead(throw: Throw, counts: Mapping[str, Figures], read: Read) -> int:
    """What is left of the successes: one side alone may be below none, and so help the other."""
    ours, theirs = int(counts[throw.who]["net"]), _against(throw, counts)
    if ours * theirs < 0 and read["below_zero"] == "counts":
        return ours - theirs
    return max(ours, 0) - max(theirs, 0)


def _resisted(throw: Throw, read: Read) -> bool:
    """Whether somebody resists; of one who declined a reading says whether as nothing or not."""
    if throw.opponent is None:
        return False
    return throw.answers[throw.opponent] is not None or bool(read["declined"] == "zero")


def _kind(throw: Throw, read: Read) -> str:
    if throw.soaks is not None:
        return "soak"
    if throw.declared.get("reflexive"):
        return "reflexive"
    kinds = ["extended"] if throw.declared.get("target") else []
    if _resisted(throw, read):
        kinds.insert(0, "resisted")
    elif len(throw.throwing) > 1:
        kinds.insert(0, "cooperative")
    return " and ".join(kinds) or "simple"


def _all_botch(counts: Mapping[str, Figures], read: Read) -> bool:
    """Whether the round of one or of several who cooperate is a botch."""
    botches = ["botch" in counted for counted in counts.values()]
    if all(botches):
        return True
    return any(botches) and bool(read["cooperative_botch"] == "any")


# --- outcomes -------------------------------------------------------------------------------------


def outcome(options: Json, throw: Throw) -> Figures:
    """Degree, margin, figures, and the readings that decided."""
    read = Read(options)
    figures: Figures = {"kind": _kind(throw, read)} | side_figures(throw, throw.who, read)
    if throw.soaks is not None:
        figures["attack"] = outcome(options, throw.soaks)["margin"]
    away = [who for who, answer in throw.answers.items() if answer is None]
    if away:
        figures["declined"] = away
    played = list(_rounds(throw, read))
    figures |= _others(throw, None if throw.declared.get("target") else played[0], read)
    if throw.declared.get("target"):
        degree, margin, more = _extended(throw, played, read)
    else:
        degree, margin, more = _once(throw, played[0], read)
    if "below_zero" in read.used and read["below_zero"] == "counts":
        more["below_zero"] = True
    readings = tuple(sorted(read.used))
    return {"degree": degree, "margin": margin, "figures": figures | more, "readings": readings}


def _others(throw: Throw, counts: Mapping[str, Figures] | None, read: Read) -> Figures:
    """What the others throw, and in a roll that is made once what they scored."""
    figures: Figures = {}
    for who in throw.throwing[1:]:
        theirs = side_figures(throw, who, read) | (dict(counts[who]) if counts else {})
        if who == throw.opponent:
            figures["opponent"] = who
            figures |= {f"opponent_{name}": value for name, value in theirs.items()}
            continue
        for key, value in theirs.items():
            name, colon, part = key.partition(":")
            figures[f"helper_{name}:{who}{colon}{part}"] = value
    if throw.opponent not in throw.throwing and _resisted(throw, read):
        figures |= {"opponent": throw.opponent, "opponent_net": 0}
    return figures


Found = tuple[str, int, Figures]


def _charted(throw: Throw, net: int, figures: Figures) -> Found:
    if net < 1:
        return "failure", net, figures
    if throw.declared.get("binary"):
        return "success", net, figures
    place = min(net, 5) - 1
    if throw.soaks is None:
        figures["for_example"] = LIKE[place]
    return DEGREES[place], net, figures


def _once(throw: Throw, counts: Mapping[str, Figures], read: Read) -> Found:
    own = counts[throw.who]
    figures: Figures = dict(own)
    if _resisted(throw, read):
        return _compared(throw, counts, figures, read)
    if len(counts) == 1:
        if "botch" in own:
            return "botch", own["net"], figures
        return _charted(throw, own["net"], figures)
    together = _pool(counts, read)
    figures["together"] = together
    if _all_botch(counts, read):
        return "botch", 0, figures
    return _charted(throw, together, figures)


def _compared(throw: Throw, counts: Mapping[str, Figures], figures: Figures, read: Read) -> Found:
    own = counts[throw.who]
    fails = "botch" if "botch" in own else "failure"
    lead = _lead(throw, counts, read)
    if lead:
        figures |= {
            "winner": throw.who if lead > 0 else throw.opponent,
            "winner_successes": abs(lead),
        }
        if not throw.declared.get("binary"):
            figures["winner_degree"] = DEGREES[min(abs(lead), 5) - 1]
        return _charted(throw, lead, figures) if lead > 0 else (fails, lead, figures)
    if fails == "botch" or (own["net"] <= 0 and throw.opponent not in counts):
        return fails, 0, figures
    if own["net"] <= 0 and read["tie_at_zero"] == "failure":
        return fails, 0, figures
    holds = read["resisted_tie"]
    if holds == "neither":
        return "standoff", 0, figures
    figures |= {"winner_successes": 0}
    if holds == "defender":
        return "failure", 0, figures | {"winner": throw.opponent}
    barely = "success" if throw.declared.get("binary") else DEGREES[0]
    return barely, 0, figures | {"winner": throw.who}


def _extended(throw: Throw, played: Sequence[Mapping[str, Figures]], read: Read) -> Found:
    contest = _resisted(throw, read)
    totals, sums, end = (_contest if contest else _work)(throw, played, read)
    declared = throw.declared
    target: int = declared["target"]
    figures: Figures = {"target": target, "total": totals[-1]}
    if declared.get("deadline"):
        figures["deadline"] = declared["deadline"]
    if end == "late":
        figures["deadline_missed"] = True
    below = "below_zero" in read.used and read["below_zero"] == "counts"
    for place, (counts, total) in enumerate(zip(played, totals, strict=False), 1):
        lost = not contest and _all_botch(counts, read)
        figures |= _in_short(place, counts, nets=below and not lost)
        figures[f"round_total:{place}"] = total
        if lost:
            figures[f"round_lost:{place}"] = totals[place - 2] if place > 1 else 0
    if contest:
        if sums:
            figures |= {"gathered": sums[-1][0], "opponent_gathered": sums[-1][1]}
        if totals[-1]:
            figures["lead"] = abs(totals[-1])
            figures["leader"] = throw.who if totals[-1] > 0 else throw.opponent
        degree = {"reached": "success", "lost": "failure"}.get(end, "undecided")
        return degree, totals[-1], figures
    figures["percent"] = min(100, totals[-1] * 100 // target)
    beyond = totals[-1] - target
    if end == "ruined":
        return "botch", beyond, figures | {"ruined": True}
    if end == "reached":
        return "success", beyond, figures
    return "partial success" if totals[-1] else "failure", beyond, figures


def _in_short(place: int, counts: Mapping[str, Figures], *, nets: bool) -> Figures:
    """A round: one alone in full, of several each one's net successes or that it botched."""
    shown: Figures = {}
    for who, each in counts.items():
        names = ["botch"] if "botch" in each and not nets else ["net"]
        for name in each if len(counts) == 1 else names:
            shown[f"round_{name}:{place}:{who}"] = each[name]
    return shown


Course = tuple[list[int], list[list[int]], str]


def _late(throw: Throw, played: Sequence[Any]) -> str:
    return "late" if len(played) >= (throw.declared.get("deadline") or 100) else ""


def _work(throw: Throw, played: Sequence[Mapping[str, Figures]], read: Read) -> Course:
    totals: list[int] = []
    total = 0
    for counts in played:
        if _all_botch(counts, read):
            total = 0
            if read["extended_botch"] == "ruin":
                return [*totals, 0], [], "ruined"
        else:
            total += max(0, _pool(counts, read))
        totals.append(total)
    return totals, [], "reached" if total >= throw.declared["target"] else _late(throw, played)


def _contest(throw: Throw, played: Sequence[Mapping[str, Figures]], read: Read) -> Course:
    own = read["resisted_extended"] == "own"
    target: int = throw.declared["target"]
    gathered = [0, 0]
    totals: list[int] = []
    sums: list[list[int]] = []
    for counts in played:
        gathered[0] += _least_0(counts[throw.who])
        gathered[1] += max(0, _against(throw, counts))
        more = gathered[0] - gathered[1] if own else sum(totals[-1:]) + _lead(throw, counts, read)
        totals.append(more)
        sums.append(list(gathered))
    lead, late = totals[-1], _late(throw, played)
    if not own:
        end = "reached" if lead >= target else "lost" if -lead >= target else late
        return totals, [], end
    if max(gathered) < target:
        return totals, sums, late
    if lead:
        return totals, sums, "reached" if lead > 0 else "lost"
    tie = {"attacker": "reached", "defender": "lost", "neither": late}
    return totals, sums, tie[read["resisted_tie"]]


def is_over(options: Json, throw: Throw) -> bool:
    """Whether no further round of an extended roll may be thrown."""
    read = Read(options)
    played = list(_rounds(throw, read))
    return bool((_contest if _resisted(throw, read) else _work)(throw, played, read)[2])


# --- what follows ---------------------------------------------------------------------------------


def hits(options: Json, throw: Throw) -> bool:
    """Whether an attack hit."""
    return bool(throw.declared.get("combat")) and outcome(options, throw)["degree"] not in MISSED


def may_be_tried_again(options: Json, throw: Throw) -> bool:
    """What failed may be; no attack in combat, and nothing reflexive."""
    plain = not throw.declared.get("combat") and not throw.declared.get("reflexive")
    return plain and throw.soaks is None and outcome(options, throw)["degree"] in MISSED


def may_be_soaked(options: Json, throw: Throw, victim: Sheet) -> bool:
    """Whether the victim of a hit has any dots to soak with."""
    by = throw.declared.get("soak") or Read(options)["soak_by"]
    return sum(victim.dots.get(trait, 0) for trait in by.split(" + ")) > 0


def _may_not_soak(throw: Throw, victim: Sheet, read: Read) -> bool:
    """Whether a victim has dots to soak with, and only a reading keeps it from doing so."""
    able = {by: may_be_soaked({"soak_by": by}, throw, victim) for by in SOAKS}
    return any(able.values()) and not able[read.peek("soak_by")]


def damage(options: Json, throw: Throw, victim: Sheet) -> Figures:
    """What a hit, or what is left of it by a soak, does to its victim as it is now."""
    read = Read(options)
    attack = throw.soaks or throw
    net: int = outcome(options, attack)["margin"]
    weapon = attack.declared.get("weapon")
    if weapon is None:
        weapon = read["weapon_damage"]
    if throw.soaks is None and "soak" not in throw.declared and _may_not_soak(throw, victim, read):
        _ = read["soak_by"]
    left = net + weapon
    figures: Figures = {"attack": net, "weapon": weapon, "damage": net + weapon}
    if throw.soaks is not None:
        figures["soaked"] = max(0, int(outcome(options, throw)["margin"]))
        left = max(0, left - figures["soaked"])
    wounds, effects = victim.wounds, []
    if left:
        figures["filled"] = 0
        room = len(read["health_levels"]) + 1 - victim.wounds
        wounds += min(left, room)
        if left > room:
            figures |= {"beyond": left - room, "room": room}
        if room:
            figures["filled"] = wounds - victim.wounds
            effects = [("wounds", wounds - victim.wounds)]
            if wounds > len(read["health_levels"]):
                figures["out"] = True
            else:
                figures["wound_penalty"] = penalty(wounds, read)
    figures["left"] = left
    readings = tuple(sorted(read.used))
    return {"amount": left, "figures": figures, "effects": effects, "readings": readings}
