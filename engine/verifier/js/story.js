// What people did with rolls, characters and texts: nothing here fails, and all of it is counted.

const SEQUENCE = 4;
const TRANSITIONS = 10;
const VOIDS = 13;
const HIDDEN = 15;

/** Milliseconds by which the clocks of a host and of a reader may differ. */
const AHEAD = 60_000;

/** A value's JSON, its keys in order: the same text for the same value. */
function canonical(value) {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  const pairs = Object.keys(value).sort().map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`);
  return `{${pairs.join(",")}}`;
}

const byNumber = (one, other) => one - other;

/**
 * Follows the events that are disclosed. `whole` says that the file is of a whole table, `now` is the
 * reader's clock in milliseconds since 1970.
 */
export class Story {
  constructor(report, whole, now) {
    Object.assign(this, { report, whole, now });
    this.ahead = false;
    /** The highest roll that any entry names. */
    this.highest = 0;
    this.rolls = new Map();
    this.owners = new Map();
    this.gifts = new Map();
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
    this.#again(rolls);
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

  /** Rolls declared as one before that came to nothing; what a ruling puts in its place is none. */
  #again(rolls) {
    /** By what was declared: the commits that ended such rolls. */
    const nothing = new Map();
    for (const { number, wish, character, seq, made, ended } of rolls) {
      if (!nothing.has(wish)) nothing.set(wish, new Set());
      const before = nothing.get(wish);
      if (before.size > (before.has(made) ? 1 : 0)) {
        const why = `roll ${number}: ${character} declares as before, where a roll came to nothing`;
        this.report.look(TRANSITIONS, "again", seq, why);
      }
      if (!ended || FRUITLESS.includes(ended.how)) before.add(ended?.commit ?? null);
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

  /** Hidden rolls that are not revealed, and the seats that revealed others. */
  #secrets(rolls) {
    const sealed = this.whole ? Math.max(0, this.highest - rolls.length) : 0;
    this.#sealed(sealed, "seats that are not shown here");
    const seats = new Map();
    for (const roll of rolls.filter(({ hidden }) => hidden)) {
      if (!seats.has(roll.seat)) seats.set(roll.seat, []);
      seats.get(roll.seat).push(roll);
    }
    for (const [seat, some] of [...seats].sort(([one], [other]) => (one < other ? -1 : 1))) {
      const shown = some.filter(({ revealed }) => revealed).length;
      const kept = some.length - shown;
      this.#sealed(kept, `seat ${seat}`);
      const all = `seat ${seat} revealed ${shown} of its ${some.length} hidden rolls`;
      const others = `seat ${seat} revealed ${shown} hidden, and others are not: ${sealed}`;
      const why = kept ? all : `${others}, whose is not shown here`;
      const first = Math.min(...some.map(({ seq }) => seq));
      if (shown && (kept || sealed)) this.report.look(HIDDEN, "some-hidden", first, why);
    }
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

/** An entry of a roll that everybody may see: the roll has that number, sealed or not. */
function named(it, { roll }) {
  it.highest = Math.max(it.highest, roll);
}

function declared(it, event, { seq, commit }) {
  named(it, event);
  const { roll: number, by: seat, character, declaration, follows = null } = event;
  const wish = canonical([character, follows, declaration]);
  const hidden = event.visibility !== "public";
  const known = { number, seat, character, wish, seq, made: commit, hidden };
  it.rolls.set(number, { ...known, revealed: false, thrown: 0, ended: null });
}

function revealed(it, event) {
  named(it, event);
  const roll = it.rolls.get(event.roll);
  if (roll) roll.revealed = true;
}

function thrown(it, event) {
  const roll = it.rolls.get(event.roll);
  if (!roll) return;
  roll.thrown++;
  const gift = it.gifts.get(event.character ?? roll.character);
  if (gift && gift.to === event.by && roll.seq < gift.seq) gift.thrown = event.roll;
}

/** How a roll stands after an event; one that its own seat voids before any dice is withdrawn. */
const ends = (how) => (it, event, { commit }) => {
  const roll = it.rolls.get(event.roll);
  if (!roll) return;
  const back = how === "voided" && roll.seat === event.by && roll.thrown === 0;
  roll.ended = { how: back ? "withdrawn" : how, commit };
};

function entered(it, { character, seat }) {
  it.owners.set(character, seat);
}

function given(it, { character, seat }, { seq }) {
  it.report.count("given", seq);
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
  "throw-asked/1": named,
  "dice-rolled/1": thrown,
  "dice-rerolled/1": thrown,
  "roll-resolved/1": ends("resolved"),
  "roll-voided/2": ends("voided"),
  "roll-revealed/1": revealed,
  "declaration-vetoed/1": ends("vetoed"),
  "declaration-replaced/1": ends(""),
  "character-entered/1": entered,
  "character-given/1": given,
  "entry-erased/1": (it, _, { seq }) => it.report.count("erased", seq),
};
