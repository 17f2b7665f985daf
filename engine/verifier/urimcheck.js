// @ts-check
// urimcheck: were the dice that stand chosen by anybody, and how many were thrown away, by whom?
//
//     node urimcheck.js FILE [--key VKEY] [--seat S[=KEY]]... [--seen NOTEFILE]... [--json]
//
// FILE is the bundle of a table, NAME.urim.jsonl. Nothing but this file is needed, in Node 20 or in a
// browser: `check` is what others import. The whole bundle is held in memory. This is urimcheck.py in
// JavaScript, and docs/bundle.md of Urim in code: the same sections, names, order and words. What is
// promised, what a verdict means and how to read this stands at the head of urimcheck.py.

// === tables ============================================================================================

/** The steps. 11, the rules, is `urim audit`'s; 16, whether dice fall as dice do, `urim fairness`'s. */
export const STEPS = {
  ...{ parse: 1, signature: 2, tree: 3, sequence: 4, payloads: 5, throws: 6, commitments: 7 },
  ...{ transcripts: 8, dice: 9, transitions: 10, reuse: 12, voids: 13, rulings: 14, hidden: 15 },
};

const [FORMATS, LEVELS] = [["urim-bundle/2", "urim-bundle/3"], ["server", "player", "table"]];
const [HIDDEN, TEXTS] = [["hidden", "hidden-text"], ["text", "hidden-text"]];
const [LINE, BODY, NOTE] = [1 << 20, 16 << 10, 64 << 10]; // bytes of a line, a command, a signed head, at most
const DEPTH = 64; // of JSON: how deep it is nested; its largest whole number is 2^53 - 1
const [CHAIN, MOST_ASKED] = [1_000, 100]; // links of a chain; seats that one throw asks, at most
const [BREAKING, HOUR, POST, AHEAD] = [10_000, 3_600_000, 336, 60_000]; // milliseconds a throw waits, by post hours; two clocks differ by less
const [ATTEMPTS, DRAWS] = [128, 2 ** 48]; // draws for one die at most; values that a draw may have
const ZEROS = "0".repeat(64);

// --- the events ----------------------------------------------------------------------------------------

/** @typedef {(value: any) => boolean} Form */
/** Field -> whether a value is of its form, and its usual value, which is not written; or NEEDED.
 * @typedef {Record<string, [Form, any]>} Fields */
const NEEDED = Symbol("needed");
const like = (pattern, whole = new RegExp(`^(?:${pattern})$`, "u")) => (value) => typeof value === "string" && whole.test(value);
const list = (item) => (value) => Array.isArray(value) && value.every(item);
const typed = (value) => (Number.isInteger(value) ? "int" : typeof value === "string" ? "str" : value === null ? "null" : "");
const row = (...shapes) => (value) => Array.isArray(value) && shapes.includes(value.map(typed).join(" "));

const BLANKS = "\\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";

/** Whether a value is of a form, by the form's name. @type {Record<string, Form>} */
const FORMS = {
  ...{ int: (v) => Number.isInteger(v), str: (v) => typeof v === "string", any: () => true },
  ...{ bool: (v) => typeof v === "boolean", object: (v) => isObject(v) },
  ...{ count: (v) => Number.isInteger(v) && v >= 0, face: (v) => Number.isInteger(v) || typeof v === "string" },
  ...{ hash: like("[0-9a-f]{64}"), salt: like("[0-9a-f]{32}"), table: like("[a-z0-9]{8,32}"), seat: like("[a-z0-9-]{1,32}") },
  ...{ tag: like("[a-z][a-z0-9_-]*/[1-9][0-9]{0,8}"), request: like("[A-Za-z0-9._-]{1,64}") },
  ...{ name: like(`[^+\\u0000-\\u0020\\u007f\\ud800-\\udfff${BLANKS}]+`), level: like(LEVELS.join("|")) },
  ...{ role: like("narrator|player|witness"), visibility: like("public|gm|blind|self"), trigger: like("roll|reroll") },
  ...{ format: like("urim-bundle/[23]"), scope: like("table|roll"), class: like("(hidden-)?text|open|hidden") },
  ...{ ruling: like("stands|amend|void|replay"), source: like("fair|seeded|scripted|manual") },
  ...{ link: row("int str"), dice: list(row("str str int", "str str str")), kinds: list(row("str str")) },
  ...{ links: list((v) => row("str int")(v) && FORMS.seat(v[0])), commits: list(row("int int str")) },
  effects: list(row("str str int", "str str int int", "str str int null")),
  ...{ seats: list((v) => FORMS.seat(v)), ints: list((v) => Number.isInteger(v)), strs: list((v) => typeof v === "string"), key: (v) => keyOf(v) !== null },
  faces: (v) => isObject(v) && Object.values(v).every((each) => list(FORMS.face)(each) && each.length > 0),
  proof: (v) => isObject(v) && !misfit(v, PROOF),
};
const [isHash, ADJUSTED] = [FORMS.hash, list(row("str int", "str str"))];

/** `name:form`, or `name` where both are the same; `=JSON` is the usual value. @param {string} text */
function fieldsOf(text) {
  const rows = [...text.matchAll(/(\w+):?(\w*)=?(\S*)/g)];
  return /** @type {Fields} */ (Object.fromEntries(rows.map(([, name, of, usual]) => [name, [FORMS[of || name], usual ? JSON.parse(usual) : NEEDED]])));
}

/** A row is `name/versions`, then fields; those of every event come first. @param {string} text */
function rowsOf(text) {
  const rows = text.trim().split("\n").map((line) => line.split(/[/ ]/));
  return Object.fromEntries(rows.flatMap(([name, versions, ...rest]) => {
    return versions.split(",").map((n) => [`${name}/${n}`, fieldsOf(`type:str by:seat ${rest.join(" ")}`)]);
  }));
}

const PROOF = fieldsOf("throw:int source committed:int=null seed:str=null nonce:str=null next:str=null");
const ASKED = fieldsOf("request:str body:str seen:link=null sig:str=null");
const PAYLOAD = fieldsOf("asked:object=null event:object");
const OF_ALL = fieldsOf("type:tag by:seat roll:int=0 seat=0");

const EVENT_ROWS = `
table-opened/1 table ruleset:str version:int options:object source:str level core:int
table-opened/2 table ruleset:str version:int options:object source:str level core:int one_machine:bool=false
table-opened/3 table ruleset:str version:int options:object source:str level core:int one_machine:bool=false faces={}
reading-set/1 name:str value:any faces={}
seat-taken/1 seat role
seat-taken/2 seat role key=null
seat-left/1 seat
share-anchored/1 anchor:str
text-said/1 salt:str text:str
entry-erased/1 seq:int
epoch-begun/1 epoch:int commits
roll-declared/1,2 roll:int character:str declaration:object visibility level=null follows:link=null effects=[] commit:str=null
throw-planned/1 roll:int throw:int trigger hand:str dice:kinds option:int=null
throw-asked/1 roll:int throw:int committed:int asked:links left:seats=[]
share-opened/1 roll:int throw:int share:str
throw-broken/1 roll:int throw:int kept:seats seed:str next:str
dice-rolled/1 roll:int character:str hand:str dice option:int=null proof=null taken:int=null
dice-rerolled/1 roll:int hand:str dice proof effects=[]
roll-resolved/1 roll:int outcome:object effects=[]
roll-voided/1,2 roll:int throw:int=null seed:str=null
roll-revealed/1 roll:int
roll-revealed/2 roll:int entries:int
declaration-vetoed/1 roll:int
declaration-replaced/1 roll:int declared:object effects=[]
roll-amended/1 roll:int character:str declared:object outcome:object=null effects=[]
roll-amended/2 roll:int character:str declared:object outcome:object=null effects=[] needless:ints=[]
dispute-raised/1 roll:int
ruling-made/1 roll:int dispute:int ruling
ruling-made/2 roll:int dispute:int ruling instead:int=null
`;
/** The closed list: every event that touches dice, seats, keys, heads, hiding or drops. */
const EVENTS = rowsOf(EVENT_ROWS);
/** Event -> its latest form, the only one in a log of 0.3. */
const NEWEST = Object.fromEntries(Object.keys(EVENTS).map((tag) => [tag.split("/")[0], tag]));

const ALWAYS_OPEN = ["throw-asked", "share-opened", "throw-broken", "roll-revealed"];
/** What may enter a log while a throw waits for shares; with the texts of notes. */
const MEANWHILE = ["share-opened", "throw-broken", "noted", "table-set", "epoch-begun"];
/** The events of dice, with the trigger of their plan. */
const FALLS = { "dice-rolled": "roll", "dice-rerolled": "reroll" };

// --- the commands --------------------------------------------------------------------------------------

/** Command, its latest version > the event that it leads to, and what that says as it was asked.
 * The command must (!) or may (?) have a text. `=` is a field's value where the body leaves it out, `@`
 * has a rule in `saysSo`, `*` is not compared: rules make something else of it. `+` are further events
 * of the commit. Of an event that is not on the closed list its name is all. */
const COMMAND_ROWS = `
open/2 > table-opened table ruleset source="fair" level="player" options@ one_machine=false
set-reading/1! > reading-set name value
take-seat/2? > seat-taken seat role@ key=null
leave-seat/1 > seat-left seat
anchor-shares/1 > share-anchored anchor
erase/1 > entry-erased seq
begin-epoch/1 > epoch-begun
declare/1? > roll-declared character declaration* visibility="public" level@ follows=null
roll/1 > dice-rolled roll hand committed@ nonce@ faces@ option=null
reroll/1 > dice-rerolled roll hand committed@ nonce@ faces@ dice@
ask/1 > throw-planned roll hand option=null dice@ committed* asked* +throw-asked
open_share/1 > share-opened roll share +dice-rolled +dice-rerolled
break_throw/1 > throw-broken roll
resolve/1 > roll-resolved roll
reveal/1 > roll-revealed roll
veto/1! > declaration-vetoed roll
replace/1! > declaration-replaced roll fields*
amend/2! > roll-amended roll character fields* against* +roll-amended +roll-voided +damage-applied
void/3! > roll-voided roll against* +roll-voided
withdraw/1 > roll-voided roll
dispute/1! > dispute-raised roll
rule/3! > ruling-made roll dispute ruling character* fields* against* +roll-amended +roll-voided +damage-applied +roll-declared
name-seat/1! > seat-named, name-table/1! > table-set, set-table/1 > table-set, enter/1? > character-entered, name/1! > character-named, give/1 > character-given
remove/1 > character-removed, set-track/1 > track-set, set-attribute/1 > attribute-set, note/1! > noted
react/1 > reaction-declared, freeze/1 > dice-frozen, adjust/1 > dice-adjusted, choose/1 > choice-made
apply_damage/1 > damage-applied, confirm/1 > throw-confirmed, flavour/1 > flavour-named, fate/1 > fate-decided
`;

/** A field of a command: its name, its mark, and its usual value. @returns {[string, string, any]} */
function fieldOf(text) {
  const [, name, mark, usual] = /** @type {RegExpExecArray} */ (/^([^=@*]+)([=@*]?)(.*)$/.exec(text));
  return [name, mark, JSON.parse(usual || "null")];
}

const COMMANDS = Object.fromEntries(
  COMMAND_ROWS.trim().split(/, |\n/).map((line) => {
    const [command, words_] = line.split(" > ");
    const [[name, version, text], [to, ...each]] = [command.split(/\/([0-9]+)/), words_.split(" ")];
    const fields = each.filter((e) => e[0] !== "+").map(fieldOf);
    const more = each.filter((e) => e[0] === "+").map((e) => e.slice(1));
    return [name, { latest: Number(version), text, to, fields, more }];
  }),
);
const NO_COMMAND = { latest: 0, text: "", to: "", fields: [], more: [] };
/** What the second event of a commit says as it was asked. */
const SECOND = { "throw-asked": ["roll", "committed@", "asked@"].map(fieldOf) };
/** Events that are known and on no closed list: checked as bytes, as those of unknown kinds are. */
const OTHERS = new Set(Object.values(COMMANDS).map(({ to }) => `${to}/1`).filter((tag) => !(tag in EVENTS)));
/** Whether an event is of a kind that is not known here. */
const isStrange = ({ type }) => !(type in EVENTS || OTHERS.has(type));

// --- the faces -----------------------------------------------------------------------------------------

const LETTERS = [..."אבגדהוזחטיכלמנסעפצקרשת"];
/** System of 0.2 -> kind of die -> faces. Later logs have in themselves what is not 1 to N on a dN. */
const FACES = {
  milhamah: {
    ...{ location: [...LETTERS, "*", "*"], "red-a": [..."אתבשגרדקהצו*"], "red-b": [..."זעחסטנימכלפ*"] },
    ...{ "blue-a": [..."אלבמגנדסהעו*"], "blue-b": [..."זצחקטרישכתפ*"] },
    ...{ "green-a": [..."אכביגטדחהזו*"], "green-b": [..."לתמשנרסקעצפ*"] },
  },
  ...{ sagatafl: {}, majesty: {}, scarterra: {}, age_of_magic: {} },
  plain: { "d%": Array.from({ length: 100 }, (_, at) => at + 1), dF: [-1, 0, 1] },
};

/** The faces of the dice that are no dN, by kind; null where they are not known. @returns {Map<string, any> | null} */
function facesOf(opening) {
  if (opening.type === "table-opened/3") return new Map(Object.entries(opening.faces ?? {}));
  const { ruleset: system, options } = opening;
  const reading = "location_die" in options ? options.location_die : "wilds";
  if (!Object.hasOwn(FACES, system) || opening.version !== 1 || !["wilds", "letters"].includes(reading)) return null;
  const faces = new Map(Object.entries(FACES[system]));
  if (reading === "letters") faces.set("location", LETTERS);
  const own = options.faces ?? {}; // letters that the table brings
  if (!isObject(own) || !Object.entries(own).every(([kind, pairs]) => faces.has(kind) && FORMS.strs(pairs))) return null;
  for (const [kind, pairs] of Object.entries(own)) faces.set(kind, [...pairs.join("")]);
  return faces;
}

// --- what is counted -----------------------------------------------------------------------------------

/** What people should look at: allowed, and what a cheat would do as well. */
export const LOOKS = {
  ...{ broken: "broken off", "left-open": "ask left open", epoch: "epoch", dropped: "seat whose throws were dropped" },
  ...{ "passed-over": "seat passed over", sealed: "roll revealed over another that lies sealed" },
  ...{ nonce: "constant nonce", removed: "seat removed by another", "key-reset": "key reset" },
  ...{ "lower-level": "level named below the one due", alone: "throw with nobody to ask" },
  ...{ "anchored-again": "further anchor without a key", "weak-chain": "chain that anybody knows" },
  ...{ clock: "time later than this clock", "not-shown": "revealed roll that is not shown" },
  ...{ "no-reason": "decision without its reason", "thrown-again": "dice thrown again within their throw" },
  ...{ "odd-faces": "dN that does not show 1 to N", "anchor-lost": "seat that could be asked and no longer can" },
  unasked: "declaration by a ruling that is not disclosed", unseen: "throw over a commitment that its seat did not see",
  held: "throw of a seat that had not seen what its roll had become",
};
/** Facts that speak against nobody. */
export const STATED = {
  ...{ unknown: "entry of an unknown kind", renewed: "chain renewed at its last link" },
  ...{ withheld: "hidden entry that is not disclosed", erased: "erased text", given: "character given", dispute: "dispute" },
  ...{ ruling: "ruling", correction: "amendment, veto or replacement" },
  ...{ withdrawn: "withdrawn roll", "early-void": "void before the dice", lying: "roll left lying" },
  ...{ "host-word": "seat with shares and no key", faces: "dice with faces of their own" },
  ...{ adjusted: "dice put to other faces", taken: "dice taken over from another roll" },
};

// === what is kept ======================================================================================

/** The file is no bundle; or what was given beside it cannot be read, or is another log's. */
export class Unreadable extends Error {}

