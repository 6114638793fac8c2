// Two versions: where `data.versions` holds what two people, or two windows, made of the item, [ and ] take the one's or the
// other's version of the unit at the cursor (a word, the words of entities that overlap, a question, or the label), and
// the cursor goes on to the next unit that is to be decided. Words on which the versions differ are marked.

import { copy, same } from "./dom.js";
import { COLUMNS, formOf, OPEN, spansOf } from "./words.js";

const NOTHING = [OPEN, -1, undefined]; // what a column holds of a word that nobody has annotated

/** The keys that take one person's version of the unit at the cursor; each says what that is. */
export function versionKeys(session) {
  const take = (version) => {
    session.change((annotation) => taken(session, annotation, version));
    Object.assign(session.place, openUnit(session));
    session.draw();
  };
  return (session.data.versions ?? []).map(({ name, annotation }, which) => ({
    key: "[]"[which],
    label: [name, said(annotation, session)].filter(Boolean).join(": "),
    run: () => take(annotation),
  }));
}

/** What two versions agree on, or one alone says; the rest is open. About other words nothing is agreed on: they are the first's. */
export function agreed(first, second) {
  const made = copy(first);
  const alike = sameWords(first, second);
  const both = (one, other, open) => (one === other || NOTHING.includes(other) ? one : NOTHING.includes(one) ? other : open);
  for (const column of COLUMNS.filter((name) => first[name])) {
    const open = column === "heads" ? -1 : OPEN;
    made[column] = first[column].map((value, word) => (alike ? both(value, second[column][word], open) : open));
  }
  if (first.entities && alike) for (const { from, to } of disputedSpans(first, second)) made.entities.fill(OPEN, from, to + 1);
  if ("label" in first) made.label = both(first.label, second.label, OPEN);
  if (first.answers) {
    made.answers = { ...copy(second.answers), ...made.answers };
    for (const question of Object.keys(second.answers))
      if (!same(made.answers[question], second.answers[question])) delete made.answers[question];
  }
  return made;
}

/** The entities of one version that the other, where it has decided their words, does not have: they are decided as a whole. */
function disputedSpans(first, second) {
  const [one, other] = [first, second].map(({ entities }) => spansOf(entities));
  const lacks = (spans, { entities }) => (span) =>
    !spans.some((each) => same(each, span)) && entities.slice(span.from, span.to + 1).some((tag) => tag !== OPEN);
  return [...one.filter(lacks(other, second)), ...other.filter(lacks(one, first))];
}

export const sameWords = (one, other) => same([one.words, one.ranges], [other.words, other.ranges]);

/** The annotation with a version's unit in it; all of the version where it is about other words. */
function taken(session, annotation, version) {
  if (!sameWords(annotation, version)) return copy(version);
  const { word, question } = session.place;
  const [from, to] = unitOf(session, word);
  for (const column of COLUMNS)
    if (version[column]) annotation[column].splice(from, to - from + 1, ...version[column].slice(from, to + 1));
  if ("label" in version) annotation.label = version.label;
  if (version.answers && question !== undefined) {
    if (question in version.answers) annotation.answers[question] = copy(version.answers[question]);
    else delete annotation.answers[question];
  }
  return annotation;
}

/** First and last word of a unit: of all entities that overlap at a word, whoever made them; elsewhere the word itself. */
function unitOf({ annotation, data }, word) {
  const versions = data.versions.map((one) => one.annotation).filter((one) => sameWords(annotation, one));
  const all = [annotation, ...versions].filter((one) => one.entities);
  const entities = all.flatMap((one) => spansOf(one.entities));
  let [from, to] = [word, word];
  for (;;) {
    const over = entities.filter((one) => one.from <= to && one.to >= from);
    const wider = [Math.min(from, ...over.map((one) => one.from)), Math.max(to, ...over.map((one) => one.to))];
    if (same(wider, [from, to])) return wider;
    [from, to] = wider;
  }
}

