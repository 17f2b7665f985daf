"""The dice of plain rolls: d2 to d1000 with faces from 1 up, the percentile d% and Fate's dF."""

from collections.abc import Iterator, Mapping
from typing import Final

from ...events.base import Face
from .notation import FACES_MOST
from .options import Options

NUMBERS: Final = tuple(range(1, FACES_MOST + 1))
NAMED: Mapping[str, tuple[int, ...]] = {"d%": NUMBERS[:100], "dF": (-1, 0, 1)}


class Kinds(Mapping[str, tuple[Face, ...]]):
    """The face tables, made when they are asked for: written out they are half a million faces."""

    def __init__(self) -> None:
        self._numbered = {f"d{sides}": sides for sides in range(2, FACES_MOST + 1)}

    def __getitem__(self, kind: str) -> tuple[int, ...]:
        sides = self._numbered.get(kind)
        return NAMED[kind] if sides is None else NUMBERS[:sides]

    def __iter__(self) -> Iterator[str]:
        yield from self._numbered
        yield from NAMED

    def __len__(self) -> int:
        return len(self._numbered) + len(NAMED)

    def __contains__(self, kind: object) -> bool:
        return kind in self._numbered or kind in NAMED

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Kinds) or NotImplemented

    def __hash__(self) -> int:
        return hash(Kinds)


KINDS: Final = Kinds()


def faces(options: Options) -> Mapping[str, tuple[Face, ...]]:
    """Every kind of die; no reading changes their faces."""
    return KINDS
