// @ts-check
/** Physical dice: what they show is typed in, die by die. */

import { sight } from "../state/app.js";
import { say } from "../words/index.js";
import { slots, typedFaces } from "./commands.js";
import { Face } from "./die.js";
import { useDraft } from "./drafted.js";
import { html } from "./html.js";
import { facesOf, kindOf } from "./kinds.js";

/** Sources of dice whose faces come with the throw. */
const TYPED = ["manual", "scripted"];

/** Whether the faces of this table's dice are typed in. */
export const canType = () => TYPED.includes(sight.value?.dice ?? "");

/** Faces of a die that are a list to open, at most; letters always are. */
const LISTED = 12;

/** @type {string[]} */
const NONE = [];

/**
 * One input a die. `act` gets the faces once all of them are there.
 *
 * @param {{draftKey: string, kinds: string[], ids?: string[], again: readonly (number|string)[], send: string,
 *   busy: boolean, act: (faces: (number|string)[]) => void}} props
 */
export function Typing({ draftKey, kinds, ids = [], again, send, busy, act }) {
  const drafted = useDraft(draftKey, NONE);
  const typed = drafted.value;
  const places = slots(kinds, again, typed);
  const faces = typedFaces(typed, places.map(({ kind }) => facesOf(kind)));
  const put = (/** @type {number} */ at, /** @type {string} */ face) =>
    drafted.set(places.map((_, each) => (each === at ? face : typed[each] ?? "")), true);
  /** @param {Event} event */
  function submit(event) {
    event.preventDefault();
    if (faces) act(faces);
  }
  return html`
    <form class="typing" onSubmit=${submit}>
      <p class="help">${say("typed.help")}</p>
      <ol class="dice">
        ${places.map(({ kind, die }, at) => html`
          <li class="held" key=${at}>
            <${Slot} kind=${kind} name=${say("typed.face", { die: ids[die - 1]?.replace(/^d/, "") ?? die, kind: kindOf(kind).label })}
              face=${typed[at] ?? ""} put=${(/** @type {string} */ face) => put(at, face)} />
          </li>`)}
      </ol>
      <div class="acts">
        <button type="submit" class="main" aria-disabled=${busy} disabled=${!faces}>${send}</button>
        ${drafted.undoable && html`<button type="button" class="plain" onClick=${drafted.clear}>${say("form.clear")}</button>`}
      </div>
    </form>`;
}

/** @param {{kind: string, name: string, face: string, put: (face: string) => void}} props */
function Slot({ kind, name, face, put }) {
  const as = kindOf(kind);
  const known = as.faces ?? [];
  const listed = known.length > 0 && (known.length <= LISTED || typeof known[0] === "string");
  const take = (/** @type {Event} */ event) => put(/** @type {HTMLInputElement} */ (event.currentTarget).value);
  const input = listed
    ? html`<select aria-label=${name} value=${face} onChange=${take}>
        <option value="">–</option>
        ${[...new Set(known.map(String))].map((each) => html`<option key=${each} value=${each}>${each}</option>`)}
      </select>`
    : html`<input type="text" inputmode="numeric" dir="ltr" autocomplete="off" maxlength="5" aria-label=${name} value=${face} onInput=${take} />`;
  return html`<${Face} kind=${kind} as=${as} face=${face || null} />${input}`;
}
