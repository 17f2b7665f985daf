// What commands name, and where the first event that they lead to says the same.

import { equal } from "./json.js";

/** A field that the event repeats; `usual` is its value where the body leaves it out. */
const field = (name, usual) => ({ of: (event) => event[name], usual });

/** A field that the rules turn into something else: nothing to compare without them. */
const free = { free: true };

const proved = (name) => ({ of: (event) => event.proof?.[name], usual: null });

/** The faces that were typed, none where they came from a seed. */
function typed({ proof, dice }) {
  const of = proof?.source;
  return of === "manual" || of === "scripted" ? dice.map(([, , face]) => face) : null;
}

/** The dice of a throw in order, each once: one that is thrown again at once is listed again. */
const once = ({ dice }) => [...new Set(dice.map(([id]) => id))];

/** The dice of a plan that are thrown again; null of a first throw, which names none. */
const again = ({ trigger, dice }) => (trigger === "roll" ? null : dice.map(([id]) => id));

const sorted = (value) => (Array.isArray(value) ? [...value].sort() : value);

/** Of the event's options those that were asked for; the others are the system's. */
function chosen({ options }, asked) {
  if (asked === null || typeof asked !== "object") return options;
  return Object.fromEntries(Object.keys(asked).map((name) => [name, options[name] ?? null]));
}

/** Whether a reaction was given: the rules may make one of a character that declines, which says so. */
const given = (value) => value !== null && value.declined !== true;

/** The commitment that is answered; who throws in a blind roll may see an earlier one alone. */
const answered = (of) => ({ of, usual: null, fits: earlier });
const earlier = (asked, logged, blind) => blind && Number.isInteger(asked) && asked <= logged;

const [roll, hand, character, seat] = ["roll", "hand", "character", "seat"].map((name) => field(name));
const thrown = {
  ...{ roll, hand, committed: answered(proved("committed").of), nonce: proved("nonce") },
  faces: { of: typed, usual: null },
};

/** The text that a command may have, or must have, by the hash of it. */
const [MAY, MUST] = ["may", "must"];

const command = (event, fields, text = null, more = []) => ({ event, fields, text, more });

/** A command of which a second event says more: its fields are compared with that one. */
const second = (made, event, behind) => ({ ...made, more: [event], behind });

/** The level that a declaration names; what was settled in version 1 counts as named. */
const named = { of: ({ was, level }, asked) => (was && asked === null ? null : level), usual: null };

/** A seat that takes a key keeps its role. */
const role = { of: ({ key, role: taken }, asked) => (key == null ? taken : asked), usual: "player" };
const taking = (more) => command("seat-taken/2", { seat, role, ...more }, MAY);
const opening = (more) =>
  command("table-opened/3", {
    ...{ table: field("table"), ruleset: field("ruleset"), source: field("source", "fair") },
    ...{ level: field("level", "player"), options: { of: chosen, usual: {} }, ...more },
  });

const AMENDING = ["roll-amended/2", "roll-voided/2", "damage-applied/1"];
const amend = (more) =>
  command("roll-amended/2", { roll, character, fields: free, ...more }, MUST, AMENDING);
const voids = (more) => command("roll-voided/2", { roll, ...more }, MUST, ["roll-voided/2"]);
const rule = (more) =>
  command(
    "ruling-made/2",
    { roll, dispute: field("dispute"), ruling: field("ruling"), ...more },
    MUST,
    [...AMENDING, "roll-declared/2"],
  );

