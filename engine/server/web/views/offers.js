// @ts-check
/** What a seat may do in a roll now, as buttons and small forms. Only what is legal is offered. */

import { useState } from "preact/hooks";

import { ask, going, moves as legalMoves, system, throwDice, THROWN, waiting } from "../state/app.js";
import { say } from "../words/index.js";
import { choosing, contradicting, PLAIN, plainly } from "./commands.js";
import { Fate } from "./damage.js";
import { Face } from "./die.js";
import { useDraft } from "./drafted.js";
import { Correct, useAhead } from "./form.js";
import { html } from "./html.js";
import { kindOf } from "./kinds.js";
import { answering, Foreseen, Later } from "./later.js";
import { Foreign, plain } from "./names.js";
import { Change } from "./outcome.js";
import { Answer, useAction } from "./parts.js";
import { characterName } from "./shown.js";
import { canType, Typing } from "./typed.js";

/** @import { HandSight, Move } from "../urim.d.ts" */

/** Triggers with an offer that is more than a button, and what draws it. @type {Record<string, (props: any) => any>} */
const DRAWN = { react: Reacting, roll: Throwing, declare: Following };

/** Buttons, in this order, of moves that need nothing but the roll. */
const BUTTONS = /** @type {(keyof typeof PLAIN)[]} */ (["apply_damage", "withdraw", "reveal"]);

/** Moves that need a form of their own, which a button opens. @type {Record<string, (props: any) => any>} */
const OPENED = { replace: Correct, amend: Correct, veto: Reasoned, void: Reasoned, fate: Fate };

/** @param {Move[]} moves @param {string} trigger */
const legal = (moves, trigger) => moves.find((move) => move.trigger === trigger && move.legal);

/** The offers of a move with their labels. @param {Move | undefined} move */
export function offersOf(move) {
  return (move?.offers ?? []).map((offer, at) => ({ offer, label: move?.labels?.[at] ?? {}, words: move?.words?.[at] ?? "" }));
}

/**
 * What a trigger offers; a throw's offers stand behind `ask` where it asks for shares.
 *
 * @param {Move[]} moves @param {string} trigger
 */
export function offersBy(moves, trigger) {
  const asks = offersOf(legal(moves, "ask")).filter(({ offer }) => offer.trigger === trigger);
  return [...offersOf(legal(moves, trigger)), ...asks];
}

/** What may be done next, apart from the dice in hand. @param {{roll: any, moves: Move[]}} props */
export function Offers({ roll, moves }) {
  if (going.value.has(roll.number)) return html`<${Going} roll=${roll} />`;
  const choices = offersOf(legal(moves, "adjust")).filter(({ offer }) => offer.choice);
  const drawn = Object.entries(DRAWN)
    .flatMap(([trigger, view]) => offersBy(moves, trigger).map((each, at) => ({ trigger, view, each, at })))
    .sort((one, other) => Number(other.each.offer.due ?? false) - Number(one.each.offer.due ?? false)) // what is due comes first
    .map(({ trigger, view, each, at }) => html`<${view} key=${`${trigger} ${each.offer.character} ${each.offer.hand || each.offer.link || each.offer.choice} ${at}`} roll=${roll} ...${each} />`);
  return html`
    ${drawn}
    ${choices.map((each) => html`<${Choosing} key=${each.offer.choice} roll=${roll} ...${each} />`)}
    ${legal(moves, "resolve") && html`<${Resolving} key="resolve" roll=${roll} />`}
    <${Buttons} roll=${roll} moves=${moves} />
    ${spelling(roll, moves).map((hand) => html`<${Flavour} key=${`flavour ${hand.name}`} roll=${roll} hand=${hand} />`)}
    <${Confirming} roll=${roll} moves=${moves} />`;
}

/** What the page does by itself just now. @param {{roll: any}} props */
function Going({ roll }) {
  const { trigger } = legalMoves.value.get(roll.number)?.step ?? {};
  const throws = trigger === "roll" || trigger === "reroll";
  return throws && roll.next_level === "table" && html`<p class="help" role="status">${say("throw.waits")}</p>`;
}

