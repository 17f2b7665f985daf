// @ts-check
/** The system's own form: to declare a roll, to correct a declaration; answering.js answers by it. */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import { ask, choicesOf, preview, sight, stepwise, system } from "../state/app.js";
import { say } from "../words/index.js";
import { contradicting } from "./commands.js";
import { expectRoll, rollIn } from "./focus.js";
import { useDraft } from "./drafted.js";
import { FieldView } from "./fields/field.js";
import { asTyped, changed, fieldsOf, filled, grouped, holds, properties, shown, sortOf } from "./fields/model.js";
import { html } from "./html.js";
import { Foreseen } from "./later.js";
import { Foreign, Name } from "./names.js";
import { Answer, Refusal, sentence, useAction } from "./parts.js";
import { characterName, characters, isNarrator } from "./shown.js";

/**
 * @import { Choice, Command, Offer, Word } from "../urim.d.ts"
 * @import { Around, Field, Form, Typed } from "./fields/model.js"
 *
 * @typedef {{values: Typed, text: string, visibility: string, level: string}} Draft
 * @typedef {{reacts_to?: number, follows?: number, link?: string}} Given  what the choices are for
 * @typedef {{form: Form | undefined, around: Around, given: Given, send: string,
 *   command: (value: Record<string, Word>) => Command}} Answered  how a form answers a roll
 */

/** @type {Draft} */
export const EMPTY = { values: {}, text: "", visibility: "public", level: "" };

/** Milliseconds from the last key to a look ahead. */
export const PAUSE = 350;

const VISIBILITIES = ["public", "gm", "self", "blind"];
const LEVELS = ["server", "player", "table"];

/** Characters of a text, at most. */
const LONGEST = 1000;

// --- to declare -----------------------------------------------------------------------------------

/**
 * The form to declare a roll of a character; `follows` is the roll and the link that offer it. It was `opened` by a tap.
 *
 * @param {{character: string, follows?: [number, string], offer?: Offer, opened?: boolean, done?: () => void}} props
 */
export function Declare({ character, follows, offer, opened, done }) {
  const form = /** @type {Form | undefined} */ (system.value?.declaration);
  if (!form) return html`<p class="help">${say("form.loading")}</p>`;
  const around = { link: follows?.[1] ?? null, narrator: isNarrator() };
  const key = ["declare", character, ...(follows ?? [])].join("/");
  return html`<${Filling} key=${key} ...${{ draftKey: key, form, around, character, opened, done }}
    given=${follows ? { follows: follows[0], link: follows[1] } : {}} offer=${offer}
    whole=${true} send=${say(stepwise.value ? "form.declare" : "form.roll")}
    command=${(/** @type {Record<string, Word>} */ declaration, /** @type {Draft} */ typed) =>
      declaring(character, declaration, typed, follows)} />`;
}

/**
 * @param {string} character @param {Record<string, Word>} declaration @param {Draft} typed
 * @param {[number, string]} [follows]
 * @returns {Command}
 */
export function declaring(character, declaration, typed, follows) {
  const more = /** @type {Record<string, unknown>} */ ({});
  if (!follows && typed.visibility !== "public") more.visibility = typed.visibility;
  if (typed.level) more.level = typed.level;
  if (follows) more.follows = follows;
  return /** @type {Command} */ ({ do: "declare/1", character, declaration, ...more });
}

/**
 * What a roll of the sheet still has to be asked, on one screen: a tap on the only question rolls, or answers.
 *
 * @param {{character: string, rollable: import("../urim.d.ts").Rollable, place: string, done: () => void,
 *   answers?: Answered, command: (value: Record<string, Word>) => Command}} props
 */
export function Asked({ character, rollable, place, done, answers, command }) {
  const form = /** @type {Form | undefined} */ (answers?.form ?? system.value?.declaration);
  if (!form) return html`<p class="help">${say("form.loading")}</p>`;
  const { declaration, asks } = rollable;
  const { around, given, send } = answers ?? { around: { link: null, narrator: isNarrator() }, given: {}, send: say(stepwise.value ? "form.declare" : "form.roll") };
  return html`<${Filling} ...${{ draftKey: ["rollable", place, character, rollable.name].join("/"), form, character, done, asks, around, given, send, command }}
    before=${declaration} opened=${true} />`;
}

// --- to correct -----------------------------------------------------------------------------------

/**
 * Put right what was declared, before the first throw (`replace`) or later (`amend`), with a reason.
 *
 * With `dispute`, the entry of one, it is the ruling on that dispute.
 *
 * @param {{roll: any, trigger: "replace"|"amend", dispute?: number, done: () => void}} props
 */
