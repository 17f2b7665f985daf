"""The readings of Sagatafl: how its text is understood where it is silent or of two minds."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from ..forms import field
from ..readings import reading

Name = Annotated[str, Meta(min_length=1, max_length=100)]


class Options(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The readings of Sagatafl with their defaults, then the data a table may bring itself."""

    spec_and_edge: Annotated[
        Literal["one", "two"],
        reading(
            "A specialisation gives an extra die, and so does the Edge of a stat.",
            heading="Rolling",
            assumed='One extra die where both apply; "two": one for each.',
        ),
    ] = "one"
    no_dice: Annotated[
        Literal["refused", "one"],
        reading(
            "So many dice are rolled as the trait is rated.",
            heading="Rolling",
            assumed='A roll of no dice is refused; "one": a single die is thrown instead.',
        ),
    ] = "refused"
    sense_rolls: Annotated[
        Literal["safe", "as set"],
        reading(
            "Most Sense rolls are Safe; some, under very stressful circumstances, are not.",
            heading="Safe Rolls",
            assumed="A roll of a trait in `sense_traits` is Safe unless the narrator decides"
            ' otherwise; "as set": no roll is, unless he decides so.',
        ),
    ] = "safe"
    opposed: Annotated[
        Literal["scale", "successes"],
        reading(
            "The section on Opposed Rolls is empty.",
            heading="Opposed Rolls",
            assumed="Each side rolls against its own difficulty: nS counts n, f-1 counts 0, F-n"
            ' counts 1 - n. The higher wins by the difference. "successes": F-n counts 0 as well.',
        ),
    ] = "scale"
    declined: Annotated[
        Literal["unopposed", "zero"],
        reading(
            "The section on Opposed Rolls is empty; nobody knows what declining one does.",
            heading="Opposed Rolls",
            assumed="The roll is unopposed and has its own result, and the outcome says so."
            ' "zero": it stays opposed, by one who counts 0.',
        ),
    ] = "unopposed"

    sense_traits: Annotated[
        tuple[Name, ...],
        Meta(max_length=100),
        field("Sense traits", "The traits of Sense rolls, by name."),
    ] = ()
