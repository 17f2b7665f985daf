// The lines of a bundle: header, entries, end, each with exactly its keys; and a file cut into lines.

import { isHash, utf8 } from "./bytes.js";
import { DISCLOSED, isCount, SEALED } from "./entry.js";
import { NotJson, parseHalves } from "./json.js";
import { BadNote, formed } from "./note.js";

export const FORMAT = "urim-bundle/3";

/** The format of version 0.2: in scope roll each entry has a proof of its own. */
export const EARLIER = "urim-bundle/2";

/** Formats of before the log had what was asked. */
const OLD = ["urim-bundle/1"];

/** The longest line in bytes. */
export const LINE = 1024 * 1024;

/** The file is no bundle: which line, from 1, and why. */
export class NotABundle extends Error {
  constructor(line, why) {
    super(`line ${line}: ${why}`);
    this.line = line;
    this.why = why;
  }
}

const isText = (value) => typeof value === "string";
const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

const HEADER = {
  format: (value) => value === FORMAT || value === EARLIER,
  scope: (value) => value === "table" || value === "roll",
  origin: isText,
  keys: (value) =>
    Array.isArray(value) && value.length >= 1 && value.length <= 64 && value.every(isText),
  size: isCount,
  checkpoint: isText,
  system: isText,
  version: isCount,
  options: isObject,
};
const OF_A_ROLL = { ...HEADER, roll: (value) => isCount(value) && value > 0 };
const isProof = (value) => Array.isArray(value) && value.every(isHash);
const END = { end: isText, count: isCount };

/** Whether the end line proves all entries of a file of one roll, and not each its own. */
export const hasMultiproof = ({ scope, format }) => scope === "roll" && format === FORMAT;

/** The object on a line, if it has exactly these fields. Throws NotABundle. */
function object(text, number) {
  if (text.length * 3 > LINE && utf8(text).length >= LINE) {
    throw new NotABundle(number, `a line longer than ${LINE} bytes`);
  }
  try {
    const value = parseHalves(text, 1); // a reading of 4 in the header is not 4.0
    if (isObject(value)) return value;
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    const why = text.startsWith("\ufeff") ? "a byte order mark" : error.message;
    throw new NotABundle(number, text === "" ? "an empty line" : why);
  }
  throw new NotABundle(number, "no JSON object");
}

function checked(value, fields, number) {
  for (const key of Object.keys(value)) {
    if (!Object.hasOwn(fields, key)) throw new NotABundle(number, `a key too many: ${key}`);
  }
  for (const [key, is] of Object.entries(fields)) {
    if (!(key in value)) throw new NotABundle(number, `${key} is missing`);
    if (!is(value[key])) throw new NotABundle(number, `${key} is not of its form`);
  }
  return value;
}

/** The header, with its vkeys read as `known`, weak keys too. Throws NotABundle. */
export function readHeader(text) {
  const value = object(text, 1);
  if (OLD.includes(value.format)) {
    throw new NotABundle(1, `its format is ${value.format}, older than ${EARLIER}, and read no more`);
  }
  if (!HEADER.format(value.format)) throw new NotABundle(1, `the format is not ${FORMAT}`);
  const header = checked(value, value.scope === "roll" ? OF_A_ROLL : HEADER, 1);
  try {
    return { ...header, known: header.keys.map(formed) };
  } catch (error) {
    if (error instanceof BadNote) throw new NotABundle(1, error.message);
    throw error;
  }
}

/** An entry or the end, which has the key `end`. Throws NotABundle. */
export function readLine(text, number, header) {
  const value = object(text, number);
  const all = hasMultiproof(header);
  if ("end" in value) {
    const end = checked(value, all ? { ...END, proof: isProof } : END, number);
    if (end.end !== header.format) throw new NotABundle(number, "end is not of its form");
    return end;
  }
  const disclosed = "payload" in value || "salt" in value ? DISCLOSED : SEALED;
  const proved = header.scope === "roll" && !all;
  return checked(value, proved ? { ...disclosed, proof: isProof } : disclosed, number);
}

/**
 * The lines of a file, many at a time, each without its end: [lines, bytes read so far]. `source` is
 * a Blob, a text, or lines that come one by one. Throws NotABundle where it is not UTF-8, a line is
 * too long, or the last one has no end.
 */
export async function* linesOf(source) {
  if (typeof source === "string") source = new Blob([source]);
  if (!(source instanceof Blob)) {
    for await (const line of source) yield [[line.endsWith("\n") ? line.slice(0, -1) : line], null];
    return;
  }
  const reader = source.stream().getReader();
  let [number, read, rest] = [0, 0, new Uint8Array(0)];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      read += value.length;
      const chunk = rest.length ? joinedTo(rest, value) : value;
      const end = chunk.lastIndexOf(10) + 1;
      rest = chunk.slice(end);
      if (rest.length > LINE) throw new NotABundle(number + 1, `a line longer than ${LINE} bytes`);
      if (end === 0) continue;
      const lines = decoded(chunk.subarray(0, end), number);
      number += lines.length;
      yield [lines, read];
    }
  } finally {
    await reader.cancel();
  }
  if (rest.length) throw new NotABundle(number + 1, "a last line without an end");
}

function joinedTo(rest, value) {
  const whole = new Uint8Array(rest.length + value.length);
  whole.set(rest);
  whole.set(value, rest.length);
  return whole;
}

/** Whole lines as text; `before` counts the lines before them. */
function decoded(bytes, before) {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  try {
    return decoder.decode(bytes.subarray(0, -1)).split("\n");
  } catch {
    let [start, number] = [0, before];
    for (;;) {
      number++;
      const end = bytes.indexOf(10, start);
      try {
        decoder.decode(bytes.subarray(start, end));
      } catch {
        throw new NotABundle(number, "not UTF-8");
      }
      start = end + 1;
    }
  }
}
