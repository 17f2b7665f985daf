"""What each role may read of a table over HTTP, and what the answers are."""

import json
from base64 import b64decode
from collections.abc import Generator
from typing import Any

import httpx
import pytest

from tests.engine.helpers.stages.server import NARRATOR, Served
from tests.engine.server.http_table import HIDDEN, LIVE, OPEN, TABLE, Site
from tests.engine.server.openapi.test_document import DOCUMENT, operations, validator
from urim.engine.core import sight
from urim.engine.core.sight import RollSight
from urim.events.merkle import verify_inclusion
from urim.projections.lexicon import Lexicon
from urim.projections.rollstate import RollState

SEATED = (NARRATOR, "p1", "p2")

SIGHTS = (
    "", "/seats", "/characters", "/disputes", "/moves", "/awaiting", "/rolls/1", "/rolls/1/account",
    "/rolls/1/moves", "/history", "/history?after=1&most=1", "/choices?character=c1&field=root",
    "/entries", "/entries?after=3",
)  # fmt: skip
PROOFS = ("/checkpoint", "/proofs/inclusion/2", "/proofs/consistency/2")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Generator[Site]:
    """A table with an open roll, a hidden one, and one that waits for its throw."""
    with Served(tmp_path_factory.mktemp("site")) as served:
        found = Site(served)
        yield found
        found.close()


# --- who may what ---------------------------------------------------------------------------------


@pytest.mark.parametrize("path", [*SIGHTS, *PROOFS])
def test_a_seat_reads_its_table(site: Site, path: str) -> None:
    for who in SEATED:
        answer = site.get(who, path)
        assert answer.status_code == 200, answer.text
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]


# --- hidden rolls ---------------------------------------------------------------------------------


def test_what_is_hidden_is_in_no_answer(site: Site) -> None:
    assert [each["roll"] for each in site.get("p1", "").json()["rolls"]] == [OPEN, LIVE]
    shown = [each["roll"] for each in site.get("p1", "/history").json()["accounts"]]
    assert shown == [OPEN, LIVE]
    lines = [json.loads(line) for line in site.get("p1", "/entries").text.splitlines()]
    assert [line["seq"] for line in lines if "payload" not in line] == [7]


# --- what the answers are -------------------------------------------------------------------------


@pytest.mark.parametrize("path", [path for path in SIGHTS if "entries" not in path])
def test_an_answer_has_its_schema(site: Site, path: str) -> None:
    for who in SEATED:
        holds(site.get(who, path))


def test_a_roll_is_the_one_of_the_sight(site: Site) -> None:
    rolls = site.get("p2", "").json()["rolls"]
    assert [site.get("p2", f"/rolls/{each['roll']}").json() for each in rolls] == rolls


def test_parts_are_those_of_the_sight(site: Site) -> None:
    sight = site.get("p1", "").json()
    assert site.get("p1", "/seats").json() == sight["seats"]
    assert site.get("p1", "/characters").json() == sight["characters"]


