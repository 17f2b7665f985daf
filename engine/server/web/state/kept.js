// @ts-check
// What the browser keeps: who one is at each table, entries, heads, shares, nonces, half-typed forms.
//
// Small values are in localStorage, entries in IndexedDB. Where the browser keeps nothing (a private
// window, a full disk) all is kept in memory, until the page is closed: `lasting` says so.

/** @import { EntryLine } from "../urim" */

/**
 * A seat at a table, as it is kept. `head` is the newest signed head that was checked; `name` what the
 * person is called, `used` when the seat was last used, in milliseconds since 1970.
 *
 * A page's is of its own origin; `origin` is kept where there is no page.
 *
 * @typedef {{table: string, seat: string, role: string, token: string, key: string, origin?: string, name?: string, title?: string,
 *   system?: string, head?: string|null, used?: number}} KeptSeat
 */

/** @typedef {{getItem(key: string): string|null, setItem(key: string, value: string): void, removeItem(key: string): void}} Storage */

const PREFIX = "urim/";
const SEATS = "seats";
const DATABASE = "urim";
const STORE = "entries";

/**
 * What is kept, on this browser's own stores or on those that are given.
 *
 * @param {{storage?: Storage|null, database?: IDBFactory|null}} [stores]
 */
export function keeper({ storage = browserStorage(), database = globalThis.indexedDB ?? null } = {}) {
  /** @type {Map<string, string>} */
  const memory = new Map();
  const entries = database ? inDatabase(database) : inMemory();

  /** @param {string} key @returns {any} the value that was kept; null for none or a broken one */
  function value(key) {
    try {
      const text = memory.get(key) ?? storage?.getItem(PREFIX + key) ?? null;
      return text === null ? null : JSON.parse(text);
    } catch {
      return null;
    }
  }

  /** @param {string} key @param {unknown} given  null takes it away @returns {boolean} whether it lasts */
  function keep(key, given) {
    const text = JSON.stringify(given);
    try {
      if (storage === null) throw new Error("nothing is kept here");
      if (given === null) storage.removeItem(PREFIX + key);
      else storage.setItem(PREFIX + key, text);
      memory.delete(key);
      return true;
    } catch {
      memory.set(key, text);
      return false;
    }
  }

  /** @returns {KeptSeat[]} those that are kept, the last used first */
  function seats() {
    const found = value(SEATS);
    return Array.isArray(found) ? found : [];
  }

  /** @param {KeptSeat} seat  takes the place of the same seat's */
  function keepSeat(seat) {
    keep(SEATS, [seat, ...seats().filter((each) => keyOf(each) !== keyOf(seat))]);
  }

  /** Forget a seat, with its entries. @param {KeptSeat} seat */
  async function forget(seat) {
    keep(SEATS, seats().filter((each) => keyOf(each) !== keyOf(seat)));
    await entries.drop(keyOf(seat));
  }

  return { value, keep, seats, keepSeat, forget, entries, lasting: storage !== null };
}

/** @typedef {ReturnType<typeof keeper>} Keeper */

/** Under what a seat's things are kept. @param {{table: string, seat: string}} seat */
export const keyOf = ({ table, seat }) => `${table}/${seat}`;

/** @returns {Storage|null} */
function browserStorage() {
  try {
    return globalThis.localStorage ?? null; // only to look at it may be refused
  } catch {
    return null;
  }
}

/**
 * @typedef {object} Entries
 * @property {(key: string) => Promise<EntryLine[]>} all  by `seq`, up to the first that is missing
 * @property {(key: string, lines: readonly EntryLine[]) => Promise<void>} put
 * @property {(key: string) => Promise<void>} drop
 */

/** @returns {Entries} */
function inMemory() {
  /** @type {Map<string, Map<number, EntryLine>>} */
  const kept = new Map();
  return {
    all: async (key) => unbroken([...(kept.get(key)?.values() ?? [])]),
    put: async (key, lines) => {
      const own = kept.get(key) ?? new Map();
      for (const line of lines) own.set(line.seq, line);
      kept.set(key, own);
    },
    drop: async (key) => void kept.delete(key),
  };
}

/** Where the database fails, memory does. @param {IDBFactory} factory @returns {Entries} */
function inDatabase(factory) {
  const memory = inMemory();
  /** @type {Promise<IDBDatabase>|null} */
  let opening = null;
  const opened = () => (opening ??= open(factory));
  const range = (/** @type {string} */ key) => IDBKeyRange.bound([key, 0], [key, Infinity]);

  /**
   * @template T
   * @param {IDBTransactionMode} mode
   * @param {(store: IDBObjectStore) => IDBRequest<T>|null} work
   * @returns {Promise<T|undefined>}
   */
  async function within(mode, work) {
    const database = await opened();
    return new Promise((resolve, reject) => {
      const transaction = database.transaction(STORE, mode);
      const request = work(transaction.objectStore(STORE));
      transaction.oncomplete = () => resolve(request?.result);
      transaction.onabort = transaction.onerror = () => reject(transaction.error);
    });
  }

  return {
    all: async (key) => {
      try {
        const found = await within("readonly", (store) => store.getAll(range(key)));
        return unbroken([...(found ?? []).map((each) => each.line), ...(await memory.all(key))]);
      } catch {
        return memory.all(key);
      }
    },
    put: async (key, lines) => {
      try {
        await within("readwrite", (store) => {
          for (const line of lines) store.put({ key, seq: line.seq, line });
          return null;
        });
      } catch {
        await memory.put(key, lines);
      }
    },
    drop: async (key) => {
      await memory.drop(key);
      await within("readwrite", (store) => store.delete(range(key))).catch(() => undefined);
    },
  };
}

/** @param {IDBFactory} factory @returns {Promise<IDBDatabase>} */
function open(factory) {
  return new Promise((resolve, reject) => {
    const request = factory.open(DATABASE, 1);
    request.onupgradeneeded = () =>
      request.result.createObjectStore(STORE, { keyPath: ["key", "seq"] });
    request.onsuccess = () => resolve(request.result);
    request.onerror = request.onblocked = () => reject(request.error ?? new Error("blocked"));
  });
}

/** The entries from the first one on, without a gap. @param {EntryLine[]} lines */
function unbroken(lines) {
  const sorted = lines.toSorted((one, other) => one.seq - other.seq);
  const gap = sorted.findIndex((line, place) => line.seq !== place);
  return gap < 0 ? sorted : sorted.slice(0, gap);
}
