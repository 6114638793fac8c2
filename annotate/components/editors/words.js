// Sentences as rows of words: shared parts of the editors of tags, trees and entities.
//
// Each annotation has its words. A repair of words keeps the annotation: columns are carried over, and heads are renumbered. A
// repair never changes the text: merged words keep their spelling, and a multiword token keeps its written form.

import { bare, changeableColumns, blocks, isMadeUp, lettersOf, links, moved, OPEN, rangeAt, tokenization, wordsOf } from "./alignment.js";
import { cycleAt } from "./arcs.js";
import { answered, ask, fieldKeys, leave } from "./asking.js";
import { correct, corrects, seen } from "./corrections.js";
import { movedDeps } from "./deps.js";
import { h } from "./dom.js";
import { joinKey, withFollowing } from "./joining.js";
import { _, listed, quote } from "./messages.js";
import { continued, merged } from "./nested.js";
import { endKey, endsOf, isApart, uncrossed, withEnds } from "./sentences.js";

export const formOf = (session, from, to) => wordsOf(session).slice(from, to + 1).join(" ");
const rangesOf = ({ annotation }) => annotation.ranges;

const COMPARED = new WeakMap(); // results by annotation; the words of an annotation are replaced, never changed

/** Return the result of `make` for other words and the current words of the annotation, computed once. */
export function compared({ annotation }, other, make) {
  const known = COMPARED.get(annotation) ?? new Map();
  COMPARED.set(annotation, known);
  if (!known.has(other)) known.set(other, make());
  return known.get(other);
}

/** Return a model's suggestion on the current words, open for words that the model did not see; null without a suggestion. */
export function guess(session, suggestion = session.data.suggestion) {
  return suggestion && compared(session, suggestion, () => {
    const [from, to] = links(blocks(tokenization(session), suggestion));
    const own = moved(suggestion.annotation, from, to);
    const made = { annotation: own.heads ? { ...own, ...uncrossed(own, endsOf(session)) } : own };
    for (const list of ["confidence", "decided", "listed", "glosses", "deprels_ranked", "lemmas_ranked", "feats_ranked", "xpos_ranked"]) made[list] = from.map((word) => suggestion[list]?.[word]);
    const ranked = (word) => (suggestion.heads_ranked?.[word] ?? []).map(([head, sure]) => [head && (to[head - 1] ?? -1) + 1, sure]);
    const near = (word) => ([head]) => !head || !isApart(session, word, head - 1);
    return { ...made, heads_ranked: from.map((old, word) => ranked(old).filter(near(word))) };
  });
}

/** Return a probability in percent; empty if the model gives none. */
export const percent = (share) => (Number.isFinite(share) ? `${Math.round(100 * share)}%` : null);

/** Return the displayed certainty of a suggestion: a percentage, the number of earlier decisions, or a note about the lexicon. */
export function sureness(suggestion, word) {
  const times = suggestion.decided?.[word];
  if (times) return `×${times}`;
  return suggestion.listed?.[word] ? _("lexicon") : percent(suggestion.confidence[word]);
}

/** Return a suggested label for screen readers, with its certainty if known. */
export function suggestedSaid(label, sure) {
  return sure === null ? _("{label}, suggested", { label }) : _("{label}, suggested, {sure}", { label, sure });
}

/** Return the certainty of a suggestion for screen readers. */
export function surenessSaid(suggestion, word) {
  const times = suggestion.decided?.[word];
  if (!times) return suggestion.listed?.[word] ? _("as in the lexicon") : percent(suggestion.confidence[word]);
  return times === 1 ? _("as decided once before") : _("as decided {times} times before", { times });
}

/** Return the probability of a suggestion for a word; earlier decisions and the lexicon count as certain. */
export const likelihood = (suggestion, word) => (suggestion.decided?.[word] || suggestion.listed?.[word] ? 1 : suggestion.confidence[word]);

const FAINTEST = 0.3; // probability at and below which a suggestion is faintest

