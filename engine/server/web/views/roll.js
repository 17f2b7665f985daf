// @ts-check
/** A roll: how it ended, what was declared, its dice, and what may be done with them. */

import { useMemo, useRef } from "preact/hooks";

import { accounts, going, language, live, moves, session, sight, system, table, waiting } from "../state/app.js";
import { marksAmong } from "../state/rolls.js";
import { say } from "../words/index.js";
import { Countdown } from "./countdown.js";
import { Damage } from "./damage.js";
import { useFocusKept, useFocusWhenNew, useInSight } from "./focus.js";
import { DisputeButton } from "./dispute.js";
import { holds } from "./fields/model.js";
import { Hand } from "./hand.js";
import { html, memo } from "./html.js";
import { Wanted } from "./later.js";
import { Foreign, Name } from "./names.js";
import { Offers, offersBy, Opened } from "./offers.js";
import { Bare, Outcome } from "./outcome.js";
import { sentence } from "./parts.js";
import { OnceMore } from "./rollables.js";
import { characterName, isLive, people, seatName, valueText, verdictOf, waitedFor } from "./shown.js";

/** @import { Account, HandSight, Move } from "../urim.d.ts" @import { Field } from "./fields/model.js" */

/** A roll by its number, as the table that is shown has it. @param {{number: number}} props */
export function Roll({ number }) {
  const roll = rollOf(number);
  if (!roll) return null;
  if (roll.sealed) return html`<${Sealed} number=${number} />`;
  const now = isLive();
  const found = now ? sightOf(number) : undefined;
  const own = now ? moves.value.get(number)?.moves : undefined;
  const account = accounts.value.get(number);
  /** What the account says, where it is about what is shown: of the past, too, as long as it stands. @param {"outcome"|"damage"} what */
  const told = (what) => now || JSON.stringify(live.value.rolls.get(number)?.[what]) === JSON.stringify(roll[what]) ? account?.[what] ?? undefined : undefined;
  const waits = now ? [...waiting.value.mine, ...waiting.value.others].filter((each) => each.roll === number) : [];
  // A card reads signals: it is drawn again where one of these is another.
  return html`<${Card} number=${number} result=${told("outcome")} damage=${told("damage")}
    account=${now && hasCounted(account) ? account : undefined} roll=${found ?? JSON.stringify(roll)} typed=${JSON.stringify(roll.typed)} own=${own} waits=${JSON.stringify(waits)} people=${people.value}
    dice=${sight.value?.dice} language=${language.value} system=${system.value} seat=${session.value?.seat} verdict=${verdictOf(number)} going=${going.value.has(number)} advised=${now && !roll.outcome && isAdvised(number, roll.seen)} />`;
}

/** A roll as views read it, of the server's sight or of the past. @param {number} number @returns {any} */
function rollOf(number) {
  const past = table.value?.rolls?.get(number);
  if (!isLive()) return past ? { typed: [], ...past, hands: named(past.hands, number) } : null;
  const found = sightOf(number);
  if (found) return { ...found, number, typed: typedThrows(number) };
  return past?.sealed ? past : null;
}

/** Hands of the past as people call them, where the newest sight has them. @param {readonly {name: string, label: string}[]} hands @param {number} number */
function named(hands, number) {
  const known = new Map(sightOf(number)?.hands.map((hand) => [hand.name, hand.label]));
  return hands.map((hand) => ({ ...hand, label: known.get(hand.name) ?? hand.label }));
}

/** A roll as the server's sight has it. @param {number} number */
const sightOf = (number) => sight.value?.rolls.find((each) => each.roll === number);

/** Throws of a roll whose faces were typed, and who confirmed each. @param {number} number @returns {{throw: number, confirmed: string|null}[]} */
function typedThrows(number) {
  if (sight.value?.dice !== "manual") return [];
  const own = live.value.log.filter((line) => line.roll === number && line.event)
    .map(({ event, by }) => ({ event: /** @type {any} */ (event), by }));
  const confirmed = new Map(own.filter(({ event }) => event.type === "throw-confirmed/1").map(({ event, by }) => [event.throw, by]));
  return own.filter(({ event }) => event.proof?.source === "manual")
    .map(({ event }) => ({ throw: event.proof.throw, confirmed: confirmed.get(event.proof.throw) ?? null }));
}

/** A roll of which nothing is to be seen but that it is there. @param {{number: number}} props */
function Sealed({ number }) {
  return html`<article class="roll sealed" id=${`roll/${number}`} aria-label=${say("roll.number", { n: number })}>
    <header><h3>${say("roll.number", { n: number })}</h3></header><p class="help">${say("roll.hidden")}</p></article>`;
}

