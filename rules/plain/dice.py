"""The dice of plain rolls: d2 to d1000 with faces from 1 up, the percentile d% and Fate's dF."""

from collections.abc import Mapping
from typing import Final

from ...events.base import Face
from ..numbered import Kinds
from .notation import FACES_MOST
from .options import Options

KINDS: Final = Kinds(FACES_MOST, {"d%": tuple(range(1, 101)), "dF": (-1, 0, 1)})


def faces(options: Options) -> Mapping[str, tuple[Face, ...]]:
    """Every kind of die; no reading changes their faces."""
    return KINDS
