// @ts-check
/**
 * The shapes of dice, as one table: an outline by the number of faces, a hatching by the colour.
 *
 * All in a square of 100 by 100. The hatchings are those of heraldry (Petra Sancta), so that who sees
 * no colours can tell them apart.
 */

/** @typedef {[number, number]} Point */

/**
 * An outline, the edges within it as a path, and how far below the middle its face stands.
 *
 * @typedef {{outline: Point[], edges: string, drop: number}} Shape
 */

/** The corners of a regular polygon. @param {number} corners @param {number} [turned] degrees */
function regular(corners, turned = 0, radius = 47) {
  return Array.from({ length: corners }, (_, at) => {
    const angle = ((at / corners) * 360 + turned - 90) * (Math.PI / 180);
    return /** @type {Point} */ ([50 + radius * Math.cos(angle), 50 + radius * Math.sin(angle)]);
  });
}

/** @type {Point[]} */
const TABLET = [[14, 97], [14, 34], [20, 19], [32, 8], [50, 3], [68, 8], [80, 19], [86, 34], [86, 97]];

/**
 * Outlines by name: `d4` to `d100`, `letters` for dice with letters, `many` for any other.
 *
 * @type {Record<string, Shape>}
 */
export const SHAPES = {
  d4: { outline: [[50, 5], [97, 90], [3, 90]], edges: "M50 5V90", drop: 14 },
  d6: { outline: [[10, 8], [90, 8], [92, 10], [92, 90], [90, 92], [10, 92], [8, 90], [8, 10]], edges: "", drop: 0 },
  d8: { outline: [[50, 2], [94, 50], [50, 98], [6, 50]], edges: "M6 50L50 78L94 50", drop: -4 },
  d10: { outline: [[50, 3], [95, 44], [95, 56], [50, 97], [5, 56], [5, 44]], edges: "M5 56L28 62L50 74L72 62L95 56M50 74V97", drop: -6 },
  d12: { outline: regular(10), edges: "M50 17L81 40L69 77L31 77L19 40ZM50 17V3M81 40L95 36M69 77L78 88M31 77L22 88M19 40L5 36", drop: 0 },
  d20: { outline: regular(6), edges: "M50 20L78 68H22ZM50 20V3M78 68L91 74M22 68L9 74M50 20L91 26M50 20L9 26M78 68L91 26M22 68L9 26M78 68L50 97L22 68", drop: 4 },
  d100: { outline: regular(24), edges: "M50 12A38 38 0 1 0 50 88A38 38 0 1 0 50 12", drop: 0 },
  letters: { outline: TABLET, edges: "", drop: 4 },
  many: { outline: regular(8, 22.5), edges: "", drop: 0 },
};

const BY_FACES = [4, 6, 8, 10, 12, 20, 100];
const NUMBERED = /^d(\d+|%|F)$/;

/**
 * The name of a die's outline.
 *
 * @param {string} kind  as the log names it: `d6`, `red-a`
 * @param {readonly (number|string)[]} [faces]  of the system, where it lists them
 * @returns {string} a name in SHAPES
 */
export function shapeOf(kind, faces = []) {
  const letters = faces.some((face) => typeof face === "string");
  if (letters) return faces.length === 12 ? "letters" : "many";
  const sides = NUMBERED.exec(kind)?.[1];
  if (sides === "%") return "d100";
  if (sides === "F") return "d6";
  const count = sides ? Number(sides) : faces.length;
  return BY_FACES.includes(count) ? `d${count}` : "many";
}

/** Colours that a kind may be called by, each with its hatching: angles in degrees, or dots. */
const HATCHED = {
  red: [90],
  blue: [0],
  green: [45],
  purple: [135],
  black: [0, 90],
  orange: [45, 90],
  brown: [45, 135],
  grey: [0, 45],
  yellow: "dots",
  white: [],
};

/** @typedef {keyof typeof HATCHED} Colour */

const NAMED = Object.keys(HATCHED);

/**
 * The colour in the name of a kind, or in what people call it; "" where it has none.
 *
 * @param {string} kind
 * @param {string} [label]
 * @returns {Colour | ""}
 */
export function colourOf(kind, label = "") {
  const words = `${kind} ${label}`.toLowerCase().split(/[^a-z]+/);
  const found = words.find((word) => NAMED.includes(word)) ?? "";
  return /** @type {Colour | ""} */ (found);
}

/** Units between two lines of a hatching. */
const GAP = 9;

/** @type {Map<string, string>} */
const drawn = new Map();

/**
 * The hatching of a colour within an outline, as a path to be stroked; "" for none.
 *
 * @param {string} shape  a name in SHAPES
 * @param {Colour | ""} colour
 */
export function hatching(shape, colour) {
  const key = `${shape} ${colour}`;
  const known = drawn.get(key);
  if (known !== undefined) return known;
  const path = colour ? hatched(SHAPES[shape].outline, HATCHED[colour]) : "";
  drawn.set(key, path);
  return path;
}

/** @param {Point[]} outline @param {number[] | string} how */
function hatched(outline, how) {
  if (typeof how !== "string") return how.map((angle) => lines(outline, angle)).join("");
  return dots(outline);
}

/** Parallel lines within a convex outline. @param {Point[]} outline @param {number} angle */
function lines(outline, angle) {
  const turn = (angle * Math.PI) / 180;
  const along = [Math.cos(turn), Math.sin(turn)];
  const across = [-along[1], along[0]];
  const off = (/** @type {Point} */ at) => at[0] * across[0] + at[1] * across[1];
  const offs = outline.map(off);
  let path = "";
  for (let line = Math.ceil(Math.min(...offs) / GAP) * GAP; line < Math.max(...offs); line += GAP) {
    const ends = crossings(outline, offs, line);
    if (ends.length >= 2) path += `M${ends[0]}L${ends[ends.length - 1]}`;
  }
  return path;
}

/** Where a line crosses the edges. @param {Point[]} outline @param {number[]} offs @param {number} line */
function crossings(outline, offs, line) {
  /** @type {string[]} */
  const found = [];
  outline.forEach((from, at) => {
    const next = (at + 1) % outline.length;
    const [a, b] = [offs[at], offs[next]];
    if (a === b || line < Math.min(a, b) || line >= Math.max(a, b)) return;
    const part = (line - a) / (b - a);
    const x = from[0] + part * (outline[next][0] - from[0]);
    const y = from[1] + part * (outline[next][1] - from[1]);
    found.push(`${x.toFixed(1)} ${y.toFixed(1)}`);
  });
  return found;
}

/** @param {Point[]} outline */
function dots(outline) {
  let path = "";
  for (let y = 2 * GAP; y < 100; y += GAP * 1.4) {
    const offs = outline.map((point) => point[1]);
    const ends = crossings(outline, offs, y).map((end) => Number(end.split(" ")[0])).sort((a, b) => a - b);
    for (let x = (ends[0] ?? 100) + 6; x < (ends.at(-1) ?? 0) - 4; x += GAP * 1.4) path += `M${x.toFixed(1)} ${y.toFixed(1)}h.1`;
  }
  return path;
}

/** Outlines as SVG paths, of the shapes that were drawn. @type {Record<string, string>} */
const DRAWN = {};

/** An outline as an SVG path. @param {string} shape */
export function outlined(shape) {
  return (DRAWN[shape] ??= `M${SHAPES[shape].outline.map((at) => at.map((n) => n.toFixed(1)).join(" ")).join("L")}Z`);
}