const Card = memo(function Card(/** @type {{number: number, result?: Account["outcome"], damage?: Account["damage"], account?: Account, advised?: boolean}} */ { number, result, damage, account, advised }) {
  const roll = rollOf(number);
  const own = /** @type {Move[]} */ (isLive() ? moves.value.get(number)?.moves ?? [] : []);
  // Dice that were there when the card was first drawn do not fall.
  const first = useMemo(() => new Set(roll.hands.map((/** @type {any} */ hand) => hand.name)), []);
  const card = useRef(/** @type {HTMLElement | null} */ (null));
  const inside = useFocusKept(card);
  useFocusWhenNew(number, card);
  useInSight(number, card, inside, JSON.stringify([roll.state, roll.hands.map((/** @type {HandSight} */ hand) => hand.dice.map((die) => die.thrown.length)), Boolean(result)]));
  const ways = waysOf(own);
  const id = `roll-${number}`;
  return html`
    <article ref=${card} class=${`roll is-${roll.state}`} aria-labelledby=${id} id=${`roll/${number}`}>
      <${Heading} roll=${roll} id=${id} />
      ${result ? html`<${Outcome} result=${result} title=${say("outcome.title")} of=${[characterName(roll.character), ...(isHidden(roll) ? [say(`hidden.${roll.visibility}`)] : [])]} />`
        : roll.outcome && html`<${Bare} outcome=${{ ...roll.outcome, degree: roll.outcome.head ?? roll.outcome.degree }} title=${say("outcome.title")} />`}
      ${roll.outcome && isLive() && html`<${OnceMore} roll=${roll} />`}
      <${Declared} roll=${roll} />
      ${(roll.hangs ?? []).map((/** @type {any} */ each) => html`<p class="warn" key=${`${each.seq} ${each.what}`}><${Foreign} text=${each.text} /></p>`)}
      <${Waits} roll=${roll} />
      ${roll.hands.map((/** @type {any} */ hand) => html`
        <${Hand} key=${hand.name} number=${number} hand=${withCounted(hand, account)} ways=${ways(hand.name)} fresh=${!first.has(hand.name) && isLive()} />`)}
      ${roll.seen === "declaration" && html`<p class="help">${say("roll.blind")}</p>`}
      <${Typed} roll=${roll} />
      ${isLive() && html`<${LeftOut} number=${number} />`}
      ${advised && html`<${Wanted} of="advice.title" view="Advice" number=${number} kept />`}
      ${!roll.outcome && html`<${Offers} roll=${roll} moves=${own} />`}
      <${Damage} roll=${roll} result=${damage} />
      ${roll.outcome && html`<${Offers} roll=${roll} moves=${own} />`}
      <footer>
        ${isLive() && html`<${Opened} roll=${roll} moves=${own} />`}
        ${isLive() && html`<div class="acts aside"><${DisputeButton} roll=${roll} /><${Wanted} of="why.not" view="Reasons" number=${number} state=${roll.state} />${!isHidden(roll) && html`<${Wanted} of="link.title" view="RollLink" number=${number} />`}</div>`}
      </footer>
    </article>`;
});

/** Whether the seat may be told what is best, or is who allows it. @param {number} number @param {string} seen */
function isAdvised(number, seen) {
  const set = sight.value?.settings ?? {};
  return seen === "everything" && (session.value?.role === "narrator" || (set[`advice/${number}`] ?? set.advice));
}

/** Whether an account has dice with earlier faces, or some that count. @param {Account | undefined} account */
const hasCounted = (account) =>
  account?.steps.some((step) => step.hand?.dice.some((die) => die.earlier.length > 0 || die.counts !== "for"));

/**
 * A hand whose dice have their earlier faces as the account has them, and say what they count for; only
 * where it has the die as it is now.
 *
 * @param {HandSight} hand @param {Account | undefined} account
 */
function withCounted(hand, account) {
  const shown = account?.steps.findLast((step) => step.hand?.hand === hand.name)?.hand?.dice ?? [];
  const dice = hand.dice.map((die) => {
    const known = shown.find((each) => each.die === die.id);
    const same = known?.face === die.face && known.thrown.length === die.thrown.length;
    return same ? { ...die, earlier: known.earlier, counts: known.counts } : die;
  });
  return { ...hand, dice };
}

/** What may be done with the dice of a hand. @param {Move[]} own */
function waysOf(own) {
  const of = (/** @type {string} */ trigger) => offersBy(own, trigger);
  const [freeze, reroll, adjust] = [of("freeze"), of("reroll"), of("adjust")];
  return (/** @type {string} */ hand) => ({
    freeze: freeze.find(({ offer }) => offer.hand === hand),
    reroll: reroll.find(({ offer }) => offer.hand === hand),
    adjust: adjust.filter(({ offer }) => offer.hand === hand && offer.means),
  });
}

// --- the head of it -------------------------------------------------------------------------------

/** Whether a roll is hidden from somebody. @param {any} roll */
const isHidden = (roll) => roll.visibility !== "public" && !marksAmong(roll, live.value?.rolls ?? new Map()).includes("revealed");

