// The types of Urim's wire: commands, events, answers, frames, bodies, problems.
// Written from the JSON Schemas (`python -m tests.generated --write`): do not edit.
// A newer server may send fields, codes and events that are not here: pass over them.

/** What a seat may ask for, as a body: each known by its `do`. */
export type Command =
  | OpenTable
  | TakeSeat
  | NameSeat
  | NameTable
  | SetTable
  | LeaveSeat
  | EnterCharacter
  | NameCharacter
  | GiveCharacter
  | RemoveCharacter
  | SetTrack
  | SetAttribute
  | SetReading
  | AnchorShares
  | Note
  | Erase
  | BeginEpoch
  | Declare
  | React
  | RollDice
  | Freeze
  | Reroll
  | Adjust
  | Choose
  | Resolve
  | ApplyDamage
  | Amend
  | Void
  | AskShares
  | OpenShare
  | BreakThrow
  | Reveal
  | Dispute
  | Rule
  | Withdraw
  | Veto
  | Replace
  | Flavour
  | DecideFate
  | Confirm;

/**
 * Open a table: the seat that asks becomes its first narrator.
 *
 * At a table of `one_machine` one program plays every seat: no throw is at level `table`.
 */
export interface OpenTable {
  do: "open/2";
  table: string;
  ruleset: string;
  options?: Words;
  source?: string;
  level?: "player" | "server" | "table";
  one_machine?: boolean;
}

/**
 * Let a person take a seat, a narrator's to ask; or take a key for one's own seat.
 *
 * With `key`, an Ed25519 public key in base64, `seat` is the one that asks, and it keeps its role.
 * Every command of a seat with a key is signed with it; that which takes its first key is signed
 * with that one, and that which takes another with the one before.
 */
export interface TakeSeat {
  do: "take-seat/2";
  seat: string;
  role?: "narrator" | "player" | "witness";
  key?: string | null;
  text?: string | null;
}

/** Name the person on a seat; the seat itself or a narrator. */
export interface NameSeat {
  do: "name-seat/1";
  seat: string;
  text?: string | null;
}

/** Name the table, as people call it beside its id; a narrator's. */
export interface NameTable {
  do: "name-table/1";
  text?: string | null;
}

/** Give the table a setting, or take it back with null; a narrator's. See `SETTINGS`. */
export interface SetTable {
  do: "set-table/1";
  name: string;
  value: unknown;
}

/** Leave a seat; the seat itself or a narrator. The last narrator stays. */
export interface LeaveSeat {
  do: "leave-seat/1";
  seat: string;
}

/** Bring a character to the table, a player only one of its own; ratings may be halves (7.5). */
export interface EnterCharacter {
  do: "enter/1";
  character: string;
  seat: string;
  attributes?: { [key: string]: number };
  tracks?: { [key: string]: number };
  text?: string | null;
}

/** Name a character; its owner or a narrator. */
export interface NameCharacter {
  do: "name/1";
  character: string;
  text?: string | null;
}

/** Hand a character to another seat; its owner or a narrator. */
export interface GiveCharacter {
  do: "give/1";
  character: string;
  seat: string;
}

/** Take away a character that acts in no roll; its owner or a narrator. Its id stays taken. */
export interface RemoveCharacter {
  do: "remove/1";
  character: string;
}

/** Set a track to a value; a narrator's. */
export interface SetTrack {
  do: "set-track/1";
  character: string;
  track: string;
  value: number;
}

/** Set a rating of a character from here on; a narrator's. */
export interface SetAttribute {
  do: "set-attribute/1";
  character: string;
  attribute: string;
  value: number;
}

/** Give a reading another value for rolls declared from here on; a narrator's, with a reason. */
export interface SetReading {
  do: "set-reading/1";
  name: string;
  value: unknown;
  text?: string | null;
}

/**
 * Publish the anchor of one's chain of shares, x_0: throws at level `table` may ask for them.
 *
 * Once for a seat; again on another device, when a chain is used up, and after an epoch.
 */
export interface AnchorShares {
  do: "anchor-shares/1";
  anchor: string;
}

/** Write a note about an entry of the log. */
export interface Note {
  do: "note/1";
  about: number;
  text?: string | null;
}

/** Erase a text, which is entry `seq`: its writer, or a narrator. */
export interface Erase {
  do: "erase/1";
  seq: number;
}

/** Go on with a restored log under a new secret; a narrator's, and the host's to carry out. */
export interface BeginEpoch {
  do: "begin-epoch/1";
}

/**
 * Declare a roll of one's own character; `follows` is (roll, link) of one that offers it.
 *
 * `level` is the table's or a higher one, and holds for every throw of the roll. Where it is left
 * out, a fair throw is at level `table` while another seat has an anchor, but at a table of level
 * `server`; else at the table's.
 */
export interface Declare {
  do: "declare/1";
  character: string;
  declaration: Words;
  visibility?: "blind" | "gm" | "public" | "self";
  level?: "player" | "server" | "table" | null;
  follows?: [number, string] | null;
  text?: string | null;
}

/** Answer a declaration; without a reaction the character declines. */
export interface React {
  do: "react/1";
  roll: number;
  character: string;
  reaction?: Words | null;
}

/** Throw a hand for the first time; `option`: how many dice, where the offer leaves it open. */
export interface RollDice {
  do: "roll/1";
  roll: number;
  hand: string;
  committed?: number | null;
  nonce?: string | null;
  faces?: (number | string)[] | null;
  option?: number | null;
}

/** Freeze exactly these dice of a hand and no others. */
export interface Freeze {
  do: "freeze/1";
  roll: number;
  hand: string;
  dice: string[];
}

/** Throw some unfrozen dice of a hand again. */
export interface Reroll {
  do: "reroll/1";
  roll: number;
  hand: string;
  committed?: number | null;
  nonce?: string | null;
  faces?: (number | string)[] | null;
  dice: string[];
}

/** Adjust dice: `dice` is the complete set that shows another face than after the last throw. */
export interface Adjust {
  do: "adjust/1";
  roll: number;
  hand: string;
  means: string;
  dice: AdjustedDie[];
}

/** One die of an adjusted hand, and the face that it was put to. */
export type AdjustedDie = [string, number | string];

/** Take one of the options offered under the name `choice`; final. */
export interface Choose {
  do: "choose/1";
  roll: number;
  choice: string;
  option: string;
}

/** Announce the outcome. */
export interface Resolve {
  do: "resolve/1";
  roll: number;
}

/** Apply the damage of a resolved roll. */
export interface ApplyDamage {
  do: "apply_damage/1";
  roll: number;
}

/**
 * Correct fields of what `character` declared; a narrator's, with a reason.
 *
 * Where a ruling was made on the roll, `against` is the entry of the latest one.
 */
export interface Amend {
  do: "amend/2";
  roll: number;
  character: string;
  fields: Words;
  against?: number | null;
  text?: string | null;
}

/**
 * Void a roll, which then counts for nothing; a narrator's, with a reason.
 *
 * Where a ruling was made on the roll, `against` is the entry of the latest one. What follows the
 * roll is voided with it, and its rulings need not be named.
 */
export interface Void {
  do: "void/3";
  roll: number;
  against?: number | null;
  text?: string | null;
}

/**
 * Throw at level `table`: ask for one share of each of these seats, one's own among them.
 *
 * `hand`, `option` and `committed` are those of the throw; `dice` are those that are thrown again,
 * None for the first throw of a hand. The dice fall once every seat asked has opened its share.
 */
export interface AskShares {
  do: "ask/1";
  roll: number;
  hand: string;
  committed: number;
  asked: string[];
  option?: number | null;
  dice?: string[] | null;
}

/** Open one's share of the throw that the table waits for: the link that the ask names. */
export interface OpenShare {
  do: "open_share/1";
  roll: number;
  share: string;
}

/** Break off the throw that the table waits for, 10 seconds (by post hours) after it asked. */
export interface BreakThrow {
  do: "break_throw/1";
  roll: number;
}

/** Reveal a hidden roll to everybody. */
export interface Reveal {
  do: "reveal/1";
  roll: number;
}

/**
 * Dispute a roll, with a reason.
 *
 * A participant of a blind roll may dispute it too, and sees of it no more than before: its
 * narrators read why.
 */
export interface Dispute {
  do: "dispute/1";
  roll: number;
  text?: string | null;
}

/**
 * Decide the dispute that entry `dispute` raised, and do it; a narrator's, with a reason.
 *
 * The roll stands. Or it is amended: `character` and `fields` are as `Amend` has them. Or voided.
 * A `replay` is a void, and the same declaration again, settled on the sheet as it is then. All
 * but `stands` need `against` where `Amend` and `Void` do.
 */
export interface Rule {
  do: "rule/3";
  roll: number;
  dispute: number;
  ruling: "amend" | "replay" | "stands" | "void";
  character?: string | null;
  fields?: Words | null;
  against?: number | null;
  text?: string | null;
}

/** Take one's own declaration back, before anybody reacted or threw. */
export interface Withdraw {
  do: "withdraw/1";
  roll: number;
}

/** Refuse a declaration before the first throw; a narrator's, with a reason. */
export interface Veto {
  do: "veto/1";
  roll: number;
  text?: string | null;
}

