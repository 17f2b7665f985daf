"""How every seat kept to the throws at level `table`: asked, heard, passed over, withheld.

The events are open even in hidden rolls, so that everybody counts the same.
"""

from collections.abc import Iterable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from ..events import roll as rolled
from ..events.codec import RecordedEvent


class Conduct(Struct, frozen=True):
    """One seat's part, counted in throws.

    `asked` for a nonce, of which it `gave` some and was `passed_over` in others; `bound` a nonce of
    its own, and `withheld` the throw when everybody else was done.
    """

    asked: int = 0
    gave: int = 0
    passed_over: int = 0
    bound: int = 0
    withheld: int = 0


def conduct(records: Iterable[RecordedEvent | None]) -> Mapping[str, Conduct]:
    """Every seat that was asked or that bound a nonce, by id; a record is None where withheld."""
    found: dict[str, Conduct] = {}
    for record in records:
        for name, seats in _told(record.event if record else None).items():
            for seat in seats:
                known = found.get(seat, Conduct())
                found[seat] = replace(known, **{name: getattr(known, name) + 1})
    return found


def _told(event: object) -> Mapping[str, tuple[str, ...]]:
    """What an event adds to, and for whom."""
    match event:
        case rolled.NonceCommitted():
            return {"bound": (event.by,), "asked": event.asked}
        case rolled.WitnessGiven():
            return {"gave": (event.by,)}
        case rolled.SeatsPassedOver():
            return {"passed_over": event.seats}
        case rolled.NonceWithheld():
            return {"withheld": (event.seat,)}
        case _:
            return {}
