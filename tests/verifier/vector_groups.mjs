// What must hold of each group of vectors: every value in the file, recomputed from the others.

import { base64Of, fromHex, hexOf, joined, utf8 } from "../../engine/verifier/js/bytes.js";
import { digestOf, entryText, leafHex } from "../../engine/verifier/js/entry.js";
import { isConsistent, isIncluded, Tree } from "../../engine/verifier/js/merkle.js";
import { checkSigned, readKey, readNote } from "../../engine/verifier/js/note.js";
import { sha256 } from "../../engine/verifier/js/sha256.js";
import {
  commitment,
  dice,
  fixtureSalt,
  fixtureSeed,
  nonceCommitment,
  transcript,
} from "../../engine/verifier/js/throw.js";

const TRANSCRIPT =
  /^urim\/1 throw\nthrow (\S+)\ncommitted ([0-9]{1,15}) ([0-9a-f]{64})\nroller (\S+) (\S+)\n((?:witness \S+ \S+\n)*)$/;

/** What comes of it, or the error's words. */
async function outcome(compute) {
  try {
    return await compute();
  } catch (error) {
    return `${error.constructor.name}: ${error.message}`;
  }
}

function rebuilt(text) {
  const parts = TRANSCRIPT.exec(text);
  if (parts === null) return "no transcript";
  const [, id, seq, leaf, roller, nonce, given] = parts;
  const witnesses = [...given.matchAll(/witness (\S+) (\S+)\n/g)].map(([, seat, q]) => [seat, q]);
  return transcript(id, Number(seq), leaf, roller, nonce === "-" ? null : nonce, witnesses);
}

async function* throws(vectors) {
  for (const [n, each] of vectors.throws.entries()) {
    yield [`throws[${n}].transcript`, each.transcript, rebuilt(each.transcript)];
    yield [`throws[${n}].salt`, each.salt, hexOf(sha256(utf8(each.transcript)))];
    const draw = dice(each.seed, each.transcript);
    for (const [m, die] of each.dice.entries()) {
      const where = `throws[${n}].dice[${m}].(index, attempt)`;
      yield [where, [die.index, die.attempt], draw(die.j, die.sides)];
    }
  }
}

async function* fixtureSalts(vectors) {
  for (const [n, it] of vectors.fixture_salts.entries()) {
    yield [`fixture_salts[${n}].salt`, it.salt, fixtureSalt(it.seed, it.table, it.seq)];
  }
}

async function* fixtureSeeds(vectors) {
  for (const [n, it] of vectors.fixture.entries()) {
    yield [`fixture[${n}].S`, it.S, fixtureSeed(it.seed, it.throw)];
  }
}

async function* commitments(vectors) {
  for (const [n, it] of vectors.commitments.entries()) {
    yield [`commitments[${n}].commitment`, it.commitment, commitment(it.throw, it.seed)];
    const found = nonceCommitment(it.throw, it.nonce);
    yield [`commitments[${n}].nonce_commitment`, it.nonce_commitment, found];
  }
}

async function* entries(vectors) {
  for (const [n, it] of vectors.log.entries.entries()) {
    const where = `log.entries[${n}]`;
    yield [`${where}.seq`, it.seq, n];
    yield [`${where}.leaf`, it.leaf, leafHex(it.entry)];
    const at = /^urim\/1 entry\n[0-9]+\n([0-9]{1,15})\n/.exec(it.entry);
    const digest = hexOf(digestOf(fromHex(it.salt), utf8(it.payload)));
    const found = at && entryText(it.seq, Number(at[1]), it.class, digest);
    yield [`${where}.entry`, it.entry, found];
  }
}

async function* roots(vectors) {
  const { entries: all, roots } = vectors.log;
  yield ["log.roots, how many", roots.length, all.length + 1];
  const tree = new Tree();
  for (const [size, root] of roots.slice(0, all.length + 1).entries()) {
    yield [`log.roots[${size}]`, root, hexOf(tree.root())];
    if (size < all.length) tree.append(fromHex(all[size].leaf));
  }
}

/** The hash at a place; zeros where there is none, which nothing leads to. */
const hashAt = (list, at) => (at < list.length ? fromHex(list[at]) : new Uint8Array(32));

async function* inclusion({ log }) {
  const leaves = log.entries.map(({ leaf }) => leaf);
  for (const [n, { seq, size, proof }] of log.inclusion.entries()) {
    const root = hashAt(log.roots, size);
    const proved = isIncluded(hashAt(leaves, seq), seq, size, proof.map(fromHex), root);
    yield [`log.inclusion[${n}] verified`, true, proved];
  }
}

async function* consistency({ log }) {
  for (const [n, { from, to, proof }] of log.consistency.entries()) {
    const [old, head] = [hashAt(log.roots, from), hashAt(log.roots, to)];
    const proved = isConsistent(from, old, to, head, proof.map(fromHex));
    yield [`log.consistency[${n}] verified`, true, proved];
  }
}

/** RFC 8410: the bytes before the 32 of an Ed25519 private key. */
const PKCS8 = fromHex("302e020100300506032b657004220420");

async function signer(hex) {
  const body = joined(PKCS8, fromHex(hex));
  return crypto.subtle.importKey("pkcs8", body, "Ed25519", true, ["sign"]);
}

async function* checkpoint({ log }) {
  const key = await signer(log.private_key);
  const { x } = await crypto.subtle.exportKey("jwk", key);
  const encoded = x.replaceAll("-", "+").replaceAll("_", "/").padEnd(44, "=");
  const bytes = Uint8Array.from(atob(encoded), (letter) => letter.charCodeAt(0));
  const body = joined(utf8(`${log.origin}\n`), Uint8Array.of(1), bytes);
  const id = sha256(body).slice(0, 4);
  const vkey = `${log.origin}+${hexOf(id)}+${base64Of(joined(Uint8Array.of(1), bytes))}`;
  yield ["log.vkey", log.vkey, vkey];
  yield ["log.vkey read", log.vkey, await outcome(() => readKey(log.vkey).vkey)];
  const tree = new Tree();
  for (const { leaf } of log.entries) tree.append(fromHex(leaf));
  const head = [log.origin, tree.size, hexOf(tree.root())];
  const found = await outcome(async () => {
    const note = readNote(log.checkpoint);
    await checkSigned(note, [readKey(log.vkey)]);
    return [note.origin, note.size, hexOf(note.root)];
  });
  yield ["log.checkpoint verified", head, found];
  const text = `${log.origin}\n${tree.size}\n${base64Of(tree.root())}\n`;
  const signature = new Uint8Array(await crypto.subtle.sign("Ed25519", key, utf8(text)));
  const note = `${text}\n— ${log.origin} ${base64Of(joined(id, signature))}\n`;
  yield ["log.checkpoint", log.checkpoint, note];
}

/** Every group by its name, in the order in which they are checked. */
export const GROUPS = {
  throws,
  "fixture salts": fixtureSalts,
  "fixture seeds": fixtureSeeds,
  commitments,
  entries,
  roots,
  inclusion,
  consistency,
  checkpoint,
};
