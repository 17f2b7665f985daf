// The throws of every roll in log order: what was committed and asked for, and what fell.

import { anchored, asked, asPlanned, broken, opened } from "./asks.js";
import { isHash } from "./bytes.js";
import { checkDice, checkNonces, checkSeed } from "./proofs.js";
import { Shares } from "./shares.js";
import { throwId } from "./throw.js";
import { Uses } from "./uses.js";
import { voided } from "./voids.js";

const THROWS = 6;
const REUSE = 12;
const HIDDEN = 15;

/** Follows the events that throws depend on; `facts` are those of fold.js. */
export class Rolls {
  constructor(report, facts, seats, { whole, subject }) {
    this.report = report;
    this.facts = facts;
    this.shares = new Shares(this, seats, whole);
    this.subject = whole ? null : subject;
    this.rolls = new Map();
    this.uses = new Uses(report);
    this.epochs = 0;
    /** The entry of the latest epoch: it publishes every commitment that waits, and is open. */
    this.since = -1;
  }

  /** One disclosed event, at its place, with its entry's leaf as hex. */
  take(event, { seq, at, commit, class: kind }, leaf) {
    if (this.#isOther(event) && (seq !== commit || !CHANGES[event.type])) return;
    if (event.roll !== undefined && event.type !== "roll-declared/2" && !OPEN.has(event.type)) {
      if (!this.declared(event.roll)) {
        const why = `roll ${event.roll} was never declared`;
        this.report.fail(THROWS, seq, why, "roll-declared/2 before", event.type);
      }
    }
    const change = CHANGES[event.type];
    if (event.roll !== undefined && event.type !== "roll-declared/2") this.roll(event.roll).entries++;
    if (change) change(this, event, { seq, leaf, at, commit, class: kind });
  }

  /** Whether an event is of a roll that the file is not about, here for its commit alone. */
  #isOther({ roll, type }) {
    const { subject, rolls } = this;
    const known = roll === undefined || roll === subject || rolls.has(roll);
    return subject !== null && type !== "roll-declared/2" && !known;
  }

  /** Checks that need every entry. */
  end() {
    this.shares.end();
    this.uses.end();
    for (const roll of this.rolls.values()) {
      if (!roll.revealed) continue;
      if (roll.shadow) {
        const why = `roll ${roll.number} was revealed, but its declaration is not in the file`;
        this.report.finding(HIDDEN, roll.revealed, why, "not-shown");
      } else if (roll.gap !== null) {
        const why = `roll ${roll.number} was revealed, but not all of it is disclosed`;
        this.report.fail(THROWS, roll.gap, why, "every throw", "a gap before this entry");
      }
    }
  }

  get fair() {
    return this.facts.source === "fair";
  }

  /** Whether the declaration of a roll is disclosed. */
  declared(number) {
    return this.rolls.has(number) && !this.rolls.get(number).shadow;
  }

  /** The roll an event is about; one whose declaration is not disclosed is known by number alone. */
  roll(number) {
    if (!this.rolls.has(number)) {
      const shadow = newRoll({ roll: number, by: null, visibility: "gm" });
      this.rolls.set(number, { ...shadow, shadow: true });
    }
    return this.rolls.get(number);
  }

  /** Whether entries that are not disclosed may be about this roll. */
  mayHide(roll) {
    return roll.visibility !== "public" && roll.revealed === null;
  }

  /** The roll has come to throw `number`, or step 6 fails: who is shown a throw is shown all before. */
  reach(roll, number, seq) {
    if (number === roll.throws) return true;
    const why = `throw ${number} of roll ${roll.number} is not the next one`;
    this.report.fail(THROWS, seq, why, `throw ${roll.throws}`, `throw ${number}`);
    return false;
  }