/** Replace fields of a declaration before the first throw; a narrator's, with a reason. */
export interface Replace {
  do: "replace/1";
  roll: number;
  fields: Words;
  text?: string | null;
}

/** Name words that the final dice of a hand spell, for the story. */
export interface Flavour {
  do: "flavour/1";
  roll: number;
  hand: string;
  words: string[];
  tone?: string;
}

/** Decide what applied damage did beyond its numbers; a narrator's. */
export interface DecideFate {
  do: "fate/1";
  roll: number;
  fate: "destroyed" | "killed" | "spared";
  part?: string | null;
}

/** Confirm the typed faces of a throw of physical dice, as another seat than typed them. */
export interface Confirm {
  do: "confirm/1";
  roll: number;
  throw: number;
}

/** An object that only the table's system reads. */
export interface Words {
  [key: string]: Word;
}

/** A value in it. */
export type Word =
  | null | boolean | number
  | string
  | Word[]
  | Words;

/** What happened, as the log has it: each known by its `type`. */
export type TableEvent =
  | TableOpened
  | SeatTaken
  | SeatNamed
  | SeatLeft
  | CharacterEntered
  | CharacterNamed
  | CharacterGiven
  | CharacterRemoved
  | TrackSet
  | AttributeSet
  | ReadingSet
  | TableSet
  | ShareAnchored
  | Noted
  | TextSaid
  | EntryErased
  | EpochBegun
  | RollDeclared
  | ReactionDeclared
  | ThrowPlanned
  | ThrowAsked
  | ShareOpened
  | ThrowBroken
  | DiceRolled
  | DiceFrozen
  | DiceRerolled
  | DiceAdjusted
  | ChoiceMade
  | RollResolved
  | DamageApplied
  | RollVoided
  | RollRevealed
  | ThrowConfirmed
  | DeclarationVetoed
  | DeclarationReplaced
  | FlavourNamed
  | FateDecided
  | RollAmended
  | DisputeRaised
  | RulingMade;

/**
 * The first event of every table.
 *
 * `ruleset`, `version` and `options` say which rules hold: the system's name, the version of its
 * code, and the value of every reading; `core` the version of the rules that are no system's, of
 * what a command leads to. `source` is where faces come from (`fair`, `seeded:SEED`,
 * `scripted`, `manual`); `level` is the least trust level of throws where a declaration names
 * none. At a table of `one_machine` one program plays every seat: its throws are at level `player`
 * at most, and nobody is protected from the owner of that machine. `faces` are those of every kind
 * of die that does not show 1 to n, in the order in which draws number them: so no reader needs to
 * know the system. A kind dN that is not among them shows 1 to N.
 */
export interface TableOpened {
  type: "table-opened/3";
  by: string;
  table: string;
  ruleset: string;
  version: number;
  options: { [key: string]: unknown };
  source: string;
  level: "player" | "server" | "table";
  core: number;
  one_machine?: boolean;
  faces?: { [key: string]: (number | string)[] };
}

/**
 * A person took a seat. `by` is a narrator's seat; or the seat's own, which takes a key.
 *
 * `key` is an Ed25519 public key in base64: every command of the seat from this one on is signed
 * with it, until another one takes its place by a command that the old one signed.
 */
export interface SeatTaken {
  type: "seat-taken/2";
  by: string;
  seat: string;
  role: "narrator" | "player" | "witness";
  key?: string | null;
}

/** The person on a seat was named; the name is the text behind this. */
export interface SeatNamed {
  type: "seat-named/1";
  by: string;
  seat: string;
}

/** A person left; the seat's characters wait for another owner. */
export interface SeatLeft {
  type: "seat-left/1";
  by: string;
  seat: string;
}

/**
 * A character came to the table, owned by `seat`.
 *
 * `attributes` are ratings by name (attributes and skills alike), halves as 7.5; `tracks` hold the
 * value of every track that does not start at 0.
 */
export interface CharacterEntered {
  type: "character-entered/1";
  by: string;
  character: string;
  seat: string;
  attributes: { [key: string]: number };
  tracks: { [key: string]: number };
}

/** A character was named; the name is the text behind this. */
export interface CharacterNamed {
  type: "character-named/1";
  by: string;
  character: string;
}

/** A character was handed to another seat, which acts for it from here on. */
export interface CharacterGiven {
  type: "character-given/1";
  by: string;
  character: string;
  seat: string;
}

/**
 * A character was taken away; its id is never used again.
 *
 * It goes on only in the rolls that it was part of, where a narrator may act for it as well.
 */
export interface CharacterRemoved {
  type: "character-removed/1";
  by: string;
  character: string;
}

/** A narrator set a track: armour put on, a wound healed. */
export interface TrackSet {
  type: "track-set/1";
  by: string;
  character: string;
  track: string;
  value: number;
}

/**
 * A narrator set a rating of a character: a skill learnt, an attribute drained.
 *
 * It holds from here on: what was settled, thrown or done before keeps the rating that it had.
 */
export interface AttributeSet {
  type: "attribute-set/1";
  by: string;
  character: string;
  attribute: string;
  value: number;
}

/**
 * A narrator gave a reading of the rules another value; the reason is the text behind this.
 *
 * `faces` are those of the kinds of dice that it changes, or adds: they hold in rolls that are
 * declared later, beside those of the opening.
 */
export interface ReadingSet {
  type: "reading-set/1";
  by: string;
  name: string;
  value: unknown;
  faces?: { [key: string]: (number | string)[] };
}

/** A setting of the table was given a value, one that is no rule: its name, say. */
export interface TableSet {
  type: "table-set/1";
  by: string;
  name: string;
  value: unknown;
}

/**
 * A seat published the anchor of a chain of shares, x_0, 64 hex digits.
 *
 * Throws at level `table` may ask it for the next link of this chain, and for none of an earlier
 * one any more.
 */
export interface ShareAnchored {
  type: "share-anchored/1";
  by: string;
  anchor: string;
}

/** A note was written about the entry `about`; its words are the text behind this. */
export interface Noted {
  type: "noted/1";
  by: string;
  about: number;
}

/**
 * The text of a commit, its last entry: a name, a label, a reason or a note.
 *
 * `salt` (32 hex digits) and `text` fit the hash in the command that the commit answers. Alone of
 * all events it can be erased.
 */
export interface TextSaid {
  type: "text-said/1";
  by: string;
  salt: string;
  text: string;
}

/** Salt and payload of entry `seq`, a text, were removed. The tree still verifies. */
export interface EntryErased {
  type: "entry-erased/1";
  by: string;
  seq: number;
}

/**
 * The log goes on from a backup under a new table secret; epochs count from 1.
 *
 * `commits` replaces the outstanding commitment of every live roll.
 */
export interface EpochBegun {
  type: "epoch-begun/1";
  by: string;
  epoch: number;
  commits: Recommitted[];
}

/** A fresh commitment for the outstanding throw of a live roll. */
export type Recommitted = [number, number, string];

/**
 * A character set out to roll; the declaration is settled: it holds the sheet's numbers.
 *
 * `level` is that which the declaration named, None where it named none. `follows` is the number
 * of an earlier roll and the link by which this one follows it. `effects` are prices paid at once.
 * `commit` is the commitment to the seed of throw 0.
 */
export interface RollDeclared {
  type: "roll-declared/2";
  by: string;
  roll: number;
  character: string;
  declaration: { [key: string]: unknown };
  visibility: "blind" | "gm" | "public" | "self";
  level?: "player" | "server" | "table" | null;
  follows?: [number, string] | null;
  effects?: Effect[];
  commit?: string | null;
}

/**
 * A change of one character's track: `delta` as really spent (below 0) or gained (above 0).
 *
 * With `to` the track is set to that value, whatever it was, and `delta` is 0. The log holds `to`
 * only where a track is set (`codec.encode`).
 */
export type Effect = [string, string, number, (number | null)?];

/**
 * A character answered a declaration.
 *
 * Where it declined, `reaction` is None, or has `declined` and what the rules take from its sheet.
 */
export interface ReactionDeclared {
  type: "reaction-declared/1";
  by: string;
  roll: number;
  character: string;
  reaction: { [key: string]: unknown } | null;
  effects?: Effect[];
}

/**
 * What a throw at level `table` will show, written before anybody opens a share for it.
 *
 * `trigger` is that of the throw, `option` how many of the offered dice are thrown, where that is
 * a choice; `dice` are (id, kind) of every die in order. One that is thrown again inside the throw
 * stands here once.
 */
export interface ThrowPlanned {
  type: "throw-planned/1";
  by: string;
  roll: number;
  throw: number;
  trigger: "reroll" | "roll";
  hand: string;
  dice: [string, string][];
  option?: number | null;
}

/**
 * The roller asked for shares of a throw, its own among them. Always open.
 *
 * `committed` is the entry of the commitment that the throw answers. `asked` are (seat, i) by
 * seat: `i` counts the asks since the seat's anchor that named it, this one too, and says which
 * link of its chain it opens. `left` are the seats that have an anchor and are not asked.
 */
export interface ThrowAsked {
  type: "throw-asked/1";
  by: string;
  roll: number;
  throw: number;
  committed: number;
  asked: [string, number][];
  left?: string[];
}

