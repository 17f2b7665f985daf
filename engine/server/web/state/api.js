// @ts-check
// What is asked over HTTP. A refusal, or no answer at all, is a value: nothing here throws.

/** @import { Problem } from "../urim" */

/**
 * An answer: `body` where it is good, or the problem. Code `offline`: nobody answers; `unreadable`:
 * what answers is no server of Urim. `status` is 0 where nobody answers.
 *
 * @template T
 * @typedef {{ok: true, status: number, body: T, headers: Headers}
 *   | {ok: false, status: number, problem: Trouble}} Answer
 */

/** @typedef {Omit<Problem, "code"|"type"|"title"|"status"> & {code: string}} Trouble */

/** Milliseconds for one request. */
export const PATIENCE = 20_000;

/**
 * One request, and what came of it.
 *
 * @template T
 * @param {string} origin  as https://dice.example, or "" for the page's own
 * @param {string} path
 * @param {{token?: string|null, method?: string, body?: unknown, text?: boolean, patience?: number, over?: AbortSignal}} [how]
 *   with `text` the body is text, else JSON; nobody waits for the answer any more once `over` is
 * @returns {Promise<Answer<T>>}
 */
export async function ask(origin, path, { token, method, body, text = false, patience = PATIENCE, over } = {}) {
  /** @type {Record<string, string>} */
  const headers = {};
  if (token) headers.Authorization = `Bearer ${token}`;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let response;
  try {
    response = await fetch(origin + path, {
      method: method ?? (body === undefined ? "GET" : "POST"),
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.any([AbortSignal.timeout(patience), ...(over ? [over] : [])]),
      credentials: "omit",
      redirect: "error",
    });
    if (!response.ok) return { ok: false, status: response.status, problem: await problemOf(response) };
    const found = text ? await response.text() : await response.json();
    return { ok: true, status: response.status, body: found, headers: response.headers };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    if (error instanceof SyntaxError) return failed("unreadable", "the answer is not JSON", response?.status);
    return failed("offline", `no answer: ${why}`);
  }
}

/** @param {string} code @param {string} why @param {number} [status] @returns {{ok: false, status: number, problem: Trouble}} */
const failed = (code, why, status = 0) => ({ ok: false, status, problem: { code, why } });

/** @param {Response} response @returns {Promise<Trouble>} */
async function problemOf(response) {
  try {
    const found = await response.json();
    if (typeof found.code === "string" && typeof found.why === "string") return found;
  } catch {
    // What stands between here and the server answers in its own way.
  }
  return { code: "unreadable", why: `the server answers ${response.status}` };
}

/**
 * A path with parameters; those that are null or undefined are left out.
 *
 * @param {string} path
 * @param {Record<string, string|number|null|undefined>} parameters
 */
export function withParameters(path, parameters) {
  const given = Object.entries(parameters).filter(([, value]) => value != null);
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  return given.length ? `${path}?${query}` : path;
}
