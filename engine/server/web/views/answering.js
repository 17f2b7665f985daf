// @ts-check
/** How a character answers a roll: by what its sheet begins, by the whole form, or not at all. */

import { ask, stepwise, system } from "../state/app.js";
import { say } from "../words/index.js";
import { declinable, reacting } from "./commands.js";
import { Declare, declaring, EMPTY, Filling } from "./form.js";
import { html } from "./html.js";
import { Answer, useAction } from "./parts.js";
import { Rollables, useRollables } from "./rollables.js";
import { characters, isNarrator } from "./shown.js";

/**
 * @import { Offer, Word } from "../urim.d.ts"
 * @import { Form } from "./fields/model.js"
 * @import { Answered } from "./form.js"
 */

/** The answer of a character to a roll, or that it declines. @param {{roll: any, offer: Offer}} props */
export function React({ roll, offer }) {
  const place = ["react", roll.number, offer.character, offer.choice ?? ""].join("/");
  const answers = {
    form: /** @type {Form | undefined} */ (system.value?.reaction),
    around: { link: null, declaration: roll.declaration, narrator: isNarrator() },
    given: { reacts_to: roll.number },
    send: say("react.send"),
    command: (/** @type {Record<string, Word>} */ reaction) => reacting(roll.number, offer, reaction),
  };
  const whole = answers.form && html`<${Filling} draftKey=${place} ...${answers} offer=${offer} character=${offer.character} />`;
  return html`
    <${Tapped} ...${{ place, offer, answers, whole }} />
    ${declinable(offer) && html`<${Declining} roll=${roll} offer=${offer} />`}`;
}

/** A roll that follows another. @param {{roll: any, offer: Offer, done: () => void}} props */
export function Follow({ roll, offer, done }) {
  const follows = /** @type {[number, string]} */ ([roll.number, offer.link]);
  const place = ["follow", ...follows, offer.character].join("/");
  const answers = {
    form: /** @type {Form | undefined} */ (system.value?.declaration),
    around: { link: follows[1], narrator: isNarrator() },
    given: { follows: follows[0], link: follows[1] },
    send: say(stepwise.value ? "form.declare" : "form.roll"),
    command: (/** @type {Record<string, Word>} */ value) => declaring(offer.character, value, EMPTY, follows),
  };
  const whole = html`<${Declare} character=${offer.character} follows=${follows} offer=${offer} done=${done} />`;
  return html`<${Tapped} ...${{ place, offer, answers, whole }} />`;
}

/** What the sheet answers with; the whole form is folded where it does. @param {{place: string, offer: Offer, answers: Answered, whole: any}} props */
function Tapped({ place, offer, answers, whole }) {
  const character = characters().find((each) => each.id === offer.character);
  const found = useRollables(character, answers.given);
  if (found?.length === 0) return whole;
  return html`
    ${character && found && html`<${Rollables} ...${{ character, found, place, answers }} />`}
    <details class="group"><summary>${say("react.form")}</summary>${whole}</details>`;
}

/** @param {{roll: any, offer: Offer}} props */
function Declining({ roll, offer }) {
  const [busy, answer, run] = useAction();
  return html`
    <div class="acts"><button type="button" aria-disabled=${busy}
      onClick=${() => run(() => ask(reacting(roll.number, offer, null)))}>${say("form.decline")}</button></div>
    <${Answer} answer=${answer} />`;
}
