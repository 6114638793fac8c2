// Review: where `data.versions` holds what two people made of the item, [ and ] take the one's or the other's version of
// the unit at the cursor (a word, the words of entities that overlap, a question, or the label), and the cursor goes on
// to the next unit that is open. Words on which the versions differ are marked. Where they have cut the text into other
// words, the smallest part of it that both have cut is one unit, and taking it takes the words too.

import { blocks, columnsOf, CORRECTABLE_COLUMNS, isOpenWord, links, moved, OPEN, rangeAt, tokenization, wordsOf } from "./alignment.js";
import { nodesIn, renamed } from "./deps.js";
import { copy, same } from "./dom.js";
import { nodeValues } from "./enhanced.js";
import { takeHeads } from "./legal.js";
import { _ } from "./messages.js";
import { spansOf } from "./nested.js";
import { endsOf, withEnds } from "./sentences.js";
import { carried, compared, formOf } from "./words.js";

/** The keys that take one person's version of the unit at the cursor; each says what that is. */
export function versionKeys(session) {
  const take = (version) => {
    const { example } = session.data;
    const unit = example.words ? unitOf(session, session.place.word) : [];
    const from = example.words && lacks(session, version, unit) ? unit[0] - 1 : unit[0];
    const isTaken = takeHeads(session, (annotation) => taken(session, annotation, version), example.words ? { word: from, from } : {});
    if (!isTaken) return;
    Object.assign(session.place, openUnit(session));
    session.draw();
  };
  return (session.data.versions ?? []).map(({ name, annotation }, which) => ({
    key: "[]"[which],
    label: [name, said(session, annotation)].filter(Boolean).join(": "),
    run: () => take(annotation),
  }));
}

/** A version beside the annotation: its words, what they have in common with those, and its columns and ends on those. */
function beside(session, annotation) {
  return compared(session, annotation, () => {
    const named = tokenization({ annotation });
    const all = named.words ? blocks(tokenization(session), named, true) : [];
    const [from, to] = links(all);
    const ends = endsOf({ annotation }).map((end) => to[end]).filter((end) => end > 0);
    const corrected = (annotation.heads ? CORRECTABLE_COLUMNS : []).map((column) => [column, from.map((word) => annotation[column]?.[word] ?? null)]);
    return { ...named, all, ends, columns: named.words ? moved(annotation, from, to) : {}, corrections: Object.fromEntries(corrected) };
  });
}

/** The columns of each version on the words as they are now, open where it has others. */
export const versionColumns = (session) => (session.data.versions ?? []).map(({ annotation }) => beside(session, annotation).columns);

/** What a version has in place of some words: its own, and whether these are others. */
function cutOf(session, version, [from, to]) {
  const parts = beside(session, version).all.filter(({ mine }) => mine.some((word) => from <= word && word <= to));
  return { theirs: parts.flatMap(({ theirs }) => theirs), equal: parts.every(({ equal }) => equal) };
}

/** Whether a version has nothing in place of some words: in it the sentence does not go on in the next one. */
const lacks = (session, version, unit) => !cutOf(session, version, unit).theirs.length;

/** The annotation with a version's unit in it. */
function taken(session, annotation, version) {
  const { word, question } = session.place;
  if (session.data.example.words) return withWords(session, annotation, version, unitOf(session, word));
  if ("label" in version) annotation.label = version.label;
  if (version.answers && question !== undefined) {
    if (question in version.answers) annotation.answers[question] = copy(version.answers[question]);
    else delete annotation.answers[question];
  }
  return annotation;
}

/** The annotation with a version's words from one to another, and what it says of them. */
function withWords(session, annotation, version, [from, to]) {
  if (lacks(session, version, [from, to])) return cutOff({ data: session.data, annotation }, version, from);
  const { theirs, equal } = cutOf(session, version, [from, to]);
  const made = equal ? annotation : recut(session, annotation, beside(session, version), theirs, [from, to]);
  const { columns, corrections, ends } = beside({ data: session.data, annotation: made }, version);
  if (made.deps || version.deps) made.deps = withDeps(session, made, version, theirs, from);
  for (const column of Object.keys(columns))
    made[column].splice(from, theirs.length, ...columns[column].slice(from, from + theirs.length));
  for (const [column, values] of Object.entries(corrections).filter(([name, values]) => made[name] || values.some((value) => value !== null)))
    made[column] = (made[column] ?? values.map(() => null)).toSpliced(from, theirs.length, ...values.slice(from, from + theirs.length));
  return ended({ data: session.data, annotation: withNodes(session, made, version) }, ends, from, from + theirs.length);
}

