// The throw that waits for shares, one at a time: that nothing comes between, and that it falls.

import { Levels } from "./levels.js";
import { throwId } from "./throw.js";

const THROWS = 6;
const TRANSCRIPTS = 8;

/** What may begin a commit while a throw waits for shares. */
const MEANWHILE = ["share-opened/1", "throw-broken/1", "noted/1", "epoch-begun/1"];

/** Follows what one throw at a time waits for; `it` is the Rolls that this is of. */
export class Shares {
  constructor(it, seats, whole) {
    Object.assign(this, { it, seats, whole });
    this.ask = null;
    this.planned = null;
    this.levels = new Levels(it, seats);
    this.keyless = new Set();
    this.strange = null;
    /** The entry before: {entry, event}. */
    this.last = null;
  }

  get report() {
    return this.it.report;
  }

  /** A share that its seat's client signed nothing for is the host's word; noted once a seat. */
  byKey(seat, seq) {
    if (this.seats.of(seat).key !== null || this.keyless.has(seat)) return;
    this.keyless.add(seat);
    const why = `seat ${seat} has no key: its anchor and shares are the host's word`;
    this.report.note(TRANSCRIPTS, seq, why);
    this.report.count("host-word", seq);
  }

  /** Any entry, before its event changes anything; `event` is null where it is not disclosed. */
  place(entry, event) {
    const begins = entry.seq === entry.commit;
    if (begins) this.#between(entry.seq);
    const { ask } = this;
    if (ask === null || entry.commit <= ask.seq) return;
    if (begins) {
      this.#meanwhile(entry, event);
    } else if (this.strange === entry.commit) {
      if (entry.class !== "hidden-text") this.#stray(entry.commit, "a hidden entry");
      this.strange = null;
    } else if (entry.commit === ask.full && entry.class === "hidden" && event === null) {
      this.#unseen(entry.seq);
    }
  }

  /** Behind every entry: who did what everybody may see keeps nothing back any more. */
  passed(entry, event) {
    if (event !== null && entry.class === "open") this.levels.keptBack.delete(event.by);
    this.last = { entry, event };
  }

  /** An epoch ends what waits, and who was waited for. */
  epoch() {
    Object.assign(this, { ask: null, planned: null, strange: null });
    this.levels.keptBack.clear();
  }

  /** Checks that need every entry. */
  end() {
    this.levels.end();
    const { ask, planned, strange } = this;
    const disturbed = ask?.disturbed;
    this.#between(null);
    Object.assign(this, { planned, strange });
    if (ask === null) return;
    ask.disturbed = disturbed;
    if (ask.full === null) {
      const why = `${ask.id} waits for shares to the end of the file`;
      this.report.look(THROWS, "left-open", ask.seq, why);
    }
  }

  /** A commit is over: what had to be in it. */
  #between(seq) {
    const { ask, planned, strange } = this;
    if (strange !== null) this.#stray(strange, "a hidden entry");
    if (planned !== null) {
      const why = "a throw is planned, and nobody is asked for shares";
      this.report.fail(THROWS, planned.seq, why, "throw-asked/1 right behind", "nothing");
    }
    if (ask !== null && ask.full !== null) {
      const why = `every share of ${ask.id} is open, and it is not thrown`;
      this.report.fail(THROWS, ask.full, why, "the dice behind the last share", "nothing");
      if (seq !== null) this.ask = null;
    }
    Object.assign(this, { planned: null, strange: null });
  }

  #meanwhile(entry, event) {
    if (event === null && entry.class === "hidden") {
      // A note about something hidden, if its text comes next.
      this.strange = entry.seq;
    } else if (event !== null && !MEANWHILE.includes(event.type)) {
      this.#stray(entry.seq, event.type);
    }
  }

  #stray(seq, found) {
    const { ask } = this;
    if (ask === null || ask.disturbed) return;
    ask.disturbed = true;
    const why = `${ask.id} waits for shares, and something else comes between`;
    this.report.fail(THROWS, seq, why, "shares, notes, a break or an epoch", found);
  }

  /** The dice of a hidden roll fell behind the last share, and are not disclosed. */
  #unseen(seq) {
    const { it, ask } = this;
    const roll = it.roll(ask.roll);
    this.ask = null;
    this.levels.asked(ask);
    if (it.mayHide(roll)) {
      roll.gap ??= seq;
      Object.assign(roll, { outstanding: null, throws: ask.throw + 1 });
    } else {
      this.report.fail(THROWS, seq, `${ask.id} is hidden, and its roll is not`, "the dice", "nothing");
    }
  }

  /** The ask that waits for this throw; null, and this step fails, where none does. */
  waiting(event, seq, step) {
    const { ask } = this;
    const same = ask !== null && ask.roll === event.roll && ask.throw === event.throw;
    if (same && ask.full === null) return ask;
    const id = throwId(this.it.facts.table, event.roll, event.throw);
    const why = `${id} does not wait for shares`;
    this.report.fail(step, seq, why, "throw-asked/1 before, the throw behind", event.type);
    return null;
  }

  /** The ask that a throw is of; null where there is none. */
  of({ roll }) {
    return this.ask?.roll === roll ? this.ask : null;
  }

  /** The dice of an ask fell. */
  thrown(ask) {
    if (ask !== null) this.ask = null;
  }
}
