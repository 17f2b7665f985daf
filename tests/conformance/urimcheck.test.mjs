// The parts of urimcheck.js one by one, under Node: `node --test urimcheck.test.mjs`.

import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import * as urimcheck from "../../engine/verifier/urimcheck.js";

const { chain, check, commitment, drawing, drawn, fits, fromBase64, fromHex, hexOf, hmac, joined, keyOf, leafText } = urimcheck;
const { readKey, readNote, same, sha256, sha512, signedHead, strict, textHash, transcript, Tree, utf8, verifies, weakness } = urimcheck;

const vectors = JSON.parse(readFileSync(new URL("../vectors/urim-1.json", import.meta.url), "utf8"));
const bodies = JSON.parse(readFileSync(new URL("../vectors/bodies.json", import.meta.url), "utf8"));

const bytesOf = (length) => Uint8Array.from({ length }, (_, at) => (at * 167 + length) & 255);

test("SHA-256, SHA-512 and HMAC are Node's, at every length about a block's end", () => {
  for (let length = 0; length < 400; length++) {
    const bytes = bytesOf(length);
    assert.equal(hexOf(sha256(bytes)), createHash("sha256").update(bytes).digest("hex"));
    assert.equal(hexOf(sha512(bytes)), createHash("sha512").update(bytes).digest("hex"));
    if (length > 64) continue;
    assert.equal(hexOf(hmac(bytes)(bytes)), createHmac("sha256", bytes).update(bytes).digest("hex"));
  }
});

test("what WebCrypto signs is good by these lines alone, and nothing else is", async () => {
  for (let n = 0; n < 10; n++) {
    const pair = await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"]);
    const key = new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey));
    const message = bytesOf(n * 13);
    const signature = new Uint8Array(await crypto.subtle.sign("Ed25519", pair.privateKey, message));
    assert.ok(fits(key, signature, message) && (await verifies(key, signature, message)));
    for (const at of [0, 31, 32, 62]) {
      const wrong = signature.map((byte, place) => (place === at ? byte ^ 1 : byte));
      assert.ok(!fits(key, wrong, message) && !(await verifies(key, wrong, message)), `byte ${at}`);
    }
    assert.ok(!fits(key, signature, bytesOf(n * 13 + 1)));
    const text = Buffer.from(key).toString("base64");
    assert.equal(keyOf(text), text);
  }
});

test("keys of small order, and keys that are not reduced, are nobody's", async () => {
  const order = Uint8Array.of(1, ...new Uint8Array(31));
  const beyond = Uint8Array.of(0xed, ...new Uint8Array(30).fill(255), 127);
  for (const key of [order, new Uint8Array(32), beyond, new Uint8Array(32).fill(255)]) {
    assert.notEqual(weakness(key), "");
    assert.ok(!(await verifies(key, Uint8Array.of(1, ...new Uint8Array(63)), bytesOf(3))));
  }
});

test("JSON is strict, and says whether it is written as the log writes it", () => {
  const refused = ['{"a":1,"a":1}', '{"a":"\\ud800"}', '{"a":9007199254740992}', "{'a':1}", '{"a":01}', "[1]"];
  refused.push('{"a":NaN}', '{"a":1}x', '{"a":"\t"}', `{"a":${"[".repeat(64)}${"]".repeat(64)}}`, '{"a":1e999}');
  for (const text of refused) assert.throws(() => strict(text, "payload"), urimcheck.Malformed, text);
  for (const text of ['{"a":-0}', '{"a":1.0}', '{"a":1e0}']) {
    assert.throws(() => strict(text, "body"), urimcheck.Malformed, text);
    assert.ok(!same(strict(text, "payload").value, { a: 1 }) || text === '{"a":-0}');
  }
  assert.throws(() => strict('{"a":-0}', "line"), urimcheck.Malformed);
  const odd = ['{"a": 1}', '{"a":"\\u0041"}', '{"a":"\\/"}', '{"a":-0}', '{"a":1e3}', '{"a":1.50}', '{"a":0.1e-4}'];
  for (const text of odd) assert.ok(strict(text, "payload").odd, text);
  const usual = ['{"a":1.0}', '{"a":1e16}', '{"a":0.00001}', '{"a":1e-6}', '{"a":"\\n\\u0001é\u2028"}', '{"__proto__":{}}'];
  for (const text of usual) assert.ok(!strict(text, "payload").odd, text);
});

