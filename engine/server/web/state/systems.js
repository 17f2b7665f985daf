// @ts-check
// The systems that the server has, for who opens a table.

import { ask } from "./api.js";

/**
 * Name, title and source of each.
 *
 * @returns {Promise<{name: string, title: string, source: string}[]>}
 */
export async function systems() {
  const answer = await ask("", "/systems");
  return answer.ok ? /** @type {any} */ (answer.body).systems : [];
}

/**
 * All of one, as `/systems/NAME` has it; null where it cannot be had.
 *
 * @param {string} name
 * @returns {Promise<Record<string, any>|null>}
 */
export async function systemNamed(name) {
  const answer = await ask("", `/systems/${encodeURIComponent(name)}`);
  return answer.ok ? /** @type {any} */ (answer.body) : null;
}
