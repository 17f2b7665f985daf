// @ts-check
// What the views read (signals) and what they may have done (actions). A view imports this alone.
//
// Actions are async and never throw for a refusal: it is what they give back.

import { signal } from "@preact/signals-core";

import { learn } from "../words/index.js";
import { ask as http, withParameters } from "./api.js";
import { CLIENTS, exchange } from "./exchange.js";
import { keeper, keyOf } from "./kept.js";
import { Playing } from "./playing.js";
import { hex, refusedBy } from "./requests.js";
import { UNSEALED } from "./seal.js";
import * as shown from "./signals.js";
import { THROWN, wasThrown } from "./steps.js";
import { empty } from "./table.js";

/**
 * @import { Choice, Command, InviteBody, InvitedBody, InvitationBody, Link, OpenTableBody, Preview, Refusal, Rollable, TableOpenedBody } from "../urim"
 * @import { KeptSeat } from "./kept.js"
 * @import { Outcome, Refused } from "./requests.js"
 * @import { Session } from "./signals.js"
 * @import { Wish } from "./throws.js"
 * @import { Signal } from "@preact/signals-core"
 */

export {
  accounts, commands, going, language, link, live, motion, moves, notices, place, present, seal, session, sharing, sight,
  spoken, stale, stepwise, system, table, theme, until, waiting,
} from "./signals.js";
export { THROWN };

const kept = keeper();

/** @type {Playing|null} */
let playing = null;

const origin = globalThis.location?.origin ?? "";

// --- coming in ------------------------------------------------------------------------------------

/** Seats that this browser holds, the last used first. @returns {KeptSeat[]} */
export const seats = () => kept.seats();

/** The host's token, where this browser has one. @returns {string|null} */
export const hostToken = () => kept.value("host");

/**
 * Begin: an invitation in the address leads to `join`, the host's link to `start` as the host; else
 * the seat that was used last is taken up.
 *
 * @param {string} [hash]  of the address
 */
export async function begin(hash = globalThis.location?.hash ?? "") {
  await inLanguage(kept.value("language") ?? guessedLanguage());
  for (const name of CHOSEN) shown[name].value = kept.value(name) ?? shown[name].value;
  const found = /^#([ih])=(urim-[ih]1-[\w-]{43})$/.exec(hash);
  if (found) {
    const secret = String(found[2]);
    if (found[1] === "h") return void (await becomeHost(secret));
    shown.place.value = { name: "join", kind: "invitation", secret };
    return;
  }
  if (hash.length > 1) {
    shown.place.value = { name: "dead", why: "malformed" };
    return;
  }
  const [last] = kept.seats();
  if (last) await sit(last);
  else toStart();
}

/** Leave the table that is shown, and keep its seat: to the start, as the host where this browser is. */
export function toStart() {
  stopPlaying();
  const token = hostToken();
  shown.session.value = token ? { origin, table: null, seat: null, role: "host", token, key: "" } : null;
  shown.place.value = { name: "start" };
}

/** A host that this browser is already spends no link. @param {string} secret */
async function becomeHost(secret) {
  const token = hostToken();
  const known = token ? await http(origin, "/access", { token }) : null;
  if (!known?.ok) return void (await join(secret));
  forgetHash();
  toStart();
}

/** Show a language, once its words are here. @param {"en"|"he"} language */
async function inLanguage(language) {
  if (await learn(language)) shown.language.value = language;
}

/** @returns {"en"|"he"} */
function guessedLanguage() {
  return globalThis.navigator?.language?.startsWith("he") ? "he" : "en";
}

