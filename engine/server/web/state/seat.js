// @ts-check
// One seat at its table: what comes is folded, checked and kept; shares are opened by themselves.
//
// No signals and no words: the page and programs that are no page use the same.

import { TIMES, Feed } from "./feed.js";
import { keyOf } from "./kept.js";
import { refusedBy, Requests } from "./requests.js";
import { shared } from "./same.js";
import { Sealing, UNSEALED } from "./seal.js";
import { Shares } from "./shares.js";
import { bounded, empty, folded } from "./table.js";
import { nextStep, Nonces, worded } from "./throws.js";

/**
 * @import { Awaited, Awaiting, Command, EntryLine, FromServer } from "../urim"
 * @import { Link, Times } from "./feed.js"
 * @import { Keeper, KeptSeat } from "./kept.js"
 * @import { Done, Outcome, Refused } from "./requests.js"
 * @import { Roll } from "./rolls.js"
 * @import { Seal } from "./seal.js"
 * @import { Trouble } from "./shares.js"
 * @import { Table } from "./table.js"
 * @import { Wish } from "./throws.js"
 *
 * What of a seat is another than before. `kept`: the table is there as it was kept, before it is connected; `again`: it
 * came back after a cut.
 * @typedef {"table"|"seal"|"link"|"present"|"waiting"|"sharing"|"kept"|"again"} Changed
 *
 * What its player should know of its shares, of which `roll`. `elsewhere`: another device gave them before. `undone`:
 * a roll was ended or replaced after a share was given for it; `ruled`: by a ruling.
 * @typedef {"elsewhere"|"undone"|"ruled"} Told
 */

/** Milliseconds that a throw waits for the shares of others until it is `later`. */
const FOR_SHARES = 120_000;

/** Milliseconds that a throw waits for what it needs first: an anchor, or a signed head. */
const FOR_FIRST = 10_000;

/** Milliseconds until what was done is in the table. */
const FOR_COMMIT = 10_000;

/** What a throw waits for before it is asked for. */
const WAITED = { anchor: "this seat's anchor", head: "a signed head" };

/** A seat that plays. `begin` it once; `end` stops it. */
export class Seat {
  /** The table, as its entries leave it. @type {Table} */
  table = empty();
  /** @type {Seal} */
  seal = UNSEALED;
  /** @type {Link} */
  link = { state: "connecting", since: Date.now(), why: "" };
  /** Seats with a connection now: a hint. @type {readonly string[]} */
  present = [];
  /** @type {{mine: readonly Awaiting[], others: readonly Awaited[]}} */
  waiting = { mine: [], others: [] };
  /** The anchor of this seat's shares, "" for none, and why it opens none. @type {{anchor: string, trouble: Trouble|null}} */
  sharing = { anchor: "", trouble: null };

  /** @type {EntryLine[]} */
  #history = [];
  /** @type {EntryLine[]} */
  #historyChanged = [];
  #live = false;
  #judged = false;
  #ended = false;
  #came = 0;
  #changed;
  #told;
  #words;
  /** Requests for shares and anchors that were made here. @type {Set<string>} */
  #given = new Set();
  /** @type {Set<(table: Table) => void>} */
  #watchers = new Set();