/** Return the style that draws unlikely suggestions fainter: see `--sure` in style.css. */
export function fade(likely) {
  if (likely === undefined || likely === null) return null;
  const sure = Math.max(0, (likely - FAINTEST) / (1 - FAINTEST));
  return `--sure: ${Math.round(100 * sure)}%`;
}

/** Return the first names and the number of further names. */
export function few(names, most = 3) {
  const first = names.slice(0, most).join(", ");
  return names.length > most ? _("{first} and {count} more", { first, count: names.length - most }) : first;
}

/** Return the arrow key in the direction of reading, and the opposite arrow. */
export const arrows = (dir) => (dir === "rtl" ? ["ArrowLeft", "ArrowRight"] : ["ArrowRight", "ArrowLeft"]);

/** Return the keys that move the cursor, in the direction of the script; `rows`: up and down too. */
export function moves(session, step, rows = false) {
  const [forward, backward] = arrows(session.data.dir);
  const last = () => wordsOf(session).length - 1;
  const to = (word) => {
    session.place.word = Math.max(0, Math.min(last(), word));
    session.draw();
  };
  return [
    { key: forward, label: _("move"), run: () => (step ?? to)(session.place.word + 1) },
    { key: backward, run: () => (step ?? to)(session.place.word - 1) },
    ...(rows ? [{ key: "ArrowDown", run: () => to(session.place.word + 1) }, { key: "ArrowUp", run: () => to(session.place.word - 1) }] : []),
    { key: "Home", label: _("first word"), rare: true, run: () => (step ?? to)(0) },
    { key: "End", label: _("last word"), rare: true, run: () => (step ?? to)(last()) },
  ];
}

/** Return the keys that repair words: split (with a hint if splits are frequent), merge with the next word, multiword token. */
export function repairs(session, hint) {
  return [
    { key: "/", label: hint ?? _("split"), rare: !hint, run: () => ask(session, "split") },
    { key: "+", label: _("merge with next"), rare: true, run: () => merge(session) },
    { key: "=", label: _("multiword"), rare: true, run: () => multiword(session) },
    endKey(session),
    joinKey(session),
  ];
}

/** Draw the small field in which a space splits a word. */
export function splitter(session) {
  if (session.place.asking !== "split") return null;
  const word = session.place.word;
  const why = h("span", { class: "why", role: "alert" });
  const field = h("input", {
    class: "split",
    lang: session.data.lang,
    value: wordsOf(session)[word],
    "aria-label": _("Type a space where the word splits, then press Enter"),
    onkeydown: fieldKeys(session, () => {
      const parts = field.value.split(/\s+/).filter(Boolean);
      if (parts.length < 2 && field.value === wordsOf(session)[word]) return leave(session);
      why.textContent = parts.length < 2 ? _("type a space inside the word, or press Escape") : "";
      if (why.textContent) return;
      answered(session);
      if (respelled(session, word, parts) && /\s/.test(wordsOf(session)[word])) return session.refuse(apart(session, word));
      session.change((annotation) => split(session, annotation, word, parts));
    }),
  });
  return h("div", { class: "asking" }, h("label", {}, _("Type a space where the word splits, then Enter"), field), why);
}

const goesOn = (session) => _("a sentence ends here; press {key} first to remove this end", { key: session.keyOf(".") });

const quoted = (...forms) => listed(forms.map(quote));
const apart = (session, ...words) =>
  _("a space stands in {words}, which a multiword token cannot have", { words: quoted(...words.map((word) => wordsOf(session)[word])) });

/** Return whether the parts of a word have other letters than the word, so that they need a multiword token. */
function respelled(session, word, parts) {
  return bare(parts.join("")) !== bare(wordsOf(session)[word]) && !rangeAt(rangesOf(session), word);
}

