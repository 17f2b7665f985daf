// What the page shows of a table: answers that many views ask for. `node shown.test.mjs`

import assert from "node:assert/strict";
import { test } from "node:test";

import { live } from "../../../../../engine/server/web/state/signals.js";
import { pairs } from "../../../../../engine/server/web/views/character.js";
import { rollsOf } from "../../../../../engine/server/web/views/shown.js";

test("a character's rolls are its own, the newest first, without those that were voided", () => {
  const roll = (number, character, state) => [number, { number, character, state }];
  const rolls = new Map([roll(1, "c1", "resolved"), roll(2, "c2", "rolled"), roll(3, "c1", "voided"), roll(4, "c1", "new")]);
  live.value = { ...live.value, rolls };
  assert.deepEqual(rollsOf("c1").map((each) => each.number), [4, 1]);
});

test("a sheet that is pasted is names with numbers; a text with any other part is none", () => {
  assert.deepEqual(pairs("BLE 3, GRA: 2\nTwo-handed sword = 7.5;\n\nLuck\t-1"), [
    { name: "BLE", value: "3" }, { name: "GRA", value: "2" }, { name: "Two-handed sword", value: "7.5" }, { name: "Luck", value: "-1" }]);
  assert.deepEqual(pairs("STR\t3\tDEX\t-2"), [{ name: "STR", value: "3" }, { name: "DEX", value: "-2" }]);
  assert.deepEqual(pairs("כוח\u200F 3"), [{ name: "כוח", value: "3" }]);
  const none = ["BLE", "3", "BLE 3, and more", "", "Level 3 of 4,5", "Luck - 1", "STR 3 DEX 2 CON 4", "Lead 3, Lead 5", `${"x".repeat(61)} 3`];
  for (const text of none) assert.deepEqual(pairs(text), [], text);
});
