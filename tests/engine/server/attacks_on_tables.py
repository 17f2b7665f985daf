"""Attacks by what is asked: other tables, hidden rolls, what the rules refuse, spent ids."""

import json
from concurrent.futures import ThreadPoolExecutor

import httpx

from tests.engine.helpers.stages.server import NARRATOR, bearer
from tests.engine.helpers.stages.service import noting
from tests.engine.helpers.stages.sockets import Client
from tests.engine.server.admission.test_intruders import same
from tests.engine.server.attacking import Scene, attack, written
from tests.engine.server.attacks_on_form import GOOD, JSON
from tests.engine.server.http_table import FACES, HIDDEN, LIVE, MISSING, OPEN, OTHER, TABLE, WISH
from tests.engine.server.routes.test_reading import refused
from urim.engine.core import commands as c
from urim.engine.wire import numbers

# --- 3: another table, a hidden roll --------------------------------------------------------------


NOWHERE = ("nothere1", "t", "TABLE002", "x" * 400)
"""Ids of tables that are not there."""


@attack(3)
def another_table_by_every_way_to_read_it(scene: Scene) -> None:
    paths = (
        "", "/moves", "/seats", "/entries", "/bundle", "/checkpoint", "/rolls/1", "/history",
        "/rolls/1/odds", "/luck", "/proofs/inclusion/0", "/holders", "/invitations",
        "/choices?character=c1&field=root", "/rollables?character=c1",
    )  # fmt: skip
    for who in ("p1", NARRATOR, "auditor"):
        for path in paths:
            answers = [
                scene.site.clients[who].get(f"/tables/{table}{path}") for table in (OTHER, *NOWHERE)
            ]
            assert len({repr(same(answer)) for answer in answers}) == 1
            refused(answers[0], 404, "no-table")


@attack(3)
def a_command_at_another_table(scene: Scene) -> None:
    for path, data in (
        ("requests", GOOD),
        ("preview", b'{"body":"{}"}'),
        ("requests", b"nonsense"),
    ):
        answers = [
            scene.site.clients["p1"].post(f"/tables/{table}/{path}", content=data, headers=JSON)
            for table in (OTHER, *NOWHERE)
        ]
        assert len({repr(same(answer)) for answer in answers}) == 1
        refused(answers[0], 404, "no-table")


@attack(3)
def holders_of_another_table_revoked_from_here(scene: Scene) -> None:
    url = scene.served.url
    held = httpx.get(f"{url}/access", headers=bearer(scene.tokens["other"])).json()["id"]
    narrator = scene.site.clients[NARRATOR]
    answers = [
        narrator.delete(f"/tables/{table}/holders/{held}") for table in (OTHER, "nothere1")
    ] + [narrator.delete(f"/tables/{OTHER}/seats/p1/holders")]
    assert len({repr(same(answer)) for answer in answers}) == 1
    refused(answers[0], 404, "no-table")
    # At the own table that id is one of nobody.
    own = [narrator.delete(f"/tables/{TABLE}/holders/{each}") for each in (held, "nobody")]
    assert same(own[0]) == same(own[1])
    assert own[0].json() == {"revoked": 0}
    assert httpx.get(f"{url}/access", headers=bearer(scene.tokens["other"])).status_code == 200


@attack(3)
def a_socket_at_another_table(scene: Scene) -> None:
    found = set()

    async def act(client: Client) -> None:
        await client.send(type="enter", token=scene.tokens["p1"])
        found.add((await client.closed(), client.connection.close_reason, len(client.frames)))

    for table in (OTHER, "nothere1", "TABLE001"):
        scene.opened(act, table)
    assert found == {(numbers.REFUSED, numbers.CLOSES[numbers.REFUSED], 0)}


def as_missing(hidden: httpx.Response, missing: httpx.Response) -> None:
    """Two answers are the same but for the number that was asked for."""
    said = hidden.content.replace(b"roll %d" % HIDDEN, b"roll %d" % MISSING)
    assert (hidden.status_code, said) == (missing.status_code, missing.content)
    assert same(hidden)[2] == same(missing)[2]


@attack(3)
def a_hidden_roll_by_every_way_to_read_it(scene: Scene) -> None:
    of_roll = ("", "/account", "/link", "/moves")
    for path in (*(f"/rolls/{{}}{each}" for each in of_roll), "/bundle?roll={}"):
        for who in ("p1", "auditor") if "bundle" in path else ("p1",):
            hidden, missing = (scene.site.get(who, path.format(n)) for n in (HIDDEN, MISSING))
            as_missing(hidden, missing)
            if path.endswith("/moves"):
                assert not any(move["legal"] for move in hidden.json())
            else:
                assert hidden.status_code in (403, 404)
        assert scene.site.get("p2", path.format(HIDDEN)).status_code == 200


