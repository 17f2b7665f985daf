// @ts-check
/** What changes a character: its name, its values, whose it is, whether it is there. */

import { useState } from "preact/hooks";

import { ask, system } from "../state/app.js";
import { say } from "../words/index.js";
import { knownRatings } from "./character.js";
import { html } from "./html.js";
import { carried, Later } from "./later.js";
import { plain } from "./names.js";
import { Answer, Dialog, Field, filled, sentence, useAction, valueTo } from "./parts.js";
import { isNarrator, seats, trackBounds, trackLabel } from "./shown.js";

/**
 * @import { CharacterSight } from "../urim.d.ts"
 * @typedef {{character: CharacterSight}} Of  whose it is
 */

/** A dialog for all of it. @param {Of & {close: () => void}} props */
export function Edit({ character, close }) {
  return html`
    <${Dialog} title=${sentence("character.edit-title", { name: character.name || character.id })} close=${close} wide>
      <${NameForm} character=${character} />
      ${isNarrator() && html`<${SetForm} character=${character} kind="track"
        names=${Object.keys(system.value?.tracks ?? {})} values=${character.tracks} />`}
      ${isNarrator() && html`<${SetForm} character=${character} kind="attribute"
        names=${knownRatings()} values=${character.attributes} />`}
      ${!isNarrator() && html`<p class="help">${say("character.narrator-sets")}</p>`}
      <${Later} load=${carried} view="Leaves" character=${character} />
      <${GiveForm} character=${character} />
      <${RemoveForm} character=${character} close=${close} />
    <//>`;
}

/** @param {Of} props */
function NameForm({ character }) {
  const [busy, answer, run] = useAction();
  return html`
    <form class="line" onSubmit=${(/** @type {Event} */ event) => {
      const { name = "" } = filled(event);
      run(() => ask({ do: "name/1", character: character.id }, name));
    }}>
      <${Field} label=${say("character.name")} name="name" required maxlength="200" dir="auto"
          defaultValue=${plain(character.name === character.id ? "" : character.name)} />
      <button aria-disabled=${busy}>${say("field.save")}</button>
      <${Answer} answer=${answer} />
    </form>`;
}

/**
 * Sets a track or a rating to a value: a narrator's.
 *
 * @param {Of & {kind: "track"|"attribute", names: string[], values: Record<string, number>}} props
 */
function SetForm({ character, kind, names, values }) {
  const [name, setName] = useState("");
  const [busy, answer, run] = useAction();
  const bounds = kind === "track" ? trackBounds(name) : { least: undefined, most: undefined };
  async function send(/** @type {Event} */ event) {
    const found = filled(event);
    const value = Number(found.value);
    await run(() => ask(kind === "track"
      ? { do: "set-track/1", character: character.id, track: name, value }
      : { do: "set-attribute/1", character: character.id, attribute: name, value }));
  }
  return html`
    <form class="line" onSubmit=${send}>
      ${kind === "track"
        ? html`
          <${Field} label=${say("character.set-track")} as="select" name="name" required value=${name} onChange=${valueTo(setName)}>
            <option value="">${say("field.choose")}</option>
            ${names.map((each) => html`<option value=${each}>${plain(trackLabel(each))}</option>`)}
          <//>`
        : html`
          <${Field} label=${say("character.set-attribute")} name="name" required maxlength="60" dir="auto" known=${names}
            value=${name} onInput=${valueTo(setName)} />`}
      <${Field} label=${say("character.value")} name="value" type="number" required class="short"
          step=${kind === "attribute" && system.value?.halves ? 0.5 : 1} min=${bounds.least ?? undefined}
          max=${bounds.most ?? undefined} key=${name} defaultValue=${values?.[name] ?? 0} />
      <button aria-disabled=${busy}>${say("field.set")}</button>
      <${Answer} answer=${answer} />
    </form>`;
}

/** @param {Of} props */
function GiveForm({ character }) {
  const [busy, answer, run] = useAction();
  const others = seats().filter((seat) => seat.here && seat.id !== character.seat && seat.role !== "witness");
  if (others.length === 0) return null;
  return html`
    <form class="line" onSubmit=${(/** @type {Event} */ event) => {
      const { seat = "" } = filled(event);
      run(() => ask({ do: "give/1", character: character.id, seat }));
    }}>
      <${Field} label=${say("character.give")} as="select" name="seat" required>
          ${others.map((seat) => html`<option value=${seat.id}>${plain(seat.name || seat.id)}</option>`)}
        <//>
      <button aria-disabled=${busy}>${say("character.give-do")}</button>
      <p class="help">${say("character.give-help")}</p>
      <${Answer} answer=${answer} />
    </form>`;
}

/** @param {Of & {close: () => void}} props */
function RemoveForm({ character, close }) {
  const [sure, setSure] = useState(false);
  const [busy, answer, run] = useAction();
  async function remove() {
    if (!sure) return setSure(true);
    const found = await run(() => ask({ do: "remove/1", character: character.id }));
    if (found?.type === "done") close();
  }
  return html`
    <div class="ends">
      <button type="button" class="danger" aria-disabled=${busy} onClick=${remove}>
        ${say(sure ? "character.remove-sure" : "character.remove")}</button>
      <${Answer} answer=${answer} />
    </div>`;
}
