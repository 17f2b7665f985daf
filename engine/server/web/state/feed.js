// @ts-check
// The table as it happens: a socket that comes back by itself, or entries over HTTP where none opens.

import { ask, withParameters } from "./api.js";

/** @import { AwaitingBody, EntryLine, FromClient, FromServer } from "../urim" */

/**
 * How the connection is. `live`: all is here. `connecting`: it is tried (again). `polling`: no socket
 * opens here, entries are asked for. `offline`: nobody answers, or the browser has no network.
 * `stopped`: for good; `why` is `no-token`, `left`, `forked` or `closed`, or a sentence.
 *
 * @typedef {{state: "live"|"connecting"|"polling"|"offline"|"stopped", since: number, why: string}} Link
 */

/**
 * Times in milliseconds. A connection that fails is tried again after a random part of `first`, then
 * of twice as much, and of `most` in the end.
 *
 * @typedef {{first: number, most: number, patience: number, poll: number, retry: number, alive: number}} Times
 */

/** @type {Times} */
export const TIMES = { first: 500, most: 30_000, patience: 10_000, poll: 2_000, retry: 60_000, alive: 4_000 };

/** Sockets that fail, one after the other, before entries are asked for over HTTP. */
const TRIES = 2;

/** Why a socket was closed: see `CloseCode`. */
const CODE = { stops: 1012, noToken: 4401, forked: 4409, left: 4410, tooMany: 4429, broken: 1011 };

/**
 * How long to wait before attempt number `attempt`, from 0: milliseconds.
 *
 * @param {Times} times
 * @param {number} attempt
 * @param {() => number} [draw]  a number from 0 up to 1
 */
export function delay(times, attempt, draw = Math.random) {
  return Math.min(times.most, times.first * 2 ** Math.min(attempt, 30)) * draw();
}

/**
 * @typedef {object} Needs
 * @property {string} origin  as https://dice.example
 * @property {string} table
 * @property {string} token
 * @property {() => number} size  how many entries are here
 * @property {(frame: FromServer) => void} take  what came, in order; what is polled, as frames too
 * @property {(link: Link) => void} linked  how the connection is, whenever that changes
 * @property {Times} [times]
 */

/** The connection of one seat. `open` it once; `close` ends it for good. */
export class Feed {
  /** @type {WebSocket|null} */
  #socket = null;
  #entered = false;
  #closed = false;
  #attempt = 0;
  #failures = 0;
  /** Whether the server answered over HTTP since a socket was last open. */
  #reached = false;
  #heard = 0;
  /** @type {ReturnType<typeof setTimeout>|undefined} */
  #timer;
  /** @type {ReturnType<typeof setTimeout>|undefined} */
  #watch;
  /** @type {Link} */
  #link = { state: "connecting", since: Date.now(), why: "" };
  #needs;
  #times;
  #round = 0;

  /** @param {Needs} needs */
  constructor(needs) {
    this.#needs = needs;
    this.#times = needs.times ?? TIMES;
  }

  /** Whether frames can be sent now. */
  get entered() {
    return this.#entered;
  }

  /** @returns {Link} */
  get link() {
    return this.#link;
  }

