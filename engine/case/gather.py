"""All facts of a case, gathered once: from the log, from an audit of it, and by deciding again."""

from collections.abc import Iterator

from ...events import roll as rolled
from ...events import ruling
from ...projections.account import in_words, marks_of
from ...projections.isolates import isolated
from ...projections.lexicon import Lexicon, name_text
from ...projections.result import Result, damage_result, outcome_result
from ...projections.rollstate import RollState
from ...projections.rulings import open_disputes
from ...projections.tables import Rulesets, TableState
from ...projections.verdicts import RULED
from ...projections.wording import counted
from ...rules import ruleset_named
from ..core.visibility import involved
from .answers import answers
from .chain import Chain, chain_of, hand_named, steps_of
from .chance import chance_of
from .facts import Box, Case, Chance, Dispute, Part, Person, Quote, Step
from .otherwise import otherwise_of
from .past import past_of
from .proofs import faces_of, throws_of
from .record import record_box, record_of
from .source import Source, source_of
from .subject import Subject, subject_of
from .terms import charted, terms_of

DISPUTES = 3
"""Disputes in the paragraph, at most; the first ones."""


def case_of(
    content: bytes,
    number: int,
    seat: str = "",
    *,
    now: int | None = None,
    rulesets: Rulesets = ruleset_named,
) -> Case:
    """The case of roll `number` of a table, from its bundle; for a `seat`, what that one may see.

    `now` is the reader's clock in milliseconds since 1970, the machine's where none is given.
    Raises Refused: "unreadable" for what is no bundle of a whole table, "unknown" for a roll or
    seat that is not there, "not-seen" for a roll that is hidden from this reader; Damaged where the
    entries are not what they were sealed as.
    """
    source = source_of(content, seat, now=now, rulesets=rulesets)
    roll = source.roll(number)
    chain = chain_of(source.state, roll)
    steps = steps_of(source, chain)
    parts = tuple(_part(source, each, number, steps) for each in chain.rolls)
    throws = throws_of(source, chain, steps)
    disputes = tuple(_disputes(source, chain, steps))
    chance = chance_of(source, chain)
    boxes = _boxes(source, roll, parts, disputes, chance)
    otherwise = otherwise_of(source, chain, steps, _subjects(source, chain, steps))
    told = tuple((each.does, each.allowed) for each in steps)
    return Case(
        roll=number,
        who=name_text(source.state, roll.roll.character),
        title=_label(source, roll),
        at=steps[0].at,
        tale=tuple(_tale(source, chain, steps, parts, disputes)),
        people=tuple(_people(source.state, chain)),
        boxes=boxes,
        disputes=disputes,
        steps=steps,
        parts=parts,
        otherwise=otherwise,
        chance=chance,
        past=past_of(source, chain),
        throws=throws,
        faces=faces_of(source, roll, throws),
        terms=(
            *terms_of(source.state, (told, parts, boxes[:2], otherwise)),
            *charted(source.state, (told, parts, disputes, otherwise)),
        ),
        record=record_of(source),
    )


def _label(source: Source, roll: RollState) -> str:
    """What its player called the roll; "" where nothing."""
    texts = source.state.texts.get(f"entry:{roll.trail[0].seq}", ())
    return texts[0].text if texts else ""


def _part(source: Source, roll: RollState, main: int, steps: tuple[Step, ...]) -> Part:
    state = source.state
    lexicon = Lexicon(state)
    first, until = _first(source, roll, steps)
    follows = roll.follows is not None and roll.number != main
    return Part(
        roll=roll.number,
        who=name_text(state, roll.roll.character),
        link=lexicon.of("link", roll.roll.link) if roll.roll.link and follows else "",
        marks=in_words(marks_of(state, roll)),
        outcome=outcome_result(state, roll),
        damage=damage_result(state, roll),
        first=first,
        until=until,
    )


def _first(source: Source, roll: RollState, steps: tuple[Step, ...]) -> tuple[Result | None, int]:
    """The outcome before a ruling first amended the roll, and the step of that; None, 0 without."""
    for entry in roll.trail:
        if isinstance(entry.event, ruling.RollAmended):
            before = source.before[entry.seq]
            step = next(each.number for each in steps if entry.seq in each.entries)
            return outcome_result(before, before.rolls[roll.number]), step
    return None, 0


