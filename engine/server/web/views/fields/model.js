// @ts-check
/**
 * A form of a system: its fields, which of them apply, and what they make together. Pure.
 *
 * A form is what `/systems/NAME` has under `declaration` or `reaction`. What is typed is kept as it
 * was typed, text for numbers too, so that nothing half-typed is lost: see `filled`.
 */

/**
 * @import { Word } from "../../urim.d.ts"
 * @typedef {{field: string, values?: (string|number|boolean)[], unless?: boolean}} When
 * @typedef {{of?: string, part?: string, whose?: string, chart?: string, options?: string[]}} Picks
 *
 * @typedef {object} Field
 * @property {string} name
 * @property {string} title
 * @property {string} help
 * @property {string} group
 * @property {When[]} when
 * @property {Picks} picks
 * @property {boolean} required
 * @property {Word} default
 * @property {Field[]} fields
 * @property {""|"+"|"vs"} said  behind which mark a line of words has it
 * @property {"player"|"narrator"|"rules"} [set_by]
 *
 * @typedef {Record<string, any>} Schema
 * @typedef {{doc: string, fields: Field[], schema: Schema}} Form
 * @typedef {Record<string, any>} Typed  what was typed, by the name of its field
 *
 * What a condition may ask beside the fields: how the roll follows another (null: it does not), and
 * the declaration that is reacted to.
 * @typedef {{link: string|null, declaration?: Record<string, Word>, narrator?: boolean}} Around
 *
 * What a field takes. `sort`: `flag`, `maybe` (yes, no or neither), `number`, `text`, `either` (a
 * text or a number), `one` of `values`, `many` of them (or of what is picked), `numbers` (a list),
 * `rates` (a number by name; with `values` these names alone), `parts` (fields by name).
 * @typedef {object} Sort
 * @property {string} sort
 * @property {(string|number)[]} [values]
 * @property {number} [least]
 * @property {number} [most]
 * @property {boolean} [whole]
 * @property {number} [length]
 * @property {string[]} [examples]
 * @property {Schema} [inner]  of `parts`: the schema of the fields within
 */

/** The fields that a seat fills in, narrators' among them for narrators. @param {Form} form @param {Around} around */
export function fieldsOf(form, around) {
  const may = (/** @type {Field} */ field) =>
    field.set_by === "player" || (field.set_by === "narrator" && Boolean(around.narrator));
  return form.fields.filter(may);
}

/** Whether a value is something: not null, false, nor an empty text, list or object. @param {unknown} value */
export function holds(value) {
  if (value === null || value === undefined || value === false || value === "") return false;
  return typeof value !== "object" || Object.keys(value).length > 0;
}

/** @param {When} when @param {Record<string, unknown>} values @param {Around} around */
function met(when, values, around) {
  const declared = when.field.startsWith("declaration.") ? when.field.slice("declaration.".length) : "";
  const value = when.field === "link" ? around.link : declared ? around.declaration?.[declared] : values[when.field];
  const found = when.values?.length ? when.values.some((each) => each === value) : holds(value);
  return found !== Boolean(when.unless);
}

/**
 * The fields that apply now, in order. One that does not apply holds nothing for the others.
 *
 * @param {Field[]} fields @param {Typed} typed @param {Around} around
 * @returns {Field[]}
 */
export function shown(fields, typed, around) {
  let applied = fields;
  for (let turn = 0; turn <= fields.length; turn += 1) {
    const values = Object.fromEntries(applied.map((field) => [field.name, typed[field.name] ?? field.default]));
    const next = fields.filter((field) => field.when.every((when) => met(when, values, around)));
    if (next.length === applied.length && next.every((field, at) => field === applied[at])) break;
    applied = next;
  }
  return applied;
}

/** Fields under their headings, in order of the first of each. @param {Field[]} fields */
export function grouped(fields) {
  /** @type {Map<string, Field[]>} */
  const groups = new Map();
  for (const field of fields) groups.set(field.group, [...(groups.get(field.group) ?? []), field]);
  return [...groups].map(([title, within]) => ({ title, fields: within }));
}

// --- what a field takes ---------------------------------------------------------------------------

/** The schema of a form's own fields. @param {Schema} schema @returns {Record<string, Schema>} */
export function properties(schema) {
  return resolved(schema, schema).properties ?? {};
}

/** @param {Schema} schema @param {Schema} whole @returns {Schema} */
function resolved(schema, whole) {
  const name = schema.$ref?.split("/").pop();
  return name ? { ...whole.$defs[name], $defs: whole.$defs } : schema;
}

/**
 * What a field takes, by its schema.
 *
 * @param {Schema} schema  of the field
 * @param {Schema} whole  which has the definitions
 * @returns {Sort}
 */
export function sortOf(schema, whole) {
  const ways = (schema.anyOf ?? [schema]).filter((/** @type {Schema} */ way) => way.type !== "null");
  const nullable = ways.length < (schema.anyOf?.length ?? 1);
  const found = resolved(ways[0] ?? {}, whole);
  const types = ways.map((/** @type {Schema} */ way) => way.type);
  if (types.includes("string") && (types.includes("integer") || types.includes("number"))) {
    return { ...bounds(ways.find((/** @type {Schema} */ way) => way.type !== "string")), sort: "either", length: found.maxLength };
  }
  if (found.enum) return { sort: "one", values: found.enum };
  if (found.type === "boolean") return { sort: nullable ? "maybe" : "flag" };
  if (found.type === "integer" || found.type === "number") return { ...bounds(found), sort: "number" };
  if (found.type === "array") return listed(found);
  if (found.type === "object") return named(found, whole);
  return { sort: "text", length: found.maxLength, examples: schema.examples ?? found.examples };
}

