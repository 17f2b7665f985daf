// The modules one by one, under Node: `node --test units.test.mjs`.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { linesOf } from "../../engine/verifier/js/bundle.js";
import { base64Of, fromBase64, fromHex, hexOf, utf8 } from "../../engine/verifier/js/bytes.js";
import { Commits, textHash } from "../../engine/verifier/js/commits.js";
import { readPayload } from "../../engine/verifier/js/events.js";
import { facesOf } from "../../engine/verifier/js/faces.js";
import { equal, NotJson, parseBody, parseJson } from "../../engine/verifier/js/json.js";
import { fits, keyOf, verifies } from "../../engine/verifier/js/ed25519.js";
import { isConsistent, isIncluded, Roots, Tree } from "../../engine/verifier/js/merkle.js";
import { readKey, readNote, splitNotes } from "../../engine/verifier/js/note.js";
import { Report } from "../../engine/verifier/js/report.js";
import { hkdf, hmac, sha256 } from "../../engine/verifier/js/sha256.js";
import { sha512 } from "../../engine/verifier/js/sha512.js";
import { dice } from "../../engine/verifier/js/throw.js";
import { verify } from "../../engine/verifier/js/verify.js";

const VECTORS = new URL("../vectors/urim-1.json", import.meta.url);
const LENGTHS = [0, 1, 31, 32, 55, 56, 57, 63, 64, 65, 119, 120, 127, 128, 129, 1000, 100_000];
const bytesOf = (length) => Uint8Array.from({ length }, (_, at) => (at * 167 + length) & 255);

test("SHA-256 is WebCrypto's, at every length about a block's end", async () => {
  for (const length of LENGTHS) {
    const found = hexOf(new Uint8Array(await crypto.subtle.digest("SHA-256", bytesOf(length))));
    assert.equal(hexOf(sha256(bytesOf(length))), found, `${length} bytes`);
  }
});

test("SHA-512 is WebCrypto's, at every length about a block's end", async () => {
  for (const length of [...LENGTHS.slice(0, -1), 111, 112, 113, 239, 240, 255, 256, 257]) {
    const found = hexOf(new Uint8Array(await crypto.subtle.digest("SHA-512", bytesOf(length))));
    assert.equal(hexOf(sha512(bytesOf(length))), found, `${length} bytes`);
  }
});

test("what WebCrypto signs is good by the verifier's own code, and nothing else is", async () => {
  for (let n = 0; n < 20; n++) {
    const pair = await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"]);
    const key = new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey));
    const message = bytesOf(n * 13);
    const signature = new Uint8Array(await crypto.subtle.sign("Ed25519", pair.privateKey, message));
    assert.ok(fits(key, signature, message));
    assert.ok(await verifies(key, signature, message));
    for (const at of [0, 31, 32, 62]) {
      const wrong = signature.map((byte, place) => (place === at ? byte ^ 1 : byte));
      assert.ok(!fits(key, wrong, message), `byte ${at}`);
    }
    assert.ok(!fits(key, signature, bytesOf(n * 13 + 1)));
    assert.deepEqual(keyOf(base64Of(key)), key);
  }
});

test("without WebCrypto, or without Ed25519 in it, signatures are checked all the same", async () => {
  const { sig, key, text } = JSON.parse(readFileSync(VECTORS)).seats.signed[0];
  const good = [fromBase64(key), fromBase64(sig), utf8(text)];
  const own = Object.getOwnPropertyDescriptor(globalThis, "crypto");
  const subtle = { importKey: async () => Promise.reject(new Error("NotSupportedError")) };
  for (const has of [{}, { subtle }]) {
    Object.defineProperty(globalThis, "crypto", { ...own, get: () => has });
    try {
      assert.ok(await verifies(...good));
      assert.ok(!(await verifies(good[0], good[1], utf8("another"))));
    } finally {
      Object.defineProperty(globalThis, "crypto", own);
    }
  }
});

