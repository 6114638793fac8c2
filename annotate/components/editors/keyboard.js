// Keys: their names, on all keyboards, and how they are drawn.

import { h } from "./dom.js";

/** Return whether a key belongs to an input method, which composes letters from several keys; Safari shows this by code 229 only. */
export const composing = (event) => event.isComposing || event.keyCode === 229;

/** Return whether AltGr (on a Mac, Option) was held for a character; Windows reports Ctrl and Alt. */
const raised = ({ key, altKey }) => altKey && /^[^\p{L}\p{N}\s]$/u.test(key);

/** Return whether an event is the key with a name such as "Ctrl+Enter", "Shift+A" or "n". */
export function pressed(event, name) {
  if (raised(event) && event.key === name) return true;
  const parts = name.split(/\+(?=.)/);
  const key = parts.pop();
  const has = (modifier) => parts.includes(modifier);
  if ((event.ctrlKey || event.metaKey) !== has("Ctrl") || event.altKey !== has("Alt")) return false;
  if (event.shiftKey !== has("Shift") && (key.length > 1 || has("Shift"))) return false; // a character may itself need Shift
  const sign = signOf(event);
  return sign === key || (has("Shift") && sign.toUpperCase() === key);
}

/** Return the character of a key; on keyboards of other scripts, with Alt and with Caps Lock, that of a Latin keyboard. */
function signOf({ key, code, altKey, shiftKey }) {
  if (key.length > 1) return key;
  const latin = /^(?:Key|Digit)(.)$/.exec(code ?? "")?.[1];
  if (latin && (altKey || key > "~")) return shiftKey ? latin : latin.toLowerCase();
  return shiftKey ? key : key.toLowerCase();
}

/** Return the name of the key of an event, see `pressed`. */
export function keyName(event) {
  if (raised(event)) return event.key;
  const { ctrlKey, metaKey, altKey, shiftKey } = event;
  const key = signOf(event);
  const shift = shiftKey && (key.length > 1 || key !== key.toLowerCase());
  return [ctrlKey || metaKey ? "Ctrl" : "", altKey ? "Alt" : "", shift ? "Shift" : "", key].filter(Boolean).join("+");
}

const NAMES = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", " ": "Space" };

export function caps(name) {
  return name.split(/\+(?=.)/).map((part) => h("kbd", {}, NAMES[part] ?? part));
}

/** Draw a label with its key as a button. */
export function labelButton(session, { name, key, definition = "", example = "" }, onclick, attributes = {}, ...more) {
  const title = [definition, example].filter(Boolean).join("\n");
  const all = { type: "button", tabindex: "-1", class: "choice", title, onclick, ...attributes };
  return h("button", all, key ? h("kbd", {}, session.keyOf(key)) : null, name, ...more);
}

/** Return the labels with their keys: their own keys, else numbers. */
export function numbered({ data }) {
  return data.labels.map((label, place) => ({ ...label, key: label.key || (place < 9 ? String(place + 1) : "") }));
}