/** Take up a seat that this browser holds. @param {KeptSeat} seat @param {boolean} [came]  by a link, just now */
export async function sit(seat, came = false) {
  stopPlaying();
  shown.link.value = { state: "connecting", since: Date.now(), why: "" }; // that of the table before has ended
  kept.keepSeat({ ...seat, used: Date.now() });
  const { table, seat: id, role, token, key, name } = seat;
  shown.session.value = { origin, table, seat: id, role, token, key, ...(name ? { name } : {}) };
  shown.place.value = { name: "table", table, came };
  for (const roll of kept.value(`acted/${keyOf(seat)}`) ?? []) shown.acted.add(roll);
  playing = new Playing(seat, { origin, keeper: kept, tell: (text, kind = "warning") => notify(text, kind) });
  await playing.begin();
}

function stopPlaying() {
  playing?.end();
  playing = null;
  shown.live.value = empty();
  shown.until.value = null;
  shown.sight.value = null;
  shown.moves.value = new Map();
  shown.waiting.value = { mine: [], others: [] };
  shown.present.value = [];
  shown.system.value = null;
  shown.accounts.value = new Map();
  shown.spoken.value = [];
  shown.acted.clear();
  shown.seal.value = UNSEALED;
  shown.sharing.value = { anchor: "", trouble: null };
}

/**
 * Exchange a link's secret for a seat, and sit down there; or become the host. `name` is what the
 * person is called at the table.
 *
 * @param {string} secret @param {string} [name] @returns {Promise<{type: "done"}|Refused>}
 */
export async function join(secret, name = "") {
  const answer = await exchange(origin, secret, kept);
  if (!answer.ok) {
    if (answer.status === 401) shown.place.value = { name: "dead", why: "no-token" };
    return refusedBy(answer.problem, null);
  }
  forgetHash();
  const { token, grant, key } = answer.body;
  const { table, seat, role } = grant;
  if (table === null || seat === null) {
    if (role === "host" && table === null) kept.keep("host", token);
    toStart();
    return { type: "done" };
  }
  await sit({ table, seat, role, token, key, ...(name ? { name } : {}) }, true);
  if (name) void ask({ do: "name-seat/1", seat }, name);
  return { type: "done" };
}

/** Where a link leads; nothing is taken. @param {string} secret @returns {Promise<InvitationBody|null>} */
export async function invitation(secret) {
  const answer = await http(origin, "/access/invitation", { body: { secret } });
  // Who is in by now stays in; where an exchange was begun and its answer lost, it may be repeated.
  const waits = shown.place.value.secret === secret && !kept.value(CLIENTS)?.[secret];
  if (answer.status === 401 && waits) shown.place.value = { name: "dead", why: "no-token" };
  return answer.ok ? answer.body : null;
}

/** The secret is used: it does not stay in the address. */
const forgetHash = () => globalThis.history?.replaceState(null, "", "/");

/** @typedef {Partial<OpenTableBody> & {table: string, ruleset: string}} Opening */
/**
 * Open a table as the host, and sit down as its narrator of that name; `title` is what people call the table.
 *
 * @param {Opening} wish @param {string} [name] @param {string} [title] @returns {Promise<{type: "done"}|Refused>}
 */
export async function openTable(wish, name = "", title = "") {
  const token = hostToken();
  const request = kept.value("opening") ?? `web-${hex(16)}`;
  kept.keep("opening", request);
  /** @type {import("./api.js").Answer<TableOpenedBody>} */
  const answer = await http(origin, "/tables", { token, body: { ...wish, request } });
  if (answer.ok || answer.status >= 400) kept.keep("opening", null);
  if (!answer.ok) return refusedBy(answer.problem, null);
  const done = await join(answer.body.invitation, name);
  if (title && done.type === "done") void ask({ do: "name-table/1" }, title);
  return done;
}

/** Remember what people call the table that is shown. @param {string} title */
export const called = (title) => playing && kept.keepSeat(Object.assign(playing.kept, { title }));

/**
 * Invite somebody to this table: to a new seat, or to `seat`.
 *
 * @param {InviteBody} wish
 * @returns {Promise<{type: "done", link: string, links: Link[], seat: string|null, id: string}|Refused>}
 */