/** Return the annotation with the word `at` a place split into parts; the words of the annotation count, not those of the session. */
export function split({ data }, annotation, at, parts) {
  const words = [...annotation.words];
  const more = parts.length - 1;
  const ranges = annotation.ranges.map(([first, last, form]) => [
    first - 1 > at ? first + more : first,
    last - 1 >= at ? last + more : last,
    form,
  ]);
  if (respelled({ data, annotation }, at, parts)) ranges.push([at + 1, at + 1 + more, words[at]]);
  const to = words.map((_, old) => (old > at ? old + more : old));
  const from = [...words.keys()];
  words.splice(at, 1, ...parts);
  from.splice(at + 1, 0, ...parts.slice(1).map(() => null));
  const after = keeping(data, annotation, ["upos"], carried(annotation, words, ranges, from, to), at, at);
  for (let part = at + 1; part <= at + more; part += 1) // an entity continues in the parts
    if (after.entities) after.entities[part] = continued(after.entities[part - 1]);
  for (const column of ["lemmas", "feats", "xpos"]) if (after[column]) after[column][at] = after.heads ? null : OPEN; // values of the whole word do not fit its parts
  return after;
}

/** Return the annotation of a tree after its words were changed, with what a word had before, `old`, in the place of a new one. */
function keeping(data, before, columns, after, at, old) {
  const kept = before.heads ? columns.filter((column) => corrects({ data }, column)) : [];
  return kept.reduce((made, column) => {
    const value = seen({ data, annotation: before }, column)[old];
    return value === OPEN ? made : correct({ data }, made, column, at, value);
  }, after);
}

/** Return the example with all sentences of the annotation, see joining.js. */
export const wholeOf = (session) => compared(session, session.data.following, () => withFollowing(session));

/** Return the start and end of each word in the text; null if the words do not spell the text. */
function placesOf(session) {
  const letters = lettersOf(tokenization(session));
  const places = [...wholeOf(session).text.matchAll(/\S/g)].map(({ index }) => index);
  return places.length === letters.at(-1)[1] ? letters.map(([start, end]) => [places[start], places[end - 1] + 1]) : null;
}

/** Return the text between a word and the next; empty if the words do not spell the text. */
function between(session, word) {
  const places = placesOf(session);
  return places ? wholeOf(session).text.slice(places[word][1], places[word + 1][0]) : "";
}

/** Draw the written sentence, with marks for the word at the cursor and some other words. */
export function reading(session, others = []) {
  const { text } = wholeOf(session);
  const places = placesOf(session) ?? [];
  const marks = [[session.place.word, "cursor"], ...others.map((word) => [word, "asked"])].filter(([word]) => places[word]);
  const cuts = [...new Set([0, text.length, ...marks.flatMap(([word]) => places[word])])].sort((a, b) => a - b);
  const parts = cuts.slice(0, -1).map((start, at) => {
    const part = text.slice(start, cuts[at + 1]);
    const [, name] = marks.find(([word]) => places[word][0] <= start && start < places[word][1]) ?? [];
    return name ? h("mark", { class: name }, part) : part;
  });
  return h("p", { class: "reading", dir: "auto", lang: session.data.lang }, parts);
}

/** Merge the word with the next word, with the space between them if the text has one. */
function merge(session) {
  const at = session.place.word;
  const words = [...wordsOf(session)];
  if (at + 1 >= words.length) return;
  if (isApart(session, at, at + 1)) return session.refuse(goesOn(session));
  const [token, other] = [at, at + 1].map((word) => rangeAt(rangesOf(session), word));
  if (token !== other) return session.refuse(_("{word} is one written word; first merge the words that it stands for", { word: quoted((token ?? other)[2]) }));
  const whole = token && token[1] === token[0] + 1;
  const space = token ? "" : between(session, at);
  if (space.length > 1) return session.refuse(_("the text has more than a space between {words}", { words: quoted(words[at], words[at + 1]) }));
  const form = whole ? token[2] : words[at] + space + words[at + 1];
  const to = words.map((_, old) => (old > at ? old - 1 : old));
  const ranges = rangesOf(session)
    .map(([first, last, form]) => [to[first - 1] + 1, to[last - 1] + 1, form])
    .filter(([first, last]) => last > first);
  words.splice(at, 2, form);
  session.change((annotation) => {
    const from = words.map((_, now) => (now < at ? now : now > at ? now + 1 : upper(annotation, at)));
    const after = keeping(session.data, annotation, ["upos", "xpos", "feats"], carried(annotation, words, ranges, from, to), at, from[at]);
    if (after.lemmas && after.heads) after.lemmas[at] = null; // the lemma of a part is not that of the whole
    if (after.heads && cycleAt(after.heads, at).length) [after.heads[at], after.deprels[at]] = [-1, OPEN];
    if (after.entities) after.entities = merged(annotation.entities, at);
    if (after.misc) after.misc[at] = annotation.misc[at] ?? annotation.misc[at + 1];
    return after;
  });
}

