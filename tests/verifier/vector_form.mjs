// The form of a file of `urim/1` test vectors, strict: what is not of it is not checked at all.

const hex = (value) => (/^[0-9a-f]{64}$/.test(value) ? null : "is not 64 hex digits");
const text = (value) => (typeof value === "string" ? null : "is no text");
const count = (value) => (Number.isSafeInteger(value) && value >= 0 ? null : "is no count");
const seed = (value) => (typeof value === "string" || Number.isSafeInteger(value) ? null : "is no seed");
const kind = (value) => (value === "open" || value === "hidden" ? null : "is no class");
const truth = (value) => (typeof value === "boolean" ? null : "is neither true nor false");
const format = (value) => (value === "urim/1" ? null : "is not urim/1");

const DIE = { j: count, sides: count, index: count, attempt: count };
const THROW = { name: text, seed: hex, transcript: text, salt: hex, dice: [DIE] };
const ENTRY = { seq: count, class: kind, salt: hex, payload: text, entry: text, leaf: hex };
const LOG = {
  ...{ origin: text, private_key: hex, vkey: text, checkpoint: text },
  entries: [ENTRY],
  roots: [hex],
  inclusion: [{ seq: count, size: count, proof: [hex] }],
  consistency: [{ from: count, to: count, proof: [hex] }],
};

const SHARED = {
  ...{ name: text, id: text, roller: text, committed: count, leaf: hex, plan: ENTRY, ask: ENTRY },
  shares: [{ seat: text, anchor: hex, i: count, share: hex }],
  ...{ seed: hex, transcript: text, salt: hex, dice: [DIE] },
};
const CHAIN = { table: text, seat: text, last: hex, links: [{ i: count, link: hex }] };
const SIGNED = {
  ...{ origin: text, seat: text, request: text, size: count, root: hex, body: text, text },
  ...{ private_key: hex, key: text, sig: text },
};
const SEATS = {
  signed: [SIGNED],
  keys: [{ name: text, key: text, good: truth }],
  signatures: [{ name: text, key: text, signature: text, message: text, good: truth }],
};

/** Keys that a file from before there were shares has not. */
const LATER = { shares: { chains: [CHAIN], throws: [SHARED] }, seats: SEATS };

/** The keys of every object, with what checks a value. */
export const VECTORS = {
  format,
  throws: [THROW],
  fixture_salts: [{ seed, table: text, seq: count, salt: hex }],
  fixture: [{ seed, throw: text, S: hex }],
  commitments: [{ throw: text, seed: hex, commitment: hex, nonce: hex, nonce_commitment: hex }],
  log: LOG,
  ...LATER,
};

const NONE = { shares: { chains: [], throws: [] }, seats: { signed: [], keys: [], signatures: [] } };

/** A file with each key that it may be without. */
export const completed = (vectors) => ({ ...NONE, ...vectors });

/** What is wrong with a value, or null. */
export function misfit(value, form, where) {
  if (typeof form === "function") {
    const wrong = typeof value === "object" ? "is no single value" : form(value);
    return wrong && `${where} ${wrong}`;
  }
  if (Array.isArray(form)) {
    if (!Array.isArray(value)) return `${where} is no list`;
    const wrong = value.map((item, at) => misfit(item, form[0], `${where}[${at}]`));
    return wrong.find(Boolean) ?? null;
  }
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    return `${where} is no object`;
  }
  const strange = Object.keys(value).find((key) => !Object.hasOwn(form, key));
  if (strange !== undefined) return `${where}.${strange} is a key too many`;
  for (const [key, inner] of Object.entries(form)) {
    if (!(key in value)) return `${where}.${key} is missing`;
    const wrong = misfit(value[key], inner, `${where}.${key}`);
    if (wrong) return wrong;
  }
  return null;
}
