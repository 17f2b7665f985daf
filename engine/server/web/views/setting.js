// @ts-check
/** What a narrator set at the table, as the log has it. */

import { live } from "../state/app.js";

/** The newest value of a setting; null where none was set, or it was taken back. @param {string} name @returns {unknown} */
export function settingOf(name) {
  const set = live.value.log.findLast(({ event }) => event?.type === "table-set/1" && event.name === name)?.event;
  return set?.type === "table-set/1" ? set.value : null;
}
