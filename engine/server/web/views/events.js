// @ts-check
/** An event as one sentence: in the server's words where it has them, else in the page's own. */

import { accounts, language, live } from "../state/app.js";
import { SERVERS } from "../state/reader.js";
import { known, say } from "../words/index.js";
import { sentence } from "./parts.js";
import { characterName, seatName, trackLabel } from "./shown.js";

/**
 * The server's sentence for an entry of a roll; empty where the page's own is better.
 *
 * @param {{seq: number, roll: number|null}} entry
 */
export function stepText(entry) {
  if (language.value !== SERVERS || entry.roll === null) return "";
  return accounts.value?.get(entry.roll)?.steps.find((step) => step.seq === entry.seq)?.text ?? "";
}

/**
 * The page's own sentence for an entry, with each name by itself.
 *
 * @param {any} entry
 */
export function eventText(entry) {
  const [key, given] = worded(entry);
  return sentence(key, given);
}

/**
 * The same as one string.
 *
 * @param {any} entry
 */
export function eventLine(entry) {
  const [key, given] = worded(entry);
  return say(key, given);
}

/** The key of a sentence, and what stands in its places. @param {any} entry @returns {[string, Record<string, unknown>]} */
function worded(entry) {
  const { event } = entry;
  if (!event) return [entry.class === "text" ? "event.erased-text" : "event.sealed", {}];
  const name = event.type.split("/")[0];
  const key = `event.${special(name, event)}`;
  return [known(key) ? key : "event.other", { ...given(event), type: name }];
}

/** Where one event has two sentences. @param {string} name @param {any} event */
function special(name, event) {
  if (name === "reaction-declared" && (!event.reaction || event.reaction.declined)) return "reaction-declined";
  if (name === "dice-rolled" && event.taken != null) return "dice-taken";
  if (name === "roll-declared" && event.follows) return "roll-followed";
  if (name === "roll-declared" && event.visibility !== "public") return "roll-hidden";
  if (name === "dice-frozen" && event.dice.length === 0) return "dice-unfrozen";
  if (name === "throw-asked" && event.left?.length) return "throw-asked-left";
  if (name === "seat-taken" && event.key && event.by === event.seat) return "seat-key";
  return name;
}

/** A value that may be any JSON. @param {unknown} value */
const settingText = (value) => (value !== null && typeof value === "object" ? JSON.stringify(value) : value);

/** What the sentences may place, of any event. @param {any} event */
function given(event) {
  const roll = event.roll === undefined ? undefined : live.value?.rolls.get(event.roll);
  return {
    who: characterName(event.character ?? event.target ?? roll?.character ?? ""),
    by: seatName(event.by),
    seat: seatName(event.seat ?? event.by),
    roll: event.roll,
    role: event.role ? say(`role.${event.role}`) : "",
    track: event.track ? trackLabel(event.track) : "",
    attribute: event.attribute ?? "",
    name: event.name ?? "",
    value: settingText(event.value) ?? event.damage?.amount ?? "",
    entry: event.about ?? event.seq ?? "",
    epoch: event.epoch ?? "",
    after: event.follows?.[0] ?? event.taken ?? "",
    faces: (event.dice ?? []).map((/** @type {any} */ die) => (Array.isArray(die) ? die.at(-1) : die)).join(" "),
    seats: (event.asked ?? []).map((/** @type {[string, number]} */ [seat]) => seatName(seat)).join(", "),
    left: (event.left ?? []).map(seatName).join(", "),
    kept: (event.kept ?? []).map(seatName).join(", "),
    option: event.option ?? "",
    degree: event.outcome?.degree ?? "",
    words: (event.words ?? []).join(", "),
    ruling: event.ruling ? say(`ruling.${event.ruling}`) : "",
    fate: event.fate ? say(`event.fate-${event.fate}`) : "",
  };
}
