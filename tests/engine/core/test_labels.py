"""People read an offer in words of its system; a refusal names it as a command takes it."""

from collections.abc import Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from tests import plays
from urim.engine.core.aggregate import environment
from urim.engine.core.labels import SAID, Labels, in_words, labels
from urim.engine.core.moves import awaiting
from urim.engine.core.offers import SHOWN, describe, offers, ways
from urim.engine.table import Table
from urim.projections.isolates import isolated
from urim.projections.lexicon import Lexicon
from urim.projections.tables import TableState
from urim.rules import ruleset_named
from urim.rules.ruleset import Offer

WORDS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "hand.reactor": "the opponent's dice",
        "hand.helper": "helper",
        "means.flip": "a flip",
        "kind.red-a": "red",
        "choice.natural": "what the natural root does",
        "choice.natural.prevent": "nobody may react",
        "link.counter": "a counter-prayer",
        "track.merit": "merit",
    },
    "he": {"hand.reactor": "היריב"},
}


def table_with(words: Mapping[str, Mapping[str, str]]) -> TableState:
    """The state of a table of Milhamah with other words."""
    book = replace(ruleset_named("milhamah"), words=words)
    table = Table(
        "milhamah", environment=replace(environment("seeded:1"), rulesets=lambda name: book)
    )
    table.character("Rachel", attributes={"BLE": 3})
    return table.state


STATE = table_with(WORDS)


def an_offer(trigger: Any, **given: Any) -> Offer:
    """An offer to Rachel."""
    return Offer(trigger=trigger, character="c1", **given)


def test_an_offer_has_a_label_for_everything_that_it_names() -> None:
    choice = an_offer("adjust", choice="natural", options=("allow", "prevent"))
    assert labels(STATE, choice) == Labels(
        choice="what the natural root does", options=("allow", "nobody may react")
    )
    throw = an_offer("roll", hand="2:reactor", dice=("red-a", "red-a", "blue_b"))
    assert labels(STATE, throw) == Labels(
        hand="the opponent's dice, round 2", kinds=("red", "red", "blue b")
    )
    flip = an_offer("adjust", hand="reactor", means="flip", dice=("d1",), to={"d1": {"x": 1}})
    assert labels(STATE, flip) == Labels(hand="the opponent's dice", means="a flip")
    follow = an_offer("declare", link="counter")
    assert labels(STATE, follow) == Labels(link="a counter-prayer")


def test_a_language_without_the_word_is_read_in_english() -> None:
    throw = an_offer("roll", hand="reactor", dice=("red-a",))
    assert labels(STATE, throw, language="he") == Labels(hand=isolated("היריב"), kinds=("red",))


RACHEL = isolated("Rachel")


@pytest.mark.parametrize(
    ("hand", "label"),
    [
        ("reactor", "the opponent's dice"),
        ("2:reactor", "the opponent's dice, round 2"),
        ("helper:c1", f"helper {RACHEL}"),
        ("3:helper:c1", f"helper {RACHEL}, round 3"),
        ("c1", RACHEL),
        ("left_over", "left over"),
        ("", ""),
    ],
)
def test_a_hand_is_called_by_its_word_its_character_and_its_round(hand: str, label: str) -> None:
    assert Lexicon(STATE).hand(hand) == label


