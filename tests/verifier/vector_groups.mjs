// What must hold of each group of vectors: every value in the file, recomputed from the others.

import { base64Of, fromBase64, fromHex, hexOf, joined, utf8 } from "../../engine/verifier/js/bytes.js";
import { differences, furtherDifferences } from "../../engine/verifier/js/commands.js";
import { fits, isBelowL, keyOf, verifies } from "../../engine/verifier/js/ed25519.js";
import { digestOf, entryText, leafHex } from "../../engine/verifier/js/entry.js";
import { readPayload } from "../../engine/verifier/js/events.js";
import { parseBody } from "../../engine/verifier/js/json.js";
import { isConsistent, isIncluded, Tree } from "../../engine/verifier/js/merkle.js";
import { checkSigned, readKey, readNote } from "../../engine/verifier/js/note.js";
import { signedText } from "../../engine/verifier/js/seats.js";
import { sha256 } from "../../engine/verifier/js/sha256.js";
import {
  CHAIN,
  commitment,
  dice,
  fixtureSalt,
  fixtureSeed,
  linkBefore,
  nonceCommitment,
  throwId,
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
    yield [`log.entries[${n}].seq`, it.seq, n];
    yield* sealed(`log.entries[${n}]`, it);
  }
}

/** The leaf and the text of an entry. */
function* sealed(where, it) {
  yield [`${where}.leaf`, it.leaf, leafHex(it.entry)];
  const at = /^urim\/1 entry\n[0-9]+\n([0-9]{1,15})\n/.exec(it.entry);
  const digest = hexOf(digestOf(fromHex(it.salt), utf8(it.payload)));
  const found = at && entryText(it.seq, Number(at[1]), it.class, digest);
  yield [`${where}.entry`, it.entry, found];
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

/** Link `i` of a chain that ends with `last`. */
function linkOf(table, seat, last, i) {
  if (i > CHAIN) return `no link ${i}`;
  let found = last;
  for (let at = CHAIN; at > i; at--) found = linkBefore(table, seat, found);
  return found;
}

async function* chains({ shares }) {
  for (const [n, { table, seat, last, links }] of shares.chains.entries()) {
    for (const [m, { i, link }] of links.entries()) {
      yield [`shares.chains[${n}].links[${m}].link`, link, linkOf(table, seat, last, i)];
    }
  }
}

/** The event in an entry; one of no type where it holds none. */
function eventOf({ payload }) {
  try {
    return readPayload(payload).event;
  } catch {
    return { type: null };
  }
}

async function* asks({ shares }) {
  for (const [n, it] of shares.throws.entries()) {
    const where = `shares.throws[${n}]`;
    const [plan, ask] = [it.plan, it.ask].map(eventOf);
    yield* sealed(`${where}.plan`, it.plan);
    yield* sealed(`${where}.ask`, it.ask);
    yield [`${where}.ask.seq`, it.ask.seq, it.plan.seq + 1];
    const [table] = it.id.split("/");
    for (const [name, type, event] of [["plan", "throw-planned/1", plan], ["ask", "throw-asked/1", ask]]) {
      const found = [event.type, throwId(table, event.roll, event.throw), event.by];
      yield [`${where}.${name}, what it is of`, [type, it.id, it.roller], found];
    }
    yield [`${where}.committed`, it.committed, ask.committed ?? null];
    const asked = it.shares.map(({ seat, i }) => [seat, i]);
    yield [`${where}.shares, (seat, i)`, asked, ask.asked ?? null];
    yield [`${where}.dice, how many`, it.dice.length, plan.dice?.length ?? null];
    yield* bodies(where, it, plan, ask);
  }
}

/** What the command asked is what plan and ask say. */
function* bodies(where, { plan: { payload } }, plan, ask) {
  let body = null;
  try {
    body = parseBody(readPayload(payload).asked.body);
  } catch {
    // It differs from every plan.
  }
  const found = body && [...differences(body, plan), ...furtherDifferences(body, ask)];
  yield [`${where}.plan.payload`, [], found];
}

async function* sharedThrows({ shares }) {
  for (const [n, it] of shares.throws.entries()) {
    const where = `shares.throws[${n}]`;
    const [table] = it.id.split("/");
    for (const [m, { seat, anchor, i, share }] of it.shares.entries()) {
      let found = share;
      for (let at = 0; at < Math.min(i, CHAIN); at++) found = linkBefore(table, seat, found);
      yield [`${where}.shares[${m}] leads to its anchor`, anchor, i > 0 ? found : "no share"];
    }
    const given = it.shares.map(({ seat, share }) => [seat, share]);
    const own = given.find(([seat]) => seat === it.roller)?.[1] ?? null;
    const others = given.filter(([seat]) => seat !== it.roller);
    const made = transcript(it.id, it.committed, it.leaf, it.roller, own, others);
    yield [`${where}.transcript`, it.transcript, made];
    yield [`${where}.salt`, it.salt, hexOf(sha256(utf8(it.transcript)))];
    const draw = dice(it.seed, it.transcript);
    for (const [m, die] of it.dice.entries()) {
      const place = `${where}.dice[${m}].(index, attempt)`;
      yield [place, [die.index, die.attempt], draw(die.j, die.sides)];
    }
  }
}

/** Whether a signature is good, by WebCrypto and by the verifier's own code: both say the same. */
async function goodBy(key, signature, message) {
  const [known, signed] = [keyOf(key), fromBase64(signature)];
  if (known === null || signed?.length !== 64 || !/^(?:[0-9a-f]{2})*$/.test(message)) return [false, false];
  const own = isBelowL(signed) && fits(known, signed, fromHex(message));
  return [await verifies(known, signed, fromHex(message)), own];
}

async function* signedRequests({ seats }) {
  for (const [n, it] of seats.signed.entries()) {
    const where = `seats.signed[${n}]`;
    const { request, body, size, root } = it;
    yield [`${where}.text`, it.text, signedText(it.origin, it.seat, { request, body, seen: [size, root] })];
    const private_ = await signer(it.private_key);
    const { x } = await crypto.subtle.exportKey("jwk", private_);
    yield [`${where}.key`, it.key, x.replaceAll("-", "+").replaceAll("_", "/").padEnd(44, "=")];
    const made = new Uint8Array(await crypto.subtle.sign("Ed25519", private_, utf8(it.text)));
    yield [`${where}.sig`, it.sig, base64Of(made)];
    yield [`${where}.sig verified`, [true, true], await goodBy(it.key, it.sig, hexOf(utf8(it.text)))];
  }
}

async function* seatKeys({ seats }) {
  for (const [n, { key, good }] of seats.keys.entries()) {
    yield [`seats.keys[${n}].good`, good, keyOf(key) !== null];
  }
}

async function* signatures({ seats }) {
  for (const [n, { key, signature, message, good }] of seats.signatures.entries()) {
    yield [`seats.signatures[${n}].good`, [good, good], await goodBy(key, signature, message)];
  }
}

/** Groups that a file may be without. */
export const LATER = {
  chains,
  asks,
  "throws with shares": sharedThrows,
  "signed requests": signedRequests,
  keys: seatKeys,
  signatures,
};

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
  ...LATER,
};
