// @ts-check
// One roll as its entries leave it. Pure: a roll and an event in, a new roll out.

/**
 * @import { TableEvent, Thrown, Effect, AdjustedDie } from "../urim"
 */

/**
 * A die. `thrown` are all faces it fell on, oldest first; `landed` is its face after the last throw
 * of its hand, `face` the one it shows now.
 *
 * @typedef {object} Die
 * @property {string} id
 * @property {string} kind
 * @property {(number|string)[]} thrown
 * @property {number|string} landed
 * @property {number|string} face
 * @property {boolean} frozen
 */

/**
 * A hand. `label` is its name in commands: what people call it is in the server's sight. `again` are
 * the dice that fell in its last throw.
 *
 * @typedef {object} Hand
 * @property {string} name
 * @property {string} label
 * @property {string} character
 * @property {readonly Die[]} dice
 * @property {number} rerolls
 * @property {boolean} taken
 * @property {readonly string[]} again
 */

/**
 * A dispute and its ruling: by which entry, and which roll was declared in place of this one.
 *
 * @typedef {{seq: number, by: string, ruling: string|null, ruled: number|null, instead: number|null}} Dispute
 */

/**
 * What a roll spent or gained by one entry. `sort` decides whether it still counts.
 *
 * @typedef {{seq: number, sort: "declared"|"settled"|"damage"|"price", effects: readonly Effect[]}} Spent
 */

/**
 * A roll. With `sealed` nothing is known of it but that it happened; `seq` is then the first entry
 * that names it. `declaration` is as it was settled. `outcome` and `damage` are as announced.
 *
 * @typedef {object} Roll
 * @property {number} number
 * @property {number} seq
 * @property {number} at  milliseconds since 1970
 * @property {string} seat
 * @property {string} character
 * @property {string} state
 * @property {string} visibility
 * @property {boolean} hidden
 * @property {string|null} level  that its declaration named
 * @property {readonly string[]} marks
 * @property {readonly [number, string]|null} follows
 * @property {Readonly<Record<string, unknown>>} declaration
 * @property {readonly {character: string, reaction: Record<string, unknown>|null, declined: boolean}[]} reactions
 * @property {Readonly<Record<string, string>>} choices
 * @property {readonly Hand[]} hands
 * @property {Announced|null} outcome
 * @property {Announced|null} damage
 * @property {readonly Dispute[]} disputes
 * @property {boolean} sealed
 * @property {boolean} vetoed
 * @property {number|null} revealed  the entry that revealed it
 * @property {{throw: number, commit: string, seq: number}|null} commitment
 * @property {readonly {throw: number, kept: readonly string[], seq: number}[]} breaks  its throws that were broken off
 * @property {readonly {throw: number, source: string, by: string, confirmed: string|null}[]} throws
 * @property {readonly {hand: string, words: readonly string[], tone: string}[]} flavours
 * @property {{character: string, fate: string, part: string|null}|null} fate
 * @property {readonly Spent[]} spent
 * @property {readonly {event: TableEvent, place: Place}[]} made  its dice and choices, all that happened
 * @property {readonly number[]} entries  of this roll, oldest first
 */

/**
 * An outcome (degree, margin) or damage (target, amount) as the log has it, with what it changed.
 *
 * @typedef {{degree?: string, margin?: number, target?: string, amount?: number,
 *   figures?: Record<string, unknown>, readings?: string[], effects: readonly Effect[]}} Announced
 */

/** @typedef {{seq: number, at: number}} Place */

/**
 * How an event moves a roll's state, as `projections/automaton.py` has it.
 * @type {Readonly<Record<string, string>>}
 */
const STATE_AFTER = {
  "reaction-declared/1": "reacted",
  "dice-rolled/1": "rolled",
  "dice-frozen/1": "frozen",
  "dice-rerolled/1": "rerolled",
  "dice-adjusted/1": "adjusted",
  "choice-made/1": "adjusted",
  "roll-resolved/1": "resolved",
  "damage-applied/1": "damaged",
  "roll-voided/2": "voided",
};

const SETTLED = ["resolved", "damaged"];

/**
 * @template {TableEvent["type"]} K
 * @typedef {Extract<TableEvent, {type: K}>} EventOf
 */

/**
 * The roll that a declaration begins.
 *
 * @param {EventOf<"roll-declared/2">} event
 * @param {Place} place
 * @returns {Roll}
 */
