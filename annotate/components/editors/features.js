// Names and values of features: an unknown name or value that resembles a known one is a typing error.

import { _ } from "./messages.js";

const LAYER = /\[[^\]]*\]$/; // the layer of a name such as Number[psor]

/** Return why features are refused, such as “Numbr=Sing: Number?”; empty if they are valid. `known`: values by name. */
export function misspelled(typed, known) {
  for (const item of typed.split("|").filter((one) => one.includes("="))) {
    const [name, values] = item.split("=");
    const plain = name.replace(LAYER, "");
    const meant = known[plain] ? values.split(",").map((value) => valueMeant(value, known[plain])).find(Boolean) : nameMeant(plain, Object.keys(known));
    if (meant) return _("{item}: {meant}?", { item, meant: known[plain] ? `${plain}=${meant}` : meant });
  }
  return "";
}

/** Return the names of features that no list contains. */
export const unlisted = (typed, known) => typed.split("|").map((item) => item.split("=")[0]).filter((name) => name && !known[name.replace(LAYER, "")]);

/** Return the known name that an unknown name probably means: one letter in five may be missing, added or wrong. */
const nameMeant = (name, names) => names.find((other) => distance(name.toLowerCase(), other.toLowerCase()) <= Math.max(1, other.length / 5));

/** Return the known value that is typed in other case or spelled out: sing, Singular. */
function valueMeant(value, values) {
  const meant = (other) => other.length > 2 && value.toLowerCase().startsWith(other.toLowerCase()) && !/\p{Lu}/u.test(value.slice(other.length));
  return values.includes(value) ? null : values.find(meant);
}

/** Return the edit distance of two words: insertions, deletions and replacements of letters. */
function distance(one, other) {
  let row = Array.from({ length: other.length + 1 }, (_, place) => place);
  for (const [at, letter] of [...one].entries())
    row = [...other].reduce((made, last, place) => [...made, Math.min(made[place] + 1, row[place + 1] + 1, row[place] + (letter === last ? 0 : 1))], [at + 1]);
  return row.at(-1);
}
