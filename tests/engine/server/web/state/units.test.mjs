// Parts of the page's state that need no server: `node --test units.test.mjs`.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";

import { CLIENTS, exchange } from "../../../../../engine/server/web/state/exchange.js";
import { commitsOf, delay, TIMES } from "../../../../../engine/server/web/state/feed.js";
import { keeper } from "../../../../../engine/server/web/state/kept.js";
import { Requests } from "../../../../../engine/server/web/state/requests.js";
import { shared } from "../../../../../engine/server/web/state/same.js";
import { link } from "../../../../../engine/server/web/state/chain.js";
import { Shares } from "../../../../../engine/server/web/state/shares.js";
import { at, empty, folded, payloadOf } from "../../../../../engine/server/web/state/table.js";
import { levelNext, nextStep, Nonces, toAsk, worded } from "../../../../../engine/server/web/state/throws.js";
import { textHash } from "../../../../../engine/verifier/urimcheck.js";

/** A Storage that keeps so many characters. */
function storage(room = Infinity) {
  const kept = new Map();
  return {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => {
      if (value.length > room) throw new DOMException("full", "QuotaExceededError");
      kept.set(key, value);
    },
    removeItem: (key) => kept.delete(key),
  };
}

/** An entry with this event; the first of its commit unless `commit` says another. */
function line(seq, event, commit = seq) {
  const payload = event && JSON.stringify({ event: { by: "narrator", ...event } });
  const digest = "0".repeat(64);
  return { seq, commit, at: 1000 + seq, class: "open", digest, ...(payload ? { salt: digest, payload } : {}) };
}

const OPENED = line(0, { type: "table-opened/3", table: "t0000001", ruleset: "x", version: 1, options: {}, source: "fair", level: "player", core: 1 });
const declared = (seq, roll, more = {}) =>
  line(seq, { type: "roll-declared/2", roll, character: "c1", declaration: {}, visibility: "public", commit: "ab", ...more });

test("a delay grows to its bound, and no further", () => {
  const whole = [0, 1, 2, 3, 40].map((attempt) => delay(TIMES, attempt, () => 1));
  assert.deepEqual(whole, [500, 1000, 2000, 4000, 30_000]);
  assert.equal(delay(TIMES, 3, () => 0.25), 1000);
});

test("entries over HTTP are commits, older ones among the changed", () => {
  const lines = [line(1, null), line(4, {}), line(5, {}, 4), line(6, {})];
  const frames = commitsOf(lines.map((each) => `${JSON.stringify(each)}\n`).join(""), 4);
  assert.deepEqual(frames.map(({ size, entries, changed }) => [size, entries.map(({ seq }) => seq), changed.map(({ seq }) => seq)]), [[6, [4, 5], [1]], [7, [6], []]]);
  assert.deepEqual(commitsOf("", 4), []);
  const [only] = commitsOf(`${JSON.stringify(line(1, {}))}\n`, 4);
  assert.deepEqual([only.size, only.entries, only.changed.length], [4, [], 1]);
});

test("a link that has to wait is kept, with the id that it was sent under; one that is refused is not", async () => {
  const came = [];
  const server = createServer(async (request, response) => {
    const { client } = JSON.parse(Buffer.concat(await request.toArray()).toString());
    came.push(client);
    const code = came.length < 3 ? "due" : "taken";
    response.writeHead(409, { "Content-Type": "application/problem+json", Connection: "close" }).end(JSON.stringify({ code, why: "no" }));
  });
  await new Promise((resume) => server.listen(0, "127.0.0.1", resume));
  const kept = keeper({ storage: storage(), database: null });
  const left = [];
  for (let i = 0; i < 3; i++) {
    await exchange(`http://127.0.0.1:${server.address().port}`, "s", kept);
    left.push(kept.value(CLIENTS)?.s ?? null);
  }
  server.close();
  assert.equal(new Set(came).size, 1);
  assert.deepEqual(left, [came[0], came[0], null]);
});

test("what is kept lasts, or is kept in memory where there is no room", async () => {
  const store = storage(20);
  const kept = keeper({ storage: store, database: null });
  assert.equal(kept.keep("a", { b: 1 }), true);
  assert.deepEqual(keeper({ storage: store, database: null }).value("a"), { b: 1 });
  const long = "x".repeat(30);
  assert.equal(kept.keep("a", long), false);
  assert.equal(kept.value("a"), long);
  store.setItem("urim/broken", "{");
  assert.equal(kept.value("broken"), null);
  await kept.entries.put("t/p1", [line(0, {}), line(2, {})]);
  assert.deepEqual((await kept.entries.all("t/p1")).map(({ seq }) => seq), [0]);
});

