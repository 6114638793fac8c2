// DEPS as in CoNLL-U, `4:nsubj|8.1:conj`, with "=" for the arc of the tree: see enhanced.js.

import { OPEN } from "./alignment.js";

export const TREE = "=";

export const arcsIn = (column) => column.split("|").filter((arc) => arc && arc !== OPEN);
export const headOf = (arc) => arc.split(":", 1)[0];
export const relationOf = (arc) => arc.slice(headOf(arc).length + 1);

const place = (arc) => headOf(arc).split(".").map(Number);

/** Sort arcs by their heads, as UD requires. */
export const inOrder = (one, other) => place(one)[0] - place(other)[0] || (place(one)[1] ?? 0) - (place(other)[1] ?? 0) || (one < other ? -1 : 1);

/** Return the new ids of words and empty nodes after a change of words; null for those that no longer exist. */
export function moving(to, count) {
  return (id) => {
    const [word, node] = id.split(".");
    if (node) return `${Number(word) ? Math.max((to[word] ?? count), (to[word - 1] ?? -1) + 1) : 0}.${node}`;
    return Number(word) ? (to[word - 1] ?? null) === null ? null : String(to[word - 1] + 1) : word;
  };
}

/** Return arcs with new ids, without arcs from words that no longer exist. */
export function renamed(column, moved) {
  const arcs = arcsIn(column).flatMap((arc) => {
    const head = headOf(arc) === TREE ? TREE : moved(headOf(arc));
    return head === null ? [] : [head + arc.slice(headOf(arc).length)];
  });
  return arcs.join("|") || OPEN;
}

/** Return the ids of words and empty nodes after a number of words is inserted before them. */
export function behind(words, nodes) {
  return (id) => {
    const [word, node] = id.split(".").map(Number);
    if (node) return `${word + words}.${word ? node : node + nodes}`;
    return id === "0" ? id : String(word + words);
  };
}

/** Return changed DEPS on other words, see `links`. */
export function movedDeps({ deps }, from, to) {
  const moved = moving(to, from.length);
  return from.map((word) => (deps[word] ? renamed(deps[word], moved) : null));
}