/**
 * A seat that was asked opened its share of a throw, 64 hex digits. Always open.
 *
 * The commit of the last one holds the throw.
 */
export interface ShareOpened {
  type: "share-opened/1";
  by: string;
  roll: number;
  throw: number;
  share: string;
}

/**
 * A throw was broken off, for seats `kept` their shares back. Always open.
 *
 * The roll stands where it stood before the ask. `seed` opens the commitment, so that who knows
 * the shares can compute what would have come; `next` commits to the seed of the next throw, which
 * has the next number.
 */
export interface ThrowBroken {
  type: "throw-broken/1";
  by: string;
  roll: number;
  throw: number;
  kept: string[];
  seed: string;
  next: string;
}

/**
 * The first throw of a hand.
 *
 * `option` is how many of the offered dice were thrown, where that was a choice; `taken` is the
 * roll whose dice and faces were taken over instead of a throw.
 */
export interface DiceRolled {
  type: "dice-rolled/1";
  by: string;
  roll: number;
  character: string;
  hand: string;
  dice: Thrown[];
  option?: number | null;
  proof?: Proof | null;
  taken?: number | null;
}

/**
 * One die as it fell: its id for the whole roll, its kind, its face.
 *
 * A die thrown again inside the same throw is listed again under the same id.
 */
export type Thrown = [string, string, number | string];

/**
 * What makes a throw checkable by anyone; the byte formats are those of `urim/1`.
 *
 * `throw` counts from 0 in the roll. `committed` is the sequence of the entry that published the
 * commitment this throw answers; `seed` is the server's secret it opens and `nonce` the roller's
 * part (at level `table` its share), 64 hex digits each; `next` commits to the seed of the roll's
 * next throw. Typed dice carry `throw` and `source` alone.
 */
export interface Proof {
  throw: number;
  source: "fair" | "manual" | "scripted" | "seeded";
  committed?: number | null;
  seed?: string | null;
  nonce?: string | null;
  next?: string | null;
}

/** The complete set of a hand's dice that are frozen from now on. */
export interface DiceFrozen {
  type: "dice-frozen/1";
  by: string;
  roll: number;
  hand: string;
  dice: string[];
}

/** Some dice of a hand were thrown again; `effects` are the price of more than the free ones. */
export interface DiceRerolled {
  type: "dice-rerolled/1";
  by: string;
  roll: number;
  hand: string;
  dice: Thrown[];
  proof: Proof;
  effects?: Effect[];
}

/** The complete set of a hand's dice that show another face than after its last throw. */
export interface DiceAdjusted {
  type: "dice-adjusted/1";
  by: string;
  roll: number;
  hand: string;
  means: string;
  dice: AdjustedDie[];
}

/** One of the options that the rules offered under the name `choice`; final. */
export interface ChoiceMade {
  type: "choice-made/1";
  by: string;
  roll: number;
  character: string;
  choice: string;
  option: string;
}

/** The outcome as announced: `outcome` holds degree, margin, figures and readings. */
export interface RollResolved {
  type: "roll-resolved/1";
  by: string;
  roll: number;
  outcome: { [key: string]: unknown };
  effects?: Effect[];
}

/** The damage as announced: `damage` holds amount, figures and readings. */
export interface DamageApplied {
  type: "damage-applied/1";
  by: string;
  roll: number;
  target: string;
  damage: { [key: string]: unknown };
  effects?: Effect[];
}

/** The roll counts for nothing; the seed of the outstanding throw is opened. */
export interface RollVoided {
  type: "roll-voided/2";
  by: string;
  roll: number;
  throw?: number | null;
  seed?: string | null;
}

/**
 * A hidden roll was made visible to everybody. Always open.
 *
 * `entries` is how many entries of the log before this one hold an event of the roll, hidden or
 * not: from here on everybody may have them all. None in a log of version 0.2, which counts none.
 */
export interface RollRevealed {
  type: "roll-revealed/2";
  by: string;
  roll: number;
  entries?: number | null;
}

/** A seat other than the one that typed them confirmed the faces of a throw of physical dice. */
export interface ThrowConfirmed {
  type: "throw-confirmed/1";
  by: string;
  roll: number;
  throw: number;
}

/** A narrator refused a declaration before the first throw; only a replacement lets it go on. */
export interface DeclarationVetoed {
  type: "declaration-vetoed/1";
  by: string;
  roll: number;
}

/** A narrator put another ability in place of the declared one; `declared` is the whole. */
export interface DeclarationReplaced {
  type: "declaration-replaced/1";
  by: string;
  roll: number;
  declared: { [key: string]: unknown };
  effects?: Effect[];
}

/** Words that the final dice of a hand spell, named for the story; never a number. */
export interface FlavourNamed {
  type: "flavour-named/1";
  by: string;
  roll: number;
  hand: string;
  words: string[];
  tone: string;
}

/** What a narrator made of damage: the character killed, the part destroyed, or spared. */
export interface FateDecided {
  type: "fate-decided/1";
  by: string;
  roll: number;
  character: string;
  fate: "destroyed" | "killed" | "spared";
  part?: string | null;
}

/**
 * What `character` had declared was wrong; `declared` is the corrected whole.
 *
 * Where the roll was resolved, `outcome` and `effects` replace the announced ones; applied damage
 * lapses, and is announced behind this where it still holds. `needless` are all entries of the
 * roll that count no more, because nobody would have been asked for them: a location die, or a
 * choice.
 */
export interface RollAmended {
  type: "roll-amended/2";
  by: string;
  roll: number;
  character: string;
  declared: { [key: string]: unknown };
  outcome?: { [key: string]: unknown } | null;
  effects?: Effect[];
  needless?: number[];
}

/** A seat disputes the roll. */
export interface DisputeRaised {
  type: "dispute-raised/1";
  by: string;
  roll: number;
}

/**
 * A narrator decided the dispute raised by entry `dispute`; what was ruled is done behind this.
 *
 * The roll stands; or it is amended, or voided, by the next events of the commit. A `replay` voids
 * it, and it is declared again as roll `instead`, which no other ruling has.
 */
export interface RulingMade {
  type: "ruling-made/2";
  by: string;
  roll: number;
  dispute: number;
  ruling: "amend" | "replay" | "stands" | "void";
  instead?: number | null;
}

/** What is posted to have a command done. */
export type Request =
  | WireRequest;

/**
 * What a seat sends to have something done.
 *
 * `body` is the JSON of a command, the very bytes that the log keeps; `request` the id under which
 * it is done once, and answered again; `text` the words that the command holds the hash of. Where
 * the seat has a key, `sig` is its signature, and `seen` the newest head that it had verified.
 */
export interface WireRequest {
  body: string;
  request?: string | null;
  text?: Text | null;
  seen?: Seen | null;
  sig?: string | null;
}

/** Words that came with a command, and the salt that keeps their hash from being guessed. */
export interface Text {
  salt: string;
  text: string;
}

/** The newest head that a seat had verified when it asked: size, and root as 64 hex digits. */
export type Seen = [number, string];

/** What a seat may be sent beside entries: each known by its `type`. */
export type Answer =
  | Sight
  | RollMoves
  | Awaiting
  | Preview
  | Choice
  | Rollable
  | Account
  | Refusal;

/**
 * A table as one seat may see it, when its log had `size` entries; `at` is the last one's time.
 *
 * `name` is what people call the table, empty where nobody named it. `seat` is the one that sees
 * it; times are milliseconds since 1970. `system` and `version` are its rules', `options` the
 * readings in force and the system's data, `readings` those readings in words, as clauses. `dice`
 * is their source, `level` who adds entropy where a roll does not say. `tracks` and `kinds` (of
 * dice) are by name, what people call them. Seats and characters are by id, rolls by number, texts
 * by entry. `ask` is the throw that waits for shares, which may be of a roll that is hidden from
 * the seat; `kept_back` are the seats that kept a share back and did nothing since. At a table of
 * `one_machine` one program plays every seat. Words are in `language`, or else in English.
 */
export interface Sight {
  type: "sight";
  table: string;
  name: string;
  seat: string;
  language: string;
  size: number;
  at: number;
  epoch: number;
  system: string;
  version: number;
  dice: string;
  level: "player" | "server" | "table";
  one_machine: boolean;
  settings: { [key: string]: unknown };
  options: { [key: string]: unknown };
  readings: { [key: string]: string };
  tracks: { [key: string]: TrackSight };
  kinds: { [key: string]: string };
  seats: SeatSight[];
  characters: CharacterSight[];
  rolls: RollSight[];
  ask: AskSight | null;
  kept_back: string[];
  texts: TextSight[];
}

/** What people call a track, and its bounds; without `most` it has no upper one. */
export interface TrackSight {
  label: string;
  least: number;
  most: number | null;
}

/**
 * A seat: its id, its name (its id where it has none), its role, whether it was not left.
 *
 * `anchor` is its chain of shares, x_0 in 64 hex digits, of which `asks` throws asked for a link;
 * `key` the public key in base64 that signs its commands.
 */
export interface SeatSight {
  id: string;
  name: string;
  role: "narrator" | "player" | "witness";
  here: boolean;
  anchor?: string | null;
  asks?: number;
  key?: string | null;
}