/** @param {{roll: any, moves: Move[]}} props */
function Buttons({ roll, moves }) {
  const [busy, answer, run] = useAction();
  const found = BUTTONS.filter((trigger) => legal(moves, trigger));
  const damage = useAhead(found.includes("apply_damage") ? plainly("apply_damage", roll.number) : null);
  if (!found.length) return null;
  return html`
    <div class="acts">
      ${found.map((trigger) => html`
        <button type="button" key=${trigger} class=${trigger === "apply_damage" ? "main" : ""} aria-disabled=${busy}
          onClick=${() => run(() => ask(plainly(trigger, roll.number)))}>${say(`move.${trigger}`)}</button>`)}
      ${damage?.damage && html`<span class="help">${say("damage.ahead", { n: damage.damage.amount, who: plain(characterName(damage.damage.target)) })}</span>`}
    </div>
    <${Answer} answer=${answer} />`;
}

// --- to answer, to throw --------------------------------------------------------------------------

/** @param {any} props */
function Reacting({ roll, offer, label, words }) {
  const title = say("react.as", { who: plain(characterName(offer.character)) });
  return html`
    <section class="asks" aria-label=${title}>
      <h4>${title}</h4>
      ${label.choice && html`<p><${Foreign} text=${words} /></p>`}
      ${offer.note && html`<p class="note"><${Foreign} text=${offer.note} /></p>`}
      <${Later} load=${answering} view="React" roll=${roll} offer=${offer} />
    </section>`;
}

/** @param {any} props */
function Throwing({ roll, offer, label }) {
  const options = offer.options ?? [];
  const drafted = useDraft(`throw/${roll.number}/${offer.hand}`, /** @type {number | null} */ (null));
  const [busy, answer, run] = useAction();
  const option = options.length ? drafted.value ?? options[0] : null;
  const dice = (offer.dice ?? []).slice(0, option ?? undefined);
  const send = offer.link ? say("throw.take") : dice.length ? say("throw.do", { n: dice.length }) : say("throw.none");
  const blind = useDraft(THROWN, /** @type {string[]} */ ([]));
  const unseen = roll.seen === "declaration";
  const own = `${roll.number} ${offer.character}`;
  async function act(/** @type {(number|string)[] | null} */ faces) {
    await run(() => throwDice(roll.number, offer.hand, { option, faces }));
  }
  if (unseen && blind.value.includes(own)) return html`<p class="help" role="status">${say("throw.unseen")}</p>`;
  return html`
    <section class="throwing" aria-label=${say("throw.hand", { hand: label.hand || offer.hand })}>
      <h4><${Foreign} text=${label.hand || offer.hand} /></h4>
      ${options.length > 0 && html`
        <p class="help" aria-hidden="true">${say("throw.howmany")}</p>
        <div class="chips" role="radiogroup" aria-label=${say("throw.howmany")}>
          ${options.map((/** @type {number} */ each, /** @type {number} */ at) => html`
            <label class="chip" key=${each}><input type="radio" name=${`many-${roll.number}-${offer.hand}`} checked=${each === option} onChange=${() => drafted.set(each)} />
              <span>${label.options?.[at] ?? each}</span></label>`)}
        </div>`}
      ${offer.note && html`<p class="note"><${Foreign} text=${offer.note} /></p>`}
      ${canType() && dice.length > 0 && !offer.link
        ? html`<${Typing} draftKey=${`typed/${roll.number}/${offer.hand}`} kinds=${dice} again=${offer.again ?? []} ...${{ send, busy, act }} />`
        : html`
          ${dice.length > 0 && html`<div class="dice waiting" aria-hidden="true">${dice.map((/** @type {string} */ kind, /** @type {number} */ at) => html`<${Face} key=${at} kind=${kind} as=${kindOf(kind)} size="small" />`)}</div>`}
          <div class="acts"><button type="button" class="main" aria-disabled=${busy} onClick=${() => act(null)}>${send}</button>
            ${busy && roll.next_level === "table" && html`<span class="help" role="status">${say("throw.waits")}</span>`}</div>`}
      <${Answer} answer=${answer} />
    </section>`;
}

// --- to choose, to resolve ------------------------------------------------------------------------

