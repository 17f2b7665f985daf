"""What a failing test reports: the history of its tables, and scenarios that reproduce them."""

from collections.abc import Callable, Iterator
from functools import partial

from ....errors import UrimError
from ....projections.history import history
from ....projections.isolates import bare
from ...core.aggregate import Aggregate
from ...core.commands import apart
from ...scenario.export import as_toml
from ...scenario.steps import step_of
from ...scenario.write import scenario_of
from .watch import Refusal, Reported, Watch

LINES = 200
"""Lines of a history that a failure prints, at most: the last ones."""


def sections(watch: Watch) -> Iterator[tuple[str, str]]:
    """Title and text of everything that a failure should show, the latest table last."""
    last = next((each.example for each in reversed(watch.reported) if each.example), None)
    for each in watch.reported:
        aggregate = each.aggregate
        if each.example is not None and each.example is not last:
            continue  # an earlier try of a law: what failed is the last
        if aggregate.state is None:
            continue
        name = f"urim table {aggregate.state.id}"
        yield f"{name}: its history", _or_error(partial(story_of, each))
        if each.needs_scenario:
            text = _or_error(partial(reproducing, aggregate, each.refusal))
            yield f"{name}: a scenario that reproduces it (`urim run FILE`)", text


def _or_error(write: Callable[[], str]) -> str:
    """The text, or why there is none: nothing may hide the test's own failure."""
    try:
        return write()
    except UrimError as error:
        return f"(there is none: {error})"
    except Exception as error:  # noqa: BLE001 - the test's own failure must be shown whatever is wrong
        return f"(there is none: {error!r})"


def story_of(reported: Reported) -> str:
    """A table's history for reading, with the command that was refused last."""
    aggregate, refusal = reported.aggregate, reported.refusal
    lines = [
        f"{line.seq:5} {bare(line.text)}" for line in history(aggregate.opened, aggregate.records)
    ]
    left_out = len(lines) - LINES
    if left_out > 0:
        lines = [f"      ({left_out} lines before)", *lines[-LINES:]]
    if refusal is not None:
        asked = f"{refusal.seat} asks {refusal.command}"
        lines.append(f"      {asked}: refused by {refusal.error.code!r}: {refusal.error}")
    return "\n".join(lines)


def reproducing(aggregate: Aggregate, refusal: Refusal | None) -> str:
    """A scenario that leads to the same table, and to the refusal that the table met last.

    Raises Refused as `scenario_of` does.
    """
    document = scenario_of(aggregate.entries, rulesets=aggregate.environment.rulesets)
    if refusal is not None:
        try:
            command, text = apart(refusal.command)
            words = text.text if text else None
            step = step_of(aggregate.opened, refusal.seat, command, words)
        except UrimError:
            return as_toml(document)  # no step can express this command
        document.setdefault("step", []).append({**step, "refused": refusal.error.code})
        # A document's tables come last: in TOML a key behind them would belong to them.
        if "expect" in document:
            document["expect"] = document.pop("expect")
    return as_toml(document)
