// Every event that a payload may hold, and the form of its fields.

import { equal, parseHalves, readJson } from "./json.js";

const isText = (value) => typeof value === "string";
const isSeat = (value) => isText(value) && /^[a-z0-9-]{1,32}$/.test(value);
const isTable = (value) => isText(value) && /^[a-z0-9]{8,32}$/.test(value);
const isInt = (value) => Number.isSafeInteger(value);
const isBool = (value) => typeof value === "boolean";
const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const oneOf = (...words) => (value) => words.includes(value);
const listOf = (item) => (value) => Array.isArray(value) && value.every(item);
const tuple = (...items) => (value) =>
  Array.isArray(value) && value.length === items.length && items.every((is, at) => is(value[at]));
const mapOf = (item) => (value) => isObject(value) && Object.values(value).every(item);
const orNull = (is) => (value) => value === null || is(value);

/** A field that may be missing, and is not written where it has its usual value. */
const maybe = (is, usual) => Object.assign((value) => is(value), { optional: true, usual });
const maybeNull = (is) => maybe(orNull(is), null);

/** What fractions a rating may have is its table's to say. */
const isRating = (value) => typeof value === "number";
const isAny = () => true;
const isFace = (value) => isText(value) || isInt(value);
const isLevel = oneOf("server", "player", "table");
const thrown = listOf(tuple(isText, isText, isFace));

/** A track changed by a number; with a fourth item that is not null it was set to that one. */
const isChange = tuple(isText, isText, isInt);
const isSetting = tuple(isText, isText, isInt, orNull(isInt));
const effects = maybe(listOf((value) => isChange(value) || isSetting(value)), []);

const PROOF = {
  throw: isInt,
  source: oneOf("fair", "seeded", "scripted", "manual"),
  committed: maybeNull(isInt),
  seed: maybeNull(isText),
  nonce: maybeNull(isText),
  next: maybeNull(isText),
};
const isProof = (value) => isObject(value) && misfit(value, PROOF) === null;

const OPENED = {
  table: isTable,
  ruleset: isText,
  version: isInt,
  options: isObject,
  source: isText,
  level: isLevel,
  core: isInt,
};
const ALONE = { ...OPENED, one_machine: maybe(isBool, false) };
const faces = maybe(mapOf(listOf(isFace)), {});
const TAKEN = { seat: isSeat, role: oneOf("narrator", "player", "witness") };

/** The fields of every event beside `type` and `by`. */
const TABLE = {
  "table-opened/1": OPENED,
  "table-opened/2": ALONE,
  "table-opened/3": { ...ALONE, faces },
  "seat-taken/1": TAKEN,
  "seat-taken/2": { ...TAKEN, key: maybeNull(isText) },
  "seat-named/1": { seat: isSeat },
  "seat-left/1": { seat: isSeat },
  "character-entered/1": {
    character: isText,
    seat: isSeat,
    attributes: mapOf(isRating),
    tracks: mapOf(isInt),
  },
  "character-named/1": { character: isText },
  "character-given/1": { character: isText, seat: isSeat },
  "character-removed/1": { character: isText },
  "track-set/1": { character: isText, track: isText, value: isInt },
  "attribute-set/1": { character: isText, attribute: isText, value: isRating },
  "reading-set/1": { name: isText, value: isAny, faces },
  "table-set/1": { name: isText, value: isAny },
  "share-anchored/1": { anchor: isText },
  "noted/1": { about: isInt },
  "text-said/1": { salt: isText, text: isText },
  "entry-erased/1": { seq: isInt },
  "epoch-begun/1": { epoch: isInt, commits: listOf(tuple(isInt, isInt, isText)) },
};

const AMENDED = {
  character: isText,
  declared: isObject,
  outcome: maybeNull(isObject),
  effects,
};

const RULED = { dispute: isInt, ruling: oneOf("stands", "amend", "void", "replay") };

const DECLARED = {
  character: isText,
  declaration: isObject,
  visibility: oneOf("public", "gm", "blind", "self"),
  level: maybeNull(isLevel),
  follows: maybeNull(tuple(isInt, isText)),
  effects,
  commit: maybeNull(isText),
};

const VOIDED = { throw: maybeNull(isInt), seed: maybeNull(isText) };

/** The fields of every event of a roll beside `type`, `by` and `roll`. */
const ROLL = {
  "roll-declared/1": DECLARED,
  "roll-declared/2": DECLARED,
  "reaction-declared/1": { character: isText, reaction: orNull(isObject), effects },
  "throw-planned/1": {
    throw: isInt,
    trigger: oneOf("roll", "reroll"),
    hand: isText,
    dice: listOf(tuple(isText, isText)),
    option: maybeNull(isInt),
  },
  "throw-asked/1": {
    throw: isInt,
    committed: isInt,
    asked: listOf(tuple(isSeat, isInt)),
    left: maybe(listOf(isSeat), []),
  },
  "share-opened/1": { throw: isInt, share: isText },
  "throw-broken/1": { throw: isInt, kept: listOf(isSeat), seed: isText, next: isText },
  "dice-rolled/1": {
    character: isText,
    hand: isText,
    dice: thrown,
    option: maybeNull(isInt),
    proof: maybeNull(isProof),
    taken: maybeNull(isInt),
  },
  "dice-frozen/1": { hand: isText, dice: listOf(isText) },
  "dice-rerolled/1": { hand: isText, dice: thrown, proof: isProof, effects },
  "dice-adjusted/1": { hand: isText, means: isText, dice: listOf(tuple(isText, isFace)) },
  "choice-made/1": { character: isText, choice: isText, option: isText },
  "roll-resolved/1": { outcome: isObject, effects },
  "damage-applied/1": { target: isText, damage: isObject, effects },
  "roll-voided/1": VOIDED,
  "roll-voided/2": VOIDED,
  "roll-revealed/1": {},
  "roll-revealed/2": { entries: maybeNull(isInt) },
  "throw-confirmed/1": { throw: isInt },
  "declaration-vetoed/1": {},
  "declaration-replaced/1": { declared: isObject, effects },
  "flavour-named/1": { hand: isText, words: listOf(isText), tone: isText },
  "fate-decided/1": {
    character: isText,
    fate: oneOf("killed", "destroyed", "spared"),
    part: maybeNull(isText),
  },
  "roll-amended/1": AMENDED,
  "roll-amended/2": { ...AMENDED, needless: maybe(listOf(isInt), []) },
  "dispute-raised/1": {},
  "ruling-made/1": RULED,
  "ruling-made/2": { ...RULED, instead: maybeNull(isInt) },
};