/** One of the options of a choice; final, so it is picked first and sent then. @param {any} props */
function Choosing({ roll, offer, label }) {
  const drafted = useDraft(`choice/${roll.number}/${offer.choice}`, /** @type {string | null} */ (null));
  const [busy, answer, run] = useAction();
  const picked = offer.options.find((/** @type {string|number} */ each) => String(each) === drafted.value);
  const command = picked === undefined ? null : choosing(roll.number, offer, picked);
  const ahead = useAhead(command);
  const title = label.choice || offer.choice;
  return html`
    <section class="asks choosing" aria-label=${plain(title)}>
      <h4><${Foreign} text=${title} /></h4>
      ${offer.note && html`<p class="note"><${Foreign} text=${offer.note} /></p>`}
      <div class="chips" role="radiogroup" aria-label=${plain(title)}>
        ${offer.options.map((/** @type {string|number} */ each, /** @type {number} */ at) => html`
          <label class="chip" key=${each}><input type="radio" name=${`choice-${roll.number}-${offer.choice}`} checked=${each === picked} onChange=${() => drafted.set(String(each))} />
            <span><${Foreign} text=${label.options?.[at] ?? each} /></span></label>`)}
      </div>
      ${ahead && html`<${Change} ahead=${ahead} />`}
      <div class="acts">
        <button type="button" class="main" aria-disabled=${busy} disabled=${!command} onClick=${() => command && run(() => ask(command))}>${say("choice.do")}</button>
        ${drafted.undoable && html`<button type="button" class="plain" onClick=${drafted.clear}>${say("form.undo")}</button>`}
      </div>
      <${Answer} answer=${answer} />
    </section>`;
}

/** @param {{roll: any}} props */
function Resolving({ roll }) {
  const [busy, answer, run] = useAction();
  const ahead = useAhead(plainly("resolve", roll.number));
  const after = ahead?.type === "preview" ? ahead.after_words : null;
  return html`
    <div class="resolving">
      ${after && html`<p class="sofar" role="status">${say("outcome.sofar")} <strong><${Foreign} text=${after.head} /></strong> <bdi>${after.text}</bdi></p>`}
      <div class="acts"><button type="button" class="main" aria-disabled=${busy} onClick=${() => run(() => ask(plainly("resolve", roll.number)))}>${say("move.resolve")}</button></div>
      <${Answer} answer=${answer} />
    </div>`;
}

// --- what follows, and words for the story --------------------------------------------------------

/** A roll that follows this one. @param {any} props */
function Following({ roll, offer, label, words }) {
  const [open, set] = useState(false);
  if (!offer.link) return null;
  return html`
    <div class="opened">
      <button type="button" class=${offer.due ? "main" : ""} aria-expanded=${open} onClick=${() => set(!open)}>
        ${say("follow.do", { what: plain(label.link || offer.link), who: plain(characterName(offer.character)) })}</button>
      ${open && html`
        ${(offer.note || offer.choice) && html`<p class="note"><${Foreign} text=${offer.note || words} /></p>`}
        <${Later} load=${answering} view="Follow" roll=${roll} offer=${offer} done=${() => set(false)} />`}
    </div>`;
}

/** Hands with dice that may spell words: those that are closed. @param {any} roll @param {Move[]} moves @returns {HandSight[]} */
function spelling(roll, moves) {
  if (!legal(moves, "flavour") || !system.value?.triggers?.includes("flavour")) return [];
  return roll.hands.filter((/** @type {HandSight} */ hand) => hand.dice.every((die) => die.frozen && typeof die.face === "string"));
}

/** Words that the dice of a hand spell. @param {{roll: any, hand: HandSight}} props */
function Flavour({ roll, hand }) {
  const drafted = useDraft(`flavour/${roll.number}/${hand.name}`, "");
  const [tone, type] = useState("");
  const [busy, answer, run] = useAction();
  const words = drafted.value.split(/\s+/).filter(Boolean);
  const id = `flavour-${roll.number}-${hand.name}`;
  /** @param {Event} event */
  async function submit(event) {
    event.preventDefault();
    const more = tone.trim() ? { tone: tone.trim() } : {};
    const found = await run(() => ask({ do: "flavour/1", roll: roll.number, hand: hand.name, words, ...more }));
    if (found?.type === "done") drafted.clear();
  }
  return html`
    <details class="opened flavour">
      <summary>${say("flavour.do", { hand: plain(hand.label) })}</summary>
      <form class="filling" onSubmit=${submit}>
        <div class="asked"><label for=${id}>${say("flavour.words")}</label>
          <input id=${id} type="text" dir="auto" autocomplete="off" value=${drafted.value} onInput=${(/** @type {Event} */ event) => drafted.set(/** @type {HTMLInputElement} */ (event.currentTarget).value, true)} />
          <p class="help">${say("flavour.letters")} <bdi>${hand.dice.map((die) => die.face).join(" ")}</bdi></p></div>
        <div class="asked"><label for=${`${id}-tone`}>${say("flavour.tone")}</label>
          <input id=${`${id}-tone`} type="text" dir="auto" maxlength="60" value=${tone} onInput=${(/** @type {Event} */ event) => type(/** @type {HTMLInputElement} */ (event.currentTarget).value)} /></div>
        <div class="acts"><button type="submit" aria-disabled=${busy} disabled=${!words.length}>${say("flavour.send")}</button></div>
        <${Answer} answer=${answer} />
      </form>
    </details>`;
}

