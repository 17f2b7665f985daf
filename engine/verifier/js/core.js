// A table's log as one seat gets it: entries and signed heads in as they come, verdicts out.
// @ts-check

import { hexOf, utf8 } from "./bytes.js";
import { textHash } from "./commits.js";
import { DISCLOSED, entryText, leafHex, SEALED } from "./entry.js";
import { misfit } from "./events.js";
import { Fold, unsealed } from "./fold.js";
import { Heads } from "./heads.js";
import { NotJson, parseJson } from "./json.js";
import { rootOf, Tree } from "./merkle.js";
import { differing, seal, throws, verdicts } from "./seal.js";
import { sha256 } from "./sha256.js";
import { commitment, nonceCommitment, throwId } from "./throw.js";
import { Verdicts, verdict } from "./verdicts.js";

/** @typedef {import("./verdicts.js").Verdict} Verdict */
/** @typedef {ReturnType<typeof unsealed>} Kept */

/**
 * What is known of a table; only the functions of this module look inside.
 *
 * @typedef {object} State
 * @property {string} table
 * @property {Heads} heads
 * @property {Kept[]} records every entry, at its place
 * @property {Tree} tree over the leaves of all of them
 * @property {Fold | null} fold
 * @property {Verdicts} report
 * @property {number} judged how many entries are
 * @property {Set<number>} changed entries that were replaced since they were judged
 * @property {[number, string][]} epochs the entries that begin one, with their leaves
 * @property {Verdict[]} wrong what no later entry can mend
 * @property {Map<number | null, string>} given what was found of each entry, as text, but for what is ok
 * @property {() => Promise<void>} pause
 * @property {number} worked milliseconds since the last pause
 * @property {Promise<unknown>} line the work that was asked for
 */

const [PARSE, SEQUENCE, PAYLOADS] = [1, 4, 5];

/** Milliseconds of work at once. */
const TURN = 12;

const rest = () => new Promise((resume) => setTimeout(resume, 0));

// --- what goes in ---------------------------------------------------------------------------------

/**
 * Begin with a table of which no entry is here. `key` is its vkey, or several; without one no
 * signature is checked. `heads` are notes that were kept from before, oldest first; `gone` the logs
 * that were left at restores which the player accepted. `pause` lets others work, after `TURN` ms
 * each. Throws BadNote for a key that is no vkey.
 *
 * @param {{table: string, key?: string | string[] | null, heads?: string[],
 *   gone?: readonly import("./heads.js").Gone[], pause?: () => Promise<any>}} asked
 * @returns {State}
 */
export function begin({ table, key = null, heads = [], gone = [], pause = rest }) {
  const report = new Verdicts();
  /** @type {State} */
  const state = {
    ...{ table, heads: new Heads(table, key === null ? [] : [key].flat()), records: [], report },
    ...{ tree: new Tree(), fold: null, judged: 0, changed: new Set(), wrong: [], given: new Map() },
    epochs: [],
    ...{ pause, worked: 0, line: Promise.resolve() },
  };
  for (const note of heads) {
    inLine(state, async () => {
      await head(state, note);
      state.heads.least = Math.max(state.heads.least, state.heads.awaited);
    });
  }
  for (const each of gone) inLine(state, () => state.heads.left(each));
  return state;
}

/**
 * Take over lines as the seat got them: objects, or JSON as text. `entries` are new ones, in order;
 * one that is here and the same is passed over. `changed` are lines that replace older ones, which
 * a reveal opened, or which were emptied. What is wrong with them is in the next verdicts.
 *
 * @param {State} state
 * @param {readonly (object | string)[]} entries
 * @param {readonly (object | string)[]} [changed]
 * @returns {Promise<void>}
 */
export function took(state, entries, changed = []) {
  return inLine(state, async (turn) => {
    for (const line of [...entries, ...changed]) {
      await turn();
      const entry = formed(state, line);
      if (entry !== null) take(state, entry);
    }
  });
}

/** Take over a signed head, before or after its entries. @param {State} state @param {string} note */
export function headed(state, note) {
  return inLine(state, () => head(state, note));
}

/**
 * A history came to its end, or the server refuses to go on: its log has `size` entries. It is
 * wrong where it had more before, or where not all of them came.
 *
 * @param {State} state
 * @param {number} size
 */
export function ended(state, size) {
  return inLine(state, async () => {
    const { length } = state.records;
    state.heads.least = Math.max(state.heads.least, length);
    state.heads.ended(size);
    if (length < size) {
      const why = "a history ended before its last entry";
      state.wrong.push(verdict(SEQUENCE, length, "wrong", why, `${size} entries`, length));
    }
  });
}

/** Do work after all that was asked for before. */
async function inLine(
  /** @type {State} */ state,
  /** @type {(turn: () => Promise<void>) => Promise<any>} */ work,
) {
  const before = state.line;
  const done = before.then(async () => {
    let from = performance.now();
    const turn = async () => {
      if (state.worked + performance.now() - from < TURN) return;
      await state.pause();
      [state.worked, from] = [0, performance.now()];
    };
    const found = await work(turn);
    state.worked += performance.now() - from;
    return found;
  });
  state.line = done.catch(() => {});
  return done;
}

