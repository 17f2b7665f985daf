// @ts-check
// The page in a frame of another one, which hears how high it is and what came out, and may ask for rolls.
//
// Only pages of origins that the host of the server named are heard and told anything. What is hidden
// from anybody at the table is not told: the other page is nobody at the table.

import { effect } from "@preact/signals-core";

import { accounts, ask, session, sight } from "./app.js";
import { refusedBy } from "./requests.js";

/** @import { Command, FrameHeight, FrameReady, FrameResult, FrameRoll, FrameTaken, FromFrame } from "../urim" */

/** Hear the page around this one, once it says hello. */
export function begin() {
  const content = document.querySelector('meta[name="urim-frames"]')?.getAttribute("content") ?? "";
  const known = content.split(" ").filter(Boolean);
  /** The origin of the page that said hello. */
  let around = "";
  /** The table that it was told of, and the rolls there whose result was told, or came before. */
  let table = "";
  let told = new Set();

  /** @param {FromFrame} message */
  const tell = (message) => around && window.parent.postMessage(message, around);
  const height = () => tell(/** @type {FrameHeight} */ ({ urim: "height", height: document.body.offsetHeight }));
  const ended = () => (sight.value?.rolls ?? []).filter((each) => !each.hidden && each.outcome);
  function ready() {
    const now = sight.value?.table ?? "";
    if (now !== table) told = new Set(ended().map(({ roll }) => roll));
    table = now;
    tell(/** @type {FrameReady} */ ({ urim: "ready", table }));
  }
  function results() {
    const found = ended().map((each) => ({ ...each, headline: accounts.value.get(each.roll)?.outcome?.headline }));
    if (!around) return;
    if (table !== (sight.value?.table ?? "")) ready();
    for (const { roll, character, headline } of found.filter((each) => !told.has(each.roll))) {
      if (!headline) continue; // it is on its way
      told.add(roll);
      const name = sight.value?.characters.find(({ id }) => id === character)?.name ?? "";
      tell(/** @type {FrameResult} */ ({ urim: "result", table, roll, character, name, headline }));
    }
  }
  /** @param {FrameRoll} message */
  async function roll({ id, character, declaration, visibility = "public" }) {
    const own = (sight.value?.characters ?? []).filter((each) => each.here && each.seat === session.value?.seat).map((each) => each.id);
    const who = character ?? (own.length === 1 ? own[0] : undefined);
    const found = who === undefined ? refusedBy({ code: "malformed", why: `this seat acts for ${own.length} characters`, allowed: own }, null)
      : await ask(/** @type {Command} */ ({ do: "declare/1", character: who, declaration, visibility }));
    const { why = "", allowed = [] } = /** @type {{why?: string, allowed?: readonly string[]}} */ (found);
    tell(/** @type {FrameTaken} */ ({ urim: "taken", id, outcome: found.type, why, allowed }));
  }

  addEventListener("message", (event) => {
    const message = event.data;
    if (event.source !== window.parent || !known.includes(event.origin) || typeof message !== "object") return;
    if (message?.urim === "hello") {
      if (!around) table = ""; // what came out before the first hello is not told
      around = event.origin;
      ready();
      height();
    }
    if (message?.urim === "roll" && around === event.origin) void roll(message);
  });
  document.documentElement.classList.add("framed");
  new ResizeObserver(height).observe(document.body);
  effect(results);
}
