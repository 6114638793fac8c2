// Enhanced dependencies: further arcs of a word, edited in a field in CoNLL-U's notation (`4:nsubj|8.1:conj`).
//
// `example.deps` has the arcs of the file, `annotation.deps` those of words that were changed. In both, "=" is the arc of the
// tree, with an addition to its relation ("=:of"), so that the arc follows the tree. Likewise `nodes`: see deps.js and nodes.js.

import { blocks, links, OPEN, ROOT, tokenization, wordsOf } from "./alignment.js";
import { answered, ask, fieldKeys } from "./asking.js";
import { arcsIn, headOf, inOrder, movedDeps, nodesIn, relationOf, TREE } from "./deps.js";
import { h, same } from "./dom.js";
import { noRelation } from "./legal.js";
import { _ } from "./messages.js";
import { compared, wholeOf } from "./words.js";

/** Return the file's DEPS and empty nodes of each current word. */
export function ofFile(session) {
  const example = wholeOf(session);
  return compared(session, example.nodes, () => {
    const made = movedDeps(example, ...links(blocks(tokenization(session), example)));
    return { deps: made.deps.map((column) => column ?? OPEN), nodes: made.nodes.map((column) => column ?? OPEN) };
  });
}

/** Return the current empty nodes of each word. */
export const nodeValues = (session) => ofFile(session).nodes.map((value, word) => session.annotation.nodes?.[word] ?? value);

const isEnhanced = (session) =>
  Boolean(session.annotation.deps?.some(Boolean)) || [...nodeValues(session), ...wholeOf(session).deps].some((column) => column !== OPEN);

/** Return the stored arcs of a word: the changed arcs, else those of the file, else the arc of the tree. */
export function kept(session, word) {
  const own = session.annotation.deps?.[word];
  if (own) return arcsIn(own);
  const file = arcsIn(ofFile(session).deps[word]);
  return file.length ? file : [TREE];
}

/** Return the arc of the tree in CoNLL-U's notation; empty if it is open. */
function treeArc({ annotation: { heads, deprels } }, word) {
  return heads[word] < 0 || deprels[word] === OPEN ? null : `${heads[word]}:${deprels[word]}`;
}

/** Return an arc in CoNLL-U's notation; empty if it is the arc of the tree and open. */
function resolved(session, word, arc) {
  if (headOf(arc) !== TREE) return arc;
  const tree = treeArc(session, word);
  return tree && (headOf(tree) === "0" ? tree : tree + arc.slice(TREE.length)); // the root relation takes no addition
}

const arcsOf = (session, word) => kept(session, word).map((arc) => resolved(session, word, arc)).filter(Boolean).sort(inOrder);

/** Return the arcs of each word that are not in the tree; null if there are none. */
function furtherArcs(session) {
  if (!isEnhanced(session)) return null;
  const arcs = wordsOf(session).map((_, word) => arcsOf(session, word).filter((arc) => arc !== treeArc(session, word)));
  return arcs.some((own) => own.length) ? arcs : null;
}

/** Return the arcs that are not in the tree as a line below the words, and as arcs; those from empty nodes and those of the tree with an addition are always text. */
export function enhancedArcs(session) {
  const further = furtherArcs(session);
  if (!further || !session.drawsEnhanced) return { line: further?.map((own) => own.join(" ")) ?? null, arcs: [] };
  const isText = (arc, word) => headOf(arc).includes(".") || arc.startsWith(`${treeArc(session, word)}:`);
  const line = further.map((own, word) => own.filter((arc) => isText(arc, word)).join(" "));
  const arcs = further.flatMap((own, word) =>
    own.filter((arc) => !isText(arc, word)).map((arc) => ({ word, head: Number(headOf(arc)) - 1, label: relationOf(arc), kind: "further" })));
  return { line: line.some(Boolean) ? line : null, arcs };
}

