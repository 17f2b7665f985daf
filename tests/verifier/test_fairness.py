"""The page's fairness figures are those of Urim, to the word, however the dice were chosen."""

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.verifier.nodejs import run
from urim.engine.testing.kit.luck import Luck
from urim.events import roll as rolled
from urim.events import table as tabled
from urim.events.base import Thrown
from urim.events.codec import RecordedEvent
from urim.projections.fairness import figures_of
from urim.projections.figures import in_words

ASK = """
import { readFileSync } from "node:fs";
import { facesOf } from "../../engine/verifier/js/faces.js";
import { Fairness } from "../../engine/verifier/js/fairness.js";
import { Report } from "../../engine/verifier/js/report.js";
const found = JSON.parse(readFileSync(process.argv[1], "utf8")).map(([system, events]) => {
  const report = new Report();
  const fairness = new Fairness(report, facesOf(system, 1, {}));
  for (const event of events) fairness.take(event);
  fairness.end();
  const { summary, verdict } = report.results()[15];
  return [summary, verdict === "finding", report.seen()];
});
console.log(JSON.stringify(found));
"""

SEATS = ("p1", "p2", "p3")
FAIR = rolled.Proof(0, "fair")
"""A proof: the figures look at its source alone."""

Pick = Callable[[Luck, str, int, bool], int]
"""Which face of so many falls, by the seat and whether the roll will be voided."""


def fair(luck: Luck, seat: str, faces: int, gone: bool) -> int:
    """Any face, as often as any other."""
    return luck.below(faces)


def high(luck: Luck, seat: str, faces: int, gone: bool) -> int:
    """Every die is the better of two now and then."""
    return max(luck.below(faces), 0 if luck.one_in(3) else luck.below(faces))


def voided(luck: Luck, seat: str, faces: int, gone: bool) -> int:
    """Rolls are voided for their dice."""
    return luck.below(faces // 2) + (0 if gone else luck.below(2) * (faces // 2))


def kept(luck: Luck, seat: str, faces: int, gone: bool) -> int:
    """The kept dice are high, and the voided ones low."""
    return luck.below(2 * faces // 3) if gone else faces - 1 - luck.below(faces // 3)


def of_a_seat(luck: Luck, seat: str, faces: int, gone: bool) -> int:
    """One seat's dice are high."""
    return high(luck, seat, faces, gone) if seat == "p2" else luck.below(faces)


def played(pick: Pick, number: int) -> Iterator[Any]:
    """Some rolls of some dice, of which every other one is voided some rolls later."""
    luck = Luck(f"dice {number}")
    for roll in range(1, 25 + 5 * number):
        seat, gone = SEATS[luck.below(3)], roll % 2 == 0
        count = 1 + luck.below(7)
        kinds = [luck.one_of(("d6", "d20", "dF")) if number % 2 else "d12" for _ in range(count)]
        sides = {"dF": 3}
        faces = [pick(luck, seat, sides.get(kind) or int(kind[1:]), gone) + 1 for kind in kinds]
        dice = tuple(
            Thrown(f"d{at}", kind, face - 2 if kind == "dF" else face)
            for at, (kind, face) in enumerate(zip(kinds, faces, strict=True), 1)
        )
        yield rolled.DiceRolled(seat, roll, "c1", "hand", dice, proof=FAIR)
        if roll > 6 and roll % 2 == 0:
            yield rolled.RollVoided("narrator", roll - 6)
    typed = rolled.Proof(0, "manual")
    yield rolled.DiceRolled("p1", 90, "c1", "hand", (Thrown("d1", "d12", 3),), proof=typed)
    yield rolled.DiceRolled("p1", 91, "c1", "hand", (Thrown("d1", "d12", 99),), proof=FAIR)
    yield rolled.DiceRolled("p1", 92, "c1", "hand", (Thrown("d1", "d5000", 9),), proof=FAIR)


def here(system: str, events: Sequence[Any]) -> str:
    """What Urim says of them."""
    opening = tabled.TableOpened("n", "verify01", system, 1, {}, "fair", "player", 4)
    records = [RecordedEvent(0, 0, bytes(32), opening)]
    records += [RecordedEvent(at, at, bytes(32), event) for at, event in enumerate(events, 1)]
    return in_words(figures_of(records))


def written(event: Any) -> dict[str, Any]:
    """An event as the page reads it."""
    found: dict[str, Any] = json.loads(msgspec.json.encode(event))
    return found


@pytest.mark.sampled(1)
@pytest.mark.parametrize("pick", [fair, high, voided, kept, of_a_seat])
def test_both_say_the_same_of_dice_however_they_were_chosen(pick: Pick, tmp_path: Path) -> None:
    tables = [("plain" if n % 2 else "sagatafl", list(played(pick, n))) for n in range(12)]
    asked = [[system, [written(each) for each in events]] for system, events in tables]
    file = tmp_path / "asked.json"
    file.write_text(json.dumps(asked), encoding="utf-8")
    done = run("--input-type=module", "--eval", ASK, file)
    assert done.returncode == 0, done.stderr
    for (system, events), (summary, finds, seen) in zip(
        tables, json.loads(done.stdout), strict=True
    ):
        assert summary == here(system, events)
        assert finds is ("look closer" in summary or "alarm" in summary)
        assert [each["kind"] for each in seen] == ["dice"] * finds
