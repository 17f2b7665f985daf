// What is typed in one line: its words, what they begin, what they fill in. `node line.test.mjs SYSTEMS.json`

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { fieldsOf, filled } from "../../../../../engine/server/web/views/fields/model.js";
import { begun, given, noOptions, split, Unread } from "../../../../../engine/server/web/views/line/words.js";

const SYSTEMS = JSON.parse(readFileSync(process.argv[2], "utf-8"));
const PEOPLE = [{ id: "c1", name: "Asta" }, { id: "c2", name: "Bo" }, { id: "c3", name: "Twin" }, { id: "c4", name: "Twin" }];

/** What words make of a declaration. */
function made(system, words, asks = [], before = {}) {
  const form = SYSTEMS[system].declaration;
  const around = { link: null, narrator: false };
  const fields = fieldsOf(form, around);
  return filled(fields, given(before, words, { form, fields, asks, people: PEOPLE, ratings: [] }), around, form.schema);
}

const why = (key) => (error) => error instanceof Unread && error.key === key;

test("a line is words; quotes keep some together, a label and a roll stand by themselves", () => {
  const words = (line) => split(line).words;
  assert.deepEqual(words('  strike  Bo "modifiers.poor light=2" '), ["strike", "Bo", "modifiers.poor light=2"]);
  assert.deepEqual(words('modifiers."poor light"=2'), ["modifiers.poor light=2"]);
  assert.deepEqual(words('the 6" gap'), ["the", "6", "gap"]); // one alone keeps nothing together
  assert.deepEqual(split("6#4d6kh3 # the  six # of them"), { words: ["6#4d6kh3"], label: "the  six # of them", raw: "6#4d6kh3 # the  six # of them", roll: null });
  assert.deepEqual(split("# alone"), { words: [], label: "alone", raw: "# alone", roll: null });
  for (const line of ["dispute --roll 12 it slid", "dispute it --roll=12 slid", "dispute it slid --roll 12", 'dispute it "slid --roll 12']) {
    assert.equal(split(line).roll, 12, line);
  }
  assert.equal(split("dispute --roll 4 rule #4 of the “book” # two").raw, "dispute rule #4 of the “book” # two");
  for (const line of ["stand --roll x", "stand --roll", "stand --roll=0", "stand --roll 1e1"]) assert.throws(() => split(line), why("line.roll"), line);
  assert.throws(() => noOptions(["4d6", "--visibility"]), why("line.more"));
});

test("a name is known exactly, in another case, and by three letters and more that no other begins with", () => {
  const names = ["Sight Check", "Sight", "Strike", "strike", 'Big "Bad" Axe', "קל\"ג"];
  assert.deepEqual(begun(["sight", "check", "Bo"], names), { name: "Sight Check", rest: ["Bo"] });
  assert.deepEqual(begun(["Sight", "Bo"], names), { name: "Sight", rest: ["Bo"] });
  assert.deepEqual(begun(["Strike", "Bo"], names), { name: "Strike", rest: ["Bo"] });
  assert.deepEqual(begun(["big", "bad", "axe", "7"], names), { name: 'Big "Bad" Axe', rest: ["7"] });
  assert.deepEqual(begun(["קלג"], names), { name: "קל\"ג", rest: [] });
  assert.throws(() => begun(["STRIKE"], names), (error) => why("line.several")(error) && error.allowed.length === 2);
  for (const words of [["Bi"], ["4d6"], [""], []]) assert.equal(begun(words, names), null);
});

test("words fill in fields, by name or in the order in which they are asked for", () => {
  assert.deepEqual(made("sagatafl", ["rd=7"], ["rd"], { trait: "Lockpicking" }).value, { trait: "Lockpicking", rd: 7 });
  assert.deepEqual(made("sagatafl", ["7"], ["rd"], { trait: "Lockpicking" }).value, { trait: "Lockpicking", rd: 7 });
  const rolled = { attribute: "Dexterity" };
  assert.deepEqual(made("scarterra", ["7", "7", "7"], ["ability", "difficulty"], rolled).value.ability, "7");
  const check = { kind: "resist", attribute: "Sight" };
  assert.deepEqual(made("majesty", ["bo"], ["opponent"], check).value, { ...check, opponent: "c2" });
  assert.throws(() => made("majesty", ["Twin"], ["opponent"], check), (error) => why("line.several")(error) && error.allowed.includes("c3"));
  assert.equal(made("majesty", ["c3"], ["opponent"], check).value.opponent, "c3");
});

test("a part of a field is named behind a dot, a list has commas", () => {
  const found = made("milhamah", ["modifiers.poor light=-2", "modifiers.wind=1"], [], { root: "רוח", rating: 2 });
  assert.deepEqual(found.value.modifiers, { "poor light": -2, wind: 1 });
  assert.deepEqual(made("scarterra", ["helpers=Bo, asta", "helpers=c3"], [], { attribute: "Dexterity" }).value.helpers, ["c2", "c1", "c3"]);
});

test("what is no field, no value, or one word too many is refused by name", () => {
  assert.throws(() => made("sagatafl", ["nonsense=1"]), (error) => why("line.field")(error) && error.allowed.includes("rd="));
  assert.throws(() => made("sagatafl", ["7"], []), why("line.more"));
  assert.deepEqual(made("sagatafl", ["very", "hard"], ["rd"], { trait: "x" }).value, { trait: "x", rd: "very hard" });
  assert.throws(() => made("sagatafl", ["rd.x=7"]), why("line.value"));
  assert.throws(() => made("milhamah", ["modifiers=3"]), why("line.value"));
  assert.throws(() => made("sagatafl", ["trait=Body"], [], { trait: "Lockpicking" }), why("line.twice"));
  assert.throws(() => made("milhamah", ["combat=constructor"]), why("line.value"));
  assert.deepEqual(made("milhamah", ["rating=1,000"], [], { root: "רוח" }).wrong, ["rating"]);
  assert.throws(() => made("milhamah", ["combat=perhaps"]), (error) => why("line.value")(error) && error.allowed.includes("yes"));
  assert.deepEqual(made("milhamah", ["rating=high"], [], { root: "רוח" }).wrong, ["rating"]);
});