const within = (fields, more) =>
  Object.entries(fields).map(([type, own]) => [type, { type: isText, by: isSeat, ...more, ...own }]);

/** Older types whose events are read as those of the next version; `was` is their own type. */
const OLDER = [
  ...["table-opened/1", "table-opened/2", "seat-taken/1", "roll-declared/1", "roll-voided/1"],
  ...["roll-amended/1", "ruling-made/1", "roll-revealed/1"],
];

/** Events of earlier versions that are read no more: shares took their place. */
const GONE = [
  ...["nonce-committed/1", "witness-given/1", "seats-passed-over/1", "nonce-withheld/1"],
  "witnessing-set/1",
];

/** Type -> the form of every field, older versions too. */
export const EVENTS = new Map([...within(TABLE, {}), ...within(ROLL, { roll: isInt })]);

/** What is wrong with an object that should have exactly these fields, or null. */
export function misfit(value, fields) {
  for (const name of Object.keys(value)) {
    if (!Object.hasOwn(fields, name)) return `${name} is no field of it`;
  }
  for (const [name, is] of Object.entries(fields)) {
    if (!(name in value)) {
      if (!is.optional) return `${name} is missing`;
    } else if (!is(value[name])) {
      return `${name} is not of its form`;
    }
  }
  return null;
}

const isSeen = tuple(isInt, isText);
const ASKED = { request: isText, body: isText, seen: maybeNull(isSeen), sig: maybeNull(isText) };
const PAYLOAD = { asked: maybe(isObject, null), event: isObject };

/** What is written inside of a field in one way. */
const INSIDE = {
  proof: (proof) => untidy(proof, PROOF),
  effects: (list) => (list.some((each) => each[3] === null) ? "an effect sets nothing" : null),
};

/** In what an object with these fields is not written as the log writes it, or null. */
function untidy(value, fields) {
  const names = Object.keys(fields).filter((name) => name in value);
  if (Object.keys(value).some((name, at) => name !== names[at])) return "another order of fields";
  for (const name of names) {
    const { optional, usual } = fields[name];
    if (optional && equal(value[name], usual)) return `${name} has its usual value`;
    const inside = value[name] === null ? null : (INSIDE[name]?.(value[name]) ?? null);
    if (inside !== null) return inside;
  }
  return null;
}

/** Where a number may have a fraction or an exponent; inside a text it means nothing. */
const FRACTION = /[0-9][.eE]/;

/**
 * What a payload holds: {asked, event, odd}, `asked` null but in a commit's first entry. `odd` says
 * in what the payload is not written as the log writes it, which has one way; "" where it is. Throws
 * NotJson, or an Error with what it is instead.
 */
export function readPayload(payload) {
  // The form first, of numbers as they are written: 1.0 is no whole number.
  if (FRACTION.test(payload)) formed(parseHalves(payload, 0));
  const { value, odd } = readJson(payload);
  return { ...formed(value), odd: odd || tidied(value) };
}

/** In what payload, request or event is not written as the log writes it; "" for nothing. */
function tidied(payload) {
  const { asked, event } = payload;
  const wrong = untidy(payload, PAYLOAD) ?? (asked ? untidy(asked, ASKED) : null);
  return wrong ?? untidy(event, EVENTS.get(event.type)) ?? "";
}

function formed(found) {
  if (!isObject(found)) throw new Error("a payload that is no object");
  const wrong = misfit(found, PAYLOAD);
  if (wrong !== null) throw new Error(`not a payload: ${wrong}`);
  const asked = found.asked ?? null;
  const strange = asked && misfit(asked, ASKED);
  if (strange) throw new Error(`not what was asked: ${strange}`);
  return { asked, event: readEvent(found.event) };
}

function readEvent(event) {
  const fields = isText(event.type) ? EVENTS.get(event.type) : undefined;
  if (GONE.includes(event.type)) {
    throw new Error(`${event.type} is of an earlier version: shares took its place`);
  }
  if (fields === undefined) throw new Error(`no event is known as ${JSON.stringify(event.type)}`);
  const wrong = misfit(event, fields);
  if (wrong !== null) throw new Error(`not ${event.type}: ${wrong}`);
  let { type } = event;
  while (OLDER.includes(type)) {
    const [name, version] = type.split("/");
    type = `${name}/${Number(version) + 1}`;
  }
  return type === event.type ? event : { ...event, type, was: event.type };
}
