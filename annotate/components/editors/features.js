// Names and values of features: what resembles a known one, and is none, is a slip of the hand.

import { _ } from "./messages.js";

const LAYER = /\[[^\]]*\]$/; // of a name such as Number[psor]

/** Why features cannot be taken, such as “Numbr=Sing: Number?”; nothing where they can. `known` are the values by name. */
export function misspelled(typed, known) {
  for (const item of typed.split("|").filter((one) => one.includes("="))) {
    const [name, values] = item.split("=");
    const plain = name.replace(LAYER, "");
    const meant = known[plain] ? values.split(",").map((value) => valueMeant(value, known[plain])).find(Boolean) : nameMeant(plain, Object.keys(known));
    if (meant) return _("{item}: {meant}?", { item, meant: known[plain] ? `${plain}=${meant}` : meant });
  }
  return "";
}

/** The names of features that are on no list. */
export const unlisted = (typed, known) => typed.split("|").map((item) => item.split("=")[0]).filter((name) => name && !known[name.replace(LAYER, "")]);

/** The name that was meant by one that is none: letters may be missing, too many or wrong, one in five of them. */
const nameMeant = (name, names) => names.find((other) => distance(name.toLowerCase(), other.toLowerCase()) <= Math.max(1, other.length / 5));

/** The value that was meant by its name in other letters, or spelled out: sing, Singular. */
function valueMeant(value, values) {
  const meant = (other) => other.length > 2 && value.toLowerCase().startsWith(other.toLowerCase()) && !/\p{Lu}/u.test(value.slice(other.length));
  return values.includes(value) ? null : values.find(meant);
}

/** How many letters have to be added, taken away or replaced to make one word of another. */
function distance(one, other) {
  let row = Array.from({ length: other.length + 1 }, (_, place) => place);
  for (const [at, letter] of [...one].entries())
    row = [...other].reduce((made, last, place) => [...made, Math.min(made[place] + 1, row[place + 1] + 1, row[place] + (letter !== last))], [at + 1]);
  return row.at(-1);
}
