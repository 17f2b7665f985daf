// The throw that waits for shares, one at a time: that nothing comes between, and that it falls.

import { isHidden, isText } from "./commits.js";
import { Levels } from "./levels.js";
import { throwId } from "./throw.js";

const THROWS = 6;
const TRANSCRIPTS = 8;

/** What may enter a log while a throw waits for shares, with the texts of notes. */
const MEANWHILE = ["share-opened/1", "throw-broken/1", "noted/1", "epoch-begun/1"];

/** The dice of a throw. */
const DICE = ["dice-rolled/1", "dice-rerolled/1"];

/** Whether an entry, {entry, event}, plans a throw. */
export const isPlan = (found) => found?.event?.type === "throw-planned/1";

/** Follows what one throw at a time waits for; `it` is the Rolls that this is of. */
export class Shares {
  constructor(it, seats, whole) {
    Object.assign(this, { it, seats, whole });
    this.ask = null;
    this.levels = new Levels(it, seats);
    this.keyless = new Set();
    /** A hidden entry that is not disclosed, and may be a note: its sequence. */
    this.unread = null;
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
    const { ask } = this;
    this.#planned(entry, event);
    if (ask !== null && ask.full !== null) this.#fell(entry, event);
    else if (ask !== null) this.#meanwhile(entry, event);
  }

  /** Behind every entry: who did what everybody may see keeps nothing back any more. */
  passed(entry, event) {
    if (event !== null && entry.class === "open") this.levels.keptBack.delete(event.by);
    this.last = { entry, event };
  }

  /** An epoch ends what waits, and who was waited for. */
  epoch() {
    Object.assign(this, { ask: null, unread: null });
    this.levels.keptBack.clear();
  }

  /** Checks that need every entry; more may follow. */
  end() {
    this.levels.end();
    const { ask, unread, last } = this;
    if (isPlan(last)) this.#unasked(last.entry.seq);
    if (ask === null) return;
    if (ask.full !== null) {
      this.#notThrown();
      return;
    }
    const { disturbed } = ask;
    if (unread !== null) this.#stray(unread, "a hidden entry");
    ask.disturbed = disturbed;
    const why = `${ask.id} waits for shares to the end of the file`;
    this.report.look(THROWS, "left-open", ask.seq, why);
  }

  /** A plan has its ask right behind it, in its commit. */
  #planned({ commit }, event) {
    const { last } = this;
    if (!isPlan(last) || (event?.type === "throw-asked/1" && commit === last.entry.seq)) return;
    this.#unasked(last.entry.seq);
  }

  #unasked(seq) {
    const why = "a throw is planned, and nobody is asked for shares";
    this.report.fail(THROWS, seq, why, "throw-asked/1 right behind", "nothing");
  }

  /** The entry behind the last share is the throw, in the same commit. */
  #fell({ commit, class: kind, seq }, event) {
    const { ask } = this;
    const behind = commit === ask.full.commit;
    if (behind && DICE.includes(event?.type) && event.roll === ask.roll) return;
    if (behind && event === null && isHidden(kind)) this.#unseen(seq);
    else this.#notThrown();
    this.ask = null;
  }

  #notThrown() {
    const { ask } = this;
    const why = `every share of ${ask.id} is open, and it is not thrown in that commit`;
    this.report.fail(THROWS, ask.full.seq, why, "the dice behind the last share", "something else");
  }

  /** From the ask to its end nothing enters the log but shares, notes and an epoch. */
  #meanwhile({ seq, commit, class: kind }, event) {
    const { unread } = this;
    this.unread = null;
    if (unread !== null && (commit !== unread || kind !== "hidden-text")) {
      this.#stray(unread, "a hidden entry");
    }
    if (isText(kind) && seq !== commit) return; // of a command that is checked where its commit begins
    if (event === null && isHidden(kind) && seq === commit) {
      this.unread = seq; // a note, if its text comes next
    } else if (DICE.includes(event?.type) && event.roll === this.ask.roll) {
      // That shares are missing is found where the throw is compared with its plan.
    } else if (event === null || !MEANWHILE.includes(event.type)) {
      this.#stray(seq, event?.type ?? "an entry that is not disclosed");
    }
  }

  #stray(seq, found) {
    const { ask } = this;
    if (ask.disturbed) return;
    ask.disturbed = true;
    const why = `${ask.id} waits for shares, and something else comes between`;
    this.report.fail(THROWS, seq, why, "shares, notes, a break or an epoch", found);
  }

  /** The dice of a hidden roll fell behind the last share, and are not disclosed. */
  #unseen(seq) {
    const { it, ask } = this;
    const roll = it.roll(ask.roll);
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
