// @ts-check
/** A body with what is worn and suffered on it, and the place that a hit falls on. */

import { sight } from "../state/app.js";
import { say } from "../words/index.js";
import { html } from "./html.js";
import { Foreign, Name, plain } from "./names.js";
import { BODY, HEIGHT, placeOf, PLACES, WIDTH, worn } from "./places.js";

/** @import { CharacterSight } from "../urim.d.ts" @import { Box } from "./places.js" */

const BEHIND = new Set(Object.keys(PLACES).filter((name) => PLACES[name].view === "behind"));

/**
 * @param {{character: CharacterSight, location?: string}} props  `location`: the place that is hit
 */
export function Body({ character, location = "" }) {
  const { placed, marks } = worn(character, sight.value?.tracks ?? {});
  const hit = placeOf(location);
  const unknown = location && !hit;
  const behind = BEHIND.has(hit) || placed.some(({ place }) => BEHIND.has(placeOf(place)));
  if (!location && !placed.length && !marks.length) return null;
  return html`
    <section class="body" aria-label=${say("body.of", { who: plain(character.name || character.id) })}>
      <div class="figures" aria-hidden="true">
        <${Figure} view="front" hit=${hit} placed=${placed} />
        ${behind && html`<${Figure} view="behind" hit=${hit} placed=${placed} />`}
      </div>
      <dl>
        ${location && html`<div class="hit"><dt>${say("body.hit")}</dt><dd><strong><${Foreign} text=${location} /></strong>${unknown && html` <small>${say("body.elsewhere")}</small>`}</dd></div>`}
        <div><dt>${say("body.who")}</dt><dd><${Name} text=${character.name || character.id} /></dd></div>
        ${placed.map(({ what, place, value }) => html`
          <div key=${`${what}:${place}`} class=${placeOf(place) === hit && (hit || place === location) ? "here" : ""}>
            <dt><${Foreign} text=${`${what}, ${place}`} /></dt><dd>${value}</dd></div>`)}
        ${marks.map(({ name, label, value, most }) => html`
          <div key=${name}><dt><${Foreign} text=${label} /></dt>
            <dd><span class="boxes" role="img" aria-label=${say("body.marks", { value, most })}>
              ${Array.from({ length: most }, (_, at) => html`<i key=${at} class=${at < value ? "full" : ""} />`)}</span></dd></div>`)}
      </dl>
    </section>`;
}

/** @param {{view: "front"|"behind", hit: string, placed: {place: string, value: number}[]}} props */
function Figure({ view, hit, placed }) {
  const at = (/** @type {string} */ name) => PLACES[name]?.view === view;
  return html`
    <svg viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} class=${`figure ${view}`} focusable="false">
      <g class="whole">${BODY.map((box, key) => html`<${Part} key=${key} box=${box} />`)}</g>
      ${placed.filter(({ place }) => at(placeOf(place))).map(({ place }) => html`
        <g class="worn" key=${place}>${PLACES[placeOf(place)].boxes.map((box, key) => html`<${Part} key=${key} box=${box} />`)}</g>`)}
      ${hit && at(hit) && html`
        <g class="struck">${PLACES[hit].boxes.map((box, key) => html`<${Part} key=${key} box=${box} />`)}</g>
        <${Mark} box=${PLACES[hit].boxes[0]} />`}
    </svg>`;
}

/** @param {{box: Box}} props */
function Part({ box: [x, y, width, height, rx] }) {
  return html`<rect x=${x} y=${y} width=${width} height=${height} rx=${rx} />`;
}

/** A ring and a cross: where it was hit, for who sees no colour. @param {{box: Box}} props */
function Mark({ box: [x, y, width, height] }) {
  const [cx, cy] = [x + width / 2, y + height / 2];
  return html`<g class="mark" transform=${`translate(${cx} ${cy})`}><circle r="8" /><path d="M-13 0H-4M4 0H13M0 -13V-4M0 4V13" /></g>`;
}
