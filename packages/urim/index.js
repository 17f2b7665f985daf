// @ts-check
// A seat at a table of Urim, without a page: what it is told is checked, and kept by who plays.

import { ask } from "./state/api.js";
import { exchange } from "./state/exchange.js";
import { keeper } from "./state/kept.js";
import { refusedBy } from "./state/requests.js";
import { Seat } from "./state/seat.js";
import { check } from "./verifier/urimcheck.js";

export { check, keeper, Seat };

/**
 * Sit down by an invitation. Where the answer is lost, the same link opens the same seat again. Throws
 * TypeError for what is no invitation to a seat, Error where there are no sockets; gives a refusal where
 * the server refuses.
 *
 * @param {string} link  HOST/#i=urim-i1-…
 * @param {import("./index.d.ts").How} [how]
 */
export async function join(link, { keeper: kept = keeper(), ...how } = {}) {
  hasSockets(); // before the link is spent
  const [, origin, secret] = LINK.exec(link) ?? [];
  if (!origin || !secret) throw new TypeError("this is no invitation: HOST/#i=urim-i1-…"); // without the secret in it
  const answer = await exchange(origin, secret, kept);
  if (!answer.ok) return refusedBy(answer.problem, null);
  const { token, grant, key } = answer.body;
  const { table, seat, role } = grant;
  if (table === null || seat === null) throw new TypeError("the link leads to no seat: a host has none");
  const found = { origin, table, seat, role, token, key };
  kept.keepSeat(found);
  return resume(found, { keeper: kept, ...how });
}

/**
 * Take up a seat that is kept (`keeper.seats()`), from where it was left. Throws Error where there are no
 * sockets.
 *
 * @param {import("./index.d.ts").KeptSeat} kept
 * @param {import("./index.d.ts").How & {keeper: import("./index.d.ts").Keeper}} how
 */
export async function resume(kept, how) {
  hasSockets();
  const seat = new Seat(kept, { origin: kept.origin, ...how });
  await seat.begin();
  return seat;
}

/** An invitation to a seat: a host, and a secret. */
const LINK = /^(https?:\/\/[^/#]+)\/?#i=(urim-i1-[\w-]{43})$/;

/** Throws where there are no sockets. */
function hasSockets() {
  if (!globalThis.WebSocket) throw new Error("there is no WebSocket: start a Node before 22 with --experimental-websocket");
}

/**
 * What the server says of the table in words: `/moves`, `/rolls/3/account`, `/awaiting`, as its
 * /openapi.json has them. Null where it says nothing now.
 *
 * @param {Seat} seat @param {string} path @returns {Promise<any>}
 */
export async function read(seat, path) {
  const { table, token } = seat.kept;
  const answer = await ask(seat.origin, `/tables/${table}${path}`, { token });
  return answer.ok ? answer.body : null;
}