test("HMAC is WebCrypto's, with keys shorter and longer than a block", async () => {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  for (const length of LENGTHS.slice(1)) {
    const key = await crypto.subtle.importKey("raw", bytesOf(length), algorithm, false, ["sign"]);
    const found = new Uint8Array(await crypto.subtle.sign("HMAC", key, bytesOf(100)));
    assert.equal(hexOf(hmac(bytesOf(length))(bytesOf(100))), hexOf(found), `key of ${length}`);
  }
});

test("HKDF is WebCrypto's", async () => {
  const key = await crypto.subtle.importKey("raw", bytesOf(32), "HKDF", false, ["deriveBits"]);
  for (const n of [0, 7, 128]) {
    const info = utf8(`urim/1 die\n${n}\n0\n`);
    const asked = { name: "HKDF", hash: "SHA-256", salt: bytesOf(33), info };
    const found = new Uint8Array(await crypto.subtle.deriveBits(asked, key, 48));
    assert.equal(hexOf(hkdf(bytesOf(32), bytesOf(33))(info, 6)), hexOf(found));
  }
});

const REFUSED = {
  "": "ends too early",
  "{": "a key is missing",
  "[": "ends too early",
  nul: "no JSON value",
  '{"a":1,"a":1}': 'the key "a" a second time at character 8',
  '{"a":{"b":1,"b":1}}': "a second time",
  "[1,]": "no JSON value",
  '{"a":1,}': "a key is missing",
  "{a:1}": "a key is missing",
  "01": "leading zero",
  "-": "no number",
  "+1": "no JSON value",
  1.5: "a fraction",
  "1e3": "an exponent",
  "1e999": "a fraction",
  9007199254740992: "bounds",
  "-9007199254740992": "bounds",
  '"\\ud800"': "a lone surrogate at character 1",
  '"\\udc00\\ud800"': "a lone surrogate",
  '"\\ud83dx"': "a lone surrogate",
  '"a\nb"': "a control character at character 3",
  '"\\x41"': "no such escape",
  '"\\u12"': "no such escape",
  '"a': "without an end",
  "1 2": "something after",
  "\ufeff1": "no JSON value",
  NaN: "no JSON value",
};

test("JSON that is not strict is refused, with its place", () => {
  for (const [text, why] of Object.entries(REFUSED)) {
    assert.throws(() => parseJson(text, 1), (error) => {
      assert.ok(error instanceof NotJson, `${text}: ${error}`);
      assert.ok(error.message.includes(why), `${text}: ${error.message}`);
      return true;
    });
  }
  assert.throws(() => parseJson("[".repeat(100_000), 1), NotJson);
});

const ACCEPTED = [
  ...['{"__proto__":1,"constructor":[]}', "[]", "{}", ' {"a" : [ 1 , -2 ] } ', "true", "null", '""'],
  ...['"\\ud83d\\ude00"', '"\\u0041\\n\\"\\\\\\/"', '"שלום"', "9007199254740991", "0", '"a\u007fb"'],
];

test("JSON that is strict means what JSON.parse says", () => {
  for (const text of ACCEPTED) {
    assert.equal(JSON.stringify(parseJson(text, 1)), JSON.stringify(JSON.parse(text)), text);
  }
  for (const text of ["1.5", "-0.25e2", "[1E3]", "-0"]) {
    assert.deepEqual(parseJson(text, 0), JSON.parse(text));
  }
  assert.deepEqual(parseJson('{"a":[1.5]}', 1).a, [1.5]);
  assert.throws(() => parseJson('{"a":1.5}', 1), NotJson);
});

const BODIES = JSON.parse(readFileSync(new URL("../vectors/bodies.json", import.meta.url)));

test("a strict body means what JSON.parse says", () => {
  for (const [name, text] of Object.entries(BODIES.strict)) {
    assert.ok(equal(parseBody(text), JSON.parse(text)), name);
  }
});

test("any other body is refused", () => {
  for (const [name, text] of Object.entries(BODIES.refused)) {
    assert.throws(() => parseBody(text), NotJson, name);
  }
});

