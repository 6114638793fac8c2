// The drawing of a dependency tree: where words stand, how high arcs are, and the picture of both.
//
// An arc is {word, head, label, kind}: places from 0, head -1 for the root; kind is "sure", "unnamed" where only the head
// is, "guess" or "version", and what is more: "odd" or "wrong".

import { h } from "./dom.js";

const WORD = 20; // pixels of a word, and so on
const TAG = 12;
const LEVEL = 26; // between two arcs, less where there are many
const TALLEST = 300;
const GAP = 20;
const FOOT = 62; // of words and tags below the arcs

/** Return how high each arc is, from 1: above every arc that it spans, and never on another one's line. */
function levels(arcs) {
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

const PAPER = document.createElement("canvas").getContext("2d");

function width(text, font) {
  PAPER.font = font;
  return PAPER.measureText(text).width;
}

/** Return the centre of each word, so far apart that words, tags and labels of neighbours fit. */
function centres(words, tags, arcs, family) {
  const wide = words.map((word, place) =>
    Math.max(26, width(word, `${WORD}px ${family}`), width(tags[place], `${TAG}px monospace`)),
  );
  const between = new Map();
  for (const arc of arcs.filter(({ word, head }) => Math.abs(word - head) === 1)) {
    const place = Math.max(arc.word, arc.head);
    const needed = width(arc.label, `${TAG}px monospace`) + 25 + Math.abs(leaving(arc, arcs));
    between.set(place, Math.max(needed, between.get(place) ?? 0)); // words in a cycle have two arcs between them
  }
  const found = [];
  wide.forEach((own, place) => {
    if (!place) return found.push(own / 2 + 12);
    const apart = (wide[place - 1] + own) / 2 + GAP;
    found.push(found[place - 1] + Math.max(apart, between.get(place) ?? 0));
  });
  return { places: found, total: found.at(-1) + wide.at(-1) / 2 + 12 };
}

/** Return where an arc leaves its head: the longest nearest to the word's middle, so that none crosses another. */
function leaving(arc, arcs) {
  const side = Math.sign(arc.word - arc.head);
  const beside = arcs.filter(({ word, head }) => head === arc.head && Math.sign(word - head) === side);
  const longer = beside.filter(({ word }) => Math.abs(word - arc.head) > Math.abs(arc.word - arc.head));
  return side * (5 + 5 * longer.length);
}

/** Draw a tree; `on` holds what happens on a click on a word or a label, and on a drag from word to word. */
export function picture({ words, tags, arcs, here, chosen, numbers, rtl, family, on }) {
  const high = levels(arcs);
  const { places, total } = centres(words, tags, arcs, family);
  const at = (x) => (rtl ? total - x : x);
  const most = Math.max(1, ...high.values());
  const step = Math.max(15, Math.min(LEVEL, TALLEST / most));
  const roof = most * step + 34;
  const paths = arcs.map((arc) => drawn(arc, arcs, (high.get(arc) ?? 0) * step, places, at, roof, here, on));
  const drag = { from: null };
  const forms = words.map((word, place) => {
    const state = place === here ? " here" : place === chosen ? " chosen" : "";
    const x = at(places[place]);
    const wide = (width(word, `${WORD}px ${family}`) + 14) / 2;
    const node = h(
      "g",
      {
        class: `node${state}`, "data-word": place,
        onpointerdown: (event) => {
          event.target.releasePointerCapture?.(event.pointerId); // a finger that drags reaches other words too
          drag.from = place;
        },
        onpointerup: () => {
          if (drag.from !== null && drag.from !== place) on.drag(drag.from, place);
          else on.word(place);
          drag.from = null;
        },
      },
      h("rect", { x: x - wide, y: roof + 4, width: 2 * wide, height: FOOT - 12, rx: 6 }),
      h("text", { class: "form", x, y: roof + 27, "font-size": WORD }, word),
      h("text", { class: "upos", x, y: roof + 46, "font-size": TAG }, numbers ? String(place + 1) : tags[place]),
    );
    return node;
  });
  const size = { width: total, height: roof + FOOT, viewBox: `0 0 ${total} ${roof + FOOT}` };
  return h("svg", { ...size, class: "tree", "aria-hidden": true }, paths, forms);
}

function drawn(arc, arcs, height, places, at, roof, here, on) {
  const { word, head, label, kind } = arc;
  const tip = at(places[word]);
  const classes = `arc ${kind}${word === here ? " current" : ""}`;
  const arrow = h("path", { class: "tip", d: `M${tip - 4},${roof - 6} h8 l-4,7 z` });
  const name = (x, y) => {
    const wide = width(label, `${TAG}px monospace`) / 2 + 5;
    return [
      h("rect", { class: "back", x: x - wide, y: y - 8, width: 2 * wide, height: 16 }),
      h("text", { class: "name", x, y: y + 4, "font-size": TAG, onclick: () => on.label(word) }, label),
    ];
  };
  if (head < 0) return h("g", { class: classes }, h("path", { d: `M${tip},22 V${roof - 5}` }), arrow, name(tip, 12));
  const from = at(places[head] + leaving(arc, arcs));
  const top = roof - height;
  const bend = tip > from ? 6 : -6;
  const line = `M${from},${roof} V${top + 6} Q${from},${top} ${from + bend},${top} H${tip - bend} Q${tip},${top} ${tip},${top + 6} V${roof - 5}`;
  return h("g", { class: classes }, h("path", { d: line }), arrow, name((from + tip) / 2, top));
}
