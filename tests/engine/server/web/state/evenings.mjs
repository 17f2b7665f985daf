// The page plays recorded evenings, each a file of arguments: what it does otherwise than it must is printed.
//
// All of its state runs as in a browser, but for the socket, which gives it the recorded frames.

import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";

const state = "../../../../../engine/server/web/state";
const { keeper } = await import(`${state}/kept.js`);
const { Playing } = await import(`${state}/playing.js`);
const { UNSEALED } = await import(`${state}/seal.js`);
const shown = await import(`${state}/signals.js`);
const { empty } = await import(`${state}/table.js`);

globalThis.fetch = async () => {
  throw new Error("nobody answers");
};

/** The socket that the page has opened last. */
let socket = null;
globalThis.WebSocket = class {
  static OPEN = 1;
  readyState = 1;
  constructor() {
    socket = this;
    setTimeout(() => this.onopen?.());
  }
  send(text) {
    const frame = JSON.parse(text);
    if (frame.type !== "ask") return;
    asked.push(frame);
    const done = { type: "done", request: frame.request, seqs: [], size: 1, head: null };
    setTimeout(() => this.onmessage?.({ data: JSON.stringify(done) }));
  }
  close() {}
};

/** How often a seal was looked at. */
let judged = 0;
shown.seal.subscribe(() => judged++);

let asked = [];
let draws = [];
const drawn = crypto.getRandomValues.bind(crypto);
crypto.getRandomValues = (bytes) => {
  if (bytes.length !== 32) return drawn(bytes);
  bytes.set(Buffer.from(draws.shift(), "hex"));
  return bytes;
};

const pause = (milliseconds) => new Promise((resume) => setTimeout(resume, milliseconds));

/** A Storage in memory. */
function storage() {
  const kept = new Map();
  return { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value), removeItem: (key) => kept.delete(key) };
}

/** One browser: what it keeps, and the page that is open. */
class Browser {
  store = storage();
  tells = [];
  live = false;
  due = 0;

  constructor({ table, seat, key }) {
    Object.assign(this, { table, seat, vkey: key });
    this.open();
  }

  open() {
    this.playing?.end();
    shown.live.value = empty();
    shown.seal.value = UNSEALED;
    const kept = keeper({ storage: this.store, database: null });
    const who = { table: this.table, seat: this.seat, role: "player", token: "t", key: this.vkey };
    this.playing = new Playing(who, { origin: "http://127.0.0.1:9", keeper: kept, tell: () => this.elsewhere() });
  }

  /** Anchors of another device are shown once, all together. */
  elsewhere() {
    this.tells.push(...shown.live.value.log.filter((each) => each.type === "share-anchored/1" && each.by === this.seat).map((each) => each.seq));
  }

  /** What happens, or a frame of the server. */
  async does({ does, sends, tells, fault, ...frame }) {
    if (does === "restart" || does === "lose-head") {
      if (does === "lose-head") this.store.removeItem(`urim/head/${this.table}/${this.seat}`);
      this.open();
    } else if (does === "enter") {
      await this.playing.begin();
      await pause(5);
      this.take({ type: "entered" });
    } else if (does === "agree") this.playing.acceptShares();
    else if (does === "head") this.take({ type: "proof", hashes: [], ...frame });
    else this.take({ type: does, ...frame });
    await this.settled();
  }

  /** A frame of the server. What comes while all is here, and the end of a history, is judged once each. */
  take(frame) {
    if (frame.type === "entered" || frame.type === "caught-up") this.live = frame.type === "caught-up";
    if (this.live && frame.type !== "entered") this.due = judged + 1;
    socket.onmessage({ data: JSON.stringify(frame) });
  }

  /** All that came was judged, and what is sent because of it was answered. */
  async settled() {
    for (let tries = 0; judged < this.due && tries < 2000; tries++) await pause(5);
    await pause(10);
  }

  /** What was done since the last time. */
  done() {
    const { trouble } = this.playing.shares;
    const fault = shown.seal.value.state === "red" || trouble?.what === "moved" || trouble?.what === "count";
    if (trouble && trouble !== this.before && trouble.seq !== this.before?.seq && !fault) this.tells.push(trouble.seq);
    this.before = trouble;
    const shares = asked.map(({ body }) => JSON.parse(body)).filter((each) => each.do !== "note/1"); // that it is back
    const sends = shares.map(({ anchor, roll, share }) => (anchor ? { anchor } : { roll, share }));
    const found = { sends, tells: this.tells, fault };
    [asked, this.tells] = [[], []];
    return found;
  }
}

for (const path of process.argv.slice(2)) {
  const evening = JSON.parse(readFileSync(path, "utf-8"));
  draws = [...evening.draws];
  const browser = new Browser(evening);
  for (const [at, step] of evening.steps.entries()) {
    await browser.does(step);
    const must = { sends: step.sends ?? [], tells: step.tells ?? [], fault: step.fault ?? false };
    const found = browser.done();
    if (!isDeepStrictEqual(found, must)) {
      console.log(`${path} step ${at}, ${step.does}: ${JSON.stringify(found)} is ${JSON.stringify(must)}`);
      if (process.env.SHOW) console.log(shown.seal.value.state, JSON.stringify([shown.seal.value.wrong, shown.seal.value.unchecked, browser.playing.shares.trouble]));
      break;
    }
  }
}
process.exit(0);
