"""What the page and the Markdown of a case say, and that nothing from a text becomes more."""

import re
import subprocess
from functools import cache
from html import unescape
from typing import Any

import pytest
from msgspec.structs import replace

from tests import cases
from tests.cases import NOW, bundle, declare, dispute, enter, played, rule, table, void
from tests.engine.case.pages import Page
from tests.engine.helpers.tables.host import Host
from tests.engine.server.web.browser.hostile import STRINGS
from tests.tools import needed
from urim.engine.case.facts import Case
from urim.engine.case.gather import case_of
from urim.engine.case.markdown import markdown
from urim.engine.case.page import MOST, page
from urim.engine.case.proofs import commands as shell_lines
from urim.engine.core import commands
from urim.engine.core.limits import NARRATOR
from urim.errors import Damaged, Refused

SYSTEMS = tuple(cases.PLAYS)


@cache
def facts(system: str, seat: str = "") -> Case:
    """The case of a system's documents."""
    done = played(system)
    return case_of(bundle(done.host, seat), done.roll, seat, now=NOW)


def plain(case: Case) -> str:
    """What somebody reads on the page, without marks of direction."""
    return " ".join("".join(Page(page(case)).texts).split())


def said(text: str) -> str:
    """A text of the facts without isolates."""
    return re.sub("[\u2066-\u2069]", "", text)


# --- the questions of somebody who knows neither game nor engine ----------------------------------


def test_who_declared_what_and_who_plays_whom() -> None:
    read = plain(facts("milhamah"))
    assert "Rachel plays Etgar." in read
    assert re.search(r"Etgar declares root: רוח, .*opponent: Midwife Toad, combat: yes\.", read)


def test_a_table_is_called_by_its_name_and_its_id() -> None:
    host = table("sagatafl", "named", "server")
    declare(host, enter(host, "p1", "Ann", {"Lockpicking": 2}), "A lock", trait="Lockpicking", rd=7)
    assert ", table sagatafl0, " in markdown(case_of(bundle(host), 1, now=NOW))
    host.ask(NARRATOR, commands.NameTable(), words="Friday <evening>")
    case = case_of(bundle(host), 1, now=NOW)
    assert "table Friday <evening>, sagatafl0, Sagatafl, version 1" in plain(case)
    assert ", table Friday \\<evening\\>, sagatafl0, " in said(markdown(case))


def test_what_was_kept_and_that_it_was_allowed() -> None:
    case = facts("milhamah")
    kept = [step for step in case.steps if "keeps" in step.does[0]]
    assert kept
    assert all("The rules allowed keeping any of these" in step.allowed[0] for step in kept)
    again = next(step for step in case.steps if "again" in step.does[0])
    assert again.allowed[0].startswith("The rules allowed throwing any of these 4 dice again.")


def test_the_fact_that_answers_a_dispute_about_order_comes_first() -> None:
    [found] = facts("milhamah").disputes
    assert found.answer is not None
    assert found.answer.kind == "Which came first"
    assert said(found.answer.sentences[0]) == (
        "Etgar last touched the dice (the action) at step 6;"
        " the first die of Midwife Toad (the reaction) fell at step 8."
    )


def test_the_fact_about_a_difficulty_says_how_it_was_asked_for_and_since_when() -> None:
    [found] = facts("sagatafl").disputes
    assert found.answer is not None
    assert found.answer.kind == "Who declared what, and when"
    assert "rd 12 (asked for as very hard), since step 1, before any die fell (step 3)." in said(
        found.answer.sentences[0]
    )


def test_a_dispute_that_asks_for_nothing_known_gets_no_answer() -> None:
    done = played("scarterra")
    host = Host.anew(done.host, done.host.entries)
    dispute(host, done.roll, "p2", "No!")
    found = case_of(bundle(host), done.roll, now=NOW).disputes[-1]
    assert found.answer is None
    assert found.more == ()


def test_an_erased_text_is_erased_and_no_fact_is_picked_by_it() -> None:
    case = facts("age_of_magic")
    [found] = case.disputes
    assert found.quote.text is None
    assert found.answer is None
    assert "does not want to be read" not in page(case) + markdown(case)
    assert "<em>erased</em>" in page(case)