export function Correct({ roll, trigger, dispute, done }) {
  const foreseen = (/** @type {any} */ deed) => deed && Object.keys(deed.fields).length > 0 && html`
    <${Foreseen} roll=${roll.number} change=${{ change: "amended", roll: roll.number, fields: deed.fields, character: deed.character }} />`;
  const [who, pick] = useState(roll.character);
  const reacted = roll.reactions.filter((/** @type {any} */ each) => each.reaction);
  const sides = trigger === "amend" ? [roll.character, ...reacted.map((/** @type {any} */ each) => each.character)] : [roll.character];
  const own = who === roll.character;
  const form = /** @type {Form} */ (own ? system.value?.declaration : system.value?.reaction);
  const declared = own ? roll.declaration : reacted.find((/** @type {any} */ each) => each.character === who)?.reaction ?? {};
  const around = { link: roll.follows?.[1] ?? null, narrator: true, ...(own ? {} : { declaration: roll.declaration }) };
  const fields = fieldsOf(form, around);
  const key = [trigger, roll.number, who, dispute ?? ""].join("/");
  const command = (/** @type {Record<string, Word>} */ value) => /** @type {Command} */ (trigger === "replace"
    ? { do: "replace/1", roll: roll.number, fields: changed(value, fields, declared) }
    : {
      ...(dispute ? { do: "rule/3", dispute, ruling: "amend" } : { do: "amend/2" }),
      ...{ roll: roll.number, character: who, fields: changed(value, fields, declared), ...contradicting(roll) },
    });
  return html`
    ${sides.length > 1 && html`
      <div class="chips" role="radiogroup" aria-label=${say("form.whose")}>
        ${sides.map((each) => html`<label class="chip" key=${each}>
          <input type="radio" name=${key} checked=${each === who} onChange=${() => pick(each)} />
          <span><${Name} text=${characterName(each)} /></span></label>`)}
      </div>`}
    <${Filling} key=${key} ...${{ draftKey: key, form, around, character: who, command, done }}
      given=${own ? {} : { reacts_to: roll.number }} before=${declared} reason=${true} beside=${trigger === "amend" ? foreseen : undefined} send=${say(dispute ? "dispute.rule-do" : `move.${trigger}`)} />`;
}

// --- a form being filled in -----------------------------------------------------------------------

/**
 * @param {{draftKey: string, form: Form, around: Around, character: string, given: Given, send: string,
 *   offer?: Offer, whole?: boolean, reason?: boolean, before?: Record<string, Word>,
 *   beside?: (deed: Command | null) => any, asks?: readonly string[], opened?: boolean,
 *   command: (value: any, draft: Draft) => Command, done?: () => void}} props
 */
export function Filling({ draftKey, form, around, character, given, send, offer, whole, reason, before, beside, asks, opened, command, done }) {
  const fields = fieldsOf(form, around);
  const empty = useMemo(() => ({ ...EMPTY, values: before ? asTyped(fields, before) : {} }), []);
  const drafted = useDraft(draftKey, empty);
  const [busy, answer, run] = useAction();
  const [tried, attempt] = useState(false);
  const id = draftKey.replace(/[^\w-]/g, "-");
  const own = useRef(/** @type {HTMLFormElement | null} */ (null));
  useEffect(() => void (opened && own.current?.scrollIntoView({ block: "nearest" })), []);
  const { values, text } = drafted.value;
  const begins = asks && Object.keys(given).length === 0; // a roll of its own, no answer
  const openness = useDraft(`declare/${character}`, EMPTY);
  const fixed = offer?.choice && offer.options?.length === 1 ? { [offer.choice]: offer.options[0] } : {};
  const made = filled(fields, { ...values, ...fixed }, around, form.schema);
  const put = (/** @type {string} */ name, /** @type {any} */ value, /** @type {boolean} */ typing = false, tap = false) => {
    const next = { ...values, [name]: value };
    drafted.set({ ...drafted.value, values: next }, typing);
    if (asks?.length !== 1 || !tap) return;
    const { value: all, wrong, missing } = filled(fields, next, around, form.schema);
    if (!wrong.length && !missing.length) submitted(command(all, drafted.value));
  };
  const [sending, sent] = useState(""); // what the answer is to
  const sound = !made.wrong.length && !made.missing.length;
  const deed = sound ? command(made.value, drafted.value) : null;
  const ahead = useAhead(deed, asks ? !given.reacts_to : Boolean(whole && holds(values)));
  async function submitted(/** @type {Command} */ what) {
    const words = reason || whole ? text.trim() : "";
    sent(JSON.stringify(what));
    const found = await run(() => ask(what, words || undefined));
    if (found?.type !== "done") return;
    attempt(false);
    if (what.do === "declare/1") expectRoll(rollIn(found));
    drafted.clear();
    if (begins) openness.set({ ...openness.value, visibility: "public", level: "" }); // it was chosen for this roll
    done?.();
  }
  /** @param {Event} event */
  function submit(event) {
    event.preventDefault();
    attempt(true);
    if (deed && !(reason && !text.trim())) submitted(deed);
  }
  return html`
    <form ref=${own} class="filling" onSubmit=${submit} aria-label=${send}>
      <${Groups} ...${{ id, fields, values, around, form, made, character, given, put, tried, asks }} hidden=${Object.keys(fixed)} />
      ${(whole || begins) && html`<${Openness} id=${id} drafted=${begins ? openness : drafted} follows=${"follows" in given} />`}
      ${(whole || reason) && html`<${Words} id=${`${id}-text`} drafted=${drafted} reason=${reason} missing=${tried && reason && !text.trim()} />`}
      ${(whole || asks) && html`<${Ahead} ahead=${ahead} />`}
      ${beside?.(deed)}
      <div class="acts">
        <button type="submit" class=${ahead && ahead.type !== "preview" ? "" : "main"} aria-disabled=${busy || !sound}>${send}</button>
        ${drafted.undoable && html`
          <button type="button" class="plain" onClick=${drafted.undo}>${say("form.undo")}</button>
          <button type="button" class="plain" onClick=${drafted.clear}>${say("form.clear")}</button>`}
      </div>
      ${sending === JSON.stringify(deed) && html`<${Answer} answer=${answer} />`}
    </form>`;
}