/** A text that is not of its form; the message is why. */
export class Malformed extends Error {}

/** Why a text is not of its form; any other error goes on. */
function malformed(error) {
  if (error instanceof Malformed) return error.message;
  throw error;
}

/** What was found: word is wrong, look, stated or unchecked; what is counted has a kind.
 * @typedef {{step: string, seq: number | null, word: string, why: string, kind: string}} Remark */
/** A throw that came to nothing: how, by which seat, in which entry.
 * @typedef {{roll: number, how: string, by: string, seq: number | null}} Drop */
/** What binds the host to the seed of throw `number`: published in entry `seq`, in that epoch.
 * @typedef {{number: number, commit: string, seq: number, leaf: string, epoch: number}} Commitment */
/** A key of a log: its name is the log's origin, its id 8 hex digits, then its 32 bytes.
 * @typedef {{name: string, id: string, public: Uint8Array}} Key */
/** What a note says: the first `size` entries of `origin` have this root. `text` is what is signed.
 * @typedef {{origin: string, size: number, root: Uint8Array, text: string,
 *   signatures: {name: string, id: string, made: Uint8Array}[]}} Head */

/** A line: its keys (`cls` is its class; salt, payload and proof are null where they are not there).
 * Then its `leaf` and what its payload holds: `event`, its name `what`, what was `asked` and that command's
 * `body`; `odd`: it is written in another way than the log does. They are null, and the name is empty,
 * where it is withheld or cannot be read.
 * @typedef {{seq: number, commit: number, at: number, cls: string, digest: string, leaf: Uint8Array,
 * proof: string[] | null, salt: string | null, payload: string | null,
 * asked: any, body: any, event: any, what: string, odd: boolean}} Entry */

const [NUMBER, TEXT] = [/** @type {number | null} */ (null), /** @type {string | null} */ (null)]; // that are not known yet

/** Of a seat: throws, those that came to nothing, its hidden rolls that are not revealed.
 * `at_table` counts the asks, and the throws without one, while it had an anchor: it was `asked`, or
 * those of others `passed` it over. `kept` counts the shares that it kept back. */
const newNumbers = () => ({
  ...{ dropped: /** @type {Drop[]} */ ([]), broken: /** @type {Drop[]} */ ([]), sealed: /** @type {number[]} */ ([]) },
  ...{ throws: 0, at_table: 0, asked: 0, passed: 0, kept: 0 },
});

/** `link` is the newest of its chain, null without an anchor, number `at`; so many `asks` named it.
 * `links` are those known of all its chains, `seen` the size of the last head that it had. */
const newSeat = (role, links = /** @type {Iterable<string>} */ ([])) => ({
  ...{ role, links: new Set(links), here: true, at: 0, asks: 0, seen: -1, key: TEXT, link: TEXT },
});

/** `shown`: its declaration is disclosed, in entry `seq`. `throws` is the number of the next throw.
 * `waiting` is the commitment to it. `dice` counts the throws since a void or veto, `gap` is the first that
 * is not disclosed, `cast` the first ask or throw. `low`: another level than table was due
 * at the declaration, `faces` what dice showed then. `threw` are the seats that threw in it, with the entry of the
 * first time, `touched` those with an open entry of it, with the last one. `hands` has by hand and die the kind and the
 * face of its last throw, `adjusted` by die the faces that it was put to. `known`: the commitment was published while
 * another level than table was due. */
const newRoll = (number, seat, more = {}) => ({
  ...{ number, seat, seq: -1, secret: true, shown: false, throws: 0, dice: 0, low: true, known: false },
  ...{ hands: /** @type {Map<string, Map<string, any[]>>} */ (new Map()), faces: /** @type {Map<string, any> | null} */ (null) },
  ...{ waiting: /** @type {Commitment | null} */ (null), threw: /** @type {Map<string, number>} */ (new Map()) },
  ...{ touched: /** @type {Map<string, number>} */ (new Map()), adjusted: /** @type {Map<string, Set<any>>} */ (new Map()) },
  ...{ follows: NUMBER, revealed: NUMBER, gap: NUMBER, cast: NUMBER, level: TEXT, character: TEXT, ended: TEXT },
  ...more,
});

/** The seats that a roll is counted under: those that threw in it, else who declared it, if that is known. @param {Roll} roll */
const owners = (roll) => (roll.threw.size || !roll.seat ? [...roll.threw.keys()] : [roll.seat]);
/** Whether a roll is hidden and not revealed: entries that are not disclosed may be about it. @param {Roll} roll */
const isSealed = (roll) => roll.secret && roll.revealed === null;
/** Whether an entry, null for one that is not in the file, is not disclosed and may be about a roll. @param {Roll} roll @param {Entry | null} entry */
const mayBeOf = (roll, entry) => isSealed(roll) && (entry === null || (entry.event === null && entry.cls === "hidden"));
/** @typedef {ReturnType<typeof newNumbers>} Numbers */
/** @typedef {ReturnType<typeof newSeat>} Seat */
/** @typedef {ReturnType<typeof newRoll>} Roll */
/** A throw that waits for shares: the `entry` of the ask and its `event`; `plan`, the event before it; by seat
 * the number of the link `asked` and the share `opened`; `full`, the commit of the last share; `wait`, its milliseconds.
 * @typedef {{entry: Entry, event: any, plan: any, asked: Map<string, number>, opened: Map<string, string>, full: number | null, wait: number}} Ask */
/** The seats asked that have opened nothing, by id. @param {Ask} ask */
const missing = (ask) => [...ask.asked.keys()].filter((seat) => !ask.opened.has(seat)).sort();
/** What a map has under a key; made, where there is nothing yet. @template K, V @param {Map<K, V>} map @param {K} key @param {() => V} make @returns {V} */
const kept = (map, key, make) => /** @type {V} */ ((map.has(key) ? map : map.set(key, make())).get(key));

/** The order of two texts by code point, as Python and UTF-8 have it: other than that of UTF-16 beyond U+FFFF. */
function byPoint(one, other) {
  const [a, b] = [[...one], [...other]];
  const at = a.findIndex((point, i) => point !== b[i]);
  return at < 0 ? a.length - b.length : (a[at].codePointAt(0) ?? 0) - (b[at]?.codePointAt(0) ?? -1);
}

/** The beginning of a text, so many code points. @param {string} text */
const cut = (text, most) => [...text.slice(0, 2 * most)].slice(0, most).join("");

/** A value as urimcheck.py writes it in a sentence. @returns {string} */
function shown(value) {
  if (value === null || value === undefined) return "None";
  if (Array.isArray(value)) return `[${value.map(shown).join(", ")}]`;
  return typeof value === "string" ? `'${value}'` : JSON.stringify(value);
}

/** What was found, and the table as far as the log was followed. */
export class Report {
  remarks = /** @type {Remark[]} */ ([]); place = /** @type {[string, number | null]} */ (["parse", null]);
  numbers = /** @type {Map<string, Numbers>} */ (new Map()); levels = { table: 0, player: 0, server: 0, other: 0 };
  unknown = /** @type {Map<string, number>} */ (new Map()); // kinds that are not known here
  signer = ""; trusted = false; elsewhere = 0;
  keyed = /** @type {Set<string>} */ (new Set()); // seats with keys
  given = /** @type {Map<string, Set<string | null>>} */ (new Map()); // keys of seats that the reader trusts
  begun = /** @type {Set<string>} */ (new Set()); // seats that asked with one of these
  // The table: its opening, seats, rolls, the ask that is open, the last epoch.
  id = ""; source = "unknown"; level = "server"; core = 0; fair = false; new = false; oneMachine = false;
  seats = /** @type {Map<string, Seat>} */ (new Map()); rolls = /** @type {Map<number, Roll>} */ (new Map());
  beside = /** @type {Set<number>} */ (new Set()); // entries that a roll's file has for their commit alone
  ask = /** @type {Ask | null} */ (null); last = /** @type {Entry | null} */ (null); faces = /** @type {Map<string, any> | null} */ (null);
  epochs = 0; epochAt = -1; wait = BREAKING; keptBack = /** @type {Set<string>} */ (new Set());
  // What is counted on the way; `alone` is the last entry with nobody else to ask.
  seeds = /** @type {Map<string, number>} */ (new Map()); ofRoll = /** @type {Map<number, number>} */ (new Map());
  newest = 0; // the last roll that was declared
  alone = -1; told = /** @type {Set<string>} */ (new Set()); // what is said once
  requests = /** @type {Map<string, number>} */ (new Map()); blind = /** @type {Set<number>} */ (new Set()); // rolls

  /** @param {any} head @param {Entry[]} lines */
  constructor(head, lines) {
    this.header = head; this.entries = lines; this.whole = head.scope === "table";
    this.commits = commitsOf(lines);
    this.there = new Map(lines.map((entry) => [entry.seq, entry]));
    const leaves = lines.map((entry, at) => /** @type {[number, Uint8Array]} */ ([this.whole ? at : entry.seq, entry.leaf]));
    this.tree = new Tree(new Map(leaves), head.proof ?? []);
    const first = lines.filter((entry, at) => entry.seq === at).map(({ seq, leaf }) => /** @type {[number, Uint8Array]} */ ([seq, leaf]));
    this.past = this.whole ? this.tree : new Tree(new Map(first), []); // of which heads are known
  }

  /** The entries, or some, one by one; what is found of each is of this step. @param {string} step */
  *each(step, some = this.entries) {
    for (const entry of some) yield (this.place = [step, entry.seq]) && entry;
  }

  /** The step fails unless this is right. @param {any} right @param {string} why */
  need(right, why) {
    if (!right) this.say("wrong", why);
    return Boolean(right);
  }

  /** It is "wrong", "unchecked", a "look", or "stated"; of a seat or roll that it is `about` it is said once. @param {string} word @param {string} why */
  say(word, why, kind = "", about = /** @type {any} */ (null)) {
    const [[step, seq], once] = [this.place, `${kind} ${about}`];
    if (about === null || !this.told.has(once)) this.remarks.push({ step, seq, word, why, kind });
    if (about !== null) this.told.add(once);
  }

  /** What is counted of a seat. @param {string} seat */
  of(seat) { return kept(this.numbers, seat, newNumbers); }

  /** A roll; one that is not disclosed is known by its number, and by who asked in it. @param {number} number */
  roll(number, seat = "") {
    const found = kept(this.rolls, number, () => newRoll(number, seat));
    found.seat ||= seat;
    return found;
  }

  /** The seats that can be asked for shares, by id: somebody is there, and has an anchor. @param {string | null} [but] */
  anchored(but = null) { return [...this.seats].filter(([id, seat]) => seat.here && seat.link && id !== but).map(([id]) => id).sort(); }

  /** Those of them that did not keep their last share back. @param {string | null} [but] */
  awake(but = null) { return this.anchored(but).filter((seat) => !this.keptBack.has(seat)); }

  /** The steps that found something wrong, or left something unchecked. @param {string} word */
  steps(word) { return Object.keys(STEPS).filter((step) => this.remarks.some((each) => each.step === step && each.word === word)); }

  /** The exit code; what is hidden from the reader is no gap. */
  get exit() { return this.steps("wrong").length ? 1 : this.steps("unchecked").length ? 3 : 0; }
}

// === bytes and hashes ==================================================================================
// What Python has: UTF-8, hex, base64; SHA-256 and SHA-512 (FIPS 180-4), HMAC (RFC 2104). All at once:
// WebCrypto answers each call only later.

const [encoder, decoder] = [new TextEncoder(), new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })];
const DIGITS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
/** The UTF-8 bytes of a text without lone surrogates. @param {string} text */
export const utf8 = (text) => encoder.encode(text);
/** Bytes as lower-case hex. @param {Uint8Array} bytes */
export const hexOf = (bytes) => bytes.reduce((text, byte) => text + DIGITS[byte], "");

/** The bytes of an even number of hex digits. @param {string} text */
export function fromHex(text) {
  const bytes = new Uint8Array(text.length / 2);
  for (let at = 0; at < bytes.length; at++) bytes[at] = Number.parseInt(text.substring(2 * at, 2 * at + 2), 16);
  return bytes;
}

/** The bytes of a text in the one canonical form of base64 (RFC 4648); none for any other. @param {any} text */
export function fromBase64(text) {
  if (typeof text !== "string" || text.length % 4 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return new Uint8Array(0);
  const letters = atob(text);
  return Uint8Array.from(btoa(letters) === text ? letters : "", (letter) => letter.charCodeAt(0));
}

/** Several runs of bytes as one. @param {Uint8Array[]} parts */
export function joined(...parts) {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) whole.set(part, (at += part.length) - part.length);
  return whole;
}

const PRIMES = Array.from({ length: 408 }, (_, at) => at + 2).filter((n, _, all) => all.every((d) => d * d > n || n % d));

/** So many bits of the fraction of the square or cube root of each of the first primes. */
function fractions(count_, power_, bits) {
  return PRIMES.slice(0, count_).map((prime) => {
    const scaled = BigInt(prime) << BigInt(bits * power_);
    let [low, high] = [0n, 1n << BigInt(bits + 8)];
    while (high - low > 1n) {
      const middle = (low + high) >> 1n;
      [low, high] = middle ** BigInt(power_) <= scaled ? [middle, high] : [low, middle];
    }
    return BigInt.asUintN(bits, low);
  });
}

const [ROUNDS, START] = [fractions(64, 3, 32), fractions(8, 2, 32)].map((some) => Int32Array.from(some, (each) => Number(each) | 0));
const [words, tail] = [new Int32Array(64), new Uint8Array(128)]; // of a block, and the last blocks of what is hashed