/**
 * A character: its id, its name, the seat that acts for it, ratings and tracks by name.
 *
 * One that is not `here` was taken away.
 */
export interface CharacterSight {
  id: string;
  name: string;
  seat: string;
  attributes: { [key: string]: number };
  tracks: { [key: string]: number };
  here?: boolean;
}

/**
 * A roll as far as the seat may see it, and not further than `seen` says.
 *
 * `seat` declared it by entry `seq` at `at`, in milliseconds since 1970, for `character`.
 * `hidden`: some seats may not see all of it. `follows` is the roll that it follows and by which
 * link, `followers` those that follow it and were not voided. `declaration` is as it was settled;
 * `choices` are by their names, the final ones. `disputed` are the rolls under dispute that it
 * depends on: itself, and those that it follows. `commitment` is what the next throw answers,
 * None where there is none. `level` is the one that the declaration named; `next_level` that of
 * the next throw, if the seat that sees this makes it.
 */
export interface RollSight {
  roll: number;
  seq: number;
  at: number;
  seat: string;
  character: string;
  state: "adjusted" | "damaged" | "declared" | "frozen" | "new" | "reacted" | "rerolled" | "resolved" | "rolled" | "voided";
  seen: "declaration" | "everything";
  visibility: "blind" | "gm" | "public" | "self";
  hidden: boolean;
  level: "player" | "server" | "table" | null;
  next_level: "player" | "server" | "table";
  marks: ("amended" | "disputed" | "hidden" | "pending" | "revealed" | "ruled" | "vetoed" | "voided")[];
  follows: [number, string] | null;
  followers: number[];
  declaration: { [key: string]: unknown };
  reactions: ReactionSight[];
  choices: { [key: string]: string };
  hands: HandSight[];
  outcome: OutcomeSight | null;
  damage: DamageSight | null;
  disputes: DisputeSight[];
  hangs: HangingSight[];
  disputed: number[];
  commitment: CommitmentSight | null;
}

/** An answer to a declaration, as it was settled; None or `declined` where it was declined. */
export interface ReactionSight {
  character: string;
  reaction: { [key: string]: unknown } | null;
  declined: boolean;
}

/**
 * A hand: its name in commands, its label, and the rest as `urim.rules.ruleset.Hand` has it.
 *
 * `wants` are the faces that the roll wants of it, with the dice that show them.
 */
export interface HandSight {
  name: string;
  label: string;
  character: string;
  dice: Die[];
  rerolls: number;
  means: string[];
  taken: boolean;
  wants: Want[];
}

/**
 * One die of a roll.
 *
 * `thrown` holds every face it fell on, oldest first; a die taken over starts with the face it
 * had. `landed` is its face when the hand's last throw had ended, `face` its face now, adjusted or
 * not.
 */
export interface Die {
  id: string;
  kind: string;
  thrown: (number | string)[];
  landed: number | string;
  face: number | string;
  frozen?: boolean;
}

/**
 * A face that a roll wants of a hand, and the ids of the dice that show it.
 *
 * `least`: it is a number, and each higher one does as well.
 */
export interface Want {
  face: number | string;
  dice: string[];
  least?: boolean;
}

/** An outcome as announced; `head` and `text` are its degree and what came out, in words. */
export interface OutcomeSight {
  degree: string;
  margin: number;
  head: string;
  text: string;
  figures: { [key: string]: unknown };
  readings: string[];
  effects: EffectSight[];
}

/** A change of a character's track: `delta` as spent or gained, or `to` where it was set. */
export interface EffectSight {
  character: string;
  track: string;
  delta: number;
  to?: number | null;
}

/** Damage as announced; `head` and `text` are its target's name and its amount in words. */
export interface DamageSight {
  target: string;
  amount: number;
  head: string;
  text: string;
  figures: { [key: string]: unknown };
  readings: string[];
  effects: EffectSight[];
}

/**
 * A dispute: its entry, the seat that raised it, the ruling; `ruling` None: none was made.
 *
 * `ruled` is the entry of the ruling, which a later void or amendment names; `instead` the roll
 * that was declared again in place of this one.
 */
export interface DisputeSight {
  seq: number;
  by: string;
  ruling: "amend" | "replay" | "stands" | "void" | null;
  ruled?: number | null;
  instead?: number | null;
}

/**
 * What a roll took from rolls that were voided or amended since: see `Stale`.
 *
 * `seq` is the entry in which `character` took it; `what` a field of a declaration, a track, a
 * fate, or `follows`; `had` what it was, and `now` what it would be; `sources` the rolls; `text`
 * says all that.
 */
export interface HangingSight {
  seq: number;
  character: string;
  what: string;
  had: unknown;
  now: unknown;
  sources: number[];
  text: string;
}

/** The commitment that waits for a throw: number of the throw, commitment, its entry. */
export interface CommitmentSight {
  throw: number;
  commit: string;
  seq: number;
}

/**
 * The throw that a table waits for, whose roller, on `seat`, asked for shares by entry `seq`.
 *
 * `asked` are (seat, which link of its chain it opens); those `waiting` opened none yet. `left`
 * have an anchor, and were left out. It answers the commitment of entry `committed`. From `until`
 * on anybody may break it off; `at` and `until` are in milliseconds since 1970.
 */
export interface AskSight {
  roll: number;
  throw: number;
  seat: string;
  seq: number;
  at: number;
  committed: number;
  asked: [string, number][];
  waiting: string[];
  left: string[];
  until: number;
}

/**
 * A text: its entry, the seat that wrote it, what it is about, its roll, the words.
 *
 * `about` is `table`, `seat:ID` or `character:ID` for a name, `entry:SEQ` for a label, a reason or
 * a note.
 */
export interface TextSight {
  seq: number;
  by: string;
  about: string;
  roll: number | null;
  text: string;
}

/**
 * Every legal move of one seat in one roll; roll None, in state `new`: a roll to declare.
 *
 * The state is None where the roll is hidden from the seat, which may act about its shares.
 * `hangs` says, in sentences, what the roll took from rolls that were voided or amended since.
 * `disputed` are the rolls under dispute that it depends on: itself, and those that it follows.
 * `step` is the offer that the seat takes up next, where nobody has anything to decide.
 */
export interface RollMoves {
  type: "moves";
  roll: number | null;
  state: "adjusted" | "damaged" | "declared" | "frozen" | "new" | "reacted" | "rerolled" | "resolved" | "rolled" | "voided" | null;
  moves: Move[];
  hangs?: string[];
  disputed?: number[];
  step?: Offer | null;
}

/**
 * One trigger of a roll for one seat, now.
 *
 * A `legal` one has the `offers` that the seat may take up, where the rules offer it; `words` says
 * each of them as people would, and `labels` what they call what it names, where a language was
 * asked for. Any other has the refusal: its stable `code`, `why` in a sentence, and `allowed`,
 * what would do instead; `left_out` is how many more there are.
 */
export interface Move {
  trigger: "adjust" | "amend" | "apply_damage" | "ask" | "break_throw" | "confirm" | "declare" | "dispute" | "fate" | "flavour" | "freeze" | "open_share" | "react" | "replace" | "reroll" | "resolve" | "reveal" | "roll" | "rule" | "veto" | "void" | "withdraw";
  legal: boolean;
  offers?: Offer[];
  code?: string | null;
  why?: string | null;
  allowed?: string[];
  words?: string[];
  labels?: Labels[];
  left_out?: number;
}

/**
 * One thing that the rules allow next.
 *
 * `trigger` and `character`: what, and by whose character ("" for the narrators). `due`: it must
 * happen before `resolve`. `note`: what players should know before they take it up, a sentence.
 *
 * - `roll`: throw `hand`, the kinds of its dice in `dice`. With `options`, the roller names how
 *   many of them. A die that falls on a face in `again` is thrown again at once. With `link`, the
 *   dice are taken over from the roll that this one follows.
 * - `freeze`: any set of the die ids in `dice`.
 * - `reroll`: `least` to `most` of the ids in `dice`, `extra` more at `extra_cost` (track, points)
 *   each. With as many as there are, all or none.
 * - `adjust` with `means`: put dice to the faces in `to` (die -> face -> cost), `most` in all.
 * - `adjust` with `choice`: one of `options`, final.
 * - `declare`: a roll that follows this one by `link`; where `choice` names a field of its
 *   declaration, its value is one of `options`.
 * - `flavour`: words that the faces in `options` of `hand` spell, in the tone `choice`.
 * - `react`: where `choice` names a field of the reaction, its value is one of `options`, and it
 *   is left alone rather than declined unless it is due.
 * - `resolve`, `apply_damage`: no further field.
 *
 * With `narrator` a narrator takes it up, and no player.
 */
export interface Offer {
  trigger: "adjust" | "apply_damage" | "declare" | "flavour" | "freeze" | "react" | "reroll" | "resolve" | "roll";
  character: string;
  due?: boolean;
  hand?: string;
  dice?: string[];
  least?: number;
  most?: number;
  extra?: number;
  extra_cost?: [string, number];
  again?: (number | string)[];
  means?: string;
  to?: { [key: string]: { [key: string]: number } };
  link?: string;
  choice?: string;
  options?: (number | string)[];
  note?: string;
  narrator?: boolean;
}

