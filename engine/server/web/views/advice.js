// @ts-check
/** What each way to decide in a roll is worth, where a narrator allows that; a narrator allows it here. */

import { useLayoutEffect, useState } from "preact/hooks";

import { ask as request, withParameters } from "../state/api.js";
import { ask, language, live, moves, session, sight } from "../state/app.js";
import { say } from "../words/index.js";
import "../words/advice/index.js";
import { faceText } from "./die.js";
import { useDraft, useValue } from "./drafted.js";
import { html } from "./html.js";
import { Foreign } from "./names.js";
import { Answer, useAction } from "./parts.js";

/**
 * @import { Roll } from "../state/rolls.js"
 * @import { Odds, OddsWay } from "../urim.d.ts"
 */

/** Ways that are shown, at most; and the obvious one. */
const MOST = 3;

/** Milliseconds for one answer, and until it is asked again where others are asked before. */
const PATIENCE = 60_000;
const AGAIN = 1_000;

/** What a roll of the system is wanted for, which the server knows; and aims beside the degrees. */
const OWN = "success";
const AIMS = [OWN, "above 0", "margin"];

/** @param {{number: number}} props */
export function Advice({ number }) {
  const seen = useValue(sight); // a card is not drawn again for what is set at the table
  const set = seen?.settings ?? {};
  const allowed = set[`advice/${number}`] ?? set.advice;
  const [busy, answer, run] = useAction();
  /** @param {boolean} value */
  const allow = (value) => run(() => ask({ do: "set-table/1", name: "advice", value }));
  return html`
    ${allowed ? html`<${Ways} number=${number} />` : html`<p class="help">${say("advice.none")}</p>`}
    ${session.value?.role === "narrator" && html`
      <p><button type="button" aria-disabled=${busy} onClick=${() => allow(!allowed)}>${say(allowed ? "advice.back" : "advice.allow")}</button></p>`}
    <${Answer} answer=${answer} />`;
}

/** @param {{number: number}} props */
function Ways({ number }) {
  const roll = useValue(live).rolls.get(number); // the server's words about it come later
  const may = useValue(moves).get(number)?.moves ?? [];
  const decided = Boolean(roll?.hands.length) || may.some((move) => move.offers?.some((offer) => offer.trigger === "roll" && offer.options?.length));
  const aim = useDraft("advice/aim", OWN);
  const [found, set] = useState(/** @type {{odds?: Odds, why?: string} | null} */ (null));
  const stamp = JSON.stringify([roll?.state, roll?.declaration, roll?.hands, roll?.choices, roll?.reactions, sight.value?.characters]);
  useLayoutEffect(() => {
    let there = true;
    set(null);
    if (decided) void oddsOf(number, aim.value, () => there).then((all) => there && set(all));
    return () => void (there = false);
  }, [number, aim.value, stamp, decided]);
  if (!decided) return html`<p class="help">${say("advice.soon")}</p>`;
  const degrees = Object.keys(found?.odds?.degrees ?? {}).filter((each) => !AIMS.includes(each));
  const own = AIMS.includes(aim.value) || degrees.includes(aim.value) ? [] : [aim.value];
  return html`
    <p><label>${say("advice.aim")} <select value=${aim.value} onChange=${(/** @type {Event} */ event) => aim.set(/** @type {HTMLSelectElement} */ (event.currentTarget).value)}>
      ${[...AIMS, ...degrees, ...own].map((each) => html`<option key=${each} value=${each}>${AIMS.includes(each) ? say(`advice.${each}`) : each}</option>`)}
    </select></label></p>
    <div role="status">${!found ? html`<p class="help">${say("advice.busy")}</p>` : html`<${Found} ...${found} roll=${roll} />`}</div>`;
}

