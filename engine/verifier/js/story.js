// What people did with rolls, characters and texts: nothing here fails, and all of it is counted.

import { COUNTED } from "./faces.js";

const SEQUENCE = 4;
const TRANSITIONS = 10;
const VOIDS = 13;
const HIDDEN = 15;

/** Milliseconds by which the clocks of a host and of a reader may differ. */
const AHEAD = 60_000;

/** Seats with anchors, of which one is the roller's: then another one is asked for each throw. */
const ENOUGH = 2;

/** A value's JSON, its keys in order: the same text for the same value. */
function canonical(value) {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  const pairs = Object.keys(value).sort().map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`);
  return `{${pairs.join(",")}}`;
}

const byNumber = (one, other) => one - other;

/**
 * Follows the events that are disclosed, behind the fold of the log. `whole` says that the file is of
 * a whole table, `now` is the reader's clock in milliseconds since 1970.
 */
export class Story {
  constructor(report, { facts, seats }, whole, now) {
    Object.assign(this, { report, facts, seats, whole, now });
    this.ahead = false;
    /** The highest roll that any entry names. */
    this.highest = 0;
    this.rolls = new Map();
    this.owners = new Map();
    this.gifts = new Map();
    /** By character the entry in which it was given last. */
    this.givenIn = new Map();
    /** The latest ask for shares, until an epoch ends it. */
    this.ask = null;
    /** Seats that kept a share back; and the last entry at which nobody else could be asked. */
    this.keptBack = new Set();
    this.unwatched = -1;
  }

  /** One more entry, with its event where that is disclosed and could be read. */
  take({ seq, at, commit }, event) {
    if (!this.ahead && at > this.now + AHEAD) {
      this.ahead = true;
      this.report.look(SEQUENCE, "clock", seq, "it is later than the clock of this device");
    }
    if (event !== null) ACTS[event.type]?.(this, event, { seq, commit });
  }

  /** Count what only the end shows. */
  end() {
    const rolls = [...this.rolls.values()].sort((one, other) => one.number - other.number);
    this.#again(rolls.filter((roll) => this.#wasTried(roll)));
    this.#voids(rolls);
    const count = (kind, some) => {
      for (const { ended, seq } of some) this.report.count(kind, ended?.commit ?? seq);
    };
    const without = rolls.filter(({ thrown }) => thrown === 0);
    count("withdrawn", without.filter(({ ended }) => ended?.how === "withdrawn"));
    count("early-void", without.filter(({ ended }) => ended?.how === "voided"));
    count("lying", rolls.filter(isOpen));
    this.#secrets(rolls);
  }

  /**
   * Whether a roll stands, or somebody could know its dice when it came to nothing. At level player the
   * host can, who has the nonce; but what its own seat withdraws, its own client knows of.
   */
  #wasTried(roll) {
    const { level, ended, dice } = roll;
    if (!isVain(roll) || dice !== null) return true;
    const known = isOpen(roll) ? levelNow(this, roll) : level;
    return known === "server" || (known === "player" && ended?.how !== "withdrawn");
  }

  /**
   * The next roll declared as one that came to nothing; what a ruling puts in its place is none. Where
   * none comes later: one of before that waited until these dice could be known.
   */
  #again(rolls) {
    const wishes = new Map();
    for (const roll of rolls) {
      if (!wishes.has(roll.wish)) wishes.set(roll.wish, []);
      wishes.get(roll.wish).push(roll);
    }
    const found = new Set();
    for (const same of wishes.values()) {
      same.forEach((first, place) => {
        if (!isVain(first)) return;
        const known = first.dice ?? first.seq;
        const waited = ({ ended }) => ended?.how === "resolved" && ended.commit > known;
        const other = same[place + 1] ?? same.slice(0, place).find(waited);
        if (other && first.ended?.commit !== other.made) found.add(other);
      });
    }
    for (const { number, character, seq } of [...found].sort((one, two) => one.number - two.number)) {
      const why = `roll ${number}: ${character} declares as before, where a roll came to nothing`;
      this.report.look(TRANSITIONS, "again", seq, why);
    }
  }

  /** Commits that voided rolls whose dice lay there. */
  #voids(rolls) {
    const late = new Map();
    for (const { number, thrown, ended } of rolls) {
      if (ended?.how === "voided" && thrown > 0) late.set(ended.commit, number);
    }
    for (const commit of [...late.keys()].sort(byNumber)) {
      const why = `roll ${late.get(commit)} is voided after its dice, one of ${late.size}`;
      if (late.size === 1) this.report.count("late-void", commit);
      else this.report.look(VOIDS, "voids", commit, why);
    }
  }

  /**
   * Hidden rolls that are not revealed, and the seats that revealed another when they had some. What is
   * thrown after the last reveal was not passed over for it.
   */
  #secrets(rolls) {
    this.#sealed(this.#unknown(rolls, this.highest), "seats that are not shown here");
    const seats = new Map();
    for (const roll of rolls.filter(({ hidden }) => hidden)) {
      if (!seats.has(roll.seat)) seats.set(roll.seat, []);
      seats.get(roll.seat).push(roll);
    }
    for (const [seat, some] of [...seats].sort(([one], [other]) => (one < other ? -1 : 1))) {
      const shown = some.filter(({ revealed }) => revealed !== null);
      const kept = some.filter(({ revealed }) => revealed === null);
      this.#sealed(kept.length, `seat ${seat}`);
      if (!shown.length) continue;
      const last = Math.max(...shown.map(({ revealed }) => revealed));
      const sealed = this.#unknownAt(rolls, last);
      const passed = kept.some(({ dice, seq }) => (dice ?? seq) < last);
      const all = `seat ${seat} revealed ${shown.length} of its ${some.length} hidden rolls`;
      const others = `seat ${seat} revealed ${shown.length} hidden, and others are not: ${sealed}`;
      const why = passed ? all : `${others}, whose is not shown here`;
      const first = Math.min(...some.map(({ seq }) => seq));
      if (passed || sealed) this.report.look(HIDDEN, "some-hidden", first, why);
    }
  }

  /** How many rolls up to that number are not disclosed: rolls count without gaps. */
  #unknown(rolls, highest) {
    const known = rolls.filter(({ number }) => number <= highest).length;
    return this.whole ? Math.max(0, highest - known) : 0;
  }

  /** How many of them may be of before that entry: what counts behind a later one is not. */
  #unknownAt(rolls, entry) {
    const later = rolls.find(({ seq }) => seq > entry);
    return this.#unknown(rolls, later ? later.number - 1 : this.highest);
  }

  #sealed(count, by) {
    if (!count) return;
    this.report.note(HIDDEN, null, `hidden rolls by ${by} that are not revealed: ${count}`);
    this.report.count("hidden", null, count);
  }
}

/** How a roll ends that may be declared once more for better dice. */
const FRUITLESS = ["", "voided", "withdrawn"];

const isOpen = ({ ended }) => !ended || ended.how === "";

const isVain = (roll) => isOpen(roll) || FRUITLESS.includes(roll.ended.how);

/** The level of a roll: what waited when nobody else could be asked counts as at level player. */
const levelNow = (it, { level, seq }) => (level === "table" && seq <= it.unwatched ? "player" : level);

/** An entry of a roll that everybody may see: the roll has that number, sealed or not. */
function named(it, { roll }) {
  it.highest = Math.max(it.highest, roll);
}

function declared(it, event, { seq, commit }) {
  named(it, event);
  const { roll: number, by: seat, character, declaration, follows = null } = event;
  const wish = canonical([character, follows, declaration]);
  const hidden = event.visibility !== "public";
  const known = { number, seat, character, wish, seq, made: commit, hidden, level: levelOf(it, event) };
  seated(it, event, { seq });
  it.rolls.set(number, { ...known, revealed: null, dice: null, thrown: 0, ended: null });
}

/** Who may know its dice before they fall; of what is not all in the file, anybody. */
function levelOf({ facts, whole }, { level, visibility }) {
  if (!whole || visibility !== "public" || facts.source !== "fair") return "server";
  return level ?? (facts.core >= COUNTED && facts.level === "player" ? "table" : facts.level);
}

/** Note where nobody else can be asked for a share; who kept one back is not counted. */
function seated(it, _, { seq }) {
  const others = it.seats.anchored("").filter((id) => !it.keptBack.has(id));
  if (others.length < ENOUGH || it.facts.oneMachine) it.unwatched = seq;
}

function began(it, event, place) {
  it.ask = null;
  seated(it, event, place);
}

function broken(it, event, place) {
  for (const seat of event.kept) it.keptBack.add(seat);
  seated(it, event, place);
}

function asked(it, event, { seq }) {
  named(it, event);
  cast(it.rolls.get(event.roll), seq);
  it.ask = event;
}

/** Whether a seat was asked for its share of a throw. */
function wasAsked({ ask }, seat, { roll, proof }) {
  if (ask?.roll !== roll || ask.throw !== proof?.throw) return false;
  return ask.asked.some(([id]) => id === seat);
}

/** From here on the dice of a roll may be known: they are asked for, or lie. */
function cast(roll, seq) {
  if (roll) roll.dice ??= seq;
}

function revealed(it, event, { seq }) {
  named(it, event);
  const roll = it.rolls.get(event.roll);
  if (roll) roll.revealed ??= seq;
}

function thrown(it, event, { seq }) {
  const roll = it.rolls.get(event.roll);
  if (!roll) return;
  cast(roll, seq);
  roll.thrown++;
  const gift = it.gifts.get(event.character ?? roll.character);
  const evades = gift && !wasAsked(it, gift.of, event);
  if (evades && gift.to === event.by && roll.seq < gift.seq) gift.thrown = event.roll;
}

/** How a roll stands after an event; one that its own seat voids before any dice is withdrawn. */
const ends = (how) => (it, event, { commit }) => {
  const roll = it.rolls.get(event.roll);
  if (!roll) return;
  const back = how === "voided" && roll.seat === event.by && roll.thrown === 0;
  roll.ended = { how: back ? "withdrawn" : how, commit };
  roll.level = levelNow(it, roll);
  // Another seat that had the character meanwhile may have sent a nonce.
  const given = (it.givenIn.get(roll.character) ?? -1) > roll.seq;
  if (given && roll.level !== "table") roll.level = "server";
};

function entered(it, { character, seat }) {
  it.owners.set(character, seat);
}

function given(it, { character, seat }, { seq }) {
  it.report.count("given", seq);
  it.givenIn.set(character, seq);
  const gift = it.gifts.get(character);
  if (gift && gift.thrown !== null && gift.of === seat) {
    const first = `${character} was given to seat ${gift.to} in entry ${gift.seq}`;
    const why = `${first}, thrown for in roll ${gift.thrown}, and is given back to seat ${seat}`;
    it.report.look(TRANSITIONS, "given-back", seq, why);
  }
  it.gifts.set(character, { of: it.owners.get(character) ?? null, to: seat, seq, thrown: null });
  it.owners.set(character, seat);
}

const ACTS = {
  "roll-declared/2": declared,
  "throw-asked/1": asked,
  "throw-broken/1": broken,
  "dice-rolled/1": thrown,
  "dice-rerolled/1": thrown,
  "roll-resolved/1": ends("resolved"),
  "roll-voided/2": ends("voided"),
  "roll-revealed/2": revealed,
  "declaration-vetoed/1": ends("vetoed"),
  "declaration-replaced/1": ends(""),
  "seat-taken/2": seated,
  "seat-left/1": seated,
  "share-anchored/1": seated,
  "epoch-begun/1": began,
  "character-entered/1": entered,
  "character-given/1": given,
  "entry-erased/1": (it, _, { seq }) => it.report.count("erased", seq),
};
