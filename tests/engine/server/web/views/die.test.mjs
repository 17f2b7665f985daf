// A die in words, with the faces it showed before. `node die.test.mjs`

import assert from "node:assert/strict";
import { test } from "node:test";

import { called, earlierOf, statesOf } from "../../../../../engine/server/web/views/die.js";

const die = { id: "d1", kind: "d6", thrown: [1, 6, 2], landed: 2, face: 2 };

test("faces that count are read out as such, others as before", () => {
  const text = called({ ...die, earlier: [[1, false], [6, true]] }, { label: "d6" });
  assert.match(text, /also counts: \u20686\u2069, before: \u20681\u2069/);
});

test("where it is not known whether they count, they do not", () => {
  assert.deepEqual(earlierOf(die), [[1, false], [6, false]]);
  assert.deepEqual(earlierOf({ ...die, face: 3 }).at(-1), [2, false]);
});

test("a die that counts against its side, or for nothing, says so and carries a sign", () => {
  const one = { ...die, thrown: [2], earlier: [] };
  assert.deepEqual(statesOf({ ...one, counts: "for" }), []);
  assert.deepEqual(statesOf({ ...one, counts: "against" }), ["against"]);
  assert.deepEqual(statesOf({ ...one, counts: "no" }), ["idle"]);
  assert.match(called({ ...one, counts: "against" }, { label: "d6" }), /counts against/);
});