/** @param {{roll: any, id: string}} props */
function Heading({ roll, id }) {
  const { number, visibility, follows } = roll;
  const marks = marksAmong(roll, live.value?.rolls ?? new Map());
  const label = textOf(roll.seq);
  return html`
    <header>
      <h3 id=${id} tabindex="-1"><span class="number">${say("roll.number", { n: number })}</span> <${Name} text=${characterName(roll.character)} /></h3>
      <ul class="tags">
        <li class="state">${say(`state.${roll.state}`)}</li>
        ${isHidden(roll) && html`<li>${say(`hidden.${visibility}`)}</li>`}
        ${marks.filter((/** @type {string} */ mark) => mark !== roll.state && mark !== "hidden").map((/** @type {string} */ mark) => html`<li key=${mark}>${say(`mark.${mark}`)}</li>`)}
        ${follows && html`<li>${say("roll.follows", { n: follows[0] })}</li>`}
        ${roll.hands.length > 0 && isLive() && html`<${Checked} number=${number} />`}
      </ul>
      ${label && html`<p class="label"><${Foreign} text=${label} /></p>`}
    </header>`;
}

/** Whether the seal found the roll's throws right. @param {{number: number}} props */
function Checked({ number }) {
  const source = (sight.value?.dice ?? "").split(":")[0] ?? "";
  if (source !== "fair") return html`<li>${say(`dice.${source}`)}</li>`;
  const verdict = verdictOf(number);
  const sign = { right: "✓", wrong: "✗", unchecked: "?" }[verdict];
  return html`<li class=${`checked ${verdict}`}><span aria-hidden="true">${sign}</span> ${say(`checked.${verdict}`)}</li>`;
}

/** The text that came with an entry, or with the commit that it began. @param {number} seq */
function textOf(seq) {
  if (isLive()) return sight.value?.texts.find((each) => each.about === `entry:${seq}`)?.text ?? "";
  const found = [...(table.value?.texts?.values() ?? [])].find((each) => each.about === `entry:${seq}`);
  return found?.text ?? "";
}

/** What was declared and answered, in the words of the form. @param {{roll: any}} props */
function Declared({ roll }) {
  const answers = (roll.reactions ?? []).filter((/** @type {any} */ each) => each.character);
  return html`
    <dl class="declared">
      <${Filled} form=${system.value?.declaration} values=${roll.declaration} />
    </dl>
    ${answers.map((/** @type {any} */ each) => html`
      <dl class="declared answer" key=${each.character}>
        <div><dt>${say("roll.answer")}</dt><dd><${Name} text=${characterName(each.character)} /></dd></div>
        ${each.declined || each.reaction === null ? html`<div><dd>${say("roll.declined")}</dd></div>`
          : html`<${Filled} form=${system.value?.reaction} values=${each.reaction} />`}
      </dl>`)}`;
}

/** @param {{form: {fields: Field[]} | undefined, values: Record<string, any>}} props */
function Filled({ form, values }) {
  const given = (form?.fields ?? []).filter((field) => field.set_by !== "rules" && holds(values?.[field.name])
    && JSON.stringify(values[field.name]) !== JSON.stringify(field.default));
  return given.map((field) => html`
    <div key=${field.name}><dt><${Foreign} text=${field.title} /></dt>
      <dd><${Foreign} text=${valueText(values[field.name], field.picks.of === "character")} /></dd></div>`);
}

/** Whom the roll waits for, and for how long. @param {{roll: any}} props */
function Waits({ roll }) {
  const others = isLive() ? waiting.value.others.filter((each) =>
    each.roll === roll.number && each.seat !== session.value?.seat && each.trigger !== "open_share") : [];
  // Who is to go on does not see the roll: nothing happens before it is revealed.
  const dark = isLive() && waiting.value.mine.some((each) => each.roll === roll.number && each.trigger === "reveal");
  if (!others.length && !dark) return null;
  return html`
    <ul class="waits">
      ${dark && html`<li>${say("waits.dark")}</li>`}
      ${others.map((each) => html`
        <li key=${`${each.seat} ${each.trigger}`}>${sentence("waits.for", { who: seatName(each.seat), what: waitedFor(each) })}
          ${each.until && html` <${Countdown} key=${each.until} until=${each.until} />`}</li>`)}
    </ul>`;
}

/** Who had no part in the roll's chance, for nobody asked. @param {{number: number}} props */
function LeftOut({ number }) {
  const found = new Set(live.value.log.filter((line) => line.roll === number)
    .flatMap(({ event }) => (event?.type === "throw-asked/1" ? event.left ?? [] : [])));
  return found.size > 0 && html`<p class="help">${sentence("roll.left", { who: [...found].map(seatName).join(", ") })}</p>`;
}

/** That the faces were typed in, and who confirmed them. @param {{roll: any}} props */
function Typed({ roll }) {
  if (!roll.typed?.length) return null;
  return html`
    <ul class="typedin">${roll.typed.map((/** @type {any} */ each) => html`
      <li key=${each.throw}>${each.confirmed
        ? sentence("typed.confirmed", { n: each.throw, who: seatName(each.confirmed) })
        : say("typed.unconfirmed", { n: each.throw })}</li>`)}</ul>`;
}
