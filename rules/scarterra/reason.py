"""Why a roll of Scarterra has its degree: a key of its words, from what was announced alone."""

from collections.abc import Mapping

from ..figures import Value, name_of, number
from ..ruleset import Outcome
from .options import DEGREES

CHARTED = tuple(line.name for line in DEGREES)

Figures = Mapping[str, Value]


def reason(outcome: Outcome) -> str:
    """The key of the sentence; one of the words `reason.KEY`."""
    figures = outcome.figures
    if "waiting_for" in figures:
        return "waiting"
    if "target" in figures:
        return (_contest if "opponent" in figures else _work)(outcome)
    if "opponent" in figures:
        return _resisted(outcome)
    if "together" in figures:
        return _together(outcome)
    if outcome.degree in ("botch", "failure"):
        return _missed(outcome)
    return "soaked" if figures["kind"] == "soak" else _charted("enough", outcome)


def _charted(begins: str, outcome: Outcome) -> str:
    """The reason of a success, and of which: the chart has a degree for each number."""
    return f"{begins}_{outcome.degree}" if outcome.degree in CHARTED else begins


def _missed(outcome: Outcome) -> str:
    """A roll of one side without a net success: botched, nothing at all, or taken away by ones."""
    if outcome.degree == "botch":
        return "botch"
    return "taken_away" if outcome.figures["successes"] else "nothing"


def _resisted(outcome: Outcome) -> str:
    """The higher side wins by the difference (Resisted Rolls)."""
    figures, margin = outcome.figures, outcome.margin
    alone = "declined" in figures
    if margin > 0:
        return _charted("unresisted" if alone else "won", outcome)
    if margin < 0:
        if outcome.degree != "botch":
            return "lost"
        return "lost_botch_below" if "below_zero" in figures else "lost_botch"
    won = "defender" if figures.get("winner") == figures["opponent"] else "attacker"
    won = "neither" if outcome.degree == "standoff" else won
    if "winner" in figures or won == "neither":
        return f"tie_{won}" if number(figures, "net") > 0 else f"tie_at_zero_{won}"
    return _missed(outcome) if alone or outcome.degree == "botch" else "neither"


def _together(outcome: Outcome) -> str:
    """All pool their successes (Cooperative Rolls)."""
    if outcome.degree == "botch":
        nets = [key for key in outcome.figures if name_of(key) in ("net", "helper_net")]
        botches = [key for key in outcome.figures if name_of(key) in ("botch", "helper_botch")]
        return "all_botched" if len(botches) == len(nets) else "one_botched"
    if outcome.degree != "failure":
        return _charted("together", outcome)
    return "together_taken" if "below_zero" in outcome.figures else "together_nothing"


def _work(outcome: Outcome) -> str:
    """A long project: done, ruined, or a part of it (Extended Rolls)."""
    figures = outcome.figures
    if outcome.degree == "success":
        return "reached"
    if "ruined" in figures:
        return "ruined"
    if "deadline_missed" in figures:
        return "too_late" if "deadline" in figures else "too_long"
    if outcome.degree == "partial success":
        return "part_done"
    return "set_back" if any(name_of(key) == "round_lost" for key in figures) else "nothing_done"


def _contest(outcome: Outcome) -> str:
    """A running total that either side may win by (Resisted Rolls)."""
    figures = outcome.figures
    own = "gathered" in figures
    if outcome.degree == "undecided":
        open_ = "leading" if "leader" in figures else "level"
        open_ = "gathering" if own else open_
        return f"{open_}_late" if "deadline_missed" in figures else open_
    won = outcome.degree == "success"
    if "leader" not in figures:
        return "contest_tie_attacker" if won else "contest_tie_defender"
    found = "gathered" if own else "lead"
    return f"{found}_won" if won else f"{found}_lost"
