// @ts-check
// One seat at its table: what comes is folded, sealed, kept and shown; shares are opened by themselves.

import { say } from "../words/index.js";
import { Feed } from "./feed.js";
import { keyOf } from "./kept.js";
import { Reader } from "./reader.js";
import { Requests } from "./requests.js";
import { shared } from "./same.js";
import { Sealing } from "./seal.js";
import { Shares } from "./shares.js";
import * as shown from "./signals.js";
import { bounded, empty, folded } from "./table.js";
import { Nonces, worded } from "./throws.js";
import { isOld } from "./version.js";

/**
 * @import { EntryLine, FromServer } from "../urim"
 * @import { Times } from "./feed.js"
 * @import { Keeper, KeptSeat } from "./kept.js"
 * @import { Table } from "./table.js"
 */

/** The seat that plays on this page. `begin` it once; `end` stops it. */
export class Playing {
  /** @type {EntryLine[]} */
  #history = [];
  /** @type {EntryLine[]} */
  #historyChanged = [];
  #live = false;
  #judged = false;
  #ended = false;
  #came = 0;
  /** Requests for shares and anchors that were made here. @type {Set<string>} */
  #given = new Set();
  /** @type {Set<(table: Table) => void>} */
  #watchers = new Set();

  /**
   * @param {KeptSeat} seat
   * @param {{origin: string, keeper: Keeper, times?: Times, tell?: (text: string, kind?: "info"|"warning") => void}} where
   *   `tell` shows the player a text, or the words of a key
   */
  constructor(seat, { origin, keeper, times, tell = () => undefined }) {
    const { table, token, key: vkey } = seat;
    const key = keyOf(seat);
    this.seat = seat;
    this.origin = origin;
    this.tell = tell;
    this.keeper = keeper;
    this.key = key;
    this.nonces = new Nonces(keeper, key);
    this.requests = new Requests({ origin, table, token, keeper, key });
    this.shares = new Shares({
      keeper, key, seat: seat.seat,
      sent: (request) => this.requests.made(request),
      drawn: (roll) => this.nonces.held.some((each) => each.roll === roll),
    });
    this.reader = new Reader({ origin, table, token, changed: (sight) => this.#bound(sight.tracks) });
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
      shown.live.value = folded(empty(), kept);
    }
    this.feed.open();
  }

  /** Stop; what was shown can still be read. @param {string} [why] */
  end(why = "closed") {
    this.#ended = true;
    this.feed.close(why);
    this.requests.stop(why);
    this.reader.stop();
  }

  /**
   * The table once it is as wanted, or null after so many milliseconds.
   *
   * @param {(table: Table) => boolean} test
   * @param {number} patience
   * @returns {Promise<Table|null>}
   */
  once(test, patience) {
    if (test(shown.live.value)) return Promise.resolve(shown.live.value);
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

  #size() {
    return Math.max(shown.live.value.size, (this.#history.at(-1)?.seq ?? -1) + 1);
  }

  /** @param {FromServer} frame */
  #take(frame) {
    switch (frame.type) {
      case "entered":
        this.#live = this.#judged = false;
        this.sealing.history();
        if (this.#came++) void this.#versioned();
        break;
      case "commit":
        this.#commit(frame.entries, frame.changed ?? [], frame.head ?? null);
        break;
      case "caught-up":
        this.#caughtUp(frame.size, frame.head ?? null);
        break;
      case "present":
        shown.present.value = shared(shown.present.value, frame.seats);
        break;
      case "waiting":
        shown.waiting.value = shared(shown.waiting.value, { mine: frame.mine ?? [], others: frame.others ?? [] });
        this.reader.refetch();
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

  /** After a cut another version may be served. */
  async #versioned() {
    if (await isOld(this.origin)) shown.stale.value = true;
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
    if (shown.seal.value.state !== "red") this.#share();
  }

  /** @param {EntryLine[]} lines */
  #show(lines) {
    const before = shown.live.value;
    const table = folded(before, lines);
    shown.live.value = table;
    for (const look of [...this.#watchers]) look(table);
    this.reader.refetch();
  }

  /** Publish an anchor, or open the share that this seat is asked for, once each. */
  #share() {
    if (this.#ended) return;
    const due = this.shares.due(shown.live.value, shown.seal.value);
    const { anchor, trouble, elsewhere, undone } = this.shares;
    if (elsewhere.splice(0).length) this.tell("shares.elsewhere");
    for (const { roll, ruled } of undone.splice(0)) this.tell(say(ruled ? "shares.ruled" : "shares.undone", { roll }), ruled ? "info" : "warning");
    shown.sharing.value = shared(shown.sharing.value, { anchor, trouble });
    if (trouble === null) this.#back(shown.live.value);
    if (due === null || this.#given.has(due.request) || this.requests.has(due.request)) return;
    this.#given.add(due.request);
    void this.requests.ask(due.command, { request: due.request }).then((outcome) => {
      // Where a throw waited for shares just then, an anchor is published after it.
      if (outcome.type === "refused" && outcome.code === "due") this.#given.delete(due.request);
    });
  }

  /** Who slept through a throw is asked no more until they do something: awake again, the page says so. @param {Table} table */
  #back({ kept_back: silent, log }) {
    const id = this.seat.seat;
    const slept = silent.includes(id) && log.findLast(({ event }) => event?.type === "throw-broken/1" && event.kept.includes(id));
    if (!slept || this.#given.has(`back-${slept.seq}`)) return;
    const request = `back-${slept.seq}`;
    const { text, hash } = worded(say("shares.back"));
    this.#given.add(request);
    void this.requests.ask({ do: "note/1", about: slept.seq, text: hash }, { text, request });
  }

  /** The player knows of what stood in the way of shares. */
  acceptShares() {
    this.shares.accept();
    this.#share();
  }

  /** @param {Parameters<typeof bounded>[1]} bounds */
  #bound(bounds) {
    shown.live.value = bounded(shown.live.value, bounds);
  }

  /** @param {import("./seal.js").Seal} seal */
  #sealed(seal) {
    shown.seal.value = seal;
    if (seal.state === "red") this.requests.drop("seal");
    else if (this.#judged) this.#share();
  }

  /** @param {import("./feed.js").Link} link */
  #linked(link) {
    shown.link.value = link;
    if (link.state === "polling") this.requests.resend();
    if (link.state !== "stopped") return;
    this.requests.stop(link.why);
    if (link.why === "no-token" || link.why === "left" || link.why === "no-right") {
      shown.place.value = { name: "dead", why: link.why, table: this.seat.table };
    }
  }
}