  /**
   * @param {KeptSeat} kept
   * @param {{origin: string, keeper: Keeper, times?: Times, changed?: (what: Changed) => void,
   *   told?: (what: Told, given: {roll?: number}) => void, words?: {back: string}}} where
   *   `words.back` is the note of who slept through a throw, and is back
   */
  constructor(kept, { origin, keeper, times, changed = () => undefined, told = () => undefined, words = { back: "I am back." } }) {
    const { table, token, key: vkey } = kept;
    const key = keyOf(kept);
    this.kept = kept;
    this.origin = origin;
    this.keeper = keeper;
    this.key = key;
    this.#changed = changed;
    this.#told = told;
    this.#words = words;
    this.nonces = new Nonces(keeper, key);
    this.requests = new Requests({ origin, table, token, keeper, key });
    this.shares = new Shares({
      keeper, key, seat: kept.seat,
      sent: (request) => this.requests.made(request),
      drawn: (roll) => this.nonces.held.some((each) => each.roll === roll),
    });
    this.sealing = new Sealing({ table, vkey, keeper, key, changed: (seal) => this.#sealed(seal) });
    this.feed = new Feed({
      origin, table, token, ...(times ? { times } : {}),
      size: () => this.#size(),
      take: (frame) => this.#take(frame),
      linked: (link) => this.#linked(link),
    });
    this.requests.over(this.feed);
  }

  /** Show what is kept, then connect. */
  async begin() {
    const kept = await this.keeper.entries.all(this.key);
    if (this.#ended) return;
    if (kept.length) {
      this.sealing.take(kept); // it ends with a whole commit: a commit is kept at once
      this.table = folded(empty(), kept);
      this.#changed("kept");
    }
    this.feed.open();
  }

  /** Stop; what was shown can still be read. @param {string} [why] */
  end(why = "closed") {
    this.#ended = true;
    this.feed.close(why);
    this.requests.stop(why);
  }

  /**
   * The table once it is as wanted, looked at whenever anything of the seat changes; or null after so
   * many milliseconds.
   *
   * @param {(table: Table) => boolean} test
   * @param {number} patience
   * @returns {Promise<Table|null>}
   */
  once(test, patience) {
    if (test(this.table)) return Promise.resolve(this.table);
    return new Promise((resolve) => {
      /** @param {Table} table */
      const look = (table) => test(table) && done(table);
      /** @param {Table|null} found */
      const done = (found) => {
        clearTimeout(timer);
        this.#watchers.delete(look);
        resolve(found);
      };
      const timer = setTimeout(() => done(null), patience);
      this.#watchers.add(look);
    });
  }

  /** The bounds of tracks, which only the server knows. @param {Parameters<typeof bounded>[1]} bounds */
  bound(bounds) {
    this.table = bounded(this.table, bounds);
  }

  // --- what is asked ------------------------------------------------------------------------------

  /** Why nothing may be asked now; null where it may. @returns {Refused|null} */
  stopped() {
    if (this.seal.state === "red") return refusedBy({ code: "seal", why: "the seal is red: play stops here" }, null);
    if (this.#ended || this.link.state === "stopped") {
      return refusedBy({ code: "stopped", why: "this seat is no longer at the table here" }, null);
    }
    return null;
  }

  /**
   * Have something done. `text` are the words that go with it: a name, a label, a reason, a note.
   * It is done once `table` has it.
   *
   * @param {Command} command @param {string|null} [text] @returns {Promise<Outcome>}
   */
  async ask(command, text = null) {
    const not = this.stopped();
    if (not !== null) return not;
    const words = text ? worded(text) : null;
    const body = words === null ? command : { ...command, text: words.hash };
    const outcome = await this.requests.ask(/** @type {Command} */ (body), { text: words?.text });
    if (outcome.type === "done") await this.once(({ size }) => size >= outcome.size, FOR_COMMIT);
    return outcome;
  }

  /**
   * Throw a hand: its first throw, or with `dice` these dice again. What the throw's level asks is done:
   * a nonce is drawn, or others are asked for shares and waited for. `later`: they are still silent.
   *
   * @param {number} number  of the roll
   * @param {Wish} wish
   * @returns {Promise<Outcome>}
   */
  async throwDice(number, wish) {
    const not = this.stopped();
    if (not !== null) return not;
    if (this.sharing.trouble?.what === "epoch") {
      return refusedBy({ code: "epoch", why: "the host began an epoch, and this seat has not accepted it" }, null);
    }
    const roll = this.table.rolls.get(number);
    if (!roll || roll.sealed) return refusedBy({ code: "unknown", why: `no roll ${number}` }, null);
    const step = await this.#firstStep(number, wish);
    if ("wait" in step) return { type: "later", request: "", why: `waits for ${WAITED[step.wait]}` };
    if (step.asks && this.sharing.trouble) { // it would stop the whole table, until it is broken off
      return refusedBy({ code: "nonce", why: "the next share of this seat is not this browser's to open" }, null);
    }
    const asked = await this.ask(step.send);
    return step.asks && asked.type === "done" ? this.#fallen(number, asked) : asked;
  }

  /** The first step of a throw, once it can be taken. @param {number} number @param {Wish} wish */
  async #firstStep(number, wish) {
    for (const until = Date.now() + FOR_FIRST; ;) {
      const roll = /** @type {Roll} */ (this.table.rolls.get(number));
      const own = { nonces: this.nonces, present: this.present, covered: this.seal.head?.size ?? 0 };
      const step = nextStep(this.table, this.kept.seat, own, roll, wish);
      if (!("wait" in step) || Date.now() > until) return step;
      await new Promise((resume) => setTimeout(resume, TIMES.first / 10));
    }
  }

  /**
   * What came of a throw that asked for shares: done, or refused where it was broken off.
   *
   * @param {number} number
   * @param {Done} asked
   * @returns {Promise<Outcome>}
   */
  async #fallen(number, asked) {
    const seq = Math.max(...asked.seqs);
    const table = await this.once(({ ask: open }) => open?.seq !== seq, FOR_SHARES);
    const { ask: open, rolls } = this.table;
    if (table === null) return { type: "later", request: "", why: `waits for ${open?.waiting.join(", ")}` };
    const broken = rolls.get(number)?.breaks.findLast((each) => each.seq > seq);
    if (!broken) return asked;
    const kept = broken.kept.map((id) => table.seats[id]?.name ?? id).join(", ");
    return refusedBy({ code: "broken", why: `the throw was broken off: no share of ${kept} came` }, null);
  }

  /** The player knows of what stood in the way of shares. */
  acceptShares() {
    this.shares.accept();
    this.#share();
  }

  // --- what comes ---------------------------------------------------------------------------------

  /** @template {Exclude<Changed, "kept"|"again">} Name @param {Name} name @param {Seat[Name]} value */
  #set(name, value) {
    if (this[name] === value && name !== "table" && name !== "waiting") return; // the same, but the server says it anew
    Object.assign(this, { [name]: value });
    this.#changed(name);
    for (const look of [...this.#watchers]) look(this.table);
  }

  #size() {
    return Math.max(this.table.size, (this.#history.at(-1)?.seq ?? -1) + 1);
  }

  /** @param {FromServer} frame */
  #take(frame) {
    switch (frame.type) {
      case "entered":
        this.#live = this.#judged = false;
        this.sealing.history();
        if (this.#came++) this.#changed("again");
        break;
      case "commit":
        this.#commit(frame.entries, frame.changed ?? [], frame.head ?? null);
        break;
      case "caught-up":
        this.#caughtUp(frame.size, frame.head ?? null);
        break;
      case "present":
        this.#set("present", shared(this.present, frame.seats));
        break;
      case "waiting":
        this.#set("waiting", shared(this.waiting, { mine: frame.mine ?? [], others: frame.others ?? [] }));
        break;
      case "done":
        this.sealing.head(frame.head);
        this.requests.take(frame);
        break;
      case "refused":
      case "later":
        this.requests.take(frame);
        break;
      case "proof":
        this.sealing.head(frame.head);
        break;
      case "forked":
        void this.sealing.caughtUp(frame.size, frame.head ?? null);
        break;
      default: // `left` and `behind` end the socket, which says the same
    }
  }

  /** @param {EntryLine[]} entries @param {EntryLine[]} changed @param {string|null} head */
  #commit(entries, changed, head) {
    this.sealing.take(entries, changed, head);
    if (this.#live) {
      void this.keeper.entries.put(this.key, [...changed, ...entries]);
      return this.#show([...changed, ...entries]);
    }
    this.#history.push(...entries);
    this.#historyChanged.push(...changed);
  }

  /** @param {number} size @param {string|null} head */
  #caughtUp(size, head) {
    const came = [...this.#historyChanged, ...this.#history];
    this.#history = [];
    this.#historyChanged = [];
    const first = !this.#live;
    this.#live = true;
    void this.keeper.entries.put(this.key, came);
    this.#show(came);
    const judged = this.sealing.caughtUp(size, head);
    if (first) void judged.then(() => this.#goOn()); // not to a server that was found wrong
  }

  /** A history was judged: what waits is sent again, and shares are opened from here on. */
  #goOn() {
    this.requests.resend();
    this.#judged = true;
    if (this.seal.state !== "red") this.#share();
  }

  /** @param {EntryLine[]} lines */
  #show(lines) {
    this.#set("table", folded(this.table, lines));
  }

  /** Publish an anchor, or open the share that this seat is asked for, once each. */
  #share() {
    if (this.#ended) return;
    const due = this.shares.due(this.table, this.seal);
    const { anchor, trouble, elsewhere, undone } = this.shares;
    if (elsewhere.splice(0).length) this.#told("elsewhere", {});
    for (const { roll, ruled } of undone.splice(0)) this.#told(ruled ? "ruled" : "undone", { roll });
    this.#set("sharing", shared(this.sharing, { anchor, trouble }));
    if (trouble === null) this.#back(this.table);
    if (due === null || this.#given.has(due.request) || this.requests.has(due.request)) return;
    this.#given.add(due.request);
    void this.requests.ask(due.command, { request: due.request }).then((outcome) => {
      // Where a throw waited for shares just then, an anchor is published after it.
      if (outcome.type === "refused" && outcome.code === "due") this.#given.delete(due.request);
    });
  }

  /** Who slept through a throw is asked no more until they do something: awake again, this says so. @param {Table} table */
  #back({ kept_back: silent, log }) {
    const id = this.kept.seat;
    const slept = silent.includes(id) && log.findLast(({ event }) => event?.type === "throw-broken/1" && event.kept.includes(id));
    if (!slept || this.#given.has(`back-${slept.seq}`)) return;
    const request = `back-${slept.seq}`;
    const { text, hash } = worded(this.#words.back);
    this.#given.add(request);
    void this.requests.ask({ do: "note/1", about: slept.seq, text: hash }, { text, request });
  }

  /** @param {Seal} seal */
  #sealed(seal) {
    this.#set("seal", seal);
    if (seal.state === "red") this.requests.drop("seal");
    else if (this.#judged) this.#share();
  }

  /** @param {Link} link */
  #linked(link) {
    this.#set("link", link);
    if (link.state === "polling") this.requests.resend();
    if (link.state === "stopped") this.requests.stop(link.why);
  }
}
