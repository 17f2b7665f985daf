"""From the host's link to a seat at the table, with what may be lost or refused on the way."""

from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.engine.helpers.stages.server import NARRATOR, Served, bearer
from urim.engine.core.commands import LeaveSeat, NameSeat, NameTable, TakeSeat, worded
from urim.engine.server.qr import qr_code
from urim.errors import Refused, Unavailable
from urim.events.codec import decode
from urim.events.table import SeatTaken

TABLE = "table001"
GM = "gm"

_numbers = count()


def client() -> str:
    """The id that a client draws; this one can be guessed."""
    return f"client-{next(_numbers):020}"


def post(served: Served, path: str, token: str | None, **body: Any) -> httpx.Response:
    headers = {} if token is None else bearer(token)
    return httpx.post(served.url + path, headers=headers, json=body, timeout=60)


def get(served: Served, path: str, token: str) -> Any:
    answer = httpx.get(served.url + path, headers=bearer(token))
    assert answer.status_code == 200, answer.text
    return answer.json()


def delete(served: Served, path: str, token: str) -> httpx.Response:
    return httpx.delete(served.url + path, headers=bearer(token))


def exchange(served: Served, secret: str, who: str | None = None) -> httpx.Response:
    return post(served, "/access/exchange", None, secret=secret, client=who or client())


def opening(served: Served, request: str = "open-1", **more: Any) -> httpx.Response:
    asked = {"table": TABLE, "ruleset": "milhamah", "narrator": GM, "request": request} | more
    return post(served, "/tables", served.host_token, **asked)


def narrator(served: Served) -> str:
    """A table is open; its narrator's token."""
    token: str = exchange(served, opening(served).json()["invitation"]).json()["token"]
    return token


def invited(served: Served, token: str, **body: Any) -> str:
    answer = post(served, f"/tables/{TABLE}/invitations", token, **body)
    assert answer.status_code == 201, answer.text
    secret: str = answer.json()["secret"]
    return secret


def came(served: Served, token: str, **body: Any) -> str:
    """Somebody was invited and came in."""
    answer = exchange(served, invited(served, token, **body))
    assert answer.status_code == 200, answer.text
    found: str = answer.json()["token"]
    return found


def seats(served: Served) -> dict[str, str]:
    return dict(served.run(served.service.seated(TABLE)))


def taken(served: Served) -> list[tuple[str, str]]:
    """Which seats were taken, in the log, and by whose command."""
    entries = served.run(served.service.view(TABLE, GM))
    events = [decode(entry.payload).event for entry in entries if entry.payload]
    return [(event.by, event.seat) for event in events if isinstance(event, SeatTaken)]


