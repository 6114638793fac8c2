// Sentence ends inside a sentence of the file: `.` adds or removes an end after the word at the cursor.
//
// An end is the number of the word after it; ends are stored with the words of an annotation. No arc and no entity crosses an
// end: an entity is split, and a head in another sentence becomes open, unless its word can only be the root.

import { OPEN, rangeAt, ROOT, tokenization } from "./alignment.js";
import { h, same } from "./dom.js";
import { _, listed, quote } from "./messages.js";
import { begun } from "./nested.js";

export const endsOf = ({ annotation }) => annotation.ends ?? [];

/** Return the key that adds or removes the end of a sentence. */
export const endKey = (session) => ({ key: ".", label: _("sentence ends here"), rare: true, run: () => toggle(session) });

/** Return whether a sentence ends between two words. */
export const isApart = (session, one, other) => endsOf(session).some((end) => Math.min(one, other) < end && end <= Math.max(one, other));

/** Return the first and last word of each sentence. */
export function sentencesOf(session, count) {
  const lasts = [...endsOf(session), count];
  return lasts.map((last, place) => [place ? lasts[place - 1] : 0, last - 1]);
}

/** Return whether a sentence other than the last ends with a word. */
export const endsAt = (session, word) => endsOf(session).includes(word + 1);

/** Return the text about a word that ends a sentence. */
export const endSaid = (session, word) => (endsAt(session, word) ? "; " + _("a sentence ends here") : "");

/** Draw the mark after a word that ends a sentence. */
export const endMark = (session, word) => (endsAt(session, word) ? h("span", { class: "end", "aria-hidden": true }) : null);

/** Return the annotation with other ends, without arcs and entities across them. */
export function withEnds(annotation, words, ranges, ends) {
  const { ends: before, ...made } = { ...annotation, words: [...words], ranges };
  if (ends.length) made.ends = ends;
  if (made.heads) Object.assign(made, uncrossed(made, ends));
  if (made.entities) made.entities = made.entities.map((tag, word) => (ends.includes(word) ? begun(tag) : tag));
  return made;
}

/** Return heads and relations without those across an end; a word that can only be the root of its sentence becomes the root. */
export function uncrossed({ heads, deprels }, ends) {
  const made = { heads: [...heads], deprels: [...deprels] };
  for (const [place, last] of [...ends, heads.length].entries()) {
    const first = ends[place - 1] ?? 0;
    const inside = [...heads.keys()].slice(first, last);
    const across = inside.filter((word) => heads[word] > 0 && !(first < heads[word] && heads[word] <= last));
    const alone = across.length === 1 && inside.every((word) => heads[word] > 0);
    for (const word of across) [made.heads[word], made.deprels[word]] = alone ? [0, ROOT] : [-1, OPEN];
  }
  return made;
}

/** Add the end of a sentence after the word at the cursor, or remove it; what it has opened comes back if nothing was changed since. */
function toggle(session) {
  const { words, ranges } = tokenization(session);
  const number = session.place.word + 1;
  const range = rangeAt(ranges, number - 1);
  if (number === words.length) return session.refuse(_("the last word always ends its sentence"));
  if (range && number < range[1]) return session.refuse(_("{word} is one written word; a sentence can end only before or after it", { word: quote(range[2]) }));
  const before = endsOf(session);
  const ends = before.includes(number) ? before.filter((end) => end !== number) : [...before, number].sort((a, b) => a - b);
  const { heads } = session.annotation;
  const last = session.past.at(-1)?.annotation;
  if (last && same(endsOf({ annotation: last }), ends) && same(withEnds(last, words, ranges, before), session.annotation)) return session.undo();
  session.change((annotation) => withEnds(annotation, words, ranges, ends), { dependent: null });
  const open = heads?.flatMap((head, word) => (head > 0 && session.annotation.heads[word] < 0 ? [quote(words[word])] : [])) ?? [];
  if (open.length) session.refuse(_("the head of {words} was in another sentence; attach the open words again", { words: listed(open) }));
}
