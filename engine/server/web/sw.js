// @ts-check
// Gives the page where there is no network: always the newest where there is one.

const CACHE = "urim-shell";

/** A service worker's own scope, which the types of a page do not know. @type {any} */
const here = globalThis;

here.addEventListener("install", () => here.skipWaiting());
here.addEventListener("activate", (/** @type {any} */ event) => event.waitUntil(here.clients.claim()));
here.addEventListener("fetch", (/** @type {any} */ event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  const ours = origin === location.origin && (pathname === "/" || pathname.startsWith("/web/"));
  if (request.method === "GET" && ours) event.respondWith(newest(request, pathname));
});
here.addEventListener("message", (/** @type {any} */ event) => event.waitUntil(keep(event.data)));

/** Keep these files, one by one, here, where the page is not held up. @param {string[]} paths */
async function keep(paths) {
  const cache = await caches.open(CACHE);
  // The page itself comes last, once all that it needs is kept. What was just loaded is not fetched again.
  for (const path of paths) await cache.add(new Request(path, { cache: "force-cache" }));
}

/** From the server, or what was kept. @param {Request} request @param {string} path */
async function newest(request, path) {
  try {
    const response = await fetch(request);
    if (response.ok) await (await caches.open(CACHE)).put(path, response.clone());
    return response;
  } catch (error) {
    const kept = await (await caches.open(CACHE)).match(path);
    if (kept) return kept;
    throw error;
  }
}
