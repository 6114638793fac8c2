// The views of a tree: across (over its sentence), down (one word in a row), or a table. Long trees, and trees on a phone, are
// drawn down by default. Trees drawn across are fitted to the width, zoomed, or scrolled.

import { across } from "./across.js";
import { wordsOf } from "./alignment.js";
import { inText } from "./context.js";
import { isCorrected, seen } from "./corrections.js";
import { draggable } from "./drag.js";
import { h } from "./dom.js";
import { arcsKey, enhancedArcs } from "./enhanced.js";
import { _ } from "./messages.js";
import { glossOf } from "./misc.js";
import { endsOf } from "./sentences.js";
import { table } from "./table.js";
import { down } from "./vertical.js";
import { compared, reading, wholeOf } from "./words.js";

const LONG = 40; // number of words from which a tree is drawn down
const NARROW = 480; // width of a phone in pixels
const VIEWS = ["across", "down", "table"];
const ZOOM = 1.25; // factor of one step
const ZOOMS = [0.25, 3];

const viewOf = (session) => session.view ?? (window.innerWidth < NARROW || wordsOf(session).length >= LONG ? "down" : "across");

/** Return the keys that change the view. */
export const viewKeys = (session) => [
  { key: "t", label: _("across, down, table"), rare: true, run: () => see(session, VIEWS[(VIEWS.indexOf(viewOf(session)) + 1) % 3]) },
  { key: "z", label: _("fit to the width"), rare: true, run: () => zoom(session, session.zoom === 0 ? null : 0) },
  { key: ">", label: _("larger"), rare: true, run: () => zoom(session, ZOOM * (session.scale ?? 1)) },
  { key: "<", label: _("smaller"), rare: true, run: () => zoom(session, (session.scale ?? 1) / ZOOM) },
  ...arcsKey(session),
];

function see(session, view) {
  session.view = view;
  session.draw();
}

function zoom(session, size) {
  session.zoom = size && Math.max(ZOOMS[0], Math.min(ZOOMS[1], size));
  see(session, "across");
}

/** Draw a tree. `edits` change the annotation by the values of the table; `on` handles clicks and drags. */
export function tree(session, arcs, edits, on) {
  const view = viewOf(session);
  const drawn = view === "table" ? { node: table(session, edits) } : picture(session, view, arcs, on);
  const text = drawn.fits ? null : reading(session, [session.place.dependent].filter((word) => word !== null));
  const [above, below] = text ? [inText(session, text), drawn.node] : [null, inText(session, drawn.node)];
  return h("div", {}, h("div", { class: "above" }, above, bar(session, view)), below);
}

function picture(session, view, arcs, on) {
  const { data, place } = session;
  const words = wordsOf(session);
  const lines = known(session);
  const sure = (row, place) => isCorrected(session, lines[row]?.column, place);
  const enhanced = enhancedArcs(session);
  const all = {
    words, ends: endsOf(session), below: lines.map(({ values }) => values), sure, enhanced: enhanced.line, arcs: [...arcs, ...enhanced.arcs], here: place.word, chosen: place.dependent, numbers: place.dependent !== null,
    rtl: data.dir === "rtl", lang: data.lang, room: session.stage.clientWidth, on,
  };
  const node = h("div", { class: `scroll ${view === "down" ? "tall" : ""}`, dir: "ltr", lang: data.lang });
  draggable(session, node, on);
  if (view === "down") {
    node.append(down(all));
    return { node, fits: false };
  }
  const { picture: svg, scale, fits } = across({ ...all, family: getComputedStyle(session.frame).fontFamily, zoom: session.zoom });
  session.scale = scale;
  node.append(svg);
  return { node, fits };
}

/** Return the lines below the words that have some value: tags, lemmas, glosses. */
function known(session) {
  const example = wholeOf(session);
  return compared(session, example, () => {
    const line = (column) => seen(session, column).map((value) => value.replace(/^_$/, ""));
    const glosses = wordsOf(session).map((_, word) => glossOf(session, word));
    const lines = [...["upos", "lemmas"].map((column) => ({ column, values: line(column) })), { column: "gloss", values: glosses }];
    return lines.filter(({ values }) => values.some(Boolean));
  });
}

function bar(session, view) {
  const button = (name, pressed, { label, key, run }) =>
    h("button", { type: "button", tabindex: "-1", title: `${label} (${session.keyOf(key)})`, "aria-pressed": pressed, onclick: run }, name);
  const names = { across: _("across"), down: _("down"), table: _("table") };
  const views = VIEWS.map((name) => button(names[name], view === name, { label: names[name], key: "t", run: () => see(session, name) }));
  const [, fit, larger, smaller, graph] = viewKeys(session);
  const sizes = [button("−", null, smaller), button(_("fit"), session.zoom === 0, fit), button("+", null, larger)];
  const further = graph && view !== "table" ? h("div", {}, button(_("enhanced"), Boolean(session.drawsEnhanced), graph)) : null;
  return h("div", { class: "views", dir: "ltr" }, further, view === "across" ? h("div", {}, sizes) : null, h("div", {}, views));
}
