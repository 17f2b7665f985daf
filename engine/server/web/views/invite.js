// @ts-check
/** Invitations: a link for each role, as text to be copied and as a QR code for a phone beside it. */

import { useEffect, useRef, useState } from "preact/hooks";

import { invite, listed, live } from "../state/app.js";
import { say } from "../words/index.js";
import { html } from "./html.js";
import { Name, plain } from "./names.js";
import { Answer, Choices, Copy, Dialog, Field, filled, useAction, valueTo } from "./parts.js";

/**
 * @import { Link } from "../urim.d.ts"
 * @typedef {{links: readonly Link[], id: string, role: string, name: string, left: number}} Made  it opens so many times yet
 */

/** Whom a narrator may invite. */
const ROLES = /** @type {const} */ (["player", "narrator", "witness"]);

/** People that one link may bring in, at most. */
const USES = 12;

/** Names by which a machine calls itself, and no other finds it. */
const LOCAL = new Set(["127.0.0.1", "localhost", "[::1]"]);

/** The window that makes invitations. @param {{close: () => void}} props */
export function Invite({ close }) {
  return html`<${Dialog} title=${say("invite.title")} close=${close}><${Inviting} /><//>`;
}

/** The form itself, and the links that it made, newest first. */
export function Inviting() {
  const [role, setRole] = useState(/** @type {(typeof ROLES)[number]} */ ("player"));
  const [made, setMade] = useState(/** @type {Made[]} */ ([]));
  const [busy, answer, run] = useAction();
  const { size } = live.value;
  useEffect(() => { // somebody who came in may have used one
    if (!made.length) return;
    void listed("invitations", {}).then((found) => {
      const left = (/** @type {string} */ id) => found.invitations.find((/** @type {{id: string}} */ each) => each.id === id)?.left ?? 0;
      if (found) setMade((all) => all.map((each) => (made.some(({ id }) => id === each.id) ? { ...each, left: Math.min(each.left, left(each.id)) } : each)));
    });
  }, [made.length, size]);
  async function send(/** @type {Event} */ event) {
    const { name = "", uses } = filled(event);
    const found = await run(() => invite({ role, name, uses: Number(uses) }));
    if (found?.type === "done") setMade((all) => [{ links: found.links, id: found.id, role, name, left: Number(uses) }, ...all]);
  }
  return html`
    <form onSubmit=${send}>
      <${Choices} legend=${say("invite.role")} name="role" value=${role} set=${setRole}
        choices=${ROLES.map((each) => [each, say(`role.${each}`), say(`role.${each}-help`)])} />
      <div class="line">
        <${Field} label=${say("invite.for")} help=${say("invite.for-help")} name="name" maxlength="60" dir="auto" />
        <${Field} label=${say("invite.uses")} name="uses" type="number" class="short" min="1" max=${USES} defaultValue="1" />
      </div>
      <${Answer} answer=${answer} />
      <p class="ends"><button class="main" aria-disabled=${busy}>${say("invite.make")}</button></p>
    </form>
    ${made.map((each) => html`<${Invitation} key=${each.links[0]?.url} ...${each} />`)}`;
}

/** One invitation, which takes the focus. Its link is a secret: who has it may come in, as whom it names. @param {Made} props */
function Invitation({ links, role, name, left }) {
  const [at, setAt] = useState(0);
  const own = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => own.current?.focus(), []);
  const chosen = links[at];
  if (!chosen) return null;
  const whom = html`<p><strong>${say(`role.${role}`)}</strong>${name && html` · <${Name} text=${name} />`}</p>`;
  if (!left) return html`<article class="invitation"><div>${whom}<p class="help">${say("invite.used")}</p></div></article>`;
  const { url, qr } = chosen;
  return html`
    <article ref=${own} tabindex="-1" class="invitation" aria-label=${say("invite.link", { role: say(`role.${role}`), name: plain(name) })}>
      <${Code} qr=${qr} />
      <div>
        ${whom}
        ${links.length > 1 && html`
          <${Field} label=${say("invite.address")} help=${say("invite.address-help")} as="select" value=${String(at)} dir="ltr"
              onChange=${valueTo((place) => setAt(Number(place)))}>
              ${links.map((each, index) => html`<option value=${String(index)}>${new URL(each.url).host}</option>`)}
            <//>`}
        <p><code class="link" dir="ltr">${url}</code></p>
        <p><${Copy} key=${url} text=${url} /></p>
        <p class="help">${say("invite.secret", { n: left })}</p>
        ${LOCAL.has(new URL(url).hostname) && html`<p class="note">${say("invite.local", { option: "urim play --lan" })}</p>`}
      </div>
    </article>`;
}

/** Squares round a QR code that stay empty. */
const QUIET = 4;

/** A QR code, black on white in every theme, for cameras. @param {{qr: {size: number, path: string}}} props */
function Code({ qr }) {
  const whole = qr.size + 2 * QUIET;
  return html`
    <svg class="qr" viewBox="${-QUIET} ${-QUIET} ${whole} ${whole}" role="img" aria-label=${say("invite.qr")}
      shape-rendering="crispEdges">
      <rect x=${-QUIET} y=${-QUIET} width=${whole} height=${whole} fill="#fff"></rect>
      <path d=${qr.path} fill="#000"></path>
    </svg>`;
}
