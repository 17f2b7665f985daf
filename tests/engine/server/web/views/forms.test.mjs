// The form of a declaration: which fields show, what they make together. `node forms.test.mjs SYSTEMS.json`
// The systems' own forms are in a file: {name: body of /systems/NAME}.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { asTyped, changed, fieldsOf, filled, grouped, holds, properties, shown, sortOf } from "../../../../../engine/server/web/views/fields/model.js";

const SYSTEMS = JSON.parse(readFileSync(process.argv[2], "utf-8"));

const player = (link = null) => ({ link, narrator: false });

/** The names of the fields that show. */
const names = (system, typed, around = player()) =>
  shown(fieldsOf(SYSTEMS[system].declaration, around), typed, around).map((field) => field.name);

const made = (system, typed, around = player()) => {
  const { declaration } = SYSTEMS[system];
  return filled(fieldsOf(declaration, around), typed, around, declaration.schema);
};

test("what the rules fill in, and what is a narrator's, is no player's field", () => {
  assert.ok(!names("milhamah", {}).includes("xr"));
  assert.ok(!names("milhamah", {}).includes("leave"));
  assert.ok(names("milhamah", {}, { link: null, narrator: true }).includes("leave"));
});

test("a field shows where its conditions hold", () => {
  assert.ok(!names("scarterra", {}).includes("ability"));
  assert.ok(names("scarterra", { attribute: "Dexterity" }).includes("ability"));
  assert.ok(names("majesty", { kind: "resist" }).includes("cost"));
  assert.ok(!names("majesty", { kind: "strike" }).includes("cost"));
});

test("how a roll follows another decides as well", () => {
  assert.ok(names("scarterra", {}).includes("attribute"));
  assert.ok(!names("scarterra", {}, player("soak")).includes("attribute"));
});

test("a field that does not show holds nothing for the others", () => {
  const typed = { opponent: "c2", combat: true, weapon: "2" };
  assert.ok(names("scarterra", typed).includes("weapon"));
  const without = { ...typed, opponent: null };
  assert.ok(!names("scarterra", without).includes("combat"));
  assert.ok(!names("scarterra", without).includes("weapon"));
  assert.deepEqual(made("scarterra", without).value, {});
});

test("a reaction's condition may ask about the declaration", () => {
  const { fields } = SYSTEMS.majesty.reaction;
  const around = (kind) => ({ link: null, declaration: { kind } });
  const found = (kind) => shown(fields, {}, around(kind)).map((field) => field.name);
  assert.ok(found("resist").includes("cost"));
  assert.ok(!found("strike").includes("cost"));
});

test("a form makes only what is not as it is by itself", () => {
  const typed = { attribute: "BLE", target: "average", combat: false, modifiers: { wind: "-1" }, dice: { red: "2", blue: "" } };
  assert.deepEqual(made("milhamah", typed).value, { attribute: "BLE", modifiers: { wind: -1 }, dice: { red: 2 } });
});

test("a line of a chart or a number of one's own", () => {
  assert.deepEqual(made("milhamah", { target: "expert" }).value, { target: "expert" });
  assert.deepEqual(made("milhamah", { target: " 4 " }).value, { target: 4 });
  assert.deepEqual(made("milhamah", { target: "400" }).wrong, ["target"]);
});

test("what is half-typed is wrong and not lost", () => {
  assert.deepEqual(made("milhamah", { rating: "-" }).wrong, ["rating"]);
  assert.deepEqual(made("milhamah", { rating: "1.5" }).wrong, ["rating"]);
  assert.deepEqual(made("age_of_magic", { difficulty: "7,5" }).value, { difficulty: 7.5 });
  assert.deepEqual(made("age_of_magic", { difficulty: "\u22123" }).value, { difficulty: -3 });
});

test("what is required is missed", () => {
  assert.deepEqual(made("plain", {}).missing, ["expression"]);
  assert.deepEqual(made("plain", { expression: "  " }).missing, ["expression"]);
  assert.deepEqual(made("plain", { expression: "3d6" }), { value: { expression: "3d6" }, wrong: [], missing: [] });
});

test("no is an answer where nothing is one too", () => {
  const narrator = { link: null, narrator: true };
  assert.deepEqual(made("sagatafl", { safe: false }, narrator).value, { safe: false });
  assert.deepEqual(made("sagatafl", { safe: null }, narrator).value, {});
});

test("fields within fields", () => {
  const typed = { status: { dizzy: { R: "-1", rerolls: "2 X", no_reroll: false, colours: ["red"] } } };
  assert.deepEqual(made("milhamah", typed).value, { status: { dizzy: { R: -1, rerolls: [2, "X"], colours: ["red"] } } });
  assert.deepEqual(made("milhamah", { status: { dizzy: { R: "x" } } }).wrong, ["status"]);
});

test("every field of every system has an input", () => {
  const known = new Set(["flag", "maybe", "number", "text", "either", "one", "many", "numbers", "rates", "parts"]);
  for (const system of Object.values(SYSTEMS)) {
    for (const form of [system.declaration, system.reaction]) {
      const schemas = properties(form.schema);
      for (const field of fieldsOf(form, { link: null, narrator: true })) {
        assert.ok(schemas[field.name], `${system.name} ${field.name}`);
        assert.ok(known.has(sortOf(schemas[field.name], form.schema).sort), `${system.name} ${field.name}`);
      }
    }
  }
});

test("fields stand under their headings", () => {
  const [first, second] = grouped(fieldsOf(SYSTEMS.majesty.declaration, player()));
  assert.equal(first.title, "");
  assert.equal(second.title, "Value");
});

test("a correction holds what was changed, and what was emptied", () => {
  const around = { link: null, narrator: true };
  const { declaration } = SYSTEMS.milhamah;
  const fields = fieldsOf(declaration, around);
  const declared = { root: "\u05E8\u05D5\u05D7", rating: 3, target: 2, modifiers: { wind: 1 }, combat: true };
  const typed = { ...asTyped(fields, declared), rating: "4", modifiers: {} };
  const { value } = filled(fields, typed, around, declaration.schema);
  assert.deepEqual(changed(value, fields, declared), { rating: 4, modifiers: {} });
});

test("nothing, and 0, which is something", () => {
  for (const value of [null, undefined, false, "", [], {}]) assert.equal(holds(value), false);
  for (const value of [0, true, "x", [0], { a: 1 }]) assert.equal(holds(value), true);
});
