"""The notation of plain dice: both ways the same, every spelling, and a caret where it is wrong."""

from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urim.errors import Refused
from urim.rules.plain.notation import (
    KEEPING,
    REROLLING,
    SIGNS,
    Compare,
    Constant,
    Dice,
    Expression,
    Keeping,
    parse,
    written,
)

SIDES: st.SearchStrategy[int | Literal["%", "F"]] = st.integers(2, 1000) | st.sampled_from(
    ("%", "F")
)
KEEP: st.SearchStrategy[Keeping | None] = st.none() | st.sampled_from((*KEEPING.values(),))
HIGHEST: st.SearchStrategy[Literal["highest"]] = st.just("highest")


@st.composite
def terms(draw: st.DrawFn) -> Dice:
    """Dice with every modifier that they can have."""
    sides = draw(SIDES)
    count = draw(st.integers(1, 50))
    compare = st.builds(Compare, st.sampled_from(SIGNS), st.integers(-1000, 1000))
    point = compare | st.builds(Compare, st.none(), st.integers(0, 1000))
    how = draw(KEEP)
    most = count - (how in ("dh", "dl"))
    keep = (how, draw(st.integers(1, most))) if how and most else None
    successes = draw(st.none() | compare)
    again = draw(st.sampled_from(["explode", "reroll", "neither"]))
    return Dice(
        count=count,
        sides=sides,
        minus=draw(st.booleans()),
        reroll=(draw(st.sampled_from(REROLLING)), draw(point)) if again == "reroll" else None,
        explode=draw(HIGHEST | point) if again == "explode" else None,
        keep=keep,
        successes=successes,
        failures=draw(st.none() | point) if successes else None,
        times=draw(st.just(1) | st.integers(1, 1000)),
    )


@st.composite
def expressions(draw: st.DrawFn) -> Expression:
    numbers = st.builds(Constant, st.integers(0, 100_000), minus=st.booleans())
    found = [draw(terms()), *draw(st.lists(terms() | numbers, max_size=19))]
    compare = draw(st.none() | st.builds(Compare, st.sampled_from(SIGNS), st.integers(-1000, 1000)))
    return Expression(tuple(draw(st.permutations(found))), compare)


@given(expressions())
def test_what_is_written_is_read_as_the_same(expression: Expression) -> None:
    assert parse(written(expression)) == expression


@given(st.text("0123456789dkhlro!cs%F<>=+-*advis ", max_size=30))
def test_any_text_is_an_expression_or_refused_with_a_caret(text: str) -> None:
    found = refusal_or(text)
    if isinstance(found, Expression):
        assert parse(written(found)) == found
        return
    why, shown, caret = found.why.split("\n")
    assert (found.code, shown) == ("malformed", f"  {text}")
    assert why
    assert caret.strip() == "^"
    assert len(caret) <= len(shown) + 1


def refusal_or(text: str) -> Refused | Expression:
    try:
        return parse(text)
    except Refused as error:
        return error


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("d20", "1d20"),
        (" D20 +  5>=15 ", "1d20+5 >= 15"),
        ("-d4 + 10", "-1d4+10"),
        ("4d6k3", "4d6kh3"),
        ("4d6K", "4d6kh1"),
        ("4d6d1", "4d6dl1"),
        ("4d6d", "4d6dl1"),
        ("4d6KH3", "4d6kh3"),
        ("2d20kl", "2d20kl1"),
        ("3D6DH2", "3d6dh2"),
        ("d%", "1d%"),
        ("4df", "4dF"),
        ("3d6kh2!", "3d6!kh2"),
        ("3d6!>=5", "3d6!>=5"),
        ("3d6! >= 5", "3d6! >= 5"),
        ("3d6!5", "3d6!5"),
        ("3d6!-1", "3d6!-1"),
        ("3d6r1", "3d6r1"),
        ("3d6ro<3kh2cs>=4", "3d6ro<3kh2cs>=4"),
        ("6d10>=7", "6d10 >= 7"),
        ("10d6cs>=5>=4", "10d6cs>=5 >= 4"),
        ("4dF>=-1", "4dF >= -1"),
        ("4dFro=-1", "4dFro=-1"),
        ("1d6+007", "1d6+7"),
        ("1d20+-1", "1d20-1"),
        ("1d20 - -1d4", "1d20+1d4"),
        ("-1d4 + - 2", "-1d4-2"),
        ("2d6*10", "2d6*10"),
        ("10 * 2d6 - 3", "2d6*10-3"),
        ("4d6kh3 * 5 >= 70", "4d6kh3*5 >= 70"),
        ("1*2d6", "2d6"),
        ("d20 adv", "2d20kh1"),
        ("1d20ADV+5", "2d20kh1+5"),
        ("d20 disadvantage >= 12", "2d20kl1 >= 12"),
        ("d20dis", "2d20kl1"),
        ("d6adv!", "2d6!kh1"),
        ("4d6 drop lowest", "4d6dl1"),
        ("4d6 Keep Highest 3 + 2", "4d6kh3+2"),
        ("5d6keep lowest2", "5d6kl2"),
        ("4d6 drop highest*2", "4d6dh1*2"),
    ],
)
def test_a_spelling_has_one_form(text: str, form: str) -> None:
    assert written(parse(text)) == form
    assert parse(form) == parse(text)


