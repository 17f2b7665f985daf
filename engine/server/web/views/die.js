// @ts-check
/** One die on the table: its outline, its hatching, its face, and what became of it. */

import { say } from "../words/index.js";
import { html } from "./html.js";
import { colourOf, hatching, outlined, shapeOf, SHAPES } from "./shapes.js";

/**
 * @import { Die, ShownDie } from "../urim.d.ts"
 *
 * A die on the table. `earlier` are the faces before the one it shows, each with whether it counts too;
 * without it none is known to. `counts`: what it does for its side, where that is known.
 * @typedef {Die & {earlier?: [number|string, boolean][], counts?: ShownDie["counts"]}} Laid
 *
 * What a die is, beside its faces: `label` is what people call its kind, `faces` those of its kind.
 * @typedef {{label: string, faces?: readonly (number|string)[]}} Kind
 */

/** Signs in the corner of a die, as paths in a square of 24. */
const SIGNS = {
  frozen: "M6 11h12v9H6zM8.5 11V7.5a3.5 3.5 0 0 1 7 0V11",
  adjusted: "M8 4v9M4 8.5h8M13 18h8",
  again: "M19 12a7 7 0 1 1-2.2-5.1M19 3v5h-5",
  against: "M6 12h12",
};

/** Where signs stand: in the corners, off the face. */
const CORNERS = ["74 74", "2 74", "74 2", "2 2"];

/** @typedef {"frozen"|"adjusted"|"again"|"against"|"idle"} State */

/** Names of those of a die's states that hold. @param {Laid} die @returns {State[]} */
export function statesOf(die) {
  /** @type {State[]} */
  const found = [];
  if (die.frozen) found.push("frozen");
  if (die.face !== die.landed) found.push("adjusted");
  if (die.thrown.length > 1) found.push("again");
  if (die.counts === "against") found.push("against");
  if (die.counts === "no") found.push("idle");
  return found;
}

/** A face as text: a minus sign where it is below 0. @param {number|string} face */
export const faceText = (face) => String(face).replace("-", "\u2212");

/**
 * A die in words: its number in the roll, its kind, its face, and what became of it.
 *
 * @param {Laid} die @param {Kind} kind
 */
export function called(die, kind) {
  const states = statesOf(die).map((state) => say(`die.${state}`));
  const past = PAST.flatMap(([key, counts]) => {
    const faces = earlierOf(die).filter((each) => each[1] === counts).map(([face]) => faceText(face));
    return faces.length ? [say(key, { faces: faces.join(", ") })] : [];
  });
  return [say("die.name", { die: numberOf(die.id), kind: kind.label, face: faceText(die.face) }), ...states, ...past].join(", ");
}

/** The number of a die in its roll: `d3` is the third. @param {string} id */
export const numberOf = (id) => /^d\d+$/.test(id) ? id.slice(1) : id;

/** What is read out of earlier faces: those that count, and those that do not. @type {[string, boolean][]} */
const PAST = [["die.also", true], ["die.before", false]];

/** The faces that a die showed before the one that it shows, with whether each counts. @param {Laid} die @returns {[number|string, boolean][]} */
export function earlierOf(die) {
  const before = die.face === die.landed ? die.thrown.slice(0, -1) : die.thrown;
  return die.earlier ?? before.map((face) => [face, false]);
}

/**
 * The picture of a die. It says nothing to screen readers: who holds it does.
 *
 * @param {{kind: string, as: Kind, face?: number|string|null, size?: string, states?: string[], fell?: boolean}} props
 */
export function Face({ kind, as, face = null, size = "", states = [], fell = false }) {
  const shape = shapeOf(kind, as.faces);
  const colour = colourOf(kind, as.label);
  const { edges, drop } = SHAPES[shape];
  const text = face === null ? "" : faceText(face);
  const hatch = hatching(shape, colour);
  return html`
    <svg class=${`die ${shape} ${colour} ${size} ${states.join(" ")} ${fell ? "fell" : ""}`} viewBox="-4 -4 108 108" aria-hidden="true" focusable="false">
      <path class="body" d=${outlined(shape)} />
      ${hatch && html`<path class="hatch" d=${hatch} />`}
      ${!colour && edges && html`<path class="edges" d=${edges} />`}
      ${text && html`<circle class="ground" cx="50" cy=${50 + drop} r=${text.length > 2 ? 31 : 27} />`}
      <path class="rim" d=${outlined(shape)} />
      ${text && html`<text class=${text.length > 2 ? "long" : ""} x="50" y=${51 + drop} text-anchor="middle" dominant-baseline="central">${text}</text>`}
      ${states.filter((state) => state in SIGNS).map((state, at) => html`
        <g class=${`sign ${state}`} key=${state} transform=${`translate(${CORNERS[at]})`}>
          <rect x="-3" y="-3" width="30" height="30" rx=${state === "frozen" ? 4 : 15} /><path d=${SIGNS[/** @type {keyof typeof SIGNS} */ (state)] ?? ""} />
        </g>`)}
    </svg>`;
}

/** The faces before the last one, dimmed; struck where they do not count. @param {{die: Laid}} props */
export function Old({ die }) {
  const before = earlierOf(die);
  if (!before.length) return null;
  return html`<span class="old" aria-hidden="true">${before.slice(-4).map(([face, counts], at) =>
    counts ? html`<span key=${at}>${faceText(face)}</span>` : html`<s key=${at}>${faceText(face)}</s>`)}</span>`;
}