export function declared(event, { seq, at }) {
  const effects = event.effects ?? [];
  return marked({
    ...nothing(event.roll, { seq, at }),
    seat: event.by,
    character: event.character,
    state: "declared",
    visibility: event.visibility,
    level: event.level ?? null,
    follows: event.follows ?? null,
    declaration: event.declaration,
    sealed: false,
    commitment: event.commit == null ? null : { throw: 0, commit: event.commit, seq },
    spent: effects.length ? [{ seq, sort: "declared", effects }] : [],
  });
}

/**
 * A roll of which nothing is known but its number.
 *
 * @param {number} number
 * @param {Place} place  of the first entry that names it
 * @returns {Roll}
 */
export function nothing(number, { seq, at }) {
  return {
    number, seq, at, seat: "", character: "", state: "new", visibility: "self", hidden: true,
    level: null, marks: ["hidden"], follows: null, declaration: {}, reactions: [], choices: {},
    hands: [], outcome: null, damage: null, disputes: [], sealed: true, vetoed: false,
    revealed: null, commitment: null, breaks: [], throws: [], flavours: [], fate: null, spent: [],
    entries: [seq], made: [],
  };
}

/**
 * The roll after one more of its events. An event that it does not know changes nothing.
 *
 * @param {Roll} roll
 * @param {TableEvent} event
 * @param {Place} place
 * @returns {Roll}
 */
export function evolved(roll, event, place) {
  const change = CHANGES[/** @type {keyof typeof CHANGES} */ (event.type)];
  const kept = ON_DICE.includes(event.type) ? { ...roll, made: [...roll.made, { event, place }] } : roll;
  const after = change ? change(kept, /** @type {any} */ (event), place) : kept;
  const amends = event.type === "roll-amended/2";
  const amended = amends && SETTLED.includes(roll.state);
  const state = roll.sealed ? roll.state : amended ? "resolved" : STATE_AFTER[event.type] ?? roll.state;
  const marks = amends ? ["amended"] : after.marks;
  return marked({ ...after, marks, state, entries: [...roll.entries, place.seq] });
}

/** @type {{[K in TableEvent["type"]]?: (roll: Roll, event: EventOf<K>, place: Place) => Roll}} */
const CHANGES = {
  "reaction-declared/1": (roll, event, { seq }) => ({
    ...priced(roll, seq, event.effects),
    reactions: [...roll.reactions, reaction(event.character, event.reaction)],
  }),
  "dice-rolled/1": (roll, event, { seq }) => {
    const dice = firstThrown(event.dice);
    const again = dice.map((die) => die.id);
    const { hand: name, character } = event;
    const taken = event.taken != null;
    const hand = { name, label: name, character, dice, rerolls: 0, taken, again };
    return thrown({ ...roll, hands: [...roll.hands, hand] }, event, seq);
  },
  "dice-rerolled/1": (roll, event, { seq }) => {
    const after = withHand(roll, event.hand, (hand) => thrownAgain(hand, event.dice));
    return thrown(priced(after, seq, event.effects), event, seq);
  },
  "dice-frozen/1": (roll, event) =>
    withHand(roll, event.hand, (hand) => ({
      ...hand,
      dice: hand.dice.map((die) => ({ ...die, frozen: event.dice.includes(die.id) })),
    })),
  "dice-adjusted/1": (roll, event) => withHand(roll, event.hand, (hand) => adjusted(hand, event.dice)),
  "choice-made/1": (roll, event) => ({
    ...roll,
    choices: { ...roll.choices, [event.choice]: event.option },
  }),
  "roll-resolved/1": (roll, event, { seq }) => settled(roll, event.outcome, event.effects, seq),
  "damage-applied/1": (roll, event, { seq }) => {
    const effects = event.effects ?? [];
    return {
      ...roll,
      damage: { ...event.damage, target: event.target, effects },
      spent: [...roll.spent, { seq, sort: "damage", effects }],
    };
  },
  "roll-voided/2": (roll) => ({ ...roll, commitment: null }),
  "roll-amended/2": (roll, event, { seq }) => {
    const left = standing(roll, event.needless ?? []);
    const after = redeclared(left, event.character, event.declared);
    if (event.outcome == null) return after;
    return { ...settled(after, event.outcome, event.effects, seq), damage: null };
  },
  "declaration-replaced/1": (roll, event, { seq }) => ({
    ...redeclared(roll, roll.character, event.declared),
    vetoed: false,
    spent: [...roll.spent, { seq, sort: "declared", effects: event.effects ?? [] }],
  }),
  "declaration-vetoed/1": (roll) => ({ ...roll, vetoed: true }),
  "roll-revealed/2": (roll, _event, { seq }) => (roll.hidden ? { ...roll, revealed: seq } : roll),
  "throw-broken/1": (roll, event, { seq }) => ({
    ...roll,
    commitment: roll.sealed ? null : { throw: event.throw + 1, commit: event.next, seq },
    breaks: [...roll.breaks, { throw: event.throw, kept: event.kept, seq }],
  }),
  "throw-confirmed/1": (roll, event) => ({
    ...roll,
    throws: roll.throws.map((each) =>
      each.throw === event.throw ? { ...each, confirmed: event.by } : each),
  }),
  "flavour-named/1": (roll, { hand, words, tone }) => ({
    ...roll,
    flavours: [...roll.flavours, { hand, words, tone }],
  }),
  "fate-decided/1": (roll, event) => ({
    ...roll,
    fate: { character: event.character, fate: event.fate, part: event.part ?? null },
  }),
  "dispute-raised/1": (roll, event, { seq }) => ({
    ...roll,
    disputes: [...roll.disputes, { seq, by: event.by, ruling: null, ruled: null, instead: null }],
  }),
  "ruling-made/2": (roll, { dispute, ruling, instead = null }, { seq }) => ({
    ...roll,
    disputes: roll.disputes.map((each) =>
      each.seq === dispute ? { ...each, ruling, ruled: seq, instead } : each),
  }),
};

