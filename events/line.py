"""An entry as a line of JSON, as bundles and feeds have it; the form is that of docs/bundle.md."""

from msgspec.json import Encoder

from .base import JSON
from .entry import Entry

_encoder = Encoder()


def entry_line(entry: Entry) -> bytes:
    """An entry's line: as much as the entry holds."""
    found: JSON = {
        "seq": entry.seq,
        "commit": entry.commit,
        "at": entry.at,
        "class": entry.kind,
        "digest": entry.digest.hex(),
    }
    if entry.salt is not None and entry.payload is not None:
        found |= {"salt": entry.salt.hex(), "payload": entry.payload.decode("utf-8")}
    # Whole numbers and texts alone: the bytes are those of `json`, in a third of the time.
    return _encoder.encode(found) + b"\n"
