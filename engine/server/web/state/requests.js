// @ts-check
// Requests under way: each has an id, is sent under it until it is answered, and so is done once.

import { ask } from "./api.js";

/**
 * @import { Code, Command, DoneBody, Move, Text } from "../urim"
 * @import { Feed } from "./feed.js"
 * @import { Keeper } from "./kept.js"
 */

/**
 * What became of a request. `refused`: nothing was changed, `why` says it. `later`: it was not
 * answered yet, and is still sent. `lost`: the page stopped before it was answered.
 *
 * @typedef {{type: "done", request: string, seqs: readonly number[], size: number, head: string|null}} Done
 * @typedef {{type: "refused", request: string|null, code: Code|string, why: string,
 *   allowed: readonly string[], left_out: number, moves: readonly Move[]}} Refused
 * @typedef {{type: "later"|"lost", request: string, why: string}} Unanswered
 * @typedef {Done|Refused|Unanswered} Outcome
 */

/** @typedef {{request: string, body: string, text?: Text}} Asked */

/** Milliseconds until a request that waits is `later` for who asked. */
const PATIENCE = 20_000;

const SECOND = 1000;

/** Requests of which is remembered that they were made here. */
const REMEMBERED = 200;

/** The requests of one seat. */
export class Requests {
  /** @type {Map<string, {asked: Asked, answer: (outcome: Outcome) => void, posting: boolean}>} */
  #pending = new Map();
  #origin;
  #table;
  #token;
  #keeper;
  #key;
  #known;
  /** @type {Feed|null} */
  #feed = null;

  /** @param {{origin: string, table: string, token: string, keeper: Keeper, key: string}} needs */
  constructor({ origin, table, token, keeper, key }) {
    this.#origin = origin;
    this.#table = table;
    this.#token = token;
    this.#keeper = keeper;
    this.#key = `pending/${key}`;
    this.#known = `made/${key}`;
    for (const asked of keeper.value(this.#key) ?? []) {
      this.#pending.set(asked.request, { asked, answer: () => undefined, posting: false });
      this.#remember(asked.request); // a page of version 0.2 did not
    }
  }

  /** @param {Feed} feed  that they are sent over */
  over(feed) {
    this.#feed = feed;
  }

  /** The commands that are under way. @returns {Command[]} */
  get commands() {
    return [...this.#pending.values()].map(({ asked }) => JSON.parse(asked.body));
  }

  /** Whether this request was made in this browser. @param {string} request */
  made(request) {
    return this.has(request) || this.#made.includes(request);
  }

  /** @returns {string[]} */
  get #made() {
    return this.#keeper.value(this.#known) ?? [];
  }

  /** @param {string} request */
  #remember(request) {
    this.#keeper.keep(this.#known, [...new Set([...this.#made, request])].slice(-REMEMBERED));
  }

  /** Whether this request is under way. @param {string} request */
  has(request) {
    return this.#pending.has(request);
  }

  /**
   * Have something done. It is kept before it is sent. `patience` is in milliseconds; under one
   * `request` the same is done once, whatever asks for it.
   *
   * @param {Command} command
   * @param {{text?: Text|undefined, patience?: number, request?: string}} [how]
   * @returns {Promise<Outcome>}
   */
  ask(command, { text, patience = PATIENCE, request = `web-${hex(16)}` } = {}) {
    /** @type {Asked} */
    const asked = { request, body: JSON.stringify(command), ...(text ? { text } : {}) };
    return new Promise((answer) => {
      const late = () => answer({ type: "later", request, why: "not answered yet" });
      const timer = setTimeout(late, patience);
      /** @param {Outcome} outcome */
      const answered = (outcome) => {
        clearTimeout(timer);
        answer(outcome);
      };
      this.#pending.set(request, { asked, answer: answered, posting: false });
      this.#keep(request, asked);
      this.#remember(request);
      this.#send(asked);
    });
  }

  /** Send again what was not answered: after a cut, or a reload. */
  resend() {
    for (const { asked } of this.#pending.values()) this.#send(asked);
  }

  /**
   * An answer that came over the socket; one to no request of these is passed over.
   *
   * @param {Extract<import("../urim").FromServer, {type: "done"|"refused"|"later"}>} frame
   */
  take(frame) {
    if (frame.request === null) return;
    if (frame.type === "later") return this.#again(frame.request, frame.seconds);
    if (frame.type === "done") return this.#settle(frame.request, { ...frame, head: frame.head ?? null });
    this.#settle(frame.request, refusedBy(frame, frame.request));
  }

  /** Nothing will be answered here any more; what waits is sent again when the seat is taken up. @param {string} why */
  stop(why) {
    for (const [request, { answer }] of this.#pending) answer({ type: "lost", request, why });
    this.#feed = null;
  }

  /**
   * Nothing is asked any more, later neither: who asked heard that it is lost, and a reload sends
   * nothing to a server that was found wrong.
   *
   * @param {string} why
   */
  drop(why) {
    this.#feed = null;
    for (const request of [...this.#pending.keys()]) this.#settle(request, { type: "lost", request, why });
  }

  /** @param {Asked} asked */
  #send(asked) {
    const { request, body, text } = asked;
    if (this.#feed?.send({ type: "ask", request, body, ...(text ? { text } : {}) })) return;
    if (this.#feed?.link.state === "polling") void this.#post(asked);
  }

  /** @param {Asked} asked */
  async #post(asked) {
    const { request } = asked;
    const known = this.#pending.get(request);
    if (known === undefined || known.posting) return;
    known.posting = true;
    /** @type {import("./api.js").Answer<DoneBody>} */
    const answer = await ask(this.#origin, `/tables/${this.#table}/requests`, { token: this.#token, body: asked });
    known.posting = false;
    if (answer.ok) return this.#settle(request, { ...answer.body, type: "done" });
    const { problem, status } = answer;
    if (status === 0 || status === 429 || status >= 500) return this.#again(request, problem.retry_after ?? 1);
    this.#settle(request, refusedBy(problem, request));
  }

  /** @param {string} request @param {number} seconds */
  #again(request, seconds) {
    const known = this.#pending.get(request);
    if (known) setTimeout(() => this.#pending.has(request) && this.#send(known.asked), seconds * SECOND);
  }

  /** @param {string} request @param {Outcome} outcome */
  #settle(request, outcome) {
    const known = this.#pending.get(request);
    this.#pending.delete(request);
    this.#keep(request, null);
    known?.answer(outcome);
  }

  /** Another window of the same seat may keep its own beside these. @param {string} request @param {Asked|null} asked */
  #keep(request, asked) {
    /** @type {Asked[]} */
    const others = (this.#keeper.value(this.#key) ?? []).filter((/** @type {Asked} */ each) => each.request !== request);
    const left = asked ? [...others, asked] : others;
    this.#keeper.keep(this.#key, left.length ? left : null);
  }
}

/**
 * @param {{code: string, why: string, allowed?: string[], left_out?: number, moves?: Move[]}} problem
 * @param {string|null} request
 * @returns {Refused}
 */
export function refusedBy({ code, why, allowed = [], left_out = 0, moves = [] }, request) {
  return { type: "refused", request, code, why, allowed, left_out, moves };
}

/** So many random bytes as hex. @param {number} bytes */
export function hex(bytes) {
  const drawn = crypto.getRandomValues(new Uint8Array(bytes));
  return [...drawn].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
