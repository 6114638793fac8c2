// Errors of a tree, and what is still open: heads, roots, cycles, and names of relations.

import { OPEN, ROOT, wordsOf } from "./alignment.js";
import { cycle, newCycle } from "./arcs.js";
import { copy } from "./dom.js";
import { _, listed, quote } from "./messages.js";
import { isApart, sentencesOf } from "./sentences.js";
import { few } from "./words.js";

/** Return everything that prevents a tree from being finished. */
export const problems = (session) => [...unfinished(session), ...illegal(session), ...unrelated(session)];

/** Return whether a relation fits a head: the root has `root`, and no other word has. */
export const fits = (head, name) => name !== OPEN && (head === 0) === (name.split(":")[0] === ROOT);

/** Return why a name is not a relation: it is not in the list, and not a relation with a subtype as in UD; empty if valid. */
export function noRelation({ data }, name) {
  const known = data.labels.map((label) => label.name);
  const [universal, ...subtype] = name.split(":");
  if (known.includes(name)) return "";
  if (!known.includes(universal)) return _("“{name}” is not a UD relation; choose one from the list, or a subtype such as acl:relcl", { name });
  if (/^[a-z]+$/.test(subtype.join(":"))) return "";
  return _("“{name}” is not a valid subtype of {universal}; write one colon and letters a to z, as in acl:relcl", { name, universal });
}

/** Edit the annotation with the heads of a version or a suggestion, and return whether: it is refused where a head closes a cycle. */
export function takeHeads(session, edit, place) {
  const before = session.annotation;
  const after = edit(copy(before));
  const around = after.heads ? newCycle(before.heads, after.heads) : [];
  if (around.length) session.refuse(_("{words} would form a cycle; first attach one of them to another word", { words: chained(wordsOf({ annotation: after }), around) }));
  else session.change(() => after, place);
  return !around.length;
}

const numbered = (words, word) => `${quote(words[word])} (${word + 1})`;
const chained = (words, around) => around.map((word) => numbered(words, word)).join(" → ");

/** Return the words whose relation is invalid, or does not fit their head. */
function unrelated(session) {
  const { heads, deprels } = session.annotation;
  return wordsOf(session).flatMap((form, word) => {
    const name = deprels[word];
    if (heads[word] < 0 || name === OPEN) return [];
    const wrong = noRelation(session, name) || (!fits(heads[word], name) && _("the relation “root” is for the root only, and the root has no other; press 0 to make this word the root, or l for another relation"));
    return wrong ? [{ level: "error", word, message: `${quote(form)} (${word + 1}): ${wrong}` }] : [];
  });
}

function unfinished(session) {
  const { heads, deprels } = session.annotation;
  const words = wordsOf(session);
  const open = words.flatMap((_form, word) => (heads[word] < 0 || deprels[word] === OPEN ? [word] : []));
  const names = open.map((word) => quote(words[word]));
  const what = heads[open[0]] < 0 ? _("no head yet: {words}", { words: few(names) }) : _("no relation yet: {words}", { words: few(names) });
  return open.length ? [{ level: "todo", message: what, word: open[0] }] : [];
}

function illegal(session) {
  const { heads } = session.annotation;
  const words = wordsOf(session);
  const named = (word) => numbered(words, word);
  const found = [];
  const around = cycle(heads);
  if (around.length)
    found.push({ level: "error", word: around[0], message: _("{words} form a cycle; attach one of them to another word, or make it the root", { words: chained(words, around) }) });
  const across = heads.findIndex((head, word) => head > 0 && isApart(session, word, head - 1));
  if (across >= 0)
    found.push({ level: "error", word: across, message: _("a sentence ends between {word} and its head {head}; attach it to a word of its own sentence", { word: named(across), head: named(heads[across] - 1) }) });
  const sentences = sentencesOf(session, words.length);
  return [...found, ...sentences.flatMap(([first, last]) => rootless(session, first, last, around, named))];
}

/** Return the error of a sentence with several roots or without a root. */
function rootless(session, first, last, around, named) {
  const heads = session.annotation.heads.slice(first, last + 1);
  const roots = heads.flatMap((head, place) => (head === 0 ? [first + place] : []));
  if (roots.length > 1)
    return [{ level: "error", word: roots[1], message: _("{words} are all roots; attach {second} to {first} or {first} to {second}; if these are two sentences, press {key} on the last word of the first", { words: listed(roots.map(named)), second: named(roots[1]), first: named(roots[0]), key: session.keyOf(".") }) }];
  if (roots.length || around.length || heads.some((head) => head < 0)) return [];
  return [{ level: "error", word: first, message: _("no word is the root; press 0 on the word that is the root") }];
}