/** What a body names, where it is compared: command -> its first event, fields, text, further events. */
export const COMMANDS = new Map(
  Object.entries({
    "open/1": opening({}),
    "open/2": opening({ one_machine: { of: (event) => event.one_machine ?? false, usual: false } }),
    "take-seat/1": taking({}),
    "take-seat/2": taking({ key: field("key", null) }),
    "name-seat/1": command("seat-named/1", { seat }, MUST),
    "leave-seat/1": command("seat-left/1", { seat }),
    "anchor-shares/1": command("share-anchored/1", { anchor: field("anchor") }),
    "enter/1": command(
      "character-entered/1",
      { character, seat, attributes: field("attributes", {}), tracks: free },
      MAY,
    ),
    "name/1": command("character-named/1", { character }, MUST),
    "give/1": command("character-given/1", { character, seat }),
    "remove/1": command("character-removed/1", { character }),
    "set-track/1": command("track-set/1", {
      ...{ character, track: field("track"), value: field("value") },
    }),
    "set-attribute/1": command("attribute-set/1", {
      ...{ character, attribute: field("attribute"), value: field("value") },
    }),
    "note/1": command("noted/1", { about: field("about") }, MUST),
    "erase/1": command("entry-erased/1", { seq: field("seq") }),
    "begin-epoch/1": command("epoch-begun/1", {}),
    "declare/1": command(
      "roll-declared/2",
      {
        ...{ character, declaration: free, visibility: field("visibility", "public") },
        ...{ level: named, follows: field("follows", null) },
      },
      MAY,
    ),
    "react/1": command("reaction-declared/1", {
      ...{ roll, character },
      reaction: { of: ({ reaction }) => given(reaction), as: given, usual: null },
    }),
    "roll/1": command("dice-rolled/1", { ...thrown, option: field("option", null) }),
    "reroll/1": command("dice-rerolled/1", { ...thrown, dice: { of: once } }),
    "freeze/1": command("dice-frozen/1", { roll, hand, dice: field("dice") }),
    "adjust/1": command("dice-adjusted/1", {
      ...{ roll, hand, means: field("means"), dice: field("dice") },
    }),
    "choose/1": command("choice-made/1", {
      ...{ roll, choice: field("choice"), option: field("option") },
    }),
    "resolve/1": command("roll-resolved/1", { roll }),
    "apply_damage/1": command("damage-applied/1", { roll }),
    "reveal/1": command("roll-revealed/2", { roll }),
    "confirm/1": command("throw-confirmed/1", { roll, throw: field("throw") }),
    "ask/1": second(
      command("throw-planned/1", {
        ...{ roll, hand, option: field("option", null), committed: free, asked: free },
        dice: { of: again, usual: null },
      }),
      "throw-asked/1",
      {
        ...{ roll, committed: answered((event) => event.committed) },
        asked: { of: ({ asked }) => asked.map(([id]) => id), as: sorted },
      },
    ),
    "open_share/1": command("share-opened/1", { roll, share: field("share") }, null, [
      ...["dice-rolled/1", "dice-rerolled/1"],
    ]),
    "break_throw/1": command("throw-broken/1", { roll }),
    "veto/1": command("declaration-vetoed/1", { roll }, MUST),
    "replace/1": command("declaration-replaced/1", { roll, fields: free }, MUST),
    "amend/1": amend({}),
    "amend/2": amend({ against: free }),
    "void/1": voids({}),
    "void/2": voids({ against: free }),
    "void/3": voids({ against: free }),
    "withdraw/1": command("roll-voided/2", { roll }),
    "dispute/1": command("dispute-raised/1", { roll }, MUST),
    "rule/1": rule({}),
    "rule/2": rule({ character: free, fields: free, against: free }),
    "rule/3": rule({ character: free, fields: free, against: free }),
    "flavour/1": command("flavour-named/1", {
      ...{ roll, hand, words: field("words"), tone: field("tone", "harmless") },
    }),
    "fate/1": command("fate-decided/1", {
      ...{ roll, fate: field("fate"), part: field("part", null) },
    }),
  }),
);

/**
 * A known command's body against its first event: [why, expected, found] of each that differs. In a
 * `blind` roll, a throw may name an earlier commitment than the one that it answers.
 */
export function differences(body, event, blind) {
  const { event: type, fields, text } = COMMANDS.get(body.do);
  if (event.type !== type) return [[`${body.do} leads to another event`, type, event.type]];
  const found = [];
  for (const name of Object.keys(body)) {
    if (name === "do" || (name === "text" && text)) continue;
    if (!Object.hasOwn(fields, name)) found.push([`${body.do} has no field ${name}`, "none", name]);
  }
  return [...found, ...unlike(body, fields, event, blind)];
}

/** The same of a further event, of which a body names something too. */
export function furtherDifferences(body, event, blind) {
  const { more, behind } = COMMANDS.get(body.do);
  return behind && more.includes(event.type) ? unlike(body, behind, event, blind) : [];
}

function unlike(body, fields, event, blind) {
  const found = [];
  for (const [name, rule] of Object.entries(fields)) {
    const wrong = rule.free ? null : difference(body[name], rule, event, blind);
    if (wrong) found.push([`the event says another ${name} than was asked for`, ...wrong]);
  }
  return found;
}

function difference(asked, { of, as = (value) => value, fits, usual }, event, blind) {
  const value = asked === undefined ? usual : asked;
  const logged = of(event, value) ?? null;
  if (fits?.(value, logged, blind)) return null;
  if (value !== undefined && equal(as(value), logged)) return null;
  return [value === undefined ? "it is missing" : JSON.stringify(as(value)), JSON.stringify(logged)];
}
