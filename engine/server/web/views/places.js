// @ts-check
/**
 * The parts of a body, as a figure of simple shapes: places by their words. Pure.
 *
 * Systems name places in their own words. A word that is known stands on the figure, from the front or
 * from behind; any other stands in a list beside it.
 */

/** A box with round corners: x, y, width, height, radius. @typedef {[number, number, number, number, number]} Box */

/** A place: seen from the `front` or from `behind`.
 * @typedef {{view: "front"|"behind", boxes: Box[]}} Place */

/** Width of the figure; its middle is half of it. */
export const WIDTH = 120;
export const HEIGHT = 252;

/** @param {Box} box @returns {Box[]} the box and its mirror image */
const both = (box) => [box, [WIDTH - box[0] - box[2], box[1], box[2], box[3], box[4]]];

/** The whole body, drawn under its places. @type {Box[]} */
export const BODY = [
  [43, 4, 34, 40, 17], [52, 40, 16, 14, 5], ...both([24, 51, 24, 22, 11]), [38, 52, 44, 70, 14], [39, 108, 42, 28, 12],
  ...both([22, 62, 17, 44, 8]), ...both([18, 100, 16, 40, 7]), ...both([15, 136, 17, 22, 8]),
  ...both([39, 126, 20, 56, 9]), ...both([40, 176, 17, 56, 8]), ...both([33, 228, 24, 14, 7]),
];

/** @type {Record<string, Place>} */
export const PLACES = {
  head: { view: "front", boxes: [[43, 4, 34, 40, 17]] },
  eye: { view: "front", boxes: both([49, 17, 8, 5, 2.5]) },
  ear: { view: "front", boxes: both([39, 18, 6, 12, 3]) },
  nose: { view: "front", boxes: [[57, 20, 6, 9, 3]] },
  mouth: { view: "front", boxes: [[53, 32, 14, 5, 2.5]] },
  neck: { view: "front", boxes: [[52, 42, 16, 11, 4]] },
  shoulder: { view: "front", boxes: both([24, 51, 20, 18, 9]) },
  chest: { view: "front", boxes: [[42, 56, 36, 30, 9]] },
  belly: { view: "front", boxes: [[44, 88, 32, 26, 9]] },
  side: { view: "front", boxes: both([38, 82, 7, 32, 3.5]) },
  groin: { view: "front", boxes: [[50, 116, 20, 19, 8]] },
  "upper arm": { view: "front", boxes: both([22, 68, 17, 32, 8]) },
  forearm: { view: "front", boxes: both([18, 102, 16, 34, 7]) },
  hand: { view: "front", boxes: both([15, 137, 17, 21, 8]) },
  thigh: { view: "front", boxes: both([39, 130, 20, 48, 9]) },
  "lower leg": { view: "front", boxes: both([40, 182, 17, 46, 8]) },
  foot: { view: "front", boxes: both([33, 228, 24, 14, 7]) },
  "upper back": { view: "behind", boxes: [[41, 55, 38, 30, 9]] },
  "lower back": { view: "behind", boxes: [[43, 87, 34, 24, 8]] },
  rear: { view: "behind", boxes: [[40, 112, 40, 24, 11]] },
};

/** Other words for the same places. @type {Record<string, string>} */
const ALSO = {
  face: "head", skull: "head", eyes: "eye", ears: "ear", throat: "neck", shoulders: "shoulder", breast: "chest",
  torso: "chest", body: "chest", trunk: "chest", abdomen: "belly", stomach: "belly", arm: "upper arm", arms: "upper arm",
  elbow: "forearm", hands: "hand", leg: "thigh", legs: "thigh", knee: "lower leg", calf: "lower leg", shin: "lower leg",
  feet: "foot", back: "upper back", buttocks: "rear", bottom: "rear",
};

/** Words that say which side is meant, and not what. */
const SIDES = /\b(left|right)\b/g;

/** The name of a place on the figure; "" where it is not on it. @param {string} word */
export function placeOf(word) {
  const plain = word.toLowerCase().replace(SIDES, "").replaceAll("_", " ").trim().replace(/\s+/g, " ");
  if (plain in PLACES) return plain;
  return ALSO[plain] ?? "";
}

/**
 * What a character has at its places, and its other tracks that have a bound: `armour:head` is a
 * track `armour` at the place `head`.
 *
 * @param {{tracks: Record<string, number>, attributes: Record<string, number>}} character
 * @param {Record<string, {label: string, most: number|null}>} known  the tracks of the table
 */
export function worn({ tracks, attributes }, known) {
  /** @type {{what: string, place: string, value: number}[]} */
  const placed = [];
  for (const [name, value] of [...Object.entries(tracks), ...Object.entries(attributes)]) {
    const at = name.indexOf(":");
    if (at > 0 && value !== 0) placed.push({ what: name.slice(0, at), place: name.slice(at + 1), value });
  }
  const marks = Object.entries(known)
    .filter(([name, track]) => track.most !== null && track.most <= 20 && !name.includes(":"))
    .map(([name, track]) => ({ name, label: track.label, value: tracks[name] ?? 0, most: Number(track.most) }));
  return { placed, marks };
}
