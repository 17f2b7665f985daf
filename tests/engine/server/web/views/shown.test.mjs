// What the page shows of a table: answers that many views ask for. `node shown.test.mjs`

import assert from "node:assert/strict";
import { test } from "node:test";

import { live } from "../../../../../engine/server/web/state/signals.js";
import { rollsOf } from "../../../../../engine/server/web/views/shown.js";

test("a character's rolls are its own, the newest first, without those that were voided", () => {
  const roll = (number, character, state) => [number, { number, character, state }];
  const rolls = new Map([roll(1, "c1", "resolved"), roll(2, "c2", "rolled"), roll(3, "c1", "voided"), roll(4, "c1", "new")]);
  live.value = { ...live.value, rolls };
  assert.deepEqual(rollsOf("c1").map((each) => each.number), [4, 1]);
});
