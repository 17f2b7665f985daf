"""The documents' case files: a disputed roll of each system, the same bytes in every run.

`python -m tests.cases --write` writes them to docs/cases/. `--try FOLDER` writes two pages to try
Urim without it, which are checked in the browser: one of these rolls, and the evening it was in.
"""

import argparse
import sys
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import Struct

from tests.engine.helpers.tables.host import Host
from tests.tree import ROOT
from urim.engine.bundle.about import shown_to
from urim.engine.bundle.write import bundle_of
from urim.engine.case.gather import case_of
from urim.engine.case.page import page
from urim.engine.core import commands
from urim.engine.core.limits import NARRATOR
from urim.engine.render.html import text_of
from urim.engine.server.routes.receipts import said_of, words_of
from urim.engine.service.receipts import receipt_under, sizes
from urim.engine.verifier import build
from urim.events.base import AdjustedDie, Level
from urim.events.checkpoint import Checkpoint, public_key, sign
from urim.projections.history import history
from urim.projections.tables import Rulesets
from urim.rules import ruleset_named
from urim.rules.ruleset import Die, Ruleset
from urim.rules.versions import as_of

FOLDER = ROOT / "docs" / "cases"

NOW = 1_760_000_000_000
"""The reader's clock, so that the pages do not depend on the day."""

ROOT_OF_WIND = "רוח"


class Played(Struct, frozen=True):
    """A table that was played, and the roll that the case is about."""

    host: Host
    roll: int


# --- what people do -------------------------------------------------------------------------------


def first_version(name: str) -> Ruleset:
    """A system as it was in its first version."""
    return as_of(ruleset_named(name), 1)


def table(
    system: str,
    seed: str,
    level: Level,
    options: dict[str, Any] | None = None,
    rulesets: Rulesets = ruleset_named,
) -> Host:
    """A table of three: Noa narrates, Rachel and Yonah play; all have published their chains."""
    name = f"{system.replace('_', '')}0"
    host = Host(system, seed=seed, level=level, options=options, table=name, rulesets=rulesets)
    host.ask(NARRATOR, commands.NameSeat(NARRATOR), words="Noa")
    for seat, name in (("p1", "Rachel"), ("p2", "Yonah")):
        host.ask(NARRATOR, commands.TakeSeat(seat), words=name)
    if level == "table":
        host.anchor(NARRATOR, "p1", "p2")
    return host


def enter(host: Host, seat: str, name: str, ratings: Mapping[str, int], **tracks: int) -> str:
    """A character comes to the table."""
    id = f"c{len(host.state.characters) + 1}"
    named = {key.replace("__", ":"): value for key, value in tracks.items()}
    host.ask(NARRATOR, commands.EnterCharacter(id, seat, dict(ratings), named), words=name)
    return id


def declare(host: Host, who: str, label: str, /, **declaration: Any) -> int:
    """Declare a roll; its number."""
    seat = host.state.characters[who].seat
    host.ask(seat, commands.Declare(who, declaration), words=label)
    return host.state.last_roll


def dispute(host: Host, roll: int, seat: str, words: str) -> int:
    """Dispute a roll; the entry."""
    return host.ask(seat, commands.Dispute(roll), words=words)


def rule(host: Host, roll: int, raised: int, ruling: Any, words: str, **more: Any) -> int:
    """Rule on a dispute."""
    return host.ask(NARRATOR, commands.Rule(roll, raised, ruling, **more), words=words)


def void(host: Host, roll: int, words: str) -> None:
    """Void a roll."""
    host.ask(NARRATOR, commands.Void(roll), words=words)


