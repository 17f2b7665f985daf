"""The command `urim systems`: the installed game systems in a list, or one of them at length."""

import sys
from typing import Annotated

import typer

from ...rules import ruleset_named, ruleset_names
from ..render.systems import summary_object, system_object, system_parts, systems_table
from ..render.text import page, pen_of
from .shared import Json, guarded, print_objects


def systems(
    name: Annotated[str | None, typer.Argument(help="Show this one at length.")] = None,
    *,
    as_json: Json = False,
) -> None:
    """List the installed systems; or show one: its dice, tracks, declarations and readings."""
    with guarded():
        found = [ruleset_named(each) for each in ([name] if name else ruleset_names())]
        if as_json:
            print_objects((system_object if name else summary_object)(each) for each in found)
            return
        out = page(sys.stdout)
        if name is None:
            out.print(systems_table(found, pen_of(out)))
            return
        for part in system_parts(found[0], pen_of(out)):
            out.print(part)
