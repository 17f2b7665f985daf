// A seat at a table of Urim, and the verifier. The wire's types are in urim.d.ts.

import type { Awaited, Awaiting, Command, EntryLine, Move } from "./urim.d.ts";

/** A seat as it is kept: at which host and table, as whom, its token, and the public key of the table's log. */
export interface KeptSeat {
  origin: string;
  table: string;
  seat: string;
  role: string;
  token: string;
  key: string;
  name?: string;
}

/** Where small values are kept, as `localStorage` does. */
export interface Storage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/** What a client keeps: heads, shares and nonces that must not be lost, requests under way, entries. */
export interface Keeper {
  value(key: string): any;
  keep(key: string, given: unknown): boolean;
  seats(): KeptSeat[];
  keepSeat(seat: KeptSeat): void;
  forget(seat: KeptSeat): Promise<void>;
  entries: {
    all(key: string): Promise<EntryLine[]>;
    put(key: string, lines: readonly EntryLine[]): Promise<void>;
    drop(key: string): Promise<void>;
  };
  /** Whether values outlive the program. */
  lasting: boolean;
}

/**
 * Where nothing is given, small values go into `localStorage` and entries into IndexedDB, and into memory where there are
 * none. One keeper is for one host: what it keeps is by table and seat.
 */
export function keeper(stores?: { storage?: Storage | null; database?: IDBFactory | null }): Keeper;

/** `green`: all that can be checked is right; `grey`: something could not be; `red`: something is wrong. */
export interface Seal {
  state: "green" | "grey" | "red";
  size: number;
  head: { size: number; note: string; signed: boolean } | null;
  wrong: readonly { seq: number | null; what: string; why: string }[];
  unchecked: readonly { seq: number | null; what: string; why: string }[];
  forks: readonly { why: string; notes: readonly string[]; proved: boolean }[];
}

export interface Refused {
  type: "refused";
  request: string | null;
  code: string;
  why: string;
  allowed: readonly string[];
  left_out: number;
  moves: readonly Move[];
}

/** What became of a request; `later`: it is still sent; `lost`: the seat ended before an answer. */
export type Outcome =
  | { type: "done"; request: string; seqs: readonly number[]; size: number; head: string | null }
  | Refused
  | { type: "later" | "lost"; request: string; why: string };

/** What of a seat is another than before. `kept`: the table is there as it was kept; `again`: it came back after a cut. */
export type Changed = "table" | "seal" | "link" | "present" | "waiting" | "sharing" | "kept" | "again";

export interface How {
  keeper?: Keeper;
  changed?: (what: Changed) => void;
  /** What its player should know of its shares. */
  told?: (what: "elsewhere" | "undone" | "ruled", given: { roll?: number }) => void;
  /** The note of who slept through a throw, and is back. */
  words?: { back: string };
}

/** The dice of a hand to throw: `option` of them, with typed `faces`, or `dice` thrown again. */
export interface Wish {
  hand: string;
  option?: number | null;
  faces?: (number | string)[] | null;
  dice?: string[] | null;
}

/** A roll as its entries leave it. */
export interface Roll {
  number: number;
  character: string;
  state: string;
  hidden: boolean;
  /** Only its number is known. */
  sealed: boolean;
  declaration: any;
  hands: readonly any[];
  outcome: any;
}

/** A table as its entries leave it: folded here, never taken from the server's words. */
export interface Table {
  id: string;
  size: number;
  system: string;
  level: string;
  source: string;
  seats: Readonly<Record<string, { id: string; name: string; role: string; here: boolean }>>;
  characters: Readonly<Record<string, { id: string; name: string; seat: string; attributes: Readonly<Record<string, number>>; tracks: Readonly<Record<string, number>>; here: boolean }>>;
  rolls: ReadonlyMap<number, Roll>;
  log: readonly { seq: number; at: number; type: string; by: string; roll: number | null; event: any }[];
}

/** One seat at its table: what comes is folded, checked and kept; shares are opened by themselves. */
export class Seat {
  constructor(kept: KeptSeat, where: How & { origin: string; keeper: Keeper });
  readonly kept: KeptSeat;
  readonly origin: string;
  readonly table: Table;
  readonly seal: Seal;
  readonly link: { state: "live" | "connecting" | "polling" | "offline" | "stopped"; since: number; why: string };
  readonly present: readonly string[];
  readonly waiting: { mine: readonly Awaiting[]; others: readonly Awaited[] };
  /** The anchor of this seat's shares, and why it opens none: `acceptShares` once its player knows. */
  readonly sharing: { anchor: string; trouble: { what: string; seq: number } | null };
  begin(): Promise<void>;
  end(why?: string): void;
  /** The table once it is as wanted, looked at whenever anything of the seat changes; null after so many milliseconds. */
  once(test: (table: Table) => boolean, patience: number): Promise<Table | null>;
  /** Have something done, with the words that go with it; it is done once `table` has it. */
  ask(command: Command, text?: string | null): Promise<Outcome>;
  /**
   * Throw a hand at the level that is due: with a nonce, or with the shares of others. A hand that throws no dice (its offer
   * has a `link`, or no `dice`) is asked for by `roll/1`.
   */
  throwDice(roll: number, wish: Wish): Promise<Outcome>;
  /** The player knows of what stood in the way of shares. */
  acceptShares(): void;
}

/** Sit down by an invitation, HOST/#i=urim-i1-…. */
export function join(link: string, how?: How): Promise<Seat | Refused>;

/** Take up a seat that is kept, from where it was left. */
export function resume(kept: KeptSeat, how: How & { keeper: Keeper }): Promise<Seat>;

/** What the server says of the table in words, by a path below it: `/moves`, `/rolls/3/account`. */
export function read(seat: Seat, path: string): Promise<any>;

/** Check a bundle, NAME.urim.jsonl, as urimcheck.js does: against keys and earlier heads that are known. */
export function check(
  source: Uint8Array | Blob | AsyncIterable<Uint8Array>,
  known?: { key?: string | null; seats?: Record<string, string | null>; seen?: readonly string[]; now?: number },
): Promise<any>;
