// An entry of the log: the form of its line, the bytes that are hashed, and their hashes.

import { hexOf, isHash, joined, utf8 } from "./bytes.js";
import { sha256 } from "./sha256.js";

const PAYLOAD = utf8("urim/1 payload\n");
const LEAF = Uint8Array.of(0);

const CLASSES = ["open", "hidden", "text", "hidden-text"];

/** Whether a value is a whole number from 0. */
export const isCount = (value) => Number.isSafeInteger(value) && value >= 0 && !Object.is(value, -0);

/** The form of every field of an entry's line that is sealed. */
export const SEALED = {
  seq: isCount,
  commit: isCount,
  at: isCount,
  class: (value) => CLASSES.includes(value),
  digest: isHash,
};

/** The same of one that is disclosed. */
export const DISCLOSED = { ...SEALED, salt: isHash, payload: (value) => typeof value === "string" };

/** The digest of a payload, which its entry has. Both are bytes. */
export const digestOf = (salt, payload) => sha256(joined(PAYLOAD, salt, payload));

/** The text of an entry; `kind` is open or hidden, `digest` 64 hex digits. */
export const entryText = (seq, at, kind, digest) =>
  `urim/1 entry\n${seq}\n${at}\n${kind}\n${digest}\n`;

/** The RFC 6962 leaf of an entry's text: 32 bytes. */
export const leafOf = (text) => sha256(joined(LEAF, utf8(text)));

/** The leaf as hex, for transcripts and reports. */
export const leafHex = (text) => hexOf(leafOf(text));