/**
 * What people call what an offer names; "" where it names none.
 *
 * `kinds` are the dice of a throw, one item a die; `options` are those of a choice, in the order
 * of the offer's; `track` is what more dice are paid from. A command takes the offer's own names,
 * never these.
 */
export interface Labels {
  hand?: string;
  means?: string;
  link?: string;
  choice?: string;
  options?: string[];
  kinds?: string[];
  track?: string;
}

/**
 * Something that a table waits for one seat to do.
 *
 * `trigger` is what, in which `roll`, for which `character` ("" where it is for none). `about` is
 * the entry of the dispute to rule on, or the throw to confirm or open a share for. `why` says it
 * in a sentence. `disputed` are the rolls under dispute that this one depends on. `also` is what
 * may be done before the roll is resolved, `choice` what is to be chosen, in words. `since` is the
 * time of the roll's last entry, or of the ask for shares, in milliseconds since 1970.
 */
export interface Awaiting {
  type: "awaiting";
  roll: number;
  trigger: "adjust" | "amend" | "apply_damage" | "ask" | "break_throw" | "confirm" | "declare" | "dispute" | "fate" | "flavour" | "freeze" | "open_share" | "react" | "replace" | "reroll" | "resolve" | "reveal" | "roll" | "rule" | "veto" | "void" | "withdraw";
  character: string;
  why: string;
  about?: number | null;
  disputed?: number[];
  also?: ("adjust" | "amend" | "apply_damage" | "ask" | "break_throw" | "confirm" | "declare" | "dispute" | "fate" | "flavour" | "freeze" | "open_share" | "react" | "replace" | "reroll" | "resolve" | "reveal" | "roll" | "rule" | "veto" | "void" | "withdraw")[];
  choice?: string;
  since?: number;
}

/**
 * What a command would lead to, as its seat would see it.
 *
 * `roll` is the command's (None: it is about the table), in `state` by then; `before` and `after`
 * its outcome so far, now and by then, where there is one, and `before_words` and `after_words`
 * the same for people; `damage` what would be announced.
 * `effects` are what the characters would gain and lose at once, `offers` what the rules would
 * allow next. `others` are the rolls voided or amended with it, and their states.
 *
 * Of a throw only `dice` is known, the kinds of the dice, and its price in `effects`.
 */
export interface Preview {
  type: "preview";
  roll?: number | null;
  state?: "adjusted" | "damaged" | "declared" | "frozen" | "new" | "reacted" | "rerolled" | "resolved" | "rolled" | "voided" | null;
  before?: Outcome | null;
  after?: Outcome | null;
  before_words?: Result | null;
  after_words?: Result | null;
  damage?: Damage | null;
  effects?: Effect[];
  offers?: Offer[];
  others?: ([number, "adjusted" | "damaged" | "declared" | "frozen" | "new" | "reacted" | "rerolled" | "resolved" | "rolled" | "voided"])[];
  dice?: string[];
}

/**
 * How a roll ends.
 *
 * `degree` is the book's word for it and `margin` how far it was beyond (above 0) or short of
 * (below 0) what was needed. `figures` hold every number on the way there, `readings` the names
 * of the readings that decided it, `effects` what the characters gain or lose at once.
 *
 * A figure is called what the book calls it, and is one flat fact (`figures.Value`); people read
 * them in this order, scenarios expect them by name. One name is promised, where a system has such
 * a figure: `location`, the place that is hit, in a word.
 */
export interface Outcome {
  degree: string;
  margin: number;
  figures: { [key: string]: unknown };
  readings?: string[];
  effects?: Effect[];
}

/**
 * An outcome or damage, as announced.
 *
 * `head` is the degree, or who takes the damage; `number` the margin or the amount, `text` what
 * came out, or the amount, in words; a number that is what came out is the head, and there is no
 * text. `headline` is all of that in one line. `reason` is why, a sentence. `idle` are the labels
 * of figures that changed nothing, by what they say. `remarks` are sentences: flags that a system
 * calls so, where they are set. `readings` are the clauses of those that decided and belong to no
 * line. `changes` are those that count now; `now` says so where that is no longer what was
 * announced.
 */
export interface Result {
  sort: "damage" | "outcome";
  head: string;
  number: number;
  text: string;
  reason?: string;
  items?: Item[];
  idle?: [string, string[]][];
  remarks?: string[];
  readings?: string[];
  changes?: Change[];
  now?: string;
  headline?: string;
}

/**
 * A fact, or a sum: its total, the terms in order, and what was done to their sum, in words.
 *
 * Terms that add nothing are left out, but not from the margin.
 */
export interface Item {
  total: Line;
  terms?: Line[];
  then?: string[];
}

/**
 * A figure in words: its key and label, its value, and the value as text.
 *
 * `number` is the value where it is a number, in the system's unit, with the sign that it has in
 * its sum. `whose` is the name of the character whose it is, where the label does not have it.
 * `unit` is what it counts, in the right form. `heading` is the part of the book that has
 * its rule, `readings` are the clauses of those that decided it, `dice` are those that make it.
 */
export interface Line {
  key: string;
  label: string;
  text: string;
  number?: number | null;
  unit?: string;
  heading?: string;
  readings?: string[];
  dice?: string[];
  whose?: string;
}

/** A track of a character, by names, before and after; `most` is its bound, if it has one. */
export interface Change {
  who: string;
  track: string;
  before: number;
  after: number;
  most: number | null;
}

/**
 * What a roll does to `target`: `amount` in the system's unit, each step in `figures`.
 *
 * Figures are as in an Outcome.
 */
export interface Damage {
  target: string;
  amount: number;
  figures: { [key: string]: unknown };
  readings?: string[];
  effects?: Effect[];
}

/**
 * A value that a field may take, what people call it, and a number that goes with it.
 *
 * The number is a rating on the sheet, or what a chart has beside the value.
 */
export interface Choice {
  type: "choice";
  value: string | number | boolean;
  label: string;
  number?: number | null;
}

/**
 * A roll that a character's sheet begins: its `name`, and the declaration as far as it goes.
 *
 * `asks` are the fields that are asked then: those that are needed, and those usually named.
 */
export interface Rollable {
  type: "rollable";
  name: string;
  declaration: { [key: string]: unknown };
  asks?: string[];
}

/**
 * A roll from its declaration to its end; `before` are the rolls that it follows, oldest first.
 *
 * `who` is its character's name, `state` the state of the roll, `link` how it follows the last of
 * those before.
 */
export interface Account {
  type: "account";
  roll: number;
  who: string;
  state: string;
  marks: ("amended" | "disputed" | "hidden" | "pending" | "revealed" | "ruled" | "vetoed" | "voided")[];
  before: number[];
  link: string;
  steps: Step[];
  outcome: Result | null;
  damage: Result | null;
}

/**
 * One entry: its number, its time (milliseconds since 1970), who acted, what, with which dice.
 *
 * `seat` is the seat's name. `hand` is there where dice fell, were frozen or adjusted.
 */
export interface Step {
  seq: number;
  at: number;
  seat: string;
  text: string;
  hand: ShownHand | null;
}

/** A hand after a step: its name in the log, its label, its character's name, its dice. */
export interface ShownHand {
  hand: string;
  label: string;
  who: string;
  dice: ShownDie[];
}

/**
 * One die after a step.
 *
 * `thrown` holds every face it fell on, oldest first; `face` is the one it shows. `again`: it fell
 * in this step. `adjusted`: it was put to its face. `makes`: keys of the figures it counts for;
 * by `counts` it does so for its side, against it, or not. `earlier` are the faces before the one
 * it shows, each with whether it counts too, as those of a die that explodes do.
 */
export interface ShownDie {
  die: string;
  kind: string;
  face: number | string;
  thrown: (number | string)[];
  frozen: boolean;
  adjusted: boolean;
  again: boolean;
  makes: string[];
  counts: "against" | "for" | "no";
  earlier: ([number | string, boolean])[];
}

/**
 * A command or an input that cannot be used; nothing was changed.
 *
 * `code` is stable, one of `urim.errors.CODES`; `why` says in a sentence what was wrong with which
 * value. `allowed` is what would be allowed now, most useful first; `left_out` counts what else
 * would be, and is left out itself where it is 0.
 */
export interface Refusal {
  type: "refusal";
  code: string;
  why: string;
  allowed: string[];
  left_out?: number;
}

/** What goes over a socket, either way: each known by its `type`. */
export type Frame =
  | Enter
  | Ask
  | Prove
  | Entered
  | CommitFrame
  | CaughtUpFrame
  | PresentFrame
  | WaitingFrame
  | DoneFrame
  | RefusedFrame
  | LaterFrame
  | ProofFrame
  | ForkedFrame
  | LeftFrame
  | BehindFrame;

/**
 * The first frame: who comes, and from which entry on they want the table (-1: from the first).
 *
 * With `waiting` the socket is also sent who is awaited, whenever that changes.
 */
export interface Enter {
  type: "enter";
  token: string;
  after?: number;
  waiting?: boolean;
}

