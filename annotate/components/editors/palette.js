// The palette: a field in which a relation, tag or entity type is chosen by typing. Each label is listed with its key and
// its meaning, so that people learn the keys.

import { answered, ask, leave } from "./asking.js";
import { h } from "./dom.js";
import { composing } from "./keyboard.js";
import { _, woven } from "./messages.js";

const SHOWN = 8; // maximum number of visible labels

/** Texts by the name of the thing to choose. */
const TEXTS = {
  tag: { of: () => _("tag of {word}"), one: () => _("tag"), all: () => _("tags"), none: (typed) => _("“{typed}” is not a tag of this project; choose one from the list", { typed }) },
  type: { of: () => _("type of {word}"), one: () => _("type"), all: () => _("types"), none: (typed) => _("“{typed}” is not a type of this project; choose one from the list", { typed }) },
  relation: { of: () => _("relation of {word}"), one: () => _("relation"), all: () => _("relations"), none: () => "" },
};

/** Return the key that opens the palette. */
export const paletteKey = (session, label, rare) => ({ key: "l", label, rare, run: () => ask(session, "label") });

/**
 * Draw the palette while it is open, else nothing.
 *
 * `noun`: the thing to choose; `of`: the thing that gets the label; `labels`: {name, key, definition}, the likeliest first.
 * `take(name)` chooses a label while `asking` is open. `refused(name)` returns why a typed name is invalid; by default all
 * names outside the list are.
 */
export function palette(session, { noun, of, labels, take, refused = notOf(labels, noun), asking = "label" }) {
  if (session.place.asking !== asking) return null;
  const list = h("div", { class: "list", role: "listbox", "aria-label": TEXTS[noun].all() });
  const why = h("div", { class: "why", role: "alert" });
  let first = 0;
  let fit = [];
  const chosen = (name) => {
    answered(session);
    take(name);
    session.draw();
  };
  const typed = () => field.value.trim().toLowerCase();
  const fill = () => list.replaceChildren(...fit.map((label, place) => option(session, label, place === first, () => chosen(label.name))));
  const filter = () => {
    why.textContent = "";
    first = 0;
    fit = fitting(labels, typed()).slice(0, SHOWN);
    fill();
  };
  const enter = () => {
    const name = fit[first]?.name ?? typed(); // a subtype is typed completely
    why.textContent = refused(name);
    if (!why.textContent) chosen(name);
  };
  const keys = {
    Enter: () => (typed() || first ? enter() : leave(session)),
    Escape: () => leave(session),
    ArrowDown: () => (first = Math.min(first + 1, fit.length - 1)),
    ArrowUp: () => (first = Math.max(first - 1, 0)),
  };
  const field = h("input", {
    "aria-label": woven(TEXTS[noun].of(), { word: of }).join(""), placeholder: TEXTS[noun].one(), oninput: filter,
    onkeydown: (event) => {
      event.stopPropagation();
      if (composing(event) || !keys[event.key]) return;
      event.preventDefault();
      keys[event.key]();
      if (event.key.startsWith("Arrow")) fill();
    },
  });
  filter();
  return h("div", { class: "asking" }, h("label", {}, woven(TEXTS[noun].of(), { word: h("bdi", { lang: session.data.lang }, of) }), field), list, why);
}

/** Return a function that returns why a typed name is none of the labels, empty if it is one. */
export const notOf = (labels, noun) => (typed) =>
  labels.some(({ name }) => name === typed) ? "" : TEXTS[noun].none(typed);

function option(session, { name, key, definition }, first, onclick) {
  const attributes = { type: "button", tabindex: "-1", role: "option", "aria-selected": first, class: first ? "option first" : "option", onclick };
  return h("button", attributes, h("span", { class: "key" }, key ? h("kbd", {}, session.keyOf(key)) : null), h("b", {}, name), " ", definition);
}

/** Return the labels that match the typed text: the equal name, names that begin with it, then names that contain it. */
function fitting(labels, typed) {
  const rank = ({ name }) => {
    const place = name.toLowerCase().indexOf(typed);
    return name.toLowerCase() === typed ? 0 : place === 0 ? 1 : place > 0 ? 2 : 3;
  };
  return [0, 1, 2].flatMap((wanted) => labels.filter((label) => rank(label) === wanted));
}