def code(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


# --- the way in -----------------------------------------------------------------------------------


def test_a_host_opens_a_table_a_narrator_comes_and_invites_a_player(served: Served) -> None:
    link = served.run(served.access.host_link(served.here.now()))
    assert link is not None
    host = exchange(served, link.reveal()).json()
    assert host["grant"]["role"] == "host"
    assert host["key"] == ""
    asked = {"table": TABLE, "ruleset": "milhamah", "narrator": GM}
    opened = post(served, "/tables", host["token"], **asked)
    assert opened.status_code == 201
    assert opened.json()["seqs"] == [0]
    [to_gm] = opened.json()["links"]
    assert to_gm["url"] == f"{served.url}/#i={opened.json()['invitation']}"
    gm = exchange(served, opened.json()["invitation"]).json()
    assert (gm["grant"]["seat"], gm["grant"]["role"]) == (GM, "narrator")
    assert gm["key"] == served.run(served.service.key(TABLE))
    answer = post(served, f"/tables/{TABLE}/invitations", gm["token"], role="player", seat="p1")
    assert answer.json()["link"] == f"{served.url}/#i={answer.json()['secret']}"
    code = qr_code(answer.json()["link"])
    qr = {"size": code.size, "path": code.path}
    assert answer.json()["links"] == [{"url": answer.json()["link"], "qr": qr}]
    dana = exchange(served, answer.json()["secret"]).json()
    assert get(served, "/access", dana["token"]) == dana["grant"]
    shown = get(served, f"/tables/{TABLE}/seats", dana["token"])
    assert {seat["id"]: seat["role"] for seat in shown} == {GM: "narrator", "p1": "player"}
    assert taken(served) == [(GM, "p1")]
    assert get(served, "/tables", host["token"]) == {"tables": [TABLE]}


def test_where_an_invitation_leads_is_said_before_anything_is_taken(served: Served) -> None:
    gm = narrator(served)
    served.run(served.service.submit(TABLE, GM, worded(NameSeat(GM), "Noa")))
    served.run(served.service.submit(TABLE, GM, worded(NameTable(), "Friday evening")))
    secret, by_host = (
        invited(served, gm, role="player"),
        invited(served, served.host_token, role="narrator"),
    )
    size = len(served.run(served.service.view(TABLE, GM)))
    about = {"table": TABLE, "name": "Friday evening", "system": "Milhamah RPG"}
    for _ in range(3):
        found = post(served, "/access/invitation", None, secret=secret)
        assert (found.status_code, found.json()) == (
            200,
            about | {"role": "player", "by": "Noa", "left": 1},
        )
    found = post(served, "/access/invitation", None, secret=by_host)
    assert found.json() == about | {"role": "narrator", "by": "", "left": 1}
    assert len(served.run(served.service.view(TABLE, GM))) == size
    assert exchange(served, secret).status_code == 200
    spent = post(served, "/access/invitation", None, secret=secret)
    assert code(spent) == (401, "no-token")
    link = served.run(served.access.host_link(served.here.now(), new=True))
    assert link is not None
    for text in (link.reveal(), "x", secret[:-1]):
        assert code(post(served, "/access/invitation", None, secret=text)) == (401, "no-token")
    assert code(post(served, "/access/invitation", None, secret=1)) == (422, "malformed")


def test_an_invitation_to_no_seat_leads_to_a_new_one_each_time(served: Served) -> None:
    gm = narrator(served)
    secret = invited(served, gm, role="player", uses=2)
    names = {exchange(served, secret).json()["grant"]["seat"] for _ in range(2)}
    assert set(seats(served)) == {GM} | names
    assert exchange(served, secret).status_code == 401


def test_the_host_s_guests_are_seated_in_the_first_narrator_s_name(served: Served) -> None:
    narrator(served)
    token = came(served, served.host_token, role="narrator", seat="second")
    assert get(served, "/access", token)["seat"] == "second"
    assert taken(served) == [(GM, "second")]


def test_an_auditor_takes_no_seat(served: Served) -> None:
    gm = narrator(served)
    assert get(served, "/access", came(served, gm, role="auditor"))["seat"] is None
    assert set(seats(served)) == {GM}


# --- a table is opened again ----------------------------------------------------------------------


def test_the_same_request_gives_the_same_table_and_another_invitation(served: Served) -> None:
    first, again = opening(served).json(), opening(served).json()
    assert first["seqs"] == again["seqs"] == [0]
    assert first["invitation"] != again["invitation"]
    assert exchange(served, again["invitation"]).status_code == 200
    assert exchange(served, first["invitation"]).status_code == 401


def test_another_request_for_the_same_table_is_refused(served: Served) -> None:
    opening(served)
    assert code(opening(served, "open-2")) == (409, "taken")
    assert code(opening(served, "open-1", narrator="other")) == (409, "taken")
    assert code(opening(served, "open-1", level="table")) == (409, "request-reused")


def test_a_table_whose_narrator_came_invites_nobody_to_that_seat(served: Served) -> None:
    narrator(served)
    answer = opening(served)
    assert code(answer) == (409, "taken")
    assert "after revoking the seat" in answer.json()["allowed"]


# --- what is lost on the way ----------------------------------------------------------------------


def test_a_process_that_dies_before_the_seat_is_taken_leaves_it_to_the_next(
    tmp_path: Path,
) -> None:
    who = client()
    with Served(tmp_path) as served:
        secret = invited(served, narrator(served), role="player", seat="p1")
        # All that such a process has done: the use is spent, the seat is not there.
        served.run(served.access.exchange(secret, who, served.here.now()))
        assert set(seats(served)) == {GM}
    with Served(tmp_path) as served:
        answer = exchange(served, secret, who)
        assert answer.status_code == 200
        assert get(served, "/access", answer.json()["token"])["seat"] == "p1"
        assert seats(served) == {GM: "narrator", "p1": "player"}


def test_an_answer_that_is_lost_after_the_seat_was_taken_is_asked_for_again(
    served: Served,
) -> None:
    gm, who = narrator(served), client()
    secret = invited(served, gm, role="player", seat="p1")
    answers = [exchange(served, secret, who).json() for _ in range(2)]
    assert answers[0]["token"] != answers[1]["token"]
    assert taken(served) == [(GM, "p1")]
    assert get(served, "/access", answers[1]["token"])["seat"] == "p1"
    # The first that is used is the one that counts.
    assert httpx.get(f"{served.url}/access", headers=bearer(answers[0]["token"])).is_error


@pytest.mark.parametrize(
    ("error", "status", "times"),
    [(Unavailable("no space"), 503, 1), (Refused("over-budget", "a busy hour"), 429, 6)],
)
def test_what_may_be_done_later_revokes_nothing(
    served: Served, monkeypatch: pytest.MonkeyPatch, error: Exception, status: int, times: int
) -> None:
    gm, who = narrator(served), client()
    secret = invited(served, gm, role="player", seat="p1")

    async def fails(*_: object) -> None:
        raise error

    with monkeypatch.context() as patched:
        patched.setattr(served.service, "submit", fails)
        for _ in range(times):
            answer = exchange(served, secret, who)
            assert answer.status_code == status
            assert "retry-after" in answer.headers
    assert exchange(served, secret, who).status_code == 200
    assert seats(served)["p1"] == "player"


def test_somebody_else_who_takes_the_seat_at_the_same_time_is_no_trouble(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    gm = narrator(served)
    secret = invited(served, gm, role="player", seat="p1")
    submit = served.service.submit

    async def second(table: str, seat: str, command: Any, request: str | None = None) -> Any:
        await submit(table, seat, TakeSeat("p1"))
        return await submit(table, seat, command, request)

    monkeypatch.setattr(served.service, "submit", second)
    assert exchange(served, secret).status_code == 200


# --- what is refused ------------------------------------------------------------------------------


def test_nobody_is_invited_to_a_seat_of_another_role(served: Served) -> None:
    gm = narrator(served)
    came(served, gm, role="player", seat="p1")
    answer = post(served, f"/tables/{TABLE}/invitations", gm, role="witness", seat="p1")
    assert code(answer) == (409, "taken")
    assert answer.json()["allowed"][0] == "player"


def test_a_seat_that_got_another_role_since_is_not_held_and_the_use_is_spent(
    served: Served,
) -> None:
    gm, who = narrator(served), client()
    secret = invited(served, gm, role="player", seat="p1")
    served.run(served.service.submit(TABLE, GM, TakeSeat("p1", "witness")))
    assert code(exchange(served, secret, who)) == (409, "taken")
    assert exchange(served, secret, who).status_code == 401
    holders = get(served, f"/tables/{TABLE}/holders", gm)["holders"]
    assert [each["seat"] for each in holders] == [GM]


def test_who_was_invited_by_a_seat_that_no_longer_narrates_does_not_come_in(
    served: Served,
) -> None:
    gm = narrator(served)
    second = came(served, gm, role="narrator", seat="second")
    secret = invited(served, second, role="player", seat="p1")
    served.run(served.service.submit(TABLE, GM, LeaveSeat("second")))
    assert exchange(served, secret).status_code in (403, 404)
    assert "p1" not in seats(served)
    holders = get(served, f"/tables/{TABLE}/holders", gm)["holders"]
    assert {each["seat"] for each in holders} == {GM, "second"}


def test_a_seat_that_left_before_its_token_came_is_not_held(served: Served) -> None:
    gm, who = narrator(served), client()
    secret = invited(served, gm, role="player", seat="p1")
    assert exchange(served, secret, who).status_code == 200
    served.run(served.service.submit(TABLE, GM, LeaveSeat("p1")))
    # The request that took the seat was answered already: it does not take it a second time.
    assert code(exchange(served, secret, who)) == (409, "taken")
    assert "p1" not in seats(served)


@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b"{}", b'{"secret":1}', b'{"secret":"s","secret":"t","client":"c"}', b"\xff"],
)
def test_a_body_that_is_none_is_refused_without_a_piece_of_it(served: Served, body: bytes) -> None:
    headers = {"Content-Type": "application/json"}
    answer = httpx.post(f"{served.url}/access/exchange", content=body, headers=headers)
    assert code(answer) == (422, "malformed")
    assert answer.json()["why"] in (
        "the body is not of its form",
        "secret in the body is not of its form",
    )


