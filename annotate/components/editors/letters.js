// Selecting letters with the mouse, for entities that begin or end inside a word.
//
// The words of a text without spaces come from a segmenter, which is often wrong at names. In such a text a drag selects
// letters, and the words are split at the ends of the selection when it gets a type: a drag alone changes nothing.
// `session.place.cut` is the start of the selection in its first word and the end in its last word.

import { wordsOf } from "./alignment.js";
import { same } from "./dom.js";
import { selected, split } from "./words.js";

/** Matches letters of scripts that are written without spaces. */
const UNSPACED =
  /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}\p{scx=Java}\p{scx=Bali}\p{scx=Lana}\p{scx=Talu}\p{scx=Tavt}\p{scx=Yiii}]/u;
const CLICK = 5; // pixels: a shorter movement is a click
const STACKS = /[\u1039\u17d2\u1a60]$/; // signs below which the next letter is written
const LETTERS = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Return whether a sentence is written without spaces: it has such letters, and most words follow each other directly. */
export function unspaced({ example }) {
  const gaps = example.tight.slice(0, -1);
  const closed = gaps.filter(Boolean);
  return 2 * closed.length >= gaps.length && example.words.some((word) => UNSPACED.test(word));
}

/** Return the parts of a word that the mouse can select, as {start, end}: letters of such scripts, runs of other letters. */
export function letters(session, word) {
  const form = wordsOf(session)[word];
  if (!unspaced(session.data)) return [{ start: 0, end: form.length }];
  const found = [];
  for (const { segment, index } of LETTERS.segment(form)) {
    const last = found.at(-1);
    const before = last && form.slice(last.start, index);
    if (last && (STACKS.test(before) || !(UNSPACED.test(before) || UNSPACED.test(segment)))) last.end = index + segment.length;
    else found.push({ start: index, end: index + segment.length });
  }
  return found;
}

/** Return the letter of a word that is nearest to the pointer. */
export function letterAt({ currentTarget, clientX, clientY }, parts) {
  const far = ({ left, right, top, bottom }) =>
    Math.hypot(Math.max(left - clientX, 0, clientX - right), Math.max(top - clientY, 0, clientY - bottom));
  const all = [...currentTarget.querySelectorAll("[data-letter]")].map((letter) => far(letter.getBoundingClientRect()));
  return parts[all.length ? all.indexOf(Math.min(...all)) : 0];
}

/** Return the start and end of a selection that begins or ends inside a word, see `drag`; else null. */
export function cutOf(session) {
  const { cut } = session.place;
  const [from, to] = selected(session);
  return cut && same(cut.of, [from, ...wordsOf(session).slice(from, to + 1)]) ? cut : null;
}

export function wholeWord(session, word) {
  const form = wordsOf(session)[word];
  return { form, word, start: 0, end: form.length };
}

/** Store where the mouse button was pressed. */
export function press(session, { clientX: x, clientY: y }, letter) {
  session.pressed = { x, y, ...letter };
}

/** Return whether the pointer has moved since its button was pressed, on the same words. */
export function dragged(session, { buttons, clientX, clientY }) {
  const { pressed } = session;
  if (!buttons || !pressed || wordsOf(session)[pressed.word] !== pressed.form) return false;
  return Math.hypot(clientX - pressed.x, clientY - pressed.y) >= CLICK;
}

/** Select from the place where the button was pressed to this place. */
export function drag(session, here) {
  const { place, pressed } = session;
  const words = wordsOf(session);
  const [first, last] = here.word > pressed.word || (here.word === pressed.word && here.start > pressed.start) ? [pressed, here] : [here, pressed];
  const inside = first.start > 0 || last.end < words[last.word].length;
  const of = [first.word, ...words.slice(first.word, last.word + 1)];
  const after = { from: pressed.word, word: here.word, cut: inside ? { start: first.start, end: last.end, of } : null };
  if (same(after, { from: place.from, word: place.word, cut: place.cut ?? null })) return;
  Object.assign(place, after, { made: null });
  session.draw();
}

/** Return the selected part of a word as its start and end. */
export function covered(session, word) {
  const [from, to] = selected(session);
  if (word < from || word > to) return [0, 0];
  const cut = cutOf(session);
  return [cut && word === from ? cut.start : 0, cut && word === to ? cut.end : wordsOf(session)[word].length];
}

/** Return the annotation with the first and last word split at the start and end of the selection. */
export function cutOut(session, annotation, [from, to], { start, end }) {
  const words = wordsOf(session);
  const places = from === to ? [[from, [start, end]]] : [[to, [end]], [from, [start]]]; // split the last word first, so that the other words keep their numbers
  return places.reduce((made, [at, cuts]) => {
    const parts = [0, ...cuts].map((cut, place) => words[at].slice(cut, cuts[place])).filter(Boolean);
    return parts.length > 1 ? split(session, made, at, parts) : made;
  }, annotation);
}
