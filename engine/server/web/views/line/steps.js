// @ts-check
/** What may be done in the rolls that are there, by the words of a shell: one row for each way to do it. */

import { useEffect, useState } from "preact/hooks";

import { ask, draft, rollablesOf, sight, system, throwDice, THROWN } from "../../state/app.js";
import { say } from "../../words/index.js";
import { adjusting, choosing, contradicting, declinable, plainly, reacting, slots, standing, typedFaces } from "../commands.js";
import { fieldsOf, filled, properties, shown, sortOf } from "../fields/model.js";
import { declaring } from "../form.js";
import { facesOf } from "../kinds.js";
import { offersBy } from "../offers.js";
import { characters, isNarrator } from "../shown.js";
import { canType } from "../typed.js";
import { begun, given, Unread } from "./words.js";

/**
 * @import { Command, HandSight, Move, Offer, Rollable, RollMoves } from "../../urim.d.ts"
 * @import { Outcome } from "../../state/requests.js"
 * @import { Around, Form, Typed } from "../fields/model.js"
 * @typedef {ReadonlyMap<string, readonly Rollable[]>} Answers
 *
 * A way to do a step: its name, its roll, words that may come behind it, and what its words make it do.
 * `raw` is all behind the name, as it was typed.
 * @typedef {{name: string, roll: number, character: string, hand: string, more: string[], does: (words: string[], label: string, raw: string) => () => Promise<Outcome>}} Step
 */

/** Steps that need nothing but the roll, and those that need a reason: trigger and name. */
const PLAINLY = /** @type {const} */ ({ resolve: "resolve", apply_damage: "damage", reveal: "reveal", withdraw: "withdraw" });
const REASONED = /** @type {const} */ ({ dispute: "dispute", void: "void", veto: "veto" });

/** What is shown of a roll. @param {number} number @returns {any} */
const rollOf = (number) => sight.value?.rolls.find((each) => each.roll === number);

/** The roll and the character of an answer. @param {number} roll @param {string} character */
const place = (roll, character) => `${roll} ${character}`;

/** What the sheets answer with, by roll and character; null until it is known. @param {ReadonlyMap<number|null, RollMoves>} all @returns {Answers | null} */
export function useAnswers(all) {
  const [found, set] = useState(/** @type {{key: string, answers: Answers} | null} */ (null));
  const asked = [...all].flatMap(([roll, { moves }]) => (roll === null ? [] : offersBy([...moves], "react").map(({ offer: { character } }) => ({ roll, character }))));
  const key = JSON.stringify([...asked, asked.map(({ character }) => characters().find((each) => each.id === character)?.attributes)]);
  useEffect(() => {
    let there = true;
    const known = asked.map(async ({ roll, character }) => /** @type {const} */ ([place(roll, character), (await rollablesOf(character, { reacts_to: roll })) ?? []]));
    void Promise.all(known).then((answers) => there && set({ key, answers: new Map(answers) }));
    return () => void (there = false);
  }, [key]);
  return found?.key === key ? found.answers : null;
}

/** Every step that is possible now, in the newest roll first. @param {ReadonlyMap<number|null, RollMoves>} all @param {Answers | null} answers @returns {Step[]} */
export function steps(all, answers) {
  const numbers = [...all.keys()].filter((each) => each !== null).sort((one, other) => other - one);
  return numbers.flatMap((number) => inRoll(number, [...(all.get(number)?.moves ?? [])], answers));
}