@attack(3)
def a_hidden_roll_by_what_follows_it(scene: Scene) -> None:
    for given in ("reacts_to={}", "follows={}&link=soak", "follows={}&link=x"):
        path = f"/choices?character=c1&field=root&{given}"
        hidden, missing = (scene.site.get("p1", path.format(n)) for n in (HIDDEN, MISSING))
        as_missing(hidden, missing)
        refused(hidden, 403, "not-seen")


@attack(3)
def a_hidden_roll_by_every_command(scene: Scene) -> None:
    for made in (
        c.Resolve, c.Withdraw, c.Reveal, c.ApplyDamage, c.BreakThrow,
        lambda roll: c.OpenShare(roll, "ab" * 32),
        lambda roll: c.RollDice(roll, "initiator", faces=FACES),
        lambda roll: c.RollDice(roll, "initiator", faces=("x",)),
        lambda roll: c.RollDice(roll, "initiator"),
        lambda roll: c.Freeze(roll, "initiator", ()),
        lambda roll: c.React(roll, "c1", {"rating": 1}),
        lambda roll: c.Declare("c1", dict(WISH), follows=(roll, "soak")),
    ):  # fmt: skip
        command = made
        hidden, missing = (scene.site.ask("p1", command(roll)) for roll in (HIDDEN, MISSING))
        as_missing(hidden, missing)


# --- 4: a refused command -------------------------------------------------------------------------


@attack(4)
def what_is_another_s_or_the_narrator_s(scene: Scene) -> None:
    for command, code in (
        (c.Declare("c2", dict(WISH)), "not-yours"),
        (c.GiveCharacter("c2", "p1"), "not-yours"),
        (c.SetTrack("c1", "xr", 9), "not-yours"),
        (c.TakeSeat("p9", "narrator"), "not-yours"),
        (c.EnterCharacter("c9", "p2", {"BLE": 9}), "not-yours"),
    ):
        found = refused(scene.site.ask("p1", command), 403, code, "needs-leave")
        assert "moves" not in found


@attack(4)
def what_is_not_there(scene: Scene) -> None:
    for command in (
        c.GiveCharacter("nobody", "p2"),
        c.GiveCharacter("c1", "p99"),
        c.LeaveSeat("p9"),
        c.SetTrack("c1", "nosuch", 1),
    ):
        found = refused(scene.site.ask(NARRATOR, command), 404, "unknown")
        assert "moves" not in found


@attack(4)
def what_is_not_the_time_for(scene: Scene) -> None:
    legal = [each for each in scene.site.get("p1", f"/rolls/{LIVE}/moves").json() if each["legal"]]
    found = refused(scene.site.ask("p1", c.Resolve(LIVE)), 409, "wrong-state", "due")
    assert found["moves"] == legal != []


@attack(4)
def dice_of_another_make(scene: Scene) -> None:
    for faces, code in (
        (("x", *FACES[1:]), "face"),
        (FACES[:-1], "dice-short"),
        ((*FACES, FACES[0]), "dice-left"),
        ((), "dice-short"),
    ):
        command = c.RollDice(LIVE, "initiator", faces=faces)
        refused(scene.site.ask("p1", command), 422, code)


@attack(4)
def a_throw_that_was_thrown_thrown_again(scene: Scene) -> None:
    command = c.RollDice(OPEN, "initiator", faces=FACES)
    found = refused(scene.site.ask("p1", command), 409, "wrong-state", "due", "not-offered")
    assert all(move["legal"] for move in found.get("moves", ()))


@attack(4)
def words_that_are_not_those_of_the_hash(scene: Scene) -> None:
    asked = json.loads(written(noting("one thing"), "words-1"))
    other = json.loads(written(noting("another thing"), "words-1"))
    swapped = json.dumps({**asked, "text": other["text"]}).encode()
    refused(scene.post(swapped), 422, "malformed")
    without = {name: asked[name] for name in ("request", "body")}
    refused(scene.post(json.dumps(without).encode()), 422, "malformed")


@attack(4)
def a_command_of_who_has_no_seat(scene: Scene) -> None:
    for who in ("host", "auditor"):
        for path, data in (("/requests", GOOD), ("/preview", GOOD), ("/requests", b"x" * 70_000)):
            refused(scene.post(data, who, path), 403, "no-right")