def test_each_modifier_is_read_into_its_field() -> None:
    found = parse("2d8-4d6ro<3dl1cs>=5 < 2")
    assert found.compare == Compare("<", 2)
    assert found.terms == (
        Dice(count=2, sides=8),
        Dice(
            count=4,
            sides=6,
            minus=True,
            reroll=("ro", Compare("<", 3)),
            keep=("dl", 1),
            successes=Compare(">=", 5),
        ),
    )


WRONG = [
    ("", 0, "a number or dice, as 3d6, is expected here, not the end"),
    ("   ", 3, "a number or dice, as 3d6, is expected here, not the end"),
    ("x", 0, "is expected here, not 'x'"),
    ("4d6ky", 4, "a modifier, + or -, or a comparison is expected here, not 'y'"),
    ("4d6 kh3", 4, "not 'k'"),
    ("2d6+", 4, "not the end"),
    ("2d6++3", 4, "not '+'"),
    ("2d6---3", 5, "not '-'"),
    ("--2d6", 1, "not '-'"),
    ("2d20 adv", 0, "adv is for one die"),
    ("d20 advkh1", 7, "dice take each sort of modifier once"),
    ("4d6 drop", 4, "not 'd'"),
    ("4d6 drop lowest 4", 16, "of 4 dice, 1 to 3 can be dropped"),
    ("2d6*0", 4, "dice are multiplied by 1 to 1000"),
    ("1001*2d6", 0, "dice are multiplied by 1 to 1000"),
    ("2d6*", 4, "a number is expected here, not the end"),
    ("2*3", 3, "dice, as 3d6, is expected here, not the end"),
    ("2*2d6*3", 5, "dice are multiplied once"),
    ("(2d6+3", 6, "+, - or ) is expected here, not the end"),
    ("(2d6 3)", 5, "+, - or ) is expected here, not '3'"),
    ("2*(2d6)*3", 7, "dice are multiplied once"),
    ("(2d6*100)*100", 10, "dice are multiplied by 1 to 1000"),
    ("2d6+(1d4+100000)*2", 17, "a number is at most 100000"),
    ("(2d6)kh1", 5, "a modifier, + or -, or a comparison is expected here, not 'k'"),
    ("floor(1d6)", 0, "functions are not read"),
    ("1d6/2", 3, "nothing is divided"),
    ("{2d6,1d12}kh1", 0, "braces are not read"),
    ("6#4d6kh3", 1, "give it several times"),
    ("1d8[]", 3, "a label is of 1 to 30 letters, digits and blanks"),
    ("1d8[a:b]", 3, "a label is of 1 to 30 letters, digits and blanks"),
    ("+2d6", 0, "not '+'"),
    ("2d", 2, "the number of faces, % or F, is expected here, not the end"),
    ("2dx", 2, "not 'x'"),
    ("0d6", 0, "1 to 1000 dice are thrown"),
    ("1001d6", 0, "1 to 1000 dice are thrown"),
    ("600d6+600d6", 0, "at most 1000 dice are thrown at once"),
    ("1d1", 2, "a die has 2 to 1000 faces"),
    ("1d0", 2, "a die has 2 to 1000 faces"),
    ("1d1001", 2, "a die has 2 to 1000 faces"),
    ("1d6+100001", 4, "a number is at most 100000"),
    ("1d6+99999999999999999999", 4, "a number is at most 100000"),
    ("5+3", 0, "there are no dice in it"),
    ("4d6kh0", 5, "of 4 dice, 1 to 4 can be kept"),
    ("4d6kl5", 5, "of 4 dice, 1 to 4 can be kept"),
    ("4d6dl4", 5, "of 4 dice, 1 to 3 can be dropped"),
    ("2d6dh2", 5, "of 2 dice, 1 can be dropped"),
    ("1d6dl1", 5, "of 1 dice, none can be dropped"),
    ("4d6kh3dl1", 6, "dice take each sort of modifier once"),
    ("4d6!!!", 5, "dice take each sort of modifier once"),
    ("4d6x!", 4, "dice take each sort of modifier once"),
    ("4d6!ro1", 4, "dice either explode or are rerolled"),
    ("4d6r1!", 5, "dice either explode or are rerolled"),
    ("4d6ro", 5, "a face, or a comparison as <=2, is expected here, not the end"),
    ("4d6cs7", 5, "a comparison, as >=7, is expected here, not '7'"),
    ("4d6cs>=", 7, "a number is expected here, not the end"),
    ("1d20 >=", 7, "a number is expected here, not the end"),
    ("1d20 >= 5 x", 10, "nothing more is expected here, not 'x'"),
    ("1d20 >= 5 + 1", 10, "nothing more is expected here, not '+'"),
    ("1d20 => 5", 6, "a number is expected here, not '>'"),
    ("1d6\t+1", 3, "not '\\t'"),
    ("1d6+\u0662", 4, "not '\u0662'"),
    ("+".join(["d6"] * 21), 59, "an expression has at most 20 terms"),
]


@pytest.mark.parametrize(("text", "at", "why"), WRONG)
def test_what_is_wrong_is_refused_with_a_caret_below_it(text: str, at: int, why: str) -> None:
    with pytest.raises(Refused) as found:
        parse(text)
    assert found.value.code == "malformed"
    assert why in found.value.why.split("\n")[0]
    assert found.value.why.split("\n")[1:] == [f"  {text}", f"  {' ' * at}^"]


def test_the_bounds_themselves_are_no_refusal() -> None:
    assert sum(dice.count for dice in parse("500d1000+500d2").dice) == 1000
    assert len(parse("+".join(["d6"] * 20)).terms) == 20
    assert parse("1d6+100000").terms[1] == Constant(100_000)