  /** A throw answers the outstanding commitment, or step 6 fails. */
  answers(roll, number, committed, { seq, commit }, what) {
    const inOrder = this.reach(roll, number, seq);
    const open = roll.outstanding;
    if (open?.seq === committed && open.seq >= commit) {
      const why = `${what} answers a commitment of its own commit`;
      this.report.fail(THROWS, seq, why, `an entry before ${commit}`, `entry ${committed}`);
    } else if (open?.seq === committed) {
      if (open.epoch === this.epochs) return inOrder;
      const why = `${what} answers a commitment from before the latest epoch`;
      this.report.fail(THROWS, seq, why, "a commitment of that epoch", `entry ${committed}`);
    } else {
      const why = `${what} does not answer the outstanding commitment`;
      const expected = open ? `entry ${open.seq}` : "none is outstanding";
      this.report.fail(THROWS, seq, why, expected, `entry ${committed ?? "none"}`);
    }
    return inOrder;
  }

  /** Whether an ask may answer a commitment in an earlier entry that is not disclosed. */
  mayAnswer(roll, number, committed, seq) {
    const behind = number >= roll.throws && committed < seq - 1;
    const known = committed < this.since || this.facts.disclosed.has(committed);
    return behind && !known && this.mayHide(roll);
  }

  /** Note the commitment to a throw; where it should be published and is not, step 6 fails. */
  publish(roll, number, commit, { seq, leaf }) {
    roll.outstanding = null;
    if (isHash(commit)) {
      roll.outstanding = { number, commit, seq, leaf, epoch: this.epochs };
    } else {
      const why = `throw ${number} of roll ${roll.number} is not committed to`;
      this.report.fail(THROWS, seq, why, "64 hex digits", commit ?? "nothing");
    }
  }
}

const newRoll = ({ roll, by, visibility, level, follows }) => ({
  ...{ number: roll, seat: by, visibility, level: level ?? null, follows: follows ?? null },
  ...{ shadow: false, revealed: null, voided: false, gap: null },
  ...{ throws: 0, outstanding: null, entries: 0 },
});

function declared(it, event, where) {
  if (it.declared(event.roll)) {
    const why = `roll ${event.roll} is declared a second time`;
    it.report.fail(THROWS, where.seq, why, "a new number", event.roll);
  }
  const roll = { ...newRoll(event), entries: 1, listed: it.facts.listed };
  it.rolls.set(event.roll, roll);
  if (it.fair) {
    it.publish(roll, 0, event.commit, where);
  } else if (event.commit != null) {
    const why = `dice that are ${it.facts.source} are committed to`;
    it.report.fail(THROWS, where.seq, why, "nothing", event.commit);
  }
}

function epoch(it, event, where) {
  it.epochs++;
  it.since = where.seq;
  it.shares.epoch();
  const restored = `epoch ${event.epoch} begins: the host says that the log was restored`;
  it.report.look(THROWS, "epoch", where.seq, restored);
  if (event.epoch !== it.epochs) {
    it.report.fail(THROWS, where.seq, "epochs count from 1", it.epochs, event.epoch);
  }
  for (const [number, count, commit] of event.commits) {
    const roll = it.roll(number);
    // How a hidden roll came so far need not be disclosed, nor be in this file.
    const behind = roll.shadow || (it.mayHide(roll) && count >= roll.throws);
    if (!behind && roll.outstanding?.number !== count) {
      const why = `throw ${count} of roll ${number} is not outstanding`;
      it.report.fail(THROWS, where.seq, why, roll.outstanding?.number ?? "none", count);
    }
    it.publish(roll, count, commit, where);
    roll.throws = count;
  }
}

function thrown(it, event, where) {
  const roll = it.roll(event.roll);
  const proof = event.proof ?? null;
  if (proof === null) {
    unproved(it, event, roll, where.seq);
    return;
  }
  if (proof.source !== "fair") it.shares.levels.counts.other++;
  const failures = it.report.failures;
  const shown = listed(it, event, roll, where);
  if (proof.source !== it.facts.source.split(":")[0]) {
    const why = "the dice are of another source than the table's";
    it.report.fail(THROWS, where.seq, why, it.facts.source, proof.source);
  } else if (proof.source === "fair") {
    shown.verdict = fairly(it, event, roll, where);
  } else {
    if (it.reach(roll, proof.throw, where.seq)) roll.throws = proof.throw + 1;
    if (proof.source === "seeded") shown.verdict = fromFixture(it, event, roll, where);
  }
  if (it.report.failures > failures) shown.verdict = "fail";
}

