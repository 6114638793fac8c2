// Two windows on one item: where another one has saved a version that this one has not seen, both become versions of a
// review, see versions.js, and the editor goes on with what they agree on.

import { changeableColumns, columnsOf, isOpenWord, OPEN, SHARED_COLUMNS } from "./alignment.js";
import { cycle } from "./arcs.js";
import { copy, same } from "./dom.js";
import { _ } from "./messages.js";
import { inside, spansOf } from "./nested.js";
import { sentencesOf } from "./sentences.js";

const NOTHING = [OPEN, -1, undefined]; // what stands where nobody has annotated

export const sameWords = (one, other) => same([one.words, one.ranges, one.ends, one.joined], [other.words, other.ranges, other.ends, other.joined]);

/** The places of the words whose values some version has changed, by column, of the columns that other tasks set too; null of other words. */
export function changedPlaces(before, ...versions) {
  if (!before.words || versions.some(({ words }) => !same(before.words, words))) return null;
  const value = (version, column, word) => version[column]?.[word] ?? null;
  const changed = (column) => (word) => versions.some((version) => value(version, column, word) !== value(before, column, word));
  const places = SHARED_COLUMNS.map((column) => [column, [...before.words.keys()].filter(changed(column))]);
  return Object.fromEntries(places.filter(([, words]) => words.length));
}

/** A version with what has changed from one version of the server to the next, where it has the same as the first: only values that other tasks set too. */
export function rebased(version, before, after) {
  const made = { ...version };
  const value = (one, column, word) => one[column]?.[word] ?? null;
  const places = same(version.words, before.words) ? (changedPlaces(before, after) ?? {}) : {};
  for (const [column, words] of Object.entries(places)) {
    const isKept = (word) => value(version, column, word) === value(before, column, word);
    const values = version.words.map((_, word) => value(words.includes(word) && isKept(word) ? after : version, column, word));
    if (values.some((one) => one !== null)) made[column] = values;
    else delete made[column];
  }
  return made;
}

/** Two versions of a common one, each with what the other alone has changed, so that they differ where both have changed it. */
export function shared(common, mine, theirs) {
  if (!common || !sameWords(common, mine) || !sameWords(common, theirs)) return [mine, theirs];
  const made = [copy(mine), copy(theirs)];
  for (const columns of groupsOf(mine)) {
    const [own, other] = [mine, theirs].map((version) => changedUnits(common, version, columns));
    if (columns.includes("entities")) widen(own, other, [common, mine, theirs].flatMap(({ entities }) => spansOf(entities)));
    for (const unit of other) if (!own.has(unit)) take(made[0], theirs, columns, unit);
    for (const unit of own) if (!other.has(unit)) take(made[1], mine, columns, unit);
  }
  for (const word of disputedHeads(mine, theirs, made))
    [mine, theirs].forEach((version, which) => take(made[which], version, columnsOf(version), word));
  return made;
}

/** The words to which two versions give other heads, where one that was made of both has a cycle or a second root that neither has. */
function disputedHeads(first, second, made) {
  if (!first.heads || !made.some(isNoTree) || isNoTree(first) || isNoTree(second)) return [];
  return [...first.heads.keys()].filter((word) => first.heads[word] !== second.heads[word]);
}

/** Whether heads make a cycle, or a sentence has more than one root. */
function isNoTree(annotation) {
  const { heads } = annotation;
  const roots = (from, to) => heads.slice(from, to + 1).filter((head) => head === 0);
  return cycle(heads).length > 0 || sentencesOf({ annotation }, heads.length).some(([from, to]) => roots(from, to).length > 1);
}

/** The columns that are changed together: those of the task, and each of the others. */
const groupsOf = (annotation) =>
  annotation.words ? [columnsOf(annotation), ...changeableColumns(annotation).map((column) => [column])] : [["answers" in annotation ? "answers" : "label"]];

/** The words, questions or label that a version has changed; of entities with all words of those that are others now. */
function changedUnits(before, after, columns) {
  const units = (column) => Object.keys({ ...before[column], ...after[column] });
  if (!after.words && columns[0] === "label") return new Set(before.label === after.label ? [] : [""]);
  const changed = columns.flatMap((column) => units(column).filter((unit) => !same(before[column]?.[unit] ?? null, after[column]?.[unit] ?? null)));
  const spans = columns.includes("entities") ? [before, after].map(({ entities }) => spansOf(entities)) : [[], []];
  const apart = spans.flatMap((own, side) => own.filter((span) => !spans[1 - side].some((each) => same(each, span))));
  return new Set([...changed, ...apart.flatMap(unitsOf)]);
}

