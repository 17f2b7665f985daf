// @ts-check
// A table's log as the client of one seat gets it: entries and signed heads in as they come, and what that
// comes to. The steps are urimcheck's. What is hidden from the seat speaks against nothing.

import { commitsOf, entries, firstWithheld, hexOf, isRoot, leafText, Malformed, parse, payloads, readKey, readNote, Report } from "./urimcheck.js";
import { rulings, sequence, sha256, signedHead, STEPS, strict, throwsAtEnd, transitions, utf8, walk, weakness, withheld } from "./urimcheck.js";

/** @import { Entry, Key, Remark } from "./urimcheck.js" */

/** A signed head: `note` is its text. @typedef {{size: number, note: string, root: Uint8Array, signed: boolean}} Kept */
/** The entries that begin epochs, each with its leaf. @typedef {readonly (readonly [number, string])[]} Epochs */
/** A log that was left behind at a restore: the newest head of it, and its epochs. @typedef {{note: string, epochs: Epochs}} Gone */
/** Heads that are not of one log; `proved`: the notes alone show it. @typedef {{why: string, notes: string[], proved: boolean}} Fork */
/** What a step says of an entry, or of none. @typedef {{seq: number | null, what: string, state: "ok" | "wrong" | "unchecked", why: string}} Verdict */

/** What all verdicts come to. @typedef {{state: "green" | "grey" | "red", size: number, forks: Fork[], wrong: Verdict[], unchecked: Verdict[],
 *   head: {size: number, note: string, signed: boolean, epochs: [number, string][]} | null,
 *   parts: {what: string, state: Verdict["state"], why: string, entry: number | null}[]}} Seal */

/** Milliseconds of work at once; heads that are remembered; entries that are read at once. */
const [TURN, KEPT, SOME] = [12, 256, 64];
/** The names of the steps, with 11, which is `urim audit`'s. */
const NAMES = [...Object.keys(STEPS).slice(0, 10), "rules", ...Object.keys(STEPS).slice(10)];
/** Steps that are not checked because of what is hidden, or need the rules: they make nothing grey. */
const QUIET = ["throws", "rules", "voids", "rulings", "hidden"];

/** A table of which no entry is here; only the functions of this module look inside. */
class Table {
  log = new Report({ scope: "table", origin: "", roll: null, size: 0, known: [] }, []);
  judged = 0; ends = 0; changed = false; worked = 0;
  wrong = /** @type {Remark[]} */ ([]); // what no later entry can mend
  heads = /** @type {Map<number, Kept>} */ (new Map()); // by size
  newest = /** @type {Kept | null} */ (null); // the largest that fits the entries
  forks = /** @type {Fork[]} */ ([]);
  gone = /** @type {(Kept & Gone)[]} */ ([]);
  origin = ""; least = 0; // of the log, as its heads say; how many entries it had, at least
  line = /** @type {Promise<any>} */ (Promise.resolve()); // the work that was asked for

  /** @param {string} id @param {Key[]} keys @param {() => Promise<any>} pause */
  constructor(id, keys, pause) {
    this.id = id;
    this.keys = keys;
    this.pause = pause;
    this.log.header.origin = keys[0]?.name ?? "";
  }

  /** How many entries the largest head is of. */
  get awaited() {
    return Math.max(0, ...this.heads.keys());
  }

  /** The entries that begin an epoch, with their leaves. @returns {[number, string][]} */
  get epochs() {
    return this.log.entries.filter(({ what }) => what === "epoch-begun").map(({ seq, leaf }) => [seq, hexOf(leaf)]);
  }

  /** @param {string} step @param {number | null} seq @param {string} why */
  fail(step, seq, why) {
    if (this.wrong.length < KEPT) this.wrong.push({ step, seq, word: "wrong", why, kind: "" });
  }

  /** @param {string} why @param {Kept[]} heads */
  fork(why, heads) {
    const [one, other] = heads;
    const size = (other ?? one)?.size;
    this.fail("tree", size ? size - 1 : null, why);
    this.forks.push({ why, notes: heads.map(({ note }) => note), proved: Boolean(other && one.size === other.size && other.signed) });
  }
}

/**
 * Begin with a table. `key` is its vkey, or several; without one no signature is checked. `heads` are notes
 * that were kept from before, oldest first; `gone` logs that were left at restores which the player
 * accepted. `pause` lets others work. Throws Malformed for a key that is none.
 *
 * @param {{table: string, key?: string | string[] | null, heads?: string[], gone?: readonly Gone[], pause?: () => Promise<any>}} asked_
 */
export function begin({ table, key = null, heads = [], gone = [], pause = () => new Promise((resume) => setTimeout(resume, 0)) }) {
  const keys = key === null ? [] : [key].flat().map(readKey);
  if (keys.some((each) => weakness(each.public))) throw new Malformed("a key that nobody may have");
  const made = new Table(table, keys, pause);
  for (const note of heads) {
    void headed(made, note);
    void inLine(made, () => void (made.least = Math.max(made.least, made.awaited)));
  }
  for (const each of gone) {
    void inLine(made, async () => {
      const head = await headOf(made, each.note);
      if (head) made.gone.push({ ...head, ...each });
    });
  }
  return made;
}

