// Joins a sentence that was split too early: `,` joins the sentence at the cursor with the next sentence of the item, or of
// the file. The annotation then has the words of both, and `joined` is the number of further sentences of the file.
//
// `data.following` has the sentences that the saved annotation includes, and the sentence after them, each with its annotation.

import { changeableColumns, columnsOf, CORRECTABLE_COLUMNS, named, OPEN, tokenization, wordsOf } from "./alignment.js";
import { behind, joinedNodes, nodesIn, renamed, wordBefore } from "./deps.js";
import { nodeValues } from "./enhanced.js";
import { _ } from "./messages.js";
import { endsOf, withEnds } from "./sentences.js";

/** Return the number of further sentences of the file that the annotation includes. */
const joinedOf = ({ annotation }) => annotation.joined ?? 0;

/** Return the key that joins the sentence at the cursor with the next one; its hint is visible at the last word. */
export const joinKey = (session) => {
  const near = session.place.word === wordsOf(session).length - 1 && nextOf(session)?.refused === "";
  return { key: ",", label: _("join with next sentence"), rare: !near, run: () => join(session) };
};

const nextOf = (session) => session.data.following?.[joinedOf(session)];

function join(session) {
  const { words, ranges } = tokenization(session);
  const ends = endsOf(session);
  const end = ends.find((one) => one > session.place.word);
  if (end) return session.change((annotation) => withEnds(annotation, words, ranges, ends.filter((one) => one !== end)), { dependent: null });
  const next = nextOf(session);
  if (!next || next.refused) return session.refuse(next?.refused ?? _("not saved yet; try again in a moment"));
  const mine = { words, nodes: nodeValues(session) };
  session.change((annotation) => together(annotation, next, mine), { dependent: null });
}

/** Return an annotation followed by the words and the annotation of the next sentence, with shifted ids; `mine`: its empty nodes. */
function together(annotation, next, mine) {
  const moved = behind(mine.words.length, nodesAfter(mine));
  const own = named(next.annotation ?? {}, next);
  const start = annotation.words.length;
  const made = { ...annotation, joined: (annotation.joined ?? 0) + 1, words: [...annotation.words, ...own.words] };
  made.ranges = [...annotation.ranges, ...own.ranges.map(([first, last, form]) => [first + start, last + start, form])];
  const ends = [...(annotation.ends ?? []), ...(own.ends ?? []).map((end) => end + start)];
  if (ends.length) made.ends = ends;
  for (const column of columnsOf(annotation)) {
    const values = own[column]?.length ? own[column] : own.words.map(() => (column === "heads" ? -1 : OPEN));
    made[column] = [...annotation[column], ...values.map((value) => (column === "heads" && value > 0 ? value + start : value))];
  }
  const changed = ({ words, ...columns }, column) => columns[column] ?? words.map(() => null);
  for (const column of changeableColumns(annotation).filter((name) => annotation[name] || own[name])) {
    const theirs = changed(own, column).map((value) => (column === "deps" && value ? renamed(value, moved) : value));
    made[column] = [...changed(annotation, column), ...theirs];
  }
  if (made.nodes) made.nodes = withNodesBetween(made.nodes, joinedNodes(mine.nodes, next.nodes.map((value, word) => own.nodes?.[word] ?? value), moved), start);
  return made;
}

/** Return changed empty nodes of joined sentences; all between the two are changed where some are, since they stand at one word now. */
function withNodesBetween(changed, all, start) {
  const isOne = changed[start - 1] !== null || changed[start] !== null;
  return changed.map((value, word) => (value !== null || (isOne && word === start - 1) ? all[word] : null));
}

/** Return an example with the further sentences of an annotation: the text, and the columns of the file. */
export function withFollowing({ annotation, data }) {
  const { example, following = [] } = data;
  return following.slice(example.joined ?? 0, joinedOf({ annotation })).reduce(united, example);
}

function united(before, next) {
  const start = before.words.length;
  const moved = behind(start, nodesAfter(before));
  return {
    ...before,
    text: before.text + (next.spaced ? " " : "") + next.text,
    words: [...before.words, ...next.words],
    ranges: [...before.ranges, ...next.ranges.map(([first, last, form]) => [first + start, last + start, form])],
    ...Object.fromEntries(["misc", ...CORRECTABLE_COLUMNS].map((name) => [name, [...before[name], ...next[name]]])),
    deps: [...before.deps, ...next.deps.map((column) => renamed(column, moved))],
    nodes: joinedNodes(before.nodes, next.nodes, moved),
  };
}

/** Return the number of empty nodes after the last word. */
const nodesAfter = ({ nodes, words }) => nodesIn(nodes).filter((node) => wordBefore(node) === words.length).length;