/** Groups of fields that stand open by themselves; the others are opened by who needs them. */
const OPEN = 1;

/** @param {any} props */
function Groups({ id, fields, values, around, form, made, character, given, put, tried, hidden, asks }) {
  const known = properties(form.schema);
  const visible = shown(fields, values, around).filter((field) => !hidden.includes(field.name));
  const groups = asks ? [{ title: "", fields: visible.filter((field) => asks.includes(field.name)) }] : grouped(visible);
  const titled = groups.map(({ title }) => title).filter(Boolean);
  return groups.map(({ title, fields: within }) => {
    const rows = html`<div class="fields">
      ${within.map((field) => html`
        <${Chosen} key=${field.name} ...${{ field, character, given, values }} whole=${form.schema} schema=${known[field.name] ?? {}}>
          ${(/** @type {Choice[]} */ choices) => html`<${FieldView} form=${id} field=${field} schema=${known[field.name] ?? {}}
            whole=${form.schema} value=${values[field.name]} choices=${choices} tapped=${asks ? (asks.length > 1 ? "many" : "one") : ""} wrong=${made.wrong.includes(field.name)}
            missing=${tried && made.missing.includes(field.name)}
            set=${(/** @type {any} */ value, /** @type {boolean} */ typing, /** @type {boolean} */ tap) => put(field.name, value, typing, tap)} />`}
        <//>`)}
    </div>`;
    if (!title) return html`<div class="group" key="">${rows}</div>`;
    const touched = within.some((field) => field.required || holds(values[field.name]));
    return html`
      <details class="group" key=${title} open=${titled.indexOf(title) < OPEN || touched}>
        <summary><${Foreign} text=${title} /></summary>${rows}
      </details>`;
  });
}

/** What was chosen for a character's next roll beside its fields: who sees it, at which level. @param {string} character @returns {Draft} */
export const useOpenness = (character) => useDraft(`declare/${character}`, EMPTY).value;

/** Whether the server names the values of a field. @param {Field} field @param {any} schema @param {any} whole */
function asks(field, schema, whole) {
  const { sort } = sortOf(schema, whole);
  return Boolean(field.picks.of && field.picks.of !== "free") || sort === "one" || sort === "many";
}

/**
 * What may be picked for a field now.
 *
 * @param {{field: Field, schema: Record<string, any>, whole: Record<string, any>, character: string, given: Given, values: Typed,
 *   children: (choices: Choice[]) => any}} props
 */
function Chosen({ field, schema, whole, character, given, values, children }) {
  const [choices, found] = useState(/** @type {Choice[]} */ ([]));
  const whose = field.picks.whose ? { [field.picks.whose]: values[field.picks.whose] } : null;
  const people = characters().length;
  const size = field.picks.of === "sheet" ? sight.value?.size ?? 0 : 0;
  const key = JSON.stringify([character, given, whose, people, size]);
  useEffect(() => {
    let there = true;
    const so_far = whose && holds(Object.values(whose)[0]) ? { so_far: whose } : {};
    if (asks(field, schema, whole)) {
      choicesOf(character, field.name, { ...given, ...so_far }).then((all) => there && Array.isArray(all) && found(all));
    }
    return () => void (there = false);
  }, [key]);
  const named = choices.map((choice) => field.picks.of === "character"
    ? { ...choice, label: characterName(String(choice.value)) } : choice);
  return children(named);
}

// --- beside the system's fields -------------------------------------------------------------------

/** Who sees the roll, and who adds entropy. @param {{id: string, drafted: any, follows: boolean}} props */
function Openness({ id, drafted, follows }) {
  const { visibility, level } = drafted.value;
  const set = (/** @type {object} */ more) => drafted.set({ ...drafted.value, ...more });
  const fair = (sight.value?.dice ?? "").startsWith("fair");
  const least = LEVELS.indexOf(sight.value?.level ?? "server");
  if (follows && !fair) return null;
  return html`
    <details class="group openness" open=${visibility !== "public" || level !== ""}>
      <summary>${say("form.openness")} <span class="now">${say(`visibility.${visibility}`)}</span></summary>
      ${!follows && html`<p class="cap" id=${`${id}-who`}>${say("form.visibility")}</p>
      <div class="chips" role="radiogroup" aria-labelledby=${`${id}-who`}>
        ${VISIBILITIES.map((each) => html`
          <label class="chip" key=${each}><input type="radio" name=${`${id}-visibility`} checked=${each === visibility}
            onChange=${() => set({ visibility: each })} /><span>${say(`visibility.${each}`)}</span></label>`)}
      </div>
      <p class="help">${say(`visibility.${visibility}.help`)}</p>`}
      ${fair && html`<p class="cap" id=${`${id}-chance`}>${say("form.level")}</p>
      <div class="chips" role="radiogroup" aria-labelledby=${`${id}-chance`}>
        ${["", ...LEVELS.slice(least)].map((each) => html`
          <label class="chip" key=${each}><input type="radio" name=${`${id}-level`} checked=${each === level}
            onChange=${() => set({ level: each })} /><span>${say(`level.${each || "none"}`)}</span></label>`)}
      </div>
      <p class="help">${say(`level.${level || "none"}.help`)}</p>`}
    </details>`;
}

/** @param {{id: string, drafted: any, reason?: boolean, missing?: boolean}} props */
function Words({ id, drafted, reason, missing }) {
  return html`
    <div class="asked">
      <label for=${id}>${say(reason ? "form.reason" : "form.text")}</label>
      <input id=${id} type="text" dir="auto" maxlength=${LONGEST} autocomplete="off" value=${drafted.value.text} aria-invalid=${missing}
        onInput=${(/** @type {Event} */ event) => drafted.set({ ...drafted.value, text: /** @type {HTMLInputElement} */ (event.currentTarget).value }, true)} />
      ${missing && html`<p class="wrong" role="alert">${say("form.missing")}</p>`}
    </div>`;
}

// --- a look ahead ---------------------------------------------------------------------------------

/**
 * What a command would lead to: a Preview, a Refusal, or null as long as it is not known.
 *
 * @param {Command | null} command @param {boolean} [wanted]
 */
export function useAhead(command, wanted = true) {
  const [ahead, found] = useState(/** @type {any} */ (null));
  const key = command && wanted ? JSON.stringify(command) : "";
  const size = sight.value?.size;
  useEffect(() => {
    let there = true;
    const timer = setTimeout(async () => {
      const answer = key ? await preview(JSON.parse(key)) : null;
      if (there) found(answer);
    }, key ? PAUSE : 0);
    return () => {
      there = false;
      clearTimeout(timer);
    };
  }, [key, size]);
  return key ? ahead : null;
}

/** What a declaration would lead to: the dice, the price, or why not. @param {{ahead: any}} props */
export function Ahead({ ahead }) {
  if (!ahead) return null;
  if (ahead.type !== "preview") return html`<div class="ahead refused" role="status"><${Refusal} answer=${ahead} /></div>`;
  const next = (ahead.offers ?? []).find((/** @type {Offer} */ each) => each.trigger === "roll" || each.trigger === "react");
  if (!next) return null;
  const kinds = sight.value?.kinds ?? {};
  const counted = Object.entries(Object.groupBy(next.dice ?? [], (/** @type {string} */ kind) => kind));
  return html`
    <div class="ahead" role="status">
      ${next.trigger === "react"
        ? sentence("form.answers", { who: characterName(next.character) })
        : html`${say("form.throws")} ${counted.map(([kind, all], at) => html`${at > 0 && ", "}${all?.length} × <${Foreign} text=${kinds[kind] ?? kind} />`)}`}
      ${next.note && html`<span class="note"><${Foreign} text=${next.note} /></span>`}
    </div>`;
}
