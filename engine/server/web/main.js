// @ts-check
// The start: the page is put into the document, then the table is taken up.

import { h, render } from "preact";

import { ask, begin, draft, sleep, throwDice, wake } from "./state/app.js";
import { keepShell } from "./state/shell.js";
import { goOn } from "./state/steps.js";
import { App } from "./views/app.js";
import { keepPressed } from "./views/pressed.js";

/** Milliseconds after which the page is kept for reading offline: what is needed to play comes first. */
const AFTER = 2000;

const root = document.getElementById("root") ?? document.body;
root.replaceChildren(); // what stood there while the page was loading

keepPressed();
// Once: ids of fields are counted from the root, and would come twice under another one.
render(h(App, {}), root);

document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && wake());
addEventListener("pageshow", (event) => event.persisted && wake());
addEventListener("online", wake);
addEventListener("offline", sleep);
addEventListener("hashchange", () => void begin());

void begin();
if (window.parent !== window) void import("./state/frame.js").then((frame) => frame.begin());
goOn({ ask, draft, throwDice });
setTimeout(keepShell, AFTER);
