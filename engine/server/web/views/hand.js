// @ts-check
/** A hand of dice: looked at, or taken up to freeze, throw again, raise and lower. */

import { useRef } from "preact/hooks";

import { ask, throwDice } from "../state/app.js";
import { say } from "../words/index.js";
import { adjusting, freezing, reachable, rerolling, spending, standing } from "./commands.js";
import { called, Face, faceText, numberOf, Old, statesOf } from "./die.js";
import { useDraft } from "./drafted.js";
import { useAhead } from "./form.js";
import { html } from "./html.js";
import { kindOf } from "./kinds.js";
import { Foreign, Name } from "./names.js";
import { Change } from "./outcome.js";
import { Answer, useAction } from "./parts.js";
import { useRoving } from "./roving.js";
import { characterName } from "./shown.js";
import { canType, Typing } from "./typed.js";

/**
 * @import { Die, HandSight, Labels, Offer, Want } from "../urim.d.ts"
 * @import { Laid } from "./die.js"
 * @typedef {{offer: Offer, label: Labels}} Offered
 * @typedef {Omit<HandSight, "dice"> & {dice: Laid[]}} Laying  a hand, as its dice lie
 * @typedef {{freeze?: Offered, reroll?: Offered, adjust: Offered[]}} Ways  what may be done with a hand
 * @typedef {{chosen: string[], to: Record<string, number|string>}} Choice
 */

/** @type {Choice} */
const NOTHING = { chosen: [], to: {} };

/**
 * @param {{number: number, hand: HandSight, ways: Ways, fresh: boolean}} props  `fresh`: its first
 *   throw was seen happen, so the dice fall
 */
export function Hand({ number, hand, ways, fresh }) {
  const free = ways.freeze || ways.reroll || ways.adjust.length > 0;
  return html`
    <section class="hand" aria-label=${say("hand.of", { hand: hand.label, who: characterName(hand.character) })}>
      <header>
        <h4><${Foreign} text=${hand.label} /></h4>
        <span class="who"><${Name} text=${characterName(hand.character)} /></span>
        ${hand.taken && html`<span class="tag">${say("hand.taken")}</span>`}
        <${Wants} wants=${hand.wants ?? []} />
      </header>
      ${free
        ? html`<${Handled} number=${number} hand=${hand} ways=${ways} fresh=${fresh} />`
        : html`<${Still} hand=${hand} fresh=${fresh} />`}
    </section>`;
}

/** Letters of a root stand as the root is read. */
const HEBREW = /[\u0590-\u05FF]/;

/** What the roll wants of the dice: each face, or the number to reach, and how many show it. @param {{wants: readonly Want[]}} props */
function Wants({ wants }) {
  if (!wants.length) return null;
  return html`
    <ul class="wants" dir=${wants.some(({ face }) => HEBREW.test(String(face))) ? "rtl" : undefined}>${wants.map(({ face, dice, least }) => html`
      <li key=${face} class=${dice.length ? "found" : ""}>
        <span class="unseen">${say(dice.length ? "hand.found" : "hand.wanted", { n: dice.length, what: least ? say("hand.least", { n: face }) : faceText(face) })}</span>
        <span aria-hidden="true"><bdi>${least ? say("hand.least", { n: face }) : faceText(face)}</bdi>${dice.length > 0 && html` <small>×${dice.length}</small>`}</span></li>`)}</ul>`;
}

/** The key of a die's picture: a new one falls. @param {Die} die */
const fall = (die) => `${die.id} ${die.thrown.length}`;

/** How often each die had been thrown when the hand was first drawn. @param {HandSight} hand @param {boolean} fresh */
function useFalling(hand, fresh) {
  const first = useRef(Object.fromEntries(hand.dice.map((die) => [die.id, fresh ? 0 : die.thrown.length])));
  return (/** @type {Die} */ die) => die.thrown.length > (first.current[die.id] ?? 0);
}

/** Dice that nobody here may touch now. @param {{hand: Laying, fresh: boolean}} props */
function Still({ hand, fresh }) {
  const fell = useFalling(hand, fresh);
  return html`
    <ul class="dice">
      ${hand.dice.map((die) => {
        const as = kindOf(die.kind);
        return html`
          <li class="held" key=${die.id} data-die=${die.id}>
            <${Old} die=${die} />
            <span role="img" aria-label=${called(die, as)}>
              <${Face} key=${fall(die)} kind=${die.kind} as=${as} face=${die.face} states=${statesOf(die)} fell=${fell(die)} />
            </span>
          </li>`;
      })}
    </ul>`;
}