test("a tree of which some leaves are known takes each node of its proof once", () => {
  const leaves = Array.from({ length: 7 }, (_, at) => sha256(Uint8Array.of(at)));
  const whole = new Tree(new Map(leaves.entries()));
  const root = whole.root(7);
  const proof = [[0, 2], [3, 4], [4, 6]].map(([start, stop]) => hexOf(whole.over(start, stop)));
  const some = new Map([[2, leaves[2]], [6, leaves[6]]]);
  assert.equal(hexOf(new Tree(some, proof).root(7)), hexOf(root));
  assert.equal(new Tree(some, proof.slice(1)).root(7), null);
  assert.equal(new Tree(some, [...proof, proof[0]]).root(7), null);
});

test("a line without an end is refused as soon as it is too long, from a stream and from a Blob", async () => {
  let given = 0;
  const endless = async function* () {
    for (;;) {
      given += 65536;
      yield new Uint8Array(65536).fill(32);
    }
  };
  await assert.rejects(check(endless()), /line 1: more than 1048576 bytes/);
  assert.ok(given <= (1 << 20) + 2 * 65536);
  await assert.rejects(check(new Blob([new Uint8Array(1 << 21).fill(32)])), /line 1: more than/);
});

test("the vectors of urim/1: throws and commitments", () => {
  const form = /^urim\/1 throw\nthrow (\S+)\ncommitted (\d+) (\S+)\nroller (\S+) (\S+)\n((?:witness \S+ \S+\n)*)$/;
  for (const { seed, transcript: text, salt, dice } of [...vectors.throws, ...vectors.shares.throws]) {
    const [, id, seq, leaf, roller, nonce, others] = form.exec(text);
    const shares = new Map([...others.matchAll(/witness (\S+) (\S+)\n/g)].map(([, seat, share]) => [seat, share]));
    assert.equal(transcript(id, { seq: Number(seq), leaf }, roller, nonce === "-" ? null : nonce, shares), text);
    assert.equal(hexOf(sha256(utf8(text))), salt);
    const draw = drawing(seed, text);
    assert.deepEqual(dice.map(({ j, sides }) => drawn(draw, j, sides)), dice.map(({ index }) => index));
  }
  for (const each of vectors.commitments) assert.equal(commitment(each.throw, each.seed), each.commitment);
});

test("the vectors of urim/1: entries, roots and the checkpoint", async () => {
  const { log } = vectors;
  const leaves = log.entries.map(({ seq, class: cls, salt, payload, entry, leaf }) => {
    const at = Number(entry.split("\n")[2]);
    const digest = hexOf(sha256(joined(utf8("urim/1 payload\n"), fromHex(salt), utf8(payload))));
    assert.equal(leafText(seq, at, cls, digest), `\0${entry}`);
    assert.equal(hexOf(sha256(utf8(`\0${entry}`))), leaf);
    return fromHex(leaf);
  });
  log.roots.forEach((root, size) => assert.equal(hexOf(new Tree(new Map(leaves.entries())).root(size)), root));
  const { head, signer } = await signedHead(log.checkpoint, [readKey(log.vkey)]);
  assert.deepEqual([head.size, hexOf(head.root), signer.name], [leaves.length, log.roots.at(-1), log.origin]);
  for (const wrong of ["", "x", log.checkpoint.replace("\n\n", "\n"), log.checkpoint.trimEnd()]) {
    assert.throws(() => readNote(wrong), urimcheck.Malformed);
  }
  assert.throws(() => readKey(log.vkey.replace("+", "+0")), urimcheck.Malformed);
});

test("the vectors of urim/1: chains, keys and signatures", async () => {
  for (const { table, seat, last, links } of vectors.shares.chains) {
    for (const { i, link } of links) assert.equal(chain(table, seat, last, 1000 - i).at(-1), link);
  }
  for (const { shares, id } of vectors.shares.throws) {
    for (const { seat, anchor, i, share } of shares) assert.equal(chain(id.split("/")[0], seat, share, i).at(-1), anchor);
  }
  for (const { key, good } of vectors.seats.keys) assert.equal(keyOf(key) !== null, good, key);
  for (const { key, signature, message, good } of vectors.seats.signatures) {
    const [known, signed, told] = [fromBase64(key), fromBase64(signature), fromHex(message)];
    const right = keyOf(key) !== null && signed.length === 64;
    assert.equal(right && (await verifies(known, signed, told)), good);
    if (right) assert.equal(fits(known, signed, told), good);
  }
  assert.equal(textHash("0".repeat(32), "Wait."), createHash("sha256").update(`urim/1 text\n${"0".repeat(32)}\nWait.`).digest("hex"));
});

test("bodies are strict, and mean what JSON.parse says", () => {
  for (const [name, text] of Object.entries(bodies.strict)) assert.ok(same(strict(text, "body").value, JSON.parse(text)), name);
  for (const [name, text] of Object.entries(bodies.refused)) assert.throws(() => strict(text, "body"), urimcheck.Malformed, name);
});
