// A sentence that was cut too early: `,` lets the one at the cursor go on in the next one, of the same item, else of the
// file. The annotation then has the words of both, and `joined` says how many sentences of the file it goes on in.
//
// `data.following` holds those that it goes on in as it is saved, and the one behind, each with what was made of it.

import { COLUMNS, named, OPEN } from "./alignment.js";
import { behind, renamed } from "./deps.js";
import { _ } from "./messages.js";
import { endsOf, withEnds } from "./sentences.js";

/** How many sentences of the file the annotation goes on in. */
export const joinedOf = ({ annotation }) => annotation.joined ?? 0;

/** The key that joins the sentence at the cursor with the next one; its hint is in sight at the last word. */
export const joinKey = (session, tokens) => {
  const { words } = tokens();
  const near = session.place.word === words.length - 1 && nextOf(session)?.refused === "";
  return { key: ",", label: _("join with next sentence"), rare: !near, run: () => join(session, tokens()) };
};

const nextOf = (session) => session.data.following?.[joinedOf(session)];

function join(session, { words, ranges }) {
  const ends = endsOf(session);
  const end = ends.find((one) => one > session.place.word);
  if (end) return session.change((annotation) => withEnds(annotation, words, ranges, ends.filter((one) => one !== end)), { dependent: null });
  const next = nextOf(session);
  if (!next || next.refused) {
    session.message = next?.refused ?? _("not saved yet; try again in a moment");
    return session.draw();
  }
  const moved = behind(words.length, nodesAfter(withFollowing(session)));
  session.change((annotation) => together(annotation, next, moved), { dependent: null });
}

/** An annotation with the words and the annotation of the next sentence behind them, whose ids move. */
function together(annotation, next, moved) {
  const own = named(next.annotation ?? {}, next);
  const start = annotation.words.length;
  const made = { ...annotation, joined: (annotation.joined ?? 0) + 1, words: [...annotation.words, ...own.words] };
  made.ranges = [...annotation.ranges, ...own.ranges.map(([first, last, form]) => [first + start, last + start, form])];
  const ends = [...(annotation.ends ?? []), ...(own.ends ?? []).map((end) => end + start)];
  if (ends.length) made.ends = ends;
  for (const column of COLUMNS.filter((name) => annotation[name])) {
    const given = own[column] ?? (column === "upos" ? next.upos : null); // which is open where a task asks for tags
    const values = given?.length ? given : own.words.map(() => (column === "heads" ? -1 : OPEN));
    made[column] = [...annotation[column], ...values.map((value) => (column === "heads" && value > 0 ? value + start : value))];
  }
  const changed = (values, words) => values ?? words.map(() => null);
  if (annotation.misc || own.misc) made.misc = [...changed(annotation.misc, annotation.words), ...changed(own.misc, own.words)];
  if (annotation.deps || own.deps) {
    const theirs = changed(own.deps, own.words).map((column) => column && renamed(column, moved));
    made.deps = [...changed(annotation.deps, annotation.words), ...theirs];
  }
  return made;
}

/** An example with the sentences that an annotation goes on in: what is written, and what the file has of its words. */
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
    ...Object.fromEntries(["misc", "upos", "lemmas"].map((name) => [name, [...before[name], ...next[name]]])),
    deps: [...before.deps, ...next.deps.map((column) => renamed(column, moved))],
    nodes: [...before.nodes, ...next.nodes.map(([id, form, deps]) => [moved(id), form, renamed(deps, moved)])],
  };
}

/** How many empty nodes stand behind the last word. */
const nodesAfter = ({ nodes, words }) => nodes.filter(([id]) => id.startsWith(`${words.length}.`)).length;