export async function invite(wish) {
  const { table, token } = current();
  /** @type {import("./api.js").Answer<InvitedBody>} */
  const answer = await http(origin, `/tables/${table}/invitations`, { token, body: wish });
  if (!answer.ok) return refusedBy(answer.problem, null);
  const { link, links = [], invitation } = answer.body;
  return { type: "done", link, links, seat: invitation.seat, id: invitation.id };
}

/**
 * Give up the seat on this browser; it stays at the table. Refused where the server cannot take the
 * token back now: it would stay good.
 *
 * @returns {Promise<{type: "done"}|Refused>}
 */
export async function leave() {
  const seat = playing?.kept;
  if (seat) {
    const answer = await http(origin, "/access", { token: seat.token, method: "DELETE" });
    if (!answer.ok && answer.status !== 401) return refusedBy(answer.problem, null);
    await kept.forget(seat);
    toStart();
  }
  return { type: "done" };
}

// --- what is asked of the table -------------------------------------------------------------------

/** @returns {Session & {table: string, seat: string}} */
function current() {
  const session = shown.session.value;
  if (session === null || session.table === null || session.seat === null) {
    throw new Error("no seat is taken");
  }
  return /** @type {any} */ (session);
}

/** Nobody plays on this page. */
const NOBODY = refusedBy({ code: "stopped", why: "this page is no longer at the table" }, null);

/** Have something done, as `Seat.ask`. @param {Command} command @param {string|null} [text] @returns {Promise<Outcome>} */
export const ask = async (command, text = null) => playing?.ask(command, text) ?? NOBODY;

/**
 * Throw a hand, as `Seat.throwDice`; `how` are typed faces, or more of the wish.
 *
 * @param {number} number  of the roll
 * @param {string} hand
 * @param {(number|string)[]|Omit<Wish, "hand">|null} [how]
 * @returns {Promise<Outcome>}
 */
export async function throwDice(number, hand, how = null) {
  const wish = { hand, ...(Array.isArray(how) ? { faces: how } : how) };
  if (playing === null) return NOBODY;
  if (throwsNothing(number, wish)) {
    return ask({ do: "roll/1", roll: number, hand, ...(wish.option == null ? {} : { option: wish.option }) });
  }
  const outcome = await playing.throwDice(number, wish);
  if (outcome.type === "done") wasThrown(draft(THROWN, null), number, hand);
  return outcome;
}

/**
 * Break the throw off that waits for shares; ten seconds after it asked for them.
 *
 * @param {number} number  of its roll
 * @returns {Promise<Outcome>}
 */
export const breakOff = (number) => ask({ do: "break_throw/1", roll: number });

/** The player knows of what stood in the way of this seat's shares: it takes part again from here. */
export const acceptShares = () => playing?.acceptShares();

/** Whether the offer throws no dice: then nothing is committed to. @param {number} number @param {Wish} wish */
function throwsNothing(number, { hand, option, dice }) {
  if (dice) return false;
  const moves = shown.moves.value.get(number)?.moves ?? [];
  const offers = moves.filter((each) => each.trigger === "roll" || each.trigger === "ask")
    .flatMap((each) => (each.offers ?? []).filter((offer) => offer.trigger === "roll"));
  const own = offers.filter((offer) => offer.hand === hand);
  return option === 0 || own.some((offer) => Boolean(offer.link) || !offer.dice?.length);
}

/**
 * What a command would lead to. Nothing is done.
 *
 * @param {Command} command @returns {Promise<Preview|Refused>}
 */
export async function preview(command) {
  const { table, token } = current();
  const path = withParameters(`/tables/${table}/preview`, { language: shown.language.value });
  /** @type {import("./api.js").Answer<Preview|Refusal>} */
  const answer = await http(origin, path, { token, body: { body: JSON.stringify(command) } });
  return answer.ok ? (answer.body.type === "preview" ? answer.body : refusedBy(answer.body, null)) : refusedBy(answer.problem, null);
}

