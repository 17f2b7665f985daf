// @ts-check
// The page itself, kept for reading offline. Only where the browser lets it: over https, or on the
// machine that serves.

/** Where its files are kept in the browser. `sw.js` has the same name. */
const CACHE = "urim-shell";

/** Keep the files that this page is made of, and have `sw.js` give them where there is no network. */
export async function keepShell() {
  const worker = globalThis.navigator?.serviceWorker;
  if (!worker || !globalThis.caches) return;
  try {
    await worker.register("/web/sw.js", { scope: "/" });
    const loaded = performance.getEntriesByType("resource").map(({ name }) => new URL(name));
    const own = loaded.filter(({ origin, pathname }) => origin === location.origin && pathname.startsWith("/web/"));
    const cache = await caches.open(CACHE);
    // One by one, so that the page goes on, and the page itself once all that it needs is kept. What
    // was just loaded is not fetched again.
    for (const path of [...new Set(own.map(({ pathname }) => pathname)), "/"]) {
      await cache.add(new Request(path, { cache: "force-cache" }));
    }
  } catch {
    // The browser keeps nothing: the page is there as long as its server is.
  }
}
