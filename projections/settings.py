"""The settings of a table, which are no rules: what each may be, and what it says.

A setting is named `NAME`, or `NAME/ROLL` where it may be another one for a single roll.
"""

import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any, NamedTuple

from msgspec import Meta, ValidationError, convert

from .wording import counted


class Setting(NamedTuple):
    """A setting: the type of its value, the values in words, what it is where nobody set it.

    `words` say what a value means, behind "The rolls of this table"; `rolls` is whether a roll may
    have a value of its own.
    """

    kind: Any
    allowed: tuple[str, ...]
    default: Any
    words: Callable[[Any], str]
    rolls: bool = False


LINKS = "links"
"""Whether everybody who has the link of a roll may see that roll."""

ADVICE = "advice"
"""Whether a seat is told the odds of what it may do in a roll."""

POST = "post"
"""How many hours a throw waits for shares before it may be broken off; the table is played by post
then. 0 where it is not."""

HOUR, LONGEST = 3_600_000, 336
"""Milliseconds of an hour; and hours that a throw may wait, at most: two weeks."""

SETTINGS: Mapping[str, Setting] = {
    LINKS: Setting(
        bool,
        ("true", "false"),
        default=False,
        words=lambda may: f"{'may' if may else 'may not'} be shown by a link",
        rolls=True,
    ),
    ADVICE: Setting(
        bool,
        ("true", "false"),
        default=False,
        words=lambda may: f"{'have' if may else 'have no'} advice",
        rolls=True,
    ),
    POST: Setting(
        Annotated[int, Meta(ge=1, le=LONGEST)],
        (f"1 to {LONGEST} hours",),
        default=0,
        words=lambda hours: f"wait {counted(hours, 'hour') if hours else '10 seconds'} for shares",
    ),
}
"""Every setting that a table may be given."""


NAME = re.compile("([a-z]+)(?:/([1-9][0-9]{0,8}))?")
"""How a setting is named: by its own name, and perhaps by the number of a roll."""


def setting_of(name: str) -> tuple[Setting, int | None] | None:
    """The setting of that name, and the roll that it is for, if one is named; None for no name."""
    found = NAME.fullmatch(name)
    setting = SETTINGS.get(found[1]) if found else None
    if found is None or setting is None or (found[2] and not setting.rolls):
        return None
    return setting, int(found[2]) if found[2] else None


def fits(setting: Setting, value: Any) -> bool:
    """Whether the setting may have this value."""
    try:
        convert(value, setting.kind)
    except ValidationError:
        return False
    return True


def value_of(settings: Mapping[str, Any], name: str, roll: int | None = None) -> Any:
    """The value that counts: the roll's own, or else the table's, or else the default."""
    setting = SETTINGS[name]
    values = [settings.get(f"{name}/{roll}"), settings.get(name)]
    return next(
        (each for each in values if each is not None and fits(setting, each)), setting.default
    )


def in_words(name: str, value: Any) -> str | None:
    """What a setting's value says, as a sentence; None where it is none that is known."""
    found = setting_of(name)
    if found is None or (value is not None and not fits(found[0], value)):
        return None
    setting, roll = found
    subject = "The rolls of this table" if roll is None else f"Roll {roll}"
    if value is None and roll is not None:
        return f"Roll {roll} goes by the table's {name.partition('/')[0]} again."
    return f"{subject} {setting.words(setting.default if value is None else value)}."
