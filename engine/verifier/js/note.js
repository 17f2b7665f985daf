// Signed checkpoints and the keys that sign them: C2SP signed notes, Ed25519, one form to the byte.

import { fromBase64, hexOf, joined, utf8 } from "./bytes.js";
import { verifies, weakness } from "./ed25519.js";
import { sha256 } from "./sha256.js";

/** Why a note or key is not accepted. */
export class BadNote extends Error {}

const NOTE_BYTES = 64 * 1024;
const SIGNATURES = 64;
const TYPE = 1; // Ed25519, in key ids and vkeys
const NAME = /^[^\s\u0085+\u0000-\u0020\u007f]+$/;
const SIZE = /^(?:0|[1-9][0-9]{0,18})$/;

const keyId = (name, key) => sha256(joined(utf8(`${name}\n`), Uint8Array.of(TYPE), key)).slice(0, 4);

/** The key that a vkey gives: {name, id, bytes, vkey}. Throws BadNote, for a key that nobody may have too. */
export function readKey(vkey) {
  const key = formed(vkey);
  const weak = weakness(key.bytes);
  if (weak !== null) throw new BadNote(`the key of ${key.name} cannot be used: ${weak}`);
  return key;
}

/** The same, whatever the key is. Throws BadNote for what is no vkey. */
export function formed(vkey) {
  const [name, id, ...rest] = vkey.split("+");
  const body = fromBase64(rest.join("+"));
  if (!NAME.test(name) || body === null || body.length !== 33 || body[0] !== TYPE) {
    throw new BadNote(`not a vkey of an Ed25519 key: ${vkey.slice(0, 200)}`);
  }
  const bytes = body.slice(1);
  const own = hexOf(keyId(name, bytes));
  if (id !== own) throw new BadNote(`the vkey of ${name} says key id ${id}, the key's is ${own}`);
  return { name, id, bytes, vkey };
}

/**
 * The checkpoint in a note, if its form is right: {origin, size, root, signed, signatures}. Whether
 * anybody signed it is `checkSigned`'s question. Throws BadNote.
 */
export function readNote(note) {
  if (utf8(note).length > NOTE_BYTES) throw new BadNote(`a note longer than ${NOTE_BYTES} bytes`);
  const blank = note.lastIndexOf("\n\n");
  if (blank < 0 || !note.endsWith("\n") || blank + 2 >= note.length) {
    throw new BadNote("a note without a blank line and signature lines after it");
  }
  const signed = note.slice(0, blank + 1);
  const lines = note.slice(blank + 2, -1).split("\n");
  if (lines.length > SIGNATURES) throw new BadNote(`a note with ${lines.length} signature lines`);
  return { ...readBody(signed), signed, signatures: lines.map(readSignature) };
}

function readBody(signed) {
  const lines = signed.slice(0, -1).split("\n");
  if (lines.length !== 3) throw new BadNote(`a checkpoint of ${lines.length} lines, not 3`);
  const [origin, digits, encoded] = lines;
  const root = fromBase64(encoded);
  if (!NAME.test(origin)) throw new BadNote("an origin that is empty or has a space or a plus");
  if (!SIZE.test(digits) || BigInt(digits) >= 2n ** 63n) throw new BadNote("no size of a tree");
  if (!Number.isSafeInteger(Number(digits))) throw new BadNote("a tree of 2^53 entries or more");
  if (root === null || root.length !== 32) throw new BadNote("a root that is not 32 bytes");
  return { origin, size: Number(digits), root };
}

function readSignature(line) {
  const [dash, name, encoded, ...rest] = line.split(" ");
  const body = encoded === undefined ? null : fromBase64(encoded);
  if (dash !== "—" || !NAME.test(name ?? "") || rest.length || body === null || body.length <= 4) {
    throw new BadNote(`not a signature line: ${line.slice(0, 200)}`);
  }
  return { name, id: hexOf(body.slice(0, 4)), signature: body.slice(4) };
}

/**
 * Check that a key named like its origin has signed a checkpoint, and that no known key's signature
 * is wrong; other keys' signatures are passed over. Gives the key that signed it. Throws BadNote.
 */
export async function checkSigned(checkpoint, keys) {
  let signer = null;
  for (const { name, id, signature } of checkpoint.signatures) {
    for (const key of keys.filter((known) => known.name === name && known.id === id)) {
      if (!(await verifies(key.bytes, signature, utf8(checkpoint.signed)))) {
        throw new BadNote(`the signature of ${name}+${id} does not fit the note`);
      }
      if (name === checkpoint.origin) signer = key;
    }
  }
  if (signer === null) {
    const ids = checkpoint.signatures.map(({ name, id }) => `${name}+${id}`).join(", ");
    throw new BadNote(`no key that is trusted for ${checkpoint.origin} has signed it, but ${ids}`);
  }
  return signer;
}

/**
 * What a note signs, and which of these keys signed it: {checkpoint, signer, wrong, unchecked}. The
 * last two are why it is not accepted, and why signatures cannot be checked; each may be null.
 *
 * @returns {Promise<{checkpoint: any, signer: any, wrong: string | null, unchecked: string | null}>}
 */
export async function opened(note, keys) {
  const found = { checkpoint: null, signer: null, wrong: null, unchecked: null };
  try {
    found.checkpoint = readNote(note);
    if (keys.length === 0) return { ...found, unchecked: "no key is known to check signatures with" };
    found.signer = await checkSigned(found.checkpoint, keys);
  } catch (error) {
    if (error instanceof BadNote) return { ...found, wrong: error.message };
    throw error;
  }
  return found;
}

/** Several notes pasted one after the other, each as it was signed. */
export function splitNotes(text) {
  const notes = [];
  let lines = [];
  for (const line of text.replaceAll("\r\n", "\n").split("\n")) {
    const ended = lines.length > 0 && lines.at(-1).startsWith("— ");
    if (ended && !line.startsWith("— ")) {
      notes.push(lines);
      lines = [];
    }
    if (line !== "" || lines.length > 0) lines.push(line);
  }
  if (lines.some((line) => line.trim() !== "")) notes.push(lines);
  return notes.map((each) => `${each.join("\n")}\n`);
}
