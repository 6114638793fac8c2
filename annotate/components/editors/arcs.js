// The arcs of a dependency tree: their levels, cycles and crossings.
//
// An arc is {word, head, label, kind, sure}. Places count from 0; the head of the root is -1. `kind` is "sure", "unnamed" if
// only the head is confirmed, "guess", "version", or "further" if it is not in the tree, and may add "odd" or "wrong". `sure` is
// the model's probability.

import { h } from "./dom.js";
import { fade } from "./words.js";

/** Return the level of each arc, from 1: above all arcs that it spans, and never on the line of another arc. */
export function levels(arcs) {
  const found = new Map();
  const span = ({ word, head }) => [Math.min(word, head), Math.max(word, head)];
  const wide = (arc) => span(arc)[1] - span(arc)[0];
  for (const arc of arcs.filter(({ head }) => head >= 0).sort((a, b) => wide(a) - wide(b))) {
    const [low, high] = span(arc);
    const below = [...found].filter(([other]) => span(other)[0] < high && span(other)[1] > low);
    found.set(arc, 1 + Math.max(0, ...below.map(([, level]) => level)));
  }
  return found;
}

/** Return the words of the cycle that a word is part of, in order; an empty list without a cycle. */
export function cycleAt(heads, start) {
  const way = [];
  let word = start;
  while (word >= 0 && !way.includes(word)) {
    way.push(word);
    word = heads[word] - 1; // -1 for the root, -2 for an open word
  }
  return word === start ? way : [];
}

const cycles = (heads) => [...heads.keys()].map((word) => cycleAt(heads, word)).filter((words) => words.length);

/** Return the words of the first cycle, in order; an empty list without a cycle. */
export const cycle = (heads) => cycles(heads)[0] ?? [];

/** Return the words of the first cycle with a head that was another one before; an empty list without such a cycle. */
export const newCycle = (before, heads) => cycles(heads).find((words) => words.some((word) => heads[word] !== before[word])) ?? [];

/** Return the words whose arcs are not projective: the arc spans a word that does not descend from its head. */
export function crossing(heads) {
  const under = (word, head) => {
    const seen = new Set();
    while (word >= 0 && word !== head && !seen.has(word)) {
      seen.add(word);
      word = heads[word] - 1;
    }
    return word === head || word === -2;
  };
  return heads.flatMap((head, word) => {
    if (head <= 0) return [];
    const [low, high] = [Math.min(word, head - 1), Math.max(word, head - 1)];
    const between = Array.from({ length: high - low - 1 }, (_, step) => low + 1 + step);
    return between.some((one) => !under(one, head - 1)) ? [word] : [];
  });
}

/** Return the number of longer arcs on the same side of the same head: the longest arc starts nearest to the middle. */
export function longer(arc, arcs) {
  const side = Math.sign(arc.word - arc.head);
  const beside = arcs.filter(({ word, head }) => head === arc.head && Math.sign(word - head) === side);
  return beside.filter(({ word }) => Math.abs(word - arc.head) > Math.abs(arc.word - arc.head)).length;
}

/** Draw a part of an arc, with the classes that colour it. */
export function arcPart(tag, { word, kind, sure }, here, ...children) {
  return h(tag, { class: `arc ${kind}${word === here ? " current" : ""}`, style: fade(sure) }, ...children);
}
