"""The trials of the automaton reach every row, and change what every module reads."""

import os
import subprocess
import sys

from tests.retarget import TARGETS, rows_of
from tests.tree import ROOT
from urim.projections.automaton import ROWS, target

SHOWN = """
import tests.retarget
from urim.engine.core import machine
from urim.events.roll import DiceFrozen
from urim.projections import automaton
way = "rolled", "freeze"
cell, event = (DiceFrozen, "rolled"), DiceFrozen("p1", 1, "initiator", ())
print(machine.DOORS[way].to, machine.AFTER[cell], automaton.after(event, "rolled"))
"""


def test_every_row_is_led_to_another_state() -> None:
    assert {row for key in TARGETS for row in rows_of(*key)} == set(ROWS)
    for (trigger, source), others in TARGETS.items():
        for row in rows_of(trigger, source):
            assert target(row, source) not in others


def test_a_row_is_led_elsewhere_for_who_decides_and_for_who_folds() -> None:
    here = {**os.environ, "URIM_RETARGET": "freeze:rolled:voided"}
    words = [sys.executable, "-c", SHOWN]
    done = subprocess.run(words, cwd=ROOT, env=here, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["voided", "voided", "voided"]
