// SHA-512 at once, for pages without WebCrypto (FIPS 180-4). The tests compare it with WebCrypto's.

const BLOCK = 128;
const WORD = 2n ** 64n - 1n;

/** The first 64 bits of the fraction of a number's square or cube root. */
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

/** Made when they are first asked for: most pages never do. */
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

/** SHA-512 of bytes: 64 bytes. */
export function sha512(bytes) {
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