/** @param {number} number @param {Move[]} moves @param {Answers | null} answers @returns {Step[]} */
function inRoll(number, moves, answers) {
  const legal = (/** @type {string} */ trigger) => moves.some((move) => move.trigger === trigger && move.legal);
  const plain = Object.entries(PLAINLY).filter(([trigger]) => legal(trigger));
  const reasoned = Object.entries(REASONED).filter(([trigger]) => legal(trigger));
  const offered = Object.entries(OFFERED).flatMap(([trigger, ways]) =>
    offersBy(moves, trigger).flatMap(({ offer, label }) => ways(number, offer, label, answers)
      .map((each) => ({ more: [], ...each, roll: number, character: offer.character, hand: label.hand || offer.hand || "" }))));
  const alone = (/** @type {string} */ name, /** @type {Step["does"]} */ does) => ({ name, roll: number, character: "", hand: "", more: [], does });
  return [
    ...offered,
    ...plain.map(([trigger, name]) => alone(name, (words, label) => {
      none(words, label);
      return () => ask(plainly(/** @type {keyof typeof PLAINLY} */ (trigger), number));
    })),
    ...(legal("rule") ? [{ ...alone("rule", (words, _, raw) => ruled(number, words, raw)), more: RULINGS }] : []),
    ...reasoned.map(([trigger, name]) => alone(name, (_, __, reason) => {
      if (!reason) throw new Unread("line.missing", { name: say("form.reason") }, [`${name} …`]);
      const command = { ...plainly(/** @type {keyof typeof REASONED} */ (trigger), number), ...(trigger === "void" ? contradicting(rollOf(number)) : {}) };
      return () => ask(/** @type {Command} */ (command), reason);
    })),
  ];
}

/** @typedef {Pick<Step, "name"|"does"> & {more?: string[]}} Way */
/** @type {Record<string, (number: number, offer: Offer, label: any, answers: Answers | null) => Way[]>} */
const OFFERED = {
  roll: (number, offer, label) => (isThrown(number, offer) ? [] : ["roll", "throw"].map((name) => ({
    name, more: (offer.options ?? []).map(String), does: (/** @type {string[]} */ words, /** @type {string} */ text) => (none([], text), throwing(number, offer, label, words)),
  }))),
  reroll: (number, offer) => [{ name: "reroll", does: (words, text) => (none([], text), again(number, offer, words)) }],
  freeze: (number, offer) => [
    { name: "stand", does: (words, text) => (none(words, text), () => ask(standing(number, handOf(number, offer)))) },
    { name: "freeze", does: (words, text) => {
      none([], text);
      if (!words.length) throw new Unread("line.missing", { name: "d1 d2 …" }, offer.dice);
      const ids = dice(handOf(number, offer), words);
      return () => ask({ do: "freeze/1", roll: number, hand: offer.hand ?? "", dice: ids });
    } },
  ],
  adjust: (number, offer, label) => [offer.choice ? {
    name: "choose", more: (offer.options ?? []).map((each, at) => label.options?.[at] ?? String(each)),
    does: (words, text) => (none([], text), choice(number, offer, label, words.join(" "))),
  } : { name: "adjust", does: (words, text) => (none([], text), adjusted(number, offer, words)) }],
  react: (number, offer, _, answers) => [
    ...(declinable(offer) ? [{ name: "decline", does: (/** @type {string[]} */ words, /** @type {string} */ text) => (none(words, text), () => ask(reacting(number, offer, null))) }] : []),
    { name: "react", more: namesOf(answers?.get(place(number, offer.character)) ?? []), does: (words, text) => {
      none([], text);
      if (!answers) throw new Unread("form.loading");
      const around = { link: null, declaration: rollOf(number)?.declaration, narrator: isNarrator() };
      const own = answers.get(place(number, offer.character)) ?? [];
      const command = reacting(number, offer, answering(/** @type {any} */ (system.value?.reaction), around, own, offer, words));
      return () => ask(command);
    } },
  ],
  declare: (number, offer, label) => (offer.link ? [{ name: label.link || offer.link, does: (words, text) => {
    const link = /** @type {string} */ (offer.link);
    const value = made(/** @type {any} */ (system.value?.declaration), { link, narrator: isNarrator() }, fixed(offer), words);
    return () => ask(declaring(offer.character, value, { values: {}, text: "", visibility: "public", level: "" }, [number, link]), text || null);
  } }] : []),
};

/** @param {readonly Rollable[]} rollables */
const namesOf = (rollables) => rollables.map(({ name }) => name);