/** What a version says of the unit at the cursor. */
function said(version, session) {
  const { annotation, place, data } = session;
  if (!sameWords(annotation, version)) return "other words";
  if (version.entities) {
    const [from, to] = unitOf(session, place.word);
    const inside = spansOf(version.entities).filter((one) => one.from >= from && one.to <= to);
    return inside.map((one) => `${formOf(session, one.from, one.to)} ${one.type}`).join(" | ") || "no entity";
  }
  if (version.answers) return version.answers[place.question]?.map(({ text }) => text).join(" | ");
  if ("label" in version) return version.label;
  const words = annotation.words ?? data.example.words;
  const values = COLUMNS.filter((column) => version[column]).map((column) => [column, version[column][place.word]]);
  return values.map(([column, value]) => (column === "heads" ? words[value - 1] ?? "root" : value)).join(" ← ");
}

/** The place of the next unit that is to be decided, from the cursor on and round; nothing where all are. */
export function openUnit(session) {
  const { annotation, place, data } = session;
  const columns = COLUMNS.map((column) => annotation[column]).filter(Boolean);
  const questions = (data.example.paragraphs ?? []).flatMap((paragraph) => paragraph.questions.map(({ id }) => id));
  const units = annotation.answers ? questions : [...(columns[0] ?? []).keys()];
  const here = Math.max(0, units.indexOf(annotation.answers ? place.question : place.word));
  const isOpen = (unit) => (annotation.answers ? !(unit in annotation.answers) : isOpenWord(annotation, unit));
  const next = [...units.slice(here), ...units.slice(0, here)].find((unit) => isOpen(unit) && isDisputedUnit(session, unit));
  if (next === undefined) return {};
  return annotation.answers ? { question: next } : { word: next, from: next };
}

/** Whether nobody has decided a word. */
const isOpenWord = (annotation, word) => COLUMNS.some((column) => annotation[column] && NOTHING.includes(annotation[column][word]));

/** Whether the versions say different things of a word or a question, or one of them has other words. */
function isDisputedUnit(session, unit) {
  const { annotation, data } = session;
  const versions = data.versions.map((one) => one.annotation);
  if (annotation.answers) return versions.every(({ answers }) => unit in answers) && !same(...versions.map(({ answers }) => answers[unit]));
  if (!versions.every((one) => sameWords(annotation, one))) return true;
  return COLUMNS.some((column) => annotation[column] && proposals(session, column, unit).length > 1);
}

/** Whether anything is left to be decided between two versions. */
export function isDisputed(session) {
  const { annotation } = session;
  if (annotation.label) return annotation.label === OPEN;
  return Object.keys(openUnit(session)).length > 0;
}

/** What the versions say of a word in a column, each thing once; nothing where there is one only. */
export function proposals({ annotation, data }, column, word) {
  const versions = (data.versions ?? []).filter((one) => sameWords(annotation, one.annotation));
  const said = versions.map((one) => one.annotation[column][word]);
  return [...new Set(said.filter((value) => !NOTHING.includes(value)))];
}

/** Mark the words on which the versions differ, those that are not decided more strongly. */
export function markDisputed(session) {
  const { annotation, frame } = session;
  for (const node of session.data.versions ? frame.querySelectorAll("[data-word]") : []) {
    const word = Number(node.dataset.word);
    const disputed = COLUMNS.some((column) => annotation[column] && proposals(session, column, word).length > 1);
    node.classList.toggle("disputed", disputed);
    node.classList.toggle("undecided", disputed && isOpenWord(annotation, word));
  }
}

/** The disputed words that would be decided by leaving them, which is not meant where somebody reviews. */
export function undecided(session) {
  if (!session.data.versions || !session.editor.finished) return [];
  const { word } = openUnit(session);
  if (word === undefined) return [];
  return [{ level: "todo", message: `not decided: “${formOf(session, ...unitOf(session, word))}”`, word }];
}
