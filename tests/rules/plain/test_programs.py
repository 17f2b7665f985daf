"""Expressions that other programs document, and what they are here: one form, or what to write.

They are examples of the manuals of Roll20, Foundry VTT, Avrae and rpg-dice-roller, and what players
type there. What the programs themselves give is not computed here.
"""

from collections.abc import Mapping

import pytest

from urim.errors import Refused
from urim.rules.plain.notation import parse, written

SAME = (
    *("1d20", "2d6", "3d6+2", "1d20+5", "1d20-1", "1d100", "1d%", "4dF", "4dF+2", "2d6+1d8+3"),
    *(
        "4d6kh3",
        "2d20kh1",
        "2d20kl1",
        "4d6dl1",
        "3d20dh1",
        "8d100kh4",
        "5d10cs>=7",
        "2d6!",
        "3d6!5",
    ),
    *("3d6!>4", "10d6!>=5", "2d8ro1", "2d8ro<2", "4d6rr1", "8d6r<2", "3d6!!", "5d6!!>=5"),
    *("2d6*10",),
    *("1d10-1d4", "6d10cs>5", "8d6cs=6", "1d8[fire]", "2d6[slashing]+1d8[cold]", "1d20+7[to hit]"),
    *("10d10cs>=8", "5d6cs=6+2", "1d12!", "6d6!6", "1d1000", "100d6", "20d20kh5", "3d10kl2", "6dF"),
)
"""Read, and written in the same way."""

READ: Mapping[str, str] = {
    "d20": "1d20", "D20": "1d20", "d%": "1d%", "2D6 + 3": "2d6+3", "1d6 + 2d8": "1d6+2d8",
    "1d20+-1": "1d20-1", "1d20 - -1": "1d20+1", "d20 adv": "2d20kh1", "d20 dis": "2d20kl1",
    "1d20adv": "2d20kh1", "1d20 advantage": "2d20kh1", "1d20 dis+5": "2d20kl1+5",
    "4d6k3": "4d6kh3", "4d6d1": "4d6dl1", "4d6kh": "4d6kh1", "4d6kl": "4d6kl1", "4d6dh": "4d6dh1",
    "4d6 drop lowest": "4d6dl1", "4d6 keep highest 3": "4d6kh3", "2d20 keep lowest": "2d20kl1",
    "2d6*2": "2d6*2", "2*2d6": "2d6*2", "10 * 2d6": "2d6*10", "(2d6+3)*2": "2d6*2+6",
    "2*(1d6+1)": "1d6*2+2", "(1d6+2)+(1d8+3)": "1d6+2+1d8+3", "(1d8+4)*2+1d6": "1d8*2+8+1d6",
    "((2d6))": "2d6", "1d20-(1d4+1)": "1d20-1d4-1", "(4d6kh3)*10": "4d6kh3*10",
    "4d6x": "4d6!", "4d6x6": "4d6!6", "4d6x>=5": "4d6!>=5", "1d10e10": "1d10!10", "6d6e6": "6d6!6",
    "1d20 >= 15": "1d20 >= 15", "1d20+5>=15": "1d20+5 >= 15", "6d10>=7": "6d10 >= 7",
    "6d10>6": "6d10 > 6", "4d6=6": "4d6 = 6", "1d100<=45": "1d100 <= 45",
    "1d100 < 45": "1d100 < 45",
    "3d6 + 4 > 12": "3d6+4 > 12", "1d6+1d8[fire]": "1d6+1d8[fire]",
    "2d20kh1+5 >= 18": "2d20kh1+5 >= 18", "8d6cs>4": "8d6cs>4", "1d6! + 2": "1d6!+2",
    "3d6!=6": "3d6!=6", "2d10r1": "2d10r1", "2d10rr<=2": "2d10rr<=2",
    "2d20kh1[attack]": "2d20kh1[attack]",
    "1d4-1": "1d4-1", "-1d6+10": "-1d6+10", "1d8 [cold] + 2": "1d8[cold]+2",
    "10d10>7f1": "10d10cs>7f1", "10d10>=8f<=2": "10d10cs>=8f<=2", "10d10cs>7df1": "10d10cs>7f1",
    "6d10cs>=6f1": "6d10cs>=6f1", "4d6>4f<3": "4d6cs>4f<3",
}  # fmt: skip
"""Read, and written in the one form."""

REFUSED: Mapping[str, str] = {
    "0d6+1": "1 to 1000 dice",
    "5": "there are no dice in it",
    "1d6/2": "nothing is divided", "floor(1d6/2)": "functions are not",
    "2d6!p": "lose 1 with each",
    "{2d6,1d12}kh1": "braces are not read", "6#4d6kh3": "give it several times",
    "1d20mi10": "put up or down", "1d20min10": "put up or down", "4d6ma5": "put up or down",
    "5d10cs>7cf1": "takes successes away stands behind", "8d6sa": "not sorted",
    "5d10f1": "f takes away from what is counted", "5d10cs>7f1f2": "each sort of modifier once",
    "8d6sd": "not sorted", "round(1d6)": "functions are not", "abs(1d6-3)": "functions are not",
    "1d20xo20": "not 'o'", "[[2d6]]": "label", "2d6 % 5": "not '%'", "@{strength}": "not '@'",
    "2d6 plus 3": "not 'p'",
    "1d{4}": "the number of faces", "d1": "2 to 1000 faces", "1001d6": "1 to 1000 dice",
}  # fmt: skip
"""Refused, with a sentence that says what to write or what there is."""


@pytest.mark.parametrize("text", SAME)
def test_it_is_written_as_it_is_read(text: str) -> None:
    assert written(parse(text)) == text


@pytest.mark.parametrize("text", READ)
def test_it_is_written_in_one_form(text: str) -> None:
    found = parse(text)
    assert written(found) == READ[text]
    assert parse(READ[text]) == found


@pytest.mark.parametrize("text", REFUSED)
def test_it_is_refused_with_a_reason(text: str) -> None:
    with pytest.raises(Refused) as refused:
        parse(text)
    assert REFUSED[text] in refused.value.why