@attack(4)
def a_refused_command_on_a_socket(scene: Scene) -> None:
    legal = [each for each in scene.site.get("p1", f"/rolls/{LIVE}/moves").json() if each["legal"]]

    async def act(client: Client) -> None:
        for command, code, moves in (
            (c.Declare("c2", dict(WISH)), "not-yours", []),
            (c.RollDice(LIVE, "initiator", faces=("x",)), "face", legal),
            (c.Resolve(MISSING), "not-seen", []),
        ):
            answer = await client.done("refused-1", command)
            assert (answer["type"], answer["request"]) == ("refused", "refused-1")
            assert answer["code"] == code
            assert answer.get("moves", []) == moves
        answer = await client.done("refused-1", c.Resolve(LIVE))
        assert (answer["type"], answer["moves"]) == ("refused", legal)
        assert client.of("commit")[-1]["size"] == client.of("caught-up")[-1]["size"]

    scene.entered(act)


# --- 5: the same id, another body -----------------------------------------------------------------


def done_once(scene: Scene, request: str, who: str = "p1") -> None:
    """A note of a seat under an id."""
    answer = scene.post(written(noting("the first"), request), who)
    assert answer.status_code == 200, answer.text
    assert scene.keep() == 2


@attack(5)
def a_spent_id_for_another_command(scene: Scene) -> None:
    done_once(scene, "spent-1")
    for command in (noting("the second"), c.RollDice(LIVE, "initiator", faces=FACES)):
        refused(scene.post(written(command, "spent-1")), 409, "request-reused")


@attack(5)
def a_spent_id_for_the_same_command_in_other_bytes(scene: Scene) -> None:
    first = json.loads(written(noting("the first"), "spent-2"))
    data = json.dumps(first).encode()
    answer = scene.post(data)
    assert answer.status_code == 200
    assert scene.keep() == 2
    other = json.dumps({**first, "body": first["body"].replace('":', '": ', 1)}).encode()
    refused(scene.post(other), 409, "request-reused")
    again = scene.post(json.dumps(first, indent=1).encode())
    assert again.status_code == 200  # the same body and words: answered again
    assert again.json()["seqs"] == answer.json()["seqs"]


@attack(5)
def a_spent_id_for_a_body_that_is_nested_without_end(scene: Scene) -> None:
    done_once(scene, "spent-6")
    body = '{"a":' * 3_000
    data = json.dumps({"request": "spent-6", "body": body}).encode()
    refused(scene.post(data), 409, "request-reused")

    async def act(client: Client) -> None:
        await client.send(type="ask", request="spent-6", body=body)
        assert (await client.until("refused"))["code"] == "request-reused"

    scene.entered(act)


@attack(5)
def a_spent_id_on_a_socket(scene: Scene) -> None:
    done_once(scene, "spent-3")

    async def act(client: Client) -> None:
        answer = await client.done("spent-3", noting("the second"))
        assert (answer["type"], answer["code"]) == ("refused", "request-reused")

    scene.entered(act)


@attack(5)
def an_id_of_a_socket_spent_by_http(scene: Scene) -> None:
    async def act(client: Client) -> None:
        assert (await client.done("spent-4", noting("the first")))["type"] == "done"

    scene.entered(act)
    assert scene.keep() == 2
    refused(scene.post(written(noting("the second"), "spent-4")), 409, "request-reused")


@attack(5)
def many_bodies_under_one_id_at_once(scene: Scene) -> None:
    bodies = [written(noting(f"body {number}"), "spent-5") for number in range(12)]

    def post(data: bytes) -> httpx.Response:
        url = f"{scene.served.url}/tables/{TABLE}/requests"
        return httpx.post(url, content=data, headers=bearer(scene.tokens["p1"]) | JSON, timeout=60)

    with ThreadPoolExecutor(len(bodies)) as pool:
        answers = list(pool.map(post, bodies))
    lost = [answer for answer in answers if answer.status_code != 200]
    assert len(lost) == len(bodies) - 1
    for answer in lost:
        refused(answer, 409, "request-reused")
    assert scene.keep() == 2


@attack(5)
def a_table_s_opening_with_other_settings(scene: Scene) -> None:
    host = scene.site.clients["host"]
    body = {"table": "table003", "ruleset": "milhamah", "source": "scripted", "request": "open-1"}
    if host.post("/tables", json=body).status_code == 201:
        scene.keep()
    refused(host.post("/tables", json={**body, "source": "seeded"}), 409, "request-reused")
    refused(host.post("/tables", json={**body, "request": "open-2"}), 409, "taken")
