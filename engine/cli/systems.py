"""The command `urim systems`: the installed game systems in a list, or one of them at length."""

import sys

import click

from ...errors import Refused
from ...rules import ruleset_named, ruleset_names
from ...rules.ruleset import Ruleset
from ..render.systems import (
    broken_object,
    summary_object,
    system_object,
    system_parts,
    systems_table,
)
from ..render.text import page, pen_of
from .frame import Known, command
from .shared import print_objects


@command(
    click.Argument(
        ["name"],
        type=Known("system", lambda _: ruleset_names()),
        required=False,
        metavar="[NAME]",
        help="Show this one at length.",
    )
)
def systems(name: str | None, *, as_json: bool) -> None:
    """List the installed systems; or show one: its dice, tracks, declarations and readings."""
    if name is None:
        _list(as_json=as_json)
        return
    found = ruleset_named(name)
    if as_json:
        print_objects([system_object(found)])
        return
    out = page(sys.stdout)
    for part in system_parts(found, pen_of(out)):
        out.print(part)


def _list(*, as_json: bool) -> None:
    """Every system on a line; one that cannot be loaded too, with what is wrong with it."""
    found, broken = list[Ruleset](), dict[str, str]()
    for each in ruleset_names():
        try:
            found.append(ruleset_named(each))
        except Refused as error:
            broken[each] = error.why
    if as_json:
        print_objects(map(summary_object, found))
        print_objects(broken_object(name, why) for name, why in broken.items())
        return
    out = page(sys.stdout)
    out.print(systems_table(found, pen_of(out)))
    for why in broken.values():
        out.print(pen_of(out).text(why), soft_wrap=True)
