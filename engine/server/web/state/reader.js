// @ts-check
// What the server says in words about the newest table: sight, moves, accounts, the system.
// It is asked for after what happens, once for much that happens at once.

import { batch } from "@preact/signals-core";

import { ask, withParameters } from "./api.js";
import { shared } from "./same.js";
import * as shown from "./signals.js";

/**
 * @import { Account, HistoryBody, RollMoves, Sight } from "../urim"
 * @import { Table } from "./table.js"
 */

/** Milliseconds within which what happens is one. */
const COALESCE = 30;

/** Milliseconds after which is asked again where no answer came. */
const AGAIN = 3_000;

/** Accounts in one answer, as the server gives them. */
const PAGE = 50;

/** Rolls whose accounts are asked for one by one; more come as a history. */
const SINGLE = 4;

/** What is no news to who hears it: how shares are asked for and opened, and who takes part in them. */
export const QUIET = new Set(["share-anchored/1", "share-opened/1", "throw-planned/1", "throw-asked/1", "seat-taken/2"]);

/** The language of the server's sentences: accounts are in no other. */
export const SERVERS = "en";

/** Lines that are read aloud at once, at most. */
const SAID = 6;

/** Reads for one seat, into the signals. */
export class Reader {
  #origin;
  #table;
  #token;
  #changed;
  /** @type {ReturnType<typeof setTimeout>|undefined} */
  #timer;
  #busy = false;
  #wanted = false;
  #stopped = false;
  #spoken = -1;
  /** The rolls whose accounts are here, as they were then. @type {Map<number, unknown>} */
  #accounted = new Map();

  /** @param {{origin: string, table: string, token: string, changed: (sight: Sight) => void}} needs */
  constructor({ origin, table, token, changed }) {
    this.#origin = origin;
    this.#table = table;
    this.#token = token;
    this.#changed = changed;
  }

