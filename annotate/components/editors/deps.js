// DEPS as in CoNLL-U, `4:nsubj|8.1:conj`, with "=" for the arc of the tree: see enhanced.js. Empty nodes are a column of words:
// the CoNLL-U lines of the nodes that stand after a word, "_" for none; those before the first word are in its value too.

import { OPEN } from "./alignment.js";

export const TREE = "=";
const CELLS = ["id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc"];

export const arcsIn = (column) => column.split("|").filter((arc) => arc && arc !== OPEN);
export const headOf = (arc) => arc.split(":", 1)[0];
export const relationOf = (arc) => arc.slice(headOf(arc).length + 1);
export const wordBefore = ({ id }) => Number(id.split(".", 1)[0]);

const place = (id) => id.split(".").map(Number);
const byPlace = (one, other) => place(one)[0] - place(other)[0] || (place(one)[1] ?? 0) - (place(other)[1] ?? 0);

/** Sort arcs by their heads, as UD requires. */
export const inOrder = (one, other) => byPlace(headOf(one), headOf(other)) || (one < other ? -1 : 1);

/** Return the empty nodes of a column. */
export function nodesIn(column) {
  const lines = column.flatMap((value) => (value && value !== OPEN ? value.split("\n") : []));
  return lines.map((line) => Object.fromEntries(line.split("\t").map((cell, at) => [CELLS[at], cell])));
}

/** Return the column of a number of words with empty nodes; cells that a node lacks are "_". */
export function nodeColumn(nodes, count) {
  const column = Array.from({ length: count }, () => []);
  for (const node of [...nodes].sort((one, other) => byPlace(one.id, other.id)))
    column[Math.max(wordBefore(node) - 1, 0)].push(CELLS.map((cell) => node[cell] || OPEN).join("\t"));
  return column.map((lines) => lines.join("\n") || OPEN);
}

/** Return the new id of each empty node by its old id; `after`: the word after which a node stands, null if it is gone. */
export function newIds(nodes, after) {
  const [counts, ids] = [{}, {}];
  for (const [id, word] of nodes.map((node) => [node.id, after(node)]).filter(([, word]) => word !== null)) {
    counts[word] = (counts[word] ?? 0) + 1;
    ids[id] = `${word}.${counts[word]}`;
  }
  return ids;
}

/** Return the new ids of words and empty nodes after a change of words; null for those that no longer exist. */
export function moving(to, count, nodes = []) {
  const after = (word) => (word === 0 ? 0 : (to[word - 1] ?? null) === null ? null : Math.max(to[word] ?? count, to[word - 1] + 1));
  const ids = newIds(nodes, (node) => after(wordBefore(node)));
  return (id) => {
    const [word, node] = place(id);
    if (node) return ids[id] ?? (after(word) === null ? null : `${after(word)}.${node}`);
    return word ? ((to[word - 1] ?? null) === null ? null : String(to[word - 1] + 1)) : id;
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

/** Return empty nodes with new ids, without those that no longer exist. */
export const renamedNodes = (nodes, moved) =>
  nodes.filter(({ id }) => moved(id) !== null).map((node) => ({ ...node, id: moved(node.id), deps: renamed(node.deps, moved) }));

/** Return the ids of words and empty nodes after a number of words is inserted before them. */
export function behind(words, nodes) {
  return (id) => {
    const [word, node] = place(id);
    if (node) return `${word + words}.${word ? node : node + nodes}`;
    return id === "0" ? id : String(word + words);
  };
}

/** Return the empty nodes of two sentences that become one; those before the second stand after the last word of the first. */
export const joinedNodes = (first, second, moved) => nodeColumn([...nodesIn(first), ...renamedNodes(nodesIn(second), moved)], first.length + second.length);

/** Return changed DEPS and empty nodes on other words, see `links`. */
export function movedDeps({ deps, nodes }, from, to) {
  const all = nodesIn(nodes ?? []);
  const moved = moving(to, from.length, all);
  const made = {};
  if (deps) made.deps = from.map((word) => (deps[word] ? renamed(deps[word], moved) : null));
  if (nodes) {
    const changed = new Set(nodes.flatMap((value, word) => (value === null ? [] : [moved(`${word + 1}.1`)])).filter(Boolean).map((id) => place(id)[0] - 1));
    if (nodes[0] !== null) changed.add(0);
    made.nodes = nodeColumn(renamedNodes(all, moved), from.length).map((value, word) => (changed.has(word) ? value : null));
  }
  return made;
}
