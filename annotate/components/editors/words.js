// Sentences as rows of words: what the editors of tags, trees and entities share.
//
// Each annotation names its words. A repair keeps the annotation: columns are carried along, and heads are renumbered. It
// never changes the text: words are merged as they are written, and what a multiword token is made of has one.

import { bare, blocks, isMadeUp, lettersOf, links, moved, OPEN, rangeAt } from "./alignment.js";
import { answered, ask, fieldKeys, leave } from "./asking.js";
import { movedDeps } from "./deps.js";
import { h } from "./dom.js";
import { joinKey, withFollowing } from "./joining.js";
import { _, listed, quote } from "./messages.js";
import { endKey, endsOf, isApart, uncrossed, withEnds } from "./sentences.js";

export const wordsOf = ({ annotation }) => annotation.words;
export const formOf = (session, from, to) => wordsOf(session).slice(from, to + 1).join(" ");
const rangesOf = ({ annotation }) => annotation.ranges;
export const tokenization = ({ annotation: { words, ranges } }) => ({ words, ranges });

const COMPARED = new WeakMap(); // by the annotation, of which words are replaced, never changed

/** What `make` finds of other words and those of the annotation as it is now, found once. */
export function compared({ annotation }, other, make) {
  const known = COMPARED.get(annotation) ?? new Map();
  COMPARED.set(annotation, known);
  if (!known.has(other)) known.set(other, make());
  return known.get(other);
}

/** A model's suggestion on the words as they are now, open where it has seen others; null without one. */
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

/** A share in percent; nothing of a model that does not say how sure it is. */
export const percent = (share) => (Number.isFinite(share) ? `${Math.round(100 * share)}%` : null);

/** How sure a suggestion is of a word, as it is shown: in percent, how often it was decided so before, or that the lexicon has it. */
export function sureness(suggestion, word) {
  const times = suggestion.decided?.[word];
  if (times) return `×${times}`;
  return suggestion.listed?.[word] ? _("lexicon") : percent(suggestion.confidence[word]);
}

/** A suggested label for who hears it, with how sure the suggestion is of it, if that is known. */
export function suggestedSaid(label, sure) {
  return sure === null ? _("{label}, suggested", { label }) : _("{label}, suggested, {sure}", { label, sure });
}

/** How sure a suggestion is of a word, for who hears it. */
export function surenessSaid(suggestion, word) {
  const times = suggestion.decided?.[word];
  if (!times) return suggestion.listed?.[word] ? _("as in the lexicon") : percent(suggestion.confidence[word]);
  return times === 1 ? _("as decided once before") : _("as decided {times} times before", { times });
}

/** How likely a suggestion is for a word; what was decided before, or is in the lexicon, counts as certain. */
export const likelihood = (suggestion, word) => (suggestion.decided?.[word] || suggestion.listed?.[word] ? 1 : suggestion.confidence[word]);

const FAINTEST = 0.3; // at which likelihood, and below, a suggestion is faintest

/** The style by which a suggestion is the fainter, the less likely it is: see `--sure` in style.css. */
export function fade(likely) {
  if (likely === undefined || likely === null) return null;
  const sure = Math.max(0, (likely - FAINTEST) / (1 - FAINTEST));
  return `--sure: ${Math.round(100 * sure)}%`;
}

/** The first few names, and how many more there are. */
export function few(names, most = 3) {
  const first = names.slice(0, most).join(", ");
  return names.length > most ? _("{first} and {count} more", { first, count: names.length - most }) : first;
}

/** The arrow that leads in the direction of reading, and the other one. */
export const arrows = (dir) => (dir === "rtl" ? ["ArrowLeft", "ArrowRight"] : ["ArrowRight", "ArrowLeft"]);

/** One key an arrow moves by, in the direction of the script; `rows`: up and down too. */
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

/** The keys that repair tokenization: split, with a hint where that is needed often, merge with the next word, one form for several. */
export function repairs(session, hint) {
  return [
    { key: "/", label: hint ?? _("split"), rare: !hint, run: () => ask(session, "split") },
    { key: "+", label: _("merge with next"), rare: true, run: () => merge(session) },
    { key: "=", label: _("multiword"), rare: true, run: () => multiword(session) },
    endKey(session, () => tokenization(session)),
    joinKey(session, () => tokenization(session)),
  ];
}