test("what waits is kept for the next time, or dropped for good", async () => {
  const store = storage();
  const kept = keeper({ storage: store, database: null });
  const asking = () => new Requests({ origin: "", table: "t0000001", token: "", keeper: kept, key: "t/p1" });
  const first = asking();
  const answer = first.ask({ do: "note/1", about: 0 });
  first.stop("closed");
  assert.equal((await answer).type, "lost");
  const second = asking();
  assert.deepEqual(second.commands, [{ do: "note/1", about: 0 }]);
  const other = second.ask({ do: "resolve/1", roll: 1 });
  second.drop("seal");
  assert.equal((await other).type, "lost");
  assert.deepEqual(second.commands, []);
  assert.deepEqual(asking().commands, []);
});

test("what a page of version 0.2 left waiting was made here, once it is done too", () => {
  const kept = keeper({ storage: storage(), database: null });
  kept.keep("pending/t/p1", [{ request: "web-1", body: "{}" }]); // it kept no list of what was made
  const requests = new Requests({ origin: "", table: "t0000001", token: "", keeper: kept, key: "t/p1" });
  assert.equal(requests.made("web-1"), true);
  requests.take({ type: "done", request: "web-1", seqs: [4], size: 5 });
  assert.deepEqual([requests.has("web-1"), requests.made("web-1"), requests.made("web-2")], [false, true, false]);
});

test("one commitment gets one nonce, and survives a reload", () => {
  const store = storage();
  const nonces = () => new Nonces(keeper({ storage: store, database: null }), "t/p1");
  const wanted = { roll: 1, throw: 0, committed: 5 };
  const first = nonces().nonce(wanted);
  assert.match(first, /^[0-9a-f]{64}$/);
  assert.equal(nonces().nonce(wanted), first);
  assert.notEqual(nonces().nonce({ ...wanted, throw: 1 }), first);
});

const taken = (seq, seat, role = "player") => line(seq, { type: "seat-taken/2", seat, role });
const anchors = (seq, by, anchor = "aa") => line(seq, { type: "share-anchored/1", by, anchor });
const asks = (seq, asked, more = {}) =>
  line(seq, { type: "throw-asked/1", by: "p1", roll: 1, throw: 0, committed: 2, asked, ...more });
const opens = (seq, by, share, number = 0) => line(seq, { type: "share-opened/1", by, roll: 1, throw: number, share });
const breaks = (seq, kept) => line(seq, { type: "throw-broken/1", by: "p1", roll: 1, throw: 0, kept, seed: "s", next: "cd" });

test("the level of a throw, and whom it asks", () => {
  const before = folded(empty(), [OPENED, taken(1, "p1"), declared(2, 1, { by: "p1" }), taken(3, "p2"), taken(4, "p3")]);
  const level = (table, seat, more = {}) => levelNext(table, seat, { ...table.rolls.get(1), ...more });
  assert.deepEqual([level(before, "p1"), level(before, "narrator")], ["player", "player"]);
  const table = folded(before, [anchors(5, "p2"), anchors(6, "p3")]);
  assert.deepEqual([level(table, "p1"), level(table, "narrator")], ["player", "table"]); // of version 0.2
  const since = { ...table, core: 5 };
  assert.deepEqual([level(since, "p1"), level(since, "p1", { level: "player" })], ["table", "player"]);
  assert.equal(level({ ...since, level: "server" }, "narrator"), "server");
  assert.equal(level({ ...since, one_machine: true }, "p1"), "player");
  assert.equal(level({ ...before, core: 5 }, "p1"), "player");
  const spent = { ...table, seats: { ...table.seats, p2: { ...table.seats.p2, asks: 1000 } } };
  assert.deepEqual(toAsk(spent, "p1", []), ["p1", "p3"]);
  assert.deepEqual([level(table, "p1", { hidden: true }), level(table, "narrator", { level: "player" })], ["table", "player"]);
  assert.deepEqual(toAsk(table, "p1", ["p3", "narrator"]), ["p1", "p3"]);
  assert.deepEqual(toAsk(table, "p1", []), ["p1", "p2", "p3"]);
  const broken = folded(table, [asks(7, [["p2", 1], ["p3", 1], ["narrator", 1]]), breaks(8, ["p2", "p3"])]);
  assert.deepEqual([broken.ask, broken.kept_back, broken.rolls.get(1).commitment.throw], [null, ["p2", "p3"], 1]);
  assert.equal(level(broken, "narrator"), "player");
  const noted = folded(broken, [line(9, { type: "noted/1", by: "p3", about: 0 })]);
  assert.deepEqual([level(noted, "narrator"), toAsk(noted, "narrator", ["p2"])], ["table", ["narrator", "p3"]]);
  const gone = folded(noted, [line(10, { type: "seat-left/1", seat: "p3" })]);
  assert.deepEqual([level(gone, "narrator"), gone.seats.p3.anchor], ["player", null]);
  assert.equal(level({ ...noted, one_machine: true }, "narrator"), "player");
});

