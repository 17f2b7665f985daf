// @ts-check
/** How the page looks and speaks, and its keys. */

import { useEffect } from "preact/hooks";

import { choose, language, leave, motion, place, speak, stepwise, theme, toStart } from "../state/app.js";
import { say } from "../words/index.js";
import { html } from "./html.js";
import { hooks, Later } from "./later.js";
import { Answer, Choices, Dialog, useAction } from "./parts.js";

const THEMES = ["auto", "light", "dark", "contrast"];

/** Each language in its own words. */
const LANGUAGES = { en: "English", he: "עברית" };

/**
 * Keys of the page, by the place of the key: the same on every layout; signs by what they write.
 *
 * @type {Record<string, [string, string]>}
 */
export const KEYS = {
  KeyR: ["R", "keys.rolls"],
  KeyP: ["P", "keys.people"],
  KeyT: ["T", "keys.timeline"],
  KeyS: ["S", "keys.seal"],
  KeyN: ["N", "keys.now"],
  "/": ["/", "keys.line"],
  "?": ["?", "keys.help"],
};

/** The document's language, direction, theme and motion follow the settings. */
export function Document() {
  useEffect(() => {
    const root = document.documentElement;
    root.lang = language.value;
    root.dir = language.value === "he" ? "rtl" : "ltr";
    root.dataset.theme = theme.value;
    root.dataset.motion = motion.value;
  }, [language.value, theme.value, motion.value]);
  return null;
}

/** The window with the settings. @param {{close: () => void}} props */
export function Settings({ close }) {
  const [busy, answer, run] = useAction();
  async function giveUp() {
    const found = await run(leave);
    if (found.type === "done") close();
  }
  return html`
    <${Dialog} title=${say("settings.title")} close=${close}>
      <${Choices} legend=${say("settings.language")} name="language" value=${language.value}
        set=${speak}
        choices=${Object.entries(LANGUAGES).map(([value, label]) => [value, html`<span lang=${value}>${label}</span>`])} />
      <${Choices} legend=${say("settings.theme")} name="theme" value=${theme.value}
        set=${(/** @type {string} */ value) => choose("theme", value)}
        choices=${THEMES.map((value) => [value, say(`theme.${value}`)])} />
      <${Choices} legend=${say("settings.motion")} name="motion" value=${motion.value}
        set=${(/** @type {string} */ value) => choose("motion", value)}
        choices=${["auto", "none"].map((value) => [value, say(`motion.${value}`)])} />
      <${Choices} legend=${say("settings.steps")} name="steps" value=${stepwise.value ? "each" : "alone"}
        set=${(/** @type {string} */ value) => choose("stepwise", value === "each")}
        choices=${["alone", "each"].map((value) => [value, say(`steps.${value}`), say(`steps.${value}.help`)])} />
      ${place.value.name !== "start" && html`
        <${Later} load=${hooks} view="Hooks" />
        <h3>${say("settings.leave-title")}</h3>
        <p class="help">${say("settings.leave-help")}</p>
        <${Answer} answer=${answer} />
        <p class="ends">
          <button type="button" onClick=${() => (close(), toStart())}>${say("settings.tables")}</button>
          <button type="button" class="danger" aria-disabled=${busy} onClick=${giveUp}>${say("settings.leave")}</button>
        </p>`}
    <//>`;
}

/** The window with the keys. @param {{close: () => void}} props */
export function Shortcuts({ close }) {
  return html`
    <${Dialog} title=${say("keys.title")} close=${close}>
      <dl class="shortcuts">${Object.values(KEYS).map(([key, words]) => html`
        <div key=${key}><dt><kbd>${key}</kbd></dt><dd>${say(words)}</dd></div>`)}
        <div><dt><kbd>Tab</kbd></dt><dd>${say("keys.tab")}</dd></div>
        <div><dt><kbd>Esc</kbd></dt><dd>${say("keys.escape")}</dd></div>
      </dl>
      <p class="help">${say("keys.where")}</p>
    <//>`;
}
