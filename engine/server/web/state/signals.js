// @ts-check
// What all views read.

import { computed, signal } from "@preact/signals-core";

import { UNSEALED } from "./seal.js";
import { at, empty } from "./table.js";

/**
 * @import { Account, Awaited, Awaiting, RollMoves, Sight } from "../urim"
 * @import { Link } from "./feed.js"
 * @import { Seal } from "./seal.js"
 * @import { Trouble } from "./shares.js"
 * @import { Table } from "./table.js"
 * @import { Signal } from "@preact/signals-core"
 */

/**
 * Who one is here. `table` and `seat` are null for the host.
 * @typedef {{origin: string, table: string|null, seat: string|null, role: string, token: string,
 *   key: string, name?: string}} Session
 */

/**
 * Where the page is. `start`: nobody is anybody yet. `join`: a link with `secret` was opened. `dead`:
 * a link that opens nothing, or a seat that is gone: `why` is `no-token`, `left`, or a code. `table`:
 * at a table, also of what was kept of it, without a network (`link`); `came` there by a link just now.
 *
 * @typedef {{name: "start"|"join"|"dead"|"table", secret?: string, kind?: "invitation"|"host",
 *   why?: string, table?: string, came?: boolean}} Place
 */

/** @typedef {{id: number, text: string, kind: "info"|"warning"|"fault"}} Notice */

/** @type {Signal<Session|null>} */
export const session = signal(null);

/** @type {Signal<Place>} */
export const place = signal({ name: "start" });

/** The newest table. @type {Signal<Table>} */
export const live = signal(empty());

/** The entry to which the slider takes the page back; null: now. @type {Signal<number|null>} */
export const until = signal(null);

/** The table that is shown. */
export const table = computed(() =>
  until.value === null ? live.value : at(live.value.lines, until.value, live.value.bounds));

/** The server's words about the newest table. @type {Signal<Sight|null>} */
export const sight = signal(null);

/** What may be done now, by roll; null: about no roll yet. @type {Signal<ReadonlyMap<number|null, RollMoves>>} */
export const moves = signal(new Map());

/** @type {Signal<{mine: readonly Awaiting[], others: readonly Awaited[]}>} */
export const waiting = signal({ mine: [], others: [] });

/** How many commands this page has asked for, and how many of these have ended. @type {Signal<{asked: number, ended: number}>} */
export const commands = signal({ asked: 0, ended: 0 });

/** Rolls in which somebody has done something on this page, and that may go on. @type {Set<number>} */
export const acted = new Set();

/** Rolls in which the page does a step by itself just now. @type {Signal<ReadonlySet<number>>} */
export const going = signal(new Set());

/** Whether this browser stops at every step, also where nothing is to be decided. @type {Signal<boolean>} */
export const stepwise = signal(false);

/** Seats with a connection now: a hint. @type {Signal<readonly string[]>} */
export const present = signal([]);

/** The body of `/systems/NAME`. @type {Signal<Record<string, any>|null>} */
export const system = signal(null);

/** What happened in each roll, in the server's words. @type {Signal<ReadonlyMap<number, Account>>} */
export const accounts = signal(new Map());

/** @type {Signal<Seal>} */
export const seal = signal(UNSEALED);

/** The anchor of this browser's shares, "" for none, and why it opens none. @type {Signal<{anchor: string, trouble: Trouble|null}>} */
export const sharing = signal({ anchor: "", trouble: null });

/** @type {Signal<Link>} */
export const link = signal({ state: "connecting", since: Date.now(), why: "" });

/** @type {Signal<"en"|"he">} */
export const language = signal("en");

/** @type {Signal<"auto"|"dark"|"light"|"contrast">} */
export const theme = signal("auto");

/** Whether dice fall and things move: as the device says, or not at all. @type {Signal<"auto"|"none">} */
export const motion = signal("auto");

/** @type {Signal<readonly Notice[]>} */
export const notices = signal([]);

/** Lines that stay in the place that is read aloud. */
const LINES = 8;

/** What is read aloud, the newest last. @type {Signal<readonly {key: string, text: string}[]>} */
export const spoken = signal(/** @type {readonly {key: string, text: string}[]} */ ([]));

/**
 * Have these lines read aloud. They are added to what is said, for it is drawn later than the next ones may come.
 *
 * @param {readonly {key: string, text: string}[]} more
 */
export function speaks(more) {
  const others = spoken.value.filter(({ key }) => !more.some((each) => each.key === key));
  if (more.length) spoken.value = [...others, ...more].slice(-LINES);
}

/** Another version of the page is on the server than the one that is open. */
export const stale = signal(false);