/** Work one block of 64 bytes, found at `at`, into a state of 8 words. */
function compress(state, bytes, at) {
  for (let t = 0; t < 16; t++, at += 4) words[t] = (bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3];
  for (let t = 16; t < 64; t++) {
    const w = words[t - 15], x = words[t - 2];
    const s0 = ((w >>> 7) | (w << 25)) ^ ((w >>> 18) | (w << 14)) ^ (w >>> 3);
    const s1 = ((x >>> 17) | (x << 15)) ^ ((x >>> 19) | (x << 13)) ^ (x >>> 10);
    words[t] = (words[t - 16] + s0 + words[t - 7] + s1) | 0;
  }
  let a = state[0], b = state[1], c = state[2], d = state[3], e = state[4], f = state[5], g = state[6], h = state[7]; // no iterator
  for (let t = 0; t < 64; t++) {
    const S1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (h + S1 + ((e & f) ^ (~e & g)) + ROUNDS[t] + words[t]) | 0;
    const S0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = (S0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g; g = f; f = e; e = (d + t1) | 0; d = c; c = b; b = a; a = (t1 + t2) | 0;
  }
  state[0] += a; state[1] += b; state[2] += c; state[3] += d; state[4] += e; state[5] += f; state[6] += g; state[7] += h;
}

/** The hash of `done` bytes that made this state, a whole number of blocks, and then `bytes`. */
function finish(start, done, bytes) {
  const [state, hash, left] = [start.slice(), new Uint8Array(32), bytes.length % 64];
  const [whole, stop] = [bytes.length - left, left < 56 ? 64 : 128];
  for (let at = 0; at < whole; at += 64) compress(state, bytes, at);
  for (let at = 0; at < left; at++) tail[at] = bytes[whole + at];
  tail.fill(0, left, stop)[left] = 0x80;
  for (let at = stop, bits = 8 * (done + bytes.length); bits > 0; bits = Math.floor(bits / 256)) tail[--at] = bits % 256;
  for (let at = 0; at < stop; at += 64) compress(state, tail, at);
  for (let at = 0; at < 32; at++) hash[at] = state[at >> 2] >>> (24 - 8 * (at & 3));
  return hash;
}

/** SHA-256: 32 bytes. @param {Uint8Array} bytes @returns {Uint8Array} */
export const sha256 = (bytes) => finish(START, 0, bytes);
/** SHA-256 of a text, as hex. @param {string} text */
const sha256Hex = (text) => hexOf(sha256(utf8(text)));

/** HMAC-SHA256 under a key of at most 64 bytes: from message to 32 bytes. @param {Uint8Array} key @returns {(message: Uint8Array) => Uint8Array} */
export function hmac(key) {
  const [inner, outer] = [0x36, 0x5c].map((pad) => {
    const [state, block] = [START.slice(), new Uint8Array(64).fill(pad)];
    key.forEach((byte, at) => (block[at] ^= byte));
    compress(state, block, 0);
    return state;
  });
  return (message) => finish(outer, 64, finish(inner, 64, message));
}

/** @param {bigint} word @param {bigint} by */
const turned = (word, by) => (word >> by) | BigInt.asUintN(64, word << (64n - by));
let of512 = /** @type {bigint[][] | null} */ (null); // made when they are first asked for: most pages never do

/** SHA-512: 64 bytes. @param {Uint8Array} bytes */
export function sha512(bytes) {
  const [rounds, start] = (of512 ??= [fractions(80, 3, 64), fractions(8, 2, 64)]);
  const whole = joined(bytes, Uint8Array.of(0x80), new Uint8Array(143 - ((bytes.length + 16) % 128)));
  const view = new DataView(whole.buffer);
  view.setBigUint64(whole.length - 8, 8n * BigInt(bytes.length));
  let state = start;
  for (let at = 0; at < whole.length; at += 128) {
    const w = Array.from({ length: 16 }, (_, t) => view.getBigUint64(at + 8 * t));
    for (let t = 16; t < 80; t++) {
      const s0 = turned(w[t - 15], 1n) ^ turned(w[t - 15], 8n) ^ (w[t - 15] >> 7n);
      const s1 = turned(w[t - 2], 19n) ^ turned(w[t - 2], 61n) ^ (w[t - 2] >> 6n);
      w.push(BigInt.asUintN(64, w[t - 16] + s0 + w[t - 7] + s1));
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let t = 0; t < 80; t++) {
      const S1 = turned(e, 14n) ^ turned(e, 18n) ^ turned(e, 41n);
      const t1 = h + S1 + ((e & f) ^ (BigInt.asUintN(64, ~e) & g)) + rounds[t] + w[t];
      const S0 = turned(a, 28n) ^ turned(a, 34n) ^ turned(a, 39n);
      const t2 = S0 + ((a & b) ^ (a & c) ^ (b & c));
      [h, g, f, e, d, c, b, a] = [g, f, e, BigInt.asUintN(64, d + t1), c, b, a, BigInt.asUintN(64, t1 + t2)];
    }
    state = [a, b, c, d, e, f, g, h].map((word, place) => BigInt.asUintN(64, state[place] + word));
  }
  return fromHex(state.map((word) => word.toString(16).padStart(16, "0")).join(""));
}

// === the form ==========================================================================================
// One JSON object a line. What two readers could read in two ways is refused: a key twice, half of a
// surrogate pair, whole numbers beyond 2^53 - 1, more than 64 levels. JSON.parse takes all of these, and
// does not tell 1.0 from 1.

const TOKEN = /"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*|[{}[\]]|[ \t\r\n]+/gs;
const DECIMAL = /^(-?(?:0|[1-9][0-9]*))((?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)$/;
const KEY = /[ \t\r\n]*:/y;
const LONE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** A whole number that is written with a fraction or an exponent: 1.0 is not 1. */
class Real { constructor(/** @type {number} */ value) { this.value = value; } }
/** Whether a value is a JSON object. */
const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value) && !(value instanceof Real);

/** Whether two JSON values are the same: 1 is neither 1.0 nor true, the order of keys is nothing. @returns {boolean} */
export function same(one, other) {
  if (one === null || other === null || typeof one !== "object" || typeof other !== "object") return one === other;
  if (one instanceof Real || other instanceof Real) return one.constructor === other.constructor && Object.is(one.value, other.value);
  const keys = Object.keys(one);
  if (Array.isArray(one) !== Array.isArray(other) || keys.length !== Object.keys(other).length) return false;
  return keys.every((key) => Object.hasOwn(other, key) && same(one[key], other[key]));
}

/** How the log writes a number that is not whole, or not written so: an exponent from 1e16 on and below 1e-5. */
function decimal(value) {
  const [digits, exponent] = value.toExponential().split("e");
  if (value !== 0 && (Number(exponent) < -5 || Number(exponent) > 15)) return `${digits}e${Number(exponent)}`;
  return Number.isInteger(value) ? `${Object.is(value, -0) ? "-" : ""}${value}.0` : String(value);
}

/** A number of a "line", a "payload" or a "body", and whether it is `odd`: in a body each can be written in one way alone. */
function numberIn(of, text) {
  const [, digits, rest] = DECIMAL.exec(text) ?? ["", "", ""];
  const value = Number(text);
  const twice = rest ? /[eE]/.test(rest) || Number.isInteger(value) : digits === "-0";
  const within = rest ? Number.isFinite(value) : digits && Number.isSafeInteger(value);
  if (!within || (twice && (of === "body" || (!rest && of === "line")))) throw new Malformed(`no strict JSON: the number ${text.slice(0, 40)}`);
  return { real: rest !== "" && Number.isInteger(value), odd: rest ? text !== decimal(value) : twice };
}

/** A text in JSON. Throws Malformed for what is none. */
function parsed(text, reviver = /** @type {any} */ (undefined)) {
  try { return JSON.parse(text, reviver); }
  catch (error) { throw new Malformed(`no strict JSON: ${error instanceof SyntaxError ? error.message.slice(0, 150) : "nested too deep"}`); }
}

/** The object of a "line", a "payload" or a "body", and whether it is `odd`: written otherwise than the log does. Throws Malformed for what is not strict. */
export function strict(text, of) {
  const found = parsed(text); // first: what is no JSON at all could be gone over again from each quote
  let [odd, reals] = [false, false];
  const open = /** @type {Set<string>[]} */ ([]); // the keys of each object, or list, that is open
  const marked = text.replace(TOKEN, (token, at) => {
    if (token === "{" || token === "[") open.push(new Set());
    else if (token === "}" || token === "]") open.pop();
    else if (token.trim() === "") odd = true;
    else if (token[0] !== '"') {
      const number = numberIn(of, token);
      [odd, reals] = [odd || number.odd, reals || number.real];
      if (number.real) return `"\\ud800${token}"`; // a text that no other can be
    } else {
      const plain = token.includes("\\") ? parsed(token) : token.slice(1, -1);
      if (token.includes("\\")) odd ||= JSON.stringify(plain) !== token;
      if (LONE.test(plain)) throw new Malformed("no strict JSON: half of a surrogate pair");
      KEY.lastIndex = at + token.length;
      if (!KEY.test(text)) return token;
      if (open.at(-1)?.has(plain)) throw new Malformed("no strict JSON: a key twice in one object");
      open.at(-1)?.add(plain);
    }
    if (open.length > DEPTH) throw new Malformed(`no object, or one that is nested more than ${DEPTH} deep`);
    return token;
  });
  const real = (_, value) => (typeof value === "string" && /^\ud800[-0-9]/.test(value) ? new Real(Number(value.slice(1))) : value);
  if (!isObject(found)) throw new Malformed(`no object, or one that is nested more than ${DEPTH} deep`);
  return { value: reals ? parsed(marked, real) : found, odd };
}

/** What is wrong with an object that should have exactly these fields; empty for nothing. @param {Fields} fields */
function misfit(value, fields) {
  for (const [name, [is, usual]] of Object.entries(fields)) {
    const found = name in value ? value[name] : usual;
    if (found === NEEDED || !(found === usual || is(found))) return `${name} is missing, or not of its form`;
  }
  const strange = Object.keys(value).filter((name) => !Object.hasOwn(fields, name)).sort(byPoint);
  return strange.length ? `${cut(strange[0], 40)} is no field of it` : "";
}

/** What is said of an object that has not exactly these fields. Throws Malformed. @param {Fields | any} fields */
function fitting(before, value, fields) {
  const why = misfit(value, fields);
  if (why) throw new Malformed(before + why);
}

/** Whether such an object is written otherwise: in another order, or with a usual value. @param {Fields} fields @returns {boolean} */
function untidy(value, fields) {
  const ordered = Object.keys(fields).filter((name) => name in value);
  if (!same(Object.keys(value), ordered)) return true;
  return ordered.some((name) => {
    const [found, usual] = [value[name], fields[name][1]];
    if (usual !== NEEDED && same(found, usual)) return true;
    if (name === "effects" && found.some((each) => each.length > 3 && each[3] === null)) return true;
    return name === "proof" && untidy(found, PROOF);
  });
}

/** The lines of a file, with their ends; one that is too long is given as far as it was read. */
async function* linesOf(source) {
  let rest = new Uint8Array(0);
  for await (const chunk of source instanceof Uint8Array ? [source] : source instanceof Blob ? /** @type {any} */ (source.stream()) : source) {
    const data = rest.length ? joined(rest, chunk) : chunk;
    let start = 0;
    for (let stop = data.indexOf(10); stop >= 0; stop = data.indexOf(10, start)) yield data.subarray(start, (start = stop + 1));
    rest = data.slice(start);
    if (rest.length > LINE) break; // no more of it in memory, however long it is
  }
  if (rest.length) yield rest;
}

/** The text of bytes. Throws Malformed for what is no UTF-8. @param {Uint8Array} bytes */
function decoded(bytes) {
  try { return decoder.decode(bytes); } catch { throw new Malformed("no UTF-8"); }
}

/** The header and the entries of a bundle. Throws Unreadable, with the line, for what is none. @returns {Promise<[any, Entry[]]>} */
async function form(source) {
  const found = /** @type {Entry[]} */ ([]);
  let [number, ended, head] = [0, false, /** @type {any} */ (null)];
  for await (const line of linesOf(source)) {
    try {
      if (ended) throw new Malformed("there is something behind the end");
      number++;
      if (line.length > LINE || line.at(-1) !== 10) throw new Malformed(`more than ${LINE} bytes, or cut off`);
      const { value } = strict(decoded(line), "line");
      if (head === null) head = header(value);
      else if (!("end" in value)) found.push(entries(value, head));
      else ended = end(value, head, found.length);
    } catch (error) { throw new Unreadable(`line ${number}: ${malformed(error)}`); }
  }
  if (!ended) throw new Unreadable("the end line is missing");
  return [head, found];
}

const HEADER = fieldsOf("format scope origin:name keys:strs size:count checkpoint:str system:str version:count options:object");
const SEALED = fieldsOf("seq:count commit:count at:count class digest:hash");
const DISCLOSED = { ...SEALED, ...fieldsOf("salt:hash payload:str") };
const END = fieldsOf("end:str count");
const [HASHES, NO_PROOF] = [list(isHash), "its proof is none, or is one where there is none"];

/** The first line: what the file claims to be; `known` are its keys. Throws Malformed. */
function header(value) {
  fitting("", value, { ...HEADER, ...(value.scope === "roll" ? fieldsOf("roll:count") : {}) });
  const { keys, roll = null } = value;
  if (keys.length < 1 || keys.length > 64 || roll === 0) throw new Malformed("not 1 to 64 keys, or roll 0");
  return { ...value, roll, proof: null, known: keys.map(readKey) };
}

/** The proof of a line, as a roll's file `of` a format has it, else null; and the line without it. Throws Malformed. */
function takenOut(value, head, of) {
  const [{ proof = null, ...rest }, proved] = [value, head.scope === "roll" && head.format === of];
  if ("proof" in value !== proved || (proved && !HASHES(proof))) throw new Malformed(NO_PROOF);
  return [proof, rest];
}

/** A line of an entry, in a roll's file of urim-bundle/2 with its proof. Throws Malformed. @returns {Entry} */
export function entries(value, head) {
  const [proof, rest] = takenOut(value, head, FORMATS[0]);
  fitting("", rest, "payload" in rest ? DISCLOSED : SEALED);
  if ((proof?.length ?? 0) > 64) throw new Malformed(NO_PROOF);
  const { seq, commit, at, class: cls, digest, salt = null, payload = null } = rest;
  const leaf = sha256(utf8(leafText(seq, at, cls, digest)));
  return { seq, commit, at, cls, digest, proof, salt, payload, leaf, asked: null, body: null, event: null, what: "", odd: false };
}

/** What is hashed for the leaf of an entry. */
export const leafText = (seq, at, cls, digest) => `\0urim/1 entry\n${seq}\n${at}\n${cls}\n${digest}\n`;

/** The last line; in a roll's file of urim-bundle/3 it has the proof. Throws Malformed. */
function end(value, head, size) {
  const [proof, rest] = takenOut(value, head, FORMATS[1]);
  head.proof = proof;
  fitting("", rest, END);
  if (rest.end !== head.format || rest.count !== size) throw new Malformed(`the last line counts other entries than the ${size} that are here, or is of another form`);
  return true;
}

// === keys and notes ====================================================================================
// Ed25519 (RFC 8032) without the cofactor, as OpenSSL, Go and BoringSSL verify: S < L, and the encoding
// of [S]B - [k]A is R. A key whose y is not reduced, or that is of small order, is nobody's.

const [P, L] = [2n ** 255n - 19n, 2n ** 252n + 27742317777372353535851937790883648493n];
/** @param {bigint} value */
const mod = (value) => ((value % P) + P) % P;

/** @param {bigint} base @param {bigint} exponent */
function power(base, exponent) {
  let [found, square] = [1n, mod(base)];
  for (let left = exponent; left > 0n; left >>= 1n) {
    if (left & 1n) found = (found * square) % P;
    square = (square * square) % P;
  }
  return found;
}

const [D, ROOT] = [mod(-121665n * power(121666n, P - 2n)), power(2n, (P - 1n) / 4n)];
/** The y of every point of small order. */
const SMALL = [0n, 1n, P - 1n, 2707385501144840649318225287225658788936804267575313519463743609750303402022n];
SMALL.push(55188659117513257062467267217118295137698188065244968500265048394206261417927n);

/** Bytes as a number, the lowest first. @param {Uint8Array} bytes */
const numberOf = (bytes) => BigInt(`0x${hexOf(bytes.slice().reverse()) || 0}`);

/** Why nobody may have this key of 32 bytes; empty for one that may be had. @param {Uint8Array} key */
export function weakness(key) {
  const y = BigInt.asUintN(255, numberOf(key));
  return y >= P ? "its y is not below 2^255 - 19" : SMALL.includes(y) ? "it is of small order" : "";
}

const BASE = /** @type {bigint[]} */ (pointOf(encoded([0n, mod(4n * power(5n, P - 2n)), 1n])));

/** Whether a signature is good, by a key of 32 bytes. By WebCrypto, where it has Ed25519; what that does not take is left to `fits`. */
export async function verifies(key, signature, message) {
  if (weakness(key) || signature.length !== 64 || numberOf(signature.subarray(32)) >= L) return false;
  const { subtle } = globalThis.crypto ?? {};
  const imported = await subtle?.importKey("raw", key, "Ed25519", false, ["verify"]).catch(() => null);
  return Boolean(imported && (await subtle.verify("Ed25519", imported, signature, message))) || fits(key, signature, message);
}

/** The same by this file alone. */
export function fits(key, signature, message) {
  const [a, s] = [pointOf(key), numberOf(signature.subarray(32))];
  if (a === null || s >= L) return false;
  const k = numberOf(sha512(joined(signature.subarray(0, 32), key, message))) % L;
  const minus = [mod(-a[0]), a[1], a[2], mod(-a[3])];
  const table = [[], BASE, minus, added(BASE, minus)];
  let found = [0n, 1n, 1n, 0n];
  for (let at = 252n; at >= 0n; at--) { // [s]B - [k]A, bit by bit
    found = added(found, found);
    const which = Number((s >> at) & 1n) + 2 * Number((k >> at) & 1n);
    if (which) found = added(found, table[which]);
  }
  return hexOf(encoded(found)) === hexOf(signature.subarray(0, 32));
}

/** X, Y, Z, T of a point: x = X/Z, y = Y/Z, xy = T/Z. @param {bigint[]} one @param {bigint[]} other */
function added(one, other) {
  const [[x1, y1, z1, t1], [x2, y2, z2, t2]] = [one, other];
  const [a, b] = [((y1 - x1) * (y2 - x2)) % P, ((y1 + x1) * (y2 + x2)) % P];
  const [c, d] = [(((2n * t1 * t2) % P) * D) % P, (2n * z1 * z2) % P];
  const [e, f, g, h] = [b - a, d - c, d + c, b + a];
  return [mod(e * f), mod(g * h), mod(f * g), mod(e * h)];
}

/** The 32 bytes of a point. @param {bigint[]} point */
function encoded([x, y, z]) {
  const by = power(z, P - 2n);
  const whole = mod(y * by) | ((mod(x * by) & 1n) << 255n);
  return fromHex(whole.toString(16).padStart(64, "0")).reverse();
}

/** The point of 32 bytes (5.1.3); null where there is none. @returns {bigint[] | null} */
function pointOf(bytes) {
  const number = numberOf(bytes);
  const [y, odd] = [BigInt.asUintN(255, number), number >> 255n];
  const [u, v] = [mod(y * y - 1n), mod(D * y * y + 1n)];
  let x = mod(u * v ** 3n * power(u * v ** 7n, (P - 5n) / 8n));
  if (mod(v * x * x) === mod(-u)) x = mod(x * ROOT);
  if (mod(v * x * x) !== u || (x === 0n && odd)) return null;
  if ((x & 1n) !== odd) x = P - x;
  return [x, y, 1n, mod(x * y)];
}

/** The public key of a seat, 32 bytes in base64, as that text; null for what may be none. Texts can be compared. */
export function keyOf(text) {
  const found = fromBase64(text);
  return found.length === 32 && !weakness(found) ? text : null;
}

/** The key of a vkey, NAME+ID+BASE64, one that nobody may have too. Throws Malformed. @returns {Key} */
export function readKey(vkey) {
  const text = typeof vkey === "string" ? vkey : shown(vkey);
  const [name, id, ...rest] = text.split("+");
  const body = fromBase64(rest.join("+"));
  const own = hexOf(sha256(joined(utf8(`${name}\n`), body))).slice(0, 8);
  if (FORMS.name(name) && body.length === 33 && body[0] === 1 && id === own) return { name, id, public: body.slice(1) };
  throw new Malformed(`not a vkey of an Ed25519 key: ${text.slice(0, 200)}`);
}

const SIGNATURE = "— ([^ \n]+) ([^ \n]+)\n";
const SIGNED = new RegExp(`^([^\n]+)\n(0|[1-9][0-9]{0,18})\n([^\n]+)\n\n((?:${SIGNATURE}){1,64})$`, "u");

/** What a signed note says, whoever signed it. Throws Malformed. @param {string} note @returns {Head} */
export function readNote(note) {
  const found = SIGNED.exec(note);
  if (!found || utf8(note).length > NOTE) {
    throw new Malformed("a note is an origin, a size, a root, a blank line, and 1 to 64 signatures");
  }
  const [, origin, size, encoded_, behind] = found;
  const root = fromBase64(encoded_);
  const signatures = [...behind.matchAll(new RegExp(SIGNATURE, "gu"))].map(([, name, made]) => ({ name, made: fromBase64(made) }));
  const good = FORMS.name(origin) && signatures.every(({ name, made }) => FORMS.name(name) && made.length > 4);
  if (!good || BigInt(size) >= 1n << 63n || root.length !== 32) throw new Malformed("a note without a good origin, size, root or signature");
  const all = signatures.map(({ name, made }) => ({ name, id: hexOf(made.slice(0, 4)), made: made.slice(4) }));
  return { origin, size: Number(size), root, text: note.slice(0, note.length - behind.length - 1), signatures: all };
}

/** What a note says, and which of these keys, named like its origin, signed it. Signatures by other keys
 * are passed over. Throws Malformed where one of these does not fit.
 * @param {string} note @param {readonly Key[]} keys @returns {Promise<{head: Head, signer: Key}>} */
export async function signedHead(note, keys) {
  const head = readNote(note);
  let signer = null;
  for (const { name, id, made } of head.signatures) {
    for (const key of keys.filter((each) => each.name === name && each.id === id)) {
      const good = await verifies(key.public, made, utf8(head.text));
      if (!good) throw new Malformed(`the signature of ${name}+${id} does not fit the note`);
      if (name === head.origin) signer = key;
    }
  }
  if (signer === null) throw new Malformed(`no key that is trusted for ${head.origin} has signed it`);
  return { head, signer };
}

// === the tree ==========================================================================================

/** The hash over two subtrees. @param {Uint8Array} left @param {Uint8Array} right */
export const node = (left, right) => sha256(joined(Uint8Array.of(1), left, right));

/** The largest power of two below a size, which may be beyond 32 bits. @param {number} size */
function halfOf(size) {
  let half = 1;
  while (2 * half < size) half *= 2;
  return half;
}

/** The first of some ascending numbers that is not below one. @param {readonly number[]} some */
function firstFrom(some, least) {
  let [low, high] = [0, some.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (some[middle] < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A tree of RFC 6962 of which the leaves are known, or some: then `proof` has the other subtrees.
 * For each without a known leaf it has one node, in the order of the walk from the root, left before right. */
export class Tree {
  /** @param {Map<number, Uint8Array>} leaves @param {readonly string[]} [proof] */
  constructor(leaves, proof = []) {
    this.leaves = leaves; this.proof = [...proof].reverse();
    this.places = [...leaves.keys()].sort((one, other) => one - other);
    this.known = /** @type {Map<string, Uint8Array>} */ (new Map());
  }

  /** The root over the first `size` leaves; null where the proof has nodes too few or too many. @param {number} size */
  root(size) {
    try {
      const found = size ? this.over(0, size) : sha256(new Uint8Array(0));
      return this.proof.length ? null : found;
    } catch (error) { malformed(error); return null; }
  }

  /** @param {number} start @param {number} stop @returns {Uint8Array} */
  over(start, stop) {
    const place = `${start} ${stop}`;
    const known = this.known.get(place);
    if (known) return known;
    const away = firstFrom(this.places, start) === firstFrom(this.places, stop);
    if (away && !this.proof.length) throw new Malformed("nodes too few");
    if (away) return fromHex(this.proof.pop() ?? "");
    if (stop - start === 1) return /** @type {Uint8Array} */ (this.leaves.get(start));
    const middle = start + halfOf(stop - start);
    const found = node(this.over(start, middle), this.over(middle, stop));
    this.known.set(place, found);
    return found;
  }
}

/** The root to which the path of a leaf leads, the lowest node first (RFC 9162, 2.1.3); null for none. @returns {Uint8Array | null} */
function rootByPath(leaf, index, size, path) {
  if (size <= 1 || !path.length) return index === 0 && size === 1 && !path.length ? leaf : null;
  const [half, top] = [halfOf(size), fromHex(path.at(-1))];
  const right = index >= half;
  const below = rootByPath(leaf, right ? index - half : index, right ? size - half : half, path.slice(0, -1));
  return below && (right ? node(top, below) : node(below, top));
}

// === steps =============================================================================================

/** 1: every payload, and every body, is strict and of its form; the first entry opens the table. @param {Report} log */
export function parse(log, some = log.entries) {
  for (const entry of log.each("parse", some)) {
    try { readPayload(entry); }
    catch (error) { log.need(false, `the payload is no event: ${malformed(error)}`); }
    if (["table-opened", "reading-set"].includes(entry.what)) shows(log, entry.event.faces ?? {});
    const [opens, { header: head }] = [entry.what === "table-opened", log];
    log.need(opens === (entry === log.entries[0]), "the first entry alone opens the table");
    if (!opens || entry !== log.entries[0] || !("system" in head)) continue;
    for (const [name, its] of [["system", "ruleset"], ["version", "version"], ["options", "options"]]) {
      log.need(same(head[name], entry.event[its]), `the header says another ${name}`);
    }
    log.need(head.origin.endsWith(`/t/${entry.event.table}`), "the origin is another table's");
  }
  log.place = ["parse", null];
  log.need(log.entries.length, "there is no entry");
  log.need(log.whole || declared(log).includes(log.header.roll), "the roll that the file is about is not declared in it");
}

/** The rolls that are declared anywhere in the file. @param {Report} log @returns {number[]} */
const declared = (log) => log.entries.filter(({ what }) => what === "roll-declared").map(({ event }) => event.roll);
const EXPONENT = /[:,[]-?[0-9.]+[eE]/;

/** What a table's dice show: everybody takes a dN to show 1 to N, and a system may have another one. @param {Report} log @param {Record<string, any[]>} faces */
function shows(log, faces) {
  const named = Object.entries(faces).filter(([kind]) => numbered(kind));
  const odd = named.filter(([kind, its]) => its.length !== numbered(kind) || its.some((face, at) => face !== at + 1));
  const kinds = odd.map(([kind]) => kind).sort(byPoint);
  if (kinds.length) log.say("look", `${kinds.join(", ")} do not show 1 to N`, "odd-faces");
  const own = Object.keys(faces).sort(byPoint);
  if (own.length) log.say("stated", `${own.join(", ")} show faces of their own from here on`, "faces");
}

/** Put what was asked and the event into an entry, if they are there. Throws Malformed. @param {Entry} entry */
function readPayload(entry) {
  const { payload } = entry;
  if (payload === null) return;
  const { value: found, odd } = strict(payload, "payload");
  fitting("", found, PAYLOAD);
  const { asked: asked_ = null, event } = found;
  const tag = typeof event.type === "string" ? event.type : "";
  const listed_ = Object.hasOwn(EVENTS, tag);
  const free = Object.fromEntries(Object.keys(event).map((name) => [name, [FORMS.any, 0]]));
  const fields = /** @type {Fields} */ (listed_ ? EVENTS[tag] : { ...free, ...OF_ALL });
  fitting(`not ${cut(tag, 80)}: `, event, fields);
  if (asked_ !== null) fitting(`not ${cut(tag, 80)}: `, asked_, ASKED);
  const loose = untidy(found, PAYLOAD) || (asked_ && untidy(asked_, ASKED)) || (listed_ && untidy(event, fields));
  // Each language writes exponents in its own way: such a payload is the rerun's to compare.
  const what = listed_ || OTHERS.has(tag) ? tag.split("/")[0] : tag;
  Object.assign(entry, { odd: loose || (odd && !EXPONENT.test(payload)), asked: asked_, event, what });
  if (!asked_) return;
  if (utf8(asked_.body).length > BODY) throw new Malformed(`a body of more than ${BODY} bytes`);
  entry.body = strict(asked_.body, "body").value;
}

/** 2: the checkpoint is of this log, and signed. Gives it, and the keys that count.
 * @param {Report} log @param {Key | null} key @returns {Promise<[Head | null, Key[]]>} */
async function signature(log, key) {
  log.place = ["signature", null];
  const [head, keys] = [log.header, key ? [key] : log.header.known];
  for (const each of head.known) log.need(!weakness(each.public), "the header has a key that nobody may have");
  try {
    const { head: note, signer } = await signedHead(head.checkpoint, keys);
    [log.signer, log.trusted] = [`${signer.name}+${signer.id}`, key !== null];
    log.need(note.origin === head.origin && note.size === head.size, "another origin or size was signed");
    return [note, keys];
  } catch (error) {
    log.need(false, `the checkpoint is not accepted: ${malformed(error)}`);
    return [null, keys];
  }
}

/** Whether there is a root, and it is the other one. */
export const isRoot = (found, root) => found !== null && hexOf(found) === hexOf(root);

/** 3: the entries lead to the root that was signed, and begin with those of every earlier head. @param {Report} log @param {Head | null} head @param {Key[]} keys @param {readonly string[]} seen */
async function tree(log, head, keys, seen) {
  log.place = ["tree", null];
  const size = log.entries.length;
  if (head === null) log.say("unchecked", "there is no checkpoint to hold the entries against");
  else if (log.whole || log.header.proof !== null) {
    const right = (size === head.size || !log.whole) && isRoot(log.tree.root(head.size), head.root);
    log.need(right, "the entries do not lead to the signed root");
  } else for (const { leaf, seq, proof } of log.each("tree")) {
    log.need(isRoot(rootByPath(leaf, seq, head.size, proof), head.root), "its proof does not lead to the signed root");
  }
  for (const note of seen) {
    log.place = ["tree", null];
    try { began(log, head, (await signedHead(note, keys)).head); }
    catch (error) { log.need(false, `an earlier head is not accepted: ${malformed(error)}`); }
  }
}

/** The log begins with the entries of an earlier head. @param {Report} log @param {Head | null} head @param {Head} earlier */
function began(log, head, { size, root }) {
  if (!log.need(size <= log.header.size, `a head of ${size} entries was signed, and there are fewer`)) return;
  const signed_ = head && size === head.size ? head.root : null;
  const found = log.whole && size <= log.entries.length ? log.tree.root(size) : signed_;
  log.place = ["tree", size - 1];
  if (found === null) log.say("unchecked", `the head of ${size} entries needs the whole table`);
  else log.need(isRoot(found, root), `the head of ${size} entries is of others: the past was changed`);
}

/** 4: the entries count up, of a whole table without a gap, and time does not go back. @param {Report} log @param {number} now */
export function sequence(log, now, some = log.entries) {
  let [last, at, { size }] = [log.entries.length - some.length - 1, log.last?.at ?? 0, log.header];
  for (const entry of log.each("sequence", some)) {
    const next = log.whole ? last + 1 === entry.seq : last < entry.seq;
    log.need(next && entry.seq < size, `out of sequence behind ${last}, or not below ${size}`);
    log.need(at <= entry.at, `time goes back from ${at}`);
    if (entry.at > now + AHEAD) log.say("look", "it is later than the clock here", "clock", "here");
    [last, at] = [entry.seq, entry.at];
  }
}

/** 5: a payload is the one that was sealed; texts alone are erased, and nothing else is withheld. @param {Report} log */
export function payloads(log, some = log.entries) {
  for (const entry of log.each("payloads", some)) {
    const body = joined(utf8("urim/1 payload\n"), fromHex(entry.salt ?? ""), utf8(entry.payload ?? ""));
    const right = entry.payload === null || hexOf(sha256(body)) === entry.digest;
    log.need(right, "the payload is not the one of its digest");
    if (entry.what !== "entry-erased") continue;
    const [{ seq }, gone] = [entry.event, log.there.get(entry.event.seq)];
    log.need(0 <= seq && seq < entry.seq, "it erases no entry before it");
    log.need(!gone || gone.payload === null, "what it erases is still there");
    log.need(!gone || TEXTS.includes(gone.cls), "it erases what is no text");
  }
}

/** What is not disclosed is hidden, or was erased. @param {Report} log */
export function withheld(log) {
  const erased = new Set(log.entries.filter(({ what }) => what === "entry-erased").map(({ event }) => event.seq));
  for (const entry of log.each("payloads")) {
    if (entry.payload !== null || erased.has(entry.seq)) continue;
    log.need(HIDDEN.includes(entry.cls), `of class ${entry.cls}, and withheld`);
    log.say("stated", "it is not disclosed", "withheld");
  }
}

// --- 6. throws -----------------------------------------------------------------------------------------

const BETWEEN = "a throw waits, and something else comes between";

/** 6: each throw answers what was committed to, asked for and planned, in order and once. @param {Report} log @param {Entry} entry */
function throws(log, entry, event) {
  const { what } = entry;
  if (!("roll" in event)) return;
  const known = log.rolls.has(event.roll);
  const roll = log.roll(event.roll, what === "throw-asked" ? event.by : "");
  if (what === "roll-declared") {
    log.need(!known, "the roll was there before: it is declared a second time, or its number is another one's");
    log.need(log.newest < event.roll, `rolls count up, and the last one was ${log.newest}`);
    log.need(log.fair ? isHash(event.commit) : (event.commit ?? null) === null, "fair dice alone are committed to");
  } else if (!ALWAYS_OPEN.includes(what) && !isStrange(event)) log.need(roll.shown, "the roll was never declared");
}

/** Behind a plan comes its ask; while a throw waits nothing but shares, notes, a break, an epoch. @param {Report} log @param {Entry} entry */
function between(log, entry) {
  const [{ last, ask }, { seq, commit, what, cls }] = [log, entry];
  const planned = last?.what === "throw-planned" && !(what === "throw-asked" && commit === last.seq);
  log.need(!planned, "a throw is planned right before, and nobody is asked for shares");
  if (ask === null) return;
  const its = what in FALLS && entry.event.roll === ask.event.roll;
  const text = TEXTS.includes(cls) && seq !== commit; // of a command that its commit begins with
  const fall = (its || mayBeOf(log.roll(ask.event.roll), entry)) && commit === ask.full;
  if (ask.full !== null) log.need(fall, "no dice fall behind the last share");
  else if (mayBeNote(last)) log.need(text && commit === last?.seq && cls === "hidden-text", BETWEEN);
  else log.need(its || text || MEANWHILE.includes(what) || mayBeNote(entry), BETWEEN);
}

/** Whether an entry, while a throw waits, is not disclosed and may be a note; its text must come next. @param {Entry | null} entry */
const mayBeNote = (entry) => entry !== null && entry.event === null && HIDDEN.includes(entry.cls) && entry.seq === entry.commit;

/** A restored log commits anew to every throw that is outstanding. @param {Report} log @param {Entry} _entry */
function beginsEpoch(log, _entry, event) {
  log.say("look", `epoch ${event.epoch}: the host restored the log`, "epoch");
  log.need(event.epoch === log.epochs + 1, "epochs count from 1");
  log.need(new Set(event.commits.map(([number]) => number)).size === event.commits.length, "it commits twice in one roll");
  for (const [number, throw_, commit] of event.commits) {
    const roll = log.roll(number); // how a hidden one came so far need not be disclosed, nor be in this file
    const behind = !roll.shown || (isSealed(roll) && throw_ >= roll.throws);
    log.need(behind || roll.waiting?.number === throw_, `roll ${number} waits for another throw`);
    log.need(isHash(commit), `roll ${number} is not committed to`);
  }
}

/** A throw, or the ask for it, answers the outstanding commitment, which an earlier commit made. @param {Report} log @param {Entry} entry @param {Roll} roll */
function answers(log, entry, roll, throw_, committed) {
  const open = roll.waiting;
  const right = open !== null && open.number === throw_ && open.seq === committed;
  if (!log.need(right, "it does not answer the outstanding commitment") || !open) return;
  log.need(open.seq < entry.commit, "it answers a commitment of its own commit");
  log.need(open.epoch === log.epochs, "it answers a commitment of before the last epoch");
}

/** Whether an ask may name a commitment in an earlier entry that is not disclosed. @param {Report} log @param {Roll} roll */
function answersUnseen(log, roll, event, seq) {
  const { committed } = event;
  if (roll.waiting?.number === event.throw && roll.waiting?.seq === committed) return false;
  const may = event.throw >= roll.throws && log.epochAt < committed && committed < seq - 1;
  return may && mayBeOf(roll, log.there.get(committed) ?? null);
}

/** An ask is right behind its plan, in the same commit. @param {Report} log @param {Entry} entry */
function asks(log, entry, event) {
  const [{ last }, roll, plan] = [log, log.roll(event.roll), log.last?.what === "throw-planned" ? log.last.event : null];
  const planned = mayBeOf(roll, last) || (plan && ["by", "roll", "throw"].every((name) => plan[name] === event[name]));
  const second = last?.seq === entry.commit && entry.seq === entry.commit + 1;
  log.need(planned && second, "no plan of its dice is right before it");
  if (!answersUnseen(log, roll, event, entry.seq)) answers(log, entry, roll, event.throw, event.committed);
}

/** The ask that waits for shares of this very throw. @param {Report} log */
function waits(log, event) {
  const { ask } = log;
  return ask && ask.full === null && ask.event.roll === event.roll && ask.event.throw === event.throw ? ask : null;
}

/** A break ends the ask that waits, ten seconds or by post hours after it, and names who opened nothing. @param {Report} log @param {Entry} entry */
function breaks(log, entry, event) {
  const [ask, { kept: kept_ }] = [waits(log, event), event];
  if (!log.need(ask, "it breaks off what waits for nobody") || !ask) return;
  log.need(entry.at >= ask.entry.at + ask.wait, `broken off within ${ask.wait} ms`);
  log.need(same(kept_, missing(ask)), `${shown(missing(ask))} kept back, and not ${shown(kept_)}`);
  log.need(isHash(event.next), "the next throw is not committed to");
  log.say("look", `roll ${event.roll} is broken off: ${kept_.join(", ")} kept back`, "broken");
}

/** Dice have a proof, which is of the table's source, of the next throw, and as planned. @param {Report} log @param {Entry} entry */
function falls(log, entry, event) {
  const [{ proof = null }, ask, roll] = [event, askedFor(log, event), log.roll(event.roll)];
  const taken = (event.taken ?? null) !== null && (event.taken === roll.follows || !roll.shown);
  if (!proof && taken && event.dice.length) {
    log.say("stated", `the dice of roll ${event.taken} are taken over`, "taken");
    return takes(log, event.dice, event.taken);
  }
  if (!proof) return void log.need(taken || !event.dice.length, "dice without a proof of their throw");
  log.need(proof.source === (log.source.startsWith("seeded:") ? "seeded" : log.source), "dice of another source than the table's");
  log.need(proof.throw === roll.throws, `the next throw of the roll is ${roll.throws}`);
  const more = ["committed", "nonce", "next"].some((name) => name in proof);
  log.need(proof.source !== "seeded" || !more, "seeded dice take no commitment and no nonce");
  if (proof.source !== "fair") return;
  answers(log, entry, roll, proof.throw, proof.committed ?? null);
  log.need(isHash(proof.next), "the next throw is not committed to");
  if (!ask) return;
  const found = [event.by, proof.throw, proof.committed ?? null];
  const wanted = ["by", "throw", "committed"].map((name) => ask.event[name]);
  if (ask.plan) {
    const once = new Map(event.dice.map(([die, kind]) => [JSON.stringify([die, kind]), [die, kind]]));
    found.push(FALLS[entry.what], event.hand, event.option ?? null, [...once.values()]);
    wanted.push(...["trigger", "hand", "option", "dice"].map((name) => ask.plan[name] ?? null));
  }
  log.need(ask.plan !== null, "its dice are disclosed, and their plan is not");
  log.need(same(found, wanted), "it is not as asked and planned");
  log.need(!missing(ask).length, `${shown(missing(ask))} have not opened their shares`);
  const again = event.dice.length - new Set(event.dice.map(([die]) => die)).size;
  if (again) log.say("look", `${again} dice thrown again: urim audit knows whether rules ask for it`, "thrown-again");
}

/** Dice that are taken over are a hand of the roll that they are taken from, as it shows then. @param {Report} log */
function takes(log, dice_, number) {
  const [hands, put] = [[...(log.rolls.get(number)?.hands.values() ?? [])].map((hand) => [...hand]), log.rolls.get(number)?.adjusted];
  const its = hands.filter((hand) => hand.length === dice_.length);
  const shows_ = ([die, was], at) => was[0] === dice_[at][1] && (was[1] === dice_[at][2] || (put?.get(die)?.has(dice_[at][2]) ?? false));
  if (its.some((hand) => hand.every(shows_))) return;
  if (hands.length || log.whole) log.need(false, `the dice are those of no hand of roll ${number}`);
  else log.say("unchecked", `roll ${number}, from which dice are taken, is not in this file`);
}

/** The ask that dice are of. @param {Report} log */
const askedFor = (log, event) => (log.ask && log.ask.event.roll === event.roll ? log.ask : null);

/** What of throws only the end shows. @param {Report} log */
export function throwsAtEnd(log) {
  const { ask, last } = log;
  log.place = ["throws", last?.seq ?? null];
  const begun = last?.what === "throw-planned" || (ask && (ask.full !== null || mayBeNote(last)));
  log.need(!begun, "a plan without its ask, all shares without their dice, or an entry without its text");
  if (ask?.full === null) log.say("look", "a throw waits for shares at the end", "left-open");
  for (const roll of log.rolls.values()) {
    log.place = ["throws", roll.gap];
    log.need(roll.revealed === null || !roll.shown || roll.gap === null, "the roll is revealed, and this throw of it is not disclosed");
  }
}

/** C: what binds a host to the seed of a throw. @param {string} id TABLE/ROLL/THROW @param {string} seed */
export const commitment = (id, seed) => sha256Hex(`urim/1 seed\n${id}\n${seed}\n`);

/** 7: the seed that a throw or a break opens is the one committed to. @param {Report} log @param {Entry} entry */
function commitments(log, entry, event) {
  const opened = entry.what in FALLS ? (event.proof ?? null) : event;
  if (!log.fair || opened === null || (opened.source ?? "fair") !== "fair") return;
  const [open, { seed = null }] = [log.roll(event.roll).waiting, opened];
  if (!log.need(isHash(seed), "it opens no seed") || !open) return;
  const found = commitment(`${log.id}/${event.roll}/${opened.throw}`, seed);
  log.need(found === open.commit, `entry ${open.seq} commits to another seed`);
}

// --- 8. transcripts ------------------------------------------------------------------------------------

/** The level that is due for a throw of a seat, where its declaration names that level or none.
 * From table-opened/3 on `table` is, while another seat has an anchor, whoever throws; not at a table
 * opened at `server`, nor on one machine. Before, it was for a narrator's throws and hidden ones.
 * @param {Report} log @param {string} seat @param {Roll} roll @param {string | null} named */
function due(log, seat, roll, named) {
  if (log.new && log.fair && log.oneMachine) return (named ?? log.level) === "server" ? "server" : "player";
  if (named !== null || !log.fair || log.oneMachine || (log.new && log.level === "server")) return named ?? log.level;
  const narrates = log.seats.get(seat)?.role === "narrator";
  return (log.new || narrates || isSealed(roll)) && log.anchored(seat).length ? "table" : log.level;
}

/** A link of a seat's chain, and so many before it, back towards the anchor. @param {string} table @param {string} seat @param {string} link @param {number} length */
export function chain(table, seat, link, length) {
  const links = [link];
  for (let i = 0; i < length; i++) links.push(sha256Hex(`urim/1 share\n${table}\n${seat}\n${links[i]}\n`));
  return links;
}

/** 8: each throw is at the level that was due, and holds the nonce or the share that this asks for. @param {Report} log @param {Entry} entry */
function transcripts(log, entry, event) {
  const [ask, roll, seat, { nonce = null, source }] = [askedFor(log, event), log.roll(event.roll), event.by, event.proof ?? {}];
  if (source !== "fair") return;
  if (ask) log.need(nonce === (ask.opened.get(ask.event.by) ?? null), "the nonce is not the roller's share");
  if (ask || !log.fair || !roll.shown) return;
  const [level, usual] = [due(log, seat, roll, roll.level), due(log, seat, roll, null)];
  log.need(level === "server" ? nonce === null : isHash(nonce), `another nonce than level ${level} asks for`);
  const alone = !log.awake(seat).length; // in the file of one roll other rolls may show who kept a share back
  log.need(level !== "table" || alone || !log.whole, "level table is due, and nobody is asked for a share");
  if (level === "table" && alone) log.say("look", "level table is due, and nobody can be asked", "alone");
  const lower = LEVELS.indexOf(level) < LEVELS.indexOf(usual) && (log.new || usual === "table");
  if (lower) log.say("look", `roll ${roll.number} names a level below the one due`, "lower-level", roll.number);
  if (isUnseen(entry, event.proof)) log.say("look", "its seat named an earlier commitment, and did not see this one", "unseen");
}

/** Whether a throw answers a later commitment than its seat named: the host may have had the nonce before it made that.
 * @param {Entry} entry */
const isUnseen = ({ body }, { nonce = null, committed = 0 }) => nonce !== null && Number.isInteger(body?.committed) && body.committed < (committed ?? 0);

/** An anchor is of a seat that was taken, and of a new chain; hashed back it leads to no old one. @param {Report} log @param {Entry} _entry */
function anchors(log, _entry, { by: seat, anchor }) {
  const known = log.seats.get(seat);
  if (!log.need(known && isHash(anchor), "nobody ever took the seat, or this is no anchor") || !known) return;
  const back = chain(log.id, seat, anchor, known.links.size ? CHAIN : 0);
  log.need(!back.some((link) => known.links.has(link)), `the anchor of seat ${seat} is of a chain that it had before`);
  if (anchor === chain(log.id, seat, ZEROS, CHAIN).pop()) log.say("look", `the chain of seat ${seat} ends with zeros`, "weak-chain");
  if (known.link && known.asks >= CHAIN) log.say("stated", `seat ${seat} renews its chain at the last link`, "renewed");
  else if (known.links.size && known.key === null) log.say("look", `seat ${seat} anchors once more, without a key`, "anchored-again");
}

/** An ask names who is asked for which link, and who is left out. @param {Report} log @param {Entry} _entry */
function asksSeats(log, _entry, event) {
  const [names, seats] = [event.asked.map(([seat]) => seat), log.anchored()];
  log.need(log.fair && !log.oneMachine, "at this table no throw asks for shares");
  const once = same(names, [...new Set(names)].sort());
  log.need(once && names.length <= MOST_ASKED, "the seats are not each named once, by id");
  log.need(names.includes(event.by) && names.length > 1, "the roller asks not itself, or nobody else");
  for (const [seat, i] of event.asked.slice(0, MOST_ASKED)) {
    const next = seats.includes(seat) ? (log.seats.get(seat)?.asks ?? 0) + 1 : CHAIN + 1;
    const right = (log.whole ? i === next : i >= next) && i <= CHAIN; // of some entries alone asks are missing
    log.need(right, `seat ${seat} has no anchor, or ${i} is not its next link`);
  }
  const left = seats.filter((seat) => !names.includes(seat));
  log.need(same(left, event.left ?? []), `the seats that are left out are ${shown(left)}`);
}

/** 10: shares are asked for where table is due, and another seat is awake; what woke it a roll's file may lack. @param {Report} log @param {Entry} _entry */
function atTable(log, _entry, { roll: number, by: seat }) {
  const roll = log.roll(number);
  const right = !roll.shown || (due(log, seat, roll, roll.level) === "table" && (log.awake(seat).length || !log.whole));
  log.need(right, "shares are asked for, and table is not due");
}

/** The links from share i back to the newest one that is known; none where it leads to another. @param {Report} log @returns {string[]} */
function linked(log, seat, share, i) {
  const known = log.seats.get(seat);
  if (!known?.link || !isHash(share) || !(known.at < i && i <= CHAIN)) return [];
  const links = chain(log.id, seat, share, i - known.at);
  return links.pop() === known.link ? links : [];
}

/** A share is of a seat asked, opened once, for the throw that waits, and its next link. @param {Report} log @param {Entry} _entry */
function opensShare(log, _entry, event) {
  const [seat, ask] = [event.by, waits(log, event)];
  if (!log.need(ask && missing(ask).includes(seat), `nobody waits for a share of seat ${seat}`)) return;
  const i = ask?.asked.get(seat);
  const right = linked(log, seat, event.share, i).length > 0;
  log.need(right, `it is not link ${i} of the chain of seat ${seat}`);
  if (right && log.seats.get(seat)?.key === null) log.say("stated", `seat ${seat} has no key: the host's word`, "host-word", seat);
}

/** T: all that the dice of a throw follow from beside its seed. @param {string} id @param {{seq: number, leaf: string}} open @param {string} roller @param {string | null} nonce @param {Map<string, string>} shares */
export function transcript(id, open, roller, nonce, shares) {
  const rows = ["urim/1 throw", `throw ${id}`, `committed ${open.seq} ${open.leaf}`, `roller ${roller} ${nonce ?? "-"}`];
  for (const seat of [...shares.keys()].sort()) rows.push(`witness ${seat} ${shares.get(seat)}`);
  return rows.map((each) => `${each}\n`).join("");
}

/** What draws the dice of a seed and a transcript: HKDF-Extract (RFC 5869) by now. @param {string} seed @param {string} text */
export const drawing = (seed, text) => hmac(hmac(sha256(utf8(text)))(fromHex(seed)));

/** The number of the face of die j, from 0, by HKDF-Expand; null for no fair draw. @param {(message: Uint8Array) => Uint8Array} draw @param {number} j @param {number} faces */
export function drawn(draw, j, faces) {
  if (!(faces >= 1 && faces <= DRAWS)) return null;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const bytes = draw(utf8(`urim/1 die\n${j}\n${attempt}\n\u0001`)).subarray(0, 6);
    const value = bytes.reduce((sum, byte) => sum * 256 + byte, 0);
    if (value < DRAWS - (DRAWS % faces)) return value % faces;
  }
  return null;
}

/** 9: every die shows the face that follows from seed and transcript. @param {Report} log */
function dice(log, _entry, event) {
  const { proof = null } = event;
  if (!proof || !["fair", "seeded"].includes(proof.source) || !log.source.startsWith(proof.source)) return;
  const [id, { nonce = null }, roll] = [`${log.id}/${event.roll}/${proof.throw}`, proof, log.roll(event.roll)];
  let [seed, open, ask] = [proof.seed ?? null, roll.waiting, askedFor(log, event)];
  if (proof.source === "seeded") {
    const fixture = sha256Hex(`urim/1 fixture\n${log.source.split(":").slice(1).join(":")}\n${id}\n`);
    log.need(seed === fixture, "the seed is not the fixture's");
    [seed, open, ask] = [fixture, { number: 0, commit: "", seq: 0, leaf: ZEROS, epoch: 0 }, null];
  }
  const shares = new Map(ask ? [...ask.opened].filter(([seat]) => seat !== ask?.event.by) : []);
  // One that answers nothing, or gives what is no seed or nonce: an earlier step fails.
  if (open === null || ![seed, nonce ?? ZEROS, ...shares.values()].every(isHash)) return;
  const [known, draw] = [roll.shown ? roll.faces : log.faces, drawing(seed, transcript(id, open, event.by, nonce, shares))];
  if (known === null) return log.say("unchecked", "the faces of these dice are not known here");
  for (const [j, [die, kind, face]] of event.dice.entries()) {
    const faces = known.get(kind)?.length ? known.get(kind) : null;
    const at = drawn(draw, j, faces ? faces.length : numbered(kind));
    const wanted = at === null ? null : faces ? faces[at] : at + 1;
    log.need(same(wanted, face), `die ${die} (${kind}) must show ${wanted ?? "None"}`);
  }
}

/** How many faces, 1 to N, a die dN has; 0 for another kind. @param {string} kind */
const numbered = (kind) => (/^d[1-9][0-9]{0,14}$/.test(kind) ? Number(kind.slice(1)) : 0);

// --- 10. transitions -----------------------------------------------------------------------------------

/** The entries put together to the commits that they were kept in. @param {Entry[]} lines */
export function commitsOf(lines) {
  const found = /** @type {Entry[][]} */ ([]);
  for (const entry of lines) {
    const last = found.at(-1) ?? [entry];
    const behind = entry.seq === last[last.length - 1].seq + 1 && entry.seq !== entry.commit && entry.commit === last[0].commit;
    behind ? last.push(entry) : found.push([entry]);
  }
  return found;
}

/** 10: a commit says what was asked, and its events and its text are what that leads to. @param {Report} log */
export function transitions(log, commits = log.commits) {
  const known = (log.new ? [5, 6] : [4]).includes(log.core);
  log.place = ["transitions", 0];
  if (log.id && !known) log.say("unchecked", `what commands lead to is of version ${log.core}: not known here`, "", "core");
  for (const group of commits) {
    const [first] = group;
    placed(log, group);
    for (const { what, event } of group) if (what === "roll-declared" && event?.visibility === "blind") log.blind.add(event.roll);
    parts(log, group);
    if (first.event === null || first.asked === null || first.seq !== first.commit) continue;
    log.place = ["transitions", first.seq];
    const [{ by }, { request }] = [first.event, first.asked];
    if (request !== `~${first.seq}`) {
      log.need(FORMS.request(request), "a request that no client may send");
      log.need(kept(log.requests, `${by} ${request}`, () => first.seq) === first.seq, "a seat sends a request twice");
    }
    if (first.body !== null && known) bodies(log, group, first.body, first.event);
  }
  log.place = ["transitions", null];
  for (const seat of log.given.keys()) log.need(log.begun.has(seat), `seat ${seat} never asks with the key given for it`);
}

/** What the entries of a commit are: of one time and seat, what was asked in the first, a text the last. @param {Report} log @param {Entry[]} group */
function placed(log, group) {
  const [first] = group;
  let before = first;
  for (const entry of log.each("transitions", group)) {
    const { event, what, cls } = entry;
    const [begins, text] = [entry.seq === entry.commit, TEXTS.includes(cls)];
    log.need(entry !== first || begins, `commit ${entry.commit} is not right before it`);
    log.need(entry.at === first.at, "a commit is of two times");
    if (event) {
      log.need(!entry.odd, "the payload is written in another way");
      log.need(!log.new || [what, entry.event.type].includes(NEWEST[what] ?? what), "an event in its older form");
      log.need((entry.asked !== null) === begins, "the first alone of a commit says what was asked");
      const falls_ = first.what === "share-opened" && what in FALLS;
      log.need(first.event === null || first.event.by === event.by || falls_, "an event of another seat than asked");
      log.need(cls === "open" || !ALWAYS_OPEN.slice(0, 3).includes(what), "it is for everybody to see");
      log.need(text === (what === "text-said"), `class ${cls} holds ${what}`);
    }
    const asks_ = what === "throw-asked" && entry.seq === entry.commit + 1;
    const behind = before.cls === "hidden" && cls === "open";
    log.need(begins || asks_ || !behind, "an open entry that nobody asked for, behind a hidden one");
    const right = first !== entry && entry === group.at(-1) && HIDDEN.includes(cls) === HIDDEN.includes(first.cls);
    log.need(right || !text, "a text that is not the last, or not hidden as its commit is");
    before = entry;
  }
  if (first.body !== null && first.seq === first.commit) texts(log, first, before);
}

/** A commit is disclosed whole or not at all, but for an ask, a throw behind a share, and what a ruling declares. @param {Report} log @param {Entry[]} group */
function parts(log, group) {
  const own = group.filter(({ cls }) => !TEXTS.includes(cls));
  const [first] = own.length ? own : group;
  for (const entry of log.each("transitions", own.slice(1))) {
    const [{ what, event }, last, behind] = [entry, entry === own.at(-1), entry.seq - entry.commit];
    let right = (event === null) === (first.event === null);
    if (first.what === "share-opened") right = behind === 1 && (event === null || !("roll" in event) || event.roll === first.event.roll);
    else if (first.event) right ||= first.event.ruling === "replay" && last && behind > 1;
    else if (event && last && entry.cls === "hidden" && ["roll-declared", "roll-amended"].includes(what)) {
      const roll = log.rolls.get(event.roll);
      right = what === "roll-declared" || (log.blind.has(event.roll) && roll !== undefined && isSealed(roll));
      if (right) log.say("look", `who wanted this of roll ${event.roll} is not disclosed`, "unasked");
    }
    log.need(right || (what === "throw-asked" && behind === 1), "a commit is disclosed in part");
  }
}

/** The last entry of a commit is the text that its command names. @param {Report} log @param {Entry} first @param {Entry} last */
function texts(log, first, last) {
  const [wanted, said] = [first.body.text ?? null, last.event];
  log.place = ["transitions", first.seq];
  const right = log.need((wanted !== null) === TEXTS.includes(last.cls), "the text that is named is missing, or none is named");
  if (!right || wanted === null || last.what !== "text-said") return;
  log.place = ["transitions", last.seq];
  log.need(FORMS.salt(said.salt) && textHash(said.salt, said.text) === wanted, "the text is not the one that the command names");
}

/** What a command names of a text. @param {string} salt @param {string} text */
export const textHash = (salt, text) => sha256Hex(`urim/1 text\n${salt}\n${text}`);

/** What a body names, the events of its commit say too: those of the closed list are compared. @param {Report} log @param {Entry[]} group */
function bodies(log, group, body, event) {
  const [first, { do: do_ }] = [group[0], body];
  const listed_ = event.type in EVENTS;
  log.place = ["transitions", first.seq];
  if (!log.need(FORMS.tag(do_), "what was asked is no command")) return;
  const [name, version] = do_.split("/");
  const { latest, text, to, fields, more } = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : NO_COMMAND;
  const strange = Number(version) > latest || (first.what === "table-opened" && log.faces === null);
  if (strange && listed_) log.say("unchecked", `what ${do_} leads to is not known here`);
  if (strange || !log.need(first.what === to, `${do_} leads to ${to}`)) return;
  log.need(text !== "!" || (body.text ?? null) !== null, `${do_} needs a text`);
  const known = ["do", ...(text ? ["text"] : []), ...fields.map(([field]) => field)];
  log.need(!listed_ || Object.keys(body).every((each) => known.includes(each)), `${do_} has other fields`);
  for (const entry of log.each("transitions", group.filter((each) => each.event && each.what !== "text-said"))) {
    const its = entry === first ? fields : (SECOND[entry.what] ?? []);
    const leadsTo = entry === first || more.includes(entry.what);
    const compared = log.need(leadsTo, `${do_} does not lead to ${entry.what}`) && (listed_ || entry !== first) ? its : [];
    for (const each of compared) log.need(saysSo(each, entry.event, body, log.blind), `it says another ${each[0]} than was asked for`);
  }
}

/** What an object has under a name of somebody's. */
const own = (of, name) => (Object.hasOwn(of, name) ? of[name] : null);

/** Whether an event says what was asked for, by a field of COMMANDS. @param {[string, string, any]} field @param {Set<number>} blind */
function saysSo([name, mark, usual], event, body, blind) {
  const there = mark === "=" || name in body; // one that has no usual value is always there
  if (mark !== "@") return mark === "*" || (there && same(name in event ? event[name] : usual, name in body ? body[name] : usual));
  const [wanted, proof, thrown] = [body[name] ?? null, event.proof ?? {}, event.dice ?? []];
  switch (name) {
    case "options": // those that were asked for; the others are the system's
      return isObject(wanted ?? {}) && Object.keys(wanted ?? {}).every((each) => same(own(event.options, each), wanted[each]));
    case "role": return (event.key ?? null) !== null || event.role === (wanted ?? "player"); // who takes a key keeps it
    case "level": // what was settled in version 1 counts as named
      return (event.level ?? null) === wanted || (wanted === null && event.type === "roll-declared/1");
    case "committed": { // who throws in a blind roll may see an earlier commitment alone
      const found = ("committed" in event ? event.committed : proof.committed) ?? null;
      const earlier = blind.has(event.roll) && FORMS.int(wanted) && FORMS.int(found) && wanted <= found;
      return earlier || same(found, wanted);
    }
    case "nonce": return (proof.nonce ?? null) === wanted;
    case "faces": // those that were typed
      return same(["manual", "scripted"].includes(proof.source) ? thrown.map((die) => die[2]) : null, wanted);
    case "dice": // those thrown again; one that is thrown again at once is listed again
      return same(event.trigger === "roll" ? null : [...new Set(thrown.map(([die]) => die))], wanted);
    default: return FORMS.strs(wanted) && same([...wanted].sort(), event.asked.map(([seat]) => seat)); // the seats asked
  }
}

/** 10, on the way: each command of a seat with a key is its own, over a head that it had seen. @param {Report} log @param {Entry} entry */
async function signed(log, entry, event) {
  const [{ by, key: named = null }, { what, seq }] = [event, entry];
  const [place, about] = [log.seats.get(by), log.seats.get(event.seat ?? by)];
  const own = what === "seat-taken" && by === event.seat && Boolean(place?.here);
  const taken = own ? keyOf(named) : null;
  if (what === "seat-taken") {
    log.need(own || named === null, "a key that the seat did not take itself");
    if (about?.key && !(own && named !== null)) log.say("look", `seat ${event.seat} has no key any more`, "key-reset");
  }
  const goes = what === "seat-taken" ? !own : what === "seat-left" && by === event.seat;
  const lost = goes && about?.here && about.link && about.key === null;
  if (lost) log.say("look", `seat ${event.seat} could be asked, and no longer can`, "anchor-lost");
  if (what === "seat-left" && by !== event.seat) log.say("look", `seat ${event.seat} is removed by seat ${by}`, "removed");
  if (entry.asked === null || seq !== entry.commit) return;
  const [key, trusted] = [place?.key || taken, log.given.get(by) ?? new Set()];
  if (key !== null && trusted.has(key)) log.begun.add(by);
  if (key !== null && trusted.has(key) && taken) trusted.add(taken);
  log.need(!log.begun.has(by) || trusted.has(key), `seat ${by} asks without the key that was given for it`);
  const { sig = null, seen = null, request } = entry.asked;
  if (key === null) return void log.need(sig === null && seen === null, `seat ${by} signs, and has no key`);
  if (what === "epoch-begun" && sig === null) return; // an epoch is the host's, signed by nobody
  log.keyed.add(by);
  const right = seen !== null && isHash(seen[1]) && !request.startsWith("~");
  if (log.need(right, `seat ${by} has a key, and signs over no head, or no request of its own`)) await signs(log, entry, by, key, entry.asked);
}

/** The key of each signature that was good: a log that changed is walked through once more. @type {WeakMap<Entry, string>} */
const VERIFIED = new WeakMap();

/** A signature is of the key, over a head of this log: no later one, and no older than the last. @param {Report} log @param {Entry} entry @param {string} seat @param {string} key */
async function signs(log, entry, seat, key, asked_) {
  const [size, root] = asked_.seen;
  const rows = ["urim/1 asked", log.header.origin, seat, asked_.request, `${size} ${root}`, sha256Hex(asked_.body)];
  const message = utf8(rows.map((each) => `${each}\n`).join(""));
  const good = VERIFIED.get(entry) === `${rows[1]} ${key}` || (await verifies(fromBase64(key), fromBase64(asked_.sig), message));
  if (log.need(good, `it is not signed by the key of seat ${seat}`)) VERIFIED.set(entry, `${rows[1]} ${key}`);
  const before = log.seats.get(seat)?.seen ?? -1;
  log.need(before < 0 || size >= Math.max(before, 1), "the head that it had seen is older than the last");
  if (log.need(0 <= size && size <= entry.seq, "the head that it had seen is beyond the command") && (log.whole || size <= log.past.leaves.size)) {
    log.need(hexOf(log.past.root(size) ?? new Uint8Array(0)) === root, "the head that it had seen is not of this log");
  }
  log.need(entry.what !== "share-opened" || !log.ask || size > log.ask.entry.seq, "a share is opened before the ask was seen");
  const touched = entry.what in FALLS ? log.roll(entry.event.roll).touched : new Map();
  const other = [...touched].some(([by, at]) => by !== seat && size <= at);
  if (other) log.say("look", `roll ${entry.event.roll} was another one when seat ${seat} threw`, "held");
}

/** 12: no seed occurs twice; a nonce that is one byte over and over is a look. @param {Report} log @param {Entry} entry */
function reuse(log, entry, event) {
  const { seed: open = null, nonce = null } = event.proof ?? {};
  const seed = event.seed || (log.fair ? open : null);
  if (isHash(seed)) {
    const first = kept(log.seeds, seed, () => entry.seq);
    log.need(first === entry.seq, `its seed is that of entry ${first}`);
  }
  if (isHash(nonce) && nonce === nonce.slice(0, 2).repeat(32)) log.say("look", "the nonce is one byte over and over", "nonce");
}

/** 13: a void opens the seed of the throw that was outstanding. @param {Report} log @param {Entry} _entry */
function voids(log, _entry, event) {
  const open = log.fair ? log.roll(event.roll).waiting : null;
  if (!open) return;
  const { seed = null, throw: throw_ = null } = event;
  const right = isHash(seed) && commitment(`${log.id}/${event.roll}/${open.number}`, seed) === open.commit;
  log.need(right && throw_ === open.number, "it does not open the seed");
}

const DECISIONS = { "dispute-raised": "dispute", "ruling-made": "ruling" };
for (const what of ["roll-amended", "declaration-vetoed", "declaration-replaced"]) DECISIONS[what] = "correction";
/** Ruling -> what is done to its roll; a replay declares another instead. */
const DEEDS = { stands: [], amend: ["roll-amended"], void: ["roll-voided"], replay: ["roll-voided"] };
const DONE = ["roll-amended", "roll-voided", "roll-declared"];

/** 14: a decision has its reason; a ruling, and what was ruled, are one commit. @param {Report} log */
export function rulings(log, commits = log.commits) {
  for (const group of commits) {
    const [first, last] = [group[0], group[group.length - 1]];
    if (first.event === null || !(first.what in DECISIONS)) continue;
    log.place = ["rulings", first.seq];
    const done = first.what !== "ruling-made" || log.core < 3 || isDone(first.event, group.slice(1));
    const again = first.what === "ruling-made" ? log.rolls.get(first.event.instead ?? 0) : undefined;
    const here = !again?.shown || log.there.get(again.seq)?.commit === first.commit;
    log.need(done && here, "what was ruled is not what its commit does");
    const reason = last.what === "text-said" ? last.event.text : "erased, or hidden";
    log.say("stated", `roll ${first.event.roll}: ${first.what} by ${first.event.by}: ${reason}`, DECISIONS[first.what]);
    if (!TEXTS.includes(last.cls)) log.say("look", `${first.what} without a reason`, "no-reason");
  }
}

/** Whether a commit does what was ruled; a declaration that is kept back is not counted. @param {any} event @param {Entry[]} behind */
function isDone(event, behind) {
  const { ruling, roll: about, instead = null } = event;
  const wanted = DEEDS[ruling].map((what) => `${about} ${what}`);
  if (ruling === "replay" && behind.every((each) => each.event || TEXTS.includes(each.cls))) wanted.push(`${instead} roll-declared`);
  const its = behind.filter((each) => DONE.includes(each.what) && (each.what === "roll-declared" || [about, instead].includes(each.event.roll)));
  const done = its.map((each) => `${each.event.roll} ${each.what}`);
  return same(done.sort(), wanted.sort()) && (instead !== null) === (ruling === "replay");
}

/** 15: of a roll that is revealed all is disclosed: as many entries as the reveal says. @param {Report} log @param {Entry} _entry */
function hidden(log, _entry, event) {
  const [found, said] = [log.ofRoll.get(event.roll) ?? 0, event.entries ?? null];
  log.need(said === null || !log.whole || said === found, `the roll has ${shown(said)} entries, and ${found} can be read`);
  if (!log.roll(event.roll).shown) log.say("look", "the roll is revealed, and not in the file", "not-shown");
}

// === counted ===========================================================================================

const ENDINGS = { "roll-voided": "made void by", "declaration-vetoed": "vetoed by", "declaration-replaced": "replaced by", "roll-amended": "amended by" };
/** Behind these the dice of a roll are counted as dropped; those of a further throw are counted anew. */
const OVER = ["roll-voided", "declaration-vetoed"];

/** Throws whose dice could be known to somebody, and that came to nothing; and by whom.
 * Known: at `server` and `player` from the declaration on, for the host may have had the nonce and
 * kept the command back; at `table` from the last share on, when the dice fall.
 * @param {Report} log @param {Entry} entry */
function drops(log, entry, event) {
  const [{ by }, { what }] = [event, entry];
  const roll = log.rolls.get(event.roll ?? 0);
  const over = !roll?.dice && OVER.includes(roll?.ended ?? "");
  if (what === "throw-broken") {
    const ask = waits(log, event);
    if (ask) drop(log, [ask.event.by], event.roll, `${event.kept.join(", ")} kept back, ended by`, by, "broken");
  } else if (what === "epoch-begun") {
    for (const each of [...new Set(event.commits.map(([number]) => number))].map((number) => log.rolls.get(number))) {
      if (each?.shown && !each.ended && early(log, each)) drop(log, owners(each), each.number, "behind an epoch of", by);
    }
  } else if (what === "throw-asked" && roll?.shown && roll.known) {
    drop(log, [by], roll.number, "below table until it was asked for by", by);
  } else if (what in ENDINGS && roll?.shown && !over) {
    if (roll.dice || early(log, roll)) drop(log, owners(roll), roll.number, ENDINGS[what], by);
    else if (what === "roll-voided") log.say("stated", `roll ${roll.number} is ended before its dice`, by === roll.seat ? "withdrawn" : "early-void");
  }
}

/** Put a roll into a column of these seats: how it ended, by whom, in the entry that is looked at. @param {Report} log */
function drop(log, seats, roll, how, by, column = "dropped") {
  const found = { roll, how, by, seq: log.place[1] };
  for (const seat of seats) log.of(seat)[column].push(found);
}

/** Behind these it is looked at whether fewer than two seats are awake; `alone` is the last entry where they are. */
const WATCHED = ["roll-declared", "seat-taken", "seat-left", "share-anchored", "epoch-begun", "throw-broken"];
/** Whether somebody could know the dice of a roll before they fell. At level table nobody can; but another one was due
 * at its declaration, or since then fewer than two seats were awake, of which one is the roller's. @param {Report} log @param {Roll} roll */
const early = (log, roll) => roll.low || log.alone >= roll.seq;

/** Rolls left lying: known, not resolved, and others were thrown since; without dice, of the seat or the character. @param {Report} log */
function dropsAtEnd(log) {
  const [newest, rolls] = [/** @type {Map<string, number>} */ (new Map()), [...log.rolls.values()]];
  const most = (by, seat) => newest.get(`${by} ${seat}`) ?? 0; // of those that are not shown by number
  const last = rolls.map(({ threw, number }) => [Math.max(0, ...threw.values()), number]).sort(([one], [other]) => other - one);
  for (const { number, threw, shown: told, seq, character } of rolls.filter((each) => each.threw.size)) {
    const [by, value] = told ? ["declared", seq] : ["number", number];
    for (const seat of threw.keys()) newest.set(`${by} ${seat}`, Math.max(most(by, seat), value));
    newest.set(`character ${character}`, Math.max(most("character", character), seq));
  }
  for (const roll of rolls.filter((each) => each.shown && !each.ended)) {
    log.place = ["voids", roll.seq];
    log.say("stated", `roll ${roll.number} is not resolved`, "lying");
    const [other] = last.find(([, number]) => number !== roll.number) ?? [0];
    const its = most("character", roll.character) > roll.seq;
    const later = (seat) => its || most("declared", seat) > roll.seq || most("number", seat) > roll.number;
    const fell = roll.dice && !(roll.gap && isSealed(roll)); // it may be resolved, and that kept back
    const left = (seat) => (roll.threw.size ? other > (roll.threw.get(seat) ?? 0) : later(seat));
    for (const seat of (fell || early(log, roll) ? owners(roll) : []).filter(left)) drop(log, [seat], roll.number, "left by", seat);
  }
  for (const [seat, { dropped }] of sorted(log.numbers).filter(([, of]) => of.dropped.length)) {
    log.place = ["voids", dropped[0].seq];
    log.say("look", `${seat}: ${listed(dropped)}`, "dropped");
  }
}

/** What is in a map, by its keys. @template V @param {Map<string, V>} map */
const sorted = (map) => [...map].sort(([one], [other]) => (one < other ? -1 : Number(one > other)));
/** Drops in words, 20 at most. @param {readonly Drop[]} some */
export const listed = (some) =>
  [...some.slice(0, 20).map(({ roll, how, by }) => `roll ${roll}, ${how} ${by}`), ...(some.length > 20 ? [`${some.length - 20} more`] : [])].join(", ");

/** The first hidden entry that is withheld is about a roll before the next one that is shown. @param {Report} log */
export function firstWithheld(log) {
  const rolls = [...log.rolls.values()];
  const unseen = log.whole ? log.entries.find((entry) => entry.event === null && entry.cls === "hidden")?.seq ?? null : null;
  const behind = rolls.filter((roll) => roll.shown && unseen !== null && roll.seq > unseen);
  const next = behind.reduce((least, { number }) => Math.min(least, number), Infinity);
  const open = rolls.filter((roll) => roll.shown && !isSealed(roll) && roll.number < next);
  log.place = ["hidden", unseen];
  log.need(!behind.length || open.length < next - 1, "it is hidden, and no roll before the next one is");
}

/** Hidden rolls that were not revealed, by seat; and reveals over an earlier one that lies sealed. @param {Report} log */
function sealed(log) {
  const rolls = [...log.rolls.values()];
  const lying = rolls.filter((roll) => isSealed(roll) && owners(roll).length);
  const last = log.whole ? Math.min([...log.ofRoll.keys()].reduce((most, each) => Math.max(most, each), 0), log.entries.length) : 0;
  const owned = new Set(rolls.filter((roll) => owners(roll).length).map(({ number }) => number));
  const absent = Array.from({ length: last }, (_, at) => at + 1).filter((number) => !owned.has(number));
  log.elsewhere = absent.length;
  const unseen = log.entries.filter((entry) => log.whole && entry.event === null && entry.cls === "hidden").map(({ seq }) => seq);
  const after = (roll) => unseen.find((seq) => seq > roll.seq) ?? null;
  // Whose throw is not disclosed may have been anybody's, from the first entry on that is kept back.
  const fell = lying.map((each) => /** @type {const} */ ([each, each.cast ?? after(each)]));
  for (const roll of lying) for (const seat of owners(roll)) log.of(seat).sealed.push(roll.number);
  for (const roll of rolls) {
    const [{ number, revealed }, its] = [roll, owners(roll)];
    if (revealed === null) continue;
    const before = fell.filter(([each, at]) => at !== null && at < revealed && (each.cast === null || owners(each).some((seat) => its.includes(seat))));
    const over = [...before.map(([each]) => each.number), ...absent.filter((each) => each < number)];
    log.place = ["hidden", revealed];
    const told = `${over.length} lie sealed: ${over.slice(0, 20).join(", ")}`;
    if (over.length) log.say("look", `roll ${number} of ${shown(its)} is revealed, and ${told}`, "sealed");
  }
}

/** Which throws each seat with an anchor was asked for, and which passed it over. @param {Report} log @param {Entry} entry */
function asked(log, entry, event) {
  const { what } = entry;
  const alone = what in FALLS && log.fair && event.proof && !askedFor(log, event);
  if (what === "throw-asked" || alone) {
    const names = new Set((event.asked ?? []).map(([seat]) => seat));
    for (const seat of log.anchored()) {
      log.of(seat).at_table += 1;
      if (names.has(seat) || seat !== event.by) log.of(seat)[names.has(seat) ? "asked" : "passed"] += 1;
    }
    const roll = log.roll(event.roll); // in its file: that others kept back may stand elsewhere
    const due_ = !alone || (!log.whole && roll.shown && due(log, event.by, roll, roll.level) === "table");
    const over = due_ ? log.awake(event.by).filter((seat) => !names.has(seat)) : [];
    for (const seat of over) log.say("look", `seat ${seat} was awake, and not asked`, "passed-over", seat);
  } else if (what === "throw-broken" && waits(log, event)) for (const seat of event.kept) log.of(seat).kept += 1;
}

/** What speaks against nobody; and kinds that are not known, which are no gap unless of a roll. @param {Report} log @param {Entry} entry */
function others(log, entry, event) {
  const [{ type }, kind] = [event, { "entry-erased": "erased", "character-given": "given", "dice-adjusted": "adjusted" }[entry.what]];
  if (kind) log.say("stated", kind, kind);
  if (!isStrange(event)) return;
  log.unknown.set(type, (log.unknown.get(type) ?? 0) + 1);
  log.say("stated", `${type} is not known here`, "unknown");
  if ("roll" in event) log.say("unchecked", `${type}, not known here, is about a roll`);
}

// === what an entry changes =============================================================================

/** Change the table by one more entry, whatever it is: what is wrong with it was said by then. @param {Report} log @param {Entry} entry */
function follow(log, entry) {
  const [{ event, what }, { ask }] = [entry, log];
  const over = ask && ask.full !== null && !(what in FALLS);
  if (over) log.ask = null;
  if (over && event === null && entry.commit === ask.full) { // dice that are not disclosed
    const roll = log.roll(ask.event.roll);
    [roll.gap, roll.waiting, roll.throws, roll.dice] = [roll.gap ?? entry.seq, null, ask.event.throw + 1, roll.dice + 1];
    if (OVER.includes(roll.ended ?? "")) roll.ended = null;
    threw(log, roll, ask.event.by, "table", entry.seq);
  }
  if (event === null) return;
  followSeats(log, entry, event);
  const casts = what === "throw-asked" || what in FALLS;
  const roll = "roll" in event && !log.beside.has(entry.seq) ? log.roll(event.roll, casts ? event.by : "") : null;
  if (roll && casts) roll.cast ??= entry.seq;
  if (roll) log.ofRoll.set(event.roll, (log.ofRoll.get(event.roll) ?? 0) + 1);
  if (roll) followRolls(log, entry, event, roll);
  if (roll && entry.cls === "open") log.rolls.get(event.roll)?.touched.set(event.by, entry.seq);
  if (entry.cls === "open") log.keptBack.delete(event.by);
  if (WATCHED.includes(what) && (log.oneMachine || log.awake().length < 2)) log.alone = entry.seq;
}

/** Who sits where, with which key and chain; the opening; an epoch. @param {Report} log @param {Entry} entry */
function followSeats(log, entry, event) {
  const [{ by }, { seq }, place, about] = [event, entry, log.seats.get(event.by), log.seats.get(event.seat)];
  if (place && entry.asked?.seen) place.seen = Math.max(place.seen, entry.asked.seen[0]);
  switch (entry.what) {
    case "table-opened":
      if (seq !== 0) return;
      [log.id, log.source, log.level, log.core] = [event.table, event.source, event.level, event.core];
      [log.oneMachine, log.fair] = [event.one_machine ?? false, event.source === "fair"];
      [log.new, log.faces] = [event.type === "table-opened/3", facesOf(event)];
      return void log.seats.set(by, newSeat("narrator"));
    case "reading-set":
      return void (log.faces &&= new Map([...log.faces, ...Object.entries(event.faces ?? {})]));
    case "table-set":
      return void (event.name === "post" && (log.wait = Number.isInteger(event.value) && event.value >= 1 && event.value <= POST ? event.value * HOUR : BREAKING));
    case "seat-taken":
      if (about?.here && by === event.seat) about.key = keyOf(event.key);
      else log.seats.set(event.seat, newSeat(event.role, about?.links));
      return;
    case "seat-left":
      if (about) [about.here, about.link] = [false, null];
      return;
    case "share-anchored":
      if (!place || !isHash(event.anchor)) return;
      [place.link, place.at, place.asks, place.links] = [event.anchor, 0, 0, place.links.add(event.anchor)];
      return;
    case "epoch-begun":
      [log.epochs, log.epochAt, log.ask, log.keptBack] = [log.epochs + 1, seq, null, new Set()];
      for (const each of log.seats.values()) each.link = null;
      for (const [number, throw_, commit] of event.commits) publish(log, entry, Object.assign(log.roll(number), { throws: throw_ }), commit);
  }
}

/** An entry commits to the seed of the next throw of a roll. @param {Report} log @param {Entry} entry @param {Roll} roll */
function publish(log, entry, roll, commit) {
  roll.waiting = isHash(commit) ? { number: roll.throws, commit, seq: entry.seq, leaf: hexOf(entry.leaf), epoch: log.epochs } : null;
  roll.known = due(log, roll.seat, roll, roll.level) !== "table";
}

/** What a roll comes to: declared, asked for, thrown, broken off, ended, revealed. @param {Report} log @param {Entry} entry @param {Roll} roll */
function followRolls(log, entry, event, roll) {
  const [{ seq, what }, { by }] = [entry, event];
  if (what in FALLS) return followDice(log, entry, event, roll);
  if (what === "dice-adjusted" && ADJUSTED(event.dice)) {
    for (const [die, face] of event.dice) kept(roll.adjusted, die, () => new Set()).add(face);
  }
  switch (what) {
    case "roll-declared": {
      const told = { seq, shown: true, level: event.level ?? null, character: event.character, secret: event.visibility !== "public" };
      const found = newRoll(roll.number, by, { follows: event.follows?.[0] ?? null, faces: log.faces, ...told });
      log.rolls.set(roll.number, found);
      log.newest = Math.max(log.newest, roll.number);
      found.low = due(log, by, found, found.level) !== "table";
      return log.fair ? publish(log, entry, found, event.commit ?? null) : undefined;
    }
    case "throw-asked":
      if (answersUnseen(log, roll, event, seq)) [roll.waiting, roll.throws] = [null, event.throw];
      log.ask = { entry, event, plan: null, opened: new Map(), full: null, wait: log.wait, asked: new Map(event.asked.slice(0, MOST_ASKED)) };
      if (log.last?.what === "throw-planned") log.ask.plan = log.last.event;
      else roll.gap ??= log.last?.seq ?? null;
      for (const [known, i] of [...log.ask.asked].map(([seat, i]) => /** @type {const} */ ([log.seats.get(seat), i]))) {
        if (known) known.asks = Math.max(known.asks + 1, i <= CHAIN ? i : 0);
      }
      return;
    case "share-opened": {
      const [ask, known] = [waits(log, event), log.seats.get(by)];
      if (!ask || !missing(ask).includes(by)) return;
      const i = ask.asked.get(by) ?? 0;
      const links = linked(log, by, event.share, i);
      links.forEach((link) => known?.links.add(link));
      if (links.length && known) [known.link, known.at] = [event.share, i];
      ask.opened.set(by, event.share);
      ask.full = missing(ask).length ? null : entry.commit;
      return;
    }
    case "throw-broken":
      if (!waits(log, event)) return;
      [roll.throws, log.ask] = [event.throw + 1, null];
      publish(log, entry, roll, event.next);
      return event.kept.forEach((seat) => log.keptBack.add(seat));
    case "roll-resolved": case "roll-voided": case "declaration-vetoed": case "declaration-replaced":
      roll.ended = what === "declaration-replaced" ? "" : what;
      if (what === "roll-voided") roll.waiting = null;
      if (OVER.includes(what)) roll.dice = 0;
      return;
    case "roll-revealed": roll.revealed ??= seq;
  }
}

/** A seat threw in a roll, at a level. @param {Report} log @param {Roll} roll */
function threw(log, roll, seat, level, seq) {
  kept(roll.threw, seat, () => seq);
  log.of(seat).throws += 1;
  log.levels[level] += 1;
}

/** Dice fall. @param {Report} log @param {Entry} entry @param {Roll} roll */
function followDice(log, entry, event, roll) {
  const [{ proof = null, by }, ask] = [event, askedFor(log, event)];
  const hand = kept(roll.hands, event.hand, () => new Map());
  for (const [die, kind, face] of event.dice) hand.set(die, [kind, face]);
  if (!proof) return;
  const level = ask ? "table" : (proof.nonce ?? null) === null || isUnseen(entry, proof) ? "server" : "player";
  threw(log, roll, by, proof.source === "fair" ? level : "other", entry.seq);
  roll.dice += 1;
  if (OVER.includes(roll.ended ?? "")) roll.ended = null;
  if (proof.throw === roll.throws) roll.throws += 1;
  if (proof.source === "fair") publish(log, entry, roll, proof.next ?? null);
  if (ask) log.ask = null;
}

// === the whole =========================================================================================

const DICE = Object.keys(FALLS);
/** What looks at an event, for which step and which events, [] for all; with the table as it stood before.
 * @type {[string, (log: Report, entry: Entry, event: any) => void | Promise<void>, string[]][]} */
const WALK = [
  ["throws", throws, []], ["throws", beginsEpoch, ["epoch-begun"]], ["throws", asks, ["throw-asked"]],
  ["throws", breaks, ["throw-broken"]], ["throws", falls, DICE], ["commitments", commitments, [...DICE, "throw-broken"]],
  ["transcripts", transcripts, DICE], ["transcripts", anchors, ["share-anchored"]], ["transcripts", asksSeats, ["throw-asked"]],
  ["transcripts", opensShare, ["share-opened"]], ["dice", dice, DICE], ["transitions", atTable, ["throw-asked"]],
  ["transitions", signed, []], ["reuse", reuse, [...DICE, "throw-broken", "roll-voided"]],
  ["voids", voids, ["roll-voided"]], ["hidden", hidden, ["roll-revealed"]],
  ["voids", drops, [...Object.keys(ENDINGS), "throw-asked", "throw-broken", "epoch-begun"]],
  ["transcripts", asked, [...DICE, "throw-asked", "throw-broken"]], ["payloads", others, []],
];

/** Judge a bundle: its bytes, a Blob, or a stream of bytes. `key` is the host's vkey, `seats` keys of seats
 * in base64, `seen` earlier heads.
 * `now` is the reader's clock in milliseconds since 1970. Throws Unreadable.
 * @param {Uint8Array | Blob | AsyncIterable<Uint8Array>} source @param {{key?: string | null, seats?: Record<string, string | null>, seen?: readonly string[], now?: number}} [given_] @returns {Promise<Report>} */
export async function check(source, { key = null, seats = {}, seen = [], now = Date.now() } = {}) {
  const log = new Report(...(await form(source)));
  const notes = seen.map((note) => note.replaceAll("\r\n", "\n"));
  const trusted = given(log, key, seats, notes);
  parse(log);
  await tree(log, ...(await signature(log, trusted)), notes);
  sequence(log, now);
  payloads(log);
  withheld(log);
  await walk(log);
  for (const last of [transitions, rulings, throwsAtEnd, dropsAtEnd, firstWithheld, sealed]) last(log);
  return log;
}

/** The host's key that the reader trusts, and those of seats. Throws Unreadable for another log's. @param {Report} log */
function given(log, vkey, seats, notes) {
  let [key, names] = [/** @type {Key | null} */ (null), /** @type {string[]} */ ([])];
  try {
    key = vkey === null ? null : readKey(vkey.trim());
    names = [...(key ? [key.name] : []), ...notes.map((note) => readNote(note).origin)];
  } catch (error) { throw new Unreadable(`what was given: ${malformed(error)}`); }
  for (const [seat, text] of Object.entries(seats)) if (text) log.given.set(seat, new Set([keyOf(text)]));
  const weak = [...log.given.values()].some((keys) => keys.has(null)) || (key && weakness(key.public));
  if (weak) throw new Unreadable("a key that was given cannot be used: it is none, or is of small order");
  if (names.some((name) => name !== log.header.origin)) throw new Unreadable("a key or a head that was given is another log's");
  return key;
}

/** Look at each entry, then follow it; of one that is there for its commit alone, at who asked. @param {Report} log */
export async function walk(log, some = log.entries, turn = async () => {}) {
  const [first] = log.entries;
  log.place = ["throws", null];
  if (first?.seq !== 0 || first.what !== "table-opened") return log.say("unchecked", "the table's opening is missing");
  log.beside = beside(log);
  for (const entry of some) {
    log.place = ["throws", entry.seq];
    between(log, entry);
    for (const [step, look, events] of entry.event ? WALK : []) {
      if ((events.length && !events.includes(entry.what)) || (look !== signed && log.beside.has(entry.seq))) continue;
      log.place = [step, entry.seq];
      const waiting = look(log, entry, entry.event);
      if (waiting) await waiting;
    }
    follow(log, entry);
    log.last = entry;
    await turn();
  }
}

/** The entries that a roll's file has for their commit alone: about rolls that are not declared in it. @param {Report} log */
function beside(log) {
  const found = /** @type {Set<number>} */ (new Set());
  const known = new Set(log.whole ? [] : [undefined, log.header.roll, ...declared(log)]);
  for (const group of log.whole ? [] : log.commits) {
    const some = group.filter(({ what, cls }) => !ALWAYS_OPEN.includes(what) && !TEXTS.includes(cls));
    const away = some.filter(({ event }) => event && !known.has(event.roll));
    if (away.length < some.length) for (const { seq } of away) found.add(seq);
  }
  return found;
}

// --- in words ------------------------------------------------------------------------------------------

/** How many there are of each kind that there is. @param {Report} log */
function counted(log, kinds) {
  const found = Object.keys(kinds).map((of) => /** @type {const} */ ([of, log.remarks.filter(({ kind }) => kind === of).length]));
  return Object.fromEntries(found.filter(([, times]) => times));
}

/** The verdict in one sentence, and what to look at. @param {Report} log */
export function says(log) {
  const steps = log.steps(log.exit === 1 ? "wrong" : "unchecked").map((step) => `${STEPS[step]} ${step}`).join(", ");
  const text = {
    0: `Nothing is wrong${log.whole ? "" : " in this part of the log"}${log.trusted ? "." : ", if its key is the log's."}`,
    1: `This log is not sound: ${steps}.`,
    3: `Nothing wrong was found, and not everything was checked: ${steps}.`,
  }[log.exit];
  const looks = Object.entries(counted(log, LOOKS)).map(([kind, times]) => `${LOOKS[kind]} (${times})`);
  return looks.length ? `${text} Look at: ${looks.join(", ")}.` : text;
}

/** What is counted of a seat. @param {string} seat @param {Numbers} of */
export function seatLine(seat, of) {
  const some = { dropped: of.dropped, "broken off": of.broken };
  const columns = Object.entries(some).map(([name, each]) => `${each.length} ${name}${each.length ? ` (${listed(each)})` : ""}`);
  const text = `${seat}: ${throwsOf(of.throws)}, ${columns.join(", ")}, ${of.sealed.length} sealed`;
  const table = `of ${throwsOf(of.at_table)} at the table while it had an anchor, asked for ${of.asked}`;
  return `${text}; ${table}, passed over in ${of.passed}, kept back ${of.kept}`;
}

/** So many throws, in words. @param {number} many */
const throwsOf = (many) => `${many} throw${many === 1 ? "" : "s"}`;

/** The report for people; the seats that were named come first. @param {Report} log @param {readonly string[]} first */
export function* written(log, first = []) {
  const { header: head, remarks } = log;
  for (const seat of first) yield seatLine(seat, log.of(seat));
  const of = log.whole ? "the whole table" : `roll ${head.roll}; other entries may be missing`;
  yield `${head.origin}: ${log.entries.length} of ${head.size} entries, ${of}`;
  yield `signed by ${log.signer || "nobody"}${log.trusted ? "" : ", as the file itself says"}`;
  const own = [...log.keyed].filter((seat) => !log.given.has(seat)).sort();
  if (own.length) yield `keys of seats, as the log itself says: ${own.join(", ")}`;
  const levels = Object.entries(log.levels).filter(([, times]) => times).map(([level, times]) => `${times} at ${level}`);
  yield `dice: ${log.source}${log.oneMachine ? ", on one machine" : ""}; ${levels.join(", ") || "no throws"}`;
  for (const [seat, numbers] of sorted(log.numbers)) if (!first.includes(seat)) yield seatLine(seat, numbers);
  yield `hidden rolls of seats that are not shown: ${log.elsewhere}`;
  const told = remarks.filter((each) => each.word !== "stated");
  for (const { step, seq, word, why } of told) yield `${STEPS[step]} ${step}, ${word}${seq === null ? "" : `, entry ${seq}`}: ${why}`;
  const stated = Object.entries(counted(log, STATED)).map(([kind, times]) => `${STATED[kind]} (${times})`);
  if (stated.length) yield `stated: ${stated.join(", ")}`;
  yield says(log);
}

/** The report for programs. @param {Report} log */
export function asJson(log) {
  const wrong = log.remarks.filter((each) => each.word === "wrong");
  wrong.sort((one, other) => STEPS[one.step] - STEPS[other.step] || (one.seq ?? -1) - (other.seq ?? -1));
  const [[first = null], { header: head }] = [wrong, log];
  return {
    ...{ exit: log.exit, says: says(log), failed: log.steps("wrong"), unchecked: log.steps("unchecked") },
    first: first && { step: STEPS[first.step], entry: first.seq },
    ...{ origin: head.origin, scope: head.scope, roll: head.roll, size: head.size },
    ...{ entries: log.entries.length, signer: log.signer, trusted: log.trusted, keyed: [...log.keyed] },
    ...{ source: log.source, one_machine: log.oneMachine, levels: log.levels },
    ...{ unknown: Object.fromEntries(log.unknown), elsewhere: log.elsewhere },
    ...{ looks: counted(log, LOOKS), stated: counted(log, STATED), remarks: log.remarks },
    seats: Object.fromEntries(sorted(log.numbers)),
  };
}

/** A line that commands no terminal: the file may say what it likes. @param {string} line */
const plain = (line) => line.replace(/(?! )[\p{C}\p{Z}]/gu, (each) => `\\u${Number(each.codePointAt(0)).toString(16).padStart(4, "0")}`);

/** The command line, under Node; gives the exit code. @param {readonly string[]} args */
async function main(args) {
  const modules = ["node:util", "node:fs", "node:fs/promises"]; // not named to a browser, nor to who checks types
  const [{ parseArgs }, { createReadStream }, { readFile }] = await Promise.all(modules.map((each) => import(each)));
  const many = { type: "string", multiple: true, default: [] };
  const options = { key: { type: "string" }, seat: many, seen: many, json: { type: "boolean" } };
  try {
    const { values, positionals: [file, ...more] } = parseArgs({ args, options, allowPositionals: true });
    if (!file || more.length) throw new Unreadable("usage: node urimcheck.js FILE [--key VKEY] [--seat S[=KEY]] [--seen NOTEFILE] [--json]");
    const seats = Object.fromEntries(values.seat.map((each) => [each.split("=")[0], each.split("=").slice(1).join("=") || null]));
    const named = [...new Set(values.seat.map((each) => each.split("=")[0]))]; // in their order, digits too
    const seen = (await Promise.all(values.seen.map((name) => readFile(name)))).map(decoded);
    const log = await check(createReadStream(file), { key: values.key ?? null, seats, seen });
    for (const each of Object.keys(seats).sort()) if (log.whole && !log.seats.has(each)) throw new Unreadable(`no seat ${each} in this log`);
    for (const line of values.json ? [JSON.stringify(asJson(log))] : written(log, named)) console.log(values.json ? line : plain(line));
    return log.exit;
  } catch (error) {
    const { message, code } = /** @type {any} */ (error);
    if (!(error instanceof Unreadable || error instanceof Malformed || code?.startsWith?.("E"))) throw error;
    console.log(args.includes("--json") ? JSON.stringify({ exit: 2, says: message }) : plain(`Refused: ${message}`));
    return 2;
  }
}

const { process } = /** @type {any} */ (globalThis);
if (process?.argv?.[1] && import.meta.url.startsWith("file:")) {
  const [{ pathToFileURL }, { realpathSync }] = await Promise.all(["node:url", "node:fs"].map((each) => import(each)));
  if (pathToFileURL(realpathSync(process.argv[1])).href === import.meta.url) process.exitCode = await main(process.argv.slice(2));
}
