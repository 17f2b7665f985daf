// @ts-check
/** Time that runs out. */

import { useEffect, useState } from "preact/hooks";

import { say } from "../words/index.js";
import { html } from "./html.js";

const SECOND = 1000;

/**
 * Hours, minutes and seconds until a time, in milliseconds since 1970. It is read out once, when it begins.
 *
 * @param {{until: number}} props
 */
export function Countdown({ until }) {
  const [now, tick] = useState(Date.now());
  const left = Math.max(0, Math.ceil((until - now) / SECOND));
  useEffect(() => {
    if (left === 0) return undefined;
    const timer = setTimeout(() => tick(Date.now()), SECOND);
    return () => clearTimeout(timer);
  }, [now, left]);
  if (left === 0) return html`<span class="countdown over">${say("countdown.over")}</span>`;
  const [hours, minutes, seconds] = [Math.floor(left / 3600), Math.floor(left / 60) % 60, left % 60];
  const text = (hours ? [hours, minutes, seconds] : [minutes, seconds]).map((each, at) => String(each).padStart(at && 2, "0")).join(":");
  return html`<span class=${`countdown ${left <= 10 ? "soon" : ""}`} role="timer" aria-live="off">
    <span class="unseen">${say("countdown.left")} </span><bdi dir="ltr">${text}</bdi></span>`;
}