test("two values are the same whatever the order of their keys, and only then", () => {
  assert.ok(equal({ a: [1, { b: null }], c: "x" }, { c: "x", a: [1, { b: null }] }));
  const unlike = [
    ...[[1, "1"], [[1], { 0: 1 }], [{ a: 1 }, { a: 1, b: 2 }], [{ a: 1 }, { b: 1 }], [null, {}]],
    ...[[{}, null], [[1, 2], [2, 1]], [{ toString: 1 }, { a: 1 }]],
  ];
  for (const [one, other] of unlike) assert.ok(!equal(one, other), JSON.stringify([one, other]));
});

test("base64 has one form", () => {
  for (const length of [0, 1, 2, 3, 32]) {
    assert.deepEqual(fromBase64(base64Of(bytesOf(length))), bytesOf(length));
  }
  for (const text of ["A", "AA", "AAA", "AB==", "AAB=", "AA==\n", "A-==", "=", "AAAA="]) {
    assert.equal(fromBase64(text), null, text);
  }
});

test("a tree proves what is in it and nothing else", () => {
  const leaves = Array.from({ length: 3 }, (_, at) => bytesOf(32).map((byte) => byte ^ at));
  const tree = new Tree();
  leaves.forEach((leaf) => tree.append(leaf));
  const pair = new Tree();
  leaves.slice(0, 2).forEach((leaf) => pair.append(leaf));
  assert.ok(isIncluded(leaves[2], 2, 3, [pair.root()], tree.root()));
  assert.ok(!isIncluded(leaves[1], 2, 3, [pair.root()], tree.root()));
  assert.ok(!isIncluded(leaves[2], 3, 3, [pair.root()], tree.root()));
  assert.ok(!isIncluded(leaves[2], 2, 3, [pair.root(), pair.root()], tree.root()));
  assert.ok(!isIncluded(leaves[2], 2, 3, [], tree.root()));
  assert.ok(isConsistent(2, pair.root(), 3, tree.root(), [leaves[2]]));
  assert.ok(!isConsistent(2, pair.root(), 3, tree.root(), [leaves[1]]));
  assert.ok(!isConsistent(3, tree.root(), 2, pair.root(), []));
  assert.ok(!isConsistent(3, tree.root(), 3, pair.root(), []));
});

test("the root of every size is that of a tree of that size, asked for in any order", () => {
  const leaves = Array.from({ length: 37 }, (_, at) => bytesOf(32).map((byte) => byte ^ at));
  const tree = new Tree();
  const expected = [tree.root()];
  for (const leaf of leaves) {
    tree.append(leaf);
    expected.push(tree.root());
  }
  const roots = new Roots((at) => leaves[at] ?? null);
  for (const size of [5, 0, 1, 37, 16, 17, 31, 32, 33, 2, 3]) {
    assert.deepEqual(roots.at(size), expected[size], `${size}`);
  }
  assert.equal(roots.at(38), null);
});

const NOTE = `urim.local/t/x\n3\n${base64Of(bytesOf(32))}\n\n— urim.local/t/x ${base64Of(bytesOf(68))}\n`;

test("notes have one form", () => {
  assert.equal(readNote(NOTE).size, 3);
  const wrong = [
    ...[NOTE.slice(0, -1), NOTE.replace("\n3\n", "\n03\n"), NOTE.replace("\n3\n", "\n-3\n")],
    ...[NOTE.replace("— ", "- "), NOTE.replace("\n\n", "\nmore\n\n"), NOTE.replace("\n\n", "\n")],
    ...[NOTE.replace("\n3\n", "\n9223372036854775808\n"), `${NOTE}\n`, `${NOTE}x\n`, ""],
    NOTE + `— x ${base64Of(bytesOf(68))}\n`.repeat(64),
  ];
  for (const note of wrong) assert.throws(() => readNote(note), { name: "Error" }, note.slice(0, 99));
});

test("pasted notes are told apart", () => {
  const signedTwice = `${NOTE}— other ${base64Of(bytesOf(68))}\n`;
  for (const between of ["", "\n", "\n\n\n"]) {
    assert.deepEqual(splitNotes(NOTE + between + signedTwice), [NOTE, signedTwice]);
  }
  assert.deepEqual(splitNotes(`\n${NOTE.replaceAll("\n", "\r\n")}`), [NOTE]);
  assert.deepEqual(splitNotes(" \n\n"), []);
  assert.deepEqual(splitNotes("nonsense"), ["nonsense\n"]);
});

