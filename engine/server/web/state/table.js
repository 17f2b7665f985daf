// @ts-check
// A table as its entries leave it: a pure fold. No DOM, no network, no signals.
//
// What the log alone does not say is in the server's sight, which is the truth for live views: what
// people call degrees, hands and tracks, the offers, and what damage would do after an earlier roll
// was voided or amended (the rules compute it again; here the announced effects count).

import { declared, evolved, nothing, recommitted } from "./rolls.js";
import { tracksOf } from "./tracks.js";

/**
 * @import { EntryLine, TableEvent, Payload } from "../urim"
 * @import { Roll } from "./rolls.js"
 * @import { Bounds, Tracks } from "./tracks.js"
 */

/**
 * A seat. `anchor` is its chain of shares, 64 hex digits, of which `asks` throws asked for a link; `key`
 * the public key that signs its commands, in base64.
 *
 * @typedef {{id: string, name: string, role: string, here: boolean, anchor: string|null, asks: number,
 *   key: string|null}} Seat
 */

/**
 * The throw that a table waits for: entry `seq` asked these seats, each for a link of its chain. Those
 * `waiting` opened none yet; those `left` have an anchor and were not asked. From `until` on, in
 * milliseconds since 1970, anybody may break it off.
 *
 * @typedef {{roll: number, throw: number, seat: string, seq: number, at: number, committed: number,
 *   asked: readonly (readonly [string, number])[], waiting: readonly string[], left: readonly string[],
 *   until: number}} Ask
 */

/**
 * @typedef {{id: string, name: string, seat: string, attributes: Readonly<Record<string, number>>,
 *   tracks: Readonly<Record<string, number>>, here: boolean}} Character
 */

/**
 * A text. `about` is `seat:ID` or `character:ID` for a name, `entry:SEQ` for a label, reason or note.
 *
 * @typedef {{seq: number, by: string, about: string, roll: number|null, text: string}} Words
 */

/**
 * An entry in the log. `event` is null where it is sealed (hidden, or an erased text); then `by` and
 * `type` are empty. `class` is as in the entry; `commit` the first entry of its commit; `about` the
 * entry that a note or a text is about.
 *
 * @typedef {{seq: number, at: number, commit: number, class: string, by: string, type: string,
 *   event: TableEvent|null, roll: number|null, about: number|null}} Logged
 */

/**
 * A table after `size` entries. `lines` are its entries as they were sent. `rolls` are those that this
 * seat knows, by number; one of which it knows only the number is `sealed`. `source` is where dice
 * come from (`fair`, `manual`, …). `kept_back` are the seats that kept a share back when a throw was
 * broken off, and did nothing since. At a table of `one_machine` one program plays every seat.
 *
 * @typedef {object} Table
 * @property {string} id
 * @property {number} size
 * @property {number} at  milliseconds since 1970 of the newest entry
 * @property {string} system
 * @property {number} version
 * @property {Readonly<Record<string, unknown>>} options
 * @property {string} level
 * @property {number} core
 * @property {string} source
 * @property {number} epoch
 * @property {boolean} one_machine
 * @property {Ask|null} ask
 * @property {readonly string[]} kept_back  by id
 * @property {Readonly<Record<string, Seat>>} seats
 * @property {Readonly<Record<string, Character>>} characters
 * @property {ReadonlyMap<number, Roll>} rolls
 * @property {ReadonlyMap<number, Words>} texts
 * @property {readonly Logged[]} log
 * @property {readonly EntryLine[]} lines
 * @property {Bounds} bounds  of tracks; empty where they are not known yet
 * @property {readonly Sheet[]} sheets  what set tracks without a roll
 */

/** @typedef {{seq: number, character: string, tracks: Record<string, number>, whole: boolean}} Sheet */

/** Milliseconds after an ask from which on a seat that opened no share keeps it back. */
const BREAKING = 10_000;

/**
 * A table without entries. `bounds` are those of tracks by name, as the sight's `tracks` has them;
 * they matter only where a roll is voided, amended or revealed.
 *
 * @param {Bounds} [bounds]
 * @returns {Table}
 */
export function empty(bounds = {}) {
  return {
    id: "", size: 0, at: 0, system: "", version: 0, options: {}, level: "player", core: 0, source: "",
    epoch: 0, one_machine: false, ask: null, kept_back: [],
    seats: copied({}), characters: copied({}),
    rolls: new Map(), texts: new Map(), log: [], lines: [], bounds, sheets: [],
  };
}