@pytest.mark.parametrize(
    ("offer", "text"),
    [
        (an_offer("roll", hand="reactor", dice=("red-a", "red-a", "x")),
         "throw the opponent's dice: 2 red, 1 x"),
        (an_offer("roll", hand="reactor", dice=("x",) * 3, options=(0, 1, 2, 3)),
         "throw the opponent's dice: 3 x, 0 to 3 of them"),
        (an_offer("roll", hand="reactor", link="counter"),
         "take over the dice of the opponent's dice"),
        (an_offer("roll", hand="reactor"), "throw the opponent's dice: no dice"),
        (an_offer("freeze", hand="main", dice=("d1", "d2")), "freeze dice of main: d1 d2"),
        (an_offer("reroll", hand="main", dice=("d1", "d2"), most=1),
         "reroll at most 1 die of main: d1 d2"),
        (an_offer("reroll", hand="main", dice=("d1", "d2"), least=2, most=2),
         "reroll all dice of main: d1 d2"),
        (an_offer("reroll", hand="main", dice=("d1", "d2", "d3"), least=2, most=3),
         "reroll 2 to 3 dice of main: d1 d2 d3"),
        (an_offer("reroll", hand="main", dice=("d1", "d2"), most=1, extra=1,
                  extra_cost=("merit", 2)),
         "reroll at most 1 die of main: d1 d2, 1 more at 2 merit each"),
        (an_offer("reroll", hand="main", dice=("d1", "d2"), extra=1, extra_cost=("merit", 2)),
         "reroll at most 1 die at 2 merit each of main: d1 d2"),
        (an_offer("adjust", hand="main", means="flip", dice=("d1",), most=1),
         "adjust main by a flip, at most 1: d1"),
        (an_offer("adjust", choice="natural", options=("allow", "prevent")),
         "choose what the natural root does: allow or nobody may react"),
        (an_offer("react"), "react"),
        (an_offer("react", choice="fate", options=("luck",)), "react: fate luck"),
        (an_offer("declare"), "declare a roll"),
        (an_offer("declare", link="soak"), "declare a roll that follows: soak"),
        (an_offer("flavour", hand="main", choice="harmful", options=("a",)),
         "name harmful words that the dice of main spell"),
        (an_offer("resolve"), "resolve"),
        (an_offer("apply_damage"), "apply damage"),
    ],
)  # fmt: skip
def test_an_offer_is_said_in_words(offer: Offer, text: str) -> None:
    assert in_words(STATE, offer) == text


@pytest.mark.parametrize("path", plays.files(), ids=plays.name_of)
def test_every_offer_of_every_scenario_is_said_by_no_id_of_a_character(path: Any) -> None:
    state = plays.kept_of(path).play.aggregate.opened
    for roll in state.rolls.values():
        for offer in offers(state, roll):
            text = in_words(state, offer)
            assert text.isprintable()
            assert not {*labels(state, offer).hand.split()} & {*state.characters}


def test_every_trigger_of_an_offer_is_said() -> None:
    triggers = {
        trigger for name in ("milhamah", "plain") for trigger in ruleset_named(name).triggers
    }
    assert triggers <= set(SAID)


def test_what_a_table_waits_for_is_said_in_its_words() -> None:
    book = replace(ruleset_named("milhamah"), words={"en": {"hand.initiator": "the first dice"}})
    table = Table(
        "milhamah", environment=replace(environment("seeded:1"), rulesets=lambda name: book)
    )
    rachel = table.character("Rachel", attributes={"BLE": 3})
    table.declare(rachel, attribute="BLE")
    [waits] = awaiting(table.state, rachel.seat)
    assert waits.why.startswith("due of Rachel: throw the first dice: ")


# --- as commands take them ------------------------------------------------------------------------


def test_a_refusal_names_many_dice_in_a_few_words() -> None:
    few = tuple(f"d{at}" for at in range(1, SHOWN + 1))
    assert describe(an_offer("freeze", hand="main", dice=few)).endswith(" d11 d12")
    many = tuple(f"d{at}" for at in range(1, 1_001))
    text = "freeze main d1 to d1000, 1000 dice"
    assert describe(an_offer("freeze", hand="main", dice=many)) == text


def test_a_refusal_lists_each_offer_once() -> None:
    hands = [an_offer("freeze", hand=f"h{at}", dice=("d1",)) for at in range(25)]
    assert len(ways([*hands, *hands])) == 25
    assert ways([hands[0], hands[0]]) == ("freeze h0 d1",)