def keep(host: Host, roll: int, wanted: Callable[[Die], bool]) -> None:
    """Keep the dice that one wants; throw others again where that is offered; then stand."""
    for _ in range(3):
        again = [offer for offer in host.offers(roll) if offer.trigger == "reroll"]
        if not again:
            break
        offer = again[0]
        hand = host.roll(roll).roll.hand(offer.hand)
        assert hand is not None
        good = [die.id for die in hand.dice if wanted(die)]
        if good and any(o.trigger == "freeze" for o in host.offers(roll)):
            host.freeze(roll, *good)
        again = [each for each in host.offers(roll) if each.trigger == "reroll"]
        if not again:
            break
        rest = [id for id in again[0].dice if id not in good]
        if not rest:
            break
        host.reroll(roll, *rest[: again[0].most or 1])
    if any(offer.trigger == "freeze" for offer in host.offers(roll)):
        host.freeze(roll, *host.offer(roll, "freeze").dice)


# --- one roll of each system ----------------------------------------------------------------------


def milhamah(seed: str) -> Played:
    """By the first version of the rules: a blow that hits, after two that were voided.

    The dispute is about the order of throws.
    """
    skills = {"skill_roots": {"wind": ROOT_OF_WIND, "jump": "חננ"}}
    host = table("milhamah", seed, "table", skills, rulesets=first_version)
    etgar = enter(host, "p1", "Etgar", {"BLE": 4, "VIG": 2, "wind": 3})
    toad = enter(host, "p2", "Midwife Toad", {"GRA": 1, "VIG": 2}, soak=2, armour__belly=2)
    blow: dict[str, Any] = {"attribute": "BLE", "skill": "wind", "opponent": toad, "combat": True}
    for words in ("Rachel had meant the other skill.", "The toad was not in reach yet."):
        roll = declare(host, etgar, "The wind on the ford", **blow)
        host.react(roll, root="חננ", attribute="GRA")
        host.throw(roll)
        void(host, roll, words)
    roll = declare(host, etgar, "The wind on the ford", **blow)
    host.react(roll, root="חננ", attribute="GRA")
    host.throw(roll)
    keep(host, roll, lambda die: str(die.face) in f"{ROOT_OF_WIND}*")
    if any(offer.choice == "natural" for offer in host.offers(roll)):
        host.ask("p1", commands.Choose(roll, "natural", "allow"))
    if any(o.trigger == "roll" and o.hand == "reactor" for o in host.offers(roll)):
        host.throw(roll, "reactor")
        keep(host, roll, lambda die: str(die.face) in "חננ*")
    host.finish(roll)
    if any(o.trigger == "apply_damage" for o in host.offers(roll)):
        host.apply_damage(roll)
    raised = dispute(host, roll, "p2", "Etgar threw dice again after he saw what I had thrown.")
    rule(host, roll, raised, "stands", "His dice were down before yours fell.")
    return Played(host, roll)


def sagatafl(seed: str) -> Played:
    """An opposed roll whose difficulty was wrong, and is amended."""
    host = table("sagatafl", seed, "player", {"sense_traits": ["Hearing"]})
    asta = enter(host, "p1", "Asta", {"Stealth": 4, "Lockpicking": 5})
    brand = enter(host, "p2", "Brand", {"Hearing": 3})
    roll = declare(host, asta, "Past the watchman", trait="Stealth", rd="very hard", opponent=brand)
    host.react(roll, trait="Hearing", modifiers={"rain": 2})
    host.finish(roll)
    raised = dispute(host, roll, "p1", "The floor is stone, not boards: that was not very hard.")
    rule(host, roll, raised, "amend", "A stone floor: the default difficulty.",
         character=asta, fields={"rd": "default"})  # fmt: skip
    return Played(host, roll)


