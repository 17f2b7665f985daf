// @ts-check
// Whether the page that is open is the server's: a server may be newer than a page that stayed open.

import { ask } from "./api.js";

/** The version of the server when the page was loaded; "" where the page does not say it. */
function ownVersion() {
  const found = globalThis.document?.querySelector('meta[name="urim-version"]');
  return found?.getAttribute("content") ?? "";
}

/**
 * Whether the server has another version than the page; false where that cannot be known.
 *
 * @param {string} origin
 */
export async function isOld(origin) {
  const own = ownVersion();
  /** @type {import("./api.js").Answer<{version?: string}>} */
  const answer = await ask(origin, "/health");
  return Boolean(own && answer.ok && answer.body.version && answer.body.version !== own);
}
