// Draws a tree down the page: one word in a row, its relation beside it, arcs at the side. For long sentences and phones.

import { arcPart, levels, longer } from "./arcs.js";
import { h } from "./dom.js";

const ROW = 28; // height of a row in pixels, as in style.css
const START = 8; // pixels from the labels to the points of the arrows
const NEAREST = 24; // pixels to the lowest level of arcs
const STEPS = [5, 16]; // smallest and largest distance of two levels of arcs
const SIDE = 320; // maximum width of the arcs; less on a phone
const BEND = 4;

/** Draw a tree. `below`: lines about the words; `sure(row, place)`: whether a person corrected a value; `enhanced`: the line of enhanced arcs; `room`: the available width. */
export function down({ words, ends, below, sure = (_row, _place) => false, enhanced, arcs, here, chosen, numbers, rtl, lang, room, on }) {
  const rows = words.map((form, place) => {
    const state = place === here ? " here" : place === chosen ? " chosen" : "";
    const own = arcs.filter(({ word }) => word === place);
    const names = own.map((arc) => arcPart("span", arc, here, name(arc, on)));
    return h(
      "div",
      { class: `node${state}${ends.includes(place + 1) ? " ends" : ""}`, "data-word": place },
      h("span", { class: `number${numbers ? " asked" : ""}` }, String(place + 1)),
      h("bdi", { class: "form", lang, title: form }, form),
      h("span", { class: "below" }, below.map((line, row) => h("bdi", { class: sure(row, place) ? "sure" : null }, line[place])), enhanced ? h("bdi", { class: "enhanced" }, enhanced[place]) : null),
      h("span", { class: "names" }, names),
    );
  });
  return h("div", { class: "down", dir: rtl ? "rtl" : "ltr", "aria-hidden": true }, rows, side(words.length, arcs, here, rtl, room));
}

const name = (arc, on) =>
  h("button", { type: "button", tabindex: "-1", class: "name", dir: "ltr", onclick: () => on.label(arc) }, arc.label);

/** Draw the arcs: from the row of the head out to the level of the arc and back to the word. */
function side(count, arcs, here, rtl, room) {
  const far = levels(arcs);
  const most = Math.max(1, ...far.values());
  const step = Math.max(STEPS[0], Math.min(STEPS[1], Math.min(SIDE, room / 4) / most));
  const wide = NEAREST + most * step;
  const middle = (place) => (place + 0.5) * ROW;
  const lines = arcs.map((arc) => {
    const tip = middle(arc.word);
    const arrow = h("path", { class: "tip", d: `M${START + 6},${tip - 4} v8 l-7,-4 z` });
    if (arc.head < 0) return arcPart("g", arc, here, h("path", { d: `M${NEAREST},${tip} H${START + 5}` }), arrow);
    const way = Math.sign(arc.word - arc.head);
    const from = middle(arc.head) + way * Math.min(ROW / 2 - 2, 4 + 2 * longer(arc, arcs));
    const out = NEAREST + (far.get(arc) - 1) * step;
    const bend = way * BEND;
    const line = `M${START},${from} H${out - BEND} Q${out},${from} ${out},${from + bend} V${tip - bend} Q${out},${tip} ${out - BEND},${tip} H${START + 5}`;
    return arcPart("g", arc, here, h("path", { d: line }), arrow);
  });
  const size = { width: wide, height: count * ROW, viewBox: `0 0 ${wide} ${count * ROW}` };
  return h("svg", { ...size, class: "tree", style: `grid-row: 1 / span ${count}` }, h("g", { transform: rtl ? `translate(${wide}) scale(-1 1)` : null }, lines));
}