def _people(state: TableState, chain: Chain) -> Iterator[Person]:
    """The seats that have to do with the chain: those of its characters, and narrators."""
    who = {id for roll in chain.rolls for id in involved(state, roll)}
    acted = {entry.event.by for roll in chain.rolls for entry in roll.trail}
    for id, seat in sorted(state.seats.items()):
        plays = [c for c in sorted(who) if c in state.characters and state.characters[c].seat == id]
        if plays or id in acted or (seat.role == "narrator" and seat.here):
            names = tuple(name_text(state, each) for each in plays)
            yield Person(name_text(state, id), id, seat.role, names, seat.key or "")


# --- disputes -------------------------------------------------------------------------------------


def _disputes(source: Source, chain: Chain, steps: tuple[Step, ...]) -> Iterator[Dispute]:
    seats = sorted(source.state.seats.items())
    judges = tuple(
        name_text(source.state, id) for id, seat in seats if seat.role == "narrator" and seat.here
    )
    for roll in chain.rolls:
        for entry in roll.trail:
            if not isinstance(entry.event, ruling.DisputeRaised):
                continue
            step = next(each for each in steps if entry.seq in each.entries)
            quote = step.quotes[0] if step.quotes else _nothing(source, entry.event.by, "dispute")
            answer, more = answers(subject_of(source, chain, steps, entry))
            ruled, said = _ruling(source, roll, entry.seq, steps)
            yield Dispute(
                step=step.number, roll=roll.number, quote=quote, answer=answer, more=more,
                ruled=ruled, ruling=said, judges=judges,
            )  # fmt: skip


def _subjects(source: Source, chain: Chain, steps: tuple[Step, ...]) -> Iterator[Subject]:
    """What each dispute is about."""
    for roll in chain.rolls:
        for entry in roll.trail:
            if isinstance(entry.event, ruling.DisputeRaised):
                yield subject_of(source, chain, steps, entry)


def _nothing(source: Source, seat: str, what: str) -> Quote:
    return Quote(name_text(source.state, seat), what, None)


def _ruling(
    source: Source, roll: RollState, dispute: int, steps: tuple[Step, ...]
) -> tuple[str, Quote | None]:
    """The ruling on a dispute in a sentence, and its words; "" where there is none."""
    for entry in roll.trail:
        event = entry.event
        if isinstance(event, ruling.RulingMade) and event.dispute == dispute:
            step = next(each for each in steps if entry.seq in each.entries)
            instead = "" if event.instead is None else f" as roll {event.instead}"
            by = name_text(source.state, event.by)
            text = f"{by} ruled at step {step.number}: roll {event.roll} {RULED[event.ruling]}"
            quote = step.quotes[0] if step.quotes else _nothing(source, event.by, "ruling")
            return f"{text}{instead}.", quote
    for entry in roll.trail:
        if isinstance(entry.event, rolled.RollVoided) and entry.seq > dispute:
            step = next(each for each in steps if entry.seq in each.entries)
            by = name_text(source.state, entry.event.by)
            return f"{by} voided the roll at step {step.number}, which ends the dispute.", (
                step.quotes[0] if step.quotes else None
            )
    return "", None


# --- the four boxes -------------------------------------------------------------------------------


def _boxes(
    source: Source,
    roll: RollState,
    parts: tuple[Part, ...],
    disputes: tuple[Dispute, ...],
    chance: Chance,
) -> tuple[Box, ...]:
    return (
        _outcome_box(roll, next(part for part in parts if part.roll == roll.number)),
        _damage_box(parts),
        _ruling_box(roll, disputes),
        record_box(source.report, chance),
    )


def _outcome_box(roll: RollState, part: Part) -> Box:
    found = part.outcome
    if found is None:
        text = "It counts for nothing." if roll.state == "voided" else f"State: {roll.state}."
        return Box("Outcome", "none", text)
    gone = " The roll is void: this counts for nothing." if roll.state == "voided" else ""
    margin = f"Margin {found.text}." if found.text else ""
    return Box("Outcome", found.head, f"{margin}{gone} {found.reason}".strip())