  /** Ask again soon. */
  refetch() {
    this.#wanted = true;
    if (this.#busy || this.#stopped) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#read(), COALESCE);
  }

  /** All words again, as after another language was chosen. */
  again() {
    this.#accounted.clear();
    this.refetch();
  }

  /** Ask no more. */
  stop() {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  async #read() {
    this.#busy = true;
    let good = true;
    while (this.#wanted && !this.#stopped && good) {
      this.#wanted = false;
      const [now, accounts] = await Promise.all([this.#readNow(), this.#readAccounts()]);
      good = now && accounts;
    }
    this.#busy = false;
    if (!good && !this.#stopped) {
      this.#timer = setTimeout(() => this.refetch(), AGAIN);
    }
  }

  /**
   * @param {string} path
   * @param {Record<string, string|number|null>} [more]
   * @returns {Promise<{body: unknown, again: boolean}>} body null where there is none; `again`: ask later
   */
  async #get(path, more = {}) {
    const full = withParameters(`/tables/${this.#table}${path}`, { language: shown.language.value, ...more });
    /** @type {import("./api.js").Answer<unknown>} */
    const answer = await ask(this.#origin, full, { token: this.#token });
    if (this.#stopped) return { body: null, again: false };
    if (answer.ok) return { body: answer.body, again: false };
    return { body: null, again: answer.status === 0 || answer.status === 429 || answer.status >= 500 };
  }

  /** What is shown together, so that it is drawn once. Whether nothing is left to be asked again. */
  async #readNow() {
    const { size } = shown.live.value;
    let [seen, offered, system] = await Promise.all([this.#get(""), this.#get("/moves"), this.#readSystem()]);
    // Two answers of a table that went on meanwhile: the moves may be about an older one than is seen.
    const found = /** @type {Sight|null} */ (seen.body);
    if (found && found.size > size) offered = await this.#get("/moves");
    if (this.#stopped) return true;
    batch(() => {
      shown.system.value = system;
      if (offered.body !== null) this.#showMoves(/** @type {RollMoves[]} */ (offered.body));
      if (found !== null) this.#showSight(found);
    });
    return !seen.again && !offered.again;
  }

  /** @param {Sight} sight */
  #showSight(sight) {
    shown.sight.value = shared(shown.sight.value, sight);
    this.#changed(shown.sight.value);
  }

  /** @param {RollMoves[]} moves */
  #showMoves(moves) {
    const before = [...shown.moves.value.values()];
    const found = shared(before, moves);
    if (found !== before) shown.moves.value = new Map(found.map((each) => [each.roll, each]));
  }

  /** The table's system, which does not change; null where it cannot be had. */
  async #readSystem() {
    const { system } = shown.live.value;
    if (shown.system.value !== null || system === "") return shown.system.value;
    /** @type {import("./api.js").Answer<Record<string, unknown>>} */
    const answer = await ask(this.#origin, `/systems/${system}`);
    return answer.ok ? answer.body : null;
  }

  /** The accounts of the rolls that changed since they were read. */
  async #readAccounts() {
    // What comes while the accounts are on their way is said with the next ones.
    const { size } = shown.live.value;
    const rolls = [...shown.live.value.rolls.values()].filter((roll) => !roll.sealed);
    const stale = rolls.filter((roll) => this.#accounted.get(roll.number) !== roll);
    if (!stale.length) {
      this.#say([], size);
      return true;
    }
    const found = stale.length > SINGLE
      ? await this.#history(Math.min(...stale.map((roll) => roll.number)) - 1)
      : await this.#single(stale.map((roll) => roll.number));
    if (found === null) return false;
    for (const roll of stale) this.#accounted.set(roll.number, roll);
    const seen = shown.accounts.value;
    const known = new Map([...seen].filter(([number]) => shown.live.value.rolls.has(number)));
    for (const account of found) known.set(account.roll, shared(known.get(account.roll), account));
    shown.accounts.value = known;
    this.#say(found, size, (roll) => seen.has(roll));
    return true;
  }

  /**
   * The newest steps, a line each, for who hears the page; of a roll that is shown only now what came out, too. Of a
   * history nothing is read out.
   *
   * @param {Account[]} found
   * @param {number} size  of the log when they were asked for
   * @param {(roll: number) => boolean} [seen]  whether a roll was there before
   */
  #say(found, size, seen = () => true) {
    const last = this.#spoken;
    this.#spoken = Math.max(last, size - 1);
    if (last < 0 || shown.language.value !== SERVERS) return;
    const lines = found.flatMap(({ roll, steps, outcome }) => {
      const own = steps.filter(({ seq, text }) => seq > last && seq < size && text && !QUIET.has(shown.live.value.log[seq]?.event?.type ?? ""))
        .map(({ seq, seat, text }) => ({ seq, text: `${/\broll \d/i.test(text) ? "" : `Roll ${roll}, `}${seat}: ${text}` }));
      const late = own.length && own.length < steps.length && !seen(roll) && outcome?.headline;
      return late ? [...own, { seq: own.at(-1)?.seq ?? 0, text: `Roll ${roll}: ${outcome.headline}` }] : own;
    });
    const newest = lines.toSorted((one, other) => one.seq - other.seq).slice(-SAID);
    shown.speaks(newest.map(({ seq, text }) => ({ key: `${seq} ${text}`, text })));
  }

  /** @param {number[]} numbers @returns {Promise<Account[]|null>} */
  async #single(numbers) {
    const answers = await Promise.all(numbers.map((number) => this.#get(`/rolls/${number}/account`)));
    if (answers.some(({ again }) => again)) return null;
    return answers.flatMap(({ body }) => (body === null ? [] : [/** @type {Account} */ (body)]));
  }

  /** @param {number} after @returns {Promise<Account[]|null>} */
  async #history(after) {
    /** @type {Account[]} */
    const found = [];
    for (let next = /** @type {number|null} */ (after); next !== null;) {
      const { body } = await this.#get("/history", { after: next, most: PAGE });
      if (body === null) return null;
      const page = /** @type {HistoryBody} */ (body);
      found.push(...page.accounts);
      next = page.after;
    }
    return found;
  }
}
