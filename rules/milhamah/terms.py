"""The words of Milhamah explained, and what its rules ask, for somebody who never played it."""

from ..words import Words
from .figures import BASIC, HIT, NATURAL, OPPOSED, REROLL, RESULTS

ATTRIBUTE = "an attribute of a character: a number of dice, and a root of its own"

TERMS: Words = {
    "term.attribute": "what a character is by nature, as a number of dice",
    "term.skill": "what a character has learnt, as a number of dice",
    "term.rating": "attribute and skill together",
    "term.BLE": ATTRIBUTE,
    "term.GRA": ATTRIBUTE,
    "term.VIG": f"{ATTRIBUTE}; it also gives the soak points that a character starts with",
    "term.root": "the Hebrew letters of an ability; a die that shows one of them is a success",
    "term.Wild": (
        "a face, *, in the place of any letter: a success for the one who acts, none for the one"
        " who reacts"
    ),
    "term.success": "what is counted: the more, the better it goes",
    "term.target": "how many successes a roll needs that nobody opposes",
    "term.reaction": "a roll of the opponent against the first one",
    "term.natural root": "dice that show every letter of the root, without a Wild",
    "term.X": "how many dice may be thrown again: attribute and skill, and what adds to them",
    "term.R": "dice more that may be thrown again",
    "term.XR": "dice more that may be thrown again next turn, because an opponent failed so badly",
    "term.totals": "attribute, skill and modifiers of each side, which are compared",
    "term.margin": "by how many successes one side is above or below what it had to beat",
    "term.kept": "not to be thrown again; the book calls such a die frozen",
    "term.critical success": (
        "a natural root, and an opponent whose dice show no letter of his root; in combat it wounds"
    ),
    "term.natural success": "a success with a natural root",
    "term.success at a cost": "as many successes as were needed, and no more",
    "term.botch": "no letter of the root on any die: a failure at a great cost",
    "term.severity": "how bad a botch is: its Wilds",
    "term.soak points": "what a blow uses up before it wounds: cuts and bruises",
    "term.armour": "what a blow uses up first, for each part of the body",
    "term.Merit Point": "a point that buys a die more to throw again",
    "term.pocketed": "kept for the next attack",
    "term.cipher": "a way to turn a die to the letter on its other side",
    "term.combat": "the roll is a blow, and can wound",
}

RULES: Words = {
    "rule.roll.initiator": f"{BASIC}|a roll is normally of 8 dice, in two colours",
    "rule.roll.reactor": f"{OPPOSED}|the opponent may react with dice of his own, normally 8",
    "rule.roll.location": f"{HIT}|the part of the body that is hit is thrown for",
    "rule.freeze": f"{REROLL}|before dice are thrown again, any of them may be kept",
    "rule.reroll.initiator": (
        f"{REROLL}|once after the first throw, X of the dice that are not kept may be thrown again;"
        " X was {x}"
    ),
    "rule.reroll.reactor": (
        f"{REROLL}|once after the first throw, X of the dice that are not kept may be thrown again;"
        " X was {opponent_x}"
    ),
    "rule.adjust.cipher": f"{REROLL}|dice are turned only by a cipher that is announced",
    "rule.adjust.natural": (
        f"{NATURAL}|the dice show every letter of the root {{root}} without a Wild, and the player"
        " chooses what that gives"
    ),
    "rule.adjust.reward": f"{RESULTS}|who is opposed by a botch may have more dice next turn",
    "rule.adjust.gain": f"{RESULTS}|who is opposed by a botch may have more dice next turn",
}
