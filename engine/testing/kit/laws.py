"""One history held to every law: at each of its moments, and at its end."""

from ....events.base import Effect
from ....events.ruling import DeclarationReplaced
from ....projections.tables import TableState
from ....projections.tracks import place, taken
from .acting import check_acting
from .contract import check_again, check_contract, check_declared
from .figures import check_figures
from .forms import check_rollables
from .offers import check_offers
from .play import History
from .readings import check_readings, check_settling
from .replay import check_evolve, check_replay, check_voids
from .scores import check_reach, check_score
from .tallies import check_tallies
from .trial import LawBroken, Moment, lawful


def hold(history: History) -> None:
    """Play the history, and raise LawBroken at the first law that it breaks."""
    seen: dict[int, TableState] = {history.state.size: history.state}
    declared = 0
    for who in history.state.characters:
        game = history.state.game
        check_rollables(game.ruleset, game.options, history.state.sheet(who))
    for moment in history.play():
        _spent(history, moment, max(seen))
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
                check_score(history, moment)
                check_reach(history, moment)
                check_tallies(history, moment)
            check_figures(history, moment)
            check_readings(history, moment)
            check_acting(history, moment)
            _recounted(history, moment)
    check_replay(history, seen)
    check_evolve(history)
    check_voids(history)
    check_again(history)


def _spent(history: History, moment: Moment, since: int) -> None:
    """What the roll's entries from `since` on say was spent or gained was there, or had room."""
    game, roll = moment.state.game, moment.roll
    for record in roll.trail:
        effects = getattr(record.event, "effects", ())
        elsewhere = (
            isinstance(record.event, DeclarationReplaced) or place(roll, record) < record.seq
        )
        if record.seq < since or roll.hidden or elsewhere:  # it counts in another place
            continue
        took = taken(game, moment.state.tracks_before(record.seq), effects)
        if took != effects:
            tag = record.event.__struct_config__.tag
            why = f"{tag} says {_marks(effects)}, and the tracks took {_marks(took)}"
            raise LawBroken("spent", why, history.story)


def _marks(effects: tuple[Effect, ...]) -> str:
    found = (f"{e.character} {e.track} {f'{e.delta:+}' if e.to is None else e.to}" for e in effects)
    return ", ".join(found) or "nothing"


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
