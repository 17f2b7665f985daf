// Shapes of dice, commands made of offers, places of a body. `node dice.test.mjs`

import assert from "node:assert/strict";
import { test } from "node:test";

import * as commands from "../../../../../engine/server/web/views/commands.js";
import { placeOf, PLACES, worn } from "../../../../../engine/server/web/views/places.js";
import { colourOf, hatching, outlined, shapeOf, SHAPES } from "../../../../../engine/server/web/views/shapes.js";

const die = (id, landed, more = {}) => ({ id, kind: "d12", thrown: [landed], landed, face: landed, frozen: false, ...more });
const hand = (...dice) => ({ name: "first", label: "", character: "c1", dice, rerolls: 0, means: [], taken: false });

test("an outline by the number of faces", () => {
  for (const kind of ["d4", "d6", "d8", "d10", "d12", "d20", "d100"]) assert.equal(shapeOf(kind), kind);
  assert.equal(shapeOf("d%"), "d100");
  assert.equal(shapeOf("dF", [-1, 0, 1]), "d6");
  assert.equal(shapeOf("d7"), "many");
  assert.equal(shapeOf("red-a", [..."abcdefghijkl"]), "letters");
  assert.equal(shapeOf("location", [..."abcdefghijklmnopqrstuvwx"]), "many");
});

test("a colour by a whole word of the kind or its label", () => {
  assert.equal(colourOf("red-a"), "red");
  assert.equal(colourOf("k1", "Blue, first kind"), "blue");
  assert.equal(colourOf("hundred-sided"), "");
});

test("no two colours have the same hatching, and all of it is within the outline", () => {
  const colours = ["red", "blue", "green", "purple", "black", "orange", "brown", "grey", "yellow"];
  for (const shape of Object.keys(SHAPES)) {
    const paths = colours.map((colour) => hatching(shape, colour));
    assert.equal(new Set(paths).size, colours.length);
    const xs = SHAPES[shape].outline.map(([x]) => x);
    const ys = SHAPES[shape].outline.map(([, y]) => y);
    for (const [, x, y] of paths.join("").matchAll(/[ML](-?[\d.]+) (-?[\d.]+)/g)) {
      assert.ok(x >= Math.min(...xs) - 0.1 && x <= Math.max(...xs) + 0.1, `${shape} ${x}`);
      assert.ok(y >= Math.min(...ys) - 0.1 && y <= Math.max(...ys) + 0.1, `${shape} ${y}`);
    }
    assert.match(outlined(shape), /^M.*Z$/);
  }
});

test("a freeze names every die that shall be frozen", () => {
  const dice = hand(die("d1", 3, { frozen: true }), die("d2", 4), die("d3", 5));
  assert.deepEqual(commands.freezing(1, dice, ["d3"]).dice, ["d1", "d3"]);
  assert.deepEqual(commands.freezing(1, dice, ["d1"]).dice, []);
  assert.deepEqual(commands.standing(1, dice).dice, ["d1", "d2", "d3"]);
});

test("the price of dice that are thrown again", () => {
  const offer = { least: 1, most: 2, extra: 1, extra_cost: ["merit", 3] };
  assert.deepEqual(commands.rerolling(offer, 2), { allowed: true, extra: 0, points: 0 });
  assert.deepEqual(commands.rerolling(offer, 3), { allowed: true, extra: 1, points: 3 });
  assert.equal(commands.rerolling(offer, 4).allowed, false);
  assert.equal(commands.rerolling(offer, 0).allowed, false);
});

test("faces that a die reaches stand in order, its own among them", () => {
  const offer = { to: { d1: { 7: 1, 5: 1, 12: 3 }, d2: { "\u05D2": 1 } }, most: 3, means: "m" };
  assert.deepEqual(commands.reachable(offer, die("d1", 6)), [[5, 1], [6, 0], [7, 1], [12, 3]]);
  assert.deepEqual(commands.reachable(offer, die("d2", "\u05D1")), [["\u05D1", 0], ["\u05D2", 1]]);
  assert.deepEqual(commands.reachable(offer, die("d9", 6)), []);
});

test("an adjustment names all dice that show another face than they fell on", () => {
  const offer = { to: { d1: { 7: 1, 8: 2 }, d2: { 3: 1 } }, most: 3, means: "m" };
  const dice = hand(die("d1", 6), die("d2", 4, { face: 3 }), die("d3", 1));
  assert.deepEqual(commands.spending(offer, dice, { d1: 8 }), { spent: 3, left: 0 });
  assert.deepEqual(commands.adjusting(2, offer, dice, { d1: 8 }).dice, [["d1", 8], ["d2", 3]]);
  assert.deepEqual(commands.adjusting(2, offer, dice, { d1: 8, d2: 4 }).dice, [["d1", 8]]);
});

test("who may decline", () => {
  assert.equal(commands.declinable({ due: true, choice: "fate" }), true);
  assert.equal(commands.declinable({ due: false, choice: "fate" }), false);
  assert.equal(commands.declinable({ due: false, choice: "" }), true);
});

test("a typed face on which a die is thrown again asks for one more", () => {
  const kinds = ["d6", "d6"];
  assert.equal(commands.slots(kinds, [6], ["5", "5"]).length, 2);
  assert.deepEqual(commands.slots(kinds, [6], ["6", "6", "2"]).map((slot) => slot.die), [1, 1, 1, 2]);
});

test("typed faces are those that the dice have", () => {
  const letters = ["\u05D0", "*"];
  assert.deepEqual(commands.typedFaces(["\u05D0", " 4 "], [letters, [1, 2, 3, 4]]), ["\u05D0", 4]);
  assert.equal(commands.typedFaces(["\u05D1"], [letters]), null);
  assert.equal(commands.typedFaces([""], [[1, 2]]), null);
  assert.deepEqual(commands.typedFaces(["17"], [[]]), [17]);
});

test("places of a body by their words", () => {
  assert.equal(placeOf("head"), "head");
  assert.equal(placeOf("Left upper arm"), "upper arm");
  assert.equal(placeOf("shin"), "lower leg");
  assert.equal(placeOf("tail"), "");
  assert.equal(PLACES["lower back"].view, "behind");
});

test("what is worn, by place, and tracks that are boxes to tick", () => {
  const tracks = { "armour:head": 2, "armour:tail": 1, "armour:foot": 0, light: 1, merit: 4 };
  const known = { light: { label: "light wounds", most: 3 }, merit: { label: "Merit", most: null }, "armour:head": { label: "", most: null } };
  assert.deepEqual(worn({ tracks, attributes: {} }, known), {
    placed: [{ what: "armour", place: "head", value: 2 }, { what: "armour", place: "tail", value: 1 }],
    marks: [{ name: "light", label: "light wounds", value: 1, most: 3 }],
  });
});
