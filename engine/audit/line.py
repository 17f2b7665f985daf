"""One entry of a bundle, as every check reads it."""

from msgspec import Struct

from ...events.asked import Asked
from ...events.codec import RecordedEvent
from ...events.entry import Entry


class Line(Struct, frozen=True):
    """One entry of a bundle, its event and what was asked, as far as they can be read."""

    entry: Entry
    record: RecordedEvent | None
    asked: Asked | None
