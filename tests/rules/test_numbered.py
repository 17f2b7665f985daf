"""Long runs of kinds dN are named by their ends, and all other kinds are written out."""

import pytest

from urim.events.base import Face
from urim.rules import BUILT_IN, ruleset_named
from urim.rules.numbered import RUN, Kinds, is_numbered, named, others, runs


def dice(*sides: int) -> dict[str, tuple[Face, ...]]:
    return {f"d{each}": tuple(range(1, each + 1)) for each in sides}


def test_a_run_is_long_and_has_no_gap() -> None:
    assert runs(dice(*range(2, 2 + RUN))) == ((2, 1 + RUN),)
    assert runs(dice(*range(2, 1 + RUN))) == ()
    assert runs(dice(*range(2, 2 + RUN), *range(50, 50 + RUN))) == ((2, 21), (50, 69))
    assert runs(dice(*reversed(range(2, 2 + RUN)))) == ((2, 1 + RUN),)


def test_what_is_in_no_run_is_left() -> None:
    faces = {**dice(*range(2, 2 + RUN), 100), "dF": (-1, 0, 1), "d5": (5, 4, 3, 2, 1)}
    assert others(faces) == {**faces, "d5": (5, 4, 3, 2, 1)}  # without d5 both parts are short
    faces = {**dice(*range(6, 6 + RUN), 100), "dF": (-1, 0, 1), "d5": (5, 4, 3, 2, 1)}
    assert others(faces) == {**dice(100), "dF": (-1, 0, 1), "d5": (5, 4, 3, 2, 1)}


def test_a_kind_is_numbered_by_its_name_and_its_faces() -> None:
    assert is_numbered("d3", (1, 2, 3))
    assert not is_numbered("d3", (1, 3, 2))
    assert not is_numbered("d4", (1, 2, 3))
    assert not is_numbered("red", (1, 2, 3))
    for sides in (1_000, 1_001, 2_000):
        assert is_numbered(f"d{sides}", tuple(range(1, sides + 1)))
        assert not is_numbered(f"d{sides}", (*range(1, sides), 1))


@pytest.mark.parametrize("name", BUILT_IN)
def test_runs_and_others_are_all_kinds_of_a_system(name: str) -> None:
    faces = ruleset_named(name).faces(ruleset_named(name).Options())
    within = dice(*(sides for least, most in runs(faces) for sides in range(least, most + 1)))
    assert {**others(faces), **within} == dict(faces)
    assert bool(within) == (name == "plain")


def test_kinds_that_are_made_when_asked_for_are_those_written_out() -> None:
    made = Kinds(30, {"dF": (-1, 0, 1), "d%": tuple(range(1, 101))})
    written = {**dice(*range(2, 31)), "dF": (-1, 0, 1), "d%": tuple(range(1, 101))}
    assert dict(made) == written
    assert len(made) == len(written)
    assert named(made) == named(written) == {kind: written[kind] for kind in ("dF", "d%")}
    assert "d30" in made
    assert "d31" not in made
    with pytest.raises(KeyError):
        made["d31"]