def test_a_table_that_is_opened_wrongly_is_told_which_field_it_is(served: Served) -> None:
    answer = post(served, "/tables", served.host_token, table="mine01", ruleset="sagatafl")
    assert code(answer) == (422, "malformed")
    assert answer.json()["why"] == "table in the body is not of its form"
    assert answer.json()["allowed"] == ["8 to 32 of a-z 0-9"]


# --- going ----------------------------------------------------------------------------------------


def test_the_token_of_a_seat_that_left_opens_nothing_at_the_table(served: Served) -> None:
    gm = narrator(served)
    second = came(served, gm, role="narrator", seat="second")
    player = came(served, gm, role="player", seat="p1")
    held = get(served, f"/tables/{TABLE}/holders", gm)["holders"]
    [id] = [each["id"] for each in held if each["seat"] == "p1"]
    served.run(served.service.submit(TABLE, GM, LeaveSeat("second")))
    at = f"/tables/{TABLE}"
    asked = [
        post(served, f"{at}/invitations", second, role="player"),
        post(served, f"{at}/invitations", second, role="narrator", seat="second"),
        *(
            delete(served, f"{at}{path}", second)
            for path in (f"/holders/{id}", "/seats/p1/holders")
        ),
        *(
            httpx.get(f"{served.url}{at}{path}", headers=bearer(second))
            for path in ("/holders", "/invitations", "", "/entries", "/bundle")
        ),
    ]
    assert {answer.status_code for answer in asked} <= {403, 404}, asked
    assert get(served, "/access", player)["seat"] == "p1"
    assert delete(served, "/access", second).json() == {"revoked": 1}


