// Empty nodes of a sentence: words that the text does not have, such as the verb of "Ana sings and Ben too". A form below the
// sentence makes, names, moves and deletes them; a node that is pressed opens its form, a key opens the form of a new one.

import { OPEN, wordsOf } from "./alignment.js";
import { answered, ask, fieldKeys } from "./asking.js";
import { arcsIn, inOrder, newIds, nodeColumn, nodesIn, renamed, renamedNodes, TREE, wordBefore } from "./deps.js";
import { h, same } from "./dom.js";
import { arcsTyped, kept, nodeValues, ofFile, wrongArcs } from "./enhanced.js";
import { _ } from "./messages.js";

const NEW = "new"; // id of a node that has none yet
const UPOS = "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X".split(" ");

const nodesOf = (session) => nodesIn(nodeValues(session));
const number = (text) => (/^\d+$/.test(text) ? Number(text) : -1);

/** Draw the empty nodes as buttons below the sentence. */
export function emptyNodes(session) {
  const drawn = ({ id, form, deps }) =>
    h("button", { class: "empty", type: "button", tabindex: "-1", title: _("change or delete"), onclick: () => open(session, id) },
      h("b", {}, id), " ", h("bdi", {}, form), " ", h("small", { dir: "ltr" }, arcsIn(deps).join(" ")));
  const nodes = nodesOf(session);
  return nodes.length ? h("div", { class: "ranges nodes", lang: session.data.lang }, nodes.map(drawn)) : null;
}

/** Return the key that opens the form of a new node. */
export const nodeKey = (session) => ({ key: "Shift+N", label: _("empty node"), rare: true, run: () => open(session, NEW) });

function open(session, id) {
  session.place.node = id;
  ask(session, "node");
}

/** Draw the form of a node, while it is open. */
export function nodeField(session) {
  if (session.place.asking !== "node") return null;
  const { node: id, word } = session.place;
  const node = nodesOf(session).find((each) => each.id === id);
  const title = node ? _("empty node {id}", { id }) : _("new empty node");
  const shown = (cell) => (node && node[cell] !== OPEN ? node[cell] : "");
  const why = h("span", { class: "why", role: "alert" });
  const field = (name, label, value, lang) => {
    const input = h("input", { name, lang, dir: lang === "en" ? "ltr" : "auto", autocomplete: "off", spellcheck: "false", value, onkeydown: fieldKeys(session, enter) });
    return h("label", {}, label, input);
  };
  const fields = [
    field("form", _("form"), node?.form ?? "", session.data.lang),
    field("lemma", _("lemma"), shown("lemma"), session.data.lang),
    field("upos", "UPOS", shown("upos"), "en"),
    field("deps", "DEPS", shown("deps"), "en"),
    field("after", _("after word"), String(node ? wordBefore(node) : word + 1), "en"),
  ];
  function enter() {
    const inputs = fields.map((label) => label.querySelector("input"));
    const typed = Object.fromEntries(inputs.map(({ name, value }) => [name, value.trim().replace(/\s+/g, " ")]));
    why.textContent = typed.form ? wrong(session, id, typed) : "";
    if (why.textContent) return;
    answered(session);
    session.change((annotation) => (typed.form || node ? changed(session, annotation, id, typed) : annotation));
    session.draw();
  }
  const hint = node ? h("span", { class: "key" }, _("an empty form deletes it")) : null;
  return h("div", { class: "asking node", role: "group", "aria-label": title }, h("b", {}, title), ...fields, hint, why);
}

/** Return why a typed node is not valid; empty if it is. */
function wrong(session, id, { upos, deps, after }) {
  if (upos && !UPOS.includes(upos)) return _("“{tag}” is not a UPOS tag", { tag: upos });
  if (!deps) return _("write its arcs in DEPS, as in 4:nsubj|8.1:conj");
  if (number(after) < 0 || number(after) > wordsOf(session).length) return _("write the number of the word before it, 0 for none");
  return wrongArcs(session, id, deps);
}

/** Return an annotation with a typed node, or without the node where no form is typed; all arcs follow the nodes. */
function changed(session, annotation, id, { form, after, deps, ...typed }) {
  const count = wordsOf(session).length;
  const before = nodesOf(session).map((node) => ({ ...node, after: wordBefore(node) }));
  const made = { ...before.find((node) => node.id === id), ...typed, id, form, deps: arcsTyped(deps).sort(inOrder).join("|"), after: number(after) };
  const isIn = before.some((node) => node.id === id && node.after === made.after);
  const others = before.filter((node) => node.id !== id);
  const nodes = !form ? others : isIn ? before.map((node) => (node.id === id ? made : node)) : [...others, made];
  const ids = newIds(nodes, (node) => node.after);
  const moved = (old) => (old === NEW || old.includes(".") ? (ids[old] ?? null) : old);
  for (const word of wordsOf(session).keys()) {
    const arcs = kept(session, word).join("|");
    const now = renamed(arcs, moved);
    if (now === arcs) continue;
    annotation.deps ??= wordsOf(session).map(() => null);
    annotation.deps[word] = now === OPEN ? TREE : now; // a word without any other arc has that of the tree
  }
  const { nodes: file } = ofFile(session);
  const column = nodeColumn(renamedNodes(nodes, moved), count);
  annotation.nodes = column.map((value, word) => (value === file[word] ? null : value));
  if (same(column, file)) delete annotation.nodes;
  return annotation;
}