/** Dice to be taken up. @param {{number: number, hand: HandSight, ways: Ways, fresh: boolean}} props */
function Handled({ number, hand, ways, fresh }) {
  const fell = useFalling(hand, fresh);
  const drafted = useDraft(`hand/${number}/${hand.name}/${hand.rerolls}`, NOTHING);
  const ids = hand.dice.map((die) => die.id);
  const roving = useRoving(ids);
  const selects = Boolean(ways.freeze || ways.reroll);
  const chosen = drafted.value.chosen.filter((id) => ids.includes(id));
  const state = { ...drafted.value, chosen };
  const turn = (/** @type {string} */ id) =>
    drafted.set({ ...state, chosen: chosen.includes(id) ? chosen.filter((each) => each !== id) : [...chosen, id] });
  const put = (/** @type {string} */ id, /** @type {number|string} */ face) =>
    drafted.set({ ...state, to: { ...state.to, [id]: face } });
  return html`
    <ul class=${`dice handled ${ways.adjust.length ? "steppable" : ""}`} ref=${roving.row.ref} onKeyDown=${roving.row.onKeyDown}>
      ${hand.dice.map((die) => html`
        <${Held} key=${die.id} ...${{ die, ways, selects, put }} turn=${() => turn(die.id)} fell=${fell(die)}
          chosen=${chosen.includes(die.id)} to=${state.to[die.id]} stop=${roving.of(die.id)} />`)}
    </ul>
    <${Bar} ...${{ number, hand, ways, drafted, state }} />`;
}

/** @param {any} props */
function Held({ die, ways, selects, put, turn, fell, chosen, to, stop }) {
  const as = kindOf(die.kind);
  const shown = to !== undefined && to !== die.face ? { ...die, face: to, earlier: undefined, counts: undefined } : die;
  const adjust = ways.adjust.find((/** @type {Offered} */ each) => each.offer.to?.[die.id]);
  const faces = adjust && (!selects || chosen) ? reachable(adjust.offer, die) : [];
  const at = faces.findIndex(([face]) => face === shown.face);
  const step = (/** @type {number} */ by) => faces[at + by] && put(die.id, faces[at + by][0]);
  /** @param {KeyboardEvent} event */
  function onKeyDown(event) {
    if (!faces.length || (event.key !== "ArrowUp" && event.key !== "ArrowDown")) return;
    event.preventDefault();
    step(event.key === "ArrowUp" ? 1 : -1);
  }
  const name = called(shown, as);
  const picture = html`<${Face} key=${fall(die)} kind=${die.kind} as=${as} face=${shown.face} states=${statesOf(shown)} fell=${fell} />`;
  return html`
    <li class=${`held ${shown === die ? "" : "pending"}`} data-die=${die.id}>
      <${Old} die=${shown} />
      ${selects
        ? html`<button type="button" class="take" ...${stop} aria-pressed=${chosen} aria-label=${name} onClick=${turn} onKeyDown=${onKeyDown}>${picture}</button>`
        : html`<button type="button" class="take" ...${stop} aria-label=${name} aria-keyshortcuts=${faces.length ? "ArrowUp ArrowDown" : undefined} onClick=${() => step(1)} onKeyDown=${onKeyDown}>${picture}</button>`}
      ${faces.length > 0 && html`<${Steps} die=${die} faces=${faces} at=${at} step=${step} />`}
    </li>`;
}

/** Buttons that put a die to another face: down and up, or to the one face that there is. @param {any} props */
function Steps({ die, faces, at, step }) {
  const one = faces.length === 2;
  const which = numberOf(die.id);
  const button = (/** @type {number} */ by, /** @type {string} */ sign, /** @type {string} */ key) => html`
    <button type="button" tabindex="-1" disabled=${!faces[at + by]} onClick=${() => step(by)}
      aria-label=${faces[at + by] ? say(key, { die: which, face: faceText(faces[at + by][0]) }) : say("hand.nofurther", { die: which })}>${sign}</button>`;
  if (one) {
    const by = at === 0 ? 1 : -1;
    return html`<span class="steps">${button(by, `→ ${faceText(faces[at + by][0])}`, "hand.turn")}</span>`;
  }
  return html`<span class="steps">${button(-1, "−", "hand.lower")}${button(1, "+", "hand.raise")}</span>`;
}