/** Do work after all that was asked for before. @template T @param {Table} table @param {(turn: () => Promise<void>) => T | Promise<T>} work @returns {Promise<T>} */
function inLine(table, work) {
  const done = table.line.then(async () => {
    let from = performance.now();
    const found = await work(async () => {
      if (table.worked + performance.now() - from < TURN) return;
      await table.pause();
      [table.worked, from] = [0, performance.now()];
    });
    table.worked += performance.now() - from;
    return found;
  });
  table.line = done.catch(() => {});
  return done;
}

/**
 * Take over lines as the seat got them: objects, or JSON as text. `changed` are lines that replace older
 * ones, which a reveal opened, or which were emptied.
 *
 * @param {Table} table
 * @param {readonly (object | string)[]} lines
 * @param {readonly (object | string)[]} [changed]
 */
export function took(table, lines, changed = []) {
  return inLine(table, async (turn) => {
    for (const line of [...lines, ...changed]) {
      await turn();
      take(table, line);
    }
  });
}

/** Take over a line: the next one, or that of an entry that is here, with as much of it, or more, or less. @param {Table} table */
function take(table, line) {
  const { log } = table;
  const next = log.entries.length;
  /** @type {Entry} */
  let entry;
  try {
    const { salt = null, payload = null, ...rest } = typeof line === "string" ? strict(line, "line").value : Object(line);
    entry = entries(salt === null && payload === null ? rest : { ...rest, salt, payload }, log.header);
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    return table.fail("parse", Number.isSafeInteger(line?.seq) ? line.seq : next, `a line is no entry: ${error.message}`);
  }
  const { seq } = entry;
  if (seq > next) return table.fail("sequence", seq, "entries before this one did not come");
  const known = log.entries[seq];
  if (!known) {
    log.tree.leaves.set(seq, entry.leaf);
    log.tree.places.push(seq);
  } else {
    const both = known.payload !== null && entry.payload !== null;
    const other = ["commit", "at", "cls", "digest", ...(both ? ["salt", "payload"] : [])].find((name) => known[name] !== entry[name]);
    if (other) return table.fail("payloads", seq, `the entry came before with another ${other}`);
    if (known.payload === entry.payload) return;
    table.changed ||= seq < table.judged;
  }
  log.entries[seq] = entry;
  log.there.set(seq, entry);
  compare(table, seq + 1);
}

/** Take over a signed head, before or after its entries. @param {Table} table @param {string} note */
export function headed(table, note) {
  return inLine(table, async () => {
    const head = await headOf(table, note);
    if (!head) return;
    const known = table.heads.get(head.size);
    if (known && hexOf(known.root) !== hexOf(head.root)) table.fork(`two heads of ${head.size} entries have two roots`, [known, head]);
    if (known) return;
    if (table.heads.size >= KEPT) table.heads.delete([...table.heads.keys()][0]);
    table.heads.set(head.size, head);
    if (head.size <= table.log.entries.length) compare(table, head.size);
  });
}

/** A head of this table; null for none, and that is wrong. @param {Table} table @param {string} note @returns {Promise<Kept | null>} */
async function headOf(table, note) {
  let last = null; // the last entry that it covers
  try {
    const { origin, size, root } = readNote(String(note));
    last = size ? size - 1 : null;
    if (table.keys.length) await signedHead(note, table.keys);
    if (!origin.endsWith(`/t/${table.id}`)) throw new Malformed(`it is of ${origin}, not of table ${table.id}`);
    if (table.origin && origin !== table.origin) throw new Malformed(`it is of ${origin}, not ${table.origin}`);
    table.origin = origin;
    return { size, note, root, signed: table.keys.length > 0 };
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    table.fail("signature", last, `a signed head is not accepted: ${error.message}`);
    return null;
  }
}

/** The head of so many entries, where there is one, is of these. @param {Table} table @param {number} size */
function compare(table, size) {
  const head = table.heads.get(size);
  if (!head) return;
  const { newest, log } = table;
  if (!isRoot(log.tree.root(size), head.root)) {
    table.fork(`the first ${size} entries are not those that were signed`, newest ? [newest, head] : [head]);
  } else if (newest === null || newest.size < size) table.newest = head;
}

/** A history came to its end, or the server refuses to go on: its log has `size` entries. @param {Table} table @param {number} size */
export function ended(table, size) {
  return inLine(table, () => {
    const { length } = table.log.entries;
    table.least = Math.max(table.least, length);
    if (size < table.least) {
      const beyond = [...table.heads.values()].filter((head) => head.size > size);
      table.fork(`the log went back: it has ${size} entries, and had ${table.least}`, beyond.slice(-1));
    }
    table.least = Math.max(table.least, size, table.awaited);
    if (length < size) table.fail("sequence", length, "a history ended before its last entry");
  });
}

