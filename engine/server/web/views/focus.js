// @ts-check
/** Where the focus goes, and what is brought on the screen, as rolls are declared and go on. */

import { signal } from "@preact/signals-core";
import { useEffect, useRef } from "preact/hooks";

import { live } from "../state/app.js";

/**
 * Where the focus goes when what had it is taken away: to the dice in hand, else to the heading. Never
 * to a button, which a key that is pressed twice would press. Gives whether somebody acts in this card.
 *
 * @param {{current: HTMLElement | null}} card
 */
export function useFocusKept(card) {
  const inside = useRef(false);
  useEffect(() => {
    const look = (/** @type {Event} */ event) => {
      inside.current = Boolean(card.current?.contains(/** @type {Node} */ (event.target)));
    };
    document.addEventListener("focusin", look);
    document.addEventListener("pointerdown", look);
    return () => {
      document.removeEventListener("focusin", look);
      document.removeEventListener("pointerdown", look);
    };
  }, []);
  useEffect(() => {
    if (!inside.current || document.activeElement !== document.body) return;
    const next = card.current?.querySelector('.take[tabindex="0"], h3');
    if (next instanceof HTMLElement) next.focus({ preventScroll: true });
  });
  return inside;
}

/**
 * The roll that somebody declared or acts in, or typed a line about, is on the screen when something new is
 * there: its dice, and above all how it ended.
 *
 * @param {number} number @param {{current: HTMLElement | null}} card @param {{current: boolean}} inside  @param {string} news
 */
export function useInSight(number, card, inside, news) {
  useEffect(() => {
    if (!(inside.current || wanted === number) || !card.current) return;
    const parts = [...card.current.querySelectorAll(".hand > .acts, .hand .dice, .outcome")].reverse();
    if (card.current.getBoundingClientRect().top > 0) parts.unshift(card.current);
    for (const each of parts) each.scrollIntoView({ block: "nearest" }); // the last one wins: what came out
  }, [news]);
}

/** The roll that a line was typed about last, where the focus stays in the line. @type {number | null} */
let wanted = null;

/** Bring a roll on the screen as it goes on. @param {number | null} roll */
export function shows(roll) {
  wanted = roll;
}

/** The roll that a command was about, once it was done. @param {any} outcome @returns {number | null} */
export function rollIn(outcome) {
  const line = live.value.log.find(({ seq }) => seq === outcome.seqs?.[0]);
  return line?.roll ?? null;
}

/** The roll that this page has just declared, until it is drawn. @type {import("@preact/signals-core").Signal<number | null>} */
export const declared = signal(null);

/** The focus shall go to a roll as soon as it is drawn. @param {number | null} roll */
export function expectRoll(roll) {
  declared.value = roll;
}

/** The heading of a roll that was just declared here takes the focus. @param {number} number @param {{current: HTMLElement | null}} card */
export function useFocusWhenNew(number, card) {
  useEffect(() => {
    if (declared.value !== number) return;
    declared.value = null;
    card.current?.querySelector("h3")?.focus({ preventScroll: true });
  }, []);
}