/** An answer: by the name of a roll of the sheet, or by its fields. @param {Form} form @param {Around} around @param {readonly Rollable[]} own @param {Offer} offer @param {string[]} words */
function answering(form, around, own, offer, words) {
  const named = words.filter((word) => word.includes("="));
  const found = begun(words.filter((word) => !named.includes(word)), namesOf(own));
  const rollable = own.find(({ name }) => name === found?.name);
  if (!found || !rollable) return made(form, around, fixed(offer), words);
  return made(form, around, /** @type {Typed} */ ({ ...rollable.declaration, ...fixed(offer) }), [...named, ...found.rest], rollable.asks ?? []);
}

/** Whether a throw was made that this seat may not see: only the page knows. @param {number} number @param {Offer} offer */
const isThrown = (number, offer) => rollOf(number)?.seen === "declaration" && Boolean(draft(THROWN, null).value?.now.includes(`${number} ${offer.character}`));

/** What is ruled in a word, and why. @param {number} number @param {string[]} words @param {string} raw */
function ruled(number, words, raw) {
  const roll = rollOf(number);
  const open = roll.disputes.filter((/** @type {any} */ each) => each.ruling === null);
  const [ruling = ""] = words;
  const reason = raw.slice(ruling.length).trim();
  if (!RULINGS.includes(ruling)) throw new Unread("line.value", { word: ruling, name: "rule" }, RULINGS);
  if (!reason) throw new Unread("line.missing", { name: say("form.reason") }, [`rule ${ruling} …`]);
  if (open.length !== 1) throw new Unread("line.whose", { name: "rule" });
  const command = { do: "rule/3", roll: number, dispute: open[0].seq, ruling, ...(ruling === "stands" ? {} : contradicting(roll)) };
  return () => ask(/** @type {Command} */ (command), reason);
}

/** Rulings that need nothing but a reason. */
const RULINGS = ["stands", "void", "replay"];

/** What an offer fills in by itself. @param {Offer} offer @returns {Typed} */
const fixed = (offer) => (offer.choice && offer.options?.length === 1 ? { [offer.choice]: offer.options[0] } : {});

/**
 * What words make of a form. Raises Unread for what cannot be read, does not apply, or is missing.
 *
 * @param {Form} form @param {Around} around @param {Typed} before @param {readonly string[]} words @param {readonly string[]} [asks]
 * @param {readonly string[]} [ratings]  of the character
 */
export function made(form, around, before, words, asks, ratings = []) {
  const fields = fieldsOf(form, around);
  const asked = asks ?? shown(fields, before, around).filter(({ name }) => !(name in before)).map(({ name }) => name);
  const values = given(before, words, { form, fields, asks: asked, people: characters(), ratings });
  const { value, wrong, missing } = filled(fields, values, around, form.schema);
  const applies = shown(fields, values, around).map(({ name }) => name);
  const idle = Object.keys(values).filter((name) => !(name in before) && !applies.includes(name));
  if (wrong.length) throw new Unread("line.wrong", { name: wrong.join(", "), word: wrong.map((name) => values[name]).join(", ") }, wrong.flatMap((name) => bounds(form, name)));
  if (missing.length) throw new Unread("line.missing", { name: missing.join(", ") }, missing.map((name) => `${name}=`));
  if (idle.length) throw new Unread("line.idle", { name: idle.join(", ") }, applies.map((name) => `${name}=`));
  return value;
}

/** The least and the most that a number may be. @param {Form} form @param {string} name */
function bounds(form, name) {
  const { least, most } = sortOf(properties(form.schema)[name] ?? {}, form.schema);
  return least === undefined && most === undefined ? [] : [`${least ?? "…"} – ${most ?? "…"}`];
}

/** Nothing comes behind. @param {readonly string[]} words @param {string} [label] */
function none(words, label = "") {
  if (words.length || label) throw new Unread("line.more", { word: words[0] ?? `# ${label}` });
}

/** @param {number} number @param {Offer} offer @returns {HandSight} */
const handOf = (number, offer) => rollOf(number)?.hands.find((/** @type {HandSight} */ each) => each.name === offer.hand);