/** Typed faces that another seat shall confirm. @param {{roll: any, moves: Move[]}} props */
function Confirming({ roll, moves }) {
  const [busy, answer, run] = useAction();
  if (!legal(moves, "confirm")) return null;
  const known = roll.typed.filter((/** @type {any} */ each) => each.confirmed === null).map((/** @type {any} */ each) => each.throw);
  const asked = waiting.value.mine.filter((each) => each.roll === roll.number && each.trigger === "confirm").map((each) => each.about ?? 0);
  const throws = [...new Set([...known, ...asked])];
  return html`
    <div class="acts">
      ${throws.map((each) => html`
        <button type="button" key=${each} aria-disabled=${busy} onClick=${() => run(() => ask({ do: "confirm/1", roll: roll.number, throw: each }))}>
          ${say("confirm.do", { n: each })}</button>`)}
      <span class="help">${say("confirm.help")}</span>
    </div>
    <${Answer} answer=${answer} />`;
}

// --- what a narrator puts right -------------------------------------------------------------------

/** Moves that are seldom wanted, behind one button: a narrator's corrections, refusals, fate. @param {{roll: any, moves: Move[]}} props */
export function Opened({ roll, moves }) {
  const [open, set] = useState("");
  const [unfolded, unfold] = useState(false);
  const found = Object.keys(OPENED).filter((trigger) => legal(moves, trigger));
  if (!found.length) return null;
  const view = unfolded && OPENED[open];
  return html`
    <div class="acts aside">
      <button type="button" class="plain" aria-expanded=${unfolded} onClick=${() => unfold(!unfolded)}>${say("move.correct")}</button>
      ${unfolded && found.map((trigger) => html`
        <button type="button" class="plain" key=${trigger} aria-expanded=${open === trigger} onClick=${() => set(open === trigger ? "" : trigger)}>${say(`move.${trigger}`)}</button>`)}
    </div>
    ${view && found.includes(open) && html`<section class="asks" key=${open} aria-label=${say(`move.${open}`)}>
      <h4>${say(`move.${open}`)}</h4>
      <${view} roll=${roll} trigger=${open} done=${() => set("")} />
    </section>`}`;
}

/** A move that needs a reason. @param {{roll: any, trigger: "veto"|"void", done: () => void}} props */
function Reasoned({ roll, trigger, done }) {
  const drafted = useDraft(`${trigger}/${roll.number}`, "");
  const [busy, answer, run] = useAction();
  const id = `${trigger}-${roll.number}`;
  /** @param {Event} event */
  async function submit(event) {
    event.preventDefault();
    const found = await run(() => ask({ ...plainly(trigger, roll.number), ...(trigger === "void" ? contradicting(roll) : {}) }, drafted.value.trim()));
    if (found?.type !== "done") return;
    drafted.clear();
    done();
  }
  return html`
    <form class="filling" onSubmit=${submit}>
      <div class="asked"><label for=${id}>${say("form.reason")}</label>
        <input id=${id} type="text" dir="auto" maxlength="1000" autocomplete="off" value=${drafted.value} onInput=${(/** @type {Event} */ event) => drafted.set(/** @type {HTMLInputElement} */ (event.currentTarget).value, true)} /></div>
      ${trigger === "void" && html`<${Foreseen} roll=${roll.number} change=${{ change: "voided", roll: roll.number }} />`}
      <div class="acts"><button type="submit" aria-disabled=${busy} disabled=${!drafted.value.trim()}>${say(`move.${trigger}`)}</button></div>
      <${Answer} answer=${answer} />
    </form>`;
}
