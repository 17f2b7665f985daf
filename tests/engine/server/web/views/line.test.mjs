// What is typed in one line: its words, what they begin, what they fill in. `node line.test.mjs SYSTEMS.json`

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { fieldsOf, filled } from "../../../../../engine/server/web/views/fields/model.js";
import { beginnings, begun, given, split, Unread } from "../../../../../engine/server/web/views/line/words.js";

const SYSTEMS = JSON.parse(readFileSync(process.argv[2], "utf-8"));
const PEOPLE = [{ id: "c1", name: "Asta" }, { id: "c2", name: "Bo" }, { id: "c3", name: "Twin" }, { id: "c4", name: "Twin" }];

/** What words make of a declaration. */
function made(system, words, asks = [], before = {}) {
  const form = SYSTEMS[system].declaration;
  const around = { link: null, narrator: false };
  const fields = fieldsOf(form, around);
  return filled(fields, given(before, words, { form, fields, asks, people: PEOPLE }), around, form.schema);
}

const why = (key) => (error) => error instanceof Unread && error.key === key;

test("a line is words; quotes keep some together, a label and a roll stand by themselves", () => {
  assert.deepEqual(split('  strike  Bo "modifiers.poor light=2" '), { words: ["strike", "Bo", "modifiers.poor light=2"], label: "", roll: null });
  assert.deepEqual(split('modifiers."poor light"=2'), { words: ["modifiers.poor light=2"], label: "", roll: null });
  assert.deepEqual(split("6#4d6kh3 # the  six # of them"), { words: ["6#4d6kh3"], label: "the  six # of them", roll: null });
  assert.deepEqual(split("# alone"), { words: [], label: "alone", roll: null });
  assert.deepEqual(split("dispute --roll 12 it slid"), { words: ["dispute", "it", "slid"], label: "", roll: 12 });
  assert.throws(() => split("stand --roll x"), why("line.roll"));
  assert.throws(() => split("stand --roll"), why("line.roll"));
});

test("a name is known whole, and by a beginning that is of one alone", () => {
  const names = ["Sight Check", "Sight", "Strike", "stand"];
  assert.deepEqual(begun(["sight", "check", "Bo"], names), { name: "Sight Check", rest: ["Bo"] });
  assert.deepEqual(begun(["Sight", "Bo"], names), { name: "Sight", rest: ["Bo"] });
  assert.deepEqual(begun(["str", "Bo"], names), { name: "Strike", rest: ["Bo"] });
  assert.equal(begun(["st"], names), null); // of two
  assert.equal(begun(["4d6"], names), null);
  assert.equal(begun([], names), null);
  assert.equal(begun(["str"], names, true), null); // whole names alone, where first words may be dice
  assert.deepEqual(begun(["stand"], names, true), { name: "stand", rest: [] });
});

test("words fill in fields, by name or in the order in which they are asked for", () => {
  assert.deepEqual(made("sagatafl", ["rd=7"], ["rd"], { trait: "Lockpicking" }).value, { trait: "Lockpicking", rd: 7 });
  assert.deepEqual(made("sagatafl", ["7"], ["rd"], { trait: "Lockpicking" }).value, { trait: "Lockpicking", rd: 7 });
  const check = { kind: "resist", attribute: "Sight" };
  assert.deepEqual(made("majesty", ["bo"], ["opponent"], check).value, { ...check, opponent: "c2" });
  assert.equal(made("majesty", ["Twin"], ["opponent"], check).value.opponent, "Twin"); // of two: the rules refuse it
});

test("a part of a field is named behind a dot, a list has commas", () => {
  const found = made("milhamah", ["modifiers.poor light=-2", "modifiers.wind=1"], [], { root: "רוח", rating: 2 });
  assert.deepEqual(found.value.modifiers, { "poor light": -2, wind: 1 });
  assert.deepEqual(made("scarterra", ["helpers=Bo, asta", "helpers=c3"], [], { attribute: "Dexterity" }).value.helpers, ["c2", "c1", "c3"]);
});

test("what is no field, no value, or one word too many is refused by name", () => {
  assert.throws(() => made("sagatafl", ["nonsense=1"]), (error) => why("line.field")(error) && error.allowed.includes("rd="));
  assert.throws(() => made("sagatafl", ["7", "8"], ["rd"]), why("line.more"));
  assert.throws(() => made("sagatafl", ["rd.x=7"]), why("line.value"));
  assert.throws(() => made("milhamah", ["modifiers=3"]), why("line.value"));
  assert.throws(() => made("milhamah", ["combat=perhaps"]), (error) => why("line.value")(error) && error.allowed.includes("yes"));
  assert.deepEqual(made("milhamah", ["rating=high"], [], { root: "רוח" }).wrong, ["rating"]);
});

test("the first words may be the dice, and the others what they are for: the longest first", () => {
  assert.deepEqual(beginnings(["4d6", "drop", "lowest"]), [
    { text: "4d6 drop lowest", label: "" }, { text: "4d6 drop", label: "lowest" }, { text: "4d6", label: "drop lowest" }]);
});