/**
 * The table after more entries, and after older ones that came again: each of these takes the place
 * of the one before. Rolls that did not change are the same objects as before.
 *
 * It is total: an entry that no honest server sends changes nothing but the log, and the entries after
 * one that was left out wait for it. To say so is the seal's.
 *
 * @param {Table} table
 * @param {readonly EntryLine[]} entries
 * @returns {Table}
 */
export function folded(table, entries) {
  const changed = entries.filter((line) => line.seq < table.size);
  const added = goingOn(entries, table.size);
  if (!changed.length) return added.length ? extended(table, added) : table;
  const lines = [...table.lines];
  for (const line of changed) lines[line.seq] = line;
  return likeBefore(table, extended(empty(table.bounds), [...lines, ...added]));
}

/** The new entries from this size on, without a gap. @param {readonly EntryLine[]} entries @param {number} size */
function goingOn(entries, size) {
  /** @type {EntryLine[]} */
  const found = [];
  for (const line of entries.toSorted((one, other) => one.seq - other.seq)) {
    if (line.seq === size + found.length) found.push(line);
  }
  return found;
}

/**
 * The same table with other bounds of its tracks.
 *
 * @param {Table} table
 * @param {Bounds} bounds
 * @returns {Table}
 */
export function bounded(table, bounds) {
  if (JSON.stringify(bounds) === JSON.stringify(table.bounds)) return table;
  return likeBefore(table, extended(empty(bounds), table.lines));
}

/**
 * The table as it was after the commit of entry `seq`, with what this seat may see of it now.
 *
 * @param {readonly EntryLine[]} lines  all entries, by their place
 * @param {number} seq
 * @param {Bounds} [bounds]
 * @returns {Table}
 */
export function at(lines, seq, bounds = {}) {
  const commit = lines[seq]?.commit;
  const end = lines.findIndex((line, place) => place > seq && line.commit !== commit);
  return extended(empty(bounds), end < 0 ? lines : lines.slice(0, end));
}

/** @type {WeakMap<EntryLine, Payload|null>} */
const opened = new WeakMap();

/**
 * What an entry holds; null where it is sealed, or no JSON: the seal says so then. It is parsed once.
 *
 * @param {EntryLine} line
 * @returns {Payload|null}
 */
export function payloadOf(line) {
  if (line.payload == null) return null;
  let payload = opened.get(line);
  if (payload === undefined) {
    payload = parsed(line.payload);
    opened.set(line, payload);
  }
  return payload;
}

/** Events of logs of version 0.2, which are read as the next version of them. @type {Record<string, string>} */
const OLDER = { "table-opened/2": "table-opened/3", "roll-revealed/1": "roll-revealed/2" };

/** @param {string} text @returns {Payload|null} */
function parsed(text) {
  try {
    const found = JSON.parse(text);
    const newer = OLDER[found?.event?.type];
    return newer ? { ...found, event: { ...found.event, type: newer } } : found;
  } catch {
    return null;
  }
}

/**
 * A table that is being folded: its containers are this fold's own and may be changed; what is in
 * them is not changed but replaced.
 *
 * @typedef {Omit<Table, "rolls"|"texts"|"log"|"lines"|"seats"|"characters"|"sheets"> & {
 *   rolls: Map<number, Roll>, texts: Map<number, Words>, log: Logged[], lines: EntryLine[],
 *   seats: Record<string, Seat>, characters: Record<string, Character>, sheets: Sheet[]}} Draft
 */

/** @param {Table} table @param {readonly EntryLine[]} added @returns {Table} */
function extended(table, added) {
  /** @type {Draft} */
  const draft = {
    ...table, rolls: new Map(table.rolls), texts: new Map(table.texts), log: [...table.log],
    lines: [...table.lines], seats: copied(table.seats), characters: copied(table.characters),
    sheets: [...table.sheets],
  };
  for (const line of added) taken(draft, line);
  settleTracks(draft);
  return draft;
}

/** @param {Draft} draft @param {EntryLine} line */
function taken(draft, line) {
  try {
    take(draft, line);
  } catch {
    // It is of no form that is known, or about what is not there.
  }
}

