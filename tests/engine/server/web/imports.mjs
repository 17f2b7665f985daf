// The import map of the page, for Node: `node --import ./imports.mjs`.

import { registerHooks } from "node:module";

const engine = new URL("../../../../engine/", import.meta.url);
const vendored = {
  "@preact/signals-core": "signals-core.mjs",
  htm: "htm.mjs",
  preact: "preact.mjs",
  "preact/hooks": "hooks.mjs",
};

registerHooks({
  resolve(specifier, context, next) {
    if (Object.hasOwn(vendored, specifier)) {
      return next(new URL(`server/web/vendor/${vendored[specifier]}`, engine).href, context);
    }
    if (specifier.startsWith("verifier/")) {
      return next(new URL(`verifier/${specifier.slice("verifier/".length)}`, engine).href, context);
    }
    return next(specifier, context);
  },
});
