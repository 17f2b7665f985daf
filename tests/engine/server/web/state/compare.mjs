// Folds what seats were sent, step by step, and prints where the table is not the server's sight.

import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { isDeepStrictEqual } from "node:util";

import { disputedAmong, marksAmong } from "../../../../../engine/server/web/state/rolls.js";
import { at, empty, folded } from "../../../../../engine/server/web/state/table.js";
import { levelNext } from "../../../../../engine/server/web/state/throws.js";

const plain = (value) => JSON.parse(JSON.stringify(value));
const by = (key) => (one, other) => (one[key] < other[key] ? -1 : 1);
const effects = (found) =>
  found.map(([character, track, delta, to = null]) => ({ character, track, delta, ...(to === null ? {} : { to }) }));

const die = ({ id, kind, thrown, landed, face, frozen = false }) => ({ id, kind, thrown, landed, face, frozen });
const hand = ({ name, character, dice, rerolls, taken }) => ({ name, character, dice: dice.map(die), rerolls, taken });
/** A roll of the sight, less what only the server knows, or the rules. */
function rollSeen({ seen, followers, hangs, next_level, ...roll }) {
  const announced = ({ head, text, ...rest }) => rest;
  return {
    ...roll, hands: roll.hands.map(hand),
    outcome: roll.outcome && announced(roll.outcome), damage: roll.damage && announced(roll.damage),
  };
}

/** A roll of the fold, in the form of the sight. */
function rollFolded(roll, rolls) {
  const announced = (found) =>
    found && { figures: {}, readings: [], ...found, effects: effects(found.effects) };
  const { seq, at, seat, character, state, visibility, hidden, level, follows, declaration } = roll;
  const [marks, disputed] = [marksAmong(roll, rolls), disputedAmong(roll, rolls)];
  const { reactions, choices, disputes, commitment } = roll;
  return {
    roll: roll.number, seq, at, seat, character, state, visibility, hidden, level, marks, follows,
    declaration, reactions, choices, disputes, disputed, commitment, hands: roll.hands.map(hand),
    outcome: announced(roll.outcome), damage: announced(roll.damage),
  };
}

function differences(table, sight) {
  const rolls = [...table.rolls.values()];
  const found = {
    seats: Object.values(table.seats).sort(by("id")),
    characters: Object.values(table.characters).sort(by("id")),
    rolls: rolls.filter((roll) => !roll.sealed).sort(by("number")).map((roll) => rollFolded(roll, table.rolls)),
    levels: rolls.filter((roll) => !roll.sealed).sort(by("number")).map((roll) => levelNext(table, sight.seat, roll)),
    texts: [...table.texts.values()].sort(by("seq")),
    size: table.size, epoch: table.epoch, level: table.level,
    ask: table.ask, kept_back: table.kept_back, one_machine: table.one_machine,
  };
  const wanted = { ...sight, rolls: sight.rolls.map(rollSeen), levels: sight.rolls.map((roll) => roll.next_level) };
  wanted.characters = sight.characters.map((each) => ({ here: true, ...each }));
  return Object.keys(found).flatMap((name) => difference(name, plain(found[name]), plain(wanted[name])));
}

function difference(where, found, wanted) {
  if (isDeepStrictEqual(found, wanted)) return [];
  if (found === null || wanted === null || typeof found !== "object" || typeof wanted !== "object") {
    return [`${where}: ${JSON.stringify(found)} is ${JSON.stringify(wanted)}`];
  }
  const keys = new Set([...Object.keys(found), ...Object.keys(wanted)]);
  return [...keys].flatMap((key) => difference(`${where}.${key}`, found[key] ?? null, wanted[key] ?? null));
}

/** Folded at once a table must be what it was step by step. */
function atOnce(name, table) {
  const written = (of) => JSON.stringify({ ...of, rolls: [...of.rolls], texts: [...of.texts] });
  if (table.size && written(at(table.lines, table.size - 1, table.bounds)) !== written(table)) {
    console.log(`${name}: folded at once it is another table`);
  }
}

let [name, table, steps] = ["", empty(), 0];
for await (const text of createInterface({ input: createReadStream(process.argv[2]) })) {
  const step = JSON.parse(text);
  if (step.name !== name) {
    atOnce(name, table);
    [name, table] = [step.name, empty()];
  }
  table = folded(table, step.lines);
  if (step.sight === null) continue;
  if (!Object.keys(table.bounds).length) table = folded(empty(step.sight.tracks), table.lines);
  steps++;
  for (const each of differences(table, step.sight)) console.log(`${name} at ${table.size}: ${each}`);
}
atOnce(name, table);
if (steps < 100) console.log(`only ${steps} steps were compared`);
