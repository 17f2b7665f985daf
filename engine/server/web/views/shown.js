// @ts-check
/** Who and what the page shows: of the server's newest sight, or of the past that the slider names. */

import { computed } from "@preact/signals-core";

import { language, live, moves, seal, session, sight, system, table, until, waiting } from "../state/app.js";
import { say } from "../words/index.js";
import { plain } from "./names.js";

/** The server's own words of the newest state, where the page shows that. */
function now() {
  return until.value === null ? sight.value : null;
}

/** Whether the page shows the newest state, with the server's own words. */
export function isLive() {
  return now() !== null;
}

/** Seats, oldest first: `{id, name, role, here}`. */
export function seats() {
  return now()?.seats ?? Object.values(table.value?.seats ?? {});
}

/** Characters, oldest first: `{id, name, seat, attributes, tracks, here}`. */
export function characters() {
  return now()?.characters ?? Object.values(table.value?.characters ?? {});
}

/**
 * The name of a seat, or its id. Of the past, too, the timeline shows all that came later: who had no
 * name yet has today's.
 *
 * @param {string} id
 */
export function seatName(id) {
  return named(seats(), id) || named(sight.value?.seats, id) || id;
}

/** What a table waits for, and what may be done before. @param {import("../urim.d.ts").Awaiting | import("../urim.d.ts").Awaited} each */
export function waitedFor({ trigger, also = [], choice }) {
  const ways = [...also, trigger].map((way) => (choice ? say("waits.choose", { what: choice }) : say(`waits.${way}`)));
  return new Intl.ListFormat(language.value, { type: "disjunction" }).format(ways);
}

/** The name of a character, or its id. @param {string} id */
export function characterName(id) {
  return named(characters(), id) || named(sight.value?.characters, id) || id;
}

/** A value of a declaration as text. @param {any} value @param {boolean} person @returns {string} */
export function valueText(value, person) {
  if (value === true) return "✓";
  if (Array.isArray(value)) return value.map((each) => valueText(each, person)).join(", ");
  if (value !== null && typeof value === "object") {
    return Object.entries(value).map(([name, each]) => `${name} ${valueText(each, false)}`).join(", ");
  }
  return person ? plain(characterName(String(value))) : String(value);
}

/** @param {readonly {id: string, name: string}[] | undefined} all @param {string} id */
function named(all, id) {
  return all?.find((each) => each.id === id)?.name;
}

/** What sentences and dice show of people, as one text: where it is the same, so are they. */
export const people = computed(() => JSON.stringify([
  characters().map(({ id, name, tracks }) => [id, name, tracks]), seats().map(({ id, name }) => [id, name]),
]));

/** What the seal says of rolls: of those only that have anything wrong or unchecked. */
const verdicts = computed(() => {
  const found = /** @type {Map<number|null|undefined, "wrong"|"unchecked">} */ (new Map());
  const { wrong, unchecked } = seal.value;
  const rollAt = (/** @type {number|null} */ seq) => (seq === null ? null : live.value.log[seq]?.roll);
  for (const { seq } of unchecked) found.set(rollAt(seq), "unchecked");
  for (const { seq } of wrong) found.set(rollAt(seq), "wrong");
  return found;
});

/** What the seal says of a roll's entries. @param {number} number @returns {"right"|"wrong"|"unchecked"} */
export function verdictOf(number) {
  const { wrong, unchecked, state } = seal.value;
  if (!wrong.length && !unchecked.length) return state === "red" ? "wrong" : "right";
  return verdicts.value.get(number) ?? "right";
}

/** Whether the page is a narrator's. */
export function isNarrator() {
  return session.value?.role === "narrator";
}

/** Whether the page's seat acts for a character. @param {{seat: string}} character */
export function isMine(character) {
  return character.seat === session.value?.seat;
}

/** What people call a track. @param {string} name */
export function trackLabel(name) {
  return sight.value?.tracks?.[name]?.label ?? name.replaceAll("_", " ");
}

/** The bounds of a track: `{least, most}`; without `most` it has no upper one. @param {string} name */
export function trackBounds(name) {
  return sight.value?.tracks?.[name] ?? system.value?.tracks?.[name] ?? { least: 0, most: null };
}

/** Whether the narrator's or the seat's moves offer a trigger in a roll. @param {number|null} roll @param {string} trigger */
export function offered(roll, trigger) {
  if (until.value !== null) return false;
  const found = moves.value?.get(roll)?.moves ?? [];
  return found.some((move) => move.trigger === trigger && move.legal);
}

/** What a seat is waited for. @param {string} seat */
export function awaitedOf(seat) {
  return (waiting.value?.others ?? []).filter((each) => each.seat === seat);
}

/** States of a roll after which nothing is thrown any more. */
const ENDED = new Set(["resolved", "damaged", "voided"]);

/** Rolls of the table, newest first. */
export function rolls() {
  return [...(table.value?.rolls?.values() ?? [])].sort((one, other) => other.number - one.number);
}

/** Rolls that a character made, newest first, without those that were voided. @param {string} id */
export function rollsOf(id) {
  return rolls().filter((roll) => roll.character === id && roll.state !== "voided");
}

/** Whether a roll still goes on. @param {{state: string, sealed?: unknown, marks?: readonly string[]}} roll */
export function isOpen(roll) {
  return !roll.sealed && !ENDED.has(roll.state);
}
