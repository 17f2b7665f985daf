// What a change of the dice makes of an outcome, in the server's words. `node outcome.test.mjs`

import assert from "node:assert/strict";
import { test } from "node:test";

import { changes } from "../../../../../engine/server/web/views/outcome.js";

const line = (key, number, text = String(number)) => ({ key, label: `the ${key}`, text, number });

/** A result with one sum: these terms, and their total. */
const result = (total, ...terms) => ({ items: [{ total, terms }] });

test("figures that differ are shown by their labels, with the texts of both", () => {
  const before = result(line("sum", 3, "1.5"), line("dice", 1), line("bonus", 2));
  const after = result(line("sum", 5, "2.5"), line("dice", 3), line("bonus", 2));
  assert.deepEqual(changes(before, after), [["the dice", "1", "3"], ["the sum", "1.5", "2.5"]]);
});

test("a figure that one of them leaves out is 0 there; what is no number, and the margin, are left", () => {
  const before = result({ ...line("place"), number: null, text: "arm" }, line("spent", 2), line("margin", -1));
  const after = result({ ...line("place"), number: null, text: "head" }, line("gained", 1), line("margin", 4));
  assert.deepEqual(changes(before, after), [["the gained", "0", "1"], ["the spent", "2", "0"]]);
});