/** Judge what came. To be called where a history ends, and after each commit from then on. @param {Table} table @returns {Promise<Seal>} */
export function judged(table) {
  return inLine(table, async (turn) => {
    if (table.changed) { // what was shown or emptied counts from its own place on
      table.log = Object.assign(new Report(table.log.header, table.log.entries), { tree: table.log.tree });
      [table.judged, table.ends, table.changed] = [0, 0, false];
    }
    const { log } = table;
    const some = log.entries.slice(table.judged);
    const size = log.entries.length;
    log.remarks.length = table.ends; // what was found of an end is put aside
    Object.assign(log.header, { origin: table.origin || log.header.origin, size });
    for (let at = 0; at < some.length; at += SOME) {
      parse(log, some.slice(at, at + SOME));
      await turn();
    }
    sequence(log, Date.now(), some);
    payloads(log, some);
    await walk(log, some, turn);
    transitions(log, commitsOf(some));
    rulings(log, commitsOf(some));
    log.place = ["parse", 0];
    log.need(table.judged || !log.id || log.id === table.id, "the first entry opens another table");
    [table.judged, table.ends] = [size, log.remarks.length];
    withheld(log);
    throwsAtEnd(log);
    firstWithheld(log);
    for (const old of table.gone.filter((each) => each.size <= size)) left(table, old);
    table.gone = table.gone.filter((each) => each.size > size);
    return seal(table);
  });
}

/** The log left one that is gone at an epoch of its own: none brings back what an earlier one took away. @param {Table} table @param {Kept & Gone} old */
function left(table, old) {
  const { epochs } = table;
  const at = epochs.findIndex(([seq, leaf], place) => old.epochs[place]?.[0] !== seq || old.epochs[place]?.[1] !== leaf);
  const parts = at >= 0 && epochs[at][0] < old.size && epochs[at][0] <= (old.epochs[at]?.[0] ?? Infinity);
  if (parts || isRoot(table.log.tree.root(old.size), old.root)) return;
  const covering = [...table.heads.values()].filter((head) => head.size >= old.size).sort((one, other) => one.size - other.size);
  table.fork(`the log left the ${old.size} entries of before at no epoch of its own`, [old, ...covering.slice(0, 1)]);
}

/**
 * What all comes to. `red`: something is wrong. `grey`: a throw that is shown, a command, a head or its
 * signature could not be checked. `head` is to be kept; `parts` has for each step the first that it found.
 *
 * @param {Table} table
 * @returns {Seal}
 */
export function seal(table) {
  const { newest, judged: size, forks, epochs } = table;
  const found = [...table.wrong, ...table.log.remarks, ...open(table)].map(({ step, seq, word, why }) => ({ seq, what: step, state: word, why }));
  const [wrong, unchecked] = ["wrong", "unchecked"].map((state) => /** @type {Verdict[]} */ (found.filter((each) => each.state === state)));
  const grey = !size || unchecked.some(({ what }) => !QUIET.includes(what));
  const parts = NAMES.flatMap((what) => {
    const worst = [...wrong, ...unchecked].find((each) => each.what === what);
    if (worst) return [{ what, state: worst.state, why: worst.why, entry: worst.seq }];
    const looked = what === "signature" ? newest?.signed : what === "tree" ? newest : size;
    return looked ? [{ what, state: /** @type {const} */ ("ok"), why: "", entry: null }] : [];
  });
  const head = newest && { size: newest.size, note: newest.note, signed: newest.signed, epochs: epochs.filter(([seq]) => seq < newest.size) };
  return { state: wrong.length ? "red" : grey ? "grey" : "green", size, wrong, unchecked, forks: [...forks], head, parts };
}

/** What of the signed heads could not be checked, and that the rules are not. @param {Table} table @returns {Generator<Remark>} */
function* open({ keys, heads, newest, judged: size, awaited }) {
  const of = (step, why) => ({ step, seq: null, word: "unchecked", why, kind: "" });
  if (heads.size && !keys.length) yield of("signature", "no key is known to check signatures with");
  if (!newest) yield of("tree", "no signed head of these entries has come");
  else if (newest.size < size) yield of("tree", `no signed head is of more than the first ${newest.size} entries`);
  if (awaited > size) yield of("tree", `${awaited} entries were signed, and ${size} are here`);
  if (size) yield of("rules", "the rules of the game are not checked here: urim audit does");
}

/** The leaf of an entry, as hex. @param {string} text what `entryText` gives */
export const leafHex = (text) => hexOf(sha256(utf8(text)));

// What a client hashes itself: docs/throws.md and docs/clients.md say when.
export { leafText as entryText };
export { commitment, hexOf, sha256, textHash, utf8 } from "./urimcheck.js";
