// The faces of a table's dice, by kind, as its system and readings have them.

import { SYSTEMS } from "./systems.js";
import { DRAWS } from "./throw.js";

/** The `core` from which on an opening lists the faces of its dice. */
export const COUNTED = 5;

/** A kind of die whose name says its faces: dN shows 1 to N. */
const NUMBERED = /^d[1-9][0-9]{0,14}$/;

/**
 * {count, at: place -> face} of a kind of die, 0 of an unknown one; null where no kind is known. A
 * log that lists its faces (`facts.listed`) needs no system: a kind dN beside them shows 1 to N. In a
 * roll those hold that were listed when it was declared.
 */
export function sidesOf(facts, kind, { listed = facts.listed } = {}) {
  const known = listed ?? facts.faces;
  if (known === null) return null;
  if (Object.hasOwn(known, kind)) return { count: known[kind].length, at: (n) => known[kind][n] };
  const count = listed !== null && NUMBERED.test(kind) ? Number(kind.slice(1)) : 0;
  return { count: count <= DRAWS ? count : 0, at: (n) => n + 1 };
}

const unknown = (facesWhy, rulesWhy = "") => ({ faces: null, facesWhy, rulesWhy });

/** The kinds of these runs, first and last: dN has the faces 1 to N. */
function numbered(runs) {
  const faces = {};
  for (const [least, most] of runs) {
    for (let sides = least; sides <= most; sides += 1) {
      faces[`d${sides}`] = Array.from({ length: sides }, (_, at) => at + 1);
    }
  }
  return faces;
}

/**
 * {faces: kind -> faces, facesWhy: "", rulesWhy: ""} of a table; faces is null where the system, its
 * version or a reading is not known here, and facesWhy says which; rulesWhy where it is no reading.
 */
export function facesOf(system, version, options) {
  const known = Object.hasOwn(SYSTEMS, system) ? SYSTEMS[system] : null;
  const page = `${system} is not known to this page`;
  if (known === null) return unknown(`the system ${page}`, `the system ${page}`);
  if (known.version !== version) {
    const why = `of ${system} this page knows version ${known.version}, not ${version}`;
    return unknown(why, why);
  }
  const faces = { ...numbered(known.numbered), ...known.faces };
  for (const { name, usual, others } of known.readings) {
    const value = options[name] ?? usual;
    const found = value === usual ? { faces: {} } : others.find((other) => other.value === value);
    if (!found) return unknown(`the reading ${name} of ${system} is not known to this page`);
    Object.assign(faces, found.faces);
  }
  for (const [kind, pairs] of Object.entries(known.own ? (options[known.own] ?? {}) : {})) {
    if (!Array.isArray(pairs) || !Object.hasOwn(faces, kind)) {
      return unknown(`the dice that the table brings are not of their form: ${kind}`);
    }
    faces[kind] = Array.from(pairs.join(""));
  }
  return { faces, facesWhy: "", rulesWhy: "" };
}