def _damage_box(parts: tuple[Part, ...]) -> Box:
    hits = [part for part in parts if part.damage is not None]
    if not hits:
        return Box("Damage", "none", "No damage was applied in this roll or one that follows it.")
    last = hits[-1]
    found = last.damage
    if found is None:
        return Box("Damage", "none", "")
    gone = f" Roll {last.roll} is void: this counts for nothing." if "voided" in last.marks else ""
    changes = "; ".join(
        f"{each.who}: {each.track} {each.before} → {each.after}" for each in found.changes
    )
    return Box("Damage", found.text, f"{changes or f'For {found.head}'}.{gone}")


def _ruling_box(roll: RollState, disputes: tuple[Dispute, ...]) -> Box:
    ruled = [each for each in disputes if each.ruled]
    waiting = len(open_disputes(roll))
    if waiting:
        return Box("Ruling", "none yet", f"{counted(waiting, 'dispute')} waiting for a ruling.")
    if not disputes:
        return Box("Ruling", "not disputed", "Nobody disputed this roll.")
    made = [e.event for e in roll.trail if isinstance(e.event, ruling.RulingMade)]
    head = RULED[made[-1].ruling].removeprefix("is ") if made else "void"
    return Box("Ruling", head, ruled[-1].ruled if ruled else "")


# --- the paragraph --------------------------------------------------------------------------------


def _tale(
    source: Source,
    chain: Chain,
    steps: tuple[Step, ...],
    parts: tuple[Part, ...],
    disputes: tuple[Dispute, ...],
) -> Iterator[str]:
    """The story of the roll in a few sentences, each as the steps have it."""
    state = source.state
    for person in _people(state, chain):
        if person.characters:
            yield f"{person.name} plays {' and '.join(person.characters)}."
    main = next(roll for roll in chain.rolls if roll.number == chain.number)
    for roll in chain.rolls[: chain.rolls.index(main)]:
        yield f"It follows roll {roll.number} of {name_text(state, roll.roll.character)}."
    own = [step for step in steps if step.roll == chain.number]
    yield from own[0].does[:1]
    yield from (step.does[0] for step in own if step.does and _reacts(source, step))
    yield from _handled(source, main)
    for part in parts:
        yield from _ended(part, chain.number)
    for each in disputes[:DISPUTES]:
        if each.quote.text is None:
            yield f"{each.quote.by} disputed it, in words that were erased."
        else:
            yield f"{each.quote.by} disputed it: “{shortened(each.quote.text)}”."
        yield each.ruled or "There is no ruling yet."
    if len(disputes) > DISPUTES:
        yield f"It was disputed {counted(len(disputes), 'time')} in all."


SHORT = 140
"""Characters of a dispute that the paragraph repeats."""


def shortened(words: str) -> str:
    """The words of a dispute on one line, the first of them where there are many."""
    text = " ".join(words.split()).rstrip(".")
    return isolated(text if len(text) <= SHORT else f"{text[:SHORT]}…")


def _reacts(source: Source, step: Step) -> bool:
    records = [source.records[seq] for seq in step.entries]
    return any(isinstance(r.event, rolled.ReactionDeclared) for r in records if r is not None)


def _handled(source: Source, roll: RollState) -> Iterator[str]:
    """For each character that threw: how many dice, how often again, what was kept."""
    for hand in roll.roll.hands:
        again = sum(
            isinstance(e.event, rolled.DiceRerolled) and e.event.hand == hand.name
            for e in roll.trail
        )
        often = {0: "", 1: ", and threw some again once"}.get(
            again, f", and threw some again {again} times"
        )
        who = name_text(source.state, hand.character)
        label = hand_named(Lexicon(source.state), hand.name)
        yield f"{who} threw {counted(len(hand.dice), 'die', 'dice')}{label}{often}."


def _ended(part: Part, main: int) -> Iterator[str]:
    void = " It is void now." if "voided" in part.marks else ""
    what = "It" if part.roll == main else f"Roll {part.roll}, {part.link}," if part.link else (
        f"Roll {part.roll}")  # fmt: skip
    if part.outcome is not None and (part.roll == main or part.damage is None):
        then = f"{_margin(part.first)}, and since step {part.until} as " if part.first else ""
        yield f"{what} ended as {then}{_margin(part.outcome)}.{void}"
    if part.damage is not None:
        place = next((i.total.text for i in part.damage.items if i.total.key == "location"), "")
        where = f" ({place})" if place else ""
        yield f"{part.damage.head} took {part.damage.text}{where}.{void}"


def _margin(result: Result) -> str:
    return result.headline
