// The entries of a log in their order, an entry in, verdicts out: all that needs no signed head.

import { fromHex, hexOf, utf8 } from "./bytes.js";
import { Commits } from "./commits.js";
import { digestOf, entryText, leafOf } from "./entry.js";
import { readPayload } from "./events.js";
import { COUNTED, facesOf } from "./faces.js";
import { Roots } from "./merkle.js";
import { People } from "./people.js";
import { Rolls } from "./rolls.js";
import { Seats } from "./seats.js";

const [PARSE, SEQUENCE, PAYLOADS] = [1, 4, 5];
const ABOUT_THROWS = [6, 7, 8, 9, 12, 13];

/**
 * An entry with what its bytes alone say: {entry, leaf, digest, read, problem}. The last three are
 * null where it is sealed; `read` is {asked, event}, or null where `problem` says why not.
 */
export function unsealed(entry) {
  const { seq, at, payload } = entry;
  const leaf = leafOf(entryText(seq, at, entry.class, entry.digest));
  if (payload === undefined) return { entry, leaf, digest: null, read: null, problem: null };
  const digest = hexOf(digestOf(fromHex(entry.salt), utf8(payload)));
  try {
    return { entry, leaf, digest, read: readPayload(payload), problem: null };
  } catch (error) {
    return { entry, leaf, digest, read: null, problem: error.message };
  }
}

/** The leaves of all entries so far, 32 bytes each, by their sequence. */
class Leaves {
  places = new Map();
  bytes = new Uint8Array(32 * 1024);

  keep(seq, leaf) {
    const at = 32 * this.places.size;
    if (at === this.bytes.length) {
      const larger = new Uint8Array(2 * at);
      larger.set(this.bytes);
      this.bytes = larger;
    }
    this.bytes.set(leaf, at);
    this.places.set(seq, at);
  }

  /** Its bytes; null where there is no such entry. */
  of(seq) {
    const at = this.places.get(seq);
    return at === undefined ? null : this.bytes.slice(at, at + 32);
  }
}

/**
 * All entries of a log, or with `whole` false some of them, ascending and below `size`, for the sake
 * of roll `subject`. `origin` gives the log's, which seats sign, and `seatKeys` are those that the
 * reader knows, by seat.
 */
export class Fold {
  constructor(report, { whole = true, subject, size = Infinity, origin, seatKeys } = {}) {
    this.report = report;
    this.whole = whole;
    this.size = size;
    this.entries = 0;
    this.last = { seq: -1, at: 0 };
    this.opened = null;
    this.leaves = new Leaves();
    const faces = { listed: null, faces: null, facesWhy: "" };
    this.facts = { throws: [], disclosed: new Set(), source: null, ...faces };
    this.commits = new Commits(report);
    this.people = new People(report);
    const roots = new Roots((seq) => this.leaves.of(seq));
    const known = { roots: (some) => (whole ? roots.at(some) : null), origin, seatKeys };
    this.seats = new Seats(report, known);
    this.rolls = new Rolls(report, this.facts, this.seats, { whole, subject });
  }

  /** The next entry, as `unsealed` gives it. */
  take(record) {
    const { entry, leaf, read } = record;
    const event = read && read.event;
    this.#placed(entry);
    this.leaves.keep(entry.seq, leaf);
    this.#fits(record);
    if (this.entries++ === 0) {
      this.#opening(event, entry.seq);
    } else if (event?.type === "table-opened/3") {
      const found = `entry ${entry.seq}`;
      this.report.fail(PARSE, entry.seq, "the table is opened again", "once, by entry 0", found);
    }
    this.commits.take(entry, read);
    this.people.take(entry, event);
    if (this.opened) this.#events(entry, read, hexOf(leaf));
    if (entry.payload !== undefined) this.facts.disclosed.add(entry.seq);
  }

  /** What the event changes at the table; of an entry that is not disclosed, where it is. */
  #events(entry, read, leaf) {
    const { shares } = this.rolls;
    const event = read && read.event;
    shares.place(entry, event);
    if (event !== null) {
      this.seats.take(entry, read, shares.ask);
      this.rolls.take(event, entry, leaf);
    }
    shares.passed(entry, event);
  }

  /** Check what takes time, of the entries so far; `turn` lets others work in between. */
  settle(turn = async () => {}) {
    return this.seats.settle(turn);
  }

  /** Checks that need every entry so far. They change nothing: more entries may follow. */
  end() {
    this.commits.end();
    this.people.end();
    this.seats.end();
    this.rolls.end();
  }

  #placed({ seq, at }) {
    const { report, last, whole } = this;
    report.looked(SEQUENCE);
    if (whole ? seq !== this.entries : seq <= last.seq) {
      const expected = whole ? `entry ${this.entries}` : `an entry after ${last.seq}`;
      report.fail(SEQUENCE, seq, "the sequence has a gap or goes back", expected, `entry ${seq}`);
    }
    if (!whole && seq >= this.size) {
      report.fail(SEQUENCE, seq, "an entry beyond what was signed", `below ${this.size}`, seq);
    }
    if (at < last.at) report.fail(SEQUENCE, seq, "time goes back", `${last.at} or later`, at);
    this.last = { seq, at };
  }

  #fits({ entry, digest, problem }) {
    if (digest === null) return;
    const { report } = this;
    const { seq } = entry;
    report.looked(PAYLOADS);
    if (digest !== entry.digest) {
      const why = "the payload does not match its digest";
      report.fail(PAYLOADS, seq, why, entry.digest, digest);
    }
    report.looked(PARSE);
    if (problem === null) return;
    report.fail(PARSE, seq, "the payload cannot be read", "a known event", problem);
  }

  /** The table's first entry. */
  #opening(event, seq) {
    if (seq === 0 && event?.type === "table-opened/3") {
      this.opened = event;
      const { table, source, level, core, one_machine: oneMachine = false } = event;
      Object.assign(this.facts, { table, source, level, core, oneMachine });
      const { rulesWhy, ...known } = facesOf(event.ruleset, event.version, event.options);
      Object.assign(this.facts, known);
      if (event.core >= COUNTED) this.facts.listed = event.faces ?? {};
      this.commits.opens(event, this.facts.listed === null ? rulesWhy : "");
      return;
    }
    const found = event?.type ?? "no event";
    const why = "the first entry does not open the table";
    this.report.fail(PARSE, seq, why, "table-opened/3", found);
    for (const step of ABOUT_THROWS) {
      this.report.unchecked(step, null, "the table's opening is missing");
    }
  }
}
