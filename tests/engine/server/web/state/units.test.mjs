// Parts of the page's state that need no server: `node --test units.test.mjs`.

import assert from "node:assert/strict";
import { test } from "node:test";

import { commitsOf, delay, TIMES } from "../../../../../engine/server/web/state/feed.js";
import { keeper } from "../../../../../engine/server/web/state/kept.js";
import { Requests } from "../../../../../engine/server/web/state/requests.js";
import { shared } from "../../../../../engine/server/web/state/same.js";
import { at, empty, folded, payloadOf } from "../../../../../engine/server/web/state/table.js";
import { nextStep, Nonces, witnessing, worded } from "../../../../../engine/server/web/state/throws.js";
import { textHash } from "../../../../../engine/verifier/js/commits.js";
import { nonceCommitment, throwId } from "../../../../../engine/verifier/js/throw.js";

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

const OPENED = line(0, { type: "table-opened/1", table: "t0000001", ruleset: "x", version: 1, options: {}, source: "fair", level: "player", core: 1 });
const declared = (seq, roll, more = {}) =>
  line(seq, { type: "roll-declared/1", roll, character: "c1", declaration: {}, visibility: "public", level: "player", commit: "ab", ...more });

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

test("one commitment gets one nonce, and survives a reload", () => {
  const store = storage();
  const nonces = () => new Nonces(keeper({ storage: store, database: null }), "t/p1");
  const wanted = { kind: "witness", roll: 1, throw: 0, committed: 5, bound: "ab" };
  const first = nonces().nonce(wanted);
  assert.match(first, /^[0-9a-f]{64}$/);
  assert.equal(nonces().nonce(wanted), first);
  assert.equal(nonces().nonce({ ...wanted, bound: "cd" }), null);
  assert.notEqual(nonces().nonce({ ...wanted, throw: 1 }), first);
});

test("a throw at level table binds, waits, and throws with the nonce that was bound", () => {
  const nonces = new Nonces(keeper({ storage: storage(), database: null }), "t/p1");
  let table = folded(empty(), [
    OPENED,
    line(1, { type: "seat-taken/1", seat: "p1", role: "player" }),
    declared(2, 1, { by: "p1", level: "table" }),
  ]);
  const next = () => nextStep(table, "p1", nonces, table.rolls.get(1), { hand: "dice" });
  const { send: bind } = next();
  assert.deepEqual([bind.do, bind.committed, bind.asked], ["commit_nonce/1", 2, ["narrator"]]);
  const { do: _, ...bound } = bind;
  table = folded(table, [line(3, { type: "nonce-committed/1", by: "p1", throw: 0, ...bound })]);
  assert.deepEqual(next(), { wait: ["narrator"] });
  const [given] = witnessing(table, "narrator", nonces);
  assert.deepEqual([given.do, given.roll], ["witness/1", 1]);
  assert.deepEqual(witnessing(table, "p1", nonces), []);
  table = folded(table, [line(4, { type: "witness-given/1", roll: 1, throw: 0, nonce: given.nonce })]);
  const { send: thrown, last } = next();
  assert.equal(last, true);
  assert.equal(nonceCommitment(throwId("t0000001", 1, 0), thrown.nonce), bind.nonce_commit);
  const elsewhere = new Nonces(keeper({ storage: storage(), database: null }), "t/p1");
  assert.deepEqual(nextStep(table, "p1", elsewhere, table.rolls.get(1), { hand: "dice" }), { stop: "nonce" });
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