test("a throw at level table asks once this seat has an anchor; at player it goes over a head", () => {
  const nonces = new Nonces(keeper({ storage: storage(), database: null }), "t/p1");
  const next = (table, covered = 99) =>
    nextStep(table, "p1", { nonces, present: [], covered }, table.rolls.get(1), { hand: "dice" });
  let table = folded(empty(), [OPENED, taken(1, "p1"), declared(2, 1, { by: "p1", level: "table" })]);
  assert.deepEqual(next(table, 2), { wait: "head" });
  const { send } = next(table, 3);
  assert.deepEqual([send.do, send.committed, send.nonce.length], ["roll/1", 2, 64]);
  table = folded(table, [anchors(3, "narrator")]);
  assert.deepEqual(next(table), { wait: "anchor" });
  table = folded(table, [anchors(4, "p1", "bb")]);
  const asked = { do: "ask/1", roll: 1, hand: "dice", committed: 2, asked: ["narrator", "p1"] };
  assert.deepEqual(next(table), { send: asked, asks: true });
  table = folded(table, [asks(5, [["narrator", 1], ["p1", 1]])]);
  assert.deepEqual([table.ask.waiting, table.ask.until - table.ask.at], [["narrator", "p1"], 10_000]);
  table = folded(table, [opens(6, "p1", "x")]);
  assert.deepEqual(table.ask.waiting, ["narrator"]);
  assert.equal(folded(table, [opens(7, "narrator", "y")]).ask, null);
});

// --- shares -----------------------------------------------------------------------------------------

const LAST = "00".repeat(32);
const X = (i) => link("t0000001", "p1", LAST, i);

/** The shares of p1, whose x_1000 are these, over a table; `due` judges all its entries as right. */
function sharing(store = storage(), draws = [LAST], head = "a head") {
  const kept = keeper({ storage: store, database: null });
  kept.keep("head/t/p1", head);
  const shares = new Shares({ keeper: kept, key: "t/p1", seat: "p1", draw: () => draws.shift() });
  const judged = (table, more = {}) =>
    shares.due(table, { state: "green", size: table.size, head: { size: table.size, note: "urim.local/t/t0000001\n", signed: true }, ...more });
  const due = (table, more) => {
    const found = judged(table, more);
    return found && (found.command.share ?? found.command.anchor);
  };
  return { shares, due, judged, store };
}

const SAT = [OPENED, taken(1, "p1"), declared(2, 1, { by: "p1" })];
const BOTH = [["narrator", 1], ["p1", 1]];

test("a chain is the one of the public vector", () => {
  assert.equal(X(0), "8d99af9ede429b23a5ab278d3fcd0437dab88042139423d090d79062677f4bf4");
  assert.equal(X(1000), LAST);
});

test("a seat anchors once, and opens each share once, for one ask", () => {
  const { due, judged, store } = sharing();
  let table = folded(empty(), SAT);
  assert.equal(due(table), X(0));
  assert.equal(judged(table).request, `anchor-${X(0).slice(0, 32)}`);
  assert.equal(sharing(store, []).due(table), X(0)); // kept before it was sent
  table = folded(table, [anchors(3, "p1", X(0)), anchors(4, "narrator")]);
  assert.equal(due(table), null);
  table = folded(table, [asks(5, BOTH)]);
  assert.equal(due(table), X(1));
  assert.equal(sharing(store, []).due(table), X(1));
  table = folded(table, [opens(6, "p1", X(1))]);
  assert.equal(due(table), null);
  table = folded(table, [opens(7, "narrator", "y"), asks(8, [["narrator", 2], ["p1", 2]], { throw: 1 })]);
  assert.equal(due(table), X(2));
  const other = folded(empty(), [...table.lines.slice(0, 8), asks(8, [["narrator", 2], ["p1", 2]], { throw: 3 })]);
  assert.notEqual(other.lines[8].payload, table.lines[8].payload);
  other.lines[8].digest = "1".repeat(64);
  assert.equal(sharing(store, []).due(other), null);
});

