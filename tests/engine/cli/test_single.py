"""Single commands: each does what its Struct asks, refuses by name, and says what comes next."""

import json
import re
import shlex
from pathlib import Path
from typing import Any, NamedTuple, get_args

import pytest
from click.testing import CliRunner, Result

from tests.engine.helpers.cli_runs import objects, urim
from urim.engine.cli.app import app
from urim.engine.cli.commands import COMMANDS
from urim.engine.cli.single import ROWS
from urim.engine.core import aggregate
from urim.engine.core.clock import MACHINE, MachineClock
from urim.engine.core.commands import AnyCommand, BeginEpoch, Erase, OpenTable

TABLE = "evening1"


class Shell(NamedTuple):
    """A reader's folder with one table in `night.db`, and commands on it."""

    database: Path

    def run(self, line: str) -> Result:
        """What a command prints: `NAME ARGUMENTS`, without database and table."""
        name, *words = shlex.split(line)
        return urim(name, str(self.database), TABLE, *words)

    def json(self, line: str) -> list[dict[str, Any]]:
        """The objects that it gives."""
        return objects(self.run(f"{line} --json").stdout)

    def did(self, line: str) -> list[str]:
        """The events that it led to, without their versions; the code of a refusal."""
        found = self.json(line)
        entries = [entry for each in found for entry in each.get("entries", ())]
        events = [each["event"]["type"].partition("/")[0] for each in entries if each["event"]]
        return [*events, *(each["code"] for each in found if each["type"] == "refusal")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def opened(folder: Path, *words: str) -> Shell:
    """A table with the seats of Dana (p1) and Omer (p2)."""
    shell = Shell(folder / "night.db")
    done = urim("open", str(shell.database), "--id", TABLE, *words)
    assert (done.exit_code, done.stdout) == (0, f"{TABLE}\n"), done.output
    for line in ("seat p1 --name Dana --seat narrator", "seat p2 --name Omer --seat narrator"):
        assert shell.run(line).exit_code == 0
    return shell


def locks(folder: Path, *words: str) -> Shell:
    """A table of Sagatafl with Ruth (c1, of Dana) and Dan (c2, of Omer)."""
    shell = opened(folder, "--system", "sagatafl", *words)
    for line in (
        "enter Ruth Lockpicking=3 --owner Dana --seat narrator",
        "enter Dan Lockpicking=2 --seat Omer",
    ):
        assert shell.run(line).exit_code == 0
    return shell


# --- every command --------------------------------------------------------------------------------

FIGHT = """
enter Etgar BLE=3 VIG=2 wind=2 --owner p1 --seat narrator      : character-entered text-said
enter Toad GRA=2 VIG=2 jump=1 --owner p2 --track soak=2 --track armour:belly=2 --seat narrator
                                                            : character-entered text-said
name Etgar Etgar --seat p1                                    : character-named text-said
name-seat p2 'Omer B.' --seat p2                              : seat-named text-said
name-table 'Friday evening' --seat narrator                   : table-set text-said
set-table links true --seat narrator                          : table-set
set-table links null --seat narrator                          : table-set
declare root=רוח rating=5 opponent=Toad combat=yes --seat p1  : roll-declared
withdraw --seat p1                                            : roll-voided
declare root=רוח rating=4 opponent=Toad combat=yes --seat p1  : roll-declared
veto 'Too far.' --seat narrator                               : declaration-vetoed text-said
replace Nearer. rating=5 --seat narrator                      : declaration-replaced text-said
react root=חננ rating=3 --seat p2                             : reaction-declared
roll --faces וחרטלשנכ --seat p1                               : dice-rolled
confirm --seat 'Omer B.'                                      : throw-confirmed
freeze d1 d2 --seat p1                                        : dice-frozen
stand --seat p1                                               : dice-frozen
choose natural allow --seat p1                                : choice-made
roll --faces שזגכלקבט --seat p2                               : dice-rolled
stand --seat p2                                               : dice-frozen
choose gain none --seat p1                                    : choice-made
roll --faces מ --seat p1                                      : dice-rolled
resolve --seat p1                                             : roll-resolved
damage --seat p1                                              : damage-applied
flavour רוח --hand initiator --seat narrator                  : flavour-named
fate spared --seat narrator                                   : fate-decided
dispute 'A stone.' --roll 2 --seat p2                         : dispute-raised text-said
rule stands 'No stone.' --seat narrator                       : ruling-made text-said
note 3 'A stone?' --seat p2                                   : noted text-said
set-track Toad soak 2 --seat narrator                         : track-set
set-attribute Toad VIG 3 --seat narrator                      : attribute-set
set-reading cipher_dice 2 'Two for us.' --seat narrator       : reading-set text-said
declare attribute=BLE rating=3 root=אשר --seat p1             : roll-declared
roll --faces א,ח,ג,ט,ד,ק,ה,ש --seat p1                        : dice-rolled
reroll d1 d3 --faces 'ק ת' --seat p1                          : dice-rerolled
adjust d4=נ --seat p1                                         : dice-adjusted
resolve --roll 3 --seat p1                                    : roll-resolved
amend 'It was far.' modifiers.far=1 --roll 3 --seat narrator  : roll-amended text-said
void Enough. --roll 3 --seat narrator                         : roll-voided text-said
declare root=אשר rating=3 --visibility gm --label s --seat p1   : roll-declared text-said
reveal --roll 4 --seat narrator                               : roll-revealed
declare root=אשר rating=3 opponent=Etgar --seat p2            : roll-declared
decline --seat p1                                             : reaction-declared
give Toad p1 --seat p2                                        : character-given
enter Frog --seat p1                                          : character-entered text-said
remove Frog --seat p1                                         : character-removed
leave --seat p2                                               : seat-left
"""
"""A fight with physical dice: each line a command, and the events that it leads to."""

SHARES = """
declare trait=Lockpicking --seat p1                           : roll-declared
anchor-shares --seat p1                                       : share-anchored
anchor-shares --seat p2                                       : share-anchored
ask --seat p1                                                 : throw-planned throw-asked
open-share --seat p2                                          : share-opened
break-throw --seat p1                                         : due
open-share --seat p1                                          : share-opened dice-rolled
"""
"""A throw of all seats; to break it off one would have to wait for ten seconds."""


def lines(story: str) -> list[tuple[str, list[str]]]:
    """The commands of a story and what each leads to."""
    parts = (line.rpartition(" : ") for line in story.replace("\n   ", " ").strip().splitlines())
    return [(line.strip(), events.split()) for line, _, events in parts]


def test_a_fight_is_played_by_single_commands(folder: Path) -> None:
    readings = ("skill_roots.wind=רוח", "skill_roots.jump=חננ")
    options = [word for each in readings for word in ("--reading", each)]
    words = ("--system", "milhamah", "--dice", "typed", "--level", "server", *options)
    shell = opened(folder, *words)
    for line, events in lines(FIGHT):
        assert (line, shell.did(line)) == (line, events)


def test_every_single_command_is_in_a_story() -> None:
    played = {line.split()[0] for story in (FIGHT, SHARES) for line, _ in lines(story)}
    assert played | {"seat"} == set(ROWS)


def test_every_command_that_a_seat_may_ask_is_a_single_command() -> None:
    keepers = {OpenTable: "open", Erase: "erase", BeginEpoch: "epoch"}
    assert {row.command for row in ROWS.values()} | set(keepers) == set(get_args(AnyCommand))
    assert {*ROWS, *keepers.values(), "moves", "submit"} <= set(COMMANDS)


# --- what is left out -----------------------------------------------------------------------------


def test_a_roll_in_fair_dice_needs_no_nonce_at_the_shell(folder: Path) -> None:
    shell = locks(folder, "--level", "player")
    assert shell.did("declare trait=Lockpicking rd=7 --seat Dana") == ["roll-declared"]
    [found] = shell.json("roll --seat Dana")
    assert found["roll"] == 1
    [thrown] = found["entries"]
    assert len(thrown["event"]["proof"]["nonce"]) == 64
    assert shell.did("resolve --seat Dana") == ["roll-resolved"]


def test_a_throw_of_all_seats_is_made_in_turns(folder: Path) -> None:
    shell = locks(folder, "--level", "table")
    shell.run("declare trait=Lockpicking --seat Dana")
    for seat in ("Omer", "narrator"):
        assert shell.did(f"anchor-shares --seat {seat}") == ["share-anchored"]
    said = shell.run("roll --seat Dana").stdout
    assert "waits for a share of narrator, p2" in said
    [refused] = shell.json("roll --seat Dana")
    assert refused["code"] == "due"
    assert shell.did("open-share --seat Omer") == ["share-opened"]
    assert shell.did("open-share --seat Omer") == ["not-offered"]
    assert shell.did("open-share --seat narrator") == ["share-opened", "dice-rolled"]
    chains = list((folder / "night.db.secrets" / "shares").iterdir())
    assert [chain.stat().st_mode & 0o777 for chain in chains] == [0o600] * 3


def test_a_throw_of_all_seats_that_waits_is_an_object(folder: Path) -> None:
    shell = locks(folder, "--level", "table")
    shell.run("declare trait=Lockpicking --seat Dana")
    shell.run("anchor-shares --seat Omer")
    *_, waits = shell.json("roll --seat Dana")
    assert (waits["type"], waits["throw"], waits["seats"]) == ("waiting", 0, ["p2"])


def test_a_throw_where_nobody_else_has_a_chain_is_made_at_once(folder: Path) -> None:
    shell = locks(folder, "--level", "table")
    shell.run("declare trait=Lockpicking --seat Dana")
    assert shell.did("roll --seat Dana") == ["share-anchored", "dice-rolled"]


def test_the_moves_about_shares_are_there(folder: Path) -> None:
    shell = locks(folder, "--level", "table")
    for line, events in lines(SHARES):
        assert (line, shell.did(line)) == (line, events)


def test_a_clock_behind_the_tables_time_is_named_where_a_throw_is_waited_for(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell = locks(folder, "--level", "table")
    shell.run("declare trait=Lockpicking --seat Dana")
    shell.run("anchor-shares --seat Omer")
    assert shell.run("roll --seat Dana").exit_code == 0
    [usual] = shell.json("break-throw --seat Dana")
    assert (usual["code"], "clock" in usual["why"]) == ("due", False)
    behind = MachineClock(lambda: MACHINE.wall() - 3_600_000, MACHINE.monotonic)
    monkeypatch.setattr(aggregate, "MACHINE", behind)
    [refused] = shell.json("break-throw --seat Dana")
    assert refused["code"] == "due"
    assert re.search(
        "this machine's clock is 3[56][0-9]+ s behind the table's time", refused["why"]
    )
    assert re.fullmatch("in 3[56][0-9]+ s", refused["allowed"][0])


def test_the_roll_is_the_only_one_that_lets_the_seat(folder: Path) -> None:
    shell = locks(folder, "--dice", "seeded:1")
    shell.run("declare trait=Lockpicking --seat Dana")
    shell.run("declare trait=Lockpicking --seat Omer")
    assert shell.did("roll --seat Omer") == ["dice-rolled"]
    shell.run("declare trait=Lockpicking --seat Dana")
    [refused] = shell.json("roll --seat Dana")
    assert refused["allowed"] == ["--roll 1", "--roll 3"]
    assert shell.did("roll --roll 3 --seat Dana") == ["dice-rolled"]
    [refused] = shell.json("decline --seat Dana")
    assert refused["code"] == "not-offered"
    assert "roll 3: resolve" in refused["allowed"]


def test_a_refusal_names_what_is_allowed_and_ends_with_2(folder: Path) -> None:
    shell = locks(folder)
    done = shell.run("declare trait=Lockpicking rr=7 --seat Dana")
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith("urim: no such field: 'rr'; allowed: trait, rating, ")
    assert "sheet_rating" not in done.stderr
    [refused] = shell.json("declare trait=Lockpicking rd=99 --seat Dana")
    assert (refused["type"], refused["code"]) == ("refusal", "out-of-range")
    assert refused["why"].startswith("rd is 99: ")


# --- names ----------------------------------------------------------------------------------------


def test_names_stand_for_ids_where_one_alone_has_them(folder: Path) -> None:
    shell = locks(folder)
    [found] = shell.json("declare trait=Lockpicking opponent=Dan --seat Dana")
    assert found["entries"][0]["event"]["declaration"]["opponent"] == "c2"
    shell.run("enter Dan Lockpicking=1 --seat Omer")
    [refused] = shell.json("declare trait=Lockpicking opponent=Dan --seat Dana")
    assert (refused["code"], refused["allowed"]) == ("malformed", ["c2", "c3"])
    [refused] = shell.json("declare trait=Lockpicking --seat Omer")
    assert refused["allowed"] == ["c2", "c3"]
    shell.run("name-seat p1 Omer --seat Dana")
    [refused] = shell.json("note 0 x --seat Omer")
    assert (refused["code"], refused["allowed"]) == ("malformed", ["p1", "p2"])
    assert shell.did("note 0 x --seat p2") == ["noted", "text-said"]
    [refused] = shell.json("note 0 x --seat Nobody")
    assert (refused["code"], refused["allowed"]) == ("unknown", ["narrator", "p1", "p2"])


# --- requests -------------------------------------------------------------------------------------


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("line", "other"),
    [
        ("declare trait=Lockpicking --label door --seat Dana", "declare trait=Stealth --seat Dana"),
        ("roll --seat Dana", "roll --roll 2 --seat Dana"),
        ("resolve --seat Dana", "dispute x --seat Dana"),
        ("dispute 'Too dark.' --seat Dana", "dispute 'Too light.' --seat Dana"),
    ],
)
def test_a_request_is_asked_again_and_gives_the_same_answer(
    folder: Path, line: str, other: str
) -> None:
    shell = locks(folder)
    for each in (
        "declare trait=Lockpicking --label door",
        "roll",
        "resolve",
        "dispute 'Too dark.'",
    ):
        asked = f"{each} --seat Dana --request {each.split()[0]}"
        first = shell.json(asked)
        assert first[0]["request"] == each.split()[0]
        assert shell.json(asked) == first
        if line.startswith(each):
            [refused] = shell.json(f"{other} --request {each.split()[0]}")
            assert refused["code"] == "request-reused"


def test_a_request_that_opens_a_table_names_it(folder: Path) -> None:
    words = ("open", str(folder / "a.db"), "--system", "plain", "--request", "o", "--json")
    [refused] = objects(urim(*words).stdout)
    assert refused["allowed"] == ["--id TABLE"]
    first = objects(urim(*words, "--id", TABLE).stdout)
    assert objects(urim(*words, "--id", TABLE).stdout) == first
    [refused] = objects(urim(*words[:4], "--id", TABLE, "--json").stdout)
    assert refused["code"] in ("taken", "wrong-state")


# --- as JSON --------------------------------------------------------------------------------------


def test_a_command_may_come_as_json(folder: Path) -> None:
    shell = locks(folder)
    said = {"do": "declare", "declaration": {"trait": "Lockpicking", "opponent": "Dan"}}
    line = f"submit {shlex.quote(json.dumps({**said, 'label': 'the door'}))} --seat Dana"
    assert shell.did(line) == ["roll-declared", "text-said"]
    words = ("submit", str(shell.database), TABLE, "--seat", "Omer", "--json")
    done = CliRunner().invoke(app, words, input='{"do": "react/1", "reaction": null}\n')
    assert [each["type"] for each in objects(done.stdout)] == ["committed"]
    assert shell.did('submit \'{"do": "roll"}\' --seat Dana') == ["dice-rolled"]


def test_moves_say_what_waits_and_what_is_legal(folder: Path) -> None:
    shell = locks(folder)
    shell.run("declare trait=Lockpicking opponent=Dan --seat Dana")
    waits, fresh, roll = shell.json("moves --seat Omer")
    assert (waits["type"], waits["roll"], waits["trigger"]) == ("awaiting", 1, "react")
    assert (fresh["roll"], fresh["moves"][0]["trigger"]) == (None, "declare")
    assert [move["trigger"] for move in roll["moves"]] == ["react", "dispute"]
    said = shell.run("moves --seat Omer").stdout
    assert "What waits for Omer:" in said
    assert "due of Dan" in said
    assert "Nothing waits" in shell.run("moves --seat Dana").stdout


# --- who sees what --------------------------------------------------------------------------------


def test_a_seat_is_shown_its_own_view(folder: Path) -> None:
    shell = locks(folder, "--dice", "seeded:1", "--level", "server")
    shell.run("declare trait=Lockpicking --visibility blind --seat Dana")
    assert "sealed" in shell.run("roll --seat Dana").stdout
    shell.run("declare trait=Lockpicking --visibility blind --seat Omer")
    [thrown] = shell.json("roll --seat Omer")
    assert (thrown["roll"], thrown["entries"][0]["event"], thrown["entries"][0]["text"]) == (
        2,
        None,
        None,
    )
    assert "throws the dice" in urim("show", str(shell.database), TABLE).stdout


ABOUT_A_ROLL = (
    "stand",
    "freeze d1",
    "adjust d1=3",
    "roll",
    "reroll d1",
    "resolve",
    "damage",
    "choose location eye",
    "reveal",
    "confirm",
    "dispute why",
    "rule stands why",
    "amend why rd=5",
    "replace why rd=5",
    "amend why successes=5",
    "void why",
    "veto why",
    "withdraw",
    "react --trait Lockpicking",
    "decline",
    "flavour word",
    "fate killed",
    "ask",
    "open-share",
    "break-throw",
)


@pytest.mark.slow
def test_a_shell_answers_a_seat_from_its_own_view(folder: Path) -> None:
    """Whether a roll is there that a seat may not see, and what is in it, no refusal says."""
    shell = locks(folder, "--dice", "typed")
    shell.run("seat p3 --seat narrator")
    plain = [f"{line} --seat p3" for line in ABOUT_A_ROLL]
    numbered = [f"{line} --roll 1 --seat p3" for line in ABOUT_A_ROLL]
    before = [shell.run(line).output for line in plain]
    done = shell.run("declare trait=Lockpicking opponent=Ruth --visibility gm --seat Omer")
    assert done.exit_code == 0, done.output
    declared = [shell.run(line).output for line in numbered]
    assert before == [shell.run(line).output for line in plain]
    shell.run("decline --seat Dana")
    assert shell.run("roll --faces 3,4 --seat Omer").exit_code == 0
    shell.run("dispute 'typed wrong' --seat Omer")
    assert declared == [shell.run(line).output for line in numbered]
    assert before == [shell.run(line).output for line in plain]
    missing = [shell.run(line.replace("roll 1", "roll 9")).output for line in numbered]
    assert declared == [each.replace("roll 9", "roll 1") for each in missing]


def test_what_comes_next_is_said(folder: Path) -> None:
    shell = locks(folder)
    done = shell.run("declare trait=Lockpicking opponent=Dan --seat Dana").stdout
    assert "waits for seat p2: due of Dan: react" in done
    done = shell.run("decline --seat Omer").stdout
    assert "waits for seat p1: due of Ruth: throw" in done


def test_characters_of_one_name_are_named_by_their_ids(folder: Path) -> None:
    shell = opened(folder, "--system", "plain")
    for who in ("Eve", "Eve", "Adam"):
        done = shell.run(f"enter {who} --seat p1")
        assert done.exit_code == 0, done.output
    [refusal] = shell.json("declare expression=d6 --seat p1")
    assert refusal["code"] == "malformed"
    assert sorted(refusal["allowed"]) == ["Adam", "c1", "c2"]
