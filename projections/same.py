"""Totals that are only equal to one other figure: which of the two lines an account leaves out."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from ..rules.figures import OUTSIDE, Sum, Term


class Same:
    """The sums of one outcome or damage, by which of them only say that two figures are equal.

    `equal` is the one term of each such total. `alike` says whether two figures count the same.
    """

    def __init__(
        self,
        equal: Mapping[str, Term | None],
        sums: Sequence[Sum],
        alike: Callable[[str, str], bool],
    ) -> None:
        self._equal = {total: term for total, term in equal.items() if term is not None}
        self._sums = sums
        self._alike = alike

    def of(self, total: str) -> Term | None:
        """The figure that a total is equal to in the end; None where it is a sum."""
        return [None, *self._chain(total)][-1]

    def within(self, term: Term, sum_: Sum) -> Term | None:
        """The figure that gives a term of that sum its label; None where it keeps its own.

        It keeps its own in the margin, and where the other figure is in the sum already.
        """
        source = self.of(term.figure) if term.constant is None else None
        if source is None or sum_.total in OUTSIDE or not self._alike(term.figure, source.figure):
            return None
        sources = [(self.of(each.figure) or each).figure for each in sum_.terms]
        return source if len(set(sources)) == len(sources) else None

    def left_out(self, total: str) -> bool:
        """Whether another line shows all that the line of this total would."""
        if total not in self._equal:
            return False
        uses = [each for each in self._sums for term in each.terms if term.figure == total]
        if total in OUTSIDE:
            return any(self._shown(term.figure) for term in self._chain(total))
        return bool(uses) and all(self._replaced(total, each) for each in uses)

    def _chain(self, total: str) -> Iterator[Term]:
        while (term := self._equal.get(total)) is not None:
            yield term
            total = "" if term.constant is not None else term.figure

    def _replaced(self, total: str, sum_: Sum) -> bool:
        return sum_.total in self._equal or self.within(Term(total), sum_) is not None

    def _shown(self, figure: str) -> bool:
        """Whether a figure is the total or a term of a sum of more than one term."""
        real = (each for each in self._sums if each.total not in self._equal)
        return any(figure in (each.total, *(term.figure for term in each.terms)) for each in real)