@pytest.mark.parametrize(
    ("path", "most"),
    [("/rolls/1", 1), ("/seats", 0), ("/characters", 0), ("/history?most=1", 0), ("", 3)],
)
def test_no_more_rolls_are_looked_at_than_are_answered(
    site: Site, path: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = list[int]()

    def seen(lexicon: Lexicon, roll: RollState, *rest: Any) -> RollSight:
        looked.append(roll.number)
        return _roll(lexicon, roll, *rest)

    _roll = sight._roll  # noqa: SLF001
    monkeypatch.setattr(sight, "_roll", seen)
    assert site.get("p2", path).status_code == 200
    assert len(looked) == most


def test_the_history_comes_in_pages(site: Site) -> None:
    first = site.get("p2", "/history?most=2").json()
    assert [each["roll"] for each in first["accounts"]] == [OPEN, HIDDEN]
    assert first["after"] == HIDDEN
    rest = site.get("p2", f"/history?after={first['after']}").json()
    assert [each["roll"] for each in rest["accounts"]] == [LIVE]
    assert rest["after"] is None
    account = site.get("p2", f"/rolls/{OPEN}/account").json()
    assert first["accounts"][0] == account


def test_words_are_in_the_language_asked_for(site: Site) -> None:
    found = site.get("p1", "?language=he").json()
    assert found["language"] == "he"


def test_choices_are_those_of_the_service(site: Site) -> None:
    found = site.get("p1", "/choices?character=c1&field=root").json()
    assert found and all(each["type"] == "choice" for each in found)
    given = {"character": "c1", "field": "root", "so_far": '{"rating":2}'}
    assert site.get("p1", "/choices", params=given).json() == found
    reacts = {"character": "c2", "field": "root", "reacts_to": "1"}
    assert site.get("p2", "/choices", params=reacts).status_code in (200, 409)


def test_rollables_are_those_of_the_characters_sheet(site: Site) -> None:
    found = site.get("p1", "/rollables?character=c1").json()
    assert {each["type"] for each in found} == {"rollable"}
    assert found[0]["declaration"] == {"attribute": found[0]["name"]}
    refused(site.get("p1", "/rollables?character=c9"), 404, "unknown")
    for answers in ("reacts_to=1", "follows=1&link=counter"):
        refused(site.get("p1", f"/rollables?character=c1&{answers}"), 409, "not-offered")
    refused(site.get("p1", "/rollables?character=c9&reacts_to=1"), 404, "unknown")
    refused(site.get("p1", "/rollables?character=c1&reacts_to=99"), 403, "not-seen")


def test_proofs_hold_under_the_signed_head(site: Site) -> None:
    found = holds(site.get("auditor", "/proofs/inclusion/2"))
    lines = [json.loads(line) for line in site.get("p1", "/entries").text.splitlines()]
    entries = site.served.run(site.served.service.view(TABLE, "p1"))
    assert [line["digest"] for line in lines] == [entry.digest.hex() for entry in entries]
    proof = tuple(bytes.fromhex(each) for each in found["hashes"])
    verify_inclusion(entries[2].leaf, 2, found["size"], proof, root_in(found["head"]))
    since = holds(site.get("auditor", "/proofs/consistency/2"))
    assert (since["since"], since["seq"]) == (2, None)


def root_in(head: str) -> bytes:
    """The root of a signed head."""
    return b64decode(head.split("\n")[2])


# --- bad addresses --------------------------------------------------------------------------------

BAD_NUMBERS = ("0", "-1", "1000000001", "99999999999999999999", "9" * 400, "01", "1.5", "x", "١")


@pytest.mark.parametrize("number", BAD_NUMBERS, ids=range(len(BAD_NUMBERS)))
@pytest.mark.parametrize("path", ["/rolls/{}", "/rolls/{}/account", "/rolls/{}/moves"])
def test_a_number_out_of_its_bounds_is_refused(site: Site, path: str, number: str) -> None:
    refused(site.get("p1", path.format(number)), 422, "malformed", "out-of-range")


@pytest.mark.parametrize(
    "path",
    [
        "?nothing=1", "?language=en&language=en", "?language=" + "x" * 100, "?language=", "?%ff=1",
        "?" + "&".join(f"a{n}=1" for n in range(100)), "/seats?language=en", "/moves?roll=1",
        "/history?most=0", "/history?most=51", "/history?after=-1", "/entries?after=-2",
        "/entries?after=x", "/entries?after=99999999999999999999", "/proofs/inclusion/x",
        "/proofs/inclusion/99", "/proofs/consistency/-1", "/proofs/consistency/99", "/choices",
        "/choices?character=c1", "/choices?character=c1&field=root&follows=1",
        "/choices?character=c1&field=root&so_far=[1]", "/choices?character=c1&field=root&so_far={",
        "/choices?character=c1&field=root&so_far=" + "[" * 65, "/checkpoint?x=1",
        "/rollables", "/rollables?character=", "/rollables?character=c1&follows=1",
        "/rollables?character=c1&reacts_to=99&follows=1&link=counter",
        "/choices?character=c1&field=root&reacts_to=1&follows=1&link=counter",
    ],
)  # fmt: skip
def test_parameters_are_read_strictly(site: Site, path: str) -> None:
    found = refused(site.get("p1", path), 422, "malformed", "out-of-range")
    assert found["allowed"]


def test_an_unknown_parameter_is_answered_with_those_there_are(site: Site) -> None:
    found = refused(site.get("p1", "/history?before=3"), 422, "malformed")
    assert found["allowed"] == ["after", "most", "language"]


@pytest.mark.parametrize(
    "path",
    [
        "/nothing",
        "/roll",
        "/rolls/1/2",
        "/proofs",
        "/entries/3",
        "/" + "x" * 500,
        "/rolls/" + "1" * 9000,
    ],
)
def test_where_nothing_is_a_problem_says_so(site: Site, path: str) -> None:
    refused(site.get("p1", path), 404, "no-route")


def test_another_method_is_refused_with_those_there_are(site: Site) -> None:
    for method, path, allow in (
        ("PUT", "", "GET"), ("POST", "/moves", "GET"), ("GET", "/requests", "POST"),
    ):  # fmt: skip
        answer = site.clients["p1"].request(method, f"/tables/{TABLE}{path}")
        found = refused(answer, 405, "no-method")
        assert allow in answer.headers["allow"].split(", ")
        assert ", ".join(found["allowed"]) == answer.headers["allow"]


# --- what the tests say the same way --------------------------------------------------------------


def refused(answer: httpx.Response, status: int, *codes: str) -> dict[str, Any]:
    """The problem of a refused request, which has its schema."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["cache-control"] == "no-store"
    found: dict[str, Any] = answer.json()
    assert found["code"] in codes
    assert found["status"] == status
    assert found["type"] == f"/problems#{found['code']}"
    validator({"$ref": "#/components/schemas/Problem"}).validate(found)
    return found


def holds(answer: httpx.Response) -> Any:
    """The answer's JSON, which has the schema of its operation."""
    path = answer.url.path.replace(TABLE, "{table}", 1)
    parts = path.split("/")
    for _, each, found in operations():
        if matches(each.split("/"), parts) and "get" in DOCUMENT["paths"][each]:
            schema = found["responses"]["200"]["content"]["application/json"]["schema"]
            validator(schema).validate(answer.json())
            return answer.json()
    raise AssertionError(f"no operation at {path}")


def matches(known: list[str], parts: list[str]) -> bool:
    """Whether a path is one of the document's."""
    return len(known) == len(parts) and all(
        each == part or (each.startswith("{") and each != "{table}")
        for each, part in zip(known, parts, strict=True)
    )


def plain(answer: httpx.Response) -> dict[str, str]:
    """The headers of an answer, without what changes from one to the next."""
    return {name: value for name, value in answer.headers.items() if name != "date"}
