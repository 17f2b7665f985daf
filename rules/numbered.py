"""Kinds of dice by a rule: dN has the faces 1 to N; long runs of them are not written out."""

from collections.abc import Iterator, Mapping

from ..events.base import Face

RUN = 20
"""So many neighbouring kinds, or more, are named by their first and last."""

FIRST = tuple(range(1, 1001))
"""The faces of the largest die that is usual: those of smaller ones are compared with its first."""


class Kinds(Mapping[str, tuple[int, ...]]):
    """The kinds d2 to `most`, at most a die of FIRST, and others by name.

    Their faces are made when they are asked for: written out, those of d2 to d1000 are half a
    million.
    """

    def __init__(self, most: int, others: Mapping[str, tuple[int, ...]]) -> None:
        self.others = others
        self._numbered = {f"d{sides}": sides for sides in range(2, most + 1)}

    def __getitem__(self, kind: str) -> tuple[int, ...]:
        sides = self._numbered.get(kind)
        return self.others[kind] if sides is None else FIRST[:sides]

    def __iter__(self) -> Iterator[str]:
        yield from self._numbered
        yield from self.others

    def __len__(self) -> int:
        return len(self._numbered) + len(self.others)

    def __contains__(self, kind: object) -> bool:
        return kind in self._numbered or kind in self.others


Run = tuple[int, int]
"""The faces of the first and of the last kind of a run."""


def runs(faces: Mapping[str, tuple[Face, ...]]) -> tuple[Run, ...]:
    """The runs of kinds dN with the faces 1 to N, N one more from kind to kind."""
    sides = [len(table) for kind, table in faces.items() if is_numbered(kind, table)]
    found: list[Run] = []
    for each in sorted(sides):
        if found and found[-1][1] == each - 1:
            found[-1] = (found[-1][0], each)
        else:
            found.append((each, each))
    return tuple(run for run in found if run[1] - run[0] + 1 >= RUN)


def others(faces: Mapping[str, tuple[Face, ...]]) -> dict[str, tuple[Face, ...]]:
    """The kinds that are in no run, with their faces."""
    within = {f"d{sides}" for least, most in runs(faces) for sides in range(least, most + 1)}
    return {kind: table for kind, table in faces.items() if kind not in within}


def is_numbered(kind: str, table: tuple[Face, ...]) -> bool:
    """Whether the kind is dN and its faces are 1 to N."""
    sides = len(table)
    usual = FIRST[:sides] if sides <= len(FIRST) else tuple(range(1, sides + 1))
    return kind == f"d{sides}" and table == usual


def named(faces: Mapping[str, tuple[Face, ...]]) -> dict[str, tuple[Face, ...]]:
    """The kinds that do not show 1 to n, or do not say so by their name, with their faces."""
    if isinstance(faces, Kinds):  # else opening a table would make half a million faces
        faces = faces.others
    return {kind: table for kind, table in faces.items() if not is_numbered(kind, table)}
