// What people decided, with their reasons; what was erased; what was kept hidden.

import { isHidden, isText } from "./commits.js";

const PAYLOADS = 5;
const RULINGS = 14;
const HIDDEN = 15;

const DECISIONS = {
  "dispute-raised/1": () => "disputed it",
  "ruling-made/2": (event) => `ruled "${event.ruling}" on the dispute of entry ${event.dispute}`,
  "roll-amended/2": (event) => `amended what ${event.character} had declared`,
  "declaration-vetoed/1": () => "vetoed the declaration",
  "declaration-replaced/1": () => "replaced the declaration",
};

/** What else than a correction it is counted as. */
const COUNTED = { "dispute-raised/1": "dispute", "ruling-made/2": "ruling" };

/** The version of the core's rules from which on a ruling is done in its own commit. */
const DEEDS_SINCE = 3;

/** What a ruling does to its own roll, and to the one that comes instead. */
const DEEDS = {
  stands: [[], []],
  amend: [["roll-amended/2"], []],
  void: [["roll-voided/2"], []],
  replay: [["roll-voided/2"], ["roll-declared/2"]],
};

/** Deeds in words; damage that is announced again follows from one. */
const DONE = {
  "roll-amended/2": "an amendment",
  "roll-voided/2": "a void",
  "roll-declared/2": "a declaration",
};

/** What is wrong with the events behind a ruling, [why, expected, found], or null. */
function undone({ roll, ruling, instead = null }, others, whole) {
  if ((instead !== null) !== (ruling === "replay")) {
    const wants = ruling === "replay" ? "its number" : "none";
    return ["a replay alone names the roll that comes instead", wants, instead];
  }
  for (const [at, number] of [roll, instead].entries()) {
    const kinds = DEEDS[ruling][at];
    const deeds = others.filter((each) => each.roll === number && each.type in DONE);
    const types = deeds.map(({ type }) => type);
    const same = types.length === kinds.length && types.every((type, i) => type === kinds[i]);
    if (!same && (whole || types.some((type) => !kinds.includes(type)))) {
      const why = `what was ruled, "${ruling}", is not what its commit does to roll ${number}`;
      return [why, worded(kinds), worded(types)];
    }
  }
  if (ruling !== "replay" && others.some(({ type }) => type === "roll-declared/2"))
    return ["only a replay declares a roll", "no declaration", "a declaration"];
  return null;
}

const worded = (types) => types.map((type) => DONE[type]).join(" and ") || "nothing";

/** Follows decisions and erasures; each may concern an entry far before it. */
export class People {
  constructor(report) {
    this.report = report;
    this.decisions = [];
    /** The commit of the entry before, and the decision that begins it, null where none does. */
    this.commit = null;
    this.current = null;
    this.core = 0;
    this.erased = new Map();
    this.opened = new Set();
    this.withheld = new Map();
    this.hidden = 0;
  }

  /** An entry, with its event where that is disclosed and could be read. */
  take(entry, event) {
    const { seq, commit } = entry;
    if (isHidden(entry.class)) this.hidden++;
    if (entry.payload === undefined) this.withheld.set(seq, entry.class);
    else this.opened.add(seq);
    if (seq === 0 && event?.type === "table-opened/3") this.core = event.core;
    if (event?.type === "entry-erased/1") this.#erase(seq, event);
    const begins = commit !== this.commit;
    this.commit = commit;
    if (!begins) this.#goOn(entry, event);
    else if (!(event?.type in DECISIONS)) this.current = null;
    else this.decisions.push((this.current = { seq, event, others: [], whole: true }));
  }

  /** What follows from a decision, in its commit, has no reason of its own: the last text is that. */
  #goOn(entry, event) {
    const { current } = this;
    if (current === null) return;
    current.reason = isText(entry.class) ? (event?.text ?? null) : undefined;
    if (isText(entry.class)) return;
    if (event) current.others.push(event);
    else current.whole = false;
  }

  #erase(seq, { seq: gone }) {
    this.report.looked(PAYLOADS);
    if (gone >= seq || gone < 0) {
      this.report.fail(PAYLOADS, seq, "an erasure of no earlier entry", `below ${seq}`, gone);
    } else if (this.opened.has(gone)) {
      const [why, found] = [`erased by entry ${seq}, but still there`, "salt and payload"];
      this.report.fail(PAYLOADS, gone, why, "neither salt nor payload", found);
    } else if (this.withheld.has(gone) && !isText(this.withheld.get(gone))) {
      const why = `entry ${gone} is erased, which is no text`;
      this.report.fail(PAYLOADS, seq, why, "class text or hidden-text", this.withheld.get(gone));
    }
    this.erased.set(gone, seq);
  }

  /** Checks that need every entry. */
  end() {
    for (const [seq, kind] of this.withheld) {
      if (!isHidden(kind) && !this.erased.has(seq)) {
        const why = `an entry of class ${kind} is withheld, and no later one erased it`;
        this.report.fail(PAYLOADS, seq, why, "salt and payload", "neither");
      }
    }
    this.decisions.forEach((decision) => this.#judge(decision));
    const count = this.decisions.length;
    this.report.say(RULINGS, count ? `${count} decided, listed below` : "nobody decided anything");
    this.#countHidden();
  }

  #judge({ seq, event, reason, others, whole }) {
    this.report.looked(RULINGS);
    this.report.count(COUNTED[event.type] ?? "correction", seq);
    const ruled = event.type === "ruling-made/2" && this.core >= DEEDS_SINCE;
    const wrong = ruled ? undone(event, others, whole) : null;
    if (wrong) this.report.fail(RULINGS, seq, ...wrong);
    const text = `roll ${event.roll}: ${event.by} ${DECISIONS[event.type](event)}`;
    if (reason === undefined) this.report.finding(RULINGS, seq, `${text}, without a reason`, "no-reason");
    else if (reason === null) this.report.note(RULINGS, seq, `${text}; the reason is erased or hidden`);
    else this.report.note(RULINGS, seq, `${text}: ${reason}`);
  }

  #countHidden() {
    this.report.looked(HIDDEN, this.hidden);
    const undisclosed = ([seq, kind]) => isHidden(kind) && !this.erased.has(seq);
    const kept = [...this.withheld].filter(undisclosed).length;
    if (kept) this.report.sealed(HIDDEN, null, `${kept} hidden entries are not disclosed`);
    const summary = this.hidden ? `${this.hidden} hidden, ${kept} not disclosed` : "nothing was hidden";
    this.report.say(HIDDEN, summary);
  }
}