/** Return the key that draws enhanced dependencies as arcs or as text; none if the sentence has no further ones. */
export function arcsKey(session) {
  const change = () => {
    session.drawsEnhanced = !session.drawsEnhanced;
    session.draw();
  };
  return furtherArcs(session) ? [{ key: "Shift+G", label: _("enhanced dependencies as arcs"), rare: true, run: change }] : [];
}

/** Return the key that opens the field. */
export const depsKey = (session) => ({ key: "Shift+D", label: _("enhanced dependencies"), rare: true, run: () => ask(session, "deps") });

/** Draw the field for the arcs of the word at the cursor, while it is open. */
export function depsField(session) {
  if (session.place.asking !== "deps") return null;
  const { word } = session.place;
  const form = wordsOf(session)[word];
  const why = h("span", { class: "why", role: "alert" });
  const title = _("enhanced dependencies of {word}", { word: form });
  const input = h("input", {
    class: "deps", lang: "en", dir: "ltr", autocomplete: "off", spellcheck: "false", "aria-label": title, value: arcsOf(session, word).join("|"),
    onkeydown: fieldKeys(session, () => {
      why.textContent = wrongArcs(session, String(word + 1), input.value);
      if (why.textContent) return;
      answered(session);
      session.change((annotation) => changed(session, annotation, word, arcsTyped(input.value)));
      session.draw();
    }),
  });
  return h("div", { class: "asking" }, h("label", {}, title, input), why);
}

/** Return the column of a table, if the sentence has enhanced dependencies, see cells.js. */
export function depsCells(session) {
  if (!isEnhanced(session)) return [];
  return [{
    column: "deps", title: "DEPS", label: (word) => _("enhanced dependencies of {word}", { word }),
    text: (word) => arcsOf(session, word).join("|"), isSure: (word) => Boolean(session.annotation.deps?.[word]),
    wrong: (word, typed) => wrongArcs(session, String(word + 1), typed),
    set: (annotation, word, typed) => changed(session, annotation, word, arcsTyped(typed)),
  }];
}

/** Return the arcs that somebody has typed. */
export const arcsTyped = (text) => text.split("|").map((arc) => arc.trim()).filter(Boolean);

/** Return why typed arcs are not those of a word or an empty node; empty if they are valid. */
export const wrongArcs = (session, id, typed) => arcsTyped(typed).map((arc) => wrong(session, id, arc)).find(Boolean) ?? "";

function wrong(session, id, arc) {
  const [head, name] = [headOf(arc), relationOf(arc)];
  if (!/^\d+(\.\d+)?:[^\s|]+$/.test(arc)) return _("write head:relation, as in 4:nsubj|8.1:conj");
  const nodes = nodesIn(nodeValues(session)).map((node) => node.id);
  if (head === id) return _("a word cannot be its own head");
  if (!nodes.includes(head) && !(Number(head) <= wordsOf(session).length && /^(0|[1-9]\d*)$/.test(head))) return _("{head} is not a word or an empty node of this sentence", { head });
  if ((head === "0") !== (name === ROOT)) return _("only an arc from 0 can be “root”");
  return noRelation(session, name.split(":")[0]);
}

function changed(session, annotation, word, typed) {
  const tree = treeArc(session, word);
  const arcs = [...new Set(typed)].sort(inOrder);
  if (same(arcs, arcsOf(session, word))) return annotation;
  const open = tree ? [] : kept(session, word).filter((arc) => headOf(arc) === TREE); // the arc of the tree, which is not visible while it is open
  const own = arcs.filter((arc) => tree && (arc === tree || arc.startsWith(`${tree}:`))).sort((one, other) => one.length - other.length)[0];
  const made = [...open, ...arcs.map((arc) => (arc === own ? TREE + arc.slice(tree.length) : arc))].join("|") || OPEN;
  annotation.deps ??= wordsOf(session).map(() => null);
  annotation.deps[word] = made === ofFile(session).deps[word] ? null : made;
  return annotation;
}
