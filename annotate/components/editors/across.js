// Draws a tree over its sentence: words in a line, arcs above the words, labels in front of the lines.

import { arcPart, levels, longer } from "./arcs.js";
import { h } from "./dom.js";

const WORD = 20; // heights and distances in pixels: a word
const TAG = 12;
const LEVEL = 26; // between two levels of arcs; less if there are many levels
const LEAST = 18; // the smallest distance of two levels: the height of a label
const TALLEST = 300;
const GAP = 20;
const LINE = 17; // a line below a word
const ROOF = 34; // above the highest arc, for the label of the root
const EDGE = 12; // left of the first word and right of the last
const SMALLEST = 0.85; // the smallest scale that is chosen automatically to show the whole tree

const PAPER = document.createElement("canvas").getContext("2d");

const MEASURED = new Map(); // widths by text: each key press draws the same words again

function width(text, font) {
  const key = `${font} ${text}`;
  if (!MEASURED.has(key)) {
    PAPER.font = font;
    MEASURED.set(key, PAPER.measureText(text).width);
  }
  return MEASURED.get(key);
}

const labelWidth = ({ label }) => width(label, `${TAG}px monospace`) + 10;

/** Return the width of each word, including the lines below the word. */
function widths(words, below, family) {
  const lines = (place) => below.map((line) => width(line[place], `${TAG}px monospace`));
  return words.map((word, place) => Math.max(26, width(word, `${WORD}px ${family}`), ...lines(place)));
}

/** Return the centre of each word and the total width; the distances leave room for the words and the labels of arcs. */
function centres(wide, arcs) {
  const ending = wide.map(() => []); // by word: the arcs that end at this word, coming from the left
  for (const arc of arcs) if (arc.head >= 0) ending[Math.max(arc.word, arc.head)].push(arc);
  const roots = arcs.filter(({ head }) => head < 0).sort((a, b) => a.word - b.word);
  const found = [];
  wide.forEach((own, place) => {
    const beside = place ? found[place - 1] + (wide[place - 1] + own) / 2 + GAP : own / 2 + EDGE;
    const arched = ending[place].map((arc) => found[Math.min(arc.word, arc.head)] + labelWidth(arc) + 15 + leaving(arc, arcs));
    const rooted = roots.flatMap((arc, at) => {
      if (arc.word !== place) return [];
      const [half, before] = [labelWidth(arc) / 2, roots[at - 1]];
      return [half, ...(before && before.word < place ? [found[before.word] + labelWidth(before) / 2 + half] : [])];
    });
    found.push(Math.max(beside, ...arched, ...rooted));
  });
  const last = arcs.filter(({ word, head }) => head < 0 && word === wide.length - 1).map(labelWidth);
  return { places: found, total: found.at(-1) + Math.max(wide.at(-1) / 2 + EDGE, ...last.map((one) => one / 2)) };
}

/** Return the distance between the middle of the head and the point where an arc leaves it. */
const leaving = (arc, arcs) => 5 + 5 * longer(arc, arcs);

/**
 * Draw a tree.
 *
 * `ends`: numbers of the words that end a sentence. `below`: lines below the words; `sure(row, place)`: whether a person corrected a value. `enhanced`: the line of enhanced arcs.
 * `zoom`: the scale. Without a scale, the largest readable scale at which the whole tree fits into `room` pixels; 0: the whole tree at any size.
 */
export function across({ words, ends, below, sure = (_row, _place) => false, enhanced, arcs, here, chosen, numbers, rtl, family, room, zoom, on }) {
  const lines = [words.map((_, place) => String(place + 1)), ...below, ...(enhanced ? [enhanced] : [])];
  const classOf = (line, row, place) => `below${numbers && !row ? " asked" : ""}${line === enhanced ? " enhanced" : ""}${sure(row - 1, place) ? " sure" : ""}`;
  const high = levels(arcs);
  const wide = widths(words, lines, family);
  const { places, total } = centres(wide, arcs);
  const at = (x) => (rtl ? total - x : x);
  const most = Math.max(1, ...high.values());
  const step = Math.max(LEAST, Math.min(LEVEL, TALLEST / most));
  const roof = most * step + ROOF;
  const foot = 38 + LINE * lines.length;
  const drawn = arcs.map((arc) => (arc.head < 0 ? rooted(arc, at, places, roof) : arched(arc, arcs, at, places, roof, (high.get(arc) ?? 0) * step)));
  const paths = drawn.map(({ arc, line, tip }) =>
    arcPart("g", arc, here, h("path", { d: line }), h("path", { class: "tip", d: `M${tip - 4},${roof - 6} h8 l-4,7 z` })),
  );
  const names = drawn.map(({ arc, x, y }) => {
    const length = labelWidth(arc);
    const back = h("rect", { class: "back", x: x - length / 2, y: y - 8, width: length, height: 16 });
    return arcPart("g", arc, here, back, h("text", { class: "name", x, y: y + 4, "font-size": TAG, onclick: () => on.label(arc) }, arc.label));
  });
  const forms = words.map((word, place) => {
    const state = place === here ? " here" : place === chosen ? " chosen" : "";
    const x = at(places[place]);
    return h(
      "g",
      { class: `node${state}`, "data-word": place },
      h("rect", { x: x - wide[place] / 2 - 7, y: roof + 4, width: wide[place] + 14, height: foot - 8, rx: 6 }),
      h("text", { class: "form", x, y: roof + 27, "font-size": WORD }, word),
      lines.map((line, row) => h("text", { class: classOf(line, row, place), x, y: roof + 46 + LINE * row, "font-size": TAG }, line[place])),
    );
  });
  const marks = ends.map((end) => {
    const x = at((places[end - 1] + wide[end - 1] / 2 + places[end] - wide[end] / 2) / 2);
    return h("path", { class: "end", d: `M${x},22 V${roof + foot}` });
  });
  const whole = room / total;
  const scale = zoom === 0 ? Math.min(1, whole) : zoom ?? Math.max(SMALLEST, Math.min(1, whole));
  const size = { width: total * scale, height: (roof + foot) * scale, viewBox: `0 0 ${total} ${roof + foot}` };
  const picture = h("svg", { ...size, class: "tree", "aria-hidden": true }, marks, paths, names, forms);
  return { picture, scale, fits: scale >= SMALLEST && total * scale <= room + 1 }; // and is readable
}

function rooted(arc, at, places, roof) {
  const tip = at(places[arc.word]);
  return { arc, tip, line: `M${tip},22 V${roof - 5}`, x: tip, y: 12 };
}

function arched(arc, arcs, at, places, roof, height) {
  const tip = at(places[arc.word]);
  const from = at(places[arc.head] + Math.sign(arc.word - arc.head) * leaving(arc, arcs));
  const top = roof - height;
  const bend = tip > from ? 6 : -6;
  const line = `M${from},${roof} V${top + 6} Q${from},${top} ${from + bend},${top} H${tip - bend} Q${tip},${top} ${tip},${top + 6} V${roof - 5}`;
  return { arc, tip, line, x: (from + tip) / 2, y: top };
}