/** What may be done with what was chosen. @param {any} props */
function Bar({ number, hand, ways, drafted, state }) {
  const [busy, answer, run] = useAction();
  const { chosen, to } = state;
  async function act(/** @type {() => Promise<any>} */ deed) {
    const found = await run(deed);
    if (found?.type === "done") drafted.clear();
  }
  return html`
    <div class="acts" role="group" aria-label=${say("hand.acts")}>
      ${ways.adjust.map((/** @type {Offered} */ each) => html`<${Adjusting} key=${each.offer.means} ...${{ number, hand, to, busy, act, ...each }} />`)}
      ${ways.freeze && html`<${Freezing} ...${{ number, hand, chosen, busy, act }} ends=${Boolean(ways.reroll)} />`}
      ${ways.reroll && html`<${Again} ...${{ number, hand, chosen, busy, act, ...ways.reroll }} />`}
      ${drafted.undoable && html`
        <button type="button" class="plain" onClick=${drafted.undo}>${say("form.undo")}</button>`}
    </div>
    <${Answer} answer=${answer} />`;
}

/** @param {any} props */
function Freezing({ number, hand, chosen, busy, act, ends }) {
  const lets = chosen.length > 0 && chosen.every((/** @type {string} */ id) => hand.dice.find((/** @type {Die} */ die) => die.id === id)?.frozen);
  return html`
    ${chosen.length > 0 && html`
      <button type="button" aria-disabled=${busy} onClick=${() => act(() => ask(freezing(number, hand, chosen)))}>
        ${say(lets ? "hand.thaw" : "hand.freeze", { n: chosen.length })}</button>`}
    <button type="button" class=${chosen.length || ends ? "" : "main"} aria-disabled=${busy} onClick=${() => act(() => ask(standing(number, hand)))}>${say("hand.stand")}</button>`;
}

/** @param {any} props */
function Again({ number, hand, chosen, busy, act, offer, label }) {
  const may = chosen.filter((/** @type {string} */ id) => offer.dice.includes(id));
  const all = offer.least >= offer.dice.length;
  const dice = all ? offer.dice : may;
  const { allowed, extra, points } = rerolling(offer, dice.length);
  const price = extra && points ? say("hand.price", { n: points, what: label.track || offer.extra_cost[0] }) : "";
  const bound = all ? "" : say(offer.extra ? "hand.most.extra" : "hand.most", { n: offer.most, extra: offer.extra, what: label.track });
  const throws = (/** @type {(number|string)[] | null} */ faces) => act(() => throwDice(number, hand.name, { dice, faces }));
  const text = dice.length ? say("hand.reroll", { n: dice.length }) : say("hand.reroll.some");
  if (canType() && allowed) {
    const kinds = dice.map((/** @type {string} */ id) => hand.dice.find((/** @type {Die} */ die) => die.id === id)?.kind ?? "");
    return html`<${Typing} draftKey=${`typed/${number}/${hand.name}/${hand.rerolls + 1}`} kinds=${kinds} ids=${dice} again=${offer.again ?? []} send=${text} busy=${busy} act=${throws} />`;
  }
  return html`
    <button type="button" class=${dice.length && allowed ? "main" : ""} aria-disabled=${busy} disabled=${!allowed} onClick=${() => throws(null)}>
      ${text}${price && html` <span class="price">${price}</span>`}</button>
    ${bound && html`<span class="help">${bound}</span>`}`;
}

/** @param {any} props */
function Adjusting({ number, hand, to, busy, act, offer, label }) {
  const { spent, left } = spending(offer, hand, to);
  const command = adjusting(number, offer, hand, to);
  const moved = hand.dice.some((/** @type {Die} */ die) => (to[die.id] ?? die.face) !== die.face);
  const sound = moved && left >= 0;
  const ahead = useAhead(sound ? command : null);
  return html`
    <div class="adjusting">
      <span class="purse">${say("hand.purse", { n: offer.most, spent, what: label.means || offer.means })}</span>
      ${moved && html`<button type="button" class="main" aria-disabled=${busy} disabled=${!sound} onClick=${() => act(() => ask(command))}>${say("hand.adjust")}</button>`}
      ${left < 0 && html`<span class="wrong" role="status">${say("hand.toomuch", { n: -left })}</span>`}
      ${ahead && html`<${Change} ahead=${ahead} />`}
      ${offer.note && html`<p class="note"><${Foreign} text=${offer.note} /></p>`}
    </div>`;
}