test("a vkey whose id is another's is refused", () => {
  const key = base64Of(Uint8Array.of(1, ...bytesOf(32)));
  assert.throws(() => readKey(`name+00000000+${key}`), /says key id 00000000/);
  assert.throws(() => readKey("name"), /not a vkey/);
  assert.throws(() => readKey(`na me+00000000+${key}`), /not a vkey/);
});

test("a key that nobody may have is refused, and none by its top bit", () => {
  for (const { name, key, good } of JSON.parse(readFileSync(VECTORS)).seats.keys) {
    const bytes = fromBase64(key);
    if (bytes?.length !== 32) continue;
    const id = hexOf(sha256(Uint8Array.of(...utf8("x\n"), 1, ...bytes)).slice(0, 4));
    const vkey = `x+${id}+${base64Of(Uint8Array.of(1, ...bytes))}`;
    if (good) assert.equal(readKey(vkey).vkey, vkey, name);
    else assert.throws(() => readKey(vkey), /cannot be used/, name);
  }
});

test("dice beyond a draw's values are no dice", () => {
  const draw = dice(hexOf(bytesOf(32)), "T");
  assert.equal(draw(0, 0), null);
  assert.equal(draw(0, 2 ** 48 + 1), null);
  assert.deepEqual(draw(0, 1)[0], 0);
});

const LEFT = { type: "seat-left/1", by: "p1", seat: "p1" };
const SAID = { request: "~0", body: "{}" };

test("events are of their form to the field", () => {
  const read = (fields) =>
    readPayload(JSON.stringify({ event: { type: "noted/1", by: "p1", ...fields } })).event;
  assert.equal(read({ about: 1 }).about, 1);
  for (const fields of [
    ...[{}, { about: "1" }, { about: 1, text: "x" }, { about: 1, more: 1 }],
    ...[{ about: 1, by: "P1" }, { about: 1, type: "toString" }, { about: 1.5 }],
  ]) {
    assert.throws(() => read(fields), Error, JSON.stringify(fields));
  }
});

test("events that are gone are refused by name, older ones are read as the next version", () => {
  const read = (event) => readPayload(JSON.stringify({ event })).event;
  for (const name of ["nonce-committed", "witness-given", "seats-passed-over", "nonce-withheld"]) {
    const gone = { type: `${name}/1`, by: "p1", roll: 1, throw: 0 };
    assert.throws(() => read(gone), new RegExp(`${name}/1 is of an earlier version`));
  }
  const set = { type: "witnessing-set/1", by: "p1", seconds: 1, withheld: "void" };
  assert.throws(() => read(set), /witnessing-set.1 is of an earlier version/);
  const taken = { type: "seat-taken/1", by: "n", seat: "p1", role: "player" };
  assert.equal(read(taken).type, "seat-taken/2");
  assert.throws(() => read({ ...taken, key: "x" }), /key is no field of it/);
  const voided = { type: "roll-voided/1", by: "n", roll: 1 };
  assert.equal(read(voided).type, "roll-voided/2");
  assert.throws(() => read({ ...voided, nonce: "x" }), /nonce is no field of it/);
});

test("a payload is an event, and what was asked", () => {
  assert.equal(readPayload(JSON.stringify({ event: LEFT })).asked, null);
  const { asked, event } = readPayload(JSON.stringify({ event: LEFT, asked: SAID }));
  assert.deepEqual([asked.request, asked.body, event.seat], ["~0", "{}", "p1"]);
  for (const payload of [
    ...[[], 1, null, {}, LEFT, { event: 1 }, { event: null }, { event: {} }, { event: { type: 1 } }],
    ...[{ asked: SAID }, { event: LEFT, more: 1 }, { event: LEFT, asked: null }],
    ...[{ event: LEFT, asked: {} }, { event: LEFT, asked: { ...SAID, seen: 1 } }],
    ...[{ event: LEFT, asked: { ...SAID, body: {} } }, { event: LEFT, asked: { body: "{}" } }],
    ...[{ event: LEFT, asked: { ...SAID, request: 1 } }, { event: LEFT, asked: [] }],
  ]) {
    assert.throws(() => readPayload(JSON.stringify(payload)), Error, JSON.stringify(payload));
  }
});