/** @param {{odds?: Odds, why?: string, roll: Roll | undefined}} props */
function Found({ odds, why = "", roll }) {
  if (!odds) return html`<p class="help"><${Foreign} text=${why} /></p>`;
  const number = new Intl.NumberFormat(language.value, odds.aim === "margin" ? { maximumFractionDigits: 2 } : { style: "percent", maximumFractionDigits: 1 });
  const plain = odds.ways.find((way) => way.plain);
  const worst = roll && "opponent" in roll.declaration && roll.declaration.opponent;
  const sides = worst && html`<p class="help">${say(odds.against ? "advice.against" : "advice.opponent")}</p>`;
  if (!odds.exact) {
    return html`
      ${odds.ways.map((way) => html`<p><strong><${Told} way=${way} roll=${roll} /></strong></p>`)}
      <p>${say("advice.played", { n: odds.played ?? 0, worth: number.format(odds.worth), error: number.format(odds.error ?? 0) })}</p>
      <p class="help">${say("advice.play")} <${Foreign} text=${odds.why} /></p>${sides}`;
  }
  if (!odds.ways.length) return html`<p>${say("advice.nothing", { worth: number.format(odds.worth) })}</p>`;
  return html`
    <ol class="ways">${odds.ways.slice(0, MOST).map((way, at) => html`
      <li key=${at}><${Told} way=${way} roll=${roll} />: <strong>${number.format(way.worth)}</strong></li>`)}</ol>
    ${plain && plain.worth !== odds.worth && html`
      <p class="help">${say("advice.plain", { worth: number.format(plain.worth), lost: number.format(Math.abs(odds.worth - plain.worth)) })} <${Told} way=${plain} roll=${roll} /></p>`}
    ${sides}`;
}

/** A way in words. @param {{way: OddsWay, roll: Roll | undefined}} props */
function Told({ way, roll }) {
  const dice = roll?.hands.find((hand) => hand.name === way.hand)?.dice ?? [];
  if (way.trigger === "reroll") {
    const [again, kept] = [true, false].map((taken) => dice.filter((die) => way.taken.includes(die.id) === taken));
    const few = !kept.length || again.length <= kept.length; // what is said shorter
    return html`${say(few ? "advice.again" : "advice.keep")} <bdi>${(few ? again : kept).map((die) => faceText(die.face)).join(" ")}</bdi>${!few && say("advice.rest", { n: again.length })}`;
  }
  if (way.trigger === "roll") return say("advice.first", { n: Number(way.taken[0] ?? 0) });
  if (way.trigger === "freeze" || way.trigger === "resolve") return say(`advice.${way.trigger}`);
  if (way.choice) return html`<${Foreign} text=${String(way.taken[0])} />`;
  const put = way.taken.map((each) => String(each).split("=")).map(([id, face = ""]) => [dice.find((die) => die.id === id)?.face ?? "", face]);
  return html`${say("advice.adjust")} <bdi>${put.map(([from = "", to = ""]) => `${faceText(from)} → ${faceText(to)}`).join(", ")}</bdi>`;
}

/**
 * The odds of a roll.
 *
 * @param {number} roll @param {string} aim @param {() => boolean} there  whether anybody still wants it
 * @returns {Promise<{odds?: Odds, why?: string}>}
 */
async function oddsOf(roll, aim, there) {
  const path = `/tables/${session.value?.table}/rolls/${roll}/odds`;
  const { body, ...refused } = await answerOf(withParameters(path, { aim: aim === OWN ? null : aim }), there);
  return body ? { odds: body } : refused;
}

/**
 * What the server's process answers, asked again for as long as others are asked before.
 *
 * @param {string} path @param {() => boolean} there  whether anybody still wants it
 * @returns {Promise<{body?: any, why?: string}>}
 */
export async function answerOf(path, there) {
  const { origin = "", token } = session.value ?? {};
  while (there()) {
    const answer = await request(origin, path, { token, patience: PATIENCE });
    if (answer.ok) return { body: answer.body };
    if (answer.status !== 429) return answer.problem;
    await new Promise((resume) => setTimeout(resume, AGAIN));
  }
  return {};
}