/** The annotation with all empty nodes of a version on the same words, and without arcs from nodes that it does not have. */
function withNodes(session, made, version) {
  if (same(made.nodes ?? null, version.nodes ?? null) || !beside(session, version).all.every(({ equal }) => equal)) return made;
  const { nodes: _before, ...others } = made;
  const after = version.nodes ? { ...others, nodes: copy(version.nodes) } : others;
  const ids = nodesIn(nodeValues({ ...session, annotation: after })).map(({ id }) => id);
  const isThere = (id) => (id.includes(".") && !ids.includes(id) ? null : id);
  if (after.deps) after.deps = after.deps.map((column) => column && renamed(column, isThere));
  return after;
}

/** The annotation without the words from one on, joined with as many sentences as a version is. */
function cutOff(session, version, from) {
  const { words, ranges } = tokenization(session);
  const kept = [...words.keys()].slice(0, from);
  const to = words.map((_, word) => (word < from ? word : null));
  const { joined: _before, ...made } = carried(session.annotation, words.slice(0, from), ranges.filter(([, last]) => last <= from), kept, to);
  return version.joined ? { ...made, joined: version.joined } : made;
}

/** Changed DEPS with those of a version, where that has the same words: heads are numbers of these. */
function withDeps(session, { deps, words }, version, theirs, from) {
  const none = words.map(() => null);
  const mine = [...(deps ?? none)];
  if (!beside(session, version).all.every(({ equal }) => equal)) return mine;
  return mine.toSpliced(from, theirs.length, ...(version.deps ?? none).slice(from, from + theirs.length));
}

/** The annotation with the sentences that end with the words from one on and before another as a version has them. */
function ended(session, ends, from, behind) {
  const inside = (end) => from < end && end <= behind;
  const mine = endsOf(session);
  const made = [...mine.filter((end) => !inside(end)), ...ends.filter(inside)].sort((a, b) => a - b);
  if (same(made, mine)) return session.annotation;
  const { words, ranges } = tokenization(session);
  return withEnds(session.annotation, words, ranges, made);
}

/** The annotation with other words from one to another, which are open. */
function recut(session, annotation, { words, ranges }, theirs, [from, to]) {
  const mine = tokenization(session);
  const more = theirs.length - (to - from + 1);
  const shifted = (all, by) => all.map(([first, last, form]) => [first + by, last + by, form]);
  const inside = ([first]) => theirs.includes(first - 1);
  const made = [...mine.words.slice(0, from), ...theirs.map((word) => words[word]), ...mine.words.slice(to + 1)];
  const tokens = [
    ...mine.ranges.filter(([, last]) => last <= from),
    ...shifted(ranges.filter(inside), from - theirs[0]),
    ...shifted(mine.ranges.filter(([first]) => first > to + 1), more),
  ];
  const old = made.map((_, now) => (now < from ? now : now < from + theirs.length ? null : now - more));
  const moves = mine.words.map((_, word) => (word < from ? word : word > to ? word + more : from));
  const ends = endsOf({ annotation }).filter((end) => end <= from || end > to); // others fall with their words
  return carried({ ...annotation, ends }, made, tokens, old, moves);
}

/**
 * First and last word of a unit: of all entities that overlap at a word, whoever made them, and of words cut otherwise.
 * @returns {[number, number]}
 */