test("a text's hash is that of Urim", () => {
  const found = textHash("0123456789abcdef".repeat(2), "שלום\nDana 🎲");
  assert.equal(found, "42d8717b779ac2931f1562b4fb156b581f8787d3b7e5ecbbba980d652e10c025");
});

const line = (seq, commit, kind = "open") => ({ seq, commit, class: kind, at: 0 });

/** What step 10 fails of withheld entries. */
function placed(...lines) {
  const report = new Report();
  const commits = new Commits(report);
  for (const entry of lines) commits.take(entry, null);
  commits.end();
  return report.results()[9].remarks.map(({ why, seq }) => `${seq} ${why}`);
}

test("of some entries of a log, commits come whole", () => {
  assert.deepEqual(placed(line(0, 0), line(1, 0), line(4, 4), line(5, 4), line(9, 9)), []);
  const alone = "the entry is of a commit that is not right before it";
  assert.deepEqual(placed(line(0, 0), line(5, 4)), [`5 ${alone}`]);
  assert.deepEqual(placed(line(0, 0), line(2, 0)), [`2 ${alone}`]);
  assert.deepEqual(placed(line(0, 0), line(1, 1), line(2, 0)), [`2 ${alone}`]);
  assert.deepEqual(placed(line(0, 0), line(1, 2)), [`1 ${alone}`]);
});

test("a text is as hidden as what was asked, disclosed or not", () => {
  assert.deepEqual(placed(line(0, 0), line(1, 0, "text")), []);
  assert.deepEqual(placed(line(0, 0, "hidden"), line(1, 0, "hidden-text")), []);
  const wrong = "1 a text is of the wrong class";
  assert.deepEqual(placed(line(0, 0), line(1, 0, "hidden-text")), [wrong]);
  assert.deepEqual(placed(line(0, 0, "hidden"), line(1, 0, "text")), [wrong]);
});

test("own dice are those that the table brings", () => {
  const pairs = ["אב", "גד", "הו", "זח", "טי", "כ*"];
  const { faces } = facesOf("milhamah", 1, { faces: { "red-a": pairs } });
  assert.equal(faces["red-a"].join(""), pairs.join(""));
  assert.equal(facesOf("milhamah", 2, {}).faces, null);
  assert.equal(facesOf("toString", 1, {}).faces, null);
  assert.equal(facesOf("milhamah", 1, { location_die: "more" }).faces, null);
  assert.equal(facesOf("milhamah", 1, { faces: { pink: pairs } }).faces, null);
  assert.equal(facesOf("milhamah", 1, { faces: { "red-a": "אב" } }).faces, null);
});

async function lines(source) {
  const found = [];
  for await (const [some] of linesOf(source)) found.push(...some);
  return found;
}

test("lines are the same however a file comes in pieces", async () => {
  const text = "אב\n\nc\n";
  const bytes = utf8(text);
  for (let size = 1; size <= bytes.length; size++) {
    const blob = new Blob([bytes]);
    blob.stream = () =>
      new ReadableStream({
        start(controller) {
          for (let at = 0; at < bytes.length; at += size) {
            controller.enqueue(bytes.slice(at, at + size));
          }
          controller.close();
        },
      });
    assert.deepEqual(await lines(blob), ["אב", "", "c"]);
  }
  assert.deepEqual(await lines(text), ["אב", "", "c"]);
  await assert.rejects(lines(new Blob(["a\n", fromHex("ff"), "\n"])), /line 2: not UTF-8/);
  await assert.rejects(lines("a\nb"), /line 2: a last line without an end/);
});

test("lines that come one by one are verified like a file", async () => {
  async function* some() {
    yield "{}\n";
  }
  for (const source of [some(), ["{}"], "{}\n", new Blob(["{}\n"])]) {
    assert.equal((await verify(source)).problem, "line 1: the format is not urim-bundle/3");
  }
  await assert.rejects(verify("", { key: "nonsense" }), /not a vkey/);
  await assert.rejects(verify("", { seats: { p1: "nonsense" } }), /not a key of seat p1/);
});