def test_a_roll_without_a_ruling_says_so_and_one_that_was_ruled_on_says_how() -> None:
    heads = {system: facts(system).boxes[2].head for system in SYSTEMS}
    assert heads == {
        "milhamah": "stands",
        "sagatafl": "amended",
        "majesty": "void, and is declared again",
        "scarterra": "none yet",
        "age_of_magic": "stands",
    }


def test_what_went_before_is_counted_and_the_reasons_are_there() -> None:
    past = facts("milhamah").past
    assert said(past.sentences[0]) == "Etgar before this: 2 rolls, 2 voided after dice had fallen."
    assert "The very same was declared before and came to nothing twice." in past.sentences
    assert [each.quotes[0].text for each in past.earlier] == [
        "The toad was not in reach yet.",
        "Rachel had meant the other skill.",
    ]
    assert "1 withdrawn before any die" in facts("majesty").past.sentences[0]
    assert any("1 left lying" in text for text in facts("age_of_magic").past.sentences)


def test_many_voids_before_are_counted_all_and_the_latest_are_shown() -> None:
    host = table("sagatafl", "many", "player")
    asta = enter(host, "p1", "Asta", {"Stealth": 4})
    for _ in range(58):
        roll = declare(host, asta, "Again", trait="Stealth")
        host.throw(roll)
        void(host, roll, "No.")
    roll = declare(host, asta, "Again", trait="Stealth")
    host.finish(roll)
    case = case_of(bundle(host), roll, now=NOW)
    assert said(case.past.sentences[0]) == (
        "Asta before this: 58 rolls, 58 voided after dice had fallen."
    )
    assert (len(case.past.earlier), case.past.more) == (5, 53)
    assert "And 53 more before these." in plain(case)


@pytest.mark.parametrize(
    ("system", "suspects"),
    [
        ("milhamah", {"The host alone": "if", "The host and Rachel, together": "if"}),
        ("sagatafl", {"The host alone": "if", "The host and Rachel, together": "no"}),
        ("age_of_magic", {"The host alone": "no"}),
    ],
)
def test_who_could_have_chosen_follows_from_the_level(
    system: str, suspects: dict[str, str]
) -> None:
    found = facts(system).chance
    assert len(found.sentences) == 3
    safe = {said(each.who): each.safe for each in found.choosers}
    assert suspects.items() <= safe.items()
    assert safe["Anybody, after the dice fell"] == "if"


def test_what_the_audit_asks_to_look_at_leaves_open_what_the_level_promises() -> None:
    done = played("milhamah")
    host = Host.anew(done.host, done.host.entries)
    host.anchor("p2")
    found = case_of(bundle(host), done.roll, now=NOW).chance
    safe = {said(each.who): each.safe for each in found.choosers}
    assert safe["The host and Rachel, together"] == "open"
    assert safe["The host alone"] == "if"
    assert any(text.startswith("further anchor without a key (1)") for text in found.looks)


def test_what_is_counted_of_who_threw_is_said_as_of_a_throw() -> None:
    known = {
        "scarterra": ("yes", "2 throws, 0 dropped, 0 broken off, 0 sealed"),
        "age_of_magic": ("open", "2 throws, 1 dropped, 0 broken off, 0 sealed"),
        "milhamah": ("open", "5 throws, 2 dropped, 0 broken off, 0 sealed; of 7 at level table"),
    }
    for system, (safe, words) in known.items():
        among = [e for e in facts(system).chance.choosers if e.who.startswith("Among throws of")]
        assert [each for each in among if (each.safe, each.why[: len(words)]) == (safe, words)]
        assert words in plain(facts(system))


def test_a_log_that_is_not_sound_rules_nobody_out() -> None:
    done = played("milhamah")
    with pytest.raises(Damaged):
        case_of(bundle(done.host).replace(b"Etgar", b"Etgor"), done.roll, now=NOW)
    later = bundle(done.host).replace(b'"at":1750000', b'"at":1750001')
    case = case_of(later, done.roll, now=NOW)
    assert case.record.code == 1
    assert case.boxes[3].head == "not sound"
    assert {each.safe for each in case.chance.choosers} == {"open", "no"}
    assert "The audit finds this log wrong" in case.chance.sentences[2]