test("nothing is opened without a signed head that covers the ask, nor where the seal is red", () => {
  const { due } = sharing();
  let table = folded(empty(), SAT);
  assert.equal(due(table, { head: { size: 2, note: "urim.local/t/t0000001\n", signed: true } }), null);
  due(table);
  table = folded(table, [anchors(3, "p1", X(0)), asks(4, BOTH)]);
  const note = "urim.local/t/t0000001\n";
  assert.equal(due(table, { head: { size: 4, note, signed: true } }), null);
  assert.equal(due(table, { head: null }), null);
  assert.equal(due(table, { head: { size: 5, note, signed: false } }), null);
  assert.equal(due(table, { state: "red" }), null);
  assert.equal(due(table, { size: 4 }), null);
  assert.equal(due(table), X(1));
});

test("no anchor at one machine's table, with dice that are not fair, nor from a seat that left", () => {
  const table = folded(empty(), SAT);
  for (const more of [{ one_machine: true }, { source: "manual" }, { seats: {} }]) {
    assert.equal(sharing().due({ ...table, ...more }), null);
  }
  const { shares, due } = sharing();
  due(table);
  assert.equal(due(folded(table, [anchors(3, "p1", X(0)), line(4, { type: "seat-left/1", seat: "p1" })])), null);
  assert.equal(shares.anchor, "");
});

test("what this browser did not make is shown, and ends its part until the player agrees", () => {
  const B = "bb".repeat(32);
  const OTHER = anchors(4, "p1", "cc");
  for (const [what, lines, seq] of [
    ["anchor", [OTHER], 4],
    ["anchor", [anchors(4, "p1", X(0))], 4],
    ["share", [asks(4, BOTH), opens(5, "p1", "dd")], 5],
    ["count", [asks(4, [["narrator", 1], ["p1", 2]])], 4],
    ["epoch", [line(4, { type: "epoch-begun/1", epoch: 1, commits: [] })], 4],
  ]) {
    const { shares, due, store } = sharing(storage(), [LAST, B]);
    let table = folded(empty(), SAT);
    due(table);
    table = folded(table, [anchors(3, "p1", X(0))]);
    due(table);
    table = folded(table, lines);
    assert.equal(due(table), null, what);
    assert.deepEqual(shares.trouble, { what, seq });
    assert.equal(shares.anchor, what === "epoch" || lines[0] === OTHER ? "" : X(0));
    assert.deepEqual(sharing(store, []).shares.trouble, { what, seq });
    shares.accept();
    const after = { ...table, ask: null };
    assert.equal(due(after), link("t0000001", "p1", B, 0), what);
    assert.equal(shares.trouble, null);
    const again = sharing(store, []);
    assert.equal(again.due(after), link("t0000001", "p1", B, 0), what);
    assert.equal(again.shares.trouble, null);
  }
});

test("a chain is for the epoch behind which it was published", () => {
  const epoch = line(3, { type: "epoch-begun/1", epoch: 1, commits: [] });
  const B = "bb".repeat(32);
  for (const digest of [epoch.digest, "1".repeat(64)]) {
    const { shares, due, store } = sharing(storage(), [LAST, B, B]);
    let table = folded(empty(), [...SAT, epoch]);
    assert.equal(due(table), X(0));
    table = folded(table, [anchors(4, "p1", X(0))]);
    assert.equal(due(table), null);
    shares.forget();
    const strange = digest !== epoch.digest;
    const again = sharing(store, [B]);
    const after = folded(empty(), [...SAT, { ...epoch, digest }, ...table.lines.slice(4)]);
    assert.equal(again.due(after), strange ? null : link("t0000001", "p1", B, 0));
    assert.deepEqual(again.shares.trouble, strange ? { what: "anchor", seq: 4 } : null);
    if (strange) again.shares.accept();
    assert.equal(again.due(after), link("t0000001", "p1", B, 0));
    assert.equal(sharing(store, []).shares.trouble, null);
  }
});

test("a share under another ask is fraud, after a restore too", () => {
  const { shares, due } = sharing(storage(), [LAST, "bb".repeat(32)]);
  let table = folded(empty(), SAT);
  due(table);
  table = folded(table, [anchors(3, "p1", X(0)), asks(4, BOTH)]);
  assert.equal(due(table), X(1));
  shares.forget();
  const again = [...table.lines.slice(0, 4), line(4, { type: "noted/1", about: 0 }), asks(5, BOTH), opens(6, "p1", X(1))];
  assert.equal(due(folded(empty(), again)), null);
  const { what, seq, proof } = shares.trouble;
  assert.deepEqual([what, seq, proof.share, proof.asks.map((each) => each.seq)], ["moved", 6, X(1), [4, 5]]);
  assert.notEqual(proof.asks[0].leaf, proof.asks[1].leaf);
  shares.accept();
  assert.equal(shares.trouble.what, "moved");
});