/** A part of the table's; null where it cannot be known. @param {string} part @param {Record<string, any>} given @returns {Promise<any>} */
export async function listed(part, given) {
  const { table, token } = current();
  const answer = await http(origin, withParameters(`/tables/${table}/${part}`, given), { token });
  return answer.ok ? answer.body : null;
}

/** @typedef {{reacts_to?: number, follows?: number, link?: string, so_far?: object}} Given */
/** What a field of a form may be filled with now. @param {string} character @param {string} field @param {Given} [given] @returns {Promise<Choice[] | null>} */
export const choicesOf = (character, field, { so_far, ...given } = {}) =>
  listed("choices", { character, field, ...given, so_far: so_far && JSON.stringify(so_far) });

/** The rolls that a character's sheet begins, or that answer one. @param {string} character @param {Given} [given] @returns {Promise<Rollable[] | null>} */
export const rollablesOf = (character, given) => listed("rollables", { character, ...given });

/**
 * Save the bundle, of the table or of one roll, as a file that anybody can audit.
 *
 * @param {number} [roll] @returns {Promise<{type: "done", name: string, text: string}|Refused>}
 */
export async function bundle(roll) {
  const { table, token } = current();
  const path = withParameters(`/tables/${table}/bundle`, { roll: roll ?? null });
  /** @type {import("./api.js").Answer<string>} */
  const answer = await http(origin, path, { token, text: true });
  if (!answer.ok) return refusedBy(answer.problem, null);
  const name = `${table}${roll === undefined ? "" : `-roll-${roll}`}.urim.jsonl`;
  return { type: "done", name, text: answer.body };
}

// --- what the browser keeps for the views ----------------------------------------------------------

/** @type {Map<string, Signal<any>>} */
const drafts = new Map();

/**
 * A half-typed form, by a key of its own: a signal that outlives events and reloads.
 *
 * @param {string} key
 * @param {any} [initial]
 * @returns {Signal<any>}
 */
export function draft(key, initial = {}) {
  const name = `draft/${shown.session.value ? keyOf(/** @type {any} */ (shown.session.value)) : ""}/${key}`;
  let found = drafts.get(name);
  if (found === undefined) {
    found = signal(kept.value(name) ?? initial);
    drafts.set(name, found);
    found.subscribe((value) => void kept.keep(name, value === initial ? null : value));
  }
  return found;
}

/** Forget a half-typed form: it was sent, or taken back. @param {string} key @param {any} [initial] */
export function undoDraft(key, initial = {}) {
  const found = draft(key, initial);
  found.value = structuredClone(initial);
}

/** @param {"en"|"he"} language */
export async function speak(language) {
  kept.keep("language", language);
  await inLanguage(language);
  playing?.reader.again();
}

/** What a browser keeps of how its page looks and goes on. @type {readonly ("theme"|"motion"|"stepwise")[]} */
const CHOSEN = ["theme", "motion", "stepwise"];

/** Choose one of them. @param {typeof CHOSEN[number]} name @param {any} value */
export function choose(name, value) {
  shown[name].value = value;
  kept.keep(name, value);
}

let notice = 0;

/** Show a notice. @param {string} text @param {"info"|"warning"|"fault"} [kind] */
export function notify(text, kind = "info") {
  shown.notices.value = [...shown.notices.value.slice(-4), { id: ++notice, text, kind }];
}

/** Take a notice away. @param {number} id */
export function dismiss(id) {
  shown.notices.value = shown.notices.value.filter((each) => each.id !== id);
}

/**
 * The player knows that the table was restored from a backup: what was kept of it is forgotten, and
 * its entries are taken as they are now.
 */
export async function acceptBackup() {
  const seat = playing?.kept;
  if (!seat) return;
  playing?.sealing.forget();
  playing?.shares.forget();
  await kept.entries.drop(keyOf(seat));
  await sit(seat);
}

/** After sleep, or when the network is back. */
export const wake = () => playing?.feed.wake();

/** The network is gone. */
export const sleep = () => playing?.feed.sleep();