/** Events that a roll's hands and choices come from. */
const ON_DICE = ["dice-rolled/1", "dice-rerolled/1", "dice-frozen/1", "dice-adjusted/1", "choice-made/1"];

/**
 * The roll with its hands and choices as if some of its entries had never been.
 *
 * @param {Roll} roll
 * @param {readonly number[]} needless
 * @returns {Roll}
 */
function standing(roll, needless) {
  /** @type {Roll} */
  let left = { ...roll, hands: [], choices: {}, spent: [] };
  for (const { event, place } of roll.made) {
    const change = CHANGES[/** @type {keyof typeof CHANGES} */ (event.type)];
    if (change && !needless.includes(place.seq)) left = change(left, /** @type {any} */ (event), place);
  }
  return { ...roll, hands: left.hands, choices: left.choices };
}

/**
 * The roll with another commitment for its outstanding throw, which a new epoch published.
 *
 * @param {Roll} roll
 * @param {readonly [number, number, string]} fresh
 * @param {number} seq
 * @returns {Roll}
 */
export function recommitted(roll, [, number, commit], seq) {
  return { ...roll, commitment: { throw: number, commit, seq } };
}

/**
 * The entries of a roll whose effects hold: none of a voided one, none that was amended since. What
 * was amended counts in the place of the outcome, or damage, that was announced first.
 *
 * @param {Roll} roll
 * @returns {(Spent & {place: number})[]}
 */
export function counting(roll) {
  if (roll.state === "voided") return [];
  /** @param {string} sort */
  const last = (sort) => Math.max(-1, ...roll.spent.filter((each) => each.sort === sort).map((each) => each.seq));
  const [lastDeclared, lastSettled] = [last("declared"), last("settled")];
  const holds = roll.spent.filter(({ sort, seq }) => {
    if (sort === "price") return true;
    return sort === "damage" ? seq > lastSettled : seq === (sort === "declared" ? lastDeclared : lastSettled);
  });
  return holds.map((each) => {
    const replaces = each.sort === "settled" || each.sort === "damage";
    const first = replaces && roll.spent.find(({ sort }) => sort === each.sort);
    return { ...each, place: first ? first.seq : each.seq };
  });
}

/** Whether a dispute of the roll waits for its ruling; a void closes them all. @param {Roll} roll */
export function isDisputed(roll) {
  return roll.state !== "voided" && roll.disputes.some((each) => each.ruling === null);
}

/** The entry of the latest ruling on a roll: what contradicts it names it. @param {Roll} roll */
export function latestRuling(roll) {
  const made = roll.disputes.flatMap((each) => each.ruled ?? []);
  return made.length ? Math.max(...made) : null;
}

/**
 * The rolls under dispute that a roll depends on, the oldest first: itself, and those that it follows.
 *
 * @param {Roll} roll
 * @param {ReadonlyMap<number, Roll>} rolls
 * @returns {number[]}
 */
export function disputedAmong(roll, rolls) {
  /** @type {number[]} */
  const found = [];
  if (roll.state === "voided") return found;
  for (let at = /** @type {Roll|undefined} */ (roll); at; at = rolls.get(at.follows?.[0] ?? 0)) {
    if (isDisputed(at)) found.unshift(at.number);
  }
  return found;
}

/** Marks that stand behind `pending`. */
const LATER = ["ruled", "hidden", "revealed"];