def test_who_leaves_has_no_token_any_more(served: Served) -> None:
    gm = narrator(served)
    assert delete(served, "/access", gm).json() == {"revoked": 1}
    assert delete(served, "/access", gm).status_code == 401
    host = served.host_token
    assert delete(served, "/access", host).json() == {"revoked": 1}
    assert httpx.get(f"{served.url}/tables", headers=bearer(host)).status_code == 401


def test_a_player_revokes_its_own_seat_s_clients_and_nobody_else_s(served: Served) -> None:
    gm = narrator(served)
    one = came(served, gm, role="player", seat="p1")
    two = came(served, one, role="player", seat="p1")
    other = came(served, gm, role="player", seat="p2")
    ids = {token: get(served, "/access", token)["id"] for token in (one, two, other)}
    path = f"/tables/{TABLE}/holders"
    refused = delete(served, f"{path}/{ids[other]}", one)
    assert code(refused) == (403, "no-right")
    assert refused.content == delete(served, f"{path}/nobody", one).content
    assert code(delete(served, f"/tables/{TABLE}/seats/p2/holders", one)) == (403, "no-right")
    assert delete(served, f"{path}/{ids[two]}", one).json() == {"revoked": 1}
    assert httpx.get(f"{served.url}/access", headers=bearer(two)).status_code == 401
    assert delete(served, f"/tables/{TABLE}/seats/p1/holders", one).json() == {"revoked": 1}
    assert get(served, "/access", other)["seat"] == "p2"


def test_an_auditor_revokes_itself_alone(served: Served) -> None:
    gm = narrator(served)
    one, two = (came(served, gm, role="auditor") for _ in range(2))
    ids = {token: get(served, "/access", token)["id"] for token in (one, two)}
    path = f"/tables/{TABLE}/holders"
    assert code(delete(served, f"{path}/{ids[two]}", one)) == (403, "no-right")
    assert delete(served, f"{path}/{ids[one]}", one).json() == {"revoked": 1}


def test_a_narrator_revokes_an_invitation_and_a_seat(served: Served) -> None:
    gm = narrator(served)
    secret = invited(served, gm, role="player", seat="p1", name="for Dana")
    [open_] = get(served, f"/tables/{TABLE}/invitations", gm)["invitations"]
    assert open_["name"] == "for Dana"
    assert secret not in str(open_)
    path = f"/tables/{TABLE}"
    assert delete(served, f"{path}/invitations/{open_['id']}", gm).json() == {"revoked": 0}
    assert exchange(served, secret).status_code == 401
    dana = came(served, gm, role="player", seat="p1")
    assert delete(served, f"{path}/seats/p1/holders", gm).json() == {"revoked": 1}
    assert httpx.get(f"{served.url}/access", headers=bearer(dana)).status_code == 401


def test_a_link_is_of_the_address_that_clients_reach(tmp_path: Path) -> None:
    with Served(tmp_path, url="https://dice.example") as served:
        gm = served.open(TABLE)[NARRATOR]
        answer = post(served, f"/tables/{TABLE}/invitations", gm, role="auditor")
        assert answer.json()["link"].startswith("https://dice.example/#i=urim-i1-")
        assert [each["url"] for each in answer.json()["links"]] == [answer.json()["link"]]


def test_in_the_local_network_there_is_a_link_for_each_address(tmp_path: Path) -> None:
    bases = ("http://192.168.1.5:8000", "http://10.0.0.5:8000")
    with Served(tmp_path, known={"bases": bases}) as served:
        gm = served.open(TABLE)[NARRATOR]
        answer = post(served, f"/tables/{TABLE}/invitations", gm, role="player").json()
        urls = [f"{base}/#i={answer['secret']}" for base in bases]
        assert [each["url"] for each in answer["links"]] == urls
        assert answer["link"] == urls[0]
        assert len({each["qr"]["path"] for each in answer["links"]}) == len(bases)
