// Pieces of the page that its parts share.

/** An element with attributes and children; text is text, never markup. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null) made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

/** Take everything out of an element. */
export const clear = (from) => from.replaceChildren();

/** Show an element, or hide it from everybody. */
export function shown(what, visible) {
  what.hidden = !visible;
}

const UNITS = ["bytes", "KiB", "MiB", "GiB"];

/** A file's size for people. */
export function size(bytes) {
  let unit = 0;
  while (bytes >= 1024 && unit < UNITS.length - 1) [bytes, unit] = [bytes / 1024, unit + 1];
  return `${unit === 0 ? bytes : bytes.toFixed(1)} ${UNITS[unit]}`;
}