/**
 * The marks of a roll among all others: `pending` while it follows one under dispute.
 *
 * @param {Roll} roll
 * @param {ReadonlyMap<number, Roll>} rolls
 */
export function marksAmong(roll, rolls) {
  if (!disputedAmong(roll, rolls).some((number) => number !== roll.number)) return roll.marks;
  const first = roll.marks.filter((mark) => !LATER.includes(mark));
  return [...first, "pending", ...roll.marks.filter((mark) => LATER.includes(mark))];
}

/** @param {Roll} roll @returns {Roll} */
function marked(roll) {
  const hidden = roll.sealed || (roll.visibility !== "public" && roll.revealed === null);
  const ruled = roll.disputes.some((each) => each.ruling !== null);
  /** @type {[string, boolean][]} */
  const marks = [
    ["voided", roll.state === "voided"],
    ["vetoed", roll.vetoed],
    ["amended", roll.marks.includes("amended")],
    ["disputed", isDisputed(roll)],
    ["ruled", ruled],
    ["hidden", hidden],
    ["revealed", roll.revealed !== null],
  ];
  return { ...roll, hidden, marks: marks.filter(([, holds]) => holds).map(([mark]) => mark) };
}

/** @param {string} character @param {Record<string, unknown>|null} given */
const reaction = (character, given) => ({
  character,
  reaction: given,
  declined: given === null || given.declined === true,
});

/** @param {Roll} roll @param {number} seq @param {readonly Effect[]} [effects] @returns {Roll} */
function priced(roll, seq, effects = []) {
  return effects.length ? { ...roll, spent: [...roll.spent, { seq, sort: "price", effects }] } : roll;
}

/**
 * @param {Roll} roll
 * @param {Record<string, unknown>} outcome
 * @param {readonly Effect[]|undefined} effects
 * @param {number} seq
 * @returns {Roll}
 */
function settled(roll, outcome, effects = [], seq) {
  return {
    ...roll,
    outcome: { ...outcome, effects },
    spent: [...roll.spent, { seq, sort: "settled", effects }],
  };
}

/**
 * @param {Roll} roll
 * @param {string} character
 * @param {Record<string, unknown>} given
 * @returns {Roll}
 */
function redeclared(roll, character, given) {
  if (character === roll.character) return { ...roll, declaration: given };
  const at = roll.reactions.findLastIndex((each) => each.character === character && !each.declined);
  const reactions = roll.reactions.map((each, index) => (index === at ? reaction(character, given) : each));
  return { ...roll, reactions };
}

/**
 * @param {Roll} roll
 * @param {EventOf<"dice-rolled/1">|EventOf<"dice-rerolled/1">} event
 * @param {number} seq
 * @returns {Roll}
 */
function thrown(roll, { proof, by }, seq) {
  if (proof == null) return roll;
  const next = proof.next == null ? null : { throw: proof.throw + 1, commit: proof.next, seq };
  const made = { throw: proof.throw, source: proof.source, by, confirmed: null };
  return { ...roll, commitment: next, throws: [...roll.throws, made] };
}

/** @param {Roll} roll @param {string} name @param {(hand: Hand) => Hand} change @returns {Roll} */
function withHand(roll, name, change) {
  return { ...roll, hands: roll.hands.map((hand) => (hand.name === name ? change(hand) : hand)) };
}

/** @param {readonly Thrown[]} fell @returns {Die[]} */
function firstThrown(fell) {
  /** @type {Map<string, Die>} */
  const dice = new Map();
  for (const [id, kind, face] of fell) {
    const before = dice.get(id)?.thrown ?? [];
    dice.set(id, { id, kind, thrown: [...before, face], landed: face, face, frozen: false });
  }
  return [...dice.values()];
}

/** @param {Hand} hand @param {readonly Thrown[]} fell @returns {Hand} */
function thrownAgain(hand, fell) {
  const dice = hand.dice.map((die) => {
    const faces = fell.filter(([id]) => id === die.id).map(([, , face]) => face);
    const face = faces.at(-1) ?? die.face;
    return { ...die, thrown: [...die.thrown, ...faces], landed: face, face };
  });
  return { ...hand, dice, rerolls: hand.rerolls + 1, again: [...new Set(fell.map(([id]) => id))] };
}

/** @param {Hand} hand @param {readonly AdjustedDie[]} to @returns {Hand} */
function adjusted(hand, to) {
  const faces = new Map(to);
  const dice = hand.dice.map((die) =>
    die.frozen ? die : { ...die, face: faces.get(die.id) ?? die.landed });
  return { ...hand, dice };
}