/** @param {Schema} schema */
function bounds(schema) {
  return { least: schema.minimum, most: schema.maximum, whole: schema.type === "integer" };
}

/** @param {Schema} schema @returns {Sort} */
function listed(schema) {
  const items = schema.items ?? {};
  const numbers = [items, ...(items.anyOf ?? [])].some((way) => way.type === "integer" || way.type === "number");
  return numbers ? { sort: "numbers", most: schema.maxItems } : { sort: "many", values: items.enum, most: schema.maxItems };
}

/** @param {Schema} schema @param {Schema} whole @returns {Sort} */
function named(schema, whole) {
  const each = schema.additionalProperties ?? {};
  const most = schema.maxProperties;
  if (each.$ref) return { sort: "parts", inner: resolved(each, whole), most };
  return { ...bounds(each), sort: "rates", values: schema.propertyNames?.enum };
}

// --- what they make -------------------------------------------------------------------------------

/** What cannot be read as what a field takes. */
const WRONG = Symbol("wrong");

/** @param {unknown} text @param {Sort} sort */
function number(text, sort) {
  // 7,5 is a half, and 1,000 may be a thousand: it is neither.
  const found = typeof text === "number" ? text : Number(String(text).trim().replace(/,(?!\d{3}$)/, ".").replace("\u2212", "-"));
  const fits = Number.isFinite(found) && (!sort.whole || Number.isInteger(found));
  const within = found >= (sort.least ?? -Infinity) && found <= (sort.most ?? Infinity);
  return fits && within ? found : WRONG;
}

/** @param {Record<string, unknown>} rows @param {(value: unknown) => any} read */
function each(rows, read) {
  const found = Object.entries(rows).filter(([name, value]) => name.trim() && value !== "" && value !== null);
  const values = found.map(([name, value]) => [name.trim(), read(value)]);
  return values.some(([, value]) => value === WRONG) ? WRONG : Object.fromEntries(values);
}

/** @type {Record<string, (value: any, sort: Sort, field: Field, whole: Schema) => any>} */
const READ = {
  flag: (value) => Boolean(value),
  maybe: (value) => value,
  one: (value, sort) => sort.values?.find((known) => String(known) === String(value)) ?? WRONG,
  text: (value, _, field) => (field.picks?.of && field.picks.of !== "free" ? String(value) : String(value).trim()),
  number: (value, sort) => number(value, sort),
  either(value, sort) {
    const text = String(value).trim();
    return /^[-+\u2212]?[\d.,]+$/.test(text) ? number(text, sort) : text;
  },
  many: (value) => value,
  numbers(value) {
    const items = Array.isArray(value) ? value : String(value).split(/[\s,;]+/).filter(Boolean);
    return items.map((item) => (/^-?\d+$/.test(String(item)) ? Number(item) : item));
  },
  rates: (value, sort) => each(value, (rate) => number(rate, sort)),
  parts(value, sort, field, whole) {
    const schema = { ...sort.inner, $defs: whole.$defs };
    return each(value, (part) => {
      const within = filled(field.fields, /** @type {Typed} */ (part), { link: null }, schema);
      return within.wrong.length ? WRONG : within.value;
    });
  },
};

/** @param {unknown} one @param {unknown} other */
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/**
 * What the fields make: only what applies, and what is not as it is by itself.
 *
 * @param {Field[]} fields @param {Typed} typed @param {Around} around
 * @param {Schema} schema  of the form
 * @returns {{value: Record<string, Word>, wrong: string[], missing: string[]}} `wrong` and `missing`
 *   are names of fields: what cannot be read, and what is required and not there
 */
export function filled(fields, typed, around, schema) {
  const known = properties(schema);
  /** @type {Record<string, Word>} */
  const value = {};
  const [wrong, missing] = [/** @type {string[]} */ ([]), /** @type {string[]} */ ([])];
  for (const field of shown(fields, typed, around)) {
    const raw = typed[field.name];
    if (raw === undefined || raw === null || raw === "") {
      if (field.required) missing.push(field.name);
      continue;
    }
    const sort = sortOf(known[field.name] ?? {}, schema);
    const read = READ[sort.sort](raw, sort, field, schema);
    if (read === WRONG) wrong.push(field.name);
    else if (field.required && !holds(read) && read !== 0 && read !== false) missing.push(field.name);
    else if ((holds(read) || read === false || holds(field.default)) && !same(read, field.default)) value[field.name] = read;
  }
  return { value, wrong, missing };
}

/**
 * What stands in a form that corrects a declaration: its fields as if they had been typed.
 *
 * @param {Field[]} fields @param {Record<string, Word>} declaration
 * @returns {Typed}
 */
export function asTyped(fields, declaration) {
  const given = fields.filter((field) => holds(declaration[field.name]) || declaration[field.name] === 0);
  return Object.fromEntries(given.map((field) => [field.name, declaration[field.name]]));
}

/**
 * The fields of a correction: those that were changed, as they shall be.
 *
 * @param {Record<string, Word>} value  of `filled`
 * @param {Field[]} fields @param {Record<string, Word>} declaration
 * @returns {Record<string, Word>}
 */
export function changed(value, fields, declaration) {
  /** @type {Record<string, Word>} */
  const found = {};
  for (const field of fields) {
    const now = value[field.name] ?? field.default ?? null;
    if (!same(now, declaration[field.name] ?? field.default ?? null)) found[field.name] = now;
  }
  return found;
}
