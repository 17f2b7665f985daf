// Strict JSON: no key twice, no lone surrogate, numbers within bounds; every refusal says where.

/** Why a text is not the JSON that was asked for, and at which character, counted from 1. */
export class NotJson extends Error {
  constructor(why, at) {
    super(`${why} at character ${at}`);
    this.why = why;
    this.at = at;
  }
}

/** How deep arrays and objects may lie in each other. */
export const DEPTH = 64;

/** What a whole number with a fraction or an exponent is read as, to see where it stands. */
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
    /** What is first written in another way than the log's own; empty where nothing is. */
    this.odd = "";
  }

  /** Something is written in another way than there is for it, and says the same. */
  strange(what, at) {
    this.odd ||= `${what} at character ${at + 1}`;
  }

  refuse(why, at = this.at) {
    throw new NotJson(why, at + 1);
  }

  /** What a sticky pattern finds here, passed over. */
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

  /** Whether another item follows; false once the closing bracket is passed over. */
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

  /** Refuse a number that is written in another way than the one there is for it. */
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

/**
 * The value of a JSON text; objects have no prototype. Whole numbers must lie within 2^53 - 1 of
 * 0; down to level `whole` (an object's own values are level 1) there are no others. Throws NotJson.
 */
export function parseJson(text, whole) {
  return parsed(new Reader(text, whole));
}

/** As `parseJson`, but with HALF for 1.0 and 1e0: what takes no halves does not take these either. */
export function parseHalves(text, whole) {
  return parsed(new Reader(text, whole, false, true));
}

/** As `parseJson`: {value, odd}, `odd` what is not written as the log writes it, "" for nothing. */
export function readJson(text) {
  const reader = new Reader(text, 0);
  return { value: parsed(reader), odd: reader.odd };
}

/**
 * A command's body: one object, in which a number is written in one way alone. A whole one has no
 * fraction, no exponent and is not -0; any other, as 9.5, has no exponent. Throws NotJson.
 */
export function parseBody(text) {
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

/** How the log writes a number that has a fraction or an exponent: the shortest digits for it. */
function decimal(value) {
  const [digits, exponent] = value.toExponential().split("e").map((part) => part.replace("+", ""));
  if (value !== 0 && (exponent < -5 || exponent > 15)) return `${digits}e${exponent}`;
  const sign = Object.is(value, -0) ? "-" : "";
  return Number.isInteger(value) ? `${sign}${value}.0` : String(value);
}

/** Whether two JSON values are the same, whatever the order of their keys. */
export function equal(one, other) {
  if (one === null || typeof one !== "object") return one === other;
  if (other === null || typeof other !== "object") return false;
  const keys = Object.keys(one);
  return (
    Array.isArray(one) === Array.isArray(other) &&
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && equal(one[key], other[key]))
  );
}