def test_dice_that_were_typed_in_are_never_called_fair() -> None:
    host = Host("sagatafl", dice="manual")
    asta = host.character("p1", {"Stealth": 2})
    roll = host.declare(asta, trait="Stealth")
    host.throw(roll, faces=(3, 9))
    host.finish(roll)
    case = case_of(bundle(host), roll, now=NOW)
    assert "nothing is proved" in case.chance.sentences[0]
    assert case.chance.choosers[0].safe == "no"
    assert "thrown by people and typed in" in plain(case)


def test_another_decision_is_what_the_table_would_have_come_to() -> None:
    case = facts("milhamah")
    kinds = [each.kind for each in case.otherwise]
    assert 4 <= len(kinds) <= 6
    assert set(kinds) == {"dispute", "ruling", "choice", "reading"}
    void_row = case.otherwise[1]
    assert void_row.title == "the roll were void"
    assert void_row.changes[0][2] == "void"
    amended = facts("sagatafl").otherwise
    stands = next(each for each in amended if "stands" in each.title)
    assert stands.changes[0][1:] == ("lost, behind by 2", "lost, behind by 6")


def test_a_reading_that_decided_stands_at_its_line() -> None:
    read = plain(facts("milhamah"))
    assert "at this table: a natural root in an opposed roll adds one success" in read


def test_the_page_says_who_wrote_it_from_which_head_and_how_to_check_it() -> None:
    case = facts("milhamah")
    read = plain(case)
    assert f"written by a program, Urim {case.record.version}" in read
    assert f"signed at {case.record.size} entries with the root {case.record.root}" in read
    assert "urim audit" in read
    assert "verifier.html" in read


def test_the_wounds_are_a_sum() -> None:
    case = facts("scarterra")
    [hurt] = [part for part in case.parts if part.damage is not None]
    assert hurt.link
    assert "How the damage came about" in plain(case)
    assert case.boxes[1].head == hurt.damage.text if hurt.damage else False


def test_steps_are_one_numbering_and_entries_are_under_the_fold_alone() -> None:
    for system in SYSTEMS:
        case = facts(system)
        assert [step.number for step in case.steps] == list(range(1, len(case.steps) + 1))
        above, _, fold = page(case).partition("<details>")
        assert not re.search(r"\bentr(y|ies) \d", above)
        assert "step 1: " in fold


def test_the_words_of_the_engine_are_not_those_of_the_page() -> None:
    deeds = re.compile(r"\b(freez|froze|reroll)")
    for system in SYSTEMS:
        for step in facts(system).steps:
            assert not deeds.search(" ".join((*step.does, *step.allowed))), system


def test_every_hebrew_run_says_its_language_and_direction() -> None:
    for system in SYSTEMS:
        for text, around in Page(page(facts(system))).runs:
            if re.search("[\u0590-\u05ff]", text):
                assert (around.get("lang"), around.get("dir")) == ("he", "rtl"), text


# --- texts that want to be more -------------------------------------------------------------------


LONG = "x" * 3_500 + " the end, and <b>then</b> some " + "y" * 400


@pytest.fixture(scope="module")
def hostile() -> Case:
    """A roll whose every name and text is hostile."""
    host = table("scarterra", "hostile", "player")
    every = [text[:4_000] for text in STRINGS if text.strip()]
    names = iter([text for text in every if len(text) <= 60])
    one = enter(host, "p1", next(names), {"Dexterity": 3})
    two = enter(host, "p2", next(names), {"Dexterity": 2, "Stamina": 1})
    host.ask(NARRATOR, commands.NameSeat("p1"), words=next(names))
    for each in names:
        roll = declare(host, one, each[:60], attribute="Dexterity", modifiers={each[:60] or "x": 1})
        dispute(host, roll, "p2", each)
        void(host, roll, each)
    roll = declare(host, one, "<script>1</script>", attribute="Dexterity", opponent=two,
                   modifiers={"<img src=x>": 1, "\u202egnp": 1})  # fmt: skip
    host.finish(roll)
    for each in (LONG, *every[:8]):
        raised = dispute(host, roll, "p2", each)
        rule(host, roll, raised, "stands", each)
    return case_of(bundle(host), roll, now=NOW)


def test_a_page_from_a_hostile_log_is_harmless_and_small(hostile: Case) -> None:
    text = page(hostile)
    assert len(text.encode()) <= MOST
    read = Page(text)
    assert read.faults == []
    assert not re.search("[\u202a-\u202e\u2066\u2067]", text)
    assert "the end" not in text, "a long text is cut"
    assert "more characters, in the log" in text
    assert "<script>1</script>" in "".join(read.texts), "and is read as it is"


