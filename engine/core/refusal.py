"""A refusal as a structure that may be sent to the seat that was refused."""

from msgspec import Struct

from ...errors import Refused


class Refusal(Struct, frozen=True, gc=False, omit_defaults=True, tag="refusal", tag_field="type"):
    """A command or an input that cannot be used; nothing was changed.

    `code` is stable, one of `urim.errors.CODES`; `why` says in a sentence what was wrong with which
    value. `allowed` is what would be allowed now, most useful first; `left_out` counts what else
    would be, and is left out itself where it is 0.
    """

    code: str
    why: str
    allowed: tuple[str, ...]
    left_out: int = 0


def as_refusal(error: Refused) -> Refusal:
    """The refusal as a structure."""
    return Refusal(error.code, error.why, error.allowed, error.left_out)
