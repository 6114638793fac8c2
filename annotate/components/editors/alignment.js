// Compares two tokenizations of a sentence by the letters that their words cover.
//
// A tokenization is {words, ranges}. Letters are counted in the written forms, without spaces: in words, or in their
// multiword tokens. If the words do not spell their multiword token, each of the words covers the whole token.

import { same } from "./dom.js";

export const OPEN = "_";
export const ROOT = "root";
export const COLUMNS = ["upos", "heads", "deprels", "entities", "lemmas", "feats", "xpos"];
export const CORRECTABLE_COLUMNS = ["upos", "lemmas", "xpos", "feats"]; // columns that a tree may correct, see corrections.js
export const SHARED_COLUMNS = ["misc", "nodes", "deps", ...CORRECTABLE_COLUMNS]; // columns that several tasks of a project may set

/** Return the columns that the app does not ask for: null for a word means unchanged from the file. */
export const changeableColumns = (annotation) => ["misc", "nodes", "deps", ...(annotation.heads ? CORRECTABLE_COLUMNS : [])];

/** Return the columns that an annotation has of those that the app asks for. */
export const columnsOf = (annotation) => COLUMNS.filter((column) => annotation[column] && !changeableColumns(annotation).includes(column));

/** Return whether some column of a word is not annotated. */
export const isOpenWord = (annotation, word) => columnsOf(annotation).some((column) => [OPEN, -1].includes(annotation[column][word]));

/** Return an annotation with its words; an annotation without words gets those of the example. */
export function named(annotation, example) {
  if (annotation.words || !example.words) return annotation;
  const { ends, joined } = example;
  return { ...annotation, words: example.words, ranges: example.ranges, ...(ends.length ? { ends } : {}), ...(joined ? { joined } : {}) };
}

export const wordsOf = ({ annotation }) => annotation.words;
export const tokenization = ({ annotation: { words, ranges } }) => ({ words, ranges });

export const bare = (form) => form.replace(/\s+/g, "");

/** Return the multiword token of a word as [first, last, form], counted from 1. */
export const rangeAt = (ranges, word) => ranges.find(([first, last]) => first - 1 <= word && word < last);

/** Return whether the words of a multiword token, concatenated, are its written form. */
export const isMadeUp = (words, [first, last, form]) => words.slice(first - 1, last).map(bare).join("") === bare(form);

/** Return the start and the end of each word in letters; the end is exclusive. */
export function lettersOf({ words, ranges }) {
  const found = [];
  words.forEach((form, word) => {
    const range = rangeAt(ranges, word);
    const whole = range && !isMadeUp(words, range);
    const start = whole && word >= range[0] ? found.at(-1)[0] : found.at(-1)?.[1] ?? 0;
    found.push([start, start + bare(whole ? range[2] : form).length]);
  });
  return found;
}

/**
 * Return the smallest runs of words that cover the same letters, as {mine, theirs, equal}: places of words, one on each
 * side if they are equal. With `written`, words that only one side writes as one token count as different.
 */
export function blocks(one, other, written = false) {
  const letters = [one, other].map(lettersOf);
  const tokens = [one, other].map(({ ranges }, side) =>
    ranges.map(([first, last, form]) => [letters[side][first - 1][0], letters[side][last - 1][1], form]),
  );
  const alone = tokens.flatMap((mine, side) => mine.filter((token) => !tokens[1 - side].some((theirs) => same(token, theirs))));
  const apart = (letter) => written && alone.some(([start, end]) => start <= letter && letter < end);
  const ends = new Set(letters[1].map(([, end]) => end));
  const common = [...new Set(letters[0].map(([, end]) => end))].filter((end) => ends.has(end) && !(apart(end - 1) && apart(end)));
  const found = [...common, Infinity].map(() => [[], []]);
  letters.forEach((words, side) =>
    words.forEach(([start], word) => found[common.filter((end) => end <= start).length][side].push(word)),
  );
  return found.filter(([mine, theirs]) => mine.length + theirs.length).flatMap(([mine, theirs]) => {
    const forms = [mine.map((word) => one.words[word]), theirs.map((word) => other.words[word])];
    if (!same(...forms) || apart(letters[0][mine[0]][0])) return [{ mine, theirs, equal: false }];
    return mine.map((word, at) => ({ mine: [word], theirs: [theirs[at]], equal: true }));
  });
}

/** Return the old word of each new word (null: none), and the new head of the dependants of each old word. */
export function links(all) {
  const [from, to] = [[], []];
  for (const { mine, theirs, equal } of all) {
    for (const word of mine) from[word] = equal ? theirs[0] : null;
    for (const word of theirs) to[word] = mine[0] ?? null;
  }
  return [from, to];
}

/** Return the columns of an annotation on other words, see `links`; new words and heads that no longer exist are open. */
export function moved(annotation, from, to) {
  const made = /** @type {any} */ (Object.fromEntries(columnsOf(annotation).map((column) => [column, from.map((word) => annotation[column][word] ?? OPEN)])));
  made.heads &&= made.heads.map((head, word) => (head === OPEN ? -1 : headTo(head, word, to)));
  made.deprels &&= made.deprels.map((name, word) => (made.heads[word] < 0 && annotation.heads[from[word]] >= 0 ? OPEN : name));
  return made;
}

function headTo(head, word, to) {
  if (head <= 0) return head;
  const place = to[head - 1] ?? null;
  return place === null || place === word ? -1 : place + 1;
}
