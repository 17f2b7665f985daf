"""A pager moved by keys on the whole screen of a terminal, which is as before afterwards.

Keys and the screen are prompt_toolkit's: it joins an escape sequence that comes in pieces, takes
several that come at once, follows the size of the terminal, and has a way for Windows. Blessed was
the other choice. It asks each terminal what it can do before it starts, and waits up to a second
for one that does not answer; and it does without the whole screen where NO_COLOR is set.
"""

import asyncio
import signal
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from typing import NamedTuple

from prompt_toolkit.application import Application
from prompt_toolkit.filters import Condition, Filter
from prompt_toolkit.formatted_text import ANSI
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import FormattedTextControl, Layout, Window
from prompt_toolkit.output import ColorDepth

from .pager import DIGITS, Pager, Reel, Sheet

NBSP = "\u00a0"
"""A blank that prompt_toolkit would underline."""

ENDING = ("SIGTERM", "SIGHUP")
"""Signals that end a program; here, once the terminal is as it was."""

COLOURS: Mapping[str | None, ColorDepth] = {
    None: ColorDepth.DEPTH_1_BIT,
    "standard": ColorDepth.DEPTH_4_BIT,
    "256": ColorDepth.DEPTH_8_BIT,
    "truecolor": ColorDepth.DEPTH_24_BIT,
}
"""How many colours are written, by the name that Rich has for it."""


class Key(NamedTuple):
    """Keys as the help shows them, as prompt_toolkit names them, where they lead, in words."""

    shown: str
    names: tuple[str, ...]
    lead: Callable[[Pager], None]
    words: str


FAR = 10**DIGITS
"""More steps or rows than there are."""

KEYS = (
    Key("right, n", ("right", "n", "l"), lambda pager: pager.step(1), "next step"),
    Key("left, p", ("left", "p", "h"), lambda pager: pager.step(-1), "step before"),
    Key("space, enter", (" ", "enter", "pagedown"), lambda pager: pager.turn(1), "on by a screen"),
    Key("backspace, b", ("backspace", "b", "pageup"), lambda pager: pager.turn(-1), "back by one"),
    Key("down, j", ("down", "j"), lambda pager: pager.scroll(1), "on by a row"),
    Key("up, k", ("up", "k"), lambda pager: pager.scroll(-1), "back by a row"),
    Key("home", ("home",), lambda pager: pager.step(-FAR), "first step"),
    Key("end, G", ("end", "G"), lambda pager: pager.step(FAR), "last step"),
    Key("tab, ]", ("tab", "]"), lambda pager: pager.roll(1), "next roll"),
    Key("shift-tab, [", ("s-tab", "["), lambda pager: pager.roll(-1), "roll before"),
    Key(":, g", (":", "g"), Pager.ask, "go to an entry by number"),
    Key("?", ("?",), Pager.help, "these keys, and back"),
)
"""Every key but those that leave."""

LEAVING = ("q", "Q", "escape", "c-d")

HELP = Sheet(
    ["Keys", ""],
    [f"{key.shown:<14}{key.words}" for key in KEYS] + [f"{'q, escape':<14}leave"],
)


def bindings(pager: Pager, attempt: Callable[[Callable[[], None]], None]) -> KeyBindings:
    """What prompt_toolkit does at each key; `attempt` runs what the key leads to."""
    found = KeyBindings()
    typing = Condition(lambda: pager.typed is not None)

    def bind(names: Iterable[str], lead: Callable[[Pager], None], where: Filter) -> None:
        def handle(_: KeyPressEvent) -> None:
            pager.note = ""
            attempt(partial(lead, pager))

        for name in names:
            found.add(name, filter=where)(handle)

    for key in KEYS:
        bind(key.names, key.lead, ~typing)
    for digit in "0123456789":
        bind((digit,), partial(Pager.type, digit=digit), typing)
    bind(("backspace",), partial(Pager.type, digit=""), typing)
    bind(("enter",), Pager.jump, typing)
    bind(("escape",), Pager.forget, typing)
    for name in LEAVING:
        found.add(name, filter=~typing)(lambda event: event.app.exit())
    for name in ("c-c", Keys.SIGINT):
        found.add(name)(lambda event: event.app.exit(exception=KeyboardInterrupt()))
    found.add("c-z")(lambda event: event.app.suspend_to_background())
    return found


def page_through(reel: Reel, roll: int, colours: str | None) -> None:
    """Show a roll's first step and do what keys say, until one leaves; then restore the terminal.

    Raises KeyboardInterrupt at Ctrl-C, and whatever the reel raises but Refused. A signal that ends
    the program does so afterwards.
    """
    pager = Pager(reel, roll, HELP)
    ended: list[int] = []

    def attempt(work: Callable[[], None]) -> None:
        try:
            work()
        # Whatever it is: the loop of prompt_toolkit would log it and go on. It ends the pager
        # instead, and is raised where `page_through` was called, the terminal restored.
        except Exception as error:  # noqa: BLE001
            if app.future is not None and not app.future.done():
                app.exit(exception=error)

    def shown() -> ANSI:
        size, rows = app.output.get_size(), list[str]()
        attempt(lambda: rows.extend(pager.screen(size.columns, size.rows)))
        return ANSI("\n".join(rows).replace(NBSP, " "))

    def watch() -> None:
        """End in order at a signal; Windows has no such handlers, and ends at once."""
        for name in ENDING:
            with suppress(AttributeError, NotImplementedError):
                number = getattr(signal, name)
                asyncio.get_running_loop().add_signal_handler(number, end, number)

    def end(number: int) -> None:
        ended.append(number)
        app.exit()

    app = Application[None](
        layout=Layout(Window(FormattedTextControl(shown, show_cursor=False), wrap_lines=False)),
        key_bindings=bindings(pager, attempt),
        full_screen=True,
        color_depth=COLOURS.get(colours),
    )
    with suppress(EOFError):  # the terminal is gone
        app.run(pre_run=watch, set_exception_handler=False)
    for number in ended:
        signal.raise_signal(number)
