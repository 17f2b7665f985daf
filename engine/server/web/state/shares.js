// @ts-check
// The shares of one seat (docs/throws.md): which chain is its own, and what it opens for which ask.
//
// A share is opened once, for one ask, and only over a signed head that was checked and covers it.
// What ask it is for is kept before it is sent. Where anything about this seat stands in the log that
// this browser did not make, it opens nothing more until its player says so.

import { entryText, leafHex } from "verifier/seat.js";

import { LENGTH, link } from "./chain.js";
import { hex } from "./requests.js";
import { payloadOf } from "./table.js";

/**
 * @import { Command } from "../urim"
 * @import { Keeper } from "./kept.js"
 * @import { Seal } from "./seal.js"
 * @import { Table } from "./table.js"
 */

/** Share `i` was opened for the ask that is entry `seq`, of this leaf.
 * @typedef {{i: number, seq: number, leaf: string, share: string}} Opened */

/**
 * A chain that this browser drew. `last` is x_1000, "" once the chain is over; `seq` the entry that
 * published the anchor, null until then, and `epoch` the leaf of the epoch that it stood behind, "" for
 * none; `origin` is the log it was drawn for.
 *
 * @typedef {{anchor: string, last: string, seq: number|null, epoch: string|null, origin: string,
 *   opened: readonly Opened[]}} Chain
 */

/**
 * Why this browser opens nothing. `anchor`, `share` and `command`: entry `seq` is of this seat, and not
 * of this browser's doing. `count`: the ask of entry `seq` names another link than the asks so far make it.
 * `epoch`: the host began an epoch by entry `seq`. `moved`: a share that was opened for one ask
 * stands under another: `proof` names both.
 *
 * @typedef {{what: "anchor"|"share"|"command"|"count"|"epoch"|"moved", seq: number,
 *   proof?: {share: string, asks: readonly {seq: number, leaf: string}[]}}} Trouble
 */

/** What is to be sent now, under an id that is the same for the same.
 * @typedef {{command: Command, request: string}} Due */

/**
 * What is kept. `since` is the first entry that this browser had not looked at, null before it had
 * looked at any.
 *
 * @typedef {{since: number|null, trouble: Trouble|null}} Looked
 */

/** Bytes of the last link. */
const LINK = 32;

/** Chains that are remembered. */
const CHAINS = 8;

/** Bytes of an anchor in a request's id. */
const MARK = 32;

/** The seat's own part of the log, as far as it was looked at. */
const NOTHING = { size: 0, epoch: "", anchor: "", at: -1, count: 0, ask: /** @type {{seq: number, leaf: string, i: number, roll: number}|null} */ (null) };

/** What a seat's player alone asks for, beside anchors and shares. A narrator's seat takes others in by
 * the host's own doing, where a link is exchanged. @type {ReadonlySet<string>} */
const WATCHED = new Set([
  "throw-asked/1", "seat-left/1", "roll-declared/2", "roll-voided/2", "dispute-raised/1", "character-given/1",
  "dice-rolled/1", "dice-rerolled/1",
]);

/** What ends or replaces a roll, whatever its dice. @type {ReadonlySet<string>} */
const UNDOING = new Set(["roll-voided/2", "declaration-vetoed/1", "declaration-replaced/1"]);

/** The shares of one seat at one table. */
export class Shares {
  #keeper;
  #key;
  #seat;
  #draw;
  #sent;
  #nonce;
  #found = { ...NOTHING };
  /** Rolls for which this seat opened a share. @type {Set<number>} */
  #gave = new Set();

  /** Rolls for which this seat gave a nonce or a share, and which others ended or replaced, perhaps by a ruling. @type {{roll: number, ruled: boolean}[]} */
  undone = [];

  /** Anchors of this seat from before this browser came: another device's, or the host's. @type {number[]} */
  elsewhere = [];

  /**
   * @param {{keeper: Keeper, key: string, seat: string, draw?: (bytes: number) => string,
   *   sent?: (request: string) => boolean, drawn?: (roll: number) => boolean}} needs
   *   `draw` gives so many random bytes as hex; `sent`: whether this browser made a request; `drawn`: whether
   *   it drew a nonce for a roll
   */
  constructor({ keeper, key, seat, draw = hex, sent = () => true, drawn = () => false }) {
    this.#keeper = keeper;
    this.#key = key;
    this.#seat = seat;
    this.#draw = draw;
    this.#sent = sent;
    this.#nonce = drawn;
    if (keeper.value(`head/${key}`) === null) this.end(); // the newest head is lost
  }

  /** @returns {readonly Chain[]} */
  get chains() {
    return this.#keeper.value(`shares/${this.#key}`) ?? [];
  }