def test_the_markdown_of_a_hostile_log_has_no_markup_of_theirs(hostile: Case) -> None:
    text = re.sub(r"```sh\n.*?\n```", "", markdown(hostile), flags=re.DOTALL)
    assert not re.search(r"(?<!\\)<\w", text)
    assert not re.search(r"(?<!\\)\]\(", text)


def test_a_page_of_the_longest_words_is_small_enough() -> None:
    """Sixty wide letters in every name, and as many modifiers as may be."""
    host = table("scarterra", "wide", "player")
    one = enter(host, "p1", "ש" * 60, {"Dexterity": 9})
    two = enter(host, "p2", "\U0001f3b2" * 60, {"Dexterity": 9, "Stamina": 9})
    words = [chr(0x5D0 + n % 26) * 58 + f"{n:02}" for n in range(20)]
    roll = declare(host, one, "ט" * 60, attribute="Dexterity", opponent=two, combat=True,
                   weapon=2, modifiers=dict.fromkeys(words, 1))  # fmt: skip
    host.react(roll, attribute="Dexterity", modifiers=dict.fromkeys(words, 1))
    host.finish(roll)
    for _ in range(8):
        raised = dispute(host, roll, "p2", "ע" * 4_000)
        rule(host, roll, raised, "stands", "צ" * 4_000)
    text = page(case_of(bundle(host), roll, now=NOW))
    assert len(text.encode()) <= MOST
    assert not Page(text).faults


# --- sizes ----------------------------------------------------------------------------------------


def test_a_page_that_would_be_too_large_leaves_out_and_says_so() -> None:
    case = facts("milhamah")
    steps = tuple(replace(case.steps[2], number=n) for n in range(1, 400))
    text = page(replace(case, steps=steps, throws=case.throws * 9))
    assert len(text.encode()) <= MOST
    read = " ".join(Page(text).texts)
    assert re.search(r"\d+ steps in between are left out here", read)
    assert re.search(r"The proofs of \d+ more throws are left out here", read)


# --- what is refused ------------------------------------------------------------------------------


def test_what_cannot_be_told_is_refused() -> None:
    done = played("sagatafl")
    whole = bundle(done.host)
    with pytest.raises(Refused, match="no roll 9"):
        case_of(whole, 9)
    with pytest.raises(Refused, match="no seat"):
        case_of(whole, 1, "p9")
    with pytest.raises(Refused, match="no bundle"):
        case_of(b"no", 1)


def test_a_hidden_roll_is_told_to_its_own_seats_alone() -> None:
    host = table("sagatafl", "hidden", "player")
    asta = enter(host, "p1", "Asta", {"Stealth": 4})
    enter(host, "p2", "Brand", {"Hearing": 2})
    roll = host.declare(asta, trait="Stealth", visibility="gm")
    host.finish(roll)
    assert case_of(bundle(host, NARRATOR), roll, "p1", now=NOW).steps
    for content, seat in ((bundle(host), ""), (bundle(host, NARRATOR), "p2")):
        with pytest.raises(Refused) as caught:
            case_of(content, roll, seat, now=NOW)
        assert caught.value.code == "not-seen"


# --- dice by openssl ------------------------------------------------------------------------------


@pytest.mark.sampled(3)
@pytest.mark.parametrize("system", SYSTEMS)
def test_the_shell_lines_of_the_page_compute_every_die(system: str) -> None:
    needed("openssl")
    case = facts(system)
    shown = [unescape(re.sub("<[^>]+>", "", each)) for each in
             re.findall(r"<pre>(.*?)</pre>", page(case), re.DOTALL)]  # fmt: skip
    throws = [throw for throw in case.throws if throw.dice]
    first, *shown = shown
    assert shown == ["\n".join(shell_lines(throw)) for throw in case.throws]
    assert throws
    for throw, lines in list(zip(case.throws, shown, strict=True))[:3]:
        done: Any = subprocess.run(
            ["sh", "-c", f"{first}\n{lines}"], capture_output=True, text=True, check=True
        )
        commitment, *places = done.stdout.splitlines()
        assert commitment.endswith(throw.commit)
        assert dict(map(int, line.split()) for line in places) == {  # type: ignore[arg-type]
            die.draw: die.place for die in throw.dice
        }