/** Dice that carry no proof must be none at all, or taken over from the roll that is followed. */
function unproved(it, event, roll, seq) {
  if (event.dice.length === 0) return;
  const parent = roll.follows ? roll.follows[0] : "none";
  const taken = event.taken ?? "none";
  if (taken === "none") {
    it.report.fail(THROWS, seq, "dice were thrown without a proof", "a proof", "none");
  } else if (taken !== parent && !roll.shadow) {
    it.report.fail(THROWS, seq, "dice are taken from a roll not followed", parent, taken);
  }
}

/** The level at which fair dice fell; null of others. */
function levelOf(it, event) {
  if (event.proof.source !== "fair") return null;
  return it.shares.of(event) ? "table" : (event.proof.nonce ?? null) === null ? "server" : "player";
}

/** A line for the table of throws; its verdict is that of the dice until something else fails. */
function listed(it, event, roll, { seq, at }) {
  const { throw: number, source } = event.proof;
  const kind = event.type === "dice-rolled/1" ? "throw" : "reroll";
  const named = { roll: event.roll, throw: number, seq, at, by: event.by, hand: event.hand, kind };
  const shown = { ...named, source, level: levelOf(it, event), dice: event.dice };
  it.facts.throws.push(shown);
  return Object.assign(shown, { verdict: "not-applicable" });
}

function fairly(it, event, roll, where) {
  const proof = event.proof;
  const id = throwId(it.facts.table, event.roll, proof.throw);
  const { seq } = where;
  it.report.looked(THROWS);
  const inOrder = it.answers(roll, proof.throw, proof.committed, where, id);
  const ask = it.shares.of(event);
  checkSeed(it, roll, proof, id, seq);
  checkNonces(it, roll, event, ask, seq);
  const verdict = checkDice(it, roll, event, id, seq, ask);
  it.uses.take("seed", proof.seed, id, seq);
  if (isHash(proof.nonce) && /^(..)\1*$/.test(proof.nonce)) {
    it.report.finding(REUSE, seq, `the nonce of ${id} is one byte over and over`, "nonce");
  }
  if (ask === null) it.uses.take("nonce", proof.nonce, id, seq);
  else asPlanned(it, ask, event, seq);
  it.shares.thrown(ask);
  if (inOrder) roll.throws = proof.throw + 1;
  it.publish(roll, roll.throws, proof.next, where);
  return verdict;
}

function fromFixture(it, event, roll, { seq }) {
  const proof = event.proof;
  it.report.looked(THROWS);
  for (const name of ["committed", "nonce", "next"]) {
    if (proof[name] != null) {
      it.report.fail(THROWS, seq, `seeded dice take no ${name}`, "none", proof[name]);
    }
  }
  return checkDice(it, roll, event, throwId(it.facts.table, event.roll, proof.throw), seq);
}

function revealed(it, event, { seq }) {
  const roll = it.roll(event.roll);
  roll.revealed ??= seq;
  const known = roll.entries - 1; // without this one
  if (it.subject !== null || known >= (event.entries ?? 0)) return;
  const why = `roll ${roll.number} was revealed, and entries of it are kept back`;
  it.report.fail(HIDDEN, seq, why, `${event.entries} entries`, `${known} that can be read`);
}

/** Events that are open to all, of hidden rolls too. */
const OPEN = new Set([
  ...["throw-asked/1", "share-opened/1", "throw-broken/1", "roll-revealed/2"],
]);

/** A reading is set: its faces hold in rolls that are declared later. */
function reading({ facts }, event) {
  if (facts.listed !== null) facts.listed = { ...facts.listed, ...event.faces };
}

const CHANGES = {
  "reading-set/1": reading,
  "roll-declared/2": declared,
  "epoch-begun/1": epoch,
  "share-anchored/1": anchored,
  "throw-asked/1": asked,
  "share-opened/1": opened,
  "throw-broken/1": broken,
  "dice-rolled/1": thrown,
  "dice-rerolled/1": thrown,
  "roll-revealed/2": revealed,
  "roll-voided/2": voided,
};