  /** @returns {Looked} */
  get #looked() {
    return this.#keeper.value(`looked/${this.#key}`) ?? { since: null, trouble: null };
  }

  /** Why nothing is opened here; null where nothing is in the way. @returns {Trouble|null} */
  get trouble() {
    return this.#looked.trouble;
  }

  /** The anchor of the chain whose shares are opened here; "" for none. */
  get anchor() {
    return this.#own?.anchor ?? "";
  }

  /** The chain that the log has of this seat, where it is of this browser and goes on. */
  get #own() {
    return this.chains.find(({ anchor, last, seq }) => last && seq !== null && anchor === this.#found.anchor);
  }

  /** The player knows of what stood in the way: a new chain is drawn. A share that moved stays fraud. */
  accept() {
    const { trouble, since } = this.#looked;
    if (trouble?.what === "moved") return;
    this.end();
    this.#look({ since, trouble: null });
  }

  /** Every chain is over. */
  end() {
    if (this.chains.some(({ last }) => last)) this.#keep(this.chains.map((each) => ({ ...each, last: "" })));
  }

  /** Forget what was looked at: the player knows that a backup was restored. */
  forget() {
    this.end();
    const { trouble } = this.#looked;
    this.#look({ since: null, trouble: trouble?.what === "moved" ? trouble : null });
    this.#found = { ...NOTHING };
    this.#gave.clear();
  }

  /**
   * What this seat is to send now: an anchor, or a share. It is kept by then.
   *
   * @param {Table} table
   * @param {Seal} seal  of as many of its entries
   * @returns {Due|null}
   */
  due(table, seal) {
    if (seal.state === "red" || !seal.head?.signed) return null;
    this.#read(table, Math.min(seal.size, seal.head.size));
    if (this.trouble !== null) return null;
    if (table.ask) return this.#share(table);
    return this.#found.size < table.size ? null : this.#anchored(table, seal.head.note);
  }

  // --- what the log has of this seat ---------------------------------------------------------------

  /** Look at the entries up to this size. @param {Table} table @param {number} size */
  #read(table, size) {
    const from = this.#found.size;
    if (from >= size) return;
    for (let seq = from; seq < size; seq++) this.#take(table, seq);
    this.#found.size = size;
    const { since } = this.#looked;
    if (since === null || since < size) this.#look({ ...this.#looked, since: size });
  }

  /** @param {Table} table @param {number} seq */
  #take(table, seq) {
    const event = table.log[seq]?.event;
    if (!event) return;
    const found = this.#found;
    if (this.#strange(table, seq)) this.#tell({ what: "command", seq });
    if (UNDOING.has(event.type) && event.by !== this.#seat && "roll" in event) this.#undo(table, event.roll, seq);
    if (event.type === "epoch-begun/1") return this.#epoch(table, seq);
    if (event.type === "throw-asked/1") {
      const own = event.asked.find(([seat]) => seat === this.#seat);
      if (!own) return;
      const ask = { seq, leaf: leafOf(table, seq), i: own[1], roll: event.roll };
      Object.assign(found, { count: found.count + 1, ask });
      if (this.#own && own[1] !== found.count) this.#tell({ what: "count", seq });
    } else if (event.type === "seat-left/1" && event.seat === this.#seat) {
      Object.assign(found, { anchor: "", count: 0 });
    } else if (event.by !== this.#seat) return;
    else if (event.type === "share-anchored/1") this.#published(event.anchor, seq);
    else if (event.type === "share-opened/1") {
      this.#gave.add(event.roll);
      this.#opened(event.share, seq);
    }
  }

  /** Whether an entry was asked for in this seat's name, and not by this browser. @param {Table} table @param {number} seq */
  #strange(table, seq) {
    const line = table.lines[seq];
    const { asked, event } = (line && line.seq === line.commit && payloadOf(line)) || {};
    if (!asked || event?.by !== this.#seat) return false;
    const takesKey = event.type === "seat-taken/2" && event.seat === this.#seat;
    return (takesKey || WATCHED.has(event.type)) && !this.#sent(asked.request);
  }

  /** Another seat ends or replaces a roll; a ruling begins its commit. @param {Table} table @param {number} roll @param {number} seq */
  #undo({ lines, log }, roll, seq) {
    const { since } = this.#looked;
    const ruled = log[lines[seq]?.commit ?? seq]?.event?.type === "ruling-made/2";
    if (since !== null && seq >= since && (this.#gave.has(roll) || this.#nonce(roll))) this.undone.push({ roll, ruled });
  }

  /** An anchor of this seat. @param {string} anchor @param {number} seq */
  #published(anchor, seq) {
    Object.assign(this.#found, { anchor, at: seq, count: 0, ask: null });
    const { epoch } = this.#found;
    const known = this.chains.find((each) => each.anchor === anchor);
    const behind = known !== undefined && (known.epoch ?? epoch) !== epoch;
    if (known && known.seq === null && known.last) this.#change({ ...known, seq, epoch });
    else if (known?.seq !== seq || behind) {
      if (this.#looked.since === null) this.elsewhere.push(seq);
      this.#tell({ what: "anchor", seq }, behind);
    }
  }

  /** A share of this seat. @param {string} share @param {number} seq */
  #opened(share, seq) {
    const { ask } = this.#found;
    const known = this.chains.flatMap(({ opened }) => opened).find((each) => each.share === share);
    if (known && ask && known.seq === ask.seq && known.leaf === ask.leaf) return;
    if (!known) return this.#tell({ what: "share", seq });
    const asks = [known, ask ?? { seq, leaf: "" }].map((each) => ({ seq: each.seq, leaf: each.leaf }));
    this.#look({ ...this.#looked, trouble: { what: "moved", seq, proof: { share, asks } } });
  }

  /** It ends every chain. @param {Table} table @param {number} seq */
  #epoch(table, seq) {
    Object.assign(this.#found, { epoch: leafOf(table, seq), anchor: "", count: 0, ask: null });
    this.#tell({ what: "epoch", seq });
  }

  /** Only of what came since this browser looked: before, another one may have played, but where it is `surely` strange. @param {Trouble} trouble @param {boolean} [surely] */
  #tell(trouble, surely = false) {
    const looked = this.#looked;
    if (looked.since === null ? !surely : trouble.seq < looked.since) return;
    if (looked.trouble !== null) return;
    this.#look({ ...looked, trouble });
  }

  // --- what is sent --------------------------------------------------------------------------------

  /** The share that the open ask asks for. @param {Table} table @returns {Due|null} */
  #share({ id, ask: open }) {
    const { ask, at } = this.#found;
    const chain = this.#own;
    if (!open || !ask || !chain || open.seq !== ask.seq || ask.seq < at) return null;
    if (!open.waiting.includes(this.#seat) || ask.i > LENGTH) return null;
    const { seq, leaf, i, roll } = ask;
    const known = chain.opened.find((each) => each.i >= i);
    if (known && (known.i !== i || known.seq !== seq || known.leaf !== leaf)) return null;
    const share = known?.share ?? link(id, this.#seat, chain.last, i);
    if (!known) this.#change({ ...chain, opened: [...chain.opened, { i, seq, leaf, share }] });
    const request = `share-${chain.anchor.slice(0, MARK)}-${i}`;
    return { command: { do: "open_share/1", roll, share }, request };
  }

  /** The anchor of this seat's chain, where the table has none that this browser can go on with. @param {Table} table @param {string} note @returns {Due|null} */
  #anchored({ id, source, one_machine: alone, seats }, note) {
    if (source !== "fair" || alone || !seats[this.#seat]?.here) return null;
    const origin = note.split("\n")[0] ?? "";
    const own = this.#own;
    if (own && own.origin === origin && this.#found.count < LENGTH) return null;
    const waits = this.chains.find((each) => each.last && each.seq === null && each.origin === origin);
    const { anchor } = waits ?? this.#drawn(id, origin);
    return { command: { do: "anchor-shares/1", anchor }, request: `anchor-${anchor.slice(0, MARK)}` };
  }

  /** A new chain, in place of all before. @param {string} table @param {string} origin @returns {Chain} */
  #drawn(table, origin) {
    const last = this.#draw(LINK);
    const made = { anchor: link(table, this.#seat, last, 0), last, seq: null, epoch: null, origin, opened: [] };
    this.#keep([...this.chains.map((each) => ({ ...each, last: "" })), made].slice(-CHAINS));
    return made;
  }

  // --- kept ----------------------------------------------------------------------------------------

  /** @param {Chain} chain  takes the place of the one with its anchor */
  #change(chain) {
    this.#keep(this.chains.map((each) => (each.anchor === chain.anchor ? chain : each)));
  }

  /** Where there is no room for it, an older state must not come back either. @param {readonly Chain[]} chains */
  #keep(chains) {
    const key = `shares/${this.#key}`;
    if (this.#keeper.keep(key, chains)) return;
    this.#keeper.keep(key, null);
    this.#keeper.keep(key, chains);
  }

  /** @param {Looked} looked */
  #look(looked) {
    this.#keeper.keep(`looked/${this.#key}`, looked);
  }
}

/** The leaf of an entry, 64 hex digits. @param {Table} table @param {number} seq */
function leafOf(table, seq) {
  const { at, class: kind, digest } = /** @type {import("../urim").EntryLine} */ (table.lines[seq]);
  return leafHex(entryText(seq, at, kind, digest));
}