/** The small field in which a word is split by a space. */
export function splitter(session) {
  if (session.place.asking !== "split") return null;
  const word = session.place.word;
  const field = h("input", {
    class: "split",
    lang: session.data.lang,
    value: wordsOf(session)[word],
    "aria-label": _("Type a space where the word splits, then press Enter"),
    onkeydown: fieldKeys(session, () => {
      const parts = field.value.split(/\s+/).filter(Boolean);
      if (parts.length < 2) return leave(session);
      answered(session);
      if (respelled(session, word, parts) && /\s/.test(wordsOf(session)[word])) return refuse(session, apart(session, word));
      session.change((annotation) => split(session, annotation, word, parts));
    }),
  });
  return h("div", { class: "asking" }, h("label", {}, _("Type a space where the word splits, then Enter"), field));
}

const goesOn = (session) => _("a sentence ends here; press {key} first to remove this end", { key: session.keyOf(".") });

/** Say why a repair is not made. */
export function refuse(session, message) {
  session.message = message;
  session.draw();
}

const quoted = (...forms) => listed(forms.map(quote));
const apart = (session, ...words) =>
  _("{words} contains a space, which a multiword token cannot", { words: quoted(...words.map((word) => wordsOf(session)[word])) });

/** Whether the parts of a word have other letters, so that they need a written form over them. */
function respelled(session, word, parts) {
  return bare(parts.join("")) !== bare(wordsOf(session)[word]) && !rangeAt(rangesOf(session), word);
}

/** The tags of the words where parts of a split word are given theirs, see `OpenItem.asks_tags`; else null. */
export function tagsOf(session) {
  const { annotation, data } = session;
  if (!data.tags) return null;
  return annotation.upos ?? compared(session, data.tags, () => {
    const example = wholeOf(session);
    const [from] = links(blocks(tokenization(session), example));
    return from.map((word) => example.upos[word] ?? OPEN);
  });
}

/** The annotation on words of which the one `at` a place is several parts; its own words count, not the session's. */
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
  const upos = tagsOf({ data, annotation });
  const after = carried(upos ? { ...annotation, upos } : annotation, words, ranges, from, to);
  for (let part = at + 1; part <= at + more; part += 1) // an entity goes on
    if (after.entities) after.entities[part] = after.entities[part - 1].replace(/^B-/, "I-");
  for (const column of ["lemmas", "feats", "xpos"]) if (after[column]) after[column][at] = OPEN; // those of the whole word
  return after;
}

/** The example with all that the annotation is of, see joining.js. */
export const wholeOf = (session) => compared(session, session.data.following, () => withFollowing(session));

/** Where each word begins and ends in the text; nothing where the text is not made of the words. */
function placesOf(session) {
  const letters = lettersOf(tokenization(session));
  const places = [...wholeOf(session).text.matchAll(/\S/g)].map(({ index }) => index);
  return places.length === letters.at(-1)[1] ? letters.map(([start, end]) => [places[start], places[end - 1] + 1]) : null;
}

/** What stands in the text between a word and the next one; nothing where the text is not made of the words. */
function between(session, word) {
  const places = placesOf(session);
  return places ? wholeOf(session).text.slice(places[word][1], places[word + 1][0]) : "";
}

/** The sentence as it is written, to be read, with the word at the cursor, and some others, marked. */
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

/** Make the word and the next one a single word, with the space between them where they are written apart. */
function merge(session) {
  const at = session.place.word;
  const words = [...wordsOf(session)];
  if (at + 1 >= words.length) return;
  if (isApart(session, at, at + 1)) return refuse(session, goesOn(session));
  const [token, other] = [at, at + 1].map((word) => rangeAt(rangesOf(session), word));
  if (token !== other) return refuse(session, _("{word} is one written word; first merge the words that it stands for", { word: quoted((token ?? other)[2]) }));
  const whole = token && token[1] === token[0] + 1;
  const space = token ? "" : between(session, at);
  if (space.length > 1) return refuse(session, _("the text has more than a space between {words}", { words: quoted(words[at], words[at + 1]) }));
  const form = whole ? token[2] : words[at] + space + words[at + 1];
  const to = words.map((_, old) => (old > at ? old - 1 : old));
  const ranges = rangesOf(session)
    .map(([first, last, form]) => [to[first - 1] + 1, to[last - 1] + 1, form])
    .filter(([first, last]) => last > first);
  words.splice(at, 2, form);
  session.change((annotation) => {
    const from = words.map((_, now) => (now < at ? now : now > at ? now + 1 : upper(annotation, at)));
    const after = carried(annotation, words, ranges, from, to);
    if (after.entities) after.entities = united(annotation.entities, after.entities, at);
    if (after.misc) after.misc[at] = annotation.misc[at] ?? annotation.misc[at + 1];
    return after;
  });
}