/** Count all words of an entity as changed by both versions where both have changed some of them: an entity is never mixed. */
function widen(own, other, spans) {
  const isBoth = (unit) => own.has(unit) && other.has(unit);
  const next = () => spans.map(unitsOf).find((units) => units.some(isBoth) && !units.every(isBoth));
  for (let units = next(); units; units = next()) for (const changed of [own, other]) units.forEach((unit) => changed.add(unit));
}

/** The words of an entity, as units. */
const unitsOf = ({ from, to }) => Array.from({ length: to - from + 1 }, (_, at) => String(from + at));

/** Give a version what another one has of a unit. */
function take(made, other, columns, unit) {
  for (const column of columns) {
    if (column === "label") made.label = other.label;
    else if (other[column]?.[unit] !== undefined) {
      made[column] ??= other.words.map(() => null);
      made[column][unit] = copy(other[column][unit]);
    } else if (column === "answers") delete made.answers[unit];
    else if (made[column]) made[column][unit] = null;
  }
}

/** What two versions agree on, or one alone says; the rest is open. Of other words nothing is agreed on: they are the first's. */
export function agreed(first, second) {
  const made = copy(first);
  const alike = sameWords(first, second);
  const both = (one, other, open) => (one === other || NOTHING.includes(other) ? one : NOTHING.includes(one) ? other : open);
  for (const column of columnsOf(first)) {
    const open = column === "heads" ? -1 : OPEN;
    made[column] = first[column].map((value, word) => (alike ? both(value, second[column][word], open) : open));
  }
  if (alike) Object.assign(made, besides(first, second));
  if (first.entities && alike) for (const { from, to } of disputedSpans(first, second)) made.entities.fill(OPEN, from, to + 1);
  if (alike) for (const word of disputedHeads(first, second, [made])) made.heads[word] = -1;
  if ("label" in first) made.label = both(first.label, second.label, OPEN);
  if (first.answers) {
    made.answers = { ...copy(second.answers), ...made.answers };
    for (const question of questionsOf(first, second)) delete made.answers[question];
  }
  return made;
}

/** What either version has beside its columns; of a word of which both have something, what the first has. */
function besides(first, second) {
  const given = changeableColumns(first).filter((name) => first[name] || second[name]);
  const both = (name) => first[name]?.map((value, word) => value ?? second[name]?.[word] ?? null) ?? second[name];
  return Object.fromEntries(given.map((name) => [name, both(name)]));
}

/** The entities of one version that the other, where it has decided their words, does not have: they are decided as a whole, with those around them. */
function disputedSpans(first, second) {
  const [one, other] = [first, second].map(({ entities }) => spansOf(entities));
  const lacks = (spans, { entities }) => (span) =>
    !spans.some((each) => same(each, span)) && entities.slice(span.from, span.to + 1).some((tag) => tag !== OPEN);
  const apart = [...one.filter(lacks(other, second)), ...other.filter(lacks(one, first))];
  return [...one, ...other].filter((span) => apart.some((each) => inside(each, span)));
}

/** The questions that the versions answer differently. */
const questionsOf = (first, second) =>
  Object.keys(first.answers).filter((id) => id in second.answers && !same(first.answers[id], second.answers[id]));

/** The places at which two versions are to be decided on: of words, of questions, or of the label; none where they agree. */
export function disputed(first, second) {
  const made = agreed(first, second);
  if ("label" in made) return made.label === OPEN && first.label !== second.label ? [{}] : [];
  if (made.answers) return questionsOf(first, second).map((question) => ({ question, word: 0, from: 0 }));
  const alike = sameWords(first, second);
  const isOpen = (version, column, word) => [OPEN, -1].includes(version[column][word]);
  const untouched = (column, word) => alike && isOpen(first, column, word) && isOpen(second, column, word);
  const isDisputed = (word) => columnsOf(made).some((column) => isOpen(made, column, word) && !untouched(column, word));
  const words = made[columnsOf(made)[0]].keys();
  return [...words].filter(isDisputed).map((word) => ({ word, from: word }));
}

/** The disputed words that would be decided by leaving them, which is not meant. */
export function unsettled({ annotation, editor, windows }) {
  if (!windows || !editor.finished) return [];
  const [mine, theirs] = windows.map((one) => one.annotation);
  const left = sameWords(annotation, mine) ? disputed(mine, theirs).find(({ word }) => isOpenWord(annotation, word)) : null;
  return left ? [{ level: "todo", message: _("not decided: the two windows differ here"), word: left.word }] : [];
}
