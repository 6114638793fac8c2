// Review: where `data.versions` holds what two people made of the item, [ and ] take the one's or the other's version of
// the unit at the cursor (a word, the words of entities that overlap, a question, or the label), and the cursor goes on
// to the next unit that is open. Words on which the versions differ are marked.

import { copy, same } from "./dom.js";
import { COLUMNS, formOf, spansOf } from "./words.js";

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

/** The place of the next unit that nobody has annotated, from the cursor on and round; nothing where all are. */
export function openUnit({ annotation, place, data }) {
  const columns = COLUMNS.map((column) => annotation[column]).filter(Boolean);
  const questions = (data.example.paragraphs ?? []).flatMap((paragraph) => paragraph.questions.map(({ id }) => id));
  const units = annotation.answers ? questions : [...(columns[0] ?? []).keys()];
  const here = Math.max(0, units.indexOf(annotation.answers ? place.question : place.word));
  const isOpen = (unit) => (annotation.answers ? !(unit in annotation.answers) : isOpenWord(annotation, unit));
  const next = [...units.slice(here), ...units.slice(0, here)].find(isOpen);
  if (next === undefined) return {};
  return annotation.answers ? { question: next } : { word: next, from: next };
}

/** Whether nobody has decided a word. */
const isOpenWord = (annotation, word) => COLUMNS.some((column) => ["_", -1].includes(annotation[column]?.[word]));

/** What the versions say of a word in a column, each thing once; nothing outside a review. */
export function proposals({ annotation, data }, column, word) {
  const versions = (data.versions ?? []).filter((one) => sameWords(annotation, one.annotation));
  return [...new Set(versions.map((one) => one.annotation[column][word]))].filter((value) => value !== "_");
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