def majesty(seed: str) -> Played:
    """A strike with a shield that was forgotten: it is void, and declared again."""
    host = table("majesty", seed, "table")
    serah = enter(host, "p1", "Serah", {"Precision": 12, "Guard": 7})
    dorn = enter(host, "p2", "Dorn", {"Precision": 9, "Guard": 6})
    lost = declare(host, serah, "At the bridge", kind="strike", opponent=dorn)
    host.ask("p1", commands.Withdraw(lost))
    roll = declare(host, serah, "The first blow", kind="strike", opponent=dorn)
    host.react(roll)
    host.throw(roll)
    found = [o for o in host.offers(roll) if o.trigger == "adjust" and o.means]
    if found:
        moved = _dearest(found[0].to, found[0].most)
        host.ask(host.owner(found[0]),
                 commands.Adjust(roll, found[0].hand, found[0].means, moved))  # fmt: skip
    host.finish(roll)
    raised = dispute(host, roll, "p2", "My guard was 9: I had the shield up.")
    again = rule(host, roll, raised, "replay", "He had his shield, and the sheet did not say so.")
    assert again
    return Played(host, roll)


def _dearest(to: Mapping[str, Mapping[Any, int]], most: int) -> tuple[AdjustedDie, ...]:
    """Dice moved up, one after the other, as far as the steps reach."""
    left, moved = most, list[AdjustedDie]()
    for die, faces in sorted(to.items()):
        fits = {face: cost for face, cost in faces.items() if 0 < cost <= left}
        up = [face for face in fits if isinstance(face, int) and face >= 9]
        if up:
            moved.append(AdjustedDie(die, min(up)))
            left -= fits[min(up)]
    return tuple(moved)


def scarterra(seed: str) -> Played:
    """An arrow that wounds, with a soak after it; nobody has ruled yet."""
    host = table("scarterra", seed, "player")
    archer = enter(host, "p1", "Archer", {"Dexterity": 4, "Archery": 3})
    captain = enter(host, "p2", "Captain", {"Stamina": 2, "Armor": 1, "Dexterity": 2})
    roll = declare(host, archer, "The long shot", attribute="Dexterity", ability="Archery",
                   difficulty="challenging", opponent=captain, combat=True, weapon=2)  # fmt: skip
    host.react(roll, attribute="Dexterity")
    host.finish(roll)
    if any(o.trigger == "declare" and o.link == "soak" for o in host.offers(roll)):
        host.ask("p2", commands.Declare(captain, {}, follows=(roll, "soak")))
        soak = host.state.last_roll
        host.finish(soak)
        host.apply_damage(soak)
    dispute(
        host, roll, "p2", "It was dusk already: that is a difficult shot, not a challenging one."
    )
    return Played(host, roll)


def age_of_magic(seed: str) -> Played:
    """A blow at level `server`, whose dispute was erased by the one who raised it."""
    host = table("age_of_magic", seed, "server")
    cogan = enter(host, "p1", "Cogan", {"Brawling": 6, "ST": 4, "DX": 4})
    dorn = enter(host, "p2", "Dorn", {"Brawling": 6, "EN": 3, "armour": 2})
    left = declare(
        host, cogan, "Over the wall", skill="Brawling", characteristic="ST", difficulty=8
    )
    assert left
    roll = declare(host, cogan, "The first blow", skill="Brawling", characteristic="ST",
                   kind="attack", targets=[dorn], difficulty=8, weapon=9.5)  # fmt: skip
    _risk(host, roll, 2)
    host.finish(roll)
    if any(o.trigger == "declare" and o.link == "damage" for o in host.offers(roll)):
        host.ask("p1", commands.Declare(cogan, {"characteristic": "ST"}, follows=(roll, "damage")))
        harm = host.state.last_roll
        _risk(host, harm, 1)
        host.finish(harm)
        host.apply_damage(harm)
    raised = dispute(host, roll, "p2", "Something that Yonah does not want to be read any more.")
    rule(host, roll, raised, "stands", "The blow was declared as it was struck.")
    host.ask("p2", commands.Erase(raised + 1))
    return Played(host, roll)


