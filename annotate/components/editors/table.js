// A tree as a table of fields, for screen readers and for people who prefer tables.

import { OPEN, wordsOf } from "./alignment.js";
import { h } from "./dom.js";
import { endsAt } from "./sentences.js";
import { _ } from "./messages.js";

/** Return the head typed in a field of the table: a whole number, -1 for none. */
function headOf(text, most) {
  return text === "" ? -1 : Math.max(-1, Math.min(Math.trunc(Number(text)), most));
}

/** Draw the table. `set(word, edit)` changes a word by an edit of the annotation; `tags` are drawn beside the words, `enhanced` at the end of the row. */
export function table(session, tags, enhanced, { hung, named }) {
  const { annotation, data, place } = session;
  const names = [OPEN, ...data.labels.map(({ name }) => name)];
  const tagged = tags !== undefined;
  const line = (form, word) => {
    const now = annotation.deprels[word];
    const head = h("input", {
      type: "number", min: -1, max: annotation.heads.length, value: annotation.heads[word] < 0 ? "" : annotation.heads[word],
      "aria-label": _("head of {word}", { word: form }),
      onchange: ({ target }) => session.change((made) => hung(made, word, headOf(target.value, made.heads.length)), { word }),
    });
    const options = [...new Set([...names, now])].map((name) => h("option", { value: name, selected: name === now }, name));
    const relation = h("select", { "aria-label": _("relation of {word}", { word: form }), onchange: ({ target }) => session.change((made) => named(made, word, target.value), { word }) }, options);
    const cells = [String(word + 1), h("bdi", { lang: data.lang }, form), ...(tagged ? [tags[word] ?? ""] : []), head, relation, ...(enhanced ? [enhanced[word]] : [])];
    return h("tr", { "data-word": word, class: `${word === place.word ? "here" : ""}${endsAt(session, word) ? " ends" : ""}` }, cells.map((cell) => h("td", {}, cell)));
  };
  const titles = ["", _("word"), ...(tagged ? ["UPOS"] : []), _("head"), _("relation"), ...(enhanced ? ["DEPS"] : [])].map((title) => h("th", {}, title));
  return h("table", { class: "table" }, h("thead", {}, h("tr", {}, titles)), h("tbody", {}, wordsOf(session).map(line)));
}
