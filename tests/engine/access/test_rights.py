"""One matrix says which role may what, and each cell is what `allowed` and `permits` answer."""

from typing import get_args

import pytest

from urim.engine.access.protocol import Grant, Inviting, Limits
from urim.engine.access.rights import (
    INVITES,
    MATRIX,
    RIGHTS,
    ROLES,
    AccessRole,
    Right,
    allowed,
)
from urim.errors import Refused
from urim.events.base import Role

HERE, THERE = "table000", "table001"

WRITTEN: dict[AccessRole, str] = {
    "host": "open-table list-tables health invite revoke revoke-own holders",
    "narrator": "command erase sight follow bundle proofs invite invite-own revoke revoke-own"
    " holders",
    "player": "command erase sight follow bundle proofs invite-own revoke-own",
    "witness": "command erase sight follow bundle proofs invite-own revoke-own",
    "auditor": "bundle proofs revoke-own",
}
"""The same matrix, role by role: who changes one must mean it."""

CELLS = [(role, right) for role in ROLES for right in RIGHTS]


def grant(role: AccessRole, table: str | None = HERE) -> Grant:
    """A grant of a role."""
    return Grant(id="g", table=None if role == "host" else table, seat=None, role=role, expires=1)


@pytest.mark.parametrize(("role", "right"), CELLS)
def test_a_cell_is_what_was_meant_here_and_nothing_there(role: AccessRole, right: Right) -> None:
    meant = right in WRITTEN[role].split()
    assert allowed(role, right) is meant
    assert grant(role).permits(right, HERE) is meant
    assert grant(role).permits(right, THERE) is (meant and role == "host")
    assert grant(role).permits(right) is (meant and role == "host")


def test_the_matrix_has_every_right_and_every_role_once() -> None:
    assert [*MATRIX] == [*RIGHTS] == [*get_args(Right)]
    assert set(ROLES) == {*get_args(Role), "auditor", "host"} == set(INVITES)
    for row in MATRIX.values():
        assert len(row.split()) == len(ROLES)
        assert set(row.split()) <= {"yes", "no"}


def test_what_is_not_known_is_not_allowed() -> None:
    # As it would come from a client, past the types.
    for role, right in (("", ""), ("HOST", "health"), ("host", "Health"), ("host", "yes")):
        assert not allowed(role, right)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def test_those_invite_who_may_and_nobody_a_host() -> None:
    for role in ROLES:
        assert bool(INVITES[role]) is allowed(role, "invite")
        assert "host" not in INVITES[role]


# --- invitations that nobody may make -------------------------------------------------------------


def code_of(
    role: AccessRole,
    by: AccessRole,
    seat: str | None = None,
    by_seat: str | None = None,
    uses: int = 1,
    table: str = HERE,
    name: str = "",
) -> str:
    """The code with which an invitation is refused; empty where it is not."""
    try:
        Inviting(
            table=table,
            role=role,
            seat=seat,
            by=by,
            by_seat=by_seat,
            expires=1,
            uses=uses,
            name=name,
        )
    except Refused as refusal:
        return refusal.code
    return ""


@pytest.mark.parametrize("by", ROLES)
@pytest.mark.parametrize("role", ROLES)
def test_whom_each_role_invites(by: AccessRole, role: AccessRole) -> None:
    assert code_of(role, by) == ("" if role in INVITES[by] else "not-yours")


@pytest.mark.parametrize("role", ["narrator", "player", "witness"])
def test_a_seat_invites_to_itself_in_its_own_role_alone(role: AccessRole) -> None:
    assert code_of(role, role, "s1", "s1", uses=3) == ""
    if role != "narrator":
        assert code_of(role, role, "s1", "s2") == "not-yours"
        assert code_of("narrator", role, "s1", "s1") == "not-yours"
    else:
        assert code_of("player", role, "s1", "s1", uses=2) == "out-of-range"


def test_an_invitation_that_is_not_of_its_form_is_refused() -> None:
    assert code_of("player", "narrator", "p1", "gm", uses=2) == "out-of-range"
    assert code_of("player", "narrator", uses=0) == "out-of-range"
    assert code_of("player", "narrator", seat="P 1") == "malformed"
    assert code_of("player", "narrator", by_seat="") == "malformed"
    assert code_of("player", "narrator", table="../etc") == "malformed"
    assert code_of("auditor", "narrator", seat="a1") == "malformed"
    for name in ("two\nlines", "\x1b[2J", "\ud800", "\u202e"):
        assert code_of("player", "narrator", name=name) == "malformed"
    assert code_of("player", "narrator", name="Ruth אשר") == ""


def test_a_grant_invites_in_its_own_name_to_its_own_table() -> None:
    narrator = Grant(id="g", table=HERE, seat="gm", role="narrator", expires=1)
    made = narrator.inviting(HERE, "player", seat="p1", expires=5, name="Ruth")
    assert (made.by, made.by_seat, made.own, made.name) == ("narrator", "gm", False, "Ruth")
    assert narrator.inviting(HERE, "narrator", seat="gm", expires=5, uses=2).own
    assert grant("host").inviting(THERE, "narrator", expires=5).table == THERE
    for refused in (narrator, grant("player"), grant("auditor")):
        with pytest.raises(Refused) as refusal:
            refused.inviting(THERE, "player", expires=5)
        assert refusal.value.code == "not-yours"


def test_a_limit_below_one_is_refused_by_name() -> None:
    for name in Limits.__struct_fields__:
        with pytest.raises(Refused, match=f"`{name}` is 0"):
            Limits(**{name: 0})