  /** Connect, at once. */
  open() {
    if (this.#closed) return;
    clearTimeout(this.#timer);
    this.#drop();
    if (this.#link.state !== "polling") this.#say("connecting", "");
    const { origin, table, token, size } = this.#needs;
    const socket = new WebSocket(`${origin.replace(/^http/, "ws")}/tables/${table}/socket`);
    this.#socket = socket;
    this.#watch = setTimeout(() => this.#lost(socket, 0), this.#times.patience);
    socket.onopen = () => this.#write({ type: "enter", token, after: size() - 1, waiting: true });
    socket.onmessage = ({ data }) => this.#take(socket, String(data));
    socket.onclose = ({ code }) => this.#lost(socket, code);
  }

  /** Send a frame; whether it could be sent. @param {FromClient} frame */
  send(frame) {
    return this.#entered && this.#write(frame);
  }

  /** After sleep, or when the network is back: see at once whether the connection still is. */
  wake() {
    if (this.#closed) return;
    if (!this.#entered || this.#socket?.readyState !== WebSocket.OPEN) return this.#hurry();
    const [socket, before] = [this.#socket, this.#heard];
    this.#write({ type: "prove", size: Math.max(1, this.#needs.size()) });
    setTimeout(() => {
      if (this.#socket === socket && this.#heard === before) this.#hurry();
    }, this.#times.alive);
  }

  /** The browser says that there is no network. */
  sleep() {
    if (this.#closed) return;
    clearTimeout(this.#timer);
    this.#drop();
    this.#round++;
    this.#say("offline", "offline");
    this.#timer = setTimeout(() => this.open(), this.#times.most); // it may be wrong
  }

  /** End it for good. @param {string} [why] */
  close(why = "closed") {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#drop();
    this.#say("stopped", why);
  }

  #hurry() {
    this.#attempt = this.#failures = 0;
    this.open();
  }

  /** @param {FromClient} frame */
  #write(frame) {
    if (this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(JSON.stringify(frame));
    return true;
  }

  /** @param {WebSocket} socket @param {string} data */
  #take(socket, data) {
    if (socket !== this.#socket) return;
    this.#heard++;
    /** @type {FromServer} */
    let frame;
    try {
      frame = JSON.parse(data);
    } catch {
      return socket.close();
    }
    if (frame.type === "entered") {
      clearTimeout(this.#watch);
      this.#round++;
      this.#entered = true;
      this.#reached = false;
      this.#failures = 0;
    }
    if (frame.type === "caught-up") {
      this.#attempt = 0;
      this.#say("live", "");
    }
    this.#needs.take(frame);
  }

  /** A socket ended, by this code of its server's. @param {WebSocket} socket @param {number} code */
  #lost(socket, code) {
    if (socket !== this.#socket || this.#closed) return;
    const entered = this.#entered;
    this.#drop();
    if (code === CODE.left) return this.close("left");
    if (code === CODE.forked) return this.close("forked");
    if (code === CODE.noToken) return void this.#whoAmI();
    if (code === CODE.tooMany || code === CODE.broken) this.#attempt = Math.max(this.#attempt, 4);
    if (!entered && code < 4000 && code !== CODE.stops) this.#failures++;
    if (this.#failures >= TRIES) return void this.#poll(++this.#round);
    this.#again(code ? `closed: ${code}` : "no answer");
  }

  /** @param {string} why */
  #again(why) {
    const online = globalThis.navigator?.onLine !== false;
    this.#say(online && this.#attempt < TRIES ? "connecting" : "offline", why);
    this.#timer = setTimeout(() => this.open(), delay(this.#times, this.#attempt++));
  }

  /** The server knows no such token here: is it gone, or may it not follow the table? */
  async #whoAmI() {
    const { origin, token } = this.#needs;
    const answer = await ask(origin, "/access", { token });
    if (this.#closed) return;
    if (!answer.ok && answer.status !== 401) return this.#again(answer.problem.why);
    this.close(answer.ok ? "no-right" : "no-token");
  }

  // --- without a socket ---------------------------------------------------------------------------

  /** Ask for entries again and again, and try a socket now and then. @param {number} round */
  async #poll(round) {
    const { poll, retry, most } = this.#times;
    const until = Date.now() + retry;
    let failures = 0;
    let answered = false;
    while (!this.#closed && round === this.#round) {
      const good = await this.#fetch(round);
      if (this.#closed || round !== this.#round) return;
      answered ||= good;
      if (!answered) { // it is not sockets that fail: there is no server
        this.#reached = false;
        this.#failures = 0;
        return this.#again(this.#link.why);
      }
      if (!this.#reached) { // it may have come back only now: one socket more
        this.#reached = true;
        this.#failures = TRIES - 1;
        return this.open();
      }
      failures = good ? 0 : failures + 1;
      const wait = good ? poll : Math.min(most, poll * 2 ** failures) * Math.random();
      if (Date.now() > until) {
        this.#failures = TRIES - 1;
        this.#timer = setTimeout(() => this.open(), wait);
        return;
      }
      await new Promise((resume) => (this.#timer = setTimeout(resume, wait)));
    }
  }

  /** One look; whether the server answered. @param {number} round */
  async #fetch(round) {
    const { origin, table, token, size, take } = this.#needs;
    const before = size();
    const path = withParameters(`/tables/${table}/entries`, { after: before - 1 });
    /** @type {import("./api.js").Answer<string>} */
    const answer = await ask(origin, path, { token, text: true });
    if (this.#closed || round !== this.#round) return true;
    if (!answer.ok) {
      if (answer.status === 401) this.close("no-token");
      else if (answer.problem.code === "forked") {
        // The problem has the head, whose second line is the size.
        take({ type: "forked", size: Number(answer.problem.head?.split("\n")[1] ?? 0), head: answer.problem.head ?? null });
        this.close("forked");
      } else this.#say("offline", answer.problem.why);
      return answer.status === 401;
    }
    if (this.#reached) this.#say("polling", "no-socket");
    const frames = commitsOf(answer.body, before);
    for (const frame of frames) take(frame);
    if (frames.length || before === 0 || this.#heard === 0) await this.#head(round);
    this.#heard++;
    return true;
  }

  /** What the frames of a socket would have brought beside the entries. @param {number} round */
  async #head(round) {
    const { origin, table, token, size, take } = this.#needs;
    /** @type {[import("./api.js").Answer<string>, import("./api.js").Answer<AwaitingBody>]} */
    const [head, waits] = await Promise.all([
      ask(origin, `/tables/${table}/checkpoint`, { token, text: true }),
      ask(origin, `/tables/${table}/awaiting`, { token }),
    ]);
    if (this.#closed || round !== this.#round) return;
    take({ type: "caught-up", size: size(), head: head.ok ? head.body : null });
    if (waits.ok) take({ ...waits.body, type: "waiting" });
  }

  #drop() {
    clearTimeout(this.#watch);
    this.#entered = false;
    const socket = this.#socket;
    this.#socket = null;
    if (socket !== null && socket.readyState <= WebSocket.OPEN) socket.close();
  }

  /** @param {Link["state"]} state @param {string} why */
  #say(state, why) {
    if (this.#link.state === state && this.#link.why === why) return;
    const since = this.#link.state === state ? this.#link.since : Date.now();
    this.#link = { state, since, why };
    this.#needs.linked(this.#link);
  }
}

/**
 * Entries as `/entries` sends them, as frames: one a commit, older ones among its `changed`.
 *
 * @param {string} body  a line each
 * @param {number} size  of the table before them
 * @returns {Extract<FromServer, {type: "commit"}>[]}
 */
export function commitsOf(body, size) {
  /** @type {Extract<FromServer, {type: "commit"}>[]} */
  const frames = [];
  /** @type {EntryLine[]} */
  let changed = [];
  for (const text of body.split("\n")) {
    if (text === "") continue;
    /** @type {EntryLine} */
    const line = JSON.parse(text);
    const last = frames.at(-1);
    if (line.seq < size) changed.push(line);
    else if (last?.entries[0]?.commit === line.commit) {
      last.entries.push(line);
      last.size = line.seq + 1;
    } else {
      frames.push({ type: "commit", size: line.seq + 1, entries: [line], changed });
      changed = [];
    }
    size = Math.max(size, line.seq + 1);
  }
  const last = frames.at(-1);
  if (changed.length && last) last.changed = [...(last.changed ?? []), ...changed];
  else if (changed.length) frames.push({ type: "commit", size, entries: [], changed });
  return frames;
}
