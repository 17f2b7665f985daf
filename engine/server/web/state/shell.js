// @ts-check
// The page itself, kept for reading offline. Only where the browser lets it: over https, or on the
// machine that serves.

/** Have `sw.js` keep the files that this page is made of, and give them where there is no network. */
export async function keepShell() {
  const worker = globalThis.navigator?.serviceWorker;
  if (!worker || !globalThis.caches) return;
  try {
    await worker.register("/web/sw.js", { scope: "/" });
    const loaded = performance.getEntriesByType("resource").map(({ name }) => new URL(name));
    const own = loaded.filter(({ origin, pathname }) => origin === location.origin && pathname.startsWith("/web/"));
    const { active } = await worker.ready;
    active?.postMessage([...new Set(own.map(({ pathname }) => pathname)), "/"]);
  } catch {
    // The browser keeps nothing: the page is there as long as its server is.
  }
}
