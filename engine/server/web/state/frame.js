// @ts-check
// The page in a frame of another one, which hears how high it is and what came out, and may ask for rolls.
//
// Only pages of origins that the host of the server named are heard and told anything. What is hidden
// from anybody at the table is not told: the other page is nobody at the table.

import { effect } from "@preact/signals-core";

import { accounts, ask, session, sight } from "./app.js";

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
  const height = () => tell(/** @type {FrameHeight} */ ({ urim: "height", height: document.documentElement.scrollHeight }));
  const ended = () => (sight.value?.rolls ?? []).filter((each) => !each.hidden && each.outcome);
  function ready() {
    table = sight.value?.table ?? "";
    told = new Set(ended().map(({ roll }) => roll));
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
    const own = (sight.value?.characters ?? []).filter((each) => each.here && each.seat === session.value?.seat);
    const command = /** @type {Command} */ ({ do: "declare/1", character: character ?? own[0]?.id ?? "", declaration, visibility });
    const found = await ask(command);
    const why = found.type === "refused" ? found.why : found.type === "done" ? "" : found.type;
    const allowed = found.type === "refused" ? found.allowed ?? [] : [];
    tell(/** @type {FrameTaken} */ ({ urim: "taken", id, done: found.type === "done", why, allowed }));
  }

  addEventListener("message", (event) => {
    const message = event.data;
    if (event.source !== window.parent || !known.includes(event.origin) || typeof message !== "object") return;
    if (message?.urim === "hello") {
      around = event.origin;
      ready();
      height();
    }
    if (message?.urim === "roll" && around === event.origin) void roll(message);
  });
  new ResizeObserver(height).observe(document.body);
  effect(results);
}
