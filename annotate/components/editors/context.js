// The open sentence in its text: its place in the document, those before it and those after it. A click opens an own one.

import { h } from "./dom.js";
import { _, woven } from "./messages.js";

/** A part of an editor that shows the open sentence, between the sentences around it. */
export function inText(session, own) {
  const { text, lang } = session.data;
  if (!text) return own;
  const shown = (neighbour) => sentence(session, neighbour, lang);
  return h("div", { class: "around" }, h("div", { class: "where" }, h("bdi", {}, place(text))), text.before.map(shown), own, text.after.map(shown));
}

function place({ document, number, all }) {
  if (!document) return [_("sentence {number} of {all}", { number, all })];
  return woven(_("sentence {number} of {all} in {document}"), { number: String(number), all: String(all), document: h("bdi", {}, document) });
}

function sentence(session, { text, item }, lang) {
  if (item === null) return h("div", { class: "neighbour", dir: "auto", lang }, text);
  return h("button", { type: "button", tabindex: "-1", class: "neighbour", dir: "auto", lang, title: _("open this sentence"), onclick: () => session.go(item) }, text);
}