test("a chain that is used up, whose head is lost, or that another browser drew gives way to a new one", () => {
  const B = "bb".repeat(32);
  const Y = link("t0000001", "p1", B, 0);
  const { due, store } = sharing(storage(), [LAST, B]);
  let table = folded(empty(), SAT);
  due(table);
  table = folded(table, [anchors(3, "p1", X(0))]);
  due(table);
  const lines = Array.from({ length: 1000 }, (_, at) => [asks(4 + 2 * at, [["narrator", at + 1], ["p1", at + 1]]), breaks(5 + 2 * at, ["p1"])]).flat();
  assert.equal(due(folded(table, lines.slice(0, -2))), null);
  assert.equal(due(folded(table, lines)), Y);
  const C = "cc".repeat(32);
  assert.equal(sharing(store, [C], null).due(table), link("t0000001", "p1", C, 0));
  const elsewhere = sharing(storage(), [B]);
  assert.equal(elsewhere.due(table), Y); // another browser's anchor, from before this one came
  assert.equal(elsewhere.shares.trouble, null);
});

test("where there is no room to keep what was opened, the chain does not come back", () => {
  const { store, due } = sharing(storage(300));
  let table = folded(empty(), SAT);
  assert.equal(due(table), X(0));
  table = folded(table, [anchors(3, "p1", X(0)), asks(4, BOTH)]);
  assert.equal(due(table), X(1));
  assert.equal(store.getItem("urim/shares/t/p1"), null);
});

test("words go with a new salt and the hash that the command has", () => {
  const { text, hash } = worded("שלום");
  assert.match(text.salt, /^[0-9a-f]{32}$/);
  assert.equal(textHash(text.salt, text.text), hash);
  assert.notEqual(worded("שלום").hash, hash);
});

test("rolls that did not change are the same objects, after a changed line too", () => {
  const before = folded(empty(), [OPENED, declared(1, 1), declared(2, 2), line(3, null)]);
  const after = folded(before, [line(4, { type: "dispute-raised/1", roll: 2 })]);
  assert.equal(after.rolls.get(1), before.rolls.get(1));
  assert.notEqual(after.rolls.get(2), before.rolls.get(2));
  const shown = folded(after, [declared(3, 3)]);
  assert.equal(shown.rolls.get(2), after.rolls.get(2));
  assert.equal(shown.rolls.get(3).number, 3);
  assert.equal(shown.size, 5);
});

test("what is the same as before is the very same", () => {
  const before = { rolls: [{ n: 1, dice: [6] }, { n: 2, dice: [] }], seats: { a: null } };
  const next = structuredClone(before);
  assert.equal(shared(before, next), before);
  const grown = shared(before, { rolls: [{ n: 1, dice: [6] }, { n: 2, dice: [4] }], seats: { a: null }, size: 3 });
  assert.deepEqual(grown, { rolls: [{ n: 1, dice: [6] }, { n: 2, dice: [4] }], seats: { a: null }, size: 3 });
  assert.deepEqual([grown.rolls[0] === before.rolls[0], grown.rolls[1] === before.rolls[1], grown.seats === before.seats],
    [true, false, true]);
  for (const [one, other] of [[[], {}], [{}, []], [null, {}], [{}, null], [[1, 2], [1]], [{ a: 1 }, { b: 1 }], [1, 2]]) {
    assert.deepEqual(shared(one, structuredClone(other)), other);
  }
});

test("the table can be taken back to any entry", () => {
  const { lines } = folded(empty(), [OPENED, declared(1, 1), line(2, { type: "dispute-raised/1", roll: 1 }), declared(3, 2)]);
  assert.deepEqual([0, 1, 2, 3].map((seq) => [...at(lines, seq).rolls.keys()]), [[], [1], [1], [1, 2]]);
  assert.equal(at(lines, 1).rolls.get(1).disputes.length, 0);
});

test("what no honest server sends does not break the fold", () => {
  const odd = [
    line(1, { type: "dice-rolled/1", roll: 7, hand: "x" }),
    line(2, { type: "seat-left/1", seat: "constructor" }),
    line(3, { type: "of-the-future/9", roll: "x", seats: 3 }),
    { ...line(4, {}), payload: "{" },
    line(5, { type: "text-said/1" }),
    line(6, { type: "table-opened/1" }),
  ];
  const table = folded(empty(), [OPENED, ...odd]);
  assert.equal(table.size, 7);
  assert.equal(payloadOf(odd[3]), null);
  assert.equal(folded(table, [line(9, {})]).size, 7); // it waits for those before it
  assert.equal(Object.keys(table.seats).includes("constructor"), false);
});