/** @param {Draft} draft @param {EntryLine} line */
function take(draft, line) {
  const event = payloadOf(line)?.event ?? null;
  const first = line.seq === line.commit ? null : draft.log[line.commit] ?? null;
  draft.size = line.seq + 1;
  draft.at = line.at;
  draft.lines[line.seq] = line;
  const logged = {
    seq: line.seq, at: line.at, commit: line.commit, class: line.class,
    by: event?.by ?? "", type: event?.type ?? "", event, roll: /** @type {number|null} */ (null),
    about: /** @type {number|null} */ (null),
  };
  draft.log[line.seq] = logged;
  if (event !== null && !line.class.startsWith("hidden")) heard(draft, event.by);
  if (event === null) {
    logged.roll = first?.roll ?? null; // an erased text belongs to its commit
    return;
  }
  if ("roll" in event) {
    logged.roll = event.roll;
    inRoll(draft, event, line);
    return;
  }
  const change = CHANGES[/** @type {keyof typeof CHANGES} */ (event.type)];
  change?.(draft, /** @type {any} */ (event), logged, first);
}

/** A seat that kept a share back did something. @param {Draft} draft @param {string} seat */
function heard(draft, seat) {
  if (draft.kept_back.includes(seat)) draft.kept_back = draft.kept_back.filter((each) => each !== seat);
}

/** @param {Draft} draft @param {Extract<TableEvent, {roll: number}>} event @param {EntryLine} line */
function inRoll(draft, event, line) {
  ofShares(draft, event, line);
  if (event.type === "roll-declared/2") {
    draft.rolls.set(event.roll, declared(event, line));
    return;
  }
  const known = draft.rolls.get(event.roll) ?? nothing(event.roll, line);
  draft.rolls.set(event.roll, evolved(known, event, line));
}

/** What an event about shares does to the table. @param {Draft} draft @param {Extract<TableEvent, {roll: number}>} event @param {EntryLine} line */
function ofShares(draft, event, { seq, at }) {
  const { ask } = draft;
  if (event.type === "throw-asked/1") {
    const { roll, throw: number, by: seat, committed, asked, left = [] } = event;
    const waiting = asked.map(([each]) => each);
    draft.ask = { roll, throw: number, seat, seq, at, committed, asked, waiting, left, until: at + BREAKING };
    for (const each of waiting) {
      const known = draft.seats[each];
      if (known?.anchor) draft.seats[each] = { ...known, asks: known.asks + 1 };
    }
  } else if (event.type === "share-opened/1" && ask) {
    const waiting = ask.waiting.filter((each) => each !== event.by);
    draft.ask = waiting.length ? { ...ask, waiting } : null;
  } else if (event.type === "throw-broken/1") {
    draft.ask = null;
    draft.kept_back = [...new Set([...draft.kept_back, ...event.kept])].sort();
  }
}

/** A seat without a chain of shares. */
const BARE = { anchor: null, asks: 0 };

/**
 * @template {TableEvent["type"]} K
 * @typedef {Extract<TableEvent, {type: K}>} EventOf
 */

/**
 * What each event outside the rolls changes; others change nothing here.
 *
 * @type {{[K in TableEvent["type"]]?:
 *   (draft: Draft, event: EventOf<K>, logged: Logged, first: Logged|null) => void}}
 */
