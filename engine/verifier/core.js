// The verifier's core, made by build.py from js/core.js, which has the comments.
"use strict";
const $bytes = (() => {
const encoder = new TextEncoder();
const DIGITS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
const utf8 = (text) => encoder.encode(text);
function hexOf(bytes) {
  let text = "";
  for (const byte of bytes) text += DIGITS[byte];
  return text;
}
function fromHex(text) {
  const bytes = new Uint8Array(text.length / 2);
  for (let at = 0; at < bytes.length; at++) {
    bytes[at] = Number.parseInt(text.substr(2 * at, 2), 16);
  }
  return bytes;
}
const isHash = (value) => typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
const base64Of = (bytes) => btoa(String.fromCharCode(...bytes));
function fromBase64(text) {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4) return null;
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return base64Of(bytes) === text ? bytes : null;
}
function same(one, other) {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}
function joined(...parts) {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
return { utf8, hexOf, fromHex, isHash, base64Of, fromBase64, same, joined };
})();
const $json = (() => {
class NotJson extends Error {
  constructor(why, at) {
    super(`${why} at character ${at}`);
    this.why = why;
    this.at = at;
  }
}
const DEPTH = 64;
const HALF = 0.5;
const SPACE = /[ \t\r\n]*/y;
const WHOLE = /-?(?:0|[1-9][0-9]*)/y;
const REST = /(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const FOUR = /^[0-9a-fA-F]{4}$/;
const ESCAPES = { '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };
const WORDS = { true: true, false: false, null: null };
const LONE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
class Reader {
  constructor(text, whole, one = false, halves = false) {
    this.text = text;
    this.whole = whole;
    this.one = one;
    this.halves = halves;
    this.at = 0;
    this.depth = 0;
    this.odd = "";
  }
  strange(what, at) {
    this.odd ||= `${what} at character ${at + 1}`;
  }
  refuse(why, at = this.at) {
    throw new NotJson(why, at + 1);
  }
  take(pattern) {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found === null) return "";
    this.at += found[0].length;
    return found[0];
  }
  skip() {
    const code = this.text.charCodeAt(this.at);
    if (code > 32 || Number.isNaN(code)) return;
    this.strange("a blank", this.at);
    this.take(SPACE);
  }
  value() {
    this.skip();
    const letter = this.text[this.at];
    if (letter === '"') return this.string();
    if (letter === "{") return this.nested("}", () => this.object());
    if (letter === "[") return this.nested("]", () => this.array());
    if (letter === "-" || (letter >= "0" && letter <= "9")) return this.number();
    for (const [word, meaning] of Object.entries(WORDS)) {
      if (this.text.startsWith(word, this.at)) {
        this.at += word.length;
        return meaning;
      }
    }
    return this.refuse(letter === undefined ? "the text ends too early" : "no JSON value");
  }
  nested(end, read) {
    if (++this.depth > DEPTH) this.refuse(`more than ${DEPTH} levels`);
    this.at++;
    this.skip();
    const empty = this.text[this.at] === end;
    if (empty) this.at++;
    const value = empty ? (end === "}" ? Object.create(null) : []) : read();
    this.depth--;
    return value;
  }
  more(end) {
    this.skip();
    const letter = this.text[this.at++];
    if (letter === ",") return true;
    if (letter === end) return false;
    return this.refuse(`"," or "${end}" is missing`, this.at - 1);
  }
  array() {
    const items = [];
    do items.push(this.value());
    while (this.more("]"));
    return items;
  }
  object() {
    const found = Object.create(null);
    do {
      this.skip();
      const at = this.at;
      if (this.text[at] !== '"') this.refuse("a key is missing");
      const key = this.string();
      if (key in found) this.refuse(`the key ${JSON.stringify(key)} a second time`, at);
      this.skip();
      if (this.text[this.at++] !== ":") this.refuse('":" is missing', this.at - 1);
      found[key] = this.value();
    } while (this.more("}"));
    return found;
  }
  number() {
    const at = this.at;
    const digits = this.take(WHOLE);
    if (!digits) this.refuse("no number", at);
    const next = this.text[this.at];
    if (next >= "0" && next <= "9") this.refuse("a number with a leading zero", at);
    const rest = this.take(REST);
    if (rest && this.whole > 0 && this.depth <= this.whole) {
      this.refuse("a number with a fraction or an exponent", at);
    }
    const value = Number(digits + rest);
    if (this.one) this.oneWay(digits, rest, value, at);
    const within = rest ? Number.isFinite(value) : Number.isSafeInteger(value);
    if (!within) this.refuse("a number beyond its bounds", at);
    if (rest ? digits + rest !== decimal(value) : digits === "-0") this.strange("a number", at);
    return this.halves && rest && Number.isInteger(value) ? HALF : value;
  }
  oneWay(digits, rest, value, at) {
    if (/[eE]/.test(rest)) this.refuse("a number with an exponent", at);
    if (rest && Number.isInteger(value)) this.refuse("a whole number with a fraction", at);
    if (!rest && digits === "-0") this.refuse("a zero with a sign", at);
  }
  string() {
    const start = this.at++;
    let text = this.take(PLAIN);
    let escaped = false;
    while (this.text[this.at] === "\\") {
      escaped = true;
      text += this.escape() + this.take(PLAIN);
    }
    if (this.text[this.at] !== '"') {
      this.refuse(this.at < this.text.length ? "a control character" : "a text without an end");
    }
    this.at++;
    if (escaped && LONE.test(text)) this.refuse("a lone surrogate", start);
    const written = escaped ? JSON.stringify(text) : "";
    if (escaped && this.text.slice(start, this.at) !== written) this.strange("an escape", start);
    return text;
  }
  escape() {
    const letter = this.text[this.at + 1];
    if (letter in ESCAPES) {
      this.at += 2;
      return ESCAPES[letter];
    }
    const digits = this.text.substr(this.at + 2, 4);
    if (letter !== "u" || !FOUR.test(digits)) this.refuse("no such escape");
    this.at += 6;
    return String.fromCharCode(Number.parseInt(digits, 16));
  }
}
function parseJson(text, whole) {
  return parsed(new Reader(text, whole));
}
function parseHalves(text, whole) {
  return parsed(new Reader(text, whole, false, true));
}
function readJson(text) {
  const reader = new Reader(text, 0);
  return { value: parsed(reader), odd: reader.odd };
}
function parseBody(text) {
  const value = parsed(new Reader(text, 0, true));
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    throw new NotJson("no object", 0);
  }
  return value;
}
function parsed(reader) {
  const value = reader.value();
  reader.skip();
  if (reader.at < reader.text.length) reader.refuse("something after the value");
  return value;
}
function decimal(value) {
  const [digits, exponent] = value.toExponential().split("e").map((part) => part.replace("+", ""));
  if (value !== 0 && (exponent < -5 || exponent > 15)) return `${digits}e${exponent}`;
  const sign = Object.is(value, -0) ? "-" : "";
  return Number.isInteger(value) ? `${sign}${value}.0` : String(value);
}
function equal(one, other) {
  if (one === null || typeof one !== "object") return one === other;
  if (other === null || typeof other !== "object") return false;
  const keys = Object.keys(one);
  return (
    Array.isArray(one) === Array.isArray(other) &&
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && equal(one[key], other[key]))
  );
}
return { NotJson, DEPTH, parseJson, parseHalves, readJson, parseBody, equal };
})();
const $commands = (() => {
const { equal } = $json;
const field = (name, usual) => ({ of: (event) => event[name], usual });
const free = { free: true };
const proved = (name) => ({ of: (event) => event.proof?.[name], usual: null });
function typed({ proof, dice }) {
  const of = proof?.source;
  return of === "manual" || of === "scripted" ? dice.map(([, , face]) => face) : null;
}
const once = ({ dice }) => [...new Set(dice.map(([id]) => id))];
const again = ({ trigger, dice }) => (trigger === "roll" ? null : dice.map(([id]) => id));
const sorted = (value) => (Array.isArray(value) ? [...value].sort() : value);
function chosen({ options }, asked) {
  if (asked === null || typeof asked !== "object") return options;
  return Object.fromEntries(Object.keys(asked).map((name) => [name, options[name] ?? null]));
}
const given = (value) => value !== null && value.declined !== true;
const answered = (of) => ({ of, usual: null, fits: earlier });
const earlier = (asked, logged, blind) => blind && Number.isInteger(asked) && asked <= logged;
const [roll, hand, character, seat] = ["roll", "hand", "character", "seat"].map((name) => field(name));
const thrown = {
  ...{ roll, hand, committed: answered(proved("committed").of), nonce: proved("nonce") },
  faces: { of: typed, usual: null },
};
const [MAY, MUST] = ["may", "must"];
const command = (event, fields, text = null, more = []) => ({ event, fields, text, more });
const second = (made, event, behind) => ({ ...made, more: [event], behind });
const named = { of: ({ was, level }, asked) => (was && asked === null ? null : level), usual: null };
const role = { of: ({ key, role: taken }, asked) => (key == null ? taken : asked), usual: "player" };
const taking = (more) => command("seat-taken/2", { seat, role, ...more }, MAY);
const opening = (more) =>
  command("table-opened/3", {
    ...{ table: field("table"), ruleset: field("ruleset"), source: field("source", "fair") },
    ...{ level: field("level", "player"), options: { of: chosen, usual: {} }, ...more },
  });
const AMENDING = ["roll-amended/2", "roll-voided/2", "damage-applied/1"];
const amend = (more) =>
  command("roll-amended/2", { roll, character, fields: free, ...more }, MUST, AMENDING);
const voids = (more) => command("roll-voided/2", { roll, ...more }, MUST, ["roll-voided/2"]);
const rule = (more) =>
  command(
    "ruling-made/2",
    { roll, dispute: field("dispute"), ruling: field("ruling"), ...more },
    MUST,
    [...AMENDING, "roll-declared/2"],
  );
const COMMANDS = new Map(
  Object.entries({
    "open/1": opening({}),
    "open/2": opening({ one_machine: { of: (event) => event.one_machine ?? false, usual: false } }),
    "take-seat/1": taking({}),
    "take-seat/2": taking({ key: field("key", null) }),
    "name-seat/1": command("seat-named/1", { seat }, MUST),
    "leave-seat/1": command("seat-left/1", { seat }),
    "anchor-shares/1": command("share-anchored/1", { anchor: field("anchor") }),
    "enter/1": command(
      "character-entered/1",
      { character, seat, attributes: field("attributes", {}), tracks: free },
      MAY,
    ),
    "name/1": command("character-named/1", { character }, MUST),
    "give/1": command("character-given/1", { character, seat }),
    "remove/1": command("character-removed/1", { character }),
    "set-track/1": command("track-set/1", {
      ...{ character, track: field("track"), value: field("value") },
    }),
    "set-attribute/1": command("attribute-set/1", {
      ...{ character, attribute: field("attribute"), value: field("value") },
    }),
    "note/1": command("noted/1", { about: field("about") }, MUST),
    "erase/1": command("entry-erased/1", { seq: field("seq") }),
    "begin-epoch/1": command("epoch-begun/1", {}),
    "declare/1": command(
      "roll-declared/2",
      {
        ...{ character, declaration: free, visibility: field("visibility", "public") },
        ...{ level: named, follows: field("follows", null) },
      },
      MAY,
    ),
    "react/1": command("reaction-declared/1", {
      ...{ roll, character },
      reaction: { of: ({ reaction }) => given(reaction), as: given, usual: null },
    }),
    "roll/1": command("dice-rolled/1", { ...thrown, option: field("option", null) }),
    "reroll/1": command("dice-rerolled/1", { ...thrown, dice: { of: once } }),
    "freeze/1": command("dice-frozen/1", { roll, hand, dice: field("dice") }),
    "adjust/1": command("dice-adjusted/1", {
      ...{ roll, hand, means: field("means"), dice: field("dice") },
    }),
    "choose/1": command("choice-made/1", {
      ...{ roll, choice: field("choice"), option: field("option") },
    }),
    "resolve/1": command("roll-resolved/1", { roll }),
    "apply_damage/1": command("damage-applied/1", { roll }),
    "reveal/1": command("roll-revealed/2", { roll }),
    "confirm/1": command("throw-confirmed/1", { roll, throw: field("throw") }),
    "ask/1": second(
      command("throw-planned/1", {
        ...{ roll, hand, option: field("option", null), committed: free, asked: free },
        dice: { of: again, usual: null },
      }),
      "throw-asked/1",
      {
        ...{ roll, committed: answered((event) => event.committed) },
        asked: { of: ({ asked }) => asked.map(([id]) => id), as: sorted },
      },
    ),
    "open_share/1": command("share-opened/1", { roll, share: field("share") }, null, [
      ...["dice-rolled/1", "dice-rerolled/1"],
    ]),
    "break_throw/1": command("throw-broken/1", { roll }),
    "veto/1": command("declaration-vetoed/1", { roll }, MUST),
    "replace/1": command("declaration-replaced/1", { roll, fields: free }, MUST),
    "amend/1": amend({}),
    "amend/2": amend({ against: free }),
    "void/1": voids({}),
    "void/2": voids({ against: free }),
    "void/3": voids({ against: free }),
    "withdraw/1": command("roll-voided/2", { roll }),
    "dispute/1": command("dispute-raised/1", { roll }, MUST),
    "rule/1": rule({}),
    "rule/2": rule({ character: free, fields: free, against: free }),
    "rule/3": rule({ character: free, fields: free, against: free }),
    "flavour/1": command("flavour-named/1", {
      ...{ roll, hand, words: field("words"), tone: field("tone", "harmless") },
    }),
    "fate/1": command("fate-decided/1", {
      ...{ roll, fate: field("fate"), part: field("part", null) },
    }),
  }),
);
function differences(body, event, blind) {
  const { event: type, fields, text } = COMMANDS.get(body.do);
  if (event.type !== type) return [[`${body.do} leads to another event`, type, event.type]];
  const found = [];
  for (const name of Object.keys(body)) {
    if (name === "do" || (name === "text" && text)) continue;
    if (!Object.hasOwn(fields, name)) found.push([`${body.do} has no field ${name}`, "none", name]);
  }
  return [...found, ...unlike(body, fields, event, blind)];
}
function furtherDifferences(body, event, blind) {
  const { more, behind } = COMMANDS.get(body.do);
  return behind && more.includes(event.type) ? unlike(body, behind, event, blind) : [];
}
function unlike(body, fields, event, blind) {
  const found = [];
  for (const [name, rule] of Object.entries(fields)) {
    const wrong = rule.free ? null : difference(body[name], rule, event, blind);
    if (wrong) found.push([`the event says another ${name} than was asked for`, ...wrong]);
  }
  return found;
}
function difference(asked, { of, as = (value) => value, fits, usual }, event, blind) {
  const value = asked === undefined ? usual : asked;
  const logged = of(event, value) ?? null;
  if (fits?.(value, logged, blind)) return null;
  if (value !== undefined && equal(as(value), logged)) return null;
  return [value === undefined ? "it is missing" : JSON.stringify(as(value)), JSON.stringify(logged)];
}
return { COMMANDS, differences, furtherDifferences };
})();
const $sha256 = (() => {
const { joined } = $bytes;
const BLOCK = 64;
const fraction = (root) => Math.floor((root - Math.floor(root)) * 2 ** 32) | 0;
function primes(count) {
  const found = [];
  for (let next = 2; found.length < count; next++) {
    if (found.every((prime) => next % prime)) found.push(next);
  }
  return found;
}
const ROUNDS = Int32Array.from(primes(64), (prime) => fraction(Math.cbrt(prime)));
const START = Int32Array.from(primes(8), (prime) => fraction(Math.sqrt(prime)));
const words = new Int32Array(64);
function compress(state, bytes, at) {
  for (let t = 0; t < 16; t++, at += 4) {
    words[t] = (bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3];
  }
  for (let t = 16; t < 64; t++) {
    const w = words[t - 15];
    const x = words[t - 2];
    const s0 = ((w >>> 7) | (w << 25)) ^ ((w >>> 18) | (w << 14)) ^ (w >>> 3);
    const s1 = ((x >>> 17) | (x << 15)) ^ ((x >>> 19) | (x << 13)) ^ (x >>> 10);
    words[t] = (words[t - 16] + s0 + words[t - 7] + s1) | 0;
  }
  let a = state[0];
  let b = state[1];
  let c = state[2];
  let d = state[3];
  let e = state[4];
  let f = state[5];
  let g = state[6];
  let h = state[7];
  for (let t = 0; t < 64; t++) {
    const S1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (h + S1 + ((e & f) ^ (~e & g)) + ROUNDS[t] + words[t]) | 0;
    const S0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = (S0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
  state[4] += e;
  state[5] += f;
  state[6] += g;
  state[7] += h;
}
const tail = new Uint8Array(2 * BLOCK);
function finish(start, done, bytes) {
  const state = start.slice();
  const whole = bytes.length - (bytes.length % BLOCK);
  for (let at = 0; at < whole; at += BLOCK) compress(state, bytes, at);
  const left = bytes.length - whole;
  const end = left < 56 ? BLOCK : 2 * BLOCK;
  for (let at = 0; at < left; at++) tail[at] = bytes[whole + at];
  tail.fill(0, left, end);
  tail[left] = 0x80;
  let bits = 8 * (done + bytes.length);
  for (let at = end - 1; bits > 0; at--, bits = Math.floor(bits / 256)) tail[at] = bits % 256;
  for (let at = 0; at < end; at += BLOCK) compress(state, tail, at);
  const hash = new Uint8Array(32);
  for (let at = 0; at < 32; at++) hash[at] = state[at >> 2] >>> (24 - 8 * (at & 3));
  return hash;
}
const sha256 = (bytes) => finish(START, 0, bytes);
function hmac(key) {
  const short = key.length > BLOCK ? sha256(key) : key;
  const after = (pad) => {
    const block = new Uint8Array(BLOCK).fill(pad);
    short.forEach((byte, at) => (block[at] ^= byte));
    const state = START.slice();
    compress(state, block, 0);
    return state;
  };
  const inner = after(0x36);
  const outer = after(0x5c);
  return (message) => finish(outer, BLOCK, finish(inner, BLOCK, message));
}
function hkdf(secret, salt) {
  const expand = hmac(hmac(salt)(secret));
  const first = Uint8Array.of(1);
  return (info, length) => expand(joined(info, first)).subarray(0, length);
}
return { sha256, hmac, hkdf };
})();
const $commits = (() => {
const { hexOf, utf8 } = $bytes;
const { COMMANDS, differences, furtherDifferences } = $commands;
const { NotJson, parseBody } = $json;
const { sha256 } = $sha256;
const PARSE = 1;
const TRANSITIONS = 10;
const CORE = 5;
const CORES = [4, CORE];
const BODY = 16 * 1024;
const REQUEST = /^[A-Za-z0-9._-]{1,64}$/;
const SALT = /^[0-9a-f]{32}$/;
const NAME = /^[a-z][a-z0-9_-]*\/[1-9][0-9]*$/;
const SAID = "text-said/1";
const FALLS = ["dice-rolled/1", "dice-rerolled/1"];
const isText = (kind) => kind === "text" || kind === "hidden-text";
const isHidden = (kind) => kind === "hidden" || kind === "hidden-text";
const isAsk = ({ seq, commit }, read) => seq === commit + 1 && read?.event.type === "throw-asked/1";
const textHash = (salt, text) => hexOf(sha256(utf8(`urim/1 text\n${salt}\n${text}`)));
class Commits {
  constructor(report) {
    this.report = report;
    this.current = null;
    this.requests = new Map();
    this.blind = new Set();
    this.count = 0;
    this.compared = 0;
    this.unknown = { core: "", rules: "" };
  }
  opens({ core }, rules) {
    const known = `here it is ${CORES.join(" or ")}`;
    const why = CORES.includes(core) ? "" : `what commands lead to is of version ${core}, ${known}`;
    this.unknown = { core: why, rules };
    for (const each of [why, rules]) if (each) this.report.unchecked(TRANSITIONS, 0, each);
  }
  take(entry, read) {
    const { current } = this;
    this.report.looked(TRANSITIONS);
    if (read !== null && read.odd) {
      const why = "the payload is written in another way";
      this.#fail(entry.seq, why, "as its command leads to, to the byte", read.odd);
    }
    const next = current !== null && entry.seq === current.last.seq + 1;
    if (next && entry.commit === current.seq && entry.commit !== entry.seq) {
      this.#goOn(entry, read);
    } else {
      this.#finish();
      this.#begin(entry, read);
    }
    const open = entry.class === "open" && entry.commit !== entry.seq;
    if (open && next && current.last.class === "hidden" && !isAsk(entry, read)) {
      const why = "an open entry that does not say what was asked is right after a hidden one";
      this.#fail(entry.seq, why, "what was asked, or a hidden entry", entry.class);
    }
    this.current.last = entry;
  }
  end() {
    this.#finish();
    const compared = `${this.compared} commands compared with what they led to`;
    const rules = "the rules are not checked here: this needs the Python audit";
    this.report.say(TRANSITIONS, `${this.count} commits, ${compared}; ${rules}`);
  }
  #fail(seq, why, expected, found) {
    this.report.fail(TRANSITIONS, seq, why, expected, found);
  }
  #begin(entry, read) {
    const { seq, at, commit } = entry;
    this.count++;
    const known = { seq: commit, at, class: entry.class, event: read?.event ?? null };
    this.current = { ...known, last: entry, body: null, command: null, text: null };
    if (commit !== seq) {
      const why = "the entry is of a commit that is not right before it";
      this.#fail(seq, why, `commit ${seq}, or that of entry ${seq - 1}`, `commit ${commit}`);
      this.current.event = null;
      return;
    }
    if (isText(entry.class)) this.#fail(seq, "a text begins a commit", "open or hidden", entry.class);
    if (read === null) return;
    this.#isText(entry, read.event);
    if (read.asked === null) {
      this.#fail(seq, "the first entry of a commit does not say what was asked", "asked", "none");
      return;
    }
    this.#request(seq, read.event.by, read.asked.request);
    this.#body(seq, read);
  }
  #goOn(entry, read) {
    const { current } = this;
    const { seq, at } = entry;
    if (at !== current.at) this.#fail(seq, "a commit is of two times", current.at, at);
    if (current.text !== null) {
      this.#fail(seq, "an entry is behind the text of its commit", "the text last", entry.class);
    }
    if (isText(entry.class)) {
      const kind = isHidden(current.class) ? "hidden-text" : "text";
      if (entry.class !== kind) this.#fail(seq, "a text is of the wrong class", kind, entry.class);
      current.text = { entry, event: read?.event ?? null };
    }
    if (read === null) return;
    const { asked, event } = read;
    this.#isText(entry, event);
    if (asked !== null) {
      const why = "an entry that is not the first of its commit says what was asked";
      this.#fail(seq, why, "nothing", asked.request);
    }
    const falls = current.event?.type === "share-opened/1" && FALLS.includes(event.type);
    if (current.event !== null && event.by !== current.event.by && !falls) {
      this.#fail(seq, "an event of another seat than asked", current.event.by, event.by);
    }
    const more = current.command?.more;
    if (more && event.type !== SAID && !more.includes(event.type)) {
      const why = `${current.body.do} does not lead to this further event`;
      this.#fail(seq, why, more.join(" or ") || "no further event", event.type);
    } else if (more) {
      const blind = this.blind.has(event.roll);
      for (const wrong of furtherDifferences(current.body, event, blind)) this.#fail(seq, ...wrong);
    }
  }
  #isText({ seq, class: kind }, { type }) {
    if (isText(kind) === (type === SAID)) return;
    const expected = isText(kind) ? SAID : "a class of texts";
    this.#fail(seq, `an entry of class ${kind} holds ${type}`, expected, isText(kind) ? type : kind);
  }
  #request(seq, seat, request) {
    const host = `~${seq}`;
    if (request === host) return;
    if (!REQUEST.test(request)) {
      const expected = `1 to 64 of A-Z a-z 0-9 . _ -, or ${host}`;
      this.#fail(seq, "a request id that no client may send", expected, request.slice(0, 80));
      return;
    }
    const key = `${seat} ${request}`;
    const before = this.requests.get(key);
    if (before === undefined) {
      this.requests.set(key, seq);
    } else {
      const why = `seat ${seat} has used this request id before`;
      this.#fail(seq, why, `${request} once, in entry ${before}`, `entry ${seq}`);
    }
  }
  #body(seq, { asked, event }) {
    if (event.visibility === "blind") this.blind.add(event.roll);
    const size = utf8(asked.body).length;
    if (size > BODY) {
      this.report.fail(PARSE, seq, "the body of a command is too long", `at most ${BODY}`, size);
      return;
    }
    let body;
    try {
      body = parseBody(asked.body);
    } catch (error) {
      if (!(error instanceof NotJson)) throw error;
      const why = "the body of a command is not strict";
      this.report.fail(PARSE, seq, why, "one object of strict JSON", error.message);
      return;
    }
    if (typeof body.do !== "string" || !NAME.test(body.do)) {
      const found = JSON.stringify(body.do) ?? "nothing";
      this.#fail(seq, "what was asked is no command", "do: name/version", found.slice(0, 80));
      return;
    }
    this.current.body = body;
    const { core, rules } = this.unknown;
    if (core || (rules && event.type === "table-opened/3")) return;
    const command = COMMANDS.get(body.do);
    if (command === undefined) {
      this.report.unchecked(TRANSITIONS, seq, `what ${body.do} leads to is not known here`);
      return;
    }
    this.compared++;
    this.current.command = command;
    for (const wrong of differences(body, event, this.blind.has(event.roll))) this.#fail(seq, ...wrong);
  }
  #finish() {
    if (this.current === null || this.current.body === null) return;
    const { seq, body, command, text } = this.current;
    const hash = body.text ?? null;
    if (command?.text === "must" && hash === null) {
      this.#fail(seq, `${body.do} needs a text`, "the hash of one", "none");
    }
    if (hash !== null && text === null) {
      this.#fail(seq, "the text that a command names is missing", hash, "no text");
    } else if (hash === null && text !== null) {
      const why = "a text comes with a command that names none";
      this.#fail(text.entry.seq, why, "no text", text.entry.class);
    } else if (text?.event?.type === SAID) {
      this.#hash(hash, text);
    }
  }
  #hash(hash, { entry, event }) {
    if (!SALT.test(event.salt)) {
      const found = event.salt.slice(0, 80);
      this.#fail(entry.seq, "the salt of a text is not of its form", "32 hex digits", found);
      return;
    }
    const found = textHash(event.salt, event.text);
    if (found !== hash) {
      const why = "the text is not the one that the command names";
      this.#fail(entry.seq, why, typeof hash === "string" ? hash : JSON.stringify(hash), found);
    }
  }
}
return { CORE, BODY, isText, isHidden, textHash, Commits };
})();
const $entry = (() => {
const { hexOf, isHash, joined, utf8 } = $bytes;
const { sha256 } = $sha256;
const PAYLOAD = utf8("urim/1 payload\n");
const LEAF = Uint8Array.of(0);
const CLASSES = ["open", "hidden", "text", "hidden-text"];
const isCount = (value) => Number.isSafeInteger(value) && value >= 0 && !Object.is(value, -0);
const SEALED = {
  seq: isCount,
  commit: isCount,
  at: isCount,
  class: (value) => CLASSES.includes(value),
  digest: isHash,
};
const DISCLOSED = { ...SEALED, salt: isHash, payload: (value) => typeof value === "string" };
const digestOf = (salt, payload) => sha256(joined(PAYLOAD, salt, payload));
const entryText = (seq, at, kind, digest) =>
  `urim/1 entry\n${seq}\n${at}\n${kind}\n${digest}\n`;
const leafOf = (text) => sha256(joined(LEAF, utf8(text)));
const leafHex = (text) => hexOf(leafOf(text));
return { isCount, SEALED, DISCLOSED, digestOf, entryText, leafOf, leafHex };
})();
const $events = (() => {
const { equal, parseHalves, readJson } = $json;
const isText = (value) => typeof value === "string";
const isSeat = (value) => isText(value) && /^[a-z0-9-]{1,32}$/.test(value);
const isTable = (value) => isText(value) && /^[a-z0-9]{8,32}$/.test(value);
const isInt = (value) => Number.isSafeInteger(value);
const isBool = (value) => typeof value === "boolean";
const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const oneOf = (...words) => (value) => words.includes(value);
const listOf = (item) => (value) => Array.isArray(value) && value.every(item);
const tuple = (...items) => (value) =>
  Array.isArray(value) && value.length === items.length && items.every((is, at) => is(value[at]));
const mapOf = (item) => (value) => isObject(value) && Object.values(value).every(item);
const orNull = (is) => (value) => value === null || is(value);
const maybe = (is, usual) => Object.assign((value) => is(value), { optional: true, usual });
const maybeNull = (is) => maybe(orNull(is), null);
const isRating = (value) => typeof value === "number";
const isAny = () => true;
const isFace = (value) => isText(value) || isInt(value);
const isLevel = oneOf("server", "player", "table");
const thrown = listOf(tuple(isText, isText, isFace));
const isChange = tuple(isText, isText, isInt);
const isSetting = tuple(isText, isText, isInt, orNull(isInt));
const effects = maybe(listOf((value) => isChange(value) || isSetting(value)), []);
const PROOF = {
  throw: isInt,
  source: oneOf("fair", "seeded", "scripted", "manual"),
  committed: maybeNull(isInt),
  seed: maybeNull(isText),
  nonce: maybeNull(isText),
  next: maybeNull(isText),
};
const isProof = (value) => isObject(value) && misfit(value, PROOF) === null;
const OPENED = {
  table: isTable,
  ruleset: isText,
  version: isInt,
  options: isObject,
  source: isText,
  level: isLevel,
  core: isInt,
};
const ALONE = { ...OPENED, one_machine: maybe(isBool, false) };
const faces = maybe(mapOf(listOf(isFace)), {});
const TAKEN = { seat: isSeat, role: oneOf("narrator", "player", "witness") };
const TABLE = {
  "table-opened/1": OPENED,
  "table-opened/2": ALONE,
  "table-opened/3": { ...ALONE, faces },
  "seat-taken/1": TAKEN,
  "seat-taken/2": { ...TAKEN, key: maybeNull(isText) },
  "seat-named/1": { seat: isSeat },
  "seat-left/1": { seat: isSeat },
  "character-entered/1": {
    character: isText,
    seat: isSeat,
    attributes: mapOf(isRating),
    tracks: mapOf(isInt),
  },
  "character-named/1": { character: isText },
  "character-given/1": { character: isText, seat: isSeat },
  "character-removed/1": { character: isText },
  "track-set/1": { character: isText, track: isText, value: isInt },
  "attribute-set/1": { character: isText, attribute: isText, value: isRating },
  "reading-set/1": { name: isText, value: isAny, faces },
  "table-set/1": { name: isText, value: isAny },
  "share-anchored/1": { anchor: isText },
  "noted/1": { about: isInt },
  "text-said/1": { salt: isText, text: isText },
  "entry-erased/1": { seq: isInt },
  "epoch-begun/1": { epoch: isInt, commits: listOf(tuple(isInt, isInt, isText)) },
};
const AMENDED = {
  character: isText,
  declared: isObject,
  outcome: maybeNull(isObject),
  effects,
};
const RULED = { dispute: isInt, ruling: oneOf("stands", "amend", "void", "replay") };
const DECLARED = {
  character: isText,
  declaration: isObject,
  visibility: oneOf("public", "gm", "blind", "self"),
  level: maybeNull(isLevel),
  follows: maybeNull(tuple(isInt, isText)),
  effects,
  commit: maybeNull(isText),
};
const VOIDED = { throw: maybeNull(isInt), seed: maybeNull(isText) };
const ROLL = {
  "roll-declared/1": DECLARED,
  "roll-declared/2": DECLARED,
  "reaction-declared/1": { character: isText, reaction: orNull(isObject), effects },
  "throw-planned/1": {
    throw: isInt,
    trigger: oneOf("roll", "reroll"),
    hand: isText,
    dice: listOf(tuple(isText, isText)),
    option: maybeNull(isInt),
  },
  "throw-asked/1": {
    throw: isInt,
    committed: isInt,
    asked: listOf(tuple(isSeat, isInt)),
    left: maybe(listOf(isSeat), []),
  },
  "share-opened/1": { throw: isInt, share: isText },
  "throw-broken/1": { throw: isInt, kept: listOf(isSeat), seed: isText, next: isText },
  "dice-rolled/1": {
    character: isText,
    hand: isText,
    dice: thrown,
    option: maybeNull(isInt),
    proof: maybeNull(isProof),
    taken: maybeNull(isInt),
  },
  "dice-frozen/1": { hand: isText, dice: listOf(isText) },
  "dice-rerolled/1": { hand: isText, dice: thrown, proof: isProof, effects },
  "dice-adjusted/1": { hand: isText, means: isText, dice: listOf(tuple(isText, isFace)) },
  "choice-made/1": { character: isText, choice: isText, option: isText },
  "roll-resolved/1": { outcome: isObject, effects },
  "damage-applied/1": { target: isText, damage: isObject, effects },
  "roll-voided/1": VOIDED,
  "roll-voided/2": VOIDED,
  "roll-revealed/1": {},
  "roll-revealed/2": { entries: maybeNull(isInt) },
  "throw-confirmed/1": { throw: isInt },
  "declaration-vetoed/1": {},
  "declaration-replaced/1": { declared: isObject, effects },
  "flavour-named/1": { hand: isText, words: listOf(isText), tone: isText },
  "fate-decided/1": {
    character: isText,
    fate: oneOf("killed", "destroyed", "spared"),
    part: maybeNull(isText),
  },
  "roll-amended/1": AMENDED,
  "roll-amended/2": { ...AMENDED, needless: maybe(listOf(isInt), []) },
  "dispute-raised/1": {},
  "ruling-made/1": RULED,
  "ruling-made/2": { ...RULED, instead: maybeNull(isInt) },
};
const within = (fields, more) =>
  Object.entries(fields).map(([type, own]) => [type, { type: isText, by: isSeat, ...more, ...own }]);
const OLDER = [
  ...["table-opened/1", "table-opened/2", "seat-taken/1", "roll-declared/1", "roll-voided/1"],
  ...["roll-amended/1", "ruling-made/1", "roll-revealed/1"],
];
const GONE = [
  ...["nonce-committed/1", "witness-given/1", "seats-passed-over/1", "nonce-withheld/1"],
  "witnessing-set/1",
];
const EVENTS = new Map([...within(TABLE, {}), ...within(ROLL, { roll: isInt })]);
function misfit(value, fields) {
  for (const name of Object.keys(value)) {
    if (!Object.hasOwn(fields, name)) return `${name} is no field of it`;
  }
  for (const [name, is] of Object.entries(fields)) {
    if (!(name in value)) {
      if (!is.optional) return `${name} is missing`;
    } else if (!is(value[name])) {
      return `${name} is not of its form`;
    }
  }
  return null;
}
const isSeen = tuple(isInt, isText);
const ASKED = { request: isText, body: isText, seen: maybeNull(isSeen), sig: maybeNull(isText) };
const PAYLOAD = { asked: maybe(isObject, null), event: isObject };
const INSIDE = {
  proof: (proof) => untidy(proof, PROOF),
  effects: (list) => (list.some((each) => each[3] === null) ? "an effect sets nothing" : null),
};
function untidy(value, fields) {
  const names = Object.keys(fields).filter((name) => name in value);
  if (Object.keys(value).some((name, at) => name !== names[at])) return "another order of fields";
  for (const name of names) {
    const { optional, usual } = fields[name];
    if (optional && equal(value[name], usual)) return `${name} has its usual value`;
    const inside = value[name] === null ? null : (INSIDE[name]?.(value[name]) ?? null);
    if (inside !== null) return inside;
  }
  return null;
}
const FRACTION = /[0-9][.eE]/;
function readPayload(payload) {
  if (FRACTION.test(payload)) formed(parseHalves(payload, 0));
  const { value, odd } = readJson(payload);
  return { ...formed(value), odd: odd || tidied(value) };
}
function tidied(payload) {
  const { asked, event } = payload;
  const wrong = untidy(payload, PAYLOAD) ?? (asked ? untidy(asked, ASKED) : null);
  return wrong ?? untidy(event, EVENTS.get(event.type)) ?? "";
}
function formed(found) {
  if (!isObject(found)) throw new Error("a payload that is no object");
  const wrong = misfit(found, PAYLOAD);
  if (wrong !== null) throw new Error(`not a payload: ${wrong}`);
  const asked = found.asked ?? null;
  const strange = asked && misfit(asked, ASKED);
  if (strange) throw new Error(`not what was asked: ${strange}`);
  return { asked, event: readEvent(found.event) };
}
function readEvent(event) {
  const fields = isText(event.type) ? EVENTS.get(event.type) : undefined;
  if (GONE.includes(event.type)) {
    throw new Error(`${event.type} is of an earlier version: shares took its place`);
  }
  if (fields === undefined) throw new Error(`no event is known as ${JSON.stringify(event.type)}`);
  const wrong = misfit(event, fields);
  if (wrong !== null) throw new Error(`not ${event.type}: ${wrong}`);
  let { type } = event;
  while (OLDER.includes(type)) {
    const [name, version] = type.split("/");
    type = `${name}/${Number(version) + 1}`;
  }
  return type === event.type ? event : { ...event, type, was: event.type };
}
return { EVENTS, misfit, readPayload };
})();
const $systems = (() => {
const SYSTEMS = {
  "milhamah": {"version": 1, "faces": {"location": ["א", "ב", "ג", "ד", "ה", "ו", "ז", "ח", "ט", "י", "כ", "ל", "מ", "נ", "ס", "ע", "פ", "צ", "ק", "ר", "ש", "ת", "*", "*"], "red-a": ["א", "ת", "ב", "ש", "ג", "ר", "ד", "ק", "ה", "צ", "ו", "*"], "red-b": ["ז", "ע", "ח", "ס", "ט", "נ", "י", "מ", "כ", "ל", "פ", "*"], "blue-a": ["א", "ל", "ב", "מ", "ג", "נ", "ד", "ס", "ה", "ע", "ו", "*"], "blue-b": ["ז", "צ", "ח", "ק", "ט", "ר", "י", "ש", "כ", "ת", "פ", "*"], "green-a": ["א", "כ", "ב", "י", "ג", "ט", "ד", "ח", "ה", "ז", "ו", "*"], "green-b": ["ל", "ת", "מ", "ש", "נ", "ר", "ס", "ק", "ע", "צ", "פ", "*"]}, "numbered": [], "readings": [{"name": "location_die", "usual": "wilds", "others": [{"value": "letters", "faces": {"location": ["א", "ב", "ג", "ד", "ה", "ו", "ז", "ח", "ט", "י", "כ", "ל", "מ", "נ", "ס", "ע", "פ", "צ", "ק", "ר", "ש", "ת"]}}]}], "own": "faces"},
  "sagatafl": {"version": 1, "faces": {"d12": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]}, "numbered": [], "readings": [], "own": null},
  "majesty": {"version": 1, "faces": {"d12": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]}, "numbered": [], "readings": [], "own": null},
  "scarterra": {"version": 1, "faces": {"d10": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}, "numbered": [], "readings": [], "own": null},
  "age_of_magic": {"version": 1, "faces": {"d6": [1, 2, 3, 4, 5, 6]}, "numbered": [], "readings": [], "own": null},
  "plain": {"version": 1, "faces": {"d%": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100], "dF": [-1, 0, 1]}, "numbered": [[2, 1000]], "readings": [], "own": null},
};
return { SYSTEMS };
})();
const $throw = (() => {
const { fromHex, hexOf, utf8 } = $bytes;
const { hkdf, sha256 } = $sha256;
const ATTEMPTS = 128;
const DRAWS = 2 ** 48;
const NO_LEAF = "0".repeat(64);
const throwId = (table, roll, number) => `${table}/${roll}/${number}`;
const hashed = (...lines) => hexOf(sha256(utf8(lines.map((line) => `${line}\n`).join(""))));
const commitment = (id, seed) => hashed("urim/1 seed", id, seed);
const nonceCommitment = (id, nonce) => hashed("urim/1 nonce", id, nonce);
const CHAIN = 1000;
const linkBefore = (table, seat, link) => hashed("urim/1 share", table, seat, link);
const fixtureSeed = (text, id) => hashed("urim/1 fixture", text, id);
const fixtureSalt = (text, table, seq) => hashed("urim/1 fixture salt", text, table, seq);
function transcript(id, committed, leaf, roller, nonce, witnesses) {
  const given = [...witnesses].sort(([one], [other]) => (one < other ? -1 : 1));
  const lines = [
    "urim/1 throw",
    `throw ${id}`,
    `committed ${committed} ${leaf}`,
    `roller ${roller} ${nonce ?? "-"}`,
    ...given.map(([seat, q]) => `witness ${seat} ${q}`),
  ];
  return lines.map((line) => `${line}\n`).join("");
}
function dice(seed, text) {
  const expand = hkdf(fromHex(seed), sha256(utf8(text)));
  return (j, faces) => {
    if (!(faces >= 1 && faces <= DRAWS)) return null;
    const fair = DRAWS - (DRAWS % faces);
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const drawn = expand(utf8(`urim/1 die\n${j}\n${attempt}\n`), 6);
      const value = drawn.reduce((sum, byte) => sum * 256 + byte, 0);
      if (value < fair) return [value % faces, attempt];
    }
    return null;
  };
}
return { DRAWS, NO_LEAF, throwId, commitment, nonceCommitment, CHAIN, linkBefore, fixtureSeed, fixtureSalt, transcript, dice };
})();
const $faces = (() => {
const { SYSTEMS } = $systems;
const { DRAWS } = $throw;
const COUNTED = 5;
const NUMBERED = /^d[1-9][0-9]{0,14}$/;
function sidesOf(facts, kind, { listed = facts.listed } = {}) {
  const known = listed ?? facts.faces;
  if (known === null) return null;
  if (Object.hasOwn(known, kind)) return { count: known[kind].length, at: (n) => known[kind][n] };
  const count = listed !== null && NUMBERED.test(kind) ? Number(kind.slice(1)) : 0;
  return { count: count <= DRAWS ? count : 0, at: (n) => n + 1 };
}
const unknown = (facesWhy, rulesWhy = "") => ({ faces: null, facesWhy, rulesWhy });
function numbered(runs) {
  const faces = {};
  for (const [least, most] of runs) {
    for (let sides = least; sides <= most; sides += 1) {
      faces[`d${sides}`] = Array.from({ length: sides }, (_, at) => at + 1);
    }
  }
  return faces;
}
function facesOf(system, version, options) {
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
return { COUNTED, sidesOf, facesOf };
})();
const $merkle = (() => {
const { joined, same } = $bytes;
const { sha256 } = $sha256;
const NODE = Uint8Array.of(1);
const nodeOf = (left, right) => sha256(joined(NODE, left, right));
const EMPTY_ROOT = sha256(new Uint8Array(0));
class Tree {
  size = 0;
  peaks = [];
  append(leaf) {
    let peak = leaf;
    for (let rest = this.size; rest % 2 === 1; rest = (rest - 1) / 2) {
      peak = nodeOf(this.peaks.pop(), peak);
    }
    this.peaks.push(peak);
    this.size++;
  }
  root() {
    if (this.peaks.length === 0) return EMPTY_ROOT;
    return this.peaks.reduceRight((right, left) => nodeOf(left, right));
  }
}
class Roots {
  #levels = [[]];
  constructor(leafAt) {
    this.leafAt = leafAt;
  }
  at(size) {
    const [leaves] = this.#levels;
    while (leaves.length < size) {
      const leaf = this.leafAt(leaves.length);
      if (leaf === null) return null;
      this.#append(leaf);
    }
    const peaks = [];
    for (let height = this.#levels.length - 1, from = 0; height >= 0; height--) {
      const width = 2 ** height;
      if (from + width > size) continue;
      peaks.push(this.#levels[height][from / width]);
      from += width;
    }
    return peaks.length ? peaks.reduceRight((right, left) => nodeOf(left, right)) : EMPTY_ROOT;
  }
  #append(leaf) {
    const levels = this.#levels;
    levels[0].push(leaf);
    for (let height = 0; levels[height].length % 2 === 0; height++) {
      const level = levels[height];
      if (levels.length === height + 1) levels.push([]);
      levels[height + 1].push(nodeOf(level.at(-2), level.at(-1)));
    }
  }
}
function rootOf(records) {
  const tree = new Tree();
  for (const { leaf } of records) tree.append(leaf);
  return tree.root();
}
function isIncluded(leaf, seq, size, proof, root) {
  if (!(seq >= 0 && seq < size)) return false;
  let [index, last, found] = [seq, size - 1, leaf];
  for (const step of proof) {
    if (last === 0) return false;
    if (index % 2 === 1 || index === last) {
      found = nodeOf(step, found);
      [index, last] = climbed(index, last);
    } else {
      found = nodeOf(found, step);
    }
    [index, last] = [Math.floor(index / 2), Math.floor(last / 2)];
  }
  return last === 0 && same(found, root);
}
function isConsistent(old, oldRoot, size, root, proof) {
  if (!(old >= 0 && old <= size)) return false;
  if (old === size) return proof.length === 0 && same(oldRoot, root);
  if (old === 0) return proof.length === 0 && same(oldRoot, EMPTY_ROOT);
  const steps = Number.isInteger(Math.log2(old)) ? [oldRoot, ...proof] : [...proof];
  if (steps.length === 0) return false;
  let [index, last] = [old - 1, size - 1];
  while (index % 2 === 1) [index, last] = [Math.floor(index / 2), Math.floor(last / 2)];
  let [before, after] = [steps[0], steps[0]];
  for (const step of steps.slice(1)) {
    if (last === 0) return false;
    if (index % 2 === 1 || index === last) {
      [before, after] = [nodeOf(step, before), nodeOf(step, after)];
      [index, last] = climbed(index, last);
    } else {
      after = nodeOf(after, step);
    }
    [index, last] = [Math.floor(index / 2), Math.floor(last / 2)];
  }
  return last === 0 && same(before, oldRoot) && same(after, root);
}
function climbed(index, last) {
  while (index > 0 && index % 2 === 0) [index, last] = [index / 2, Math.floor(last / 2)];
  return [index, last];
}
return { nodeOf, EMPTY_ROOT, Tree, Roots, rootOf, isIncluded, isConsistent };
})();
const $people = (() => {
const { isHidden, isText } = $commits;
const PAYLOADS = 5;
const RULINGS = 14;
const HIDDEN = 15;
const DECISIONS = {
  "dispute-raised/1": () => "disputed it",
  "ruling-made/2": (event) => `ruled "${event.ruling}" on the dispute of entry ${event.dispute}`,
  "roll-amended/2": (event) => `amended what ${event.character} had declared`,
  "declaration-vetoed/1": () => "vetoed the declaration",
  "declaration-replaced/1": () => "replaced the declaration",
};
const COUNTED = { "dispute-raised/1": "dispute", "ruling-made/2": "ruling" };
const DEEDS_SINCE = 3;
const DEEDS = {
  stands: [[], []],
  amend: [["roll-amended/2"], []],
  void: [["roll-voided/2"], []],
  replay: [["roll-voided/2"], ["roll-declared/2"]],
};
const DONE = {
  "roll-amended/2": "an amendment",
  "roll-voided/2": "a void",
  "roll-declared/2": "a declaration",
};
function undone({ roll, ruling, instead = null }, others, whole) {
  if ((instead !== null) !== (ruling === "replay")) {
    const wants = ruling === "replay" ? "its number" : "none";
    return ["a replay alone names the roll that comes instead", wants, instead];
  }
  for (const [at, number] of [roll, instead].entries()) {
    const kinds = DEEDS[ruling][at];
    const deeds = others.filter((each) => each.roll === number && each.type in DONE);
    const types = deeds.map(({ type }) => type);
    const same = types.length === kinds.length && types.every((type, i) => type === kinds[i]);
    if (!same && (whole || types.some((type) => !kinds.includes(type)))) {
      const why = `what was ruled, "${ruling}", is not what its commit does to roll ${number}`;
      return [why, worded(kinds), worded(types)];
    }
  }
  if (ruling !== "replay" && others.some(({ type }) => type === "roll-declared/2"))
    return ["only a replay declares a roll", "no declaration", "a declaration"];
  return null;
}
const worded = (types) => types.map((type) => DONE[type]).join(" and ") || "nothing";
class People {
  constructor(report) {
    this.report = report;
    this.decisions = [];
    this.commit = null;
    this.current = null;
    this.core = 0;
    this.erased = new Map();
    this.opened = new Set();
    this.withheld = new Map();
    this.hidden = 0;
  }
  take(entry, event) {
    const { seq, commit } = entry;
    if (isHidden(entry.class)) this.hidden++;
    if (entry.payload === undefined) this.withheld.set(seq, entry.class);
    else this.opened.add(seq);
    if (seq === 0 && event?.type === "table-opened/3") this.core = event.core;
    if (event?.type === "entry-erased/1") this.#erase(seq, event);
    const begins = commit !== this.commit;
    this.commit = commit;
    if (!begins) this.#goOn(entry, event);
    else if (!(event?.type in DECISIONS)) this.current = null;
    else this.decisions.push((this.current = { seq, event, others: [], whole: true }));
  }
  #goOn(entry, event) {
    const { current } = this;
    if (current === null) return;
    current.reason = isText(entry.class) ? (event?.text ?? null) : undefined;
    if (isText(entry.class)) return;
    if (event) current.others.push(event);
    else current.whole = false;
  }
  #erase(seq, { seq: gone }) {
    this.report.looked(PAYLOADS);
    if (gone >= seq || gone < 0) {
      this.report.fail(PAYLOADS, seq, "an erasure of no earlier entry", `below ${seq}`, gone);
    } else if (this.opened.has(gone)) {
      const [why, found] = [`erased by entry ${seq}, but still there`, "salt and payload"];
      this.report.fail(PAYLOADS, gone, why, "neither salt nor payload", found);
    } else if (this.withheld.has(gone) && !isText(this.withheld.get(gone))) {
      const why = `entry ${gone} is erased, which is no text`;
      this.report.fail(PAYLOADS, seq, why, "class text or hidden-text", this.withheld.get(gone));
    }
    this.erased.set(gone, seq);
  }
  end() {
    for (const [seq, kind] of this.withheld) {
      if (!isHidden(kind) && !this.erased.has(seq)) {
        const why = `an entry of class ${kind} is withheld, and no later one erased it`;
        this.report.fail(PAYLOADS, seq, why, "salt and payload", "neither");
      }
    }
    this.decisions.forEach((decision) => this.#judge(decision));
    const count = this.decisions.length;
    this.report.say(RULINGS, count ? `${count} decided, listed below` : "nobody decided anything");
    this.#countHidden();
  }
  #judge({ seq, event, reason, others, whole }) {
    this.report.looked(RULINGS);
    this.report.count(COUNTED[event.type] ?? "correction", seq);
    const ruled = event.type === "ruling-made/2" && this.core >= DEEDS_SINCE;
    const wrong = ruled ? undone(event, others, whole) : null;
    if (wrong) this.report.fail(RULINGS, seq, ...wrong);
    const text = `roll ${event.roll}: ${event.by} ${DECISIONS[event.type](event)}`;
    if (reason === undefined) this.report.finding(RULINGS, seq, `${text}, without a reason`, "no-reason");
    else if (reason === null) this.report.note(RULINGS, seq, `${text}; the reason is erased or hidden`);
    else this.report.note(RULINGS, seq, `${text}: ${reason}`);
  }
  #countHidden() {
    this.report.looked(HIDDEN, this.hidden);
    const undisclosed = ([seq, kind]) => isHidden(kind) && !this.erased.has(seq);
    const kept = [...this.withheld].filter(undisclosed).length;
    if (kept) this.report.sealed(HIDDEN, null, `${kept} hidden entries are not disclosed`);
    const summary = this.hidden ? `${this.hidden} hidden, ${kept} not disclosed` : "nothing was hidden";
    this.report.say(HIDDEN, summary);
  }
}
return { People };
})();
const $proofs = (() => {
const { isHash } = $bytes;
const { sidesOf } = $faces;
const { commitment, dice, fixtureSeed, NO_LEAF, throwId, transcript } = $throw;
const COMMITMENTS = 7;
const TRANSCRIPTS = 8;
const DICE = 9;
function checkSeed({ report }, roll, proof, id, seq) {
  const open = roll.outstanding;
  if (!isHash(proof.seed)) {
    report.looked(COMMITMENTS);
    report.fail(COMMITMENTS, seq, `${id} opens no seed`, "64 hex digits", proof.seed ?? "nothing");
  } else if (open === null) {
    report.sealed(COMMITMENTS, seq, `there is no commitment to compare the seed of ${id} with`);
  } else {
    report.looked(COMMITMENTS);
    const found = commitment(id, proof.seed);
    if (found !== open.commit) {
      report.fail(COMMITMENTS, seq, `another seed of ${id} was committed to`, open.commit, found);
    }
  }
}
function checkNonces({ report, facts, shares }, roll, event, ask, seq) {
  const id = throwId(facts.table, event.roll, event.proof.throw);
  const nonce = event.proof.nonce ?? null;
  const fail = (...why) => report.fail(TRANSCRIPTS, seq, ...why);
  if (ask !== null) {
    report.looked(TRANSCRIPTS);
    shares.levels.asked(ask);
    const own = ask.opened.get(ask.seat) ?? null;
    const why = `${id} has another nonce than its roller's share`;
    if (nonce !== own) fail(why, own ?? "none", nonce ?? "none");
    return;
  }
  if (roll.shadow) {
    report.sealed(TRANSCRIPTS, seq, `the level of ${id} is not disclosed`);
    return;
  }
  report.looked(TRANSCRIPTS);
  shares.levels.alone(event.by, roll);
  const due = shares.levels.due(event.by, roll);
  if (due === "server") {
    if (nonce !== null) fail(`${id} is of level server and has a nonce`, "none", nonce);
  } else if (!isHash(nonce)) {
    fail(`${id} is of level ${due} and has no nonce`, "64 hex digits", nonce ?? "none");
  }
  if (due !== "table") return;
  if (shares.levels.next(event.by, roll) === "table" && shares.whole) {
    fail(`${id} is of level table, and nobody is asked for a share`, "throw-asked/1 before", "none");
  } else {
    const why = `${id} was due at level table, and nobody else could be asked`;
    report.look(TRANSCRIPTS, "alone", seq, why);
  }
}
const witnesses = (ask) => (ask ? [...ask.opened].filter(([seat]) => seat !== ask.seat) : []);
const noncesOf = ({ nonce }, ask) => [
  ...(nonce === undefined || nonce === null ? [] : [nonce]),
  ...witnesses(ask).map(([, share]) => share),
];
function checkDice({ report, facts }, roll, event, id, seq, ask = null) {
  const proof = event.proof;
  const seeded = proof.source === "seeded";
  const seed = seeded ? fixtureSeed(facts.source.slice("seeded:".length), id) : proof.seed;
  const open = seeded ? { seq: 0, leaf: NO_LEAF } : roll.outstanding;
  if (open === null) return "not-checked"; // it answers nothing, and step 6 fails
  if (facts.listed === null && facts.faces === null) {
    report.unchecked(DICE, seq, facts.facesWhy);
    return "not-checked";
  }
  const missing =
    (!isHash(seed) && `${id} opens no seed`) ||
    (!noncesOf(proof, ask).every(isHash) && `a nonce or a share of ${id} is none`);
  if (missing) {
    report.sealed(DICE, seq, missing);
    return "not-checked";
  }
  if (seeded && proof.seed !== seed) {
    report.fail(DICE, seq, `the seed of ${id} does not follow from the table's`, seed, proof.seed);
  }
  const text = transcript(id, open.seq, open.leaf, event.by, proof.nonce ?? null, witnesses(ask));
  const draw = dice(seed, text);
  let right = true;
  event.dice.forEach(([die, kind, face], j) => {
    const { count, at } = sidesOf(facts, kind, roll);
    const drawn = draw(j, count);
    const expected = drawn === null ? "no die of this kind" : at(drawn[0]);
    report.looked(DICE);
    if (expected !== face) {
      right = false;
      const [wanted, fell] = [expected, face].map((each) => JSON.stringify(each));
      report.fail(DICE, seq, `die ${die} (${kind}) of ${id} does not follow`, wanted, fell);
    }
  });
  return right ? "pass" : "fail";
}
return { checkSeed, checkNonces, checkDice };
})();
const $levels = (() => {
const { COUNTED } = $faces;
const TRANSCRIPTS = 8;
const NAMED = 100;
const LEVELS = ["table", "player", "server"];
const noThrows = () => ({ throws: 0, narrators: 0, passed: 0, asked: 0, left: 0 });
class Levels {
  constructor(it, seats) {
    Object.assign(this, { it, seats });
    this.keptBack = new Set();
    this.counts = { ...Object.fromEntries(LEVELS.map((level) => [level, noThrows()])), other: 0 };
    this.lowered = new Map();
  }
  due(seat, roll, named = roll.level) {
    const { level, source, oneMachine, core } = this.it.facts;
    if (named !== null || source !== "fair" || oneMachine) return named ?? level;
    const early = this.seats.of(seat).role === "narrator" || this.it.mayHide(roll); // of version 0.2
    const watched = core >= COUNTED ? level !== "server" : early;
    return watched && this.seats.anchored(seat).length ? "table" : level;
  }
  next(seat, roll) {
    const due = this.due(seat, roll);
    const others = this.seats.anchored(seat).filter((id) => !this.keptBack.has(id));
    return due === "table" && !others.length ? "player" : due;
  }
  asked({ seat, asked, left }) {
    this.#count("table", seat, asked.size, left.length);
  }
  #count(level, seat, asked, left) {
    const count = this.counts[level];
    count.throws++;
    if (this.seats.of(seat).role === "narrator") count.narrators++;
    if (left) count.passed++;
    count.asked += asked;
    count.left += left;
  }
  alone(seat, roll) {
    const { lowered } = this;
    this.#count(this.due(seat, roll) === "server" ? "server" : "player", seat, 0, 0);
    const less = roll.level === "server" || roll.level === "player";
    if (!less || this.due(seat, roll, null) !== "table") return;
    const known = lowered.get(roll.number) ?? 0;
    if (known || lowered.size < NAMED) lowered.set(roll.number, known + 1);
  }
  end() {
    const { report } = this.it;
    for (const [roll, count] of this.lowered) {
      const why = `roll ${roll} names a level below table, which was due for ${count} of its throws`;
      report.look(TRANSCRIPTS, "lower-level", null, why);
    }
    const { table, player, server } = this.counts;
    const some = (count, words) => (count ? ` (${count} ${words})` : "");
    const said = [
      `${table.throws} at level table${some(table.passed, "without a seat that has an anchor")}`,
      `${player.throws} at level player${some(player.narrators, "by a narrator")}`,
      `${server.throws} at level server`,
    ];
    report.say(TRANSCRIPTS, said.filter((each) => !each.startsWith("0")).join(", "));
  }
}
return { Levels };
})();
const $shares = (() => {
const { isHidden, isText } = $commits;
const { Levels } = $levels;
const { throwId } = $throw;
const THROWS = 6;
const TRANSCRIPTS = 8;
const MEANWHILE = ["share-opened/1", "throw-broken/1", "noted/1", "epoch-begun/1"];
const DICE = ["dice-rolled/1", "dice-rerolled/1"];
const isPlan = (found) => found?.event?.type === "throw-planned/1";
class Shares {
  constructor(it, seats, whole) {
    Object.assign(this, { it, seats, whole });
    this.ask = null;
    this.levels = new Levels(it, seats);
    this.keyless = new Set();
    this.unread = null;
    this.last = null;
  }
  get report() {
    return this.it.report;
  }
  byKey(seat, seq) {
    if (this.seats.of(seat).key !== null || this.keyless.has(seat)) return;
    this.keyless.add(seat);
    const why = `seat ${seat} has no key: its anchor and shares are the host's word`;
    this.report.note(TRANSCRIPTS, seq, why);
    this.report.count("host-word", seq);
  }
  place(entry, event) {
    const { ask } = this;
    this.#planned(entry, event);
    if (ask !== null && ask.full !== null) this.#fell(entry, event);
    else if (ask !== null) this.#meanwhile(entry, event);
  }
  passed(entry, event) {
    if (event !== null && entry.class === "open") this.levels.keptBack.delete(event.by);
    this.last = { entry, event };
  }
  epoch() {
    Object.assign(this, { ask: null, unread: null });
    this.levels.keptBack.clear();
  }
  end() {
    this.levels.end();
    const { ask, unread, last } = this;
    if (isPlan(last)) this.#unasked(last.entry.seq);
    if (ask === null) return;
    if (ask.full !== null) {
      this.#notThrown();
      return;
    }
    const { disturbed } = ask;
    if (unread !== null) this.#stray(unread, "a hidden entry");
    ask.disturbed = disturbed;
    const why = `${ask.id} waits for shares to the end of the file`;
    this.report.look(THROWS, "left-open", ask.seq, why);
  }
  #planned({ commit }, event) {
    const { last } = this;
    if (!isPlan(last) || (event?.type === "throw-asked/1" && commit === last.entry.seq)) return;
    this.#unasked(last.entry.seq);
  }
  #unasked(seq) {
    const why = "a throw is planned, and nobody is asked for shares";
    this.report.fail(THROWS, seq, why, "throw-asked/1 right behind", "nothing");
  }
  #fell({ commit, class: kind, seq }, event) {
    const { ask } = this;
    const behind = commit === ask.full.commit;
    if (behind && DICE.includes(event?.type) && event.roll === ask.roll) return;
    if (behind && event === null && isHidden(kind)) this.#unseen(seq);
    else this.#notThrown();
    this.ask = null;
  }
  #notThrown() {
    const { ask } = this;
    const why = `every share of ${ask.id} is open, and it is not thrown in that commit`;
    this.report.fail(THROWS, ask.full.seq, why, "the dice behind the last share", "something else");
  }
  #meanwhile({ seq, commit, class: kind }, event) {
    const { unread } = this;
    this.unread = null;
    if (unread !== null && (commit !== unread || kind !== "hidden-text")) {
      this.#stray(unread, "a hidden entry");
    }
    if (isText(kind) && seq !== commit) return; // of a command that is checked where its commit begins
    if (event === null && isHidden(kind) && seq === commit) {
      this.unread = seq; // a note, if its text comes next
    } else if (DICE.includes(event?.type) && event.roll === this.ask.roll) {
    } else if (event === null || !MEANWHILE.includes(event.type)) {
      this.#stray(seq, event?.type ?? "an entry that is not disclosed");
    }
  }
  #stray(seq, found) {
    const { ask } = this;
    if (ask.disturbed) return;
    ask.disturbed = true;
    const why = `${ask.id} waits for shares, and something else comes between`;
    this.report.fail(THROWS, seq, why, "shares, notes, a break or an epoch", found);
  }
  #unseen(seq) {
    const { it, ask } = this;
    const roll = it.roll(ask.roll);
    this.levels.asked(ask);
    if (it.mayHide(roll)) {
      roll.gap ??= seq;
      Object.assign(roll, { outstanding: null, throws: ask.throw + 1 });
    } else {
      this.report.fail(THROWS, seq, `${ask.id} is hidden, and its roll is not`, "the dice", "nothing");
    }
  }
  waiting(event, seq, step) {
    const { ask } = this;
    const same = ask !== null && ask.roll === event.roll && ask.throw === event.throw;
    if (same && ask.full === null) return ask;
    const id = throwId(this.it.facts.table, event.roll, event.throw);
    const why = `${id} does not wait for shares`;
    this.report.fail(step, seq, why, "throw-asked/1 before, the throw behind", event.type);
    return null;
  }
  of({ roll }) {
    return this.ask?.roll === roll ? this.ask : null;
  }
  thrown(ask) {
    if (ask !== null) this.ask = null;
  }
}
return { isPlan, Shares };
})();
const $asks = (() => {
const { isHash } = $bytes;
const { isHidden } = $commits;
const { checkSeed } = $proofs;
const { isPlan } = $shares;
const { CHAIN, linkBefore, throwId } = $throw;
const THROWS = 6;
const COMMITMENTS = 7;
const TRANSCRIPTS = 8;
const TRANSITIONS = 10;
const ASKED = 100;
const BREAKING = 10_000;
const FALLS = { roll: "dice-rolled/1", reroll: "dice-rerolled/1" };
const ZEROS = "0".repeat(64);
function linkOf(table, seat, last) {
  let found = last;
  for (let at = 0; at < CHAIN; at++) found = linkBefore(table, seat, found);
  return found;
}
function mustBeOpen(it, event, { seq, class: kind }) {
  if (kind === "open") return;
  const why = `${event.type} is for everybody to see, of hidden rolls too`;
  it.report.fail(TRANSITIONS, seq, why, "class open", `class ${kind}`);
}
function anchored(it, { by: seat, anchor }, { seq }) {
  const { report, shares: { seats } } = it;
  report.looked(TRANSCRIPTS);
  const known = seats.seats.get(seat);
  const fail = (...why) => report.fail(TRANSCRIPTS, seq, ...why);
  if (known === undefined) return fail(`seat ${seat} anchors, and nobody ever took it`, "a seat", seat);
  if (!isHash(anchor)) return fail(`the anchor of seat ${seat} is none`, "64 hex digits", anchor);
  const { links } = known;
  if (links.size > 0) {
    let [back, old] = [anchor, links.has(anchor)];
    for (let at = 0; at < CHAIN && !old; at++) {
      back = linkBefore(it.facts.table, seat, back);
      old = links.has(back);
    }
    if (old) fail(`the anchor of seat ${seat} is of a chain that it had before`, "a new chain", anchor);
    if (known.anchor !== null && known.anchor.asks >= CHAIN) {
      const why = `seat ${seat} begins another chain: the one before answered all its asks`;
      report.note(TRANSCRIPTS, seq, why);
      report.count("renewed", seq);
    } else if (known.key === null) {
      report.look(TRANSCRIPTS, "anchored-again", seq, `seat ${seat} anchors once more`);
    }
  }
  if (anchor === linkOf(it.facts.table, seat, ZEROS)) {
    const why = `the chain of seat ${seat} ends with zeros: anybody knows its links`;
    report.look(TRANSCRIPTS, "weak-chain", seq, why);
  }
  links.add(anchor);
  known.anchor = { seq, link: anchor, at: 0, asks: 0 };
}
function asked(it, event, where) {
  const { shares, report, facts } = it;
  const roll = it.roll(event.roll);
  const { by: seat, throw: number, committed, asked: links } = event;
  const id = throwId(facts.table, event.roll, number);
  report.looked(TRANSCRIPTS);
  mustBeOpen(it, event, where);
  if (shares.ask !== null) {
    const why = `${id} asks while ${shares.ask.id} waits`;
    report.fail(THROWS, where.seq, why, "one ask at a time", id);
  }
  if (facts.oneMachine || !it.fair) {
    const why = "at this table no throw asks for shares";
    report.fail(TRANSCRIPTS, where.seq, why, "fair dice, several machines", facts.source);
  }
  const plan = planOf(it, event, where, id);
  answered(it, roll, event, where, id);
  const level = shares.levels.next(seat, roll);
  if (!roll.shadow && level !== "table") {
    report.fail(TRANSITIONS, where.seq, `${id} takes no shares`, "level table", `level ${level}`);
  }
  named(it, event, id, where.seq);
  shares.ask = {
    ...{ id, roll: event.roll, throw: number, seat, seq: where.seq, at: where.at, committed, plan },
    ...{ asked: new Map(links.slice(0, ASKED)), opened: new Map(), full: null, disturbed: false },
    left: event.left ?? [],
  };
}
function answered(it, roll, { throw: number, committed }, { seq, commit }, id) {
  const { report } = it;
  const open = roll.outstanding;
  const fail = (...why) => report.fail(THROWS, seq, ...why);
  const known = open?.number === number && open.seq === committed;
  if (known && open.seq >= commit) {
    const why = `the ask of ${id} answers a commitment of its own commit`;
    fail(why, `an entry before ${commit}`, `entry ${committed}`);
  } else if (known && open.epoch !== it.epochs) {
    const why = `the ask of ${id} answers a commitment from before the latest epoch`;
    fail(why, "a commitment of that epoch", `entry ${committed}`);
  } else if (!known && it.mayAnswer(roll, number, committed, seq)) {
    Object.assign(roll, { outstanding: null, throws: number });
  } else if (!known) {
    const expected = open ? `entry ${open.seq}, throw ${open.number}` : "none is outstanding";
    const why = `the ask of ${id} does not answer the outstanding commitment`;
    fail(why, expected, `entry ${committed}, throw ${number}`);
  }
}
function named(it, { by: seat, asked: links, left = [] }, id, seq) {
  const { seats } = it.shares;
  const fail = (...why) => it.report.fail(TRANSCRIPTS, seq, ...why);
  const names = links.map(([name]) => name);
  if (names.length > ASKED) {
    fail(`${id} asks too many seats`, `at most ${ASKED}`, names.length);
    return;
  }
  const ordered = names.every((name, at) => at === 0 || names[at - 1] < name);
  if (!ordered) fail(`${id} names seats twice or out of order`, "each once, by id", names.join(", "));
  if (!names.includes(seat)) fail(`${id} does not ask its roller`, seat, names.join(", ") || "nobody");
  if (!names.some((name) => name !== seat)) fail(`${id} asks its roller alone`, "another seat", seat);
  for (const [name, i] of links) counted(it, name, i, id, fail);
  const out = seats.anchored(null).filter((name) => !names.includes(name));
  if (out.join() !== left.join()) {
    const why = `${id} does not name the seats that it leaves out`;
    fail(why, out.join(", ") || "none", left.join(", ") || "none");
  }
}
function planOf(it, event, { seq, commit }, id) {
  const { last } = it.shares;
  const plan = isPlan(last) ? last.event : null;
  const second = last?.entry.seq === commit && seq === commit + 1;
  if (second && last.event === null && isHidden(last.entry.class)) return null;
  const same = plan !== null && ["by", "roll", "throw"].every((name) => plan[name] === event[name]);
  if (!same || !second) {
    const why = `${id} asks without a plan of its dice`;
    it.report.fail(THROWS, seq, why, "throw-planned/1 right before", plan ? "another" : "none");
  }
  return plan;
}
function counted(it, name, i, id, fail) {
  const { seats, whole } = it.shares;
  const { here, anchor } = seats.of(name);
  if (!here || anchor === null) {
    fail(`${id} asks seat ${name}, which has no anchor`, "a seat with an anchor", name);
    return;
  }
  anchor.asks++;
  const right = whole ? i === anchor.asks : i >= anchor.asks;
  if (!right) fail(`${id} does not ask seat ${name} for its next link`, anchor.asks, i);
  else if (i > CHAIN) fail(`${id} asks seat ${name} beyond its chain`, `at most ${CHAIN}`, i);
  anchor.asks = Math.max(anchor.asks, i);
}
function opened(it, event, where) {
  const { shares, report } = it;
  const { by: seat, share } = event;
  report.looked(TRANSCRIPTS);
  mustBeOpen(it, event, where);
  const ask = shares.waiting(event, where.seq, TRANSCRIPTS);
  if (ask === null) return;
  const i = ask.asked.get(seat);
  if (i === undefined || ask.opened.has(seat)) {
    const what = i === undefined ? "was not asked" : "opened a share before";
    const expected = [...ask.asked.keys()].filter((each) => !ask.opened.has(each)).join(", ");
    report.fail(TRANSCRIPTS, where.seq, `seat ${seat} ${what}, for ${ask.id}`, expected, seat);
    return;
  }
  follows(it, seat, share, i, where.seq);
  it.uses.take("share", share, `seat ${seat} in ${ask.id}`, where.seq);
  ask.opened.set(seat, share);
  if (ask.opened.size === ask.asked.size) ask.full = { seq: where.seq, commit: where.commit };
}
function follows(it, seat, share, i, seq) {
  const { anchor, links } = it.shares.seats.of(seat);
  if (anchor === null) return; // the ask failed
  const { link, at } = anchor;
  let found = share;
  const between = [share];
  for (let n = i; n > at && n <= CHAIN; n--) {
    found = linkBefore(it.facts.table, seat, found);
    between.push(found);
  }
  if (!isHash(share) || i <= at || i > CHAIN || found !== link) {
    const why = `the share of seat ${seat} is not link ${i} of its chain`;
    it.report.fail(TRANSCRIPTS, seq, why, `a link that leads to ${link}`, share);
    return;
  }
  for (const each of between) links.add(each);
  Object.assign(anchor, { link: share, at: i });
  it.shares.byKey(seat, anchor.seq);
}
function broken(it, event, where) {
  const { shares, report } = it;
  const { seq, at } = where;
  mustBeOpen(it, event, where);
  const ask = shares.waiting(event, seq, THROWS);
  if (ask === null) return;
  const fail = (...why) => report.fail(THROWS, seq, ...why);
  const kept = [...ask.asked.keys()].filter((seat) => !ask.opened.has(seat)).sort();
  if (at < ask.at + BREAKING) {
    fail(`${ask.id} is broken off too early`, `${BREAKING} ms after the ask`, `${at - ask.at} ms`);
  }
  if (kept.join() !== event.kept.join()) {
    fail(`${ask.id} names others as keeping back`, kept.join(", "), event.kept.join(", ") || "nobody");
  }
  const roll = it.roll(event.roll);
  it.uses.take("seed", event.seed, ask.id, seq);
  if (roll.outstanding === null && isHash(event.seed)) {
    const why = `the commitment to the seed of ${ask.id} is not disclosed`;
    report.hidden(COMMITMENTS, seq, why);
  } else {
    checkSeed(it, roll, event, ask.id, seq);
  }
  roll.throws = event.throw + 1;
  it.publish(roll, roll.throws, event.next, where);
  shares.ask = null;
  for (const seat of event.kept) shares.levels.keptBack.add(seat);
  const why = `${ask.id} was broken off: ${event.kept.join(", ")} kept back`;
  report.look(THROWS, "broken", seq, why);
}
function asPlanned({ report }, ask, event, seq) {
  const { id } = ask;
  const pairs = [
    ["the roller", ask.seat, event.by],
    ["the number", ask.throw, event.proof.throw],
    ["the commitment", ask.committed, event.proof.committed ?? null],
    ...(ask.plan ? inPlan(ask.plan, event) : []),
  ];
  for (const [what, expected, found] of pairs) {
    if (expected === found) continue;
    const why = `${what} of ${id} is not as planned`;
    report.fail(THROWS, seq, why, expected ?? "none", found ?? "none");
  }
  const missing = [...ask.asked.keys()].filter((seat) => !ask.opened.has(seat)).join(", ");
  if (missing) {
    report.fail(THROWS, seq, `${id} falls before every share is open`, "every share", `not of ${missing}`);
  }
}
function inPlan(plan, event) {
  const seen = new Set();
  const first = event.dice.filter(([die]) => !seen.has(die) && seen.add(die));
  const shown = (dice) => dice.map(([die, kind]) => `${die} ${kind}`).join(", ");
  return [
    ["what is thrown", FALLS[plan.trigger], event.type],
    ["the hand", plan.hand, event.hand],
    ["the option", plan.option ?? null, event.option ?? null],
    ["the list of dice", shown(plan.dice), shown(first)],
  ];
}
return { anchored, asked, opened, broken, asPlanned };
})();
const $uses = (() => {
const { isHash } = $bytes;
const REUSE = 12;
class Uses {
  constructor(report) {
    this.report = report;
    this.known = new Map();
  }
  take(what, value, id, seq) {
    if (!isHash(value)) return;
    this.report.looked(REUSE);
    const key = what === "seed" ? `seed ${value}` : value;
    const before = this.known.get(key);
    const why = `the ${what} of ${id} was used before`;
    if (before === undefined) {
      this.known.set(key, { first: `the ${what} of ${id}, entry ${seq}`, again: null });
    } else if (what === "seed") {
      this.report.fail(REUSE, seq, why, "a fresh one", before.first);
    } else {
      before.again = { seq, why: `${why}: ${before.first}` };
    }
  }
  end() {
    const again = [...this.known.values()].flatMap((use) => use.again ?? []);
    for (const { seq, why } of again.sort((one, other) => one.seq - other.seq)) {
      this.report.finding(REUSE, seq, why, "nonce");
    }
  }
}
return { Uses };
})();
const $voids = (() => {
const { isHash } = $bytes;
const { sidesOf } = $faces;
const { commitment, dice, throwId, transcript } = $throw;
const VOIDS = 13;
const SHOWN = 6;
const KINDS = 8;
function voided(it, event, { seq }) {
  const roll = it.roll(event.roll);
  if (!it.fair || (roll.outstanding === null && !it.mayHide(roll))) {
    it.report.note(VOIDS, seq, `roll ${event.roll} was voided, with nothing to open`);
    return;
  }
  if (roll.voided) return;
  it.report.looked(VOIDS);
  if (roll.outstanding === null) {
    it.report.sealed(VOIDS, seq, `what roll ${event.roll} had committed to is not disclosed`);
  } else {
    opened(it, event, roll, seq);
  }
  Object.assign(roll, { voided: true, outstanding: null });
}
function opened(it, event, roll, seq) {
  const open = roll.outstanding;
  const { number } = open;
  const id = throwId(it.facts.table, roll.number, number);
  it.uses.take("seed", event.seed, id, seq);
  const found = isHash(event.seed) ? commitment(id, event.seed) : "no seed";
  if (event.throw !== number || found !== open.commit) {
    const why = `the void does not open the seed of ${id}`;
    const expected = `throw ${number}, ${open.commit}`;
    it.report.fail(VOIDS, seq, why, expected, `throw ${event.throw ?? "none"}, ${found}`);
    return;
  }
  it.report.note(VOIDS, seq, wouldHaveCome(it, event, roll, id));
}
function wouldHaveCome({ facts, shares }, event, roll, id) {
  const { outstanding: open } = roll;
  if (shares.levels.due(roll.seat, roll) !== "server") {
    return `${id} will not be thrown; no nonce had been given, so its dice were not yet decided`;
  }
  const all = Object.keys(facts.faces ?? facts.listed ?? {});
  const known = all.filter((kind) => sidesOf(facts, kind, roll).count);
  if (!known.length) return `${id} is opened; its dice are not known: ${facts.facesWhy}`;
  const draw = dice(event.seed, transcript(id, open.seq, open.leaf, roll.seat, null, []));
  const kinds = known.slice(0, KINDS).map((kind) => {
    const { count, at } = sidesOf(facts, kind, roll);
    const shown = Array.from({ length: SHOWN }, (_, j) => at(draw(j, count)[0]));
    return `${kind} ${shown.join(" ")}`;
  });
  return `${id}, thrown by ${roll.seat}, would have come: ${kinds.join("; ")} …`;
}
return { voided };
})();
const $rolls = (() => {
const { anchored, asked, asPlanned, broken, opened } = $asks;
const { isHash } = $bytes;
const { checkDice, checkNonces, checkSeed } = $proofs;
const { Shares } = $shares;
const { throwId } = $throw;
const { Uses } = $uses;
const { voided } = $voids;
const THROWS = 6;
const REUSE = 12;
const HIDDEN = 15;
class Rolls {
  constructor(report, facts, seats, { whole, subject }) {
    this.report = report;
    this.facts = facts;
    this.shares = new Shares(this, seats, whole);
    this.subject = whole ? null : subject;
    this.rolls = new Map();
    this.uses = new Uses(report);
    this.epochs = 0;
    this.since = -1;
  }
  take(event, { seq, at, commit, class: kind }, leaf) {
    if (this.#isOther(event) && (seq !== commit || !CHANGES[event.type])) return;
    if (event.roll !== undefined && event.type !== "roll-declared/2" && !OPEN.has(event.type)) {
      if (!this.declared(event.roll)) {
        const why = `roll ${event.roll} was never declared`;
        this.report.fail(THROWS, seq, why, "roll-declared/2 before", event.type);
      }
    }
    const change = CHANGES[event.type];
    if (event.roll !== undefined && event.type !== "roll-declared/2") this.roll(event.roll).entries++;
    if (change) change(this, event, { seq, leaf, at, commit, class: kind });
  }
  #isOther({ roll, type }) {
    const { subject, rolls } = this;
    const known = roll === undefined || roll === subject || rolls.has(roll);
    return subject !== null && type !== "roll-declared/2" && !known;
  }
  end() {
    this.shares.end();
    this.uses.end();
    for (const roll of this.rolls.values()) {
      if (!roll.revealed) continue;
      if (roll.shadow) {
        const why = `roll ${roll.number} was revealed, but its declaration is not in the file`;
        this.report.finding(HIDDEN, roll.revealed, why, "not-shown");
      } else if (roll.gap !== null) {
        const why = `roll ${roll.number} was revealed, but not all of it is disclosed`;
        this.report.fail(THROWS, roll.gap, why, "every throw", "a gap before this entry");
      }
    }
  }
  get fair() {
    return this.facts.source === "fair";
  }
  declared(number) {
    return this.rolls.has(number) && !this.rolls.get(number).shadow;
  }
  roll(number) {
    if (!this.rolls.has(number)) {
      const shadow = newRoll({ roll: number, by: null, visibility: "gm" });
      this.rolls.set(number, { ...shadow, shadow: true });
    }
    return this.rolls.get(number);
  }
  mayHide(roll) {
    return roll.visibility !== "public" && roll.revealed === null;
  }
  reach(roll, number, seq) {
    if (number === roll.throws) return true;
    const why = `throw ${number} of roll ${roll.number} is not the next one`;
    this.report.fail(THROWS, seq, why, `throw ${roll.throws}`, `throw ${number}`);
    return false;
  }
  answers(roll, number, committed, { seq, commit }, what) {
    const inOrder = this.reach(roll, number, seq);
    const open = roll.outstanding;
    if (open?.seq === committed && open.seq >= commit) {
      const why = `${what} answers a commitment of its own commit`;
      this.report.fail(THROWS, seq, why, `an entry before ${commit}`, `entry ${committed}`);
    } else if (open?.seq === committed) {
      if (open.epoch === this.epochs) return inOrder;
      const why = `${what} answers a commitment from before the latest epoch`;
      this.report.fail(THROWS, seq, why, "a commitment of that epoch", `entry ${committed}`);
    } else {
      const why = `${what} does not answer the outstanding commitment`;
      const expected = open ? `entry ${open.seq}` : "none is outstanding";
      this.report.fail(THROWS, seq, why, expected, `entry ${committed ?? "none"}`);
    }
    return inOrder;
  }
  mayAnswer(roll, number, committed, seq) {
    const behind = number >= roll.throws && committed < seq - 1;
    const known = committed < this.since || this.facts.disclosed.has(committed);
    return behind && !known && this.mayHide(roll);
  }
  publish(roll, number, commit, { seq, leaf }) {
    roll.outstanding = null;
    if (isHash(commit)) {
      roll.outstanding = { number, commit, seq, leaf, epoch: this.epochs };
    } else {
      const why = `throw ${number} of roll ${roll.number} is not committed to`;
      this.report.fail(THROWS, seq, why, "64 hex digits", commit ?? "nothing");
    }
  }
}
const newRoll = ({ roll, by, visibility, level, follows }) => ({
  ...{ number: roll, seat: by, visibility, level: level ?? null, follows: follows ?? null },
  ...{ shadow: false, revealed: null, voided: false, gap: null },
  ...{ throws: 0, outstanding: null, entries: 0 },
});
function declared(it, event, where) {
  if (it.declared(event.roll)) {
    const why = `roll ${event.roll} is declared a second time`;
    it.report.fail(THROWS, where.seq, why, "a new number", event.roll);
  }
  const roll = { ...newRoll(event), entries: 1, listed: it.facts.listed };
  it.rolls.set(event.roll, roll);
  if (it.fair) {
    it.publish(roll, 0, event.commit, where);
  } else if (event.commit != null) {
    const why = `dice that are ${it.facts.source} are committed to`;
    it.report.fail(THROWS, where.seq, why, "nothing", event.commit);
  }
}
function epoch(it, event, where) {
  it.epochs++;
  it.since = where.seq;
  it.shares.epoch();
  const restored = `epoch ${event.epoch} begins: the host says that the log was restored`;
  it.report.look(THROWS, "epoch", where.seq, restored);
  if (event.epoch !== it.epochs) {
    it.report.fail(THROWS, where.seq, "epochs count from 1", it.epochs, event.epoch);
  }
  for (const [number, count, commit] of event.commits) {
    const roll = it.roll(number);
    const behind = roll.shadow || (it.mayHide(roll) && count >= roll.throws);
    if (!behind && roll.outstanding?.number !== count) {
      const why = `throw ${count} of roll ${number} is not outstanding`;
      it.report.fail(THROWS, where.seq, why, roll.outstanding?.number ?? "none", count);
    }
    it.publish(roll, count, commit, where);
    roll.throws = count;
  }
}
function thrown(it, event, where) {
  const roll = it.roll(event.roll);
  const proof = event.proof ?? null;
  if (proof === null) {
    unproved(it, event, roll, where.seq);
    return;
  }
  if (proof.source !== "fair") it.shares.levels.counts.other++;
  const failures = it.report.failures;
  const shown = listed(it, event, roll, where);
  if (proof.source !== it.facts.source.split(":")[0]) {
    const why = "the dice are of another source than the table's";
    it.report.fail(THROWS, where.seq, why, it.facts.source, proof.source);
  } else if (proof.source === "fair") {
    shown.verdict = fairly(it, event, roll, where);
  } else {
    if (it.reach(roll, proof.throw, where.seq)) roll.throws = proof.throw + 1;
    if (proof.source === "seeded") shown.verdict = fromFixture(it, event, roll, where);
  }
  if (it.report.failures > failures) shown.verdict = "fail";
}
function unproved(it, event, roll, seq) {
  if (event.dice.length === 0) return;
  const parent = roll.follows ? roll.follows[0] : "none";
  const taken = event.taken ?? "none";
  if (taken === "none") {
    it.report.fail(THROWS, seq, "dice were thrown without a proof", "a proof", "none");
  } else if (taken !== parent && !roll.shadow) {
    it.report.fail(THROWS, seq, "dice are taken from a roll not followed", parent, taken);
  }
}
function levelOf(it, event) {
  if (event.proof.source !== "fair") return null;
  return it.shares.of(event) ? "table" : (event.proof.nonce ?? null) === null ? "server" : "player";
}
function listed(it, event, roll, { seq, at }) {
  const { throw: number, source } = event.proof;
  const kind = event.type === "dice-rolled/1" ? "throw" : "reroll";
  const named = { roll: event.roll, throw: number, seq, at, by: event.by, hand: event.hand, kind };
  const shown = { ...named, source, level: levelOf(it, event), dice: event.dice };
  it.facts.throws.push(shown);
  return Object.assign(shown, { verdict: "not-applicable" });
}
function fairly(it, event, roll, where) {
  const proof = event.proof;
  const id = throwId(it.facts.table, event.roll, proof.throw);
  const { seq } = where;
  it.report.looked(THROWS);
  const inOrder = it.answers(roll, proof.throw, proof.committed, where, id);
  const ask = it.shares.of(event);
  checkSeed(it, roll, proof, id, seq);
  checkNonces(it, roll, event, ask, seq);
  const verdict = checkDice(it, roll, event, id, seq, ask);
  it.uses.take("seed", proof.seed, id, seq);
  if (isHash(proof.nonce) && /^(..)\1*$/.test(proof.nonce)) {
    it.report.finding(REUSE, seq, `the nonce of ${id} is one byte over and over`, "nonce");
  }
  if (ask === null) it.uses.take("nonce", proof.nonce, id, seq);
  else asPlanned(it, ask, event, seq);
  it.shares.thrown(ask);
  if (inOrder) roll.throws = proof.throw + 1;
  it.publish(roll, roll.throws, proof.next, where);
  return verdict;
}
function fromFixture(it, event, roll, { seq }) {
  const proof = event.proof;
  it.report.looked(THROWS);
  for (const name of ["committed", "nonce", "next"]) {
    if (proof[name] != null) {
      it.report.fail(THROWS, seq, `seeded dice take no ${name}`, "none", proof[name]);
    }
  }
  return checkDice(it, roll, event, throwId(it.facts.table, event.roll, proof.throw), seq);
}
function revealed(it, event, { seq }) {
  const roll = it.roll(event.roll);
  roll.revealed ??= seq;
  const known = roll.entries - 1; // without this one
  if (it.subject !== null || known >= (event.entries ?? 0)) return;
  const why = `roll ${roll.number} was revealed, and entries of it are kept back`;
  it.report.fail(HIDDEN, seq, why, `${event.entries} entries`, `${known} that can be read`);
}
const OPEN = new Set([
  ...["throw-asked/1", "share-opened/1", "throw-broken/1", "roll-revealed/2"],
]);
function reading({ facts }, event) {
  if (facts.listed !== null) facts.listed = { ...facts.listed, ...event.faces };
}
const CHANGES = {
  "reading-set/1": reading,
  "roll-declared/2": declared,
  "epoch-begun/1": epoch,
  "share-anchored/1": anchored,
  "throw-asked/1": asked,
  "share-opened/1": opened,
  "throw-broken/1": broken,
  "dice-rolled/1": thrown,
  "dice-rerolled/1": thrown,
  "roll-revealed/2": revealed,
  "roll-voided/2": voided,
};
return { Rolls };
})();
const $sha512 = (() => {
const BLOCK = 128;
const WORD = 2n ** 64n - 1n;
function fraction(number, power) {
  const scaled = BigInt(number) << BigInt(64 * power);
  let [low, high] = [0n, 1n << 72n];
  while (high - low > 1n) {
    const middle = (low + high) >> 1n;
    if (middle ** BigInt(power) <= scaled) low = middle;
    else high = middle;
  }
  return low & WORD;
}
function primes(count) {
  const found = [];
  for (let next = 2; found.length < count; next++) {
    if (found.every((prime) => next % prime)) found.push(next);
  }
  return found;
}
let made = null;
function constants() {
  if (made === null) {
    const first = primes(80);
    const rounds = first.map((prime) => fraction(prime, 3));
    made = { rounds, start: first.slice(0, 8).map((prime) => fraction(prime, 2)) };
  }
  return made;
}
const turned = (word, by) => ((word >> by) | (word << (64n - by))) & WORD;
function compress(state, block, rounds) {
  const words = block.slice();
  for (let t = 16; t < 80; t++) {
    const [w, x] = [words[t - 15], words[t - 2]];
    const s0 = turned(w, 1n) ^ turned(w, 8n) ^ (w >> 7n);
    const s1 = turned(x, 19n) ^ turned(x, 61n) ^ (x >> 6n);
    words[t] = (words[t - 16] + s0 + words[t - 7] + s1) & WORD;
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let t = 0; t < 80; t++) {
    const S1 = turned(e, 14n) ^ turned(e, 18n) ^ turned(e, 41n);
    const t1 = h + S1 + ((e & f) ^ (~e & WORD & g)) + rounds[t] + words[t];
    const S0 = turned(a, 28n) ^ turned(a, 34n) ^ turned(a, 39n);
    const t2 = S0 + ((a & b) ^ (a & c) ^ (b & c));
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) & WORD, c, b, a, (t1 + t2) & WORD];
  }
  return [a, b, c, d, e, f, g, h].map((word, at) => (state[at] + word) & WORD);
}
function sha512(bytes) {
  const { rounds, start } = constants();
  const whole = new Uint8Array(BLOCK * Math.ceil((bytes.length + 17) / BLOCK));
  whole.set(bytes);
  whole[bytes.length] = 0x80;
  const view = new DataView(whole.buffer);
  view.setBigUint64(whole.length - 8, 8n * BigInt(bytes.length));
  let state = start;
  for (let at = 0; at < whole.length; at += BLOCK) {
    const block = Array.from({ length: 16 }, (_, t) => view.getBigUint64(at + 8 * t));
    state = compress(state, block, rounds);
  }
  const hash = new Uint8Array(64);
  state.forEach((word, at) => new DataView(hash.buffer).setBigUint64(8 * at, word));
  return hash;
}
return { sha512 };
})();
const $ed25519 = (() => {
const { fromBase64, joined } = $bytes;
const { sha512 } = $sha512;
const P = 2n ** 255n - 19n;
const L = 2n ** 252n + 27742317777372353535851937790883648493n;
const mod = (value) => {
  const rest = value % P;
  return rest < 0n ? rest + P : rest;
};
function power(base, exponent) {
  let [found, square] = [1n, mod(base)];
  for (let left = exponent; left > 0n; left >>= 1n) {
    if (left & 1n) found = (found * square) % P;
    square = (square * square) % P;
  }
  return found;
}
const inverse = (value) => power(value, P - 2n);
const D = mod(-121665n * inverse(121666n));
const ROOT = power(2n, (P - 1n) / 4n);
function numberOf(bytes) {
  let found = 0n;
  for (let at = bytes.length - 1; at >= 0; at--) found = (found << 8n) | BigInt(bytes[at]);
  return found;
}
const yOf = (key) => numberOf(key) & (2n ** 255n - 1n);
const SMALL = new Set([
  ...[0n, 1n, P - 1n],
  2707385501144840649318225287225658788936804267575313519463743609750303402022n,
  55188659117513257062467267217118295137698188065244968500265048394206261417927n,
]);
function weakness(key) {
  const y = yOf(key);
  if (y >= P) return "its y is not below 2^255 - 19";
  return SMALL.has(y) ? "it is of small order" : null;
}
function keyOf(text) {
  const key = fromBase64(text);
  return key !== null && key.length === 32 && weakness(key) === null ? key : null;
}
const isBelowL = (signature) => numberOf(signature.subarray(32)) < L;
async function verifies(key, signature, message) {
  if (weakness(key) !== null || signature.length !== 64 || !isBelowL(signature)) return false;
  return (await byWebCrypto(key, signature, message)) || fits(key, signature, message);
}
async function byWebCrypto(key, signature, message) {
  const { subtle } = globalThis.crypto ?? {};
  if (!subtle) return false;
  try {
    const imported = await subtle.importKey("raw", key, "Ed25519", false, ["verify"]);
    return await subtle.verify("Ed25519", imported, signature, message);
  } catch {
    return false;
  }
}
const NEUTRAL = [0n, 1n, 1n, 0n];
function added([x1, y1, z1, t1], [x2, y2, z2, t2]) {
  const a = mod((y1 - x1) * (y2 - x2));
  const b = ((y1 + x1) * (y2 + x2)) % P;
  const c = (((2n * t1 * D) % P) * t2) % P;
  const d = (2n * z1 * z2) % P;
  const [e, f, g, h] = [b - a, d - c, d + c, b + a];
  return [mod(e * f), mod(g * h), mod(f * g), mod(e * h)];
}
function doubled([x, y, z]) {
  const a = (x * x) % P;
  const b = (y * y) % P;
  const h = a + b;
  const e = h - (x + y) * (x + y);
  const g = a - b;
  const f = 2n * z * z + g;
  return [mod(e * f), mod(g * h), mod(f * g), mod(e * h)];
}
const negative = ([x, y, z, t]) => [mod(-x), y, z, mod(-t)];
function pointOf(bytes) {
  const y = yOf(bytes);
  if (y >= P) return null;
  const square = (y * y) % P;
  const [u, v] = [mod(square - 1n), mod(D * square + 1n)];
  const cube = (v * v * v) % P;
  let x = (((u * cube) % P) * power(u * cube * v * v * v * v, (P - 5n) / 8n)) % P;
  const found = (v * x * x) % P;
  if (found === mod(-u)) x = (x * ROOT) % P;
  else if (found !== u) return null;
  const odd = BigInt(bytes[31] >> 7);
  if (x === 0n && odd) return null;
  if ((x & 1n) !== odd) x = P - x;
  return [x, y, 1n, (x * y) % P];
}
const BASE = [
  15112221349535400772501151409588531511454012693041857206046113283949847762202n,
  46316835694926478169428394003475163141307993866256225615783033603165251855960n,
  1n,
  46827403850823179245072216630277197565144205554125654976674165829533817101731n,
];
function sum(s, k, a) {
  const table = [null, BASE, a, added(BASE, a)];
  let found = NEUTRAL;
  for (let at = 252n; at >= 0n; at--) {
    found = doubled(found);
    const which = Number((s >> at) & 1n) + 2 * Number((k >> at) & 1n);
    if (which) found = added(found, table[which]);
  }
  return found;
}
function encoded([x, y, z]) {
  const by = inverse(z);
  let rest = ((y * by) % P) | ((((x * by) % P) & 1n) << 255n);
  return Uint8Array.from({ length: 32 }, () => {
    const byte = Number(rest & 255n);
    rest >>= 8n;
    return byte;
  });
}
function fits(key, signature, message) {
  const a = pointOf(key);
  if (a === null) return false;
  const r = signature.subarray(0, 32);
  const k = numberOf(sha512(joined(r, key, message))) % L;
  const found = encoded(sum(numberOf(signature.subarray(32)), k, negative(a)));
  return found.every((byte, at) => byte === r[at]);
}
return { weakness, keyOf, isBelowL, verifies, fits };
})();
const $seats = (() => {
const { fromBase64, hexOf, isHash, utf8 } = $bytes;
const { keyOf, verifies } = $ed25519;
const { EMPTY_ROOT } = $merkle;
const { sha256 } = $sha256;
const PARSE = 1;
const TRANSITIONS = 10;
const signedText = (origin, seat, { request, body, seen: [size, root] }) =>
  `urim/1 asked\n${origin}\n${seat}\n${request}\n${size} ${root}\n${hexOf(sha256(utf8(body)))}\n`;
class Seats {
  constructor(report, { roots, origin = () => null, seatKeys = {} }) {
    Object.assign(this, { report, roots, origin });
    this.trusted = new Map(Object.entries(seatKeys).map(([seat, key]) => [seat, new Set([key])]));
    this.begun = new Set();
    this.seats = new Map();
    this.seen = new Map();
    this.keyed = new Set();
    this.turns = new Map();
    this.unseeing = [];
    this.pending = [];
  }
  take(entry, { asked, event }, waits) {
    if (asked !== null && entry.seq === entry.commit) this.#asked(entry, asked, event, waits);
    const change = CHANGES[event.type];
    if (change) change(this, event, entry);
    if (inRoll(event)) this.#turn(event, entry.seq);
  }
  #turn({ roll, by }, seq) {
    const { by: last, seq: before, other } = this.turns.get(roll) ?? { by, other: -1 };
    this.turns.set(roll, { by, seq, other: last === by ? other : before });
  }
  #late(event, size) {
    const turn = inRoll(event) ? this.turns.get(event.roll) : undefined;
    return turn !== undefined && size <= (turn.by === event.by ? turn.other : turn.seq);
  }
  of(seat) {
    return this.seats.get(seat) ?? NOBODY;
  }
  anchored(seat) {
    const others = [...this.seats].filter(([id, { here, anchor }]) => id !== seat && here && anchor);
    return others.map(([id]) => id).sort();
  }
  #fail(seq, ...why) {
    this.report.fail(TRANSITIONS, seq, ...why);
  }
  #asked({ seq }, asked, event, waits) {
    const { by: seat } = event;
    const taken = event.type === "seat-taken/2" && event.seat === seat ? event.key : null;
    const key = this.of(seat).key ?? taken ?? null;
    const { sig = null, seen = null, request } = asked;
    this.#trust(seq, seat, key, taken);
    if (key === null) {
      if (sig === null && seen === null) return;
      this.#fail(seq, `seat ${seat} signs a command and has no key`, "no signature", sig ?? "seen");
      return;
    }
    if (event.type === "epoch-begun/1" && sig === null) return; // the host's, signed by nobody
    if (keyOf(key) !== null) this.keyed.add(seat);
    if (sig === null || seen === null) {
      const why = `a command of seat ${seat}, which has a key, is not signed`;
      this.#fail(seq, why, "sig and seen", sig === null ? "no sig" : "no seen");
      return;
    }
    if (request.startsWith("~")) {
      this.#fail(seq, `seat ${seat} signs a request without an id of its own`, "an id", request);
    }
    this.#head(seq, seat, seen);
    if (event.type === "share-opened/1" && waits !== null && seen[0] <= waits.seq) {
      const why = `seat ${seat} opened its share before it had seen the ask`;
      this.#fail(seq, why, `a head of ${waits.seq + 1} entries or more`, seen[0]);
    }
    this.#signature(seq, seat, keyOf(key), asked, this.#late(event, seen[0]));
  }
  #trust(seq, seat, key, taken) {
    const keys = this.trusted.get(seat);
    if (keys === undefined) return;
    if (keys.has(key)) {
      this.begun.add(seat);
      if (taken !== null && taken !== undefined) keys.add(taken);
    } else if (this.begun.has(seat)) {
      const why = `seat ${seat} asks without the key that was given for it`;
      this.#fail(seq, why, [...keys].join(" or "), key ?? "none");
    }
  }
  #head(seq, seat, [size, root]) {
    const before = this.seen.has(seat) ? Math.max(this.seen.get(seat), 1) : 0;
    const place = `a head that seat ${seat} had seen`;
    if (!(size >= 0 && size <= seq)) {
      this.#fail(seq, `${place} is beyond the command`, `at most ${seq} entries`, size);
      return;
    }
    if (size < before) {
      this.#fail(seq, `${place} is older than its last one`, `${before} entries or more`, size);
    }
    this.seen.set(seat, Math.max(size, before));
    const found = size === 0 ? EMPTY_ROOT : this.roots(size);
    if (!isHash(root)) {
      this.#fail(seq, `${place} is not of its form`, "64 hex digits", root.slice(0, 80));
    } else if (found === null) {
      this.report.unchecked(TRANSITIONS, seq, `${place} cannot be compared: entries are missing`);
    } else if (hexOf(found) !== root) {
      const why = `${place} is not of this log`;
      this.#fail(seq, why, hexOf(found), root);
    }
  }
  #signature(seq, seat, key, asked, late) {
    if (key === null) return; // failed where it was taken
    const signature = fromBase64(asked.sig);
    const why = `the signature of seat ${seat} does not fit what it asked`;
    if (signature === null || signature.length !== 64) {
      this.#fail(seq, why, "64 bytes in base64", asked.sig.slice(0, 80));
      return;
    }
    const check = async (origin) => {
      const message = utf8(signedText(origin, seat, asked));
      if (!(await verifies(key, signature, message))) {
        this.#fail(seq, why, "a signature by its key", asked.sig);
      } else if (late) {
        this.unseeing.push(seq);
      }
    };
    this.pending.push({ seq, check });
  }
  async settle(turn) {
    const origin = this.origin();
    if (origin === null) return;
    for (const { check } of this.pending.splice(0)) {
      await turn();
      await check(origin);
    }
  }
  end() {
    for (const seat of this.trusted.keys()) {
      const why = `seat ${seat} never asks with the key that was given for it`;
      if (!this.begun.has(seat)) this.#fail(null, why, "a command with it", "none");
    }
    const { length, 0: first } = this.unseeing;
    if (length) this.report.count("before-seen", first, length);
    if (this.origin() !== null) return;
    for (const { seq } of this.pending) {
      const why = "the signature of a seat cannot be checked: no head names the log's origin";
      this.report.unchecked(TRANSITIONS, seq, why);
    }
  }
}
const inRoll = ({ type, roll }) => roll !== undefined && type !== "share-opened/1";
const NOBODY = Object.freeze({ role: null, here: false, key: null, anchor: null, links: new Set() });
const newSeat = (role, links) => ({ role, here: true, key: null, anchor: null, links });
function opened(it, event) {
  it.seats.set(event.by, newSeat("narrator", new Set()));
}
function taken(it, event, { seq }) {
  const { seat, key = null } = event;
  if (key !== null && keyOf(key) === null) {
    const why = `seat ${seat} takes a key that nobody may have`;
    it.report.fail(PARSE, seq, why, "a good Ed25519 key of 32 bytes in base64", key.slice(0, 80));
  }
  const known = it.of(seat);
  const own = known.here && event.by === seat;
  if (key !== null && !own) {
    const why = "a key is taken for another seat";
    it.report.fail(TRANSITIONS, seq, why, `seat ${seat} itself`, `seat ${event.by}`);
  }
  if (known.key !== null && !(own && key !== null)) {
    it.report.look(TRANSITIONS, "key-reset", seq, `seat ${seat} had a key, and has none from here on`);
  }
  if (own) {
    known.key = key !== null && keyOf(key) === null ? null : key;
    return;
  }
  it.seats.set(seat, newSeat(event.role, new Set(known.links)));
  it.seen.delete(seat);
}
function left(it, { seat, by }, { seq }) {
  if (by !== seat) it.report.look(TRANSITIONS, "removed", seq, `seat ${seat} is removed by seat ${by}`);
  if (it.seats.has(seat)) Object.assign(it.seats.get(seat), { here: false, anchor: null });
}
function epoch(it) {
  for (const seat of it.seats.values()) seat.anchor = null;
}
const CHANGES = {
  "table-opened/3": opened,
  "seat-taken/2": taken,
  "seat-left/1": left,
  "epoch-begun/1": epoch,
};
return { signedText, Seats };
})();
const $fold = (() => {
const { fromHex, hexOf, utf8 } = $bytes;
const { Commits } = $commits;
const { digestOf, entryText, leafOf } = $entry;
const { readPayload } = $events;
const { COUNTED, facesOf } = $faces;
const { Roots } = $merkle;
const { People } = $people;
const { Rolls } = $rolls;
const { Seats } = $seats;
const [PARSE, SEQUENCE, PAYLOADS] = [1, 4, 5];
const ABOUT_THROWS = [6, 7, 8, 9, 12, 13];
function unsealed(entry) {
  const { seq, at, payload } = entry;
  const leaf = leafOf(entryText(seq, at, entry.class, entry.digest));
  if (payload === undefined) return { entry, leaf, digest: null, read: null, problem: null };
  const digest = hexOf(digestOf(fromHex(entry.salt), utf8(payload)));
  try {
    return { entry, leaf, digest, read: readPayload(payload), problem: null };
  } catch (error) {
    return { entry, leaf, digest, read: null, problem: error.message };
  }
}
class Leaves {
  places = new Map();
  bytes = new Uint8Array(32 * 1024);
  keep(seq, leaf) {
    const at = 32 * this.places.size;
    if (at === this.bytes.length) {
      const larger = new Uint8Array(2 * at);
      larger.set(this.bytes);
      this.bytes = larger;
    }
    this.bytes.set(leaf, at);
    this.places.set(seq, at);
  }
  of(seq) {
    const at = this.places.get(seq);
    return at === undefined ? null : this.bytes.slice(at, at + 32);
  }
}
class Fold {
  constructor(report, { whole = true, subject, size = Infinity, origin, seatKeys } = {}) {
    this.report = report;
    this.whole = whole;
    this.size = size;
    this.entries = 0;
    this.last = { seq: -1, at: 0 };
    this.opened = null;
    this.leaves = new Leaves();
    const faces = { listed: null, faces: null, facesWhy: "" };
    this.facts = { throws: [], disclosed: new Set(), source: null, ...faces };
    this.commits = new Commits(report);
    this.people = new People(report);
    const roots = new Roots((seq) => this.leaves.of(seq));
    const known = { roots: (some) => (whole ? roots.at(some) : null), origin, seatKeys };
    this.seats = new Seats(report, known);
    this.rolls = new Rolls(report, this.facts, this.seats, { whole, subject });
  }
  take(record) {
    const { entry, leaf, read } = record;
    const event = read && read.event;
    this.#placed(entry);
    this.leaves.keep(entry.seq, leaf);
    this.#fits(record);
    if (this.entries++ === 0) {
      this.#opening(event, entry.seq);
    } else if (event?.type === "table-opened/3") {
      const found = `entry ${entry.seq}`;
      this.report.fail(PARSE, entry.seq, "the table is opened again", "once, by entry 0", found);
    }
    this.commits.take(entry, read);
    this.people.take(entry, event);
    if (this.opened) this.#events(entry, read, hexOf(leaf));
    if (entry.payload !== undefined) this.facts.disclosed.add(entry.seq);
  }
  #events(entry, read, leaf) {
    const { shares } = this.rolls;
    const event = read && read.event;
    shares.place(entry, event);
    if (event !== null) {
      this.seats.take(entry, read, shares.ask);
      this.rolls.take(event, entry, leaf);
    }
    shares.passed(entry, event);
  }
  settle(turn = async () => {}) {
    return this.seats.settle(turn);
  }
  end() {
    this.commits.end();
    this.people.end();
    this.seats.end();
    this.rolls.end();
  }
  #placed({ seq, at }) {
    const { report, last, whole } = this;
    report.looked(SEQUENCE);
    if (whole ? seq !== this.entries : seq <= last.seq) {
      const expected = whole ? `entry ${this.entries}` : `an entry after ${last.seq}`;
      report.fail(SEQUENCE, seq, "the sequence has a gap or goes back", expected, `entry ${seq}`);
    }
    if (!whole && seq >= this.size) {
      report.fail(SEQUENCE, seq, "an entry beyond what was signed", `below ${this.size}`, seq);
    }
    if (at < last.at) report.fail(SEQUENCE, seq, "time goes back", `${last.at} or later`, at);
    this.last = { seq, at };
  }
  #fits({ entry, digest, problem }) {
    if (digest === null) return;
    const { report } = this;
    const { seq } = entry;
    report.looked(PAYLOADS);
    if (digest !== entry.digest) {
      const why = "the payload does not match its digest";
      report.fail(PAYLOADS, seq, why, entry.digest, digest);
    }
    report.looked(PARSE);
    if (problem === null) return;
    report.fail(PARSE, seq, "the payload cannot be read", "a known event", problem);
  }
  #opening(event, seq) {
    if (seq === 0 && event?.type === "table-opened/3") {
      this.opened = event;
      const { table, source, level, core, one_machine: oneMachine = false } = event;
      Object.assign(this.facts, { table, source, level, core, oneMachine });
      const { rulesWhy, ...known } = facesOf(event.ruleset, event.version, event.options);
      Object.assign(this.facts, known);
      if (event.core >= COUNTED) this.facts.listed = event.faces ?? {};
      this.commits.opens(event, this.facts.listed === null ? rulesWhy : "");
      return;
    }
    const found = event?.type ?? "no event";
    const why = "the first entry does not open the table";
    this.report.fail(PARSE, seq, why, "table-opened/3", found);
    for (const step of ABOUT_THROWS) {
      this.report.unchecked(step, null, "the table's opening is missing");
    }
  }
}
return { unsealed, Fold };
})();
const $note = (() => {
const { fromBase64, hexOf, joined, utf8 } = $bytes;
const { verifies, weakness } = $ed25519;
const { sha256 } = $sha256;
class BadNote extends Error {}
const NOTE_BYTES = 64 * 1024;
const SIGNATURES = 64;
const TYPE = 1; // Ed25519, in key ids and vkeys
const NAME = /^[^\s\u0085+\u0000-\u0020\u007f]+$/;
const SIZE = /^(?:0|[1-9][0-9]{0,18})$/;
const keyId = (name, key) => sha256(joined(utf8(`${name}\n`), Uint8Array.of(TYPE), key)).slice(0, 4);
function readKey(vkey) {
  const key = formed(vkey);
  const weak = weakness(key.bytes);
  if (weak !== null) throw new BadNote(`the key of ${key.name} cannot be used: ${weak}`);
  return key;
}
function formed(vkey) {
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
function readNote(note) {
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
async function checkSigned(checkpoint, keys) {
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
async function opened(note, keys) {
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
function splitNotes(text) {
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
return { BadNote, readKey, formed, readNote, checkSigned, opened, splitNotes };
})();
const $names = (() => {
const STEPS = [
  ...["parse", "signature", "tree", "sequence", "payloads", "throws", "commitments", "transcripts"],
  ...["dice", "transitions", "rules", "reuse", "voids", "rulings", "hidden", "fairness"],
];
return { STEPS };
})();
const $verdicts = (() => {
const { STEPS } = $names;
function verdict(step, seq, state, why, expected = null, found = null) {
  const made = { seq, what: STEPS[step - 1], state, why };
  if (expected !== null) Object.assign(made, { expected: String(expected) });
  if (found !== null) Object.assign(made, { found: String(found) });
  return made;
}
class Verdicts {
  failures = 0;
  seq = 0;
  kept = [];
  last = [];
  looks = [];
  #ending = false;
  ends(check) {
    const { failures } = this;
    this.last = [];
    this.#ending = true;
    check();
    this.#ending = false;
    this.failures = failures;
  }
  #say(...found) {
    (this.#ending ? this.last : this.kept).push(verdict(...found));
  }
  looked(step) {
    if (!this.#ending) this.looks[this.seq] = (this.looks[this.seq] ?? 0) | (1 << step);
  }
  fail(step, seq, why, expected, found) {
    this.failures++;
    this.#say(step, seq, "wrong", why, expected, found);
  }
  finding(step, seq, why) {
    this.#say(step, seq, "unchecked", why);
  }
  unchecked(step, seq, why) {
    this.#say(step, seq, "unchecked", why);
  }
  sealed(step, seq, why) {
    this.unchecked(step, seq, why);
  }
  hidden(step, seq, why) {
    this.note(step, seq, why);
  }
  look(step, _kind, seq, why) {
    this.note(step, seq, why);
  }
  note(step, seq, why) {
    this.#say(step, seq, "ok", why);
  }
  say() {}
  count() {}
  lookedAt(seq) {
    const bits = this.looks[seq] ?? 0;
    return STEPS.filter((_, at) => bits & (2 << at));
  }
}
return { verdict, Verdicts };
})();
const $heads = (() => {
const { hexOf, same } = $bytes;
const { opened, readKey } = $note;
const { verdict } = $verdicts;
const [SIGNATURE, TREE] = [2, 3];
const KEPT = 256;
const lastOf = (size) => (size ? size - 1 : null);
class Heads {
  newest = null;
  forks = [];
  wrong = [];
  unsigned = null;
  #known = new Map();
  #waiting = new Set();
  origin = "";
  #gone = [];
  least = 0;
  constructor(table, keys) {
    this.table = table;
    this.keys = keys.map(readKey);
  }
  get awaited() {
    return Math.max(0, ...this.#waiting);
  }
  waits(size) {
    return this.#waiting.has(size);
  }
  async read(note) {
    const { checkpoint, signer, wrong, unchecked } = await opened(String(note), this.keys);
    const why = wrong ?? this.#strange(checkpoint.origin);
    if (why !== null) {
      this.#wrong(SIGNATURE, `a signed head is not accepted: ${why}`, lastOf(checkpoint?.size));
      return null;
    }
    this.origin = checkpoint.origin;
    this.unsigned = unchecked;
    const { size, root } = checkpoint;
    return this.#first({ size, note, root, signed: signer !== null });
  }
  #strange(origin) {
    if (!origin.endsWith(`/t/${this.table}`)) return `it is of ${origin}, not of table ${this.table}`;
    return this.origin && origin !== this.origin ? `it is of ${origin}, not ${this.origin}` : null;
  }
  #first(head) {
    const known = this.#known.get(head.size);
    if (known === undefined) {
      if (this.#known.size >= KEPT) this.#forget();
      this.#known.set(head.size, head);
      return head;
    }
    if (!same(known.root, head.root)) {
      this.#fork(`two heads of ${head.size} entries have two roots`, [known, head], known.root, head.root);
    }
    return null;
  }
  #forget() {
    const [oldest] = this.#known.keys();
    this.#known.delete(oldest);
    this.#waiting.delete(oldest);
  }
  wait({ size }) {
    this.#waiting.add(size);
  }
  async left({ note, epochs }) {
    const { checkpoint, wrong } = await opened(note, this.keys);
    if (wrong === null) this.#gone.push({ ...checkpoint, signed: this.keys.length > 0, note, epochs });
  }
  hold(size, rootAt, epochs) {
    for (const old of this.#gone.filter((each) => each.size <= size)) {
      this.#gone.splice(this.#gone.indexOf(old), 1);
      const root = rootAt(old.size);
      if (same(root, old.root) || leaves(epochs, old)) continue;
      const why = `the log left the ${old.size} entries of before at no epoch of its own`;
      const covering = [...this.#known.values()].filter((head) => head.size >= old.size);
      const [first] = covering.sort((one, other) => one.size - other.size);
      this.#fork(why, first ? [old, first] : [old], old.root, root);
    }
  }
  grown(size, root) {
    const head = this.#known.get(size);
    this.#waiting.delete(size);
    if (head) this.fits(head, root);
  }
  fits(head, root) {
    const { newest } = this;
    if (!same(root, head.root)) {
      const why = `the first ${head.size} entries are not those that were signed`;
      this.#fork(why, newest ? [newest, head] : [head], head.root, root);
    } else if (newest === null || newest.size < head.size) {
      this.newest = head;
    }
  }
  ended(size) {
    if (size < this.least) {
      const why = `the log went back: it has ${size} entries, and had ${this.least}`;
      const beyond = [...this.#known.values()].filter((head) => head.size > size);
      this.#fork(why, beyond.slice(-1));
    }
    this.least = Math.max(this.least, size, this.awaited);
  }
  #fork(why, heads, expected, found) {
    const [one, other] = heads;
    const proved = one?.size === other?.size && other?.signed;
    const seq = lastOf((other ?? one)?.size);
    this.#wrong(TREE, why, seq, expected && hexOf(expected), found && hexOf(found));
    this.forks.push({ why, notes: heads.map(({ note }) => note), proved: Boolean(proved) });
  }
  #wrong(step, why, seq, expected, found) {
    if (this.wrong.length < KEPT) {
      this.wrong.push(verdict(step, seq, "wrong", why, expected, found));
    }
  }
}
function leaves(epochs, { size, epochs: its }) {
  const parted = epochs.findIndex(([seq, leaf], at) => its[at]?.[0] !== seq || its[at]?.[1] !== leaf);
  if (parted < 0) return false;
  const [own] = epochs[parted];
  const [other = Infinity] = its[parted] ?? [];
  return own < size && own <= other;
}
return { KEPT, Heads };
})();
const $seal = (() => {
const { STEPS } = $names;
const { verdict } = $verdicts;
const [SIGNATURE, TREE, RULES] = [2, 3, 11];
const QUIET = new Set(["throws", "rules", "voids", "rulings", "hidden"]);
function* differing(state, seqs) {
  const bySeq = new Map();
  for (const each of all(state)) {
    const before = bySeq.get(each.seq);
    if (before) before.push(each);
    else bySeq.set(each.seq, [each]);
  }
  const given = new Map([...bySeq].map(([seq, found]) => [seq, JSON.stringify(found)]));
  for (const seq of new Set([...given.keys(), ...state.given.keys()])) {
    if (given.get(seq) !== state.given.get(seq)) seqs.add(seq);
  }
  state.given = given;
  for (const seq of seqs) yield completed(state, seq, bySeq.get(seq) ?? []);
}
function all(state) {
  const { report, wrong, heads } = state;
  return [...wrong, ...heads.wrong, ...report.kept, ...report.last, ...open(state)];
}
function* open({ judged: size, heads }) {
  const { newest, awaited, unsigned } = heads;
  const unchecked = (step, why, at = null) =>
    verdict(step, at, "unchecked", why);
  if (unsigned !== null) yield unchecked(SIGNATURE, unsigned);
  if (newest === null) yield unchecked(TREE, "no signed head of these entries has come");
  else if (newest.size < size) {
    yield unchecked(TREE, `no signed head is of more than the first ${newest.size} entries`);
  }
  if (awaited > size) yield unchecked(TREE, `${awaited} entries were signed, and ${size} are here`);
  if (size) yield unchecked(RULES, "the rules of the game are not checked here: urim audit does");
}
function verdicts(state, seq) {
  return completed(state, seq, all(state).filter((each) => each.seq === seq));
}
function completed(
  { report },
  seq,
  found,
) {
  if (seq === null) return found;
  const named = new Set(found.map(({ what }) => what));
  const others = report.lookedAt(seq).filter((what) => !named.has(what));
  const ok = others.map((what) => ({ seq, what, state: "ok", why: "" }));
  return [...found, ...ok];
}
function seal(state) {
  const { report, judged: size, heads } = state;
  const found = all(state);
  const [wrong, unchecked] = ["wrong", "unchecked"].map((outcome) =>
    found.filter((each) => each.state === outcome),
  );
  const { newest, forks } = heads;
  const seen = report.looks.reduce((bits, more) => bits | more, 0);
  const looked = STEPS.filter((what, at) => seen & (2 << at) || (newest && at + 1 === TREE));
  if (newest?.signed) looked.push("signature");
  const grey = unchecked.some(({ what }) => !QUIET.has(what));
  return {
    state: wrong.length ? "red" : grey || !size ? "grey" : "green",
    ...{ size, wrong, unchecked, forks: [...forks] },
    head: newest && headOf(newest, state),
    parts: STEPS.flatMap((what) => part(what, [...wrong, ...unchecked, ...found], looked)),
  };
}
const headOf = ({ size, note, signed }, { epochs }) => ({
  ...{ size, note, signed },
  epochs: epochs.filter(([seq]) => seq < size),
});
function part(
  what,
  found,
  looked,
) {
  const worst = found.find((each) => each.what === what);
  if (worst && worst.state !== "ok") {
    return [{ what, state: worst.state, why: worst.why, entry: worst.seq }];
  }
  return worst || looked.includes(what) ? [{ what, state: "ok", why: "", entry: null }] : [];
}
const throws = (state) => [...(state.fold?.facts.throws ?? [])];
return { differing, verdicts, seal, throws };
})();
const $core = (() => {
const { hexOf, utf8 } = $bytes;
const { textHash } = $commits;
const { DISCLOSED, entryText, leafHex, SEALED } = $entry;
const { misfit } = $events;
const { Fold, unsealed } = $fold;
const { Heads } = $heads;
const { NotJson, parseJson } = $json;
const { rootOf, Tree } = $merkle;
const { differing, seal, throws, verdicts } = $seal;
const { sha256 } = $sha256;
const { commitment, nonceCommitment, throwId } = $throw;
const { Verdicts, verdict } = $verdicts;
const [PARSE, SEQUENCE, PAYLOADS] = [1, 4, 5];
const TURN = 12;
const rest = () => new Promise((resume) => setTimeout(resume, 0));
function begin({ table, key = null, heads = [], gone = [], pause = rest }) {
  const report = new Verdicts();
  const state = {
    ...{ table, heads: new Heads(table, key === null ? [] : [key].flat()), records: [], report },
    ...{ tree: new Tree(), fold: null, judged: 0, changed: new Set(), wrong: [], given: new Map() },
    epochs: [],
    ...{ pause, worked: 0, line: Promise.resolve() },
  };
  for (const note of heads) {
    inLine(state, async () => {
      await head(state, note);
      state.heads.least = Math.max(state.heads.least, state.heads.awaited);
    });
  }
  for (const each of gone) inLine(state, () => state.heads.left(each));
  return state;
}
function took(state, entries, changed = []) {
  return inLine(state, async (turn) => {
    for (const line of [...entries, ...changed]) {
      await turn();
      const entry = formed(state, line);
      if (entry !== null) take(state, entry);
    }
  });
}
function headed(state, note) {
  return inLine(state, () => head(state, note));
}
function ended(state, size) {
  return inLine(state, async () => {
    const { length } = state.records;
    state.heads.least = Math.max(state.heads.least, length);
    state.heads.ended(size);
    if (length < size) {
      const why = "a history ended before its last entry";
      state.wrong.push(verdict(SEQUENCE, length, "wrong", why, `${size} entries`, length));
    }
  });
}
async function inLine(
  state,
  work,
) {
  const before = state.line;
  const done = before.then(async () => {
    let from = performance.now();
    const turn = async () => {
      if (state.worked + performance.now() - from < TURN) return;
      await state.pause();
      [state.worked, from] = [0, performance.now()];
    };
    const found = await work(turn);
    state.worked += performance.now() - from;
    return found;
  });
  state.line = done.catch(() => {});
  return done;
}
function formed(state, line) {
  let [entry, wrong] = [line, ""];
  try {
    if (typeof line === "string") entry = parseJson(line, 1);
    const { salt = null, payload = null, ...sealed } = Object(entry);
    const whole = salt !== null || payload !== null;
    entry = whole ? { ...sealed, salt, payload } : sealed;
    wrong = misfit(entry, whole ? DISCLOSED : SEALED) ?? "";
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    wrong = error.message;
  }
  if (!wrong) return entry;
  const seq = Number.isSafeInteger(entry?.seq) ? entry.seq : state.records.length;
  state.wrong.push(verdict(PARSE, seq, "wrong", `a line is no entry: ${wrong}`));
  return null;
}
function take(state, entry) {
  const { records, tree, heads } = state;
  const { seq } = entry;
  if (seq < records.length) {
    replace(state, entry);
  } else if (seq > records.length) {
    const why = "entries before this one did not come";
    state.wrong.push(verdict(SEQUENCE, seq, "wrong", why, `entry ${records.length}`, `entry ${seq}`));
  } else {
    const record = unsealed(entry);
    records.push(record);
    tree.append(record.leaf);
    if (record.read?.event.type === "epoch-begun/1") state.epochs.push([seq, hexOf(record.leaf)]);
    if (heads.waits(tree.size)) heads.grown(tree.size, tree.root());
  }
}
function replace(state, entry) {
  const { seq } = entry;
  const known = state.records[seq].entry;
  const both = known.payload !== undefined && entry.payload !== undefined;
  for (const name of [...Object.keys(SEALED), ...(both ? ["salt", "payload"] : [])]) {
    if (known[name] === entry[name]) continue;
    const why = `the entry came before with another ${name}`;
    state.wrong.push(verdict(PAYLOADS, seq, "wrong", why, known[name], entry[name]));
    return;
  }
  if (known.payload === entry.payload) return;
  state.records[seq] = unsealed(entry);
  if (seq < state.judged) state.changed.add(seq);
}
async function head(state, note) {
  const { heads, tree, records } = state;
  const found = await heads.read(note);
  if (found === null) return;
  const { size } = found;
  if (size > tree.size) heads.wait(found);
  else heads.fits(found, size === tree.size ? tree.root() : rootOf(records.slice(0, size)));
}
function judged(state) {
  return inLine(state, async (turn) => {
    const first = state.judged;
    const news = state.changed;
    const fold = state.fold === null || news.size ? newFold(state) : state.fold;
    const { report } = fold;
    while (fold.entries < state.records.length) {
      await turn();
      const record = state.records[fold.entries];
      report.seq = record.entry.seq;
      fold.take(record);
      if (fold.entries === 1) ofTable(state, fold);
    }
    await fold.settle(turn);
    report.ends(() => fold.end());
    const { heads, tree, records, epochs } = state;
    heads.hold(tree.size, (size) => rootOf(records.slice(0, size)), epochs);
    Object.assign(state, { fold, report, judged: fold.entries, changed: new Set() });
    for (let seq = first; seq < state.judged; seq++) news.add(seq);
    const given = [];
    for (const some of differing(state, news)) {
      await turn();
      given.push(...some);
    }
    return given;
  });
}
function newFold({ heads }) {
  const known = { origin: () => heads.origin || heads.keys[0]?.name || null };
  return new Fold(new Verdicts(), known);
}
function ofTable({ table }, { opened, report }) {
  if (opened === null || opened.table === table) return;
  report.fail(PARSE, 0, "the first entry opens another table", table, opened.table);
}
return { begin, took, headed, ended, judged, seal, throws, verdicts, commitment, nonceCommitment, textHash, throwId, entryText, hexOf, leafHex, sha256, utf8 };
})();
export const { begin, took, headed, ended, judged, seal, throws, verdicts, commitment, nonceCommitment, textHash, throwId, entryText, hexOf, leafHex, sha256, utf8 } = $core;