/** Return the word, of a word and the next, that is nearer to the root; a word whose head is open or the other word comes last. */
function upper({ heads }, at) {
  if (!heads) return at;
  const isLast = (word) => heads[word] < 0 || [at, at + 1].includes(heads[word] - 1);
  const [one, other] = [at, at + 1].map((word) => Number(isLast(word)) * heads.length + depth(heads, word));
  return other < one ? at + 1 : at;
}

/** Return the number of words from a word to the root, to an open head, or around a cycle. */
function depth(heads, word) {
  const seen = new Set();
  for (; word >= 0 && !seen.has(word); word = heads[word] - 1) seen.add(word);
  return seen.size;
}

/** Make a multiword token of the word and the next word (or its multiword token), or remove it. */
function multiword(session) {
  const at = session.place.word;
  const words = wordsOf(session);
  const ranges = rangesOf(session);
  const token = rangeAt(ranges, at);
  if (!token && at + 1 >= words.length) return;
  if (!token && isApart(session, at, at + 1)) return session.refuse(goesOn(session));
  const next = token ? null : rangeAt(ranges, at + 1) ?? [at + 2, at + 2, words[at + 1]];
  if (token && !isMadeUp(words, token)) {
    const parts = quoted(...words.slice(token[0] - 1, token[1]));
    return session.refuse(_("the letters of {parts} do not spell {word}; merge them instead", { word: quoted(token[2]), parts }));
  }
  if (next && /\s/.test(words[at] + between(session, at) + next[2])) return session.refuse(apart(session, at, at + 1));
  const made = next ? [[at + 1, next[1], words[at] + next[2]]] : [];
  const rest = ranges.filter((range) => range !== token && range[0] !== next?.[0]);
  session.change((annotation) => carried(annotation, words, [...rest, ...made], [...words.keys()], [...words.keys()]));
}

/** Return the annotation on other words, see `links`. */
export function carried(annotation, words, ranges, from, to) {
  const sorted = ranges.sort((a, b) => a[0] - b[0]);
  const moving = endsOf({ annotation }).map((end) => to[end]).filter((end) => end > 0 && !sorted.some(([first, last]) => first <= end && end < last));
  const changed = changeableColumns(annotation).filter((column) => annotation[column]);
  const beside = Object.fromEntries(changed.map((column) => [column, from.map((word) => annotation[column][word] ?? null)]));
  return withEnds({ ...annotation, ...moved(annotation, from, to), ...beside, ...movedDeps(annotation, from, to) }, words, sorted, [...new Set(moving)]);
}

/** Draw the multiword tokens as a line below the sentence. */
export function forms(session) {
  const words = wordsOf(session);
  const shown = rangesOf(session).map(([first, last, form]) =>
    h("span", { class: "range" }, `${form} = ${words.slice(first - 1, last).join(" + ")}`),
  );
  return shown.length ? h("div", { class: "ranges", lang: session.data.lang }, shown) : null;
}

/** Return the place of the next word; of the last word, its own. */
export const nextPlace = (session, word = session.place.word) => ({ word: Math.min(word + 1, wordsOf(session).length - 1) });

/** Return the first and last selected word. */
export function selected({ place }) {
  return [Math.min(place.from, place.word), Math.max(place.from, place.word)];
}