const CHANGES = {
  "table-opened/3": (draft, event) => {
    const { table: id, ruleset: system, version, options, level, core, source, by, one_machine = false } = event;
    Object.assign(draft, { id, system, version, options, level, core, source, one_machine });
    draft.seats[by] = { id: by, name: by, role: "narrator", here: true, ...BARE, key: null };
  },
  "seat-taken/2": (draft, { seat, role, key = null, by }) => {
    const known = draft.seats[seat];
    const own = known?.here && by === seat;
    draft.seats[seat] = own ? { ...known, key }
      : { id: seat, name: known?.name ?? seat, role, here: true, ...BARE, key };
  },
  "seat-left/1": (draft, { seat }) => {
    const known = draft.seats[seat];
    if (known) draft.seats[seat] = { ...known, here: false, ...BARE };
  },
  "share-anchored/1": (draft, { by, anchor }) => {
    const known = draft.seats[by];
    if (known) draft.seats[by] = { ...known, anchor, asks: 0 };
  },
  "character-entered/1": (draft, event, { seq }) => {
    const { character: id, seat, attributes, tracks } = event;
    draft.characters[id] = { id, name: id, seat, attributes, tracks, here: true };
    draft.sheets.push({ seq, character: id, tracks, whole: true });
  },
  "character-given/1": (draft, { character, seat }) => withCharacter(draft, character, { seat }),
  "character-removed/1": (draft, { character }) => withCharacter(draft, character, { here: false }),
  "attribute-set/1": (draft, { character, attribute, value }) => {
    const attributes = { ...draft.characters[character]?.attributes, [attribute]: value };
    withCharacter(draft, character, { attributes });
  },
  "track-set/1": (draft, { character, track, value }, { seq }) => {
    draft.sheets.push({ seq, character, tracks: { [track]: value }, whole: false });
  },
  "reading-set/1": (draft, { name, value }) => {
    draft.options = { ...draft.options, [name]: value };
  },
  "noted/1": (draft, { about }, logged) => {
    logged.about = about;
    logged.roll = draft.log[about]?.roll ?? null;
  },
  "text-said/1": (draft, event, logged, first) => {
    if (first === null || first.event === null) return;
    const about = subject(first.event, first.seq);
    logged.roll = first.roll;
    logged.about = first.seq;
    draft.texts.set(logged.seq, { seq: logged.seq, by: event.by, about, roll: first.roll, text: event.text });
    rename(draft, about);
  },
  "entry-erased/1": (draft, { seq }, logged) => {
    const gone = draft.texts.get(seq);
    logged.roll = draft.log[seq]?.roll ?? null;
    logged.about = seq;
    draft.texts.delete(seq);
    if (gone) rename(draft, gone.about);
  },
  "epoch-begun/1": (draft, { epoch, commits }, { seq }) => {
    Object.assign(draft, { epoch, ask: null, kept_back: [] }); // it ends every chain of shares
    for (const [id, seat] of Object.entries(draft.seats)) draft.seats[id] = { ...seat, ...BARE };
    for (const fresh of commits) {
      const known = draft.rolls.get(fresh[0]);
      if (known) draft.rolls.set(fresh[0], recommitted(known, fresh, seq));
    }
  },
};

/** @param {Draft} draft @param {string} id @param {Partial<Character>} change */
function withCharacter(draft, id, change) {
  const known = draft.characters[id];
  if (known) draft.characters[id] = { ...known, ...change };
}

/** What the text of a commit is about, by its first event. @param {TableEvent} event @param {number} seq */
function subject(event, seq) {
  switch (event.type) {
    case "seat-taken/2":
    case "seat-named/1":
      return `seat:${event.seat}`;
    case "table-set/1":
      return "table";
    case "character-entered/1":
    case "character-named/1":
      return `character:${event.character}`;
    case "noted/1":
      return `entry:${event.about}`;
    default:
      return `entry:${seq}`;
  }
}

/** The newest name of a seat or a character counts. @param {Draft} draft @param {string} about */
function rename(draft, about) {
  const [kind = "", id = ""] = about.split(/:(.*)/s);
  if (kind === "entry") return;
  const names = [...draft.texts.values()].filter((each) => each.about === about);
  const name = names.at(-1)?.text ?? id;
  if (kind === "seat") {
    const seat = draft.seats[id];
    if (seat) draft.seats[id] = { ...seat, name };
  } else withCharacter(draft, id, { name });
}

/** @param {Draft} draft */
function settleTracks(draft) {
  /** @type {Tracks} */
  const tracks = tracksOf(draft.sheets, draft.rolls.values(), draft.bounds);
  for (const [id, values] of tracks) {
    const known = draft.characters[id];
    if (known && !same(known.tracks, values)) draft.characters[id] = { ...known, tracks: values };
  }
}

/** The table `after`, with what is the same as in `before` being the very same. @param {Table} before @param {Table} after @returns {Table} */
function likeBefore(before, after) {
  const rolls = new Map();
  for (const [number, roll] of after.rolls) {
    const known = before.rolls.get(number);
    rolls.set(number, known && same(known, roll) ? known : roll);
  }
  const characters = copied(after.characters);
  for (const [id, character] of Object.entries(characters)) {
    const known = before.characters[id];
    if (known && same(known, character)) characters[id] = known;
  }
  return { ...after, rolls, characters };
}

/**
 * A copy without a prototype: an id may be `constructor`.
 *
 * @template T
 * @param {Readonly<Record<string, T>>} record
 * @returns {Record<string, T>}
 */
function copied(record) {
  return Object.assign(Object.create(null), record);
}

/** @param {unknown} one @param {unknown} other */
function same(one, other) {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