/** An entry of the form that a line has, or null, and that is wrong. @returns {any} */
function formed(/** @type {State} */ state, /** @type {any} */ line) {
  let [entry, wrong] = [line, ""];
  try {
    if (typeof line === "string") entry = parseJson(line, 1);
    const { salt = null, payload = null, ...sealed } = Object(entry);
    const whole = salt !== null || payload !== null;
    entry = whole ? { ...sealed, salt, payload } : sealed;
    wrong = misfit(entry, whole ? DISCLOSED : SEALED) ?? "";
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    wrong = error.message;
  }
  if (!wrong) return entry;
  const seq = Number.isSafeInteger(entry?.seq) ? entry.seq : state.records.length;
  state.wrong.push(verdict(PARSE, seq, "wrong", `a line is no entry: ${wrong}`));
  return null;
}

function take(/** @type {State} */ state, /** @type {any} */ entry) {
  const { records, tree, heads } = state;
  const { seq } = entry;
  if (seq < records.length) {
    replace(state, entry);
  } else if (seq > records.length) {
    const why = "entries before this one did not come";
    state.wrong.push(verdict(SEQUENCE, seq, "wrong", why, `entry ${records.length}`, `entry ${seq}`));
  } else {
    const record = unsealed(entry);
    records.push(record);
    tree.append(record.leaf);
    if (record.read?.event.type === "epoch-begun/1") state.epochs.push([seq, hexOf(record.leaf)]);
    if (heads.waits(tree.size)) heads.grown(tree.size, tree.root());
  }
}

/** A line of an entry that is here: the same one, with as much of it, or more, or less. */
function replace(/** @type {State} */ state, /** @type {any} */ entry) {
  const { seq } = entry;
  const known = state.records[seq].entry;
  const both = known.payload !== undefined && entry.payload !== undefined;
  for (const name of [...Object.keys(SEALED), ...(both ? ["salt", "payload"] : [])]) {
    if (known[name] === entry[name]) continue;
    const why = `the entry came before with another ${name}`;
    state.wrong.push(verdict(PAYLOADS, seq, "wrong", why, known[name], entry[name]));
    return;
  }
  if (known.payload === entry.payload) return;
  state.records[seq] = unsealed(entry);
  if (seq < state.judged) state.changed.add(seq);
}

async function head(/** @type {State} */ state, /** @type {string} */ note) {
  const { heads, tree, records } = state;
  const found = await heads.read(note);
  if (found === null) return;
  const { size } = found;
  if (size > tree.size) heads.wait(found);
  else heads.fits(found, size === tree.size ? tree.root() : rootOf(records.slice(0, size)));
}

// --- what is judged -------------------------------------------------------------------------------

/**
 * Judge what came, and give the verdicts that are new or have changed. To be called where a history
 * ends, and after each commit from then on: within a history a roll may be shown whose declaration
 * comes with a later commit.
 *
 * @param {State} state
 * @returns {Promise<Verdict[]>}
 */
export function judged(state) {
  return inLine(state, async (turn) => {
    const first = state.judged;
    const news = state.changed;
    // What was shown or emptied counts from its own place on, so that all is folded once more.
    const fold = state.fold === null || news.size ? newFold(state) : state.fold;
    const { report } = fold;
    while (fold.entries < state.records.length) {
      await turn();
      const record = state.records[fold.entries];
      report.seq = record.entry.seq;
      fold.take(record);
      if (fold.entries === 1) ofTable(state, fold);
    }
    await fold.settle(turn);
    report.ends(() => fold.end());
    const { heads, tree, records, epochs } = state;
    heads.hold(tree.size, (size) => rootOf(records.slice(0, size)), epochs);
    Object.assign(state, { fold, report, judged: fold.entries, changed: new Set() });
    for (let seq = first; seq < state.judged; seq++) news.add(seq);
    /** @type {Verdict[]} */
    const given = [];
    for (const some of differing(state, news)) {
      await turn();
      given.push(...some);
    }
    return given;
  });
}

/** The log's origin is that of its heads, and the name of its keys. */
function newFold(/** @type {State} */ { heads }) {
  /** @type {any} */
  const known = { origin: () => heads.origin || heads.keys[0]?.name || null };
  return new Fold(new Verdicts(), known);
}

/** The table that the first entry opens is the one that was asked for. */
function ofTable(/** @type {State} */ { table }, /** @type {Fold} */ { opened, report }) {
  if (opened === null || opened.table === table) return;
  report.fail(PARSE, 0, "the first entry opens another table", table, opened.table);
}

// What comes out, and what a client hashes itself: docs/throws.md and docs/clients.md say when.
export { seal };
export { throws };
export { verdicts };
export { commitment };
export { nonceCommitment };
export { textHash };
export { throwId };
export { entryText };
export { hexOf };
export { leafHex };
export { sha256 };
export { utf8 };
