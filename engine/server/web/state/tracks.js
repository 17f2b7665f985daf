// @ts-check
// Every character's tracks, computed from all that counts, as if voided rolls had never been.

import { counting } from "./rolls.js";

/**
 * @import { Effect } from "../urim"
 * @import { Roll } from "./rolls.js"
 * @import { Sheet } from "./table.js"
 */

/** The bounds of each track by its name. @typedef {Readonly<Record<string, {least: number, most: number|null}>>} Bounds */

/** Values of tracks by character. @typedef {Map<string, Record<string, number>>} Tracks */

/**
 * Tracks by character. What a hidden roll costs and gains counts from its reveal on, what was amended
 * where the roll stood.
 *
 * Damage counts as it was announced. After an earlier roll was voided the rules may compute it
 * again: then the server's sight is the truth.
 *
 * @param {Iterable<Sheet>} sheets  what set tracks without a roll
 * @param {Iterable<Roll>} rolls
 * @param {Bounds} bounds
 * @returns {Tracks}
 */
export function tracksOf(sheets, rolls, bounds) {
  /** @type {{since: number, seq: number, apply: (tracks: Tracks) => void}[]} */
  const steps = [];
  for (const sheet of sheets) {
    steps.push({ since: sheet.seq, seq: sheet.seq, apply: (tracks) => setSheet(tracks, sheet) });
  }
  for (const roll of rolls) {
    if (roll.hidden) continue;
    for (const { place, effects } of counting(roll)) {
      const since = Math.max(place, roll.revealed ?? 0);
      steps.push({ since, seq: place, apply: (tracks) => spend(tracks, effects, bounds) });
    }
  }
  steps.sort((one, other) => one.since - other.since || one.seq - other.seq);
  /** @type {Tracks} */
  const tracks = new Map();
  for (const { apply } of steps) apply(tracks);
  return tracks;
}

/** @param {Tracks} tracks @param {Sheet} sheet */
function setSheet(tracks, { character, tracks: values, whole }) {
  tracks.set(character, whole ? { ...values } : { ...tracks.get(character), ...values });
}

/** @param {Tracks} tracks @param {readonly Effect[]} effects @param {Bounds} bounds */
function spend(tracks, effects, bounds) {
  for (const [character, track, delta, to] of effects) {
    const own = tracks.get(character) ?? {};
    const { least = -Infinity, most = null } = bounds[track] ?? {};
    const value = to == null ? (own[track] ?? 0) + delta : to;
    tracks.set(character, { ...own, [track]: Math.min(most ?? Infinity, Math.max(least, value)) });
  }
}