def _risk(host: Host, roll: int, dice: int) -> None:
    """Throw so many risk dice, where so many are offered."""
    offer = next(o for o in host.offers(roll) if o.trigger == "roll")
    option = min(dice, max(o for o in offer.options if isinstance(o, int)))
    committed, nonce = host.answer(roll, "p1") if option else (None, None)
    host.ask("p1", commands.RollDice(roll, offer.hand, committed, nonce, option=option))


SEEDS: Mapping[str, str] = {
    "milhamah": "6",
    "sagatafl": "3",
    "majesty": "1",
    "scarterra": "1",
    "age_of_magic": "1",
}
"""Seeds under which something is to be seen: a wound, a choice, dice that were kept."""

PLAYS: Mapping[str, Callable[[str], Played]] = {
    "milhamah": milhamah,
    "sagatafl": sagatafl,
    "majesty": majesty,
    "scarterra": scarterra,
    "age_of_magic": age_of_magic,
}


def bundle(host: Host, seat: str = "") -> bytes:
    """The table's bundle as a seat may have it."""
    size, root = len(host.entries), host.aggregate.frontier.root()
    note = sign(Checkpoint(host.origin, size, root), host.private)
    key = public_key(host.origin, host.private)
    return b"".join(bundle_of(host.aggregate, seat, note, [key]))


@cache
def played(system: str) -> Played:
    """The table of a system, played once."""
    return PLAYS[system](SEEDS[system])


def cases() -> Iterator[tuple[str, str]]:
    """Every file: its name and what is in it."""
    for system in PLAYS:
        done = played(system)
        found = case_of(bundle(done.host), done.roll, now=NOW)
        name = system.replace("_", "-")
        yield f"{name}.html", page(found)


def tried() -> tuple[str, str]:
    """The page of a roll's link, saved: its steps and their check by urimcheck.js; and its pin."""
    done = played("milhamah")
    host, log = done.host, shown_to(done.host.aggregate, "")
    size = next(sizes(log, host.state, done.roll))
    note = sign(Checkpoint(host.origin, size, log.tree.root(size)), host.private)
    key = public_key(host.origin, host.private)
    found = receipt_under(host.aggregate, log, done.roll, note, key, size)
    content, _ = build.receipt(*words_of(found), said_of(found, ()), found.bundle)
    return content, found.pin


JUDGED = """
// The bundle that stands in the page is judged at once.
choose([new File([fromBase64(at("bundle").textContent)], "evening.urim.jsonl")]);
"""


def evening() -> str:
    """The page of the verifier around an evening: its timeline, and its bundle, which is judged."""
    host = played("milhamah").host
    told = history(host.state, host.aggregate.records)
    lines = "".join(f'<li value="{each.seq}">{text_of(each.text)}</li>\n' for each in told)
    kept = b64encode(bundle(host)).decode("ascii")
    before, place, after = build.page(JUDGED).partition('<section id="form"')
    return (
        f'{before}<h2>An evening</h2>\n<ol class="course">\n{lines}</ol>\n'
        f'<script type="text/plain" id="bundle">{kept}</script>\n{place}{after}'
    )


def main() -> None:
    """Say which files are stale, or write them all; or the page to be tried."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the files")
    parser.add_argument("--try", dest="tried", type=Path, help="write the pages to try there")
    stale = []
    given = parser.parse_args()
    writes = given.write
    if given.tried is not None:
        content, pinned = tried()
        for name, text in (("try.html", content), ("evening.html", evening())):
            (given.tried / name).write_text(text, "utf-8", newline="\n")
        print(f"A roll to check in a browser, without Urim: {given.tried}/try.html#{pinned}")
        print(f"The evening that it was in: {given.tried}/evening.html")
        return
    for name, text in cases():
        path = FOLDER / name
        if not path.exists() or path.read_text("utf-8") != text:
            stale.append(name)
            if writes:
                FOLDER.mkdir(exist_ok=True)
                path.write_text(text, "utf-8", newline="\n")
    if stale and not writes:
        sys.exit(f"stale: {', '.join(stale)}")


if __name__ == "__main__":
    main()