/** A request, with the fields of `urim.engine.core.request.WireRequest`; its id is needed. */
export interface Ask {
  type: "ask";
  request: string;
  body: string;
  text?: Text | null;
  seen?: Seen | null;
  sig?: string | null;
}

/** Ask for the latest signed head with a proof that its log begins with that of `size`. */
export interface Prove {
  type: "prove";
  size: number;
}

/** The token is good: who came, until when in milliseconds since 1970. */
export interface Entered {
  type: "entered";
  table: string;
  seat: string;
  role: "narrator" | "player" | "witness" | "auditor" | "host";
  expires: number;
}

/**
 * One commit, whole, as the seat may have it; see `urim.engine.service.feed.Commit`.
 *
 * `head` covers it; of a history it is left out.
 */
export interface CommitFrame {
  type: "commit";
  size: number;
  entries: EntryLine[];
  changed?: EntryLine[];
  head?: string | null;
}

/** The history ends here, at `size` entries. `head` covers them. */
export interface CaughtUpFrame {
  type: "caught-up";
  size: number;
  head?: string | null;
}

/** The seats that have a socket now, sorted: a hint that nothing depends on. */
export interface PresentFrame {
  type: "present";
  seats: string[];
}

/** What the table waits for after `size` entries: what this seat may do, and whom else for. */
export interface WaitingFrame {
  type: "waiting";
  size: number;
  mine?: Awaiting[];
  others?: Awaited[];
}

/**
 * Somebody whom a table waits for, as far as another seat may know: a seat, where, what for.
 *
 * `until` is when the others may go on without it, in milliseconds since 1970; None for never.
 * `also`, `choice` and `since` are as of Awaiting.
 */
export interface Awaited {
  type: "awaited";
  seat: string;
  roll: number;
  trigger: "adjust" | "amend" | "apply_damage" | "ask" | "break_throw" | "confirm" | "declare" | "dispute" | "fate" | "flavour" | "freeze" | "open_share" | "react" | "replace" | "reroll" | "resolve" | "reveal" | "roll" | "rule" | "veto" | "void" | "withdraw";
  until?: number | null;
  also?: ("adjust" | "amend" | "apply_damage" | "ask" | "break_throw" | "confirm" | "declare" | "dispute" | "fate" | "flavour" | "freeze" | "open_share" | "react" | "replace" | "reroll" | "resolve" | "reveal" | "roll" | "rule" | "veto" | "void" | "withdraw")[];
  choice?: string;
  since?: number;
}

/** A request was done, by entries `seqs` (none where it changed nothing); `head` covers them. */
export interface DoneFrame {
  type: "done";
  request: string;
  seqs: number[];
  size: number;
  head?: string | null;
}

/**
 * A frame was refused; nothing was changed. See `urim.engine.core.refusal.Refusal`.
 *
 * `request` is None where the frame was no request. `moves` are the legal ones of the roll.
 */
export interface RefusedFrame {
  type: "refused";
  request: string | null;
  code: Code;
  why: string;
  allowed?: string[];
  left_out?: number;
  moves?: Move[];
}

/**
 * A request could not be done now, and nothing is known of it: send it again, with the same id.
 *
 * `seconds` is after how long. `request` is None where the frame was no request (`prove`).
 */
export interface LaterFrame {
  type: "later";
  request: string | null;
  seconds: number;
  why: string;
}

/** A signed head, and what proves that its log begins with the first `size` entries: hex. */
export interface ProofFrame {
  type: "proof";
  size: number;
  /** A signed head of the table: a note, see docs/bundle.md. */
  head: string;
  hashes: string[];
}

/** `after` is beyond the log, which has this head; the socket is closed. */
export interface ForkedFrame {
  type: "forked";
  size: number;
  head?: string | null;
}

/** The last frame: the seat left the table, in the commit before. */
export interface LeftFrame {
  type: "left";
  size: number;
}

/** The last frame: too much waits for this socket. Enter again with `after` = `size` - 1. */
export interface BehindFrame {
  type: "behind";
  size: number;
}

/**
 * An entry as a seat may have it; docs/bundle.md says what each field is.
 *
 * Without `salt` and `payload` it is sealed: hidden from the seat, or its text was erased. The
 * payload is JSON as text: a Payload.
 */
export interface EntryLine {
  seq: number;
  commit: number;
  at: number;
  class: string;
  /** 32 bytes as hex. */
  digest: string;
  salt?: string | null;
  payload?: string | null;
}

/** The bodies of HTTP that are no request and no Answer. */
export type Body =
  | CallBody
  | Exchange
  | HookBody
  | InviteBody
  | OpenTableBody
  | PreviewBody
  | RollBody
  | SecretBody
  | WhatIfBody
  | Exchanged
  | InvitationBody
  | InvitedBody
  | InvitationsBody
  | HoldersBody
  | RevokedBody
  | HookShown
  | HookMadeBody
  | HooksBody
  | CalledBody
  | TableOpenedBody
  | TablesBody
  | AwaitingBody
  | DisputeBody
  | HistoryBody
  | WhatIf
  | AlternativesBody
  | Odds
  | TableLuck
  | LinkBody
  | RolledBody
  | DoneBody
  | EntryLine
  | Payload
  | ProofBody
  | StatusBody
  | AliveBody
  | Problem;

/** The hook to be called now, by its id, with a message that tells nothing. */
export interface CallBody {
  hook: string;
}

/**
 * An invitation's secret, or the host's, for a token.
 *
 * `client` is an id that the client draws for this invitation and keeps: where the answer was
 * lost, it sends the same again.
 */
export interface Exchange {
  secret: string;
  client: string;
}

/**
 * An address where the seat wants to be told what happens, and in which form.
 *
 * `standard` is JSON as Standard Webhooks has it, signed; `content` a text alone, as chats take
 * it. `view` is what is told: what the seat sees, or what everybody at the table may see, and whom
 * it waits for.
 */
export interface HookBody {
  url: string;
  form?: "content" | "standard";
  view?: "seat" | "table";
}

/**
 * Whom to invite: with no `seat` each use leads to a new one; an auditor has none.
 *
 * `seconds` is how long the invitation is good; `name` a note for lists, as for whom it is.
 */
export interface InviteBody {
  role: "narrator" | "player" | "witness" | "auditor" | "host";
  seat?: string | null;
  uses?: number;
  seconds?: number;
  name?: string;
}

/** A table to be opened, and the seat of its first narrator, who is invited with the answer. */
export interface OpenTableBody {
  table: string;
  ruleset: string;
  options?: { [key: string]: unknown };
  source?: string;
  level?: "player" | "server" | "table";
  one_machine?: boolean;
  narrator?: string;
  request?: string | null;
}

/** A command to look ahead at: nothing is done, thrown or kept. */
export interface PreviewBody {
  body: string;
}

/**
 * A roll to be declared, and gone on with as far as nobody has anything to decide.
 *
 * `request` is the declaration's id: sent again, it goes on where it was left. `character` is the
 * seat's own, which may be left out where it has one alone; who may send again names it, since
 * the seat may have another by then. What is wanted is a `declaration`, by
 * the fields of the system's form, or the text of the one that it takes any text for, as plain
 * dice an `expression`. `visibility`, `level` and `text` are as of the command `declare/1`.
 */
export interface RollBody {
  /** A request's id: the same one is done once, and answered again. */
  request: string;
  character?: string | null;
  declaration?: { [key: string]: unknown } | null;
  expression?: string | null;
  visibility?: "blind" | "gm" | "public" | "self";
  level?: "player" | "server" | "table" | null;
  text?: Text | null;
}

/** An invitation's secret, to see where it leads. */
export interface SecretBody {
  secret: string;
}

/** What shall be different, all at once: nothing is done, thrown or kept. */
export interface WhatIfBody {
  changes: (Reading | Instead | Without | Declared | Voided | Withdrawn | Amended)[];
}

/** The table was opened with this reading, given as JSON has it, and nobody set it since. */
export interface Reading {
  change: "reading";
  name: string;
  value: unknown;
}

/** The command whose commit begins with entry `seq` has these fields in place of its own. */
export interface Instead {
  change: "instead";
  seq: number;
  fields: { [key: string]: unknown };
}

/** The command whose commit begins with entry `seq` was never asked. */
export interface Without {
  change: "without";
  seq: number;
}

/** The roll was declared with these fields, all others as they were. */
export interface Declared {
  change: "declared";
  roll: number;
  fields: { [key: string]: unknown };
}

/** A narrator voids the roll now. */
export interface Voided {
  change: "voided";
  roll: number;
}

/** Who declared the roll withdraws it at once. */
export interface Withdrawn {
  change: "withdrawn";
  roll: number;
}

/** A narrator amends what `character` declared in the roll now; None is the roller. */
export interface Amended {
  change: "amended";
  roll: number;
  fields: { [key: string]: unknown };
  character?: string | null;
}

/**
 * A bearer token, what it stands for, and the public key of who signs heads here.
 *
 * `key` is a vkey, `NAME+KEYID+BASE64`, as in the header of a bundle.
 */
export interface Exchanged {
  /** A secret, shown this once: `urim-` and what opens a door. */
  token: string;
  grant: Grant;
  key: string;
}

