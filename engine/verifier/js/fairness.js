// Step 16: whether the fair dice fell as fair dice do, and whether voids select. It finds, and never fails.

import { nullOf, Sort } from "./eprocess.js";

const FAIRNESS = 16;

/** How much each question counts in the verdict on the whole; that on seats is shared by their order. */
const WEIGHT = 0.25;

/** Dice are kept when so many later rolls have thrown, and their roll is not voided by then. */
const LATER = 10;

/** How many rolls later a void still finds a roll's dice. */
const REMEMBERED = 1_000;

/** The log10 of E from which people should look closer, and from which to raise the alarm. */
const [LOOK, ALARM] = [2, 4];

const SORTS = {
  thrown: "fair dice of all throws",
  kept: "dice of rolls that were kept",
  voided: "dice of voided rolls",
};

/** The kinds of dice of a table by their faces, each null made when the first of its dice falls. */
class Kinds {
  made = new Map();

  constructor(faces) {
    this.faces = faces;
    this.size = Object.keys(faces).length;
  }

  /** The null of a kind; null where there is none. */
  of(kind) {
    if (!Object.hasOwn(this.faces, kind)) return null;
    if (!this.made.has(kind)) this.made.set(kind, nullOf(this.faces[kind]));
    return this.made.get(kind);
  }
}

/** How often each face of each kind fell: [kind, face, count] each, the first that fell first. */
function counted(dice) {
  const found = new Map();
  for (const [kind, face, count] of dice) {
    const name = JSON.stringify([kind, face]);
    found.set(name, [kind, face, (found.get(name)?.[2] ?? 0) + count]);
  }
  return [...found.values()];
}

/** The oldest of a map that is too large is gone. */
function forget(map) {
  if (map.size >= REMEMBERED) map.delete(map.keys().next().value);
}

/** The figures of one table while its events pass by; `facts` are those of fold.js. */
export class Fairness {
  constructor(report, facts) {
    Object.assign(this, { report, facts, sorts: null });
    this.seats = new Map();
    this.rolls = new Map();
    this.waiting = [];
    this.untested = new Map();
    this.strange = 0;
  }

  /** One more event, null where it is not disclosed; the table is opened by the first. */
  take(event) {
    if (event === null || this.facts.faces === null) return;
    if (this.sorts === null) {
      this.kinds = new Kinds(this.facts.faces);
      const sorts = Object.keys(SORTS).map((name) => [name, new Sort(this.kinds)]);
      this.sorts = Object.fromEntries(sorts);
    }
    ACTS[event.type]?.(this, event);
  }

  /** A roll that throws its first fair dice; what became of one some rolls ago is counted. */
  begin(number) {
    this.waiting.push(number);
    if (this.waiting.length > LATER) {
      const kept = this.rolls.get(this.waiting.shift());
      if (kept) this.sorts.kept.take(kept.dice);
    }
    forget(this.rolls);
    const roll = { dice: [] };
    this.rolls.set(number, roll);
    return roll;
  }

  /** Report the figures: the worst verdict is that people should look closer. */
  end() {
    const { report, sorts, facts } = this;
    if (sorts === null) {
      const why = facts.facesWhy || "the table's opening is missing";
      report.unchecked(FAIRNESS, null, `the dice cannot be counted: ${why}`);
      return;
    }
    const { dice } = sorts.thrown;
    const [most, about] = this.#strongest();
    const words = this.#worded(dice, most, about);
    report.looked(FAIRNESS, dice);
    report.say(FAIRNESS, words);
    if (dice && most >= LOOK) report.finding(FAIRNESS, null, words, "dice");
  }

  /** Log10 of the largest E of any sort of dice times its weight, 0 at least; and whose that is. */
  #strongest() {
    const weighed = (sort, weight) => sort.most / Math.LN10 + Math.log10(weight);
    const found = Object.entries(this.sorts).map(([name, sort]) => [weighed(sort, WEIGHT), SORTS[name]]);
    for (const [at, [seat, sort]] of [...this.seats].entries()) {
      found.push([weighed(sort, WEIGHT / ((at + 1) * (at + 2))), `dice of seat ${seat}`]);
    }
    const [most, about] = found.reduce((one, other) => (other[0] > one[0] ? other : one));
    return [Math.max(0, most), about];
  }

  #worded(dice, most, about) {
    const named = ([source, n]) => `; ${n.toLocaleString("en")} ${source} dice are not tested`;
    const aside = [...this.untested].sort().map(named);
    const strange = this.strange.toLocaleString("en");
    if (this.strange) aside.push(`; ${strange} show what no such die has, so the log is not sound`);
    if (!dice) return `No fair dice, so there is nothing to test${aside.join("")}.`;
    const fair = `${dice.toLocaleString("en")} fair ${dice === 1 ? "die" : "dice"}`;
    const p = Number(Math.min(1, 10 ** -most).toPrecision(2));
    if (most < LOOK) return `${fair}: nothing unusual (p = ${p})${aside.join("")}.`;
    const says = `${fair}: ${most < ALARM ? "look closer" : "alarm"}${aside.join("")}.`;
    const rounded = Number((10 ** most).toPrecision(2)).toLocaleString("en");
    const tables = most < 15 ? rounded : `10^${most.toFixed(0)}`;
    return `${says} By luck the ${about} come this far at one table in ${tables} at most.`;
  }
}

function thrown(it, { by, roll: number, dice, proof = null }) {
  if (proof === null) return; // taken over, or a throw of no dice
  if (proof.source !== "fair") {
    it.untested.set(proof.source, (it.untested.get(proof.source) ?? 0) + dice.length);
    return;
  }
  const known = dice.filter(([, kind, face]) => it.kinds.of(kind)?.places.has(face));
  it.strange += dice.length - known.length;
  if (known.length === 0) return;
  const fallen = counted(known.map(([, kind, face]) => [kind, face, 1]));
  if (!it.seats.has(by)) it.seats.set(by, new Sort(it.kinds));
  const roll = it.rolls.get(number) ?? it.begin(number);
  it.sorts.thrown.take(fallen);
  it.seats.get(by).take(fallen);
  roll.dice = counted([...roll.dice, ...fallen]);
}

function voided(it, { roll: number }) {
  const roll = it.rolls.get(number);
  if (!roll) return; // nothing fair was thrown in it
  it.rolls.delete(number);
  it.sorts.voided.take(roll.dice);
}

const ACTS = { "dice-rolled/1": thrown, "dice-rerolled/1": thrown, "roll-voided/2": voided };
