"""One history held to every law: at each of its moments, and at its end."""

from ....projections.tables import TableState
from .acting import check_acting
from .contract import check_again, check_contract, check_declared
from .figures import check_figures
from .forms import check_rollables
from .offers import check_offers
from .play import History
from .readings import check_readings, check_settling
from .replay import check_evolve, check_replay, check_voids
from .trial import LawBroken, Moment, lawful


def hold(history: History) -> None:
    """Play the history, and raise LawBroken at the first law that it breaks."""
    seen: dict[int, TableState] = {history.state.size: history.state}
    declared = 0
    for who in history.state.characters:
        game = history.state.game
        check_rollables(game.ruleset, game.options, history.state.sheet(who))
    for moment in history.play():
        seen[moment.state.size] = moment.state
        for made in history.declared[declared:]:
            with lawful(history.story):
                check_declared(history, made)
            check_settling(history, made)
        declared = len(history.declared)
        if moment.roll.state != "voided":
            check_offers(history, moment)
            with lawful(history.story):
                check_contract(history, moment)
            check_figures(history, moment)
            check_readings(history, moment)
            check_acting(history, moment)
            _recounted(history, moment)
    check_replay(history, seen)
    check_evolve(history)
    check_voids(history)
    check_again(history)


def _recounted(history: History, moment: Moment) -> None:
    """The announced outcome, counted by the caller too."""
    outcome = moment.roll.roll.outcome
    if outcome is None:
        return
    history.report.degrees.add(outcome.degree)
    if history.trial.recount is None:
        return
    announced = {**outcome.figures, "degree": outcome.degree, "margin": outcome.margin}
    with lawful(history.story):
        counted = history.trial.recount(moment.roll.roll)
    for name, value in counted.items():
        if name not in announced or announced[name] != value:
            why = f"{name} is {announced.get(name)!r}, counted {value!r}"
            raise LawBroken("recount", why, history.story)
