// The arcs of a dependency tree: how they are stacked, and which of them cannot be or are odd.
//
// An arc is {word, head, label, kind, sure}: places from 0, head -1 for the root; kind is "sure", "unnamed" where only the
// head is, "guess" or "version", and what is more: "odd" or "wrong"; `sure` is how likely a model finds a guess.

import { h } from "./dom.js";
import { fade } from "./words.js";

/** Return how high each arc is, from 1: above every arc that it spans, and never on another one's line. */
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

/** Return words that hang on each other in a cycle, in order; none where there is no cycle. */
export function cycle(heads) {
  for (let start = 0; start < heads.length; start += 1) {
    const way = [];
    let word = start;
    while (word >= 0 && !way.includes(word)) {
      way.push(word);
      word = heads[word] - 1; // of the root -1, of an open word -2
    }
    if (word >= 0) return way.slice(way.indexOf(word));
  }
  return [];
}

/** Return the arcs that pass over a word which does not hang on their head. */
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

/** How many arcs of the same head leave it on the same side and reach further: the longest leaves nearest to the middle. */
export function longer(arc, arcs) {
  const side = Math.sign(arc.word - arc.head);
  const beside = arcs.filter(({ word, head }) => head === arc.head && Math.sign(word - head) === side);
  return beside.filter(({ word }) => Math.abs(word - arc.head) > Math.abs(arc.word - arc.head)).length;
}

/** A part of the drawing of an arc, with the classes that colour it. */
export function arcPart(tag, { word, kind, sure }, here, ...children) {
  return h(tag, { class: `arc ${kind}${word === here ? " current" : ""}`, style: fade(sure) }, ...children);
}
