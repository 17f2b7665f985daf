// Bytes as text and back: hex, base64 and UTF-8, each in its one form or not at all.

const encoder = new TextEncoder();
const DIGITS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** The UTF-8 bytes of a text without lone surrogates. */
export const utf8 = (text) => encoder.encode(text);

/** Bytes as lower-case hex. */
export function hexOf(bytes) {
  let text = "";
  for (const byte of bytes) text += DIGITS[byte];
  return text;
}

/** The bytes of an even number of hex digits; the caller has checked the form. */
export function fromHex(text) {
  const bytes = new Uint8Array(text.length / 2);
  for (let at = 0; at < bytes.length; at++) {
    bytes[at] = Number.parseInt(text.substr(2 * at, 2), 16);
  }
  return bytes;
}

/** Whether a value is 32 bytes as lower-case hex. */
export const isHash = (value) => typeof value === "string" && /^[0-9a-f]{64}$/.test(value);

/** Bytes as base64 (RFC 4648, section 4). */
export const base64Of = (bytes) => btoa(String.fromCharCode(...bytes));

/** The bytes of a text in the one canonical form of base64, or null. */
export function fromBase64(text) {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4) return null;
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return base64Of(bytes) === text ? bytes : null;
}

/** Whether two runs of bytes are the same. */
export function same(one, other) {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}

/** Several runs of bytes as one. */
export function joined(...parts) {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
