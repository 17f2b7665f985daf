"""The tables of docs/bundle.md are those of urimcheck, in Python and in JavaScript."""

import re
from pathlib import Path

import pytest

from tests import tree
from urim.engine.verifier import urimcheck

PAGE = (tree.ROOT / "docs" / "bundle.md").read_text("utf-8")
IN_PYTHON = Path(str(urimcheck.__file__)).read_text("utf-8")
IN_JAVASCRIPT = Path(str(urimcheck.__file__)).with_suffix(".js").read_text("utf-8")


def table(section: str, first: str) -> list[list[str]]:
    """The rows of a table of a section, the one whose first column has this name; without ticks."""
    [text] = re.findall(rf"^### {section}\n(.*?)(?=^##)", PAGE, re.MULTILINE | re.DOTALL)
    [rows] = re.findall(rf"^\| {first} \|.*\n\|---.*\n((?:\|.*\n)+)", text, re.MULTILINE)
    cells = [re.split(r"(?<!\\)\|", row)[1:-1] for row in rows.splitlines()]
    return [[cell.strip(" `").replace("\\|", "|") for cell in row] for row in cells]


def of_events() -> dict[str, str]:
    """The fields of each event, and of what is around it."""
    return {row[0]: row[1] for row in table("Events", "tag")}


def test_the_events_are_those_of_urimcheck() -> None:
    listed = [f"{tag} {fields}" for tag, fields in of_events().items() if "(" not in tag]
    assert listed == urimcheck.EVENT_ROWS.strip().splitlines()
    assert urimcheck.EVENT_ROWS in IN_JAVASCRIPT


def test_the_sentence_of_the_closed_list_has_them_all() -> None:
    [sentence] = re.findall(r"Those are looked at: (.*?)\. Entries", PAGE, re.DOTALL)
    names = [tag.partition("/")[0] for tag in urimcheck.EVENTS]
    assert re.split(r",\s+", sentence) == [*dict.fromkeys(names)]


def test_what_is_around_an_event_is_as_urimcheck_has_it() -> None:
    around = [fields for tag, fields in of_events().items() if "(" in tag]
    assert len(around) == 3
    for fields in around:
        assert f'_fields("{fields}")' in IN_PYTHON
        assert f'fieldsOf("{fields}")' in IN_JAVASCRIPT


def test_every_form_of_a_field_is_told() -> None:
    told = {name for row in table("Events", "form") for name in re.findall("[a-z]+", row[0])}
    fields = " ".join(of_events().values()).split()
    used = {each.partition("=")[0].rpartition(":")[2] for each in fields}
    assert used <= told <= urimcheck.FORMS.keys()


@pytest.mark.parametrize("names", ["table", "level", "role"])
def test_a_form_has_the_pattern_that_is_told(names: str) -> None:
    [row] = [row for row in table("Events", "form") if row[0].startswith(names)]
    forms = re.findall("[a-z]+", row[0])
    for form, pattern in zip(forms, re.split("`, `", row[1]), strict=True):
        text = '"|".join(LEVELS)' if form == "level" else f'"{pattern}"'
        assert f'"{form}": _like({text})' in IN_PYTHON
        if form == "level":
            assert tuple(pattern.split("|")) == urimcheck.LEVELS


def test_the_commands_are_those_of_urimcheck() -> None:
    listed = [f"{do} > {to} {fields}".strip() for do, to, fields in table("Commands", "command")]
    assert listed == re.split(", |\n", urimcheck.COMMAND_ROWS.strip())
    assert urimcheck.COMMAND_ROWS in IN_JAVASCRIPT


def test_every_rule_of_a_field_is_told() -> None:
    rules = {word for row in table("Commands", "command") for word in row[2].split()}
    told = [row[0] for row in table("Commands", "field")]
    assert {"asked@", *(word for word in rules if word.endswith("@"))} == {*told}


def test_the_faces_are_those_of_urimcheck() -> None:
    rows = table("Seats, dice and faces", "system")
    found = {(system, kind): faces for system, kind, faces in rows if kind}
    wanted = {
        (system, kind): "1 to 100" if kind == "d%" else " ".join(map(str, faces))
        for system, kinds in urimcheck.FACES.items()
        for kind, faces in kinds.items()
    }
    assert found == wanted
    plain = {name for system, kind, _ in rows if not kind for name in system.split(", ")}
    assert plain | {system for system, _ in found} == urimcheck.FACES.keys()


def test_the_report_has_the_keys_that_are_told() -> None:
    log = urimcheck.Report({"scope": "table", "proof": None}, [])
    log.header |= dict.fromkeys(("origin", "roll", "size"))
    said = urimcheck.as_json(log)
    rows = table("The command line", "key")
    told = [name for row in rows for name in re.findall("[a-z_]+", row[0])]
    assert sorted(told) == sorted(said)
    [seats] = [row[1] for row in rows if row[0] == "seats"]
    assert vars(urimcheck.new_numbers()).keys() <= {*re.findall("`([a-z_]+)`", seats)}