function unitOf(session, word) {
  const all = [session.annotation, ...versionColumns(session)].filter((one) => one.entities);
  const entities = all.flatMap((one) => spansOf(one.entities));
  const cut = session.data.versions.flatMap((one) => beside(session, one.annotation).all.filter(({ equal }) => !equal));
  const parts = [...entities, ...cut.map(({ mine }) => ({ from: mine[0], to: mine.at(-1) }))];
  let [from, to] = [word, word];
  for (;;) {
    const over = parts.filter((part) => part.from <= to && part.to >= from);
    const first = Math.min(from, ...over.map((part) => part.from));
    const last = Math.max(to, ...over.map((part) => part.to));
    if (first === from && last === to) return [from, to];
    [from, to] = [first, last];
  }
}

/** What a version says of the unit at the cursor. */
function said(session, version) {
  const { place } = session;
  if (version.answers) return version.answers[place.question]?.map(({ text }) => text).join(" | ");
  if ("label" in version) return version.label;
  const [from, to] = unitOf(session, place.word);
  const { theirs, equal } = cutOf(session, version, [from, to]);
  const { words, ranges, columns, corrections } = beside(session, version);
  if (!theirs.length) return _("the sentence ends earlier");
  if (!equal) {
    const written = new Set(theirs.map((word) => rangeAt(ranges, word)?.[2]).filter(Boolean));
    return [...written, theirs.map((word) => words[word]).join(" + ")].join(" = ");
  }
  if (version.entities) {
    const inside = spansOf(columns.entities).filter((one) => one.from >= from && one.to <= to);
    return inside.map((one) => `${formOf(session, one.from, one.to)} ${one.type}`).join(" | ") || _("no entity");
  }
  const head = (value) => (value === -1 ? OPEN : wordsOf(session)[value - 1] ?? _("root"));
  const named = ([column, values]) => (column === "heads" ? head(values[from]) : values[from]);
  const corrected = Object.values(corrections).map((values) => values[from]).filter((value) => value !== null);
  return [Object.entries(columns).map(named).join(" ← "), ...corrected].join(" · ");
}

/** The place of the next unit that nobody has annotated, from the cursor on and round; nothing where all are. */
export function openUnit({ annotation, place, data }) {
  const columns = columnsOf(annotation).map((column) => annotation[column]);
  const questions = (data.example.paragraphs ?? []).flatMap((paragraph) => paragraph.questions.map(({ id }) => id));
  const units = annotation.answers ? questions : [...(columns[0] ?? []).keys()];
  const here = Math.max(0, units.indexOf(annotation.answers ? place.question : place.word));
  const isOpen = (unit) => (annotation.answers ? !(unit in annotation.answers) : isOpenWord(annotation, unit));
  const next = [...units.slice(here), ...units.slice(0, here)].find(isOpen);
  if (next === undefined) return {};
  return annotation.answers ? { question: next } : { word: next, from: next };
}

/** What the versions say of a word in a column, each thing once; nothing outside a review. */
export function proposals(session, column, word) {
  return [...new Set(versionColumns(session).map((columns) => columns[column][word]))].filter((value) => value !== OPEN);
}

/** Mark the words on which the versions differ, those that are not decided more strongly. */
export function markDisputed(session) {
  const { annotation, frame, data } = session;
  for (const node of data.versions ? frame.querySelectorAll("[data-word]") : []) {
    const word = Number(node.dataset.word);
    const all = data.versions.map((one) => beside(session, one.annotation));
    const said = all.map(({ columns, corrections }) => Object.values({ ...columns, ...corrections }).map((values) => values[word]));
    const cut = data.versions.some((one) => !cutOf(session, one.annotation, [word, word]).equal);
    const ends = data.versions.map((one) => beside(session, one.annotation).ends.includes(word + 1));
    const disputed = cut || !ends.every((end) => end === ends[0]) || said.some((values) => !same(values, said[0]));
    node.classList.toggle("disputed", disputed);
    node.classList.toggle("undecided", disputed && isOpenWord(annotation, word));
  }
}

/** The disputed words that would be decided by leaving them, which is not meant where somebody reviews. */
export function undecided(session) {
  if (!session.data.versions || !session.editor.finished) return [];
  const { word } = openUnit(session);
  if (word === undefined) return [];
  return [{ level: "todo", message: _("not decided: “{words}”", { words: formOf(session, ...unitOf(session, word)) }), word }];
}