/** Ids of dice, with or without their letter. @param {HandSight} hand @param {readonly string[]} words */
function dice(hand, words) {
  const ids = hand.dice.map((die) => die.id);
  return words.map((word) => {
    const found = ids.find((id) => id === word || id.replace(/^[a-z]+/, "") === word);
    if (!found) throw new Unread("line.die", { word }, ids);
    return found;
  });
}

/** Faces that were typed, of these kinds; null where a table's dice are not typed. @param {readonly string[]} kinds @param {Offer} offer @param {string[]} words */
function faces(kinds, offer, words) {
  if (!canType()) {
    none(words);
    return null;
  }
  const found = typedFaces(words, slots(kinds, offer.again ?? [], words).map(({ kind }) => facesOf(kind)));
  if (!found || found.length !== words.length) throw new Unread("line.faces", { n: kinds.length }, kinds);
  return found;
}

/** A hand, by its name where several can be thrown; how many dice, where that is free. @param {number} number @param {Offer} offer @param {any} label @param {string[]} words */
function throwing(number, offer, label, words) {
  const rest = words[0] && [offer.hand, label.hand].includes(words[0]) ? words.slice(1) : [...words];
  const options = (offer.options ?? []).map(Number);
  const asked = options.length && rest.length && options.includes(Number(rest[0])) ? Number(rest.shift()) : null;
  if (options.length && rest.length && asked === null && !canType()) throw new Unread("line.value", { word: rest[0], name: label.hand || offer.hand }, options.map(String));
  const option = asked ?? options[0] ?? null;
  const typed = offer.link ? (none(rest), null) : faces((offer.dice ?? []).slice(0, option ?? undefined), offer, rest);
  return () => throwDice(number, offer.hand ?? "", { option, faces: typed });
}

/** @param {number} number @param {Offer} offer @param {string[]} words */
function again(number, offer, words) {
  const hand = handOf(number, offer);
  const all = (offer.least ?? 1) >= (offer.dice ?? []).length;
  const named = canType() ? words.filter((word) => hand.dice.some((die) => die.id === word)) : words;
  const some = all && !named.length ? [...offer.dice ?? []] : dice(hand, named);
  if (!some.length) throw new Unread("line.missing", { name: "d1 d2 …" }, offer.dice);
  const kinds = some.map((id) => hand.dice.find((die) => die.id === id)?.kind ?? "");
  const typed = faces(kinds, offer, canType() ? words.filter((word) => !named.includes(word)) : []);
  return () => throwDice(number, offer.hand ?? "", { dice: some, faces: typed });
}

/** @param {number} number @param {Offer} offer @param {readonly string[]} words */
function adjusted(number, offer, words) {
  const hand = handOf(number, offer);
  const to = Object.fromEntries(words.map((word) => {
    const [die = "", face = ""] = word.split("=");
    const [id = ""] = dice(hand, [die]);
    const allowed = Object.keys(offer.to?.[id] ?? {});
    if (!allowed.includes(face)) throw new Unread("line.value", { word: face, name: id }, allowed);
    return [id, typeof hand.dice.find((each) => each.id === id)?.face === "number" ? Number(face) : face];
  }));
  if (!words.length) throw new Unread("line.missing", { name: "d1=6" }, Object.keys(offer.to ?? {}).map((id) => `${id}=`));
  return () => ask(adjusting(number, offer, hand, to));
}

/** @param {number} number @param {Offer} offer @param {any} label @param {string} word */
function choice(number, offer, label, word) {
  const options = offer.options ?? [];
  const at = options.findIndex((each, place) => [String(each), label.options?.[place]].some((name) => name?.toLocaleLowerCase() === word.toLocaleLowerCase()));
  if (at < 0) throw new Unread("line.value", { word, name: label.choice || offer.choice }, options.map((each, place) => label.options?.[place] ?? String(each)));
  return () => ask(choosing(number, offer, /** @type {string|number} */ (options[at])));
}