/**
 * What a good token stands for. `id` names the token and is no secret.
 *
 * `table` is None for the host alone; `seat` is None for the host and for auditors. From `expires`
 * on it is no longer good: a server closes its sockets then.
 */
export interface Grant {
  id: string;
  table: string | null;
  seat: string | null;
  role: "narrator" | "player" | "witness" | "auditor" | "host";
  expires: number;
}

/**
 * Where an invitation leads.
 *
 * `name` is what people call the table, empty where nobody named it; `system` the title of its
 * rules; `by` who invites, by name: empty for the host, a seat that has left, or the seat itself;
 * `left` how often it still opens.
 */
export interface InvitationBody {
  table: string;
  name: string;
  system: string;
  role: "narrator" | "player" | "witness" | "auditor" | "host";
  by: string;
  left: number;
}

/**
 * An invitation as it was made: the only time that its secret can be read.
 *
 * `link` leads to the page of the server with the secret in the fragment, which is sent nowhere.
 * `links` are the same at each address by which others reach the server, the best one first.
 */
export interface InvitedBody {
  /** A secret, shown this once: `urim-` and what opens a door. */
  secret: string;
  link: string;
  invitation: Invitation;
  links?: Link[];
}

/**
 * An invitation that can still be exchanged, as a list shows it: its secret is nowhere.
 *
 * `id` is no secret; `left` is how many uses it has.
 */
export interface Invitation {
  id: string;
  table: string;
  role: "narrator" | "player" | "witness" | "auditor" | "host";
  seat: string | null;
  by: "narrator" | "player" | "witness" | "auditor" | "host";
  by_seat: string | null;
  expires: number;
  left: number;
  name: string;
}

/** A link at one address of the server, and the same as a QR code. */
export interface Link {
  url: string;
  qr: QrCode;
}

/**
 * A QR code to be drawn: `size` squares on a side, without the quiet zone of 4 around them.
 *
 * `path` is the data of an SVG path that has the dark squares, each of one unit, from 0 to `size`.
 */
export interface QrCode {
  size: number;
  path: string;
}

/** The invitations to a table that can still be exchanged, oldest first. */
export interface InvitationsBody {
  invitations: Invitation[];
}

/** Who could come in: the good tokens of a table, oldest first. */
export interface HoldersBody {
  holders: Grant[];
}

/** How many tokens and invitations were good until now, and are no longer. */
export interface RevokedBody {
  revoked: number;
}

/**
 * A hook: of its address the host alone, which is empty where it may not be called any more.
 *
 * `told` is when a call was answered last, `failing` since when none was, and `why`; it is `over`
 * once it was given up.
 */
export interface HookShown {
  id: string;
  host: string;
  form: "content" | "standard";
  view: "seat" | "table";
  told: number | null;
  failing: number | null;
  why: string;
  over: boolean;
}

/** A hook as it was made: the only time that the secret can be read that signs its calls. */
export interface HookMadeBody {
  /** A secret, shown this once: `whsec_` and base64. */
  secret: string;
  hook: HookShown;
}

/**
 * The hooks of a seat, oldest first.
 *
 * `told` is when each seat of the table that has a hook was told something last: null for never.
 */
export interface HooksBody {
  hooks: HookShown[];
  told: { [key: string]: number | null };
}

/**
 * What a test call was answered: the status, None where no answer came, and why it is no good.
 *
 * `why` is empty where it was taken.
 */
export interface CalledBody {
  status: number | null;
  why: string;
}

/**
 * The table, the entries that opened it, and the secret that leads to its narrator's seat.
 *
 * `links` have that secret, as those of an invitation.
 */
export interface TableOpenedBody {
  table: string;
  seqs: number[];
  /** A secret, shown this once: `urim-` and what opens a door. */
  invitation: string;
  links?: Link[];
}

/** Every table of the server; `damaged` are ids of the log that are none. */
export interface TablesBody {
  tables: string[];
  damaged?: DamagedId[];
}

/**
 * An id under which the log has rows that no table of this id wrote, and why.
 *
 * `seq` is the entry that is damaged, where one is.
 */
export interface DamagedId {
  table: string;
  why: string;
  seq?: number | null;
}

/**
 * What the table waits for: what this seat may do, and whom else for, as far as it may know.
 *
 * Both are of a table of `size` entries.
 */
export interface AwaitingBody {
  size: number;
  mine: Awaiting[];
  others: Awaited[];
}

/**
 * A dispute: its entry, the roll that it is about, who raised it, how it was ruled on.
 *
 * `ruled` is the entry of the ruling, `instead` the roll that was declared again.
 */
export interface DisputeBody {
  roll: number;
  seq: number;
  by: string;
  ruling: "amend" | "replay" | "stands" | "void" | null;
  ruled?: number | null;
  instead?: number | null;
}

/** Accounts of rolls by number; `after` asks for the next ones, None where there are no more. */
export interface HistoryBody {
  accounts: Account[];
  after: number | null;
}

/**
 * A table beside one that differs in these `changes`.
 *
 * `rolls` are those that come out otherwise, by number. `tracks` are all that somebody has in one
 * of the two, in the end. `fallen` are the commands that would be refused, `missing` the throws of
 * which dice never fell. `uncertain` are rolls behind these that share a character with one: they
 * are given as if that roll had changed no track.
 */
export interface WhatIf {
  type: "what-if";
  table: string;
  changes: (Reading | Instead | Without | Declared | Voided | Withdrawn | Amended)[];
  rolls: RollDifference[];
  tracks: TrackDifference[];
  fallen: Fallen[];
  missing: Missing[];
  uncertain: number[];
}

/**
 * A roll that comes out otherwise, by its number in the log, and the name of who rolls.
 *
 * `before` is what it came to, `after` what it would have; None where it is not there. A roll that
 * the log has not (`before` is None) has its number at the other table.
 */
export interface RollDifference {
  roll: number;
  who: string;
  before: Side | null;
  after: Side | null;
}

/**
 * What a roll came to. Of a voided one nothing but that counts.
 *
 * `declared` is its declaration as the log has it, `answers` are the reactions, each with its
 * character's id; None is a decline. `hands` are its dice in the end.
 * `outcome` is the announced one, or before that (`announced` is false) the one of the dice so
 * far; `damage` is what was applied, as it counts. `outcome_words` and `damage_words` are the same
 * for people, `facts` their figures one by one. `changes` are the tracks that the roll changed,
 * prices too, each before and after it. Not `known`: dice are missing, so that nothing is there of
 * what they would have led to; `state` is then the last known one, None where there is none.
 */
export interface Side {
  state: "adjusted" | "damaged" | "declared" | "frozen" | "new" | "reacted" | "rerolled" | "resolved" | "rolled" | "voided" | null;
  known?: boolean;
  declared?: { [key: string]: unknown };
  answers?: ([string, { [key: string]: unknown } | null])[];
  hands?: ShownHand[];
  announced?: boolean;
  outcome?: Outcome | null;
  outcome_words?: Result | null;
  damage?: Damage | null;
  damage_words?: Result | null;
  facts?: Fact[];
  changes?: Change[];
}

/**
 * A figure of an outcome or of damage: the place that was hit, armour, successes, wounds.
 *
 * `key` and `label` are its name, for programs and for people; `text` is its value in words,
 * `number` the value where it is a whole number, in the system's unit.
 */
export interface Fact {
  of: "damage" | "outcome";
  key: string;
  label: string;
  text: string;
  number?: number | null;
}

/**
 * A track of a character in the end: its id, its name, the track, its name, its values.
 *
 * `before` is what it is, `after` what it would be; not `known`: a roll of the character's is not.
 */
export interface TrackDifference {
  character: string;
  who: string;
  track: string;
  label: string;
  before: number;
  after: number;
  known?: boolean;
}

/** A command that falls away, and the refusal that it would meet. */
export interface Fallen {
  entry: number;
  roll: number | null;
  step: number | null;
  seat: string;
  text: string;
  refusal: Refusal;
}

/**
 * A throw of which dice are missing: throw number `throw` of the roll, counted from 0.
 *
 * `behind` are the commands in this roll and those that follow it of which nothing is known.
 * `chances` are those of each degree that the roll might have come to, everybody doing what is
 * best; none where that is too much to count, or the roll goes on.
 */
export interface Missing {
  entry: number;
  roll: number | null;
  step: number | null;
  seat: string;
  text: string;
  throw: number;
  dice: MissingDie[];
  behind: Gone[];
  chances?: { [key: string]: number };
}

/** A die that never fell: its id in the roll, and what kind it is. */
export interface MissingDie {
  die: string;
  kind: string;
}

/**
 * A command of the log: the first entry of its commit, its roll and the step of it there.
 *
 * `roll` and `step` (counted from 1) are None where it is about no roll. `seat` is the seat's
 * name, `text` what happened, in words.
 */
export interface Gone {
  entry: number;
  roll: number | null;
  step: number | null;
  seat: string;
  text: string;
}

/** What could have been otherwise in a roll, in the order of the log; readings come last. */
export interface AlternativesBody {
  roll: number;
  alternatives: Alternative[];
}