/** Of a word and the next one, that which does not hang on the other. */
function upper({ heads }, at) {
  const hangs = (word, on) => {
    const seen = new Set();
    for (; word >= 0 && word !== on && !seen.has(word); word = heads[word] - 1) seen.add(word);
    return word === on;
  };
  return heads && !hangs(at + 1, at) && (heads[at] < 0 || hangs(at, at + 1)) ? at + 1 : at;
}

/** Entities where a word was merged with the next one: it is of the first one's that it was in, and what is left begins anew. */
function united(before, entities, at) {
  const made = entities.with(at, before.slice(at, at + 2).find((tag) => tag.length > 1) ?? before[at]);
  return made.map((tag, word) => (tag.startsWith("I-") && made[word - 1]?.slice(2) !== tag.slice(2) ? `B-${tag.slice(2)}` : tag));
}

/** Mark the word and the next one, or what that is written in, as one written form, or take the mark away. */
function multiword(session) {
  const at = session.place.word;
  const words = wordsOf(session);
  const ranges = rangesOf(session);
  const token = rangeAt(ranges, at);
  if (!token && at + 1 >= words.length) return;
  if (!token && isApart(session, at, at + 1)) return refuse(session, goesOn(session));
  const next = token ? null : rangeAt(ranges, at + 1) ?? [at + 2, at + 2, words[at + 1]];
  if (token && !isMadeUp(words, token)) {
    const parts = quoted(...words.slice(token[0] - 1, token[1]));
    return refuse(session, _("the letters of {parts} do not spell {word}; merge them instead", { word: quoted(token[2]), parts }));
  }
  if (next && /\s/.test(words[at] + between(session, at) + next[2])) return refuse(session, apart(session, at, at + 1));
  const made = next ? [[at + 1, next[1], words[at] + next[2]]] : [];
  const rest = ranges.filter((range) => range !== token && range[0] !== next?.[0]);
  session.change((annotation) => carried(annotation, words, [...rest, ...made], [...words.keys()], [...words.keys()]));
}

/** The annotation on other words, see `links`. */
export function carried(annotation, words, ranges, from, to) {
  const sorted = ranges.sort((a, b) => a[0] - b[0]);
  const moving = endsOf({ annotation }).map((end) => to[end]).filter((end) => end > 0 && !sorted.some(([first, last]) => first <= end && end < last));
  const beside = annotation.misc ? { misc: from.map((word) => annotation.misc[word] ?? null) } : {};
  if (annotation.deps) beside.deps = movedDeps(annotation, from, to);
  return withEnds({ ...annotation, ...moved(annotation, from, to), ...beside }, words, sorted, [...new Set(moving)]);
}

/** The written forms over several words, as a line under the sentence. */
export function forms(session) {
  const words = wordsOf(session);
  const shown = rangesOf(session).map(([first, last, form]) =>
    h("span", { class: "range" }, `${form} = ${words.slice(first - 1, last).join(" + ")}`),
  );
  return shown.length ? h("div", { class: "ranges", lang: session.data.lang }, shown) : null;
}

/** Return the entities of IOB2 tags as {from, to, type}; an open word ends one. */
export function spansOf(tags) {
  const found = [];
  tags.forEach((tag, word) => {
    const [prefix, type] = [tag.slice(0, 1), tag.slice(2)];
    const last = found.at(-1);
    if (prefix === "B" && type) found.push({ from: word, to: word, type });
    else if (prefix === "I" && last && last.to === word - 1 && last.type === type) last.to = word;
  });
  return found;
}

/** The first and the last selected word. */
export function selected({ place }) {
  return [Math.min(place.from, place.word), Math.max(place.from, place.word)];
}
