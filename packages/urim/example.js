// A player that checks all it is told: it sits down, rolls, and says what came out and whether to believe it.
//
//     node example.js FILE 'HOST/#i=urim-i1-…'    sits down by an invitation; FILE keeps what must not be lost
//     node example.js FILE                        comes back to that seat
//
// At a table with plain dice. What is wrong is said, and ends it with 1.

import { readFileSync, renameSync, writeFileSync } from "node:fs";

import { join, keeper, read, resume } from "urim";

const PATIENCE = 20_000; // milliseconds

/** A file as a storage: a value is in it before it is used, and a crash leaves the old file or the new one. */
function fileStorage(path) {
  let values = {};
  try {
    values = JSON.parse(readFileSync(path, "utf-8"));
  } catch (error) {
    if (error.code !== "ENOENT") throw error; // nothing was kept yet
  }
  const save = () => {
    writeFileSync(`${path}.new`, JSON.stringify(values), { mode: 0o600, flush: true });
    renameSync(`${path}.new`, path);
  };
  return {
    getItem: (key) => values[key] ?? null,
    setItem: (key, value) => void (values[key] = value, save()),
    removeItem: (key) => void (delete values[key], save()),
  };
}

/** End with why. */
function fail(why) {
  console.error(why);
  process.exit(1);
}

/** What was asked for is done; else end with why not. */
async function done(asking) {
  const outcome = await asking;
  if (outcome.type !== "done") fail(`not done: ${outcome.why}`);
  return outcome;
}

/** What is wrong with the table, one line each. */
function wrongs({ wrong, forks }) {
  return [...forks.map(({ why }) => `fork: ${why}`), ...wrong.map(({ seq, what, why }) => `entry ${seq}, ${what}: ${why}`)];
}

const [file, link] = process.argv.slice(2);
if (!file) fail("node example.js FILE [HOST/#i=INVITATION]");
const kept = keeper({ storage: fileStorage(file), database: null });
const before = kept.seats()[0];
const seat = link ? await join(link, { keeper: kept }) : before ? await resume(before, { keeper: kept }) : fail(`no seat is kept in ${file}`);
if ("code" in seat) fail(`refused: ${seat.why}`);

await seat.once(() => seat.seal.state === "red" || (seat.link.state === "live" && seat.seal.head !== null), PATIENCE);
if (seat.seal.state === "red") fail(wrongs(seat.seal).join("\n"));

const mine = () => Object.values(seat.table.characters).find((each) => each.here && each.seat === seat.kept.seat);
if (!mine()) await done(seat.ask({ do: "enter/1", character: `c-${seat.kept.seat}`, seat: seat.kept.seat }, "Ruth"));

const declared = await done(seat.ask({ do: "declare/1", character: mine().id, declaration: { expression: "4d6kh3" } }));
const { roll } = seat.table.log.find(({ seq }) => seq === declared.seqs[0]);
await done(seat.throwDice(roll, { hand: "dice" }));
await done(seat.ask({ do: "resolve/1", roll }));

const { outcome } = await read(seat, `/rolls/${roll}/account`);
await seat.once(() => (seat.seal.head?.size ?? 0) >= seat.table.size || seat.seal.state === "red", PATIENCE);
if (seat.seal.state === "red") fail(wrongs(seat.seal).join("\n"));
console.log(`${outcome.headline}: ${seat.seal.state}, ${seat.seal.size} entries under a signed head`);
seat.end();