/**
 * Something that could have been otherwise in a roll, and the change that makes it so.
 *
 * `who` is the name of who decides, empty for a reading; `what` are words for what is decided
 * instead, empty where the kind says it all; for `dice` it is their number.
 */
export interface Alternative {
  kind: "answer" | "choice" | "dice" | "reading" | "withdrawn";
  who: string;
  what: string;
  change: Reading | Instead | Without | Declared | Voided | Withdrawn | Amended;
}

/**
 * What may still come of a roll, for an aim: chances from 0 to 1 by degree, and by margin.
 *
 * `worth` is that of the best way; `ways` are all, the best first, none where nothing is to be
 * decided. The opponent is taken to do what is worst for the aim: with `against` it is he, or a
 * narrator, who decides, and the least worth comes first.
 *
 * Where it is not `exact` it is an estimate: the roll was `played` so many times, for `why`, and
 * `error` is twice the standard error of `worth`. Who had to decide took what would be best if all
 * dice were then left as they fall; `ways` has what was taken first, if anything.
 */
export interface Odds {
  exact: boolean;
  aim: string;
  worth: number;
  degrees: { [key: string]: number };
  score: { [key: string]: number };
  ways: OddsWay[];
  error?: number;
  played?: number;
  why?: string;
  against?: boolean;
}

/**
 * A way to go on with a roll, and what it is worth for the aim, where all that follows is best.
 *
 * `taken` are dice to throw again or to freeze, dice put to faces as `d1=4`, an option, or how
 * many dice. `plain` where it is the obvious one: to keep what counts, and throw the rest again.
 */
export interface OddsWay {
  trigger: string;
  hand: string;
  choice: string;
  taken: (number | string)[];
  worth: number;
  plain: boolean;
}

/**
 * The luck of a table's throws, by seat: who threw first comes first. `luck` is all together.
 *
 * `rolls` has the luck of each roll's throws, as its roller sees it. `standing` throws are counted
 * as their dice fell, since all that could be done with them is too much to count. `left` says why
 * others were left out, and how many: they are in no sum.
 */
export interface TableLuck {
  aim: string;
  luck: number;
  seats: SeatLuck[];
  rolls: { [key: string]: number };
  standing: number;
  left: { [key: string]: number };
}

/**
 * The luck of a seat's throws, in what a roll of the system is wanted for.
 *
 * `luck` is the sum of what fell less what was to be expected, in `throws` of `rolls`; from
 * `least` to `most` is normal, however often one looks. `play` is what its decisions gained
 * on the best ones, 0 or less; None where it was not asked. `characters` has the luck of each of
 * its own.
 */
export interface SeatLuck {
  seat: string;
  rolls: number;
  throws: number;
  luck: number;
  least: number;
  most: number;
  said: "lucky" | "normal" | "unlucky";
  play: number | null;
  characters: { [key: string]: number };
}

/** The link that shows a roll to who has no seat: null where none may. */
export interface LinkBody {
  roll: number;
  link: string | null;
}

/**
 * A roll as far as it went by itself, as the seat sees it when its log had `size` entries.
 *
 * `headline` is what came out, in words; empty where nothing did yet, or none that the seat sees.
 * `link` shows the roll to who has no seat: null where none may.
 */
export interface RolledBody {
  request: string;
  size: number;
  headline: string;
  link: string | null;
  roll: RollSight;
}

/**
 * A request was done, by entries `seqs` (none where it changed nothing).
 *
 * `entries` are these as the seat may have them, each an EntryLine; `head` covers all `size`.
 */
export interface DoneBody {
  request: string;
  seqs: number[];
  size: number;
  head: string | null;
  entries: EntryLine[];
}

/** What `payload` of an EntryLine holds; `asked` in the first entry of a commit alone. */
export interface Payload {
  event: TableEvent;
  asked?: Asked | null;
}

/**
 * A request as it came in: its id, and the JSON of its command, byte for byte.
 *
 * The seat that asked is the `by` of the event beside it. Where the seat has a key, `sig` is its
 * signature in base64 (`signed`), and `seen` the head that it had verified.
 */
export interface Asked {
  request: string;
  body: string;
  seen?: Seen | null;
  sig?: string | null;
}

/**
 * A signed head over `size` entries, and the nodes that prove the claim under its root.
 *
 * The claim is that entry `seq` is in it, or that it begins with the first `since` entries: the
 * one that was asked for is there, the other is None.
 */
export interface ProofBody {
  size: number;
  /** A signed head of the table: a note, see docs/bundle.md. */
  head: string;
  hashes: string[];
  seq?: number | null;
  since?: number | null;
}

/** Whether the process lives, or is ready to serve: `ok`, or what it waits for. */
export interface StatusBody {
  status: string;
}

/** Whether the process lives, and the version of the server. */
export interface AliveBody {
  status: string;
  version: string;
}

/**
 * The body of a refusal. `type` leads to what the code means, on the same server.
 *
 * `code`, `why`, `allowed` and `left_out` are those of `urim.engine.core.refusal.Refusal`; `moves`
 * are what the seat may do in the roll now; `retry_after` is in seconds, as in the header.
 */
export interface Problem {
  type: string;
  title: string;
  status: number;
  code: Code;
  why: string;
  allowed?: string[];
  left_out?: number;
  moves?: Move[];
  retry_after?: number | null;
  head?: string | null;
}

/** What the page and one around it tell each other: each known by its `urim`. */
export type FrameMessage =
  | FrameHello
  | FrameRoll
  | FrameReady
  | FrameHeight
  | FrameTaken
  | FrameResult;

/** The page around is there: answered by `ready`, and told heights and results from then on. */
export interface FrameHello {
  urim: "hello";
}

/**
 * Declare a roll, as its seat does by a tap; what needs no decision in it happens by itself.
 *
 * `character` may be left out where the seat has one alone. `id` comes back in `taken`.
 */
export interface FrameRoll {
  urim: "roll";
  id: string;
  declaration: { [key: string]: unknown };
  character?: string | null;
  visibility?: "blind" | "gm" | "public" | "self";
}

/** The page listens; `table` is the one it shows, "" for none yet. Told whenever it changes. */
export interface FrameReady {
  urim: "ready";
  table: string;
}

/** How high the page is, in CSS pixels, whenever that changes. */
export interface FrameHeight {
  urim: "height";
  height: number;
}

/**
 * What became of a roll that was asked for.
 *
 * It is declared (`done`), or `refused`: why, and what would be allowed, as the seat is told.
 * `later`: it was not answered in time, is still sent, and may be declared yet; `lost`: the seat
 * was left before an answer.
 */
export interface FrameTaken {
  urim: "taken";
  id: string;
  outcome: "done" | "later" | "lost" | "refused";
  why: string;
  allowed: string[];
}

/** A roll that everybody sees was resolved, after the hello: of whom, and what came out. */
export interface FrameResult {
  urim: "result";
  table: string;
  roll: number;
  character: string;
  name: string;
  headline: string;
}

/** A stable code of a refusal; newer servers may have more. */
export type Code =
  | "malformed"
  | "too-long"
  | "out-of-range"
  | "face"
  | "dice-short"
  | "dice-left"
  | "unknown"
  | "not-yours"
  | "needs-leave"
  | "not-seen"
  | "not-signed"
  | "taken"
  | "wrong-state"
  | "not-offered"
  | "due"
  | "frozen"
  | "too-many"
  | "history"
  | "commitment"
  | "nonce"
  | "request-reused"
  | "over-budget"
  | "unreadable"
  | "no-http"
  | "no-token"
  | "foreign"
  | "no-right"
  | "no-table"
  | "too-slow"
  | "too-big"
  | "not-json"
  | "no-route"
  | "no-method"
  | "long-head"
  | "forked"
  | "too-fast"
  | "unavailable"
  | "broken";

/**
 * Why a socket was closed:
 * - 1007: a text is not UTF-8
 * - 1009: a frame is too long
 * - 1011: the table cannot be served; its host knows why
 * - 1012: the server stops: try again soon
 * - 1013: the log cannot be read now: try again soon
 * - 4401: no token that is good here
 * - 4408: nothing came after opening
 * - 4409: `after` is beyond the log; the last frame has its signed head
 * - 4410: the seat left the table
 * - 4413: too much waits for this socket: open another one, and go on after the last commit
 * - 4429: too many sockets of the seat or the table, or wrong tokens of the address: later
 */
export type CloseCode =
  | 1007
  | 1009
  | 1011
  | 1012
  | 1013
  | 4401
  | 4408
  | 4409
  | 4410
  | 4413
  | 4429;

/** What a client may send over a socket. */
export type FromClient =
  | Enter
  | Ask
  | Prove;

/** What a server sends over a socket. */
export type FromServer =
  | Entered
  | CommitFrame
  | CaughtUpFrame
  | PresentFrame
  | WaitingFrame
  | DoneFrame
  | RefusedFrame
  | LaterFrame
  | ProofFrame
  | ForkedFrame
  | LeftFrame
  | BehindFrame;

/** What a page may tell Urim's in a frame of it. */
export type ToFrame =
  | FrameHello
  | FrameRoll;

/** What Urim's page tells the one around it. */
export type FromFrame =
  | FrameReady
  | FrameHeight
  | FrameTaken
  | FrameResult;
