// The parts of urimcheck.js one by one, under Node: `node --test urimcheck.test.mjs`.

import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import { test } from "node:test";

import * as urimcheck from "../../engine/verifier/urimcheck.js";

const { check, fits, hexOf, hmac, keyOf, same, sha256, sha512, strict, Tree, verifies, weakness } = urimcheck;

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
